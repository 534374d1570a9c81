/* poly_walls.c — walls as polyhedra feel them: flat pieces, each with the room behind it.
 *
 * A plane is one piece, a box from inside six. The side of a cylinder or cone becomes FACETS flat
 * pieces, the borders between them being planes through the axis; a triangle of a mesh is a piece
 * whose borders with its neighbours halve the angle between them. Depths behind two pieces are
 * equal on such a border: the potential has no step there, and a body slides from piece to piece
 * without a bump. Where a wall ends, a face across it stands in for the rim. What is solid and
 * convex (a box from outside, a closed cylinder or cone from outside) is a polyhedron, which other
 * polyhedra meet as one of them.
 *
 * Thin walls (open cylinders and cones of finite length, meshes) are felt from either side: their
 * pieces are turned to the side on which a body was when it came near. Of a mesh each sheet of
 * what is near has a side of its own: the other face of a plate is no more that of the body than
 * the other wall of a slot. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "narrow/wall_mesh.h"
#include "soft/poly.h"

enum { FACETS = 120, SOLID_SIDES = 48 };

static const double pi = 3.14159265358979323846;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void unit(double a[3])
{
    const double length = sqrt(dot(a, a));
    for (int k = 0; k < 3; k++)
        a[k] /= length;
}

/* ---- flat walls ---- */

static void set_plane(double plane[4], const double normal[3], const double point[3])
{
    memcpy(plane, normal, 3 * sizeof *plane);
    plane[3] = dot(normal, point);
}

static jo_status make_room(poly_wall *w, size_t count, jo_error *error)
{
    w->pieces = calloc(count, sizeof *w->pieces);
    if (w->pieces == NULL) return jo_fail_memory(error, count * sizeof *w->pieces, "walls");
    for (size_t k = 0; k < count; k++)
        w->pieces[k].reach = INFINITY;
    w->count = count;
    return JO_OK;
}

static jo_status make_box(poly_wall *w, const jo_wall *def, jo_error *error)
{
    if (def->outside) {
        double corners[24];
        for (int k = 0; k < 8; k++)
            for (int a = 0; a < 3; a++)
                corners[3 * k + a] = k >> a & 1 ? def->hi[a] : def->lo[a];
        return jo_polyhedron_from_points(corners, 8, &w->solid, error);
    }
    const jo_status status = make_room(w, 6, error);
    for (int k = 0; k < 6 && status == JO_OK; k++) {
        double n[3] = {0, 0, 0};
        n[k / 2] = k % 2 ? -1 : 1;
        set_plane(w->pieces[k].plane, n, k % 2 ? def->hi : def->lo);
    }
    return status;
}

/* ---- round walls ---- */

/* Two directions across the axis. */
static void across(const double axis[3], double e[3], double g[3])
{
    const int least = fabs(axis[0]) < 0.6 ? 0 : fabs(axis[1]) < 0.6 ? 1 : 2;
    for (int k = 0; k < 3; k++)
        e[k] = (k == least) - axis[least] * axis[k];
    unit(e);
    cross(axis, e, g);
}

/* A point at that height, radius and angle. */
static void point_at(const jo_wall *def, double along, double radius, double angle, double out[3])
{
    double e[3], g[3];
    across(def->axis, e, g);
    for (int k = 0; k < 3; k++)
        out[k] =
            def->point[k] + along * def->axis[k] + radius * (cos(angle) * e[k] + sin(angle) * g[k]);
}

/* A solid cylinder or cone: a prism or frustum. */
static jo_status make_solid(poly_wall *w, const jo_wall *def, double end, jo_error *error)
{
    double points[3 * 2 * SOLID_SIDES];
    size_t n = 0;
    const double wider = 2 / (1 + cos(pi / SOLID_SIDES));
    for (int tip = 0; tip < 2; tip++) {
        const double radius = wider * (tip ? end : def->radius), along = tip ? def->length : 0;
        for (int k = 0; k < (radius > 0 ? SOLID_SIDES : 1); k++)
            point_at(def, along, radius, 2 * pi * k / SOLID_SIDES, points + 3 * n++);
    }
    return jo_polyhedron_from_points(points, n, &w->solid, error);
}

/* One of the flat pieces of a side. Corners lie outside the circle and middles inside by as
 * much. */
