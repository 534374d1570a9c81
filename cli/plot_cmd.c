/* plot_cmd.c — `jostle plot`: the time series of a run as small panels in one picture.
 *
 * The series come from a trajectory (its observables) or from a series.csv. Without columns named,
 * panels are made of what belongs together: energies, their balance, contacts, overlaps, bodies,
 * stresses, mass beyond gates and the flow through them, forces and torques on walls. A panel in
 * which nothing happens is left out. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "output.h"

enum { PANELS_MAX = 24, SERIES_MAX = 16, NAMED_MAX = PANELS_MAX };

typedef struct options {
    const char *run, *picture;
    const char *named[NAMED_MAX];
    int named_count;
    bool list;
    int width, height;
} options;

enum { KEY_PNG = 0x6000, KEY_LIST, KEY_SIZE };

static const struct argp_option argp_options[] = {
    {"png", KEY_PNG, "FILE", 0, "where to (default: RUN-series.png); .svg and .pdf, too", 1},
    {"svg", KEY_PNG, 0, OPTION_ALIAS, 0, 1},
    {"pdf", KEY_PNG, 0, OPTION_ALIAS, 0, 1},
    {"size", KEY_SIZE, "WxH", 0, "pixels of the whole", 1},
    {"list", KEY_LIST, 0, 0, "print the names of the columns, and draw nothing", 1},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    options *o = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (o->run == NULL)
            o->run = text;
        else if (o->named_count == NAMED_MAX)
            argp_error(state, "more than %d panels do not fit", NAMED_MAX);
        else
            o->named[o->named_count++] = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which run? Name its trajectory (.h5) or series.csv");
        return 0;
    case KEY_PNG:
        o->picture = text;
        return 0;
    case KEY_LIST:
        o->list = true;
        return 0;
    case KEY_SIZE:
        cli_size(state, text, &o->width, &o->height);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = argp_options,
    .parser = parse,
    .args_doc = "RUN.h5|FOLDER|SERIES.csv [COLUMN[+COLUMN...]...]",
    .doc = "Draws the measures of a run over time.\v"
           "Every COLUMN is a panel; several joined by + share one. Without any, panels for "
           "energies, contacts, flow and wall forces are chosen.\n\n"
           "Examples:\n"
           "  jostle plot out/trajectory.h5\n"
           "  jostle plot out/series.csv kinetic+elastic coordination --svg look.svg\n"};

/* ---- the data */

typedef struct data {
    size_t columns, rows;
    char **names;    /* owned */
    double **column; /* owned: one array each */
    char title[200];
} data;

static void data_free(data *d)
{
    for (size_t k = 0; k < d->columns; k++) {
        if (d->names != NULL) free(d->names[k]);
        if (d->column != NULL) free(d->column[k]);
    }
    free(d->names);
    free(d->column);
}

static bool data_allocate(data *d, size_t columns, size_t rows)
{
    d->names = calloc(columns + 1, sizeof *d->names);
    d->column = calloc(columns + 1, sizeof *d->column);
    if (d->names == NULL || d->column == NULL) return false;
    d->columns = columns;
    for (size_t k = 0; k < columns; k++) {
        d->column[k] = malloc((rows + 1) * sizeof **d->column);
        if (d->column[k] == NULL) return false;
    }
    return true;
}

static int no_memory(void)
{
    return cli_fail_with(CLI_FAILED, "out of memory reading the series");
}

static int read_trajectory(data *d, const char *path)
{
    jo_error error = {0};
    jo_replay *replay;
    const char *const *names;
    const double *values;
    size_t columns, rows;
    if (jo_replay_open(path, &replay, &error) != JO_OK) return cli_fail(&error);
    int code = CLI_OK;
    if (jo_replay_series(replay, &names, &columns, &values, &rows, &error) != JO_OK)
        code = cli_fail(&error);
    else if (!data_allocate(d, columns, rows))
        code = no_memory();
    if (code == CLI_OK) {
        snprintf(d->title, sizeof d->title, "%.190s", jo_replay_title(replay));
        for (size_t k = 0; k < columns; k++) {
            d->names[k] = strdup(names[k]);
            for (size_t i = 0; i < rows; i++)
                d->column[k][i] = values[i * columns + k];
        }
        d->rows = rows;
    }
    jo_replay_close(replay);
    return code;
}

