/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle: one step of the model at each point of a fixed time grid.
 *
 * The grid is T(k) = T0 + k P in whole nanoseconds on CLOCK_MONOTONIC; it is never moved. A cycle
 * sleeps until its grid point, takes the newest inputs, steps, evaluates the outputs, and leaves a
 * record for others to pick up. Nobody is signalled: readers know the grid.
 *
 * Late cycles. What follows a cycle that ends after the next grid point is in overrun.h. After any
 * cycle,
 *
 *     cycles + skipped = grid points elapsed since T0 = (deadline - T0) / P + 1
 *
 * and simulated time lags wall time by exactly (skipped + cycles without a step) periods.
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

#include "histogram.h"
#include "linkage/crew.h"
#include "linkage/linkage.h"
#include "mailbox.h"
#include "overrun.h"
#include "ring.h"
#include "wait.h"

/** enum lkd_cycle_state - what a cycle did. */
enum lkd_cycle_state { LKD_CYCLE_RUNNING, LKD_CYCLE_PAUSED, LKD_CYCLE_FAULT };

/** enum lkd_fault - why stepping ended for good. */
enum lkd_fault {
    LKD_FAULT_NONE,
    LKD_FAULT_NOT_FINITE,
    LKD_FAULT_TURN,
    LKD_FAULT_RESIDUAL,
    LKD_FAULT_OVERRUN,
    LKD_FAULT_WATCHDOG,
};

/** enum lkd_ask - what the control thread asks of the cycle, honoured at the next grid point.
 * LKD_ASK_FAULT is the watchdog's: a cycle that stood still does not go on as if nothing were. */
enum lkd_ask { LKD_ASK_RUN, LKD_ASK_PAUSE, LKD_ASK_END, LKD_ASK_FAULT };

/** struct lkd_settings - what does not depend on the model.
 * @residual_limit:    largest violation of a joint before FAULT [m or rad]
 * @wake, @margin_ns:  how to wait; margin of LKD_WAKE_HYBRID, 0: found by the proof of the budget
 * @overrun:           see overrun.h
 * @budget_share:      of the period that inputs, step and outputs may take
 * @late_wakeup_share: of the period by which a wake-up may be late before it is counted as late
 * @zero_outputs:      outputs are zero in FAULT */
struct lkd_settings {
    double residual_limit;
    enum lkd_wake wake;
    int64_t margin_ns;
    struct lkd_overrun_policy overrun;
    double budget_share;
    double late_wakeup_share;
    bool zero_outputs;
};

/** struct lkd_input - a record in the mailbox towards the cycle.
 * @sequence, @origin_ns: of the newest sample from the bench, untouched; 0: none so far
 * @received_ns:          when the daemon received it, CLOCK_MONOTONIC
 * @values:               lk_system_input_size() finite values in channel order */
struct lkd_input {
    uint64_t sequence;
    uint64_t origin_ns;
    int64_t received_ns;
    double values[];
};

/** struct lkd_figures - what a cycle says about itself. Times in ns on CLOCK_MONOTONIC.
 * @step, @time_s:    steps since the start and simulated time, of the outputs
 * @deadline_ns:      grid point T(k) of this cycle;  @woken_ns: first instruction after the wait
 * @computed_ns:      inputs, step and outputs done
 * @cycles, @overruns, @skipped, @caught_up: see overrun.h; this cycle's own overrun is counted from
 *                    the next record on
 * @late_wakeups:     cycles that waited, and were woken later than the settings allow; the last of
 *                    them was the cycle of @late_wakeup_step
 * @long_computations: cycles that computed for longer than the settings allow; likewise
 * @behind_ns:        wall time since T0 - simulated time, at the next grid point
 * @input_sequence, @input_origin_ns, @input_received_ns: of the newest input that acts in the
 * outputs
 * @health:           of the last step, a failed one included
 * @residual_position_max, @residual_velocity_max: largest since the start
 * @energy_start:     kinetic + potential at the start [J] */
