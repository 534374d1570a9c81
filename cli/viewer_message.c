/* viewer_message.c — messages to the page: bodies, walls, frames, measures, contacts.
 *
 * Everything is little-endian; a message is a header and blocks, each block an array that begins at
 * a multiple of 8 bytes, so that the page can view them where they lie. Positions are single
 * precision relative to the lower corner of the box (or of the bodies): 10^-7 of its size.
 * Bodies' ids, radii and materials are a message of their own, made again only when one of them
 * changed; so are walls. A frame names the two it belongs to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer_layout.h"
#include "viewer_message.h"
#include "viewer_outlines.h"

/* ---- writing */

static blob *start(const message_header *h, size_t blocks_size, uint8_t **at)
{
    blob *b = blob_make(HEADER + blocks_size);
    if (b == NULL) return NULL;
    memcpy(b->data, h, sizeof *h);
    *at = b->data + HEADER;
    return b;
}

/* ---- bodies */

/* Frames of at least so many bodies are packed, if positions are then off by no more than half of
 * this part of the smallest radius. */
enum { PACK_FROM = 20000, BOX_NUMBERS = 10 };
static const double GRAIN = 0.02;

static bool same_bodies(const messenger *m, const jo_frame *f)
{
    return m->bodies != NULL && m->n == f->n && memcmp(m->id, f->id, f->n * sizeof *f->id) == 0 &&
           memcmp(m->r, f->r, f->n * sizeof *f->r) == 0 &&
           memcmp(m->material, f->material, f->n * sizeof *f->material) == 0;
}

static bool remember_bodies(messenger *m, const jo_frame *f)
{
    if (f->n > m->room || m->id == NULL) {
        const size_t room = f->n + f->n / 4 + 16;
        uint64_t *id = realloc(m->id, room * sizeof *id);
        if (id != NULL) m->id = id;
        double *r = realloc(m->r, room * sizeof *r);
        if (r != NULL) m->r = r;
        uint32_t *material = realloc(m->material, room * sizeof *material);
        if (material != NULL) m->material = material;
        if (id == NULL || r == NULL || material == NULL) return false;
        m->room = room;
    }
    m->n = f->n;
    memcpy(m->id, f->id, f->n * sizeof *f->id);
    memcpy(m->r, f->r, f->n * sizeof *f->r);
    memcpy(m->material, f->material, f->n * sizeof *f->material);
    double least = INFINITY;
    for (size_t i = 0; i < f->n; i++)
        least = fmin(least, f->r[i]);
    m->grain = f->n >= PACK_FROM ? (float)(GRAIN * least) : 0.0f;
    return true;
}

/* Faces are convex: a fan of triangles each. */
static size_t triangles_of(const jo_polyhedron_view *shape)
{
    return 2 *
           (shape->edges - shape->faces); /* k corners give k - 2, and each edge has two faces */
}

static void put_corner(float **to, const jo_polyhedron_view *shape, uint32_t edge)
{
    for (int a = 0; a < 3; a++)
        *(*to)++ = (float)shape->points[3 * (size_t)shape->origin[edge] + (size_t)a];
}

static void put_shapes(uint8_t **at, const jo_frame *f, size_t triangles)
{
    float *to = block(at, BLOCK_TRIANGLES, TYPE_F32, 9, 36 * triangles);
    for (size_t s = 0; s < f->shape_count; s++) {
        const jo_polyhedron_view shape = jo_polyhedron_look(f->shapes[s]);
        for (size_t face = 0; face < shape.faces; face++) {
            const uint32_t first = shape.face_edge[face];
            for (uint32_t e = shape.next[first]; shape.next[e] != first; e = shape.next[e]) {
                put_corner(&to, &shape, first);
                put_corner(&to, &shape, e);
                put_corner(&to, &shape, shape.next[e]);
            }
        }
    }
    uint32_t *owner = block(at, BLOCK_OWNER, TYPE_U32, 1, 4 * triangles);
    for (size_t s = 0; s < f->shape_count; s++) {
        const jo_polyhedron_view shape = jo_polyhedron_look(f->shapes[s]);
        for (size_t t = triangles_of(&shape); t > 0; t--)
            *owner++ = (uint32_t)s;
    }
}

/* Polygons are shapes, each body one of its own: triangles of radius 1 in the plane, and their
 * corners. */
