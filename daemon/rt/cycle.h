/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle: one step of the model at each point of a fixed time grid.
 *
 * The grid is T(k) = T0 + k h, rounded to the nearest nanosecond on CLOCK_MONOTONIC. h is the exact
 * step of the model (see grid.h), and the grid never moves. A cycle sleeps until its grid point,
 * reads the newest inputs, steps, evaluates the outputs, and publishes a record. It wakes no
 * reader, because readers compute the grid points themselves.
 *
 * Late cycles. overrun.h selects the next grid point after a cycle that ends late. After any cycle,
 *
 *     cycles + skipped = grid points elapsed since T0 = k + 1
 *
 * and simulated time lags wall time by exactly (skipped + cycles without a step) steps.
 *
 * A pause keeps the grid and does not step. A fault (a failed step, a limit of judge.h exceeded,
 * too many overruns, the watchdog) ends stepping permanently. The outputs then are those of the
 * last good step, or zero if @zero_outputs is set; the record contains the reason.
 *
 * Evidence. Each cycle adds its durations to histograms, and writes its time stamps into a ring for
 * other threads. A list stores the first LKD_MISSED_MAX missed deadlines.
 *
 * Except for creation and release, no function allocates memory or locks. Each cycle makes one
 * system call, the wait. The thread that runs the cycle is in runner.h. With several workers, the
 * other workers sleep between steps and wake by themselves shortly before the grid point. The cycle
 * wakes late workers with a second system call. */
#ifndef LKD_RT_CYCLE_H
#define LKD_RT_CYCLE_H

#include "cycle_types.h"
#include "grid.h"
#include "guard.h"
#include "histogram.h"
#include "linkage/linkage.h"
#include "linkage/pool.h"
#include "mailbox.h"
#include "overrun.h"
#include "release.h"
#include "ring.h"
#include "snapshot.h"
#include "spsc.h"
#include "wait.h"
#include <limits.h>

/** enum lkd_ask - request of the control thread, honoured at the next grid point. The watchdog
 * requests LKD_ASK_FAULT: a cycle that hung must not continue to step. */
enum lkd_ask { LKD_ASK_RUN, LKD_ASK_PAUSE, LKD_ASK_END, LKD_ASK_FAULT };

/** struct lkd_settings - settings that do not depend on the model.
 * @policy:            conditions of inputs and model, and their actions
 * @wake, @margin_ns:  way of waiting for a grid point; margin of LKD_WAKE_HYBRID [ns], 0: the
 *                     budget proof determines it
 * @overrun:           see overrun.h
 * @budget_share:      largest permitted share of the period for inputs, step and outputs
 * @late_wakeup_share: a wake-up that is later than this share of the period is counted as late
 * @zero_outputs:      outputs are zero in FAULT
 * @roads:             folder of the road files that models name; "": none. Read when a model is
 *                     loaded */
struct lkd_settings {
    struct lkd_policy policy;
    enum lkd_wake wake;
    int64_t margin_ns;
    struct lkd_overrun_policy overrun;
    double budget_share;
    double late_wakeup_share;
    bool zero_outputs;
    char roads[PATH_MAX];
};

/* Memory for output records that a late exchange thread has not read yet. It covers half a second
 * at 1 kHz for a model with a hundred outputs and bodies. */
#define LKD_OUTPUTS_BYTES (1u << 20)
#define LKD_OUTPUTS_MIN   16
#define LKD_OUTPUTS_MAX   512

#define LKD_RECORDS    16384 /* records in the ring: 16 s at 1 kHz, 0.8 s at 20 kHz */
#define LKD_MISSED_MAX 1000

/** enum lkd_cause - cause of a missed deadline.
 * BEHIND: the previous cycle was still running at the grid point. WAKEUP: late wake-up.
 * COMPUTATION: the computation exceeded its budget. BOTH: wake-up and computation
 * were both too long, or only their sum was. */
enum lkd_cause { LKD_CAUSE_BEHIND, LKD_CAUSE_WAKEUP, LKD_CAUSE_COMPUTATION, LKD_CAUSE_BOTH };

/** struct lkd_missed - a cycle that ended after the next grid point. */
struct lkd_missed {
    uint64_t cycle;
    enum lkd_cause cause;
    struct lkd_record record;
};

/* Lead time: the workers wake this long before the grid point [ns], at most LKD_MARGIN_PART of the
 * period before it. It is longer than their wake-up latency (p99) and shorter than their spin
 * limit. */
#define LKD_LEAD_NS INT64_C(50000)

struct lkd_cycle;

