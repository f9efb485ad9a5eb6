/* SPDX-License-Identifier: Apache-2.0 */
/* Budget proof: measurement before a run, on the core of the cycle, that shows whether the step
 * fits into its period.
 *
 * The thread that will run the cycle executes the model's step many times, with inputs that jump
 * between the limits of their channels. A step does the same work for any values, so differences
 * between steps are caused by the machine. Steps are executed in bursts of some milliseconds with
 * pauses in between, because the kernel throttles a real-time thread that never sleeps. After each
 * burst a loop that only reads the clock runs for the same time. Gaps between its readings are
 * interruptions by the machine. They distinguish a slow step from a stalled core. The end of each
 * pause measures the kernel's wake-up latency, from which the margin of LKD_WAKE_HYBRID is
 * computed.
 *
 * If other real-time programs, such as another rig, may use the core, the bursts are short and the
 * pauses long, to leave time for their cycles.
 *
 * Within a burst the caches are warm. In the first step after a pause they are as cold as in a
 * cycle; it is included in the maximum and p99.9.
 *
 * The state of the model is invalid afterwards: call lkd_cycle_rewind(). */
#ifndef LKD_RT_PROOF_H
#define LKD_RT_PROOF_H

#include "cycle.h"

#define LKD_PROOF_GAP_NS    INT64_C(20000) /* smallest counted gap; period / 20 if longer */
#define LKD_PROOF_STEPS_MIN 1000           /* minimum for a meaningful proof */

/** struct lkd_proof - a proof in progress, and its results.
 * @steps, @time_ns:   limits of the number of steps and of the duration
 * @shared:            other real-time programs may use the core; set before the run
 * @compute:           duration of a step with its outputs, as measured by the cycle
 * @wakeup:            wake-up latency at the ends of the pauses
 * @gap_max_ns, @gaps: largest gap and number of gaps of the clock-reading loop, which ran for
 *                     @gap_time_ns
 * @steps_done:        number of executed steps
 * @restarts:          number of resets after a step that failed or did not close the joints
 * @progress:          0 to 1000
 * @bursts:            bursts so far, for the watchdog
 * @done:              the other fields are final
 * @cancelled:         the proof ended early on request */
struct lkd_proof {
    uint64_t steps;
    int64_t time_ns;
    bool shared;
    struct lkd_histogram compute;
    struct lkd_histogram wakeup;
    int64_t gap_max_ns;
    uint64_t gaps;
    int64_t gap_time_ns;
    uint64_t steps_done;
    uint64_t restarts;
    bool cancelled;
    _Atomic int progress;
    _Atomic uint64_t bursts;
    _Atomic bool done;
};

/** lkd_proof_init() - Initialise a proof with its limits; no step is executed yet.
 * RT: yes. */
void lkd_proof_init(struct lkd_proof *proof, uint64_t steps, int64_t time_ns);

/** lkd_proof_run() - Execute the proof; it ends early if the control thread requests the end.
 * @cycle: a rewound cycle that no other thread runs
 * Thread: that of the cycle.  RT: yes, one wait per burst. */
LK_RT void lkd_proof_run(struct lkd_proof *proof, struct lkd_cycle *cycle);

#endif
