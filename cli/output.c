/* output.c — files the program writes by itself: whole or not at all.
 *
 * A report is written to PATH.tmpPID and renamed over PATH once everything is on its way to the
 * disk, so an old report survives a full disk, and a reader never sees half of one. */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

jo_status output_open(output *o, const char *path, jo_error *error)
{
    *o = (output){0};
    if (strcmp(path, "-") == 0) {
        o->file = stdout;
        return JO_OK;
    }
    if (strlen(path) >= sizeof o->path)
        return cli_error(error, JO_ERR_IO, "%.100s…: the path is longer than %zu bytes", path,
                         sizeof o->path);
    snprintf(o->path, sizeof o->path, "%s", path);
    snprintf(o->temporary, sizeof o->temporary, "%s.tmp%ld", path, (long)getpid());
    cli_signals_hold();
    o->file = fopen(o->temporary, "w");
    if (o->file == NULL) {
        const jo_status status = jo_error_file(error, path, "written", errno);
        cli_signals_release();
        return status;
    }
    return JO_OK;
}

jo_status output_close(output *o, jo_error *error)
{
    if (o->file == stdout || o->file == NULL) return JO_OK; /* main checks standard output */
    jo_status status = JO_OK;
    errno = 0;
    const bool flushed = fflush(o->file) == 0, written = flushed && !ferror(o->file);
    const int cause = errno;
    if ((fclose(o->file) != 0 || !written) && status == JO_OK)
        status = jo_error_file(error, o->path, "written", cause != 0 ? cause : errno);
    if (status == JO_OK && rename(o->temporary, o->path) != 0)
        status = jo_error_file(error, o->path, "replaced", errno);
    if (status != JO_OK) unlink(o->temporary);
    o->file = NULL;
    cli_signals_release();
    return status;
}

bool output_is_standard(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

jo_status output_possible(const char *path, jo_error *error)
{
    char folder[1024];
    if (strcmp(path, "-") == 0) return JO_OK;
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    if (length >= sizeof folder)
        return cli_error(error, JO_ERR_IO, "%.100s…: the path is too long", path);
    snprintf(folder, sizeof folder, "%.*s", length > 0 ? (int)length : 1, length > 0 ? path : ".");
    struct stat about;
    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode))
        return cli_error(error, JO_ERR_IO, "%.300s: cannot be written: there is no folder '%.100s'",
                         path, folder);
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return cli_error(error, JO_ERR_IO, "%.300s: cannot be written: it is a folder", path);
    if (access(folder, W_OK) != 0 && access(path, W_OK) != 0)
        return jo_error_file(error, path, "written", errno);
    return JO_OK;
}

jo_status output_picture_possible(const char *path, jo_error *error)
{
    static const char *const known[] = {".png", ".svg", ".pdf"};
    bool ends = output_is_standard(path) || strncmp(path, "/dev/", 5) == 0;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        ends = ends || output_has_extension(path, known[k]);
    if (!ends) {
        return cli_error(error, JO_ERR_ARGUMENT, "%.300s: pictures end in .png, .svg or .pdf",
                         path);
    }
    const jo_status status = output_possible(path, error);
    if (status == JO_OK && !jo_pictures_available()) {
        return cli_error(
            error, JO_ERR_UNSUPPORTED,
            "%.300s: this build of jostle draws no pictures; it was made without cairo", path);
    }
    return status;
}

jo_status output_folder(const char *path, jo_error *error)
{
    char part[1024];
    if (strlen(path) >= sizeof part)
        return cli_error(error, JO_ERR_IO, "%.100s…: the path is too long", path);
    for (size_t k = 1; k <= strlen(path); k++) {
        if (path[k] != '/' && path[k] != '\0') continue;
        snprintf(part, sizeof part, "%.*s", (int)k, path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return jo_error_file(error, part, "made", errno);
    }
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return cli_error(error, JO_ERR_IO, "%.300s: is not a folder", path);
    return JO_OK;
}

bool output_has_extension(const char *path, const char *extension)
{
    const size_t a = strlen(path), b = strlen(extension);
    return a >= b && strcasecmp(path + a - b, extension) == 0;
}
