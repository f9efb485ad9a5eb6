/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of blocks and the two stages of a step, see blocks.h. */
#include "maths/table.h"
#include "step/blocks.h"
#include <math.h>
#include <string.h>

static int width_of(const struct lk_net *net)
{
    return net->n_states + net->n_sensors;
}

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

/* @gradient += @weight times that of source @i */
static void add_gradient(const struct lk_net *net, int i, double weight, double *gradient)
{
    const struct lk_net_source *s = &net->source[i];
    const double *dy = net->dy + (size_t)s->at * (size_t)width_of(net);

    if (s->kind == LK_FROM_SENSOR)
        gradient[net->n_states + s->at] += weight;
    for (int k = 0; k < width_of(net) && s->kind == LK_FROM_BLOCK; k++)
        gradient[k] += weight * dy[k];
}

/* the look-up and its slope; beyond the ends they hold */
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
                     const struct lk_net_signals *at, double *gradient)
{
    double sum = 0;

    for (int k = 0; k < b->n_states; k++) {
        sum += b->c[k] * z[b->state + k];
        gradient[b->state + k] = b->c[k];
    }
    for (int k = 0; k < b->n_sources; k++)
        if (b->d[k] != 0) { /* else it may not be known yet */
            sum += b->d[k] * value_of(net, b->first + k, at);
            add_gradient(net, b->first + k, b->d[k], gradient);
        }
    return sum;
}

static double product(const struct lk_net *net, const struct lk_net_block *b,
                      const struct lk_net_signals *at, double *gradient)
{
    double all = 1;

    for (int k = 0; k < b->n_sources; k++) {
        double others = 1;

        for (int i = 0; i < b->n_sources; i++)
            others *= i == k ? 1 : value_of(net, b->first + i, at);
        all *= value_of(net, b->first + k, at);
        add_gradient(net, b->first + k, others, gradient);
    }
    return all;
}

/* a block of one source with a curve over it */
static double curve(const struct lk_net *net, const struct lk_net_block *b,
                    const struct lk_net_signals *at, double *gradient)
{
    double u = value_of(net, b->first, at), y = u, slope;
    double inside = fmin(fmax(u, b->lower), b->upper);

    if (b->kind == LK_BLOCK_TABLE) {
        y = look_up(b, u, &slope);
    } else if (b->kind == LK_BLOCK_SATURATION) {
        y = inside;
        slope = inside == u;
    } else {
        y = u - inside;
        slope = inside != u;
    }
    add_gradient(net, b->first, slope, gradient);
    return y;
}

static void evaluate_output(struct lk_net *net, int i, const double *z,
                            const struct lk_net_signals *at)
{
    const struct lk_net_block *b = &net->block[i];
    double *gradient = net->dy + (size_t)i * (size_t)width_of(net);

    memset(gradient, 0, (size_t)width_of(net) * sizeof(double));
    switch (b->kind) {
    case LK_BLOCK_LINEAR:
        net->y[i] = linear(net, b, z, at, gradient);
        break;
    case LK_BLOCK_PRODUCT:
        net->y[i] = product(net, b, at, gradient);
        break;
    case LK_BLOCK_DELAY:
        net->y[i] = at->delayed[i];
        break;
    default:
        net->y[i] = curve(net, b, at, gradient);
        break;
    }
}

static void evaluate_rates(struct lk_net *net, const struct lk_net_block *b, const double *z,
                           const struct lk_net_signals *at)
{
    for (int r = 0; r < b->n_states; r++) {
        double *gradient = net->df + (size_t)(b->state + r) * (size_t)width_of(net), sum = 0;

        memset(gradient, 0, (size_t)width_of(net) * sizeof(double));
        for (int k = 0; k < b->n_states; k++) {
            sum += b->a[r * b->n_states + k] * z[b->state + k];
            gradient[b->state + k] = b->a[r * b->n_states + k];
        }
        for (int k = 0; k < b->n_sources; k++) {
            sum += b->b[r * b->n_sources + k] * value_of(net, b->first + k, at);
            add_gradient(net, b->first + k, b->b[r * b->n_sources + k], gradient);
        }
        net->f[b->state + r] = sum;
    }
}

void lk_net_evaluate(struct lk_net *net, const double *z, const struct lk_net_signals *at)
{
    for (int i = 0; i < net->n_blocks; i++)
        evaluate_output(net, net->order[i], z, at);
    for (int i = 0; i < net->n_blocks; i++)
        evaluate_rates(net, &net->block[i], z, at);
}

/* ---- the implicit equation of a stage ---- */

/* elimination with partial pivoting, in place */
static void factor(int n, double *m, int *pivot)
{
    for (int c = 0; c < n; c++) {
        int best = c;

        for (int r = c + 1; r < n; r++)
            best = fabs(m[r * n + c]) > fabs(m[best * n + c]) ? r : best;
        pivot[c] = best;
        for (int k = 0; k < n; k++) {
            double held = m[c * n + k];

            m[c * n + k] = m[best * n + k];
            m[best * n + k] = held;
        }
        for (int r = c + 1; r < n; r++) {
            double part = m[r * n + c] / m[c * n + c];

            m[r * n + c] = part;
            for (int k = c + 1; k < n; k++)
                m[r * n + k] -= part * m[c * n + k];
        }
    }
}

