/* raster.h — filling pixels with discs, rectangles, spheres, boxes and lines. Needs no cairo. */
#ifndef JO_IO_RASTER_H
#define JO_IO_RASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An image the caller owns: rows from the top, 0x00RRGGBB per pixel. Pixel (i, j) covers the square
 * [i, i + 1) x [j, j + 1). */
typedef struct raster {
    int width, height;
    int stride; /* in pixels, from one row to the next */
    uint32_t *pixels;
} raster;

/* Pixels x0 <= x < x1, y0 <= y < y1 may be written; must lie within the image. */
typedef struct window {
    int x0, y0, x1, y1;
} window;

/* A body as seen: everything in pixels, y downwards, depth growing towards the eye. */
typedef struct mark {
    float x, y, depth;
    /* Spheres, discs: the radius, three times; boxes: half the edges on their axes. */
    float half[3];
    uint32_t rgb;
} mark;

/* A straight line with round ends. */
typedef struct stroke {
    float x0, y0, x1, y1;
    float depth; /* of its middle, for the caller's own ordering */
    float width, alpha;
    uint32_t rgb;
} stroke;

/* Cuts the window into bands of rows and calls work(context, memory, y0, y1) once for each, from
 * several threads at once, memory being bytes_per_row for every row. Bands do
 * not depend on the number of threads, so pixels do not either: each belongs to one band, and sees
 * the marks in their order. False: no memory. */
typedef void (*raster_work)(void *context, void *memory, int y0, int y1);
bool jo_raster_bands(window clip, size_t bytes_per_row, raster_work work, void *context);

/* Blends marks seen from above, first to last: discs, or rectangles when `boxes`, which are mostly
 * transparent inside. Those larger than a few pixels get an outline. False: no memory. */
bool jo_raster_flat(raster *image, window clip, const mark *marks, size_t n, bool boxes);

/* Blends lines, first to last. False: no memory. */
bool jo_raster_strokes(raster *image, window clip, const stroke *strokes, size_t n);

/* How solid bodies are lit. */
typedef struct lighting {
    float axes[3][3];         /* row a: the world's axis a in (right, up, towards the eye); boxes */
    float depth_lo, depth_hi; /* the farthest and nearest depth, for haze */
    uint32_t haze;            /* the colour far things tend to */
    float haze_most;          /* how much of it the farthest get, 0 to 1 */
    float typical;            /* a typical radius in pixels: the scale of shadows in crevices */
} lighting;

/* A face of a polyhedron that is seen: corners k of `first` … are at (x, y) = corner[2 k], corner[2
 * k + 1], in either sense, and its depth at (x, y) is depth[0] + depth[1] x + depth[2] y. */
typedef struct facet {
    uint32_t first, count;
    float depth[3], nearest;
    float normal[3]; /* unit, in (right, up, towards the eye) */
    uint32_t rgb;
} facet;

typedef struct facets {
    const facet *facet;
    const float *corner;
    size_t count;
} facets;

/* Draws lit spheres, or boxes, the nearer hiding the farther, for any order of marks: front to back
 * is fastest. depth, where it is not NULL, gets the depth of every pixel of the window, -3e38 where
 * there is nothing. faces may be NULL. False: no memory. */
bool jo_raster_solid(raster *image, window clip, const mark *marks, size_t n, bool boxes,
                     const facets *faces, const lighting *light, float *depth);

#endif
