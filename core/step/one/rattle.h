/* SPDX-License-Identifier: Apache-2.0 */
/* Stages of `rattle`, four bodies at a time and joint by joint; see step/scripts/rattle.c for the
 * equations. All are for the cycle, RT: yes. */
#ifndef LK_STEP_ONE_RATTLE_H
#define LK_STEP_ONE_RATTLE_H

#include "step/executor.h"
#include "step/one/quads.h"
#include "step/rattle_state.h"

/** struct lk_rattle_iterate - the iterate of four bodies: @u, @turn, @theta as in
 * struct lk_quad */
struct lk_rattle_iterate {
    lk_four u[3];
    lk_four turn[4];
    lk_four theta[3];
};

/** struct lk_half_kicks - values of four bodies. @weight: m W: 1, or 0 if there is no mass
 * @last_turn: theta of the last step;  @sW: rotational part of s W;  @tension: K, see tension.h
 * @start_sW: s (J + s K)^-1;  @momentum: h J w_n;  @kick: s W (Phi_q^T lambda - Q) at q_n
 * @kept: the last accepted iterate */
struct lk_half_kicks {
    lk_four weight;
    lk_four last_turn[3];
    lk_four sW[6];
    lk_four start_sW[6];
    lk_four tension[6];
    lk_four momentum[3];
    lk_four kick[6];
    struct lk_rattle_iterate kept;
};

/** struct lk_rattle_increment - increment of four bodies in one iteration: @dq, and
 * @correction: s W Phi_q^T dlambda */
struct lk_rattle_increment {
    lk_four dq[6];
    lk_four correction[6];
};

/** struct lk_one_rattle - scratch.
 * @increment: increments of all iterations, one after another
 * @multipliers: increments of the multipliers in all iterations, n_rows each
 * @lambda: multipliers of the last accepted iterate, later a part of a solution, n_rows
 * @load:   -Q at the present poses, as lk_system.residual
 * @inputs: the inputs for which @load is valid; NULL: @load is not valid
 * @has_clock: a load depends on time;  @violation: largest violation of the last iterate
 * @tense:  bodies whose tension is included;  @root: roots of their J;  @tension: K of all bodies
 */
struct lk_one_rattle {
    struct lk_half_kicks *quad;
    struct lk_rattle_increment *increment;
    double *multipliers;
    double *lambda;
    struct lk_twist *load;
    const double *inputs;
    bool has_clock;
    double violation;
    int n_tense;
    int *tense;
    double (*root)[6];
    double (*tension)[6];
};

/* ---- state.c ---- */

/** lk_one_rattle_layout(), lk_one_rattle_begin() - see struct lk_formulation. */
int lk_one_rattle_layout(struct lk_system *system, const struct lk_topology *topology,
                         const struct lk_plan *plan, struct lk_arena *arena);
LK_RT void lk_one_rattle_begin(struct lk_system *system);
/** lk_one_rattle_renew() - see lk_executor.renew. */
LK_RT void lk_one_rattle_renew(struct lk_system *system);
/** lk_one_place_unclosed() - set system->pose of all bodies to the last poses of the iterations of
 * @state, before closing. */
LK_RT void lk_one_place_unclosed(struct lk_system *system, const struct lk_state *state);
/** lk_one_factor_unclosed() - compute Jacobians and factor at the present poses, with E of
 * compliant rows from the tangents of @state. */
LK_RT void lk_one_factor_unclosed(struct lk_system *system, const struct lk_state *state);
/** lk_one_forget_rigid() - set the multipliers of rigid rows in system->next to 0, unless
 * bodies without inertia transmit forces. Each half kick computes new multipliers. Earlier
 * multipliers would be as good a guess, except for components that load no body and are large
 * near a singular pose. */
LK_RT void lk_one_forget_rigid(struct lk_system *system);

/* ---- positions.c: first half kick, at q_n ---- */

/** lk_one_violations() - compute Phi of the rigid rows, times @part, into the right-hand side; 0
 * for other rows. Return: the largest |Phi|. */
LK_RT double lk_one_violations(struct lk_system *system, double part);

/** lk_one_find_gaps() - compute system->gap: the remaining Phi at the present, closed poses.
 * Redundant rows contradict each other by this gap, for example if axes that should be parallel
 * differ by round-off of the model. No motion removes the gap. If each iteration tried to remove
 * the gap, multipliers would grow. So iterations return rows that may depend on each other to the
 * gap, not to 0. The gap changes with the pose; therefore the closing at q_n+1 uses all of Phi.
 * lk_one_count_gaps_anew() - recompute the gaps of coordinates relative to the unwrapped angles of
 * system->now, on which their last bits depend. */
