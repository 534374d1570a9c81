/* shapeparts.c — `shape` and `orientation` of bodies in a scene file: polyhedra are made, and
 * polygons checked, while the file is read, so that what is wrong with one is told with its
 * line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jostle/outline.h"
#include "scene/reader.h"

enum { VARIANTS_MAX = 1000 };

void jo_read_orientation(reader *r, int node, const key_def *key, void *target)
{
    double *q = (double *)(void *)((char *)target + key->offset), read[4], square = 0.0;
    const tree_node *n = jo_node(r, node);
    const bool flat = r->scene->dim == 2;
    int *first = &r->orientations[r->scene->group_count]; /* of the group that is being read */
    if (*first == 0) *first = node;
    if (n->kind == TREE_SCALAR) {
        const char *text = jo_read_text(r, node, key->name);
        if (flat && text != NULL && strcmp(text, "random") != 0) {
            double angle;
            if (!jo_read_real(r, node, key->name, DIM_ANGLE, NULL, &angle)) return;
            q[0] = cos(0.5 * angle);
            q[1] = q[2] = 0.0;
            q[3] = sin(0.5 * angle);
            return;
        }
        if (text != NULL && strcmp(text, "random") != 0)
            jo_wrong(r, node, "%s wants four numbers (w, x, y, z) or the word random", key->name);
        for (int a = 0; a < 4; a++)
            q[a] = (double)NAN;
        return;
    }
    if (n->kind != TREE_LIST || n->count != 4) {
        jo_wrong(r, node, "%s wants four numbers (w, x, y, z) or the word random", key->name);
        return;
    }
    for (size_t k = 0; k < 4; k++) {
        if (!jo_read_real(r, jo_child(r, node, k), key->name, DIM_NUMBER, NULL, &read[k])) return;
        square += read[k] * read[k];
    }
    if (!(square > 1e-12 && square < 1e12)) {
        jo_wrong(r, node, "%s is (nearly) 0 or beyond bounds; a quaternion of length 1 is wanted",
                 key->name);
        return;
    }
    if (flat && (read[1] != 0.0 || read[2] != 0.0)) {
        jo_wrong(r, node, "%s turns bodies out of the plane; in 2D give an angle", key->name);
        return;
    }
    for (int a = 0; a < 4; a++)
        q[a] = read[a] / sqrt(square);
}

void jo_read_shape_corners(reader *r, int node, const key_def *key, void *target)
{
    shape_entry *e = target;
    const tree_node *n = jo_node(r, node);
    if (n->kind == TREE_SCALAR) {
        if (jo_read_count(r, node, key->name, &e->corners[0])) e->corners[1] = e->corners[0];
        return;
    }
    if (n->kind != TREE_LIST || n->count != 2) {
        jo_wrong(r, node, "%s wants a number, or the fewest and the most, such as [5, 8]",
                 key->name);
        return;
    }
    for (size_t k = 0; k < 2; k++)
        if (!jo_read_count(r, jo_child(r, node, k), key->name, &e->corners[k])) return;
}

void jo_read_shape_vertices(reader *r, int node, const key_def *key, void *target)
{
    (void)key;
    (void)r;
    ((shape_entry *)target)->vertices_node = node;
}

static void add_shape(reader *r, int node, jo_polyhedron *made, group_entry *g)
{
    uint32_t index;
    if (made == NULL) return;
    if (jo_scene_add_shape(r->scene, made, &index, NULL) != JO_OK) {
        r->out_of_memory = true;
        return;
    }
    if (g->group.shapes == 0) g->group.shape = index;
    g->group.shapes++;
    (void)node;
}

static void from_vertices(reader *r, const shape_entry *e, group_entry *g)
{
    const int node = e->vertices_node;
    const tree_node *n = jo_node(r, node);
    jo_polyhedron *made = NULL;
    jo_error error;
    if (n->kind != TREE_LIST || n->count < 4) {
        jo_wrong(r, node, "vertices wants a list of at least four points [x, y, z]");
        return;
    }
    double *points = malloc(3 * n->count * sizeof *points);
    if (points == NULL) {
        r->out_of_memory = true;
        return;
    }
    bool fine = true;
    for (size_t k = 0; k < n->count && fine && jo_reader_visit(r, node); k++)
        fine = jo_read_vector(r, jo_child(r, node, k), "a vertex", DIM_NUMBER, points + 3 * k);
    if (fine && jo_polyhedron_from_points(points, n->count, &made, &error) != JO_OK)
        jo_wrong(r, node, "vertices: %s", error.text);
    free(points);
    add_shape(r, node, made, g);
}

