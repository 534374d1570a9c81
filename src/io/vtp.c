/* vtp.c — frames for ParaView: VTK PolyData with raw appended data, and the .pvd that lists them.
 *
 * Bodies are points, each with a vertex cell so that they show at once, and arrays named as in the
 * trajectory; a glyph filter scaled by `radius` (twice it, for ParaView's sphere of diameter 1)
 * makes them spheres. A contact is a line between the points of its bodies, with `normal_force`,
 * `contact_force`, `overlap` and `sliding` as cell data (vertices have zeros there). Where b is a
 * wall or lies across a periodic boundary the line ends at the point of contact instead, an extra
 * point behind the bodies with id -1 and radius 0.
 *
 * The arrays stand behind the XML, each as a 64-bit count of bytes and the bytes, little-endian, in
 * the order they are named: offsets are known before anything is written, and the arrays go to the
 * file from where they are.
 *
 * Cost: one pass; 24 bytes per contact for lines, 24 per extra point. */
#include "jostle/trajectory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/number.h"
#include "io/output.h"
#include "io/wall_bounds.h"
#include "jostle/features.h"

/* ---- arrays */

typedef struct vtp_array {
    const char *name;
    const char *type; /* VTK's: Float64, Int64, UInt32, UInt8 */
    int components;
    size_t size; /* bytes of a component */
    const void *data;
    size_t count;      /* items */
    const void *extra; /* further items; NULL: zeros */
    size_t extras;
} vtp_array;

enum { ARRAYS_MAX = 24 };

typedef struct vtp_file {
    output out;
    uint64_t offset; /* of the next array */
    size_t arrays;
    vtp_array array[ARRAYS_MAX];
} vtp_file;

static uint64_t bytes_of(const vtp_array *a)
{
    return (uint64_t)(a->count + a->extras) * (uint64_t)a->components * a->size;
}

static void put(output *out, const char *text)
{
    jo_output_put(out, text, strlen(text));
}

/* Names an array in the XML; its bytes come later. */
static void declare(vtp_file *f, vtp_array a)
{
    char text[256];
    JO_ASSERT(f->arrays < ARRAYS_MAX);
    snprintf(text, sizeof text,
             "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
             "offset=\"%llu\"/>\n",
             a.type, a.name, a.components, (unsigned long long)f->offset);
    put(&f->out, text);
    f->offset += 8 + bytes_of(&a);
    f->array[f->arrays++] = a;
}

static void put_zeros(output *out, uint64_t count)
{
    static const char zeros[4096];
    for (; count > 0; count -= count < sizeof zeros ? count : sizeof zeros)
        jo_output_put(out, zeros, count < sizeof zeros ? (size_t)count : sizeof zeros);
}

static void put_arrays(vtp_file *f)
{
    put(&f->out, "<AppendedData encoding=\"raw\">\n_");
    for (size_t k = 0; k < f->arrays; k++) {
        const vtp_array *a = &f->array[k];
        const uint64_t bytes = bytes_of(a), item = (uint64_t)a->components * a->size;
        jo_output_put(&f->out, &bytes, sizeof bytes);
        if (a->data != NULL)
            jo_output_put(&f->out, a->data, (size_t)(a->count * item));
        else
            put_zeros(&f->out, a->count * item);
        if (a->extra != NULL)
            jo_output_put(&f->out, a->extra, (size_t)(a->extras * item));
        else
            put_zeros(&f->out, a->extras * item);
    }
    put(&f->out, "\n</AppendedData>\n</VTKFile>\n");
}

static jo_status begin(vtp_file *f, const char *path, double time, jo_error *error)
{
    char number[JO_NUMBER_LENGTH + 1];
    *f = (vtp_file){0};
    const jo_status status = jo_output_open(&f->out, path, error);
    if (status != JO_OK) return status;
    put(&f->out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                 "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n");
    if (isfinite(time)) {
        number[jo_number_format(time, number)] = '\0';
        put(&f->out, "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" "
                     "NumberOfTuples=\"1\" format=\"ascii\">");
        put(&f->out, number);
        put(&f->out, "</DataArray>\n</FieldData>\n");
    }
    return JO_OK;
}

static void begin_piece(vtp_file *f, size_t points, size_t verts, size_t lines, size_t polys)
{
    char text[256];
    snprintf(text, sizeof text,
             "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"%zu\" "
             "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n",
             points, verts, lines, polys);
    put(&f->out, text);
}

static vtp_array reals(const char *name, int components, const double *data, size_t count,
                       const double *extra, size_t extras)
{
    return (vtp_array){name, "Float64", components, 8, data, count, extra, extras};
}

