/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that couple coordinates faster than the step can follow.
 *
 * If a push on one row depends on another row, the step extrapolates the other row from the last
 * steps (step/blocks.h): the mean rate is v + (v - v') / 2, where v' is the rate one step before,
 * and the mean value is x + h/2 times that rate. For m x'' = -k x this is stable up to h^2 k/m = 2;
 * for m x'' = -c x' it is stable up to h c/m = 1. In general, let x and v be the values and rates
 * of all sensors, z the states, and H the accelerations of the sensors for a unit of each push
 * under the rigid rows. Then
 *
 *     v+ = v + h H (S s + R z),   x+ = x + h (v + v+) / 2,   z+ = P z + Q s
 *
 * where S, R, P, Q are differences of a step of the blocks at the start, and s is the mean of each
 * sensor as seen by each push. If a motion grows under this map, but does not grow with the true
 * means, it grows only because of the coupling. Springs and dampers are not included. */
#include "analysis/findings.h"
#include "compile/fastest.h"
#include "solve/lu.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAP_MAX    100  /* largest map that is examined, because the work grows with its cube */
#define GROWTH     1e-3 /* growth in a step: a factor of e in 1000 steps */
#define SQUARINGS  20   /* squarings of the map: growth over a million steps */
#define HALVINGS   20
#define DIFFERENCE 1e-4 /* change of a state or a mean, relative to max(1, its value) */

/** struct coupling - working state.
 * @m, @n, @p: numbers of sensors, of states and of pushes;  @size: rows of the map, 3 m + n
 * @H: m x p, rates of the sensors for a unit blow of each push
 * @y, @z: derivatives of each push, and of each state at the end of a step, with respect to the
 *         means of sensors and then to the states
 * @map, @square: size x size;  @left: m x m, coefficients of v+;  @scale: scale of the factor of
 *          @left
 * @mean: means of the sensors at the start, m */
struct coupling {
    struct lk_system *sys;
    int m;
    int n;
    int p;
    int size;
    double h;
    double *H;
    double *y;
    double *z;
    double *map;
    double *square;
    double *left;
    double *mean;
    double *state;
    double *memory;
    struct lk_lu_scale scale;
};

static bool is_own(const struct coupling *c, int push, int sensor)
{
    const struct lk_net_push *p = &c->sys->net.push[push];
    const struct lk_net_sensor *s = &c->sys->net.sensor[sensor];

    return s->at == p->at && s->law == p->law;
}

/* ---- a step of the blocks ---- */

/* compute the means of the pushes, then the states at the end of a step */
static void solve_blocks(struct coupling *c, double *ret)
{
    struct lk_net *net = &c->sys->net;
    const struct lk_net_signals at = {c->sys->now.inputs, c->mean, net->delayed};

    lk_net_step(net, c->state, (const struct lk_net_signals[2]){at, at}, false);
    for (int i = 0; i < c->p; i++) {
        int b = net->push[i].block;

        ret[i] = (1 - LK_NET_GAMMA) * net->stage[0].y[b] + LK_NET_GAMMA * net->stage[1].y[b];
    }
    memcpy(ret + c->p, net->stage[1].z, (size_t)c->n * sizeof(double));
}

/* Compute the derivatives of y and z with respect to mean or state @k */
static void differ(struct coupling *c, int k)
{
    double *value = k < c->m ? &c->mean[k] : &c->state[k - c->m], kept = *value;
    double amount = DIFFERENCE * fmax(1, fabs(kept)), *up = c->left, *down = up + c->p + c->n;

    *value = kept + amount;
    solve_blocks(c, up);
    *value = kept - amount;
    solve_blocks(c, down);
    *value = kept;
    for (int i = 0; i < c->p + c->n; i++) {
        double slope = (up[i] - down[i]) / (2 * amount);

        if (i < c->p)
            c->y[i * (c->m + c->n) + k] = slope;
        else
            c->z[(i - c->p) * (c->m + c->n) + k] = slope;
    }
}

/* ---- the map ---- */

/* write the mean of sensor @i as a combination of x, v, v' and v+. @is_true: use the true mean
 * of the step */
static void mean_of(const struct coupling *c, int i, bool is_true, double ret[4])
{
    double h = c->h;

    if (c->sys->net.sensor[i].is_rate)
        memcpy(ret, is_true ? (double[4]){0, 0.5, 0, 0.5} : (double[4]){0, 1.5, -0.5, 0},
               4 * sizeof(double));
    else
        memcpy(ret,
               is_true ? (double[4]){1, 0.25 * h, 0, 0.25 * h}
                       : (double[4]){1, 0.75 * h, -0.25 * h, 0},
               4 * sizeof(double));
}

/* fill the row of v+ of sensor @r; coefficients of v+ are written to left. @is_explicit: use the
 * means that the step predicts */
static void fill_rate(struct coupling *c, int r, bool is_explicit, double *row)
{
    row[c->m + r] = 1;
    for (int p = 0; p < c->p; p++) {
        double answer = c->h * c->H[r * c->p + p];
        const double *y = c->y + p * (c->m + c->n);

        for (int i = 0; i < c->m; i++) {
            double part[4];

            mean_of(c, i, !is_explicit || is_own(c, p, i), part);
            for (int k = 0; k < 3; k++)
                row[k * c->m + i] += answer * y[i] * part[k];
            c->left[r * c->m + i] -= answer * y[i] * part[3];
        }
        for (int k = 0; k < c->n; k++)
            row[3 * c->m + k] += answer * y[c->m + k];
    }
}

/* compute the rows of the rates, solved for v+ */
static void fill_rates(struct coupling *c, bool is_explicit)
{
    int m = c->m;

    memset(c->left, 0, (size_t)m * (size_t)m * sizeof(double));
    for (int r = 0; r < m; r++) {
        fill_rate(c, r, is_explicit, c->map + (m + r) * c->size);
        c->left[r * m + r] += 1;
    }
    lk_lu_factor(m, c->left, 0, 0, c->scale);
    for (int k = 0; k < c->size; k++) {
        for (int r = 0; r < m; r++)
            c->mean[r] = c->map[(m + r) * c->size + k];
        lk_lu_solve(m, c->left, c->scale, c->mean);
        for (int r = 0; r < m; r++)
            c->map[(m + r) * c->size + k] = c->mean[r];
    }
}

static void fill_map(struct coupling *c, bool is_explicit)
{
    int m = c->m;

    memset(c->map, 0, (size_t)c->size * (size_t)c->size * sizeof(double));
    fill_rates(c, is_explicit);
    for (int r = 0; r < m; r++) {
        double *place = c->map + r * c->size, *rate = c->map + (m + r) * c->size;

        for (int k = 0; k < c->size; k++)
            place[k] = 0.5 * c->h * rate[k];
        place[r] += 1;
        place[m + r] += 0.5 * c->h;
        c->map[(2 * m + r) * c->size + m + r] = 1;
    }
    for (int k = 0; k < c->n; k++) {
        double *row = c->map + (3 * m + k) * c->size;
        const double *z = c->z + k * (m + c->n);

        for (int i = 0; i < m; i++) {
            double part[4];

            mean_of(c, i, true, part);
            for (int j = 0; j < 2; j++)
                row[j * m + i] += z[i] * part[j];
            for (int j = 0; j < c->size; j++)
                row[j] += z[i] * part[3] * c->map[(m + i) * c->size + j];
        }
        for (int j = 0; j < c->n; j++)
            row[3 * m + j] += z[m + j];
    }
}

/* return the largest growth factor of a step: |map^(2^k)|^(1 / 2^k) */
static double growth_of(struct coupling *c)
{
    int n = c->size;
    double logarithm = 0;

    for (int k = 0; k <= SQUARINGS; k++) {
        double largest = 0, *kept = c->map;

        for (int i = 0; i < n * n; i++)
            largest = fmax(largest, fabs(c->map[i]));
        if (!(largest > 0))
            return 0;
        logarithm += ldexp(log(largest), -k);
        for (int i = 0; i < n * n; i++)
            c->map[i] /= largest;
        memset(c->square, 0, (size_t)n * (size_t)n * sizeof(double));
        for (int i = 0; i < n; i++)
            for (int via = 0; via < n; via++)
                for (int j = 0; j < n && c->map[i * n + via] != 0; j++)
                    c->square[i * n + j] += c->map[i * n + via] * c->map[via * n + j];
        c->map = c->square;
        c->square = kept;
    }
    return exp(logarithm);
}

/* Return the growth due to the coupling in a step of @h [s], as far as it exceeds 1 and the
 * growth with true means */
static double excess_at(struct coupling *c, double h)
{
    struct lk_net *net = &c->sys->net;
    double taken, truly;

    c->h = h;
    if (lk_net_prepare(net, h) >= 0)
        return 0;
    memcpy(c->state, c->sys->now.blocks, (size_t)c->n * sizeof(double));
    memcpy(c->mean, net->from, (size_t)c->m * sizeof(double));
    for (int k = 0; k < c->m + c->n; k++)
        differ(c, k);
    fill_map(c, true);
    taken = growth_of(c);
    fill_map(c, false);
    truly = growth_of(c);
    return taken - fmax(truly, 1);
}

/* ---- the finding ---- */

/* find the push and the sensor with the strongest mutual coupling in steps of the system */
static void find_worst(const struct coupling *c, int *ret_push, int *ret_sensor)
{
    double most = 0, h = c->sys->h;

    for (int p = 0; p < c->p; p++)
        for (int i = 0; i < c->m; i++) {
            double weight = (c->sys->net.sensor[i].is_rate ? h : 0.5 * h * h) *
                            fabs(c->H[i * c->p + p] * c->y[p * (c->m + c->n) + i]);

            if (!is_own(c, p, i) && weight >= most) {
                most = weight;
                *ret_push = p;
                *ret_sensor = i;
            }
        }
}

static const char *place_name(const struct lk_system *sys, const struct lk_net_sensor *s,
                              char *text)
{
    int joint = s->law >= 0 ? sys->law[s->law].joint : 0;

    while (s->law < 0 && (sys->joint[joint].first_coordinate > s->at ||
                          sys->joint[joint].first_coordinate +
                                  lk_joint_traits[sys->joint[joint].type].n_coordinates <=
                              s->at))
        joint++;
    return lk_finding_joint(sys, joint, text);
}

static void report(struct lk_inspection *in, struct coupling *c, double excess)
{
    const struct lk_net *net = &c->sys->net;
    double fits = c->sys->h, fails = fits;
    char where[LK_TEXT_SIZE], joint[LK_TEXT_SIZE];
    struct lk_finding *f;
    int push = 0, sensor = 0;

    find_worst(c, &push, &sensor);
    for (int k = 0; k < HALVINGS && excess_at(c, fits) > GROWTH; k++) {
        fails = fits;
        fits *= 0.5;
    }
    for (int k = 0; k < 6; k++) {
        double middle = sqrt(fits * fails);

        *(excess_at(c, middle) > GROWTH ? &fails : &fits) = middle;
    }
    snprintf(where, sizeof(where), "block %s", net->name[net->push[push].block]);
    f = lk_finding_add(
        in, "block-too-fast", where,
        "pushes by the %s of %s, which a step takes from how that moved so far: that "
        "grows by %.2g of itself a step; expected a step of at most %.2g s, smaller gains, or a "
        "push at that coordinate",
        net->sensor[sensor].is_rate ? "rate" : "place",
        place_name(c->sys, &net->sensor[sensor], joint), excess, fits);
    lk_finding_number(f, "growth", "1", excess);
    lk_finding_number(f, "step", "s", fits);
}

static bool take_memory(struct coupling *c)
{
    size_t m = (size_t)c->m, n = (size_t)c->n, p = (size_t)c->p, size = (size_t)c->size;
    size_t left = m * m + 2 * (p + n);
    double *at =
        calloc(m * p + (p + n) * (m + n) + 2 * size * size + left + 3 * m + n + 1, sizeof(double));

    c->memory = c->H = at;
    c->scale.pivot = calloc(m + 1, sizeof(int));
    if (!at || !c->scale.pivot)
        return false;
    c->y = c->H + m * p;
    c->z = c->y + p * (m + n);
    c->map = c->z + n * (m + n);
    c->square = c->map + size * size;
    c->left = c->square + size * size;
    c->mean = c->left + left;
    c->scale.rows = c->mean + m;
    c->scale.columns = c->scale.rows + m;
    c->state = c->scale.columns + m;
    return true;
}

/* count the operations of all squarings, including the search for a stable step */
static double work_of(const struct coupling *c)
{
    return (HALVINGS + 7) * 2 * (SQUARINGS + 1) * 2.0 * c->size * c->size * c->size;
}

void lk_inspect_blocks(struct lk_inspection *in)
{
    struct lk_system *sys = in->sys;
    const struct lk_net *net = &sys->net;
    struct coupling c = {.sys = sys, .m = net->n_sensors, .n = net->n_states, .p = net->n_pushes};
    bool is_coupled = false;
    double excess;

    c.size = 3 * c.m + c.n;
    for (int p = 0; p < c.p; p++)
        for (int i = 0; i < c.m; i++)
            is_coupled |= !is_own(&c, p, i);
    if (!is_coupled || c.size > MAP_MAX || !lk_inspection_may(in, work_of(&c)))
        return;
    if (take_memory(&c)) {
        for (int p = 0; p < c.p; p++)
            lk_blow_answer(sys, p, c.H + p, c.p);
        excess = excess_at(&c, sys->h);
        if (excess > GROWTH)
            report(in, &c, excess);
        lk_blocks_prepare(sys);
    } else {
        in->result = -ENOMEM;
    }
    free(c.memory);
    free(c.scale.pivot);
    lk_system_reset(sys);
}
