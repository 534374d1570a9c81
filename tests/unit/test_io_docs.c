/* test_io_docs.c — every example in docs/formats.md is what the page says it is: fenced blocks
 * named after a format are read as that format. */
#include <stdio.h>

#include "unit/io_cases.h"

static char *read_page(void)
{
    FILE *f = fopen(SOURCE_DIR "/docs/formats.md", "rb");
    assert_non_null(f);
    char *page = calloc(1, 1 << 20);
    assert_true(fread(page, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return page;
}

static void examples_are_read(void **state)
{
    (void)state;
    char *page = read_page();
    int examples[3] = {0, 0, 0};
    static const char *const names[] = {"csv", "xyz", "lammps"};
    for (char *at = strstr(page, "\n```"); at != NULL; at = strstr(at, "\n```")) {
        char *const name = at + 4, *const content = strchr(name, '\n') + 1;
        char *const end = strstr(content, "\n```");
        assert_non_null(end);
        for (int i = 0; i < 3; i++) {
            if (strncmp(name, names[i], strlen(names[i])) != 0) continue;
            jo_particles p;
            jo_error error = {0};
            jo_read_options options = jo_read_options_default();
            options.format = names[i];
            if (parse_bytes("docs/formats.md", content, (size_t)(end - content) + 1, &options, &p,
                            &error) != JO_OK)
                fail_msg("%s example: %s", names[i], error.text);
            assert_int_equal(p.n, 2);
            /* The order by id, as the page says. */
            if (i == 2) expect_particle(&p, 0, 1.0, 2.0, 3.0, 0.5);
            jo_particles_free(&p);
            examples[i]++;
        }
        at = end + 4;
    }
    assert_true(examples[0] >= 4 && examples[1] >= 1 && examples[2] >= 1);
    free(page);
}

/* The table of formats on the page is the library's. */
static void formats_are_listed(void **state)
{
    (void)state;
    char *page = read_page();
    for (size_t i = 0; i < jo_format_count(); i++) {
        char row[128];
        snprintf(row, sizeof row, "| [`%s`](#%s) | %s |", jo_format(i)->name, jo_format(i)->name,
                 jo_format(i)->extensions);
        if (strstr(page, row) == NULL) fail_msg("docs/formats.md lacks the row '%s'", row);
    }
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_are_read),
        cmocka_unit_test(formats_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
