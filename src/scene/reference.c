/* reference.c — the schema printed: as text for a terminal, as the page docs/scene-file.md, as
 * JSON. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "jostle/scenefile.h"
#include "scene/schema.h"

typedef struct printer {
    jo_schema_style style;
    void (*write)(void *context, const char *text);
    void *context;
} printer;

static void put(const printer *p, const char *format, ...) JO_PRINTF(2, 3);
static void put(const printer *p, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->write(p->context, text);
}

/* ---- a key's type, bounds and unit in words ---- */

static void type_of(const key_def *k, char *text, size_t size)
{
    static const char *const kinds[] = {[KEY_REAL] = "number",
                                        [KEY_AUTO] = "number or auto",
                                        [KEY_VECTOR] = "vector",
                                        [KEY_DIRECTION] = "direction",
                                        [KEY_TURN] = "vector (2D: number)",
                                        [KEY_BOOL] = "true or false",
                                        [KEY_COUNT] = "whole number",
                                        [KEY_NAME] = "name",
                                        [KEY_TEXT] = "text",
                                        [KEY_SECTION] = "map"};
    if (k->kind == KEY_CUSTOM) {
        snprintf(text, size, "%s", k->form);
        return;
    }
    if (k->choices == NULL) {
        snprintf(text, size, "%s", kinds[k->kind]);
        return;
    }
    size_t used = 0;
    for (size_t c = 0; k->choices[c] != NULL && used < size; c++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", c > 0 ? ", " : "", k->choices[c]);
}

static void bounds_of(const key_def *k, char *text, size_t size)
{
    const key_bounds *b = &k->bounds;
    text[0] = '\0';
    if (b->lo == b->hi) return;
    if (isinf(b->hi))
        snprintf(text, size, "%s %.3g", b->above_lo ? ">" : ">=", b->lo);
    else
        snprintf(text, size, "%.3g %s … %s %.3g", b->lo,
                 b->above_lo ? "<" : "<=", b->below_hi ? "<" : "<=", b->hi);
}

/* ---- text ---- */

static void text_key(const printer *p, const key_def *k)
{
    char type[240], bounds[80];
    type_of(k, type, sizeof type);
    bounds_of(k, bounds, sizeof bounds);
    const char *unit = jo_schema_unit(k);
    put(p, "  %-20s %s%s%s%s%s%s", k->name, type, *unit != '\0' ? " [" : "", unit,
        *unit != '\0' ? "]" : "", *bounds != '\0' ? " " : "", bounds);
    if (k->required) put(p, ", required");
    if (k->fallback != NULL) put(p, ", default %s", k->fallback);
    put(p, "\n  %-20s   %s", "", k->meaning);
    if (k->section != NULL) put(p, " (see %s)", k->section->name);
    put(p, "\n");
}

static void text_section(const printer *p, const section_def *s)
{
    put(p, "%s\n  %s\n\n", s->name, s->summary);
    for (const key_def *k = s->keys; k->name != NULL; k++)
        text_key(p, k);
    put(p, "\n");
}

/* ---- markdown ---- */

static void markdown_key(const printer *p, const key_def *k)
{
    char type[240], bounds[80];
    type_of(k, type, sizeof type);
    bounds_of(k, bounds, sizeof bounds);
    put(p, "| `%s` | %s%s%s | %s | %s | %s", k->name, type, *bounds != '\0' ? ", " : "", bounds,
        jo_schema_unit(k),
        k->required           ? "**required**"
        : k->fallback != NULL ? k->fallback
                              : "–",
        k->meaning);
    if (k->section != NULL) put(p, " (see %s)", k->section->name);
    put(p, " |\n");
}

static void markdown_section(const printer *p, const section_def *s)
{
    put(p,
        "\n## %s\n%s\n\n| key | value | unit | default | meaning |\n| --- | --- | --- | --- | --- "
        "|\n",
        s->name, s->summary);
    for (const key_def *k = s->keys; k->name != NULL; k++)
        markdown_key(p, k);
    if (s->example != NULL) put(p, "\n```yaml\n%s\n```\n", s->example);
}

static const char markdown_head[] =
    "# Scene files\n"
    "\n"
    "A scene file describes a simulation: the box, materials, bodies, walls, how long to run and "
    "what to\n"
    "write. It is YAML; JSON, a subset of YAML, reads unchanged. `jostle check SCENE` reports "
    "everything that\n"
    "is wrong with one, with line and column. This page is printed by `jostle schema --markdown` "
    "from the table\n"
    "that the reader itself uses.\n"
    "\n"
    "```yaml\n"
    "title: a ball dropped on a plate\n"
    "gravity: 9.81 m/s^2\n"
    "materials:\n"
    "  steel: {density: 7.8 g/cm^3, young: 200 MPa, poisson: 0.3, restitution: 0.8, friction: "
    "0.2}\n"
    "bodies:\n"
    "  - {list: [{position: [0, 0, 0.5 m], radius: 1 cm}]}\n"
    "walls:\n"
    "  floor: {plane: {point: [0, 0, 0], normal: +z}}\n"
    "duration: 2 s\n"
    "output: {trajectory: 10 ms, series: 1 ms}\n"
    "```\n"
    "\n"
    "## Values\n"
    "- **Numbers** may carry a unit: `0.5 mm`, `2 g/cm^3`, `30 deg`, `1e7Pa`, `5 MPa`, `60 rpm`, "
    "`10 ms`,\n"
    "  `1/s`, `3 kg/(m s)`. A plain number is in the unit that the tables give (SI). A unit of the "
    "wrong\n"
    "  dimension is an error. Known units: m, g, t, s, min, h, Hz, rad, deg, rev, rpm, N, Pa, bar, "
    "J, W, l,\n"
    "  %, with the prefixes T G M k d c m u n p.\n"
    "- **Vectors** are lists of three numbers, `[0, 0, 10 cm]`; with `dimension: 2` of two.\n"
    "- **Directions** are vectors of any length above 0, or `+x`, `-x` … `-z`.\n"
    "- **auto** leaves the choice to jostle, **inf** is for ever. NaN is never allowed.\n"
    "- Paths are relative to the scene file.\n"
    "- Anchors, aliases and `<<` (take over the keys of another map) work as in YAML.\n";

/* ---- JSON ---- */

static void json_text(const printer *p, const char *text)
{
    char one[3] = {0, 0, 0};
    put(p, "\"");
    for (; *text != '\0'; text++) {
        const bool escaped = *text == '"' || *text == '\\';
        one[0] = escaped ? '\\' : *text;
        one[1] = escaped ? *text : '\0';
        if (*text == '\n')
            p->write(p->context, "\\n");
        else
            p->write(p->context, one);
    }
    put(p, "\"");
}

static void json_field(const printer *p, const char *name, const char *text, bool last)
{
    put(p, "\"%s\": ", name);
    if (text != NULL)
        json_text(p, text);
    else
        put(p, "null");
    if (!last) put(p, ", ");
}

static void json_key(const printer *p, const key_def *k, bool last)
{
    char type[240], bounds[80];
    type_of(k, type, sizeof type);
    bounds_of(k, bounds, sizeof bounds);
    put(p, "      {");
    json_field(p, "name", k->name, false);
    json_field(p, "type", type, false);
    json_field(p, "bounds", *bounds != '\0' ? bounds : NULL, false);
    json_field(p, "unit", jo_schema_unit(k), false);
    put(p, "\"required\": %s, ", k->required ? "true" : "false");
    json_field(p, "default", k->fallback, false);
    json_field(p, "section", k->section != NULL ? k->section->name : NULL, false);
    json_field(p, "meaning", k->meaning, true);
    put(p, "}%s\n", last ? "" : ",");
}

static void json_section(const printer *p, const section_def *s, bool last)
{
    put(p, "    {");
    json_field(p, "name", s->name, false);
    json_field(p, "summary", s->summary, false);
    json_field(p, "example", s->example, false);
    put(p, "\"keys\": [\n");
    for (const key_def *k = s->keys; k->name != NULL; k++)
        json_key(p, k, k[1].name == NULL);
    put(p, "    ]}%s\n", last ? "" : ",");
}

void jo_schema_print(jo_schema_style style, void (*write)(void *context, const char *text),
                     void *context)
{
    const printer p = {style, write, context};
    if (style == JO_SCHEMA_MARKDOWN) write(context, markdown_head);
    if (style == JO_SCHEMA_JSON)
        put(&p, "{\n  \"version\": \"%s\",\n  \"sections\": [\n", jo_version());
    for (size_t k = 0; jo_schema_sections[k] != NULL; k++) {
        if (style == JO_SCHEMA_TEXT) text_section(&p, jo_schema_sections[k]);
        if (style == JO_SCHEMA_MARKDOWN) markdown_section(&p, jo_schema_sections[k]);
        if (style == JO_SCHEMA_JSON)
            json_section(&p, jo_schema_sections[k], jo_schema_sections[k + 1] == NULL);
    }
    if (style == JO_SCHEMA_JSON) put(&p, "  ]\n}\n");
}
