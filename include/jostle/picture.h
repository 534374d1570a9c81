/* jostle/picture.h — pictures of bodies and contacts, and plots.
 *
 * Everything is drawn to a PNG, SVG or PDF by the path's extension (bodies are an image in any of
 * them; "-" and devices get a PNG).
 * Without cairo the functions return JO_ERR_UNSUPPORTED; jo_pictures_available() tells. */
#ifndef JOSTLE_PICTURE_H
#define JOSTLE_PICTURE_H

#include "jostle/broad.h"

#ifdef __cplusplus
extern "C" {
#endif

JO_API bool jo_pictures_available(void);

typedef enum jo_colour_by { JO_COLOUR_SIZE, JO_COLOUR_CONTACTS, JO_COLOUR_INDEX } jo_colour_by;

typedef struct jo_picture {
    int width, height;       /* pixels, 16 to 16384; default 1200 x 1200 */
    const char *title;       /* may be NULL */
    const char *caption;     /* a line below the picture; may be NULL */
    jo_colour_by colour;     /* default JO_COLOUR_CONTACTS */
    bool draw_contacts;      /* default true: a line between the centres of touching bodies */
    bool dark;               /* default false */
    double azimuth, elevation; /* 3D: where the eye is, degrees; default 35, 25 */
} jo_picture;

JO_API jo_picture jo_picture_default(void);

/* Draws spheres, discs or boxes and their contacts. domain may be NULL; a
 * periodic domain is drawn as a frame. Any number of bodies: 10^6 take a few seconds. */
JO_API jo_status jo_picture_write(const char *path, const jo_picture *picture,
                                  const jo_bodies *bodies, const jo_domain *domain, jo_pairs contacts,
                                  jo_error *error);

/* One line (or set of points, or of bars) of a plot. NaN values are gaps. */
typedef struct jo_series {
    const char *name;
    size_t n;
    const double *x, *y;
    const double *error; /* half-height of error bars; may be NULL */
    bool dashed;         /* for models and other people's numbers */
    bool points_only;
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

#ifdef __cplusplus
}
#endif
#endif
