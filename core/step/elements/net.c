/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of blocks and the two stages of a step, see blocks.h. */
#include "maths/table.h"
#include "step/elements/blocks.h"
#include <float.h>
#include <math.h>
#include <string.h>

double lk_net_value(const struct lk_net *net, int i, const double *y,
                    const struct lk_net_signals *at)
{
    const struct lk_net_source *s = &net->source[i];

    switch (s->kind) {
    case LK_FROM_INPUT:
        return at->inputs[s->at];
    case LK_FROM_SENSOR:
        return at->sensors[s->at];
    case LK_FROM_BLOCK:
        return y[s->at];
    case LK_FROM_NUMBER:
        break;
    }
    return s->value;
}

static double value_of(const struct lk_net *net, int i, const struct lk_net_signals *at)
{
    return lk_net_value(net, i, net->y, at);
}

/* return value and slope of a table; the value is constant beyond the ends */
static double look_up(const struct lk_net_block *b, double x, double *ret_slope)
{
    double inside = fmin(fmax(x, b->x[0]), b->x[b->n_points - 1]), value;

    if (b->slope) {
        const struct lk_points points = {b->n_points, b->x, b->y, b->slope};
        struct lk_piece p = lk_points_piece(&points, inside);

        value = lk_piece_value(&p);
        *ret_slope = lk_piece_slope(&p);
    } else {
        int i = lk_points_interval(b->n_points, b->x, inside);

        *ret_slope = (b->y[i + 1] - b->y[i]) / (b->x[i + 1] - b->x[i]);
        value = b->y[i] + *ret_slope * (inside - b->x[i]);
    }
    *ret_slope = inside == x ? *ret_slope : 0;
    return value;
}

static double linear(const struct lk_net *net, const struct lk_net_block *b, const double *z,
                     const struct lk_net_signals *at)
{
    double sum = 0;

    for (int k = 0; k < b->n_states; k++)
        sum += b->c[k] * z[b->state + k];
    for (int k = 0; k < b->n_sources; k++)
        if (b->d[k] != 0) /* a source without direct effect may not be evaluated yet */
            sum += b->d[k] * value_of(net, b->first + k, at);
    return sum;
}

/* return the product of all sources. @slope: derivative with respect to each source */
static double product(const struct lk_net *net, const struct lk_net_block *b,
                      const struct lk_net_signals *at, double *slope)
{
    double all = 1;

    for (int k = 0; k < b->n_sources; k++) {
        slope[k] = 1;
        for (int i = 0; i < b->n_sources; i++)
            slope[k] *= i == k ? 1 : value_of(net, b->first + i, at);
        all *= value_of(net, b->first + k, at);
    }
    return all;
}

/* evaluate a block that is a curve over one source */
static double curve(const struct lk_net *net, const struct lk_net_block *b,
                    const struct lk_net_signals *at, double *slope)
{
    double u = value_of(net, b->first, at), inside = fmin(fmax(u, b->lower), b->upper);

    if (b->kind == LK_BLOCK_TABLE)
        return look_up(b, u, slope);
    if (b->kind == LK_BLOCK_SATURATION) {
        *slope = inside == u;
        return inside;
    }
    *slope = inside != u;
    return u - inside;
}

/* evaluate the output of block @i, and its slopes unless they are constant */
static void evaluate_output(struct lk_net *net, int i, const double *z,
                            const struct lk_net_signals *at)
{
    const struct lk_net_block *b = &net->block[i];

    switch (b->kind) {
    case LK_BLOCK_LINEAR:
        net->y[i] = linear(net, b, z, at);
        break;
    case LK_BLOCK_PRODUCT:
        net->y[i] = product(net, b, at, net->slope + b->first);
        break;
    case LK_BLOCK_DELAY:
        net->y[i] = at->delayed[i];
        break;
    default:
        net->y[i] = curve(net, b, at, net->slope + b->first);
        break;
    }
}

void lk_net_outputs(struct lk_net *net, const double *z, const struct lk_net_signals *at)
{
    for (int i = 0; i < net->n_blocks; i++)
        evaluate_output(net, net->order[i], z, at);
}

/* return b u of row @r of a block */
static double driven_by(const struct lk_net *net, const struct lk_net_block *b, int r,
                        const struct lk_net_signals *at)
{
    double sum = 0;

    for (int k = 0; k < b->n_sources; k++)
        sum += b->b[r * b->n_sources + k] * value_of(net, b->first + k, at);
    return sum;
}

