/* reproduce.h — papers, and what a reproduction gives back. */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H

#include "report.h"

/* How much to do: quick stays under 30 s and writes no files. */
typedef struct effort {
    bool quick;
    uint64_t seed;
} effort;

typedef struct paper {
    int number;
    const char *title;
    /* Measures, and fills the report; JO_OK or what went wrong. */
    jo_status (*run)(report *out, const effort *how, jo_error *error);
} paper;

extern const paper reproduce_papers[]; /* ends with title NULL */

jo_status reproduce_paper1(report *out, const effort *how, jo_error *error);
jo_status reproduce_paper2(report *out, const effort *how, jo_error *error);
jo_status reproduce_paper3(report *out, const effort *how, jo_error *error);
/* pile3.c: paper 3 in whole simulations. */
jo_status reproduce_heaps(report *out, const effort *how, jo_error *error);
jo_status reproduce_paper4(report *out, const effort *how, jo_error *error);
jo_status reproduce_paper5(report *out, const effort *how, jo_error *error);

#endif
