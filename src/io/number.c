/* number.c — doubles from decimal text and back.
 *
 * Reading. A number is first taken apart into an integer m of at most 19 digits and a power of ten,
 * m * 10^e. Three ways follow, the first that is certain to round correctly:
 *   1. m < 2^53 and |e| <= 22: both are exact doubles, and one IEEE multiplication or division
 * rounds once (Clinger 1990, "How to read floating point numbers accurately").
 *   2. |e| <= 27: both are exact in an extended type of 64 or more bits (x87's long double; 10^27 =
 *      5^27 2^27 and 5^27 < 2^63). One operation rounds q to the extended q'. Rounding is monotonic
 * and every midpoint between doubles is representable in the extended type, so q and q' lie on the
 *      same side of every midpoint unless q' *is* a midpoint; only that case, 1 in 2048, goes on.
 *   3. strtod on a bounded copy. A midpoint between doubles has at most 767 significant digits, so
 * 800 digits and a final 1 that stands for all nonzero digits beyond them decide as the full text
 *      would. The copy has no decimal point (digits, then an exponent), so that strtod does not
 * depend on the locale.
 *
 * Writing. The value is scaled to an integer of 17 digits in the extended type, that integer is
 * rounded to 15 and 16 digits, and the first of the three that reads back equal (by ways 1 and 2
 * above) is printed. The scaled integer may be off by one in its last place; that cannot matter,
 * since only a text that was read back is used. What is not settled this way is left to printf.
 *
 * Cost: about 15 ns to read and 50 ns to write a number of 17 digits; no allocation. */
#include "io/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if LDBL_MANT_DIG >= 64
#define EXTENDED 1
#endif

enum { DIGITS_EXACT = 19, DIGITS_COPIED = 800, EXPONENT_CLAMP = 100000 };

static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { TENS_MAX = 22 };

#ifdef EXTENDED
static const long double extended_tens[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                            1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                            1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                            1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
enum { EXTENDED_TENS_MAX = 27 };
#endif

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* m * 10^e if one of the certain ways applies. */
static bool scale_exactly(uint64_t m, int64_t e, double *value)
{
    if (m <= (uint64_t)1 << 53 && e >= -TENS_MAX && e <= TENS_MAX) {
        *value = e < 0 ? (double)m / tens[-e] : (double)m * tens[e];
        return true;
    }
#ifdef EXTENDED
    if (e >= -EXTENDED_TENS_MAX && e <= EXTENDED_TENS_MAX) {
        const long double wide =
            e < 0 ? (long double)m / extended_tens[-e] : (long double)m * extended_tens[e];
        const double narrow = (double)wide;
        const long double rest = wide - (long double)narrow;
        /* A midpoint mirrored at its nearer double is the next double; nothing else is. */
        const long double mirrored = wide + rest;
        if (rest != 0.0L && (long double)(double)mirrored == mirrored) return false;
        *value = narrow;
        return true;
    }
#endif
    return false;
}

/* Way 3: the mantissa's text from `at` to `end` (digits and at most one point) times 10^e. */
static double scale_by_strtod(const char *at, const char *end, int64_t e)
{
    char copy[DIGITS_COPIED + 32];
    int n = 0;
    bool fraction = false, beyond = false;
    for (; at < end; at++) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        if (n == 0 && *at == '0') {
            e -= fraction;
            continue;
        }
        if (n < DIGITS_COPIED) {
            copy[n++] = *at;
            e -= fraction;
        } else {
            beyond |= *at != '0';
            e += !fraction;
        }
    }
    if (n == 0) return 0.0;
    if (beyond) {
        copy[n++] = '1';
        e--;
    }
    snprintf(copy + n, sizeof copy - (size_t)n, "e%lld", (long long)e);
    return strtod(copy, NULL);
}

/* The length of `word` if the text starts with it in any case, else 0. */
static size_t starts_with(const char *at, const char *end, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(end - at) < length) return 0;
    for (size_t i = 0; i < length; i++)
        if ((at[i] | 0x20) != word[i]) return 0;
    return length;
}

static const char *parse_word(const char *at, const char *end, bool negative, double *value)
{
    static const char *const words[] = {"nan", "infinity", "inf"};
    for (int i = 0; i < 3; i++) {
        const size_t length = starts_with(at, end, words[i]);
        if (length == 0) continue;
        *value = i == 0 ? (double)NAN : negative ? -(double)INFINITY : (double)INFINITY;
        return at + length;
    }
    return NULL;
}

/* An exponent at `at`, added to *e; returns where it ends, or `at` if there is none. */
static const char *parse_exponent(const char *at, const char *end, int64_t *e)
{
    const char *p = at;
    if (p == end || ((*p | 0x20) != 'e' && (*p | 0x20) != 'd')) return at;
    p++;
    bool negative = false;
    if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    if (p == end || !is_digit(*p)) return at;
    int64_t value = 0;
    for (; p < end && is_digit(*p); p++)
        if (value < EXPONENT_CLAMP) value = value * 10 + (*p - '0');
    *e += negative ? -value : value;
    return p;
}

