/* generate.c — seeded systems of spheres.
 *
 * A system is made in three steps: diameters, the box, centres. Every random number is a function
 * of (seed, stream, index) — splitmix64 of a counter — so that body k does not depend on how many
 * bodies there are or in which order they are made, and a shorter system of the same definition
 * begins with the same sizes.
 *
 * Same bits everywhere: libm's exp, log, cbrt and cos differ in the last bit between machines, so
 * none is used. Powers of a ratio are products of repeated square roots (sqrt rounds exactly by
 * IEEE 754), the logarithm a series, the cube root Newton's iteration, directions come from
 * rejection.
 *
 * The box edge from a wanted number of contacts: two independent uniform centres in a volume V are
 * within ri + rj with probability c (ri + rj)^D / V, c = 2, pi or 4 pi / 3 for D = 1, 2, 3. There
 * are n (n − 1) / 2 pairs, so the contacts per body are (n / 2V) c E[(ri + rj)^D] up to 1/n and the
 * edge effects of an open box. The expectation expands into moments E[d^k], which every size
 * distribution here has in closed form. Paper 1's tests: 2D A 0.900, B 0.198, C 0.0260; 3D A 0.933,
 * B 0.0980, C 0.00483.
 *
 * Cost: O(n) for all but SCENE_PACKING (packing.c). */
#include "generate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "packing.h"

/* One stream of random numbers for each use, so that none is read twice. */
enum { STREAM_SIZE = 0, STREAM_X = 1, STREAM_CLUMP = 4, STREAM_DIRECTION = 16 };

static const double pi = 3.14159265358979323846;

/* ---- random numbers */

static uint64_t mix(uint64_t z)
{
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double scene_random(uint64_t seed, uint64_t stream, uint64_t index)
{
    const uint64_t key = mix(mix(seed) ^ stream);
    return (double)(mix(key + index * 0x9E3779B97F4A7C15u) >> 11) * 0x1p-53;
}

/* A random unit vector. Points in a cube are drawn until one lies in the ball; 64 tries fail with
 * probability below 1e-20, and then the x axis serves. */
static void random_direction(uint64_t seed, uint64_t stream, uint64_t index, int dim, double *u)
{
    for (uint64_t attempt = 0; attempt < 64; attempt++) {
        double square = 0.0;
        for (int a = 0; a < dim; a++) {
            const uint64_t k = stream + 3 * attempt + (uint64_t)a;
            u[a] = 2.0 * scene_random(seed, k, index) - 1.0;
            square += u[a] * u[a];
        }
        if (square > 1.0 || square < 1e-4) continue;
        const double length = sqrt(square);
        for (int a = 0; a < dim; a++)
            u[a] /= length;
        return;
    }
    u[0] = 1.0;
    for (int a = 1; a < dim; a++)
        u[a] = 0.0;
}

/* ---- functions that libm does not give to the last bit */

static double power(double x, int k)
{
    double p = 1.0;
    for (; k > 0; k--)
        p *= x;
    return p;
}

/* The natural logarithm of x > 0: x = m 2^e with m near 1, log m = 2 atanh((m − 1) / (m + 1)). */
static double logarithm(double x)
{
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0.70710678118654752440) m *= 2.0, exponent--;
    const double t = (m - 1.0) / (m + 1.0), t2 = t * t;
    double sum = 0.0;
    for (int k = 41; k >= 1; k -= 2)
        sum = sum * t2 + 1.0 / k;
    return 2.0 * t * sum + exponent * 0.69314718055994530942;
}

/* The dim-th root of v >= 0, dim 1 to 3. */
static double root(double v, int dim)
{
    if (dim == 1 || v == 0.0) return v;
    if (dim == 2) return sqrt(v);
    int exponent;
    double m = frexp(v, &exponent);
    while (exponent % 3 != 0)
        m *= 0.5, exponent++;
    double x = 1.0; /* m is in [1/8, 1): Newton comes down from above in a few steps */
    for (int k = 0; k < 12; k++)
        x -= (x * x * x - m) / (3.0 * x * x);
    return ldexp(x, exponent / 3);
}

/* roots[k] = ratio^(2^-(k+1)), from which any power between 0 and 1 is a product. */
enum { BITS = 53 };

