/* test_io_files.c — files on the disk: round trips in every format, choice of the format, files
 * that cannot be read or written, output that appears whole or not at all, progress, pairs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/io_cases.h"

static char folder[64];

static const char *in_folder(const char *name)
{
    static char paths[4][512];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", folder, name);
    return paths[turn];
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/jostle-io-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static size_t files_in_folder(void)
{
    size_t n = 0;
    DIR *d = opendir(folder);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static int remove_folder(void **state)
{
    (void)state;
    DIR *d = opendir(folder);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlink(in_folder(e->d_name));
    closedir(d);
    return rmdir(folder);
}

static void write_text(const char *path, const char *content)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(content, f);
    fclose(f);
}

static void expect_content(const char *path, const char *content)
{
    char got[1024] = "";
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    got[fread(got, 1, sizeof got - 1, f)] = 0;
    fclose(f);
    assert_string_equal(got, content);
}

/* Particles with awkward values: many digits, tiny, large, zero. */
static jo_particles sample(size_t n, int dim)
{
    jo_particles p;
    assert_int_equal(jo_particles_allocate(&p, n, dim, NULL), JO_OK);
    uint64_t s = 12345;
    for (size_t i = 0; i < n; i++) {
        double v[4];
        for (int c = 0; c < 4; c++) {
            s = s * 6364136223846793005u + 1442695040888963407u;
            v[c] = (double)(s >> 11) * 0x1p-53 * (i % 7 == 0 ? 1e-9 : i % 5 == 0 ? 1e12 : 100.0);
        }
        p.x[i] = -v[0];
        p.y[i] = v[1];
        if (dim == 3) p.z[i] = i % 3 == 0 ? 0.0 : v[2];
        p.r[i] = v[3];
    }
    return p;
}

static void expect_same(const jo_particles *a, const jo_particles *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->dim, b->dim);
    assert_memory_equal(a->x, b->x, a->n * sizeof(double));
    assert_memory_equal(a->y, b->y, a->n * sizeof(double));
    if (a->dim == 3) assert_memory_equal(a->z, b->z, a->n * sizeof(double));
    assert_memory_equal(a->r, b->r, a->n * sizeof(double));
}

/* Written and read again, every format gives the same bits; large enough for several windows. */
static void round_trips(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        jo_particles p = sample(120001, dim);
        p.has_domain = true;
        p.domain =
            (jo_domain){.lo = {-0.1, 0.3, 0}, .hi = {0.7, 1.9, 0}, .periodic = {true, true, false}};
        for (size_t f = 0; f < jo_format_count(); f++) {
            const jo_format_info *info = jo_format(f);
            char name[64];
            snprintf(name, sizeof name, "trip%.*s", (int)strcspn(info->extensions, " "),
                     info->extensions);
            jo_error error = {0};
            if (jo_particles_write(in_folder(name), NULL, &p, &error) != JO_OK)
                fail_msg("%s: %s", info->name, error.text);
            jo_particles back;
            const jo_read_options options = options_of(dim, NAN, 0);
            if (jo_particles_read(in_folder(name), &options, &back, &error) != JO_OK)
                fail_msg("%s: %s", info->name, error.text);
            expect_same(&p, &back);
            const bool boxed = strcmp(info->name, "xyz") == 0 || strcmp(info->name, "lammps") == 0;
            assert_int_equal(back.has_domain, boxed);
            for (int a = 0; boxed && a < dim; a++) {
                assert_int_equal(back.domain.periodic[a], p.domain.periodic[a]);
                if (!p.domain.periodic[a]) continue;
                assert_true(back.domain.lo[a] == p.domain.lo[a] &&
                            back.domain.hi[a] == p.domain.hi[a]);
            }
            jo_particles_free(&back);
            unlink(in_folder(name));
        }
        jo_particles_free(&p);
    }
    assert_int_equal(files_in_folder(), 0);
}

