/* dump.c — a run as a LAMMPS dump in text, frame after frame, for OVITO, VMD and jostle itself.
 *
 * A frame is appended to what is there. First the end of the file is looked at: a frame that is not
 * whole (its writer was killed), or whose step is not before the new one (the run was resumed from
 * an earlier checkpoint), is cut off, until one remains that is whole and earlier. Only the frames
 * that go, and the last that stays, are read. When the new frame cannot be written to its end, the
 * file is cut back to where it was.
 *
 * Ids are those of the run plus 1, types materials plus 1, since LAMMPS counts from 1.
 *
 * Cost: the text of one frame is read and one is written, about 300 bytes per body. */
#include "jostle/trajectory.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/number.h"

enum { BLOCK = 1 << 18, ROW_MAX = 24 * JO_NUMBER_LENGTH };
#define START "ITEM: TIMESTEP\n"
enum { START_LENGTH = sizeof START - 1, HEADER_LINES = 11 };

/* ---- the end of the file */

static bool read_fully(int fd, char *to, size_t count, off_t at)
{
    while (count > 0) {
        const ssize_t done = pread(fd, to, count, at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        to += done;
        at += done;
        count -= (size_t)done;
    }
    return true;
}

/* Where the last frame before `end` starts: -1 when there is none, -2 when reading failed. */
static off_t last_start(int fd, off_t end, char *block)
{
    /* Blocks overlap, so that a start across their border is seen. */
    for (off_t hi = end; hi > 0;) {
        const off_t lo = hi > BLOCK ? hi - BLOCK : 0;
        const size_t count = (size_t)(hi - lo);
        if (!read_fully(fd, block, count, lo)) return -2;
        for (size_t k = count >= START_LENGTH ? count - START_LENGTH + 1 : 0; k-- > 0;)
            if (memcmp(block + k, START, START_LENGTH) == 0 &&
                (k > 0 ? block[k - 1] == '\n' : lo == 0))
                return lo + (off_t)k;
        if (lo == 0) break;
        hi = lo + START_LENGTH + 1;
    }
    return -1;
}

/* Line number `line` of a text, as a number. */
static bool number_on_line(const char *text, size_t size, int line, uint64_t *value)
{
    const char *at = text, *end = text + size;
    for (; line > 0; line--) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        if (next == NULL) return false;
        at = next + 1;
    }
    *value = 0;
    bool digits = false;
    for (; at < end && *at >= '0' && *at <= '9'; at++, digits = true)
        *value = *value * 10 + (uint64_t)(*at - '0');
    return digits && at < end && *at == '\n';
}

/* Where the frame that starts at `start` ends, if it is whole and earlier than `step`; else -1,
 * also when it cannot be read. What comes behind it is the beginning of a frame that is not whole.
 */
static off_t end_of_frame(int fd, off_t start, off_t end, uint64_t step, char *block)
{
    uint64_t own = 0, bodies = 0, lines = 0;
    for (off_t at = start; at < end;) {
        const size_t count = end - at < BLOCK ? (size_t)(end - at) : BLOCK;
        if (!read_fully(fd, block, count, at)) return -1;
        if (at == start && (!number_on_line(block, count, 1, &own) || own >= step ||
                            !number_on_line(block, count, 5, &bodies)))
            return -1;
        for (size_t k = 0; k < count; k++)
            if (block[k] == '\n' && ++lines == HEADER_LINES + bodies) return at + (off_t)k + 1;
        at += (off_t)count;
    }
    return -1;
}

/* Where the new frame goes; -1: reading failed. */
static off_t end_of_kept(int fd, off_t size, uint64_t step)
{
    char *block = malloc(BLOCK);
    off_t end = size;
    while (block != NULL && end > 0) {
        const off_t start = last_start(fd, end, block);
        if (start == -2) end = -1;
        if (start == -1) end = 0;
        if (start < 0) break;
        const off_t whole = end_of_frame(fd, start, end, step, block);
        end = whole >= 0 ? whole : start;
        if (whole >= 0) break;
    }
    if (block == NULL) errno = ENOMEM;
    free(block);
    return block == NULL ? -1 : end;
}

/* ---- writing */

typedef struct writer {
    int fd;
    int failure;
    size_t used;
    char *bytes; /* BLOCK */
} writer;

static void flush(writer *w)
{
    for (size_t done = 0; done < w->used && w->failure == 0;) {
        const ssize_t count = write(w->fd, w->bytes + done, w->used - done);
        if (count >= 0)
            done += (size_t)count;
        else if (errno != EINTR)
            w->failure = errno;
    }
    w->used = 0;
}

