/* trajectory_walls.c — the walls of a scene as triangles in a trajectory.
 *
 * Triangles are in each wall's own frame and written once; where a wall is in a frame of the
 * trajectory is its pose. Infinite planes and cylinders are cut to the bounds of the scene, which
 * the bodies of the first frame may widen (wall_bounds.c). */
#include "io/trajectory_walls.h"

#ifdef JO_HAVE_HDF5

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/h5md.h"

void jo_trajectory_walls_free(trajectory_walls *walls)
{
    for (size_t k = 0; k < walls->count; k++)
        free(walls->wall[k].triangles);
    free(walls->wall);
    *walls = (trajectory_walls){0};
}

jo_status jo_trajectory_walls_keep(trajectory_walls *walls, const jo_scene *scene, jo_error *error)
{
    *walls = (trajectory_walls){0};
    if (scene->wall_count == 0) return JO_OK;
    walls->wall = calloc(scene->wall_count, sizeof *walls->wall);
    if (walls->wall == NULL)
        return jo_fail_memory(error, scene->wall_count * sizeof *walls->wall, "walls");
    for (size_t k = 0; k < scene->wall_count; k++) {
        jo_wall *copy = &walls->wall[k];
        *copy = scene->walls[k];
        copy->path = NULL;
        copy->triangles = NULL;
        walls->count = k + 1;
        const size_t bytes =
            scene->walls[k].triangle_count * (scene->dim == 3 ? 9 : 4) * sizeof(double);
        if (bytes == 0) continue;
        copy->triangles = malloc(bytes);
        if (copy->triangles == NULL) {
            jo_trajectory_walls_free(walls);
            return jo_fail_memory(error, bytes, "the triangles of a wall");
        }
        memcpy(copy->triangles, scene->walls[k].triangles, bytes);
    }
    walls->bounds = jo_wall_bounds_of(scene);
    return JO_OK;
}

bool jo_h5md_write_array(hid_t where, const char *name, hid_t type, hid_t memory, hsize_t rows,
                         hsize_t columns, const void *data)
{
    const hsize_t size[2] = {rows, columns};
    const hid_t space = H5Screate_simple(columns > 0 ? 2 : 1, size, NULL);
    const hid_t set = H5Dcreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = set >= 0;
    if (ok && rows > 0) ok = H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (set >= 0) H5Dclose(set);
    if (space >= 0) H5Sclose(space);
    return ok;
}

/* The triangles of all walls, one array behind the other. */
typedef struct triangle_list {
    double *corner; /* 9 each */
    uint32_t *wall;
    size_t count;
} triangle_list;

static bool gather(const trajectory_walls *walls, int dim, triangle_list *all)
{
    for (size_t k = 0; k < walls->count; k++) {
        double *own = NULL;
        size_t count = 0;
        if (jo_wall_triangles(&walls->wall[k], dim, walls->bounds.lo, walls->bounds.hi, &own,
                              &count, NULL) != JO_OK)
            return false;
        double *corner = realloc(all->corner, (all->count + count + 1) * 9 * sizeof *corner);
        if (corner != NULL) all->corner = corner;
        uint32_t *wall = realloc(all->wall, (all->count + count + 1) * sizeof *wall);
        if (wall != NULL) all->wall = wall;
        if (corner != NULL && wall != NULL) {
            memcpy(corner + 9 * all->count, own, count * 9 * sizeof *corner);
            for (size_t i = 0; i < count; i++)
                wall[all->count + i] = (uint32_t)k;
            all->count += count;
        }
        free(own);
        if (corner == NULL || wall == NULL) return false;
    }
    return true;
}

static bool write_names(hid_t group, const trajectory_walls *walls)
{
    char(*names)[JO_NAME_SIZE] = calloc(walls->count, sizeof *names);
    const hid_t type = H5Tcopy(H5T_C_S1);
    bool ok = names != NULL && H5Tset_size(type, JO_NAME_SIZE) >= 0;
    for (size_t k = 0; ok && k < walls->count; k++)
        memcpy(names[k], walls->wall[k].name, JO_NAME_SIZE);
    ok = ok && jo_h5md_write_array(group, "names", type, type, walls->count, 0, names);
    if (type >= 0) H5Tclose(type);
    free(names);
    return ok;
}

bool jo_trajectory_walls_write(trajectory_walls *walls, int dim, const jo_frame *frame, hid_t file)
{
    for (size_t k = 0; k < frame->n; k++)
        jo_wall_bounds_add(&walls->bounds, frame->x + 3 * k, frame->r[k]);
    triangle_list all = {0};
    double *pivot = calloc(walls->count, 3 * sizeof *pivot);
    const hid_t group = H5Gopen2(file, H5MD_OWN "/walls", H5P_DEFAULT);
    bool ok = group >= 0 && pivot != NULL && gather(walls, dim, &all);
    for (size_t k = 0; ok && k < walls->count; k++)
        memcpy(pivot + 3 * k, walls->wall[k].motion.pivot, 3 * sizeof *pivot);
    ok = ok && write_names(group, walls) &&
         jo_h5md_write_array(group, "pivot", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, walls->count, 3,
                             pivot) &&
         jo_h5md_write_array(group, "triangles", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, all.count, 9,
                             all.corner) &&
         jo_h5md_write_array(group, "wall", H5T_STD_U32LE, H5T_NATIVE_UINT32, all.count, 0,
                             all.wall);
    if (group >= 0) H5Gclose(group);
    free(pivot);
    free(all.corner);
    free(all.wall);
    return ok;
}

#endif
