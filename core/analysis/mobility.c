/* SPDX-License-Identifier: Apache-2.0 */
/* Rank of the rigid rows by a rank-revealing QR with column pivoting.
 *
 * A body that hangs by a single joint adds as many independent directions as that joint has rows,
 * so such bodies are taken away first, again and again; what remains are the loops. Each row
 * becomes a column of Phi_q M^-1/2, scaled to unit length, so that masses and units do not decide
 * the rank. */
#include "linkage/analysis.h"
#include "maths/vec.h"
#include "step/system.h"
#include <errno.h>
#include <lapacke.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define RANK_TOLERANCE  1e-8 /* of a column of unit length: below, a row says nothing new */
#define MATRIX_MAX      2e7  /* values of the dense matrix, 160 MB */
#define SHARE_TOLERANCE 1e-6 /* a row with a smaller coefficient takes no part in a dependence */

/** struct loops - the part of a mechanism that has loops.
 * @column: first column of each joint, -1: not in a loop;  @row: first row of each body, or -1 */
struct loops {
    int n_columns;
    int n_rows;
    int *column;
    int *row;
    int *joint_of_column;
};

static void loops_fini(struct loops *l)
{
    free(l->column);
    free(l->row);
    free(l->joint_of_column);
    *l = (struct loops){0};
}

/* take away bodies with fewer than two joints until none is left */
static int prune(const struct lk_system *sys, bool *gone)
{
    int *degree = calloc((size_t)sys->n_bodies + 1, sizeof(int));
    bool again = true;

    if (!degree)
        return -ENOMEM;
    while (again) {
        again = false;
        memset(degree, 0, sizeof(int) * ((size_t)sys->n_bodies + 1));
        for (int j = 0; j < sys->n_joints; j++)
            for (int s = 0; s < 2 && !gone[j]; s++)
                degree[sys->joint[j].body[s]]++;
        for (int j = 0; j < sys->n_joints; j++)
            for (int s = 0; s < 2 && !gone[j]; s++) {
                int b = sys->joint[j].body[s];

                if (b != sys->n_bodies && degree[b] == 1)
                    gone[j] = again = true;
            }
    }
    free(degree);
    return 0;
}

static int loops_init(const struct lk_system *sys, struct loops *l)
{
    bool *gone = calloc((size_t)sys->n_joints + 1, sizeof(bool));
    int r = gone ? prune(sys, gone) : -ENOMEM;

    *l = (struct loops){0};
    l->column = calloc((size_t)sys->n_joints + 1, sizeof(int));
    l->row = calloc((size_t)sys->n_bodies + 1, sizeof(int));
    l->joint_of_column = calloc((size_t)sys->n_rows + 1, sizeof(int));
    if (r < 0 || !l->column || !l->row || !l->joint_of_column) {
        free(gone);
        loops_fini(l);
        return -ENOMEM;
    }
    for (int b = 0; b <= sys->n_bodies; b++)
        l->row[b] = -1;
    for (int j = 0; j < sys->n_joints; j++) {
        const struct lk_joint *joint = &sys->joint[j];

        l->column[j] = gone[j] ? -1 : l->n_columns;
        for (int r1 = 0; r1 < joint->n_rigid && !gone[j]; r1++)
            l->joint_of_column[l->n_columns++] = j;
        for (int s = 0; s < 2 && !gone[j]; s++)
            if (joint->body[s] != sys->n_bodies && l->row[joint->body[s]] < 0) {
                l->row[joint->body[s]] = l->n_rows;
                l->n_rows += 6;
            }
    }
    free(gone);
    return 0;
}

/* Cholesky factor C of J^-1 = C C^T, lower triangle as xx yx yy zx zy zz */
static void root_of_inertia(const double W[6], double C[6])
{
    C[0] = sqrt(W[0]);
    C[1] = W[3] / C[0];
    C[2] = sqrt(W[1] - C[1] * C[1]);
    C[3] = W[4] / C[0];
    C[4] = (W[5] - C[3] * C[1]) / C[2];
    C[5] = sqrt(W[2] - C[3] * C[3] - C[4] * C[4]);
}

/* one row of one side, times M^-1/2, into its column */
static void fill_side(const struct lk_inverse_mass *W, const double row[6], double *column)
{
    double C[6];

    root_of_inertia(W->inertia, C);
    for (int i = 0; i < 3; i++)
        column[i] = sqrt(W->mass) * row[i];
    column[3] = row[3] * C[0] + row[4] * C[1] + row[5] * C[3];
    column[4] = row[4] * C[2] + row[5] * C[4];
    column[5] = row[5] * C[5];
}

