/* error.c — status names, error messages, failed assertions. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *jo_version(void)
{
    return JO_VERSION_STRING;
}

const char *jo_status_name(jo_status status)
{
    switch (status) {
    case JO_OK:
        return "ok";
    case JO_ERR_ARGUMENT:
        return "bad argument";
    case JO_ERR_DATA:
        return "bad data";
    case JO_ERR_IO:
        return "input or output failed";
    case JO_ERR_MEMORY:
        return "out of memory";
    case JO_ERR_LIMIT:
        return "beyond a limit";
    case JO_ERR_UNSUPPORTED:
        return "not in this build";
    case JO_ERR_CANCELLED:
        return "cancelled";
    case JO_ERR_PHYSICS:
        return "unphysical";
    case JO_ERR_SPACE:
        return "no room to write";
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

jo_status jo_fail_missing(jo_error *error, const char *what)
{
    return jo_fail(error, JO_ERR_ARGUMENT, "%s: NULL was given", what);
}

/* What a person can do about it; NULL where `number` is not a lack of room. */
static const char *advice_on_room(int number)
{
    switch (number) {
    case ENOSPC:
        return "make room there, or write to another disk";
    case EDQUOT:
        return "make room within the quota, or write to another disk";
    case EFBIG:
        return "raise the limit on the size of files (ulimit -f), or write less";
    default:
        return NULL;
    }
}

jo_status jo_error_file(jo_error *error, const char *path, const char *what, int number)
{
    enum { PATH_SHOWN = 300 }; /* the end of a path says more than its beginning */
    const size_t length = strlen(path);
    const char *shown = length > PATH_SHOWN ? path + length - PATH_SHOWN : path;
    const char *advice = advice_on_room(number);
    if (advice == NULL)
        return jo_fail(error, JO_ERR_IO, "%s: cannot be %s: %s", shown, what, strerror(number));
    return jo_fail(error, JO_ERR_SPACE, "%s: cannot be %s: %s; %s", shown, what, strerror(number),
                   advice);
}

_Noreturn void jo_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "jostle: bug: %s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
