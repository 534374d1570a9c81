/* parts.c — the parts of a scene file that are more than a field: dimension, box, gravity,
 * materials and their contacts, gates, engine, output intervals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/reader.h"

void jo_read_dimension(reader *r, int node, const key_def *key, void *target)
{
    static const char *const choices[] = {"2", "3", NULL};
    const int choice = jo_read_choice(r, node, key->name, choices);
    if (choice >= 0) ((jo_scene *)target)->dim = 2 + choice;
}

void jo_read_attraction(reader *r, int node, const key_def *key, void *target)
{
    static const char *const choices[] = {"allow", "clip", NULL};
    const int choice = jo_read_choice(r, node, key->name, choices);
    if (choice >= 0) ((jo_law *)target)->clip_attraction = choice == 1;
}

/* ---- box, gravity ---- */

void jo_read_box(reader *r, int node, const key_def *key, void *target)
{
    jo_scene *scene = target;
    const uint64_t given = jo_read_section(r, node, key->section, target);
    scene->has_box =
        jo_key_given(key->section, given, "lo") && jo_key_given(key->section, given, "hi");
}

void jo_read_periodic(reader *r, int node, const key_def *key, void *target)
{
    static const char *const axes[] = {"x", "y", "z", NULL};
    static const char *const words[] = {"x", "y", "z", "all", "none", NULL};
    jo_scene *scene = target;
    const tree_node *n = jo_node(r, node);
    bool periodic[3] = {false, false, false};
    if (n->kind == TREE_SCALAR) {
        const int choice = jo_read_choice(r, node, key->name, words);
        if (choice < 0) return;
        for (int a = 0; a < 3; a++)
            periodic[a] = choice == a || (choice == 3 && a < scene->dim);
    } else if (n->kind == TREE_LIST) {
        for (size_t k = 0; k < n->count && jo_reader_visit(r, node); k++) {
            const int axis = jo_read_choice(r, jo_child(r, node, k), key->name, axes);
            if (axis >= 0) periodic[axis] = true;
        }
    } else {
        jo_wrong(r, node, "periodic wants a list of axes such as [x, y], all or none");
        return;
    }
    if (periodic[2] && scene->dim == 2) {
        jo_wrong(r, node, "periodic has z, but a scene of dimension 2 has no z");
        periodic[2] = false;
    }
    memcpy(scene->domain.periodic, periodic, sizeof periodic);
}

static void set_gravity(reader *r, int node, const gravity_entry *g, jo_scene *scene)
{
    const int down = scene->dim - 1;
    double d[3] = {g->direction[0], g->direction[1], g->direction[2]};
    if (d[0] == 0.0 && d[1] == 0.0 && d[2] == 0.0) d[down] = -1.0;
    if (g->tilt != 0.0 && d[0] != 0.0) {
        jo_wrong(r, node,
                 "gravity has a tilt towards +x and a direction with an x part; give one of them");
        return;
    }
    const double c = cos(g->tilt), s = sin(g->tilt);
    for (int a = 0; a < 3; a++)
        scene->gravity[a] = g->magnitude * (c * d[a] + (a == 0 ? s : 0.0));
}

void jo_read_gravity(reader *r, int node, const key_def *key, void *target)
{
    jo_scene *scene = target;
    const tree_node *n = jo_node(r, node);
    gravity_entry g = {0};
    if (n->kind == TREE_LIST) {
        jo_read_vector(r, node, key->name, DIM_ACCELERATION, scene->gravity);
        return;
    }
    if (n->kind == TREE_MAP)
        jo_read_section(r, node, key->section, &g);
    else if (!jo_read_real(r, node, key->name, DIM_ACCELERATION, NULL, &g.magnitude))
        return;
    if (n->kind == TREE_SCALAR && g.magnitude < 0) {
        jo_wrong(
            r, node,
            "gravity is %g: a number alone is how strongly it pulls down, 0 or more; for another "
            "direction write a list, as [0, 0, 9.81]",
            g.magnitude);
        return;
    }
    set_gravity(r, node, &g, scene);
}

/* ---- materials ---- */

static void no_contact_values(jo_contact_def *c)
{
    double *fields = (double *)c;
    for (size_t k = 0; k < sizeof *c / sizeof *fields; k++)
        fields[k] = (double)NAN;
}

/* The name of entry k of a map or list; writes "" and reports when it cannot be one. */
static bool entry_name(reader *r, int name_node, const char *what, char name[JO_NAME_SIZE])
{
    const char *text = jo_read_text(r, name_node, what);
    name[0] = '\0';
    if (text == NULL) return false;
    if (*text == '\0' || strlen(text) >= JO_NAME_SIZE) {
        jo_wrong(r, name_node, "the name of %s must have 1 to %d bytes", what, JO_NAME_SIZE - 1);
        return false;
    }
    snprintf(name, JO_NAME_SIZE, "%s", text);
    return true;
}

