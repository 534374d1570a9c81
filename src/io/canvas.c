/* canvas.c — cairo surfaces as files, and text on them.
 *
 * The file is opened before anything is drawn, so that a path that cannot be written is reported
 * before minutes of work; output.c sees to it that the old picture stays as it was until the new
 * one is complete.
 *
 * Text uses cairo's built-in "sans-serif" face: fontconfig finds whatever the machine has. Strings
 * come from users, so they are made valid UTF-8 first: an invalid byte would put the whole cairo
 * context into its error state and lose the picture. */
#include "io/canvas.h"

#ifdef JO_HAVE_CAIRO

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

/* ---- the canvas */

static cairo_status_t write_bytes(void *closure, const unsigned char *data, unsigned int length)
{
    canvas *c = closure;
    jo_output_put(&c->file, data, length);
    return c->file.failure == 0 ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static bool ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && strcasecmp(path + n - m, ending) == 0;
}

static jo_status check_size(int width, int height, jo_error *error)
{
    if (width >= 16 && height >= 16 && width <= 16384 && height <= 16384) return JO_OK;
    return jo_fail(error, JO_ERR_ARGUMENT,
                   "a picture of %d x %d pixels: both must be between 16 and 16384", width, height);
}

static jo_status begin_drawing(canvas *c, jo_error *error)
{
    c->cr = cairo_create(c->surface);
    if (cairo_status(c->cr) == CAIRO_STATUS_SUCCESS) return JO_OK;
    jo_canvas_discard(c);
    return jo_fail_memory(error, (size_t)c->width * (size_t)c->height * 4, "the picture");
}

jo_status jo_canvas_open_memory(canvas *c, int width, int height, jo_error *error)
{
    *c = (canvas){.width = width, .height = height, .path = "a picture", .is_png = true};
    c->file.fd = -1;
    const jo_status status = check_size(width, height, error);
    if (status != JO_OK) return status;
    c->in_memory = true;
    c->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    return begin_drawing(c, error);
}

jo_status jo_canvas_open(canvas *c, const char *path, int width, int height, jo_error *error)
{
    *c = (canvas){.width = width, .height = height, .path = path};
    if (path == NULL || path[0] == '\0')
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "no path for the picture; name a .png, .svg or .pdf");
    const bool svg = ends_with(path, ".svg"), pdf = ends_with(path, ".pdf");
    /* Devices and standard output have no extension; PNG is what one pipes. */
    c->is_png = ends_with(path, ".png") || strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0;
    if (!c->is_png && !svg && !pdf)
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "cannot tell the format of %s: pictures end in .png, .svg or .pdf", path);
    jo_status status = check_size(width, height, error);
    if (status == JO_OK) status = jo_output_open(&c->file, path, error);
    if (status != JO_OK) return status;
    if (svg)
        c->surface = cairo_svg_surface_create_for_stream(write_bytes, c, width, height);
    else if (pdf)
        c->surface = cairo_pdf_surface_create_for_stream(write_bytes, c, width, height);
    else
        c->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    return begin_drawing(c, error);
}

static void free_surface(canvas *c)
{
    if (c->cr != NULL) cairo_destroy(c->cr);
    if (c->surface != NULL) cairo_surface_destroy(c->surface);
    c->cr = NULL;
    c->surface = NULL;
}

jo_status jo_canvas_finish(canvas *c, jo_error *error)
{
    cairo_status_t drawn = cairo_status(c->cr);
    if (drawn == CAIRO_STATUS_SUCCESS && c->is_png)
        drawn = cairo_surface_write_to_png_stream(c->surface, write_bytes, c);
    if (drawn == CAIRO_STATUS_SUCCESS && !c->is_png) cairo_show_page(c->cr);
    cairo_surface_finish(c->surface);
    if (drawn == CAIRO_STATUS_SUCCESS) drawn = cairo_surface_status(c->surface);
    if (drawn != CAIRO_STATUS_SUCCESS && c->file.failure == 0) {
        jo_canvas_discard(c);
        return jo_fail(error, drawn == CAIRO_STATUS_NO_MEMORY ? JO_ERR_MEMORY : JO_ERR_IO,
                       "%s: cannot be drawn: %s", c->path, cairo_status_to_string(drawn));
    }
    free_surface(c);
    return jo_output_finish(&c->file, error);
}

