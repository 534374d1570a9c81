/* schema_cmd.c — `jostle schema`: the reference of scene files, from the table the reader uses. */
#include "args.h"

typedef struct schema_options {
    jo_schema_style style;
} schema_options;

static const struct argp_option options[] = {
    {"markdown", 'm', 0, 0, "as the page docs/scene-file.md", 0},
    {"json", 'j', 0, 0, "as one JSON object", 0},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    schema_options *o = state->input;
    switch (key) {
    case 'm':
        o->style = JO_SCHEMA_MARKDOWN;
        return 0;
    case 'j':
        o->style = JO_SCHEMA_JSON;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "there is nothing to do with '%s'", text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .doc = "Prints every key a scene file may have: its type, unit, bounds, default and meaning.\v"
           "Examples:\n"
           "  jostle schema | less\n"
           "  jostle schema --markdown > scene-file.md\n"
           "  jostle schema --json | python3 -m json.tool\n"};

static void write_text(void *context, const char *text)
{
    fputs(text, context);
}

int cli_schema(int argc, char **argv)
{
    schema_options o = {JO_SCHEMA_TEXT};
    cli_parse(&argp, argc, argv, &o);
    jo_schema_print(o.style, write_text, stdout);
    return CLI_OK;
}
