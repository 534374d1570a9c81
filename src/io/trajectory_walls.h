/* trajectory_walls.h — the walls of a scene as triangles in a trajectory. Only where HDF5 is. */
#ifndef JO_IO_TRAJECTORY_WALLS_H
#define JO_IO_TRAJECTORY_WALLS_H

#include "io/h5store.h"
#include "io/wall_bounds.h"
#include "jostle/trajectory.h"

#ifdef JO_HAVE_HDF5

/* The walls as described, copied from the scene: what unbounded ones are cut to is known only with
 * the first frame. */
typedef struct trajectory_walls {
    size_t count;
    jo_wall *wall;
    wall_bounds bounds;
} trajectory_walls;

jo_status jo_trajectory_walls_keep(trajectory_walls *walls, const jo_scene *scene, jo_error *error);
void jo_trajectory_walls_free(trajectory_walls *walls);

/* Into parameters/jostle/walls: triangles[T][9], wall[T], pivot[W][3], names[W]. False: HDF5 or
 * memory failed. */
/* A whole dataset, of one axis where columns is 0. False: HDF5 failed. */
bool jo_h5md_write_array(hid_t group, const char *name, hid_t stored, hid_t type, hsize_t rows,
                         hsize_t columns, const void *data);
bool jo_trajectory_walls_write(trajectory_walls *walls, int dim, const jo_frame *frame, hid_t file);

#endif
#endif
