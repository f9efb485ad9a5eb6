/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled joint: constraint rows between two bodies, and what each joint type must provide.
 *
 * A joint has `n_rigid` rows that hold exactly and, where a spring-damper acts on its coordinate,
 * one compliant row behind them. Side 0 is the first body, side 1 the second; the ground is a body
 * that does not move. In the basis of this project a body's six directions are its translation
 * along the world axes and its rotation about its own axes, R -> R exp(dtheta), so a Jacobian row
 * is [d/dx (world), d/dtheta (body)]. */
#ifndef LK_JOINTS_JOINT_H
#define LK_JOINTS_JOINT_H

#include "model/model.h"

#define LK_ROWS_MAX 6 /* rows of one joint, compliant one included */
#define LK_ROWS_PAD 8 /* the same rounded up to whole vectors */

/** struct lk_pose - where a body is. @x: centre of mass [m], world; @R: body to world, row-major.
 */
struct lk_pose {
    double x[3];
    double R[9];
};

/** struct lk_twist - how a body moves, or a vector in its six directions. @v: [m/s], world;
 * @w: [rad/s], body axes. */
struct lk_twist {
    double v[3];
    double w[3];
};

/** struct lk_joint - constants of a joint.
 * @type:       selects the functions
 * @body:       first and second body, the ground is body n_bodies
 * @n_rigid:    rows that hold exactly;  @n_rows: with the compliant one
 * @n_length:   the first rows, which are lengths [m]; the other rigid rows are angles [rad]
 * @row:        index of its first row among all, in the order of elimination
 * @p:          the joint's point on either body, from the centre of mass [m], body axes
 * @f:          the joint's frame on either body: three unit vectors, body axes; f[s][2] is the axis
 * @coordinate: value of the joint's coordinate where both frames coincide [rad or m]
 * @stiffness, @damping, @rest: of the compliant row, see lk_force_def
 * @needs_coordinate: the coordinate is followed from step to step */
struct lk_joint {
    enum lk_joint_type type;
    int body[2];
    int n_rigid;
    int n_rows;
    int n_length;
    int row;
    int needs_coordinate;
    double p[2][3];
    double f[2][3][3];
    double coordinate;
    double stiffness;
    double damping;
    double rest;
};

/** struct lk_jacobian - d(row)/d(x, theta) of either body, a view.
 *
 * Rows are the last index, so that one vector instruction works on several; rows beyond the joint's
 * are zero. Where the first three rows say that two points coincide and no other row moves with a
 * translation (`is_point`: all joints but sliding ones), the translation part is +I and -I on those
 * rows and is not stored.
 * @J:        value of (side, direction k, row r) at J[(directions * side + k) * pad + r]
 * @pad:      rows rounded up to whole vectors, 4 or 8
 * @is_point: 3 directions are stored, d/dtheta; otherwise 6, d/dx and d/dtheta */
struct lk_jacobian {
    double *J;
    int pad;
    int is_point;
};

/** lk_jacobian_pad() - rows rounded up to whole vectors of four. */
static inline int lk_jacobian_pad(int n_rows)
{
    return n_rows <= 4 ? 4 : 8;
}

/** lk_jacobian_size() - doubles of both sides. */
static inline int lk_jacobian_size(int pad, int is_point)
{
    return (is_point ? 6 : 12) * pad;
}

/** lk_jacobian_sign() - the translation part of point rows: +1 on side 0, -1 on side 1. */
static inline double lk_jacobian_sign(int side)
{
    return side == 0 ? 1 : -1;
}

/** lk_jacobian_turn() - the d/dtheta part of one side, direction k at [k * pad]. RT: yes. */
static inline double *lk_jacobian_turn(struct lk_jacobian jacobian, int side)
{
    return jacobian.J + (jacobian.is_point ? 3 * side : 6 * side + 3) * jacobian.pad;
}

/** struct lk_side - one side of a joint as its body sees it.
 * @turn:     the d/dtheta part, direction k at [k * pad]; without is_point d/dx stands before it
 * @row:      first row among all;  @n: rows
 * @sign:     of the translation part of point rows */
