/* jostle/broad.h — which bodies touch: the contact search.
 *
 *     jo_broad *search;
 *     jo_broad_def def = jo_broad_def_default();
 *     jo_broad_create(&def, &search, &error);
 *     jo_bodies bodies = jo_spheres(n, 3, x, y, z, r);
 *     jo_broad_find(search, &bodies, &error);            // from scratch
 *     jo_pairs contacts = jo_broad_contacts(search);     // valid until the next call
 *     ...
 *     jo_broad_update(search, &bodies, &error);          // after the bodies moved
 *     jo_broad_begun(search), jo_broad_ended(search);    // what changed
 *     jo_broad_destroy(search);
 *
 * Every method returns exactly the same set of pairs: the choice of method is a matter of speed
 * alone, and the default, "auto", makes it. A jo_broad is used by one thread at a time; different
 * jo_broad objects may be used at the same time. Memory is kept between calls and reused. */
#ifndef JOSTLE_BROAD_H
#define JOSTLE_BROAD_H

#include "jostle/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_broad jo_broad;

/* How to search. Start from jo_broad_def_default() and change what you need. */
typedef struct jo_broad_def {
    const char *method; /* a name that jo_broad_method() lists, or "auto" (default) */
    jo_domain domain;   /* default: open on all axes */
    bool ordered;       /* sort the contacts by (i, j); default true. false is faster, and still
                           gives the same order on every run and for any number of threads */
    int threads; /* 0 (default): OMP_NUM_THREADS, or one per processor; at most JO_THREADS_MAX */

    double skin;      /* verlet, auto: how far lists reach beyond contact, a length; negative
                         (default): tuned by itself */
    double cell;      /* cells, subcells, grid: edge of a cell, a length; 0 (default): chosen. Where
                         a method needs larger cells to be right, it takes larger ones */
    double per_cell;  /* cells: mean number of bodies per cell, as in "LCM5"; 0 (default): chosen.
                         Only one of cell and per_cell may be set */
    double origin[3]; /* radial: the point distances are measured from; read if origin_set */
    bool origin_set;  /* default false: the corner from which all coordinates are positive */

    size_t expected; /* about how many contacts there will be: room for them is made at once; 0
                        (default): as it comes. For grid, hgrid, auto */
    bool once; /* grid, hgrid, auto: there will be one search, and memory is given back as soon as
                  that does not need it any more; default false: it is kept for the next one */
} jo_broad_def;

JO_API jo_broad_def jo_broad_def_default(void);

/* Everything that is wrong with a definition, in words, one sentence each, joined by "; ".
 * Returns JO_OK or JO_ERR_ARGUMENT / JO_ERR_DATA (domain). Thread-safe. */
JO_API jo_status jo_broad_def_check(const jo_broad_def *def, jo_error *error);

/* Creates a search; def is copied, NULL means the default. On success *search must be given to
 * jo_broad_destroy; on failure *search is NULL. error may be NULL. */
JO_API jo_status jo_broad_create(const jo_broad_def *def, jo_broad **search, jo_error *error);
JO_API void jo_broad_destroy(jo_broad *search); /* NULL is fine */

/* Lists the contacts from scratch. On failure the previous contacts are gone, nothing else. */
JO_API jo_status jo_broad_find(jo_broad *search, const jo_bodies *bodies, jo_error *error);

/* Brings the contacts up to date after bodies moved, and lists what began and ended since the last
 * find or update. The first update, and one after a failure, is a find whose contacts have all
 * begun. Radii may change from call to call. The number, shape or dimension of bodies may change
 * too: the search then starts anew, and what began and ended still compares the two lists, pair by
 * pair of indices. */
JO_API jo_status jo_broad_update(jo_broad *search, const jo_bodies *bodies, jo_error *error);

/* An array of pairs owned by the search, valid until its next find, update or destroy. */
typedef struct jo_pairs {
    const jo_pair *pairs;
    size_t count;
} jo_pairs;

