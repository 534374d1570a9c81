/* render.c — `jostle render`: pictures and movies of a run.
 *
 * The camera and the range of colours are those of all frames that will be shown, found by looking
 * at up to 40 of them first, so that nothing jumps. The range of colours ends where all but one in
 * a hundred values lie below: a few bodies in free fall do not take the colours from the rest. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"
#include "movie.h"
#include "output.h"
#include "progress.h"
#include "table.h"

typedef enum colour {
    BY_SPEED,
    BY_SIZE,
    BY_FORCE,
    BY_CONTACTS,
    BY_MATERIAL,
    BY_ID,
    BY_SPIN
} colour;
static const char *const colour_names[] = {"speed",    "size", "force", "contacts",
                                           "material", "id",   "spin",  NULL};
static const char *const colour_labels[] = {"speed",    "radius", "force on a body", "contacts",
                                            "material", "id",     "rate of rotation"};

typedef struct options {
    const char *run, *png, *mp4, *frames, *title;
    bool frame_set;
    long frame; /* negative: from the end */
    uint64_t every;
    double fps;
    colour by;
    bool range_set, bounds_set, angles_set, dark, no_walls, quiet, triangles;
    double range[2], bounds[6], azimuth, elevation;
    int width, height; /* 0: chosen */
} options;

enum {
    KEY_PNG = 0x5000,
    KEY_MP4,
    KEY_FRAMES,
    KEY_FRAME,
    KEY_EVERY,
    KEY_FPS,
    KEY_COLOUR,
    KEY_RANGE,
    KEY_SIZE,
    KEY_DARK,
    KEY_VIEW,
    KEY_BOUNDS,
    KEY_NO_WALLS,
    KEY_TITLE,
    KEY_TRIANGLES
};

static const struct argp_option argp_options[] = {
    {0, 0, 0, 0, "What to make (without any of these, RUN.png of the last frame):", 1},
    {"png", KEY_PNG, "FILE", 0, "one frame as a picture (.png, .svg, .pdf; - is standard output)",
     1},
    {"mp4", KEY_MP4, "FILE", 0, "all frames as a movie, through ffmpeg", 1},
    {"frames", KEY_FRAMES, "DIR", 0, "all frames as DIR/000000.png and so on", 1},
    {"frame", KEY_FRAME, "K", 0, "which frame of --png, from 0; -1 (default) is the last", 1},
    {"every", KEY_EVERY, "N", 0, "of --mp4 and --frames: every Nth frame only", 1},
    {"fps", KEY_FPS, "N", 0, "frames per second of the movie (default 25)", 1},
    {0, 0, 0, 0, "What it looks like:", 2},
    {"colour", KEY_COLOUR, "WHAT", 0,
     "speed (default), size, force, contacts, material, id or spin", 2},
    {"color", KEY_COLOUR, 0, OPTION_ALIAS, 0, 2},
    {"range", KEY_RANGE, "LO,HI", 0, "values at the ends of the colours", 2},
    {"size", KEY_SIZE, "WxH", 0, "pixels (default: as the scene is wide and tall)", 2},
    {"view", KEY_VIEW, "A,E", 0,
     "where the eye is: azimuth and elevation in degrees, or front, side, top, corner (default)",
     2},
    {"bounds", KEY_BOUNDS, "X,X,Y,Y[,Z,Z]", 0, "show this part of space (default: all of it)", 2},
    {"dark", KEY_DARK, 0, 0, "on black", 2},
    {"no-walls", KEY_NO_WALLS, 0, 0, "leave the walls out", 2},
    {"triangles", KEY_TRIANGLES, 0, 0,
     "polygons: the triangulation between them and what happened last, where the run has it "
     "(output: {triangulation: true})",
     2},
    {"title", KEY_TITLE, "TEXT", 0, "instead of the scene's title", 2},
    {0}};

