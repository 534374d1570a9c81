/* axis.c — ticks at round numbers.
 *
 * Linear axes: the step is 1, 2 or 5 times a power of ten, the one that gives nearest to the wanted
 * number of ticks from below; each step is halved, or cut in four or five, by minor ticks. Numbers
 * are written with as many decimals as the step needs, so that they line up.
 *
 * Logarithmic axes: numbers at powers of ten, minor ticks at 2 to 9 times them; over many decades
 * only every second, third, fifth … power is numbered, and over less than about one and a half, 2
 * and 5 times the powers are numbered too, for else the axis might show a single number.
 *
 * Ticks are computed from whole multiples, never by adding steps, so that zero is zero. */
#include "io/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double jo_nice_below(double value)
{
    const double power = pow(10.0, floor(log10(value)));
    const double digit = value / power;
    return (digit >= 5.0 ? 5.0 : (digit >= 2.0 ? 2.0 : 1.0)) * power;
}

static void add(axis *a, double value, bool major, const char *text)
{
    if (a->count == AXIS_TICKS_MAX) return;
    axis_tick *t = &a->tick[a->count++];
    *t = (axis_tick){.value = value, .major = major};
    snprintf(t->text, sizeof t->text, "%s", text);
}

/* ---- linear */

/* A number with a real minus sign, in as few characters as tell it from its neighbours. */
static void write_linear(double value, double step, char text[AXIS_TEXT_MAX])
{
    const double size = fabs(value);
    const int decimals = step < 1.0 ? (int)ceil(-log10(step) - 1e-9) : 0;
    char digits[AXIS_TEXT_MAX];
    if (decimals <= 4 && size < 999999.5)
        snprintf(digits, sizeof digits, "%.*f", decimals, size);
    else
        snprintf(digits, sizeof digits, "%.4g", size);
    snprintf(text, AXIS_TEXT_MAX, "%s%.20s", value < 0.0 ? "\xE2\x88\x92" : "", digits);
}

static void linear_ticks(axis *a, bool round, int want)
{
    const double rough = (a->hi - a->lo) / want;
    double step = jo_nice_below(rough);
    for (int k = 0; k < 4 && (a->hi - a->lo) / step > want * 1.3; k++) {
        const double digit = step / pow(10.0, floor(log10(step) + 1e-9));
        step *= digit > 1.5 && digit < 3.0 ? 2.5 : 2.0;
    }
    const double digit = step / pow(10.0, floor(log10(step) + 1e-9));
    const int parts = digit > 1.5 && digit < 3.0 ? 4 : 5;
    if (round) {
        a->lo = floor(a->lo / step + 1e-9) * step;
        a->hi = ceil(a->hi / step - 1e-9) * step;
    }
    const double first = ceil(a->lo / step * parts - 1e-6),
                 last = floor(a->hi / step * parts + 1e-6);
    if (!(last - first < AXIS_TICKS_MAX)) return; /* a range too narrow for its place: no ticks */
    for (double k = first; k <= last; k++) {
        const bool major = fmod(k, parts) == 0.0;
        const double value = k * step / parts;
        char text[AXIS_TEXT_MAX] = "";
        if (major) write_linear(value, step, text);
        add(a, value, major, text);
    }
}

/* ---- logarithmic */

static void write_power(int exponent, bool plain, char text[AXIS_TEXT_MAX])
{
    static const char *const raised[10] = {
        "\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",     "\xE2\x81\xB4",
        "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7", "\xE2\x81\xB8", "\xE2\x81\xB9"};
    if (plain || exponent == 0 || exponent == 1) {
        snprintf(text, AXIS_TEXT_MAX, "%g", pow(10.0, exponent));
        return;
    }
    char digits[16];
    snprintf(digits, sizeof digits, "%d", exponent < 0 ? -exponent : exponent);
    size_t used = (size_t)snprintf(text, AXIS_TEXT_MAX, "10%s", exponent < 0 ? "\xE2\x81\xBB" : "");
    for (const char *d = digits; *d != '\0' && used < AXIS_TEXT_MAX - 4; d++)
        used += (size_t)snprintf(text + used, AXIS_TEXT_MAX - used, "%s", raised[*d - '0']);
}

static void log_ticks(axis *a, bool round, int want)
{
    double lo = log10(a->lo), hi = log10(a->hi);
    if (round && hi - lo > 0.6) {
        lo = floor(lo + 1e-9);
        hi = ceil(hi - 1e-9);
        a->lo = pow(10.0, lo);
        a->hi = pow(10.0, hi);
    }
    const int first = (int)floor(lo + 1e-9), last = (int)ceil(hi - 1e-9);
    const int every = (last - first) / want + 1;
    const bool between = hi - lo < 1.6;
    const bool plain = lo > -3.5 && hi < 4.5; /* all or none of the numbers are written out */
    for (int e = first; e <= last; e++)
        for (int digit = 1; digit <= 9; digit++) {
            const double value = digit * pow(10.0, e), at = log10(value);
            if (at < lo - 1e-9 || at > hi + 1e-9 || (digit > 1 && every > 1) ||
                (e % every != 0 && last - first > 40))
                continue;
            const bool major = digit == 1 ? e % every == 0 : between && (digit == 2 || digit == 5);
            char text[AXIS_TEXT_MAX] = "";
            if (major && digit == 1)
                write_power(e, plain, text);
            else if (major)
                snprintf(text, sizeof text, "%.4g", value);
            add(a, value, major, text);
        }
    size_t numbers = 0;
    for (size_t k = 0; k < a->count; k++)
        numbers += a->tick[k].major;
    if (numbers >= 2) return;
    /* A range too narrow for powers: ticks as on a linear axis. */
    axis narrow = {.lo = a->lo, .hi = a->hi};
    linear_ticks(&narrow, false, want);
    memcpy(a->tick, narrow.tick, sizeof a->tick);
    a->count = narrow.count;
}

void jo_axis_make(axis *a, double lo, double hi, bool logarithmic, bool round, int want)
{
    *a = (axis){.logarithmic = logarithmic};
    if (want < 2) want = 2;
    const double most = logarithmic ? 1e300 : 1e150;
    if (!(lo <= hi)) lo = logarithmic ? 1.0 : 0.0, hi = logarithmic ? 10.0 : 1.0;
    lo = fmin(fmax(lo, -most), most);
    hi = fmin(fmax(hi, -most), most);
    if (logarithmic) {
        if (!(lo > 1e-300)) lo = 1e-300;
        if (!(hi > lo)) hi = lo;
        if (hi < 1.01 * lo) lo /= 2.0, hi *= 2.0;
    } else if (!(hi - lo > 1e-9 * fmax(fabs(lo), fabs(hi)))) { /* one value: room around it */
        const double room = fmax(fabs(hi) * 0.1, 1e-150);
        lo -= room == 1e-150 ? 0.5 : room;
        hi += room == 1e-150 ? 0.5 : room;
    }
    a->lo = lo;
    a->hi = hi;
    if (logarithmic)
        log_ticks(a, round, want);
    else
        linear_ticks(a, round, want);
}

double jo_axis_position(const axis *a, double value)
{
    if (!a->logarithmic) return value / (a->hi - a->lo) - a->lo / (a->hi - a->lo);
    if (!(value > 0.0)) return NAN;
    return (log(value) - log(a->lo)) / (log(a->hi) - log(a->lo));
}
