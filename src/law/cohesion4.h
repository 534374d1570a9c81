/* cohesion4.h — cohesion, four contacts at a time; a part of contact4.h.
 *
 * JKR (Johnson, Kendall and Roberts 1971). With E = 3/4 K_n and the length b = (pi w R^2 / 8
 * E)^(1/3) the contact radius a = b s^2 obeys   d = (b^2 / R) (s^4 - 4 s),   and F = pi w R / 6
 * (s^6 - 6 s^3),   U = pi w b^2 (s^10 / 15 - 2/3 s^7 + s^4), U being elastic and surface energy
 * together, 0 apart. At s = 1 the overlap is smallest, -3 b^2 / R: there the contact breaks when it
 * is pulled apart; the largest pull on the way is 3/2 pi w R. The quartic is solved in closed form:
 * with D = d R / b^2 and the real root of u^3 + D u - 2 = 0, s = (sqrt(2 u) + sqrt(4 sqrt(2 / u) -
 * 2 u)) / 2.
 *
 * SJKR: F = -k A with the area A = 2 pi R d of the circle in which the undeformed spheres
 * intersect, to leading order in d / R.
 *
 * Liquid bridge of volume V that forms on touching. Willett et al. (2000): at gap S
 *     F = -2 pi (2 R) gamma cos(theta) / (1 + 1.05 S' + 2.5 S'^2),   S' = S sqrt(2 R / V),
 * 2 R being Derjaguin's mean of the radii; constant while the bodies touch. It breaks at
 * S = (1 + theta / 2) V^(1/3) (Lian, Thornton and Adams 1993).
 *
 * Functions that are not inlined take vectors, not the contact: else all of it would have to be in
 * memory, for the laws without cohesion, too.
 *
 * Energy. Contacts begin and end with jumps of the force. What the jump into contact sets free and
 * what the jump out of it leaves is dissipated: law_snap and law_parting account it. */
#ifndef JO_LAW_COHESION4_H
#define JO_LAW_COHESION4_H

#ifndef JO_LAW_CONTACT4_H
#error "include law/contact4.h"
#endif

static const double law_pi = 3.14159265358979323846;

/* A force (positive: repulsion) and the energy it derives from. */
typedef struct bond4 {
    vec4 force, energy;
} bond4;

typedef struct jkr4 {
    vec4 radius, force, energy, slope; /* slope: how the force grows with the overlap */
} jkr4;

LAW_INLINE vec4 law_cbrt(vec4 a)
{
    for (int l = 0; l < JO_LANES; l++)
        a[l] = cbrt(a[l]);
    return a;
}

/* The real root of u^3 + D u - 2, D >= -3. The cubic is convex where its root lies, so that
 * Newton's steps converge from either side; from these starts six reach the last bit. */
LAW_INLINE vec4 law_jkr_root(vec4 D)
{
    const vec4 low = v4_all(1.2599210498948732) - v4_all(0.24669298336837558) * D;
    const vec4 high = v4_all(2) / (v4_max(D, v4_zero()) + v4_all(1.5874010519681994));
    vec4 u = v4_pick(D < v4_zero(), low, high);
    for (int i = 0; i < 6; i++) {
        const vec4 square = u * u;
        u -= (u * (square + D) - v4_all(2)) / (v4_all(3) * square + D);
    }
    return u;
}

LAW_RARE jkr4 law_jkr_at(vec4 kn, vec4 adhesion, vec4 radius, vec4 overlap)
{
    const vec4 work = v4_all(law_pi) * adhesion, tiny = v4_all(1e-300);
    const vec4 cube = work * radius * radius / (v4_all(6) * kn);
    const vec4 b = law_cbrt(cube);
    const vec4 D = v4_max(overlap * radius / v4_max(b * b, tiny), v4_all(-3));
    const vec4 u = law_jkr_root(D);
    const vec4 rest = v4_all(4) * v4_sqrt(v4_all(2) / u) - v4_all(2) * u;
    const vec4 s = v4_all(0.5) * (v4_sqrt(v4_all(2) * u) + v4_sqrt(v4_max(rest, v4_zero())));
    const vec4 s3 = s * s * s, s4 = s * s3;
    /* Without adhesion: Hertz. */
    const mask4 sticks = adhesion > v4_zero();
    const vec4 depth = v4_max(overlap, v4_zero()), root = v4_sqrt(radius * depth);
    const vec4 hertz = kn * root * depth;
    const vec4 energy = s4 * (s3 * s3 / v4_all(15) - v4_all(2.0 / 3.0) * s3 + v4_all(1));
    const vec4 radius4 = v4_pick(sticks, b * s * s, root);
    const vec4 share = (s3 - v4_all(3)) / v4_max(s3 - v4_all(1), v4_all(1e-9));
    return (jkr4){.radius = radius4,
                  .slope = v4_all(1.5) * kn * radius4 * v4_pick(sticks, share, v4_all(1)),
                  .force =
                      v4_pick(sticks, work * radius / v4_all(6) * s3 * (s3 - v4_all(6)), hertz),
                  .energy = v4_pick(sticks, work * b * b * energy, v4_all(0.4) * hertz * depth)};
}

