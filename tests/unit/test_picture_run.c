/* test_picture_run.c — pictures of runs: walls, colours by value and kind, a camera that stays,
 * pixels in memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/wall_view.h"
#include "jostle/picture.h"
#include "support/overlook.h"

/* ---- triangles alone need no cairo */

enum { SIDE = 120 };

static void expect_one_colour(const raster *image, int lo, int hi, uint32_t background)
{
    const uint32_t inside = image->pixels[(size_t)(lo + 3) * SIDE + (size_t)lo + 3];
    assert_int_not_equal(inside, background);
    for (int y = lo; y < hi; y++)
        for (int x = lo; x < hi; x++)
            assert_int_equal(image->pixels[y * SIDE + x], inside);
}

/* A square of many triangles is blended once everywhere: no seams, no gaps. */
static void test_no_seams(void **state)
{
    (void)state;
    enum { FAN = 17 };
    static uint32_t pixels[SIDE * SIDE];
    double triangles[9 * FAN];
    const uint32_t white = 0xffffff;
    for (int turn = 0; turn < 40; turn++) {
        /* A fan around a middle that is nowhere in particular, over corners on a circle. */
        for (int k = 0; k < FAN; k++)
            for (int c = 0; c < 2; c++) {
                const double angle = 2.0 * 3.14159265358979 * ((k + c) % FAN) / FAN + 0.1 * turn;
                double *corner = triangles + 9 * k + 3 + 3 * c;
                triangles[9 * k] = 0.05 * turn, triangles[9 * k + 1] = -0.03 * turn;
                triangles[9 * k + 2] = 0.0;
                corner[0] = 100.0 * cos(angle), corner[1] = 100.0 * sin(angle), corner[2] = 0.0;
            }
        view v = {.dim = 3,
                  .right = {1, 0, 0},
                  .up = {0, 1, 0},
                  .eye = {0, 0, 1},
                  .x = SIDE / 2.0,
                  .y = SIDE / 2.0,
                  .scale = 0.5};
        raster image = {.width = SIDE, .height = SIDE, .stride = SIDE, .pixels = pixels};
        const theme look = jo_theme(false);
        wall_view walls;
        for (int k = 0; k < SIDE * SIDE; k++)
            pixels[k] = white;
        assert_true(jo_wall_view_make(&walls, &v, triangles, FAN));
        assert_int_equal(walls.edge_count, FAN); /* the rim alone: it is flat */
        assert_true(jo_wall_view_draw(&walls, &image, (window){0, 0, SIDE, SIDE}, &look, 1.0f));
        expect_one_colour(&image, 32, 88, white);
        assert_int_equal(pixels[2], white);
        jo_wall_view_free(&walls);
    }
}

/* A cube has twelve edges from anywhere; its faces' diagonals are none. */
static void test_edges(void **state)
{
    (void)state;
    static const int face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                    {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                    {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    double triangles[9 * 12];
    for (int t = 0; t < 12; t++)
        for (int c = 0; c < 3; c++)
            for (int a = 0; a < 3; a++)
                triangles[9 * t + 3 * c + a] = face[t][c] >> a & 1;
    view v = {.dim = 3, .right = {1, 0, 0}, .up = {0, 1, 0}, .eye = {0, 0, 1}, .scale = 1.0};
    wall_view walls;
    assert_true(jo_wall_view_make(&walls, &v, triangles, 12));
    assert_int_equal(walls.edge_count, 12);
    jo_wall_view_free(&walls);
}

#ifdef JO_HAVE_CAIRO

#include <cairo.h>

enum { WIDTH = 240, HEIGHT = 300 };
static uint8_t rgb[3 * WIDTH * HEIGHT];

static const double centres[6] = {-1, 0, 0, 1, 0, 0}, radii[2] = {0.5, 0.5};

static jo_picture small_picture(void)
{
    jo_picture p = jo_picture_default();
    p.width = WIDTH;
    p.height = HEIGHT;
    p.draw_contacts = false;
    p.azimuth = -90.0; /* x to the right, z up */
    p.elevation = 0.0;
    p.has_bounds = true;
    for (int a = 0; a < 3; a++)
        p.bounds_lo[a] = -2.0, p.bounds_hi[a] = 2.0;
    return p;
}

static void draw(const jo_picture *p, const double *x, size_t n)
{
    jo_error error;
    const jo_bodies bodies = jo_spheres_interleaved(n, 3, x, radii);
    if (jo_picture_pixels(rgb, p, &bodies, NULL, (jo_pairs){0}, &error) != JO_OK)
        fail_msg("%s", error.text);
}

/* Where something is that is not the background: its middle and number of pixels, right of x0. */
static double middle_of_ink(int x0, int x1, size_t *count)
{
    double sum = 0.0;
    *count = 0;
    for (int y = 20; y < 220; y++) /* between title and legend */
        for (int x = x0; x < x1; x++) {
            const uint8_t *p = rgb + 3 * (y * WIDTH + x);
            if (p[0] > 250 && p[1] > 250 && p[2] > 250) continue;
            sum += x;
            (*count)++;
        }
    return *count > 0 ? sum / (double)*count : NAN;
}

static void test_pixels_are_those_of_the_file(void **state)
{
    (void)state;
    jo_error error;
    char path[] = "/tmp/jostle-picture-XXXXXX.png";
    close(mkstemps(path, 4));
    jo_picture p = small_picture();
    p.title = "t = 1";
    const jo_bodies bodies = jo_spheres_interleaved(2, 3, centres, radii);
    assert_int_equal(jo_picture_write(path, &p, &bodies, NULL, (jo_pairs){0}, &error), JO_OK);
    draw(&p, centres, 2);
    cairo_surface_t *image = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_image_surface_get_width(image), WIDTH);
    const unsigned char *data = cairo_image_surface_get_data(image);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            uint32_t want;
            memcpy(&want, data + y * cairo_image_surface_get_stride(image) + 4 * x, 4);
            const uint8_t *got = rgb + 3 * (y * WIDTH + x);
            assert_int_equal((uint32_t)got[0] << 16 | (uint32_t)got[1] << 8 | got[2],
                             want & 0xffffff);
        }
    cairo_surface_destroy(image);
    unlink(path);
}

