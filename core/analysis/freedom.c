/* SPDX-License-Identifier: Apache-2.0 */
/* Independent coordinates by pivoting of the null space.
 *
 * Z spans the motions that the rigid rows allow. Each candidate, a coordinate of a joint or a shift
 * or turn of a body along or about a world axis, has a gradient of unit length. The components of
 * the gradient in Z are its free part. Candidates are chosen one by one, and the component along
 * the chosen candidate is removed from all other candidates (Gram-Schmidt). Drives and outputs use
 * coordinates of joints, so coordinates of joints are preferred if the component of one of them is
 * nearly as large as the largest one of the bodies. Among equals the first one in the file is
 * chosen.
 *
 * A body outside the loops adds as many motions as its joint leaves free, independent of all
 * other motions, so it is treated separately. */
#include "analysis/freedom.h"
#include "maths/vec.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MATRIX_MAX 2e7 /* values, 160 MB */
#define WORK_MAX   5e9 /* products: some seconds */
/* fraction of the largest component: the first candidate above it is chosen */
#define ENOUGH 0.5
/* fraction of the largest component of bodies: joints above it are preferred */
#define PREFERRED 0.1
#define NO_LENGTH 1e-9 /* a coordinate with a shorter gradient is no candidate */

#define ENTRIES_MAX 12

/** struct candidate - gradient of a candidate, of unit length, with translations in units of
 * lk_loops.length.
 * @entry: its @n_entries nonzero entries;  @row: row of each entry */
struct candidate {
    struct lk_free_coordinate is;
    int n_entries;
    int row[ENTRIES_MAX];
    double entry[ENTRIES_MAX];
};

/** struct choice - working state.
 * @Z:    n_motions motions of n_rows values each;  @W: remaining components in Z of each candidate
 * @left: squared length of these components */
struct choice {
    const struct lk_loops *l;
    int n_motions;
    int n_joints; /* number of candidates that are coordinates of joints; they come first */
    int n;
    double *Z;
    struct candidate *candidate;
    double *W;
    double *left;
};

static bool is_here(const struct lk_loops *l, int body)
{
    return body < l->sys->n_bodies && l->row[body] >= 0;
}

static void put(struct candidate *c, int row, double value)
{
    c->row[c->n_entries] = row;
    c->entry[c->n_entries++] = value;
}

/* Scale the gradient to unit length. Return: false if no motion changes the coordinate. */
static bool normalise(struct candidate *c)
{
    double length = 0;

    for (int i = 0; i < c->n_entries; i++)
        length += c->entry[i] * c->entry[i];
    length = sqrt(length);
    for (int i = 0; i < c->n_entries && length > 0; i++)
        c->entry[i] /= length;
    return length > NO_LENGTH;
}

static bool differentiate(const struct lk_loops *l, int j, int which, struct candidate *c)
{
    const struct lk_system *sys = l->sys;
    const struct lk_joint *joint = &sys->joint[j];
    const struct lk_pose *pose[LK_SIDES_MAX] = LK_TWO_SIDES(sys->pose, joint);
    double J[2][6];

    *c = (struct candidate){.is = {.joint = j, .which = which, .body = -1}};
    lk_joint_ops(joint->type)->coordinate_jacobian(joint, pose, which, J);
    for (int s = 0; s < 2; s++) {
        int b = joint->body[s];

        for (int k = 0; k < 6 && is_here(l, b); k++)
            put(c, l->row[b] + k, J[s][k] * (k < 3 ? l->length[b] : 1));
    }
    return normalise(c);
}

/* Add the gradient of a direction of body @b. @direction: 0 to 2: shift along an axis of the
 * world; 3 to 5: rotation about an axis */
static void point_body(const struct lk_loops *l, int b, int direction, struct candidate *c)
{
    const double *R = l->sys->pose[b].R;

    *c =
        (struct candidate){.is = {.joint = -1, .body = l->sys->body[b].of, .direction = direction}};
    if (direction < 3)
        put(c, l->row[b] + direction, 1);
    for (int k = 0; k < 3 && direction >= 3; k++)
        put(c, l->row[b] + 3 + k, R[3 * (direction - 3) + k]);
}

/* add the modal coordinates of a body with modes */
static void list_modes(struct choice *c)
{
    const struct lk_system *sys = c->l->sys;

    for (int i = 0; i < sys->n_modals && c->l->n_rows > 6 * c->l->n_bodies; i++)
        for (int k = 0; k < sys->modal[i].n; k++) {
            struct candidate *to = &c->candidate[c->n++];

            *to = (struct candidate){
                .is = {.joint = -1, .body = sys->modal[i].body, .direction = 6 + k}};
            put(to, 6 * c->l->n_bodies + sys->modal[i].at + k, 1);
        }
}

