/* lammps.c — LAMMPS dump files in text: sections that start with "ITEM:", frame after frame.
 *
 * A frame is TIMESTEP, NUMBER OF ATOMS, BOX BOUNDS and ATOMS; other sections (UNITS, TIME) are
 * passed over. ATOMS names its columns, in any order. Positions are taken from the first that is
 * there of x (plain), xs (scaled to the box), xu (unwrapped), xsu (scaled and unwrapped); radii
 * from radius or diameter; orientations, when asked for, from quatw, quati, quatj, quatk. LAMMPS
 * writes atoms in whatever order its processors hand them over, so that the same system has many
 * files: if there is an id column, particles are put in the order of their ids (radix sort), and
 * the result does not depend on the order in the file.
 *
 * Cost: one pass, see text.c; sorting adds O(n) and 32 bytes per particle for its duration. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/keysort.h"
#include "io/box.h"
#include "io/format.h"
#include "io/number.h"
#include "io/text.h"

#define REMEDY "a column radius or diameter"

/* What is known of a frame when its atoms begin. */
typedef struct frame {
    bool has_count, has_box;
    uint64_t count;
    jo_domain box;
    bool scaled[3]; /* the positions are fractions of the box */
    uint64_t first_line;
} frame;

static bool starts_lammps(const char *bytes, size_t count)
{
    return count >= 5 && memcmp(bytes, "ITEM:", 5) == 0;
}

/* The next line, which must be there: `what` says what it should be. */
static jo_status next_line(input *in, text *line, const char *what, jo_error *error)
{
    bool found;
    const jo_status status = jo_input_line(in, line, &found, error);
    if (status == JO_OK && !found)
        return jo_input_fail(in, error, JO_ERR_DATA, "the file ends here; expected %s", what);
    return status;
}

static jo_status read_count(input *in, frame *f, jo_error *error)
{
    text line;
    char quoted[JO_QUOTED];
    const jo_status status = next_line(in, &line, "the number of atoms", error);
    if (status != JO_OK) return status;
    if (!jo_text_integer(line, &f->count))
        return jo_input_fail(in, error, JO_ERR_DATA, "expected the number of atoms, found %s",
                             jo_text_quote(line, quoted));
    if (f->count > JO_BODIES_MAX)
        return jo_input_fail(in, error, JO_ERR_LIMIT, "%s atoms are announced; at most %zu fit",
                             jo_text_quote(line, quoted), JO_BODIES_MAX);
    f->has_count = true;
    return JO_OK;
}

/* Three lines "lo hi", or "lo hi tilt" where every tilt must be 0. `flags`: what follows BOUNDS. */
static jo_status read_box(input *in, text flags, frame *f, jo_error *error)
{
    char quoted[JO_QUOTED];
    text word;
    bool tilted = false;
    int axis = 0;
    f->box = (jo_domain){.lo = {0.0}};
    while (jo_text_value(&flags, ' ', &word)) {
        if (jo_text_is(word, "xy") || jo_text_is(word, "xz") || jo_text_is(word, "yz"))
            tilted = true;
        else if (jo_text_is(word, "abc"))
            return jo_input_fail(in, error, JO_ERR_DATA,
                                 "the box is triclinic (abc origin); only boxes along the axes are "
                                 "read");
        else if (axis < 3)
            f->box.periodic[axis++] = jo_text_is(word, "pp");
    }
    for (int a = 0; a < 3; a++) {
        text line;
        const jo_status status = next_line(in, &line, "the bounds of the box, lo hi", error);
        if (status != JO_OK) return status;
        double bounds[3] = {0.0, 0.0, 0.0};
        text rest = line;
        int n = 0;
        while (n < 3 && jo_text_value(&rest, ' ', &word) && jo_text_number(word, &bounds[n]) &&
               fabs(bounds[n]) <= JO_COORDINATE_MAX)
            n++;
        if (n != (tilted ? 3 : 2) || jo_text_value(&rest, ' ', &word) || bounds[0] > bounds[1])
            return jo_input_fail(
                in, error, JO_ERR_DATA,
                "expected the bounds of the box on %c, lo hi%s with lo <= hi, found "
                "%s",
                "xyz"[a], tilted ? " tilt" : "", jo_text_quote(line, quoted));
        if (bounds[2] != 0.0)
            return jo_input_fail(
                in, error, JO_ERR_DATA,
                "the box is triclinic (tilt %g); only boxes along the axes are read", bounds[2]);
        f->box.lo[a] = bounds[0];
        f->box.hi[a] = bounds[1];
    }
    f->has_box = true;
    return JO_OK;
}

