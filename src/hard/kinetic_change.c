/* kinetic_change.c — hard polygons: bodies that come and go.
 *
 * A body that is taken out leaves a hole that is triangulated from its surroundings, one that is
 * put in gets its triangles from them (tri_change.c); only these are asked again when they go flat.
 * Where a triangle around is flat at this very instant, as happens when several events fall on it,
 * all is triangulated anew instead.
 *
 * The numbers of a body that is gone, and of its corners, wait until somebody goes through all
 * bodies anyway (jo_kinetic_pack): renaming keeps their order, on which alone results depend.
 * Bodies that come get the next numbers.
 *
 * A place is found by walking from the body with the last number straight to it, through triangles
 * and across solids; where that fails by rounding, by looking at all triangles. Places are computed
 * for the present without moving bodies, so that asking changes nothing. Cost: what is around, and
 * O(sqrt n) for the walk. */
#include <math.h>
#include <string.h>

#include "base/orient.h"
#include "hard/kinetic_see.h"

enum { TRIANGLES_A_DAY = 32 };

/* ---- numbers ---- */

static void move_corner(jo_kinetic *k, uint32_t from, uint32_t to)
{
    memmove(k->local + 2 * (size_t)to, k->local + 2 * (size_t)from, 2 * sizeof *k->local);
    memmove(k->arm + 2 * (size_t)to, k->arm + 2 * (size_t)from, 2 * sizeof *k->arm);
    k->mesh.at[to] = k->mesh.at[from];
}

void jo_kinetic_pack(jo_kinetic *k)
{
    uint32_t bodies = 0, corners = 0, *now = k->owner; /* owners are written anew below */
    if (k->gone == 0) return;
    for (uint32_t i = 0; i < k->bodies; i++) {
        kin_body b = k->body[i];
        if (b.gone) {
            memset(now + b.first, 0xff, b.count * sizeof *now);
            continue;
        }
        const uint32_t from = b.first;
        b.first = corners;
        for (uint32_t c = 0; c < b.count; c++, corners++) {
            if (from != b.first) move_corner(k, from + c, corners);
            now[from + c] = corners;
        }
        if (i == k->boundary) k->boundary = bodies;
        k->ids[bodies] = b.id;
        k->body[bodies++] = b;
    }
    for (uint32_t t = 0; t < k->mesh.count; t++)
        for (int c = 0; c < 3; c++)
            k->mesh.t[t].v[c] = now[k->mesh.t[t].v[c]];
    for (int c = 0; c < 4; c++) { /* those that mean something are there */
        const uint32_t v = k->last.corner[c];
        k->last.corner[c] = v < k->corners && now[v] != TRI_NONE ? now[v] : 0;
    }
    jo_kinetic_rename_touches(k, now);
    k->bodies = bodies;
    k->corners = k->mesh.vertices = corners;
    k->gone = 0;
    for (uint32_t i = 0; i < bodies; i++) {
        const kin_body *b = &k->body[i];
        for (uint32_t v = b->first; v < b->first + b->count; v++) {
            k->owner[v] = i;
            k->next[v] = v + 1 < b->first + b->count ? v + 1 : b->first;
        }
    }
}

/* ---- what was changed ---- */

/* Plans follow their triangles, of which there were `before`; those with other corners are asked
 * anew. */
static jo_status take_over(jo_kinetic *k, const tri_changes *c, uint32_t before, jo_error *error)
{
    for (uint32_t m = 0; m < c->moved_count; m++) {
        const uint32_t from = c->moved[2 * m], to = c->moved[2 * m + 1];
        k->plan[to] = k->plan[from];
        enter_plan(k, to);
    }
    for (uint32_t t = k->mesh.count; t < before; t++)
        k->plan[t].time = k->due[t].meet = k->due[t].leave = (double)INFINITY;
    for (uint32_t m = 0; m < c->changed_count; m++) {
        k->plan[c->changed[m]].time = (double)INFINITY;
        jo_kinetic_predict(k, c->changed[m], false);
    }
    jo_status status = JO_OK;
    for (uint32_t m = 0; m < c->changed_count && status == JO_OK; m++)
        status = jo_kinetic_tidy(k, c->changed[m], error);
    if (k->calendar.failed) return jo_fail_memory(error, k->mesh.count, "the calendar");
    return status;
}

/* ---- out ---- */

