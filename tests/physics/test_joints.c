/* SPDX-License-Identifier: Apache-2.0 */
/* Each joint type is compared with finite differences: the Jacobian is derived from the violation,
 * gamma from the rate, the load from the transpose of the Jacobian, and coordinates from motions
 * that satisfy the rows. Relations between the types are tested as well. */
#include "cmocka_all.h"
#include "rows/rows.h"
#include <stdlib.h>
#include <string.h>

/* a quantity of magnitude 1 after some tens of roundings of 1.1e-16 each, most of them in
 * rotations */
#define EXACT 1e-14

/* Differences of fourth order with step D: truncation D^4 / 30 = 3e-18 of a fifth derivative, which
 * is below 1e8 for the velocities drawn here (points pass at up to 9 m/s, 0.4 m apart: 9^6 /
 * 0.4^5); round-off below 1e-14 / D = 1e-10. */
#define D         1e-4
#define TOLERANCE 1e-9

#define LOCAL 0x100 /* flag in a test's state: rows of a compliant joint */

/* Return the derivative at 0 from the values at -2 D, -D, D and 2 D. */
static const double instants[4] = {-2 * D, -D, D, 2 * D};

static double slope(double a, double b, double c, double d)
{
    return (8 * (c - b) - (d - a)) / (12 * D);
}

/** struct sides - moving bodies, as many as a block has sides at most */
struct sides {
    double x[LK_SIDES_MAX][3];
    double q[LK_SIDES_MAX][4];
    struct lk_twist v[LK_SIDES_MAX];
};

/** struct at - poses and velocities in the form that the functions of a joint need */
struct at {
    struct lk_pose pose[LK_SIDES_MAX];
    struct lk_twist twist[LK_SIDES_MAX];
    const struct lk_pose *p[LK_SIDES_MAX];
    const struct lk_twist *v[LK_SIDES_MAX];
};

static void point_at(struct at *at)
{
    for (int s = 0; s < LK_SIDES_MAX; s++) {
        at->p[s] = &at->pose[s];
        at->v[s] = &at->twist[s];
    }
}

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

/* Return a random joint. The poses are random and not assembled, because rows are defined
 * everywhere. */
static struct lk_joint random_joint(enum lk_joint_type type)
{
    const struct lk_joint_traits *traits = &lk_joint_traits[type];
    struct lk_joint j = {.type = type,
                         .n_sides = 2,
                         .n_rows = traits->n_rows,
                         .n_length = traits->n_length,
                         .length = 0.7,
                         .pitch = 0.3,
                         .sine = 0.2,
                         .radius = 0.3};
    double q[4], R[9];

    for (int s = 0; s < 2; s++) {
        random_unit(q, 4);
        lk_quat_matrix(q, R);
        memcpy(j.f[s], R, sizeof(R));
        for (int i = 0; i < 3; i++)
            j.p[s][i] = uniform();
    }
    for (int i = 0; i < traits->n_coordinates; i++)
        j.coordinate[i] = uniform();
    return j;
}

/* Joints for couplings, both with a length as the coordinate. The Jacobian of an angle is its
 * derivative only if the rows of its joint are satisfied, see coordinates_follow_the_motion().
 * Sides 0 and 1 of the coupling are those of the first joint, which shares body 1 with the second
 * joint; the other body of the second joint is the ground. */
static struct lk_joint prismatic, on_line;

static struct lk_joint random_joint_of(uintptr_t state)
{
    enum lk_joint_type type = (enum lk_joint_type)(state & ~(uintptr_t)LOCAL);
    struct lk_joint j = random_joint(type);

    j.kind = state & LOCAL ? LK_ROWS_COMPLIANT : LK_ROWS_RIGID;
    prismatic = random_joint(LK_JOINT_PRISMATIC);
    on_line = random_joint(LK_JOINT_POINT_ON_LINE);
    j.of[0] = &prismatic;
    j.of[1] = &on_line;
    j.at_side[0][1] = 1;
    j.at_side[1][0] = 1;
    j.at_side[1][1] = -1;
    j.ratio = -1.7;
    j.offset = 0.2;
    return j;
}

static struct sides random_sides(void)
{
    struct sides at;

    for (int s = 0; s < LK_SIDES_MAX; s++) {
        random_unit(at.q[s], 4);
        for (int i = 0; i < 3; i++) {
            at.x[s][i] = uniform();
            at.v[s].v[i] = uniform();
            at.v[s].w[i] = uniform();
        }
    }
    return at;
}

/* Compute poses after time @t, with constant velocities (world) and angular velocities (body). */
static void move(const struct sides *sides, double t, struct at *at)
{
    point_at(at);
    for (int s = 0; s < LK_SIDES_MAX; s++) {
        double theta[3], dq[4], q[4];

        for (int i = 0; i < 3; i++) {
            at->pose[s].x[i] = sides->x[s][i] + t * sides->v[s].v[i];
            theta[i] = t * sides->v[s].w[i];
        }
        lk_rotation_exp(theta, dq);
        lk_quat_mul(sides->q[s], dq, q);
        lk_quat_matrix(q, at->pose[s].R);
        at->twist[s] = sides->v[s];
    }
}

static struct lk_jacobian jacobian_of(const struct lk_joint *j, const struct at *at, double *J)
{
    struct lk_jacobian ret = {J, lk_jacobian_pad(j->n_rows), lk_joint_is_point(j->type, j->kind)};

    lk_joint_jacobian(j, at->p, ret);
    return ret;
}

/* Compute the rates Phi_q v of all rows. */
static void rate_of(const struct lk_joint *j, const struct at *at, double *rate)
{
    double J[6 * LK_SIDES_MAX * LK_ROWS_PAD] = {0};
    struct lk_jacobian jacobian = jacobian_of(j, at, J);

    for (int r = 0; r < j->n_rows; r++) {
        rate[r] = 0;
        for (int s = 0; s < j->n_sides; s++) {
            double row[6];

            lk_jacobian_row(jacobian, s, r, row);
            rate[r] += lk_dot(row, at->v[s]->v) + lk_dot(row + 3, at->v[s]->w);
        }
    }
}

/* Return the rate c_q v of coordinate @i. */
static double coordinate_rate(const struct lk_joint *j, const struct at *at, int i)
{
    double J[2][6], rate = 0;

    lk_joint_ops(j->type)->coordinate_jacobian(j, at->p, i, J);
    for (int s = 0; s < 2; s++)
        rate += lk_dot(J[s], at->v[s]->v) + lk_dot(J[s] + 3, at->v[s]->w);
    return rate;
}

/* Return 1 if the pose is so far from singularities of the functions that a difference with step D
 * does not cross them and third derivatives are below 1e2. Singularities: the jump between threads
 * and f[1][0] along the axis of a screw, two coincident points, half a turn of a bushing, an
 * axle along its rail or through its middle, and a wheel that lies flat. */
