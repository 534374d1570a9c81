/* fields.c — a map of a scene file, read into a struct by its section of the schema.
 *
 * The pairs of a map are matched to the section's keys first, so that unknown and repeated keys are
 * reported whatever else is wrong; then the keys are read in the order of the schema, because some
 * decide about others (the dimension about vectors, the law about units). A value that cannot be
 * read is reported and leaves the field as it was.
 *
 * A map may take over the pairs of another: `<<: *name`; its own pairs count more. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/reader.h"

enum { MERGE_DEPTH_MAX = 8, TEXT_SHOWN = 60 };

bool jo_reader_visit(reader *r, int node)
{
    if (r->visits <= r->visits_max && ++r->visits > r->visits_max)
        jo_wrong(r, node, "the aliases of this file unfold to more than %zu values; write fewer",
                 r->visits_max);
    return r->visits <= r->visits_max;
}

static const char *kind_name(tree_kind kind)
{
    return kind == TREE_LIST ? "a list" : kind == TREE_MAP ? "a map" : "a single value";
}

const char *jo_read_text(reader *r, int node, const char *name)
{
    const tree_node *n = jo_node(r, node);
    if (n->kind != TREE_SCALAR) {
        jo_wrong(r, node, "%s is %s; it wants a single value", name, kind_name(n->kind));
        return NULL;
    }
    if (strlen(n->text) != n->length || strpbrk(n->text, "\n\r") != NULL) {
        jo_wrong(r, node, "%s must be one line of text", name);
        return NULL;
    }
    return n->text;
}

/* ---- values ---- */

static bool within(reader *r, int node, const char *name, const char *text, const key_bounds *b,
                   double value)
{
    if (isinf(value) && !(b != NULL && b->infinite)) {
        jo_wrong(r, node, "%s is '%.*s'; it must be finite", name, TEXT_SHOWN, text);
        return false;
    }
    if (b == NULL || b->lo == b->hi) {
        if (fabs(value) <= JO_COORDINATE_MAX || isinf(value)) return true;
        jo_wrong(r, node, "%s is '%.*s'; at most %g is possible", name, TEXT_SHOWN, text,
                 JO_COORDINATE_MAX);
        return false;
    }
    const bool low = b->above_lo ? !(value > b->lo) : !(value >= b->lo);
    const bool high = b->below_hi ? !(value < b->hi) : !(value <= b->hi);
    if (!low && !high) return true;
    if (isinf(b->hi))
        jo_wrong(r, node, "%s is '%.*s'; it must be %s %g", name, TEXT_SHOWN, text,
                 b->above_lo ? "above" : "at least", b->lo);
    else
        jo_wrong(r, node, "%s is '%.*s'; it must be %s %g and %s %g", name, TEXT_SHOWN, text,
                 b->above_lo ? "above" : "at least", b->lo, b->below_hi ? "below" : "at most",
                 b->hi);
    return false;
}

bool jo_read_real(reader *r, int node, const char *name, dimension unit, const key_bounds *bounds,
                  double *value)
{
    char why[240];
    double read;
    const char *text = jo_read_text(r, node, name);
    if (text == NULL) return false;
    if (!jo_quantity_read(text, unit, &read, why, sizeof why)) {
        jo_wrong(r, node, "%s %s", name, why);
        return false;
    }
    if (!within(r, node, name, text, bounds, read)) return false;
    *value = read;
    return true;
}

bool jo_read_vector(reader *r, int node, const char *name, dimension unit, double value[3])
{
    const tree_node *n = jo_node(r, node);
    const int dim = r->scene->dim;
    const dimension_info *info = jo_dimension(unit);
    if (n->kind != TREE_LIST) {
        jo_wrong(r, node, "%s is %s; it wants a list of %d numbers such as [%s0, 1]", name,
                 kind_name(n->kind), dim, dim == 2 ? "" : "0, ");
        return false;
    }
    if (n->count != (size_t)dim && !(dim == 2 && n->count == 3)) {
        jo_wrong(r, node, "%s has %zu numbers; it wants %d, each %s", name, n->count, dim,
                 info->name);
        return false;
    }
    double read[3] = {0.0, 0.0, 0.0};
    bool right = true;
    for (size_t k = 0; k < n->count; k++) {
        const int child = jo_child(r, node, k);
        if (!jo_reader_visit(r, child)) return false;
        if (!jo_read_real(r, child, name, unit, NULL, &read[k])) right = false;
    }
    if (right && dim == 2 && read[2] != 0.0) {
        jo_wrong(r, jo_child(r, node, 2),
                 "%s has a third number that is not 0 in a scene of dimension 2", name);
        right = false;
    }
    if (right) memcpy(value, read, sizeof read);
    return right;
}

