/* change.c — a run that is changed while it goes on: gravity, contacts, walls, bodies that are
 * added.
 *
 * Changes happen between two steps, when positions and forces are those of t and velocities those
 * of t - dt/2. What is asked for is tried and looked at as a scene would be, and undone where it
 * cannot be, so that a refusal leaves no trace. Nothing here depends on threads or on how often the
 * engine was looked at: a run repeats with the same changes at the same steps. Cost: O(n) each. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "soft/poly.h"

JO_API jo_body_def jo_body_def_default(void)
{
    return (jo_body_def){.shape = JO_NO_SHAPE, .q = {1, 0, 0, 0}};
}

static bool finite3(const double v[3])
{
    for (int a = 0; a < 3; a++)
        if (!(fabs(v[a]) <= JO_COORDINATE_MAX)) return false;
    return true;
}

static jo_status alive(const jo_soft *soft, jo_error *error)
{
    return soft->dead ? jo_fail(error, JO_ERR_PHYSICS, "the simulation has blown up") : JO_OK;
}

static bool step_is_long(const jo_soft *soft)
{
    return soft->s.step > soft->advice.largest * (1 + 1e-9);
}

/* Whether the time step still is right. One that was too long from the start has its alarm. */
static jo_status try_step(jo_soft *soft, jo_error *error)
{
    jo_advice(soft);
    if (!step_is_long(soft) || soft->alarms[JO_ALARM_STEP].count > 0) return JO_OK;
    return jo_fail(error, JO_ERR_DATA,
                   "the time step of the run, %g, would be too long for that: at most %g (%s); "
                   "begin with a shorter engine.time_step",
                   soft->s.step, soft->advice.largest, soft->advice.why);
}

/* ---- gravity ---- */

JO_API void jo_soft_gravity(const jo_soft *soft, double gravity[3])
{
    memcpy(gravity, soft->s.gravity, sizeof soft->s.gravity);
}

/* Velocities at t stay what they are; those half a step before follow from them. */
static void keep_velocities(jo_soft *soft, const double before[3])
{
    const view *s = &soft->s;
    for (size_t i = 0; i < s->n; i++) {
        const double lightness = s->v[4 * i + 3];
        for (int a = 0; a < 3 && lightness > 0; a++) {
            const double more = s->gravity[a] - before[a], half = 0.5 * s->step * more;
            s->v[4 * i + (size_t)a] -= half;
            s->c[6 * i + (size_t)a] += (float)half;
            soft->work -= more * s->x[4 * i + (size_t)a] / lightness;
        }
    }
}

JO_API jo_status jo_soft_set_gravity(jo_soft *soft, const double gravity[3], jo_error *error)
{
    view *s = &soft->s;
    double before[3];
    jo_status status = alive(soft, error);
    if (status != JO_OK) return status;
    if (!finite3(gravity)) return jo_fail(error, JO_ERR_DATA, "gravity must be finite");
    if (s->dim == 2 && gravity[2] != 0)
        return jo_fail(error, JO_ERR_DATA,
                       "gravity points out of the plane of a scene of dimension 2");
    memcpy(before, s->gravity, sizeof before);
    memcpy(s->gravity, gravity, sizeof before);
    status = try_step(soft, error);
    if (status != JO_OK) {
        memcpy(s->gravity, before, sizeof before);
        jo_advice(soft);
        return status;
    }
    keep_velocities(soft, before);
    soft->changed = true;
    return JO_OK;
}

/* ---- contacts ---- */

JO_API jo_contact_def jo_soft_contact_def(const jo_soft *soft, uint32_t a, uint32_t b)
{
    const size_t n = soft->law.materials;
    return a < n && b < n ? soft->contacts[a * n + b] : jo_contact_def_default();
}

static void put_pair(jo_soft *soft, uint32_t a, uint32_t b, const jo_contact_def *def,
                     const law_pair *pair)
{
    const size_t n = soft->law.materials;
    soft->contacts[a * n + b] = soft->contacts[b * n + a] = *def;
    soft->law.pairs[a * n + b] = soft->law.pairs[b * n + a] = *pair;
    soft->law.drags = false;
    for (size_t k = 0; k < n * n; k++)
        soft->law.drags = soft->law.drags || soft->law.pairs[k].damp_t > 0;
}

/* Coefficients of that contact. */
static jo_status make_pair(jo_soft *soft, uint32_t a, uint32_t b, const jo_contact_def *def,
                           law_pair *pair, jo_error *error)
{
    const size_t n = soft->law.materials;
    jo_scene scene = soft->scene;
    const jo_contact_def before = soft->contacts[a * n + b];
    scene.materials = soft->materials;
    scene.contacts = soft->contacts;
    soft->contacts[a * n + b] = *def;
    const jo_status status = jo_law_prepare_pair(&scene, a, b, pair, error);
    soft->contacts[a * n + b] = before;
    return status;
}

