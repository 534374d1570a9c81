/* examine_laws.c — materials, what they do at contact, and whether the law has what it needs.
 *
 * Only pairs that can meet are asked for values: two materials of bodies, or one of a body and one
 * of a wall. */
#include <math.h>
#include <string.h>

#include "scene/examiner.h"

typedef struct usage {
    bool body[JO_MATERIALS_MAX], wall[JO_MATERIALS_MAX];
} usage;

static usage used_materials(const jo_scene *s)
{
    usage u = {0};
    for (size_t k = 0; k < s->group_count; k++) {
        const jo_group *g = &s->groups[k];
        if (g->kind == JO_GROUP_EXPLICIT)
            for (size_t i = 0; i < g->listed.n; i++) {
                if (g->listed.material[i] < s->material_count) u.body[g->listed.material[i]] = true;
            }
        else if (g->material < s->material_count)
            u.body[g->material] = true;
    }
    for (size_t k = 0; k < s->wall_count; k++)
        if (s->walls[k].material < s->material_count) u.wall[s->walls[k].material] = true;
    return u;
}

/* Hard balls read restitution and friction alone, and have no need of either. */
static bool is_hard(const jo_scene *s)
{
    return strncmp(s->engine, "soft", sizeof s->engine) != 0;
}

static void examine_material(examiner *e, size_t k, const usage *u)
{
    const jo_material *m = &e->scene->materials[k];
    jo_examine_at(e, "materials[%zu]", k);
    if (m->name[0] == '\0') jo_complain(e, "material number %zu has no name", k + 1);
    for (size_t j = 0; j < k; j++)
        if (strcmp(e->scene->materials[j].name, m->name) == 0)
            jo_complain(e, "there are two materials '%s'", m->name);
    if (u->body[k] && isnan(m->density))
        jo_complain(e, "material '%s' needs 'density': bodies are made of it", m->name);
    else if (!isnan(m->density) && !(m->density > 0.0 && isfinite(m->density)))
        jo_complain(e, "material '%s' has density %g; it must be above 0", m->name, m->density);
    if (!isnan(m->young) && !(m->young > 0.0 && isfinite(m->young)))
        jo_complain(e, "material '%s' has young %g; it must be above 0", m->name, m->young);
    if (!isnan(m->poisson) && !(m->poisson > -1.0 && m->poisson <= 0.5))
        jo_complain(e, "material '%s' has poisson %g; it must be above -1 and at most 0.5", m->name,
                    m->poisson);
}

/* ---- pairs ---- */

typedef struct bound {
    const char *name;
    size_t offset;
    double lo, hi;
    bool above;
} bound;

#define FIELD(f) offsetof(jo_contact_def, f)
static const bound bounds[] = {
    {"stiffness", FIELD(normal_stiffness), 0.0, (double)INFINITY, true},
    {"tangential_stiffness", FIELD(tangential_stiffness), 0.0, (double)INFINITY, true},
    {"contact_time", FIELD(contact_time), 0.0, (double)INFINITY, true},
    {"restitution", FIELD(restitution), 0.0, 1.0, true},
    {"restitution_speed", FIELD(restitution_speed), 0.0, (double)INFINITY, true},
    {"tangential_restitution", FIELD(tangential_restitution), -1.0, 1.0, false},
    {"damping", FIELD(normal_damping), 0.0, (double)INFINITY, false},
    {"tangential_damping", FIELD(tangential_damping), 0.0, (double)INFINITY, false},
    {"friction", FIELD(friction), 0.0, (double)INFINITY, false},
    {"rolling_friction", FIELD(rolling_friction), 0.0, (double)INFINITY, false},
    {"rolling_stiffness", FIELD(rolling_stiffness), 0.0, (double)INFINITY, true},
    {"rolling_damping", FIELD(rolling_damping), 0.0, (double)INFINITY, false},
    {"surface_energy", FIELD(surface_energy), 0.0, (double)INFINITY, false},
    {"cohesion_density", FIELD(cohesion_density), 0.0, (double)INFINITY, false},
    {"liquid_volume", FIELD(liquid_volume), 0.0, (double)INFINITY, false},
    {"surface_tension", FIELD(surface_tension), 0.0, (double)INFINITY, false},
    {"wetting_angle", FIELD(wetting_angle), 0.0, 1.5707963267948966, false},
};

