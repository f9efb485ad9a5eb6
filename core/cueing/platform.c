/* SPDX-License-Identifier: Apache-2.0 */
#include "cueing/platform.h"
#include "cueing/attitude.h"
#include <string.h>

#define N          LK_PLATFORM_ACTUATORS
#define PASSES     6
#define TOLERANCE  1e-9
#define CORNERS    (1 << N)
#define WAY_POINTS 50   /* number of points from neutral to a corner of the strokes */
#define HELD       0.05 /* least pivot of the Jacobian; with it, leg forces are 20 times larger */

/* Index in a pose of each actuator of a three-axis platform: roll, pitch, heave. */
static const int three_axis[3] = {3, 4, 2};

/* ---- hexapod ---- */

static void place(double radius, double angle, double height, double ret[3])
{
    double s, c;

    lk_sin_cos(angle, &s, &c);
    ret[0] = radius * c;
    ret[1] = radius * s;
    ret[2] = height;
}

static void build_hexapod(struct lk_platform *platform, const struct lk_hexapod *hexapod)
{
    const double sixty = 1.0471975511965976;
    double d[3];

    for (int i = 0; i < N; i++) {
        double middle = sixty * (1 + i / 2 * 2), side = i % 2 ? 1 : -1;

        place(hexapod->base_radius, middle + side * hexapod->base_angle, -hexapod->height,
              platform->foot[i]);
        place(hexapod->platform_radius, middle + side * hexapod->platform_angle, 0,
              platform->joint[i]);
        lk_sub(platform->joint[i], platform->foot[i], d);
        platform->neutral[i] = lk_norm(d);
    }
}

/* Compute the vector from the foot of leg @i to its joint; @arm: vector from the reference
 * point to the joint, room axes. */
static void leg_vector(const struct lk_platform *platform, const double pose[6], const double R[9],
                       int i, double arm[3], double ret[3])
{
    lk_rotate(R, platform->joint[i], arm);
    for (int k = 0; k < 3; k++)
        ret[k] = pose[k] + arm[k] - platform->foot[i][k];
}

static void leg_lengths(const struct lk_platform *platform, const double pose[6], double ret[N])
{
    double R[9], arm[3], leg[3];

    lk_attitude_matrix(pose + 3, R);
    for (int i = 0; i < N; i++) {
        leg_vector(platform, pose, R, i, arm, leg);
        ret[i] = lk_norm(leg) - platform->neutral[i];
    }
}

/* Compute the Jacobian. Row i: derivative of leg i with respect to the pose, u (v + w x
 * arm), with w from the rates of the angles. */
static void leg_jacobian(const struct lk_platform *platform, const double pose[6], double J[N][N])
{
    double R[9], A[9], arm[3], leg[3], turn[3];

    lk_attitude_matrix(pose + 3, R);
    lk_attitude_axes(pose + 3, A);
    for (int i = 0; i < N; i++) {
        double length;

        leg_vector(platform, pose, R, i, arm, leg);
        length = lk_norm(leg);
        for (int k = 0; k < 3; k++)
            J[i][k] = leg[k] / length;
        lk_cross(arm, J[i], turn);
        lk_rotate_back(A, turn, J[i] + 3);
    }
}

static int find_pivot(double J[N][N], int column)
{
    int best = column;

    for (int i = column + 1; i < N; i++)
        if (fabs(J[i][column]) > fabs(J[best][column]))
            best = i;
    return best;
}

static void swap_rows(double J[N][N], double b[N], int i, int k)
{
    double row[N], value = b[i];

    memcpy(row, J[i], sizeof(row));
    memmove(J[i], J[k], sizeof(row));
    memcpy(J[k], row, sizeof(row));
    b[i] = b[k];
    b[k] = value;
}

