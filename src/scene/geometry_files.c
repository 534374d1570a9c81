/* geometry_files.c — the files that a scene has its shapes and meshes from.
 *
 * The scene keeps each as it was read, once however often it is named, and checkpoints carry them:
 * a run that goes on has the geometry it began with, whatever became of the files. The reader of a
 * checkpoint's scene therefore asks the checkpoint first. Older checkpoints lack them; then the
 * files are read where they are.
 *
 * Cost: one pass over a file; its bytes stay in memory as long as the scene. */
#include "scene/geometry_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "scene/reader.h"

void jo_geometry_files_free(jo_geometry_file *files, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        free(files[k].name);
        free(files[k].bytes);
    }
    free(files);
}

static const jo_geometry_file *find(const jo_geometry_file *files, size_t count, const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(files[k].name, name) == 0) return &files[k];
    return NULL;
}

/* Room for a file's bytes; one more, because malloc(0) may give NULL. */
static jo_status make_room(jo_geometry_file *file, size_t size, jo_error *error)
{
    file->size = size;
    file->bytes = malloc(size + 1);
    return file->bytes != NULL ? JO_OK : jo_fail_memory(error, size, "a file of geometry");
}

static jo_status read_whole(const char *path, jo_geometry_file *file, jo_error *error)
{
    size_t size;
    jo_status status = jo_file_size(path, &size, error);
    if (status != JO_OK) return status;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL)
        return jo_fail(error, JO_ERR_IO, "%.200s: cannot be opened: %s", path, strerror(errno));
    status = make_room(file, size, error);
    if (status == JO_OK && fread(file->bytes, 1, file->size, stream) != file->size)
        status = jo_fail(error, JO_ERR_IO, "%.200s: cannot be read: %s", path,
                         ferror(stream) ? strerror(errno) : "it became shorter meanwhile");
    fclose(stream);
    return status;
}

static jo_status copy_of(const jo_geometry_file *saved, jo_geometry_file *file, jo_error *error)
{
    const jo_status status = make_room(file, saved->size, error);
    if (status == JO_OK) memcpy(file->bytes, saved->bytes, saved->size);
    return status;
}

/* Hands the file to the scene; false when memory ran out. */
static bool keep(reader *r, const char *name, jo_geometry_file *file)
{
    jo_scene *scene = r->scene;
    if (!jo_read_copy(r, name, &file->name)) return false;
    jo_geometry_file *kept = jo_reader_append(r, (void **)&scene->geometry, &scene->geometry_count,
                                              sizeof *scene->geometry);
    if (kept != NULL) *kept = *file;
    return kept != NULL;
}

jo_status jo_reader_geometry(reader *r, const char *name, const char *path,
                             const jo_geometry_file **file, jo_error *error)
{
    const jo_scene *scene = r->scene;
    const jo_checkpoint *c = r->checkpoint;
    jo_geometry_file read = {0};
    *file = find(scene->geometry, scene->geometry_count, name);
    if (*file != NULL) return JO_OK;
    const jo_geometry_file *saved = c != NULL ? find(c->geometry, c->geometry_count, name) : NULL;
    jo_status status =
        saved != NULL ? copy_of(saved, &read, error) : read_whole(path, &read, error);
    if (status == JO_OK && !keep(r, name, &read))
        status = jo_fail_memory(error, read.size, "a file of geometry");
    if (status != JO_OK) {
        free(read.name);
        free(read.bytes);
        return status;
    }
    *file = &scene->geometry[scene->geometry_count - 1];
    return JO_OK;
}