static size_t outline_triangles(const jo_frame *f)
{
    size_t triangles = 0;
    for (size_t i = 0; i < f->n; i++) {
        const size_t n = f->outline_first[i + 1] - f->outline_first[i];
        triangles += n > 2 ? n - 2 : 0;
    }
    return triangles;
}

static bool put_outlines(uint8_t **at, const jo_frame *f, size_t triangles)
{
    const size_t n = f->n, corners = n > 0 ? f->outline_first[n] : 0;
    uint32_t *shape = block(at, BLOCK_SHAPE, TYPE_U32, 1, 4 * n);
    float *to = block(at, BLOCK_TRIANGLES, TYPE_F32, 9, 36 * triangles);
    uint32_t *owner = block(at, BLOCK_OWNER, TYPE_U32, 1, 4 * triangles);
    float *outline = block(at, BLOCK_OUTLINE, TYPE_F32, 2, 8 * corners);
    uint32_t *count = block(at, BLOCK_CORNERS, TYPE_U32, 1, 4 * n);
    uint32_t *corner = malloc((3 * triangles + 3) * sizeof *corner);
    bool ok = corner != NULL;
    for (size_t k = 0; k < 2 * corners; k++)
        outline[k] = (float)f->outline[k];
    for (size_t i = 0; i < n && ok; i++) {
        const size_t from = f->outline_first[i], own = f->outline_first[i + 1] - from;
        const double scale = f->r[i] > 0.0 ? 1.0 / f->r[i] : 0.0;
        shape[i] = own > 2 ? (uint32_t)i : JO_NO_SHAPE;
        count[i] = (uint32_t)own;
        if (own < 3) continue;
        ok = fill_outline(f->outline + 2 * from, own, corner);
        for (size_t k = 0; k < 3 * (own - 2) && ok; k++) {
            const double *p = f->outline + 2 * (from + corner[k]);
            *to++ = (float)(scale * p[0]);
            *to++ = (float)(scale * p[1]);
            *to++ = 0.0f;
            if (k % 3 == 0) *owner++ = (uint32_t)i;
        }
    }
    free(corner);
    return ok;
}

static blob *make_bodies(messenger *m, const jo_frame *f)
{
    const size_t n = f->n;
    size_t triangles = 0, size = block_size(n, 8) + block_size(n, 4) + 2 * block_size(n, 1);
    const bool flat = f->outline_first != NULL && f->q != NULL;
    m->shaped = flat || (f->shape != NULL && f->q != NULL);
    if (flat) {
        triangles = outline_triangles(f);
        size += block_size(n > 0 ? f->outline_first[n] : 0, 8) + block_size(n, 4);
    }
    for (size_t s = 0; s < f->shape_count && m->shaped && !flat; s++) {
        const jo_polyhedron_view shape = jo_polyhedron_look(f->shapes[s]);
        triangles += triangles_of(&shape);
    }
    if (m->shaped) size += block_size(n, 4) + block_size(triangles, 36) + block_size(triangles, 4);
    const message_header h = {.kind = MESSAGE_BODIES,
                              .version = MESSAGE_VERSION,
                              .serial = m->serial + 1,
                              .blocks = flat        ? 9
                                        : m->shaped ? 7
                                                    : 4,
                              .n = (uint32_t)n};
    uint8_t *at;
    blob *b = start(&h, size, &at);
    if (b == NULL) return NULL;
    double *id = block(&at, BLOCK_ID, TYPE_F64, 1, 8 * n);
    float *radius = block(&at, BLOCK_RADIUS, TYPE_F32, 1, 4 * n);
    uint8_t *material = block(&at, BLOCK_MATERIAL, TYPE_U8, 1, n);
    uint8_t *fixed = block(&at, BLOCK_FIXED, TYPE_U8, 1, n);
    for (size_t i = 0; i < n; i++) {
        id[i] = (double)f->id[i];
        radius[i] = (float)f->r[i];
        material[i] = (uint8_t)(f->material[i] < 255 ? f->material[i] : 255);
        fixed[i] = f->fixed != NULL ? f->fixed[i] : 0;
    }
    if (flat && !put_outlines(&at, f, triangles)) {
        blob_drop(b);
        return NULL;
    }
    if (m->shaped && !flat) {
        memcpy(block(&at, BLOCK_SHAPE, TYPE_U32, 1, 4 * n), f->shape, 4 * n);
        put_shapes(&at, f, triangles);
    }
    b->serial = ++m->serial;
    return b;
}

