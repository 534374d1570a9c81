/* jostle/scenefile.h — scenes from YAML (or JSON) files, and the reference of what may be in them.
 *
 * One schema table describes every key: its type, unit, bounds, default and meaning. The reader,
 * the checker and the printed reference are all made from it. Without libyaml the functions return
 * JO_ERR_UNSUPPORTED. */
#ifndef JOSTLE_SCENEFILE_H
#define JOSTLE_SCENEFILE_H

#include "jostle/trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum jo_severity { JO_SEVERITY_ERROR, JO_SEVERITY_WARNING } jo_severity;

/* One thing that is wrong, and where. */
typedef struct jo_problem {
    jo_severity severity;
    unsigned line, column; /* from 1; 0: the file as a whole */
    char text[400];        /* what is wrong, and what would be right */
} jo_problem;

/* All problems found in one pass, in the order of the file; owned: free with jo_problems_free. */
typedef struct jo_problems {
    size_t count, errors; /* errors: those that are not warnings */
    jo_problem *list;
} jo_problems;
JO_API void jo_problems_free(jo_problems *problems);

/* Reads a scene. JO_OK (perhaps with warnings), JO_ERR_DATA with at least one error in *problems,
 * JO_ERR_IO when the file cannot be read. *scene is for jo_scene_free on success, zeroed else. */
JO_API jo_status jo_scene_read(const char *path, jo_scene *scene, jo_problems *problems,
                               jo_error *error);
/* The same from memory; name is used in messages, folder (may be NULL: the current one) is what
 * paths in the scene are relative to. */
JO_API jo_status jo_scene_parse(const char *text, size_t size, const char *name, const char *folder,
                                jo_scene *scene, jo_problems *problems, jo_error *error);

/* The scene of a checkpoint, with the geometry that the checkpoint holds: files are read only where
 * it lacks them, as checkpoints from before they had any do. Otherwise as jo_scene_parse. */
JO_API jo_status jo_scene_parse_checkpoint(const jo_checkpoint *checkpoint, const char *name,
                                           jo_scene *scene, jo_problems *problems, jo_error *error);

/* A scene's text with one value replaced, or added: key is a path like "engine.time_step",
 * "walls.drum.motion.spin" or "bodies[0].random.count" (items from 0), value as it would stand in
 * the file. *out is allocated (free it) and terminated. Whether it is a good scene is for
 * jo_scene_parse to say. JO_ERR_DATA where the text, the key or the value cannot be. */
JO_API jo_status jo_scene_override(const char *text, size_t size, const char *key,
                                   const char *value, char **out, size_t *out_size,
                                   jo_error *error);

/* A time as scene files may have it ("0.5", "500 ms", "2 min"), in seconds. JO_ERR_DATA with the
 * end of a sentence that starts with what the time is for: "is '5 kg', a mass; it wants …". */
JO_API jo_status jo_time_read(const char *text, double *seconds, jo_error *error);

/* The reference, from the schema table. write is called with pieces of text. */
typedef enum jo_schema_style { JO_SCHEMA_TEXT, JO_SCHEMA_MARKDOWN, JO_SCHEMA_JSON } jo_schema_style;
JO_API void jo_schema_print(jo_schema_style style, void (*write)(void *context, const char *text),
                            void *context);

#ifdef __cplusplus
}
#endif
#endif
