/* poly_bodies.c — polyhedra: shapes at their sizes, mass and inertia, and how they turn.
 *
 * Turning. Kept between steps: the orientation q(t) and the angular momentum L(t - dt/2) in the
 * world's axes. A step adds dt times the torque to L and lets the body turn freely for dt with that
 * L. Free turning is split into turns about the principal axes, 1 2 3 2 1, halves but for the
 * middle one (Dullweber, Leimkuhler and McLachlan 1997): each is an exact rotation that keeps L,
 * the whole is symplectic and reversible, so that the energy of a tumbling body oscillates by
 * O(dt²) and does not drift. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "soft/poly.h"

/* ---- quaternions ---- */

static void q_times(const double a[4], const double b[4], double out[4])
{
    const double r[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                         a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                         a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                         a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, r, sizeof r);
}

static void q_unit(double q[4])
{
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++)
        q[k] /= length;
}

/* Rotates v by q, or back by it. */
static void q_turn(const double q[4], const double v[3], bool back, double out[3])
{
    const double w = back ? -q[0] : q[0], *u = q + 1;
    double t[3], c[3];
    t[0] = 2 * (u[1] * v[2] - u[2] * v[1]);
    t[1] = 2 * (u[2] * v[0] - u[0] * v[2]);
    t[2] = 2 * (u[0] * v[1] - u[1] * v[0]);
    c[0] = u[1] * t[2] - u[2] * t[1];
    c[1] = u[2] * t[0] - u[0] * t[2];
    c[2] = u[0] * t[1] - u[1] * t[0];
    for (int a = 0; a < 3; a++)
        out[a] = v[a] + w * t[a] + c[a];
}

void jo_poly_base_q(const poly_kind *kind, const double body[4], double principal[4])
{
    q_times(body, kind->axes, principal);
    q_unit(principal);
}

/* ---- principal axes ---- */