static void examine_values(examiner *e, const jo_contact_def *c, const char *a, const char *b)
{
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        double value;
        memcpy(&value, (const char *)c + bounds[k].offset, sizeof value);
        if (isnan(value)) continue;
        const bool low = bounds[k].above ? !(value > bounds[k].lo) : !(value >= bounds[k].lo);
        if (low || value > bounds[k].hi || isinf(value))
            jo_complain(e, "%s between '%s' and '%s' is %g, out of its bounds", bounds[k].name, a,
                        b, value);
    }
}

static bool has_moduli(const jo_material *m)
{
    return !isnan(m->young) && !isnan(m->poisson);
}

/* What the law needs of a pair that meets. */
static void examine_needs(examiner *e, const jo_contact_def *c, const jo_material *a,
                          const jo_material *b)
{
    const jo_law *law = &e->scene->law;
    const bool moduli = has_moduli(a) && has_moduli(b);
    const char *lacking = has_moduli(a) ? b->name : a->name;
    if (law->normal == JO_NORMAL_HERTZ && isnan(c->normal_stiffness) && !moduli)
        jo_complain(
            e,
            "law.normal hertz needs 'young' and 'poisson' of material '%s', or a 'stiffness' "
            "between '%s' and '%s'",
            lacking, a->name, b->name);
    else if (law->normal == JO_NORMAL_LINEAR && isnan(c->normal_stiffness))
        jo_complain(e, "law.normal linear needs 'stiffness' between '%s' and '%s'", a->name,
                    b->name);
    else if (law->normal == JO_NORMAL_ENERGY && isnan(c->contact_time))
        jo_complain(e, "law.normal energy needs 'contact_time' between '%s' and '%s'", a->name,
                    b->name);
    else if (law->normal == JO_NORMAL_ENERGY &&
             !(isnan(c->normal_stiffness) && isnan(c->tangential_stiffness)))
        jo_complain(e,
                    "law.normal energy makes the stiffness between '%s' and '%s' from "
                    "'contact_time'; leave it out",
                    a->name, b->name);
    else if (law->cohesion == JO_COHESION_JKR && !moduli && c->surface_energy > 0.0 &&
             isnan(c->normal_stiffness))
        jo_complain(e, "law.cohesion jkr needs 'young' and 'poisson' of material '%s'", lacking);
    const bool mindlin =
        law->tangential == JO_TANGENTIAL_MINDLIN || law->tangential == JO_TANGENTIAL_MINDLIN_FORCE;
    if (mindlin && isnan(c->tangential_stiffness) && !moduli &&
        !(law->normal == JO_NORMAL_HERTZ && isnan(c->normal_stiffness)))
        jo_complain(e,
                    "law.tangential mindlin needs 'young' and 'poisson' of material '%s', or a "
                    "'tangential_stiffness' between '%s' and '%s'",
                    lacking, a->name, b->name);
    if (law->tangential == JO_TANGENTIAL_LINEAR && law->normal == JO_NORMAL_HERTZ &&
        isnan(c->tangential_stiffness))
        jo_complain(
            e,
            "law.tangential linear with hertz needs 'tangential_stiffness' between '%s' and '%s'",
            a->name, b->name);
    if (law->damping == JO_DAMPING_RESTITUTION && isnan(c->restitution))
        jo_complain(e, "law.damping restitution needs 'restitution' between '%s' and '%s'", a->name,
                    b->name);
    if (law->damping == JO_DAMPING_VISCOUS && isnan(c->normal_damping))
        jo_complain(e, "law.damping viscous needs 'damping' between '%s' and '%s'", a->name,
                    b->name);
    if (law->cohesion == JO_COHESION_LIQUID && c->liquid_volume > 0.0 &&
        !(c->surface_tension > 0.0))
        jo_complain(e, "law.cohesion liquid needs 'surface_tension' between '%s' and '%s'", a->name,
                    b->name);
}

static void examine_pair(examiner *e, size_t i, size_t j, const usage *u)
{
    const jo_scene *s = e->scene;
    const jo_contact_def *c = &s->contacts[i * s->material_count + j];
    const jo_contact_def *back = &s->contacts[j * s->material_count + i];
    const jo_material *a = &s->materials[i], *b = &s->materials[j];
    jo_examine_at(e, "materials[%zu]", i);
    examine_values(e, c, a->name, b->name);
    const double *there = (const double *)c, *here = (const double *)back;
    for (size_t k = 0; k < sizeof *c / sizeof *there; k++)
        if (there[k] != here[k] && !(isnan(there[k]) && isnan(here[k]))) {
            jo_complain(e, "the contact of '%s' with '%s' is not that of '%s' with '%s'", a->name,
                        b->name, b->name, a->name);
            break;
        }
    const bool meet = (u->body[i] && (u->body[j] || u->wall[j])) || (u->wall[i] && u->body[j]);
    if (meet && !is_hard(s)) examine_needs(e, c, a, b);
}

