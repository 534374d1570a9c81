/* ten_lines.c — jostle from another program, in ten lines.
 *
 *     cc ten_lines.c $(pkg-config --cflags --libs jostle) && ./a.out
 *
 * Three discs in a row: 0 touches 1, and 1 touches 2. */
#include <jostle/jostle.h>
#include <stdio.h>

int main(void)
{
    const double x[] = {0, 1, 2}, y[] = {0, 0, 0}, r[] = {0.5, 0.5, 0.5};
    const jo_bodies bodies = jo_spheres(3, 2, x, y, NULL, r);
    jo_broad *search;
    jo_error error;
    if (jo_broad_create(NULL, &search, &error) || jo_broad_find(search, &bodies, &error))
        return fprintf(stderr, "%s\n", error.text), 1;
    const jo_pairs contacts = jo_broad_contacts(search);
    for (size_t k = 0; k < contacts.count; k++)
        printf("%u touches %u\n", contacts.pairs[k].i, contacts.pairs[k].j);
    jo_broad_destroy(search);
}
