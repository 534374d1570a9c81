/* units.c — numbers with units.
 *
 * A quantity is a decimal number and a product of units with integer powers: "2 g/cm^3", "5 m
 * s^-2", "1e7MPa", "3 kg/(m s)". Every unit is a power of ten times a factor (1 for all but angles,
 * minutes and revolutions) and powers of metre, kilogram, second and radian. The powers of ten are
 * added to the number's own exponent before it is converted, so the conversion rounds once.
 *
 * The number goes to strtod as digits and an exponent, without a decimal point, so that the locale
 * does not matter. Angles are counted as a dimension, so that "30 deg" is no friction coefficient;
 * only frequencies may be given as revolutions (60 rpm is 1 Hz). */
#include "scene/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PI 3.14159265358979323846

enum { TEXT_MAX = 200, DEPTH_MAX = 8, POWER_MAX = 12, DIGITS_MAX = 800 };

static const dimension_info infos[DIMENSIONS] = {
    [DIM_NUMBER] = {"a plain number", "", "0.5", 0, 0, 0, 0},
    [DIM_LENGTH] = {"a length", "m", "0.5 mm", 1, 0, 0, 0},
    [DIM_AREA] = {"an area", "m^2", "4 cm^2", 2, 0, 0, 0},
    [DIM_VOLUME] = {"a volume", "m^3", "2 mm^3", 3, 0, 0, 0},
    [DIM_TIME] = {"a time", "s", "10 ms", 0, 0, 1, 0},
    [DIM_FREQUENCY] = {"a frequency", "Hz", "20 Hz", 0, 0, -1, 0},
    [DIM_RATE] = {"a rate", "1/s", "500 1/s", 0, 0, -1, 0},
    [DIM_ANGLE] = {"an angle", "rad", "30 deg", 0, 0, 0, 1},
    [DIM_SPIN] = {"an angular velocity", "rad/s", "60 rpm", 0, 0, -1, 1},
    [DIM_SPEED] = {"a speed", "m/s", "2 cm/s", 1, 0, -1, 0},
    [DIM_ACCELERATION] = {"an acceleration", "m/s^2", "9.81 m/s^2", 1, 0, -2, 0},
    [DIM_DENSITY] = {"a density", "kg/m^3", "2.5 g/cm^3", -3, 1, 0, 0},
    [DIM_DENSITY_2D] = {"a mass per area", "kg/m^2", "2.5 kg/m^2", -2, 1, 0, 0},
    [DIM_PRESSURE] = {"a pressure", "Pa", "5 MPa", -1, 1, -2, 0},
    [DIM_FORCE] = {"a force", "N", "10 mN", 1, 1, -2, 0},
    [DIM_STIFFNESS] = {"a force per length", "N/m", "1e5 N/m", 0, 1, -2, 0},
    [DIM_MOMENT] = {"a torque", "N m", "1e-6 N m", 2, 1, -2, 0},
    [DIM_ENERGY_AREA] = {"an energy per area", "J/m^2", "0.05 J/m^2", 0, 1, -2, 0},
    [DIM_ENERGY_VOLUME] = {"an energy per volume", "J/m^3", "2e5 J/m^3", -1, 1, -2, 0},
    [DIM_MASS_RATE] = {"a mass per time", "kg/s", "20 g/s", 0, 1, -1, 0},
    [DIM_DAMPING_AREA] = {"a rate per length", "1/(m s)", "1e6 1/(m s)", -1, 0, -1, 0},
    [DIM_GAIN] = {"a speed per force", "m/(N s)", "1e-3 m/(N s)", 0, -1, 1, 0},
};

const dimension_info *jo_dimension(dimension which)
{
    return &infos[which];
}

typedef struct unit {
    const char *name;
    signed char m, kg, s, rad;
    signed char tens; /* power of ten of the SI unit */
    bool prefixed;    /* takes prefixes */
    double factor;    /* beyond the power of ten */
} unit;

