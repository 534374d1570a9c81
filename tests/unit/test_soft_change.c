/* test_soft_change.c — a run that is changed while it goes on: closed forms before and after,
 * refusals that leave no trace, and the same bits for any number of threads and after a restore. */
#include "physics/lab.h"

static lab *stuff(void)
{
    lab *l = lab_new(3, NULL);
    for (int k = 0; k < 2; k++) {
        l->materials[k].young = 1e7;
        l->materials[k].poisson = 0.25;
    }
    strcpy(l->materials[1].name, "floor");
    l->scene.material_count = 2;
    for (int k = 0; k < 4; k++) {
        l->contacts[k].restitution = 0.8;
        l->contacts[k].friction = 0.5;
    }
    return l;
}

static void accept(jo_status status, const jo_error *error)
{
    if (status != JO_OK) fail_msg("%s", error->text);
}

static void refuse(jo_status status, const jo_error *error, const char *part)
{
    assert_int_equal(status, JO_ERR_DATA);
    if (strstr(error->text, part) == NULL) fail_msg("'%s' lacks '%s'", error->text, part);
}

/* Free fall before and after: no velocity jumps, and the energy balance holds. */
static void gravity_changes_at_once(void **unused)
{
    (void)unused;
    jo_error error = {0};
    const double first[3] = {0, 0, -9.81}, second[3] = {2, 0, 3};
    double now[3];
    lab *l = stuff();
    memcpy(l->scene.gravity, first, sizeof first);
    lab_body(l, 0, 0, 0, 1e-3, 0);
    lab_velocity(l, 0, 0.1, 0.2, 0);
    lab_start(l, 1e-5);
    lab_go(l, 1000);
    accept(jo_soft_set_gravity(l->soft, second, &error), &error);
    jo_soft_gravity(l->soft, now);
    assert_memory_equal(now, second, sizeof now);
    lab_look(l);
    lab_near(l->frame.v[2], -9.81e-2, 1e-12, 1, "vz at the change", 0);
    lab_go(l, 1000);
    lab_look(l);
    lab_near(l->frame.v[0], 0.1 + 2e-2, 1e-12, 1, "vx", 0);
    lab_near(l->frame.v[2], -9.81e-2 + 3e-2, 1e-12, 1, "vz", 0);
    lab_near(l->frame.x[0], 2e-3 + 0.5 * 2 * 1e-4, 1e-12, 1, "x", 0);
    lab_near(l->frame.x[2], -0.5 * 9.81 * 1e-4 - 9.81e-4 + 0.5 * 3 * 1e-4, 1e-12, 1, "z", 0);
    const double energy = 0.5 * l->frame.mass[0] * 0.05;
    lab_near(l->now.energy.balance, 0, 1e-7, energy, "balance", 0);
    const double bad[3] = {0, NAN, 0};
    const uint64_t hash = jo_soft_hash(l->soft);
    refuse(jo_soft_set_gravity(l->soft, bad, &error), &error, "finite");
    assert_true(jo_soft_hash(l->soft) == hash);
    lab_free(l);
}

/* A ball that drops on a floor leaves it at the restitution of the moment. */
static void restitution_changes(void **unused)
{
    (void)unused;
    jo_error error = {0};
    lab *l = stuff();
    lab_plane(l, 0, 0, 0, 0, 0, 1, 1);
    lab_body(l, 0, 0, 1.001e-3, 1e-3, 0);
    lab_velocity(l, 0, 0, 0, -0.1);
    lab_start(l, 1e-7);
    lab_until_apart(l, 20000);
    lab_near(l->frame.v[2], 0.08, 1e-3, 0.08, "first bounce", 0.8);
    accept(jo_soft_set_restitution(l->soft, 0, 1, 0.4, &error), &error);
    assert_true(jo_soft_contact_def(l->soft, 1, 0).restitution == 0.4);
    assert_true(jo_soft_contact_def(l->soft, 0, 0).restitution == 0.8);
    const double up[3] = {0, 0, -50}; /* back to the floor */
    accept(jo_soft_set_gravity(l->soft, up, &error), &error);
    double fastest = 0;
    for (int k = 0; k < 100000 && lab_contacts(l) == 0; k++) {
        lab_look(l);
        fastest = -l->frame.v[2];
        lab_go(l, 1);
    }
    const double none[3] = {0};
    accept(jo_soft_set_gravity(l->soft, none, &error), &error);
    lab_until_apart(l, 20000);
    lab_near(l->frame.v[2], 0.4 * fastest, 2e-3, fastest, "second bounce", 0.4);
    refuse(jo_soft_set_restitution(l->soft, 0, 1, 0, &error), &error, "above 0");
    refuse(jo_soft_set_restitution(l->soft, 0, 1, 1.1, &error), &error, "at most 1");
    refuse(jo_soft_set_restitution(l->soft, 0, 7, 0.5, &error), &error, "no number 7");
    lab_free(l);
}

