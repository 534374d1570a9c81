/* balls.h — how hard balls lie in memory, and what the parts of the engine share.
 *
 * Every ball has its own clock: its position is that of the moment its way last changed, and only a
 * collision writes it again. Times are local to the epoch: `base` is added to make them absolute,
 * and at the end of an epoch all clocks are set back by its length (a power of two, so that
 * absolute times stay exact), so that times stay small and precise however long a run.
 *
 * A ball has one plan: the collision it will have next as far as is known (meet, partner), and when
 * it leaves its cell or the shell of its list of neighbours (leave). The earlier of the two is in
 * the calendar. Rules that make this complete although a plan knows one partner only:
 *   - a ball whose way changed is predicted anew against all its neighbours;
 *   - a plan whose partner has changed its way since (its turns differ) is void; when it comes up,
 *     its ball is predicted anew;
 *   - a ball need not plan a collision later than its partner's own `meet`: by then the partner is
 *     predicted anew, against this ball, too. `bound` is that time, rounded up.
 * So the earliest collision of all is always in the plan of one of its two balls.
 *
 * Neighbours are found in one of two ways:
 *   cells: balls are chained in cells at least as large as the largest ball; a prediction looks at
 *          27 cells (2D: 9), a crossing only at the face of 9 (3) that it opens;
 *   lists: each ball has a row of those whose shells are near its own; it is made anew when that
 * ball leaves its shell. Cells then hold the shells' centres. */
#ifndef JO_HARD_BALLS_H
#define JO_HARD_BALLS_H

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "hard/calendar.h"
#include "hard/plan.h"
#include "jostle/hard.h"
#include "law/impact.h"

/* One cache line. The order is that of two rows of four numbers, see approach4. */
typedef struct ball {
    double x[3], v[3]; /* at `clock` */
    double clock;
    uint32_t next;  /* cells: in the chain of its cell; lists: its plan's `turns` once more, so that
                     * who plans to meet it need not look there */
    uint32_t bound; /* not before its plan's `meet`: the upper half of a double, see bounds4 */
} ball;

/* Lists: the shell of a ball. */
typedef struct shell {
    float centre[3];
    uint32_t next; /* in the chain of its cell */
} shell;

/* One step from a cell along an axis: what to add up over the axes. */
typedef struct grid_step {
    uint32_t cells; /* index of the cell */
    int32_t code;   /* of the image it shows, see ball_grid.image */
} grid_step;

typedef struct ball_grid {
    uint32_t *heads; /* of chains; where a cell's is, say the steps */
    int32_t cells[3];
    int shift[3];                    /* of coordinates in `place` */
    double lo[4], size[4], per[3];   /* per = 1 / size; the fourth are never used */
    double period[3], per_period[3]; /* 0: not periodic */
    bool flat;                       /* 2D: only the cells of one layer are looked at */
    /* Three for each coordinate: back, stay, forward; around the end to the start. */
    grid_step *step[3];
    double image[27][3]; /* shifts by code, sum of 3^axis * (0: none, 1: -period, 2: +period) */
} ball_grid;

/* Which surfaces of walls a ball in a cell may touch: list[first[cell]] … list[first[cell + 1] -
 * 1]. `all` are those for a ball beyond the grid. */
typedef struct near_walls {
    uint32_t *first, *list;
    uint32_t *all, all_count;
} near_walls;

struct surface;

/* Sums over collisions since the start; observables are differences of them. */
typedef struct hard_sums {
    double stress[9]; /* momentum passed on, times the way from centre to centre */
    double dissipated, work, tc_energy;
    uint64_t collisions, wall_collisions, tc_collisions;
} hard_sums;

struct jo_hard {
    /* what the inner loops read */
    ball *balls;
    plan *plans;
    ball_grid grid;
    calendar calendar;
    uint32_t *rows; /* lists: row_size numbers each, the first their count */
    uint32_t row_size;
    shell *shells;
    double reach;               /* radius of a shell */
    double now;                 /* local */
    double diameter, diameter2; /* of the largest ball */
    double mass;                /* where all balls are the same */
    bool lists, general, tiny, prefetches;
    bool falls, poly, grows, fixed_falls;
    double g[3];
    double scale, scale_rate; /* growth: radii are times scale + scale_rate * local time */
    double *r;                /* at the start */
    int32_t *wraps;           /* 3 each: periods (or lengths of the grid on an open axis) away */
    uint32_t n, movers;       /* those that move come first */
    uint64_t *id;
    near_walls near;
    const struct surface *surfaces;
    uint32_t surface_count;
    uint64_t event_count; /* collisions of all kinds */
    uint64_t taken;       /* events of any kind in this epoch */
    uint64_t taken_most;  /* after these the epoch is cut short: it was far too long */
    hard_sums sums;
    jo_hard_stats stats;

    /* what general collisions read */
    impact_pair *impacts; /* materials x materials */
    size_t material_count;
    uint32_t *material;
    double *inverse_mass, *spin, *last; /* last: absolute time of the last collision, for TC */
    double turning;                     /* r^2 m / I */
    double tc;
    double *wall_impulse; /* 3 for each wall: what balls gave it since the start */
    bool spins;

    /* the rest */
    int dim;
    double base; /* absolute time of local 0 */
    double time; /* absolute, as it was asked for */
    void (*run)(jo_hard *hard, double limit, uint64_t collisions);
    void (*foresee_all)(jo_hard *hard);
    void (*turned)(jo_hard *hard, uint32_t i);
    struct hard_rest *rest; /* what only setting up, measuring and saving need */
    jo_hard_event *log;     /* a ring; NULL: none */
    size_t log_size;
    buffer memory_balls, memory_plans, memory_rows, memory_shells, memory_heads, memory_id,
        memory_r, memory_wraps, memory_material, memory_mass, memory_spin, memory_last, memory_near,
        memory_steps, memory_log;
};

/* The inner loop, compiled plain and for AVX2: takes events up to and including the local time
 * `limit`, or until event_count has reached `collisions`, or the epoch's end. */
void jo_hard_run_plain(jo_hard *hard, double limit, uint64_t collisions);
void jo_hard_run_avx2(jo_hard *hard, double limit, uint64_t collisions);
/* Predicts all balls at the present moment, without putting anything into the calendar. */
void jo_hard_foresee_all_plain(jo_hard *hard);
void jo_hard_foresee_all_avx2(jo_hard *hard);

/* Predicts one ball whose way was changed at the present moment, and puts it into the calendar. */
void jo_hard_turned_plain(jo_hard *hard, uint32_t i);
void jo_hard_turned_avx2(jo_hard *hard, uint32_t i);

/* Whether a ball that leaves its shell is always predicted anew: what comes later need not be
 * planned. */
static inline bool foreseen_on_leaving(const jo_hard *h)
{
    return h->lists && !h->falls;
}

#define BOUND_NONE  0x7ff00000u /* INFINITY */
#define BOUND_NEVER 0xbff00000u /* -1: it is not met at all */

/* When a ball will have been predicted anew, rounded up to what half a double holds. */
static inline uint32_t bound_of(const jo_hard *h, const plan *p)
{
    const double time = foreseen_on_leaving(h) && p->leave < p->meet ? p->leave : p->meet;
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    return (uint32_t)(bits >> 32) + (time < (double)INFINITY);
}

/* How much larger balls are now than at the start. */
static inline double growth_now(const jo_hard *h)
{
    return h->scale + h->scale_rate * h->now;
}

#endif
