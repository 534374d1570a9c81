/* tri.h — the space between polygons, cut into triangles.
 *
 * Polygons are given by their corners: next[u] is the corner that follows u, such that the solid
 * lies to the left of the way from u to next[u]: grains go counter-clockwise, the boundary around
 * all of them clockwise. Partitions are edges with free space on both sides. All these edges are
 * mandatory: sides of triangles, always. What is inside solids has no triangles.
 *
 * A triangle has its corners counter-clockwise and for each of them the triangle on the opposite
 * side, or TRI_NONE where that side is mandatory. at[u] is one of the triangles at corner u. The
 * triangles at a corner of a polygon form one fan, from one mandatory edge to the other. With B
 * mandatory sides (partitions have two) in R rings around P parts of free space there are B + 2 (R
 * - 2 P) triangles, whatever happens to them; for h grains inside one boundary that is B + 2 (h -
 * 1). */
#ifndef JO_HARD_TRI_H
#define JO_HARD_TRI_H

#include "base/error.h"
#include "base/memory.h"

#define TRI_NONE 0xffffffffu

typedef struct triangle {
    uint32_t v[3]; /* corners */
    uint32_t n[3]; /* n[k] lies beyond the side opposite v[k] */
} triangle;

typedef struct tri_mesh {
    triangle *t;
    uint32_t *at;
    uint32_t count, vertices;
    buffer memory_t, memory_at;
    buffer memory_marks, memory_edges, memory_log, memory_ring; /* local changes: tri_local.h */
} tri_mesh;

/* What to triangulate, at one instant. */
typedef struct tri_input {
    uint32_t vertices;
    const double *place;   /* 2 per corner */
    const uint32_t *next;  /* TRI_NONE: a corner of partitions only */
    const uint32_t *owner; /* the body of each corner, for messages */
    const uint64_t *ids;   /* what messages call bodies; NULL: by their numbers */
    uint32_t boundary;     /* the body that messages call the boundary; TRI_NONE: none */
    uint32_t partitions;
    const uint32_t *partition; /* 2 corners each */
} tri_input;

/* What to call the body of a corner in a message. */
typedef struct tri_name {
    char text[32];
} tri_name;
tri_name jo_tri_name(const tri_input *input, uint32_t corner);

static const int TRI_NEXT[3] = {1, 2, 0}, TRI_PREVIOUS[3] = {2, 0, 1};

static inline int tri_corner(const triangle *t, uint32_t v)
{
    return t->v[0] == v ? 0 : t->v[1] == v ? 1 : 2;
}

/* The side of t that neighbour n lies beyond. */
static inline int tri_side(const triangle *t, uint32_t n)
{
    return t->n[0] == n ? 0 : t->n[1] == n ? 1 : 2;
}

/* The side whose ends are p and q, in either order; -1 if t has none. */
static inline int tri_side_between(const triangle *t, uint32_t p, uint32_t q)
{
    for (int k = 0; k < 3; k++) {
        const uint32_t a = t->v[TRI_NEXT[k]], b = t->v[TRI_PREVIOUS[k]];
        if ((a == p && b == q) || (a == q && b == p)) return k;
    }
    return -1;
}

/* Triangulates: from left to right, then with mandatory edges, then without solids. JO_ERR_DATA
 * where polygons touch, cross, contain one another, or do not lie inside a boundary: the sentence
 * names their owners. The mesh is zeroed, or of a call before; on failure it holds nothing of
 * use. */
jo_status jo_tri_make(tri_mesh *mesh, const tri_input *input, jo_error *error);
void jo_tri_free(tri_mesh *mesh);

/* Turns the side opposite corner k of t, which must have a neighbour, into the other diagonal of
 * the quadrilateral of the two. t is then (a, b, d) and its neighbour (a, d, c), with a, b, c the
 * corners of t from k on and d the opposite one. */
void jo_tri_flip(tri_mesh *mesh, uint32_t t, int k);

/* What a polygon put in or taken out did to triangles. Arrays are the mesh's, valid until the next
 * change. */
typedef struct tri_changes {
    const uint32_t *changed; /* triangles with other corners than before, each once */
    uint32_t changed_count;
    const uint32_t *moved; /* from, to: the same triangle with another number; to < from */
    uint32_t moved_count;
} tri_changes;

/* Takes the polygon with the corners first … first + count - 1 out. The places of these, and of all
 * corners that share a triangle with one of them, must be those of the present. JO_ERR_PHYSICS: a
 * triangle there is flat or inverted at these places, and nothing was done; make it anew. */
jo_status jo_tri_remove(tri_mesh *mesh, const tri_input *input, uint32_t first, uint32_t count,
                        tri_changes *changes, jo_error *error);

/* Puts such a polygon in, counter-clockwise, which is not yet part of the mesh; `start` is a
 * triangle that its first corner lies in, and places are right wherever triangles have a point in
 * common with the polygon. JO_ERR_DATA where it touches or overlaps others, contains one or crosses
 * itself: the mesh is then without it, but may have changed all the same. */
jo_status jo_tri_insert(tri_mesh *mesh, const tri_input *input, uint32_t first, uint32_t count,
                        uint32_t start, tri_changes *changes, jo_error *error);

/* A triangle that has p -> q as a side in counter-clockwise order, and which side; TRI_NONE if
 * there is none. Looks at the fan that at[p] is in. */
uint32_t jo_tri_find_side(const tri_mesh *mesh, uint32_t p, uint32_t q, int *side);

/* What jo_tri_check found. */
typedef struct tri_report {
    uint32_t triangles;
    double free_area;  /* of all triangles */
    double solid_area; /* what the polygons say about it: boundary less grains */
    double least;      /* the smallest triangle's height over its longest side */
} tri_report;

/* Does all that tri.h promises hold at these places? Exact for orientations. JO_ERR_PHYSICS with a
 * sentence where it does not. report may be NULL. */
jo_status jo_tri_check(const tri_mesh *mesh, const tri_input *input, tri_report *report,
                       jo_error *error);

#endif
