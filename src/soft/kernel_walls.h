/* kernel_walls.h — forces of walls on the bodies of a block, and of bodies on walls; a part of
 * kernel.h. */
#ifndef JO_SOFT_KERNEL_WALLS_H
#define JO_SOFT_KERNEL_WALLS_H

#ifndef JO_SOFT_KERNEL_H
#error "include soft/kernel.h"
#endif

static inline void rotate(const double m[9], const double a[3], double out[3])
{
    for (int r = 0; r < 3; r++)
        out[r] = m[3 * r] * a[0] + m[3 * r + 1] * a[1] + m[3 * r + 2] * a[2];
}

static inline void cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* A place in the frame of the wall's description. */
static void place_on_wall(const wall_pose *pose, const double x[3], double local[3])
{
    double from[3];
    for (int a = 0; a < 3; a++)
        from[a] = x[a] - pose->pivot[a] - pose->displacement[a];
    const double *m = pose->rotation;
    for (int a = 0; a < 3; a++) /* transposed: back into the wall's frame */
        local[a] = m[a] * from[0] + m[3 + a] * from[1] + m[6 + a] * from[2] + pose->pivot[a];
}

/* A body's touches with one wall, in the world's frame. */
static size_t touches_of(const view *s, const wall_near *near, const uint32_t *primitives,
                         wall_touch out[WALL_TOUCHES])
{
    const wall_live *wall = &s->live[near->wall];
    const double *x = s->x + 4 * (size_t)near->body;
    const double *m = wall->now.rotation;
    double local[3];
    place_on_wall(&wall->now, x, local);
    /* A little further than touching, so that the end of a contact is seen. */
    const double reach = s->reach + 0.03 * x[3];
    const size_t n =
        jo_wall_touch(wall->shape, local, x[3] + reach, primitives + near->first, near->count, out);
    for (size_t t = 0; t < n; t++) {
        const double normal[3] = {out[t].normal[0], out[t].normal[1], out[t].normal[2]};
        rotate(m, normal, out[t].normal);
    }
    return n;
}

static void continue_with(wall_contact *now, wall_contact *before)
{
    memcpy(now->history, before->history, sizeof now->history);
    memcpy(now->roll, before->roll, sizeof now->roll);
    memcpy(now->note, before->note, sizeof now->note);
    memcpy(now->normal, before->normal, sizeof now->normal);
    now->gap = before->gap;
    now->matched = before->matched = 1;
}

/* Finds the history of a touch among those a step ago of the same body and wall; failing that,
 * takes one that nothing else continues: a body that rolled on to the next face. */
static void inherit(wall_contact *now, size_t count, wall_contact *before, size_t before_count)
{
    for (size_t k = 0; k < count; k++)
        for (size_t o = 0; o < before_count; o++)
            if (!before[o].matched && before[o].feature == now[k].feature) {
                continue_with(&now[k], &before[o]);
                break;
            }
    for (size_t k = 0; k < count; k++)
        for (size_t o = 0; o < before_count && !now[k].matched; o++)
            if (!before[o].matched) continue_with(&now[k], &before[o]);
}

/* Where a body was a step ago, in the frame of the wall's description. */
static void place_before(const view *s, size_t body, const wall_live *wall, double dt,
                         double local[3])
{
    const double *x = s->x + 4 * body, *v = s->v + 4 * body;
    double earlier[3];
    for (int a = 0; a < 3; a++)
        earlier[a] = x[a] - dt * v[a];
    place_on_wall(&wall->before, earlier, local);
}

/* A body in the tip of a cone that passed the axis: contacts with the side that was next to it are
 * now with the opposite one. Their histories would else change places, and with them what their
 * dashpots took and springs held. */
static void pass_axis(const view *s, const wall_near *near, double dt, wall_contact *before,
                      size_t count)
{
    const wall_live *wall = &s->live[near->wall];
    double from[3], to[3];
    if (count == 0 || dt == 0) return;
    place_before(s, near->body, wall, dt, from);
    place_on_wall(&wall->now, s->x + 4 * (size_t)near->body, to);
    if (!jo_wall_passed(wall->shape, from, to)) return;
    for (size_t k = 0; k < count; k++)
        before[k].feature = jo_wall_opposite(before[k].feature);
}

/* Four contacts with walls, as the law wants them; lanes beyond `lanes` repeat the last. */
typedef struct wall4 {
    wall_contact *contact[JO_LANES];
    wall_touch touch[JO_LANES];
    double lever[JO_LANES][3]; /* from the wall's pivot to the contact */
    int lanes;
} wall4;

