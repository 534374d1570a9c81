/* hard_make.c — an engine from a scene: arrays, the choice of the search, cells, order in
 * memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/keysort.h"
#include "hard/ball_grid.h"
#include "hard/motion.h"
#include "hard/neighbours.h"
#include "hard/rest.h"

#define PI 3.14159265358979323846

/* Measured on gases of equal balls: lists are faster beyond this share of space (bench/hard). */
static const double lists_from = 0.42, shell_share = 0.28;
/* Smaller cells than this share of the mean distance are crossed too often. */
static const double cell_share = 0.65;

double jo_ball_mass(const jo_hard *h, uint32_t i)
{
    if (h->inverse_mass[i] > 0.0) return 1.0 / h->inverse_mass[i];
    const double r = h->r[i], density = h->rest->densities[h->material[i]];
    return h->dim == 2 ? density * PI * r * r : density * 4 / 3 * PI * r * r * r;
}

size_t jo_hard_bytes(const jo_hard *h)
{
    const buffer *all[] = {
        &h->memory_balls,    &h->memory_plans, &h->memory_rows, &h->memory_shells,
        &h->memory_heads,    &h->memory_id,    &h->memory_r,    &h->memory_wraps,
        &h->memory_material, &h->memory_mass,  &h->memory_spin, &h->memory_last,
        &h->memory_near,     &h->memory_steps, &h->memory_log,  &h->rest->marked_memory};
    size_t sum = sizeof *h + sizeof *h->rest + jo_calendar_bytes(&h->calendar) +
                 h->rest->surfaces.room * sizeof(surface);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        sum += all[k]->size;
    return sum;
}

/* ---- room ---- */

static jo_status make_room(jo_hard *h, size_t n, jo_error *error)
{
    const struct {
        buffer *b;
        size_t size;
    } all[] = {{&h->memory_balls, sizeof *h->balls},
               {&h->memory_plans, sizeof *h->plans},
               {&h->memory_id, sizeof *h->id},
               {&h->memory_r, sizeof *h->r},
               {&h->memory_wraps, 3 * sizeof *h->wraps},
               {&h->memory_material, sizeof *h->material},
               {&h->memory_mass, sizeof *h->inverse_mass},
               {&h->memory_spin, 3 * sizeof *h->spin}};
    /* One more than there are: behind the last ball is one that search_chains looks at. */
    if (n >= SURFACES)
        return jo_fail(error, JO_ERR_LIMIT, "%zu bodies are more than the %u of engine hard", n,
                       SURFACES - 1);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (!jo_buffer_reserve(all[k].b, n + 1, all[k].size))
            return jo_fail_memory(error, n * all[k].size, "bodies");
        memset(all[k].b->data, 0, (n + 1) * all[k].size);
    }
    h->balls = h->memory_balls.data;
    h->balls[n] = (ball){.next = NOBODY, .bound = BOUND_NEVER};
    h->plans = h->memory_plans.data;
    h->id = h->memory_id.data;
    h->r = h->memory_r.data;
    h->wraps = h->memory_wraps.data;
    h->material = h->memory_material.data;
    h->inverse_mass = h->memory_mass.data;
    h->spin = h->memory_spin.data;
    h->n = (uint32_t)n;
    h->calendar.id = h->id;
    h->calendar.plans = h->plans;
    return JO_OK;
}

/* ---- the scene ---- */

