/* test_picture.c — pictures, looked at pixel by pixel.
 *
 * A page of 100 x 100 pixels has no words: its one panel is the square from 2 to 98, so it is known
 * where everything must be. */
#include "unit/pages.h"

#include <math.h>
#include <time.h>

#include "io/palette.h"
#include "io/raster.h"

#ifdef JO_HAVE_CAIRO

static int red(uint32_t rgb)
{
    return (int)(rgb >> 16 & 255);
}
static int green(uint32_t rgb)
{
    return (int)(rgb >> 8 & 255);
}
static int blue(uint32_t rgb)
{
    return (int)(rgb & 255);
}

static size_t count_colour(const image *im, uint32_t rgb)
{
    size_t n = 0;
    for (int y = 0; y < im->height; y++)
        for (int x = 0; x < im->width; x++)
            n += at(im, x, y) == rgb;
    return n;
}

static jo_picture small_page(void)
{
    jo_picture p = jo_picture_default();
    p.width = p.height = 100;
    return p;
}

static const jo_pairs none = {NULL, 0};

static image draw(const jo_picture *p, const jo_bodies *bodies, const jo_domain *domain,
                  jo_pairs contacts)
{
    const char *path = in_folder("picture.png");
    jo_error error = {.text = ""};
    const jo_status status = jo_picture_write(path, p, bodies, domain, contacts, &error);
    if (status != JO_OK) fail_msg("%s", error.text);
    const image im = read_png(path);
    assert_int_equal(im.width, p->width);
    assert_int_equal(im.height, p->height);
    return im;
}

static const jo_domain ten = {.hi = {10, 10, 10}, .periodic = {true, true, true}};
#define WHITE 0xffffffu

/* The pixel in which a point of the box [0, 10]² falls on the small page. */
static int px(double x)
{
    return (int)(2.0 + 9.6 * x);
}
static int py(double y)
{
    return (int)(98.0 - 9.6 * y);
}

/* ---- 2D */

static void test_disc_is_where_it_belongs(void **state)
{
    (void)state;
    const double x[] = {2.5}, y[] = {7.5}, r[] = {1.0};
    const jo_bodies b = jo_spheres(1, 2, x, y, NULL, r);
    jo_picture p = small_page();
    p.colour = JO_COLOUR_SIZE;
    const image im = draw(&p, &b, &ten, none);
    const uint32_t fill = jo_colour_pack(jo_colour_map(0.5));
    assert_int_equal(at(&im, px(2.5), py(7.5)), fill);
    assert_int_equal(at(&im, px(2.5 + 0.8), py(7.5)), fill);
    assert_int_equal(at(&im, px(2.5), py(7.5 - 0.8)), fill);
    assert_int_equal(at(&im, px(2.5 + 1.3), py(7.5)), WHITE);
    assert_int_equal(at(&im, px(2.5 + 0.85), py(7.5 + 0.85)), WHITE); /* a disc, not a square */
    assert_int_equal(at(&im, px(7.5), py(2.5)), WHITE);
    assert_int_not_equal(at(&im, px(2.5 + 0.97), py(7.5)), fill); /* the outline */
    /* Its area, less the outline of 0.75 pixels and half a pixel of blending. */
    const double inner = 9.6 - 0.75 - 0.5, area = 3.14159265 * inner * inner;
    assert_true(fabs((double)count_colour(&im, fill) - area) < 0.12 * area);
    cairo_surface_destroy(im.surface);
}

static void test_disc_shows_on_both_sides_of_a_period(void **state)
{
    (void)state;
    const double x[] = {0.0}, y[] = {5.0}, r[] = {1.5};
    const jo_bodies b = jo_spheres(1, 2, x, y, NULL, r);
    jo_picture p = small_page();
    p.colour = JO_COLOUR_SIZE;
    const uint32_t fill = jo_colour_pack(jo_colour_map(0.5));
    image im = draw(&p, &b, &ten, none);
    assert_int_equal(at(&im, px(0.7), py(5)), fill);
    assert_int_equal(at(&im, px(9.3), py(5)), fill);
    assert_int_equal(at(&im, px(5), py(5)), WHITE);
    assert_int_equal(at(&im, 0, py(5)), WHITE); /* nothing outside the frame */
    cairo_surface_destroy(im.surface);

    const double outside[] = {-37.5}; /* wraps to 2.5 */
    const jo_bodies far = jo_spheres(1, 2, outside, y, NULL, r);
    im = draw(&p, &far, &ten, none);
    assert_int_equal(at(&im, px(2.5), py(5)), fill);
    cairo_surface_destroy(im.surface);
}

