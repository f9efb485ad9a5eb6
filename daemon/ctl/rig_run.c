/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_run.h"
#include "fault.h"
#include "files.h"
#include "log.h"
#include "record.h"
#include "segments.h"
#include "snapshot.h"
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- faults ---- */

static void enter_fault(struct lkd_rig *rig, int exit_status)
{
    lkd_log(LKD_C_FAULT, "fault: %s", rig->fault);
    lkd_rig_enter(rig, FAULT);
    lkd_record_fault(rig);
    rig->budget.valid = false;
    if (rig->config->exit_on_fault)
        rig->exit_status = exit_status;
}

static int status_of(enum lkd_fault fault)
{
    if (fault == LKD_FAULT_OVERRUN)
        return LKD_EXIT_OVERRUN;
    return fault == LKD_FAULT_WATCHDOG ? LKD_EXIT_WATCHDOG : LKD_EXIT_STEP;
}

bool lkd_run_is_live(const struct lkd_rig *rig)
{
    return (IN(rig->state) & (IN(RUNNING) | IN(PAUSED))) != 0;
}

/* Watchdog: measure the time since the cycle last advanced. It advances on its grid in RUNNING,
 * PAUSED and FAULT. If the cycle hangs, also request a fault from it, so that it does not continue
 * when it wakes up. */
static void watch_cycle(struct lkd_rig *rig)
{
    int64_t now_ns = lkd_clock_ns(), still_ns = now_ns - rig->moved_ns;
    int64_t gap_ns = now_ns - rig->watched_ns;
    bool slept = gap_ns > rig->config->watchdog_ns / 2;

    rig->watched_ns = now_ns;
    if (atomic_load(&rig->loaded->cycle->queue.waiting)) { /* waiting for the disk, for a bounded
                                                            * time */
        rig->moved_ns = now_ns;
        return;
    }
    if (slept) { /* this thread did not run either: the process or the machine was suspended */
        rig->moved_ns += gap_ns - rig->config->watchdog_ns / 4;
        return;
    }
    if (rig->stuck || rig->config->watchdog_ns == 0 || still_ns < rig->config->watchdog_ns)
        return;
    rig->stuck = true;
    lkd_cycle_ask(rig->loaded->cycle, LKD_ASK_FAULT);
    if (!lkd_run_is_live(rig) && rig->state != ARMING)
        return;
    snprintf(rig->fault, sizeof(rig->fault),
             "step %" PRIu64 ": the cycle stands still, for %.2g s so far", rig->figures.step,
             (double)still_ns * 1e-9);
    lkd_exchange_fault(rig->exchange, rig->config->cycle.zero_outputs);
    enter_fault(rig, LKD_EXIT_WATCHDOG);
}

static void take_figures(struct lkd_rig *rig)
{
    struct lkd_cycle *cycle = rig->loaded->cycle;

    if (!lkd_mailbox_take(&cycle->status))
        return;
    rig->figures = *(const struct lkd_figures *)lkd_mailbox_front(&cycle->status);
    rig->moved_ns = lkd_clock_ns();
    rig->stuck = false;
}

static void report_run(struct lkd_rig *rig)
{
    const struct lkd_figures *f = &rig->figures;
    const struct lkd_cycle *cycle = rig->loaded->cycle;

    lkd_log(LKD_C_RUN_ENDED,
            "run ended: %" PRIu64 " steps, %" PRIu64 " cycles, %" PRIu64 " overruns, %" PRIu64
            " skipped, wake-up at most %.1f us, step at most %.1f us",
            f->step, f->cycles, f->overruns, f->skipped,
            (double)lkd_histogram_max(&cycle->wakeup) * 1e-3,
            (double)lkd_histogram_max(&cycle->compute) * 1e-3);
}

static void hold_latency(struct lkd_rig *rig)
{
    rig->latency_fd = lkd_realtime_hold_latency();
    if (rig->latency_fd < 0)
        lkd_log(LKD_C_IDLE_STATES, "deep idle states stay allowed: /dev/cpu_dma_latency: %s",
                strerror(-rig->latency_fd));
}

