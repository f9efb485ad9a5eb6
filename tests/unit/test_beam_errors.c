/* SPDX-License-Identifier: Apache-2.0 */
/* Beams: places, names and masses of nodes, profiles, refused texts. */
#include "cmocka_all.h"
#include "linkage/parameters.h"
#include "model/model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct lk_model *read_model(const char *text)
{
    struct lk_model *model = NULL;
    struct lk_error error;

    if (lk_model_read_text("m", text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    return model;
}

static const struct lk_body_def *body(const struct lk_model *model, const char *name)
{
    for (int i = 0; i < model->n_bodies; i++)
        if (strcmp(model->bodies[i].name, name) == 0)
            return &model->bodies[i];
    fail_msg("no body %s", name);
    return NULL;
}

#define HEAD "linkage: 1\nname: m\n"
#define SECTION                                                                                    \
    "EA: 100, EI: [3, 5], GJ: 2, shear: [40, 60], mass_per_length: 2, inertia_per_length: [0.3, "  \
    "0.2, 0.1]"

static void nodes_and_elements(void **state)
{
    /* four elements on 2 m: the node at 0.25 moves to 0.3, one is added at 0.31, 0.75 is there */
    static const char text[] = HEAD
        "bodies:\n  box: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
        "flexible:\n  b: {type: beam, from: [0, 0, 1], to: [0, 2, 1], elements: 4, damping: 0.01, "
        "nodes: {tip: 1, own: [0, 0.62, 1]}, " SECTION "}\n"
        "joints:\n  j: {type: spherical, bodies: [b@0.3, box], point: [0, 0.6, 1]}\n"
        "outputs:\n  o: {type: body-pose, body: b@0.75}\n  f: {type: force, force: b@0.9}\n";
    struct lk_model *m = read_model(text);
    const struct lk_force_def *f;
    double mass = 0;

    (void)state;
    assert_int_equal(m->n_bodies, 1 + 6);
    assert_int_equal(m->n_forces, 5);
    assert_true(body(m, "b.0")->position[1] == 0 && body(m, "b.1")->position[1] == 0.6);
    assert_true(fabs(body(m, "b.own")->position[1] - 0.62) < 1e-12);
    assert_true(body(m, "b.tip")->position[1] == 2);
    assert_string_equal(m->bodies[m->joints[0].body[0]].name, "b.1");
    assert_string_equal(m->bodies[m->outputs[0].body].name, "b.4");
    assert_string_equal(m->forces[m->outputs[1].force].name, "b.5");
    for (int i = 1; i < m->n_bodies; i++)
        mass += m->bodies[i].mass;
    assert_true(fabs(mass - 4) < 1e-12);
    assert_true(fabs(body(m, "b.tip")->mass - 0.5) < 1e-12);
    assert_true(fabs(body(m, "b.tip")->inertia[0] - 0.3 * 0.25) < 1e-12);
    f = &m->forces[4]; /* 0.5 m long, x along the world's y, z up */
    assert_true(f->is_element);
    assert_true(fabs(f->compliance.stiffness[0] - 200) < 1e-9);
    assert_true(fabs(f->compliance.stiffness[1] - 1 / (0.125 / 60 + 0.5 / 40)) < 1e-9);
    assert_true(fabs(f->compliance.stiffness[2] - 1 / (0.125 / 36 + 0.5 / 60)) < 1e-9);
    assert_true(fabs(f->compliance.stiffness[3] - 4) < 1e-12);
    assert_true(fabs(f->compliance.stiffness[4] - 6) < 1e-12);
    assert_true(fabs(f->compliance.stiffness[5] - 10) < 1e-12);
    assert_true(fabs(f->compliance.damping[5] - 0.1) < 1e-12);
    assert_true(fabs(f->orientation[0] - sqrt(0.5)) < 1e-12);
    assert_true(fabs(f->orientation[3] - sqrt(0.5)) < 1e-12);
    lk_model_free(m);
}

static void profiles(void **state)
{
    static const char text[] = HEAD
        "flexible:\n  tube: {type: beam, from: [0, 0, 0], to: [1, 0, 0], elements: 1, profile: "
        "{shape: round, diameter: 0.1, bore: 0.08}}\n  bar: {type: beam, from: [0, 1, 0], to: "
        "[1, 1, 0], elements: 1, profile: {shape: rectangle, width: 0.02, height: 0.02}, "
        "material: {E: 7e10, G: 2.6e10, density: 2700}}\n"
        "  pipe: {type: beam, from: [0, 2, 0], to: [1, 2, 0], elements: 1, profile: {shape: round, "
        "diameter: 0.1, bore: 0.08}, material: {E: 2.6e11, G: 1e11, density: 1}}\n"
        "  strip: {type: beam, from: [0, 3, 0], to: [1, 3, 0], elements: 1, profile: {shape: "
        "rectangle, width: 0.02, height: 0.05}, material: {E: 2.6e11, G: 1e11, density: 1}}\n";
    struct lk_model *m = read_model(text);
    const double A = M_PI / 4 * (0.01 - 0.0064), I = M_PI / 64 * (1e-4 - 4.096e-5);
    const double *k = m->forces[0].compliance.stiffness;

    (void)state;
    assert_true(fabs(m->bodies[0].mass - 7850 * A / 2) < 1e-9);
    assert_true(fabs(k[0] / (2.1e11 * A) - 1) < 1e-12);
    assert_true(fabs(k[3] / (8.1e10 * 2 * I) - 1) < 1e-12);
    assert_true(fabs(k[4] / (2.1e11 * I) - 1) < 1e-12);
    k = m->forces[1].compliance.stiffness;
    assert_true(fabs(k[0] / (7e10 * 4e-4) - 1) < 1e-12);
    /* torsion of a square: 0.1406 a^4 (Timoshenko, Goodier, Theory of Elasticity, table of art. 94)
     */
    assert_true(fabs(k[3] / (2.6e10 * 0.1406 * 1.6e-7) - 1) < 1e-3);
    /* shear factors of a Poisson ratio of 0.3, in lateral deflection: 0.5411, 0.8497 (Cowper) */
    k = m->forces[2].compliance.stiffness;
    for (int i = 1; i <= 2; i++)
        assert_true(fabs(k[i] * (1 / (12 * 2.6e11 * I) + 1 / (0.541080 * 1e11 * A)) - 1) < 1e-6);
    k = m->forces[3].compliance.stiffness; /* 0.02 m along y, 0.05 m along z */
    assert_true(fabs(k[4] / (2.6e11 * 0.02 * 1.25e-4 / 12) - 1) < 1e-12);
    assert_true(fabs(k[5] / (2.6e11 * 0.05 * 8e-6 / 12) - 1) < 1e-12);
    assert_true(fabs(k[1] * (1 / (12 * k[5]) + 1 / (0.849673 * 1e11 * 1e-3)) - 1) < 1e-6);
    assert_true(fabs(k[2] * (1 / (12 * k[4]) + 1 / (0.849673 * 1e11 * 1e-3)) - 1) < 1e-6);
    assert_int_equal(m->n_shapes, 8);
    lk_model_free(m);
}

static void parameters_act(void **state)
{
    static const char text[] = HEAD
        "parameters: {L: {value: 2}, soft: {acts: flexible.b.EI.2, value: 7, unit: N m^2}}\n"
        "flexible:\n  b: {type: beam, from: [0, 0, 0], to: [=L, 0, 0], elements: 1, " SECTION "}\n";
    const struct lk_setting settings[] = {{"L", 4}, {"flexible.b.EA", 8}};
    struct lk_model *m = NULL;
    struct lk_errors errors;
    struct lk_numbers *numbers = NULL;
    int n, found = 0;

    (void)state;
    assert_int_equal(
        lk_model_read_text_with(NULL, "m", text, strlen(text), settings, 2, &m, &errors), 0);
    assert_true(m->forces[0].compliance.stiffness[0] == 2);
    assert_true(m->forces[0].compliance.stiffness[5] == 7.0 / 4);
    lk_model_free(m);
    /* the numbers of the text, not those of the nodes */
    assert_int_equal(lk_numbers_new("m", text, strlen(text), NULL, 0, &numbers, &errors), 0);
    for (const struct lk_number *x = lk_numbers_list(numbers, &n); n > 0; n--, x++) {
        assert_null(strstr(x->path, "bodies"));
        found += strcmp(x->path, "flexible.b.EI.2") == 0 && strcmp(x->unit, "N m^2") == 0;
    }
    assert_int_equal(found, 1);
    lk_numbers_free(numbers);
}

/* The mean direction at the corner is along 'up', the two lines are not. */
static void corner_along_up(void **state)
{
    struct lk_model *m = read_model(
        HEAD "flexible:\n  b: {type: beam, through: [[0, 0, 0], [1, 0, 1], [0, 0, 2]], elements: "
             "2, " SECTION "}\n");
    const struct lk_body_def *corner = body(m, "b.1");

    (void)state;
    assert_true(fabs(corner->position[0] - 1) < 1e-12 && fabs(corner->position[2] - 1) < 1e-12);
    for (int i = 0; i < 4; i++)
        assert_true(isfinite(corner->orientation[i]));
    lk_model_free(m);
}

#define B(keys) HEAD "flexible:\n  b: {type: beam, " keys "}\n"
#define ENDS    "from: [0, 0, 0], to: [1, 0, 0], "

static void refusals(void **state)
{
    static const struct {
        const char *text;
        const char *line;
    } rows[] = {
        {B("from: [0, 0, 0], through: [[0, 0, 0], [1, 0, 0]], " SECTION),
         "m:4:25: from beside through, expected one of them"},
        {B("through: [[0, 0, 0], [1, 0, 0], [0.5, 0, 0]], " SECTION),
         "m:4:40: the axis turns back along itself here, expected a bend of less than half a turn"},
        {B(ENDS "nodes: {tip: 1, end: 1}, " SECTION),
         "m:4:67: 'end' is at the place of 'tip', expected one name for a place"},
        {B(ENDS "EA: 1, sections: [{at: 0, " SECTION "}, {at: 1, " SECTION "}]"),
         "m:4:55: EA beside sections, expected it in each of them"},
        {B(ENDS "nodes: {a: 0.5, c: 0.50001}, EA: 1, EI: [1, 1], GJ: 1, mass_per_length: 1"),
         "m:4:3: the element from 0.5 to 0.50001 of the length, 1e-05 m long, has 1.2e+16 for "
         "stiffness or damping, expected at most 1e+15: fewer elements, places further apart, or a "
         "softer section"},
        {B(ENDS "elements: 1, EA: 1, EI: [1, 1], GJ: 1, mass_per_length: 1e-15"),
         "m:4:3: the node at 0 of the length has 5e-16 kg and 1e-15, 5e-16, 5e-16 kg m^2, expected "
         "1e-15 to 1e+15 kg and, unless 0, 1e-30 to 1e+15 kg m^2"},
        {HEAD "flexible: 3\n",
         "m:3:11: flexible is no map of at most 256 beams, expected NAME: {type: beam, ...}"},
        {B(ENDS "EA: 1"), "m:4:6: the key 'EI' is missing, expected a list of 2 numbers"},
        {B("to: [1, 0, 0], " SECTION),
         "m:4:6: the key 'from' is missing, expected a list of 3 numbers"},
        {B("from: [0, 0, 0], to: [0, 0, 0], " SECTION),
         "m:4:40: the point is the one before, expected another one"},
        {B("from: [0, 0, 0], to: [0, 0, 2], " SECTION),
         "m:4:3: the beam runs along its 'up', (0, 0, 1), expected an up across it"},
        {B(ENDS "EA: 0, EI: [1, 1], GJ: 1, mass_per_length: 1"),
         "m:4:55: EA is 0, expected more than 0, at least 1e-15"},
        {B(ENDS "EA: 1, EI: [1, -1], GJ: 1, mass_per_length: 1"),
         "m:4:66: entry 2 of EI is -1, expected more than 0"},
        {B(ENDS "EA: 1, EI: [1, 1], GJ: 1, mass_per_length: 1, inertia_per_length: [3, 1, 1]"),
         "m:4:117: inertia_per_length is 3, 1, 1, expected none to be more than the sum of the "
         "others; "
         "of a flat section the first is that sum"},
        {B(ENDS "profile: {shape: round, diameter: 0.1, bore: 0.2}"),
         "m:4:96: bore is 0.2, expected less than the diameter, 0.1"},
        {B(ENDS "profile: {shape: oval}"), "m:4:68: shape is 'oval', expected round, rectangle"},
        {B(ENDS "EA: 1, profile: {shape: round, diameter: 0.1}"),
         "m:4:55: EA follows from the profile, expected one of them"},
        {B(ENDS "nodes: {off: [0.5, 0.1, 0]}, " SECTION),
         "m:4:64: the point is 0.1 m off the axis of the beam, expected a point on it or a "
         "fraction of "
         "its length"},
        {B(ENDS "nodes: {off: 1.5}, " SECTION),
         "m:4:64: '1.5' is at 1.5, expected a fraction from 0 to 1"},
        {B(ENDS "elements: 0, " SECTION),
         "m:4:61: elements is '0', expected a whole number from 1 to 1024"},
        {B(ENDS SECTION) "outputs:\n  o: {type: body-pose, body: b@2}\n",
         "m:6:30: 'b@2' is no place of the beam, expected a fraction of its length from 0 to 1, as "
         "b@0.5"},
        {B(ENDS "sections: [{at: 0, " SECTION "}, {at: 0.5, " SECTION "}]"),
         "m:4:178: at is 0.5, expected fractions that ascend from 0 to 1"},
        {B(ENDS SECTION) "bodies:\n  b.3: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n",
         "m:4:3: 'b.3' is given twice, expected once (it is in line 6 already)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct lk_model *model = NULL;
        struct lk_errors errors;
        bool found = false;

        assert_int_equal(
            lk_model_read_text_all("m", rows[i].text, strlen(rows[i].text), &model, &errors),
            LK_E_TEXT);
        for (int k = 0; k < errors.n; k++)
            found |= strcmp(errors.line[k].text, rows[i].line) == 0;
        if (!found)
            fail_msg("row %zu: '%s' instead of '%s'", i, errors.line[0].text, rows[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_and_elements), cmocka_unit_test(profiles),
        cmocka_unit_test(parameters_act),     cmocka_unit_test(corner_along_up),
        cmocka_unit_test(refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
