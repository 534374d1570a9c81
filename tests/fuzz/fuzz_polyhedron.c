/* fuzz_polyhedron.c — polyhedra from arbitrary files of triangles: success gives a closed convex
 * body that a query can use; failure one sentence and nothing else. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jostle/features.h"

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
    jo_polyhedron *p = (jo_polyhedron *)1;
    jo_error error = {JO_OK, ""};
    const jo_status status = jo_polyhedron_parse(data, size, "input", &p, &error);
    if (status != JO_OK) {
        demand(error.status == status && error.text[0] != '\0' && strchr(error.text, '\n') == NULL,
               "one sentence", &error);
        demand(p == NULL, "nothing is left on failure", &error);
        return 0;
    }
    const jo_polyhedron_view v = jo_polyhedron_look(p);
    demand(v.vertices + v.faces == v.edges + 2, "Euler's formula", &error);
    demand(v.volume > 0.0 && v.inradius > 0.0 && v.radius >= v.inradius, "a body", &error);
    for (size_t h = 0; h < 2 * v.edges; h++)
        demand(v.twin[v.twin[h]] == h && v.face[v.next[h]] == v.face[h], "half-edges fit", &error);
    /* Beside itself, a little farther than it reaches: apart, and by no more than that. */
    const jo_pose here = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    jo_pose there = here;
    jo_feature_pair pair = {{0, 0}, {0, 0}};
    jo_closest o;
    there.at[0] = 1.01 * (v.hi[0] - v.lo[0]);
    jo_features_contact(p, &here, p, &there, &pair, &o);
    demand(!o.overlap && o.distance <= there.at[0], "apart from its image", &error);
    there.at[0] = 0.5 * v.inradius;
    jo_features_contact(p, &here, p, &there, &pair, &o);
    demand(o.overlap && o.distance <= 0.0, "overlaps its image", &error);
    jo_polyhedron_destroy(p);
    return 0;
}