/* Cuts the next field off a line of CSV. */
static char *next_field(char **rest)
{
    char *field = *rest;
    if (field == NULL) return NULL;
    char *end = field + strcspn(field, ",\r\n");
    *rest = *end == ',' ? end + 1 : NULL;
    *end = '\0';
    return field;
}

static bool grow(data *d, size_t *room)
{
    if (d->rows < *room) return true;
    *room = 2 * *room + 256;
    for (size_t k = 0; k < d->columns; k++) {
        double *longer = realloc(d->column[k], *room * sizeof *longer);
        if (longer == NULL) return false;
        d->column[k] = longer;
    }
    return true;
}

/* A row of numbers; false after saying what is wrong with it. */
static bool read_row(data *d, char *line, const char *path, size_t number)
{
    char *rest = line;
    for (size_t k = 0; k < d->columns; k++) {
        char *field = next_field(&rest), *end;
        if (field == NULL) {
            cli_fail_with(CLI_BAD_DATA, "%s:%zu: expected %zu values, found %zu", path, number,
                          d->columns, k);
            return false;
        }
        d->column[k][d->rows] = strtod(field, &end);
        if (end == field || *end != '\0') {
            cli_fail_with(CLI_BAD_DATA, "%s:%zu: '%.40s' is not a number (column %s)", path, number,
                          field, d->names[k]);
            return false;
        }
    }
    d->rows++;
    return true;
}

static int read_header(data *d, char *line)
{
    size_t columns = 1;
    for (const char *c = line; *c != '\0'; c++)
        columns += *c == ',';
    if (!data_allocate(d, columns, 0)) return no_memory();
    char *rest = line;
    for (size_t k = 0; k < columns; k++) {
        const char *name = next_field(&rest);
        d->names[k] = strdup(name != NULL ? name : "");
        if (d->names[k] == NULL) return no_memory();
    }
    return CLI_OK;
}

static int read_csv(data *d, const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (file == NULL)
        return cli_fail_with(CLI_FAILED, "%s: cannot be opened: %s", path, strerror(errno));
    char *line = NULL;
    size_t size = 0, number = 0, room = 1;
    int code = CLI_OK;
    for (ssize_t length; code == CLI_OK && (length = getline(&line, &size, file)) > 0;) {
        number++;
        if (line[0] == '#' || line[strspn(line, " \t\r\n")] == '\0') continue;
        /* A last line without its end is a row that a killed run did not finish. */
        if (line[length - 1] != '\n' && d->rows > 0) break;
        if (d->columns == 0)
            code = read_header(d, line);
        else if (!grow(d, &room))
            code = no_memory();
        else if (!read_row(d, line, path, number))
            code = CLI_BAD_DATA;
    }
    free(line);
    if (file != stdin) fclose(file);
    if (code == CLI_OK && d->columns == 0)
        code =
            cli_fail_with(CLI_BAD_DATA, "%s: is empty; a series has a line of column names", path);
    return code;
}

static size_t find(const data *d, const char *name)
{
    for (size_t k = 0; k < d->columns; k++)
        if (strcmp(d->names[k], name) == 0) return k;
    return d->columns;
}

/* ---- panels */

typedef struct panel {
    char title[80];
    const char *y_label;
    size_t count;
    char name[SERIES_MAX][JO_NAME_SIZE + 8];
    const double *y[SERIES_MAX];
} panel;

typedef struct page {
    const data *d;
    size_t count;
    panel panels[PANELS_MAX];
    size_t made_count;
    double *made[PANELS_MAX * SERIES_MAX]; /* computed series; owned */
} page;

/* Whether a series says anything. */
static bool lively(const double *y, size_t rows)
{
    for (size_t k = 0; k < rows; k++)
        if (isfinite(y[k]) && y[k] != 0.0) return true;
    return false;
}

static void add_series(panel *p, const char *name, const double *y)
{
    if (p->count == SERIES_MAX) return;
    snprintf(p->name[p->count], sizeof p->name[0], "%.70s", name);
    p->y[p->count++] = y;
}

