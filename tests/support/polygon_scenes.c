/* polygon_scenes.c — see polygon_scenes.h. */
#include "support/polygon_scenes.h"

#include <math.h>
#include <stdlib.h>

#include "base/orient.h"

static const double TURN = 6.283185307179586;

static void add_corner(polygon_scene *s, double x, double y)
{
    s->place[2 * s->vertices] = x;
    s->place[2 * s->vertices + 1] = y;
    s->owner[s->vertices] = s->bodies;
    s->next[s->vertices] = s->vertices + 1;
    s->vertices++;
}

static void end_body(polygon_scene *s)
{
    s->next[s->vertices - 1] = s->first[s->bodies];
    s->first[++s->bodies] = s->vertices;
}

static void add_star(polygon_scene *s, double x, double y, double inner, random_stream *r)
{
    const uint32_t n = (inner < 1.0 ? 6 : 3) + (uint32_t)(jo_random_bits(r) % 6);
    const double phase = TURN * jo_random_uniform(r), size = 0.25 + 0.23 * jo_random_uniform(r);
    for (uint32_t k = 0; k < n; k++) {
        const double angle = phase + TURN * (k + 0.3 * (2.0 * jo_random_uniform(r) - 1.0)) / n;
        const double d = k % 2 && inner < 1.0 ? size * inner : size;
        add_corner(s, x + d * cos(angle), y + d * sin(angle));
    }
    end_body(s);
}

/* Teeth upwards; turned by multiples of a quarter. */
static void add_comb(polygon_scene *s, double x, double y, random_stream *r)
{
    const int teeth = 2 + (int)(jo_random_bits(r) % 4), turned = (int)(jo_random_bits(r) % 4);
    const double wide = 0.6 / (2 * teeth - 1);
    double p[64][2];
    int n = 0;
    p[n][0] = -0.3, p[n++][1] = -0.3;
    p[n][0] = 0.3, p[n++][1] = -0.3;
    for (int k = teeth - 1; k >= 0; k--) {
        const double left = -0.3 + 2 * k * wide;
        p[n][0] = k == teeth - 1 ? 0.3 : left + wide, p[n++][1] = 0.3;
        p[n][0] = k == 0 ? -0.3 : left, p[n++][1] = 0.3;
        if (k > 0) p[n][0] = left, p[n++][1] = -0.2;
        if (k > 0) p[n][0] = left - wide, p[n++][1] = -0.2;
    }
    for (int k = 0; k < n; k++) {
        const double a = p[k][0], b = p[k][1];
        const double at[4][2] = {{a, b}, {-b, a}, {-a, -b}, {b, -a}};
        add_corner(s, x + at[turned][0], y + at[turned][1]);
    }
    end_body(s);
}

static void add_square(polygon_scene *s, double x, double y)
{
    add_corner(s, x - 0.25, y - 0.25);
    add_corner(s, x + 0.25, y - 0.25);
    add_corner(s, x + 0.25, y + 0.25);
    add_corner(s, x - 0.25, y + 0.25);
    end_body(s);
}

polygon_scene polygon_scene_make(uint32_t grains, polygon_kind kind, uint64_t seed)
{
    random_stream r = jo_random_start(seed, (uint64_t)kind);
    polygon_scene s = {0};
    const size_t most = 24 * ((size_t)grains + 1);
    s.place = malloc(2 * most * sizeof *s.place);
    s.next = malloc(most * sizeof *s.next);
    s.owner = malloc(most * sizeof *s.owner);
    s.first = malloc((grains + 2) * sizeof *s.first);
    const int columns = (int)ceil(sqrt(grains)), rows = ((int)grains + columns - 1) / columns;
    s.first[0] = 0;
    add_corner(&s, -0.5, -0.5); /* clockwise */
    add_corner(&s, -0.5, rows - 0.5);
    add_corner(&s, columns - 0.5, rows - 0.5);
    add_corner(&s, columns - 0.5, -0.5);
    end_body(&s);
    for (uint32_t k = 0; k < grains; k++) {
        const double x = (int)k % columns, y = (int)k / columns;
        switch (kind) {
        case POLYGONS_CONVEX:
            add_star(&s, x, y, 1.0, &r);
            break;
        case POLYGONS_STARS:
            add_star(&s, x, y, 0.2 + 0.6 * jo_random_uniform(&r), &r);
            break;
        case POLYGONS_COMBS:
            add_comb(&s, x, y, &r);
            break;
        default:
            add_square(&s, x, y);
            break;
        }
    }
    return s;
}

void polygon_scene_free(polygon_scene *s)
{
    free(s->place);
    free(s->next);
    free(s->owner);
    free(s->first);
    *s = (polygon_scene){0};
}

tri_input polygon_scene_input(const polygon_scene *s)
{
    return (tri_input){.vertices = s->vertices,
                       .place = s->place,
                       .next = s->next,
                       .owner = s->owner,
                       .boundary = 0,
                       .partitions = s->partitions,
                       .partition = s->partition};
}

/* ---- the judge ---- */

typedef struct edge {
    double low, high;
    uint32_t from;
} edge;

static int by_low(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* Is p in the body? Counts the edges above it. */
static bool contains(const polygon_scene *s, uint32_t body, const double p[2])
{
    bool inside = false;
    for (uint32_t v = s->first[body]; v < s->first[body + 1]; v++) {
        const double *a = s->place + 2 * v, *b = s->place + 2 * s->next[v];
        if ((a[0] > p[0]) == (b[0] > p[0])) continue;
        if ((jo_orient(a, b, p) > 0.0) == (a[0] < b[0])) continue; /* p above the edge */
        inside = !inside;
    }
    return inside;
}

static bool edges_meet(const polygon_scene *s, const edge *e, uint32_t pair[2])
{
    for (uint32_t i = 0; i < s->vertices; i++)
        for (uint32_t j = i + 1; j < s->vertices && e[j].low <= e[i].high; j++) {
            const uint32_t a = e[i].from, b = s->next[a], c = e[j].from, d = s->next[c];
            if (a == d || b == c) continue; /* edges that follow one another */
            if (!jo_segments_meet(s->place + 2 * a, s->place + 2 * b, s->place + 2 * c,
                                  s->place + 2 * d))
                continue;
            pair[0] = s->owner[a];
            pair[1] = s->owner[c];
            return true;
        }
    return false;
}

bool polygon_scene_overlap(const polygon_scene *s, uint32_t pair[2])
{
    edge *e = malloc(s->vertices * sizeof *e);
    for (uint32_t v = 0; v < s->vertices; v++) {
        const double a = s->place[2 * v], b = s->place[2 * s->next[v]];
        e[v] = (edge){fmin(a, b), fmax(a, b), v};
    }
    qsort(e, s->vertices, sizeof *e, by_low);
    bool found = edges_meet(s, e, pair);
    free(e);
    for (uint32_t one = 0; one < s->bodies && !found; one++)
        for (uint32_t two = 0; two < s->bodies && !found; two++) {
            const double *p = s->place + 2 * s->first[two];
            if (one == two || (one > 0 && two == 0)) continue;
            found = contains(s, one, p) != (one == 0);
            pair[0] = one;
            pair[1] = two;
        }
    return found;
}
