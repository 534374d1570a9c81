/* test_soft_lists.c — the soft engine's bookkeeping against slow references.
 *
 * Gases of grains of many kinds (2D and 3D, equal and unequal sizes, one and two materials, open,
 * periodic and sheared boxes, several laws) are followed through many list rebuilds:
 *  - contacts are those of an exhaustive search over all pairs (a list that is too short, or made
 * too late, misses some), and the forces on bodies are the sums of the contacts' forces;
 *  - the state is the same to the last bit for 1, 2 and 3 threads, for every kernel this processor
 * can run, whether forces go past the cache or not, and for a run that was saved and restored with
 *    another number of threads;
 *  - and for bodies that are alike, whether kernels make use of it or not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mix.h"
#include "soft/engine.h"

enum { WALL = 1, UNACCOUNTED = 2, VISCOUS = 4 };

typedef struct kind {
    const char *name;
    int dim;
    size_t n;
    double spread; /* radii from 1 to this */
    bool periodic;
    double shear;
    size_t materials;
    jo_normal_law normal;
    jo_tangential_law tangential;
    jo_rolling_law rolling;
    jo_cohesion_law cohesion;
    unsigned with; /* any of the above */
} kind;

static const kind kinds[] = {
    {"3D equal periodic hertz", 3, 3000, 1, true, 0, 1, JO_NORMAL_HERTZ, JO_TANGENTIAL_MINDLIN, 0,
     0, 0},
    {"3D unequal periodic linear", 3, 2500, 4, true, 0, 2, JO_NORMAL_LINEAR, JO_TANGENTIAL_LINEAR,
     0, 0, 0},
    {"2D periodic hertz rolling", 2, 2500, 2, true, 0, 1, JO_NORMAL_HERTZ, JO_TANGENTIAL_MINDLIN,
     JO_ROLLING_EPSD, 0, 0},
    {"3D sheared linear", 3, 2500, 1.5, true, 3.0, 1, JO_NORMAL_LINEAR, JO_TANGENTIAL_LINEAR, 0, 0,
     0},
    {"2D sheared hertz", 2, 2200, 1.5, true, -2.0, 2, JO_NORMAL_HERTZ, JO_TANGENTIAL_MINDLIN, 0, 0,
     0},
    {"3D open box of walls, incremental", 3, 2200, 1.5, false, 0, 1, JO_NORMAL_HERTZ,
     JO_TANGENTIAL_MINDLIN_FORCE, JO_ROLLING_CONSTANT, 0, WALL},
    {"3D adhesive", 3, 2200, 1.2, true, 0, 1, JO_NORMAL_HERTZ, JO_TANGENTIAL_MINDLIN, 0,
     JO_COHESION_JKR, 0},
    {"2D open, no friction", 2, 2100, 3, false, 0, 1, JO_NORMAL_LINEAR, JO_TANGENTIAL_NONE, 0, 0,
     WALL},
    {"3D alike periodic hertz", 3, 2500, 1, true, 0, 1, JO_NORMAL_HERTZ, JO_TANGENTIAL_MINDLIN, 0,
     0, UNACCOUNTED | VISCOUS},
    {"3D alike open linear", 3, 2500, 1, false, 0, 1, JO_NORMAL_LINEAR, JO_TANGENTIAL_LINEAR, 0, 0,
     WALL | UNACCOUNTED | VISCOUS},
    {"2D alike periodic hertz, restitution", 2, 2100, 1, true, 0, 1, JO_NORMAL_HERTZ,
     JO_TANGENTIAL_MINDLIN, 0, 0, UNACCOUNTED},
    {"3D alike periodic linear, restitution", 3, 2500, 1, true, 0, 1, JO_NORMAL_LINEAR,
     JO_TANGENTIAL_LINEAR, 0, 0, UNACCOUNTED},
};

/* JOSTLE_TEST_SCALE, where sanitizers make everything slow: every third kind, and not for so
 * long. */
