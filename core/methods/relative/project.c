/* SPDX-License-Identifier: Apache-2.0 */
/* Projection of coordinates and rates onto the cut rows: the change of least kinetic energy that
 * satisfies the linearised rows. The change is W Phi_q^T sigma, where Phi_q W Phi_q^T sigma = Phi.
 * The rows of the tree are included; their Phi is zero up to round-off. The change is then
 * expressed in q, so that the joints of the tree remain satisfied. */
#include "methods/relative/private.h"

/* number of Newton iterations; two suffice, because the error after a step is small and each
 * iteration squares it */
#define ROUNDS 2

/* Compute the change of rates or coordinates, s->rates, that removes the residual in s->rows. */
static int find_step(struct lk_relative *r)
{
    struct lk_relative_scratch *s = r->scratch;
    int status = lk_assembly_factor(s->assembly);

    if (status != 0)
        return status;
    lk_assembly_solve(s->assembly, s->rows);
    for (int b = 0; b < r->mechanics->n_bodies; b++)
        s->correction[b] = (struct lk_twist){{0}, {0}};
    lk_assembly_subtract_forces(s->assembly, s->rows, s->correction);
    lk_assembly_divide(s->assembly, s->correction, s->correction);
    lk_relative_components(r, s->correction, s->rates);
    return 0;
}

/* Evaluate the state. This call does not count as an evaluation of a method. */
static void evaluate_state(struct lk_relative *r, double t, const double *q, const double *nu)
{
    lk_relative_place(r, q, nu);
    lk_mechanics_evaluate(r->mechanics, t);
    r->mechanics->n_evaluations--;
}

int lk_relative_project(struct lk_relative *r, double t, double *q, double *nu)
{
    struct lk_relative_scratch *s = r->scratch;
    int status;

    lk_relative_normalise(r, q);
    if (r->n_cut == 0)
        return 0;
    for (int round = 0; round < ROUNDS; round++) {
        evaluate_state(r, t, q, nu);
        lk_mechanics_violation(r->mechanics, s->rows);
        status = find_step(r);
        if (status != 0)
            return status;
        lk_relative_move(r, q, s->rates, q);
    }
    evaluate_state(r, t, q, nu);
    lk_mechanics_rates(r->mechanics, s->rows);
    status = find_step(r);
    for (int i = 0; i < r->n_v && status == 0; i++)
        nu[i] += s->rates[i];
    return status;
}
