/* solid.c — lit spheres and boxes with hidden surfaces removed.
 *
 * Method: a z-buffer. Every pixel has S × S samples; each sample keeps the depth of the nearest
 * surface so far and which mark it belongs to. Under parallel projection a sphere is a disc on the
 * screen and its surface stands sqrt(r² − dx² − dy²) before its centre; a box is met by a slab test
 * along the line of sight. Only when all marks are in is each sample lit, once, from its mark and
 * depth: colour costs nothing for what is hidden. Marks that come front to back are rejected by one
 * comparison per sample, because the nearest point of the whole body is already behind what is
 * there.
 *
 * Light: a lamp above the viewer's left shoulder (Lambert), some light from everywhere, a small
 * highlight on larger spheres, darker rims so that neighbours part, and haze with distance.
 * Crevices are darkened by unsharp masking of the depth buffer (T. Luft, C. Colditz, O. Deussen,
 * "Image enhancement by unsharp masking the depth buffer", SIGGRAPH 2006): where a pixel lies
 * behind the mean depth around it, it sits in a hollow.
 *
 * A sphere smaller than a sample would fall between samples; it takes the one nearest to its
 * centre.
 *
 * Cost: O(marks × bands) comparisons + O(samples covered); 8 bytes per sample of a band and thread,
 * 8 bytes per pixel of the window for depths. Pixels do not depend on the number of threads. */
#include "io/raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING UINT32_MAX
#define FAR     (-3.0e38f)

typedef struct solid_job {
    raster *image;
    window clip;
    const mark *marks;
    size_t n;
    bool boxes;
    const facets *faces; /* may be NULL; sample ids from n on */
    const lighting *light;
    int samples;  /* per pixel and axis */
    float *depth; /* per pixel of the window */
} solid_job;

/* The samples of a band: sample (i, j) lies at pixel (clip.x0 + (i + 1/2) / S, y0 + (j + 1/2) / S).
 */
typedef struct sample_band {
    float *z;
    uint32_t *id;
    int width, height; /* in samples */
    float x0, y0;      /* of the band, in pixels */
    float per_pixel;   /* S */
} sample_band;

static inline float clamp01(float v)
{
    return v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f;
}

/* The samples whose middles lie in [lo, hi], in sample coordinates, cut to [0, count). */
static inline bool middles(float lo, float hi, int count, int *begin, int *end)
{
    if (!(hi >= 0.5f) || !(lo <= (float)count - 0.5f)) return false;
    *begin = lo <= 0.5f ? 0 : (int)ceilf(lo - 0.5f);
    *end = hi >= (float)count - 0.5f ? count : (int)floorf(hi - 0.5f) + 1;
    return *begin < *end;
}

static void enter_point(const sample_band *b, float x, float y, float z, uint32_t id)
{
    if (!(x >= 0.0f && x < (float)b->width && y >= 0.0f && y < (float)b->height)) return;
    const size_t k = (size_t)y * (size_t)b->width + (size_t)x;
    if (z > b->z[k]) b->z[k] = z, b->id[k] = id;
}

static void enter_sphere(const sample_band *b, const mark *m, uint32_t id)
{
    const float s = b->per_pixel, r = m->half[0] * s;
    const float y = (m->y - b->y0) * s;
    if (y + r < 0.0f || y - r > (float)b->height) return;
    const float x = (m->x - b->x0) * s, z = m->depth * s, nearest = z + r;
    if (r < 0.71f) {
        enter_point(b, x, y, nearest, id);
        return;
    }
    int i0, i1, j0, j1;
    if (!middles(y - r, y + r, b->height, &j0, &j1)) return;
    for (int j = j0; j < j1; j++) {
        const float dy = (float)j + 0.5f - y, left = r * r - dy * dy;
        if (left <= 0.0f) continue;
        const float reach = sqrtf(left);
        if (!middles(x - reach, x + reach, b->width, &i0, &i1)) continue;
        const size_t row = (size_t)j * (size_t)b->width;
        for (int i = i0; i < i1; i++) {
            const size_t k = row + (size_t)i;
            if (nearest <= b->z[k]) continue;
            const float dx = (float)i + 0.5f - x, rest = left - dx * dx;
            const float surface = z + sqrtf(rest > 0.0f ? rest : 0.0f);
            if (surface > b->z[k]) b->z[k] = surface, b->id[k] = id;
        }
    }
}

/* The depth at which the line of sight through (dx, dy) from the centre enters a box with
 * half-edges h, relative to the centre; *axis is the face's. FAR when it misses. */
