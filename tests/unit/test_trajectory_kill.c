/* test_trajectory_kill.c — a writer that dies at any moment leaves a file with all frames before.
 *
 * The linker sends pwrite, ftruncate and rename of the library to this file, which counts them (a
 * write that crosses pages counts once for each page, for that is where the system may cut it) and
 * ends the process at a chosen one. So every moment at which a kill can make a difference to the
 * disk is tried, each in a process of its own; what is left is read with jo_replay and, where it is
 * installed, with h5py. Then the run goes on from an earlier step, as after a checkpoint. */
#include "unit/frames.h"

#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>

#ifdef JO_HAVE_HDF5

enum { PAGE = 4096, FRAMES = 6 };

/* Processes are slow to start under the address sanitizer: there, one write in 13 is tried. */
#ifdef __SANITIZE_ADDRESS__
enum { EVERY = 13 };
#else
enum { EVERY = 1 };
#endif

static long pieces_left = -1; /* before the end; -1: no end */
static long pieces_done;

ssize_t __real_pwrite(int fd, const void *bytes, size_t count, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t count, off_t at);
int __real_ftruncate(int fd, off_t size);
int __wrap_ftruncate(int fd, off_t size);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_fsync(int fd);

static void another_piece(void)
{
    if (pieces_left == 0) _exit(77);
    if (pieces_left > 0) pieces_left--;
    pieces_done++;
}

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t count, off_t at)
{
    const char *from = bytes;
    ssize_t done = 0;
    while (count > 0) {
        const size_t room = (size_t)(PAGE - at % PAGE), part = count < room ? count : room;
        another_piece();
        const ssize_t wrote = __real_pwrite(fd, from, part, at);
        if (wrote < 0) return done > 0 ? done : wrote;
        done += wrote;
        from += wrote;
        at += wrote;
        count -= (size_t)wrote;
        if ((size_t)wrote < part) break;
    }
    return done;
}

int __wrap_ftruncate(int fd, off_t size)
{
    another_piece();
    return __real_ftruncate(fd, size);
}

int __wrap_rename(const char *from, const char *to)
{
    another_piece();
    return __real_rename(from, to);
}

/* A kill leaves what was handed to the system; waiting for the disk would take most of the time. */
int __wrap_fsync(int fd)
{
    (void)fd;
    return 0;
}

/* ---- the run */

static const char *const names[3] = {"time", "energy.kinetic", "wall/force"};

static size_t bodies_at(uint64_t step)
{
    return 20 + (step % 7) * 40; /* comes and goes, and passes chunks of 64 */
}

static jo_soft_contact contact_at(uint64_t step)
{
    return (jo_soft_contact){.a = step, .b = step + 1, .force = {1, 2, 3}, .overlap = 0.5};
}

