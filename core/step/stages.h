/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of each method. A sweep visits the elimination tree twice. On the way down it
 * updates bodies and rows from the solution of the last right-hand side (a stage `down`). On the
 * way up it evaluates bodies and rows and assembles the next right-hand side (a stage `up`). See
 * lk_executor.sweep. Stage 0 does nothing in either direction.
 *
 * A factor needs the Jacobians of all bodies and rows. A method therefore evaluates the
 * Jacobians in one sweep and computes the factor in the next sweep. */
#ifndef LK_STEP_STAGES_H
#define LK_STEP_STAGES_H

/** enum rattle_down - stages of rattle that use a solution.
 * - INCREMENT: the increment of an iteration
 * - CLOSE: the closed pose of q_n+1
 * - REFINE, REFINE_MORE: keep the first part of a refined solution, add a middle one
 * - VELOCITIES, ACCELERATIONS: projected velocities, accelerations;  LEAST_ACCELERATIONS: the same
 *   for redundant rows, see close_accelerations() in scripts/rattle.c
 * - HOLD, HOLD_REFINED: multipliers that resist a given motion, see lk_executor.hold
 * - PULL: forces of the multipliers of the last step;  CARRY: add the solution to these multipliers
 * - CLOSE_STATE: one iteration to close the joints of a combined state (order above 2) */
enum rattle_down {
    RATTLE_STAY,
    RATTLE_INCREMENT,
    RATTLE_CLOSE,
    RATTLE_REFINE,
    RATTLE_REFINE_MORE,
    RATTLE_VELOCITIES,
    RATTLE_ACCELERATIONS,
    RATTLE_LEAST_ACCELERATIONS,
    RATTLE_HOLD,
    RATTLE_HOLD_REFINED,
    RATTLE_PULL,
    RATTLE_CARRY,
    RATTLE_CLOSE_STATE
};

/** enum rattle_up - stages of rattle that assemble a right-hand side. CHECK, UNCLOSE, SETTLE,
 * RELOAD and STORE assemble none.
 * - PREDICTION, ITERATION, CHECK: the first iterate, the next iterate, the last iterate
 * - UNCLOSE: back to the pose of the factor of q_n+1;  MATRIX: that factor
 * - KICK: velocities after the second half kick
 * - TOUCH: the next pass of contacts;  LEAVE: the factor without contacts
 * - AGAIN, AGAIN_MORE: E times the first part of a refined solution, or times a later part
 * - FOLLOW: velocities with the changed forces of laws that follow normal forces
 * - FREE: accelerations without joints;  SHOVE: the motion that lk_executor.hold resists
 * - SETTLE: Jacobians of the closed pose;  BALANCE: forces on bodies without inertia
 * - RELOAD: a combined state (order above 2), and the factor of its pose;  VIOLATION: its Phi;
 *   RATES: its Phi_q v
 * - STORE: the new state */
enum rattle_up {
    RATTLE_REST,
    RATTLE_PREDICTION,
    RATTLE_ITERATION,
    RATTLE_CHECK,
    RATTLE_UNCLOSE,
    RATTLE_MATRIX,
    RATTLE_KICK,
    RATTLE_TOUCH,
    RATTLE_LEAVE,
    RATTLE_AGAIN,
    RATTLE_AGAIN_MORE,
    RATTLE_FOLLOW,
    RATTLE_FREE,
    RATTLE_SHOVE,
    RATTLE_SETTLE,
    RATTLE_BALANCE,
    RATTLE_RELOAD,
    RATTLE_VIOLATION,
    RATTLE_RATES,
    RATTLE_STORE
};

#define RATTLE_DOWNS (RATTLE_CLOSE_STATE + 1)
#define RATTLE_UPS   (RATTLE_STORE + 1)

/** enum ali3_down - stages of ali3 that use a solution.
 * - INCREMENT, LAST_INCREMENT: increments of iterations; the last one gives the accepted pose
 * - VELOCITIES, ACCELERATIONS: projected velocities, accelerations
 * - CLOSE, CLOSE_LAST: one iteration to close the joints of a combined state (order above 2)
 * - BOUNCED: changes of velocity by the stops that were hit, into system->correction
 * - FOLLOWED: accelerations and velocities with the changed forces */
