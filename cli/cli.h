/* cli.h — what every command of the program shares: exit codes, errors, time, interruption.
 *
 * The program uses the library's public headers and scenes/generate.h, nothing else. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <signal.h>
#include <stdio.h>

#include "jostle/jostle.h"

/* Exit codes; a signal adds 128 + its number. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1, /* the environment: a file, memory, or methods that disagree */
    CLI_BAD_DATA =
        2, /* what was given: a malformed file, NaN, negative radius; a disk that is full */
    CLI_MISUSE = 64 /* the command line */
};

/* One command. run gets argv[0] = "jostle NAME" and returns an exit code. */
typedef struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} command;

int cli_run(int argc, char **argv);
int cli_resume(int argc, char **argv);
int cli_demo(int argc, char **argv);
int cli_list(int argc, char **argv);
int cli_detect(int argc, char **argv);
int cli_generate(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_tune(int argc, char **argv);
int cli_reproduce(int argc, char **argv);
int cli_render(int argc, char **argv);
int cli_view(int argc, char **argv);
int cli_plot(int argc, char **argv);
int cli_distribution(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_schema(int argc, char **argv);

/* Problems of a scene file, one to a line: FILE:LINE:COLUMN: error: … */
void cli_print_problems(const char *path, const jo_problems *problems, FILE *out);

/* The trajectory in a run's folder, where path names one (room holds the answer); else path
 * itself. */
const char *cli_run_file(const char *path, char *room, size_t size);

/* Fills an error as the library would, and returns its status. */
jo_status cli_error(jo_error *error, jo_status status, const char *format, ...) JO_PRINTF(3, 4);
/* Prints "jostle: error: …" and returns the exit code that belongs to the status. */
int cli_fail(const jo_error *error);
/* The same for a sentence of the program's own. */
int cli_fail_with(int code, const char *format, ...) JO_PRINTF(2, 3);
void cli_note(const char *format, ...) JO_PRINTF(1, 2); /* a line on stderr */

double cli_seconds(void); /* wall clock, from an arbitrary start */

/* SIGINT and SIGTERM end the program at once, except between hold and release: there they are
 * remembered, so that no half-written file stays behind. release ends the program if one came.
 * Pairs nest. */
void cli_signals_install(void);
void cli_signals_hold(void);
void cli_signals_release(void);
bool cli_interrupted(void); /* one came while held */

/* The name among `names` (NULL-terminated) that a person most likely meant, or NULL. */
const char *cli_suggest(const char *wrong, const char *const *names);

#endif
