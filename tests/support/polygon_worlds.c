/* polygon_worlds.c — see polygon_worlds.h. */
#include "support/polygon_worlds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

jo_kinetic *world_make(const world_setting *s)
{
    polygon_scene scene = polygon_scene_make(s->grains, s->kind, s->seed);
    const uint32_t n = s->grains;
    size_t *first = malloc((n + 1) * sizeof *first);
    double *v = malloc((2 * n + 1) * sizeof *v), *spin = malloc((n + 1) * sizeof *spin);
    random_stream r = jo_random_start(s->seed, 77);
    for (uint32_t i = 0; i <= n; i++)
        first[i] = scene.first[i + 1] - scene.first[1];
    for (uint32_t i = 0; i < 2 * n; i++)
        v[i] = jo_random_normal(&r);
    for (uint32_t i = 0; i < n; i++)
        spin[i] = 2.0 * jo_random_normal(&r);
    jo_kinetic_def def = jo_kinetic_def_default();
    def.bodies = n;
    def.first = first;
    def.corners = scene.place + 2 * scene.first[1];
    def.v = v;
    def.spin = spin;
    def.boundary = 4;
    def.boundary_corners = scene.place;
    def.restitution = &s->restitution;
    def.friction = &s->friction;
    def.gravity[1] = -s->gravity;
    def.roots = s->roots;
    jo_kinetic *world;
    jo_error error;
    if (jo_kinetic_create(&def, &world, &error) != JO_OK) fail_msg("%s", error.text);
    free(first);
    free(v);
    free(spin);
    polygon_scene_free(&scene);
    return world;
}

void world_advance(jo_kinetic *world, double until, uint64_t events)
{
    jo_error error;
    if (jo_kinetic_advance(world, until, events, &error) != JO_OK) fail_msg("%s", error.text);
}

void world_must_hold(jo_kinetic *world)
{
    jo_error error, found;
    if (jo_kinetic_check(world, &found) == JO_OK) return;
    const double time = jo_kinetic_time(world);
    for (int k = 0; k < 300; k++) {
        assert_int_equal(jo_kinetic_advance(world, INFINITY, 1, &error), JO_OK);
        if (!(jo_kinetic_time(world) - time < 1e-9)) break;
        if (jo_kinetic_check(world, &error) == JO_OK) return;
    }
    fail_msg("at %.17g: %s", time, found.text);
}

void world_must_be_apart(jo_kinetic *world)
{
    jo_kinetic_frame f;
    jo_error error;
    assert_int_equal(jo_kinetic_look(world, &f, &error), JO_OK);
    frame_must_be_apart(&f);
}

void frame_must_be_apart(const jo_kinetic_frame *frame)
{
    const jo_kinetic_frame f = *frame;
    uint32_t pair[2];
    const uint32_t all = (uint32_t)(f.corners + f.boundary);
    polygon_scene s = {.vertices = all, .bodies = (uint32_t)f.bodies + 1};
    s.place = malloc(2 * all * sizeof *s.place);
    s.next = malloc(all * sizeof *s.next);
    s.owner = malloc(all * sizeof *s.owner);
    s.first = malloc((s.bodies + 1) * sizeof *s.first);
    memcpy(s.place, f.corner + 2 * f.corners, 2 * f.boundary * sizeof *s.place);
    memcpy(s.place + 2 * f.boundary, f.corner, 2 * f.corners * sizeof *s.place);
    s.first[0] = 0;
    for (uint32_t i = 1; i <= s.bodies; i++)
        s.first[i] = (uint32_t)(f.boundary + f.first[i - 1]);
    for (uint32_t i = 0; i < s.bodies; i++)
        for (uint32_t v = s.first[i]; v < s.first[i + 1]; v++) {
            s.owner[v] = i;
            s.next[v] = v + 1 < s.first[i + 1] ? v + 1 : s.first[i];
        }
    const bool overlap = polygon_scene_overlap(&s, pair);
    polygon_scene_free(&s);
    if (overlap) fail_msg("bodies %u and %u overlap at %.17g", pair[0], pair[1], f.time);
}

jo_kinetic *world_replaced(jo_kinetic *world)
{
    jo_chunk chunks[JO_CHUNKS_MAX];
    size_t count;
    jo_kinetic *copy;
    jo_error error;
    assert_int_equal(jo_kinetic_save(world, chunks, &count, &error), JO_OK);
    assert_true(count <= JO_CHUNKS_MAX);
    if (jo_kinetic_restore(chunks, count, &copy, &error) != JO_OK) fail_msg("%s", error.text);
    assert_true(jo_kinetic_hash(copy) == jo_kinetic_hash(world));
    assert_true(jo_kinetic_time(copy) == jo_kinetic_time(world));
    jo_kinetic_destroy(world);
    return copy;
}

double world_energy(jo_kinetic *world)
{
    const jo_kinetic_energy e = jo_kinetic_measure(world);
    return e.translation + e.rotation + e.potential;
}
