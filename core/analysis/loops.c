/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/loops.h"
#include "maths/vec.h"
#include <errno.h>
#include <lapacke.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* fraction of the longest length: a body with shorter arms gets the longest length instead */
#define LENGTH_MIN 1e-6

/* Return whether @body is the ground or a frame that a drive moves. */
static bool is_fixed(const struct lk_system *sys, int body)
{
    return body >= sys->n_bodies;
}

int lk_loops_is_driven(const struct lk_loops *l, int c)
{
    int j = l->joint_of_column[c];

    return j >= 0 && l->sys->joint[j].kind == LK_ROWS_DRIVEN;
}

static void count_sides(const struct lk_system *sys, const bool *gone, int *degree)
{
    memset(degree, 0, sizeof(int) * ((size_t)sys->n_bodies + 1));
    for (int j = 0; j < sys->n_joints; j++)
        for (int s = 0; s < sys->joint[j].n_sides && !gone[j]; s++)
            if (!is_fixed(sys, sys->joint[j].body[s]))
                degree[sys->joint[j].body[s]]++;
}

/* remove bodies with fewer than two joints until none remains; compliant rows do not count */
static int prune(const struct lk_system *sys, bool *gone, int *held_by)
{
    int *degree = calloc((size_t)sys->n_bodies + 1, sizeof(int));
    bool again = true;

    if (!degree)
        return -ENOMEM;
    for (int j = 0; j < sys->n_joints; j++)
        gone[j] = lk_is_compliant(&sys->joint[j]);
    while (again) {
        again = false;
        count_sides(sys, gone, degree);
        for (int j = 0; j < sys->n_joints; j++)
            for (int s = 0; s < sys->joint[j].n_sides && !gone[j]; s++) {
                int b = sys->joint[j].body[s];

                if (is_fixed(sys, b) || degree[b] != 1)
                    continue;
                held_by[b] = j;
                gone[j] = again = true;
            }
    }
    free(degree);
    return 0;
}

static void number_body(struct lk_loops *l, int b)
{
    l->body_of[l->n_bodies++] = b;
    l->row[b] = l->n_rows;
    l->n_rows += 6;
}

static void number_joint(struct lk_loops *l, int j)
{
    const struct lk_joint *joint = &l->sys->joint[j];

    l->column[j] = l->n_columns;
    for (int r = 0; r < lk_rigid_rows(joint); r++)
        l->joint_of_column[l->n_columns++] = j;
    for (int s = 0; s < joint->n_sides; s++) {
        int b = joint->body[s];

        if (!is_fixed(l->sys, b) && l->row[b] < 0 && !(l->is_held && l->is_held[b]))
            number_body(l, b);
    }
}

/* compute the distance from each centre of mass to the farthest joint point; for a body without
 * arms, the largest distance of all others */
static void measure_lengths(struct lk_loops *l)
{
    double longest = 0;

    for (int j = 0; j < l->sys->n_joints; j++) {
        const struct lk_joint *joint = &l->sys->joint[j];

        for (int s = 0; s < 2 && !joint->of[0]; s++) {
            int b = joint->body[s];

            if (is_fixed(l->sys, b))
                continue;
            l->length[b] = lk_max(l->length[b], lk_norm(joint->p[s]));
            longest = lk_max(longest, l->length[b]);
        }
    }
    for (int i = 0; i < l->sys->n_modals; i++)
        longest = lk_max(longest, lk_modal_size(&l->sys->modal[i]));
    for (int b = 0; b < l->sys->n_bodies; b++)
        if (!(l->length[b] > LENGTH_MIN * longest))
            l->length[b] = longest > 0 ? longest : 1;
    for (int i = 0; i < l->sys->n_modals; i++) {
        const struct lk_modal *m = &l->sys->modal[i];
        double size = lk_modal_size(m);

        for (int a = -1; a < m->n_nodes && size > 0; a++)
            l->length[a < 0 ? m->body : m->node[a].body] = size;
    }
}