jo_status jo_canvas_pixels(canvas *c, uint8_t *rgb, jo_error *error)
{
    const cairo_status_t drawn = cairo_status(c->cr);
    cairo_surface_flush(c->surface);
    const unsigned char *data = cairo_image_surface_get_data(c->surface);
    const size_t stride = (size_t)cairo_image_surface_get_stride(c->surface);
    for (int y = 0; drawn == CAIRO_STATUS_SUCCESS && y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            uint32_t pixel;
            memcpy(&pixel, data + (size_t)y * stride + 4 * (size_t)x, sizeof pixel);
            *rgb++ = (uint8_t)(pixel >> 16);
            *rgb++ = (uint8_t)(pixel >> 8);
            *rgb++ = (uint8_t)pixel;
        }
    jo_canvas_discard(c);
    if (drawn == CAIRO_STATUS_SUCCESS) return JO_OK;
    return jo_fail(error, drawn == CAIRO_STATUS_NO_MEMORY ? JO_ERR_MEMORY : JO_ERR_IO,
                   "a picture cannot be drawn: %s", cairo_status_to_string(drawn));
}

void jo_canvas_discard(canvas *c)
{
    free_surface(c); /* before the file: an SVG or PDF surface writes its end when it goes */
    if (c->in_memory) return;
    c->file.failure = ECANCELED;
    (void)jo_output_finish(&c->file, NULL);
}

void jo_canvas_colour(canvas *c, colour k)
{
    cairo_set_source_rgb(c->cr, k.r, k.g, k.b);
}

/* ---- text */

#define TEXT_MAX 512 /* bytes; more than fits across any picture */

/* The length of the UTF-8 sequence at p, or 0 when it is not one (overlong forms and surrogates
 * included, which cairo refuses too). */
static size_t sequence(const unsigned char *p)
{
    if (p[0] < 0x80) return 1;
    const size_t n = p[0] >= 0xF0 ? 4 : (p[0] >= 0xE0 ? 3 : 2);
    if (p[0] < 0xC2 || p[0] > 0xF4) return 0;
    for (size_t k = 1; k < n; k++)
        if ((p[k] & 0xC0) != 0x80) return 0;
    if (p[0] == 0xE0 && p[1] < 0xA0) return 0;
    if (p[0] == 0xED && p[1] > 0x9F) return 0;
    if (p[0] == 0xF0 && p[1] < 0x90) return 0;
    if (p[0] == 0xF4 && p[1] > 0x8F) return 0;
    return n;
}

static void make_valid(const char *text, char out[TEXT_MAX])
{
    size_t used = 0;
    const unsigned char *p = (const unsigned char *)text;
    while (*p != '\0') {
        const size_t n = sequence(p);
        if (used + (n > 0 ? n : 1) >= TEXT_MAX) break;
        if (n == 0 || *p < ' ') {
            out[used++] = n == 0 ? '?' : ' ';
            p++;
        } else {
            memcpy(out + used, p, n);
            used += n;
            p += n;
        }
    }
    out[used] = '\0';
}

static void choose_font(canvas *c, double size, bool bold)
{
    cairo_select_font_face(c->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(c->cr, size);
}

static double advance(canvas *c, const char *valid)
{
    cairo_text_extents_t extents;
    cairo_text_extents(c->cr, valid, &extents);
    return extents.x_advance;
}

double jo_canvas_text_width(canvas *c, const char *text, double size, bool bold)
{
    char valid[TEXT_MAX];
    make_valid(text, valid);
    choose_font(c, size, bold);
    return advance(c, valid);
}

/* Cuts characters off the end until the text and an ellipsis fit. */
static void cut_to(canvas *c, char text[TEXT_MAX], double max_width)
{
    size_t length = strlen(text);
    if (length > TEXT_MAX - 4) length = TEXT_MAX - 4;
    do {
        while (length > 0 && ((unsigned char)text[length - 1] & 0xC0) == 0x80)
            length--;
        if (length > 0) length--;
        while (length > 0 && text[length - 1] == ' ')
            length--;
        memcpy(text + length, "\xE2\x80\xA6", 4);
    } while (length > 0 && advance(c, text) > max_width);
}

void jo_canvas_text(canvas *c, const char *text, double x, double y, double size, placement how)
{
    if (text == NULL || text[0] == '\0' || !(size > 0.0)) return;
    char valid[TEXT_MAX];
    make_valid(text, valid);
    choose_font(c, size, how.bold);
    double width = advance(c, valid);
    if (how.max_width > 0.0 && width > how.max_width) {
        const double ratio = how.max_width / width;
        size *= ratio > 0.75 ? 0.995 * ratio : 0.75;
        choose_font(c, size, how.bold);
        if (advance(c, valid) > how.max_width) cut_to(c, valid, how.max_width);
        width = advance(c, valid);
    }
    const double capital = 0.73 * size; /* the height of capitals and digits in common faces */
    cairo_save(c->cr);
    cairo_translate(c->cr, x, y);
    cairo_rotate(c->cr, how.angle);
    cairo_move_to(c->cr, -how.across * width, capital * (1.0 - how.down));
    cairo_show_text(c->cr, valid);
    cairo_restore(c->cr);
}

#endif
