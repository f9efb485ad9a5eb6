/* SPDX-License-Identifier: Apache-2.0 */
/* Modal bodies in the text of a model: nodes and numbers as read, refused texts and systems. */
#include "cmocka_all.h"
#include "linkage/linkage.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char good[] =
    "linkage: 1\n"
    "name: m\n"
    "bodies:\n"
    "  ball: {mass: 1, inertia: [1, 1, 1], position: [3, 0, 0]}\n"
    "  arm: {mass: 2, inertia: [1, 2, 2], position: [1, 0, 0], orientation: {axis: [0, 0, 1], "
    "angle: 1.5707963267948966}, angular_velocity: [0, 0, 3], modes: {frequency: [1, 2], damping: "
    "[0.1, 0.2], inertia_first: [[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]],\n"
    "    second: [[1, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9]],\n"
    "    nodes: {root: {position: [-1, 0, 0], shape: [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]},\n"
    "      tip: {position: [1, 0, 0], shape: [[1, 2, 3, 4, 5, 6], [0, 0, 0, 0, 0, 0]], second: "
    "[[2, 2, 1, 0, 0, 0, 0, 0]]}}, recovery: {weld: {unit: Pa, rows: [[5, 6]]}}}}\n"
    "joints:\n"
    "  root: {type: spherical, bodies: [ground, arm.root], point: [1, -1, 0]}\n"
    "outputs:\n"
    "  q: {type: mode, body: arm, mode: 2}\n"
    "  stress: {type: recovery, body: arm, of: weld}\n"
    "  pose: {type: body-pose, body: arm}\n";

