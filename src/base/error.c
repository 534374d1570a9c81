/* error.c — status names, error messages, failed assertions. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *jo_version(void)
{
    return JO_VERSION_STRING;
}

const char *jo_status_name(jo_status status)
{
    switch (status) {
    case JO_OK: return "ok";
    case JO_ERR_ARGUMENT: return "bad argument";
    case JO_ERR_DATA: return "bad data";
    case JO_ERR_IO: return "input or output failed";
    case JO_ERR_MEMORY: return "out of memory";
    case JO_ERR_LIMIT: return "beyond a limit";
    case JO_ERR_UNSUPPORTED: return "not in this build";
    case JO_ERR_CANCELLED: return "cancelled";
    case JO_ERR_PHYSICS: return "unphysical";
    }
    return "unknown status";
}

jo_status jo_fail(jo_error *error, jo_status status, const char *format, ...)
{
    if (error != NULL) {
        va_list args;
        va_start(args, format);
        error->status = status;
        vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
    }
    return status;
}

jo_status jo_fail_memory(jo_error *error, size_t bytes, const char *what)
{
    return jo_fail(error, JO_ERR_MEMORY, "out of memory: %zu bytes for %s", bytes, what);
}

_Noreturn void jo_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "jostle: bug: %s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
