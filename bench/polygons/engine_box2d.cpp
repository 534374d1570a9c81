/* engine_box2d.cpp — the hopper in Box2D 2.4. One length unit is a centimetre: its tolerances are made for
 * bodies of about one unit. Eight velocity and three position iterations, as its manual suggests. */
#include <box2d/box2d.h>

#include <cmath>
#include <vector>

#include "hopper.h"

namespace {

struct world_box2d {
    b2World world{b2Vec2(0.0f, 0.0f)};
    std::vector<b2Body *> grain;
    b2Body *lid = nullptr;
    double time = 0.0, step = 0.0;
};

b2Body *add_segment(world_box2d &w, const hopper *h, const double s[4])
{
    b2BodyDef def;
    b2Body *body = w.world.CreateBody(&def);
    b2EdgeShape edge;
    edge.SetTwoSided(b2Vec2((float)s[0], (float)s[1]), b2Vec2((float)s[2], (float)s[3]));
    b2FixtureDef fixture;
    fixture.shape = &edge;
    fixture.friction = (float)h->friction;
    fixture.restitution = (float)h->restitution;
    body->CreateFixture(&fixture);
    return body;
}

void *create(const hopper *h, double rate)
{
    auto *w = new world_box2d;
    w->step = 1.0 / rate;
    w->world.SetGravity(b2Vec2(0.0f, (float)-h->gravity));
    for (const auto &wall : h->wall)
        add_segment(*w, h, wall);
    w->lid = add_segment(*w, h, h->lid);
    for (size_t i = 0; i < h->count; i++) {
        const hopper_grain &g = h->grain[i];
        b2BodyDef def;
        def.type = b2_dynamicBody;
        def.position.Set((float)g.x[0], (float)g.x[1]);
        def.linearVelocity.Set((float)g.v[0], (float)g.v[1]);
        b2Body *body = w->world.CreateBody(&def);
        b2Vec2 corner[HOPPER_CORNERS];
        for (size_t k = 0; k < g.n; k++)
            corner[k].Set((float)g.corner[2 * k], (float)g.corner[2 * k + 1]);
        b2PolygonShape shape;
        shape.Set(corner, (int)g.n);
        b2FixtureDef fixture;
        fixture.shape = &shape;
        fixture.density = 1.0f;
        fixture.friction = (float)h->friction;
        fixture.restitution = (float)h->restitution;
        body->CreateFixture(&fixture);
        w->grain.push_back(body);
    }
    return w;
}

void open_lid(void *world)
{
    auto *w = static_cast<world_box2d *>(world);
    w->world.DestroyBody(w->lid);
}

bool advance(void *world, double until)
{
    auto *w = static_cast<world_box2d *>(world);
    for (; w->time < until - 0.5 * w->step; w->time += w->step)
        w->world.Step((float)w->step, 8, 3);
    return true;
}

void poses(void *world, hopper_pose *out)
{
    auto *w = static_cast<world_box2d *>(world);
    for (size_t i = 0; i < w->grain.size(); i++) {
        const b2Transform &t = w->grain[i]->GetTransform();
        out[i] = {{t.p.x, t.p.y}, std::atan2((double)t.q.s, (double)t.q.c)};
    }
}

void destroy(void *world)
{
    delete static_cast<world_box2d *>(world);
}

} // namespace

extern "C" const hopper_engine engine_box2d = {"Box2D 2.4", true,  create, open_lid,
                                               advance,     poses, destroy};
