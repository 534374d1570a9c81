/* fuzz_dump.c — appending a frame to a dump that holds arbitrary bytes.
 *
 * Whatever was there, the new frame must be the last of the file, and complete: everything that
 * stands before it starts with "ITEM: TIMESTEP" or is gone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jostle/trajectory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t id[2] = {0, 5};
    static const double x[6] = {1, 2, 3, 4, 5, 6}, r[2] = {0.5, 0.25};
    static const char start[] = "ITEM: TIMESTEP\n1000\nITEM: TIME\n1\nITEM: NUMBER OF ATOMS\n2\n";
    const jo_frame frame = {.time = 1, .step = 1000, .dim = 3, .n = 2, .id = id, .x = x, .r = r};
    char path[64], tail[512];
    jo_error error = {JO_OK, ""};
    const int fd = memfd_create("dump", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (jo_dump_append(path, &frame, &error) != JO_OK) abort();
    const off_t end = lseek(fd, 0, SEEK_END), from = end > 400 ? end - 400 : 0;
    const ssize_t count = pread(fd, tail, 400, from);
    if (count < (ssize_t)sizeof start) abort();
    tail[count] = '\0';
    /* The frame is there, whole, and nothing comes behind it. */
    const char *at = memmem(tail, (size_t)count, start, sizeof start - 1);
    if (at == NULL || tail[count - 1] != '\n') abort();
    /* Appending it again replaces it: the file stays as it is. */
    if (jo_dump_append(path, &frame, &error) != JO_OK) abort();
    if (lseek(fd, 0, SEEK_END) != end) abort();
    close(fd);
    return 0;
}
