/* fuzz_mesh.c — the reader of meshes on arbitrary bytes: success gives finite triangles with an
 * area. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jostle/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool kept, const char *promise, const jo_error *error)
{
    if (kept) return;
    fprintf(stderr, "broken promise: %s (status %s, text '%s')\n", promise,
            jo_status_name(error->status), error->text);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double *triangles = (double *)1;
    size_t count = 99;
    jo_error error = {JO_OK, ""};
    const jo_status status = jo_mesh_parse(data, size, "input", &triangles, &count, &error);
    if (status == JO_OK) {
        demand(count > 0 && triangles != NULL, "triangles are there", &error);
        for (size_t k = 0; k < 9 * count; k++)
            demand(fabs(triangles[k]) <= JO_COORDINATE_MAX, "corners are finite", &error);
        for (size_t k = 0; k < count; k++)
            demand(memcmp(triangles + 9 * k, triangles + 9 * k + 3, 24) != 0, "corners differ",
                   &error);
    } else {
        demand(error.status == status && error.text[0] != '\0' && strchr(error.text, '\n') == NULL,
               "one sentence", &error);
        demand(count == 0 && triangles == NULL, "nothing is left on failure", &error);
    }
    free(triangles);
    return 0;
}