static int is_regular(const struct lk_joint *j, const struct at *at)
{
    double phi[6], d[3];

    lk_joint_violation(j, at->p, phi);
    lk_rows_gap(j, at->p, d);
    if (j->type == LK_JOINT_SCREW)
        return fabs(phi[2]) < 0.9 * M_PI * j->pitch &&
               fabs(lk_rows_square(at->p, j->f[0][2], j->f[1][0])) < 0.8;
    if (j->type == LK_JOINT_DISTANCE)
        return lk_norm(d) > 0.4;
    if (j->type == LK_JOINT_ROLLING)
        return fabs(lk_rows_square(at->p, j->f[0][2], j->f[1][2])) < 0.8;
    if (j->type == LK_JOINT_CONE_ON_RAIL || j->type == LK_JOINT_CREEP) {
        double rail[3], axle[3], across[3];

        lk_rotate(at->p[0]->R, j->f[0][2], rail);
        lk_rotate(at->p[1]->R, j->f[1][2], axle);
        lk_cross(rail, axle, across);
        return lk_norm(across) > 0.7 && fabs(lk_dot(across, d)) > 0.1;
    }
    return j->type != LK_JOINT_BUSHING || lk_norm(phi + 3) < 3.1;
}

static void jacobian_is_derivative_of_violation(void **state)
{
    int n_trials = 0;

    while (n_trials < 50) {
        struct lk_joint j = random_joint_of((uintptr_t)*state);
        struct sides sides = random_sides();
        struct at at;
        double f[4][6], rate[6];

        move(&sides, 0, &at);
        if (!is_regular(&j, &at))
            continue;
        n_trials++;
        rate_of(&j, &at, rate);
        for (int k = 0; k < 4; k++) {
            move(&sides, instants[k], &at);
            lk_joint_violation(&j, at.p, f[k]);
        }
        for (int r = 0; r < j.n_rows; r++)
            assert_true(fabs(slope(f[0][r], f[1][r], f[2][r], f[3][r]) - rate[r]) < TOLERANCE);
    }
}

static void gamma_is_derivative_of_rate(void **state)
{
    int n_trials = 0;

    while (n_trials < 50) {
        struct lk_joint j = random_joint_of((uintptr_t)*state);
        struct sides sides = random_sides();
        struct at at;
        double f[4][6], gamma[6];

        move(&sides, 0, &at);
        if (!is_regular(&j, &at))
            continue;
        n_trials++;
        lk_joint_ops(j.type)->gamma(&j, at.p, at.v, gamma);
        for (int k = 0; k < 4; k++) {
            move(&sides, instants[k], &at);
            rate_of(&j, &at, f[k]);
        }
        for (int r = 0; r < j.n_rows; r++)
            assert_true(fabs(slope(f[0][r], f[1][r], f[2][r], f[3][r]) - gamma[r]) < TOLERANCE);
    }
}

static void load_is_transpose_of_jacobian(void **state)
{
    struct lk_joint j = random_joint_of((uintptr_t)*state);
    struct sides sides = random_sides();
    double J[6 * LK_SIDES_MAX * LK_ROWS_PAD] = {0}, lambda[6];
    struct lk_twist sum[LK_SIDES_MAX] = {0};
    struct lk_twist *const to[] = {&sum[0], &sum[1], &sum[2], &sum[3]};
    struct lk_jacobian jacobian;
    struct at at;

    random_unit(lambda, 6);
    move(&sides, 0, &at);
    jacobian = jacobian_of(&j, &at, J);
    lk_joint_ops(j.type)->load(&j, at.p, lambda, to);
    for (int s = 0; s < j.n_sides; s++)
        for (int k = 0; k < 3; k++) {
            double force = 0, torque = 0;

            for (int r = 0; r < j.n_rows; r++) {
                double row[6];

                lk_jacobian_row(jacobian, s, r, row);
                force += row[k] * lambda[r];
                torque += row[3 + k] * lambda[r];
            }
            assert_true(fabs(force - sum[s].v[k]) < EXACT);
            assert_true(fabs(torque - sum[s].w[k]) < EXACT);
        }
}

/* The point rows of a compliant joint are those in world axes, rotated; all other rows are
 * equal. */
static void local_rows_are_turned_point_rows(void **state)
{
    struct lk_joint j = random_joint_of((uintptr_t)*state);
    struct sides sides = random_sides();
    double local[6], world[6];
    struct at at;

    move(&sides, 0, &at);
    lk_joint_violation(&j, at.p, local);
    j.kind = LK_ROWS_RIGID;
    lk_joint_violation(&j, at.p, world);
    for (int r = 0; r < j.n_rows; r++) {
        double axis[3];

        lk_rotate(at.pose[0].R, j.f[0][r % 3], axis);
        assert_true(fabs(local[r] - (r < 3 ? lk_dot(axis, world) : world[r])) < EXACT);
    }
}

/* Compare with the derivative of the rate c_q v at constant v, at any pose. */
static void coordinate_gamma_is_derivative_of_rate(void **state)
{
    for (int trial = 0; trial < 50; trial++) {
        struct lk_joint j = random_joint_of((uintptr_t)*state);
        struct sides sides = random_sides();

        for (int i = 0; i < lk_joint_traits[j.type].n_coordinates; i++) {
            struct at at;
            double f[4], gamma;

            for (int k = 0; k < 4; k++) {
                move(&sides, instants[k], &at);
                f[k] = coordinate_rate(&j, &at, i);
            }
            move(&sides, 0, &at);
            gamma = lk_joint_ops(j.type)->coordinate_gamma(&j, at.p, at.v, i);
            assert_true(fabs(slope(f[0], f[1], f[2], f[3]) - gamma) < TOLERANCE);
        }
    }
}

/* ---- assembled poses: side 1 is placed relative to side 0 by the coordinates of the joint ---- */

static void about_z(double angle, double R[9])
{
    const double q[4] = {cos(0.5 * angle), 0, 0, sin(0.5 * angle)};

    lk_quat_matrix(q, R);
}

static void multiply(const double A[9], const double B[9], double AB[9])
{
    for (int i = 0; i < 9; i++)
        AB[i] = A[i / 3 * 3] * B[i % 3] + A[i / 3 * 3 + 1] * B[3 + i % 3] +
                A[i / 3 * 3 + 2] * B[6 + i % 3];
}

static void transpose(const double A[9], double T[9])
{
    for (int i = 0; i < 9; i++)
        T[i] = A[i % 3 * 3 + i / 3];
}

/* Place frame 1 at frame 0, rotated by @T and shifted by @u, both in the axes of frame 0. The rows
 * of f are the axes of a frame. */
static void place(const struct lk_joint *j, const double T[9], const double u[3],
                  const struct lk_pose *a, struct lk_pose *b)
{
    double f[9], B[9], turned[9], in_body[9], shift[3], arm[3];

    memcpy(f, j->f[0], sizeof(f));
    transpose(f, B);
    multiply(B, T, turned);
    memcpy(f, j->f[1], sizeof(f));
    multiply(turned, f, in_body);
    multiply(a->R, in_body, b->R);
    lk_rotate(B, u, shift);
    for (int i = 0; i < 3; i++)
        shift[i] += j->p[0][i];
    lk_rotate(a->R, shift, arm);
    for (int i = 0; i < 3; i++)
        b->x[i] = a->x[i] + arm[i];
    lk_rotate(b->R, j->p[1], arm);
    for (int i = 0; i < 3; i++)
        b->x[i] -= arm[i];
}

