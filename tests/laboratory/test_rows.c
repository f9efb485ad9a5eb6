/* SPDX-License-Identifier: Apache-2.0 */
/* Redundant rows: which of them solvers of the constrained equations keep, and the reactions of the
 * others. */
#include "cmocka_all.h"
#include "lab_case.h"
#include "laboratory/independent_rows.h"
#include "step/system.h"
#include <math.h>
#include <string.h>

static struct lk_mechanics *mechanics_of(const char *name)
{
    const struct reference_case *c = reference_case(name);
    struct lk_model *model = trajectory_model(c->model, c->replace);
    struct lk_mechanics *mechanics;
    struct lk_error error;

    if (lk_mechanics_new(model, 0, &mechanics, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    lk_mechanics_evaluate(mechanics, 0);
    return mechanics;
}

/* @ret = Phi_q^T @lambda */
static void load_of(const struct lk_mechanics *m, const double *jacobian, const double *lambda,
                    double *ret)
{
    for (int k = 0; k < m->n_velocities; k++) {
        ret[k] = 0;
        for (int r = 0; r < m->n_rows; r++)
            ret[k] += jacobian[r * m->n_velocities + k] * lambda[r];
    }
}

/* A plane loop of four links and the ground with five revolutes: 25 rows, 3 of them redundant.
 * Multipliers of the 22 chosen rows, shared among all, give the same forces with a smaller norm;
 * gathered again they are unchanged. */
static void independent_rows_carry_every_load(void **state)
{
    struct lk_mechanics *m = mechanics_of("closed-loop-four");
    struct lk_independent_rows *rows;
    double jacobian[25 * 24], lambda[25], weight[25], before[24], after[24], old[25];
    double norm[2] = {0, 0};

    (void)state;
    assert_int_equal(m->n_rows, 25);
    assert_int_equal(lk_independent_rows_new(m, &rows), 0);
    assert_int_equal(rows->n, 22);
    assert_true(rows->margin > 1e-3);
    lk_mechanics_jacobian(m, jacobian);
    for (int r = 0; r < 25; r++) {
        old[r] = sin(r + 1);
        weight[r] = 1;
    }
    lk_independent_rows_spread(rows, old, lambda);
    memcpy(old, lambda, sizeof(old));
    load_of(m, jacobian, lambda, before);
    assert_int_equal(lk_independent_rows_share(rows, 24, jacobian, weight, lambda), 0);
    load_of(m, jacobian, lambda, after);
    for (int k = 0; k < 24; k++)
        assert_true(fabs(before[k] - after[k]) < 1e-12);
    for (int r = 0; r < 25; r++) {
        norm[0] += old[r] * old[r];
        norm[1] += lambda[r] * lambda[r];
    }
    assert_true(norm[1] < 0.99 * norm[0]);
    assert_int_equal(lk_independent_rows_gather(rows, 24, jacobian, lambda), 0);
    for (int r = 0; r < 25; r++)
        assert_true(fabs(lambda[r] - old[r]) < 1e-11);
    lk_independent_rows_free(rows);
    lk_mechanics_free(m);
}

/* Away from consistency redundant rows are independent, so the rank is larger and the best rows are
 * others: as many rows as before are kept, and the same ones while they are good enough. */
static void rows_are_kept(void **state)
{
    struct lk_mechanics *m = mechanics_of("four-bar-vertical");
    struct lk_independent_rows *kept, *chosen;
    size_t size = (size_t)m->n_rows * sizeof(int);
    int before[64];

    (void)state;
    assert_int_equal(lk_independent_rows_new(m, &kept), 0);
    assert_int_equal(kept->n, m->n_rows - 3);
    memcpy(before, kept->row, size);
    for (int b = 0; b < m->n_bodies; b++) {
        double *q = lk_mechanics_motion(m)[b].q, angle = 0.1 * (b + 1);

        q[0] = cos(angle);
        q[1] = q[2] = q[3] = sin(angle) / sqrt(3);
    }
    lk_mechanics_evaluate(m, 0);
    assert_int_equal(lk_independent_rows_new(m, &chosen), 0);
    assert_true(chosen->n > kept->n);
    assert_int_equal(lk_independent_rows_keep(kept, m), 0);
    assert_memory_equal(before, kept->row, size);
    lk_independent_rows_free(kept);
    lk_independent_rows_free(chosen);
    lk_mechanics_free(m);
}

/* The strut with redundant rows: reactions agree with formulation absolute, which computes
 * multipliers with the same weights in another way. */
static void redundant_rows_share_reactions(void **state)
{
    static const char *const integrators[] = {"dormand-prince", "radau:ggl"};
    struct lk_model *model = trajectory_model("config/models/strut-redundant.yaml", NULL);
    double reaction[2][64][6];
    struct lk_error error;
    int n = 0;

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lk_method method = lab_case_absolute;
        struct lk_laboratory *lab;
        const struct lk_system *sys;

        method.integrator = integrators[i];
        method.tolerance = 1e-9;
        assert_int_equal(lk_laboratory_open(model, &method, &lab, &error), 0);
        sys = lk_laboratory_system(lab);
        assert_int_equal(lk_laboratory_advance(lab, 0.2, NULL, &error), 0);
        n = sys->n_named_joints;
        for (int j = 0; j < n; j++)
            lk_system_joint_reaction(sys, j, reaction[i][j]);
        lk_laboratory_close(lab);
    }
    for (int j = 0; j < n; j++)
        for (int k = 0; k < 6; k++)
            assert_true(fabs(reaction[0][j][k] - reaction[1][j][k]) < 1e-2);
    lk_model_free(model);
}

/* Three rows of the loop are redundant: the forces of the others have minimum norm. */
static void redundant_rows_are_left_out(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lab_run run =
            lab_case_of("closed-loop-four", i ? "ida:ggl" : "radau:ggl", 1e-3, 1e-8, 0, 2);

        assert_true(run.error[POSITION] < 1e-5);
        assert_true(run.error[REACTION] < 1e-2); /* of 20 N */
        assert_true(run.report.position < 1e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_rows_carry_every_load),
        cmocka_unit_test(rows_are_kept),
        cmocka_unit_test(redundant_rows_share_reactions),
        cmocka_unit_test(redundant_rows_are_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
