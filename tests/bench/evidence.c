/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of the evidence per cycle: three histograms, the ring, the counts of overruns, and the clock
 * readings that only the evidence needs. Run by hand:
 *
 *     taskset -c 1 build/tests/bench/evidence
 *
 * Warm: cycle after cycle. Cold: after reading 4 MiB of other memory, as a large model does. */
#include "cycle.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS     20001
#define COLD_BYTES (4u << 20)

static struct lkd_histogram wakeup, compute, response;
static struct lkd_overruns overruns;
static struct lkd_settings settings;
static struct lkd_ring ring;
static volatile unsigned char *other;

/* Make the same calls as cycle.c, which makes them beside step, outputs and mailboxes. */
static void keep_counts(uint64_t cycle, int64_t deadline_ns, int64_t jitter_ns)
{
    int64_t latched_ns = lkd_clock_ns(), stepped_ns = lkd_clock_ns(), ended_ns = lkd_clock_ns();
    const uint64_t words[LKD_RING_WORDS] = {cycle,
                                            (uint64_t)deadline_ns,
                                            (uint64_t)(deadline_ns + jitter_ns),
                                            (uint64_t)latched_ns,
                                            (uint64_t)stepped_ns,
                                            (uint64_t)ended_ns,
                                            (uint64_t)ended_ns};

    lkd_histogram_add(&wakeup, jitter_ns);
    lkd_histogram_add(&compute, jitter_ns / 3);
    lkd_histogram_add(&response, jitter_ns + jitter_ns / 3);
    lkd_ring_put(&ring, words);
    lkd_overrun_next(&settings.overrun, &overruns, cycle, cycle, 0);
}

static void read_other(void)
{
    for (size_t i = 0; i < COLD_BYTES; i += 64)
        (void)other[i];
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void measure(const char *name, int rounds, bool cold)
{
    static int64_t times[ROUNDS];
    uint64_t random = 88172645463325252u;
    int64_t empty_ns = INT64_MAX;

    for (int i = 0; i < rounds; i++) {
        int64_t begin_ns, middle_ns;

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        if (cold)
            read_other();
        begin_ns = lkd_clock_ns();
        middle_ns = lkd_clock_ns();
        keep_counts((uint64_t)i, begin_ns, (int64_t)(random % 40000));
        times[i] = lkd_clock_ns() - middle_ns;
        if (middle_ns - begin_ns < empty_ns)
            empty_ns = middle_ns - begin_ns;
    }
    qsort(times, (size_t)rounds, sizeof(times[0]), compare);
    printf("%-5s p50 %" PRId64 " ns, p99 %" PRId64 " ns a cycle (a look at the clock: %" PRId64
           " ns, taken off)\n",
           name, times[rounds / 2] - empty_ns, times[rounds * 99 / 100] - empty_ns, empty_ns);
}

int main(void)
{
    settings = lkd_settings_default();
    other = calloc(1, COLD_BYTES);
    if (!other || lkd_ring_init(&ring, LKD_RECORDS))
        return 1;
    measure("warm", ROUNDS, false);
    measure("cold", 2001, true);
    lkd_ring_fini(&ring);
    free((void *)other);
    return 0;
}
