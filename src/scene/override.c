/* override.c — one value of a scene's text replaced, by the path of its key.
 *
 * The text stays a scene file that a person could have written: the value is put where the old one
 * stands, or its key is added to the innermost map of the path there is, so that comments, order
 * and all else remain, and whoever stores the text stores what was run. Whether key and value make
 * sense is not asked here: the reader does that, as for any other text.
 *
 * Places come from the tree, as lines and columns, and are looked up in the text. What spans
 * several lines without brackets, or is shared by an anchor, is refused. Cost: O(size). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "jostle/scenefile.h"
#include "scene/tree.h"

enum { KEY_MAX = 200, VALUE_MAX = 1000 };

typedef struct override {
    const char *text, *key, *value;
    size_t size;
    tree t;
    jo_error *error;
} override;

static jo_status refuse(const override *o, const char *why)
{
    return jo_fail(o->error, JO_ERR_DATA, "'%.200s' cannot be set: %s", o->key, why);
}

/* Where a place of the tree is in the text: columns count characters. */
static size_t offset_of(const override *o, unsigned line, unsigned column)
{
    size_t at = 0;
    for (unsigned k = 1; k < line && at < o->size; at++)
        if (o->text[at] == '\n' ||
            (o->text[at] == '\r' && (at + 1 == o->size || o->text[at + 1] != '\n')))
            k++;
    for (unsigned k = 1; k < column && at < o->size; k++)
        do
            at++;
        while (at < o->size && ((unsigned char)o->text[at] & 0xC0) == 0x80);
    return at;
}

static jo_status splice(const override *o, size_t from, size_t to, const char *piece, char **out,
                        size_t *out_size)
{
    const size_t length = strlen(piece);
    char *made = malloc(o->size - (to - from) + length + 1);
    if (made == NULL) return jo_fail_memory(o->error, o->size + length, "a scene");
    memcpy(made, o->text, from);
    memcpy(made + from, piece, length);
    memcpy(made + from + length, o->text + to, o->size - to);
    *out_size = o->size - (to - from) + length;
    made[*out_size] = '\0';
    *out = made;
    return JO_OK;
}

/* Is the value one value, also between brackets? */
static jo_status check_value(const override *o)
{
    char listed[VALUE_MAX + 8];
    tree t;
    tree_error wrong;
    const size_t length = strlen(o->value);
    if (length == 0 || length > VALUE_MAX || strpbrk(o->value, "\n\r#") != NULL)
        return refuse(o, "the value must be one line of text, without '#'");
    snprintf(listed, sizeof listed, "[%s]", o->value);
    const jo_status status = jo_tree_parse(listed, strlen(listed), &t, &wrong);
    const bool one = status == JO_OK && t.nodes[0].kind == TREE_LIST && t.nodes[0].count == 1;
    if (status == JO_OK) jo_tree_free(&t);
    if (status == JO_OK || status == JO_ERR_DATA)
        return one ? JO_OK : refuse(o, "the value is not one value; write lists as [a, b, c]");
    return jo_fail(o->error, status, "the value cannot be read");
}

static jo_status replace(const override *o, const tree_node *n, char **out, size_t *out_size)
{
    const size_t from = offset_of(o, n->line, n->column);
    size_t to = offset_of(o, n->end_line, n->end_column);
    const char first = from < o->size ? o->text[from] : '\0';
    char piece[VALUE_MAX + 2];
    if (first == '&' || first == '*' || first == '!')
        return refuse(o, "its value has an anchor, or is one; change the file");
    if (n->kind == TREE_SCALAR ? first == '|' || first == '>' : first != '[' && first != '{')
        return refuse(o, "its value has several lines; name a key in it, or change the file");
    if (n->kind == TREE_SCALAR && n->length == 0 && !n->quoted) to = from; /* nothing is there */
    const char before = from > 0 ? o->text[from - 1] : ' ';
    snprintf(piece, sizeof piece, "%s%s", before == ':' ? " " : "", o->value);
    return splice(o, from, to, piece, out, out_size);
}