/* Corners of all triangles at a body: where they are now. */
static void place_around(jo_kinetic *k, const kin_body *b)
{
    const triangle *tri = k->mesh.t;
    for (uint32_t v = b->first; v < b->first + b->count; v++)
        for (int way = 0; way < 2; way++)
            for (uint32_t t = k->mesh.at[v]; t != TRI_NONE;) {
                for (int c = 0; c < 3; c++) {
                    const uint32_t u = tri[t].v[c];
                    jo_kinetic_bring(k, k->owner[u]);
                    corner_place(k, u, k->seen_place + 2 * (size_t)u);
                }
                const int at = tri_corner(&tri[t], v);
                t = tri[t].n[way == 0 ? TRI_NEXT[at] : TRI_PREVIOUS[at]];
            }
}

/* The last event is not shown any more where one of its corners is gone. */
static void forget_event(jo_kinetic *k, const kin_body *b)
{
    const int corners = k->last.kind == JO_KINETIC_FLIP        ? 4
                        : k->last.kind == JO_KINETIC_COLLISION ? 3
                                                               : 0;
    for (int c = 0; c < corners; c++)
        if (k->last.corner[c] - b->first < b->count) k->last.kind = JO_KINETIC_NOTHING;
}

jo_status jo_kinetic_take_out(jo_kinetic *k, uint32_t i, jo_error *error)
{
    kin_body *b = &k->body[i];
    const uint32_t before = k->mesh.count;
    tri_changes changes;
    jo_error why;
    jo_kinetic_bring(k, i);
    k->stats.lost += jo_kinetic_unpaid(k, i, b->motion.x); /* goes with it */
    place_around(k, b);
    const tri_input in = jo_kinetic_input(k);
    jo_status status = jo_tri_remove(&k->mesh, &in, b->first, b->count, &changes, &why);
    if (status != JO_OK && status != JO_ERR_PHYSICS) return jo_fail(error, status, "%s", why.text);
    forget_event(k, b);
    b->gone = true;
    b->held = false;
    k->gone++;
    k->stats.removed++;
    if (status == JO_ERR_PHYSICS) {
        k->stats.rebuilds++;
        status = jo_kinetic_rebuild(k, error);
    } else {
        status = take_over(k, &changes, before, error);
    }
    if (2 * k->gone > k->bodies) jo_kinetic_pack(k);
    return status;
}

JO_API jo_status jo_kinetic_remove(jo_kinetic *k, const uint64_t *ids, size_t count,
                                   jo_error *error)
{
    for (size_t n = 0; n < count; n++) {
        const uint32_t i = jo_kinetic_find(k, ids[n]);
        if (i == TRI_NONE)
            return jo_fail(error, JO_ERR_ARGUMENT,
                           "body %llu was to be removed, and is not there; %zu others were",
                           (unsigned long long)ids[n], n);
        const jo_status status = jo_kinetic_take_out(k, i, error);
        if (status != JO_OK) return status;
    }
    return JO_OK;
}

/* ---- where ---- */

/* Where corner v is now; nothing is moved. */
static void place_of(const jo_kinetic *k, uint32_t v, double out[2])
{
    const uint32_t i = k->owner[v];
    const kin_body *b = &k->body[i];
    const flat_body *m = motion_of(k, i);
    const double *r = k->local + 2 * (size_t)v, dt = b->still ? 0.0 : k->now - b->clock;
    const double angle = b->still ? 0.0 : b->angle + dt * m->spin, c = cos(angle), s = sin(angle);
    out[0] = m->x[0] + dt * (m->v[0] + 0.5 * dt * m->a[0]) + (c * r[0] - s * r[1]);
    out[1] = m->x[1] + dt * (m->v[1] + 0.5 * dt * m->a[1]) + (s * r[0] + c * r[1]);
}

static void place_corners(const jo_kinetic *k, uint32_t t, double p[3][2])
{
    for (int c = 0; c < 3; c++)
        place_of(k, k->mesh.t[t].v[c], p[c]);
}

static bool is_in(double p[3][2], const double x[2])
{
    return jo_orient(p[0], p[1], x) >= 0.0 && jo_orient(p[1], p[2], x) >= 0.0 &&
           jo_orient(p[2], p[0], x) >= 0.0;
}

static uint32_t search(const jo_kinetic *k, const double x[2])
{
    double p[3][2];
    for (uint32_t t = 0; t < k->mesh.count; t++) {
        place_corners(k, t, p);
        if (is_in(p, x)) return t;
    }
    return TRI_NONE;
}

/* The way from o straight to x, at one of the sides that it crosses: l is on its left, r on its
 * right. */
typedef struct way {
    double o[2], x[2];
    uint32_t t, l, r;
} way;

static double along(const way *w, const double p[2], const double q[2])
{
    const double e[2] = {w->x[0] - w->o[0], w->x[1] - w->o[1]};
    const double f[2] = {q[0] - p[0], q[1] - p[1]}, a[2] = {p[0] - w->o[0], p[1] - w->o[1]};
    return (a[0] * f[1] - a[1] * f[0]) / (e[0] * f[1] - e[1] * f[0]);
}

