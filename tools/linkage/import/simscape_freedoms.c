/* SPDX-License-Identifier: Apache-2.0 */
/* Joint that is equivalent to a set of constraints. The rows between two bodies are linear in the
 * twist of one body relative to the other. The null space of their matrix is the freedoms;
 * translations are the twists in it without rotation (Angeles, Fundamentals of Robotic Mechanical
 * Systems, chapter 3: lower pairs as subgroups). This is true in the drawn pose only. So the joint
 * that was found is displaced far, and all rows must keep their value there. Otherwise no supported
 * joint has these freedoms. */
#include "simscape_assembly.h"

#include "maths/vec.h"
#include "methods/formulations/recursive.h"

#include <string.h>

#define SMALL                                                                                      \
    1e-5        /* tolerance of singular values and of components of unit vectors, above the       \
                 * rounding of CAD files */
#define FAR 0.3 /* share of the size, or [rad] */

/** struct freedoms - the motions that one body can make relative to the other.
 * @o:     reference point of moments
 * @size:  characteristic length [m]
 * @turn:  rotation axes, orthogonal unit vectors
 * @move:  velocity of @o for each rotation [m/rad]
 * @slide: directions of translation, orthogonal unit vectors */
struct freedoms {
    double o[3], size;
    int n_turns, n_slides;
    double turn[6][3], move[6][3], slide[6][3];
};

/* ---- rows to freedoms ---- */

/* Compute the centre of the points of all rows, and their largest distance from it. */
static void find_size(const struct row *row, int n, struct freedoms *f)
{
    int points = 0;

    f->size = 0;
    memset(f->o, 0, sizeof(f->o));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3 && !row[i].turns; k++) {
            f->o[k] += row[i].point[k];
            points += k == 0;
        }
    for (int k = 0; k < 3 && points > 0; k++)
        f->o[k] /= points;
    for (int i = 0; i < n; i++) {
        double arm[3];

        lk_sub(row[i].point, f->o, arm);
        f->size = row[i].turns ? f->size : lk_max(f->size, lk_norm(arm));
    }
    if (f->size < 1e-6)
        f->size = 1;
}

/* Compute J^T J of all rows. The columns of J are the rotation, scaled with the size, and the
 * translation. */
static void sum_rows(const struct row *row, int n, const struct freedoms *f, double ret[6][6])
{
    memset(ret, 0, 36 * sizeof(double));
    for (int i = 0; i < n; i++) {
        double j[6] = {0}, arm[3];

        if (row[i].turns) {
            lk_cross(row[i].point, row[i].along, j);
        } else {
            lk_sub(row[i].point, f->o, arm);
            lk_cross(arm, row[i].along, j);
            for (int k = 0; k < 3; k++) {
                j[k] /= f->size;
                j[3 + k] = row[i].along[k];
            }
        }
        for (int k = 0; k < 6; k++)
            for (int l = 0; l < 6; l++)
                ret[k][l] += j[k] * j[l];
    }
}

/* Add a twist to the rotations or to the translations. */
static void add_twist(const double twist[6], bool turns, struct freedoms *f)
{
    double length = lk_norm(twist + (turns ? 0 : 3));

    for (int k = 0; k < 3 && turns; k++) {
        f->turn[f->n_turns][k] = twist[k] / length;
        f->move[f->n_turns][k] = twist[3 + k] * f->size / length;
    }
    for (int k = 0; k < 3 && !turns; k++)
        f->slide[f->n_slides][k] = twist[3 + k] / length;
    *(turns ? &f->n_turns : &f->n_slides) += 1;
}

static void find_freedoms(const struct row *row, int n, struct freedoms *f)
{
    double A[6][6], X[6][6] = {{0}}, G[6][6] = {{0}}, Y[6][6] = {{0}}, twist[6][6];
    int n_free = 0;

    f->n_turns = f->n_slides = 0;
    find_size(row, n, f);
    sum_rows(row, n, f, A);
    lk_small_eigen(6, A, X);
    for (int k = 0; k < 6; k++)
        if (A[k][k] <= SMALL * SMALL) {
            for (int i = 0; i < 6; i++)
                twist[n_free][i] = X[i][k];
            n_free++;
        }
    for (int k = 0; k < n_free; k++)
        for (int l = 0; l < n_free; l++)
            G[k][l] = lk_dot(twist[k], twist[l]);
    lk_small_eigen(n_free, G, Y);
    for (int k = 0; k < n_free; k++) {
        double sum[6] = {0};

        for (int i = 0; i < 6; i++)
            for (int l = 0; l < n_free; l++)
                sum[i] += Y[l][k] * twist[l][i];
        add_twist(sum, G[k][k] > SMALL * SMALL, f);
    }
}

/* ---- freedoms to joints ---- */

/* Add a primitive. The sign of the axis is chosen from a fixed direction, so that round-off cannot
 * reverse it. */
static void add_part(struct tie *tie, enum joint_kind kind, const double *axis)
{
    static const double way[3] = {0.8, 0.5, 0.33};
    struct part *part = &tie->part[tie->n++];

    part->kind = kind;
    for (int i = 0; i < 3 && axis != NULL; i++)
        part->axis[i] = lk_dot(axis, way) < 0 ? -axis[i] : axis[i];
}

