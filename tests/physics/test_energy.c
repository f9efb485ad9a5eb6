/* SPDX-License-Identifier: Apache-2.0 */
/* Energy that appears (linkage/energy.h): correct motions never trip the watch, neither of random
 * mechanisms nor of the machines of the tests with inputs that jump. Wrong motions trip it before
 * their numbers become useless.
 *
 *     test_energy [FIRST LAST]     seeds of random mechanisms */
#include "cmocka_all.h"
#include "kinked_rope.h"
#include "linkage/energy.h"
#include "machines.h"
#include "mechanism.h"
#include "sanitized.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 500

static long seeds[2] = {1, SANITIZED ? 100 : 1000};

/** struct seen - the energy that appears in a run
 * @share:          largest part of the energy that moved
 * @ratio:          largest multiple of the explained energy, while @share is LK_ENERGY_SHARE or
 *                  more
 * @trips, @failed: step in which the watch tripped, and step that failed; 0: none */
struct seen {
    double ratio;
    double share;
    int trips;
    int failed;
};

/* Run a system under the watch. @change: changes the inputs before each step, or NULL */
static struct seen watch(struct lk_system *system, int steps,
                         void (*change)(const struct lk_system *system, int step, double *inputs),
                         double *inputs)
{
    struct lk_energy_watch energy;
    struct seen seen = {0};
    struct lk_health health;

    lk_energy_begin(&energy, system);
    for (int i = 1; i <= steps; i++) {
        if (change)
            change(system, i, inputs);
        if (lk_system_step(system, inputs)) {
            seen.failed = i;
            break;
        }
        lk_system_health(system, &health);
        lk_energy_look(&energy, system, &health);
        if (energy.appeared > LK_ENERGY_FACTOR * energy.round_off)
            seen.share = fmax(seen.share, energy.appeared / energy.moved);
        if (energy.appeared > LK_ENERGY_SHARE * energy.moved)
            seen.ratio = fmax(seen.ratio, energy.appeared / energy.explained);
        if (!seen.trips && (lk_energy_appears(&energy) || lk_energy_explodes(&energy)))
            seen.trips = i;
    }
    return seen;
}

static struct seen watch_seed(long seed, double part, int steps)
{
    struct mechanism *m = mechanism_make((uint64_t)seed, MECHANISM_MIXED, 1 + (int)(seed % 9));
    struct lk_system *system;
    struct seen seen;
    double *inputs;

    m->formulation = m->is_soft ? NULL : "rattle";
    m->step *= part;
    system = mechanism_compile(m);
    inputs = calloc((size_t)lk_system_input_size(system) + 1, sizeof(*inputs));
    assert_non_null(inputs);
    for (int i = 0; i < m->n_inputs; i++)
        inputs[i] = m->input[i].base;
    seen = watch(system, steps, NULL, inputs);
    free(inputs);
    lk_system_free(system);
    mechanism_free(m);
    return seen;
}

/* If the watch trips, the step is too long: with an eighth of it less energy appears, or the watch
 * trips much later, or a step fails. This is rare. */
static void test_random(void **state)
{
    int n = 0;

    (void)state;
    for (long seed = seeds[0]; seed <= seeds[1]; seed++) {
        struct seen s = watch_seed(seed, 1, STEPS), finer;

        if (!s.trips)
            continue;
        n++;
        finer = watch_seed(seed, 1.0 / 8, 8 * STEPS);
        if (!finer.failed && finer.share > 0.3 * s.share && finer.trips < 10 * s.trips)
            fail_msg("seed %ld: a share of %g appears, and of %g with an eighth of the step", seed,
                     s.share, finer.share);
    }
    print_message("%d of %ld random mechanisms trip\n", n, seeds[1] - seeds[0] + 1);
    assert_true(n <= 1 + (seeds[1] - seeds[0]) / 20);
}

/* ---- machines ---- */

/* Set each scalar that has limits to one of them, changed every 50 steps. */
static void jump(const struct lk_system *system, int step, double *inputs)
{
    static struct dice dice;
    const struct lk_channel *channels;
    int n;

    if (step == 1) /* the same for each machine, whatever others there are */
        dice = (struct dice){7};
    channels = lk_system_input_channels(system, &n);
    for (int i = 0; i < n && step % 50 == 0; i++)
        for (int k = 0; k < channels[i].size; k++)
            if (isfinite(channels[i].low) && isfinite(channels[i].high))
                inputs[channels[i].offset + k] =
                    dice_chance(&dice, 0.5) ? channels[i].high : channels[i].low;
}

