/* SPDX-License-Identifier: Apache-2.0 */
/* What the integrators of SUNDIALS share: memory, what is heard of errors, the way to a time.
 *
 * A. C. Hindmarsh et al., SUNDIALS: suite of nonlinear and differential/algebraic equation solvers,
 * 2005. Its solvers print nothing here: what they would print ends up in the error line. */
#ifndef LK_METHODS_LABORATORY_SUNDIALS_SESSION_H
#define LK_METHODS_LABORATORY_SUNDIALS_SESSION_H

#include "methods/laboratory/implicit/dae.h"

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

struct lk_sundials;

/** struct lk_sundials_solver - a package. @name: of the integrator
 * @step:  one internal step that does not lead beyond @t. @ret_now: where it led. Return: of
 *         SUNDIALS, below zero: failed
 * @count: work done so far, all but steps and rates, into problem->counts
 * @free:  the solver's memory */
struct lk_sundials_solver {
    const char *name;
    int (*step)(struct lk_sundials *session, double t, double *ret_now);
    void (*count)(struct lk_sundials *session);
    void (*free)(void **memory);
};

/** struct lk_sundials - @dae: of constrained equations, or NULL: y' = f of the problem
 * @memory: of the solver;  @y, @slope: as it goes on, y' of residual forms
 * @copy:   n numbers: what is accepted;  @code: of the last rate() that failed, in the step
 *          from @failed_at [s], or 0
 * @said:   the last complaint of SUNDIALS */
struct lk_sundials {
    const struct lk_sundials_solver *solver;
    struct lk_problem *problem;
    struct lk_dae *dae;
    void *memory;
    SUNContext context;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    N_Vector y;
    N_Vector slope;
    double *copy;
    int n;
    int code;
    double t;
    double failed_at;
    char said[256];
};

/** lk_sundials_new() - for the formulation of @problem, the state in y, f there in slope if
 * @has_slope. lk_sundials_new_dae() - for constrained equations, see lk_dae_over_constraints().
 * Return: as open() of an integrator. */
int lk_sundials_new(struct lk_problem *problem, const struct lk_sundials_solver *solver,
                    int has_slope, struct lk_sundials **ret, struct lk_error *ret_error);
int lk_sundials_new_dae(struct lk_problem *problem, const struct lk_sundials_solver *solver,
                        struct lk_sundials **ret, struct lk_error *ret_error);

/** lk_sundials_free() - close() of an integrator. */
void lk_sundials_free(void *self);

/** lk_sundials_hear() - error handler of all packages. */
void lk_sundials_hear(int code, const char *module, const char *function, char *message,
                      void *self);

/** lk_sundials_answer() - what SUNDIALS is told of @r, which a rate() returned: above zero, as a
 * smaller step may mend it; @r is kept. */
int lk_sundials_answer(struct lk_sundials *session, int r);

/** lk_sundials_rate() - right-hand side of all packages. */
int lk_sundials_rate(realtype t, N_Vector y, N_Vector ret, void *self);

/** lk_sundials_add_matrix() - dense matrix and linear solver. Return: 0, -ENOMEM. */
int lk_sundials_add_matrix(struct lk_sundials *session);

/** lk_sundials_ready() - @flag is the worst return of what set the solver up. Return: 0, LK_E_MODEL
 * with what SUNDIALS said; the session is freed then. */
int lk_sundials_ready(struct lk_sundials *session, int flag, void **ret,
                      struct lk_error *ret_error);

/** lk_sundials_needs_tolerance() - LK_E_MODEL with a line if the problem has none, or 0. */
int lk_sundials_needs_tolerance(const struct lk_problem *problem, const char *name,
                                struct lk_error *ret_error);

/** lk_sundials_settles() - enum lk_settling of the formulation of the problem. */
int lk_sundials_settles(const struct lk_problem *problem);

/** lk_sundials_refuse_settled() - of a multistep method: LK_E_MODEL with a line if the
 * formulation goes on from other values after a step and the method would not, or 0.
 * @projects: it takes projections into its past */
int lk_sundials_refuse_settled(const struct lk_problem *problem, const char *name, int projects,
                               struct lk_error *ret_error);

/** lk_sundials_advance() - advance() of an integrator. */
int lk_sundials_advance(void *self, double t, struct lk_error *ret_error);

#endif
