/* error.h — the one way the library says that something went wrong. */
#ifndef JO_BASE_ERROR_H
#define JO_BASE_ERROR_H

#include "jostle/base.h"

/* Fills *error (if not NULL) and returns status, so that callers write `return jo_fail(...)`. */
jo_status jo_fail(jo_error *error, jo_status status, const char *format, ...) JO_PRINTF(3, 4);

/* The usual sentence for a failed allocation of `bytes`. */
jo_status jo_fail_memory(jo_error *error, size_t bytes, const char *what);
/* JO_ERR_ARGUMENT: the caller gave NULL for `what`, as in "the points". */
jo_status jo_fail_missing(jo_error *error, const char *what);

/* Our own bugs, never the user's input. Stays on in optimised builds: it guards structure, not
 * inner loops. */
#define JO_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : jo_assert_failed(#condition, __FILE__, __LINE__))
_Noreturn void jo_assert_failed(const char *condition, const char *file, int line);

#endif
