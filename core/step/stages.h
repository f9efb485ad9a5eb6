/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of each method. A sweep goes down the tree with a solution and does what follows from
 * it at every body and row, then up the tree, where it does what leads to the next right-hand side,
 * see struct lk_executor. Stage 0 of either way does nothing.
 *
 * A factor needs the Jacobians of all bodies and rows: what makes these and the factor are two
 * sweeps. */
#ifndef LK_STEP_STAGES_H
#define LK_STEP_STAGES_H

/** enum rattle_down - INCREMENT: of an iteration;  CLOSE: the closed pose;  REFINE, REFINE_MORE:
 * the first and a middle part of a refined solution;  VELOCITIES, ACCELERATIONS: projected;
 * LEAST_ACCELERATIONS: of redundant rows, see lk_evaluate_least();  HOLD, HOLD_REFINED: what holds
 * against a motion, see lk_executor.hold;  PULL: forces that multipliers carry on;  CARRY: the
 * solution goes on with them;  CLOSE_STATE: the state of a higher order, towards its closed pose */
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

/** enum rattle_up - PREDICTION: the first iterate;  ITERATION: the next one;  CHECK: the last one;
 * UNCLOSE: the pose of the factor of q_n+1;  MATRIX: that factor;  KICK: velocities after the
 * second half kick;  AGAIN, AGAIN_MORE: for the second part of a refined solution, and a later one;
 * FREE: accelerations without joints;  SHOVE: a motion to hold against;  SETTLE: Jacobians of the
 * closed pose;  BALANCE: forces on bodies without inertia;  RELOAD: the state of a higher order,
 * whose pose is that of the factor;  VIOLATION: its rows;  RATES: its velocities;  STORE: the new
 * state. Nothing is solved after CHECK, UNCLOSE, SETTLE, RELOAD and STORE. */
enum rattle_up {
    RATTLE_REST,
    RATTLE_PREDICTION,
    RATTLE_ITERATION,
    RATTLE_CHECK,
    RATTLE_UNCLOSE,
    RATTLE_MATRIX,
    RATTLE_KICK,
    RATTLE_AGAIN,
    RATTLE_AGAIN_MORE,
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

#endif
