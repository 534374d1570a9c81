/* quad_balls.c — hard balls in quadruple precision, for comparison.
 *
 * Method: a table holds the next meeting of every pair and of every ball with a face of the box;
 * the smallest entry happens next; all balls fly there; the rows of those that took part are
 * computed anew. A ball that passes a periodic face is put in at the other side and its row is
 * computed anew, so that between such passages both balls of a pair lie in the box and the 3^dim
 * nearest images are all that can be met.
 *
 * Nothing here is shared with the library. Cost: O(n²) comparisons and 2 n roots per event. */
#include "support/quad_balls.h"

#include <math.h>
#include <string.h>

static const quad never = (quad)INFINITY;

/* The double's root, improved twice by Newton: 16, 32, 64 digits. */
quad quad_sqrt(quad x)
{
    if (x <= 0) return 0;
    quad root = (quad)sqrt((double)x);
    if (root == 0) return 0;
    for (int k = 0; k < 3; k++)
        root = (root + x / root) / 2;
    return root;
}

void quad_start(quad_balls *s, int n, int dim)
{
    memset(s, 0, sizeof *s);
    s->n = n;
    s->dim = dim;
    s->restitution = s->wall_restitution = 1;
    for (int i = 0; i < n; i++)
        s->radius[i] = s->mass[i] = 1;
}

void quad_set(quad_balls *s, const double *x, const double *v, const double *w, double time)
{
    for (int i = 0; i < s->n; i++)
        for (int axis = 0; axis < s->dim; axis++) {
            s->x[i][axis] = (quad)x[3 * i + axis];
            s->v[i][axis] = (quad)v[3 * i + axis];
        }
    for (int k = 0; k < 3 * s->n; k++)
        s->w[k / 3][k % 3] = (quad)w[k];
    s->time = (quad)time;
}

static quad radius_now(const quad_balls *s, int i)
{
    return s->radius[i] * (1 + s->growth * s->time);
}

/* ---- when */

/* The first t >= 0 with h + u t + a t²/2 = 0 from above: h is the gap (below 0 only by rounding), u
 * its velocity. A ball that leaves a face it lies on meets it again only if a brings it back. */
static quad falling(quad h, quad u, quad a)
{
    if (h < 0) h = 0;
    if (a >= 0 && u >= 0) return never;
    const quad d = u * u - 2 * a * h;
    if (d < 0) return never;
    const quad root = quad_sqrt(d);
    if (u < 0) return 2 * h / (root - u);
    return (root + u) / -a;
}

static void predict_face(quad_balls *s, int i)
{
    s->face[i] = never;
    for (int axis = 0; axis < s->dim; axis++) {
        if (s->edge[axis] == QUAD_OPEN) continue;
        const bool wall = s->edge[axis] == QUAD_WALLS;
        const quad room = wall ? radius_now(s, i) : 0, rate = wall ? s->growth * s->radius[i] : 0;
        const quad x = s->x[i][axis], v = s->v[i][axis], g = s->gravity[axis];
        const quad lower = falling(x - (s->lo[axis] + room), v - rate, g);
        const quad upper = falling((s->hi[axis] - room) - x, -v - rate, -g);
        if (lower < s->face[i]) {
            s->face[i] = lower;
            s->face_of[i] = -1 - 2 * axis;
        }
        if (upper < s->face[i]) {
            s->face[i] = upper;
            s->face_of[i] = -2 - 2 * axis;
        }
    }
    s->face[i] += s->time;
}

/* They clearly part, or miss each other: by margins a million times double's rounding. Saves nearly
 * all of the slow computations below. */
static bool hopeless(const double r[3], const double v[3], double sigma, double rate)
{
    const double rr = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    const double rv = r[0] * v[0] + r[1] * v[1] + r[2] * v[2];
    const double vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double a = vv - rate * rate, b = rv - sigma * rate, c = rr - sigma * sigma;
    if (!(a > 1e-9 * vv)) return false; /* growth may catch up with anything */
    if (b > 1e-9 * (sqrt(rr * vv) + sigma * rate)) return true;
    return b * b - a * c < -1e-9 * (rr + sigma * sigma) * vv;
}

/* The first time at which |r + v t| = sigma + rate t, from outside. */
static quad meeting(const quad r[3], const quad v[3], quad sigma, quad rate, int dim)
{
    quad a = -rate * rate, b = -sigma * rate, c = -sigma * sigma;
    for (int axis = 0; axis < dim; axis++) {
        a += v[axis] * v[axis];
        b += r[axis] * v[axis];
        c += r[axis] * r[axis];
    }
    if (b >= 0 && a >= 0) return never;
    const quad d = b * b - a * c;
    if (b >= 0)
        return d < 0 ? never : (b + quad_sqrt(d)) / -a; /* they part, and growth catches up */
    if (c <= 0) return 0;
    return d < 0 ? never : c / (quad_sqrt(d) - b);
}

