/* orient.h — on which side of a line a point lies, without error. */
#ifndef JO_BASE_ORIENT_H
#define JO_BASE_ORIENT_H

/* Twice the signed area of the triangle abc: above 0 where its corners go counter-clockwise, below
 * 0 where they go clockwise, 0 where they lie on one line. The sign is exact, the size correct to a
 * few units in the last place of |ab| |ac|. Holds as long as no product of coordinates, nor its
 * rounding error, leaves the range of double: coordinates that are 0 or between 1e-120 and 1e150
 * are safe. */
double jo_orient(const double a[2], const double b[2], const double c[2]);

/* Does p lie between a and b, p known to be on the line through them? Ends do not count. */
static inline int jo_on_segment(const double a[2], const double b[2], const double p[2])
{
    return a[0] != b[0] ? (a[0] < p[0]) == (p[0] < b[0]) && p[0] != a[0] && p[0] != b[0]
                        : (a[1] < p[1]) == (p[1] < b[1]) && p[1] != a[1] && p[1] != b[1];
}

/* Do the segments ab and cd have a point in common? Ends count. Exact. */
int jo_segments_meet(const double a[2], const double b[2], const double c[2], const double d[2]);

#endif
