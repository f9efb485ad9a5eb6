/* SPDX-License-Identifier: Apache-2.0 */
#include "probe.h"
#include "client.h"
#include "process.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

#define SETTLE_NS INT64_C(5000000) /* time for the thread to move to the core */
#define BURST_NS  INT64_C(100000000)
#define PAUSE_NS  INT64_C(50000000)

/* Read the clock until @until_ns and record gaps. */
static void watch_gaps(int64_t until_ns, struct lat_gaps *gaps)
{
    int64_t begin_ns = lk_client_now_ns(), last_ns = begin_ns, now_ns = begin_ns;

    while (now_ns < until_ns && !lat_interrupted()) {
        now_ns = lk_client_now_ns();
        if ((double)(now_ns - last_ns) * 1e-3 > LAT_GAP_US)
            gaps->n++;
        if ((double)(now_ns - last_ns) * 1e-3 > gaps->max_us)
            gaps->max_us = (double)(now_ns - last_ns) * 1e-3;
        last_ns = now_ns;
    }
    gaps->time_s += (double)(now_ns - begin_ns) * 1e-9;
}

static void watch_in_bursts(int64_t until_ns, struct lat_gaps *gaps)
{
    for (int64_t at_ns = lk_client_now_ns(); at_ns < until_ns && !lat_interrupted();) {
        int64_t end_ns = at_ns + BURST_NS < until_ns ? at_ns + BURST_NS : until_ns;

        watch_gaps(end_ns, gaps);
        at_ns = lk_client_now_ns() + PAUSE_NS;
        lat_wait_until(at_ns);
    }
}

int lat_probe_run(int core, int priority, double slice_s, struct lat_gaps *ret_gaps)
{
    struct sched_param realtime = {.sched_priority = priority}, normal = {0};
    struct lat_gaps gaps = {0};
    cpu_set_t before, there;
    int64_t until_ns;

    CPU_ZERO(&there);
    CPU_SET(core, &there);
    if (sched_getaffinity(0, sizeof(before), &before) != 0 ||
        sched_setaffinity(0, sizeof(there), &there) != 0)
        return -errno;
    if (priority > 0 && sched_setscheduler(0, SCHED_FIFO, &realtime) != 0)
        priority = 0;
    lat_wait_until(lk_client_now_ns() + SETTLE_NS);
    until_ns = lk_client_now_ns() + (int64_t)(slice_s * 1e9);
    if (priority > 0)
        watch_in_bursts(until_ns, &gaps);
    else
        watch_gaps(until_ns, &gaps);
    sched_setscheduler(0, SCHED_OTHER, &normal);
    sched_setaffinity(0, sizeof(before), &before);
    *ret_gaps = gaps;
    return lat_interrupted() ? -EINTR : 0;
}
