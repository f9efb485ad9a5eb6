/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle_parts.h"
#include "tracepoints.h"
#include <math.h>
#include <string.h>

/* Compute the outputs and the poses of all bodies from the present state. */
static void evaluate(struct lkd_cycle *cycle)
{
    lk_system_outputs(cycle->system, cycle->rt.values);
    lk_system_poses(cycle->system, cycle->rt.values + cycle->n_outputs);
}

LK_RT void lkd_cycle_fill(const struct lkd_cycle *cycle, struct lkd_output *output)
{
    output->figures = cycle->rt.figures;
    output->n_stamps = cycle->rt.n_stamps;
    memcpy(output->stamp, cycle->rt.stamp, (size_t)cycle->rt.n_stamps * sizeof(*output->stamp));
    memcpy(output->values, cycle->rt.values,
           (size_t)(cycle->n_outputs + cycle->n_poses) * sizeof(double));
}

/* Publish a finished cycle: figures and outputs to the exchange thread, figures only to the control
 * thread. */
static void publish(struct lkd_cycle *cycle)
{
    struct lkd_figures *status = lkd_mailbox_back(&cycle->status);

    lkd_cycle_fill(cycle, lkd_mailbox_back(&cycle->outputs));
    lkd_mailbox_publish(&cycle->outputs);
    *status = cycle->rt.figures;
    lkd_mailbox_publish(&cycle->status);
}

void lkd_cycle_settle(struct lkd_cycle *cycle)
{
    *(struct lkd_figures *)lkd_mailbox_back(&cycle->status) = cycle->rt.figures;
    lkd_mailbox_publish(&cycle->status);
}

/* Reset the guard at the start of a run, so that samples refused before the run do not count. This
 * thread may read the mailbox here, because the cycle does not run yet. */
static void begin_guard(struct lkd_cycle *cycle)
{
    lkd_mailbox_take(&cycle->inputs);
    lkd_guard_begin(&cycle->guard,
                    lkd_input_news_of(lkd_mailbox_front(&cycle->inputs), cycle->n_inputs));
    cycle->rt.n_stamps = 0;
}

LK_RT void lkd_cycle_restart(struct lkd_cycle *cycle)
{
    lk_system_reset(cycle->system);
    lkd_judge_begin(&cycle->rt.judge, cycle->system, cycle->guard.policy.pivot_limit);
}

/* Store the figures of a step that passed the check, and update the maxima. */
static void keep_findings(struct lkd_figures *f, const struct lkd_findings *found)
{
    f->health = found->health;
    f->extent = found->extent;
    f->energy_jump = found->energy_jump;
    f->energy_appears = found->appears;
    f->dependent = found->dependent;
    f->dependent_max = found->dependent > f->dependent_max ? found->dependent : f->dependent_max;
    f->residual_position_max = fmax(f->residual_position_max, found->health.residual_position);
    f->residual_velocity_max = fmax(f->residual_velocity_max, found->health.residual_velocity);
    f->increment_max = fmax(f->increment_max, found->health.increment);
    f->position_max = fmax(f->position_max, found->extent.position);
    f->speed_max = fmax(f->speed_max, found->extent.speed);
    f->turning = found->extent.turn > f->turn_max ? found->extent.turning : f->turning;
    f->turn_max = fmax(f->turn_max, found->extent.turn);
    f->strained = found->extent.strain > f->strain_max ? found->extent.strained : f->strained;
    f->strain_max = fmax(f->strain_max, found->extent.strain);
    f->touching = found->extent.contact > f->contact_max ? found->extent.touching : f->touching;
    f->contact_max = fmax(f->contact_max, found->extent.contact);
    f->port_gap_max = fmax(f->port_gap_max, found->health.port_gap);
    f->energy_jump_max = fmax(f->energy_jump_max, found->energy_jump);
}

