/* kinetic_draw.c — a picture of hard polygons at the end of a run: grains, the triangulation
 * between them, and what happened last, in words as well. */
#include <math.h>
#include <stdio.h>

#include "kinetic_draw.h"

/* What a picture calls the body of a corner. */
static void name_of(const jo_kinetic_frame *f, const jo_scene *scene, size_t corner, char *text,
                    size_t size)
{
    size_t i = 0;
    while (i < f->bodies && f->first[i + 1] <= corner)
        i++;
    if (i == f->bodies)
        snprintf(text, size, "the wall around");
    else if (f->id[i] < JO_POLYGONS_WALL)
        snprintf(text, size, "body %llu", (unsigned long long)f->id[i]);
    else
        snprintf(text, size, "wall '%s'", scene->walls[f->id[i] - JO_POLYGONS_WALL].name);
}

static void tell_event(const jo_kinetic_frame *f, const jo_scene *scene, char *text, size_t size)
{
    const jo_kinetic_event *e = &f->last;
    char one[96], two[96];
    switch (e->kind) {
    case JO_KINETIC_COLLISION:
        name_of(f, scene, e->corner[0], one, sizeof one);
        name_of(f, scene, e->corner[1], two, sizeof two);
        snprintf(text, size, "%s hit %s of %s at %.3g m/s, t = %.7g s", one,
                 e->corner[1] == e->corner[2] ? "a corner" : "an edge", two, e->speed, e->time);
        return;
    case JO_KINETIC_FLIP:
        snprintf(text, size, "a flip, t = %.7g s", e->time);
        return;
    case JO_KINETIC_REST:
        snprintf(text, size, "bodies at rest got their weight, t = %.7g s", e->time);
        return;
    default:
        snprintf(text, size, "nothing yet");
    }
}

/* Pixels, as tall as it is wide. */
static void choose_size(const jo_kinetic_frame *f, jo_kinetic_picture *p)
{
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    for (size_t v = f->corners; v < f->corners + f->boundary; v++)
        for (size_t a = 0; a < 2; a++) {
            lo[a] = fmin(lo[a], f->corner[2 * v + a]);
            hi[a] = fmax(hi[a], f->corner[2 * v + a]);
        }
    const double wide = hi[0] - lo[0], high = hi[1] - lo[1];
    const double most = fmax(wide, high);
    p->width = (int)fmax(560.0, 1000.0 * wide / most);
    p->height = (int)fmax(300.0, 1000.0 * high / most + 40.0);
}

jo_status kinetic_draw(jo_polygons *polygons, const jo_scene *scene, const char *path,
                       jo_error *error)
{
    jo_kinetic_frame f;
    char event[320], title[160], caption[512];
    const jo_status status = jo_polygons_look(polygons, &f, error);
    if (status != JO_OK) return status;
    tell_event(&f, scene, event, sizeof event);
    const bool named = scene->title != NULL && scene->title[0] != '\0';
    snprintf(title, sizeof title, "%.100s%st = %.6g s", named ? scene->title : "",
             named ? ", " : "", f.time);
    snprintf(caption, sizeof caption, "thin: %zu triangles; dark: mandatory edges; last event: %s",
             f.triangles, event);
    jo_kinetic_picture picture = jo_kinetic_picture_default();
    picture.title = title;
    picture.caption = caption;
    picture.event = true;
    choose_size(&f, &picture);
    return jo_kinetic_draw(path, &picture, &f, error);
}
