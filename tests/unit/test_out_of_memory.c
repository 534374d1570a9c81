/* test_out_of_memory.c — every allocation of the library fails once, and nothing is lost.
 *
 * The linker hands the library's calls of malloc, calloc, realloc, aligned_alloc and free to the
 * functions here (--wrap), which fail the k-th allocation, for k = 1, 2, … until a whole run needs
 * fewer. Each call must succeed or return JO_ERR_MEMORY with a sentence; the search must work again
 * when there is memory; and at the end everything allocated must have been freed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "generate.h"
#include "jostle/hard.h"
#include "jostle/paper4.h"
#include "jostle/polyhedron.h"
#include "jostle/scenefile.h"
#include "jostle/trajectory.h"
#include "support/hard_cases.h"
#include "support/systems.h"
#include "support/wall_cases.h"

static atomic_long until_failure = -1; /* counts down to 0, where an allocation fails; < 0: never */
static atomic_long held;               /* allocations not yet freed */
static atomic_bool failed;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *data, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *data);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *data, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *data);

static bool must_fail(void)
{
    if (atomic_load(&until_failure) < 0) return false;
    if (atomic_fetch_sub(&until_failure, 1) != 1) return false;
    atomic_store(&failed, true);
    return true;
}

static void *counted(void *data)
{
    if (data != NULL) atomic_fetch_add(&held, 1);
    return data;
}

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *data, size_t size)
{
    if (must_fail()) return NULL;
    void *moved = __real_realloc(data, size);
    return data == NULL ? counted(moved) : moved;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *data)
{
    if (data != NULL) atomic_fetch_sub(&held, 1);
    __real_free(data);
}

static void fail_allocation(long k)
{
    atomic_store(&failed, false);
    atomic_store(&until_failure, k);
}

static void allow_all(void)
{
    atomic_store(&until_failure, -1);
}

/* ---- a search through find, moves and updates */

enum { N = 900 };
static double x[3][2][N], r[N]; /* two sets of positions, so that updates have events */

static void make_bodies(void)
{
    rng g = rng_seeded(3);
    for (size_t i = 0; i < N; i++) {
        r[i] = 0.5 * rng_log(&g, 0.2, 1.2);
        for (int a = 0; a < 3; a++) {
            x[a][0][i] = 9.0 * rng_unit(&g);
            x[a][1][i] = x[a][0][i] + rng_between(&g, -0.5, 0.5);
        }
    }
}

static void accept(jo_status status, const jo_error *error, const char *method)
{
    if (status == JO_OK) return;
    if (status != JO_ERR_MEMORY || error->status != JO_ERR_MEMORY ||
        strstr(error->text, "memory") == NULL || !atomic_load(&failed))
        fail_msg("%s: status %d: %s", method, (int)status, error->text);
}

static void same_as(jo_broad *search, const pair_array *wanted, const char *method)
{
    const jo_pairs found = jo_broad_contacts(search);
    if (found.count != wanted->count ||
        memcmp(found.pairs, wanted->pairs, found.count * sizeof *found.pairs) != 0)
        fail_msg("%s: %zu contacts, %zu wanted", method, found.count, wanted->count);
}

/* Runs with the k-th allocation failing; false when no allocation was left to fail. */
static bool run_failing(const char *method, int threads, long k, const pair_array wanted[2])
{
    const long before = atomic_load(&held);
    jo_broad_def def = jo_broad_def_default();
    def.method = method;
    def.threads = threads;
    jo_broad *search;
    jo_error error = {0};
    fail_allocation(k);
    jo_status status = jo_broad_create(&def, &search, &error);
    accept(status, &error, method);
    for (int call = 0; search != NULL && call < 6; call++) {
        const int set = call % 2;
        const jo_bodies bodies = jo_spheres(N, 3, x[0][set], x[1][set], x[2][set], r);
        error = (jo_error){0};
        status = call == 0 ? jo_broad_find(search, &bodies, &error)
                           : jo_broad_update(search, &bodies, &error);
        accept(status, &error, method);
        if (status == JO_OK)
            same_as(search, &wanted[set], method);
        else
            assert_int_equal(jo_broad_contacts(search).count, 0);
    }
    const bool any = atomic_load(&failed);
    allow_all();
    if (search != NULL) { /* with memory again it works again */
        const jo_bodies bodies = jo_spheres(N, 3, x[0][0], x[1][0], x[2][0], r);
        assert_int_equal(jo_broad_update(search, &bodies, NULL), JO_OK);
        same_as(search, &wanted[0], method);
    }
    jo_broad_destroy(search);
    if (atomic_load(&held) != before)
        fail_msg("%s, allocation %ld: %ld allocations were not freed", method, k,
                 atomic_load(&held) - before);
    return any;
}

