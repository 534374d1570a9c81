/* test_trajectory.c — trajectories: frames, walls, observables and contacts come back as written;
 * going on cuts what is later; readers beside a writer; full disks; files that are not ours. */
#include "unit/frames.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#ifdef JO_HAVE_HDF5

#include <hdf5.h>

static char source[] = "title: test\n";
static char title[] = "A test";

static jo_scene scene_of(int dim)
{
    return (jo_scene){.dim = dim, .source = source, .title = title, .engine = "soft"};
}

static jo_trajectory *begin(const char *path, int dim)
{
    jo_error error;
    jo_trajectory *t;
    const jo_scene scene = scene_of(dim);
    EXPECT_OK(jo_trajectory_create(path, &scene, &t, &error), error);
    return t;
}

static void append(jo_trajectory *t, size_t n, int dim, uint64_t step)
{
    jo_error error;
    made_frame f;
    make_frame(&f, n, dim, step);
    EXPECT_OK(jo_trajectory_append(t, &f.view, NULL, 0, NULL, 0, &error), error);
}

static void finish(jo_trajectory *t)
{
    jo_error error;
    EXPECT_OK(jo_trajectory_close(t, &error), error);
}

static jo_replay *replay(const char *path)
{
    jo_error error;
    jo_replay *r;
    EXPECT_OK(jo_replay_open(path, &r, &error), error);
    return r;
}

static void expect(jo_replay *r, size_t k, size_t n, int dim, uint64_t step)
{
    jo_error error;
    jo_frame got;
    made_frame want;
    make_frame(&want, n, dim, step);
    EXPECT_OK(jo_replay_frame(r, k, &got, &error), error);
    expect_frame(&got, &want);
}

static void test_frames_of_changing_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {3, 0, 1, 500, 64, 65, 500, 0};
    for (int dim = 2; dim <= 3; dim++) {
        const char *path = in_folder("run.h5");
        jo_trajectory *t = begin(path, dim);
        for (size_t k = 0; k < 8; k++)
            append(t, sizes[k], dim, 100 * k);
        finish(t);
        jo_replay *r = replay(path);
        assert_int_equal(jo_replay_frames(r), 8);
        assert_string_equal(jo_replay_scene(r), source);
        assert_string_equal(jo_replay_title(r), title);
        assert_string_equal(jo_replay_material(r, 0), "");
        for (size_t k = 8; k-- > 0;)
            expect(r, k, sizes[k], dim, 100 * k);
        jo_frame frame;
        jo_error error;
        assert_int_equal(jo_replay_frame(r, 8, &frame, &error), JO_ERR_ARGUMENT);
        assert_non_null(strstr(error.text, "frame 8 was asked for, but it has 8"));
        jo_replay_close(r);
    }
}

static void test_no_frames(void **state)
{
    (void)state;
    jo_error error;
    const char *path = in_folder("run.h5");
    finish(begin(path, 3));
    jo_replay *r = replay(path);
    const char *const *names;
    const double *values;
    size_t columns, rows;
    assert_int_equal(jo_replay_frames(r), 0);
    EXPECT_OK(jo_replay_series(r, &names, &columns, &values, &rows, &error), error);
    assert_int_equal(columns, 0);
    assert_int_equal(rows, 0);
    jo_replay_close(r);
    jo_replay_close(NULL);
    assert_int_equal(jo_trajectory_close(NULL, &error), JO_OK);
}

/* Whoever opens the file while it is written sees the frames so far. */
static void test_reading_while_writing(void **state)
{
    (void)state;
    const char *path = in_folder("run.h5");
    jo_trajectory *t = begin(path, 3);
    for (uint64_t k = 0; k < 20; k++) {
        append(t, 10 * k, 3, k);
        jo_replay *r = replay(path);
        assert_int_equal(jo_replay_frames(r), k + 1);
        expect(r, k, 10 * k, 3, k);
        jo_replay_close(r);
        /* HDF5's own driver, knowing nothing of the writer */
        const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(file >= 0);
        H5Fclose(file);
    }
    finish(t);
}

