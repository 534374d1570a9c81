/* input.h — the bytes of a file, of standard input or of memory, by lines or by blocks. */
#ifndef JO_IO_INPUT_H
#define JO_IO_INPUT_H

#include "base/memory.h"
#include "jostle/io.h"

/* No line of a text format may be longer: what is longer is no particle file. */
#define JO_LINE_MAX ((size_t)1 << 20)
/* The most bytes jo_input_bytes can give at once. */
#define JO_BLOCK_MAX JO_LINE_MAX

typedef struct input {
    const char *name; /* for messages */
    const jo_read_options *options;
    int fd;             /* -1 when everything is in memory already */
    bool owns_fd;       /* close it when done */
    bool ended;         /* nothing more will come into the window */
    bool size_known;    /* a regular file or memory */
    uint64_t size;      /* all bytes; meaningful if size_known */
    uint64_t window_at; /* offset of the window's first byte */
    const char *window; /* the bytes at hand, read or not */
    const char *at;     /* the first byte not read yet */
    const char *end;    /* behind the last byte at hand */
    uint64_t line;      /* number of the line last given, from 1 */
    uint64_t report_at; /* call progress at this offset */
    buffer storage;     /* the window's memory, when fd is read */
} input;

/* A piece of text, not terminated. */
typedef struct text {
    const char *at;
    const char *end;
} text;

/* path "-" is standard input. On success give it to jo_input_close. */
jo_status jo_input_open(input *in, const char *path, const jo_read_options *options,
                        jo_error *error);
void jo_input_memory(input *in, const void *data, size_t size, const char *name,
                     const jo_read_options *options);
void jo_input_close(input *in);

/* Offset of the next byte not read yet. */
uint64_t jo_input_offset(const input *in);

/* Back to the first byte. JO_ERR_ARGUMENT where the input is no regular file and not in memory. */
jo_status jo_input_rewind(input *in, jo_error *error);

/* Makes `want` bytes (at most JO_BLOCK_MAX) available at in->at without taking them, fewer only at
 * the end of the input: in->end - in->at says how many there are. */
jo_status jo_input_peek(input *in, size_t want, jo_error *error);

/* Takes `count` bytes that a peek made available. Calls progress now and then. */
jo_status jo_input_take(input *in, size_t count, jo_error *error);

/* Takes the next line, without its line end and without blanks around it; *found is false at the
 * end of the input. The text stays valid until the next call. */
jo_status jo_input_line(input *in, text *line, bool *found, jo_error *error);

/* Fails with "NAME:LINE: ..." about the line last given, or with "NAME: ...". */
jo_status jo_input_fail(const input *in, jo_error *error, jo_status status, const char *format, ...)
    JO_PRINTF(4, 5);
jo_status jo_input_fail_file(const input *in, jo_error *error, jo_status status, const char *format,
                             ...) JO_PRINTF(4, 5);
/* Fails because the frame asked for is not among those of the file. */
jo_status jo_input_fail_frame(const input *in, jo_error *error, size_t frames);

#endif