static void make_facet(poly_piece *piece, const jo_wall *def, double end, int k, bool rims)
{
    const double half = pi / FACETS, middle = 2 * half * k, wider = 2 / (1 + cos(half));
    const bool endless = !isfinite(def->length);
    const double length = endless ? 2 * def->radius : def->length;
    double corner[4][3], u[3], v[3], n[3], towards[3], on_axis[3];
    for (int c = 0; c < 4; c++)
        point_at(def, c < 2 ? 0 : length, wider * (c < 2 ? def->radius : end),
                 middle + (c % 2 ? half : -half), corner[c]);
    point_at(def, 0.5 * length, 0, 0, on_axis);
    const double *base = def->radius > 0 ? corner[0] : corner[2];
    for (int a = 0; a < 3; a++) {
        u[a] = def->radius > 0 ? corner[1][a] - corner[0][a] : corner[3][a] - corner[2][a];
        v[a] = corner[2][a] - corner[0][a];
        towards[a] = on_axis[a] - base[a];
    }
    cross(u, v, n);
    unit(n);
    const double sign = (dot(n, towards) > 0) != def->outside ? 1 : -1;
    for (int a = 0; a < 3; a++)
        n[a] *= sign;
    set_plane(piece->plane, n, base);
    double centre[3] = {0, 0, 0};
    for (int c = 0; c < 4; c++)
        for (int a = 0; a < 3; a++)
            centre[a] += 0.25 * corner[c][a];
    for (int side = 0; side < 2; side++) { /* planes through the axis */
        double edge[3], s[3], away[3], to[3];
        const double angle = middle + (side ? half : -half);
        point_at(def, 0, 1, angle, edge);
        for (int a = 0; a < 3; a++) {
            away[a] = edge[a] - def->point[a];
            to[a] = centre[a] - def->point[a];
        }
        cross(def->axis, away, s);
        const double turn = dot(s, to) > 0 ? 1 : -1;
        for (int a = 0; a < 3; a++)
            piece->parts[side][a] = turn * s[a];
        piece->parts[side][3] = -dot(piece->parts[side], def->point);
    }
    piece->part_count = 2;
    for (int tip = 0; tip < 2 && rims; tip++) {
        double out[3], at[3];
        point_at(def, tip ? length : 0, 0, 0, at);
        for (int a = 0; a < 3; a++)
            out[a] = tip ? def->axis[a] : -def->axis[a];
        set_plane(piece->rims[tip], out, at);
    }
    piece->rim_count = rims ? 2 : 0;
    if (endless) return;
    memcpy(piece->centre, centre, sizeof centre);
    piece->reach = 0;
    for (int c = 0; c < 4; c++) {
        double d[3];
        for (int a = 0; a < 3; a++)
            d[a] = corner[c][a] - centre[a];
        piece->reach = fmax(piece->reach, sqrt(dot(d, d)));
    }
}

static jo_status make_round(poly_wall *w, const jo_wall *def, jo_error *error)
{
    const double end = def->kind == JO_WALL_CONE ? def->radius_end : def->radius;
    const bool endless = !isfinite(def->length), closed = def->caps && !endless;
    if (closed && def->outside) return make_solid(w, def, end, error);
    const jo_status status = make_room(w, FACETS + (closed ? 2 : 0), error);
    if (status != JO_OK) return status;
    w->thin = !closed && !endless;
    for (int k = 0; k < FACETS; k++)
        make_facet(&w->pieces[k], def, end, k, w->thin);
    for (int tip = 0; tip < 2 && closed; tip++) {
        double n[3], at[3];
        point_at(def, tip ? def->length : 0, 0, 0, at);
        for (int a = 0; a < 3; a++)
            n[a] = tip ? -def->axis[a] : def->axis[a];
        set_plane(w->pieces[FACETS + tip].plane, n, at);
    }
    return JO_OK;
}

/* ---- meshes ---- */

/* The other face at edge k of face f; UINT32_MAX: none, or more than one. */
static uint32_t neighbour(const wall_mesh *m, uint32_t f, int k)
{
    const uint32_t e = m->edge[3 * f + (size_t)k], from = m->edge_start[e];
    if (m->edge_start[e + 1] - from != 2) return UINT32_MAX;
    return m->edge_face[from] == f ? m->edge_face[from + 1] : m->edge_face[from];
}

static int edge_of(const wall_mesh *m, uint32_t f, uint32_t edge)
{
    for (int k = 0; k < 3; k++)
        if (m->edge[3 * f + (size_t)k] == edge) return k;
    return 0;
}

/* Whether two neighbours go around their common edge in opposite senses, as they should. */
static bool same_sense(const wall_mesh *m, uint32_t f, int k, uint32_t g)
{
    const int l = edge_of(m, g, m->edge[3 * f + (size_t)k]);
    return m->vertex[3 * f + (size_t)k] != m->vertex[3 * g + (size_t)l];
}

