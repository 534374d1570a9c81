/* generate_cmd.c — `jostle generate`: seeded systems of particles into a file.
 *
 * A named workload, or a layout and sizes of one's own; options given beside --workload change that
 * one thing of it. The same options give the same bytes on every machine. */
#include <string.h>

#include "args.h"
#include "generate.h"
#include "output.h"
#include "progress.h"
#include "table.h"

typedef struct generate_options {
    const char *workload;
    scene_def wish; /* what the options said … */
    unsigned given; /* … and which of them did, bits of enum given */
    const char *output, *png, *format;
} generate_options;

enum given {
    GIVEN_LAYOUT = 1,
    GIVEN_SIZES = 2,
    GIVEN_DIM = 4,
    GIVEN_N = 8,
    GIVEN_D_MIN = 16,
    GIVEN_D_MAX = 32,
    GIVEN_BIG = 64,
    GIVEN_EDGE = 128,
    GIVEN_PERIODIC = 256
};

enum {
    KEY_WORKLOAD = 0x4000,
    KEY_LAYOUT,
    KEY_SIZES,
    KEY_D_MIN,
    KEY_D_MAX,
    KEY_BIG,
    KEY_EDGE,
    KEY_DENSITY,
    KEY_FRACTION,
    KEY_CONTACTS,
    KEY_DIM,
    KEY_SEED,
    KEY_PNG,
    KEY_FORMAT
};

static const char *const layouts[] = {"random",   "lattice", "close", "jittered", "packing",
                                      "clusters", "shell",   "line",  "slab",     NULL};
static const char *const size_laws[] = {"equal",   "uniform", "log-uniform",
                                        "bimodal", "giant",   NULL};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What to make:", 1},
    {"workload", KEY_WORKLOAD, "NAME", 0, "a named system ('jostle list'); other options change it",
     1},
    {"n", 'n', "COUNT", 0, "number of particles, like 1e6 (default 1000)", 1},
    {"dim", KEY_DIM, "2|3", 0, "discs or spheres (default 3)", 1},
    {"seed", KEY_SEED, "SEED", 0, "random seed (default 1)", 1},
    {"layout", KEY_LAYOUT, "NAME", 0,
     "random (may overlap; default), lattice, close (hexagonal or fcc), jittered (dense), packing "
     "(dense and random, without overlap), clusters, shell, line, slab",
     1},
    {"sizes", KEY_SIZES, "NAME", 0,
     "equal (all of d-max), uniform (default), log-uniform, bimodal, giant (one of d-max)", 1},
    {"d-min", KEY_D_MIN, "LENGTH", 0, "smallest diameter (default 0.05)", 1},
    {"d-max", KEY_D_MAX, "LENGTH", 0, "largest diameter (default 0.1)", 1},
    {"big", KEY_BIG, "SHARE", 0, "bimodal: the share of large ones (default 0.01)", 1},
    {0, 0, 0, 0, "How large the box is (one of these):", 2},
    {"edge", KEY_EDGE, "LENGTH", 0, "its edge", 2},
    {"density", KEY_DENSITY, "X", 0, "particles per unit volume (area in 2D)", 2},
    {"fraction", KEY_FRACTION, "X", 0, "volume of all particles over the box's", 2},
    {"contacts", KEY_CONTACTS, "X", 0, "expected contacts per particle", 2},
    {"periodic", 'p', "AXES", 0, "which axes repeat: letters of xyz, all or none (default)", 2},
    {0, 0, 0, 0, "Where to put it:", 3},
    {"output", 'o', "FILE", 0, "the particle file; - is standard output; format by extension", 3},
    {"format", KEY_FORMAT, "NAME", 0, "the format, when the extension does not tell", 3},
    {"png", KEY_PNG, "FILE", 0, "draw it", 3},
    {0}};

/* One of the four ways to say how large the box is. */
static void set_box(generate_options *o, struct argp_state *state, double edge, double density,
                    double fraction, double contacts)
{
    if (o->given & GIVEN_EDGE)
        argp_error(state, "give one of --edge, --density, --fraction and --contacts");
    o->wish.edge = edge;
    o->wish.density = density;
    o->wish.fraction = fraction;
    o->wish.contacts = contacts;
    o->given |= GIVEN_EDGE;
}

