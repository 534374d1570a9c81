/* poly.h — how a convex polyhedron lies in memory; see poly_build.c and jostle/polyhedron.h. */
#ifndef JO_SCENE_POLY_H
#define JO_SCENE_POLY_H

#include "base/memory.h"
#include "jostle/polyhedron.h"

/* What a walk asks about a half-edge, in two lines of the cache: the first serves walks around a
 * face, the second those around a vertex. The two Voronoi planes are each stored once and read from
 * both of their sides, so that two regions never disagree about a point. ve  through the
 * half-edge's origin, normal along the edge: ve·x > 0 is the edge's side, < 0 the vertex's. Its
 * first three numbers are the unit vector along the half-edge. fe  through the edge, square to the
 * face: fe·x > 0 is the face's side, < 0 the edge's. */
typedef struct poly_walls {
    double fe[4]; /* three of a unit normal, and minus the offset */
    uint32_t next, twin, face, origin;
    double bend;           /* tan(t/2) of the angle t between the normals of its two faces */
    uint32_t first, edges; /* the first half-edge that leaves the origin, and how many do */
    double ve[4];
    double from[3], length; /* the origin's place; the edge's length */
} poly_walls;

/* Cones around normals, eight of them: unit axis, cosine and sine of how far the normals are from
 * it, and the least offset of the planes they belong to in units of the body's radius. */
typedef struct poly_cones {
    float x[8], y[8], z[8], cosine[8], sine[8], reach[8];
} poly_cones;

/* Eight edges as arcs between the normals of their faces, neighbours on the sphere of directions;
 * in float, for sorting out. edge[] is the half-edge h, face[] its face and, eight on, its twin's;
 * n0 the normal of its face, n1 MINUS that of its twin's; the latter is n0 turned towards the unit
 * vector t by the angle of this cosine and sine; off0 and off1 the offsets of the two and rise what
 * t·x is along the edge, in units of the body's radius. Bit l of first_of[i]: edge l speaks for the
 * face of n_i: each face has one edge that does. */
typedef struct poly_arcs {
    poly_cones cone;
    float n0[3][8], t[3][8], cosine[8], sine[8], rise[8], n1[3][8], off0[8], off1[8];
    uint32_t edge[8], face[16], count, first_of[2], spare[5];
} poly_arcs;

/* One of those edges, in one line of the cache: u is its direction, the others as above; the fourth
 * numbers mean nothing. */
typedef struct poly_arc {
    float u[4], n0[4], n1[4], a[4];
} poly_arc;

/* Eight faces, in float: normals, and offsets in units of the body's radius. The last ones are
 * repeated. */
typedef struct poly_faces {
    float n[3][8], off[8];
} poly_faces;

/* A tetrahedron in float, numbered so that its vertices 0, 1, 2, 3 turn to the right: face k is the
 * one without vertex k, edges go from 0 to 1, 2, 3, from 1 to 2, 3 and from 2 to 3. body[]: the
 * vertices' coordinates in units of the radius, then the faces' normals; off: the faces' offsets in
 * units of the radius; u: unit vectors along the edges, and nothing in the last two lanes. */
typedef struct poly_tetra {
    float body[3][8], u[3][8], off[4];
    uint32_t face[4], vertex[4], edge[6], spare[6];
} poly_tetra;

enum { POLY_LEVELS = 8, POLY_CORNERS = 104, POLY_FACES = 80 };
enum { POLY_FEW_FACES = 16, POLY_FEW_EDGES = 16, POLY_FEW_VERTICES = 12 };

/* A body of no more than those, by edges in the order of the arcs: unit vectors along them and
 * where they begin, in units of the radius; the faces left of them, and then those right of them;
 * the vertices at their ends, times sixteen. Behind the last edge the first one's ends are
 * repeated, and the faces are 0. */
typedef struct poly_few {
    float u[3][POLY_FEW_EDGES], from[3][POLY_FEW_EDGES];
    uint8_t faces[2 * POLY_FEW_EDGES];
    uint16_t tail[POLY_FEW_EDGES], head[POLY_FEW_EDGES];
} poly_few;

struct jo_polyhedron {
    size_t nv, nh, nf;
    uint32_t bound;                        /* 4 sqrt(nh): what a walk across it may take */
    double *points;                        /* 3 nv */
    double *planes;                        /* 4 nf: unit normal, offset */
    poly_walls *walls;                     /* nh */
    uint32_t *first;                       /* nv + 1 */
    uint32_t *origin, *twin, *next, *face; /* nh */
    uint32_t *face_edge;                   /* nf */
    double centre[3], volume, area, inertia[9], radius, inradius, lo[3], hi[3];
    /* A map of directions: each face of a cube has map_size² cells, about one for each vertex, and
     * a cell knows a vertex that is extreme in the direction of its middle. */
    size_t map_size;
    uint32_t *map;
    /* The edges eight by eight; the cones of eight such eights, of eight of those and so on: level
     * l begins at cones[level[l]], level 0 being that of the arcs. Bodies of up to POLY_CORNERS
     * vertices have them by coordinate as well: x, y, z of four each, the last ones repeated. */
    poly_arcs *arcs;
    poly_arc *arc; /* nh / 2, in that order */
    poly_cones *cones;
    uint32_t n_arcs, levels, level[POLY_LEVELS], level_count[POLY_LEVELS];
    double *corners;
    uint32_t corner_fours;
    /* Bodies of up to POLY_FACES faces: those by eights, and the vertices in units of the radius;
     * else NULL, 0. */
    poly_faces *faces;
    float *spots; /* 3 nv */
    uint32_t face_eights;
    poly_tetra *tetra; /* NULL: it is none */
    poly_few *few;     /* NULL: it has more faces or edges */
    buffer memory; /* all arrays above; huge pages when it is large: a walk hops between pages */
};

