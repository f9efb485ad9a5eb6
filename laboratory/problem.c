/* SPDX-License-Identifier: Apache-2.0 */
/* Acceptance of a step by integrators of y' = f(t, y). */
#include "laboratory/integrator.h"

#include <errno.h>
#include <stdlib.h>

/* Accept the state in the mechanics. lambda comes from the formulation if it computes lambda,
 * otherwise from the mechanics. */
static int accept_mechanics(struct lk_problem *p, double t)
{
    double *lambda = NULL;
    int r;

    if (p->equations->lambda) {
        lambda = calloc((size_t)p->mechanics->n_rows + 1, sizeof(*lambda));
        if (!lambda)
            return -ENOMEM;
        p->equations->lambda(p->self, lambda);
    }
    r = lk_mechanics_accept(p->mechanics, t, lambda);
    free(lambda);
    return r;
}

static int explain_failure(int r, double t, const char *name, struct lk_error *ret_error)
{
    if (r == LK_E_SINGULAR)
        lk_error_set(ret_error,
                     "t = %.9g s: the equations of formulation %s are singular in this pose, "
                     "expected a formulation that has no singularity there",
                     t, name);
    else if (r == LK_E_NOT_FINITE)
        lk_error_set(ret_error,
                     "t = %.9g s: the state is not finite, expected a smaller step or tolerance",
                     t);
    else if (r == -ENOMEM)
        lk_error_set(ret_error, "out of memory");
    else
        lk_error_set(ret_error, "t = %.9g s: formulation %s finds no state on the joints", t, name);
    return r;
}

int lk_problem_begin(struct lk_problem *p)
{
    const struct lk_equations *e = p->equations;
    unsigned long long looks = p->mechanics->n_evaluations;
    double *y;
    int r;

    if (!p->self || !e->lambda)
        return 0;
    y = calloc((size_t)e->size(p->self) + 1, sizeof(*y));
    if (!y)
        return -ENOMEM;
    e->read(p->self, y);
    r = e->write(p->self, 0, y);
    free(y);
    if (r == 0)
        r = accept_mechanics(p, 0);
    lk_mechanics_start(p->mechanics);
    p->mechanics->n_evaluations = looks;
    return r == -ENOMEM ? r : 0;
}

int lk_problem_accept(struct lk_problem *p, double t, double *y, struct lk_error *ret_error)
{
    const struct lk_equations *e = p->equations;
    int r = e->settle ? e->settle(p->self, t, y) : 0;

    if (r == 0)
        r = e->write(p->self, t, y);
    if (r == 0 && p->mechanics)
        r = accept_mechanics(p, t);
    if (r != 0)
        return explain_failure(r, t, e->name, ret_error);
    if (p->accepted && !p->is_showing)
        p->accepted(p->context);
    return 0;
}