/* Find the only rotation axis. Its motion must have no component along the axis (no screw). The
 * translations determine whether the joint is revolute, cylindrical or planar. */
static bool find_axis(const struct freedoms *f, struct tie *tie)
{
    double along[2] = {0}, arm[3];
    enum joint_kind kind = KIND_REVOLUTE;

    if (fabs(lk_dot(f->turn[0], f->move[0])) > SMALL * f->size)
        return false;
    for (int k = 0; k < f->n_slides; k++)
        along[k] = fabs(lk_dot(f->turn[0], f->slide[k]));
    if (f->n_slides == 1 && along[0] > 1 - SMALL)
        kind = KIND_CYLINDRICAL;
    else if (f->n_slides == 2 && along[0] < SMALL && along[1] < SMALL)
        kind = KIND_PLANAR;
    else if (f->n_slides > 0)
        return false;
    lk_cross(f->turn[0], f->move[0], arm);
    for (int i = 0; i < 3; i++)
        tie->at[0][i] = f->o[i] + arm[i];
    add_part(tie, kind, f->turn[0]);
    return true;
}

/* Find the point that all three rotations leave fixed: o + sum of w x v / 2. */
static bool find_centre(const struct freedoms *f, struct tie *tie)
{
    double r[3] = {0}, velocity[3];

    for (int k = 0; k < 3; k++) {
        lk_cross(f->turn[k], f->move[k], velocity);
        for (int i = 0; i < 3; i++)
            r[i] += 0.5 * velocity[i];
    }
    for (int k = 0; k < 3; k++) { /* check that the point is fixed: v = -w x r */
        lk_cross(f->turn[k], r, velocity);
        for (int i = 0; i < 3; i++)
            velocity[i] += f->move[k][i];
        if (lk_norm(velocity) > SMALL * f->size)
            return false;
    }
    for (int i = 0; i < 3; i++)
        tie->at[0][i] = f->o[i] + r[i];
    add_part(tie, KIND_SPHERICAL, NULL);
    return true;
}

static bool find_parts(const struct freedoms *f, struct tie *tie)
{
    tie->n = 0;
    memcpy(tie->at[0], f->o, sizeof(f->o));
    if (f->n_turns == 0 && f->n_slides == 0)
        add_part(tie, KIND_FIXED, NULL);
    else if (f->n_turns == 0)
        for (int k = 0; k < f->n_slides; k++)
            add_part(tie, KIND_PRISMATIC, f->slide[k]);
    else if (f->n_turns == 1 && f->n_slides <= 2)
        find_axis(f, tie);
    else if (f->n_turns == 1) { /* one rotation and three translations */
        add_part(tie, KIND_PLANAR, f->turn[0]);
        add_part(tie, KIND_PRISMATIC, f->turn[0]);
    } else if (f->n_turns == 3 && f->n_slides == 0)
        find_centre(f, tie);
    memcpy(tie->at[1], tie->at[0], sizeof(tie->at[1]));
    return tie->n > 0;
}

/* ---- check far from the drawn pose ---- */

/* Add a rotation about @axis through @at to @motion, after the motion so far. */
static void turn(const double at[3], const double axis[3], struct frame *motion)
{
    struct frame f = {.q = {cos(0.5 * FAR)}};
    double turned[3];

    for (int i = 0; i < 3; i++)
        f.q[1 + i] = sin(0.5 * FAR) * axis[i];
    frame_direction(&f, at, turned);
    lk_sub(at, turned, f.r);
    frame_in(motion, &f, motion);
}

static void shift(const double axis[3], double size, struct frame *motion)
{
    struct frame f = frame_unity;

    for (int i = 0; i < 3; i++)
        f.r[i] = FAR * size * axis[i];
    frame_in(motion, &f, motion);
}

/* Compute the motion that results if all motions allowed by the joint of @tie are made one after
 * the other. */
static void move_far(const struct freedoms *f, const struct tie *tie, struct frame *ret)
{
    *ret = frame_unity;
    for (int k = 0; k < f->n_slides; k++)
        shift(f->slide[k], f->size, ret);
    for (int k = 0; k < f->n_turns; k++)
        turn(tie->at[0], f->turn[k], ret);
}

/* Return true if all rows keep their drawn value when one of the bodies is displaced by @motion. */
static bool rows_hold(const struct row *row, int n, const struct frame *motion, double size)
{
    bool hold = true;

    for (int i = 0; i < n; i++) {
        double moved[3], change[3];

        (row[i].turns ? frame_direction : frame_point)(motion, row[i].point, moved);
        lk_sub(moved, row[i].point, change);
        hold &= fabs(lk_dot(row[i].along, change)) <= SMALL * (row[i].turns ? 1 : size);
    }
    return hold;
}

const char *find_joint(const struct row *row, int n, struct tie *tie, int ret_n[2])
{
    struct freedoms f;
    struct frame motion;

    find_freedoms(row, n, &f);
    ret_n[0] = f.n_turns;
    ret_n[1] = f.n_slides;
    if (!find_parts(&f, tie))
        return "no joint here has these";
    move_far(&f, tie, &motion);
    return rows_hold(row, n, &motion, f.size) ? NULL : "they change as it moves";
}
