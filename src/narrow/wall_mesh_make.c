/* wall_mesh_make.c — makes a mesh ready: welds corners, finds what meets where, numbers features.
 *
 * Triangles come as separate corners, as in an STL file. Corners at the same place (to 1e-9 of the
 * extent) become one vertex, found by hashing cells a thousand times larger than that, so that few
 * corners need to look beyond their own cell. Edges are pairs of vertices, found by sorting. For
 * each vertex and edge the faces at it are listed.
 *
 * An edge between two faces is flat when they continue each other in one plane: their normals
 * differ by less than 1e-4, or no corner is farther from the other's plane than the rounding of a
 * file in single precision. Faces joined by flat edges are one feature (union-find), and so are
 * flat edges and the vertices with none but flat edges. Features are numbered 0 … faces - 1 (by the
 * smallest face of the group), then edges, then vertices, then once more the faces (wall_mesh.c).
 *
 * Cost: O(n) but for the tree; about 300 bytes a triangle. */
#include "narrow/wall_mesh.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/keysort.h"
#include "base/mix.h"
#include "narrow/vec3.h"

static const double weld_part = 1e-9;     /* of the extent */
static const double rounding_part = 5e-6; /* of the largest coordinate: files with six digits */
static const double flat_sine = 1e-4;
static const double degenerate_part = 1e-12; /* twice the area over the longest edge squared */
#define FACES_MAX ((size_t)1 << 28)          /* features fit 32 bits: eight times that at most */
#define NONE      UINT32_MAX

void *jo_mesh_allocate(wall_mesh *m, size_t count, size_t size)
{
    void *data = calloc(count > 0 ? count : 1, size);
    if (data != NULL) m->bytes += count * size;
    return data;
}

void jo_wall_mesh_free(wall_mesh *m)
{
    if (m == NULL) return;
    void *const parts[] = {m->faces,        m->vertex,         m->edge,      m->vertex_start,
                           m->vertex_face,  m->edge_start,     m->edge_face, m->face_feature,
                           m->edge_feature, m->vertex_feature, m->nodes,     m->order};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        free(parts[k]);
    free(m);
}

size_t jo_wall_mesh_bytes(const wall_mesh *m)
{
    return m->bytes;
}
size_t jo_wall_mesh_primitives(const wall_mesh *m)
{
    return m->count;
}

/* ---- corners ---- */

static const char *face_name(const wall_mesh *m)
{
    return m->corners == 3 ? "triangle" : "segment";
}

/* Copies the corners; finds the extent and the largest coordinate. */
static jo_status read_corners(wall_mesh *m, const jo_wall *wall, double lo[3], double *extent,
                              jo_error *error)
{
    const int dim = m->corners;
    double hi[3] = {0.0, 0.0, 0.0}, largest = 0.0;
    lo[2] = 0.0;
    for (int a = 0; a < dim; a++) {
        lo[a] = INFINITY;
        hi[a] = -INFINITY;
    }
    const double *from = wall->triangles;
    for (size_t f = 0; f < m->count; f++)
        for (int c = 0; c < m->corners; c++)
            for (int a = 0; a < dim; a++, from++) {
                if (!(fabs(*from) <= JO_COORDINATE_MAX))
                    return jo_fail(
                        error, JO_ERR_DATA,
                        "wall '%s': %s %zu (from 0) has a corner at %.17g; coordinates must "
                        "be finite numbers",
                        wall->name, face_name(m), f, *from);
                m->faces[f].v[c][a] = *from;
                lo[a] = fmin(lo[a], *from);
                hi[a] = fmax(hi[a], *from);
                largest = fmax(largest, fabs(*from));
            }
    double diagonal[3];
    sub3(hi, lo, diagonal);
    *extent = norm3(diagonal);
    m->tolerance = rounding_part * largest;
    return JO_OK;
}

typedef struct weld {
    double lo[3], cell, near;
    size_t mask;
    uint32_t *head, *next;
    double *place; /* of each vertex, 3 each */
    size_t count;
} weld;

static size_t weld_slot(const weld *w, const int64_t cell[3])
{
    uint64_t h = 0;
    for (int a = 0; a < 3; a++)
        h = jo_mix64(h ^ (uint64_t)cell[a]);
    return (size_t)h & w->mask;
}

