/* common.c — errors, time, signals and suggestions for every command. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
    case JO_ERR_SPACE:
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

jo_status cli_error(jo_error *error, jo_status status, const char *format, ...)
{
    va_list arguments;
    error->status = status;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
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
    install(SIGHUP);          /* the terminal was closed, the connection lost */
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

const char *cli_suggest(const char *wrong, const char *const *names)
{
    size_t count = 0;
    while (names[count] != NULL)
        count++;
    return jo_suggest(wrong, names, count, sizeof *names);
}

const char *cli_run_file(const char *path, char *room, size_t size)
{
    struct stat there;
    if (stat(path, &there) != 0 || !S_ISDIR(there.st_mode)) return path;
    snprintf(room, size, "%s/trajectory.h5", path);
    return room;
}
