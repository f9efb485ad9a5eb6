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

/** struct lkd_release - @granted, @done: steps since the start of the run, guarded by @lock
 * @ended: no further steps will be made */
struct lkd_release {
    pthread_mutex_t lock;
    pthread_cond_t granting;
    pthread_cond_t doing;
    uint64_t granted;
    uint64_t done;
    bool ended;
};

/** lkd_release_init(), lkd_release_fini() - Initialise without granted steps; release. */
void lkd_release_init(struct lkd_release *release);
void lkd_release_fini(struct lkd_release *release);

/** lkd_release_reset() - Reset at the begin of a run. Thread: control, while no thread waits. */
void lkd_release_reset(struct lkd_release *release);

/** lkd_release_grant() - grant @n more steps and wait until they are done, or stepping has ended.
 * @patience_ns: longest wait
 * Thread: control.
 * Return: true if they were done in time. */
bool lkd_release_grant(struct lkd_release *release, uint64_t n, int64_t patience_ns);

/** lkd_release_await() - wait at most @patience_ns until a step is granted.
 * Thread: of the cycle. Return: true if one is granted. */
bool lkd_release_await(struct lkd_release *release, int64_t patience_ns);
/** lkd_nap() - sleep for a time [ns]. Thread: of the cycle, in these modes. */
void lkd_nap(int64_t duration_ns);

/** lkd_release_count() - count a granted step as done.  lkd_release_end() - end stepping. */
void lkd_release_count(struct lkd_release *release);
void lkd_release_end(struct lkd_release *release);

#endif