/* The vertex at v, a new one if there is none. */
static uint32_t weld_vertex(weld *w, const double v[3])
{
    int64_t from[3], to[3], cell[3];
    for (int a = 0; a < 3; a++) {
        from[a] = (int64_t)floor((v[a] - w->lo[a] - w->near) / w->cell);
        to[a] = (int64_t)floor((v[a] - w->lo[a] + w->near) / w->cell);
    }
    for (cell[0] = from[0]; cell[0] <= to[0]; cell[0]++)
        for (cell[1] = from[1]; cell[1] <= to[1]; cell[1]++)
            for (cell[2] = from[2]; cell[2] <= to[2]; cell[2]++)
                for (uint32_t k = w->head[weld_slot(w, cell)]; k != NONE; k = w->next[k]) {
                    double d[3];
                    sub3(v, w->place + 3 * (size_t)k, d);
                    if (norm3(d) <= w->near) return k;
                }
    for (int a = 0; a < 3; a++)
        cell[a] = (int64_t)floor((v[a] - w->lo[a]) / w->cell);
    const size_t slot = weld_slot(w, cell);
    const uint32_t vertex = (uint32_t)w->count++;
    memcpy(w->place + 3 * (size_t)vertex, v, 3 * sizeof *v);
    w->next[vertex] = w->head[slot];
    w->head[slot] = vertex;
    return vertex;
}

/* Gives corners their vertices, and moves them there, so that faces that meet share every bit. */
static bool weld_corners(wall_mesh *m, const double lo[3], double extent)
{
    const size_t corners = m->count * (size_t)m->corners;
    weld w = {.near = weld_part * extent, .cell = 1000.0 * weld_part * extent};
    size_t slots = 16;
    while (slots < corners)
        slots *= 2;
    w.mask = slots - 1;
    memcpy(w.lo, lo, sizeof w.lo);
    if (!(w.cell > 0.0)) w.cell = 1.0; /* all corners at one place: refused later */
    w.head = malloc(slots * sizeof *w.head);
    w.next = malloc(corners * sizeof *w.next);
    w.place = malloc(corners * 3 * sizeof *w.place);
    const bool made = w.head != NULL && w.next != NULL && w.place != NULL;
    if (made) {
        memset(w.head, 0xff, slots * sizeof *w.head);
        for (size_t f = 0; f < m->count; f++)
            for (size_t c = 0; c < (size_t)m->corners; c++) {
                const uint32_t vertex = weld_vertex(&w, m->faces[f].v[c]);
                m->vertex[3 * f + c] = vertex;
                memcpy(m->faces[f].v[c], w.place + 3 * (size_t)vertex, 3 * sizeof(double));
            }
        m->vertex_count = w.count;
    }
    free(w.head);
    free(w.next);
    free(w.place);
    return made;
}

/* ---- faces ---- */

static double square_between(const double a[3], const double b[3])
{
    double d[3];
    sub3(b, a, d);
    return dot3(d, d);
}

static bool face_vectors(const wall_mesh *m, mesh_face *f)
{
    double a[3], b[3];
    sub3(f->v[1], f->v[0], a);
    double longest = dot3(a, a);
    if (m->corners == 2) {
        f->n[0] = -a[1];
        f->n[1] = a[0];
        return unit3(f->n) > 0.0;
    }
    sub3(f->v[2], f->v[0], b);
    longest = fmax(fmax(longest, dot3(b, b)), square_between(f->v[1], f->v[2]));
    cross3(a, b, f->n);
    if (!(unit3(f->n) > degenerate_part * longest)) return false;
    for (int k = 0; k < 3; k++) {
        sub3(f->v[k == 2 ? 0 : k + 1], f->v[k], a);
        cross3(f->n, a, f->in[k]);
        unit3(f->in[k]);
    }
    return true;
}

static jo_status make_faces(wall_mesh *m, const jo_wall *wall, jo_error *error)
{
    for (size_t f = 0; f < m->count; f++) {
        const uint32_t *v = &m->vertex[3 * f];
        const bool closed = v[0] == v[1] || (m->corners == 3 && (v[1] == v[2] || v[2] == v[0]));
        if (closed || !face_vectors(m, &m->faces[f]))
            return jo_fail(
                error, JO_ERR_DATA,
                "wall '%s'%s%s: %s %zu of %zu (from 0) has no %s: two of its corners are the "
                "same%s; remove it from the mesh",
                wall->name, wall->path != NULL ? ", " : "", wall->path != NULL ? wall->path : "",
                face_name(m), f, m->count, m->corners == 3 ? "area" : "length",
                m->corners == 3 ? " or all three lie on a line" : "");
    }
    return JO_OK;
}

/* ---- what meets where ---- */

/* Lists the faces at each of `things` things; of[3 f + c] is the thing at corner or edge c of face
 * f. */
