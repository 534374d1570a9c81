/* lattice.c — choosing the cells of a regular lattice.
 *
 * A lattice is asked for by the edge its cells need and by how many of them memory allows. Both are
 * honoured by making cells larger: bodies a googol apart, or all in one plane, line or point, give
 * a lattice of few cells instead of an overflow. The edge is found by bisection, because the number
 * of cells, a product of rounded-down quotients, has no inverse to write down. */
#include "broad/lattice.h"

void jo_lattice_divide(lattice *l, int a, int32_t m)
{
    l->m[a] = m;
    l->edge[a] = m > 1 ? l->length[a] / m : l->length[a];
    l->inverse[a] = m > 1 ? m / l->length[a] : 0.0;
}

static double cells_along(double length, double edge)
{
    const double m = edge > 0.0 ? floor(length / edge) : INFINITY;
    return m > 1.0 ? m : 1.0; /* NaN from 0 / 0 gives 1 */
}

static double cells_of(const lattice *l, int dim, double edge)
{
    double cells = 1.0;
    for (int a = 0; a < dim; a++)
        cells *= l->length[a] > 0.0 ? cells_along(l->length[a], edge) : 1.0;
    return cells;
}

lattice jo_lattice_fit(const query *q, double edge, double cells_max)
{
    const int dim = q->bodies->dim;
    lattice l = {.m = {1, 1, 1}};
    double longest = 0.0;
    for (int a = 0; a < dim; a++) {
        l.periodic[a] = q->domain->periodic[a];
        l.origin[a] = l.periodic[a] ? q->domain->lo[a] : q->survey->lo[a];
        l.length[a] = (l.periodic[a] ? q->domain->hi[a] : q->survey->hi[a]) - l.origin[a];
        longest = fmax(longest, l.length[a]);
    }
    /* An index plus the length of any range of cells must fit 32 bits. */
    cells_max = fmin(fmax(cells_max, 1.0), 0x1p30);
    /* Below 1e-300 a quotient could overflow; such lengths are far below the slack of any body. */
    edge = fmax(edge, 1e-300);
    if (longest > edge && cells_of(&l, dim, edge) > cells_max) {
        double fine = fmax(edge, 0.5 * longest / cells_max), coarse = 2.0 * longest;
        for (int step = 0; step < 64 && coarse > 1.0001 * fine; step++) {
            const double middle = sqrt(fine) * sqrt(coarse);
            if (cells_of(&l, dim, middle) > cells_max)
                fine = middle;
            else
                coarse = middle;
        }
        edge = coarse;
    }
    for (int a = 0; a < dim; a++)
        jo_lattice_divide(&l, a, l.length[a] > 0.0 ? (int32_t)cells_along(l.length[a], edge) : 1);
    return l;
}
