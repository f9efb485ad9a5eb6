/* SPDX-License-Identifier: Apache-2.0 */
/* Measurement of the handshake of two threads: one thread writes a number; the other, on another
 * core, reads the number and writes it back. Half of the round trip is the time from the write
 * until the other thread has read the value. The fork and join of a pool are also measured: a round
 * trip plus the work of lk_pool_run(). */
#include "bench.h"
#include "commands.h"
#include "linkage/pool.h"
#include "pool_threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define ROUNDS     200 /* round trips between two readings of the clock */
#define BATCHES    4096
#define SPINS      4096 /* iterations before a yield, because both threads may share a core */
#define CACHE_LINE 128  /* two lines of 64 bytes, which some processors fetch together */
#define STOP       UINT64_MAX

struct table {
    _Alignas(CACHE_LINE) _Atomic uint64_t ping;
    _Alignas(CACHE_LINE) _Atomic uint64_t pong;
};

/* Wait until the word differs from @last, and return it. acquire: data written before the new value
 * are visible afterwards; pairs with the release in store_word(). */
static uint64_t wait_for_change(_Atomic uint64_t *word, uint64_t last)
{
    uint64_t value;
    int spins = 0;

    while ((value = atomic_load_explicit(word, memory_order_acquire)) == last) {
        if (++spins == SPINS) {
            sched_yield();
            spins = 0;
        }
    }
    return value;
}

static void store_word(_Atomic uint64_t *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_release);
}

static void *answer_pings(void *data)
{
    struct table *table = data;
    uint64_t value = 0;

    while (value != STOP) {
        value = wait_for_change(&table->ping, value);
        store_word(&table->pong, value);
    }
    return NULL;
}

/* Return the first processor of @set except @other; -1: none. */
static int first_cpu(const cpu_set_t *set, int other)
{
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, set) && i != other)
            return i;
    return -1;
}

static int start_on(int cpu, struct table *table, pthread_t *ret_thread)
{
    pthread_attr_t attributes;
    cpu_set_t set;
    int r;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    r = pthread_attr_init(&attributes);
    if (r != 0)
        return -r;
    r = pthread_attr_setaffinity_np(&attributes, sizeof(set), &set);
    if (r == 0)
        r = pthread_create(ret_thread, &attributes, answer_pings, table);
    pthread_attr_destroy(&attributes);
    return -r;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_meeting(struct table *table, double time_s)
{
    static double batch_ns[BATCHES];
    double begin = now_s(), last = begin;
    uint64_t value = 0;
    size_t n = 0;

    while (n < BATCHES && (n == 0 || last - begin < time_s)) {
        double now;

        for (int i = 0; i < ROUNDS; i++) {
            store_word(&table->ping, value + 1);
            value = wait_for_change(&table->pong, value);
        }
        now = now_s();
        batch_ns[n++] = (now - last) * 1e9 / (2 * ROUNDS);
        last = now;
    }
    store_word(&table->ping, STOP);
    qsort(batch_ns, n, sizeof(batch_ns[0]), compare_doubles);
    return batch_ns[n / 2];
}

int bench_meeting_measure(double time_s, double *ret_meeting_ns)
{
    static struct table table;
    cpu_set_t before, mine;
    pthread_t thread;
    int first, second, r;

    if (sched_getaffinity(0, sizeof(before), &before) != 0)
        return -errno;
    first = first_cpu(&before, -1);
    second = first_cpu(&before, first);
    if (second < 0)
        return -ENOTSUP;
    table.ping = table.pong = 0;
    r = start_on(second, &table, &thread);
    if (r != 0)
        return r;
    CPU_ZERO(&mine);
    CPU_SET(first, &mine);
    sched_setaffinity(0, sizeof(mine), &mine);
    *ret_meeting_ns = median_meeting(&table, time_s);
    pthread_join(thread, NULL);
    sched_setaffinity(0, sizeof(before), &before);
    return 0;
}

static void do_nothing(void *context, int what, int worker)
{
    (void)context;
    (void)what;
    (void)worker;
}

static double median_fork(struct lk_pool *pool, double time_s)
{
    static double batch_ns[BATCHES];
    double begin = now_s(), last = begin;
    size_t n = 0;

    while (n < BATCHES && (n == 0 || last - begin < time_s)) {
        double now;

        for (int i = 0; i < ROUNDS; i++)
            lk_pool_run(pool, do_nothing, NULL, 0);
        now = now_s();
        batch_ns[n++] = (now - last) * 1e9 / ROUNDS;
        last = now;
    }
    qsort(batch_ns, n, sizeof(batch_ns[0]), compare_doubles);
    return batch_ns[n / 2];
}

int bench_fork_measure(double time_s, double *ret_fork_ns)
{
    struct pool_threads *threads;
    int r = pool_threads_start(2, NULL, &threads);

    if (r != 0)
        return r;
    *ret_fork_ns = median_fork(pool_threads_pool(threads), time_s);
    pool_threads_stop(threads);
    return 0;
}