/* Return whether the coordinates of joint @j are candidates: all its bodies are in @l or fixed. */
static bool is_measured(const struct lk_loops *l, int j)
{
    const struct lk_joint *joint = &l->sys->joint[j];

    if (lk_joint_traits[joint->type].n_coordinates == 0)
        return false;
    for (int s = 0; s < 2 && l->column[j] < 0; s++)
        if (!is_here(l, joint->body[s]) && joint->body[s] < l->sys->n_bodies)
            return false;
    return true;
}

/* List the candidates: rotations of bodies before shifts, because most joints leave rotations
 * free, and rotations do not depend on a lever arm. */
static int list_candidates(struct choice *c, int first_joint, int n_joints)
{
    const struct lk_loops *l = c->l;
    size_t most = (size_t)l->n_rows + (size_t)n_joints * LK_COORDINATES_MAX;

    c->candidate = calloc(most + 1, sizeof(*c->candidate));
    if (!c->candidate)
        return -ENOMEM;
    for (int j = first_joint; j < first_joint + n_joints; j++)
        for (int i = 0;
             is_measured(l, j) && i < lk_joint_traits[l->sys->joint[j].type].n_coordinates; i++)
            c->n += differentiate(l, j, i, &c->candidate[c->n]);
    c->n_joints = c->n;
    for (int half = 1; half >= 0; half--)
        for (int i = 0; i < l->n_bodies; i++)
            for (int k = 0; k < 3; k++)
                point_body(l, l->body_of[i], 3 * half + k, &c->candidate[c->n++]);
    list_modes(c);
    return 0;
}

/* compute W = Z^T gradient for all candidates */
static int project(struct choice *c)
{
    size_t n = (size_t)c->l->n_rows, m = (size_t)c->n_motions;

    if ((double)m * c->n > MATRIX_MAX || (double)m * (double)m * c->n > WORK_MAX)
        return LK_E_MODEL;
    c->W = calloc(m * (size_t)c->n + 1, sizeof(double));
    c->left = calloc((size_t)c->n + 1, sizeof(double));
    if (!c->W || !c->left)
        return -ENOMEM;
    for (int i = 0; i < c->n; i++) {
        const struct candidate *from = &c->candidate[i];
        double *w = c->W + (size_t)i * m;

        for (size_t k = 0; k < m; k++) {
            for (int e = 0; e < from->n_entries; e++)
                w[k] += c->Z[k * n + (size_t)from->row[e]] * from->entry[e];
            c->left[i] += w[k] * w[k];
        }
    }
    return 0;
}

static double largest_left(const struct choice *c, int from, int to)
{
    double largest = 0;

    for (int i = from; i < to; i++)
        largest = lk_max(largest, c->left[i]);
    return largest;
}

/* Return the next candidate to choose. The code compares squares of lengths. */
static int find_next(const struct choice *c)
{
    double joints = largest_left(c, 0, c->n_joints), bodies = largest_left(c, c->n_joints, c->n);
    bool is_joint = joints > 0 && joints >= PREFERRED * PREFERRED * bodies;
    double enough = ENOUGH * ENOUGH * (is_joint ? joints : bodies);
    int i = is_joint ? 0 : c->n_joints;

    while (i < c->n - 1 && !(c->left[i] >= enough))
        i++;
    return i;
}

/* remove the component along candidate @taken from all other candidates */
static void take_out(struct choice *c, int taken)
{
    size_t m = (size_t)c->n_motions;
    const double *w = c->W + (size_t)taken * m;
    double length = c->left[taken];

    for (int i = 0; i < c->n; i++) {
        double *x = c->W + (size_t)i * m;
        double along = 0;

        if (i == taken || c->left[i] == 0)
            continue;
        for (size_t k = 0; k < m; k++)
            along += w[k] * x[k];
        c->left[i] = 0;
        for (size_t k = 0; k < m; k++) {
            x[k] -= along / length * w[k];
            c->left[i] += x[k] * x[k];
        }
    }
    c->left[taken] = 0;
}

static int compare(const void *a, const void *b)
{
    const struct lk_free_coordinate *x = a, *y = b;

    if ((x->joint < 0) != (y->joint < 0))
        return x->joint < 0 ? 1 : -1;
    if (x->joint != y->joint)
        return x->joint - y->joint;
    if (x->joint >= 0)
        return x->which - y->which;
    return x->body != y->body ? x->body - y->body : x->direction - y->direction;
}