/** lkd_cycle_after - callback at the end of a cycle, after the outputs are published, while the
 * thread is idle until the next grid point.
 * Thread: cycle.  RT: its duration counts as part of the cycle's response and can cause an
 * overrun. */
typedef void lkd_cycle_after(const struct lkd_cycle *cycle, void *context);

/** struct lkd_cycle - a model on the grid.
 * @system, @grid, @settings: fixed
 * @period_ns:         period of the grid, rounded to nanoseconds
 * @t0_ns, @pool:      set before a run; @pool NULL: no other workers
 * @mode:              set before a run
 * @steps_max:         number of steps until the run pauses, 0: unlimited; set while the cycle does
 *                     not step
 * @first_step:        first step of the run, 0 except after lkd_cycle_resume()
 * @snapshot:          see struct lkd_snapshot
 * @wait:              way of waiting, with the margin from the proof
 * @n_outputs, @n_inputs: number of scalars of the output and input channels
 * @n_channels:        number of input channels
 * @n_poses:           number of values in the poses of all bodies, which are stored after the
 *                     outputs
 * @low, @high:        limits of each input scalar
 * @guard:             guard between the mailbox and the step
 * @queue:             queue to the recorder
 * @release:           release of steps in modes without a clock
 * @stall_ns:          extra computing time of the next cycle only, requested as an injected fault
 *                     [ns]
 * @after:             callback with its @after_context, or NULL; set while no thread runs the cycle
 * @inputs:            mailbox of struct lkd_input: written by the owner of the input table, read by
 *                     the cycle
 * @outputs:           mailbox of struct lkd_output, up to LKD_OUTPUTS_BYTES: read by the exchange
 *                     thread
 * @status:            mailbox of struct lkd_figures: read by the control thread
 * @answer:            mailbox of struct lkd_output after each lockstep step: read by the control
 *                     thread
 * @wakeup:            durations from the grid point to the first instruction
 * @compute:           durations from the first instruction to @computed_ns, for cycles that step
 * @response:          durations from the grid point to the end of the cycle
 * @input_age:         durations from the receipt of a sample until the cycle latched it, each
 *                     sample once
 * @hand_over:         durations from @computed_ns to the socket; written by the exchange thread
 * @records:           struct lkd_record of the last cycles
 * @n_spans, @spans:   last activities of the workers, one ring each. Words: number of the phase
 *                     since the start, its begin and its end [ns]
 * @missed, @n_missed: the first missed deadlines; the count is updated after the entries
 * @ask:               enum lkd_ask, written by the control thread
 * @rt:                accessed only by the cycle thread while it runs
 * @rt.values:         the last good outputs and poses
 * @rt.trial, @rt.trial_guard, @rt.trial_news: for the proof: inputs, a separate guard, and news of
 *                     silent benches
 * @rt.judge:          plausibility check since the last restart
 * @rt.stamp:          latched stamp of each bench, @rt.n_stamps of them */
struct lkd_cycle {
    struct lk_system *system;
    struct lk_pool *pool;
    struct lkd_settings settings;
    struct lkd_wait wait;
    struct lkd_grid grid;
    int64_t period_ns;
    int64_t t0_ns;
    enum lkd_mode mode;
    _Atomic uint64_t steps_max;
    uint64_t first_step;
    int n_inputs;
    int n_outputs;
    int n_poses;
    int n_channels;
    double *low;
    double *high;

    struct lkd_guard guard;
    struct lkd_spsc queue;
    struct lkd_release release;
    struct lkd_snapshot snapshot;
    _Atomic int64_t stall_ns;
    lkd_cycle_after *after;
    void *after_context;
    struct lkd_mailbox inputs;
    struct lkd_mailbox outputs;
    struct lkd_mailbox status;
    struct lkd_mailbox answer;
    struct lkd_histogram wakeup;
    struct lkd_histogram compute;
    struct lkd_histogram response;
    struct lkd_histogram input_age;
    struct lkd_histogram hand_over;
    struct lkd_ring records;
    int n_spans;
    struct lkd_ring *spans;
    struct lkd_missed missed[LKD_MISSED_MAX];
    _Atomic uint64_t n_missed;
    _Atomic int ask;

    struct {
        alignas(LKD_CACHE_LINE) struct lkd_figures figures;
        struct lkd_record record;
        struct lkd_overruns overruns;
        double *values;
        double *trial;
        struct lkd_guard trial_guard;
        struct lkd_news *trial_news;
        struct lkd_judge judge;
        int n_stamps;
        struct lkd_stamp stamp[LKD_STAMPS];
    } rt;
};

#define LKD_SPANS 16384 /* spans of a worker: a thousand steps of twelve phases */

