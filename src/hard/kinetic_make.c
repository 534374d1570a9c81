/* kinetic_make.c — hard polygons: creating, and triangulating anew.
 *
 * A body's corners are kept about its centre of mass, counter-clockwise; mass and moment of inertia
 * are those of a plate. The boundary is one more body, which never moves and goes clockwise.
 *
 * What the caller leaves open is chosen here: the gap, the least speed of parting, and how far
 * ahead triangles are looked at. The series' error must stay well below the gap: that bounds the
 * angle that a body may turn until its triangles are looked at again. Cost: O(n log n) in the
 * number of corners. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hard/kinetic.h"

enum { TRIANGLES_PER_DAY = 8 };

JO_API jo_kinetic_def jo_kinetic_def_default(void)
{
    return (jo_kinetic_def){.materials = 1};
}

/* ---- shapes ---- */

typedef struct plate {
    double area, centre[2], second; /* second: moment of area about the centre */
} plate;

/* Area below 0: the corners go clockwise. */
static plate measure(const double *p, size_t n)
{
    plate s = {0};
    double first[2] = {0, 0}, second = 0.0;
    for (size_t i = 0; i < n; i++) {
        const size_t j = (i + 1) % n;
        const double ax = p[2 * i] - p[0], ay = p[2 * i + 1] - p[1];
        const double bx = p[2 * j] - p[0], by = p[2 * j + 1] - p[1];
        const double c = ax * by - ay * bx;
        s.area += 0.5 * c;
        first[0] += c * (ax + bx) / 6.0;
        first[1] += c * (ay + by) / 6.0;
        second += c * (ax * ax + ax * bx + bx * bx + ay * ay + ay * by + by * by) / 12.0;
    }
    const double x = first[0] / s.area, y = first[1] / s.area;
    s.centre[0] = p[0] + x;
    s.centre[1] = p[1] + y;
    s.second = second - s.area * (x * x + y * y);
    return s;
}

static jo_status check_corners(const double *p, size_t n, const char *what, unsigned long long id,
                               jo_error *error)
{
    if (n < 3)
        return jo_fail(error, JO_ERR_DATA, "%s %llu has %zu corners; a polygon has at least three",
                       what, id, n);
    for (size_t i = 0; i < 2 * n; i++)
        if (!(fabs(p[i]) < 1e100))
            return jo_fail(error, JO_ERR_DATA, "corner %zu of %s %llu has the coordinate %g", i / 2,
                           what, id, p[i]);
    const plate s = measure(p, n);
    if (!(fabs(s.area) > 0.0) || !isfinite(s.area))
        return jo_fail(error, JO_ERR_DATA, "%s %llu has no area", what, id);
    return JO_OK;
}

/* Corners of body i, turned round where they go the wrong way. */
static void add_corners(jo_kinetic *k, uint32_t i, const double *p, size_t n, bool turn_round,
                        const double centre[2])
{
    kin_body *b = &k->body[i];
    b->first = k->corners;
    b->count = (uint32_t)n;
    for (size_t c = 0; c < n; c++) {
        const double *from = p + 2 * (turn_round ? n - 1 - c : c);
        const uint32_t v = k->corners++;
        for (int d = 0; d < 2; d++)
            k->local[2 * (size_t)v + d] = k->arm[2 * (size_t)v + d] = from[d] - centre[d];
        b->radius = fmax(b->radius, hypot(k->local[2 * (size_t)v], k->local[2 * (size_t)v + 1]));
        k->owner[v] = i;
        k->next[v] = c + 1 < n ? v + 1 : b->first;
    }
}

