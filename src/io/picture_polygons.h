/* picture_polygons.h — bodies that are polygons, drawn over the page. */
#ifndef JO_IO_PICTURE_POLYGONS_H
#define JO_IO_PICTURE_POLYGONS_H

#include "io/canvas.h"
#include "io/colouring.h"
#include "io/view.h"

#ifdef JO_HAVE_CAIRO

/* Walls, sides of triangles, bodies with their outlines, and what happened last, inside of the
 * view's clip. */
void jo_picture_polygons(canvas *c, const view *v, const jo_picture *picture,
                         const jo_bodies *bodies, const colouring *colours, const theme *look);

#endif
#endif
