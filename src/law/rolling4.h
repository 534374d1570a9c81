/* rolling4.h — rolling resistance, four contacts at a time; a part of contact4.h.
 *
 * What resists is the part of the relative spin in the contact plane (rolling, not twisting), with
 * a torque of at most mu_r R F_n.
 *
 * Constant: that torque, against the spin. Near rest it would overshoot; there it is a dashpot that
 * slows the spin at four times the frequency sqrt(k / m*) of the contact, so a body comes to rest
 * and stays. That is no matter of the step, as long as it takes less than a quarter of the spin per
 * step.
 *
 * EPSD, elastic-plastic spring and dashpot (Ai et al. 2011, their type C): a moment that grows by
 * k_r times the rolled angle, cut at the limit; beside it a dashpot of the share eta_r of critical
 * damping 2 sqrt(I k_r), which is off while the spring gives way. I = (1 + I_s / m R^2) m* R^2. */
#ifndef JO_LAW_ROLLING4_H
#define JO_LAW_ROLLING4_H

#ifndef JO_LAW_CONTACT4_H
#error "include law/contact4.h"
#endif

LAW_INLINE vec4 law_rolling_stiffness(const contact4 *k, vec4 normal)
{
    const vec4 arm = k->c.mu_r * k->radius;
    return v4_pick(k->c.kr == k->c.kr, k->c.kr, v4_all(2.25) * normal * arm * arm);
}

/* The same a step ago. */
LAW_INLINE vec4 law_rolling_stiffness_before(const jo_law *parts, const contact4 *k)
{
    vec4 normal = k->c.kn;
    if (parts->normal == JO_NORMAL_HERTZ)
        normal *= law_root_before(parts, k);
    else if (parts->normal == JO_NORMAL_ENERGY)
        normal *= k->mass;
    if (parts->cohesion == JO_COHESION_LIQUID) /* a bridge without touch has no springs */
        normal = v4_only(k->overlap > k->closed, normal);
    return law_rolling_stiffness(k, normal);
}

/* Energy that the rolling spring gained over the step. */
LAW_INLINE vec4 law_rolling_gain(const jo_law *parts, const contact4 *k, vec4 stiffness,
                                 vec4x3 before, vec4x3 after)
{
    const vec4 tiny = v4_all(1e-300);
    vec4 normal = k->c.kn;
    if (parts->normal == JO_NORMAL_HERTZ)
        normal *= law_root_held(parts, k);
    else if (parts->normal == JO_NORMAL_ENERGY)
        normal *= k->mass;
    const vec4 old = law_rolling_stiffness(k, normal);
    const vec4 gained =
        v4_dot(after, after) / v4_max(stiffness, tiny) - v4_dot(before, before) / v4_max(old, tiny);
    return v4_all(0.5) * gained;
}

/* Work that turning did against the torque over the step: see law_spring_loss. The contact's own
 * changes are those of the torque and of the tangential force, which turns bodies, too; as much
 * again is for that force, which the torque takes off what surfaces move. */
LAW_INLINE vec4 law_torque_loss(const contact4 *k, vec4x3 before, vec4x3 after)
{
    const vec4x3 third = v4_scale3(k->step * v4_all(1.0 / 3.0), k->spin);
    const vec4x3 first = v4_sub3(v4_scale3(v4_all(5.0 / 6.0), k->rolled), third);
    const vec4x3 second = v4_add3(v4_scale3(v4_all(1.0 / 6.0), k->rolled), third);
    const vec4x3 jump = v4_sub3(after, before);
    const vec4 cross = v4_all(2) * k->drift.skew * v4_dot(v4_cross(k->n, k->drift.jump), jump);
    const vec4 own = k->turns * v4_dot(jump, jump) - cross;
    return v4_dot(before, first) + v4_dot(after, second) -
           k->step * k->step * own * v4_all(1.0 / 12.0);
}

/* The same with now's torque, which is noted for the next step. */
LAW_INLINE void law_account_torque(contact4 *k, vec4x3 after)
{
    k->dissipated += law_torque_loss(k, k->twist, after);
    k->twist = after;
}

LAW_INLINE vec4x3 law_in_plane(vec4x3 a, vec4x3 n)
{
    return v4_sub3(a, v4_scale3(v4_dot(a, n), n));
}

/* The torque on a. `normal` is the normal stiffness, `press` the force that presses, >= 0. */
LAW_INLINE vec4x3 law_rolling(const law *l, const jo_law *parts, contact4 *k, vec4 normal,
                              vec4 press)
{
    const vec4 tiny = v4_all(1e-300);
    const vec4x3 spin = law_in_plane(k->spin, k->n);
    const vec4 limit = k->c.mu_r * k->radius * press;
    const vec4 inertia = v4_all(l->turning) * k->mass * k->radius * k->radius;
    if (parts->rolling == JO_ROLLING_CONSTANT) {
        const vec4 most = v4_all(0.25) / v4_max(k->step, tiny);
        const vec4 rate = v4_min(v4_all(4) * v4_sqrt(normal / k->mass), most);
        const vec4 stop = rate * inertia;
        const vec4 speed = v4_max(v4_sqrt(v4_dot(spin, spin)), tiny);
        const vec4x3 against = v4_scale3(v4_min(stop, limit / speed), spin);
        if (k->account) law_account_torque(k, against);
        return law_negative(against);
    }
    const vec4 stiffness = law_rolling_stiffness(k, normal);
    const vec4x3 before = law_turn(k->roll, k->n);
    const vec4 mean = v4_all(0.5) * (stiffness + law_rolling_stiffness_before(parts, k));
    const vec4x3 trial = v4_add3(before, v4_scale3(mean, law_in_plane(k->rolled, k->n)));
    const vec4 size = v4_sqrt(v4_dot(trial, trial));
    const mask4 gives = size > limit;
    const vec4x3 moment = v4_scale3(v4_pick(gives, limit / v4_max(size, tiny), v4_all(1)), trial);
    const vec4 damping = v4_only(~gives, v4_all(2) * k->c.eta_r * v4_sqrt(inertia * stiffness));
    const vec4x3 against = v4_add3(moment, v4_scale3(damping, spin));
    if (k->account) {
        k->dissipated -= law_rolling_gain(parts, k, stiffness, before, moment);
        law_account_torque(k, against);
    }
    k->roll = moment;
    return law_negative(against);
}

#endif
