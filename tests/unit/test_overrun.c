/* SPDX-License-Identifier: Apache-2.0 */
/* The reaction to an overrun: each policy alone, and all policies along random walks, compared with
 * a direct implementation of overrun.h. */
#include "overrun.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define P INT64_C(1000)

static struct lkd_overruns counts;

/* Return the number of grid points that have passed if the cycle ends @late_ns after T(k + 1); T(k
 * + 1 + n) is n periods later. */
static int64_t gone_by(int64_t late_ns, int64_t period_ns)
{
    return late_ns > 0 ? (late_ns - 1) / period_ns + 1 : 0;
}

static int64_t next(const struct lkd_overrun_policy *policy, uint64_t k, int64_t late_ns)
{
    return lkd_overrun_next(policy, &counts, k, k, gone_by(late_ns, P));
}

static int begin(void **state)
{
    (void)state;
    counts = (struct lkd_overruns){0};
    return 0;
}

static void expect(uint64_t overruns, uint64_t skipped, uint64_t caught_up, int64_t at_once)
{
    assert_int_equal(counts.overruns, overruns);
    assert_int_equal(counts.skipped, skipped);
    assert_int_equal(counts.caught_up, caught_up);
    assert_int_equal(counts.at_once, at_once);
}

static void test_in_time(void **state)
{
    const struct lkd_overrun_policy policy = {.in_a_row = 1, .in_window = 1, .window = 1};

    (void)state;
    assert_int_equal(next(&policy, 0, -P), 1);
    assert_int_equal(next(&policy, 1, -1), 1);
    assert_int_equal(next(&policy, 2, 0), 1); /* exactly on the grid point is not late */
    expect(0, 0, 0, 0);
    assert_false(counts.fault);
}

static void test_continue(void **state)
{
    const struct lkd_overrun_policy policy = {.action = LKD_OVERRUN_CONTINUE};

    (void)state;
    assert_int_equal(next(&policy, 0, 1), 1);
    expect(1, 0, 1, 1);
    assert_int_equal(next(&policy, 1, P), 1); /* late by exactly one period: T(3) is not late */
    expect(2, 0, 2, 2);
    assert_int_equal(next(&policy, 2, P + 1), 3); /* T(3) and T(4) have passed */
    expect(3, 2, 2, 0);
    assert_int_equal(next(&policy, 5, 2 * P), 3);
    expect(4, 4, 2, 0);
    assert_int_equal(next(&policy, 8, 0), 1);
    expect(4, 4, 2, 0);
    assert_int_equal(next(&policy, 9, 300 * P), 301);
    expect(5, 304, 2, 0);
    assert_false(counts.fault);
}

/* Up to n cycles in succession run without waiting; the next one waits for a grid point. */
static void test_catch_up(void **state)
{
    const struct lkd_overrun_policy policy = {.action = LKD_OVERRUN_CATCH_UP, .catch_up = 3};

    (void)state;
    assert_int_equal(next(&policy, 0, 2 * P + 1), 1); /* three points have passed: made up */
    expect(1, 0, 1, 1);
    assert_int_equal(next(&policy, 1, P + 1), 1);
    assert_int_equal(next(&policy, 2, 1), 1);
    expect(3, 0, 3, 3);
    assert_int_equal(next(&policy, 3, -1), 1); /* this cycle is on time */
    expect(3, 0, 3, 0);

    assert_int_equal(next(&policy, 4, 9 * P + 1), 8); /* ten have passed: skip seven */
    expect(4, 7, 4, 1);
    assert_int_equal(next(&policy, 12, 2 * P + 1), 1);
    assert_int_equal(next(&policy, 13, 2 * P + 1), 1);
    expect(6, 7, 6, 3);
    assert_int_equal(next(&policy, 14, 2 * P + 1), 4); /* late after three: skip the rest */
    expect(7, 10, 6, 0);
    assert_int_equal(next(&policy, 18, 1), 1); /* n more cycles may catch up */
    expect(8, 10, 7, 1);
}

static void test_ignore_first(void **state)
{
    const struct lkd_overrun_policy policy = {
        .ignore_first = 5, .in_a_row = 2, .in_window = 2, .window = 100};

    (void)state;
    for (uint64_t k = 0; k < 5; k++)
        next(&policy, k, 1);
    assert_false(counts.fault);
    expect(5, 0, 5, 5); /* counted, but no fault */
    next(&policy, 5, 1);
    assert_false(counts.fault); /* the first towards a fault */
    next(&policy, 6, 1);
    assert_true(counts.fault);
}

