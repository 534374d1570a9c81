/* edge4.h — where a spring begins or ends within a step, four contacts at a time; a part of
 * contact4.h.
 *
 * Forces are known once a step, and the integrator lets each act over half the way before and half
 * the way after. Within a contact that sum is as good as the trapezoidal rule. Where contact begins
 * or ends it is not: the force has a kink there, or a jump (jkr), somewhere between two steps. What
 * the sum misses is known, though. With x the overlap on the inner side, w the way of the step that
 * crosses the edge, w' the next way further in, and the spring's energy U, which is U0 at the edge,
 * the sum gives F(x) w / 2 + T(x)     where     U(x) - U0     is right, T being what the
 * trapezoidal rule errs by from x inwards: -F' w w' / 12 for a linear spring; for hertz, which is
 * no smooth function there, Hurwitz's zeta function at -3/2 (Navot 1961) less the first terms; jkr,
 * whose force may change as a whole within a way, is followed for three ways inwards. A force that
 * begins changes the ways themselves, which gives F(x) (w' - w'') / 12 more, w'' being the way
 * before: see law_spring_loss. A liquid bridge, whose force has a kink where the spring begins or
 * ends, is followed for three ways outwards in the same manner (law_bridge_excess).
 *
 * So one more force e acts, once: when contact has begun at the first overlap, when it has ended at
 * the first gap, where all of this is known; it acts over the mean of the ways before and after,
 * the latter of which it changes by e dt^2 / m. When contact begins that changes by the same share
 * what T and F' do from there on, (e dt^2 / m) F' w / 6 together; when it ends nothing comes after.
 * A collision keeps its energy a hundred times better with this force at usual steps, and what a
 * jump of the force does no longer depends on when in the step it came. */
#ifndef JO_LAW_EDGE4_H
#define JO_LAW_EDGE4_H

#ifndef JO_LAW_CONTACT4_H
#error "include law/contact4.h"
#endif

/* Edges that were crossed within the last step. */
typedef struct crossing4 {
    mask4 in, out;
} crossing4;

/* `on` are the contacts now. Laws with bridges have springs that begin and end within a contact.
 * What was a contact without overlap is none of these: it came from the next face of a mesh. */
LAW_INLINE crossing4 law_crossings(const jo_law *parts, const contact4 *k, mask4 on, vec4 gap)
{
    const vec4 none = v4_zero();
    const mask4 was = k->on & ~k->fresh;
    crossing4 c = {.in = on & k->fresh & (k->overlap < k->closed), .out = v4_none()};
    if (parts->cohesion == JO_COHESION_JKR)
        c.out = was & ~on & (k->closed < none) & (k->overlap - k->closed > -gap);
    else
        c.out = was & (k->overlap < none) & (k->overlap > k->closed);
    if (parts->cohesion == JO_COHESION_LIQUID)
        c.in |= was & (k->overlap >= none) & (k->overlap < k->closed);
    return c;
}

/* What the edge is about, lane by lane. */
typedef struct edge4 {
    vec4 inside;  /* overlap on the inner side */
    vec4 way;     /* over the edge, > 0 */
    vec4 further; /* the next way on the inner side, over `way` */
} edge4;

/* A way next to the edge as predicted, within bounds. */
LAW_INLINE vec4 law_edge_way(const edge4 *e, vec4 way)
{
    return v4_max(v4_all(0.5) * e->way, v4_min(v4_all(2) * e->way, way));
}

/* Each of the following is U(x) - U0 - F(x) w / 2 - T(x). */

LAW_INLINE vec4 law_edge_linear(vec4 stiffness, const edge4 *e)
{
    return v4_all(0.5) * stiffness *
           (e->inside * (e->inside - e->way) + v4_all(1.0 / 6.0) * e->way * e->way * e->further);
}

LAW_INLINE vec4 law_edge_hertz(const contact4 *k, const edge4 *e)
{
    const vec4 t = e->inside / e->way, rise = t * v4_sqrt(t);
    const vec4 tail =
        v4_all(-0.025486031659869512) +
        t * (v4_all(-0.31176914053084315) +
             t * (v4_all(-0.5483628802754981) +
                  t * (v4_all(-0.15989827292520545) +
                       t * (v4_all(0.023831614892094323) + t * v4_all(-0.003801037063231575)))));
    const vec4 zeta = tail + rise;
    const vec4 rule = zeta + rise * (v4_all(0.4) * t - v4_all(0.5));
    const vec4 unit = k->c.kn * v4_sqrt(k->radius * e->way) * e->way * e->way;
    return -unit * (zeta + (e->further - v4_all(1)) * rule);
}

