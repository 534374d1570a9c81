/* press_tangent.c — the tangent of how two bodies press on each other: see press_tangent.h.
 *
 * Coordinates. b moves in the frame of a: by d along its axes, as the point does that was in the
 * middle of the surface, and by a turn about that point, which is so small that its vector is half
 * of what is not symmetric in its matrix. Both are lengths, turns being multiplied by the surface's
 * radius, and are told as parts of `reach`, so that all numbers are about 1 and floats hold slopes:
 * they multiply what is small.
 *
 * Trust. Second derivatives along an axis show in the mean of both sides against the middle; mixed
 * ones, kinks and jumps, which bodies have that lie on each other edge to edge, on the way along
 * all six at once. What fails is not used but asked about again, nearer, another time: errors go
 * with the square of the way only where there is no kink.
 *
 * Cost: some 200 products to use, seventeen looks at the surface to take. */
#include "narrow/press_tangent.h"

#include <string.h>

#include "narrow/press_sums.h"

_Static_assert(TANGENT_NUMBERS == PRESS_SUMS + 1, "all sums and the depth");

/* The pose of b in the frame of a. */
static void seen_from(const jo_pose *a, const jo_pose *b, double turn[9], double at[3])
{
    const double *m = a->turn, *n = b->turn;
    const double apart[3] = {b->at[0] - a->at[0], b->at[1] - a->at[1], b->at[2] - a->at[2]};
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            turn[3 * r + c] = m[r] * n[c] + m[3 + r] * n[3 + c] + m[6 + r] * n[6 + c];
        at[r] = m[r] * apart[0] + m[3 + r] * apart[1] + m[6 + r] * apart[2];
    }
}

/* The axes of a in the world, and the point ref. */
static void axes_of(const jo_pose *a, const double ref[3], press_axes *out)
{
    for (int k = 0; k < 3; k++) {
        out->e[k] = a->turn[3 * k];
        out->g[k] = a->turn[3 * k + 1];
        out->n[k] = a->turn[3 * k + 2];
        out->at[k] = press_dot(a->turn + 3 * k, ref);
    }
}

/* What the numbers are over: force, total; moment, first; second; area; depth. */
static void scales_of(const press_tangent *t, double scale[TANGENT_NUMBERS])
{
    const double wide = t->wide, total = t->total;
    for (int k = 0; k < 3; k++) {
        scale[k] = total;
        scale[3 + k] = scale[10 + k] = total * wide;
        scale[6 + k] = wide * wide;
        scale[13 + k] = scale[16 + k] = total * wide * wide;
    }
    scale[9] = total;
    scale[19] = wide;
}

/* How far b is from where it was: moved and turned, as lengths; infinite if it is turned so far
 * that the vector below does not tell. */
