/* paper5.c — D. Müller, Th. M. Liebling: collisions of polygons by a triangulation; the paper's
 * figures and its hopper, reproduced.
 *
 * The paper prints no table: it shows a triangulation (Fig. 1), a flip (Fig. 3) and a hopper that
 * empties (Fig. 4), and says that emptying takes one to five hours on a machine of 100 MHz,
 * depending on slope, neck, shape and the coefficients of friction and restitution. It gives
 * neither the number of grains nor any of these. Ours: convex grains of 5 to 8 corners, 1 to 2 cm
 * across, 400 of them (100 with
 * --quick), one parameter changed at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "polygon_hopper.h"
#include "progress.h"
#include "reproduce.h"

/* ---- pictures ---- */

/* A copy of a frame in one block, with the picture to make of it. */
typedef struct kept_frame {
    jo_kinetic_picture picture;
    jo_kinetic_frame frame;
} kept_frame;

static void *put(char **at, const void *from, size_t bytes)
{
    void *here = *at;
    memcpy(here, from, bytes);
    *at += (bytes + 15) / 16 * 16;
    return here;
}

/* What drawing needs of a frame. NULL when out of memory. */
static kept_frame *keep(const jo_kinetic_frame *f)
{
    const size_t corners = f->corners + f->boundary;
    const size_t bytes =
        f->bodies * 9 + (f->bodies + 1) * sizeof(size_t) + corners * 16 + f->triangles * 13 + 96;
    kept_frame *k = malloc(sizeof *k + bytes + 16);
    if (k == NULL) return NULL;
    char *at = (char *)(k + 1);
    k->picture = jo_kinetic_picture_default();
    k->frame = *f;
    k->frame.id = put(&at, f->id, f->bodies * sizeof *f->id);
    k->frame.first = put(&at, f->first, (f->bodies + 1) * sizeof *f->first);
    k->frame.corner = put(&at, f->corner, 2 * corners * sizeof *f->corner);
    k->frame.triangle = put(&at, f->triangle, 3 * f->triangles * sizeof *f->triangle);
    k->frame.mandatory = put(&at, f->mandatory, f->triangles);
    k->frame.fixed = put(&at, f->fixed, f->bodies);
    k->frame.x = k->frame.v = k->frame.angle = k->frame.spin = k->frame.mass = NULL;
    return k;
}

static jo_status draw(const report_picture *p, const char *path, jo_error *error)
{
    const kept_frame *k = p->drawn;
    jo_kinetic_picture picture = k->picture;
    picture.title = p->title;
    picture.caption = p->caption[0] != '\0' ? p->caption : NULL;
    return jo_kinetic_draw(path, &picture, &k->frame, error);
}

static kept_frame *add_picture(report *out, const jo_kinetic_frame *f, const char *file,
                               const char *title, const char *caption)
{
    kept_frame *k = keep(f);
    report_picture *p = k != NULL ? report_drawing_add(out, file, title, draw, k) : NULL;
    if (p == NULL) {
        out->failed = true;
        return NULL;
    }
    snprintf(p->caption, sizeof p->caption, "%s", caption);
    return k;
}

/* ---- Fig. 1 and 3 ---- */

/* A view around the quadrilateral of a flip. */
static void zoom(kept_frame *k, const jo_kinetic_event *e)
{
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    for (int c = 0; c < 4; c++)
        for (int d = 0; d < 2; d++) {
            const double x = k->frame.corner[2 * (size_t)e->corner[c] + (size_t)d];
            lo[d] = fmin(lo[d], x);
            hi[d] = fmax(hi[d], x);
        }
    const double half = 0.5 * fmax(hi[0] - lo[0], hi[1] - lo[1]) + 1.0;
    for (int d = 0; d < 2; d++) {
        k->picture.lo[d] = 0.5 * (lo[d] + hi[d]) - half;
        k->picture.hi[d] = 0.5 * (lo[d] + hi[d]) + half;
    }
    k->picture.event = true;
}

