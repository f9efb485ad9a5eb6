/* SPDX-License-Identifier: Apache-2.0 */
/* Release of steps without a clock: in lockstep, and as fast as possible.
 *
 * The control thread grants a number of steps and waits until they are done; the thread of the
 * cycle waits for grants. Neither is real-time. */
#ifndef LKD_RT_RELEASE_H
#define LKD_RT_RELEASE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/** struct lkd_release - release of steps to the cycle.
 * @granted, @done: number of steps granted and done since the start of the run, guarded by @lock
 *                  @ended: no further steps will be made */
struct lkd_release {
    pthread_mutex_t lock;
    pthread_cond_t granting;
    pthread_cond_t doing;
    uint64_t granted;
    uint64_t done;
    bool ended;
};

/** lkd_release_init() - Initialise @release without granted steps.
 * lkd_release_fini() - Free the resources of @release. */
void lkd_release_init(struct lkd_release *release);
void lkd_release_fini(struct lkd_release *release);

/** lkd_release_reset() - Reset @release when a run begins.
 * Thread: control, while no thread waits. */
void lkd_release_reset(struct lkd_release *release);

/** lkd_release_grant() - Grant @n more steps, and wait until they are done or stepping has ended.
 * @patience_ns: longest wait
 * Thread: control.
 * Return: true if the steps were done in time. */
bool lkd_release_grant(struct lkd_release *release, uint64_t n, int64_t patience_ns);

/** lkd_release_await() - Wait at most @patience_ns until a step is granted.
 * Thread: cycle.
 * Return: true if a step is granted. */
bool lkd_release_await(struct lkd_release *release, int64_t patience_ns);
/** lkd_nap() - Sleep for a time [ns]. Thread: cycle, in modes without a clock. */
void lkd_nap(int64_t duration_ns);

/** lkd_release_count() - Count a granted step as done.
 * lkd_release_end() - End stepping for this run. */
void lkd_release_count(struct lkd_release *release);
void lkd_release_end(struct lkd_release *release);

#endif
