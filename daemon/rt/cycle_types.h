/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs, outputs and figures of the cycle: records exchanged between threads. */
#ifndef LKD_RT_CYCLE_TYPES_H
#define LKD_RT_CYCLE_TYPES_H

#include "guard.h"
#include "judge.h"
#include "linkage/linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum lkd_mode - see Mode in linkage.proto. */
enum lkd_mode { LKD_MODE_REALTIME, LKD_MODE_LOCKSTEP, LKD_MODE_ASAP };

/** enum lkd_cycle_state - state of the run in a cycle. */
enum lkd_cycle_state { LKD_CYCLE_RUNNING, LKD_CYCLE_PAUSED, LKD_CYCLE_FAULT };

/** enum lkd_fault - reason why the run no longer steps. */
enum lkd_fault {
    LKD_FAULT_NONE,
    LKD_FAULT_NOT_FINITE,
    LKD_FAULT_TURN,
    LKD_FAULT_BEYOND, /* the step exceeds a limit of the policy; its outputs are not published */
    LKD_FAULT_OVERRUN,
    LKD_FAULT_WATCHDOG,
    LKD_FAULT_POLICY, /* a condition whose rule is FAULT */
    LKD_FAULT_SINGULAR,
    LKD_FAULT_BENT, /* a modal body, beyond what its modes describe */
};

#define LKD_CLAIMS_MAX 16                   /* benches that own channels at a time */
#define LKD_STAMPS     (LKD_CLAIMS_MAX + 1) /* one more for samples without a token */

/** struct lkd_stamp - time stamps of a sample from a bench.
 * @claim:        number of the claim, 0: a sample without a token
 * @sequence, @origin_ns: as sent by the bench; @sequence 0: no sample so far
 * @received_ns:  time of receipt by the daemon, CLOCK_MONOTONIC
 * @latched_ns:   time of latching by the cycle
 * @latched_step: number of steps made before the sample acted */
struct lkd_stamp {
    uint32_t claim;
    uint64_t sequence;
    uint64_t origin_ns;
    int64_t received_ns;
    int64_t latched_ns;
    uint64_t latched_step;
};

/** struct lkd_input - a record in the mailbox towards the cycle.
 * @newest:           index in @stamp of the newest sample of all benches
 * @n_stamps, @stamp: stamp of the newest sample of each bench; the index of a bench is constant
 *                    during its claim
 * @flags:            enum Flag, those set by other threads
 * @values:           lk_system_input_size() finite values in channel order, within their limits.
 *                    They are followed by as many slopes [unit/s] and the news of each channel, see
 *                    lkd_input_news() */
struct lkd_input {
    int newest;
    int n_stamps;
    struct lkd_stamp stamp[LKD_STAMPS];
    uint32_t flags;
    double values[];
};

/** lkd_input_size() - Return the size of a record [bytes]. */
static inline size_t lkd_input_size(int n_values, int n_channels)
{
    return sizeof(struct lkd_input) + 2 * (size_t)n_values * sizeof(double) +
           (size_t)n_channels * sizeof(struct lkd_news);
}

/** lkd_input_news() - Return the array of struct lkd_news, one per channel, stored after the
 * @n_values values and slopes. */
static inline struct lkd_news *lkd_input_news(struct lkd_input *input, int n_values)
{
    return (struct lkd_news *)(void *)(input->values + 2 * n_values);
}

/** lkd_input_news_of() - Return the same array, read only. */
static inline const struct lkd_news *lkd_input_news_of(const struct lkd_input *input, int n_values)
{
    return (const struct lkd_news *)(const void *)(input->values + 2 * n_values);
}

/** struct lkd_figures - figures of a cycle. Times in ns on CLOCK_MONOTONIC.
 * @step, @time_s:     steps since the start and simulated time of the outputs
 * @deadline_ns:       grid point T(k) of this cycle
 * @woken_ns:          first instruction after the wait
 * @computed_ns:       inputs, step and outputs done
 * @cycles, @overruns, @skipped, @caught_up: see overrun.h; an overrun of this cycle appears in the
 *                     figures of the next cycle
 * @late_wakeups:      cycles whose wake-up was later than the settings allow
 * @late_wakeup_step:  step of the last such cycle
 * @long_computations: cycles that computed for longer than the settings allow
 * @long_computation_step: step of the last such cycle
 * @behind_ns:         wall time since T0 minus simulated time, at the next grid point
 * @input_sequence, @input_origin_ns, @input_received_ns: sequence number and times of the newest
 *                     input that acts in the outputs
 * @flags:             enum Flag of the last step
 * @condition:         condition of LKD_FAULT_POLICY and LKD_FAULT_BEYOND
 * @beyond:            exceeded limit of LKD_FAULT_BEYOND, from the failed step
 * @health, @extent, @energy_jump, @energy_appears, @dependent: from the last good step, like the
 *                     outputs and @step
 * @residual_position_max, @residual_velocity_max, @increment_max, @position_max, @speed_max,
 * @energy_jump_max, @dependent_max, @turn_max, @port_gap_max: largest values since the start, of
 * good steps only
 * @turning:           body that reached @turn_max
 * @strain_max, @strained: largest strain of a beam, and the body at its place
 * @contact_max, @touching: largest error of a contact force, and a body of this contact
 * @energy_start:      kinetic + potential energy at the start [J] */
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
    uint32_t flags;
    enum lkd_condition condition;
    struct lkd_beyond beyond;
    struct lk_health health;
    struct lk_extent extent;
    double energy_jump;
    bool energy_appears;
    int dependent;
    double residual_position_max;
    double residual_velocity_max;
    double increment_max;
    double position_max;
    double speed_max;
    double energy_jump_max;
    int dependent_max;
    double turn_max;
    double port_gap_max;
    int turning;
    double strain_max;
    int strained;
    double contact_max;
    int touching;
    double energy_start;
};

/** struct lkd_output - a record in the mailbox from the cycle to the exchange thread.
 * @stamp:  stamp of the newest sample of each bench that acts in the outputs
 * @values: lk_system_output_size() values in channel order, then the poses of all bodies, see
 *          lk_system_poses() */
struct lkd_output {
    struct lkd_figures figures;
    int n_stamps;
    struct lkd_stamp stamp[LKD_STAMPS];
    double values[];
};

/** struct lkd_record - the time stamps of a cycle [ns on CLOCK_MONOTONIC], as stored in the ring.
 * The number of a record is the number of its cycle, counted from 0.
 * @latched_ns: inputs latched
 * @stepped_ns: end of the step; without a step equal to @woken_ns
 * @ended_ns:   outputs and figures published; the cycle's last reading of the clock */
struct lkd_record {
    uint64_t step;
    int64_t deadline_ns;
    int64_t woken_ns;
    int64_t latched_ns;
    int64_t stepped_ns;
    int64_t computed_ns;
    int64_t ended_ns;
};

#endif
