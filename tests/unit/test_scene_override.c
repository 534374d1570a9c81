/* One value of a scene's text replaced: where it goes, what else stays, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "jostle/scenefile.h"
#include "scene/tree.h"

static int need_yaml(void **state)
{
    (void)state;
    tree t;
    tree_error wrong;
    if (jo_tree_parse("a: b", 4, &t, &wrong) == JO_ERR_UNSUPPORTED) exit(0);
    jo_tree_free(&t);
    return 0;
}

/* The text after the change, or the sentence of the refusal after a '!'. */
static char *changed(const char *text, const char *key, const char *value)
{
    const size_t size = strlen(text);
    char *copy = malloc(size + 1), *out = NULL; /* ends where the text ends */
    size_t out_size = 0;
    jo_error error = {JO_OK, "!"};
    memcpy(copy, text, size);
    char *exact = realloc(copy, size > 0 ? size : 1);
    if (jo_scene_override(exact, size, key, value, &out, &out_size, &error) != JO_OK) {
        assert_null(out);
        out = malloc(sizeof error.text + 1);
        out[0] = '!';
        strcpy(out + 1, error.text);
    } else {
        assert_int_equal(strlen(out), out_size);
    }
    free(exact);
    return out;
}

static void expect(const char *text, const char *key, const char *value, const char *wanted)
{
    char *got = changed(text, key, value);
    if (wanted[0] == '!' ? got[0] != '!' || strstr(got, wanted + 1) == NULL
                         : strcmp(got, wanted) != 0)
        fail_msg("%s=%s gives\n%s\ninstead of\n%s", key, value, got, wanted);
    free(got);
}

static void values_are_replaced(void **state)
{
    (void)state;
    expect("a: 1\nb: 2 # two\n", "a", "7", "a: 7\nb: 2 # two\n");
    expect("a: 1\nb: 2 # two\n", "b", "0.5 mm", "a: 1\nb: 0.5 mm # two\n");
    expect("e: {x: 1, y: [1, 2]}\n", "e.x", "3", "e: {x: 3, y: [1, 2]}\n");
    expect("e: {x: 1, y: [1, 2]}\n", "e.y", "[4, 5]", "e: {x: 1, y: [4, 5]}\n");
    expect("e: {x: 1, y: [1, 2]}\n", "e.y[1]", "9", "e: {x: 1, y: [1, 9]}\n");
    expect("e:\n  x: 'one'\n  y: 2\n", "e.x", "3", "e:\n  x: 3\n  y: 2\n");
    expect("l:\n  - a: 1\n    b: 2\n  - a: 3\n", "l[1].a", "4",
           "l:\n  - a: 1\n    b: 2\n  - a: 4\n");
    expect("{\"a\": 1, \"b\": {\"c\": 2}}", "b.c", "3", "{\"a\": 1, \"b\": {\"c\": 3}}");
    expect("a:\nb: 1\n", "a", "2", "a: 2\nb: 1\n");
    expect("t: \xc3\xa4\xc3\xb6 {x}\na: {\xc3\xa4: 1, b: 2}\n", "a.b", "3",
           "t: \xc3\xa4\xc3\xb6 {x}\na: {\xc3\xa4: 1, b: 3}\n");
    expect("a: 1\r\nb: 2\r\n", "b", "3", "a: 1\r\nb: 3\r\n");
}

static void keys_are_added(void **state)
{
    (void)state;
    expect("# top\na: 1\n", "b", "2", "# top\nb: 2\na: 1\n");
    expect("a: 1\n", "b.c.d", "2", "b: {c: {d: 2}}\na: 1\n");
    expect("a: {x: 1}\n", "a.y", "2", "a: {y: 2, x: 1}\n");
    expect("a: {}\n", "a.y", "2", "a: {y: 2}\n");
    expect("l:\n  - a: 1\n", "l[0].b", "2", "l:\n  - b: 2\n    a: 1\n");
    expect("e:\n    x: 1\n", "e.y", "2", "e:\n    y: 2\n    x: 1\n");
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    expect("a: 1\n", "", "2", "!keys are like");
    expect("a: 1\n", "a..b", "2", "!keys are like");
    expect("a: 1\n", "a.", "2", "!keys are like");
    expect("a: 1\n", "a[x]", "2", "!keys are like");
    expect("a: 1\n", "a[0]b", "2", "!keys are like");
    expect("a: 1\n", "a: b", "2", "!keys are like");
    expect("a: 1\n", "a.b", "2", "!is no map");
    expect("a: [1]\n", "a[1]", "2", "!it has not so many");
    expect("a: [1]\n", "b[1]", "2", "!there is no such item");
    expect("a: 1\n", "a", "", "!one line");
    expect("a: 1\n", "a", "2\nb: 3", "!one line");
    expect("a: 1\n", "a", "2 # two", "!one line");
    expect("a: {x: 1}\n", "a.x", "2, y: 3", "!not one value");
    expect("a: 1\n", "a", "[2", "!not one value");
    expect("a: 1\n", "a", "2]", "!not one value");
    expect("a: {x: 1\n", "a.x", "2", "!cannot be read");
    expect("- 1\n", "a", "2", "!is no map");
    expect("a:\n  x: 1\n  y: 2\n", "a", "2", "!several lines");
    expect("a: |\n  long\n", "a", "2", "!several lines");
    expect("a: &x {b: 1}\nc: *x\n", "c.d", "2", "!anchor");
    expect("a: &x 1\nc: *x\n", "c", "2", "!anchor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_replaced),
        cmocka_unit_test(keys_are_added),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, need_yaml, NULL);
}