/* The first flip among grains alone, after the events `from`: how many events to it. */
static jo_status find_flip(jo_kinetic *world, uint64_t *events, jo_kinetic_event *flip,
                           jo_error *error)
{
    for (*events = 1; *events < 20000; ++*events) {
        jo_kinetic_frame f;
        jo_status status = jo_kinetic_advance(world, INFINITY, 1, error);
        if (status == JO_OK) status = jo_kinetic_look(world, &f, error);
        if (status != JO_OK) return status;
        bool small = f.last.kind == JO_KINETIC_FLIP;
        for (int c = 0; c < 4 && small; c++) {
            const double *p = f.corner + 2 * (size_t)f.last.corner[c];
            const double *q = f.corner + 2 * (size_t)f.last.corner[(c + 1) % 4];
            small = f.last.corner[c] < f.corners && hypot(p[0] - q[0], p[1] - q[1]) < 4.0;
        }
        if (!small) continue;
        *flip = f.last;
        return JO_OK;
    }
    return JO_OK;
}

static jo_status figures(report *out, const hopper *h, jo_error *error)
{
    jo_kinetic *world, *again = NULL;
    jo_kinetic_frame f;
    jo_kinetic_event flip = {0};
    uint64_t events = 0;
    jo_status status = jo_kinetic_create(&h->def, &world, error);
    if (status == JO_OK) status = jo_kinetic_look(world, &f, error);
    if (status == JO_OK) {
        report_section(out, "the triangulation (Fig. 1)");
        report_row_add(out, "corners", NAN, (double)(f.corners + f.boundary), "",
                       "grains, lid, walls");
        report_row_add(out, "triangles", NAN, (double)f.triangles, "",
                       "corners + 2 (bodies - 1), by Euler's formula");
        report_row_add(out, "error of the series at 0.1 rad", 1e-7, pow(0.1, 5) / 120.0, "",
                       "of the arm's length; the first term that is left out");
        kept_frame *k = add_picture(out, &f, "fig1-triangulation",
                                    "Fig. 1: a triangulation of the space between the polygons",
                                    "grains, walls and the lid at the start");
        if (k != NULL) k->picture.lo[1] = -1.0, k->picture.hi[1] = h->top;
    }
    if (status == JO_OK) status = find_flip(world, &events, &flip, error);
    if (status == JO_OK && flip.kind == JO_KINETIC_FLIP) {
        status = jo_kinetic_look(world, &f, error);
        kept_frame *after = add_picture(out, &f, "fig3-after", "Fig. 3: after a flip",
                                        "the side that was exchanged, in its quadrilateral");
        if (after != NULL) zoom(after, &flip);
        if (status == JO_OK) status = jo_kinetic_create(&h->def, &again, error);
        if (status == JO_OK && events > 1)
            status = jo_kinetic_advance(again, INFINITY, events - 1, error);
        if (status == JO_OK) status = jo_kinetic_look(again, &f, error);
        kept_frame *before = status == JO_OK
                                 ? add_picture(out, &f, "fig3-before", "Fig. 3: before the flip",
                                               "a corner is about to go through the side")
                                 : NULL;
        if (before != NULL) {
            const uint32_t turned[4] = {flip.corner[1], flip.corner[2], flip.corner[3],
                                        flip.corner[0]};
            before->frame.last = flip;
            memcpy(before->frame.last.corner, turned, sizeof turned);
            zoom(before, &flip);
        }
    }
    jo_kinetic_destroy(again);
    jo_kinetic_destroy(world);
    return status;
}

/* ---- Fig. 4 ---- */

typedef struct trial {
    const char *name;
    double slope, neck, friction, restitution;
} trial;

static const trial trials[] = {
    {"slope 60, neck 10", 60, 10, 0.3, 0.3}, {"neck 8", 60, 8, 0.3, 0.3},
    {"neck 12", 60, 12, 0.3, 0.3},           {"slope 45", 45, 10, 0.3, 0.3},
    {"slope 75", 75, 10, 0.3, 0.3},          {"friction 0", 60, 10, 0.0, 0.3},
    {"friction 0.6", 60, 10, 0.6, 0.3},      {"restitution 0.7", 60, 10, 0.3, 0.7},
};
enum { TRIALS = sizeof trials / sizeof *trials };

/* Keeps the frame in which half of the grains are out. */
typedef struct watcher {
    report *out;
    uint32_t grains;
    double top;
    bool wanted;
    size_t trial;
} watcher;

