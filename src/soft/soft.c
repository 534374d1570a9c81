/* soft.c — the time-stepped engine: creating it, and its step.
 *
 * Velocity Verlet in its leapfrog form. Kept between steps: x(t), v(t - dt/2), forces at t. A step
 * is v(t + dt/2) = v(t - dt/2) + dt a(t);   x(t + dt) = x(t) + dt v(t + dt/2);   forces at t + dt.
 * Forces that depend on velocities take v(t + dt) predicted as v(t + dt/2) + dt/2 a(t): second
 * order. Springs with history grow by dt v(t + dt/2), the very displacement that positions make. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "base/timer.h"
#include "soft/poly.h"

JO_API jo_soft_options jo_soft_options_default(void)
{
    return (jo_soft_options){.threads = 0};
}

JO_API const char *jo_soft_stage_name(jo_soft_stage stage)
{
    static const char *const names[JO_SOFT_STAGES] = {
        [JO_SOFT_MOVE] = "move",     [JO_SOFT_INSERT] = "insert",      [JO_SOFT_SORT] = "sort",
        [JO_SOFT_SEARCH] = "search", [JO_SOFT_LIST] = "list",          [JO_SOFT_PAIRS] = "pairs",
        [JO_SOFT_WALLS] = "walls",   [JO_SOFT_POLYHEDRA] = "polyhedra"};
    return (unsigned)stage < JO_SOFT_STAGES ? names[stage] : "unknown";
}

JO_API uint64_t jo_soft_step_count(const jo_soft *soft)
{
    return soft->steps;
}
JO_API double jo_soft_time_step(const jo_soft *soft)
{
    return soft->s.step;
}
JO_API jo_step_advice jo_soft_advice(const jo_soft *soft)
{
    return soft->advice;
}

JO_API jo_soft_stats jo_soft_statistics(const jo_soft *soft)
{
    jo_soft_stats stats = soft->stats;
    stats.bytes = jo_state_bytes(soft);
    if (stats.bytes > stats.bytes_peak) stats.bytes_peak = stats.bytes;
    stats.skin = soft->skin;
    stats.search = soft->search_method;
    return stats;
}

/* ---- the step ---- */

typedef enum block_stage { STAGE_MOVE, STAGE_FORCES } block_stage;

/* How many of a thread's blocks are begun; a cache line each. */
typedef struct share {
    _Alignas(64) atomic_size_t begun;
} share;

typedef struct block_work {
    jo_soft *soft;
    block_stage stage;
    double dt;
    share shares[JO_THREADS_MAX];
} block_work;

/* Walls come right after the pairs, while the block's bodies are in the cache. How long they took
 * goes to the thread. */
static void forces_of_block(const block_work *work, size_t b, int t)
{
    jo_soft *soft = work->soft;
    soft->run->pairs(&soft->s, b, &soft->scratch[t], work->dt);
    const block_walls *walls = &soft->s.walls[b];
    if (walls->near_count == 0 && walls->contact_count == 0) return;
    const double begin = jo_seconds();
    soft->run->walls(&soft->s, b, &soft->scratch[t], work->dt);
    soft->scratch[t].wall_seconds += jo_seconds() - begin;
}

/* Each thread has a share of neighbouring blocks, the same in every stage and step, whose bodies
 * stay in its cache; done with it, it helps the others with theirs. No result depends on who does
 * what. */
static void work_on_blocks(void *context, int t, int threads)
{
    block_work *work = context;
    const size_t blocks = work->soft->blocks;
    for (int k = 0; k < threads; k++) {
        const int whose = (t + k) % threads;
        const size_t first = blocks * (size_t)whose / (size_t)threads;
        const size_t end = blocks * ((size_t)whose + 1) / (size_t)threads;
        atomic_size_t *begun = &work->shares[whose].begun;
        for (;;) {
            const size_t b = first + atomic_fetch_add_explicit(begun, 1, memory_order_relaxed);
            if (b >= end) break;
            if (work->stage == STAGE_MOVE)
                work->soft->run->move(&work->soft->s, b);
            else
                forces_of_block(work, b, t);
        }
    }
}