static void test_observables(void **state)
{
    (void)state;
    jo_error error;
    static const char *const names[4] = {"time", "energy.kinetic", "wall/drum/force", ".hidden"};
    static const char *const stored[4] = {"time", "energy.kinetic", "wall_drum_force", "_hidden"};
    const char *path = in_folder("run.h5");
    jo_trajectory *t = begin(path, 3);
    for (int k = 0; k < 1500; k++) { /* more than a chunk */
        const double values[4] = {k * 0.1, k == 7 ? (double)NAN : k, -k, 1e300};
        EXPECT_OK(jo_trajectory_observe(t, (uint64_t)k, names, values, 4, &error), error);
        if (k % 500 == 0) append(t, 5, 3, (uint64_t)k);
    }
    const double few[1] = {0.0};
    assert_int_equal(jo_trajectory_observe(t, 9, names, few, 1, &error), JO_ERR_ARGUMENT);
    finish(t);
    jo_replay *r = replay(path);
    const char *const *got;
    const double *values;
    size_t columns, rows;
    EXPECT_OK(jo_replay_series(r, &got, &columns, &values, &rows, &error), error);
    assert_int_equal(columns, 4);
    assert_int_equal(rows, 1500);
    for (size_t c = 0; c < 4; c++)
        assert_string_equal(got[c], stored[c]);
    for (size_t k = 0; k < rows; k++) {
        assert_true(values[4 * k] == (double)k * 0.1);
        assert_true(k == 7 ? isnan(values[4 * k + 1]) : values[4 * k + 1] == (double)k);
    }
    assert_int_equal(jo_replay_frames(r), 3);
    jo_replay_close(r);
}

static void test_going_on(void **state)
{
    (void)state;
    jo_error error;
    static const char *const names[1] = {"time"};
    for (uint64_t cut = 0; cut < 14; cut++) {
        const char *path = in_folder("run.h5");
        jo_trajectory *t = begin(path, 2);
        for (uint64_t k = 0; k < 10; k++) {
            append(t, 30 + k, 2, k);
            const double now = (double)k;
            EXPECT_OK(jo_trajectory_observe(t, k, names, &now, 1, &error), error);
        }
        finish(t);
        EXPECT_OK(jo_trajectory_continue(path, cut, &t, &error), error);
        const uint64_t kept = cut < 10 ? cut + 1 : 10;
        for (uint64_t k = kept; k < kept + 3; k++)
            append(t, 5, 2, 100 + k);
        finish(t);
        jo_replay *r = replay(path);
        assert_int_equal(jo_replay_frames(r), kept + 3);
        for (uint64_t k = 0; k < kept; k++)
            expect(r, k, 30 + k, 2, k);
        for (uint64_t k = kept; k < kept + 3; k++)
            expect(r, k, 5, 2, 100 + k);
        const char *const *got;
        const double *values;
        size_t columns, rows;
        EXPECT_OK(jo_replay_series(r, &got, &columns, &values, &rows, &error), error);
        assert_int_equal(rows, kept);
        jo_replay_close(r);
        assert_int_equal(files_in_folder(), 1);
    }
}