static void fill_matrix(const struct lk_system *sys, const struct loops *l, double *A)
{
    for (int j = 0; j < sys->n_joints; j++) {
        const struct lk_joint *joint = &sys->joint[j];

        for (int r = 0; r < joint->n_rigid && l->column[j] >= 0; r++) {
            double *column = A + (size_t)(l->column[j] + r) * (size_t)l->n_rows;
            double length = 0;

            for (int s = 0; s < 2; s++) {
                int b = joint->body[s];
                double row[6];

                lk_jacobian_row(sys->jacobian[j], s, r, row);
                if (b != sys->n_bodies)
                    fill_side(&sys->W[b], row, column + l->row[b]);
            }
            for (int i = 0; i < l->n_rows; i++)
                length += column[i] * column[i];
            for (int i = 0; i < l->n_rows; i++)
                column[i] /= sqrt(length);
        }
    }
}

/* rows that depend on others: their coefficients in terms of the independent ones name the joints
 */
static void mark_dependent(const struct loops *l, const double *A, const int *pivot, int rank,
                           double *y, bool *marked)
{
    size_t n = (size_t)l->n_rows;

    for (int c = rank; c < l->n_columns; c++) {
        marked[l->joint_of_column[pivot[c] - 1]] = true;
        memcpy(y, A + (size_t)c * n, (size_t)rank * sizeof(double));
        for (int i = rank - 1; i >= 0; i--) {
            for (int k = i + 1; k < rank; k++)
                y[i] -= A[(size_t)k * n + (size_t)i] * y[k];
            y[i] /= A[(size_t)i * n + (size_t)i];
            if (fabs(y[i]) > SHARE_TOLERANCE)
                marked[l->joint_of_column[pivot[i] - 1]] = true;
        }
    }
}

static int rank_of(const struct loops *l, const double *A)
{
    int most = l->n_rows < l->n_columns ? l->n_rows : l->n_columns;
    int rank = 0;

    while (rank < most && fabs(A[(size_t)rank * (size_t)(l->n_rows + 1)]) > RANK_TOLERANCE)
        rank++;
    return rank;
}

static int factor_loops(const struct lk_system *sys, const struct loops *l, bool *marked,
                        int *ret_rank)
{
    double *A = calloc((size_t)l->n_rows * (size_t)l->n_columns + 1, sizeof(double));
    double *tau = calloc((size_t)l->n_columns + 1, sizeof(double));
    double *y = calloc((size_t)l->n_columns + 1, sizeof(double));
    int *pivot = calloc((size_t)l->n_columns + 1, sizeof(int));
    int r = -ENOMEM;

    if (A && tau && y && pivot) {
        fill_matrix(sys, l, A);
        r = LAPACKE_dgeqp3(LAPACK_COL_MAJOR, l->n_rows, l->n_columns, A, l->n_rows, pivot, tau);
        r = r == 0 ? 0 : -ENOMEM;
    }
    if (r == 0) {
        *ret_rank = rank_of(l, A);
        mark_dependent(l, A, pivot, *ret_rank, y, marked);
    }
    free(A);
    free(tau);
    free(y);
    free(pivot);
    return r;
}

int lk_mobility_init(const struct lk_system *sys, struct lk_mobility *ret_mobility)
{
    struct lk_mobility m = {.rank = sys->summary.n_rows_rigid};
    bool *marked = calloc((size_t)sys->n_joints + 1, sizeof(bool));
    struct loops l;
    int rank = 0;
    int r = loops_init(sys, &l);

    m.joints = calloc((size_t)sys->n_joints + 1, sizeof(int));
    if (r == 0 && (!marked || !m.joints))
        r = -ENOMEM;
    if (r == 0 && (double)l.n_columns * l.n_rows > MATRIX_MAX)
        r = LK_E_MODEL;
    if (r == 0 && l.n_columns > 0)
        r = factor_loops(sys, &l, marked, &rank);
    if (r == 0) {
        m.n_redundant = l.n_columns - rank;
        m.rank -= m.n_redundant;
        m.dof = 6 * sys->n_bodies - m.rank;
        for (int j = 0; j < sys->n_joints; j++)
            if (marked[j])
                m.joints[m.n_joints++] = j;
        *ret_mobility = m;
    } else {
        free(m.joints);
    }
    loops_fini(&l);
    free(marked);
    return r;
}

void lk_mobility_fini(struct lk_mobility *mobility)
{
    free(mobility->joints);
    *mobility = (struct lk_mobility){0};
}