static void from_file(reader *r, int node, const shape_entry *e, group_entry *g)
{
    jo_polyhedron *made = NULL;
    const jo_geometry_file *file;
    jo_error error;
    char *path = jo_reader_path(r, e->file);
    if (path == NULL) return;
    jo_status status = jo_reader_geometry(r, e->file, path, &file, &error);
    if (status == JO_OK)
        status = (e->hull ? jo_polyhedron_parse_hull : jo_polyhedron_parse)(file->bytes, file->size,
                                                                            path, &made, &error);
    if (status == JO_ERR_MEMORY)
        r->out_of_memory = true;
    else if (status != JO_OK)
        jo_wrong(r, node, "%s", error.text);
    free(path);
    add_shape(r, node, made, g);
}

static void from_rock(reader *r, int node, const shape_entry *e, group_entry *g)
{
    if (e->variants < 1 || e->variants > VARIANTS_MAX) {
        jo_wrong(r, node, "shape has %llu variants; 1 to %d are possible",
                 (unsigned long long)e->variants, VARIANTS_MAX);
        return;
    }
    for (uint64_t k = 0; k < e->variants && jo_reader_visit(r, node); k++) {
        jo_rock_def def = jo_rock_def_default();
        jo_polyhedron *made = NULL;
        jo_error error;
        def.faces = e->faces;
        memcpy(def.axes, e->axes, sizeof def.axes);
        def.irregularity = e->irregularity;
        def.seed = e->seed + k;
        if (jo_polyhedron_rock(&def, &made, &error) != JO_OK) {
            jo_wrong(r, node, "shape: %s", error.text);
            return;
        }
        add_shape(r, node, made, g);
    }
}

static void from_name(reader *r, int node, const shape_entry *e, group_entry *g)
{
    jo_solid_def def = jo_solid_def_default(e->solid);
    jo_polyhedron *made = NULL;
    jo_error error;
    if (strcmp(e->solid, "sphere") == 0) return;
    if (strcmp(e->solid, "rock") == 0) {
        from_rock(r, node, e, g);
        return;
    }
    def.sides = e->sides;
    def.height = e->height;
    if (jo_polyhedron_solid(&def, &made, &error) != JO_OK)
        jo_wrong(r, node, "shape: %s", error.text);
    add_shape(r, node, made, g);
}

static bool is(const shape_entry *e, const char *solid)
{
    return strcmp(e->solid, solid) == 0;
}