static bool in_short(void)
{
    const char *scale = getenv("JOSTLE_TEST_SCALE");
    return scale != NULL && atoi(scale) > 1;
}

typedef struct system {
    jo_scene scene;
    jo_material materials[2];
    jo_contact_def contacts[4];
    jo_wall wall;
    jo_population bodies;
} system_of;

static double unit(uint64_t seed, uint64_t k)
{
    return (double)(jo_mix64(seed ^ jo_mix64(k)) >> 11) * 0x1p-53;
}

/* Bodies on a jittered grid that fills the box to about a third, with random velocities and
 * spins. */
static void place(system_of *s, const kind *k, uint64_t seed)
{
    jo_error error;
    const size_t side = (size_t)ceil(pow((double)k->n, 1.0 / k->dim) - 1e-9);
    const double cell = 2.15 * k->spread, edge = cell * (double)side;
    assert_int_equal(jo_population_allocate(&s->bodies, k->n, &error), JO_OK);
    for (int a = 0; a < 3; a++) {
        s->scene.domain.lo[a] = -1;
        s->scene.domain.hi[a] = -1 + edge;
        s->scene.domain.periodic[a] = k->periodic && a < k->dim;
        s->wall.lo[a] = s->scene.domain.lo[a];
        s->wall.hi[a] = s->scene.domain.hi[a];
    }
    for (size_t i = 0; i < k->n; i++) {
        const size_t at[3] = {i % side, i / side % side, i / side / side};
        const double u = unit(seed, 8 * i);
        s->bodies.r[i] = k->spread - (k->spread - 1) * u * u * u;
        for (int a = 0; a < 3; a++) {
            const double free = cell - 2 * s->bodies.r[i];
            s->bodies.x[3 * i + a] = a < k->dim ? -1 + cell * (double)at[a] + s->bodies.r[i] +
                                                      free * unit(seed, 8 * i + 1 + a)
                                                : 0;
            s->bodies.v[3 * i + a] = a < k->dim ? 20 * (unit(seed, 8 * i + 4 + a) - 0.5) : 0;
            s->bodies.w[3 * i + a] = k->dim == 3 || a == 2 ? 5 * (unit(seed, 9 * i + a) - 0.5) : 0;
        }
        s->bodies.material[i] = (uint32_t)(i % k->materials);
        s->bodies.fixed[i] = i % 37 == 5;
        s->bodies.id[i] = 3 * i + 7;
    }
}

static system_of *make(const kind *k, uint64_t seed)
{
    system_of *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->scene = jo_scene_default();
    s->scene.dim = k->dim;
    s->scene.has_box = true;
    s->scene.leaving = JO_LEAVING_KEEP;
    s->scene.shear_rate = k->shear;
    s->scene.law.normal = k->normal;
    s->scene.law.tangential = k->tangential;
    s->scene.law.rolling = k->rolling;
    s->scene.law.cohesion = k->cohesion;
    s->scene.law.damping = k->with & VISCOUS ? JO_DAMPING_VISCOUS : JO_DAMPING_RESTITUTION;
    s->scene.account_energy = !(k->with & UNACCOUNTED);
    s->scene.gravity[1] = k->shear == 0 ? -3 : 0;
    s->scene.material_count = k->materials;
    s->scene.materials = s->materials;
    s->scene.contacts = s->contacts;
    s->scene.overlap_alarm = 0.5;
    for (size_t m = 0; m < 2; m++)
        s->materials[m] =
            (jo_material){.name = "grain", .density = 1 + (double)m, .young = 1e6, .poisson = 0.25};
    for (size_t m = 0; m < 4; m++) {
        s->contacts[m] = jo_contact_def_default();
        s->contacts[m].normal_stiffness = k->normal == JO_NORMAL_LINEAR ? 1e5 : NAN;
        s->contacts[m].restitution = m == 1 || m == 2 ? 0.7 : 0.8;
        s->contacts[m].friction = 0.4;
        s->contacts[m].rolling_friction = 0.1;
        s->contacts[m].surface_energy = 20;
        if (!(k->with & VISCOUS)) continue;
        s->contacts[m].restitution = NAN;
        s->contacts[m].normal_damping = 20;
        s->contacts[m].tangential_damping = 10;
    }
    s->wall = jo_wall_default(JO_WALL_BOX);
    s->scene.walls = &s->wall;
    s->scene.wall_count = k->with & WALL ? 1 : 0;
    s->scene.duration = 1;
    place(s, k, seed);
    return s;
}

