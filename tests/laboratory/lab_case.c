/* SPDX-License-Identifier: Apache-2.0 */
#include "lab_case.h"
#include "cmocka_all.h"
#include <stdio.h>

struct run {
    struct lk_laboratory *lab;
    struct lk_error *error;
};

static int advance(void *context, double t)
{
    struct run *run = context;

    return lk_laboratory_advance(run->lab, t, NULL, run->error);
}

int lab_case_try(const char *name, const struct lk_method *method, double end, struct lab_run *ret,
                 struct lk_error *ret_error)
{
    const struct reference_case *c = reference_case(name);
    struct lk_model *model = trajectory_model(c->model, c->replace);
    struct run run = {.error = ret_error};
    int r = lk_laboratory_open(model, method, &run.lab, ret_error);

    if (r == 0) {
        r = trajectory_follow(c, lk_laboratory_system(run.lab), end, advance, &run, ret->error);
        lk_laboratory_report(run.lab, &ret->report);
        lk_laboratory_close(run.lab);
    }
    lk_model_free(model);
    return r;
}

void lab_case_run(const char *name, const struct lk_method *method, double end, struct lab_run *ret)
{
    struct lk_error error;

    if (lab_case_try(name, method, end, ret, &error) != 0)
        fail_msg("%s, %s, %s: %s", name, method->formulation, method->integrator, error.text);
}

const struct lk_method lab_case_absolute = {
    .formulation = "absolute", .orientation = "lie", .stabilisation = "none", .step = 1e-3};

struct lab_run lab_case_of(const char *name, const char *integrator, double step, double tolerance,
                           double kappa, double end)
{
    struct lk_method method = lab_case_absolute;
    struct lab_run run;

    method.integrator = integrator;
    method.step = step;
    method.tolerance = tolerance;
    method.kappa = kappa;
    lab_case_run(name, &method, end, &run);
    printf("    %s, %s, %.0e: %.1e m, %.1e m/s, %.1e N, %llu steps, %llu right-hand sides\n", name,
           integrator, tolerance > 0 ? tolerance : step, run.error[POSITION], run.error[VELOCITY],
           run.error[REACTION], run.report.steps, run.report.rates);
    return run;
}
