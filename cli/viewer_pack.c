/* viewer_pack.c — frames made small on their way out.
 *
 * The run copies what a picture needs as floats and goes on; this is done by the server's thread
 * when a client is about to be sent the frame, once for all of them. Positions become whole numbers
 * of 16 bits between the least and the largest of their axis: off by 1/131070 of that at most, and
 * only where that is a small part of the smallest radius. Speeds, forces and spins become
 * half-precision numbers in units of a power of two that puts the largest near the upper end of
 * what they hold: off by 1/2048 of their size, 0 below 2^-29 of the largest. Orientations become 4
 * numbers of 16 bits, numbers of contacts one. A graphics card reads all of these as they are.
 *
 * Cost: about 4 ns a body. */
#include <math.h>

#include "viewer_layout.h"
#include "viewer_pack.h"

enum { SCALES = 9, SCALE_UNITS = 6 }; /* least and extent of each axis, units of three quantities */

typedef struct part {
    uint32_t what, type, components, bytes;
    const uint8_t *values;
} part;

/* The next block of a message. */
static part next_part(const uint8_t **at)
{
    part p;
    memcpy(&p, *at, BLOCK);
    p.values = *at + BLOCK;
    *at += BLOCK + padded(p.bytes);
    return p;
}

static size_t packed_width(uint32_t what) /* bytes a body; 0: stays as it is */
{
    switch (what) {
    case BLOCK_POSITION:
        return 6;
    case BLOCK_SPEED:
    case BLOCK_FORCE:
    case BLOCK_SPIN:
    case BLOCK_CONTACTS:
        return 2;
    case BLOCK_ORIENTATION:
        return 8;
    default:
        return 0;
    }
}

static bool find_box(const float *x, size_t n, float grain, double scale[SCALES])
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < n; i++)
        for (int a = 0; a < 3; a++) {
            const float v = x[3 * i + (size_t)a];
            lo[a] = v < lo[a] ? v : lo[a];
            hi[a] = v > hi[a] ? v : hi[a];
        }
    for (int a = 0; a < 3; a++) {
        scale[a] = (double)lo[a];
        scale[3 + a] = (double)hi[a] - (double)lo[a];
        if (!(scale[3 + a] <= 65535.0 * (double)grain)) return false; /* NaN and infinity, too */
    }
    return true;
}

static void pack_positions(const float *x, size_t n, const double scale[SCALES], uint16_t *to)
{
    float lo[3], per[3];
    for (int a = 0; a < 3; a++) {
        lo[a] = (float)scale[a];
        per[a] = scale[3 + a] > 0.0 ? (float)(65535.0 / scale[3 + a]) : 0.0f;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < 3; a++) {
            const float v = (x[3 * i + a] - lo[a]) * per[a] + 0.5f;
            to[3 * i + a] = (uint16_t)(int32_t)(v > 0.0f ? v < 65535.0f ? v : 65535.0f : 0.0f);
        }
}

/* Of a float between 2^-14 and 65504; smaller ones are 0. */
static uint16_t half_of(float v)
{
    uint32_t bits;
    if (!(v >= 0x1p-14f)) return 0;
    v *= 0x1p-112f; /* now its exponent is the half's */
    memcpy(&bits, &v, sizeof bits);
    return (uint16_t)((bits + 0xfff + ((bits >> 13) & 1)) >> 13);
}

/* Returns the unit. */
static double pack_sizes(const float *values, size_t n, uint16_t *to)
{
    float most = 0.0f;
    for (size_t i = 0; i < n; i++)
        most = values[i] > most && values[i] <= 3e38f ? values[i] : most;
    int exponent;
    frexpf(most, &exponent); /* most < 2^exponent */
    const double unit = most > 0.0f ? ldexp(1.0, exponent - 15) : 1.0;
    const float per = (float)(1.0 / unit);
    for (size_t i = 0; i < n; i++) {
        const float v = values[i] * per;
        to[i] = half_of(v < 32768.0f ? v : 32768.0f);
    }
    return unit;
}

static void pack_turns(const float *q, size_t n, int16_t *to)
{
    for (size_t k = 0; k < 4 * n; k++) {
        const float v = 32767.0f * q[k];
        to[k] = (int16_t)(int32_t)(v > -32767.0f ? v < 32767.0f ? v : 32767.0f : -32767.0f);
    }
}

static void pack_counts(const uint32_t *counts, size_t n, uint16_t *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint16_t)(counts[i] < 65535 ? counts[i] : 65535);
}

static void pack_part(uint8_t **at, const part *p, size_t n, double scale[SCALES])
{
    const size_t width = packed_width(p->what);
    const void *from = p->values;
    if (width == 0) {
        memcpy(block(at, p->what, p->type, p->components, p->bytes), from, p->bytes);
        return;
    }
    const uint32_t type = p->what == BLOCK_ORIENTATION                             ? TYPE_I16
                          : p->what == BLOCK_POSITION || p->what == BLOCK_CONTACTS ? TYPE_U16
                                                                                   : TYPE_F16;
    void *to = block(at, p->what, type, p->components, width * n);
    switch (p->what) {
    case BLOCK_POSITION:
        pack_positions(from, n, scale, to);
        return;
    case BLOCK_ORIENTATION:
        pack_turns(from, n, to);
        return;
    case BLOCK_CONTACTS:
        pack_counts(from, n, to);
        return;
    case BLOCK_SPEED:
        scale[SCALE_UNITS] = pack_sizes(from, n, to);
        return;
    case BLOCK_FORCE:
        scale[SCALE_UNITS + 1] = pack_sizes(from, n, to);
        return;
    default:
        scale[SCALE_UNITS + 2] = pack_sizes(from, n, to);
    }
}

blob *frame_pack(const blob *exact)
{
    message_header h;
    double scale[SCALES] = {0};
    memcpy(&h, exact->data, sizeof h);
    size_t size = HEADER + block_size(SCALES, sizeof *scale);
    const uint8_t *from = exact->data + HEADER;
    for (uint32_t k = 0; k < h.blocks; k++) {
        const part p = next_part(&from);
        const size_t width = packed_width(p.what);
        size += width > 0 ? block_size(h.n, width) : block_size(p.bytes, 1);
        if (p.what == BLOCK_POSITION &&
            !find_box((const float *)(const void *)p.values, h.n, exact->grain, scale))
            return NULL;
    }
    blob *b = blob_make(size);
    if (b == NULL) return NULL;
    uint8_t *at = b->data + HEADER;
    double *scales = block(&at, BLOCK_SCALE, TYPE_F64, 1, sizeof scale);
    from = exact->data + HEADER;
    for (uint32_t k = 0; k < h.blocks; k++) {
        const part p = next_part(&from);
        pack_part(&at, &p, h.n, scale);
    }
    memcpy(scales, scale, sizeof scale);
    h.blocks++;
    memcpy(b->data, &h, sizeof h);
    return b;
}
