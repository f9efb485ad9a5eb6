/* SPDX-License-Identifier: Apache-2.0 */
#include "reply.h"
#include "identity.h"
#include "linkage/version.h"
#include "outgoing.h"
#include "record.h"
#include <errno.h>

/* ---- durations ---- */

static int fill_buckets(const struct lkd_histogram *histogram, struct lk_wire_arena *arena,
                        Linkage__V1__Durations *durations)
{
    size_t n = 0, n_max = LKD_HISTOGRAM_BUCKETS + 1;

    durations->bucket_upper_ns = lk_wire_arena_take(arena, n_max * sizeof(uint64_t));
    durations->bucket_count = lk_wire_arena_take(arena, n_max * sizeof(uint64_t));
    if (!durations->bucket_upper_ns || !durations->bucket_count)
        return -ENOMEM;
    for (int i = 0; i <= LKD_HISTOGRAM_BUCKETS; i++) {
        int64_t upper_ns;
        uint64_t count = lkd_histogram_bucket(histogram, i, &upper_ns);

        if (count == 0)
            continue;
        durations->bucket_upper_ns[n] = (uint64_t)upper_ns;
        durations->bucket_count[n] = count;
        n++;
    }
    durations->n_bucket_upper_ns = durations->n_bucket_count = n;
    return 0;
}

int lkd_reply_durations(const struct lkd_histogram *histogram, bool with_buckets,
                        struct lk_wire_arena *arena, Linkage__V1__Durations **ret_durations)
{
    Linkage__V1__Durations *durations = lk_wire_arena_take(arena, sizeof(*durations));

    if (!durations)
        return -ENOMEM;
    linkage__v1__durations__init(durations);
    durations->count = lkd_histogram_count(histogram);
    durations->p50_ns = (uint64_t)lkd_histogram_quantile(histogram, 0.5);
    durations->p99_ns = (uint64_t)lkd_histogram_quantile(histogram, 0.99);
    durations->p999_ns = (uint64_t)lkd_histogram_quantile(histogram, 0.999);
    durations->max_ns = (uint64_t)lkd_histogram_max(histogram);
    *ret_durations = durations;
    return with_buckets ? fill_buckets(histogram, arena, durations) : 0;
}

/* ---- proof ---- */

int lkd_reply_proof(const struct lkd_rig *rig, struct lk_wire_arena *arena,
                    Linkage__V1__Proof **ret_proof)
{
    const struct lkd_budget *budget = &rig->budget;
    Linkage__V1__Proof *proof = lk_wire_arena_take(arena, sizeof(*proof));

    if (!proof)
        return -ENOMEM;
    linkage__v1__proof__init(proof);
    proof->valid = budget->valid;
    proof->progress = budget->steps > 0 ? 1 : 0;
    if (rig->state == LINKAGE__V1__STATE__STATE_ARMING)
        proof->progress = 1e-3 * atomic_load_explicit(&rig->proof.progress, memory_order_relaxed);
    proof->steps = budget->steps;
    proof->p50_ns = (uint64_t)budget->p50_ns;
    proof->p999_ns = (uint64_t)budget->p999_ns;
    proof->max_ns = (uint64_t)budget->max_ns;
    proof->period_ns = (uint64_t)rig->loaded->cycle->period_ns;
    proof->share_limit = rig->config->cycle.budget_share;
    proof->machine_gap_ns = (uint64_t)budget->gap_ns;
    proof->spin_margin_ns = (uint64_t)budget->margin_ns;
    proof->degraded = budget->degraded;
    proof->quantile = budget->quantile;
    proof->judged_ns = (uint64_t)budget->judged_ns;
    proof->text = (char *)budget->text;
    *ret_proof = proof;
    return 0;
}

/* ---- status ---- */

static int fill_degraded(struct lkd_rig *rig, struct lk_wire_arena *arena,
                         Linkage__V1__Status *status)
{
    status->degraded = lk_wire_arena_take(arena, LK_HOST_LACKS_MAX * sizeof(char *));
    if (!status->degraded)
        return -ENOMEM;
    for (int i = 0; i < rig->machine.lacks.n; i++)
        status->degraded[i] = rig->machine.lacks.text[i];
    status->n_degraded = (size_t)rig->machine.lacks.n;
    return 0;
}

