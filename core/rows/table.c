/* SPDX-License-Identifier: Apache-2.0 */
/* The joints of table.h. Every function below is instantiated for each line of the table. The line
 * is then a compile-time constant, so that loops unroll and branches fold. All rows are computed
 * before any row is written: the C compiler must assume that a written row aliases a pose, and
 * would recompute common terms. */
#include "rows/table.h"
#include "rows/rows.h"
#include "rows/universal.h"
#include <stdbool.h>

/* slide_of() - return the direction of slide @i, fixed to side 0. square_of() - return the
 * direction of square @i that is fixed to side @s. */
LK_INLINE const double *slide_of(const struct lk_joint_kind *k, const struct lk_joint *j, int i)
{
    return j->f[0][k->dir[0][k->slide[i]]];
}

LK_INLINE const double *square_of(const struct lk_joint_kind *k, const struct lk_joint *j, int i,
                                  int s)
{
    return j->f[s][k->dir[s][k->square[i][s]]];
}

LK_INLINE bool is_ball(const struct lk_joint_kind *k)
{
    return k->point == LK_POINTS_XYZ && k->n_slide + k->n_square == 0;
}

/* Copy the components of @world for which the joint has point rows. */
LK_INLINE void take_points(const struct lk_joint_kind *k, const double world[3], double *row)
{
    for (int i = 0; i < lk_kind_point_rows(k); i++)
        row[i] = world[lk_point_axis(lk_points_first(k->point), i)];
}

LK_INLINE void violation(const struct lk_joint_kind *k, const struct lk_joint *j,
                         const struct lk_pose *const *pose, double *phi)
{
    double d[3], row[LK_ROWS_MAX];
    int n = lk_kind_point_rows(k);

    if (is_ball(k)) {
        lk_rows_gap(j, pose, phi);
        return;
    }
    if (n + k->n_slide > 0)
        lk_rows_gap(j, pose, d);
    take_points(k, d, row);
    for (int i = 0; i < k->n_slide; i++)
        row[n++] = lk_rows_sliding(pose, slide_of(k, j, i), d);
    for (int i = 0; i < k->n_square; i++)
        row[n++] = lk_rows_square(pose, square_of(k, j, i, 0), square_of(k, j, i, 1));
    for (int i = 0; i < n; i++)
        phi[i] = row[i];
}

LK_INLINE void load(const struct lk_joint_kind *k, const struct lk_joint *j,
                    const struct lk_pose *const *pose, const double *lambda,
                    struct lk_twist *const *sum)
{
    double d[3], force[3] = {0};

    for (int i = 0; i < lk_kind_point_rows(k); i++)
        force[lk_point_axis(lk_points_first(k->point), i)] = lambda[i];
    if (k->point)
        lk_rows_point_load(j, pose, force, sum);
    lambda += lk_kind_point_rows(k);
    if (k->n_slide > 0)
        lk_rows_gap(j, pose, d);
    for (int i = 0; i < k->n_slide; i++)
        lk_rows_sliding_load(j, pose, slide_of(k, j, i), d, lambda[i], sum);
    lambda += k->n_slide;
    for (int i = 0; i < k->n_square; i++)
        lk_rows_square_load(pose, square_of(k, j, i, 0), square_of(k, j, i, 1), lambda[i], sum);
}

LK_INLINE void jacobian(const struct lk_joint_kind *k, const struct lk_joint *j,
                        const struct lk_pose *const *pose, struct lk_jacobian ret)
{
    double d[3], J[LK_ROWS_MAX][2][6] = {{{0}}};
    int first = lk_kind_point_rows(k), n = first;

    if (k->n_slide > 0)
        lk_rows_gap(j, pose, d);
    for (int i = 0; i < k->n_slide; i++, n++)
        lk_rows_sliding_jacobian(j, pose, slide_of(k, j, i), d, J[n][0], J[n][1]);
    for (int i = 0; i < k->n_square; i++, n++)
        lk_rows_square_directions(pose, square_of(k, j, i, 0), square_of(k, j, i, 1), J[n][0] + 3,
                                  J[n][1] + 3);
    if (k->point)
        lk_rows_point_jacobian(j, pose, lk_points_first(k->point), first, ret);
    for (int r = first; r < n; r++)
        for (int s = 0; s < 2; s++)
            lk_jacobian_set_row(ret, s, r, J[r][s]);
}

