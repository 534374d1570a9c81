/* wallparts.c — `walls` of a scene file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jostle/io.h"
#include "scene/reader.h"

void jo_read_wall_material(reader *r, int node, const key_def *key, void *target)
{
    (void)key;
    wall_entry *w = target;
    w->material_given = true;
    jo_read_material_name(r, node, &w->wall.material);
}

void jo_read_note_node(reader *r, int node, const key_def *key, void *target)
{
    (void)r;
    *(int *)((char *)target + key->offset) = node;
}

void jo_read_wall_kind(reader *r, int node, const key_def *key, void *target)
{
    static const char *const kinds[] = {"plane", "box", "cylinder", "cone", "mesh"};
    wall_entry *w = target;
    w->kinds++;
    w->wall.kind = JO_WALL_MESH; /* polygons are meshes of segments */
    for (int k = 0; k < 5; k++)
        if (strcmp(kinds[k], key->name) == 0) w->wall.kind = (jo_wall_kind)k;
    snprintf(w->form, sizeof w->form, "%s", key->name);
    w->form_node = node;
    jo_read_section(r, node, key->section, target);
}

void jo_read_motion(reader *r, int node, const key_def *key, void *target)
{
    wall_entry *w = target;
    const uint64_t given = jo_read_section(r, node, key->section, &w->wall.motion);
    w->pivot_given = jo_key_given(key->section, given, "pivot");
    const bool swings = jo_key_given(key->section, given, "amplitude");
    const bool often = jo_key_given(key->section, given, "frequency");
    if (swings != often)
        jo_wrong(r, node, "motion has '%s' but no '%s'; an oscillation needs both",
                 swings ? "amplitude" : "frequency", swings ? "frequency" : "amplitude");
}

void jo_read_servo(reader *r, int node, const key_def *key, void *target)
{
    wall_entry *w = target;
    const uint64_t given = jo_read_section(r, node, key->section, &w->wall.servo);
    const bool stress = jo_key_given(key->section, given, "stress");
    const bool force = jo_key_given(key->section, given, "force");
    w->wall.servo.on = true;
    if (stress == force)
        jo_wrong(r, node,
                 stress ? "servo has stress and force; give one of them"
                        : "servo needs 'stress' or 'force': what to press with");
    if (force && jo_key_given(key->section, given, "area"))
        jo_wrong(r, node, "servo has 'area', which only stress needs");
}

/* ---- meshes ---- */

/* `count` points of a list, as coordinates. */
static bool read_points(reader *r, int node, const char *name, size_t count, double *points)
{
    const tree_node *n = jo_node(r, node);
    if (n->kind != TREE_LIST || n->count != count) {
        jo_wrong(r, node, "%s wants lists of %zu points", name, count);
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        const int child = jo_child(r, node, k);
        if (!jo_reader_visit(r, child) ||
            !jo_read_vector(r, child, name, DIM_LENGTH, points + 3 * k))
            return false;
    }
    return true;
}

static void read_triangles(reader *r, wall_entry *w)
{
    const int node = w->triangles_node;
    const tree_node *n = jo_node(r, node);
    if (r->scene->dim != 3) {
        jo_wrong(r, node, "triangles are for dimension 3; in 2D give 'path', a list of points");
        return;
    }
    if (n->kind != TREE_LIST || n->count == 0) {
        jo_wrong(r, node, "triangles wants a list, each entry three points");
        return;
    }
    w->wall.triangles = calloc(n->count, 9 * sizeof *w->wall.triangles);
    if (w->wall.triangles == NULL) {
        r->out_of_memory = true;
        return;
    }
    for (size_t k = 0; k < n->count; k++)
        if (!read_points(r, jo_child(r, node, k), "triangles", 3, w->wall.triangles + 9 * k))
            return;
    w->wall.triangle_count = n->count;
}

