/* test_checkpoint.c — checkpoints: what comes back, damage of every kind, full disks, old files. */
#include "unit/frames.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#ifdef JO_HAVE_HDF5

static double doubles[1000];
static uint64_t longs[3] = {0, UINT64_MAX, 0x8000000000000000u};
static uint32_t words[5] = {1, 2, 3, UINT32_MAX, 5};
static float floats[2] = {1.5f, -0.0f};
static uint8_t bytes[3] = {0, 127, 255};

static size_t fill(jo_chunk chunks[JO_CHUNKS_MAX])
{
    const jo_chunk all[6] = {
        {.name = "zeta", .type = JO_CHUNK_F64, .count = 1000, .data = doubles},
        {.name = "ids", .type = JO_CHUNK_U64, .count = 3, .data = longs},
        {.name = "a very long name of 31 bytes ok",
         .type = JO_CHUNK_U32,
         .count = 5,
         .data = words},
        {.name = "floats", .type = JO_CHUNK_F32, .count = 2, .data = floats},
        {.name = "bytes", .type = JO_CHUNK_U8, .count = 3, .data = bytes},
        {.name = "nothing", .type = JO_CHUNK_F64, .count = 0, .data = NULL},
    };
    for (int k = 0; k < 1000; k++)
        doubles[k] = k == 17 ? __builtin_nan("") : (k % 3 - 1) * 1e-300 * k;
    memcpy(chunks, all, sizeof all);
    return 6;
}

static char source[] = "box: [1, 2]\n# \xC3\xA4\xC3\xB6\n";
static char scene_folder[] = "scenes/here";
static char block_name[] = "../shapes/block.off", empty_name[] = "empty";
static jo_geometry_file geometry[] = {{block_name, bytes, sizeof bytes}, {empty_name, bytes, 0}};

static jo_scene scene_of(void)
{
    return (jo_scene){.dim = 3,
                      .source = source,
                      .folder = scene_folder,
                      .geometry = geometry,
                      .geometry_count = 2};
}

static void write_sample(const char *path)
{
    jo_error error;
    jo_chunk chunks[JO_CHUNKS_MAX];
    const size_t count = fill(chunks);
    const jo_scene scene = scene_of();
    EXPECT_OK(jo_checkpoint_write(path, &scene, chunks, count, &error), error);
}

static void expect_sample(const char *path)
{
    jo_error error;
    jo_checkpoint c;
    jo_chunk chunks[JO_CHUNKS_MAX];
    const size_t count = fill(chunks);
    static const size_t size[] = {8, 4, 8, 4, 1};
    EXPECT_OK(jo_checkpoint_read(path, &c, &error), error);
    assert_int_equal(c.count, count);
    assert_string_equal(c.scene_text, source);
    assert_string_equal(c.scene_folder, scene_folder);
    for (size_t k = 0; k < count; k++) { /* in the same order, to the last bit */
        assert_string_equal(c.chunks[k].name, chunks[k].name);
        assert_int_equal(c.chunks[k].type, chunks[k].type);
        assert_int_equal(c.chunks[k].count, chunks[k].count);
        if (chunks[k].count > 0)
            assert_memory_equal(c.chunks[k].data, chunks[k].data,
                                chunks[k].count * size[chunks[k].type]);
    }
    assert_int_equal(c.geometry_count, 2);
    for (size_t k = 0; k < 2; k++) {
        assert_string_equal(c.geometry[k].name, geometry[k].name);
        assert_int_equal(c.geometry[k].size, geometry[k].size);
    }
    assert_memory_equal(c.geometry[0].bytes, bytes, sizeof bytes);
    jo_checkpoint_free(&c);
    assert_null(c.chunks);
    assert_null(c.geometry);
    jo_checkpoint_free(&c);
    jo_checkpoint_free(NULL);
}

static void test_round_trip(void **state)
{
    (void)state;
    write_sample(in_folder("state.h5"));
    expect_sample(in_folder("state.h5"));
    write_sample(in_folder("state.h5")); /* over the old one */
    expect_sample(in_folder("state.h5"));
    assert_int_equal(files_in_folder(), 1);
}

static void test_without_a_scene(void **state)
{
    (void)state;
    jo_error error;
    jo_checkpoint c;
    EXPECT_OK(jo_checkpoint_write(in_folder("empty.h5"), NULL, NULL, 0, &error), error);
    EXPECT_OK(jo_checkpoint_read(in_folder("empty.h5"), &c, &error), error);
    assert_int_equal(c.count, 0);
    assert_int_equal(c.geometry_count, 0);
    assert_string_equal(c.scene_text, "");
    jo_checkpoint_free(&c);
}

static size_t load(const char *path, unsigned char **data)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    const size_t size = (size_t)ftell(f);
    rewind(f);
    *data = malloc(size);
    assert_int_equal(fread(*data, 1, size, f), size);
    fclose(f);
    return size;
}

