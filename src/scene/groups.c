/* groups.c — `bodies` of a scene file: groups, their sizes, regions, and bodies listed one by one.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jostle/io.h"
#include "jostle/outline.h"
#include "scene/examiner.h"
#include "scene/reader.h"

enum { GROUPS_MAX = 10000 };

/* ---- sizes ---- */

typedef struct sizes_entry {
    jo_sizes sizes;
    int forms; /* how many of uniform, normal … were given */
    size_t weights;
} sizes_entry;

void jo_read_uniform(reader *r, int node, const key_def *key, void *target)
{
    static const key_bounds above_zero = {.lo = 0.0, .hi = (double)INFINITY, .above_lo = true};
    sizes_entry *e = target;
    const tree_node *n = jo_node(r, node);
    e->forms++;
    e->sizes.kind = JO_SIZE_UNIFORM;
    if (n->kind != TREE_LIST || n->count != 2) {
        jo_wrong(r, node, "%s wants the smallest and the largest, such as [1 mm, 2 mm]", key->name);
        return;
    }
    jo_read_real(r, jo_child(r, node, 0), key->name, DIM_LENGTH, &above_zero, &e->sizes.a);
    jo_read_real(r, jo_child(r, node, 1), key->name, DIM_LENGTH, &above_zero, &e->sizes.b);
    if (e->sizes.a > e->sizes.b)
        jo_wrong(r, node, "%s has its bounds the wrong way round", key->name);
}

void jo_read_distribution(reader *r, int node, const key_def *key, void *target)
{
    sizes_entry *e = target;
    distribution_entry d = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    e->forms++;
    e->sizes.kind = strcmp(key->name, "normal") == 0 ? JO_SIZE_NORMAL : JO_SIZE_LOGNORMAL;
    jo_read_section(r, node, key->section, &d);
    e->sizes.a = d.middle;
    e->sizes.b = d.deviation;
    e->sizes.lo = d.lo;
    e->sizes.hi = d.hi;
}

/* At most JO_SIZES_MAX numbers; returns how many. */
static size_t read_numbers(reader *r, int node, const key_def *key, dimension unit,
                           const key_bounds *bounds, double *values)
{
    const tree_node *n = jo_node(r, node);
    if (n->kind != TREE_LIST || n->count == 0 || n->count > JO_SIZES_MAX) {
        jo_wrong(r, node, "%s wants a list of 1 to %d numbers", key->name, JO_SIZES_MAX);
        return 0;
    }
    for (size_t k = 0; k < n->count; k++)
        if (!jo_read_real(r, jo_child(r, node, k), key->name, unit, bounds, &values[k])) return 0;
    return n->count;
}

void jo_read_size_values(reader *r, int node, const key_def *key, void *target)
{
    static const key_bounds above_zero = {.lo = 0.0, .hi = (double)INFINITY, .above_lo = true};
    sizes_entry *e = target;
    e->forms++;
    e->sizes.kind = JO_SIZE_LIST;
    e->sizes.count = read_numbers(r, node, key, DIM_LENGTH, &above_zero, e->sizes.value);
    for (size_t k = 0; k < e->sizes.count; k++)
        e->sizes.weight[k] = 1.0;
}

void jo_read_size_weights(reader *r, int node, const key_def *key, void *target)
{
    static const key_bounds from_zero = {.lo = 0.0, .hi = (double)INFINITY};
    sizes_entry *e = target;
    double total = 0.0;
    const size_t count = read_numbers(r, node, key, DIM_NUMBER, &from_zero, e->sizes.weight);
    if (count == 0) return;
    for (size_t k = 0; k < count; k++)
        total += e->sizes.weight[k];
    if (e->sizes.kind != JO_SIZE_LIST || count != e->sizes.count)
        jo_wrong(r, node, "weights has %zu numbers; it wants one for each of values", count);
    else if (!(total > 0.0))
        jo_wrong(r, node, "weights are all 0; at least one must be above 0");
}

