/* check.c — `jostle check SCENE`: everything wrong with a scene file, or what is in it. */
#include <math.h>
#include <string.h>

#include "args.h"
#include "json.h"
#include "poly_facts.h"
#include "progress.h"
#include "scene_load.h"
#include "table.h"

enum { KEY_SET = 256 };

typedef struct check_options {
    const char *path;
    bool json, place;
    settings set;
} check_options;

static const struct argp_option options[] = {
    {"json", 'j', 0, 0, "one JSON object: valid, problems, and what is in the scene", 0},
    {"place", 'p', 0, 0,
     "place the bodies, too, also those at random or on lattices: is there room for them, and what "
     "time step do they need?",
     0},
    {"set", KEY_SET, "KEY=VALUE", 0, "change a value of the scene first, as jostle run does", 0},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    check_options *o = state->input;
    switch (key) {
    case 'j':
        o->json = true;
        return 0;
    case 'p':
        o->place = true;
        return 0;
    case KEY_SET:
        settings_add(&o->set, state, text);
        return 0;
    case ARGP_KEY_ARG:
        if (o->path != NULL) argp_error(state, "one SCENE, please");
        o->path = text;
        return 0;
    case ARGP_KEY_END:
        if (o->path == NULL) argp_error(state, "which SCENE? Name a scene file");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {.options = options,
                                 .parser = parse,
                                 .args_doc = "SCENE",
                                 .doc = "Reads a scene file and reports all that is wrong with it "
                                        "as FILE:LINE:COLUMN: error: …, or, "
                                        "when it is fine, what is in it. Exit code 0 or 2.\v"
                                        "Examples:\n"
                                        "  jostle check silo.yaml\n"
                                        "  jostle check --place silo.yaml\n"
                                        "  jostle check --set duration=3 silo.yaml\n"};

void cli_print_problems(const char *path, const jo_problems *problems, FILE *out)
{
    for (size_t k = 0; k < problems->count; k++) {
        const jo_problem *p = &problems->list[k];
        const char *what = p->severity == JO_SEVERITY_WARNING ? "warning" : "error";
        if (p->line > 0)
            fprintf(out, "%s:%u:%u: %s: %s\n", path, p->line, p->column, what, p->text);
        else
            fprintf(out, "%s: %s: %s\n", path, what, p->text);
    }
    size_t shown = 0;
    for (size_t k = 0; k < problems->count; k++)
        shown += problems->list[k].severity == JO_SEVERITY_ERROR;
    if (problems->errors > shown)
        fprintf(out, "%s: error: and %zu more\n", path, problems->errors - shown);
}

/* ---- what is in it ---- */

static bool is_hard(const jo_scene *s)
{
    return strcmp(s->engine, "soft") != 0;
}

static const char *const group_names[] = {"list", "file", "lattice", "random", "factory"};
static const char *const wall_names[] = {"plane", "box", "cylinder", "cone", "mesh"};
static const char *const normals[] = {"linear", "hertz", "energy"};
static const char *const dampings[] = {"none", "restitution", "viscous"};
static const char *const tangentials[] = {"none", "linear", "mindlin", "mindlin_force"};
static const char *const rollings[] = {"none", "constant", "epsd"};
static const char *const cohesions[] = {"none", "jkr", "sjkr", "liquid"};

static void print_groups(const jo_scene *s)
{
    table t = table_start("bodies|from|material|radii|number");
    for (size_t k = 0; k < s->group_count; k++) {
        const jo_group *g = &s->groups[k];
        char number[40], radii[60] = "";
        const size_t listed = g->listed.n;
        if (g->kind == JO_GROUP_EXPLICIT)
            snprintf(number, sizeof number, "%zu", listed);
        else if (g->kind == JO_GROUP_RANDOM && !isnan(g->fraction))
            snprintf(number, sizeof number, "fraction %g", g->fraction);
        else if (g->count > 0)
            snprintf(number, sizeof number, "%s%llu", g->kind == JO_GROUP_RANDOM ? "" : "at most ",
                     (unsigned long long)g->count);
        else
            snprintf(number, sizeof number, "%s",
                     g->kind == JO_GROUP_FACTORY ? "no limit"
                     : g->kind == JO_GROUP_FILE  ? "as in the file"
                                                 : "as many as fit");
        const double lo = jo_sizes_smallest(&g->sizes), hi = jo_sizes_largest(&g->sizes);
        if (lo == hi)
            snprintf(radii, sizeof radii, "%g", lo);
        else if (lo < hi)
            snprintf(radii, sizeof radii, "%g … %g", lo, hi);
        char name[JO_NAME_SIZE];
        if (g->name[0] != '\0')
            snprintf(name, sizeof name, "%s", g->name);
        else
            snprintf(name, sizeof name, "%zu", k + 1);
        table_row(&t, "%s|%s|%s|%s|%s", name, group_names[g->kind], s->materials[g->material].name,
                  radii, number);
    }
    table_print(&t, stdout, "  ");
    table_free(&t);
}

static void print_walls(const jo_scene *s)
{
    table t = table_start("wall|shape|material|moves");
    for (size_t k = 0; k < s->wall_count; k++) {
        const jo_wall *w = &s->walls[k];
        const jo_motion *m = &w->motion;
        char shape[60];
        if (w->kind == JO_WALL_MESH)
            snprintf(shape, sizeof shape, "mesh of %zu", w->triangle_count);
        else
            snprintf(shape, sizeof shape, "%s", wall_names[w->kind]);
        const bool shifts = m->velocity[0] != 0 || m->velocity[1] != 0 || m->velocity[2] != 0;
        const bool turns = m->spin[0] != 0 || m->spin[1] != 0 || m->spin[2] != 0;
        const bool swings = m->amplitude[0] != 0 || m->amplitude[1] != 0 || m->amplitude[2] != 0;
        table_row(&t, "%s|%s|%s|%s%s%s%s%s", w->name, shape, s->materials[w->material].name,
                  shifts ? "shifts " : "", turns ? "turns " : "", swings ? "swings " : "",
                  w->servo.on ? "servo" : "", shifts || turns || swings || w->servo.on ? "" : "no");
    }
    if (s->wall_count > 0) {
        printf("\n");
        table_print(&t, stdout, "  ");
    }
    table_free(&t);
}

static void print_box(const jo_scene *s)
{
    if (!s->has_box) {
        printf("  box        none: space without limits\n");
        return;
    }
    printf("  box        ");
    for (int a = 0; a < s->dim; a++)
        printf("%s%g … %g%s", a > 0 ? ", " : "", s->domain.lo[a], s->domain.hi[a],
               s->domain.periodic[a] ? " periodic" : "");
    printf("\n");
}

static void print_scene(const jo_scene *s, const jo_population *placed, const char *path)
{
    printf("%s: fine\n", path);
    if (s->title != NULL) printf("  title      %s\n", s->title);
    printf("  dimension  %d\n", s->dim);
    print_box(s);
    printf("  gravity    %g, %g, %g\n", s->gravity[0], s->gravity[1], s->gravity[2]);
    if (!is_hard(s))
        printf("  law        normal %s, damping %s, tangential %s, rolling %s, cohesion %s\n",
               normals[s->law.normal], dampings[s->law.damping], tangentials[s->law.tangential],
               rollings[s->law.rolling], cohesions[s->law.cohesion]);
    printf("  materials  ");
    for (size_t k = 0; k < s->material_count; k++)
        printf("%s%s", k > 0 ? ", " : "", s->materials[k].name);
    if (is_hard(s))
        printf("\n  engine     %s, from collision to collision\n", s->engine);
    else if (isnan(s->time_step))
        printf("\n  engine     %s, time step chosen at the start\n", s->engine);
    else
        printf("\n  engine     %s, time step %g s\n", s->engine, s->time_step);
    printf("  duration   %g s\n\n", s->duration);
    print_groups(s);
    poly_facts_print(s, placed);
    print_walls(s);
}

/* ---- JSON ---- */

/* `placed` and `advice`: NULL where not known, or not asked for. */
static void json_scene(json *j, const jo_scene *s, const jo_population *placed,
                       const jo_step_advice *advice)
{
    json_integer(j, "dimension", (uint64_t)s->dim);
    json_string(j, "engine", s->engine);
    json_integer(j, "materials", s->material_count);
    json_integer(j, "groups", s->group_count);
    json_integer(j, "walls", s->wall_count);
    json_integer(j, "gates", s->gate_count);
    json_real(j, "duration", s->duration);
    json_real(j, "time_step", s->time_step);
    poly_facts_json(j, s, placed);
    if (advice == NULL) return;
    json_integer(j, "bodies", placed->n);
    json_real(j, "time_step_recommended", advice->recommended);
    json_real(j, "time_step_largest", advice->largest);
}

static void json_problem(json *j, const jo_problem *p)
{
    json_object(j, NULL);
    json_string(j, "severity", p->severity == JO_SEVERITY_WARNING ? "warning" : "error");
    json_integer(j, "line", p->line);
    json_integer(j, "column", p->column);
    json_string(j, "text", p->text);
    json_end(j);
}

/* why_not: what keeps the bodies from being placed, or "". */
static void print_json(const jo_scene *s, const jo_problems *problems, const char *why_not,
                       const jo_population *placed, const jo_step_advice *advice)
{
    json j = json_start(stdout);
    json_object(&j, NULL);
    json_bool(&j, "valid", s != NULL);
    json_array(&j, "problems");
    for (size_t k = 0; k < problems->count; k++)
        json_problem(&j, &problems->list[k]);
    if (*why_not != '\0') {
        jo_problem p = {.severity = JO_SEVERITY_ERROR};
        snprintf(p.text, sizeof p.text, "%s", why_not);
        json_problem(&j, &p);
    }
    json_end(&j);
    if (s != NULL) json_scene(&j, s, placed, advice);
    json_end(&j);
}

/* Places the bodies and makes the engine ready: is there room, and how long is a time step? */
static jo_status place(const jo_scene *scene, jo_population *placed, jo_step_advice *advice,
                       jo_error *error)
{
    progress p = cli_progress_start("placing bodies");
    jo_soft *soft = NULL;
    jo_hard *hard = NULL;
    jo_polygons *polygons = NULL;
    const bool steps = !is_hard(scene), flat = strcmp(scene->engine, "kinetic") == 0;
    jo_status status = jo_scene_populate(scene, placed, cli_progress_show, &p, error);
    cli_progress_clear();
    *advice = (jo_step_advice){.recommended = NAN, .largest = NAN};
    if (status == JO_OK && steps) status = jo_soft_create_with(scene, placed, NULL, &soft, error);
    if (status == JO_OK && !steps && !flat)
        status = jo_hard_create_with(scene, placed, NULL, &hard, error);
    if (status == JO_OK && flat) status = jo_polygons_create_with(scene, placed, &polygons, error);
    if (status == JO_OK && steps) *advice = jo_soft_advice(soft);
    jo_soft_destroy(soft);
    jo_hard_destroy(hard);
    jo_polygons_destroy(polygons);
    return status;
}

/* Whether all bodies are in lists and files, and so need only be looked at. */
static bool places_are_known(const jo_scene *s)
{
    for (size_t k = 0; k < s->group_count; k++)
        if (s->groups[k].kind != JO_GROUP_EXPLICIT && s->groups[k].kind != JO_GROUP_FILE)
            return false;
    return true;
}

static bool has_factory(const jo_scene *s)
{
    for (size_t k = 0; k < s->group_count; k++)
        if (s->groups[k].kind == JO_GROUP_FACTORY) return true;
    return false;
}

int cli_check(int argc, char **argv)
{
    check_options o = {0};
    jo_scene scene;
    jo_problems problems;
    jo_population placed = {0};
    jo_step_advice advice = {0};
    jo_error error = {JO_OK, ""};
    cli_parse(&argp, argc, argv, &o);
    jo_status status = scene_load(o.path, &o.set, &scene, &problems, &error);
    cli_print_problems(o.path, &problems, stderr);
    const bool told = problems.errors > 0, read = status == JO_OK;
    const jo_population *known = NULL;
    if (status == JO_OK && (o.place || places_are_known(&scene))) {
        known = &placed;
        status = place(&scene, &placed, &advice, &error);
        if (status == JO_OK && placed.n == 0 && !has_factory(&scene))
            fprintf(stderr, "%s: warning: there are no bodies in it\n", o.path);
    }
    const char *why_not = read && status != JO_OK ? error.text : "";
    if (o.json && (read || told))
        print_json(status == JO_OK ? &scene : NULL, &problems, why_not, known,
                   o.place ? &advice : NULL);
    else if (status == JO_OK)
        print_scene(&scene, known, o.path);
    if (status == JO_OK && o.place && !o.json && is_hard(&scene))
        printf("\n  %zu bodies placed; none overlaps another or a wall\n", placed.n);
    else if (status == JO_OK && o.place && !o.json)
        printf("\n  %zu bodies placed; time step %g s recommended (%s), more than %g s would be "
               "wrong\n",
               placed.n, advice.recommended, advice.why, advice.largest);
    int code = told ? CLI_BAD_DATA : CLI_OK;
    if (*why_not != '\0')
        code = cli_fail_with(status == JO_ERR_MEMORY ? CLI_FAILED : CLI_BAD_DATA, "%s: %s", o.path,
                             why_not);
    else if (status != JO_OK && !told)
        code = cli_fail(&error);
    if (status == JO_ERR_IO) code = CLI_BAD_DATA; /* no scene there is no good scene, either */
    jo_problems_free(&problems);
    jo_population_free(&placed);
    jo_scene_free(&scene);
    return code;
}
