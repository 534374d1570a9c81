/* press_kept.c — what is kept of the surface between two pressing bodies, and how it is made; the
 * forces from it are in press_kept_eval.h.
 *
 * Method. jo_press_near leaves a record of its pieces: the two faces of each, and what made its
 * sides. Faces become rows, and a corner is named by the four rows that are equal there, so that
 * pieces that meet in it find it by a table. Kept is only what is closed: beyond each side that a
 * face made there is a piece with that face. Where rounding errors hid one (many faces in one
 * plane), nothing is kept, and the walk goes on doing the work.
 *
 * Cost: as much as one or two of the pieces that the walk has just looked at, for all of them. */
#include "narrow/press_kept.h"

#include <stdlib.h>
#include <string.h>

#include "narrow/press_kept_eval.h"

bool jo_press_again_plain(press_kept *kept, const press_side *a, const press_side *b,
                          const double (*parts)[4], size_t part_count, double size, press *out)
{
    return again(kept, a, b, parts, part_count, size, out);
}

bool jo_press_again(press_kept *kept, const press_side *a, const press_side *b,
                    const double (*parts)[4], size_t part_count, double size, press *out)
{
#ifdef JO_HAVE_AVX512
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return jo_press_again_avx512(kept, a, b, parts, part_count, size, out);
#endif
#ifdef JO_HAVE_AVX2
    if (__builtin_cpu_supports("avx2"))
        return jo_press_again_avx2(kept, a, b, parts, part_count, size, out);
#endif
    return jo_press_again_plain(kept, a, b, parts, part_count, size, out);
}

/* ---- keeping ---- */

enum { NUMBERS = 2048, TABLE = 1024, FIELD = 4096, NO_ROW = 255 };

typedef struct keeper {
    uint8_t row_of[2][NUMBERS]; /* of planes, by the walk's numbers */
    uint32_t number[2][KEPT_MOST];
    size_t faces[2];
    uint8_t field[FIELD]; /* which pairs of rows are pieces */
    uint32_t key[KEPT_MOST];
    uint8_t corner[KEPT_MOST][3], table[TABLE]; /* corners by key: number + 1 */
    size_t corners;
    uint8_t side[KEPT_SIDES][2]; /* of piece after piece: its row and where it ends */
    uint8_t place[KEPT_MOST], order[KEPT_MOST]; /* of recorded pieces, and back */
    uint16_t first[KEPT_MOST];                  /* side */
    size_t sides, laid;                         /* laid: as they are kept */
} keeper;

static bool add_face(keeper *w, int which, uint32_t number)
{
    if (w->row_of[which][number] != NO_ROW) return true;
    if (w->faces[which] == 120) return false; /* rows are numbers of one byte */
    w->number[which][w->faces[which]] = number;
    w->row_of[which][number] = (uint8_t)w->faces[which]++;
    return true;
}

/* All faces of pieces and of sides. */
static bool collect_faces(keeper *w, const press_scratch *s)
{
    const uint32_t(*piece)[3] = s->record_pieces.data;
    const int32_t *cut = s->record_cuts.data;
    bool fine = true;
    for (int k = 0; k < 2; k++)
        memset(w->row_of[k], NO_ROW, s->near_count[k]);
    w->faces[0] = w->faces[1] = 0;
    for (size_t k = 0; k < s->recorded && fine; k++)
        fine = add_face(w, 0, piece[k][0]) && add_face(w, 1, piece[k][1]);
    for (size_t k = 0; k < s->recorded_cuts && fine; k++)
        fine = cut[k] < 0 || add_face(w, cut[k] & 1, (uint32_t)cut[k] / 2);
    return fine && w->faces[0] * w->faces[1] <= FIELD && s->recorded > 0;
}

static size_t row_of_cut(const keeper *w, int32_t cut)
{
    const size_t zero = w->faces[0] + w->faces[1];
    if (cut == CUT_ZERO) return zero;
    if (cut <= CUT_PART) return zero + 1 + (size_t)(CUT_PART - cut);
    const size_t row = w->row_of[cut & 1][cut / 2];
    return cut & 1 ? w->faces[0] + row : row;
}

/* Beyond each side there is a piece. */
static bool closed(keeper *w, const press_scratch *s)
{
    const uint32_t(*piece)[3] = s->record_pieces.data;
    const int32_t *cut = s->record_cuts.data;
    const size_t wide = w->faces[0];
    memset(w->field, 0, wide * w->faces[1]);
    for (size_t k = 0; k < s->recorded; k++)
        w->field[w->row_of[1][piece[k][1]] * wide + w->row_of[0][piece[k][0]]] = 1;
    for (size_t k = 0; k < s->recorded; k++) {
        const size_t i = w->row_of[0][piece[k][0]], j = w->row_of[1][piece[k][1]];
        for (size_t c = 0; c < piece[k][2]; c++, cut++) {
            if (*cut == CUT_FRAME) return false;
            if (*cut < 0) continue;
            const size_t h = w->row_of[*cut & 1][*cut / 2];
            if (!w->field[*cut & 1 ? h * wide + i : j * wide + h]) return false;
        }
    }
    return true;
}