static jo_soft *start(system_of *s, int threads)
{
    jo_error error = {0};
    jo_soft *soft = NULL;
    jo_soft_options options = jo_soft_options_default();
    options.threads = threads;
    if (jo_soft_create_with(&s->scene, &s->bodies, &options, &soft, &error) != JO_OK)
        fail_msg("%s", error.text);
    return soft;
}

static void advance(jo_soft *soft, uint64_t steps)
{
    jo_error error = {0};
    if (jo_soft_advance(soft, steps, &error) != JO_OK) fail_msg("%s", error.text);
}

static void discard(system_of *s)
{
    jo_population_free(&s->bodies);
    free(s);
}

/* ---- contacts and forces ---- */

/* Overlap of two bodies of a frame, the nearest image counted. */
static double overlap(const jo_frame *f, size_t i, size_t j)
{
    double d[3], d2 = 0;
    for (int a = 0; a < 3; a++)
        d[a] = f->x[3 * i + a] - f->x[3 * j + a];
    if (f->shear_offset != 0)
        d[0] -= rint(d[1] / (f->domain.hi[1] - f->domain.lo[1])) * f->shear_offset;
    for (int a = 0; a < f->dim; a++) {
        const double size = f->domain.hi[a] - f->domain.lo[a];
        if (f->domain.periodic[a]) d[a] -= size * rint(d[a] / size);
        d2 += d[a] * d[a];
    }
    return f->r[i] + f->r[j] - sqrt(d2);
}

static size_t index_of(const jo_frame *f, uint64_t id)
{
    size_t low = 0, high = f->n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (f->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    assert_true(low < f->n && f->id[low] == id);
    return low;
}

/* Pairs that touch, by looking at all of them; with adhesion contacts may last a little longer. */
static void check_contacts(jo_soft *soft, const kind *k)
{
    jo_error error;
    jo_frame f;
    const jo_soft_contact *contacts;
    size_t count, touching = 0, at = 0;
    assert_int_equal(jo_soft_frame(soft, &f, &error), JO_OK);
    assert_int_equal(jo_soft_contacts(soft, &contacts, &count, &error), JO_OK);
    double *sum = calloc(3 * f.n, sizeof *sum), scale = 0;
    for (size_t c = 0; c < count; c++) {
        const size_t a = index_of(&f, contacts[c].a);
        for (int x = 0; x < 3; x++) {
            sum[3 * a + x] += contacts[c].force[x];
            if (contacts[c].b != JO_NO_BODY)
                sum[3 * index_of(&f, contacts[c].b) + x] -= contacts[c].force[x];
            scale = fmax(scale, fabs(contacts[c].force[x]));
        }
    }
    /* In its first and last step a contact's spring is corrected for the part of the step it was
     * there: that is in the body's force, but not in the contact as looked at afterwards. */
    size_t apart = 0;
    for (size_t i = 0; i < 3 * f.n; i++)
        apart += !f.fixed[i / 3] && fabs(sum[i] - f.force[i]) > 1e-11 * scale;
    assert_true(apart <= count * 6 / 10);
    for (size_t i = 0; i < f.n; i++)
        for (size_t j = i + 1; j < f.n; j++) {
            const double deep = overlap(&f, i, j);
            if (deep < 0 || (f.fixed[i] && f.fixed[j])) continue;
            touching++;
            while (at < count && (contacts[at].a < f.id[i] ||
                                  (contacts[at].a == f.id[i] && contacts[at].b < f.id[j])))
                at++;
            if (deep < 1e-12) continue; /* as good as touching: rounding decides */
            if (at == count || contacts[at].a != f.id[i] || contacts[at].b != f.id[j])
                fail_msg("%s: bodies %zu and %zu overlap by %g and are no contact", k->name, i, j,
                         deep);
            assert_true(fabs(contacts[at].overlap - deep) < 1e-11);
        }
    jo_measures m;
    assert_int_equal(jo_soft_measure(soft, &m, &error), JO_OK);
    if (k->cohesion == JO_COHESION_NONE)
        assert_true(m.contacts <= touching && m.contacts + 3 >= touching);
    else
        assert_true(m.contacts + 3 >= touching);
    assert_true(touching > f.n / 200);
    free(sum);
}

static void test_contacts_are_all_there(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k += in_short() ? 3 : 1) {
        system_of *s = make(&kinds[k], 11 + k);
        jo_soft *soft = start(s, 2);
        for (int round = 0; round < (in_short() ? 1 : 6); round++) {
            advance(soft, 150);
            check_contacts(soft, &kinds[k]);
        }
        assert_true(jo_soft_statistics(soft).rebuilds > 2);
        jo_soft_destroy(soft);
        discard(s);
    }
}

