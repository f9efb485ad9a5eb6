/* SPDX-License-Identifier: Apache-2.0 */
/* tools/latency without a clock: cyclictest's text, distributions, intervals, verdicts. */
#include "../cmocka_all.h"
#include "histogram_text.h"
#include "results.h"
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_close(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.9g instead of %.9g", value, wanted);
}

/* ---- distributions ---- */

static void test_quantiles(void **state)
{
    struct lat_histogram h = {0};

    (void)state;
    assert_true(isnan(lat_histogram_quantile(&h, 0.5)));
    assert_true(isnan(lat_histogram_lower_mean(&h, 0.99)));
    assert_true(isnan(lat_histogram_above(&h, 1)));

    /* 90 samples spread over 10 to 11 us and 10 samples over 20 to 22 us, added in parts and not in
     * order */
    assert_int_equal(lat_histogram_add(&h, 20, 22, 4), 0);
    assert_int_equal(lat_histogram_add(&h, 10, 11, 90), 0);
    assert_int_equal(lat_histogram_add(&h, 20, 22, 6), 0);
    h.max_us = 21.8;
    assert_int_equal(h.n, 2);
    assert_int_equal(h.count, 100);
    assert_close(lat_histogram_quantile(&h, 0.45), 10.5, 1e-12);
    assert_close(lat_histogram_quantile(&h, 0.9), 11, 1e-12);
    assert_close(lat_histogram_quantile(&h, 0.95), 21, 1e-12);
    assert_close(lat_histogram_quantile(&h, 1), 21.8, 1e-12); /* never above the largest sample */
    assert_close(lat_histogram_lower_mean(&h, 0.9), 10.5, 1e-12);
    /* the lower half of the upper class, 5 samples, is used: 20.5 us on average */
    assert_close(lat_histogram_lower_mean(&h, 0.95), (90 * 10.5 + 5 * 20.5) / 95, 1e-12);
    assert_close(lat_histogram_above(&h, 0), 1, 1e-12);
    assert_close(lat_histogram_above(&h, 10.5), 0.55, 1e-12);
    assert_close(lat_histogram_above(&h, 15), 0.1, 1e-12);
    assert_close(lat_histogram_above(&h, 30), 0, 1e-12);
    lat_histogram_fini(&h);
    assert_int_equal(h.count, 0);
}

static void test_single_values(void **state)
{
    static const double values[] = {0, 0.04, 15, 999.9, 1000, 123456};
    struct lat_histogram h = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        assert_int_equal(lat_histogram_add_value(&h, values[i]), 0);
        assert_int_equal(h.n, i + 1);
        /* zero has a class of its own; larger values are inside a narrow class */
        if (values[i] > 0) {
            assert_true(h.classes[i].from_us <= values[i] && values[i] < h.classes[i].to_us);
            assert_true(h.classes[i].to_us - h.classes[i].from_us <= 0.01 * values[i]);
        }
    }
    assert_close(h.max_us, 123456, 0);
    lat_histogram_fini(&h);
}

static void test_merge(void **state)
{
    struct lat_histogram a = {0}, b = {0};

    (void)state;
    lat_histogram_add(&a, 1, 2, 3);
    lat_histogram_add(&a, 4, 5, 1);
    a.max_us = 4.5;
    lat_histogram_add(&b, 1, 2, 2);
    lat_histogram_add(&b, 1, 3, 7); /* an overlapping class */
    lat_histogram_add(&b, 0, 1, 1);
    b.max_us = 2.5;
    assert_int_equal(lat_histogram_merge(&a, &b), 0);
    assert_int_equal(a.n, 4);
    assert_int_equal(a.count, 14);
    assert_close(a.max_us, 4.5, 0);
    assert_int_equal(a.classes[1].count, 5);
    assert_close(a.classes[2].to_us, 3, 0);
    assert_int_equal(a.classes[2].count, 7);
    lat_histogram_fini(&a);
    lat_histogram_fini(&b);
}

/* ---- cyclictest's text ---- */