jo_status jo_kinetic_add_body(jo_kinetic *k, const jo_kinetic_def *def, size_t which, uint32_t i,
                              uint64_t id, jo_error *error)
{
    const double *p = def->corners + 2 * def->first[which];
    const size_t n = def->first[which + 1] - def->first[which];
    kin_body *b = &k->body[i];
    *b = (kin_body){.clock = k->now, .since = k->now};
    b->id = k->ids[i] = id;
    const jo_status status = check_corners(p, n, "body", b->id, error);
    if (status != JO_OK) return status;
    const plate s = measure(p, n);
    const double density = def->density != NULL ? def->density[which] : 1.0;
    const bool fixed = def->fixed != NULL && def->fixed[which];
    flat_body *m = &b->motion;
    b->mass = density * fabs(s.area);
    b->inertia = density * fabs(s.second);
    b->material = def->material != NULL ? def->material[which] : 0;
    if (!(b->mass > 0.0) || !isfinite(b->mass) || !(b->inertia > 0.0))
        return jo_fail(error, JO_ERR_DATA,
                       "body %llu has mass %g and moment of inertia %g; both must "
                       "be above 0",
                       (unsigned long long)b->id, b->mass, b->inertia);
    if (b->material >= k->materials)
        return jo_fail(error, JO_ERR_DATA, "body %llu has material %u; there are %u",
                       (unsigned long long)b->id, b->material, k->materials);
    if (def->spin != NULL) m->spin = def->spin[which];
    for (int d = 0; d < 2; d++) {
        if (def->v != NULL) m->v[d] = def->v[2 * which + (size_t)d];
        m->a[d] = fixed ? 0.0 : k->gravity[d];
    }
    if (!isfinite(m->v[0]) || !isfinite(m->v[1]) || !isfinite(m->spin))
        return jo_fail(error, JO_ERR_DATA, "body %llu has a velocity or spin that is not finite",
                       (unsigned long long)b->id);
    b->still =
        fixed && def->fixed[which] != 2 && m->v[0] == 0.0 && m->v[1] == 0.0 && m->spin == 0.0;
    b->inverse_mass = fixed ? 0.0 : 1.0 / b->mass;
    b->inverse_inertia = fixed ? 0.0 : 1.0 / b->inertia;
    const double nowhere[2] = {0.0, 0.0}, *centre = b->still ? nowhere : s.centre;
    m->x[0] = centre[0];
    m->x[1] = centre[1];
    add_corners(k, i, p, n, s.area < 0.0, centre);
    return JO_OK;
}

static jo_status add_boundary(jo_kinetic *k, const jo_kinetic_def *def, jo_error *error)
{
    const double nowhere[2] = {0.0, 0.0};
    const uint32_t i = k->boundary;
    if (def->boundary == 0)
        return jo_fail(error, JO_ERR_DATA, "there is no boundary; bodies need one around them");
    const jo_status status =
        check_corners(def->boundary_corners, def->boundary, "boundary", 0, error);
    if (status != JO_OK) return status;
    if (def->boundary_material >= def->materials)
        return jo_fail(error, JO_ERR_DATA, "the boundary has material %u; there are %zu",
                       def->boundary_material, def->materials);
    k->body[i] = (kin_body){.still = true, .id = UINT64_MAX, .material = def->boundary_material};
    k->ids[i] = UINT64_MAX;
    add_corners(k, i, def->boundary_corners, def->boundary,
                measure(def->boundary_corners, def->boundary).area > 0.0, nowhere);
    return JO_OK;
}

/* ---- parameters ---- */

static jo_status read_materials(jo_kinetic *k, const jo_kinetic_def *def, jo_error *error)
{
    const size_t n = def->materials * def->materials;
    for (size_t i = 0; i < n; i++) {
        k->friction[i] = def->friction != NULL ? def->friction[i] : 0.0;
        k->restitution[i] = def->restitution != NULL ? def->restitution[i] : 1.0;
        if (!(k->friction[i] >= 0.0) || !isfinite(k->friction[i]))
            return jo_fail(error, JO_ERR_DATA, "friction %g; it must be 0 or above and finite",
                           k->friction[i]);
        if (!(k->restitution[i] >= 0.0 && k->restitution[i] <= 1.0))
            return jo_fail(error, JO_ERR_DATA, "restitution %g; it must be from 0 to 1",
                           k->restitution[i]);
    }
    return JO_OK;
}

