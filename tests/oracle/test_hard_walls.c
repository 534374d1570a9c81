/* test_hard_walls.c — every hit of a ball with every kind of wall, judged by distances alone.
 *
 * A ball flies among walls; after each hit the engine's state is taken as it is, and the flight to
 * the next is walked in steps no longer than the clearance that support/wall_oracle.c finds (which
 * shares nothing with the engine). Demanded of every flight and hit:
 *   - no missed hit: the clearance is never below zero on the way;
 *   - no false hit: it is zero at the hit, to 1e-11 of the radius, and was falling;
 *   - the right normal: the impulse points away from a point of the wall, a radius from the centre;
 *   - the right speed after: restitution times that before, against the wall's own velocity there.
 * The last rules out that a wall is hit twice: a second hit would find the ball leaving.
 *
 * Walls are drawn at random, or made to be difficult: balls aimed at rims, edges, corners and
 * apices, along axes, through their own mirror planes. JOSTLE_TEST_SCALE=k runs every k-th case. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/hard_cases.h"
#include "support/systems.h"
#include "support/wall_oracle.h"

enum { WALLS_MAX = 6 };

typedef struct trial {
    char what[120];
    jo_scene scene;
    double x[3], v[3], r;
    double growth, restitution;
    int hits;        /* to follow at most */
    double flight;   /* time to wait for one at most */
    bool all_around; /* it touches along a circle: the impulse points at none of its points */
} trial;

/* What was found, over all. */
typedef struct tally {
    long trials, flights, hits;
    long first;             /* hits with the wall the trial is about */
    real deepest, farthest; /* clearance on the way, and at hits, over the radius */
    real worst_normal, worst_speed;
} tally;

static tally seen;
static jo_error error;

static unsigned long scale(void)
{
    const char *text = getenv("JOSTLE_TEST_SCALE");
    const unsigned long k = text != NULL ? strtoul(text, NULL, 10) : 1;
    return k > 0 ? k : 1;
}

/* ---- the judge ---- */

typedef struct flight {
    real x[3], v[3], time;
} flight;

static real radius_at(const trial *c, real t)
{
    return (real)c->r * (1.0L + (real)c->growth * t);
}

static void place_at(const trial *c, const flight *f, real t, real x[3], real v[3])
{
    const real dt = t - f->time;
    for (int k = 0; k < 3; k++) {
        x[k] = f->x[k] + (f->v[k] + 0.5L * (real)c->scene.gravity[k] * dt) * dt;
        v[k] = f->v[k] + (real)c->scene.gravity[k] * dt;
    }
}