/* A quaternion from a rotation with columns v. */
static void q_from_columns(double m[9], double q[4])
{
    const double det = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                       m[2] * (m[3] * m[7] - m[4] * m[6]);
    for (int r = 0; r < 3 && det < 0; r++)
        m[3 * r + 2] = -m[3 * r + 2];
    const double trace[4] = {m[0] + m[4] + m[8], m[0] - m[4] - m[8], m[4] - m[0] - m[8],
                             m[8] - m[0] - m[4]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (trace[i] > trace[k]) k = i;
    const double big = sqrt(1 + trace[k]), s = 0.5 / big;
    const double off[3] = {m[7] - m[5], m[2] - m[6], m[3] - m[1]},
                 sum[3] = {m[7] + m[5], m[2] + m[6], m[3] + m[1]};
    q[k] = 0.5 * big;
    if (k == 0)
        for (int a = 0; a < 3; a++)
            q[1 + a] = off[a] * s;
    else {
        q[0] = off[k - 1] * s;
        const int b = k % 3, c = (k + 1) % 3; /* the other two axes */
        q[1 + b] = sum[c] * s;
        q[1 + c] = sum[b] * s;
    }
    q_unit(q);
}

/* Jacobi's method: turns until what is off the diagonal is rounding. */
static void principal_axes(const double inertia[9], double moment[3], double q[4])
{
    double m[9], v[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(m, inertia, sizeof m);
    const double scale = fabs(m[0]) + fabs(m[4]) + fabs(m[8]);
    for (int sweep = 0; sweep < 50; sweep++) {
        if (fabs(m[1]) + fabs(m[2]) + fabs(m[5]) < 1e-14 * scale) break;
        for (int i = 0; i < 2; i++)
            for (int j = i + 1; j < 3; j++) {
                if (fabs(m[3 * i + j]) < 1e-300) continue;
                const double theta = (m[4 * j] - m[4 * i]) / (2 * m[3 * i + j]);
                const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                const double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 3; k++) {
                    const double a = m[3 * k + i], b = m[3 * k + j];
                    m[3 * k + i] = c * a - s * b;
                    m[3 * k + j] = s * a + c * b;
                    const double x = v[3 * k + i], y = v[3 * k + j];
                    v[3 * k + i] = c * x - s * y;
                    v[3 * k + j] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    const double a = m[3 * i + k], b = m[3 * j + k];
                    m[3 * i + k] = c * a - s * b;
                    m[3 * j + k] = s * a + c * b;
                }
            }
    }
    for (int k = 0; k < 3; k++)
        moment[k] = m[4 * k];
    q_from_columns(v, q);
}

/* ---- shapes and kinds ---- */

/* The polyhedron times `scale`; faces and vertices keep their numbers as far as they can. */
static jo_status scaled(const jo_polyhedron *from, double scale, jo_polyhedron **out,
                        jo_error *error)
{
    const jo_polyhedron_view v = jo_polyhedron_look(from);
    double *points = malloc(3 * v.vertices * sizeof *points);
    size_t *offset = malloc((v.faces + 1) * sizeof *offset), n = 0;
    uint32_t *corner = malloc(2 * v.edges * sizeof *corner);
    jo_status status = JO_OK;
    if (points == NULL || offset == NULL || corner == NULL)
        status = jo_fail_memory(error, 3 * v.vertices * sizeof *points, "the shapes of bodies");
    for (size_t k = 0; k < 3 * v.vertices && status == JO_OK; k++)
        points[k] = scale * v.points[k];
    for (size_t f = 0; f < v.faces && status == JO_OK; f++) {
        uint32_t h = v.face_edge[f];
        offset[f] = n;
        do {
            corner[n++] = v.origin[h];
            h = v.next[h];
        } while (h != v.face_edge[f]);
    }
    if (status == JO_OK) {
        offset[v.faces] = n;
        status = jo_polyhedron_from_faces(points, v.vertices, offset, corner, v.faces, out, error);
    }
    free(points);
    free(offset);
    free(corner);
    return status;
}

static double widest_face(const jo_polyhedron_view *v)
{
    double widest = 0;
    for (size_t f = 0; f < v->faces; f++) {
        const uint32_t first = v->face_edge[f];
        const double *o = v->points + 3 * (size_t)v->origin[first], *n = v->planes + 4 * f;
        double twice = 0;
        for (uint32_t h = v->next[first]; v->next[h] != first; h = v->next[h]) {
            const double *p = v->points + 3 * (size_t)v->origin[h],
                         *q = v->points + 3 * (size_t)v->origin[v->next[h]];
            double c[3];
            for (int a = 0; a < 3; a++) {
                const int b = (a + 1) % 3, d = (a + 2) % 3;
                c[a] = (p[b] - o[b]) * (q[d] - o[d]) - (p[d] - o[d]) * (q[b] - o[b]);
            }
            twice += c[0] * n[0] + c[1] * n[1] + c[2] * n[2];
        }
        widest = fmax(widest, 0.5 * twice);
    }
    return widest;
}

/* The kind of a shape at a radius, made where there is none yet. */
jo_status jo_poly_kind(jo_soft *soft, uint32_t shape, double radius, uint32_t *kind,
                       jo_error *error)
{
    poly_world *w = soft->poly;
    for (size_t k = 0; k < w->kind_count; k++)
        if (w->kinds[k].of == shape && w->kinds[k].radius == radius) {
            *kind = (uint32_t)k;
            return JO_OK;
        }
    poly_kind *grown = realloc(w->kinds, (w->kind_count + 1) * sizeof *grown);
    if (grown == NULL) return jo_fail_memory(error, sizeof *grown, "the shapes of bodies");
    w->kinds = grown;
    poly_kind *made = &w->kinds[w->kind_count];
    *made = (poly_kind){.of = shape, .radius = radius};
    const jo_status status = scaled(w->shapes[shape], radius, &made->shape, error);
    if (status != JO_OK) return status;
    if (!jo_press_cells_make(made->shape, &made->cells)) {
        jo_polyhedron_destroy(made->shape);
        return jo_fail_memory(error, sizeof *made, "the shapes of bodies");
    }
    const jo_polyhedron_view v = jo_polyhedron_look(made->shape);
    made->volume = v.volume;
    made->equivalent = cbrt(v.volume * 3 / (4 * 3.14159265358979323846));
    made->widest = widest_face(&v);
    principal_axes(v.inertia, made->moment, made->axes);
    *kind = (uint32_t)w->kind_count++;
    return JO_OK;
}

jo_status jo_poly_create(jo_soft *soft, const jo_scene *scene, jo_error *error)
{
    poly_world *w = soft->poly;
    w->on = scene->shape_count > 0;
    if (!w->on) return JO_OK;
    w->shapes = calloc(scene->shape_count, sizeof(jo_polyhedron *));
    w->scratch = calloc((size_t)soft->threads, sizeof *w->scratch);
    w->wall_sums = calloc(6 * scene->wall_count + 1, sizeof *w->wall_sums);
    if (w->shapes == NULL || w->scratch == NULL || w->wall_sums == NULL)
        return jo_fail_memory(error, scene->shape_count * sizeof *w->shapes, "polyhedra");
    for (size_t k = 0; k < scene->shape_count; k++) {
        const double radius = jo_polyhedron_look(scene->shapes[k]).radius;
        const jo_status status = scaled(scene->shapes[k], 1 / radius, &w->shapes[k], error);
        if (status != JO_OK) return status;
        w->shape_count++;
    }
    return jo_poly_walls_create(soft, error);
}

void jo_poly_destroy(jo_soft *soft)
{
    poly_world *w = soft->poly;
    if (w == NULL) return;
    jo_poly_walls_destroy(soft);
    for (size_t k = 0; k < w->shape_count; k++)
        jo_polyhedron_destroy(w->shapes[k]);
    for (size_t k = 0; k < w->kind_count; k++) {
        jo_polyhedron_destroy(w->kinds[k].shape);
        jo_press_cells_free(&w->kinds[k].cells);
    }
    for (int t = 0; t < soft->threads && w->scratch != NULL; t++) {
        jo_press_scratch_free(&w->scratch[t].press);
        jo_press_planes_free(&w->scratch[t].a);
        jo_press_planes_free(&w->scratch[t].b);
    }
    free(w->shapes);
    free(w->kinds);
    free(w->scratch);
    free(w->wall_sums);
    jo_buffer_free(&w->slot);
    jo_buffer_free(&w->bodies);
    jo_buffer_free(&w->pairs);
    jo_buffer_free(&w->spare);
    jo_buffer_free(&w->boxes);
    jo_buffer_free(&w->surfaces);
    jo_buffer_free(&w->moved);
    free(w);
}

/* ---- bodies ---- */

jo_status jo_poly_room(jo_soft *soft, size_t n, jo_error *error)
{
    poly_world *w = soft->poly;
    if (!w->on) return JO_OK;
    if (!jo_buffer_grow(&w->slot, soft->s.n * sizeof(uint32_t), n, sizeof(uint32_t)))
        return jo_fail_memory(error, n * sizeof(uint32_t), "bodies");
    return JO_OK;
}

bool jo_poly_is(const jo_soft *soft, size_t i)
{
    return soft->poly->on && poly_bodies(soft->poly)[poly_slots(soft->poly)[i]].kind != NO_KIND;
}

static void place_pose(const jo_soft *soft, poly_body *b)
{
    const poly_kind *kind = &soft->poly->kinds[b->kind];
    const double back[4] = {kind->axes[0], -kind->axes[1], -kind->axes[2], -kind->axes[3]};
    double q[4];
    q_times(b->q, back, q);
    jo_pose_turn(&b->pose, q);
    memcpy(b->pose.at, soft->s.x + 4 * (size_t)b->index, sizeof b->pose.at);
}

/* Angular velocity from angular momentum. */
static void velocity_of(const poly_body *b, const double momentum[3], double w[3])
{
    double own[3];
    q_turn(b->q, momentum, true, own);
    for (int a = 0; a < 3; a++)
        own[a] *= b->inverse[a];
    q_turn(b->q, own, false, w);
}

jo_status jo_poly_put(jo_soft *soft, size_t i, uint32_t shape, const double q[4], const double w[3],
                      bool fixed, jo_error *error)
{
    poly_world *p = soft->poly;
    const size_t slot = p->slots;
    if (!p->on) return JO_OK;
    if (!jo_buffer_grow(&p->bodies, slot * sizeof(poly_body), slot + 1, sizeof(poly_body)))
        return jo_fail_memory(error, sizeof(poly_body), "bodies");
    poly_body *b = poly_bodies(p) + slot;
    *b = (poly_body){.kind = NO_KIND, .index = (uint32_t)i, .q = {1, 0, 0, 0}};
    ((uint32_t *)p->slot.data)[i] = (uint32_t)slot;
    p->slots++;
    if (shape == JO_NO_SHAPE) return JO_OK;
    if (shape >= p->shape_count)
        return jo_fail(error, JO_ERR_DATA, "body %zu has shape %u, but there are only %zu", i,
                       shape, p->shape_count);
    view *s = &soft->s;
    const jo_status status = jo_poly_kind(soft, shape, s->x[4 * i + 3], &b->kind, error);
    if (status != JO_OK) return status;
    const poly_kind *kind = &p->kinds[b->kind];
    const double density = soft->materials[s->material[i]].density;
    double own[3];
    s->v[4 * i + 3] = fixed ? 0 : 1 / (density * kind->volume);
    s->w[4 * i + 3] = 0;
    jo_poly_base_q(kind, q, b->q);
    q_turn(b->q, w, true, own);
    for (int a = 0; a < 3; a++) {
        b->inverse[a] = fixed ? 0 : 1 / (density * kind->moment[a]);
        own[a] *= fixed ? 0 : density * kind->moment[a];
        b->w[a] = b->w_half[a] = fixed ? 0 : w[a];
    }
    q_turn(b->q, own, false, b->spin);
    place_pose(soft, b);
    return JO_OK;
}

double jo_poly_mass(jo_soft *soft, uint32_t shape, double r, uint32_t material)
{
    return soft->materials[material].density * r * r * r *
           jo_polyhedron_look(soft->poly->shapes[shape]).volume;
}

void jo_poly_indices(jo_soft *soft)
{
    poly_world *p = soft->poly;
    if (!p->on) return;
    for (size_t k = 0; k < p->slots; k++)
        poly_bodies(p)[k].index = UINT32_MAX;
    for (size_t i = 0; i < soft->s.n; i++) {
        poly_body *b = poly_bodies(p) + poly_slots(p)[i];
        b->index = (uint32_t)i;
        if (b->kind != NO_KIND) memcpy(b->pose.at, soft->s.x + 4 * i, sizeof b->pose.at);
    }
}

/* ---- turning ---- */

/* A free turn about principal axis k for a time; own is the momentum in the body's axes. */
static void turn_about(poly_body *b, int k, double time, double own[3])
{
    const double angle = time * own[k] * b->inverse[k], c = cos(0.5 * angle), s = sin(0.5 * angle);
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double turn[4] = {c, k == 0 ? s : 0, k == 1 ? s : 0, k == 2 ? s : 0};
    q_times(b->q, turn, b->q);
    const double cosine = c * c - s * s, sine = 2 * s * c, u = own[i], v = own[j];
    own[i] = cosine * u + sine * v;
    own[j] = cosine * v - sine * u;
}

static void move_one(const jo_soft *soft, poly_body *b)
{
    const double dt = soft->s.step, *f = soft->s.f + 6 * (size_t)b->index;
    double own[3], before[3], predicted[3];
    for (int a = 0; a < 3; a++) {
        b->spin[a] += dt * f[3 + a];
        b->change[a] = 0.5 * dt * f[3 + a];
        predicted[a] = b->spin[a] + b->change[a];
    }
    velocity_of(b, b->spin, before);
    q_turn(b->q, b->spin, true, own);
    turn_about(b, 0, 0.5 * dt, own);
    turn_about(b, 1, 0.5 * dt, own);
    turn_about(b, 2, dt, own);
    turn_about(b, 1, 0.5 * dt, own);
    turn_about(b, 0, 0.5 * dt, own);
    q_unit(b->q);
    velocity_of(b, b->spin, b->w_half);
    for (int a = 0; a < 3; a++)
        b->w_half[a] = 0.5 * (b->w_half[a] + before[a]);
    velocity_of(b, predicted, b->w);
    memcpy(soft->s.w + 4 * (size_t)b->index, b->w_half, sizeof b->w_half);
    place_pose(soft, b);
}

typedef struct turning {
    jo_soft *soft;
    double fastest[JO_THREADS_MAX];
} turning;

static void move_share(void *context, int t, int threads)
{
    turning *k = context;
    size_t begin, end;
    double fastest = 0;
    jo_thread_share(k->soft->poly->slots, t, threads, &begin, &end);
    for (size_t j = begin; j < end; j++) {
        poly_body *b = poly_bodies(k->soft->poly) + j;
        if (b->kind == NO_KIND || b->index == UINT32_MAX || b->inverse[0] == 0) continue;
        move_one(k->soft, b);
        const double w2 =
            b->w_half[0] * b->w_half[0] + b->w_half[1] * b->w_half[1] + b->w_half[2] * b->w_half[2];
        const double speed = sqrt(w2) * k->soft->s.x[4 * (size_t)b->index + 3];
        fastest = speed < 1e150 ? fmax(fastest, speed) : INFINITY;
    }
    k->fastest[t] = fastest;
}

bool jo_poly_move(jo_soft *soft, size_t *lost)
{
    poly_world *p = soft->poly;
    turning k = {.soft = soft};
    const int threads = p->slots > 256 ? soft->threads : 1;
    jo_threads_run(threads, move_share, &k);
    double fastest = 0;
    for (int t = 0; t < threads; t++)
        fastest = fmax(fastest, k.fastest[t]);
    p->turned += fastest * soft->s.step * (1 + 1e-12);
    if (isfinite(fastest)) return true;
    for (size_t j = 0; j < p->slots; j++) {
        const poly_body *b = poly_bodies(p) + j;
        if (b->index != UINT32_MAX && b->kind != NO_KIND &&
            !(fabs(b->spin[0]) + fabs(b->spin[1]) + fabs(b->spin[2]) < 1e150))
            *lost = b->index;
    }
    return false;
}

void jo_poly_spin(const jo_soft *soft, size_t i, double w[3], double momentum[3])
{
    const poly_body *b = poly_bodies(soft->poly) + poly_slots(soft->poly)[i];
    const double half = 0.5 * soft->s.step;
    for (int a = 0; a < 3; a++)
        momentum[a] = b->inverse[0] > 0 ? b->spin[a] + half * soft->s.f[6 * i + 3 + a] : 0;
    velocity_of(b, momentum, w);
}

/* Spins go half a step back, once the first torques are known. */
void jo_poly_step_back(jo_soft *soft)
{
    poly_world *p = soft->poly;
    for (size_t j = 0; j < p->slots && p->on; j++) {
        poly_body *b = poly_bodies(p) + j;
        if (b->kind == NO_KIND || b->index == UINT32_MAX || b->inverse[0] == 0) continue;
        for (int a = 0; a < 3; a++) {
            b->change[a] = 0.5 * soft->s.step * soft->s.f[6 * (size_t)b->index + 3 + a];
            b->spin[a] -= b->change[a];
        }
        velocity_of(b, b->spin, b->w_half);
        memcpy(soft->s.w + 4 * (size_t)b->index, b->w_half, sizeof b->w_half);
    }
}

/* A face on a face is the stiffest contact: a fortieth of its period. */
double jo_poly_step(const jo_soft *soft)
{
    const poly_world *p = soft->poly;
    double longest = INFINITY;
    for (size_t j = 0; j < p->slots && p->on; j++) {
        const poly_body *b = poly_bodies(p) + j;
        if (b->kind == NO_KIND || b->index == UINT32_MAX || b->inverse[0] == 0) continue;
        const poly_kind *kind = &p->kinds[b->kind];
        const double mass = 1 / soft->s.v[4 * (size_t)b->index + 3];
        const double round = 3.14159265358979323846 * kind->equivalent * kind->equivalent;
        const double area = fmax(kind->widest, 0.25 * round);
        for (size_t m = 0; m < soft->law.materials; m++) {
            const law_pair *c =
                &soft->law.pairs[soft->s.material[b->index] * soft->law.materials + m];
            if (!(c->kn > 0)) continue;
            const double k = area * jo_poly_bedding(&soft->law, c, kind->equivalent, 0, mass);
            longest = fmin(longest, 2 * 3.14159265358979323846 / 40 * sqrt(mass / k));
        }
    }
    return longest;
}

void jo_poly_orientation(const jo_soft *soft, size_t i, double q[4], uint32_t *shape)
{
    const poly_body *b = poly_bodies(soft->poly) + poly_slots(soft->poly)[i];
    memcpy(q, b->q, sizeof b->q);
    *shape = JO_NO_SHAPE;
    if (b->kind == NO_KIND) return;
    const poly_kind *kind = &soft->poly->kinds[b->kind];
    const double back[4] = {kind->axes[0], -kind->axes[1], -kind->axes[2], -kind->axes[3]};
    q_times(b->q, back, q);
    *shape = kind->of;
}
