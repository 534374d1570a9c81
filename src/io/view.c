/* view.c — from bodies and contacts to marks and lines on the picture.
 *
 * Projection is parallel: every length on the screen is a length of the system seen at that angle,
 * and a sphere stays a circle. On periodic axes centres are wrapped into the box first. In 2D a
 * disc that reaches over an edge appears at both sides, cut by the frame; in 3D it appears once,
 * whole. A contact goes from each centre to the nearest image of the other; one that leaves the box
 * is drawn as its two halves, each ending at the face, never across the box.
 *
 * A body is drawn no smaller than a speck that can be seen, unless there are so many that specks
 * would fill the picture: then their total area is kept to a quarter of it.
 *
 * Coordinates may be as large as JO_COORDINATE_MAX; the arithmetic is in double, relative to the
 * middle of the box, and only pixels are stored as floats, bounded first.
 *
 * Cost: O(n) and O(contacts), with radix sorts for the order; 28 bytes per mark and 32 per line,
 * twice that while sorting. */
#include "io/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/touch.h"

#define PIXELS_MAX 1e6 /* beyond this everything is out of the picture anyway */

/* ---- projection */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The box to show on axis a. */
static void extent(view *v, const jo_bodies *bodies, const jo_domain *domain, int a)
{
    if (domain->periodic[a]) {
        v->periodic[a] = true;
        v->lo[a] = domain->lo[a];
        v->hi[a] = domain->hi[a];
        return;
    }
    for (size_t i = 0; i < bodies->n; i++) {
        double lower, upper;
        body_interval(bodies, i, a, &lower, &upper);
        if (i == 0 || lower < v->lo[a]) v->lo[a] = lower;
        if (i == 0 || upper > v->hi[a]) v->hi[a] = upper;
    }
}

void jo_view_make(view *v, const jo_bodies *bodies, const jo_domain *domain, double azimuth,
                  double elevation)
{
    *v = (view){.dim = bodies->dim, .right = {1, 0, 0}, .up = {0, 1, 0}, .eye = {0, 0, 1}};
    for (int a = 0; a < v->dim; a++) {
        extent(v, bodies, domain, a);
        v->middle[a] = 0.5 * v->lo[a] + 0.5 * v->hi[a];
        v->from[a] = v->lo[a];
        v->to[a] = v->hi[a];
    }
    if (v->dim != 3) return;
    const double degree = 3.14159265358979323846 / 180.0;
    const double ca = cos(azimuth * degree), sa = sin(azimuth * degree);
    const double ce = cos(elevation * degree), se = sin(elevation * degree);
    const double right[3] = {-sa, ca, 0.0}, up[3] = {-se * ca, -se * sa, ce},
                 eye[3] = {ce * ca, ce * sa, se};
    memcpy(v->right, right, sizeof right);
    memcpy(v->up, up, sizeof up);
    memcpy(v->eye, eye, sizeof eye);
}

void jo_view_fit(view *v, window target)
{
    double wide = 0.0, tall = 0.0, deep = 0.0;
    for (int a = 0; a < v->dim; a++) {
        const double edge = v->to[a] - v->from[a];
        wide += edge * fabs(v->right[a]);
        tall += edge * fabs(v->up[a]);
        deep += edge * fabs(v->eye[a]);
    }
    const double across = target.x1 - target.x0, down = target.y1 - target.y0;
    if (!(wide > 1e-280) && !(tall > 1e-280)) wide = tall = 1.0; /* points at one place */
    v->scale = across / wide < down / tall ? across / wide : down / tall;
    v->x = 0.5 * (target.x0 + target.x1);
    v->y = 0.5 * (target.y0 + target.y1);
    v->depth_hi = 0.5 * deep * v->scale;
    v->depth_lo = -v->depth_hi;
    v->clip = target;
    if (v->dim != 2) return;
    /* Frames fall on whole pixels, so that they are crisp and clip exactly. */
    const double left = v->x - 0.5 * wide * v->scale, top = v->y - 0.5 * tall * v->scale;
    v->x += floor(left + 0.5) - left;
    v->y += floor(top + 0.5) - top;
    if (v->periodic[0] || v->focused) {
        v->clip.x0 = (int)floor(left + 0.5);
        v->clip.x1 = v->clip.x0 + (int)(wide * v->scale + 0.5);
    }
    if (v->periodic[1] || v->focused) {
        v->clip.y0 = (int)floor(top + 0.5);
        v->clip.y1 = v->clip.y0 + (int)(tall * v->scale + 0.5);
    }
    if (v->clip.x1 > target.x1) v->clip.x1 = target.x1;
    if (v->clip.y1 > target.y1) v->clip.y1 = target.y1;
}