/* The smallest distance of a point from any wall; images of walls in a periodic box, too. */
static real distance(const trial *c, real t, const real x[3], size_t *which)
{
    const jo_scene *s = &c->scene;
    real least = (real)INFINITY;
    for (size_t w = 0; w < s->wall_count; w++)
        for (int code = 0; code < 27; code++) {
            const int way[3] = {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
            real y[3];
            bool there = true;
            for (int k = 0; k < 3; k++) {
                there = there && (way[k] == 0 || s->domain.periodic[k]);
                y[k] = x[k] + (real)way[k] * ((real)s->domain.hi[k] - (real)s->domain.lo[k]);
            }
            if (!there) continue;
            const real d = oracle_distance(&s->walls[w], s->dim, t, y);
            if (d < least) {
                least = d;
                *which = w;
            }
        }
    return least;
}

static real clearance(const trial *c, const flight *f, real t, real x[3], real v[3], size_t *which)
{
    place_at(c, f, t, x, v);
    return distance(c, t, x, which) - radius_at(c, t);
}

/* The flight from where it began to a time: nothing is in its way. */
static void check_flight(const trial *c, const flight *f, real until)
{
    real fastest = 0.0L, pull = 0.0L, start = 0.0L, x[3], v[3];
    size_t which = 0;
    for (int k = 0; k < 3; k++) {
        pull += (real)c->scene.gravity[k] * (real)c->scene.gravity[k];
        start += f->v[k] * f->v[k];
    }
    for (size_t w = 0; w < c->scene.wall_count; w++)
        fastest = fmaxl(fastest, oracle_speed(&c->scene.walls[w]));
    const real speed =
        sqrtl(start) + sqrtl(pull) * (until - f->time) + fastest + (real)(c->growth * c->r) + 1e-9L;
    const real least_step = 3e-4L * (real)c->r / speed;
    for (real t = f->time; t < until;) {
        const real gap = clearance(c, f, t, x, v, &which);
        seen.deepest = fminl(seen.deepest, gap / (real)c->r);
        if (gap < -1e-9L * (real)c->r)
            fail_msg("%s: at %.17Lg on the way from %.17Lg to %.17Lg the ball is %.3Lg radii in "
                     "wall '%s', "
                     "at (%.17Lg, %.17Lg, %.17Lg)",
                     c->what, t, f->time, until, -gap / (real)c->r, c->scene.walls[which].name,
                     x[0], x[1], x[2]);
        t += fmaxl(0.9L * gap / speed, least_step);
    }
    seen.flights++;
}

/* A hit at t, after which the ball has velocity `after`. */
static void check_hit(const trial *c, const flight *f, real t, const double at[3],
                      const double after[3])
{
    real x[3], v[3], n[3], kick2 = 0.0L, v2 = 0.0L, before = 0.0L, parting = 0.0L;
    size_t which = 0;
    const real r = radius_at(c, t), gap = clearance(c, f, t, x, v, &which) / r;
    real wall[3];
    seen.hits++;
    seen.farthest = fmaxl(seen.farthest, fabsl(gap));
    if (fabsl(gap) > 1e-10L)
        fail_msg("%s: hit at %.17Lg, but wall '%s' is %.3Lg radii away", c->what, t,
                 c->scene.walls[which].name, gap);
    for (int k = 0; k < 3; k++) {
        const double period =
            c->scene.domain.periodic[k] ? c->scene.domain.hi[k] - c->scene.domain.lo[k] : 1e300;
        assert_true(fabs(remainder((double)x[k] - at[k], period)) < 1e-9 * c->r);
        n[k] = (real)after[k] - v[k];
        kick2 += n[k] * n[k];
        v2 += v[k] * v[k];
    }
    if (kick2 < 1e-10L * v2) return; /* it grazes: the direction of the kick is rounding */
    for (int k = 0; k < 3; k++)
        n[k] /= sqrtl(kick2);
    real touch[3];
    for (int k = 0; k < 3; k++)
        touch[k] = x[k] - r * n[k];
    const real off = c->all_around ? 0.0L : fabsl(distance(c, t, touch, &which)) / r;
    oracle_velocity(&c->scene.walls[which], t, wall);
    seen.first += which == 0;
    for (int k = 0; k < 3; k++) {
        before += n[k] * (v[k] - wall[k]);
        parting += n[k] * ((real)after[k] - wall[k]);
    }
    const real grows = (real)(c->growth * c->r), approach = grows - before,
               expected = (real)c->restitution * approach;
    const real wrong = fabsl(parting - grows - expected) / (sqrtl(v2) + fabsl(approach));
    const real share = sqrtl(kick2 / v2); /* what rounding of velocities makes of the direction */
    seen.worst_normal = fmaxl(seen.worst_normal, off * fminl(share, 1.0L));
    seen.worst_speed = fmaxl(seen.worst_speed, wrong);
    if (off * fminl(share, 1.0L) > 1e-9L || wrong > 1e-9L || !(approach > 0.0L))
        fail_msg("%s: hit at %.17Lg: it touches %.3Lg radii from wall '%s', approaches at %.9Lg, "
                 "parts at "
                 "%.9Lg instead of %.9Lg",
                 c->what, t, off, c->scene.walls[which].name, approach, parting - grows, expected);
}

static void follow(trial *c)
{
    jo_population p =
        hard_balls(1, (double[1][7]){{c->x[0], c->x[1], c->x[2], c->v[0], c->v[1], c->v[2], c->r}});
    c->scene.contacts[0].restitution = c->restitution;
    c->scene.hard.contact_duration = 0.0;
    c->scene.hard.growth = c->growth;
    c->scene.duration = 1e4;
    jo_hard *h = NULL;
    if (jo_hard_create_with(&c->scene, &p, NULL, &h, &error) != JO_OK)
        fail_msg("%s: %s", c->what, error.text);
    for (int k = 0; k < c->hits; k++) {
        jo_frame frame;
        flight f;
        if (jo_hard_frame(h, &frame, &error) != JO_OK) fail_msg("%s", error.text);
        for (int a = 0; a < 3; a++) {
            f.x[a] = (real)frame.x[a];
            f.v[a] = (real)frame.v[a];
        }
        f.time = (real)jo_hard_time(h);
        const uint64_t before = jo_hard_event_count(h);
        if (jo_hard_advance(h, jo_hard_time(h) + c->flight, 1, &error) != JO_OK)
            fail_msg("%s: %s", c->what, error.text);
        const real now = (real)jo_hard_time(h);
        check_flight(c, &f, now);
        if (jo_hard_event_count(h) == before) break;
        if (jo_hard_frame(h, &frame, &error) != JO_OK) fail_msg("%s", error.text);
        check_hit(c, &f, now, frame.x, frame.v);
    }
    jo_hard_destroy(h);
    jo_population_free(&p);
    jo_scene_free(&c->scene);
    seen.trials++;
}

/* ---- walls ---- */

static void random_direction(rng *g, int dim, double d[3])
{
    double size = 0.0;
    while (!(size > 0.05 && size <= 1.0)) {
        size = 0.0;
        for (int k = 0; k < 3; k++) {
            d[k] = k < dim ? rng_between(g, -1.0, 1.0) : 0.0;
            size += d[k] * d[k];
        }
    }
    size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int k = 0; k < 3; k++)
        d[k] /= size;
}

