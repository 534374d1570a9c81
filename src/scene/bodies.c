/* bodies.c — views over the caller's arrays; the survey that checks and measures them.
 *
 * The survey runs before every search, so it is one sequential pass: validity is gathered as a flag
 * per chunk (a compare that NaN fails), and only a chunk found bad is looked at again to name the
 * body. */
#include "scene/survey.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "scene/touch.h"

jo_bodies jo_spheres(size_t n, int dim, const double *x, const double *y, const double *z,
                     const double *r)
{
    return (jo_bodies){.shape = JO_SPHERES,
                       .dim = dim,
                       .n = n,
                       .x = {x, y, z},
                       .r = r,
                       .x_stride = 1,
                       .r_stride = 1};
}

jo_bodies jo_spheres_interleaved(size_t n, int dim, const double *centres, const double *r)
{
    return (jo_bodies){.shape = JO_SPHERES,
                       .dim = dim,
                       .n = n,
                       .x = {centres, centres + 1, dim == 3 ? centres + 2 : NULL},
                       .r = r,
                       .x_stride = (size_t)dim,
                       .r_stride = 1};
}

jo_bodies jo_boxes_interleaved(size_t n, int dim, const double *lower, const double *upper)
{
    return (jo_bodies){.shape = JO_BOXES,
                       .dim = dim,
                       .n = n,
                       .x = {lower, lower + 1, dim == 3 ? lower + 2 : NULL},
                       .upper = {upper, upper + 1, dim == 3 ? upper + 2 : NULL},
                       .x_stride = (size_t)dim,
                       .r_stride = 1};
}

bool jo_bodies_touch(const jo_bodies *bodies, const jo_domain *domain, size_t i, size_t j)
{
    const jo_domain open = {0};
    return touch(bodies, domain != NULL ? domain : &open, i, j);
}

static jo_status check_arrays(const jo_bodies *b, jo_error *error)
{
    if (b->dim != 2 && b->dim != 3)
        return jo_fail(error, JO_ERR_ARGUMENT, "dimension is %d; it must be 2 or 3", b->dim);
    if (b->shape != JO_SPHERES && b->shape != JO_BOXES)
        return jo_fail(error, JO_ERR_ARGUMENT, "unknown shape %d", (int)b->shape);
    if (b->n > JO_BODIES_MAX)
        return jo_fail(error, JO_ERR_LIMIT, "%zu bodies; at most %zu fit one search", b->n,
                       JO_BODIES_MAX);
    if (b->n == 0) return JO_OK;
    if (b->x_stride < 1 || (b->shape == JO_SPHERES && b->r_stride < 1))
        return jo_fail(error, JO_ERR_ARGUMENT, "a stride is 0; packed arrays have stride 1");
    for (int a = 0; a < b->dim; a++)
        if (b->x[a] == NULL || (b->shape == JO_BOXES && b->upper[a] == NULL))
            return jo_fail(error, JO_ERR_ARGUMENT, "the array of %c coordinates is missing",
                           "xyz"[a]);
    if (b->shape == JO_SPHERES && b->r == NULL)
        return jo_fail(error, JO_ERR_ARGUMENT, "the array of radii is missing");
    return JO_OK;
}

static jo_status check_domain(const jo_domain *domain, int dim, jo_error *error)
{
    for (int a = 0; a < dim; a++) {
        if (!domain->periodic[a]) continue;
        const double lo = domain->lo[a], hi = domain->hi[a];
        if (!(fabs(lo) <= JO_COORDINATE_MAX && fabs(hi) <= JO_COORDINATE_MAX))
            return jo_fail(error, JO_ERR_DATA,
                           "the periodic box on %c is [%g, %g]; its ends must be finite and at "
                           "most %g in magnitude",
                           "xyz"[a], lo, hi, JO_COORDINATE_MAX);
        if (!(hi - lo > 0.0) || !(hi - lo > 1e-12 * fmax(fabs(lo), fabs(hi))) || hi - lo < 1e-150)
            return jo_fail(error, JO_ERR_DATA,
                           "the periodic box on %c is [%g, %g]; it needs a length above zero and "
                           "above rounding",
                           "xyz"[a], lo, hi);
    }
    return JO_OK;
}

static bool in_range(double v)
{
    return v >= -JO_COORDINATE_MAX && v <= JO_COORDINATE_MAX; /* false for NaN */
}

/* Names what is wrong with the first bad body at or after `from`. */
static jo_status report_bad_body(const jo_bodies *b, size_t from, jo_error *error)
{
    for (size_t i = from; i < b->n; i++) {
        for (int a = 0; a < b->dim; a++) {
            const double x = b->x[a][i * b->x_stride];
            const double u = b->shape == JO_BOXES ? b->upper[a][i * b->x_stride] : x;
            if (!in_range(x) || !in_range(u))
                return jo_fail(error, JO_ERR_DATA,
                               "body %zu: %c is %g; coordinates must be finite and at most %g in "
                               "magnitude",
                               i, "xyz"[a], in_range(x) ? u : x, JO_COORDINATE_MAX);
            if (u < x)
                return jo_fail(error, JO_ERR_DATA, "body %zu: upper %c is %g, below lower %c %g", i,
                               "xyz"[a], u, "xyz"[a], x);
        }
        if (b->shape == JO_SPHERES) {
            const double r = b->r[i * b->r_stride];
            if (!(r >= 0.0 && r <= JO_COORDINATE_MAX))
                return jo_fail(error, JO_ERR_DATA,
                               "body %zu: radius is %g; radii must be finite, at least 0 and at "
                               "most %g",
                               i, r, JO_COORDINATE_MAX);
        }
    }
    JO_ASSERT(false && "a bad body was counted but not found");
    return JO_ERR_DATA;
}