static void solve(int n, const double *m, const int *pivot, double *x)
{
    for (int c = 0; c < n; c++) {
        double held = x[c];

        x[c] = x[pivot[c]];
        x[pivot[c]] = held;
    }
    for (int r = 0; r < n; r++)
        for (int k = 0; k < r; k++)
            x[r] -= m[r * n + k] * x[k];
    for (int r = n - 1; r >= 0; r--) {
        for (int k = r + 1; k < n; k++)
            x[r] -= m[r * n + k] * x[k];
        x[r] /= m[r * n + r];
    }
}

/* the residual base + h gamma f - z into net->right, and the factor of its derivative. A state at a
 * limit that would go beyond it stays there. */
static void linearise(struct lk_net *net, double step, const double *base, const double *z)
{
    int n = net->n_states;

    for (int r = 0; r < n; r++) {
        net->is_held[r] = false;
        net->right[r] = base[r] + step * net->f[r] - z[r];
        for (int k = 0; k < n; k++)
            net->matrix[r * n + k] = (r == k) - step * net->df[r * width_of(net) + k];
    }
    for (int i = 0; i < net->n_blocks; i++) {
        const struct lk_net_block *b = &net->block[i];
        int r = b->state;

        if (b->n_states != 1)
            continue;
        net->is_held[r] =
            (z[r] >= b->upper && net->right[r] > 0) || (z[r] <= b->lower && net->right[r] < 0);
        for (int k = 0; k < n && net->is_held[r]; k++)
            net->matrix[r * n + k] = r == k;
        net->right[r] = net->is_held[r] ? 0 : net->right[r];
    }
    factor(n, net->matrix, net->pivot);
}

static void limit_states(const struct lk_net *net, double *z)
{
    for (int i = 0; i < net->n_blocks; i++) {
        const struct lk_net_block *b = &net->block[i];

        if (b->n_states == 1)
            z[b->state] = fmin(fmax(z[b->state], b->lower), b->upper);
    }
}

/* z = base + step f(z), from the @z that is there; net->y and gradients at it */
static void find_stage(struct lk_net *net, double step, const double *base,
                       const struct lk_net_signals *at, double *z)
{
    for (int i = 0; i < net->iterations; i++) {
        lk_net_evaluate(net, z, at);
        linearise(net, step, base, z);
        solve(net->n_states, net->matrix, net->pivot, net->right);
        for (int k = 0; k < net->n_states; k++)
            z[k] += net->right[k];
        limit_states(net, z);
    }
    lk_net_evaluate(net, z, at);
}

/* what the stage just found changes with the sensors: (I - step df/dz) dz = @part of the first
 * stage + step df/ds;  dy = g_z dz + g_s */
static void find_tangent(struct lk_net *net, double step, double part, const double *base,
                         struct lk_net_stage *stage)
{
    int n = net->n_states, m = net->n_sensors, w = width_of(net);

    linearise(net, step, base, stage->z);
    for (int s = 0; s < m; s++) {
        for (int r = 0; r < n; r++)
            net->right[r] = net->is_held[r] ? 0
                                            : (part > 0 ? part * net->stage[0].dz[r * m + s] : 0) +
                                                  step * net->df[r * w + n + s];
        solve(n, net->matrix, net->pivot, net->right);
        for (int r = 0; r < n; r++)
            stage->dz[r * m + s] = net->right[r];
        for (int i = 0; i < net->n_blocks; i++) {
            const double *gradient = net->dy + (size_t)i * (size_t)w;
            double sum = gradient[n + s];

            for (int k = 0; k < n; k++)
                sum += gradient[k] * stage->dz[k * m + s];
            stage->dy[i * m + s] = sum;
        }
    }
}

void lk_net_step(struct lk_net *net, double h, const double *z, const struct lk_net_signals at[2],
                 bool is_tangent)
{
    const double g = LK_NET_GAMMA, part = (1 - g) / g;
    size_t states = (size_t)net->n_states * sizeof(double);
    double *first = net->stage[0].z, *second = net->stage[1].z;

    memcpy(net->base, z, states);
    memcpy(first, z, states);
    for (int i = 0; i < 2; i++) {
        struct lk_net_stage *stage = &net->stage[i];

        find_stage(net, h * g, net->base, &at[i], stage->z);
        memcpy(stage->y, net->y, (size_t)net->n_blocks * sizeof(double));
        if (is_tangent)
            find_tangent(net, h * g, i * part, net->base, stage);
        if (i > 0)
            break;
        /* what f had in the first stage, also of states at their limits: (Z1 - z0) / h gamma */
        for (int k = 0; k < net->n_states; k++) {
            net->base[k] = z[k] + part * (first[k] - z[k]);
            second[k] = first[k];
        }
    }
}
