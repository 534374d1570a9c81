/* poly_lists.c — pairs in which a polyhedron takes part: who is near whom, carried over from list
 * to list.
 *
 * Made together with the engine's lists, from the same search: spheres around bodies closer than
 * the skin; with `sweep` found by boxes. Of those, polyhedra are kept whose boxes, as wide as the
 * skin, overlap; the boxes come from extreme vertices, each found by climbing from the one before,
 * in constant time on the average. Within a list a pair that was seen to be apart sleeps until
 * bodies have moved by as much. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "scene/poly.h"
#include "soft/poly.h"

/* How much nearer two bodies (a body and a wall) can have come since lists were made. */
double jo_poly_moved(const jo_soft *soft, uint32_t kind)
{
    return kind == PAIR_WALL ? soft->travel + soft->wall_travel + soft->poly->turned
                             : soft->apart + soft->shear_travel + 2 * soft->poly->turned;
}

static int by_names(const void *p, const void *q)
{
    const poly_pair *a = p, *b = q;
    const bool wall_a = a->kind == PAIR_WALL, wall_b = b->kind == PAIR_WALL;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    if (wall_a != wall_b) return wall_a ? 1 : -1;
    if (a->b != b->b) return a->b < b->b ? -1 : 1;
    return a->piece < b->piece ? -1 : a->piece > b->piece;
}

static bool add_pair(poly_world *w, const poly_pair *pair)
{
    if (!jo_buffer_grow(&w->spare, w->pair_count * sizeof *pair, w->pair_count + 1, sizeof *pair))
        return false;
    ((poly_pair *)w->spare.data)[w->pair_count++] = *pair;
    return true;
}

void jo_poly_box(const jo_polyhedron *shape, const double turn[9], uint32_t extreme[6],
                 double lo[3], double hi[3])
{
    for (int k = 0; k < 6; k++) {
        const double sign = k % 2 ? 1 : -1, *m = turn + 3 * (k / 2);
        const double d[3] = {sign * m[0], sign * m[1], sign * m[2]};
        extreme[k] = poly_climb(shape, d, extreme[k] < shape->nv ? extreme[k] : 0);
        const double *p = shape->points + 3 * (size_t)extreme[k];
        const double far = d[0] * p[0] + d[1] * p[1] + d[2] * p[2];
        if (k % 2)
            hi[k / 2] = far;
        else
            lo[k / 2] = -far;
    }
}

void jo_poly_boxes(jo_soft *soft)
{
    poly_world *w = soft->poly;
    for (size_t i = 0; i < soft->s.n && w->on; i++) {
        poly_body *b = poly_bodies(w) + poly_slots(w)[i];
        const double r = soft->s.x[4 * i + 3];
        for (int k = 0; k < 3; k++) {
            b->lo[k] = -r;
            b->hi[k] = r;
        }
        if (b->kind != NO_KIND)
            jo_poly_box(w->kinds[b->kind].shape, b->pose.turn, b->extreme, b->lo, b->hi);
    }
}

/* Paper 3's scheme: boxes around polyhedra in lists that stay sorted from one search to the
 * next. */
bool jo_poly_search_boxes(const jo_soft *soft)
{
    return soft->poly->on && !soft->s.box.sheared && strcmp(soft->scene.broad, "sweep") == 0;
}

/* Boxes of all bodies, wider by half of what lists reach beyond contact. They have room of their
 * own: that of the forces holds the map of a sort. */
jo_status jo_poly_boxes_to_search(jo_soft *soft, double beyond, jo_bodies *bodies, jo_error *error)
{
    const view *s = &soft->s;
    if (!jo_buffer_reserve(&soft->poly->boxes, 6 * s->n, sizeof(double)))
        return jo_fail_memory(error, 48 * s->n, "boxes");
    double *box = soft->poly->boxes.data;
    for (size_t i = 0; i < s->n; i++) {
        const poly_body *b = poly_bodies(soft->poly) + poly_slots(soft->poly)[i];
        for (size_t a = 0; a < 3; a++) {
            box[6 * i + a] = s->x[4 * i + a] + b->lo[a] - 0.5 * beyond;
            box[6 * i + 3 + a] = s->x[4 * i + a] + b->hi[a] + 0.5 * beyond;
        }
    }
    *bodies = (jo_bodies){.shape = JO_BOXES,
                          .dim = s->dim,
                          .n = s->n,
                          .x = {box, box + 1, box + 2},
                          .upper = {box + 3, box + 4, box + 5},
                          .x_stride = 6,
                          .r_stride = 1};
    return JO_OK;
}

