/* SPDX-License-Identifier: Apache-2.0 */
/* Poses at prescribed heights and steering, by Newton iterations on rigid rows and targets, and
 * unit motions there. Dependent rows are consistent in exact poses only. So the rank is found once,
 * in the design position, and the factors of all other poses are truncated at this rank. */
#include "analysis/suspension.h"
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS     12    /* Newton iterations of a pose */
#define ROUNDOFF   1e-15 /* violation that cannot decrease further */
#define EXISTS     1e-6  /* largest residual of a unit motion that the rows allow */
#define SINGULAR   1e-7  /* least pivot of a regular pose; columns have unit length */
#define STEP_MOST  0.02  /* largest predicted motion of a wheel in a step [rad, body lengths] */
#define TURN_MOST  0.5   /* the same of any body */
#define STEP_LEAST 1e-4  /* a step of the wheels shorter than this ends the path */
#define ASTRAY     0.5   /* largest correction, as a share of the prediction */

/* ---- rows ---- */

/* Add the gradient @row of body @b, translation (world) and rotation (body axes), to @column. */
static void put_side(const struct lk_rig *rig, int b, const double row[6], double *column)
{
    if (b >= rig->of->sys->n_bodies || rig->is_held[b])
        return;
    for (int k = 0; k < 6; k++)
        column[rig->loops.row[b] + k] += row[k] * (k < 3 ? rig->loops.length[b] : 1);
}

static double difference_of_coordinate(const struct lk_rig *rig, int j, int which, double from,
                                       double *column)
{
    const struct lk_system *sys = rig->of->sys;
    const struct lk_joint *joint = &sys->joint[j];
    double row[2][6];
    double change = lk_loops_coordinate(sys, rig->pose, j, which, row) - from;

    for (int s = 0; s < 2; s++)
        put_side(rig, joint->body[s], row[s], column);
    return lk_joint_coordinate_is_angle(joint->type, which) ? remainder(change, 2 * M_PI) : change;
}

static double height_row(const struct lk_rig *rig, int w, double *column)
{
    const struct lk_rig_wheel *wheel = &rig->of->wheel[w];
    const struct lk_pose *pose = &rig->pose[wheel->body];
    double arm[3], row[6] = {0, 0, 1};

    lk_rotate(pose->R, wheel->hub, arm);
    lk_cross(wheel->hub, pose->R + 6, row + 3); /* third row of R: z in body axes */
    put_side(rig, wheel->body, row, column);
    return pose->x[2] + arm[2];
}

/* Evaluate an extra row: gradient, and violation at @target. */
static double extra_row(const struct lk_rig *rig, const struct lk_rig_row *e,
                        const struct lk_rig_target *target, double *column)
{
    const struct lk_suspension *s = rig->of;
    struct lk_loops_rows rows;
    double row[2][6];

    switch (e->kind) {
    case LK_RIG_SOFT:
        lk_loops_rows(s->sys, rig->pose, e->joint, &rows);
        for (int i = 0; i < s->sys->joint[e->joint].n_sides; i++)
            put_side(rig, s->sys->joint[e->joint].body[i], rows.row[e->at][i], column);
        return rows.phi[e->at] - e->rest;
    case LK_RIG_SPIN:
        return difference_of_coordinate(rig, e->joint, 0, e->rest, column);
    case LK_RIG_HEIGHT:
        return height_row(rig, e->at, column) - e->rest - target->height[e->at];
    case LK_RIG_STEER:
        break;
    }
    /* the change since the last accepted pose, which may be many turns from the start */
    return difference_of_coordinate(rig, e->joint, s->request.steer[e->at].which,
                                    lk_loops_coordinate(s->sys, s->sys->pose, e->joint,
                                                        s->request.steer[e->at].which, row),
                                    column) -
           (target->steer - rig->travel.steer);
}