/* the initial configuration of a universal joint: f[1][0] = f[0][2] and f[1][2] = f[0][0], as
 * columns in frame 0 */
static const double universal_initial[9] = {0, 0, 1, 0, -1, 0, 1, 0, 0};

/* Place side 1 after the coordinates have changed by @c since t = 0.
 * @free: rotation of a body that has only a point row */
static void place_by_coordinates(const struct lk_joint *j, const double c[3], const double free[4],
                                 const struct lk_pose *a, struct lk_pose *b)
{
    double T[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, u[3] = {0, 0, c[0]}, first[9], second[9], half[9];

    switch (j->type) {
    case LK_JOINT_REVOLUTE:
        u[2] = 0;
        about_z(c[0], T);
        break;
    case LK_JOINT_CYLINDRICAL:
        about_z(c[1], T);
        break;
    case LK_JOINT_PLANAR:
        about_z(c[2], T);
        memcpy(u, (double[3]){c[0], c[1], 0}, sizeof(u));
        break;
    case LK_JOINT_SCREW:
        about_z(c[0], T);
        u[2] = j->pitch * c[0];
        break;
    case LK_JOINT_POINT_ON_LINE:
        lk_quat_matrix(free, T);
        break;
    case LK_JOINT_UNIVERSAL:
        u[2] = 0;
        about_z(c[0], first);
        about_z(c[1], second);
        multiply(first, universal_initial, half);
        multiply(half, second, T);
        break;
    default:
        break;
    }
    place(j, T, u, a, b);
}

/** struct motion - side 0 moves arbitrarily, and the coordinates change at constant rates */
struct motion {
    struct sides base;
    double c[3];
    double rate[3];
    double free[4];
    double spin[3];
};

static struct motion random_motion(void)
{
    struct motion m = {.base = random_sides()};

    random_unit(m.free, 4);
    for (int i = 0; i < 3; i++) {
        m.c[i] = 2 * uniform();
        m.rate[i] = uniform();
        m.spin[i] = uniform();
    }
    return m;
}

static void follow(const struct lk_joint *j, const struct motion *m, double t, struct at *at)
{
    double c[3], theta[3], dq[4], q[4];

    for (int i = 0; i < 3; i++) {
        c[i] = m->c[i] + t * m->rate[i];
        theta[i] = t * m->spin[i];
    }
    lk_rotation_exp(theta, dq);
    lk_quat_mul(m->free, dq, q);
    move(&m->base, t, at);
    place_by_coordinates(j, c, q, &at->pose[0], &at->pose[1]);
}

/* Compute the velocity of a body at time 0 from its poses at the four instants: x' and R0^T R' =
 * w~. The error is that of slope() for entries of R and for positions. */
static void twist_from(const struct at at[4], const struct lk_pose *now, int s, struct lk_twist *v)
{
    double rate[9], back[9], w[9];

    for (int i = 0; i < 9; i++)
        rate[i] =
            slope(at[0].pose[s].R[i], at[1].pose[s].R[i], at[2].pose[s].R[i], at[3].pose[s].R[i]);
    transpose(now->R, back);
    multiply(back, rate, w);
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;

        v->v[i] =
            slope(at[0].pose[s].x[i], at[1].pose[s].x[i], at[2].pose[s].x[i], at[3].pose[s].x[i]);
        v->w[i] = 0.5 * (w[3 * l + k] - w[3 * k + l]);
    }
}

/* Compute the poses at time 0 and the velocity of side 1, which place_by_coordinates() does not
 * compute. */
static void follow_with_twist(const struct lk_joint *j, const struct motion *m, struct at *at)
{
    struct at around[4];

    for (int k = 0; k < 4; k++)
        follow(j, m, instants[k], &around[k]);
    follow(j, m, 0, at);
    twist_from(around, &at->pose[1], 1, &at->twist[1]);
}

static double whole_turns_off(const struct lk_joint *j, int i, double x)
{
    return lk_joint_coordinate_is_angle(j->type, i) ? remainder(x, 2 * M_PI) : x;
}

/* Side 1 moves by the joint's own degrees of freedom: the coordinates equal the constructed ones,
 * their Jacobian gives the constructed rates, and all rows and their rates are zero. Together with
 * coordinate_gamma_is_derivative_of_rate() this proves the second derivatives by the chain rule. */
static void coordinates_follow_the_motion(void **state)
{
    for (int trial = 0; trial < 50; trial++) {
        struct lk_joint j = random_joint_of((uintptr_t)*state);
        struct motion m = random_motion();
        double phi[6], rate[6], J[2][6];
        struct at at;

        follow_with_twist(&j, &m, &at);
        lk_joint_violation(&j, at.p, phi);
        rate_of(&j, &at, rate);
        for (int r = 0; r < j.n_rows; r++) {
            assert_true(fabs(phi[r]) < EXACT);
            assert_true(fabs(rate[r]) < TOLERANCE);
        }
        for (int i = 0; i < lk_joint_traits[j.type].n_coordinates; i++) {
            double c = lk_joint_ops(j.type)->coordinate(&j, at.p, i) - j.coordinate[i];

            assert_true(fabs(whole_turns_off(&j, i, c - m.c[i])) < EXACT);
            assert_true(fabs(coordinate_rate(&j, &at, i) - m.rate[i]) < TOLERANCE);
            /* the force on body 1 is opposite to that on body 0 */
            lk_joint_ops(j.type)->coordinate_jacobian(&j, at.p, i, J);
            for (int k = 0; k < 3; k++)
                assert_true(J[0][k] + J[1][k] == 0);
        }
    }
}

/* ---- relations between types ---- */

/* In the initial configuration no row of any type is violated, and each coordinate has its initial
 * value. */
static void nothing_is_violated_initially(void **state)
{
    const double none[3] = {0}, upright[4] = {1, 0, 0, 0};

    (void)state;
    for (int type = 0; type < LK_JOINT_TYPES; type++) {
        struct lk_joint j = random_joint((enum lk_joint_type)type);
        struct motion m = random_motion();
        double phi[6];
        struct at at;

        if (lk_coupled_joints((enum lk_joint_type)type) > 0 || type == LK_JOINT_COORDINATE ||
            type == LK_JOINT_CONE_ON_RAIL || type == LK_JOINT_TYRE || type == LK_JOINT_CONTACT)
            continue;
        j.length = 0;
        move(&m.base, 0, &at);
        place_by_coordinates(&j, none, upright, &at.pose[0], &at.pose[1]);
        if (type == LK_JOINT_ROLLING) /* an axle along the normal would be that of a flat wheel */
            memcpy(j.f[1][2], j.f[1][0], sizeof(j.f[1][2]));
        lk_joint_violation(&j, at.p, phi);
        for (int r = 0; r < j.n_rows; r++)
            assert_true(fabs(phi[r]) < EXACT);
        for (int i = 0; i < lk_joint_traits[type].n_coordinates; i++)
            assert_true(fabs(lk_joint_ops(j.type)->coordinate(&j, at.p, i) - j.coordinate[i]) <
                        EXACT);
    }
}