/* Signs of normals so that neighbours agree, sheet by sheet. */
static bool orient(const wall_mesh *m, int8_t *sign)
{
    uint32_t *stack = malloc((m->count + 1) * sizeof *stack);
    if (stack == NULL) return false;
    memset(sign, 0, m->count);
    for (size_t start = 0; start < m->count; start++) {
        if (sign[start] != 0) continue;
        size_t n = 0;
        sign[start] = 1;
        stack[n++] = (uint32_t)start;
        while (n > 0) {
            const uint32_t f = stack[--n];
            for (int k = 0; k < 3; k++) {
                const uint32_t g = neighbour(m, f, k);
                if (g == UINT32_MAX || sign[g] != 0) continue;
                sign[g] = (int8_t)(same_sense(m, f, k, g) ? sign[f] : -sign[f]);
                stack[n++] = g;
            }
        }
    }
    free(stack);
    return true;
}

/* The piece that goes on beyond edge k of piece f, and across the border between the two;
 * UINT32_MAX: the wall ends there, or is folded back onto itself. */
static uint32_t next_piece(const wall_mesh *m, uint32_t f, int k, double across_border[3])
{
    const uint32_t g = neighbour(m, f, k);
    if (g == UINT32_MAX) return g;
    const double *in = m->faces[f].in[k];
    const double *next = m->faces[g].in[edge_of(m, g, m->edge[3 * f + (size_t)k])];
    for (int a = 0; a < 3; a++)
        across_border[a] = in[a] - next[a];
    return dot(across_border, across_border) < 1e-6 ? UINT32_MAX : g;
}

static void make_triangle(const wall_mesh *m, const int8_t *sign, uint32_t f, poly_piece *piece)
{
    const mesh_face *face = &m->faces[f];
    double n[3];
    for (int a = 0; a < 3; a++)
        n[a] = sign[f] * face->n[a];
    set_plane(piece->plane, n, face->v[0]);
    for (int k = 0; k < 3; k++) {
        double s[3];
        if (next_piece(m, f, k, s) == UINT32_MAX) {
            double out[3];
            for (int a = 0; a < 3; a++)
                out[a] = -face->in[k][a];
            set_plane(piece->rims[piece->rim_count++], out, face->v[k]);
        } else {
            unit(s);
            memcpy(piece->parts[piece->part_count], s, sizeof s);
            piece->parts[piece->part_count++][3] = -dot(s, face->v[k]);
        }
    }
}

static jo_status make_mesh(poly_wall *w, const wall_shape *shape, jo_error *error)
{
    const wall_mesh *m = shape->mesh;
    int8_t *sign = malloc(m->count + 1);
    jo_status status = make_room(w, m->count, error);
    w->place = calloc(m->count, sizeof *w->place);
    if (status == JO_OK && (w->place == NULL || sign == NULL || !orient(m, sign)))
        status = jo_fail_memory(error, m->count * (sizeof *w->place + 5), "walls");
    for (uint32_t f = 0; f < m->count && status == JO_OK; f++)
        make_triangle(m, sign, f, &w->pieces[f]);
    w->thin = true;
    free(sign);
    return status;
}

/* ---- all of them ---- */

jo_status jo_poly_walls_create(jo_soft *soft, jo_error *error)
{
    poly_world *p = soft->poly;
    jo_status status = JO_OK;
    p->walls = calloc(soft->wall_count + 1, sizeof *p->walls);
    if (p->walls == NULL) return jo_fail_memory(error, sizeof *p->walls, "walls");
    for (size_t k = 0; k < soft->wall_count && status == JO_OK; k++) {
        const jo_wall *def = &soft->live[k].def;
        poly_wall *w = &p->walls[k];
        switch (def->kind) {
        case JO_WALL_PLANE:
            status = make_room(w, 1, error);
            if (status == JO_OK) set_plane(w->pieces[0].plane, def->normal, def->point);
            break;
        case JO_WALL_BOX:
            status = make_box(w, def, error);
            break;
        case JO_WALL_CYLINDER:
        case JO_WALL_CONE:
            status = make_round(w, def, error);
            break;
        case JO_WALL_MESH:
            status = make_mesh(w, soft->live[k].shape, error);
            break;
        }
        if (status == JO_OK && w->solid != NULL && !jo_press_cells_make(w->solid, &w->cells))
            status = jo_fail_memory(error, sizeof *w, "walls");
    }
    return status;
}

void jo_poly_walls_destroy(jo_soft *soft)
{
    poly_world *p = soft->poly;
    for (size_t k = 0; k < soft->wall_count && p->walls != NULL; k++) {
        free(p->walls[k].pieces);
        free(p->walls[k].place);
        jo_polyhedron_destroy(p->walls[k].solid);
        jo_press_cells_free(&p->walls[k].cells);
    }
    free(p->walls);
}

