/* frames.h — made-up frames of a run, the same for the same (n, step), for tests of what a run
 * writes; and a folder of its own for each test program. */
#ifndef TESTS_FRAMES_H
#define TESTS_FRAMES_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "jostle/trajectory.h"

#define FRAME_BODIES_MAX 512

typedef struct made_frame {
    jo_frame view;
    uint64_t id[FRAME_BODIES_MAX];
    double x[3 * FRAME_BODIES_MAX], v[3 * FRAME_BODIES_MAX], w[3 * FRAME_BODIES_MAX];
    double force[3 * FRAME_BODIES_MAX], torque[3 * FRAME_BODIES_MAX];
    double r[FRAME_BODIES_MAX], mass[FRAME_BODIES_MAX];
    uint32_t material[FRAME_BODIES_MAX], touching[FRAME_BODIES_MAX];
    uint8_t fixed[FRAME_BODIES_MAX];
} made_frame;

static inline double made_value(uint64_t step, size_t i, int what)
{
    uint64_t z = step * 1000003u + i * 97u + (uint64_t)what + 1;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53 + 0.01;
}

static inline void make_frame(made_frame *f, size_t n, int dim, uint64_t step)
{
    memset(f, 0, sizeof *f);
    f->view = (jo_frame){.time = (double)step * 1e-3,
                         .step = step,
                         .dim = dim,
                         .n = n,
                         .id = f->id,
                         .x = f->x,
                         .v = f->v,
                         .w = f->w,
                         .force = f->force,
                         .torque = f->torque,
                         .r = f->r,
                         .mass = f->mass,
                         .material = f->material,
                         .fixed = f->fixed,
                         .touching = f->touching,
                         .shear_offset = made_value(step, 0, 99)};
    f->view.domain =
        (jo_domain){.lo = {-1, -2, 0}, .hi = {3, 2, 5}, .periodic = {true, true, false}};
    if (dim == 2) f->view.domain.lo[2] = f->view.domain.hi[2] = 0.0;
    for (size_t i = 0; i < n; i++) {
        f->id[i] = 3 * i + step % 2; /* ids with gaps */
        for (int a = 0; a < 3; a++) {
            const bool there = a < dim;
            f->x[3 * i + a] = there ? made_value(step, i, a) : 0.0;
            f->v[3 * i + a] = there ? made_value(step, i, 3 + a) : 0.0;
            f->w[3 * i + a] = dim == 3 || a == 2 ? made_value(step, i, 6 + a) : 0.0;
            f->force[3 * i + a] = there ? made_value(step, i, 9 + a) : 0.0;
        }
        f->r[i] = made_value(step, i, 12);
        f->mass[i] = made_value(step, i, 13);
        f->material[i] = (uint32_t)(i % 3);
        f->touching[i] = (uint32_t)(i % 7);
        f->fixed[i] = i % 5 == 0;
    }
}

static inline void expect_frame(const jo_frame *got, const made_frame *want)
{
    const jo_frame *w = &want->view;
    assert_int_equal(got->n, w->n);
    assert_int_equal(got->dim, w->dim);
    assert_int_equal(got->step, w->step);
    assert_true(got->time == w->time);
    assert_true(got->shear_offset == w->shear_offset);
    assert_memory_equal(got->id, w->id, w->n * sizeof *w->id);
    assert_memory_equal(got->x, w->x, 3 * w->n * sizeof *w->x);
    assert_memory_equal(got->v, w->v, 3 * w->n * sizeof *w->v);
    assert_memory_equal(got->w, w->w, 3 * w->n * sizeof *w->w);
    assert_memory_equal(got->force, w->force, 3 * w->n * sizeof *w->force);
    assert_memory_equal(got->r, w->r, w->n * sizeof *w->r);
    assert_memory_equal(got->mass, w->mass, w->n * sizeof *w->mass);
    assert_memory_equal(got->material, w->material, w->n * sizeof *w->material);
    assert_memory_equal(got->touching, w->touching, w->n * sizeof *w->touching);
    assert_memory_equal(got->fixed, w->fixed, w->n);
    for (int a = 0; a < w->dim; a++) {
        assert_true(got->domain.lo[a] == w->domain.lo[a] && got->domain.hi[a] == w->domain.hi[a]);
        assert_int_equal(got->domain.periodic[a], w->domain.periodic[a]);
    }
}

/* ---- a folder */

static char folder[64];

static inline const char *in_folder(const char *name)
{
    static char paths[8][512];
    static int turn;
    turn = (turn + 1) % 8;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", folder, name);
    return paths[turn];
}

static inline int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/jostle-frames-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static inline size_t files_in_folder(void)
{
    size_t n = 0;
    DIR *d = opendir(folder);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static inline int remove_folder(void **state)
{
    (void)state;
    DIR *d = opendir(folder);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlink(in_folder(e->d_name));
    closedir(d);
    return rmdir(folder);
}

/* Fails with the library's sentence. */
#define EXPECT_OK(call, error)                                                                     \
    do {                                                                                           \
        if ((call) != JO_OK) fail_msg("%s: %s", #call, (error).text);                              \
    } while (0)

#endif