void jo_view_project(const view *v, const double point[3], double *x, double *y, double *depth)
{
    double p[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < v->dim; a++)
        p[a] = (point[a] - v->middle[a]) * v->scale;
    *x = v->x + dot(p, v->right);
    *y = v->y - dot(p, v->up);
    if (depth != NULL) *depth = dot(p, v->eye);
}

static float bounded(double pixels)
{
    return (float)(pixels > PIXELS_MAX ? PIXELS_MAX
                                       : (pixels > -PIXELS_MAX ? pixels : -PIXELS_MAX));
}

/* Brings a centre into the box on periodic axes. */
static double wrapped(const view *v, double x, int a)
{
    if (!v->periodic[a]) return x;
    const double period = v->hi[a] - v->lo[a];
    const double y = x - period * floor((x - v->lo[a]) / period);
    return y > v->lo[a] ? (y < v->hi[a] ? y : v->hi[a]) : v->lo[a];
}

/* ---- order: a stable radix sort of 32-bit keys, two rounds of 16 bits */

/* Floats as integers of the same order. */
static uint32_t key_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u & 0x80000000u ? ~u : u | 0x80000000u;
}

typedef struct sort_item {
    uint32_t key, index;
} sort_item;

/* Replaces *data (n elements of `size` bytes) by a copy sorted by ascending key. */
static bool reorder(marks *data, size_t size, const float *keys)
{
    const size_t n = data->count;
    if (n == 0) return true;
    buffer sorted = {0};
    sort_item *a = malloc(2 * n * sizeof *a);
    size_t *start = malloc(65536 * sizeof *start);
    const bool ok = a != NULL && start != NULL && jo_buffer_reserve(&sorted, n, size);
    if (ok) {
        sort_item *b = a + n;
        for (size_t i = 0; i < n; i++)
            a[i] = (sort_item){key_of(keys[i]), (uint32_t)i};
        for (int round = 0; round < 2; round++) {
            memset(start, 0, 65536 * sizeof *start);
            for (size_t i = 0; i < n; i++)
                start[a[i].key >> (16 * round) & 65535]++;
            size_t sum = 0;
            for (size_t k = 0; k < 65536; k++) {
                const size_t here = start[k];
                start[k] = sum;
                sum += here;
            }
            for (size_t i = 0; i < n; i++)
                b[start[a[i].key >> (16 * round) & 65535]++] = a[i];
            sort_item *swap = a;
            a = b;
            b = swap;
        }
        for (size_t i = 0; i < n; i++)
            memcpy((char *)sorted.data + i * size, (char *)data->memory.data + a[i].index * size,
                   size);
        jo_buffer_free(&data->memory);
        data->memory = sorted;
    }
    free(a); /* two rounds: a is where it began */
    free(start);
    return ok;
}

static void *push(marks *m, size_t size)
{
    if ((m->count + 1) * size > m->memory.size &&
        !jo_buffer_grow(&m->memory, m->count * size, m->count + 1024, size))
        return NULL;
    return (char *)m->memory.data + m->count++ * size;
}

/* ---- bodies */