static void violation_as(struct lk_joint j, enum lk_joint_type type, const struct at *at,
                         double *phi)
{
    j.type = type;
    lk_joint_violation(&j, at->p, phi);
}

static double coordinate_as(struct lk_joint j, enum lk_joint_type type, const struct at *at, int i)
{
    j.type = type;
    return lk_joint_ops(type)->coordinate(&j, at->p, i);
}

/* Rows of one kind are the same function in each type that has them, at any pose. */
static void types_share_their_rows(void **state)
{
    struct lk_joint j = random_joint(LK_JOINT_CYLINDRICAL);
    struct sides sides = random_sides();
    double slide[6], hinge[6], phi[6];
    struct at at;

    (void)state;
    memset(j.coordinate, 0, sizeof(j.coordinate));
    move(&sides, 0, &at);
    violation_as(j, LK_JOINT_PRISMATIC, &at, slide);
    violation_as(j, LK_JOINT_REVOLUTE, &at, hinge);
    violation_as(j, LK_JOINT_CYLINDRICAL, &at, phi);
    assert_memory_equal(phi, slide, 2 * sizeof(double));
    assert_memory_equal(phi + 2, hinge + 3, 2 * sizeof(double));
    violation_as(j, LK_JOINT_SCREW, &at, phi);
    assert_memory_equal(phi, slide, 2 * sizeof(double));
    assert_memory_equal(phi + 3, hinge + 3, 2 * sizeof(double));
    violation_as(j, LK_JOINT_POINT_ON_LINE, &at, phi);
    assert_memory_equal(phi, slide, 2 * sizeof(double));
    violation_as(j, LK_JOINT_PLANAR, &at, phi);
    assert_memory_equal(phi + 1, hinge + 3, 2 * sizeof(double));
    /* this row is the travel of a prismatic joint, which leaves the plane */
    assert_true(phi[0] == -coordinate_as(j, LK_JOINT_PRISMATIC, &at, 0));
    /* the coordinates x and y of a plane are the rows of a point on a line */
    assert_true(coordinate_as(j, LK_JOINT_PLANAR, &at, 0) == -slide[0]);
    assert_true(coordinate_as(j, LK_JOINT_PLANAR, &at, 1) == -slide[1]);
    assert_true(coordinate_as(j, LK_JOINT_PLANAR, &at, 2) ==
                coordinate_as(j, LK_JOINT_REVOLUTE, &at, 0));
    /* a bushing measures its displacement along the same axes */
    violation_as(j, LK_JOINT_BUSHING, &at, phi);
    assert_true(phi[0] == -slide[0] && phi[1] == -slide[1]);
}

/* Near the initial configuration, the rows of a fixed joint and of a bushing measure the same small
 * rotation. */
static void bushing_agrees_with_fixed_joint(void **state)
{
    const double small[3] = {3e-6, -2e-6, 5e-6}, none[3] = {0};
    struct lk_joint j = random_joint(LK_JOINT_BUSHING);
    struct sides sides = random_sides();
    double q[4], T[9], turn[6], rows[6];
    struct at at;

    (void)state;
    move(&sides, 0, &at);
    lk_rotation_exp(small, q);
    lk_quat_matrix(q, T);
    place(&j, T, none, &at.pose[0], &at.pose[1]);
    violation_as(j, LK_JOINT_BUSHING, &at, turn);
    violation_as(j, LK_JOINT_FIXED, &at, rows);
    for (int i = 0; i < 3; i++) {
        /* Row i is axis i of side 0 times axis i + 1 of side 1, that is -theta about axis i + 2.
         * The difference is of second order, below |theta|^2 = 4e-11. */
        assert_true(fabs(turn[3 + i] - small[i]) < EXACT);
        assert_true(fabs(rows[3 + i] + small[(i + 2) % 3]) < 4e-11);
    }
}

/* Displacement and rotation vector are recovered, also for zero and for nearly half a turn. Near an
 * angle of pi the error of |theta| is still that of the quaternion: acos or sin would lose
 * digits. */
static void bushing_measures_shift_and_turn(void **state)
{
    const double angle[] = {0, 1e-160, 1e-30, 1e-12, 1e-8, 1e-4, 0.1, 1, 2, 3, 3.141};

    (void)state;
    for (size_t a = 0; a < sizeof(angle) / sizeof(*angle); a++) {
        struct lk_joint j = random_joint(LK_JOINT_BUSHING);
        struct sides sides = random_sides();
        double shift[3] = {uniform(), uniform(), uniform()};
        double theta[3], q[4], T[9], phi[6], rate[6];
        struct at at;

        random_unit(theta, 3);
        for (int i = 0; i < 3; i++)
            theta[i] *= angle[a];
        lk_rotation_exp(theta, q);
        lk_quat_matrix(q, T);
        move(&sides, 0, &at);
        place(&j, T, shift, &at.pose[0], &at.pose[1]);
        lk_joint_violation(&j, at.p, phi);
        rate_of(&j, &at, rate);
        for (int i = 0; i < 3; i++) {
            assert_true(fabs(phi[i] - shift[i]) < EXACT);
            assert_true(fabs(phi[3 + i] - theta[i]) < EXACT);
            assert_true(isfinite(rate[3 + i]));
        }
    }
}

/* A law k theta rotates body 1 back about theta, because the Jacobian maps theta to itself. */
static void bushing_torque_is_along_theta(void **state)
{
    struct lk_joint j = random_joint(LK_JOINT_BUSHING);
    struct sides sides = random_sides();
    struct lk_twist sum[2] = {0};
    struct lk_twist *const to[2] = {&sum[0], &sum[1]};
    double phi[6];
    struct at at;

    (void)state;
    move(&sides, 0, &at);
    lk_joint_violation(&j, at.p, phi);
    memset(phi, 0, 3 * sizeof(double));
    lk_joint_ops(j.type)->load(&j, at.p, phi, to);
    for (int k = 0; k < 3; k++) {
        /* the same vector in both frames */
        assert_true(fabs(lk_dot(j.f[0][k], sum[0].w) + phi[3 + k]) < EXACT);
        assert_true(fabs(lk_dot(j.f[1][k], sum[1].w) - phi[3 + k]) < EXACT);
    }
}

/* The screw travels by pitch per radian, right-handed for pitch > 0, over many turns. A body
 * displaced by e has the violation e, and displacement by a whole lead is the next thread. Travels
 * are up to 6, so the tolerance is 7 EXACT. */