static jo_wall *add_wall(trial *c, jo_wall_kind kind)
{
    jo_wall *w = &c->scene.walls[c->scene.wall_count];
    *w = jo_wall_default(kind);
    snprintf(w->name, sizeof w->name, "w%zu", c->scene.wall_count++);
    return w;
}

static void set_triangles(jo_wall *w, const double *p, size_t count, size_t each)
{
    w->triangles = malloc(count * each * sizeof *p);
    assert_non_null(w->triangles);
    memcpy(w->triangles, p, count * each * sizeof *p);
    w->triangle_count = count;
}

/* A bent sheet of some triangles around a corner that they share: edges convex, concave and
 * open. */
static void add_fan(trial *c, rng *g)
{
    enum { MOST = 7 };
    double p[MOST][9];
    const int n = 1 + (int)rng_below(g, MOST);
    const double top = rng_between(g, -1.0, 1.0);
    const bool round = rng_below(g, 2) == 0;
    for (int k = 0; k < n; k++)
        for (int e = 0; e < 2; e++) {
            const int at = k + e;
            const double angle = 6.283185307179586 * at / (round ? n : n + 2),
                         wide = 1.0 + 0.5 * sin(3.0 * (at % (round ? n : 99))),
                         height = 0.7 * cos(5.0 * (at % (round ? n : 99)));
            const double corner[3] = {0.0, 0.0, top},
                         border[3] = {wide * cos(angle), wide * sin(angle), height};
            memcpy(p[k], corner, sizeof corner);
            memcpy(p[k] + 3 + 3 * e, border, sizeof border);
        }
    set_triangles(add_wall(c, JO_WALL_MESH), p[0], (size_t)n, 9);
}

static void add_polyline(trial *c, rng *g)
{
    enum { MOST = 6 };
    double p[MOST][4], at[2] = {-1.5, 0.0};
    const int n = 1 + (int)rng_below(g, MOST);
    for (int k = 0; k < n; k++) {
        const double next[2] = {at[0] + rng_between(g, -0.3, 1.0), rng_between(g, -1.0, 1.0)};
        const double segment[4] = {at[0], at[1], next[0], next[1]};
        memcpy(p[k], segment, sizeof segment);
        memcpy(at, next, sizeof at);
    }
    set_triangles(add_wall(c, JO_WALL_MESH), p[0], (size_t)n, 4);
}

static void add_round(trial *c, rng *g, bool cone)
{
    jo_wall *w = add_wall(c, cone ? JO_WALL_CONE : JO_WALL_CYLINDER);
    const int way = (int)rng_below(g, 4);
    for (int k = 0; k < c->scene.dim; k++)
        w->point[k] = rng_between(g, -0.5, 0.5);
    w->axis[0] = w->axis[1] = w->axis[2] = 0.0;
    if (rng_below(g, 3) == 0)
        w->axis[rng_below(g, 3)] = 1.0;
    else
        random_direction(g, 3, w->axis);
    w->radius = rng_between(g, 0.6, 2.0);
    w->radius_end = rng_below(g, 3) == 0 ? 0.0 : rng_between(g, 0.1, 2.0);
    if (cone && rng_below(g, 4) == 0) {
        const double swap = w->radius;
        w->radius = w->radius_end;
        w->radius_end = swap;
    }
    w->length = rng_between(g, 0.5, 3.0);
    w->outside = way % 2 == 1;
    w->caps = way / 2 == 1 && c->scene.dim == 3;
    if (!cone && !w->caps && rng_below(g, 3) == 0) w->length = (double)INFINITY;
}

