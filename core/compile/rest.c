/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/rest.h"
#include "maths/vec.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* half width of central differences, relative to the unknown or to 1. A large value is accurate,
 * because most blocks are linear */
#define DIFFERENCE 1e-4

static int take_memory(struct lk_rest *rest)
{
    size_t n = (size_t)rest->n, blocks = (size_t)rest->sys->net.n_blocks;
    size_t moves = (size_t)rest->n_moves;
    double *at = calloc(4 * n + 4 * blocks + 2 * blocks * moves + 1, sizeof(double));

    rest->memory = at;
    rest->value = calloc(n + 1, sizeof(*rest->value));
    rest->block = calloc(n + 1, sizeof(*rest->block));
    rest->is_held = calloc(n + 1, sizeof(*rest->is_held));
    if (!at || !rest->value || !rest->block || !rest->is_held)
        return -ENOMEM;
    double **const by_unknown[] = {&rest->f, &rest->size, &rest->other_f[0], &rest->other_f[1]};
    double **const by_block[] = {&rest->y, &rest->behind, &rest->other_y[0], &rest->other_y[1]};
    for (size_t i = 0; i < 4; i++, at += n)
        *by_unknown[i] = at;
    for (size_t i = 0; i < 4; i++, at += blocks)
        *by_block[i] = at;
    rest->y_by_pose = at;
    rest->pull = at + blocks * moves;
    return 0;
}

int lk_rest_init(struct lk_system *sys, int n_moves, struct lk_rest *ret)
{
    const struct lk_net *net = &sys->net;
    int r, n = net->n_states;

    *ret = (struct lk_rest){.sys = sys, .n = net->n_states, .n_moves = n_moves};
    for (int i = 0; i < net->n_blocks; i++)
        ret->n += net->block[i].kind == LK_BLOCK_DELAY;
    r = take_memory(ret);
    for (int i = 0; i < net->n_blocks && r == 0; i++) {
        const struct lk_net_block *b = &net->block[i];

        for (int k = b->state; k < b->state + b->n_states; k++) {
            ret->value[k] = &sys->now.blocks[k];
            ret->block[k] = i;
        }
        if (b->kind == LK_BLOCK_DELAY) {
            ret->value[n] = lk_blocks_shown(sys, &sys->now) + i;
            ret->block[n++] = i;
        }
    }
    if (r != 0)
        lk_rest_fini(ret);
    return r;
}

void lk_rest_fini(struct lk_rest *rest)
{
    free(rest->memory);
    free(rest->value);
    free(rest->block);
    free(rest->is_held);
    *rest = (struct lk_rest){0};
}

/* ---- outputs and residuals ---- */

void lk_rest_look(struct lk_rest *rest, double *ret_y, double *ret_f)
{
    const struct lk_net *net = &rest->sys->net;

    lk_blocks_rest(rest->sys, rest->behind);
    memcpy(ret_y, net->y, (size_t)net->n_blocks * sizeof(double));
    for (int k = 0; k < rest->n; k++)
        ret_f[k] = k < net->n_states ? net->f[k] : rest->behind[rest->block[k]];
}

void lk_rest_set(struct lk_rest *rest)
{
    const struct lk_net *net = &rest->sys->net;

    lk_rest_look(rest, rest->y, rest->f);
    for (int k = 0; k < net->n_states; k++) {
        const struct lk_net_block *b = &net->block[rest->block[k]];
        double z = *rest->value[k];

        rest->is_held[k] = b->n_states == 1 &&
                           ((z >= b->upper && rest->f[k] > 0) || (z <= b->lower && rest->f[k] < 0));
        rest->f[k] = rest->is_held[k] ? 0 : rest->f[k];
    }
    lk_blocks_push(rest->sys, rest->y);
}

void lk_rest_push(struct lk_rest *rest, int block, double more)
{
    double y = rest->y[block];

    rest->y[block] += more;
    lk_blocks_push(rest->sys, rest->y);
    rest->y[block] = y;
}

