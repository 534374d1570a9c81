/* fuzz_any.c — arbitrary bytes whose format is found by itself, then read. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(data, size, NULL);
}
