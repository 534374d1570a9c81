/* surfaces_make.c — a scene's walls as surfaces that hard balls hit.
 *
 * A box that balls are in is its faces as planes; one they are outside of, and meshes, are
 * triangles (2D: segments) with edges and corners, each of these once however many triangles share
 * it. Cylinders and cones are their sides; a closed one that balls are in has planes for ends, one
 * they are outside of discs and rims; an open one is thin: two sides, and rims at its ends. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mix.h"
#include "hard/surfaces.h"
#include "narrow/vec3.h"

static surface *add(surface_list *out)
{
    if (out->count == out->room) {
        const uint32_t room = 2 * out->room + 16;
        surface *list = realloc(out->list, room * sizeof *list);
        if (list == NULL) return NULL;
        out->list = list;
        out->room = room;
    }
    surface *s = &out->list[out->count++];
    *s = (surface){.length = (double)INFINITY};
    return s;
}

static surface *add_for(surface_list *out, const jo_wall *w, uint32_t wall, uint32_t face)
{
    surface *s = add(out);
    if (s == NULL) return NULL;
    s->wall = wall;
    s->face = face;
    s->material = w->material;
    s->motion = w->motion;
    s->from = w->from;
    s->until = w->until;
    const bool shakes = norm3(w->motion.amplitude) > 0.0;
    s->swings = shakes && w->motion.frequency != 0.0;
    s->moves = norm3(w->motion.velocity) > 0.0 || (shakes && !s->swings);
    return s;
}

static bool add_plane(surface_list *out, const jo_wall *w, uint32_t wall, uint32_t face,
                      const double point[3], const double normal[3])
{
    surface *s = add_for(out, w, wall, face);
    if (s == NULL) return false;
    s->kind = SURFACE_PLANE;
    memcpy(s->point, point, sizeof s->point);
    memcpy(s->normal, normal, sizeof s->normal);
    return true;
}

static bool add_box(surface_list *out, const jo_wall *w, uint32_t wall, int dim)
{
    for (int face = 0; face < 2 * dim; face++) {
        double normal[3] = {0};
        normal[face / 2] = face % 2 ? -1.0 : 1.0;
        if (!add_plane(out, w, wall, (uint32_t)face, face % 2 ? w->hi : w->lo, normal))
            return false;
    }
    return true;
}

/* ---- round ones ---- */

static bool add_side(surface_list *out, const jo_wall *w, uint32_t wall, int dim, bool outside,
                     bool thin, double length)
{
    surface *s = add_for(out, w, wall, 0);
    if (s == NULL) return false;
    memcpy(s->point, w->point, sizeof s->point);
    if (dim == 2) {
        s->normal[2] = 1.0;
        s->point[2] = 0.0;
    } else {
        memcpy(s->normal, w->axis, sizeof s->normal);
    }
    s->kind = SURFACE_TUBE;
    s->radius = w->radius;
    s->length = length;
    s->outside = outside;
    s->shell = thin;
    if (w->kind == JO_WALL_CONE) {
        const double wider = w->radius_end - w->radius, side = hypot(wider, w->length);
        s->kind = SURFACE_CONE;
        s->cosine = w->length / side;
        s->sine = wider / side;
    }
    return true;
}

/* One end, 0 or 1, of radius r: closed by a plane (balls are inside) or a disc, or open; a rim, or
 * an apex. */
static bool add_end(surface_list *out, const jo_wall *w, uint32_t wall, int end)
{
    const double r = end == 1 && w->kind == JO_WALL_CONE ? w->radius_end : w->radius;
    double centre[3], inwards[3];
    along3(w->point, end ? w->length : 0.0, w->axis, centre);
    for (int k = 0; k < 3; k++)
        inwards[k] = end ? -w->axis[k] : w->axis[k];
    if (w->caps && !w->outside)
        return r == 0.0 || add_plane(out, w, wall, 1 + (uint32_t)end, centre, inwards);
    for (int rim = 0; rim < 2; rim++) {
        if (!rim && (!w->caps || r == 0.0)) continue;
        surface *s = add_for(out, w, wall, (uint32_t)(1 + 2 * rim + end));
        if (s == NULL) return false;
        s->kind = !rim ? SURFACE_DISC : r > 0.0 ? SURFACE_RIM : SURFACE_CORNER;
        s->radius = r;
        memcpy(s->point, centre, sizeof centre);
        for (int k = 0; k < 3; k++)
            s->normal[k] = -inwards[k];
    }
    return true;
}

