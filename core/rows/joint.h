/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled joint: constraint rows between two bodies, and the functions of each joint type.
 *
 * Side 0 is the first body, side 1 the second; the ground is a body that does not move. A body's
 * six directions are its translation along the world axes and its rotation about its own axes,
 * R -> R exp(dtheta), so a Jacobian row is [d/dx (world), d/dtheta (body)]. */
#ifndef LK_ROWS_JOINT_H
#define LK_ROWS_JOINT_H

#include "linkage/kinds.h"

#define LK_ROWS_MAX  6                    /* largest number of rows of a joint */
#define LK_ROWS_PAD  8                    /* LK_ROWS_MAX rounded up to whole vectors */
#define LK_SIDES_MAX (2 * LK_COUPLED_MAX) /* largest number of bodies that a joint acts on */

/** struct lk_pose - pose of a body. @x: centre of mass [m], world; @R: body to world, row-major. */
struct lk_pose {
    double x[3];
    double R[9];
};

/** struct lk_twist - velocities of a body, or a vector in its six directions. @v: [m/s], world; @w:
 * [rad/s], body axes. */
struct lk_twist {
    double v[3];
    double w[3];
};

/** enum lk_row_kind - how a row is solved.
 * RIGID:      the row holds exactly
 * DRIVEN:     the row holds exactly at a value prescribed over time
 * COMPLIANT:  the multiplier follows a law of the row's value and rate
 * UNILATERAL: compliant, and the law has end stops, which push but do not pull */
enum lk_row_kind { LK_ROWS_RIGID, LK_ROWS_DRIVEN, LK_ROWS_COMPLIANT, LK_ROWS_UNILATERAL };

struct lk_road_plane;   /* tyre/road.h */
struct lk_contact_pair; /* rows/contact.h */

/** struct lk_joint - constants of a joint, or of an element that is solved like a joint (a
 * spring, a drive, a gear): a block of rows between two bodies, or up to six for a coupling. All
 * rows of a block are of the same kind.
 * @type:       selects the functions
 * @n_sides:    number of bodies that the rows act on
 * @body:       indices of these bodies; the ground is body n_bodies, prescribed frames have the
 *              indices after n_bodies
 * @kind:       kind of the rows. The point rows of a compliant joint are measured along the axes
 *              f[0] instead of the world's, so that each can have a different stiffness
 * @is_exchanged: side 0 is the second body of the joint in the model
 * @n_length:   number of rows that are lengths [m], which come first; the others are angles
 *              [rad]
 * @is_known:   the rows transmit the whole reaction of the joint, see compile/passes/plane.h
 * @row:        index of the first row among all rows, in the order of elimination
 * @p:          the joint's point on either body, from the centre of mass [m], body axes
 * @f:          the joint's frame on either body: three unit vectors, body axes; f[s][2] is the
 *              axis
 * @coordinate: values of the joint's coordinates when both frames coincide [rad or m]
 * @length:     distance: length of the rod [m]; rolling: radius of the wheel [m]; cone-on-rail:
 * distance between the points of wheel and rail along the contact normal
 * @pitch:      screw: travel per radian [m]
 * @sine:       cone-on-rail, creep: sine of the angle between wheel surface and axle
 * @radius:     cone-on-rail, creep: radius of the rail; tyre: free radius of the wheel [m]
 * @tyre:       index of the tyre;  @plane: the road at its contact, axes of side 0
 * @is_by_centre: the penetration depth of the tyre is measured below the wheel centre, see wheel.h
 * @contact:    index of the point of contact;  @pair: its shapes
 * @of:         joints whose coordinates the rows use: one joint for a coordinate row, two or three
 *              for a coupling;  @which: index of the coordinate of each of these joints
 * @at_side[k][s]: side of this block that is side s of of[k], or -1 if this is the ground and the
 *              block omits the ground
 * @ratio:      coupling: coordinate of of[1] (and of[2]) = ratio * coordinate of of[0] + offset
 * @first_coordinate: index of the joint's coordinates in the state
 * @needs_coordinate: true if the coordinates are unwrapped in each step
 * @law:        compliant rows: index of the law of the first row
 * @drive:      driven rows: index of the drive */