static void test_small_discs_lie_over_large_ones(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        const double x[] = {5, 5}, y[] = {5, 5};
        const double r[] = {swapped ? 1.0 : 4.0, swapped ? 4.0 : 1.0};
        const jo_bodies b = jo_spheres(2, 2, x, y, NULL, r);
        jo_picture p = small_page();
        p.colour = JO_COLOUR_SIZE;
        const image im = draw(&p, &b, &ten, none);
        assert_int_equal(at(&im, px(5), py(5)), jo_colour_pack(jo_colour_map(0.0)));
        assert_int_equal(at(&im, px(7.5), py(5)), jo_colour_pack(jo_colour_map(1.0)));
        cairo_surface_destroy(im.surface);
    }
}

static int darkness(uint32_t rgb)
{
    return 765 - red(rgb) - green(rgb) - blue(rgb);
}

static void test_contact_is_a_line_between_centres(void **state)
{
    (void)state;
    const double x[] = {3, 7, 5}, y[] = {5, 5, 1}, r[] = {2, 2, 0.5};
    const jo_bodies b = jo_spheres(3, 2, x, y, NULL, r);
    const jo_pair pair = {0, 1};
    jo_picture p = small_page();
    const image with = draw(&p, &b, &ten, (jo_pairs){&pair, 1});
    p.draw_contacts = false;
    const image without = draw(&p, &b, &ten, (jo_pairs){&pair, 1});
    for (double s = 3.2; s < 6.8; s += 0.4) /* the line is dark all along */
        assert_true(darkness(at(&with, px(s), py(5))) > 600);
    const uint32_t fill = at(&without, px(3), py(5));
    assert_int_equal(at(&without, px(4.0), py(5)), fill);
    assert_int_equal(at(&with, px(3), py(6)), fill);   /* beside the line */
    assert_int_equal(at(&with, px(1.8), py(5)), fill); /* before its end */
    /* Touching bodies have a colour of the map, free ones are grey. */
    assert_int_equal(fill, jo_colour_pack(jo_colour_map(0.5)));
    assert_int_equal(at(&with, px(5), py(1)), jo_colour_pack(jo_theme(false).free_body));
    cairo_surface_destroy(with.surface);
    cairo_surface_destroy(without.surface);
}

static void test_contact_across_a_period_stays_at_the_edges(void **state)
{
    (void)state;
    const double x[] = {0.8, 9.2}, y[] = {5, 5}, r[] = {2, 2};
    const jo_bodies b = jo_spheres(2, 2, x, y, NULL, r);
    const jo_pair pair = {0, 1};
    assert_true(jo_bodies_touch(&b, &ten, 0, 1));
    const jo_picture p = small_page();
    const image im = draw(&p, &b, &ten, (jo_pairs){&pair, 1});
    assert_true(darkness(at(&im, px(0.4), py(5))) > 600);
    assert_true(darkness(at(&im, px(9.6), py(5))) > 600);
    for (double s = 3.1; s < 6.9; s += 0.2)
        assert_int_equal(at(&im, px(s), py(5)), WHITE);
    cairo_surface_destroy(im.surface);
}

static void test_boxes_are_rectangles(void **state)
{
    (void)state;
    const double lower[] = {1, 6}, upper[] = {4, 8};
    const jo_bodies b = jo_boxes_interleaved(1, 2, lower, upper);
    const jo_picture p = small_page();
    const image im = draw(&p, &b, &ten, none);
    const uint32_t inside = at(&im, px(2.5), py(7));
    assert_int_not_equal(inside, WHITE);
    assert_int_equal(at(&im, px(1.3), py(7.7)), inside); /* into the corner, unlike a disc */
    assert_int_equal(at(&im, px(4.4), py(7)), WHITE);
    assert_int_equal(at(&im, px(2.5), py(8.4)), WHITE);
    assert_true(darkness(at(&im, px(1.04), py(7))) > darkness(inside)); /* the outline */
    cairo_surface_destroy(im.surface);
}