static bool named_direction(const char *text, double value[3])
{
    double sign = 1.0;
    if (*text == '+' || *text == '-') sign = *text++ == '-' ? -1.0 : 1.0;
    if (*text < 'x' || *text > 'z' || text[1] != '\0') return false;
    memset(value, 0, 3 * sizeof *value);
    value[*text - 'x'] = sign;
    return true;
}

static bool read_direction(reader *r, int node, const char *name, double value[3])
{
    const tree_node *n = jo_node(r, node);
    double read[3];
    if (n->kind == TREE_SCALAR) {
        if (!named_direction(n->text, read)) {
            jo_wrong(r, node, "%s is '%.*s'; it wants +x, -x … -z or a vector", name, TEXT_SHOWN,
                     n->text);
            return false;
        }
        if (r->scene->dim == 2 && read[2] != 0.0) {
            jo_wrong(r, node, "%s is '%.*s', but a scene of dimension 2 has no z", name, TEXT_SHOWN,
                     n->text);
            return false;
        }
    } else if (!jo_read_vector(r, node, name, DIM_NUMBER, read)) {
        return false;
    }
    double largest = fmax(fabs(read[0]), fmax(fabs(read[1]), fabs(read[2])));
    if (!(largest > 0.0)) {
        jo_wrong(r, node, "%s is the zero vector; it must have a direction", name);
        return false;
    }
    for (int a = 0; a < 3; a++)
        read[a] /= largest;
    const double length = sqrt(read[0] * read[0] + read[1] * read[1] + read[2] * read[2]);
    for (int a = 0; a < 3; a++)
        value[a] = read[a] / length;
    return true;
}

/* A spin: a vector, or in 2D the one number about z. */
static bool read_turn(reader *r, int node, const key_def *key, double value[3])
{
    const tree_node *n = jo_node(r, node);
    if (r->scene->dim == 3 && n->kind == TREE_SCALAR) {
        jo_wrong(r, node,
                 "%s is a single value; it wants a list of 3 numbers, such as [0, 0, 60 rpm]",
                 key->name);
        return false;
    }
    if (r->scene->dim == 3) return jo_read_vector(r, node, key->name, key->unit, value);
    double read[3] = {0.0, 0.0, 0.0};
    if (n->kind == TREE_SCALAR) {
        if (!jo_read_real(r, node, key->name, key->unit, NULL, &read[2])) return false;
    } else {
        if (n->kind != TREE_LIST || n->count != 3) {
            jo_wrong(r, node,
                     "%s wants one number in a scene of dimension 2, the turning about z, such as "
                     "60 rpm",
                     key->name);
            return false;
        }
        for (size_t k = 0; k < 3; k++)
            if (!jo_read_real(r, jo_child(r, node, k), key->name, key->unit, NULL, &read[k]))
                return false;
        if (read[0] != 0.0 || read[1] != 0.0) {
            jo_wrong(r, node, "%s turns out of the plane; in a scene of dimension 2 only z turns",
                     key->name);
            return false;
        }
    }
    memcpy(value, read, sizeof read);
    return true;
}

bool jo_read_bool(reader *r, int node, const char *name, bool *value)
{
    const char *text = jo_read_text(r, node, name);
    if (text == NULL) return false;
    static const char *const yes[] = {"true", "yes", "on"}, *const no[] = {"false", "no", "off"};
    for (int k = 0; k < 3; k++) {
        if (strcmp(text, yes[k]) != 0 && strcmp(text, no[k]) != 0) continue;
        *value = strcmp(text, yes[k]) == 0;
        return true;
    }
    jo_wrong(r, node, "%s is '%.*s'; it wants true or false", name, TEXT_SHOWN, text);
    return false;
}

bool jo_read_count(reader *r, int node, const char *name, uint64_t *value)
{
    const char *text = jo_read_text(r, node, name);
    char why[240];
    double real;
    if (text == NULL) return false;
    if (*text != '\0' && strspn(text, "0123456789") == strlen(text) && strlen(text) < 20) {
        *value = strtoull(text, NULL, 10);
        return true;
    }
    const bool number = jo_quantity_read(text, DIM_NUMBER, &real, why, sizeof why);
    if (!number || !(real >= 0.0 && real <= 9e15) || real != floor(real)) {
        jo_wrong(r, node, "%s is '%.*s'; it wants a whole number, not below 0, such as 1000 or 1e6",
                 name, TEXT_SHOWN, text);
        return false;
    }
    *value = (uint64_t)real;
    return true;
}