static void test_walls(void **state)
{
    (void)state;
    jo_error error;
    jo_wall walls[2] = {{.kind = JO_WALL_BOX, .name = "box", .lo = {0, 0, 0}, .hi = {1, 2, 3}},
                        {.kind = JO_WALL_PLANE, .name = "floor", .normal = {0, 0, 1}}};
    walls[0].motion.pivot[0] = 0.5;
    jo_scene scene = scene_of(3);
    scene.walls = walls;
    scene.wall_count = 2;
    jo_trajectory *t;
    const char *path = in_folder("run.h5");
    EXPECT_OK(jo_trajectory_create(path, &scene, &t, &error), error);
    made_frame f;
    make_frame(&f, 4, 3, 0);
    /* The box turned by 90 degrees about z through its pivot and lifted; the floor taken away. */
    const jo_wall_state states[2] = {
        {.displacement = {0, 0, 10}, .present = true, .rotation = {0, -1, 0, 1, 0, 0, 0, 0, 1}},
        {.present = false}};
    EXPECT_OK(jo_trajectory_append(t, &f.view, NULL, 0, NULL, 0, &error), error);
    EXPECT_OK(jo_trajectory_append(t, &f.view, states, 2, NULL, 0, &error), error);
    finish(t);
    jo_replay *r = replay(path);
    const double *corners;
    const uint32_t *wall;
    size_t still, moved;
    EXPECT_OK(jo_replay_walls(r, 0, &corners, &wall, &still, &error), error);
    assert_int_equal(still, 12 + 2);
    double lo[3] = {1e9, 1e9, 1e9}, hi[3] = {-1e9, -1e9, -1e9};
    EXPECT_OK(jo_replay_walls(r, 1, &corners, &wall, &moved, &error), error);
    assert_int_equal(moved, 12);
    for (size_t k = 0; k < 9 * moved; k++) {
        lo[k % 3] = fmin(lo[k % 3], corners[k]);
        hi[k % 3] = fmax(hi[k % 3], corners[k]);
        assert_int_equal(wall[k / 9], 0);
    }
    /* (x, y) from the pivot (0.5, 0) becomes (-y, x): x from 0.5 - 2 to 0.5, y from -0.5 to 0.5 */
    static const double want_lo[3] = {-1.5, -0.5, 10}, want_hi[3] = {0.5, 0.5, 13};
    for (int a = 0; a < 3; a++) {
        assert_true(fabs(lo[a] - want_lo[a]) < 1e-12);
        assert_true(fabs(hi[a] - want_hi[a]) < 1e-12);
    }
    jo_replay_close(r);
}

/* A disk that is full from some byte on: the call says so, later ones too, the frames before stay.
 */
static void test_disk_full(void **state)
{
    (void)state;
    for (rlim_t limit = 0; limit < 400000; limit += 39989) {
        fflush(NULL);
        unlink(in_folder("run.h5"));
        const pid_t child = fork();
        if (child == 0) {
            const struct rlimit most = {limit, limit};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &most);
            jo_error error;
            jo_trajectory *t;
            const jo_scene scene = scene_of(3);
            jo_status status = jo_trajectory_create(in_folder("run.h5"), &scene, &t, &error);
            uint64_t done = 0;
            for (; status == JO_OK && done < 30; done++) {
                made_frame f;
                make_frame(&f, 200, 3, done);
                status = jo_trajectory_append(t, &f.view, NULL, 0, NULL, 0, &error);
                if (status != JO_OK) break;
            }
            if (status != JO_ERR_SPACE || strstr(error.text, "File too large") == NULL) _exit(99);
            if (done > 0 && jo_trajectory_observe(t, 0, NULL, NULL, 1, &error) != JO_ERR_IO)
                _exit(98);
            if (t != NULL && jo_trajectory_close(t, &error) != JO_OK) _exit(97);
            _exit((int)done);
        }
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFEXITED(status));
        assert_in_range(WEXITSTATUS(status), 0, 30);
        const size_t done = (size_t)WEXITSTATUS(status);
        if (access(in_folder("run.h5"), F_OK) != 0) {
            assert_int_equal(done, 0);
            continue;
        }
        jo_replay *r = replay(in_folder("run.h5"));
        assert_int_equal(jo_replay_frames(r), done);
        for (size_t k = 0; k < done; k++)
            expect(r, k, 200, 3, k);
        jo_replay_close(r);
        assert_int_equal(files_in_folder(), 1);
    }
}

static void expect_open_fails(const char *path, jo_status want, const char *words)
{
    jo_error error;
    jo_replay *r = NULL;
    jo_trajectory *t = NULL;
    assert_int_equal(jo_replay_open(path, &r, &error), want);
    assert_null(r);
    if (strstr(error.text, words) == NULL) fail_msg("'%s' lacks '%s'", error.text, words);
    assert_int_not_equal(jo_trajectory_continue(path, 0, &t, &error), JO_OK);
    assert_null(t);
}

