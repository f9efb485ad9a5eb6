/* SPDX-License-Identifier: Apache-2.0 */
#include "play.h"
#include "bench.h"
#include "channels.h"
#include "lockstep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 5000
#define HEAR_MS    100
#define CLAIM_NS   INT64_C(10000000000) /* time limit for the claim and the begin of a run */
#define SILENT_NS  INT64_C(5000000000)  /* silence after which a started run counts as ended */
#define SENT_MAX   1024                 /* largest number of samples in transit */
#define DELAYS_MAX 100000

/* ---- mapping of channels ---- */

static int place_of(struct play *p, struct play_map *m, const Linkage__V1__ModelDescription *model)
{
    const Linkage__V1__ChannelDescription *c;

    if (m->to_unit)
        return lk_client_find_output(model, m->channel);
    c = lk_client_find_channel(model->inputs, model->n_inputs, m->channel);
    if (c == NULL || c->n_components != 1)
        return -1;
    p->inputs[p->n_inputs] = m->channel;
    p->values[p->n_inputs] = c->initial;
    return p->n_inputs++;
}

int play_describe(struct play *p, const Linkage__V1__ModelDescription *model,
                  struct lk_error *error)
{
    p->n_inputs = 0;
    p->h = model->step_s;
    for (int i = 0; i < p->n_maps; i++) {
        struct play_map *m = &p->map[i];

        m->place = place_of(p, m, model);
        if (m->place >= 0)
            continue;
        lk_error_set(error, "model '%s' has no %s '%s' of one number", model->name,
                     m->to_unit ? "output" : "input", m->channel);
        return 1;
    }
    return 0;
}

/* ---- the unit ---- */

static int call_unit(struct play *p, const double *outputs, double n, struct lk_error *error)
{
    double values[PLAY_MAPS_MAX];

    for (int i = 0; i < p->n_maps && outputs != NULL; i++)
        if (p->map[i].to_unit &&
            unit_set(p->unit, p->map[i].variable, outputs[p->map[i].place], error) != 0)
            return 1;
    if (n > 0 && unit_step(p->unit, (double)p->done * p->h, n * p->h, error) != 0)
        return 1;
    p->done += (uint64_t)n;
    for (int i = 0; i < p->n_maps; i++)
        if (!p->map[i].to_unit &&
            unit_get(p->unit, p->map[i].variable, &values[p->map[i].place], error) != 0)
            return 1;
    memcpy(p->values, values, (size_t)p->n_inputs * sizeof(values[0])); /* only on success */
    return 0;
}

int play_answer(struct play *p, const double *outputs, double n, struct lk_error *error)
{
    int result;

    atomic_fetch_add(p->beat, 1);
    result = call_unit(p, outputs, n, error);
    atomic_fetch_add(p->beat, 1);
    return result;
}

/* ---- in lockstep ---- */

static int run_lockstep(struct play *p, struct lk_client_lockstep *lockstep, struct lk_error *error)
{
    const Linkage__V1__OutputSample *sample;
    const Linkage__V1__ModelDescription *model;

    if (lk_client_lockstep_describe(lockstep, &model, error) != 0 ||
        play_describe(p, model, error) != 0 ||
        lk_client_lockstep_begin(lockstep, "linkage-fmu", p->inputs, p->n_inputs, error) != 0 ||
        play_answer(p, NULL, 0, error) != 0)
        return 1;
    while ((p->steps == 0 || p->done < p->steps) && !play_is_over()) {
        if (lk_client_lockstep_step(lockstep, p->values, p->n_inputs, play_is_over, &sample,
                                    error) != 0 ||
            play_answer(p, sample->values, 1, error) != 0)
            return 1;
    }
    return 0;
}

int play_lockstep(struct play *p, struct lk_error *error)
{
    struct lk_client_lockstep lockstep = {0};
    int result =
        lk_client_open_with(p->endpoint[0], TIMEOUT_MS, p->keys, &lockstep.client, error) != 0;

    if (result == 0)
        result = run_lockstep(p, &lockstep, error);
    /* after a failure the claim is not released: its lease expires, and the policy acts as for any
     * silent bench */
    if (result == 0)
        lk_client_lockstep_end(&lockstep);
    lk_client_close(lockstep.client);
    return result;
}

/* ---- in real time ---- */

/* struct hearing - state of a bench in real time.
 * @sent_ns:  for each sequence number modulo SENT_MAX, time at which the answered output sample was
 *            received
 * @delay:    the @n_delays measured delays [s]
 * @seen:     sequence number of the newest input sample of this bench that acts
 * @step:     step number of the last output sample
 * @heard_ns: time of the last output sample, 0: none yet */