/* XYZ remembers that it holds discs; formats that hold empty lists give them back. */
static void discs_and_nothing(void **state)
{
    (void)state;
    jo_particles p = sample(3, 2), back;
    jo_error error = {0};
    assert_int_equal(jo_particles_write(in_folder("d.xyz"), NULL, &p, &error), JO_OK);
    assert_int_equal(jo_particles_read(in_folder("d.xyz"), NULL, &back, &error), JO_OK);
    expect_same(&p, &back);
    jo_particles_free(&back);
    jo_particles_free(&p);
    p = sample(0, 3);
    for (size_t f = 0; f < jo_format_count(); f++) {
        const char *name = jo_format(f)->name;
        assert_int_equal(jo_particles_write(in_folder("none"), name, &p, &error), JO_OK);
        jo_read_options options = jo_read_options_default();
        options.format = name;
        const jo_status status = jo_particles_read(in_folder("none"), &options, &back, &error);
        /* A raw file has no header: without particles it is an empty file, which is an error. */
        assert_int_equal(status, strcmp(name, "raw") == 0 ? JO_ERR_DATA : JO_OK);
        assert_int_equal(back.n, 0);
        jo_particles_free(&back);
    }
    jo_particles_free(&p);
    unlink(in_folder("none"));
    unlink(in_folder("d.xyz"));
}