static void on_all_blocks(jo_soft *soft, block_stage stage, double dt)
{
    const int threads = soft->blocks < (size_t)soft->threads ? (int)soft->blocks : soft->threads;
    block_work work = {.soft = soft, .stage = stage, .dt = dt};
    if (threads > 0) jo_threads_run(threads, work_on_blocks, &work);
}

/* What forces took, shared out between pairs and walls as threads spent it. */
static void note_seconds(jo_soft *soft, double elapsed)
{
    double walls = 0;
    for (int t = 0; t < soft->threads; t++) {
        walls += soft->scratch[t].wall_seconds;
        soft->scratch[t].wall_seconds = 0;
    }
    walls = fmin(walls / soft->threads, elapsed);
    soft->stats.seconds[JO_SOFT_PAIRS] += elapsed - walls;
    soft->stats.calls[JO_SOFT_PAIRS]++;
    if (soft->wall_count == 0) return;
    soft->stats.seconds[JO_SOFT_WALLS] += walls;
    soft->stats.calls[JO_SOFT_WALLS]++;
}

static uint64_t id_of(const jo_soft *soft, size_t i)
{
    return ((const uint64_t *)soft->id.data)[i];
}

/* How fast two bodies can approach each other at most: the diagonal of the bounds of all
 * velocities. */
static double closing_speed(const jo_soft *soft)
{
    double square = 0;
    for (int a = 0; a < 3; a++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t b = 0; b < soft->blocks; b++) {
            low = fmin(low, soft->s.sums[b].slowest[a]);
            high = fmax(high, soft->s.sums[b].fastest[a]);
        }
        if (high > low) square += (high - low) * (high - low);
    }
    return sqrt(square);
}

/* Bodies that are no longer where numbers are; false ends the simulation. */
static bool check_motion(jo_soft *soft, double *fastest)
{
    *fastest = 0;
    for (size_t b = 0; b < soft->blocks; b++) {
        const block_sums *sums = &soft->s.sums[b];
        *fastest = fmax(*fastest, sums->speed2_max);
        if (sums->lost != UINT32_MAX) {
            jo_alarm_raise(
                soft, JO_ALARM_BLOWUP, id_of(soft, sums->lost),
                "the velocity of body %llu is no longer finite: the time step is probably "
                "too large for the stiffness, or bodies started deeply overlapped",
                (unsigned long long)id_of(soft, sums->lost));
            return false;
        }
    }
    *fastest = sqrt(*fastest);
    if (*fastest * soft->s.step <= soft->smallest) return true;
    for (size_t i = 0; i < soft->s.n; i++) {
        const double *v = soft->s.v + 4 * i, r = soft->s.x[4 * i + 3];
        const double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (speed * soft->s.step > r)
            jo_alarm_raise(
                soft, JO_ALARM_SPEED, id_of(soft, i),
                "body %llu moved %g in one step, more than its radius %g: it may pass through "
                "others; the time step is too large, or the simulation is blowing up",
                (unsigned long long)id_of(soft, i), speed * soft->s.step, r);
    }
    return soft->alarms[JO_ALARM_SPEED].count == 0;
}

/* Forces at the present positions; dt is the step that led here, 0 at the start. */
jo_status jo_soft_forces(jo_soft *soft, double dt, jo_error *error)
{
    const double begin = jo_seconds();
    soft->late = 0;
    soft->s.ahead = soft->threads > 1 || soft->s.n >= soft->s.many;
    jo_lists_awake(soft);
    if (soft->wall_count > 0)
        memset(soft->s.wall_forces, 0, 6 * soft->blocks * soft->wall_count * sizeof(double));
    on_all_blocks(soft, STAGE_FORCES, dt);
    note_seconds(soft, jo_seconds() - begin);
    if (soft->poly->on) {
        const double polyhedra = jo_seconds();
        const jo_status status = jo_poly_forces(soft, dt, error);
        if (status != JO_OK) return status;
        soft->stats.seconds[JO_SOFT_POLYHEDRA] += jo_seconds() - polyhedra;
        soft->stats.calls[JO_SOFT_POLYHEDRA]++;
    }
    if (soft->wall_count > 0) jo_walls_gather(soft, dt);
    for (size_t b = 0; b < soft->blocks; b++) {
        const block_sums *sums = &soft->s.sums[b];
        if (sums->no_room) {
            jo_lists_drop(soft);
            return jo_fail_memory(error, soft->pool.page_size, "what contacts remember");
        }
        soft->dissipated += sums->dissipated;
        soft->work += sums->work;
        soft->late += 0.5 * sums->work;
        if (sums->deep_count == 0) continue;
        jo_alarm_deep(soft, sums->deep_a, sums->deep_b, sums->deep_wall, DEEP_RADIUS, sums->deep,
                      dt == 0);
    }
    return JO_OK;
}

