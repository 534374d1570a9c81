/* soft_cases.c — the three problems in numbers: two settled packings and a chute.
 *
 * The settled packing lies in a box of 40 x 20 diameters, periodic sideways, on a plane floor. The
 * chute is as wide, without a plane: its lowest bodies are fixed, and gravity leans by 26 degrees.
 * The peers' inputs (packing.lammps, chute.lammps, packing.py) state the same numbers; what all
 * compute is compared at the end of every benchmark. */
#include "soft_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DENSITY 1.9098593171027440 /* mass 1 at diameter 1 */

const soft_case soft_cases[] = {
    {.name = "linear", .title = "settled packing, linear", .yade = true},
    {.name = "hertz", .title = "settled packing, Hertz-Mindlin", .hertz = true, .yade = true},
    {.name = "chute", .title = "chute, linear", .chute = true},
};
const size_t soft_case_count = COUNT_OF(soft_cases);

const soft_case *case_named(const char *name)
{
    for (size_t k = 0; k < soft_case_count; k++)
        if (strcmp(soft_cases[k].name, name) == 0) return &soft_cases[k];
    return NULL;
}

static jo_contact_def contact_of(const soft_case *c)
{
    jo_contact_def d = jo_contact_def_default();
    d.friction = 0.5;
    d.normal_stiffness = c->hertz ? 4.0e7 : 2.0e5;
    d.tangential_stiffness = c->hertz ? 5.142857e7 : 2.0 / 7.0 * 2.0e5;
    d.normal_damping = c->hertz ? 1.0e4 : 50.0;
    d.tangential_damping = c->chute ? 0.0 : 0.5 * d.normal_damping;
    return d;
}

static void set_law(const soft_case *c, jo_law *law)
{
    law->normal = c->hertz ? JO_NORMAL_HERTZ : JO_NORMAL_LINEAR;
    law->tangential = c->hertz ? JO_TANGENTIAL_MINDLIN : JO_TANGENTIAL_LINEAR;
    law->damping = JO_DAMPING_VISCOUS;
    law->dashpot_loads_spring = true; /* as LAMMPS and others do */
}

bool case_scene(const soft_case *c, const int copies[2], bool same_work, jo_scene *scene)
{
    *scene = jo_scene_default();
    scene->materials = calloc(1, sizeof *scene->materials);
    scene->contacts = calloc(1, sizeof *scene->contacts);
    scene->walls = calloc(1, sizeof *scene->walls);
    if (scene->materials == NULL || scene->contacts == NULL || scene->walls == NULL) {
        jo_scene_free(scene);
        return false;
    }
    scene->material_count = 1;
    snprintf(scene->materials[0].name, JO_NAME_SIZE, "grain");
    scene->materials[0].density = DENSITY;
    scene->materials[0].young = 5.625e7;
    scene->materials[0].poisson = 0.25;
    scene->contacts[0] = contact_of(c);
    set_law(c, &scene->law);

    scene->has_box = true;
    scene->leaving = JO_LEAVING_KEEP;
    scene->domain = (jo_domain){.lo = {0, 0, -10},
                                .hi = {TILE_X * copies[0], TILE_Y * copies[1], 200},
                                .periodic = {true, true, false}};
    const double lean = c->chute ? 26.0 * 3.14159265358979323846 / 180.0 : 0.0;
    scene->gravity[0] = sin(lean);
    scene->gravity[1] = 0.0;
    scene->gravity[2] = -cos(lean);
    if (!c->chute) {
        scene->walls[0] = jo_wall_default(JO_WALL_PLANE);
        scene->walls[0].normal[0] = scene->walls[0].normal[1] = 0.0;
        scene->walls[0].normal[2] = 1.0;
        scene->wall_count = 1;
    }
    scene->time_step = 1e-4;
    scene->duration = 1.0;
    if (same_work) {
        scene->skin = 0.1;
        scene->account_energy = false;
    }
    return true;
}
