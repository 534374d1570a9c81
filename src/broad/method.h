/* method.h — what a contact-detection method is to the rest of the library.
 *
 * A method is one .c file with one const descriptor, and one line in the table of methods.c. It
 * owns a state of state_size bytes, zeroed at first, in which it keeps its memory between calls. */
#ifndef JO_BROAD_METHOD_H
#define JO_BROAD_METHOD_H

#include "broad/pairlist.h"
#include "jostle/broad.h"
#include "scene/survey.h"

/* Everything a method may look at. The bodies have been checked: all values are valid (unless the
 * method has update_surveys). */
typedef struct query {
    const jo_bodies *bodies;
    const jo_domain *domain; /* never NULL */
    const survey *survey;    /* extents and sizes of these bodies; see update_surveys */
    const jo_broad_def *def; /* the options */
    int threads;             /* 1 or more */
    pairparts *parts;        /* lists for the threads to write to */
} query;

typedef struct method {
    jo_method_info info;
    size_t state_size;

    /* Writes every touching pair once, in any order that does not depend on the number of threads,
     * to the empty list `out` (setting out->sorted if it is). Adds to stats: pairs_tested,
     * rebuilds, swaps, and the seconds of BUILD and SEARCH; sets cells and skin. On failure `out`
     * is not looked at, and the next call is a find. */
    jo_status (*find)(void *state, const query *q, pairlist *out, jo_broad_stats *stats,
                      jo_error *error);

    /* The same after the bodies moved; n, shape and dim are as in the last call, and the state is
     * that which the last call left. NULL: the method has no memory, find is called. */
    jo_status (*update)(void *state, const query *q, pairlist *out, jo_broad_stats *stats,
                        jo_error *error);

    /* update checks the values and surveys the bodies itself, and only if it needs to: there
     * q->survey is NULL, and values may be invalid. For methods whose update is cheaper than that.
     */
    bool update_surveys;

    /* Frees what the state holds (not the state itself). May be NULL. */
    void (*release)(void *state);

    /* Bytes the state holds outside itself. May be NULL. */
    size_t (*bytes)(const void *state);

    /* Why it works the way it does now; NULL: "named by the caller". The string lives in the state.
     */
    const char *(*why)(void *state);
} method;

/* The table: every method, then NULL. "auto" is last and not counted among the methods. */
extern const method *const jo_methods[];
const method *jo_method_by_name(const char *name);

#endif