struct lkd_figures {
    enum lkd_cycle_state state;
    enum lkd_fault fault;
    uint64_t step;
    double time_s;
    int64_t deadline_ns;
    int64_t woken_ns;
    int64_t computed_ns;
    uint64_t cycles;
    uint64_t overruns;
    uint64_t skipped;
    uint64_t caught_up;
    uint64_t late_wakeups;
    uint64_t late_wakeup_step;
    uint64_t long_computations;
    uint64_t long_computation_step;
    int64_t behind_ns;
    uint64_t input_sequence;
    uint64_t input_origin_ns;
    int64_t input_received_ns;
    struct lk_health health;
    double residual_position_max;
    double residual_velocity_max;
    double energy_start;
};

/** struct lkd_output - a record in the mailbox from the cycle to the exchange thread.
 * @values: lk_system_output_size() values in channel order */
struct lkd_output {
    struct lkd_figures figures;
    double values[];
};

/** struct lkd_record - the time stamps of a cycle [ns on CLOCK_MONOTONIC], as in the ring; its
 * number there is that of the cycle, from 0.
 * @latched_ns: the inputs taken;  @stepped_ns: the step done, or what took its place
 * @ended_ns:   outputs and books handed over; the cycle's last look at the clock */
struct lkd_record {
    uint64_t step;
    int64_t deadline_ns;
    int64_t woken_ns;
    int64_t latched_ns;
    int64_t stepped_ns;
    int64_t computed_ns;
    int64_t ended_ns;
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

/** struct lkd_cycle - a model on the grid.
 * @system, @period_ns, @settings: fixed;  @t0_ns, @crew: set before a run, NULL: alone
 * @wait:     how to wait, its margin settled by the proof
 * @n_outputs, @n_inputs: scalars of the channels;  @low, @high: limits of each input scalar
 * @inputs:   written by whoever feeds inputs, read by the cycle; struct lkd_input
 * @outputs:  read by the exchange thread; struct lkd_output
 * @status:   read by the control thread; struct lkd_figures
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
 * @rt.values: the last good outputs;  @rt.trial: inputs of the proof */
struct lkd_cycle {
    struct lk_system *system;
    struct lk_crew *crew;
    struct lkd_settings settings;
    struct lkd_wait wait;
    int64_t period_ns;
    int64_t t0_ns;
    int n_inputs;
    int n_outputs;
    double *low;
    double *high;

    struct lkd_mailbox inputs;
    struct lkd_mailbox outputs;
    struct lkd_mailbox status;
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
        struct lkd_input *trial;
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

/** lkd_cycle_rewind() - system to t = 0, fresh figures and histograms, ask RUN. Inputs stay.
 * Thread: control, while no thread runs the cycle. */
void lkd_cycle_rewind(struct lkd_cycle *cycle);

/** lkd_cycle_settle() - make the very last figures, the last cycle's overrun included, readable.
 * Thread: control, when the thread that ran the cycle has ended. */
void lkd_cycle_settle(struct lkd_cycle *cycle);

/** lkd_cycle_ask() - see enum lkd_ask. Thread: control.  RT: yes. */
void lkd_cycle_ask(struct lkd_cycle *cycle, enum lkd_ask ask);

/** lkd_cycle_compute() - one step with @input and its outputs, apart from time and books: what a
 * cycle does, for the proof of the budget, too. Fills @latched_ns and @stepped_ns of the record.
 * Thread: cycle.  RT: yes.
 * Return: why it failed; the figures and values of the outputs are then those of the last good
 *         step. */
LK_RT enum lkd_fault lkd_cycle_compute(struct lkd_cycle *cycle, const struct lkd_input *input);

/** lkd_cycle_missed() - missed deadlines that are listed, at most LKD_MISSED_MAX; entries below do
 * not change any more.  Thread: any. */
uint64_t lkd_cycle_missed(const struct lkd_cycle *cycle);

/** lkd_cycle_record() - time stamps of cycle @number, if they are still there.  Thread: any. */
bool lkd_cycle_record(const struct lkd_cycle *cycle, uint64_t number,
                      struct lkd_record *ret_record);

/** lkd_cycle_run() - go through the grid from T0 until asked to end.
 * Thread: cycle.  RT: yes, one wait a grid point. */
LK_RT void lkd_cycle_run(struct lkd_cycle *cycle);

#endif