/* Keys of a map that its solid has no use for. */
static void check_keys(reader *r, int node, const section_def *s, uint64_t given,
                       const shape_entry *e)
{
    const struct {
        const char *key, *owners;
        bool has;
    } keys[] = {{"sides", "a prism, a polygon or a disc",
                 is(e, "prism") || is(e, "polygon") || is(e, "disc")},
                {"height", "a prism", is(e, "prism")},
                {"corners", "a grain", is(e, "grain")},
                {"aspect", "a grain", is(e, "grain")},
                {"faces", "a rock", is(e, "rock")},
                {"axes", "a rock", is(e, "rock")},
                {"irregularity", "a rock or a grain", is(e, "rock") || is(e, "grain")},
                {"seed", "a rock", is(e, "rock")},
                {"variants", "a rock", is(e, "rock")},
                {"hull", "a file", e->file != NULL}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (!keys[k].has && jo_key_given(s, given, keys[k].key))
            jo_wrong(r, node, "shape has '%s', which only %s has", keys[k].key, keys[k].owners);
}

/* ---- polygons: two dimensions ---- */

bool jo_read_outline(reader *r, int node, const char *name, dimension unit, double **points,
                     size_t *count)
{
    const tree_node *n = jo_node(r, node);
    jo_error error;
    *points = NULL;
    *count = 0;
    if (n->kind != TREE_LIST || n->count < 3) {
        jo_wrong(r, node, "%s wants a list of at least three points [x, y]", name);
        return false;
    }
    double *made = malloc(2 * n->count * sizeof *made);
    if (made == NULL) {
        r->out_of_memory = true;
        return false;
    }
    bool fine = true;
    for (size_t k = 0; k < n->count && fine && jo_reader_visit(r, node); k++) {
        double point[3];
        fine = jo_read_vector(r, jo_child(r, node, k), "a corner", unit, point);
        if (fine) memcpy(made + 2 * k, point, 2 * sizeof *made);
    }
    if (fine && jo_outline_check(made, n->count, &error) != JO_OK) {
        jo_wrong(r, node, "%s: %s", name, error.text);
        fine = false;
    }
    if (!fine) {
        free(made);
        return false;
    }
    *points = made;
    *count = n->count;
    return true;
}

/* The range of its corners, and a plain number for regular ones. */
static void read_polygon(reader *r, int node, const shape_entry *e, const section_def *s,
                         uint64_t given, group_entry *g)
{
    jo_polygon_shape *p = &g->group.polygon;
    p->given = true;
    if (e->vertices_node >= 0) {
        p->kind = JO_POLYGON_OUTLINE;
        jo_read_outline(r, e->vertices_node, "vertices", DIM_NUMBER, &p->points, &p->count);
        return;
    }
    p->kind = is(e, "grain") ? JO_POLYGON_GRAIN : JO_POLYGON_REGULAR;
    p->aspect = e->aspect;
    if (jo_key_given(s, given, "irregularity")) p->irregularity = e->irregularity;
    if (is(e, "disc") && !jo_key_given(s, given, "sides")) return;
    p->corners_min = is(e, "grain") ? e->corners[0] : e->sides;
    p->corners_max = is(e, "grain") ? e->corners[1] : e->sides;
    if (p->corners_min < 3 || p->corners_max > JO_POLYGON_CORNERS_MAX ||
        p->corners_min > p->corners_max)
        jo_wrong(r, node, "shape has %llu to %llu corners; there can be 3 to %d, the fewest first",
                 (unsigned long long)p->corners_min, (unsigned long long)p->corners_max,
                 JO_POLYGON_CORNERS_MAX);
    if (!(p->irregularity < 1.0))
        jo_wrong(r, node, "shape has irregularity %g; a grain's must be below 1", p->irregularity);
}

static bool is_flat(const shape_entry *e)
{
    return is(e, "polygon") || is(e, "grain") || is(e, "disc");
}

/* What has only one of the dimensions; true: told. */
static bool wrong_dimension(reader *r, int node, const shape_entry *e)
{
    if (e->solid[0] == '\0' || is(e, "sphere")) {
        if (r->scene->dim == 3 || e->file == NULL) return false;
        jo_wrong(
            r, node,
            "shape has 'file', a polyhedron; a scene of dimension 2 has polygons: give 'vertices'");
        return true;
    }
    if (is_flat(e) == (r->scene->dim == 2)) return false;
    jo_wrong(r, node, "shape '%s' is for dimension %d; in %dD there are: %s", e->solid,
             is_flat(e) ? 2 : 3, r->scene->dim,
             r->scene->dim == 2
                 ? "disc, polygon, grain, and vertices"
                 : "sphere, tetrahedron, cube, octahedron, dodecahedron, icosahedron, "
                   "prism, rock, and file and vertices");
    return true;
}

void jo_read_shape(reader *r, int node, const key_def *key, void *target)
{
    group_entry *g = target;
    shape_entry e = {.sides = 6,
                     .faces = 100,
                     .seed = 1,
                     .variants = 1,
                     .height = 1.0,
                     .axes = {1.0, 1.0, 1.0},
                     .irregularity = 0.5,
                     .vertices_node = -1,
                     .corners = {5, 8},
                     .aspect = 1.0};
    const size_t before = r->problems->errors;
    g->shape_node = node;
    if (jo_node(r, node)->kind == TREE_SCALAR) {
        const key_def *solid = &key->section->keys[0];
        const int k = jo_read_choice(r, node, key->name, solid->choices);
        if (k < 0) return;
        strcpy(e.solid, solid->choices[k]);
        if (wrong_dimension(r, node, &e)) return;
        if (r->scene->dim == 2 && !is(&e, "sphere"))
            read_polygon(r, node, &e, key->section, 0, g);
        else
            from_name(r, node, &e, g);
        return;
    }
    const uint64_t given = jo_read_section(r, node, key->section, &e);
    const int forms = (e.solid[0] != '\0') + (e.file != NULL) + (e.vertices_node >= 0);
    if (r->problems->errors == before) check_keys(r, node, key->section, given, &e);
    if (r->problems->errors == before && forms != 1)
        jo_wrong(r, node, "shape wants one of solid, file, vertices; it has %s",
                 forms == 0 ? "none" : "several");
    if (r->problems->errors == before && !wrong_dimension(r, node, &e)) {
        if (r->scene->dim == 2 && !is(&e, "sphere"))
            read_polygon(r, node, &e, key->section, given, g);
        else if (e.file != NULL)
            from_file(r, node, &e, g);
        else if (e.vertices_node >= 0)
            from_vertices(r, &e, g);
        else
            from_name(r, node, &e, g);
    }
    free(e.file);
}
