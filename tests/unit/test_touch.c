/* test_touch.c — the definition of contact itself, which the oracle takes for granted.
 *
 * It is compared with the same question in long double over all images within reach: the answers
 * may differ only where the gap is a rounding error. Exact cases are stated by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "support/systems.h"

/* How deep spheres i and j overlap, as (ri + rj)² − distance² of the nearest images. */
static long double sphere_margin(const jo_bodies *b, const jo_domain *domain, size_t i, size_t j)
{
    long double square = 0.0L;
    for (int a = 0; a < b->dim; a++) {
        long double d = (long double)b->x[a][i * b->x_stride] - b->x[a][j * b->x_stride];
        if (domain->periodic[a]) {
            const long double period = (long double)domain->hi[a] - domain->lo[a];
            d = fabsl(d - period * floorl(d / period));
            if (period - d < d) d = period - d;
        }
        square += d * d;
    }
    const long double reach = (long double)b->r[i * b->r_stride] + b->r[j * b->r_stride];
    return reach * reach - square;
}

/* How far boxes i and j overlap on the axis where they do so least. */
static long double box_margin(const jo_bodies *b, const jo_domain *domain, size_t i, size_t j)
{
    long double least = INFINITY;
    for (int a = 0; a < b->dim; a++) {
        const long double li = b->x[a][i * b->x_stride], ui = b->upper[a][i * b->x_stride];
        const long double lj = b->x[a][j * b->x_stride], uj = b->upper[a][j * b->x_stride];
        long double d = (li + ui) / 2 - (lj + uj) / 2;
        if (domain->periodic[a]) {
            const long double period = (long double)domain->hi[a] - domain->lo[a];
            d = fabsl(d - period * floorl(d / period));
            if (period - d < d) d = period - d;
        }
        const long double margin = (ui - li) / 2 + (uj - lj) / 2 - fabsl(d);
        if (margin < least) least = margin;
    }
    return least;
}

/* An upper bound of the error of a double computation on this pair. */
static long double doubt(const jo_bodies *b, const jo_domain *domain, size_t i, size_t j)
{
    long double size = 0.0L;
    for (int a = 0; a < b->dim; a++) {
        size += fabsl((long double)b->x[a][i * b->x_stride]);
        size += fabsl((long double)b->x[a][j * b->x_stride]);
        if (domain->periodic[a]) size += fabsl(domain->hi[a]) + fabsl(domain->lo[a]);
        if (b->shape == JO_BOXES)
            size += fabsl((long double)b->upper[a][i * b->x_stride]) +
                    fabsl((long double)b->upper[a][j * b->x_stride]);
    }
    if (b->shape == JO_BOXES) return 1e-15L * size;
    const long double reach = (long double)b->r[i * b->r_stride] + b->r[j * b->r_stride];
    const long double error = 1e-15L * size;
    /* d(distance²) = 2 distance · error; near contact the distance is the reach. */
    return 4 * error * (reach + error) + 1e-15L * reach * reach + 1e-307L;
}

static void it_is_what_it_says_and_symmetric(void **state)
{
    (void)state;
    size_t touching = 0, apart = 0, unclear = 0;
    for (uint64_t number = 0; number < 1500; number++) {
        test_system s;
        assert_true(system_make(&s, 1000000 + number));
        for (int k = 0; k < 400 && s.n >= 2; k++) {
            const size_t i = rng_below(&s.random, s.n), j = rng_below(&s.random, s.n);
            if (i == j) continue;
            const bool found = jo_bodies_touch(&s.bodies, &s.domain, i, j);
            assert_int_equal(found, jo_bodies_touch(&s.bodies, &s.domain, j, i));
            const long double margin = s.bodies.shape == JO_SPHERES
                                           ? sphere_margin(&s.bodies, &s.domain, i, j)
                                           : box_margin(&s.bodies, &s.domain, i, j);
            if (fabsl(margin) <= doubt(&s.bodies, &s.domain, i, j)) {
                unclear++;
                continue;
            }
            if (found != (margin > 0))
                fail_msg("system %d (%s): bodies %zu and %zu: margin %Lg, found %d", (int)number,
                         s.label, i, j, margin, found);
            touching += found;
            apart += !found;
        }
        system_free(&s);
    }
    /* The comparison is worth something only if all three occurred. */
    assert_true(touching > 10000 && apart > 10000 && unclear > 100);
}

static bool spheres_touch(double x0, double r0, double x1, double r1, const jo_domain *domain)
{
    const double x[2] = {x0, x1}, zero[2] = {0, 0}, r[2] = {r0, r1};
    const jo_bodies b = jo_spheres(2, 3, x, zero, zero, r);
    return jo_bodies_touch(&b, domain, 0, 1);
}

static bool boxes_touch(double l0, double u0, double l1, double u1, const jo_domain *domain)
{
    const double lower[4] = {l0, 0, l1, 0}, upper[4] = {u0, 1, u1, 1};
    const jo_bodies b = jo_boxes_interleaved(2, 2, lower, upper);
    return jo_bodies_touch(&b, domain, 0, 1);
}

static void exact_touching_counts(void **state)
{
    (void)state;
    assert_true(spheres_touch(0, 0.5, 1, 0.5, NULL));
    assert_false(spheres_touch(0, 0.5, nextafter(1, 2), 0.5, NULL));
    assert_true(spheres_touch(0, 0, 0, 0, NULL)); /* two points at one place */
    assert_true(spheres_touch(-0.0, 0, 0.0, 0, NULL));
    assert_false(spheres_touch(0, 0, 1e-100, 0, NULL));
    assert_false(spheres_touch(1e150, 0, -1e150, 1e150, NULL));
    assert_true(boxes_touch(0, 1, 1, 2, NULL));
    assert_false(boxes_touch(0, 1, nextafter(1, 2), 2, NULL));
    assert_true(boxes_touch(0, 0, 0, 0, NULL));
    assert_true(boxes_touch(0, 10, 3, 4, NULL)); /* one inside the other */
}

static void images_touch(void **state)
{
    (void)state;
    const jo_domain ten = {.hi = {10, 10, 10}, .periodic = {true, true, true}};
    assert_true(spheres_touch(0.25, 0.5, 9.25, 0.5, &ten));
    assert_false(spheres_touch(0.25, 0.5, 9.0, 0.5, &ten));
    assert_true(spheres_touch(0.25, 0.5, -100.75, 0.5, &ten)); /* ten periods away */
    assert_true(spheres_touch(0, 3, 5, 2, &ten));              /* half a period: both images */
    assert_true(spheres_touch(0, 50, 5, 0, &ten));             /* larger than the box */
    assert_true(boxes_touch(0, 1, 9, 10, &ten));
    assert_false(boxes_touch(0, 1, 8, 9.5, &ten));
    assert_true(boxes_touch(-5, 25, 7, 8, &ten));
    const jo_domain only_y = {.hi = {10, 10, 10}, .periodic = {false, true, false}};
    assert_false(spheres_touch(0.25, 0.5, 9.25, 0.5, &only_y));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_it_says_and_symmetric),
        cmocka_unit_test(exact_touching_counts),
        cmocka_unit_test(images_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
