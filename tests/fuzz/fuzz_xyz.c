/* fuzz_xyz.c — the reader of the format "xyz" on arbitrary bytes. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(data, size, "xyz");
}