/* A ball that slides without turning is slowed by mu g, until there is no friction. */
static void friction_changes(void **unused)
{
    (void)unused;
    jo_error error = {0};
    lab *l = stuff();
    l->scene.gravity[2] = -9.81;
    lab_plane(l, 0, 0, 0, 0, 0, 1, 1);
    lab_body(l, 0, 0, 0.99995e-3, 1e-3, 0);
    lab_velocity(l, 0, 1, 0, 0);
    lab_start(l, 1e-6);
    lab_go(l, 20000);
    lab_look(l);
    const double slower = l->frame.v[0];
    lab_near(slower, 1 - 0.5 * 9.81 * 0.02, 0.02, 1, "sliding", 0.5);
    accept(jo_soft_set_friction(l->soft, 0, 1, 0, &error), &error);
    lab_go(l, 1);
    lab_look(l);
    const double from = l->frame.v[0];
    lab_go(l, 10000);
    lab_look(l);
    lab_near(l->frame.v[0], from, 1e-12, 1, "without friction", 0);
    refuse(jo_soft_set_friction(l->soft, 0, 1, -1, &error), &error, "0 or more");
    lab_free(l);
}

/* An outlet is opened: what lay on it falls; it is not shut on a body. */
static void walls_open_and_shut(void **unused)
{
    (void)unused;
    jo_error error = {0};
    lab *l = stuff();
    l->scene.gravity[2] = -9.81;
    lab_plane(l, 0, 0, 0, 0, 0, 1, 1);
    strcpy(l->walls[0].name, "gate");
    lab_body(l, 0, 0, 0.99995e-3, 1e-3, 0);
    lab_start(l, 1e-6);
    lab_go(l, 10000);
    lab_look(l);
    const double z = l->frame.x[2];
    assert_true(jo_soft_wall(l->soft, 0).present);
    accept(jo_soft_set_wall(l->soft, 0, false, &error), &error);
    assert_false(jo_soft_wall(l->soft, 0).present);
    lab_go(l, 1);
    assert_int_equal(lab_contacts(l), 0);
    lab_go(l, 4999);
    lab_look(l);
    lab_near(l->frame.x[2] - z, -0.5 * 9.81 * 25e-6, 0.02, 0.5 * 9.81 * 25e-6, "fall", 0);
    refuse(jo_soft_set_wall(l->soft, 0, true, &error), &error,
           "'gate' cannot be put back: 1 body is");
    refuse(jo_soft_set_wall(l->soft, 3, true, &error), &error, "no number 3");
    assert_false(jo_soft_wall(l->soft, 0).present);
    const double up[3] = {0, 0, 2000};
    accept(jo_soft_set_gravity(l->soft, up, &error), &error);
    lab_go(l, 3000);
    accept(jo_soft_set_wall(l->soft, 0, true, &error), &error);
    const double down[3] = {0, 0, -2000};
    accept(jo_soft_set_gravity(l->soft, down, &error), &error);
    lab_go(l, 20000);
    lab_look(l);
    assert_true(l->frame.x[2] > 0.9e-3); /* it came back, and lies or bounces on it */
    lab_free(l);
}

/* A lid comes down on a ball at rest, which leaves it at (1 + e) times its speed. The lid is not
 * there until shortly before, as the scene has it or because it was taken away: lists that were
 * made when it was far off do not do any more. */
static double hit_by_a_lid(double from, bool taken_away)
{
    jo_error error = {0};
    const double speed = 0.5, step = 1e-6;
    lab *l = stuff();
    jo_wall *lid = lab_plane(l, 0, 0, 6e-3, 0, 0, -1, 1);
    lid->motion.velocity[2] = -speed;
    if (!taken_away) lid->from = from;
    l->scene.skin = 4e-4;
    lab_body(l, 0, 0, 0, 1e-3, 0);
    lab_start(l, step);
    if (taken_away) {
        lab_go(l, 1);
        accept(jo_soft_set_wall(l->soft, 0, false, &error), &error);
        lab_go(l, (uint64_t)(from / step) - 1);
        accept(jo_soft_set_wall(l->soft, 0, true, &error), &error);
    }
    lab_until_apart(l, 20000);
    lab_near(l->now.energy.balance, 0, 1e-6, l->now.energy.kinetic, "balance", from);
    const double left = -l->frame.v[2] / speed;
    lab_free(l);
    return left;
}

