/* source.c — where a command's particles come from: a file, standard input or a named workload.
 *
 * The domain: what the file (or workload) states, changed by --box and --periodic. A periodic axis
 * needs a box from one of them; an axis that is not periodic is open, whatever box is stated. */
#include <math.h>
#include <string.h>

#include "generate.h"
#include "progress.h"
#include "source.h"

enum { KEY_WORKLOAD = 0x1000, KEY_SEED, KEY_FORMAT, KEY_FRAME, KEY_RADIUS, KEY_DIM, KEY_BOX };

static const struct argp_option options[] = {
    {0, 0, 0, 0, "Where the particles come from:", 1},
    {"workload", KEY_WORKLOAD, "NAME", 0,
     "make a named system instead of reading FILE ('jostle list')", 1},
    {"n", 'n', "COUNT", 0, "the workload's number of particles, like 1e6 (default 1e5)", 1},
    {"seed", KEY_SEED, "SEED", 0, "the workload's random seed (default 1)", 1},
    {"format", KEY_FORMAT, "NAME", 0, "the file's format; default: by extension and first bytes",
     1},
    {"frame", KEY_FRAME, "K", 0, "which frame of a file with several, from 0", 1},
    {"radius", KEY_RADIUS, "R", 0, "the radius where the file has none", 1},
    {"dim", KEY_DIM, "2|3", 0, "the dimension; default: as the file says", 1},
    {0, 0, 0, 0, "The space they live in:", 2},
    {"periodic", 'p', "AXES", 0,
     "which axes repeat: letters of xyz, all or none; default: as the file says", 2},
    {"box", KEY_BOX, "LO,HI,...", 0,
     "the periodic box: one edge length, LO,HI for every axis, or XLO,XHI,YLO,YHI[,ZLO,ZHI]", 2},
    {0}};

source source_default(void)
{
    return (source){.n = 100000, .seed = 1, .read = jo_read_options_default()};
}

static void list_workloads(const char **names, size_t size)
{
    size_t k = 0;
    for (; k + 1 < size && scene_name(k) != NULL; k++)
        names[k] = scene_name(k);
    names[k] = NULL;
}

static void list_formats(const char **names, size_t size)
{
    size_t used = 0;
    for (size_t k = 0; k < jo_format_count() && used + 1 < size; k++)
        if (jo_format(k)->reads) names[used++] = jo_format(k)->name;
    names[used] = NULL;
}

