/* test_soft_memory.c — soft spheres take at most 400 bytes each, whatever the law.
 *
 * A small packing settles on a floor and is laid out many times side by side. A body far above
 * flies so fast that lists are made anew twice, with all contacts on. Counted are the bytes that
 * the engine says it held at most, and those that it had from the allocator and from the system:
 * the linker hands its calls to the functions here (--wrap).
 *
 *     test_soft_memory [TILES]     # as many packings along x and y, and every law: 22 are a
 * million bodies
 *
 * What does not grow with the number of bodies makes it a few bytes more here than there
 * (docs/benchmarks.md). */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "jostle/soft.h"
#include "packing.h"
#include "support/systems.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

/* ---- what the library holds ---- */

static atomic_size_t held, most;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *data, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *data);
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __real_munmap(void *data, size_t size);
int __real_madvise(void *data, size_t size, int advice);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *data, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *data);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *data, size_t size);
int __wrap_madvise(void *data, size_t size, int advice);

static void note_most(void)
{
    const size_t now = atomic_load(&held);
    size_t before = atomic_load(&most);
    while (now > before && !atomic_compare_exchange_weak(&most, &before, now)) {
    }
}

static void *counted(void *data)
{
    atomic_fetch_add(&held, malloc_usable_size(data));
    note_most();
    return data;
}

void *__wrap_malloc(size_t size)
{
    return counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *data, size_t size)
{
    const size_t before = malloc_usable_size(data);
    void *moved = __real_realloc(data, size);
    if (moved != NULL) {
        atomic_fetch_sub(&held, before);
        counted(moved);
    }
    return moved;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *data)
{
    atomic_fetch_sub(&held, malloc_usable_size(data));
    __real_free(data);
}

/* More is mapped than needed and cut to measure before it is used: the advice comes after that. */
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    void *data = __real_mmap(at, size, protection, flags, file, offset);
    if (data != MAP_FAILED) atomic_fetch_add(&held, size);
    return data;
}

int __wrap_munmap(void *data, size_t size)
{
    atomic_fetch_sub(&held, size);
    return __real_munmap(data, size);
}

int __wrap_madvise(void *data, size_t size, int advice)
{
    note_most();
    return __real_madvise(data, size, advice);
}

/* ---- the packing ---- */

enum { TILE = 2048 };
#define EDGE 8.0 /* of a tile, in diameters */
static size_t tiles = 11;
static bool every_law;

static size_t bodies(void)
{
    return TILE * tiles * tiles;
}

static jo_material grain;
static jo_contact_def contact;
static jo_wall ground;

static jo_scene scene_of(double edge)
{
    jo_scene scene = jo_scene_default();
    snprintf(grain.name, sizeof grain.name, "grain");
    grain.density = 1.9098593171027440; /* mass 1 */
    grain.young = 5.625e7;
    grain.poisson = 0.25;
    contact = jo_contact_def_default();
    contact.friction = 0.5;
    contact.normal_stiffness = 2e5;
    contact.normal_damping = 50;
    contact.tangential_damping = 0;
    ground = jo_wall_default(JO_WALL_PLANE);
    ground.normal[0] = ground.normal[1] = 0;
    ground.normal[2] = 1;
    scene.materials = &grain;
    scene.contacts = &contact;
    scene.walls = &ground;
    scene.material_count = scene.wall_count = 1;
    scene.law.damping = JO_DAMPING_VISCOUS;
    scene.has_box = true;
    scene.leaving = JO_LEAVING_KEEP;
    scene.domain =
        (jo_domain){.lo = {0, 0, -10}, .hi = {edge, edge, 200}, .periodic = {true, true}};
    scene.gravity[0] = scene.gravity[1] = 0;
    scene.gravity[2] = -1;
    scene.time_step = 1e-4;
    scene.duration = 1;
    return scene;
}

static void put(jo_population *p, size_t k, const double x[3], const double shift[2])
{
    for (int a = 0; a < 3; a++)
        p->x[3 * k + (size_t)a] = x[a] + (a < 2 ? shift[a] : 0);
    p->id[k] = k;
    p->r[k] = 0.5;
    p->material[k] = 0;
    p->fixed[k] = 0;
}

/* Random centres pushed apart, then left to settle with strong dashpots. */
static void settle(double (*x)[3])
{
    jo_error error;
    jo_particles q;
    jo_population p;
    jo_soft *soft;
    jo_frame frame;
    const double height = TILE * 3.14159265358979 / 6 / (EDGE * EDGE * 0.605), none[2] = {0, 0};
    rng g = rng_seeded(5);
    assert_int_equal(jo_particles_allocate(&q, TILE, 3, &error), JO_OK);
    q.has_domain = true;
    q.domain = (jo_domain){.hi = {EDGE, EDGE, height}, .periodic = {true, true}};
    for (size_t i = 0; i < TILE; i++) {
        q.x[i] = EDGE * rng_unit(&g);
        q.y[i] = EDGE * rng_unit(&g);
        q.z[i] = 0.5 + (height - 1) * rng_unit(&g);
        q.r[i] = 0.5;
    }
    assert_int_equal(scene_relax(&q, 1e-3, 5000, &error), JO_OK);
    assert_int_equal(jo_population_allocate(&p, TILE, &error), JO_OK);
    memset(p.v, 0, 3 * TILE * sizeof *p.v);
    memset(p.w, 0, 3 * TILE * sizeof *p.w);
    for (size_t i = 0; i < TILE; i++)
        put(&p, i, (double[3]){q.x[i], q.y[i], q.z[i]}, none);
    jo_scene scene = scene_of(EDGE);
    contact.normal_damping = 500;
    contact.tangential_damping = 250;
    scene.time_step = 2e-4;
    assert_int_equal(jo_soft_create_with(&scene, &p, NULL, &soft, &error), JO_OK);
    assert_int_equal(jo_soft_advance(soft, 3000, &error), JO_OK);
    assert_int_equal(jo_soft_frame(soft, &frame, &error), JO_OK);
    memcpy(x, frame.x, TILE * sizeof *x);
    jo_soft_destroy(soft);
    jo_population_free(&p);
    jo_particles_free(&q);
}