static inline double poly_side(const double plane[4], const double x[3])
{
    return plane[0] * x[0] + plane[1] * x[1] + plane[2] * x[2] + plane[3];
}

/* A whole number from 0 to size - 1, also of what is neither: a subnormal direction has an infinite
 * scale. */
static inline size_t poly_map_place(double x, size_t size)
{
    return x > 0.0 ? (x < (double)(size - 1) ? (size_t)x : size - 1) : 0;
}

/* The cell of a map with `size` cells along an edge that a direction falls into. */
static inline size_t poly_map_cell(const double d[3], size_t size)
{
    const double ax = d[0] < 0.0 ? -d[0] : d[0], ay = d[1] < 0.0 ? -d[1] : d[1],
                 az = d[2] < 0.0 ? -d[2] : d[2];
    const int k = ax >= ay ? (ax >= az ? 0 : 2) : (ay >= az ? 1 : 2);
    const double largest = k == 0 ? ax : k == 1 ? ay : az;
    if (!(largest > 0.0)) return 0;
    const double half = 0.5 * (double)size, scale = half / largest;
    const size_t u = poly_map_place(d[k == 0 ? 1 : 0] * scale + half, size);
    const size_t v = poly_map_place(d[k == 2 ? 1 : 2] * scale + half, size);
    return ((size_t)(2 * k + (d[k] < 0.0)) * size + v) * size + u;
}

/* A vertex that is extreme in direction d, by climbing from vertex `from`: local is global on a
 * convex body. Heights are compared as they are rounded, one number for each vertex, so that no
 * circle is possible. */
static inline uint32_t poly_climb(const jo_polyhedron *p, const double d[3], uint32_t from)
{
    const double *x = p->points + 3 * (size_t)from;
    double height = d[0] * x[0] + d[1] * x[1] + d[2] * x[2];
    for (;;) {
        uint32_t better = from;
        for (uint32_t h = p->first[from]; h < p->first[from + 1]; h++) {
            const uint32_t to = p->origin[p->twin[h]];
            const double *y = p->points + 3 * (size_t)to;
            const double other = d[0] * y[0] + d[1] * y[1] + d[2] * y[2];
            if (other > height) {
                height = other;
                better = to;
            }
        }
        if (better == from) return from;
        from = better;
    }
}

/* The same without a vertex to start from. */
static inline uint32_t poly_support(const jo_polyhedron *p, const double d[3])
{
    return poly_climb(p, d, p->map[poly_map_cell(d, p->map_size)]);
}

/* A polygonal surface on its way to a polyhedron: points and faces as jo_polyhedron_from_faces has
 * them. */
typedef struct poly_surface {
    const double *points;
    size_t n;
    const size_t *offset;
    const uint32_t *corner;
    size_t faces;
    const char *name; /* begins messages, may be NULL */
    bool unnumbered;  /* points and faces are not the caller's: messages say where they are alone */
    double slack;     /* what counts as flat, relative to the size */
} poly_surface;

/* Checks the surface and makes the polyhedron. */
jo_status jo_poly_make(const poly_surface *surface, jo_polyhedron **shape, jo_error *error);

/* The convex hull of the points; no faces are needed. */
jo_status jo_poly_hull(const poly_surface *points, jo_polyhedron **shape, jo_error *error);

/* The hull of triangles' corners, those within 1e-6 of the size being one; as
 * jo_polyhedron_from_triangles else. */
jo_status jo_poly_hull_of_triangles(const double *triangles, size_t count, const char *name,
                                    jo_polyhedron **shape, jo_error *error);

/* Mass properties, bounds, planes and map of a polyhedron whose points, topology are there. Moves
 * the origin to the centre of mass. False when it has no volume. */
bool jo_poly_finish(jo_polyhedron *p);

/* The arcs and what belongs to them: the bytes it takes, and setting them. False: out of memory. */
size_t jo_poly_arcs_bytes(size_t nv, size_t nh, size_t nf);
bool jo_poly_set_arcs(jo_polyhedron *p);

/* Of the points alone. Two in one place: JO_ERR_DATA. */
jo_status jo_poly_distinct(const poly_surface *s, jo_error *error);
/* The diagonal of the points' box; JO_ERR_DATA when a coordinate is not finite. */
jo_status jo_poly_size(const poly_surface *s, double *size, jo_error *error);

#endif