/* What is solid is as for the soft engine (narrow/wall_round.c): an endless cylinder and a closed
 * one on the side where the balls are not; open ones are thin. */
static bool add_round(surface_list *out, const jo_wall *w, uint32_t wall, int dim)
{
    if (dim == 2 || isinf(w->length))
        return add_side(out, w, wall, dim, w->outside, false, (double)INFINITY);
    const bool thin = !w->caps;
    if (thin || w->outside)
        if (!add_side(out, w, wall, dim, true, thin, w->length)) return false;
    /* A ball in a closed one is off the ends anyway. */
    if (thin || !w->outside)
        if (!add_side(out, w, wall, dim, false, thin, thin ? w->length : (double)INFINITY))
            return false;
    return add_end(out, w, wall, 0) && add_end(out, w, wall, 1);
}

/* ---- meshes ---- */

/* Which edges and corners are there already: both ends of each, in a table of places by hash. */
typedef struct feature_set {
    double (*ends)[6];
    uint8_t *taken;
    size_t size;
} feature_set;

static bool set_make(feature_set *set, size_t most)
{
    set->size = 64;
    while (set->size < 2 * most)
        set->size *= 2;
    set->ends = malloc(set->size * sizeof *set->ends);
    set->taken = calloc(set->size, 1);
    return set->ends != NULL && set->taken != NULL;
}

static void set_free(feature_set *set)
{
    free(set->ends);
    free(set->taken);
}

/* Whether the segment from a to b, whichever way round, is new; notes it. */
static bool is_new(feature_set *set, const double a[3], const double b[3])
{
    double key[6];
    int order = 0;
    for (int k = 0; k < 3 && order == 0; k++)
        order = a[k] < b[k] ? -1 : a[k] > b[k];
    for (int k = 0; k < 3; k++) { /* + 0.0: a negative zero is a zero */
        key[k] = (order <= 0 ? a : b)[k] + 0.0;
        key[3 + k] = (order <= 0 ? b : a)[k] + 0.0;
    }
    uint64_t words[6], hash = 0;
    memcpy(words, key, sizeof key);
    for (int k = 0; k < 6; k++)
        hash = jo_mix64(hash ^ words[k]);
    size_t at = (size_t)hash & (set->size - 1);
    for (; set->taken[at]; at = (at + 1) & (set->size - 1))
        if (memcmp(set->ends[at], key, sizeof key) == 0) return false;
    set->taken[at] = 1;
    memcpy(set->ends[at], key, sizeof key);
    return true;
}

static bool add_corner(surface_list *out, const jo_wall *w, uint32_t wall, uint32_t face,
                       const double p[3], feature_set *set)
{
    if (!is_new(set, p, p)) return true;
    surface *s = add_for(out, w, wall, face);
    if (s == NULL) return false;
    s->kind = SURFACE_CORNER;
    memcpy(s->point, p, sizeof s->point);
    return true;
}

static bool add_edge(surface_list *out, const jo_wall *w, uint32_t wall, uint32_t face,
                     const double a[3], const double b[3], feature_set *set)
{
    if (!is_new(set, a, b)) return true;
    surface *s = add_for(out, w, wall, face);
    if (s == NULL) return false;
    s->kind = SURFACE_EDGE;
    memcpy(s->point, a, sizeof s->point);
    sub3(b, a, s->along[0]);
    memcpy(s->normal, s->along[0], sizeof s->normal);
    s->length = unit3(s->normal);
    return true;
}

