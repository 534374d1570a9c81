/* output.c — files that are either written whole or not at all.
 *
 * Bytes go to a new file beside the target, which is flushed to the disk (fsync) and then renamed
 * over the target: a reader sees the old file or the new one, never a part, and after a failure (a
 * full disk, a limit, a crash) the old file is as it was. A target that exists keeps its
 * permissions; a symbolic link keeps pointing to the file that is replaced. What cannot be renamed
 * over — standard output, devices, pipes — is written to directly.
 *
 * Cost: one copy into a buffer of 256 KiB, one write(2) for each buffer. */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { BUFFER = 256 << 10, ATTEMPTS = 1000 };

static void release(output *out)
{
    if (out->owns_fd) close(out->fd);
    free(out->bytes);
    free(out->target);
    free(out->beside);
    *out = (output){.fd = -1};
}

/* Creates TARGET.tmpN for the first free N, with the permissions of the target if it exists. */
static jo_status create_beside(output *out, const struct stat *existing, jo_error *error)
{
    const size_t size = strlen(out->target) + 32;
    out->beside = malloc(size);
    if (out->beside == NULL) return jo_fail_memory(error, size, "a file name");
    for (int n = 0; n < ATTEMPTS; n++) {
        snprintf(out->beside, size, "%s.tmp%d", out->target, n);
        out->fd = open(out->beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->fd >= 0 || errno != EEXIST) break;
    }
    if (out->fd < 0) {
        const int reason = errno;
        free(out->beside);
        out->beside = NULL;
        return jo_error_file(error, out->path, "written", reason);
    }
    out->owns_fd = true;
    if (existing != NULL && fchmod(out->fd, existing->st_mode & 0777) != 0) out->failure = errno;
    return JO_OK;
}

static jo_status open_file(output *out, jo_error *error)
{
    struct stat facts;
    const bool exists = stat(out->path, &facts) == 0;
    if (exists && S_ISDIR(facts.st_mode))
        return jo_fail(error, JO_ERR_IO, "%.300s: is a directory; name a file in it", out->path);
    if (exists && !S_ISREG(facts.st_mode)) {
        out->fd = open(out->path, O_WRONLY | O_CLOEXEC);
        out->owns_fd = out->fd >= 0;
        return out->fd >= 0 ? JO_OK : jo_error_file(error, out->path, "opened", errno);
    }
    /* A file that may not be written to is not replaced either, though the folder would allow it.
     */
    if (exists && access(out->path, W_OK) != 0)
        return jo_error_file(error, out->path, "written", errno);
    out->target = exists ? realpath(out->path, NULL) : strdup(out->path);
    if (out->target == NULL) return jo_error_file(error, out->path, "written", errno);
    return create_beside(out, exists ? &facts : NULL, error);
}

jo_status jo_output_open(output *out, const char *path, jo_error *error)
{
    *out = (output){.path = path, .fd = -1};
    out->bytes = malloc(BUFFER);
    if (out->bytes == NULL) return jo_fail_memory(error, BUFFER, "writing a file");
    jo_status status = JO_OK;
    if (strcmp(path, "-") == 0) {
        fflush(stdout); /* what the program printed before comes before */
        out->path = "standard output";
        out->fd = STDOUT_FILENO;
    } else {
        status = open_file(out, error);
    }
    if (status != JO_OK) release(out);
    return status;
}

static void write_out(output *out, const char *bytes, size_t count)
{
    while (count > 0 && out->failure == 0) {
        const ssize_t done = write(out->fd, bytes, count);
        if (done >= 0) {
            bytes += done;
            count -= (size_t)done;
        } else if (errno != EINTR) {
            out->failure = errno;
        }
    }
}

static void flush(output *out)
{
    write_out(out, out->bytes, out->used);
    out->used = 0;
}

void jo_output_put(output *out, const void *bytes, size_t count)
{
    if (count > BUFFER - out->used) flush(out);
    if (count > BUFFER) {
        write_out(out, bytes, count);
        return;
    }
    if (count > 0) memcpy(out->bytes + out->used, bytes, count);
    out->used += count;
}

char *jo_output_room(output *out)
{
    if (BUFFER - out->used < JO_OUTPUT_ROOM) flush(out);
    return out->bytes + out->used;
}

/* Makes a rename durable; best effort, since some file systems cannot. */
static void sync_folder(const char *file)
{
    char folder[PATH_MAX];
    const char *const slash = strrchr(file, '/');
    const size_t length = slash == NULL ? 0 : slash == file ? 1 : (size_t)(slash - file);
    if (length >= sizeof folder) return;
    if (length == 0)
        strcpy(folder, ".");
    else {
        memcpy(folder, file, length);
        folder[length] = 0;
    }
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

jo_status jo_output_finish(output *out, jo_error *error)
{
    flush(out);
    if (out->beside != NULL && out->failure == 0 && fsync(out->fd) != 0) out->failure = errno;
    if (out->owns_fd && close(out->fd) != 0 && out->failure == 0) out->failure = errno;
    out->owns_fd = false;
    if (out->beside != NULL) {
        if (out->failure == 0 && rename(out->beside, out->target) != 0) out->failure = errno;
        if (out->failure == 0)
            sync_folder(out->target);
        else
            unlink(out->beside);
    }
    const jo_status status =
        out->failure == 0 ? JO_OK : jo_error_file(error, out->path, "written", out->failure);
    release(out);
    return status;
}