static bool copy_scene(jo_hard *h, const jo_scene *scene)
{
    struct hard_rest *rest = h->rest;
    const size_t materials = scene->material_count;
    rest->domain = scene->domain;
    rest->has_box = scene->has_box;
    rest->leaving = scene->leaving;
    rest->walls = calloc(scene->wall_count + 1, sizeof *rest->walls);
    rest->gates = calloc(scene->gate_count + 1, sizeof *rest->gates);
    rest->wall_marked = calloc(3 * scene->wall_count + 1, sizeof *rest->wall_marked);
    rest->densities = calloc(materials + 1, sizeof *rest->densities);
    h->wall_impulse = calloc(3 * scene->wall_count + 1, sizeof *h->wall_impulse);
    h->impacts = calloc(materials * materials + 1, sizeof *h->impacts);
    if (rest->walls == NULL || rest->gates == NULL || rest->wall_marked == NULL ||
        rest->densities == NULL || h->wall_impulse == NULL || h->impacts == NULL)
        return false;
    for (size_t k = 0; k < scene->wall_count; k++) {
        rest->walls[k] = scene->walls[k];
        rest->walls[k].triangles = NULL;
        rest->walls[k].path = NULL;
    }
    for (size_t k = 0; k < scene->gate_count; k++)
        rest->gates[k] = scene->gates[k];
    for (size_t k = 0; k < materials; k++)
        rest->densities[k] = scene->materials[k].density;
    rest->wall_count = scene->wall_count;
    rest->gate_count = scene->gate_count;
    h->material_count = materials;
    jo_impact_prepare(scene, h->impacts);
    return true;
}

jo_status jo_hard_prepare(const jo_scene *scene, const jo_hard_options *options, size_t n,
                          jo_hard **hard, jo_error *error)
{
    const jo_hard_options defaults = jo_hard_options_default();
    if (options == NULL) options = &defaults;
    *hard = NULL;
    jo_hard *h = calloc(1, sizeof *h);
    if (h != NULL) h->rest = calloc(1, sizeof *h->rest);
    if (h == NULL || h->rest == NULL || !copy_scene(h, scene)) {
        jo_hard_destroy(h);
        return jo_fail_memory(error, sizeof *h, "the engine");
    }
    h->dim = scene->dim;
    h->turning = h->dim == 2 ? 2.0 : 2.5;
    h->scale = 1.0;
    for (int k = 0; k < 3; k++) {
        h->g[k] = scene->gravity[k];
        h->falls = h->falls || h->g[k] != 0.0;
        const bool wraps = scene->has_box && scene->domain.periodic[k] && k < scene->dim;
        h->grid.period[k] = wraps ? scene->domain.hi[k] - scene->domain.lo[k] : 0.0;
        h->grid.per_period[k] = wraps ? 1.0 / h->grid.period[k] : 0.0;
    }
    h->log_size = options->log;
    jo_status status = jo_surfaces_make(scene, &h->rest->surfaces, error);
    if (status == JO_OK && h->log_size > 0 &&
        !jo_buffer_reserve(&h->memory_log, h->log_size, sizeof *h->log))
        status = jo_fail_memory(error, h->log_size * sizeof *h->log, "the log");
    h->rest->tc_chosen = isnan(scene->hard.contact_duration);
    h->tc = h->rest->tc_chosen ? 0.0 : scene->hard.contact_duration;
    if (status == JO_OK) status = make_room(h, n, error);
    if (status != JO_OK) {
        jo_hard_destroy(h);
        return status;
    }
    h->log = h->log_size > 0 ? h->memory_log.data : NULL;
    h->surfaces = h->rest->surfaces.list;
    h->surface_count = h->rest->surfaces.count;
    h->rest->temperature = scene->hard.temperature;
    h->rest->kick_rate = scene->hard.thermostat_rate;
    h->rest->grow_pressure = scene->hard.growth_pressure;
    h->rest->kicks = jo_random_start(scene->seed, 0x7e57);
    h->run = jo_hard_run_plain;
    h->foresee_all = jo_hard_foresee_all_plain;
    h->turned = jo_hard_turned_plain;
#ifdef JO_HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) {
        h->run = jo_hard_run_avx2;
        h->foresee_all = jo_hard_foresee_all_avx2;
        h->turned = jo_hard_turned_avx2;
    }
#endif
    *hard = h;
    return JO_OK;
}