static void wall_velocity(const double velocity[3], const double spin[3], const double lever[3],
                          double out[3])
{
    cross3(spin, lever, out);
    for (int a = 0; a < 3; a++)
        out[a] += velocity[a];
}

/* The velocity of the body's surface against the wall, and of its centre's. */
static void against_wall(const double v[3], const double w[3], const double wall[3],
                         const double n[3], double arm, double *normal, double tangential[3])
{
    double turn[3], u[3];
    cross3(w, n, turn);
    for (int a = 0; a < 3; a++)
        u[a] = v[a] - wall[a] - arm * turn[a];
    *normal = u[0] * n[0] + u[1] * n[1] + u[2] * n[2];
    for (int a = 0; a < 3; a++)
        tangential[a] = u[a] - *normal * n[a];
}

static void set_lane(vec4x3 *to, int l, const double from[3])
{
    to->x[l] = from[0];
    to->y[l] = from[1];
    to->z[l] = from[2];
}

/* The velocity of the body's surface against the wall as a force acts over it in the account:
 * halfway through the step, and `share` of what it changes by from there to now on top. What walls
 * do is summed up by the trapezoidal rule, so theirs is that of the force's own moment, or whatever
 * else it is summed up by. */
static void wall_drift(const view *s, size_t body, double share, const double wall[3],
                       const double n[3], double arm, double *normal, double surface[3])
{
    const double *v = s->v + 4 * body, *w = s->w + 4 * body;
    const float *change = s->c + 6 * body;
    double moves[3], turns[3];
    for (int a = 0; a < 3; a++) {
        moves[a] = v[a] + share * (double)change[a];
        turns[a] = w[a] + share * (double)change[3 + a];
    }
    against_wall(moves, turns, wall, n, arm, normal, surface);
}

/* What the account wants to know: the force of a step ago acted where the wall was touched then. */
static void wall_lane_drift(const view *s, const wall4 *q, int l, double dt, contact4 *k)
{
    const wall_contact *c = q->contact[l];
    const wall_live *live = &s->live[c->wall];
    const wall_pose *before = &live->before;
    const double *n = q->touch[l].normal, gap = q->touch[l].gap, arm = gap + k->closed[l];
    const double *n_before = c->matched ? c->normal : n;
    const double *x = s->x + 4 * (size_t)c->body, *v = s->v + 4 * (size_t)c->body;
    const double turns = s->w[4 * (size_t)c->body + 3];
    double lever[3], wall[3], normal, first[3], second[3];
    for (int a = 0; a < 3; a++)
        lever[a] =
            x[a] - dt * v[a] - arm * n_before[a] - before->pivot[a] - before->displacement[a];
    wall_velocity(live->was.velocity, live->was.spin, lever, wall);
    wall_drift(s, c->body, -2.0 / 3.0, wall, n_before, arm, &normal, first);
    k->drift.first_in[l] = -normal;
    wall_velocity(live->is.velocity, live->is.spin, q->lever[l], wall);
    wall_drift(s, c->body, 2.0 / 3.0, wall, n, gap, &normal, second);
    k->drift.second_in[l] = -normal;
    set_lane(&k->drift.first, l, first);
    set_lane(&k->drift.second, l, second);
    k->drift.gives[l] = v[3] + gap * gap * turns;
    k->drift.gave[l] = v[3] + arm * arm * turns;
    k->drift.skew[l] = gap * turns;
}

/* How much nearer the wall came over the step. Of contacts that have just begun nobody noted how
 * near it was. */
static double wall_closed(const wall4 *q, int l, double dt, double normal)
{
    const wall_contact *c = q->contact[l];
    if (dt == 0) return 0;
    return c->matched ? c->gap - q->touch[l].gap : -normal * dt;
}

