/* soft_state.c — the states all contenders start from: made by jostle, kept in a file, shown to
 * peers.
 *
 * The settled packing: random centres between the floor and a lid, pushed apart until none overlap,
 * then left to settle under gravity with ten times the dashpots of the benchmark (they change how
 * fast it comes to rest, not what rests). The chute: the settled packing with its lowest bodies
 * fixed and gravity leaning, given Bagnold's profile of velocity, v ~ 1 - (1 - z/h)^(3/2), and left
 * to flow until collisions have replaced that start by the flow's own contacts and fluctuations.
 *
 * A state is positions, velocities, spins and which bodies are fixed. Contacts carry no history
 * over: the springs of every contender start relaxed, and warm-up steps follow. Copies of a state
 * side by side in x and y fit, as those axes are periodic.
 *
 * The file: "JOSTATE1", the number of bodies (64 bit), then per body 9 doubles and, after those of
 * all bodies, one byte "fixed" each; the machine's own byte order, as it is only a cache. */
#include "packing.h"
#include "generate.h"
#include "soft_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = {'J', 'O', 'S', 'T', 'A', 'T', 'E', '1'};

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s: %s\n", what, why);
    return 1;
}

/* ---- files */

bool state_write(const char *path, const jo_population *p)
{
    char beside[1024];
    snprintf(beside, sizeof beside, "%s.new", path);
    FILE *file = fopen(beside, "wb");
    if (file == NULL) {
        complain(beside, "cannot be written");
        return false;
    }
    const uint64_t n = p->n;
    fwrite(magic, sizeof magic, 1, file);
    fwrite(&n, sizeof n, 1, file);
    for (size_t i = 0; i < p->n; i++) {
        fwrite(p->x + 3 * i, sizeof(double), 3, file);
        fwrite(p->v + 3 * i, sizeof(double), 3, file);
        fwrite(p->w + 3 * i, sizeof(double), 3, file);
    }
    fwrite(p->fixed, 1, p->n, file);
    const bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad || rename(beside, path) != 0) {
        complain(path, "could not be written whole");
        return false;
    }
    return true;
}

/* Body i of the first tile moved by (cx, cy) tiles, as body k. */
static void place_copy(jo_population *p, size_t k, size_t i, int cx, int cy)
{
    memcpy(p->x + 3 * k, p->x + 3 * i, 3 * sizeof(double));
    memcpy(p->v + 3 * k, p->v + 3 * i, 3 * sizeof(double));
    memcpy(p->w + 3 * k, p->w + 3 * i, 3 * sizeof(double));
    p->x[3 * k] += TILE_X * cx;
    p->x[3 * k + 1] += TILE_Y * cy;
    p->fixed[k] = p->fixed[i];
}

static bool read_tile(FILE *file, jo_population *p, size_t n)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = fread(p->x + 3 * i, sizeof(double), 3, file) == 3 &&
             fread(p->v + 3 * i, sizeof(double), 3, file) == 3 &&
             fread(p->w + 3 * i, sizeof(double), 3, file) == 3;
    return ok && fread(p->fixed, 1, n, file) == n;
}

bool state_read(const char *path, const int copies[2], jo_population *p)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        complain(path, "cannot be opened");
        return false;
    }
    char start[sizeof magic];
    uint64_t n = 0;
    jo_error error;
    bool ok = fread(start, sizeof start, 1, file) == 1 && memcmp(start, magic, sizeof magic) == 0 &&
              fread(&n, sizeof n, 1, file) == 1 && n > 0 && n < 100000000;
    const size_t tiles = (size_t)(copies[0] * copies[1]);
    ok = ok && jo_population_allocate(p, (size_t)n * tiles, &error) == JO_OK;
    if (ok && !read_tile(file, p, (size_t)n)) {
        jo_population_free(p);
        ok = false;
    }
    fclose(file);
    if (!ok) {
        complain(path, "is not a whole start state; delete it and it will be made anew");
        return false;
    }
    for (size_t t = 1; t < tiles; t++)
        for (size_t i = 0; i < n; i++)
            place_copy(p, t * (size_t)n + i, i, (int)t % copies[0], (int)t / copies[0]);
    for (size_t i = 0; i < p->n; i++) {
        p->r[i] = 0.5;
        p->material[i] = 0;
        p->id[i] = i;
    }
    return true;
}