/* The smallest radius drawn, pixels. */
static double smallest_speck(const view *v, size_t n)
{
    const double area = (double)(v->clip.x1 - v->clip.x0) * (double)(v->clip.y1 - v->clip.y0);
    const double fair = sqrt(0.25 * area / (3.14159 * (double)(n > 0 ? n : 1)));
    return fair < 0.9 ? fair : 0.9;
}

/* The images k with |k| <= 3 that reach into the box on axis a: [*first, *last]. */
static void images(const view *v, double x, double reach, int a, int *first, int *last)
{
    *first = *last = 0;
    if (v->dim != 2 || !v->periodic[a]) return;
    const double period = v->hi[a] - v->lo[a];
    const double down = ceil((v->lo[a] - reach - x) / period);
    const double up = floor((v->hi[a] + reach - x) / period);
    *first = down < -3.0 ? -3 : (down < 0.0 ? (int)down : 0);
    *last = up > 3.0 ? 3 : (up > 0.0 ? (int)up : 0);
}

static void fill_mark(const view *v, const jo_bodies *bodies, size_t i, const double centre[3],
                      double speck, mark *m)
{
    double x, y, depth;
    jo_view_project(v, centre, &x, &y, &depth);
    m->x = bounded(x);
    m->y = bounded(y);
    m->depth = bounded(depth);
    if (bodies->shape == JO_SPHERES) {
        const double r = body_radius(bodies, i) * v->scale;
        m->half[0] = m->half[1] = m->half[2] = bounded(r > speck ? r : speck);
        return;
    }
    for (int a = 0; a < 3; a++) {
        m->half[a] = 0.0f;
        if (a >= bodies->dim) continue;
        double lower, upper;
        body_interval(bodies, i, a, &lower, &upper);
        m->half[a] = bounded((0.5 * upper - 0.5 * lower) * v->scale);
    }
}

/* Whether any of it can fall into the window: a ball around it does. */
static bool reaches(const mark *m, const view *v)
{
    const float reach = m->half[0] + m->half[1] + m->half[2] + 1.0f;
    return m->x + reach >= (float)v->clip.x0 && m->x - reach <= (float)v->clip.x1 &&
           m->y + reach >= (float)v->clip.y0 && m->y - reach <= (float)v->clip.y1;
}

static bool push_images(const view *v, const jo_bodies *bodies, size_t i, double speck,
                        uint32_t rgb, marks *out)
{
    double base[3] = {0.0, 0.0, 0.0};
    int first[3] = {0, 0, 0}, last[3] = {0, 0, 0};
    const double reach = body_radius(bodies, i);
    for (int a = 0; a < v->dim; a++) {
        base[a] = wrapped(v, body_centre(bodies, i, a), a);
        images(v, base[a], reach, a, &first[a], &last[a]);
    }
    for (int ky = first[1]; ky <= last[1]; ky++)
        for (int kx = first[0]; kx <= last[0]; kx++) {
            const double centre[3] = {base[0] + kx * (v->hi[0] - v->lo[0]),
                                      base[1] + ky * (v->hi[1] - v->lo[1]), base[2]};
            mark seen;
            fill_mark(v, bodies, i, centre, speck, &seen);
            if (!reaches(&seen, v)) continue;
            seen.rgb = rgb;
            mark *m = push(out, sizeof *m);
            if (m == NULL) return false;
            *m = seen;
        }
    return true;
}

bool jo_view_marks(const view *v, const jo_bodies *bodies, const colouring *colours, marks *out)
{
    const double speck = smallest_speck(v, bodies->n);
    for (size_t i = 0; i < bodies->n; i++) {
        if (v->shape != NULL && v->shape[i] != JO_NO_SHAPE) continue;
        if (!push_images(v, bodies, i, speck, jo_colouring_body(colours, bodies, i), out))
            return false;
    }
    float *keys = malloc((out->count > 0 ? out->count : 1) * sizeof *keys);
    if (keys == NULL) return false;
    const mark *m = out->memory.data;
    for (size_t k = 0; k < out->count; k++) {
        const float size = m[k].half[0] > m[k].half[1] ? m[k].half[0] : m[k].half[1];
        keys[k] = v->dim == 2 ? -size : -(m[k].depth + (size > m[k].half[2] ? size : m[k].half[2]));
    }
    const bool ok = reorder(out, sizeof(mark), keys);
    free(keys);
    return ok;
}

