/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle: one step of the model at each point of a fixed time grid.
 *
 * The grid is T(k) = T0 + k P in whole nanoseconds on CLOCK_MONOTONIC; it is never moved. A cycle
 * sleeps until its grid point, takes the newest inputs, steps, evaluates the outputs, and leaves a
 * record for others to pick up. Nobody is signalled: readers know the grid.
 *
 * Late cycles. A cycle that ends after the next grid point is an overrun. When it is behind by up
 * to one period, the next cycle follows at once and the grid is kept. When it is behind by more,
 * the grid points that have passed are skipped and counted. Therefore, after any cycle,
 *
 *     cycles + skipped = grid points elapsed since T0 = (deadline - T0) / P + 1
 *
 * and simulated time lags wall time by exactly (skipped + cycles without a step) periods.
 *
 * A pause keeps the grid and does not step. A fault (the step failed, or a joint is violated beyond
 * the limit) does the same for good: the last good outputs stay, the reason is in the record.
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

/** enum lkd_cycle_state - what a cycle did. */
enum lkd_cycle_state { LKD_CYCLE_RUNNING, LKD_CYCLE_PAUSED, LKD_CYCLE_FAULT };

/** enum lkd_fault - why stepping ended for good. */
enum lkd_fault { LKD_FAULT_NONE, LKD_FAULT_NOT_FINITE, LKD_FAULT_TURN, LKD_FAULT_RESIDUAL };

/** enum lkd_ask - what the control thread asks of the cycle, honoured at the next grid point. */
enum lkd_ask { LKD_ASK_RUN, LKD_ASK_PAUSE, LKD_ASK_END };

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
 * @cycles, @overruns, @skipped: see the top of this file; this cycle's own overrun is counted from
 *                    the next record on
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

/* How long before the grid point the workers get up: more than they are late themselves (p99 of
 * the wake-up), less than they spin; no more than this part of the period, as who spins through all
 * of it loses its core to the kernel's protection against that. */
#define LKD_LEAD_NS   INT64_C(50000)
#define LKD_LEAD_PART 0.4

/** struct lkd_cycle - a model on the grid.
 * @system, @period_ns, @residual_limit: fixed;  @t0_ns, @crew: set before a run, NULL: alone
 * @n_outputs, @n_inputs: scalars of the channels
 * @inputs:   written by whoever feeds inputs, read by the cycle; struct lkd_input
 * @outputs:  read by the exchange thread; struct lkd_output
 * @status:   read by the control thread; struct lkd_figures
 * @wakeup:   from the grid point to the first instruction;  @compute: from there to @computed_ns,
 *            of cycles that step
 * @ask:      enum lkd_ask, written by the control thread
 * @rt:       touched by the cycle thread only, while it runs
 * @rt.values: the last good outputs */
struct lkd_cycle {
    struct lk_system *system;
    struct lk_crew *crew;
    int64_t period_ns;
    int64_t t0_ns;
    double residual_limit;
    int n_inputs;
    int n_outputs;

    struct lkd_mailbox inputs;
    struct lkd_mailbox outputs;
    struct lkd_mailbox status;
    struct lkd_histogram wakeup;
    struct lkd_histogram compute;
    _Atomic int ask;

    struct {
        alignas(LKD_CACHE_LINE) struct lkd_figures figures;
        double *values;
    } rt;
};

/** lkd_cycle_new() - mailboxes and records for @system, whose period is its step size.
 * @system:         stays the caller's, must outlive the cycle
 * @residual_limit: largest violation of a joint before FAULT [m or rad]
 * Thread: control.  RT: no.
 * Return: 0, -ENOMEM. */
int lkd_cycle_new(struct lk_system *system, double residual_limit, struct lkd_cycle **ret_cycle);

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

/** lkd_cycle_run() - go through the grid from T0 until asked to end.
 * Thread: cycle.  RT: yes, one wait a grid point. */
LK_RT void lkd_cycle_run(struct lkd_cycle *cycle);

/** lkd_clock_ns() - now on CLOCK_MONOTONIC [ns].  RT: yes (no system call on usual machines). */
LK_RT int64_t lkd_clock_ns(void);

#endif
