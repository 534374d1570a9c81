/* populate.c — the bodies of a scene, group by group, in the order of the file.
 *
 * Listed bodies and those of files are taken as they are; lattices and random places avoid
 * everything placed before them, walls and the borders of their region. Every random
 * number belongs to (seed of the group, number of the body), so the result is the same on every
 * machine and for any number of threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "jostle/io.h"
#include "scene/placing.h"

enum { STREAM_VELOCITY = 0x76656c };

bool jo_batch_add(batch *b, const double x[3], double r)
{
    if (b->n == b->capacity) {
        const size_t more = b->capacity < 512 ? 1024 : 2 * b->capacity;
        double *grown_x = realloc(b->x, 3 * more * sizeof *grown_x);
        if (grown_x != NULL) b->x = grown_x;
        double *grown_r = realloc(b->r, more * sizeof *grown_r);
        if (grown_r != NULL) b->r = grown_r;
        if (grown_x == NULL || grown_r == NULL) return false;
        b->capacity = more;
    }
    memcpy(b->x + 3 * b->n, x, 3 * sizeof *x);
    b->r[b->n++] = r;
    return true;
}

void jo_batch_free(batch *b)
{
    free(b->x);
    free(b->r);
    free(b->q);
    free(b->shape);
    *b = (batch){0};
}

const char *jo_placing_who(const placing *p, char text[JO_NAME_SIZE])
{
    const char *name = p->scene->groups[p->group].name;
    if (name[0] != '\0')
        snprintf(text, JO_NAME_SIZE, "'%.60s'", name);
    else
        snprintf(text, JO_NAME_SIZE, "number %zu", p->group + 1);
    return text;
}

jo_status jo_placing_report(placing *p, double share)
{
    if (p->progress == NULL) return JO_OK;
    const double done = ((double)p->group + share) / (double)p->scene->group_count;
    if (p->progress(p->context, done < 1.0 ? done : 1.0)) return JO_OK;
    return jo_fail(p->error, JO_ERR_CANCELLED, "placing bodies was stopped");
}

/* ---- files ---- */

static jo_status file_radius(const placing *p, const jo_group *g, const jo_particles *read,
                             size_t i)
{
    if (read->r[i] > 0.0) return JO_OK;
    return jo_fail(p->error, JO_ERR_DATA, "%s: body %zu has radius %g; it must be above 0", g->path,
                   i + 1, read->r[i]);
}

/* The shape of the group that one numbered in the file is: of many the one with that number, of one
 * alone whatever its number, as long as the file has no other. */
static jo_status take_shapes(placing *p, const jo_group *g, const jo_particles *read, batch *out)
{
    double first = 0.0;
    if (read->shape == NULL) return JO_OK;
    out->shape = malloc((read->n + 1) * sizeof *out->shape);
    if (out->shape == NULL) return jo_fail_memory(p->error, 4 * read->n, "the bodies of a file");
    for (size_t i = 0; i < read->n; i++) {
        const double number = read->shape[i];
        out->shape[i] = JO_NO_SHAPE;
        if (number == 0.0) continue;
        if (first == 0.0) first = number;
        if (g->shapes == 0)
            return jo_fail(p->error, JO_ERR_DATA,
                           "%s: body %zu is no sphere (column shape: %.0f), but the group names no "
                           "'shape'; name that of the scene that wrote the file",
                           g->path, i + 1, number);
        if (g->shapes == 1 && number != first)
            return jo_fail(p->error, JO_ERR_DATA,
                           "%s: bodies are of several shapes (column shape: %.0f, %.0f), those of "
                           "the group of one; a file for each shape and a group for each file "
                           "are needed",
                           g->path, first, number);
        if (g->shapes > 1 && number > g->shapes)
            return jo_fail(
                p->error, JO_ERR_DATA,
                "%s: body %zu is of shape %.0f, but the group has %u; shapes are counted "
                "from 1, as in a run of this group alone",
                g->path, i + 1, number, g->shapes);
        out->shape[i] = g->shape + (g->shapes == 1 ? 0 : (uint32_t)number - 1);
    }
    return JO_OK;
}

