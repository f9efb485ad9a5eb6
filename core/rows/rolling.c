/* SPDX-License-Identifier: Apache-2.0 */
/* Rolling: a wheel with a sharp edge (side 1) rolls without slip on a plane (side 0). The first row
 * keeps the edge on the plane; the other two are K v = 0, which no coordinate has.
 *
 * The plane contains the point Q and has the normal n, on the side of the wheel. The wheel is a
 * disc of radius r about the axle, the line through C along b. Its lowest point is P,
 *
 *     s = |b x n|,   e = ((b . n) b - n) / s,   P = C + r e
 *
 * and the tangents of the plane at P are t = b x n / s, in which the wheel rolls, and m = n x t.
 * With the material velocities v1 and v2 of plane and wheel at P
 *
 *     Phi = n . (Q - C) + r s,    Phi' = n . (v1 - v2)
 *     K v   t . (v1 - v2),  m . (v1 - v2)
 *
 * Phi' contains no other terms, because the edge is tangent to the plane at P. So each row is u .
 * (v1 - v2) with u of n, t, m, and its derivative with zero accelerations is
 *
 *     gamma = u' . (v1 - v2) + u . (w1 x (P' - V1) - w2 x (P' - V2))
 *
 * where V1, V2 and w1, w2 are the velocities of the centres of mass and the angular velocities, and
 * P' is the velocity of the point P itself. With c = b . n
 *
 *     c' = b' . n + b . n',   s' = -c c' / s,   e' = (c' b + c b' - n' - s' e) / s
 *     t' = (b' x n + b x n' - s' t) / s,        m' = n' x t + n x t'
 *
 * (J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Linearized dynamics equations for
 * the balance and steer of a bicycle, 2007, section 2, for wheels with a sharp edge.) */
#include "rows/rows.h"

#define ROWS 3

/* Least s: a wheel that lies flat has no lowest point, and nearer to this pose, 3 degrees, no step
 * is short enough. Its rows are then not finite, so that the step fails instead of being wrong. */
#define FLAT 0.05

/* struct contact - world vectors, symbols as above. @u: n, t, m;  @arm: P from both centres of mass
 */
struct contact {
    double b[3];
    double c;
    double s;
    double e[3];
    double u[ROWS][3];
    double arm[2][3];
};

static void place(const struct lk_joint *j, const struct lk_pose *const *pose, struct contact *ret)
{
    double *n = ret->u[0], *t = ret->u[1], centre[3];

    lk_rotate(pose[0]->R, j->f[0][2], n);
    lk_rotate(pose[1]->R, j->f[1][2], ret->b);
    lk_rotate(pose[1]->R, j->p[1], centre);
    ret->c = lk_dot(ret->b, n);
    ret->s = sqrt(lk_max(1 - ret->c * ret->c, 0));
    ret->s = ret->s > FLAT ? ret->s : NAN;
    lk_cross(ret->b, n, t);
    for (int i = 0; i < 3; i++) {
        ret->e[i] = (ret->c * ret->b[i] - n[i]) / ret->s;
        t[i] /= ret->s;
        ret->arm[1][i] = centre[i] + j->length * ret->e[i];
        ret->arm[0][i] = ret->arm[1][i] + (pose[1]->x[i] - pose[0]->x[i]);
    }
    lk_cross(n, t, ret->u[2]);
}

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    struct contact k;
    double gap[3];

    place(j, pose, &k);
    lk_rows_gap(j, pose, gap);
    phi[0] = lk_dot(k.u[0], gap) + j->length * k.s;
    phi[1] = phi[2] = 0;
}

static void rows_of(const struct lk_joint *j, const struct lk_pose *const *pose,
                    double J[ROWS][2][6])
{
    struct contact k;

    place(j, pose, &k);
    for (int r = 0; r < ROWS; r++)
        lk_rows_material_row(pose, k.arm, k.u[r], 1, J[r]);
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    double J[ROWS][2][6];

    rows_of(j, pose, J);
    for (int r = 0; r < ROWS; r++)
        lk_rows_add_load(2, J[r], lambda[r], sum);
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    double J[ROWS][2][6];

    rows_of(j, pose, J);
    for (int r = 0; r < ROWS; r++)
        for (int s = 0; s < 2; s++)
            lk_jacobian_set_row(ret, s, r, J[r][s]);
}

/* Compute the time derivatives of n, t, m into @du, and of e into @de. @w: angular velocities of
 * plane and wheel, world axes [rad/s] */
static void turn_rates(const struct contact *k, double w[2][3], double du[ROWS][3], double de[3])
{
    const double *n = k->u[0], *t = k->u[1];
    double db[3], one[3], two[3], dc, ds;

    lk_cross(w[0], n, du[0]);
    lk_cross(w[1], k->b, db);
    dc = lk_dot(db, n) + lk_dot(k->b, du[0]);
    ds = -k->c * dc / k->s;
    lk_cross(db, n, one);
    lk_cross(k->b, du[0], two);
    for (int i = 0; i < 3; i++) {
        de[i] = (dc * k->b[i] + k->c * db[i] - du[0][i] - ds * k->e[i]) / k->s;
        du[1][i] = (one[i] + two[i] - ds * t[i]) / k->s;
    }
    lk_cross(du[0], t, one);
    lk_cross(n, du[1], two);
    for (int i = 0; i < 3; i++)
        du[2][i] = one[i] + two[i];
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const struct lk_twist *const *twist, double *ret)
{
    double w[2][3], turn[2][3], du[ROWS][3], de[3], centre[3], moves[3], slip[3], change[2][3];
    struct contact k;

    place(j, pose, &k);
    for (int s = 0; s < 2; s++) {
        lk_rotate(pose[s]->R, twist[s]->w, w[s]);
        lk_cross(w[s], k.arm[s], turn[s]);
    }
    turn_rates(&k, w, du, de);
    lk_rotate(pose[1]->R, j->p[1], centre);
    lk_cross(w[1], centre, moves);
    for (int i = 0; i < 3; i++) {
        moves[i] += j->length * de[i]; /* P' - V2 */
        slip[i] = (twist[0]->v[i] + turn[0][i]) - (twist[1]->v[i] + turn[1][i]);
    }
    lk_cross(w[1], moves, change[1]);
    for (int i = 0; i < 3; i++)
        moves[i] += twist[1]->v[i] - twist[0]->v[i]; /* P' - V1 */
    lk_cross(w[0], moves, change[0]);
    for (int r = 0; r < ROWS; r++)
        ret[r] = lk_dot(du[r], slip) + lk_dot(k.u[r], change[0]) - lk_dot(k.u[r], change[1]);
}

const struct lk_joint_type_ops lk_joint_rolling = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
};
