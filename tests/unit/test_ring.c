/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of records: which records it contains, and readers beside a writer at full speed, which
 * never read a torn record. */
#include "ring.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define RECORDS UINT64_C(60000)
#define READERS 2

/* Fill a record: each word encodes the number of the record and the position of the word. */
static void fill(uint64_t number, uint64_t *words)
{
    for (uint64_t i = 0; i < LKD_RING_WORDS; i++)
        words[i] = number * 8 + i;
}

static bool is_whole(uint64_t number, const uint64_t *words)
{
    for (uint64_t i = 0; i < LKD_RING_WORDS; i++)
        if (words[i] != number * 8 + i)
            return false;
    return true;
}

static void put(struct lkd_ring *ring, uint64_t number)
{
    uint64_t words[LKD_RING_WORDS];

    fill(number, words);
    lkd_ring_put(ring, words);
}

static void test_sizes(void **state)
{
    struct lkd_ring ring;

    (void)state;
    assert_int_equal(lkd_ring_init(&ring, 0), -EINVAL);
    assert_int_equal(lkd_ring_init(&ring, 1), -EINVAL);
    assert_int_equal(lkd_ring_init(&ring, 3), -EINVAL);
    assert_int_equal(lkd_ring_init(&ring, 1000), -EINVAL);
    assert_int_equal(lkd_ring_init(&ring, 2), 0);
    assert_int_equal((uintptr_t)ring.slot % 64, 0);
    assert_int_equal(sizeof(struct lkd_slot), 64);
    lkd_ring_fini(&ring);
    lkd_ring_fini(&ring); /* a second call releases nothing */
}

static void test_order(void **state)
{
    uint64_t words[LKD_RING_WORDS];
    struct lkd_ring ring;

    (void)state;
    assert_int_equal(lkd_ring_init(&ring, 8), 0);
    assert_int_equal(lkd_ring_written(&ring), 0);
    assert_int_equal(lkd_ring_first(&ring), 0);
    for (uint64_t i = 0; i < 40; i++)
        assert_false(lkd_ring_get(&ring, i, words)); /* neither record nor slot written */
    for (uint64_t n = 0; n < 100; n++) {
        put(&ring, n);
        assert_int_equal(lkd_ring_written(&ring), n + 1);
        assert_int_equal(lkd_ring_first(&ring), n + 1 > 4 ? n + 1 - 4 : 0);
        for (uint64_t i = 0; i <= n + 9; i++) {
            bool there = i <= n && i + 8 > n;

            assert_true(lkd_ring_get(&ring, i, words) == there);
            if (there)
                assert_true(is_whole(i, words));
        }
    }
    lkd_ring_clear(&ring);
    assert_int_equal(lkd_ring_written(&ring), 0);
    for (uint64_t i = 0; i < 120; i++)
        assert_false(lkd_ring_get(&ring, i, words));
    put(&ring, 0);
    assert_true(lkd_ring_get(&ring, 0, words) && is_whole(0, words));
    assert_false(lkd_ring_get(&ring, 96, words)); /* written before the ring was cleared */
    lkd_ring_fini(&ring);
}

/* ---- in threads ---- */

struct reader {
    struct lkd_ring *ring;
    uint64_t seen;
    uint64_t torn;
    uint64_t lost;
};

static void *write_all(void *data)
{
    for (uint64_t i = 0; i < RECORDS; i++) {
        put(data, i);
        if (i % 512 == 0)
            sched_yield(); /* so that readers also advance on a single core */
    }
    return NULL;
}

/* Reader that follows the writer. If it is overtaken, it continues at the oldest valid record. */
static void *follow(void *data)
{
    struct reader *reader = data;
    uint64_t words[LKD_RING_WORDS], next = 0;

    while (next < RECORDS) {
        uint64_t first = lkd_ring_first(reader->ring), written = lkd_ring_written(reader->ring);

        if (next < first) {
            reader->lost += first - next;
            next = first;
        }
        if (next >= written)
            sched_yield();
        for (; next < written; next++) {
            if (!lkd_ring_get(reader->ring, next, words)) {
                reader->lost++;
                continue;
            }
            reader->seen++;
            reader->torn += !is_whole(next, words);
        }
    }
    return NULL;
}

/* Read at the position of the writer, where a torn record is most likely. */
static void *hunt(void *data)
{
    struct reader *reader = data;
    uint64_t words[LKD_RING_WORDS], written;

    do {
        written = lkd_ring_written(reader->ring);
        for (uint64_t i = written > 3 ? written - 3 : 0; i < written + 3; i++) {
            uint64_t number = i >= reader->ring->n_slots ? i - reader->ring->n_slots : i;

            if (lkd_ring_get(reader->ring, number, words)) {
                reader->seen++;
                reader->torn += !is_whole(number, words);
            }
            if (lkd_ring_get(reader->ring, i, words)) {
                reader->seen++;
                reader->torn += !is_whole(i, words);
            }
        }
    } while (written < RECORDS);
    return NULL;
}

static void in_threads(size_t n_slots, void *(*read)(void *), struct reader readers[READERS])
{
    struct lkd_ring ring;
    pthread_t writer, threads[READERS];

    assert_int_equal(lkd_ring_init(&ring, n_slots), 0);
    for (int i = 0; i < READERS; i++) {
        readers[i] = (struct reader){.ring = &ring};
        assert_int_equal(pthread_create(&threads[i], NULL, read, &readers[i]), 0);
    }
    assert_int_equal(pthread_create(&writer, NULL, write_all, &ring), 0);
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(writer, NULL);
    assert_int_equal(lkd_ring_written(&ring), RECORDS);
    lkd_ring_fini(&ring);
}

static void test_followers(void **state)
{
    struct reader readers[READERS];

    (void)state;
    in_threads(1024, follow, readers);
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(readers[i].torn, 0);
        assert_int_equal(readers[i].seen + readers[i].lost, RECORDS);
    }
}

/* With two slots each record is overwritten immediately. */
static void test_hunters(void **state)
{
    struct reader readers[READERS];

    (void)state;
    for (size_t n_slots = 2; n_slots <= 8; n_slots *= 4) {
        in_threads(n_slots, hunt, readers);
        for (int i = 0; i < READERS; i++)
            assert_int_equal(readers[i].torn, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_followers),
        cmocka_unit_test(test_hunters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