struct lk_joint {
    enum lk_joint_type type;
    enum lk_row_kind kind;
    int n_sides;
    int is_exchanged;
    int body[LK_SIDES_MAX];
    int n_rows;
    int n_length;
    int is_known;
    int row;
    int needs_coordinate;
    int first_coordinate;
    int law;
    int drive;
    double p[2][3];
    double f[2][3][3];
    double coordinate[LK_COORDINATES_MAX];
    double length;
    double pitch;
    double sine;
    double radius;
    int tyre;
    const struct lk_road_plane *plane;
    int is_by_centre;
    int contact;
    const struct lk_contact_pair *pair;
    const struct lk_joint *of[LK_COUPLED_MAX];
    int which[LK_COUPLED_MAX];
    int at_side[LK_COUPLED_MAX][2];
    double ratio;
    double offset;
};

/** lk_is_compliant() - return whether the rows of a joint follow laws. RT: yes. */
static inline int lk_is_compliant(const struct lk_joint *j)
{
    return j->kind >= LK_ROWS_COMPLIANT;
}

/** lk_slip_rows() - return the number of nonholonomic rows of a joint, the last ones of its rows.
 * RT: yes. */
static inline int lk_slip_rows(const struct lk_joint *j)
{
    return lk_joint_traits[j->type].n_slips;
}

/** lk_rigid_rows() - return the number of rows of a joint that hold exactly: all or none. RT:
 * yes. */
static inline int lk_rigid_rows(const struct lk_joint *j)
{
    return lk_is_compliant(j) ? 0 : j->n_rows;
}

/** struct lk_jacobian - view of the derivatives d(row)/d(x, theta) of all sides of a joint.
 *
 * The row is the last index, so that one vector instruction processes several rows; padding rows
 * are zero. If the first rows are point rows and no other row depends on the translation
 * (`is_point`: all joints except sliding joints), the translation part is +I and -I in the point
 * rows and is not stored.
 * @J:        value of (side, direction k, row r) at J[(directions * side + k) * pad + r]
 * @pad:      rows rounded up to whole vectors, 4 or 8
 * @is_point: 3 directions are stored, d/dtheta; otherwise 6, d/dx and d/dtheta
 * @first:    world axis of the first point row, see lk_points_first() */
struct lk_jacobian {
    double *J;
    int pad;
    int is_point;
    int first;
};

/** lk_point_axis() - return the world axis of point row @row. RT: yes. */
static inline int lk_point_axis(int first, int row)
{
    return (first + row) % 3;
}

/** lk_jacobian_pad() - return the number of rows rounded up to whole vectors of four. */
static inline int lk_jacobian_pad(int n_rows)
{
    return n_rows <= 4 ? 4 : 8;
}

/** lk_jacobian_size() - return the number of doubles of all sides of a Jacobian. */
static inline int lk_jacobian_size(int n_sides, int pad, int is_point)
{
    return (is_point ? 3 : 6) * n_sides * pad;
}

/** lk_jacobian_sign() - return the sign of the translation part of point rows: +1 on side 0,
 * -1 on side 1. */
static inline double lk_jacobian_sign(int side)
{
    return side == 0 ? 1 : -1;
}

/** lk_jacobian_turn() - return the d/dtheta part of one side, direction k at [k * pad]. RT:
 * yes. */
static inline double *lk_jacobian_turn(struct lk_jacobian jacobian, int side)
{
    return jacobian.J + (jacobian.is_point ? 3 * side : 6 * side + 3) * jacobian.pad;
}

/** struct lk_side - the Jacobian of one side of a joint, a view.
 * @turn:     the d/dtheta part, direction k at [k * pad]; without is_point it follows the d/dx
 * part
 * @row:      index of the first row among all rows;  @n: number of rows
 * @sign:     sign of the translation part of point rows
 * @first:    world axis of the first point row */
struct lk_side {
    const double *turn;
    int row;
    int n;
    int pad;
    int is_point;
    int first;
    double sign;
};

/** lk_side_of() - return side @side of a joint whose rows begin at @row. */
static inline struct lk_side lk_side_of(struct lk_jacobian jacobian, int side, int row, int n_rows)
{
    return (struct lk_side){
        .turn = lk_jacobian_turn(jacobian, side),
        .row = row,
        .n = n_rows,
        .pad = jacobian.pad,
        .is_point = jacobian.is_point,
        .first = jacobian.first,
        .sign = lk_jacobian_sign(side),
    };
}

/** lk_jacobian_set_row() - write one row of one side; the constant translation part of a point
 * joint is not stored. RT: yes. */
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
            ret[k] =
                row < 3 && k == lk_point_axis(jacobian.first, row) ? lk_jacobian_sign(side) : 0;
        else
            ret[k] = turn[(k - 3) * jacobian.pad + row];
    }
}

