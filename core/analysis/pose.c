/* SPDX-License-Identifier: Apache-2.0 */
/* Test whether the initial pose is singular, by comparing the rank of the rows with the rank in
 * nearby poses.
 *
 * To find a nearby pose, all bodies move a little along a random motion that the rows allow to
 * first order. Then Gauss-Newton closes the joints again (least squares, smallest motion, LAPACK
 * dgelsy) in the plane perpendicular to that motion, so that the mechanism cannot return to the
 * initial pose. If no finite motion exists (a stretched strut between two ground points), the
 * iteration does not converge. Rows of drives are omitted while bodies move, because drives
 * would move in time; they are included in the rank. The generic rank is the largest rank found. */
#include "analysis/loops.h"
#include "linkage/analysis.h"
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include <errno.h>
#include <lapacke.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MATRIX_MAX 1e6 /* most values of the dense matrix: a few seconds of work */
#define SAMPLES    3   /* nearby poses to test; one is almost always enough */
/* nearby poses to test at a pose where branches meet, because all poses of some branches are
 * singular */
#define SAMPLES_MORE 12
#define MATRIX_MORE  1e5 /* most values of a matrix for which SAMPLES_MORE are tested */
/* rounds; at a pose where branches meet, a round gains only a factor of 4: 1e9 in 15 rounds */
#define CLOSING_ROUNDS 30
#define CLOSED         1e-12 /* largest gap of closed joints, above round-off */
/* round-off of a position, relative to the position: a few sums of doubles */
#define ROUNDOFF 3e-15
#define LOST     20 /* distance in steps: a pose farther away is not nearby */
/* truncation of singular values while closing, relative: round-off of the matrix */
#define TRUNCATION 1e-9
/* tolerance of the rank in nearby poses: more than the root of CLOSED */
#define NEARBY 1e-5
/* fraction of the largest share: bodies and joints below it are not named */
#define SHARE_SHOWN 0.1

static const double steps[] = {0.05, 0.01, 0.002}; /* [rad], or of the length of a body */

/** struct search - working state of the search for a nearby pose.
 * @closed:    gap that counts as closed
 * @z:         a motion, n_rows, or violations;  @moved: sum of the motions
 * @direction: the first motion, of unit length */
struct search {
    const struct lk_loops *l;
    uint64_t random;
    double closed;
    struct lk_pose *pose;
    double *A;
    double *z;
    double *moved;
    double *direction;
    int *pivot;
};

static int search_init(struct search *s, const struct lk_loops *l)
{
    size_t n = (size_t)l->n_rows, m = (size_t)l->n_columns;

    *s = (struct search){.l = l, .random = 1};
    s->pose = calloc((size_t)l->sys->n_bodies + 1, sizeof(*s->pose));
    s->A = calloc(n * (m + 1), sizeof(double));
    s->z = calloc(n + m + 1, sizeof(double));
    s->moved = calloc(n + 1, sizeof(double));
    s->direction = calloc(n + 1, sizeof(double));
    s->pivot = calloc(n + 1, sizeof(int));
    return s->pose && s->A && s->z && s->moved && s->direction && s->pivot ? 0 : -ENOMEM;
}

static void search_fini(struct search *s)
{
    free(s->pose);
    free(s->A);
    free(s->z);
    free(s->moved);
    free(s->direction);
    free(s->pivot);
}

/* return a pseudo-random value in [-1, 1), the same in every run (multiplier: Knuth, MMIX) */
static double random_value(struct search *s)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(s->random >> 11) * 0x1p-52 - 1;
}

static double largest_of(const double *x, int n)
{
    double largest = 0;

    for (int i = 0; i < n; i++)
        largest = lk_max(largest, fabs(x[i]));
    return largest;
}

