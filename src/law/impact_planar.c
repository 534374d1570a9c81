/* impact_planar.c — planar impacts with friction by Routh's construction (Wang & Mason 1992).
 *
 * While normal impulse P grows from 0, the tangential one follows a path of at most two straight
 * pieces:
 *
 *   sliding with the sign s of the first slip, dpx/dP = -s mu, until the slip ends at P = turn,
 * where s S0 = (mu b1 + s b3) turn; never, if that bracket is not positive; then sticking, dpx/dP =
 * b3/b1, if friction can hold it (|b3| <= mu b1), else sliding the other way, dpx/dP = s mu.
 *
 * Along it the normal velocity C is a line of slope k1 = b2 + s mu b3, then of slope k2 > 0.
 * Compression ends where C = 0. This is the same as the table of cases of Wang & Mason, whose
 * conditions P_d <= P_q and P_d < (1 + e) P_q say on which piece compression and the impact end.
 *
 * k1 can be negative (a tip that digs in): then slip always ends during compression, as
 * b1 b2 > b3^2 makes the bracket positive. After compression C only grows, so that a least speed of
 * parting is always reached. Cost: some thirty operations. */
#include "law/impact_planar.h"

#include <math.h>

typedef struct impact_path {
    double start;         /* C at P = 0 */
    double along, turned; /* dpx/dP on the first and the second piece */
    double k1, k2;        /* dC/dP on them */
    double turn;          /* P where the first piece ends; may be INFINITY */
    bool sticks;          /* the second piece */
} impact_path;

planar_contact jo_planar_contact(const planar_body *one, const planar_body *two,
                                 const double arm1[2], const double arm2[2], const double n[2])
{
    const double t[2] = {n[1], -n[0]};
    const double x1 = arm1[0] * t[0] + arm1[1] * t[1], y1 = arm1[0] * n[0] + arm1[1] * n[1];
    const double x2 = arm2[0] * t[0] + arm2[1] * t[1], y2 = arm2[0] * n[0] + arm2[1] * n[1];
    const double i1 = one->inverse_inertia, i2 = two->inverse_inertia;
    const double m = one->inverse_mass + two->inverse_mass;
    const double v[2] = {
        (one->v[0] - one->spin * arm1[1]) - (two->v[0] - two->spin * arm2[1]),
        (one->v[1] + one->spin * arm1[0]) - (two->v[1] + two->spin * arm2[0]),
    };
    return (planar_contact){.b1 = m + y1 * y1 * i1 + y2 * y2 * i2,
                            .b2 = m + x1 * x1 * i1 + x2 * x2 * i2,
                            .b3 = x1 * y1 * i1 + x2 * y2 * i2,
                            .slide = v[0] * t[0] + v[1] * t[1],
                            .normal = v[0] * n[0] + v[1] * n[1]};
}

static impact_path find_path(const planar_contact *c, double friction)
{
    const double s = c->slide < 0.0 ? -1.0 : 1.0;
    const double slowing = friction * c->b1 + s * c->b3; /* of the slip, per normal impulse */
    impact_path p = {.start = c->normal,
                     .along = -s * friction,
                     .k1 = c->b2 + s * friction * c->b3,
                     .turn = slowing > 0.0 ? s * c->slide / slowing : (double)INFINITY,
                     .sticks = fabs(c->b3) <= friction * c->b1};
    p.turned = p.sticks ? c->b3 / c->b1 : s * friction;
    p.k2 = c->b2 - c->b3 * p.turned;
    return p;
}

static double tangential(const impact_path *p, double py)
{
    return py <= p->turn ? p->along * py : p->along * p->turn + p->turned * (py - p->turn);
}

/* The normal impulse at which the normal velocity has come up to c >= 0. */
static double reaching(const impact_path *p, double c)
{
    const double at_turn = p->start + p->k1 * p->turn;
    if (p->turn == (double)INFINITY || (p->k1 > 0.0 && at_turn >= c)) return (c - p->start) / p->k1;
    return p->turn + (c - at_turn) / p->k2;
}

static double energy_change(const planar_contact *c, double px, double py)
{
    const double slide = 2.0 * c->slide + c->b1 * px - c->b3 * py;
    const double normal = 2.0 * c->normal - c->b3 * px + c->b2 * py;
    return 0.5 * (slide * px + normal * py);
}

static planar_mode mode_of(const impact_path *p, double compression, double end)
{
    if (end <= p->turn) return PLANAR_SLIDING;
    if (p->turn <= compression)
        return p->sticks ? PLANAR_STICKS_COMPRESSION : PLANAR_REVERSE_COMPRESSION;
    return p->sticks ? PLANAR_STICKS_RESTITUTION : PLANAR_REVERSE_RESTITUTION;
}

static planar_impulse impulse_at(const planar_contact *c, const impact_path *p, double compression,
                                 double end)
{
    planar_impulse out = {.mode = mode_of(p, compression, end), .py = end};
    out.px = tangential(p, end);
    out.lost = -energy_change(c, out.px, out.py);
    return out;
}

planar_impulse jo_planar_impact(const planar_contact *contact, double friction, double restitution,
                                double least)
{
    const planar_impulse none = {.mode = PLANAR_APART};
    if (!(contact->normal <= 0.0)) return none;
    const impact_path path = find_path(contact, friction);
    if (contact->normal == 0.0 && path.k1 >= 0.0) return none;
    const double compression = reaching(&path, 0.0);
    const double end = (1.0 + restitution) * compression;
    planar_impulse out = impulse_at(contact, &path, compression, end);
    const double enough = least > 0.0 ? reaching(&path, least) : 0.0;
    if (enough > end) {
        const double lost = out.lost;
        out = impulse_at(contact, &path, compression, enough);
        if (out.lost < lost) { /* else friction takes more than the push gives */
            out.added = lost - out.lost;
            out.lost = lost;
        }
    }
    return out;
}

planar_impulse jo_planar_impact_newton(const planar_contact *contact, double friction,
                                       double restitution)
{
    if (!(contact->normal < 0.0)) return (planar_impulse){.mode = PLANAR_APART};
    const impact_path path = find_path(contact, friction);
    return impulse_at(contact, &path, reaching(&path, 0.0),
                      reaching(&path, -restitution * contact->normal));
}

void jo_planar_apply(const planar_impulse *impulse, planar_body *one, planar_body *two,
                     const double arm1[2], const double arm2[2], const double n[2])
{
    const double j[2] = {impulse->px * n[1] + impulse->py * n[0],
                         impulse->py * n[1] - impulse->px * n[0]};
    for (int k = 0; k < 2; k++) {
        one->v[k] += one->inverse_mass * j[k];
        two->v[k] -= two->inverse_mass * j[k];
    }
    one->spin += one->inverse_inertia * (arm1[0] * j[1] - arm1[1] * j[0]);
    two->spin -= two->inverse_inertia * (arm2[0] * j[1] - arm2[1] * j[0]);
}
