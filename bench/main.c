/* main.c — the benchmark's program: jostle-bench [--quick] [--out DIR] [--only WORKLOAD] SECTION.
 *
 * Exit status: 0 all contacts agreed, 1 some contender's contacts differed (or something could not
 * be run at all), 64 misuse. Never a verdict on seconds. */
#include "bench.h"

#include <string.h>
#include <sys/stat.h>

static const struct {
    const char *name;
    size_t (*run)(const options *);
} sections[] = {
    {"peers", section_peers},     {"moving", section_moving}, {"auto", section_auto},
    {"scaling", section_scaling}, {"memory", section_memory},
};

static int usage(void)
{
    fputs("usage: jostle-bench [--quick] [--out DIR] [--only WORKLOAD] SECTION\n"
          "sections: peers, moving, auto, scaling, memory\n",
          stderr);
    return 64;
}

int main(int argc, char **argv)
{
    options o = {.directory = "out/bench"};
    const char *section = NULL;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--quick") == 0)
            o.quick = true;
        else if (strcmp(argv[k], "--out") == 0 && k + 1 < argc)
            o.directory = argv[++k];
        else if (strcmp(argv[k], "--only") == 0 && k + 1 < argc)
            o.only = argv[++k];
        else if (section == NULL && argv[k][0] != '-')
            section = argv[k];
        else
            return usage();
    }
    if (section == NULL) return usage();
    mkdir(o.directory, 0777); /* run.sh makes the parents */
    for (size_t k = 0; k < COUNT_OF(sections); k++) {
        if (strcmp(section, sections[k].name) != 0) continue;
        const size_t wrong = sections[k].run(&o);
        if (wrong > 0) fprintf(stderr, "bench: %zu results were wrong\n", wrong);
        return wrong > 0;
    }
    return usage();
}