double lk_rest_left(const struct lk_rest *rest, int *ret_at)
{
    double largest = 0;

    *ret_at = 0;
    for (int k = 0; k < rest->n; k++) {
        double left = rest->f[k] == 0 ? 0 : fabs(rest->f[k]) / rest->size[k];

        if (!(left <= largest)) {
            largest = left;
            *ret_at = k;
        }
    }
    return largest;
}

/* ---- the Newton step ---- */

/* Compute the derivatives of y and f with respect to unknown @k into other_y[0], other_f[0], by
 * central differences */
static void differ(struct lk_rest *rest, int k)
{
    double z = *rest->value[k], amount = DIFFERENCE * lk_max(1, fabs(z));

    for (int side = 0; side < 2; side++) {
        *rest->value[k] = side == 0 ? z + amount : z - amount;
        lk_rest_look(rest, rest->other_y[side], rest->other_f[side]);
    }
    *rest->value[k] = z;
    for (int i = 0; i < rest->sys->net.n_blocks; i++)
        rest->other_y[0][i] = (rest->other_y[0][i] - rest->other_y[1][i]) / (2 * amount);
    for (int i = 0; i < rest->n; i++)
        rest->other_f[0][i] = (rest->other_f[0][i] - rest->other_f[1][i]) / (2 * amount);
}

static void add_pull(const struct lk_rest *rest, double *A, size_t width, size_t column, int block,
                     double slope)
{
    const double *pull = rest->pull + (size_t)block * (size_t)rest->n_moves;

    for (int r = 0; r < rest->n_moves && slope != 0; r++)
        A[(size_t)r * width + column] += pull[r] * slope;
}

/* Return the magnitude of the terms of f in @row, with unknowns of at least 1 and rotations of 1
 * rad. */
static double size_of(const struct lk_rest *rest, const double *row, int first, double length)
{
    double sum = 0;

    for (int c = 0; c < rest->n_moves; c++)
        sum += fabs(row[c]) * (c % 6 < 3 ? length : 1);
    for (int k = 0; k < rest->n; k++)
        sum += fabs(row[first + k]) * lk_max(1, fabs(*rest->value[k]));
    return sum;
}

void lk_rest_fill(struct lk_rest *rest, double *A, int width, int first, double time, double length)
{
    int n_blocks = rest->sys->net.n_blocks;
    size_t w = (size_t)width;

    for (int i = 0; i < n_blocks; i++)
        for (int c = 0; c < rest->n_moves; c++)
            add_pull(rest, A, w, (size_t)c, i, rest->y_by_pose[i * rest->n_moves + c]);
    for (int k = 0; k < rest->n; k++) {
        differ(rest, k);
        for (int i = 0; i < n_blocks; i++)
            add_pull(rest, A, w, (size_t)(first + k), i, rest->other_y[0][i]);
        for (int r = 0; r < rest->n; r++)
            A[(size_t)(first + r) * w + (size_t)(first + k)] = rest->other_f[0][r];
    }
    for (int k = 0; k < rest->n; k++) {
        double *row = A + (size_t)(first + k) * w;

        rest->size[k] = size_of(rest, row, first, length);
        if (rest->is_held[k])
            memset(row, 0, w * sizeof(double));
        row[first + k] -= 1 / time;
    }
}

void lk_rest_follow(struct lk_rest *rest, const double *x)
{
    for (int k = 0; k < rest->n; k++) {
        const struct lk_net_block *b = &rest->sys->net.block[rest->block[k]];

        *rest->value[k] += x[k];
        if (k < rest->sys->net.n_states && b->n_states == 1)
            *rest->value[k] = fmin(fmax(*rest->value[k], b->lower), b->upper);
    }
}

void lk_rest_keep(struct lk_rest *rest)
{
    const struct lk_net *net = &rest->sys->net;

    for (int k = net->n_states; k < rest->n; k++) {
        const struct lk_net_block *b = &net->block[rest->block[k]];

        for (int i = 0; i < 2 * (b->steps + 1); i++)
            rest->sys->now.blocks[b->ring + i] = *rest->value[k];
    }
}