/* The rank of a position's column name among those of its axis, best first; -1: not a position. */
static int position_rank(text name, int axis)
{
    static const char *const kinds[] = {"", "s", "u", "su"};
    for (int rank = 0; rank < 4; rank++)
        if (text_length(name) > 0 && *name.at == "xyz"[axis] &&
            jo_text_is((text){name.at + 1, name.end}, kinds[rank]))
            return rank;
    return -1;
}

/* What a column is that is no position. */
static role role_of(text name, bool orientations)
{
    static const struct {
        const char *name;
        role role;
    } all[] = {{"radius", ROLE_R}, {"diameter", ROLE_D}, {"id", ROLE_ID},    {"quatw", ROLE_QW},
               {"quati", ROLE_QX}, {"quatj", ROLE_QY},   {"quatk", ROLE_QZ}, {"shape", ROLE_SHAPE}};
    enum { ALWAYS = 3, ALL = sizeof all / sizeof *all };
    for (int k = 0; k < (orientations ? ALL : ALWAYS); k++)
        if (jo_text_is(name, all[k].name)) return all[k].role;
    return ROLE_NONE;
}

/* Gives the columns that ATOMS names their roles. */
static jo_status name_columns(table *t, text names, const input *in, frame *f, jo_error *error)
{
    size_t best_column[3] = {0, 0, 0};
    int best_rank[3] = {99, 99, 99};
    text name;
    while (jo_text_value(&names, ' ', &name)) {
        if (t->columns == JO_COLUMNS_MAX)
            return jo_input_fail(in, error, JO_ERR_DATA, "ATOMS names more than %d columns",
                                 JO_COLUMNS_MAX);
        const role which = role_of(name, in->options->orientations);
        t->ids |= which == ROLE_ID;
        for (int a = 0; a < 3; a++) {
            const int rank = position_rank(name, a);
            if (rank < 0 || rank >= best_rank[a]) continue;
            best_rank[a] = rank;
            best_column[a] = t->columns;
        }
        t->roles[t->columns++] = (unsigned char)which;
    }
    for (int a = 0; a < 3; a++) {
        if (best_rank[a] == 99) continue;
        t->roles[best_column[a]] = (unsigned char)(ROLE_X + a);
        f->scaled[a] = best_rank[a] == 1 || best_rank[a] == 3;
    }
    return jo_table_settle(t, in, "ATOMS", REMEDY, error);
}

/* Fractions of the box to positions. */
static jo_status unscale(gather *g, const frame *f, int dim, input *in, jo_error *error)
{
    for (int a = 0; a < dim; a++) {
        if (!f->scaled[a]) continue;
        if (!f->has_box)
            return jo_input_fail(in, error, JO_ERR_DATA,
                                 "positions are scaled (%cs), but no BOX BOUNDS came before them",
                                 "xyz"[a]);
        double *const x = gathered(g, (role)(ROLE_X + a));
        const double lo = f->box.lo[a], length = f->box.hi[a] - lo;
        for (size_t i = 0; i < g->n; i++) {
            x[i] = lo + x[i] * length;
            if (fabs(x[i]) <= JO_COORDINATE_MAX) continue;
            in->line = f->first_line + i;
            return jo_input_fail(in, error, JO_ERR_DATA, "%c is %g; %s", "xyz"[a], x[i],
                                 jo_role_demand((role)(ROLE_X + a)));
        }
    }
    return JO_OK;
}

/* Puts the arrays in the order given. */
static void permute(gather *g, const keyed *order, double *scratch)
{
    for (int which = 0; which < ROLE_GATHERED; which++) {
        if (!g->used[which] || which == ROLE_ID) continue;
        double *const column = gathered(g, (role)which);
        for (size_t i = 0; i < g->n; i++)
            scratch[i] = column[order[i].id];
        memcpy(column, scratch, g->n * sizeof *column);
    }
}