static float box_surface(const float axes[3][3], const float h[3], float dx, float dy, int *axis)
{
    float enter = 3.0e38f, leave = FAR;
    for (int a = 0; a < 3; a++) {
        /* World coordinate a along the line: base + t * slope. */
        const float base = dx * axes[a][0] + dy * axes[a][1], slope = axes[a][2];
        if (fabsf(slope) < 1e-6f) {
            if (fabsf(base) > h[a]) return FAR;
            continue;
        }
        const float towards = ((slope > 0.0f ? h[a] : -h[a]) - base) / slope;
        const float away = ((slope > 0.0f ? -h[a] : h[a]) - base) / slope;
        if (towards < enter) enter = towards, *axis = a;
        if (away > leave) leave = away;
    }
    return enter >= leave ? enter : FAR;
}

static void enter_box(const sample_band *b, const mark *m, const lighting *light, uint32_t id)
{
    const float s = b->per_pixel, x = (m->x - b->x0) * s, y = (m->y - b->y0) * s, z = m->depth * s;
    float h[3], wide = 0.0f, tall = 0.0f, deep = 0.0f;
    for (int a = 0; a < 3; a++) {
        h[a] = m->half[a] * s;
        wide += h[a] * fabsf(light->axes[a][0]);
        tall += h[a] * fabsf(light->axes[a][1]);
        deep += h[a] * fabsf(light->axes[a][2]);
    }
    enter_point(b, x, y, z + deep, id); /* what is finer than a sample shows at least there */
    int i0, i1, j0, j1, axis = 0;
    if (!middles(y - tall, y + tall, b->height, &j0, &j1)) return;
    if (!middles(x - wide, x + wide, b->width, &i0, &i1)) return;
    for (int j = j0; j < j1; j++)
        for (int i = i0; i < i1; i++) {
            const size_t k = (size_t)j * (size_t)b->width + (size_t)i;
            if (z + deep <= b->z[k]) continue;
            /* The screen's y points down, the world's up. */
            const float surface =
                z + box_surface(light->axes, h, (float)i + 0.5f - x, y - (float)j - 0.5f, &axis);
            if (surface > b->z[k]) b->z[k] = surface, b->id[k] = id;
        }
}

/* Where row y cuts the convex polygon: *x0 to *x1. */
static bool cut_row(const float *corner, uint32_t count, float y, float *x0, float *x1)
{
    *x0 = 3.0e38f, *x1 = -3.0e38f;
    for (uint32_t k = 0; k < count; k++) {
        const float *p = corner + 2 * k, *q = corner + 2 * (k + 1 < count ? k + 1 : 0);
        if ((p[1] > y) == (q[1] > y)) continue;
        const float x = p[0] + (y - p[1]) / (q[1] - p[1]) * (q[0] - p[0]);
        if (x < *x0) *x0 = x;
        if (x > *x1) *x1 = x;
    }
    return *x0 <= *x1;
}

static void enter_facet(const sample_band *b, const facets *faces, size_t which, uint32_t id)
{
    const facet *f = &faces->facet[which];
    const float *corner = faces->corner + 2 * (size_t)f->first, s = b->per_pixel;
    float low = 3.0e38f, high = -3.0e38f;
    for (uint32_t k = 0; k < f->count; k++) {
        if (corner[2 * k + 1] < low) low = corner[2 * k + 1];
        if (corner[2 * k + 1] > high) high = corner[2 * k + 1];
    }
    int j0, j1, i0, i1;
    if (!middles((low - b->y0) * s, (high - b->y0) * s, b->height, &j0, &j1)) return;
    for (int j = j0; j < j1; j++) {
        const float y = b->y0 + ((float)j + 0.5f) / s;
        float x0, x1;
        if (!cut_row(corner, f->count, y, &x0, &x1)) continue;
        if (!middles((x0 - b->x0) * s, (x1 - b->x0) * s, b->width, &i0, &i1)) continue;
        for (int i = i0; i < i1; i++) {
            const size_t k = (size_t)j * (size_t)b->width + (size_t)i;
            const float x = b->x0 + ((float)i + 0.5f) / s;
            const float z = (f->depth[0] + f->depth[1] * x + f->depth[2] * y) * s;
            if (z > b->z[k]) b->z[k] = z, b->id[k] = id;
        }
    }
}

/* The unit normal of the surface at a sample, in (right, up, towards the eye). */
static void normal_at(const solid_job *job, const sample_band *b, const mark *m, float x, float y,
                      float z, float n[3])
{
    const float s = b->per_pixel, dx = x - (m->x - b->x0) * s, dy = (m->y - b->y0) * s - y;
    n[0] = 0.0f, n[1] = 0.0f, n[2] = 1.0f;
    if (job->boxes) {
        const float h[3] = {m->half[0] * s, m->half[1] * s, m->half[2] * s};
        int axis = -1;
        if (box_surface(job->light->axes, h, dx, dy, &axis) <= FAR || axis < 0) return;
        const float sign = job->light->axes[axis][2] < 0.0f ? -1.0f : 1.0f;
        for (int c = 0; c < 3; c++)
            n[c] = sign * job->light->axes[axis][c];
        return;
    }
    const float r = m->half[0] * s;
    if (r < 0.71f) return;
    n[0] = dx / r, n[1] = dy / r, n[2] = (z - m->depth * s) / r;
}

