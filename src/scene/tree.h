/* tree.h — a YAML (or JSON) document as a tree of scalars, lists and maps with their places. */
#ifndef JO_SCENE_TREE_H
#define JO_SCENE_TREE_H

#include "jostle/base.h"

typedef enum tree_kind { TREE_SCALAR, TREE_LIST, TREE_MAP } tree_kind;

typedef struct tree_node {
    tree_kind kind;
    unsigned line, column;         /* from 1 */
    unsigned end_line, end_column; /* just behind it */
    const char *text;              /* scalar: terminated */
    size_t length;
    bool quoted;
    size_t first,
        count; /* children: items of a list; of a map keys and values in turn, count of both */
} tree_node;

/* Aliases are nodes with several parents, so whoever walks the tree bounds the number of visits. */
typedef struct tree {
    tree_node *nodes; /* nodes[0] is the root */
    size_t node_count;
    uint32_t *children;
    void *owner; /* holds the texts */
} tree;

/* What is wrong with the text as YAML, and where (line 0: the file as a whole). */
typedef struct tree_error {
    unsigned line, column;
    char text[300];
} tree_error;

/* JO_OK, JO_ERR_DATA with *wrong filled, JO_ERR_MEMORY, JO_ERR_UNSUPPORTED without libyaml. */
jo_status jo_tree_parse(const char *text, size_t size, tree *out, tree_error *wrong);
void jo_tree_free(tree *t);

static inline const tree_node *jo_tree_child(const tree *t, const tree_node *n, size_t k)
{
    return &t->nodes[t->children[n->first + k]];
}

#endif
