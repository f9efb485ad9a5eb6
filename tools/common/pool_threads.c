/* SPDX-License-Identifier: Apache-2.0 */
#include "pool_threads.h"
#include "linkage/pool.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

struct member {
    struct lk_pool *pool;
    pthread_t thread;
    int worker;
};

struct pool_threads {
    struct lk_pool *pool;
    int n_started;
    bool pinned;
    cpu_set_t before;
    struct member member[LK_POOL_MAX];
};

static void *serve_pool(void *data)
{
    struct member *member = data;

    lk_pool_serve(member->pool, member->worker);
    return NULL;
}

static int pin(pthread_t thread, int core)
{
    cpu_set_t set;

    if (core < 0 || core >= CPU_SETSIZE)
        return -EINVAL;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    return -pthread_setaffinity_np(thread, sizeof(set), &set);
}

/* Choose a core for each thread; the first one is the core of the caller.
 * Return: true if there are enough cores. */
static bool pick_cores(int n, int *cores)
{
    int here = sched_getcpu(), found = 0;
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) || CPU_COUNT(&allowed) < n)
        return false;
    if (here >= 0 && here < CPU_SETSIZE && CPU_ISSET(here, &allowed))
        cores[found++] = here;
    for (int i = 0; i < CPU_SETSIZE && found < n; i++)
        if (CPU_ISSET(i, &allowed) && i != here)
            cores[found++] = i;
    return found == n;
}

static int start_members(struct pool_threads *threads, int n, const int *cores)
{
    for (int k = 1; k < n; k++) {
        struct member *member = &threads->member[k];
        int r;

        *member = (struct member){.pool = threads->pool, .worker = k};
        r = -pthread_create(&member->thread, NULL, serve_pool, member);
        if (r)
            return r;
        threads->n_started++;
        r = cores ? pin(member->thread, cores[k]) : 0;
        if (r)
            return r;
    }
    return 0;
}

static int pin_caller(struct pool_threads *threads, int core)
{
    if (pthread_getaffinity_np(pthread_self(), sizeof(threads->before), &threads->before))
        return -EINVAL;
    threads->pinned = true;
    return pin(pthread_self(), core);
}

int pool_threads_start(int n, const int *cores, struct pool_threads **ret_threads)
{
    struct pool_threads *threads = calloc(1, sizeof(*threads));
    int picked[LK_POOL_MAX];
    int r;

    if (!threads)
        return -ENOMEM;
    r = lk_pool_new(n, &threads->pool);
    if (r == 0 && !cores && n > 1 && pick_cores(n, picked))
        cores = picked;
    if (r == 0)
        r = start_members(threads, n, cores);
    if (r == 0 && cores)
        r = pin_caller(threads, cores[0]);
    if (r) {
        pool_threads_stop(threads);
        return r;
    }
    lk_pool_wait_ready(threads->pool);
    *ret_threads = threads;
    return 0;
}

struct lk_pool *pool_threads_pool(struct pool_threads *threads)
{
    return threads ? threads->pool : NULL;
}

void pool_threads_stop(struct pool_threads *threads)
{
    if (!threads)
        return;
    if (threads->pool)
        lk_pool_stop(threads->pool);
    for (int k = 1; k <= threads->n_started; k++)
        pthread_join(threads->member[k].thread, NULL);
    if (threads->pinned)
        pthread_setaffinity_np(pthread_self(), sizeof(threads->before), &threads->before);
    lk_pool_free(threads->pool);
    free(threads);
}
