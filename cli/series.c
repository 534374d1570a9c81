/* series.c — series.csv: one row of measures per moment, and rows that survive whatever happens.
 *
 * A row leaves the program in one write, so a process that is killed leaves whole rows and at most
 * one partial line at the end, which the next process cuts off. Numbers have the fewest digits that
 * read back the same, so a run that was stopped and resumed writes the same bytes as one that was
 * not. Mass flow is the change of the mass beyond a gate since the row before: that row's values
 * are kept in checkpoints. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "series.h"
#include "table.h"

/* ---- columns */

static const char *const common[] = {
    "time",         "step",         "bodies",      "kinetic",   "potential", "elastic",
    "dissipated",   "work",         "gone",        "balance",   "contacts",  "wall_contacts",
    "coordination", "overlap_mean", "overlap_max", "stress_xx", "stress_xy", "stress_xz",
    "stress_yx",    "stress_yy",    "stress_yz",   "stress_zx", "stress_zy", "stress_zz",
};
enum { COMMON = sizeof common / sizeof *common };
static const char *const gate_parts[] = {"mass", "flow"};
static const char *const wall_parts[] = {"fx", "fy", "fz", "tx", "ty", "tz", "dx", "dy", "dz"};
enum { GATE_PARTS = 2, WALL_PARTS = 6, SERVO_PARTS = 9 };

/* A wall that finds its own place is worth following; where others are, the scene says. */
static size_t parts_of(const jo_wall *wall)
{
    return wall->servo.on ? SERVO_PARTS : WALL_PARTS;
}

/* A name as part of a column's: letters, digits and '_' alone, and the number where another column
 * already has it or there is none. */
static void name_column(series *s, size_t column, const char *kind, const char *name, size_t index,
                        const char *part)
{
    char plain[JO_NAME_SIZE];
    size_t n = 0;
    for (; name[n] != '\0' && n + 1 < sizeof plain; n++)
        plain[n] = isalnum((unsigned char)name[n]) ? name[n] : '_';
    plain[n] = '\0';
    snprintf(s->text[column], SERIES_NAME, "%s_%s_%s", kind, plain, part);
    bool taken = n == 0;
    for (size_t c = 0; c < column && !taken; c++)
        taken = strcmp(s->text[c], s->text[column]) == 0;
    if (taken) snprintf(s->text[column], SERIES_NAME, "%s_%s%zu_%s", kind, plain, index + 1, part);
}

jo_status series_start(series *s, const jo_scene *scene, jo_error *error)
{
    *s = (series){.scene = scene, .file = -1, .previous_time = NAN};
    jo_status status = engine_find(scene, &s->kind, error);
    if (status != JO_OK) return status;
    s->columns = COMMON + s->kind->extras + GATE_PARTS * scene->gate_count;
    for (size_t w = 0; w < scene->wall_count; w++)
        s->columns += parts_of(&scene->walls[w]);
    s->text = calloc(s->columns, sizeof *s->text);
    s->names = calloc(s->columns, sizeof *s->names);
    s->values = calloc(s->columns, sizeof *s->values);
    s->previous_mass = calloc(scene->gate_count + 1, sizeof *s->previous_mass);
    if (s->text == NULL || s->names == NULL || s->values == NULL || s->previous_mass == NULL) {
        series_free(s);
        return cli_error(error, JO_ERR_MEMORY, "not enough memory for the time series");
    }
    size_t column = 0;
    for (; column < COMMON; column++)
        snprintf(s->text[column], SERIES_NAME, "%s", common[column]);
    for (size_t k = 0; k < s->kind->extras; k++)
        snprintf(s->text[column++], SERIES_NAME, "%s", s->kind->extra_names[k]);
    for (size_t g = 0; g < scene->gate_count; g++)
        for (size_t p = 0; p < GATE_PARTS; p++)
            name_column(s, column++, "gate", scene->gates[g].name, g, gate_parts[p]);
    for (size_t w = 0; w < scene->wall_count; w++)
        for (size_t p = 0; p < parts_of(&scene->walls[w]); p++)
            name_column(s, column++, "wall", scene->walls[w].name, w, wall_parts[p]);
    for (size_t c = 0; c < s->columns; c++)
        s->names[c] = s->text[c];
    return JO_OK;
}

void series_free(series *s)
{
    if (s->scene == NULL) return;
    if (s->file >= 0) close(s->file);
    free(s->text);
    free(s->names);
    free(s->values);
    free(s->previous_mass);
    free(s->path);
    *s = (series){.file = -1};
}

/* ---- values */

jo_status series_measure(series *s, const engine *e, jo_error *error)
{
    jo_measures m;
    const jo_status status = e->kind->measure(e->state, &m, error);
    if (status != JO_OK) return status;
    const double first[] = {
        m.time,
        (double)m.step,
        (double)m.bodies,
        m.energy.kinetic,
        m.energy.potential,
        m.energy.elastic,
        m.energy.dissipated,
        m.energy.work,
        m.energy.gone,
        m.energy.balance,
        (double)m.contacts,
        (double)m.wall_contacts,
        m.coordination,
        m.overlap_mean,
        m.overlap_max,
    };
    double *next = s->values;
    memcpy(next, first, sizeof first);
    next += sizeof first / sizeof *first;
    memcpy(next, m.stress, sizeof m.stress);
    next += 9;
    if (e->kind->extras > 0) e->kind->extra(e->state, next);
    next += e->kind->extras;
    for (size_t g = 0; g < s->scene->gate_count; g++) {
        const double mass = e->kind->mass_beyond(e->state, g);
        const double since = m.time - s->previous_time;
        *next++ = mass;
        *next++ = since > 0.0 ? (mass - s->previous_mass[g]) / since : 0.0;
        s->previous_mass[g] = mass;
    }
    for (size_t w = 0; w < s->scene->wall_count; w++) {
        const jo_wall_state state = e->kind->wall(e->state, w);
        const size_t parts = parts_of(&s->scene->walls[w]);
        memcpy(next, state.force, sizeof state.force);
        memcpy(next + 3, state.torque, sizeof state.torque);
        if (parts == SERVO_PARTS) memcpy(next + 6, state.displacement, sizeof state.displacement);
        next += parts;
    }
    s->previous_time = m.time;
    s->bodies_most = fmax(s->bodies_most, (double)m.bodies);
    return JO_OK;
}