/* When i meets the image of j that is some periods away, if before `first`. */
static void predict_image(quad_balls *s, int i, int j, const int image[3], quad *first)
{
    quad r[3] = {0, 0, 0}, v[3] = {0, 0, 0};
    for (int axis = 0; axis < s->dim; axis++) {
        r[axis] = s->x[j][axis] - s->x[i][axis] + (quad)image[axis] * (s->hi[axis] - s->lo[axis]);
        v[axis] = s->v[j][axis] - s->v[i][axis];
    }
    const quad t = meeting(r, v, radius_now(s, i) + radius_now(s, j),
                           s->growth * (s->radius[i] + s->radius[j]), s->dim);
    if (!(t < *first)) return;
    *first = t;
    for (int axis = 0; axis < 3; axis++)
        s->image[i][j][axis] = (int8_t)image[axis];
}

static void predict_pair(quad_balls *s, int i, int j)
{
    const double sigma = s->rough_r[i] + s->rough_r[j];
    const double rate = sigma * (double)s->growth / (1.0 + (double)(s->growth * s->time));
    int reach[3] = {0, 0, 0};
    double apart[3] = {0}, v[3] = {0}, period[3] = {0};
    quad first = never;
    for (int axis = 0; axis < s->dim; axis++) {
        reach[axis] = s->edge[axis] == QUAD_PERIODIC;
        apart[axis] = s->rough_x[j][axis] - s->rough_x[i][axis];
        v[axis] = s->rough_v[j][axis] - s->rough_v[i][axis];
        if (reach[axis]) period[axis] = (double)(s->hi[axis] - s->lo[axis]);
    }
    for (int kx = -reach[0]; kx <= reach[0]; kx++)
        for (int ky = -reach[1]; ky <= reach[1]; ky++)
            for (int kz = -reach[2]; kz <= reach[2]; kz++) {
                const int image[3] = {kx, ky, kz};
                double r[3];
                for (int axis = 0; axis < 3; axis++)
                    r[axis] = apart[axis] + image[axis] * period[axis];
                if (!hopeless(r, v, sigma, rate)) predict_image(s, i, j, image, &first);
            }
    s->pair[i][j] = first + s->time;
}

/* To be called whenever anything has moved, before predictions. */
static void round_present(quad_balls *s)
{
    for (int i = 0; i < s->n; i++) {
        s->rough_r[i] = (double)radius_now(s, i);
        for (int axis = 0; axis < 3; axis++) {
            s->rough_x[i][axis] = (double)s->x[i][axis];
            s->rough_v[i][axis] = (double)s->v[i][axis];
        }
    }
}

static void predict_ball(quad_balls *s, int i)
{
    predict_face(s, i);
    for (int j = 0; j < s->n; j++) {
        if (j < i) predict_pair(s, j, i);
        if (j > i) predict_pair(s, i, j);
    }
}

/* Puts a ball on a periodic axis into [lo, hi). */
static void wrap(quad_balls *s, int i)
{
    for (int axis = 0; axis < s->dim; axis++) {
        if (s->edge[axis] != QUAD_PERIODIC) continue;
        const quad period = s->hi[axis] - s->lo[axis];
        while (s->x[i][axis] < s->lo[axis])
            s->x[i][axis] += period;
        while (s->x[i][axis] >= s->hi[axis])
            s->x[i][axis] -= period;
    }
}

void quad_predict(quad_balls *s)
{
    for (int i = 0; i < s->n; i++)
        wrap(s, i);
    round_present(s);
    for (int i = 0; i < s->n; i++) {
        predict_face(s, i);
        for (int j = i + 1; j < s->n; j++)
            predict_pair(s, i, j);
    }
}

/* ---- what */

void quad_fly(quad_balls *s, quad until)
{
    const quad t = until - s->time;
    for (int i = 0; i < s->n; i++)
        for (int axis = 0; axis < s->dim; axis++) {
            s->x[i][axis] += s->v[i][axis] * t + s->gravity[axis] * t * t / 2;
            s->v[i][axis] += s->gravity[axis] * t;
        }
    s->time = until;
}