static void move_shear(jo_soft *soft, double dt)
{
    box4 *box = &soft->s.box;
    if (!box->sheared) return;
    const double t = jo_soft_time(soft);
    box->offset = remainder(box->jump * t, box->size[0]);
    soft->shear_travel += fabs(box->jump) * dt;
}

static jo_status take_step(jo_soft *soft, jo_error *error)
{
    const double dt = soft->s.step, begin = jo_seconds();
    double fastest;
    bool changed = false;
    jo_status status = JO_OK;

    on_all_blocks(soft, STAGE_MOVE, dt);
    size_t lost = 0;
    if (soft->poly->on && !jo_poly_move(soft, &lost)) {
        jo_alarm_raise(soft, JO_ALARM_BLOWUP, id_of(soft, lost),
                       "the spin of body %llu is no longer finite: the time step is probably too "
                       "large for the stiffness, or bodies started deeply overlapped",
                       (unsigned long long)id_of(soft, lost));
        soft->dead = true;
        return jo_fail(error, JO_ERR_PHYSICS, "at time %g: %s", jo_soft_time(soft),
                       soft->alarms[JO_ALARM_BLOWUP].text);
    }
    soft->steps++;
    soft->stats.body_steps += soft->s.n;
    jo_walls_move(soft, jo_soft_time(soft), dt);
    move_shear(soft, dt);
    soft->stats.seconds[JO_SOFT_MOVE] += jo_seconds() - begin;
    soft->stats.calls[JO_SOFT_MOVE]++;
    if (!check_motion(soft, &fastest)) {
        soft->dead = true;
        return jo_fail(error, JO_ERR_PHYSICS, "at time %g: %s", jo_soft_time(soft),
                       soft->alarms[JO_ALARM_BLOWUP].count > 0 ? soft->alarms[JO_ALARM_BLOWUP].text
                                                               : soft->alarms[JO_ALARM_SPEED].text);
    }
    soft->travel += fastest * dt * (1 + 1e-12);
    const double closer = closing_speed(soft) * dt * (1 + 1e-12);
    soft->apart += closer;
    soft->unsorted += closer;

    if (soft->factory_count > 0) status = jo_insert_due(soft, &changed, error);
    if (status == JO_OK && (changed || jo_lists_due(soft))) {
        status = jo_remove_gone(soft, &changed, error);
        if (status == JO_OK) status = jo_lists_rebuild(soft, error);
    }
    return status == JO_OK ? jo_soft_forces(soft, dt, error) : status;
}

/* A wall comes, perhaps where bodies are: springs it did not press together push them. Or it goes,
 * and with it what bodies leaning on it had stored there. Nobody's motion did that, so all the
 * energy that the step brings or takes is its work. */
static jo_status step_as_walls_change(jo_soft *soft, jo_error *error)
{
    double before, after;
    jo_status status = jo_soft_balance(soft, &before, error);
    if (status == JO_OK) status = take_step(soft, error);
    if (status == JO_OK) status = jo_soft_balance(soft, &after, error);
    if (status == JO_OK) soft->work += after - before;
    return status;
}

/* Frames and what was saved end with the next step: their memory is as much as half the
 * engine's. */