static void add_flat(trial *c, rng *g, bool swings)
{
    double n[3];
    jo_wall *w = add_wall(c, JO_WALL_PLANE);
    random_direction(g, c->scene.dim, n);
    memcpy(w->normal, n, sizeof n);
    for (int k = 0; k < 3; k++)
        w->point[k] = -2.0 * n[k];
    if (!swings) return;
    random_direction(g, c->scene.dim, n);
    for (int k = 0; k < 3; k++)
        w->motion.amplitude[k] = rng_between(g, 0.01, 0.5) * n[k];
    w->motion.frequency = rng_between(g, 0.1, 5.0);
    w->motion.phase = rng_between(g, 0.0, 6.0);
    if (rng_below(g, 2) == 0) {
        w->motion.start = rng_between(g, 0.0, 1.0);
        w->motion.stop = w->motion.start + rng_between(g, 0.5, 5.0);
    }
}

static void add_block(trial *c, rng *g, bool outside)
{
    jo_wall *w = add_wall(c, JO_WALL_BOX);
    w->outside = outside;
    for (int k = 0; k < c->scene.dim; k++) {
        w->lo[k] = -rng_between(g, 0.2, 1.0) - (outside ? 0.0 : 1.0);
        w->hi[k] = rng_between(g, 0.2, 1.0) + (outside ? 0.0 : 1.0);
    }
}

/* A cage around, so that the ball comes back. */
static void add_cage(trial *c)
{
    jo_wall *w = add_wall(c, JO_WALL_BOX);
    for (int k = 0; k < c->scene.dim; k++) {
        w->lo[k] = -4.0;
        w->hi[k] = 4.0;
    }
}

typedef enum wall_family {
    CYLINDERS,
    CONES,
    FANS,
    BLOCKS,
    SWINGING,
    BOXES,
    CIRCLES_2D,
    LINES_2D,
    BLOCKS_2D,
    SWINGING_2D,
    FAMILIES
} wall_family;
static const char *const family_names[FAMILIES] = {
    "cylinder", "cone",      "mesh",     "block",    "swinging plane",
    "box",      "circle 2D", "lines 2D", "block 2D", "swinging line 2D"};

static void add_family(trial *c, rng *g, wall_family family)
{
    switch (family) {
    case CYLINDERS:
    case CONES:
    case CIRCLES_2D:
        add_round(c, g, family == CONES);
        break;
    case FANS:
        add_fan(c, g);
        break;
    case LINES_2D:
        add_polyline(c, g);
        break;
    case BLOCKS:
    case BLOCKS_2D:
        add_block(c, g, true);
        break;
    case BOXES:
        add_block(c, g, false);
        break;
    default:
        add_flat(c, g, true);
        break;
    }
    jo_wall *w = &c->scene.walls[0];
    if (rng_below(g, 3) == 0 && family != SWINGING && family != SWINGING_2D) {
        double way[3];
        random_direction(g, c->scene.dim, way);
        for (int k = 0; k < 3; k++)
            w->motion.velocity[k] = rng_between(g, 0.0, 0.3) * way[k];
        w->motion.start = rng_between(g, 0.0, 1.0);
        w->motion.stop = w->motion.start + rng_between(g, 0.5, 3.0);
    }
}

static trial start_trial(wall_family family, uint64_t seed, int dim)
{
    const double size[3] = {8.0, 8.0, 8.0};
    trial c = {.scene = hard_scene(dim, size, ""), .restitution = 1.0, .hits = 15, .flight = 20.0};
    for (int k = 0; k < dim; k++) {
        c.scene.domain.lo[k] = -4.0;
        c.scene.domain.hi[k] = 4.0;
    }
    snprintf(c.what, sizeof c.what, "%s, case %llu", family_names[family],
             (unsigned long long)seed);
    return c;
}

/* Somewhere with room around it; false where there is none to be found. */
static bool place_ball(trial *c, rng *g, double half)
{
    for (int tries = 0; tries < 300; tries++) {
        real x[3] = {0.0L, 0.0L, 0.0L};
        size_t which;
        for (int k = 0; k < c->scene.dim; k++) {
            c->x[k] = rng_between(g, -half, half);
            x[k] = (real)c->x[k];
        }
        if (distance(c, 0.0L, x, &which) > 1.02L * (real)c->r) return true;
    }
    return false;
}