static bool is_left(const jo_kinetic *k, const way *w, uint32_t v)
{
    double p[2];
    place_of(k, v, p);
    return jo_orient(w->o, w->x, p) >= 0.0;
}

/* Goes through the solid beyond the side from l to r, to where the way leaves it. False: it does
 * not, or not before x; *inside: x is in it. */
static bool cross_solid(const jo_kinetic *k, way *w, bool *inside)
{
    const kin_body *b = &k->body[k->owner[w->l]];
    double p[2], q[2], best = (double)INFINITY;
    uint32_t out = TRI_NONE;
    int side;
    place_of(k, w->l, p);
    place_of(k, w->r, q);
    const double here = along(w, p, q);
    for (uint32_t v = b->first; v < b->first + b->count; v++) {
        const uint32_t u = k->next[v];
        if (is_left(k, w, v) || !is_left(k, w, u)) continue; /* the way does not leave here */
        place_of(k, v, p);
        place_of(k, u, q);
        const double there = along(w, p, q);
        if (there > here && there < best) best = there, out = v;
    }
    *inside = out != TRI_NONE && best > 1.0;
    if (out == TRI_NONE || best > 1.0) return false;
    w->r = out;
    w->l = k->next[out];
    w->t = jo_tri_find_side(&k->mesh, w->l, w->r, &side);
    return w->t != TRI_NONE;
}

/* A side of the first triangle that the way leaves it by; false: x is in it. */
static bool set_out(const jo_kinetic *k, way *w, uint32_t t)
{
    double p[3][2];
    place_corners(k, t, p);
    for (int d = 0; d < 2; d++)
        w->o[d] = (p[0][d] + p[1][d] + p[2][d]) / 3.0;
    w->t = t;
    if (is_in(p, w->x)) return false;
    for (int c = 0; c < 3; c++) {
        const uint32_t a = k->mesh.t[t].v[TRI_NEXT[c]], b = k->mesh.t[t].v[TRI_PREVIOUS[c]];
        if (is_left(k, w, a) || !is_left(k, w, b)) continue;
        w->r = a;
        w->l = b;
    }
    return true;
}

/* The triangle that x lies in; TRI_NONE: it is in a solid. */
static uint32_t locate(const jo_kinetic *k, const double x[2])
{
    way w = {.x = {x[0], x[1]}, .l = TRI_NONE};
    uint32_t last = k->bodies - 1;
    bool inside;
    while (k->body[last].gone || k->mesh.vertices <= k->body[last].first)
        last--; /* one that is in the triangulation */
    if (!set_out(k, &w, k->mesh.at[k->body[last].first])) return w.t;
    if (w.l == TRI_NONE) return search(k, x);
    for (uint32_t step = 0; step < k->mesh.count; step++) {
        const triangle *tri = &k->mesh.t[w.t];
        const int side = tri_side_between(tri, w.l, w.r);
        if (tri->n[side] != TRI_NONE) {
            w.t = tri->n[side];
        } else if (!cross_solid(k, &w, &inside)) {
            return inside ? TRI_NONE : search(k, x);
        }
        double p[3][2];
        place_corners(k, w.t, p);
        if (is_in(p, x)) return w.t;
        tri = &k->mesh.t[w.t];
        const uint32_t apex = tri->v[tri_side_between(tri, w.l, w.r)];
        if (is_left(k, &w, apex))
            w.l = apex;
        else
            w.r = apex;
    }
    return search(k, x);
}

static double distance_to_side(const double x[2], const double p[2], const double q[2])
{
    const double e[2] = {q[0] - p[0], q[1] - p[1]}, r[2] = {x[0] - p[0], x[1] - p[1]};
    double s = (e[0] * r[0] + e[1] * r[1]) / (e[0] * e[0] + e[1] * e[1]);
    s = s > 0.0 ? s < 1.0 ? s : 1.0 : 0.0;
    return hypot(r[0] - s * e[0], r[1] - s * e[1]);
}

/* Triangles that a circle reaches from triangle t on, into k->memory_near; *clear: no mandatory
 * side is among what it reaches. 0: no memory. */
static uint32_t reach(jo_kinetic *k, uint32_t t, const double x[2], double radius, bool *clear)
{
    uint32_t n = 0;
    *clear = true;
    if (!jo_buffer_reserve(&k->memory_near, k->mesh.count, sizeof(uint32_t))) return 0;
    uint32_t *list = k->memory_near.data;
    k->round++;
    k->plan[t].seen = k->round;
    list[n++] = t;
    for (uint32_t m = 0; m < n; m++) {
        double p[3][2];
        place_corners(k, list[m], p);
        for (int c = 0; c < 3; c++) {
            const uint32_t next = k->mesh.t[list[m]].n[c];
            if (next != TRI_NONE && k->plan[next].seen == k->round) continue;
            if (!(distance_to_side(x, p[TRI_NEXT[c]], p[TRI_PREVIOUS[c]]) <= radius)) continue;
            if (next == TRI_NONE) {
                *clear = false;
                continue;
            }
            k->plan[next].seen = k->round;
            list[n++] = next;
        }
    }
    return n;
}

