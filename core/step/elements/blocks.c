/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks in a step of the mechanism, see blocks.h. */
#include "step/elements/blocks.h"
#include "maths/vec.h"
#include "step/elements/elements.h"
#include "step/elements/loads.h"
#include "step/elements/ports.h"
#include "step/system.h"
#include <stdint.h>
#include <string.h>

/* ---- layout of lk_state.blocks: states, outputs, sensor rates of the previous step, rings ---- */

double *lk_blocks_shown(const struct lk_system *sys, const struct lk_state *state)
{
    return state->blocks + sys->net.n_states;
}

static double *rates_before(const struct lk_system *sys, const struct lk_state *state)
{
    return lk_blocks_shown(sys, state) + sys->net.n_blocks;
}

/* ---- sensors ---- */

/* return the coordinate of a sensor in @state and write its rate to @ret_rate; poses and twists
 * must be those of @state */
static double place_of(const struct lk_system *sys, const struct lk_state *state,
                       const struct lk_net_sensor *s, double *ret_rate)
{
    if (s->law >= 0)
        return lk_loads_law_place(sys, state, &sys->law[s->law], ret_rate);
    *ret_rate = state->rate[s->at];
    return state->coordinate[s->at];
}

/* evaluate the sensors in system->now and write them to net->from */
static void sense_now(struct lk_system *sys)
{
    struct lk_net *net = &sys->net;

    for (int i = 0; i < net->n_sensors; i++) {
        net->place[i] = place_of(sys, &sys->now, &net->sensor[i], &net->speed[i]);
        net->from[i] = net->sensor[i].is_rate ? net->speed[i] : net->place[i];
    }
}

/* compute the value of each sensor at the end of the step, and its mean over the step: of a
 * coordinate, the mean of both ends; of a rate, the change of the coordinate divided by h */
static void sense_step(struct lk_system *sys)
{
    struct lk_net *net = &sys->net;

    for (int i = 0; i < net->n_sensors; i++) {
        const struct lk_net_sensor *s = &net->sensor[i];
        double rate, next = place_of(sys, &sys->next, s, &rate), x = net->place[i];

        net->mean[i] = s->is_rate ? (next - x) / sys->h : 0.5 * (x + next);
        net->to[i] = s->is_rate ? rate : next;
    }
}

/* return the predicted mean over the next step of the rate of sensor @i, extrapolated from
 * the last step */
static double expected_rate(const struct lk_system *sys, int i)
{
    double v = sys->net.speed[i];

    return v + 0.5 * (v - rates_before(sys, &sys->now)[i]);
}

/* predict the sensors over the next step from the rates of the last step, see sense_step() */
static void expect_step(struct lk_system *sys)
{
    struct lk_net *net = &sys->net;

    for (int i = 0; i < net->n_sensors; i++) {
        double mean = expected_rate(sys, i), x = net->place[i];

        if (net->sensor[i].is_rate) {
            net->mean[i] = mean;
            net->to[i] = 2 * mean - net->speed[i];
        } else {
            net->mean[i] = x + 0.5 * sys->h * mean;
            net->to[i] = x + sys->h * mean;
        }
    }
}

/* ---- delays ---- */

static int slot(const struct lk_net_block *b, double step)
{
    return (int)((int64_t)step % (b->steps + 1));
}

/* Return the value @steps + @part steps before step @step, from a ring that stores one value per
 * step. */
static double look_back(const struct lk_net_block *b, const double *ring, double step)
{
    double newer = ring[slot(b, step + 1)], older = ring[slot(b, step)];

    return (1 - b->part) * newer + b->part * older;
}

/* compute the outputs of all delays, from the ring in @state: at the end of the step if @at_end,
 * else their mean over the step */
