/* tree.c — a YAML (or JSON) document as a tree, by libyaml's document interface.
 *
 * The only file that knows libyaml. Its document is copied into plain arrays (the texts stay where
 * they are), so that everything behind this point compiles and is tested without it. Before libyaml
 * sees the text it is checked to be UTF-8, because libyaml tells bytes instead of lines there.
 *
 * libyaml's time grows with the square of the depth and of the number of anchors, so a pass over
 * its events bounds both before the document is loaded.
 *
 * Invariants: nodes[0] is the root; children are indices into nodes. Cost: O(size), about 200 bytes
 * per node. */
#include "scene/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void place(const char *text, size_t at, unsigned *line, unsigned *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < at; i++) {
        if (text[i] == '\n') {
            ++*line;
            *column = 1;
        } else if (((unsigned char)text[i] & 0xC0) != 0x80) {
            ++*column;
        }
    }
}

/* The length of the UTF-8 sequence at s, 0 if it is none (overlong forms and surrogates included).
 */
static size_t utf8_length(const unsigned char *s, size_t left)
{
    if (s[0] < 0x80) return 1;
    const size_t n = s[0] >= 0xC2 && s[0] <= 0xDF   ? 2
                     : (s[0] & 0xF0) == 0xE0        ? 3
                     : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4
                                                    : 0;
    if (n == 0 || left < n) return 0;
    for (size_t k = 1; k < n; k++)
        if ((s[k] & 0xC0) != 0x80) return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F)) return 0;
    if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
    return n;
}

static bool check_bytes(const char *text, size_t size, tree_error *wrong)
{
    for (size_t i = 0; i < size;) {
        const unsigned char c = (unsigned char)text[i];
        const size_t n = utf8_length((const unsigned char *)text + i, size - i);
        const bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
        if (n > 0 && !control) {
            i += n;
            continue;
        }
        place(text, i, &wrong->line, &wrong->column);
        if (control)
            snprintf(wrong->text, sizeof wrong->text,
                     "the byte 0x%02X is no text; is this a scene file?", c);
        else
            snprintf(wrong->text, sizeof wrong->text,
                     "the byte 0x%02X is not UTF-8; save the file as UTF-8", c);
        return false;
    }
    return true;
}

#ifdef JO_HAVE_YAML
#include <yaml.h>

enum { DEPTH_MAX = 32, ANCHORS_MAX = 1000 };

static void set_place(const yaml_mark_t *mark, unsigned *line, unsigned *column)
{
    *line = (unsigned)mark->line + 1;
    *column = (unsigned)mark->column + 1;
}

static jo_status parser_error(const yaml_parser_t *parser, const char *text, size_t size,
                              tree_error *wrong)
{
    if (parser->error == YAML_MEMORY_ERROR) return JO_ERR_MEMORY;
    if (parser->error == YAML_READER_ERROR) {
        place(text, parser->problem_offset < size ? parser->problem_offset : size, &wrong->line,
              &wrong->column);
        snprintf(wrong->text, sizeof wrong->text, "not YAML: %s", parser->problem);
        return JO_ERR_DATA;
    }
    set_place(&parser->problem_mark, &wrong->line, &wrong->column);
    const size_t at = parser->problem_mark.index;
    if (at < size && text[at] == '\t') {
        snprintf(wrong->text, sizeof wrong->text,
                 "a tab where YAML allows none; indent with blanks");
        return JO_ERR_DATA;
    }
    snprintf(wrong->text, sizeof wrong->text, "not YAML: %s%s%s",
             parser->problem != NULL ? parser->problem : "it cannot be understood",
             parser->context != NULL ? " " : "", parser->context != NULL ? parser->context : "");
    return JO_ERR_DATA;
}

static void copy_node(const yaml_node_t *from, tree_node *to, uint32_t *children, size_t *used)
{
    *to = (tree_node){.kind = TREE_SCALAR, .first = *used};
    set_place(&from->start_mark, &to->line, &to->column);
    set_place(&from->end_mark, &to->end_line, &to->end_column);
    if (from->type == YAML_SCALAR_NODE) {
        to->text = (const char *)from->data.scalar.value;
        to->length = from->data.scalar.length;
        to->quoted = from->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    } else if (from->type == YAML_SEQUENCE_NODE) {
        to->kind = TREE_LIST;
        for (const yaml_node_item_t *i = from->data.sequence.items.start;
             i < from->data.sequence.items.top; i++)
            children[(*used)++] = (uint32_t)(*i - 1);
    } else {
        to->kind = TREE_MAP;
        for (const yaml_node_pair_t *p = from->data.mapping.pairs.start;
             p < from->data.mapping.pairs.top; p++) {
            children[(*used)++] = (uint32_t)(p->key - 1);
            children[(*used)++] = (uint32_t)(p->value - 1);
        }
    }
    to->count = *used - to->first;
}