static bool watch(void *context, const jo_kinetic_frame *f, uint32_t out)
{
    watcher *w = context;
    cli_progress_say("hopper %zu of %d: %u of %u grains are out", w->trial + 1, (int)TRIALS, out,
                     w->grains);
    if (w->wanted && 2 * out >= w->grains) {
        kept_frame *k = add_picture(w->out, f, "fig4-hopper", "Fig. 4: flow in a hopper",
                                    "half of the grains are out");
        if (k != NULL) k->picture.lo[1] = -6.0, k->picture.hi[1] = w->top;
        w->wanted = false;
    }
    return true;
}

static void add_rows(report *out, const trial *t, const hopper_outcome *o, uint32_t grains)
{
    const jo_kinetic_stats *s = &o->stats;
    const double events = (double)(s->flips + s->collisions + s->wall_collisions);
    char name[REPORT_NAME];
    report_section(out, t->name);
    snprintf(name, sizeof name, "%s: time to empty it", t->name);
    report_row_add(out, name, 3600.0, s->seconds, "s", "the paper: one to five hours, at 100 MHz%s",
                   o->jammed ? "; it jammed with grains left" : "");
    snprintf(name, sizeof name, "%s: grains left", t->name);
    report_row_add(out, name, 0.0, o->left, "", "of %u", grains);
    snprintf(name, sizeof name, "%s: simulated time", t->name);
    report_row_add(out, name, NAN, o->emptied, "s",
                   "from the opening of the lid to the last grain");
    if (!isnan(o->rate)) {
        snprintf(name, sizeof name, "%s: discharge", t->name);
        report_row_add(out, name, NAN, o->rate, "grains/s", "between a fifth and four fifths");
    }
    snprintf(name, sizeof name, "%s: collisions", t->name);
    report_row_add(out, name, NAN, (double)(s->collisions + s->wall_collisions), "",
                   "%.0f %% of them slower than the least speed of parting, 10 cm/s",
                   100.0 * (double)s->slow / (double)(s->collisions + s->wall_collisions + 1));
    snprintf(name, sizeof name, "%s: flips", t->name);
    report_row_add(out, name, NAN, (double)s->flips, "", "%.3g events per second of computing",
                   events / s->seconds);
    snprintf(name, sizeof name, "%s: nearest collision", t->name);
    report_row_add(out, name, NAN, s->nearest, "gaps",
                   "no overlap: %llu triangulations checked exactly, all sound",
                   (unsigned long long)o->checks);
}

static jo_status hoppers(report *out, const effort *how, jo_error *error)
{
    const uint32_t grains = how->quick ? 100 : 400;
    report_plot *plot =
        report_plot_add(out, "fig4-outflow", "Grains that have left the hopper",
                        "time since the lid was opened [s]", "grains", false, false);
    if (plot == NULL) return JO_OK;
    const size_t which = (size_t)(plot - out->plots);
    for (size_t k = 0; k < TRIALS; k++) {
        const trial *t = &trials[k];
        hopper_options o = hopper_default();
        hopper h;
        hopper_outcome outcome;
        o.grains = grains;
        o.slope = t->slope;
        o.neck = t->neck;
        o.friction = t->friction;
        o.restitution = t->restitution;
        o.seed = how->seed;
        jo_status status = hopper_make(&o, &h, error);
        if (status != JO_OK) return status;
        watcher w = {out, grains, h.top, k == 0, k};
        status = hopper_empty(&h, 0.4, 1.0, watch, &w, &outcome, error);
        hopper_free(&h);
        if (status != JO_OK) return status;
        add_rows(out, t, &outcome, grains);
        for (size_t p = 0; p < outcome.points && !out->failed; p += 2)
            report_point(out, &out->plots[which], t->name, (double)(p + 1) * outcome.curve_step,
                         outcome.out[p]);
    }
    return JO_OK;
}

jo_status reproduce_paper5(report *out, const effort *how, jo_error *error)
{
    hopper_options o = hopper_default();
    hopper h;
    o.grains = 60;
    o.neck = 10.0;
    o.seed = how->seed;
    jo_status status = hopper_make(&o, &h, error);
    if (status != JO_OK) return status;
    status = figures(out, &h, error);
    hopper_free(&h);
    if (status == JO_OK) status = hoppers(out, how, error);
    report_finding(out,
                   "Equations (4a) and (4b) of the paper carry signs that do not follow from (3a) "
                   "and (3b), and (2b) has a t too many; the series here is derived anew.");
    report_finding(out, "A period of one thousandth of a second for everything is not needed: each "
                        "triangle is looked at as far ahead as its bodies' spins allow.");
    return status;
}