int jo_read_choice(reader *r, int node, const char *name, const char *const *choices)
{
    const char *text = jo_read_text(r, node, name);
    if (text == NULL) return -1;
    char list[240] = "";
    size_t used = 0, count = 0;
    for (; choices[count] != NULL; count++) {
        if (strcmp(choices[count], text) == 0) return (int)count;
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", count > 0 ? ", " : "",
                                     choices[count]);
    }
    const char *advice, *meant = jo_synonym(text, choices, count, sizeof *choices, &advice);
    if (meant == NULL) meant = jo_suggest(text, choices, count, sizeof *choices);
    if (meant != NULL)
        jo_wrong(r, node, "%s is '%.*s'; did you mean '%s'? It may be: %s", name, TEXT_SHOWN, text,
                 meant, list);
    else
        jo_wrong(r, node, "%s is '%.*s'; it may be: %s", name, TEXT_SHOWN, text, list);
    return -1;
}

bool jo_read_material_name(reader *r, int node, uint32_t *index)
{
    const char *text = jo_read_text(r, node, "material");
    if (text == NULL) return false;
    const size_t count = r->scene->material_count;
    const char *names[JO_MATERIALS_MAX];
    for (size_t k = 0; k < count; k++) {
        names[k] = r->materials[k].material.name;
        if (strcmp(names[k], text) == 0) {
            *index = (uint32_t)k;
            return true;
        }
    }
    const char *meant = jo_suggest(text, names, count, sizeof *names);
    jo_wrong(r, node, "there is no material '%.*s' under materials%s%s%s", TEXT_SHOWN, text,
             meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
             meant != NULL ? "'?" : "");
    return false;
}

bool jo_read_copy(reader *r, const char *text, char **copy)
{
    const size_t size = strlen(text) + 1;
    free(*copy);
    *copy = malloc(size);
    if (*copy == NULL) {
        r->out_of_memory = true;
        return false;
    }
    memcpy(*copy, text, size);
    return true;
}

char *jo_reader_path(reader *r, const char *text)
{
    const bool relative = *text != '/' && r->folder != NULL && *r->folder != '\0';
    const size_t size = strlen(text) + (relative ? strlen(r->folder) + 1 : 0) + 1;
    char *path = malloc(size);
    if (path == NULL) {
        r->out_of_memory = true;
        return NULL;
    }
    snprintf(path, size, "%s%s%s", relative ? r->folder : "", relative ? "/" : "", text);
    return path;
}

void *jo_reader_append(reader *r, void **array, size_t *count, size_t size)
{
    char *grown = realloc(*array, (*count + 1) * size);
    if (grown == NULL) {
        r->out_of_memory = true;
        return NULL;
    }
    *array = grown;
    void *added = grown + *count * size;
    memset(added, 0, size);
    ++*count;
    return added;
}

/* ---- keys ---- */

dimension jo_reader_unit(const reader *r, const key_def *key)
{
    const jo_law *law = &r->scene->law;
    switch (key->rule) {
    case UNIT_FIXED:
        return key->unit;
    case UNIT_DENSITY:
        return r->scene->dim == 2 ? DIM_DENSITY_2D : DIM_DENSITY;
    case UNIT_NORMAL_STIFFNESS:
        return law->normal == JO_NORMAL_HERTZ ? DIM_PRESSURE : DIM_STIFFNESS;
    case UNIT_TANGENTIAL_STIFFNESS:
        return law->tangential == JO_TANGENTIAL_LINEAR ? DIM_STIFFNESS : DIM_PRESSURE;
    case UNIT_DAMPING:
        return law->normal == JO_NORMAL_HERTZ ? DIM_DAMPING_AREA : DIM_RATE;
    }
    return key->unit;
}

static void read_word(reader *r, int node, const key_def *key, char *target)
{
    const int choice = jo_read_choice(r, node, key->name, key->choices);
    if (choice >= 0) snprintf(target, 16, "%s", key->choices[choice]);
}

static void read_name(reader *r, int node, const key_def *key, char *target)
{
    const char *text = jo_read_text(r, node, key->name);
    if (text == NULL) return;
    if (*text == '\0' || strlen(text) >= JO_NAME_SIZE)
        jo_wrong(r, node, "%s must have 1 to %d bytes", key->name, JO_NAME_SIZE - 1);
    else
        snprintf(target, JO_NAME_SIZE, "%s", text);
}

