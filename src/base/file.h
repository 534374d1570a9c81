/* file.h — files as bytes. */
#ifndef JO_BASE_FILE_H
#define JO_BASE_FILE_H

#include <stddef.h>

#include "jostle/base.h"

/* The size of a file of geometry; what is no regular file is refused. */
jo_status jo_file_size(const char *path, size_t *size, jo_error *error);

#endif
