/* SPDX-License-Identifier: Apache-2.0 */
/* Skate: one row, K v = 0, which no coordinate has: a blade on the second body does not move across
 * itself on the material of the first. With the point P of the blade, fixed in the second body, and
 * the direction n across the blade, fixed there as well
 *
 *   K v    n . (v1 + w1 x (P - x1) - v_P)
 *   gamma  n' . (v1 + w1 x (P - x1) - v_P) + n . (w1 x (v_P - v1) - w2 x (w2 x (P - x2)))
 *
 * The value of the row is zero at any pose. The step integrates K v over the step, see
 * lk_slip_rates(). */
#include "rows/rows.h"

/* struct skate - world vectors. @arm: P from the centres of both bodies;  @n */
struct skate {
    double arm[2][3];
    double n[3];
};

static void place(const struct lk_joint *j, const struct lk_pose *const *pose, struct skate *ret)
{
    lk_rotate(pose[1]->R, j->p[1], ret->arm[1]);
    lk_rotate(pose[1]->R, j->f[1][2], ret->n);
    for (int i = 0; i < 3; i++)
        ret->arm[0][i] = (pose[1]->x[i] - pose[0]->x[i]) + ret->arm[1][i];
}

static void row_of(const struct lk_joint *j, const struct lk_pose *const *pose, double J[2][6])
{
    struct skate k;

    place(j, pose, &k);
    lk_rows_material_row(pose, k.arm, k.n, 1, J);
}

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    (void)j;
    (void)pose;
    phi[0] = 0;
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    double J[2][6];

    row_of(j, pose, J);
    lk_rows_add_load(2, J, lambda[0], sum);
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    double J[2][6];

    row_of(j, pose, J);
    for (int s = 0; s < 2; s++)
        lk_jacobian_set_row(ret, s, 0, J[s]);
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const struct lk_twist *const *twist, double *ret)
{
    double w[2][3], turn[2][3], passes[3], slip[3], turned[3], carried[3], inward[3];
    struct skate k;

    place(j, pose, &k);
    for (int s = 0; s < 2; s++) {
        lk_rotate(pose[s]->R, twist[s]->w, w[s]);
        lk_cross(w[s], k.arm[s], turn[s]);
    }
    for (int i = 0; i < 3; i++) {
        passes[i] = twist[1]->v[i] + turn[1][i] - twist[0]->v[i];
        slip[i] = turn[0][i] - passes[i];
    }
    lk_cross(w[1], k.n, turned);
    lk_cross(w[0], passes, carried);
    lk_cross(w[1], turn[1], inward);
    ret[0] = lk_dot(turned, slip) + lk_dot(k.n, carried) - lk_dot(k.n, inward);
}

const struct lk_joint_type_ops lk_joint_skate = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
};
