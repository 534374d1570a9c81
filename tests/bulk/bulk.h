/* bulk.h — what the tests of bulk behaviour share: a shipped scene (scenes/bulk), changed in a
 * number or two, run on one thread, looked at. Any error, and any alarm that means wrong physics,
 * fails the test.
 *
 * JOSTLE_BULK_FRICTION=0 in the environment replaces every coefficient of friction between grains:
 * the way to see that these tests can fail. JOSTLE_BULK_STIFFER=1000 multiplies the moduli of the
 * scenes made from published data, which are softened by that much, and divides the time step by
 * its root. */
#ifndef TESTS_BULK_H
#define TESTS_BULK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jostle/scenefile.h"
#include "jostle/soft.h"

static const double bulk_pi = 3.14159265358979323846;

/* Sets friction everywhere: between grains and with walls. */
static inline void bulk_set_friction(jo_scene *scene, double friction)
{
    for (size_t k = 0; k < scene->material_count * scene->material_count; k++)
        scene->contacts[k].friction = friction;
}

/* The friction a test is to use where it wants `wanted`. */
static inline double bulk_friction(double wanted)
{
    const char *text = getenv("JOSTLE_BULK_FRICTION");
    return text != NULL && text[0] != '\0' ? strtod(text, NULL) : wanted;
}

static inline jo_scene bulk_scene(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, SOURCE_DIR "/scenes/bulk/%s.yaml", name);
    jo_scene scene;
    jo_problems problems = {0};
    jo_error error = {0};
    const jo_status status = jo_scene_read(path, &scene, &problems, &error);
    if (status == JO_ERR_UNSUPPORTED) skip();
    if (status != JO_OK)
        fail_msg("%s: %s", path, problems.count > 0 ? problems.list[0].text : error.text);
    jo_problems_free(&problems);
    const char *text = getenv("JOSTLE_BULK_FRICTION");
    if (text != NULL && text[0] != '\0') bulk_set_friction(&scene, bulk_friction(0));
    return scene;
}

static inline void bulk_stiffen(jo_scene *scene, double factor)
{
    for (size_t k = 0; k < scene->material_count; k++)
        scene->materials[k].young *= factor;
    scene->time_step /= sqrt(factor);
}

/* A scene of tests/bulk that needs published data: paths in it are relative to `folder`. */
static inline jo_scene bulk_published(const char *name, const char *folder)
{
    static char text[8192];
    char path[1024];
    snprintf(path, sizeof path, SOURCE_DIR "/tests/bulk/%s.yaml", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    assert_true(size < sizeof text);
    jo_scene scene;
    jo_problems problems = {0};
    jo_error error = {0};
    if (jo_scene_parse(text, size, path, folder, &scene, &problems, &error) != JO_OK)
        fail_msg("%s: %s", path, problems.count > 0 ? problems.list[0].text : error.text);
    jo_problems_free(&problems);
    const char *stiffer = getenv("JOSTLE_BULK_STIFFER");
    if (stiffer != NULL && stiffer[0] != '\0') bulk_stiffen(&scene, strtod(stiffer, NULL));
    return scene;
}

static inline jo_wall *bulk_wall(jo_scene *scene, const char *name)
{
    for (size_t k = 0; k < scene->wall_count; k++)
        if (strcmp(scene->walls[k].name, name) == 0) return &scene->walls[k];
    fail_msg("the scene has no wall %s", name);
    return NULL;
}

/* bodies NULL: the scene's own. */
static inline jo_soft *bulk_start(const jo_scene *scene, const jo_population *bodies)
{
    jo_soft_options options = jo_soft_options_default();
    options.threads = 1;
    jo_soft *soft = NULL;
    jo_error error = {0};
    const jo_status status = bodies == NULL
                                 ? jo_soft_create(scene, &options, &soft, &error)
                                 : jo_soft_create_with(scene, bodies, &options, &soft, &error);
    if (status != JO_OK) fail_msg("%s", error.text);
    return soft;
}

static inline void bulk_run(jo_soft *soft, double time)
{
    jo_error error = {0};
    if (jo_soft_advance(soft, (uint64_t)(time / jo_soft_time_step(soft) + 0.5), &error) != JO_OK)
        fail_msg("%s", error.text);
}

static inline jo_frame bulk_frame(jo_soft *soft)
{
    jo_frame frame;
    jo_error error = {0};
    if (jo_soft_frame(soft, &frame, &error) != JO_OK) fail_msg("%s", error.text);
    return frame;
}

static inline jo_measures bulk_measure(jo_soft *soft)
{
    jo_measures measures;
    jo_error error = {0};
    if (jo_soft_measure(soft, &measures, &error) != JO_OK) fail_msg("%s", error.text);
    return measures;
}

/* Ends a run; a deep overlap, a blow-up or a lost body is a failure whatever the result was. */
static inline void bulk_end(jo_soft *soft)
{
    size_t count;
    const jo_alarm *alarm = jo_soft_alarms(soft, &count);
    for (size_t k = 0; k < count; k++)
        if (alarm[k].kind == JO_ALARM_OVERLAP || alarm[k].kind == JO_ALARM_SPEED ||
            alarm[k].kind == JO_ALARM_BLOWUP || alarm[k].kind == JO_ALARM_ESCAPE)
            fail_msg("alarm: %s", alarm[k].text);
    jo_soft_destroy(soft);
}

/* The bodies as they are now, to start another run from. */
static inline jo_population bulk_bodies(jo_soft *soft)
{
    const jo_frame frame = bulk_frame(soft);
    jo_population p;
    jo_error error = {0};
    if (jo_population_allocate(&p, frame.n, &error) != JO_OK) fail_msg("%s", error.text);
    memcpy(p.x, frame.x, 3 * frame.n * sizeof *p.x);
    memcpy(p.v, frame.v, 3 * frame.n * sizeof *p.v);
    memcpy(p.w, frame.w, 3 * frame.n * sizeof *p.w);
    memcpy(p.r, frame.r, frame.n * sizeof *p.r);
    memcpy(p.material, frame.material, frame.n * sizeof *p.material);
    memcpy(p.fixed, frame.fixed, frame.n * sizeof *p.fixed);
    memcpy(p.id, frame.id, frame.n * sizeof *p.id);
    return p;
}

/* The straight line through points: y = a + b x. */
typedef struct bulk_line {
    double a, b, residual; /* residual: root mean square */
} bulk_line;

static inline bulk_line bulk_fit(size_t n, const double *x, const double *y)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (size_t k = 0; k < n; k++)
        sx += x[k], sy += y[k], sxx += x[k] * x[k], sxy += x[k] * y[k];
    const double m = (double)n;
    bulk_line line = {0};
    line.b = (m * sxy - sx * sy) / (m * sxx - sx * sx);
    line.a = (sy - line.b * sx) / m;
    for (size_t k = 0; k < n; k++)
        line.residual += pow(y[k] - line.a - line.b * x[k], 2) / m;
    line.residual = sqrt(line.residual);
    return line;
}

/* A measured value and its band; the line it prints is what docs/validation.md quotes. */
static inline void bulk_within(const char *what, double value, double low, double high)
{
    print_message("  %-58s %8.4f   band %g to %g\n", what, value, low, high);
    if (!(value >= low && value <= high))
        fail_msg("%s is %g, not within %g to %g", what, value, low, high);
}

#endif