size_t jo_poly_walls_near(const jo_soft *soft, size_t wall, const double x[3], double reach,
                          uint32_t *pieces, size_t room)
{
    const poly_wall *w = &soft->poly->walls[wall];
    size_t n = 0;
    if (w->solid != NULL) { /* one piece, as far as this list goes */
        if (jo_wall_near(soft->live[wall].shape, x, reach, NULL, 0) == 0) return 0;
        if (room > 0) pieces[0] = 0;
        return 1;
    }
    if (soft->live[wall].def.kind == JO_WALL_MESH)
        return jo_wall_near(soft->live[wall].shape, x, reach, pieces, room);
    for (size_t k = 0; k < w->count; k++) {
        const poly_piece *piece = &w->pieces[k];
        const double height = dot(piece->plane, x) - piece->plane[3];
        if (height > reach || (w->thin && height < -reach)) continue;
        if (isfinite(piece->reach)) {
            const double d[3] = {x[0] - piece->centre[0], x[1] - piece->centre[1],
                                 x[2] - piece->centre[2]},
                         far = piece->reach + reach;
            if (dot(d, d) > far * far) continue;
        }
        bool beside = false; /* of a border */
        for (size_t c = 0; c < piece->part_count; c++)
            beside = beside || dot(piece->parts[c], x) + piece->parts[c][3] < -reach;
        if (beside) continue;
        if (n < room) pieces[n] = (uint32_t)k;
        n++;
    }
    return n;
}

/* Whether a body at x is behind a sheet: its nearest triangle decides. */
static bool behind_sheet(const wall_mesh *m, const poly_wall *wall, const double x[3],
                         const uint32_t *pieces, size_t count)
{
    double nearest = INFINITY, height = 0;
    for (size_t k = 0; k < count; k++) {
        mesh_nearest at;
        if (!jo_mesh_nearest(m, pieces[k], x, INFINITY, &at)) continue;
        const double *plane = wall->pieces[pieces[k]].plane;
        const double side = dot(plane, x) - plane[3];
        /* At an edge two are as near: the one that is seen less flatly. */
        const bool nearer = at.d2 < nearest * (1 - 1e-9);
        if (nearer || (at.d2 <= nearest * (1 + 1e-9) && fabs(side) > fabs(height))) height = side;
        if (nearer) nearest = at.d2;
    }
    return height < 0;
}

/* Puts the pieces from `first` on in order, so that those of that one's sheet come first; returns
 * where they end. place[piece] is one more than where it is, 0 for those that are not there. */
static size_t gather_sheet(const wall_mesh *m, uint32_t *pieces, uint32_t first, uint32_t *place)
{
    uint32_t end = first + 1;
    for (uint32_t i = first; i < end; i++)
        for (int k = 0; k < 3; k++) {
            double border[3];
            const uint32_t g = next_piece(m, pieces[i], k, border);
            if (g == UINT32_MAX || place[g] <= end) continue;
            const uint32_t from = place[g] - 1;
            pieces[from] = pieces[end];
            place[pieces[from]] = from + 1;
            pieces[end++] = g;
            place[g] = end;
        }
    return end;
}

static void sides_of_mesh(const wall_mesh *m, const poly_wall *wall, const double x[3],
                          uint32_t *pieces, size_t count, bool *behind)
{
    for (size_t k = 0; k < count; k++)
        wall->place[pieces[k]] = (uint32_t)k + 1;
    for (size_t from = 0, end; from < count; from = end) {
        end = gather_sheet(m, pieces, (uint32_t)from, wall->place);
        const bool side = behind_sheet(m, wall, x, pieces + from, end - from);
        for (size_t k = from; k < end; k++)
            behind[k] = side;
    }
    for (size_t k = 0; k < count; k++)
        wall->place[pieces[k]] = 0;
}

static bool behind_round(const jo_wall *def, const double x[3])
{
    double d[3], out2 = 0;
    for (int a = 0; a < 3; a++)
        d[a] = x[a] - def->point[a];
    const double along = dot(d, def->axis);
    for (int a = 0; a < 3; a++)
        out2 += (d[a] - along * def->axis[a]) * (d[a] - along * def->axis[a]);
    const double end = def->kind == JO_WALL_CONE ? def->radius_end : def->radius;
    const double share = fmin(fmax(along / def->length, 0), 1);
    const double radius = def->radius + share * (end - def->radius);
    return (sqrt(out2) > radius) != def->outside;
}

void jo_poly_walls_sides(const jo_soft *soft, size_t wall, const double x[3], uint32_t *pieces,
                         size_t count, bool *behind)
{
    const wall_live *live = &soft->live[wall];
    const poly_wall *w = &soft->poly->walls[wall];
    if (live->def.kind == JO_WALL_MESH) {
        sides_of_mesh(live->shape->mesh, w, x, pieces, count, behind);
        return;
    }
    const bool side = w->thin && behind_round(&live->def, x);
    for (size_t k = 0; k < count; k++)
        behind[k] = side;
}
