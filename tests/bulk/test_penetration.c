/* test_penetration.c — a steel ball shot into a bed of 25,000 grains, after Dosta et al. (2024,
 * Comput. Phys. Commun. 296): their start and walls, in the folder that JOSTLE_BULK_DATA names,
 * their moduli and their time step, so nothing is softened. Without that variable it is skipped: it
 * takes ten minutes of a core. JOSTLE_BULK_TIME changes the tenth of a second.
 *
 * Asked of it is what must be so: the ball falls freely until it meets the bed; grains only ever
 * take energy from it, so it leaves the bottom, 29 mm below, no faster than it came. Where it is
 * over time is printed, for docs/validation.md. */
#include "bulk/bulk.h"

/* The ball is body 0; the grains are lines of radius and place. */
static jo_population read_bed(const jo_scene *scene, const char *folder)
{
    char path[1024], line[256];
    jo_population bodies, first;
    jo_error error = {0};
    snprintf(path, sizeof path, "%s/Penetration/25KParticles.txt", folder);
    FILE *file = fopen(path, "r");
    if (file == NULL) fail_msg("%s cannot be opened", path);
    if (jo_scene_populate(scene, &first, NULL, NULL, &error) != JO_OK ||
        jo_population_allocate(&bodies, 25001, &error) != JO_OK)
        fail_msg("%s", error.text);
    assert_int_equal(first.n, 1);
    size_t n = 1;
    memcpy(bodies.x, first.x, 3 * sizeof *bodies.x);
    memcpy(bodies.v, first.v, 3 * sizeof *bodies.v);
    bodies.r[0] = first.r[0];
    bodies.material[0] = first.material[0];
    while (fgets(line, sizeof line, file) != NULL && n < bodies.n) {
        double r, x[3], more;
        if (sscanf(line, "%lf %lf %lf %lf %lf", &r, &x[0], &x[1], &x[2], &more) != 4) continue;
        memcpy(bodies.x + 3 * n, x, sizeof x);
        bodies.r[n] = r;
        bodies.material[n] = 0;
        bodies.id[n] = n;
        n++;
    }
    fclose(file);
    jo_population_free(&first);
    assert_int_equal(n, 25001);
    return bodies;
}

/* The height that nine grains in ten lie below. */
static double surface(jo_soft *soft)
{
    const jo_frame frame = bulk_frame(soft);
    static size_t below[2000];
    memset(below, 0, sizeof below);
    for (size_t i = 1; i < frame.n; i++) {
        const double cell = (frame.x[3 * i + 2] + 0.1) / 0.0002;
        below[cell < 0 ? 0 : cell > 1999 ? 1999 : (size_t)cell]++;
    }
    size_t k = 0;
    for (size_t sum = 0; k < 1999 && sum < frame.n / 10 * 9; k++)
        sum += below[k];
    return -0.1 + 0.0002 * (double)k;
}

static void the_published_bed(void **state)
{
    (void)state;
    const char *folder = getenv("JOSTLE_BULK_DATA"), *longer = getenv("JOSTLE_BULK_TIME");
    if (folder == NULL || folder[0] == '\0') skip();
    jo_scene scene = bulk_published("dosta-penetration", folder);
    jo_population bodies = read_bed(&scene, folder);
    jo_soft *soft = bulk_start(&scene, &bodies);
    jo_population_free(&bodies);
    const double end = longer != NULL ? strtod(longer, NULL) : scene.duration;
    print_message("  nine grains in ten lie below %.1f mm\n", 1000 * surface(soft));
    const double start = 0.06, thrown = 5,
                 meets = -0.0505; /* where the ball touches first grains */
    double fastest_up = 0, slowest_down = thrown, free = 0;
    for (double time = 0; time < end - 1e-4; time += 2.5e-3) {
        bulk_run(soft, 2.5e-3);
        const jo_frame frame = bulk_frame(soft);
        const double t = jo_soft_time(soft), height = frame.x[2], speed = frame.v[2];
        if (speed < 0 && height > meets)
            free = fmax(free, fabs(height - start + thrown * t + 4.9 * t * t));
        if (speed < 0) slowest_down = fmin(slowest_down, -speed);
        fastest_up = fmax(fastest_up, speed);
        print_message("  t %6.1f ms: ball at %7.2f mm, %6.3f m/s\n", 1000 * t, 1000 * height,
                      speed);
        fflush(stdout);
    }
    bulk_within("off from free fall, over the way [1e-9]", 1e9 * free / 0.11, 0, 1);
    bulk_within("slowest on the way down [m/s]", slowest_down, 0, 0.6 * thrown);
    bulk_within("fastest on the way up over that", fastest_up / slowest_down, 0, 1);
    bulk_end(soft);
    jo_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_published_bed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
