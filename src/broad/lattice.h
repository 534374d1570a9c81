/* lattice.h — a regular lattice of cells over the bodies, as cells and subcells use it. */
#ifndef JO_BROAD_LATTICE_H
#define JO_BROAD_LATTICE_H

#include "broad/spot.h"

typedef struct lattice {
    double origin[3];
    double length[3];  /* what the cells divide: the period, or the extent of the centres */
    double edge[3];    /* of a cell; on open axes cells at the rim reach to infinity */
    double inverse[3]; /* cells per unit length; 0 where there is one cell */
    int32_t m[3];      /* cells per axis; 1 on the third axis in 2D */
    bool periodic[3];
} lattice;

/* The finest lattice whose cells have edges of at least `edge` (may be 0) and number at most
 * cells_max (1 or more). Every centre lies in it. Never allocates; nothing can overflow. */
lattice jo_lattice_fit(const query *q, double edge, double cells_max);

/* Divides axis a into m cells. */
void jo_lattice_divide(lattice *l, int a, int32_t m);

static inline size_t lattice_cells(const lattice *l)
{
    return (size_t)l->m[0] * (size_t)l->m[1] * (size_t)l->m[2];
}

/* Where x lies on axis a, in cells; bodies outside the lattice give values below 0 or above m. */
static inline double lattice_place(const lattice *l, int a, double x)
{
    return (x - l->origin[a]) * l->inverse[a];
}

/* The index of the cell at a place, the first or last one if outside. Monotone. */
static inline int32_t lattice_index(const lattice *l, int a, double place)
{
    if (!(place > 0.0)) return 0;
    return place < (double)l->m[a] ? (int32_t)place : l->m[a] - 1;
}

#endif