static void release_latency(struct lkd_rig *rig)
{
    lkd_realtime_release_latency(rig->latency_fd);
    rig->latency_fd = -1;
}

/* List real-time threads of other processes, with @priority or above, on the cores of the cycle. */
static void find_rivals(const struct lkd_rig *rig, int priority, struct lk_host_rivals *ret)
{
    cpu_set_t cores;

    CPU_ZERO(&cores);
    for (int k = 0; k < rig->n_workers && rig->mode == LKD_MODE_REALTIME; k++)
        if (rig->placement->core[k] >= 0)
            CPU_SET((size_t)rig->placement->core[k], &cores);
    lk_host_find_rivals("", &cores, priority > 0 ? priority : 1, (int)getpid(), ret);
}

/* Format the threads that may keep the threads of the cycle from running, such as "; on its core:
 * 41 worker (priority 90)"; "" if there are none. */
static void name_rivals(const struct lkd_rig *rig, char *text, size_t size)
{
    struct lk_host_rivals rivals;

    find_rivals(rig, rig->config->wish.priority, &rivals);
    text[0] = '\0';
    if (rivals.n > 0)
        snprintf(text, size, "; on its core: %s", rivals.names);
}

static void report_stuck(const struct lkd_rig *rig)
{
    char rivals[LKD_RIVALS_SIZE];

    name_rivals(rig, rivals, sizeof(rivals));
    lkd_log(LKD_C_CYCLE_STUCK, "the cycle stands still and has not ended%s", rivals);
}

void lkd_rig_answer_stuck(const struct lkd_rig *rig, struct lkd_answer *a)
{
    char rivals[LKD_RIVALS_SIZE];

    name_rivals(rig, rivals, sizeof(rivals));
    lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_INTERNAL,
                   "the cycle stands still and has not ended%s; it ends as soon as it moves: ask "
                   "again, or restart the daemon",
                   rivals);
}

/* Close a run after its thread has ended; keep its figures. */
static void close_run(struct lkd_rig *rig)
{
    Linkage__V1__State next = rig->ending_in;

    rig->ending = false;
    lkd_record_run_over(rig);
    if (rig->loaded->cycle->rt.figures.state == LKD_CYCLE_FAULT && lkd_run_is_live(rig))
        next = FAULT; /* the last cycle failed */
    lkd_exchange_detach(rig->exchange, next);
    release_latency(rig);
    lkd_rig_refresh(rig);
    lkd_evidence_collect(&rig->evidence, rig->loaded->cycle, &rig->runner);
    report_run(rig);
    lkd_files_report(rig, next);
}

/* End the thread of the run. @next: state after the end.
 * Return: 0, -ETIMEDOUT. */
int lkd_run_end(struct lkd_rig *rig, Linkage__V1__State next)
{
    if (!rig->runner.alive)
        return 0;
    if (rig->runner.proof || atomic_load(&rig->runner.abandoned))
        return lkd_run_end_proof(rig); /* the proof hung, which the watchdog detected */
    if (!rig->ending)
        lkd_record_run_ends(rig);
    rig->ending = true;
    rig->ending_in = next;
    if (lkd_runner_stop(&rig->runner)) {
        report_stuck(rig);
        return -ETIMEDOUT;
    }
    close_run(rig);
    return 0;
}

/* Complete an end of the run that timed out, if the threads have ended since. */
static void follow_end(struct lkd_rig *rig)
{
    if (!rig->runner.alive || (!rig->ending && !atomic_load(&rig->runner.abandoned)) ||
        !lkd_runner_ended(&rig->runner) || !rig->ending)
        return;
    if (rig->state == FAULT) /* the watchdog found that it hung */
        rig->ending_in = FAULT;
    close_run(rig);
    lkd_inputs_clear(rig->inputs);
    if (rig->state != FAULT)
        lkd_rig_enter(rig, rig->ending_in);
}

void lkd_run_show(struct lkd_rig *rig)
{
    take_figures(rig);
    lkd_rig_tell(rig);
}