static const char text_good[] = "# /dev/cpu_dma_latency set to 0us\n"
                                "# Histogram\n"
                                "000000 000000\n"
                                "000001 000005\n"
                                "000002 000003\n"
                                "000003 000000\n"
                                "# Total: 000000008\n"
                                "# Min Latencies: 00001\n"
                                "# Avg Latencies: 00002\n"
                                "# Max Latencies: 00171\n"
                                "# Histogram Overflows: 00002\n"
                                "# Histogram Overflow at cycle number:\n"
                                "# Thread 0: 00003 00017\n";

static void test_text(void **state)
{
    struct lat_histogram h = {0};
    struct lk_error error = {0};

    (void)state;
    assert_int_equal(lat_text_parse(text_good, &h, &error), 0);
    assert_int_equal(h.count, 10);
    assert_int_equal(h.n, 3);
    assert_close(h.classes[0].from_us, 1, 0);
    assert_close(h.classes[1].to_us, 3, 0);
    /* two samples above the last class, at most the largest latency */
    assert_close(h.classes[2].from_us, 4, 0);
    assert_close(h.classes[2].to_us, 172, 0);
    assert_int_equal(h.classes[2].count, 2);
    assert_close(h.max_us, 171.5, 0);
    assert_close(lat_histogram_quantile(&h, 0.5), 2, 1e-12);
    lat_histogram_fini(&h);
}

static void test_text_garbage(void **state)
{
    static const struct {
        const char *text;
        const char *why;
    } bad[] = {
        {"", "no classes"},
        {"# Histogram\n", "no classes"},
        {"cyclictest: unknown option\n", "line 1"},
        {"# Histogram\n000001 00000x\n", "line 2"},
        {"000001\n", "line 1"},
        {"000001 000002 000003\n", "one count"}, /* counts of two threads */
        {"000001 000002\n000001 000002\n", "line 2: latency 1 does not follow"},
        {"000001 99999999999999999999999999\n", "line 1"},
        {"-00001 000002\n", "line 1"},
        {"000001 000002\n", "no total"},
        {"000001 000002\n# Total: 2\n", "no maximum"},
        {"000001 000002\n# Total: two\n", "line 2"},
        {"000001 000002\n# Total: 000003\n# Max Latencies: 00001\n", "its total says 3"},
        {"000001 000002\n# Total: 000002 000004\n# Max Latencies: 00001\n", "one number"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct lat_histogram h = {0};
        struct lk_error error = {""};

        assert_int_equal(lat_text_parse(bad[i].text, &h, &error), LK_E_TEXT);
        assert_int_equal(h.n, 0);
        assert_null(h.classes);
        if (strstr(error.text, bad[i].why) == NULL)
            fail_msg("case %zu: no '%s' in '%s'", i, bad[i].why, error.text);
    }
}

/* A good text that is truncated anywhere is accepted or refused without a leak; sanitizers check
 * this. */
static void test_text_cut(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof(text_good); n++) {
        char *text = strndup(text_good, n);
        struct lat_histogram h = {0};
        struct lk_error error;

        assert_non_null(text);
        if (lat_text_parse(text, &h, &error) == 0)
            assert_true(n > 100 && h.count >= 8);
        lat_histogram_fini(&h);
        free(text);
    }
}

static void test_text_round_trip(void **state)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct lat_histogram h = {0}, back = {0};
    struct lk_error error;

    (void)state;
    lat_histogram_add(&h, 0.04, 0.06, 7); /* 7 samples in the first microsecond */
    lat_histogram_add(&h, 0.5, 0.9, 1);
    lat_histogram_add(&h, 14.9, 15.4, 20);  /* middle: 15.15 */
    lat_histogram_add(&h, 25000, 26000, 2); /* beyond the last class */
    h.max_us = 25999;
    assert_non_null(file);
    assert_int_equal(lat_text_write(file, &h), 0);
    fclose(file);
    assert_non_null(strstr(text, "\n000000 000008\n"));
    assert_non_null(strstr(text, "\n000015 000020\n"));
    assert_non_null(strstr(text, "\n# Total: 000000028\n"));
    assert_non_null(strstr(text, "\n# Histogram Overflows: 00002\n"));
    assert_int_equal(lat_text_parse(text, &back, &error), 0);
    assert_int_equal(back.count, h.count);
    assert_int_equal(back.n, 3);
    assert_close(back.max_us, 25999.5, 0);
    lat_histogram_fini(&h);
    lat_histogram_fini(&back);
    free(text);
}

