/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle.h"
#include "tracepoints.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lkd_settings lkd_settings_default(void)
{
    return (struct lkd_settings){
        .policy = lkd_policy_default(),
        .wake = LKD_WAKE_SLEEP,
        .overrun = {.action = LKD_OVERRUN_CONTINUE, .catch_up = 4, .in_a_row = 100, .window = 1000},
        .budget_share = 0.7,
        .late_wakeup_share = 0.1,
    };
}

static int count_poses(const struct lk_system *system)
{
    struct lk_summary summary;

    lk_system_summary(system, &summary);
    return LK_POSE_SIZE * summary.n_bodies;
}

/* the outputs of the present state, and the poses of all bodies behind them */
static void evaluate(struct lkd_cycle *cycle)
{
    lk_system_outputs(cycle->system, cycle->rt.values);
    lk_system_poses(cycle->system, cycle->rt.values + cycle->n_outputs);
}

static int init_mailboxes(struct lkd_cycle *cycle)
{
    size_t n_out = (size_t)(cycle->n_outputs + cycle->n_poses);
    int r;

    r = lkd_mailbox_init(&cycle->inputs, lkd_input_size(cycle->n_inputs, cycle->n_channels));
    if (r)
        return r;
    r = lkd_mailbox_init(&cycle->outputs, sizeof(struct lkd_output) + n_out * sizeof(double));
    if (r)
        return r;
    r = lkd_mailbox_init(&cycle->answer, sizeof(struct lkd_output) + n_out * sizeof(double));
    if (r)
        return r;
    return lkd_mailbox_init(&cycle->status, sizeof(struct lkd_figures));
}

static int init_limits(struct lkd_cycle *cycle)
{
    const struct lk_channel *channels;
    int n;

    cycle->low = calloc((size_t)cycle->n_inputs + 1, sizeof(double));
    cycle->high = calloc((size_t)cycle->n_inputs + 1, sizeof(double));
    if (!cycle->low || !cycle->high)
        return -ENOMEM;
    channels = lk_system_input_channels(cycle->system, &n);
    cycle->n_channels = n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < channels[i].size; j++) {
            cycle->low[channels[i].offset + j] = channels[i].low;
            cycle->high[channels[i].offset + j] = channels[i].high;
        }
    return 0;
}

static int init_buffers(struct lkd_cycle *cycle)
{
    cycle->rt.values = calloc((size_t)(cycle->n_outputs + cycle->n_poses) + 1, sizeof(double));
    cycle->rt.trial = calloc((size_t)cycle->n_inputs + 1, sizeof(double));
    cycle->rt.trial_news = calloc((size_t)cycle->n_channels + 1, sizeof(struct lkd_news));
    if (!cycle->rt.values || !cycle->rt.trial || !cycle->rt.trial_news)
        return -ENOMEM;
    for (int i = 0; i < cycle->n_channels; i++)
        cycle->rt.trial_news[i].watched = true;
    if (lkd_guard_init(&cycle->guard, cycle->system, &cycle->settings.policy) ||
        lkd_guard_init(&cycle->rt.trial_guard, cycle->system, &cycle->settings.policy) ||
        lkd_snapshot_init(&cycle->snapshot, cycle->system) ||
        lkd_spsc_init(&cycle->queue, cycle->n_inputs, cycle->n_outputs))
        return -ENOMEM;
    return lkd_ring_init(&cycle->records, LKD_RECORDS);
}

void lkd_cycle_drop_spans(struct lkd_cycle *cycle)
{
    for (int k = 0; k < cycle->n_spans; k++)
        lkd_ring_fini(&cycle->spans[k]);
    free(cycle->spans);
    cycle->spans = NULL;
    cycle->n_spans = 0;
}

int lkd_cycle_keep_spans(struct lkd_cycle *cycle, int n_workers)
{
    int r = 0;

    lkd_cycle_drop_spans(cycle);
    if (n_workers < 2)
        return 0;
    cycle->spans =
        aligned_alloc(alignof(struct lkd_ring), (size_t)n_workers * sizeof(struct lkd_ring));
    if (!cycle->spans)
        return -ENOMEM;
    while (cycle->n_spans < n_workers && r == 0) {
        r = lkd_ring_init(&cycle->spans[cycle->n_spans], LKD_SPANS);
        cycle->n_spans += r == 0;
    }
    return r;
}