static void light_sample(const solid_job *job, const sample_band *b, int i, int j, float rgb[3])
{
    static const float lamp[3] = {-0.42f, 0.56f, 0.714f};   /* unit */
    static const float half[3] = {-0.227f, 0.302f, 0.926f}; /* between lamp and eye */
    const lighting *light = job->light;
    const size_t k = (size_t)j * (size_t)b->width + (size_t)i;
    const bool face = b->id[k] >= job->n;
    const facet *flat = face ? &job->faces->facet[b->id[k] - job->n] : NULL;
    const mark as_mark = {.rgb = face ? flat->rgb : 0};
    const mark *m = face ? &as_mark : &job->marks[b->id[k]];
    const bool edged = job->boxes || face;
    float n[3];
    if (face)
        memcpy(n, flat->normal, sizeof n);
    else
        normal_at(job, b, m, (float)i + 0.5f, (float)j + 0.5f, b->z[k], n);
    const float lambert = n[0] * lamp[0] + n[1] * lamp[1] + n[2] * lamp[2];
    float shade = 0.46f + 0.60f * (lambert > 0.0f ? lambert : 0.0f);
    if (!edged) shade *= 0.70f + 0.30f * clamp01(n[2] * 1.6f); /* rims part neighbours */
    float shine = n[0] * half[0] + n[1] * half[1] + n[2] * half[2];
    shine = shine > 0.0f && !edged ? shine * shine : 0.0f;
    shine = shine * shine, shine = shine * shine, shine = shine * shine; /* to the 16th */
    shine *= shine * 38.0f * clamp01((m->half[0] - 3.0f) / 9.0f);
    const float spread = light->depth_hi - light->depth_lo;
    const float far = spread > 0.0f ? (light->depth_hi - b->z[k] / b->per_pixel) / spread : 0.0f;
    const float haze = light->haze_most * clamp01(far);
    for (int c = 0; c < 3; c++) {
        const int shift = 16 - 8 * c;
        const float own = (float)(m->rgb >> shift & 255) * shade + shine;
        rgb[c] = (own < 255.0f ? own : 255.0f) * (1.0f - haze) +
                 haze * (float)(light->haze >> shift & 255);
    }
}

/* One pixel from its samples: lit where there is a body, the image as it was where not. */
static void resolve(const solid_job *job, const sample_band *b, int px, int py, uint32_t *pixel,
                    float *depth)
{
    const int s = job->samples;
    float sum[3] = {0.0f, 0.0f, 0.0f}, depths = 0.0f;
    int hits = 0;
    for (int j = py * s; j < (py + 1) * s; j++)
        for (int i = px * s; i < (px + 1) * s; i++) {
            const size_t k = (size_t)j * (size_t)b->width + (size_t)i;
            if (b->id[k] == NOTHING) continue;
            float rgb[3];
            light_sample(job, b, i, j, rgb);
            for (int c = 0; c < 3; c++)
                sum[c] += rgb[c];
            depths += b->z[k];
            hits++;
        }
    *depth = hits > 0 ? depths / (float)hits / b->per_pixel : FAR;
    if (hits == 0) return;
    const float all = (float)(s * s), empty = all - (float)hits;
    uint32_t out = 0;
    for (int c = 0; c < 3; c++) {
        const float v = (sum[c] + empty * (float)(*pixel >> (16 - 8 * c) & 255)) / all;
        out = out << 8 | (uint32_t)(v + 0.5f);
    }
    *pixel = out;
}

static void solid_band(void *context, void *memory, int y0, int y1)
{
    const solid_job *job = context;
    const int pixels = job->clip.x1 - job->clip.x0, s = job->samples;
    sample_band b = {.width = pixels * s,
                     .height = (y1 - y0) * s,
                     .x0 = (float)job->clip.x0,
                     .y0 = (float)y0,
                     .per_pixel = (float)s};
    const size_t count = (size_t)b.width * (size_t)b.height;
    b.z = memory;
    b.id = (uint32_t *)(b.z + count);
    for (size_t k = 0; k < count; k++)
        b.z[k] = FAR, b.id[k] = NOTHING;
    for (size_t k = 0; k < job->n; k++) {
        if (job->boxes)
            enter_box(&b, &job->marks[k], job->light, (uint32_t)k);
        else
            enter_sphere(&b, &job->marks[k], (uint32_t)k);
    }
    for (size_t k = 0; job->faces != NULL && k < job->faces->count; k++)
        enter_facet(&b, job->faces, k, (uint32_t)(job->n + k));
    for (int y = y0; y < y1; y++) {
        uint32_t *row = job->image->pixels + (size_t)y * (size_t)job->image->stride + job->clip.x0;
        float *depth = job->depth + (size_t)(y - job->clip.y0) * (size_t)pixels;
        for (int x = 0; x < pixels; x++)
            resolve(job, &b, x, y - y0, &row[x], &depth[x]);
    }
}

