/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies with modes: kinematics of their nodes, inertia, energy.
 *
 * The frame of a body is at its centre of mass, with the position x, the orientation R and n modal
 * coordinates q. With the place u0, the modes S and the quadratic displacement u2 of a point,
 *
 *     x + R r,   r = u0 + S q + 1/2 u2(q, q),      orientation R exp(phi),   phi likewise
 *
 * The modes are those of the free body with unit modal mass, and u2 contains no rigid motion. So
 * the centre of mass stays at x, and with v of x and w in body axes the kinetic energy is
 *
 *     T = m v.v / 2 + w.J(q) w / 2 + w.H(q) q' + q'.q' / 2
 *     J = J0 + sum J1_k q_k + 1/2 sum J2_kl q_k q_l,      H_l = sum q_k beta_kl
 *
 * beta_kl = int dm S_k x S_l. The elastic energy is sum (omega_k q_k)^2 / 2. u2, which contains the
 * foreshortening of slender parts, stiffens the body against loads at its nodes and, through J2,
 * against its rotation: geometric stiffening of first order (O. Wallrapp, Standardization of
 * flexible body modeling in multibody system codes, 1994).
 *
 * The nodes are bodies without mass; what acts on them acts on the body and its modes. All
 * functions are for the cycle, RT: yes, unless stated. */
#ifndef LK_STEP_MODAL_H
#define LK_STEP_MODAL_H

#include "solve/flexible.h"
#include "step/state.h"
#include <stdbool.h>

struct lk_system;

/** struct lk_mode_pair - second derivatives with respect to two modal coordinates, k <= l.
 * @half:  1, or 1/2 if k = l: the quadratic form has @half times @value q_k q_l
 * @value: of the body: J2 (xx yy zz xy xz yz, two zeros), beta (three values and a zero); of a
 *         node: displacement, rotation */
struct lk_mode_pair {
    int k;
    int l;
    double half;
    lk_four value[3];
};

struct lk_mode_pairs {
    int n;
    struct lk_mode_pair *pair;
};

/** struct lk_modal_node - a node. @body: its index;  @place: u0 [m]
 * @shape: S of displacement and rotation, six rows of lk_flexible.pad values
 * @now:   r and phi at the present coordinates */
struct lk_modal_node {
    int body;
    double place[3];
    double *shape;
    double now[6];
    struct lk_mode_pairs second;
};

/* phase of a mode in a step [rad] above which it is quasi-static: it follows its forces without
 * inertia, as static modes are meant to. A step cannot resolve its oscillation: all that would
 * remain of it is an alternation from step to step */
#define LK_MODAL_FAST 2.0

/* D^-1 of quasi-static modes in the solves after the iterations. Where supports are statically
 * indeterminate without these modes, their reactions are those that balance the elastic forces of
 * the modes; everywhere else the inertia of the body prevails by this factor */
#define LK_MODAL_SLIGHT 1e-3

/** enum lk_modal_weights - weights of the modes in W.
 * FREE:   W = M^-1; of quasi-static modes D^-1 = LK_MODAL_SLIGHT and H = 0
 * ALL:    W = M^-1, for analyses
 * STIFF:  with stiffness and damping, for the iterations of a step: D = 1 + s (omega^2 + 2 decay /
 *         h), of quasi-static modes 2 s (omega^2 + damping / h)
 * RIGID:  the modes do not move;  HELD: the body does not move at all */
enum lk_modal_weights {
    LK_MODAL_FREE,
    LK_MODAL_ALL,
    LK_MODAL_STIFF,
    LK_MODAL_RIGID,
    LK_MODAL_HELD
};

/** struct lk_recovery - a quantity that is linear in the coordinates. @rows: 1, or 6 components xx
 * yy zz xy xz yz of a stress;  @n: number of modes;  @value: @n values for each row */
struct lk_recovery {
    int rows;
    int n;
    double *value;
    char unit[LK_UNIT_SIZE];
};

/** struct lk_modal - a body with modes.
 * @body:      its index;  @n: number of modes;  @at: index of the first one among all modes
 * @stiffness: omega^2;  @damping: 2 zeta omega
 * @decay:     damping in a step, (2/h) (1 + s omega^2) tanh(zeta omega h): with it a free mode
 *             decays by exp(-zeta omega h) in a step of any length, where 2 zeta omega would let a
 *             mode ring that is faster than the step
 * @is_static: for each mode, whether it is quasi-static
 * @recovery:  what outputs may show of the body
 * @first:     J1 of each mode, then J0
 * In the work of a step:
 * @flexible:  W, T of the nodes
 * @weights:   what W contains
 * @q:         present coordinates
 * @inertia:   J(q);  @coupling: H(q), three rows of pad values
 * @slope:     of each node: dr/dq and dphi/dq in body axes, six rows of pad values
 * @force:     a force on the coordinates, and s W times it, see lk_modal_collect()
 * @step:      arrays of a step, see one/modal.c */
struct lk_modal {
    int body;
    int n;
    int at;
    int n_nodes;
    double *stiffness;
    double *damping;
    double *decay;
    bool *is_static;
    double (*first)[6];
    struct lk_mode_pairs second;
    struct lk_modal_node *node;
    struct lk_recovery *recovery;

