/* pairs_file.c — lists of pairs to a file: "csv" with the header i,j, or "npy" of uint32.
 *
 * Indices count from 0 in the order of the particles. In memory a pair is two 32-bit integers,
 * which on little-endian machines is the record that goes into the file. */
#include <string.h>

#include "base/error.h"
#include "io/binary.h"
#include "io/format.h"
#include "io/number.h"

static void write_csv(output *out, jo_pairs pairs)
{
    jo_output_put(out, "i,j\n", 4);
    for (size_t k = 0; k < pairs.count && out->failure == 0; k++) {
        char *at = jo_output_room(out);
        at += jo_integer_format(pairs.pairs[k].i, at);
        *at++ = ',';
        at += jo_integer_format(pairs.pairs[k].j, at);
        *at++ = '\n';
        jo_output_used(out, at);
    }
}

static void write_npy(output *out, jo_pairs pairs)
{
    jo_npy_header(out, "<u4", pairs.count, 2);
    for (size_t k = 0; k < pairs.count && out->failure == 0; k++) {
        char *const at = jo_output_room(out);
        store_u32(pairs.pairs[k].i, at);
        store_u32(pairs.pairs[k].j, at + 4);
        jo_output_used(out, at + 8);
    }
}

jo_status jo_pairs_write(const char *path, const char *format_name, jo_pairs pairs, jo_error *error)
{
    if (path == NULL || (pairs.pairs == NULL && pairs.count > 0))
        return jo_fail(error, JO_ERR_ARGUMENT, "a path and an array of pairs are needed");
    const char *name = format_name;
    if (name == NULL && jo_path_has_extension(path, ".npy")) name = "npy";
    if (name == NULL && (strcmp(path, "-") == 0 || jo_path_has_extension(path, ".csv .txt")))
        name = "csv";
    if (name == NULL)
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "%.300s: the extension names no format for pairs; use .csv or .npy", path);
    const bool npy = strcmp(name, "npy") == 0;
    if (!npy && strcmp(name, "csv") != 0)
        return jo_fail(error, JO_ERR_ARGUMENT,
                       "unknown format '%.40s' for pairs; the formats are csv and npy", name);
    output out;
    const jo_status status = jo_output_open(&out, path, error);
    if (status != JO_OK) return status;
    if (npy)
        write_npy(&out, pairs);
    else
        write_csv(&out, pairs);
    return jo_output_finish(&out, error);
}