static void fill_roots(double ratio, double *roots)
{
    for (int k = 0; k < BITS; k++)
        roots[k] = ratio = sqrt(ratio);
}

static double power_of_ratio(const double *roots, double u)
{
    double p = 1.0;
    for (int k = 0; k < BITS && u > 0.0; k++) {
        u *= 2.0;
        if (u >= 1.0) u -= 1.0, p *= roots[k];
    }
    return p;
}

/* ---- sizes */

/* E[d^k], k = 0 to 3. */
static double moment(const scene_def *def, int k)
{
    const double a = def->d_min, b = def->d_max;
    double sum = 0.0;
    switch (def->sizes) {
    case SCENE_EQUAL:
        return power(b, k);
    case SCENE_UNIFORM: /* (b^(k+1) − a^(k+1)) / ((k+1)(b − a)), divided out: no cancellation */
        for (int m = 0; m <= k; m++)
            sum += power(a, m) * power(b, k - m);
        return sum / (k + 1);
    case SCENE_LOG_UNIFORM:
        if (k == 0 || a == b) return power(b, k);
        return (power(b, k) - power(a, k)) / (k * logarithm(b / a));
    case SCENE_BIMODAL:
        return def->big_fraction * power(b, k) + (1.0 - def->big_fraction) * power(a, k);
    case SCENE_GIANT:
        return power(a, k) + (power(b, k) - power(a, k)) / (double)def->n;
    }
    return 0.0;
}

/* E[(ri + rj)^k] of two independent bodies. */
static double reach_moment(const scene_def *def, int k)
{
    static const double binomial[4][4] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}};
    double sum = 0.0;
    for (int m = 0; m <= k; m++)
        sum += binomial[k][m] * moment(def, m) * moment(def, k - m);
    return sum / power(2.0, k);
}

/* The volume of a ball of radius 1 in 1, 2 or 3 dimensions. */
static double unit_ball(int dim)
{
    return dim == 1 ? 2.0 : dim == 2 ? pi : 4.0 * pi / 3.0;
}

double scene_expected_contacts(const scene_def *def, double edge)
{
    return 0.5 * (double)def->n / power(edge, def->dim) * unit_ball(def->dim) *
           reach_moment(def, def->dim);
}

static void make_radii(const scene_def *def, double *r)
{
    double roots[BITS];
    if (def->sizes == SCENE_LOG_UNIFORM) fill_roots(def->d_max / def->d_min, roots);
    for (size_t i = 0; i < def->n; i++) {
        const double u = scene_random(def->seed, STREAM_SIZE, i);
        double d = def->d_max;
        if (def->sizes == SCENE_UNIFORM) d = def->d_min + (def->d_max - def->d_min) * u;
        if (def->sizes == SCENE_LOG_UNIFORM) d = def->d_min * power_of_ratio(roots, u);
        if (def->sizes == SCENE_BIMODAL) d = u < def->big_fraction ? def->d_max : def->d_min;
        if (def->sizes == SCENE_GIANT) d = i == 0 ? def->d_max : def->d_min;
        r[i] = 0.5 * d;
    }
}

/* ---- the box */

/* In how many dimensions the bodies are spread. */
static int spread(const scene_def *def)
{
    switch (def->layout) {
    case SCENE_LINE:
        return 1;
    case SCENE_SHELL:
    case SCENE_SLAB:
        return def->dim - 1;
    default:
        return def->dim;
    }
}

/* The volume (area, length) that the bodies share for the wanted density. */
static double wanted_volume(const scene_def *def, const double *r)
{
    const int k = spread(def);
    if (def->density > 0.0) return (double)def->n / def->density;
    if (def->fraction > 0.0) {
        double solid = 0.0;
        for (size_t i = 0; i < def->n; i++)
            solid += power(r[i], k);
        return solid * unit_ball(k) / def->fraction;
    }
    return 0.5 * (double)def->n * unit_ball(k) * reach_moment(def, k) / def->contacts;
}

/* Of a box of clumps, this part is clump. */
static const double clump_share = 0.02;
enum { CLUMP_BODIES = 256 };

