/* SPDX-License-Identifier: Apache-2.0 */
#include "runner.h"
#include "linkage/stacks.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Time from the release of the thread to its first grid point: long enough for the thread to be
 * asleep before that point. */
#define LEAD_NS INT64_C(2000000)

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) && errno == EINTR)
        ;
}

/* ---- the threads ---- */

static void name_thread(const struct lkd_worker *worker)
{
    char name[24] = "lkd-cycle"; /* the kernel stores 16 bytes: enough for 64 workers */

    if (worker->index > 0)
        snprintf(name, sizeof(name), "lkd-worker-%d", worker->index + 1);
    pthread_setname_np(pthread_self(), name);
}

/* Set up a new thread. Until its first wait it runs on the cores of the control thread; afterwards
 * it has the core and priority set by the control thread.
 * Return: false if the run is cancelled. */
static bool set_up(struct lkd_worker *worker)
{
    struct lkd_runner *runner = worker->runner;

    name_thread(worker);
    worker->tid = gettid();
    sem_post(&runner->ready);

    wait_for(&runner->arm);
    if (atomic_load(&runner->abandoned))
        return false;
    lkd_realtime_prepare_thread();
    /* Status requests read the counters from other threads and subtract these initial values. */
    lkd_realtime_usage(&worker->usage_begin);
    atomic_store_explicit(&worker->counted, true, memory_order_release);
    sem_post(&runner->ready);
    return true;
}

static void *run_cycle(void *data)
{
    struct lkd_worker *worker = data;
    struct lkd_runner *runner = worker->runner;

    if (!set_up(worker))
        return NULL;
    wait_for(&runner->go);
    if (runner->proof)
        lkd_proof_run(runner->proof, runner->cycle);
    else if (runner->cycle->mode == LKD_MODE_REALTIME)
        lkd_cycle_run(runner->cycle);
    else
        lkd_cycle_run_released(runner->cycle);
    lkd_realtime_usage(&worker->usage_end);
    return NULL;
}

static void *run_worker(void *data)
{
    struct lkd_worker *worker = data;

    if (!set_up(worker))
        return NULL;
    lk_pool_serve(worker->runner->pool, worker->index);
    lkd_realtime_usage(&worker->usage_end);
    return NULL;
}

/* Store begin and end of a phase of the step in the ring of its worker. */
static void mark(void *context, int index, bool begin)
{
    struct lkd_runner *runner = context;
    struct lkd_worker *worker = &runner->worker[index];
    uint64_t words[LKD_RING_WORDS] = {0};

    if (begin) {
        worker->phase_begin_ns = lkd_clock_ns();
        return;
    }
    words[0] = worker->phase++;
    words[1] = (uint64_t)worker->phase_begin_ns;
    words[2] = (uint64_t)lkd_clock_ns();
    lkd_ring_put(&runner->cycle->spans[index], words);
}

/* ---- the control thread ---- */

static int make_thread(struct lkd_worker *worker)
{
    pthread_attr_t attributes;
    int r;

    r = pthread_attr_init(&attributes);
    if (r)
        return -r;
    pthread_attr_setstacksize(&attributes, LK_STACK_THREAD);
    r = pthread_create(&worker->thread, &attributes, worker->index ? run_worker : run_cycle,
                       worker);
    pthread_attr_destroy(&attributes);
    return -r;
}

static void release_runner(struct lkd_runner *runner)
{
    lk_pool_free(runner->pool);
    runner->pool = NULL;
    sem_destroy(&runner->ready);
    sem_destroy(&runner->arm);
    sem_destroy(&runner->go);
}

/* Wait until @n threads have posted @ready. Polls instead of calling sem_clockwait(), which the
 * thread sanitizer does not support.
 * Return: 0, or -ETIMEDOUT if fewer threads have posted by @until_ns. */
static int await_ready(struct lkd_runner *runner, int n, int64_t until_ns)
{
    const struct timespec nap = {.tv_nsec = 100000};

    while (n > 0) {
        if (sem_trywait(&runner->ready) == 0)
            n--;
        else if (lkd_clock_ns() >= until_ns)
            return -ETIMEDOUT;
        else
            nanosleep(&nap, NULL);
    }
    return 0;
}

/* Create the threads.
 * @cores: cores of the workers
 * Return: 0, or negative errno if not all threads were created. */
static int make_threads(struct lkd_runner *runner, const int *cores)
{
    for (int k = 0; k < runner->n_workers; k++) {
        struct lkd_worker *worker = &runner->worker[k];
        int r;

        worker->runner = runner;
        worker->index = k;
        worker->core = cores[k];
        r = make_thread(worker);
        if (r)
            return r;
        runner->n_threads++;
    }
    return 0;
}

/* Set priority and core of all threads from the calling thread, while they wait. A new thread of
 * normal priority could not set its own priority on a busy core, because it would not get to
 * run. */
static void place_threads(struct lkd_runner *runner)
{
    for (int k = 0; k < runner->n_threads; k++) {
        struct lkd_worker *worker = &runner->worker[k];

        if (runner->priority > 0)
            worker->priority_error = lkd_realtime_fifo_of(worker->thread, runner->priority);
        worker->core_error = lkd_realtime_pin_of(worker->thread, worker->core);
    }
}

/* Create the threads, wait until all run, and place them on their cores.
 * Return: 0 or negative errno; -ETIMEDOUT: some threads did not get to run. */