/* Points joined by segments, four numbers each. */
static void read_path(reader *r, wall_entry *w)
{
    const int node = w->path_node;
    const tree_node *n = jo_node(r, node);
    if (r->scene->dim != 2) {
        jo_wrong(r, node, "path is for dimension 2; in 3D give 'file' or 'triangles'");
        return;
    }
    if (n->kind != TREE_LIST || n->count < 2) {
        jo_wrong(r, node, "path wants a list of at least two points");
        return;
    }
    double *points = calloc(n->count, 3 * sizeof *points);
    const size_t segments = n->count - (w->mesh_closed ? 0 : 1);
    double *triangles = calloc(segments, 4 * sizeof *triangles);
    if (points == NULL || triangles == NULL) {
        r->out_of_memory = true;
    } else if (read_points(r, node, "path", n->count, points)) {
        for (size_t k = 0; k < segments; k++) {
            const double *a = points + 3 * k, *b = points + 3 * ((k + 1) % n->count);
            memcpy(triangles + 4 * k, (double[]){a[0], a[1], b[0], b[1]}, 4 * sizeof *a);
        }
        w->wall.triangles = triangles;
        w->wall.triangle_count = segments;
        triangles = NULL;
    }
    free(points);
    free(triangles);
}

static void read_mesh_file(reader *r, int node, wall_entry *w)
{
    const jo_geometry_file *file;
    jo_error error = {JO_OK, ""};
    if (r->scene->dim != 3) {
        jo_wrong(r, node, "a mesh file is for dimension 3; in 2D give 'path', a list of points");
        return;
    }
    w->wall.path = jo_reader_path(r, w->file);
    if (w->wall.path == NULL) return;
    jo_status status = jo_reader_geometry(r, w->file, w->wall.path, &file, &error);
    if (status == JO_OK)
        status = jo_mesh_parse(file->bytes, file->size, w->wall.path, &w->wall.triangles,
                               &w->wall.triangle_count, &error);
    if (status == JO_ERR_MEMORY)
        r->out_of_memory = true;
    else if (status != JO_OK)
        jo_wrong(r, node, "the mesh cannot be used: %s", error.text);
}

static void settle_mesh(reader *r, int node, wall_entry *w)
{
    const int sources = (w->file != NULL) + (w->triangles_node >= 0) + (w->path_node >= 0);
    if (sources != 1) {
        jo_wrong(r, node, "mesh wants one of file, triangles, path; it has %s",
                 sources == 0 ? "none" : "several");
        return;
    }
    if (w->mesh_closed && w->path_node < 0)
        jo_wrong(r, node, "mesh has 'closed', which only a path can be");
    if (w->file != NULL) read_mesh_file(r, node, w);
    if (w->triangles_node >= 0) read_triangles(r, w);
    if (w->path_node >= 0) read_path(r, w);
    const size_t dim = (size_t)r->scene->dim, corners = dim == 3 ? 3 : 2;
    for (size_t k = 0; k < w->wall.triangle_count * corners * dim; k++)
        w->wall.triangles[k] = w->wall.triangles[k] * w->mesh_scale + w->mesh_shift[k % dim];
}

/* ---- walls ---- */

static bool is_polygon(const wall_entry *w)
{
    return w->wall.kind == JO_WALL_MESH && strcmp(w->form, "mesh") != 0;
}

static void settle_pivot(wall_entry *w)
{
    double *pivot = w->wall.motion.pivot;
    if (w->pivot_given || is_polygon(w)) return;
    for (int a = 0; a < 3; a++)
        switch (w->wall.kind) {
        case JO_WALL_BOX:
            pivot[a] = 0.5 * (w->wall.lo[a] + w->wall.hi[a]);
            break;
        case JO_WALL_MESH:
            pivot[a] = w->mesh_shift[a];
            break;
        default:
            pivot[a] = w->wall.point[a];
        }
}

/* Where only a stress was given: it acts on the box's cross-section. */
static void settle_area(reader *r, int node, jo_servo *servo)
{
    const jo_scene *scene = r->scene;
    if (!servo->on || isnan(servo->stress) || !isnan(servo->area)) return;
    for (int axis = 0; axis < scene->dim && scene->has_box; axis++) {
        if (fabs(servo->direction[axis]) != 1.0) continue;
        servo->area = 1.0;
        for (int a = 0; a < scene->dim; a++)
            if (a != axis) servo->area *= scene->domain.hi[a] - scene->domain.lo[a];
        return;
    }
    jo_wrong(r, node,
             "servo needs 'area' with stress: there is no box whose cross-section it could be");
}

