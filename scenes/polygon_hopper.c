/* polygon_hopper.c — a hopper full of polygonal grains.
 *
 * The outlet is centred at the origin. Walls rise from its ends at the slope to the width of the
 * bin, and then straight up; below the outlet the boundary widens into a chamber into which grains
 * fall (and from which the caller removes them). The outlet is closed by a lid, a thin fixed body,
 * to be removed. Grains lie on rows, far enough apart not to touch, with a small random
 * velocity. */
#include "polygon_hopper.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const double TURN = 6.283185307179586;

hopper_options hopper_default(void)
{
    return (hopper_options){.grains = 400,
                            .neck = 8.0,
                            .slope = 60.0,
                            .friction = 0.3,
                            .restitution = 0.3,
                            .smallest = 0.5,
                            .largest = 1.0,
                            .corners_min = 5,
                            .corners_max = 8,
                            .least_speed = 10.0,
                            .seed = 1};
}

static double uniform(uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15u;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

typedef struct arrays {
    size_t *first;
    double *corners, *v, *boundary;
    uint8_t *fixed;
    double friction, restitution;
} arrays;

static jo_status refuse(jo_error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (error != NULL) {
        error->status = JO_ERR_ARGUMENT;
        vsnprintf(error->text, sizeof error->text, format, args);
    }
    va_end(args);
    return JO_ERR_ARGUMENT;
}

static jo_status check(const hopper_options *o, jo_error *error)
{
    if (o->grains < 1 || o->grains > 100000)
        return refuse(error, "%u grains; a hopper has 1 to 100000", o->grains);
    if (!(o->neck > 0.0) || !(o->slope >= 10.0 && o->slope <= 85.0))
        return refuse(error,
                      "neck %g and slope %g; they must be above 0, and from 10 to 85 degrees",
                      o->neck, o->slope);
    if (!(o->smallest > 0.0) || !(o->largest >= o->smallest))
        return refuse(error, "grains from %g to %g; they must be above 0 and in order", o->smallest,
                      o->largest);
    if (o->corners_min < 3 || o->corners_max < o->corners_min || o->corners_max > 64)
        return refuse(error, "grains of %u to %u corners; they have 3 to 64", o->corners_min,
                      o->corners_max);
    if (o->width > 0.0 && o->width < o->neck + 1.0)
        return refuse(error, "a bin of width %g over a neck of %g", o->width, o->neck);
    return JO_OK;
}

/* One grain around (x, y). Corners at jittered angles of a circle; convex. */
static size_t add_grain(const hopper_options *o, double x, double y, double *p, uint64_t *seed)
{
    const uint32_t n =
        o->corners_min + (uint32_t)(uniform(seed) * (o->corners_max - o->corners_min + 1));
    const double size = o->smallest + (o->largest - o->smallest) * uniform(seed);
    const double phase = TURN * uniform(seed);
    for (uint32_t k = 0; k < n; k++) {
        const double angle = phase + TURN * (k + 0.3 * (2.0 * uniform(seed) - 1.0)) / n;
        p[2 * k] = x + size * cos(angle);
        p[2 * k + 1] = y + size * sin(angle);
    }
    return n;
}

/* Half the width that is free at height y. */
static double half_width(const hopper_options *o, double width, double y)
{
    return fmin(0.5 * width, 0.5 * o->neck + y / tan(o->slope * TURN / 360.0));
}

static double fill(const hopper_options *o, double width, arrays *a, uint64_t *seed)
{
    const double step = 2.1 * o->largest, sine = sin(o->slope * TURN / 360.0);
    uint32_t made = 0;
    double y = 1.5 * o->largest;
    for (; made < o->grains; y += step) {
        const double free = half_width(o, width, y) - 1.05 * o->largest / sine;
        const int places = free < 0.0 ? 0 : 1 + 2 * (int)(free / step);
        for (int k = 0; k < places && made < o->grains; k++, made++) {
            const double x = (k - places / 2) * step;
            a->first[made + 1] =
                a->first[made] + add_grain(o, x, y, a->corners + 2 * a->first[made], seed);
            a->v[2 * made] = 20.0 * uniform(seed) - 10.0;
            a->v[2 * made + 1] = 20.0 * uniform(seed) - 10.0;
        }
    }
    return y;
}

static void add_lid(const hopper_options *o, arrays *a)
{
    const double x = 0.5 * o->neck - 1e-3 * o->smallest;
    const double lid[8] = {-x, -0.5, x, -0.5, x, -0.05, -x, -0.05};
    double *p = a->corners + 2 * a->first[o->grains];
    for (int k = 0; k < 8; k++)
        p[k] = lid[k];
    a->first[o->grains + 1] = a->first[o->grains] + 4;
    a->fixed[o->grains] = 1;
}

jo_status hopper_make(const hopper_options *o, hopper *out, jo_error *error)
{
    const jo_status status = check(o, error);
    if (status != JO_OK) return status;
    const size_t n = o->grains + 1;
    const size_t corners = (size_t)o->grains * o->corners_max + 4;
    arrays *a = calloc(1, sizeof *a + n * (2 * sizeof(size_t) + 3 * sizeof(double) + 1) +
                              (2 * corners + 20) * sizeof(double) + 64);
    if (a == NULL) {
        if (error != NULL) snprintf(error->text, sizeof error->text, "out of memory");
        return JO_ERR_MEMORY;
    }
    a->first = (size_t *)(a + 1);
    a->corners = (double *)(a->first + n + 1);
    a->v = a->corners + 2 * corners;
    a->boundary = a->v + 2 * n;
    a->fixed = (uint8_t *)(a->boundary + 20);
    uint64_t seed = o->seed * 1000003u;
    const double width =
        o->width > 0.0 ? o->width : fmax(o->neck + 4.0, 2.1 * o->largest * sqrt(o->grains));
    const double top = fill(o, width, a, &seed) + 2.0 * o->largest;
    const double shoulder = 0.5 * (width - o->neck) * tan(o->slope * TURN / 360.0);
    const double half = 0.5 * width, neck = 0.5 * o->neck, out_half = neck + 6.0;
    const double high = fmax(top, shoulder + 1.0);
    const double ring[20] = {neck,      0.0,   half,     shoulder, half,     high,      -half,
                             high,      -half, shoulder, -neck,    0.0,      -out_half, -1.0,
                             -out_half, -10.0, out_half, -10.0,    out_half, -1.0};
    for (int k = 0; k < 20; k++)
        a->boundary[k] = ring[k];
    add_lid(o, a);
    a->friction = o->friction;
    a->restitution = o->restitution;
    *out = (hopper){.def = jo_kinetic_def_default(), .lid = o->grains, .top = high, .memory = a};
    out->def.bodies = n;
    out->def.first = a->first;
    out->def.corners = a->corners;
    out->def.v = a->v;
    out->def.fixed = a->fixed;
    out->def.boundary = 10;
    out->def.boundary_corners = a->boundary;
    out->def.friction = &a->friction;
    out->def.restitution = &a->restitution;
    out->def.gravity[1] = -981.0;
    out->def.least_speed = o->least_speed;
    return JO_OK;
}

/* ---- emptying ---- */

static jo_status take_out(jo_kinetic *world, const jo_kinetic_frame *f, uint64_t *gone,
                          uint32_t *out, jo_error *error)
{
    size_t n = 0;
    for (size_t i = 0; i < f->bodies; i++)
        if (!f->fixed[i] && f->x[2 * i + 1] < -1.0) gone[n++] = f->id[i];
    *out += (uint32_t)n;
    return jo_kinetic_remove(world, gone, n, error);
}

/* Grains per second between a fifth and four fifths of all. */
static double rate_of(const hopper_outcome *o, uint32_t grains)
{
    double from = NAN, to = NAN;
    for (size_t k = 0; k < o->points; k++) {
        if (isnan(from) && 5 * o->out[k] >= grains) from = (double)k * o->curve_step;
        if (isnan(to) && 5 * o->out[k] >= 4 * grains) to = (double)k * o->curve_step;
    }
    return 0.6 * grains / (to - from);
}

static jo_status flow(const hopper *h, jo_kinetic *world, double opened, double patience,
                      hopper_watch watch, void *context, hopper_outcome *o, jo_error *error)
{
    const uint32_t grains = (uint32_t)h->lid;
    uint64_t *gone = malloc((grains + 1) * sizeof *gone);
    uint32_t out = 0;
    jo_status status = gone != NULL ? JO_OK : JO_ERR_MEMORY;
    for (int step = 1; status == JO_OK && out < grains; step++) {
        const double time = step * o->curve_step;
        const uint32_t before = out;
        jo_kinetic_frame f;
        status = jo_kinetic_advance(world, opened + time, 0, error);
        if (status == JO_OK) status = jo_kinetic_check(world, error);
        if (status == JO_OK) status = jo_kinetic_look(world, &f, error);
        if (status == JO_OK && watch != NULL && !watch(context, &f, out)) status = JO_ERR_CANCELLED;
        if (status == JO_OK) status = take_out(world, &f, gone, &out, error);
        o->checks++;
        if (out > before) o->emptied = time;
        if (o->points < HOPPER_CURVE) o->out[o->points++] = out;
        if (out < grains && time - o->emptied > patience) {
            o->jammed = true;
            break;
        }
    }
    o->left = grains - out;
    free(gone);
    return status;
}

jo_status hopper_empty(const hopper *h, double settle, double patience, hopper_watch watch,
                       void *context, hopper_outcome *o, jo_error *error)
{
    jo_kinetic *world;
    *o = (hopper_outcome){.curve_step = 0.01};
    jo_status status = jo_kinetic_create(&h->def, &world, error);
    if (status == JO_OK) status = jo_kinetic_advance(world, settle, 0, error);
    if (status == JO_OK) {
        const jo_kinetic_energy e = jo_kinetic_measure(world);
        o->settled = (e.translation + e.rotation) / (double)h->lid;
        status = jo_kinetic_remove(world, &h->lid, 1, error);
    }
    if (status == JO_OK) status = flow(h, world, settle, patience, watch, context, o, error);
    if (status == JO_OK) {
        o->stats = jo_kinetic_statistics(world);
        o->rate = rate_of(o, (uint32_t)h->lid);
    }
    jo_kinetic_destroy(world);
    return status;
}

void hopper_free(hopper *h)
{
    free(h->memory);
    *h = (hopper){0};
}