static int take_memory(struct lk_loops *l)
{
    size_t joints = (size_t)l->sys->n_joints + 1, bodies = (size_t)l->sys->n_bodies + 1;

    l->column = calloc(joints, sizeof(int));
    l->row = calloc(bodies, sizeof(int));
    l->joint_of_column = calloc((size_t)l->sys->n_rows + 6 * bodies, sizeof(int));
    l->body_of = calloc(bodies, sizeof(int));
    l->held_by = calloc(bodies, sizeof(int));
    l->length = calloc(bodies, sizeof(double));
    if (!l->column || !l->row || !l->joint_of_column || !l->body_of || !l->held_by || !l->length)
        return -ENOMEM;
    for (int b = 0; b < l->sys->n_bodies; b++)
        l->row[b] = l->held_by[b] = -1;
    return 0;
}

/* Assign columns to all joints that are not @gone. */
static void number_joints(struct lk_loops *l, const bool *gone)
{
    for (int j = 0; j < l->sys->n_joints; j++) {
        l->column[j] = -1;
        if (!gone[j])
            number_joint(l, j);
    }
    measure_lengths(l);
}

int lk_loops_init(const struct lk_system *sys, struct lk_loops *ret_loops)
{
    struct lk_loops l = {.sys = sys};
    bool *gone;

    if (sys->summary.n_in_plane > 0)
        return -EINVAL;
    if (sys->n_modals > 0)
        return lk_loops_all(sys, ret_loops);
    gone = calloc((size_t)sys->n_joints + 1, sizeof(bool));

    if (!gone || take_memory(&l) < 0 || prune(sys, gone, l.held_by) < 0) {
        free(gone);
        lk_loops_fini(&l);
        return -ENOMEM;
    }
    number_joints(&l, gone);
    free(gone);
    *ret_loops = l;
    return 0;
}

double lk_loops_mode_unit(const struct lk_loops *l, const struct lk_modal *m)
{
    return l->length[m->body] * sqrt(l->sys->body[m->body].mass);
}

/* Assign rows to all modal coordinates, and columns to all nodes. */
static void number_modes(struct lk_loops *l)
{
    for (int i = 0; i < l->sys->n_modals; i++)
        for (int c = 0; c < 6 * l->sys->modal[i].n_nodes; c++)
            l->joint_of_column[l->n_columns++] = -1;
    l->n_rows += l->sys->n_modes;
}

int lk_loops_all(const struct lk_system *sys, struct lk_loops *ret_loops)
{
    bool *gone = calloc((size_t)sys->n_joints + 1, sizeof(bool));
    struct lk_loops l = {.sys = sys};

    if (!gone || take_memory(&l) < 0) {
        free(gone);
        lk_loops_fini(&l);
        return -ENOMEM;
    }
    for (int j = 0; j < sys->n_joints; j++)
        gone[j] = lk_is_compliant(&sys->joint[j]);
    number_joints(&l, gone);
    for (int b = 0; b < sys->n_bodies; b++)
        if (l.row[b] < 0)
            number_body(&l, b);
    number_modes(&l);
    free(gone);
    *ret_loops = l;
    return 0;
}

/* Return whether a joint connects only bodies that do not move. */
static bool moves_nothing(const struct lk_system *sys, const struct lk_joint *joint,
                          const bool *is_held)
{
    for (int s = 0; s < joint->n_sides; s++)
        if (!is_fixed(sys, joint->body[s]) && !is_held[joint->body[s]])
            return false;
    return true;
}