static void formats_are_chosen(void **state)
{
    (void)state;
    static const struct {
        const char *name, *content;
        const char *format;
        int dim;
        size_t n;
    } cases[] = {
        {"A.CSV", "1 2 3\n", NULL, 2, 1},
        {"a.unknown", "1 2 3\n1 2 3\n", NULL, 2, 2},
        {"a.txt", "1\nProperties=pos:R:3:radius:R:1\n1 2 3 4\n", NULL, 3, 1},
        {"a.txt", "ITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS x y z radius\n1 2 3 4\n", NULL, 3, 1},
        {"noextension", "ITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS x y z radius\n1 2 3 4\n", NULL, 3,
         1},
        {"a.npy", "1 2 3 4\n", "csv", 3, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_text(in_folder(cases[i].name), cases[i].content);
        jo_particles p;
        jo_error error = {0};
        jo_read_options options = jo_read_options_default();
        options.format = cases[i].format;
        if (jo_particles_read(in_folder(cases[i].name), &options, &p, &error) != JO_OK)
            fail_msg("case %zu: %s", i, error.text);
        assert_int_equal(p.n, cases[i].n);
        assert_int_equal(p.dim, cases[i].dim);
        jo_particles_free(&p);
        unlink(in_folder(cases[i].name));
    }
}

static void wrong_calls(void **state)
{
    (void)state;
    jo_particles p = sample(1, 3);
    jo_error error = {0};
    jo_particles got;
    jo_read_options options = jo_read_options_default();
    options.format = "jpeg";
    assert_int_equal(jo_particles_read("x", &options, &got, &error), JO_ERR_ARGUMENT);
    assert_string_equal(error.text,
                        "unknown file format 'jpeg'; the formats are csv, xyz, lammps, npy, raw");
    options = options_of(4, NAN, 0);
    assert_int_equal(jo_particles_parse("1 2 3", 5, "x", &options, &got, &error), JO_ERR_ARGUMENT);
    options = options_of(0, -1, 0);
    assert_int_equal(jo_particles_parse("1 2 3", 5, "x", &options, &got, &error), JO_ERR_ARGUMENT);
    options = options_of(0, NAN, 1);
    assert_int_equal(jo_particles_parse("1 2 3", 5, "x", &options, &got, &error), JO_ERR_ARGUMENT);
    assert_non_null(strstr(error.text, "a csv file holds one frame"));
    assert_int_equal(jo_particles_parse(NULL, 5, "x", NULL, &got, &error), JO_ERR_ARGUMENT);
    assert_int_equal(jo_particles_read(NULL, NULL, &got, &error), JO_ERR_ARGUMENT);
    assert_int_equal(jo_particles_write("a.jpeg", NULL, &p, &error), JO_ERR_ARGUMENT);
    assert_non_null(strstr(error.text, "a.jpeg: the extension names no format"));
    assert_int_equal(jo_particles_write("a.csv", "jpeg", &p, &error), JO_ERR_ARGUMENT);
    assert_int_equal(jo_pairs_write("a.jpeg", NULL, (jo_pairs){0}, &error), JO_ERR_ARGUMENT);
    assert_int_equal(jo_pairs_write("a.csv", "xyz", (jo_pairs){0}, &error), JO_ERR_ARGUMENT);
    assert_int_equal(jo_particles_allocate(&got, 1, 4, &error), JO_ERR_ARGUMENT);
    assert_int_equal(jo_particles_allocate(&got, SIZE_MAX, 3, &error), JO_ERR_LIMIT);
    assert_null(got.x);
    assert_null(jo_format(jo_format_count()));
    jo_particles_free(NULL);
    jo_particles_free(&p);
    jo_particles_free(&p);
}

static void cannot_be_read(void **state)
{
    (void)state;
    jo_particles p;
    jo_error error = {0};
    assert_int_equal(jo_particles_read(in_folder("missing.csv"), NULL, &p, &error), JO_ERR_IO);
    assert_non_null(strstr(error.text, "missing.csv: cannot be opened: No such file or directory"));
    assert_int_equal(jo_particles_read(folder, NULL, &p, &error), JO_ERR_IO);
    assert_non_null(strstr(error.text, "is a directory"));
    write_text(in_folder("empty.csv"), "");
    assert_int_equal(jo_particles_read(in_folder("empty.csv"), NULL, &p, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "empty.csv: is empty"));
    /* Without the right to read, also when the tests run as root. */
    chmod(in_folder("empty.csv"), 0);
    const bool root = geteuid() == 0;
    chmod(folder, 0755);
    if (root) assert_int_equal(seteuid(65534), 0);
    const jo_status status = jo_particles_read(in_folder("empty.csv"), NULL, &p, &error);
    if (root) assert_int_equal(seteuid(0), 0);
    assert_int_equal(status, JO_ERR_IO);
    assert_non_null(strstr(error.text, "cannot be opened: Permission denied"));
    unlink(in_folder("empty.csv"));
}

/* Long names keep their end, and the sentence behind them. */
static void long_names(void **state)
{
    (void)state;
    char name[3000];
    memset(name, 'n', sizeof name);
    strcpy(name + sizeof name - 10, "/tail.csv");
    jo_particles p;
    jo_error error = {0};
    assert_int_equal(jo_particles_parse("1 2 3\n1 2\n", 10, name, NULL, &p, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "/tail.csv:2: expected 3 values (x y r), found 2"));
}

static void standard_input(void **state)
{
    (void)state;
    const int saved = dup(STDIN_FILENO);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    static const char content[] = "x,y,r\n1,2,3\n4,5,6\n";
    assert_int_equal(write(ends[1], content, strlen(content)), (ssize_t)strlen(content));
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    jo_particles p;
    jo_error error = {0};
    const jo_status status = jo_particles_read("-", NULL, &p, &error);
    dup2(saved, STDIN_FILENO);
    close(saved);
    assert_int_equal(status, JO_OK);
    assert_int_equal(p.n, 2);
    jo_particles_free(&p);
}

/* Arrays through a pipe, where nothing is known of the size: whole, cut off, and with more behind.
 */
static void arrays_through_a_pipe(void **state)
{
    (void)state;
    jo_particles p = sample(1000, 3);
    for (size_t i = 0; i < p.n; i++)
        p.x[i] = -p.x[i]; /* positive, so that any column may be radii */
    assert_int_equal(jo_particles_write(in_folder("p.npy"), NULL, &p, NULL), JO_OK);
    char bytes[128 + 32000 + 8];
    FILE *f = fopen(in_folder("p.npy"), "rb");
    assert_int_equal(fread(bytes, 1, sizeof bytes, f), 128 + 32000);
    fclose(f);
    unlink(in_folder("p.npy"));
    static const size_t sizes[] = {128 + 32000, 128 + 31999, 128 + 32008, 128};
    for (int i = 0; i < 8; i++) {
        char fifo[64];
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        snprintf(fifo, sizeof fifo, "/dev/fd/%d", ends[0]);
        if (i == 4) { /* the other order: other particles of the same numbers */
            char *const order = strstr(bytes + 10, "False, ");
            memcpy(order, "True,  ", 7);
        }
        assert_int_equal(write(ends[1], bytes, sizes[i % 4]), (ssize_t)sizes[i % 4]);
        close(ends[1]);
        jo_particles back;
        jo_error error = {0};
        const jo_status status = jo_particles_read(fifo, NULL, &back, &error);
        close(ends[0]);
        if (i == 0) {
            assert_int_equal(status, JO_OK);
            expect_same(&p, &back);
        } else if (i == 4) {
            assert_int_equal(status, JO_OK);
            assert_true(back.x[1] == p.y[0] && back.x[3] == p.r[0] && back.x[4] == p.x[1]);
        } else {
            assert_int_equal(status, JO_ERR_DATA);
            assert_non_null(strstr(error.text, i % 4 == 2 ? "holds more" : "holds fewer"));
        }
        jo_particles_free(&back);
    }
    jo_particles_free(&p);
}

static bool stop_at(void *context, double fraction)
{
    double *const last = context;
    assert_true(fraction >= last[0] && fraction <= 1.0);
    last[0] = fraction;
    last[1] += 1.0;
    return fraction < last[2];
}

static void progress(void **state)
{
    (void)state;
    jo_particles p = sample(300000, 3), back;
    jo_error error = {0};
    static const char *const names[] = {"p.csv", "p.npy"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(jo_particles_write(in_folder(names[i]), NULL, &p, NULL), JO_OK);
        double seen[3] = {0.0, 0.0, 2.0};
        jo_read_options options = jo_read_options_default();
        options.progress = stop_at;
        options.progress_context = seen;
        assert_int_equal(jo_particles_read(in_folder(names[i]), &options, &back, &error), JO_OK);
        expect_same(&p, &back);
        assert_true(seen[1] >= 2.0 && seen[0] > 0.5);
        jo_particles_free(&back);
        double stopped[3] = {0.0, 0.0, 0.4};
        options.progress_context = stopped;
        assert_int_equal(jo_particles_read(in_folder(names[i]), &options, &back, &error),
                         JO_ERR_CANCELLED);
        assert_null(back.x);
        unlink(in_folder(names[i]));
    }
    jo_particles_free(&p);
}

/* A full disk: through a device that is always full, and through a limit on the size of files. */
static void full_disk(void **state)
{
    (void)state;
    jo_particles p = sample(100000, 3);
    jo_error error = {0};
    const jo_pair pair = {1, 2};
    assert_int_equal(jo_particles_write("/dev/full", "csv", &p, &error), JO_ERR_SPACE);
    assert_string_equal(
        error.text, "/dev/full: cannot be written: No space left on device; make room there, or "
                    "write to another disk");
    assert_int_equal(jo_pairs_write("/dev/full", "npy", (jo_pairs){&pair, 1}, &error),
                     JO_ERR_SPACE);

    write_text(in_folder("old.csv"), "old\n");
    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 500000;
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const jo_status status = jo_particles_write(in_folder("old.csv"), NULL, &p, &error);
    const jo_status fresh = jo_particles_write(in_folder("new.csv"), NULL, &p, NULL);
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, JO_ERR_SPACE);
    assert_int_equal(fresh, JO_ERR_SPACE);
    assert_non_null(strstr(error.text, "old.csv: cannot be written: File too large"));
    expect_content(in_folder("old.csv"), "old\n");
    assert_int_equal(files_in_folder(), 1);
    unlink(in_folder("old.csv"));
    jo_particles_free(&p);
}