static void random_trial(wall_family family, uint64_t seed)
{
    rng g = rng_seeded(1000 * (uint64_t)family + 7919 * seed);
    const int dim = family >= CIRCLES_2D ? 2 : 3;
    trial c = start_trial(family, seed, dim);
    double way[3];
    add_family(&c, &g, family);
    if (family != BOXES) add_cage(&c);
    c.r = rng_below(&g, 4) == 0 ? rng_between(&g, 0.3, 0.8) : rng_between(&g, 0.02, 0.3);
    if (rng_below(&g, 2) == 0) {
        random_direction(&g, dim, way);
        for (int k = 0; k < 3; k++)
            c.scene.gravity[k] = rng_between(&g, 0.1, 5.0) * way[k];
    }
    if (rng_below(&g, 4) == 0) c.restitution = rng_between(&g, 0.85, 1.0);
    if (rng_below(&g, 5) == 0) c.growth = rng_between(&g, 0.001, 0.02);
    random_direction(&g, dim, way);
    for (int k = 0; k < 3; k++)
        c.v[k] = rng_between(&g, 0.3, 2.0) * way[k];
    if (!place_ball(&c, &g, family == BOXES ? 1.0 : 3.0)) {
        jo_scene_free(&c.scene);
        return;
    }
    follow(&c);
}

static void show(const char *what)
{
    print_message("| %s | %ld | %ld | %ld | %.1Le | %.1Le | %.1Le | %.1Le |\n", what, seen.trials,
                  seen.flights, seen.first, -seen.deepest, seen.farthest, seen.worst_normal,
                  seen.worst_speed);
}

static const char header[] = "| wall | trials | flights | hits with it | deepest on the way | off "
                             "at hits | normals | speeds |\n";

static void random_walls(void **state)
{
    (void)state;
    enum { CASES = 500 };
    print_message("%s", header);
    for (int family = 0; family < FAMILIES; family++) {
        seen = (tally){0};
        for (uint64_t k = 0; k < CASES; k += scale())
            random_trial((wall_family)family, k);
        show(family_names[family]);
        assert_true(seen.first > (long)(CASES / scale() / 4));
    }
}

/* ---- aimed at what is small ---- */

/* A point of a corner, an edge, a rim or an apex of the trial's wall. */
static void pick_feature(const trial *c, rng *g, double q[3])
{
    const jo_wall *w = &c->scene.walls[0];
    const int dim = c->scene.dim;
    static const double places[] = {0.0, 0.5, 1.0, 1e-9, 0.25};
    const double s = rng_below(g, 2) ? places[rng_below(g, 5)] : rng_unit(g);
    memset(q, 0, 3 * sizeof *q);
    if (w->kind == JO_WALL_MESH) {
        const size_t corners = dim == 2 ? 2 : 3, each = corners * (size_t)dim;
        const double *t = w->triangles + each * rng_below(g, w->triangle_count);
        const size_t a = rng_below(g, corners), b = (a + 1) % corners;
        for (int k = 0; k < dim; k++)
            q[k] = t[(size_t)dim * a + (size_t)k] +
                   s * (t[(size_t)dim * b + (size_t)k] - t[(size_t)dim * a + (size_t)k]);
    } else if (w->kind == JO_WALL_BOX) {
        const int along = (int)rng_below(g, 4);
        for (int k = 0; k < dim; k++)
            q[k] = k == along        ? w->lo[k] + s * (w->hi[k] - w->lo[k])
                   : rng_below(g, 2) ? w->lo[k]
                                     : w->hi[k];
    } else {
        const bool end = rng_below(g, 2) == 1 && !isinf(w->length);
        const double r = end && w->kind == JO_WALL_CONE ? w->radius_end : w->radius;
        double u[3], z = 0.0, size = 0.0;
        random_direction(g, dim, u);
        for (int k = 0; k < 3; k++)
            z += dim == 3 ? u[k] * w->axis[k] : 0.0;
        for (int k = 0; k < 3; k++) {
            u[k] -= dim == 3 ? z * w->axis[k] : 0.0;
            size += u[k] * u[k];
        }
        for (int k = 0; k < dim; k++)
            q[k] = w->point[k] + (end ? w->length * w->axis[k] : 0.0) + r * u[k] / sqrt(size);
    }
}

/* So that the centre would come to q after a time; or, aside by about a radius, to where it
 * grazes. */