static const unit units[] = {
    {"m", 1, 0, 0, 0, 0, true, 1.0},           {"g", 0, 1, 0, 0, -3, true, 1.0},
    {"t", 0, 1, 0, 0, 3, false, 1.0},          {"s", 0, 0, 1, 0, 0, true, 1.0},
    {"min", 0, 0, 1, 0, 0, false, 60.0},       {"h", 0, 0, 1, 0, 0, false, 3600.0},
    {"Hz", 0, 0, -1, 0, 0, true, 1.0},         {"rad", 0, 0, 0, 1, 0, true, 1.0},
    {"deg", 0, 0, 0, 1, 0, false, PI / 180.0}, {"\xc2\xb0", 0, 0, 0, 1, 0, false, PI / 180.0},
    {"rev", 0, 0, 0, 1, 0, false, 2.0 * PI},   {"rpm", 0, 0, -1, 1, 0, false, PI / 30.0},
    {"N", 1, 1, -2, 0, 0, true, 1.0},          {"Pa", -1, 1, -2, 0, 0, true, 1.0},
    {"bar", -1, 1, -2, 0, 5, true, 1.0},       {"J", 2, 1, -2, 0, 0, true, 1.0},
    {"W", 2, 1, -3, 0, 0, true, 1.0},          {"l", 3, 0, 0, 0, -3, true, 1.0},
    {"L", 3, 0, 0, 0, -3, true, 1.0},          {"%", 0, 0, 0, 0, -2, false, 1.0},
    {"1", 0, 0, 0, 0, 0, false, 1.0},
};
enum { UNITS = sizeof units / sizeof *units };

static const struct prefix {
    const char *name;
    signed char tens;
} prefixes[] = {{"T", 12}, {"G", 9},         {"M", 6},         {"k", 3},  {"d", -1}, {"c", -2},
                {"m", -3}, {"\xc2\xb5", -6}, {"\xce\xbc", -6}, {"u", -6}, {"n", -9}, {"p", -12}};
enum { PREFIXES = sizeof prefixes / sizeof *prefixes };

/* For suggestions alone. */
static const char *const usual[] = {"m",   "mm",  "cm",  "um",  "km", "kg", "g",   "mg",
                                    "s",   "ms",  "us",  "min", "h",  "Hz", "kHz", "rad",
                                    "deg", "rpm", "rev", "N",   "mN", "kN", "Pa",  "kPa",
                                    "MPa", "GPa", "bar", "J",   "mJ", "W",  "l"};

/* What people write instead, and what to tell them: units of the same name in words, or in other
 * systems, which are no units here. */
static const struct {
    const char *name, *advice;
} other[] = {
    {"sec", "write 's'"},
    {"secs", "write 's'"},
    {"second", "write 's'"},
    {"seconds", "write 's'"},
    {"minute", "write 'min'"},
    {"minutes", "write 'min'"},
    {"hr", "write 'h'"},
    {"hour", "write 'h'"},
    {"hours", "write 'h'"},
    {"day", "a day is 24 h"},
    {"days", "a day is 24 h"},
    {"d", "a day is 24 h"},
    {"meter", "write 'm'"},
    {"meters", "write 'm'"},
    {"metre", "write 'm'"},
    {"metres", "write 'm'"},
    {"micron", "write 'um'"},
    {"microns", "write 'um'"},
    {"inch", "an inch is 25.4 mm"},
    {"in", "an inch is 25.4 mm"},
    {"ft", "a foot is 0.3048 m"},
    {"feet", "a foot is 0.3048 m"},
    {"lb", "a pound is 0.45359237 kg"},
    {"lbs", "a pound is 0.45359237 kg"},
    {"ton", "write 't' for 1000 kg"},
    {"tonne", "write 't'"},
    {"gram", "write 'g'"},
    {"grams", "write 'g'"},
    {"psi", "a psi is 6.894757 kPa"},
    {"atm", "an atmosphere is 101.325 kPa"},
    {"degree", "write 'deg'"},
    {"degrees", "write 'deg'"},
    {"radian", "write 'rad'"},
    {"radians", "write 'rad'"},
    {"rps", "write 'rev/s'"},
    {"hz", "write 'Hz'"},
    {"kgf", "a kgf is 9.80665 N"},
    {"dyn", "a dyn is 1e-5 N"},
    {"erg", "an erg is 1e-7 J"},
    {"P", "a poise is 0.1 Pa s"},
    {"cc", "write 'cm^3'"},
    {"kph", "write 'km/h'"},
    {"mph", "a mile per hour is 0.44704 m/s"},
};