static void read_material(reader *r, int name_node, int node, const section_def *section)
{
    char name[JO_NAME_SIZE] = {0}; /* all of it is written to files */
    if (!entry_name(r, name_node, "a material", name)) return;
    for (size_t k = 0; k < r->scene->material_count; k++)
        if (strcmp(r->materials[k].material.name, name) == 0) {
            jo_wrong(r, name_node, "there is already a material '%s'", name);
            return;
        }
    material_entry *m = jo_reader_append(r, (void **)&r->materials, &r->scene->material_count,
                                         sizeof *r->materials);
    if (m == NULL) return;
    memcpy(m->material.name, name, sizeof name);
    m->material.density = m->material.young = m->material.poisson = (double)NAN;
    no_contact_values(&m->own);
    jo_read_section(r, node, section, m);
}

/* Whether it is one material, whose name was forgotten: a key of materials with a single value. */
static bool is_unnamed(const reader *r, int node, const section_def *section)
{
    const tree_node *n = jo_node(r, node);
    for (size_t k = 0; k + 1 < n->count; k += 2) {
        const tree_node *name = jo_node(r, jo_child(r, node, k));
        if (name->kind != TREE_SCALAR || jo_node(r, jo_child(r, node, k + 1))->kind != TREE_SCALAR)
            continue;
        for (const key_def *known = section->keys; known->name != NULL; known++)
            if (strcmp(name->text, known->name) == 0) return true;
    }
    return false;
}

void jo_read_materials(reader *r, int node, const key_def *key, void *target)
{
    (void)target;
    const tree_node *n = jo_node(r, node);
    if (n->kind != TREE_MAP) {
        jo_wrong(r, node,
                 "materials wants a map of materials by name, such as "
                 "materials: {glass: {density: 2.5 g/cm^3}}");
        return;
    }
    if (n->count == 0) jo_wrong(r, node, "materials is empty; at least one is needed");
    if (is_unnamed(r, node, key->section)) {
        jo_wrong(
            r, node,
            "materials wants materials by name, such as "
            "materials: {glass: {density: 2.5 g/cm^3}}; here is what one of them is, without a "
            "name");
        return;
    }
    for (size_t k = 0; k + 1 < n->count; k += 2) {
        if (r->scene->material_count == JO_MATERIALS_MAX) {
            jo_wrong(r, jo_child(r, node, k), "more than %d materials", JO_MATERIALS_MAX);
            return;
        }
        read_material(r, jo_child(r, node, k), jo_child(r, node, k + 1), key->section);
    }
}

/* The mean of two values; where one is not given, the other. */
static double mean(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : 0.5 * (a + b);
}

/* The table of all pairs from the materials' own values. */
static bool make_contacts(reader *r)
{
    jo_scene *scene = r->scene;
    const size_t n = scene->material_count;
    scene->contacts = calloc(n * n + 1, sizeof *scene->contacts);
    if (scene->contacts == NULL) {
        r->out_of_memory = true;
        return false;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double *to = (double *)&scene->contacts[i * n + j];
            const double *a = (const double *)&r->materials[i].own;
            const double *b = (const double *)&r->materials[j].own;
            for (size_t k = 0; k < sizeof(jo_contact_def) / sizeof(double); k++)
                to[k] = mean(a[k], b[k]);
        }
    return true;
}

void jo_read_between(reader *r, int node, const key_def *key, void *target)
{
    contact_entry *c = target;
    const tree_node *n = jo_node(r, node);
    if (n->kind != TREE_LIST || n->count != 2) {
        jo_wrong(r, node, "%s wants a list of two materials, such as [glass, steel]", key->name);
        return;
    }
    const bool first = jo_read_material_name(r, jo_child(r, node, 0), &c->a);
    const bool second = jo_read_material_name(r, jo_child(r, node, 1), &c->b);
    c->named = first && second;
}

static void apply_contact(reader *r, int node, const contact_entry *c, uint8_t *done)
{
    const size_t n = r->scene->material_count;
    if (done[c->a * n + c->b]) {
        jo_wrong(r, node, "the contact between '%s' and '%s' is given twice",
                 r->materials[c->a].material.name, r->materials[c->b].material.name);
        return;
    }
    done[c->a * n + c->b] = done[c->b * n + c->a] = 1;
    const double *given = (const double *)&c->given;
    for (size_t k = 0; k < sizeof c->given / sizeof *given; k++) {
        if (isnan(given[k])) continue;
        ((double *)&r->scene->contacts[c->a * n + c->b])[k] = given[k];
        ((double *)&r->scene->contacts[c->b * n + c->a])[k] = given[k];
    }
}