static jo_status copy_document(yaml_document_t *document, tree *out)
{
    const yaml_node_t *start = document->nodes.start;
    const size_t n = (size_t)(document->nodes.top - start);
    size_t children = 0, used = 0;
    for (size_t k = 0; k < n; k++) {
        if (start[k].type == YAML_SEQUENCE_NODE)
            children +=
                (size_t)(start[k].data.sequence.items.top - start[k].data.sequence.items.start);
        if (start[k].type == YAML_MAPPING_NODE)
            children +=
                2 * (size_t)(start[k].data.mapping.pairs.top - start[k].data.mapping.pairs.start);
    }
    out->nodes = malloc(n * sizeof *out->nodes);
    out->children = malloc((children + 1) * sizeof *out->children);
    if (out->nodes == NULL || out->children == NULL) return JO_ERR_MEMORY;
    out->node_count = n;
    for (size_t k = 0; k < n; k++)
        copy_node(&start[k], &out->nodes[k], out->children, &used);
    return JO_OK;
}

/* Depth and anchors of one event; false when there are too many. */
static bool count_event(const yaml_event_t *event, int *depth, int *anchors, tree_error *wrong)
{
    const yaml_char_t *anchor = NULL;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        ++*depth;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        ++*depth;
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        --*depth;
        break;
    default:
        break;
    }
    if (anchor != NULL) ++*anchors;
    if (*depth <= DEPTH_MAX && *anchors <= ANCHORS_MAX) return true;
    set_place(&event->start_mark, &wrong->line, &wrong->column);
    if (*depth > DEPTH_MAX)
        snprintf(wrong->text, sizeof wrong->text, "nested more than %d levels deep", DEPTH_MAX);
    else
        snprintf(wrong->text, sizeof wrong->text, "more than %d anchors", ANCHORS_MAX);
    return false;
}

static jo_status survey_events(const char *text, size_t size, tree_error *wrong)
{
    yaml_parser_t parser;
    yaml_event_t event;
    int depth = 0, anchors = 0;
    jo_status status = JO_OK;
    bool ended = false;
    if (!yaml_parser_initialize(&parser)) return JO_ERR_MEMORY;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    while (!ended && status == JO_OK) {
        if (!yaml_parser_parse(&parser, &event)) {
            status = parser_error(&parser, text, size, wrong);
            break;
        }
        if (!count_event(&event, &depth, &anchors, wrong)) status = JO_ERR_DATA;
        ended = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return status;
}

/* The document, and that nothing comes behind it. */
static jo_status load(yaml_parser_t *parser, const char *text, size_t size, tree *out,
                      tree_error *wrong)
{
    yaml_document_t *document = malloc(sizeof *document);
    if (document == NULL) return JO_ERR_MEMORY;
    if (!yaml_parser_load(parser, document)) {
        free(document);
        return parser_error(parser, text, size, wrong);
    }
    out->owner = document;
    if (yaml_document_get_root_node(document) == NULL) {
        *wrong = (tree_error){.text = "the file is empty; a scene needs at least materials, bodies "
                                      "and a duration"};
        return JO_ERR_DATA;
    }
    yaml_document_t next;
    if (!yaml_parser_load(parser, &next)) return parser_error(parser, text, size, wrong);
    const yaml_node_t *second = yaml_document_get_root_node(&next);
    if (second != NULL) {
        set_place(&second->start_mark, &wrong->line, &wrong->column);
        snprintf(wrong->text, sizeof wrong->text, "a second document; one scene in a file");
    }
    yaml_document_delete(&next);
    return second != NULL ? JO_ERR_DATA : copy_document(document, out);
}

jo_status jo_tree_parse(const char *text, size_t size, tree *out, tree_error *wrong)
{
    *out = (tree){0};
    *wrong = (tree_error){0};
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) { /* a byte-order mark is no text */
        text += 3;
        size -= 3;
    }
    if (!check_bytes(text, size, wrong)) return JO_ERR_DATA;
    jo_status status = survey_events(text, size, wrong);
    if (status != JO_OK) return status;
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return JO_ERR_MEMORY;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    status = load(&parser, text, size, out, wrong);
    yaml_parser_delete(&parser);
    if (status != JO_OK) jo_tree_free(out);
    return status;
}

void jo_tree_free(tree *t)
{
    if (t->owner != NULL) yaml_document_delete(t->owner);
    free(t->owner);
    free(t->nodes);
    free(t->children);
    *t = (tree){0};
}

#else

jo_status jo_tree_parse(const char *text, size_t size, tree *out, tree_error *wrong)
{
    *out = (tree){0};
    *wrong = (tree_error){0};
    return check_bytes(text, size, wrong) ? JO_ERR_UNSUPPORTED : JO_ERR_DATA;
}

void jo_tree_free(tree *t)
{
    *t = (tree){0};
}

#endif
