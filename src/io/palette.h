/* palette.h — the colours of pictures and plots. */
#ifndef JO_IO_PALETTE_H
#define JO_IO_PALETTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* sRGB components, 0 to 1. */
typedef struct colour {
    double r, g, b;
} colour;

/* The colour map: t from 0 (dark violet) to 1 (yellow), clamped. */
colour jo_colour_map(double t);

/* A colour for series k of a plot; repeats after JO_PALETTE_SIZE. */
#define JO_PALETTE_SIZE 8
colour jo_colour_series(size_t k);

/* (1 - t) a + t b. */
colour jo_colour_mix(colour a, colour b, double t);

/* 0x00RRGGBB, which is what cairo's RGB24 surfaces hold. */
uint32_t jo_colour_pack(colour c);

/* What a picture is made of besides data colours, for paper (light) or screens (dark). */
typedef struct theme {
    colour background, text, faint;     /* faint: grids, frames behind, secondary text */
    colour ink, casing;                 /* contact lines and the halo around them */
    colour free_body;                   /* a body without contacts */
    colour wall, wall_shade, wall_line; /* walls: lit, not lit, their edges */
} theme;

theme jo_theme(bool dark);

#endif