/* move all bodies of the loops along @scale s->z */
static void move(struct search *s, double scale)
{
    const struct lk_loops *l = s->l;

    for (int i = 0; i < l->n_rows; i++) {
        s->z[i] *= scale;
        s->moved[i] += s->z[i];
    }
    lk_loops_move(l, s->z, 1, s->pose);
}

/* Make one Gauss-Newton iteration: take the minimum-norm solution of the least-squares problem,
 * perpendicular to s->direction, which is appended as a column. */
static bool improve(struct search *s, double step)
{
    const struct lk_loops *l = s->l;
    size_t n = (size_t)l->n_rows, m = (size_t)l->n_columns;
    int rank;

    memcpy(s->A + n * m, s->direction, n * sizeof(double));
    s->z[m] = 0;
    memset(s->pivot, 0, n * sizeof(int));
    /* n x m + 1 by columns is the transpose, m + 1 x n, by rows */
    if (LAPACKE_dgelsy(LAPACK_ROW_MAJOR, l->n_columns + 1, l->n_rows, 1, s->A, l->n_rows, s->z, 1,
                       s->pivot, TRUNCATION, &rank) != 0)
        return false;
    move(s, -1);
    return largest_of(s->moved, l->n_rows) < LOST * step;
}

/* Close the joints by Gauss-Newton iterations from s->pose. Return: false: not closed. */
static bool close_joints(struct search *s, double step)
{
    const struct lk_loops *l = s->l;

    for (int round = 0; round < CLOSING_ROUNDS; round++) {
        lk_loops_matrix(l, s->pose, LK_COLUMNS_PASSIVE, s->A, s->z);
        if (largest_of(s->z, l->n_columns) <= s->closed)
            return true;
        if (!improve(s, step))
            return false;
    }
    return false;
}

/* Move to a nearby pose, in a random direction of the @n_free motions @Z. */
static bool find_nearby(struct search *s, const double *Z, int n_free, double step)
{
    const struct lk_loops *l = s->l;
    size_t n = (size_t)l->n_rows;
    double length = 0;

    memcpy(s->pose, l->sys->pose, (size_t)l->sys->n_bodies * sizeof(*s->pose));
    memset(s->z, 0, n * sizeof(double));
    memset(s->moved, 0, n * sizeof(double));
    for (int i = 0; i < n_free; i++) {
        double share = random_value(s);

        length += share * share;
        for (size_t k = 0; k < n; k++)
            s->z[k] += share * Z[(size_t)i * n + k];
    }
    for (size_t k = 0; k < n; k++)
        s->direction[k] = s->z[k] / sqrt(length);
    move(s, step / largest_of(s->z, l->n_rows));
    return close_joints(s, step);
}

/* Return the gap that counts as closed: round-off of positions, and initial gaps. */
static double initial_gap_of(struct search *s)
{
    const struct lk_loops *l = s->l;
    double roundoff = 0;

    lk_loops_matrix(l, l->sys->pose, LK_COLUMNS_PASSIVE, s->A, s->z);
    for (int i = 0; i < l->n_rows / 6; i++)
        roundoff = lk_max(roundoff,
                          largest_of(l->sys->pose[l->body_of[i]].x, 3) / l->length[l->body_of[i]]);
    return lk_max(lk_max(CLOSED, ROUNDOFF * roundoff), 2 * largest_of(s->z, l->n_columns));
}

/* return whether @i attempts suffice: enough poses were found, and none of them has a larger
 * rank than the present pose */
static bool is_enough(const struct search *s, const struct lk_pose_check *c, int here, int best,
                      int i)
{
    if (i <= SAMPLES || c->n_nearby == 0)
        return i > SAMPLES;
    if ((double)s->l->n_rows * s->l->n_columns > MATRIX_MORE || i >= SAMPLES_MORE)
        return true;
    return c->n_nearby >= SAMPLES && best <= here;
}

/* Find a nearby pose in a random direction. Store it in @best if its rank is larger than that of
 * @best. */