static void choose(jo_kinetic *k, const jo_kinetic_def *def)
{
    double size = 0.0, speed = 0.0, largest = 0.0;
    const uint32_t n = k->bodies - 1;
    for (uint32_t i = 0; i < n; i++) {
        const kin_body *b = &k->body[i];
        if (b->still) continue;
        const flat_body *m = &b->motion;
        size += b->radius / n;
        speed += (hypot(m->v[0], m->v[1]) + b->radius * fabs(m->spin)) / n;
        largest = fmax(largest, b->radius);
    }
    if (!(size > 0.0)) size = largest = def->size > 0.0 ? def->size : 1.0;
    const double fall = sqrt(2.0 * hypot(def->gravity[0], def->gravity[1]) * size);
    const double typical = fall > 0.0 ? fmax(fall, speed) : speed > 0.0 ? speed : 1.0;
    k->gap = def->gap > 0.0 ? def->gap : 1e-9 * size;
    k->least_speed = def->least_speed > 0.0 ? def->least_speed
                     : fall > 0.0           ? 0.1 * fall
                                            : 1e-3 * typical;
    k->period = def->period > 0.0 ? def->period : size / typical;
    jo_kinetic_choose_rest(k, size);
    k->turn_most = jo_flat_period(1.0, 0.02 * k->gap / largest);
    k->method = def->roots == JO_KINETIC_STURM   ? FLAT_STURM
                : def->roots == JO_KINETIC_EXACT ? FLAT_EXACT
                                                 : FLAT_FAST;
}

static jo_status check_def(const jo_kinetic_def *def, jo_error *error)
{
    const double *g = def->gravity;
    if (def->materials < 1 || def->materials > 1024)
        return jo_fail(error, JO_ERR_ARGUMENT, "%zu materials; there are 1 to 1024",
                       def->materials);
    if (!isfinite(g[0]) || !isfinite(g[1]))
        return jo_fail(error, JO_ERR_ARGUMENT, "gravity is (%g, %g); it must be finite", g[0],
                       g[1]);
    if (!(def->gap >= 0.0) || !(def->least_speed >= 0.0) || !(def->period >= 0.0))
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "gap %g, least speed %g and period %g: none may be below 0", def->gap,
                       def->least_speed, def->period);
    if (def->bodies > 1u << 24 || (def->bodies > 0 && def->first[def->bodies] > 1u << 27))
        return jo_fail(error, JO_ERR_LIMIT, "%zu bodies; there can be %u with %u corners in all",
                       def->bodies, 1u << 24, 1u << 27);
    return JO_OK;
}

/* ---- creating ---- */

/* Arrays get longer: zeroed where they are new. */
static bool lengthen(void *array, size_t from, size_t to, size_t size)
{
    void **pointer = array, *larger = realloc(*pointer, to * size);
    if (larger == NULL) return false;
    memset((char *)larger + from * size, 0, (to - from) * size);
    *pointer = larger;
    return true;
}

static bool lengthen_all(jo_kinetic *k, size_t n, size_t corners, size_t triangles)
{
    const size_t n0 = k->room_bodies, c0 = k->room_corners, t0 = k->room_triangles;
    if (!lengthen(&k->body, n0, n, sizeof *k->body) ||
        !lengthen(&k->member, n0, n, sizeof *k->member) ||
        !lengthen(&k->ids, n0, n, sizeof *k->ids) ||
        !lengthen(&k->local, 2 * c0, 2 * corners, sizeof *k->local) ||
        !lengthen(&k->arm, 2 * c0, 2 * corners, sizeof *k->arm) ||
        !lengthen(&k->owner, c0, corners, sizeof *k->owner) ||
        !lengthen(&k->next, c0, corners, sizeof *k->next) ||
        !lengthen(&k->seen_place, 2 * c0, 2 * corners, sizeof *k->seen_place) ||
        !lengthen(&k->plan, t0, triangles, sizeof *k->plan) ||
        !lengthen(&k->due, t0, triangles, sizeof *k->due) ||
        !lengthen(&k->order, t0, triangles, sizeof *k->order))
        return false;
    for (size_t t = t0; t < triangles; t++) {
        k->order[t] = t;
        k->plan[t].time = k->due[t].meet = k->due[t].leave = (double)INFINITY;
    }
    k->room_bodies = n;
    k->room_corners = corners;
    k->room_triangles = triangles;
    k->calendar.plans = k->due;
    k->calendar.id = k->order;
    return true;
}

bool jo_kinetic_more_room(jo_kinetic *k, size_t n, size_t corners)
{
    if (n <= k->room_bodies && corners <= k->room_corners) return true;
    if (n < 2 * k->room_bodies) n = 2 * k->room_bodies;
    if (corners < 2 * k->room_corners) corners = 2 * k->room_corners;
    return lengthen_all(k, n, corners, corners + 2 * n);
}