JO_API void jo_hard_destroy(jo_hard *h)
{
    if (h == NULL) return;
    buffer *all[] = {&h->memory_balls,    &h->memory_plans, &h->memory_rows, &h->memory_shells,
                     &h->memory_heads,    &h->memory_id,    &h->memory_r,    &h->memory_wraps,
                     &h->memory_material, &h->memory_mass,  &h->memory_spin, &h->memory_last,
                     &h->memory_near,     &h->memory_steps, &h->memory_log};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        jo_buffer_free(all[k]);
    jo_calendar_free(&h->calendar);
    free(h->wall_impulse);
    free(h->impacts);
    struct hard_rest *r = h->rest;
    if (r != NULL) {
        buffer *own[] = {&r->frame_x,       &r->frame_v,        &r->frame_w,  &r->frame_zero,
                         &r->frame_r,       &r->frame_mass,     &r->frame_id, &r->frame_material,
                         &r->frame_fixed,   &r->frame_touching, &r->order,    &r->saved,
                         &r->marked_memory, &r->log_out};
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            jo_buffer_free(own[k]);
        free(r->surfaces.list);
        free(r->walls);
        free(r->gates);
        free(r->densities);
        free(r->wall_marked);
        free(r);
    }
    free(h);
}

/* ---- sizes and the choice of the search ---- */

typedef struct survey_of_balls {
    double smallest, largest, solid, speed2;
    double lo[3], hi[3];
    bool same_mass;
} survey_of_balls;