static void evaluate_rows(struct lk_rig *rig, const struct lk_rig_target *target)
{
    size_t n = (size_t)rig->n, loops = (size_t)rig->loops.n_columns;

    memset(rig->A, 0, n * (size_t)rig->m * sizeof(double));
    lk_loops_matrix(&rig->loops, rig->pose, LK_COLUMNS_HOLONOMIC, rig->A, rig->phi);
    for (size_t c = 0; c < loops; c++) {
        if (!rig->is_dropped[c])
            continue;
        memset(rig->A + c * n, 0, n * sizeof(double));
        rig->phi[c] = 0;
    }
    for (int i = 0; i < rig->n_extra; i++) {
        double *column = rig->A + (loops + (size_t)i) * n, square = 0;
        double phi = extra_row(rig, &rig->extra[i], target, column);

        for (size_t k = 0; k < n; k++)
            square += column[k] * column[k];
        rig->scale[i] = square > 0 ? 1 / sqrt(square) : 0;
        for (size_t k = 0; k < n; k++)
            column[k] *= rig->scale[i];
        rig->phi[loops + (size_t)i] = rig->scale[i] * phi;
    }
}

/* ---- factors ---- */

static bool factor(struct lk_rig *rig)
{
    memset(rig->pivot, 0, (size_t)rig->m * sizeof(int));
    return rig->n == 0 || rig->m == 0 ||
           LAPACKE_dgeqp3(LAPACK_COL_MAJOR, rig->n, rig->m, rig->A, rig->n, rig->pivot, rig->tau) ==
               0;
}

static int least_of(const struct lk_rig *rig)
{
    return rig->n < rig->m ? rig->n : rig->m;
}

static double pivot_at(const struct lk_rig *rig, int i)
{
    return fabs(rig->A[(size_t)i * (size_t)(rig->n + 1)]);
}

/* Solve A^T x = b with the smallest x, by the first rig->rank columns. @b: m values
 * Return: largest residual of the other rows. */
static double solve(struct lk_rig *rig, const double *b, double *x)
{
    size_t n = (size_t)rig->n;
    double *y = rig->y, worst = 0;
    int rank = rig->rank;

    memset(x, 0, n * sizeof(double));
    for (int i = 0; i < rank; i++)
        y[i] = b[rig->pivot[i] - 1];
    if (rank > 0 &&
        LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', 'T', 'N', rank, 1, rig->A, rig->n, y, rank) != 0)
        return INFINITY;
    for (int c = rank; c < rig->m; c++) {
        double value = -b[rig->pivot[c] - 1];

        for (int i = 0; i < rank; i++)
            value += rig->A[(size_t)c * n + (size_t)i] * y[i];
        worst = lk_max(worst, fabs(value));
    }
    memcpy(x, y, (size_t)rank * sizeof(double));
    if (rank > 0 && LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'N', rig->n, 1, least_of(rig), rig->A,
                                   rig->n, rig->tau, x, rig->n) != 0)
        return INFINITY;
    return worst;
}

static double largest_of(const double *x, int n)
{
    double largest = 0;

    for (int i = 0; i < n; i++)
        largest = isfinite(x[i]) ? lk_max(largest, fabs(x[i])) : INFINITY;
    return largest;
}

/* Return the largest motion of a wheel. */
static double motion_of_wheels(const struct lk_rig *rig, const double *x)
{
    double largest = 0;

    for (int w = 0; w < rig->of->request.n_wheels; w++)
        if (rig->has_wheel[w])
            largest = lk_max(largest, largest_of(x + rig->loops.row[rig->of->wheel[w].body], 6));
    return largest;
}

/* Find the pose at @target near the present one.
 * @most: largest sum of corrections. Return: true if the rows are closed. */
