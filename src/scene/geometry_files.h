/* geometry_files.h — the files that a scene has its shapes and meshes from. */
#ifndef JO_SCENE_GEOMETRY_FILES_H
#define JO_SCENE_GEOMETRY_FILES_H

#include "jostle/model.h"

void jo_geometry_files_free(jo_geometry_file *files, size_t count);

#endif
