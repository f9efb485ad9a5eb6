/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle: one step of the model at each point of a fixed time grid.
 *
 * The grid is T(k) = T0 + k h, to the nearest nanosecond on CLOCK_MONOTONIC, with the step h of the
 * model as it is (see grid.h); it is never moved. A cycle
 * sleeps until its grid point, takes the newest inputs, steps, evaluates the outputs, and leaves a
 * record for others to pick up. Nobody is signalled: readers know the grid.
 *
 * Late cycles. What follows a cycle that ends after the next grid point is in overrun.h. After any
 * cycle,
 *
 *     cycles + skipped = grid points elapsed since T0 = k + 1
 *
 * and simulated time lags wall time by exactly (skipped + cycles without a step) steps.
 *
 * A pause keeps the grid and does not step. A fault (the step failed, a joint is violated beyond
 * the limit, too many overruns, the watchdog) does the same for good: the outputs are those of the
 * last good step, or zero where the settings say so; the reason is in the record.
 *
 * Evidence. Each cycle adds its durations to histograms, and writes its time stamps into a ring
 * that others read; missed deadlines are kept in a list of their own, the first LKD_MISSED_MAX.
 *
 * This file and everything it calls neither allocates nor locks, and makes one system call a cycle:
 * the wait. The thread around it is in runner.h.
 *
 * With a crew, its other workers sleep between steps and get up a little before the grid point by
 * themselves. The cycle wakes those that are late, by a second system call. */
#ifndef LKD_RT_CYCLE_H
#define LKD_RT_CYCLE_H

#include "cycle_types.h"
#include "grid.h"
#include "guard.h"
#include "histogram.h"
#include "linkage/crew.h"
#include "linkage/linkage.h"
#include "mailbox.h"
#include "overrun.h"
#include "release.h"
#include "ring.h"
#include "tape.h"
#include "wait.h"

/** enum lkd_ask - what the control thread asks of the cycle, honoured at the next grid point.
 * LKD_ASK_FAULT is the watchdog's: a cycle that stood still does not go on as if nothing were. */
enum lkd_ask { LKD_ASK_RUN, LKD_ASK_PAUSE, LKD_ASK_END, LKD_ASK_FAULT };

/** struct lkd_settings - what does not depend on the model.
 * @policy:            what is done about inputs and about a model that goes wrong
 * @wake, @margin_ns:  how to wait; margin of LKD_WAKE_HYBRID, 0: found by the proof of the budget
 * @overrun:           see overrun.h
 * @budget_share:      of the period that inputs, step and outputs may take
 * @late_wakeup_share: of the period by which a wake-up may be late before it is counted as late
 * @zero_outputs:      outputs are zero in FAULT */
struct lkd_settings {
    struct lkd_policy policy;
    enum lkd_wake wake;
    int64_t margin_ns;
    struct lkd_overrun_policy overrun;
    double budget_share;
    double late_wakeup_share;
    bool zero_outputs;
};

#define LKD_RECORDS    16384 /* of the ring: 16 s at 1 kHz, 0.8 s at 20 kHz */
#define LKD_MISSED_MAX 1000

/** enum lkd_cause - of a missed deadline: the cycle before was not over at its grid point; it was
 * woken late; it computed for longer than its budget; neither alone. */
enum lkd_cause { LKD_CAUSE_BEHIND, LKD_CAUSE_WAKEUP, LKD_CAUSE_COMPUTATION, LKD_CAUSE_BOTH };

/** struct lkd_missed - a cycle that ended after the next grid point. */
struct lkd_missed {
    uint64_t cycle;
    enum lkd_cause cause;
    struct lkd_record record;
};

/* How long before the grid point the workers get up: more than they are late themselves (p99 of
 * the wake-up), less than they spin; no more than LKD_MARGIN_PART of the period. */
#define LKD_LEAD_NS INT64_C(50000)

struct lkd_cycle;

/** lkd_cycle_after - what else happens at the end of a cycle, in the slack that is left of the
 * period: the outputs are with the others already.
 * Thread: cycle.  RT: its time is in the cycle's response, and may make it late. */
typedef void lkd_cycle_after(const struct lkd_cycle *cycle, void *context);

/** struct lkd_cycle - a model on the grid.
 * @system, @grid, @settings: fixed;  @period_ns: of the grid, to the nearest nanosecond
 * @t0_ns, @crew: set before a run, NULL: alone
 * @mode:     set before a run;  @steps_max: after which the run pauses by itself, 0: none; set
 *            while it does not step
 * @wait:     how to wait, its margin settled by the proof
 * @n_outputs, @n_inputs: scalars of the channels;  @n_channels: of inputs
 * @low, @high: limits of each input scalar
 * @guard:    between the mailbox and the step;  @tape: towards the recorder
 * @release:  of steps, where it is not the clock's matter
 * @stall_ns: for which the next cycle computes longer, once; a fault on purpose
 * @after:    or NULL, with its @after_context; set while no thread runs the cycle
 * @inputs:   written by whoever feeds inputs, read by the cycle; struct lkd_input
 * @outputs:  read by the exchange thread; struct lkd_output
 * @status:   read by the control thread; struct lkd_figures
 * @answer:   in lockstep, after each step; read by the control thread; struct lkd_output
 * @wakeup:   from the grid point to the first instruction
 * @compute:  from there to @computed_ns, of cycles that step
 * @response: from the grid point to the end of the cycle
 * @input_age: from the receipt of a sample to when the cycle took it, each sample once
 * @hand_over: from @computed_ns to the socket; written by the exchange thread
 * @records:  struct lkd_record of the last cycles
 * @n_spans, @spans: what each worker of the crew did last, a ring each: words are its phase,
 * counted since the start, and its begin and end [ns]
 * @missed, @n_missed: the first missed deadlines; the count is behind the entries
 * @ask:      enum lkd_ask, written by the control thread
 * @rt:       touched by the cycle thread only, while it runs
 * @rt.values: the last good outputs;  @rt.trial, @rt.trial_guard, @rt.trial_news: inputs of the
 * proof, its own guard, and news of benches that are never heard
 * @rt.stamp: of each bench, as latched;  @rt.n_stamps */
