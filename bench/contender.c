/* contender.c — jostle's methods and the peers behind one interface. */
#include "bench.h"

#include <math.h>
#include <string.h>

contender contender_jostle(const char *method, bool ordered, int threads)
{
    contender c = {0};
    c.def = jo_broad_def_default();
    c.def.method = method;
    c.def.ordered = ordered;
    c.def.threads = threads;
    snprintf(c.name, sizeof c.name, "jostle %s%s%s", method, ordered ? ", sorted" : "",
             threads == 1 ? "" : ", 2 threads");
    return c;
}

contender contender_peer(const peer *other)
{
    contender c = {.peer = other, .spatial = (other->where & PEER_SORTED) != 0};
    snprintf(c.name, sizeof c.name, "%s", other->name);
    return c;
}

void contender_forget(contender *c)
{
    c->past_n[0] = c->past_n[1] = 0;
    c->past_seconds[0] = c->past_seconds[1] = 0;
}

static bool complain(const contender *c, const char *text)
{
    fprintf(stderr, "bench: %s: %s\n", c->name, text);
    return false;
}

bool contender_start(contender *c, bench_system *system)
{
    if (c->peer != NULL) {
        c->state = c->peer->create(&system->spheres);
        return c->state != NULL || complain(c, "could not be set up");
    }
    jo_error error;
    c->def.domain = system->particles.domain;
    if (jo_broad_create(&c->def, &c->search, &error) != JO_OK) return complain(c, error.text);
    return true;
}

void contender_stop(contender *c)
{
    if (c->peer != NULL && c->state != NULL) c->peer->destroy(c->state);
    c->state = NULL;
    jo_broad_destroy(c->search);
    c->search = NULL;
    free(c->out.pairs);
    memset(&c->out, 0, sizeof c->out);
}

static const jo_bodies *view(const contender *c, const bench_system *system)
{
    return c->spatial ? &system->sorted : &system->bodies;
}

bool contender_find(contender *c, bench_system *system)
{
    if (c->peer != NULL) {
        c->out.count = 0;
        return c->peer->find(c->state, &system->spheres, &c->out) || complain(c, "failed");
    }
    jo_error error;
    if (jo_broad_find(c->search, view(c, system), &error) != JO_OK) return complain(c, error.text);
    return true;
}

void contender_place(contender *c, bench_system *system)
{
    if (c->peer != NULL && c->peer->place != NULL) c->peer->place(c->state, &system->spheres);
}

bool contender_update(contender *c, bench_system *system)
{
    if (c->from_scratch || (c->peer != NULL && c->peer->update == NULL))
        return contender_find(c, system);
    if (c->peer != NULL) {
        c->out.count = 0;
        return c->peer->update(c->state, &system->spheres, &c->out) || complain(c, "failed");
    }
    jo_error error;
    if (jo_broad_update(c->search, view(c, system), &error) != JO_OK)
        return complain(c, error.text);
    return true;
}

jo_pairs contender_pairs(const contender *c)
{
    if (c->peer != NULL) return (jo_pairs){c->out.pairs, c->out.count};
    return jo_broad_contacts(c->search);
}

uint64_t contender_hash(const contender *c, const bench_system *system)
{
    const jo_pairs pairs = contender_pairs(c);
    if (c->peer != NULL || !c->spatial) return jo_pairs_hash(pairs);
    uint64_t sum = 0;
    for (size_t k = 0; k < pairs.count; k++) {
        const uint32_t a = system->order[pairs.pairs[k].i], b = system->order[pairs.pairs[k].j];
        const jo_pair pair = {a < b ? a : b, a < b ? b : a};
        sum += jo_pairs_hash((jo_pairs){&pair, 1});
    }
    return sum;
}