LAW_INLINE vec4 law_edge_jkr(const contact4 *k, const edge4 *e, vec4 border)
{
    enum { WAYS = 3 };
    const jkr4 first = law_jkr(k, e->inside);
    const vec4 none = law_jkr(k, border).energy;
    jkr4 at = first;
    vec4 rule = v4_zero();
    for (int j = 1; j <= WAYS; j++) {
        const jkr4 next = law_jkr(k, e->inside + v4_all(j) * e->way);
        rule += v4_all(0.5) * (at.force + next.force) * e->way - (next.energy - at.energy);
        at = next;
    }
    rule -= at.slope * e->way * e->way * v4_all(1.0 / 12.0);
    return first.energy - none - v4_all(0.5) * first.force * e->way - e->further * rule;
}

/* How fast the spring's force grows at the overlap on the inner side. */
LAW_INLINE vec4 law_edge_slope(const jo_law *parts, const contact4 *k, const edge4 *e)
{
    if (parts->cohesion == JO_COHESION_JKR) return law_jkr(k, e->inside).slope;
    if (parts->normal == JO_NORMAL_HERTZ)
        return v4_all(1.5) * k->c.kn * v4_sqrt(k->radius * v4_max(e->inside, v4_zero()));
    return parts->normal == JO_NORMAL_ENERGY ? k->c.kn * k->mass : k->c.kn;
}

/* The force e, zero where no edge was crossed. `pull` is the dashpot's force now. */
LAW_INLINE vec4 law_edge(const jo_law *parts, const contact4 *k, const stiffness4 *s, crossing4 c,
                         vec4 gap, vec4 pull)
{
    const vec4 half = v4_all(0.5), two = v4_all(2), tiny = v4_all(1e-300);
    const bool sjkr = parts->cohesion == JO_COHESION_SJKR;
    const mask4 edge = c.in | c.out;
    edge4 e = {.inside = v4_max(v4_pick(c.out, k->overlap - k->closed, k->overlap), -gap),
               .way = v4_max(v4_pick(c.out, -k->closed, k->closed), tiny)};
    const vec4 stick = sjkr ? v4_all(-2 * law_pi) * k->c.adhesion * k->radius : v4_zero();
    const vec4 before = law_elastic_before(parts, k);
    vec4 spring = v4_pick(c.out, before, s->elastic);
    if (sjkr) spring += stick * e.inside;
    /* The ways before and after, those that end contact seen backwards. Those to either side of now
     * make twice the velocity. That knows the forces a step ago; this contact's have changed. */
    const vec4 next = -(k->closed + two * k->step * k->vn);
    const vec4 begun = s->elastic + pull + v4_only(k->fresh, s->pull);
    const vec4 change = v4_pick(c.out, -(spring + k->pull), begun);
    const vec4 after = next - k->step * k->step * change / k->mass;
    const vec4 earlier = two * k->closed - next;
    const vec4 inner = v4_pick(c.out, -earlier, after), outer = v4_pick(c.out, -after, after);
    e.further = v4_max(half, v4_min(two, inner / e.way));
    const vec4 bent = v4_max(-e.way, v4_min(e.way, after - earlier));
    vec4 work =
        parts->cohesion == JO_COHESION_JKR ? law_edge_jkr(k, &e, v4_only(c.out, -gap))
        : law_is_linear(parts)
            ? law_edge_linear(parts->normal == JO_NORMAL_ENERGY ? k->c.kn * k->mass : k->c.kn, &e)
            : law_edge_hertz(k, &e);
    if (sjkr) work += law_edge_linear(stick, &e);
    if (parts->cohesion == JO_COHESION_LIQUID && v4_any(edge & ~k->fresh))
        work +=
            v4_only(~k->fresh, law_bridge_excess(k->c.adhesion, k->c.reach, k->c.bridge, k->radius,
                                                 e.inside, e.way, law_edge_way(&e, inner),
                                                 law_edge_way(&e, v4_pick(c.out, -after, earlier)),
                                                 k->step * k->step / k->mass));
    work -= spring * bent * v4_all(1.0 / 12.0);
    const vec4 acts = half * (e.way + law_edge_way(&e, outer));
    /* The force itself changes the way that follows, and with it what the spring does from there
     * on. Bodies that all but rest here are stopped by any force: the correction stays small. */
    const vec4 first = work / acts, slows = k->step * k->step / k->mass, most = v4_all(0.25);
    const vec4 steeper =
        v4_pick(c.out, first, v4_all(1.0 / 3.0) * law_edge_slope(parts, k, &e) * e.way - first);
    const vec4 share = v4_max(-most, v4_min(most, half * slows * steeper / acts));
    return v4_only(edge, first * (v4_all(1) - share));
}

#endif
