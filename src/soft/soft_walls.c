/* soft_walls.c — walls while the engine runs: where they are, what is near them, what they feel.
 *
 * Near lists. Per block, for each body and wall: the wall's primitives within the body's radius
 * plus the skin, in the order of bodies and walls. They are made together with the pair lists and
 * hold until bodies and walls together may have moved by the skin. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "soft/poly.h"

jo_status jo_walls_create(jo_soft *soft, jo_error *error)
{
    const jo_scene *scene = &soft->scene;
    soft->wall_count = 0;
    if (scene->wall_count == 0) return JO_OK;
    soft->live = calloc(scene->wall_count, sizeof *soft->live);
    if (soft->live == NULL)
        return jo_fail_memory(error, scene->wall_count * sizeof *soft->live, "walls");
    for (size_t k = 0; k < scene->wall_count; k++) {
        wall_live *wall = &soft->live[k];
        wall->def = scene->walls[k];
        const jo_status status = jo_wall_shape_create(&wall->def, scene->dim, &wall->shape, error);
        if (status != JO_OK) return status;
        wall->def.triangles = NULL; /* the shape has its own copy */
        wall->def.path = NULL;
        soft->wall_count++;
    }
    return JO_OK;
}

void jo_walls_destroy(jo_soft *soft)
{
    for (size_t k = 0; k < soft->wall_count; k++)
        jo_wall_shape_destroy(soft->live[k].shape);
    free(soft->live);
    block_walls *walls = soft->block_walls.data;
    for (size_t b = 0; b < soft->block_walls_made; b++) {
        jo_buffer_free(&walls[b].near);
        jo_buffer_free(&walls[b].primitives);
        jo_buffer_free(&walls[b].contacts);
    }
}

/* How a wall moved in the middle of the step that led to time t: as a rule its velocities then. If
 * its motion began or stopped meanwhile, those in the middle of what there was of it, times its
 * share of the step. */
static wall_pose half_a_step_ago(const jo_wall *def, double t, double dt)
{
    const double begin = fmax(t - dt, def->motion.start), end = fmin(t, def->motion.stop);
    wall_pose half;
    if (!(begin < end) || end - begin >= dt) {
        jo_wall_pose(def, t - 0.5 * dt, &half);
        return half;
    }
    jo_wall_pose(def, 0.5 * (begin + end), &half);
    for (int a = 0; a < 3; a++) {
        half.velocity[a] *= (end - begin) / dt;
        half.spin[a] *= (end - begin) / dt;
    }
    return half;
}

/* Over which velocity a force acts in the account, in the step that ends at time t: that of its own
 * moment, whose pose this is. Where motion begins or stops within the step, that would tell nothing
 * of the way: the mean. */
static wall_rate acting(const jo_wall *def, double t, double dt, const wall_pose *moment)
{
    const double edges[2] = {def->motion.start, def->motion.stop};
    wall_pose mean;
    for (int k = 0; k < 2; k++)
        if (edges[k] >= t - dt && edges[k] <= t) {
            mean = half_a_step_ago(def, t, dt);
            moment = &mean;
        }
    wall_rate rate;
    memcpy(rate.velocity, moment->velocity, sizeof rate.velocity);
    memcpy(rate.spin, moment->spin, sizeof rate.spin);
    return rate;
}

static bool is_there(const wall_live *wall, double t)
{
    return t >= wall->def.from && t < wall->def.until;
}