static void drop_views(jo_soft *soft)
{
    for (size_t k = 0; k < sizeof soft->frame / sizeof *soft->frame; k++)
        jo_buffer_free(&soft->frame[k]);
    jo_buffer_free(&soft->contact_out);
    jo_buffer_free(&soft->saved);
    jo_buffer_free(&soft->order);
}

JO_API jo_status jo_soft_advance(jo_soft *soft, uint64_t steps, jo_error *error)
{
    if (soft->dead)
        return jo_fail(error, JO_ERR_PHYSICS, "the simulation has blown up and cannot go on");
    drop_views(soft);
    for (uint64_t k = 0; k < steps; k++) {
        const bool change =
            soft->s.account && jo_walls_change(soft, jo_soft_time_at(soft, soft->steps + 1));
        const jo_status status =
            change ? step_as_walls_change(soft, error) : take_step(soft, error);
        if (status != JO_OK) {
            soft->dead = true;
            return status;
        }
    }
    return JO_OK;
}

/* ---- creating ---- */

static const kernels *choose_kernels(void)
{
#if defined(JO_HAVE_AVX2) && (defined(__x86_64__) || defined(__i386__))
#ifdef JO_HAVE_AVX512
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &jo_soft_kernels_avx512;
#endif
    if (__builtin_cpu_supports("avx2")) return &jo_soft_kernels_avx2;
#endif
    return &jo_soft_kernels_plain;
}

static jo_status copy_array(const void *from, size_t bytes, void *to, jo_error *error)
{
    void *copy = NULL;
    if (bytes > 0) {
        copy = malloc(bytes);
        if (copy == NULL) return jo_fail_memory(error, bytes, "the scene");
        memcpy(copy, from, bytes);
    }
    memcpy(to, &copy, sizeof copy);
    return JO_OK;
}

/* Plain values by value; the arrays the engine needs as copies; nothing else of the scene. */
static jo_status copy_scene(jo_soft *soft, const jo_scene *scene, jo_error *error)
{
    soft->scene = *scene;
    soft->scene.title = soft->scene.source = soft->scene.folder = NULL;
    soft->scene.groups = NULL;
    soft->scene.gates = NULL;
    soft->scene.geometry = NULL;
    soft->scene.geometry_count = 0;
    jo_status status =
        copy_array(scene->materials, scene->material_count * sizeof *scene->materials,
                   &soft->materials, error);
    if (status == JO_OK)
        status = copy_array(scene->contacts,
                            scene->material_count * scene->material_count * sizeof *scene->contacts,
                            &soft->contacts, error);
    if (status == JO_OK)
        status = copy_array(scene->gates, scene->gate_count * sizeof *scene->gates,
                            &soft->scene.gates, error);
    soft->beyond_removed = calloc(scene->gate_count + 1, sizeof *soft->beyond_removed);
    soft->factories = calloc(scene->group_count + 1, sizeof *soft->factories);
    if (status == JO_OK && (soft->beyond_removed == NULL || soft->factories == NULL))
        status = jo_fail_memory(error, sizeof *soft->factories, "the scene");
    for (size_t g = 0; g < scene->group_count && status == JO_OK; g++)
        if (scene->groups[g].kind == JO_GROUP_FACTORY) {
            soft->factories[soft->factory_count] = (factory){.group = scene->groups[g]};
            jo_group *group = &soft->factories[soft->factory_count++].group;
            group->path = group->file_format = NULL;
            group->listed = (jo_population){0};
        }
    if (status == JO_OK) status = jo_walls_create(soft, error);
    soft->scene.walls = NULL;
    soft->scene.contacts = NULL;
    soft->scene.materials = NULL;
    return status;
}

static void set_box(jo_soft *soft)
{
    const jo_scene *scene = &soft->scene;
    box4 *box = &soft->s.box;
    for (int a = 0; a < 3; a++) {
        box->periodic[a] = scene->has_box && scene->domain.periodic[a] && a < scene->dim;
        box->size[a] = scene->domain.hi[a] - scene->domain.lo[a];
        box->inverse[a] = box->periodic[a] ? 1 / box->size[a] : 0;
        box->any = box->any || box->periodic[a];
    }
    box->sheared = box->any && scene->shear_rate != 0;
    box->jump = box->sheared ? scene->shear_rate * box->size[1] : 0;
}

