/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of the fields of joints and bodies in a block of the batched step.
 *
 * With r = R p (arm), d = P0 - P1 (gap), directions u, v, n and angular velocities w0, w1, all
 * in world axes:
 *
 *   point    d              J0 = [ 1, -r0~ ]            J1 = -[ 1, -r1~ ]
 *   slide    n . d          J0 = [ n, n x (d - r0) ]    J1 = -[ n, r1 x n ]
 *   square   u . v          J0 = [ 0, u x v ]           J1 = -[ 0, u x v ]
 *
 * A pin has only the two point rows across its axis. */
#ifndef LK_STEP_BATCH_FIELDS_H
#define LK_STEP_BATCH_FIELDS_H

#include "rows/joint.h"
#include "rows/table.h"

/* Kinds of joints in lanes: the kinds of rows/table.h, then blocks of 1 to LK_SINGLE_ROWS rows
 * whose values and Jacobians are computed joint by joint (singles.h) and stored in the form of
 * slides. The rows of a soft block are compliant. The single row of a coupling acts on up to
 * LK_SIDES_MAX bodies, with a separate force and torque on each. */
#define LK_SINGLE_ROWS 6
enum {
    LK_KIND_SINGLE = LK_KINDS,
    LK_KIND_SOFT = LK_KIND_SINGLE + LK_SINGLE_ROWS,
    LK_KIND_COUPLED = LK_KIND_SOFT + LK_SINGLE_ROWS,
    LK_LANE_KINDS
};

static const struct lk_joint_kind lk_single_kinds[LK_SINGLE_ROWS] = {
    {.n_slide = 1}, {.n_slide = 2}, {.n_slide = 3}, {.n_slide = 4}, {.n_slide = 5}, {.n_slide = 6},
};

static const struct lk_joint_kind lk_coupled_kind = {.n_slide = 1};

/** lk_lane_kind() - return the numbers of rows of a block of @kind. RT: yes. */
static inline const struct lk_joint_kind *lk_lane_kind(int kind)
{
    if (kind == LK_KIND_COUPLED)
        return &lk_coupled_kind;
    return kind < LK_KINDS ? &lk_joint_kinds[kind]
                           : &lk_single_kinds[(kind - LK_KIND_SINGLE) % LK_SINGLE_ROWS];
}

/** lk_kind_is_pin() - return whether a block has two point rows, along the axes of a plane in which
 * its bodies move;  lk_kind_axis() - return the world axis of point row @row; for a pin, @row 2
 * gives the normal of the plane. RT: yes. */
static inline int lk_kind_is_pin(const struct lk_joint_kind *k)
{
    return k->point > LK_POINTS_XYZ;
}

static inline int lk_kind_axis(const struct lk_joint_kind *k, int row)
{
    return lk_point_axis(lk_points_first(k->point), row);
}

/** lk_kind_sides() - return the number of bodies that the rows of a block may act on.
 * lk_lane_is_soft() - return whether the rows of a block are compliant. RT: yes. */
static inline int lk_kind_sides(const struct lk_joint_kind *k)
{
    return k == &lk_coupled_kind ? LK_SIDES_MAX : 2;
}

static inline int lk_lane_is_soft(int kind)
{
    return kind >= LK_KIND_SOFT && kind < LK_KIND_COUPLED;
}

/** lk_lane_is_pin() - return whether blocks of @kind are pins of two rows. @kind: -1 for blocks of
 * several kinds.
 * RT: yes. */
static inline int lk_lane_is_pin(int kind)
{
    return kind >= LK_KIND_PIN_X && kind <= LK_KIND_PIN_Z;
}

/* offsets of the fields of a joint [vectors], in the order in which a step uses them */
/* the joint's point on each of the two bodies, body axes; then its directions on each body */
static inline int lk_kind_points(const struct lk_joint_kind *k)
{
    (void)k;
    return 0;
}

static inline int lk_kind_directions(const struct lk_joint_kind *k, int side)
{
    return lk_kind_points(k) + 6 + (side == 1 ? 3 * k->n_dir[0] : 0);
}

