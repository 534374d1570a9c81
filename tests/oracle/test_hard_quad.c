/* test_hard_quad.c — the engine `hard` against hard balls in quadruple precision, and against
 * paper4.
 *
 * support/quad_compare.h says what is compared, and why in windows. The cases: two and three
 * dimensions, walls, periodic axes and both, equal and unequal radii and masses, gravity, inelastic
 * collisions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jostle/hard.h"
#include "jostle/paper4.h"
#include "support/quad_compare.h"
#include "support/systems.h"

#if QUAD_AVAILABLE

/* ---- hard as a sequence of events */

typedef struct hard_run {
    jo_hard *hard;
    int face_of[6]; /* of each wall that is a plane; a box tells its faces itself */
    bool box;
} hard_run;

static void must(jo_status status, const jo_error *error)
{
    if (status != JO_OK) fail_msg("%s", error->text);
}

static bool hard_collide(void *self, double *time, int *ball, int *partner)
{
    hard_run *run = self;
    jo_error error = {0};
    size_t count = 0;
    const jo_status status = jo_hard_advance(run->hard, INFINITY, 1, &error);
    if (status == JO_ERR_PHYSICS) return false;
    must(status, &error);
    const jo_hard_event *log = jo_hard_log(run->hard, &count, NULL);
    assert_int_equal(count, 1);
    *time = log->time;
    *ball = (int)log->a;
    if (log->kind == JO_HARD_BALLS)
        *partner = (int)log->b;
    else
        *partner = -1 - (run->box ? (int)log->face : run->face_of[log->b]);
    return true;
}

static void hard_state(void *self, double *x, double *v, double *w, double *time)
{
    hard_run *run = self;
    jo_error error = {0};
    jo_frame frame;
    must(jo_hard_frame(run->hard, &frame, &error), &error);
    for (size_t k = 0; k < frame.n; k++)
        for (int axis = 0; axis < 3; axis++) {
            x[3 * (int)frame.id[k] + axis] = frame.x[3 * k + (size_t)axis];
            v[3 * (int)frame.id[k] + axis] = frame.v[3 * k + (size_t)axis];
            w[3 * (int)frame.id[k] + axis] = frame.w[3 * k + (size_t)axis];
        }
    *time = jo_hard_time(run->hard);
}

/* ---- cases */

typedef struct kind {
    const char *name;
    int dim;
    quad_edge edge[3];
    long events;
    double spread;      /* radii from 1 - spread to 1 times the largest */
    bool densities;     /* three materials, 1 : 3 : 10 */
    double gravity;     /* along the last axis */
    double restitution; /* 0: elastic */
    double slow;        /* restitution_speed; 0: the same at every speed */
    double friction, tangential;
    double growth;
    double share;       /* of the cells' edges that the largest ball fills at the start; 0: 0.8 */
    const char *search; /* NULL: as the engine chooses */
} kind;

#define WALLS                                                                                      \
    {                                                                                              \
        QUAD_WALLS, QUAD_WALLS, QUAD_WALLS                                                         \
    }
#define PERIODIC                                                                                   \
    {                                                                                              \
        QUAD_PERIODIC, QUAD_PERIODIC, QUAD_PERIODIC                                                \
    }
#define SLAB                                                                                       \
    {                                                                                              \
        QUAD_PERIODIC, QUAD_PERIODIC, QUAD_WALLS                                                   \
    }
#define SHAFT                                                                                      \
    {                                                                                              \
        QUAD_WALLS, QUAD_PERIODIC, QUAD_WALLS                                                      \
    }