static void read_key(reader *r, int node, const key_def *key, void *target)
{
    void *field = (char *)target + key->offset;
    const dimension unit = jo_reader_unit(r, key);
    switch (key->kind) {
    case KEY_AUTO:
        if (jo_node(r, node)->kind == TREE_SCALAR && strcmp(jo_node(r, node)->text, "auto") == 0) {
            *(double *)field = (double)NAN;
            return;
        }
        jo_read_real(r, node, key->name, unit, &key->bounds, field);
        return;
    case KEY_REAL:
        jo_read_real(r, node, key->name, unit, &key->bounds, field);
        return;
    case KEY_VECTOR:
        jo_read_vector(r, node, key->name, unit, field);
        return;
    case KEY_DIRECTION:
        read_direction(r, node, key->name, field);
        return;
    case KEY_TURN:
        read_turn(r, node, key, field);
        return;
    case KEY_BOOL:
        jo_read_bool(r, node, key->name, field);
        return;
    case KEY_COUNT:
        jo_read_count(r, node, key->name, field);
        return;
    case KEY_CHOICE: {
        const int choice = jo_read_choice(r, node, key->name, key->choices);
        const unsigned stored = (unsigned)choice;
        if (choice >= 0) memcpy(field, &stored, sizeof stored);
        return;
    }
    case KEY_WORD:
        read_word(r, node, key, field);
        return;
    case KEY_NAME:
        read_name(r, node, key, field);
        return;
    case KEY_TEXT: {
        const char *text = jo_read_text(r, node, key->name);
        if (text != NULL) jo_read_copy(r, text, field);
        return;
    }
    case KEY_SECTION:
        jo_read_section(r, node, key->section, field);
        return;
    case KEY_CUSTOM:
        key->read(r, node, key, target);
        return;
    }
}

/* ---- sections ---- */

typedef struct matched {
    int value[SECTION_KEYS_MAX]; /* node of each key's value; -1: not given */
    bool own[SECTION_KEYS_MAX];  /* not taken over from another map */
} matched;

/* The section that has a key of this name, for "it belongs in …". */
static const char *home_of(const char *name, const section_def *not_here)
{
    for (size_t s = 0; jo_schema_sections[s] != NULL; s++) {
        if (jo_schema_sections[s] == not_here) continue;
        for (const key_def *k = jo_schema_sections[s]->keys; k->name != NULL; k++)
            if (strcmp(k->name, name) == 0) return jo_schema_sections[s]->name;
    }
    return NULL;
}

static size_t count_keys(const section_def *section)
{
    size_t count = 0;
    while (section->keys[count].name != NULL)
        count++;
    return count;
}

/* A key of any section that the word may stand for, and the name of that section. */
static const char *synonym_elsewhere(const char *word, const char **home)
{
    const char *advice;
    for (size_t s = 0; jo_schema_sections[s] != NULL; s++) {
        const section_def *section = jo_schema_sections[s];
        const char *meant =
            jo_synonym(word, section->keys, count_keys(section), sizeof *section->keys, &advice);
        *home = section->name;
        if (meant != NULL) return meant;
    }
    return NULL;
}

static void unknown_key(reader *r, int node, const section_def *section)
{
    const char *name = jo_node(r, node)->text, *advice, *home;
    const size_t count = count_keys(section), size = sizeof *section->keys;
    const char *meant = jo_synonym(name, section->keys, count, size, &advice);
    if (meant != NULL)
        jo_wrong(r, node, "unknown key '%.*s' in %s; did you mean '%s'?%s%s", TEXT_SHOWN, name,
                 section->name, meant, advice != NULL ? " " : "", advice != NULL ? advice : "");
    else if (advice != NULL)
        jo_wrong(r, node, "unknown key '%.*s' in %s; %s", TEXT_SHOWN, name, section->name, advice);
    else if ((home = home_of(name, section)) != NULL)
        jo_wrong(r, node, "unknown key '%.*s' in %s; it belongs in %s", TEXT_SHOWN, name,
                 section->name, home);
    else if ((meant = jo_suggest(name, section->keys, count, size)) != NULL)
        jo_wrong(r, node, "unknown key '%.*s' in %s; did you mean '%s'?", TEXT_SHOWN, name,
                 section->name, meant);
    else if ((meant = synonym_elsewhere(name, &home)) != NULL)
        jo_wrong(r, node, "unknown key '%.*s' in %s; did you mean '%s' in %s?", TEXT_SHOWN, name,
                 section->name, meant, home);
    else
        jo_wrong(r, node, "unknown key '%.*s' in %s; 'jostle schema' lists the keys there are",
                 TEXT_SHOWN, name, section->name);
}

