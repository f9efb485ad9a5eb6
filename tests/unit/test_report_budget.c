/* SPDX-License-Identifier: Apache-2.0 */
/* Latency budgets as text: the data of each path, and the clock with which it was measured. */
#include "report.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** struct made - evidence with one latency budget */
struct made {
    Linkage__V1__Evidence e;
    Linkage__V1__LatencyBudget b;
    Linkage__V1__LatencyBudget *budgets[1];
    Linkage__V1__Durations wire, other;
};

static char bench[] = "rig\n1";

static void make(struct made *made)
{
    const Linkage__V1__Evidence e = LINKAGE__V1__EVIDENCE__INIT;
    const Linkage__V1__LatencyBudget b = LINKAGE__V1__LATENCY_BUDGET__INIT;
    const Linkage__V1__Durations d = LINKAGE__V1__DURATIONS__INIT;

    *made = (struct made){.e = e, .b = b, .wire = d, .other = d};
    made->wire.count = 9;
    made->wire.p50_ns = 80200;
    made->wire.max_ns = 1500000;
    made->other.count = 8;
    made->other.p50_ns = 31000;
    made->b.claim = 3;
    made->b.bench = bench;
    made->b.wire = &made->wire;
    made->b.wait = made->b.step = made->b.publish = made->b.bench_hold = &made->other;
    made->budgets[0] = &made->b;
    made->e.budgets = made->budgets;
    made->e.n_budgets = 1;
}

static char *text_of(void (*function)(FILE *, const Linkage__V1__Evidence *),
                     const Linkage__V1__Evidence *evidence)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    function(file, evidence);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void check(const struct made *made, const char *words, bool has)
{
    char *text = text_of(lk_report_text, &made->e);

    if ((strstr(text, words) != NULL) != has)
        fail_msg("'%s' is %s in\n%s", words, has ? "not" : "wrongly", text);
    free(text);
}

static void test_half(void **state)
{
    struct made made;

    (void)state;
    make(&made);
    check(&made, "\nlatency budget of bench 'rig?1', claim 3\n[us] ", true);
    check(&made, "\nwire                80.2        0.0        0.0     1500.0            9\nwait ",
          true);
    check(&made,
          "one way       not measured, the clocks are not both synchronised; half of wire: "
          "p50 40.1 us\n",
          true);
    check(&made, "\n  in ", false);
    check(&made, "\nclocks        wait, step, publish: the daemon's (monotonic)", true);
}

static void test_measured(void **state)
{
    struct made made;

    (void)state;
    make(&made);
    made.b.one_way = 1;
    made.b.wire_in = made.b.wire_out = &made.other;
    check(&made, "\n  in                31.0 ", true);
    check(&made, "\n  out               31.0 ", true);
    check(&made, "but not how well\n", true);
    made.b.uncertainty_ns = 7250;
    check(&made, "one way       measured, to within 7.2 us: both clocks", true);
    check(&made, "half of wire", false);
}

/* Without answers the budget has no values, and none are invented. */
static void test_nothing(void **state)
{
    struct made made;

    (void)state;
    make(&made);
    made.wire.count = 0;
    made.b.claim = 0;
    check(&made, "\nlatency budget of samples without a claim\n", true);
    check(&made, "\nwire                   -          -          -          -            0\n",
          true);
    check(&made, "does not say what it answers (reply_to)\n", true);
    made.b.wire = NULL;
    check(&made, "does not say what it answers (reply_to)\n", true);
    made.e.n_budgets = 0;
    check(&made, "clocks", false);
}

static void test_json(void **state)
{
    struct made made;
    char *text;

    (void)state;
    make(&made);
    made.b.wire_in = &made.wire; /* inconsistent data is not printed */
    text = text_of(lk_report_json, &made.e);
    assert_non_null(strstr(text,
                           "\"budgets\":[{\"claim\":3,\"bench\":\"rig\\u000a1\",\"one_way\":false,"
                           "\"uncertainty_ns\":0,\"wire\":{\"count\":9,\"p50_ns\":80200,"));
    assert_non_null(strstr(text, "\"wire_in\":{\"count\":0,"));
    assert_non_null(strstr(text, "\"bench_hold\":{\"count\":8,\"p50_ns\":31000,"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half),
        cmocka_unit_test(test_measured),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
