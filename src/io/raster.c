/* raster.c — discs, rectangles and lines with smooth edges, fast enough for millions.
 *
 * Why not cairo: it builds, flattens and tessellates a path for every arc. Here a disc is a loop
 * over the pixels of its bounding box: a pixel at distance d from the centre is covered by clamp(r
 * + 1/2 − d). Over the plane that sums to pi (r² + 1/12), so r² is lessened by 1/12 and the area
 * comes out right. Discs of less than a pixel would still get a wrong shape by that rule; they are
 * replaced by the square of equal area, whose overlap with each pixel is exact, so that a fog of a
 * million specks has the right density. Lines are capsules: the same rule with the distance from a
 * segment.
 *
 * Blending happens in floating point, because a hundred specks that each cover 1/1000 of a pixel
 * must darken it, which bytes would round away. The image is cut into bands of rows; a band's
 * floating-point copy fits in a few megabytes and threads take bands in turn. Every band looks at
 * every mark (a comparison or two for most), which keeps the order of blending and so the pixels
 * the same for any number of threads.
 *
 * Cost: O(marks × bands) comparisons + O(pixels covered) blends; 12 bytes per pixel of a band and
 * thread. */
#include "io/raster.h"

#include <math.h>
#include <stdlib.h>

#include "base/threads.h"

/* ---- bands */

#define BAND_PIXELS (1 << 20) /* at most in one band */
#define BANDS       16        /* at least: enough to share among threads */

typedef struct band_job {
    window clip;
    size_t bytes_per_row;
    int rows; /* of one band */
    raster_work work;
    void *context;
    bool failed[JO_THREADS_MAX];
} band_job;

static void take_bands(void *context, int t, int threads)
{
    band_job *job = context;
    const window c = job->clip;
    void *memory = malloc(job->bytes_per_row * (size_t)job->rows);
    if (memory == NULL) {
        job->failed[t] = true;
        return;
    }
    for (int y = c.y0 + t * job->rows; y < c.y1; y += threads * job->rows)
        job->work(job->context, memory, y, y + job->rows < c.y1 ? y + job->rows : c.y1);
    free(memory);
}

bool jo_raster_bands(window clip, size_t bytes_per_row, raster_work work, void *context)
{
    const int width = clip.x1 - clip.x0, height = clip.y1 - clip.y0;
    if (width <= 0 || height <= 0) return true;
    band_job job = {.clip = clip, .bytes_per_row = bytes_per_row, .work = work, .context = context};
    /* The bands must not depend on the number of threads: positions are rounded relative to them.
     */
    const int even = (height + BANDS - 1) / BANDS, fit = BAND_PIXELS / width + 1;
    job.rows = even < fit ? even : fit;
    const int threads = jo_threads(0);
    jo_threads_run(threads, take_bands, &job);
    for (int t = 0; t < threads; t++)
        if (job.failed[t]) return false;
    return true;
}

/* ---- a band of pixels in floating point */

typedef struct band {
    float *rgb; /* three floats per pixel, 0 to 255 */
    int x0, x1, y0, y1;
} band;

static void load(const raster *image, const band *b)
{
    float *p = b->rgb;
    for (int y = b->y0; y < b->y1; y++) {
        const uint32_t *row = image->pixels + (size_t)y * (size_t)image->stride;
        for (int x = b->x0; x < b->x1; x++, p += 3) {
            p[0] = (float)(row[x] >> 16 & 255);
            p[1] = (float)(row[x] >> 8 & 255);
            p[2] = (float)(row[x] & 255);
        }
    }
}

static void store(const raster *image, const band *b)
{
    const float *p = b->rgb;
    for (int y = b->y0; y < b->y1; y++) {
        uint32_t *row = image->pixels + (size_t)y * (size_t)image->stride;
        for (int x = b->x0; x < b->x1; x++, p += 3)
            row[x] = (uint32_t)(p[0] + 0.5f) << 16 | (uint32_t)(p[1] + 0.5f) << 8 |
                     (uint32_t)(p[2] + 0.5f);
    }
}

static inline float *pixel_at(const band *b, int x, int y)
{
    return b->rgb + 3 * ((size_t)(y - b->y0) * (size_t)(b->x1 - b->x0) + (size_t)(x - b->x0));
}

static inline void blend(float *p, const float c[3], float alpha)
{
    p[0] += alpha * (c[0] - p[0]);
    p[1] += alpha * (c[1] - p[1]);
    p[2] += alpha * (c[2] - p[2]);
}

