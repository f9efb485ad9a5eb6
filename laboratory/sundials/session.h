/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the integrators of SUNDIALS share: memory, error messages, and integration to a
 * given time.
 *
 * A. C. Hindmarsh et al., SUNDIALS: suite of nonlinear and differential/algebraic equation solvers,
 * 2005. The solvers of SUNDIALS print nothing here: their messages become part of the error
 * message. */
#ifndef LK_METHODS_LABORATORY_SUNDIALS_SESSION_H
#define LK_METHODS_LABORATORY_SUNDIALS_SESSION_H

#include "laboratory/implicit/dae.h"

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

struct lk_sundials;

/** struct lk_sundials_solver - functions of a package of SUNDIALS. Functions return the return
 * value of SUNDIALS; negative: failure.
 * @name:        name of the integrator
 * @step:        make one internal step that ends at or before @t, or anywhere if
 *               problem->may_pass, and write its end to @ret_now
 * @interpolate: compute derivative number @k of y at time @t within the last step
 * @count:       copy the work done so far, except steps and rates, to problem->counts
 * @free:        free the memory of the solver */
struct lk_sundials_solver {
    const char *name;
    int (*step)(struct lk_sundials *session, double t, double *ret_now);
    int (*interpolate)(void *memory, double t, int k, N_Vector ret);
    void (*count)(struct lk_sundials *session);
    void (*free)(void **memory);
};

/** struct lk_sundials - a run with a solver of SUNDIALS.
 * @dae:       the constrained equations, or NULL: y' = f of the problem
 * @memory:    memory of the solver
 * @y, @slope: current state of the solver, and y' for residual forms
 * @shown, @shown_slope: y and y' of lk_sundials_show()
 * @copy:      the accepted state, n numbers
 * @code:      error of the last rate() that failed, or 0
 * @failed_at: start of the step in which rate() failed [s]
 * @said:      the last error message of SUNDIALS */
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
    N_Vector shown;
    N_Vector shown_slope;
    double *copy;
    int n;
    int code;
    double t;
    double failed_at;
    char said[256];
};

/** lk_sundials_new() - create a session for the formulation of @problem. y is its state, and slope
 * is f at this state if @has_slope.
 * lk_sundials_new_dae() - create a session for constrained equations, see
 * lk_dae_over_constraints().
 * Return: as open() of an integrator. */
int lk_sundials_new(struct lk_problem *problem, const struct lk_sundials_solver *solver,
                    int has_slope, struct lk_sundials **ret, struct lk_error *ret_error);
int lk_sundials_new_dae(struct lk_problem *problem, const struct lk_sundials_solver *solver,
                        struct lk_sundials **ret, struct lk_error *ret_error);

/** lk_sundials_free() - close a session; used as close() of an integrator. */
void lk_sundials_free(void *self);

/** lk_sundials_hear() - store an error message of SUNDIALS; used as error handler of all
 * packages. */
void lk_sundials_hear(int code, const char *module, const char *function, char *message,
                      void *self);

/** lk_sundials_answer() - store the error @r of a rate() and return the corresponding value for
 * SUNDIALS: 0; -1: fatal; 1 if @r is positive, because a smaller step may then succeed. */
int lk_sundials_answer(struct lk_sundials *session, int r);

/** lk_sundials_rate() - evaluate the right-hand side; callback of all packages. */
int lk_sundials_rate(realtype t, N_Vector y, N_Vector ret, void *self);

/** lk_sundials_add_matrix() - add a dense matrix and its linear solver. Return: 0, -ENOMEM. */
int lk_sundials_add_matrix(struct lk_sundials *session);

/** lk_sundials_ready() - complete the set-up.
 * @flag: return value of the set-up functions; negative: failure
 * Return: 0, LK_E_MODEL with the message of SUNDIALS in @ret_error; the session is then freed. */
int lk_sundials_ready(struct lk_sundials *session, int flag, void **ret,
                      struct lk_error *ret_error);

/** lk_sundials_stop_at() - tell SUNDIALS not to step beyond @t, unless problem->may_pass.
 * @set: function of the package that sets the stop time
 * Return: return value of @set, or 0. */
int lk_sundials_stop_at(struct lk_sundials *session, double t, int (*set)(void *, realtype));

/** lk_sundials_show() - accept the state at @t within the last step; used as show() of an
 * integrator. */
int lk_sundials_show(void *self, double t, struct lk_error *ret_error);

/** lk_sundials_advance() - integrate to @t; used as advance() of an integrator. */
int lk_sundials_advance(void *self, double t, struct lk_error *ret_error);

#endif
