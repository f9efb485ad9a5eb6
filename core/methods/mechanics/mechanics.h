/* SPDX-License-Identifier: Apache-2.0 */
/* Terms of the equations of motion of a compiled model, at any time and state.
 *
 *     M v' = Q(t, q, v) - w x J w - Phi_q^T lambda        Phi(t, q) = 0
 *
 * All formulations except the default step use these terms, so they share bodies, joints, drives
 * and forces. The absolute coordinates are positions x and unit quaternions of n bodies. Velocities
 * are six numbers per body, [v world, w body]. Accelerations, forces [force world, torque body,
 * about the centre of mass] and columns of Phi_q have the same layout. M is constant: m I and J of
 * each body.
 *
 * Rows are the rigid rows, numbered 0 to n_rows - 1 in the order of the blocks of the system: the
 * joints of the model in the order of the file, then drives. Compliant joints, springs, dampers and
 * bushings are forces here. Multipliers have the same sign as in ali3: a joint acts on its bodies
 * with -Phi_q^T lambda.
 *
 * Use: write the state to lk_mechanics_motion(), call lk_mechanics_evaluate(), then read terms. At
 * the end of a step call lk_mechanics_accept(), which updates the outputs. Only one thread at a
 * time may use a struct lk_mechanics. */
#ifndef LK_METHODS_MECHANICS_MECHANICS_H
#define LK_METHODS_MECHANICS_MECHANICS_H

#include "step/elements/loads.h"
#include "step/system.h"

/** struct lk_mechanics - access to the equations of motion of a system.
 * @inputs:        present values of the input channels; initially the values at the start. The
 *                 owner of the system sets this pointer
 * @time:          time of the last evaluation [s]
 * @n_velocities:  6 n_bodies
 * @n_blocks:      number of blocks (joints and drives) with rigid rows
 * @block:         for each of these blocks, the index of its joint in the system
 * @first_row:     for each of these blocks, its first row; n_blocks + 1 numbers
 * @n_evaluations: number of evaluations of the right-hand side so far, which `linkage compare`
 *                 reports
 * @owns_system, @powers, @end: private */
struct lk_mechanics {
    struct lk_system *system;
    const double *inputs;
    double time;
    int n_bodies;
    int n_velocities;
    int n_rows;
    int n_blocks;
    int *block;
    int *first_row;
    unsigned long long n_evaluations;
    int owns_system;
    struct lk_powers powers;
    struct lk_motion *end;
};

/** struct lk_mechanics_block - the rows of one joint or drive.
 * @n_sides: number of bodies on which the rows act, without the ground
 * @body:    these bodies
 * @J:       Phi_q of row r on side s: J[s][r], six numbers */
struct lk_mechanics_block {
    int joint;
    int first_row;
    int n_rows;
    int n_sides;
    int body[LK_SIDES_MAX];
    double J[LK_SIDES_MAX][LK_ROWS_MAX][6];
};

/** lk_mechanics_new() - compile @model without split bodies and without batches; the formulation in
 * its solver section is ignored. The state is consistent at t = 0. Refuses forces that are not
 * smooth (friction, stops), blocks, tyres, transmission lines and drives from inputs; the error
 * names the element.
 * @step: step of laws that need one [s]; 0: the step of the model
 * Thread: any but the cycle.
 * Return: 0, or an error of lk_system_new(). */
int lk_mechanics_new(const struct lk_model *model, double step, struct lk_mechanics **ret,
                     struct lk_error *ret_error);

/** lk_mechanics_over() - create a struct lk_mechanics for a system that the caller owns. The system
 * must have no split bodies and no batches.
 * Return: 0, -ENOMEM. */
int lk_mechanics_over(struct lk_system *system, struct lk_mechanics **ret);

/** lk_mechanics_free() - free @mechanics, which may be NULL. */
void lk_mechanics_free(struct lk_mechanics *mechanics);

/** lk_mechanics_start() - set positions and velocities of lk_mechanics_motion() to those of the
 * last accepted state. RT: yes. */
LK_RT void lk_mechanics_start(struct lk_mechanics *mechanics);

/** lk_mechanics_motion() - return the motions of all bodies. The caller writes x, q and v before
 * an evaluation, and also a.v, a.w before lk_mechanics_accept(). RT: yes. */
LK_RT struct lk_motion *lk_mechanics_motion(struct lk_mechanics *mechanics);

