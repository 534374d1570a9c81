/* examine_kinetic.c — what the engine of hard polygons asks of a scene: walls that make one closed
 * space, bodies that lie in it and apart.
 *
 * Listed bodies are compared with each other and with walls here, so that each complaint has the
 * line of its body; those at random or on a lattice are placed apart, and told by the engine where
 * they are not. Cost: O(n^2) for n listed bodies, with circles around them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/orient.h"
#include "jostle/outline.h"
#include "scene/examiner.h"
#include "scene/wall_outline.h"

/* ---- walls ---- */

static bool is_moving(const jo_wall *w)
{
    const jo_motion *m = &w->motion;
    return m->velocity[0] != 0.0 || m->velocity[1] != 0.0 || m->spin[2] != 0.0 ||
           m->amplitude[0] != 0.0 || m->amplitude[1] != 0.0;
}

static void examine_wall(examiner *e, size_t k, size_t *around)
{
    const jo_wall *w = &e->scene->walls[k];
    char name[JO_NAME_SIZE];
    const char *who = jo_examine_name(w->name, k, name);
    jo_examine_at(e, "walls[%zu]", k);
    if (jo_wall_corners(w) == 0) {
        jo_complain(e,
                    "wall %s is a %s, which engine kinetic has not: its walls are polygon, bar, "
                    "hopper, box, and "
                    "cylinder (a circle)",
                    who,
                    w->kind == JO_WALL_PLANE  ? "plane"
                    : w->kind == JO_WALL_CONE ? "cone"
                                              : "mesh");
        return;
    }
    const bool outer = jo_wall_is_around(w);
    if (outer && (*around)++ > 0)
        jo_complain(e, "wall %s is around the bodies as another one is; there can be one", who);
    if (w->from > 0.0)
        jo_complain(e, "wall %s comes at %g; with engine kinetic walls are there from the start",
                    who, w->from);
    if (outer && isfinite(w->until))
        jo_complain(e, "wall %s is around the bodies and cannot go away", who);
    if (outer && is_moving(w))
        jo_complain(e, "wall %s is around the bodies and cannot move; a polygon inside of it can",
                    who);
    if (w->servo.on) jo_complain(e, "engine kinetic has no servos: wall %s cannot have one", who);
}

static void examine_walls(examiner *e)
{
    size_t around = 0;
    for (size_t k = 0; k < e->scene->wall_count; k++)
        examine_wall(e, k, &around);
    jo_examine_at(e, "walls");
    if (around == 0)
        jo_complain(e, "engine kinetic needs a wall around the bodies: a box, a hopper, a cylinder "
                       "(a circle), or "
                       "a polygon with 'around: true'");
}

/* ---- what it has not ---- */

static void examine_options(examiner *e)
{
    const jo_scene *s = e->scene;
    const jo_kinetic_options *o = &s->kinetic;
    const struct {
        const char *name;
        double value;
    } all[] = {{"gap", o->gap},
               {"least_speed", o->least_speed},
               {"period", o->period},
               {"look_every", o->look_every},
               {"patience", o->patience}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        jo_examine_at(e, "engine.%s", all[k].name);
        if (!isnan(all[k].value) && !(all[k].value > 0.0 && isfinite(all[k].value)))
            jo_complain(e, "%s is %g; it must be above 0", all[k].name, all[k].value);
    }
    jo_examine_at(e, "engine");
    if (!isnan(s->time_step)) jo_warn(e, "engine kinetic has no time_step: it is not used");
    jo_examine_at(e, "dimension");
    if (s->dim != 2)
        jo_complain(e, "engine kinetic is for polygons: dimension must be 2, not %d", s->dim);
    jo_examine_at(e, "box.periodic");
    for (int a = 0; a < 3; a++)
        if (s->domain.periodic[a])
            jo_complain(e, "engine kinetic has no periodic axes: %c cannot be one", "xyz"[a]);
    jo_examine_at(e, "box.shear_rate");
    if (s->shear_rate != 0.0) jo_complain(e, "engine kinetic has no Lees-Edwards shear");
    jo_examine_at(e, "law.cohesion");
    if (s->law.cohesion != JO_COHESION_NONE)
        jo_complain(e, "engine kinetic has no cohesion: polygons that stick never part");
}

/* ---- listed bodies ---- */

/* A polygon where it is. */
typedef struct placed {
    const double *local; /* corners from the place */
    size_t n;
    double x[2], r;
    size_t group, index; /* of a body; a wall: which */
    bool wall, around;
} placed;

static void corner(const placed *p, size_t k, double out[2])
{
    const size_t c = k % p->n;
    out[0] = p->x[0] + p->local[2 * c];
    out[1] = p->x[1] + p->local[2 * c + 1];
}