bool jo_kinetic_make_room(jo_kinetic *k, size_t n, size_t corners, size_t materials)
{
    const size_t tables = materials * materials;
    const size_t triangles = corners + 2 * n;
    k->friction = calloc(tables, sizeof *k->friction);
    k->restitution = calloc(tables, sizeof *k->restitution);
    return k->friction != NULL && k->restitution != NULL &&
           lengthen_all(k, n, corners, triangles) &&
           jo_calendar_make(&k->calendar, (uint32_t)(triangles / TRIANGLES_PER_DAY));
}

static jo_status fill(jo_kinetic *k, const jo_kinetic_def *def, jo_error *error)
{
    const size_t corners = (def->bodies > 0 ? def->first[def->bodies] : 0) + def->boundary;
    if (!jo_kinetic_make_room(k, def->bodies + 1, corners, def->materials))
        return jo_fail_memory(error, def->bodies * sizeof *k->body, "hard polygons");
    k->bodies = (uint32_t)def->bodies + 1;
    k->boundary = (uint32_t)def->bodies;
    k->materials = (uint32_t)def->materials;
    memcpy(k->gravity, def->gravity, sizeof k->gravity);
    jo_status status = read_materials(k, def, error);
    for (uint32_t i = 0; i < def->bodies && status == JO_OK; i++) {
        const uint64_t id = def->id != NULL ? def->id[i] : i;
        k->next_id = id >= k->next_id ? id + 1 : k->next_id;
        status = jo_kinetic_add_body(k, def, i, i, id, error);
    }
    if (status == JO_OK) status = add_boundary(k, def, error);
    if (status != JO_OK) return status;
    choose(k, def);
    k->stats.nearest = (double)INFINITY;
    k->calendar.length = ldexp(1.0, ilogb(k->period));
    return jo_kinetic_rebuild(k, error);
}

JO_API jo_status jo_kinetic_create(const jo_kinetic_def *def, jo_kinetic **world, jo_error *error)
{
    *world = NULL;
    jo_status status = check_def(def, error);
    if (status != JO_OK) return status;
    jo_kinetic *k = calloc(1, sizeof *k);
    if (k == NULL) return jo_fail_memory(error, sizeof *k, "hard polygons");
    status = fill(k, def, error);
    if (status != JO_OK) {
        jo_kinetic_destroy(k);
        return status;
    }
    *world = k;
    return JO_OK;
}

JO_API void jo_kinetic_destroy(jo_kinetic *k)
{
    if (k == NULL) return;
    free(k->body);
    free(k->member);
    free(k->local);
    free(k->arm);
    free(k->owner);
    free(k->next);
    free(k->seen_place);
    free(k->ids);
    free(k->plan);
    free(k->due);
    free(k->order);
    free(k->friction);
    free(k->restitution);
    jo_tri_free(&k->mesh);
    jo_calendar_free(&k->calendar);
    jo_buffer_free(&k->memory_touch);
    jo_buffer_free(&k->memory_contacts);
    jo_buffer_free(&k->memory_rest);
    jo_buffer_free(&k->memory_look);
    jo_buffer_free(&k->memory_saved);
    jo_buffer_free(&k->memory_near);
    free(k);
}

/* ---- triangulating ---- */

tri_input jo_kinetic_input(const jo_kinetic *k)
{
    return (tri_input){.vertices = k->corners,
                       .place = k->seen_place,
                       .next = k->next,
                       .owner = k->owner,
                       .ids = k->ids,
                       .boundary = k->boundary};
}

jo_status jo_kinetic_rebuild(jo_kinetic *k, jo_error *error)
{
    jo_kinetic_pack(k);
    for (uint32_t i = 0; i < k->bodies; i++)
        jo_kinetic_bring(k, i);
    for (uint32_t v = 0; v < k->corners; v++)
        corner_place(k, v, k->seen_place + 2 * (size_t)v);
    const tri_input in = jo_kinetic_input(k);
    jo_status status = jo_tri_make(&k->mesh, &in, error);
    if (status != JO_OK) return status;
    for (uint32_t t = 0; t < k->room_triangles; t++)
        k->plan[t].time = (double)INFINITY;
    jo_kinetic_begin_epoch(k, k->calendar.length);
    for (uint32_t t = 0; t < k->mesh.count; t++)
        jo_kinetic_predict(k, t, false);
    if (k->calendar.failed) return jo_fail_memory(error, k->mesh.count, "the calendar");
    for (uint32_t t = 0; t < k->mesh.count && status == JO_OK; t++)
        status = jo_kinetic_tidy(k, t, error);
    return status;
}