static void replaces_whole_files(void **state)
{
    (void)state;
    jo_particles p;
    assert_int_equal(jo_particles_allocate(&p, 1, 2, NULL), JO_OK);
    p.x[0] = 0.1;
    p.y[0] = -2;
    p.r[0] = 1.0 / 3.0;
    jo_error error = {0};
    /* Permissions of what is replaced stay; a link keeps pointing to it. */
    write_text(in_folder("real.csv"), "old");
    chmod(in_folder("real.csv"), 0640);
    assert_int_equal(symlink(in_folder("real.csv"), in_folder("link.csv")), 0);
    assert_int_equal(jo_particles_write(in_folder("link.csv"), NULL, &p, &error), JO_OK);
    struct stat facts;
    assert_int_equal(lstat(in_folder("link.csv"), &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(stat(in_folder("real.csv"), &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0640);
    expect_content(in_folder("real.csv"), "x,y,r\n0.1,-2,0.3333333333333333\n");
    assert_int_equal(files_in_folder(), 2);
    unlink(in_folder("link.csv"));
    unlink(in_folder("real.csv"));
    /* Places that cannot be written to. */
    assert_int_equal(jo_particles_write(in_folder("no/such/a.csv"), NULL, &p, &error), JO_ERR_IO);
    assert_non_null(strstr(error.text, "a.csv: cannot be written: No such file or directory"));
    assert_int_equal(jo_particles_write(folder, "csv", &p, &error), JO_ERR_IO);
    assert_non_null(strstr(error.text, "is a directory"));
    jo_particles_free(&p);
}

static void text_of_each_writer(void **state)
{
    (void)state;
    jo_particles p;
    assert_int_equal(jo_particles_allocate(&p, 1, 3, NULL), JO_OK);
    p.x[0] = 1.5;
    p.y[0] = -2;
    p.z[0] = 1e-7;
    p.r[0] = 0.25;
    p.has_domain = true;
    p.domain = (jo_domain){.lo = {0, -1, 0}, .hi = {4, 4, 0}, .periodic = {true, false, false}};
    assert_int_equal(jo_particles_write(in_folder("a.xyz"), NULL, &p, NULL), JO_OK);
    expect_content(in_folder("a.xyz"),
                   "1\nLattice=\"4 0 0 0 5 0 0 0 0.5\" Origin=\"0 -1 -0.2499999\" pbc=\"T F F\" "
                   "Properties=species:S:1:pos:R:3:radius:R:1\nA 1.5 -2 1e-7 0.25\n");
    assert_int_equal(jo_particles_write(in_folder("a.dump"), NULL, &p, NULL), JO_OK);
    expect_content(
        in_folder("a.dump"),
        "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp ff ff\n0 4\n-1 4\n"
        "-0.2499999 0.2500001\nITEM: ATOMS id type x y z radius\n1 1 1.5 -2 1e-7 0.25\n");
    unlink(in_folder("a.xyz"));
    unlink(in_folder("a.dump"));
    jo_particles_free(&p);
}

static void pairs(void **state)
{
    (void)state;
    static const jo_pair list[] = {{0, 1}, {7, 4294967294u}};
    jo_error error = {0};
    assert_int_equal(jo_pairs_write(in_folder("p.csv"), NULL, (jo_pairs){list, 2}, &error), JO_OK);
    expect_content(in_folder("p.csv"), "i,j\n0,1\n7,4294967294\n");
    assert_int_equal(jo_pairs_write(in_folder("p.csv"), NULL, (jo_pairs){NULL, 0}, &error), JO_OK);
    expect_content(in_folder("p.csv"), "i,j\n");
    assert_int_equal(jo_pairs_write(in_folder("p.npy"), NULL, (jo_pairs){list, 2}, &error), JO_OK);
    unsigned char bytes[256];
    FILE *f = fopen(in_folder("p.npy"), "rb");
    assert_int_equal(fread(bytes, 1, sizeof bytes, f), 128 + 16);
    fclose(f);
    assert_memory_equal(bytes,
                        "\x93NUMPY\x01\x00\x76\x00"
                        "{'descr': '<u4', 'fortran_order': False, 'shape': (2, 2), } ",
                        70);
    assert_int_equal(bytes[127], '\n');
    assert_memory_equal(bytes + 128, "\0\0\0\0\1\0\0\0\7\0\0\0\xfe\xff\xff\xff", 16);
    unlink(in_folder("p.csv"));
    unlink(in_folder("p.npy"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),
        cmocka_unit_test(discs_and_nothing),
        cmocka_unit_test(formats_are_chosen),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(cannot_be_read),
        cmocka_unit_test(long_names),
        cmocka_unit_test(standard_input),
        cmocka_unit_test(arrays_through_a_pipe),
        cmocka_unit_test(progress),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(replaces_whole_files),
        cmocka_unit_test(text_of_each_writer),
        cmocka_unit_test(pairs),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
