/* kinetic_rest.c — polygons that rest on one another.
 *
 * Impacts alone can carry no weight: a body at rest would collide infinitely often. So collisions
 * slower than least_speed have no restitution, and what is in such contact is *held*: it moves on
 * at constant velocity, and gets its weight, and the impulses of all contacts that carry it, at one
 * instant in every rest period h. These impulses are found together (Moreau's scheme): after the
 * kick by weight x time since the last one, velocities w are wanted such that at every contact,
 * with the distance s and the normal impulse j
 *
 *     0 <= j   complementary to   w_n >= (c - s) / h,   friction |j_t| <= mu j, against w_t,
 *
 * that is: until the next time no contact comes nearer than a clearance c. It is solved by sweeps
 * over the contacts (projected Gauss-Seidel) from the impulses of the period before. Positions are
 * none of its business: bodies fly between these instants as ever, each collision is found at its
 * time, and so whatever the sweeps have left undone can never make bodies overlap. It only makes
 * them collide.
 *
 * Bodies that got no impulse fly: on parabolas, with their weight at all times. A flying body that
 * collides slowly with one that is held, or fixed, is held from then on; so it lasts until the next
 * solution. Contacts that approach faster than least_speed are left to collisions. Held bodies that
 * are slower than a tenth of the parting speed c/h stop; where nothing moves, nothing is predicted
 * anew.
 *
 * Energy. A body's weight is applied as m g dt after it moved without it. With w the velocity after
 * and v the one before, a period changes the energy of all held bodies by
 *
 *     sum( j w_n + j_t w_t - m/2 |w - v|^2 - I/2 (spin' - spin)^2 )
 *
 * and what the first and last periods differ by, m/2 (g dt)^2 at most for each body that is caught
 * and let go. Friction takes, j w_n is (c - s)/h j > 0 only where a clearance is restored: m g c
 * for each contact, once. Both are counted as they come (lost, added).
 *
 * Joint impacts are the same solution without weight, for bodies that collide very often: within a
 * rest period, or, without gravity, at one instant, where the parting speed takes the clearance's
 * place. Where very many collide at one instant contacts that touch are part of it however fast
 * they are.
 *
 * Contacts are read off the triangulation: a corner that is as near to an edge as `shell` is in a
 * triangle whose height is no greater, with an end of that edge. Cost: O(triangles) and sweeps x
 * contacts. */
#include <stdlib.h>
#include <string.h>

#include "hard/kinetic_see.h"

enum {
    SWEEPS_MOST = 100,
    SWEEPS_BLOW = 40,
    CLUSTER_MOST = 64,
    HITS_MOST = 6,     /* in a rest period … */
    HITS_INSTANT = 32, /* … and, where there is none, at an instant */
    STEPS_DOWN = 16
};
static const double INSTANT = 1e-8;  /* of the period: hardly anything moves by more than a gap */
static const double TOUCHING = 2.0;  /* gaps */
static const double PERIOD = 0.25;   /* of the time in which weight gives least_speed */
static const double CLEARANCE = 0.1; /* of what least_speed goes in a period … */
static const double CLEARANCE_MOST = 5e-3;     /* … and of the bodies' mean radius, at most */
static const double STOPS = 0.1, ENOUGH = 0.1; /* of the parting speed */
static const uint64_t TWO_CORNERS = 1ull << 63;

/* A body while contacts are solved. */
typedef struct rest_body {
    double v[2], spin, inverse_mass, inverse_inertia;
    bool pushed, changed, lifted;
} rest_body;

/* A contact: one touches two, n points from two to one; t is n turned clockwise. */
typedef struct rest_contact {
    uint64_t key;
    uint32_t one, two;
    double n[2];
    double an1, at1, an2, at2; /* arms x n and x t */
    double b1, b2;             /* inverse of what an impulse along t, n meets */
    double target, friction, push, rub;
    double gone[2], way[2]; /* of push and rub: in the last sweep; where to go on */
} rest_contact;