/* Take the candidates that are in @list already. */
static void take_listed(struct choice *c, const struct lk_free_coordinate *list, int n)
{
    for (int k = 0; k < n; k++) {
        int i = 0;

        while (i < c->n - 1 && compare(&c->candidate[i].is, &list[k]) != 0)
            i++;
        take_out(c, i);
    }
}

/* Add as many coordinates to @list as there are motions in @l and none of the @n_taken coordinates
 * in the list. Candidates are joints @first to @first + @n_joints - 1. */
static int choose(const struct lk_loops *l, const struct lk_rank *rank, int first, int n_joints,
                  struct lk_free_coordinate *list, int *n, int n_taken)
{
    struct choice c = {.l = l, .n_motions = l->n_rows - rank->rank};
    int r = (double)l->n_rows * c.n_motions > MATRIX_MAX ? LK_E_MODEL : 0;

    if (r == 0)
        r = lk_rank_motions(l, rank, &c.Z);
    if (r == 0)
        r = list_candidates(&c, first, n_joints);
    if (r == 0)
        r = project(&c);
    if (r == 0)
        take_listed(&c, list, n_taken);
    for (int i = n_taken; i < c.n_motions && r == 0; i++) {
        int next = find_next(&c);

        list[(*n)++] = c.candidate[next].is;
        take_out(&c, next);
    }
    free(c.Z);
    free(c.candidate);
    free(c.W);
    free(c.left);
    return r;
}

/* Choose the coordinates of body @b outside the loops, with all other bodies fixed. @l: has room
 * for one joint, all of its rows are -1 */
static int choose_held(struct lk_loops *l, int b, int j, struct lk_free_coordinate *list, int *n)
{
    struct lk_rank rank;
    int r;

    l->n_columns = 0;
    for (int i = 0; j >= 0 && i < lk_rigid_rows(&l->sys->joint[j]); i++)
        l->joint_of_column[l->n_columns++] = j;
    l->row[b] = 0;
    l->body_of[0] = b;
    if (j >= 0)
        l->column[j] = 0;
    r = lk_rank_init(l, l->sys->pose, LK_COLUMNS_ALL, LK_RANK_TOLERANCE, &rank);
    if (r == 0) {
        r = choose(l, &rank, j >= 0 ? j : 0, j >= 0, list, n, 0);
        lk_rank_fini(&rank);
    }
    l->row[b] = -1;
    if (j >= 0)
        l->column[j] = -1;
    return r;
}

static int choose_outside(const struct lk_loops *loops, struct lk_free_coordinate *list, int *n)
{
    const struct lk_system *sys = loops->sys;
    int joint_of_column[LK_ROWS_MAX], body_of[1], r = 0;
    struct lk_loops l = {.sys = sys,
                         .n_rows = 6,
                         .n_bodies = 1,
                         .joint_of_column = joint_of_column,
                         .body_of = body_of,
                         .length = loops->length};

    l.column = malloc(((size_t)sys->n_joints + 1) * sizeof(int));
    l.row = malloc(((size_t)sys->n_bodies + 1) * sizeof(int));
    if (!l.column || !l.row)
        r = -ENOMEM;
    for (int j = 0; j < sys->n_joints && r == 0; j++)
        l.column[j] = -1;
    for (int b = 0; b < sys->n_bodies && r == 0; b++)
        l.row[b] = -1;
    for (int b = 0; b < sys->n_bodies && r == 0; b++)
        if (loops->row[b] < 0)
            r = choose_held(&l, b, loops->held_by[b], list, n);
    free(l.column);
    free(l.row);
    return r;
}

int lk_freedom_choose(const struct lk_loops *loops, const struct lk_rank *rank,
                      struct lk_free_coordinate **ret_list, int *ret_n)
{
    size_t most = 6 * (size_t)loops->sys->n_bodies + (size_t)loops->sys->n_modes;
    struct lk_free_coordinate *list = calloc(most + 1, sizeof(*list));
    int n = 0, r = list ? 0 : -ENOMEM;

    if (r == 0 && loops->n_rows > 0)
        r = choose(loops, rank, 0, loops->sys->n_joints, list, &n, 0);
    if (r == 0)
        r = choose_outside(loops, list, &n);
    if (r != 0) {
        free(list);
        return r;
    }
    qsort(list, (size_t)n, sizeof(*list), compare);
    *ret_list = list;
    *ret_n = n;
    return 0;
}

int lk_freedom_complete(const struct lk_loops *all, const struct lk_rank *holonomic,
                        struct lk_free_coordinate *list, int *n)
{
    return choose(all, holonomic, 0, all->sys->n_joints, list, n, *n);
}