typedef struct product {
    int power[4]; /* m, kg, s, rad */
    int tens;
    double factor;
} product;

typedef struct cursor {
    const dimension_info *want;
    const char *at;
    char *why;
    size_t why_size;
    int depth;
} cursor;

static bool refuse_unit(cursor *c, const char *name, size_t length)
{
    char shown[40];
    snprintf(shown, sizeof shown, "%.*s", (int)(length < 30 ? length : 30), name);
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
        if (strcmp(shown, other[k].name) == 0) {
            snprintf(c->why, c->why_size, "has the unknown unit '%s'; %s", shown, other[k].advice);
            return false;
        }
    const char *meant = jo_suggest(shown, usual, sizeof usual / sizeof *usual, sizeof usual[0]);
    if (meant != NULL)
        snprintf(c->why, c->why_size, "has the unknown unit '%s'; did you mean '%s'?", shown,
                 meant);
    else
        snprintf(c->why, c->why_size, "has the unknown unit '%s'; it wants %s such as %s", shown,
                 c->want->name, c->want->example);
    return false;
}

static bool name_byte(char c)
{
    return isalpha((unsigned char)c) || c == '%' || ((unsigned char)c >= 0x80);
}

/* The UTF-8 superscripts, as the digit they stand for; 0 bytes if none is there. */
static size_t superscript(const char *at, int *digit)
{
    static const char *const texts[] = {
        "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
        "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9"};
    for (int k = 0; k < 10; k++)
        if (strncmp(at, texts[k], strlen(texts[k])) == 0) {
            *digit = k;
            return strlen(texts[k]);
        }
    return 0;
}

/* "^3", "**3", "^-2", "3", "-2", "²", "⁻¹" behind a unit; 1 if there is none. */
static bool read_power(cursor *c, int *power)
{
    const char *start = c->at;
    int sign = 1, value = 0, digit;
    size_t step, digits = 0;
    const bool marked = *c->at == '^' || strncmp(c->at, "**", 2) == 0;
    if (marked) c->at += *c->at == '^' ? 1 : 2;
    if (strncmp(c->at, "\xe2\x81\xbb", 3) == 0) {
        sign = -1;
        c->at += 3;
    }
    while ((step = superscript(c->at, &digit)) > 0 && digits < 3) {
        value = 10 * value + digit;
        c->at += step;
        digits++;
    }
    if (digits == 0) {
        if (*c->at == '-' || *c->at == '+') sign = *c->at++ == '-' ? -1 : 1;
        while (isdigit((unsigned char)*c->at) && digits < 3) {
            value = 10 * value + (*c->at++ - '0');
            digits++;
        }
    }
    if (digits == 0 && !marked) {
        c->at = start;
        *power = 1;
        return true;
    }
    *power = sign * value;
    if (digits > 0 && value <= POWER_MAX) return true;
    snprintf(c->why, c->why_size, "has a unit with a power that is no whole number from -%d to %d",
             POWER_MAX, POWER_MAX);
    return false;
}

static void multiply(product *to, const product *by, int power)
{
    for (int a = 0; a < 4; a++)
        to->power[a] += power * by->power[a];
    to->tens += power * by->tens;
    if (by->factor != 1.0) to->factor *= pow(by->factor, power);
}

static bool find_unit(const char *name, size_t length, product *out)
{
    for (int pass = 0; pass < PREFIXES + 1; pass++) {
        const struct prefix *prefix = pass > 0 ? &prefixes[pass - 1] : NULL;
        const size_t skip = prefix != NULL ? strlen(prefix->name) : 0;
        if (prefix != NULL && (length <= skip || strncmp(name, prefix->name, skip) != 0)) continue;
        for (size_t k = 0; k < UNITS; k++) {
            const unit *u = &units[k];
            if (strlen(u->name) != length - skip ||
                memcmp(u->name, name + skip, length - skip) != 0)
                continue;
            if (prefix != NULL && !u->prefixed) continue;
            *out = (product){{u->m, u->kg, u->s, u->rad},
                             u->tens + (prefix != NULL ? prefix->tens : 0),
                             u->factor};
            return true;
        }
    }
    return false;
}