static void halve(jo_sizes *s)
{
    s->a *= 0.5;
    if (s->kind != JO_SIZE_LOGNORMAL) s->b *= 0.5;
    s->lo *= 0.5;
    s->hi *= 0.5;
    for (size_t k = 0; k < s->count; k++)
        s->value[k] *= 0.5;
}

void jo_read_sizes(reader *r, int node, const key_def *key, void *target)
{
    static const key_bounds above_zero = {.lo = 0.0, .hi = (double)INFINITY, .above_lo = true};
    group_entry *g = target;
    sizes_entry e = {.sizes = jo_group_default(JO_GROUP_EXPLICIT).sizes};
    if (g->sizes_given) {
        jo_wrong(r, node, "bodies have radius and diameter; give one of them");
        return;
    }
    g->sizes_given = true;
    if (jo_node(r, node)->kind == TREE_MAP) {
        const size_t before = r->problems->errors;
        jo_read_section(r, node, key->section, &e);
        if (e.forms != 1 && r->problems->errors == before)
            jo_wrong(r, node, "%s wants one of uniform, normal, lognormal, values; it has %d",
                     key->name, e.forms);
    } else {
        jo_read_real(r, node, key->name, DIM_LENGTH, &above_zero, &e.sizes.a);
    }
    if (strcmp(key->name, "diameter") == 0) halve(&e.sizes);
    g->group.sizes = e.sizes;
}

/* ---- region ---- */

void jo_read_region(reader *r, int node, const key_def *key, void *target)
{
    group_entry *g = target;
    jo_region region = {.axis = {0.0, 0.0, 1.0}};
    const section_def *s = key->section;
    const size_t before = r->problems->errors;
    const uint64_t given = jo_read_section(r, node, s, &region);
    const bool box = jo_key_given(s, given, "lo") || jo_key_given(s, given, "hi");
    const bool sphere = jo_key_given(s, given, "centre"), cylinder = jo_key_given(s, given, "base");
    g->region_given = true;
    if (r->problems->errors > before) return;
    if (box + sphere + cylinder != 1) {
        jo_wrong(r, node,
                 "region is a box {lo, hi}, a sphere {centre, radius} or a cylinder {base, "
                 "axis, length, radius}; this is %s of them",
                 box + sphere + cylinder == 0 ? "none" : "more than one");
        return;
    }
    const char *missing = NULL;
    if (box && !(jo_key_given(s, given, "lo") && jo_key_given(s, given, "hi")))
        missing = jo_key_given(s, given, "lo") ? "hi" : "lo";
    if (!box && !jo_key_given(s, given, "radius")) missing = "radius";
    if (cylinder && !jo_key_given(s, given, "length")) missing = "length";
    if (missing != NULL) jo_wrong(r, node, "region needs '%s', too", missing);
    static const char *const others[] = {"axis", "length", "radius"};
    for (size_t k = 0; k < 3 && !cylinder; k++)
        if ((box || k < 2) && jo_key_given(s, given, others[k]))
            jo_wrong(r, node, "region is a %s, which has no '%s'", box ? "box" : "sphere",
                     others[k]);
    region.kind = box ? JO_REGION_BOX : sphere ? JO_REGION_SPHERE : JO_REGION_CYLINDER;
    g->group.region = region;
}

/* ---- materials ---- */

void jo_read_group_material(reader *r, int node, const key_def *key, void *target)
{
    (void)key;
    group_entry *g = target;
    g->material_given = true;
    jo_read_material_name(r, node, &g->group.material);
}

void jo_read_body_material(reader *r, int node, const key_def *key, void *target)
{
    (void)key;
    jo_read_material_name(r, node, &((body_entry *)target)->material);
}

/* ---- groups ---- */

/* The path relative to the scene's folder, and whether there is such a file: a checkpoint has the
 * bodies themselves and needs none. */
static void settle_path(reader *r, int node, jo_group *group)
{
    if (group->path == NULL) return;
    if (*group->path == '\0') {
        jo_wrong(r, node, "the path of the particle file is empty");
        return;
    }
    char *path = jo_reader_path(r, group->path);
    if (path == NULL) return;
    free(group->path);
    group->path = path;
    if (r->checkpoint == NULL && access(path, R_OK) != 0)
        jo_wrong(r, node, "%.200s cannot be read: %s", path, strerror(errno));
}

