/* view.h — where bodies and contacts fall on the picture. Needs no cairo. */
#ifndef JO_IO_VIEW_H
#define JO_IO_VIEW_H

#include "base/memory.h"
#include "io/colouring.h"
#include "io/raster.h"

/* A parallel projection of a box of space onto a window of pixels. */
typedef struct view {
    int dim;
    double lo[3], hi[3];   /* the box: the period on periodic axes, else the bodies' extent */
    bool periodic[3];      /* axes of the box where things end at its faces */
    double from[3], to[3]; /* the part of it that is shown; all of it unless focused */
    bool focused;
    double right[3], up[3], eye[3]; /* unit vectors of the screen; eye points at the viewer */
    double middle[3];               /* is shown at (x, y) */
    double x, y;                    /* pixels */
    double scale;                   /* pixels per unit of length */
    window clip;
    double depth_lo, depth_hi; /* of the box, pixels */
    /* Of bodies: marks are made of those that are JO_NO_SHAPE; NULL: of all. */
    const uint32_t *shape;
} view;

/* Looks at all bodies; azimuth and elevation in degrees, read in 3D. The box fills the window. */
void jo_view_make(view *v, const jo_bodies *bodies, const jo_domain *domain, double azimuth,
                  double elevation);
void jo_view_fit(view *v, window target);

/* Pixels; depth may be NULL. */
void jo_view_project(const view *v, const double point[3], double *x, double *y, double *depth);

/* An array of marks or strokes in a buffer. */
typedef struct marks {
    buffer memory;
    size_t count;
} marks;

/* Every body (in 2D: every image that reaches into the periodic box), ordered for drawing: large
 * before small in 2D, front to back in 3D. False: no memory. */
bool jo_view_marks(const view *v, const jo_bodies *bodies, const colouring *colours, marks *out);

/* The faces of polyhedra that are seen, in buffers of a facet each and of two floats a corner.
 * False: no memory. */
typedef struct face_marks {
    buffer facet, corner;
    size_t count, corners;
} face_marks;
bool jo_view_faces(const view *v, const jo_bodies *bodies, const jo_picture *picture,
                   const colouring *colours, face_marks *out);

/* Shows only the middle of the box, as much of it as holds `keep` contacts; everything if there are
 * not many more than that. Call before jo_view_fit. False: no memory. */
bool jo_view_focus(view *v, const jo_bodies *bodies, jo_pairs contacts, size_t keep);

/* 2D: shows only a window of `edge` around the contact nearest to the middle of the box. Call
 * before jo_view_fit. */
void jo_view_magnify(view *v, const jo_bodies *bodies, jo_pairs contacts, double edge);

/* The colours of lines for contacts. */
typedef struct network {
    colour near_ink, far_ink; /* in 2D all are near */
    bool hide_small;          /* lines fade where a body is smaller than a few pixels */
} network;

/* A line for each contact (of the part that is shown), to the nearest image, ending at the faces of
 * a periodic box; in 3D ordered back to front and paler with distance. False: no memory. */
bool jo_view_strokes(const view *v, const jo_bodies *bodies, jo_pairs contacts, const network *how,
                     marks *out);

#endif