int lk_loops_beside(const struct lk_system *sys, const bool *is_held, struct lk_loops *ret_loops)
{
    bool *gone = calloc((size_t)sys->n_joints + 1, sizeof(bool));
    struct lk_loops l = {.sys = sys, .is_held = is_held};

    if (!gone || take_memory(&l) < 0) {
        free(gone);
        lk_loops_fini(&l);
        return -ENOMEM;
    }
    for (int j = 0; j < sys->n_joints; j++)
        gone[j] = lk_is_compliant(&sys->joint[j]) || moves_nothing(sys, &sys->joint[j], is_held);
    number_joints(&l, gone);
    for (int b = 0; b < sys->n_bodies; b++)
        if (l.row[b] < 0 && !is_held[b])
            number_body(&l, b);
    free(gone);
    *ret_loops = l;
    return 0;
}

void lk_loops_fini(struct lk_loops *l)
{
    free(l->column);
    free(l->row);
    free(l->joint_of_column);
    free(l->body_of);
    free(l->held_by);
    free(l->length);
    *l = (struct lk_loops){0};
}

/** struct block - rows of one joint at given poses. */
struct block {
    double J[6 * LK_SIDES_MAX * LK_ROWS_PAD] __attribute__((aligned(64)));
    double phi[LK_ROWS_PAD];
    struct lk_jacobian jacobian;
};

/* return the poses of the sides of a joint if the bodies are at @pose */
static void find_sides(const struct lk_system *sys, const struct lk_pose *pose,
                       const struct lk_joint *joint, const struct lk_pose *ret[LK_SIDES_MAX])
{
    for (int s = 0; s < LK_SIDES_MAX; s++) {
        int b = s < joint->n_sides ? joint->body[s] : sys->n_bodies;

        ret[s] = is_fixed(sys, b) ? &sys->pose[b] : &pose[b];
    }
}

/* Return the change of coordinate @k of a coupling since the present pose, at most half a turn. */
static double change_of_coordinate(const struct lk_system *sys, const struct lk_pose *pose,
                                   const struct lk_joint *coupling, int k)
{
    const struct lk_joint *of = coupling->of[k];
    const struct lk_joint_type_ops *ops = lk_joint_ops(of->type);
    const struct lk_pose *here[LK_SIDES_MAX], *there[LK_SIDES_MAX];
    double change;

    find_sides(sys, sys->pose, of, here);
    find_sides(sys, pose, of, there);
    change = ops->coordinate(of, there, coupling->which[k]) -
             ops->coordinate(of, here, coupling->which[k]);
    if (lk_joint_coordinate_is_angle(of->type, coupling->which[k]))
        change = remainder(change, 2 * M_PI);
    return change;
}

/* evaluate the rows of a joint. A coupling counts as closed in the present pose, whatever the turns
 * so far. The value of a coordinate row, such as a drive, is its change since the present pose */
static void evaluate_joint(const struct lk_system *sys, const struct lk_pose *pose, int j,
                           struct block *ret)
{
    const struct lk_joint *joint = &sys->joint[j];
    const struct lk_pose *at[LK_SIDES_MAX];

    *ret = (struct block){.jacobian = sys->jacobian[j]};
    ret->jacobian.J = ret->J;
    find_sides(sys, pose, joint, at);
    lk_joint_jacobian(joint, at, ret->jacobian);
    if (!joint->of[0])
        lk_joint_violation(joint, at, ret->phi);
    else if (!joint->of[1])
        ret->phi[0] = change_of_coordinate(sys, pose, joint, 0);
    else
        ret->phi[0] = change_of_coordinate(sys, pose, joint, 1) -
                      joint->ratio * change_of_coordinate(sys, pose, joint, 0) +
                      (joint->of[2] ? change_of_coordinate(sys, pose, joint, 2) : 0);
}

void lk_loops_rows(const struct lk_system *sys, const struct lk_pose *pose, int j,
                   struct lk_loops_rows *ret)
{
    const struct lk_joint *joint = &sys->joint[j];
    struct block block;

    evaluate_joint(sys, pose, j, &block);
    memcpy(ret->phi, block.phi, sizeof(ret->phi));
    for (int r = 0; r < joint->n_rows; r++)
        for (int s = 0; s < joint->n_sides; s++)
            lk_jacobian_row(block.jacobian, s, r, ret->row[r][s]);
}

