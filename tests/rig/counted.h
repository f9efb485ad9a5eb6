/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread asks of heap and kernel while it works. For a program that alloc_guard.c is a part
 * of. */
#ifndef TESTS_RIG_COUNTED_H
#define TESTS_RIG_COUNTED_H

#include "realtime.h"
#include <stdbool.h>

/** struct rig_counted - @fifo: the thread had the priority asked for */
struct rig_counted {
    bool fifo;
    unsigned long heap_calls;
    struct lkd_usage usage;
};

/** rig_count() - do @work on the calling thread, pinned to @core, at SCHED_FIFO @priority if it may
 * have that. */
void rig_count(int core, int priority, void (*work)(void *context), void *context,
               struct rig_counted *ret_counted);

/** rig_counted_print() - a line, on the standard output. @who: did it */
void rig_counted_print(const char *who, const struct rig_counted *counted);

#endif