static bool add_triangle(surface_list *out, const jo_wall *w, uint32_t wall, uint32_t face,
                         const double p[9], feature_set *set)
{
    double side[2][3], normal[3];
    sub3(p + 3, p, side[0]);
    sub3(p + 6, p, side[1]);
    cross3(side[0], side[1], normal);
    /* One thinner than rounding is no more than its edges. */
    if (unit3(normal) > 1e-10 * norm3(side[0]) * norm3(side[1])) {
        surface *s = add_for(out, w, wall, face);
        if (s == NULL) return false;
        s->kind = SURFACE_FACE;
        memcpy(s->point, p, sizeof s->point);
        memcpy(s->along, side, sizeof side);
        memcpy(s->normal, normal, sizeof normal);
    }
    for (int k = 0; k < 3; k++)
        if (!add_edge(out, w, wall, face, p + 3 * k, p + 3 * ((k + 1) % 3), set) ||
            !add_corner(out, w, wall, face, p + 3 * k, set))
            return false;
    return true;
}

static bool add_segment(surface_list *out, const jo_wall *w, uint32_t wall, uint32_t face,
                        const double a[2], const double b[2], feature_set *set)
{
    const double one[3] = {a[0], a[1], 0.0}, two[3] = {b[0], b[1], 0.0};
    surface *s = add_for(out, w, wall, face);
    if (s == NULL) return false;
    s->kind = SURFACE_FACE;
    memcpy(s->point, one, sizeof s->point);
    sub3(two, one, s->along[0]);
    s->normal[0] = -s->along[0][1];
    s->normal[1] = s->along[0][0];
    unit3(s->normal);
    return add_corner(out, w, wall, face, one, set) && add_corner(out, w, wall, face, two, set);
}

static bool add_mesh(surface_list *out, const jo_wall *w, uint32_t wall, int dim, feature_set *set)
{
    for (size_t k = 0; k < w->triangle_count; k++) {
        const double *p = w->triangles + (dim == 2 ? 4 : 9) * k;
        const bool fine = dim == 2 ? add_segment(out, w, wall, (uint32_t)k, p, p + 2, set)
                                   : add_triangle(out, w, wall, (uint32_t)k, p, set);
        if (!fine) return false;
    }
    return true;
}

/* A box from outside: its sides cut into triangles. */
static bool add_block(surface_list *out, const jo_wall *w, uint32_t wall, int dim, feature_set *set)
{
    if (dim == 2) {
        const double p[4][2] = {
            {w->lo[0], w->lo[1]}, {w->hi[0], w->lo[1]}, {w->hi[0], w->hi[1]}, {w->lo[0], w->hi[1]}};
        for (uint32_t k = 0; k < 4; k++)
            if (!add_segment(out, w, wall, k, p[k], p[(k + 1) % 4], set)) return false;
        return true;
    }
    for (uint32_t face = 0; face < 6; face++) {
        const int a = (int)face / 2, b = (a + 1) % 3, c = (a + 2) % 3;
        double corner[4][3], triangle[9];
        for (int k = 0; k < 4; k++) {
            corner[k][a] = face % 2 ? w->hi[a] : w->lo[a];
            corner[k][b] = k == 1 || k == 2 ? w->hi[b] : w->lo[b];
            corner[k][c] = k >= 2 ? w->hi[c] : w->lo[c];
        }
        for (int half = 0; half < 2; half++) {
            memcpy(triangle, corner[0], sizeof corner[0]);
            memcpy(triangle + 3, corner[1 + half], sizeof corner[0]);
            memcpy(triangle + 6, corner[2 + half], sizeof corner[0]);
            if (!add_triangle(out, w, wall, face, triangle, set)) return false;
        }
    }
    return true;
}

/* ---- periodic boxes ---- */

/* A ball that lies across a periodic face touches what is near the opposite one: pieces that have
 * ends are there once more, a period away, where that is within half a period of the box. Walls
 * that travel are not repeated: they go where they go. */