void jo_read_group_kind(reader *r, int node, const key_def *key, void *target)
{
    static const char *const kinds[] = {"list", "file", "lattice", "random", "factory"};
    group_entry *g = target;
    g->kinds++;
    for (int k = 0; k < 5; k++)
        if (strcmp(kinds[k], key->name) == 0) g->group.kind = (jo_group_kind)k;
    if (g->group.kind == JO_GROUP_EXPLICIT) {
        g->list_node = node;
        if (jo_node(r, node)->kind != TREE_LIST)
            jo_wrong(r, node,
                     "list wants a list of bodies, such as - {position: [0, 0, 0], radius: 1 mm}");
        return;
    }
    if (g->group.kind == JO_GROUP_FILE && jo_node(r, node)->kind == TREE_SCALAR) {
        const char *text = jo_read_text(r, node, key->name);
        if (text != NULL) jo_read_copy(r, text, &g->group.path);
    } else {
        jo_read_section(r, node, key->section, g);
    }
    if (g->group.kind == JO_GROUP_FILE) settle_path(r, node, &g->group);
}

void jo_read_frame(reader *r, int node, const key_def *key, void *target)
{
    jo_group *group = &((group_entry *)target)->group;
    uint64_t frame;
    const tree_node *n = jo_node(r, node);
    if (n->kind == TREE_SCALAR && strcmp(n->text, "last") == 0)
        group->frame = JO_FRAME_LAST;
    else if (jo_read_count(r, node, key->name, &frame))
        group->frame = (size_t)frame;
}

static const section_def *list_section(void)
{
    for (const key_def *k = jo_group_section.keys; k->name != NULL; k++)
        if (strcmp(k->name, "list") == 0) return k->section;
    return NULL;
}

/* ---- polygons of a list: their outlines follow one another ---- */

static double *outline_room(reader *r, jo_population *p, size_t i, size_t n)
{
    const size_t from = p->outline_first[i];
    double *grown = realloc(p->outline, (2 * (from + n) + 1) * sizeof *grown);
    if (grown == NULL) {
        r->out_of_memory = true;
        return NULL;
    }
    p->outline = grown;
    p->outline_first[i + 1] = from + n;
    return grown + 2 * from;
}

/* A body given by its corners: the rest follows from them. */
static bool read_corners(reader *r, int node, const section_def *s, uint64_t given, size_t i,
                         body_entry *b, jo_population *p)
{
    static const char *const others[] = {"position", "radius", "diameter", "orientation"};
    double *points;
    size_t n;
    if (r->scene->dim != 2 || p->outline_first == NULL) {
        jo_wrong(r, b->corners_node, "corners are for polygons: dimension 2");
        return false;
    }
    for (size_t k = 0; k < 4; k++)
        if (jo_key_given(s, given, others[k])) {
            jo_wrong(r, node, "the body has 'corners' and '%s'; its corners say it all", others[k]);
            return false;
        }
    if (!jo_read_outline(r, b->corners_node, "corners", DIM_LENGTH, &points, &n)) return false;
    const jo_outline_mass m = jo_outline_measure(points, n);
    if (m.clockwise) jo_outline_reverse(points, n);
    double *to = outline_room(r, p, i, n);
    for (size_t k = 0; k < 2 * n && to != NULL; k++)
        to[k] = points[k] - m.centre[k % 2];
    free(points);
    b->position[0] = m.centre[0];
    b->position[1] = m.centre[1];
    b->position[2] = 0.0;
    b->radius = m.radius;
    return to != NULL;
}

/* A body of the group's shape, turned as it says. */
static void add_outline(reader *r, const jo_group *group, size_t i, const body_entry *b,
                        jo_population *p)
{
    jo_group turned = *group;
    jo_error error;
    size_t n = 0;
    double *to = outline_room(r, p, i, jo_group_outline_room(group));
    memcpy(turned.orientation, b->orientation, sizeof turned.orientation);
    if (to == NULL || (group->polygon.kind == JO_POLYGON_OUTLINE && group->polygon.points == NULL))
        return;
    (void)jo_group_outline(&turned, i, b->radius, to, &n, &error); /* was told with the shape */
    p->outline_first[i + 1] = p->outline_first[i] + n;
}

