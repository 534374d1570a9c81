/* test_io_mutations.c — the seeds of the fuzzers, cut and changed at random, through every reader.
 *
 * What tools/fuzz.sh does for minutes with coverage to guide it, this does blindly in a second or
 * two and with any compiler, so that every run of the tests, under the sanitizers too, keeps the
 * readers' promises: see tests/fuzz/fuzz_reader.h, which aborts when one is broken. */
#include <dirent.h>

#include "fuzz/fuzz_reader.h"
#include "unit/io_cases.h"

enum { SIZE_MAX_OF_SEED = 4096, CHANGES = 1500 };

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static size_t random_below(size_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % n);
}

/* Parses an exact copy, as bytes beyond the end must not be read. */
static void try_bytes(const uint8_t *bytes, size_t size, const char *format)
{
    uint8_t *copy = malloc(size + (size == 0));
    memcpy(copy, bytes, size);
    fuzz_reader(copy, size, format);
    free(copy);
}

/* One to four changes: a byte to another, to one that means something, removed, or a piece
 * repeated. */
static size_t change(uint8_t *bytes, size_t size)
{
    static const char meaningful[] = "0123456789.,;-+eE \t\r\n#\"':()[]{}=xyzrTF\0\xff\x93";
    for (size_t k = random_below(4) + 1; k > 0 && size > 0; k--) {
        const size_t at = random_below(size);
        switch (random_below(4)) {
        case 0:
            bytes[at] = (uint8_t)random_below(256);
            break;
        case 1:
            bytes[at] = (uint8_t)meaningful[random_below(sizeof meaningful - 1)];
            break;
        case 2:
            memmove(bytes + at, bytes + at + 1, size - at - 1);
            size--;
            break;
        default: {
            const size_t length = random_below(size - at) + 1;
            memmove(bytes + at + length, bytes + at, size - at);
            size += length;
        }
        }
    }
    return size;
}

static size_t try_seed(const char *path, const char *format)
{
    uint8_t seed[SIZE_MAX_OF_SEED], changed[16 * SIZE_MAX_OF_SEED];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t size = fread(seed, 1, sizeof seed, f);
    fclose(f);
    assert_true(size > 0 && size < sizeof seed);
    const char *const formats[2] = {format, NULL};
    for (int i = 0; i < 2; i++) {
        for (size_t cut = 0; cut <= size; cut++)
            try_bytes(seed, cut, formats[i]);
        for (int k = 0; k < CHANGES; k++) {
            memcpy(changed, seed, size);
            try_bytes(changed, change(changed, size), formats[i]);
        }
    }
    return 2 * (size + 1 + CHANGES);
}

static void promises_are_kept(void **state)
{
    (void)state;
    size_t tried = 0;
    for (size_t i = 0; i < jo_format_count(); i++) {
        char folder[512], path[1024];
        snprintf(folder, sizeof folder, SOURCE_DIR "/tests/fuzz/corpus/%s", jo_format(i)->name);
        DIR *d = opendir(folder);
        if (d == NULL) fail_msg("no seeds for the format %s in %s", jo_format(i)->name, folder);
        for (const struct dirent *e; (e = readdir(d)) != NULL;) {
            if (e->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            tried += try_seed(path, jo_format(i)->name);
        }
        closedir(d);
    }
    assert_true(tried > 40000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(promises_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
