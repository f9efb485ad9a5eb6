/* SPDX-License-Identifier: Apache-2.0 */
/* Cut rows: the rows of joints that close loops, of drives, couplings and distances. Each cut row
 * acts on the tree with an unknown force. A backward and a forward sweep with the force of one row
 * alone give a column of the operator S = Phi_q M^-1 Phi_q^T of the cut rows. Then the system
 *
 *     S lambda = Phi_q a + gamma,   a: accelerations without cut rows,
 *
 * is solved by Cholesky factorisation with pivoting, which skips dependent rows. */
#include "methods/formulations/recursive.h"
#include <string.h>

void lk_recursive_list_rows(struct lk_recursive *r)
{
    const struct lk_system *sys = r->mechanics->system;
    struct lk_mechanics_block block;
    int n = 0;

    for (int i = 0; i < r->relative->n_cut; i++) {
        lk_mechanics_read_block(r->mechanics, r->relative->cut[i], &block);
        for (int k = 0; k < block.n_rows; k++) {
            struct lk_recursive_row *row = &r->row[n++];

            row->at = block.first_row + k;
            row->mobility = sys->scale[sys->joint[block.joint].row + k] / sys->s;
            row->n_sides = block.n_sides;
            for (int s = 0; s < block.n_sides; s++) {
                row->body[s] = block.body[s];
                memcpy(row->J[s], block.J[s][k], sizeof(row->J[s]));
            }
        }
    }
}

/* Return Phi_q a of a row, computed from the accelerations of centres of mass (world) and the
 * angular accelerations (body axes).
 * @with_bias: include velocity terms; 0 for the response to a force */
static double row_acceleration(const struct lk_recursive *r, const struct lk_recursive_row *row,
                               int with_bias)
{
    const struct lk_system *sys = r->mechanics->system;
    double sum = 0;

    for (int s = 0; s < row->n_sides; s++) {
        const struct lk_recursive_body *body = &r->body[row->body[s]];
        const double *R = sys->pose[row->body[s]].R;
        double w[3], turn[3], inward[3], al[3];

        lk_cross(body->a + 3, body->arm, turn);
        lk_rotate(R, sys->next.motion[row->body[s]].v.w, w);
        lk_cross_twice(w, body->arm, inward);
        lk_rotate_back(R, body->a + 3, al);
        for (int i = 0; i < 3; i++)
            sum += row->J[s][i] * (body->a[i] + turn[i] + (with_bias ? inward[i] : 0)) +
                   row->J[s][3 + i] * al[i];
    }
    return sum;
}

/* Add the wrench of the multiplier @lambda of a row, -Phi_q^T lambda, to p of its bodies, at their
 * points O. */
static void push_row(struct lk_recursive *r, const struct lk_recursive_row *row, double lambda)
{
    for (int s = 0; s < row->n_sides; s++) {
        struct lk_recursive_body *body = &r->body[row->body[s]];
        double torque[3], moment[3], force[3];

        for (int i = 0; i < 3; i++)
            force[i] = -lambda * row->J[s][i];
        lk_rotate(r->mechanics->system->pose[row->body[s]].R, row->J[s] + 3, torque);
        lk_cross(body->arm, force, moment);
        for (int i = 0; i < 3; i++) {
            body->p[i] += force[i];
            body->p[3 + i] += moment[i] - lambda * torque[i];
        }
    }
}

static void clear_forces(struct lk_recursive *r)
{
    for (int b = 0; b < r->n_bodies; b++)
        memset(r->body[b].p, 0, sizeof(r->body[b].p));
}