/* The four rows as one number, whatever their order. */
static uint32_t key_of(size_t i, size_t j, size_t r, size_t q)
{
    size_t x[4] = {i, j, r < q ? r : q, r < q ? q : r};
    for (int from = 2; from < 4; from++) /* i < j: i is of a */
        for (int k = from; k > 0 && x[k] < x[k - 1]; k--) {
            const size_t swap = x[k];
            x[k] = x[k - 1];
            x[k - 1] = swap;
        }
    return (uint32_t)(x[0] << 24 | x[1] << 16 | x[2] << 8 | x[3]);
}

/* The corner of a piece at which two rows meet, or KEPT_MOST where there are too many. */
static size_t corner_at(keeper *w, size_t piece, size_t i, size_t j, size_t before, size_t after)
{
    const uint32_t key = key_of(i, j, before, after);
    size_t at = (key * 0x9E3779B1u) >> 22;
    for (; w->table[at] != 0; at = (at + 1) % TABLE)
        if (w->key[w->table[at] - 1] == key) return w->table[at] - 1U;
    if (w->corners == KEPT_MOST - 1) return KEPT_MOST;
    w->key[w->corners] = key;
    w->corner[w->corners][0] = (uint8_t)piece;
    w->corner[w->corners][1] = (uint8_t)before;
    w->corner[w->corners][2] = (uint8_t)after;
    w->table[at] = (uint8_t)(w->corners + 1);
    return w->corners++;
}

/* Pieces with more sides come first. */
static void put_in_order(keeper *w, const press_scratch *s)
{
    const uint32_t(*piece)[3] = s->record_pieces.data;
    size_t at = 0, most = 0;
    for (size_t k = 0; k < s->recorded; k++)
        most = piece[k][2] > most ? piece[k][2] : most;
    for (size_t n = most; n > 0; n--)
        for (size_t k = 0; k < s->recorded; k++)
            if (piece[k][2] == n) {
                w->place[k] = (uint8_t)at;
                w->order[at++] = (uint8_t)k;
            }
    w->laid = 0;
    for (size_t k = 0; k < at; k += 4)
        w->laid += 4 * (size_t)piece[w->order[k]][2];
}

static bool collect_corners(keeper *w, const press_scratch *s)
{
    const uint32_t(*piece)[3] = s->record_pieces.data;
    const int32_t *cut = s->record_cuts.data;
    w->corners = w->sides = 0;
    memset(w->table, 0, sizeof w->table);
    for (size_t k = 0; k < s->recorded; k++) {
        const size_t n = piece[k][2], i = w->row_of[0][piece[k][0]],
                     j = w->faces[0] + w->row_of[1][piece[k][1]];
        size_t before = row_of_cut(w, cut[0]);
        w->first[k] = (uint16_t)w->sides;
        for (size_t c = 0; c < n; c++) {
            const size_t after = row_of_cut(w, cut[c + 1 < n ? c + 1 : 0]),
                         at = corner_at(w, w->place[k], i, j, before, after);
            if (at == KEPT_MOST) return false;
            w->side[w->sides][0] = (uint8_t)before;
            w->side[w->sides++][1] = (uint8_t)at;
            before = after;
        }
        cut += n;
    }
    return true;
}

/* A direction that looks at all pieces from the same side: their mean normal, turned towards those
 * that it sees worst. */
static bool look_down(press_kept *kept, const press_side *a, const press_scratch *s)
{
    const uint32_t(*piece)[3] = s->record_pieces.data;
    const double(*pa)[4] = s->near_planes[0].data, (*pb)[4] = s->near_planes[1].data;
    double up[3] = {0, 0, 0};
    for (int turn = 0; turn < 8; turn++) {
        double worst = INFINITY, to[3] = {0, 0, 0};
        const double length = sqrt(press_dot(up, up));
        for (size_t k = 0; k < s->recorded; k++) {
            const double *i = pa[piece[k][0]], *j = pb[piece[k][1]];
            double n[3] = {j[0] - i[0], j[1] - i[1], j[2] - i[2]};
            const double scale = 1 / sqrt(press_dot(n, n)), seen = press_dot(n, up) * scale;
            for (int c = 0; c < 3; c++)
                to[c] = turn == 0 ? to[c] + n[c] * scale : seen < worst ? n[c] * scale : to[c];
            if (seen < worst) worst = seen;
        }
        if (turn > 0 && worst > 0.1 * length) break;
        if (turn == 7 && !(worst > 1e-3 * length)) return false;
        const double far = turn == 0 ? 1 : 0.1 * length - worst + 0.2 * length;
        for (int c = 0; c < 3; c++)
            up[c] += far * to[c];
    }
    const double *m = a->pose->turn, scale = 1 / sqrt(press_dot(up, up));
    double local[3];
    sheet axes;
    for (int k = 0; k < 3; k++)
        local[k] = scale * (m[k] * up[0] + m[3 + k] * up[1] + m[6 + k] * up[2]);
    lay_sheet(&axes, local, 1, 0);
    memcpy(kept->e, axes.e, sizeof axes.e);
    memcpy(kept->g, axes.g, sizeof axes.g);
    memcpy(kept->n, axes.n, sizeof axes.n);
    return true;
}

