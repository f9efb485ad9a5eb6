/* SPDX-License-Identifier: Apache-2.0 */
#include "system_run.h"
#include "../cmocka_all.h"
#include "linkage/energy.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

static void end_of(const struct lk_system *sys, int n_bodies, struct system_run *ret)
{
    for (int b = 0; b < n_bodies; b++) {
        struct lk_body_state s;

        lk_system_body_state(sys, b, &s);
        memcpy(ret->x + 6 * b, s.position, sizeof(s.position));
        memcpy(ret->x + 6 * b + 3, s.velocity, sizeof(s.velocity));
    }
}

int system_run(struct lk_model *model, const char *formulation, double h, double end,
               struct system_run *ret, struct lk_error *error)
{
    static const double rest[64];
    struct lk_options options = {.step = h};
    struct lk_health health;
    struct lk_system *sys;
    double start;
    int r;

    strcpy(model->solver.formulation, formulation);
    r = lk_system_new(model, &options, &sys, error);
    if (r != 0)
        return r;
    *ret = (struct system_run){0};
    assert_true(model->n_bodies <= SYSTEM_RUN_BODIES);
    lk_system_health(sys, &health);
    start = lk_energy_balance(&health);
    for (int i = 0; i < (int)lround(end / h); i++) {
        assert_int_equal(lk_system_step(sys, rest), 0);
        lk_system_health(sys, &health);
        ret->worst[0] = fmax(ret->worst[0], health.residual_position);
        ret->worst[1] = fmax(ret->worst[1], health.residual_velocity);
        ret->worst[2] = fmax(ret->worst[2], fabs(lk_energy_balance(&health) - start));
    }
    end_of(sys, model->n_bodies, ret);
    lk_system_free(sys);
    return 0;
}

void system_run_well(struct lk_model *model, const char *formulation, double h, double end,
                     struct system_run *ret)
{
    struct lk_error error;

    if (system_run(model, formulation, h, end, ret, &error) != 0)
        fail_msg("%s: %s", formulation, error.text);
}

double system_run_difference(const struct system_run *a, const struct system_run *b)
{
    double largest = 0;

    for (int i = 0; i < 6 * SYSTEM_RUN_BODIES; i++)
        largest = fmax(largest, fabs(a->x[i] - b->x[i]));
    return largest;
}

struct lk_model *system_run_model(const char *text)
{
    struct lk_model *model = NULL;
    struct lk_error error;

    if (lk_model_read_text("model", text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    return model;
}
