/* fuzz_raw.c — the reader of the format "raw" on arbitrary bytes. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(data, size, "raw");
}
