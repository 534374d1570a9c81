/* crystal.c — the lattices on which bodies are placed, and whether bodies on them overlap.
 *
 * All bodies being alike, one body and its neighbours say it, as far as the spheres around two
 * bodies reach: the depth of each pair by its closest features. Cost: 0.3 µs a neighbour, at most
 * some thousands. */
#include "scene/crystal.h"

#include <math.h>
#include <string.h>

#include "jostle/features.h"

#define SQRT2   1.4142135623730951
#define SQRT3   1.7320508075688772
#define SQRT8_3 1.6329931618554521

static const crystal crystals[] = {
    {"cubic", 3, 1, {1, 1, 1}, {{0, 0, 0}}},
    {"bcc", 3, 2, {2 / SQRT3, 2 / SQRT3, 2 / SQRT3}, {{0, 0, 0}, {0.5, 0.5, 0.5}}},
    {"fcc", 3, 4, {SQRT2, SQRT2, SQRT2}, {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}}},
    {"hcp",
     3,
     4,
     {1, SQRT3, SQRT8_3},
     {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 1.0 / 6.0, 0.5}, {0, 2.0 / 3.0, 0.5}}},
    {"square", 2, 1, {1, 1, 0}, {{0, 0, 0}}},
    {"hexagonal", 2, 2, {1, SQRT3, 0}, {{0, 0, 0}, {0.5, 0.5, 0}}},
};

const crystal *jo_crystal(const jo_group *group, int dim)
{
    for (size_t k = 0; k < sizeof crystals / sizeof *crystals; k++)
        if (crystals[k].dim == dim &&
            strncmp(crystals[k].name, group->lattice, sizeof group->lattice) == 0)
            return &crystals[k];
    return NULL;
}

/* Bodies that are all of one shape and turned alike. */
typedef struct stack {
    const crystal *c;
    const jo_polyhedron *shape;
    double reach;   /* the radius around it */
    double spacing; /* in the shape's own unit */
    jo_pose pose;
} stack;

/* How deep bodies overlap whose sites are apart by that, in edges of the cell. */
static double depth_at(const stack *s, const double apart[3])
{
    jo_feature_pair start = {{JO_FEATURE_NONE, 0}, {JO_FEATURE_NONE, 0}};
    jo_closest found;
    jo_pose other = s->pose;
    double square = 0.0;
    for (int a = 0; a < 3; a++) {
        other.at[a] = s->spacing * s->c->edge[a] * apart[a];
        square += other.at[a] * other.at[a];
    }
    if (square == 0.0 || square >= 4.0 * s->reach * s->reach) return 0.0;
    jo_features_contact(s->shape, &s->pose, s->shape, &other, &start, &found);
    return found.overlap ? -found.distance : 0.0;
}

/* The deepest overlap of bodies in cells that far apart. */
static double deepest_of_cells(const stack *s, int i, int j, int k)
{
    double deepest = 0.0;
    for (int from = 0; from < s->c->sites; from++)
        for (int to = 0; to < s->c->sites; to++) {
            const double *p = s->c->at[from], *q = s->c->at[to];
            const double apart[3] = {i + q[0] - p[0], j + q[1] - p[1], k + q[2] - p[2]};
            deepest = fmax(deepest, depth_at(s, apart));
        }
    return deepest;
}

double jo_crystal_overlap(const crystal *c, double spacing, const jo_polyhedron *shape,
                          double radius, const double orientation[4])
{
    enum { CELLS_MAX = 6 };
    const double reach = jo_polyhedron_look(shape).radius;
    stack s = {.c = c, .shape = shape, .reach = reach, .spacing = spacing * reach / radius};
    double deepest = 0.0;
    int n[3];
    jo_pose_turn(&s.pose, orientation);
    for (int a = 0; a < 3; a++)
        n[a] = (int)fmin(ceil(2.0 * radius / (spacing * c->edge[a])) + 1.0, CELLS_MAX);
    for (int k = -n[2]; k <= n[2]; k++)
        for (int j = -n[1]; j <= n[1]; j++)
            for (int i = -n[0]; i <= n[0]; i++)
                deepest = fmax(deepest, deepest_of_cells(&s, i, j, k));
    return deepest * radius / reach;
}
