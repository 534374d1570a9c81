/* palette.c — the colours of pictures and plots.
 *
 * The colour map is a path through the OKLab colour space (B. Ottosson, "A perceptual color space
 * for image processing", 2020): lightness grows linearly from 0.40 to 0.93 while the hue turns at
 * an even rate from violet over blue, teal and green to yellow. The chroma is a parabola, least at
 * teal where sRGB has the least to give, so that the whole path can be displayed without clipping.
 * Equal steps of the value are therefore about equal steps to the eye, the order survives a
 * black-and-white printer, and no two values differ in red against green alone, so colour-blind
 * readers see what others see. It is in the spirit of matplotlib's "viridis", but computed here.
 *
 * The series colours are those of M. Okabe and K. Ito ("Color universal design", 2008), chosen to
 * be told apart with any kind of colour vision; their yellow is darkened to stand on white paper.
 *
 * Cost: a few transcendental functions per call of jo_colour_map; callers that colour many bodies
 * tabulate it. */
#include "io/palette.h"

#include <math.h>

static double clamp01(double v)
{
    return v > 0.0 ? (v < 1.0 ? v : 1.0) : 0.0; /* NaN becomes 0 */
}

static double gamma_encode(double linear)
{
    if (linear <= 0.0031308) return 12.92 * linear;
    return 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
}

/* OKLab to linear sRGB; components may leave [0, 1]. */
static colour linear_from_oklab(double lightness, double a, double b)
{
    const double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    const double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    const double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    const double l3 = l * l * l, m3 = m * m * m, s3 = s * s * s;
    return (colour){4.0767416621 * l3 - 3.3077115913 * m3 + 0.2309699292 * s3,
                    -1.2684380046 * l3 + 2.6097574011 * m3 - 0.3413193965 * s3,
                    -0.0041960863 * l3 - 0.7034186147 * m3 + 1.7076147010 * s3};
}

colour jo_colour_map(double t)
{
    t = clamp01(t);
    const double lightness = 0.40 + 0.53 * t;
    const double hue = (308.0 - 203.0 * t) * (3.14159265358979323846 / 180.0);
    const double chroma = 0.104 + 0.25 * (t - 0.42) * (t - 0.42);
    const colour c = linear_from_oklab(lightness, chroma * cos(hue), chroma * sin(hue));
    return (colour){clamp01(gamma_encode(c.r)), clamp01(gamma_encode(c.g)),
                    clamp01(gamma_encode(c.b))};
}

colour jo_colour_series(size_t k)
{
    static const colour series[JO_PALETTE_SIZE] = {
        {0.000, 0.447, 0.698}, /* blue */
        {0.835, 0.369, 0.000}, /* vermilion */
        {0.000, 0.620, 0.451}, /* bluish green */
        {0.800, 0.475, 0.655}, /* reddish purple */
        {0.902, 0.624, 0.000}, /* orange */
        {0.337, 0.706, 0.914}, /* sky blue */
        {0.180, 0.180, 0.180}, /* near black */
        {0.640, 0.600, 0.100}, /* yellow, darkened */
    };
    return series[k % JO_PALETTE_SIZE];
}

colour jo_colour_mix(colour a, colour b, double t)
{
    t = clamp01(t);
    return (colour){a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b)};
}

uint32_t jo_colour_pack(colour c)
{
    const uint32_t r = (uint32_t)(clamp01(c.r) * 255.0 + 0.5);
    const uint32_t g = (uint32_t)(clamp01(c.g) * 255.0 + 0.5);
    const uint32_t b = (uint32_t)(clamp01(c.b) * 255.0 + 0.5);
    return r << 16 | g << 8 | b;
}

theme jo_theme(bool dark)
{
    if (dark)
        return (theme){.background = {0.071, 0.078, 0.094},
                       .text = {0.91, 0.92, 0.93},
                       .faint = {0.45, 0.47, 0.50},
                       .ink = {1.0, 1.0, 1.0},
                       .casing = {0.0, 0.0, 0.0},
                       .free_body = {0.36, 0.38, 0.41},
                       .wall = {0.55, 0.66, 0.80},
                       .wall_shade = {0.30, 0.38, 0.50},
                       .wall_line = {0.62, 0.70, 0.80}};
    return (theme){.background = {1.0, 1.0, 1.0},
                   .text = {0.11, 0.12, 0.14},
                   .faint = {0.62, 0.64, 0.66},
                   .ink = {0.05, 0.05, 0.07},
                   .casing = {1.0, 1.0, 1.0},
                   .free_body = {0.83, 0.84, 0.86},
                   .wall = {0.66, 0.74, 0.84},
                   .wall_shade = {0.36, 0.45, 0.58},
                   .wall_line = {0.25, 0.32, 0.42}};
}