static bool edges_meet(const placed *a, const placed *b)
{
    double p[2], q[2], r[2], s[2];
    for (size_t i = 0; i < a->n; i++) {
        corner(a, i, p);
        corner(a, i + 1, q);
        for (size_t j = 0; j < b->n; j++) {
            corner(b, j, r);
            corner(b, j + 1, s);
            if (jo_segments_meet(p, q, r, s)) return true;
        }
    }
    return false;
}

static bool holds(const placed *p, const double x[2])
{
    bool inside = false;
    double a[2], b[2];
    for (size_t k = 0; k < p->n; k++) {
        corner(p, k, a);
        corner(p, k + 1, b);
        if ((a[1] > x[1]) != (b[1] > x[1]) &&
            x[0] < a[0] + (b[0] - a[0]) * (x[1] - a[1]) / (b[1] - a[1]))
            inside = !inside;
    }
    return inside;
}

static void name_of(const examiner *e, const placed *p, char text[JO_NAME_SIZE + 40])
{
    char name[JO_NAME_SIZE];
    if (p->wall)
        snprintf(text, JO_NAME_SIZE + 40, "wall %s",
                 jo_examine_name(e->scene->walls[p->index].name, p->index, name));
    else
        snprintf(text, JO_NAME_SIZE + 40, "body %zu of %s", p->index + 1,
                 jo_examine_name(e->scene->groups[p->group].name, p->group, name));
}

/* a is a body; b one that came before, or a wall. */
static void compare(examiner *e, const placed *a, const placed *b)
{
    char one[JO_NAME_SIZE + 40], two[JO_NAME_SIZE + 40];
    double first[2], other[2];
    if (!b->around && hypot(a->x[0] - b->x[0], a->x[1] - b->x[1]) > (a->r + b->r) * (1.0 + 1e-9))
        return;
    corner(a, 0, first);
    corner(b, 0, other);
    name_of(e, a, one);
    name_of(e, b, two);
    if (b->around && !holds(b, first))
        jo_complain(e, "%s, around (%g, %g), is outside of %s", one, a->x[0], a->x[1], two);
    else if (edges_meet(a, b))
        jo_complain(e, "%s overlaps or touches %s", one, two);
    else if (!b->around && (holds(b, first) || holds(a, other)))
        jo_complain(e, "%s and %s lie one in the other", one, two);
}

static size_t collect_walls(const jo_scene *s, double *corners, placed *out)
{
    size_t count = 0;
    for (size_t k = 0; k < s->wall_count; k++) {
        const size_t n = jo_wall_corners(&s->walls[k]);
        if (n < 3) continue;
        jo_wall_outline(&s->walls[k], corners);
        const jo_outline_mass m = jo_outline_measure(corners, n);
        out[count++] = (placed){.local = corners,
                                .n = n,
                                .r = m.radius + hypot(m.centre[0], m.centre[1]),
                                .index = k,
                                .wall = true,
                                .around = jo_wall_is_around(&s->walls[k])};
        corners += 2 * n;
    }
    return count;
}

/* A wall's corners are where they are: the circle around them is about the origin. */
static void examine_listed(examiner *e, placed *all, size_t walls)
{
    const jo_scene *s = e->scene;
    size_t count = walls;
    for (size_t g = 0; g < s->group_count; g++) {
        const jo_population *p = &s->groups[g].listed;
        if (s->groups[g].kind != JO_GROUP_EXPLICIT || p->outline_first == NULL) continue;
        for (size_t i = 0; i < p->n; i++) {
            const size_t from = p->outline_first[i], n = p->outline_first[i + 1] - from;
            if (n < 3 || !(p->r[i] > 0.0) || !jo_is_finite3(p->x + 3 * i)) continue;
            placed *here = &all[count];
            *here = (placed){.local = p->outline + 2 * from,
                             .n = n,
                             .x = {p->x[3 * i], p->x[3 * i + 1]},
                             .r = p->r[i],
                             .group = g,
                             .index = i};
            jo_examine_at(e, "bodies[%zu].list[%zu]", g, i);
            for (size_t k = 0; k < count; k++)
                compare(e, here, &all[k]);
            count++;
        }
    }
}

static void examine_places(examiner *e)
{
    const jo_scene *s = e->scene;
    size_t bodies = 0, corners = 0;
    for (size_t g = 0; g < s->group_count; g++)
        if (s->groups[g].kind == JO_GROUP_EXPLICIT) bodies += s->groups[g].listed.n;
    for (size_t k = 0; k < s->wall_count; k++)
        corners += jo_wall_corners(&s->walls[k]);
    if (bodies == 0) return;
    double *wall_corners = malloc((2 * corners + 1) * sizeof *wall_corners);
    placed *all = malloc((bodies + s->wall_count + 1) * sizeof *all);
    if (wall_corners != NULL && all != NULL)
        examine_listed(e, all, collect_walls(s, wall_corners, all));
    free(wall_corners);
    free(all);
}

void jo_examine_kinetic(examiner *e)
{
    const jo_scene *s = e->scene;
    examine_options(e);
    if (s->dim != 2) return;
    examine_walls(e);
    examine_places(e);
}