/* Check that the machines of a folder never trip the watch in two seconds. */
static void watch_folder(const char *folder,
                         void (*change)(const struct lk_system *, int, double *))
{
    struct dirent *entry;
    DIR *all = opendir(folder);
    double largest = 0;
    int n = 0;

    assert_non_null(all);
    while ((entry = readdir(all))) {
        char path[512];
        struct lk_system *system;
        struct seen s;
        double *inputs;

        if (!strstr(entry->d_name, ".yaml"))
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        system = machine(path, NULL, 0, 0);
        inputs = calloc((size_t)lk_system_input_size(system) + 1, sizeof(*inputs));
        assert_non_null(inputs);
        s = watch(system, SANITIZED ? 100 : (int)(2 / lk_system_step_size(system)), change, inputs);
        /* a bicycle that is pushed over ends on the edges of its wheels, see doc/limits.md */
        if (s.trips || (s.failed && strcmp(entry->d_name, "bicycle.yaml") != 0))
            fail_msg("%s: trips at step %d, fails at step %d: a share of %g, %g times what is "
                     "explained",
                     path, s.trips, s.failed, s.share, s.ratio);
        largest = fmax(largest, s.ratio);
        free(inputs);
        lk_system_free(system);
        n++;
    }
    closedir(all);
    print_message("%s: up to %.2g times what is explained\n", folder, largest);
    assert_true(n > 10);
}

static void test_machines(void **state)
{
    (void)state;
    watch_folder("tests/physics/machines", NULL);
    watch_folder("tests/physics/machines", jump);
    watch_folder("config/models", NULL);
    watch_folder("config/models", jump);
}

/* ---- wrong motions ---- */

/* Six hinged links of 0.1 m and 2 g, with kinks of 10 mrad, that carry 20 kg. */
static const char *kinked(void)
{
    static char text[4096];
    double x = 0, y = 0;
    int n =
        snprintf(text, sizeof(text), "linkage: 1\nname: kinked\ngravity: [9.81, 0, 0]\nbodies:\n");

    for (int i = 0; i < 7; i++) {
        double angle = i % 2 ? -0.005 : 0.005, dx = 0.1 * cos(angle), dy = 0.1 * sin(angle);
        bool is_load = i == 6;

        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "  b%d: {mass: %g, inertia: [%g, %g, %g], position: [%.15g, %.15g, 0]}\n", i,
                      is_load ? 20 : 0.002, is_load ? 0.05 : 3e-7, is_load ? 0.05 : 1.7e-6,
                      is_load ? 0.05 : 1.7e-6, x + (is_load ? dx : dx / 2),
                      y + (is_load ? 0 : dy / 2));
        x += dx;
        y += dy;
    }
    n += snprintf(text + n, sizeof(text) - (size_t)n, "joints:\n");
    x = y = 0;
    for (int i = 0; i < 7; i++) {
        double angle = i % 2 ? -0.005 : 0.005;
        char before[8] = "ground";

        if (i > 0)
            snprintf(before, sizeof(before), "b%d", i - 1);
        n += snprintf(
            text + n, sizeof(text) - (size_t)n,
            "  j%d: {type: revolute, bodies: [%s, b%d], point: [%.15g, %.15g, 0], axis: [0, 0, "
            "1]}\n",
            i, before, i, x, y);
        x += 0.1 * cos(angle);
        y += 0.1 * sin(angle);
    }
    return text;
}

static struct lk_system *compile(const char *text, double h)
{
    const struct lk_options options = {.step = h};
    struct lk_system *system;
    struct lk_model *model;
    struct lk_error error;

    if (lk_model_read_text("text", text, strlen(text), &model, &error) ||
        lk_system_new(model, &options, &system, &error))
        fail_msg("%s", error.text);
    lk_model_free(model);
    return system;
}

static struct seen watch_text(const char *text, double h, double seconds)
{
    struct lk_system *system = compile(text, h);
    struct seen s = watch(system, (int)(seconds / h), NULL, NULL);

    lk_system_free(system);
    return s;
}

static void trips_until(const char *text, double fine)
{
    struct seen s = watch_text(text, 1e-3, 0.5);

    assert_true(s.trips > 0);
    assert_true(s.failed == 0 || s.trips <= s.failed);
    s = watch_text(text, fine, 0.5);
    assert_int_equal(s.trips, 0);
    assert_int_equal(s.failed, 0);
}

static void test_too_long_a_step(void **state)
{
    (void)state;
    trips_until(kinked(), 5e-5);
    trips_until(kinked_rope(1e-3), 1e-4);
}

/* A platform carries 345 kg by a spring. */
static const char loaded[] =
    "linkage: 1\nname: loaded\nstart: equilibrium\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  platform: {mass: 50, inertia: [5, 5, 5], position: [0, 0, 0]}\n"
    "  load: {mass: 345, inertia: [5, 5, 5], position: [0, 0, 1]}\n"
    "joints:\n"
    "  road: {type: fixed, bodies: [ground, platform], point: [0, 0, 0], drive: {z: {input: "
    "road, period: 0.005}}}\n"
    "  lift: {type: prismatic, bodies: [platform, load], point: [0, 0, 1], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  tyre: {type: joint-spring-damper, joint: lift, stiffness: 4e5, damping: 4000}\n"
    "inputs: {road: {type: drive}}\n";