void lkd_cycle_rewind(struct lkd_cycle *cycle)
{
    struct lkd_figures *f = &cycle->rt.figures;
    struct lkd_findings found = {0};

    lkd_cycle_restart(cycle);
    cycle->first_step = 0;
    begin_guard(cycle);
    lkd_release_reset(&cycle->release);
    atomic_store_explicit(&cycle->steps_max, 0, memory_order_relaxed);
    atomic_store_explicit(&cycle->stall_ns, 0, memory_order_relaxed);
    lkd_cycle_clear_evidence(cycle);
    *f = (struct lkd_figures){.state = LKD_CYCLE_RUNNING};
    lk_system_health(cycle->system, &found.health);
    lk_system_extent(cycle->system, &found.extent);
    keep_findings(f, &found);
    f->energy_start = f->health.kinetic + f->health.potential;
    evaluate(cycle);
    atomic_store_explicit(&cycle->ask, LKD_ASK_RUN, memory_order_relaxed);

    /* Publish the status now, so that it can be read before the first cycle. Outputs are not
     * published, because no cycle has computed them. */
    lkd_cycle_settle(cycle);
    lkd_mailbox_take_newest(&cycle->outputs);
}

void lkd_cycle_ask(struct lkd_cycle *cycle, enum lkd_ask ask)
{
    /* relaxed: the request is the only data passed to the cycle thread here */
    atomic_store_explicit(&cycle->ask, (int)ask, memory_order_relaxed);
}

LK_RT void lkd_cycle_fail(struct lkd_cycle *cycle, enum lkd_fault fault)
{
    struct lkd_figures *f = &cycle->rt.figures;

    if (f->state == LKD_CYCLE_FAULT)
        return;
    f->state = LKD_CYCLE_FAULT;
    f->fault = fault;
    if (cycle->settings.zero_outputs)
        memset(cycle->rt.values, 0, (size_t)cycle->n_outputs * sizeof(double));
}

LK_RT enum lkd_fault lkd_cycle_compute(struct lkd_cycle *cycle, const double *acting)
{
    struct lkd_figures *f = &cycle->rt.figures;
    struct lkd_findings found;
    int r, condition;

    cycle->rt.record.latched_ns = lkd_clock_ns();
    r = lk_system_step(cycle->system, acting);
    cycle->rt.record.stepped_ns = lkd_clock_ns();
    if (r)
        return r == LK_E_TURN       ? LKD_FAULT_TURN
               : r == LK_E_SINGULAR ? LKD_FAULT_SINGULAR
               : r == LK_E_BENT     ? LKD_FAULT_BENT
                                    : LKD_FAULT_NOT_FINITE;

    lkd_judge_look(&cycle->rt.judge, cycle->system, &found);
    condition = lkd_judge_rule(&cycle->settings.policy, &found, &f->beyond);
    if (condition >= 0) {
        f->condition = (enum lkd_condition)condition;
        return LKD_FAULT_BEYOND;
    }
    keep_findings(f, &found);
    evaluate(cycle);
    return LKD_FAULT_NONE;
}

LK_RT enum lkd_ask lkd_cycle_asked(const struct lkd_cycle *cycle)
{
    return (enum lkd_ask)atomic_load_explicit(&cycle->ask, memory_order_relaxed);
}

/* Busy-wait for the time requested by an injected fault. */
static void stall(struct lkd_cycle *cycle)
{
    int64_t until_ns = atomic_load_explicit(&cycle->stall_ns, memory_order_relaxed);

    if (until_ns == 0)
        return;
    atomic_store_explicit(&cycle->stall_ns, 0, memory_order_relaxed);
    until_ns += lkd_clock_ns();
    while (lkd_clock_ns() < until_ns)
        ;
}

/* Store the stamps of samples that act from this step on. The comparison includes the claim,
 * because an entry may have passed to another bench. */
static void latch_stamps(struct lkd_cycle *cycle, const struct lkd_input *input)
{
    int64_t now_ns = cycle->rt.record.latched_ns;

    for (int i = 0; i < input->n_stamps; i++) {
        struct lkd_stamp *to = &cycle->rt.stamp[i];
        const struct lkd_stamp *from = &input->stamp[i];

        if (i < cycle->rt.n_stamps && to->sequence == from->sequence &&
            to->received_ns == from->received_ns && to->claim == from->claim)
            continue;
        *to = *from;
        to->latched_ns = now_ns;
        to->latched_step = cycle->rt.figures.step;
        if (from->sequence > 0)
            lkd_histogram_add(&cycle->input_age, now_ns - from->received_ns);
    }
    cycle->rt.n_stamps = input->n_stamps;
}

/* Compute the acting inputs from the newest commanded inputs with the guard.
 * Return: false if a rule demands a fault. */
