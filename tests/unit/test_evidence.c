/* SPDX-License-Identifier: Apache-2.0 */
/* The evidence that is collected beside a run, from synthetic records: the worst hundred cycles,
 * lost records, and whether the kernel suspended the cycle. */
#include "evidence.h"
#include "log.h"
#include "reply.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define P    INT64_C(1000000)
#define MANY 20000u

static struct lkd_cycle cycle;
static struct lkd_runner runner;
static struct lkd_evidence evidence;
static int64_t responses[MANY];
static uint64_t n_records;
static int64_t shift_ns; /* added to the deadlines */

static int begin(void **state)
{
    (void)state;
    memset(&cycle, 0, sizeof(cycle));
    cycle.period_ns = P;
    runner = (struct lkd_runner){.n_workers = 1};
    n_records = 0;
    shift_ns = 0;
    if (lkd_ring_init(&cycle.records, LKD_RECORDS))
        return -1;
    lkd_evidence_begin(&evidence);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lkd_ring_fini(&cycle.records);
    return 0;
}

static void put(int64_t response_ns)
{
    int64_t deadline_ns = (int64_t)(n_records + 1) * P + shift_ns;
    const uint64_t words[LKD_RING_WORDS] = {
        n_records * 2,
        (uint64_t)deadline_ns,
        (uint64_t)(deadline_ns + 1),
        (uint64_t)(deadline_ns + 2),
        (uint64_t)(deadline_ns + 3),
        (uint64_t)(deadline_ns + 4),
        (uint64_t)(deadline_ns + response_ns),
    };

    lkd_ring_put(&cycle.records, words);
    responses[n_records++ % MANY] = response_ns;
}

static void collect(void)
{
    lkd_evidence_collect(&evidence, &cycle, &runner);
}

static void put_random(uint64_t n, uint64_t *random)
{
    for (uint64_t i = 0; i < n; i++) {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        put((int64_t)(*random % 50000)); /* some are equal */
    }
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

/* Check the worst cycles: sorted, each listed once with its number, and no other cycle was
 * worse. */
static void check_worst(uint64_t n_seen)
{
    int64_t *sorted = malloc(n_seen * sizeof(*sorted));
    struct lkd_worst worst[LKD_WORST_MAX];
    int n = lkd_evidence_sort(&evidence, worst);

    assert_non_null(sorted);
    memcpy(sorted, responses, n_seen * sizeof(*sorted));
    assert_int_equal(n, n_seen < LKD_WORST_MAX ? (int)n_seen : LKD_WORST_MAX);
    for (int i = 0; i < n; i++) {
        assert_int_equal(worst[i].response_ns, responses[worst[i].cycle]);
        assert_int_equal(worst[i].record.step, worst[i].cycle * 2);
        assert_int_equal(worst[i].record.deadline_ns, (int64_t)(worst[i].cycle + 1) * P);
        assert_int_equal(worst[i].record.ended_ns - worst[i].record.deadline_ns,
                         worst[i].response_ns);
        assert_int_equal(worst[i].record.computed_ns - worst[i].record.deadline_ns, 4);
        for (int j = 0; j < i; j++)
            assert_true(worst[j].cycle != worst[i].cycle);
    }
    qsort(sorted, n_seen, sizeof(*sorted), compare);
    for (int i = 0; i < n; i++)
        assert_int_equal(worst[i].response_ns, sorted[i]);
    free(sorted);
}

static void test_begin(void **state)
{
    struct lkd_worst worst[LKD_WORST_MAX];

    (void)state;
    assert_true(evidence.started_utc_ns > INT64_C(1700000000) * 1000000000);
    assert_true(evidence.utc_offset_ns < evidence.started_utc_ns);
    assert_int_equal(lkd_evidence_sort(&evidence, worst), 0);
    collect();
    assert_int_equal(lkd_evidence_sort(&evidence, worst), 0);
    assert_int_equal(evidence.lost, 0);
}

static void test_few(void **state)
{
    (void)state;
    put(5);
    collect();
    check_worst(1);
    put(7);
    put(3);
    collect();
    collect(); /* a second call counts none twice */
    check_worst(3);
    for (int i = 0; i < 97; i++)
        put(3);
    collect();
    check_worst(100);
    put(2);
    collect();
    check_worst(101);
    put(4);
    collect();
    check_worst(102);
}

/* Thousands of records, read in portions as the server does. */
static void test_worst_hundred(void **state)
{
    uint64_t random = 88172645463325252u;

    (void)state;
    while (n_records < MANY - 1000) {
        put_random(1 + random % 900, &random);
        collect();
    }
    assert_int_equal(evidence.lost, 0);
    check_worst(n_records);
}

static void test_rising_and_falling(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++)
        put(i);
    collect();
    check_worst(3000);
    for (int i = 0; i < 3000; i++)
        put(6000 - i);
    collect();
    check_worst(6000);
}

