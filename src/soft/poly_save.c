/* poly_save.c — what polyhedra add to a saved state, and back.
 *
 * Bodies and pairs are saved as they lie in memory, for what they remember decides bits to come;
 * kinds as shape and radius, from which they are made anew in the same order. Nothing read back is
 * trusted to index an array. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "scene/saved.h"
#include "soft/poly.h"

size_t jo_poly_save_bytes(const jo_soft *soft)
{
    return soft->poly->on ? 16 * soft->poly->kind_count + 64 : 0;
}

void jo_poly_save(jo_soft *soft, void *room, jo_chunk *chunks, size_t *count)
{
    const poly_world *p = soft->poly;
    if (!p->on) return;
    double *kinds = room;
    for (size_t k = 0; k < p->kind_count; k++) {
        kinds[2 * k] = p->kinds[k].of;
        kinds[2 * k + 1] = p->kinds[k].radius;
    }
    add_chunk(chunks, count, "poly_kinds", JO_CHUNK_F64, 2 * p->kind_count, kinds);
    add_chunk(chunks, count, "poly_slots", JO_CHUNK_U32, soft->s.n, p->slot.data);
    add_chunk(chunks, count, "poly_bodies", JO_CHUNK_U8, p->slots * sizeof(poly_body),
              p->bodies.data);
    add_chunk(chunks, count, "poly_pairs", JO_CHUNK_U8, p->pair_count * sizeof(poly_pair),
              p->pairs.data);
    add_chunk(chunks, count, "poly_surfaces", JO_CHUNK_U8, SURFACE_UNIT * p->surface_units,
              p->surfaces.data);
}

static size_t elements(const source *from, const char *name)
{
    for (size_t k = 0; k < from->count; k++)
        if (strcmp(from->chunks[k].name, name) == 0) return from->chunks[k].count;
    return 0;
}

static void read_kinds(source *from, jo_soft *soft)
{
    const size_t n = elements(from, "poly_kinds") / 2;
    const double *kinds = want(from, "poly_kinds", JO_CHUNK_F64, 2 * n);
    for (size_t k = 0; k < n && from->status == JO_OK; k++) {
        uint32_t made;
        if (!(kinds[2 * k] >= 0 && kinds[2 * k] < (double)soft->poly->shape_count) ||
            !(kinds[2 * k + 1] > 0 && kinds[2 * k + 1] < JO_COORDINATE_MAX)) {
            wrong(from, "a body has a shape that the scene does not have");
            return;
        }
        from->status =
            jo_poly_kind(soft, (uint32_t)kinds[2 * k], kinds[2 * k + 1], &made, from->error);
        if (from->status == JO_OK && made != k) wrong(from, "a shape is there twice");
    }
}

static void read_slots(source *from, jo_soft *soft)
{
    poly_world *p = soft->poly;
    const size_t n = soft->s.n, bytes = elements(from, "poly_bodies");
    const uint32_t *slots = want(from, "poly_slots", JO_CHUNK_U32, n);
    const void *bodies = want(from, "poly_bodies", JO_CHUNK_U8, bytes);
    if (from->status != JO_OK) return;
    p->slots = bytes / sizeof(poly_body);
    if (bytes % sizeof(poly_body) != 0 || p->slots < n) {
        wrong(from, "polyhedra are missing");
        return;
    }
    if (!jo_buffer_reserve(&p->bodies, p->slots + 1, sizeof(poly_body))) {
        from->status = jo_fail_memory(from->error, bytes, "bodies");
        return;
    }
    if (bytes > 0) memcpy(p->bodies.data, bodies, bytes);
    for (size_t k = 0; k < p->slots && from->status == JO_OK; k++) {
        poly_body *b = poly_bodies(p) + k;
        b->index = UINT32_MAX;
        const double square =
            b->q[0] * b->q[0] + b->q[1] * b->q[1] + b->q[2] * b->q[2] + b->q[3] * b->q[3];
        if ((b->kind != NO_KIND && b->kind >= p->kind_count) || !(fabs(square - 1) < 1e-6) ||
            !isfinite(b->spin[0] + b->spin[1] + b->spin[2]))
            wrong(from, "a body's orientation, spin or shape cannot be right");
    }
    for (size_t i = 0; i < n && from->status == JO_OK; i++) {
        if (slots[i] >= p->slots || poly_bodies(p)[slots[i]].index != UINT32_MAX) {
            wrong(from, "a body has no shape or another one's");
            return;
        }
        ((uint32_t *)p->slot.data)[i] = slots[i];
        poly_bodies(p)[slots[i]].index = (uint32_t)i;
    }
}

static bool feature_fine(jo_feature f, const jo_polyhedron *shape)
{
    const jo_polyhedron_view v = jo_polyhedron_look(shape);
    switch (f.kind) {
    case JO_FEATURE_NONE:
        return true;
    case JO_FEATURE_VERTEX:
        return f.index < v.vertices;
    case JO_FEATURE_EDGE:
        return f.index < 2 * v.edges;
    case JO_FEATURE_FACE:
        return f.index < v.faces;
    default:
        return false;
    }
}

static bool tangent_fine(const poly_world *w, const poly_pair *p)
{
    if (poly_tangent(w, p) == NULL) return true;
    return p->kind != PAIR_SPHERE && (size_t)p->tangent + TANGENT_UNITS <= w->surface_units;
}

/* What a pair keeps of the surface between it and `other`, which is NULL for a piece of a wall. */
static bool kept_fine(const poly_world *w, const poly_pair *p, const jo_polyhedron *a,
                      const jo_polyhedron *other)
{
    if (p->kept == 0) return p->room == 0;
    if (p->kind == PAIR_SPHERE || (size_t)p->kept + p->room > w->surface_units) return false;
    const poly_piece *piece = other == NULL ? &w->walls[p->b].pieces[p->piece] : NULL;
    return jo_press_kept_fine(
        poly_kept(w, p), SURFACE_UNIT * (size_t)p->room, jo_polyhedron_look(a).faces,
        piece != NULL ? 1 + (size_t)piece->rim_count : jo_polyhedron_look(other).faces,
        piece != NULL ? piece->part_count : 0);
}

