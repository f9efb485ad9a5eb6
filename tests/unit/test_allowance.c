/* SPDX-License-Identifier: Apache-2.0 */
/* Endless work in pieces of 3 us each, with a limit of one eighth of each millisecond. */
#include "allowance.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SPAN_NS  1000000
#define MOST_NS  (SPAN_NS / 8)
#define PIECE_NS 3000

static void test_flood(void **state)
{
    struct lkd_allowance allowance = {.span_ns = SPAN_NS, .most_ns = MOST_NS};
    int64_t now_ns = 5, worked_ns = 0;

    (void)state;
    for (int span = 0; span < 100; span++) {
        int64_t rest_ns;

        while ((rest_ns = lkd_allowance_rest(&allowance, now_ns)) == 0) {
            lkd_allowance_use(&allowance, PIECE_NS);
            now_ns += PIECE_NS;
            worked_ns += PIECE_NS;
        }
        assert_true(rest_ns > now_ns && rest_ns <= now_ns + SPAN_NS);
        assert_int_equal(lkd_allowance_rest(&allowance, rest_ns - 1), rest_ns);
        now_ns = rest_ns;
    }
    assert_true(worked_ns >= 100 * MOST_NS && worked_ns < 100 * (MOST_NS + PIECE_NS));
}

/* Work below the limit never pauses; one piece above the limit does not shorten the next span. */
static void test_below(void **state)
{
    struct lkd_allowance allowance = {.span_ns = SPAN_NS, .most_ns = MOST_NS};
    int64_t now_ns = 0;

    (void)state;
    for (; now_ns < 50 * SPAN_NS; now_ns += SPAN_NS / 8) {
        assert_int_equal(lkd_allowance_rest(&allowance, now_ns), 0);
        lkd_allowance_use(&allowance, MOST_NS / 9);
    }
    lkd_allowance_use(&allowance, 10 * SPAN_NS);
    assert_int_not_equal(lkd_allowance_rest(&allowance, now_ns - 1), 0);
    assert_int_equal(lkd_allowance_rest(&allowance, now_ns + SPAN_NS), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flood),
        cmocka_unit_test(test_below),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