/* out = a × b */
static void cross(const quad a[3], const quad b[3], quad out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static quad restitution_at(const quad_balls *s, quad e, quad speed)
{
    if (!(speed < s->restitution_speed)) return e;
    const quad share = speed / s->restitution_speed;
    return 1 - (1 - e) * quad_sqrt(quad_sqrt(share * share * share));
}

/* The impulse on what lies in the direction of the unit vector n, whose surface moves with u, and
 * grows at a rate, against the other one's; m is the reduced mass. A body's moment of inertia is q
 * m r², so that a tangential impulse J changes u by J (1 + 1/q) / m. */
static void impulse(const quad_balls *s, quad e, quad m, quad rate, const quad n[3],
                    const quad u[3], quad J[3])
{
    const quad q = s->dim == 2 ? (quad)1 / 2 : (quad)2 / 5;
    quad across[3], un = 0, slide2 = 0;
    for (int k = 0; k < 3; k++)
        un += u[k] * n[k];
    for (int k = 0; k < 3; k++) {
        across[k] = u[k] - un * n[k];
        slide2 += across[k] * across[k];
    }
    const quad normal = (1 + restitution_at(s, e, rate - un)) * m * (rate - un);
    quad share = (1 + s->tangential_restitution) * m / (1 + 1 / q);
    const quad slide = quad_sqrt(slide2);
    if (share * slide > s->friction * normal) share = s->friction * normal / slide;
    for (int k = 0; k < 3; k++)
        J[k] = normal * n[k] - (slide > 0 ? share * across[k] : 0);
}

/* An impulse J at the end of r n changes spin by (r n) × J / I. */
static void kick(quad_balls *s, int i, const quad arm[3], const quad J[3])
{
    const quad q = s->dim == 2 ? (quad)1 / 2 : (quad)2 / 5;
    const quad radius = radius_now(s, i);
    quad torque[3];
    cross(arm, J, torque);
    for (int k = 0; k < 3; k++) {
        s->v[i][k] += J[k] / s->mass[i];
        s->w[i][k] += torque[k] / (q * s->mass[i] * radius * radius);
    }
}

/* The velocity of a ball's surface at the end of `arm`. */
static void surface(const quad_balls *s, int i, const quad arm[3], quad u[3])
{
    cross(s->w[i], arm, u);
    for (int k = 0; k < 3; k++)
        u[k] += s->v[i][k];
}

static void bounce_pair(quad_balls *s, int i, int j)
{
    quad n[3] = {0, 0, 0}, length2 = 0, arm_i[3], arm_j[3], ui[3], uj[3], u[3], J[3], back[3];
    for (int axis = 0; axis < s->dim; axis++) {
        n[axis] = s->x[j][axis] - s->x[i][axis] +
                  (quad)s->image[i][j][axis] * (s->hi[axis] - s->lo[axis]);
        length2 += n[axis] * n[axis];
    }
    const quad length = quad_sqrt(length2);
    for (int k = 0; k < 3; k++) {
        n[k] /= length;
        arm_i[k] = radius_now(s, i) * n[k];
        arm_j[k] = -radius_now(s, j) * n[k];
    }
    surface(s, i, arm_i, ui);
    surface(s, j, arm_j, uj);
    for (int k = 0; k < 3; k++)
        u[k] = uj[k] - ui[k];
    impulse(s, s->restitution, s->mass[i] * s->mass[j] / (s->mass[i] + s->mass[j]),
            s->growth * (s->radius[i] + s->radius[j]), n, u, J);
    for (int k = 0; k < 3; k++)
        back[k] = -J[k];
    kick(s, i, arm_i, back);
    kick(s, j, arm_j, J);
}

/* A wall turns the ball round; a periodic face moves it to the other side. True for a wall. */
static bool pass_face(quad_balls *s, int i)
{
    const int axis = (-1 - s->face_of[i]) / 2;
    const bool upper = s->face_of[i] == -2 - 2 * axis;
    if (s->edge[axis] == QUAD_WALLS) {
        quad n[3] = {0, 0, 0}, arm[3] = {0, 0, 0}, u[3], J[3];
        n[axis] = upper ? -1 : 1;
        arm[axis] = -radius_now(s, i) * n[axis];
        surface(s, i, arm, u);
        impulse(s, s->wall_restitution, s->mass[i], s->growth * s->radius[i], n, u, J);
        kick(s, i, arm, J);
        return true;
    }
    s->x[i][axis] = upper ? s->lo[axis] : s->hi[axis];
    return false;
}

/* The smallest entry; partner is a face below 0. False when there is none. */
static bool smallest(const quad_balls *s, quad_event *event)
{
    event->time = never;
    for (int i = 0; i < s->n; i++) {
        if (s->face[i] < event->time) *event = (quad_event){s->face[i], i, s->face_of[i]};
        for (int j = i + 1; j < s->n; j++)
            if (s->pair[i][j] < event->time) *event = (quad_event){s->pair[i][j], i, j};
    }
    return event->time < never;
}

bool quad_collide(quad_balls *s, quad_event *event)
{
    for (;;) {
        if (!smallest(s, event)) return false;
        const int i = event->ball, j = event->partner;
        quad_fly(s, event->time);
        const bool collision = j >= 0 || pass_face(s, i);
        if (j >= 0) bounce_pair(s, i, j);
        round_present(s);
        predict_ball(s, i);
        if (j >= 0) predict_ball(s, j);
        if (collision) return true;
    }
}

quad quad_energy(const quad_balls *s)
{
    const quad q = s->dim == 2 ? (quad)1 / 2 : (quad)2 / 5;
    quad sum = 0;
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < 3; k++) {
            const quad v = s->v[i][k], edge = radius_now(s, i) * s->w[i][k];
            sum += s->mass[i] * (v * v / 2 + q * edge * edge / 2 - s->gravity[k] * s->x[i][k]);
        }
    return sum;
}
