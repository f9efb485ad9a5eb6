/* SPDX-License-Identifier: Apache-2.0 */
/* The mailbox: order of values, latest value, lost values, and two threads at full speed. */
#include "mailbox.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ROUNDS 200000u
#define WORDS  32

struct record {
    uint64_t words[WORDS];
};

static void put(struct lkd_mailbox *mailbox, uint64_t value)
{
    struct record *slot = lkd_mailbox_back(mailbox);

    for (int i = 0; i < WORDS; i++)
        slot->words[i] = value;
    lkd_mailbox_publish(mailbox);
}

static uint64_t newest(const struct lkd_mailbox *mailbox)
{
    return ((const struct record *)lkd_mailbox_front(mailbox))->words[0];
}

static void test_empty(void **state)
{
    struct lkd_mailbox mailbox;

    (void)state;
    assert_int_equal(lkd_mailbox_init(&mailbox, sizeof(struct record), 1), 0);
    assert_false(lkd_mailbox_take(&mailbox));
    assert_int_equal(newest(&mailbox), 0);
    lkd_mailbox_fini(&mailbox);
}

static void test_newest_wins(void **state)
{
    struct lkd_mailbox mailbox;

    (void)state;
    assert_int_equal(lkd_mailbox_init(&mailbox, sizeof(struct record), 1), 0);
    for (uint64_t i = 1; i <= 5; i++)
        put(&mailbox, i);
    assert_true(lkd_mailbox_take(&mailbox));
    assert_int_equal(newest(&mailbox), 5);
    assert_false(lkd_mailbox_take(&mailbox));
    assert_int_equal(newest(&mailbox), 5);

    /* later publications do not change the slot that the reader holds */
    put(&mailbox, 6);
    put(&mailbox, 7);
    assert_int_equal(newest(&mailbox), 5);
    assert_true(lkd_mailbox_take(&mailbox));
    assert_int_equal(newest(&mailbox), 7);
    lkd_mailbox_fini(&mailbox);
}

static void test_slots_are_apart(void **state)
{
    struct lkd_mailbox mailbox;

    (void)state;
    assert_int_equal(lkd_mailbox_init(&mailbox, 1, 1), 0);
    for (int i = 0; i < 9; i++) {
        unsigned char *back = lkd_mailbox_back(&mailbox);

        assert_int_equal((uintptr_t)back % LKD_CACHE_LINE, 0);
        assert_ptr_not_equal(back, lkd_mailbox_front(&mailbox));
        *back = (unsigned char)i;
        lkd_mailbox_publish(&mailbox);
        if (i % 3)
            lkd_mailbox_take(&mailbox);
    }
    lkd_mailbox_fini(&mailbox);
}

/* A late reader receives all values in order if there is room for them. */
static void test_late_reader(void **state)
{
    struct lkd_mailbox mailbox;
    uint64_t written = 0, read = 0;

    (void)state;
    assert_int_equal(lkd_mailbox_init(&mailbox, sizeof(struct record), 16), 0);
    for (int round = 1; round < 200; round++) {
        for (int i = 0; i < round % 15; i++) /* at most 14 = 16 - 16 / 8 values wait */
            put(&mailbox, ++written);
        assert_int_equal(lkd_mailbox_waiting(&mailbox), written - read);
        while (lkd_mailbox_take(&mailbox))
            assert_int_equal(newest(&mailbox), ++read);
        assert_int_equal(read, written);
    }
    lkd_mailbox_fini(&mailbox);
}

/* A reader that is later still loses only the oldest values, and then receives all values in
 * order. */
static void test_too_late(void **state)
{
    struct lkd_mailbox mailbox;

    (void)state;
    assert_int_equal(lkd_mailbox_init(&mailbox, sizeof(struct record), 16), 0);
    for (uint64_t i = 1; i <= 1000; i++)
        put(&mailbox, i);
    assert_int_equal(lkd_mailbox_waiting(&mailbox), 1000);
    for (uint64_t i = 987; i <= 1000; i++) {
        assert_true(lkd_mailbox_take(&mailbox));
        assert_int_equal(newest(&mailbox), i);
    }
    assert_false(lkd_mailbox_take(&mailbox));
    for (uint64_t i = 1001; i <= 1005; i++)
        put(&mailbox, i);
    assert_true(lkd_mailbox_take(&mailbox));
    assert_int_equal(newest(&mailbox), 1001);
    assert_true(lkd_mailbox_take_newest(&mailbox));
    assert_int_equal(newest(&mailbox), 1005);
    assert_false(lkd_mailbox_take_newest(&mailbox));
    put(&mailbox, 1006);
    assert_true(lkd_mailbox_take(&mailbox));
    assert_int_equal(newest(&mailbox), 1006);
    lkd_mailbox_fini(&mailbox);
}

static void test_too_large(void **state)
{
    struct lkd_mailbox mailbox;

    (void)state;
    assert_int_not_equal(lkd_mailbox_init(&mailbox, SIZE_MAX / 2, 1), 0);
}

static void *write_all(void *data)
{
    for (uint64_t i = 1; i <= ROUNDS; i++)
        put(data, i);
    return NULL;
}

/* Check that a reader beside a writer at full speed receives only complete records, in order,
 * including the last one. */
static void race(uint32_t depth)
{
    struct lkd_mailbox mailbox;
    pthread_t writer;
    uint64_t last = 0, taken = 0;

    assert_int_equal(lkd_mailbox_init(&mailbox, sizeof(struct record), depth), 0);
    assert_int_equal(pthread_create(&writer, NULL, write_all, &mailbox), 0);
    while (last < ROUNDS) {
        const struct record *record;

        if (!lkd_mailbox_take(&mailbox))
            continue;
        record = lkd_mailbox_front(&mailbox);
        for (int i = 1; i < WORDS; i++)
            assert_int_equal(record->words[i], record->words[0]);
        assert_true(record->words[0] > last);
        last = record->words[0];
        taken++;
    }
    pthread_join(writer, NULL);
    assert_false(lkd_mailbox_take(&mailbox));
    assert_true(taken <= ROUNDS);
    lkd_mailbox_fini(&mailbox);
}

static void test_two_threads(void **state)
{
    (void)state;
    for (uint32_t depth = 1; depth <= 256; depth *= 4)
        race(depth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),           cmocka_unit_test(test_newest_wins),
        cmocka_unit_test(test_slots_are_apart), cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_two_threads),     cmocka_unit_test(test_late_reader),
        cmocka_unit_test(test_too_late),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