static bool latch(struct lkd_cycle *cycle, const struct lkd_input *input)
{
    struct lkd_figures *f = &cycle->rt.figures;
    const struct lkd_guard_view view = {
        .step = f->step,
        .overruns = f->overruns,
        .residual = f->health.residual_position,
        .energy = lk_energy_balance(&f->health) - f->energy_start,
        .position = f->extent.position,
        .speed = f->extent.speed,
        .energy_jump = f->energy_jump,
        .energy_appears = f->energy_appears,
        .increment = f->health.increment,
        .dependent = f->dependent,
        .turn = f->extent.turn,
        .port_gap = f->health.port_gap,
        .strain = f->extent.strain,
        .contact = f->extent.contact,
    };
    int condition =
        lkd_guard_apply(&cycle->guard, &view, input->values, input->values + cycle->n_inputs,
                        lkd_input_news_of(input, cycle->n_inputs));

    f->flags = cycle->guard.flags | input->flags;
    if (condition < 0)
        return true;
    f->condition = (enum lkd_condition)condition;
    lkd_cycle_fail(cycle, LKD_FAULT_POLICY);
    return false;
}

/* Make one step with the newest inputs. */
static void step(struct lkd_cycle *cycle)
{
    struct lkd_figures *f = &cycle->rt.figures;
    const struct lkd_input *input;
    enum lkd_fault fault;

    lkd_mailbox_take(&cycle->inputs);
    input = lkd_mailbox_front(&cycle->inputs);
    if (!latch(cycle, input))
        return;
    stall(cycle);
    fault = lkd_cycle_compute(cycle, cycle->guard.acting);
    if (fault) {
        if (fault == LKD_FAULT_BEYOND)
            lkd_guard_fault(&cycle->guard, f->condition, f->step);
        lkd_cycle_fail(cycle, fault);
        return;
    }
    latch_stamps(cycle, input);
    f->step = lk_system_step_count(cycle->system);
    f->time_s = lk_system_time(cycle->system);
    if (input->n_stamps > 0) {
        const struct lkd_stamp *newest = &input->stamp[input->newest];

        f->input_sequence = newest->sequence;
        f->input_origin_ns = newest->origin_ns;
        f->input_received_ns = newest->received_ns;
    }
}

/* Make one step with the workers awake; they sleep afterwards until shortly before the next grid
 * point. */
static void step_with_pool(struct lkd_cycle *cycle, int64_t deadline_ns)
{
    int64_t lead_ns = (int64_t)(LKD_MARGIN_PART * (double)cycle->period_ns);

    if (lead_ns > LKD_LEAD_NS)
        lead_ns = LKD_LEAD_NS;
    lk_pool_rouse(cycle->pool, deadline_ns + cycle->period_ns - lead_ns);
    step(cycle);
    lk_pool_rest(cycle->pool);
}

LK_RT bool lkd_cycle_is_done(const struct lkd_cycle *cycle)
{
    uint64_t most = atomic_load_explicit(&cycle->steps_max, memory_order_relaxed);

    return most > 0 && cycle->rt.figures.step >= most;
}

/* Update the flags during a pause, so that output samples have the flag of injected faults then,
 * too. */
static void take_mark(struct lkd_cycle *cycle)
{
    const struct lkd_input *input;

    lkd_mailbox_take(&cycle->inputs);
    input = lkd_mailbox_front(&cycle->inputs);
    cycle->rt.figures.flags = cycle->guard.flags | input->flags;
}

/* Make a step unless the run is paused or in FAULT.
 * Return: true if a step was made or attempted. */
static bool advance(struct lkd_cycle *cycle, enum lkd_ask ask, int64_t deadline_ns)
{
    struct lkd_figures *f = &cycle->rt.figures;

    if (ask == LKD_ASK_FAULT)
        lkd_cycle_fail(cycle, LKD_FAULT_WATCHDOG);
    if (f->state == LKD_CYCLE_FAULT)
        return false;
    f->state =
        ask == LKD_ASK_PAUSE || lkd_cycle_is_done(cycle) ? LKD_CYCLE_PAUSED : LKD_CYCLE_RUNNING;
    if (f->state == LKD_CYCLE_PAUSED) {
        take_mark(cycle);
        return false;
    }
    if (cycle->pool)
        step_with_pool(cycle, deadline_ns);
    else
        step(cycle);
    return true;
}

LK_RT int64_t lkd_cycle_grid_point(const struct lkd_cycle *cycle, int64_t k)
{
    return cycle->t0_ns + lkd_grid_at(&cycle->grid, k);
}