static void look_back_all(struct lk_system *sys, const struct lk_state *state, bool at_end)
{
    struct lk_net *net = &sys->net;
    double step = sys->now.balance->steps;

    for (int i = 0; i < net->n_blocks; i++) {
        const struct lk_net_block *b = &net->block[i];
        const double *ring = state->blocks + b->ring;

        if (b->kind == LK_BLOCK_DELAY)
            net->delayed[i] = look_back(b, at_end ? ring + b->steps + 1 : ring, step);
    }
}

/* ---- pushes: terms of laws whose values are outputs of blocks ---- */

static bool sees(const struct lk_net_sensor *s, const struct lk_net_push *p)
{
    return s->at == p->at && s->law == p->law;
}

/** struct slopes - derivatives of an output with respect to all sensors. @dy: direct dependence
 * @by_place: for sensors of rates: dependence through the coordinate at the end of the step; or
 *            NULL */
struct slopes {
    const double *dy;
    const double *by_place;
};

/* Return the answer of a push to its own coordinate and rate, at the time @when * h after
 * the start of a step. @y: output of its block. */
static struct lk_answer answer_of(const struct lk_system *sys, const struct lk_net_push *p,
                                  double y, struct slopes slopes, double when)
{
    const struct lk_net *net = &sys->net;
    struct lk_answer a = {.value = y};

    for (int i = 0; i < net->n_sensors; i++) {
        const struct lk_net_sensor *s = &net->sensor[i];
        double v = net->speed[i], mean = expected_rate(sys, i);

        if (!sees(s, p))
            continue;
        a.place = net->place[i] + when * sys->h * mean;
        a.rate = v + 2 * when * (mean - v);
        a.damping -= s->is_rate ? slopes.dy[i] : 0;
        a.stiffness -= s->is_rate ? (slopes.by_place ? slopes.by_place[i] : 0) : slopes.dy[i];
    }
    a.tangent = lk_max(a.stiffness + 2 / sys->h * a.damping, 0);
    return a;
}

static double weighted(const double *first, const double *second, size_t i)
{
    return (1 - LK_NET_GAMMA) * first[i] + LK_NET_GAMMA * second[i];
}

/* compute the derivatives of the outputs at the end of the step with respect to sensor @s at
 * the end, and with respect to the mean of the sensor over the step */
static void differentiate_end(struct lk_net *net)
{
    for (int s = 0; s < net->n_sensors; s++)
        if (net->sensor[s].is_answered) {
            size_t at = (size_t)s * (size_t)net->n_blocks;

            lk_net_differentiate(net, s, net->by_sensor + at);
            lk_net_follow(net, s, net->by_states + at);
        }
}

/* set the answers of pushes over the next step, and at the end of that step */
static void answer_step(struct lk_system *sys)
{
    struct lk_net *net = &sys->net;
    int m = net->n_sensors;

    for (int i = 0; i < net->n_pushes; i++) {
        const struct lk_net_push *p = &net->push[i];
        const struct lk_term *t = &sys->term[p->term];
        double y = weighted(net->stage[0].y, net->stage[1].y, (size_t)p->block);

        for (int s = 0; s < m; s++) {
            int at = s * net->n_blocks + p->block;
            bool is_rate = net->sensor[s].is_rate;

            if (!sees(&net->sensor[s], p))
                continue;
            net->by_mean[s] =
                weighted(net->stage[0].dy, net->stage[1].dy, (size_t)(p->block * m + s));
            /* the mean over the step changes with the value at the end of the step */
            net->by_place[s] = net->by_states[at] * (is_rate ? 1 / sys->h : 0.5);
            net->by_end[s] = net->by_sensor[at] + (is_rate ? 0 : net->by_place[s]);
        }
        t->now->over_step = answer_of(sys, p, y, (struct slopes){net->by_mean, NULL}, 0.5);
        t->now->at_end =
            answer_of(sys, p, net->y[p->block], (struct slopes){net->by_end, net->by_place}, 1);
    }
}

