/* poly_solids.c — solids by name, and rocks.
 *
 * A named solid is its corners and the outward directions of its faces: the corners of a face are
 * those farthest along its direction, put in order around it. Thus the five regular solids need two
 * tables of points: the faces of one look towards the corners of its dual. A rock is the hull of
 * points on an ellipsoid, so that every one of them is a corner and faces = 2 points - 4. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "scene/poly.h"

enum { CORNERS_MAX = 20, SIDES_MAX = 100000 };
#define GOLDEN 1.6180339887498948482
#define SHORT  0.61803398874989484820 /* GOLDEN - 1 */

static const double tetrahedron[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
static const double counter[4][3] = {{-1, -1, -1}, {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}};
static const double cube[8][3] = {{1, 1, 1},  {1, 1, -1},  {1, -1, 1},  {1, -1, -1},
                                  {-1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {-1, -1, -1}};
static const double octahedron[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                        {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
static const double dodecahedron[20][3] = {
    {1, 1, 1},          {1, 1, -1},          {1, -1, 1},          {1, -1, -1},
    {-1, 1, 1},         {-1, 1, -1},         {-1, -1, 1},         {-1, -1, -1},
    {0, SHORT, GOLDEN}, {0, SHORT, -GOLDEN}, {0, -SHORT, GOLDEN}, {0, -SHORT, -GOLDEN},
    {SHORT, GOLDEN, 0}, {SHORT, -GOLDEN, 0}, {-SHORT, GOLDEN, 0}, {-SHORT, -GOLDEN, 0},
    {GOLDEN, 0, SHORT}, {-GOLDEN, 0, SHORT}, {GOLDEN, 0, -SHORT}, {-GOLDEN, 0, -SHORT}};
static const double icosahedron[12][3] = {{1, 0, GOLDEN},   {1, 0, -GOLDEN},  {-1, 0, GOLDEN},
                                          {-1, 0, -GOLDEN}, {GOLDEN, 1, 0},   {-GOLDEN, 1, 0},
                                          {GOLDEN, -1, 0},  {-GOLDEN, -1, 0}, {0, GOLDEN, 1},
                                          {0, GOLDEN, -1},  {0, -GOLDEN, 1},  {0, -GOLDEN, -1}};

typedef struct regular {
    const char *name;
    const double (*corners)[3], (*faces)[3];
    size_t n_corners, n_faces;
} regular;

static const regular solids[] = {
    {"tetrahedron", tetrahedron, counter, 4, 4},
    {"cube", cube, octahedron, 8, 6},
    {"octahedron", octahedron, cube, 6, 8},
    {"dodecahedron", dodecahedron, icosahedron, 20, 12},
    {"icosahedron", icosahedron, dodecahedron, 12, 20},
};

const char *const *jo_solid_names(void)
{
    static const char *const names[] = {"tetrahedron", "cube",  "octahedron", "dodecahedron",
                                        "icosahedron", "prism", NULL};
    return names;
}

jo_solid_def jo_solid_def_default(const char *name)
{
    return (jo_solid_def){.name = name, .radius = 1.0, .sides = 6, .height = 1.0};
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The corners of the face that looks along n, counter-clockwise: picked, then sorted by angle. */
static size_t face_corners(const double (*points)[3], size_t count, const double n[3],
                           uint32_t *corner)
{
    double far = -INFINITY, angle[CORNERS_MAX];
    size_t found = 0;
    for (size_t k = 0; k < count; k++)
        far = fmax(far, dot(points[k], n));
    const double *first = NULL;
    for (size_t k = 0; k < count; k++) {
        if (dot(points[k], n) < far - 1e-9) continue;
        if (first == NULL) first = points[k];
        const double side[3] = {n[1] * first[2] - n[2] * first[1],
                                n[2] * first[0] - n[0] * first[2],
                                n[0] * first[1] - n[1] * first[0]};
        const double n2 = dot(n, n), along = dot(points[k], n);
        const double x = n2 * dot(points[k], first) - along * dot(first, n);
        const double turn = atan2(dot(points[k], side) * sqrt(n2), x);
        size_t at = found++;
        for (; at > 0 && angle[at - 1] > turn; at--) {
            angle[at] = angle[at - 1];
            corner[at] = corner[at - 1];
        }
        angle[at] = turn;
        corner[at] = (uint32_t)k;
    }
    return found;
}

static jo_status make_regular(const regular *r, double radius, jo_polyhedron **shape,
                              jo_error *error)
{
    double points[CORNERS_MAX][3];
    size_t offset[CORNERS_MAX + 1] = {0};
    uint32_t corner[6 * CORNERS_MAX];
    const double scale = radius / sqrt(dot(r->corners[0], r->corners[0]));
    for (size_t k = 0; k < r->n_corners; k++)
        for (int i = 0; i < 3; i++)
            points[k][i] = scale * r->corners[k][i];
    for (size_t f = 0; f < r->n_faces; f++)
        offset[f + 1] =
            offset[f] + face_corners(r->corners, r->n_corners, r->faces[f], corner + offset[f]);
    return jo_polyhedron_from_faces(points[0], r->n_corners, offset, corner, r->n_faces, shape,
                                    error);
}

/* Base and top have corners 0 … sides - 1 and sides … 2 sides - 1. */
static jo_status make_prism(const jo_solid_def *def, jo_polyhedron **shape, jo_error *error)
{
    const size_t n = def->sides;
    double *points = malloc(6 * n * sizeof *points);
    size_t *offset = malloc((n + 3) * sizeof *offset);
    uint32_t *corner = malloc(6 * n * sizeof *corner);
    jo_status status;
    if (points == NULL || offset == NULL || corner == NULL) {
        status = jo_fail_memory(error, n * 48, "a prism");
    } else {
        offset[0] = 0;
        offset[1] = n;
        for (size_t k = 0; k < n; k++) {
            const double angle = 6.283185307179586477 * (double)k / (double)n;
            const size_t next = (k + 1) % n;
            const uint32_t side[4] = {(uint32_t)k, (uint32_t)next, (uint32_t)(n + next),
                                      (uint32_t)(n + k)};
            for (size_t end = 0; end < 2; end++) {
                double *x = points + 3 * (k + end * n);
                x[0] = def->radius * cos(angle);
                x[1] = def->radius * sin(angle);
                x[2] = (end == 0 ? -0.5 : 0.5) * def->height;
            }
            corner[k] = (uint32_t)(n - 1 - k);
            corner[n + k] = (uint32_t)(n + k);
            memcpy(corner + 2 * n + 4 * k, side, sizeof side);
            offset[2 + k] = 2 * n + 4 * k;
        }
        offset[n + 2] = 6 * n;
        status = jo_polyhedron_from_faces(points, 2 * n, offset, corner, n + 2, shape, error);
    }
    free(points);
    free(offset);
    free(corner);
    return status;
}

jo_status jo_polyhedron_solid(const jo_solid_def *def, jo_polyhedron **shape, jo_error *error)
{
    *shape = NULL;
    if (def == NULL || def->name == NULL)
        return jo_fail_missing(error, def == NULL ? "the solid" : "the solid's name");
    if (!(def->radius >= 1e-50 && def->radius <= 1e50))
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "the radius of a solid must be from 1e-50 to 1e50, not %g", def->radius);
    for (size_t k = 0; k < sizeof solids / sizeof *solids; k++)
        if (strcmp(def->name, solids[k].name) == 0)
            return make_regular(&solids[k], def->radius, shape, error);
    if (strcmp(def->name, "prism") != 0)
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "there is no solid '%.40s'; there are tetrahedron, cube, octahedron, "
                       "dodecahedron, icosahedron and prism",
                       def->name);
    if (def->sides < 3 || def->sides > SIDES_MAX)
        return jo_fail(error, JO_ERR_ARGUMENT, "a prism has 3 to %d sides, not %zu", SIDES_MAX,
                       def->sides);
    if (!(def->height >= 1e-7 * def->radius && def->height <= 1e7 * def->radius))
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "the height of a prism must be from 1e-7 to 1e7 radii of its base, not %g: "
                       "of thinner bodies queries have too few digits",
                       def->height / def->radius);
    return make_prism(def, shape, error);
}

/* ---- rocks ---- */

jo_rock_def jo_rock_def_default(void)
{
    return (jo_rock_def){.faces = 100, .axes = {1.0, 1.0, 1.0}, .irregularity = 0.5, .seed = 1};
}

/* Point k of n on the unit sphere: along a spiral of equal areas, shifted by a random vector of the
 * tangent plane whose length is `irregularity` spacings; at 1 the place is uniform instead. */
static void sphere_point(const jo_rock_def *def, size_t k, size_t n, double x[3])
{
    random_stream r = jo_random_start(def->seed, k);
    double moved[3], length = 0.0;
    const double z = 1.0 - (2.0 * (double)k + 1.0) / (double)n, s = sqrt(fmax(0.0, 1.0 - z * z));
    const double turn = 2.3999632297286533 * (double)k; /* the golden angle */
    const double spacing = sqrt(12.566370614359172 / (double)n);
    const double even[3] = {s * cos(turn), s * sin(turn), z};
    for (int i = 0; i < 3; i++)
        moved[i] = jo_random_normal(&r);
    for (int i = 0; i < 3; i++) {
        if (def->irregularity < 1.0)
            moved[i] = even[i] + def->irregularity * 0.5 * spacing * moved[i];
        length += moved[i] * moved[i];
    }
    for (int i = 0; i < 3; i++)
        x[i] = moved[i] / sqrt(length);
}

jo_status jo_polyhedron_rock(const jo_rock_def *def, jo_polyhedron **shape, jo_error *error)
{
    *shape = NULL;
    if (def == NULL) return jo_fail_missing(error, "the rock");
    if (def->faces < 4 || def->faces % 2 != 0 || def->faces > 2000000)
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "a rock has an even number of faces from 4 to 2000000, not %zu: they are "
                       "triangles, twice as many as its corners less four",
                       def->faces);
    if (!(def->irregularity >= 0.0 && def->irregularity <= 1.0))
        return jo_fail(error, JO_ERR_ARGUMENT, "irregularity must be from 0 to 1, not %g",
                       def->irregularity);
    for (int i = 0; i < 3; i++)
        if (!(def->axes[i] >= 1e-50 && def->axes[i] <= 1e50))
            return jo_fail(error, JO_ERR_ARGUMENT,
                           "axis %d of a rock must be from 1e-50 to 1e50, not %g", i, def->axes[i]);
    const size_t n = def->faces / 2 + 2;
    double *points = malloc(3 * n * sizeof *points);
    if (points == NULL) return jo_fail_memory(error, 24 * n, "a rock");
    for (size_t k = 0; k < n; k++) {
        sphere_point(def, k, n, points + 3 * k);
        for (size_t i = 0; i < 3; i++)
            points[3 * k + i] *= def->axes[i];
    }
    const jo_status status = jo_polyhedron_from_points(points, n, shape, error);
    free(points);
    return status;
}