static jo_status take_orientations(placing *p, const jo_group *g, const jo_particles *read,
                                   batch *out)
{
    if (read->q[0] == NULL) return JO_OK;
    out->q = malloc((4 * read->n + 1) * sizeof *out->q);
    if (out->q == NULL) return jo_fail_memory(p->error, 32 * read->n, "the bodies of a file");
    for (size_t i = 0; i < read->n; i++) {
        double q[4], square = 0.0;
        for (int c = 0; c < 4; c++) {
            q[c] = read->q[c][i];
            square += q[c] * q[c];
        }
        if (!(square > 0.0 && isfinite(square)))
            return jo_fail(
                p->error, JO_ERR_DATA,
                "%s: body %zu has the orientation (%g, %g, %g, %g), which is no rotation", g->path,
                i + 1, q[0], q[1], q[2], q[3]);
        for (int c = 0; c < 4; c++)
            out->q[4 * i + (size_t)c] = q[c] / sqrt(square);
    }
    return JO_OK;
}

static jo_status place_file(placing *p, const jo_group *g, batch *out)
{
    jo_read_options options = jo_read_options_default();
    jo_particles read;
    options.format = g->file_format;
    options.dim = p->scene->dim;
    options.frame = g->frame;
    options.orientations = true;
    const bool has_sizes = !isnan(jo_sizes_smallest(&g->sizes));
    /* Radii of the file itself count; those of the group only where it has none. */
    bool draw = false;
    jo_status status = jo_particles_read(g->path, &options, &read, p->error);
    if (status == JO_ERR_DATA && has_sizes) {
        options.radius = jo_sizes_smallest(&g->sizes);
        status = jo_particles_read(g->path, &options, &read, p->error);
        draw = true;
    }
    if (status != JO_OK) return status;
    for (size_t i = 0; i < read.n && status == JO_OK; i++) {
        const double x[3] = {read.x[i], read.y[i], read.z != NULL ? read.z[i] : 0.0};
        status = draw ? JO_OK : file_radius(p, g, &read, i);
        if (status == JO_OK && !jo_batch_add(out, x, draw ? jo_group_radius(g, i) : read.r[i]))
            status = jo_fail_memory(p->error, 32 * read.n, "the bodies of a file");
    }
    if (status == JO_OK) status = take_shapes(p, g, &read, out);
    if (status == JO_OK && g->shapes > 0) status = take_orientations(p, g, &read, out);
    jo_particles_free(&read);
    return status;
}

/* ---- the population ---- */

static bool grow(void **array, size_t count, size_t size)
{
    void *grown = realloc(*array, count * size);
    if (grown != NULL) *array = grown;
    return grown != NULL;
}

static jo_status make_room(jo_population *to, size_t more, jo_error *error)
{
    if (more > JO_BODIES_MAX - to->n)
        return jo_fail(error, JO_ERR_LIMIT, "more than %zu bodies", JO_BODIES_MAX);
    const size_t n = to->n + more + 1; /* one more, so that none is not an empty array */
    if (grow((void **)&to->x, 3 * n, sizeof *to->x) &&
        grow((void **)&to->v, 3 * n, sizeof *to->v) &&
        grow((void **)&to->w, 3 * n, sizeof *to->w) && grow((void **)&to->r, n, sizeof *to->r) &&
        grow((void **)&to->material, n, sizeof *to->material) &&
        grow((void **)&to->fixed, n, sizeof *to->fixed) &&
        grow((void **)&to->id, n, sizeof *to->id) &&
        (to->shape == NULL || (grow((void **)&to->shape, n, sizeof *to->shape) &&
                               grow((void **)&to->q, 4 * n, sizeof *to->q))))
        return JO_OK;
    return jo_fail_memory(error, n * 93, "the bodies");
}

static jo_status append_listed(const jo_population *from, jo_population *to, jo_error *error)
{
    const jo_status status = make_room(to, from->n, error);
    if (status != JO_OK) return status;
    for (size_t i = 0; i < from->n; i++) {
        const size_t k = to->n++;
        memcpy(to->x + 3 * k, from->x + 3 * i, 3 * sizeof *to->x);
        memcpy(to->v + 3 * k, from->v + 3 * i, 3 * sizeof *to->v);
        memcpy(to->w + 3 * k, from->w + 3 * i, 3 * sizeof *to->w);
        to->r[k] = from->r[i];
        to->material[k] = from->material[i];
        to->fixed[k] = from->fixed[i];
        to->id[k] = k;
        if (to->shape == NULL) continue;
        static const double straight[4] = {1.0, 0.0, 0.0, 0.0};
        to->shape[k] = from->shape != NULL ? from->shape[i] : JO_NO_SHAPE;
        memcpy(to->q + 4 * k, from->shape != NULL ? from->q + 4 * i : straight, sizeof straight);
    }
    return JO_OK;
}