/* Whether the spheres around two bodies are no farther apart than lists reach, as the searches by
 * spheres ask it. */
bool jo_poly_within_reach(const jo_soft *soft, size_t i, size_t j)
{
    const view *s = &soft->s;
    const double *x = s->x + 4 * i, *y = s->x + 4 * j;
    const double half = 0.5 * (soft->skin + s->reach), far = (x[3] + half) + (y[3] + half);
    double d2 = 0;
    for (int a = 0; a < s->dim; a++) {
        double d = x[a] - y[a];
        if (s->box.periodic[a]) d -= s->box.size[a] * nearbyint(d * s->box.inverse[a]);
        d2 += d * d;
    }
    return d2 <= far * far;
}

/* Whether boxes, wider by the skin, overlap. */
static bool boxes_near(const jo_soft *soft, size_t i, size_t j)
{
    const poly_world *w = soft->poly;
    const box4 *box = &soft->s.box;
    const poly_body *a = poly_bodies(w) + poly_slots(w)[i], *b = poly_bodies(w) + poly_slots(w)[j];
    if (box->sheared) return true;
    for (int k = 0; k < 3; k++) {
        double d = soft->s.x[4 * i + k] - soft->s.x[4 * j + k];
        if (box->periodic[k]) d -= box->size[k] * nearbyint(d * box->inverse[k]);
        if (d + a->hi[k] + soft->skin < b->lo[k] || d + a->lo[k] - soft->skin > b->hi[k])
            return false;
    }
    return true;
}

static bool add_bodies(jo_soft *soft, size_t i, size_t j)
{
    poly_world *w = soft->poly;
    const uint32_t *slot = poly_slots(w);
    uint32_t a = slot[i], b = slot[j];
    const bool poly_a = poly_bodies(w)[a].kind != NO_KIND,
               poly_b = poly_bodies(w)[b].kind != NO_KIND;
    if (!poly_a && !poly_b) return true;
    if (soft->s.v[4 * i + 3] == 0 && soft->s.v[4 * j + 3] == 0) return true;
    /* Boxes meet sooner than spheres at their corners. Listed then, a pair would start from other
     * features, and touch with other last digits than with other searches. */
    if (jo_poly_search_boxes(soft) && !jo_poly_within_reach(soft, i, j)) return true;
    if (!boxes_near(soft, i, j)) return true;
    if ((poly_a && poly_b && a > b) || !poly_a) {
        const uint32_t swap = a;
        a = b;
        b = swap;
    }
    const poly_pair pair = {.a = a, .b = b, .kind = poly_a && poly_b ? PAIR_BODIES : PAIR_SPHERE};
    return add_pair(w, &pair);
}

static bool add_walls(jo_soft *soft, size_t i)
{
    poly_world *w = soft->poly;
    uint32_t found[256];
    bool sides[256];
    const double *x = soft->s.x + 4 * i;
    for (size_t k = 0; k < soft->wall_count; k++) {
        const wall_pose *pose = &soft->live[k].now;
        double from[3], local[3];
        for (int a = 0; a < 3; a++)
            from[a] = x[a] - pose->pivot[a] - pose->displacement[a];
        for (int a = 0; a < 3; a++)
            local[a] = pose->rotation[a] * from[0] + pose->rotation[3 + a] * from[1] +
                       pose->rotation[6 + a] * from[2] + pose->pivot[a];
        uint32_t *pieces = found;
        bool *behind = sides;
        const double reach = x[3] + soft->skin;
        const size_t room = sizeof found / sizeof *found;
        const size_t n = jo_poly_walls_near(soft, k, local, reach, pieces, room);
        if (n > room) {
            pieces = malloc(n * (sizeof *pieces + sizeof *behind));
            if (pieces == NULL) return false;
            behind = (bool *)(pieces + n);
            jo_poly_walls_near(soft, k, local, reach, pieces, n);
        }
        bool fine = true;
        jo_poly_walls_sides(soft, k, local, pieces, n, behind);
        for (size_t c = 0; c < n && fine; c++) {
            const poly_pair pair = {.a = poly_slots(w)[i],
                                    .b = (uint32_t)k,
                                    .piece = pieces[c],
                                    .behind = behind[c],
                                    .kind = PAIR_WALL};
            fine = add_pair(w, &pair);
        }
        if (pieces != found) free(pieces);
        if (!fine) return false;
    }
    return true;
}

