/* section_memory.c — bytes per body of each method, beyond the caller's arrays and the contact
 * list.
 *
 * Each method runs in a process of its own (a fork made before any thread exists), three searches
 * after each other. Four figures: what the method says it holds; what the allocator says it handed
 * out beyond the contact lists, with up to 4 MiB per large buffer that is never touched, since
 * large buffers are aligned to huge pages; by how much the resident memory has grown, less 8 bytes
 * per contact; and by how much it had grown at most, contact lists and all. */
#include "bench.h"

#include <malloc.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct usage {
    double stated, allocated, resident, peak, contacts; /* bytes per body */
} usage;

/* A line of /proc/self/status in bytes: "VmHWM: %zu" is the peak, "VmRSS: %zu" the present. */
static size_t resident(const char *pattern)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    size_t kilobytes = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, pattern, &kilobytes) == 1) break;
    if (file != NULL) fclose(file);
    return kilobytes * 1024;
}

static size_t allocated_now(void)
{
    const struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static bool examine(const char *method, bench_system *system, usage *out)
{
    contender c = contender_jostle(method, false, 1);
    const double n = (double)system->spheres.n;
    const size_t before = allocated_now();
    const double resident_before = (double)resident("VmRSS: %zu");
    if (!contender_start(&c, system)) return false;
    for (int k = 0; k < 3; k++)
        if (!contender_find(&c, system)) return false;
    const jo_broad_stats stats = jo_broad_statistics(c.search);
    out->contacts = 8.0 * (double)stats.contacts / n;
    out->stated = (double)stats.bytes / n;
    out->allocated = ((double)(allocated_now() - before) - (double)stats.bytes_lists) / n;
    out->resident = ((double)resident("VmRSS: %zu") - resident_before) / n - out->contacts;
    out->peak = ((double)resident("VmHWM: %zu") - resident_before) / n;
    contender_stop(&c);
    return true;
}

/* Runs examine in a child, so that neither the peak nor a failure touches the next method. */
static bool examine_apart(const char *method, bench_system *system, usage *out)
{
    int ends[2];
    if (pipe(ends) != 0) return false;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        usage result = {0};
        const bool fine = examine(method, system, &result);
        const bool sent = write(ends[1], &result, sizeof result) == (ssize_t)sizeof result;
        _exit(fine && sent ? 0 : 1);
    }
    close(ends[1]);
    const bool got = child > 0 && read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(ends[0]);
    int status = 1;
    if (child > 0) waitpid(child, &status, 0);
    return got && status == 0;
}

/* Methods whose time grows with the square of the number of bodies, or nearly, get fewer. */
static bool is_slow(const char *method)
{
    return strcmp(method, "brute") == 0 || strcmp(method, "radial") == 0 ||
           strcmp(method, "sweep") == 0;
}

size_t section_memory(const options *o)
{
    static const struct {
        const char *name;
        bool mixed;
    } systems[] = {{"A3", false}, {"B2", false}, {"D3", false}, {"L3", true}, {"P2", true}};
    report r;
    if (!report_open(&r, o, "memory", "Memory")) return 1;
    table t = table_new("Bytes per body, beyond input and contacts");
    table_head(&t, "workload|bodies|method|stated by the method|allocated|resident|"
                   "resident peak, with contacts|contacts");
    double stated = 0, held = 0;
    for (size_t s = 0; s < COUNT_OF(systems); s++)
        for (int slow = 0; slow < 2; slow++) {
            const size_t n = (slow ? 10000 : systems[s].mixed || o->quick ? 100000 : 1000000);
            bench_system system;
            if (!system_make(&system, systems[s].name, n)) continue;
            for (size_t k = 0; k <= jo_broad_method_count(); k++) {
                const char *method =
                    k < jo_broad_method_count() ? jo_broad_method(k)->name : "auto";
                usage u;
                if (is_slow(method) != (slow == 1) || !examine_apart(method, &system, &u)) continue;
                table_cell(&t, "%s", systems[s].name);
                table_cell(&t, "%zu", n);
                table_cell(&t, "%s", method);
                table_number(&t, u.stated);
                table_number(&t, u.allocated);
                table_number(&t, u.resident);
                table_number(&t, u.peak);
                table_number(&t, u.contacts);
                if (strcmp(method, "grid") != 0 || systems[s].mixed) continue;
                stated = u.stated > stated ? u.stated : stated;
                held = u.resident > held ? u.resident : held;
            }
            system_free(&system);
        }
    table_report(&t, &r);
    table_csv(&t, &r, "memory");
    table_free(&t);
    report_say(&r,
               "grid, near-equal sizes: at most %.1f bytes per body by its own account, %.1f "
               "resident; goal 64.",
               stated, held);
    report_close(&r);
    return 0;
}