/* Jacobian at the pose of the factor. Point: both arms; for a pin, without the component along the
 * axis. Slide: [n, turn of side 0, turn of side 1]. Square: one vector. Coupling: [n, turn] of each
 * side */
static inline int lk_kind_jacobian(const struct lk_joint_kind *k)
{
    return lk_kind_directions(k, 1) + 3 * k->n_dir[1];
}

static inline int lk_kind_slides(const struct lk_joint_kind *k)
{
    return lk_kind_jacobian(k) + 2 * lk_kind_point_rows(k);
}

static inline int lk_kind_squares(const struct lk_joint_kind *k)
{
    return lk_kind_slides(k) + (lk_kind_sides(k) > 2 ? 6 * LK_SIDES_MAX : 9 * k->n_slide);
}

/* E, lambda, right-hand side and solution, one value for each row */
static inline int lk_kind_regular(const struct lk_joint_kind *k)
{
    return lk_kind_squares(k) + 3 * k->n_square;
}

static inline int lk_kind_lambda(const struct lk_joint_kind *k)
{
    return lk_kind_regular(k) + lk_kind_rows(k);
}

static inline int lk_kind_x(const struct lk_joint_kind *k)
{
    return lk_kind_lambda(k) + lk_kind_rows(k);
}

/* Values that a joint scatters to its bodies: Phi_q^T times lambda or the solution. Point rows are
 * not included, because the body computes their force and torque from lambda and the arm. Squares:
 * torque on side 0, the opposite on side 1. With slides: force on side 0, torque on side 0, torque
 * on side 1. Couplings: force and torque of each side. */
static inline int lk_kind_scatter(const struct lk_joint_kind *k)
{
    return lk_kind_x(k) + lk_kind_rows(k);
}

static inline int lk_kind_scatter_size(const struct lk_joint_kind *k)
{
    if (lk_kind_sides(k) > 2)
        return 6 * LK_SIDES_MAX;
    return k->n_slide > 0 ? 9 : k->n_square > 0 ? 3 : 0;
}

/* remaining Phi / 2 at the closed pose, used if rows may depend on each other, see
 * lk_one_find_gaps() */
static inline int lk_kind_gap(const struct lk_joint_kind *k)
{
    return lk_kind_scatter(k) + lk_kind_scatter_size(k);
}

static inline int lk_kind_size(const struct lk_joint_kind *k)
{
    return lk_kind_gap(k) + lk_kind_rows(k);
}

/* Further fields of soft blocks: multipliers of the iterate, those of the previous iterate, and the
 * increments in each iteration. */
static inline int lk_soft_lambda(const struct lk_joint_kind *k)
{
    return lk_kind_size(k);
}

static inline int lk_soft_kept(const struct lk_joint_kind *k)
{
    return lk_soft_lambda(k) + lk_kind_rows(k);
}

static inline int lk_soft_increment(const struct lk_joint_kind *k, int iteration)
{
    return lk_soft_kept(k) + (1 + iteration) * lk_kind_rows(k);
}

/** lk_lane_size() - return the number of vectors of a block of @kind in a step of
 * @iterations.
 * @carries: rigid rows have the fields of soft rows, too, see struct lk_batches. */
static inline int lk_lane_size(int kind, int iterations, int carries)
{
    const struct lk_joint_kind *k = lk_lane_kind(kind);

    return carries || lk_lane_is_soft(kind) ? lk_soft_increment(k, iterations) : lk_kind_size(k);
}

/** enum lk_body_field - offsets of the fields of a body [vectors]. X, R:       current pose; in the
 * iterations the predicted pose, at which the factor is computed NOW_X, NOW_R: pose after the last
 * iteration V, W: twist, or the vector solved for: velocity, angular velocity (world) A, SM:      s
 * R J^-1 R^T (xx yy zz xy xz yz), s / m U, TURN:    motion within the step: x - x_old, q_old^-1 q
 * OLD_*:      state: x, q, v (world, body axes), a; replaced when the step accepts the new state
 * MASS, J, SJ: m, J, s J^-1 (body axes) */