static const kind kinds[] = {
    {"3D, walls", 3, WALLS, 10000, .spread = 0.0},
    {"3D, periodic", 3, PERIODIC, 10000, .spread = 0.0},
    {"3D, periodic, cells", 3, PERIODIC, 2000, .search = "cells"},
    {"3D, periodic, lists", 3, PERIODIC, 2000, .search = "verlet"},
    {"3D, slab, mixture, lists", 3, SLAB, 2000, .spread = 0.6, .densities = true,
     .search = "verlet"},
    {"3D, slab, mixture", 3, SLAB, 4000, .spread = 0.6, .densities = true},
    {"3D, gravity, mixture", 3, SHAFT, 4000, .spread = 0.5, .densities = true, .gravity = -2.0},
    {"3D, inelastic", 3, WALLS, 2000, .spread = 0.5, .densities = true, .restitution = 0.9},
    {"3D, rough", 3, SLAB, 1500, .spread = 0.5, .densities = true, .restitution = 0.98,
     .friction = 0.3, .tangential = 0.4},
    {"3D, slower is harder", 3, PERIODIC, 2000, .restitution = 0.7, .slow = 1.5},
    {"3D, growing", 3, SLAB, 400, .spread = 0.3, .growth = 0.01, .share = 0.7},
    {"3D, growing fast", 3, WALLS, 60, .spread = 0.3, .growth = 2.0, .share = 0.2},
    {"2D, growing fast", 2, PERIODIC, 60, .growth = 2.0, .share = 0.2, .search = "verlet"},
    {"2D, walls", 2, WALLS, 4000, .spread = 0.0},
    {"2D, periodic, mixture", 2, PERIODIC, 4000, .spread = 0.6, .densities = true},
    {"2D, gravity",
     2,
     {QUAD_PERIODIC, QUAD_WALLS, QUAD_OPEN},
     4000,
     .spread = 0.3,
     .gravity = -2.0},
    {"2D, rough", 2, WALLS, 2000, .spread = 0.3, .restitution = 0.99, .friction = 0.5,
     .tangential = -0.5},
};
enum { KINDS = sizeof kinds / sizeof *kinds, MATERIALS = 3 };

static const double densities[MATERIALS] = {1.0, 3.0, 10.0};

/* A scene of edge 2 around the origin, without bodies and walls. */
static jo_scene make_scene(const kind *k)
{
    jo_scene s = jo_scene_default();
    s.dim = k->dim;
    s.has_box = true;
    s.duration = 1000.0; /* growth counts on it */
    snprintf(s.engine, sizeof s.engine, "hard");
    s.materials = calloc(MATERIALS, sizeof *s.materials);
    s.contacts = calloc(MATERIALS * MATERIALS, sizeof *s.contacts);
    s.walls = calloc(6, sizeof *s.walls);
    assert_true(s.materials != NULL && s.contacts != NULL && s.walls != NULL);
    s.material_count = MATERIALS;
    for (int m = 0; m < MATERIALS; m++) {
        snprintf(s.materials[m].name, JO_NAME_SIZE, "m%d", m);
        s.materials[m].density = densities[m];
        s.materials[m].young = 1e7;
        s.materials[m].poisson = 0.3;
    }
    for (int m = 0; m < MATERIALS * MATERIALS; m++) {
        s.contacts[m] = jo_contact_def_default();
        s.contacts[m].restitution = k->restitution > 0.0 ? k->restitution : 1.0;
        if (k->slow > 0.0) s.contacts[m].restitution_speed = k->slow;
        s.contacts[m].friction = k->friction;
        s.contacts[m].tangential_restitution = k->tangential;
    }
    for (int axis = 0; axis < 3; axis++) {
        s.domain.lo[axis] = -1.0;
        s.domain.hi[axis] = 1.0;
        s.domain.periodic[axis] = axis < k->dim && k->edge[axis] == QUAD_PERIODIC;
    }
    s.gravity[k->dim - 1] = k->gravity;
    s.hard.growth = k->growth;
    if (k->search != NULL) snprintf(s.broad, sizeof s.broad, "%s", k->search);
    return s;
}

/* A box where all axes have walls, else planes. */
static void add_walls(jo_scene *s, const kind *k, hard_run *run)
{
    run->box = true;
    for (int axis = 0; axis < k->dim; axis++)
        run->box = run->box && k->edge[axis] == QUAD_WALLS;
    if (run->box) {
        s->walls[0] = jo_wall_default(JO_WALL_BOX);
        snprintf(s->walls[0].name, JO_NAME_SIZE, "box");
        memcpy(s->walls[0].lo, s->domain.lo, sizeof s->domain.lo);
        memcpy(s->walls[0].hi, s->domain.hi, sizeof s->domain.hi);
        s->wall_count = 1;
        return;
    }
    for (int face = 0; face < 2 * k->dim; face++) {
        const int axis = face / 2;
        if (k->edge[axis] != QUAD_WALLS) continue;
        run->face_of[s->wall_count] = face;
        jo_wall *w = &s->walls[s->wall_count++];
        *w = jo_wall_default(JO_WALL_PLANE);
        snprintf(w->name, JO_NAME_SIZE, "face %d", face);
        memset(w->point, 0, sizeof w->point);
        memset(w->normal, 0, sizeof w->normal);
        w->point[axis] = face % 2 ? 1.0 : -1.0;
        w->normal[axis] = face % 2 ? -1.0 : 1.0;
    }
}

