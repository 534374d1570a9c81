/* wall_mesh.h — a mesh made ready: faces, what meets at their edges and corners, and a tree of
 * boxes.
 *
 * Faces are triangles, or in 2D segments (which have corners and no edges). */
#ifndef JO_NARROW_WALL_MESH_H
#define JO_NARROW_WALL_MESH_H

#include "narrow/wall_shape.h"

typedef struct mesh_face {
    double v[3][3]; /* corners; the third is not used in 2D */
    double n[3];    /* unit normal */
    double in[3]
             [3]; /* unit vectors in the plane, normal to edge k, towards the inside; not in 2D */
} mesh_face;

/* A node of the tree: the box around its faces. Its left child follows it. */
typedef struct mesh_node {
    double lo[3], hi[3];
    uint32_t first; /* leaf: its faces are order[first …]; else the right child */
    uint32_t count; /* of faces in a leaf; 0: not a leaf */
} mesh_node;

struct wall_mesh {
    int corners; /* of a face: 3, in 2D 2 */
    size_t count, vertex_count, edge_count, node_count;
    double tolerance; /* lengths below this are rounding of the file the mesh came from */
    mesh_face *faces;
    uint32_t *vertex;                     /* of each face, 3 each */
    uint32_t *edge;                       /* likewise: edge k runs from corner k to k + 1 */
    uint32_t *vertex_start, *vertex_face; /* faces at vertex i: vertex_face[vertex_start[i] …] */
    uint32_t *edge_start, *edge_face;
    uint32_t *face_feature, *edge_feature, *vertex_feature;
    mesh_node *nodes;
    uint32_t *order;
    size_t bytes;
};

/* The point of a face nearest to x. */
typedef enum mesh_place { ON_FACE, ON_EDGE, ON_CORNER } mesh_place;
typedef struct mesh_nearest {
    double point[3];
    double d2; /* squared distance */
    mesh_place place;
    int k; /* which edge or corner of the face */
} mesh_nearest;
/* Returns false, with nothing filled in, if it is seen early that the face is farther than reach.
 */
bool jo_mesh_nearest(const wall_mesh *mesh, uint32_t face, const double x[3], double reach,
                     mesh_nearest *nearest);

/* Builds the tree; false when memory ran out. */
bool jo_mesh_tree_make(wall_mesh *mesh);

/* Memory that belongs to the mesh, counted in its bytes; NULL when there is none. */
void *jo_mesh_allocate(wall_mesh *mesh, size_t count, size_t size);

#endif
