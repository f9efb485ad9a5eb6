/* SPDX-License-Identifier: Apache-2.0 */
/* A thread on the core of the cycle that only reads the clock, with the lowest priority of all. The
 * cycle preempts this thread, so the witness records a gap for each cycle. The kernel counts
 * whether other threads used the core in a gap: the time for which the witness was ready without
 * running is in its schedstat. If the witness had the core in a gap and still did not run, the
 * machine was the cause: the host withdrew the processor, or an interrupt was served. */
#include "soak.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAUSE_MIN_NS INT64_C(2000) /* shorter gaps are ignored */

/* Return the time that this thread was ready while other threads ran [ns]; 0 if the kernel does not
 * count it. */
static int64_t waited_ns(const struct soak_witness *witness)
{
    char text[96], *at;
    ssize_t n = pread(witness->schedstat, text, sizeof(text) - 1, 0);

    if (n <= 0)
        return 0;
    text[n] = '\0';
    strtoll(text, &at, 10);
    return strtoll(at, NULL, 10);
}

static void add_gap(struct soak_witness *witness, int64_t begin_ns, int64_t end_ns,
                    int64_t others_ns)
{
    uint64_t n = atomic_load_explicit(&witness->n, memory_order_relaxed);

    witness->gap[n % SOAK_GAPS] = (struct soak_gap){begin_ns, end_ns, others_ns};
    atomic_store_explicit(&witness->n, n + 1, memory_order_release);
    if (end_ns - begin_ns > witness->longest_ns)
        witness->longest_ns = end_ns - begin_ns;
}

static void settle_thread(struct soak_witness *witness)
{
    cpu_set_t set;
    char path[64];

    CPU_ZERO(&set);
    CPU_SET(witness->core, &set);
    sched_setaffinity(0, sizeof(set), &set);
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 19); /* runs only when the core is free */
    snprintf(path, sizeof(path), "/proc/self/task/%ld/schedstat", syscall(SYS_gettid));
    witness->schedstat = open(path, O_RDONLY | O_CLOEXEC);
}

static void *watch(void *data)
{
    struct soak_witness *witness = data;
    int64_t last_ns, now_ns, waited, before;

    settle_thread(witness);
    before = waited_ns(witness);
    last_ns = lk_client_now_ns();
    while (!atomic_load_explicit(&witness->stop, memory_order_relaxed)) {
        now_ns = lk_client_now_ns();
        if (now_ns - last_ns > PAUSE_MIN_NS) {
            waited = waited_ns(witness);
            if (now_ns - last_ns > SOAK_GAP_MIN_NS)
                add_gap(witness, last_ns, now_ns, waited - before);
            before = waited;
        }
        atomic_store_explicit(&witness->seen_ns, now_ns, memory_order_release);
        last_ns = now_ns;
    }
    close(witness->schedstat);
    return NULL;
}

int soak_witness_start(struct soak_witness *witness, int core)
{
    *witness = (struct soak_witness){.core = core, .schedstat = -1};
    witness->gap = calloc(SOAK_GAPS, sizeof(*witness->gap));
    if (!witness->gap)
        return ENOMEM;
    return pthread_create(&witness->thread, NULL, watch, witness);
}

void soak_witness_stop(struct soak_witness *witness)
{
    atomic_store(&witness->stop, true);
    pthread_join(witness->thread, NULL);
}

void soak_witness_fini(struct soak_witness *witness)
{
    free(witness->gap);
    witness->gap = NULL;
}

/* Return the first gap that ends after @ns. The gaps are in order of time. */
static uint64_t find(const struct soak_witness *witness, uint64_t first, uint64_t n, int64_t ns)
{
    while (first < n) {
        uint64_t middle = first + (n - first) / 2;

        if (witness->gap[middle % SOAK_GAPS].end_ns <= ns)
            first = middle + 1;
        else
            n = middle;
    }
    return first;
}

int64_t soak_witness_absent(const struct soak_witness *witness, int64_t begin_ns, int64_t end_ns,
                            int64_t *ret_others_ns)
{
    uint64_t n = atomic_load_explicit(&witness->n, memory_order_acquire);
    uint64_t first = n > SOAK_GAPS / 2 ? n - SOAK_GAPS / 2 : 0,
             i = find(witness, first, n, begin_ns);
    int64_t sum_ns = 0;

    *ret_others_ns = 0;
    if (i == first && first > 0)
        return -1;
    for (; i < n && witness->gap[i % SOAK_GAPS].begin_ns < end_ns; i++) {
        const struct soak_gap *gap = &witness->gap[i % SOAK_GAPS];
        int64_t from_ns = gap->begin_ns > begin_ns ? gap->begin_ns : begin_ns;
        int64_t to_ns = gap->end_ns < end_ns ? gap->end_ns : end_ns;

        sum_ns += to_ns - from_ns;
        *ret_others_ns += gap->waited_ns;
    }
    return sum_ns;
}