static bool close_rows(struct lk_rig *rig, const struct lk_rig_target *target, double most)
{
    double before = INFINITY, corrected = 0;

    for (int round = 0; round < ROUNDS; round++) {
        double violation;

        evaluate_rows(rig, target);
        violation = largest_of(rig->phi, rig->m);
        if (violation <= ROUNDOFF || (violation <= LK_CLOSED_WITHIN && violation > 0.5 * before))
            return true;
        if (!isfinite(violation) || !factor(rig))
            return false;
        solve(rig, rig->phi, rig->x);
        corrected += largest_of(rig->x, rig->n);
        if (!(corrected <= most))
            return false;
        lk_loops_move(&rig->loops, rig->x, -1, rig->pose);
        before = violation;
    }
    return before <= LK_CLOSED_WITHIN;
}

/* ---- unit motions ---- */

static int kind_of(const struct lk_rig_row *e)
{
    return e->kind == LK_RIG_HEIGHT ? e->at : e->kind == LK_RIG_STEER ? LK_RIG_TURN : -1;
}

bool lk_rig_units(struct lk_rig *rig)
{
    double *b = calloc((size_t)rig->m + 1, sizeof(double));
    bool is_good;

    evaluate_rows(rig, &rig->travel);
    is_good =
        b != NULL && factor(rig) && (rig->rank == 0 || pivot_at(rig, rig->rank - 1) > SINGULAR);
    for (int u = 0; u <= LK_RIG_TURN && is_good; u++) {
        bool is_asked = false, was_there = rig->has_unit[u];

        memset(b, 0, (size_t)rig->m * sizeof(double));
        for (int i = 0; i < rig->n_extra; i++)
            if (kind_of(&rig->extra[i]) == u) {
                b[rig->loops.n_columns + i] = rig->scale[i];
                is_asked = true;
            }
        rig->has_unit[u] = is_asked && solve(rig, b, rig->unit[u]) <= EXISTS;
        is_good &= rig->has_unit[u] || !was_there;
    }
    free(b);
    return is_good;
}

void lk_rig_direction(const struct lk_rig *rig, const struct lk_rig_target *by, double *ret)
{
    memset(ret, 0, (size_t)rig->n * sizeof(double));
    for (int u = 0; u <= LK_RIG_TURN; u++) {
        double amount = u == LK_RIG_TURN ? by->steer : by->height[u];

        for (int i = 0; i < rig->n && amount != 0; i++)
            ret[i] += amount * rig->unit[u][i];
    }
}

/* ---- the path ---- */

void lk_rig_keep(struct lk_rig *rig)
{
    memcpy(rig->kept, rig->pose, (size_t)rig->of->sys->n_bodies * sizeof(*rig->pose));
}

void lk_rig_return(struct lk_rig *rig)
{
    memcpy(rig->pose, rig->kept, (size_t)rig->of->sys->n_bodies * sizeof(*rig->pose));
}

/* Update the unwrapped values of all laws to the present pose. */
static void follow_laws(struct lk_rig *rig)
{
    struct lk_suspension *s = rig->of;
    struct lk_loops_rows rows, then;

    for (int i = 0; i < s->sys->n_laws; i++) {
        const struct lk_law *law = &s->sys->law[i];

        if (!lk_rig_is_spring(s->sys, law))
            continue;
        lk_loops_rows(s->sys, rig->pose, law->joint, &rows);
        lk_loops_rows(s->sys, s->sys->pose, law->joint, &then);
        s->law_place[i] += rows.phi[law->row] - then.phi[law->row];
    }
}

/* Make the present pose the one from which angles are counted on. */
static void accept(struct lk_rig *rig, const struct lk_rig_target *target)
{
    follow_laws(rig);
    memcpy(rig->of->sys->pose, rig->pose, (size_t)rig->of->sys->n_bodies * sizeof(*rig->pose));
    rig->travel = *target;
}

