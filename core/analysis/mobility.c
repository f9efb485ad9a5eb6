/* SPDX-License-Identifier: Apache-2.0 */
/* Degrees of freedom, coordinates for them and redundant rows, from the rank of the rigid rows.
 *
 * A row is in a dependence if it has a nonzero coefficient in some vanishing combination of
 * rows. QR with column pivoting gives a basis of these combinations: each row beyond the rank,
 * as a combination of the independent rows. A row occurs in some combination exactly if it
 * occurs in the basis, so the result does not depend on the choice of the basis. */
#include "analysis/freedom.h"
#include "maths/arithmetic.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MATRIX_MAX      2e7  /* values of the dense matrix, 160 MB */
#define SHARE_TOLERANCE 1e-6 /* coefficients below this value count as zero in a dependence */

/* mark the columns that depend on other columns, and the columns on which these depend */
static int mark_dependent(const struct lk_loops *l, const struct lk_rank *f, bool *marked)
{
    size_t n = (size_t)l->n_rows;
    double *y = calloc((size_t)f->rank + 1, sizeof(double));

    if (!y)
        return -ENOMEM;
    for (int c = f->rank; c < l->n_columns; c++) {
        marked[f->pivot[c] - 1] = true;
        memcpy(y, f->A + (size_t)c * n, (size_t)f->rank * sizeof(double));
        for (int i = f->rank - 1; i >= 0; i--) {
            for (int k = i + 1; k < f->rank; k++)
                y[i] -= f->A[(size_t)k * n + (size_t)i] * y[k];
            y[i] /= f->A[(size_t)i * n + (size_t)i];
            if (fabs(y[i]) > SHARE_TOLERANCE)
                marked[f->pivot[i] - 1] = true;
        }
    }
    free(y);
    return 0;
}

static int list_rows(const struct lk_loops *l, const bool *marked, struct lk_mobility *m)
{
    m->joints = calloc((size_t)l->n_columns + 1, sizeof(*m->joints));
    m->rows = calloc((size_t)l->n_columns + 1, sizeof(*m->rows));
    if (!m->joints || !m->rows)
        return -ENOMEM;
    for (int c = 0; c < l->n_columns; c++) {
        int j = l->joint_of_column[c];

        if (!marked[c] || j < 0)
            continue;
        if (m->n_joints == 0 || m->joints[m->n_joints - 1] != j)
            m->joints[m->n_joints++] = j;
        m->rows[m->n_rows++] = (struct lk_row){.joint = j, .row = c - l->column[j]};
    }
    return 0;
}

/* Find independent coordinates; none if there are too many to choose from. */
static int find_coordinates(const struct lk_loops *l, const struct lk_rank *f,
                            struct lk_mobility *m)
{
    int r = lk_freedom_choose(l, f, &m->coordinates, &m->n_coordinates);

    return r == LK_E_MODEL ? 0 : r;
}

static int rank_rows(const struct lk_loops *l, struct lk_mobility *m)
{
    bool *marked = calloc((size_t)l->n_columns + 1, sizeof(bool));
    struct lk_rank f = {0};
    int r = marked ? lk_rank_init(l, l->sys->pose, LK_COLUMNS_ALL, LK_RANK_TOLERANCE, &f) : -ENOMEM;

    if (r == 0) {
        m->n_redundant = l->n_columns - f.rank;
        r = mark_dependent(l, &f, marked);
    }
    if (r == 0)
        r = list_rows(l, marked, m);
    if (r == 0)
        r = find_coordinates(l, &f, m);
    lk_rank_fini(&f);
    free(marked);
    return r;
}

int lk_mobility_init(const struct lk_system *sys, struct lk_mobility *ret_mobility)
{
    LK_ARITHMETIC;
    struct lk_mobility m = {0};
    struct lk_loops l;
    int r = lk_loops_init(sys, &l);

    if (r < 0)
        return r;
    if ((double)l.n_columns * l.n_rows > MATRIX_MAX)
        r = LK_E_MODEL;
    else
        r = rank_rows(&l, &m);
    for (int j = 0; j < sys->n_joints; j++)
        m.rank += lk_rigid_rows(&sys->joint[j]);
    m.rank -= m.n_redundant;
    m.n_driven = sys->n_drives;
    m.dof = 6 * sys->n_bodies - m.rank + sys->n_modes;
    for (int i = 0; i < sys->n_modals; i++)
        m.dof -= 6 * sys->modal[i].n_nodes;
    lk_loops_fini(&l);
    if (r == 0)
        *ret_mobility = m;
    else
        lk_mobility_fini(&m);
    return r;
}

void lk_mobility_fini(struct lk_mobility *mobility)
{
    free(mobility->joints);
    free(mobility->rows);
    free(mobility->coordinates);
    *mobility = (struct lk_mobility){0};
}
