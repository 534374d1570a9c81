/* kernel_measure.h — the contacts of a block once more, changing nothing; a part of kernel.h. */
#ifndef JO_SOFT_KERNEL_MEASURE_H
#define JO_SOFT_KERNEL_MEASURE_H

#ifndef JO_SOFT_KERNEL_H
#error "include soft/kernel.h"
#endif

static void record_pairs(const view *s, const group *g, contact_record *out)
{
    const known how = {s->law->parts, false, false, s->law->reaches, false};
    contact4 k;
    pair4 p;
    k.on = v4_mask((1u << g->lanes) - 1);
    k.fresh = v4_none();
    k.account = false;
    coefficients(s, &how, g->a, g->b, &k.c);
    meet(s, &how, g->a, g->b, 0, &k, &p);
    recall(s, &how, g->memo, &k);
    law_evaluate(s->law, &k);
    for (int l = 0; l < g->lanes; l++) {
        double xi[3], roll[3];
        float kept[3];
        memcpy(xi, g->memo[l], sizeof xi);
        memcpy(kept, g->memo[l] + s->memo.roll, sizeof kept);
        for (int a = 0; a < 3; a++)
            roll[a] = (double)kept[a];
        const law_pair *pair =
            &s->law->pairs[s->material[g->a[l] / 8] * s->law->materials + s->material[g->b[l] / 8]];
        out[l] = (contact_record){.a = (uint32_t)(g->a[l] / 8),
                                  .b = (uint32_t)(g->b[l] / 8),
                                  .wall = UINT32_MAX,
                                  .sliding = k.sliding[l] != 0,
                                  .overlap = k.overlap[l],
                                  .normal = k.normal[l],
                                  .bend = law_normal_bend(s->law, pair, k.overlap[l], k.radius[l],
                                                          k.mass[l], k.vn[l], p.swing[l]),
                                  .n = {k.n.x[l], k.n.y[l], k.n.z[l]},
                                  .force = {k.force.x[l], k.force.y[l], k.force.z[l]},
                                  .arm = p.arm_a[l],
                                  .branch = {p.branch.x[l], p.branch.y[l], p.branch.z[l]},
                                  .elastic = law_stored_energy(s->law, pair, k.overlap[l],
                                                               k.radius[l], k.mass[l], xi,
                                                               s->memo.roll > 0 ? roll : NULL)};
    }
}

/* Gathers contacts until there are enough for all lanes. */
static size_t add_record(const view *s, group *g, uint32_t a, uint32_t b, char *memo,
                         contact_record *out)
{
    g->a[g->lanes] = 8 * (body_at)a;
    g->b[g->lanes] = 8 * (body_at)b;
    g->memo[g->lanes++] = memo;
    if (g->lanes < JO_LANES) return 0;
    record_pairs(s, g, out);
    g->lanes = 0;
    return JO_LANES;
}

static size_t measure_pairs(const view *s, size_t block, contact_record *out)
{
    const block_list *list = &s->list[block];
    const uint32_t first = (uint32_t)block_first(block);
    const uint32_t *entry = s->entry + list->row;
    group g = {.lanes = 0};
    size_t listed = 0;
    for (uint32_t k = 0; k < list->inner; k++)
        if (entry[k] & ENTRY_TOUCHING)
            listed += add_record(s, &g, first + INNER_A(entry[k]), first + INNER_B(entry[k]),
                                 memo_at(s, list, memo_of(s, list, 0, k)), out + listed);
    for (uint32_t k = 0; k < list->outer; k++) {
        const uint32_t e = entry[list->inner + k], own = first + s->own[list->own + k];
        if ((e & ENTRY_TOUCHING) && own < (e & ENTRY_BODY)) /* the other block has it, too */
            listed += add_record(s, &g, own, e & ENTRY_BODY,
                                 memo_at(s, list, memo_of(s, list, 1, k)), out + listed);
    }
    if (g.lanes > 0) {
        for (int l = g.lanes; l < JO_LANES; l++) {
            g.a[l] = g.a[0];
            g.b[l] = g.b[0];
            g.memo[l] = g.memo[0];
        }
        record_pairs(s, &g, out + listed);
    }
    return listed + (size_t)g.lanes;
}

static size_t measure_walls(const view *s, size_t block, contact_record *out)
{
    const block_walls *w = &s->walls[block];
    const wall_contact *stored = w->contacts.data;
    const wall_near *near = w->near.data;
    size_t listed = 0, at = 0;
    for (size_t k = 0; k < w->near_count; k++) {
        wall_touch touches[WALL_TOUCHES];
        wall_contact now[WALL_TOUCHES];
        if (!s->live[near[k].wall].present) continue;
        const size_t n = touches_of(s, &near[k], w->primitives.data, touches);
        contacts_of(&near[k], touches, n, now);
        for (size_t t = 0; t < n; t++, at++) {
            if (at ==
                w->contact_count) /* a blow-up: bodies have moved on since forces were known */
                return listed;
            wall_contact copy = stored[at];
            if (!copy.matched) continue; /* within reach, but no contact */
            wall4 q = {.contact = {&copy}, .touch = {touches[t]}, .lanes = 1};
            contact4 c;
            wall_contacts_load(s, &q, 0, &c);
            c.account = false;
            law_evaluate(s->law, &c);
            const law_pair *pair = &s->law->pairs[s->material[copy.body] * s->law->materials +
                                                  s->live[copy.wall].def.material];
            contact_record *r = &out[listed++];
            *r = (contact_record){
                .a = copy.body,
                .b = UINT32_MAX,
                .wall = copy.wall,
                .sliding = c.sliding[0] != 0,
                .overlap = c.overlap[0],
                .normal = c.normal[0],
                .bend =
                    law_normal_bend(s->law, pair, c.overlap[0], c.radius[0], c.mass[0], c.vn[0], 0),
                .arm = touches[t].gap,
                .force = {c.force.x[0], c.force.y[0], c.force.z[0]},
                .elastic = law_stored_energy(s->law, pair, c.overlap[0], c.radius[0], c.mass[0],
                                             copy.history, copy.roll)};
            memcpy(r->n, touches[t].normal, sizeof r->n);
            for (int a = 0; a < 3; a++)
                r->branch[a] = touches[t].gap * touches[t].normal[a];
        }
    }
    return listed;
}

static size_t measure_block(const view *s, size_t block, contact_record *out)
{
    const size_t pairs = measure_pairs(s, block, out);
    return pairs + measure_walls(s, block, out + pairs);
}

#endif
