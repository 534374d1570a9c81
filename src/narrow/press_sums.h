/* press_sums.h — what pressing adds up to, as nineteen numbers about a point and in axes of one's
 * own, and as `press` has it: about the origin, in the world's axes. */
#ifndef JO_NARROW_PRESS_SUMS_H
#define JO_NARROW_PRESS_SUMS_H

#include "narrow/press_piece.h"

/* Force 0-2, moment 3-5, area 6-8, total 9, first 10-12, second 13-18: xx, yy, zz, xy, xz, yz. */
enum { PRESS_SUMS = 19 };

/* Three axes in the world's, and the point from the origin. */
typedef struct press_axes {
    double e[3], g[3], n[3], at[3];
} press_axes;

static inline void axes_to_world(const press_axes *axes, const double in[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = axes->e[k] * in[0] + axes->g[k] * in[1] + axes->n[k] * in[2];
}

static inline void axes_from_world(const press_axes *axes, const double in[3], double out[3])
{
    out[0] = press_dot(axes->e, in);
    out[1] = press_dot(axes->g, in);
    out[2] = press_dot(axes->n, in);
}

static inline void sums_to_press(const double s[PRESS_SUMS], const press_axes *axes, press *out)
{
    const double *near = axes->at;
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double moment[3], first[3], half[3][3];
    axes_to_world(axes, s, out->force);
    axes_to_world(axes, s + 3, moment);
    axes_to_world(axes, s + 6, out->area);
    axes_to_world(axes, s + 10, first);
    out->total = s[9];
    const double *f = out->force;
    out->moment[0] = moment[0] + near[1] * f[2] - near[2] * f[1];
    out->moment[1] = moment[1] + near[2] * f[0] - near[0] * f[2];
    out->moment[2] = moment[2] + near[0] * f[1] - near[1] * f[0];
    const double second[3][3] = {
        {s[13], s[16], s[17]}, {s[16], s[14], s[18]}, {s[17], s[18], s[15]}};
    for (int k = 0; k < 3; k++) {
        out->first[k] = first[k] + s[9] * near[k];
        axes_to_world(axes, second[k], half[k]); /* rows of ours, columns of the world */
    }
    for (int k = 0; k < 6; k++) {
        const int r = row[k], c = column[k];
        out->second[k] = axes->e[r] * half[0][c] + axes->g[r] * half[1][c] +
                         axes->n[r] * half[2][c] + near[r] * first[c] + first[r] * near[c] +
                         s[9] * near[r] * near[c];
    }
}

static inline void press_to_sums(const press *p, const press_axes *axes, double s[PRESS_SUMS])
{
    const double *near = axes->at, *f = p->force;
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const double moment[3] = {p->moment[0] - (near[1] * f[2] - near[2] * f[1]),
                              p->moment[1] - (near[2] * f[0] - near[0] * f[2]),
                              p->moment[2] - (near[0] * f[1] - near[1] * f[0])};
    double first[3], half[3][3], second[3][3];
    for (int k = 0; k < 3; k++)
        first[k] = p->first[k] - p->total * near[k];
    for (int r = 0; r < 3; r++) {
        double of[3];
        for (int c = 0; c < 3; c++)
            of[c] = p->second[place[r][c]] - near[r] * first[c] - first[r] * near[c] -
                    p->total * near[r] * near[c];
        axes_from_world(axes, of, half[r]); /* rows of the world, columns of ours */
    }
    for (int c = 0; c < 3; c++) {
        const double of[3] = {half[0][c], half[1][c], half[2][c]};
        axes_from_world(axes, of, second[c]);
    }
    axes_from_world(axes, p->force, s);
    axes_from_world(axes, moment, s + 3);
    axes_from_world(axes, p->area, s + 6);
    s[9] = p->total;
    axes_from_world(axes, first, s + 10);
    for (int r = 0; r < 3; r++)
        for (int c = r; c < 3; c++)
            s[13 + place[r][c]] = second[c][r];
}

#endif