/* ---- the file */

static char *header_of(const series *s)
{
    char *header = calloc(s->columns, SERIES_NAME + 1), *end = header;
    if (header == NULL) return NULL;
    for (size_t c = 0; c < s->columns; c++)
        end += sprintf(end, "%s%c", s->text[c], c + 1 < s->columns ? ',' : '\n');
    return header;
}

/* All of it or nothing: what part of a line got through before the disk was full is cut off. */
static jo_status append_text(series *s, const char *text, size_t size, jo_error *error)
{
    struct stat before;
    if (fstat(s->file, &before) != 0)
        return cli_error(error, JO_ERR_IO, "%.300s: %s", s->path, strerror(errno));
    for (size_t written = 0; written < size;) {
        const ssize_t n = write(s->file, text + written, size - written);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            const int cause = errno;
            if (ftruncate(s->file, before.st_size) != 0)
                cli_note("%s: its last line is not whole", s->path);
            return jo_error_file(error, s->path, "written", cause);
        }
        written += (size_t)n;
    }
    return JO_OK;
}

static jo_status open_file(series *s, const char *path, int flags, jo_error *error)
{
    s->path = strdup(path);
    if (s->path == NULL) return cli_error(error, JO_ERR_MEMORY, "not enough memory for a path");
    s->file = open(path, flags | O_CLOEXEC, 0666);
    if (s->file < 0) return jo_error_file(error, path, "opened", errno);
    return JO_OK;
}

jo_status series_create(series *s, const char *path, jo_error *error)
{
    jo_status status = open_file(s, path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, error);
    if (status != JO_OK) return status;
    char *header = header_of(s);
    if (header == NULL) return cli_error(error, JO_ERR_MEMORY, "not enough memory for a header");
    status = append_text(s, header, strlen(header), error);
    free(header);
    return status;
}

/* Reads the file into fresh memory, a terminator after it. */
static jo_status read_all(const series *s, char **text, size_t *size, jo_error *error)
{
    struct stat about;
    if (fstat(s->file, &about) != 0)
        return cli_error(error, JO_ERR_IO, "%.300s: %s", s->path, strerror(errno));
    *size = (size_t)about.st_size;
    *text = malloc(*size + 1);
    if (*text == NULL)
        return cli_error(error, JO_ERR_MEMORY, "%.300s: not enough memory to read it", s->path);
    for (size_t done = 0; done < *size;) {
        const ssize_t n = pread(s->file, *text + done, *size - done, (off_t)done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            free(*text);
            return cli_error(error, JO_ERR_IO, "%.300s: cannot be read: %s", s->path,
                             n < 0 ? strerror(errno) : "it ends too early");
        }
        done += (size_t)n;
    }
    (*text)[*size] = '\0';
    return JO_OK;
}

/* How much of the text to keep: whole lines not later than `time`. */
static size_t kept(const char *text, size_t size, size_t header, double time)
{
    size_t keep = header;
    while (keep < size) {
        const char *line = text + keep, *end = memchr(line, '\n', size - keep);
        if (end == NULL || strtod(line, NULL) > time) break;
        keep = (size_t)(end + 1 - text);
    }
    return keep;
}

jo_status series_continue(series *s, const char *path, double time, jo_error *error)
{
    char *text = NULL, *header = NULL;
    size_t size = 0;
    jo_status status = open_file(s, path, O_RDWR | O_APPEND, error);
    if (status == JO_OK) status = read_all(s, &text, &size, error);
    if (status != JO_OK) return status;
    header = header_of(s);
    if (header == NULL) {
        free(text);
        return cli_error(error, JO_ERR_MEMORY, "not enough memory for a header");
    }
    const size_t length = strlen(header);
    if (size < length || memcmp(text, header, length) != 0)
        status =
            cli_error(error, JO_ERR_DATA,
                      "%.300s: its columns are not those of this run; move it away, or resume into "
                      "another folder with --out",
                      path);
    else if (ftruncate(s->file, (off_t)kept(text, size, length, time)) != 0)
        status = cli_error(error, JO_ERR_IO, "%.300s: cannot be cut: %s", path, strerror(errno));
    free(text);
    free(header);
    return status;
}

jo_status series_append(series *s, jo_error *error)
{
    char *row = malloc(s->columns * 32), *end = row;
    if (row == NULL) return cli_error(error, JO_ERR_MEMORY, "not enough memory for a row");
    for (size_t c = 0; c < s->columns; c++) {
        text_real(end, 31, s->values[c]);
        end += strlen(end);
        *end++ = c + 1 < s->columns ? ',' : '\n';
    }
    const jo_status status = append_text(s, row, (size_t)(end - row), error);
    free(row);
    return status;
}