static double box_edge(const scene_def *def, const double *r)
{
    if (def->edge > 0.0) return def->edge;
    const double volume = wanted_volume(def, r);
    switch (def->layout) {
    case SCENE_LINE:
        return volume / sqrt((double)def->dim);
    case SCENE_SHELL: /* a circle of diameter L is pi L long, a sphere pi L^2 large */
        return root(volume / pi, def->dim - 1) + def->d_max;
    case SCENE_CLUSTERS:
        return root(volume / clump_share, def->dim);
    default:
        return root(volume, spread(def));
    }
}

/* ---- centres */

static double *axis_of(const jo_particles *p, int a)
{
    return a == 0 ? p->x : a == 1 ? p->y : p->z;
}

static void set_box(jo_particles *p, const scene_def *def, const double *edge)
{
    p->has_domain = true;
    p->domain = (jo_domain){0};
    for (int a = 0; a < def->dim; a++) {
        p->domain.hi[a] = edge[a];
        p->domain.periodic[a] = def->periodic[a];
    }
}

/* Uniform in the box of p. */
static void place_random(const scene_def *def, jo_particles *p)
{
    for (int a = 0; a < def->dim; a++) {
        double *x = axis_of(p, a);
        for (size_t i = 0; i < def->n; i++)
            x[i] = p->domain.hi[a] * scene_random(def->seed, STREAM_X + (uint64_t)a, i);
    }
}

static void place_clusters(const scene_def *def, jo_particles *p, double edge)
{
    const size_t clumps = (def->n + CLUMP_BODIES - 1) / CLUMP_BODIES;
    const double width = edge * root(clump_share / (double)(clumps > 0 ? clumps : 1), def->dim);
    for (int a = 0; a < def->dim; a++) {
        double *x = axis_of(p, a);
        for (size_t i = 0; i < def->n; i++) {
            const uint64_t axis = (uint64_t)a;
            const double corner = scene_random(def->seed, STREAM_CLUMP + axis, i % clumps);
            x[i] = (edge - width) * corner + width * scene_random(def->seed, STREAM_X + axis, i);
        }
    }
}

static void place_shell(const scene_def *def, jo_particles *p, double edge)
{
    const double radius = fmax(0.0, 0.5 * (edge - def->d_max));
    for (size_t i = 0; i < def->n; i++) {
        double u[3];
        random_direction(def->seed, STREAM_DIRECTION, i, def->dim, u);
        for (int a = 0; a < def->dim; a++)
            axis_of(p, a)[i] = 0.5 * edge + radius * u[a];
    }
}

static void place_line(const scene_def *def, jo_particles *p, double edge)
{
    for (size_t i = 0; i < def->n; i++)
        for (int a = 0; a < def->dim; a++)
            axis_of(p, a)[i] = edge * scene_random(def->seed, STREAM_X, i);
}

/* How many cells on each axis hold `sites` sites at `per_cell` each: a near-cube without an empty
 * layer. */
static void lattice_shape(size_t sites, size_t per_cell, int dim, size_t *m)
{
    const size_t cells = sites / per_cell + (sites % per_cell > 0);
    size_t side = 1;
    while (power((double)side, dim) < (double)cells)
        side++;
    size_t layer = 1;
    for (int a = 0; a + 1 < dim; a++) {
        m[a] = side;
        layer *= side;
    }
    m[dim - 1] = cells > 0 ? (cells + layer - 1) / layer : 1;
}

/* Sites of a centred lattice with `sites` per cell, the last cell's filled in order. `basis` is in
 * units of the cell. */
static void place_lattice(const scene_def *def, jo_particles *p, const double *cell, size_t sites,
                          const double basis[][3])
{
    size_t m[3];
    double edge[3];
    lattice_shape(def->n, sites, def->dim, m);
    for (int a = 0; a < def->dim; a++)
        edge[a] = (double)m[a] * cell[a];
    set_box(p, def, edge);
    for (size_t i = 0; i < def->n; i++) {
        size_t index = i / sites;
        for (int a = 0; a < def->dim; a++) {
            axis_of(p, a)[i] = ((double)(index % m[a]) + basis[i % sites][a]) * cell[a];
            index /= m[a];
        }
    }
}

static void place_square(const scene_def *def, jo_particles *p)
{
    static const double basis[1][3] = {{0.5, 0.5, 0.5}};
    const double cell[3] = {def->d_max, def->d_max, def->d_max};
    place_lattice(def, p, cell, 1, basis);
}

