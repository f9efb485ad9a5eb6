/* SPDX-License-Identifier: Apache-2.0 */
/* Thread pools: each worker executes each phase once and in order, sleeping workers are woken, and
 * without sleepers there are no system calls. Some tests use more workers than cores on purpose. */
#include "../skip.h"
#include "linkage/pool.h"
#include "pool_threads.h"
#include "step/pool.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define ROUNDS      100000
#define ROUNDS_MORE 5000 /* fewer rounds if workers share a core */
#define MS          INT64_C(1000000)

/* ---- the library's futex calls, counted: this program is linked with --wrap=syscall ---- */

static _Atomic unsigned n_waits, n_wakes, n_expired;
static _Atomic unsigned n_own_waits; /* waits of the test's thread, the caller of pools */
static pthread_t own_thread;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
    long a[6], result;
    va_list args;

    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    if (number != SYS_futex)
        fail_msg("system call %ld", number);
    if ((int)a[1] == FUTEX_WAKE_PRIVATE)
        n_wakes++;
    else
        n_waits++;
    if ((int)a[1] != FUTEX_WAKE_PRIVATE && pthread_equal(pthread_self(), own_thread))
        n_own_waits++;
    result = __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (result == -1 && errno == ETIMEDOUT)
        n_expired++;
    return result;
}

static void forget_calls(void)
{
    n_waits = n_wakes = n_expired = n_own_waits = 0;
}

/* ---- helpers ---- */

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 * MS + now.tv_nsec;
}

/* Return the number of cores that this process may use. */
static int count_cores(void)
{
    cpu_set_t cores;

    assert_int_equal(sched_getaffinity(0, sizeof(cores), &cores), 0);
    return CPU_COUNT(&cores);
}

static void nap(int64_t ns)
{
    const struct timespec time = {.tv_sec = ns / (1000 * MS), .tv_nsec = ns % (1000 * MS)};

    nanosleep(&time, NULL);
}

static void await_sleepers(struct lk_pool *pool, unsigned n)
{
    while (pool->sleepers != n)
        nap(MS / 10);
    nap(5 * MS); /* between the announcement and the kernel; without it the result is still correct,
                    but not tested */
}

/* struct page - what one worker has done. No atomics, so that the thread sanitizer detects missing
 * synchronisation. */
struct page {
    alignas(64) uint64_t rounds;
    uint64_t caller_saw;
};

struct book {
    uint64_t round;
    int n_workers;
    struct page page[LK_POOL_MAX];
};

static void write_page(void *context, int what, int worker)
{
    struct book *book = context;
    struct page *page = &book->page[worker];

    if (page->rounds == book->round && what == (int)book->round)
        page->rounds++;
}

/* Phase that reads what all workers wrote in the previous phase. */
static void read_pages(void *context, int what, int worker)
{
    struct book *book = context;

    (void)what;
    for (int k = 0; k < book->n_workers; k++)
        if (book->page[k].rounds == book->round)
            book->page[worker].caller_saw++;
}

static void check_pages(const struct book *book)
{
    for (int k = 0; k < book->n_workers; k++) {
        assert_int_equal(book->page[k].rounds, book->round);
        assert_int_equal(book->page[k].caller_saw, book->round * (uint64_t)book->n_workers);
    }
}

static struct lk_pool *open_pool(int n, struct pool_threads **ret_threads)
{
    assert_int_equal(pool_threads_start(n, NULL, ret_threads), 0);
    forget_calls();
    return pool_threads_pool(*ret_threads);
}

/* ---- tests ---- */

static void test_sizes(void **state)
{
    struct pool_threads *threads;
    struct lk_pool *pool = NULL;

    (void)state;
    assert_int_equal(lk_pool_new(0, &pool), -EINVAL);
    assert_int_equal(lk_pool_new(-1, &pool), -EINVAL);
    assert_int_equal(lk_pool_new(LK_POOL_MAX + 1, &pool), -EINVAL);
    assert_null(pool);
    assert_int_equal(lk_pool_new(LK_POOL_MAX, &pool), 0);
    assert_int_equal(lk_pool_size(pool), LK_POOL_MAX);
    assert_int_equal((uintptr_t)&pool->lane[1] % 64, 0);
    lk_pool_free(pool);
    lk_pool_free(NULL);
    assert_int_equal(lk_pool_size(NULL), 1);
    assert_int_equal(pool_threads_start(0, NULL, &threads), -EINVAL);
    assert_int_equal(pool_threads_start(2, (const int[]){0, 100000}, &threads), -EINVAL);
    assert_null(pool_threads_pool(NULL));
    pool_threads_stop(NULL);
}