/* If the ring was overwritten before it was read, the lost records are counted and never mistaken
 * for other cycles. */
static void test_lost(void **state)
{
    struct lkd_worst worst[LKD_WORST_MAX];
    uint64_t random = 1;
    int n;

    (void)state;
    put(40000000);
    put_random(LKD_RECORDS + 999, &random);
    collect();
    assert_int_equal(evidence.lost, LKD_RECORDS / 2 + 1000); /* half of the ring is the lead */
    assert_int_equal(evidence.next, n_records);
    n = lkd_evidence_sort(&evidence, worst);
    assert_int_equal(n, LKD_WORST_MAX);
    for (int i = 0; i < n; i++) {
        assert_true(worst[i].cycle >= evidence.lost);
        assert_int_equal(worst[i].response_ns, responses[worst[i].cycle]);
    }
    collect();
    assert_int_equal(evidence.lost, LKD_RECORDS / 2 + 1000);
}

/* Add a cycle that began at its grid point and ended after @late_ns. */
static void miss(int64_t late_ns)
{
    shift_ns += 100 * P;
    put(late_ns);
}

/* The kernel's RT throttle suspends a thread that never yields for 50 ms. */
static void test_throttled(void **state)
{
    uint64_t *lost_core = &runner.worker[0].usage_end.involuntary;

    (void)state;
    runner.priority = 80;
    runner.worker[0].counted = true;
    cycle.settings = lkd_settings_default();
    cycle.settings.budget_share = 100; /* no computation counts as long */
    miss(50000000);
    collect();
    assert_int_equal(evidence.throttled, 0); /* the thread kept its core */
    *lost_core = 1;
    miss(50000000);
    miss(2000000);
    miss(39000000);
    miss(61000000);
    collect();
    assert_int_equal(evidence.throttled, 1);
    collect();
    assert_int_equal(evidence.throttled, 1);
    miss(45000000);
    collect();
    assert_int_equal(evidence.throttled, 1); /* no further core was lost */
    miss(45000000);
    miss(55000000);
    *lost_core = 3;
    collect();
    assert_int_equal(evidence.throttled, 3);

    *lost_core = 4; /* the same stall is reported once */
    put(45000000);
    collect();
    assert_int_equal(evidence.throttled, 3);
    *lost_core = 5;
    runner.worker[0].priority_error = -EPERM;
    miss(45000000);
    collect();
    assert_int_equal(evidence.throttled, 3);
}

/* Throttling is detected however many deadlines were missed before. */
static void test_throttled_late(void **state)
{
    (void)state;
    runner.priority = 80;
    runner.worker[0].counted = true;
    cycle.settings = lkd_settings_default();
    while (n_records < 3 * LKD_MISSED_MAX) {
        miss(P + 1);
        if (n_records % 500 == 0)
            collect();
    }
    collect();
    assert_int_equal(evidence.throttled, 0);
    runner.worker[0].usage_end.involuntary = 1;
    miss(50000000);
    collect();
    assert_int_equal(evidence.throttled, 1);
}

/* Check missed deadline @number of the records as the daemon lists it. */
static void check_recent(uint64_t number, uint64_t record, enum lkd_cause cause)
{
    const struct lkd_missed *missed;
    uint64_t next;

    assert_int_equal(lkd_evidence_recent(&evidence, number, 1, &missed, &next), 1);
    assert_int_equal(next, number + 1);
    assert_int_equal(missed->cycle, record);
    assert_int_equal(missed->cause, cause);
    assert_int_equal(missed->record.ended_ns - missed->record.deadline_ns,
                     responses[record % MANY]);
}

/* Repeated queries return each missed deadline once, whatever number the query begins with. */
static void test_recent(void **state)
{
    const struct lkd_missed *missed[8];
    uint64_t next;

    (void)state;
    cycle.settings = lkd_settings_default();
    put(P); /* on time */
    put(P + 1);
    put(10);
    collect();
    check_recent(1, 1, LKD_CAUSE_COMPUTATION);
    assert_int_equal(lkd_evidence_recent(&evidence, 2, 8, missed, &next), 0);
    assert_int_equal(next, 2);
    put(2 * P);
    put(P + 5); /* the computation is also long */
    collect();
    check_recent(2, 3, LKD_CAUSE_COMPUTATION);
    check_recent(3, 4, LKD_CAUSE_COMPUTATION);
    assert_int_equal(lkd_evidence_recent(&evidence, 0, 8, missed, &next), 3);
    assert_int_equal(lkd_evidence_recent(&evidence, 1, 2, missed, &next), 2);
    assert_int_equal(next, 3);
}