struct lk_side {
    const double *turn;
    int row;
    int n;
    int pad;
    int is_point;
    double sign;
};

/** lk_side_of() - side @side of a joint whose rows begin at @row. */
static inline struct lk_side lk_side_of(struct lk_jacobian jacobian, int side, int row, int n_rows)
{
    return (struct lk_side){
        .turn = lk_jacobian_turn(jacobian, side),
        .row = row,
        .n = n_rows,
        .pad = jacobian.pad,
        .is_point = jacobian.is_point,
        .sign = lk_jacobian_sign(side),
    };
}

/** lk_jacobian_set_row() - write one row of one side; the translation part of a point joint, which
 * is known, is left out. RT: yes. */
static inline void lk_jacobian_set_row(struct lk_jacobian jacobian, int side, int row,
                                       const double values[6])
{
    double *turn = lk_jacobian_turn(jacobian, side);

    for (int k = 0; k < 3; k++) {
        turn[k * jacobian.pad + row] = values[3 + k];
        if (!jacobian.is_point)
            turn[(k - 3) * jacobian.pad + row] = values[k];
    }
}

/** lk_jacobian_row() - read one row of one side. RT: yes. */
static inline void lk_jacobian_row(struct lk_jacobian jacobian, int side, int row, double ret[6])
{
    const double *turn = lk_jacobian_turn(jacobian, side);

    for (int k = 0; k < 3; k++) {
        ret[3 + k] = turn[k * jacobian.pad + row];
        if (jacobian.is_point)
            ret[k] = k == row ? lk_jacobian_sign(side) : 0;
        else
            ret[k] = turn[(k - 3) * jacobian.pad + row];
    }
}

/** struct lk_joint_type_ops - what a joint type provides. Poses and twists come in pairs, side 0
 * and side 1. All are safe on the cycle thread and do the same work at every call.
 * @name:        as in a model file
 * @unit, @rate_unit: of the coordinate; NULL when the type has none
 * @n_rigid, @n_length: see struct lk_joint
 * @is_point:    see struct lk_jacobian
 * @violation:   Phi of the rigid rows
 * @load:        adds Phi_q^T lambda of the rigid rows to either body (force: world, torque: body)
 * @jacobian:    Phi_q of the rigid rows
 * @gamma:       d2Phi/dt2 of the rigid rows with all accelerations zero
 * @coordinate:  the joint's coordinate without the winding of earlier turns [rad or m]
 * @coordinate_jacobian: its derivative, one row a side */
struct lk_joint_type_ops {
    const char *name;
    const char *unit;
    const char *rate_unit;
    int n_rigid;
    int n_length;
    int is_point;
    void (*violation)(const struct lk_joint *, const struct lk_pose *const pose[2], double *phi);
    void (*load)(const struct lk_joint *, const struct lk_pose *const pose[2], const double *lambda,
                 struct lk_twist *const sum[2]);
    void (*jacobian)(const struct lk_joint *, const struct lk_pose *const pose[2],
                     struct lk_jacobian ret);
    void (*gamma)(const struct lk_joint *, const struct lk_pose *const pose[2],
                  const struct lk_twist *const twist[2], double *ret);
    double (*coordinate)(const struct lk_joint *, const struct lk_pose *const pose[2]);
    void (*coordinate_jacobian)(const struct lk_joint *, const struct lk_pose *const pose[2],
                                double J[2][6]);
};

extern const struct lk_joint_type_ops lk_joint_revolute;
extern const struct lk_joint_type_ops lk_joint_spherical;
extern const struct lk_joint_type_ops lk_joint_prismatic;
extern const struct lk_joint_type_ops lk_joint_fixed;

/** lk_joint_types - the functions of every type, in joints.c. */
extern const struct lk_joint_type_ops *const lk_joint_types[LK_JOINT_TYPES];

/** lk_joint_ops() - the functions of a type. RT: yes. */
static inline const struct lk_joint_type_ops *lk_joint_ops(enum lk_joint_type type)
{
    return lk_joint_types[type];
}

#endif
