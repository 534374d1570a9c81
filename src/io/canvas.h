/* canvas.h — a cairo surface that ends up as a PNG, SVG or PDF file. Only where cairo is. */
#ifndef JO_IO_CANVAS_H
#define JO_IO_CANVAS_H

#include "io/palette.h"
#include "jostle/base.h"

#ifdef JO_HAVE_CAIRO

#include <cairo.h>

#include "io/output.h"

typedef struct canvas {
    cairo_surface_t *surface;
    cairo_t *cr;
    int width, height; /* pixels, or points in SVG and PDF */
    bool is_png;
    bool in_memory;   /* there is no file */
    const char *path; /* the caller's */
    output file;
} canvas;

/* Opens by the path's extension. Says at once when the path cannot be written, before any work.
 * JO_ERR_ARGUMENT (extension, size), JO_ERR_IO, JO_ERR_MEMORY. On failure nothing is left over. */
jo_status jo_canvas_open(canvas *c, const char *path, int width, int height, jo_error *error);

/* A canvas without a file: end it with jo_canvas_pixels or jo_canvas_discard. */
jo_status jo_canvas_open_memory(canvas *c, int width, int height, jo_error *error);
/* Copies what was drawn, 3 bytes per pixel, and frees the canvas. */
jo_status jo_canvas_pixels(canvas *c, uint8_t *rgb, jo_error *error);

/* Completes the file and puts it in place. Always frees the canvas; on failure the old file, if
 * there was one, is as it was. */
jo_status jo_canvas_finish(canvas *c, jo_error *error);

/* Frees the canvas and writes nothing. */
void jo_canvas_discard(canvas *c);

void jo_canvas_colour(canvas *c, colour k);

/* How a text is placed against its point: 0 left, top; 0.5 middle; 1 right, bottom. Vertical
 * positions refer to the height of capital letters, so that numbers sit beside their ticks. */
typedef struct placement {
    double across, down;
    double angle;     /* radians, clockwise; the text turns about its point */
    double max_width; /* > 0: shrunk to three quarters at most, then cut with an ellipsis */
    bool bold;
} placement;

/* Any bytes are fine; those that are not UTF-8 become question marks. */
void jo_canvas_text(canvas *c, const char *text, double x, double y, double size, placement how);
double jo_canvas_text_width(canvas *c, const char *text, double size, bool bold);

#endif
#endif
