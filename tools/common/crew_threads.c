/* SPDX-License-Identifier: Apache-2.0 */
#include "crew_threads.h"
#include "linkage/crew.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

struct member {
    struct lk_crew *crew;
    pthread_t thread;
    int worker;
};

struct crew_threads {
    struct lk_crew *crew;
    int n_started;
    bool pinned;
    cpu_set_t before;
    struct member member[LK_CREW_MAX];
};

static void *serve(void *data)
{
    struct member *member = data;

    lk_crew_serve(member->crew, member->worker);
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

/* A core for each, that of the caller first. Return: whether there are enough. */
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

static int start_members(struct crew_threads *threads, int n, const int *cores)
{
    for (int k = 1; k < n; k++) {
        struct member *member = &threads->member[k];
        int r;

        *member = (struct member){.crew = threads->crew, .worker = k};
        r = -pthread_create(&member->thread, NULL, serve, member);
        if (r)
            return r;
        threads->n_started++;
        r = cores ? pin(member->thread, cores[k]) : 0;
        if (r)
            return r;
    }
    return 0;
}

static int pin_caller(struct crew_threads *threads, int core)
{
    if (pthread_getaffinity_np(pthread_self(), sizeof(threads->before), &threads->before))
        return -EINVAL;
    threads->pinned = true;
    return pin(pthread_self(), core);
}

int crew_threads_start(int n, const int *cores, struct crew_threads **ret_threads)
{
    struct crew_threads *threads = calloc(1, sizeof(*threads));
    int picked[LK_CREW_MAX];
    int r;

    if (!threads)
        return -ENOMEM;
    r = lk_crew_new(n, &threads->crew);
    if (r == 0 && !cores && n > 1 && pick_cores(n, picked))
        cores = picked;
    if (r == 0)
        r = start_members(threads, n, cores);
    if (r == 0 && cores)
        r = pin_caller(threads, cores[0]);
    if (r) {
        crew_threads_stop(threads);
        return r;
    }
    lk_crew_wait_ready(threads->crew);
    *ret_threads = threads;
    return 0;
}

struct lk_crew *crew_threads_crew(struct crew_threads *threads)
{
    return threads ? threads->crew : NULL;
}

void crew_threads_stop(struct crew_threads *threads)
{
    if (!threads)
        return;
    if (threads->crew)
        lk_crew_stop(threads->crew);
    for (int k = 1; k <= threads->n_started; k++)
        pthread_join(threads->member[k].thread, NULL);
    if (threads->pinned)
        pthread_setaffinity_np(pthread_self(), sizeof(threads->before), &threads->before);
    lk_crew_free(threads->crew);
    free(threads);
}
