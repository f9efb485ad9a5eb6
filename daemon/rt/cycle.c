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
        .residual_limit = 1e-3,
        .wake = LKD_WAKE_SLEEP,
        .overrun = {.action = LKD_OVERRUN_CONTINUE, .catch_up = 4, .in_a_row = 100, .window = 1000},
        .budget_share = 0.7,
        .late_wakeup_share = 0.1,
    };
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

static int init_limits(struct lkd_cycle *cycle)
{
    const struct lk_channel *channels;
    int n;

    cycle->low = calloc((size_t)cycle->n_inputs + 1, sizeof(double));
    cycle->high = calloc((size_t)cycle->n_inputs + 1, sizeof(double));
    if (!cycle->low || !cycle->high)
        return -ENOMEM;
    channels = lk_system_input_channels(cycle->system, &n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < channels[i].size; j++) {
            cycle->low[channels[i].offset + j] = channels[i].low;
            cycle->high[channels[i].offset + j] = channels[i].high;
        }
    return 0;
}

static int init_buffers(struct lkd_cycle *cycle)
{
    cycle->rt.values = calloc((size_t)cycle->n_outputs + 1, sizeof(double));
    cycle->rt.trial =
        calloc(1, sizeof(struct lkd_input) + (size_t)cycle->n_inputs * sizeof(double));
    if (!cycle->rt.values || !cycle->rt.trial)
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
    cycle->period_ns = llround(lk_system_step_size(system) * 1e9);
    cycle->settings = *settings;
    cycle->n_inputs = lk_system_input_size(system);
    cycle->n_outputs = lk_system_output_size(system);
    limit_margin(cycle);
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
    lkd_ring_fini(&cycle->records);
    lkd_cycle_drop_spans(cycle);
    free(cycle->rt.values);
    free(cycle->rt.trial);
    free(cycle->low);
    free(cycle->high);
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

void lkd_cycle_rewind(struct lkd_cycle *cycle)
{
    struct lkd_figures *f = &cycle->rt.figures;

    lk_system_reset(cycle->system);
    clear_evidence(cycle);
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

LK_RT enum lkd_fault lkd_cycle_compute(struct lkd_cycle *cycle, const struct lkd_input *input)
{
    struct lkd_figures *f = &cycle->rt.figures;
    int r;

    cycle->rt.record.latched_ns = lkd_clock_ns();
    r = lk_system_step(cycle->system, input->values);
    cycle->rt.record.stepped_ns = lkd_clock_ns();
    if (r)
        return r == LK_E_TURN ? LKD_FAULT_TURN : LKD_FAULT_NOT_FINITE;

    lk_system_health(cycle->system, &f->health);
    f->residual_position_max = fmax(f->residual_position_max, f->health.residual_position);
    f->residual_velocity_max = fmax(f->residual_velocity_max, f->health.residual_velocity);
    if (!(f->health.residual_position <= cycle->settings.residual_limit))
        return LKD_FAULT_RESIDUAL;
    lk_system_outputs(cycle->system, cycle->rt.values);
    return LKD_FAULT_NONE;
}

/* One step with the newest inputs. */
static void step(struct lkd_cycle *cycle)
{
    struct lkd_figures *f = &cycle->rt.figures;
    const struct lkd_input *input;
    enum lkd_fault fault;

    lkd_mailbox_take(&cycle->inputs);
    input = lkd_mailbox_front(&cycle->inputs);
    fault = lkd_cycle_compute(cycle, input);
    if (fault) {
        fail(cycle, fault);
        return;
    }
    if (input->sequence != f->input_sequence)
        lkd_histogram_add(&cycle->input_age, cycle->rt.record.latched_ns - input->received_ns);
    f->step = lk_system_step_count(cycle->system);
    f->time_s = lk_system_time(cycle->system);
    f->input_sequence = input->sequence;
    f->input_origin_ns = input->origin_ns;
    f->input_received_ns = input->received_ns;
}

/* The step with the workers up, who then sleep until shortly before the next grid point. */
static void step_with_crew(struct lkd_cycle *cycle, int64_t deadline_ns)
{
    int64_t lead_ns = (int64_t)(LKD_MARGIN_PART * (double)cycle->period_ns);

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

    if (ask == LKD_ASK_FAULT)
        fail(cycle, LKD_FAULT_WATCHDOG);
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

/* ---- the books of a cycle ---- */

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

static enum lkd_cause find_cause(const struct lkd_cycle *cycle)
{
    const struct lkd_record *r = &cycle->rt.record;
    bool late = r->woken_ns - r->deadline_ns > share_ns(cycle, cycle->settings.late_wakeup_share);
    bool is_long = r->ended_ns - r->woken_ns > share_ns(cycle, cycle->settings.budget_share);

    if (began_behind(cycle))
        return is_long ? LKD_CAUSE_COMPUTATION : LKD_CAUSE_BEHIND;
    return late == is_long ? LKD_CAUSE_BOTH : late ? LKD_CAUSE_WAKEUP : LKD_CAUSE_COMPUTATION;
}

static void list_missed(struct lkd_cycle *cycle, uint64_t number)
{
    uint64_t n = atomic_load_explicit(&cycle->n_missed, memory_order_relaxed);

    if (n >= LKD_MISSED_MAX)
        return;
    cycle->missed[n] = (struct lkd_missed){number, find_cause(cycle), cycle->rt.record};
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

/* After the end of a cycle: its record, and the grid point of the next one. */
static int64_t close_books(struct lkd_cycle *cycle, uint64_t k)
{
    struct lkd_overruns *overruns = &cycle->rt.overruns;
    struct lkd_figures *f = &cycle->rt.figures;
    const struct lkd_record *r = &cycle->rt.record;
    int64_t late_ns = r->ended_ns - (r->deadline_ns + cycle->period_ns), further;
    uint64_t number = f->cycles - 1;

    lkd_histogram_add(&cycle->response, r->ended_ns - r->deadline_ns);
    keep_record(cycle);
    if (late_ns > 0)
        list_missed(cycle, number);
    further =
        lkd_overrun_next(&cycle->settings.overrun, overruns, k, number, late_ns, cycle->period_ns);
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

static enum lkd_ask asked(const struct lkd_cycle *cycle)
{
    return (enum lkd_ask)atomic_load_explicit(&cycle->ask, memory_order_relaxed);
}

LK_RT void lkd_cycle_run(struct lkd_cycle *cycle)
{
    struct lkd_figures *f = &cycle->rt.figures;
    struct lkd_record *r = &cycle->rt.record;
    int64_t k = 0;

    for (;;) {
        enum lkd_ask ask;
        bool stepped;

        r->deadline_ns = cycle->t0_ns + k * cycle->period_ns;
        r->woken_ns = lkd_wait_until(&cycle->wait, r->deadline_ns);
        ask = asked(cycle);
        if (ask == LKD_ASK_END)
            return;
        LKD_TRACEPOINT3(cycle_begin, f->cycles, r->deadline_ns, r->woken_ns);

        r->latched_ns = r->stepped_ns = r->woken_ns; /* of a cycle without a step */
        stepped = advance(cycle, ask, r->deadline_ns);
        /* it may have stood still within the step, and others have been told of a fault by now */
        if (asked(cycle) == LKD_ASK_FAULT)
            fail(cycle, LKD_FAULT_WATCHDOG);
        f->cycles++;
        r->step = f->step;
        f->behind_ns = (k + 1 - (int64_t)f->step) * cycle->period_ns;
        f->deadline_ns = r->deadline_ns;
        f->woken_ns = r->woken_ns;
        f->computed_ns = r->computed_ns = lkd_clock_ns();
        publish(cycle);

        count(cycle, stepped);
        LKD_TRACEPOINT3(cycle_end, f->cycles - 1, f->step, r->computed_ns);
        r->ended_ns = lkd_clock_ns();
        k += close_books(cycle, (uint64_t)k);
    }
}
