/* press_kept.h — the surface between two pressing bodies, kept from one step to the next.
 *
 * jo_press_near finds of which pieces the surface consists. While bodies move a little, its corners
 * and pieces move, and which faces they belong to stays. So that is kept, and a step later only the
 * places of the corners are computed anew, shown to be right, and integrated over; see
 * press_kept_eval.h. */
#ifndef JO_NARROW_PRESS_KEPT_H
#define JO_NARROW_PRESS_KEPT_H

#include "narrow/press_near.h"

/* Begins memory whose length jo_press_keep tells. After it come, without gaps:
 *   uint32_t face[faces[0] + faces[1]];  of a, then of b; planes, where b is planes
 *   float place[corners][4];             where corners were when other faces were asked: u, v, w,
 * depth uint8_t piece[pieces][3];            row of a, row of b, how many sides; those with more
 * first uint8_t corner[corners][3];          a piece that it is of, and the two rows that meet
 * there uint8_t side[sides][2];              its row, the corner it ends in: the first sides of
 * four pieces, their second ones, … ; pieces with fewer repeat their last one, and so does the last
 * piece for those that are missing Rows are numbers of faces as above; then one says that the depth
 * is not below 0; then parts. */
typedef struct press_kept {
    double ref[3], e[3], g[3], n[3]; /* origin and axes of u, v, w in the frame of a; all pieces are
                                      * seen from where n points */
    double room; /* so far corners may move before other faces must be asked again; below 0: now */
    float view[4][3];  /* e, g, n and the origin in the frame of b, when they were asked */
    uint32_t start[2]; /* faces of the strongest piece, when it was made */
    uint16_t sides;
    uint8_t faces[2], parts, pieces, corners; /* pieces 0: nothing is kept */
    uint8_t unused;
} press_kept;

enum { KEPT_MOST = 255, KEPT_SIDES = 1020 };

static inline size_t press_kept_bytes(const press_kept *k)
{
    return sizeof *k + 4 * ((size_t)k->faces[0] + k->faces[1]) + 3 * (size_t)k->pieces +
           19 * (size_t)k->corners + 2 * (size_t)k->sides;
}

/* After jo_press_near said PRESS_YES, with the same arguments and a's place as origin: what to
 * keep, in `memory` of that many bytes, aligned as for doubles. Returns how many it takes; where
 * that is more, memory is left as it was. 0: it cannot be kept, and pieces is 0. */
size_t jo_press_keep(const press_side *a, const press_side *b, size_t part_count,
                     const press *found, press_scratch *s, press_kept *memory, size_t bytes);

/* As jo_press_near, from what was kept for the two; a is a body, and the origin its place. False:
 * the surface is another now. */
bool jo_press_again(press_kept *kept, const press_side *a, const press_side *b,
                    const double (*parts)[4], size_t part_count, double size, press *out);

/* Whether it can be what was kept of bodies with so many faces (planes): it comes from a file. */
bool jo_press_kept_fine(const press_kept *kept, size_t bytes, size_t faces_a, size_t faces_b,
                        size_t part_count);

/* The same for one kind of processor. */
bool jo_press_again_plain(press_kept *kept, const press_side *a, const press_side *b,
                          const double (*parts)[4], size_t part_count, double size, press *out);
bool jo_press_again_avx2(press_kept *kept, const press_side *a, const press_side *b,
                         const double (*parts)[4], size_t part_count, double size, press *out);
bool jo_press_again_avx512(press_kept *kept, const press_side *a, const press_side *b,
                           const double (*parts)[4], size_t part_count, double size, press *out);

#endif