/* Until a proof knows better: what suits ordinary kernels. */
static void limit_margin(struct lkd_cycle *cycle)
{
    int64_t most_ns = (int64_t)(LKD_MARGIN_PART * (double)cycle->period_ns);

    if (cycle->settings.margin_ns > most_ns)
        cycle->settings.margin_ns = most_ns;
    cycle->wait = (struct lkd_wait){cycle->settings.wake, cycle->settings.margin_ns};
    if (cycle->wait.margin_ns == 0)
        cycle->wait.margin_ns = lkd_wait_margin(LKD_LEAD_NS, cycle->period_ns);
}

int lkd_cycle_new(struct lk_system *system, const struct lkd_settings *settings,
                  struct lkd_cycle **ret_cycle)
{
    struct lkd_cycle *cycle = aligned_alloc(alignof(struct lkd_cycle), sizeof(struct lkd_cycle));

    if (!cycle)
        return -ENOMEM;
    memset(cycle, 0, sizeof(*cycle));
    cycle->system = system;
    cycle->grid = lkd_grid_of(lk_system_step_size(system));
    cycle->period_ns = lkd_grid_period(&cycle->grid);
    cycle->settings = *settings;
    cycle->n_inputs = lk_system_input_size(system);
    cycle->n_outputs = lk_system_output_size(system);
    cycle->n_poses = count_poses(system);
    limit_margin(cycle);
    lkd_release_init(&cycle->release);
    if (init_limits(cycle) || init_buffers(cycle) || init_mailboxes(cycle)) {
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
    lkd_mailbox_fini(&cycle->answer);
    lkd_ring_fini(&cycle->records);
    lkd_cycle_drop_spans(cycle);
    free(cycle->rt.values);
    free(cycle->rt.trial);
    free(cycle->rt.trial_news);
    lkd_guard_fini(&cycle->rt.trial_guard);
    lkd_guard_fini(&cycle->guard);
    lkd_spsc_fini(&cycle->queue);
    lkd_release_fini(&cycle->release);
    lkd_snapshot_fini(&cycle->snapshot);
    free(cycle->low);
    free(cycle->high);
    free(cycle);
}

static void fill(const struct lkd_cycle *cycle, struct lkd_output *output)
{
    output->figures = cycle->rt.figures;
    output->n_stamps = cycle->rt.n_stamps;
    memcpy(output->stamp, cycle->rt.stamp, (size_t)cycle->rt.n_stamps * sizeof(*output->stamp));
    memcpy(output->values, cycle->rt.values,
           (size_t)(cycle->n_outputs + cycle->n_poses) * sizeof(double));
}

/* Hand a finished cycle over: to the exchange thread with the outputs, to the control thread
 * without. */
static void publish(struct lkd_cycle *cycle)
{
    struct lkd_figures *status = lkd_mailbox_back(&cycle->status);

    fill(cycle, lkd_mailbox_back(&cycle->outputs));
    lkd_mailbox_publish(&cycle->outputs);
    *status = cycle->rt.figures;
    lkd_mailbox_publish(&cycle->status);
}

void lkd_cycle_settle(struct lkd_cycle *cycle)
{
    *(struct lkd_figures *)lkd_mailbox_back(&cycle->status) = cycle->rt.figures;
    lkd_mailbox_publish(&cycle->status);
}

static void clear_evidence(struct lkd_cycle *cycle)
{
    lkd_histogram_clear(&cycle->wakeup);
    lkd_histogram_clear(&cycle->compute);
    lkd_histogram_clear(&cycle->response);
    lkd_histogram_clear(&cycle->input_age);
    lkd_histogram_clear(&cycle->hand_over);
    lkd_ring_clear(&cycle->records);
    atomic_store_explicit(&cycle->n_missed, 0, memory_order_relaxed);
    cycle->rt.overruns = (struct lkd_overruns){0};
}

/* Refusals of the time before do not count. The mailbox is taken from, as the cycle does: this
 * thread is the reader while there is no other. */
static void begin_guard(struct lkd_cycle *cycle)
{
    lkd_mailbox_take(&cycle->inputs);
    lkd_guard_begin(&cycle->guard,
                    lkd_input_news_of(lkd_mailbox_front(&cycle->inputs), cycle->n_inputs));
    cycle->rt.n_stamps = 0;
}

LK_RT void lkd_cycle_restart(struct lkd_cycle *cycle)
{
    double share = cycle->guard.policy.pivot_limit;
    struct lk_health health;

    lk_system_reset(cycle->system);
    lk_system_health(cycle->system, &health);
    lkd_judge_begin(&cycle->rt.judge, &health, lk_system_dependent_rows(cycle->system, share),
                    share);
}

/* Of a good step. */
static void keep_findings(struct lkd_figures *f, const struct lkd_findings *found)
{
    f->health = found->health;
    f->extent = found->extent;
    f->energy_jump = found->energy_jump;
    f->dependent = found->dependent;
    f->dependent_max = found->dependent > f->dependent_max ? found->dependent : f->dependent_max;
    f->residual_position_max = fmax(f->residual_position_max, found->health.residual_position);
    f->residual_velocity_max = fmax(f->residual_velocity_max, found->health.residual_velocity);
    f->increment_max = fmax(f->increment_max, found->health.increment);
    f->position_max = fmax(f->position_max, found->extent.position);
    f->speed_max = fmax(f->speed_max, found->extent.speed);
    f->turning = found->extent.turn > f->turn_max ? found->extent.turning : f->turning;
    f->turn_max = fmax(f->turn_max, found->extent.turn);
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
    clear_evidence(cycle);
    *f = (struct lkd_figures){.state = LKD_CYCLE_RUNNING};
    lk_system_health(cycle->system, &found.health);
    lk_system_extent(cycle->system, &found.extent);
    keep_findings(f, &found);
    f->energy_start = f->health.kinetic + f->health.potential;
    evaluate(cycle);
    atomic_store_explicit(&cycle->ask, LKD_ASK_RUN, memory_order_relaxed);

    /* status is valid before the first cycle; outputs are left out, as no cycle has computed them
     * */
    lkd_cycle_settle(cycle);
    lkd_mailbox_take(&cycle->outputs);
}

void lkd_cycle_ask(struct lkd_cycle *cycle, enum lkd_ask ask)
{
    /* relaxed: nothing else is handed over with the word */
    atomic_store_explicit(&cycle->ask, (int)ask, memory_order_relaxed);
}

static void fail(struct lkd_cycle *cycle, enum lkd_fault fault)
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

static enum lkd_ask asked(const struct lkd_cycle *cycle)
{
    return (enum lkd_ask)atomic_load_explicit(&cycle->ask, memory_order_relaxed);
}

/* An injected fault: the requested time passes here. */
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

/* Samples that act from now on. A place in the table may have gone to another bench. */
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

/* Energy gained less what was put in, plus what was taken out [J]. */
static double energy_balance(const struct lkd_figures *f)
{
    const struct lk_health *h = &f->health;

    return h->kinetic + h->potential - f->energy_start - h->work_input - h->work_drive -
           h->work_applied + h->dissipated;
}

/* The newest inputs through the guard. Return: false when a rule says fault. */
static bool latch(struct lkd_cycle *cycle, const struct lkd_input *input)
{
    struct lkd_figures *f = &cycle->rt.figures;
    const struct lkd_guard_view view = {
        .step = f->step,
        .overruns = f->overruns,
        .residual = f->health.residual_position,
        .energy = energy_balance(f),
        .position = f->extent.position,
        .speed = f->extent.speed,
        .energy_jump = f->energy_jump,
        .increment = f->health.increment,
        .dependent = f->dependent,
        .turn = f->extent.turn,
        .port_gap = f->health.port_gap,
    };
    int condition =
        lkd_guard_apply(&cycle->guard, &view, input->values, input->values + cycle->n_inputs,
                        lkd_input_news_of(input, cycle->n_inputs));

    f->flags = cycle->guard.flags | input->flags;
    if (condition < 0)
        return true;
    f->condition = (enum lkd_condition)condition;
    fail(cycle, LKD_FAULT_POLICY);
    return false;
}

/* One step with the newest inputs. */
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
        fail(cycle, fault);
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

/* The step with the workers up, who then sleep until shortly before the next grid point. */
static void step_with_pool(struct lkd_cycle *cycle, int64_t deadline_ns)
{
    int64_t lead_ns = (int64_t)(LKD_MARGIN_PART * (double)cycle->period_ns);

    if (lead_ns > LKD_LEAD_NS)
        lead_ns = LKD_LEAD_NS;
    lk_pool_rouse(cycle->pool, deadline_ns + cycle->period_ns - lead_ns);
    step(cycle);
    lk_pool_rest(cycle->pool);
}

/* All steps that the start asked for. */
static bool is_done(const struct lkd_cycle *cycle)
{
    uint64_t most = atomic_load_explicit(&cycle->steps_max, memory_order_relaxed);

    return most > 0 && cycle->rt.figures.step >= most;
}

/* Whether faults are injected is in the samples of a pause, too. */
static void take_mark(struct lkd_cycle *cycle)
{
    const struct lkd_input *input;

    lkd_mailbox_take(&cycle->inputs);
    input = lkd_mailbox_front(&cycle->inputs);
    cycle->rt.figures.flags = cycle->guard.flags | input->flags;
}

/* Return: whether a step was made or tried. */
static bool advance(struct lkd_cycle *cycle, enum lkd_ask ask, int64_t deadline_ns)
{
    struct lkd_figures *f = &cycle->rt.figures;

    if (ask == LKD_ASK_FAULT)
        fail(cycle, LKD_FAULT_WATCHDOG);
    if (f->state == LKD_CYCLE_FAULT)
        return false;
    f->state = ask == LKD_ASK_PAUSE || is_done(cycle) ? LKD_CYCLE_PAUSED : LKD_CYCLE_RUNNING;
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

/* ---- counts and evidence of a cycle ---- */

static int64_t share_ns(const struct lkd_cycle *cycle, double share)
{
    return (int64_t)(share * (double)cycle->period_ns);
}

/* The cycle may have begun behind its grid point because the one before was not over: then its
 * wake-up says nothing about the machine. */
static bool began_behind(const struct lkd_cycle *cycle)
{
    return cycle->rt.overruns.at_once > 0;
}

static void count(struct lkd_cycle *cycle, bool stepped)
{
    const struct lkd_record *r = &cycle->rt.record;
    struct lkd_figures *f = &cycle->rt.figures;
    int64_t wakeup_ns = r->woken_ns - r->deadline_ns, compute_ns = r->computed_ns - r->woken_ns;

    lkd_histogram_add(&cycle->wakeup, wakeup_ns);
    if (stepped)
        lkd_histogram_add(&cycle->compute, compute_ns);
    if (wakeup_ns > share_ns(cycle, cycle->settings.late_wakeup_share) && !began_behind(cycle)) {
        f->late_wakeups++;
        f->late_wakeup_step = f->step;
    }
    if (compute_ns > share_ns(cycle, cycle->settings.budget_share)) {
        f->long_computations++;
        f->long_computation_step = f->step;
    }
}

LK_RT enum lkd_cause lkd_cycle_cause(const struct lkd_cycle *cycle, const struct lkd_record *r,
                                     bool behind)
{
    bool late = r->woken_ns - r->deadline_ns > share_ns(cycle, cycle->settings.late_wakeup_share);
    bool is_long = r->ended_ns - r->woken_ns > share_ns(cycle, cycle->settings.budget_share);

    if (behind)
        return is_long ? LKD_CAUSE_COMPUTATION : LKD_CAUSE_BEHIND;
    return late == is_long ? LKD_CAUSE_BOTH : late ? LKD_CAUSE_WAKEUP : LKD_CAUSE_COMPUTATION;
}

static void list_missed(struct lkd_cycle *cycle, uint64_t number)
{
    uint64_t n = atomic_load_explicit(&cycle->n_missed, memory_order_relaxed);

    if (n >= LKD_MISSED_MAX)
        return;
    cycle->missed[n] = (struct lkd_missed){
        number,
        lkd_cycle_cause(cycle, &cycle->rt.record, began_behind(cycle)),
        cycle->rt.record,
    };
    atomic_store_explicit(&cycle->n_missed, n + 1, memory_order_release);
}

static void keep_record(struct lkd_cycle *cycle)
{
    const struct lkd_record *r = &cycle->rt.record;
    const uint64_t words[LKD_RING_WORDS] = {
        r->step,
        (uint64_t)r->deadline_ns,
        (uint64_t)r->woken_ns,
        (uint64_t)r->latched_ns,
        (uint64_t)r->stepped_ns,
        (uint64_t)r->computed_ns,
        (uint64_t)r->ended_ns,
    };

    lkd_ring_put(&cycle->records, words);
}

uint64_t lkd_cycle_missed(const struct lkd_cycle *cycle)
{
    return atomic_load_explicit(&cycle->n_missed, memory_order_acquire);
}

bool lkd_cycle_record(const struct lkd_cycle *cycle, uint64_t number, struct lkd_record *ret_record)
{
    uint64_t words[LKD_RING_WORDS];

    if (!lkd_ring_get(&cycle->records, number, words))
        return false;
    *ret_record = (struct lkd_record){
        .step = words[0],
        .deadline_ns = (int64_t)words[1],
        .woken_ns = (int64_t)words[2],
        .latched_ns = (int64_t)words[3],
        .stepped_ns = (int64_t)words[4],
        .computed_ns = (int64_t)words[5],
        .ended_ns = (int64_t)words[6],
    };
    return true;
}

static int64_t grid_point(const struct lkd_cycle *cycle, int64_t k)
{
    return cycle->t0_ns + lkd_grid_at(&cycle->grid, k);
}

LK_RT int64_t lkd_cycle_ahead_ns(const struct lkd_cycle *cycle, int64_t when_ns, int64_t n)
{
    int64_t past_ns = when_ns - cycle->t0_ns;

    if (cycle->mode != LKD_MODE_REALTIME)
        return when_ns + n * cycle->period_ns;
    if (past_ns < 0)
        return grid_point(cycle, n - 1);
    return grid_point(cycle, lkd_grid_before(&cycle->grid, past_ns + 1) + n);
}

LK_RT int64_t lkd_cycle_next_ns(const struct lkd_cycle *cycle, int64_t when_ns)
{
    return lkd_cycle_ahead_ns(cycle, when_ns, 1);
}

/* After the end of a cycle: its record, and the grid point of the next one. */
static int64_t count_cycle(struct lkd_cycle *cycle, uint64_t k)
{
    struct lkd_overruns *overruns = &cycle->rt.overruns;
    struct lkd_figures *f = &cycle->rt.figures;
    const struct lkd_record *r = &cycle->rt.record;
    int64_t late_ns = r->ended_ns - grid_point(cycle, (int64_t)k + 1), passed = 0, further;
    uint64_t number = f->cycles - 1;

    lkd_histogram_add(&cycle->response, r->ended_ns - r->deadline_ns);
    keep_record(cycle);
    if (late_ns > 0) {
        list_missed(cycle, number);
        passed = lkd_grid_before(&cycle->grid, r->ended_ns - cycle->t0_ns) - (int64_t)k;
    }
    further = lkd_overrun_next(&cycle->settings.overrun, overruns, k, number, passed);
    if (late_ns > 0) {
        LKD_TRACEPOINT3(overrun, number, f->step, late_ns);
        f->overruns = overruns->overruns;
        f->skipped = overruns->skipped;
        f->caught_up = overruns->caught_up;
        if (overruns->fault)
            fail(cycle, LKD_FAULT_OVERRUN);
    }
    return further;
}

/* The frame of this cycle, where a recorder wants it. */
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

/* From the wait to the sleep: everything a cycle does at grid point @k. */
static void carry_out(struct lkd_cycle *cycle, enum lkd_ask ask, int64_t k)
{
    struct lkd_figures *f = &cycle->rt.figures;
    struct lkd_record *r = &cycle->rt.record;
    bool stepped;

    LKD_TRACEPOINT3(cycle_begin, f->cycles, r->deadline_ns, r->woken_ns);
    r->latched_ns = r->stepped_ns = r->woken_ns; /* of a cycle without a step */
    stepped = advance(cycle, ask, r->deadline_ns);
    /* it may have hung within the step, and a fault may have been published by now */
    if (asked(cycle) == LKD_ASK_FAULT)
        fail(cycle, LKD_FAULT_WATCHDOG);
    f->cycles++;
    r->step = f->step;
    f->behind_ns = lkd_grid_at(&cycle->grid, k + 1) -
                   lkd_grid_at(&cycle->grid, (int64_t)(f->step - cycle->first_step));
    f->deadline_ns = r->deadline_ns;
    f->woken_ns = r->woken_ns;
    f->computed_ns = r->computed_ns = lkd_clock_ns();
    publish(cycle);

    count(cycle, stepped);
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

        r->deadline_ns = grid_point(cycle, k);
        r->woken_ns = lkd_wait_until(&cycle->wait, r->deadline_ns);
        ask = asked(cycle);
        if (ask == LKD_ASK_END)
            return;
        carry_out(cycle, ask, k);
        k += count_cycle(cycle, (uint64_t)k);
    }
}

/* ---- without a clock ---- */

/* How often a cycle that has nothing to do looks whether it is asked for something. */
#define LOOK_NS INT64_C(10000000)

/* Return: whether a cycle is due: a step, or one that says again, a hundred times a second, that
 * there is none; false after LOOK_NS without a grant. What was not released before the nap is no
 * step after it, whatever is asked meanwhile. */
static bool released(struct lkd_cycle *cycle, enum lkd_ask *ask)
{
    bool runs = cycle->rt.figures.state == LKD_CYCLE_RUNNING;
    bool steps =
        *ask == LKD_ASK_RUN && cycle->rt.figures.state != LKD_CYCLE_FAULT && !is_done(cycle);

    if (steps && cycle->mode == LKD_MODE_LOCKSTEP)
        return lkd_release_await(&cycle->release, LOOK_NS);
    if (!steps && *ask == LKD_ASK_RUN)
        *ask = LKD_ASK_PAUSE;
    if (!steps && !runs)
        lkd_nap(LOOK_NS);
    return true;
}

/* The control thread reads what the steps have led to while this one may go on. */
static void answer(struct lkd_cycle *cycle)
{
    if (cycle->mode == LKD_MODE_LOCKSTEP) {
        fill(cycle, lkd_mailbox_back(&cycle->answer));
        lkd_mailbox_publish(&cycle->answer);
    }
    lkd_release_count(&cycle->release);
}

/* A cycle that waits for a bench must not look hung. */
static void show_life(struct lkd_cycle *cycle)
{
    lkd_cycle_settle(cycle);
    lkd_snapshot_serve(cycle);
}

void lkd_cycle_run_released(struct lkd_cycle *cycle)
{
    struct lkd_figures *f = &cycle->rt.figures;
    struct lkd_record *r = &cycle->rt.record;
    enum lkd_ask ask;

    while ((ask = asked(cycle)) != LKD_ASK_END) {
        uint64_t before = f->step;

        if (!released(cycle, &ask)) {
            show_life(cycle);
            continue;
        }
        r->deadline_ns = r->woken_ns = lkd_clock_ns();
        carry_out(cycle, ask, (int64_t)f->step);
        f->behind_ns = 0;
        lkd_histogram_add(&cycle->response, r->ended_ns - r->deadline_ns);
        keep_record(cycle);
        if (f->step != before)
            answer(cycle);
        if (f->state == LKD_CYCLE_FAULT)
            lkd_release_end(&cycle->release);
    }
    lkd_release_end(&cycle->release);
}
