/* law_parts.c — what a contact law can be composed of, in one line each. The names are those of
 * scene files (schema.c). */
#include "jostle/model.h"

static const jo_law_part_info parts[] = {
    {"normal", "linear", "a spring: F = k d"},
    {"normal", "hertz", "Hertz's law: F = K sqrt(R) d^(3/2), from moduli or a stiffness"},
    {"normal", "energy",
     "spring and dashpot made from the duration of a collision (Pournin, Liebling)"},
    {"damping", "none", "nothing is lost along the normal"},
    {"damping", "restitution",
     "a dashpot that gives the restitution asked for at every speed (Tsuji)"},
    {"damping", "viscous", "a dashpot with a coefficient"},
    {"tangential", "none", "no friction"},
    {"tangential", "linear", "a spring with history, cut at Coulomb's limit"},
    {"tangential", "mindlin", "the same with Mindlin's stiffness, which grows with the contact"},
    {"tangential", "mindlin_force", "the force itself carried along, by increments"},
    {"rolling", "none", "bodies roll freely"},
    {"rolling", "constant", "a torque against rolling, proportional to the load"},
    {"rolling", "epsd", "elastic-plastic spring and dashpot: heaps stay (Ai et al. 2011)"},
    {"cohesion", "none", "bodies do not attract each other"},
    {"cohesion", "jkr", "adhesion of elastic spheres (Johnson, Kendall, Roberts); with hertz"},
    {"cohesion", "sjkr", "attraction proportional to the area of contact"},
    {"cohesion", "liquid", "pendular bridges of liquid, until they break"},
};

JO_API const jo_law_part_info *jo_law_part(size_t k)
{
    return k < sizeof parts / sizeof *parts ? &parts[k] : NULL;
}