/* Puts all walls where they are at time t; dt is the step that led there, 0 at the start. */
void jo_walls_move(jo_soft *soft, double t, double dt)
{
    double fastest = 0;
    for (size_t k = 0; k < soft->wall_count; k++) {
        wall_live *wall = &soft->live[k];
        const jo_servo *servo = &wall->def.servo;
        const wall_pose half = half_a_step_ago(&wall->def, t, dt);
        jo_wall_pose(&wall->def, t, &wall->now);
        jo_wall_pose(&wall->def, t - dt, &wall->before);
        memcpy(wall->velocity_half, half.velocity, sizeof half.velocity);
        memcpy(wall->spin_half, half.spin, sizeof half.spin);
        wall->was = acting(&wall->def, t, dt, &wall->before);
        wall->is = acting(&wall->def, t, dt, &wall->now);
        if (servo->on) {
            wall->servo_shift += wall->servo_speed * dt;
            const double shift = wall->servo_shift - wall->servo_speed * dt;
            for (int a = 0; a < 3; a++) {
                wall->before.displacement[a] += shift * servo->direction[a];
                wall->now.displacement[a] += wall->servo_shift * servo->direction[a];
                wall->now.velocity[a] += wall->servo_speed * servo->direction[a];
                wall->velocity_half[a] += wall->servo_speed * servo->direction[a];
                wall->was.velocity[a] += wall->servo_speed * servo->direction[a];
                wall->is.velocity[a] += wall->servo_speed * servo->direction[a];
            }
        }
        const bool there = is_there(wall, t);
        /* Nobody counted how it came here: lists have it where it was when they were made. */
        if (there && !wall->present && dt > 0) soft->wall_travel = far_off;
        wall->present = there;
        if (there)
            fastest = fmax(fastest, jo_wall_speed_bound(&wall->def, soft->wall_range) +
                                        fabs(wall->servo_speed));
    }
    soft->wall_travel += fastest * dt;
}

bool jo_walls_change(const jo_soft *soft, double t)
{
    for (size_t k = 0; k < soft->wall_count; k++)
        if (soft->live[k].present != is_there(&soft->live[k], t)) return true;
    return false;
}

bool jo_wall_stays(const jo_soft *soft, const wall_live *wall)
{
    return wall->present && is_there(wall, nextafter(jo_soft_time(soft), INFINITY));
}

/* ---- near lists ---- */

typedef struct near_task {
    jo_soft *soft;
    bool failed;
} near_task;

static bool near_of_body(jo_soft *soft, block_walls *w, size_t i, double reach)
{
    const view *s = &soft->s;
    uint32_t found[256];
    for (size_t k = 0; k < soft->wall_count; k++) {
        const wall_live *wall = &soft->live[k];
        double from[3], local[3];
        for (int a = 0; a < 3; a++)
            from[a] = s->x[4 * i + a] - wall->now.pivot[a] - wall->now.displacement[a];
        const double *m = wall->now.rotation;
        for (int a = 0; a < 3; a++)
            local[a] =
                m[a] * from[0] + m[3 + a] * from[1] + m[6 + a] * from[2] + wall->now.pivot[a];
        const double range = s->x[4 * i + 3] + reach;
        size_t n = jo_wall_near(wall->shape, local, range, found, sizeof found / sizeof *found);
        if (n == 0) continue;
        if (!jo_buffer_grow(&w->near, w->near_count * sizeof(wall_near), w->near_count + 1,
                            sizeof(wall_near)) ||
            !jo_buffer_grow(&w->primitives, w->primitive_count * sizeof(uint32_t),
                            w->primitive_count + n, sizeof(uint32_t)))
            return false;
        uint32_t *primitives = (uint32_t *)w->primitives.data + w->primitive_count;
        if (n <= sizeof found / sizeof *found)
            memcpy(primitives, found, n * sizeof *found);
        else /* more than fit at first: a large body on a fine mesh */
            n = jo_wall_near(wall->shape, local, range, primitives, n);
        ((wall_near *)w->near.data)[w->near_count++] =
            (wall_near){(uint32_t)i, (uint32_t)k, (uint32_t)w->primitive_count, (uint32_t)n};
        w->primitive_count += n;
    }
    return true;
}

/* Room for so many and a few more. Not half as much again, as buffers grow otherwise: contacts with
 * a floor are large, and many. The first `used` survive. */
static bool contacts_grow(buffer *b, size_t used, size_t count)
{
    enum { PART = 16 };
    if (b->size >= count * sizeof(wall_contact)) return true;
    buffer larger = {0};
    if (!jo_buffer_reserve(&larger, count + count / PART, sizeof(wall_contact))) return false;
    if (used > 0) memcpy(larger.data, b->data, used * sizeof(wall_contact));
    jo_buffer_free(b);
    *b = larger;
    return true;
}