bool state_of_frame(const jo_frame *frame, jo_population *p)
{
    jo_error error;
    if (jo_population_allocate(p, frame->n, &error) != JO_OK) return false;
    memcpy(p->x, frame->x, 3 * frame->n * sizeof(double));
    memcpy(p->v, frame->v, 3 * frame->n * sizeof(double));
    memcpy(p->w, frame->w, 3 * frame->n * sizeof(double));
    memcpy(p->fixed, frame->fixed, frame->n);
    for (size_t i = 0; i < frame->n; i++) {
        p->r[i] = 0.5;
        p->material[i] = 0;
        p->id[i] = i;
    }
    return true;
}

int state_export(const char *state, const char *format, const char *path)
{
    const int one[2] = {1, 1};
    jo_population p;
    if (!state_read(state, one, &p)) return 1;
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        jo_population_free(&p);
        return complain(path, "cannot be written");
    }
    if (strcmp(format, "xyz") == 0) {
        for (size_t i = 0; i < p.n; i++)
            fprintf(file, "%.17g %.17g %.17g\n", p.x[3 * i], p.x[3 * i + 1], p.x[3 * i + 2]);
    } else {
        fprintf(file, "spheres; type 2 is fixed\n\n%zu atoms\n2 atom types\n\n", p.n);
        fprintf(file, "0 %g xlo xhi\n0 %g ylo yhi\n-1 60 zlo zhi\n\nAtoms # sphere\n\n", TILE_X,
                TILE_Y);
        for (size_t i = 0; i < p.n; i++)
            fprintf(file, "%zu %d 1 1.9098593171027440 %.17g %.17g %.17g\n", i + 1,
                    p.fixed[i] ? 2 : 1, p.x[3 * i], p.x[3 * i + 1], p.x[3 * i + 2]);
        fputs("\nVelocities\n\n", file);
        for (size_t i = 0; i < p.n; i++)
            fprintf(file, "%zu %.17g %.17g %.17g %.17g %.17g %.17g\n", i + 1, p.v[3 * i],
                    p.v[3 * i + 1], p.v[3 * i + 2], p.w[3 * i], p.w[3 * i + 1], p.w[3 * i + 2]);
    }
    const bool bad = ferror(file) != 0;
    jo_population_free(&p);
    if (fclose(file) != 0 || bad) return complain(path, "could not be written whole");
    return 0;
}

/* ---- making them */

/* Advances from p and writes what has become of it. Says how lively it is on the way. */
static int advance_and_write(const jo_scene *scene, const jo_population *p, uint64_t steps,
                             const char *path)
{
    jo_error error;
    jo_soft *soft;
    if (jo_soft_create_with(scene, p, NULL, &soft, &error) != JO_OK)
        return complain(path, error.text);
    int failed = 0;
    enum { PARTS = 5 };
    for (int k = 0; k < PARTS && !failed; k++) {
        jo_measures m;
        if (jo_soft_advance(soft, steps / PARTS, &error) != JO_OK ||
            jo_soft_measure(soft, &m, &error) != JO_OK) {
            failed = complain(path, error.text);
            break;
        }
        printf("  time %.2f: kinetic energy %.3g and %.3f contacts per body, height of the centre "
               "%.4f\n",
               m.time, m.energy.kinetic / (double)p->n, (double)m.contacts / (double)p->n,
               m.centre[2]);
        fflush(stdout);
    }
    jo_frame frame;
    jo_population end;
    if (!failed && jo_soft_frame(soft, &frame, &error) != JO_OK)
        failed = complain(path, error.text);
    if (!failed && !state_of_frame(&frame, &end)) failed = complain(path, "out of memory");
    if (!failed) {
        failed = !state_write(path, &end);
        jo_population_free(&end);
    }
    jo_soft_destroy(soft);
    return failed;
}