/* ---- contacts */

/* Cuts the segment from p to q at the faces of periodic axes; p lies inside. */
static bool cut_at_faces(const view *v, const double p[3], double q[3])
{
    double keep = 1.0;
    bool cut = false;
    for (int a = 0; a < v->dim; a++) {
        if (!v->periodic[a]) continue;
        const double d = q[a] - p[a];
        if (q[a] > v->hi[a] && d > 0.0) keep = fmin(keep, (v->hi[a] - p[a]) / d), cut = true;
        if (q[a] < v->lo[a] && d < 0.0) keep = fmin(keep, (v->lo[a] - p[a]) / d), cut = true;
    }
    for (int a = 0; a < v->dim; a++)
        q[a] = p[a] + keep * (q[a] - p[a]);
    return cut;
}

/* How strongly a contact is drawn when the smaller of its bodies has radius r pixels. */
static double strength(double r)
{
    const double t = (r - 1.8) / 3.2;
    return t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0;
}

static bool push_stroke(const view *v, const double p[3], const double q[3], double r,
                        const network *how, marks *out)
{
    double x0, y0, z0, x1, y1, z1;
    jo_view_project(v, p, &x0, &y0, &z0);
    jo_view_project(v, q, &x1, &y1, &z1);
    const double depth = 0.5 * z0 + 0.5 * z1;
    stroke *s = push(out, sizeof *s);
    if (s == NULL) return false;
    const double range = v->depth_hi - v->depth_lo, wide = v->dim == 3 ? 0.16 * r : 0.11 * r;
    *s = (stroke){.x0 = bounded(x0),
                  .y0 = bounded(y0),
                  .x1 = bounded(x1),
                  .y1 = bounded(y1),
                  .depth = bounded(depth),
                  .width = (float)(wide < 0.8 ? 0.8 : (wide > 3.0 ? 3.0 : wide)),
                  .alpha = how->hide_small ? (float)strength(r) : 1.0f,
                  .rgb = jo_colour_pack(how->near_ink)};
    if (v->dim == 3) {
        const double behind = range > 0.0 ? (v->depth_hi - depth) / range : 0.0;
        s->rgb = jo_colour_pack(jo_colour_mix(how->near_ink, how->far_ink, behind));
    }
    return true;
}

/* A contact's two centres in the box, and the vector from the second to the nearest image of the
 * first. */
typedef struct contact_line {
    double p[3], q[3], d[3];
} contact_line;

static contact_line line_of(const view *v, const jo_bodies *bodies, jo_pair pair)
{
    jo_domain domain = {.periodic = {v->periodic[0], v->periodic[1], v->periodic[2]}};
    contact_line c = {.p = {0}};
    for (int a = 0; a < v->dim; a++) {
        domain.lo[a] = v->lo[a];
        domain.hi[a] = v->hi[a];
        c.p[a] = wrapped(v, body_centre(bodies, pair.i, a), a);
        c.q[a] = wrapped(v, body_centre(bodies, pair.j, a), a);
        c.d[a] = touch_separation(&domain, a, c.p[a], c.q[a]);
    }
    return c;
}

/* How far a contact's middle lies from the middle of the box: 0 there, 1 at its faces. */
static float eccentricity(const view *v, const jo_bodies *bodies, jo_pair pair)
{
    const contact_line c = line_of(v, bodies, pair);
    double most = 0.0;
    for (int a = 0; a < v->dim; a++) {
        const double edge = v->hi[a] - v->lo[a];
        const double off = fabs(c.p[a] - 0.5 * c.d[a] - v->middle[a]);
        if (edge > 0.0) most = fmax(most, 2.0 * off / edge);
    }
    return bounded(most);
}

