/* SPDX-License-Identifier: Apache-2.0 */
/* Agreement of methods: every formulation in the tables, on the shipped models, compared with the
 * default step at order 4; positions, velocities and reactions. */
#include "linkage/laboratory.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DURATION   0.2
#define BODIES_MAX 24
#define JOINTS_MAX 32

/** struct known - the compared quantities. @reaction: of joints whose share of the load is unique
 */
struct known {
    int n_bodies;
    int n_joints;
    struct lk_body_state body[BODIES_MAX];
    double reaction[JOINTS_MAX][6];
};

/** struct mechanism - @fitting: number of formulations with equations that support it
 * @is_redundant: reactions are not unique */
static const struct mechanism {
    const char *name;
    int fitting;
    int is_redundant;
} mechanisms[] = {
    {"double-pendulum", 21, 0}, {"heavy-top", 21, 0},         {"slider-crank-3d", 21, 0},
    {"strut", 21, 0},           {"four-bar-vertical", 21, 1}, {"closed-loop-four", 21, 1},
    {"ladder-2", 21, 1},
};

static struct lk_model *read_model(const char *name)
{
    struct lk_model *model;
    struct lk_error error;
    char path[128];

    snprintf(path, sizeof(path), "config/models/%s.yaml", name);
    if (lk_model_read_file(path, &model, &error) != 0)
        fail_msg("%s", error.text);
    return model;
}

/* Return: whether the method supports the model. */
static int run(const struct lk_model *model, const struct lk_method *method, struct known *ret)
{
    struct lk_laboratory *laboratory = NULL;
    const struct lk_system *system;
    struct lk_summary summary;
    struct lk_error error = {0};

    if (lk_laboratory_open(model, method, &laboratory, &error) != 0) {
        assert_true(error.text[0] != '\0');
        return 0;
    }
    if (lk_laboratory_advance(laboratory, DURATION, NULL, &error) != 0)
        fail_msg("%s, %s: %s", lk_model_name(model), method->formulation, error.text);
    system = lk_laboratory_system(laboratory);
    lk_system_summary(system, &summary);
    ret->n_bodies = summary.n_bodies;
    ret->n_joints = summary.n_joints;
    for (int i = 0; i < ret->n_bodies; i++)
        lk_system_body_state(system, i, &ret->body[i]);
    for (int i = 0; i < ret->n_joints; i++)
        lk_system_joint_reaction(system, i, ret->reaction[i]);
    lk_laboratory_close(laboratory);
    return 1;
}

static double farthest(int n, const double *a, const double *b)
{
    double largest = 0;

    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

static void compare(const char *model, const char *name, const struct known *a,
                    const struct known *b, int is_redundant)
{
    double position = 0, velocity = 0, reaction = 0;

    for (int i = 0; i < a->n_bodies; i++) {
        const struct lk_body_state *s = &a->body[i], *r = &b->body[i];

        position = fmax(position, farthest(3, s->position, r->position));
        velocity = fmax(velocity, farthest(3, s->velocity, r->velocity));
        velocity = fmax(velocity, farthest(3, s->angular_velocity, r->angular_velocity));
    }
    for (int i = 0; i < a->n_joints && !is_redundant; i++)
        reaction = fmax(reaction, farthest(6, a->reaction[i], b->reaction[i]));
    if (!(position < 1e-8 && velocity < 1e-7 && reaction < 1e-4))
        fail_msg("%s, %s: position %.2g m, velocity %.2g m/s, reaction %.2g N off", model, name,
                 position, velocity, reaction);
}

static void check_mechanism(const struct mechanism *m)
{
    const struct lk_method reference = {.formulation = "ali3:order-4", .step = 0.0005};
    struct lk_model *model = read_model(m->name);
    const struct lk_lab_name *names;
    struct known expected, known;
    int n, fitting = 0;

    assert_true(run(model, &reference, &expected));
    names = lk_laboratory_formulations(&n);
    for (int i = 0; i < n; i++) {
        struct lk_method method = {.formulation = names[i].name, .step = 0.002};

        if (names[i].is_own)
            continue;
        method.integrator = "dormand-prince";
        method.tolerance = 1e-9;
        if (!run(model, &method, &known))
            continue;
        compare(m->name, names[i].name, &known, &expected, m->is_redundant);
        fitting++;
    }
    lk_model_free(model);
    assert_int_equal(fitting, m->fitting);
}

static void test_agreement(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(mechanisms) / sizeof(*mechanisms); i++)
        check_mechanism(&mechanisms[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreement),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