static panel *add_panel(page *g, const char *title)
{
    if (g->count == PANELS_MAX) return NULL;
    panel *p = &g->panels[g->count++];
    *p = (panel){.count = 0};
    snprintf(p->title, sizeof p->title, "%.79s", title);
    return p;
}

static bool changes(const double *y, size_t rows)
{
    for (size_t k = 1; k < rows; k++)
        if (y[k] != y[0]) return true;
    return false;
}

/* The columns (NULL-terminated) that are there and say anything. */
static void add_columns(page *g, panel *p, const char *const *names)
{
    for (; *names != NULL; names++) {
        const size_t k = find(g->d, *names);
        if (k < g->d->columns && lively(g->d->column[k], g->d->rows))
            add_series(p, *names, g->d->column[k]);
    }
}

/* A panel of columns; none if they say nothing. */
static void group(page *g, const char *title, const char *const *names)
{
    panel *p = add_panel(g, title);
    if (p == NULL) return;
    add_columns(g, p, names);
    if (p->count == 0) g->count--;
}

static bool ends(const char *text, const char *ending, size_t *length)
{
    const size_t n = strlen(text), m = strlen(ending);
    *length = n > m ? n - m : 0;
    return n > m && strcmp(text + n - m, ending) == 0;
}

/* The magnitude of the vector whose components are the columns k, k + 1, k + 2; NULL: no memory. */
static double *magnitudes(page *g, size_t k)
{
    if (g->made_count == PANELS_MAX * SERIES_MAX) return NULL;
    double *y = malloc((g->d->rows + 1) * sizeof *y);
    for (size_t i = 0; y != NULL && i < g->d->rows; i++)
        y[i] = sqrt(g->d->column[k][i] * g->d->column[k][i] +
                    g->d->column[k + 1][i] * g->d->column[k + 1][i] +
                    g->d->column[k + 2][i] * g->d->column[k + 2][i]);
    if (y != NULL) g->made[g->made_count++] = y;
    return y;
}

/* Where the zero of the potential energy lies means nothing, and next to it everything else would
 * look flat: its change since the first row is drawn. */
static void energy_panel(page *g)
{
    static const char *const before[] = {"kinetic", NULL};
    static const char *const after[] = {"elastic", "dissipated", "work", "gone", NULL};
    panel *p = add_panel(g, "energy");
    const size_t potential = find(g->d, "potential");
    double *change = malloc((g->d->rows + 1) * sizeof *change);
    if (p == NULL || change == NULL) {
        free(change);
        return;
    }
    g->made[g->made_count++] = change;
    add_columns(g, p, before);
    for (size_t k = 0; potential < g->d->columns && k < g->d->rows; k++)
        change[k] = g->d->column[potential][k] - g->d->column[potential][0];
    if (potential < g->d->columns && lively(change, g->d->rows))
        add_series(p, "potential, change", change);
    add_columns(g, p, after);
    if (p->count == 0) g->count--;
}

/* One line has no legend: the title names it. */
static void end_family(page *g, panel *p, const char *title)
{
    if (p == NULL) return;
    if (p->count == 1) {
        char only[sizeof p->name[0]];
        memcpy(only, p->name[0], sizeof only);
        snprintf(p->title, sizeof p->title, "%s: %.40s", title, only);
    }
    if (p->count == 0) g->count--;
}

/* Vectors on walls: columns wall_NAME_fx, _fy, _fz (or _tx ...). */
static void wall_panel(page *g, const char *title, const char *ending)
{
    panel *p = add_panel(g, title);
    for (size_t k = 0; p != NULL && k + 2 < g->d->columns; k++) {
        size_t length;
        if (strncmp(g->d->names[k], "wall_", 5) != 0 || !ends(g->d->names[k], ending, &length))
            continue;
        const double *y = magnitudes(g, k);
        char name[JO_NAME_SIZE + 8];
        snprintf(name, sizeof name, "%.*s", (int)(length > 5 ? length - 5 : 0), g->d->names[k] + 5);
        if (y != NULL && lively(y, g->d->rows)) add_series(p, name, y);
    }
    end_family(g, p, title);
}