static void aimed_trial(wall_family family, uint64_t seed)
{
    rng g = rng_seeded(77777 + 1000 * (uint64_t)family + 104729 * seed);
    const int dim = family >= CIRCLES_2D ? 2 : 3;
    trial c = start_trial(family, seed, dim);
    double q[3], way[3], aside[3];
    real x[3] = {0.0L, 0.0L, 0.0L};
    size_t which;
    static const double off[] = {0.0, 0.0, 1.0, 1.0 - 1e-12, 1.0 + 1e-12, 0.999999, 0.5};
    add_family(&c, &g, family);
    c.scene.walls[0].motion = jo_wall_default(JO_WALL_PLANE).motion;
    c.r = rng_between(&g, 0.02, 0.5);
    c.hits = 3;
    c.flight = 5.0;
    pick_feature(&c, &g, q);
    random_direction(&g, dim, way);
    random_direction(&g, dim, aside);
    if (rng_below(&g, 3) == 0) /* along an axis: exactly symmetric */
        for (int k = 0; k < 3; k++)
            way[k] = k == (int)(seed % (uint64_t)dim) ? 1.0 : 0.0;
    double dot = 0.0, size = 0.0;
    for (int k = 0; k < 3; k++)
        dot += way[k] * aside[k];
    for (int k = 0; k < 3; k++) {
        aside[k] -= dot * way[k];
        size += aside[k] * aside[k];
    }
    const double shift = off[rng_below(&g, 7)] * c.r / sqrt(size), far = rng_between(&g, 1.0, 2.0),
                 time = rng_between(&g, 0.3, 3.0);
    if (rng_below(&g, 2) == 0) {
        random_direction(&g, dim, c.scene.gravity);
        if (rng_below(&g, 2) == 0)
            for (int k = 0; k < 3; k++)
                c.scene.gravity[k] = -way[k];
    }
    for (int k = 0; k < 3; k++) {
        const double to = q[k] + shift * aside[k];
        c.x[k] = to + far * way[k];
        c.v[k] = (to - c.x[k]) / time - 0.5 * c.scene.gravity[k] * time;
        x[k] = (real)c.x[k];
    }
    if (distance(&c, 0.0L, x, &which) > 1.001L * (real)c.r)
        follow(&c);
    else
        jo_scene_free(&c.scene);
}

static void aimed_at_features(void **state)
{
    (void)state;
    enum { CASES = 1500 };
    static const wall_family families[] = {CYLINDERS,  CONES,    FANS,     BLOCKS,
                                           CIRCLES_2D, LINES_2D, BLOCKS_2D};
    print_message("%s", header);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        seen = (tally){0};
        for (uint64_t k = 0; k < CASES; k += scale())
            aimed_trial(families[f], k);
        show(family_names[families[f]]);
        assert_true(seen.first > (long)(CASES / scale() / 4));
    }
}

/* ---- made by hand ---- */

static trial by_hand(const char *what, int dim, const double x[3], const double v[3], double r,
                     double gravity)
{
    trial c = start_trial(BOXES, 0, dim);
    snprintf(c.what, sizeof c.what, "%s", what);
    memcpy(c.x, x, sizeof c.x);
    memcpy(c.v, v, sizeof c.v);
    c.r = r;
    c.scene.gravity[dim - 1] = gravity;
    return c;
}

/* Open, upright, of radius 1 around the axis z. */
static jo_wall *add_ring(trial *c, double radius_end, double length)
{
    jo_wall *w = add_wall(c, JO_WALL_CONE);
    w->axis[0] = w->axis[1] = 0.0;
    w->axis[2] = 1.0;
    w->radius = 1.0;
    w->radius_end = radius_end;
    w->length = length;
    return w;
}

/* A floor of 8 x 8 squares of edge 1, each cut in two. */
static void add_tiles(trial *c)
{
    enum { SIDE = 8, TILES = 2 * SIDE * SIDE };
    static double p[TILES][9];
    for (int k = 0; k < TILES; k++) {
        const double a = k / 2 % SIDE - 4, b = k / 2 / SIDE - 4;
        const double one[9] = {a, b, 0, a + 1, b, 0, a + 1, b + 1, 0},
                     two[9] = {a, b, 0, a + 1, b + 1, 0, a, b + 1, 0};
        memcpy(p[k], k % 2 ? two : one, sizeof one);
    }
    set_triangles(add_wall(c, JO_WALL_MESH), p[0], TILES, 9);
}

static void expect(trial c, long hits)
{
    char what[sizeof c.what];
    memcpy(what, c.what, sizeof what);
    const long before = seen.first;
    follow(&c);
    if (seen.first - before != hits)
        fail_msg("%s: %ld hits instead of %ld", what, seen.first - before, hits);
}

