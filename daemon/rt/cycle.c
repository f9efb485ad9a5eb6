/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)

LK_RT int64_t lkd_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int init_mailboxes(struct lkd_cycle *cycle)
{
    size_t n_in = (size_t)cycle->n_inputs, n_out = (size_t)cycle->n_outputs;
    int r;

    r = lkd_mailbox_init(&cycle->inputs, sizeof(struct lkd_input) + n_in * sizeof(double));
    if (r)
        return r;
    r = lkd_mailbox_init(&cycle->outputs, sizeof(struct lkd_output) + n_out * sizeof(double));
    if (r)
        return r;
    return lkd_mailbox_init(&cycle->status, sizeof(struct lkd_figures));
}

int lkd_cycle_new(struct lk_system *system, double residual_limit, struct lkd_cycle **ret_cycle)
{
    struct lkd_cycle *cycle = aligned_alloc(alignof(struct lkd_cycle), sizeof(struct lkd_cycle));

    if (!cycle)
        return -ENOMEM;
    memset(cycle, 0, sizeof(*cycle));
    cycle->system = system;
    cycle->period_ns = llround(lk_system_step_size(system) * 1e9);
    cycle->residual_limit = residual_limit;
    cycle->n_inputs = lk_system_input_size(system);
    cycle->n_outputs = lk_system_output_size(system);
    cycle->rt.values = calloc((size_t)cycle->n_outputs + 1, sizeof(double));
    if (!cycle->rt.values || init_mailboxes(cycle)) {
        lkd_cycle_free(cycle);
        return -ENOMEM;
    }
    lkd_cycle_rewind(cycle);
    *ret_cycle = cycle;
    return 0;
}

void lkd_cycle_free(struct lkd_cycle *cycle)
{
    if (!cycle)
        return;
    lkd_mailbox_fini(&cycle->inputs);
    lkd_mailbox_fini(&cycle->outputs);
    lkd_mailbox_fini(&cycle->status);
    free(cycle->rt.values);
    free(cycle);
}

/* Hand a finished cycle over: to the exchange thread with the outputs, to the control thread
 * without. */
static void publish(struct lkd_cycle *cycle)
{
    struct lkd_output *output = lkd_mailbox_back(&cycle->outputs);
    struct lkd_figures *status = lkd_mailbox_back(&cycle->status);

    output->figures = cycle->rt.figures;
    memcpy(output->values, cycle->rt.values, (size_t)cycle->n_outputs * sizeof(double));
    lkd_mailbox_publish(&cycle->outputs);
    *status = cycle->rt.figures;
    lkd_mailbox_publish(&cycle->status);
}

void lkd_cycle_settle(struct lkd_cycle *cycle)
{
    *(struct lkd_figures *)lkd_mailbox_back(&cycle->status) = cycle->rt.figures;
    lkd_mailbox_publish(&cycle->status);
}

void lkd_cycle_rewind(struct lkd_cycle *cycle)
{
    struct lkd_figures *f = &cycle->rt.figures;

    lk_system_reset(cycle->system);
    lkd_histogram_clear(&cycle->wakeup);
    lkd_histogram_clear(&cycle->compute);
    *f = (struct lkd_figures){.state = LKD_CYCLE_RUNNING};
    lk_system_health(cycle->system, &f->health);
    f->energy_start = f->health.kinetic + f->health.potential;
    f->residual_position_max = f->health.residual_position;
    f->residual_velocity_max = f->health.residual_velocity;
    lk_system_outputs(cycle->system, cycle->rt.values);
    atomic_store_explicit(&cycle->ask, LKD_ASK_RUN, memory_order_relaxed);

    /* status is valid before the first cycle; outputs are left out, nobody computed them in time */
    lkd_cycle_settle(cycle);
    lkd_mailbox_take(&cycle->outputs);
}

void lkd_cycle_ask(struct lkd_cycle *cycle, enum lkd_ask ask)
{
    /* relaxed: nothing else is handed over with the word */
    atomic_store_explicit(&cycle->ask, (int)ask, memory_order_relaxed);
}

static void sleep_until(int64_t when_ns)
{
    struct timespec when = {.tv_sec = when_ns / NS_PER_S, .tv_nsec = when_ns % NS_PER_S};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR)
        ;
}

