/* wall_mesh_tree.c — which faces of a mesh are near: a tree of boxes.
 *
 * Faces are halved by the median of their centres until at most four are left, so depth is log2(n)
 * whatever the mesh, and large faces beside tiny ones cost nothing extra (a grid would have to
 * choose). Nodes lie in the order of a walk, the left child behind its
 * parent. At the leaves the exact distance decides: lists are as short as can be.
 *
 * Cost: building O(n log n); a query O(log n + found). Queries write nothing and allocate
 * nothing. */
#include "narrow/wall_mesh.h"

#include <math.h>
#include <stdlib.h>

enum { LEAF = 4, DEPTH = 64 };

typedef struct tree_build {
    wall_mesh *mesh;
    double *centre; /* 3 a face */
} tree_build;

static void box_of(const wall_mesh *m, const uint32_t *faces, size_t count, mesh_node *node)
{
    for (int a = 0; a < 3; a++) {
        node->lo[a] = INFINITY;
        node->hi[a] = -INFINITY;
    }
    for (size_t k = 0; k < count; k++)
        for (int c = 0; c < m->corners; c++)
            for (int a = 0; a < 3; a++) {
                const double v = m->faces[faces[k]].v[c][a];
                node->lo[a] = fmin(node->lo[a], v);
                node->hi[a] = fmax(node->hi[a], v);
            }
}

/* Puts the faces with the smaller centres first: Hoare's selection of the middle one. */
static void halve(const double *centre, int axis, uint32_t *faces, size_t count)
{
    size_t lo = 0, hi = count - 1;
    const size_t middle = count / 2;
    while (lo < hi) {
        const double pivot = centre[3 * (size_t)faces[lo + (hi - lo) / 2] + axis];
        size_t i = lo, j = hi;
        for (;;) {
            while (centre[3 * (size_t)faces[i] + axis] < pivot)
                i++;
            while (centre[3 * (size_t)faces[j] + axis] > pivot)
                j--;
            if (i >= j) break;
            const uint32_t f = faces[i];
            faces[i++] = faces[j];
            faces[j--] = f;
        }
        if (middle <= j)
            hi = j; /* j < hi: the pivot stood before hi */
        else
            lo = j + 1;
    }
}

static double half_area(const mesh_node *box)
{
    double side[3];
    for (int a = 0; a < 3; a++)
        side[a] = box->hi[a] - box->lo[a];
    return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

/* Halves them along the axis that leaves the smallest boxes: those a query has to look into least
 * often. Lids of a drum, say, part from its mantle that way, where the longest axis would cut
 * through both. */
static void halve_best(const tree_build *b, uint32_t *faces, size_t count)
{
    int best = 0;
    double least = INFINITY;
    for (int a = 0; a < 3; a++) {
        mesh_node left, right;
        halve(b->centre, a, faces, count);
        box_of(b->mesh, faces, count / 2, &left);
        box_of(b->mesh, faces + count / 2, count - count / 2, &right);
        const double area = half_area(&left) + half_area(&right);
        if (area < least) least = area, best = a;
    }
    if (best != 2) halve(b->centre, best, faces, count);
}

static void build(tree_build *b, size_t first, size_t count)
{
    wall_mesh *m = b->mesh;
    mesh_node *node = &m->nodes[m->node_count++];
    uint32_t *faces = m->order + first;
    box_of(m, faces, count, node);
    if (count <= LEAF) {
        node->first = (uint32_t)first;
        node->count = (uint32_t)count;
        return;
    }
    halve_best(b, faces, count);
    node->count = 0;
    build(b, first, count / 2);
    node->first = (uint32_t)m->node_count;
    build(b, first + count / 2, count - count / 2);
}

bool jo_mesh_tree_make(wall_mesh *m)
{
    m->order = jo_mesh_allocate(m, m->count, sizeof *m->order);
    m->nodes = jo_mesh_allocate(m, m->count, sizeof *m->nodes); /* a leaf has two faces at least */
    tree_build b = {.mesh = m, .centre = malloc(m->count * 3 * sizeof *b.centre)};
    const bool made = m->order != NULL && m->nodes != NULL && b.centre != NULL;
    if (made) {
        for (size_t f = 0; f < m->count; f++) {
            m->order[f] = (uint32_t)f;
            for (int a = 0; a < 3; a++) {
                double sum = 0.0;
                for (int c = 0; c < m->corners; c++)
                    sum += m->faces[f].v[c][a];
                b.centre[3 * f + (size_t)a] = sum / m->corners;
            }
        }
        build(&b, 0, m->count);
    }
    free(b.centre);
    return made;
}

/* Squared distance from x to a box. */
static double box_d2(const mesh_node *node, const double x[3])
{
    double d2 = 0.0;
    for (int a = 0; a < 3; a++) {
        const double below = node->lo[a] - x[a], above = x[a] - node->hi[a];
        const double d = below > above ? below : above; /* fmax would be a call */
        d2 += d > 0.0 ? d * d : 0.0;
    }
    return d2;
}

static void sift(uint32_t *list, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && list[child] < list[child + 1]) child++;
        if (list[root] >= list[child]) return;
        const uint32_t v = list[root];
        list[root] = list[child];
        list[child] = v;
    }
}

/* Ascending, in place and without a stack: heapsort for the long lists of large bodies. */
static void sort_ascending(uint32_t *list, size_t count)
{
    if (count > 32) {
        for (size_t k = count / 2; k-- > 0;)
            sift(list, k, count);
        for (size_t k = count; k-- > 1;) {
            const uint32_t v = list[0];
            list[0] = list[k];
            list[k] = v;
            sift(list, 0, k);
        }
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const uint32_t v = list[i];
        size_t k = i;
        for (; k > 0 && list[k - 1] > v; k--)
            list[k] = list[k - 1];
        list[k] = v;
    }
}

size_t jo_wall_mesh_near(const wall_mesh *m, const double x[3], double reach, uint32_t *primitives,
                         size_t room)
{
    if (!(reach >= 0.0)) return 0;
    /* Wider by far more than rounding, so that no touch closer than reach is missed. */
    const double wide = reach * (1.0 + 1e-9), limit = wide * wide;
    uint32_t stack[DEPTH];
    size_t depth = 0, found = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const uint32_t index = stack[--depth];
        const mesh_node *node = &m->nodes[index];
        if (box_d2(node, x) > limit) continue;
        if (node->count == 0) {
            stack[depth++] = node->first;
            stack[depth++] = index + 1;
            continue;
        }
        for (uint32_t k = 0; k < node->count; k++) {
            mesh_nearest at;
            const uint32_t face = m->order[node->first + k];
            if (!jo_mesh_nearest(m, face, x, wide, &at) || at.d2 > limit) continue;
            if (found < room) primitives[found] = face;
            found++;
        }
    }
    sort_ascending(primitives, found < room ? found : room);
    return found;
}