/* If more deadlines were missed than are kept, the newest are kept with their numbers. */
static void test_recent_many(void **state)
{
    const struct lkd_missed *missed[3];
    uint64_t next;

    (void)state;
    cycle.settings = lkd_settings_default();
    while (n_records < LKD_RECENT_MAX + 2) {
        put(P + 1);
        if (n_records % 500 == 0)
            collect();
    }
    collect();
    assert_int_equal(lkd_evidence_recent(&evidence, 1, 3, missed, &next), 3);
    assert_int_equal(next, 6);
    assert_int_equal(missed[0]->cycle, 2);
    check_recent(LKD_RECENT_MAX + 2, n_records - 1, LKD_CAUSE_COMPUTATION);
}

/* A cycle that is late because the one before overran has the cause "behind", unless that one was
 * not recorded. In lockstep there are no deadlines. */
static void test_recent_behind(void **state)
{
    const struct lkd_missed *missed;
    uint64_t next, seen, first;

    (void)state;
    cycle.settings = lkd_settings_default();
    cycle.settings.budget_share = 2;
    put(2 * P);
    put(P + 5);
    collect();
    check_recent(1, 0, LKD_CAUSE_BOTH);
    check_recent(2, 1, LKD_CAUSE_BEHIND);
    put(4 * LKD_RECORDS * P); /* the next cycle is late because of this one */
    collect();
    first = 2 * LKD_RECORDS - LKD_RECORDS / 2; /* this record still exists then */
    while (n_records < 2 * LKD_RECORDS)
        put(n_records == first || n_records == first + 1 ? P + 5 : 10);
    collect();
    check_recent(4, first, LKD_CAUSE_BOTH);
    check_recent(5, first + 1, LKD_CAUSE_BEHIND);
    cycle.mode = LKD_MODE_LOCKSTEP;
    seen = evidence.n_recent;
    put(2 * P);
    collect();
    assert_int_equal(evidence.n_recent, seen);
    assert_int_equal(lkd_evidence_recent(&evidence, evidence.n_recent + 1, 1, &missed, &next), 0);
}

/* A reply contains each bucket that is not empty, including the overflow. */
static void test_buckets(void **state)
{
    static struct lkd_histogram histogram;
    const Linkage__V1__Durations *d;
    Linkage__V1__Durations *made;
    struct lk_wire_arena arena;
    int64_t upper, lower = 0;

    (void)state;
    assert_int_equal(lk_wire_arena_init(&arena, LK_WIRE_SAMPLE_ARENA), 0);
    for (int i = 0; i <= LKD_HISTOGRAM_BUCKETS; i++) {
        lkd_histogram_bucket(&histogram, i, &upper);
        lkd_histogram_add(&histogram, lower);
        lower = upper == INT64_MAX ? upper : upper + 1;
    }
    assert_int_equal(lkd_reply_durations(&histogram, true, &arena, &made), 0);
    d = made;
    assert_int_equal(d->n_bucket_count, LKD_HISTOGRAM_BUCKETS + 1);
    assert_int_equal(d->n_bucket_upper_ns, LKD_HISTOGRAM_BUCKETS + 1);
    for (int i = 0; i <= LKD_HISTOGRAM_BUCKETS; i++) {
        lkd_histogram_bucket(&histogram, i, &upper);
        assert_int_equal(d->bucket_upper_ns[i], upper);
        assert_int_equal(d->bucket_count[i], 1);
    }
    lk_wire_arena_fini(&arena);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(lkd_cause_name(LKD_CAUSE_BEHIND), "cycle before");
    assert_string_equal(lkd_cause_name(LKD_CAUSE_WAKEUP), "late wake-up");
    assert_string_equal(lkd_cause_name(LKD_CAUSE_COMPUTATION), "long computation");
    assert_string_equal(lkd_cause_name(LKD_CAUSE_BOTH), "wake-up and computation");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_begin, begin, end),
        cmocka_unit_test_setup_teardown(test_few, begin, end),
        cmocka_unit_test_setup_teardown(test_worst_hundred, begin, end),
        cmocka_unit_test_setup_teardown(test_rising_and_falling, begin, end),
        cmocka_unit_test_setup_teardown(test_lost, begin, end),
        cmocka_unit_test_setup_teardown(test_throttled, begin, end),
        cmocka_unit_test_setup_teardown(test_throttled_late, begin, end),
        cmocka_unit_test_setup_teardown(test_recent, begin, end),
        cmocka_unit_test_setup_teardown(test_recent_many, begin, end),
        cmocka_unit_test_setup_teardown(test_recent_behind, begin, end),
        cmocka_unit_test(test_buckets),
        cmocka_unit_test(test_names),
    };

    lkd_log_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
