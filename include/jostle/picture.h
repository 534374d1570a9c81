/* jostle/picture.h — pictures of bodies and contacts, and plots.
 *
 * Everything is drawn to a PNG, SVG or PDF by the path's extension (bodies are an image in any of
 * them; "-" and devices get a PNG).
 * Without cairo the functions return JO_ERR_UNSUPPORTED; jo_pictures_available() tells. */
#ifndef JOSTLE_PICTURE_H
#define JOSTLE_PICTURE_H

#include "jostle/broad.h"
#include "jostle/polyhedron.h"

#ifdef __cplusplus
extern "C" {
#endif

JO_API bool jo_pictures_available(void);

typedef enum jo_colour_by {
    JO_COLOUR_SIZE,
    JO_COLOUR_CONTACTS,
    JO_COLOUR_INDEX,
    JO_COLOUR_VALUE, /* the picture's `values` */
    JO_COLOUR_KIND   /* the picture's `kinds`: one colour for each */
} jo_colour_by;

typedef struct jo_picture {
    int width, height;         /* pixels, 16 to 16384; default 1200 x 1200 */
    const char *title;         /* may be NULL */
    const char *caption;       /* a line below the picture; may be NULL */
    jo_colour_by colour;       /* default JO_COLOUR_CONTACTS */
    bool draw_contacts;        /* default true: a line between the centres of touching bodies */
    bool dark;                 /* default false */
    double azimuth, elevation; /* 3D: where the eye is, degrees; default 35, 25 */
    const double *values;      /* JO_COLOUR_VALUE: one for each body; NaN: grey */
    const char *value_name;    /* for the legend; may be NULL */
    double value_lo, value_hi; /* ends of the colours; both 0 (default): those of the values */
    const uint32_t *counts;    /* JO_COLOUR_CONTACTS: contacts per body; NULL (default): counted */
    const uint32_t *kinds;     /* JO_COLOUR_KIND: below kind_count, one for each body */
    const char *const *kind_names; /* of each kind, for the legend */
    size_t kind_count;
    /* 3D: bodies that are polyhedra, as jo_frame has them; NULL (default): none. Others are drawn
     * as spheres. All radii are of spheres around bodies. */
    const uint32_t *shape;
    const double *q;
    const jo_polyhedron *const *shapes;
    const size_t *outline_first; /* 2D: bodies that are polygons, as jo_frame has them; NULL
                                    (default): none */
    const double *outline, *angle;
    /* 2D: 4 each, as jo_frame has them: drawn as thin lines; NULL (default): none. */
    const double *sides;
    size_t side_count;
    uint32_t event_points; /* 2D: what happened last, as jo_frame has it; default 0 */
    double event[8];
    const double *walls; /* triangles, 9 doubles each (2D: segments, the last corner unread) */
    size_t wall_count;   /* how many; default 0 */
    bool has_bounds;     /* show [bounds_lo, bounds_hi] on axes that are not periodic instead of */
    double bounds_lo[3], bounds_hi[3]; /* all bodies and walls: a camera that does not move */
} jo_picture;

JO_API jo_picture jo_picture_default(void);

/* Draws spheres, discs or boxes and their contacts. domain may be NULL; a
 * periodic domain is drawn as a frame. Any number of bodies: 10^6 take a few seconds. */
JO_API jo_status jo_picture_write(const char *path, const jo_picture *picture,
                                  const jo_bodies *bodies, const jo_domain *domain,
                                  jo_pairs contacts, jo_error *error);

/* The same into memory: 3 bytes (red, green, blue) per pixel, rows from the top. */
JO_API jo_status jo_picture_pixels(uint8_t *rgb, const jo_picture *picture, const jo_bodies *bodies,
                                   const jo_domain *domain, jo_pairs contacts, jo_error *error);

/* One line (or set of points, or of bars) of a plot. NaN values are gaps. */
typedef struct jo_series {
    const char *name;
    size_t n;
    const double *x, *y;
    const double *error; /* half-height of error bars; may be NULL */
    bool dashed;         /* for models and other people's numbers */
    bool points_only;
    bool line_only; /* no markers: for curves of many points */
} jo_series;

typedef struct jo_plot {
    const char *title, *subtitle; /* may be NULL */
    const char *x_label, *y_label;
    bool x_log, y_log;
    const jo_series *series;
    size_t n_series;
    const char *const *x_names; /* not NULL: a grouped bar chart, x is 0, 1, 2 … with these names */
    size_t n_x_names;
    int width, height; /* 0: 900 x 600 */
} jo_plot;

JO_API jo_status jo_plot_write(const char *path, const jo_plot *plot, jo_error *error);

/* Several plots in rows on one page. */
typedef struct jo_panels {
    const char *title, *subtitle; /* may be NULL */
    const jo_plot *plots;         /* their own widths and heights are not read */
    size_t count;
    size_t columns;    /* plots in a row; 0: chosen */
    int width, height; /* of the page; 0: chosen */
} jo_panels;

JO_API jo_status jo_panels_write(const char *path, const jo_panels *panels, jo_error *error);

#ifdef __cplusplus
}
#endif
#endif
