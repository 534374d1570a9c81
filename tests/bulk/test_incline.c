/* test_incline.c — steady flow down a rough incline: mu(I) and Bagnold's velocity profile.
 *
 * The scene of scenes/bulk/incline.yaml at three angles. Each run starts with about the velocity it
 * will end with, which only shortens the wait. From the mean profile of velocity: the depth h
 * (where the mass per height has fallen to half), the depth-averaged velocity u, the solid fraction
 * phi within, and
 *
 *     I = 5/2 u d / (h sqrt(phi g h cos theta)).
 *
 * Bands: tan(theta) within 0.04 (a tenth) of mu(I) with the constants of Jop et al. (2006), which
 * are those of glass beads in the laboratory, where here are spheres of friction 0.5 and a layer of
 * only thirteen grains. The exponent of the profile 1.15 to 1.85: neither linear, as in flows about
 * to stop, nor a parabola. Faster on steeper slopes; and steady: the two halves of the average
 * agree. Without friction I is 0.7 at the first angle. */
#include "bulk/bulk.h"

enum { BINS = 64 };
static const double bottom = 1.0, thickness = 0.5, area = 54;

typedef struct profile {
    double mass[BINS], momentum[BINS];
} profile;

static void add(profile *p, const jo_frame *frame)
{
    for (size_t i = 0; i < frame->n; i++) {
        const double z = (frame->x[3 * i + 2] - bottom) / thickness;
        if (frame->fixed[i] || z < 0 || z >= BINS) continue;
        p->mass[(int)z] += frame->mass[i];
        p->momentum[(int)z] += frame->mass[i] * frame->v[3 * i];
    }
}

static double mean_velocity(const profile *p)
{
    double mass = 0, momentum = 0;
    for (int k = 0; k < BINS; k++)
        mass += p->mass[k], momentum += p->momentum[k];
    return momentum / mass;
}

/* Height of the flow, in bins with their fractions. */
static double depth(const profile *p)
{
    double most = 0;
    for (int k = 4; k < 12; k++)
        most += p->mass[k] / 8;
    int top = BINS - 1;
    while (top > 0 && p->mass[top] < most / 2)
        top--;
    return thickness * (top + 0.5 + (p->mass[top] - most / 2) / (p->mass[top] - p->mass[top + 1]));
}

/* Exponent n of v = v_s (1 - (1 - z/h)^n) + v_0 that fits best between a tenth and nine tenths of
 * h. */
static double exponent(const profile *p, double h)
{
    double best = 0, least = INFINITY;
    for (double n = 0.5; n < 3; n += 0.01) {
        double x[BINS], y[BINS];
        size_t count = 0;
        for (int k = 0; k < BINS; k++) {
            const double z = thickness * (k + 0.5) / h;
            if (z < 0.1 || z > 0.9) continue;
            x[count] = 1 - pow(1 - z, n);
            y[count++] = p->momentum[k] / p->mass[k];
        }
        const bulk_line line = bulk_fit(count, x, y);
        if (line.residual < least) least = line.residual, best = n;
    }
    return best;
}

static double law_number(double mu) /* I of mu(I) = mu */
{
    const double mu_s = 0.38, mu_2 = 0.64, i_0 = 0.28;
    return i_0 / ((mu_2 - mu_s) / (mu - mu_s) - 1);
}

static double law(double number)
{
    return 0.38 + (0.64 - 0.38) / (0.28 / number + 1);
}

static jo_soft *start(jo_scene *scene, double theta)
{
    scene->gravity[0] = sin(theta);
    scene->gravity[2] = -cos(theta);
    jo_population bodies;
    jo_error error = {0};
    if (jo_scene_populate(scene, &bodies, NULL, NULL, &error) != JO_OK) fail_msg("%s", error.text);
    const double h = 13,
                 shear = law_number(tan(theta)) * sqrt(0.57 * cos(theta)); /* at unit depth */
    for (size_t i = 0; i < bodies.n; i++)
        if (!bodies.fixed[i])
            bodies.v[3 * i] =
                2 / 3.0 * shear *
                (pow(h, 1.5) - pow(fmax(0, h - 0.85 * (bodies.x[3 * i + 2] - bottom)), 1.5));
    jo_soft *soft = bulk_start(scene, &bodies);
    jo_population_free(&bodies);
    return soft;
}

/* Number I at that angle; checks the rest. */
static double flow(jo_scene *scene, double degrees)
{
    const double theta = degrees * bulk_pi / 180;
    jo_soft *soft = start(scene, theta);
    bulk_run(soft, 100);
    profile p[2] = {0}, all = {0};
    enum { LOOKS = 250 };
    for (int k = 0; k < 2 * LOOKS; k++) {
        bulk_run(soft, 0.15);
        const jo_frame frame = bulk_frame(soft);
        add(&p[k / LOOKS], &frame);
        add(&all, &frame);
    }
    const double h = depth(&all), u = mean_velocity(&all);
    double mass = 0;
    for (int k = 0; k < BINS; k++)
        mass += all.mass[k] / (2 * LOOKS);
    const double solid = mass * bulk_pi / 6 / (area * h);
    const double number = 2.5 * u / (h * sqrt(solid * h * cos(theta)));
    const double overlap = bulk_measure(soft).overlap_mean;
    print_message("  %g degrees: h %.2f, u %.3f, solid fraction %.3f, I %.4f; mean overlap %.2f %% "
                  "of the radius\n",
                  degrees, h, u, solid, number, 100 * overlap);
    bulk_within("tan(theta) - mu(I)", tan(theta) - law(number), -0.04, 0.04);
    bulk_within("exponent of the velocity profile", exponent(&all, h), 1.15, 1.85);
    bulk_within("velocity, second half over first", mean_velocity(&p[1]) / mean_velocity(&p[0]),
                0.85, 1.15);
    bulk_within("solid fraction", solid, 0.5, 0.62);
    bulk_end(soft);
    return number;
}

static void three_angles(void **state)
{
    (void)state;
    jo_scene scene = bulk_scene("incline");
    const double slow = flow(&scene, 24), middle = flow(&scene, 25.5), fast = flow(&scene, 27);
    assert_true(slow > 0.01 && middle > 1.2 * slow && fast > 1.2 * middle);
    jo_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(three_angles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