/* Adds the rest of the path to a map: "a.b" as a: {b: value}. */
static jo_status insert(const override *o, const tree_node *map, const char *rest, char **out,
                        size_t *out_size)
{
    char piece[KEY_MAX * 4 + VALUE_MAX + 400];
    size_t used = 0, closing = 0;
    const size_t at = offset_of(o, map->line, map->column);
    const bool flow = at < o->size && o->text[at] == '{';
    if (at < o->size && (o->text[at] == '&' || o->text[at] == '!'))
        return refuse(o, "it would change a map with an anchor; change the file");
    while (*rest != '\0') {
        if (*rest == '[') return refuse(o, "there is no such item");
        rest += *rest == '.';
        const size_t length = strcspn(rest, ".[");
        used += (size_t)snprintf(piece + used, sizeof piece - used,
                                 "%s%.*s: ", closing++ > 0 ? "{" : "", (int)length, rest);
        rest += length;
    }
    used += (size_t)snprintf(piece + used, sizeof piece - used, "%s", o->value);
    for (; closing > 1; closing--)
        piece[used++] = '}';
    piece[used] = '\0';
    if (flow) {
        snprintf(piece + used, sizeof piece - used, "%s", map->count > 0 ? ", " : "");
        return splice(o, at + 1, at + 1, piece, out, out_size);
    }
    if (map->column > 200) return refuse(o, "the file is indented too far");
    snprintf(piece + used, sizeof piece - used, "\n%*s", (int)map->column - 1, "");
    return splice(o, at, at, piece, out, out_size);
}

static const tree_node *item_of(const tree *t, const tree_node *n, const char *step, size_t length)
{
    if (*step == '[') {
        const size_t index = strtoul(step + 1, NULL, 10);
        return n->kind == TREE_LIST && index < n->count ? jo_tree_child(t, n, index) : NULL;
    }
    for (size_t k = 0; n->kind == TREE_MAP && k + 1 < n->count; k += 2) {
        const tree_node *name = jo_tree_child(t, n, k);
        if (name->kind == TREE_SCALAR && name->length == length &&
            memcmp(name->text, step, length) == 0)
            return jo_tree_child(t, n, k + 1);
    }
    return NULL;
}

/* Goes along the path as far as it leads, and changes the text there. */
static jo_status follow(const override *o, char **out, size_t *out_size)
{
    const tree_node *node = &o->t.nodes[0];
    for (const char *path = o->key; *path != '\0';) {
        const char *step = path + (*path == '.');
        const size_t length = *step == '[' ? strcspn(step, "]") + 1 : strcspn(step, ".[");
        const tree_node *next = item_of(&o->t, node, step, length);
        if (next == NULL && node->kind == TREE_MAP) return insert(o, node, path, out, out_size);
        if (next == NULL)
            return refuse(o,
                          node->kind == TREE_LIST
                              ? "items of a list are named as in bodies[0], and it has not so many"
                              : "what it is in is no map");
        node = next;
        path = step + length;
    }
    return replace(o, node, out, out_size);
}

/* Names and [numbers], with dots between. */
static bool is_path(const char *key)
{
    if (*key == '\0' || *key == '.' || *key == '[' || strlen(key) > KEY_MAX) return false;
    if (strpbrk(key, " \t\n\r{},:#&*!|>'\"%@`") != NULL) return false;
    for (const char *c = key; *c != '\0'; c++) {
        if (*c == '.' && (c[1] == '.' || c[1] == '[' || c[1] == '\0')) return false;
        if (*c == ']') return false;
        if (*c != '[') continue;
        const size_t digits = strspn(c + 1, "0123456789");
        if (digits == 0 || digits > 9 || c[1 + digits] != ']') return false;
        c += 1 + digits;
        if (c[1] != '\0' && c[1] != '.' && c[1] != '[') return false;
    }
    return true;
}

JO_API jo_status jo_scene_override(const char *text, size_t size, const char *key,
                                   const char *value, char **out, size_t *out_size, jo_error *error)
{
    override o = {.text = text, .size = size, .key = key, .value = value, .error = error};
    tree_error wrong;
    *out = NULL;
    *out_size = 0;
    if (!is_path(key))
        return refuse(&o, "keys are like engine.time_step, walls.drum.motion.spin or "
                          "bodies[0].random.count");
    jo_status status = check_value(&o);
    if (status != JO_OK) return status;
    status = jo_tree_parse(text, size, &o.t, &wrong);
    if (status == JO_ERR_DATA)
        return jo_fail(error, status, "the scene cannot be read: line %u: %s", wrong.line,
                       wrong.text);
    if (status != JO_OK) return jo_fail(error, status, "the scene cannot be read");
    status = o.t.nodes[0].kind == TREE_MAP ? follow(&o, out, out_size)
                                           : refuse(&o, "the scene is no map");
    jo_tree_free(&o.t);
    return status;
}
