/* law_run_plain.c — the contact law for any processor. */
#include "support/law_run.h"

void law_run_plain(const law *l, contact4 *contacts, size_t count)
{
    for (size_t k = 0; k < count; k++)
        law_evaluate(l, &contacts[k]);
}
