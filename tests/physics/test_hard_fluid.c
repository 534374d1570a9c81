/* test_hard_fluid.c — hard balls in a periodic box against the theory of fluids, with errors
 * measured.
 *
 * Every mean comes with its standard error, from blocks or from independent runs, and a band is a
 * stated deviation of the theory plus a multiple of that error; errors that are too large to say
 * anything fail, too. The tables that are printed are those of docs/validation.md.
 *
 * JOSTLE_TEST_SCALE divides the length of the runs: above 1 for sanitizers, below 1 (0.05: twenty
 * times as long) for the tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/hard_cases.h"

static jo_error error;
static const double pi = 3.14159265358979323846;

/* How much longer than usual runs are to be. */
static double longer(void)
{
    const char *text = getenv("JOSTLE_TEST_SCALE");
    const double scale = text != NULL ? strtod(text, NULL) : 1.0;
    return scale > 0.0 ? 1.0 / scale : 1.0;
}

/* How much larger errors may be than in runs of the usual length. */
static double coarser(void)
{
    return fmax(1.0, 1.0 / sqrt(longer()));
}

static void must(jo_status status)
{
    if (status != JO_OK) fail_msg("%s", error.text);
}

static jo_hard_observables observe(jo_hard *h)
{
    jo_hard_observables o;
    must(jo_hard_observe(h, &o, &error));
    return o;
}

static void assert_near(const char *what, double value, double expected, double band)
{
    if (!(fabs(value - expected) <= band))
        fail_msg("%s is %.6g, expected %.6g within %.2g", what, value, expected, band);
}

/* n balls of diameter 1 and mass 1 at kT = 1 in a periodic cube. */
typedef struct fluid {
    jo_scene scene;
    jo_hard *hard;
} fluid;

static fluid make_fluid(size_t n, double fraction, double restitution, uint64_t seed)
{
    const double edge = hard_edge(3, n, fraction), size[3] = {edge, edge, edge};
    fluid f = {.scene = hard_scene(3, size, "xyz")};
    f.scene.contacts[0].restitution = restitution;
    jo_population p = hard_gas(&f.scene, n, seed);
    f.hard = hard_make(&f.scene, &p, 0);
    jo_population_free(&p);
    return f;
}

static void free_fluid(fluid *f)
{
    jo_hard_destroy(f->hard);
    hard_scene_free(&f->scene);
}

/* ---- means with errors ---- */

typedef struct mean {
    double sum, sum2, n;
} mean;

static void note(mean *m, double value)
{
    m->sum += value;
    m->sum2 += value * value;
    m->n += 1.0;
}

static double mean_of(const mean *m)
{
    return m->sum / m->n;
}

static double error_of(const mean *m)
{
    const double value = mean_of(m);
    return sqrt(fmax(m->sum2 / m->n - value * value, 0.0) / (m->n - 1.0));
}

/* ---- pressure and collision rate ---- */

static double contact_value(double f)
{
    return (1.0 - 0.5 * f) / pow(1.0 - f, 3.0);
}

/* Carnahan and Starling (1969). */
static double carnahan_starling(double f)
{
    return 1.0 + 4.0 * f * contact_value(f);
}

/* Molecular dynamics of 1,098,500 balls (public tables, five or six digits) at n sigma^3 = 0.1 …
 * 0.9: its ratio to Carnahan and Starling is smooth, so that a polynomial through these and 1 at 0
 * gives it between. */
static double molecular_dynamics(double f)
{
    static const double at[6] = {0.0, 0.1, 0.3, 0.5, 0.7, 0.9},
                        z[6] = {1.0, 1.2397212, 1.968237, 3.269393, 5.726878, 10.76249};
    const double density = f * 6.0 / pi;
    double ratio = 0.0;
    for (int k = 0; k < 6; k++) {
        double weight = 1.0;
        for (int j = 0; j < 6; j++)
            if (j != k) weight *= (density - at[j]) / (at[k] - at[j]);
        ratio += weight * z[k] / carnahan_starling(at[k] * pi / 6.0);
    }
    return ratio * carnahan_starling(f);
}