bool jo_kinetic_is_clear(jo_kinetic *k, const double x[2], double radius)
{
    bool clear = false;
    const uint32_t t = locate(k, x);
    return t != TRI_NONE && reach(k, t, x, radius, &clear) > 0 && clear;
}

/* ---- in ---- */

/* Body i, the last, is described but in no triangle yet. */
static jo_status put_in(jo_kinetic *k, uint32_t i, jo_error *error)
{
    const kin_body *b = &k->body[i];
    double first[2], radius = 0.0;
    bool clear;
    corner_place(k, b->first, first);
    for (uint32_t v = b->first; v < b->first + b->count; v++) {
        double *p = k->seen_place + 2 * (size_t)v;
        corner_place(k, v, p);
        radius = fmax(radius, hypot(p[0] - first[0], p[1] - first[1]));
    }
    const uint32_t start = locate(k, first);
    if (start == TRI_NONE)
        return jo_fail(error, JO_ERR_DATA,
                       "body %llu, at (%.9g, %.9g), lies in the solid of another or outside the "
                       "boundary",
                       (unsigned long long)b->id, first[0], first[1]);
    const uint32_t n = reach(k, start, first, 1.000001 * radius + k->gap, &clear);
    if (n == 0) return jo_fail_memory(error, 4 * (size_t)k->mesh.count, "a body");
    for (uint32_t m = 0; m < n; m++)
        for (int c = 0; c < 3; c++) {
            const uint32_t v = k->mesh.t[((uint32_t *)k->memory_near.data)[m]].v[c];
            jo_kinetic_bring(k, k->owner[v]);
            corner_place(k, v, k->seen_place + 2 * (size_t)v);
        }
    tri_changes changes;
    jo_error ignored;
    const tri_input in = jo_kinetic_input(k);
    const uint32_t before = k->mesh.count;
    const jo_status status =
        jo_tri_insert(&k->mesh, &in, b->first, b->count, start, &changes, error);
    const jo_status taken = take_over(k, &changes, before, status == JO_OK ? error : &ignored);
    return status == JO_OK ? taken : status;
}

/* More triangles need more days, or a day would get long. */
static jo_status more_days(jo_kinetic *k, jo_error *error)
{
    if (k->mesh.count <= (uint64_t)TRIANGLES_A_DAY * k->calendar.days) return JO_OK;
    if (!jo_calendar_make(&k->calendar, 4 * k->calendar.days))
        return jo_fail_memory(error, k->mesh.count, "the calendar");
    jo_kinetic_begin_epoch(k, k->calendar.length);
    return JO_OK;
}

static jo_status insert_one(jo_kinetic *k, const jo_kinetic_def *def, size_t which, jo_error *error)
{
    const uint32_t i = k->bodies, corners = k->corners;
    const size_t n = def->first[which + 1] - def->first[which];
    const uint64_t id = def->id != NULL ? def->id[which] : k->next_id;
    if (id < k->next_id && jo_kinetic_find(k, id) != TRI_NONE)
        return jo_fail(error, JO_ERR_DATA, "there is a body %llu already", (unsigned long long)id);
    if (!jo_kinetic_more_room(k, (size_t)i + 1, corners + n + 8))
        return jo_fail_memory(error, 100 * n, "a body");
    jo_status status = jo_kinetic_add_body(k, def, which, i, id, error);
    k->bodies++;
    if (status == JO_OK) status = put_in(k, i, error);
    if (status != JO_OK) {
        k->bodies = i;
        k->corners = corners;
        return status;
    }
    k->next_id = id >= k->next_id ? id + 1 : k->next_id;
    k->turn_most = fmin(k->turn_most, jo_flat_period(1.0, 0.02 * k->gap / k->body[i].radius));
    k->stats.inserted++;
    return more_days(k, error);
}

JO_API jo_status jo_kinetic_insert(jo_kinetic *k, const jo_kinetic_def *def, size_t *inserted,
                                   jo_error *error)
{
    if (inserted != NULL) *inserted = 0;
    for (size_t n = 0; n < def->bodies; n++) {
        const jo_status status = insert_one(k, def, n, error);
        if (status != JO_OK) return status;
        if (inserted != NULL) ++*inserted;
    }
    return JO_OK;
}