struct hearing {
    struct lk_client_bench *bench;
    int64_t sent_ns[SENT_MAX];
    double delay[DELAYS_MAX];
    int n_delays;
    uint64_t seen;
    uint64_t step;
    int64_t heard_ns;
    bool described;
};

static void note_delay(struct hearing *h, const Linkage__V1__OutputSample *sample, int64_t now_ns)
{
    const Linkage__V1__Echo *echo = lk_client_bench_echo(h->bench, sample);

    if (echo == NULL || echo->sequence == h->seen)
        return;
    h->seen = echo->sequence;
    if (h->sent_ns[h->seen % SENT_MAX] > 0 && h->n_delays < DELAYS_MAX)
        h->delay[h->n_delays++] = 1e-9 * (double)(now_ns - h->sent_ns[h->seen % SENT_MAX]);
}

static int hear(struct play *p, struct hearing *h, struct lk_error *error)
{
    const Linkage__V1__OutputSample *sample;
    const Linkage__V1__ModelDescription *model;
    int64_t received_ns;
    uint64_t sequence, steps;

    if (lk_client_bench_receive(h->bench, HEAR_MS, &received_ns, &sample) != 0 ||
        sample->state != LINKAGE__V1__STATE__STATE_RUNNING || sample->step == h->step)
        return 0;
    if (!h->described) {
        model = lk_client_bench_model(h->bench);
        if (model == NULL)
            return 0;
        if (play_describe(p, model, error) != 0)
            return 1;
        h->described = true;
        h->step = sample->step - 1;
    }
    h->heard_ns = received_ns;
    note_delay(h, sample, received_ns);
    steps = sample->step > h->step ? sample->step - h->step : 0;
    h->step = sample->step;
    if (play_answer(p, sample->values, (double)steps, error) != 0)
        return 1;
    if (lk_client_bench_send(h->bench, p->values, (size_t)p->n_inputs, &sequence) == 0)
        h->sent_ns[sequence % SENT_MAX] = received_ns;
    return 0;
}

/* Check the time limits.
 * Return: 0: continue; 1: no run began, or the run has ended; -1: the requested duration is
 * over. */
static int look_at_clock(const struct play *p, const struct hearing *h, int64_t begin_ns,
                         struct lk_error *error)
{
    int64_t now_ns = lk_client_now_ns(), heard_ns = h->heard_ns > 0 ? h->heard_ns : begin_ns;
    struct lk_client_bench_view view;

    if (p->seconds > 0 && now_ns - begin_ns > (int64_t)(1e9 * p->seconds))
        return -1;
    if (now_ns - heard_ns < (h->heard_ns > 0 ? SILENT_NS : CLAIM_NS))
        return 0;
    lk_client_bench_read_state(h->bench, &view);
    lk_error_set(error, "%s",
                 *view.text        ? view.text
                 : h->heard_ns > 0 ? "the run is over"
                                   : "no samples of a run");
    return 1;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int open_bench(struct play *p, struct hearing *h, struct lk_error *error)
{
    struct lk_client_bench_channel channels[PLAY_MAPS_MAX];
    struct lk_client_bench_setup setup = {.control = p->endpoint[0],
                                          .inputs = p->endpoint[1],
                                          .outputs = p->endpoint[2],
                                          .keys = p->keys,
                                          .name = "linkage-fmu",
                                          .channels = channels};

    for (int i = 0; i < p->n_maps; i++)
        if (!p->map[i].to_unit)
            channels[setup.n_channels++] =
                (struct lk_client_bench_channel){.name = p->map[i].channel};
    return lk_client_bench_open(&setup, &h->bench, error) != 0;
}

int play_realtime(struct play *p, struct lk_error *error)
{
    struct hearing *h = calloc(1, sizeof(*h));
    int64_t begin_ns = lk_client_now_ns();
    int result = h == NULL || open_bench(p, h, error);

    while (result == 0 && !play_is_over()) {
        result = hear(p, h, error);
        if (result == 0)
            result = look_at_clock(p, h, begin_ns, error);
    }
    if (h != NULL && h->n_delays > 0) {
        qsort(h->delay, (size_t)h->n_delays, sizeof(h->delay[0]), compare);
        p->delay_median = h->delay[h->n_delays / 2];
        p->delay_max = h->delay[h->n_delays - 1];
    }
    if (h != NULL && result <= 0) /* after a failure see play_lockstep() */
        lk_client_bench_close(h->bench);
    free(h);
    return result > 0;
}
