/* test_poly_alarms.c — what a run says of polyhedra that overlap too much: those wholly inside
 * another body or behind a wall, which nothing presses out, and thin ones. */
#include "physics/poly_scenes.h"

#define IN  "walls: {w: {"
#define END "}}\nbodies: [{radius: 0.01, "

typedef struct alarm_case {
    const char *scene;
    jo_alarm_kind kind; /* of the first alarm; JO_ALARM_COUNT: there is none */
    const char *says;
    double until;
} alarm_case;

static const alarm_case cases[] = {
    /* behind walls and inside them, and where bodies should be */
    {IN "plane: {point: [0, 0, 0], normal: +z}" END
        "shape: cube, list: [{position: [0, 0, -0.02]}]}]",
     JO_ALARM_INITIAL, "body 0 is wholly behind, or inside, wall 'w' at the start", 0},
    {IN "plane: {point: [0, 0, 0], normal: +z}" END
        "shape: cube, list: [{position: [0, 0, 0.02]}]}]",
     JO_ALARM_COUNT, "", 0.01},
    {IN "box: {lo: [0, 0, 0], hi: [0.1, 0.1, 0.1]}" END
        "shape: cube, list: [{position: [0.12, 0.05, 0.05]}]}]",
     JO_ALARM_INITIAL, "body 0 is wholly behind, or inside, wall 'w' at the start", 0},
    {IN "box: {lo: [0, 0, 0], hi: [0.1, 0.1, 0.1]}" END
        "shape: cube, list: [{position: [0.05, 0.05, 0.05]}]}]",
     JO_ALARM_COUNT, "", 0.01},
    {IN "box: {lo: [0, 0, 0], hi: [0.1, 0.1, 0.1], outside: true}" END
        "shape: cube, list: [{position: [0.05, 0.05, 0.05]}]}]",
     JO_ALARM_INITIAL, "body 0 is wholly behind, or inside, wall 'w' at the start", 0},
    {IN "box: {lo: [0, 0, 0], hi: [0.1, 0.1, 0.1], outside: true}" END
        "shape: cube, list: [{position: [0.05, 0.05, 0.12]}]}]",
     JO_ALARM_COUNT, "", 0.01},
    {IN "cylinder: {point: [0, 0, 0], length: 0.1, radius: 0.05, caps: true}" END
        "shape: {solid: rock, faces: 40}, list: [{position: [0.07, 0, 0.05]}]}]",
     JO_ALARM_INITIAL, "body 0 is wholly behind, or inside, wall 'w' at the start", 0},
    /* an open one is felt from either side */
    {IN "cylinder: {point: [0, 0, 0], length: 0.1, radius: 0.05}" END
        "shape: {solid: rock, faces: 40}, list: [{position: [0.07, 0, 0.05]}]}]",
     JO_ALARM_COUNT, "", 0.01},
    /* on a plate of 3 mm, near the front of one of 0.5 mm, and between two sheets of one mesh, one
       the other way around */
    {IN "mesh: {triangles: [[[-1, -1, 0], [1, -1, 0], [0, 1, 0]],\n"
        "  [[-1, -1, -0.003], [0, 1, -0.003], [1, -1, -0.003]], [[-1, -1, 0], [0, 1, 0], [-1, -1, "
        "-0.003]],\n"
        "  [[0, 1, 0], [0, 1, -0.003], [-1, -1, -0.003]]]}" END
        "shape: cube, list: [{position: [0, 0, 0.0059], velocity: [0, 0, -0.1]}]}]",
     JO_ALARM_COUNT, "", 0.01},
    {IN "mesh: {triangles: [[[-0.1, -0.1, 0], [0.1, -0.1, 0], [0.1, 0.1, 0]],\n"
        "  [[0.1, -0.1, -0.0005], [0.1, 0.1, -0.0005], [0.1, 0.1, 0]],\n"
        "  [[0.1, -0.1, -0.0005], [0.1, 0.1, 0], [0.1, -0.1, 0]],\n"
        "  [[0.1, -0.1, -0.0005], [-0.1, -0.1, -0.0005], [0.1, 0.1, -0.0005]]]}" END
        "shape: cube, list: [{position: [0.0925, 0, 0.0059], velocity: [0, 0, -0.1]}]}]",
     JO_ALARM_COUNT, "", 0.01},
    {IN "mesh: {triangles: [[[-1, -0.006, -1], [1, -0.006, -1], [0, -0.006, 1]],\n"
        "                   [[-1, 0.006, -1], [1, 0.006, -1], [0, 0.006, 1]]]}" END
        "shape: cube, list: [{position: [0, 0, 0], velocity: [0, 0.1, 0]}]}]",
     JO_ALARM_COUNT, "", 0.1},
    /* one in another, and one that has almost gone through a floor */
    {"bodies: [{shape: cube, radius: 0.02, list: [{position: [0, 0, 0]}]},\n"
     "         {shape: cube, radius: 0.005, list: [{position: [0.001, 0, 0.002]}]}]",
     JO_ALARM_INITIAL, "wholly inside, or around, body", 0},
    {"bodies: [{shape: cube, radius: 0.02, list: [{position: [0, 0, 0]}]},\n"
     "         {shape: cube, radius: 0.005, list: [{position: [0.015, 0, 0]}]}]",
     JO_ALARM_COUNT, "", 0.01},
    {IN "plane: {point: [0, 0, 0], normal: +z}" END
        "shape: cube, list: [{position: [0, 0, 0.02], velocity: [0, 0, -200]}]}]",
     JO_ALARM_OVERLAP, "of the radius: the stiffness is too low", 0.0005},
    /* a coin that a fixed one cuts into: its own depth ends at half of its thickness, 0.05 radii */
    {"bodies: [{radius: 0.01, shape: {solid: prism, sides: 24, height: 0.05}, list: [\n"
     "  {position: [0, 0, 0], fixed: true},\n"
     "  {position: [0, 0, 0.0103], orientation: [0.70710678, 0.70710678, 0, 0], velocity: [0, 0, "
     "-6]}]}]",
     JO_ALARM_OVERLAP, "of the thinner one's thickness: the stiffness is too low", 0.002},
    {"bodies: [{radius: 0.01, shape: {solid: prism, sides: 24, height: 0.05}, list: [\n"
     "  {position: [0, 0, 0], fixed: true}, {position: [0, 0, 0.0006], velocity: [0, 0, "
     "-0.05]}]}]",
     JO_ALARM_COUNT, "", 0.01},
};

static void test_alarms(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const alarm_case *c = &cases[k];
        char text[1024];
        size_t count;
        snprintf(text, sizeof text,
                 "materials: {m: {density: 2500, young: 1e7, poisson: 0.25, restitution: 0.5, "
                 "friction: 0.4}}\nduration: 1\n%s\n",
                 c->scene);
        const jo_scene scene = read_scene(text);
        jo_soft *soft = start(&scene, 1);
        advance_to(soft, c->until);
        const jo_alarm *alarms = jo_soft_alarms(soft, &count);
        if (c->kind == JO_ALARM_COUNT && count > 0) fail_msg("case %zu: %s", k, alarms[0].text);
        if (c->kind != JO_ALARM_COUNT) {
            if (count == 0) fail_msg("case %zu: nothing is said", k);
            if (alarms[0].kind != c->kind || strstr(alarms[0].text, c->says) == NULL)
                fail_msg("case %zu: %s", k, alarms[0].text);
        }
        jo_soft_destroy(soft);
        jo_scene_free((jo_scene *)&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alarms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