/* Columns PREFIX NAME ENDING, each a line. */
static void family(page *g, const char *title, const char *prefix, const char *ending)
{
    panel *p = add_panel(g, title);
    for (size_t k = 0; p != NULL && k < g->d->columns; k++) {
        size_t length;
        const size_t skip = strlen(prefix);
        if (strncmp(g->d->names[k], prefix, skip) != 0 || !ends(g->d->names[k], ending, &length) ||
            length < skip || !lively(g->d->column[k], g->d->rows))
            continue;
        char name[JO_NAME_SIZE + 8];
        snprintf(name, sizeof name, "%.*s", (int)(length - skip), g->d->names[k] + skip);
        add_series(p, name, g->d->column[k]);
    }
    end_family(g, p, title);
}

static void usual_panels(page *g)
{
    static const char *const balance[] = {"balance", NULL};
    static const char *const contacts[] = {"contacts", "wall_contacts", NULL};
    static const char *const coordination[] = {"coordination", NULL};
    static const char *const overlaps[] = {"overlap_max", "overlap_mean", NULL};
    static const char *const bodies[] = {"bodies", NULL};
    static const char *const pressures[] = {"stress_xx", "stress_yy", "stress_zz", NULL};
    static const char *const shears[] = {"stress_xy", "stress_xz", "stress_yz", NULL};
    static const char *const temperature[] = {"temperature", NULL};
    static const char *const pressure[] = {"pressure", NULL};
    static const char *const rate[] = {"rate", NULL};
    static const char *const displacement[] = {"displacement2", NULL};
    static const char *const fraction[] = {"fraction", NULL};
    const size_t count = find(g->d, "bodies"), solid = find(g->d, "fraction");
    energy_panel(g);
    group(g, "energy balance (0: nothing lost)", balance);
    group(g, "contacts", contacts);
    group(g, "coordination number", coordination);
    group(g, "overlap over radius", overlaps);
    if (count < g->d->columns && changes(g->d->column[count], g->d->rows))
        group(g, "bodies", bodies);
    group(g, "normal stress", pressures);
    group(g, "shear stress", shears);
    group(g, "temperature kT", temperature);
    group(g, "pressure, mean so far", pressure);
    group(g, "collisions per body and time, mean so far", rate);
    group(g, "mean-square displacement", displacement);
    if (solid < g->d->columns && changes(g->d->column[solid], g->d->rows))
        group(g, "solid fraction", fraction);
    family(g, "mass beyond gates", "gate_", "_mass");
    family(g, "mass flow", "gate_", "_flow");
    wall_panel(g, "force on walls", "_fx");
    wall_panel(g, "torque on walls", "_tx");
}

/* One panel for each argument; + joins columns. */
static int named_panels(page *g, const options *o)
{
    for (int k = 0; k < o->named_count; k++) {
        panel *p = add_panel(g, o->named[k]);
        char *words = strdup(o->named[k]), *rest = words;
        if (p == NULL || words == NULL) return no_memory();
        for (char *word; (word = strsep(&rest, "+")) != NULL;) {
            const size_t column = find(g->d, word);
            if (column < g->d->columns) {
                add_series(p, word, g->d->column[column]);
                continue;
            }
            const char *meant = cli_suggest(word, (const char *const *)g->d->names);
            const int code =
                meant != NULL
                    ? cli_fail_with(CLI_MISUSE, "there is no column '%s'; did you mean '%s'?", word,
                                    meant)
                    : cli_fail_with(CLI_MISUSE, "there is no column '%s'; --list names them", word);
            free(words);
            return code;
        }
        free(words);
    }
    return CLI_OK;
}