static double moved_by(const press_tangent *t, const double turn[9], const double at[3],
                       double by[6])
{
    double turned[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        by[k] = at[k] - t->ref[k] + press_dot(turn + 3 * k, t->on_b);
    for (int c = 0; c < 3; c++) { /* columns were x and are y: the sum of x × y */
        turned[0] += t->turn[3 + c] * turn[6 + c] - t->turn[6 + c] * turn[3 + c];
        turned[1] += t->turn[6 + c] * turn[c] - t->turn[c] * turn[6 + c];
        turned[2] += t->turn[c] * turn[3 + c] - t->turn[3 + c] * turn[c];
    }
    double alike = 0; /* 1 + 2 cos of the angle */
    for (int k = 0; k < 9; k++)
        alike += t->turn[k] * turn[k];
    if (!(alike > 2.9)) return INFINITY;
    for (int k = 0; k < 3; k++)
        by[3 + k] = 0.5 * t->wide * turned[k];
    return sqrt(press_dot(by, by)) + sqrt(press_dot(by + 3, by + 3));
}

bool jo_press_tangent(const press_tangent *t, const jo_pose *a, const jo_pose *b, press *out)
{
    double turn[9], at[3], by[6], scale[TANGENT_NUMBERS], s[TANGENT_NUMBERS];
    float more[TANGENT_WIDTH] = {0};
    press_axes axes;
    if (!(t->reach > 0)) return false;
    seen_from(a, b, turn, at);
    if (!(moved_by(t, turn, at, by) <= t->reach)) return false;
    for (int j = 0; j < 6; j++) {
        const float part = (float)(by[j] / t->reach);
        for (int k = 0; k < TANGENT_WIDTH; k++)
            more[k] += t->slope[j][k] * part;
    }
    scales_of(t, scale);
    for (int k = 0; k < TANGENT_NUMBERS; k++)
        s[k] = scale[k] * (t->value[k] + (double)more[k]);
    axes_of(a, t->ref, &axes);
    sums_to_press(s, &axes, out);
    out->deepest = s[PRESS_SUMS];
    return true;
}

/* ---- taking it ---- */

static void numbers_of(const press_tangent *t, const press *p, const press_axes *axes,
                       double out[TANGENT_NUMBERS])
{
    double scale[TANGENT_NUMBERS];
    press_to_sums(p, axes, out);
    out[PRESS_SUMS] = p->deepest;
    scales_of(t, scale);
    for (int k = 0; k < TANGENT_NUMBERS; k++)
        out[k] /= scale[k];
}

/* b moved by that along one of the six. */
static void move(const press_tangent *t, const press_axes *axes, const double place[3], int along,
                 double by, jo_pose *out)
{
    const double *axis = along % 3 == 0 ? axes->e : along % 3 == 1 ? axes->g : axes->n;
    const jo_pose was = *out, *b = &was;
    if (along < 3) {
        for (int k = 0; k < 3; k++)
            out->at[k] += by * axis[k];
        return;
    }
    /* A turn by t about the axis: x + sin t (axis × x) + (1 - cos t) axis × (axis × x), of the
     * columns and of the way from the point. */
    const double angle = by / t->wide, s = sin(angle), half = sin(0.5 * angle), c = 2 * half * half;
    for (int column = 0; column < 4; column++) {
        double x[3], y[3], z[3];
        for (int k = 0; k < 3; k++)
            x[k] = column < 3 ? b->turn[3 * k + column] : b->at[k] - place[k];
        for (int k = 0; k < 3; k++)
            y[k] = axis[(k + 1) % 3] * x[(k + 2) % 3] - axis[(k + 2) % 3] * x[(k + 1) % 3];
        for (int k = 0; k < 3; k++)
            z[k] = axis[(k + 1) % 3] * y[(k + 2) % 3] - axis[(k + 2) % 3] * y[(k + 1) % 3];
        for (int k = 0; k < 3; k++) {
            double *to = column < 3 ? &out->turn[3 * k + column] : &out->at[k];
            *to += s * y[k] + c * z[k];
        }
    }
}

/* By how many times what is allowed numbers are off; the depth, which is the greatest of many and
 * only told, is left out. */
static double off_by(const double is[TANGENT_NUMBERS], const double said[TANGENT_NUMBERS])
{
    double most = 0;
    for (int k = 0; k < PRESS_SUMS; k++) {
        const bool loose = (k >= 6 && k < 9) || k >= 13; /* area, second */
        const double off = fabs(is[k] - said[k]);
        if (!(off < INFINITY)) return INFINITY;
        most = larger(most, off / (loose ? 100 * TANGENT_PRECISION : TANGENT_PRECISION));
    }
    return most;
}

/* The radius of the surface, by where the pressure is. */
static double radius_of(const press *p, const double middle[3])
{
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += p->second[k] / p->total - middle[k] * middle[k];
    return larger(2 * sqrt(larger(square, 0)), p->deepest);
}

/* Where the tangent is to be taken: what it is asked with. */
typedef struct taking {
    press_ask *ask;
    void *context;
    const jo_pose *b;
    press_axes axes; /* of a, and the surface's middle */
    double place[3]; /* of that in the world */
} taking;

/* Numbers with b moved by so much along each of the six; false: they cannot be told. */
static bool numbers_there(const press_tangent *t, const taking *w, const double by[6],
                          double out[TANGENT_NUMBERS])
{
    jo_pose there = *w->b;
    press p;
    for (int j = 0; j < 6; j++)
        if (by[j] != 0) move(t, &w->axes, w->place, j, by[j], &there);
    if (!w->ask(w->context, &there, &p) || !(p.total > 0)) return false;
    numbers_of(t, &p, &w->axes, out);
    return true;
}

/* Slopes, times `trial`; and by how much what was asked to either side is off at most. */
static bool take_slopes(press_tangent *t, const taking *w, double trial, double *worst)
{
    for (int j = 0; j < 6; j++) {
        double side[2][TANGENT_NUMBERS], mean[TANGENT_NUMBERS];
        for (int e = 0; e < 2; e++) {
            double by[6] = {0};
            by[j] = e == 0 ? trial : -trial;
            if (!numbers_there(t, w, by, side[e])) return false;
        }
        for (int k = 0; k < TANGENT_NUMBERS; k++) {
            mean[k] = 0.5 * (side[0][k] + side[1][k]);
            t->slope[j][k] = (float)(0.5 * (side[0][k] - side[1][k]));
        }
        *worst = larger(*worst, off_by(mean, t->value));
    }
    return true;
}

/* Along all six at once, as far as the tangent will be used. */
static bool try_slopes(const press_tangent *t, const taking *w, double trial, double *worst)
{
    static const double part =
        0.28867513459481288; /* half of 1/sqrt(3): moving and turning share the way */
    static const double sign[4][6] = {
        {1, 1, 1, 1, 1, 1}, {-1, -1, -1, -1, -1, -1}, {1, -1, 1, -1, 1, 1}, {-1, 1, -1, 1, -1, -1}};
    for (int e = 0; e < 4; e++) {
        double by[6], said[TANGENT_NUMBERS], is[TANGENT_NUMBERS];
        memcpy(said, t->value, sizeof said);
        for (int j = 0; j < 6; j++) {
            by[j] = trial * part * sign[e][j];
            for (int k = 0; k < TANGENT_NUMBERS; k++)
                said[k] += part * sign[e][j] * (double)t->slope[j][k];
        }
        if (!numbers_there(t, w, by, is)) return false;
        *worst = larger(*worst, off_by(is, said));
    }
    return true;
}

void jo_press_take_tangent(press_tangent *t, const jo_pose *a, const jo_pose *b, const press *now,
                           press_ask *ask, void *context)
{
    enum { MOST = 16 }; /* times nearer or farther, from one time to the next */
    double middle[3], from_b[3], apart[3], worst = 1e-12;
    taking w = {.ask = ask, .context = context, .b = b};
    const double trial = t->trial;
    t->reach = 0;
    t->total = now->total;
    for (int k = 0; k < 3; k++) {
        middle[k] = now->first[k] / now->total;
        w.place[k] = a->at[k] + middle[k];
        from_b[k] = w.place[k] - b->at[k];
    }
    t->wide = radius_of(now, middle);
    for (int k = 0; k < 3; k++) {
        t->ref[k] =
            a->turn[k] * middle[0] + a->turn[3 + k] * middle[1] + a->turn[6 + k] * middle[2];
        t->on_b[k] =
            b->turn[k] * from_b[0] + b->turn[3 + k] * from_b[1] + b->turn[6 + k] * from_b[2];
    }
    seen_from(a, b, t->turn, apart);
    axes_of(a, t->ref, &w.axes);
    numbers_of(t, now, &w.axes, t->value);
    memset(t->slope, 0, sizeof t->slope);
    if (!take_slopes(t, &w, trial, &worst) || !try_slopes(t, &w, trial, &worst)) {
        t->trial = trial / MOST;
        return;
    }
    const double part = 1 / sqrt(worst); /* errors go with the square of the way */
    if (part >= 1) t->reach = trial;
    t->trial = trial * fmax(fmin(0.9 * part, MOST), 1.0 / MOST);
}