static vtp_array whole(const char *name, const int64_t *data, size_t count)
{
    return (vtp_array){name, "Int64", 1, 8, data, count, NULL, 0};
}

/* ---- contacts as lines */

typedef struct contact_lines {
    size_t count, extras;
    int64_t *ends;                              /* points, two for each line */
    double *points;                             /* extra points, 3 each */
    int64_t *no_body;                           /* their ids: -1 */
    double *normal, *force, *overlap, *sliding; /* of each line */
} contact_lines;

static void lines_free(contact_lines *l)
{
    free(l->ends);
    free(l->points);
    free(l->no_body);
    free(l->normal);
}

/* The place of an id in the frame, whose ids ascend; n where it is not. */
static size_t place_of(const jo_frame *f, uint64_t id)
{
    size_t lo = 0, hi = f->n;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (f->id[middle] < id)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < f->n && f->id[lo] == id ? lo : f->n;
}

/* Whether the line between two bodies is as short as that of a contact. */
static bool near_each_other(const jo_frame *f, size_t a, size_t b)
{
    double square = 0.0;
    for (int c = 0; c < 3; c++)
        square += (f->x[3 * a + c] - f->x[3 * b + c]) * (f->x[3 * a + c] - f->x[3 * b + c]);
    const double reach = 2.0 * (f->r[a] + f->r[b]); /* bridges reach beyond touching */
    return square < reach * reach;
}

static bool make_lines(contact_lines *l, const jo_frame *f, const jo_soft_contact *contacts,
                       size_t count)
{
    const size_t room = count + 1;
    l->ends = malloc(2 * room * sizeof *l->ends);
    l->points = malloc(3 * room * sizeof *l->points);
    l->no_body = malloc(room * sizeof *l->no_body);
    l->normal = malloc(6 * room * sizeof *l->normal);
    if (l->ends == NULL || l->points == NULL || l->no_body == NULL || l->normal == NULL)
        return false;
    l->force = l->normal + room;
    l->overlap = l->force + 3 * room;
    l->sliding = l->overlap + room;
    for (size_t k = 0; k < count; k++) {
        const jo_soft_contact *c = &contacts[k];
        const size_t a = place_of(f, c->a), b = c->b == JO_NO_BODY ? f->n : place_of(f, c->b);
        if (a == f->n) continue; /* of a body that is not in the frame */
        const bool direct = b < f->n && near_each_other(f, a, b);
        if (!direct) {
            memcpy(l->points + 3 * l->extras, c->point, sizeof c->point);
            l->no_body[l->extras] = -1;
        }
        l->ends[2 * l->count] = (int64_t)a;
        l->ends[2 * l->count + 1] = (int64_t)(direct ? b : f->n + l->extras++);
        l->normal[l->count] = c->normal_force;
        memcpy(l->force + 3 * l->count, c->force, sizeof c->force);
        l->overlap[l->count] = c->overlap;
        l->sliding[l->count] = c->sliding;
        l->count++;
    }
    return true;
}

/* Positions of the ends of cells of `size` points each. */
static int64_t *cell_ends(size_t count, int64_t size)
{
    int64_t *ends = malloc((count + 1) * sizeof *ends);
    for (size_t k = 0; ends != NULL && k < count; k++)
        ends[k] = (int64_t)(k + 1) * size;
    return ends;
}

static void declare_bodies(vtp_file *f, const jo_frame *b, const contact_lines *l)
{
    const size_t n = b->n, more = l->extras;
    put(&f->out, "<PointData Scalars=\"radius\" Vectors=\"velocity\">\n");
    declare(f, reals("radius", 1, b->r, n, NULL, more));
    declare(f, reals("velocity", 3, b->v, n, NULL, more));
    declare(f, reals("angular_velocity", 3, b->w, n, NULL, more));
    declare(f, reals("force", 3, b->force, n, NULL, more));
    declare(f, reals("mass", 1, b->mass, n, NULL, more));
    declare(f, (vtp_array){"id", "Int64", 1, 8, b->id, n, l->no_body, more});
    declare(f, (vtp_array){"material", "UInt32", 1, 4, b->material, n, NULL, more});
    declare(f, (vtp_array){"contacts", "UInt32", 1, 4, b->touching, n, NULL, more});
    declare(f, (vtp_array){"fixed", "UInt8", 1, 1, b->fixed, n, NULL, more});
    if (b->q != NULL) declare(f, reals("orientation", 4, b->q, n, NULL, more));
    if (b->shape != NULL) /* JO_NO_SHAPE is then -1 */
        declare(f, (vtp_array){"shape", "Int32", 1, 4, b->shape, n, l->no_body, more});
    put(&f->out, "</PointData>\n");
}