/* ---- shadows in hollows */

/* A running mean over up to 2 R + 1 values of a row; empty pixels count as `none`. */
static void blur_row(const float *from, float *to, int count, int radius, float none)
{
    double sum = 0.0;
    int members = 0;
    for (int i = -radius; i < count; i++) {
        const int in = i + radius, out = i - radius - 1;
        if (in < count) sum += from[in] > FAR ? from[in] : none, members++;
        if (out >= 0) sum -= from[out] > FAR ? from[out] : none, members--;
        if (i >= 0) to[i] = (float)(sum / members);
    }
}

static uint32_t darken(uint32_t rgb, float keep)
{
    const uint32_t r = (uint32_t)((float)(rgb >> 16 & 255) * keep + 0.5f);
    const uint32_t g = (uint32_t)((float)(rgb >> 8 & 255) * keep + 0.5f);
    const uint32_t b = (uint32_t)((float)(rgb & 255) * keep + 0.5f);
    return r << 16 | g << 8 | b;
}

/* Rows are blurred first; the columns' running sums then give the mean around each pixel of a row,
 * which is used at once. */
static void darken_hollows(const solid_job *job, float *blurred, double *sums, int radius)
{
    const int width = job->clip.x1 - job->clip.x0, height = job->clip.y1 - job->clip.y0;
    const float scale = 0.45f / ((float)radius * 1.5f);
    for (int y = 0; y < height; y++)
        blur_row(job->depth + (size_t)y * (size_t)width, blurred + (size_t)y * (size_t)width, width,
                 radius, job->light->depth_lo);
    for (int x = 0; x < width; x++)
        sums[x] = 0.0;
    int members = 0;
    for (int y = -radius; y < height; y++) {
        const int in = y + radius, out = y - radius - 1;
        members += (in < height) - (out >= 0);
        for (int x = 0; x < width; x++) {
            if (in < height) sums[x] += blurred[(size_t)in * (size_t)width + (size_t)x];
            if (out >= 0) sums[x] -= blurred[(size_t)out * (size_t)width + (size_t)x];
        }
        if (y < 0) continue;
        const float *depth = job->depth + (size_t)y * (size_t)width;
        uint32_t *row = job->image->pixels +
                        (size_t)(job->clip.y0 + y) * (size_t)job->image->stride + job->clip.x0;
        for (int x = 0; x < width; x++) {
            if (depth[x] <= FAR) continue;
            const float hollow = ((float)(sums[x] / members) - depth[x]) * scale;
            if (hollow > 0.0f) row[x] = darken(row[x], 1.0f - (hollow < 0.5f ? hollow : 0.5f));
        }
    }
}

bool jo_raster_solid(raster *image, window clip, const mark *marks, size_t n, bool boxes,
                     const facets *faces, const lighting *light, float *depth_out)
{
    const size_t all = n + (faces != NULL ? faces->count : 0);
    const int width = clip.x1 - clip.x0, height = clip.y1 - clip.y0;
    const size_t pixels = width > 0 && height > 0 ? (size_t)width * (size_t)height : 0;
    for (size_t k = 0; depth_out != NULL && all == 0 && k < pixels; k++)
        depth_out[k] = FAR;
    if (pixels == 0 || all == 0) return true;
    float *depth = malloc(2 * pixels * sizeof(float));
    double *sums = malloc((size_t)width * sizeof(double));
    /* Nine samples per pixel give smooth edges; huge images are looked at from afar: four. */
    const int samples = pixels > (size_t)16 << 20 ? 2 : 3;
    solid_job job = {.image = image,
                     .clip = clip,
                     .marks = marks,
                     .n = n,
                     .boxes = boxes,
                     .faces = faces,
                     .light = light,
                     .samples = samples,
                     .depth = depth};
    bool ok = depth != NULL && sums != NULL;
    if (ok) {
        const size_t per_pixel = (size_t)(samples * samples) * (sizeof(float) + sizeof(uint32_t));
        ok = jo_raster_bands(clip, (size_t)width * per_pixel, solid_band, &job);
    }
    if (ok) {
        const float most = 0.02f * (float)(width < height ? width : height);
        float radius = 1.2f * light->typical;
        radius = radius > most ? most : radius;
        darken_hollows(&job, depth + pixels, sums, radius > 2.0f ? (int)radius : 2);
        if (depth_out != NULL) memcpy(depth_out, depth, pixels * sizeof *depth);
    }
    free(depth);
    free(sums);
    return ok;
}
