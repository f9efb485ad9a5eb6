/* SPDX-License-Identifier: Apache-2.0 */
/* Count a thread's heap calls and resource usage. The program must link alloc_guard.c. */
#ifndef TESTS_RIG_COUNTED_H
#define TESTS_RIG_COUNTED_H

#include "realtime.h"
#include <stdbool.h>

/** struct rig_counted - counts of a thread. @fifo: the thread had the requested priority */
struct rig_counted {
    bool fifo;
    unsigned long heap_calls;
    struct lkd_usage usage;
};

/** rig_count() - Run @work on the calling thread, pinned to @core, at SCHED_FIFO @priority if
 * permitted. */
void rig_count(int core, int priority, void (*work)(void *context), void *context,
               struct rig_counted *ret_counted);

/** rig_counted_print() - Print the counts in a line to the standard output. @who: name of the
 * work */
void rig_counted_print(const char *who, const struct rig_counted *counted);

#endif