static jo_status set_contact(jo_soft *soft, uint32_t a, uint32_t b, const jo_contact_def *def,
                             jo_error *error)
{
    law_pair pair;
    const size_t n = soft->law.materials;
    jo_status status = make_pair(soft, a, b, def, &pair, error);
    if (status != JO_OK) return status;
    const jo_contact_def def_before = soft->contacts[a * n + b];
    const law_pair before = soft->law.pairs[a * n + b];
    put_pair(soft, a, b, def, &pair);
    status = try_step(soft, error);
    if (status != JO_OK) {
        put_pair(soft, a, b, &def_before, &before);
        jo_advice(soft);
        return status;
    }
    soft->changed = true;
    return JO_OK;
}

static jo_status known_pair(const jo_soft *soft, uint32_t a, uint32_t b, jo_error *error)
{
    const size_t n = soft->law.materials;
    const jo_status status = alive(soft, error);
    if (status != JO_OK) return status;
    if (a >= n || b >= n)
        return jo_fail(error, JO_ERR_DATA, "there are %zu materials, and no number %u", n,
                       a >= n ? a : b);
    if (!(soft->law.pairs[a * n + b].kn > 0))
        return jo_fail(error, JO_ERR_DATA, "'%s' and '%s' never touch: only walls are made of them",
                       soft->materials[a].name, soft->materials[b].name);
    return JO_OK;
}

JO_API jo_status jo_soft_set_friction(jo_soft *soft, uint32_t a, uint32_t b, double friction,
                                      jo_error *error)
{
    const jo_status status = known_pair(soft, a, b, error);
    if (status != JO_OK) return status;
    if (!(friction >= 0 && isfinite(friction)))
        return jo_fail(error, JO_ERR_DATA,
                       "friction between '%s' and '%s' is %g; it must be 0 or more",
                       soft->materials[a].name, soft->materials[b].name, friction);
    if (soft->law.parts.tangential == JO_TANGENTIAL_NONE)
        return jo_fail(error, JO_ERR_DATA,
                       "the scene's law.tangential is none: friction would not be used");
    jo_contact_def def = jo_soft_contact_def(soft, a, b);
    def.friction = friction;
    return set_contact(soft, a, b, &def, error);
}

JO_API jo_status jo_soft_set_restitution(jo_soft *soft, uint32_t a, uint32_t b, double restitution,
                                         jo_error *error)
{
    const jo_status status = known_pair(soft, a, b, error);
    if (status != JO_OK) return status;
    if (!(restitution > 0 && restitution <= 1))
        return jo_fail(error, JO_ERR_DATA,
                       "restitution between '%s' and '%s' is %g; it must be above 0 and at most 1",
                       soft->materials[a].name, soft->materials[b].name, restitution);
    if (soft->law.parts.damping != JO_DAMPING_RESTITUTION &&
        soft->law.parts.normal != JO_NORMAL_ENERGY)
        return jo_fail(error, JO_ERR_DATA,
                       "the scene's law.damping is not restitution: the value would not be used");
    jo_contact_def def = jo_soft_contact_def(soft, a, b);
    def.restitution = restitution;
    return set_contact(soft, a, b, &def, error);
}

/* ---- walls ---- */

static jo_status nobody_in_the_way(const jo_soft *soft, const wall_live *w, jo_error *error)
{
    const view *s = &soft->s;
    uint64_t id = JO_NO_BODY;
    size_t count = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (!jo_wall_touches(w, s->x + 4 * i, s->x[4 * i + 3])) continue;
        const uint64_t mine = ((const uint64_t *)soft->id.data)[i];
        id = mine < id ? mine : id;
        count++;
    }
    if (count == 0) return JO_OK;
    return jo_fail(error, JO_ERR_DATA,
                   "the wall '%s' cannot be put back: %zu bod%s in the way, the first is %llu",
                   w->def.name, count, count == 1 ? "y is" : "ies are", (unsigned long long)id);
}

JO_API jo_status jo_soft_set_wall(jo_soft *soft, size_t wall, bool present, jo_error *error)
{
    jo_status status = alive(soft, error);
    if (status == JO_OK && wall >= soft->wall_count)
        status = jo_fail(error, JO_ERR_DATA, "there are %zu walls, and no number %zu",
                         soft->wall_count, wall);
    if (status != JO_OK) return status;
    wall_live *w = &soft->live[wall];
    const double now = jo_soft_time(soft);
    if (present && !w->present) {
        status = nobody_in_the_way(soft, w, error);
        if (status != JO_OK) return status;
        w->def.from = now;
        soft->wall_travel = far_off;
    }
    /* The next step takes it away, and accounts for what leaned on it. */
    w->def.until = present ? (double)INFINITY : nextafter(now, INFINITY);
    if (present) w->present = true;
    soft->changed = true;
    return JO_OK;
}