static void survey_sizes(jo_soft *soft)
{
    double sum = 0, largest = 0, smallest = INFINITY;
    for (size_t i = 0; i < soft->s.n; i++) {
        const double r = soft->s.x[4 * i + 3];
        sum += r;
        largest = fmax(largest, r);
        smallest = soft->s.v[4 * i + 3] > 0 ? fmin(smallest, r) : smallest;
    }
    size_t n = soft->s.n;
    for (size_t k = 0; k < soft->factory_count; k++) {
        const jo_sizes *sizes = &soft->factories[k].group.sizes;
        largest = fmax(largest, jo_sizes_largest(sizes));
        smallest = fmin(smallest, jo_sizes_smallest(sizes));
        if (soft->s.n == 0) {
            sum += jo_sizes_mean(sizes);
            n++;
        }
    }
    soft->largest = largest;
    soft->smallest = isfinite(smallest) ? smallest : largest;
    soft->mean_radius = n > 0 ? sum / (double)n : 1;
    soft->s.reach = jo_law_reach(&soft->law, largest);
}

jo_status jo_soft_box_fits(const jo_soft *soft, double largest, double reach, jo_error *error)
{
    for (int a = 0; a < 3; a++) {
        const double need = 2 * (2 * largest + soft->skin_high + reach);
        if (soft->s.box.periodic[a] && soft->s.box.size[a] < need)
            return jo_fail(
                error, JO_ERR_DATA,
                "the box is %g long on its periodic axis %c: a body would meet two images of "
                "another; make it at least %g (twice the largest diameter and the lists' reach)",
                soft->s.box.size[a], "xyz"[a], need);
    }
    return JO_OK;
}

static jo_status put_bodies(jo_soft *soft, const jo_population *bodies, jo_error *error)
{
    jo_status status = jo_state_room(soft, bodies->n, error);
    if (status != JO_OK) return status;
    for (size_t i = 0; i < bodies->n; i++) {
        if (bodies->material[i] >= soft->law.materials)
            return jo_fail(error, JO_ERR_DATA, "body %zu is of material %u, but there are only %zu",
                           i, bodies->material[i], soft->law.materials);
        if (!(soft->law.pairs[bodies->material[i] * (soft->law.materials + 1)].kn > 0))
            return jo_fail(error, JO_ERR_DATA,
                           "body %zu is of material %u, which no body was meant to be made of: "
                           "it lacks what bodies need",
                           i, bodies->material[i]);
        if (!(bodies->r[i] > 0) || !isfinite(bodies->r[i]))
            return jo_fail(error, JO_ERR_DATA, "body %zu has radius %g: it must be above 0", i,
                           bodies->r[i]);
        for (int a = 0; a < 3; a++)
            if (!isfinite(bodies->x[3 * i + a]) || !isfinite(bodies->v[3 * i + a]) ||
                !isfinite(bodies->w[3 * i + a]))
                return jo_fail(error, JO_ERR_DATA,
                               "body %zu has a position, velocity or spin that is not finite", i);
        jo_state_put(soft, i, bodies->id[i], bodies->x + 3 * i, bodies->v + 3 * i,
                     bodies->w + 3 * i, bodies->r[i], bodies->material[i], bodies->fixed[i]);
        static const double straight[4] = {1, 0, 0, 0};
        const bool shaped = bodies->shape != NULL;
        status = jo_poly_put(soft, i, shaped ? bodies->shape[i] : JO_NO_SHAPE,
                             shaped ? bodies->q + 4 * i : straight, bodies->w + 3 * i,
                             bodies->fixed[i], error);
        if (status != JO_OK) return status;
        soft->next_id = bodies->id[i] >= soft->next_id ? bodies->id[i] + 1 : soft->next_id;
    }
    soft->s.n = bodies->n;
    jo_state_view(soft);
    return JO_OK;
}