static void evaluate_rates(struct lk_net *net, const struct lk_net_block *b, const double *z,
                           const struct lk_net_signals *at)
{
    for (int r = 0; r < b->n_states; r++) {
        double sum = driven_by(net, b, r, at);

        for (int k = 0; k < b->n_states; k++)
            sum += b->a[r * b->n_states + k] * z[b->state + k];
        net->f[b->state + r] = sum;
    }
}

void lk_net_rates(struct lk_net *net, const double *z, const struct lk_net_signals *at)
{
    for (int i = 0; i < net->n_blocks; i++)
        evaluate_rates(net, &net->block[i], z, at);
}

/* ---- derivatives: changes of outputs and rates if the states change by net->dz, and one
 * sensor changes by 1 ---- */

/** struct change - changes in the net. @sensor: the sensor that changes, or -1;  @y: changes of all
 * outputs, computed in the order of the blocks */
struct change {
    int sensor;
    double *y;
};

static double change_of(const struct lk_net *net, int i, const struct change *by)
{
    const struct lk_net_source *s = &net->source[i];

    if (s->kind == LK_FROM_BLOCK)
        return by->y[s->at];
    return s->kind == LK_FROM_SENSOR && s->at == by->sensor;
}

static void change_output(const struct lk_net *net, int i, const struct change *by)
{
    const struct lk_net_block *b = &net->block[i];
    double sum = 0;

    for (int k = 0; k < b->n_states; k++)
        sum += b->c[k] * net->dz[b->state + k];
    for (int k = 0; k < b->n_sources; k++)
        if (net->slope[b->first + k] != 0)
            sum += net->slope[b->first + k] * change_of(net, b->first + k, by);
    by->y[i] = sum;
}

/* return the change of the rate of row @r of a block */
static double change_of_rate(const struct lk_net *net, const struct lk_net_block *b, int r,
                             const struct change *by)
{
    double sum = 0;

    for (int k = 0; k < b->n_states; k++)
        sum += b->a[r * b->n_states + k] * net->dz[b->state + k];
    for (int k = 0; k < b->n_sources; k++)
        sum += b->b[r * b->n_sources + k] * change_of(net, b->first + k, by);
    return sum;
}

static void change_outputs(const struct lk_net *net, int sensor, double *ret)
{
    for (int i = 0; i < net->n_blocks; i++)
        change_output(net, net->order[i], &(struct change){sensor, ret});
}

void lk_net_differentiate(struct lk_net *net, int sensor, double *ret)
{
    memset(net->dz, 0, (size_t)net->n_states * sizeof(double));
    change_outputs(net, sensor, ret);
}

void lk_net_follow(struct lk_net *net, int sensor, double *ret)
{
    for (int k = 0; k < net->n_states; k++)
        net->dz[k] = net->stage[1].dz[k * net->n_sensors + sensor];
    change_outputs(net, -1, ret);
}

/* ---- the implicit equation of a stage, one group of blocks after another ---- */

static struct lk_lu_scale scale_of(const struct lk_net *net, const struct lk_net_group *g)
{
    return (struct lk_lu_scale){net->scale.rows + g->first_state,
                                net->scale.columns + g->first_state,
                                net->scale.pivot + g->first_state};
}

static void change_group(const struct lk_net *net, const struct lk_net_group *g,
                         const struct change *by)
{
    for (int i = g->first; i < g->first + g->n; i++)
        change_output(net, net->order[i], by);
}

/* compute the changes of the rates of a group, in the order of its states */
static void change_rates(const struct lk_net *net, const struct lk_net_group *g,
                         const struct change *by, double *ret)
{
    for (int i = g->first; i < g->first + g->n; i++) {
        const struct lk_net_block *b = &net->block[net->order[i]];

        for (int r = 0; r < b->n_states; r++)
            *ret++ = change_of_rate(net, b, r, by);
    }
}

/* return 1 - @x, or 0 if the difference is round-off */
static double less(double x)
{
    return fabs(1 - x) > 4 * DBL_EPSILON ? 1 - x : 0;
}

/* compute I - h gamma df/dz of a group, with unit rows for states held at a limit, and its factor.
 * Return: as lk_lu_factor(). */
