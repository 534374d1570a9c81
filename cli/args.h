/* args.h — command lines: argp with suggestions, and numbers as people write them. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <argp.h>

#include "cli.h"

/* Parses with argp; an option that does not exist ends the program with a suggestion and 64. */
void cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/* A count: "1000", "1e6", "2.5e5", "10k", "3M", "1G". Ends the program with 64 if it is none, or
 * outside [least, most]; `option` is named in the message. */
uint64_t cli_count(struct argp_state *state, const char *option, const char *text, uint64_t least,
                   uint64_t most);
uint64_t cli_seed(struct argp_state *state, const char *option,
                  const char *text); /* plain 64-bit */
/* A finite real number. */
double cli_real(struct argp_state *state, const char *option, const char *text, double least,
                double most);
/* Reals separated by commas, at most `most` of them; returns how many. */
int cli_reals(struct argp_state *state, const char *option, const char *text, double *values,
              int most);
/* "1280x720": pixels. */
void cli_size(struct argp_state *state, const char *text, int *width, int *height);
/* The index of text in names (NULL-terminated), or the end with 64 and a suggestion. */
int cli_choice(struct argp_state *state, const char *option, const char *text,
               const char *const *names);
/* Letters x, y, z (or "none", "all") into flags. */
void cli_axes(struct argp_state *state, const char *option, const char *text, bool axes[3]);

/* Reads a count without an argp state; false if text is none. */
bool cli_read_count(const char *text, uint64_t *count);

/* A method by name ("auto" among them), or the end with 64 and a suggestion. */
const char *cli_method(struct argp_state *state, const char *text);

#endif