/* Radii such that the largest ball could fill `share` of its cell of a grid. */
static void fill_bodies(const kind *k, int n, double share, uint64_t seed, jo_population *p)
{
    jo_error error = {0};
    rng g = rng_seeded(seed);
    int cells = 1, places = 1;
    while (places < n) {
        cells++;
        places = k->dim == 2 ? cells * cells : cells * cells * cells;
    }
    must(jo_population_allocate(p, (size_t)n, &error), &error);
    const double edge = 2.0 / cells, most = 0.5 * share * edge;
    for (int i = 0; i < n; i++) {
        const int place = (int)((long)i * places / n); /* apart, all over the grid */
        const int at[3] = {place % cells, place / cells % cells, place / (cells * cells)};
        p->r[i] = most * (1.0 - k->spread * rng_unit(&g));
        p->material[i] = k->densities ? (uint32_t)rng_below(&g, MATERIALS) : 0;
        p->id[i] = (uint64_t)i;
        p->fixed[i] = 0;
        for (int axis = 0; axis < 3; axis++) {
            const double free = edge - 2.0 * p->r[i];
            const bool there = axis < k->dim;
            p->x[3 * i + axis] =
                there ? edge * at[axis] - 1.0 + p->r[i] + free * rng_between(&g, 0.01, 0.99) : 0.0;
            p->v[3 * i + axis] = there ? rng_between(&g, -1.0, 1.0) : 0.0;
            p->w[3 * i + axis] = 0.0; /* friction makes it spin */
        }
    }
}

static void fill_reference(const kind *k, const jo_population *p, quad_balls *s)
{
    quad_start(s, (int)p->n, k->dim);
    for (int axis = 0; axis < k->dim; axis++) {
        s->edge[axis] = k->edge[axis];
        s->lo[axis] = -1;
        s->hi[axis] = 1;
    }
    s->gravity[k->dim - 1] = (quad)k->gravity;
    s->restitution = s->wall_restitution = k->restitution > 0.0 ? (quad)k->restitution : 1;
    s->restitution_speed = (quad)k->slow;
    s->friction = (quad)k->friction;
    s->tangential_restitution = (quad)k->tangential;
    s->growth = (quad)k->growth;
    for (size_t i = 0; i < p->n; i++) {
        quad volume = 1;
        for (int axis = 0; axis < k->dim; axis++)
            volume *= (quad)p->r[i];
        s->radius[i] = (quad)p->r[i];
        s->mass[i] = (quad)densities[p->material[i]] * volume;
    }
}

static jo_hard *create(jo_scene *scene, jo_population bodies)
{
    jo_error error = {0};
    jo_hard *hard = NULL;
    jo_hard_options options = jo_hard_options_default();
    options.log = 1;
    scene->groups = calloc(1, sizeof *scene->groups);
    assert_non_null(scene->groups);
    scene->group_count = 1;
    scene->groups[0] = jo_group_default(JO_GROUP_EXPLICIT);
    scene->groups[0].listed = bodies; /* the scene's from here on */
    must(jo_hard_create(scene, &options, &hard, &error), &error);
    return hard;
}

static hard_run start(const kind *k, int n, double share, uint64_t seed, quad_balls *reference)
{
    hard_run run = {0};
    jo_population bodies = {0};
    jo_scene scene = make_scene(k);
    add_walls(&scene, k, &run);
    fill_bodies(k, n, share, seed, &bodies);
    fill_reference(k, &bodies, reference);
    run.hard = create(&scene, bodies);
    jo_scene_free(&scene);
    return run;
}

static void show(const char *what, int n, const comparison *c)
{
    print_message("%s, %d balls: %ld events, times off by %.1e (over a flight %.1e), velocities by "
                  "%.1e; %ld ties%s%s\n",
                  what, n, c->events, c->worst_time, c->worst_interval, c->worst_velocity, c->ties,
                  c->differs ? "; " : "", c->text);
}

/* ---- tests */