static bool parse_shape(generate_options *o, int key, char *text, struct argp_state *state)
{
    const double tiny = 1e-300, huge = JO_COORDINATE_MAX;
    switch (key) {
    case KEY_LAYOUT:
        o->wish.layout = (scene_layout)cli_choice(state, "layout", text, layouts);
        o->given |= GIVEN_LAYOUT;
        return true;
    case KEY_SIZES:
        o->wish.sizes = (scene_sizes)cli_choice(state, "sizes", text, size_laws);
        o->given |= GIVEN_SIZES;
        return true;
    case KEY_D_MIN:
        o->wish.d_min = cli_real(state, "d-min", text, 0.0, huge);
        o->given |= GIVEN_D_MIN;
        return true;
    case KEY_D_MAX:
        o->wish.d_max = cli_real(state, "d-max", text, 0.0, huge);
        o->given |= GIVEN_D_MAX;
        return true;
    case KEY_BIG:
        o->wish.big_fraction = cli_real(state, "big", text, 0.0, 1.0);
        o->given |= GIVEN_BIG;
        return true;
    case KEY_EDGE:
        set_box(o, state, cli_real(state, "edge", text, tiny, huge), 0.0, 0.0, 0.0);
        return true;
    case KEY_DENSITY:
        set_box(o, state, 0.0, cli_real(state, "density", text, tiny, huge), 0.0, 0.0);
        return true;
    case KEY_FRACTION:
        set_box(o, state, 0.0, 0.0, cli_real(state, "fraction", text, tiny, huge), 0.0);
        return true;
    case KEY_CONTACTS:
        set_box(o, state, 0.0, 0.0, 0.0, cli_real(state, "contacts", text, tiny, huge));
        return true;
    default:
        return false;
    }
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    generate_options *o = state->input;
    const char *names[64];
    size_t count = 0;
    if (parse_shape(o, key, text, state)) return 0;
    switch (key) {
    case KEY_WORKLOAD:
        for (; count < 63 && scene_name(count) != NULL; count++)
            names[count] = scene_name(count);
        names[count] = NULL;
        o->workload = names[cli_choice(state, "workload", text, names)];
        return 0;
    case 'n':
        o->wish.n = cli_count(state, "n", text, 0, JO_BODIES_MAX);
        o->given |= GIVEN_N;
        return 0;
    case KEY_DIM:
        o->wish.dim = (int)cli_count(state, "dim", text, 2, 3);
        o->given |= GIVEN_DIM;
        return 0;
    case KEY_SEED:
        o->wish.seed = cli_seed(state, "seed", text);
        return 0;
    case 'p':
        cli_axes(state, "periodic", text, o->wish.periodic);
        o->given |= GIVEN_PERIODIC;
        return 0;
    case 'o':
        o->output = text;
        return 0;
    case KEY_FORMAT:
        for (size_t k = 0; k < jo_format_count() && count < 63; k++)
            if (jo_format(k)->writes) names[count++] = jo_format(k)->name;
        names[count] = NULL;
        o->format = names[cli_choice(state, "format", text, names)];
        return 0;
    case KEY_PNG:
        o->png = text;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is one word too many; the file to write is --output FILE", text);
        return 0;
    case ARGP_KEY_END:
        if (o->output == NULL && o->png == NULL)
            argp_error(state, "say where to put it: --output FILE (or - for standard output), or "
                              "--png FILE for a picture alone");
        if (output_is_standard(o->output) && output_is_standard(o->png))
            argp_error(state, "--output - and --png - cannot share standard output");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .doc = "Makes a system of spheres or discs and writes it to a file. The same options give the "
           "same particles on every machine.\v"
           "Examples:\n"
           "  jostle generate --workload A2 --n 1e4 -o a2.csv\n"
           "  jostle generate --n 1e5 --sizes log-uniform --d-min 0.01 --d-max 1 \\\n"
           "      --contacts 3 -o mix.xyz\n"
           "  jostle generate --dim 2 --n 2000 --layout packing --sizes bimodal \\\n"
           "      --d-min 0.5 --d-max 1 --fraction 0.8 --periodic xy \\\n"
           "      -o pack.xyz --png pack.png\n"
           "  jostle generate --workload D3 --n 1e6 --periodic all -o dense.xyz\n"};

static scene_def settle(const generate_options *o)
{
    scene_def def = o->wish;
    if (o->workload == NULL) return def;
    const scene_def *w = &o->wish;
    scene_by_name(o->workload, (size_t)((o->given & GIVEN_N) ? w->n : 1000), &def);
    def.seed = w->seed;
    if (o->given & GIVEN_LAYOUT) def.layout = w->layout;
    if (o->given & GIVEN_SIZES) def.sizes = w->sizes;
    if (o->given & GIVEN_DIM) def.dim = w->dim;
    if (o->given & GIVEN_D_MIN) def.d_min = w->d_min;
    if (o->given & GIVEN_D_MAX) def.d_max = w->d_max;
    if (o->given & GIVEN_BIG) def.big_fraction = w->big_fraction;
    if (o->given & GIVEN_EDGE) {
        def.edge = w->edge;
        def.density = w->density;
        def.fraction = w->fraction;
        def.contacts = w->contacts;
    }
    if (o->given & GIVEN_PERIODIC) memcpy(def.periodic, w->periodic, sizeof def.periodic);
    return def;
}

/* What only the workload and the options together can tell. */
static int check_settled(const generate_options *o, const scene_def *def)
{
    if (def->d_min > def->d_max)
        return cli_fail_with(CLI_MISUSE,
                             "the smallest diameter is %g and the largest %g; set both, --d-min "
                             "and --d-max",
                             def->d_min, def->d_max);
    if ((o->given & GIVEN_BIG) && def->sizes != SCENE_BIMODAL)
        return cli_fail_with(CLI_MISUSE, "--big belongs to --sizes bimodal");
    if (def->layout == SCENE_JITTERED && !(def->fraction > 0.0))
        return cli_fail_with(CLI_MISUSE, "--layout jittered needs --fraction, like 0.6");
    if ((o->given & GIVEN_EDGE) && (def->layout == SCENE_LATTICE || def->layout == SCENE_CLOSE))
        cli_note("note: --d-max is the spacing of a lattice; what was said about the box changes "
                 "nothing");
    return CLI_OK;
}

static jo_status draw(const generate_options *o, const jo_particles *p, jo_error *error)
{
    char caption[120], n[32];
    jo_picture picture = jo_picture_default();
    snprintf(caption, sizeof caption, "%s particles", text_count(n, sizeof n, (double)p->n));
    picture.title = o->workload != NULL ? o->workload : "generated by jostle";
    picture.caption = caption;
    picture.colour = JO_COLOUR_SIZE;
    picture.draw_contacts = false;
    const jo_bodies bodies = jo_particles_view(p);
    const jo_pairs none = {0};
    return jo_picture_write(o->png, &picture, &bodies, &p->domain, none, error);
}

/* Whether the file's format states a box; by name or, as the library does, by extension. */
static bool holds_box(const char *path, const char *format)
{
    static const char *const names[] = {"xyz", "lammps"}; /* the others are particles alone */
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (format != NULL && strcmp(format, names[k]) == 0) return true;
        for (size_t f = 0; format == NULL && f < jo_format_count(); f++) {
            char extensions[160], *rest = extensions, *one;
            if (strcmp(jo_format(f)->name, names[k]) != 0) continue;
            snprintf(extensions, sizeof extensions, "%s", jo_format(f)->extensions);
            while ((one = strsep(&rest, " ")) != NULL)
                if (*one != '\0' && output_has_extension(path, one)) return true;
        }
    }
    return false;
}

