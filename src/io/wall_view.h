/* wall_view.h — walls in pictures: glass with edges. Needs no cairo. */
#ifndef JO_IO_WALL_VIEW_H
#define JO_IO_WALL_VIEW_H

#include "io/palette.h"
#include "io/view.h"

typedef struct seen_triangle {
    double x[3], y[3], depth[3]; /* of its corners, pixels */
    float facing;                /* |cosine| between its normal and the line of sight */
    float lit;                   /* how much of the lamp's light it gets, 0 to 1 */
} seen_triangle;

typedef struct seen_edge {
    double x[2], y[2], depth[2];
} seen_edge;

typedef struct wall_view {
    buffer triangle_memory, edge_memory;
    size_t triangle_count, edge_count; /* triangles are sorted, farthest first */
} wall_view;

/* Projects triangles (9 doubles each; in 2D segments, the last two corners the same) and finds the
 * edges worth a line: rims, creases and outlines. False: no memory. */
bool jo_wall_view_make(wall_view *w, const view *v, const double *triangles, size_t count);
void jo_wall_view_free(wall_view *w);

/* Before the bodies: everything. */
bool jo_wall_view_draw(const wall_view *w, raster *image, window clip, const theme *look,
                       float line_width);

/* After the bodies: a breath of what lies in front of them. depth: of the nearest body, per pixel
 * of the window; anything below -1e38 where there is none. */
bool jo_wall_view_draw_front(const wall_view *w, raster *image, window clip, const theme *look,
                             float line_width, const float *depth);

#endif