static void walls_come_in_time(void **unused)
{
    (void)unused;
    const double touches = 0.01; /* when the lid has come 5 mm */
    lab_near(hit_by_a_lid(0, false), 1.8, 1e-3, 1.8, "there from the start", 0);
    for (int k = 0; k < 2; k++) {
        lab_near(hit_by_a_lid(touches - 5e-4, k), 1.8, 1e-3, 1.8, "there late", k);
        lab_near(hit_by_a_lid(touches - 5e-6, k), 1.8, 1e-3, 1.8, "there at the last moment", k);
    }
}

/* A servo-controlled lid that is taken away on its way waits where it is. */
static void servos_wait(void **unused)
{
    (void)unused;
    jo_error error = {0};
    lab *l = stuff();
    jo_wall *lid = lab_plane(l, 0, 0, 0.1, 0, 0, -1, 1);
    lid->servo = (jo_servo){.on = true,
                            .direction = {0, 0, -1},
                            .stress = NAN,
                            .force = 1,
                            .gain = NAN,
                            .speed_max = 1};
    lab_body(l, 0, 0, 0, 1e-3, 0);
    lab_start(l, 1e-6);
    lab_go(l, 1000);
    const double before = jo_soft_wall(l->soft, 0).displacement[2];
    accept(jo_soft_set_wall(l->soft, 0, false, &error), &error);
    lab_go(l, 1000);
    const double after = jo_soft_wall(l->soft, 0).displacement[2];
    assert_true(before < -5e-4);
    lab_near(after, before, 3e-3, -before, "displacement", 0); /* the step that it had begun */
    lab_free(l);
}

/* Laws without a restitution: one that is not there has not been changed to what cannot be. */
static void friction_changes_and_is_restored(void **unused)
{
    (void)unused;
    jo_error error = {0};
    jo_chunk chunks[JO_CHUNKS_MAX];
    size_t count;
    jo_soft *second;
    lab *l = stuff();
    l->scene.law.damping = JO_DAMPING_NONE;
    for (int k = 0; k < 4; k++)
        l->contacts[k].restitution = NAN;
    lab_body(l, 0, 0, 0, 1e-3, 0);
    lab_start(l, 1e-6);
    lab_go(l, 10);
    accept(jo_soft_set_friction(l->soft, 0, 1, 0.1, &error), &error);
    accept(jo_soft_save(l->soft, chunks, &count, &error), &error);
    const jo_soft_options options = jo_soft_options_default();
    accept(jo_soft_restore(&l->scene, &options, chunks, count, &second, &error), &error);
    assert_true(jo_soft_contact_def(second, 1, 0).friction == 0.1);
    assert_true(jo_soft_contact_def(second, 0, 0).friction == 0.5);
    jo_soft_destroy(second);
    lab_free(l);
}

static jo_body_def ball_at(double x, double y, double z, double r)
{
    jo_body_def b = jo_body_def_default();
    b.x[0] = x;
    b.x[1] = y;
    b.x[2] = z;
    b.r = r;
    return b;
}

static void bodies_are_added(void **unused)
{
    (void)unused;
    jo_error error = {0};
    uint64_t id = 0;
    lab *l = stuff();
    l->scene.gravity[2] = -9.81;
    lab_plane(l, 0, 0, 0, 0, 0, 1, 1);
    strcpy(l->walls[0].name, "ground");
    lab_body(l, 0, 0, 1e-3, 1e-3, 0);
    lab_start(l, 2e-6);
    lab_go(l, 100);
    const uint64_t hash = jo_soft_hash(l->soft);
    jo_body_def b = ball_at(0, 0, 2.5e-3, 1e-3);
    refuse(jo_soft_add(l->soft, &b, &id, &error), &error, "would overlap body 0");
    b = ball_at(0.01, 0, 0.9e-3, 1e-3);
    refuse(jo_soft_add(l->soft, &b, &id, &error), &error, "wall 'ground'");
    b = ball_at(0.01, 0, 5e-3, -1);
    refuse(jo_soft_add(l->soft, &b, &id, &error), &error, "above 0");
    b = ball_at(0.01, 0, 5e-3, 1e-6);
    refuse(jo_soft_add(l->soft, &b, &id, &error), &error, "time step");
    b = ball_at(0.01, 0, 5e-3, 1e-3);
    b.material = 9;
    refuse(jo_soft_add(l->soft, &b, &id, &error), &error, "material 9");
    b.material = 0;
    b.shape = 0;
    refuse(jo_soft_add(l->soft, &b, &id, &error), &error, "shape 0");
    assert_true(jo_soft_hash(l->soft) == hash);
    b = ball_at(0, 0, 4.5e-3, 2e-3);
    b.v[0] = 0.01;
    accept(jo_soft_add(l->soft, &b, &id, &error), &error);
    assert_int_equal(id, 1);
    lab_look(l);
    assert_int_equal(l->frame.n, 2);
    assert_true(l->frame.x[5] == 4.5e-3 && l->frame.r[1] == 2e-3);
    lab_near(l->frame.v[3], 0.01, 1e-15, 1, "velocity", 0);
    const double balance = l->now.energy.balance;
    lab_go(l, 1000);
    lab_look(l);
    lab_near(l->frame.v[5], -9.81 * 2e-3, 1e-9, 1, "fall", 0);
    lab_near(l->now.energy.balance, balance, 1e-6, 1e-4 * l->frame.mass[1], "balance", 0);
    bool met = false; /* lists know it */
    for (int k = 0; k < 20000 && !met; k++) {
        const jo_soft_contact *contacts;
        size_t count;
        lab_go(l, 1);
        accept(jo_soft_contacts(l->soft, &contacts, &count, &error), &error);
        for (size_t c = 0; c < count; c++)
            met = met || (contacts[c].a == 0 && contacts[c].b == 1);
    }
    assert_true(met);
    lab_free(l);
}

