/* test_plot.c — plots, looked at pixel by pixel, and what they are made of: axes and colours. */
#include "unit/pages.h"

#include <math.h>

#include "io/axis.h"
#include "io/palette.h"

#ifdef JO_HAVE_CAIRO

static image draw_plot(const jo_plot *plot)
{
    jo_error error = {.text = ""};
    if (jo_plot_write(in_folder("plot.png"), plot, &error) != JO_OK) fail_msg("%s", error.text);
    return read_png(in_folder("plot.png"));
}

/* The extent of a colour in the left two thirds, where the data are and the legend is not. */
typedef struct extent {
    int x0, y0, x1, y1;
    size_t pixels;
} extent;

static extent find(const image *im, uint32_t rgb, int from, int to)
{
    extent e = {.x0 = 1 << 20, .y0 = 1 << 20, .x1 = -1, .y1 = -1};
    for (int y = 0; y < im->height; y++)
        for (int x = from; x < to; x++)
            if (at(im, x, y) == rgb) {
                if (x < e.x0) e.x0 = x;
                if (x > e.x1) e.x1 = x;
                if (y < e.y0) e.y0 = y;
                if (y > e.y1) e.y1 = y;
                e.pixels++;
            }
    return e;
}

static void test_bars_are_as_high_as_their_values(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2}, y[] = {2, NAN, 4};
    const char *const names[] = {"a", "b", "c"};
    const jo_series series = {.name = "s", .n = 3, .x = x, .y = y};
    const jo_plot plot = {
        .series = &series, .n_series = 1, .x_names = names, .n_x_names = 3, .y_label = "y"};
    const image im = draw_plot(&plot);
    assert_int_equal(im.width, 900);
    assert_int_equal(im.height, 600);
    const uint32_t blue_bar = jo_colour_pack(jo_colour_series(0));
    const extent all = find(&im, blue_bar, 0, 760);
    const extent first = find(&im, blue_bar, all.x0, all.x0 + 20);
    const extent last = find(&im, blue_bar, all.x1 - 20, all.x1 + 1);
    const double ratio = (double)(last.y1 - last.y0) / (double)(first.y1 - first.y0);
    assert_true(fabs(ratio - 2.0) < 0.03);
    const int middle = (all.x0 + all.x1) / 2; /* NaN: a gap */
    assert_int_equal(find(&im, blue_bar, middle - 20, middle + 20).pixels, 0);
    cairo_surface_destroy(im.surface);
}

static void test_gaps_and_points_without_a_logarithm(void **state)
{
    (void)state;
    /* A horizontal line with a hole in the middle, made in three ways. */
    const double x[] = {1, 10, 100, 1000, 10000};
    const double holes[] = {NAN, INFINITY, 0.0, -5.0};
    const uint32_t ink = jo_colour_pack(jo_colour_series(0));
    for (size_t k = 0; k < 4; k++) {
        const double y[] = {10, 10, holes[k], 10, 10};
        const jo_series series = {.n = 5, .x = x, .y = y};
        const jo_plot plot = {.x_log = true, .y_log = true, .series = &series, .n_series = 1};
        const image im = draw_plot(&plot);
        const extent e = find(&im, ink, 0, 900);
        const int middle = (e.x0 + e.x1) / 2, quarter = (e.x1 - e.x0) / 4;
        assert_true(e.pixels > 100);
        assert_int_equal(find(&im, ink, middle - quarter / 2, middle + quarter / 2).pixels, 0);
        assert_true(find(&im, ink, middle - 2 * quarter + 5, middle - quarter - 5).pixels > 20);
        cairo_surface_destroy(im.surface);
    }
}

static void test_odd_plots(void **state)
{
    (void)state;
    static double x[100], y[100], huge[100], e[100];
    for (int i = 0; i < 100; i++)
        x[i] = i, y[i] = i * i, huge[i] = i % 2 ? 1e300 : -1e300, e[i] = i % 3 ? x[i] : (double)NAN;
    jo_series series[17];
    for (size_t s = 0; s < 17; s++)
        series[s] = (jo_series){.name = s % 2 ? "odd" : "a very, very, very long name of a series",
                                .n = 100,
                                .x = s == 3 ? NULL : x,
                                .y = y,
                                .error = s == 4 ? e : NULL,
                                .dashed = s > 8,
                                .points_only = s == 5};
    series[6].n = 0;
    series[7].y = huge;
    const char *const names[] = {"one", NULL, "three with a long name that must be slanted \xff"};
    for (int k = 0; k < 64; k++) {
        jo_plot plot = {.title = k & 1 ? "title" : NULL,
                        .subtitle = k & 1 ? "\xf0\x28 broken" : NULL,
                        .x_log = k & 2,
                        .y_log = k & 4,
                        .series = series,
                        .n_series = k & 8 ? 17 : 0,
                        .x_names = k & 16 ? names : NULL,
                        .n_x_names = k & 16 ? 3 : 0,
                        .width = k & 32 ? 16 : 400,
                        .height = k & 32 ? 16 : 250};
        const image im = draw_plot(&plot);
        cairo_surface_destroy(im.surface);
    }
    const jo_plot no_names = {.series = series, .n_series = 2, .x_names = names};
    const image im = draw_plot(&no_names);
    cairo_surface_destroy(im.surface);
}