/* ---- walls */

static blob *make_walls(messenger *m, const double *triangles, const uint32_t *owner, size_t count)
{
    const message_header h = {.kind = MESSAGE_WALLS,
                              .version = MESSAGE_VERSION,
                              .serial = m->serial + 1,
                              .blocks = 2,
                              .n = (uint32_t)count};
    uint8_t *at;
    blob *b = start(&h, block_size(9 * count, 4) + block_size(count, 4), &at);
    if (b == NULL) return NULL;
    float *corners = block(&at, BLOCK_TRIANGLES, TYPE_F32, 9, 36 * count);
    for (size_t k = 0; k < 9 * count; k++)
        corners[k] = (float)triangles[k];
    uint32_t *owners = block(&at, BLOCK_OWNER, TYPE_U32, 1, 4 * count);
    if (count > 0) memcpy(owners, owner, 4 * count);
    /* Walls that stand still come out the same, but for the serial. */
    if (m->walls != NULL && m->walls->size == b->size &&
        memcmp(m->walls->data + HEADER, b->data + HEADER, b->size - HEADER) == 0) {
        blob_drop(b);
        return m->walls;
    }
    b->serial = ++m->serial;
    return b;
}

/* ---- frames */

static double length3(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void put_lengths(uint8_t **at, uint32_t what, const double *vectors, size_t n)
{
    float *values = block(at, what, TYPE_F32, 1, 4 * n);
    for (size_t i = 0; i < n; i++)
        values[i] = (float)length3(vectors + 3 * i);
}

void find_origin(const jo_domain *domain, double origin[3])
{
    for (int a = 0; a < 3; a++) {
        const double lo = domain->lo[a], hi = domain->hi[a];
        origin[a] = hi > lo && isfinite(lo) ? lo : 0.0;
    }
}

/* The triangulation between polygons, and what happened last. */
static void put_sides(uint8_t **at, const jo_frame *f, const double origin[3])
{
    float *sides = block(at, BLOCK_SIDES, TYPE_F32, 4, 16 * f->side_count);
    for (size_t k = 0; k < 4 * f->side_count; k++)
        sides[k] = (float)(f->sides[k] - origin[k % 2]);
    float *event = block(at, BLOCK_EVENT, TYPE_F32, 2, 8 * (size_t)f->event_points);
    for (size_t k = 0; k < 2 * (size_t)f->event_points; k++)
        event[k] = (float)(f->event[k] - origin[k % 2]);
    if (f->side_key != NULL)
        memcpy(block(at, BLOCK_SIDE_KEYS, TYPE_U32, 1, 4 * f->side_count), f->side_key,
               4 * f->side_count);
}

/* A periodic box as it is now; layers draw pairs to the nearest image. */
static bool is_periodic(const jo_frame *f)
{
    return f->domain.periodic[0] || f->domain.periodic[1] || f->domain.periodic[2];
}

static void put_box(uint8_t **at, const jo_frame *f)
{
    double *box = block(at, BLOCK_BOX, TYPE_F64, 1, BOX_NUMBERS * sizeof *box);
    for (int a = 0; a < 3; a++) {
        box[a] = f->domain.lo[a];
        box[3 + a] = f->domain.hi[a];
        box[6 + a] = f->domain.periodic[a] ? 1.0 : 0.0;
    }
    box[9] = f->shear_offset;
}

static blob *make_frame(const messenger *m, const jo_frame *f, uint64_t index, unsigned wants)
{
    if (f->touching == NULL) wants &= ~(unsigned)WANT_CONTACTS;
    if (f->force == NULL) wants &= ~(unsigned)WANT_FORCE;
    const size_t n = f->n;
    const unsigned extra = wants & (WANT_SPEED | WANT_FORCE | WANT_CONTACTS | WANT_SPIN);
    const unsigned extras = (unsigned)__builtin_popcount(extra);
    const bool sides = (wants & WANT_TRIANGULATION) && f->sides != NULL, box = is_periodic(f);
    const bool keys = sides && f->side_key != NULL;
    message_header h = {.kind = MESSAGE_FRAME,
                        .version = MESSAGE_VERSION,
                        .bodies = m->bodies->serial,
                        .walls = m->walls->serial,
                        .blocks = 1 + extras + (m->shaped ? 1 : 0) + (sides ? 2 : 0) +
                                  (keys ? 1 : 0) + (box ? 1 : 0),
                        .time = f->time,
                        .step = (double)f->step,
                        .index = (double)index,
                        .n = (uint32_t)n};
    find_origin(&f->domain, h.origin);
    uint8_t *at;
    blob *b = start(
        &h,
        block_size(3 * n, 4) + extras * block_size(n, 4) + (m->shaped ? block_size(n, 16) : 0) +
            (sides ? block_size(f->side_count, 16) + block_size(f->event_points, 8) : 0) +
            (keys ? block_size(f->side_count, 4) : 0) + (box ? block_size(BOX_NUMBERS, 8) : 0),
        &at);
    if (b == NULL) return NULL;
    float *x = block(&at, BLOCK_POSITION, TYPE_F32, 3, 12 * n);
    for (size_t i = 0; i < n; i++)
        for (int a = 0; a < 3; a++)
            x[3 * i + (size_t)a] = (float)(f->x[3 * i + (size_t)a] - h.origin[a]);
    if (extra & WANT_SPEED) put_lengths(&at, BLOCK_SPEED, f->v, n);
    if (extra & WANT_FORCE) put_lengths(&at, BLOCK_FORCE, f->force, n);
    if (extra & WANT_SPIN) put_lengths(&at, BLOCK_SPIN, f->w, n);
    if (extra & WANT_CONTACTS)
        memcpy(block(&at, BLOCK_CONTACTS, TYPE_U32, 1, 4 * n), f->touching, 4 * n);
    float *q = m->shaped ? block(&at, BLOCK_ORIENTATION, TYPE_F32, 4, 16 * n) : NULL;
    for (size_t k = 0; k < 4 * n && q != NULL; k++)
        q[k] = (float)f->q[k];
    if (sides) put_sides(&at, f, h.origin);
    if (box) put_box(&at, f);
    b->grain = m->grain;
    return b;
}

void messenger_free(messenger *m)
{
    blob_drop(m->bodies);
    blob_drop(m->walls);
    free(m->id);
    free(m->r);
    free(m->material);
    *m = (messenger){0};
}

static jo_status no_memory(jo_error *error)
{
    return cli_error(error, JO_ERR_MEMORY, "not enough memory for a frame of the viewer");
}

static jo_status keep_walls(messenger *m, const double *triangles, const uint32_t *owner,
                            size_t count, jo_error *error)
{
    blob *walls = make_walls(m, triangles, owner, count);
    if (walls == NULL) return no_memory(error);
    if (walls == m->walls) return JO_OK;
    blob_drop(m->walls);
    m->walls = walls;
    return JO_OK;
}

jo_status moment_make(messenger *m, const jo_frame *f, uint64_t index, unsigned wants,
                      const double *triangles, const uint32_t *owner, size_t triangle_count,
                      moment *made, jo_error *error)
{
    *made = (moment){0};
    if (f->n > UINT32_MAX / 16)
        return cli_error(error, JO_ERR_LIMIT, "%zu bodies are too many for the viewer", f->n);
    if (!same_bodies(m, f)) {
        blob *bodies = remember_bodies(m, f) ? make_bodies(m, f) : NULL;
        if (bodies == NULL) return no_memory(error);
        blob_drop(m->bodies);
        m->bodies = bodies;
    }
    const jo_status status = keep_walls(m, triangles, owner, triangle_count, error);
    if (status != JO_OK) return status;
    made->frame = make_frame(m, f, index, wants);
    if (made->frame == NULL) return no_memory(error);
    made->bodies = blob_keep(m->bodies);
    made->walls = blob_keep(m->walls);
    return JO_OK;
}

blob *glance_start(const messenger *m, const double origin[3], size_t n, unsigned wants,
                   jo_glance *g)
{
    const unsigned extra = wants & (WANT_SPEED | WANT_FORCE | WANT_SPIN);
    const unsigned extras = (unsigned)__builtin_popcount(extra);
    message_header h = {.kind = MESSAGE_FRAME,
                        .version = MESSAGE_VERSION,
                        .bodies = m->bodies->serial,
                        .blocks = 1 + extras,
                        .n = (uint32_t)n};
    uint8_t *at;
    memcpy(h.origin, origin, sizeof h.origin);
    blob *b = start(&h, block_size(3 * n, 4) + extras * block_size(n, 4), &at);
    if (b == NULL) return NULL;
    *g = (jo_glance){.room = n};
    memcpy(g->origin, origin, sizeof g->origin);
    g->x = block(&at, BLOCK_POSITION, TYPE_F32, 3, 12 * n);
    if (extra & WANT_SPEED) g->speed = block(&at, BLOCK_SPEED, TYPE_F32, 1, 4 * n);
    if (extra & WANT_FORCE) g->force = block(&at, BLOCK_FORCE, TYPE_F32, 1, 4 * n);
    if (extra & WANT_SPIN) g->spin = block(&at, BLOCK_SPIN, TYPE_F32, 1, 4 * n);
    b->grain = m->grain;
    return b;
}

jo_status glance_end(messenger *m, blob *frame, const jo_glance *g, uint64_t index,
                     const double *triangles, const uint32_t *owner, size_t triangle_count,
                     moment *made, jo_error *error)
{
    message_header h;
    *made = (moment){0};
    const jo_status status = keep_walls(m, triangles, owner, triangle_count, error);
    if (status != JO_OK) {
        blob_drop(frame);
        return status;
    }
    memcpy(&h, frame->data, sizeof h);
    h.walls = m->walls->serial;
    h.time = g->time;
    h.step = (double)g->step;
    h.index = (double)index;
    memcpy(frame->data, &h, sizeof h);
    *made = (moment){.bodies = blob_keep(m->bodies), .walls = blob_keep(m->walls), .frame = frame};
    return JO_OK;
}

void moment_hand_over(viewer *v, uint64_t client, moment *made)
{
    blob *messages[SLOTS] = {
        [SLOT_BODIES] = made->bodies, [SLOT_WALLS] = made->walls,   [SLOT_FRAME] = made->frame,
        [SLOT_LINES] = made->lines,   [SLOT_DETAIL] = made->detail, [SLOT_NEXT] = made->next};
    viewer_hand_over(v, client, messages);
    *made = (moment){0};
}

/* ---- measures */

blob *message_rows(const double *values, size_t columns, size_t rows, size_t first)
{
    const message_header h = {.kind = MESSAGE_ROWS,
                              .version = MESSAGE_VERSION,
                              .blocks = 1,
                              .n = (uint32_t)rows,
                              .first = (uint32_t)first};
    const size_t bytes = columns * rows * sizeof *values;
    uint8_t *at;
    blob *b = start(&h, block_size(bytes, 1), &at);
    if (b != NULL)
        memcpy(block(&at, BLOCK_ROWS, TYPE_F64, (uint32_t)columns, bytes), values, bytes);
    return b;
}

/* ---- contacts */

/* Six numbers each: where the two bodies are in the frame (the second 2^32 - 1: a wall), force
 * along the normal, and the point. */
blob *message_lines(const jo_frame *f, const jo_soft_contact *contacts, size_t count,
                    uint64_t index)
{
    message_header h = {.kind = MESSAGE_LINES,
                        .version = MESSAGE_VERSION,
                        .blocks = 1,
                        .time = f->time,
                        .index = (double)index,
                        .n = (uint32_t)count};
    find_origin(&f->domain, h.origin);
    uint8_t *at;
    blob *b = start(&h, block_size(count, 24), &at);
    if (b == NULL) return NULL;
    uint8_t *out = block(&at, BLOCK_LINES, TYPE_U32, 6, 24 * count);
    for (size_t k = 0; k < count; k++) {
        const jo_soft_contact *c = &contacts[k];
        const size_t a = frame_index(f, c->a),
                     other = c->b == JO_NO_BODY ? f->n : frame_index(f, c->b);
        const uint32_t pair[2] = {(uint32_t)a, other < f->n ? (uint32_t)other : UINT32_MAX};
        const float rest[4] = {(float)c->normal_force, (float)(c->point[0] - h.origin[0]),
                               (float)(c->point[1] - h.origin[1]),
                               (float)(c->point[2] - h.origin[2])};
        memcpy(out + 24 * k, pair, sizeof pair);
        memcpy(out + 24 * k + 8, rest, sizeof rest);
    }
    return b;
}

/* ---- JSON */

bool text_message_start(text_message *t)
{
    *t = (text_message){0};
    t->file = open_memstream(&t->text, &t->size);
    if (t->file != NULL) t->j = json_start_line(t->file);
    return t->file != NULL;
}

blob *text_message_end(text_message *t)
{
    const bool written = fclose(t->file) == 0;
    blob *b = written ? blob_make(t->size) : NULL;
    if (b != NULL) {
        memcpy(b->data, t->text, t->size);
        b->text = true;
    }
    free(t->text);
    return b;
}

static void json_vector(json *j, const char *key, const double *v)
{
    json_array(j, key);
    for (int a = 0; a < 3; a++)
        json_real(j, NULL, v[a]);
    json_end(j);
}

static void json_contact(json *j, uint64_t id, const jo_soft_contact *c)
{
    json_object(j, NULL);
    if (c->b == JO_NO_BODY)
        json_integer(j, "wall", c->wall);
    else
        json_integer(j, "body", c->a == id ? c->b : c->a);
    json_real(j, "overlap", c->overlap);
    json_real(j, "normal_force", c->normal_force);
    json_bool(j, "sliding", c->sliding != 0);
    json_end(j);
}

static void put_body(json *j, const jo_frame *f, size_t i)
{
    json_vector(j, "x", f->x + 3 * i);
    json_vector(j, "v", f->v + 3 * i);
    json_vector(j, "w", f->w + 3 * i);
    if (f->force != NULL) json_vector(j, "force", f->force + 3 * i);
    if (f->torque != NULL) json_vector(j, "torque", f->torque + 3 * i);
    json_real(j, "r", f->r[i]);
    json_real(j, "mass", f->mass[i]);
    json_integer(j, "material", f->material[i]);
    json_bool(j, "fixed", f->fixed[i] != 0);
    if (f->touching != NULL) json_integer(j, "touching", f->touching[i]);
}

static void put_told(json *j, uint64_t id, const detail_wishes *w)
{
    json_array(j, "contacts");
    for (size_t k = 0; k < w->contact_count; k++)
        if (w->contacts[k].a == id || w->contacts[k].b == id) json_contact(j, id, &w->contacts[k]);
    json_end(j);
}

blob *message_detail(const jo_frame *f, const detail_wishes *w)
{
    text_message t;
    if (!text_message_start(&t)) return NULL;
    json *j = &t.j;
    json_object(j, NULL);
    json_string(j, "type", "detail");
    json_real(j, "time", f->time);
    json_array(j, "bodies");
    for (size_t p = 0; p < w->id_count; p++) {
        const size_t i = frame_index(f, w->ids[p]);
        json_object(j, NULL);
        json_integer(j, "id", w->ids[p]);
        json_bool(j, "there", i < f->n);
        if (i < f->n) put_body(j, f, i);
        if (w->told)
            put_told(j, w->ids[p], w);
        else if (i < f->n)
            put_touched(j, f, i, &w->walls);
        json_end(j);
    }
    json_end(j);
    json_array(j, "pairs");
    for (size_t p = 0; p < w->pair_count; p++)
        put_feature_pair(j, f, w->pairs[p][0], w->pairs[p][1]);
    json_end(j);
    json_end(j);
    return text_message_end(&t);
}

blob *message_next(const jo_frame *f, const jo_hard_event *events, size_t count, uint64_t index)
{
    text_message t;
    if (!text_message_start(&t)) return NULL;
    json *j = &t.j;
    json_object(j, NULL);
    json_string(j, "type", "next");
    json_real(j, "time", f->time);
    json_integer(j, "index", index);
    json_array(j, "events");
    for (size_t k = 0; k < count; k++) {
        const jo_hard_event *e = &events[k];
        json_object(j, NULL);
        json_real(j, "in", e->time - f->time);
        json_integer(j, "a", e->a);
        json_integer(j, "at_a", frame_index(f, e->a));
        json_integer(j, e->kind == JO_HARD_WALL ? "wall" : "b", e->b);
        if (e->kind == JO_HARD_BALLS) json_integer(j, "at_b", frame_index(f, e->b));
        json_end(j);
    }
    json_end(j);
    json_end(j);
    return text_message_end(&t);
}