static void hard_cases(void **state)
{
    (void)state;
    trial c;
    seen = (tally){0};
    /* Larger than the ring it falls on, along its axis: it touches all around, and bounces
     * straight. */
    c = by_hand("ball on a ring", 3, (double[3]){0, 0, 3}, (double[3]){0, 0, -1}, 1.5, -1.0);
    add_ring(&c, 1.0, 0.5);
    c.all_around = true;
    expect(c, 15);
    /* It just fits through, and does not touch. */
    c = by_hand("ball through a ring", 3, (double[3]){0, 0, 3}, (double[3]){0, 0, -1}, 0.999999,
                0.0);
    add_ring(&c, 1.0, 0.5);
    expect(c, 0);
    /* In the tip of a funnel: again and again. */
    c = by_hand("ball in a tip", 3, (double[3]){0.1, 0, -1}, (double[3]){0, 0, 0}, 0.2, -1.0);
    add_ring(&c, 0.0, 3.0)->axis[2] = -1.0;
    c.hits = 100;
    expect(c, 100);
    c = by_hand("ball straight into a tip", 3, (double[3]){0, 0, -1}, (double[3]){0, 0, 0}, 0.2,
                -1.0);
    add_ring(&c, 0.0, 3.0)->axis[2] = -1.0;
    c.all_around = true;
    expect(c, 15);
    /* Dropped on a vertex, on a straight and on a sloping edge of a flat floor: 100 times the
     * same. */
    static const double spots[4][2] = {{0, 0}, {0.5, 1}, {0.5, 0.5}, {0.25, 0.125}};
    for (int k = 0; k < 4; k++) {
        c = by_hand("ball on tiles", 3, (double[3]){spots[k][0], spots[k][1], 1},
                    (double[3]){0, 0, 0}, 0.25, -1.0);
        add_tiles(&c);
        c.hits = 100;
        expect(c, 100);
    }
    /* Along the seams of the floor, low and fast: edges of flat neighbours are not felt. */
    c = by_hand("ball along tiles", 3, (double[3]){-3.9, 0, 0.25 + 1e-6}, (double[3]){3, 0, 0},
                0.25, -1.0);
    add_tiles(&c);
    c.hits = 500;
    c.flight = 1.0;
    follow(&c);
    /* Thrown up beside a plate, above it at the top, and down onto it. */
    c = by_hand("ball over a plate's border", 3, (double[3]){-1.6, 0, -1}, (double[3]){1, 0, 3},
                0.3, -3.0);
    set_triangles(add_wall(&c, JO_WALL_MESH),
                  (double[18]){-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0}, 2, 9);
    follow(&c);
    c = by_hand("ball over a pipe's border", 3, (double[3]){-1.5, 0, -1}, (double[3]){1, 0, 3}, 0.3,
                -3.0);
    add_ring(&c, 1.0, 0.8)->point[2] = -0.8;
    follow(&c);
    /* A pin that is cut by a periodic face: it is felt from the other side. */
    c = by_hand("pin in a periodic box", 3, (double[3]){3, 0, 0}, (double[3]){1, 0, 0}, 0.3, 0.0);
    c.scene.domain.periodic[0] = true;
    set_triangles(add_wall(&c, JO_WALL_MESH), (double[9]){-3.8, -1, -1, -3.8, 1, -1, -3.8, 0, 1}, 1,
                  9);
    expect(c, 15);
    show("by hand");
}

/* Many balls run through a funnel onto a plate that sinks, in gravity: at no look is one of them in
 * a wall, by the oracle's distances, or in another. */
static void many_in_a_funnel(void **state)
{
    (void)state;
    enum { BALLS = 60 };
    const char *const searches[] = {"cells", "verlet"};
    for (int way = 0; way < 2; way++) {
        trial c = by_hand("funnel", 3, (double[3]){0, 0, 0}, (double[3]){0, 0, 0}, 0.2, -5.0);
        jo_wall *hopper = add_ring(&c, 0.45, 1.5);
        hopper->radius = 2.0;
        hopper->axis[2] = -1.0;
        jo_wall *pipe = add_wall(&c, JO_WALL_CYLINDER);
        const double axis[3] = {0, 0, 1}, top[3] = {0, 0, 0};
        memcpy(pipe->axis, axis, sizeof axis);
        memcpy(pipe->point, top, sizeof top);
        pipe->radius = 2.0;
        pipe->length = 3.9;
        jo_wall *plate = add_wall(&c, JO_WALL_MESH);
        set_triangles(
            plate, (double[18]){-1, -1, -2, 1, -1, -2, 1, 1, -2, -1, -1, -2, 1, 1, -2, -1, 1, -2},
            2, 9);
        plate->motion.velocity[2] = -0.2;
        plate->motion.stop = 3.0;
        add_cage(&c);
        strcpy(c.scene.broad, searches[way]);
        c.scene.contacts[0].restitution = 0.8;
        c.scene.contacts[0].friction = 0.3;
        double list[BALLS][7] = {{0}};
        for (int k = 0; k < BALLS; k++) {
            const double at[7] = {0.6 * (k % 4) - 0.9,  0.6 * (k / 4 % 4) - 0.9,
                                  0.5 + 0.6 * (k / 16), 0.1 * sin(k),
                                  0.1 * cos(k),         0,
                                  0.15 + 0.05 * (k % 3)};
            memcpy(list[k], at, sizeof at);
        }
        jo_population p = hard_balls(BALLS, list);
        jo_hard *h = hard_make(&c.scene, &p, 0);
        int below = 0;
        for (int look = 1; look <= 200; look++) {
            jo_frame f;
            jo_hard_check check;
            const double time = 0.02 * look;
            if (jo_hard_advance(h, time, 0, &error) != JO_OK) fail_msg("%s", error.text);
            assert_int_equal(jo_hard_validate(h, &check, &error), JO_OK);
            assert_int_equal(check.overlaps, 0);
            assert_int_equal(jo_hard_frame(h, &f, &error), JO_OK);
            below = 0;
            for (size_t i = 0; i < f.n; i++) {
                const real x[3] = {(real)f.x[3 * i], (real)f.x[3 * i + 1], (real)f.x[3 * i + 2]};
                size_t which;
                const real gap = distance(&c, (real)time, x, &which) - (real)f.r[i];
                if (gap < -1e-9L * (real)f.r[i])
                    fail_msg("%s: ball %zu is %.3Lg in wall %zu at %g", searches[way], i, -gap,
                             which, time);
                below += f.x[3 * i + 2] < -1.5;
            }
        }
        assert_true(below > 5); /* the funnel lets them through */
        jo_hard_destroy(h);
        jo_population_free(&p);
        jo_scene_free(&c.scene);
    }
}