/* set the pushes to the outputs @y, with no dependence on their rows */
static void set_pushes(struct lk_system *sys, const double *y)
{
    for (int i = 0; i < sys->net.n_pushes; i++) {
        const struct lk_net_push *p = &sys->net.push[i];

        sys->term[p->term].now->over_step = sys->term[p->term].now->at_end =
            (struct lk_answer){.value = y[p->block]};
    }
}

void lk_blocks_refer(struct lk_system *sys, const struct lk_state *state)
{
    set_pushes(sys, lk_blocks_shown(sys, state));
}

/* ---- a step ---- */

const double *lk_blocks_begin(struct lk_system *sys, const double *inputs)
{
    struct lk_net *net = &sys->net;
    const struct lk_net_signals at = {inputs, net->mean, net->delayed};
    const struct lk_net_signals end = {inputs, net->to, net->delayed};

    sense_now(sys);
    expect_step(sys);
    look_back_all(sys, &sys->now, false);
    lk_net_step(net, sys->now.blocks, (struct lk_net_signals[2]){at, at}, net->n_pushes > 0);
    for (int i = 0; i < sys->input_size; i++)
        net->acting[i] = inputs[i];
    for (int i = 0; i < net->n_blocks; i++)
        net->acting[sys->input_size + i] = weighted(net->stage[0].y, net->stage[1].y, (size_t)i);
    if (net->n_pushes > 0) {
        look_back_all(sys, &sys->now, true);
        lk_net_outputs(net, net->stage[1].z, &end);
        if (!net->is_linear)
            differentiate_end(net);
        answer_step(sys);
    }
    return net->acting;
}

/* compute the states at the end of the step, with constant sensors, and the means that
 * delays store */
static void keep_states(struct lk_system *sys, const double *inputs)
{
    struct lk_net *net = &sys->net;
    const struct lk_net_signals at = {inputs, net->mean, net->delayed};

    look_back_all(sys, &sys->now, false);
    if (net->n_sensors > 0) /* without sensors, the stages of lk_blocks_begin() are still valid */
        lk_net_step(net, sys->now.blocks, (struct lk_net_signals[2]){at, at}, false);
    memcpy(sys->next.blocks, net->stage[1].z, (size_t)net->n_states * sizeof(double));
    for (int i = 0; i < net->n_blocks; i++) {
        const struct lk_net_block *b = &net->block[i];

        if (b->kind == LK_BLOCK_DELAY)
            sys->next.blocks[b->ring + slot(b, sys->now.balance->steps)] =
                (1 - LK_NET_GAMMA) * lk_net_value(net, b->first, net->stage[0].y, &at) +
                LK_NET_GAMMA * lk_net_value(net, b->first, net->stage[1].y, &at);
    }
}

/* compute the output values at the end of the step, with the sensor values interpolated
 * linearly over the step, and the samples that delays store */
static void show(struct lk_system *sys, const double *inputs)
{
    struct lk_net *net = &sys->net;
    const struct lk_net_signals first = {inputs, net->at, net->delayed};
    const struct lk_net_signals end = {inputs, net->to, net->delayed};
    double *shown = lk_blocks_shown(sys, &sys->next);

    for (int i = 0; i < net->n_sensors; i++)
        net->at[i] = net->from[i] + LK_NET_GAMMA * (net->to[i] - net->from[i]);
    if (net->n_sensors > 0)
        lk_net_step(net, sys->now.blocks, (struct lk_net_signals[2]){first, end}, false);
    look_back_all(sys, &sys->now, true);
    lk_net_outputs(net, net->stage[1].z, &end);
    memcpy(shown, net->y, (size_t)net->n_blocks * sizeof(double));
    for (int i = 0; i < net->n_blocks; i++) {
        const struct lk_net_block *b = &net->block[i];

        if (b->kind == LK_BLOCK_DELAY)
            sys->next.blocks[b->ring + b->steps + 1 + slot(b, sys->now.balance->steps)] =
                lk_net_value(net, b->first, shown, &end);
    }
}