/* Discs of any size, specks included, add as much light as they have area. */
static void test_coverage_is_area(void **state)
{
    (void)state;
    static const float radii[] = {0.3f, 0.9f, 1.1f, 2.3f, 7.0f};
    for (size_t k = 0; k < sizeof radii / sizeof radii[0]; k++) {
        enum { SIDE = 40 };
        static uint32_t pixels[SIDE * SIDE];
        for (int i = 0; i < SIDE * SIDE; i++)
            pixels[i] = 0;
        raster target = {.width = SIDE, .height = SIDE, .stride = SIDE, .pixels = pixels};
        const window all = {0, 0, SIDE, SIDE};
        const float r = radii[k];
        const size_t n = r < 0.5f ? 100 : 1;
        mark marks[100];
        for (size_t i = 0; i < n; i++) { /* on a grid, so that they do not cover each other */
            const float step = n == 1 ? 0.0f : 3.1f;
            marks[i] = (mark){.x = n == 1 ? 20.3f : 5.0f + step * (float)(i % 10),
                              .y = n == 1 ? 19.8f : 5.0f + step * (float)(i / 10),
                              .half = {r, r, r},
                              .rgb = 0xffffff};
        }
        assert_true(jo_raster_flat(&target, all, marks, n, false));
        double sum = 0.0;
        for (int i = 0; i < SIDE * SIDE; i++)
            sum += (pixels[i] & 255) / 255.0;
        /* The outline of larger discs is 42 % as bright; one of 0.75 pixels. */
        double expected = 3.14159265 * r * r * (double)n;
        if (r >= 3.0f) expected -= 0.58 * 3.14159265 * (r * r - (r - 0.75) * (r - 0.75));
        assert_true(fabs(sum - expected) < 0.04 * expected);
    }
}

static void test_many_faint_specks_add_up(void **state)
{
    (void)state;
    uint32_t pixels[16] = {0};
    raster target = {.width = 4, .height = 4, .stride = 4, .pixels = pixels};
    enum { N = 2000 };
    static mark marks[N];
    for (int i = 0; i < N; i++) /* each covers 0.000314 of the pixel */
        marks[i] = (mark){.x = 1.5f, .y = 1.5f, .half = {0.01f, 0.01f, 0.01f}, .rgb = 0xffffff};
    assert_true(jo_raster_flat(&target, (window){0, 0, 4, 4}, marks, N, false));
    const double expected = 255.0 * (1.0 - pow(1.0 - 0.000314159, N)); /* 118.9 */
    assert_true(fabs((double)(pixels[5] & 255) - expected) < 2.0);
}

/* ---- 3D */

static void test_nearer_sphere_hides_the_farther(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        /* Seen along x: the one with larger x is nearer; the farther is larger and shows around. */
        const double near_x = 8, far_x = 2;
        const double x[] = {swapped ? near_x : far_x, swapped ? far_x : near_x};
        const double y[] = {5, 5}, z[] = {5, 5};
        const double r[] = {swapped ? 1.0 : 3.0, swapped ? 3.0 : 1.0};
        const jo_bodies b = jo_spheres(2, 3, x, y, z, r);
        jo_picture p = small_page();
        p.azimuth = p.elevation = 0.0;
        p.colour = JO_COLOUR_INDEX; /* 0 is violet, 1 is yellow */
        const image im = draw(&p, &b, NULL, none);
        const uint32_t middle = at(&im, 50, 50), ring = at(&im, 50 + 25, 50);
        const uint32_t yellow = swapped ? ring : middle, violet = swapped ? middle : ring;
        assert_true(green(yellow) > 2 * blue(yellow) && green(yellow) > 100);
        assert_true(blue(violet) > green(violet));
        assert_int_equal(at(&im, 3, 3), WHITE);
        cairo_surface_destroy(im.surface);
    }
}

