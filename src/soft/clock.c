/* clock.c — how long a step is, and the time that a number of steps makes.
 *
 * A step is kept as a fraction of two whole numbers, numerator / denominator, where it is one: 50
 * us are 5 / 10^5. The time after n steps is n numerator / denominator, rounded once, so that 4,700
 * such steps are 0.235 to the last bit, as a person would write it, and not 0.23500000000000001.
 * Any other step is step / 1.
 *
 * A step that is chosen divides the duration, so that a run ends when it says, and every interval
 * of output that allows it: the largest unit that all of them are multiples of (they are decimal
 * fractions) is cut into as few steps as the recommended one asks for. An interval that would leave
 * fewer than STEPS_MIN steps in the unit is passed over: the step would become too short by more
 * than a share of 1 / STEPS_MIN. No chosen step is longer than an interval of output. */
#include <math.h>

#include "soft/engine.h"

enum { STEPS_MIN = 20, DIGITS = 22 };
static const double whole_max = 1e12, exact_max = 0x1p53;

/* value as a whole number over a power of ten, if it is the double nearest to such a fraction. */
static bool as_decimal(double value, double *whole, double *power)
{
    *power = 1;
    for (int k = 0; k <= DIGITS; k++, *power *= 10) { /* 10^22 is the last exact one */
        *whole = rint(value * *power);
        if (!(*whole <= whole_max)) return false;
        if (*whole >= 1 && *whole / *power == value) return true;
    }
    return false;
}

/* The largest unit that two decimal fractions are multiples of; false where there is none. */
static bool common_unit(double whole[2], double power[2], double *unit, double *unit_power)
{
    *unit_power = fmax(power[0], power[1]);
    double a = whole[0] * (*unit_power / power[0]), b = whole[1] * (*unit_power / power[1]);
    if (a > exact_max || b > exact_max) return false;
    while (b > 0) { /* Euclid's algorithm: fmod is exact */
        const double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    *unit = a;
    return true;
}

void jo_clock_given(jo_soft *soft, double step)
{
    soft->s.step = step;
    if (!as_decimal(step, &soft->clock.numerator, &soft->clock.denominator))
        soft->clock = (step_clock){.numerator = step, .denominator = 1};
}

void jo_clock_choose(jo_soft *soft, double longest)
{
    const jo_outputs *o = &soft->scene.outputs;
    const double intervals[] = {o->series, o->trajectory, o->vtp, o->dump, o->checkpoint};
    double whole[2], power[2];
    for (size_t k = 0; k < sizeof intervals / sizeof *intervals; k++)
        if (intervals[k] > 0 && intervals[k] < longest) {
            soft->advice.recommended = longest = intervals[k];
            soft->advice.why = "the shortest interval of output";
        }
    soft->s.step = longest;
    soft->clock = (step_clock){.numerator = longest, .denominator = 1};
    if (!(soft->scene.duration > 0) || !as_decimal(soft->scene.duration, &whole[0], &power[0]))
        return;
    for (size_t k = 0; k < sizeof intervals / sizeof *intervals; k++) {
        double unit, unit_power;
        if (!(intervals[k] > 0) || !as_decimal(intervals[k], &whole[1], &power[1])) continue;
        if (!common_unit(whole, power, &unit, &unit_power)) continue;
        if (unit / unit_power < STEPS_MIN * longest) continue;
        whole[0] = unit;
        power[0] = unit_power;
    }
    const double steps = fmax(1, ceil(whole[0] / power[0] / longest * (1 - 1e-12)));
    const double denominator = steps * power[0];
    if (denominator > exact_max) return;
    soft->clock = (step_clock){.numerator = whole[0], .denominator = denominator};
    soft->s.step = whole[0] / denominator;
}

JO_API double jo_soft_time_at(const jo_soft *soft, uint64_t step)
{
    return (double)step * soft->clock.numerator / soft->clock.denominator;
}

JO_API double jo_soft_time(const jo_soft *soft)
{
    return jo_soft_time_at(soft, soft->steps);
}