static void test_errors_of_plots(void **state)
{
    (void)state;
    jo_error error;
    const jo_series missing = {.name = "lost", .n = 3};
    const jo_plot empty = {.title = "t"}, broken = {.series = &missing, .n_series = 1},
                  absent = {.n_series = 2}, tiny = {.width = 3, .height = 900};
    assert_int_equal(jo_plot_write(in_folder("p.gif"), &empty, &error), JO_ERR_ARGUMENT);
    assert_non_null(strstr(error.text, ".png, .svg or .pdf"));
    assert_int_equal(jo_plot_write(in_folder("no/p.png"), &empty, &error), JO_ERR_IO);
    assert_int_equal(jo_plot_write("/dev/full", &empty, &error), JO_ERR_SPACE);
    assert_int_equal(jo_plot_write(in_folder("p.png"), &broken, &error), JO_ERR_ARGUMENT);
    assert_non_null(strstr(error.text, "lost"));
    assert_int_equal(jo_plot_write(in_folder("p.png"), &absent, &error), JO_ERR_ARGUMENT);
    assert_int_equal(jo_plot_write(in_folder("p.png"), &tiny, &error), JO_ERR_ARGUMENT);
    assert_int_equal(jo_plot_write(in_folder("p.png"), NULL, &error), JO_ERR_ARGUMENT);
}

#endif

/* ---- parts that need no cairo */

static void test_colour_map_grows_lighter(void **state)
{
    (void)state;
    double before = -1.0;
    for (int k = 0; k <= 100; k++) {
        const colour c = jo_colour_map(k / 100.0);
        const double luminance =
            0.2126 * pow(c.r, 2.2) + 0.7152 * pow(c.g, 2.2) + 0.0722 * pow(c.b, 2.2);
        assert_true(luminance > before);
        before = luminance;
    }
    assert_int_equal(jo_colour_pack(jo_colour_map(-3.0)), jo_colour_pack(jo_colour_map(0.0)));
    assert_int_equal(jo_colour_pack(jo_colour_map(NAN)), jo_colour_pack(jo_colour_map(0.0)));
    assert_int_equal(jo_colour_pack((colour){1.0, 0.0, 0.5}), 0xff0080);
}

static size_t majors(const axis *a)
{
    size_t n = 0;
    for (size_t k = 0; k < a->count; k++)
        n += a->tick[k].major;
    return n;
}

static void test_ticks_are_round_numbers(void **state)
{
    (void)state;
    axis a;
    jo_axis_make(&a, 0.0, 1.0, false, true, 5);
    assert_int_equal(majors(&a), 6);
    size_t seen = 0;
    static const char *const texts[] = {"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"};
    for (size_t k = 0; k < a.count; k++)
        if (a.tick[k].major) assert_string_equal(a.tick[k].text, texts[seen++]);
    jo_axis_make(&a, 1.0, 1000.0, true, false, 6);
    assert_int_equal(majors(&a), 4);
    assert_string_equal(a.tick[0].text, "1");
    assert_true(fabs(jo_axis_position(&a, 10.0) - 1.0 / 3.0) < 1e-12);
    assert_true(isnan(jo_axis_position(&a, 0.0)));
    jo_axis_make(&a, 1e-9, 1e9, true, false, 5);
    assert_true(majors(&a) >= 3 && majors(&a) <= 7);
    assert_true(jo_nice_below(0.37) == 0.2 && jo_nice_below(7.0) == 5.0 &&
                jo_nice_below(1.0) == 1.0);
}

static void test_limits_that_are_no_use_are_replaced(void **state)
{
    (void)state;
    static const double limits[][2] = {{NAN, NAN},
                                       {INFINITY, -INFINITY},
                                       {-INFINITY, INFINITY},
                                       {3, 3},
                                       {0, 0},
                                       {5, 2},
                                       {-4, -4},
                                       {1e-320, 1e-319},
                                       {1e308, 1.7e308},
                                       {-1e308, 1e308},
                                       {1, 1 + 1e-15}};
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++)
        for (int logarithmic = 0; logarithmic < 2; logarithmic++)
            for (int rounded = 0; rounded < 2; rounded++) {
                axis a;
                jo_axis_make(&a, limits[k][0], limits[k][1], logarithmic, rounded, 6);
                assert_int_equal(isfinite(a.lo) && isfinite(a.hi) && a.lo < a.hi, 1);
                assert_true(!logarithmic || a.lo > 0.0);
                const double place = jo_axis_position(&a, logarithmic ? 1.0 : 0.0);
                assert_int_equal(isfinite(place), 1);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef JO_HAVE_CAIRO
        cmocka_unit_test(test_bars_are_as_high_as_their_values),
        cmocka_unit_test(test_gaps_and_points_without_a_logarithm),
        cmocka_unit_test(test_odd_plots),
        cmocka_unit_test(test_errors_of_plots),
#endif
        cmocka_unit_test(test_colour_map_grows_lighter),
        cmocka_unit_test(test_ticks_are_round_numbers),
        cmocka_unit_test(test_limits_that_are_no_use_are_replaced),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
