/* wall_motion.c — where a wall is at a time, how fast it can be, and the servo that holds a force.
 *
 * Motion is a function of time, not a sum over steps, so it drifts nowhere and a run that was
 * resumed has the same walls: with s = min(max(t, start), stop) - start the time in motion,
 *
 *     displacement = velocity s + amplitude sin(2 pi frequency s + phase)
 *     rotation     = by the angle |spin| s about the axis spin / |spin|       (Rodrigues' formula)
 *
 * Before start and from stop on the wall stands still where it then is. With a phase other than 0 a
 * wall starts away from where it was described, by amplitude sin(phase).
 *
 * The servo is proportional: speed = gain (target - pressing force), at most speed_max. It
 * meets whatever stiffness the bodies have, k: the force changes by k speed dt in a step, so the
 * error shrinks by the factor 1 - gain k dt, without overshoot while gain k dt < 1. Where no gain
 * is given it is speed_max / target: full speed without load, and slower the nearer the target is.
 * Since k is not known, two more rules then keep any k stable:
 *   - a wall that has to turn back does so at no more than half the speed it had, so that swinging
 *     about the target dies out like a bisection;
 *   - a speed grows by at most 5 % a step and 1e-5 of what is wanted, so that it has time to see
 *     what it does: standstill to full speed takes 175 steps. Slowing down is immediate.
 * A wall that arrives so fast that k speed_max dt exceeds the target overshoots once, in that step.
 */
#include "narrow/wall.h"

#include <string.h>

#include "narrow/vec3.h"

static const double two_pi = 6.283185307179586476925286766559;

/* Row-major: turns by `angle` about the unit vector u. */
static void turn(const double u[3], double angle, double rotation[9])
{
    const double c = cos(angle), s = sin(angle);
    const double half = sin(0.5 * angle), d = 2.0 * half * half; /* 1 - c, exact for small angles */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            rotation[3 * i + j] = d * u[i] * u[j] + (i == j ? c : 0.0);
    rotation[1] -= s * u[2];
    rotation[2] += s * u[1];
    rotation[3] += s * u[2];
    rotation[5] -= s * u[0];
    rotation[6] -= s * u[1];
    rotation[7] += s * u[0];
}

void jo_wall_pose(const jo_wall *wall, double t, wall_pose *pose)
{
    const jo_motion *m = &wall->motion;
    const bool moving = t >= m->start && t < m->stop;
    const double end = t < m->stop ? t : m->stop;
    const double s = end > m->start ? end - m->start : 0.0;
    const bool swings = norm3(m->amplitude) > 0.0; /* the frequency means nothing else */
    const double w = swings ? two_pi * m->frequency : 0.0;
    const double swing = swings ? sin(w * s + m->phase) : 0.0;
    const double rate = swings ? w * cos(w * s + m->phase) : 0.0;
    double u[3] = {m->spin[0], m->spin[1], m->spin[2]};
    *pose = (wall_pose){.angle = unit3(u) * s};
    for (int k = 0; k < 3; k++) {
        pose->displacement[k] = m->velocity[k] * s + m->amplitude[k] * swing;
        pose->velocity[k] = moving ? m->velocity[k] + m->amplitude[k] * rate : 0.0;
        pose->spin[k] = moving ? m->spin[k] : 0.0;
        pose->pivot[k] = m->pivot[k];
    }
    turn(u, pose->angle, pose->rotation);
}

double jo_wall_speed_bound(const jo_wall *wall, double range)
{
    const jo_motion *m = &wall->motion;
    const double amplitude = norm3(m->amplitude), spin = norm3(m->spin);
    double bound = norm3(m->velocity);
    if (amplitude > 0.0) bound += two_pi * fabs(m->frequency) * amplitude;
    if (spin > 0.0) bound += spin * range;
    return bound;
}

double jo_wall_servo_speed(const jo_servo *servo, const double force[3], double speed_before,
                           double time_step)
{
    (void)time_step; /* motion is limited per step, see above: the rules need no clock */
    const double target = isnan(servo->stress) ? servo->force : servo->stress * servo->area;
    const double missing = target + dot3(force, servo->direction);
    const double limit = servo->speed_max;
    if (!isnan(servo->gain)) return fmin(fmax(servo->gain * missing, -limit), limit);
    const double wanted = target != 0.0 ? limit * missing / fabs(target)
                                        : (missing == 0.0 ? 0.0 : copysign(limit, missing));
    const double before = fabs(speed_before);
    const bool back = wanted * speed_before < 0.0;
    const double allowed = back ? 0.5 * before : 1.05 * before + 1e-5 * fabs(wanted);
    return copysign(fmin(fmin(fabs(wanted), limit), allowed), wanted);
}