/* Move the platform by @jump at step 100 + @late, and by @travel in each step from there on. Fail
 * the test if energy appears. Return: the energy that became explained in the last 100 of 1000
 * steps [J]. */
static double ride(double jump, double travel, int late)
{
    struct lk_system *system = compile(loaded, 1e-3);
    struct lk_energy_watch energy;
    struct lk_health health;
    double road = 0, before = 0;

    lk_energy_begin(&energy, system);
    for (int i = 0; i < 1000; i++) {
        road += (i == 100 + late ? jump : 0) + (i >= 100 + late ? travel : 0);
        assert_int_equal(lk_system_step(system, &road), 0);
        lk_system_health(system, &health);
        lk_energy_look(&energy, system, &health);
        if (lk_energy_appears(&energy))
            fail_msg("a move by %g m: %g J of %g J at step %d", jump, energy.appeared, energy.moved,
                     i);
        if (i == 899)
            before = energy.explained;
    }
    lk_system_free(system);
    return energy.explained - before;
}

/* The work of a drive has the error of the trapezoidal rule, which at first is a large part of the
 * energy that moved. While the drive moves evenly, there is no such error. */
static void test_loaded_drive(void **state)
{
    const double moves[] = {-3e-6, -3e-4, -3e-2, 3e-4};

    (void)state;
    for (int late = 0; late < 5; late++) /* places in a period */
        for (int k = 0; k < 4; k++)
            ride(moves[k], 0, late);
    assert_true(ride(0, -1e-4, 0) < 1e-4 * 100 * 345 * 9.81 * 1e-4); /* of the drive's work */
}

/* A mass on a spring: the explained energy is computed with its formula from velocities and
 * accelerations. */
static void test_explained(void **state)
{
    static const char text[] =
        "linkage: 1\nname: mass\ngravity: [-9.81, 0, 0]\nbodies:\n"
        "  a: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}\n"
        "joints:\n  j: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: [1, 0, 0]}\n"
        "forces:\n  s: {type: joint-spring-damper, joint: j, stiffness: 2000}\n";
    const double h = 5e-3, mass = 2;
    struct lk_system *system = compile(text, h);
    struct lk_energy_watch energy;
    struct lk_body_state body;
    struct lk_health health;
    double most = 0, changes = 0, beside = 0, power[3] = {0};

    (void)state;
    lk_energy_begin(&energy, system);
    for (int i = 0; i <= 200; i++) {
        double a, v, before = beside;

        if (i > 0)
            assert_int_equal(lk_system_step(system, NULL), 0);
        lk_system_body_state(system, 0, &body);
        a = body.acceleration[0];
        v = body.velocity[0];
        beside = h * h / 24 * mass * a * a;
        most = fmax(most, beside);
        memmove(power, power + 1, 2 * sizeof(power[0]));
        power[2] = mass * a * v;
        if (i == 0) {
            power[0] = power[1] = power[2];
            continue;
        }
        changes += fabs(beside - before) + h / 12 * fabs(power[2] - 2 * power[1] + power[0]);
        lk_system_health(system, &health);
        lk_energy_look(&energy, system, &health);
    }
    assert_true(changes > 10 * most && most > 1e-5);
    assert_true(fabs(energy.explained - energy.round_off - most - changes) < 1e-9 * changes);
    lk_system_free(system);
}

static const char damped[] =
    "linkage: 1\nname: damped\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\n"
    "joints:\n  j: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "forces:\n  d: {type: joint-spring-damper, joint: j, stiffness: 0, damping: 2}\n"
    "solver: {step: 0.001}\n";

/* A damper whose dissipation is booked 5 % too high, which is energy that appears, and 5 % too
 * low. */
static void test_wrong_account(void **state)
{
    const double booked[] = {1, 1.05, 0.95};

    (void)state;
    for (int k = 0; k < 3; k++) {
        struct lk_system *system = compile(damped, 1e-3);
        struct lk_energy_watch energy;
        struct lk_health health;

        lk_energy_begin(&energy, system);
        for (int i = 0; i < 5000; i++) {
            assert_int_equal(lk_system_step(system, NULL), 0);
            lk_system_health(system, &health);
            health.dissipated *= booked[k];
            lk_energy_look(&energy, system, &health);
        }
        assert_true(fabs(energy.appeared - (1 - 1 / booked[k]) * health.dissipated) <
                    1e-4 * health.dissipated);
        assert_int_equal(lk_energy_appears(&energy), booked[k] > 1);
        lk_system_free(system);
    }
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),          cmocka_unit_test(test_machines),
        cmocka_unit_test(test_too_long_a_step), cmocka_unit_test(test_explained),
        cmocka_unit_test(test_wrong_account),   cmocka_unit_test(test_loaded_drive),
    };

    if (argc > 2) {
        seeds[0] = atol(argv[1]);
        seeds[1] = atol(argv[2]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