enum ali3_down {
    ALI3_STAY,
    ALI3_INCREMENT,
    ALI3_LAST_INCREMENT,
    ALI3_VELOCITIES,
    ALI3_ACCELERATIONS,
    ALI3_CLOSE,
    ALI3_CLOSE_LAST,
    ALI3_BOUNCED,
    ALI3_FOLLOWED
};
#define ALI3_DOWNS (ALI3_FOLLOWED + 1)

/** enum ali3_up - stages of ali3 that assemble a right-hand side.
 * - PREDICT: the predicted pose, with its Phi and Jacobians
 * - FIRST, ITERATE: right-hand side of the first iteration, with its factor, and of a later
 *   iteration
 * - EVALUATE: Phi of an iterate;  SETTLE: Jacobians of the accepted pose
 * - PROJECT_VELOCITIES: Phi_q v, with the factor of the accepted pose;  RATES: gamma of the
 *   projected velocities;  PROJECT_ACCELERATIONS: Phi_q a - gamma
 * - STORE: the new state;  RELOAD: a combined state (order above 2);  OPEN: its Phi
 * - FREE: accelerations without joints, with a factor;  FACTOR: only a factor
 * - BOUNCE: rates of restitution of the stops that were hit
 * - FOLLOW: change of the forces that follow normal forces */
enum ali3_up {
    ALI3_REST,
    ALI3_PREDICT,
    ALI3_FIRST,
    ALI3_ITERATE,
    ALI3_EVALUATE,
    ALI3_SETTLE,
    ALI3_PROJECT_VELOCITIES,
    ALI3_RATES,
    ALI3_PROJECT_ACCELERATIONS,
    ALI3_STORE,
    ALI3_RELOAD,
    ALI3_OPEN,
    ALI3_FREE,
    ALI3_FACTOR,
    ALI3_BOUNCE,
    ALI3_FOLLOW
};
#define ALI3_UPS (ALI3_FOLLOW + 1)

/** enum rk4_down - stages of rk4 that use a solution.
 * - ADVANCE: accelerations of a Runge-Kutta stage, and from these the next stage or the new state
 * - CLOSE, CLOSE_LAST: one iteration to close the joints of the new state
 * - TWISTS, ACCELERATIONS: projected velocities, accelerations */
enum rk4_down { RK4_STAY, RK4_ADVANCE, RK4_CLOSE, RK4_CLOSE_LAST, RK4_TWISTS, RK4_ACCELERATIONS };
#define RK4_DOWNS (RK4_ACCELERATIONS + 1)

/** enum rk4_up - stages of rk4 that assemble a right-hand side.
 * - BEGIN: the first Runge-Kutta stage of a step;  ROWS: Phi and Jacobians of a stage
 * - STAGE: free accelerations of a stage, with a factor
 * - CONTRADICTION, CONTRADICTION_LAST: correction for redundant rows that contradict each other,
 *   see accelerate_stage() in scripts/rk4.c
 * - OPEN: Phi of the new state, with the factor of the last stage;  SETTLE: the closed pose of the
 *   new state
 * - PROJECT: Phi_q v of the new state, with a new factor;  RATES: gamma of the projected velocities
 * - NEW: free accelerations of the new state;  RATES_AGAIN, AGAIN: gamma and Phi_q a - gamma of the
 *   new state, for the further parts of a refined solution
 * - STORE: the new state */
enum rk4_up {
    RK4_REST,
    RK4_BEGIN,
    RK4_ROWS,
    RK4_STAGE,
    RK4_CONTRADICTION,
    RK4_CONTRADICTION_LAST,
    RK4_OPEN,
    RK4_SETTLE,
    RK4_PROJECT,
    RK4_RATES,
    RK4_NEW,
    RK4_RATES_AGAIN,
    RK4_AGAIN,
    RK4_STORE
};
#define RK4_UPS (RK4_STORE + 1)

#define LK_RK4_STAGES 4 /* Runge-Kutta stages of a step of rk4 */

/* time of each Runge-Kutta stage after the start of the step, divided by h, and its weight (W.
 * Kutta, Beitrag zur naeherungsweisen Integration totaler Differentialgleichungen, 1901) */
static const double lk_rk4_when[LK_RK4_STAGES] = {0, 0.5, 0.5, 1};
static const double lk_rk4_weight[LK_RK4_STAGES] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

#endif