/* `needs_material`: the group has none for all. */
static void read_body(reader *r, int node, const jo_group *group, bool needs_material, size_t i,
                      jo_population *p)
{
    body_entry b = {.position = {(double)NAN},
                    .radius = group->sizes.kind == JO_SIZE_FIXED ? group->sizes.a : (double)NAN,
                    .corners_node = -1,
                    .material = group->material,
                    .fixed = group->fixed};
    const bool turned = !isnan(group->orientation[0]);
    memcpy(b.orientation, group->orientation, sizeof b.orientation);
    if (!turned) b.orientation[0] = 1.0;
    for (int a = 1; a < 4 && !turned; a++)
        b.orientation[a] = 0.0;
    memcpy(b.velocity, group->velocity, sizeof b.velocity);
    memcpy(b.spin, group->spin, sizeof b.spin);
    const section_def *s = list_section();
    const size_t before = r->problems->errors;
    if (jo_node(r, node)->kind != TREE_MAP) {
        jo_wrong(r, node,
                 "a body of a list wants its keys, such as {position: [0, 0, 0], radius: 1 mm}");
        return;
    }
    const uint64_t given = jo_read_section(r, node, s, &b);
    if (jo_key_given(s, given, "diameter")) {
        if (jo_key_given(s, given, "radius"))
            jo_wrong(r, node, "the body has radius and diameter; give one of them");
        b.radius = 0.5 * b.diameter;
    }
    if (r->problems->errors > before) return;
    if (needs_material && !jo_key_given(s, given, "material"))
        jo_wrong(r, node,
                 "the body needs 'material' (or its group one for all): there are %zu materials to "
                 "choose from",
                 r->scene->material_count);
    if (b.corners_node >= 0) {
        if (!read_corners(r, node, s, given, i, &b, p)) return;
    } else if (isnan(b.position[0])) {
        jo_wrong(r, node, "the body needs 'position'%s",
                 r->scene->dim == 2 ? " (or 'corners')" : "");
        return;
    }
    if (isnan(b.radius)) jo_wrong(r, node, "the body needs 'radius' (or its group one for all)");
    memcpy(p->x + 3 * i, b.position, sizeof b.position);
    memcpy(p->v + 3 * i, b.velocity, sizeof b.velocity);
    memcpy(p->w + 3 * i, b.spin, sizeof b.spin);
    p->r[i] = b.radius;
    p->material[i] = b.material;
    p->fixed[i] = b.fixed;
    if (p->outline_first != NULL && b.corners_node < 0 && !isnan(b.radius))
        add_outline(r, group, i, &b, p);
    if (p->shape == NULL) return;
    double q[4];
    jo_group_shape(group, i, &p->shape[i], q);
    memcpy(p->q + 4 * i, isnan(b.orientation[0]) ? q : b.orientation, sizeof q);
}

static void read_listed(reader *r, int node, jo_group *group, bool need_materials)
{
    const tree_node *n = jo_node(r, node);
    if (n->kind != TREE_LIST) return;
    if (jo_population_allocate(&group->listed, n->count, NULL) != JO_OK) {
        r->out_of_memory = true;
        return;
    }
    if (group->shapes > 0 && jo_population_allocate_shapes(&group->listed, NULL) != JO_OK) {
        r->out_of_memory = true;
        return;
    }
    if (r->scene->dim == 2) {
        group->listed.outline_first = calloc(n->count + 1, sizeof *group->listed.outline_first);
        group->listed.outline = calloc(1, sizeof *group->listed.outline);
        if (group->listed.outline_first == NULL || group->listed.outline == NULL) {
            r->out_of_memory = true;
            return;
        }
    }
    for (size_t i = 0; i < n->count && jo_reader_visit(r, node); i++) {
        size_t *first = group->listed.outline_first;
        if (first != NULL) first[i + 1] = first[i];
        read_body(r, jo_child(r, node, i), group, need_materials, i, &group->listed);
    }
    if (need_materials && n->count > 0) group->material = group->listed.material[0];
}