/* ---- the daemon's buckets ---- */

static void test_durations(void **state)
{
    Linkage__V1__Durations d = LINKAGE__V1__DURATIONS__INIT;
    uint64_t upper[] = {20, 63, 1023, 1055, INT64_MAX}, count[] = {1, 2, 3, 4, 5};
    static const double from_ns[] = {20, 62 + 1, 992, 1024}, to_ns[] = {21, 64, 1024, 1056};
    struct lat_histogram h = {0};

    (void)state;
    d.bucket_upper_ns = upper;
    d.bucket_count = count;
    d.n_bucket_upper_ns = d.n_bucket_count = 5;
    d.max_ns = 20000000000;
    /* Widths: 1 ns below 64; then each power of two is divided into 32 classes: 16 ns from 512, 32
     * ns from 1024. */
    assert_int_equal(lat_rig_take_durations(&d, &h), 0);
    assert_int_equal(h.n, 5);
    assert_int_equal(h.count, 15);
    assert_close(h.max_us, 2e7, 1e-6);
    for (int i = 0; i < 4; i++) {
        assert_close(h.classes[i].from_us * 1e3, i == 2 ? 1008 : from_ns[i], 1e-6);
        assert_close(h.classes[i].to_us * 1e3, to_ns[i], 1e-6);
    }
    assert_close(h.classes[4].to_us, 2e7, 0.01); /* the last class ends at max_us */
    lat_histogram_fini(&h);

    d.n_bucket_count = 2; /* of lists of different lengths, the shorter counts */
    assert_int_equal(lat_rig_take_durations(&d, &h), 0);
    assert_int_equal(h.count, 3);
    lat_histogram_fini(&h);
}

/* ---- intervals ---- */

#define BLOCKS 12

static void make_blocks(struct lat_histogram blocks[BLOCKS], double scale, double wobble)
{
    for (int k = 0; k < BLOCKS; k++) {
        double us = 20 * scale * (k % 2 ? 1 + wobble : 1 - wobble);

        blocks[k] = (struct lat_histogram){0};
        for (int i = 0; i < 1000; i++)
            lat_histogram_add_value(&blocks[k], us * (1 + 0.0001 * i));
    }
}

static void free_blocks(struct lat_histogram blocks[BLOCKS])
{
    for (int k = 0; k < BLOCKS; k++)
        lat_histogram_fini(&blocks[k]);
}

/* A disturbance of both measurements cancels in the ratio: the interval is narrow although the
 * blocks differ. A disturbance of the method alone does not cancel. */
static void test_bootstrap(void **state)
{
    struct lat_histogram reference[BLOCKS], method[BLOCKS];
    struct lat_ratio r[LAT_N_STATISTICS], again[LAT_N_STATISTICS];

    (void)state;
    make_blocks(reference, 1, 0.3);
    make_blocks(method, 1.5, 0.3);
    assert_int_equal(lat_bootstrap(method, reference, BLOCKS, 300, 1, r), 0);
    for (int s = 0; s < LAT_N_STATISTICS; s++) {
        assert_close(r[s].value, 1.5, 0.01);
        assert_true(r[s].low <= r[s].value && r[s].value <= r[s].high);
        assert_true(r[s].high - r[s].low < 0.03);
    }
    assert_int_equal(lat_bootstrap(method, reference, BLOCKS, 300, 1, again), 0);
    assert_memory_equal(r, again, sizeof(r));
    free_blocks(reference);

    make_blocks(reference, 1, 0);
    assert_int_equal(lat_bootstrap(method, reference, BLOCKS, 300, 1, r), 0);
    /* With k of 12 slow blocks in a draw, the lower mean is 1.5 (1 + 0.3 (2 k / 12 - 1)). k has a
     * binomial distribution with a deviation of sqrt(3); 1.645 deviations to either side cover 90
     * %. */
    assert_close(r[LAT_LOWER_MEAN].high - r[LAT_LOWER_MEAN].low,
                 2 * 1.645 * sqrt(3) * 1.5 * 0.3 / 6, 0.12);
    free_blocks(reference);
    free_blocks(method);
}