static int fill_loading(struct lkd_rig *rig, struct lk_wire_arena *arena,
                        Linkage__V1__Status *status)
{
    Linkage__V1__Loading *loading;

    if (!rig->compile)
        return 0;
    loading = lk_wire_arena_take(arena, sizeof(*loading));
    if (!loading)
        return -ENOMEM;
    linkage__v1__loading__init(loading);
    loading->name = (char *)lkd_compile_name(rig->compile);
    loading->elapsed_s = (double)lkd_compile_ns(rig->compile) * 1e-9;
    loading->state = rig->state;
    status->loading = loading;
    return 0;
}

static void fill_figures(const struct lkd_figures *f, Linkage__V1__Status *status)
{
    status->step = f->step;
    status->time_s = f->time_s;
    status->cycles = f->cycles;
    status->overruns = f->overruns;
    status->skipped = f->skipped;
    status->caught_up = f->caught_up;
    status->late_wakeups = f->late_wakeups;
    status->late_wakeup_step = f->late_wakeup_step;
    status->long_computations = f->long_computations;
    status->long_computation_step = f->long_computation_step;
    status->behind_s = (double)f->behind_ns * 1e-9;
    status->residual_position = f->residual_position_max;
    status->residual_velocity = f->residual_velocity_max;
    status->kinetic = f->health.kinetic;
    status->potential = f->health.potential;
    status->work_input = f->health.work_input;
    status->dissipated = f->health.dissipated;
    status->energy_start = f->energy_start;
    status->increment = f->increment_max;
    status->energy_jump = f->energy_jump_max;
    status->dependent = (uint32_t)f->dependent_max;
    status->position = f->position_max;
    status->speed = f->speed_max;
    status->turn = f->turn_max;
}

static uint64_t count_trips(const struct lkd_guard *guard)
{
    uint64_t trips = 0;

    for (int i = 0; i < guard->n_channels; i++)
        trips += atomic_load_explicit(&guard->channel[i].trips, memory_order_relaxed);
    return trips;
}

static uint32_t flags_of(const struct lkd_rig *rig)
{
    bool degraded = rig->mode == LKD_MODE_REALTIME && rig->machine.lacks.n > 0;

    return rig->figures.flags | (degraded ? LINKAGE__V1__FLAG__FLAG_DEGRADED : 0u);
}

static int fill_model(struct lkd_rig *rig, bool with_histograms, struct lk_wire_arena *arena,
                      Linkage__V1__Status *status)
{
    const struct lkd_cycle *cycle = rig->loaded->cycle;
    struct lkd_usage usage;
    int r;

    status->model = rig->loaded->name;
    status->model_id = rig->loaded->model_id;
    status->period_ns = (uint64_t)cycle->period_ns;
    status->workers = (uint32_t)rig->n_workers;
    fill_figures(&rig->figures, status);
    lkd_inputs_counts(rig->inputs, &status->inputs_accepted, &status->inputs_refused);
    status->outputs_published = lkd_exchange_published(rig->exchange);
    status->streams = (uint32_t)lkd_exchange_streams(rig->exchange);
    lkd_runner_usage(&rig->runner, &usage);
    status->page_faults = usage.minor_faults + usage.major_faults;
    status->involuntary_switches = usage.involuntary;
    status->throttled = rig->evidence.throttled;
    status->flags = flags_of(rig);
    status->trips = count_trips(&cycle->guard);
    status->claims = (uint32_t)lkd_inputs_n_claims(rig->inputs);

    r = lkd_reply_durations(&cycle->wakeup, with_histograms, arena, &status->wakeup);
    if (r == 0)
        r = lkd_reply_durations(&cycle->compute, with_histograms, arena, &status->compute);
    return r ? r : lkd_reply_proof(rig, arena, &status->proof);
}

int lkd_reply_status(struct lkd_rig *rig, bool with_histograms, struct lk_wire_arena *arena,
                     Linkage__V1__Status *ret_status)
{
    int r;

    linkage__v1__status__init(ret_status);
    ret_status->state = lkd_rig_shown_state(rig);
    ret_status->fault = rig->fault;
    ret_status->mode = lkd_outgoing_mode(rig->mode);
    ret_status->daemon_id = lkd_daemon_id();
    ret_status->version = (char *)LK_VERSION;
    r = fill_degraded(rig, arena, ret_status);
    if (r == 0)
        r = fill_loading(rig, arena, ret_status);
    if (r == 0)
        r = lkd_record_reply(rig, arena, &ret_status->recording);
    if (r || !rig->loaded)
        return r;
    return fill_model(rig, with_histograms, arena, ret_status);
}
