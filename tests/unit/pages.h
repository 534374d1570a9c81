/* pages.h — what the tests of pictures and plots share: a folder of their own, and pixels read
 * back. */
#ifndef TESTS_UNIT_PAGES_H
#define TESTS_UNIT_PAGES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef JO_HAVE_CAIRO
#include <cairo.h>
#endif

#include "jostle/jostle.h"
#include "support/overlook.h"

static char folder[] = "/tmp/jostle-picture-XXXXXX";

static inline const char *in_folder(const char *name)
{
    static char path[4][256];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static inline int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static inline int remove_folder(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

#ifdef JO_HAVE_CAIRO

typedef struct image {
    cairo_surface_t *surface;
    const unsigned char *data;
    int width, height, stride;
} image;

static inline image read_png(const char *path)
{
    image im = {.surface = cairo_image_surface_create_from_png(path)};
    assert_int_equal(cairo_surface_status(im.surface), CAIRO_STATUS_SUCCESS);
    im.data = cairo_image_surface_get_data(im.surface);
    im.width = cairo_image_surface_get_width(im.surface);
    im.height = cairo_image_surface_get_height(im.surface);
    im.stride = cairo_image_surface_get_stride(im.surface);
    return im;
}

static inline uint32_t at(const image *im, int x, int y)
{
    uint32_t pixel;
    assert_true(x >= 0 && x < im->width && y >= 0 && y < im->height);
    memcpy(&pixel, im->data + (size_t)y * (size_t)im->stride + 4 * (size_t)x, sizeof pixel);
    return pixel & 0xffffff;
}

static inline void expect_start(const char *path, const char *start)
{
    char text[64] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 8);
    fclose(file);
    assert_memory_equal(text, start, strlen(start));
}

#endif

#endif