/* Random centres that do not overlap, at a solid fraction a little below that at rest. */
static bool scatter(jo_population *p)
{
    jo_error error;
    jo_particles q;
    if (jo_particles_allocate(&q, TILE_BODIES, 3, &error) != JO_OK) {
        complain("settled packing", error.text);
        return false;
    }
    const double fraction = 0.605,
                 height = TILE_BODIES * 3.14159265358979 / 6.0 / (TILE_X * TILE_Y * fraction);
    q.has_domain = true;
    q.domain = (jo_domain){.hi = {TILE_X, TILE_Y, height}, .periodic = {true, true, false}};
    for (size_t i = 0; i < q.n; i++) {
        q.x[i] = TILE_X * scene_random(1, 0, i);
        q.y[i] = TILE_Y * scene_random(1, 1, i);
        q.z[i] = 0.5 + (height - 1.0) * scene_random(1, 2, i);
        q.r[i] = 0.5;
    }
    bool ok = scene_relax(&q, 1e-3, 5000, &error) == JO_OK &&
              jo_population_allocate(p, TILE_BODIES, &error) == JO_OK;
    if (!ok) complain("settled packing", error.text);
    for (size_t i = 0; ok && i < q.n; i++) {
        p->x[3 * i] = q.x[i];
        p->x[3 * i + 1] = q.y[i];
        p->x[3 * i + 2] = q.z[i];
    }
    jo_particles_free(&q);
    return ok;
}

static bool read_centres(const char *source, jo_population *p)
{
    jo_error error;
    jo_particles q;
    jo_read_options options = jo_read_options_default();
    options.radius = 0.5;
    options.dim = 3;
    options.format = "csv"; /* numbers in columns, whatever its extension */
    if (jo_particles_read(source, &options, &q, &error) != JO_OK) {
        complain(source, error.text);
        return false;
    }
    bool ok = jo_population_allocate(p, q.n, &error) == JO_OK;
    for (size_t i = 0; ok && i < q.n; i++) {
        p->x[3 * i] = q.x[i];
        p->x[3 * i + 1] = q.y[i];
        p->x[3 * i + 2] = q.z[i];
    }
    jo_particles_free(&q);
    return ok;
}

static void at_rest(jo_population *p)
{
    memset(p->v, 0, 3 * p->n * sizeof(double));
    memset(p->w, 0, 3 * p->n * sizeof(double));
    memset(p->fixed, 0, p->n);
    for (size_t i = 0; i < p->n; i++) {
        p->r[i] = 0.5;
        p->material[i] = 0;
        p->id[i] = i;
    }
}

int state_make_settled(const char *path, const char *source, bool quick)
{
    jo_population p;
    if (!(source != NULL ? read_centres(source, &p) : scatter(&p))) return 1;
    at_rest(&p);
    int failed = 1;
    jo_scene scene;
    const int one[2] = {1, 1};
    if (source != NULL) {
        failed = !state_write(path, &p);
    } else if (case_scene(case_named("linear"), one, true, &scene)) {
        scene.contacts[0].normal_damping *= 10.0;
        scene.contacts[0].tangential_damping *= 10.0;
        scene.time_step = 2e-4;
        failed = advance_and_write(&scene, &p, quick ? 4000 : 12000, path);
        jo_scene_free(&scene);
    }
    jo_population_free(&p);
    return failed;
}

int state_make_chute(const char *path, const char *source, bool quick)
{
    jo_population p;
    jo_scene scene;
    const int one[2] = {1, 1};
    if (!state_read(source, one, &p)) return 1;
    double top = 0.0;
    for (size_t i = 0; i < p.n; i++)
        top = fmax(top, p.x[3 * i + 2]);
    for (size_t i = 0; i < p.n; i++) {
        const double z = p.x[3 * i + 2];
        p.fixed[i] = z < 1.6; /* two layers: one has holes through which some fall in time */
        p.v[3 * i] = p.fixed[i] ? 0.0 : 10.4 * (1.0 - pow(1.0 - z / top, 1.5));
        p.v[3 * i + 1] = p.v[3 * i + 2] = 0.0;
        for (int a = 0; a < 3; a++)
            p.w[3 * i + (size_t)a] = 0.0;
    }
    int failed = 1;
    if (case_scene(case_named("chute"), one, true, &scene)) {
        scene.time_step = 2e-4;
        failed = advance_and_write(&scene, &p, quick ? 10000 : 50000, path);
        jo_scene_free(&scene);
    }
    jo_population_free(&p);
    return failed;
}
