/* eventlog.c — events.csv: every collision of an event-driven run, one row each.
 *
 * Rows are numbered, so that a run that goes on from a checkpoint knows which to keep: those whose
 * number is below that of the checkpoint's next event. What is beyond, and a last line that a
 * killed process did not finish, is cut off. All columns are numbers; -1 is none. */
#include "eventlog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "table.h"

static const char header[] = "event,time,a,b,wall,face,speed\n";

static jo_status fail(eventlog *log, const char *what, jo_error *error)
{
    const int number = errno;
    eventlog_close(log); /* may write what it still held, or a part of it */
    if (log->whole >= 0 && truncate(log->path, log->whole) != 0)
        cli_note("%s: its last line is not whole", log->path);
    return jo_error_file(error, log->path, what, number);
}

/* Where the rows end whose numbers are below `from`; 0: it is not a log of events. */
static long kept(FILE *file, uint64_t from)
{
    char *line = NULL;
    size_t size = 0;
    long end = 0;
    for (ssize_t length; (length = getline(&line, &size, file)) > 0;) {
        if (line[length - 1] != '\n') break;
        if (end == 0 && strcmp(line, header) != 0) break;
        if (end > 0 && strtoull(line, NULL, 10) >= from) break;
        end += length;
    }
    free(line);
    return end;
}

jo_status eventlog_open(eventlog *log, const char *path, uint64_t from, jo_error *error)
{
    *log = (eventlog){.written = from, .whole = -1};
    snprintf(log->path, sizeof log->path, "%s", path);
    log->file = from > 0 ? fopen(path, "r+") : NULL;
    if (log->file == NULL) {
        log->file = fopen(path, "w");
        if (log->file == NULL) return fail(log, "written", error);
        return fputs(header, log->file) < 0 || fflush(log->file) != 0 ? fail(log, "written", error)
                                                                      : JO_OK;
    }
    const long end = kept(log->file, from);
    if (end == 0) {
        eventlog_close(log);
        return cli_error(error, JO_ERR_DATA,
                         "%.300s: is not a log of events; move it away, or resume into another "
                         "folder with --out",
                         path);
    }
    if (ftruncate(fileno(log->file), end) != 0 || fseek(log->file, 0, SEEK_END) != 0)
        return fail(log, "cut", error);
    return JO_OK;
}

jo_status eventlog_append(eventlog *log, const jo_hard_event *events, size_t count, uint64_t first,
                          jo_error *error)
{
    if (log->file == NULL) return JO_OK;
    log->whole = ftell(log->file); /* everything before is flushed */
    for (size_t k = log->written > first ? (size_t)(log->written - first) : 0; k < count; k++) {
        const jo_hard_event *e = &events[k];
        const bool wall = e->kind == JO_HARD_WALL;
        char time[32], speed[32];
        fprintf(log->file, "%llu,%s,%llu,%lld,%lld,%u,%s\n", (unsigned long long)(first + k),
                text_real(time, sizeof time, e->time), (unsigned long long)e->a,
                wall ? -1LL : (long long)e->b, wall ? (long long)e->b : -1LL, e->face,
                text_real(speed, sizeof speed, e->speed));
        log->written = first + k + 1;
    }
    return fflush(log->file) != 0 || ferror(log->file) ? fail(log, "written", error) : JO_OK;
}

void eventlog_close(eventlog *log)
{
    if (log->file != NULL) fclose(log->file);
    log->file = NULL;
}