/* Room for every touch the near list can give. */
static bool contact_room(const jo_soft *soft, block_walls *w)
{
    const wall_near *near = w->near.data;
    size_t most = 1;
    for (size_t k = 0; k < w->near_count; k++) {
        const jo_wall_kind kind = soft->live[near[k].wall].def.kind;
        const bool flat = kind == JO_WALL_PLANE || kind == JO_WALL_BOX; /* one touch a face */
        const size_t touches = flat ? near[k].count : 3 * (size_t)near[k].count;
        most += touches < WALL_TOUCHES ? touches : WALL_TOUCHES;
    }
    most = most > w->contact_count ? most : w->contact_count;
    return contacts_grow(&w->contacts, w->contact_count, most);
}

static void near_work(void *context, int t, int threads)
{
    near_task *task = context;
    jo_soft *soft = task->soft;
    size_t begin, end;
    jo_thread_share(soft->blocks, t, threads, &begin, &end);
    for (size_t b = begin; b < end; b++) {
        block_walls *w = &soft->s.walls[b];
        const size_t first = block_first(b), last = first + block_count(&soft->s, b);
        w->near_count = w->primitive_count = 0;
        bool fine = true;
        for (size_t i = first; i < last && fine; i++)
            if (soft->s.v[4 * i + 3] > 0 && !jo_poly_is(soft, i))
                fine = near_of_body(soft, w, i, soft->skin + soft->s.reach);
        if (!fine || !contact_room(soft, w)) task->failed = true;
    }
}

/* How far from the walls' pivots bodies are: what their turning speed depends on. */
static void measure_range(jo_soft *soft)
{
    double range = 0;
    for (size_t k = 0; k < soft->wall_count; k++) {
        const jo_motion *motion = &soft->live[k].def.motion;
        if (motion->spin[0] == 0 && motion->spin[1] == 0 && motion->spin[2] == 0) continue;
        const wall_pose *pose = &soft->live[k].now;
        for (size_t i = 0; i < soft->s.n; i++) {
            double d2 = 0;
            for (int a = 0; a < 3; a++) {
                const double d = soft->s.x[4 * i + a] - pose->pivot[a] - pose->displacement[a];
                d2 += d * d;
            }
            range = fmax(range, d2);
        }
    }
    soft->wall_range = sqrt(range) + 2 * soft->largest + 2 * soft->skin;
}

jo_status jo_walls_near(jo_soft *soft, jo_error *error)
{
    if (soft->wall_count == 0) return JO_OK;
    measure_range(soft);
    near_task task = {soft, false};
    jo_threads_run(soft->threads, near_work, &task);
    size_t most = 0;
    for (size_t b = 0; b < soft->blocks; b++)
        most = soft->s.walls[b].contacts.size > most ? soft->s.walls[b].contacts.size : most;
    for (int t = 0; t < soft->threads && !task.failed; t++)
        task.failed = !jo_buffer_reserve(&soft->scratch[t].walls, most, 1);
    if (task.failed) return jo_fail_memory(error, most, "bodies near walls");
    return JO_OK;
}

/* How much a wall does to bodies that press on it with this force and torque, per time. */
static double power(const double sum[6], const wall_rate *rate)
{
    double done = 0;
    for (int a = 0; a < 3; a++)
        done -= sum[a] * rate->velocity[a] + sum[3 + a] * rate->spin[a];
    return done;
}

/* Sums what the blocks' bodies do to the walls, in the order of blocks; servos react. Half of the
 * work that the force of a moment does is done in the step before it, half in the step after it,
 * where a servo has another speed. */
