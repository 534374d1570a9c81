/* impact.c — impact laws from a scene's materials. */
#include "law/impact.h"

void jo_impact_prepare(const jo_scene *scene, impact_pair *pairs)
{
    const size_t n = scene->material_count;
    for (size_t k = 0; k < n * n; k++) {
        const jo_contact_def *c = &scene->contacts[k];
        pairs[k].restitution = isnan(c->restitution) ? 1.0 : c->restitution;
        pairs[k].speed = isnan(c->restitution_speed) ? 0.0 : c->restitution_speed;
        pairs[k].friction = isnan(c->friction) ? 0.0 : c->friction;
        pairs[k].tangential = isnan(c->tangential_restitution) ? 0.0 : c->tangential_restitution;
    }
}
