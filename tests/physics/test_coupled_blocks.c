/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of `linkage check` about blocks that couple coordinates: a warning if and only if the
 * motion grows when the model is stepped. Two rotors of 1 kg m^2 each are coupled by one gear. A
 * block computes a force on one rotor from the motion of the other, of which the step uses the
 * latest known value. */
#include "cmocka_all.h"
#include "known_motion.h"
#include "linkage/findings.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define H     0.001
#define STEPS 20000

static const char rotors[] =
    "linkage: 1\nname: coupled\ngravity: [0, 0, 0]\nbodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], angular_velocity: [0, 0, 1e-3]}\n"
    "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], angular_velocity: [0, 0, 1e-3]}\n"
    "joints:\n"
    "  one: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  other: {type: revolute, bodies: [ground, b], point: [1, 0, 0], axis: [0, 0, 1]}\n"
    "  tie: {type: gear, joints: [one, other], ratio: 1}\n"
    "forces:\n  motor: {type: impedance, joint: one, force: {block: push}}\n"
    "outputs:\n  rate: {type: joint-velocity, joint: one}\n"
    "blocks:\n  push: {type: %s, gain: %.17g}\n%s";

/** struct coupling - a block with a gain.
 * @limit: largest gain for which the step is stable, for both rotors together, 2 kg m^2
 * @seen:  words in the warning that name block and sensor
 * @more:  further blocks */
static const struct coupling {
    const char *name;
    const char *blocks;
    double limit;
    const char *seen;
    const char *more;
} couplings[] = {
    {"a spring", "gain, input: {position: other}", 2 * 2 / (H * H),
     "block push: pushes by the place of joint other"},
    {"a damper", "gain, input: {velocity: other}", 2 * 1 / H,
     "block push: pushes by the rate of joint other"},
    /* z' = -k v: a displacement, but with half of the displacement of this step at once */
    {"a chamber", "integrator, input: {velocity: other}", 0,
     "block push: pushes by the rate of joint other"},
    {"its own spring", "gain, input: both", INFINITY, "",
     "  both: {type: sum, inputs: [{position: one}, little]}\n"
     "  little: {type: gain, input: {position: other}, gain: 1e-9}\n"},
};

/* Return the largest rate in the last tenth relative to that in the first tenth. */
static double growth(struct lk_system *sys)
{
    double first = 0, last = 0;

    for (int i = 0; i < STEPS && last < 1e6; i++) {
        double rate;

        if (lk_system_step(sys, NULL) != 0)
            return INFINITY; /* a body rotates by half a turn or more */
        rate = fabs(read_output(sys, "rate", 0));
        first = fmax(first, i < STEPS / 10 ? rate : 0);
        last = fmax(last, i > STEPS * 9 / 10 ? rate : 0);
    }
    return last / first;
}

/* Analyse and step a coupling.
 * Return: true if there is a warning
 * @ret_growth: growth of the rate when it is stepped;  @ret_step: step that the warning suggests */
static bool look_at(const struct coupling *c, double gain, double step, double *ret_growth,
                    double *ret_step)
{
    char text[2048];
    const struct lk_options options = {.step = step};
    struct lk_findings findings;
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;
    bool is_warned = false;

    snprintf(text, sizeof(text), rotors, c->blocks, -gain, c->more ? c->more : "");
    if (lk_model_read_text("m", text, strlen(text), &model, &error) != 0 ||
        lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(lk_findings_init(model, sys, NULL, NULL, NULL, &findings), 0);
    for (int i = 0; i < findings.n; i++) {
        const struct lk_finding *f = &findings.list[i];
        char said[sizeof(f->where) + sizeof(f->text) + 2];

        if (strcmp(f->id, "block-too-fast") != 0)
            continue;
        is_warned = true;
        *ret_step = f->number[1].value;
        snprintf(said, sizeof(said), "%s: %s", f->where, f->text);
        print_message("%s\n", said);
        assert_non_null(strstr(said, c->seen));
    }
    *ret_growth = growth(sys);
    lk_findings_fini(&findings);
    lk_system_free(sys);
    lk_model_free(model);
    return is_warned;
}

/* On both sides of the limit the warning agrees with the motion. With the step that the warning
 * suggests, there is no warning. */
static void what_grows_is_warned_of(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct coupling *c = &couplings[i];
        double grown, step = 0, calm;

        print_message("%s\n", c->name);
        assert_false(look_at(c, 0.95 * c->limit, H, &grown, &step));
        assert_true(grown < 2);
        assert_true(look_at(c, 1.05 * c->limit, H, &grown, &step));
        assert_true(grown > 1e3);
        assert_true(step < H && step > 0.9 * H);
        assert_false(look_at(c, 1.05 * c->limit, step, &calm, &step));
        assert_true(calm < 2);
    }
}

/* A force that depends on its own coordinate is implicit in the step, however stiff it is, even if
 * it also depends a little on another coordinate. */
static void its_own_coordinate_is_no_coupling(void **state)
{
    double grown, step;

    (void)state;
    assert_false(look_at(&couplings[3], 1e10, H, &grown, &step));
    assert_true(grown < 2);
}

/* Coupling through a state: the finding and the stepped motion agree, wherever the limit is. */
static void a_state_between_is_judged_too(void **state)
{
    int warned = 0, calm = 0;

    (void)state;
    for (double gain = 1e5; gain < 1e8; gain *= 3) {
        double grown, step;
        bool is_warned = look_at(&couplings[2], gain, H, &grown, &step);

        print_message("gain %.3g: grows %.3g\n", gain, grown);
        assert_true(is_warned ? grown > 1e3 : grown < 1e3);
        warned += is_warned;
        calm += !is_warned;
    }
    assert_true(warned > 0 && calm > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_grows_is_warned_of),
        cmocka_unit_test(its_own_coordinate_is_no_coupling),
        cmocka_unit_test(a_state_between_is_judged_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
