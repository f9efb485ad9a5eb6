/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot.h"
#include "cycle.h"
#include "linkage/state.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lkd_snapshot_init(struct lkd_snapshot *snapshot, const struct lk_system *system)
{
    size_t n = (size_t)lk_system_input_size(system) + 1;

    *snapshot = (struct lkd_snapshot){.size = lk_system_state_size(system)};
    snapshot->state = calloc(1, snapshot->size);
    snapshot->commanded = calloc(n, sizeof(double));
    snapshot->acting = calloc(n, sizeof(double));
    return snapshot->state && snapshot->commanded && snapshot->acting ? 0 : -ENOMEM;
}

void lkd_snapshot_fini(struct lkd_snapshot *snapshot)
{
    free(snapshot->state);
    free(snapshot->commanded);
    free(snapshot->acting);
    *snapshot = (struct lkd_snapshot){0};
}

LK_RT void lkd_snapshot_fill(struct lkd_cycle *cycle)
{
    const struct lkd_input *input = lkd_mailbox_front(&cycle->inputs);
    size_t n = (size_t)cycle->n_inputs * sizeof(double);

    lk_system_state_copy(cycle->system, cycle->snapshot.state);
    memcpy(cycle->snapshot.commanded, input->values, n);
    memcpy(cycle->snapshot.acting, cycle->guard.acting, n);
}

LK_RT void lkd_snapshot_serve(struct lkd_cycle *cycle)
{
    struct lkd_snapshot *s = &cycle->snapshot;

    /* acquire: the control thread has finished reading the previous copy; release: the control
     * thread will read a complete copy */
    if (atomic_load_explicit(&s->turn, memory_order_acquire) != LKD_SNAPSHOT_WANTED)
        return;
    lkd_snapshot_fill(cycle);
    atomic_store_explicit(&s->turn, LKD_SNAPSHOT_READY, memory_order_release);
}

int lkd_cycle_resume(struct lkd_cycle *cycle, const void *state, size_t size, const double *acting,
                     struct lk_error *ret_error)
{
    struct lkd_figures *f = &cycle->rt.figures;
    int r = lk_system_state_set(cycle->system, state, size, ret_error);

    if (r)
        return r;
    lk_system_health(cycle->system, &f->health);
    lk_system_extent(cycle->system, &f->extent);
    lkd_judge_begin(&cycle->rt.judge, cycle->system, cycle->guard.policy.pivot_limit);
    f->step = cycle->first_step = lk_system_step_count(cycle->system);
    f->time_s = lk_system_time(cycle->system);
    lk_system_outputs(cycle->system, cycle->rt.values);
    memcpy(cycle->guard.acting, acting, (size_t)cycle->n_inputs * sizeof(double));
    for (int i = 0; i < cycle->n_inputs; i++)
        atomic_store_explicit(&cycle->guard.shown[i], acting[i], memory_order_relaxed);
    lkd_cycle_settle(cycle);
    return 0;
}
