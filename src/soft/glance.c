/* glance.c — positions, and sizes of velocities and forces, many times a second.
 *
 * A frame has everything, sorted and counted anew; that is too dear for a picture 20 times a second.
 * A glance writes single-precision numbers straight into the caller's arrays. Bodies lie in memory
 * along a curve through space that is made anew now and then; a table says which place each has in
 * the order of ids. It is kept as long as the ids lie as they did, and made by counting where ids
 * are about as many as bodies, by sorting otherwise. All threads help; each writes places of its
 * own, and every number depends on its body alone.
 *
 * Cost: about 10 ns a body for positions and speeds on one core; 12 bytes of memory a body. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "soft/engine.h"

/* rank[i] is the place of body i among all ids, by counting: ids are below `room`. */
static bool rank_by_counting(jo_soft *soft, uint32_t *rank, uint64_t room)
{
    const size_t n = soft->s.n;
    const uint64_t *id = soft->id.data;
    if (!jo_buffer_reserve(&soft->order, room + 1, sizeof(uint32_t))) return false;
    uint32_t *place = soft->order.data, sum = 0;
    memset(place, 0, room * sizeof *place);
    for (size_t i = 0; i < n; i++)
        place[id[i]] = 1;
    for (uint64_t k = 0; k < room; k++) {
        const uint32_t there = place[k];
        place[k] = sum;
        sum += there;
    }
    for (size_t i = 0; i < n; i++)
        rank[i] = place[id[i]];
    return true;
}

static jo_status find_ranks(jo_soft *soft, jo_error *error)
{
    const size_t n = soft->s.n, bytes = n * sizeof(uint64_t);
    const uint64_t *id = soft->id.data;
    if (soft->ranked == n && n > 0 && memcmp(soft->rank_id.data, id, bytes) == 0) return JO_OK;
    soft->ranked = 0;
    if (!jo_buffer_reserve(&soft->rank, n + 1, sizeof(uint32_t)) ||
        !jo_buffer_reserve(&soft->rank_id, n + 1, sizeof(uint64_t)))
        return jo_fail_memory(error, n * 12, "the order of ids");
    uint64_t room = 0;
    for (size_t i = 0; i < n; i++)
        room = id[i] >= room ? id[i] + 1 : room;
    uint32_t *rank = soft->rank.data, *order;
    if (room > 4 * (uint64_t)n + 1024 || !rank_by_counting(soft, rank, room)) {
        const jo_status status = jo_state_order(soft, &order, error);
        if (status != JO_OK) return status;
        for (size_t k = 0; k < n; k++)
            rank[order[k]] = (uint32_t)k;
    }
    if (n > 0) memcpy(soft->rank_id.data, id, bytes);
    soft->ranked = n;
    return JO_OK;
}

static float length3(const double v[3])
{
    return (float)sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

typedef struct glancing {
    const jo_soft *soft;
    const jo_glance *out;
} glancing;

static void glance_part(void *context, int thread, int threads)
{
    const glancing *work = context;
    const jo_glance *g = work->out;
    const view *s = &work->soft->s;
    const uint32_t *rank = work->soft->rank.data;
    size_t begin, end;
    jo_thread_share(s->n, thread, threads, &begin, &end);
    for (size_t i = begin; i < end; i++) {
        const size_t k = rank[i];
        double v[3], w[3];
        for (int a = 0; a < 3; a++)
            g->x[3 * k + (size_t)a] = (float)(s->x[4 * i + (size_t)a] - g->origin[a]);
        if (g->speed != NULL || g->spin != NULL) jo_state_velocity(work->soft, i, v, w);
        if (g->speed != NULL) g->speed[k] = length3(v);
        if (g->spin != NULL) g->spin[k] = length3(w);
        if (g->force != NULL) g->force[k] = length3(s->f + 6 * i);
    }
}

JO_API jo_status jo_soft_glance(jo_soft *soft, jo_glance *g, jo_error *error)
{
    g->n = soft->s.n;
    g->time = jo_soft_time(soft);
    g->step = soft->steps;
    g->changes = soft->inserted + soft->removed;
    if (g->n > g->room)
        return jo_fail(error, JO_ERR_LIMIT, "%zu bodies, and the arrays have room for %zu", g->n,
                       g->room);
    const jo_status status = find_ranks(soft, error);
    if (status != JO_OK) return status;
    glancing work = {soft, g};
    const int threads = g->n < 8192 ? 1 : soft->threads;
    jo_threads_run(threads, glance_part, &work);
    return JO_OK;
}
