/* args.c — command lines: argp with suggestions, and numbers as people write them.
 *
 * argp answers an unknown option with its name alone. Here the words are looked through first, with
 * getopt's own rule (a unique beginning of an option will do), so that a slip of the pen gets the
 * option that was meant. Every mistake ends the program with 64. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"

enum { OPTIONS_MAX = 128 };

static size_t collect(const struct argp *argp, const char **names, size_t count)
{
    for (const struct argp_option *o = argp->options;
         o != NULL && (o->name != NULL || o->key != 0 || o->doc != NULL || o->group != 0); o++)
        if (o->name != NULL && count < OPTIONS_MAX) names[count++] = o->name;
    for (const struct argp_child *c = argp->children; c != NULL && c->argp != NULL; c++)
        count = collect(c->argp, names, count);
    return count;
}

static void check_option(const char *word, const char *program, const char *const *names)
{
    const size_t length = strcspn(word, "=");
    for (size_t k = 0; names[k] != NULL; k++)
        if (strncmp(word, names[k], length) == 0) return; /* getopt judges the rest */
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), word);
    const char *meant = cli_suggest(name, names);
    fprintf(stderr, "%s: there is no option '--%s'", program, name);
    if (meant != NULL) fprintf(stderr, "; did you mean '--%s'?", meant);
    fprintf(stderr, "\nTry '%s --help'.\n", program);
    exit(CLI_MISUSE);
}

void cli_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    const char *names[OPTIONS_MAX + 4];
    size_t count = collect(argp, names, 0);
    names[count++] = "help";
    names[count++] = "usage";
    names[count++] = "version";
    names[count] = NULL;
    static char help[] = "--help";
    for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++) {
        if (strcmp(argv[k], "-h") == 0) argv[k] = help;
        if (strncmp(argv[k], "--", 2) == 0) check_option(argv[k] + 2, argv[0], names);
    }
    argp_err_exit_status = CLI_MISUSE;
    argp_parse(argp, argc, argv, 0, NULL, input);
}

static bool read_real(const char *text, double *value, const char **end)
{
    char *stop;
    errno = 0;
    *value = strtod(text, &stop);
    *end = stop;
    return stop != text && errno != ERANGE && isfinite(*value);
}

bool cli_read_count(const char *text, uint64_t *count)
{
    double value;
    const char *rest;
    if (!read_real(text, &value, &rest) || value < 0.0) return false;
    if (*rest != '\0') {
        static const char units[] = "kMG";
        const char *unit = strchr(units, *rest);
        if (unit == NULL || rest[1] != '\0') return false;
        for (const char *u = units; u <= unit; u++)
            value *= 1e3;
    }
    if (value > 9e15 || fabs(value - rint(value)) > 1e-6 * value) return false;
    *count = (uint64_t)llrint(value);
    return true;
}

uint64_t cli_count(struct argp_state *state, const char *option, const char *text, uint64_t lowest,
                   uint64_t most)
{
    uint64_t count = 0;
    if (!cli_read_count(text, &count))
        argp_error(state, "--%s '%s' is not a count; write 1000, 1e6, 10k or 3M", option, text);
    if (count < lowest || count > most)
        argp_error(state, "--%s is %llu; it must be %llu to %llu", option,
                   (unsigned long long)count, (unsigned long long)lowest, (unsigned long long)most);
    return count;
}

uint64_t cli_seed(struct argp_state *state, const char *option, const char *text)
{
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 0);
    if (end == text || *end != '\0' || errno == ERANGE || *text == '-')
        argp_error(state, "--%s '%s' is not a whole number below 2^64", option, text);
    return value;
}

double cli_real(struct argp_state *state, const char *option, const char *text, double lowest,
                double most)
{
    double value = 0.0;
    const char *rest = text;
    if (!read_real(text, &value, &rest) || *rest != '\0')
        argp_error(state, "--%s '%s' is not a number", option, text);
    if (value < lowest || value > most)
        argp_error(state, "--%s is %g; it must be %g to %g", option, value, lowest, most);
    return value;
}

int cli_reals(struct argp_state *state, const char *option, const char *text, double *values,
              int most)
{
    int count = 0;
    for (const char *rest = text;; rest++) {
        double value = 0.0;
        if (!read_real(rest, &value, &rest) || (*rest != ',' && *rest != '\0'))
            argp_error(state, "--%s '%s' is not a list of numbers like 0,10,0,5", option, text);
        if (count == most)
            argp_error(state, "--%s '%s' has more than %d numbers", option, text, most);
        values[count++] = value;
        if (*rest == '\0') return count;
    }
}

void cli_size(struct argp_state *state, const char *text, int *width, int *height)
{
    char rest;
    const int least = 64, most = 16384;
    if (sscanf(text, "%dx%d%c", width, height, &rest) != 2 || *width < least || *height < least ||
        *width > most || *height > most)
        argp_error(state, "--size '%s' must be like 1280x720, %d to %d each", text, least, most);
}

int cli_choice(struct argp_state *state, const char *option, const char *text,
               const char *const *names)
{
    char list[512] = "";
    size_t used = 0;
    for (int k = 0; names[k] != NULL; k++) {
        if (strcmp(names[k], text) == 0) return k;
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? ", " : "",
                                     names[k]);
    }
    const char *meant = cli_suggest(text, names);
    if (meant != NULL)
        argp_error(state, "there is no %s '%s'; did you mean '%s'? (There are: %s)", option, text,
                   meant, list);
    argp_error(state, "there is no %s '%s'; there are: %s", option, text, list);
    return 0;
}

void cli_axes(struct argp_state *state, const char *option, const char *text, bool axes[3])
{
    for (int a = 0; a < 3; a++)
        axes[a] = strcmp(text, "all") == 0;
    if (axes[0] || strcmp(text, "none") == 0) return;
    const char *c = text;
    do {
        if (*c < 'x' || *c > 'z')
            argp_error(state, "--%s '%s' must be letters of xyz (like xy), all or none", option,
                       text);
        axes[*c - 'x'] = true;
    } while (*++c != '\0');
}

const char *cli_method(struct argp_state *state, const char *text)
{
    const char *names[OPTIONS_MAX];
    size_t count = jo_broad_method_count();
    if (count > OPTIONS_MAX - 2) count = OPTIONS_MAX - 2;
    for (size_t k = 0; k < count; k++)
        names[k] = jo_broad_method(k)->name;
    names[count] = "auto";
    names[count + 1] = NULL;
    return names[cli_choice(state, "method", text, names)];
}
