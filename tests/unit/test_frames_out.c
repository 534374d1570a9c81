/* test_frames_out.c — frames for other programs: VTP and .pvd, read with a small parser in Python;
 * LAMMPS dumps, read with the library's own reader. */
#include "unit/frames.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>

#include "jostle/io.h"

/* ---- LAMMPS dumps */

static void append(const char *path, size_t n, int dim, uint64_t step)
{
    jo_error error;
    made_frame f;
    make_frame(&f, n, dim, step);
    EXPECT_OK(jo_dump_append(path, &f.view, &error), error);
}

static void expect_dumped(const char *path, size_t frame, size_t n, int dim, uint64_t step)
{
    jo_error error;
    made_frame want;
    make_frame(&want, n, dim, step);
    jo_particles p;
    jo_read_options options = jo_read_options_default();
    options.format = "lammps";
    options.frame = frame;
    options.dim = dim;
    EXPECT_OK(jo_particles_read(path, &options, &p, &error), error);
    assert_int_equal(p.n, n);
    for (size_t i = 0; i < n; i++) { /* ids ascend, so the order is that of the frame */
        assert_true(p.x[i] == want.x[3 * i] && p.y[i] == want.x[3 * i + 1]);
        assert_true(dim == 2 || p.z[i] == want.x[3 * i + 2]);
        assert_true(p.r[i] == want.r[i]);
    }
    for (int a = 0; a < dim; a++) {
        assert_int_equal(p.domain.periodic[a], want.view.domain.periodic[a]);
        assert_true(p.domain.lo[a] == want.view.domain.lo[a]);
        assert_true(p.domain.hi[a] == want.view.domain.hi[a]);
    }
    jo_particles_free(&p);
}

static void expect_frames(const char *path, size_t count)
{
    jo_error error;
    jo_particles p;
    jo_read_options options = jo_read_options_default();
    options.format = "lammps";
    options.frame = count;
    assert_int_equal(jo_particles_read(path, &options, &p, &error), JO_ERR_DATA);
    char words[64];
    snprintf(words, sizeof words, "the file has %zu", count);
    if (strstr(error.text, words) == NULL) fail_msg("'%s' lacks '%s'", error.text, words);
}

static off_t size_of(const char *path)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    return facts.st_size;
}

static void test_dump(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        const char *path = in_folder("run.dump");
        unlink(path);
        for (uint64_t k = 0; k < 5; k++)
            append(path, 100 * (k % 3), dim, 10 * k);
        expect_frames(path, 5);
        for (uint64_t k = 0; k < 5; k++)
            expect_dumped(path, k, 100 * (k % 3), dim, 10 * k);
        append(path, 7, dim, 20); /* the run went back: frames 20, 30, 40 go */
        expect_frames(path, 3);
        expect_dumped(path, 1, 100, dim, 10);
        expect_dumped(path, 2, 7, dim, 20);
        append(path, 3, dim, 0); /* to its very start */
        expect_frames(path, 1);
        expect_dumped(path, 0, 3, dim, 0);
    }
}

/* Whatever is left of a frame whose writer was killed goes. */
static void test_dump_torn(void **state)
{
    (void)state;
    const char *path = in_folder("run.dump");
    unlink(path);
    append(path, 20, 3, 0);
    append(path, 20, 3, 1);
    const off_t whole = size_of(path);
    append(path, 20, 3, 2);
    const off_t all = size_of(path);
    for (off_t cut = whole; cut < all; cut += cut - whole < 200 ? 1 : 97) {
        assert_int_equal(truncate(path, cut), 0);
        append(path, 20, 3, 2);
        assert_int_equal(size_of(path), all);
        expect_dumped(path, 2, 20, 3, 2);
    }
    expect_frames(path, 3);
}