static void parse_view(options *o, const char *text, struct argp_state *state)
{
    static const struct {
        const char *name;
        double azimuth, elevation;
    } known[] = {{"front", -90, 0}, {"side", 0, 0}, {"top", -90, 90}, {"corner", -60, 20}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(text, known[k].name) == 0) {
            o->azimuth = known[k].azimuth;
            o->elevation = known[k].elevation;
            return;
        }
    double angles[2];
    if (cli_reals(state, "view", text, angles, 2) != 2)
        argp_error(state, "--view '%s' needs two angles, like -60,20, or front, side, top, corner",
                   text);
    o->azimuth = angles[0];
    o->elevation = angles[1];
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    options *o = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (o->run != NULL) argp_error(state, "one RUN.h5 at a time, not also '%s'", text);
        o->run = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which run? Name its trajectory, a .h5 file");
        return 0;
    case KEY_PNG:
        o->png = text;
        return 0;
    case KEY_MP4:
        o->mp4 = text;
        return 0;
    case KEY_FRAMES:
        o->frames = text;
        return 0;
    case KEY_FRAME:
        o->frame = (long)cli_real(state, "frame", text, -1e9, 1e9);
        return 0;
    case KEY_EVERY:
        o->every = cli_count(state, "every", text, 1, 1000000000);
        return 0;
    case KEY_FPS:
        o->fps = cli_real(state, "fps", text, 0.1, 240.0);
        return 0;
    case KEY_COLOUR:
        o->by = (colour)cli_choice(state, "colour", text, colour_names);
        return 0;
    case KEY_RANGE:
        if (cli_reals(state, "range", text, o->range, 2) != 2 || !(o->range[0] < o->range[1]))
            argp_error(state, "--range '%s' must be two numbers that grow, like 0,1.5", text);
        o->range_set = true;
        return 0;
    case KEY_SIZE:
        cli_size(state, text, &o->width, &o->height);
        return 0;
    case KEY_VIEW:
        parse_view(o, text, state);
        return 0;
    case KEY_BOUNDS: {
        const int count = cli_reals(state, "bounds", text, o->bounds, 6);
        if ((count != 4 && count != 6) || !(o->bounds[0] < o->bounds[1]) ||
            !(o->bounds[2] < o->bounds[3]) || (count == 6 && !(o->bounds[4] < o->bounds[5])))
            argp_error(state, "--bounds '%s' must be xlo,xhi,ylo,yhi,zlo,zhi (2D: four)", text);
        o->bounds_set = true;
        return 0;
    }
    case KEY_DARK:
        o->dark = true;
        return 0;
    case KEY_NO_WALLS:
        o->no_walls = true;
        return 0;
    case KEY_TITLE:
        o->title = text;
        return 0;
    case KEY_TRIANGLES:
        o->triangles = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = argp_options,
    .parser = parse,
    .args_doc = "RUN.h5|FOLDER",
    .doc =
        "Draws a run: a frame as a picture, or all of them as a movie.\v"
        "Examples:\n"
        "  jostle render out/trajectory.h5 --png last.png\n"
        "  jostle render out/trajectory.h5 --mp4 drum.mp4 --colour speed --view front\n"
        "  jostle render out/trajectory.h5 --frames stills --every 10 --colour material --dark\n"};

/* ---- what all frames have in common */

typedef struct studio {
    const options *o;
    jo_replay *replay;
    size_t frames;
    jo_picture picture;
    double lo[3], hi[3];
    int dim;
    bool seen;      /* lo and hi hold something */
    int decimals;   /* of the time in titles */
    double *values; /* of each body */
    size_t room;    /* of values */
    const char *kind_names[JO_MATERIALS_MAX];
    char title[256];
} studio;

enum { LOOKED_AT = 40, SAMPLES = 200000 };