static bool read_product(cursor *c, product *out);

static bool read_factor(cursor *c, product *out)
{
    *out = (product){.factor = 1.0};
    if (*c->at == '(') {
        if (++c->depth > DEPTH_MAX) {
            snprintf(c->why, c->why_size, "has a unit with too many parentheses");
            return false;
        }
        c->at++;
        if (!read_product(c, out)) return false;
        if (*c->at != ')') {
            snprintf(c->why, c->why_size, "has a unit with a '(' that is never closed");
            return false;
        }
        c->at++;
        c->depth--;
        return true;
    }
    const char *name = c->at;
    int digit;
    if (*c->at == '1' && !isdigit((unsigned char)c->at[1]) && c->at[1] != '.')
        c->at++;
    else
        while (name_byte(*c->at) && superscript(c->at, &digit) == 0 &&
               strncmp(c->at, "\xc2\xb7", 2) != 0 && strncmp(c->at, "\xe2\x81\xbb", 3) != 0)
            c->at++;
    const size_t length = (size_t)(c->at - name);
    if (length == 0) {
        snprintf(c->why, c->why_size, "has '%.30s' where a unit was expected%s", name,
                 *name == ',' ? "; write a decimal point, not a comma" : "");
        return false;
    }
    return find_unit(name, length, out) ? true : refuse_unit(c, name, length);
}

static void skip_blanks(cursor *c)
{
    while (*c->at == ' ' || *c->at == '\t')
        c->at++;
}

static bool read_product(cursor *c, product *out)
{
    *out = (product){.factor = 1.0};
    int sign = 1;
    skip_blanks(c);
    if (*c->at == '/') { /* "500/s" */
        sign = -1;
        c->at++;
    }
    for (;;) {
        product p;
        int power;
        skip_blanks(c);
        if (!read_factor(c, &p) || !read_power(c, &power)) return false;
        multiply(out, &p, sign * power);
        skip_blanks(c);
        sign = 1;
        if (*c->at == '\0' || *c->at == ')') return true;
        if (*c->at == '/') {
            sign = -1;
            c->at++;
        } else if (*c->at == '*' || *c->at == '.') {
            c->at++;
        } else if (strncmp(c->at, "\xc2\xb7", 2) == 0) {
            c->at += 2;
        }
    }
}

/* The digits of a decimal number without its point, and the power of ten they are to be multiplied
 * by. */
static const char *read_digits(const char *at, char digits[DIGITS_MAX + 2], long *exponent)
{
    size_t n = 0, seen = 0;
    *exponent = 0;
    if (*at == '+' || *at == '-') {
        if (*at == '-') digits[n++] = '-';
        at++;
    }
    bool point = false;
    for (;; at++) {
        if (*at == '.' && !point) {
            point = true;
        } else if (isdigit((unsigned char)*at)) {
            seen++;
            if (n < DIGITS_MAX) {
                digits[n++] = *at;
                if (point) --*exponent;
            } else if (!point) {
                ++*exponent;
            }
        } else {
            break;
        }
    }
    digits[n] = '\0';
    if (seen == 0) return NULL;
    if (*at == 'e' || *at == 'E') {
        const char *rest = at + 1;
        if (*rest == '+' || *rest == '-') rest++;
        if (isdigit((unsigned char)*rest)) {
            char *end;
            const long own = strtol(at + 1, &end, 10);
            *exponent += own > 100000 ? 100000 : own < -100000 ? -100000 : own;
            at = end;
        }
    }
    return at;
}

/* ".inf", "-inf", "infinity" and nan. */
static bool special(const char *text, double *value)
{
    const double sign = *text == '-' ? -1.0 : 1.0;
    if (*text == '-' || *text == '+') text++;
    if (*text == '.') text++;
    if (strcasecmp(text, "inf") == 0 || strcasecmp(text, "infinity") == 0) {
        *value = sign * (double)INFINITY;
        return true;
    }
    if (strcasecmp(text, "nan") != 0) return false;
    *value = (double)NAN;
    return true;
}

static bool has_powers(const product *p, int m, int kg, int second, int rad)
{
    return p->power[0] == m && p->power[1] == kg && p->power[2] == second && p->power[3] == rad;
}