enum { CHUNK = 4096 };

/* Minimum and maximum of a strided array into *lo and *hi; false if a value is out of range or NaN.
 * Four independent accumulators let the compiler use vector minima without reordering sums. */
static bool extent(const double *v, size_t stride, size_t n, double *lo, double *hi)
{
    double l0 = *lo, l1 = l0, l2 = l0, l3 = l0, h0 = *hi, h1 = h0, h2 = h0, h3 = h0;
    int bad = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const double a = v[i * stride], b = v[(i + 1) * stride];
        const double c = v[(i + 2) * stride], d = v[(i + 3) * stride];
        /* NaN fails every comparison, so it is caught here and not by the bounds. */
        bad |= (a != a) | (b != b) | (c != c) | (d != d);
        l0 = a < l0 ? a : l0, l1 = b < l1 ? b : l1, l2 = c < l2 ? c : l2, l3 = d < l3 ? d : l3;
        h0 = a > h0 ? a : h0, h1 = b > h1 ? b : h1, h2 = c > h2 ? c : h2, h3 = d > h3 ? d : h3;
    }
    for (; i < n; i++) {
        const double a = v[i * stride];
        bad |= a != a;
        l0 = a < l0 ? a : l0;
        h0 = a > h0 ? a : h0;
    }
    *lo = fmin(fmin(l0, l1), fmin(l2, l3));
    *hi = fmax(fmax(h0, h1), fmax(h2, h3));
    return !bad && in_range(*lo) && in_range(*hi);
}

static double sum(const double *v, size_t stride, size_t n)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += v[i * stride], s1 += v[(i + 1) * stride];
        s2 += v[(i + 2) * stride], s3 += v[(i + 3) * stride];
    }
    for (; i < n; i++)
        s0 += v[i * stride];
    return (s0 + s1) + (s2 + s3);
}

static bool survey_spheres(const jo_bodies *b, size_t from, size_t n, survey *s)
{
    bool good = true;
    for (int a = 0; a < b->dim; a++)
        good &= extent(b->x[a] + from * b->x_stride, b->x_stride, n, &s->lo[a], &s->hi[a]);
    good &= extent(b->r + from * b->r_stride, b->r_stride, n, &s->r_min, &s->r_max);
    s->r_mean += sum(b->r + from * b->r_stride, b->r_stride, n);
    return good && s->r_min >= 0.0;
}

static bool survey_boxes(const jo_bodies *b, size_t from, size_t n, survey *s)
{
    bool good = true;
    for (size_t i = from; i < from + n; i++) {
        for (int a = 0; a < b->dim; a++) {
            const double x = b->x[a][i * b->x_stride], u = b->upper[a][i * b->x_stride];
            good &= in_range(x) && in_range(u) && x <= u;
            const double c = body_centre(b, i, a);
            s->lo[a] = fmin(s->lo[a], c);
            s->hi[a] = fmax(s->hi[a], c);
        }
        const double r = body_radius(b, i);
        s->r_min = fmin(s->r_min, r);
        s->r_max = fmax(s->r_max, r);
        s->r_mean += r;
    }
    return good;
}

jo_status jo_check_view(const jo_bodies *bodies, const jo_domain *domain, jo_error *error)
{
    const jo_status status = check_arrays(bodies, error);
    return status == JO_OK ? check_domain(domain, bodies->dim, error) : status;
}

jo_status jo_survey(const jo_bodies *bodies, const jo_domain *domain, survey *out, jo_error *error)
{
    const jo_status status = jo_check_view(bodies, domain, error);
    if (status != JO_OK) return status;

    *out = (survey){0};
    if (bodies->n == 0) return JO_OK;
    survey s = {.lo = {INFINITY, INFINITY, INFINITY},
                .hi = {-INFINITY, -INFINITY, -INFINITY},
                .r_min = INFINITY,
                .r_max = -INFINITY};
    for (size_t from = 0; from < bodies->n; from += CHUNK) {
        const size_t n = bodies->n - from < CHUNK ? bodies->n - from : CHUNK;
        const bool good = bodies->shape == JO_SPHERES ? survey_spheres(bodies, from, n, &s)
                                                      : survey_boxes(bodies, from, n, &s);
        if (!good) return report_bad_body(bodies, from, error);
    }
    s.r_mean /= (double)bodies->n;
    if (bodies->dim == 2) s.lo[2] = s.hi[2] = 0.0;
    *out = s;
    return JO_OK;
}

jo_status jo_bodies_check(const jo_bodies *bodies, const jo_domain *domain, jo_error *error)
{
    const jo_domain open = {0};
    survey ignored;
    if (bodies == NULL) return jo_fail(error, JO_ERR_ARGUMENT, "bodies is NULL");
    return jo_survey(bodies, domain != NULL ? domain : &open, &ignored, error);
}

double jo_survey_magnitude(const survey *s, const jo_domain *domain, int dim)
{
    double m = 0.0;
    for (int a = 0; a < dim; a++) {
        m = fmax(m, fmax(fabs(s->lo[a]), fabs(s->hi[a])));
        if (domain->periodic[a]) m = fmax(m, fmax(fabs(domain->lo[a]), fabs(domain->hi[a])));
    }
    return m + s->r_max;
}
