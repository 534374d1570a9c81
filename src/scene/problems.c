/* problems.c — what is wrong with a scene file, collected in one pass.
 *
 * Problems are kept in the order of the file and shown once per place and sentence. Their number is
 * bounded: a file with hundreds of mistakes is not a scene. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/reader.h"

void jo_problems_free(jo_problems *problems)
{
    if (problems == NULL) return;
    free(problems->list);
    *problems = (jo_problems){0};
}

/* Control characters must not reach a terminal, and a text cut off inside a character is no UTF-8.
 */
static void clean(char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F) text[i] = '?';
    size_t back = 0;
    while (back < 4 && back < n && ((unsigned char)text[n - 1 - back] & 0xC0) == 0x80)
        back++;
    if (n == 0 || back >= n) return;
    const unsigned char lead = (unsigned char)text[n - 1 - back];
    const size_t need = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    if (need != back) text[n - 1 - back] = '\0';
}

void jo_problem_place(jo_problems *problems, jo_severity severity, unsigned line, unsigned column,
                      const char *text)
{
    if (problems == NULL) return;
    for (size_t k = 0; k < problems->count; k++) /* aliases are read at each use */
        if (problems->list[k].line == line && problems->list[k].column == column &&
            strncmp(problems->list[k].text, text, sizeof problems->list[k].text - 1) == 0)
            return;
    if (severity == JO_SEVERITY_ERROR) problems->errors++;
    if (problems->count >= PROBLEMS_MAX) return;
    jo_problem *list = realloc(problems->list, (problems->count + 1) * sizeof *list);
    if (list == NULL) return; /* the count of errors still tells */
    problems->list = list;
    jo_problem *p = &list[problems->count++];
    *p = (jo_problem){.severity = severity, .line = line, .column = column};
    snprintf(p->text, sizeof p->text, "%s", text);
    clean(p->text);
}

void jo_problem_at(reader *r, jo_severity severity, int node, const char *format, ...)
{
    char text[sizeof((jo_problem *)0)->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    clean(text);
    const tree_node *n = node >= 0 ? jo_node(r, node) : NULL;
    jo_problem_place(r->problems, severity, n != NULL ? n->line : 0, n != NULL ? n->column : 0,
                     text);
}

/* Insertion sort: it is stable, and there are few. */
void jo_problems_sort(jo_problems *problems)
{
    for (size_t i = 1; i < problems->count; i++) {
        const jo_problem p = problems->list[i];
        size_t k = i;
        for (; k > 0; k--) {
            const jo_problem *q = &problems->list[k - 1];
            if (q->line < p.line || (q->line == p.line && q->column <= p.column)) break;
            problems->list[k] = *q;
        }
        problems->list[k] = p;
    }
}

/* The value of a key in a map, or -1. */
static int value_of(const reader *r, int node, const char *key, size_t length)
{
    const tree_node *n = jo_node(r, node);
    for (size_t k = 0; n->kind == TREE_MAP && k + 1 < n->count; k += 2) {
        const tree_node *name = jo_node(r, jo_child(r, node, k));
        if (name->kind == TREE_SCALAR && name->length == length &&
            memcmp(name->text, key, length) == 0)
            return jo_child(r, node, k + 1);
    }
    return -1;
}

int jo_reader_find(const reader *r, const char *path, bool *whole)
{
    int node = 0;
    *whole = true;
    while (*path != '\0') {
        int next = -1;
        if (*path == '[') {
            const size_t index = strtoul(path + 1, NULL, 10);
            const tree_node *n = jo_node(r, node);
            if (n->kind == TREE_LIST && index < n->count) next = jo_child(r, node, index);
            if (n->kind == TREE_MAP && 2 * index + 1 < n->count)
                next = jo_child(r, node, 2 * index + 1);
            path += strcspn(path, "]");
            if (*path == ']') path++;
        } else {
            if (*path == '.') path++;
            const size_t length = strcspn(path, ".[");
            next = value_of(r, node, path, length);
            path += length;
        }
        if (next < 0) {
            *whole = false;
            return node;
        }
        node = next;
    }
    return node;
}

static bool before(unsigned line_a, unsigned column_a, unsigned line_b, unsigned column_b)
{
    return line_a < line_b || (line_a == line_b && column_a < column_b);
}

bool jo_reader_wrong_inside(const reader *r, int node)
{
    const tree_node *n = jo_node(r, node);
    for (size_t k = 0; k < r->problems->count; k++) {
        const jo_problem *p = &r->problems->list[k];
        if (p->severity != JO_SEVERITY_ERROR || p->line == 0) continue;
        if (before(p->line, p->column, n->line, n->column)) continue;
        if ((p->line == n->line && p->column == n->column) ||
            before(p->line, p->column, n->end_line, n->end_column))
            return true;
    }
    return false;
}