static void place_close(const scene_def *def, jo_particles *p, double spacing)
{
    static const double hexagonal[2][3] = {{0.25, 0.25, 0}, {0.75, 0.75, 0}};
    static const double face_centred[4][3] = {
        {0.25, 0.25, 0.25}, {0.75, 0.75, 0.25}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}};
    if (def->dim == 2) {
        const double cell[3] = {spacing, spacing * sqrt(3.0), 0};
        place_lattice(def, p, cell, 2, hexagonal);
    } else {
        const double edge = spacing * sqrt(2.0), cell[3] = {edge, edge, edge};
        place_lattice(def, p, cell, 4, face_centred);
    }
}

/* The sites of a close packing are irrational: without a hair less room, rounding would part one
 * half of the pairs that touch. */
static const double touching = 1.0 - 1e-11;

/* Each coordinate moves by up to this part of the spacing: enough that the lattice is gone from the
 * list of contacts (about 1.6 per body at fraction 0.6), and few overlap deeply. */
static const double jitter = 0.2;

static void place_jittered(const scene_def *def, jo_particles *p)
{
    double solid = 0.0;
    for (size_t i = 0; i < def->n; i++)
        solid += unit_ball(def->dim) * power(p->r[i], def->dim);
    const double each = def->n > 0 ? solid / (double)def->n / def->fraction : 1.0;
    /* Volume per site: sqrt(3)/2 s^2 hexagonal, s^3 / sqrt(2) face-centred. */
    const double spacing = def->dim == 2 ? sqrt(each * 2.0 / sqrt(3.0)) : root(each * sqrt(2.0), 3);
    place_close(def, p, spacing);
    for (int a = 0; a < def->dim; a++) {
        double *x = axis_of(p, a);
        for (size_t i = 0; i < def->n; i++)
            x[i] +=
                jitter * spacing * (2.0 * scene_random(def->seed, STREAM_X + (uint64_t)a, i) - 1.0);
    }
}

/* ---- the whole */

scene_def scene_def_default(void)
{
    return (scene_def){.layout = SCENE_RANDOM,
                       .sizes = SCENE_UNIFORM,
                       .dim = 3,
                       .n = 1000,
                       .seed = 1,
                       .d_min = 0.05,
                       .d_max = 0.1,
                       .big_fraction = 0.01,
                       .density = 1000};
}

jo_status scene_fail(jo_error *error, jo_status status, const char *format, ...)
{
    if (error != NULL) {
        va_list args;
        va_start(args, format);
        error->status = status;
        vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
    }
    return status;
}

static void complain(jo_error *found, jo_status status, const char *sentence)
{
    const size_t used = found->status == JO_OK ? 0 : strlen(found->text);
    if (found->status == JO_OK) found->status = status;
    snprintf(found->text + used, sizeof found->text - used, "%s%s", used > 0 ? "; " : "", sentence);
}

/* A length that is 0 (not set) or positive and of a size whose cube is still a number. */
static bool plausible(double v)
{
    return v >= 0.0 && v <= 1e90;
}

static bool has_own_box(const scene_def *def)
{
    return def->layout == SCENE_LATTICE || def->layout == SCENE_CLOSE;
}

static void check_box(const scene_def *def, jo_error *found)
{
    if (!plausible(def->edge) || !plausible(def->density) || !plausible(def->fraction) ||
        !plausible(def->contacts))
        complain(found, JO_ERR_ARGUMENT,
                 "edge, density, fraction and contacts must be finite and above 0, or 0 for unset");
    else if (def->layout == SCENE_JITTERED && def->fraction == 0.0)
        complain(found, JO_ERR_ARGUMENT, "a jittered lattice needs a solid fraction");
    else if (!has_own_box(def) && def->edge == 0.0 && def->density == 0.0 && def->fraction == 0.0 &&
             def->contacts == 0.0)
        complain(found, JO_ERR_ARGUMENT,
                 "the box is not given; set edge, density, fraction or contacts");
    if (!(fabs(def->outlier) <= 1e50)) complain(found, JO_ERR_ARGUMENT, "outlier must be finite");
}