LAW_INLINE jkr4 law_jkr(const contact4 *k, vec4 overlap)
{
    return law_jkr_at(k->c.kn, k->c.adhesion, k->radius, overlap);
}

LAW_INLINE bond4 law_sjkr(const contact4 *k, vec4 overlap)
{
    const vec4 depth = v4_max(overlap, v4_zero());
    const vec4 pull = v4_all(2 * law_pi) * k->c.adhesion * k->radius * depth;
    return (bond4){-pull, v4_all(-0.5) * pull * depth};
}

/* The integral of 1 / (1 + 1.05 x + 2.5 x^2) from x to y. */
static inline double law_bridge_integral(double x, double y)
{
    const double root = sqrt(4 * 2.5 - 1.05 * 1.05);
    return 2 / root * (atan((5 * y + 1.05) / root) - atan((5 * x + 1.05) / root));
}

/* The energy is 0 at the gap where the bridge breaks. */
LAW_RARE bond4 law_liquid_at(vec4 adhesion, vec4 reach, vec4 bridge, vec4 radius, vec4 overlap)
{
    const vec4 mean = v4_all(2) * radius, scale = v4_sqrt(mean) * bridge;
    const vec4 gap = v4_max(-overlap, v4_zero()), x = gap * scale;
    const vec4 most = adhesion * mean;
    bond4 bond = {-most / (v4_all(1) + v4_all(1.05) * x + v4_all(2.5) * x * x), v4_zero()};
    for (int l = 0; l < JO_LANES; l++)
        if (scale[l] > 0)
            bond.energy[l] = -most[l] * (law_bridge_integral(x[l], reach[l] * scale[l]) / scale[l] +
                                         (overlap[l] > 0 ? overlap[l] : 0));
    return bond;
}

/* A bridge's force does not change while bodies touch and falls steeply from there on: a kink where
 * they part or meet, between `inside`, the overlap on its inner side, and the gap way - inside on
 * the outer one. This is what the integrator's sum of forces times ways takes more from the bodies
 * than the bridge does, from the kink on outwards: the step over it, three ways after it, and the
 * trapezoidal rule's own error from there. Ways change: `inner` is that before the kink, `outer`
 * the first after it, which the bridge shortens by `slows` times its force. */
LAW_RARE vec4 law_bridge_excess(vec4 adhesion, vec4 reach, vec4 bridge, vec4 radius, vec4 inside,
                                vec4 way, vec4 inner, vec4 outer, vec4 slows)
{
    enum { WAYS = 3 };
    const vec4 half = v4_all(0.5), twelfth = v4_all(1.0 / 12.0), least = v4_all(0.25) * outer;
    const vec4 scale = v4_sqrt(v4_all(2) * radius) * bridge;
    bond4 at = law_liquid_at(adhesion, reach, bridge, radius, inside);
    vec4 gap = way - inside, excess = v4_zero(), now = way, next = outer, before = inner;
    for (int j = 0; j <= WAYS; j++) {
        const bond4 then = law_liquid_at(adhesion, reach, bridge, radius, -gap);
        excess -= half * (at.force + then.force) * now + then.energy - at.energy +
                  twelfth * (then.force - at.force) * (next - before);
        at = then;
        before = now;
        now = next;
        if (j == WAYS) break;
        gap += now;
        next = v4_max(now + slows * at.force, least);
    }
    const vec4 x = gap * scale, fall = v4_all(1) + v4_all(1.05) * x + v4_all(2.5) * x * x;
    const vec4 slope = at.force * scale * (v4_all(1.05) + v4_all(5) * x) / fall;
    const vec4 mean = half * (before + now);
    return excess - slope * mean * mean * twelfth;
}

