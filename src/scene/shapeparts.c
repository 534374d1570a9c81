/* shapeparts.c — `shape` and `orientation` of bodies in a scene file: the polyhedra are made while the
 * file is read, so that what is wrong with one is told with its line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/reader.h"

enum { VARIANTS_MAX = 1000 };

void jo_read_orientation(reader *r, int node, const key_def *key, void *target)
{
    double *q = (double *)(void *)((char *)target + key->offset), read[4], square = 0.0;
    const tree_node *n = jo_node(r, node);
    if (n->kind == TREE_SCALAR) {
        const char *text = jo_read_text(r, node, key->name);
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
    for (int a = 0; a < 4; a++)
        q[a] = read[a] / sqrt(square);
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
    jo_error error;
    char *path = jo_reader_path(r, e->file);
    if (path == NULL) return;
    if (jo_polyhedron_read(path, &made, &error) != JO_OK) jo_wrong(r, node, "%s", error.text);
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

/* Keys of a map that its solid has no use for. */
static void check_keys(reader *r, int node, const section_def *s, uint64_t given, const char *solid)
{
    static const char *const prism[] = {"sides", "height", NULL};
    static const char *const rock[] = {"faces", "axes", "irregularity", "seed", "variants", NULL};
    for (size_t k = 0; prism[k] != NULL; k++)
        if (strcmp(solid, "prism") != 0 && jo_key_given(s, given, prism[k]))
            jo_wrong(r, node, "shape has '%s', which only a prism has", prism[k]);
    for (size_t k = 0; rock[k] != NULL; k++)
        if (strcmp(solid, "rock") != 0 && jo_key_given(s, given, rock[k]))
            jo_wrong(r, node, "shape has '%s', which only a rock has", rock[k]);
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
                     .vertices_node = -1};
    const size_t before = r->problems->errors;
    g->shape_node = node;
    if (jo_node(r, node)->kind == TREE_SCALAR) {
        const key_def *solid = &key->section->keys[0];
        const int k = jo_read_choice(r, node, key->name, solid->choices);
        if (k < 0) return;
        strcpy(e.solid, solid->choices[k]);
        from_name(r, node, &e, g);
        return;
    }
    const uint64_t given = jo_read_section(r, node, key->section, &e);
    const int forms = (e.solid[0] != '\0') + (e.file != NULL) + (e.vertices_node >= 0);
    if (r->problems->errors == before) check_keys(r, node, key->section, given, e.solid);
    if (r->problems->errors == before && forms != 1)
        jo_wrong(r, node, "shape wants one of solid, file, vertices; it has %s",
                 forms == 0 ? "none" : "several");
    if (r->problems->errors == before) {
        if (e.file != NULL)
            from_file(r, node, &e, g);
        else if (e.vertices_node >= 0)
            from_vertices(r, &e, g);
        else
            from_name(r, node, &e, g);
    }
    free(e.file);
}