/* With bounds, a body that stays is drawn at the same place whatever the others do. */
static void test_camera_stays(void **state)
{
    (void)state;
    size_t count;
    double moved[6];
    jo_picture p = small_picture();
    draw(&p, centres, 2);
    const double before = middle_of_ink(0, WIDTH / 2, &count);
    memcpy(moved, centres, sizeof moved);
    moved[3] = 1.4, moved[5] = -1.0;
    draw(&p, moved, 2);
    assert_true(middle_of_ink(0, WIDTH / 2, &count) == before);
    p.has_bounds = false; /* and without, it is not */
    draw(&p, moved, 2);
    assert_true(middle_of_ink(0, WIDTH / 2, &count) != before);
}

static void colour_at(double x, uint8_t out[3])
{
    size_t count;
    const bool left = x < 0.0;
    const double middle = middle_of_ink(left ? 0 : WIDTH / 2, left ? WIDTH / 2 : WIDTH, &count);
    assert_true(count > 200);
    /* Both bodies are at the same height: the row in the middle of the ink. */
    double sum = 0.0;
    size_t rows = 0;
    for (int y = 20; y < 220; y++) {
        const uint8_t *p = rgb + 3 * (y * WIDTH + (int)middle);
        if (p[0] < 250 || p[1] < 250 || p[2] < 250) sum += y, rows++;
    }
    memcpy(out, rgb + 3 * ((int)(sum / (double)rows) * WIDTH + (int)middle), 3);
}

static void test_values(void **state)
{
    (void)state;
    uint8_t low[3], high[3];
    double values[2] = {0.0, 2.0};
    jo_picture p = small_picture();
    p.colour = JO_COLOUR_VALUE;
    p.values = values;
    p.value_name = "speed";
    draw(&p, centres, 2);
    colour_at(-1, low);
    colour_at(1, high);
    assert_true(low[2] > low[1]);         /* violet */
    assert_true(high[1] > high[2] + 60);  /* yellow */
    p.value_lo = 0.0, p.value_hi = 200.0; /* a wider range: both at its low end */
    draw(&p, centres, 2);
    colour_at(1, high);
    assert_true(abs(high[1] - low[1]) < 30 && abs(high[2] - low[2]) < 30);
    values[1] = NAN; /* grey */
    draw(&p, centres, 2);
    colour_at(1, high);
    assert_true(abs(high[0] - high[1]) < 12 && abs(high[1] - high[2]) < 12);
}

static void test_kinds(void **state)
{
    (void)state;
    uint8_t a[3], b[3];
    const uint32_t kinds[2] = {0, 1};
    static const char *const names[2] = {"glass", ""};
    jo_picture p = small_picture();
    p.colour = JO_COLOUR_KIND;
    p.kinds = kinds;
    p.kind_names = names;
    p.kind_count = 2;
    draw(&p, centres, 2);
    colour_at(-1, a);
    colour_at(1, b);
    assert_true(a[2] > a[0] + 40); /* blue */
    assert_true(b[0] > b[2] + 40); /* vermilion */
}