static void wall_lane(const view *s, wall4 *q, int l, double dt, contact4 *k)
{
    const wall_contact *c = q->contact[l];
    const wall_touch *touch = &q->touch[l];
    const wall_live *wall = &s->live[c->wall];
    const size_t i = c->body;
    const double *x = s->x + 4 * i, *v = s->v + 4 * i, *w = s->w + 4 * i;
    const float *change_v = s->c + 6 * i, *change_w = change_v + 3;
    double v_now[3], w_now[3], at_now[3], at_half[3], tangential[3], normal;
    for (int a = 0; a < 3; a++) {
        q->lever[l][a] =
            x[a] - touch->gap * touch->normal[a] - wall->now.pivot[a] - wall->now.displacement[a];
        v_now[a] = v[a] + (double)change_v[a];
        w_now[a] = w[a] + (double)change_w[a];
    }
    wall_velocity(wall->now.velocity, wall->now.spin, q->lever[l], at_now);
    wall_velocity(wall->velocity_half, wall->spin_half, q->lever[l], at_half);
    set_lane(&k->n, l, touch->normal);
    k->overlap[l] = x[3] - touch->gap;
    k->radius[l] = x[3];
    k->mass[l] = 1 / v[3];
    against_wall(v_now, w_now, at_now, touch->normal, touch->gap, &normal, tangential);
    k->vn[l] = normal;
    set_lane(&k->vt, l, tangential);
    against_wall(v, w, at_half, touch->normal, touch->gap, &normal, tangential);
    k->closed[l] = wall_closed(q, l, dt, normal);
    /* What it slid, with the lever arm halfway through the step: else of first order only. A
     * contact that began during the step slid only from there on. */
    against_wall(v, w, at_half, touch->normal, touch->gap + 0.5 * k->closed[l], &normal,
                 tangential);
    const bool began = !c->matched && k->overlap[l] < k->closed[l];
    const double part = began ? k->overlap[l] / k->closed[l] : 1;
    for (int a = 0; a < 3; a++)
        tangential[a] *= dt * part;
    set_lane(&k->slid, l, tangential);
    if (s->account) wall_lane_drift(s, q, l, dt, k);
    double rolled[3];
    for (int a = 0; a < 3; a++) {
        w_now[a] -= wall->now.spin[a];
        rolled[a] = (w[a] - wall->spin_half[a]) * dt;
    }
    set_lane(&k->spin, l, w_now);
    set_lane(&k->rolled, l, rolled);
    k->fresh[l] = c->matched ? 0 : -1;
    set_lane(&k->xi, l, c->history);
    k->pull[l] = c->history[3];
    set_lane(&k->roll, l, c->roll);
    k->turns[l] = w[3];
    const double drag[3] = {(double)c->note[0], (double)c->note[1], (double)c->note[2]};
    const double twist[3] = {(double)c->note[4], (double)c->note[5], (double)c->note[6]};
    set_lane(&k->drag, l, drag);
    set_lane(&k->twist, l, twist);
    const law_pair *pair = &s->law->pairs[s->material[i] * s->law->materials + wall->def.material];
    const double *from = (const double *)pair;
    for (size_t field = 0; field < sizeof *pair / sizeof *from; field++)
        ((vec4 *)&k->c)[field][l] = from[field];
}

static void wall_contacts_load(const view *s, wall4 *q, double dt, contact4 *k)
{
    memset(k, 0, sizeof *k);
    for (int l = 0; l < JO_LANES; l++) {
        if (l >= q->lanes) {
            q->contact[l] = q->contact[q->lanes - 1];
            q->touch[l] = q->touch[q->lanes - 1];
        }
        wall_lane(s, q, l, dt, k);
    }
    k->on = v4_mask((1u << q->lanes) - 1);
    k->account = s->account;
    k->step = v4_all(dt);
}