static void match_pairs(reader *r, int node, const section_def *section, matched *m, int depth);

/* `<<: *other` or `<<: [*one, *two]`. */
static void merge(reader *r, int node, const section_def *section, matched *m, int depth)
{
    const tree_node *n = jo_node(r, node);
    if (depth >= MERGE_DEPTH_MAX) {
        jo_wrong(r, node, "'<<' is nested more than %d times", MERGE_DEPTH_MAX);
    } else if (n->kind == TREE_MAP) {
        match_pairs(r, node, section, m, depth + 1);
    } else if (n->kind == TREE_LIST && n->count <= MERGE_DEPTH_MAX) {
        for (size_t k = 0; k < n->count; k++)
            if (jo_node(r, jo_child(r, node, k))->kind == TREE_MAP)
                match_pairs(r, jo_child(r, node, k), section, m, depth + 1);
    } else {
        jo_wrong(r, node, "'<<' wants a map, or a list of a few maps, to take over");
    }
}

static void match_pair(reader *r, int key, int value, const section_def *section, matched *m,
                       int depth)
{
    const tree_node *name = jo_node(r, key);
    if (name->kind != TREE_SCALAR) {
        jo_wrong(r, key, "a key in %s is %s; keys are words", section->name, kind_name(name->kind));
        return;
    }
    size_t k = 0;
    while (section->keys[k].name != NULL && strcmp(section->keys[k].name, name->text) != 0)
        k++;
    if (section->keys[k].name == NULL) {
        unknown_key(r, key, section);
    } else if (m->value[k] < 0) {
        m->value[k] = value;
        m->own[k] = depth == 0;
    } else if (depth == 0) {
        jo_wrong(r, key, "'%s' is given twice in %s; the first is on line %u", name->text,
                 section->name, jo_node(r, m->value[k])->line);
    }
}

static void match_pairs(reader *r, int node, const section_def *section, matched *m, int depth)
{
    const tree_node *n = jo_node(r, node);
    for (int pass = 0; pass < 2; pass++) /* own pairs first: they count more */
        for (size_t k = 0; k + 1 < n->count; k += 2) {
            const int key = jo_child(r, node, k);
            const tree_node *name = jo_node(r, key);
            const bool merging = name->kind == TREE_SCALAR && strcmp(name->text, "<<") == 0;
            if (merging != (pass == 1)) continue;
            if (!jo_reader_visit(r, key)) return;
            if (merging)
                merge(r, jo_child(r, node, k + 1), section, m, depth);
            else
                match_pair(r, key, jo_child(r, node, k + 1), section, m, depth);
        }
}

static bool is_null(const tree_node *n)
{
    return n->kind == TREE_SCALAR && !n->quoted &&
           (n->length == 0 || strcmp(n->text, "~") == 0 || strcmp(n->text, "null") == 0);
}

uint64_t jo_read_section(reader *r, int node, const section_def *section, void *target)
{
    matched m;
    if (!jo_reader_visit(r, node)) return 0;
    if (jo_node(r, node)->kind != TREE_MAP) {
        jo_wrong(r, node, "%s is %s; it wants a map of keys and values", section->name,
                 is_null(jo_node(r, node)) ? "empty" : kind_name(jo_node(r, node)->kind));
        return 0;
    }
    for (size_t k = 0; k < SECTION_KEYS_MAX; k++)
        m.value[k] = -1;
    match_pairs(r, node, section, &m, 0);
    uint64_t given = 0;
    for (size_t k = 0; section->keys[k].name != NULL; k++) {
        const key_def *key = &section->keys[k];
        if (m.value[k] < 0) {
            if (key->required)
                jo_wrong(r, node, "%s needs '%s' (%s)", section->name, key->name, key->meaning);
            continue;
        }
        given |= (uint64_t)1 << k;
        if (!jo_reader_visit(r, m.value[k])) return given;
        if (is_null(jo_node(r, m.value[k])))
            jo_wrong(r, m.value[k], "%s has no value", key->name);
        else
            read_key(r, m.value[k], key, target);
    }
    return given;
}

bool jo_key_given(const section_def *section, uint64_t given, const char *name)
{
    for (size_t k = 0; section->keys[k].name != NULL; k++)
        if (strcmp(section->keys[k].name, name) == 0) return given >> k & 1;
    return false;
}