static void store(const char *path, const unsigned char *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    fclose(f);
}

static void expect_refused(const char *path)
{
    jo_error error;
    jo_checkpoint c;
    assert_int_equal(jo_checkpoint_read(path, &c, &error), JO_ERR_DATA);
    assert_non_null(strstr(error.text, "damaged.h5"));
    assert_null(c.chunks);
    assert_int_equal(c.count, 0);
}

static void test_damage(void **state)
{
    (void)state;
    unsigned char *data;
    const char *path = in_folder("damaged.h5");
    write_sample(in_folder("state.h5"));
    const size_t size = load(in_folder("state.h5"), &data);
    for (size_t k = 0; k < size; k += k < size - 80 ? 61 : 1) { /* a bit anywhere */
        if (k >= size - 8) break;                               /* reserved: says nothing */
        data[k] ^= (unsigned char)(1u << (k % 8));
        store(path, data, size);
        expect_refused(path);
        data[k] ^= (unsigned char)(1u << (k % 8));
    }
    for (size_t cut = 0; cut < size; cut += cut < size - 100 ? 211 : 1) { /* an end missing */
        store(path, data, cut);
        expect_refused(path);
    }
    store(path, (const unsigned char *)source, sizeof source); /* another file altogether */
    expect_refused(path);
    free(data);
}

static void test_messages(void **state)
{
    (void)state;
    jo_error error;
    jo_checkpoint c;
    assert_int_equal(jo_checkpoint_read(in_folder("absent.h5"), &c, &error), JO_ERR_IO);
    assert_non_null(strstr(error.text, "absent.h5: cannot be opened: No such file"));
    assert_int_equal(jo_checkpoint_read(folder, &c, &error), JO_ERR_IO);
    assert_int_equal(jo_checkpoint_write(folder, NULL, NULL, 0, &error), JO_ERR_IO);
    assert_non_null(strstr(error.text, "is a directory"));
    jo_chunk chunks[2] = {{.name = "a/b", .type = JO_CHUNK_U8, .count = 3, .data = bytes}};
    assert_int_equal(jo_checkpoint_write(in_folder("x.h5"), NULL, chunks, 1, &error),
                     JO_ERR_ARGUMENT);
    strcpy(chunks[0].name, "twice");
    chunks[1] = chunks[0];
    assert_int_equal(jo_checkpoint_write(in_folder("x.h5"), NULL, chunks, 2, &error),
                     JO_ERR_ARGUMENT);
    assert_non_null(strstr(error.text, "two chunks named twice"));
    chunks[0].data = NULL;
    assert_int_equal(jo_checkpoint_write(in_folder("x.h5"), NULL, chunks, 1, &error),
                     JO_ERR_ARGUMENT);
}

/* A disk that is full from byte `limit` on: the old file stays, nothing is left beside it. */
static void test_disk_full(void **state)
{
    (void)state;
    const size_t before = files_in_folder();
    write_sample(in_folder("state.h5"));
    for (rlim_t limit = 0; limit < 20000; limit += 1009) {
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            const struct rlimit most = {limit, limit};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &most);
            jo_error error;
            jo_chunk chunks[JO_CHUNKS_MAX];
            doubles[0] = 42.0;
            const size_t count = fill(chunks);
            const jo_status status =
                jo_checkpoint_write(in_folder("state.h5"), NULL, chunks, count, &error);
            const bool said =
                status == JO_ERR_SPACE && strstr(error.text, "File too large") != NULL;
            _exit(status == JO_OK ? 2 : said ? 0 : 1);
        }
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFEXITED(status));
        assert_true(WEXITSTATUS(status) == 0 || (WEXITSTATUS(status) == 2 && limit > 12000));
        if (WEXITSTATUS(status) == 2) break;
        expect_sample(in_folder("state.h5"));
        assert_true(files_in_folder() <= before + 1);
    }
}

static void test_device_full(void **state)
{
    (void)state;
    jo_error error;
    jo_chunk chunks[JO_CHUNKS_MAX];
    const size_t count = fill(chunks);
    assert_int_equal(jo_checkpoint_write("/dev/full", NULL, chunks, count, &error), JO_ERR_SPACE);
    assert_non_null(strstr(error.text, "No space left"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_without_a_scene),
        cmocka_unit_test(test_damage),     cmocka_unit_test(test_messages),
        cmocka_unit_test(test_disk_full),  cmocka_unit_test(test_device_full),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

#else

/* Without HDF5 the functions say so. */
static void test_unsupported(void **state)
{
    (void)state;
    jo_error error;
    jo_checkpoint c;
    assert_int_equal(jo_checkpoint_write("x.h5", NULL, NULL, 0, &error), JO_ERR_UNSUPPORTED);
    assert_int_equal(jo_checkpoint_read("x.h5", &c, &error), JO_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "libhdf5-dev"));
    jo_checkpoint_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unsupported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
