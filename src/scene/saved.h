/* saved.h — states as named arrays: packing them, and reading them back without trusting them.
 *
 * What both engines' checkpoints have in common. */
#ifndef JO_SCENE_SAVED_H
#define JO_SCENE_SAVED_H

#include <string.h>

#include "base/error.h"
#include "jostle/soft.h"

/* A piece of the buffer of things that have to be packed. */
typedef struct packer {
    char *at, *end; /* what is left of it */
} packer;

static inline void *take(packer *p, size_t count, size_t size)
{
    void *out = p->at;
    p->at += (count * size + 15) / 16 * 16;
    JO_ASSERT(p->at <= p->end);
    return out;
}

static inline void add_chunk(jo_chunk *chunks, size_t *count, const char *name, jo_chunk_type type,
                             size_t n, const void *data)
{
    jo_chunk *c = &chunks[(*count)++];
    *c = (jo_chunk){.type = type, .count = n, .data = data};
    strncpy(c->name, name, sizeof c->name - 1);
}

/* ---- back ---- */

typedef struct source {
    const jo_chunk *chunks;
    size_t count;
    jo_error *error;
    jo_status status;
} source;

static inline size_t type_size(jo_chunk_type type)
{
    return type == JO_CHUNK_F64 || type == JO_CHUNK_U64 ? 8 : type == JO_CHUNK_U8 ? 1 : 4;
}

static inline const jo_chunk *find_chunk(const source *from, const char *name)
{
    for (size_t k = 0; k < from->count; k++)
        if (strcmp(from->chunks[k].name, name) == 0) return &from->chunks[k];
    return NULL;
}

/* The chunk of that name, type and length; NULL and a status in the source if there is none. */
static inline const void *want(source *from, const char *name, jo_chunk_type type, size_t n)
{
    if (from->status != JO_OK) return NULL;
    const jo_chunk *c = find_chunk(from, name);
    if (c == NULL) {
        from->status = jo_fail(from->error, JO_ERR_DATA, "the saved state lacks '%s'", name);
        return NULL;
    }
    if (c->type == type && c->count == n) return c->data;
    from->status =
        jo_fail(from->error, JO_ERR_DATA,
                "'%s' in the saved state has %zu elements, or the wrong type; %zu are needed", name,
                c->count, n);
    return NULL;
}

static inline void copy_chunk(source *from, const char *name, jo_chunk_type type, size_t n,
                              void *to)
{
    const void *data = want(from, name, type, n);
    if (data != NULL && n > 0) memcpy(to, data, n * type_size(type));
}

static inline void wrong(source *from, const char *what)
{
    if (from->status == JO_OK)
        from->status =
            jo_fail(from->error, JO_ERR_DATA, "the saved state cannot be right: %s", what);
}

#endif