int lk_rig_begin(struct lk_rig *rig)
{
    struct lk_suspension *s = rig->of;
    size_t size = (size_t)s->sys->n_bodies * sizeof(*rig->pose);

    memcpy(rig->pose, s->start, size);
    memcpy(s->sys->pose, s->start, size);
    memcpy(s->law_place, s->law_design, (size_t)s->sys->n_laws * sizeof(double));
    rig->travel = (struct lk_rig_target){0};
    memset(rig->has_unit, 0, sizeof(rig->has_unit));
    evaluate_rows(rig, &rig->travel);
    if (!factor(rig))
        return -EINVAL;
    for (rig->rank = 0; rig->rank < least_of(rig); rig->rank++)
        if (!(pivot_at(rig, rig->rank) > LK_RANK_TOLERANCE))
            break;
    return 0;
}

int lk_rig_null_motions(const struct lk_rig *rig, double **ret)
{
    size_t n = (size_t)rig->n;
    int free_motions = rig->n - rig->rank;
    double *Z = calloc(n * (size_t)free_motions + 1, sizeof(double));

    if (!Z)
        return -ENOMEM;
    for (int i = 0; i < free_motions; i++)
        Z[(size_t)i * n + (size_t)(rig->rank + i)] = 1;
    if (free_motions > 0 && least_of(rig) > 0 &&
        LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'N', rig->n, free_motions, least_of(rig), rig->A,
                       rig->n, rig->tau, Z, rig->n) != 0) {
        free(Z);
        return -ENOMEM;
    }
    *ret = Z;
    return free_motions;
}

bool lk_rig_nudge(struct lk_rig *rig, const double *along, double amount,
                  const struct lk_rig_target *target)
{
    lk_loops_move(&rig->loops, along, amount, rig->pose);
    return close_rows(rig, target, ASTRAY * fabs(amount) * largest_of(along, rig->n) + STEP_LEAST);
}

static void blend(const struct lk_rig_target *from, const struct lk_rig_target *to, double part,
                  struct lk_rig_target *ret)
{
    for (int w = 0; w < LK_SUSPENSION_WHEELS_MAX; w++)
        ret->height[w] = from->height[w] + part * (to->height[w] - from->height[w]);
    ret->steer = from->steer + part * (to->steer - from->steer);
    if (part == 1)
        *ret = *to;
}

/* Return the largest part of the whole way @along, in [0, 1], that one step may take. */
static double part_of_step(const struct lk_rig *rig, const double *along)
{
    double part = STEP_MOST / lk_max(motion_of_wheels(rig, along), STEP_MOST);

    return lk_min(part, TURN_MOST / lk_max(largest_of(along, rig->n), TURN_MOST));
}

/* Take one step towards @target along the whole remaining way @along. Return: false: the path ends
 * here. */
static bool step(struct lk_rig *rig, const struct lk_rig_target *target, const double *along)
{
    double part = part_of_step(rig, along), size = largest_of(along, rig->n);
    struct lk_rig_target next, from = rig->travel;

    lk_rig_keep(rig);
    for (; part * size >= STEP_LEAST || part == 1; part /= 2) {
        blend(&from, target, part, &next);
        if (lk_rig_nudge(rig, along, part, &next)) {
            accept(rig, &next);
            return true;
        }
        lk_rig_return(rig);
    }
    return false;
}

static bool is_there(const struct lk_rig *rig, const struct lk_rig_target *target)
{
    return memcmp(&rig->travel, target, sizeof(*target)) == 0;
}

bool lk_rig_advance(struct lk_rig *rig, const struct lk_rig_target *target, const char **ret_why)
{
    double *along = calloc((size_t)rig->n + 1, sizeof(double));
    bool is_good = along != NULL;

    while (is_good && !is_there(rig, target)) {
        struct lk_rig_target left;

        if (!lk_rig_units(rig)) {
            *ret_why = "the joints are in a singular pose";
            is_good = false;
            break;
        }
        for (int w = 0; w < LK_SUSPENSION_WHEELS_MAX; w++)
            left.height[w] = target->height[w] - rig->travel.height[w];
        left.steer = target->steer - rig->travel.steer;
        lk_rig_direction(rig, &left, along);
        is_good = step(rig, target, along);
        if (!is_good)
            *ret_why = "the joints do not close beyond it";
    }
    free(along);
    return is_good;
}