const char *jo_number_parse(const char *at, const char *end, double *value)
{
    const char *p = at;
    bool negative = false;
    if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    const char *const mantissa = p;
    uint64_t m = 0;
    int digits = 0; /* significant ones in m */
    int64_t e = 0;
    bool lost = false, point = false;
    for (; p < end && is_digit(*p); p++) {
        if (digits < DIGITS_EXACT) {
            m = m * 10 + (uint64_t)(*p - '0');
            digits += m != 0;
        } else {
            e++;
            lost |= *p != '0';
        }
    }
    if (p < end && *p == '.') {
        point = true;
        const char *const first = ++p;
        for (; p < end && is_digit(*p) && digits < DIGITS_EXACT; p++) {
            m = m * 10 + (uint64_t)(*p - '0');
            digits += m != 0;
        }
        e -= p - first;
        for (; p < end && is_digit(*p); p++)
            lost |= *p != '0';
    }
    if (p - mantissa == point) return parse_word(mantissa, end, negative, value);
    const char *const mantissa_end = p;
    int64_t exponent = 0;
    if (p<end && * p> '9') p = parse_exponent(p, end, &exponent);

    double magnitude;
    if (m == 0)
        magnitude = 0.0;
    else if (lost || !scale_exactly(m, e + exponent, &magnitude))
        magnitude = scale_by_strtod(mantissa, mantissa_end, exponent);
    *value = negative ? -magnitude : magnitude;
    return p;
}

size_t jo_integer_format(uint64_t value, char *text)
{
    char reversed[24];
    size_t n = 0;
    do {
        reversed[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    for (size_t i = 0; i < n; i++)
        text[i] = reversed[n - 1 - i];
    return n;
}

/* Prints m * 10^e, m > 0, as %g would lay it out: plain where that is short, else with an exponent.
 */
static size_t lay_out(uint64_t m, int e, char *text)
{
    for (; m % 10 == 0; m /= 10)
        e++;
    char digits[24];
    const int n = (int)jo_integer_format(m, digits);
    const int leading = n - 1 + e; /* the exponent of the first digit */
    char *p = text;
    if (leading < -5 || leading >= 17) {
        *p++ = digits[0];
        if (n > 1) *p++ = '.';
        memcpy(p, digits + 1, (size_t)(n - 1));
        p += n - 1;
        *p++ = 'e';
        if (leading < 0) *p++ = '-';
        return (size_t)(p - text) + jo_integer_format((uint64_t)abs(leading), p);
    }
    if (leading < 0) {
        *p++ = '0';
        *p++ = '.';
        for (int i = -1; i > leading; i--)
            *p++ = '0';
        memcpy(p, digits, (size_t)n);
        return (size_t)(p - text) + (size_t)n;
    }
    const int whole = leading + 1;
    for (int i = 0; i < n || i < whole; i++) {
        if (i == whole) *p++ = '.';
        *p++ = i < n ? digits[i] : '0';
    }
    return (size_t)(p - text);
}

/* The slow way, for what the fast one leaves: printf, its locale's decimal point made a point. */
static size_t format_by_printf(double value, char *text)
{
    char printed[64];
    for (int digits = 15; digits <= 17; digits++) {
        const int n = snprintf(printed, sizeof printed, "%.*e", digits - 1, value);
        char *to = text;
        for (int i = 0; i < n; i++) {
            const char c = printed[i];
            if (is_digit(c) || c == '-' || c == '+' || c == 'e')
                *to++ = c;
            else if (to == text || to[-1] != '.')
                *to++ = '.';
        }
        double back = 0.0;
        if (jo_number_parse(text, to, &back) == to && back == value) return (size_t)(to - text);
        if (digits == 17) return (size_t)(to - text);
    }
    return 0;
}

#ifdef EXTENDED
/* The fast way for a finite value above 0; 0 if it cannot settle the matter. */
static size_t format_by_scaling(double value, char *text)
{
    int binary;
    frexp(value, &binary);
    int shift = 16 - (int)floor((binary - 1) * 0.30102999566398120);
    long double scaled = 0.0L;
    for (int attempt = 0; attempt < 2; attempt++) {
        if (shift < -EXTENDED_TENS_MAX || shift > EXTENDED_TENS_MAX) return 0;
        scaled = shift >= 0 ? (long double)value * extended_tens[shift]
                            : (long double)value / extended_tens[-shift];
        if (scaled < 1e17L) break;
        shift--; /* the estimate of the decimal exponent is low by at most one */
    }
    if (!(scaled >= 1e16L && scaled < 1e17L)) return 0;
    /* Rounded from the integer part alone, so that no digit is rounded twice. */
    const uint64_t whole = (uint64_t)scaled;
    const uint64_t candidates[3] = {(whole + 50) / 100, (whole + 5) / 10,
                                    whole + (scaled - (long double)whole >= 0.5L)};
    for (int i = 0; i < 3; i++) {
        double back;
        const int e = (i == 0 ? 2 : i == 1 ? 1 : 0) - shift;
        if (!scale_exactly(candidates[i], e, &back)) return 0;
        if (back == value) return lay_out(candidates[i], e, text);
    }
    return 0;
}
#endif

size_t jo_number_format(double value, char *text)
{
    size_t sign = 0;
    if (signbit(value)) {
        text[sign++] = '-';
        value = -value;
    }
    if (isnan(value) || isinf(value)) {
        memcpy(text + sign, isnan(value) ? "nan" : "inf", 3);
        return sign + 3;
    }
    if (value == 0.0) {
        text[sign] = '0';
        return sign + 1;
    }
    size_t length = 0;
#ifdef EXTENDED
    length = format_by_scaling(value, text + sign);
#endif
    if (length == 0) length = format_by_printf(value, text + sign);
    return sign + length;
}