void lk_blocks_keep(struct lk_system *sys, const double *inputs)
{
    sense_step(sys);
    keep_states(sys, inputs);
    if (sys->net.is_shown)
        show(sys, inputs);
    for (int i = 0; i < sys->net.n_sensors; i++)
        rates_before(sys, &sys->next)[i] = sys->net.speed[i];
    lk_blocks_refer(sys, &sys->next);
}

int lk_blocks_prepare(struct lk_system *sys)
{
    struct lk_net *net = &sys->net;
    int weak;

    for (int i = 0; i < net->n_sensors; i++)
        for (int k = 0; k < net->n_pushes; k++)
            net->sensor[i].is_answered |= sees(&net->sensor[i], &net->push[k]);
    weak = lk_net_prepare(net, sys->h);
    if (net->is_linear)
        differentiate_end(net);
    return weak;
}

/* ---- at rest ---- */

/* compute y and f of system->now, with the sensors in net->from */
static void evaluate_now(struct lk_system *sys)
{
    struct lk_net *net = &sys->net;
    const struct lk_net_signals at = {sys->now.inputs, net->from, net->delayed};

    for (int i = 0; i < net->n_blocks; i++)
        net->delayed[i] = lk_blocks_shown(sys, &sys->now)[i];
    lk_net_outputs(net, sys->now.blocks, &at);
    lk_net_rates(net, sys->now.blocks, &at);
}

void lk_blocks_rest(struct lk_system *sys, double *ret_behind)
{
    struct lk_net *net = &sys->net;
    const struct lk_net_signals at = {sys->now.inputs, net->from, net->delayed};

    sense_now(sys);
    for (int i = 0; i < net->n_sensors; i++)
        net->from[i] = net->sensor[i].is_rate ? 0 : net->from[i];
    evaluate_now(sys);
    for (int i = 0; i < net->n_blocks; i++)
        ret_behind[i] = net->block[i].kind == LK_BLOCK_DELAY
                            ? lk_net_value(net, net->block[i].first, net->y, &at) - net->y[i]
                            : 0;
}

void lk_blocks_push(struct lk_system *sys, const double *y)
{
    memcpy(sys->now.inputs + sys->input_size, y, (size_t)sys->net.n_blocks * sizeof(double));
    set_pushes(sys, y);
    lk_signals_take(sys, sys->now.inputs);
}

void lk_blocks_settle(struct lk_system *sys)
{
    struct lk_net *net = &sys->net;

    if (net->n_blocks == 0)
        return;
    sense_now(sys);
    evaluate_now(sys);
    memcpy(lk_blocks_shown(sys, &sys->now), net->y, (size_t)net->n_blocks * sizeof(double));
    lk_blocks_push(sys, net->y);
    for (int i = 0; i < net->n_sensors; i++)
        rates_before(sys, &sys->now)[i] = net->speed[i];
    for (int s = 0; s < net->n_sensors; s++)
        if (net->sensor[s].is_answered)
            lk_net_differentiate(net, s, net->by_sensor + (size_t)s * (size_t)net->n_blocks);
    for (int i = 0; i < net->n_pushes; i++) {
        const struct lk_net_push *p = &net->push[i];

        for (int s = 0; s < net->n_sensors; s++)
            net->by_end[s] = net->by_sensor[s * net->n_blocks + p->block];
        sys->term[p->term].now->over_step = sys->term[p->term].now->at_end =
            answer_of(sys, p, net->y[p->block], (struct slopes){net->by_end, NULL}, 0);
    }
}

void lk_blocks_rates(struct lk_system *sys, double *ret)
{
    sense_now(sys);
    evaluate_now(sys);
    memcpy(ret, sys->net.f, (size_t)sys->net.n_states * sizeof(double));
}

static bool is_in(const struct lk_system *sys)
{
    return sys->net.n_blocks > 0;
}

const struct lk_element_ops lk_block_ops = {
    .is_in = is_in,
    .refer = lk_blocks_refer,
    .book = lk_blocks_keep,
};