static void run_rounds(int n_workers, uint64_t rounds)
{
    struct book book = {.n_workers = n_workers};
    struct pool_threads *threads;
    struct lk_pool *pool = open_pool(n_workers, &threads);

    while (book.round < rounds) {
        lk_pool_run(pool, write_page, &book, (int)book.round);
        book.round++;
        lk_pool_run(pool, read_pages, &book, 0);
    }
    check_pages(&book);
    printf("%d workers, %u rounds: %u waits, %u wakes\n", n_workers, (unsigned)rounds, n_waits,
           n_wakes);
    pool_threads_stop(threads);
}

/* Each worker executes each phase once and in order, and sees all earlier writes. */
static void test_rounds(void **state)
{
    int n_cores = count_cores();

    (void)state;
    for (int n = 1; n <= 4; n++)
        run_rounds(n, n <= n_cores ? ROUNDS : ROUNDS_MORE);
}

/* Two workers on two cores make rounds without any system call or spurious wake-up. If one thread
 * loses its core, the other one goes to sleep. So some batches need system calls, on a busy machine
 * most of them. */
static void test_no_calls(void **state)
{
    struct book book = {.n_workers = 2};
    struct pool_threads *threads;
    struct lk_pool *pool;
    int64_t until_ns = now_ns() + 60000 * MS;
    int quiet = 0, batch = 0;

    (void)state;
    if (count_cores() < 2)
        skip_because("it takes two cores", "give it two cores");
    pool = open_pool(2, &threads);
    /* sleeps and wake-ups before the pool was ready do not count */
    await_sleepers(pool, 1);
    forget_calls();
    for (; batch < 200 || (quiet == 0 && now_ns() < until_ns); batch++) {
        unsigned before = n_waits + n_wakes;

        for (int i = 0; i < 200; i++) {
            lk_pool_run(pool, write_page, &book, (int)book.round);
            book.round++;
        }
        quiet += n_waits + n_wakes == before;
    }
    printf("%d of %d batches without a call, %u waits, %u wakes\n", quiet, batch, n_waits, n_wakes);
    assert_true(quiet > 0);
    /* The first run wakes the sleeper. Each later wake-up is for a wait: of the worker, or of a
     * caller whose worker is late. One wait may cause two wake-ups: the first by a caller that lost
     * its core while it waited and checked for sleepers late; the second by the next run, if the
     * worker is not up yet. */
    assert_true(n_wakes <= 2 * n_waits + 1);
    pool_threads_stop(threads);
}

static void test_sleepers_are_woken(void **state)
{
    struct book book = {.n_workers = 3};
    struct pool_threads *threads;
    struct lk_pool *pool = open_pool(3, &threads);

    (void)state;
    for (int i = 0; i < 20; i++) {
        if (i % 2)
            lk_pool_rest(pool); /* otherwise the workers spin first */
        await_sleepers(pool, 2);
        forget_calls();
        lk_pool_run(pool, write_page, &book, (int)book.round);
        book.round++;
        assert_true(n_wakes >= 1);
        lk_pool_run(pool, read_pages, &book, 0);
    }
    check_pages(&book);

    await_sleepers(pool, 2);
    forget_calls();
    lk_pool_rouse(pool, 0);
    assert_int_equal(n_wakes, 1);
    await_sleepers(pool, 2); /* without a run the workers sleep again */
    assert_true(n_waits >= 2);
    pool_threads_stop(threads);
}

struct hidden {
    struct lk_pool *pool;
    int done[2];
};

static void show_sleeper(void *context, int what, int worker)
{
    struct hidden *hidden = context;

    (void)what;
    if (worker == 0)
        hidden->pool->sleepers++;
    hidden->done[worker]++;
}

/* The caller and a worker that falls asleep may miss each other, see pool.c: the caller reads no
 * sleeper although there is one, and detects it only at its second read. By chance this needs a
 * coincidence of a few nanoseconds, so the test hides the sleeper until the caller is in its
 * phase. */