/* Reset the model to t = 0; there is no run. */
void lkd_run_rewind(struct lkd_rig *rig)
{
    lkd_cycle_rewind(rig->loaded->cycle);
    rig->evidence = (struct lkd_evidence){0};
    lkd_run_show(rig);
}

/* ---- threads ---- */

static void answer_no_threads(const struct lkd_rig *rig, int r, struct lkd_answer *a)
{
    char rivals[LKD_RIVALS_SIZE];

    if (r != -ETIMEDOUT) {
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_INTERNAL,
                       "the threads of the cycle did not start: %s", strerror(-r));
        return;
    }
    name_rivals(rig, rivals, sizeof(rivals));
    lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_NO_REALTIME,
                   "core %d did not let the threads of the cycle run for %.0f s%s; linkage doctor "
                   "says more",
                   rig->placement->core[0], (double)LKD_RUNNER_PATIENCE_NS * 1e-9, rivals);
    lkd_log(LKD_C_CORE_HELD, "%s", a->text);
}

/* If other real-time threads use the core, the budget proof pauses between bursts and runs one
 * priority lower. */
static int proof_priority(const struct lkd_rig *rig, struct lkd_proof *proof)
{
    int priority = rig->config->wish.priority;
    struct lk_host_rivals rivals;

    find_rivals(rig, 1, &rivals);
    proof->shared = rivals.n_programs > 0;
    return proof->shared && priority > 1 ? priority - 1 : priority;
}

/* Create threads for a run or, with @proof, for its proof. Refuse if the machine is not fit and a
 * degraded run is not allowed. */
bool lkd_run_make_threads(struct lkd_rig *rig, struct lkd_proof *proof, struct lkd_answer *a)
{
    static const int no_core[] = {LKD_CORE_NONE};
    bool paced = rig->mode == LKD_MODE_REALTIME;
    int priority = rig->config->wish.priority, r;
    struct lkd_grant grant;

    if (!lkd_runner_ended(&rig->runner)) {
        lkd_rig_answer_stuck(rig, a);
        return false;
    }
    if (proof)
        priority = proof_priority(rig, proof);
    lkd_run_rewind(rig);
    rig->loaded->cycle->mode = rig->mode;
    rig->loaded->cycle->guard.timed = paced;
    r = lkd_runner_start(&rig->runner, rig->loaded->cycle, proof, paced ? rig->n_workers : 1,
                         paced ? rig->placement->core : no_core, paced ? priority : 0, &grant);
    if (r) {
        answer_no_threads(rig, r, a);
        return false;
    }
    rig->grant = grant;
    if (!paced)
        return true;
    lkd_machine_judge(&rig->machine, rig->config, rig->placement, rig->n_workers, &grant);
    for (int i = 0; i < rig->machine.lacks.n; i++)
        lkd_log(LKD_C_DEGRADED, "degraded: %s", rig->machine.lacks.text[i]);
    if (rig->machine.lacks.n > 0 && !rig->allow_degraded) {
        atomic_store(&rig->runner.abandoned, true);
        lkd_runner_stop(&rig->runner);
        lkd_rig_answer(
            a, LINKAGE__V1__RESULT__RESULT_NO_REALTIME,
            "the machine is not fit for real time: %s%s; linkage doctor says more; a degraded "
            "run has to be asked for (linkagectl arm --allow-degraded, or realtime: {degraded: "
            "allow})",
            rig->machine.lacks.text[0], rig->machine.lacks.n > 1 ? " (and more)" : "");
        return false;
    }
    hold_latency(rig);
    return true;
}

void lkd_run_start(struct lkd_rig *rig, uint64_t steps, struct lkd_answer *a)
{
    struct lkd_loaded *loaded = rig->loaded;

    if (!lkd_run_make_threads(rig, NULL, a))
        return;
    lkd_inputs_begin(rig->inputs);
    lkd_snapshot_begin(rig);
    lkd_segments_begin(rig->inputs->segments, lkd_clock_ns());
    atomic_store(&loaded->cycle->steps_max, steps);
    rig->stepped = 0;
    lkd_evidence_begin(&rig->evidence);
    lkd_fault_begin(rig);
    rig->n_traces = 0;
    rig->trace_due_ns = 0;
    rig->traced = 0;
    lkd_exchange_attach(rig->exchange, loaded->cycle, loaded->model_id,
                        rig->mode == LKD_MODE_REALTIME && rig->machine.lacks.n > 0);
    lkd_record_run_begins(rig);
    lkd_snapshot_begun(rig);
    lkd_runner_go(&rig->runner);
    rig->moved_ns = rig->watched_ns = lkd_clock_ns();
    rig->stuck = false;
    lkd_rig_enter(rig, RUNNING);
    lkd_rig_answer_ok(a);
}