LK_RT void lk_one_find_gaps(struct lk_system *system);
LK_RT void lk_one_count_gaps_anew(struct lk_system *system);

/** lk_one_predict(), lk_one_iterate(), lk_one_check() - compute the first, next and last iterate,
 * and, except for the last, the right-hand side of the next increment. */
LK_RT void lk_one_predict(struct lk_system *system);
LK_RT void lk_one_iterate(struct lk_system *system);
LK_RT void lk_one_check(struct lk_system *system);
/** lk_one_find_increment() - compute the solution and motions of an iteration, and its products if
 * there are no hard stops. */
LK_RT void lk_one_find_increment(struct lk_system *system);
/** lk_one_multiply_increment() - compute the products of the last increment, which is in
 * system->correction and system->residual. */
LK_RT void lk_one_multiply_increment(struct lk_system *system, int iteration);
/** lk_one_unclose() - set the pose of the factor of q_n+1: the pose of the last accepted iterate.
 */
LK_RT void lk_one_unclose(struct lk_system *system);
/** lk_one_matrix() - compute the factor of q_n+1, and write all of Phi into the right-hand
 * side. */
LK_RT void lk_one_matrix(struct lk_system *system);
/** lk_one_close() - remove the remaining violation; compute poses and Jacobians of system->next. */
LK_RT void lk_one_close(struct lk_system *system);

/** lk_one_book_closing() - book the work of closing by system->correction, dq = -s W Phi_q^T kappa,
 * and of the residual s W g in system->residual after the iterations, into system->next. The
 * iterate is in system->quad. To first order, the energy differs from the energy of a step without
 * closing and residual by
 *
 *     g . u / 2 - dq . M a,    a = 2/h (u/h - v_n)
 *
 * because kicks at q_n would have removed the violation along the rows of q_n, which differ from
 * the rows of q_n+1: see doc/method.md. The g of a discarded iterate is not included. */
LK_RT void lk_one_book_closing(struct lk_system *system);

/* ---- velocities.c: second half kick, at q_n+1; accelerations, states of higher orders ---- */

/** lk_one_sum_forces() - compute Phi_q^T lambda - Q of system->next into system->residual. */
LK_RT void lk_one_sum_forces(struct lk_system *system);
/** lk_one_balance(), lk_one_carry() - compute the multipliers of the rows in the last factor that
 * balance the forces on bodies without inertia at the present pose. Artificial masses are
 * negligible relative to the masses of other bodies. The solution of all other rows is 0. */
LK_RT void lk_one_balance(struct lk_system *system);
LK_RT void lk_one_carry(struct lk_system *system);
/** lk_one_kick() - compute the velocities of system->next after the half kick, and their
 * Phi_q v. */
LK_RT void lk_one_kick(struct lk_system *system);
/** lk_one_touch() - compute the violations of the velocities, and of contacts what their next pass
 * must remove, with a factor that contains the contacts. lk_one_leave() - back to the factor
 * without contacts, after the last pass. */
LK_RT void lk_one_touch(struct lk_system *system);
LK_RT void lk_one_leave(struct lk_system *system);
/** lk_one_refine(), lk_one_refine_more() - store the first part of a solution, or add the next part
 * to it. lk_one_again() - set the right-hand side to E times the last part, see
 * close_accelerations() in step/scripts/rattle.c. */
LK_RT void lk_one_refine(struct lk_system *system);
LK_RT void lk_one_refine_more(struct lk_system *system);
LK_RT void lk_one_again(struct lk_system *system);
/** lk_one_project_velocities(), lk_one_project_accelerations() - project with the last part of a
 * solution. */
LK_RT void lk_one_project_velocities(struct lk_system *system);
LK_RT void lk_one_project_accelerations(struct lk_system *system);
/** lk_one_follow() - compute the velocities of system->next with creep at the mean of the normal
 * forces at both ends of the step instead of those of the iterations, and their Phi_q v. */
LK_RT void lk_one_follow(struct lk_system *system);

/** lk_one_free() - compute the accelerations without joints, and their Phi_q a - gamma. */
LK_RT void lk_one_free(struct lk_system *system);
/** lk_one_reload(), lk_one_close_state(), lk_one_violate(), lk_one_rate() - for the state of
 * a higher order in system->next: compute the factor at its pose; move it towards its closed
 * pose; evaluate Phi; evaluate Phi_q v. */
LK_RT void lk_one_reload(struct lk_system *system);
LK_RT void lk_one_close_state(struct lk_system *system);
LK_RT void lk_one_violate(struct lk_system *system);
LK_RT void lk_one_rate(struct lk_system *system);

#endif
