/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of a model's step: what `rattle` refuses, what the compiler chooses if the model does
 * not specify it, the cost, and that a refused step changes nothing. */
#include "cmocka_all.h"
#include "machines.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void what_it_cannot_do_is_refused(void **state)
{
    static const char text[] =
        "linkage: 1\nname: t\ngravity: [0, 0, -9.81]\n"
        "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}}\n"
        "joints: {j: {type: prismatic, bodies: [ground, b], point: [0, 0, 0], axis: [0, 0, 1]}}\n"
        "solver: {formulation: rattle, redundancy: soft}\n";
    struct lk_model *model = NULL;
    struct lk_system *sys = NULL;
    struct lk_error error = {0};

    (void)state;
    if (lk_model_read_text("t", text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(lk_system_new(model, NULL, &sys, &error), LK_E_MODEL);
    assert_non_null(strstr(error.text, "redundancy: soft with"));
    lk_model_free(model);
}

/* Models that do and do not specify their step, with the step that each gets. */
static void the_compiler_chooses(void **state)
{
    static const struct choice {
        const char *mass;
        const char *solver;
        int order;
        const char *name;
        const char *why;
    } choices[] = {
        {"1", "step: 0.001", 0, "rattle", ""},
        {"1", "formulation: auto", 0, "rattle", ""},
        {"1", "formulation: ali3", 0, "ali3", ""},
        {"1", "formulation: recursive", 0, "recursive", ""},
        {"1", "redundancy: soft", 0, "ali3", "redundancy: soft"},
        {"1", "coordinates: euler-parameters", 0, "ali3", "coordinates: euler-parameters"},
        {"1", "order: 3", 0, "ali3", "order: 3"},
        {"1", "order: 3", 4, "rattle", ""},
        {"1", "order: 6", 0, "rattle", ""},
        {"1", "step: 0.001", 3, "ali3", "order: 3"},
        {"0", "step: 0.001", 0, "rattle", ""},
        {"0", "order: 4", 0, "ali3", "an order above 2 with a body without mass or inertia"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
        const struct choice *c = &choices[i];
        struct lk_options options = {.order = c->order};
        struct lk_model *model = NULL;
        struct lk_error error = {0};
        const char *why;
        char text[512];

        snprintf(text, sizeof(text),
                 "linkage: 1\nname: t\nbodies: {b: {mass: %s, inertia: [1, 1, 1], position: [0, 0, "
                 "0]}}\nsolver: {%s}\n",
                 c->mass, c->solver);
        if (lk_model_read_text("t", text, strlen(text), &model, &error) != 0)
            fail_msg("%s", error.text);
        assert_string_equal(lk_formulation_choose(model, &options, &why), c->name);
        assert_string_equal(why, c->why);
        lk_model_free(model);
    }
}

/* Make a model of @n sliders side by side, each with a stop. */
static struct lk_model *read_stops(int n, const char *stiffness, const char *solver)
{
    static char text[40000];
    size_t size = (size_t)snprintf(text, sizeof(text), "linkage: 1\nname: t\nbodies:\n");
    struct lk_model *model = NULL;
    struct lk_error error = {0};

#define ADD_LINE(...) size += (size_t)snprintf(text + size, sizeof(text) - size, __VA_ARGS__)
    for (int i = 0; i < n; i++)
        ADD_LINE("  b%d: {mass: 1, inertia: [1, 1, 1], position: [%d, 0, 0]}\n", i, i);
    ADD_LINE("joints:\n");
    for (int i = 0; i < n; i++)
        ADD_LINE("  j%d: {type: prismatic, bodies: [ground, b%d], point: [%d, 0, 0], axis: [0, 0, "
                 "1]}\n",
                 i, i, i);
    ADD_LINE("forces:\n");
    for (int i = 0; i < n; i++)
        ADD_LINE("  s%d: {type: stop, joint: j%d, lower: -1, upper: 1, stiffness: %s}\n", i, i,
                 stiffness);
    ADD_LINE("solver: {%s}\n", solver);
#undef ADD_LINE
    if (lk_model_read_text("t", text, size, &model, &error) != 0)
        fail_msg("%s", error.text);
    return model;
}

/* `rattle` steps any number of stops. Stops that are too stiff for the step are solved together;
 * their number is limited. */
static void many_stops_are_for_rattle(void **state)
{
    static const struct {
        int n;
        const char *stiffness, *solver, *name;
        int result;
    } cases[] = {{17, "1e9", "step: 0.001", "rattle", 0},
                 {128, "1e9", "step: 0.001", "rattle", 0},
                 {129, "1e9", "step: 0.001", "rattle", LK_E_MODEL},
                 {129, "1e4", "step: 0.001", "rattle", 0},
                 {129, "1e9", "step: 1e-6", "rattle", 0},
                 {129, "1e9", "formulation: ali3", "ali3", 0}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct lk_model *model = read_stops(cases[i].n, cases[i].stiffness, cases[i].solver);
        struct lk_system *sys = NULL;
        struct lk_error error = {0};
        const char *why;

        assert_string_equal(lk_formulation_choose(model, NULL, &why), cases[i].name);
        assert_string_equal(why, "");
        assert_int_equal(lk_system_new(model, NULL, &sys, &error), cases[i].result);
        if (cases[i].result != 0)
            assert_non_null(strstr(error.text, "129 end stops are too stiff for a step of 0.001 s, "
                                               "so that rattle decides all of them together, "
                                               "expected at most 128"));
        lk_system_free(sys);
        lk_model_free(model);
    }
}

/* Seventeen blocks, each between two undamped springs that the step resolves: their energy is
 * constant, as for sixteen blocks. */
static void seventeen_stops_keep_the_energy(void **state)
{
    const double start = 17 * 0.5 * 3.3 * 3.3;
    struct lk_model *model = read_stops(17, "1e5", "step: 0.001");
    struct lk_system *sys = NULL;
    struct lk_error error = {0};

    (void)state;
    for (int i = 0; i < model->n_bodies; i++)
        model->bodies[i].velocity[2] = -3.3;
    assert_int_equal(lk_system_new(model, NULL, &sys, &error), 0);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(lk_system_step(sys, NULL), 0);
    assert_true(fabs(sys->now.balance->kinetic + sys->now.balance->potential - start) <
                1e-9 * start);
    lk_system_free(sys);
    lk_model_free(model);
}

static double flops_of(int n_stops)
{
    struct lk_model *model = read_stops(n_stops, "1e9", "formulation: rattle");
    struct lk_system *sys = NULL;
    struct lk_summary summary;
    struct lk_error error = {0};

    if (lk_system_new(model, NULL, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_system_summary(sys, &summary);
    lk_system_free(sys);
    lk_model_free(model);
    return summary.step_flops;
}

/* The operations that `linkage bench` counts increase like the work, finally with n^3. */
static void hard_stops_are_counted(void **state)
{
    (void)state;
    assert_true(flops_of(2) > 2 * flops_of(1));
    assert_true(flops_of(128) > 7 * flops_of(64));
    assert_true(flops_of(128) < 8 * flops_of(64));
}

/* After a reset, and after a refused step, the results have the same bits. The step is long and its
 * closing is inaccurate, so that the pose of the factorisation is not that of the state. One model
 * has no compliant rows, because with force laws each step factorises anew. */
static void reset_and_refusal_keep_the_bits(void **state)
{
    static const char *const rigid[] = {
        "solver: {", "solver: {formulation: rattle, ",
        "forces:\n"
        "  bearing: {type: joint-spring-damper, joint: pin_a, stiffness: 0, damping: 0.05}\n",
        "", NULL};
    static const char *const with_law[] = {"solver: {", "solver: {formulation: rattle, ", NULL};
    const char *const *const replace[2] = {rigid, with_law};

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct lk_system *a = machine("config/models/four-bar.yaml", replace[k], 8e-3, 2);
        double first[128], again[128], torque, absurd = 1e12;

        for (int run = 0; run < 2; run++) {
            for (int i = 0; i < 300; i++) {
                torque = 3 * sin(0.1 * i);
                if (run == 1 && i % 40 == 7)
                    assert_int_not_equal(lk_system_step(a, &absurd), 0);
                assert_int_equal(lk_system_step(a, &torque), 0);
            }
            lk_system_outputs(a, run == 0 ? first : again);
            lk_system_reset(a);
        }
        assert_memory_equal(first, again, (size_t)lk_system_output_size(a) * sizeof(double));
        lk_system_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_cannot_do_is_refused),
        cmocka_unit_test(the_compiler_chooses),
        cmocka_unit_test(many_stops_are_for_rattle),
        cmocka_unit_test(hard_stops_are_counted),
        cmocka_unit_test(seventeen_stops_keep_the_energy),
        cmocka_unit_test(reset_and_refusal_keep_the_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
