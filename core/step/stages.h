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
 * LEAST_ACCELERATIONS: of redundant rows, see close_accelerations() in scripts/rattle.c;  HOLD,
 * HOLD_REFINED: what holds against a motion, see lk_executor.hold;  PULL: forces that multipliers
 * carry on;  CARRY: the solution goes on with them;  CLOSE_STATE: the state of a higher order,
 * towards its closed pose */
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

/** enum ali3_down - INCREMENT, LAST_INCREMENT: of an iteration, and the accepted pose of the last
 * one;  VELOCITIES, ACCELERATIONS: projected;  CLOSE, CLOSE_LAST: a combined pose, towards the
 * closed one, and that;  BOUNCED: what stops do that are hit, into system->correction */
enum ali3_down {
    ALI3_STAY,
    ALI3_INCREMENT,
    ALI3_LAST_INCREMENT,
    ALI3_VELOCITIES,
    ALI3_ACCELERATIONS,
    ALI3_CLOSE,
    ALI3_CLOSE_LAST,
    ALI3_BOUNCED
};
#define ALI3_DOWNS (ALI3_BOUNCED + 1)

/** enum ali3_up - PREDICT: the prediction and its rows;  FIRST: the first iteration, with its
 * factor;  ITERATE: a further one;  EVALUATE: the rows of an iterate;  SETTLE: those of the
 * accepted pose;  PROJECT_VELOCITIES: with the factor of that pose;  RATES: of the projected
 * velocities; PROJECT_ACCELERATIONS;  STORE: the new state;  RELOAD: a combined one;  OPEN: what is
 * left of its rows;  FREE: accelerations without joints, with a factor;  FACTOR: alone;  BOUNCE:
 * the rates that stops give which are hit */
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
    ALI3_BOUNCE
};
#define ALI3_UPS (ALI3_BOUNCE + 1)

/** enum rk4_down - ADVANCE: accelerations of a stage, which lead to the next one or to the new
 * state;  CLOSE, CLOSE_LAST: its pose, towards the closed one, and that;  TWISTS, ACCELERATIONS:
 * projected */
enum rk4_down { RK4_STAY, RK4_ADVANCE, RK4_CLOSE, RK4_CLOSE_LAST, RK4_TWISTS, RK4_ACCELERATIONS };
#define RK4_DOWNS (RK4_ACCELERATIONS + 1)

/** enum rk4_up - BEGIN: the stage
 * that starts the step;  ROWS: of a stage;  STAGE: its accelerations, with a factor; CONTRADICTION,
 * CONTRADICTION_LAST: what redundant rows contradict there, see lk_project_contradictions();  OPEN:
 * what is left of the rows of the new state, with the factor of the last stage;  SETTLE: its closed
 * pose;  PROJECT: of velocities, with its factor; RATES: of those;  NEW: accelerations of a state;
 * RATES_AGAIN, AGAIN: what they leave of the rows; STORE: the new state */
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

/* when a stage is, in steps after the start, and its weight (W. Kutta, Beitrag zur naeherungsweisen
 * Integration totaler Differentialgleichungen, 1901) */
static const double lk_rk4_when[LK_RK4_STAGES] = {0, 0.5, 0.5, 1};
static const double lk_rk4_weight[LK_RK4_STAGES] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

#endif