/* Puts the particles in the order of their ids, which must differ. */
static jo_status order_by_id(gather *g, const frame *f, input *in, jo_error *error)
{
    const double *const ids = gathered(g, ROLE_ID);
    bool ordered = true;
    for (size_t i = 1; i < g->n && ordered; i++)
        ordered = ids[i - 1] < ids[i];
    if (ordered) return JO_OK;

    buffer memory = {.size = 0};
    if (!jo_buffer_reserve(&memory, 2 * g->n, sizeof(keyed)))
        return jo_fail_memory(error, 2 * g->n * sizeof(keyed), "ordering atoms by id");
    keyed *const order = memory.data, *const spare = order + g->n;
    for (size_t i = 0; i < g->n; i++)
        order[i] = (keyed){.key = (uint64_t)ids[i], .id = (uint32_t)i};
    jo_keysort(order, spare, g->n);
    jo_status status = JO_OK;
    for (size_t i = 1; i < g->n && status == JO_OK; i++) {
        if (order[i].key != order[i - 1].key) continue;
        in->line = f->first_line + order[i].id;
        status = jo_input_fail(in, error, JO_ERR_DATA,
                               "id %llu was already on line %llu; every atom needs its own",
                               (unsigned long long)order[i].key,
                               (unsigned long long)(f->first_line + order[i - 1].id));
    }
    if (status == JO_OK) permute(g, order, (double *)(void *)spare);
    jo_buffer_free(&memory);
    return status;
}

static jo_status fail_short(const input *in, uint64_t done, uint64_t count, jo_error *error)
{
    return jo_input_fail(in, error, JO_ERR_DATA, "the file ends after %llu of %llu atoms",
                         (unsigned long long)done, (unsigned long long)count);
}

/* Behind the atoms of a frame: the end, or the next section. */
static jo_status check_after(input *in, uint64_t count, jo_error *error)
{
    text line;
    bool found;
    char quoted[JO_QUOTED];
    do {
        const jo_status status = jo_input_line(in, &line, &found, error);
        if (status != JO_OK || !found) return status;
    } while (text_length(line) == 0);
    if (starts_lammps(line.at, text_length(line))) return JO_OK;
    return jo_input_fail(in, error, JO_ERR_DATA,
                         "expected ITEM: or the end of the file after %llu atoms, found %s",
                         (unsigned long long)count, jo_text_quote(line, quoted));
}

static jo_status read_atoms(input *in, text names, frame *f, gather *g, jo_error *error)
{
    table t = {.separator = ' '};
    jo_status status = name_columns(&t, names, in, f, error);
    if (status != JO_OK) return status;
    if (f->has_box) status = jo_box_settle(&f->box, t.dim, in, error);
    if (status != JO_OK) return status;
    *g = jo_gather_begin(t.dim, t.ids);
    for (int which = ROLE_QW; which <= ROLE_QZ; which++)
        g->used[which] = t.turned;
    g->used[ROLE_SHAPE] = t.shaped;
    f->first_line = in->line + 1;
    if (f->count == 0) status = jo_gather_more(g, 0, error);
    for (uint64_t i = 0; i < f->count && status == JO_OK; i++) {
        text line;
        bool found;
        status = jo_input_line(in, &line, &found, error);
        if (status == JO_OK && !found) status = fail_short(in, i, f->count, error);
        if (status == JO_OK) status = jo_table_row(&t, in, line, (size_t)f->count, g, error);
    }
    if (status == JO_OK) status = check_after(in, f->count, error);
    if (status == JO_OK) status = unscale(g, f, t.dim, in, error);
    if (status == JO_OK && t.ids) status = order_by_id(g, f, in, error);
    return status;
}

static jo_status skip_atoms(input *in, uint64_t count, jo_error *error)
{
    for (uint64_t i = 0; i < count; i++) {
        text line;
        bool found;
        const jo_status status = jo_input_line(in, &line, &found, error);
        if (status != JO_OK) return status;
        if (!found) return fail_short(in, i, count, error);
    }
    return JO_OK;
}

static text after(text line, const char *word)
{
    return (text){line.at + strlen(word), line.end};
}

/* The section "ITEM: ATOMS ..." : passes over it, or reads it and is done. */
static jo_status atoms_section(input *in, text line, size_t index, frame *f, gather *g, bool *done,
                               jo_error *error)
{
    if (!f->has_count)
        return jo_input_fail(in, error, JO_ERR_DATA,
                             "ATOMS comes before any ITEM: NUMBER OF ATOMS");
    *done = index == in->options->frame;
    if (*done) return read_atoms(in, after(line, "ITEM: ATOMS"), f, g, error);
    return skip_atoms(in, f->count, error);
}