static bool pair_fine(const jo_soft *soft, const poly_pair *p)
{
    const poly_world *w = soft->poly;
    const poly_body *bodies = poly_bodies(w);
    if (p->a >= w->slots || bodies[p->a].index == UINT32_MAX || bodies[p->a].kind == NO_KIND)
        return false;
    const jo_polyhedron *other = NULL;
    if (p->kind == PAIR_WALL) {
        if (p->b >= soft->wall_count) return false;
        other = w->walls[p->b].solid;
        if (other == NULL && p->piece >= w->walls[p->b].count) return false;
    } else {
        if (p->kind > PAIR_WALL || p->b >= w->slots || bodies[p->b].index == UINT32_MAX)
            return false;
        if ((p->kind == PAIR_SPHERE) != (bodies[p->b].kind == NO_KIND)) return false;
        if (p->kind == PAIR_BODIES) other = w->kinds[bodies[p->b].kind].shape;
    }
    const jo_polyhedron *shape = w->kinds[bodies[p->a].kind].shape;
    return p->touching <= 1 && feature_fine(p->features.a, shape) &&
           (other == NULL || feature_fine(p->features.b, other)) && kept_fine(w, p, shape, other) &&
           tangent_fine(w, p);
}

static void read_surfaces(source *from, jo_soft *soft)
{
    poly_world *w = soft->poly;
    const size_t bytes = elements(from, "poly_surfaces");
    const void *surfaces = want(from, "poly_surfaces", JO_CHUNK_U8, bytes);
    if (from->status != JO_OK) return;
    w->surface_units = bytes / SURFACE_UNIT;
    if (!jo_buffer_reserve(&w->surfaces, w->surface_units + 1, SURFACE_UNIT)) {
        from->status = jo_fail_memory(from->error, bytes, "contacts of polyhedra");
        return;
    }
    memset(w->surfaces.data, 0, SURFACE_UNIT);
    if (bytes > 0) memcpy(w->surfaces.data, surfaces, SURFACE_UNIT * w->surface_units);
    if (w->surface_units == 0) w->surface_units = 1;
}

static void read_pairs(source *from, jo_soft *soft)
{
    poly_world *w = soft->poly;
    const size_t bytes = elements(from, "poly_pairs");
    const void *pairs = want(from, "poly_pairs", JO_CHUNK_U8, bytes);
    if (from->status != JO_OK) return;
    if (bytes % sizeof(poly_pair) != 0) {
        wrong(from, "pairs of polyhedra are cut off");
        return;
    }
    w->pair_count = bytes / sizeof(poly_pair);
    if (!jo_buffer_reserve(&w->pairs, w->pair_count + 1, sizeof(poly_pair))) {
        from->status = jo_fail_memory(from->error, bytes, "neighbour lists");
        return;
    }
    if (bytes > 0) memcpy(w->pairs.data, pairs, bytes);
    for (size_t k = 0; k < w->pair_count && from->status == JO_OK; k++)
        if (!pair_fine(soft, (const poly_pair *)w->pairs.data + k))
            wrong(from, "a pair names a body, wall or feature that does not exist");
    if (from->status != JO_OK) w->pair_count = 0;
}

jo_status jo_poly_restore(jo_soft *soft, const jo_chunk *chunks, size_t count, jo_error *error)
{
    source from = {chunks, count, error, JO_OK};
    if (!soft->poly->on) return JO_OK;
    read_kinds(&from, soft);
    if (from.status == JO_OK) read_slots(&from, soft);
    if (from.status == JO_OK) read_surfaces(&from, soft);
    if (from.status == JO_OK) read_pairs(&from, soft);
    return from.status;
}