static bool add_images(surface_list *out, const jo_scene *scene)
{
    const jo_domain *box = &scene->domain;
    const uint32_t count = out->count;
    for (uint32_t i = 0; i < count; i++)
        for (int code = 1; code < 27; code++) {
            const int way[3] = {code % 3, code / 3 % 3, code / 9};
            double lo[3], hi[3], shift[3];
            bool near = scene->has_box && !out->list[i].moves &&
                        jo_piece_bounds(&out->list[i], scene->dim, lo, hi);
            for (int k = 0; k < 3 && near; k++) {
                const double period = box->hi[k] - box->lo[k];
                shift[k] = way[k] == 1 ? -period : way[k] == 2 ? period : 0.0;
                if (way[k] == 0) continue;
                near = k < scene->dim && box->periodic[k] &&
                       lo[k] + shift[k] < box->hi[k] + 0.5 * period &&
                       hi[k] + shift[k] > box->lo[k] - 0.5 * period;
            }
            if (!near) continue;
            surface *s = add(out);
            if (s == NULL) return false;
            *s = out->list[i];
            for (int k = 0; k < 3; k++) {
                s->point[k] += shift[k];
                s->motion.pivot[k] += shift[k];
            }
        }
    return true;
}

/* ---- what hard balls cannot have ---- */

static bool turns_in_itself(const jo_wall *w, int dim)
{
    double axis[3], across_[3], arm[3];
    if (norm3(w->motion.spin) == 0.0) return true;
    memcpy(axis, w->motion.spin, sizeof axis);
    unit3(axis);
    if (w->kind == JO_WALL_PLANE) {
        cross3(axis, w->normal, across_);
        return norm3(across_) < 1e-9;
    }
    if (w->kind != JO_WALL_CYLINDER && w->kind != JO_WALL_CONE) return false;
    const double z[3] = {0.0, 0.0, 1.0};
    cross3(axis, dim == 2 ? z : w->axis, across_);
    sub3(w->motion.pivot, w->point, arm);
    double off[3];
    cross3(arm, dim == 2 ? z : w->axis, off);
    return norm3(across_) < 1e-9 && norm3(off) < 1e-9 * fmax(w->radius, w->radius_end);
}

static jo_status check_wall(const jo_wall *w, int dim, jo_error *error)
{
    const bool flat = w->kind == JO_WALL_PLANE || (w->kind == JO_WALL_BOX && !w->outside);
    if (w->servo.on)
        return jo_fail(error, JO_ERR_DATA, "wall '%s': engine hard has no servos", w->name);
    if (norm3(w->motion.amplitude) > 0.0 && !flat)
        return jo_fail(
            error, JO_ERR_DATA,
            "wall '%s' swings; with engine hard only planes and boxes that bodies are in "
            "can, others may move with constant velocity",
            w->name);
    if (!turns_in_itself(w, dim))
        return jo_fail(error, JO_ERR_DATA,
                       "wall '%s' turns; with engine hard only planes about their normal, and "
                       "cylinders and cones about their axis, can",
                       w->name);
    return JO_OK;
}

static bool add_wall(surface_list *out, const jo_wall *w, uint32_t wall, int dim)
{
    if (w->kind == JO_WALL_PLANE) return add_plane(out, w, wall, 0, w->point, w->normal);
    if (w->kind == JO_WALL_BOX && !w->outside) return add_box(out, w, wall, dim);
    if (w->kind == JO_WALL_CYLINDER || w->kind == JO_WALL_CONE) return add_round(out, w, wall, dim);
    feature_set set;
    const bool block = w->kind == JO_WALL_BOX;
    const bool fine = set_make(&set, 6 * (block ? 12 : w->triangle_count)) &&
                      (block ? add_block : add_mesh)(out, w, wall, dim, &set);
    set_free(&set);
    return fine;
}

jo_status jo_surfaces_make(const jo_scene *scene, surface_list *out, jo_error *error)
{
    *out = (surface_list){0};
    for (size_t k = 0; k < scene->wall_count; k++) {
        const jo_wall *w = &scene->walls[k];
        const jo_status status = check_wall(w, scene->dim, error);
        if (status != JO_OK) return status;
        if (!add_wall(out, w, (uint32_t)k, scene->dim))
            return jo_fail_memory(error, out->count * sizeof(surface), "walls");
    }
    if (!add_images(out, scene))
        return jo_fail_memory(error, out->count * sizeof(surface), "walls");
    if (out->count >= LOOK_AGAIN - SURFACES)
        return jo_fail(error, JO_ERR_LIMIT, "walls of %u pieces are too many", out->count);
    return JO_OK;
}