enum lk_body_field {
    LK_BODY_X = 0,
    LK_BODY_R = 3,
    LK_BODY_V = 12,
    LK_BODY_A = 18,
    LK_BODY_SM = 24,
    LK_BODY_U = 25,
    LK_BODY_TURN = 28,
    LK_BODY_OLD_X = 32,
    LK_BODY_OLD_Q = 35,
    LK_BODY_OLD_V = 39,
    LK_BODY_OLD_A = 45,
    LK_BODY_MASS = 51,
    LK_BODY_J = 52,
    LK_BODY_SJ = 58,
    LK_BODY_NOW_X = 64,
    LK_BODY_NOW_R = 67,
    LK_BODY_SIZE = 76
};

/** enum lk_rattle_field - further fields of a body for `rattle`, whose iterations rotate about the
 * body axes at q_n. NOW_X, NOW_R: pose in the iterations, then the pose of the factor FACTOR_X ..
 * CURVATURE: struct lk_rattle_own LOAD:         -Q without gravity (force: world, torque: body) G:
 * angular part of s W g, body axes ITERATE:      u, theta;  REST: the other terms of s W g, see
 * momentum_residual() ACCELERATION: acceleration of the new state (world) INCREMENTS:   for each
 * iteration: dq and the change of REST, in body axes. The translations are valid only if bodies may
 * lack inertia, see struct lk_batches */
enum lk_rattle_field {
    LK_RATTLE_FACTOR_X = LK_BODY_SIZE,
    LK_RATTLE_FACTOR_Q = LK_RATTLE_FACTOR_X + 3,
    LK_RATTLE_MOVED = LK_RATTLE_FACTOR_Q + 4,
    LK_RATTLE_CURVATURE = LK_RATTLE_MOVED + 6,
    LK_RATTLE_LOAD = LK_RATTLE_CURVATURE + 6,
    LK_RATTLE_G = LK_RATTLE_LOAD + 6,
    LK_RATTLE_ITERATE = LK_RATTLE_G + 3,
    LK_RATTLE_REST = LK_RATTLE_ITERATE + 6,
    LK_RATTLE_ACCELERATION = LK_RATTLE_REST + 6,
    LK_RATTLE_INCREMENTS = LK_RATTLE_ACCELERATION + 6
};

/* field of `ali3` and `rk4` after the fields of lk_body_field: -Q without gravity (force: world,
 * torque: body) */
#define LK_FREE_LOAD LK_BODY_SIZE

#define LK_ALI3_SIZE (LK_FREE_LOAD + 6)

/** enum lk_rk4_field - further fields of a body for `rk4`, whose factor is computed at the pose X,
 * R of a stage. NOW_X, NOW_R: pose of the new state until it is closed;  SUM: before that, weighted
 * sum of the derivatives of x, theta, v, w in the stages so far THETA:        turn of the stage
 * since the start of the step;  OLD_A: accelerations of the stage STAGE_V:      velocities of the
 * stage (world, body axes) */
enum lk_rk4_field {
    LK_RK4_SUM = LK_BODY_NOW_X,
    LK_RK4_THETA = LK_BODY_U,
    LK_RK4_STAGE_V = LK_FREE_LOAD + 6,
    LK_RK4_SIZE = LK_RK4_STAGE_V + 6
};

/** enum lk_rare_field - additional fields of all bodies, if one body needs any of them, see rare.h.
 * AHEAD: weight of the last acceleration in the prediction, for translation and for rotation THIN,
 * TENSION: see struct lk_quad, struct lk_half_kicks SHOVE: a motion (world) that all rows resist,
 * then their response (translation: world, rotation: body). If the system has closes_dampers, also
 * v - v' and a - a' of step/elements/law_steps.c (world) MASSLESS: 1 if there is no inertia, for
 * translation and for rotation LAST_CURVATURE: CURVATURE of the previous step */
enum lk_rare_field {
    LK_RARE_AHEAD,
    LK_RARE_THIN = 2,
    LK_RARE_TENSION = 5,
    LK_RARE_SHOVE = 11,
    LK_RARE_MASSLESS = 17,
    LK_RARE_LAST_CURVATURE = 19,
    LK_RARE_SIZE = 25
};

#endif