static void put_box(writer *w, const jo_frame *f)
{
    char *at = w->bytes + w->used;
    at += sprintf(at, "ITEM: BOX BOUNDS");
    for (int a = 0; a < 3; a++)
        at += sprintf(at, a < f->dim && f->domain.periodic[a] ? " pp" : " ff");
    *at++ = '\n';
    for (int a = 0; a < 3; a++) {
        double lo = -0.5, hi = 0.5;
        if (a < f->dim && f->domain.hi[a] > f->domain.lo[a]) {
            lo = f->domain.lo[a];
            hi = f->domain.hi[a];
        } else if (a < f->dim && f->n > 0) { /* no box: as large as the bodies need */
            lo = INFINITY, hi = -INFINITY;
            for (size_t i = 0; i < f->n; i++) {
                lo = fmin(lo, f->x[3 * i + a] - f->r[i]);
                hi = fmax(hi, f->x[3 * i + a] + f->r[i]);
            }
        }
        at += jo_number_format(lo, at);
        *at++ = ' ';
        at += jo_number_format(hi, at);
        *at++ = '\n';
    }
    w->used = (size_t)(at - w->bytes);
}

static void put_frame(writer *w, const jo_frame *f)
{
    char *at = w->bytes;
    at += sprintf(at, START "%llu\nITEM: TIME\n", (unsigned long long)f->step);
    at += jo_number_format(f->time, at);
    at += sprintf(at, "\nITEM: NUMBER OF ATOMS\n%zu\n",
                  f->n); /* line 5: end_of_frame() counts on it */
    w->used = (size_t)(at - w->bytes);
    put_box(w, f);
    w->used += (size_t)sprintf(w->bytes + w->used,
                               "ITEM: ATOMS id type x y z radius vx vy vz omegax omegay omegaz "
                               "fx fy fz%s\n",
                               f->q != NULL ? " quatw quati quatj quatk shape" : "");
}

static void put_row(writer *w, const jo_frame *f, size_t i)
{
    char *at = w->bytes + w->used;
    const double *vectors[4] = {f->x, f->v, f->w, f->force};
    at += jo_integer_format(f->id[i] + 1, at);
    *at++ = ' ';
    at += jo_integer_format((f->material != NULL ? f->material[i] : 0) + 1u, at);
    for (int k = 0; k < 4; k++) {
        for (int a = 0; a < 3; a++) {
            *at++ = ' ';
            at += jo_number_format(vectors[k] != NULL ? vectors[k][3 * i + a] : 0.0, at);
        }
        if (k > 0) continue;
        *at++ = ' ';
        at += jo_number_format(f->r[i], at);
    }
    if (f->q != NULL) { /* a sphere's shape is 0, the others count from 1 */
        for (int c = 0; c < 4; c++) {
            *at++ = ' ';
            at += jo_number_format(f->q[4 * i + (size_t)c], at);
        }
        *at++ = ' ';
        const bool shaped = f->shape != NULL && f->shape[i] != JO_NO_SHAPE;
        at += jo_integer_format(shaped ? f->shape[i] + 1u : 0, at);
    }
    *at++ = '\n';
    w->used = (size_t)(at - w->bytes);
}

static int write_frame(int fd, const jo_frame *f)
{
    writer w = {.fd = fd, .bytes = malloc(BLOCK)};
    if (w.bytes == NULL) return ENOMEM;
    put_frame(&w, f);
    for (size_t i = 0; i < f->n && w.failure == 0; i++) {
        if (BLOCK - w.used < ROW_MAX) flush(&w);
        put_row(&w, f, i);
    }
    flush(&w);
    free(w.bytes);
    return w.failure;
}

jo_status jo_dump_append(const char *path, const jo_frame *frame, jo_error *error)
{
    struct stat facts;
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return jo_error_file(error, path, "opened", errno);
    int failure = fstat(fd, &facts) != 0 ? errno : 0;
    off_t end = 0;
    if (failure == 0) {
        end = end_of_kept(fd, facts.st_size, frame->step);
        if (end < 0) failure = errno;
    }
    if (failure == 0 && end != facts.st_size && ftruncate(fd, end) != 0) failure = errno;
    if (failure == 0 && lseek(fd, end, SEEK_SET) < 0) failure = errno;
    if (failure == 0) {
        failure = write_frame(fd, frame);
        /* Best effort: what cannot be cut off now is cut off by the next call. */
        const bool cut = failure == 0 || ftruncate(fd, end) == 0;
        (void)cut;
    }
    if (close(fd) != 0 && failure == 0) failure = errno;
    if (failure == 0) return JO_OK;
    return jo_error_file(error, path, "written", failure);
}