static int sample(struct search *s, const double *Z, int n_free, struct lk_pose_check *c,
                  struct lk_rank *best)
{
    struct lk_rank f;
    bool found = false;
    int r;

    for (size_t k = 0; k < sizeof(steps) / sizeof(*steps) && !found; k++)
        found = find_nearby(s, Z, n_free, steps[k]);
    if (!found)
        return 0;
    c->n_nearby++;
    r = lk_rank_init(s->l, s->pose, LK_COLUMNS_ALL, NEARBY, &f);
    if (r < 0)
        return r;
    if (best->A && f.rank <= best->rank) {
        lk_rank_fini(&f);
        return 0;
    }
    lk_rank_fini(best);
    *best = f;
    return 0;
}

/* Find the largest rank in nearby poses, with its factors in @best, which is unchanged if no pose
 * is found. @here: rank in the present pose */
static int search_poses(struct search *s, int here, struct lk_pose_check *c, struct lk_rank *best)
{
    struct lk_rank passive;
    double *Z = NULL;
    int r = lk_rank_init(s->l, s->l->sys->pose, LK_COLUMNS_PASSIVE, LK_RANK_TOLERANCE, &passive);
    int n_free;

    if (r < 0)
        return r;
    n_free = s->l->n_rows - passive.rank;
    r = lk_rank_motions(s->l, &passive, &Z);
    lk_rank_fini(&passive);
    s->closed = initial_gap_of(s);
    c->can_move = n_free > 0;
    for (int i = 0; r == 0 && n_free > 0 && !is_enough(s, c, here, best->rank, i); i++)
        r = sample(s, Z, n_free, c, best);
    free(Z);
    return r;
}

/* List the indices of the large values, the largest first. */
static int *name_largest(const double *share, int n, int *ret_n)
{
    int *list = calloc((size_t)n + 1, sizeof(int));
    double largest = largest_of(share, n);

    *ret_n = 0;
    for (int i = 0; i < n && list; i++) {
        int at = *ret_n;

        if (!(share[i] > SHARE_SHOWN * largest))
            continue;
        for (; at > 0 && share[list[at - 1]] < share[i]; at--)
            list[at] = list[at - 1];
        list[at] = i;
        (*ret_n)++;
    }
    return list;
}

/* remove the motions of the nearby pose, @Y, from the motions @Z, and sum up the remainder for each
 * body */
static void share_of_extra(const struct lk_loops *l, double *Z, int n_Z, const double *Y, int n_Y,
                           double *share)
{
    size_t n = (size_t)l->n_rows;

    for (int i = 0; i < n_Z; i++) {
        double *z = Z + (size_t)i * n;

        for (int k = 0; k < n_Y; k++) {
            const double *y = Y + (size_t)k * n;
            double along = 0;

            for (size_t a = 0; a < n; a++)
                along += y[a] * z[a];
            for (size_t a = 0; a < n; a++)
                z[a] -= along * y[a];
        }
        for (size_t a = 0; a < n; a++)
            share[l->body_of[a / 6]] += z[a] * z[a];
    }
}

/* Name the bodies that move most in motions that are not possible in nearby poses; without
 * @nearby, in all motions */
static int name_bodies(const struct lk_loops *l, const struct lk_rank *here,
                       const struct lk_rank *nearby, struct lk_pose_check *c)
{
    double *share = calloc((size_t)l->sys->n_bodies + 1, sizeof(double));
    double *Z = NULL, *Y = NULL;
    int r = share ? lk_rank_motions(l, here, &Z) : -ENOMEM;

    if (r == 0 && nearby->A)
        r = lk_rank_motions(l, nearby, &Y);
    if (r == 0) {
        share_of_extra(l, Z, l->n_rows - here->rank, Y, Y ? l->n_rows - nearby->rank : 0, share);
        c->bodies = name_largest(share, l->sys->n_bodies, &c->n_bodies);
        r = c->bodies ? 0 : -ENOMEM;
    }
    free(share);
    free(Z);
    free(Y);
    return r;
}