static void screw_travels_with_its_angle(void **state)
{
    const double upright[4] = {1, 0, 0, 0}, pitches[] = {0.3, -0.3, 1e-3};

    (void)state;
    for (int k = 0; k < 3; k++)
        for (double angle = -20; angle < 20; angle += 0.37) {
            struct lk_joint j = random_joint(LK_JOINT_SCREW);
            struct sides sides = random_sides();
            const double c[3] = {angle}, off = 0.1 * pitches[k];
            double phi[6], axis[3];
            struct at at;

            j.pitch = pitches[k];
            move(&sides, 0, &at);
            place_by_coordinates(&j, c, upright, &at.pose[0], &at.pose[1]);
            lk_joint_violation(&j, at.p, phi);
            assert_true(fabs(phi[2]) < 7 * EXACT);
            assert_true(fabs(coordinate_as(j, LK_JOINT_PRISMATIC, &at, 0) - j.coordinate[0] -
                             j.pitch * angle) < 7 * EXACT);
            lk_rotate(at.pose[0].R, j.f[0][2], axis);
            for (int i = 0; i < 3; i++)
                at.pose[1].x[i] += (off + 2 * M_PI * j.pitch) * axis[i];
            lk_joint_violation(&j, at.p, phi);
            assert_true(fabs(phi[2] - off) < 7 * EXACT);
        }
}

/* Compute the rotation between two shafts in bearings, joined by a universal or constant-velocity
 * joint. The first shaft rotates by @phi0 about its z, the second by @phi1 about its own axis,
 * which is bent by @bend about the x axis of the bearings. At angles 0 the joint is straight. */
static void shafts_in_bearings(double bend, double phi0, double phi1, double T[9])
{
    double first[9], second[9], bent[9], half[9];
    const double q[4] = {cos(0.5 * bend), sin(0.5 * bend), 0, 0};

    about_z(-phi0, first);
    lk_quat_matrix(q, bent);
    about_z(phi1, second);
    multiply(first, bent, half);
    multiply(half, second, T);
}

/* For any bend, the row is satisfied if and only if both shafts have rotated equally; otherwise it
 * is -(1 + cos b) / 2 sin(phi1 - phi0). */
static void constant_velocity_turns_both_shafts_alike(void **state)
{
    const double none[3] = {0};

    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        struct lk_joint j = random_joint(LK_JOINT_CONSTANT_VELOCITY);
        struct sides sides = random_sides();
        double bend = 2 * uniform(), phi0 = M_PI * uniform();
        double delta = trial % 2 == 0 ? 0 : M_PI * uniform();
        double T[9], phi[6];
        struct at at;

        move(&sides, 0, &at);
        shafts_in_bearings(bend, phi0, phi0 + delta, T);
        place(&j, T, none, &at.pose[0], &at.pose[1]);
        lk_joint_violation(&j, at.p, phi);
        for (int r = 0; r < 3; r++)
            assert_true(fabs(phi[r]) < EXACT);
        assert_true(fabs(phi[3] + 0.5 * (1 + cos(bend)) * sin(delta)) < EXACT);
    }
}

/* The same shafts with a universal joint satisfy tan(phi1) = tan(phi0) cos b, the well-known
 * non-uniform rate. Angles are measured from the pose in which the first axis is the line about
 * which the shafts are bent. */
static void universal_joint_is_not_homokinetic(void **state)
{
    /* the first axis is x of shaft 0, the second y of shaft 1; in the frames of the shafts: f0 =
     * {y, z, x} and f1 = {x, -z, y}, as columns */
    static const double frame0[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    static const double frame1[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0};
    const double none[3] = {0};

    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        struct lk_joint j = random_joint(LK_JOINT_UNIVERSAL);
        struct sides sides = random_sides();
        double bend = uniform(), phi0 = M_PI * uniform(), same[6], hooke[6];
        double T[9], back[9], half[9], relative[9];
        struct at at;

        move(&sides, 0, &at);
        for (int k = 0; k < 2; k++) {
            double phi1 = k == 0 ? phi0 : atan2(sin(phi0) * cos(bend), cos(phi0));

            shafts_in_bearings(bend, phi0, phi1, T);
            transpose(frame0, back);
            multiply(back, T, half);
            multiply(half, frame1, relative);
            place(&j, relative, none, &at.pose[0], &at.pose[1]);
            lk_joint_violation(&j, at.p, k == 0 ? same : hooke);
        }
        assert_true(fabs(hooke[3]) < EXACT);
        /* product a . b of the axes of equally rotated shafts = sin(phi0) cos(phi0) (cos b - 1) */
        assert_true(fabs(same[3] - sin(phi0) * cos(phi0) * (cos(bend) - 1)) < EXACT);
    }
}

/* The row of a rod is the distance minus its length. Results are finite even if the points
 * coincide. */
static void distance_is_finite_where_points_meet(void **state)
{
    struct lk_joint j = random_joint(LK_JOINT_DISTANCE);
    struct sides sides = random_sides();
    double q[4], T[9], phi[6], rate[6], gamma[6];
    const double shift[3] = {2, -3, 6};
    struct at at;

    (void)state;
    move(&sides, 0, &at);
    random_unit(q, 4);
    lk_quat_matrix(q, T);
    place(&j, T, shift, &at.pose[0], &at.pose[1]);
    lk_joint_violation(&j, at.p, phi);
    assert_true(fabs(phi[0] - (7 - j.length)) < 7 * EXACT);

    memset(j.p, 0, sizeof(j.p)); /* the points coincide exactly */
    at.pose[1] = at.pose[0];
    lk_joint_violation(&j, at.p, phi);
    rate_of(&j, &at, rate);
    lk_joint_ops(j.type)->gamma(&j, at.p, at.v, gamma);
    assert_true(phi[0] == -j.length && rate[0] == 0 && isfinite(gamma[0]));
}

/* ---- wheel on rail ---- */

/** struct touch - a wheel and a rail in contact
 * @point: point of contact, relative to the wheel's point, world
 * @n:     normal into the rail */
struct touch {
    double point[3];
    double n[3];
};

/* Make a contact: a point of the cone, its tangent plane there, and a rail in that plane at any
 * position along itself. The pose of side 0 is moved to this rail. */
static struct touch make_touch(struct lk_joint *j, struct lk_pose pose[2])
{
    double angle = asin(j->sine), along = 0.4 * uniform(), about = M_PI * uniform();
    double wheel_radius = (j->length - j->radius) / cos(angle) + along * tan(angle);
    double turn = uniform(), far = uniform(), rail[3], frame[3][3], arm[2][3];
    struct touch touch;

    for (int k = 0; k < 3; k++)
        lk_rotate(pose[1].R, j->f[1][k], frame[k]);
    for (int i = 0; i < 3; i++) {
        double outward = cos(about) * frame[0][i] + sin(about) * frame[1][i];
        double aside = cos(about) * frame[1][i] - sin(about) * frame[0][i];
        double generator = cos(angle) * frame[2][i] + sin(angle) * outward;

        touch.point[i] = along * frame[2][i] + wheel_radius * outward;
        touch.n[i] = cos(angle) * outward - sin(angle) * frame[2][i];
        rail[i] = cos(turn) * aside + sin(turn) * generator;
    }
    lk_rotate_back(pose[0].R, rail, j->f[0][2]);
    for (int s = 0; s < 2; s++)
        lk_rotate(pose[s].R, j->p[s], arm[s]);
    for (int i = 0; i < 3; i++)
        pose[0].x[i] = pose[1].x[i] + arm[1][i] + touch.point[i] + j->radius * touch.n[i] +
                       far * rail[i] - arm[0][i];
    return touch;
}

