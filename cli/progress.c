/* progress.c — one line on a terminal that says what goes on.
 *
 * Nothing is printed when stderr is not a terminal, so logs and pipes stay clean. The line is drawn
 * at most ten times a second and wiped before anything else is printed. */
#include <stdarg.h>
#include <unistd.h>

#include "progress.h"

static bool line_drawn;

progress cli_progress_start(const char *what)
{
    return (progress){
        .what = what, .started = cli_seconds(), .visible = isatty(STDERR_FILENO) != 0};
}

bool cli_progress_show(void *context, double fraction)
{
    progress *p = context;
    const double now = cli_seconds();
    if (p->visible && now - p->shown > 0.1 && now - p->started > 0.3) {
        const double left =
            fraction > 0.01 ? (now - p->started) * (1.0 - fraction) / fraction : 0.0;
        fprintf(stderr, "\r\033[K%s %3.0f %%", p->what, 100.0 * fraction);
        if (left >= 1.0) fprintf(stderr, ", %.0f s left", left);
        fflush(stderr);
        p->shown = now;
        line_drawn = true;
    }
    return !cli_interrupted();
}

void cli_progress_say(const char *format, ...)
{
    if (!isatty(STDERR_FILENO)) return;
    va_list arguments;
    fputs("\r\033[K", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
    line_drawn = true;
}

void cli_progress_clear(void)
{
    if (line_drawn) fputs("\r\033[K", stderr);
    line_drawn = false;
}