/* Rows of balls fall into a trough; everything is changed on the way, and bodies are added until
 * they fill another block. Saved and restored between any two changes; on 1 and 2 threads. */
static uint64_t eventful(int threads, bool restores)
{
    jo_error error = {0};
    lab *l = stuff();
    l->scene.gravity[2] = -9.81;
    l->scene.has_box = true;
    for (int a = 0; a < 3; a++) {
        l->scene.domain.lo[a] = -1e-3;
        l->scene.domain.hi[a] = a == 2 ? 0.2 : 2.2e-3 * 16;
        l->scene.domain.periodic[a] = a < 2;
    }
    lab_plane(l, 0, 0, 0, 0, 0, 1, 1);
    for (int k = 0; k < 1020; k++)
        lab_body(l, 2.2e-3 * (k % 16) + 1e-4 * (k % 7), 2.2e-3 * (k / 16 % 16),
                 1.2e-3 + 2.3e-3 * (k / 256), 1e-3, 0);
    jo_soft_options options = jo_soft_options_default();
    options.threads = threads;
    l->scene.time_step = 1e-5;
    accept(jo_soft_create_with(&l->scene, &l->bodies, &options, &l->soft, &error), &error);
    for (int k = 0; k < 9; k++) {
        lab_go(l, 60);
        const double g[3] = {k, 0, -9.81 - k};
        if (k % 3 == 0) accept(jo_soft_set_gravity(l->soft, g, &error), &error);
        if (k == 2) accept(jo_soft_set_friction(l->soft, 0, 0, 0.1, &error), &error);
        if (k == 4) accept(jo_soft_set_restitution(l->soft, 1, 0, 0.3, &error), &error);
        if (k == 7) accept(jo_soft_set_wall(l->soft, 0, false, &error), &error);
        jo_body_def b = ball_at(0.01 + 1e-5 * k, 0.01, 0.02 + 5e-3 * k, 1e-3 + 1e-4 * k);
        accept(jo_soft_add(l->soft, &b, NULL, &error), &error);
        b = ball_at(0.02, 0.01, 0.02 + 5e-3 * k, 1e-3);
        accept(jo_soft_add(l->soft, &b, NULL, &error), &error);
        if (!restores) continue;
        jo_chunk chunks[JO_CHUNKS_MAX];
        size_t count;
        jo_soft *second;
        accept(jo_soft_save(l->soft, chunks, &count, &error), &error);
        accept(jo_soft_restore(&l->scene, &options, chunks, count, &second, &error), &error);
        jo_soft_destroy(l->soft);
        l->soft = second;
        assert_true(jo_soft_contact_def(second, 0, 0).friction == (k >= 2 ? 0.1 : 0.5));
    }
    lab_go(l, 200);
    lab_look(l);
    assert_int_equal(l->frame.n, 1038);
    const uint64_t hash = jo_soft_hash(l->soft);
    lab_free(l);
    return hash;
}

static void changed_runs_repeat(void **unused)
{
    (void)unused;
    const uint64_t hash = eventful(1, false);
    assert_true(eventful(2, false) == hash);
    assert_true(eventful(1, true) == hash);
    assert_true(eventful(2, true) == hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gravity_changes_at_once),
        cmocka_unit_test(restitution_changes),
        cmocka_unit_test(friction_changes),
        cmocka_unit_test(walls_open_and_shut),
        cmocka_unit_test(walls_come_in_time),
        cmocka_unit_test(servos_wait),
        cmocka_unit_test(bodies_are_added),
        cmocka_unit_test(changed_runs_repeat),
        cmocka_unit_test(friction_changes_and_is_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
