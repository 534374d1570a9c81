/* progress.h — one line on a terminal that says what goes on. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli.h"

typedef struct progress {
    const char *what;
    double started, shown;
    bool visible; /* stderr is a terminal */
} progress;

progress cli_progress_start(const char *what);
/* A jo_progress; context is a progress. False once a signal came while they are held. */
bool cli_progress_show(void *context, double fraction);
/* A line without a fraction, replaced by the next. */
void cli_progress_say(const char *format, ...) JO_PRINTF(1, 2);
void cli_progress_clear(void);

#endif
