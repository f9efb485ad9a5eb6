/* SPDX-License-Identifier: Apache-2.0 */
/* The time for which a process has waited for a processor, from the kernel's data about its
 * threads. */
#include "fixture.h"
#include "waiting.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define MS INT64_C(1000000)

/* Write the files of thread @task of process 7.
 * @is: state;  @ran_ms, @delay_ms: time for which it has run and waited;  @turns: number of time
 *      slices */
static void put(const struct fixture *f, int task, char is, long ran_ms, long delay_ms, int turns)
{
    char path[64], text[128];

    snprintf(path, sizeof(path), "proc/7/task/%d/stat", task);
    snprintf(text, sizeof(text), "%d (a ) R thread) %c 1 7 7 0 -1\n", task, is);
    fixture_write(f, path, text);
    snprintf(path, sizeof(path), "proc/7/task/%d/schedstat", task);
    snprintf(text, sizeof(text), "%ld000000 %ld000000 %d\n", ran_ms, delay_ms, turns);
    fixture_write(f, path, text);
}

static int64_t waited_ms(struct lkd_waiting *w, const struct fixture *f)
{
    return lkd_waiting_ns(w, f->root, 7, 250 * MS) / MS;
}

/* A thread that sleeps, is stopped or runs does not wait, however long it waited before. */
static void test_none(void **state)
{
    const struct fixture *f = *state;
    struct lkd_waiting w = {0};

    assert_int_equal(waited_ms(&w, f), 0);
    put(f, 7, 'S', 10, 5000, 3);
    put(f, 8, 'R', 10, 0, 3);
    assert_int_equal(waited_ms(&w, f), 0);
    put(f, 7, 'T', 10, 5000, 3);
    put(f, 8, 'R', 260, 0, 3);
    assert_int_equal(waited_ms(&w, f), 0);
}

/* A runnable thread that does not run has waited all the time since the last call, although the
 * kernel has not added this time yet. */
static void test_all(void **state)
{
    const struct fixture *f = *state;
    struct lkd_waiting w = {0};

    put(f, 7, 'S', 10, 1, 3);
    put(f, 8, 'R', 10, 1, 3);
    waited_ms(&w, f);
    assert_int_equal(waited_ms(&w, f), 250);
    put(f, 8, 'S', 10, 9001, 4); /* the kernel adds the time */
    assert_int_equal(waited_ms(&w, f), 250);
    assert_int_equal(waited_ms(&w, f), 0);
}

/* Threads have run meanwhile: among several threads, the one that waited longest counts. */
static void test_some(void **state)
{
    const struct fixture *f = *state;
    struct lkd_waiting w = {0};

    for (int task = 7; task < 7 + LKD_WAITING_TASKS_MAX - 1; task++)
        put(f, task, 'S', 0, 0, 1);
    waited_ms(&w, f);
    put(f, 8, 'R', 50, 200, 9);
    put(f, 9, 'R', 150, 100, 9);
    put(f, 100, 'R', 0, 200, 1); /* a new thread */
    assert_int_equal(waited_ms(&w, f), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_none, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_all, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_some, fixture_setup, fixture_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