static void declare_cells(vtp_file *f, const jo_frame *b, const contact_lines *l,
                          const int64_t *points, const int64_t *vertex_ends,
                          const int64_t *line_ends)
{
    if (l->count > 0) { /* vertices come before lines */
        put(&f->out, "<CellData Scalars=\"normal_force\">\n");
        declare(f, reals("normal_force", 1, NULL, b->n, l->normal, l->count));
        declare(f, reals("contact_force", 3, NULL, b->n, l->force, l->count));
        declare(f, reals("overlap", 1, NULL, b->n, l->overlap, l->count));
        declare(f, reals("sliding", 1, NULL, b->n, l->sliding, l->count));
        put(&f->out, "</CellData>\n");
    }
    put(&f->out, "<Points>\n");
    declare(f, reals("position", 3, b->x, b->n, l->points, l->extras));
    put(&f->out, "</Points>\n<Verts>\n");
    declare(f, whole("connectivity", points, b->n));
    declare(f, whole("offsets", vertex_ends, b->n));
    put(&f->out, "</Verts>\n");
    if (l->count == 0) return;
    put(&f->out, "<Lines>\n");
    declare(f, whole("connectivity", l->ends, 2 * l->count));
    declare(f, whole("offsets", line_ends, l->count));
    put(&f->out, "</Lines>\n");
}

jo_status jo_vtp_write(const char *path, const jo_frame *frame, const jo_soft_contact *contacts,
                       size_t contact_count, jo_error *error)
{
    vtp_file f;
    contact_lines lines = {0};
    int64_t *points = cell_ends(frame->n, 1), *vertex_ends = cell_ends(frame->n, 1),
            *line_ends = NULL;
    bool ok = points != NULL && vertex_ends != NULL;
    if (ok && contacts != NULL) ok = make_lines(&lines, frame, contacts, contact_count);
    if (ok) line_ends = cell_ends(lines.count, 2);
    for (size_t k = 0; ok && k < frame->n; k++)
        points[k] = (int64_t)k;
    jo_status status = ok && line_ends != NULL ? begin(&f, path, frame->time, error)
                                               : jo_fail_memory(error, 16 * frame->n, "a VTP file");
    if (status == JO_OK) {
        begin_piece(&f, frame->n + lines.extras, frame->n, lines.count, 0);
        declare_bodies(&f, frame, &lines);
        declare_cells(&f, frame, &lines, points, vertex_ends, line_ends);
        put(&f.out, "</Piece>\n</PolyData>\n");
        put_arrays(&f);
        status = jo_output_finish(&f.out, error);
    }
    lines_free(&lines);
    free(points);
    free(vertex_ends);
    free(line_ends);
    return status;
}

/* ---- polyhedra */

/* Faces of all polyhedra: points, corners as indices into them, and of each face what its body
 * has. */
typedef struct face_arrays {
    size_t points, corners, faces;
    double *point, *speed;
    int64_t *corner, *end, *id, *material, *touching;
} face_arrays;

static void faces_free(face_arrays *a)
{
    free(a->point);
    free(a->speed);
    free(a->corner);
    free(a->end);
    free(a->id);
    free(a->material);
    free(a->touching);
}

static bool faces_room(const jo_frame *f, face_arrays *a)
{
    if (f->outline_first != NULL) { /* a polygon is one face */
        a->points = a->corners = f->n > 0 ? f->outline_first[f->n] : 0;
        a->faces = f->n;
    }
    for (size_t i = 0; i < f->n && f->shape != NULL; i++) {
        if (f->shape[i] == JO_NO_SHAPE) continue;
        const jo_polyhedron_view v = jo_polyhedron_look(f->shapes[f->shape[i]]);
        a->points += v.vertices;
        a->corners += 2 * v.edges;
        a->faces += v.faces;
    }
    a->point = malloc((3 * a->points + 1) * sizeof *a->point);
    a->speed = malloc((a->faces + 1) * sizeof *a->speed);
    a->corner = malloc((a->corners + 1) * sizeof *a->corner);
    a->end = malloc((a->faces + 1) * sizeof *a->end);
    a->id = malloc((a->faces + 1) * sizeof *a->id);
    a->material = malloc((a->faces + 1) * sizeof *a->material);
    a->touching = malloc((a->faces + 1) * sizeof *a->touching);
    return a->point != NULL && a->speed != NULL && a->corner != NULL && a->end != NULL &&
           a->id != NULL && a->material != NULL && a->touching != NULL;
}