typedef struct rest_list {
    rest_contact *c;
    size_t count;
    bool blow; /* of those that touch, fast ones, too: very many collide at this instant */
} rest_list;

void jo_kinetic_choose_rest(jo_kinetic *k, double size)
{
    const double g = hypot(k->gravity[0], k->gravity[1]);
    k->rest_at = (double)INFINITY;
    k->elastic_speed = k->least_speed;
    if (!(g > 0.0)) return;
    k->elastic_speed = 0.01 * k->least_speed;
    k->rest_period = PERIOD * k->least_speed / g;
    k->rest_gap = fmin(CLEARANCE * k->least_speed * k->rest_period, CLEARANCE_MOST * size);
    k->rest_gap = fmax(k->rest_gap, 100.0 * k->gap);
    k->part_speed = k->rest_gap / k->rest_period;
    k->rest_at = k->rest_period;
}

/* Then nothing rests: all that is here are joint impacts. */
static bool is_weightless(const jo_kinetic *k)
{
    return k->rest_period == 0.0;
}

/* ---- contacts ---- */

static bool add_contact(jo_kinetic *k, rest_list *list, const rest_contact *c)
{
    const size_t used = list->count * sizeof *c;
    if (list->count == k->memory_contacts.size / sizeof *c) {
        if (!jo_buffer_grow(&k->memory_contacts, used, 2 * list->count + 64, sizeof *c))
            return false;
        list->c = k->memory_contacts.data;
    }
    list->c[list->count++] = *c;
    return true;
}

/* A contact at the place p of body `one`, at the distance s along n from body `two`; none if they
 * come together, or part, faster than least_speed. */
static bool meet(jo_kinetic *k, rest_list *list, uint64_t key, uint32_t one, uint32_t two,
                 const double p[2], const double n[2], double s)
{
    const kin_body *a = &k->body[one], *b = &k->body[two];
    const flat_body *ma = motion_of(k, one), *mb = motion_of(k, two);
    const double m = a->inverse_mass + b->inverse_mass, t[2] = {n[1], -n[0]};
    if (m == 0.0) return true;
    const double r1[2] = {p[0] - ma->x[0], p[1] - ma->x[1]};
    const double r2[2] = {p[0] - s * n[0] - mb->x[0], p[1] - s * n[1] - mb->x[1]};
    rest_contact c = {.key = key, .one = one, .two = two, .n = {n[0], n[1]}};
    c.an1 = r1[0] * n[1] - r1[1] * n[0];
    c.at1 = r1[0] * t[1] - r1[1] * t[0];
    c.an2 = r2[0] * n[1] - r2[1] * n[0];
    c.at2 = r2[0] * t[1] - r2[1] * t[0];
    const double speed = (ma->v[0] - mb->v[0]) * n[0] + (ma->v[1] - mb->v[1]) * n[1] +
                         ma->spin * c.an1 - mb->spin * c.an2;
    if (!(fabs(speed) < k->least_speed) && !(list->blow && s < TOUCHING * k->gap)) return true;
    const double i1 = a->inverse_inertia, i2 = b->inverse_inertia;
    c.b1 = 1.0 / (m + c.at1 * c.at1 * i1 + c.at2 * c.at2 * i2);
    c.b2 = 1.0 / (m + c.an1 * c.an1 * i1 + c.an2 * c.an2 * i2);
    c.target = is_weightless(k) ? k->elastic_speed : (k->rest_gap - s) / k->rest_period;
    const size_t pair = (size_t)a->material * k->materials + b->material;
    if (k->restitution[pair] >= 1.0) return true;
    c.friction = k->friction[pair];
    return add_contact(k, list, &c);
}

static bool meet_edge(jo_kinetic *k, rest_list *list, uint32_t first, uint32_t last, uint32_t v,
                      double shell)
{
    if (k->owner[v] == k->owner[first]) return true;
    const over_edge e = see_over(k, first, last, v);
    double p[2];
    if (!(e.height < shell && e.height > -shell) || !in_reach(k, &e)) return true;
    corner_place(k, v, p);
    return meet(k, list, (uint64_t)v << 32 | first, k->owner[v], k->owner[first], p, e.normal,
                e.height);
}

