/* SPDX-License-Identifier: Apache-2.0 */
#include "outgoing.h"
#include "identity.h"
#include "wait.h"

Linkage__V1__State lkd_outgoing_state(enum lkd_cycle_state state)
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

Linkage__V1__Mode lkd_outgoing_mode(enum lkd_mode mode)
{
    switch (mode) {
    case LKD_MODE_REALTIME:
        return LINKAGE__V1__MODE__MODE_REALTIME;
    case LKD_MODE_LOCKSTEP:
        return LINKAGE__V1__MODE__MODE_LOCKSTEP;
    case LKD_MODE_ASAP:
        return LINKAGE__V1__MODE__MODE_ASAP;
    }
    return LINKAGE__V1__MODE__MODE_UNSPECIFIED;
}

Linkage__V1__Action lkd_outgoing_action(enum lkd_action action)
{
    switch (action) {
    case LKD_ACTION_COUNT:
        return LINKAGE__V1__ACTION__ACTION_COUNT;
    case LKD_ACTION_HOLD:
        return LINKAGE__V1__ACTION__ACTION_HOLD;
    case LKD_ACTION_RAMP:
        return LINKAGE__V1__ACTION__ACTION_RAMP;
    case LKD_ACTION_ZERO:
        return LINKAGE__V1__ACTION__ACTION_ZERO;
    case LKD_ACTION_FAULT:
        return LINKAGE__V1__ACTION__ACTION_FAULT;
    }
    return LINKAGE__V1__ACTION__ACTION_UNSPECIFIED;
}

static void fill_echoes(struct lkd_outgoing *outgoing, const struct lkd_output *output)
{
    size_t n = 0;

    for (int i = 0; i < output->n_stamps; i++) {
        const struct lkd_stamp *stamp = &output->stamp[i];
        Linkage__V1__Echo *echo = &outgoing->echo[n];

        if (stamp->sequence == 0)
            continue;
        linkage__v1__echo__init(echo);
        echo->claim = stamp->claim;
        echo->sequence = stamp->sequence;
        echo->origin_ns = stamp->origin_ns;
        echo->received_ns = (uint64_t)stamp->received_ns;
        echo->latched_ns = (uint64_t)stamp->latched_ns;
        echo->latched_step = stamp->latched_step;
        outgoing->echoes[n++] = echo;
    }
    outgoing->sample.echoes = outgoing->echoes;
    outgoing->sample.n_echoes = n;
}

static void fill_figures(Linkage__V1__OutputSample *sample, const struct lkd_figures *f)
{
    sample->step = f->step;
    sample->time_s = f->time_s;
    sample->deadline_ns = (uint64_t)f->deadline_ns;
    sample->computed_ns = (uint64_t)f->computed_ns;
    sample->input_sequence = f->input_sequence;
    sample->input_origin_ns = f->input_origin_ns;
    sample->input_received_ns = (uint64_t)f->input_received_ns;
    sample->overruns = f->overruns;
    sample->skipped = f->skipped;
    sample->flags = f->flags;
}

void lkd_outgoing_fill(struct lkd_outgoing *outgoing, const struct lkd_output *output, int n_values,
                       const struct lkd_run_facts *facts, Linkage__V1__State state,
                       const struct lkd_wall_clock *clock)
{
    Linkage__V1__OutputSample *sample = &outgoing->sample;

    linkage__v1__output_sample__init(sample);
    fill_figures(sample, &output->figures);
    fill_echoes(outgoing, output);
    sample->state = state ? state : lkd_outgoing_state(output->figures.state);
    sample->model_id = facts->model_id;
    sample->mode = lkd_outgoing_mode(facts->mode);
    sample->degraded = facts->degraded;
    if (facts->degraded)
        sample->flags |= LINKAGE__V1__FLAG__FLAG_DEGRADED;
    sample->daemon_id = lkd_daemon_id();
    /* The cast drops const, which the generated structure lacks. Encoding only reads the values. */
    sample->values = (double *)output->values;
    sample->n_values = (size_t)n_values;

    linkage__v1__clock__init(&outgoing->clock);
    outgoing->clock.id = LINKAGE__V1__CLOCK__ID__ID_UTC;
    outgoing->clock.synchronised = clock->synchronised;
    outgoing->clock.uncertainty_ns = clock->uncertainty_ns;
    sample->clock = &outgoing->clock;
}

void lkd_outgoing_stamp(struct lkd_outgoing *outgoing, uint64_t sequence)
{
    outgoing->sample.sequence = sequence;
    /* The clocks are read in succession, so their readings differ at most by the time between the
     * two calls. */
    outgoing->sample.published_ns = (uint64_t)lkd_clock_ns();
    outgoing->sample.utc_ns = lkd_wall_clock_ns();
}
