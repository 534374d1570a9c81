/* methods.c — the table of methods: one line each. */
#include <string.h>

#include "broad/method.h"

extern const method jo_method_brute;
extern const method jo_method_radial;
extern const method jo_method_cells;
extern const method jo_method_subcells;
extern const method jo_method_verlet;
extern const method jo_method_sweep;
extern const method jo_method_hgrid;
extern const method jo_method_grid;
extern const method jo_method_auto;

const method *const jo_methods[] = {
    &jo_method_brute, &jo_method_radial, &jo_method_cells, &jo_method_subcells, &jo_method_verlet,
    &jo_method_sweep, &jo_method_hgrid,  &jo_method_grid,  &jo_method_auto,     NULL,
};

size_t jo_broad_method_count(void)
{
    size_t count = 0;
    for (size_t k = 0; jo_methods[k] != NULL; k++)
        count += strcmp(jo_methods[k]->info.name, "auto") != 0;
    return count;
}

const jo_method_info *jo_broad_method(size_t index)
{
    return index < jo_broad_method_count() ? &jo_methods[index]->info : NULL;
}

const method *jo_method_by_name(const char *name)
{
    for (size_t k = 0; jo_methods[k] != NULL; k++)
        if (strcmp(jo_methods[k]->info.name, name) == 0) return jo_methods[k];
    return NULL;
}
