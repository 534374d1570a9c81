/* examine_hard.c — what the event-driven engine asks of a scene, and what it does not have. */
#include <math.h>
#include <string.h>

#include "scene/examiner.h"

static void examine_numbers(examiner *e)
{
    const jo_scene *s = e->scene;
    const jo_hard_def *h = &s->hard;
    jo_examine_at(e, "engine.contact_duration");
    if (!isnan(h->contact_duration) &&
        !(h->contact_duration >= 0.0 && isfinite(h->contact_duration)))
        jo_complain(e, "contact_duration is %g; it must be at least 0", h->contact_duration);
    jo_examine_at(e, "engine.temperature");
    if (!isnan(h->temperature) && !(h->temperature > 0.0 && isfinite(h->temperature)))
        jo_complain(e, "temperature is %g; it must be above 0", h->temperature);
    if (isnan(h->temperature) != isnan(h->thermostat_rate))
        jo_complain(e, "a thermostat needs temperature and thermostat_rate; only one is given");
    jo_examine_at(e, "engine.thermostat_rate");
    if (!isnan(h->thermostat_rate) && !(h->thermostat_rate > 0.0 && isfinite(h->thermostat_rate)))
        jo_complain(e, "thermostat_rate is %g; it must be above 0", h->thermostat_rate);
    jo_examine_at(e, "engine.growth");
    if (!(h->growth >= 0.0 && isfinite(h->growth)))
        jo_complain(e, "growth is %g; it must be at least 0", h->growth);
    if (h->growth > 0.0 && !s->has_box)
        jo_complain(e, "growth needs a box: the solid fraction is a share of its volume");
    jo_examine_at(e, "engine.growth_until");
    if (!isnan(h->growth_until) && !(h->growth_until > 0.0 && h->growth_until < 1.0))
        jo_complain(e, "growth_until is %g; it must be between 0 and 1", h->growth_until);
    jo_examine_at(e, "engine.growth_pressure");
    if (!isnan(h->growth_pressure) && !(h->growth_pressure > 1.0 && isfinite(h->growth_pressure)))
        jo_complain(e, "growth_pressure is %g; it is p V / (N kT), and must be above 1",
                    h->growth_pressure);
    if ((!isnan(h->growth_pressure) || !isnan(h->growth_until)) && h->growth == 0.0)
        jo_warn(e, "growth_until and growth_pressure say when growth ends, but growth is 0");
    jo_examine_at(e, "engine.search");
    if (strcmp(s->broad, "auto") != 0 && strcmp(s->broad, "cells") != 0 &&
        strcmp(s->broad, "verlet") != 0)
        jo_complain(e, "engine hard has no search '%.15s'; it has auto, cells and verlet",
                    s->broad);
}

/* Bodies that fall for ever are surely not meant. */
static void examine_gravity(examiner *e)
{
    const jo_scene *s = e->scene;
    jo_examine_at(e, "gravity");
    for (int k = 0; k < s->dim; k++) {
        if (s->gravity[k] == 0.0) continue;
        if (s->has_box && s->domain.periodic[k] && s->wall_count == 0)
            jo_warn(e,
                    "gravity acts along %c, which is periodic, and no wall stops what falls: it "
                    "becomes ever faster",
                    "xyz"[k]);
        else if (s->wall_count == 0)
            jo_warn(e, "gravity acts along %c, but there is no wall: bodies fall for ever",
                    "xyz"[k]);
    }
}

void jo_examine_hard(examiner *e)
{
    const jo_scene *s = e->scene;
    examine_numbers(e);
    examine_gravity(e);
    jo_examine_at(e, "engine");
    if (!isnan(s->time_step)) jo_warn(e, "engine hard has no time_step: it is not used");
    jo_examine_at(e, "law.cohesion");
    if (s->law.cohesion != JO_COHESION_NONE)
        jo_complain(e, "engine hard has no cohesion: balls that stick never part");
    jo_examine_at(e, "box.shear_rate");
    if (s->shear_rate != 0.0) jo_complain(e, "engine hard has no Lees-Edwards shear");
    jo_examine_at(e, "box.leaving");
    if (s->has_box && s->leaving == JO_LEAVING_REMOVE)
        jo_complain(e, "engine hard removes no bodies: leaving must be alarm or keep");
    for (size_t k = 0; k < s->group_count; k++) {
        jo_examine_at(e, "bodies[%zu]", k);
        if (s->groups[k].kind == JO_GROUP_FACTORY)
            jo_complain(e, "engine hard has no factories: all bodies are there from the start");
    }
    for (size_t k = 0; k < s->wall_count; k++) {
        jo_examine_at(e, "walls[%zu]", k);
        if (s->walls[k].servo.on) jo_complain(e, "engine hard has no servos");
    }
}