/* Two corners near each other, neither of them over an edge of the other. */
static bool meet_corner(jo_kinetic *k, rest_list *list, uint32_t u, uint32_t v, double shell)
{
    double p[2], q[2];
    if (k->owner[u] == k->owner[v]) return true;
    corner_place(k, u, p);
    corner_place(k, v, q);
    const double d[2] = {p[0] - q[0], p[1] - q[1]}, s2 = d[0] * d[0] + d[1] * d[1];
    if (s2 >= shell * shell || s2 == 0.0 || is_over(k, u, v, 0.0) || is_over(k, v, u, 0.0))
        return true;
    const double s = sqrt(s2), n[2] = {d[0] / s, d[1] / s};
    return meet(k, list, TWO_CORNERS | (uint64_t)u << 32 | v, k->owner[u], k->owner[v], p, n, s);
}

/* The edge that is below corner v beyond the side `side` of triangle t, straight down, however many
 * triangles are between: with many corners over one edge, most are in no triangle with an end of
 * it. */
static bool meet_below(jo_kinetic *k, rest_list *list, uint32_t t, int side, double shell)
{
    const uint32_t v = k->mesh.t[t].v[side];
    double o[2], p[2], q[2];
    corner_place(k, v, o);
    corner_place(k, k->mesh.t[t].v[TRI_NEXT[side]], p);
    corner_place(k, k->mesh.t[t].v[TRI_PREVIOUS[side]], q);
    const double down[2] = {q[1] - p[1], p[0] - q[0]}, unit = hypot(down[0], down[1]);
    for (int step = 0; step < STEPS_DOWN; step++) {
        const triangle *tri = &k->mesh.t[t];
        const uint32_t u = tri->n[side];
        const uint32_t a = tri->v[TRI_NEXT[side]], b = tri->v[TRI_PREVIOUS[side]];
        if (u == TRI_NONE) return meet_edge(k, list, a, b, v, shell);
        corner_place(k, a, p);
        corner_place(k, b, q);
        const double e[2] = {q[0] - p[0], q[1] - p[1]}, r[2] = {p[0] - o[0], p[1] - o[1]};
        const double along = down[0] * e[1] - down[1] * e[0];
        if (fabs(r[0] * e[1] - r[1] * e[0]) * unit > shell * fabs(along)) return true;
        const triangle *next = &k->mesh.t[u];
        const int in = tri_side(next, t);
        jo_kinetic_bring(k, k->owner[next->v[in]]);
        corner_place(k, next->v[in], p);
        const double turn = down[0] * (p[1] - o[1]) - down[1] * (p[0] - o[0]);
        side = turn > 0.0 ? TRI_NEXT[in] : TRI_PREVIOUS[in];
        t = u;
    }
    return true;
}

static bool meet_triangle(jo_kinetic *k, rest_list *list, uint32_t index, double shell)
{
    const triangle *t = &k->mesh.t[index];
    double square, twice;
    if (k->owner[t->v[0]] == k->owner[t->v[1]] && k->owner[t->v[1]] == k->owner[t->v[2]])
        return true;
    for (int c = 0; c < 3; c++)
        jo_kinetic_bring(k, k->owner[t->v[c]]);
    const int longest = longest_side(k, t, &square, &twice);
    if (twice * twice > shell * shell * square) return true;
    bool ok = meet_below(k, list, index, longest, shell);
    for (int c = 0; c < 3 && ok; c++)
        if (c != longest && t->n[c] == TRI_NONE)
            ok = meet_edge(k, list, t->v[TRI_NEXT[c]], t->v[TRI_PREVIOUS[c]], t->v[c], shell);
    for (int way = 0; way < 6 && ok; way++) {
        const fan_view f = look_over(k, t, way);
        if (t->n[f.side] != TRI_NONE) ok = meet_edge(k, list, f.first, f.last, f.d, shell);
    }
    for (int c = 0; c < 3 && ok; c++) {
        const uint32_t u = t->v[c], v = t->v[TRI_NEXT[c]];
        ok = meet_corner(k, list, u < v ? u : v, u < v ? v : u, shell);
    }
    return ok;
}