/* More than a block of the search for the last frame. */
static void test_dump_large(void **state)
{
    (void)state;
    const char *path = in_folder("run.dump");
    unlink(path);
    enum { N = 5000 };
    double *numbers = calloc(5 * N, sizeof *numbers);
    uint64_t *id = calloc(N, sizeof *id);
    for (size_t k = 0; k < N; k++)
        id[k] = k, numbers[3 * k] = (double)k, numbers[4 * N + k] = 0.3;
    jo_frame f = {.dim = 3, .n = N, .id = id, .x = numbers, .r = numbers + 4 * N};
    jo_error error;
    for (uint64_t k = 0; k < 4; k++) {
        f.step = k;
        EXPECT_OK(jo_dump_append(path, &f, &error), error);
    }
    f.step = 2;
    EXPECT_OK(jo_dump_append(path, &f, &error), error);
    expect_frames(path, 3);
    jo_read_options options = jo_read_options_default();
    options.format = "lammps";
    options.frame = 2;
    jo_particles p;
    EXPECT_OK(jo_particles_read(path, &options, &p, &error), error);
    assert_int_equal(p.n, N);
    assert_true(p.domain.lo[0] == -0.3 && p.domain.hi[0] == N - 1 + 0.3);
    jo_particles_free(&p);
    free(numbers);
    free(id);
}

static void test_dump_fails(void **state)
{
    (void)state;
    jo_error error;
    made_frame f;
    make_frame(&f, 3, 3, 0);
    assert_int_equal(jo_dump_append("/dev/full", &f.view, &error), JO_ERR_SPACE);
    assert_int_equal(jo_dump_append(folder, &f.view, &error), JO_ERR_IO);
    assert_non_null(strstr(error.text, folder));
}

/* ---- VTP */

static bool python_available(void)
{
    return system("python3 -c 'import json' 2>/dev/null") == 0;
}

