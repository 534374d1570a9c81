/* viewer_outlines.h — polygons for the page. */
#ifndef CLI_VIEWER_OUTLINES_H
#define CLI_VIEWER_OUTLINES_H

#include "cli.h"

/* Three corners for each of the n - 2 triangles that fill a simple polygon of n corners, which go
 * counter- clockwise; false: no memory. */
bool fill_outline(const double *points, size_t n, uint32_t *corner);

#endif