static survey_of_balls survey(const jo_hard *h)
{
    survey_of_balls s = {.smallest = (double)INFINITY, .same_mass = true};
    for (int k = 0; k < 3; k++) {
        s.lo[k] = (double)INFINITY;
        s.hi[k] = -(double)INFINITY;
    }
    for (uint32_t i = 0; i < h->n; i++) {
        const double r = h->r[i], *v = h->balls[i].v;
        s.smallest = fmin(s.smallest, r);
        s.largest = fmax(s.largest, r);
        s.solid += h->dim == 2 ? PI * r * r : 4.0 / 3.0 * PI * r * r * r;
        s.speed2 = fmax(s.speed2, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        s.same_mass = s.same_mass && h->inverse_mass[i] == h->inverse_mass[0];
        for (int k = 0; k < 3; k++) {
            s.lo[k] = fmin(s.lo[k], h->balls[i].x[k] - r);
            s.hi[k] = fmax(s.hi[k], h->balls[i].x[k] + r);
        }
    }
    return s;
}

/* What open axes of the grid have to cover: bodies, the box, walls that have ends. */
static void widen_bounds(const jo_hard *h, survey_of_balls *s)
{
    const struct hard_rest *rest = h->rest;
    for (int k = 0; k < h->dim; k++) {
        if (rest->has_box) {
            s->lo[k] =
                h->grid.period[k] > 0.0 ? rest->domain.lo[k] : fmin(s->lo[k], rest->domain.lo[k]);
            s->hi[k] =
                h->grid.period[k] > 0.0 ? rest->domain.hi[k] : fmax(s->hi[k], rest->domain.hi[k]);
        }
        for (size_t w = 0; w < rest->wall_count; w++)
            if (rest->walls[w].kind == JO_WALL_BOX) {
                s->lo[k] = fmin(s->lo[k], rest->walls[w].lo[k]);
                s->hi[k] = fmax(s->hi[k], rest->walls[w].hi[k]);
            }
    }
}

static double volume_of(const jo_hard *h, const survey_of_balls *s)
{
    double volume = 1.0;
    for (int k = 0; k < h->dim; k++)
        volume *= fmax(s->hi[k] - s->lo[k], 2.0 * s->largest);
    return volume;
}

static void say_why(jo_hard *h, const char *format, double value)
{
    char text[sizeof h->stats.why];
    snprintf(text, sizeof text, format, value);
    memcpy(h->stats.why, text, sizeof text);
}

/* Whether lists are to be used; says why. */
static bool choose_lists(jo_hard *h, const jo_scene *scene, const survey_of_balls *s,
                         double fraction)
{
    const double range = h->diameter * (1.0 + 2.0 * shell_share);
    for (int k = 0; k < h->dim; k++)
        if (h->grid.period[k] > 0.0 && h->grid.period[k] < 4.0 * range) {
            say_why(h, "the box is only %.2g diameters wide", h->grid.period[k] / h->diameter);
            return false;
        }
    if (h->scale_rate > 0.0) {
        say_why(h, "balls grow, by %.3g per unit time", scene->hard.growth);
        return false;
    }
    if (strcmp(scene->broad, "auto") != 0) {
        say_why(h, "the scene says so", 0.0);
        return strcmp(scene->broad, "verlet") == 0;
    }
    if (s->largest > 1.5 * s->smallest) {
        say_why(h, "the largest ball is %.3g times the smallest", s->largest / s->smallest);
        return false;
    }
    say_why(h,
            fraction >= lists_from ? "balls fill %.3g of the space: dense"
                                   : "balls fill %.3g of the space: dilute",
            fraction);
    return fraction >= lists_from;
}

/* How large balls become: what growth_until says, or the scene's end, and no packing is denser than
 * spheres (discs) can be. Growth ends there, for cells are made for balls of that size. */
static double set_growth(jo_hard *h, const jo_scene *scene, double fraction)
{
    struct hard_rest *rest = h->rest;
    const double growth = scene->hard.growth;
    rest->grow_stop = (double)INFINITY;
    if (!(growth > 0.0)) return 1.0;
    h->scale_rate = growth;
    const double densest = h->dim == 2 ? sqrt(0.91 / fraction) : cbrt(0.75 / fraction);
    double final = fmin(1.0 + growth * scene->duration, densest);
    if (!isnan(scene->hard.growth_until)) {
        const double ratio = scene->hard.growth_until / fraction;
        final = fmin(final, h->dim == 2 ? sqrt(ratio) : cbrt(ratio));
    }
    rest->grown = fmax(final, 1.0);
    rest->grow_stop = (rest->grown - 1.0) / growth;
    return rest->grown;
}

/* What equal elastic balls in a periodic box do not need. */
static bool needs_general(const jo_hard *h, const survey_of_balls *s)
{
    bool general = h->falls || h->surface_count > 0 || h->grows || h->tiny || h->tc > 0.0 ||
                   h->movers < h->n || h->poly || !s->same_mass;
    for (int k = 0; k < h->dim; k++)
        general = general || h->grid.period[k] == 0.0;
    for (size_t k = 0; k < h->material_count * h->material_count; k++)
        general = general || h->impacts[k].restitution != 1.0 || h->impacts[k].friction > 0.0;
    return general;
}

/* A contact duration that changes nothing to see, where energy is lost. */
static double choose_tc(const jo_hard *h, const survey_of_balls *s)
{
    bool inelastic = false;
    for (size_t k = 0; k < h->material_count * h->material_count; k++)
        inelastic = inelastic || h->impacts[k].restitution < 1.0;
    if (!inelastic && !h->falls) return 0.0;
    const double g = sqrt(h->g[0] * h->g[0] + h->g[1] * h->g[1] + h->g[2] * h->g[2]);
    if (g > 0.0) return 1e-3 * sqrt(2.0 * s->smallest / g);
    return s->speed2 > 0.0 ? 1e-6 * s->smallest / sqrt(s->speed2) : 0.0;
}

static jo_status room_for_lists(jo_hard *h, jo_error *error)
{
    h->row_size = 32;
    if (!jo_buffer_reserve(&h->memory_rows, (size_t)h->row_size * h->n, sizeof *h->rows) ||
        !jo_buffer_reserve(&h->memory_shells, h->n, sizeof *h->shells))
        return jo_fail_memory(error, (size_t)h->row_size * h->n * sizeof *h->rows, "lists");
    h->rows = h->memory_rows.data;
    h->shells = h->memory_shells.data;
    memset(h->shells, 0, h->n * sizeof *h->shells);
    return JO_OK;
}

/* Decides what is to be decided from a scene and the balls at the start. */
static jo_status decide(jo_hard *h, const jo_scene *scene, const survey_of_balls *found,
                        jo_error *error)
{
    struct hard_rest *rest = h->rest;
    survey_of_balls s = *found;
    if (rest->tc_chosen) h->tc = choose_tc(h, &s);
    widen_bounds(h, &s);
    rest->volume = volume_of(h, &s);
    const double fraction = s.solid / rest->volume;
    rest->largest = h->diameter * set_growth(h, scene, fraction) * (1.0 + 1e-9);
    h->lists = choose_lists(h, scene, &s, fraction);
    h->reach = h->lists ? shell_share * h->diameter : 0.0;
    const double apart = h->dim == 2 ? sqrt(rest->volume / h->n) : cbrt(rest->volume / h->n);
    const double size = h->lists ? (rest->largest + 2.0 * h->reach) * (1.0 + 1e-6)
                                 : fmax(1.03 * rest->largest, cell_share * apart);
    return jo_ball_grid_make(h, s.lo, s.hi, size, error);
}

static jo_status room_for_last(jo_hard *h, jo_error *error)
{
    if (!jo_buffer_reserve(&h->memory_last, (size_t)h->n + 1, sizeof *h->last))
        return jo_fail_memory(error, h->n * sizeof *h->last, "bodies");
    h->last = h->memory_last.data;
    for (uint32_t i = 0; i < h->n; i++)
        h->last[i] = -(double)INFINITY;
    return JO_OK;
}

/* An epoch is to be short, some events for each ball, but starting one has its price, too. */
static uint32_t days_for(uint32_t n)
{
    const uint32_t few = n < 1000 ? n : 1000;
    return n / 4 > few ? n / 4 : few;
}

jo_status jo_hard_arrange(jo_hard *h, const jo_scene *scene, bool decided, jo_error *error)
{
    jo_status status = JO_OK;
    const survey_of_balls s = survey(h);
    h->poly = s.smallest < s.largest;
    h->diameter = 2.0 * s.largest;
    h->diameter2 = h->diameter * h->diameter;
    status = decided ? jo_ball_grid_build(h, error) : decide(h, scene, &s, error);
    if (status != JO_OK) return status;
    h->grows = h->scale_rate != 0.0 || h->scale != 1.0;
    for (size_t k = 0; k < h->material_count * h->material_count; k++)
        h->spins = h->spins || h->impacts[k].friction > 0.0;
    for (int k = 0; k < h->dim; k++)
        h->tiny = h->tiny || (h->grid.period[k] > 0.0 && h->grid.cells[k] < 4);
    h->general = needs_general(h, &s);
    h->fixed_falls = h->falls && h->movers < h->n;
    h->mass = h->n > 0 ? jo_ball_mass(h, 0) : 0.0;
    h->stats.search = h->lists ? "lists" : "cells";
    h->stats.shell = h->reach;
    h->prefetches = h->calendar.far_apart = h->n > 20000;
    status = jo_ball_grid_walls(h, 0.5 * h->rest->largest + h->reach + 1e-6 * h->diameter, error);
    if (status == JO_OK && h->lists) status = room_for_lists(h, error);
    if (status == JO_OK && h->tc > 0.0) status = room_for_last(h, error);
    if (status == JO_OK && !jo_calendar_make(&h->calendar, days_for(h->n)))
        status = jo_fail_memory(error, h->n, "the calendar");
    return status;
}

/* A run that was changed keeps to the general way: it need not find out again what it may leave
 * out. */
jo_status jo_hard_adapt(jo_hard *h, jo_error *error)
{
    const survey_of_balls s = survey(h);
    const double tc = h->tc;
    h->falls = h->g[0] != 0.0 || h->g[1] != 0.0 || h->g[2] != 0.0;
    h->fixed_falls = h->falls && h->movers < h->n;
    for (size_t k = 0; k < h->material_count * h->material_count; k++)
        h->spins = h->spins || h->impacts[k].friction > 0.0;
    h->general = true;
    if (h->rest->tc_chosen) h->tc = choose_tc(h, &s);
    return tc == 0.0 && h->tc > 0.0 ? room_for_last(h, error) : JO_OK;
}

/* ---- order in memory ---- */

static uint64_t spread_bits(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffff;
    x = (x | x << 16) & 0x1f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}

/* Moves element from[i] to place i. */
static void permute(void *data, void *scratch, size_t size, const keyed *from, size_t n)
{
    const char *in = data;
    char *out = scratch;
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * size, in + from[i].id * size, size);
    memcpy(data, scratch, n * size);
}

