/* reader.h — reading a scene file: the state all parts of the reader share, and what they call. */
#ifndef JO_SCENE_READER_H
#define JO_SCENE_READER_H

#include "jostle/scenefile.h"
#include "scene/geometry_files.h"
#include "scene/schema.h"
#include "scene/tree.h"

typedef struct reader {
    tree document;
    const char *folder;              /* may be NULL */
    const jo_checkpoint *checkpoint; /* that the text is from; NULL: from none */
    jo_scene *scene;
    jo_problems *problems;
    material_entry *materials; /* scene->material_count of them */
    int *orientations; /* per group: the first node that says how its bodies are turned; 0: none */
    size_t visits, visits_max; /* aliases can unfold without end */
    bool out_of_memory;
} reader;

enum { PROBLEMS_MAX = 200 };

/* ---- problems.c ---- */

/* Adds a problem at a node (negative: the file as a whole). What is not printable becomes '?'. */
void jo_problem_at(reader *r, jo_severity severity, int node, const char *format, ...)
    JO_PRINTF(4, 5);
void jo_problem_place(jo_problems *problems, jo_severity severity, unsigned line, unsigned column,
                      const char *text);
void jo_problems_sort(jo_problems *problems);
#define jo_wrong(r, node, ...) jo_problem_at((r), JO_SEVERITY_ERROR, (node), __VA_ARGS__)

/* The node that a path like "walls[2].servo.force" leads to, or the innermost one there is. Indices
 * count the pairs of maps, too. *whole tells whether the path ended there. */
int jo_reader_find(const reader *r, const char *path, bool *whole);
/* Whether an error was reported inside that node. */
bool jo_reader_wrong_inside(const reader *r, int node);

/* ---- fields.c ---- */
static inline const tree_node *jo_node(const reader *r, int node)
{
    return &r->document.nodes[node];
}
static inline int jo_child(const reader *r, int node, size_t k)
{
    const tree_node *n = jo_node(r, node);
    return (int)r->document.children[n->first + k];
}

/* Counts a visit; false (after reporting it once) when the document unfolds beyond reason. */
bool jo_reader_visit(reader *r, int node);

/* Reads a map by its section into target. Returns the bits of the keys given, in their order. */
uint64_t jo_read_section(reader *r, int node, const section_def *section, void *target);
/* Whether `name` is among the keys given. */
bool jo_key_given(const section_def *section, uint64_t given, const char *name);

/* A scalar's text; NULL (after reporting) when the node is none or cannot be one line of text. */
const char *jo_read_text(reader *r, int node, const char *name);
bool jo_read_real(reader *r, int node, const char *name, dimension unit, const key_bounds *bounds,
                  double *value);
bool jo_read_vector(reader *r, int node, const char *name, dimension unit, double value[3]);
bool jo_read_count(reader *r, int node, const char *name, uint64_t *value);
bool jo_read_bool(reader *r, int node, const char *name, bool *value);
/* The index of the word among choices, or -1 after reporting. */
int jo_read_choice(reader *r, int node, const char *name, const char *const *choices);
/* A material by name, as an index; false after reporting. */
bool jo_read_material_name(reader *r, int node, uint32_t *index);
/* A copy of the text: false when memory ran out. */
bool jo_read_copy(reader *r, const char *text, char **copy);
/* text relative to the scene's folder, as an allocated path. */
char *jo_reader_path(reader *r, const char *text);

dimension jo_reader_unit(const reader *r, const key_def *key);

/* Makes room for one more element of an owned array and zeroes it; NULL when memory ran out. */
void *jo_reader_append(reader *r, void **array, size_t *count, size_t size);

/* ---- synonyms.c ---- */

/* Which of the names (each the first member of a struct of `stride` bytes) somebody means who
 * writes `word`, which is none of them; NULL: none is known. *advice: a clause more, or NULL; it
 * may come without a name. */
const char *jo_synonym(const char *word, const void *names, size_t count, size_t stride,
                       const char **advice);

/* ---- geometry_files.c ---- */

/* The file that the scene's text has under `name`, which is at `path`. It stays valid until the
 * next one is read. */
jo_status jo_reader_geometry(reader *r, const char *name, const char *path,
                             const jo_geometry_file **file, jo_error *error);

/* ---- other parts ---- */
void jo_read_group(reader *r, int node);               /* groups.c */
void jo_read_wall(reader *r, int node, int name_node); /* wallparts.c */
/* shapeparts.c: a simple polygon of at least three points, 2 numbers each, owned; false after
 * reporting. */
bool jo_read_outline(reader *r, int node, const char *name, dimension unit, double **points,
                     size_t *count);
void jo_settle_polygon(reader *r, wall_entry *w); /* wall_polygons.c: polygon, bar, hopper */
void jo_settle_contacts(reader *r);               /* parts.c: after materials and contacts */
void jo_settle_orientations(reader *r);           /* groups.c: after bodies and engine */

#endif