static void test_intersecting_spheres_part_where_they_should(void **state)
{
    (void)state;
    /* Equal spheres side by side, overlapping, equally near: the border is half-way. */
    const double x[] = {5, 5}, y[] = {4, 6}, z[] = {5, 5}, r[] = {2, 2};
    const jo_bodies b = jo_spheres(2, 3, x, y, z, r);
    jo_picture p = small_page();
    p.azimuth = p.elevation = 0.0;
    p.colour = JO_COLOUR_INDEX;
    const image im = draw(&p, &b, NULL, none); /* 16 pixels per unit: y to the right */
    const uint32_t left = at(&im, 46, 50), right = at(&im, 54, 50);
    assert_true(blue(left) > green(left));
    assert_true(green(right) > 2 * blue(right));
    cairo_surface_destroy(im.surface);
}

static void test_box_faces_hide_and_are_lit_differently(void **state)
{
    (void)state;
    const double lower[] = {0, 0, 0}, upper[] = {4, 4, 4};
    const jo_bodies b = jo_boxes_interleaved(1, 3, lower, upper);
    jo_picture p = small_page();
    const image im = draw(&p, &b, NULL, none);
    /* Seen from (35°, 25°): the top above the middle, the face x = 4 to the right of it (y grows to
     * the right), the face y = 4 … to the left and right below. */
    const uint32_t top = at(&im, 50, 25), one = at(&im, 30, 60), other = at(&im, 70, 60);
    assert_int_not_equal(top, WHITE);
    assert_int_not_equal(one, other);
    assert_int_not_equal(top, one);
    assert_int_not_equal(top, other);
    cairo_surface_destroy(im.surface);
}

static void test_contacts_in_3d_have_their_panel(void **state)
{
    (void)state;
    const double x[] = {3, 7}, y[] = {5, 5}, z[] = {5, 5}, r[] = {3, 3};
    const jo_bodies b = jo_spheres(2, 3, x, y, z, r);
    const jo_pair pair = {0, 1};
    jo_picture p = jo_picture_default();
    p.width = 1000, p.height = 500;
    p.azimuth = -90.0, p.elevation = 0.0; /* x to the right, z up */
    const image im = draw(&p, &b, &ten, (jo_pairs){&pair, 1});
    /* The panel is in the right half, its middle at y = 225; the line is four tenths of it long,
     * and elsewhere a row crosses only the two upright edges of the box. */
    int longest = 0;
    for (int row = 100; row < 350; row++) {
        int dark = 0;
        for (int column = 520; column < 980; column++)
            dark += darkness(at(&im, column, row)) > 200;
        if (abs(row - 225) > 10) assert_true(dark <= 8);
        if (dark > longest) longest = dark;
    }
    assert_true(longest > 120 && longest < 165);
    cairo_surface_destroy(im.surface);
}

static jo_particles random_particles(size_t n, int dim, double edge, double r)
{
    jo_particles p;
    assert_int_equal(jo_particles_allocate(&p, n, dim, NULL), JO_OK);
    uint64_t s = 88172645463325252u;
    double *const arrays[3] = {p.x, p.y, p.z};
    for (size_t i = 0; i < n; i++) {
        for (int a = 0; a < dim; a++) {
            s ^= s << 13, s ^= s >> 7, s ^= s << 17;
            arrays[a][i] = edge * (double)(s >> 11) * 0x1p-53;
        }
        p.r[i] = r * (0.5 + (double)(i % 7) / 7.0);
    }
    return p;
}

static void test_same_pixels_for_any_number_of_threads(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        jo_particles all = random_particles(3000, dim, 10.0, dim == 2 ? 0.06 : 0.3);
        const jo_bodies b = jo_particles_view(&all);
        jo_pair pairs[500];
        for (uint32_t k = 0; k < 500; k++)
            pairs[k] = (jo_pair){k, k + 1};
        jo_picture p = jo_picture_default();
        p.width = 400, p.height = 300;
        setenv("OMP_NUM_THREADS", "1", 1);
        const image one = draw(&p, &b, &ten, (jo_pairs){pairs, 500});
        setenv("OMP_NUM_THREADS", "3", 1);
        const image three = draw(&p, &b, &ten, (jo_pairs){pairs, 500});
        for (int y = 0; y < 300; y++)
            for (int x = 0; x < 400; x++)
                assert_int_equal(at(&one, x, y), at(&three, x, y));
        setenv("OMP_NUM_THREADS", "2", 1);
        cairo_surface_destroy(one.surface);
        cairo_surface_destroy(three.surface);
        jo_particles_free(&all);
    }
}