static void check_end(struct argp_state *state, const source *s)
{
    if (s->file == NULL && s->workload == NULL)
        argp_error(state, "give a FILE (or - for standard input), or --workload NAME");
    if (s->file != NULL && s->workload != NULL)
        argp_error(state, "give either FILE '%s' or --workload %s, not both", s->file, s->workload);
    if (s->file != NULL && (s->n_set || s->seed_set))
        argp_error(state, "--n and --seed belong to --workload; a file has its own particles");
    if (s->workload != NULL && s->read_set)
        argp_error(state, "--format, --frame, --radius and --dim belong to a FILE");
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    source *s = state->input;
    const char *names[64];
    switch (key) {
    case KEY_WORKLOAD:
        list_workloads(names, sizeof names / sizeof *names);
        s->workload = names[cli_choice(state, "workload", text, names)];
        return 0;
    case 'n':
        s->n = cli_count(state, "n", text, 0, JO_BODIES_MAX);
        s->n_set = true;
        return 0;
    case KEY_SEED:
        s->seed = cli_seed(state, "seed", text);
        s->seed_set = true;
        return 0;
    case KEY_FORMAT:
        list_formats(names, sizeof names / sizeof *names);
        s->read.format = names[cli_choice(state, "format", text, names)];
        break;
    case KEY_FRAME:
        s->read.frame = cli_count(state, "frame", text, 0, UINT32_MAX);
        break;
    case KEY_RADIUS:
        s->read.radius = cli_real(state, "radius", text, 0.0, JO_COORDINATE_MAX);
        break;
    case KEY_DIM:
        s->read.dim = (int)cli_count(state, "dim", text, 2, 3);
        break;
    case 'p':
        cli_axes(state, "periodic", text, s->periodic);
        s->periodic_set = true;
        return 0;
    case KEY_BOX:
        s->box_numbers = cli_reals(state, "box", text, s->box, 6);
        if (s->box_numbers == 3 || s->box_numbers == 5)
            argp_error(state, "--box takes 1, 2, 4 or 6 numbers, not %d", s->box_numbers);
        return 0;
    case ARGP_KEY_ARG:
        if (s->file != NULL) argp_error(state, "one FILE, please: '%s' is the second", text);
        s->file = text;
        return 0;
    case ARGP_KEY_END:
        check_end(state, s);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    s->read_set = true;
    return 0;
}

const struct argp source_argp = {.options = options, .parser = parse};

const char *source_name(const source *s)
{
    if (s->workload != NULL) return s->workload;
    if (strcmp(s->file, "-") == 0) return "standard input";
    const char *slash = strrchr(s->file, '/');
    return slash != NULL ? slash + 1 : s->file;
}

static void settle_box(const source *s, jo_particles *p)
{
    for (int a = 0; a < p->dim; a++) {
        const bool own = s->box_numbers > 2 && 2 * a < s->box_numbers;
        p->domain.lo[a] = s->box_numbers == 1 ? 0.0 : s->box[own ? 2 * a : 0];
        p->domain.hi[a] = s->box_numbers == 1 ? s->box[0] : s->box[own ? 2 * a + 1 : 1];
    }
    p->has_domain = true;
}

static int settle_domain(const source *s, jo_particles *p)
{
    if (s->box_numbers > 2 && s->box_numbers != 2 * p->dim)
        return cli_fail_with(CLI_MISUSE, "--box has %d numbers, but the particles are %dD",
                             s->box_numbers, p->dim);
    if (s->box_numbers > 0) settle_box(s, p);
    bool any = false;
    for (int a = 0; a < 3; a++) {
        const bool wanted = s->periodic_set ? s->periodic[a] : p->domain.periodic[a];
        any = any || wanted;
        p->domain.periodic[a] = wanted && a < p->dim;
    }
    if (s->periodic_set && s->periodic[2] && !s->periodic[0] && !s->periodic[1] && p->dim == 2)
        return cli_fail_with(CLI_MISUSE, "--periodic z: the particles are discs, without a z");
    if (s->box_numbers > 0 && !any && !s->periodic_set)
        return cli_fail_with(CLI_MISUSE, "--box is the box of periodic axes, and none is periodic; "
                                         "add --periodic, like --periodic all, or leave it out");
    if (any && !p->has_domain)
        return cli_fail_with(CLI_MISUSE,
                             "a periodic axis needs a box, and %s states none; give --box",
                             source_name(s));
    for (int a = 0; a < p->dim; a++)
        if (p->domain.periodic[a] && !(p->domain.hi[a] > p->domain.lo[a]))
            return cli_fail_with(s->box_numbers > 0 ? CLI_MISUSE : CLI_BAD_DATA,
                                 "the box goes from %g to %g along %c; it must have an extent",
                                 p->domain.lo[a], p->domain.hi[a], 'x' + a);
    return CLI_OK;
}

int source_load(source *s, jo_particles *particles)
{
    jo_error error = {0};
    jo_status status;
    const double start = cli_seconds();
    progress line = cli_progress_start(s->workload != NULL ? "making particles" : "reading");
    cli_signals_hold();
    if (s->workload != NULL) {
        scene_def def;
        scene_by_name(s->workload, s->n, &def);
        def.seed = s->seed;
        cli_progress_say("making %s…", s->workload);
        cli_signals_release(); /* nothing is written: a signal may end it at once */
        status = scene_generate(&def, particles, &error);
    } else {
        s->read.progress = cli_progress_show;
        s->read.progress_context = &line;
        status = jo_particles_read(s->file, &s->read, particles, &error);
        cli_signals_release();
    }
    cli_progress_clear();
    s->read_seconds = cli_seconds() - start;
    if (status != JO_OK) {
        const int failed = cli_fail(&error);
        /* The library speaks of a radius; here it has a name. */
        if (strstr(error.text, "a radius") != NULL && isnan(s->read.radius))
            cli_note("A radius for all is --radius R, the dimension --dim 2 or 3, the format "
                     "--format NAME.");
        return failed;
    }
    const int code = settle_domain(s, particles);
    if (code != CLI_OK) jo_particles_free(particles);
    return code;
}