/* With tangential restitution 0 and much friction, what touches does not slide afterwards: the
 * ball's surface has the velocity of the wall's there, spin times the distance from the axis of the
 * point they share. */
static void turning_walls_drag(void **state)
{
    (void)state;
    for (int way = 0; way < 6; way++) {
        const bool cone = way % 2 == 1, moves = way >= 4;
        trial c = by_hand("drag", 3, (double[3]){way == 2 ? 2.9 : 0.1, 0.3, 0.8},
                          (double[3]){way == 2 ? -0.5 : 0.6, 0.2, 0.1}, 0.25, 0.0);
        jo_wall *w = add_wall(&c, cone ? JO_WALL_CONE : JO_WALL_CYLINDER);
        const double axis[3] = {0, 0, 1};
        memcpy(w->axis, axis, sizeof axis);
        w->radius = 1.5;
        w->radius_end = 1.0;
        w->length = 2.0;
        w->motion.spin[2] = 3.0;
        if (moves) w->motion.velocity[0] = 0.1;
        c.scene.contacts[0].friction = 100.0;
        c.scene.contacts[0].tangential_restitution = 0.0;
        jo_population p =
            hard_balls(1, (double[1][7]){{c.x[0], c.x[1], c.x[2], c.v[0], c.v[1], c.v[2], c.r}});
        jo_hard *h = hard_make(&c.scene, &p, 0);
        jo_frame f;
        assert_int_equal(jo_hard_advance(h, 100.0, 1, &error), JO_OK);
        assert_int_equal(jo_hard_event_count(h), 1);
        assert_int_equal(jo_hard_frame(h, &f, &error), JO_OK);
        /* The nearest point of the side, in the plane through the axis. */
        const double shift = moves ? 0.1 * jo_hard_time(h) : 0.0, x = f.x[0] - shift;
        const double rho = hypot(x, f.x[1]), slope = cone ? -0.25 : 0.0;
        const double foot = (f.x[2] + slope * (rho - 1.5)) / (1.0 + slope * slope),
                     at = 1.5 + slope * foot;
        const double arm[3] = {x * (at / rho - 1.0), f.x[1] * (at / rho - 1.0), foot - f.x[2]};
        const double wall[3] = {-3.0 * f.x[1] * at / rho + (moves ? 0.1 : 0.0), 3.0 * x * at / rho,
                                0.0};
        double slide[3], along = 0.0;
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            slide[k] = f.v[k] + f.w[a] * arm[b] - f.w[b] * arm[a] - wall[k];
            along += slide[k] * arm[k] / (c.r * c.r);
        }
        for (int k = 0; k < 3; k++)
            assert_true(fabs(slide[k] - along * arm[k]) < 1e-12);
        jo_hard_destroy(h);
        jo_population_free(&p);
        jo_scene_free(&c.scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_walls),       cmocka_unit_test(aimed_at_features),
        cmocka_unit_test(hard_cases),         cmocka_unit_test(many_in_a_funnel),
        cmocka_unit_test(turning_walls_drag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