static void every_method_survives(void **state)
{
    (void)state;
    make_bodies();
    pair_array wanted[2] = {{0}, {0}};
    for (int set = 0; set < 2; set++) {
        const jo_bodies bodies = jo_spheres(N, 3, x[0][set], x[1][set], x[2][set], r);
        assert_true(pairs_by_definition(&bodies, NULL, &wanted[set]));
    }
    const size_t count = jo_broad_method_count();
    for (size_t m = 0; m <= count; m++)
        for (int threads = 1; threads <= 2; threads++) {
            const char *method = m < count ? jo_broad_method(m)->name : "auto";
            long k = 1;
            while (run_failing(method, threads, k, wanted))
                if (++k > 2000) fail_msg("%s: no end of allocations", method);
            assert_true(k > 3); /* else the library's calls do not come here */
        }
    pairs_free(&wanted[0]);
    pairs_free(&wanted[1]);
}

static void generators_survive(void **state)
{
    (void)state;
    static const char *const names[] = {"A3", "L2", "packing"};
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        scene_def def;
        assert_true(scene_by_name(names[m], 60, &def));
        bool any = true;
        for (long k = 1; any; k++) {
            const long before = atomic_load(&held);
            jo_particles p;
            jo_error error = {0};
            assert_true(k < 2000);
            fail_allocation(k);
            accept(scene_generate(&def, &p, &error), &error, names[m]);
            any = atomic_load(&failed);
            allow_all();
            jo_particles_free(&p);
            assert_int_equal(atomic_load(&held), before);
        }
    }
}

static void readers_survive(void **state)
{
    (void)state;
    static const char csv[] = "x,y,z,r\n0,0,0,1\n1,0,0,1\n5,0,0,1\n";
    const jo_read_options options = jo_read_options_default();
    bool any = true;
    for (long k = 1; any; k++) {
        const long before = atomic_load(&held);
        jo_particles p = {0};
        jo_error error = {0};
        assert_true(k < 2000);
        fail_allocation(k);
        accept(jo_particles_parse(csv, sizeof csv - 1, "three.csv", &options, &p, &error), &error,
               "csv");
        any = atomic_load(&failed);
        allow_all();
        jo_particles_free(&p);
        assert_int_equal(atomic_load(&held), before);
    }
}

static const char scene_text[] =
    "title: all that allocates\n"
    "box: {lo: [0, 0, 0], hi: [1, 1, 1], periodic: [x]}\n"
    "materials: {g: {density: 1, young: 1e7, poisson: 0.2, restitution: 0.9}}\n"
    "contacts: [{between: [g, g], friction: 0.5}]\n"
    "bodies:\n"
    "  - list: [{position: [0.5, 0.5, 0.9], radius: 0.05}]\n"
    "  - {radius: 0.04, lattice: {kind: bcc, region: {lo: [0, 0, 0], hi: [1, 1, 0.2]}}}\n"
    "  - {radius: {uniform: [0.02, 0.05]}, random: {count: 40}}\n"
    "  - {radius: 0.03, random: {fraction: 0.4, region: {lo: [0.2, 0.2, 0.2], hi: [0.6, 0.6, "
    "0.6]}}}\n"
    "walls: {a: {mesh: {triangles: [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]]}}, c: {mesh: {file: "
    "c.txt}}}\n"
    "gates: {b: {point: [0, 0, 0], normal: +z}}\n"
    "duration: 1\n";

/* Files come from a checkpoint: reading them where they are would allocate in the C library. */
static void scenes_survive(void **state)
{
    (void)state;
    char name[] = "c.txt", triangle[] = "0 0 1  1 0 1  0 1 1\n", text[sizeof scene_text];
    jo_geometry_file file = {name, triangle, sizeof triangle - 1};
    const jo_checkpoint from = {.scene_text = text, .geometry = &file, .geometry_count = 1};
    for (int good = 0; good < 2; good++) {
        bool any = true;
        for (long k = 1; any; k++) {
            const long before = atomic_load(&held);
            jo_scene scene;
            jo_problems problems;
            jo_population bodies = {0};
            jo_error error = {0};
            assert_true(k < 2000);
            fail_allocation(k);
            /* Cut off, it is no scene: problems are allocated, too. */
            memcpy(text, scene_text, sizeof text);
            if (!good) text[sizeof text - 13] = '\0';
            jo_status status = jo_scene_parse_checkpoint(&from, "scene", &scene, &problems, &error);
            if (status == JO_ERR_UNSUPPORTED) skip();
            if (good || status != JO_ERR_DATA) accept(status, &error, "scene");
            assert_true(good || status != JO_OK);
            if (status == JO_OK)
                accept(jo_scene_populate(&scene, &bodies, NULL, NULL, &error), &error, "populate");
            any = atomic_load(&failed);
            allow_all();
            jo_population_free(&bodies);
            jo_problems_free(&problems);
            jo_scene_free(&scene);
            if (atomic_load(&held) != before)
                fail_msg("scene, allocation %ld: %ld not freed", k, atomic_load(&held) - before);
        }
    }
}