static double magnitude(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double value_of(colour by, const jo_frame *f, size_t i)
{
    switch (by) {
    case BY_SPEED:
        return magnitude(f->v + 3 * i);
    case BY_FORCE:
        return magnitude(f->force + 3 * i);
    case BY_SPIN:
        return magnitude(f->w + 3 * i);
    case BY_SIZE:
        return f->r[i];
    case BY_ID:
        return (double)f->id[i];
    case BY_CONTACTS:
    case BY_MATERIAL:
        break;
    }
    return 0.0;
}

static void widen(studio *s, const double *point, double reach)
{
    for (int a = 0; a < 3; a++) {
        if (!s->seen || point[a] - reach < s->lo[a]) s->lo[a] = point[a] - reach;
        if (!s->seen || point[a] + reach > s->hi[a]) s->hi[a] = point[a] + reach;
    }
    s->seen = true;
}

/* Bodies far outside the box they may be in are not worth a camera that shows nothing else. */
static bool within(const jo_domain *d, int dim, const double *x)
{
    for (int a = 0; a < dim; a++) {
        const double edge = d->hi[a] - d->lo[a];
        if (edge > 0.0 && (x[a] < d->lo[a] - 0.05 * edge || x[a] > d->hi[a] + 0.05 * edge))
            return false;
    }
    return true;
}

static jo_status look_at(studio *s, size_t k, double *samples, size_t *count, jo_error *error)
{
    jo_frame f;
    const double *corners;
    const uint32_t *wall;
    size_t triangles = 0;
    jo_status status = jo_replay_frame(s->replay, k, &f, error);
    if (status == JO_OK && !s->o->no_walls)
        status = jo_replay_walls(s->replay, k, &corners, &wall, &triangles, error);
    if (status != JO_OK) return status;
    s->dim = f.dim;
    for (size_t t = 0; t < 3 * triangles; t++)
        if (f.dim == 3 || t % 3 < 2) widen(s, corners + 3 * t, 0.0);
    const size_t stride = f.n / (SAMPLES / LOOKED_AT) + 1;
    for (size_t i = 0; i < f.n; i++) {
        if (within(&f.domain, f.dim, f.x + 3 * i)) widen(s, f.x + 3 * i, f.r[i]);
        if (i % stride == 0 && *count < SAMPLES) samples[(*count)++] = value_of(s->o->by, &f, i);
    }
    return JO_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The range of colours. */
static void settle_range(studio *s, double *samples, size_t count)
{
    const colour by = s->o->by;
    qsort(samples, count, sizeof *samples, ascending);
    if (s->o->range_set) {
        s->picture.value_lo = s->o->range[0];
        s->picture.value_hi = s->o->range[1];
    } else if (count > 0) {
        const bool from_zero = by == BY_SPEED || by == BY_FORCE || by == BY_SPIN;
        s->picture.value_lo = from_zero ? 0.0 : samples[0];
        s->picture.value_hi =
            from_zero ? samples[(size_t)(0.99 * (double)(count - 1))] : samples[count - 1];
        if (from_zero && !(s->picture.value_hi > 0.0)) s->picture.value_hi = samples[count - 1];
    }
}

/* A page as wide and tall as what is on it, about 1.3 million pixels, even numbers for movies. */
static void settle_size(studio *s)
{
    if (s->o->width > 0) {
        s->picture.width = s->o->width;
        s->picture.height = s->o->height;
        return;
    }
    const double degree = 3.14159265358979323846 / 180.0;
    const double ca = fabs(cos(s->picture.azimuth * degree)),
                 sa = fabs(sin(s->picture.azimuth * degree));
    const double ce = fabs(cos(s->picture.elevation * degree)),
                 se = fabs(sin(s->picture.elevation * degree));
    const double x = s->hi[0] - s->lo[0], y = s->hi[1] - s->lo[1], z = s->hi[2] - s->lo[2];
    double wide = x, tall = y;
    if (s->dim == 3) wide = sa * x + ca * y, tall = ce * z + se * (ca * x + sa * y);
    double ratio = wide > 0.0 && tall > 0.0 ? wide / tall : 1.0;
    ratio = ratio < 0.5 ? 0.5 : (ratio > 2.0 ? 2.0 : ratio);
    /* The words above and below need room of their own. */
    s->picture.width = 2 * (int)(0.5 * sqrt(1.2e6 * ratio));
    s->picture.height = 2 * (int)(0.5 * sqrt(1.2e6 / ratio) + 0.055 * s->picture.width + 30.0);
}

/* As many decimals as tell two frames apart. */
static void settle_decimals(studio *s, double first, double last)
{
    const double step = s->frames > 1 ? (last - first) / (double)(s->frames - 1) : fabs(last) / 100;
    s->decimals = 0;
    for (double d = step; d > 0.0 && d < 0.95 && s->decimals < 9; d *= 10.0)
        s->decimals++;
}

static jo_status set_up(studio *s, size_t first, size_t last, jo_error *error)
{
    double *samples = malloc(SAMPLES * sizeof *samples);
    size_t count = 0, steps = last - first;
    if (samples == NULL) return cli_error(error, JO_ERR_MEMORY, "out of memory");
    if (steps > LOOKED_AT - 1) steps = LOOKED_AT - 1;
    jo_status status = JO_OK;
    for (size_t k = 0; k <= steps && status == JO_OK; k++)
        status = look_at(s, steps > 0 ? first + k * (last - first) / steps : first, samples, &count,
                         error);
    if (status == JO_OK) settle_range(s, samples, count);
    free(samples);
    jo_frame a, b;
    if (status == JO_OK) status = jo_replay_frame(s->replay, 0, &a, error);
    if (status == JO_OK) status = jo_replay_frame(s->replay, s->frames - 1, &b, error);
    if (status != JO_OK) return status;
    settle_decimals(s, a.time, b.time);
    double largest = 0.0; /* a hair of room, so that lines at the very edge show whole */
    for (int axis = 0; axis < s->dim; axis++)
        largest = fmax(largest, s->hi[axis] - s->lo[axis]);
    for (int axis = 0; axis < s->dim; axis++) {
        s->lo[axis] -= 0.006 * largest;
        s->hi[axis] += 0.006 * largest;
    }
    for (int axis = 0; axis < 3 && s->o->bounds_set; axis++) {
        s->lo[axis] = s->o->bounds[2 * axis];
        s->hi[axis] = s->o->bounds[2 * axis + 1];
    }
    s->picture.has_bounds = s->seen || s->o->bounds_set;
    memcpy(s->picture.bounds_lo, s->lo, sizeof s->lo);
    memcpy(s->picture.bounds_hi, s->hi, sizeof s->hi);
    settle_size(s);
    return JO_OK;
}

/* ---- one frame */

static jo_status no_memory(jo_error *error)
{
    return cli_error(error, JO_ERR_MEMORY, "out of memory drawing a frame");
}

static jo_status fill_colours(studio *s, const jo_frame *f, jo_error *error)
{
    if (f->n > s->room) {
        double *values = realloc(s->values, f->n * sizeof *values);
        if (values == NULL) return no_memory(error);
        s->values = values;
        s->room = f->n;
    }
    for (size_t i = 0; i < f->n; i++)
        s->values[i] = value_of(s->o->by, f, i);
    s->picture.values = s->values;
    s->picture.value_name = colour_labels[s->o->by];
    s->picture.counts = f->touching;
    s->picture.shape = f->shape;
    s->picture.q = f->q;
    s->picture.shapes = f->shapes;
    s->picture.kinds = f->material;
    s->picture.outline_first = f->outline_first;
    s->picture.outline = f->outline;
    s->picture.angle = f->angle;
    s->picture.sides = s->o->triangles ? f->sides : NULL;
    s->picture.side_count = f->side_count;
    s->picture.event_points = s->o->triangles ? f->event_points : 0;
    memcpy(s->picture.event, f->event, sizeof f->event);
    s->picture.colour = s->o->by == BY_CONTACTS   ? JO_COLOUR_CONTACTS
                        : s->o->by == BY_MATERIAL ? JO_COLOUR_KIND
                                                  : JO_COLOUR_VALUE;
    for (size_t i = 0; i < f->n && s->o->by == BY_MATERIAL; i++)
        if (f->material[i] < JO_MATERIALS_MAX && f->material[i] >= s->picture.kind_count)
            s->picture.kind_count = f->material[i] + 1;
    return JO_OK;
}

/* Prepares the picture of frame k; f stays valid until the next call. */
static jo_status prepare(studio *s, size_t k, jo_frame *f, jo_error *error)
{
    const uint32_t *wall;
    jo_status status = jo_replay_frame(s->replay, k, f, error);
    if (status == JO_OK && !s->o->no_walls)
        status =
            jo_replay_walls(s->replay, k, &s->picture.walls, &wall, &s->picture.wall_count, error);
    if (status == JO_OK) status = fill_colours(s, f, error);
    if (status == JO_OK && s->o->triangles && f->sides == NULL)
        return cli_error(error, JO_ERR_DATA,
                         "%s: has no triangulation: run with --set output.triangulation=true",
                         s->o->run);
    const char *title = s->o->title != NULL ? s->o->title : jo_replay_title(s->replay);
    snprintf(s->title, sizeof s->title, "%.180s%st = %.*f", title, title[0] != '\0' ? "    " : "",
             s->decimals, f->time);
    s->picture.title = s->title;
    return status;
}

static jo_status draw_to_file(studio *s, size_t k, const char *path, jo_error *error)
{
    jo_frame f;
    const jo_status status = prepare(s, k, &f, error);
    if (status != JO_OK) return status;
    const jo_bodies bodies = jo_spheres_interleaved(f.n, 3, f.x, f.r);
    jo_bodies flat = bodies;
    flat.dim = f.dim;
    return jo_picture_write(path, &s->picture, &flat, &f.domain, (jo_pairs){0}, error);
}

/* ---- the outputs */

static jo_status make_movie(studio *s, jo_error *error)
{
    movie m;
    s->picture.width += s->picture.width % 2; /* as its encoding wants */
    s->picture.height += s->picture.height % 2;
    uint8_t *rgb = malloc(3 * (size_t)s->picture.width * (size_t)s->picture.height);
    if (rgb == NULL) return no_memory(error);
    progress p = cli_progress_start("drawing the movie");
    jo_status status =
        movie_open(&m, s->o->mp4, s->picture.width, s->picture.height, s->o->fps, error);
    if (status != JO_OK) {
        free(rgb);
        return status;
    }
    for (size_t k = 0; k < s->frames && status == JO_OK; k += s->o->every) {
        jo_frame f;
        status = prepare(s, k, &f, error);
        jo_bodies bodies = jo_spheres_interleaved(f.n, 3, f.x, f.r);
        bodies.dim = f.dim;
        if (status == JO_OK)
            status = jo_picture_pixels(rgb, &s->picture, &bodies, &f.domain, (jo_pairs){0}, error);
        if (status == JO_OK) status = movie_frame(&m, rgb, error);
        if (status == JO_OK && !cli_progress_show(&p, (double)k / (double)s->frames))
            status = JO_ERR_CANCELLED;
    }
    cli_progress_clear();
    free(rgb);
    const jo_status closed = movie_close(&m, status == JO_OK, error);
    return closed != JO_OK ? closed : status;
}

static jo_status make_stills(studio *s, jo_error *error)
{
    progress p = cli_progress_start("drawing frames");
    jo_status status = output_folder(s->o->frames, error);
    size_t number = 0;
    for (size_t k = 0; k < s->frames && status == JO_OK; k += s->o->every) {
        char path[1100];
        snprintf(path, sizeof path, "%.1000s/%06zu.png", s->o->frames, number++);
        status = draw_to_file(s, k, path, error);
        if (status == JO_OK && !cli_progress_show(&p, (double)k / (double)s->frames))
            status = JO_ERR_CANCELLED;
    }
    cli_progress_clear();
    return status;
}

/* RUN.h5 -> RUN.png */
static const char *default_png(const char *run)
{
    static char path[1100];
    const size_t length = strlen(run);
    const bool named = output_has_extension(run, ".h5");
    snprintf(path, sizeof path, "%.*s.png", (int)(named ? length - 3 : length), run);
    return path;
}

static int make_all(studio *s, const options *o, size_t frame)
{
    jo_error error = {0};
    jo_status status = JO_OK;
    cli_signals_hold();
    if (o->png != NULL) {
        status = draw_to_file(s, frame, o->png, &error);
        if (status == JO_OK && !output_is_standard(o->png))
            cli_note("drew frame %zu of %zu: %s", frame, s->frames, o->png);
    }
    const size_t drawn = (s->frames + o->every - 1) / o->every;
    if (status == JO_OK && o->frames != NULL) {
        status = make_stills(s, &error);
        if (status == JO_OK) cli_note("drew %zu frames: %s/000000.png ...", drawn, o->frames);
    }
    if (status == JO_OK && o->mp4 != NULL) {
        status = make_movie(s, &error);
        if (status == JO_OK)
            cli_note("made %s: %zu frames, %.3g s", o->mp4, drawn, (double)drawn / o->fps);
    }
    cli_signals_release();
    return status == JO_OK ? CLI_OK : cli_fail(&error);
}

static int check_outputs(const options *o)
{
    jo_error error = {0};
    if (o->png != NULL && output_picture_possible(o->png, &error) != JO_OK) return cli_fail(&error);
    if (!jo_pictures_available())
        return cli_fail_with(CLI_FAILED, "this build of jostle draws nothing: it has no cairo");
    if (o->mp4 == NULL) return CLI_OK;
    if (!movie_possible())
        return cli_fail_with(CLI_FAILED,
                             "movies need ffmpeg, which is not installed; install it (apt install "
                             "ffmpeg), or write the frames as pictures with --frames DIR");
    return output_possible(o->mp4, &error) == JO_OK ? CLI_OK : cli_fail(&error);
}

int cli_render(int argc, char **argv)
{
    jo_error error = {0};
    options o = {.frame = -1, .every = 1, .fps = 25.0, .azimuth = -60.0, .elevation = 20.0};
    char room[4096];
    cli_parse(&argp, argc, argv, &o);
    o.run = cli_run_file(o.run, room, sizeof room);
    if (o.png == NULL && o.mp4 == NULL && o.frames == NULL) o.png = default_png(o.run);
    int code = check_outputs(&o);
    if (code != CLI_OK) return code;
    studio s = {.o = &o, .picture = jo_picture_default()};
    if (jo_replay_open(o.run, &s.replay, &error) != JO_OK) return cli_fail(&error);
    s.frames = jo_replay_frames(s.replay);
    const long frame = o.frame < 0 ? (long)s.frames + o.frame : o.frame;
    if (s.frames == 0)
        code = cli_fail_with(CLI_BAD_DATA, "%s: holds no frames yet", o.run);
    else if (o.png != NULL && (frame < 0 || frame >= (long)s.frames))
        code = cli_fail_with(CLI_MISUSE, "--frame %ld: %s has %zu frames, 0 to %zu", o.frame, o.run,
                             s.frames, s.frames - 1);
    if (code == CLI_OK) {
        s.picture.dark = o.dark;
        s.picture.draw_contacts = false;
        s.picture.azimuth = o.azimuth;
        s.picture.elevation = o.elevation;
        s.picture.kind_names = s.kind_names;
        for (size_t k = 0; k < JO_MATERIALS_MAX; k++)
            s.kind_names[k] = jo_replay_material(s.replay, k);
        const bool all = o.mp4 != NULL || o.frames != NULL;
        const size_t at = o.png != NULL ? (size_t)frame : 0;
        if (set_up(&s, all ? 0 : at, all ? s.frames - 1 : at, &error) != JO_OK)
            code = cli_fail(&error);
        else
            code = make_all(&s, &o, at);
    }
    free(s.values);
    jo_replay_close(s.replay);
    return code;
}