static void write_down(const keeper *w, const press_side *const sides[2], const press_scratch *s,
                       press_kept *kept)
{
    const uint32_t(*piece)[3] = s->record_pieces.data;
    uint32_t *face = (uint32_t *)(void *)(kept + 1);
    for (int which = 0; which < 2; which++)
        for (size_t k = 0; k < w->faces[which]; k++) {
            const uint32_t number = w->number[which][k];
            *face++ = sides[which]->body == NULL
                          ? number
                          : ((const uint32_t *)s->near_faces[which].data)[number];
        }
    memset(face, 0, 16 * w->corners);
    uint8_t *to = (uint8_t *)face + 16 * w->corners;
    for (size_t k = 0; k < s->recorded; k++) {
        const uint32_t *one = piece[w->order[k]];
        *to++ = w->row_of[0][one[0]];
        *to++ = (uint8_t)(w->faces[0] + w->row_of[1][one[1]]);
        *to++ = (uint8_t)one[2];
    }
    memcpy(to, w->corner, 3 * w->corners);
    to += 3 * w->corners;
    for (size_t k = 0; k < s->recorded; k += 4)
        for (size_t c = 0; c < piece[w->order[k]][2]; c++)
            for (size_t l = 0; l < 4; l++) {
                const size_t of = w->order[k + l < s->recorded ? k + l : s->recorded - 1];
                const size_t last = k + l < s->recorded ? piece[of][2] - 1 : 0;
                memcpy(to, w->side[w->first[of] + (c < last ? c : last)], 2);
                to += 2;
            }
}

size_t jo_press_keep(const press_side *a, const press_side *b, size_t part_count,
                     const press *found, press_scratch *s, press_kept *memory, size_t bytes)
{
    keeper w;
    if (bytes >= sizeof *memory) memory->pieces = 0;
    if (s->recorded > 120 || s->recorded_cuts > KEPT_SIDES || s->near_count[0] > NUMBERS ||
        s->near_count[1] > NUMBERS || part_count > 8)
        return 0;
    press_kept kept = {.start = {found->a, found->b}};
    /* First what fails for some contacts at every step. */
    if (!look_down(&kept, a, s) || !collect_faces(&w, s) || !closed(&w, s)) return 0;
    put_in_order(&w, s);
    if (w.laid > KEPT_SIDES || !collect_corners(&w, s)) return 0;
    kept.sides = (uint16_t)w.laid;
    for (int k = 0; k < 2; k++)
        kept.faces[k] = (uint8_t)w.faces[k];
    kept.parts = (uint8_t)part_count;
    kept.pieces = (uint8_t)s->recorded;
    kept.corners = (uint8_t)w.corners;
    const size_t wanted = press_kept_bytes(&kept);
    if (wanted > bytes) return wanted;
    const press_side *const sides[2] = {a, b};
    const double *m = a->pose->turn;
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = found->first[k] / found->total;
    for (int k = 0; k < 3; k++)
        kept.ref[k] = m[k] * x[0] + m[3 + k] * x[1] + m[6 + k] * x[2];
    kept.room = -1;
    *memory = kept;
    write_down(&w, sides, s, memory);
    return wanted;
}

/* ---- from files ---- */

bool jo_press_kept_fine(const press_kept *kept, size_t bytes, size_t faces_a, size_t faces_b,
                        size_t part_count)
{
    const size_t limit[2] = {faces_a, faces_b};
    if (bytes < sizeof *kept) return false;
    if (kept->pieces == 0) return true;
    const size_t rows = (size_t)kept->faces[0] + kept->faces[1] + 1 + kept->parts;
    if (press_kept_bytes(kept) > bytes || kept->sides > KEPT_SIDES || kept->parts != part_count ||
        rows > KEPT_MOST || kept->corners == 0 || kept->corners == KEPT_MOST)
        return false;
    const kept_parts is = parts_of(kept);
    size_t sides = 0;
    for (size_t k = 0; k < (size_t)kept->faces[0] + kept->faces[1]; k++)
        if (is.face[k] >= limit[k >= kept->faces[0]]) return false;
    for (size_t k = 0; k < kept->pieces; k++) {
        if (k % 4 == 0) sides += 4 * (size_t)is.piece[k][2];
        if (is.piece[k][0] >= rows || is.piece[k][1] >= rows || is.piece[k][2] == 0) return false;
    }
    for (size_t k = 0; k < kept->corners; k++)
        if (is.corner[k][0] >= kept->pieces || is.corner[k][1] >= rows || is.corner[k][2] >= rows)
            return false;
    if (sides != kept->sides) return false;
    for (size_t k = 0; k < sides; k++)
        if (is.side[k][0] >= rows || is.side[k][1] >= kept->corners) return false;
    return true;
}