/** lk_mechanics_evaluate() - evaluate drives, poses, twists, joint coordinates and Jacobians for
 * the written motion. Each quaternion of the motion gets the sign that is nearer to the last
 * accepted state. All functions below use the results of the last evaluation.
 * @t: time [s]
 * RT: yes. */
LK_RT void lk_mechanics_evaluate(struct lk_mechanics *mechanics, double t);

/** lk_mechanics_evaluate_velocities() - repeat the velocity-dependent part of the last evaluation,
 * after only velocities were rewritten.
 * RT: yes. */
LK_RT void lk_mechanics_evaluate_velocities(struct lk_mechanics *mechanics);

/** lk_mechanics_loads() - compute Q of all bodies: gravity, loads, inputs and laws of compliant
 * rows, without -w x J w.
 * @ret: n_bodies
 * RT: yes. */
LK_RT void lk_mechanics_loads(struct lk_mechanics *mechanics, struct lk_twist *ret);

/** lk_mechanics_forces() - compute Q - w x J w of all bodies: the right-hand side of M v' without
 * the rigid rows.
 * RT: yes. */
LK_RT void lk_mechanics_forces(struct lk_mechanics *mechanics, struct lk_twist *ret);

/** lk_mechanics_violation() - compute Phi [m, rad].
 * lk_mechanics_rates() - compute dPhi/dt = Phi_q v + Phi_t.
 * lk_mechanics_explicit_rates() - compute Phi_t, which is nonzero for drives only.
 * lk_mechanics_gamma() - compute d2Phi/dt2 with v' = 0, so that Phi_q v' = -gamma.
 * @ret: n_rows. RT: yes. */
LK_RT void lk_mechanics_violation(const struct lk_mechanics *mechanics, double *ret);
LK_RT void lk_mechanics_rates(const struct lk_mechanics *mechanics, double *ret);
LK_RT void lk_mechanics_explicit_rates(const struct lk_mechanics *mechanics, double *ret);
LK_RT void lk_mechanics_gamma(const struct lk_mechanics *mechanics, double *ret);

/** lk_mechanics_jacobian() - compute Phi_q, dense, row-major. @ret: n_rows * n_velocities. RT:
 * yes. */
LK_RT void lk_mechanics_jacobian(const struct lk_mechanics *mechanics, double *ret);

/** lk_mechanics_read_block() - compute Phi_q of block @i alone. RT: yes. */
LK_RT void lk_mechanics_read_block(const struct lk_mechanics *mechanics, int i,
                                   struct lk_mechanics_block *ret);

/** lk_mechanics_mass() - compute M, dense, row-major. @ret: n_velocities squared. RT: yes. */
LK_RT void lk_mechanics_mass(const struct lk_mechanics *mechanics, double *ret);

/** lk_mechanics_accept() - make the written motion the state of the system at time @t [s]. Updates
 * coordinates, residuals, energies, works (trapezoidal rule between accepted states), outputs and
 * lk_system_health().
 * @lambda: multipliers of the n_rows rigid rows. NULL: compute multipliers of minimum norm, and the
 *          accelerations, with the factor of the system
 * RT: yes.
 * Return: 0, LK_E_NOT_FINITE. */
LK_RT int lk_mechanics_accept(struct lk_mechanics *mechanics, double t, const double *lambda);

/** lk_mechanics_take_multipliers() - set multipliers of rigid rows to @lambda, and compute
 * multipliers of compliant rows from their laws. Also factor the system if an output needs the
 * pivots. lk_mechanics_accept() calls this function first if its @lambda is not NULL.
 * RT: yes. */
LK_RT void lk_mechanics_take_multipliers(struct lk_mechanics *mechanics, const double *lambda);

/** lk_mechanics_book() - correct the works of a step: add the difference between Simpson's rule and
 * the trapezoidal rule. The step goes from the last accepted state to the state written and
 * evaluated at @t [s]. The state at its midpoint comes from the cubic Hermite interpolant. The work
 * of drives keeps the trapezoidal rule.
 * @before: powers of the last accepted state
 * RT: yes. */
LK_RT void lk_mechanics_book(struct lk_mechanics *mechanics, double t,
                             const struct lk_powers *before);

/** lk_mechanics_complete() - solve M a + Phi_q^T lambda = Q for the accelerations and multipliers
 * of the written state. lk_mechanics_accept() calls this function if its @lambda is NULL.
 * RT: yes. */
LK_RT void lk_mechanics_complete(struct lk_mechanics *mechanics);

#endif
