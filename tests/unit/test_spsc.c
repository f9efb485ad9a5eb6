/* SPDX-License-Identifier: Apache-2.0 */
/* The queue between cycle and recorder: each loss is reported, and no frame is torn, whichever side
 * is faster. */
#include "release.h"
#include "spsc.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define N_IN  3
#define N_OUT 5
#define N     (N_IN + N_OUT)

static void write_frame(struct lkd_frame *frame, uint64_t number)
{
    frame->cycle = number;
    frame->step = 3 * number;
    for (int i = 0; i < N; i++)
        frame->values[i] = (double)number + i;
}

static bool is_whole(const struct lkd_frame *frame)
{
    bool whole = frame->step == 3 * frame->cycle;

    for (int i = 0; i < N; i++)
        whole = whole && frame->values[i] == (double)frame->cycle + i;
    return whole;
}

static void test_off_at_first(void **state)
{
    struct lkd_spsc queue;

    (void)state;
    assert_int_equal(lkd_spsc_init(&queue, N_IN, N_OUT), 0);
    assert_null(lkd_spsc_back(&queue));
    assert_int_equal(queue.dropped, 0);
    lkd_spsc_start(&queue);
    assert_non_null(lkd_spsc_back(&queue));
    lkd_spsc_stop(&queue);
    assert_null(lkd_spsc_back(&queue));
    lkd_spsc_fini(&queue);
}

static void test_full(void **state)
{
    struct lkd_spsc queue;
    uint64_t number = 0;

    (void)state;
    assert_int_equal(lkd_spsc_init(&queue, N_IN, N_OUT), 0);
    lkd_spsc_start(&queue);
    for (; number < queue.n_slots; number++) {
        write_frame(lkd_spsc_back(&queue), number);
        lkd_spsc_push(&queue);
    }
    assert_int_equal(lkd_spsc_backlog(&queue), queue.n_slots);
    for (int i = 0; i < 10; i++)
        assert_null(lkd_spsc_back(&queue));
    assert_int_equal(queue.dropped, 10);
    assert_true(is_whole(lkd_spsc_front(&queue)));
    lkd_spsc_pop(&queue);
    write_frame(lkd_spsc_back(&queue), number++);
    lkd_spsc_push(&queue);
    for (uint64_t i = 1; i < number; i++) {
        assert_int_equal(lkd_spsc_front(&queue)->cycle, i);
        assert_true(is_whole(lkd_spsc_front(&queue)));
        lkd_spsc_pop(&queue);
    }
    assert_null(lkd_spsc_front(&queue));
    lkd_spsc_fini(&queue);
}

/* Frames of an old recording do not occur in the new one. */
static void test_start_again(void **state)
{
    struct lkd_spsc queue;

    (void)state;
    assert_int_equal(lkd_spsc_init(&queue, N_IN, N_OUT), 0);
    lkd_spsc_start(&queue);
    for (uint64_t i = 0; i < 2 * queue.n_slots; i++)
        if (lkd_spsc_back(&queue)) {
            write_frame(lkd_spsc_back(&queue), i);
            lkd_spsc_push(&queue);
        }
    lkd_spsc_stop(&queue);
    lkd_spsc_start(&queue);
    assert_null(lkd_spsc_front(&queue));
    assert_int_equal(queue.dropped, 0);
    write_frame(lkd_spsc_back(&queue), 7);
    lkd_spsc_push(&queue);
    assert_int_equal(lkd_spsc_front(&queue)->cycle, 7);
    lkd_spsc_fini(&queue);
}

static void test_size(void **state)
{
    struct lkd_spsc queue;

    (void)state;
    assert_int_equal(lkd_spsc_init(&queue, 1000, 8000), 0);
    assert_in_range(queue.n_slots, LKD_SPSC_MIN, LKD_SPSC_BYTES / (9000 * 8));
    lkd_spsc_fini(&queue);
    assert_int_equal(lkd_spsc_init(&queue, 0, 0), 0);
    assert_int_equal(queue.n_slots, LKD_SPSC_MAX);
    lkd_spsc_fini(&queue);
}

/* ---- two threads ---- */

#define FRAMES 200000

static struct lkd_spsc shared;

static void *write_all(void *data)
{
    (void)data;
    for (uint64_t i = 0; i < FRAMES; i++) {
        struct lkd_frame *frame = lkd_spsc_back(&shared);

        if (!frame)
            continue;
        write_frame(frame, i);
        lkd_spsc_push(&shared);
    }
    lkd_spsc_stop(&shared);
    return NULL;
}

/* Read frames and check that each is complete and that their numbers increase.
 * Return: number of frames */
static uint64_t read_all(uint64_t *ret_torn)
{
    uint64_t n = 0, next = 0;
    bool over = false;

    *ret_torn = 0;
    while (!over) {
        const struct lkd_frame *frame;

        over = !atomic_load(&shared.on);
        while ((frame = lkd_spsc_front(&shared))) {
            *ret_torn += !is_whole(frame) || frame->cycle < next;
            next = frame->cycle + 1;
            lkd_spsc_pop(&shared);
            n++;
        }
    }
    return n;
}

static void race(bool wait)
{
    pthread_t thread;
    uint64_t n, torn;

    assert_int_equal(lkd_spsc_init(&shared, N_IN, N_OUT), 0);
    shared.wait = wait;
    lkd_spsc_start(&shared);
    assert_int_equal(pthread_create(&thread, NULL, write_all, NULL), 0);
    n = read_all(&torn);
    pthread_join(thread, NULL);
    assert_int_equal(torn, 0);
    assert_int_equal(n + shared.dropped, FRAMES);
    if (wait)
        assert_int_equal(shared.dropped, 0);
    lkd_spsc_fini(&shared);
}

static void test_race(void **state)
{
    (void)state;
    race(false);
}

static void test_wait_for_room(void **state)
{
    (void)state;
    race(true);
}

/* ---- grants ---- */

static struct lkd_release release;

static void *step_all(void *data)
{
    uint64_t *steps = data;

    while (*steps < 1000)
        if (lkd_release_await(&release, 1000000)) {
            ++*steps;
            lkd_release_count(&release);
        }
    lkd_release_end(&release);
    return NULL;
}

static void test_grants(void **state)
{
    uint64_t steps = 0;
    pthread_t thread;

    (void)state;
    lkd_release_init(&release);
    assert_false(lkd_release_await(&release, 1000));
    assert_int_equal(pthread_create(&thread, NULL, step_all, &steps), 0);
    for (uint64_t k = 1; k <= 10; k++) {
        assert_true(lkd_release_grant(&release, 99, INT64_C(20000000000)));
        assert_int_equal(steps, 99 * k);
    }
    /* a request for more steps than the thread makes returns when the thread ends */
    assert_false(lkd_release_grant(&release, 99, INT64_C(20000000000)));
    assert_int_equal(steps, 1000);
    pthread_join(thread, NULL);
    lkd_release_fini(&release);
}

static void test_impatience(void **state)
{
    (void)state;
    lkd_release_init(&release);
    assert_false(lkd_release_grant(&release, 1, 2000000));
    lkd_release_fini(&release);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_off_at_first), cmocka_unit_test(test_full),
        cmocka_unit_test(test_start_again),  cmocka_unit_test(test_size),
        cmocka_unit_test(test_race),         cmocka_unit_test(test_wait_for_room),
        cmocka_unit_test(test_grants),       cmocka_unit_test(test_impatience),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