/** struct lk_joint_type_ops - functions of a joint type. @pose, @twist: one for each side. All
 * functions are safe on the cycle thread and do the same work at every call.
 * @is_point, @first: see struct lk_jacobian; they describe the type. For a compliant joint of
 *               this type see lk_joint_is_point()
 * @violation:   compute Phi of the rows
 * @load:        add Phi_q^T lambda of the rows to each body (force: world, torque: body axes)
 * @jacobian:    compute Phi_q of the rows
 * @gamma:       compute d2Phi/dt2 of the rows with all accelerations zero
 * @way:         compute the change of the rows from @before to @now in one step [m, rad]. If poses
 *               define the rows only modulo whole turns, this is the smallest possible change.
 *               NULL: the change is the difference
 * @coordinate:  compute coordinate @i of the joint [rad or m], angles wrapped; NULL, or never
 *               called, for types without coordinates
 * @coordinate_jacobian: compute the derivative of the coordinate, one row per side (sides 0 and 1)
 * @coordinate_gamma:    compute the second time derivative of the coordinate with all
 *               accelerations zero */
struct lk_joint_type_ops {
    int is_point;
    int first;
    void (*violation)(const struct lk_joint *, const struct lk_pose *const *pose, double *phi);
    void (*load)(const struct lk_joint *, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum);
    void (*jacobian)(const struct lk_joint *, const struct lk_pose *const *pose,
                     struct lk_jacobian ret);
    void (*gamma)(const struct lk_joint *, const struct lk_pose *const *pose,
                  const struct lk_twist *const *twist, double *ret);
    void (*way)(const struct lk_joint *, const double *before, const double *now, double *ret);
    double (*coordinate)(const struct lk_joint *, const struct lk_pose *const *pose, int i);
    void (*coordinate_jacobian)(const struct lk_joint *, const struct lk_pose *const *pose, int i,
                                double J[2][6]);
    double (*coordinate_gamma)(const struct lk_joint *, const struct lk_pose *const *pose,
                               const struct lk_twist *const *twist, int i);
};

extern const struct lk_joint_type_ops lk_joint_kind_ops[]; /* one for each line of table.h */
extern const struct lk_joint_type_ops lk_joint_pin;        /* table.c */
extern const struct lk_joint_type_ops lk_joint_pivot;      /* table.c */
extern const struct lk_joint_type_ops lk_joint_screw;
extern const struct lk_joint_type_ops lk_joint_distance;
extern const struct lk_joint_type_ops lk_joint_constant_velocity;
extern const struct lk_joint_type_ops lk_joint_cone_on_rail;
extern const struct lk_joint_type_ops lk_joint_skate;
extern const struct lk_joint_type_ops lk_joint_rolling;
extern const struct lk_joint_type_ops lk_joint_bushing;
extern const struct lk_joint_type_ops lk_joint_coordinate_row;
extern const struct lk_joint_type_ops lk_joint_creep;
extern const struct lk_joint_type_ops lk_joint_air;
extern const struct lk_joint_type_ops lk_joint_sway;
extern const struct lk_joint_type_ops lk_joint_tyre;
extern const struct lk_joint_type_ops lk_joint_contact;
extern const struct lk_joint_type_ops lk_joint_coupling;

/** lk_joint_types - the functions of every type, in joints.c. */
extern const struct lk_joint_type_ops *const lk_joint_types[LK_JOINT_TYPES];

/** lk_joint_ops() - return the functions of a joint type. RT: yes. */
static inline const struct lk_joint_type_ops *lk_joint_ops(enum lk_joint_type type)
{
    return lk_joint_types[type];
}

/** lk_bushing_turn() - convert the multipliers of a bushing when one of its rotations has
 * passed half a turn. The rows @before continue beyond half a turn; the rows @now are those that
 * the pose defines. The forces remain the same. If no rotation has passed half a turn, nothing
 * changes. @lambda: changed in place. RT: yes. */
void lk_bushing_turn(const double *before, const double *now, double *lambda);

/* ---- joints.c: the functions of a joint type. The point rows of compliant joints are along
 * the axes f[0] of the first body. RT: yes. ---- */

/** lk_joint_is_point() - return whether the Jacobian of a joint is stored without its
 * translation part. */
static inline int lk_joint_is_point(enum lk_joint_type type, enum lk_row_kind kind)
{
    return lk_joint_types[type]->is_point && kind < LK_ROWS_COMPLIANT;
}

void lk_joint_violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi);
void lk_joint_jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                       struct lk_jacobian ret);
void lk_joint_way(const struct lk_joint *j, const double *before, const double *now, double *ret);

#endif