/* To the end of the frame asked for, or, for the last one, passing over all; *frames: how many. */
static jo_status read_sections(input *in, frame *f, gather *g, size_t *frames, jo_error *error)
{
    char quoted[JO_QUOTED];
    bool found, done = false, other = false;
    for (size_t index = 0; !done;) {
        text line;
        jo_status status = jo_input_line(in, &line, &found, error);
        if (status != JO_OK) return status;
        *frames = index;
        if (!found && index > 0 && in->options->frame == JO_FRAME_LAST) return JO_OK;
        if (!found) return jo_input_fail_frame(in, error, index);
        if (text_length(line) == 0) continue;
        if (!starts_lammps(line.at, text_length(line))) {
            if (other) continue;
            return jo_input_fail(in, error, JO_ERR_DATA,
                                 "expected a line that starts with ITEM:, found %s",
                                 jo_text_quote(line, quoted));
        }
        other = false;
        if (jo_text_is(line, "ITEM: NUMBER OF ATOMS"))
            status = read_count(in, f, error);
        else if (jo_text_starts(line, "ITEM: BOX BOUNDS"))
            status = read_box(in, after(line, "ITEM: BOX BOUNDS"), f, error);
        else if (jo_text_starts(line, "ITEM: ATOMS")) {
            status = atoms_section(in, line, index, f, g, &done, error);
            if (!done) *f = (frame){.has_count = false};
            index++;
        } else {
            other = true; /* TIMESTEP, UNITS, TIME: its lines say nothing about particles */
        }
        if (status != JO_OK) return status;
    }
    return JO_OK;
}

static jo_status count_frames(input *in, size_t *frames, jo_error *error)
{
    gather none = {.n = 0};
    frame f = {.has_count = false};
    return read_sections(in, &f, &none, frames, error);
}

static jo_status read_lammps(input *in, jo_particles *particles, jo_error *error)
{
    gather g = {.n = 0};
    frame f = {.has_count = false};
    size_t before;
    const jo_status status = read_sections(in, &f, &g, &before, error);
    if (status == JO_OK) {
        jo_gather_finish(&g, particles);
        particles->has_domain = f.has_box;
        if (f.has_box) particles->domain = f.box;
    }
    jo_gather_free(&g);
    return status;
}

/* The line that names the columns of the first frame; false where there is none. */
static bool find_columns(input *in, text *line)
{
    enum { HEADER_LINES = 20 };
    bool found = true;
    for (int k = 0; k < HEADER_LINES && found; k++) {
        if (jo_input_line(in, line, &found, NULL) != JO_OK || !found) return false;
        if (k == 0 && !starts_lammps(line->at, text_length(*line))) return false;
        if (jo_text_starts(*line, "ITEM: ATOMS")) return true;
    }
    return false;
}

bool jo_dump_has_velocities(const char *path)
{
    static const char *const names[] = {"vx", "vy", "vz", "omegax", "omegay", "omegaz"};
    const jo_read_options options = jo_read_options_default();
    struct stat facts;
    input in;
    text columns, name;
    bool has = false;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode) ||
        jo_input_open(&in, path, &options, NULL) != JO_OK)
        return false;
    if (find_columns(&in, &columns))
        while (jo_text_value(&columns, ' ', &name))
            for (int k = 0; k < 6; k++)
                has = has || jo_text_is(name, names[k]);
    jo_input_close(&in);
    return has;
}

static void write_header(output *out, const jo_particles *p)
{
    const jo_domain box = jo_box_for_writing(p);
    char *at = jo_output_room(out);
    at += sprintf(at, "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n%zu\nITEM: BOX BOUNDS", p->n);
    for (int a = 0; a < 3; a++)
        at += sprintf(at, " %s", box.periodic[a] ? "pp" : "ff");
    *at++ = '\n';
    for (int a = 0; a < 3; a++) {
        at += jo_number_format(box.lo[a], at);
        *at++ = ' ';
        at += jo_number_format(box.hi[a], at);
        *at++ = '\n';
    }
    at += sprintf(at, "ITEM: ATOMS id type x y z radius\n");
    jo_output_used(out, at);
}

static jo_status write_lammps(output *out, const jo_particles *p, jo_error *error)
{
    (void)error;
    write_header(out, p);
    for (size_t i = 0; i < p->n && out->failure == 0; i++) {
        const double values[4] = {p->x[i], p->y[i], p->dim == 3 ? p->z[i] : 0.0, p->r[i]};
        char *at = jo_output_room(out);
        at += jo_integer_format(i + 1, at);
        memcpy(at, " 1", 2);
        at += 2;
        for (int c = 0; c < 4; c++) {
            *at++ = ' ';
            at += jo_number_format(values[c], at);
        }
        *at++ = '\n';
        jo_output_used(out, at);
    }
    return JO_OK;
}

const format jo_format_lammps = {
    .info = {.name = "lammps",
             .extensions = ".dump .lammpstrj .lammps",
             .summary = "LAMMPS dump text: ITEM: sections with id, x y z (or xs, xu), radius",
             .reads = true,
             .writes = true},
    .count_frames = count_frames,
    .read = read_lammps,
    .write = write_lammps,
    .starts = starts_lammps,
};