/** lkd_settings_default() - Return the defaults: wait by sleeping, count overruns and continue, and
 * use the limits of the shipped configuration. */
struct lkd_settings lkd_settings_default(void);

/** lkd_cycle_new() - Create a cycle for @system with mailboxes and records. Its period is the step
 * size of @system.
 * @system:   owned by the caller, must outlive the cycle
 * Thread: control.  RT: no.
 * Return: 0, -ENOMEM. */
int lkd_cycle_new(struct lk_system *system, const struct lkd_settings *settings,
                  struct lkd_cycle **ret_cycle);

/** lkd_cycle_keep_spans() - Allocate rings for the spans of @n_workers workers; none for a single
 * worker.
 * lkd_cycle_drop_spans() - Release these rings.
 * Thread: control, while no thread runs the cycle.
 * Return: 0, -ENOMEM. */
int lkd_cycle_keep_spans(struct lkd_cycle *cycle, int n_workers);
void lkd_cycle_drop_spans(struct lkd_cycle *cycle);

/** lkd_cycle_free() - Release @cycle, which may be NULL. Do not call it while the cycle runs. */
void lkd_cycle_free(struct lkd_cycle *cycle);

/** lkd_cycle_rewind() - Reset the system to t = 0, clear figures, histograms and trips, and set the
 * request to RUN. The input values received from benches remain.
 * Thread: control, while no thread runs the cycle. */
void lkd_cycle_rewind(struct lkd_cycle *cycle);

/** lkd_cycle_restart() - Reset the system to t = 0, reset the judge, and change nothing else.
 * Thread: the one that runs the cycle.  RT: yes. */
LK_RT void lkd_cycle_restart(struct lkd_cycle *cycle);

/** lkd_cycle_settle() - Publish the final figures, including the last cycle's overrun.
 * Thread: control, after the cycle thread has ended. */
void lkd_cycle_settle(struct lkd_cycle *cycle);

/** lkd_cycle_ask() - Set the request, see enum lkd_ask. Thread: control.  RT: yes. */
void lkd_cycle_ask(struct lkd_cycle *cycle, enum lkd_ask ask);

/** lkd_cycle_compute() - Compute one step with the input values @acting, and the outputs after it.
 * Does not wait and records no evidence. The budget proof also calls it. Fills @latched_ns and
 * @stepped_ns of the record.
 * Thread: cycle.  RT: yes.
 * Return: reason of a failure; figures and outputs are then those of the last good step. */
LK_RT enum lkd_fault lkd_cycle_compute(struct lkd_cycle *cycle, const double *acting);

/** lkd_cycle_cause() - Return the cause of a missed deadline.
 * @behind: the cycle began late, because the previous cycle was still running at its grid point
 * Thread: any.  RT: yes. */
LK_RT enum lkd_cause lkd_cycle_cause(const struct lkd_cycle *cycle, const struct lkd_record *r,
                                     bool behind);

/** lkd_cycle_next_ns() - Return the first grid point after @when_ns. In a run without a clock,
 * return @when_ns plus a period.
 * Thread: any.  RT: yes. */
LK_RT int64_t lkd_cycle_next_ns(const struct lkd_cycle *cycle, int64_t when_ns);
/** lkd_cycle_ahead_ns() - Return the @n-th grid point after @when_ns; @n is at least 1.
 * Thread: any.  RT: yes. */
LK_RT int64_t lkd_cycle_ahead_ns(const struct lkd_cycle *cycle, int64_t when_ns, int64_t n);

/** lkd_cycle_missed() - Return the number of missed deadlines in the list, at most LKD_MISSED_MAX;
 * entries below this index no longer change.
 * Thread: any. */
uint64_t lkd_cycle_missed(const struct lkd_cycle *cycle);

/** lkd_cycle_record() - Copy the time stamps of cycle @number. Return false if the ring no longer
 * contains them.
 * Thread: any. */
bool lkd_cycle_record(const struct lkd_cycle *cycle, uint64_t number,
                      struct lkd_record *ret_record);

/** lkd_cycle_run_released() - Make the granted steps (LKD_MODE_LOCKSTEP), or step as fast as
 * possible (LKD_MODE_ASAP), until the control thread requests the end. The start time of a cycle
 * counts as its grid point.
 * Thread: cycle.  RT: no. */
void lkd_cycle_run_released(struct lkd_cycle *cycle);

/** lkd_cycle_run() - Run the cycle on the grid from T0 until the control thread requests the end.
 * Thread: cycle.  RT: yes, one wait per grid point. */
LK_RT void lkd_cycle_run(struct lkd_cycle *cycle);

#endif
