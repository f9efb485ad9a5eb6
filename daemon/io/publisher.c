/* SPDX-License-Identifier: Apache-2.0 */
#include "publisher.h"
#include <errno.h>
#include <stdlib.h>
#include <zmq.h>

int lkd_publisher_init(struct lkd_publisher *publisher, void *socket)
{
    unsigned char *buffer = malloc(LK_WIRE_SAMPLE_MAX);

    if (!buffer)
        return -ENOMEM;
    *publisher = (struct lkd_publisher){.socket = socket, .buffer = buffer};
    return 0;
}

void lkd_publisher_fini(struct lkd_publisher *publisher)
{
    free(publisher->buffer);
    publisher->buffer = NULL;
}

void lkd_publisher_begin(struct lkd_publisher *publisher)
{
    publisher->published = 0;
}

static Linkage__V1__State state_of(enum lkd_cycle_state state)
{
    switch (state) {
    case LKD_CYCLE_RUNNING:
        return LINKAGE__V1__STATE__STATE_RUNNING;
    case LKD_CYCLE_PAUSED:
        return LINKAGE__V1__STATE__STATE_PAUSED;
    case LKD_CYCLE_FAULT:
        return LINKAGE__V1__STATE__STATE_FAULT;
    }
    return LINKAGE__V1__STATE__STATE_UNSPECIFIED;
}

int64_t lkd_publisher_send(struct lkd_publisher *publisher, const struct lkd_output *output,
                           int n_values, uint64_t model_id, bool degraded, Linkage__V1__State state)
{
    const struct lkd_figures *f = &output->figures;
    Linkage__V1__OutputSample sample = LINKAGE__V1__OUTPUT_SAMPLE__INIT;
    size_t size;

    sample.sequence = ++publisher->sequence;
    sample.step = f->step;
    sample.time_s = f->time_s;
    sample.state = state ? state : state_of(f->state);
    sample.deadline_ns = (uint64_t)f->deadline_ns;
    sample.computed_ns = (uint64_t)f->computed_ns;
    sample.input_sequence = f->input_sequence;
    sample.input_origin_ns = f->input_origin_ns;
    sample.input_received_ns = (uint64_t)f->input_received_ns;
    sample.model_id = model_id;
    sample.overruns = f->overruns;
    sample.skipped = f->skipped;
    sample.degraded = degraded;
    /* the generated structure knows no const; encoding only reads */
    sample.values = (double *)output->values;
    sample.n_values = (size_t)n_values;
    sample.published_ns = (uint64_t)lkd_clock_ns();

    if (lk_wire_encode(&sample.base, publisher->buffer, LK_WIRE_SAMPLE_MAX, &size))
        return lkd_clock_ns();
    /* a PUB socket drops for slow subscribers and never blocks; the gap shows in the sequence */
    if (zmq_send(publisher->socket, publisher->buffer, size, ZMQ_DONTWAIT) >= 0)
        publisher->published++;
    return lkd_clock_ns();
}