/* @ignore_first is a number of cycles, not of grid points: one cycle may skip many grid points. */
static void test_ignore_first_cycles(void **state)
{
    const struct lkd_overrun_policy policy = {.ignore_first = 2, .in_a_row = 1};

    (void)state;
    assert_int_equal(lkd_overrun_next(&policy, &counts, 0, 0, 500), 501);
    assert_int_equal(lkd_overrun_next(&policy, &counts, 501, 1, 1), 1);
    assert_false(counts.fault);
    lkd_overrun_next(&policy, &counts, 502, 2, 1);
    assert_true(counts.fault);
}

static void test_in_a_row(void **state)
{
    const struct lkd_overrun_policy policy = {.in_a_row = 3};

    (void)state;
    for (uint64_t k = 0; k < 60; k++) {
        next(&policy, k, k % 3 == 2 ? 0 : 1); /* two overruns, then one in time */
        assert_false(counts.fault);
    }
    next(&policy, 60, 1);
    next(&policy, 61, 1);
    assert_false(counts.fault);
    next(&policy, 62, 1);
    assert_true(counts.fault);
    next(&policy, 63, -1);
    assert_true(counts.fault); /* the fault is latched */
}

/* A fault after m overruns within a window of w: from the first to the last of them there are fewer
 * than w grid points. */
static void test_window(void **state)
{
    const struct lkd_overrun_policy policy = {.in_window = 3, .window = 10};

    (void)state;
    next(&policy, 0, 1);
    next(&policy, 5, 1);
    next(&policy, 10, 1); /* 0 and 10 are not within one window */
    assert_false(counts.fault);
    next(&policy, 15, 1);
    assert_false(counts.fault);
    next(&policy, 19, 1); /* 10, 15 and 19 are */
    assert_true(counts.fault);
}

/* The widest possible window, after the ring of overruns has wrapped around several times. */
static void test_window_wraps(void **state)
{
    const uint64_t m = LKD_OVERRUN_WINDOW_MAX;
    const struct lkd_overrun_policy policy = {.in_window = m, .window = m};
    uint64_t k = 0;

    (void)state;
    for (uint64_t i = 0; i < 5 * m; i++, k += i % (m - 1) == 0 ? 2 : 1) {
        next(&policy, k, 1); /* m - 1 overruns in succession, then a gap */
        assert_false(counts.fault);
    }
    k += 10;
    for (uint64_t i = 0; i < m; i++, k++) {
        assert_false(counts.fault);
        next(&policy, k, 1);
    }
    assert_true(counts.fault);
}

static void test_window_of_one(void **state)
{
    const struct lkd_overrun_policy policy = {.in_window = 1, .window = 1};

    (void)state;
    next(&policy, 7, 1);
    assert_true(counts.fault);
}

static void test_never_a_fault(void **state)
{
    const struct lkd_overrun_policy policy = {.window = 1000};

    (void)state;
    for (uint64_t k = 0; k < 100000; k++)
        next(&policy, k, 1);
    assert_false(counts.fault);
    expect(100000, 0, 100000, 100000);
}

/* A machine was suspended for days. */
static void test_huge_lateness(void **state)
{
    struct lkd_overrun_policy policy = {.action = LKD_OVERRUN_CONTINUE};
    const int64_t late_ns = INT64_C(1) << 62;
    const int64_t passed = (late_ns - 1) / P + 1;

    (void)state;
    assert_int_equal(next(&policy, 0, late_ns), passed + 1);
    assert_int_equal(counts.skipped, passed);
    policy = (struct lkd_overrun_policy){.action = LKD_OVERRUN_CATCH_UP, .catch_up = 1000};
    begin(state);
    assert_int_equal(next(&policy, 0, late_ns), passed + 1 - 1000);
    assert_int_equal(lkd_overrun_next(&policy, &counts, 0, 1, gone_by(INT64_MAX, INT64_C(50000))),
                     INT64_MAX / 50000 + 1 + 1 - 1000);
}

/* ---- direct implementation ---- */

#define WALK 100000

struct walk {
    struct lkd_overrun_policy policy;
    uint64_t overruns, skipped, row, in_a_row_at_once;
    uint64_t *counted; /* all grid points with overruns */
    uint64_t n_counted;
    bool fault;
};

static void count_towards_fault(struct walk *w, uint64_t k)
{
    uint64_t within = 0;

    w->row++;
    w->counted[w->n_counted++] = k;
    for (uint64_t i = w->n_counted; i > 0 && k - w->counted[i - 1] < w->policy.window; i--)
        within++;
    if (w->policy.in_a_row > 0 && w->row >= w->policy.in_a_row)
        w->fault = true;
    if (w->policy.in_window > 0 && within >= w->policy.in_window)
        w->fault = true;
}