static void test_files_that_are_not_ours(void **state)
{
    (void)state;
    expect_open_fails(in_folder("absent.h5"), JO_ERR_IO, "No such file");
    FILE *f = fopen(in_folder("text.h5"), "w");
    fputs("hello", f);
    fclose(f);
    expect_open_fails(in_folder("text.h5"), JO_ERR_DATA, "is not an HDF5 file");
    const hid_t file = H5Fcreate(in_folder("other.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    expect_open_fails(in_folder("other.h5"), JO_ERR_DATA, "has no particles/all/position");
    unlink(in_folder("text.h5"));
    unlink(in_folder("other.h5"));
}

/* A few bytes that claim a thousand million bodies: refused before memory is taken. */
static void test_claims_beyond_the_file(void **state)
{
    (void)state;
    const hsize_t size[3] = {1, (hsize_t)1 << 30, 3}, chunk[3] = {1, 1024, 3};
    const hid_t file = H5Fcreate(in_folder("huge.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    static const char *const names[] = {"position/step", "position/time", "radius/value",
                                        "position/value"};
    for (int k = 0; k < 4; k++) {
        char path[64];
        const int rank = k < 2 ? 1 : k;
        snprintf(path, sizeof path, "particles/all/%s", names[k]);
        const hid_t space = H5Screate_simple(rank, size, NULL);
        H5Pset_chunk(creation, rank, chunk);
        H5Dclose(H5Dcreate2(file, path, H5T_NATIVE_DOUBLE, space, links, creation, H5P_DEFAULT));
        H5Sclose(space);
    }
    H5Pclose(links);
    H5Pclose(creation);
    H5Fclose(file);
    expect_open_fails(in_folder("huge.h5"), JO_ERR_DATA, "claims 1073741824 bodies");
    unlink(in_folder("huge.h5"));
}

/* HDF5 waits for a block that another process might be writing; one that is broken for good is
 * waited for not long. */
static void test_damaged_files_are_told_soon(void **state)
{
    (void)state;
    jo_trajectory *t = begin(in_folder("run.h5"), 3);
    append(t, 10, 3, 0);
    finish(t);
    FILE *file = fopen(in_folder("run.h5"), "rb");
    static char bytes[1 << 20];
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 1000 && size < sizeof bytes);
    bytes[20] ^= 4; /* in the superblock; HDF5 1.10 itself leaks where other blocks are damaged */
    file = fopen(in_folder("damaged.h5"), "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    alarm(60); /* ends the test where waiting does not end */
    expect_open_fails(in_folder("damaged.h5"), JO_ERR_DATA, "damaged");
    alarm(0);
    unlink(in_folder("damaged.h5"));
    unlink(in_folder("run.h5"));
}

/* The host program's own setting of HDF5's error printing survives. */
static void test_hdf5_setting_is_kept(void **state)
{
    (void)state;
    H5E_auto2_t before, after;
    void *context;
    H5Eget_auto2(H5E_DEFAULT, &before, &context);
    finish(begin(in_folder("run.h5"), 3));
    H5Eget_auto2(H5E_DEFAULT, &after, &context);
    assert_true(before == after);
    assert_non_null(after);
}

static void test_wrong_dimension(void **state)
{
    (void)state;
    jo_error error;
    made_frame f;
    make_frame(&f, 1, 2, 0);
    jo_trajectory *t = begin(in_folder("run.h5"), 3);
    assert_int_equal(jo_trajectory_append(t, &f.view, NULL, 0, NULL, 0, &error), JO_ERR_ARGUMENT);
    finish(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_of_changing_size),
        cmocka_unit_test(test_no_frames),
        cmocka_unit_test(test_reading_while_writing),
        cmocka_unit_test(test_observables),
        cmocka_unit_test(test_going_on),
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_disk_full),
        cmocka_unit_test(test_files_that_are_not_ours),
        cmocka_unit_test(test_claims_beyond_the_file),
        cmocka_unit_test(test_damaged_files_are_told_soon),
        cmocka_unit_test(test_hdf5_setting_is_kept),
        cmocka_unit_test(test_wrong_dimension),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

#else

static void test_unsupported(void **state)
{
    (void)state;
    jo_error error;
    jo_replay *r;
    jo_trajectory *t;
    const jo_scene scene = {.dim = 3};
    assert_int_equal(jo_trajectory_create("x.h5", &scene, &t, &error), JO_ERR_UNSUPPORTED);
    assert_int_equal(jo_trajectory_continue("x.h5", 0, &t, &error), JO_ERR_UNSUPPORTED);
    assert_int_equal(jo_replay_open("x.h5", &r, &error), JO_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "libhdf5-dev"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unsupported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