/* ---- bodies ---- */

static jo_status examine_body(const jo_soft *soft, const jo_body_def *b, jo_error *error)
{
    const jo_scene *scene = &soft->scene;
    const size_t n = soft->law.materials;
    const double square =
        b->q[0] * b->q[0] + b->q[1] * b->q[1] + b->q[2] * b->q[2] + b->q[3] * b->q[3];
    if (!(b->r > 0 && b->r <= JO_COORDINATE_MAX))
        return jo_fail(error, JO_ERR_DATA, "a body has radius %g; it must be above 0", b->r);
    if (!finite3(b->x) || !finite3(b->v) || !finite3(b->w))
        return jo_fail(error, JO_ERR_DATA, "a body has a value that is not finite");
    if (b->material >= n)
        return jo_fail(error, JO_ERR_DATA, "a body has material %u; there are %zu", b->material, n);
    if (!(soft->law.pairs[b->material * (n + 1)].kn > 0) ||
        !(soft->materials[b->material].density > 0))
        return jo_fail(error, JO_ERR_DATA,
                       "'%s' is a material that only walls are made of: it lacks what bodies need",
                       soft->materials[b->material].name);
    if (scene->dim == 2 && b->x[2] != 0)
        return jo_fail(error, JO_ERR_DATA, "a body is not in the plane z = 0");
    if (b->shape != JO_NO_SHAPE && (!soft->poly->on || b->shape >= soft->poly->shape_count))
        return jo_fail(error, JO_ERR_DATA, "a body has shape %u; the scene has %zu", b->shape,
                       soft->poly->on ? soft->poly->shape_count : 0);
    if (b->shape != JO_NO_SHAPE && !(square > 0 && isfinite(square)))
        return jo_fail(error, JO_ERR_DATA,
                       "a body's orientation must be a quaternion that is not 0");
    for (int a = 0; a < scene->dim && scene->has_box && scene->leaving != JO_LEAVING_KEEP; a++)
        if (!scene->domain.periodic[a] &&
            !(b->x[a] >= scene->domain.lo[a] && b->x[a] <= scene->domain.hi[a]))
            return jo_fail(error, JO_ERR_DATA, "a body is at %c = %g, outside the box (%g … %g)",
                           "xyz"[a], b -> x[a], scene -> domain.lo[a], scene->domain.hi[a]);
    const double largest = fmax(soft->largest, b->r);
    return jo_soft_box_fits(soft, largest, jo_law_reach(&soft->law, largest), error);
}

static jo_status free_place(const jo_soft *soft, const jo_body_def *b, jo_error *error)
{
    const view *s = &soft->s;
    for (size_t i = 0; i < s->n; i++) {
        double d2 = 0, d[3];
        for (int a = 0; a < 3; a++)
            d[a] = b->x[a] - s->x[4 * i + (size_t)a];
        if (s->box.sheared) {
            const double up = nearbyint(d[1] * s->box.inverse[1]);
            d[0] -= up * s->box.offset;
        }
        for (int a = 0; a < 3; a++) {
            if (s->box.periodic[a]) d[a] -= s->box.size[a] * nearbyint(d[a] * s->box.inverse[a]);
            d2 += d[a] * d[a];
        }
        const double sum = b->r + s->x[4 * i + 3];
        if (d2 < sum * sum)
            return jo_fail(error, JO_ERR_DATA,
                           "there is no room at (%g, %g, %g): a body of radius %g would overlap "
                           "body %llu by %.3g",
                           b->x[0], b->x[1], b->x[2], b->r,
                           (unsigned long long)((const uint64_t *)soft->id.data)[i],
                           sum - sqrt(d2));
    }
    for (size_t k = 0; k < soft->wall_count; k++)
        if (jo_wall_stays(soft, &soft->live[k]) && jo_wall_touches(&soft->live[k], b->x, b->r))
            return jo_fail(error, JO_ERR_DATA,
                           "there is no room at (%g, %g, %g): a body of radius %g would touch the "
                           "wall '%s'",
                           b->x[0], b->x[1], b->x[2], b->r, soft->live[k].def.name);
    return JO_OK;
}

/* What adding a body changes apart from the arrays, to put it back. */
typedef struct sizes_before {
    double largest, smallest, mean, reach, gone, skin, skin_low, skin_high;
    size_t slots;
} sizes_before;