static int by_key(const void *a, const void *b)
{
    const uint64_t p = ((const rest_contact *)a)->key, q = ((const rest_contact *)b)->key;
    return p < q ? -1 : p > q;
}

static double shell_of(const jo_kinetic *k)
{
    if (is_weightless(k)) return TOUCHING * k->gap;
    return k->rest_gap + k->least_speed * k->rest_period;
}

/* In order, and each once. */
static void put_in_order(rest_list *list)
{
    size_t kept = 0;
    if (list->count > 1) qsort(list->c, list->count, sizeof *list->c, by_key);
    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || list->c[kept - 1].key != list->c[i].key) list->c[kept++] = list->c[i];
    list->count = kept;
}

/* All contacts, with the impulses that they had. */
static bool find_contacts(jo_kinetic *k, rest_list *list)
{
    const double shell = shell_of(k);
    list->c = k->memory_contacts.data;
    list->count = 0;
    for (uint32_t t = 0; t < k->mesh.count; t++)
        if (!meet_triangle(k, list, t, shell)) return false;
    put_in_order(list);
    size_t old = 0;
    for (size_t i = 0; i < list->count; i++) {
        rest_contact *c = &list->c[i];
        while (old < k->touches && k->touch[old].key < c->key)
            old++;
        if (old == k->touches || k->touch[old].key != c->key) continue;
        c->push = k->touch[old].push;
        c->rub = k->touch[old].rub;
    }
    return true;
}

/* ---- a cluster ---- */

/* Bodies that touch one another, from two of them on. */
typedef struct cluster {
    uint32_t body[CLUSTER_MOST];
    uint32_t count;
} cluster;

static void join(jo_kinetic *k, cluster *who, uint32_t body)
{
    if (k->body[body].inverse_mass == 0.0 || who->count == CLUSTER_MOST) return;
    if (k->member[body] < who->count && who->body[k->member[body]] == body) return;
    k->member[body] = who->count;
    who->body[who->count++] = body;
}

static bool is_member(const jo_kinetic *k, const cluster *who, uint32_t body)
{
    const uint32_t at = k->member[body];
    return k->body[body].inverse_mass == 0.0 || (at < who->count && who->body[at] == body);
}

/* Contacts of triangles around a corner; bodies in them join. */
static bool meet_fan(jo_kinetic *k, rest_list *list, cluster *who, uint32_t v, double shell)
{
    const triangle *tri = k->mesh.t;
    uint32_t t = k->mesh.at[v];
    for (uint32_t n = t; n != TRI_NONE; n = tri[t].n[TRI_PREVIOUS[tri_corner(&tri[t], v)]])
        t = n; /* to the last one of the fan */
    for (; t != TRI_NONE; t = tri[t].n[TRI_NEXT[tri_corner(&tri[t], v)]]) {
        size_t from = list->count;
        if (k->plan[t].seen == k->round) continue;
        k->plan[t].seen = k->round;
        if (!meet_triangle(k, list, t, shell)) return false;
        for (; from < list->count; from++) {
            join(k, who, list->c[from].one);
            join(k, who, list->c[from].two);
        }
    }
    return true;
}

