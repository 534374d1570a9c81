/* colouring.c — from a body's size, number of contacts or index to its colour.
 *
 * Contacts: a body without contacts is grey, so that free bodies stand back; up to a dozen contacts
 * every number has its own step of the map, as one counts; beyond 24 the map follows the logarithm
 * of 1 + contacts, because in systems of mixed sizes a large body has hundreds of contacts and its
 * small neighbours two. Sizes: linear up to a ratio of 12, logarithmic beyond.
 *
 * Cost: O(n) to make, a table lookup per body. */
#include "io/colouring.h"

#include <math.h>

static double value_of(const colouring *c, const jo_bodies *bodies, size_t i)
{
    switch (c->by) {
    case JO_COLOUR_SIZE:
        return body_radius(bodies, i);
    case JO_COLOUR_CONTACTS:
        return c->counts[i];
    case JO_COLOUR_VALUE:
        return c->values[i];
    case JO_COLOUR_INDEX:
    case JO_COLOUR_KIND:
        break;
    }
    return (double)i;
}

/* From the least to the greatest value, unless the picture says otherwise. Speeds and forces start
 * at zero when they come near it: then lengths on the map are proportions. */
static void range_of_values(colouring *c, const jo_picture *picture, size_t n)
{
    c->lo = picture->value_lo;
    c->hi = picture->value_hi;
    if (c->lo < c->hi) {
        for (size_t i = 0; i < n && !c->exceeded; i++)
            c->exceeded = c->values[i] > c->hi;
        return;
    }
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(c->values[i])) continue;
        if (!any || c->values[i] < c->lo) c->lo = c->values[i];
        if (!any || c->values[i] > c->hi) c->hi = c->values[i];
        any = true;
    }
    if (!any) c->lo = c->hi = 0.0;
    if (c->lo > 0.0 && c->lo < 0.5 * c->hi) c->lo = 0.0;
}

#define COUNTS_MAX 4096

/* The map ends where all but one in 500 of the touching bodies lie below, so that a few crowded
 * ones do not take the colours from the rest; the legend then says "9+". */
static void range_of_contacts(colouring *c, const jo_bodies *bodies)
{
    size_t having[COUNTS_MAX] = {0}, touching = 0;
    uint32_t most = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        const uint32_t count = c->counts[i];
        if (count > most) most = count;
        if (count == 0)
            c->any_free = true;
        else
            touching++;
        having[count < COUNTS_MAX ? count : COUNTS_MAX - 1]++;
    }
    uint32_t top = most < COUNTS_MAX ? most : COUNTS_MAX - 1;
    size_t above = 0;
    while (top > 1 && above + having[top] <= touching / 500)
        above += having[top--];
    c->lo = 1.0;
    c->hi = top > 1 ? top : 1.0;
    c->exceeded = most > top;
    c->discrete = c->hi <= 12.0;
    c->logarithmic = c->hi > 24.0;
}

void jo_colouring_make(colouring *c, const jo_picture *picture, const jo_bodies *bodies,
                       const survey *sizes, const uint32_t *counts, const theme *look)
{
    *c = (colouring){.by = picture->colour,
                     .counts = counts,
                     .values = picture->values,
                     .name = picture->value_name,
                     .kinds = picture->kinds,
                     .kind_names = picture->kind_names,
                     .kind_count = picture->kind_count,
                     .free_rgb = jo_colour_pack(look->free_body)};
    switch (c->by) {
    case JO_COLOUR_CONTACTS:
        range_of_contacts(c, bodies);
        break;
    case JO_COLOUR_SIZE:
        c->lo = sizes->r_min;
        c->hi = sizes->r_max;
        c->logarithmic = c->lo > 0.0 && c->hi > 12.0 * c->lo;
        break;
    case JO_COLOUR_INDEX:
        c->hi = bodies->n > 1 ? (double)(bodies->n - 1) : 0.0;
        break;
    case JO_COLOUR_VALUE:
        range_of_values(c, picture, bodies->n);
        break;
    case JO_COLOUR_KIND:
        break;
    }
    c->uniform = !(c->hi > c->lo);
    for (int k = 0; k < COLOURING_STEPS; k++)
        c->table[k] = jo_colour_pack(jo_colour_map((double)k / (COLOURING_STEPS - 1)));
}

double jo_colouring_position(const colouring *c, double value)
{
    double t = 0.5; /* all the same: the middle of the map */
    if (!c->uniform) {
        if (!c->logarithmic)
            t = value / (c->hi - c->lo) - c->lo / (c->hi - c->lo);
        else if (c->by == JO_COLOUR_CONTACTS)
            t = log((1.0 + value) / (1.0 + c->lo)) / log((1.0 + c->hi) / (1.0 + c->lo));
        else
            t = log(value / c->lo) / log(c->hi / c->lo);
    }
    return t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0;
}

uint32_t jo_colouring_rgb(const colouring *c, double value)
{
    if ((c->by == JO_COLOUR_CONTACTS && value < 0.5) || isnan(value)) return c->free_rgb;
    return c->table[(int)(jo_colouring_position(c, value) * (COLOURING_STEPS - 1) + 0.5)];
}

/* The colours of plots, softened: bodies are large areas, and shaded. */
uint32_t jo_colouring_kind(const colouring *c, size_t kind)
{
    (void)c;
    static const colour light = {0.93, 0.93, 0.90};
    return jo_colour_pack(jo_colour_mix(jo_colour_series(kind), light, 0.22));
}

uint32_t jo_colouring_body(const colouring *c, const jo_bodies *bodies, size_t i)
{
    if (c->by == JO_COLOUR_KIND) return jo_colouring_kind(c, c->kinds[i]);
    return jo_colouring_rgb(c, value_of(c, bodies, i));
}

const char *jo_colouring_label(const colouring *c, const jo_bodies *bodies)
{
    switch (c->by) {
    case JO_COLOUR_SIZE:
        return bodies->shape == JO_BOXES ? "half the longest edge" : "radius";
    case JO_COLOUR_CONTACTS:
        return "contacts per body";
    case JO_COLOUR_VALUE:
        return c->name != NULL ? c->name : "value";
    case JO_COLOUR_KIND:
        return c->name != NULL ? c->name : "kind";
    case JO_COLOUR_INDEX:
        break;
    }
    return "index";
}
