/* legend.h — what the colours mean, and how long a length is. Only where cairo is. */
#ifndef JO_IO_LEGEND_H
#define JO_IO_LEGEND_H

#include "io/canvas.h"

#ifdef JO_HAVE_CAIRO

#include "io/colouring.h"

#define LEGEND_EMS 3.3 /* its height in units of the text size */

/* In the strip from (x, y) to the right. */
typedef struct legend_place {
    double x, y, width;
    double em;
    double scale; /* pixels per unit of length, for the scale bar; 0: none */
} legend_place;

void jo_legend_draw(canvas *c, const colouring *colours, const char *label, const theme *look,
                    legend_place at);

#endif
#endif