JO_API jo_pairs jo_broad_contacts(const jo_broad *search);
/* Pairs, sorted, that began or ended with the last update; empty after a find. */
JO_API jo_pairs jo_broad_begun(const jo_broad *search);
JO_API jo_pairs jo_broad_ended(const jo_broad *search);

/* The stages of a search, for timing. */
typedef enum jo_broad_stage {
    JO_STAGE_SURVEY, /* checking the input, extents and sizes */
    JO_STAGE_BUILD,  /* sorting, filling cells, rebuilding lists */
    JO_STAGE_SEARCH, /* testing pairs */
    JO_STAGE_ORDER,  /* sorting the contacts */
    JO_STAGE_EVENTS, /* what began and ended */
    JO_STAGE_COUNT
} jo_broad_stage;

JO_API const char *jo_broad_stage_name(jo_broad_stage stage);

typedef struct jo_broad_stats {
    const char *method;    /* the method that did the last search (what "auto" chose) */
    uint64_t searches;     /* calls of find and update */
    uint64_t pairs_tested; /* pairs of bodies compared in any way */
    uint64_t rebuilds;     /* how often a structure was built from scratch */
    uint64_t swaps;        /* sweep: exchanges of end points */
    uint64_t switches;     /* auto: changes of method between searches */
    uint64_t contacts;     /* contacts found by the last search */
    uint64_t cells;        /* cells of the last grid built; 0 for methods without */
    double skin;           /* verlet: the skin in use; 0 for others */
    size_t bytes;          /* memory held now by the method */
    size_t bytes_lists;    /* memory held now by contact and event lists and for sorting them */
    size_t bytes_peak;     /* grid, hgrid, auto: the most of both at a time, since creation */
    double seconds[JO_STAGE_COUNT]; /* wall time per stage */
} jo_broad_stats;

/* Counters and times since creation or the last reset; contacts, bytes: as of now. */
JO_API jo_broad_stats jo_broad_statistics(const jo_broad *search);
JO_API void jo_broad_statistics_reset(jo_broad *search);

/* Why the method in use was chosen, in a sentence or two; for a method named by the caller, that it
 * was. Valid until the next find, update or destroy. */
JO_API const char *jo_broad_why(const jo_broad *search);

/* A method as `jostle list` and the documentation show it. All strings are static. */
typedef struct jo_method_info {
    const char *name;
    const char *summary; /* one line */
    const char *source;  /* the paper or origin */
    const char *cost;    /* time and memory, in words */
    const char *when;    /* when to use it, and when not */
    const char *options; /* the jo_broad_def fields it reads, separated by spaces; may be "" */
    bool coherent;       /* update() is cheaper than find() when little moved */
    bool threaded;       /* uses more than one thread */
} jo_method_info;

/* The methods, "auto" not among them, and their number. Thread-safe; static. */
JO_API size_t jo_broad_method_count(void);
JO_API const jo_method_info *jo_broad_method(size_t index);

/* The hash of a set of pairs, independent of their order: the sum modulo 2^64 over all pairs of
 * splitmix64((i << 32) | j). Equal sets have equal hashes on every machine. */
JO_API uint64_t jo_pairs_hash(jo_pairs pairs);

/* The model of Mio et al. (2005) for the best edge of a linked cell, paper 2: the load per body
 *   L(lambda) = n_s^dim + (kappa / 2) (density (n_s lambda r)^dim - 1),
 *   n_s = 1.14 exp(2.65 / (lambda + 0.80)),  kappa = 10.47 unless measured,
 * where lambda = edge / r and density is bodies per unit volume (area in 2D). */
JO_API double jo_cell_load(double lambda, double r, double density, int dim, double kappa);
/* The lambda that minimises it over [0.25, 20], to 1e-3. */
JO_API double jo_cell_optimum(double r, double density, int dim, double kappa);

#ifdef __cplusplus
}
#endif
#endif
