/* input.c — the bytes of a file, of standard input or of memory.
 *
 * A window slides over the input: what was read is dropped, what remains is moved to the front, and
 * the rest is filled by read(2). So files of any size, and pipes, pass through two MiB. The file is
 * not mapped into memory: a mapped file that another program shortens kills the process that reads
 * it, which a library may not risk for the few percent that mapping gains. Bytes already in memory
 * are one window and never copied.
 *
 * Invariants: window <= at <= end; the window never holds more than its storage; a line or a block
 * of up to JO_LINE_MAX bytes always fits, because the storage is twice that.
 * Cost: one memchr over the bytes for the line ends, one memmove of a partial line per refill. */
#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { WINDOW = 2 << 20, REPORT_EVERY = 4 << 20, NAME_SHOWN = 200 };

/* The end of a long name says more than its beginning, and the sentence must fit behind it. */
static const char *shown_name(const input *in)
{
    const size_t length = strlen(in->name);
    return length > NAME_SHOWN ? in->name + length - NAME_SHOWN : in->name;
}

jo_status jo_input_fail(const input *in, jo_error *error, jo_status status, const char *format, ...)
{
    char sentence[JO_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return jo_fail(error, status, "%s:%llu: %s", shown_name(in), (unsigned long long)in->line,
                   sentence);
}

jo_status jo_input_fail_file(const input *in, jo_error *error, jo_status status, const char *format,
                             ...)
{
    char sentence[JO_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return jo_fail(error, status, "%s: %s", shown_name(in), sentence);
}

jo_status jo_input_fail_frame(const input *in, jo_error *error, size_t frames)
{
    if (in->options->frame == JO_FRAME_LAST)
        return jo_input_fail_file(in, error, JO_ERR_DATA,
                                  "the last frame was asked for, but the file has none");
    return jo_input_fail_file(in, error, JO_ERR_DATA,
                              "frame %zu was asked for, but the file has %zu%s", in->options->frame,
                              frames, frames > 0 ? ", from 0" : "");
}

void jo_input_memory(input *in, const void *data, size_t size, const char *name,
                     const jo_read_options *options)
{
    const char *bytes = data != NULL ? data : "";
    *in = (input){.name = name,
                  .options = options,
                  .fd = -1,
                  .ended = true,
                  .size_known = true,
                  .size = size,
                  .window = bytes,
                  .at = bytes,
                  .end = bytes + size,
                  .report_at = REPORT_EVERY};
}

jo_status jo_input_open(input *in, const char *path, const jo_read_options *options,
                        jo_error *error)
{
    const bool standard = strcmp(path, "-") == 0;
    *in = (input){.name = standard ? "standard input" : path,
                  .options = options,
                  .fd = STDIN_FILENO,
                  .report_at = REPORT_EVERY};
    if (!standard) {
        in->fd = open(path, O_RDONLY | O_CLOEXEC);
        if (in->fd < 0)
            return jo_input_fail_file(in, error, JO_ERR_IO, "cannot be opened: %s",
                                      strerror(errno));
        in->owns_fd = true;
    }
    struct stat facts;
    if (fstat(in->fd, &facts) == 0) {
        if (S_ISDIR(facts.st_mode)) {
            jo_input_close(in);
            return jo_input_fail_file(in, error, JO_ERR_IO,
                                      "is a directory; name a particle file in it");
        }
        /* Standard input may be a regular file that was read in part, and files of the kernel say
         * that they are empty: such sizes say nothing. */
        in->size_known = !standard && S_ISREG(facts.st_mode) && facts.st_size > 0;
        if (in->size_known) in->size = (uint64_t)facts.st_size;
    }
    if (!jo_buffer_reserve(&in->storage, WINDOW, 1)) {
        jo_input_close(in);
        return jo_fail_memory(error, WINDOW, "reading a file");
    }
    in->window = in->at = in->end = in->storage.data;
    return JO_OK;
}

void jo_input_close(input *in)
{
    if (in->owns_fd) close(in->fd);
    in->owns_fd = false;
    jo_buffer_free(&in->storage);
    in->window = in->at = in->end = NULL;
}

jo_status jo_input_rewind(input *in, jo_error *error)
{
    in->line = in->window_at = 0;
    in->report_at = REPORT_EVERY;
    in->at = in->window;
    if (in->fd < 0) return JO_OK;
    if (!in->size_known || lseek(in->fd, 0, SEEK_SET) != 0)
        return jo_input_fail_file(in, error, JO_ERR_ARGUMENT,
                                  "the last frame can only be found in a regular file");
    in->end = in->window;
    in->ended = false;
    return JO_OK;
}

uint64_t jo_input_offset(const input *in)
{
    return in->window_at + (uint64_t)(in->at - in->window);
}

/* Drops what was read and fills the window again. */
static jo_status refill(input *in, jo_error *error)
{
    char *const window = in->storage.data;
    const size_t rest = (size_t)(in->end - in->at);
    in->window_at = jo_input_offset(in);
    if (rest > 0) memmove(window, in->at, rest);
    in->at = window;
    size_t filled = rest;
    while (filled < WINDOW && !in->ended) {
        const ssize_t got = read(in->fd, window + filled, WINDOW - filled);
        if (got > 0)
            filled += (size_t)got;
        else if (got == 0)
            in->ended = true;
        else if (errno != EINTR)
            return jo_input_fail_file(in, error, JO_ERR_IO, "cannot be read: %s", strerror(errno));
    }
    in->end = window + filled;
    return JO_OK;
}

jo_status jo_input_peek(input *in, size_t want, jo_error *error)
{
    JO_ASSERT(want <= JO_BLOCK_MAX);
    if ((size_t)(in->end - in->at) >= want || in->ended) return JO_OK;
    return refill(in, error);
}

/* Kept out of line: it is rare. */
static jo_status report(input *in, jo_error *error)
{
    const uint64_t offset = jo_input_offset(in);
    in->report_at = offset + REPORT_EVERY;
    const jo_read_options *o = in->options;
    if (o->progress == NULL) return JO_OK;
    const double fraction =
        in->size_known && in->size > 0 ? (double)offset / (double)in->size : 0.0;
    if (o->progress(o->progress_context, fraction > 1.0 ? 1.0 : fraction)) return JO_OK;
    return jo_input_fail_file(in, error, JO_ERR_CANCELLED, "reading was stopped after %llu bytes",
                              (unsigned long long)offset);
}

jo_status jo_input_take(input *in, size_t count, jo_error *error)
{
    JO_ASSERT(count <= (size_t)(in->end - in->at));
    in->at += count;
    return jo_input_offset(in) >= in->report_at ? report(in, error) : JO_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

jo_status jo_input_line(input *in, text *line, bool *found, jo_error *error)
{
    *found = false;
    size_t left = (size_t)(in->end - in->at);
    const char *stop = left > 0 ? memchr(in->at, '\n', left) : NULL;
    if (stop == NULL && !in->ended) {
        const jo_status status = refill(in, error);
        if (status != JO_OK) return status;
        left = (size_t)(in->end - in->at);
        stop = left > 0 ? memchr(in->at, '\n', left) : NULL;
    }
    if (left == 0) return JO_OK;
    in->line++;
    const char *const last = stop != NULL ? stop : in->end;
    if ((size_t)(last - in->at) > JO_LINE_MAX)
        return jo_input_fail(in, error, JO_ERR_DATA,
                             "the line is longer than %zu bytes; is this a text file of particles?",
                             JO_LINE_MAX);
    *line = (text){in->at, last};
    while (line->at < line->end && is_blank(*line->at))
        line->at++;
    while (line->end > line->at && is_blank(line->end[-1]))
        line->end--;
    *found = true;
    return jo_input_take(in, (size_t)(last - in->at) + (stop != NULL), error);
}