static void outlines_fill(const jo_frame *f, face_arrays *a)
{
    for (size_t i = 0; i < f->n; i++) {
        const double c = cos(f->angle[i]), s = sin(f->angle[i]), *x = f->x + 3 * i;
        for (size_t k = f->outline_first[i]; k < f->outline_first[i + 1]; k++) {
            const double *p = f->outline + 2 * k;
            a->point[3 * k] = x[0] + c * p[0] - s * p[1];
            a->point[3 * k + 1] = x[1] + s * p[0] + c * p[1];
            a->point[3 * k + 2] = x[2];
            a->corner[k] = (int64_t)k;
        }
        a->end[i] = (int64_t)f->outline_first[i + 1];
        a->id[i] = (int64_t)f->id[i];
        a->material[i] = f->material[i];
        a->touching[i] = f->touching[i];
        a->speed[i] = hypot(f->v[3 * i], f->v[3 * i + 1]);
    }
}

static void faces_fill(const jo_frame *f, face_arrays *a)
{
    size_t point = 0, corner = 0, face = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (f->shape[i] == JO_NO_SHAPE) continue;
        const jo_polyhedron_view v = jo_polyhedron_look(f->shapes[f->shape[i]]);
        const double scale = f->r[i] / v.radius, *u = f->v + 3 * i;
        jo_pose pose;
        jo_pose_turn(&pose, f->q + 4 * i);
        for (size_t k = 0; k < v.vertices; k++)
            for (int r = 0; r < 3; r++) {
                const double *m = pose.turn + 3 * r, *p = v.points + 3 * k;
                a->point[3 * (point + k) + (size_t)r] =
                    f->x[3 * i + (size_t)r] + scale * (m[0] * p[0] + m[1] * p[1] + m[2] * p[2]);
            }
        for (size_t k = 0; k < v.faces; k++, face++) {
            uint32_t h = v.face_edge[k];
            do {
                a->corner[corner++] = (int64_t)(point + v.origin[h]);
                h = v.next[h];
            } while (h != v.face_edge[k]);
            a->end[face] = (int64_t)corner;
            a->id[face] = (int64_t)f->id[i];
            a->material[face] = f->material[i];
            a->touching[face] = f->touching[i];
            a->speed[face] = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        }
        point += v.vertices;
    }
}

jo_status jo_vtp_shapes_write(const char *path, const jo_frame *frame, jo_error *error)
{
    vtp_file f;
    face_arrays a = {0};
    const bool flat = frame->outline_first != NULL;
    if ((flat || frame->shape != NULL) && !faces_room(frame, &a)) {
        faces_free(&a);
        return jo_fail_memory(error, 80 * a.faces, "a VTP file");
    }
    if (flat)
        outlines_fill(frame, &a);
    else if (frame->shape != NULL)
        faces_fill(frame, &a);
    jo_status status = begin(&f, path, frame->time, error);
    if (status == JO_OK) {
        begin_piece(&f, a.points, 0, 0, a.faces);
        put(&f.out, "<CellData Scalars=\"speed\">\n");
        declare(&f, reals("speed", 1, a.speed, a.faces, NULL, 0));
        declare(&f, whole("id", a.id, a.faces));
        declare(&f, whole("material", a.material, a.faces));
        declare(&f, whole("contacts", a.touching, a.faces));
        put(&f.out, "</CellData>\n<Points>\n");
        declare(&f, reals("position", 3, a.point, a.points, NULL, 0));
        put(&f.out, "</Points>\n<Polys>\n");
        declare(&f, whole("connectivity", a.corner, a.corners));
        declare(&f, whole("offsets", a.end, a.faces));
        put(&f.out, "</Polys>\n</Piece>\n</PolyData>\n");
        put_arrays(&f);
        status = jo_output_finish(&f.out, error);
    }
    faces_free(&a);
    return status;
}

/* ---- walls */

typedef struct wall_mesh {
    size_t count, room;
    double *corners; /* 9 for each triangle */
    int64_t *wall;   /* of each triangle */
    double *force;   /* of the bodies on its wall, 3 for each triangle */
} wall_mesh;

static bool mesh_reserve(wall_mesh *m, size_t more)
{
    const size_t room = m->count + more + 1;
    double *corners = realloc(m->corners, 9 * room * sizeof *corners);
    if (corners != NULL) m->corners = corners;
    int64_t *wall = realloc(m->wall, room * sizeof *wall);
    if (wall != NULL) m->wall = wall;
    double *force = realloc(m->force, 3 * room * sizeof *force);
    if (force != NULL) m->force = force;
    return corners != NULL && wall != NULL && force != NULL;
}