static void note_size(jo_soft *soft, double r)
{
    const bool first = soft->s.n == 0 && soft->factory_count == 0;
    soft->largest = fmax(soft->largest, r);
    soft->smallest = first ? r : fmin(soft->smallest, r);
    soft->s.reach = jo_law_reach(&soft->law, soft->largest);
    if (!first) return;
    soft->mean_radius = r;
    jo_soft_set_skin(soft);
}

static void take_back(jo_soft *soft, const sizes_before *was, size_t n)
{
    soft->largest = was->largest;
    soft->smallest = was->smallest;
    soft->mean_radius = was->mean;
    soft->s.reach = was->reach;
    soft->gone = was->gone;
    soft->skin = was->skin;
    soft->skin_low = was->skin_low;
    soft->skin_high = was->skin_high;
    soft->poly->slots = was->slots;
    if (soft->s.n > n) {
        soft->s.n = n;
        soft->next_id--;
    }
    jo_state_view(soft);
    jo_advice(soft);
}

JO_API jo_status jo_soft_add(jo_soft *soft, const jo_body_def *body, uint64_t *id, jo_error *error)
{
    const size_t n = soft->s.n;
    const uint64_t inserted = soft->inserted;
    const sizes_before was = {soft->largest,  soft->smallest,  soft->mean_radius,
                              soft->s.reach,  soft->gone,      soft->skin,
                              soft->skin_low, soft->skin_high, soft->poly->slots};
    jo_status status = alive(soft, error);
    if (status == JO_OK) status = examine_body(soft, body, error);
    if (status == JO_OK) status = free_place(soft, body, error);
    if (status != JO_OK) return status;
    jo_body_def own = *body;
    const double norm =
        sqrt(own.q[0] * own.q[0] + own.q[1] * own.q[1] + own.q[2] * own.q[2] + own.q[3] * own.q[3]);
    for (int a = 0; a < 4; a++)
        own.q[a] = own.shape != JO_NO_SHAPE ? own.q[a] / norm : (a == 0);
    note_size(soft, own.r);
    status = jo_insert_body(soft, &own, false, error);
    if (status == JO_OK) status = try_step(soft, error);
    if (status != JO_OK) {
        soft->inserted = inserted;
        take_back(soft, &was, n);
        return status;
    }
    for (size_t b = soft->listed_blocks; b < soft->blocks; b++) /* these have no lists yet */
        soft->s.list[b] = (block_list){.row = soft->stats.list_pairs};
    soft->unsorted = soft->apart = far_off; /* it is the last, and in no list */
    jo_state_uniform(soft);
    if (id != NULL) *id = soft->next_id - 1;
    return JO_OK;
}

/* ---- saving ---- */

size_t jo_changes_count(const jo_soft *soft)
{
    const size_t n = soft->law.materials;
    return soft->changed ? 3 + 2 * soft->wall_count + 2 * n * n : 0;
}

void jo_changes_pack(const jo_soft *soft, double *out)
{
    const size_t n = soft->law.materials;
    for (int a = 0; a < 3; a++)
        *out++ = soft->s.gravity[a];
    for (size_t k = 0; k < soft->wall_count; k++) {
        *out++ = soft->live[k].def.from;
        *out++ = soft->live[k].def.until;
    }
    for (size_t k = 0; k < n * n; k++) {
        *out++ = soft->contacts[k].friction;
        *out++ = soft->contacts[k].restitution;
    }
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool jo_changes_unpack(jo_soft *soft, const double *in, jo_error *error)
{
    const uint32_t n = (uint32_t)soft->law.materials;
    if (!finite3(in)) return false;
    memcpy(soft->s.gravity, in, sizeof soft->s.gravity);
    in += 3;
    for (size_t k = 0; k < soft->wall_count; k++, in += 2) {
        if (isnan(in[0]) || isnan(in[1])) return false;
        soft->live[k].def.from = in[0];
        soft->live[k].def.until = in[1];
    }
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++, in += 2) {
            jo_contact_def def = soft->contacts[a * n + b];
            law_pair pair;
            /* What was not changed may be no number at all: not every law has a restitution. */
            const bool rubs = !same(def.friction, in[0]), bounces = !same(def.restitution, in[1]);
            if (!rubs && !bounces) continue;
            if ((rubs && !(in[0] >= 0)) || (bounces && !(in[1] > 0 && in[1] <= 1))) return false;
            def.friction = in[0];
            def.restitution = in[1];
            if (make_pair(soft, a, b, &def, &pair, error) != JO_OK) return false;
            put_pair(soft, a, b, &def, &pair);
        }
    return true;
}