static void move_body(struct lk_pose *pose, double length, const double z[6])
{
    double q[4], turn[9], R[9];

    for (int i = 0; i < 3; i++)
        pose->x[i] += length * z[i];
    lk_rotation_exp(z + 3, q);
    lk_quat_matrix(q, turn);
    memcpy(R, pose->R, sizeof(R));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            pose->R[3 * i + k] =
                R[3 * i] * turn[k] + R[3 * i + 1] * turn[3 + k] + R[3 * i + 2] * turn[6 + k];
}

void lk_loops_move(const struct lk_loops *l, const double *z, double amount, struct lk_pose *pose)
{
    for (int i = 0; i < 6 * l->n_bodies; i += 6) {
        int b = l->body_of[i / 6];
        double by[6];

        for (int k = 0; k < 6; k++)
            by[k] = amount * z[i + k];
        move_body(&pose[b], l->length[b], by);
    }
}

double lk_loops_coordinate(const struct lk_system *sys, const struct lk_pose *pose, int j,
                           int which, double ret_row[2][6])
{
    const struct lk_joint *joint = &sys->joint[j];
    const struct lk_pose *at[LK_SIDES_MAX];

    find_sides(sys, pose, joint, at);
    memset(ret_row, 0, 12 * sizeof(double));
    lk_joint_ops(joint->type)->coordinate_jacobian(joint, at, which, ret_row);
    return lk_joint_ops(joint->type)->coordinate(joint, at, which);
}

/* Write one row into its column, scaled to unit length. Return: the scale. Bodies without rows
 * are fixed. */
static double fill_column(const struct lk_loops *l, const struct lk_joint *joint,
                          const struct block *block, int r, double *column)
{
    double length = 0, scale;

    for (int s = 0; s < joint->n_sides; s++) {
        int b = joint->body[s];
        double row[6];

        if (is_fixed(l->sys, b) || l->row[b] < 0)
            continue;
        lk_jacobian_row(block->jacobian, s, r, row);
        for (int k = 0; k < 6; k++)
            column[l->row[b] + k] += row[k] * (k < 3 ? l->length[b] : 1);
    }
    for (int i = 0; i < l->n_rows; i++)
        length += column[i] * column[i];
    scale = length > 0 ? 1 / sqrt(length) : 0;
    for (int i = 0; i < l->n_rows; i++)
        column[i] *= scale;
    return scale;
}

/* Write the column that ties direction @c of a node to the motion of its body and the modes: its
 * own motion less T of the others, of unit length. */
static void fill_node(const struct lk_loops *l, const struct lk_modal *m, int a, int c,
                      double *column)
{
    const struct lk_flexible_node *T = &m->flexible->node[a];
    double *body = column + l->row[m->body], *mode = column + 6 * l->n_bodies + m->at;
    double unit = lk_loops_mode_unit(l, m), length = 0;
    int b = m->node[a].body, i = c % 3;
    const double *slope = (c < 3 ? T->move : T->bend) + i * m->flexible->pad;

    column[l->row[b] + c] = c < 3 ? l->length[b] : 1;
    for (int k = 0; k < 3; k++)
        body[3 + k] -= (c < 3 ? T->turn : T->spin)[3 * i + k];
    if (c < 3)
        body[c] -= l->length[m->body];
    for (int k = 0; k < m->n; k++)
        mode[k] -= unit * slope[k];
    for (int k = 0; k < l->n_rows; k++)
        length += column[k] * column[k];
    for (int k = 0; k < l->n_rows; k++)
        column[k] /= sqrt(length);
}

/* Write the columns of all nodes, from @A on. */
static void fill_nodes(const struct lk_loops *l, double *A)
{
    for (int i = 0; i < l->sys->n_modals; i++)
        for (int a = 0; a < l->sys->modal[i].n_nodes; a++)
            for (int c = 0; c < 6; c++, A += l->n_rows)
                fill_node(l, &l->sys->modal[i], a, c, A);
}

