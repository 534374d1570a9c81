/* movie.c — frames into a video file, through ffmpeg.
 *
 * ffmpeg reads raw pixels from a pipe and writes H.264 that browsers and slides play. It writes
 * beside the target, which is replaced when it has ended well: an interrupted movie leaves the old
 * one. What ffmpeg has to say about failures goes to stderr. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "movie.h"

static jo_status fail(jo_error *error, jo_status status, const char *path, const char *what)
{
    return cli_error(error, status, "%.300s: %s", path, what);
}

bool movie_possible(void)
{
    const char *rest = getenv("PATH");
    while (rest != NULL && *rest != '\0') {
        char file[1024];
        const size_t length = strcspn(rest, ":");
        snprintf(file, sizeof file, "%.*s/ffmpeg", (int)length, rest);
        if (access(file, X_OK) == 0) return true;
        rest += length + (rest[length] == ':');
    }
    return false;
}

static void become_ffmpeg(const movie *m, int input, int width, int height, double fps)
{
    char size[32], rate[32], output[1100];
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%g", fps);
    snprintf(output, sizeof output, "%s", m->temporary);
    dup2(input, STDIN_FILENO);
    signal(SIGINT, SIG_IGN); /* the terminal's interrupt goes to us, who end it in order */
    execlp("ffmpeg", "ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
           "-s", size, "-r", rate, "-i", "-", "-an", "-c:v", "libx264", "-crf", "18", "-preset",
           "medium", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", output,
           (char *)NULL);
    _exit(127);
}

jo_status movie_open(movie *m, const char *path, int width, int height, double fps, jo_error *error)
{
    int ends[2];
    *m = (movie){.pipe = -1, .frame_bytes = 3 * (size_t)width * (size_t)height};
    if (strlen(path) >= sizeof m->path) return fail(error, JO_ERR_IO, path, "the path is too long");
    snprintf(m->path, sizeof m->path, "%s", path);
    snprintf(m->temporary, sizeof m->temporary, "%s.tmp%ld", path, (long)getpid());
    if (pipe(ends) != 0) return fail(error, JO_ERR_IO, path, strerror(errno));
    fflush(NULL);
    m->child = fork();
    if (m->child == 0) {
        close(ends[1]);
        become_ffmpeg(m, ends[0], width, height, fps);
    }
    close(ends[0]);
    m->pipe = ends[1];
    if (m->child < 0) {
        close(ends[1]);
        m->pipe = -1;
        return fail(error, JO_ERR_IO, path, strerror(errno));
    }
    signal(SIGPIPE, SIG_IGN); /* an ffmpeg that died is an error of ours to report */
    return JO_OK;
}

/* Whether the file is an MP4 up to its last byte: a row of boxes, each with its length and name,
 * among them the index `moov`. ffmpeg may end well though the disk was full when it wrote that. */
static bool is_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    uint64_t at = 0, end = 0;
    bool index = false, frames = false;
    if (fseeko(file, 0, SEEK_END) == 0) end = (uint64_t)ftello(file);
    while (at < end) {
        unsigned char head[16] = {0};
        uint64_t length = 0;
        if (fseeko(file, (off_t)at, SEEK_SET) != 0 || fread(head, 8, 1, file) != 1) break;
        const bool wide = memcmp(head, "\0\0\0\1", 4) == 0; /* the length follows, in 64 bits */
        if (wide && fread(head + 8, 8, 1, file) != 1) break;
        for (int k = 0; k < (wide ? 8 : 4); k++)
            length = length << 8 | head[(wide ? 8 : 0) + k];
        if (length < 8 || length > end - at) break;
        index = index || memcmp(head + 4, "moov", 4) == 0;
        frames = frames || memcmp(head + 4, "mdat", 4) == 0;
        at += length;
    }
    fclose(file);
    return at == end && index && frames;
}

/* ffmpeg says why it failed to a person; here is what a program can know: whether there was no
 * room. To be asked while what it wrote is still there. */
static int no_room(const movie *m)
{
    struct stat about;
    struct statvfs disk;
    struct rlimit limit;
    const bool there = stat(m->temporary, &about) == 0;
    if (there && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        (uint64_t)about.st_size >= limit.rlim_cur)
        return EFBIG;
    if (there && statvfs(m->temporary, &disk) == 0 && disk.f_bavail == 0) return ENOSPC;
    return 0;
}

jo_status movie_frame(movie *m, const uint8_t *rgb, jo_error *error)
{
    for (size_t done = 0; done < m->frame_bytes;) {
        const ssize_t count = write(m->pipe, rgb + done, m->frame_bytes - done);
        if (count > 0)
            done += (size_t)count;
        else if (count < 0 && errno != EINTR)
            return fail(error, JO_ERR_IO, m->path,
                        "ffmpeg ended before the movie did; it said why above");
    }
    return JO_OK;
}

jo_status movie_close(movie *m, bool keep, jo_error *error)
{
    int status = 0;
    if (m->pipe >= 0) close(m->pipe);
    m->pipe = -1;
    while (waitpid(m->child, &status, 0) < 0 && errno == EINTR) {
    }
    const bool ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    const bool well = ended && (!keep || is_whole(m->temporary));
    if (keep && well && rename(m->temporary, m->path) == 0) return JO_OK;
    const int reason = well ? errno : no_room(m);
    unlink(m->temporary);
    if (!keep && (well || reason == 0)) return JO_OK;
    if (reason != 0) return jo_error_file(error, m->path, "written", reason);
    return fail(error, JO_ERR_IO, m->path, "ffmpeg failed; it said why above");
}
