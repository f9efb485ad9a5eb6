/* SPDX-License-Identifier: Apache-2.0 */
#include "runner.h"
#include <errno.h>
#include <unistd.h>

/* From letting the thread go to its first grid point: enough to be asleep in time. */
#define LEAD_NS INT64_C(2000000)

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) && errno == EINTR)
        ;
}

static void *run(void *data)
{
    struct lkd_runner *runner = data;

    pthread_setname_np(pthread_self(), "lkd-cycle");
    runner->tid = gettid();
    runner->grant.core_error = lkd_realtime_pin(runner->core);
    lkd_realtime_prepare_thread();
    runner->grant.priority_error = lkd_realtime_set_fifo(runner->priority);
    sem_post(&runner->ready);

    wait_for(&runner->go);
    lkd_realtime_usage(&runner->usage_begin);
    /* from here on status reads the counters from outside; the call above is their origin */
    sem_post(&runner->ready);
    lkd_cycle_run(runner->cycle);
    lkd_realtime_usage(&runner->usage_end);
    return NULL;
}

static int make_thread(struct lkd_runner *runner)
{
    pthread_attr_t attributes;
    int r;

    r = pthread_attr_init(&attributes);
    if (r)
        return -r;
    pthread_attr_setstacksize(&attributes, LKD_THREAD_STACK);
    r = pthread_create(&runner->thread, &attributes, run, runner);
    pthread_attr_destroy(&attributes);
    return -r;
}

int lkd_runner_start(struct lkd_runner *runner, struct lkd_cycle *cycle, int core, int priority,
                     struct lkd_grant *ret_grant)
{
    int r;

    *runner = (struct lkd_runner){.cycle = cycle, .core = core, .priority = priority};
    sem_init(&runner->ready, 0, 0);
    sem_init(&runner->go, 0, 0);
    r = make_thread(runner);
    if (r) {
        sem_destroy(&runner->ready);
        sem_destroy(&runner->go);
        return r;
    }
    runner->alive = true;
    wait_for(&runner->ready);
    *ret_grant = runner->grant;
    return 0;
}

void lkd_runner_go(struct lkd_runner *runner)
{
    runner->cycle->t0_ns = lkd_clock_ns() + LEAD_NS;
    sem_post(&runner->go);
    wait_for(&runner->ready);
}

void lkd_runner_stop(struct lkd_runner *runner)
{
    if (!runner->alive)
        return;
    lkd_cycle_ask(runner->cycle, LKD_ASK_END);
    /* for a thread that was never let go; T0 has passed or is 0, so it ends at its first look */
    sem_post(&runner->go);
    pthread_join(runner->thread, NULL);
    runner->alive = false;
    sem_destroy(&runner->ready);
    sem_destroy(&runner->go);
    lkd_cycle_settle(runner->cycle);
}

void lkd_runner_usage(const struct lkd_runner *runner, struct lkd_usage *ret_usage)
{
    const struct lkd_usage *begin = &runner->usage_begin;
    struct lkd_usage now;

    if (!runner->alive)
        now = runner->usage_end;
    else if (lkd_realtime_usage_of(runner->tid, &now))
        now = *begin;
    *ret_usage = (struct lkd_usage){
        .minor_faults = now.minor_faults - begin->minor_faults,
        .major_faults = now.major_faults - begin->major_faults,
        .voluntary = now.voluntary - begin->voluntary,
        .involuntary = now.involuntary - begin->involuntary,
    };
}