static int raise_threads(struct lkd_runner *runner, const int *cores)
{
    int64_t until_ns = lkd_clock_ns() + LKD_RUNNER_PATIENCE_NS;
    int r = make_threads(runner, cores);

    if (r == 0)
        r = await_ready(runner, runner->n_threads, until_ns);
    if (r == 0)
        place_threads(runner);
    atomic_store(&runner->abandoned, r != 0);
    for (int k = 0; k < runner->n_threads; k++)
        sem_post(&runner->arm);
    return r ? r : await_ready(runner, runner->n_threads, until_ns);
}

static void read_grant(const struct lkd_runner *runner, struct lkd_grant *ret_grant)
{
    *ret_grant = (struct lkd_grant){0};
    for (int k = runner->n_workers - 1; k >= 0; k--) {
        const struct lkd_worker *worker = &runner->worker[k];

        if (worker->core_error) {
            ret_grant->core_error = worker->core_error;
            ret_grant->core_worker = k;
        }
        if (worker->priority_error)
            ret_grant->priority_error = worker->priority_error;
    }
}

static void lend_pool(struct lkd_runner *runner, struct lk_pool *pool)
{
    runner->cycle->pool = pool;
    lk_system_set_pool(runner->cycle->system, pool);
}

/* Return true if the thread has ended, and join it. */
static bool has_ended(struct lkd_worker *worker)
{
    if (!worker->joined)
        worker->joined = pthread_tryjoin_np(worker->thread, NULL) == 0;
    return worker->joined;
}

/* Join the threads that have ended. The pool is stopped as soon as the thread of the cycle has
 * ended, because no phases follow.
 * Return: true if all threads have ended. */
static bool have_ended(struct lkd_runner *runner)
{
    bool all = true;

    if (runner->n_threads > 0 && !has_ended(&runner->worker[0]))
        return false;
    if (runner->pool && !runner->dismissed)
        lk_pool_stop(runner->pool);
    runner->dismissed = true;
    for (int k = 1; k < runner->n_threads; k++)
        all = has_ended(&runner->worker[k]) && all;
    return all;
}

bool lkd_runner_ended(struct lkd_runner *runner)
{
    if (!runner->alive)
        return true;
    if (!have_ended(runner))
        return false;
    lend_pool(runner, NULL);
    runner->alive = false;
    release_runner(runner);
    lkd_cycle_settle(runner->cycle);
    return true;
}

static int await_end(struct lkd_runner *runner, int64_t patience_ns)
{
    const struct timespec nap = {.tv_nsec = 200000};
    int64_t until_ns = lkd_clock_ns() + patience_ns;

    lkd_cycle_ask(runner->cycle, LKD_ASK_END);
    /* Release a thread that was never released. It ends at its first check, because T0 has passed
     * or is 0. */
    sem_post(&runner->go);
    /* Poll instead of calling pthread_clockjoin_np(), which the thread sanitizer does not
     * support. */
    while (!lkd_runner_ended(runner)) {
        if (lkd_clock_ns() >= until_ns)
            return -ETIMEDOUT;
        nanosleep(&nap, NULL);
    }
    return 0;
}

int lkd_runner_stop(struct lkd_runner *runner)
{
    return runner->alive ? await_end(runner, LKD_RUNNER_PATIENCE_NS) : 0;
}

int lkd_runner_start(struct lkd_runner *runner, struct lkd_cycle *cycle, struct lkd_proof *proof,
                     int n_workers, const int *cores, int priority, struct lkd_grant *ret_grant)
{
    int r = 0;

    memset(runner, 0, sizeof(*runner));
    runner->cycle = cycle;
    runner->proof = proof;
    runner->priority = priority;
    runner->n_workers = n_workers;
    sem_init(&runner->ready, 0, 0);
    sem_init(&runner->arm, 0, 0);
    sem_init(&runner->go, 0, 0);
    if (n_workers > 1)
        r = lk_pool_new(n_workers, &runner->pool);
    if (r == 0)
        r = lkd_cycle_keep_spans(cycle, n_workers);
    if (r == 0)
        r = raise_threads(runner, cores);
    runner->alive = true;
    if (r) {
        atomic_store(&runner->abandoned, true);
        return await_end(runner, r == -ETIMEDOUT ? 0 : LKD_RUNNER_PATIENCE_NS) ? -ETIMEDOUT : r;
    }
    if (runner->pool)
        lk_pool_set_mark(runner->pool, mark, runner);
    lend_pool(runner, runner->pool);
    read_grant(runner, ret_grant);
    return 0;
}

void lkd_runner_go(struct lkd_runner *runner)
{
    runner->cycle->t0_ns = lkd_clock_ns() + LEAD_NS;
    sem_post(&runner->go);
}

bool lkd_runner_is_fifo(const struct lkd_runner *runner)
{
    return runner->priority > 0 && !runner->worker[0].priority_error;
}

static void add_usage(struct lkd_usage *sum, const struct lkd_usage *begin,
                      const struct lkd_usage *now)
{
    sum->minor_faults += now->minor_faults - begin->minor_faults;
    sum->major_faults += now->major_faults - begin->major_faults;
    sum->voluntary += now->voluntary - begin->voluntary;
    sum->involuntary += now->involuntary - begin->involuntary;
}

void lkd_runner_usage(const struct lkd_runner *runner, struct lkd_usage *ret_usage)
{
    struct lkd_usage sum = {0};

    for (int k = 0; k < runner->n_workers; k++) {
        const struct lkd_worker *worker = &runner->worker[k];
        struct lkd_usage now;

        if (!atomic_load_explicit(&worker->counted, memory_order_acquire))
            continue;
        if (!runner->alive)
            now = worker->usage_end;
        else if (lkd_realtime_usage_of(worker->tid, &now))
            now = worker->usage_begin;
        add_usage(&sum, &worker->usage_begin, &now);
    }
    *ret_usage = sum;
}