static int factor(struct lk_net *net, const struct lk_net_group *g)
{
    const struct change inner = {-1, net->inner}; /* zero for all other groups */
    const int *state = net->state_of + g->first_state;
    int n = g->n_states;
    double *matrix = net->matrix + g->matrix;

    memset(net->dz, 0, (size_t)net->n_states * sizeof(double));
    for (int c = 0; c < n; c++) {
        net->dz[state[c]] = 1;
        change_group(net, g, &inner);
        change_rates(net, g, &inner, net->column);
        net->dz[state[c]] = 0;
        for (int r = 0; r < n; r++) {
            double part = net->is_held[state[r]] ? 0 : net->step * net->column[r];

            matrix[r * n + c] = r == c ? less(part) : -part;
        }
    }
    for (int i = g->first; i < g->first + g->n; i++)
        net->inner[net->order[i]] = 0;
    return lk_lu_factor(n, matrix, 0, 0, scale_of(net, g));
}

static double within(const struct lk_net_block *b, double z)
{
    return fmin(fmax(z, b->lower), b->upper);
}

/* solve a block whose sources are known: z = (I - h gamma a)^-1 (base + h gamma b u), within
 * limits */
static void solve_block(struct lk_net *net, const struct lk_net_group *g,
                        const struct lk_net_signals *at, double *z)
{
    const struct lk_net_block *b = &net->block[net->order[g->first]];
    double *x = z + b->state;

    for (int r = 0; r < b->n_states; r++)
        x[r] = net->base[b->state + r] + net->step * driven_by(net, b, r, at);
    lk_lu_solve(b->n_states, net->matrix + g->matrix, scale_of(net, g), x);
    if (b->n_states == 1) {
        double limited = within(b, *x);

        net->is_held[b->state] = limited != *x;
        *x = limited;
    }
}

/* Compute the residual base + h gamma f - z into net->right. A state at a limit that would
 * go beyond it stays at the limit. */
static void find_residual(struct lk_net *net, const struct lk_net_group *g, const double *z)
{
    double *right = net->right;

    for (int i = g->first; i < g->first + g->n; i++) {
        const struct lk_net_block *b = &net->block[net->order[i]];

        for (int k = b->state; k < b->state + b->n_states; k++) {
            double left = net->base[k] + net->step * net->f[k] - z[k];

            net->is_held[k] = b->n_states == 1 &&
                              ((z[k] >= b->upper && left > 0) || (z[k] <= b->lower && left < 0));
            *right++ = net->is_held[k] ? 0 : left;
        }
    }
}

static void evaluate_group(struct lk_net *net, const struct lk_net_group *g, const double *z,
                           const struct lk_net_signals *at)
{
    for (int i = g->first; i < g->first + g->n; i++)
        evaluate_output(net, net->order[i], z, at);
}

static void find_group_residual(struct lk_net *net, const struct lk_net_group *g,
                                const struct lk_net_signals *at, const double *z)
{
    evaluate_group(net, g, z, at);
    for (int i = g->first; i < g->first + g->n; i++)
        evaluate_rates(net, &net->block[net->order[i]], z, at);
    find_residual(net, g, z);
}

/* Solve an algebraic loop, starting from @z; if it has curves or limits, by Newton iterations.
 * Without a solution z is not finite. */
static void solve_loop(struct lk_net *net, const struct lk_net_group *g,
                       const struct lk_net_signals *at, double *z)
{
    for (int i = 0; i < (g->is_curved ? LK_NET_NEWTON : 1); i++) {
        int weak = -1, k = 0;

        find_group_residual(net, g, at, z);
        if (g->is_curved)
            weak = factor(net, g);
        lk_lu_solve(g->n_states, net->matrix + g->matrix, scale_of(net, g), net->right);
        for (int m = g->first; m < g->first + g->n; m++) {
            const struct lk_net_block *b = &net->block[net->order[m]];

            for (int r = b->state; r < b->state + b->n_states; r++) {
                z[r] += net->right[k++];
                z[r] = weak >= 0 ? NAN : b->n_states == 1 ? within(b, z[r]) : z[r];
            }
        }
    }
}