static void walls_survive(void **state)
{
    (void)state;
    static const double box[6] = {0, 0, 0, 1, 1, 1};
    soup s = {0};
    soup_add_box(&s, box, box + 3, 3, NULL);
    const jo_wall wall = soup_wall(&s);
    bool any = true;
    for (long k = 1; any; k++) {
        const long before = atomic_load(&held);
        wall_shape *shape;
        double *triangles;
        size_t count;
        jo_error error = {0};
        assert_true(k < 2000);
        fail_allocation(k);
        accept(jo_wall_shape_create(&wall, 3, &shape, &error), &error, "a wall");
        accept(jo_wall_triangles(&wall, 3, box, box + 3, &triangles, &count, &error), &error,
               "a wall");
        any = atomic_load(&failed);
        allow_all();
        jo_wall_shape_destroy(shape);
        free(triangles);
        assert_int_equal(atomic_load(&held), before);
        assert_true(any || k > 10);
    }
    soup_free(&s);
}

static void paper4_survives(void **state)
{
    (void)state;
    double place[24], velocity[24];
    jo_paper4_grid(2, 1.0, 1.0, 1, place, velocity);
    bool any = true;
    for (long k = 1; any; k++) {
        const long before = atomic_load(&held);
        jo_paper4 *balls;
        jo_error error = {0};
        assert_true(k < 100);
        fail_allocation(k);
        accept(jo_paper4_create(8, 1.0, 0.1, place, velocity, &balls, &error), &error, "paper4");
        any = atomic_load(&failed);
        allow_all();
        assert_true(any == (balls == NULL));
        jo_paper4_destroy(balls);
        assert_int_equal(atomic_load(&held), before);
    }
}

static void hard_survives(void **state)
{
    (void)state;
    const double size[3] = {8.0, 8.0, 8.0};
    jo_scene scene = hard_scene(3, size, "");
    hard_scene_walls(&scene);
    jo_population bodies = hard_gas(&scene, 60, 1);
    bool any = true;
    for (long k = 1; any; k++) {
        const long before = atomic_load(&held);
        jo_hard *hard;
        jo_frame frame;
        jo_error error = {0};
        assert_true(k < 2000);
        fail_allocation(k);
        jo_status status = jo_hard_create_with(&scene, &bodies, NULL, &hard, &error);
        accept(status, &error, "hard");
        if (status == JO_OK) accept(jo_hard_advance(hard, 2.0, 0, &error), &error, "hard");
        if (status == JO_OK) accept(jo_hard_frame(hard, &frame, &error), &error, "hard");
        any = atomic_load(&failed);
        allow_all();
        jo_hard_destroy(hard);
        assert_int_equal(atomic_load(&held), before);
        assert_true(any || k > 10);
    }
    jo_population_free(&bodies);
    hard_scene_free(&scene);
}

static void shapes_survive(void **state)
{
    (void)state;
    /* A cube of triangles: read, joined, merged. */
    static const char off[] =
        "OFF\n8 6 12\n0 0 0\n2 0 0\n2 2 0\n0 2 0\n0 0 2\n2 0 2\n2 2 2\n0 2 2\n"
        "4 3 2 1 0\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n";
    /* A tetrahedron with an edge cut on one side alone: replaced by its hull. */
    static const char cut[] = "OFF\n5 5 0\n0 0 0\n2 0 0\n0 2 0\n0 0 2\n1 0 0\n3 0 2 4\n3 4 2 1\n"
                              "3 0 1 3\n3 1 2 3\n3 2 0 3\n";
    static const double square[8] = {0, 0, 1, 0, 1, 1, 0, 1};
    const jo_rock_def rock = jo_rock_def_default();
    const jo_solid_def prism = jo_solid_def_default("prism");
    bool any = true;
    for (long k = 1; any; k++) {
        const long before = atomic_load(&held);
        jo_polyhedron *shape[4];
        jo_polygon *flat;
        jo_error error = {0};
        assert_true(k < 2000);
        fail_allocation(k);
        accept(jo_polyhedron_parse(off, sizeof off - 1, "cube", &shape[0], &error), &error, "cube");
        accept(jo_polyhedron_solid(&prism, &shape[1], &error), &error, "prism");
        const jo_status status = jo_polyhedron_rock(&rock, &shape[2], &error);
        if (status != JO_ERR_UNSUPPORTED) accept(status, &error, "rock");
        if (jo_hulls_available())
            accept(jo_polyhedron_parse(cut, sizeof cut - 1, "cut", &shape[3], &error), &error,
                   "cut");
        else
            shape[3] = NULL;
        accept(jo_polygon_create(square, 4, &flat, &error), &error, "square");
        any = atomic_load(&failed);
        allow_all();
        for (int i = 0; i < 4; i++)
            jo_polyhedron_destroy(shape[i]);
        jo_polygon_destroy(flat);
        if (atomic_load(&held) != before)
            fail_msg("shapes, allocation %ld: %ld not freed", k, atomic_load(&held) - before);
        assert_true(any || k > 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_survives), cmocka_unit_test(generators_survive),
        cmocka_unit_test(readers_survive),       cmocka_unit_test(scenes_survive),
        cmocka_unit_test(walls_survive),         cmocka_unit_test(paper4_survives),
        cmocka_unit_test(hard_survives),         cmocka_unit_test(shapes_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