/* The row is zero for surfaces constructed in contact. A unit multiplier pushes along the normal
 * and causes no torque about the axle of the wheel. */
static void cone_touches_rail(void **state)
{
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        struct lk_joint j = random_joint(LK_JOINT_CONE_ON_RAIL);
        struct sides sides = random_sides();
        struct lk_twist sum[2] = {0};
        struct lk_twist *const to[] = {&sum[0], &sum[1]};
        double phi, one = 1, force[3], lever[3], moment[3];
        struct touch touch;
        struct at at;

        move(&sides, 0, &at);
        touch = make_touch(&j, at.pose);
        lk_joint_violation(&j, at.p, &phi);
        lk_joint_ops(j.type)->load(&j, at.p, &one, to);
        assert_true(fabs(phi) < EXACT);
        for (int i = 0; i < 3; i++)
            assert_true(fabs(sum[0].v[i] - touch.n[i]) < EXACT);
        lk_rotate_back(at.pose[1].R, sum[1].v, force);
        lk_cross(j.p[1], force, lever);
        lk_sub(sum[1].w, lever, moment);
        assert_true(fabs(lk_dot(moment, j.f[1][2])) < EXACT);
    }
}

/* Compute the velocity of the material of body @s at @point, in world axes. */
static void material_velocity(const struct at *at, int s, const double point[3], double ret[3])
{
    double arm[3], local[3], turn[3];

    lk_sub(point, at->pose[s].x, arm);
    lk_rotate_back(at->pose[s].R, arm, local);
    lk_cross(at->twist[s].w, local, turn);
    lk_rotate(at->pose[s].R, turn, ret);
    for (int i = 0; i < 3; i++)
        ret[i] += at->twist[s].v[i];
}

/* Creep rows are the velocity of the wheel's material relative to the rail's at the contact: along
 * the rail, and perpendicular to the rail and the normal. */
static void creep_is_slip_at_the_contact(void **state)
{
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        struct lk_joint j = random_joint(LK_JOINT_CREEP);
        struct sides sides = random_sides();
        double point[3], of[2][3], slip[3], rail[3], across[3], rate[6];
        struct touch touch;
        struct at at;

        move(&sides, 0, &at);
        touch = make_touch(&j, at.pose);
        lk_rotate(at.pose[1].R, j.p[1], point);
        for (int i = 0; i < 3; i++)
            point[i] += at.pose[1].x[i] + touch.point[i];
        for (int s = 0; s < 2; s++)
            material_velocity(&at, s, point, of[s]);
        lk_sub(of[1], of[0], slip);
        lk_rotate(at.pose[0].R, j.f[0][2], rail);
        lk_cross(rail, touch.n, across);
        rate_of(&j, &at, rate);
        assert_true(fabs(rate[0] - lk_dot(slip, rail)) < 10 * EXACT);
        assert_true(fabs(rate[1] - lk_dot(slip, across)) < 10 * EXACT);
    }
}

/* The row of a skate is the velocity of the blade's material relative to that of the ice, across
 * the blade; it has no value. */
static void skate_is_slip_across_the_blade(void **state)
{
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        struct lk_joint j = random_joint(LK_JOINT_SKATE);
        struct sides sides = random_sides();
        double point[3], of[2][3], slip[3], across[3], rate[6], phi[6] = {1};
        struct at at;

        move(&sides, 0, &at);
        lk_rotate(at.pose[1].R, j.p[1], point);
        for (int i = 0; i < 3; i++)
            point[i] += at.pose[1].x[i];
        for (int s = 0; s < 2; s++)
            material_velocity(&at, s, point, of[s]);
        lk_sub(of[0], of[1], slip);
        lk_rotate(at.pose[1].R, j.f[1][2], across);
        rate_of(&j, &at, rate);
        assert_true(fabs(rate[0] - lk_dot(slip, across)) < 10 * EXACT);
        lk_joint_violation(&j, at.p, phi);
        assert_true(phi[0] == 0);
    }
}

/* The first row of a rolling wheel is the depth of the lowest point of its edge below the plane,
 * found here by the angle along the edge; the rates of all rows are the slip at this point along
 * the normal and two tangents. */
static void rolling_is_slip_at_the_lowest_point(void **state)
{
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        struct lk_joint j = random_joint(LK_JOINT_ROLLING);
        struct sides sides = random_sides();
        double n[3], b[3], t[3], m[3], edge[2][3], centre[3], plane[3], point[3], of[2][3], slip[3];
        double about, rate[6], phi[6];
        struct at at;

        move(&sides, 0, &at);
        lk_rotate(at.pose[0].R, j.f[0][2], n);
        lk_rotate(at.pose[1].R, j.f[1][2], b);
        lk_rotate(at.pose[0].R, j.p[0], plane);
        lk_rotate(at.pose[1].R, j.p[1], centre);
        for (int k = 0; k < 2; k++)
            lk_rotate(at.pose[1].R, j.f[1][k], edge[k]);
        about = atan2(-lk_dot(n, edge[1]), -lk_dot(n, edge[0]));
        for (int i = 0; i < 3; i++) {
            centre[i] += at.pose[1].x[i];
            plane[i] += at.pose[0].x[i];
            point[i] = centre[i] + j.length * (cos(about) * edge[0][i] + sin(about) * edge[1][i]);
        }
        lk_joint_violation(&j, at.p, phi);
        assert_true(fabs(phi[0] - (lk_dot(n, plane) - lk_dot(n, point))) < EXACT);
        assert_true(phi[1] == 0 && phi[2] == 0);
        for (int s = 0; s < 2; s++)
            material_velocity(&at, s, point, of[s]);
        lk_sub(of[0], of[1], slip);
        lk_cross(b, n, t);
        for (int i = 0; i < 3; i++)
            t[i] /= sqrt(1 - lk_dot(b, n) * lk_dot(b, n));
        lk_cross(n, t, m);
        rate_of(&j, &at, rate);
        assert_true(fabs(rate[0] - lk_dot(slip, n)) < 100 * EXACT);
        assert_true(fabs(rate[1] - lk_dot(slip, t)) < 100 * EXACT);
        assert_true(fabs(rate[2] - lk_dot(slip, m)) < 100 * EXACT);
    }
}

/* ---- rows of coordinates ---- */

/** struct train - two coupled joints. @at_side: index among four bodies of each side, -1 for the
 * ground. Each body is placed before a joint places another one on it. */
struct train {
    const char *name;
    enum lk_joint_type type[2];
    int which[2];
    int at_side[2][2];
    int n_sides;
};

