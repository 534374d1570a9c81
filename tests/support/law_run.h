/* law_run.h — the contact law (src/law/contact4.h) compiled plain and for AVX2. */
#ifndef TESTS_LAW_RUN_H
#define TESTS_LAW_RUN_H

#include "law/contact4.h"

void law_run_plain(const law *l, contact4 *contacts, size_t count);
/* False where this build or this machine has no AVX2: nothing was done. */
bool law_run_avx2(const law *l, contact4 *contacts, size_t count);

#endif