static void read_contact_list(reader *r, int node, const section_def *section)
{
    const tree_node *n = jo_node(r, node);
    uint8_t done[JO_MATERIALS_MAX * JO_MATERIALS_MAX] = {0};
    for (size_t k = 0; k < n->count; k++) {
        const int child = jo_child(r, node, k);
        contact_entry c = {0};
        no_contact_values(&c.given);
        if (!jo_reader_visit(r, child)) return;
        jo_read_section(r, child, section, &c);
        if (c.named) apply_contact(r, child, &c, done);
    }
}

void jo_read_contacts(reader *r, int node, const key_def *key, void *target)
{
    (void)target;
    if (jo_node(r, node)->kind != TREE_LIST) {
        jo_wrong(r, node,
                 "contacts wants a list, such as - {between: [glass, steel], friction: 0.1}");
        return;
    }
    if (r->scene->contacts == NULL && !make_contacts(r)) return;
    read_contact_list(r, node, key->section);
}

/* Fields that are 0 where nobody gave them. */
static void settle_zeros(jo_contact_def *c)
{
    double *const zeros[] = {&c->friction,         &c->rolling_friction, &c->surface_energy,
                             &c->cohesion_density, &c->liquid_volume,    &c->surface_tension,
                             &c->wetting_angle};
    for (size_t k = 0; k < sizeof zeros / sizeof *zeros; k++)
        if (isnan(*zeros[k])) *zeros[k] = 0.0;
}

void jo_settle_contacts(reader *r)
{
    jo_scene *scene = r->scene;
    const size_t n = scene->material_count;
    if (scene->contacts == NULL && !make_contacts(r)) return;
    for (size_t k = 0; k < n * n; k++)
        settle_zeros(&scene->contacts[k]);
    scene->materials = calloc(n + 1, sizeof *scene->materials);
    if (scene->materials == NULL) {
        r->out_of_memory = true;
        return;
    }
    for (size_t k = 0; k < n; k++)
        scene->materials[k] = r->materials[k].material;
}

/* ---- gates, engine, output ---- */

static void read_gate(reader *r, int node, int name_node, const section_def *section)
{
    jo_scene *scene = r->scene;
    jo_gate gate = {0};
    if (name_node >= 0 && !entry_name(r, name_node, "a gate", gate.name)) return;
    jo_read_section(r, node, section, &gate);
    if (gate.name[0] == '\0')
        snprintf(gate.name, sizeof gate.name, "gate%zu", scene->gate_count + 1);
    for (size_t k = 0; k < scene->gate_count; k++)
        if (strcmp(scene->gates[k].name, gate.name) == 0) {
            jo_wrong(r, name_node >= 0 ? name_node : node, "there is already a gate '%s'",
                     gate.name);
            return;
        }
    jo_gate *added =
        jo_reader_append(r, (void **)&scene->gates, &scene->gate_count, sizeof *scene->gates);
    if (added != NULL) *added = gate;
}

void jo_read_gates(reader *r, int node, const key_def *key, void *target)
{
    (void)target;
    const tree_node *n = jo_node(r, node);
    const size_t step = n->kind == TREE_MAP ? 2 : 1;
    if (n->kind == TREE_SCALAR) {
        jo_wrong(r, node, "gates wants a map of gates by name, or a list");
        return;
    }
    for (size_t k = 0; k + step <= n->count; k += step) {
        if (r->scene->gate_count == JO_WALLS_MAX) {
            jo_wrong(r, jo_child(r, node, k), "more than %d gates", JO_WALLS_MAX);
            return;
        }
        if (!jo_reader_visit(r, node)) return;
        read_gate(r, jo_child(r, node, k + step - 1), step == 2 ? jo_child(r, node, k) : -1,
                  key->section);
    }
}

void jo_read_engine(reader *r, int node, const key_def *key, void *target)
{
    jo_scene *scene = target;
    if (jo_node(r, node)->kind != TREE_SCALAR) {
        jo_read_section(r, node, key->section, target);
        return;
    }
    const key_def *type = &key->section->keys[0];
    const int choice = jo_read_choice(r, node, "engine", type->choices);
    if (choice >= 0) snprintf(scene->engine, sizeof scene->engine, "%s", type->choices[choice]);
}

void jo_read_interval(reader *r, int node, const key_def *key, void *target)
{
    static const key_bounds above_zero = {.lo = 0.0, .hi = (double)INFINITY, .above_lo = true};
    double *field = (double *)((char *)target + key->offset);
    const key_def every[] = {{"every", KEY_REAL, 0, .unit = DIM_TIME, .bounds = above_zero,
                              .required = true, .meaning = "simulated time between two"},
                             {.name = NULL}};
    const section_def section = {key->name, "", every, NULL};
    if (jo_node(r, node)->kind == TREE_MAP)
        jo_read_section(r, node, &section, field);
    else
        jo_read_real(r, node, key->name, DIM_TIME, &above_zero, field);
}