static int draw(const page *g, const options *o, const char *path)
{
    jo_error error = {0};
    jo_plot *plots = calloc(g->count, sizeof *plots);
    jo_series *series = calloc(g->count * SERIES_MAX, sizeof *series);
    const size_t time = find(g->d, "time");
    if (plots == NULL || series == NULL) {
        free(plots);
        free(series);
        return no_memory();
    }
    for (size_t k = 0; k < g->count; k++) {
        const panel *p = &g->panels[k];
        for (size_t s = 0; s < p->count; s++)
            series[k * SERIES_MAX + s] = (jo_series){
                .name = p->count > 1 || strcmp(p->name[s], p->title) != 0 ? p->name[s] : NULL,
                .n = g->d->rows,
                .x = time < g->d->columns ? g->d->column[time] : NULL,
                .y = p->y[s],
                .line_only = g->d->rows > 30};
        plots[k] = (jo_plot){.title = p->title,
                             .x_label = k + 3 >= g->count ? "time" : NULL,
                             .series = series + k * SERIES_MAX,
                             .n_series = p->count};
        /* One line needs no legend: the title says what it is. */
        if (p->count == 1) series[k * SERIES_MAX].name = NULL;
    }
    const jo_panels sheet = {.title = g->d->title[0] != '\0' ? g->d->title : NULL,
                             .plots = plots,
                             .count = g->count,
                             .width = o->width,
                             .height = o->height};
    cli_signals_hold();
    const jo_status status = jo_panels_write(path, &sheet, &error);
    cli_signals_release();
    free(plots);
    free(series);
    if (status != JO_OK) return cli_fail(&error);
    if (!output_is_standard(path))
        cli_note("drew %zu panels of %zu rows: %s", g->count, g->d->rows, path);
    return CLI_OK;
}

/* RUN.h5 -> RUN-series.png, and series.csv -> series.png */
static const char *default_picture(const char *run)
{
    static char path[1100];
    const size_t ending = strlen("series");
    size_t length = strlen(run);
    if (output_has_extension(run, ".h5")) length -= 3;
    if (output_has_extension(run, ".csv")) length -= 4;
    const bool named = length >= ending && strncmp(run + length - ending, "series", ending) == 0;
    snprintf(path, sizeof path, "%.*s%s.png", (int)(length < 1000 ? length : 1000), run,
             named ? "" : "-series");
    return strcmp(run, "-") == 0 ? "series.png" : path;
}

static int plot_data(const data *d, const options *o, const char *path)
{
    if (d->rows == 0)
        return cli_fail_with(CLI_BAD_DATA,
                             "%s: has no series; a run writes one where the scene "
                             "says output: series",
                             o->run);
    page *g = calloc(1, sizeof *g);
    if (g == NULL) return no_memory();
    g->d = d;
    int code = CLI_OK;
    if (o->named_count > 0)
        code = named_panels(g, o);
    else
        usual_panels(g);
    if (code == CLI_OK && g->count == 0)
        code = cli_fail_with(CLI_BAD_DATA,
                             "%s: none of the usual measures is in it; name columns to draw "
                             "(--list shows them)",
                             o->run);
    if (code == CLI_OK) code = draw(g, o, path);
    for (size_t k = 0; k < g->made_count; k++)
        free(g->made[k]);
    free(g);
    return code;
}

/* A folder's trajectory, or its series where a run wrote no trajectory. */
static const char *series_of(const char *run, char *room, size_t size)
{
    const char *file = cli_run_file(run, room, size);
    if (file == room && access(room, F_OK) != 0) {
        char table[4096];
        snprintf(table, sizeof table, "%s/series.csv", run);
        if (access(table, F_OK) == 0) snprintf(room, size, "%s", table);
    }
    return file;
}

int cli_plot(int argc, char **argv)
{
    jo_error error = {0};
    options o = {0};
    data d = {0};
    char room[4096];
    cli_parse(&argp, argc, argv, &o);
    o.run = series_of(o.run, room, sizeof room);
    const char *path = o.picture != NULL ? o.picture : default_picture(o.run);
    if (!o.list && output_picture_possible(path, &error) != JO_OK) return cli_fail(&error);
    const bool csv = output_has_extension(o.run, ".csv") || strcmp(o.run, "-") == 0;
    int code = csv ? read_csv(&d, o.run) : read_trajectory(&d, o.run);
    for (size_t k = 0; code == CLI_OK && o.list && k < d.columns; k++)
        printf("%s\n", d.names[k]);
    if (code == CLI_OK && !o.list) code = plot_data(&d, &o, path);
    data_free(&d);
    return code;
}