static void add_posed(wall_mesh *m, const double *corners, size_t index, const jo_wall *wall,
                      const jo_wall_state *state)
{
    const double *pivot = wall->motion.pivot;
    for (int c = 0; c < 3; c++)
        for (int a = 0; a < 3; a++) {
            double sum = corners[3 * c + a];
            if (state != NULL) {
                sum = pivot[a] + state->displacement[a];
                for (int b = 0; b < 3; b++)
                    sum += state->rotation[3 * a + b] * (corners[3 * c + b] - pivot[b]);
            }
            m->corners[9 * m->count + (size_t)(3 * c + a)] = sum;
        }
    for (int a = 0; a < 3; a++)
        m->force[3 * m->count + (size_t)a] = state != NULL ? state->force[a] : 0.0;
    m->wall[m->count++] = (int64_t)index;
}

static jo_status gather_walls(wall_mesh *m, const jo_scene *scene, const jo_wall_state *walls,
                              jo_error *error)
{
    const wall_bounds bounds = jo_wall_bounds_of(scene);
    for (size_t k = 0; k < scene->wall_count; k++) {
        double *own = NULL;
        size_t count = 0;
        if (walls != NULL && !walls[k].present) continue;
        jo_status status = jo_wall_triangles(&scene->walls[k], scene->dim, bounds.lo, bounds.hi,
                                             &own, &count, error);
        if (status == JO_OK && !mesh_reserve(m, count))
            status = jo_fail_memory(error, 108 * count, "the triangles of a wall");
        for (size_t t = 0; status == JO_OK && t < count; t++)
            add_posed(m, own + 9 * t, k, &scene->walls[k], walls != NULL ? &walls[k] : NULL);
        free(own);
        if (status != JO_OK) return status;
    }
    return JO_OK;
}

jo_status jo_vtp_walls_write(const char *path, const jo_scene *scene, const jo_wall_state *walls,
                             jo_error *error)
{
    vtp_file f;
    wall_mesh m = {0};
    jo_status status = gather_walls(&m, scene, walls, error);
    int64_t *ends = cell_ends(m.count, 3), *corners = cell_ends(3 * m.count, 1);
    if (status == JO_OK && (ends == NULL || corners == NULL))
        status = jo_fail_memory(error, 32 * m.count, "a VTP file");
    for (size_t k = 0; status == JO_OK && k < 3 * m.count; k++)
        corners[k] = (int64_t)k;
    if (status == JO_OK) status = begin(&f, path, NAN, error);
    if (status == JO_OK) {
        begin_piece(&f, 3 * m.count, 0, 0, m.count);
        put(&f.out, "<CellData Scalars=\"wall\">\n");
        declare(&f, whole("wall", m.wall, m.count));
        declare(&f, reals("wall_force", 3, m.force, m.count, NULL, 0));
        put(&f.out, "</CellData>\n<Points>\n");
        declare(&f, reals("position", 3, m.corners, 3 * m.count, NULL, 0));
        put(&f.out, "</Points>\n<Polys>\n");
        declare(&f, whole("connectivity", corners, 3 * m.count));
        declare(&f, whole("offsets", ends, m.count));
        put(&f.out, "</Polys>\n</Piece>\n</PolyData>\n");
        put_arrays(&f);
        status = jo_output_finish(&f.out, error);
    }
    free(ends);
    free(corners);
    free(m.corners);
    free(m.wall);
    free(m.force);
    return status;
}

/* ---- the collection */

static void put_escaped(output *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char one[2] = {*text, '\0'};
        put(out, *text == '&'   ? "&amp;"
                 : *text == '<' ? "&lt;"
                 : *text == '>' ? "&gt;"
                 : *text == '"' ? "&quot;"
                                : one);
    }
}

jo_status jo_pvd_write(const char *path, const char *const *files, const double *times,
                       size_t count, jo_error *error)
{
    output out;
    const jo_status status = jo_output_open(&out, path, error);
    if (status != JO_OK) return status;
    put(&out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
              "byte_order=\"LittleEndian\">\n<Collection>\n");
    for (size_t k = 0; k < count; k++) {
        char number[JO_NUMBER_LENGTH + 1];
        number[jo_number_format(times[k], number)] = '\0';
        put(&out, "<DataSet timestep=\"");
        put(&out, number);
        put(&out, "\" group=\"\" part=\"0\" file=\"");
        put_escaped(&out, files[k]);
        put(&out, "\"/>\n");
    }
    put(&out, "</Collection>\n</VTKFile>\n");
    return jo_output_finish(&out, error);
}
