/* common.c — errors, time, signals and suggestions for every command.
 *
 * Suggestions: the edit distance that counts insertions, deletions, changes and swaps of neighbours
 * (Damerau, restricted), in O(length²); a name is worth suggesting when at most a third of it is
 * wrong, or when one is the beginning of the other. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

static int exit_code(jo_status status)
{
    switch (status) {
    case JO_OK:
        return CLI_OK;
    case JO_ERR_ARGUMENT:
        return CLI_MISUSE;
    case JO_ERR_DATA:
    case JO_ERR_LIMIT:
        return CLI_BAD_DATA;
    default:
        return CLI_FAILED;
    }
}

int cli_fail(const jo_error *error)
{
    return cli_fail_with(exit_code(error->status), "%s", error->text);
}

int cli_fail_with(int code, const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fputs("jostle: error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return code;
}

void cli_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- signals */

static volatile sig_atomic_t held, pending;

static void end_by(int number)
{
    signal(number, SIG_DFL); /* so that the caller sees 128 + number, as from any program */
    raise(number);
}

static void on_signal(int number)
{
    if (held) {
        pending = number;
        return;
    }
    /* Leaves a progress line behind on its own line. */
    if (isatty(STDERR_FILENO) && write(STDERR_FILENO, "\n", 1) < 0) pending = number;
    end_by(number);
}

/* A signal that our caller had ignored (nohup, a background job of a script) stays ignored. */
static void install(int number)
{
    struct sigaction action = {.sa_handler = on_signal}, before;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void cli_signals_install(void)
{
    install(SIGINT);
    install(SIGTERM);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error of write, not the end */
}

void cli_signals_hold(void)
{
    held++; /* pairs may nest */
}

void cli_signals_release(void)
{
    if (held > 0) held--;
    if (held == 0 && pending != 0) {
        /* The signal is blocked nowhere: raising it with the default action ends the program. */
        fflush(stdout);
        end_by((int)pending);
    }
}

bool cli_interrupted(void)
{
    return pending != 0;
}

/* ---- suggestions */

enum { WORD_MAX = 40 };

static int least(int a, int b, int c)
{
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static int edit_distance(const char *a, const char *b)
{
    const int la = (int)strnlen(a, WORD_MAX), lb = (int)strnlen(b, WORD_MAX);
    int d[WORD_MAX + 1][WORD_MAX + 1];
    for (int i = 0; i <= la; i++)
        d[i][0] = i;
    for (int j = 0; j <= lb; j++)
        d[0][j] = j;
    for (int i = 1; i <= la; i++)
        for (int j = 1; j <= lb; j++) {
            const int same = a[i - 1] == b[j - 1];
            d[i][j] = least(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + !same);
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && d[i - 2][j - 2] + 1 < d[i][j]) d[i][j] = d[i - 2][j - 2] + 1;
        }
    return d[la][lb];
}

const char *cli_suggest(const char *wrong, const char *const *names)
{
    const char *best = NULL;
    int best_distance = WORD_MAX;
    const size_t length = strlen(wrong);
    if (length == 0) return NULL;
    for (size_t k = 0; names[k] != NULL; k++) {
        const size_t other = strlen(names[k]), shorter = length < other ? length : other;
        if (strcasecmp(wrong, names[k]) == 0) return names[k];
        int distance = edit_distance(wrong, names[k]);
        if (shorter >= 3 && strncasecmp(wrong, names[k], shorter) == 0) distance = 1;
        const int limit = (int)((length > other ? length : other) + 2) / 3;
        if (distance <= limit && distance < best_distance) {
            best = names[k];
            best_distance = distance;
        }
    }
    return best;
}

const char *cli_run_file(const char *path, char *room, size_t size)
{
    struct stat there;
    if (stat(path, &there) != 0 || !S_ISDIR(there.st_mode)) return path;
    snprintf(room, size, "%s/trajectory.h5", path);
    return room;
}