/* find the singular values, and the joints whose rows contribute most to the smallest nonzero value
 */
static int weigh_rows(const struct lk_loops *l, int rank, struct lk_pose_check *c)
{
    int n = l->n_rows, m = l->n_columns, k = n < m ? n : m;
    double *A = calloc((size_t)n * (size_t)m + 1, sizeof(double));
    double *U = calloc((size_t)n * (size_t)k + 1, sizeof(double));
    double *V = calloc((size_t)k * (size_t)m + 1, sizeof(double));
    double *sigma = calloc((size_t)k + 1, sizeof(double));
    double *share = calloc((size_t)l->sys->n_joints + 1, sizeof(double));
    int r = A && U && V && sigma && share ? 0 : -ENOMEM;

    if (r == 0) {
        lk_loops_matrix(l, l->sys->pose, LK_COLUMNS_ALL, A, NULL);
        r = LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', n, m, A, n, sigma, U, n, V, k) == 0 ? 0 : -ENOMEM;
    }
    if (r == 0 && rank > 0) {
        for (int i = 0; i < m; i++) {
            double v = V[(size_t)i * (size_t)k + (size_t)(rank - 1)];

            share[l->joint_of_column[i]] += v * v;
        }
        c->smallest = sigma[rank - 1];
        c->largest = sigma[0];
        c->joints = name_largest(share, l->sys->n_joints, &c->n_joints);
        r = c->joints ? 0 : -ENOMEM;
    }
    free(A);
    free(U);
    free(V);
    free(sigma);
    free(share);
    return r;
}

static enum lk_pose_kind kind_of(const struct lk_pose_check *c, const struct lk_rank *here,
                                 const struct lk_rank *nearby)
{
    if (c->can_move && c->n_nearby == 0)
        return LK_POSE_STUCK;
    return nearby->A && nearby->rank > here->rank ? LK_POSE_SINGULAR : LK_POSE_REGULAR;
}

static int check_loops(const struct lk_loops *l, struct lk_pose_check *c)
{
    struct lk_rank here = {0}, nearby = {0};
    struct search s;
    int r = search_init(&s, l);

    if (r == 0)
        r = lk_rank_init(l, l->sys->pose, LK_COLUMNS_ALL, LK_RANK_TOLERANCE, &here);
    if (r == 0)
        r = search_poses(&s, here.rank, c, &nearby);
    if (r == 0) {
        c->kind = kind_of(c, &here, &nearby);
        c->n_extra = c->kind == LK_POSE_SINGULAR ? nearby.rank - here.rank : 0;
        r = weigh_rows(l, here.rank, c);
    }
    if (r == 0 && c->kind != LK_POSE_REGULAR)
        r = name_bodies(l, &here, &nearby, c);
    lk_rank_fini(&here);
    lk_rank_fini(&nearby);
    search_fini(&s);
    return r;
}

int lk_pose_check_init(const struct lk_system *sys, struct lk_pose_check *ret_check)
{
    LK_ARITHMETIC;
    struct lk_pose_check c = {.kind = LK_POSE_REGULAR};
    struct lk_loops l;
    int r = lk_loops_init(sys, &l);

    if (r < 0)
        return r;
    c.n_loop_rows = l.n_columns;
    /* a loop through a body with modes is closed by its deformation, at any pose */
    if ((double)l.n_columns * l.n_rows > MATRIX_MAX || sys->n_modals > 0)
        r = LK_E_MODEL;
    else if (l.n_columns > 0)
        r = check_loops(&l, &c);
    lk_loops_fini(&l);
    if (r == 0)
        *ret_check = c;
    else
        lk_pose_check_fini(&c);
    return r;
}

void lk_pose_check_fini(struct lk_pose_check *check)
{
    free(check->joints);
    free(check->bodies);
    *check = (struct lk_pose_check){0};
}