/* A periodic box that the file cannot hold has to be given again when it is read. */
static void tell_box(const char *path, const char *format, const jo_particles *p)
{
    char axes[4], box[200];
    size_t letters = 0, used = 0;
    for (int a = 0; a < p->dim; a++) {
        if (p->domain.periodic[a]) axes[letters++] = (char)('x' + a);
        used += (size_t)snprintf(box + used, sizeof box - used, "%s%.17g,%.17g", a > 0 ? "," : "",
                                 p->domain.lo[a], p->domain.hi[a]);
    }
    axes[letters] = '\0';
    if (letters > 0 && !holds_box(path, format))
        cli_note("this format does not state the periodic box; read it with --periodic %s --box %s",
                 axes, box);
}

static int write_all(const generate_options *o, const jo_particles *p)
{
    jo_error error = {0};
    jo_status status = JO_OK;
    char n[32];
    text_count(n, sizeof n, (double)p->n);
    cli_signals_hold();
    if (o->output != NULL) {
        const bool standard = strcmp(o->output, "-") == 0;
        const char *format = o->format == NULL && standard ? "csv" : o->format;
        cli_progress_say("writing %s…", o->output);
        status = jo_particles_write(o->output, format, p, &error);
        cli_progress_clear();
        if (status == JO_OK && !standard)
            cli_note("wrote %s %s in a box of edge %g to %s", n, p->dim == 2 ? "discs" : "spheres",
                     p->domain.hi[0] - p->domain.lo[0], o->output);
        if (status == JO_OK) tell_box(o->output, format, p);
    }
    if (status == JO_OK && o->png != NULL) {
        cli_progress_say("drawing %s…", o->png);
        status = draw(o, p, &error);
        cli_progress_clear();
        if (status == JO_OK && !output_is_standard(o->png)) cli_note("drew %s", o->png);
    }
    cli_signals_release();
    return status == JO_OK ? CLI_OK : cli_fail(&error);
}

int cli_generate(int argc, char **argv)
{
    jo_error error = {0};
    jo_particles particles = {0};
    generate_options o = {.wish = scene_def_default()};
    cli_parse(&argp, argc, argv, &o);
    if (o.output != NULL && output_possible(o.output, &error) != JO_OK) return cli_fail(&error);
    if (o.png != NULL && output_picture_possible(o.png, &error) != JO_OK) return cli_fail(&error);
    const scene_def def = settle(&o);
    const int wrong = check_settled(&o, &def);
    if (wrong != CLI_OK) return wrong;
    cli_progress_say("making %zu particles…", def.n);
    const jo_status status = scene_generate(&def, &particles, &error);
    cli_progress_clear();
    if (status != JO_OK) return cli_fail(&error);
    const int code = write_all(&o, &particles);
    jo_particles_free(&particles);
    return code;
}