/* The skin a scene leaves open starts small: a bed at rest needs hardly any. */
void jo_soft_set_skin(jo_soft *soft)
{
    if (soft->scene.skin > 0) {
        soft->skin = soft->skin_low = soft->skin_high = soft->scene.skin;
        return;
    }
    soft->skin_low = 0.04 * soft->mean_radius;
    soft->skin_high = 0.6 * soft->mean_radius;
    soft->skin = 0.06 * soft->mean_radius;
}

static jo_status set_step(jo_soft *soft, jo_error *error)
{
    const double asked = soft->scene.time_step;
    jo_advice(soft);
    const double step = isnan(asked) ? soft->advice.recommended : asked;
    if (!(step > 0) || !isfinite(step))
        return jo_fail(error, JO_ERR_DATA, "the time step is %g: it must be above 0", step);
    if (isnan(asked))
        jo_clock_choose(soft, step);
    else
        jo_clock_given(soft, step);
    if (soft->s.step > soft->advice.largest * (1 + 1e-9))
        jo_alarm_raise(
            soft, JO_ALARM_STEP, JO_NO_BODY,
            "the time step %g is larger than %g, beyond which contacts are not resolved; "
            "recommended: %g (%s)",
            soft->s.step, soft->advice.largest, soft->advice.recommended, soft->advice.why);
    return JO_OK;
}

/* Velocities go half a step back, once the first forces are known. */
static void step_back(jo_soft *soft)
{
    view *s = &soft->s;
    for (size_t i = 0; i < s->n; i++) {
        double v[3], w[3];
        jo_state_velocity(soft, i, v, w);
        for (int a = 0; a < 3; a++) {
            const double dv = v[a] - s->v[4 * i + a], dw = w[a] - s->w[4 * i + a];
            s->v[4 * i + a] -= dv;
            s->w[4 * i + a] -= dw;
            s->c[6 * i + a] = (float)dv;
            s->c[6 * i + 3 + a] = (float)dw;
        }
    }
    jo_poly_step_back(soft);
}

/* Everything that does not depend on where bodies come from. */
jo_status jo_soft_make(const jo_scene *scene, const jo_soft_options *options, jo_soft **out,
                       jo_error *error)
{
    const jo_soft_options defaults = jo_soft_options_default();
    const jo_soft_options *how = options != NULL ? options : &defaults;
    jo_soft *soft = calloc(1, sizeof *soft);
    *out = soft;
    if (soft == NULL) return jo_fail_memory(error, sizeof *soft, "the engine");
    soft->poly = calloc(1, sizeof *soft->poly);
    if (soft->poly == NULL) return jo_fail_memory(error, sizeof *soft->poly, "the engine");
    if (how->threads < 0 || how->threads > JO_THREADS_MAX)
        return jo_fail(error, JO_ERR_ARGUMENT, "%d threads: give 1 to %d, or 0 for all",
                       how->threads, JO_THREADS_MAX);
    jo_status status = copy_scene(soft, scene, error);
    if (status == JO_OK) status = jo_law_prepare(scene, &soft->law, error);
    if (status != JO_OK) return status;
    soft->run = choose_kernels();
    soft->threads = jo_threads(how->threads);
    soft->s.dim = scene->dim;
    soft->s.many = MANY_BODIES;
    soft->s.account = scene->account_energy;
    soft->s.memo = jo_memo_layout(&soft->law, scene->account_energy);
    jo_memo_pool_start(&soft->pool, &soft->s.memo);
    soft->s.deep_alarm = scene->overlap_alarm;
    memcpy(soft->s.gravity, scene->gravity, sizeof soft->s.gravity);
    set_box(soft);
    soft->scratch = calloc((size_t)soft->threads, sizeof *soft->scratch);
    if (soft->scratch == NULL)
        return jo_fail_memory(error, (size_t)soft->threads * sizeof *soft->scratch, "threads");
    for (int t = 0; t < soft->threads; t++)
        if (!jo_buffer_reserve(&soft->scratch[t].sums, 8 * (BLOCK_BODIES + 1), sizeof(double)))
            return jo_fail_memory(error, 8 * BLOCK_BODIES * sizeof(double), "threads");
    return jo_poly_create(soft, scene, error);
}