LK_RT int64_t lkd_cycle_ahead_ns(const struct lkd_cycle *cycle, int64_t when_ns, int64_t n)
{
    int64_t past_ns = when_ns - cycle->t0_ns;

    if (cycle->mode != LKD_MODE_REALTIME)
        return when_ns + n * cycle->period_ns;
    if (past_ns < 0)
        return lkd_cycle_grid_point(cycle, n - 1);
    return lkd_cycle_grid_point(cycle, lkd_grid_before(&cycle->grid, past_ns + 1) + n);
}

LK_RT int64_t lkd_cycle_next_ns(const struct lkd_cycle *cycle, int64_t when_ns)
{
    return lkd_cycle_ahead_ns(cycle, when_ns, 1);
}

/* Write the frame of this cycle into the recorder's queue, if the queue is enabled. */
static void record(struct lkd_cycle *cycle, bool stepped)
{
    struct lkd_frame *frame = lkd_spsc_back(&cycle->queue);
    const struct lkd_figures *f = &cycle->rt.figures;
    size_t n_in = (size_t)cycle->n_inputs, n_out = (size_t)cycle->n_outputs;

    if (!frame)
        return;
    frame->cycle = f->cycles - 1;
    frame->step = f->step;
    frame->stepped = stepped;
    frame->state = f->state;
    frame->fault = f->fault;
    frame->flags = f->flags;
    frame->record = cycle->rt.record;
    frame->overruns = f->overruns;
    frame->skipped = f->skipped;
    frame->stamp = (struct lkd_stamp){0};
    for (int i = 0; i < cycle->rt.n_stamps; i++)
        if (cycle->rt.stamp[i].received_ns >= frame->stamp.received_ns)
            frame->stamp = cycle->rt.stamp[i];
    memcpy(frame->values, cycle->guard.acting, n_in * sizeof(double));
    memcpy(frame->values + n_in, cycle->rt.values, n_out * sizeof(double));
    lkd_spsc_push(&cycle->queue);
}

LK_RT void lkd_cycle_carry_out(struct lkd_cycle *cycle, enum lkd_ask ask, int64_t k)
{
    struct lkd_figures *f = &cycle->rt.figures;
    struct lkd_record *r = &cycle->rt.record;
    bool stepped;

    LKD_TRACEPOINT3(cycle_begin, f->cycles, r->deadline_ns, r->woken_ns);
    r->latched_ns = r->stepped_ns = r->woken_ns; /* defaults if the cycle makes no step */
    stepped = advance(cycle, ask, r->deadline_ns);
    /* If this cycle hung in its step, the watchdog may have requested a fault meanwhile. */
    if (lkd_cycle_asked(cycle) == LKD_ASK_FAULT)
        lkd_cycle_fail(cycle, LKD_FAULT_WATCHDOG);
    f->cycles++;
    r->step = f->step;
    f->behind_ns = lkd_grid_at(&cycle->grid, k + 1) -
                   lkd_grid_at(&cycle->grid, (int64_t)(f->step - cycle->first_step));
    f->deadline_ns = r->deadline_ns;
    f->woken_ns = r->woken_ns;
    f->computed_ns = r->computed_ns = lkd_clock_ns();
    publish(cycle);

    lkd_cycle_count(cycle, stepped);
    record(cycle, stepped && f->state != LKD_CYCLE_FAULT);
    lkd_snapshot_serve(cycle);
    if (cycle->after)
        cycle->after(cycle, cycle->after_context);
    LKD_TRACEPOINT3(cycle_end, f->cycles - 1, f->step, r->computed_ns);
    r->ended_ns = lkd_clock_ns();
}

LK_RT void lkd_cycle_run(struct lkd_cycle *cycle)
{
    struct lkd_record *r = &cycle->rt.record;
    int64_t k = 0;

    for (;;) {
        enum lkd_ask ask;

        r->deadline_ns = lkd_cycle_grid_point(cycle, k);
        r->woken_ns = lkd_wait_until(&cycle->wait, r->deadline_ns);
        ask = lkd_cycle_asked(cycle);
        if (ask == LKD_ASK_END)
            return;
        lkd_cycle_carry_out(cycle, ask, k);
        k += lkd_cycle_end(cycle, (uint64_t)k);
    }
}
