/* SPDX-License-Identifier: Apache-2.0 */
/* Terms of the equations of motion of a compiled model, at any time and state.
 *
 *     M v' = Q(t, q, v) - w x J w - Phi_q^T lambda        Phi(t, q) = 0
 *
 * All formulations except the default step use these terms, so they share bodies, joints, drives
 * and forces. Absolute coordinates of n bodies: positions x and unit quaternions; velocities are
 * six numbers a body, [v world, w body], and so are accelerations, forces [force world, torque
 * body, about the centre of mass] and columns of Phi_q. M is constant: m I and J of each body.
 *
 * Rows are the rigid rows, numbered 0 to n_rows - 1 in the order of the blocks of the system: the
 * joints of the model in the order of the file, then drives. Compliant joints, springs, dampers and
 * bushings are forces here. Multipliers have the same sign as in ali3: a joint acts on its bodies
 * with -Phi_q^T lambda.
 *
 * Use: write the state to lk_mechanics_motion(), call lk_mechanics_evaluate(), read terms; at
 * the end of a step call lk_mechanics_accept(), which updates the outputs. One thread at a time. */
#ifndef LK_METHODS_MECHANICS_MECHANICS_H
#define LK_METHODS_MECHANICS_MECHANICS_H

#include "step/elements/loads.h"
#include "step/system.h"

/** struct lk_mechanics - view of a system.
 * @inputs: acting values of the input channels, initially those at the start; set by the owner of
 *          the system
 * @time:   of the last evaluation [s];  @n_velocities: 6 n_bodies
 * @n_blocks: blocks with rigid rows;  @block: joint in the system of each of these blocks;
 *            @first_row: n_blocks + 1
 * @n_evaluations: evaluations so far: the right-hand sides that `linkage compare` counts
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
 * @n_sides: number of bodies on which the rows act, without the ground;  @body: these bodies
 * @J: Phi_q of row r on side s: J[s][r], six numbers */
struct lk_mechanics_block {
    int joint;
    int first_row;
    int n_rows;
    int n_sides;
    int body[LK_SIDES_MAX];
    double J[LK_SIDES_MAX][LK_ROWS_MAX][6];
};

/** lk_mechanics_new() - compile @model, consistent at t = 0, without split bodies and without
 * batches, whatever the solver section says. @step [s]: for laws that need a step, 0: the step
 * of the model. Refuses forces that are not smooth (friction, stops), blocks, tyres,
 * transmission lines and drives from inputs, naming the element. Thread: any but the cycle.
 * Return: 0, as lk_system_new(). */
int lk_mechanics_new(const struct lk_model *model, double step, struct lk_mechanics **ret,
                     struct lk_error *ret_error);

/** lk_mechanics_over() - make a view of a system that the caller owns; it must have no split
 * bodies and no batches. Return: 0, -ENOMEM. */
int lk_mechanics_over(struct lk_system *system, struct lk_mechanics **ret);

/** lk_mechanics_free() - free @mechanics, which may be NULL. */
void lk_mechanics_free(struct lk_mechanics *mechanics);

/** lk_mechanics_start() - set positions and velocities of lk_mechanics_motion() to those of the
 * last accepted state. RT: yes. */
LK_RT void lk_mechanics_start(struct lk_mechanics *mechanics);

/** lk_mechanics_motion() - return the motions of all bodies. The caller writes x, q and v before
 * an evaluation, and also a.v, a.w before lk_mechanics_accept(). RT: yes. */
LK_RT struct lk_motion *lk_mechanics_motion(struct lk_mechanics *mechanics);

/** lk_mechanics_evaluate() - evaluate drives, poses, twists, joint coordinates and Jacobians at
 * time
 * @t [s] and the written motion. Quaternions of the motion get the sign nearer to the last accepted
 * state. All functions below refer to the last evaluation. RT: yes. */
LK_RT void lk_mechanics_evaluate(struct lk_mechanics *mechanics, double t);

/** lk_mechanics_evaluate_velocities() - repeat the part of the last evaluation that depends on
 * velocities, after only velocities were rewritten, not poses. RT: yes. */
LK_RT void lk_mechanics_evaluate_velocities(struct lk_mechanics *mechanics);

/** lk_mechanics_loads() - compute Q of all bodies: gravity, loads, inputs, laws of compliant
 * rows; without -w x J w. @ret: n_bodies. RT: yes. */
LK_RT void lk_mechanics_loads(struct lk_mechanics *mechanics, struct lk_twist *ret);

/** lk_mechanics_forces() - compute Q - w x J w of all bodies, the right-hand side of M v' = ..
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

/** lk_mechanics_accept() - make the written motion the state of the system at time @t [s]; update
 * coordinates, residuals, energies and works (trapezoidal rule between accepted states), outputs
 * and lk_system_health().
 * @lambda: multipliers of the n_rows rigid rows, or NULL: find those of minimum norm, and the
 *          accelerations, with the factor of the system
 * RT: yes. Return: 0, LK_E_NOT_FINITE. */
LK_RT int lk_mechanics_accept(struct lk_mechanics *mechanics, double t, const double *lambda);

/** lk_mechanics_take_multipliers() - first part of lk_mechanics_accept() if @lambda is not NULL:
 * set multipliers of rigid rows to @lambda, and those of compliant rows from their laws; also
 * factor the system if an output shows its pivots. RT: yes. */
LK_RT void lk_mechanics_take_multipliers(struct lk_mechanics *mechanics, const double *lambda);

/** lk_mechanics_book() - add to the works of a step, from the last accepted state to the one
 * written and evaluated at @t [s], the difference of Simpson's rule from the trapezoidal rule; the
 * midpoint is that of the cubic Hermite interpolant. Drives keep the trapezoidal rule.
 * @before: powers of the last accepted state
 * RT: yes. */
LK_RT void lk_mechanics_book(struct lk_mechanics *mechanics, double t,
                             const struct lk_powers *before);

/** lk_mechanics_complete() - last part of lk_mechanics_accept() if @lambda is NULL: solve M a +
 * Phi_q^T lambda = Q for the accelerations and multipliers of the state to be accepted. RT: yes. */
LK_RT void lk_mechanics_complete(struct lk_mechanics *mechanics);

#endif