/* For the child, which must not come back into the test. */
#define MUST(call, error)                                                                          \
    do {                                                                                           \
        if ((call) != JO_OK) {                                                                     \
            fprintf(stderr, "%s: %s\n", #call, (error).text);                                      \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void write_frames(jo_trajectory *t, uint64_t first, uint64_t last)
{
    jo_error error;
    for (uint64_t step = first; step < last; step++) {
        made_frame f;
        make_frame(&f, bodies_at(step), 3, step);
        const jo_soft_contact contacts[2] = {contact_at(step), contact_at(step + 1)};
        MUST(jo_trajectory_append(t, &f.view, NULL, 0, contacts, 1 + step % 2, &error), error);
        const double values[3] = {(double)step * 1e-3, (double)step, -1.0};
        MUST(jo_trajectory_observe(t, step, names, values, 3, &error), error);
    }
}

static void whole_run(const char *path)
{
    jo_error error;
    jo_trajectory *t;
    jo_scene scene = {.dim = 3, .engine = "soft"};
    MUST(jo_trajectory_create(path, &scene, &t, &error), error);
    write_frames(t, 0, FRAMES);
    MUST(jo_trajectory_close(t, &error), error);
}

/* Cuts back to the middle and goes on. */
static void resumed_run(const char *path)
{
    jo_error error;
    jo_trajectory *t;
    MUST(jo_trajectory_continue(path, FRAMES / 2, &t, &error), error);
    write_frames(t, FRAMES / 2 + 1, FRAMES);
    MUST(jo_trajectory_close(t, &error), error);
}

/* Runs in a child that ends before its piece number `at`; true: it got to its end. */
static bool run_until(void (*run)(const char *), const char *path, long at)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        pieces_left = at;
        run(path);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
    return WEXITSTATUS(status) == 0;
}

/* Every frame there is as it was written; returns how many. */
static size_t check_file(const char *path)
{
    jo_error error;
    jo_replay *r;
    EXPECT_OK(jo_replay_open(path, &r, &error), error);
    const size_t frames = jo_replay_frames(r);
    for (size_t k = 0; k < frames; k++) {
        made_frame want;
        jo_frame got;
        make_frame(&want, bodies_at(k), 3, k);
        EXPECT_OK(jo_replay_frame(r, k, &got, &error), error);
        expect_frame(&got, &want);
    }
    const char *const *columns;
    const double *values;
    size_t column_count, rows;
    EXPECT_OK(jo_replay_series(r, &columns, &column_count, &values, &rows, &error), error);
    for (size_t k = 0; k < rows; k++)
        assert_true(values[k * column_count + 1] == (double)k);
    assert_true(rows <= frames && rows + 1 >= frames);
    jo_replay_close(r);
    return frames;
}

static void remove_leftovers(void)
{
    for (int k = 0; k < 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "run.h5.tmp%d", k);
        unlink(in_folder(name));
    }
}

static void copy_file(const char *from, const char *to)
{
    char block[65536];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    for (size_t count; (count = fread(block, 1, sizeof block, in)) > 0;)
        assert_int_equal(fwrite(block, 1, count, out), count);
    fclose(in);
    fclose(out);
}

static bool h5py_available(void)
{
    return system("/usr/bin/env python3 -c 'import h5py' 2>/dev/null || "
                  "/usr/bin/python3 -c 'import h5py' 2>/dev/null") == 0;
}

/* Opens every k-*.h5 of the folder as anyone would, and looks at everything. */
static void check_with_h5py(void)
{
    char command[512];
    snprintf(command, sizeof command,
             "P=python3; $P -c 'import h5py' 2>/dev/null || P=/usr/bin/python3; "
             "$P %s/tests/support/read_trajectories.py %s/k-*.h5",
             SOURCE_DIR, folder);
    assert_int_equal(system(command), 0);
}

/* Every 13th file is kept for h5py. */
static void keep_for_h5py(const char *path, const char *kind, long at)
{
    char name[64];
    if (at % 13 != 0) return;
    snprintf(name, sizeof name, "k-%s-%05ld.h5", kind, at);
    copy_file(path, in_folder(name));
}

static void test_killed_while_running(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/run.h5", folder);
    size_t frames_before = 0;
    long at = 0;
    for (bool ended = false; !ended; at += EVERY) {
        unlink(path);
        remove_leftovers();
        ended = run_until(whole_run, path, at);
        struct stat facts;
        if (stat(path, &facts) != 0) {
            assert_int_equal(frames_before, 0); /* not created yet */
            continue;
        }
        const size_t frames = check_file(path);
        assert_true(frames >= frames_before); /* no frame is ever lost again */
        assert_true(frames <= frames_before + 1 || EVERY > 1);
        frames_before = frames;
        keep_for_h5py(path, "run", at);
    }
    assert_int_equal(frames_before, FRAMES);
    assert_true(at > 200); /* the writes did come by here */
}

static void test_killed_while_resuming(void **state)
{
    (void)state;
    char path[512], whole[512];
    snprintf(path, sizeof path, "%s/run.h5", folder);
    snprintf(whole, sizeof whole, "%s/whole", folder);
    unlink(path);
    remove_leftovers();
    assert_true(run_until(whole_run, whole, -1));
    long at = 0;
    for (bool ended = false; !ended; at += EVERY) {
        copy_file(whole, path);
        ended = run_until(resumed_run, path, at);
        const size_t frames = check_file(path);
        assert_true(frames > FRAMES / 2);
        if (ended) assert_int_equal(frames, FRAMES);
        keep_for_h5py(path, "resume", at);
        /* And what is left can be gone on with. */
        if (at / EVERY % 5 == 0) {
            remove_leftovers();
            assert_true(run_until(resumed_run, path, -1));
            assert_int_equal(check_file(path), FRAMES);
        }
        remove_leftovers();
    }
    assert_true(at > 100);
}

static void test_h5py_reads_what_was_left(void **state)
{
    (void)state;
    if (!h5py_available()) skip();
    check_with_h5py();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_while_running),
        cmocka_unit_test(test_killed_while_resuming),
        cmocka_unit_test(test_h5py_reads_what_was_left),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

#else

int main(void)
{
    return 0; /* without HDF5 there is nothing that could be killed */
}

#endif