static const struct train trains[] = {
    {"four bodies", {LK_JOINT_REVOLUTE, LK_JOINT_CYLINDRICAL}, {0, 1}, {{0, 1}, {2, 3}}, 4},
    {"three, one shared", {LK_JOINT_REVOLUTE, LK_JOINT_PLANAR}, {0, 2}, {{0, 1}, {1, 2}}, 3},
    {"three, first shared", {LK_JOINT_SCREW, LK_JOINT_PRISMATIC}, {0, 0}, {{0, 1}, {0, 2}}, 3},
    {"two on the ground", {LK_JOINT_REVOLUTE, LK_JOINT_REVOLUTE}, {0, 0}, {{-1, 0}, {-1, 1}}, 2},
    {"two, an arm", {LK_JOINT_REVOLUTE, LK_JOINT_UNIVERSAL}, {0, 1}, {{-1, 0}, {0, 1}}, 2},
    {"three and ground", {LK_JOINT_UNIVERSAL, LK_JOINT_PLANAR}, {0, 1}, {{0, 1}, {-1, 2}}, 3},
    {"two, a rack", {LK_JOINT_REVOLUTE, LK_JOINT_POINT_ON_LINE}, {0, 0}, {{-1, 0}, {-1, 1}}, 2},
    {"one body", {LK_JOINT_CYLINDRICAL, LK_JOINT_CYLINDRICAL}, {1, 0}, {{-1, 0}, {-1, 0}}, 1},
};

/* Compute the bodies of the train at time @t. Sides that no joint places move with @m[0].base. */
static void follow_train(const struct train *train, const struct lk_joint *of,
                         const struct motion *m, double t, struct at *at)
{
    static const struct lk_pose ground = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

    move(&m[0].base, t, at);
    for (int k = 0; k < 2; k++) {
        const struct lk_pose *a = train->at_side[k][0] < 0 ? &ground : at->p[train->at_side[k][0]];
        double c[3], theta[3], dq[4], q[4];

        for (int i = 0; i < 3; i++) {
            c[i] = m[k].c[i] + t * m[k].rate[i];
            theta[i] = t * m[k].spin[i];
        }
        lk_rotation_exp(theta, dq);
        lk_quat_mul(m[k].free, dq, q);
        place_by_coordinates(&of[k], c, q, a, &at->pose[train->at_side[k][1]]);
    }
}

static struct lk_joint coupling_of(const struct train *train, struct lk_joint of[2],
                                   struct motion m[2])
{
    struct lk_joint j = random_joint(LK_JOINT_GEAR);

    j.n_sides = train->n_sides;
    j.ratio = 3 * uniform();
    j.offset = uniform();
    for (int k = 0; k < 2; k++) {
        of[k] = random_joint(train->type[k]);
        m[k] = random_motion();
        j.of[k] = &of[k];
        j.which[k] = train->which[k];
        memcpy(j.at_side[k], train->at_side[k], sizeof(j.at_side[k]));
    }
    if (train->n_sides == 1) { /* both coordinates are of the same joint */
        of[1] = of[0];
        m[1] = m[0];
    }
    return j;
}

static void couplings_follow_the_motion(void **state)
{
    const struct train *train = *state;

    for (int trial = 0; trial < 50; trial++) {
        struct lk_joint of[2];
        struct motion m[2];
        struct lk_joint j = coupling_of(train, of, m);
        double c[2], rate[2], phi, flow;
        struct at at, around[4];

        for (int k = 0; k < 4; k++)
            follow_train(train, of, m, instants[k], &around[k]);
        follow_train(train, of, m, 0, &at);
        for (int s = 0; s < train->n_sides; s++)
            twist_from(around, &at.pose[s], s, &at.twist[s]);
        for (int k = 0; k < 2; k++) {
            int i = train->which[k];

            c[k] = of[k].coordinate[i] + m[k].c[i];
            rate[k] = m[k].rate[i];
        }
        lk_joint_violation(&j, at.p, &phi);
        rate_of(&j, &at, &flow);
        /* The constructed angles are within one turn, so none must be unwrapped. The row has three
         * terms, with a ratio of up to 3. */
        assert_true(fabs(phi - (c[1] - j.ratio * c[0] - j.offset)) < 5 * EXACT);
        assert_true(fabs(flow - (rate[1] - j.ratio * rate[0])) < 5 * TOLERANCE);
    }
}

/* The tests of all types, for each arrangement of bodies and at any pose: gamma is the derivative
 * of the rate even if the rows of the coupled joints are not satisfied. */
static void couplings_are_consistent(void **state)
{
    const struct train *train = *state;

    for (int trial = 0; trial < 50; trial++) {
        struct lk_joint of[2];
        struct motion m[2];
        struct lk_joint j = coupling_of(train, of, m);
        struct sides sides = random_sides();
        struct lk_twist sum[LK_SIDES_MAX] = {0};
        struct lk_twist *const to[] = {&sum[0], &sum[1], &sum[2], &sum[3]};
        double f[4], gamma, flow, one = 1, power = 0;
        struct at at;

        for (int k = 0; k < 4; k++) {
            move(&sides, instants[k], &at);
            rate_of(&j, &at, &f[k]);
        }
        move(&sides, 0, &at);
        lk_joint_ops(j.type)->gamma(&j, at.p, at.v, &gamma);
        assert_true(fabs(slope(f[0], f[1], f[2], f[3]) - gamma) < 5 * TOLERANCE);
        /* the power of a unit multiplier is the rate of the row, without any force on other
         * bodies */
        lk_joint_ops(j.type)->load(&j, at.p, &one, to);
        rate_of(&j, &at, &flow);
        for (int s = 0; s < LK_SIDES_MAX; s++)
            power += lk_dot(sum[s].v, at.v[s]->v) + lk_dot(sum[s].w, at.v[s]->w);
        assert_true(fabs(power - flow) < 10 * EXACT);
    }
}

