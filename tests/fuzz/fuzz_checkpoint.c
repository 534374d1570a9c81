/* fuzz_checkpoint.c — the reader of checkpoints on arbitrary bytes.
 *
 * Whatever is not a checkpoint to the last bit must be refused with a sentence, before HDF5, which
 * trusts what it reads, gets to see it. The fuzzer cannot guess a 128-bit hash: nothing but the
 * untouched files of the corpus may be accepted, and those must be readable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jostle/trajectory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    jo_error error = {JO_OK, ""};
    jo_checkpoint c;
    const int fd = memfd_create("checkpoint", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const jo_status status = jo_checkpoint_read(path, &c, &error);
    if (status == JO_OK && (c.scene_text == NULL || c.count > JO_CHUNKS_MAX)) abort();
    if (status != JO_OK && (error.text[0] == '\0' || c.chunks != NULL || c.count != 0)) abort();
    jo_checkpoint_free(&c);
    close(fd);
    return 0;
}
