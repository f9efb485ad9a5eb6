/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts at rest: models that begin in equilibrium, friction that holds them, and their modes. */
#include "contact_parts.h"
#include "linkage/modes.h"

#define RESTS "linkage: 1\nname: m\nstart: equilibrium\n"
#define CRATES(gravity, pose, shape, more)                                                         \
    RESTS "gravity: " gravity "\nbodies:\n  box: {mass: 2, inertia: [0.01, 0.02, 0.025], " pose    \
          "}\nshapes:\n  floor: {type: half-space, body: ground}\n  box: {type: box, body: box, "  \
          "frame: body, size: [0.3, 0.2, 0.1]}\nforces:\n  c: {type: contact, shapes: [floor, "    \
          "box], " shape more "}\noutputs:\n  a: {type: body-acceleration, body: box}\n  c: "      \
          "{type: contact, force: c}\n  p: {type: body-pose, body: box}\n"

/* A box settles from above, from below, tilted, on a slope, on soft corners. It has no acceleration
 * at the start, and stays. */
static void boxes_rest_from_the_start(void **state)
{
    static const struct {
        const char *text;
        double normal, friction, height, depth;
    } cases[] = {
        {CRATES("[0, 0, -9.81]", "position: [0, 0, 0.09]", "faces: [-z], ", "friction: 0.5"), 2 * G,
         0, 0.05, 1e-9},
        {CRATES("[0, 0, -9.81]", "position: [0, 0, 0.02]", "", "friction: 0"), 2 * G, 0, 0.05,
         1e-9},
        {CRATES("[0, 0, -9.81]",
                "position: [0, 0, 0.15], orientation: {axis: [1, 1, 0], angle: 0.3}", "",
                "friction: 0.3"),
         2 * G, 0, 0.05, 1e-9},
        {CRATES(SLOPE, "position: [0, 0, 0.05]", "faces: [-z], ", "friction: 0.6"),
         2 * 8.49570921110433, 2 * 4.905, 0.05, 1e-9},
        {CRATES("[0, 0, -9.81]", "position: [0, 0, 0.05]", "faces: [-z], ", "stiffness: 1000"),
         2 * G, 0, 0.05 - 2 * G / 4000, 2 * G / 4000 * (1 + 1e-9)},
    };
    double out[OUT];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lk_system *system = compile(cases[i].text, 1e-3);

        for (int later = 0; later <= 1; later++) {
            steps(system, later * 1000, NULL, out);
            for (int k = 0; k < 6; k++)
                near_to("acceleration", out[k], 0, 1e-5);
            near_to("normal", out[7], cases[i].normal, 1e-5);
            near_to("friction", out[8], cases[i].friction, 1e-5);
            near_to("height", out[13], cases[i].height, 1e-8);
            if (!(out[6] <= 0 && out[6] >= -cases[i].depth))
                fail_msg("gap %g", out[6]);
        }
        lk_system_free(system);
    }
}

#define FRAME(friction)                                                                            \
    RESTS "gravity: [0, 0, -9.81]\nbodies:\n  l: {mass: 2, inertia: [0.1, 0.1, 0.001], position: " \
          "[-0.25, 0, 0.44], orientation: {axis: [0, 1, 0], angle: 0.5235987755982988}}\n  r: "    \
          "{mass: 2, inertia: [0.1, 0.1, 0.001], position: [0.25, 0, 0.44], orientation: {axis: "  \
          "[0, 1, 0], angle: -0.5235987755982988}}\njoints:\n  guide: {type: planar, bodies: "     \
          "[ground, l], point: [0, 0, 0], axis: [0, 1, 0]}\n  top: {type: revolute, bodies: [l, "  \
          "r], point: [0, 0, 0.87301270189], axis: [0, 1, 0]}\nshapes:\n  s: {type: half-space, "  \
          "body: ground}\n  lf: {type: sphere, body: l, position: [-0.5, 0, 0.00698729811], "      \
          "diameter: 0.02}\n  rf: {type: sphere, body: r, position: [0.5, 0, 0.00698729811], "     \
          "diameter: 0.02}\nforces:\n  cl: {type: contact, shapes: [s, lf], friction: " friction   \
          "}\n  cr: {type: contact, shapes: [s, rf], friction: " friction                          \
          "}\noutputs:\n  cl: {type: contact, force: cl}\n  v: {type: body-velocity, body: l}\n"

/* Two bars lean against each other and stand by friction: the moment of a bar about the top. */
static void bars_lean_against_each_other(void **state)
{
    double out[OUT], height = 0.87301270189 + 0.01 - 0.00698729811;
    struct lk_system *system = compile(FRAME("0.3"), 1e-3);
    struct lk_options options = {.step = 1e-3};
    struct lk_model *model;
    struct lk_error error;

    (void)state;
    near_to("height of the top", height, 0.876, 1e-4);
    for (int later = 0; later <= 1; later++) {
        steps(system, later * 2000, NULL, out);
        near_to("normal", out[1], 2 * G, 1e-4);
        near_to("friction", out[2], 2 * G * 0.25 / height, 1e-4);
        for (int k = 0; k < 6; k++)
            near_to("velocity", out[5 + k], 0, 1e-8);
    }
    lk_system_free(system);
    assert_int_equal(
        lk_model_read_text("m", FRAME("0.25"), sizeof(FRAME("0.25")) - 1, &model, &error), 0);
    assert_int_not_equal(lk_system_new(model, &options, &system, &error), 0);
    if (!strstr(error.text, "contact 'cl' slides from where it is drawn, and would hold with a "
                            "friction of 0.28"))
        fail_msg("%s", error.text);
    lk_model_free(model);
}

/* The modes of a box on four springy corners: up and down with sqrt(4 k / m), turning about the
 * normal with sqrt(4 k r^2 / J). */
static void corners_have_modes(void **state)
{
    static const char text[] = CRATES("[0, 0, -9.81]", "position: [0, 0, 0.05]", "faces: [-z], ",
                                      "stiffness: 1000, friction: 0.5");
    const double expected[] = {sqrt(4 * 1000 / 2.), sqrt(4 * 1000 * (0.0225 + 0.01) / 0.025)};
    struct lk_system *system = compile(text, 1e-3);
    struct lk_linear linear;
    struct lk_mode *modes;
    int n = 0;
    struct lk_error error;

    (void)state;
    if (lk_linear_init(system, true, &linear, &error) != 0)
        fail_msg("%s", error.text);
    n = lk_modes_find(&linear, &modes);
    assert_true(n > 0);
    for (int i = 0; i < 2; i++) {
        double best = INFINITY;

        for (int k = 0; k < n; k++)
            if (fabs(modes[k].im - expected[i]) < fabs(best - expected[i]))
                best = modes[k].im;
        near_to("frequency", best, expected[i], 1e-3 * expected[i]);
    }
    lk_modes_free(modes, n);
    lk_linear_fini(&linear);
    lk_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_rest_from_the_start),
        cmocka_unit_test(bars_lean_against_each_other),
        cmocka_unit_test(corners_have_modes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