/* Values that the chosen law does not read: they may be there for another law, but perhaps not. */
static void examine_unread(examiner *e)
{
    const jo_scene *s = e->scene;
    const jo_law *law = &s->law;
    const jo_contact_def most = {0};
    jo_contact_def largest = most;
    for (size_t k = 0; k < s->material_count * s->material_count; k++) {
        const jo_contact_def *c = &s->contacts[k];
        largest.friction = fmax(largest.friction, c->friction);
        largest.rolling_friction = fmax(largest.rolling_friction, c->rolling_friction);
        largest.surface_energy = fmax(largest.surface_energy, c->surface_energy);
        largest.cohesion_density = fmax(largest.cohesion_density, c->cohesion_density);
        largest.liquid_volume = fmax(largest.liquid_volume, c->liquid_volume);
    }
    jo_examine_at(e, "law");
    if (largest.friction > 0.0 && law->tangential == JO_TANGENTIAL_NONE)
        jo_warn(e, "materials have friction, but law.tangential is none: it is not used");
    if (largest.rolling_friction > 0.0 && law->rolling == JO_ROLLING_NONE)
        jo_warn(e, "materials have rolling_friction, but law.rolling is none: it is not used");
    if (!(largest.rolling_friction > 0.0) && law->rolling != JO_ROLLING_NONE)
        jo_warn(e, "no materials have rolling_friction: law.rolling does nothing");
    if (!(largest.surface_energy > 0.0) && law->cohesion == JO_COHESION_JKR)
        jo_warn(e, "no materials have surface_energy: law.cohesion does nothing");
    if (!(largest.cohesion_density > 0.0) && law->cohesion == JO_COHESION_SJKR)
        jo_warn(e, "no materials have cohesion_density: law.cohesion does nothing");
    if (!(largest.liquid_volume > 0.0) && law->cohesion == JO_COHESION_LIQUID)
        jo_warn(e, "no materials have liquid_volume: law.cohesion does nothing");
    if (largest.surface_energy > 0.0 && law->cohesion != JO_COHESION_JKR)
        jo_warn(e, "materials have surface_energy, but law.cohesion is not jkr: it is not used");
    if (largest.cohesion_density > 0.0 && law->cohesion != JO_COHESION_SJKR)
        jo_warn(e, "materials have cohesion_density, but law.cohesion is not sjkr: it is not used");
    if (largest.liquid_volume > 0.0 && law->cohesion != JO_COHESION_LIQUID)
        jo_warn(e, "materials have liquid_volume, but law.cohesion is not liquid: it is not used");
}

void jo_examine_laws(examiner *e)
{
    const jo_scene *s = e->scene;
    jo_examine_at(e, "law.cohesion");
    if (s->law.cohesion == JO_COHESION_JKR && s->law.normal != JO_NORMAL_HERTZ)
        jo_complain(e, "law.cohesion jkr goes with law.normal hertz alone");
    jo_examine_at(e, "law.tangential");
    if (s->law.normal == JO_NORMAL_ENERGY && s->law.tangential != JO_TANGENTIAL_NONE &&
        s->law.tangential != JO_TANGENTIAL_LINEAR)
        jo_complain(e, "law.normal energy goes with law.tangential none or linear");
    jo_examine_at(e, "materials");
    if (s->material_count == 0 || s->materials == NULL || s->contacts == NULL) {
        jo_complain(e, "there are no materials; at least one is needed");
        return;
    }
    if (s->material_count > JO_MATERIALS_MAX) {
        jo_complain(e, "there are %zu materials; at most %d are possible", s->material_count,
                    JO_MATERIALS_MAX);
        return;
    }
    const usage u = used_materials(s);
    for (size_t k = 0; k < s->material_count; k++)
        examine_material(e, k, &u);
    for (size_t i = 0; i < s->material_count; i++)
        for (size_t j = i; j < s->material_count; j++)
            examine_pair(e, i, j, &u);
    if (!is_hard(s)) examine_unread(e);
}
