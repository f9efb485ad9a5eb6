/* SPDX-License-Identifier: Apache-2.0 */
/* See flexible.h. */
#include "solve/flexible.h"
#include "maths/vec.h"
#include <string.h>

/* ---- forces and motions ---- */

void lk_flexible_gather(const struct lk_flexible *b, int node, const struct lk_twist *on,
                        struct lk_flexible_force *force)
{
    const struct lk_flexible_node *a = &b->node[node];

    for (int i = 0; i < 3; i++) {
        const double *move = a->move + i * b->pad, *bend = a->bend + i * b->pad;

        force->v[i] += on->v[i];
        for (int k = 0; k < 3; k++)
            force->w[k] += a->turn[3 * i + k] * on->v[i] + a->spin[3 * i + k] * on->w[i];
        for (int k = 0; k < b->n; k++)
            force->q[k] += move[k] * on->v[i] + bend[k] * on->w[i];
    }
}

void lk_flexible_weigh(const struct lk_flexible *b, struct lk_flexible_force *force)
{
    double torque[3];

    for (int i = 0; i < 3; i++) {
        torque[i] = force->w[i];
        for (int k = 0; k < b->n; k++)
            torque[i] -= b->coupling[i * b->pad + k] * force->q[k];
        force->v[i] *= b->mass;
    }
    lk_sym_mul(b->inertia, torque, force->w);
    for (int k = 0; k < b->n; k++) {
        force->q[k] *= b->s * b->weight[k];
        for (int i = 0; i < 3; i++)
            force->q[k] -= b->coupling[i * b->pad + k] * force->w[i];
    }
}

void lk_flexible_spread(const struct lk_flexible *b, int node,
                        const struct lk_flexible_force *motion, struct lk_twist *ret)
{
    const struct lk_flexible_node *a = &b->node[node];

    for (int i = 0; i < 3; i++) {
        const double *move = a->move + i * b->pad, *bend = a->bend + i * b->pad;

        ret->v[i] = motion->v[i];
        ret->w[i] = 0;
        for (int k = 0; k < 3; k++) {
            ret->v[i] += a->turn[3 * i + k] * motion->w[k];
            ret->w[i] += a->spin[3 * i + k] * motion->w[k];
        }
        for (int k = 0; k < b->n; k++) {
            ret->v[i] += move[k] * motion->q[k];
            ret->w[i] += bend[k] * motion->q[k];
        }
    }
}

/* ---- the element ---- */

void lk_flexible_clear(const struct lk_flexible *b, int stride)
{
    memset(b->row, 0, (size_t)((6 + b->n) * stride) * sizeof(double));
}

/* The rows Phi T of the front, coordinate by coordinate: translation, rotation less H D^-1 times
 * the modes, modes. */
void lk_flexible_take(const struct lk_flexible *b, const struct lk_side *side, int node, int at,
                      int stride)
{
    const struct lk_flexible_node *a = &b->node[node];

    for (int r = 0; r < side->n; r++) {
        double *to = b->row + at + r, turn[3] = {0}, J[6];

        for (int k = 0; k < 3; k++) {
            J[3 + k] = side->turn[k * side->pad + r];
            if (side->is_point)
                J[k] = r < 3 && k == lk_point_axis(side->first, r) ? side->sign : 0;
            else
                J[k] = side->turn[(k - 3) * side->pad + r];
        }
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                turn[k] += a->turn[3 * i + k] * J[i] + a->spin[3 * i + k] * J[3 + i];
        for (int k = 0; k < b->n; k++) {
            double mode = 0;

            for (int i = 0; i < 3; i++)
                mode += a->move[i * b->pad + k] * J[i] + a->bend[i * b->pad + k] * J[3 + i];
            for (int i = 0; i < 3; i++)
                turn[i] -= b->coupling[i * b->pad + k] * mode;
            to[(6 + k) * stride] += mode;
        }
        for (int k = 0; k < 3; k++) {
            to[k * stride] += J[k];
            to[(3 + k) * stride] += turn[k];
        }
    }
}

void lk_flexible_add(const struct lk_flexible *b, int n, double *F, int stride)
{
    const double *row = b->row, *I = b->inertia;
    double *weighed = b->row + (6 + b->n) * stride;

    for (int r = 0; r < n; r++) {
        const double t[3] = {row[3 * stride + r], row[4 * stride + r], row[5 * stride + r]};

        for (int k = 0; k < 3; k++)
            weighed[k * stride + r] = b->mass * row[k * stride + r];
        weighed[3 * stride + r] = I[0] * t[0] + I[3] * t[1] + I[4] * t[2];
        weighed[4 * stride + r] = I[3] * t[0] + I[1] * t[1] + I[5] * t[2];
        weighed[5 * stride + r] = I[4] * t[0] + I[5] * t[1] + I[2] * t[2];
    }
    for (int k = 0; k < b->n; k++)
        for (int r = 0; r < n; r++)
            weighed[(6 + k) * stride + r] = b->s * b->weight[k] * row[(6 + k) * stride + r];
    for (int c = 0; c < n; c++)
        for (int r = c / 4 * 4; r < n; r += 4) {
            lk_four sum = *(const lk_four *)&F[c * stride + r];

            for (int k = 0; k < 6 + b->n; k++)
                sum += weighed[k * stride + c] * *(const lk_four *)&row[k * stride + r];
            *(lk_four *)&F[c * stride + r] = sum;
        }
}
