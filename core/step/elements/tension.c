/* SPDX-License-Identifier: Apache-2.0 */
#include "step/elements/tension.h"
#include "maths/vec.h"
#include "step/kinematics.h"
#include <string.h>

#define SWEEPS 5 /* sweeps of Jacobi rotations: enough for 3 x 3 matrices */

static void add_force(const double l[3], const double f[3], double sum[6])
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

    for (int i = 0; i < 6; i++) {
        int a = at[i][0], b = at[i][1];

        sum[i] += (a == b ? lk_dot(l, f) : 0) - 0.5 * (l[a] * f[b] + f[a] * l[b]);
    }
}

int lk_tension_holds_point(const struct lk_system *sys, int i)
{
    return sys->jacobian[i].is_point && !lk_is_compliant(&sys->joint[i]) && !sys->joint[i].of[0];
}

void lk_tension_add_joint(const struct lk_system *sys, int i, int s, const double R[9],
                          double sum[6])
{
    const struct lk_joint *j = &sys->joint[i];
    const double *lambda = sys->now.lambda + j->row;
    double sign = s == 0 ? -1 : 1, force[3], world[3] = {0};

    for (int r = 0; r < 3 && r < j->n_rows; r++)
        world[lk_point_axis(sys->jacobian[i].first, r)] = sign * lambda[r];
    lk_rotate_back(R, world, force);
    add_force(j->p[s], force, sum);
}

/* return whether side @s of joint @i is a part of the same body as @b */
static int is_at(const struct lk_system *sys, int i, int s, int b)
{
    int other = sys->joint[i].body[s];

    return other < sys->n_bodies && sys->body[other].of == sys->body[b].of;
}

void lk_tension_of(const struct lk_system *sys, int b, double ret[6])
{
    struct lk_pose pose;

    memset(ret, 0, 6 * sizeof(double));
    lk_evaluate_pose_of(sys, b, &pose);
    for (int i = 0; i < sys->n_joints; i++)
        for (int s = 0; s < 2; s++)
            if (is_at(sys, i, s, b) && lk_tension_holds_point(sys, i))
                lk_tension_add_joint(sys, i, s, pose.R, ret);
    for (int k = 0; k < 6; k++)
        ret[k] /= sys->body[b].n_parts;
}

void lk_tension_all(const struct lk_system *sys, double (*ret)[6])
{
    memset(ret, 0, (size_t)sys->n_bodies * sizeof(*ret));
    for (int i = 0; i < sys->n_joints; i++)
        for (int s = 0; s < 2 && lk_tension_holds_point(sys, i); s++) {
            int b = sys->joint[i].body[s];

            if (b < sys->n_bodies)
                lk_tension_add_joint(sys, i, s, sys->pose[b].R, ret[sys->body[b].of]);
        }
    for (int b = 0; b < sys->n_bodies; b++) /* further parts of split bodies follow the first
                                             * parts of all bodies */
        for (int k = 0; k < 6; k++)
            ret[b][k] = b < sys->n_named_bodies ? ret[b][k] / sys->body[b].n_parts
                                                : ret[sys->body[b].of][k];
}

int lk_tension_root(const double J[6], double L[6])
{
    double a = J[0], b, c;

    memset(L, 0, 6 * sizeof(double));
    if (!(a > 0))
        return 0;
    L[0] = sqrt(a);
    L[3] = J[3] / L[0];
    L[4] = J[4] / L[0];
    b = J[1] - L[3] * L[3];
    if (!(b > 1e-12 * J[1]))
        return 0;
    L[1] = sqrt(b);
    L[5] = (J[5] - L[4] * L[3]) / L[1];
    c = J[2] - L[4] * L[4] - L[5] * L[5];
    if (!(c > 1e-12 * J[2]))
        return 0;
    L[2] = sqrt(c);
    return 1;
}

static void square_of(const double S[6], double ret[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            ret[i][k] = S[lk_sym_at(i, k)];
}

/* replace @x by L^-1 x */
static void solve_root(const double L[6], double x[3])
{
    x[0] /= L[0];
    x[1] = (x[1] - L[3] * x[0]) / L[1];
    x[2] = (x[2] - L[4] * x[0] - L[5] * x[1]) / L[2];
}

/* replace @A, which is symmetric, by L^-1 A L^-T */
static void reduce(const double L[6], double A[3][3])
{
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < 3; k++) {
            double x[3] = {A[0][k], A[1][k], A[2][k]};

            solve_root(L, x);
            for (int i = 0; i < 3; i++)
                A[i][k] = x[i];
            if (k == 2) /* transpose, so that the second pass multiplies from the other side */
                for (int i = 0; i < 3; i++)
                    for (int n = 0; n < i; n++) {
                        double swapped = A[i][n];

                        A[i][n] = A[n][i];
                        A[n][i] = swapped;
                    }
        }
}

/* diagonalise A; the columns of U become its eigenvectors (C. G. J. Jacobi's rotations) */
static void diagonalise(double A[3][3], double U[3][3])
{
    static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};

    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            U[i][k] = i == k;
    for (int n = 0; n < 3 * SWEEPS; n++) {
        int p = pair[n % 3][0], q = pair[n % 3][1];
        double twice = 2 * A[p][q], gap = A[q][q] - A[p][p];
        double size = fabs(gap) + sqrt(gap * gap + twice * twice);
        double t = size > 0 ? copysign(twice, gap * twice) / size : 0;
        double c = 1 / sqrt(1 + t * t), s = c * t;

        for (int i = 0; i < 3; i++) {
            double x = A[i][p], y = A[i][q];

            A[i][p] = c * x - s * y;
            A[i][q] = s * x + c * y;
            x = U[i][p];
            y = U[i][q];
            U[i][p] = c * x - s * y;
            U[i][q] = s * x + c * y;
        }
        for (int i = 0; i < 3; i++) {
            double x = A[p][i], y = A[q][i];

            A[p][i] = c * x - s * y;
            A[q][i] = s * x + c * y;
        }
    }
}

double lk_tension_stiffest(const double L[6], const double K[6])
{
    double A[3][3], U[3][3];

    square_of(K, A);
    reduce(L, A);
    diagonalise(A, U);
    return fmax(A[0][0], fmax(A[1][1], A[2][2]));
}

void lk_tension_part(const double L[6], double s, const double K[6], double ret[6])
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    double A[3][3], U[3][3];

    square_of(K, A);
    reduce(L, A);
    diagonalise(A, U);
    memset(ret, 0, 6 * sizeof(double));
    for (int k = 0; k < 3; k++) {
        double e = s * A[k][k], part = fmax(e, 0) * lk_tension_share(e) / s;
        const double x[3] = {L[0] * U[0][k], L[3] * U[0][k] + L[1] * U[1][k],
                             L[4] * U[0][k] + L[5] * U[1][k] + L[2] * U[2][k]};

        for (int i = 0; i < 6; i++)
            ret[i] += part * x[at[i][0]] * x[at[i][1]];
    }
}

int lk_tension_count(const struct lk_system *sys)
{
    int n = 0;

    for (int b = 0; b < sys->n_bodies; b++)
        n += lk_tension_is_followed(sys, b);
    return n;
}
