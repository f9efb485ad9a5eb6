/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the formulation `rattle`, see rattle.c for its equations. All for the cycle, RT: yes. */
#ifndef LK_STEP_RATTLE_H
#define LK_STEP_RATTLE_H

#include "step/quads.h"
#include "step/system.h"
#include <stdbool.h>

#define LK_TENSION_LATE                                                                            \
    0.1 /* of the change of tension that acts at a step's start, beyond half of it */

/** struct lk_rattle_iterate - what an increment changes of four bodies: @u, @turn, @theta as in
 * struct lk_quad;  @kick: s W (Phi_q^T lambda - Q) at q_n */
struct lk_rattle_iterate {
    lk_four u[3];
    lk_four turn[4];
    lk_four theta[3];
    lk_four kick[6];
};

/** struct lk_half_kicks - four bodies. @weight: m W, 1, or 0 where there is no mass;  @drawn: 1
 * where the velocity follows from the positions, of the translation and the rotation, see
 * is_drawn();
 * @sW: of the inertia;  @tension: K, see tension.h, and @start_sW: s (J + s K)^-1;  @momentum: h J
 * w_n;  @kick: see struct lk_rattle_iterate;  @kept: the last iterate but one */
struct lk_half_kicks {
    lk_four weight;
    lk_four drawn[2];
    lk_four sW[6];
    lk_four start_sW[6];
    lk_four tension[6];
    lk_four momentum[3];
    lk_four kick[6];
    struct lk_rattle_iterate kept;
};

/** struct lk_rattle_increment - of four bodies in one iteration: @dq, and @correction: s W Phi_q^T
 * dlambda */
struct lk_rattle_increment {
    lk_four dq[6];
    lk_four correction[6];
};

/** struct lk_rattle - scratch. @increment: of all iterations, one after another, with their
 * @multipliers, n_rows each, and @square: dq . M dq; @lambda: of the last iterate but one, n_rows;
 * @unreachable: part of Phi / 2 that is left as it is, n_rows;
 * @value: of each law's row at q_n;  @load: -Q at q_n+1, as lk_system.residual;  @violation:
 * largest one of the last iterate;  @ends: 1 once an iterate was taken back: later increments are
 * 0;  @has_clock: a load depends on time;  @tense: bodies whose tension is followed, with the @root
 * of their J and their own @free_sW, and @tension: K of all bodies */
struct lk_rattle {
    struct lk_half_kicks *quad;
    struct lk_rattle_increment *increment;
    double *multipliers;
    double *square;
    double *lambda;
    double *unreachable;
    double *value;
    struct lk_twist *load;
    double violation;
    bool ends;
    bool has_clock;
    int n_tense;
    int *tense;
    double (*root)[6];
    double (*tension)[6];
    struct lk_inverse_mass *free_sW;
};

/** struct lk_rattle_own - what the state of a body has besides its motion. @x, @q: pose of the last
 * factor;
 * @moved: u and theta of the last step;  @bent: their difference from those before, by h^2 */
struct lk_rattle_own {
    double x[3];
    double q[4];
    double moved[6];
    double bent[6];
};

LK_INLINE struct lk_rattle_own *lk_rattle_own(const struct lk_state *state)
{
    return (struct lk_rattle_own *)state->own;
}

/* ---- rattle_state.c ---- */

int lk_rattle_own_size(int n_bodies);
int lk_rattle_layout(struct lk_system *system, const struct lk_topology *topology,
                     const struct lk_plan *plan, struct lk_arena *arena);
LK_RT void lk_rattle_begin(struct lk_system *system);
LK_RT void lk_rattle_renew(struct lk_system *system);

/** lk_rattle_release_laws() - E of compliant rows in the factor of velocities and accelerations,
 * into system->next.tangent: they are not in it, but where a hard stop holds one of them. */
LK_RT void lk_rattle_release_laws(struct lk_system *system);

/** lk_rattle_factor_unclosed() - poses, Jacobians and factor of the pose that the iterations of
 * @state ended at. */
LK_RT void lk_rattle_factor_unclosed(struct lk_system *system, const struct lk_state *state);

/** lk_rattle_forget_rigid() - multipliers of rigid rows in system->next: 0. Each half kick finds
 * its own. What was found before is as good a guess, but for a part that loads no body, and that is
 * large near a singular pose. */
LK_RT void lk_rattle_forget_rigid(struct lk_system *system);

/* ---- rattle_positions.c: half a kick at q_n ---- */

/** lk_rattle_predict() - motion of the step by the last half kick, and s W g with the forces in
 * system->residual. */
LK_RT void lk_rattle_predict(struct lk_system *system, struct lk_rattle *rattle);

/** lk_rattle_take_tension(), lk_rattle_leave_tension() - s (J + s K)^-1 in place of s W for the
 * bodies whose tension is followed, and back. */
LK_RT void lk_rattle_take_tension(struct lk_system *system, struct lk_rattle *rattle);
LK_RT void lk_rattle_leave_tension(struct lk_system *system, const struct lk_rattle *rattle);

/** lk_rattle_iterate() - all iterations: multipliers that close the positions at q_n+1. Return:
 * whether every turn is less than half a turn. */
LK_RT bool lk_rattle_iterate(struct lk_system *system, struct lk_rattle *rattle);

/** lk_rattle_close() - the factor of the pose reached takes the last violation away; poses and
 * Jacobians of system->next. */
LK_RT void lk_rattle_close(struct lk_system *system);

/* ---- rattle_velocities.c: half a kick at q_n+1, accelerations ---- */

/** lk_rattle_loads() - -Q of system's poses at time @t [s]. @ret: as lk_system.residual. */
LK_RT void lk_rattle_loads(struct lk_system *system, double t, const double *inputs,
                           struct lk_twist *ret);

/** lk_rattle_sum_forces() - Phi_q^T @lambda - Q into system->residual. @load: -Q */
LK_RT void lk_rattle_sum_forces(struct lk_system *system, const double *lambda,
                                const struct lk_twist *load);

/** lk_rattle_kick() - velocities of system->next, closed. */
LK_RT void lk_rattle_kick(struct lk_system *system, struct lk_rattle *rattle);

/** lk_rattle_project_velocities() - velocities of system->next closed with the last factor, and the
 * twists that go with them. */
LK_RT void lk_rattle_project_velocities(struct lk_system *system, struct lk_rattle *rattle);

/** lk_rattle_accelerate() - accelerations and multipliers of system->next at the present poses and
 * twists, with the coordinates of @state and the loads in @rattle. */
LK_RT void lk_rattle_accelerate(struct lk_system *system, struct lk_rattle *rattle,
                                const struct lk_state *state);

#endif