/* Replace @b with x = J^-1 b. Return: the smallest pivot; 0: J is singular. */
static double solve(double J[N][N], double b[N])
{
    double least = INFINITY;

    for (int c = 0; c < N; c++) {
        swap_rows(J, b, c, find_pivot(J, c));
        least = fmin(least, fabs(J[c][c]));
        if (!(least > 1e-12))
            return 0;
        for (int i = c + 1; i < N; i++) {
            double f = J[i][c] / J[c][c];

            for (int k = c; k < N; k++)
                J[i][k] -= f * J[c][k];
            b[i] -= f * b[c];
        }
    }
    for (int c = N - 1; c >= 0; c--) {
        for (int k = c + 1; k < N; k++)
            b[c] -= J[c][k] * b[k];
        b[c] /= J[c][c];
    }
    return least;
}

static double largest_error(const double a[N], const double b[N], double ret_difference[N])
{
    double largest = 0;

    for (int i = 0; i < N; i++) {
        ret_difference[i] = a[i] - b[i];
        largest = fmax(largest, fabs(ret_difference[i]));
    }
    return largest;
}

/* find the pose by Newton's method. @ret_pivot: the smallest pivot of the last pass */
static double find_pose(const struct lk_platform *platform, const double position[N],
                        double pose[6], double *ret_pivot)
{
    double J[N][N], length[N], b[N], at[6], error;

    memcpy(at, pose, sizeof(at));
    for (int pass = 0; pass < PASSES; pass++) {
        leg_lengths(platform, at, length);
        largest_error(position, length, b);
        leg_jacobian(platform, at, J);
        *ret_pivot = solve(J, b);
        for (int i = 0; i < 6; i++)
            at[i] += *ret_pivot > 0 ? fmin(fmax(b[i], -1), 1) : 0;
    }
    leg_lengths(platform, at, length);
    error = largest_error(position, length, b);
    if (error <= TOLERANCE)
        memcpy(pose, at, sizeof(at));
    return error;
}

/* Return whether all poses from neutral to the corner @corner of the strokes are regular. */
static bool corner_holds(const struct lk_platform *platform, int corner)
{
    double pose[6] = {0}, position[N], pivot = 0;

    for (int step = 1; step <= WAY_POINTS; step++) {
        for (int i = 0; i < N; i++)
            position[i] = (corner >> i & 1 ? platform->limits[i].high : platform->limits[i].low) *
                          step / WAY_POINTS;
        if (!(find_pose(platform, position, pose, &pivot) <= TOLERANCE) || !(pivot > HELD))
            return false;
    }
    return true;
}

static bool legs_hold(const struct lk_platform *platform)
{
    for (int corner = 0; corner < CORNERS; corner++)
        if (!corner_holds(platform, corner))
            return false;
    return true;
}

/* ---- all platforms ---- */

int lk_platform_count(enum lk_platform_kind kind)
{
    return kind == LK_PLATFORM_THREE_AXIS ? 3 : N;
}

bool lk_platform_init(struct lk_platform *ret_platform, enum lk_platform_kind kind,
                      const struct lk_hexapod *hexapod, const struct lk_actuator_limits *limits)
{
    *ret_platform = (struct lk_platform){.kind = kind, .n = lk_platform_count(kind)};
    memcpy(ret_platform->limits, limits, (size_t)ret_platform->n * sizeof(*limits));
    if (kind != LK_PLATFORM_HEXAPOD)
        return true;
    build_hexapod(ret_platform, hexapod);
    return legs_hold(ret_platform);
}

void lk_platform_actuators(const struct lk_platform *platform, const double pose[6],
                           double ret_position[N])
{
    memset(ret_position, 0, N * sizeof(double));
    if (platform->kind == LK_PLATFORM_HEXAPOD)
        leg_lengths(platform, pose, ret_position);
    for (int i = 0; i < platform->n && platform->kind != LK_PLATFORM_HEXAPOD; i++)
        ret_position[i] = pose[platform->kind == LK_PLATFORM_THREE_AXIS ? three_axis[i] : i];
}

double lk_platform_pose(const struct lk_platform *platform, const double position[N],
                        double pose[6])
{
    double pivot;

    if (platform->kind == LK_PLATFORM_HEXAPOD)
        return find_pose(platform, position, pose, &pivot);
    memset(pose, 0, 6 * sizeof(double));
    for (int i = 0; i < platform->n; i++)
        pose[platform->kind == LK_PLATFORM_THREE_AXIS ? three_axis[i] : i] = position[i];
    return 0;
}