/* ---- same bits ---- */

/* A deep copy of what the engine saves. */
typedef struct saved {
    jo_chunk chunks[JO_CHUNKS_MAX];
    size_t count;
} saved;

static size_t chunk_bytes(const jo_chunk *c)
{
    static const size_t sizes[] = {[JO_CHUNK_F64] = 8,
                                   [JO_CHUNK_F32] = 4,
                                   [JO_CHUNK_U64] = 8,
                                   [JO_CHUNK_U32] = 4,
                                   [JO_CHUNK_U8] = 1};
    return c->count * sizes[c->type];
}

static saved take(jo_soft *soft)
{
    saved s;
    jo_error error;
    assert_int_equal(jo_soft_save(soft, s.chunks, &s.count, &error), JO_OK);
    for (size_t k = 0; k < s.count; k++) {
        void *copy = malloc(chunk_bytes(&s.chunks[k]) + 1);
        memcpy(copy, s.chunks[k].data, chunk_bytes(&s.chunks[k]));
        s.chunks[k].data = copy;
    }
    return s;
}

static void drop(saved *s)
{
    for (size_t k = 0; k < s->count; k++)
        free((void *)(uintptr_t)s->chunks[k].data);
}

static jo_soft *restore(const system_of *s, const saved *from, int threads)
{
    jo_error error = {0};
    jo_soft *soft = NULL;
    jo_soft_options options = jo_soft_options_default();
    options.threads = threads;
    if (jo_soft_restore(&s->scene, &options, from->chunks, from->count, &soft, &error) != JO_OK)
        fail_msg("%s", error.text);
    return soft;
}

