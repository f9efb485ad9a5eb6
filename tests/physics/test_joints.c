/* SPDX-License-Identifier: Apache-2.0 */
/* Every joint type against finite differences: Jacobian from the violation, gamma from the rate,
 * load from the transpose of the Jacobian, coordinate from its own derivative. */
#include "cmocka_all.h"
#include "joints/joint.h"
#include "maths/vec.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sides {
    double x[2][3];
    double q[2][4];
    struct lk_twist v[2];
};

static double uniform(void)
{
    return 2.0 * rand() / RAND_MAX - 1;
}

static void random_unit(double *v, int n)
{
    double length = 0;

    for (int i = 0; i < n; i++) {
        v[i] = uniform();
        length += v[i] * v[i];
    }
    for (int i = 0; i < n; i++)
        v[i] /= sqrt(length);
}

/* an arbitrary joint at an arbitrary, not assembled, pose: the rows are functions everywhere */
static struct lk_joint random_joint(enum lk_joint_type type)
{
    const struct lk_joint_type_ops *ops = lk_joint_ops(type);
    struct lk_joint j = {.type = type, .n_rigid = ops->n_rigid, .n_rows = ops->n_rigid};
    double q[4], R[9];

    for (int s = 0; s < 2; s++) {
        random_unit(q, 4);
        lk_quat_matrix(q, R);
        memcpy(j.f[s], R, sizeof(R));
        for (int i = 0; i < 3; i++)
            j.p[s][i] = uniform();
    }
    return j;
}

static struct sides random_sides(void)
{
    struct sides at;

    for (int s = 0; s < 2; s++) {
        random_unit(at.q[s], 4);
        for (int i = 0; i < 3; i++) {
            at.x[s][i] = uniform();
            at.v[s].v[i] = uniform();
            at.v[s].w[i] = uniform();
        }
    }
    return at;
}

/* the poses after time @t with constant velocities (world) and angular velocities (body) */
static void poses_at(const struct sides *at, double t, struct lk_pose pose[2])
{
    for (int s = 0; s < 2; s++) {
        double theta[3], dq[4], q[4];

        for (int i = 0; i < 3; i++) {
            pose[s].x[i] = at->x[s][i] + t * at->v[s].v[i];
            theta[i] = t * at->v[s].w[i];
        }
        lk_rotation_exp(theta, dq);
        lk_quat_mul(at->q[s], dq, q);
        lk_quat_matrix(q, pose[s].R);
    }
}

static void violation_at(const struct lk_joint *j, const struct sides *at, double t, double *phi)
{
    struct lk_pose pose[2];
    const struct lk_pose *const p[2] = {&pose[0], &pose[1]};

    poses_at(at, t, pose);
    lk_joint_ops(j->type)->violation(j, p, phi);
}

/* Phi_q v at time @t along the motion */
static void rate_at(const struct lk_joint *j, const struct sides *at, double t, double *rate)
{
    struct lk_pose pose[2];
    const struct lk_pose *const p[2] = {&pose[0], &pose[1]};
    double J[12 * LK_ROWS_PAD] = {0};
    struct lk_jacobian jacobian = {J, lk_jacobian_pad(j->n_rigid), lk_joint_ops(j->type)->is_point};

    poses_at(at, t, pose);
    lk_joint_ops(j->type)->jacobian(j, p, jacobian);
    for (int r = 0; r < j->n_rigid; r++) {
        rate[r] = 0;
        for (int s = 0; s < 2; s++) {
            double row[6];

            lk_jacobian_row(jacobian, s, r, row);
            rate[r] += lk_dot(row, at->v[s].v) + lk_dot(row + 3, at->v[s].w);
        }
    }
}

/* central differences with step d: truncation d^2 (1e-10), round-off 1e-16 / d (1e-11) */
#define D         1e-5
#define TOLERANCE 1e-8

static void jacobian_is_derivative_of_violation(void **state)
{
    enum lk_joint_type type = (enum lk_joint_type)(uintptr_t)*state;

    for (int trial = 0; trial < 50; trial++) {
        struct lk_joint j = random_joint(type);
        struct sides at = random_sides();
        double before[6], after[6], rate[6];

        violation_at(&j, &at, -D, before);
        violation_at(&j, &at, D, after);
        rate_at(&j, &at, 0, rate);
        for (int r = 0; r < j.n_rigid; r++)
            assert_true(fabs((after[r] - before[r]) / (2 * D) - rate[r]) < TOLERANCE);
    }
}

static void gamma_is_derivative_of_rate(void **state)
{
    enum lk_joint_type type = (enum lk_joint_type)(uintptr_t)*state;

    for (int trial = 0; trial < 50; trial++) {
        struct lk_joint j = random_joint(type);
        struct sides at = random_sides();
        struct lk_pose pose[2];
        const struct lk_pose *const p[2] = {&pose[0], &pose[1]};
        const struct lk_twist *const v[2] = {&at.v[0], &at.v[1]};
        double before[6], after[6], gamma[6];

        rate_at(&j, &at, -D, before);
        rate_at(&j, &at, D, after);
        poses_at(&at, 0, pose);
        lk_joint_ops(type)->gamma(&j, p, v, gamma);
        for (int r = 0; r < j.n_rigid; r++)
            assert_true(fabs((after[r] - before[r]) / (2 * D) - gamma[r]) < TOLERANCE);
    }
}