bool jo_view_focus(view *v, const jo_bodies *bodies, jo_pairs contacts, size_t keep)
{
    if (contacts.count <= keep + keep / 3) return true;
    float *far = malloc(contacts.count * sizeof *far);
    if (far == NULL) return false;
    for (size_t k = 0; k < contacts.count; k++)
        far[k] = eccentricity(v, bodies, contacts.pairs[k]);
    float lo = 0.0f, hi = 1.0f;
    for (int round = 0; round < 24; round++) { /* a float has no more bits */
        const float middle = 0.5f * (lo + hi);
        size_t within = 0;
        for (size_t k = 0; k < contacts.count; k++)
            within += far[k] <= middle;
        if (within < keep)
            lo = middle;
        else
            hi = middle;
    }
    free(far);
    if (hi < 1e-3f) hi = 1e-3f; /* all at one place */
    v->focused = hi < 0.999f;
    for (int a = 0; a < v->dim && v->focused; a++) {
        const double half = (double)hi * (0.5 * v->hi[a] - 0.5 * v->lo[a]);
        v->from[a] = v->middle[a] - half;
        v->to[a] = v->middle[a] + half;
    }
    return true;
}

void jo_view_magnify(view *v, const jo_bodies *bodies, jo_pairs contacts, double edge)
{
    float least = INFINITY;
    size_t nearest = 0;
    for (size_t k = 0; k < contacts.count; k++) {
        const float off = eccentricity(v, bodies, contacts.pairs[k]);
        if (off < least) least = off, nearest = k;
    }
    const contact_line c = line_of(v, bodies, contacts.pairs[nearest]);
    for (int a = 0; a < v->dim; a++) {
        v->middle[a] = c.p[a] - 0.5 * c.d[a];
        v->from[a] = v->middle[a] - 0.5 * edge;
        v->to[a] = v->middle[a] + 0.5 * edge;
    }
    v->focused = true;
}

static bool push_contact(const view *v, const jo_bodies *bodies, jo_pair pair, const network *how,
                         marks *out)
{
    double p_end[3] = {0}, q_end[3] = {0};
    const double ri = body_radius(bodies, pair.i), rj = body_radius(bodies, pair.j);
    const double r = (ri < rj ? ri : rj) * v->scale;
    if (how->hide_small && strength(r) < 0.02) return true;
    const contact_line c = line_of(v, bodies, pair);
    /* In 2D lines that reach in from outside are cut by the window; in 3D they would dangle. */
    const double room = v->dim == 2 ? ri + rj : 0.0;
    for (int a = 0; a < v->dim; a++) {
        p_end[a] = c.p[a] - c.d[a];
        q_end[a] = c.q[a] + c.d[a];
        const double middle = c.p[a] - 0.5 * c.d[a];
        if (v->focused && fabs(middle - v->middle[a]) > room + 0.5 * (v->to[a] - v->from[a]))
            return true;
    }
    const bool crosses = cut_at_faces(v, c.p, p_end);
    if (!push_stroke(v, c.p, p_end, r, how, out)) return false;
    if (!crosses) return true;
    cut_at_faces(v, c.q, q_end);
    return push_stroke(v, c.q, q_end, r, how, out);
}

bool jo_view_strokes(const view *v, const jo_bodies *bodies, jo_pairs contacts, const network *how,
                     marks *out)
{
    for (size_t k = 0; k < contacts.count; k++)
        if (!push_contact(v, bodies, contacts.pairs[k], how, out)) return false;
    if (v->dim == 2) return true;
    float *keys = malloc((out->count > 0 ? out->count : 1) * sizeof *keys);
    if (keys == NULL) return false;
    const stroke *s = out->memory.data;
    for (size_t k = 0; k < out->count; k++)
        keys[k] = s[k].depth;
    const bool ok = reorder(out, sizeof(stroke), keys);
    free(keys);
    return ok;
}