/* A coordinate row equals the coordinate, for the sides that exist. */
static void coordinate_row_is_the_coordinate(void **state)
{
    struct lk_joint of = random_joint_of((uintptr_t)*state);

    for (int i = 0; i < lk_joint_traits[of.type].n_coordinates; i++)
        for (int side = -1; side < 2; side++) { /* this side, or none (-1), is on the ground */
            struct lk_joint j = random_joint(LK_JOINT_COORDINATE);
            struct sides sides = random_sides();
            double J[6 * LK_SIDES_MAX * LK_ROWS_PAD] = {0}, rows[2][6], row[6], phi;
            const struct lk_pose *pose[2];
            struct lk_jacobian jacobian;
            struct at at;

            j.of[0] = &of;
            j.which[0] = i;
            j.n_sides = side < 0 ? 2 : 1;
            for (int s = 0; s < 2; s++)
                j.at_side[0][s] = s == side ? -1 : side == 0 ? 0 : s;
            move(&sides, 0, &at);
            for (int s = 0; s < 2; s++)
                pose[s] = at.p[s == side ? 2 : j.at_side[0][s]];
            at.pose[2] = (struct lk_pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
            lk_joint_violation(&j, at.p, &phi);
            jacobian = jacobian_of(&j, &at, J);
            lk_joint_ops(of.type)->coordinate_jacobian(&of, pose, i, rows);
            assert_true(phi == lk_joint_ops(of.type)->coordinate(&of, pose, i));
            for (int s = 0; s < 2; s++) {
                if (s == side)
                    continue;
                lk_jacobian_row(jacobian, j.at_side[0][s], 0, row);
                assert_memory_equal(row, rows[s], sizeof(row));
            }
        }
}

/* A cylindrical joint whose travel is geared to its angle is a screw. */
static void geared_cylinder_is_a_screw(void **state)
{
    const struct train train = {
        "", {LK_JOINT_CYLINDRICAL, LK_JOINT_CYLINDRICAL}, {1, 0}, {{0, 1}, {0, 1}}, 2};

    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        struct lk_joint of[2];
        struct motion m[2];
        struct lk_joint j = coupling_of(&train, of, m), screw;
        double gear, phi[6], gear_rate, rate[6];
        struct at at;

        of[1] = of[0];
        memset(of[0].coordinate, 0, sizeof(of[0].coordinate));
        memset(of[1].coordinate, 0, sizeof(of[1].coordinate));
        j.offset = 0;
        screw = of[0];
        screw.type = LK_JOINT_SCREW;
        screw.n_rows = lk_joint_traits[LK_JOINT_SCREW].n_rows;
        screw.pitch = j.ratio;
        follow_with_twist(&of[0], &m[0], &at);
        lk_joint_violation(&j, at.p, &gear);
        lk_joint_violation(&screw, at.p, phi);
        rate_of(&j, &at, &gear_rate);
        rate_of(&screw, &at, rate);
        assert_true(fabs(phi[2] - remainder(gear, 2 * M_PI * j.ratio)) < 10 * EXACT);
        assert_true(fabs(rate[2] - gear_rate) < 10 * EXACT);
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
#define CHECK_LOCAL(type, label)                                                                   \
    CHECK(jacobian_is_derivative_of_violation, (type) | LOCAL, label local),                       \
        CHECK(local_rows_are_turned_point_rows, (type) | LOCAL, label local)
#define CHECK_COORDINATES(type, label)                                                             \
    CHECK(coordinate_gamma_is_derivative_of_rate, type, label),                                    \
        CHECK(coordinates_follow_the_motion, type, label),                                         \
        CHECK(coordinate_row_is_the_coordinate, type, label)
#define CHECK_TRAIN(i)                                                                             \
    {"train " #i ": couplings_follow_the_motion", couplings_follow_the_motion, NULL, NULL,         \
     (void *)(uintptr_t)&trains[i]},                                                               \
    {                                                                                              \
        "train " #i ": couplings_are_consistent", couplings_are_consistent, NULL, NULL,            \
            (void *)(uintptr_t)&trains[i]                                                          \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_ALL(LK_JOINT_REVOLUTE, revolute),
        CHECK_ALL(LK_JOINT_SPHERICAL, spherical),
        CHECK_ALL(LK_JOINT_PRISMATIC, prismatic),
        CHECK_ALL(LK_JOINT_FIXED, fixed),
        CHECK_ALL(LK_JOINT_CYLINDRICAL, cylindrical),
        CHECK_ALL(LK_JOINT_UNIVERSAL, universal),
        CHECK_ALL(LK_JOINT_PLANAR, planar),
        CHECK_ALL(LK_JOINT_SCREW, screw),
        CHECK_ALL(LK_JOINT_POINT_ON_LINE, point_on_line),
        CHECK_ALL(LK_JOINT_DISTANCE, distance),
        CHECK_ALL(LK_JOINT_CONSTANT_VELOCITY, constant_velocity),
        CHECK_ALL(LK_JOINT_CONE_ON_RAIL, cone_on_rail),
        CHECK(gamma_is_derivative_of_rate, LK_JOINT_SKATE, skate),
        CHECK(load_is_transpose_of_jacobian, LK_JOINT_SKATE, skate),
        CHECK(gamma_is_derivative_of_rate, LK_JOINT_ROLLING, rolling),
        CHECK(load_is_transpose_of_jacobian, LK_JOINT_ROLLING, rolling),
        CHECK(load_is_transpose_of_jacobian, LK_JOINT_CREEP, creep),
        CHECK(load_is_transpose_of_jacobian, LK_JOINT_AIR, air),
        CHECK_ALL(LK_JOINT_RACK, coupling),
        CHECK_ALL(LK_JOINT_COORDINATE, coordinate_row),
        CHECK(jacobian_is_derivative_of_violation, LK_JOINT_BUSHING, bushing),
        CHECK(load_is_transpose_of_jacobian, LK_JOINT_BUSHING, bushing),
        CHECK_LOCAL(LK_JOINT_REVOLUTE, revolute),
        CHECK_LOCAL(LK_JOINT_SPHERICAL, spherical),
        CHECK_LOCAL(LK_JOINT_FIXED, fixed),
        CHECK_LOCAL(LK_JOINT_UNIVERSAL, universal),
        CHECK_LOCAL(LK_JOINT_CONSTANT_VELOCITY, constant_velocity),
        CHECK_COORDINATES(LK_JOINT_REVOLUTE, revolute),
        CHECK_COORDINATES(LK_JOINT_PRISMATIC, prismatic),
        CHECK_COORDINATES(LK_JOINT_CYLINDRICAL, cylindrical),
        CHECK_COORDINATES(LK_JOINT_UNIVERSAL, universal),
        CHECK_COORDINATES(LK_JOINT_PLANAR, planar),
        CHECK_COORDINATES(LK_JOINT_SCREW, screw),
        CHECK_COORDINATES(LK_JOINT_POINT_ON_LINE, point_on_line),
        CHECK_TRAIN(0),
        CHECK_TRAIN(1),
        CHECK_TRAIN(2),
        CHECK_TRAIN(3),
        CHECK_TRAIN(4),
        CHECK_TRAIN(5),
        CHECK_TRAIN(6),
        CHECK_TRAIN(7),
        cmocka_unit_test(nothing_is_violated_initially),
        cmocka_unit_test(types_share_their_rows),
        cmocka_unit_test(bushing_agrees_with_fixed_joint),
        cmocka_unit_test(bushing_measures_shift_and_turn),
        cmocka_unit_test(bushing_torque_is_along_theta),
        cmocka_unit_test(screw_travels_with_its_angle),
        cmocka_unit_test(constant_velocity_turns_both_shafts_alike),
        cmocka_unit_test(universal_joint_is_not_homokinetic),
        cmocka_unit_test(distance_is_finite_where_points_meet),
        cmocka_unit_test(geared_cylinder_is_a_screw),
        cmocka_unit_test(cone_touches_rail),
        cmocka_unit_test(creep_is_slip_at_the_contact),
        cmocka_unit_test(skate_is_slip_across_the_blade),
        cmocka_unit_test(rolling_is_slip_at_the_lowest_point),
    };

    srand(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