static void load_is_transpose_of_jacobian(void **state)
{
    enum lk_joint_type type = (enum lk_joint_type)(uintptr_t)*state;
    struct lk_joint j = random_joint(type);
    struct sides at = random_sides();
    struct lk_pose pose[2];
    const struct lk_pose *const p[2] = {&pose[0], &pose[1]};
    double J[12 * LK_ROWS_PAD] = {0};
    struct lk_jacobian jacobian = {J, lk_jacobian_pad(j.n_rigid), lk_joint_ops(type)->is_point};
    struct lk_twist sum[2] = {0};
    struct lk_twist *const to[2] = {&sum[0], &sum[1]};
    double lambda[6];

    random_unit(lambda, 6);
    poses_at(&at, 0, pose);
    lk_joint_ops(type)->jacobian(&j, p, jacobian);
    lk_joint_ops(type)->load(&j, p, lambda, to);
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 3; k++) {
            double force = 0, torque = 0;

            for (int r = 0; r < j.n_rigid; r++) {
                double row[6];

                lk_jacobian_row(jacobian, s, r, row);
                force += row[k] * lambda[r];
                torque += row[3 + k] * lambda[r];
            }
            assert_true(fabs(force - sum[s].v[k]) < 1e-14);
            assert_true(fabs(torque - sum[s].w[k]) < 1e-14);
        }
}

/* body 1 moved against body 0 along the joint's own freedom: the coordinate follows, no row does */
static void coordinate_is_the_free_motion(void **state)
{
    enum lk_joint_type type = (enum lk_joint_type)(uintptr_t)*state;
    struct lk_joint j = random_joint(type);
    struct sides at = random_sides();
    struct lk_pose pose[2];
    const struct lk_pose *const p[2] = {&pose[0], &pose[1]};
    const double moves[] = {-2.5, -0.3, 0, 0.7, 3.0};
    double J[2][6], phi[6];

    at.v[0] = at.v[1] = (struct lk_twist){0};
    poses_at(&at, 0, pose);
    for (size_t m = 0; m < sizeof(moves) / sizeof(*moves); m++) {
        const struct lk_pose *a = &pose[0];
        double half = 0.5 * moves[m], axis[3], turned[9], arm[3];
        double q[4] = {1, 0, 0, 0};

        if (type == LK_JOINT_REVOLUTE)
            memcpy(q, (double[4]){cos(half), 0, 0, sin(half)}, sizeof(q));
        lk_quat_matrix(q, turned);
        /* frame of side 1 = frame of side 0, turned: R1 f1 = R0 f0 T, with f as columns */
        for (int row = 0; row < 3; row++)
            for (int col = 0; col < 3; col++) {
                double sum = 0;

                for (int k = 0; k < 3; k++)
                    for (int l = 0; l < 3; l++) {
                        double f0[3];

                        lk_rotate(a->R, j.f[0][l], f0);
                        sum += f0[row] * turned[3 * l + k] * j.f[1][k][col];
                    }
                pose[1].R[3 * row + col] = sum;
            }
        lk_rotate(a->R, j.f[0][2], axis);
        lk_rotate(a->R, j.p[0], arm);
        for (int i = 0; i < 3; i++)
            pose[1].x[i] = a->x[i] + arm[i] + (type == LK_JOINT_PRISMATIC ? moves[m] * axis[i] : 0);
        lk_rotate(pose[1].R, j.p[1], arm);
        for (int i = 0; i < 3; i++)
            pose[1].x[i] -= arm[i];
        lk_joint_ops(type)->violation(&j, p, phi);
        for (int r = 0; r < j.n_rigid; r++)
            assert_true(fabs(phi[r]) < 1e-14);
        assert_true(fabs(lk_joint_ops(type)->coordinate(&j, p) - moves[m]) < 1e-14);
        lk_joint_ops(type)->coordinate_jacobian(&j, p, J);
        /* the same unit force on body 1 as on body 0, opposite */
        for (int i = 0; i < 3; i++)
            assert_true(fabs(J[0][i] + J[1][i]) < 1e-15);
    }
}

#define CHECK(function, type, label)                                                               \
    {                                                                                              \
#label ": " #function, function, NULL, NULL, (void *)(uintptr_t)(type)                     \
    }
#define CHECK_ALL(type, label)                                                                     \
    CHECK(jacobian_is_derivative_of_violation, type, label),                                       \
        CHECK(gamma_is_derivative_of_rate, type, label),                                           \
        CHECK(load_is_transpose_of_jacobian, type, label)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_ALL(LK_JOINT_REVOLUTE, revolute),
        CHECK_ALL(LK_JOINT_SPHERICAL, spherical),
        CHECK_ALL(LK_JOINT_PRISMATIC, prismatic),
        CHECK_ALL(LK_JOINT_FIXED, fixed),
        CHECK(coordinate_is_the_free_motion, LK_JOINT_REVOLUTE, revolute),
        CHECK(coordinate_is_the_free_motion, LK_JOINT_PRISMATIC, prismatic),
    };

    srand(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
