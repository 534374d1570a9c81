/* wrap.c — bodies that left a periodic box come back in on the other side, before lists are made.
 *
 * Blocks are shared out among threads; work is summed block by block, whoever computed it. */
#include <math.h>

#include "base/threads.h"
#include "soft/engine.h"

/* Brings one body back into the periodic box. Going around costs potential energy where gravity
 * points along the axis, and kinetic energy across a sheared boundary: the work that does it. */
static double wrap_body(const view *s, const jo_domain *domain, size_t i)
{
    double *x = s->x + 4 * i, *v = s->v + 4 * i, moved[3] = {0, 0, 0}, work = 0;
    for (int a = s->dim - 1; a >= 0; a--) {
        if (!s->box.periodic[a]) continue;
        const double turns = floor((x[a] - domain->lo[a]) * s->box.inverse[a]);
        if (turns == 0) continue;
        const double before = x[a];
        x[a] -= turns * s->box.size[a];
        moved[a] += x[a] - before;
        if (s->box.sheared && a == 1) {
            const double v_before = v[0];
            x[0] -= turns * s->box.offset;
            moved[0] -= turns * s->box.offset;
            v[0] -= turns * s->box.jump;
            if (v[3] > 0) work += 0.5 / v[3] * (v[0] * v[0] - v_before * v_before);
        }
    }
    for (int a = 0; a < 3 && v[3] > 0; a++)
        work -= s->gravity[a] * moved[a] / v[3];
    return work;
}

static void wrap_share(void *context, int t, int threads)
{
    const jo_soft *soft = context;
    const view *s = &soft->s;
    size_t begin, end;
    jo_thread_share(soft->blocks, t, threads, &begin, &end);
    for (size_t block = begin; block < end; block++) {
        const size_t first = block_first(block), last = first + block_count(s, block);
        double work = 0;
        for (size_t i = first; i < last; i++)
            work += wrap_body(s, &soft->scene.domain, i);
        s->sums[block].work = work;
    }
}

void jo_box_wrap(jo_soft *soft)
{
    if (!soft->s.box.any) return;
    jo_threads_run(soft->blocks > 1 ? soft->threads : 1, wrap_share, soft);
    for (size_t block = 0; block < soft->blocks; block++)
        soft->work += soft->s.sums[block].work;
}