static void fail(struct lkd_figures *f, enum lkd_fault fault)
{
    f->state = LKD_CYCLE_FAULT;
    f->fault = fault;
}

/* One step with the newest inputs. On a fault the figures and values of the outputs stay those of
 * the last good step. */
static void step(struct lkd_cycle *cycle)
{
    struct lkd_figures *f = &cycle->rt.figures;
    const struct lkd_input *input;
    int r;

    lkd_mailbox_take(&cycle->inputs);
    input = lkd_mailbox_front(&cycle->inputs);
    r = lk_system_step(cycle->system, input->values);
    if (r) {
        fail(f, r == LK_E_TURN ? LKD_FAULT_TURN : LKD_FAULT_NOT_FINITE);
        return;
    }

    lk_system_health(cycle->system, &f->health);
    f->residual_position_max = fmax(f->residual_position_max, f->health.residual_position);
    f->residual_velocity_max = fmax(f->residual_velocity_max, f->health.residual_velocity);
    if (!(f->health.residual_position <= cycle->residual_limit)) {
        fail(f, LKD_FAULT_RESIDUAL);
        return;
    }

    lk_system_outputs(cycle->system, cycle->rt.values);
    f->step = lk_system_step_count(cycle->system);
    f->time_s = lk_system_time(cycle->system);
    f->input_sequence = input->sequence;
    f->input_origin_ns = input->origin_ns;
    f->input_received_ns = input->received_ns;
}

/* The step with the workers up, who then sleep until shortly before the next grid point. */
static void step_with_crew(struct lkd_cycle *cycle, int64_t deadline_ns)
{
    int64_t lead_ns = (int64_t)(LKD_LEAD_PART * (double)cycle->period_ns);

    if (lead_ns > LKD_LEAD_NS)
        lead_ns = LKD_LEAD_NS;
    lk_crew_rouse(cycle->crew, deadline_ns + cycle->period_ns - lead_ns);
    step(cycle);
    lk_crew_rest(cycle->crew);
}

/* Return: whether a step was made or tried. */
static bool advance(struct lkd_cycle *cycle, enum lkd_ask ask, int64_t deadline_ns)
{
    struct lkd_figures *f = &cycle->rt.figures;

    if (f->state == LKD_CYCLE_FAULT)
        return false;
    f->state = ask == LKD_ASK_PAUSE ? LKD_CYCLE_PAUSED : LKD_CYCLE_RUNNING;
    if (f->state == LKD_CYCLE_PAUSED)
        return false;
    if (cycle->crew)
        step_with_crew(cycle, deadline_ns);
    else
        step(cycle);
    return true;
}

/* The grid point to wait for after a cycle at @deadline_ns that ended at @end_ns. */
static int64_t next_deadline(struct lkd_cycle *cycle, int64_t deadline_ns, int64_t end_ns)
{
    struct lkd_figures *f = &cycle->rt.figures;
    int64_t next_ns = deadline_ns + cycle->period_ns;
    int64_t passed;

    if (end_ns <= next_ns)
        return next_ns;
    f->overruns++;
    if (end_ns <= next_ns + cycle->period_ns)
        return next_ns;
    passed = (end_ns - next_ns) / cycle->period_ns + 1;
    f->skipped += (uint64_t)passed;
    return next_ns + passed * cycle->period_ns;
}

LK_RT void lkd_cycle_run(struct lkd_cycle *cycle)
{
    struct lkd_figures *f = &cycle->rt.figures;
    int64_t deadline_ns = cycle->t0_ns;

    for (;;) {
        enum lkd_ask ask;
        bool stepped;

        sleep_until(deadline_ns);
        f->woken_ns = lkd_clock_ns();
        ask = (enum lkd_ask)atomic_load_explicit(&cycle->ask, memory_order_relaxed);
        if (ask == LKD_ASK_END)
            return;

        stepped = advance(cycle, ask, deadline_ns);
        f->deadline_ns = deadline_ns;
        f->computed_ns = lkd_clock_ns();
        f->cycles++;
        publish(cycle);

        lkd_histogram_add(&cycle->wakeup, f->woken_ns - deadline_ns);
        if (stepped)
            lkd_histogram_add(&cycle->compute, f->computed_ns - f->woken_ns);
        deadline_ns = next_deadline(cycle, deadline_ns, lkd_clock_ns());
    }
}
