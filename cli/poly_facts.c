/* poly_facts.c — what the polyhedra of a scene are like: from the least to the largest of each
 * group, and the mass of all where it is known.
 *
 * Bodies that are placed or listed, and those at random by number, are looked at one by one; of
 * others there are the bounds of their sizes. Cost: O(bodies). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "poly_facts.h"
#include "table.h"

typedef enum quantity { FACES, VOLUME, MASS, EXTENT_X, EXTENT_Y, EXTENT_Z, QUANTITIES } quantity;

typedef struct facts {
    double least[QUANTITIES], most[QUANTITIES];
    double together; /* mass of all bodies; NaN: not known */
    bool any;
} facts;

/* A body of that shape whose surrounding sphere has radius r. */
static void add_body(facts *f, const jo_scene *s, uint32_t shape, double r, uint32_t material)
{
    const jo_polyhedron_view v = jo_polyhedron_look(s->shapes[shape]);
    const double scale = r / v.radius, volume = scale * scale * scale * v.volume;
    double own[QUANTITIES] = {[FACES] = (double)v.faces,
                              [VOLUME] = volume,
                              [MASS] = s->materials[material].density * volume};
    for (int a = 0; a < 3; a++)
        own[EXTENT_X + a] = scale * (v.hi[a] - v.lo[a]);
    for (int k = 0; k < QUANTITIES; k++) {
        f->least[k] = f->any ? fmin(f->least[k], own[k]) : own[k];
        f->most[k] = f->any ? fmax(f->most[k], own[k]) : own[k];
    }
    f->any = true;
    f->together += own[MASS];
}

/* Those of its bodies that are polyhedra: shapes belong to one group alone. */
static void add_population(facts *f, const jo_scene *s, const jo_group *g, const jo_population *p)
{
    for (size_t i = 0; i < p->n && p->shape != NULL; i++)
        if (p->shape[i] != JO_NO_SHAPE && p->shape[i] >= g->shape &&
            p->shape[i] - g->shape < g->shapes)
            add_body(f, s, p->shape[i], p->r[i], p->material[i]);
}

static void add_drawn(facts *f, const jo_scene *s, const jo_group *g)
{
    for (uint64_t k = 0; k < g->count; k++) {
        uint32_t shape;
        double q[4];
        jo_group_shape(g, k, &shape, q);
        add_body(f, s, shape, jo_group_radius(g, k), g->material);
    }
}

static void add_bounds(facts *f, const jo_scene *s, const jo_group *g)
{
    const double bounds[2] = {jo_sizes_smallest(&g->sizes), jo_sizes_largest(&g->sizes)};
    for (int k = 0; k < 2 && !isnan(bounds[k]); k++)
        for (uint32_t shape = 0; shape < g->shapes; shape++)
            add_body(f, s, g->shape + shape, bounds[k], g->material);
    f->together = NAN;
}

static facts facts_of(const jo_scene *s, const jo_group *g, const jo_population *placed)
{
    facts f = {.any = false};
    if (g->kind == JO_GROUP_EXPLICIT)
        add_population(&f, s, g, &g->listed);
    else if (placed != NULL && g->kind != JO_GROUP_FACTORY)
        add_population(&f, s, g, placed);
    else if (g->kind == JO_GROUP_RANDOM && isnan(g->fraction))
        add_drawn(&f, s, g);
    else
        add_bounds(&f, s, g);
    return f;
}

/* "a", or "a … b". */
static void text_range(char *text, size_t size, double least, double most)
{
    if (most - least <= 4.0 * DBL_EPSILON * most)
        snprintf(text, size, "%.4g", most);
    else
        snprintf(text, size, "%.4g … %.4g", least, most);
}

void poly_facts_print(const jo_scene *s, const jo_population *placed)
{
    table t = table_start("polyhedra|faces|volume [m³]|mass [kg]|x [m]|y [m]|z [m]|together [kg]");
    for (size_t k = 0; k < s->group_count; k++) {
        const jo_group *g = &s->groups[k];
        if (g->shapes == 0) continue;
        const facts f = facts_of(s, g, placed);
        char name[JO_NAME_SIZE], cell[QUANTITIES][40], together[40] = "";
        if (!f.any) continue;
        if (g->name[0] != '\0')
            snprintf(name, sizeof name, "%s", g->name);
        else
            snprintf(name, sizeof name, "%zu", k + 1);
        for (int c = 0; c < QUANTITIES; c++)
            text_range(cell[c], sizeof cell[c], f.least[c], f.most[c]);
        if (!isnan(f.together)) snprintf(together, sizeof together, "%.4g", f.together);
        table_row(&t, "%s|%s|%s|%s|%s|%s|%s|%s", name, cell[FACES], cell[VOLUME], cell[MASS],
                  cell[EXTENT_X], cell[EXTENT_Y], cell[EXTENT_Z], together);
    }
    if (t.rows > 1) {
        printf("\n");
        table_print(&t, stdout, "  ");
    }
    table_free(&t);
}

static void json_range(json *j, const char *key, const facts *f, quantity k)
{
    json_array(j, key);
    json_real(j, NULL, f->least[k]);
    json_real(j, NULL, f->most[k]);
    json_end(j);
}

void poly_facts_json(json *j, const jo_scene *s, const jo_population *placed)
{
    json_array(j, "polyhedra");
    for (size_t k = 0; k < s->group_count; k++) {
        const jo_group *g = &s->groups[k];
        if (g->shapes == 0) continue;
        const facts f = facts_of(s, g, placed);
        if (!f.any) continue;
        json_object(j, NULL);
        json_integer(j, "group", k);
        json_integer(j, "shapes", g->shapes);
        json_range(j, "faces", &f, FACES);
        json_array(j, "extents");
        for (int a = 0; a < 3; a++)
            json_range(j, NULL, &f, (quantity)(EXTENT_X + a));
        json_end(j);
        json_range(j, "volume", &f, VOLUME);
        json_range(j, "mass", &f, MASS);
        json_real(j, "mass_together", f.together);
        json_end(j);
    }
    json_end(j);
}