static jo_population many;

static int make_many(void **state)
{
    (void)state;
#if defined(SANITIZED)
    return 0;
#endif
    jo_error error;
    double(*x)[3] = malloc(TILE * sizeof *x);
    assert_non_null(x);
    settle(x);
    assert_int_equal(jo_population_allocate(&many, bodies(), &error), JO_OK);
    memset(many.v, 0, 3 * bodies() * sizeof *many.v);
    memset(many.w, 0, 3 * bodies() * sizeof *many.w);
    for (size_t k = 0; k < bodies(); k++) {
        const size_t tile = k / TILE;
        const double shift[2] = {EDGE * (double)(tile % tiles), EDGE * (double)(tile / tiles)};
        put(&many, k, x[k % TILE], shift);
    }
    many.x[2] = 150; /* the one that flies */
    many.v[0] = 20;
    free(x);
    return 0;
}

static int free_many(void **state)
{
    (void)state;
    jo_population_free(&many);
    return 0;
}

/* ---- bytes per body ---- */

typedef struct law_case {
    const char *name;
    double dashpot;
    jo_rolling_law rolling;
    int threads;
    bool always; /* else only when every law is asked for */
} law_case;

static void check_bytes(const law_case *c)
{
    enum { STEPS = 42, MOST = 400 };
    jo_error error = {.text = ""};
    jo_soft *soft;
    jo_measures m;
    jo_scene scene = scene_of(EDGE * (double)tiles);
    contact.tangential_damping = c->dashpot;
    scene.law.rolling = c->rolling;
    contact.rolling_friction = c->rolling == JO_ROLLING_NONE ? 0 : 0.1;
    jo_soft_options options = jo_soft_options_default();
    options.threads = c->threads;
    const size_t before = atomic_load(&held);
    atomic_store(&most, before);
    assert_int_equal(jo_soft_create_with(&scene, &many, &options, &soft, &error), JO_OK);
    assert_int_equal(jo_soft_advance(soft, STEPS, &error), JO_OK);
    const jo_soft_stats stats = jo_soft_statistics(soft);
    const double n = (double)bodies(), stated = (double)stats.bytes_peak / n;
    const double taken = (double)(atomic_load(&most) - before) / n;
    assert_int_equal(jo_soft_measure(soft, &m, &error), JO_OK);
    jo_soft_destroy(soft);
    const double contacts = (double)m.contacts / n;
    printf("%-45s %d thread%s: %.1f bytes a body stated, %.1f taken; %.2f contacts\n", c->name,
           c->threads, c->threads > 1 ? "s" : " ", stated, taken, contacts);
    assert_true(stats.rebuilds >= 3); /* the first, and two with contacts */
    assert_true(contacts > 2.2 &&
                contacts < 2.6); /* else it is no packing, or no packing of this kind */
    assert_true(stated < MOST);
    assert_true(taken < MOST);
    assert_true(taken < 1.02 * stated && stated < 1.02 * taken); /* it knows what it holds */
}

static void no_law_takes_more_than_400(void **state)
{
    (void)state;
#if defined(SANITIZED)
    skip(); /* they have memory of their own in every allocation */
#endif
    const law_case cases[] = {
        {"springs and friction", 0, JO_ROLLING_NONE, 1, true},
        {"springs and friction", 0, JO_ROLLING_NONE, 2, false},
        {"tangential dashpot", 25, JO_ROLLING_NONE, 1, false},
        {"tangential dashpot", 25, JO_ROLLING_NONE, 2, false},
        {"constant torque", 0, JO_ROLLING_CONSTANT, 1, false},
        {"constant torque", 0, JO_ROLLING_CONSTANT, 2, false},
        {"constant torque and tangential dashpot", 25, JO_ROLLING_CONSTANT, 1, false},
        {"constant torque and tangential dashpot", 25, JO_ROLLING_CONSTANT, 2, false},
        {"EPSD", 0, JO_ROLLING_EPSD, 1, true},
        {"EPSD", 0, JO_ROLLING_EPSD, 2, false},
        {"EPSD and tangential dashpot", 25, JO_ROLLING_EPSD, 1, true},
        {"EPSD and tangential dashpot", 25, JO_ROLLING_EPSD, 2, true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (every_law || cases[k].always) check_bytes(&cases[k]);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        tiles = strtoul(argv[1], NULL, 10);
        every_law = true;
        if (tiles < 1 || tiles > 100) return 64;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_law_takes_more_than_400, make_many, free_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
