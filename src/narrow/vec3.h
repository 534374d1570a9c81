/* vec3.h — the few operations on double[3] that walls need. */
#ifndef JO_NARROW_VEC3_H
#define JO_NARROW_VEC3_H

#include <math.h>

static inline double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void sub3(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static inline void cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double norm3(const double a[3])
{
    return sqrt(dot3(a, a));
}

/* p + s d */
static inline void along3(const double p[3], double s, const double d[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = p[k] + s * d[k];
}

/* a / |a|; returns |a|, and leaves a zero vector as it is. */
static inline double unit3(double a[3])
{
    const double length = norm3(a);
    if (length > 0.0)
        for (int k = 0; k < 3; k++)
            a[k] /= length;
    return length;
}

#endif