/* ---- arming ---- */

int lkd_run_end_proof(struct lkd_rig *rig)
{
    if (lkd_runner_stop(&rig->runner))
        return -ETIMEDOUT;
    release_latency(rig);
    lkd_run_rewind(rig);
    return 0;
}

static void enter_verdict(struct lkd_rig *rig)
{
    struct lkd_answer a;

    lkd_log(rig->budget.valid ? LKD_C_ARMED : LKD_C_NOT_ARMED, "%s: %s",
            rig->budget.valid ? "armed" : "not armed", rig->budget.text);
    lkd_rig_enter(rig, rig->budget.valid ? ARMED : READY);
    if (!rig->start_armed)
        return;
    rig->start_armed = false;
    if (rig->budget.valid) {
        lkd_run_start(rig, 0, &a);
        if (a.result == LINKAGE__V1__RESULT__RESULT_OK)
            return;
        lkd_log(LKD_C_MODEL_NOT_STARTED, "start refused: %s", a.text);
    }
    rig->exit_status = LKD_EXIT_ERROR;
}

static void finish_arming(struct lkd_rig *rig)
{
    struct lkd_cycle *cycle = rig->loaded->cycle;

    if (lkd_run_end_proof(rig))
        return;
    lkd_budget_judge(&rig->proof, rig->loaded, rig->n_workers, rig->placement->n_workers,
                     rig->machine.lacks.n > 0, &rig->budget);
    if (rig->proof.cancelled) {
        rig->budget.valid = false;
        snprintf(rig->budget.text, sizeof(rig->budget.text), STOPPED);
    }
    cycle->wait.margin_ns = rig->budget.margin_ns;
    enter_verdict(rig);
}

/* Follow the budget proof in ARMING.
 * Return: true if the state has changed. */
static bool follow_proof(struct lkd_rig *rig)
{
    uint64_t bursts = atomic_load_explicit(&rig->proof.bursts, memory_order_relaxed);

    if (atomic_load_explicit(&rig->proof.done, memory_order_acquire) &&
        lkd_runner_ended(&rig->runner)) {
        finish_arming(rig);
    } else {
        if (bursts != rig->bursts)
            rig->moved_ns = lkd_clock_ns();
        rig->bursts = bursts;
        watch_cycle(rig);
    }
    return rig->state != ARMING;
}

/* Return true if all requested steps are done. */
static bool is_done(const struct lkd_rig *rig)
{
    uint64_t most = atomic_load(&rig->loaded->cycle->steps_max);

    return most > 0 && rig->figures.step >= most;
}

bool lkd_rig_refresh(struct lkd_rig *rig)
{
    if (!rig->loaded)
        return false;
    if (rig->state == ARMING)
        return follow_proof(rig);
    follow_end(rig);
    take_figures(rig);
    if (rig->runner.alive) {
        lkd_evidence_collect(&rig->evidence, rig->loaded->cycle, &rig->runner);
        lkd_files_trace(rig);
        lkd_record_watch(rig);
        lkd_fault_follow(rig);
    }
    if (rig->figures.state == LKD_CYCLE_FAULT && lkd_run_is_live(rig)) {
        lkd_fault_describe(rig);
        enter_fault(rig, status_of(rig->figures.fault));
        return true;
    }
    if (rig->figures.state == LKD_CYCLE_PAUSED && rig->state == RUNNING && is_done(rig)) {
        lkd_rig_enter(rig, PAUSED);
        return true;
    }
    if (rig->runner.alive)
        watch_cycle(rig);
    return rig->state == FAULT && rig->stuck;
}