static inline void unpack(uint32_t rgb, float c[3])
{
    c[0] = (float)(rgb >> 16 & 255);
    c[1] = (float)(rgb >> 8 & 255);
    c[2] = (float)(rgb & 255);
}

static inline float clamp01(float v)
{
    return v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f;
}

/* The pixels that [lo, hi] touches, cut to [first, last); false when none. The comparisons come
 * before the conversion: a float beyond int's range must not be converted. */
static inline bool span(float lo, float hi, int first, int last, int *begin, int *end)
{
    if (!(hi >= (float)first) || !(lo < (float)last)) return false;
    *begin = lo <= (float)first ? first : (int)lo;
    *end = hi >= (float)(last - 1) ? last : (int)hi + 1;
    return *begin < *end;
}

/* ---- discs and rectangles */

#define OUTLINE_FROM 3.0f /* smaller radii have no outline */

static float outline_width(float r)
{
    const float w = 0.055f * r;
    return w < 0.75f ? 0.75f : (w > 2.0f ? 2.0f : w);
}

/* The share of pixel [i, i + 1) that [lo, hi] covers. */
static inline float overlap(float lo, float hi, int i)
{
    const float a = lo > (float)i ? lo : (float)i, b = hi < (float)(i + 1) ? hi : (float)(i + 1);
    return b > a ? b - a : 0.0f;
}

static void blend_rectangle(const band *b, float x, float y, float hx, float hy, const float c[3],
                            float alpha)
{
    int i0, i1, j0, j1;
    if (!span(y - hy, y + hy, b->y0, b->y1, &j0, &j1)) return;
    if (!span(x - hx, x + hx, b->x0, b->x1, &i0, &i1)) return;
    for (int j = j0; j < j1; j++) {
        const float part = alpha * overlap(y - hy, y + hy, j);
        float *p = pixel_at(b, i0, j);
        for (int i = i0; i < i1; i++, p += 3)
            blend(p, c, part * overlap(x - hx, x + hx, i));
    }
}

static void blend_disc(const band *b, const mark *m)
{
    float c[3];
    unpack(m->rgb, c);
    if (m->half[0] < 1.0f) {
        const float half = 0.886227f * m->half[0]; /* the square of equal area: sqrt(pi) / 2 */
        blend_rectangle(b, m->x, m->y, half, half, c, 1.0f);
        return;
    }
    int i0, i1, j0, j1;
    const float r = sqrtf(m->half[0] * m->half[0] - 1.0f / 12.0f), outer = r + 0.5f;
    if (!span(m->y - outer, m->y + outer, b->y0, b->y1, &j0, &j1)) return;
    const bool outlined = r >= OUTLINE_FROM;
    const float rim = outlined ? r - outline_width(r) - 0.5f : outer; /* where the outline begins */
    const float sure = r - 0.5f;                                      /* full coverage up to here */
    const float dark[3] = {0.42f * c[0], 0.42f * c[1], 0.42f * c[2]};
    for (int j = j0; j < j1; j++) {
        const float dy = (float)j + 0.5f - m->y, left = outer * outer - dy * dy;
        if (left <= 0.0f) continue;
        const float reach = sqrtf(left);
        if (!span(m->x - reach, m->x + reach, b->x0, b->x1, &i0, &i1)) continue;
        float *p = pixel_at(b, i0, j);
        for (int i = i0; i < i1; i++, p += 3) {
            const float dx = (float)i + 0.5f - m->x, d2 = dx * dx + dy * dy;
            if (d2 < rim * rim && d2 < sure * sure && rim > 0.0f) {
                p[0] = c[0], p[1] = c[1], p[2] = c[2];
                continue;
            }
            const float d = sqrtf(d2), t = outlined ? clamp01(d - rim) : 0.0f;
            const float edge[3] = {c[0] + t * (dark[0] - c[0]), c[1] + t * (dark[1] - c[1]),
                                   c[2] + t * (dark[2] - c[2])};
            blend(p, edge, clamp01(outer - d));
        }
    }
}

static void blend_box(const band *b, const mark *m)
{
    float c[3];
    unpack(m->rgb, c);
    const float hx = m->half[0], hy = m->half[1], small = hx < hy ? hx : hy;
    if (small < 1.0f) { /* at least a line as fine as a hair, or a box without height is lost */
        blend_rectangle(b, m->x, m->y, hx > 0.3f ? hx : 0.3f, hy > 0.3f ? hy : 0.3f, c, 0.9f);
        return;
    }
    blend_rectangle(b, m->x, m->y, hx, hy, c, 0.35f);
    const float w = 0.5f * outline_width(small);
    const float dark[3] = {0.7f * c[0], 0.7f * c[1], 0.7f * c[2]};
    for (int side = -1; side <= 1; side += 2) {
        blend_rectangle(b, m->x + (float)side * (hx - w), m->y, w, hy, dark, 1.0f);
        blend_rectangle(b, m->x, m->y + (float)side * (hy - w), hx, w, dark, 1.0f);
    }
}

