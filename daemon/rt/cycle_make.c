/* SPDX-License-Identifier: Apache-2.0 */
/* Settings, and creation and release of a cycle; all its memory is allocated here. */
#include "cycle.h"
#include <errno.h>
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

/* Return the number of output records stored for a late exchange thread. The cycle writes their
 * memory in turn, so this memory should fit into the core's own cache. */
static uint32_t outputs_depth(size_t record)
{
    uint32_t depth = LKD_OUTPUTS_MAX;

    while (depth > LKD_OUTPUTS_MIN && depth * record > LKD_OUTPUTS_BYTES)
        depth /= 2;
    return depth;
}

static int init_mailboxes(struct lkd_cycle *cycle)
{
    size_t n_out = (size_t)(cycle->n_outputs + cycle->n_poses);
    size_t output = sizeof(struct lkd_output) + n_out * sizeof(double);
    int r;

    r = lkd_mailbox_init(&cycle->inputs, lkd_input_size(cycle->n_inputs, cycle->n_channels), 1);
    if (r)
        return r;
    r = lkd_mailbox_init(&cycle->outputs, output, outputs_depth(output));
    if (r)
        return r;
    r = lkd_mailbox_init(&cycle->answer, output, 1);
    if (r)
        return r;
    return lkd_mailbox_init(&cycle->status, sizeof(struct lkd_figures), 1);
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

/* Limit the margin of LKD_WAKE_HYBRID to its share of the period. Until a proof has measured the
 * wake-up latency, use a margin that suits ordinary kernels. */
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
