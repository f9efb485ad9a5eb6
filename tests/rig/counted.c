/* SPDX-License-Identifier: Apache-2.0 */
#include "counted.h"
#include "alloc_guard.h"

#include <inttypes.h>
#include <stdio.h>

void rig_count(int core, int priority, void (*work)(void *context), void *context,
               struct rig_counted *ret_counted)
{
    struct lkd_usage begin, end;

    lkd_realtime_pin(core);
    lkd_realtime_prepare_thread();
    ret_counted->fifo = lkd_realtime_set_fifo(priority) == 0;
    lkd_realtime_usage(&begin);
    alloc_guard_arm();
    work(context);
    ret_counted->heap_calls = alloc_guard_disarm();
    lkd_realtime_usage(&end);
    ret_counted->usage = (struct lkd_usage){
        .minor_faults = end.minor_faults - begin.minor_faults,
        .major_faults = end.major_faults - begin.major_faults,
        .voluntary = end.voluntary - begin.voluntary,
        .involuntary = end.involuntary - begin.involuntary,
    };
}

void rig_counted_print(const char *who, const struct rig_counted *counted)
{
    const struct lkd_usage *u = &counted->usage;

    printf("%s: heap calls %lu, minor faults %" PRIu64 ", major faults %" PRIu64
           ", voluntary switches %" PRIu64 ", involuntary %" PRIu64 "\n",
           who, counted->heap_calls, u->minor_faults, u->major_faults, u->voluntary,
           u->involuntary);
}