static void every_event_is_the_reference_s(void **state)
{
    (void)state;
    const int sizes[] = {2, 7, 20, 50};
    for (int k = 0; k < KINDS; k++)
        for (size_t m = 0; m < sizeof sizes / sizeof *sizes; m++) {
            const int n = sizes[m];
            quad_balls reference;
            /* Many balls in a periodic box take the reference 27 images each: fewer events. */
            const long events = quad_events(n == 50 ? kinds[k].events / 4 : kinds[k].events);
            hard_run run = start(&kinds[k], n, kinds[k].share > 0.0 ? kinds[k].share : 0.8,
                                 10 * (uint64_t)k + m, &reference);
            const event_engine engine = {&run, hard_collide, hard_state};
            /* Two balls in a periodic box may fly long between collisions, and errors grow with
             * flights. */
            const comparison c = quad_follow(&engine, &reference, events, n == 2 ? 1 : 2 + n / 5);
            show(kinds[k].name, n, &c);
            jo_hard_destroy(run.hard);
            assert_int_equal(c.events, events);
            assert_int_equal(c.ties, 0);
            assert_true(c.worst_time < 1e-12);
            assert_true(c.worst_interval < 1e-10);
            assert_true(c.worst_velocity < 1e-11);
        }
}

/* hard and paper4 from one state, both in double: the same events until rounding has grown. */
static void as_paper4_from_one_start(void **state)
{
    (void)state;
    enum { NBS = 3, N = NBS * NBS * NBS };
    for (uint64_t seed = 1; seed <= 5; seed++) {
        quad_balls unused;
        jo_error error = {0};
        jo_paper4 *paper4 = NULL;
        double x[3 * N], v[3 * N], w[3 * N], time = 0.0;
        hard_run run = start(&kinds[0], N, 0.44, seed, &unused);
        hard_state(&run, x, v, w, &time);
        must(jo_paper4_create(N, 2.0, (double)unused.radius[0], x, v, &paper4, &error), &error);
        int same = 0;
        for (bool go = true; go; same += go) {
            jo_paper4_event event;
            int ball = 0, partner = 0;
            go = jo_paper4_collide(paper4, &event) && hard_collide(&run, &time, &ball, &partner) &&
                 event.ball == ball && event.partner == partner &&
                 fabs(event.time - time) < 1e-6 * time && same < 100000;
        }
        print_message("hard as paper4, seed %d: %d events\n", (int)seed, same);
        jo_paper4_destroy(paper4);
        jo_hard_destroy(run.hard);
        assert_true(same >= 6 * N);
    }
}

/* Balls that part, but more slowly than they grow: 0.3 + 0.05 t = 0.1 (1 + t). At the end of the
 * scene, 5, they cease to grow: cells were made for what they are then. */
static void growth_catches_up(void **state)
{
    (void)state;
    const char *const searches[] = {"auto", "cells", "verlet"};
    for (int k = 0; k < 3; k++) {
        const kind grows = {"", 3, PERIODIC, 0, .growth = 1.0, .search = searches[k]};
        jo_population p = {0};
        jo_error error = {0};
        hard_run run = {0};
        double time = 0.0;
        int one = 0, other = 0;
        must(jo_population_allocate(&p, 2, &error), &error);
        for (int i = 0; i < 2; i++) {
            p.r[i] = 0.05;
            p.x[3 * i] = i == 0 ? -0.15 : 0.15;
            p.v[3 * i] = i == 0 ? -0.025 : 0.025;
            p.id[i] = (uint64_t)i;
        }
        jo_scene scene = make_scene(&grows);
        scene.duration = 5.0;
        run.hard = create(&scene, p);
        jo_scene_free(&scene);
        assert_true(hard_collide(&run, &time, &one, &other));
        if (one != 0 || other != 1 || !(fabs(time - 4.0) < 1e-14))
            fail_msg("%s: (%d, %d) at %.17g instead of (0, 1) at 4", searches[k], one, other, time);
        jo_frame frame;
        must(jo_hard_advance(run.hard, 8.0, 0, &error), &error);
        must(jo_hard_frame(run.hard, &frame, &error), &error);
        assert_true(fabs(frame.r[0] - 0.3) < 1e-15);
        jo_hard_destroy(run.hard);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_is_the_reference_s),
        cmocka_unit_test(as_paper4_from_one_start),
        cmocka_unit_test(growth_catches_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    puts("no quadruple precision on this machine: skipped");
    return 0;
}

#endif