void lk_loops_matrix(const struct lk_loops *l, const struct lk_pose *pose, enum lk_columns which,
                     double *A, double *phi)
{
    memset(A, 0, (size_t)l->n_rows * (size_t)l->n_columns * sizeof(double));
    for (int c = 0; c < l->n_columns;) {
        int j = l->joint_of_column[c];

        if (j < 0) {
            if (phi)
                memset(phi + c, 0, (size_t)(l->n_columns - c) * sizeof(double));
            fill_nodes(l, A + (size_t)c * (size_t)l->n_rows);
            return;
        }
        const struct lk_joint *joint = &l->sys->joint[j];
        int skip = which == LK_COLUMNS_PASSIVE && lk_loops_is_driven(l, c);
        int n = joint->n_rows - (which == LK_COLUMNS_HOLONOMIC ? lk_slip_rows(joint) : 0);
        struct block block;

        evaluate_joint(l->sys, pose, j, &block);
        for (int r = 0; r < lk_rigid_rows(joint); r++, c++) {
            double scale = 0;

            if (!skip && r < n)
                scale = fill_column(l, joint, &block, r, A + (size_t)c * (size_t)l->n_rows);
            if (phi)
                phi[c] = scale * block.phi[r];
        }
    }
}

static int count_rank(const struct lk_loops *l, const double *A, double tolerance)
{
    int most = l->n_rows < l->n_columns ? l->n_rows : l->n_columns;
    int rank = 0;

    while (rank < most && fabs(A[(size_t)rank * (size_t)(l->n_rows + 1)]) > tolerance)
        rank++;
    return rank;
}

int lk_rank_init(const struct lk_loops *l, const struct lk_pose *pose, enum lk_columns which,
                 double tolerance, struct lk_rank *ret_rank)
{
    struct lk_rank f = {
        .A = calloc((size_t)l->n_rows * (size_t)l->n_columns + 1, sizeof(double)),
        .tau = calloc((size_t)l->n_columns + 1, sizeof(double)),
        .pivot = calloc((size_t)l->n_columns + 1, sizeof(int)),
    };
    int r = f.A && f.tau && f.pivot ? 0 : -ENOMEM;

    if (r == 0 && l->n_columns > 0 && l->n_rows > 0) {
        lk_loops_matrix(l, pose, which, f.A, NULL);
        r = LAPACKE_dgeqp3(LAPACK_COL_MAJOR, l->n_rows, l->n_columns, f.A, l->n_rows, f.pivot,
                           f.tau);
        r = r == 0 ? 0 : r < -1000 ? -ENOMEM : -EINVAL;
    }
    if (r < 0) {
        lk_rank_fini(&f);
        return r;
    }
    f.rank = count_rank(l, f.A, tolerance);
    *ret_rank = f;
    return 0;
}

void lk_rank_fini(struct lk_rank *f)
{
    free(f->A);
    free(f->tau);
    free(f->pivot);
    *f = (struct lk_rank){0};
}

int lk_rank_motions(const struct lk_loops *l, const struct lk_rank *f, double **ret)
{
    int n = l->n_rows, n_motions = n - f->rank;
    int k = n < l->n_columns ? n : l->n_columns;
    double *Z = calloc((size_t)n * (size_t)n_motions + 1, sizeof(double));

    if (!Z)
        return -ENOMEM;
    for (int i = 0; i < n_motions; i++)
        Z[(size_t)i * (size_t)n + (size_t)(f->rank + i)] = 1;
    if (n_motions > 0 && k > 0 &&
        LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'N', n, n_motions, k, f->A, n, f->tau, Z, n) != 0) {
        free(Z);
        return -ENOMEM;
    }
    *ret = Z;
    return 0;
}