static void remap_plans(jo_hard *h, const keyed *from, uint32_t *to)
{
    for (uint32_t i = 0; i < h->n; i++)
        to[from[i].id] = i;
    for (uint32_t i = 0; i < h->n; i++) {
        plan *p = &h->plans[i];
        const uint32_t partner = p->partner & PARTNER;
        if (partner < SURFACES) p->partner = (p->partner & ~PARTNER) | to[partner];
    }
}

/* Along Morton's curve through cells of about a ball; those that move come first. */
static void curve_keys(const jo_hard *h, keyed *keys)
{
    for (uint32_t i = 0; i < h->n; i++) {
        uint64_t key = 0;
        for (int k = 0; k < 3; k++) {
            const double at = (h->balls[i].x[k] - h->grid.lo[k]) / h->diameter;
            key |= spread_bits((uint64_t)fmin(fmax(at, 0.0), 2e6)) << k;
        }
        keys[i] = (keyed){.key = key | (uint64_t)(h->inverse_mass[i] == 0.0) << 63, .id = i};
    }
}

jo_status jo_hard_sort(jo_hard *h, jo_error *error)
{
    const size_t n = h->n;
    buffer keys = {0}, scratch = {0};
    if (!jo_buffer_reserve(&keys, 2 * n + 1, sizeof(keyed)) ||
        !jo_buffer_reserve(&scratch, n + 1, sizeof(ball))) {
        jo_buffer_free(&keys);
        return jo_fail_memory(error, n * sizeof(ball), "sorting");
    }
    keyed *from = keys.data;
    curve_keys(h, from);
    jo_keysort(from, from + n, n);
    const struct {
        void *data;
        size_t size;
    } all[] = {{h->balls, sizeof *h->balls},
               {h->plans, sizeof *h->plans},
               {h->id, sizeof *h->id},
               {h->r, sizeof *h->r},
               {h->wraps, 3 * sizeof *h->wraps},
               {h->material, sizeof *h->material},
               {h->inverse_mass, sizeof *h->inverse_mass},
               {h->spin, 3 * sizeof *h->spin},
               {h->last, sizeof *h->last},
               {h->shells, sizeof *h->shells},
               {h->rest->marked, 3 * sizeof *h->rest->marked}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].data != NULL) permute(all[k].data, scratch.data, all[k].size, from, n);
    remap_plans(h, from, scratch.data);
    jo_buffer_free(&keys);
    jo_buffer_free(&scratch);
    return JO_OK;
}

jo_status jo_hard_settle(jo_hard *h, jo_error *error)
{
    if (h->lists) {
        memset(h->grid.heads, 0xff, jo_ball_grid_cells(&h->grid) * sizeof *h->grid.heads);
        if (!jo_neighbours_make(h, true)) return jo_fail_memory(error, h->n, "lists");
    } else {
        for (uint32_t i = 0; i < h->n; i++)
            jo_ball_grid_place(h, i);
        jo_ball_grid_link(h);
    }
    return JO_OK;
}
