/* trajectory_make.c — the groups and empty datasets of a trajectory; the layout is in h5md.h.
 *
 * Datasets of bodies are cut into chunks of one frame and up to 32768 bodies, as even as the number
 * of bodies to come allows, so that little is stored beyond the last body. */
#include "io/trajectory_make.h"

#ifdef JO_HAVE_HDF5

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BODIES ((hsize_t)32768) /* at most, in one chunk of a dataset */
#define CHUNK_ROWS   ((hsize_t)512)   /* of step, time, observables: one page of 8-byte numbers */

/* An empty dataset FOLDER/value of `rank` axes that grows along all but the last of three. */
static bool make_value(hid_t where, const char *name, h5md_kind kind, int rank, hsize_t columns,
                       hsize_t components, hsize_t chunk_columns)
{
    static const int64_t none = -1;
    const hsize_t size[3] = {0, columns, components};
    const hsize_t most[3] = {H5S_UNLIMITED, H5S_UNLIMITED, components};
    const hsize_t chunk[3] = {rank == 1 ? CHUNK_ROWS : 1, chunk_columns, components};
    const hid_t space = H5Screate_simple(rank, size, most), list = H5Pcreate(H5P_DATASET_CREATE);
    bool ok = space >= 0 && list >= 0 && H5Pset_chunk(list, rank, chunk) >= 0;
    if (kind == H5MD_I64) ok = ok && H5Pset_fill_value(list, H5T_NATIVE_INT64, &none) >= 0;
    ok = ok && H5Pset_fill_time(list, H5D_FILL_TIME_ALLOC) >= 0;
    const hid_t set =
        ok ? H5Dcreate2(where, name, jo_h5md_file_type(kind), space, H5P_DEFAULT, list, H5P_DEFAULT)
           : -1;
    if (set >= 0) H5Dclose(set);
    if (list >= 0) H5Pclose(list);
    if (space >= 0) H5Sclose(space);
    return set >= 0;
}

/* A group with step and time: those of `like`, or new ones. */
static hid_t make_element(hid_t file, const char *path, const char *like)
{
    char target[300];
    const hid_t group = jo_h5_group(file, path);
    bool ok = group >= 0;
    for (int k = 0; ok && k < 2; k++) {
        const char *name = k == 0 ? "step" : "time";
        snprintf(target, sizeof target, "/%s/%s", like != NULL ? like : "", name);
        ok = like != NULL ? H5Lcreate_hard(file, target, group, name, H5P_DEFAULT, H5P_DEFAULT) >= 0
                          : make_value(group, name, k == 0 ? H5MD_I64 : H5MD_F64, 1, 0, 0, 0);
    }
    if (!ok && group >= 0) H5Gclose(group);
    return ok ? group : -1;
}

static bool write_materials(hid_t own, const jo_scene *scene)
{
    if (scene->material_count == 0) return true;
    const hsize_t count = scene->material_count;
    char(*names)[JO_NAME_SIZE] = calloc(scene->material_count, sizeof *names);
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &count, NULL);
    bool ok = names != NULL && H5Tset_size(type, JO_NAME_SIZE) >= 0;
    for (size_t k = 0; ok && k < scene->material_count; k++)
        memcpy(names[k], scene->materials[k].name, JO_NAME_SIZE);
    const hid_t set =
        H5Dcreate2(own, "materials", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ok = ok && set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0;
    if (set >= 0) H5Dclose(set);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    free(names);
    return ok;
}

bool jo_h5md_make_file(hid_t file, const jo_scene *scene)
{
    const int version[2] = {1, 1};
    const char *title = scene->title != NULL ? scene->title : "";
    const hid_t h5md = jo_h5_group(file, "h5md"), author = jo_h5_group(file, "h5md/author");
    const hid_t creator = jo_h5_group(file, "h5md/creator"), own = jo_h5_group(file, H5MD_OWN);
    bool ok = h5md >= 0 && author >= 0 && creator >= 0 && own >= 0;
    ok = ok && jo_h5_put_numbers(h5md, "version", H5T_NATIVE_INT, version, 2) &&
         jo_h5_put_text(author, "name", "unknown") && jo_h5_put_text(creator, "name", "jostle") &&
         jo_h5_put_text(creator, "version", JO_VERSION_STRING);
    ok = ok && jo_h5_put_text(own, "engine", scene->engine) &&
         jo_h5_put_numbers(own, "dimension", H5T_NATIVE_INT, &scene->dim, 1) &&
         jo_h5_put_numbers(own, "gravity", H5T_NATIVE_DOUBLE, scene->gravity, 3) &&
         jo_h5_write_text(own, "scene", scene->source != NULL ? scene->source : "") &&
         jo_h5_write_text(own, "title", title) && write_materials(own, scene);
    if (own >= 0) H5Gclose(own);
    if (creator >= 0) H5Gclose(creator);
    if (author >= 0) H5Gclose(author);
    if (h5md >= 0) H5Gclose(h5md);
    return ok;
}

static hsize_t chunk_columns(double expected)
{
    if (!(expected > 64.0)) return 64;
    if (expected > 1e12) return CHUNK_BODIES;
    const double parts = ceil(expected / (double)CHUNK_BODIES);
    return (hsize_t)ceil(expected / parts);
}

