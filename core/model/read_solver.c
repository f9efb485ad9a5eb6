/* SPDX-License-Identifier: Apache-2.0 */
/* Section `solver`: how the model is stepped, unless a caller says otherwise. */
#include "reader.h"

#include <stdio.h>

int lk_read_solver(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    static const char *const keys[] = {"formulation", "step", "iterations", NULL};
    static const char *const formulations[] = {"ali3", NULL};
    struct lk_solver_def *solver = &model->solver;
    struct lk_node map = lk_node_get(root, "solver");
    long iterations = 3;
    int formulation = 0;
    int result = 0;

    solver->step = 0.001;
    if (map.index != 0)
        result = lk_node_check_keys(map, "the solver", keys, err);
    if (result == 0 && lk_node_get(map, "formulation").index != 0)
        result = lk_node_read_choice(map, "formulation", formulations, &formulation, err);
    if (result == 0)
        result = lk_node_read_number_or(map, "step", &solver->step, err);
    if (result == 0 && (solver->step < LK_STEP_MIN || solver->step > LK_STEP_MAX))
        result =
            lk_node_refuse(lk_node_get(map, "step"), err, "step is %.40s, expected 1e-6 to 0.1 s",
                           lk_node_text(lk_node_get(map, "step")));
    if (result == 0)
        result = lk_node_read_int_or(map, "iterations", 1, LK_ITERATIONS_MAX, &iterations, err);
    snprintf(solver->formulation, sizeof(solver->formulation), "%s", formulations[formulation]);
    solver->iterations = (int)iterations;
    return result;
}