/* Evaluates what is gathered, and adds it to bodies and walls. */
static void wall_contacts_add(const view *s, size_t block, wall4 *q, double dt)
{
    contact4 k;
    if (q->lanes == 0) return;
    wall_contacts_load(s, q, dt, &k);
    law_evaluate(s->law, &k);
    block_sums *out = &s->sums[block];
    for (int l = 0; l < q->lanes; l++) {
        wall_contact *c = q->contact[l];
        c->matched = k.on[l] != 0; /* laws that reach: broken or not formed */
        c->history[0] = k.xi.x[l];
        c->history[1] = k.xi.y[l];
        c->history[2] = k.xi.z[l];
        c->history[3] = k.pull[l];
        c->roll[0] = k.roll.x[l];
        c->roll[1] = k.roll.y[l];
        c->roll[2] = k.roll.z[l];
        const float note[NOTE] = {(float)k.drag.x[l],  (float)k.drag.y[l],  (float)k.drag.z[l],  0,
                                  (float)k.twist.x[l], (float)k.twist.y[l], (float)k.twist.z[l], 0};
        memcpy(c->note, note, sizeof note);
        memcpy(c->normal, q->touch[l].normal, sizeof c->normal);
        c->gap = q->touch[l].gap;
        const double force[3] = {k.force.x[l], k.force.y[l], k.force.z[l]};
        const bool rolls = s->law->parts.rolling != JO_ROLLING_NONE;
        const double roll[3] = {rolls ? k.torque.x[l] : 0, rolls ? k.torque.y[l] : 0,
                                rolls ? k.torque.z[l] : 0};
        double *f = s->f + 6 * (size_t)c->body, turn[3], on_wall[3];
        double *wall = s->wall_forces + 6 * (block * s->wall_count + c->wall);
        cross3(q->touch[l].normal, force, turn);
        cross3(q->lever[l], force, on_wall);
        for (int a = 0; a < 3; a++) {
            f[a] += force[a];
            f[3 + a] += roll[a] - q->touch[l].gap * turn[a];
            wall[a] -= force[a];
            wall[3 + a] -= on_wall[a] + roll[a];
        }
        out->dissipated += k.dissipated[l];
        if (k.overlap[l] > s->deep_alarm * k.radius[l]) {
            if (out->deep_count == 0) {
                out->deep = k.overlap[l] / k.radius[l];
                out->deep_a = out->deep_b = c->body;
                out->deep_wall = c->wall;
            }
            out->deep_count++;
        }
    }
    q->lanes = 0;
}

/* Touches of one body with one wall become contacts, in the order of their features. */
static size_t contacts_of(const wall_near *near, wall_touch *touches, size_t n, wall_contact *now)
{
    for (size_t k = 1; k < n; k++) /* at most WALL_TOUCHES */
        for (size_t m = k; m > 0 && touches[m].feature < touches[m - 1].feature; m--) {
            const wall_touch t = touches[m];
            touches[m] = touches[m - 1];
            touches[m - 1] = t;
        }
    for (size_t k = 0; k < n; k++)
        now[k] =
            (wall_contact){.body = near->body, .wall = near->wall, .feature = touches[k].feature};
    return n;
}

/* Where the contacts of a body with a wall lie among those sorted by body and wall, from `from`
 * on. */
static size_t contacts_from(const wall_contact *sorted, size_t from, size_t count,
                            const wall_near *near, size_t *end)
{
    while (from < count && (sorted[from].body < near->body ||
                            (sorted[from].body == near->body && sorted[from].wall < near->wall)))
        from++;
    for (*end = from;
         *end < count && sorted[*end].body == near->body && sorted[*end].wall == near->wall;)
        ++*end;
    return from;
}

static void walls_of_block(const view *s, size_t block, scratch *own, double dt)
{
    block_walls *w = &s->walls[block];
    if (w->near_count == 0 && w->contact_count == 0) return;
    const wall_near *near = w->near.data;
    const uint32_t *primitives = w->primitives.data;
    wall_contact *before = own->walls.data, *now = w->contacts.data;
    if (w->contact_count > 0) memcpy(before, now, w->contact_count * sizeof *now);
    const size_t before_count = w->contact_count;
    wall4 q = {.lanes = 0};
    size_t count = 0, old = 0;
    for (size_t k = 0; k < w->near_count; k++) {
        size_t old_end;
        old = contacts_from(before, old, before_count, &near[k], &old_end);
        if (!s->live[near[k].wall].present) {
            old = old_end;
            continue;
        }
        wall_touch touches[WALL_TOUCHES];
        const size_t n = touches_of(s, &near[k], primitives, touches);
        const size_t added = contacts_of(&near[k], touches, n, now + count);
        for (size_t o = old; o < old_end; o++) /* what was no contact has nothing to hand on */
            before[o].matched = !before[o].matched;
        pass_axis(s, &near[k], dt, before + old, old_end - old);
        inherit(now + count, added, before + old, old_end - old);
        for (size_t t = 0; t < added; t++) {
            const bool touches_now = touches[t].gap <= s->x[4 * (size_t)near[k].body + 3];
            if (!touches_now && !now[count + t].matched && !s->law->reaches)
                continue; /* near, but neither a contact nor one that has just ended */
            q.contact[q.lanes] = now + count + t;
            q.touch[q.lanes++] = touches[t];
            if (q.lanes == JO_LANES) wall_contacts_add(s, block, &q, dt);
        }
        old = old_end;
        count += added;
    }
    wall_contacts_add(s, block, &q, dt);
    w->contact_count = count;
}

#endif
