/* search.c — the options of a search, shared by the commands that run one. */
#include <string.h>

#include "search.h"

enum { KEY_SKIN = 0x2000, KEY_CELL, KEY_PER_CELL, KEY_ORIGIN, KEY_UNORDERED };

static const struct argp_option options[] = {
    {0, 0, 0, 0, "How to search:", 3},
    {"method", 'm', "NAME", 0,
     "the method ('jostle list' shows them); default: auto, which chooses", 3},
    {"threads", 't', "K", 0, "number of threads; default: all", 3},
    {"skin", KEY_SKIN, "LENGTH", 0, "verlet: how far lists reach beyond contact; default: tuned",
     3},
    {"cell", KEY_CELL, "LENGTH", 0, "cells, subcells, grid: edge of a cell; default: chosen", 3},
    {"per-cell", KEY_PER_CELL, "K", 0, "cells: mean number of particles per cell, as in LCM5", 3},
    {"origin", KEY_ORIGIN, "X,Y[,Z]", 0, "radial: the point distances are measured from", 3},
    {"unordered", KEY_UNORDERED, 0, 0, "do not sort the contacts (faster)", 3},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    jo_broad_def *def = state->input;
    switch (key) {
    case 'm':
        def->method = cli_method(state, text);
        return 0;
    case 't':
        def->threads = (int)cli_count(state, "threads", text, 0, JO_THREADS_MAX);
        return 0;
    case KEY_SKIN:
        def->skin = cli_real(state, "skin", text, 0.0, JO_COORDINATE_MAX);
        return 0;
    case KEY_CELL:
        def->cell = cli_real(state, "cell", text, 0.0, JO_COORDINATE_MAX);
        return 0;
    case KEY_PER_CELL:
        def->per_cell = cli_real(state, "per-cell", text, 0.0, 1e15);
        return 0;
    case KEY_ORIGIN:
        if (cli_reals(state, "origin", text, def->origin, 3) < 2)
            argp_error(state, "--origin takes two or three numbers");
        def->origin_set = true;
        return 0;
    case KEY_UNORDERED:
        def->ordered = false;
        return 0;
    case ARGP_KEY_END:
        if (def->cell > 0.0 && def->per_cell > 0.0)
            argp_error(state, "give --cell or --per-cell, not both");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp search_argp = {.options = options, .parser = parse};

/* Whether a method's list of options, separated by blanks, holds the word. */
static bool reads(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
    return false;
}

void search_note_unread(const jo_broad_def *def)
{
    const struct {
        bool given;
        const char *option, *field;
    } settings[] = {{def->skin >= 0.0, "--skin", "skin"},
                    {def->cell > 0.0, "--cell", "cell"},
                    {def->per_cell > 0.0, "--per-cell", "per_cell"},
                    {def->origin_set, "--origin", "origin"}};
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        char readers[200] = "";
        bool read = false;
        for (size_t m = 0; m < jo_broad_method_count(); m++) {
            const jo_method_info *info = jo_broad_method(m);
            if (!reads(info->options, settings[k].field)) continue;
            const size_t used = strlen(readers);
            snprintf(readers + used, sizeof readers - used, "%s%s", used > 0 ? ", " : "",
                     info->name);
            read = read || strcmp(info->name, def->method) == 0;
        }
        if (settings[k].given && !read)
            cli_note("note: %s changes nothing for method %s; it is for %s", settings[k].option,
                     def->method, readers);
    }
}