LK_INLINE void gamma_rows(const struct lk_joint_kind *k, const struct lk_joint *j,
                          const struct lk_pose *const *pose, const struct lk_twist *const *twist,
                          double *ret)
{
    double d[3], rate[3], gamma[3], row[LK_ROWS_MAX];
    int n = lk_kind_point_rows(k);

    if (is_ball(k)) {
        lk_rows_gap_gamma(j, pose, twist, ret);
        return;
    }
    if (n + k->n_slide > 0)
        lk_rows_gap_gamma(j, pose, twist, gamma);
    if (k->n_slide > 0) {
        lk_rows_gap(j, pose, d);
        lk_rows_gap_rate(j, pose, twist, rate);
    }
    take_points(k, gamma, row);
    for (int i = 0; i < k->n_slide; i++)
        row[n++] = lk_rows_sliding_gamma(pose, twist, slide_of(k, j, i), d, rate, gamma);
    for (int i = 0; i < k->n_square; i++)
        row[n++] = lk_rows_square_gamma(pose, twist, square_of(k, j, i, 0), square_of(k, j, i, 1));
    for (int i = 0; i < n; i++)
        ret[i] = row[i];
}

/* ---- coordinates ---- */

/* Return the measure of coordinate @i. If the joint has only one coordinate, the result does not
 * depend on @i and is a compile-time constant. */
LK_INLINE enum lk_measure measure_of(const struct lk_joint_kind *k, int i)
{
    return k->measure[k->n_coordinates == 1 ? 0 : i];
}

LK_INLINE double coordinate(const struct lk_joint_kind *k, const struct lk_joint *j,
                            const struct lk_pose *const *pose, int i)
{
    enum lk_measure measure = measure_of(k, i);

    if (measure < LK_ABOUT_AXIS)
        return j->coordinate[i] + lk_rows_travel(j, pose, (int)measure - LK_ALONG_0);
    if (measure == LK_ABOUT_AXIS)
        return j->coordinate[i] + lk_rows_angle(j, pose);
    return j->coordinate[i] + lk_universal_angle(j, pose, (int)measure - LK_ABOUT_FIRST);
}

/* Compute the Jacobian of a coordinate. The Jacobian of an angle is exact if the rigid rows hold.
 */
LK_INLINE void coordinate_jacobian(const struct lk_joint_kind *k, const struct lk_joint *j,
                                   const struct lk_pose *const *pose, int i, double J[2][6])
{
    enum lk_measure measure = measure_of(k, i);

    if (measure < LK_ABOUT_AXIS)
        lk_rows_travel_jacobian(j, pose, (int)measure - LK_ALONG_0, J);
    else if (measure == LK_ABOUT_AXIS)
        lk_rows_angle_coordinate_jacobian(j, pose, J);
    else
        lk_universal_jacobian(j, pose, (int)measure - LK_ABOUT_FIRST, J);
}

/* compute gamma of a coordinate. The axis is fixed in both bodies, so the rate of an angle
 * about it depends on the angular velocities only */
LK_INLINE double coordinate_gamma(const struct lk_joint_kind *k, const struct lk_joint *j,
                                  const struct lk_pose *const *pose,
                                  const struct lk_twist *const *twist, int i)
{
    enum lk_measure measure = measure_of(k, i);

    if (measure < LK_ABOUT_AXIS)
        return lk_rows_travel_gamma(j, pose, twist, (int)measure - LK_ALONG_0);
    if (measure == LK_ABOUT_AXIS)
        return lk_rows_angle_coordinate_gamma(j, pose, twist);
    return lk_universal_gamma(j, pose, twist, (int)measure - LK_ABOUT_FIRST);
}

/* ---- the instances ---- */

/* lk_points_first() as constants */
enum { FIRST_NONE = 0, FIRST_XYZ = 0, FIRST_YZ = 1, FIRST_ZX = 2, FIRST_XY = 0 };