/* Where a region was left out: the box. */
static void settle_region(reader *r, int node, group_entry *g)
{
    const jo_group_kind kind = g->group.kind;
    if (kind == JO_GROUP_EXPLICIT || kind == JO_GROUP_FILE || g->region_given) return;
    if (!r->scene->has_box) {
        jo_wrong(r, node, "the bodies need a 'region': there is no box to fill");
        return;
    }
    g->group.region.kind = JO_REGION_BOX;
    memcpy(g->group.region.lo, r->scene->domain.lo, sizeof g->group.region.lo);
    memcpy(g->group.region.hi, r->scene->domain.hi, sizeof g->group.region.hi);
}

void jo_read_group(reader *r, int node)
{
    jo_scene *scene = r->scene;
    group_entry g = {.group = jo_group_default(JO_GROUP_EXPLICIT), .list_node = -1};
    const size_t index = scene->group_count, before = r->problems->errors;
    /* Each group has random numbers of its own; a seed in the file replaces this. */
    g.group.seed = scene->seed + index;
    jo_read_section(r, node, &jo_group_section, &g);
    if (g.kinds != 1 && (g.kinds > 1 || r->problems->errors == before))
        jo_wrong(
            r, node,
            "each group of bodies has one of list, file, lattice, random, factory; this has %s",
            g.kinds == 0 ? "none" : "several");
    const bool listed = g.list_node >= 0 && g.kinds == 1;
    const bool open = !g.material_given && scene->material_count > 1;
    if (open && !listed)
        jo_wrong(r, node, "the bodies need 'material': there are %zu materials to choose from",
                 scene->material_count);
    if (g.kinds == 1) settle_region(r, node, &g);
    if (listed) read_listed(r, g.list_node, &g.group, open);
    jo_group *added =
        jo_reader_append(r, (void **)&scene->groups, &scene->group_count, sizeof *scene->groups);
    if (added != NULL) {
        *added = g.group;
        return;
    }
    jo_population_free(&g.group.listed);
    free(g.group.path);
    free(g.group.file_format);
    free(g.group.polygon.points);
}

void jo_read_bodies(reader *r, int node, const key_def *key, void *target)
{
    (void)key;
    (void)target;
    const tree_node *n = jo_node(r, node);
    if (n->kind != TREE_LIST) {
        jo_wrong(r, node, "bodies wants a list of groups, each beginning with '- '");
        return;
    }
    if (n->count == 0) jo_wrong(r, node, "bodies is empty; a scene needs at least one group");
    if (n->count > GROUPS_MAX) {
        jo_wrong(r, node, "bodies has %zu groups; at most %d are possible", n->count, GROUPS_MAX);
        return;
    }
    r->orientations = calloc(n->count + 1, sizeof *r->orientations);
    if (r->orientations == NULL) {
        r->out_of_memory = true;
        return;
    }
    for (size_t k = 0; k < n->count && jo_reader_visit(r, node); k++)
        jo_read_group(r, jo_child(r, node, k));
}

/* Warns of orientations of bodies that are round. Where there are errors, a shape may be missing
 * that the file means them to have. */
void jo_settle_orientations(reader *r)
{
    const jo_scene *s = r->scene;
    const bool turns_discs = strcmp(s->engine, "kinetic") == 0; /* they have corners there */
    if (r->problems->errors > 0 || turns_discs) return;
    for (size_t k = 0; k < s->group_count; k++) {
        const jo_group *g = &s->groups[k];
        char name[JO_NAME_SIZE];
        if (r->orientations[k] == 0 || g->shapes > 0 || g->polygon.given) continue;
        jo_problem_at(r, JO_SEVERITY_WARNING, r->orientations[k],
                      "bodies %s are %s: their orientation is not used",
                      jo_examine_name(g->name, k, name), s->dim == 2 ? "discs" : "spheres");
    }
}