static jo_status append_batch(const jo_scene *scene, const jo_group *g, const batch *from,
                              jo_population *to, jo_error *error)
{
    const jo_status status = make_room(to, from->n, error);
    if (status != JO_OK) return status;
    for (size_t i = 0; i < from->n; i++) {
        const size_t k = to->n++;
        memcpy(to->x + 3 * k, from->x + 3 * i, 3 * sizeof *to->x);
        memcpy(to->v + 3 * k, g->velocity, 3 * sizeof *to->v);
        memcpy(to->w + 3 * k, g->spin, 3 * sizeof *to->w);
        to->r[k] = from->r[i];
        to->material[k] = g->material;
        to->fixed[k] = g->fixed;
        to->id[k] = k;
        if (to->shape != NULL) {
            jo_group_shape(g, i, &to->shape[k], to->q + 4 * k);
            if (from->shape != NULL) to->shape[k] = from->shape[i];
            if (from->q != NULL) memcpy(to->q + 4 * k, from->q + 4 * i, 4 * sizeof *to->q);
        }
        if (g->velocity_spread == 0.0) continue;
        random_stream r = jo_random_start(g->seed ^ STREAM_VELOCITY, i);
        for (int a = 0; a < scene->dim; a++)
            to->v[3 * k + (size_t)a] += g->velocity_spread * jo_random_normal(&r);
    }
    return JO_OK;
}

/* Later groups keep clear of what is there. */
static jo_status settle(placing *p, const double *x, const double *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!jo_nest_add(&p->placed, x + 3 * i, r[i]))
            return jo_fail_memory(p->error, 40 * n, "placing bodies");
    return JO_OK;
}

static jo_status place_group(placing *p, const jo_group *g, jo_population *to)
{
    batch made = {0};
    jo_status status = JO_OK;
    switch (g->kind) {
    case JO_GROUP_EXPLICIT:
        status = append_listed(&g->listed, to, p->error);
        return status == JO_OK ? settle(p, g->listed.x, g->listed.r, g->listed.n) : status;
    case JO_GROUP_FILE:
        status = place_file(p, g, &made);
        break;
    case JO_GROUP_LATTICE:
        status = jo_place_lattice(p, g, &made);
        break;
    case JO_GROUP_RANDOM:
        status = jo_place_random(p, g, &made);
        break;
    case JO_GROUP_FACTORY:
        break;
    }
    if (status == JO_OK) status = append_batch(p->scene, g, &made, to, p->error);
    if (status == JO_OK) status = settle(p, made.x, made.r, made.n);
    jo_batch_free(&made);
    return status;
}

/* What sizes of cells are counted from; files may have larger bodies, which then only take
 * longer. */
static double largest_radius(const jo_scene *s)
{
    double largest = 0.0;
    for (size_t k = 0; k < s->group_count; k++) {
        const jo_group *g = &s->groups[k];
        for (size_t i = 0; g->kind == JO_GROUP_EXPLICIT && i < g->listed.n; i++)
            largest = fmax(largest, g->listed.r[i]);
        if (g->kind != JO_GROUP_EXPLICIT) largest = fmax(largest, jo_sizes_largest(&g->sizes));
    }
    return largest > 0.0 ? largest : 1.0;
}

jo_status jo_scene_populate(const jo_scene *scene, jo_population *population, jo_progress progress,
                            void *context, jo_error *error)
{
    *population = (jo_population){0};
    jo_status status = jo_scene_check(scene, error);
    if (status != JO_OK) return status;
    status = jo_population_allocate(population, 0, error);
    if (status == JO_OK && scene->shape_count > 0)
        status = jo_population_allocate_shapes(population, error);
    if (status != JO_OK) {
        jo_population_free(population);
        return status;
    }
    placing p = {.scene = scene, .progress = progress, .context = context, .error = error};
    status = jo_surfaces_create(scene, &p.walls, error);
    jo_nest_start(&p.placed, scene->dim, &scene->domain, largest_radius(scene));
    for (; p.group < scene->group_count && status == JO_OK; p.group++) {
        const size_t before = population->n;
        status = place_group(&p, &scene->groups[p.group], population);
        if (status == JO_OK && strcmp(scene->engine, "kinetic") == 0)
            status = jo_outlines_append(&scene->groups[p.group], before, population, error);
        if (status == JO_OK && p.group + 1 < scene->group_count)
            status = jo_placing_report(&p, 1.0);
    }
    jo_nest_free(&p.placed);
    jo_surfaces_destroy(p.walls);
    if (status != JO_OK) jo_population_free(population);
    return status;
}