/* Units as one writes them, "kg m^2/s": those above the line, then those below. */
static void write_powers(const product *p, char *text, size_t size)
{
    static const char *const names[] = {"kg", "m", "s", "rad"};
    static const int order[] = {1, 0, 2, 3};
    size_t used = (size_t)snprintf(text, size, "in");
    bool above = false;
    for (int below = 0; below < 2; below++)
        for (int a = 0; a < 4 && used < size; a++) {
            const int power = below ? -p->power[order[a]] : p->power[order[a]];
            if (power <= 0) continue;
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                                     !below  ? " "
                                     : above ? "/"
                                             : " 1/",
                                     names[a]);
            if (power > 1 && used < size)
                used += (size_t)snprintf(text + used, size - used, "^%d", power);
            above = true;
        }
}

static void describe(const product *p, char *text, size_t size)
{
    static const struct {
        const char *name;
        signed char m, kg, s, rad;
    } more[] = {{"a mass", 0, 1, 0, 0},
                {"an energy", 2, 1, -2, 0}, /* before a torque, which is the same */
                {"a power", 2, 1, -3, 0},
                {"a viscosity", -1, 1, -1, 0},
                {"a volume per time", 3, 0, -1, 0},
                {"a mass per length", -1, 1, 0, 0}};
    for (size_t k = 0; k < sizeof more / sizeof *more; k++)
        if (has_powers(p, more[k].m, more[k].kg, more[k].s, more[k].rad)) {
            snprintf(text, size, "%s", more[k].name);
            return;
        }
    for (int k = 0; k < DIMENSIONS; k++)
        if (has_powers(p, infos[k].m, infos[k].kg, infos[k].s, infos[k].rad)) {
            snprintf(text, size, "%s", infos[k].name);
            return;
        }
    write_powers(p, text, size);
}

/* Whether the product fits; turns revolutions into periods where a frequency is wanted. */
static bool fits(product *p, const dimension_info *want)
{
    const bool same = p->power[0] == want->m && p->power[1] == want->kg && p->power[2] == want->s;
    if (same && p->power[3] == want->rad) return true;
    if (same && want == &infos[DIM_FREQUENCY] && p->power[3] == 1) {
        p->factor /= 2.0 * PI;
        return true;
    }
    return false;
}

bool jo_quantity_read(const char *text, dimension want, double *value, char *why, size_t why_size)
{
    const dimension_info *info = &infos[want];
    while (*text == ' ')
        text++;
    const size_t length = strlen(text);
    if (length == 0 || length > TEXT_MAX + DIGITS_MAX) {
        snprintf(why, why_size, "is %s; it wants %s such as %s", length == 0 ? "empty" : "too long",
                 info->name, info->example);
        return false;
    }
    if (special(text, value)) {
        if (!isnan(*value)) return true;
        snprintf(why, why_size, "is '%s', which is no number", text);
        return false;
    }
    char digits[DIGITS_MAX + 40];
    long exponent;
    const char *rest = read_digits(text, digits, &exponent);
    if (rest == NULL) {
        snprintf(why, why_size, "is '%.60s'; it wants %s such as %s", text, info->name,
                 info->example);
        return false;
    }
    product p = {.power = {info->m, info->kg, info->s, info->rad}, .factor = 1.0};
    cursor c = {info, rest, why, why_size, 0};
    skip_blanks(&c);
    if (*c.at != '\0') {
        if (!read_product(&c, &p)) return false;
        if (*c.at != '\0') {
            snprintf(why, why_size, "has '%.30s' behind its unit", c.at);
            return false;
        }
    }
    if (!fits(&p, info)) {
        char given[80];
        describe(&p, given, sizeof given);
        snprintf(why, why_size, "is '%.60s', %s; it wants %s such as %s", text, given, info->name,
                 info->example);
        return false;
    }
    snprintf(digits + strlen(digits), 40, "e%ld", exponent + p.tens);
    *value = strtod(digits, NULL);
    if (p.factor != 1.0) *value *= p.factor;
    if (isfinite(*value)) return true;
    snprintf(why, why_size, "is '%.60s', too large for a number", text);
    return false;
}