typedef struct flat_job {
    raster *image;
    window clip;
    const mark *marks;
    const stroke *strokes;
    size_t n;
    bool boxes;
} flat_job;

static void flat_band(void *context, void *memory, int y0, int y1)
{
    const flat_job *job = context;
    const band b = {.rgb = memory, .x0 = job->clip.x0, .x1 = job->clip.x1, .y0 = y0, .y1 = y1};
    load(job->image, &b);
    for (size_t k = 0; k < job->n; k++) {
        if (job->boxes)
            blend_box(&b, &job->marks[k]);
        else
            blend_disc(&b, &job->marks[k]);
    }
    store(job->image, &b);
}

bool jo_raster_flat(raster *image, window clip, const mark *marks, size_t n, bool boxes)
{
    flat_job job = {.image = image, .clip = clip, .marks = marks, .n = n, .boxes = boxes};
    return jo_raster_bands(clip, 3 * sizeof(float) * (size_t)(clip.x1 - clip.x0 + 1), flat_band,
                           &job);
}

/* ---- lines */

/* The x where the line through the stroke crosses height y lies within [lo, hi] widened by what a
 * slanted line of half-width w covers: the row's candidates, so that long lines cost their length
 * and not their bounding box. */
static void row_reach(const stroke *s, float y, float w, float *lo, float *hi)
{
    const float dx = s->x1 - s->x0, dy = s->y1 - s->y0;
    *lo = (s->x0 < s->x1 ? s->x0 : s->x1) - w;
    *hi = (s->x0 < s->x1 ? s->x1 : s->x0) + w;
    if (fabsf(dy) < 1e-3f) return;
    const float slope = dx / dy, centre = s->x0 + (y - s->y0) * slope;
    const float wide = w * sqrtf(1.0f + slope * slope) + 0.5f * fabsf(slope);
    if (centre - wide > *lo) *lo = centre - wide;
    if (centre + wide < *hi) *hi = centre + wide;
}

static void blend_stroke(const band *b, const stroke *s)
{
    /* A line thinner than a pixel is a fainter line one pixel wide. */
    const float width = s->width < 1.0f ? 1.0f : s->width;
    const float alpha = s->width < 1.0f ? s->alpha * s->width : s->alpha, w = 0.5f * width + 0.5f;
    const float top = (s->y0 < s->y1 ? s->y0 : s->y1) - w,
                low = (s->y0 < s->y1 ? s->y1 : s->y0) + w;
    int i0, i1, j0, j1;
    if (!span(top, low, b->y0, b->y1, &j0, &j1)) return;
    float c[3];
    unpack(s->rgb, c);
    const float dx = s->x1 - s->x0, dy = s->y1 - s->y0, length2 = dx * dx + dy * dy;
    const float inverse = length2 > 0.0f ? 1.0f / length2 : 0.0f;
    for (int j = j0; j < j1; j++) {
        const float y = (float)j + 0.5f;
        float lo, hi;
        row_reach(s, y, w, &lo, &hi);
        if (!span(lo, hi, b->x0, b->x1, &i0, &i1)) continue;
        float *p = pixel_at(b, i0, j);
        for (int i = i0; i < i1; i++, p += 3) {
            const float px = (float)i + 0.5f - s->x0, py = y - s->y0;
            const float along = clamp01((px * dx + py * dy) * inverse);
            const float ex = px - along * dx, ey = py - along * dy, d2 = ex * ex + ey * ey;
            if (d2 < w * w) blend(p, c, alpha * clamp01(w - sqrtf(d2)));
        }
    }
}

static void stroke_band(void *context, void *memory, int y0, int y1)
{
    const flat_job *job = context;
    const band b = {.rgb = memory, .x0 = job->clip.x0, .x1 = job->clip.x1, .y0 = y0, .y1 = y1};
    load(job->image, &b);
    for (size_t k = 0; k < job->n; k++)
        blend_stroke(&b, &job->strokes[k]);
    store(job->image, &b);
}

bool jo_raster_strokes(raster *image, window clip, const stroke *strokes, size_t n)
{
    flat_job job = {.image = image, .clip = clip, .strokes = strokes, .n = n};
    return jo_raster_bands(clip, 3 * sizeof(float) * (size_t)(clip.x1 - clip.x0 + 1), stroke_band,
                           &job);
}