#define POSES  const struct lk_pose *const *pose
#define TWISTS const struct lk_twist *const *twist
#define X(NAME, ...)                                                                               \
    static const struct lk_joint_kind *const kind_##NAME = &lk_joint_kinds[LK_KIND_##NAME];        \
    static void violation_##NAME(const struct lk_joint *j, POSES, double *phi)                     \
    {                                                                                              \
        violation(kind_##NAME, j, pose, phi);                                                      \
    }                                                                                              \
    static void load_##NAME(const struct lk_joint *j, POSES, const double *lambda,                 \
                            struct lk_twist *const *sum)                                           \
    {                                                                                              \
        load(kind_##NAME, j, pose, lambda, sum);                                                   \
    }                                                                                              \
    static void jacobian_##NAME(const struct lk_joint *j, POSES, struct lk_jacobian ret)           \
    {                                                                                              \
        jacobian(kind_##NAME, j, pose, ret);                                                       \
    }                                                                                              \
    static void gamma_##NAME(const struct lk_joint *j, POSES, TWISTS, double *ret)                 \
    {                                                                                              \
        gamma_rows(kind_##NAME, j, pose, twist, ret);                                              \
    }                                                                                              \
    static double coordinate_##NAME(const struct lk_joint *j, POSES, int i)                        \
    {                                                                                              \
        return coordinate(kind_##NAME, j, pose, i);                                                \
    }                                                                                              \
    static void coordinate_jacobian_##NAME(const struct lk_joint *j, POSES, int i, double J[2][6]) \
    {                                                                                              \
        coordinate_jacobian(kind_##NAME, j, pose, i, J);                                           \
    }                                                                                              \
    static double coordinate_gamma_##NAME(const struct lk_joint *j, POSES, TWISTS, int i)          \
    {                                                                                              \
        return coordinate_gamma(kind_##NAME, j, pose, twist, i);                                   \
    }
LK_JOINT_KINDS(X)
#undef X

const struct lk_joint_type_ops lk_joint_kind_ops[LK_KINDS] = {
#define X(NAME, TEXT, POINTS, ...)                                                                 \
    [LK_KIND_##NAME] = {                                                                           \
        .is_point = LK_POINTS_##POINTS != LK_POINTS_NONE,                                          \
        .first = FIRST_##POINTS,                                                                   \
        .violation = violation_##NAME,                                                             \
        .load = load_##NAME,                                                                       \
        .jacobian = jacobian_##NAME,                                                               \
        .gamma = gamma_##NAME,                                                                     \
        .coordinate = coordinate_##NAME,                                                           \
        .coordinate_jacobian = coordinate_jacobian_##NAME,                                         \
        .coordinate_gamma = coordinate_gamma_##NAME,                                               \
    },
    LK_JOINT_KINDS(X)
#undef X
};

/* pin: the rows of a spherical joint, and the angle of a revolute joint */
const struct lk_joint_type_ops lk_joint_pin = {
    .is_point = 1,
    .violation = violation_SPHERICAL,
    .load = load_SPHERICAL,
    .jacobian = jacobian_SPHERICAL,
    .gamma = gamma_SPHERICAL,
    .coordinate = coordinate_REVOLUTE,
    .coordinate_jacobian = coordinate_jacobian_REVOLUTE,
    .coordinate_gamma = coordinate_gamma_REVOLUTE,
};

/* ---- pivot: no rows, only the angle of a revolute joint ---- */

static void no_rows(const struct lk_joint *j, POSES, double *phi)
{
    (void)j;
    (void)pose;
    (void)phi;
}

static void no_load(const struct lk_joint *j, POSES, const double *lambda,
                    struct lk_twist *const *sum)
{
    (void)j;
    (void)pose;
    (void)lambda;
    (void)sum;
}

static void no_jacobian(const struct lk_joint *j, POSES, struct lk_jacobian ret)
{
    (void)j;
    (void)pose;
    (void)ret;
}

const struct lk_joint_type_ops lk_joint_pivot = {
    .violation = no_rows,
    .load = no_load,
    .jacobian = no_jacobian,
    .gamma = lk_rows_no_gamma,
    .coordinate = coordinate_REVOLUTE,
    .coordinate_jacobian = coordinate_jacobian_REVOLUTE,
    .coordinate_gamma = coordinate_gamma_REVOLUTE,
};