/* solve z = base + h gamma f(z), and compute net->y at z */
static void find_stage(struct lk_net *net, const struct lk_net_signals *at, double *z)
{
    for (int i = 0; i < net->n_groups; i++) {
        const struct lk_net_group *g = &net->group[i];

        if (g->is_loop)
            solve_loop(net, g, at, z);
        else if (g->n_states > 0)
            solve_block(net, g, at, z);
        evaluate_group(net, g, z, at);
    }
}

static double part_of(int stage)
{
    return stage * (1 - LK_NET_GAMMA) / LK_NET_GAMMA;
}

/* compute the derivatives of the last stage with respect to a sensor: (I - h gamma df/dz) dz
 * = the term of the first stage + h gamma df/ds;  dy = g_z dz + g_s */
static void find_column(struct lk_net *net, int sensor, int stage)
{
    const struct change by = {sensor, net->outer};
    struct lk_net_stage *to = &net->stage[stage];
    int m = net->n_sensors;

    memset(net->dz, 0, (size_t)net->n_states * sizeof(double));
    for (int i = 0; i < net->n_groups; i++) {
        const struct lk_net_group *g = &net->group[i];
        const int *state = net->state_of + g->first_state;

        if (g->is_loop)
            change_group(net, g, &by);
        change_rates(net, g, &by, net->right);
        for (int r = 0; r < g->n_states; r++) {
            double first = stage > 0 ? part_of(1) * net->stage[0].dz[state[r] * m + sensor] : 0;

            net->right[r] = net->is_held[state[r]] ? 0 : first + net->step * net->right[r];
        }
        lk_lu_solve(g->n_states, net->matrix + g->matrix, scale_of(net, g), net->right);
        for (int r = 0; r < g->n_states; r++) {
            net->dz[state[r]] = net->is_held[state[r]] ? 0 : net->right[r];
            to->dz[state[r] * m + sensor] = net->dz[state[r]];
        }
        change_group(net, g, &by);
    }
    for (int i = 0; i < net->n_blocks; i++)
        to->dy[i * m + sensor] = net->outer[i];
}

static void find_tangent(struct lk_net *net, int stage)
{
    for (int s = 0; s < net->n_sensors; s++)
        if (net->sensor[s].is_answered)
            find_column(net, s, stage);
}

/* compute the factors of nonlinear loops at the last stage */
static void factor_loops(struct lk_net *net, const struct lk_net_signals *at, const double *z)
{
    for (int i = 0; i < net->n_groups; i++)
        if (net->group[i].is_curved) {
            find_group_residual(net, &net->group[i], at, z);
            factor(net, &net->group[i]);
        }
}

void lk_net_step(struct lk_net *net, const double *z, const struct lk_net_signals at[2],
                 bool is_tangent)
{
    size_t states = (size_t)net->n_states * sizeof(double);
    double *first = net->stage[0].z, *second = net->stage[1].z;

    memcpy(net->base, z, states);
    memcpy(first, z, states);
    for (int i = 0; i < 2; i++) {
        struct lk_net_stage *stage = &net->stage[i];

        find_stage(net, &at[i], stage->z);
        memcpy(stage->y, net->y, (size_t)net->n_blocks * sizeof(double));
        if (is_tangent && !net->is_linear) {
            factor_loops(net, &at[i], stage->z);
            find_tangent(net, i);
        }
        if (i > 0)
            break;
        /* compute f of the first stage, also for states at their limits: (Z1 - z0) / h gamma */
        for (int k = 0; k < net->n_states; k++) {
            net->base[k] = z[k] + part_of(1) * (first[k] - z[k]);
            second[k] = first[k];
        }
    }
}

/* ---- constants of all steps ---- */

int lk_net_prepare(struct lk_net *net, double h)
{
    int weak = -1;

    net->step = LK_NET_GAMMA * h;
    for (int i = 0; i < net->n_blocks; i++)
        for (int k = 0; k < net->block[i].n_sources; k++)
            net->slope[net->block[i].first + k] =
                net->block[i].kind == LK_BLOCK_LINEAR ? net->block[i].d[k] : 0;
    for (int i = 0; i < net->n_groups && weak < 0; i++) {
        const struct lk_net_group *g = &net->group[i];

        weak = g->is_curved ? -1 : factor(net, g);
        weak = weak < 0 ? -1 : net->state_of[g->first_state + weak];
    }
    if (net->is_linear && weak < 0) {
        find_tangent(net, 0);
        find_tangent(net, 1);
    }
    return weak;
}
