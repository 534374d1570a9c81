/* rundir.c — the folder a run writes to.
 *
 * A run is known by its files; those names alone are ever removed, so whatever else a person keeps
 * in the folder stays. The folder itself is locked (flock), which the system undoes when the
 * process ends, however it ends: two runs never write to the same files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"
#include "rundir.h"

/* What a run leaves. The first entries tell that a folder holds one. */
static const char *const run_files[] = {
    "checkpoint.h5",  "trajectory.h5", "series.csv", "dump.lammpstrj",
    "run.pvd",        "walls.pvd",     "run.json",   "postmortem.h5",
    "postmortem.vtp", "events.csv",    "shapes.pvd", "changes.csv",
};
static const char *const vtp_files[] = {"bodies_*.vtp", "walls_*.vtp", "shapes_*.vtp"};

jo_status rundir_name(const char *scene, char *folder, size_t size, jo_error *error)
{
    const char *slash = strrchr(scene, '/');
    const char *name = slash != NULL ? slash + 1 : scene;
    const char *dot = strrchr(name, '.');
    const size_t length = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
    if (length + sizeof "-out" > size)
        return cli_error(error, JO_ERR_IO, "%.100s…: the name is too long", name);
    snprintf(folder, size, "%.*s-out", (int)length, name);
    return JO_OK;
}

static bool exists(const char *folder, const char *name)
{
    char path[RUNDIR_PATH + 64];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return lstat(path, &about) == 0;
}

bool rundir_has(const rundir *d, const char *name)
{
    return exists(d->path, name);
}

bool rundir_same(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

jo_status rundir_free(const char *folder, bool force, jo_error *error)
{
    struct stat about;
    if (strlen(folder) >= RUNDIR_PATH)
        return cli_error(error, JO_ERR_IO, "%.100s…: the path is longer than %d bytes", folder,
                         RUNDIR_PATH);
    if (stat(folder, &about) != 0) return JO_OK; /* making it tells what is wrong */
    if (!S_ISDIR(about.st_mode))
        return cli_error(error, JO_ERR_IO,
                         "%.300s: is a file; the output needs a folder, see --out", folder);
    if (access(folder, W_OK | X_OK) != 0)
        return cli_error(error, JO_ERR_IO, "%.300s: cannot be written to: %s", folder,
                         strerror(errno));
    for (size_t k = 0; !force && k < sizeof run_files / sizeof *run_files; k++) {
        if (!exists(folder, run_files[k])) continue;
        if (exists(folder, "checkpoint.h5"))
            return cli_error(
                error, JO_ERR_IO,
                "%.200s: holds another run (%s); go on with it by 'jostle resume "
                "%.100s', choose another folder with --out, or replace it with --force",
                folder, run_files[k], folder);
        return cli_error(error, JO_ERR_IO,
                         "%.300s: holds another run (%s); choose another folder with --out, or "
                         "replace it with --force",
                         folder, run_files[k]);
    }
    return JO_OK;
}

/* Removes the files of a folder that match; a folder that is not there has none. */
static void remove_matching(const char *folder, const char *pattern)
{
    DIR *listing = opendir(folder);
    if (listing == NULL) return;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        if (fnmatch(pattern, entry->d_name, 0) == 0) unlinkat(dirfd(listing), entry->d_name, 0);
    closedir(listing);
}

/* A process that was killed may have left the file it was writing beside its target. */
static void remove_leftovers(const char *folder)
{
    char pattern[64], inner[RUNDIR_PATH + 64];
    for (size_t k = 0; k < sizeof run_files / sizeof *run_files; k++) {
        snprintf(pattern, sizeof pattern, "%s.tmp*", run_files[k]);
        remove_matching(folder, pattern);
    }
    snprintf(inner, sizeof inner, "%s/vtp", folder);
    for (size_t k = 0; k < sizeof vtp_files / sizeof *vtp_files; k++) {
        snprintf(pattern, sizeof pattern, "%s.tmp*", vtp_files[k]);
        remove_matching(inner, pattern);
    }
}

static void remove_run(const char *folder)
{
    char path[RUNDIR_PATH + 64];
    for (size_t k = 0; k < sizeof run_files / sizeof *run_files; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, run_files[k]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/vtp", folder);
    for (size_t k = 0; k < sizeof vtp_files / sizeof *vtp_files; k++)
        remove_matching(path, vtp_files[k]);
    rmdir(path); /* stays if something else is in it */
}

jo_status rundir_open(rundir *d, const char *folder, rundir_use use, jo_error *error)
{
    *d = (rundir){.lock = -1};
    jo_status status = output_folder(folder, error);
    if (status != JO_OK) return status;
    snprintf(d->path, sizeof d->path, "%s", folder);
    d->lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->lock < 0)
        return cli_error(error, JO_ERR_IO, "%.300s: cannot be opened: %s", folder, strerror(errno));
    /* File systems without locks (some network ones) answer something else: no reason to stop. */
    if (flock(d->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        rundir_close(d);
        return cli_error(error, JO_ERR_IO,
                         "%.300s: another run of jostle is writing there just now", folder);
    }
    if (use == RUNDIR_NEW) status = rundir_free(folder, false, error);
    if (status != JO_OK) {
        rundir_close(d);
        return status;
    }
    remove_leftovers(folder);
    if (use != RUNDIR_GO_ON) remove_run(folder);
    return JO_OK;
}

void rundir_discard(const rundir *d)
{
    if (d->lock < 0) return; /* never opened: whatever is there is not ours */
    remove_run(d->path);
    rmdir(d->path);
}

void rundir_close(rundir *d)
{
    if (d->lock >= 0) close(d->lock);
    d->lock = -1;
}

jo_status rundir_path(const rundir *d, const char *name, char *path, size_t size, jo_error *error)
{
    if (strlen(d->path) + strlen(name) + 2 > size)
        return cli_error(error, JO_ERR_IO, "%.100s…: the path is too long", d->path);
    snprintf(path, size, "%s/%s", d->path, name);
    return JO_OK;
}

void rundir_vtp_name(const char *kind, uint64_t index, char *name, size_t size)
{
    snprintf(name, size, "vtp/%s_%06llu.vtp", kind, (unsigned long long)index);
}