static bool make_box(hid_t file, int axes, const jo_domain *domain)
{
    char boundary[3][8];
    double edges[3];
    bool sized = true;
    for (int a = 0; a < axes; a++) {
        memcpy(boundary[a], domain->periodic[a] ? "periodic" : "none\0\0\0", 8);
        edges[a] = domain->hi[a] - domain->lo[a];
        sized = sized && edges[a] > 0.0;
    }
    const hsize_t dim = (hsize_t)axes;
    const hid_t box = jo_h5_group(file, H5MD_BODIES "/box"), type = H5Tcopy(H5T_C_S1);
    bool ok = box >= 0 && H5Tset_size(type, 8) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
              jo_h5_put_numbers(box, "dimension", H5T_NATIVE_INT, &axes, 1) &&
              jo_h5_put_numbers(box, "boundary", type, boundary, dim);
    if (sized) {
        const hid_t space = H5Screate_simple(1, &dim, NULL);
        const hid_t set =
            H5Dcreate2(box, "edges", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        ok = ok && set >= 0 &&
             H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, edges) >= 0 &&
             jo_h5_put_numbers(box, "lower", H5T_NATIVE_DOUBLE, domain->lo, dim);
        if (set >= 0) H5Dclose(set);
        if (space >= 0) H5Sclose(space);
    }
    if (type >= 0) H5Tclose(type);
    if (box >= 0) H5Gclose(box);
    return ok;
}

#define FIRST_ELEMENT H5MD_BODIES "/position"

bool jo_h5md_make_bodies(hid_t file, double expected, trajectory_walls *walls,
                         const jo_frame *frame)
{
    char path[128];
    const hsize_t chunk = chunk_columns(fmax(expected + (double)frame->n, 1.0));
    bool ok = true;
    const bool turned = frame->shape != NULL || frame->outline_first != NULL;
    const int elements = turned ? H5MD_ELEMENTS : H5MD_PLAIN;
    for (int k = 0; ok && k < elements; k++) {
        const h5md_element *e = &jo_h5md_elements[k];
        const hsize_t components = e->components > 0 ? (hsize_t)e->components : (hsize_t)frame->dim;
        snprintf(path, sizeof path, "%s/%s", H5MD_BODIES, e->name);
        const hid_t group = make_element(file, path, k > 0 ? FIRST_ELEMENT : NULL);
        ok = group >= 0 &&
             make_value(group, "value", e->kind, components > 1 ? 3 : 2, 0, components, chunk);
        if (group >= 0) H5Gclose(group);
    }
    ok = ok && make_box(file, frame->dim, &frame->domain);
    if (ok && frame->shape != NULL) ok = jo_h5md_write_shapes(file, frame);
    if (ok && frame->outline_first != NULL) ok = jo_h5md_make_outlines(file);
    const hid_t shear =
        ok ? make_element(file, H5MD_BODIES "/box/shear_offset", FIRST_ELEMENT) : -1;
    ok = ok && shear >= 0 && make_value(shear, "value", H5MD_F64, 1, 0, 0, 0);
    if (shear >= 0) H5Gclose(shear);
    if (!ok || walls->count == 0) return ok;
    const hid_t pose = make_element(file, H5MD_OWN "/walls/pose", FIRST_ELEMENT);
    ok = pose >= 0 &&
         make_value(pose, "value", H5MD_F64, 3, walls->count, H5MD_POSE, walls->count) &&
         jo_trajectory_walls_write(walls, frame->dim, frame, file);
    if (pose >= 0) H5Gclose(pose);
    return ok;
}

bool jo_h5md_make_contacts(hid_t file, size_t expected)
{
    char path[128];
    bool ok = true;
    for (int k = 0; ok && k < H5MD_CONTACTS; k++) {
        const h5md_element *e = &jo_h5md_contacts[k];
        snprintf(path, sizeof path, "connectivity/%s", e->name);
        const hid_t group = make_element(file, path, k > 0 ? "connectivity/contacts" : NULL);
        ok =
            group >= 0 && make_value(group, "value", e->kind, e->components > 1 ? 3 : 2, 0,
                                     (hsize_t)e->components, chunk_columns((double)expected * 1.3));
        if (ok && k == 0) ok = jo_h5_put_text(group, "particles_group", "/" H5MD_BODIES);
        if (group >= 0) H5Gclose(group);
    }
    return ok;
}

bool jo_h5md_make_sides(hid_t file, size_t expected)
{
    bool ok = true;
    for (int k = 0; ok && k < H5MD_SIDES; k++) {
        const h5md_element *e = &jo_h5md_sides[k];
        char path[128];
        snprintf(path, sizeof path, "triangulation/%s", e->name);
        const hid_t group = make_element(file, path, k > 0 ? "triangulation/side" : NULL);
        ok = group >= 0 && make_value(group, "value", e->kind, 3, 0, (hsize_t)e->components,
                                      k == 0 ? chunk_columns((double)expected * 1.3) : 1);
        if (group >= 0) H5Gclose(group);
    }
    return ok;
}

bool jo_h5md_make_observables(hid_t file, const column_names *c)
{
    char path[256], first[256];
    bool ok = true;
    snprintf(first, sizeof first, "observables/%s", c->text[0]);
    for (size_t k = 0; ok && k < c->count; k++) {
        snprintf(path, sizeof path, "observables/%s", c->text[k]);
        const hid_t group = make_element(file, path, k > 0 ? first : NULL);
        ok = group >= 0 && make_value(group, "value", H5MD_F64, 1, 0, 0, 0);
        if (group >= 0) H5Gclose(group);
    }
    const hsize_t count = c->count;
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &count, NULL);
    H5Tset_size(type, H5MD_NAME);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    const hid_t set =
        H5Dcreate2(file, H5MD_OWN "/columns", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    char *packed = calloc(c->count, H5MD_NAME);
    for (size_t k = 0; packed != NULL && k < c->count; k++)
        memcpy(packed + k * H5MD_NAME, c->text[k], strlen(c->text[k]));
    ok = ok && set >= 0 && packed != NULL &&
         H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed) >= 0;
    free(packed);
    if (set >= 0) H5Dclose(set);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return ok;
}

#endif