/* Cohesion at an overlap; with jkr the spring is part of it. */
LAW_INLINE bond4 law_cohesion(const jo_law *parts, const contact4 *k, vec4 overlap)
{
    if (parts->cohesion == JO_COHESION_JKR) {
        const jkr4 j = law_jkr(k, overlap);
        return (bond4){j.force, j.energy};
    }
    if (parts->cohesion == JO_COHESION_SJKR) return law_sjkr(k, overlap);
    return law_liquid_at(k->c.adhesion, k->c.reach, k->c.bridge, k->radius, overlap);
}

/* The gap at which a contact breaks. */
LAW_INLINE vec4 law_gap(const jo_law *parts, const contact4 *k)
{
    if (parts->cohesion != JO_COHESION_JKR) return k->c.reach;
    return k->c.reach * law_cbrt(k->radius);
}

/* What friction lives on: `press`, spring and dashpot; with jkr the load that would press as hard
 * without adhesion, twice the pull-off force more (Thornton and Yin 1991). */
LAW_INLINE vec4 law_press(const jo_law *parts, const contact4 *k, vec4 press)
{
    if (parts->cohesion != JO_COHESION_JKR) return press;
    return press + v4_all(3 * law_pi) * k->c.adhesion * k->radius;
}

/* A bond's part in the account's own term dt^2 (slope of the force) v^2 / 12 (measure.c), `way`
 * being the normal velocity times the step. The slope is that over half a way deeper: at the end of
 * a jkr contact it is infinite. */
LAW_INLINE vec4 law_bond_bend(const jo_law *parts, const contact4 *k, vec4 overlap, vec4 force,
                              vec4 way)
{
    const vec4 half = v4_all(0.5) * v4_max(v4_max(k->closed, -k->closed), v4_all(1e-300));
    const vec4 slope = (law_cohesion(parts, k, overlap + half).force - force) / half;
    return slope * way * way * v4_all(1.0 / 12.0);
}

/* What the jump into contact sets free. With jkr that is the energy at the edge, law_edge having
 * made the force do just that; where contact began otherwise, and for bridges: work done over the
 * step less energy gained, as the integrator does it (see law_spring_loss). `more` is what other
 * forces began with. */
LAW_INLINE vec4 law_snap(const jo_law *parts, const contact4 *k, mask4 in, vec4 more)
{
    if (parts->cohesion == JO_COHESION_SJKR || !v4_any(k->fresh & k->on)) return v4_zero();
    const bond4 bond = law_cohesion(parts, k, k->overlap);
    const vec4 way = k->vn * k->step, f = bond.force;
    const vec4 work = f * (v4_all(1.0 / 6.0) * k->closed - v4_all(1.0 / 3.0) * way) -
                      k->step * k->step * f * (f + more) / (v4_all(12) * k->mass);
    vec4 free = work - bond.energy - law_bond_bend(parts, k, k->overlap, f, way);
    if (parts->cohesion == JO_COHESION_JKR)
        free = v4_pick(in, -law_cohesion(parts, k, v4_zero()).energy, free);
    return v4_only(k->fresh, free);
}

/* The same of a contact that has just ended; `pull` was the dashpot's force. */
LAW_INLINE vec4 law_snap_off(const jo_law *parts, const contact4 *k, mask4 out, vec4 gap)
{
    const vec4 overlap = k->overlap - k->closed, way = k->vn * k->step;
    const bond4 bond = law_cohesion(parts, k, overlap);
    const vec4 f = bond.force, way_before = v4_all(-2) * k->closed - way;
    const vec4 left = f * (v4_all(5.0 / 6.0) * k->closed + v4_all(1.0 / 3.0) * way) -
                      k->step * k->step * f * (f + k->pull) / (v4_all(12) * k->mass) + bond.energy +
                      law_bond_bend(parts, k, overlap, f, way_before);
    if (parts->cohesion != JO_COHESION_JKR) return left;
    return v4_pick(out, law_cohesion(parts, k, -gap).energy, left);
}

#endif