static bool name_wall(reader *r, int node, int name_node, wall_entry *w)
{
    jo_scene *scene = r->scene;
    if (name_node >= 0) {
        const char *text = jo_read_text(r, name_node, "the name of a wall");
        if (text == NULL) return false;
        if (*text == '\0' || strlen(text) >= JO_NAME_SIZE) {
            jo_wrong(r, name_node, "the name of a wall must have 1 to %d bytes", JO_NAME_SIZE - 1);
            return false;
        }
        if (w->wall.name[0] != '\0' && strcmp(w->wall.name, text) != 0) {
            jo_wrong(r, name_node, "the wall is called '%s' and '%s'; its key is its name", text,
                     w->wall.name);
            return false;
        }
        snprintf(w->wall.name, sizeof w->wall.name, "%s", text);
    }
    if (w->wall.name[0] == '\0')
        snprintf(w->wall.name, sizeof w->wall.name, "wall%zu", scene->wall_count + 1);
    for (size_t k = 0; k < scene->wall_count; k++)
        if (strcmp(scene->walls[k].name, w->wall.name) == 0) {
            jo_wrong(r, name_node >= 0 ? name_node : node, "there is already a wall '%s'",
                     w->wall.name);
            return false;
        }
    return true;
}

void jo_read_wall(reader *r, int node, int name_node)
{
    jo_scene *scene = r->scene;
    const size_t before = r->problems->errors;
    wall_entry w = {.wall = jo_wall_default(JO_WALL_PLANE),
                    .mesh_scale = 1.0,
                    .depth = (double)NAN,
                    .triangles_node = -1,
                    .path_node = -1};
    jo_read_section(r, node, &jo_wall_section, &w);
    if (w.kinds != 1 && (w.kinds > 1 || r->problems->errors == before))
        jo_wrong(r, node,
                 "each wall has one of plane, box, cylinder, cone, mesh, polygon, bar, hopper; "
                 "this has %s",
                 w.kinds == 0 ? "none" : "several");
    if (!w.material_given && scene->material_count > 1)
        jo_wrong(r, node, "the wall needs 'material': there are %zu materials to choose from",
                 scene->material_count);
    const bool named = name_wall(r, node, name_node, &w);
    const bool whole = w.kinds == 1 && r->problems->errors == before;
    if (whole && is_polygon(&w))
        jo_settle_polygon(r, &w);
    else if (whole && w.wall.kind == JO_WALL_MESH)
        settle_mesh(r, node, &w);
    settle_pivot(&w);
    settle_area(r, node, &w.wall.servo);
    free(w.file);
    jo_wall *added = named ? jo_reader_append(r, (void **)&scene->walls, &scene->wall_count,
                                              sizeof *scene->walls)
                           : NULL;
    if (added != NULL) {
        *added = w.wall;
        return;
    }
    free(w.wall.triangles);
    free(w.wall.path);
}

void jo_read_walls(reader *r, int node, const key_def *key, void *target)
{
    (void)key;
    (void)target;
    const tree_node *n = jo_node(r, node);
    const size_t step = n->kind == TREE_MAP ? 2 : 1;
    if (n->kind == TREE_SCALAR) {
        jo_wrong(r, node, "walls wants a map of walls by name, or a list");
        return;
    }
    for (size_t k = 0; k + step <= n->count; k += step) {
        if (r->scene->wall_count == JO_WALLS_MAX) {
            jo_wrong(r, jo_child(r, node, k), "more than %d walls", JO_WALLS_MAX);
            return;
        }
        if (!jo_reader_visit(r, node)) return;
        jo_read_wall(r, jo_child(r, node, k + step - 1), step == 2 ? jo_child(r, node, k) : -1);
    }
}