struct lkd_cycle {
    struct lk_system *system;
    struct lk_crew *crew;
    struct lkd_settings settings;
    struct lkd_wait wait;
    struct lkd_grid grid;
    int64_t period_ns;
    int64_t t0_ns;
    enum lkd_mode mode;
    _Atomic uint64_t steps_max;
    int n_inputs;
    int n_outputs;
    int n_channels;
    double *low;
    double *high;

    struct lkd_guard guard;
    struct lkd_tape tape;
    struct lkd_release release;
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
        int n_stamps;
        struct lkd_stamp stamp[LKD_STAMPS];
    } rt;
};

#define LKD_SPANS 16384 /* of a worker: a thousand steps of twelve phases */

/** lkd_settings_default() - sleep, count overruns and go on, limits of the shipped configuration.
 */
struct lkd_settings lkd_settings_default(void);

/** lkd_cycle_new() - mailboxes and records for @system, whose period is its step size.
 * @system:   stays the caller's, must outlive the cycle
 * Thread: control.  RT: no.
 * Return: 0, -ENOMEM. */
int lkd_cycle_new(struct lk_system *system, const struct lkd_settings *settings,
                  struct lkd_cycle **ret_cycle);

/** lkd_cycle_keep_spans() - rings for the spans of so many workers, those of the last run
 * forgotten; none for one.  lkd_cycle_drop_spans() - release them. Thread: control, while no thread
 * runs the cycle. Return: 0, -ENOMEM. */
int lkd_cycle_keep_spans(struct lkd_cycle *cycle, int n_workers);
void lkd_cycle_drop_spans(struct lkd_cycle *cycle);

/** lkd_cycle_free() - release; NULL is allowed. Not while it runs. */
void lkd_cycle_free(struct lkd_cycle *cycle);

/** lkd_cycle_rewind() - system to t = 0, fresh figures and histograms, ask RUN, nothing tripped.
 * What benches sent stays.
 * Thread: control, while no thread runs the cycle. */
void lkd_cycle_rewind(struct lkd_cycle *cycle);

/** lkd_cycle_settle() - make the very last figures, the last cycle's overrun included, readable.
 * Thread: control, when the thread that ran the cycle has ended. */
void lkd_cycle_settle(struct lkd_cycle *cycle);

/** lkd_cycle_ask() - see enum lkd_ask. Thread: control.  RT: yes. */
void lkd_cycle_ask(struct lkd_cycle *cycle, enum lkd_ask ask);

/** lkd_cycle_compute() - one step with the input values @acting and its outputs, apart from time
 * and books: what a cycle does, for the proof of the budget, too. Fills @latched_ns and @stepped_ns
 * of the record.
 * Thread: cycle.  RT: yes.
 * Return: why it failed; the figures and values of the outputs are then those of the last good
 *         step. */
LK_RT enum lkd_fault lkd_cycle_compute(struct lkd_cycle *cycle, const double *acting);

/** lkd_cycle_cause() - of a cycle that missed its deadline.
 * @behind: it began behind its grid point, because the cycle before was not over
 * Thread: any.  RT: yes. */
LK_RT enum lkd_cause lkd_cycle_cause(const struct lkd_cycle *cycle, const struct lkd_record *r,
                                     bool behind);

/** lkd_cycle_next_ns() - the first grid point after @when_ns; in a run without a clock a period
 * after it.  Thread: any.  RT: yes. */
LK_RT int64_t lkd_cycle_next_ns(const struct lkd_cycle *cycle, int64_t when_ns);

/** lkd_cycle_missed() - missed deadlines that are listed, at most LKD_MISSED_MAX; entries below do
 * not change any more.  Thread: any. */
uint64_t lkd_cycle_missed(const struct lkd_cycle *cycle);

/** lkd_cycle_record() - time stamps of cycle @number, if they are still there.  Thread: any. */
bool lkd_cycle_record(const struct lkd_cycle *cycle, uint64_t number,
                      struct lkd_record *ret_record);

/** lkd_cycle_run_released() - step by step as granted (LKD_MODE_LOCKSTEP), or as fast as possible
 * (LKD_MODE_ASAP), until asked to end. The books are those of a grid that follows: a cycle's grid
 * point is when it begins.
 * Thread: cycle.  RT: no. */
void lkd_cycle_run_released(struct lkd_cycle *cycle);

/** lkd_cycle_run() - go through the grid from T0 until asked to end.
 * Thread: cycle.  RT: yes, one wait a grid point. */
LK_RT void lkd_cycle_run(struct lkd_cycle *cycle);

#endif