static void test_bootstrap_of_nothing(void **state)
{
    struct lat_histogram none[2] = {0}, some[2] = {0};
    struct lat_ratio r[LAT_N_STATISTICS];

    (void)state;
    lat_histogram_add(&some[0], 1, 2, 10);
    lat_histogram_add(&some[1], 1, 2, 10);
    assert_int_equal(lat_bootstrap(some, none, 2, 10, 1, r), 0);
    assert_true(isnan(r[LAT_P50].value) && isnan(r[LAT_P99].high));
    assert_int_equal(lat_bootstrap(some, some, 0, 10, 1, r), 0);
    assert_true(isnan(r[LAT_P50].value));
    lat_histogram_fini(&some[0]);
    lat_histogram_fini(&some[1]);
}

/* ---- verdicts ---- */

static void judge(struct lat_report *report, int n_rounds, double slice_s, double scale)
{
    struct lat_load_result *result = &report->loads[0];
    struct lat_histogram reference[BLOCKS], method[BLOCKS];

    lat_load_result_fini(result);
    *report = (struct lat_report){.n_loads = 1};
    report->options = (struct lat_options){
        .n_wakes = 1, .wakes = {LAT_SLEEP}, .n_loads = 1, .slice_s = slice_s, .seed = 1};
    make_blocks(reference, 1, 0.1);
    make_blocks(method, scale, 0.1);
    result->rounds = calloc(BLOCKS, sizeof(*result->rounds));
    assert_non_null(result->rounds);
    result->n_rounds = n_rounds;
    for (int k = 0; k < BLOCKS; k++) {
        if (k < n_rounds) {
            result->rounds[k].wakeups[0].late = reference[k];
            result->rounds[k].wakeups[1].late = method[k];
        } else {
            lat_histogram_fini(&reference[k]);
            lat_histogram_fini(&method[k]);
        }
    }
    assert_int_equal(lat_load_result_total(result), 0);
    assert_int_equal(lat_load_result_judge(result, report), 0);
}

static void test_verdicts(void **state)
{
    struct lat_report report = {0};
    const struct lat_judgement *j = &report.loads[0].judgement[1];

    (void)state;
    judge(&report, 12, 5, 1.1);
    assert_int_equal(j->verdict, LAT_ACCEPTED);
    assert_true(lat_report_accepted(&report));
    judge(&report, 12, 5, 1.17); /* the mean is the first gate */
    assert_int_equal(j->verdict, LAT_MISSED);
    assert_non_null(strstr(j->why, "mean of the lower 99 % 1.17, allowed 1.15"));
    assert_null(strstr(j->why, "p50"));
    assert_true(lat_load_result_missed(&report.loads[0], &report));
    assert_false(lat_report_accepted(&report));
    judge(&report, 5, 2, 1.17); /* fewer blocks: the gates are wider */
    assert_int_equal(j->verdict, LAT_ACCEPTED);
    judge(&report, 5, 2, 2);
    assert_int_equal(j->verdict, LAT_MISSED);
    assert_non_null(strstr(j->why, "p50 2, allowed 1.30"));
    assert_non_null(strstr(j->why, "p99 2, allowed 1.80"));
    judge(&report, 12, 5, 0.003); /* far better than cyclictest */
    assert_int_equal(j->verdict, LAT_ACCEPTED);
    judge(&report, 4, 5, 1);
    assert_int_equal(j->verdict, LAT_NO_VERDICT);
    assert_false(lat_load_result_missed(&report.loads[0], &report));
    assert_false(lat_report_accepted(&report));
    judge(&report, 12, 1, 1);
    assert_int_equal(j->verdict, LAT_NO_VERDICT);

    judge(&report, 12, 5, 1.1);
    report.interrupted = true; /* a requested measurement is missing */
    assert_false(lat_report_accepted(&report));
    report.interrupted = false;
    report.options.n_loads = 2;
    assert_false(lat_report_accepted(&report));
    lat_load_result_fini(&report.loads[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles),       cmocka_unit_test(test_single_values),
        cmocka_unit_test(test_merge),           cmocka_unit_test(test_text),
        cmocka_unit_test(test_text_garbage),    cmocka_unit_test(test_text_cut),
        cmocka_unit_test(test_text_round_trip), cmocka_unit_test(test_durations),
        cmocka_unit_test(test_bootstrap),       cmocka_unit_test(test_bootstrap_of_nothing),
        cmocka_unit_test(test_verdicts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