void jo_walls_gather(jo_soft *soft, double dt)
{
    const view *s = &soft->s;
    const double t = jo_soft_time(soft);
    for (size_t k = 0; k < soft->wall_count; k++) {
        wall_live *wall = &soft->live[k];
        double sum[6] = {0};
        if (soft->poly->on) memcpy(sum, soft->poly->wall_sums + 6 * k, sizeof sum);
        for (size_t b = 0; b < soft->blocks; b++)
            for (int c = 0; c < 6; c++)
                sum[c] += s->wall_forces[6 * (b * soft->wall_count + k) + c];
        memcpy(wall->force, sum, sizeof wall->force);
        memcpy(wall->torque, sum + 3, sizeof wall->torque);
        wall_pose prescribed; /* without the servo */
        jo_wall_pose(&wall->def, t, &prescribed);
        wall_rate next = acting(&wall->def, t + soft->s.step, soft->s.step, &prescribed);
        if (!wall->present)
            wall->servo_speed = 0; /* it waits where it is */
        else if (wall->def.servo.on)
            wall->servo_speed =
                jo_wall_servo_speed(&wall->def.servo, wall->force, wall->servo_speed, soft->s.step);
        for (int a = 0; a < 3; a++)
            next.velocity[a] += wall->servo_speed * wall->def.servo.direction[a];
        const double after = 0.5 * soft->s.step * power(sum, &next);
        soft->work += 0.5 * dt * power(sum, &wall->is);
        soft->work += after;
        soft->late += after;
    }
}

JO_API jo_wall_state jo_soft_wall(const jo_soft *soft, size_t k)
{
    const wall_live *wall = &soft->live[k];
    jo_wall_state out = {.angle = wall->now.angle, .present = jo_wall_stays(soft, wall)};
    memcpy(out.displacement, wall->now.displacement, sizeof out.displacement);
    memcpy(out.velocity, wall->now.velocity, sizeof out.velocity);
    memcpy(out.force, wall->force, sizeof out.force);
    memcpy(out.torque, wall->torque, sizeof out.torque);
    memcpy(out.rotation, wall->now.rotation, sizeof out.rotation);
    return out;
}

/* ---- contacts with walls move to their bodies' new blocks ---- */

jo_status jo_walls_take(jo_soft *soft, size_t blocks_before, wall_contact **all, size_t *count,
                        jo_error *error)
{
    const block_walls *walls = soft->s.walls;
    size_t n = 0;
    for (size_t b = 0; b < blocks_before; b++)
        n += walls[b].contact_count;
    *count = n;
    *all = NULL;
    if (n == 0) return JO_OK;
    *all = malloc(n * sizeof **all);
    if (*all == NULL) return jo_fail_memory(error, n * sizeof **all, "contacts with walls");
    n = 0;
    for (size_t b = 0; b < blocks_before; b++) {
        if (walls[b].contact_count > 0)
            memcpy(*all + n, walls[b].contacts.data, walls[b].contact_count * sizeof **all);
        n += walls[b].contact_count;
    }
    return JO_OK;
}

static int by_body(const void *p, const void *q)
{
    const wall_contact *a = p, *b = q;
    if (a->body != b->body) return a->body < b->body ? -1 : 1;
    if (a->wall != b->wall) return a->wall < b->wall ? -1 : 1;
    return a->feature < b->feature ? -1 : a->feature > b->feature;
}

/* After jo_walls_near made room: hands contacts to the blocks their bodies are in now. */
jo_status jo_walls_settle(jo_soft *soft, wall_contact *all, size_t n, jo_error *error)
{
    size_t kept = 0;
    for (size_t k = 0; k < n; k++) {
        wall_contact c = all[k];
        c.body = now_at(soft, c.body);
        if (c.body != UINT32_MAX) all[kept++] = c;
    }
    if (kept > 0) qsort(all, kept, sizeof *all, by_body);
    size_t at = 0;
    for (size_t b = 0; b < soft->blocks; b++) {
        block_walls *w = &soft->s.walls[b];
        const size_t from = at, end = block_first(b) + block_count(&soft->s, b);
        while (at < kept && all[at].body < end)
            at++;
        w->contact_count = at - from;
        if (!contacts_grow(&w->contacts, 0, at - from + 1))
            return jo_fail_memory(error, (at - from) * sizeof *all, "contacts with walls");
        if (at > from) memcpy(w->contacts.data, all + from, (at - from) * sizeof *all);
    }
    return JO_OK;
}