static void test_same_bits(void **state)
{
    (void)state;
    const uint64_t first = in_short() ? 30 : 170, then = in_short() ? 40 : 260;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k += in_short() ? 3 : 1) {
        system_of *s = make(&kinds[k], 5 + k);
        jo_soft *one = start(s, 1);
        advance(one, first);
        saved middle = take(one);
        advance(one, then);
        const uint64_t hash = jo_soft_hash(one);
        jo_measures m, n;
        jo_error error;
        assert_int_equal(jo_soft_measure(one, &m, &error), JO_OK);
        jo_soft_destroy(one);
        for (int threads = 2; threads <= 3; threads++) {
            jo_soft *other = start(s, threads);
            advance(other, first + then);
            assert_true(jo_soft_hash(other) == hash);
            jo_soft_destroy(other);
        }
        jo_soft *again = restore(s, &middle, 3);
        advance(again, then);
        assert_true(jo_soft_hash(again) == hash);
        assert_int_equal(jo_soft_measure(again, &n, &error), JO_OK);
        assert_memory_equal(&m.energy, &n.energy, sizeof m.energy);
        jo_soft_destroy(again);
        jo_soft *many = restore(s, &middle, 2);
        many->s.many = 0; /* what large systems do */
        advance(many, then);
        if (jo_soft_hash(many) != hash)
            fail_msg("%s: forces that go past the cache give other bits", kinds[k].name);
        jo_soft_destroy(many);
        jo_soft *plain = restore(s, &middle, 2);
        plain->run = &jo_soft_kernels_plain;
        plain->s.many = k % 2 == 0 ? 0 : SIZE_MAX;
        advance(plain, then);
        if (jo_soft_hash(plain) != hash)
            fail_msg("%s: the plain kernels give other bits", kinds[k].name);
        jo_soft_destroy(plain);
#ifdef JO_TEST_AVX2
        if (__builtin_cpu_supports("avx2")) {
            jo_soft *avx2 = restore(s, &middle, 2);
            avx2->run = &jo_soft_kernels_avx2;
            avx2->s.many = k % 2 == 0 ? 0 : SIZE_MAX;
            advance(avx2, then);
            assert_true(jo_soft_hash(avx2) == hash);
            jo_soft_destroy(avx2);
        }
#endif
        drop(&middle);
        discard(s);
    }
}

static void test_alike(void **state)
{
    (void)state;
    const int steps = in_short() ? 60 : 400;
    size_t tried = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (!(kinds[k].with & UNACCOUNTED) || kinds[k].spread > 1) continue;
        system_of *s = make(&kinds[k], 21 + k);
        jo_soft *alike = start(s, 1), *general = start(s, 1);
        assert_true(alike->s.radius > 0);
        advance(alike, (uint64_t)steps);
        for (int step = 0; step < steps; step++) {
            general->s.radius = 0; /* until lists are made again */
            advance(general, 1);
        }
        if (jo_soft_hash(alike) != jo_soft_hash(general))
            fail_msg("%s: bodies that are alike give other bits", kinds[k].name);
        jo_soft_destroy(alike);
        jo_soft_destroy(general);
        discard(s);
        tried++;
    }
    assert_true(tried >= 4);
}

/* ---- states that were damaged ---- */

static void test_damaged_states(void **state)
{
    (void)state;
    system_of *s = make(&kinds[5], 3); /* with walls, and rolling */
    jo_soft *soft = start(s, 1);
    advance(soft, 60);
    saved good = take(soft);
    jo_soft_destroy(soft);
    size_t refused = 0, tried = 0;
    for (size_t k = 0; k < good.count; k++)
        for (int how = 0; how < 6; how++) {
            saved bad = good;
            jo_chunk *c = &bad.chunks[k];
            const size_t bytes = chunk_bytes(c);
            unsigned char *copy = malloc(bytes + 1);
            memcpy(copy, c->data, bytes);
            c->data = copy;
            if (how == 0)
                c->count = c->count / 2;
            else if (how == 1)
                bad.chunks[k] = bad.chunks[--bad.count];
            else /* rubbish in a few places */
                for (int at = 0; at < 4 && bytes > 0; at++)
                    copy[jo_mix64(tried * 16 + (uint64_t)at) % bytes] ^=
                        (unsigned char)(0x11 << how % 4);
            jo_soft *other = NULL;
            jo_error error = {0};
            const jo_status status =
                jo_soft_restore(&s->scene, NULL, bad.chunks, bad.count, &other, &error);
            if (status == JO_OK)
                jo_soft_advance(other, 3, &error); /* may blow up, must not crash */
            else {
                assert_int_equal(status, JO_ERR_DATA);
                assert_true(strlen(error.text) > 20);
                assert_null(other);
                refused++;
            }
            jo_soft_destroy(other);
            free(copy);
            tried++;
        }
    assert_true(refused >= tried / 3);
    drop(&good);
    discard(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contacts_are_all_there), cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_alike), cmocka_unit_test(test_damaged_states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