/* Compute S column by column, from the response to a unit multiplier of each row. */
static void find_operator(struct lk_recursive *r)
{
    int n = r->n_cut_rows;

    for (int k = 0; k < n; k++) {
        clear_forces(r);
        push_row(r, &r->row[k], 1);
        lk_recursive_gather(r, 0);
        lk_recursive_accelerate(r, 0, r->response);
        for (int i = 0; i < n; i++)
            r->S[i * n + k] = -row_acceleration(r, &r->row[i], 0);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            r->S[i * n + k] = r->S[k * n + i] = 0.5 * (r->S[i * n + k] + r->S[k * n + i]);
}

/* Compute the acceleration residual of the cut rows: Phi'' , plus Baumgarte's terms if selected. */
static void find_lack(struct lk_recursive *r, double *ret)
{
    lk_mechanics_gamma(r->mechanics, r->all_rows);
    for (int i = 0; i < r->n_cut_rows; i++)
        ret[i] = row_acceleration(r, &r->row[i], 1) + r->all_rows[r->row[i].at];
    if (r->stabilisation != LK_STABILISATION_BAUMGARTE)
        return;
    lk_mechanics_rates(r->mechanics, r->all_rows);
    for (int i = 0; i < r->n_cut_rows; i++)
        ret[i] += 2 * r->baumgarte[0] * r->all_rows[r->row[i].at];
    lk_mechanics_violation(r->mechanics, r->all_rows);
    for (int i = 0; i < r->n_cut_rows; i++)
        ret[i] += r->baumgarte[1] * r->baumgarte[1] * r->all_rows[r->row[i].at];
}

void lk_recursive_close(struct lk_recursive *r, const double *raw, double *nu_rate)
{
    if (r->n_cut_rows == 0)
        return;
    lk_recursive_list_rows(r);
    find_lack(r, r->cut_lambda);
    find_operator(r);
    for (int i = 0; i < r->n_cut_rows; i++)
        r->row_scale[i] = r->row[i].mobility;
    lk_semidefinite_solve(r->n_cut_rows, r->S, r->row_scale, r->order, r->cut_lambda);
    lk_recursive_load(r, raw);
    for (int i = 0; i < r->n_cut_rows; i++)
        push_row(r, &r->row[i], r->cut_lambda[i]);
    lk_recursive_gather(r, 1);
    lk_recursive_accelerate(r, 1, nu_rate);
}

/* Write row @k of side @s to @ret as a wrench at O of its body, world axes. */
static void wrench_of_row(const struct lk_recursive *r, const struct lk_mechanics_block *block,
                          int s, int k, double ret[6])
{
    const double *J = block->J[s][k], *arm = r->body[block->body[s]].arm;
    double torque[3], moment[3];

    lk_rotate(r->mechanics->system->pose[block->body[s]].R, J + 3, torque);
    lk_cross(arm, J, moment);
    for (int i = 0; i < 3; i++) {
        ret[i] = J[i];
        ret[3 + i] = torque[i] + moment[i];
    }
}

/* Compute the multipliers of the joint between body @b and its parent. -Phi_q^T lambda is the
 * wrench of the joint on the body, and equals M a - p of its subtree, (13). This wrench lies in the
 * range of the rows, so normal equations have an exact solution. */
static void split_reaction(struct lk_recursive *r, int b, double *ret)
{
    const struct lk_recursive_body *body = &r->body[b];
    struct lk_mechanics_block block;
    double W[LK_ROWS_MAX][6], A[LK_ROWS_MAX * LK_ROWS_MAX], x[LK_ROWS_MAX], scale[LK_ROWS_MAX];
    int side, order[LK_ROWS_MAX], n;

    lk_mechanics_read_block(r->mechanics, r->block_of[r->relative->on[b].joint], &block);
    n = block.n_rows;
    side = block.body[0] == b ? 0 : 1;
    for (int k = 0; k < n; k++)
        wrench_of_row(r, &block, side, k, W[k]);
    for (int k = 0; k < n; k++) {
        x[k] = 0;
        for (int i = 0; i < 6; i++) {
            double f = -body->p[i];

            for (int l = 0; l < 6; l++)
                f += body->M[6 * i + l] * body->a[l];
            x[k] -= W[k][i] * f;
        }
        scale[k] = lk_dot(W[k], W[k]) + lk_dot(W[k] + 3, W[k] + 3);
        for (int l = 0; l < n; l++) {
            A[k * n + l] = 0;
            for (int i = 0; i < 6; i++)
                A[k * n + l] += W[k][i] * W[l][i];
        }
    }
    lk_semidefinite_solve(n, A, scale, order, x);
    memcpy(ret + block.first_row, x, (size_t)n * sizeof(double));
}

void lk_recursive_multipliers(struct lk_recursive *r, double *ret)
{
    for (int i = 0; i < r->n_cut_rows; i++)
        ret[r->row[i].at] = r->cut_lambda[i];
    for (int b = 0; b < r->n_bodies; b++)
        if (r->relative->on[b].joint >= 0)
            split_reaction(r, b, ret);
}
