/* SPDX-License-Identifier: Apache-2.0 */
/* Cone on rail: a conical wheel stays in contact with a straight rail. The one row is the gap
 * between them; cone.h has the geometry. Wheel and rail may roll and slide on each other; the
 * resistance to rolling and sliding is a separate element (creep.c). The contact is bilateral and
 * permanent, as in B. Simeon, C. Fuehrer, P. Rentrop, Differential-algebraic equations in vehicle
 * system dynamics, 1991. For a cone, their equations for wheels of any profile are the equations
 * used here. */
#include "rows/cone.h"

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    struct lk_cone c;

    lk_cone_contact(j, pose, &c);
    phi[0] = lk_dot(c.n, c.d) - j->length;
}

static void row_of(const struct lk_joint *j, const struct lk_pose *const *pose, double J[2][6])
{
    struct lk_cone c;
    double arm[2][3];

    lk_cone_contact(j, pose, &c);
    lk_cone_arms(j, pose, &c, arm);
    lk_rows_material_row(pose, arm, c.n, 1, J);
}

/* Compute the Jacobian of Phi. In the exact derivative, each body's arm ends at the contact point
 * on its own surface. The arms used here both end on the rail; the difference is along n. A force
 * along n is unchanged by a shift along n, so this Jacobian is exact, too. */
static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    double J[2][6];

    row_of(j, pose, J);
    for (int s = 0; s < 2; s++)
        lk_jacobian_set_row(ret, s, 0, J[s]);
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    double J[2][6];

    row_of(j, pose, J);
    lk_rows_add_load(2, J, lambda[0], sum);
}

/* Compute the first and second time derivative of a body-fixed unit vector, world axes, with
 * accelerations zero. */
static void turn_rates(const struct lk_pose *pose, const struct lk_twist *twist,
                       const double local[3], double once[3], double twice[3])
{
    double tmp[3];

    lk_cross(twist->w, local, tmp);
    lk_rotate(pose->R, tmp, once);
    lk_cross_twice(twist->w, local, tmp);
    lk_rotate(pose->R, tmp, twice);
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const struct lk_twist *const *twist, double *ret)
{
    struct lk_cone c;
    double dd[3], ddd[3], db[3], ddb[3], dt[3], ddt[3], dn[3], u[3], turn_t, turn_m, dk, dl;

    lk_cone_contact(j, pose, &c);
    lk_rows_gap_rate(j, pose, twist, dd);
    lk_rows_gap_gamma(j, pose, twist, ddd);
    turn_rates(pose[0], twist[0], j->f[0][2], dt, ddt);
    turn_rates(pose[1], twist[1], j->f[1][2], db, ddb);
    turn_t = -lk_dot(c.n, dt);
    turn_m = -(c.bt * turn_t + lk_dot(c.n, db)) / c.bm;
    for (int i = 0; i < 3; i++) {
        u[i] = dd[i] - c.k * db[i] - c.l * dt[i];
        dn[i] = turn_t * c.t[i] + turn_m * c.m[i];
    }
    dk = (lk_dot(u, c.m) - c.j * turn_m) / c.bm;
    dl = lk_dot(u, c.t) - dk * c.bt - c.j * turn_t;
    ret[0] = lk_dot(dn, u);
    for (int i = 0; i < 3; i++)
        ret[0] += c.n[i] * (ddd[i] - c.k * ddb[i] - c.l * ddt[i] - dk * db[i] - dl * dt[i]);
}

const struct lk_joint_type_ops lk_joint_cone_on_rail = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
};