static void is_read(void **state)
{
    struct lk_model *m = NULL;
    struct lk_error error;
    const struct lk_modal_def *modal;

    (void)state;
    if (lk_model_read_text("m", good, strlen(good), &m, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(m->n_bodies, 4);
    assert_int_equal(m->n_modals, 1);
    modal = &m->modals[0];
    assert_true(modal->body == 1 && modal->n == 2 && modal->n_nodes == 2 && modal->n_pairs == 1);
    assert_true(fabs(modal->omega[1] - 4 * M_PI) < 1e-14 && modal->ratio[1] == 0.2);
    assert_true(modal->first[0][0] == 1 && modal->pair[0].value[8] == 9);
    assert_true(modal->node[1].shape[0][5] == 6 && modal->node[1].pair[0].k == 1);
    assert_string_equal(m->bodies[3].name, "arm.tip");
    assert_true(m->bodies[3].kind == LK_BODY_NODE && m->bodies[1].kind == LK_BODY_MODAL);
    /* turned by a quarter: one m along y, and with the spin of the body */
    assert_true(fabs(m->bodies[3].position[0] - 1) < 1e-15);
    assert_true(fabs(m->bodies[3].position[1] - 1) < 1e-15);
    assert_true(fabs(m->bodies[3].velocity[0] + 3) < 1e-14);
    assert_true(m->joints[0].body[1] == 2 && m->outputs[0].mode == 1);
    assert_true(modal->n_recoveries == 1 && modal->recovery[0].rows == 1);
    assert_true(modal->recovery[0].value[1] == 6 && m->outputs[1].mode == 0);
    assert_string_equal(modal->recovery[0].unit, "Pa");
    lk_model_free(m);
}

/* struct change - @from is replaced by @to, which is refused with @why */
static const struct change {
    const char *from;
    const char *to;
    const char *why;
} changes[] = {
    {"frequency: [1, 2]", "frequency: []",
     "m:5:166: frequency is no list of 1 to 200 numbers, expected one for each mode"},
    {"frequency: [1, 2]", "frequency: [1, 0]", "frequency is 0, expected at least 1e-06"},
    {"frequency: [1, 2]", "frequency: [1, .nan]", "expected a finite number"},
    {"damping: [0.1, 0.2]", "damping: [0.1, -1]", "damping is -1, expected at least 0"},
    {"damping: [0.1, 0.2]", "damping: [0.1]", "damping"},
    {"inertia_first: [[1, 0, 0, 0, 0, 0], ", "inertia_first: [",
     "inertia_first has 1 entries, expected a list of six numbers for each of the 2 modes"},
    {"[1, 2, 1, 2, 3", "[2, 1, 1, 2, 3",
     "second begins with 2 and 1, expected two numbers of modes from 1 to 2, the smaller one "
     "first"},
    {"[1, 2, 1, 2, 3", "[1, 3, 1, 2, 3",
     "second begins with 1 and 3, expected two numbers of modes from 1 to 2, the smaller one "
     "first"},
    {"nodes: {", "knots: {", "unknown key 'knots' in modes"},
    {"tip: {position", "arm.tip: {position", "'arm.tip'"},
    {"mass: 2, inertia: [1, 2, 2]", "mass: 0, inertia: [1, 2, 2]",
     "a body with modes has 0 kg and the principal moments 1, 2, 2, expected a mass above 0"},
    {"ball: {mass", "arm.tip: {mass", "the node has the name of body 'arm.tip'"},
    {"[ground, arm.root]", "[ground, arm]",
     "m:10:44: 'arm' has modes and bends, so its name is no place on it, expected one of its "
     "nodes, "
     "as 'arm.root'"},
    {"mode: 2", "mode: 3", "mode"},
    {"body: arm, mode: 2", "body: arm.tip, mode: 2",
     "body 'arm.tip' has no modes, expected a modal body"},
    {"rows: [[5, 6]]", "rows: [[5]]", "a row has 1 entries, expected a list of 2 numbers"},
    {"rows: [[5, 6]]", "rows: [[5, 6], [7, 8]]", "rows is no list of one row, or of six"},
    {"rows: [[5, 6]]", "row: [[5, 6]]", "unknown key 'row' in a recovery"},
    {"unit: Pa", "unit: 'P#'", "unit is 'P#'"},
    {"recovery: {weld: {unit: Pa, rows: [[5, 6]]}}", "recovery: [1]", "recovery is no map"},
    {"recovery: {weld: {unit: Pa, rows: [[5, 6]]}}", "recovery: {}",
     "body 'arm' has no recoveries, expected a modal body with the key 'recovery'"},
    {"of: weld", "of: bolt", "body 'arm' has no recovery 'bolt', expected one such as 'weld'"},
    {"body: arm, of: weld", "body: arm", "of"},
    {"body: arm, mode: 2", "body: arm", "the key 'mode' is missing, expected a number from 1 to 2"},
};

static char *changed(const struct change *c)
{
    char *text = malloc(2 * sizeof(good)), *at = strstr(good, c->from);

    assert_non_null(text);
    assert_non_null(at);
    snprintf(text, 2 * sizeof(good), "%.*s%s%s", (int)(at - good), good, c->to,
             at + strlen(c->from));
    return text;
}

static void bad_texts_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        char *text = changed(&changes[i]);
        struct lk_model *m = NULL;
        struct lk_error error;

        if (lk_model_read_text("m", text, strlen(text), &m, &error) == 0)
            fail_msg("'%s' is accepted", changes[i].to);
        if (strstr(error.text, changes[i].why) == NULL)
            fail_msg("'%s': %s", changes[i].to, error.text);
        free(text);
    }
}

/* Systems that cannot step modes say so. */
static void bad_systems_are_refused(void **state)
{
    static const struct {
        struct lk_options options;
        const char *more;
        const char *why;
    } all[] = {
        {{.order = 4}, "", "body 'arm' has modes and the order is 4, expected order 2"},
        {{.engine = "portable"}, "", "body 'arm' has modes, which engine portable does not step"},
        {{0},
         "solver: {formulation: ali3}\n",
         "which formulation rattle alone steps, expected rattle"},
        {{0},
         "solver: {formulation: recursive}\n",
         "which formulation rattle alone steps, expected rattle"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        char text[2 * sizeof(good)];
        struct lk_model *m = NULL;
        struct lk_system *system = NULL;
        struct lk_error error = {""};

        snprintf(text, sizeof(text), "%s%s", good, all[i].more);
        assert_int_equal(lk_model_read_text("m", text, strlen(text), &m, &error), 0);
        if (lk_system_new(m, &all[i].options, &system, &error) == 0)
            fail_msg("%s is accepted", all[i].why);
        if (strstr(error.text, all[i].why) == NULL)
            fail_msg("%s instead of %s", error.text, all[i].why);
        lk_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_read),
        cmocka_unit_test(bad_texts_are_refused),
        cmocka_unit_test(bad_systems_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