/* From bodies in place to the first forces. */
static jo_status start(jo_soft *soft, jo_error *error)
{
    survey_sizes(soft);
    jo_soft_set_skin(soft);
    jo_status status = jo_soft_box_fits(soft, soft->largest, soft->s.reach, error);
    if (status == JO_OK) status = jo_same_place(soft, error);
    if (status == JO_OK) status = set_step(soft, error);
    if (status != JO_OK) return status;
    jo_walls_move(soft, 0, 0);
    bool changed = false;
    status = jo_remove_gone(soft, &changed, error);
    soft->unsorted = INFINITY;
    if (status == JO_OK) status = jo_lists_rebuild(soft, error);
    if (status == JO_OK) status = jo_soft_forces(soft, 0, error);
    if (status != JO_OK) return status;
    step_back(soft);
    jo_measures m;
    soft->energy_start = 0;
    soft->dissipated = soft->gone = 0;
    soft->work = soft->late;
    status = jo_soft_measure(soft, &m, error);
    soft->energy_start = m.energy.balance;
    return status;
}

static jo_status finish_creating(jo_status status, jo_soft **soft)
{
    if (status != JO_OK) {
        jo_soft_destroy(*soft);
        *soft = NULL;
    }
    return status;
}

JO_API jo_status jo_soft_create_with(const jo_scene *scene, const jo_population *bodies,
                                     const jo_soft_options *options, jo_soft **soft,
                                     jo_error *error)
{
    jo_status status = jo_soft_make(scene, options, soft, error);
    if (status == JO_OK) status = put_bodies(*soft, bodies, error);
    if (status == JO_OK) status = start(*soft, error);
    return finish_creating(status, soft);
}

JO_API jo_status jo_soft_create(const jo_scene *scene, const jo_soft_options *options,
                                jo_soft **soft, jo_error *error)
{
    jo_population bodies = {0};
    *soft = NULL;
    jo_status status = jo_scene_check(scene, error);
    if (status == JO_OK)
        status = jo_scene_populate(scene, &bodies, options != NULL ? options->progress : NULL,
                                   options != NULL ? options->progress_context : NULL, error);
    if (status == JO_OK) status = jo_soft_make(scene, options, soft, error);
    if (status == JO_OK) status = put_bodies(*soft, &bodies, error);
    jo_population_free(&bodies); /* before lists need memory */
    if (status == JO_OK) status = start(*soft, error);
    return finish_creating(status, soft);
}

JO_API void jo_soft_destroy(jo_soft *soft)
{
    if (soft == NULL) return;
    jo_poly_destroy(soft);
    jo_walls_destroy(soft);
    jo_broad_destroy(soft->search);
    jo_memo_pool_end(&soft->pool);
    buffer *all[] = {&soft->x,      &soft->v,           &soft->w,           &soft->c,
                     &soft->f,      &soft->id,          &soft->material,    &soft->list,
                     &soft->entry,  &soft->own,         &soft->late_memo,   &soft->page,
                     &soft->sums,   &soft->wall_forces, &soft->block_walls, &soft->records,
                     &soft->ghosts, &soft->ghost_of,    &soft->contact_out, &soft->saved,
                     &soft->order,  &soft->rank,        &soft->pages_before};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        jo_buffer_free(all[k]);
    for (size_t k = 0; k < sizeof soft->frame / sizeof *soft->frame; k++)
        jo_buffer_free(&soft->frame[k]);
    for (int t = 0; t < soft->threads && soft->scratch != NULL; t++) {
        jo_buffer_free(&soft->scratch[t].sums);
        jo_buffer_free(&soft->scratch[t].words);
        jo_buffer_free(&soft->scratch[t].walls);
    }
    free(soft->scratch);
    free(soft->materials);
    free(soft->contacts);
    free(soft->scene.gates);
    free(soft->beyond_removed);
    free(soft->factories);
    free(soft);
}