/* Both at one density. */
static void state_point(double f, size_t n, double collisions)
{
    enum { BLOCKS = 25 };
    fluid s = make_fluid(n, f, 1.0, 7);
    mean z = {0}, rate = {0};
    jo_hard_check check;
    must(jo_hard_advance(s.hard, INFINITY, 50 * n, &error)); /* 100 collisions of each: forgotten */
    for (int k = 0; k < BLOCKS; k++) {
        must(jo_hard_mark(s.hard, &error));
        must(jo_hard_advance(s.hard, INFINITY, (uint64_t)(collisions / BLOCKS), &error));
        const jo_hard_observables o = observe(s.hard);
        note(&z, o.compressibility);
        note(&rate, o.rate);
        assert_near("kT", o.temperature, 1.0, 1e-10);
    }
    must(jo_hard_validate(s.hard, &check, &error));
    assert_int_equal(check.overlaps, 0);
    free_fluid(&s);
    const double cs = carnahan_starling(f), md = molecular_dynamics(f), err = error_of(&z);
    const double enskog = 24.0 * f * contact_value(f) / sqrt(pi), rate_err = error_of(&rate);
    print_message("| %.2f | %zu | %.4f ± %.4f | %.4f | %+.2f %% | %.4f | %+.2f %% | %.4f ± %.4f | "
                  "%.4f | %+.2f %% |\n",
                  f, n, mean_of(&z), err, cs, 100.0 * (mean_of(&z) / cs - 1.0), md,
                  100.0 * (mean_of(&z) / md - 1.0), mean_of(&rate), rate_err, enskog,
                  100.0 * (mean_of(&rate) / enskog - 1.0));
    assert_true(err < 0.002 * cs * coarser());
    /* Carnahan and Starling's formula is itself low by up to 0.29 %, at a fraction of 0.37. */
    assert_near("Z (Carnahan and Starling)", mean_of(&z), cs, 0.003 * cs + 3.0 * err);
    /* A finite system is off by some 1/N. */
    assert_near("Z (molecular dynamics)", mean_of(&z), md,
                (0.0002 + 1.0 / (double)n) * md + 4.0 * err);
    /* Of Z - 1, which the rate goes with, 0.3 % of Z is somewhat more than of Z. */
    assert_near("the rate", mean_of(&rate), enskog,
                0.003 * enskog * cs / (cs - 1.0) + 3.0 * rate_err);
    /* Collisions pass on sqrt(pi m kT) on average: Z - 1 = rate sqrt(pi) / 6. */
    assert_near("rate over Z - 1", mean_of(&rate) * sqrt(pi) / 6.0 / (mean_of(&z) - 1.0), 1.0,
                0.004);
}

static void test_pressure(void **state)
{
    (void)state;
    static const double fractions[] = {0.1, 0.2, 0.3, 0.4, 0.45, 0.49};
    print_message(
        "| fraction | N | Z | Carnahan-Starling | off | molecular dynamics | off | rate | "
        "Enskog | off |\n");
    for (size_t k = 0; k < sizeof fractions / sizeof *fractions; k++)
        state_point(fractions[k], longer() > 4.0 ? 4000 : 2000, 6e5 * longer());
}

/* ---- velocities ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Kolmogorov and Smirnov: the probability that n samples of a distribution are that far from it or
 * farther, where u are the samples put through it. Stephens' approximation of small n. */
static double kolmogorov(double *u, size_t n)
{
    double d = 0.0, p = 0.0;
    qsort(u, n, sizeof *u, by_value);
    for (size_t k = 0; k < n; k++)
        d = fmax(d, fmax(u[k] - (double)k / (double)n, (double)(k + 1) / (double)n - u[k]));
    const double root = sqrt((double)n), x = (root + 0.12 + 0.11 / root) * d;
    for (int k = 1; k <= 100; k++)
        p += (k % 2 ? 2.0 : -2.0) * exp(-2.0 * k * k * x * x);
    return x < 0.2 ? 1.0 : fmin(fmax(p, 0.0), 1.0);
}

static double maxwell_component(double v)
{
    return 0.5 * erfc(-v / sqrt(2.0));
}

static double maxwell_speed(double v)
{
    return erf(v / sqrt(2.0)) - sqrt(2.0 / pi) * v * exp(-0.5 * v * v);
}