    struct lk_flexible *flexible;
    enum lk_modal_weights weights;
    double *q;
    double inertia[6];
    double *coupling;
    double *slope;
    struct lk_flexible_force *force;
    struct lk_modal_step *step;
};

/** struct lk_modal_step - arrays of a step of `rattle`, n values each unless stated. @old, @old_v:
 * coordinates and rates at q_n;  @u: their change in the step;  @kept: of the last accepted iterate
 * @momentum: h times the momenta of the modes, @spin: of the rotation, at q_n
 * @inertia: J(q_n)
 * @slope:  h^2 theta . dJ/dq_k theta at q_n, or scratch
 * @kick:   s W (Phi_q^T lambda - Q) at q_n: six values, then n;  @residual: s W g of the modes
 * @law:    forces of stiffness and damping over the step, before closing
 * @v, @y:  scratch;  @dq, @correction: increments of all iterations, one after another */
struct lk_modal_step {
    double *old;
    double *old_v;
    double *u;
    double *kept;
    double *momentum;
    double spin[3];
    double inertia[6];
    double *slope;
    double *kick;
    double *residual;
    double *law;
    double *v;
    double *y;
    double *dq;
    double *correction;
};

/** lk_modal_size() - return the distance of the farthest node from the centre of mass [m]. */
LK_RT double lk_modal_size(const struct lk_modal *modal);

/** lk_modal_put() - compute the poses of the nodes of @modal in system->pose, from the pose of the
 * body there and @q. */
LK_RT void lk_modal_put(struct lk_system *system, const struct lk_modal *modal, const double *q);
/** lk_modal_place() - do lk_modal_put() for all bodies with modes, with the modal coordinates of
 * @state. */
LK_RT void lk_modal_place(struct lk_system *system, const struct lk_state *state);
/** lk_modal_orient() - compute the quaternion of node @node from that of the body. */
LK_RT void lk_modal_orient(const struct lk_modal *modal, int node, const double q[4],
                           double ret[4]);
/** lk_modal_jacobians() - compute T, J, H and W of all bodies with modes, at their last places. */
LK_RT void lk_modal_jacobians(struct lk_system *system);
/** lk_modal_weigh_by() - select the weights of the modes in W of all bodies, and compute W. */
LK_RT void lk_modal_weigh_by(struct lk_system *system, enum lk_modal_weights weights);

/** lk_modal_collect() - compute the force on the coordinates of @modal, in modal->force, from the
 * forces @on on the body and its nodes (world [N]; torques in body axes [N m]). */
LK_RT void lk_modal_collect(const struct lk_modal *modal, const struct lk_twist *on);
/** lk_modal_spread() - compute the motions of the body and its nodes from a motion @motion of the
 * coordinates. */
LK_RT void lk_modal_spread(const struct lk_modal *modal, const struct lk_flexible_force *motion,
                           struct lk_twist *ret);
/** lk_modal_settle() - compute poses and velocities of all nodes in @state from the motions of the
 * bodies and their modes; system->pose, T, J and H are of @state then.
 * lk_modal_follow() - compute the velocities of all nodes in @state, with the present T. */
LK_RT void lk_modal_settle(struct lk_system *system, struct lk_state *state);
LK_RT void lk_modal_follow(struct lk_system *system, struct lk_state *state);

/** lk_modal_slopes() - compute @w . dJ/dq_k @w at the coordinates @q for all modes. */
LK_RT void lk_modal_slopes(const struct lk_modal *modal, const double *q, const double w[3],
                           double *ret);
/** lk_modal_inertia() - compute J at the coordinates @q. */
LK_RT void lk_modal_inertia(const struct lk_modal *modal, const double *q, double ret[6]);
/** lk_modal_cross() - compute sum_kl @a_k beta_kl @b_l. */
LK_RT void lk_modal_cross(const struct lk_modal *modal, const double *a, const double *b,
                          double ret[3]);
/** lk_modal_pull() - add @scale sum_k @a_k beta_kl . w to @ret_l. */
LK_RT void lk_modal_pull(const struct lk_modal *modal, double scale, const double *a,
                         const double w[3], double *ret);
/** lk_modal_accelerate() - compute the accelerations of body, modes and nodes in @state from forces
 * @on (Phi_q^T lambda - Q) at the present place and the velocities of @state. */
LK_RT void lk_modal_accelerate(struct lk_system *system, const struct lk_modal *modal,
                               const struct lk_twist *on, struct lk_state *state);

/* least moment of inertia of a body with modes, of that without deformation */
#define LK_MODAL_LEAST 0.1

/** lk_modal_is_small() - return whether no node turns by more than a radian by the present
 * modes, J - H D^-1 H^T is positive definite and the moments of inertia are above LK_MODAL_LEAST:
 * beyond that a development to second order describes nothing. */
LK_RT bool lk_modal_is_small(const struct lk_system *system);

/** lk_modal_kinetic() - return the kinetic energy of the modes, and what they change of that of
 * the body [J]. lk_modal_elastic() - return the elastic energy [J]. */
LK_RT double lk_modal_kinetic(const struct lk_system *system, const struct lk_state *state);
LK_RT double lk_modal_elastic(const struct lk_system *system, const struct lk_state *state);

#endif
