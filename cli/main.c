/* main.c — the program `jostle`: a table of commands.
 *
 * Each command is one file with its own argp parser and its own --help; this file finds the
 * command, shows what there is, and makes sure that what was printed has arrived: a full disk
 * behind standard output is a failure like any other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cli.h"

static const command commands[] = {
    {"run", "simulate a scene: granular matter from a text file", cli_run},
    {"resume", "go on with a run that was stopped, killed or is to last longer", cli_resume},
    {"demo", "run one of the scenes that come with jostle", cli_demo},
    {"view", "a run in the browser: turn it, play it, ask it", cli_view},
    {"render", "pictures and movies of a run", cli_render},
    {"plot", "the measures of a run over time", cli_plot},
    {"distribution", "velocities and distances of a run's bodies, beside Maxwell's",
     cli_distribution},
    {"check", "everything wrong with a scene file, or what is in it", cli_check},
    {"schema", "every key a scene file may have", cli_schema},
    {"detect", "find the contacts among the particles of a file", cli_detect},
    {"generate", "make a random system, lattice or packing, and write it to a file", cli_generate},
    {"compare", "run every method on the same particles: do they agree, which is fastest?",
     cli_compare},
    {"tune", "measure the best cell size and skin, beside what theory says", cli_tune},
    {"reproduce", "repeat the measurements of a paper, its numbers beside ours", cli_reproduce},
    {"list", "the methods, file formats, workloads and papers", cli_list},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *out)
{
    fputs("Usage: jostle COMMAND [OPTION...]\n"
          "Simulates granular matter, and finds which spheres (or discs) touch, fast, whatever "
          "the mix of sizes.\n\n"
          "Commands:\n",
          out);
    for (int k = 0; k < COMMANDS; k++)
        fprintf(out, "  %-12s %s\n", commands[k].name, commands[k].summary);
    fputs("\nExamples:\n"
          "  jostle demo silo                                      simulate a silo: to silo-out/\n"
          "  jostle run scene.yaml                                 a scene of your own\n"
          "  jostle generate --workload L3 --n 1e5 -o grains.csv   make particles\n"
          "  jostle detect grains.csv                              who touches whom: a summary\n"
          "  jostle detect grains.csv -o pairs.csv --png look.png  the pairs, and a picture\n"
          "  jostle compare grains.csv                             every method on your data\n"
          "\n'jostle COMMAND --help' tells everything about a command, 'jostle --version' the "
          "version.\n"
          "Exit codes: 0 success, 1 failure, 2 bad data or a full disk, 64 wrong usage, 128 + N "
          "signal N.\n",
          out);
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS + 1];
    for (int k = 0; k < COMMANDS; k++)
        names[k] = commands[k].name;
    names[COMMANDS] = NULL;
    const char *meant = cli_suggest(name, names);
    fprintf(stderr, "jostle: there is no %s '%s'", *name == '-' ? "option" : "command", name);
    if (meant != NULL) fprintf(stderr, "; did you mean '%s'?", meant);
    fputs("\nTry 'jostle --help'.\n", stderr);
    return CLI_MISUSE;
}

/* What stdout stands for is closed here, so that the last error it can have is seen. */
static int finish(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout) && close(STDOUT_FILENO) == 0) return code;
    jo_error error = {.status = JO_ERR_IO,
                      .text = "standard output: a part of it could not be written"};
    if (errno != 0) jo_error_file(&error, "standard output", "written", errno);
    const int failed = cli_fail(&error);
    return code == CLI_OK ? failed : code;
}

static int run(const command *chosen, int argc, char **argv)
{
    char name[64];
    snprintf(name, sizeof name, "jostle %s", chosen->name);
    argv[0] = name;
    return chosen->run(argc, argv);
}

int main(int argc, char **argv)
{
    argp_program_version = "jostle " JO_VERSION_STRING;
    argp_err_exit_status = CLI_MISUSE;
    cli_signals_install();
    if (argc < 2) {
        print_help(stderr);
        return CLI_MISUSE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "-?") == 0 ||
        (strcmp(word, "help") == 0 && argc == 2)) {
        print_help(stdout);
        return finish(CLI_OK);
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("jostle %s\n", jo_version());
        return finish(CLI_OK);
    }
    static char help_option[] = "--help";
    if (strcmp(word, "help") == 0) { /* jostle help CMD is jostle CMD --help */
        argv[1] = help_option;
        word = argv[2];
        argc = 3;
        argv[2] = argv[1];
    }
    for (int k = 0; k < COMMANDS; k++)
        if (strcmp(word, commands[k].name) == 0)
            return finish(run(&commands[k], argc - 1, argv + 1));
    return unknown_command(word);
}