static bool list_faces(wall_mesh *m, const uint32_t *of, size_t things, uint32_t **start,
                       uint32_t **faces)
{
    const size_t per = (size_t)m->corners;
    *start = jo_mesh_allocate(m, things + 2, sizeof **start);
    *faces = jo_mesh_allocate(m, m->count * per, sizeof **faces);
    if (*start == NULL || *faces == NULL) return false;
    uint32_t *at = *start + 1; /* shifted by one, so that filling leaves the starts in place */
    for (size_t f = 0; f < m->count; f++)
        for (size_t c = 0; c < per; c++)
            at[of[3 * f + c] + 1]++;
    for (size_t k = 1; k <= things; k++)
        at[k] += at[k - 1];
    for (size_t f = 0; f < m->count; f++)
        for (size_t c = 0; c < per; c++)
            (*faces)[at[of[3 * f + c]]++] = (uint32_t)f;
    return true;
}

static bool number_edges(wall_mesh *m)
{
    const size_t sides = 3 * m->count;
    keyed *items = malloc(2 * sides * sizeof *items);
    if (items == NULL) return false;
    for (size_t k = 0; k < sides; k++) {
        const uint32_t a = m->vertex[k], b = m->vertex[k % 3 == 2 ? k - 2 : k + 1];
        items[k] =
            (keyed){.key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a), .id = (uint32_t)k};
    }
    jo_keysort(items, items + sides, sides);
    for (size_t k = 0; k < sides; k++) {
        if (k == 0 || items[k].key != items[k - 1].key) m->edge_count++;
        m->edge[items[k].id] = (uint32_t)(m->edge_count - 1);
    }
    free(items);
    return true;
}

/* ---- features ---- */