/* The probabilities of what is seen now: of all components (0), of all speeds (1). */
static void judge_velocities(jo_hard *h, double *u, double p[2])
{
    jo_frame f;
    must(jo_hard_frame(h, &f, &error));
    for (size_t k = 0; k < 3 * f.n; k++)
        u[k] = maxwell_component(f.v[k]);
    p[0] = kolmogorov(u, 3 * f.n);
    for (size_t k = 0; k < f.n; k++) {
        const double *v = f.v + 3 * k;
        u[k] = maxwell_speed(sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    p[1] = kolmogorov(u, f.n);
}

/* All balls begin with the same speed, which the test tells from Maxwell's at once; after a few
 * collisions it cannot any more, however often it looks. */
static void test_maxwell(void **state)
{
    (void)state;
    const size_t n = 4000;
    const int looks = (int)fmin(200.0, fmax(5.0, 20.0 * longer()));
    const double edge = hard_edge(3, n, 0.1), size[3] = {edge, edge, edge};
    jo_scene s = hard_scene(3, size, "xyz");
    jo_population p = hard_gas(&s, n, 5);
    for (size_t i = 0; i < n; i++) {
        double *v = p.v + 3 * i;
        const double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (int k = 0; k < 3; k++)
            v[k] *= sqrt(3.0) / speed;
    }
    jo_hard *h = hard_make(&s, &p, 0);
    double *u = malloc(3 * n * sizeof *u), seen[2], least[2] = {1.0, 1.0};
    int rare[2] = {0, 0};
    mean fourth = {0};
    judge_velocities(h, u, seen);
    assert_true(seen[0] < 1e-6 && seen[1] < 1e-6);
    must(jo_hard_advance(h, INFINITY, 10 * n, &error));
    for (int k = 0; k < looks; k++) {
        must(jo_hard_advance(h, INFINITY, 5 * n, &error));
        judge_velocities(h, u, seen);
        const jo_hard_observables o = observe(h);
        note(&fourth, o.v4 / (o.v2 * o.v2));
        for (int m = 0; m < 2; m++) {
            least[m] = fmin(least[m], seen[m]);
            rare[m] += seen[m] < 0.05;
        }
    }
    print_message("Maxwell: %d looks at %zu balls; components: smallest p %.4f, below 0.05 %d "
                  "times; speeds: %.4f, %d times; <v^4>/<v^2>^2 = %.4f ± %.4f\n",
                  looks, n, least[0], rare[0], least[1], rare[1], mean_of(&fourth),
                  error_of(&fourth));
    for (int m = 0; m < 2; m++) {
        assert_true(least[m] > 0.01 / looks);
        assert_true(rare[m] <= 2.0 + 0.05 * looks + 3.0 * sqrt(0.05 * looks));
    }
    assert_near("<v^4> / <v^2>^2", mean_of(&fourth), 5.0 / 3.0, 4.0 * error_of(&fourth) + 0.001);
    free(u);
    jo_hard_destroy(h);
    jo_population_free(&p);
    hard_scene_free(&s);
}

/* ---- diffusion ---- */

/* Enskog's viscosity over the mass density; the true one is within some ten per cent of it up to
 * 0.8. */
static double momentum_diffusion(double f)
{
    const double g = contact_value(f), b = 4.0 * f;
    return 5.0 / (16.0 * sqrt(pi)) * (1.0 / g + 0.8 * b + 0.7614 * g * b * b) * pi / (6.0 * f);
}

/* By how much D is smaller in a periodic cube: the flow that a ball drags along meets its images.
 * For liquids 2.837297 kT / (6 pi eta L) (Duenweg and Kremer 1993, Yeh and Hummer 2004); the flow
 * spreads while the ball diffuses, so that in a gas the two rates of spreading add up, as in the
 * long-time tail: nu + D for nu. */
static double for_the_box(double f, double edge, double d)
{
    return 2.837297 / (f * 36.0 * (momentum_diffusion(f) + d) * edge);
}

/* D from the slope of mean-square displacements between t and 2 t, over windows one after the
 * other. */
static void diffusion_at(double density, double published, size_t n, int windows)
{
    const double f = density * pi / 6.0;
    const double rate = 24.0 * f * contact_value(f) / sqrt(pi), span = 60.0 / rate;
    fluid s = make_fluid(n, f, 1.0, 13);
    mean d = {0};
    must(jo_hard_advance(s.hard, INFINITY, 50 * n, &error));
    for (int k = 0; k < windows; k++) {
        const double t = jo_hard_time(s.hard);
        must(jo_hard_mark(s.hard, &error));
        must(jo_hard_advance(s.hard, t + span, 0, &error));
        const double one = observe(s.hard).displacement2;
        must(jo_hard_advance(s.hard, t + 2.0 * span, 0, &error));
        note(&d, (observe(s.hard).displacement2 - one) / (6.0 * span));
    }
    free_fluid(&s);
    /* The published ones are of 1,098,500 balls: what is left of the correction there is put in,
     * too. */
    const double finite = for_the_box(f, cbrt((double)n / density), published) -
                          for_the_box(f, cbrt(1098500.0 / density), published);
    const double corrected = mean_of(&d) + finite, err = error_of(&d);
    print_message("| %.1f | %zu | %.4f ± %.4f | %.4f | %.4f | %.4f | %+.1f %% |\n", density, n,
                  mean_of(&d), err, finite, corrected, published,
                  100.0 * (corrected / published - 1.0));
    assert_true(err < 0.03 * published * coarser());
    assert_near("D", corrected, published, 0.01 * published + 0.3 * finite + 3.0 * err);
}

static void test_diffusion(void **state)
{
    (void)state;
    static const double density[] = {0.1, 0.3, 0.5, 0.7, 0.9},
                        d[] = {1.94349, 0.54983, 0.25950, 0.117880, 0.035584};
    const bool all = longer() > 4.0;
    print_message("| n sigma^3 | N | D measured | for the box | D | published | off |\n");
    for (int k = 0; k < 5; k += all ? 1 : 2)
        diffusion_at(density[k], d[k], all ? 10976 : 1372,
                     all ? 30 : (int)fmax(6.0, 12.0 * longer()));
}

/* ---- cooling ---- */

/* Haff (1983) with the first Sonine correction of the homogeneous cooling state (van Noije and
 * Ernst 1998): T = T0 / (1 + t/tau)^2, 1/tau = (1 - e^2) nu (1 + 3 a2/16) / 6, and T = T0 exp(-(1 -
 * e^2)(1 + a2/4) C/3) with C collisions per ball, nu Enskog's rate at T0. */
static void test_cooling(void **state)
{
    (void)state;
    enum { TIMES = 4 };
    const size_t n = 4000;
    const int runs = (int)fmin(40.0, fmax(3.0, 5.0 * longer()));
    const double e = 0.9, f = 2.0 / 45.0, loss = 1.0 - e * e;
    const double a2 = 16.0 * (1.0 - e) * (1.0 - 2.0 * e * e) /
                      (9.0 + 24.0 * 3.0 + (8.0 * 3.0 - 41.0) * e + 30.0 * e * e * (1.0 - e));
    const double rate = 24.0 * f * contact_value(f) / sqrt(pi),
                 tau = 6.0 / (loss * rate * (1.0 + 3.0 * a2 / 16.0));
    mean by_time[TIMES] = {{0}}, by_count[TIMES] = {{0}};
    double time[TIMES], each[TIMES] = {0};
    for (int r = 0; r < runs; r++) {
        fluid s = make_fluid(n, f, e, 11 + (uint64_t)r);
        for (int k = 0; k < TIMES; k++) {
            time[k] = tau * 0.5 * (k + 1);
            must(jo_hard_advance(s.hard, time[k], 0, &error));
            const jo_hard_observables o = observe(s.hard);
            const double c = 2.0 * (double)o.collisions / (double)n;
            each[k] += c / runs;
            note(&by_time[k], o.temperature * pow(1.0 + time[k] / tau, 2.0));
            note(&by_count[k], o.temperature * exp(loss * (1.0 + 0.25 * a2) * c / 3.0));
        }
        jo_measures m;
        must(jo_hard_measure(s.hard, &m, &error));
        assert_near("the balance of energy", m.energy.balance, 0.0, 1e-9 * (double)n);
        free_fluid(&s);
    }
    print_message(
        "| t | t / tau | collisions per ball | T over Haff's, by time | by collisions |\n");
    for (int k = 0; k < TIMES; k++) {
        print_message("| %.2f | %.1f | %.2f | %.4f ± %.4f | %.4f ± %.4f |\n", time[k],
                      time[k] / tau, each[k], mean_of(&by_time[k]), error_of(&by_time[k]),
                      mean_of(&by_count[k]), error_of(&by_count[k]));
        assert_true(error_of(&by_time[k]) < 0.01 && error_of(&by_count[k]) < 0.01);
        assert_near("T by time", mean_of(&by_time[k]), 1.0, 0.01 + 3.0 * error_of(&by_time[k]));
        assert_near("T by collisions", mean_of(&by_count[k]), 1.0,
                    0.005 + 3.0 * error_of(&by_count[k]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pressure),
        cmocka_unit_test(test_maxwell),
        cmocka_unit_test(test_diffusion),
        cmocka_unit_test(test_cooling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