/* Pairs that were listed before go on with what they know. */
static void carry_over(jo_soft *soft, const poly_pair *old, size_t old_count)
{
    poly_world *w = soft->poly;
    poly_pair *now = w->spare.data;
    size_t o = 0;
    for (size_t k = 0; k < w->pair_count; k++) {
        while (o < old_count && by_names(&old[o], &now[k]) < 0)
            o++;
        if (o == old_count || by_names(&old[o], &now[k]) != 0) continue;
        const uint32_t behind = now[k].behind;
        now[k] = old[o];
        now[k].asleep = 0;
        if (!now[k].touching) now[k].behind = behind;
    }
}

/* Contacts that are no longer listed have ended (their bodies were removed, or set apart by a
 * jump). */
static void drop_ended(jo_soft *soft, const poly_pair *old, size_t old_count)
{
    poly_world *w = soft->poly;
    const poly_pair *now = w->spare.data;
    size_t k = 0;
    for (size_t o = 0; o < old_count; o++) {
        if (!old[o].touching) continue;
        while (k < w->pair_count && by_names(&now[k], &old[o]) < 0)
            k++;
        if (k == w->pair_count || by_names(&now[k], &old[o]) != 0)
            soft->dissipated += old[o].stored;
    }
}

/* Copies so many units to the next place in `moved`, and tells which that is. */
static uint32_t put_over(poly_world *w, const void *from, size_t count, size_t *units)
{
    const size_t at = *units;
    memcpy((unsigned char *)w->moved.data + SURFACE_UNIT * at, from, SURFACE_UNIT * count);
    *units += count;
    return (uint32_t)at;
}

/* What contacts keep is put in the order of the list, without what has ended. */
static bool tidy_surfaces(poly_world *w)
{
    poly_pair *pairs = w->pairs.data;
    size_t units = 1;
    for (size_t k = 0; k < w->pair_count; k++) {
        poly_pair *p = &pairs[k];
        if (!p->touching) p->kept = p->room = p->want = p->tangent = 0;
        units += p->room + (poly_tangent(w, p) != NULL ? TANGENT_UNITS : 0);
    }
    if (!jo_buffer_grow(&w->moved, 0, units, SURFACE_UNIT)) return false;
    memset(w->moved.data, 0, SURFACE_UNIT);
    units = 1;
    for (size_t k = 0; k < w->pair_count; k++) {
        poly_pair *p = &pairs[k];
        if (p->kept != 0) p->kept = put_over(w, poly_kept(w, p), p->room, &units);
        if (poly_tangent(w, p) != NULL)
            p->tangent = put_over(w, poly_tangent(w, p), TANGENT_UNITS, &units);
    }
    const buffer swap = w->surfaces;
    w->surfaces = w->moved;
    w->moved = swap;
    w->surface_units = units;
    return true;
}

jo_status jo_poly_lists(jo_soft *soft, jo_pairs pairs, size_t ghosts_from, const uint32_t *ghost_of,
                        jo_error *error)
{
    poly_world *w = soft->poly;
    if (!w->on) return JO_OK;
    const size_t before = w->pair_count;
    bool fine = true;
    w->pair_count = 0;
    for (size_t k = 0; k < pairs.count && fine; k++) {
        uint32_t i = pairs.pairs[k].i, j = pairs.pairs[k].j;
        if (j >= ghosts_from) {
            if (i >= ghosts_from) continue; /* the originals are listed */
            j = ghost_of[j - ghosts_from];
            if (i == j) continue;
        }
        fine = add_bodies(soft, i, j);
    }
    for (size_t i = 0; i < soft->s.n && fine; i++)
        if (soft->s.v[4 * i + 3] > 0 && jo_poly_is(soft, i)) fine = add_walls(soft, i);
    if (!fine) return jo_fail_memory(error, w->pair_count * sizeof(poly_pair), "neighbour lists");
    if (w->pair_count > 0) qsort(w->spare.data, w->pair_count, sizeof(poly_pair), by_names);
    drop_ended(soft, w->pairs.data, before);
    carry_over(soft, w->pairs.data, before);
    const buffer swap = w->pairs;
    w->pairs = w->spare;
    w->spare = swap;
    w->turned = 0;
    if (!tidy_surfaces(w))
        return jo_fail_memory(error, SURFACE_UNIT * w->surface_units, "contacts of polyhedra");
    return JO_OK;
}