/* Return the number of grid points to skip.
 * @gone: grid points in the past, including the next one */
static uint64_t plain_skip(struct walk *w, uint64_t gone)
{
    uint64_t n = (uint64_t)w->policy.catch_up;

    if (w->policy.action == LKD_OVERRUN_CONTINUE)
        return gone == 1 ? 0 : gone;
    if (w->in_a_row_at_once == n) /* n cycles in succession: skip the rest */
        return gone;
    return gone > n ? gone - n : 0;
}

static int64_t plain_next(struct walk *w, uint64_t k, uint64_t cycle, int64_t late_ns)
{
    uint64_t gone = 0, skipped;

    while ((int64_t)gone * P < late_ns)
        gone++;
    if (gone == 0) {
        w->row = w->in_a_row_at_once = 0;
        return 1;
    }
    w->overruns++;
    if (cycle < w->policy.ignore_first)
        w->row = 0;
    else
        count_towards_fault(w, k);
    skipped = plain_skip(w, gone);
    w->skipped += skipped;
    w->in_a_row_at_once = skipped == gone ? 0 : w->in_a_row_at_once + 1;
    return 1 + (int64_t)skipped;
}

static uint64_t random_state;

static int64_t draw(int64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int64_t)(random_state % (uint64_t)below);
}

/* Draw the duration of a cycle: mostly less than a period, sometimes longer, often a whole number
 * of periods. */
static int64_t draw_duration(void)
{
    switch (draw(12)) {
    case 0:
        return draw(3 * P);
    case 1:
        return draw(4) * P;
    case 2:
        return draw(40) ? P - 1 + draw(3) : draw(60 * P);
    default:
        return draw(P);
    }
}

static void walk(const struct lkd_overrun_policy *policy)
{
    struct walk w = {.policy = *policy, .counted = calloc(WALK, sizeof(uint64_t))};
    int64_t now = 0, k = 0;
    uint64_t run = 0;

    assert_non_null(w.counted);
    begin(NULL);
    for (uint64_t cycle = 0; cycle < WALK; cycle++) {
        bool waits = now <= k * P;
        int64_t further;

        run = waits ? 0 : run + 1;
        if (policy->action == LKD_OVERRUN_CATCH_UP)
            assert_true(run <= (uint64_t)policy->catch_up);
        now = (waits ? k * P : now) + draw_duration();
        further =
            lkd_overrun_next(policy, &counts, (uint64_t)k, cycle, gone_by(now - (k + 1) * P, P));
        assert_int_equal(further, plain_next(&w, (uint64_t)k, cycle, now - (k + 1) * P));
        assert_int_equal(counts.overruns, w.overruns);
        assert_int_equal(counts.skipped, w.skipped);
        assert_true(counts.fault == w.fault);
        k += further;
        assert_int_equal(cycle + 1 + counts.skipped, k); /* every grid point was used or skipped */
        if (w.fault) {                                   /* reset the counts, continue */
            counts.fault = w.fault = false;
            counts.row = w.row = counts.counted = w.n_counted = 0;
        }
    }
    assert_true(counts.overruns > WALK / 100);
    free(w.counted);
}

static void test_walks(void **state)
{
    static const struct lkd_overrun_policy policies[] = {
        {.action = LKD_OVERRUN_CONTINUE, .in_a_row = 7, .in_window = 20, .window = 60},
        {.action = LKD_OVERRUN_CONTINUE, .in_window = 256, .window = 1300, .ignore_first = 500},
        {.action = LKD_OVERRUN_CATCH_UP, .catch_up = 1, .in_a_row = 5},
        {.action = LKD_OVERRUN_CATCH_UP, .catch_up = 4, .in_window = 30, .window = 90},
        {.action = LKD_OVERRUN_CATCH_UP, .catch_up = 1000, .in_window = 2, .window = 2},
    };

    (void)state;
    random_state = 88172645463325252u;
    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
        walk(&policies[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_in_time, begin),
        cmocka_unit_test_setup(test_continue, begin),
        cmocka_unit_test_setup(test_catch_up, begin),
        cmocka_unit_test_setup(test_ignore_first, begin),
        cmocka_unit_test_setup(test_ignore_first_cycles, begin),
        cmocka_unit_test_setup(test_in_a_row, begin),
        cmocka_unit_test_setup(test_window, begin),
        cmocka_unit_test_setup(test_window_wraps, begin),
        cmocka_unit_test_setup(test_window_of_one, begin),
        cmocka_unit_test_setup(test_never_a_fault, begin),
        cmocka_unit_test_setup(test_huge_lateness, begin),
        cmocka_unit_test_setup(test_walks, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
