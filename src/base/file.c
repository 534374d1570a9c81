/* file.c — see file.h. */
#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

jo_status jo_file_size(const char *path, size_t *size, jo_error *error)
{
    struct stat facts;
    *size = 0;
    if (stat(path, &facts) != 0)
        return jo_fail(error, JO_ERR_IO, "%.200s: cannot be opened: %s", path, strerror(errno));
    if (!S_ISREG(facts.st_mode))
        return jo_fail(error, JO_ERR_IO,
                       "%.200s: is no regular file; name an STL, OBJ, OFF or text file", path);
    *size = (size_t)facts.st_size;
    return JO_OK;
}