static void test_missed_sleeper(void **state)
{
    struct pool_threads *threads;
    struct hidden hidden = {.pool = open_pool(2, &threads)};

    (void)state;
    for (int i = 1; i <= 5; i++) {
        await_sleepers(hidden.pool, 1);
        hidden.pool->sleepers--;
        lk_pool_run(hidden.pool, show_sleeper, &hidden, 0);
        assert_int_equal(hidden.done[0], i);
        assert_int_equal(hidden.done[1], i);
    }
    pool_threads_stop(threads);
}

/* A resting worker wakes once at the given time, not earlier, and not twice for the same time. */
static void test_up_by_itself(void **state)
{
    struct book book = {.n_workers = 2};
    struct pool_threads *threads;
    struct lk_pool *pool = open_pool(2, &threads);
    int64_t next_ns;

    (void)state;
    for (int i = 0; i < 3; i++) {
        await_sleepers(pool, 1);
        forget_calls();
        next_ns = now_ns() + 50 * MS;
        lk_pool_rouse(pool, next_ns);
        lk_pool_run(pool, write_page, &book, (int)book.round);
        book.round++;
        lk_pool_rest(pool);
        while (n_expired == 0)
            nap(MS);
        assert_true(now_ns() >= next_ns);
        nap(20 * MS);
        assert_int_equal(n_expired, 1);
        await_sleepers(pool, 1);
    }
    pool_threads_stop(threads);
}

static void doze(void *context, int what, int worker)
{
    write_page(context, what, worker);
    for (int i = 0; worker == 1 && n_own_waits == 0 && i < 60000; i++)
        nap(MS);
    nap(worker == 1 ? 5 * MS : 0); /* until the caller sleeps in the kernel */
}

/* If a worker needs long, the caller also sleeps and is woken. */
static void test_caller_sleeps(void **state)
{
    struct book book = {.n_workers = 2};
    struct pool_threads *threads;
    struct lk_pool *pool = open_pool(2, &threads);

    (void)state;
    for (int i = 0; i < 5; i++) {
        forget_calls();
        lk_pool_run(pool, doze, &book, (int)book.round);
        book.round++;
        assert_int_equal(book.page[1].rounds, book.round);
        assert_true(n_own_waits >= 1);
        assert_true(n_wakes >= 1);
    }
    pool_threads_stop(threads);
}

static void *serve_late(void *pool)
{
    nap(20 * MS);
    lk_pool_serve(pool, 1);
    return NULL;
}

/* A run waits for a thread that joins late. After a stop, a late thread returns at once. The pool
 * can be stopped while its worker sleeps or spins. */
static void test_late_and_stop(void **state)
{
    struct book book = {.n_workers = 2};
    struct lk_pool *pool;
    pthread_t thread;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lk_pool_new(2, &pool), 0);
        assert_int_equal(pthread_create(&thread, NULL, serve_late, pool), 0);
        if (i > 0) {
            lk_pool_run(pool, write_page, &book, (int)book.round);
            book.round++;
            assert_int_equal(book.page[1].rounds, book.round);
        }
        if (i == 2) {
            lk_pool_rest(pool);
            await_sleepers(pool, 1);
        }
        lk_pool_stop(pool);
        pthread_join(thread, NULL);
        lk_pool_free(pool);
    }
}

static void multiply(void *context, int what, int worker)
{
    volatile double *product = context;
    volatile double tiny = 1e-300;

    (void)what;
    product[worker] = tiny * 1e-20;
}

/* Workers flush denormal numbers to zero, like the thread of a step; other threads are
 * unchanged. */
static void test_denormals(void **state)
{
    double product[2] = {1, 1};
    struct pool_threads *threads;
    struct lk_pool *pool = open_pool(2, &threads);

    (void)state;
    lk_pool_run(pool, multiply, product, 0);
    assert_true(product[0] > 0);
#if defined(__SSE2__) || defined(__aarch64__)
    assert_true(product[1] == 0);
#endif
    pool_threads_stop(threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),          cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_no_calls),       cmocka_unit_test(test_sleepers_are_woken),
        cmocka_unit_test(test_missed_sleeper), cmocka_unit_test(test_up_by_itself),
        cmocka_unit_test(test_caller_sleeps),  cmocka_unit_test(test_late_and_stop),
        cmocka_unit_test(test_denormals),
    };

    own_thread = pthread_self();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