/* A wall in front of the bodies shows, and hides nothing. */
static void test_walls_are_glass(void **state)
{
    (void)state;
    uint8_t bare[3];
    size_t few, many;
    const double wall[18] = {-1.8, -1, -1.8, 1.8, -1, -1.8, 1.8,  -1, 1.8,
                             -1.8, -1, -1.8, 1.8, -1, 1.8,  -1.8, -1, 1.8};
    jo_picture p = small_picture();
    draw(&p, centres, 2);
    colour_at(-1, bare);
    middle_of_ink(0, WIDTH, &few);
    uint8_t *before = malloc(sizeof rgb);
    memcpy(before, rgb, sizeof rgb);
    p.walls = wall;
    p.wall_count = 2;
    draw(&p, centres, 2);
    middle_of_ink(0, WIDTH, &many);
    assert_true(many > 3 * few); /* the glass itself is seen */
    /* The middle of a body is almost as it was. */
    const int x = WIDTH / 4 + 8;
    int nearest = 1000;
    for (int y = 20; y < 220; y++) {
        const uint8_t *was = before + 3 * (y * WIDTH + x), *is = rgb + 3 * (y * WIDTH + x);
        if (was[0] > 200) continue;
        const int change = abs(was[0] - is[0]) + abs(was[1] - is[1]) + abs(was[2] - is[2]);
        if (change < nearest) nearest = change;
    }
    assert_true(nearest > 0 && nearest < 60);
    free(before);
}

static void expect_refused(const jo_picture *p, jo_status want, const char *words)
{
    jo_error error;
    const jo_bodies bodies = jo_spheres_interleaved(2, 3, centres, radii);
    assert_int_equal(jo_picture_pixels(rgb, p, &bodies, NULL, (jo_pairs){0}, &error), want);
    if (strstr(error.text, words) == NULL) fail_msg("'%s' lacks '%s'", error.text, words);
}

static void test_refused(void **state)
{
    (void)state;
    double wall[9] = {0};
    jo_picture p = small_picture();
    p.colour = JO_COLOUR_VALUE;
    expect_refused(&p, JO_ERR_ARGUMENT, "no array of values");
    p.colour = JO_COLOUR_KIND;
    expect_refused(&p, JO_ERR_ARGUMENT, "no array of kinds");
    p.colour = JO_COLOUR_SIZE;
    p.wall_count = 1;
    expect_refused(&p, JO_ERR_ARGUMENT, "no array of them");
    p.walls = wall;
    wall[4] = NAN;
    expect_refused(&p, JO_ERR_DATA, "corner 1 of triangle 0");
    p.wall_count = 0;
    p.width = 3;
    expect_refused(&p, JO_ERR_ARGUMENT, "must be between 16 and 16384");
}

static void test_panels(void **state)
{
    (void)state;
    jo_error error;
    char path[] = "/tmp/jostle-panels-XXXXXX.png";
    close(mkstemps(path, 4));
    const double y[3] = {1, 2, 3};
    const jo_series series = {.name = "a", .n = 3, .y = y, .line_only = true};
    jo_plot plots[5];
    for (int k = 0; k < 5; k++)
        plots[k] = (jo_plot){.title = "p", .series = &series, .n_series = 1};
    jo_panels panels = {.title = "all", .subtitle = "of it", .plots = plots, .count = 5};
    assert_int_equal(jo_panels_write(path, &panels, &error), JO_OK);
    cairo_surface_t *image = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_image_surface_get_width(image), 3 * 520);
    cairo_surface_destroy(image);
    panels.count = 0;
    assert_int_equal(jo_panels_write(path, &panels, &error), JO_ERR_ARGUMENT);
    panels.count = 1;
    plots[0].series = NULL;
    assert_int_equal(jo_panels_write(path, &panels, &error), JO_ERR_ARGUMENT);
    unlink(path);
}

#else

static void test_unsupported(void **state)
{
    (void)state;
    jo_error error;
    uint8_t rgb[3];
    const jo_bodies none = jo_spheres(0, 3, NULL, NULL, NULL, NULL);
    assert_int_equal(jo_picture_pixels(rgb, NULL, &none, NULL, (jo_pairs){0}, &error),
                     JO_ERR_UNSUPPORTED);
    assert_int_equal(jo_panels_write("x.png", NULL, &error), JO_ERR_UNSUPPORTED);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_seams),
        cmocka_unit_test(test_edges),
#ifdef JO_HAVE_CAIRO
        cmocka_unit_test(test_pixels_are_those_of_the_file),
        cmocka_unit_test(test_camera_stays),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_walls_are_glass),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_panels),
#else
        cmocka_unit_test(test_unsupported),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
