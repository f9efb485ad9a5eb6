/* SPDX-License-Identifier: Apache-2.0 */
/* Bushing: six rows that measure the displacement of body 1 relative to body 0, in the axes f[0].
 * The first three rows are the translation of the point of body 1. The others are the rotation
 * vector theta = log(A) of the frame of body 1, where A_ij = f[0][i] . f[1][j]. Both frames
 * coincide initially.
 *
 * With R -> R exp(dtheta) on either body, A' = w~ A, where w is the relative angular velocity in
 * the axes f[0]. Then theta' = K w with the inverse left Jacobian of the rotation group
 *
 *   K = 1 - theta~ / 2 + g theta~^2,    g = (1 - c) / |theta|^2,    c = |theta|/2 cot(|theta|/2)
 *
 * K is regular for |theta| < 2 pi. The vector theta jumps at |theta| = pi, where the rotations
 * about n and -n are equally short. Because theta~ theta = 0, the torque of a law k theta is k
 * theta: it turns the body back about the axis theta. */
#include "rows/rows.h"

/* Compute the quaternion q of A with w >= 0. All products 4 q_i q_k follow from A. For any
 * rotation, the column with the largest |q_k| has the smallest relative error, so q is computed
 * from this column. */
static void relative_quaternion(const struct lk_joint *j, const struct lk_pose *const *pose,
                                double q[4])
{
    double A[3][3], scale;
    int best = 0;

    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            A[i][k] = lk_rows_square(pose, j->f[0][i], j->f[1][k]);

    const double product[4][4] = {
        {1 + A[0][0] + A[1][1] + A[2][2], A[2][1] - A[1][2], A[0][2] - A[2][0], A[1][0] - A[0][1]},
        {A[2][1] - A[1][2], 1 + A[0][0] - A[1][1] - A[2][2], A[1][0] + A[0][1], A[0][2] + A[2][0]},
        {A[0][2] - A[2][0], A[1][0] + A[0][1], 1 - A[0][0] + A[1][1] - A[2][2], A[2][1] + A[1][2]},
        {A[1][0] - A[0][1], A[0][2] + A[2][0], A[2][1] + A[1][2], 1 - A[0][0] - A[1][1] + A[2][2]},
    };

    for (int k = 1; k < 4; k++)
        best = product[k][k] > product[best][best] ? k : best;
    scale = 1 / sqrt(product[best][0] * product[best][0] +
                     lk_dot(product[best] + 1, product[best] + 1));
    scale = copysign(scale, product[best][0]);
    for (int k = 0; k < 4; k++)
        q[k] = scale * product[best][k];
}

/* Compute theta and return g, with c = q_w |theta| / (2 |q_v|); the two tiny terms produce the
 * limit 1 at theta = 0. The round-off of 1 - c is divided by |theta|^2 and multiplied by theta~^2,
 * so it stays round-off for any theta. */
static double rotation(const struct lk_joint *j, const struct lk_pose *const *pose, double theta[3])
{
    const double tiny = 1e-60;
    double q[4], square, c;

    relative_quaternion(j, pose, q);
    lk_rotation_log(q, theta);
    square = lk_dot(theta, theta);
    c = 0.5 * q[0] * sqrt((square + 4 * tiny) / (lk_dot(q + 1, q + 1) + tiny));
    return (1 - c) / lk_max(square, 1e-30);
}

/* Compute the Jacobian of m . theta with respect to the rotations of both bodies: K^T m with K^T =
 * 1 + theta~ / 2 + g theta~^2, transformed from the axes f[0] to body axes, with a negative sign
 * for body 0. */
static void directions(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const double theta[3], double g, const double m[3], double t0[3],
                       double t1[3])
{
    double once[3], twice[3], world[3];

    lk_cross(theta, m, once);
    lk_cross(theta, once, twice);
    t0[0] = t0[1] = t0[2] = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            t0[i] += (m[k] + 0.5 * once[k] + g * twice[k]) * j->f[0][k][i];
    lk_rotate(pose[0]->R, t0, world);
    lk_rotate_back(pose[1]->R, world, t1);
    for (int i = 0; i < 3; i++)
        t0[i] = -t0[i];
}

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    for (int i = 0; i < 3; i++)
        phi[i] = lk_rows_travel(j, pose, i);
    rotation(j, pose, phi + 3);
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    double theta[3], t0[3], t1[3], force[3];
    double g = rotation(j, pose, theta);

    for (int i = 0; i < 3; i++)
        force[i] = -lambda[i];
    lk_rows_slides_load(j, pose, 0, 3, force, sum);
    directions(j, pose, theta, g, lambda + 3, t0, t1);
    for (int i = 0; i < 3; i++) {
        sum[0]->w[i] += t0[i];
        sum[1]->w[i] += t1[i];
    }
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    double theta[3];
    double g = rotation(j, pose, theta);

    for (int r = 0; r < 3; r++) {
        double shift[2][6], turn[2][6] = {{0}};
        double m[3] = {r == 0, r == 1, r == 2};

        lk_rows_travel_jacobian(j, pose, r, shift);
        directions(j, pose, theta, g, m, turn[0] + 3, turn[1] + 3);
        for (int s = 0; s < 2; s++) {
            lk_jacobian_set_row(ret, s, r, shift[s]);
            lk_jacobian_set_row(ret, s, 3 + r, turn[s]);
        }
    }
}

/* Return the factor on theta that makes the rotation vector continuous; 1 if theta itself is
 * continuous. The pose defines the rotation only modulo whole turns. Beyond half a turn, theta
 * (1 - 2 pi / |theta|), the same rotation about the opposite axis, continues the rotation vector
 * @before. */
static double factor_of(const double before[3], const double theta[3])
{
    double other = 1 - 2 * M_PI / lk_max(lk_norm(theta), 1e-30), straight = 0, round = 0;

    for (int i = 0; i < 3; i++) {
        double way = theta[i] - before[i], way_round = other * theta[i] - before[i];

        straight += way * way;
        round += way_round * way_round;
    }
    return round < straight ? other : 1;
}

static void way(const struct lk_joint *j, const double *before, const double *now, double *ret)
{
    double factor = factor_of(before + 3, now + 3);

    (void)j;
    for (int i = 0; i < 3; i++) {
        ret[i] = now[i] - before[i];
        ret[3 + i] = factor * now[3 + i] - before[3 + i];
    }
}

/* Because f = factor_of() depends on theta, the multipliers change with d(f theta) = (f + (1 - f) n
 * n^T) dtheta with n along theta */
void lk_bushing_turn(const double *before, const double *now, double *lambda)
{
    const double *theta = now + 3;
    double factor = factor_of(before + 3, theta), square = lk_max(lk_dot(theta, theta), 1e-60);
    double along = (1 - factor) * lk_dot(theta, lambda + 3) / square;

    for (int i = 0; i < 3; i++)
        lambda[3 + i] = factor * lambda[3 + i] + along * theta[i];
}

const struct lk_joint_type_ops lk_joint_bushing = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = lk_rows_no_gamma,
    .way = way,
};