/* What the parser says about a file; a static text. */
static const char *parsed(const char *path)
{
    static char text[16384];
    char command[512];
    snprintf(command, sizeof command, "python3 %s/tests/support/read_vtp.py %s", SOURCE_DIR, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t count = fread(text, 1, sizeof text - 1, pipe);
    text[count] = '\0';
    assert_int_equal(pclose(pipe), 0);
    return text;
}

static void expect_text(const char *text, const char *format, ...)
{
    char want[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(want, sizeof want, format, arguments);
    va_end(arguments);
    if (strstr(text, want) == NULL) fail_msg("no %s in %s", want, text);
}

/* The first tuple of an array. */
static void expect_first(const char *text, const char *array, const double *want, int count)
{
    char key[128];
    snprintf(key, sizeof key, "\"%s\":{\"tuples\":", array);
    const char *at = strstr(text, key);
    assert_non_null(at);
    at = strchr(at, '[');
    for (int k = 0; k < count; k++) {
        char *end;
        assert_true(strtod(at + 1, &end) == want[k]);
        at = end;
    }
}

static void test_vtp_bodies(void **state)
{
    (void)state;
    if (!python_available()) skip();
    jo_error error;
    made_frame f;
    make_frame(&f, 200, 3, 7);
    EXPECT_OK(jo_vtp_write(in_folder("a.vtp"), &f.view, NULL, 0, &error), error);
    const char *text = parsed(in_folder("a.vtp"));
    expect_text(text, "\"NumberOfPoints\":200,\"NumberOfVerts\":200,\"NumberOfLines\":0");
    expect_first(text, "Points/position", f.x, 3);
    expect_first(text, "PointData/radius", f.r, 1);
    expect_first(text, "PointData/velocity", f.v, 3);
    expect_first(text, "PointData/angular_velocity", f.w, 3);
    expect_first(text, "PointData/force", f.force, 3);
    expect_first(text, "PointData/mass", f.mass, 1);
    expect_text(text, "\"PointData/id\":{\"tuples\":200,\"first\":[%d],\"last\":[%d]", 1,
                3 * 199 + 1);
    expect_text(text, "\"time\":0.007");
    make_frame(&f, 0, 2, 7);
    EXPECT_OK(jo_vtp_write(in_folder("a.vtp"), &f.view, NULL, 0, &error), error);
    expect_text(parsed(in_folder("a.vtp")), "\"NumberOfPoints\":0");
}

static void test_vtp_contacts(void **state)
{
    (void)state;
    if (!python_available()) skip();
    jo_error error;
    made_frame f;
    make_frame(&f, 3, 3, 0); /* ids 0, 3, 6 */
    for (int k = 0; k < 9; k++)
        f.x[k] = 0.0;
    f.x[3] = 1.0, f.x[6] = 50.0;
    f.r[0] = f.r[1] = f.r[2] = 0.6;
    const jo_soft_contact contacts[4] = {
        {.a = 0, .b = 3, .wall = UINT32_MAX, .normal_force = 2.0, .overlap = 0.2},
        {.a = 0, .b = 6, .wall = UINT32_MAX, .normal_force = 4.0, .point = {-0.5, 0, 0}},
        {.a = 3, .b = JO_NO_BODY, .wall = 1, .normal_force = 8.0, .point = {1, 0.6, 0}},
        {.a = 999, .b = JO_NO_BODY, .wall = 1, .normal_force = 16.0}};
    EXPECT_OK(jo_vtp_write(in_folder("c.vtp"), &f.view, contacts, 4, &error), error);
    const char *text = parsed(in_folder("c.vtp"));
    /* Two extra points: the contact across the period and the one with the wall. */
    expect_text(text, "\"NumberOfPoints\":5,\"NumberOfVerts\":3,\"NumberOfLines\":3");
    expect_text(text, "\"CellData/normal_force\":{\"tuples\":6,\"first\":[0.0],\"last\":[8.0],"
                      "\"sum\":14.0}");
    expect_text(text, "\"Lines/connectivity\":{\"tuples\":6,\"first\":[0],\"last\":[4],\"sum\":9}");
    expect_text(text, "\"PointData/id\":{\"tuples\":5,\"first\":[0],\"last\":[-1],\"sum\":7}");
}

static void test_vtp_walls(void **state)
{
    (void)state;
    if (!python_available()) skip();
    jo_error error;
    jo_wall walls[2] = {{.kind = JO_WALL_BOX, .lo = {0, 0, 0}, .hi = {1, 1, 1}},
                        {.kind = JO_WALL_BOX, .lo = {0, 0, 0}, .hi = {1, 1, 1}}};
    jo_scene scene = {.dim = 3, .walls = walls, .wall_count = 2};
    const jo_wall_state states[2] = {
        {.present = false},
        {.present = true, .displacement = {0, 0, 9}, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    EXPECT_OK(jo_vtp_walls_write(in_folder("w.vtp"), &scene, NULL, &error), error);
    expect_text(parsed(in_folder("w.vtp")), "\"NumberOfPolys\":24");
    EXPECT_OK(jo_vtp_walls_write(in_folder("w.vtp"), &scene, states, &error), error);
    const char *text = parsed(in_folder("w.vtp"));
    expect_text(text, "\"NumberOfPolys\":12");
    expect_text(text, "\"CellData/wall\":{\"tuples\":12,\"first\":[1],\"last\":[1],\"sum\":12}");
}

static void test_pvd(void **state)
{
    (void)state;
    jo_error error;
    static const char *const files[2] = {"a&b/0.vtp", "\"x\"<1>.vtp"};
    static const double times[2] = {0.0, 1.0 / 3.0};
    char text[1024];
    EXPECT_OK(jo_pvd_write(in_folder("run.pvd"), files, times, 2, &error), error);
    FILE *f = fopen(in_folder("run.pvd"), "r");
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    expect_text(text, "<DataSet timestep=\"0\" group=\"\" part=\"0\" file=\"a&amp;b/0.vtp\"/>");
    expect_text(text, "timestep=\"0.3333333333333333\" group=\"\" part=\"0\" "
                      "file=\"&quot;x&quot;&lt;1&gt;.vtp\"/>");
    assert_int_equal(jo_pvd_write("/dev/full", files, times, 2, &error), JO_ERR_SPACE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dump),       cmocka_unit_test(test_dump_torn),
        cmocka_unit_test(test_dump_large), cmocka_unit_test(test_dump_fails),
        cmocka_unit_test(test_vtp_bodies), cmocka_unit_test(test_vtp_contacts),
        cmocka_unit_test(test_vtp_walls),  cmocka_unit_test(test_pvd),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