static bool find_cluster(jo_kinetic *k, rest_list *list, cluster *who)
{
    const double shell = shell_of(k);
    list->c = k->memory_contacts.data;
    list->count = 0;
    k->round++;
    for (uint32_t i = 0; i < who->count; i++) {
        const kin_body *b = &k->body[who->body[i]];
        for (uint32_t v = b->first; v < b->first + b->count; v++)
            if (!meet_fan(k, list, who, v, shell)) return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (is_member(k, who, list->c[i].one) && is_member(k, who, list->c[i].two))
            list->c[kept++] = list->c[i];
    list->count = kept;
    put_in_order(list);
    return true;
}

/* ---- impulses ---- */

static inline void give(rest_contact *c, rest_body *body, double push, double rub)
{
    rest_body *a = &body[c->one], *b = &body[c->two];
    const double jx = push * c->n[0] + rub * c->n[1], jy = push * c->n[1] - rub * c->n[0];
    a->v[0] += a->inverse_mass * jx;
    a->v[1] += a->inverse_mass * jy;
    a->spin += a->inverse_inertia * (c->an1 * push + c->at1 * rub);
    b->v[0] -= b->inverse_mass * jx;
    b->v[1] -= b->inverse_mass * jy;
    b->spin -= b->inverse_inertia * (c->an2 * push + c->at2 * rub);
}

/* Makes one contact right. Returns by how much its normal velocity was wrong. */
static inline double mend(rest_contact *c, rest_body *body)
{
    const rest_body *a = &body[c->one], *b = &body[c->two];
    const double v[2] = {a->v[0] - b->v[0], a->v[1] - b->v[1]};
    const double normal = v[0] * c->n[0] + v[1] * c->n[1] + a->spin * c->an1 - b->spin * c->an2;
    const double push = fmax(0.0, c->push + (c->target - normal) * c->b2);
    const double more = push - c->push;
    c->push = push;
    if (more != 0.0) give(c, body, more, 0.0);
    const double u[2] = {a->v[0] - b->v[0], a->v[1] - b->v[1]};
    const double slide = u[0] * c->n[1] - u[1] * c->n[0] + a->spin * c->at1 - b->spin * c->at2;
    const double hold = c->friction * push;
    const double rub = fmin(hold, fmax(-hold, c->rub - slide * c->b1));
    if (rub != c->rub) give(c, body, 0.0, rub - c->rub);
    c->rub = rub;
    return fabs(more) / c->b2;
}

/* One sweep. Returns the largest error that it found, and in *change2 how far it went, squared. */
static double sweep_once(rest_list *list, rest_body *body, double *change2)
{
    double worst = 0.0, sum = 0.0;
    for (size_t i = 0; i < list->count; i++) {
        rest_contact *c = &list->c[i];
        const double push = c->push, rub = c->rub;
        worst = fmax(worst, mend(c, body));
        c->gone[0] = c->push - push;
        c->gone[1] = c->rub - rub;
        sum += c->gone[0] * c->gone[0] + c->gone[1] * c->gone[1];
    }
    *change2 = sum;
    return worst;
}

/* Goes on in the direction of the sweeps before, as conjugate gradients do. */
static void go_on(rest_list *list, rest_body *body, double share)
{
    for (size_t i = 0; i < list->count; i++) {
        rest_contact *c = &list->c[i];
        const double push = share * c->way[0], rub = share * c->way[1];
        c->push += push;
        c->rub += rub;
        if (push != 0.0 || rub != 0.0) give(c, body, push, rub);
        c->way[0] = push + c->gone[0];
        c->way[1] = rub + c->gone[1];
    }
}

/* Sweeps with steps along conjugate directions between them (Silcowitz-Hansen, Niebe and Erleben
 * 2010); the last sweep has the last word, so that impulses are what friction and contact allow. */
static void sweep(jo_kinetic *k, rest_list *list, rest_body *body, int most)
{
    double before = 0.0, change;
    for (size_t i = 0; i < list->count; i++)
        if (list->c[i].push > 0.0) give(&list->c[i], body, list->c[i].push, list->c[i].rub);
    for (int n = 1; n <= most; n++) {
        const double worst = sweep_once(list, body, &change);
        k->stats.sweeps++;
        if (worst < ENOUGH * (is_weightless(k) ? k->elastic_speed : k->part_speed) || n == most)
            break;
        const double share = before > 0.0 ? change / before : 0.0;
        before = change;
        go_on(list, body, share < 1.0 ? share : 0.0);
    }
}

/* ---- bodies ---- */

static double kinetic_energy(const kin_body *b, const double v[2], double spin)
{
    return 0.5 * (b->mass * (v[0] * v[0] + v[1] * v[1]) + b->inertia * spin * spin);
}

double jo_kinetic_unpaid(const jo_kinetic *k, uint32_t i, const double x[2])
{
    const kin_body *b = &k->body[i];
    if (!b->held) return 0.0;
    return b->mass *
           (k->gravity[0] * (x[0] - b->held_x[0]) + k->gravity[1] * (x[1] - b->held_x[1]));
}

static void hold(jo_kinetic *k, uint32_t i)
{
    kin_body *b = &k->body[i];
    if (b->held || b->inverse_mass == 0.0) return;
    b->held = true;
    b->since = k->now;
    for (int d = 0; d < 2; d++) {
        b->motion.a[d] = 0.0;
        b->held_x[d] = b->motion.x[d];
    }
}

/* Does it move without its weight? */
static bool is_carried(const kin_body *b)
{
    return b->held || b->inverse_mass == 0.0;
}

void jo_kinetic_lean(jo_kinetic *k, uint32_t one, uint32_t two)
{
    if (is_weightless(k) || is_carried(&k->body[one]) == is_carried(&k->body[two])) return;
    hold(k, one);
    hold(k, two);
}

/* Has a body collided very often since rest was last solved for? Without weight: at this
 * instant. */
static bool counts_many(jo_kinetic *k, kin_body *b)
{
    const bool weightless = is_weightless(k);
    if (weightless && !(k->now - b->since <= INSTANT * k->period)) {
        b->since = k->now;
        b->hits = 0;
    }
    return ++b->hits > (weightless ? HITS_INSTANT : HITS_MOST) && b->inverse_mass > 0.0;
}

bool jo_kinetic_is_restless(jo_kinetic *k, uint32_t one, uint32_t two)
{
    const bool a = counts_many(k, &k->body[one]), b = counts_many(k, &k->body[two]);
    return a || b;
}

/* A body now, with the weight that was held back. */
static void weigh(jo_kinetic *k, rest_body *body, uint32_t i, bool weight)
{
    jo_kinetic_bring(k, i);
    const kin_body *b = &k->body[i];
    const flat_body *m = motion_of(k, i);
    const double dt = b->held && weight ? k->now - b->since : 0.0;
    body[i] = (rest_body){{m->v[0] + dt * k->gravity[0], m->v[1] + dt * k->gravity[1]},
                          m->spin,
                          b->inverse_mass,
                          b->inverse_inertia,
                          false,
                          false,
                          false};
}

static void count_gain(jo_kinetic *k, double gained)
{
    if (gained > 0.0)
        k->stats.added += gained;
    else
        k->stats.lost -= gained;
}

/* What moving walls do to bodies that rest on them. */
static double work_of_walls(const jo_kinetic *k, const rest_list *list, const rest_body *body)
{
    double work = 0.0;
    for (size_t i = 0; i < list->count; i++) {
        const rest_contact *c = &list->c[i];
        const bool first = k->body[c->one].inverse_mass == 0.0;
        if (!first && k->body[c->two].inverse_mass > 0.0) continue;
        const rest_body *wall = &body[first ? c->one : c->two];
        const double normal =
            wall->v[0] * c->n[0] + wall->v[1] * c->n[1] + wall->spin * (first ? c->an1 : c->an2);
        const double slide =
            wall->v[0] * c->n[1] - wall->v[1] * c->n[0] + wall->spin * (first ? c->at1 : c->at2);
        const double power = c->push * normal + c->rub * slide;
        work += first ? -power : power;
    }
    return work;
}

/* What body i has now, what it will have, and what it will lose in height while it goes on so. */
typedef struct energies {
    double now, then, fall;
} energies;

static energies energies_of(const jo_kinetic *k, const rest_body *to, uint32_t i)
{
    const kin_body *b = &k->body[i];
    const double dt = b->held ? k->now - b->since : 0.0;
    return (energies){kinetic_energy(b, b->motion.v, b->motion.spin),
                      kinetic_energy(b, to->v, to->spin),
                      b->mass * dt * (k->gravity[0] * to->v[0] + k->gravity[1] * to->v[1])};
}

/* Impulses that are not yet what they should be, and clearances that cannot be restored, could give
 * energy. So for all bodies at rest together KE(w) - KE(v) is to be no more than sum m dt g w, what
 * they will lose in height while they go on with w. Where it is more, the velocities of those that
 * gain more than they lose in height are made smaller until that is so, and no others: what falls,
 * falls, whatever is lifted elsewhere. Where walls move, these may give the energy `work` as
 * well. */
static void limit_gain(jo_kinetic *k, rest_body *body, double work)
{
    energies lifted = {0.0, 0.0, 0.0};
    double room = fmax(work, 0.0);
    for (uint32_t i = 0; i < k->bodies; i++) {
        if (!body[i].pushed || body[i].inverse_mass == 0.0) continue;
        const energies e = energies_of(k, &body[i], i);
        body[i].lifted = e.then - e.fall > e.now;
        if (body[i].lifted) {
            lifted.now += e.now;
            lifted.then += e.then;
            lifted.fall += e.fall;
        } else {
            room += e.now + e.fall - e.then;
        }
    }
    room += lifted.now;
    if (lifted.then - lifted.fall <= room) return;
    /* share^2 then - share fall = room */
    const double square = lifted.fall * lifted.fall + 4.0 * lifted.then * room;
    const double share = (lifted.fall + sqrt(square)) / (2.0 * lifted.then);
    k->stats.limited++;
    for (uint32_t i = 0; i < k->bodies; i++) {
        if (!body[i].lifted) continue;
        body[i].v[0] *= share;
        body[i].v[1] *= share;
        body[i].spin *= share;
    }
}

/* Takes over the velocities, weight included; returns the energy gained. */
static double take_over(jo_kinetic *k, rest_body *to, uint32_t i)
{
    kin_body *b = &k->body[i];
    flat_body *m = &b->motion, before = *m;
    const double fast = hypot(to->v[0], to->v[1]) + b->radius * fabs(to->spin);
    if (to->pushed && fast < STOPS * k->part_speed) to->v[0] = to->v[1] = to->spin = 0.0;
    const double gained = kinetic_energy(b, to->v, to->spin) - kinetic_energy(b, m->v, m->spin) -
                          jo_kinetic_unpaid(k, i, m->x);
    b->held = to->pushed;
    b->since = k->now;
    b->hits = 0;
    for (int d = 0; d < 2; d++) {
        m->v[d] = to->v[d];
        m->a[d] = b->held ? 0.0 : k->gravity[d];
        b->held_x[d] = m->x[d];
    }
    m->spin = to->spin;
    to->changed = memcmp(&before, m, sizeof before) != 0;
    return gained;
}

static bool keep_impulses(jo_kinetic *k, const rest_list *list, rest_body *body)
{
    if (!jo_buffer_reserve(&k->memory_touch, list->count, sizeof *k->touch)) return false;
    k->touch = k->memory_touch.data;
    k->touches = 0;
    for (size_t i = 0; i < list->count; i++) {
        const rest_contact *c = &list->c[i];
        if (!(c->push > 0.0)) continue;
        k->touch[k->touches++] = (kin_touch){c->key, c->push, c->rub};
        body[c->one].pushed = body[c->two].pushed = true;
    }
    return true;
}

void jo_kinetic_rename_touches(jo_kinetic *k, const uint32_t *now)
{
    size_t kept = 0;
    for (size_t i = 0; i < k->touches; i++) {
        kin_touch t = k->touch[i];
        const uint32_t u = now[(t.key & ~TWO_CORNERS) >> 32], v = now[(uint32_t)t.key];
        if (u == TRI_NONE || v == TRI_NONE) continue;
        t.key = (t.key & TWO_CORNERS) | (uint64_t)u << 32 | v;
        k->touch[kept++] = t; /* the order stays: later corners have later names */
    }
    k->touches = kept;
}

static rest_body *make_room(jo_kinetic *k, jo_error *error)
{
    if (jo_buffer_reserve(&k->memory_rest, k->bodies, sizeof(rest_body)))
        return k->memory_rest.data;
    jo_fail_memory(error, k->bodies * sizeof(rest_body), "bodies at rest");
    return NULL;
}

jo_status jo_kinetic_rest(jo_kinetic *k, jo_error *error)
{
    rest_list list = {0};
    double gained = 0.0;
    k->now = k->rest_at;
    k->rest_at += k->rest_period;
    jo_kinetic_pack(k);
    rest_body *body = make_room(k, error);
    if (body == NULL) return JO_ERR_MEMORY;
    for (uint32_t i = 0; i < k->bodies; i++)
        weigh(k, body, i, true);
    if (!find_contacts(k, &list)) return jo_fail_memory(error, k->bodies * 300, "contacts");
    sweep(k, &list, body, SWEEPS_MOST);
    if (!keep_impulses(k, &list, body)) return jo_fail_memory(error, list.count * 24, "contacts");
    k->stats.rests++;
    k->events++;
    k->last = (jo_kinetic_event){.kind = JO_KINETIC_REST, .time = k->base + k->now};
    k->stats.touches += k->touches;
    k->stats.held = 0;
    const double work = work_of_walls(k, &list, body);
    k->stats.work += work;
    limit_gain(k, body, work);
    for (uint32_t i = 0; i < k->bodies; i++) {
        if (k->body[i].inverse_mass == 0.0) continue;
        gained += take_over(k, &body[i], i);
        k->stats.held += k->body[i].held;
    }
    count_gain(k, gained - work);
    k->round++;
    for (uint32_t i = 0; i < k->bodies; i++)
        if (body[i].changed) jo_kinetic_predict_body(k, i, TRI_NONE);
    return JO_OK;
}

/* Takes over velocities after a joint impact, which knows no weight. */
static double take_blow(jo_kinetic *k, const rest_body *to, uint32_t i)
{
    kin_body *b = &k->body[i];
    flat_body *m = &b->motion;
    const double gained = kinetic_energy(b, to->v, to->spin) - kinetic_energy(b, m->v, m->spin);
    memcpy(m->v, to->v, sizeof m->v);
    m->spin = to->spin;
    b->hits = 0;
    return gained;
}

jo_status jo_kinetic_calm(jo_kinetic *k, uint32_t one, uint32_t two, jo_error *error)
{
    cluster who = {.count = 0};
    rest_list list = {.blow = is_weightless(k) || k->at_instant > HITS_INSTANT};
    double gained = 0.0;
    rest_body *body = make_room(k, error);
    if (body == NULL) return JO_ERR_MEMORY;
    join(k, &who, one);
    join(k, &who, two);
    if (!find_cluster(k, &list, &who)) return jo_fail_memory(error, k->bodies * 300, "contacts");
    for (uint32_t i = 0; i < who.count; i++)
        weigh(k, body, who.body[i], false);
    for (size_t i = 0; i < list.count; i++) {
        const uint32_t pair[2] = {list.c[i].one, list.c[i].two};
        for (int c = 0; c < 2; c++)
            if (k->body[pair[c]].inverse_mass == 0.0) weigh(k, body, pair[c], false);
    }
    sweep(k, &list, body, SWEEPS_BLOW);
    for (size_t i = 0; i < list.count; i++)
        if (list.c[i].push > 0.0) jo_kinetic_lean(k, list.c[i].one, list.c[i].two);
    for (uint32_t i = 0; i < who.count; i++)
        gained += take_blow(k, &body[who.body[i]], who.body[i]);
    const double work = work_of_walls(k, &list, body);
    k->stats.work += work;
    count_gain(k, gained - work);
    k->stats.calms++;
    k->round++;
    for (uint32_t i = 0; i < who.count; i++)
        jo_kinetic_predict_body(k, who.body[i], TRI_NONE);
    return JO_OK;
}