static void test_a_million_spheres(void **state)
{
    (void)state;
    const char *scale = getenv("JOSTLE_TEST_SCALE");
    const size_t n = 1000000 / (size_t)(scale != NULL && atoi(scale) > 0 ? atoi(scale) : 1);
    jo_particles all = random_particles(n, 3, 10.0, 4.0 / cbrt((double)n));
    const jo_bodies b = jo_particles_view(&all);
    jo_pair *pairs = malloc(n * sizeof *pairs);
    for (size_t k = 0; k + 1 < n; k++)
        pairs[k] = (jo_pair){(uint32_t)k, (uint32_t)k + 1};
    jo_picture p = jo_picture_default();
    p.width = p.height = 800;
    struct timespec t0, t1;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    const image im = draw(&p, &b, &ten, (jo_pairs){pairs, n - 1});
    clock_gettime(CLOCK_MONOTONIC, &t1);
    const double seconds =
        (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
    print_message("%zu spheres and %zu contacts: %.2f s\n", n, n - 1, seconds);
    assert_true(seconds < 60.0); /* some seconds; quadratic work would take hours */
    assert_true(count_colour(&im, WHITE) > 100000);
    assert_true(count_colour(&im, WHITE) < 480000);
    cairo_surface_destroy(im.surface);
    free(pairs);
    jo_particles_free(&all);
}

/* ---- odd systems */

static void expect_picture(const jo_bodies *b, const jo_domain *domain, jo_pairs contacts, int by)
{
    jo_picture p = jo_picture_default();
    p.width = 130, p.height = by == JO_COLOUR_SIZE ? 100 : 170;
    p.title = "odd";
    p.colour = (jo_colour_by)by;
    p.dark = by == JO_COLOUR_INDEX;
    const image im = draw(&p, b, domain, contacts);
    cairo_surface_destroy(im.surface);
}

static void test_odd_systems_have_pictures(void **state)
{
    (void)state;
    const jo_pair pairs[] = {{0, 1}, {0, 2}, {1, 2}};
    static const struct {
        double x[3], y[3], z[3], r[3];
    } odd[] = {
        {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},                  /* points at one place */
        {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {1, 1, 1}},                  /* coincident spheres */
        {{0, 1e6, 2e6}, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}},              /* a long thread */
        {{0, 0, 0}, {0, 0, 0}, {0, 1e-6, 1}, {0, 1e-9, 0}},            /* a flat, tiny one */
        {{-1e150, 0, 1e150}, {0, 1e150, 0}, {0, 0, 0}, {1e150, 0, 1}}, /* as large as can be */
        {{1e-300, 2e-300, 0}, {0, 0, 0}, {0, 0, 0}, {1e-300, 0, 0}},   /* as small */
        {{0, 5e-324, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
        {{5, 5, 5}, {5, 5, 5}, {5, 5, 5}, {1e9, 100, 0.1}}, /* larger than the period */
    };
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++)
        for (int dim = 2; dim <= 3; dim++)
            for (size_t n = 1; n <= 3; n++) {
                const jo_bodies b = jo_spheres(n, dim, odd[k].x, odd[k].y, odd[k].z, odd[k].r);
                const jo_pairs contacts = {pairs, n == 3 ? 3 : (n == 2 ? 1 : 0)};
                expect_picture(&b, NULL, contacts, (int)(k + n) % 3);
                expect_picture(&b, &ten, contacts, (int)(k + n + 1) % 3);
            }
}

static void test_nothing_gives_an_empty_page(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        const double unused = 0.0;
        const jo_bodies b = jo_spheres(0, dim, &unused, &unused, &unused, &unused);
        const jo_picture p = small_page();
        const image im = draw(&p, &b, NULL, none);
        assert_int_equal(at(&im, 50, 20), WHITE);
        cairo_surface_destroy(im.surface);
    }
}