static uint32_t find_root(uint32_t *parent, uint32_t k)
{
    while (parent[k] != k)
        k = parent[k] = parent[parent[k]];
    return k;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

static double farthest_from_plane(const wall_mesh *m, const mesh_face *plane, const mesh_face *f)
{
    double most = 0.0;
    for (int c = 0; c < m->corners; c++) {
        double d[3];
        sub3(f->v[c], plane->v[0], d);
        most = fmax(most, fabs(dot3(plane->n, d)));
    }
    return most;
}

/* From the middle of what faces a and b share to the middle of face f: which way it continues. */
static void outward(const wall_mesh *m, const mesh_face *f, const double middle[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = 0.0;
        for (int c = 0; c < m->corners; c++)
            out[k] += f->v[c][k] - middle[k];
    }
}

/* Whether two faces that share an edge (2D: a vertex) continue each other in one plane. */
static bool continues(const wall_mesh *m, uint32_t a, uint32_t b, int k)
{
    const mesh_face *f = &m->faces[a], *g = &m->faces[b];
    double c[3], middle[3], to_f[3], to_g[3];
    cross3(f->n, g->n, c);
    if (norm3(c) > flat_sine && (farthest_from_plane(m, f, g) > m->tolerance ||
                                 farthest_from_plane(m, g, f) > m->tolerance))
        return false;
    for (int i = 0; i < 3; i++)
        middle[i] = m->corners == 2 ? f->v[k][i] : 0.5 * (f->v[k][i] + f->v[k == 2 ? 0 : k + 1][i]);
    outward(m, f, middle, to_f);
    outward(m, g, middle, to_g);
    if (m->corners == 2) return dot3(to_f, to_g) < 0.0;
    double along[3];
    sub3(f->v[k == 2 ? 0 : k + 1], f->v[k], along);
    unit3(along);
    along3(to_f, -dot3(to_f, along), along, to_f);
    along3(to_g, -dot3(to_g, along), along, to_g);
    return dot3(to_f, to_g) < 0.0; /* else folded back onto itself */
}

/* Joins the faces on both sides of the flat ones among `things` edges (2D: vertices), and marks
 * those in `flat`. */
static void join_flat(wall_mesh *m, const uint32_t *of, const uint32_t *start,
                      const uint32_t *faces, size_t things, uint8_t *flat)
{
    for (size_t f = 0; f < m->count; f++)
        for (int k = 0; k < m->corners; k++) {
            const uint32_t thing = of[3 * f + (size_t)k];
            for (uint32_t j = start[thing]; j < start[thing + 1]; j++) {
                if (faces[j] <= f || !continues(m, (uint32_t)f, faces[j], k)) continue;
                join(m->face_feature, (uint32_t)f, faces[j]);
                flat[thing] = 1;
            }
        }
    for (size_t t = 0; t < things;
         t++) /* where more than two faces meet there is an edge to feel */
        if (start[t + 1] - start[t] != 2) flat[t] = 0;
}

/* Numbers for edges and vertices: their own, or that of the plane they lie in. */
static void number_features(wall_mesh *m, const uint8_t *flat)
{
    for (uint32_t f = 0; f < m->count; f++)
        m->face_feature[f] = find_root(m->face_feature, f);
    for (size_t e = 0; e < m->edge_count; e++)
        m->edge_feature[e] =
            flat[e] ? m->face_feature[m->edge_face[m->edge_start[e]]] : (uint32_t)(m->count + e);
    for (size_t v = 0; v < m->vertex_count; v++) {
        bool smooth = true;
        for (uint32_t j = m->vertex_start[v]; j < m->vertex_start[v + 1]; j++) {
            const size_t f = m->vertex_face[j];
            for (size_t k = 0; k < 3 && m->corners == 3; k++) /* edge k ends at corners k, k + 1 */
                if (m->vertex[3 * f + k] == v)
                    smooth &= flat[m->edge[3 * f + k]] && flat[m->edge[3 * f + (k + 2) % 3]];
        }
        if (m->corners == 2) smooth = flat[v];
        m->vertex_feature[v] = smooth ? m->face_feature[m->vertex_face[m->vertex_start[v]]]
                                      : (uint32_t)(m->count + m->edge_count + v);
    }
}

static bool make_features(wall_mesh *m)
{
    const bool solid = m->corners == 3;
    const size_t things = solid ? m->edge_count : m->vertex_count;
    m->face_feature = jo_mesh_allocate(m, m->count, sizeof *m->face_feature);
    m->edge_feature = jo_mesh_allocate(m, m->edge_count, sizeof *m->edge_feature);
    m->vertex_feature = jo_mesh_allocate(m, m->vertex_count, sizeof *m->vertex_feature);
    uint8_t *flat = calloc(things > 0 ? things : 1, 1);
    const bool made = m->face_feature != NULL && m->edge_feature != NULL &&
                      m->vertex_feature != NULL && flat != NULL;
    if (made) {
        for (uint32_t f = 0; f < m->count; f++)
            m->face_feature[f] = f;
        if (solid)
            join_flat(m, m->edge, m->edge_start, m->edge_face, things, flat);
        else
            join_flat(m, m->vertex, m->vertex_start, m->vertex_face, things, flat);
        number_features(m, flat);
    }
    free(flat);
    return made;
}

static bool connect(wall_mesh *m)
{
    if (m->corners == 3) {
        m->edge = jo_mesh_allocate(m, 3 * m->count, sizeof *m->edge);
        if (m->edge == NULL || !number_edges(m)) return false;
        if (!list_faces(m, m->edge, m->edge_count, &m->edge_start, &m->edge_face)) return false;
    }
    return list_faces(m, m->vertex, m->vertex_count, &m->vertex_start, &m->vertex_face) &&
           make_features(m) && jo_mesh_tree_make(m);
}

static jo_status fill(wall_mesh *m, const jo_wall *wall, jo_error *error)
{
    double lo[3], extent = 0.0;
    const size_t bytes = m->count * 300;
    m->faces = jo_mesh_allocate(m, m->count, sizeof *m->faces);
    m->vertex = jo_mesh_allocate(m, 3 * m->count, sizeof *m->vertex);
    if (m->faces == NULL || m->vertex == NULL) return jo_fail_memory(error, bytes, "a mesh");
    jo_status status = read_corners(m, wall, lo, &extent, error);
    if (status != JO_OK) return status;
    if (!weld_corners(m, lo, extent)) return jo_fail_memory(error, bytes, "a mesh");
    status = make_faces(m, wall, error);
    if (status != JO_OK) return status;
    return connect(m) ? JO_OK : jo_fail_memory(error, bytes, "a mesh");
}

jo_status jo_wall_mesh_make(const jo_wall *wall, int dim, wall_mesh **mesh, jo_error *error)
{
    if (wall->triangle_count == 0 || wall->triangles == NULL)
        return jo_fail(error, JO_ERR_DATA, "wall '%s': a mesh needs at least one %s", wall->name,
                       dim == 3 ? "triangle" : "segment");
    if (wall->triangle_count > FACES_MAX)
        return jo_fail(error, JO_ERR_LIMIT,
                       "wall '%s': %zu triangles are more than a mesh can have, "
                       "%zu",
                       wall->name, wall->triangle_count, FACES_MAX);
    wall_mesh *m = calloc(1, sizeof *m);
    if (m == NULL) return jo_fail_memory(error, sizeof *m, "a mesh");
    m->bytes = sizeof *m;
    m->corners = dim;
    m->count = wall->triangle_count;
    const jo_status status = fill(m, wall, error);
    if (status != JO_OK) {
        jo_wall_mesh_free(m);
        return status;
    }
    *mesh = m;
    return JO_OK;
}
