/* SPDX-License-Identifier: Apache-2.0 */
/* Two real-time workers on one core, which the daemon refuses. They are slow, but they make
 * progress. Only spinning would be a livelock, because the waiting worker would never release the
 * core. */
#include "../skip.h"
#include "linkage/pool.h"
#include "realtime.h"
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#define ROUNDS   300
#define PATIENCE 60 /* [s], reached only by a livelock */

struct pair {
    struct lk_pool *pool;
    int core;
    bool refused;
    int rounds[2];
    sem_t standing;
    sem_t arm;
    sem_t done;
};

static void count(void *context, int what, int worker)
{
    struct pair *pair = context;

    (void)what;
    pair->rounds[worker]++;
}

/* Make this thread a real-time thread after both threads exist, as runner.c does.
 * Return: true on success */
static bool become_real_time(struct pair *pair)
{
    bool pinned = lkd_realtime_pin(pair->core) == 0;

    sem_post(&pair->standing);
    sem_wait(&pair->arm);
    return pinned && lkd_realtime_set_fifo(50) == 0;
}

static void *serve(void *data)
{
    struct pair *pair = data;

    if (!become_real_time(pair))
        pair->refused = true;
    lk_pool_serve(pair->pool, 1);
    return NULL;
}

static void *run(void *data)
{
    struct pair *pair = data;

    if (become_real_time(pair))
        for (int i = 0; i < ROUNDS; i++)
            lk_pool_run(pair->pool, count, pair, 0);
    sem_post(&pair->done);
    return NULL;
}

static void test_one_core(void **state)
{
    struct pair pair = {.core = lkd_realtime_pick_core(LKD_CORE_AUTO)};
    struct timespec until;
    pthread_t threads[2];

    (void)state;
    if (pair.core == LKD_CORE_NONE || lkd_realtime_avoid_core(pair.core))
        skip_because("this thread, which watches, needs a core without them", "give it two cores");
    assert_int_equal(lk_pool_new(2, &pair.pool), 0);
    sem_init(&pair.standing, 0, 0);
    sem_init(&pair.arm, 0, 0);
    sem_init(&pair.done, 0, 0);
    assert_int_equal(pthread_create(&threads[0], NULL, run, &pair), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, serve, &pair), 0);
    for (int i = 0; i < 2; i++)
        sem_wait(&pair.standing);
    for (int i = 0; i < 2; i++)
        sem_post(&pair.arm);

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    if (sem_timedwait(&pair.done, &until))
        fail_msg("no end of %d rounds after %d s", ROUNDS, PATIENCE);
    lk_pool_stop(pair.pool);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    lk_pool_free(pair.pool);
    if (pair.refused)
        skip_because("no right to a real-time priority",
                     "run it as root, or allow it with ulimit -r 80");
    assert_int_equal(pair.rounds[0], ROUNDS);
    assert_int_equal(pair.rounds[1], ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_core),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