jo_status scene_check(const scene_def *def, jo_error *error)
{
    jo_error found = {0};
    if (def->n > JO_BODIES_MAX)
        complain(&found, JO_ERR_LIMIT, "there are more bodies than fit one search");
    if (def->dim != 2 && def->dim != 3)
        complain(&found, JO_ERR_ARGUMENT, "the dimension must be 2 or 3");
    if ((unsigned)def->layout > SCENE_SLAB) complain(&found, JO_ERR_ARGUMENT, "unknown layout");
    if ((unsigned)def->sizes > SCENE_GIANT)
        complain(&found, JO_ERR_ARGUMENT, "unknown size distribution");
    if (!(def->d_max > 0.0 && def->d_max <= 1e90))
        complain(&found, JO_ERR_ARGUMENT, "d_max must be a length above 0");
    if (def->sizes != SCENE_EQUAL && !(def->d_min >= 0.0 && def->d_min <= def->d_max))
        complain(&found, JO_ERR_ARGUMENT, "d_min must be at least 0 and at most d_max");
    if (def->sizes == SCENE_LOG_UNIFORM && !(def->d_min > 0.0))
        complain(&found, JO_ERR_ARGUMENT, "log-uniform sizes need a d_min above 0");
    if (def->sizes == SCENE_BIMODAL && !(def->big_fraction >= 0.0 && def->big_fraction <= 1.0))
        complain(&found, JO_ERR_ARGUMENT, "big_fraction must be 0 to 1");
    check_box(def, &found);
    if (found.status != JO_OK && error != NULL) *error = found;
    return found.status;
}

static jo_status place(const scene_def *def, jo_particles *p, jo_error *error)
{
    if (def->layout == SCENE_LATTICE) return place_square(def, p), JO_OK;
    if (def->layout == SCENE_CLOSE) return place_close(def, p, def->d_max * touching), JO_OK;
    if (def->layout == SCENE_JITTERED) return place_jittered(def, p), JO_OK;

    double one = box_edge(def, p->r), edge[3];
    if (!(one > 0.0 && one <= 1e100)) {
        if (def->n > 0)
            return scene_fail(error, JO_ERR_ARGUMENT,
                              "these sizes and densities give a box of edge %g", one);
        one = 1.0; /* an empty system has no density to follow */
    }
    for (int a = 0; a < def->dim; a++)
        edge[a] = one;
    if (def->layout == SCENE_SLAB) edge[def->dim - 1] = def->d_max;
    set_box(p, def, edge);
    switch (def->layout) {
    case SCENE_CLUSTERS:
        place_clusters(def, p, one);
        break;
    case SCENE_SHELL:
        place_shell(def, p, one);
        break;
    case SCENE_LINE:
        place_line(def, p, one);
        break;
    default:
        place_random(def, p);
        break;
    }
    /* Rounds enough for a fraction of 0.63 (0.82 in 2D); the usual packing needs some hundreds. */
    return def->layout == SCENE_PACKING ? scene_relax(p, 1e-3, 6000, error) : JO_OK;
}

jo_status scene_generate(const scene_def *def, jo_particles *particles, jo_error *error)
{
    *particles = (jo_particles){0};
    jo_status status = scene_check(def, error);
    if (status == JO_OK) status = jo_particles_allocate(particles, def->n, def->dim, error);
    if (status != JO_OK) return status;
    make_radii(def, particles->r);
    status = place(def, particles, error);
    if (status != JO_OK) {
        jo_particles_free(particles);
        return status;
    }
    if (def->outlier != 0.0 && def->n > 0)
        for (int a = 0; a < def->dim; a++)
            axis_of(particles, a)[def->n - 1] = def->outlier * particles->domain.hi[a];
    return JO_OK;
}

void scene_move(jo_particles *particles, double step, uint64_t seed, uint64_t round,
                bool persistent)
{
    const uint64_t key = persistent ? mix(seed) : mix(mix(seed) + round + 1);
    for (size_t i = 0; i < particles->n; i++) {
        double u[3];
        random_direction(key, STREAM_DIRECTION, i, particles->dim, u);
        for (int a = 0; a < particles->dim; a++)
            axis_of(particles, a)[i] += step * u[a];
    }
}