static void test_every_size_of_page(void **state)
{
    (void)state;
    jo_particles all = random_particles(200, 3, 10.0, 0.8);
    const jo_bodies b = jo_particles_view(&all);
    const jo_pair pair = {3, 4};
    static const int sizes[][2] = {{16, 16}, {16, 400}, {400, 16}, {60, 61}, {2000, 90}, {90, 900}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (int dim = 2; dim <= 3; dim++) {
            jo_bodies seen = b;
            seen.dim = dim;
            jo_picture p = jo_picture_default();
            p.width = sizes[k][0], p.height = sizes[k][1];
            p.title = "a title that is far too long for a page as small as this one is";
            p.caption = "\xff\xfe not UTF-8 \xc3";
            const image im = draw(&p, &seen, &ten, (jo_pairs){&pair, 1});
            cairo_surface_destroy(im.surface);
        }
    jo_particles_free(&all);
}

/* ---- files and errors */

static void test_png_is_a_png(void **state)
{
    (void)state;
    const double x[] = {1}, r[] = {1};
    const jo_bodies b = jo_spheres(1, 2, x, x, NULL, r);
    jo_picture p = jo_picture_default();
    p.width = 321, p.height = 123;
    assert_int_equal(jo_picture_write(in_folder("a.PNG"), &p, &b, NULL, none, NULL), JO_OK);
    FILE *file = fopen(in_folder("a.PNG"), "rb");
    unsigned char head[24];
    assert_non_null(file);
    assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
    fclose(file);
    assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal(head[18] << 8 | head[19], 321);
    assert_int_equal(head[22] << 8 | head[23], 123);
    struct stat facts;
    assert_int_equal(stat(in_folder("a.PNG"), &facts), 0);
    assert_true(facts.st_mode & 0400);
}

static void test_svg_and_pdf(void **state)
{
    (void)state;
    const double x[] = {1, 2}, r[] = {1, 1};
    const jo_bodies b = jo_spheres(2, 2, x, x, NULL, r);
    const jo_series series = {.name = "one", .n = 2, .x = x, .y = x};
    const jo_plot plot = {.title = "plot", .series = &series, .n_series = 1};
    assert_int_equal(jo_plot_write(in_folder("p.svg"), &plot, NULL), JO_OK);
    expect_start(in_folder("p.svg"), "<?xml");
    assert_int_equal(jo_plot_write(in_folder("p.pdf"), &plot, NULL), JO_OK);
    expect_start(in_folder("p.pdf"), "%PDF");
    assert_int_equal(jo_picture_write(in_folder("b.svg"), NULL, &b, NULL, none, NULL), JO_OK);
    expect_start(in_folder("b.svg"), "<?xml");
}

static void expect_error(const char *path, const jo_picture *p, const jo_bodies *b, jo_pairs pairs,
                         jo_status status, const char *words)
{
    jo_error error = {.text = ""};
    assert_int_equal(jo_picture_write(path, p, b, NULL, pairs, &error), status);
    assert_int_equal(error.status, status);
    if (strstr(error.text, words) == NULL) fail_msg("'%s' lacks '%s'", error.text, words);
}

static void test_errors_of_pictures(void **state)
{
    (void)state;
    const double x[] = {1, 2}, bad[] = {1, NAN}, r[] = {1, 1};
    const jo_bodies b = jo_spheres(2, 2, x, x, NULL, r),
                    with_nan = jo_spheres(2, 2, x, bad, NULL, r);
    jo_picture p = small_page();
    const char *path = in_folder("e.png");
    expect_error(in_folder("e.jpg"), &p, &b, none, JO_ERR_ARGUMENT, ".png, .svg or .pdf");
    expect_error(in_folder("png"), &p, &b, none, JO_ERR_ARGUMENT, ".png");
    expect_error("", &p, &b, none, JO_ERR_ARGUMENT, ".png");
    expect_error(NULL, &p, &b, none, JO_ERR_ARGUMENT, ".png");
    expect_error(in_folder("no/such/folder.png"), &p, &b, none, JO_ERR_IO, "folder.png");
    expect_error("/dev/full", &p, &b, none, JO_ERR_SPACE, "/dev/full");
    expect_error(path, &p, &with_nan, none, JO_ERR_DATA, "1");
    const jo_pair beyond = {0, 2};
    expect_error(path, &p, &b, (jo_pairs){&beyond, 1}, JO_ERR_DATA, "only 2");
    expect_error(path, &p, &b, (jo_pairs){NULL, 1}, JO_ERR_ARGUMENT, "array");
    p.azimuth = NAN;
    expect_error(path, &p, &b, none, JO_ERR_ARGUMENT, "azimuth");
    p = small_page();
    p.colour = (jo_colour_by)7;
    expect_error(path, &p, &b, none, JO_ERR_ARGUMENT, "colouring");
    p = small_page();
    p.width = 15;
    expect_error(path, &p, &b, none, JO_ERR_ARGUMENT, "16384");
    p.width = 16385;
    expect_error(path, &p, &b, none, JO_ERR_ARGUMENT, "16384");
    assert_int_not_equal(access(path, F_OK), 0); /* no failure left a file */
}

static void test_failure_leaves_the_old_file(void **state)
{
    (void)state;
    const double x[] = {1, 2}, r[] = {1, 1};
    const jo_bodies b = jo_spheres(2, 2, x, x, NULL, r);
    const char *path = in_folder("old.png");
    FILE *file = fopen(path, "wb");
    fputs("old", file);
    fclose(file);
    jo_picture p = small_page();
    p.width = 1;
    assert_int_equal(jo_picture_write(path, &p, &b, NULL, none, NULL), JO_ERR_ARGUMENT);
    char text[8] = "";
    file = fopen(path, "rb");
    assert_int_equal(fread(text, 1, 7, file), 3);
    fclose(file);
    assert_string_equal(text, "old");
    p.width = 100;
    assert_int_equal(jo_picture_write(path, &p, &b, NULL, none, NULL), JO_OK);
    expect_start(path, "\x89PNG");
}

static void test_pictures_are_available(void **state)
{
    (void)state;
    assert_true(jo_pictures_available());
}

#else

static void test_without_cairo_it_says_so(void **state)
{
    (void)state;
    const double x[] = {1}, r[] = {1};
    const jo_bodies b = jo_spheres(1, 2, x, x, NULL, r);
    const jo_plot plot = {.title = "t"};
    jo_error error = {.text = ""};
    assert_false(jo_pictures_available());
    assert_int_equal(
        jo_picture_write(in_folder("a.png"), NULL, &b, NULL, (jo_pairs){NULL, 0}, &error),
        JO_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "cairo"));
    assert_int_equal(jo_plot_write(in_folder("a.png"), &plot, &error), JO_ERR_UNSUPPORTED);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef JO_HAVE_CAIRO
        cmocka_unit_test(test_pictures_are_available),
        cmocka_unit_test(test_disc_is_where_it_belongs),
        cmocka_unit_test(test_disc_shows_on_both_sides_of_a_period),
        cmocka_unit_test(test_small_discs_lie_over_large_ones),
        cmocka_unit_test(test_contact_is_a_line_between_centres),
        cmocka_unit_test(test_contact_across_a_period_stays_at_the_edges),
        cmocka_unit_test(test_boxes_are_rectangles),
        cmocka_unit_test(test_coverage_is_area),
        cmocka_unit_test(test_many_faint_specks_add_up),
        cmocka_unit_test(test_nearer_sphere_hides_the_farther),
        cmocka_unit_test(test_intersecting_spheres_part_where_they_should),
        cmocka_unit_test(test_box_faces_hide_and_are_lit_differently),
        cmocka_unit_test(test_contacts_in_3d_have_their_panel),
        cmocka_unit_test(test_same_pixels_for_any_number_of_threads),
        cmocka_unit_test(test_a_million_spheres),
        cmocka_unit_test(test_odd_systems_have_pictures),
        cmocka_unit_test(test_nothing_gives_an_empty_page),
        cmocka_unit_test(test_every_size_of_page),
        cmocka_unit_test(test_png_is_a_png),
        cmocka_unit_test(test_svg_and_pdf),
        cmocka_unit_test(test_errors_of_pictures),
        cmocka_unit_test(test_failure_leaves_the_old_file),
#else
        cmocka_unit_test(test_without_cairo_it_says_so),
#endif
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
