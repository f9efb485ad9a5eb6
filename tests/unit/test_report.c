/* SPDX-License-Identifier: Apache-2.0 */
/* Evidence as text: the output for synthetic messages, and hostile messages, which must do no
 * harm. */
#include "report.h"
#include "wire.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define N_COLUMNS 3

typedef void write_function(FILE *file, const Linkage__V1__Evidence *evidence);

static unsigned int limit_us;

static void write_histogram(FILE *file, const Linkage__V1__Evidence *evidence)
{
    lk_report_histogram(file, evidence, limit_us);
}

/* Return the text that @function writes about @evidence. The caller frees it. */
static char *text_of(write_function *function, const Linkage__V1__Evidence *evidence)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    function(file, evidence);
    assert_int_equal(ferror(file), 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(strlen(text), size);
    return text;
}

static void assert_text(write_function *function, const Linkage__V1__Evidence *evidence,
                        const char *expected)
{
    char *text = text_of(function, evidence);

    assert_string_equal(text, expected);
    free(text);
}

/* Return the inclusive upper bound of a bucket of the daemon: 32 buckets per power of two. */
static uint64_t bucket_upper(uint64_t ns)
{
    int octave = 0;

    while (ns >> octave >= 64)
        octave++;
    return (((ns >> octave) + 1) << octave) - 1;
}

/** struct histogram - the data that a plotting script reads from the text
 * @rows: sum of each column
 * @cell: counts of the first rows */
struct histogram {
    unsigned int n_rows;
    uint64_t rows[N_COLUMNS], total[N_COLUMNS], over[N_COLUMNS];
    uint64_t min[N_COLUMNS], mean[N_COLUMNS], max[N_COLUMNS];
    uint64_t cell[1000][N_COLUMNS];
};

static void read_three(const char *line, const char *name, uint64_t values[N_COLUMNS])
{
    char *at;

    if (strncmp(line, name, strlen(name)) != 0)
        return;
    at = (char *)line + strlen(name);
    for (int i = 0; i < N_COLUMNS; i++)
        values[i] = strtoull(at, &at, 10);
    assert_int_equal(*at, '\0');
}

static void read_row(const char *line, struct histogram *h)
{
    char *at;

    assert_int_equal(strtoul(line, &at, 10), h->n_rows);
    for (int i = 0; i < N_COLUMNS; i++) {
        uint64_t n;

        /* the separators of cyclictest: a blank, then tabs */
        assert_int_equal(*at, i == 0 ? ' ' : '\t');
        n = strtoull(at, &at, 10);
        h->rows[i] += n;
        if (h->n_rows < 1000)
            h->cell[h->n_rows][i] = n;
    }
    assert_int_equal(*at, '\0');
    h->n_rows++;
}

/* Parse the text as the scripts do: lines with '#' are comments, some of which have a meaning. */
static void read_histogram(char *text, struct histogram *h)
{
    char *save, *line;

    memset(h, 0, sizeof(*h));
    for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (line[0] != '#')
            read_row(line, h);
        read_three(line, "# Total:", h->total);
        read_three(line, "# Min Latencies:", h->min);
        read_three(line, "# Avg Latencies:", h->mean);
        read_three(line, "# Max Latencies:", h->max);
        read_three(line, "# Histogram Overflows:", h->over);
    }
    free(text);
}

static struct histogram histogram;

/* Write a histogram, read it back, and check that the counts of each column add up to @n. */
static void check_totals(const Linkage__V1__Evidence *evidence, unsigned int limit, uint64_t n)
{
    limit_us = limit;
    read_histogram(text_of(write_histogram, evidence), &histogram);
    for (int i = 0; i < N_COLUMNS; i++) {
        assert_int_equal(histogram.rows[i], histogram.total[i]);
        assert_int_equal(histogram.total[i] + histogram.over[i], n);
    }
}

static void set_buckets(Linkage__V1__Durations *d, uint64_t *upper, uint64_t *count, size_t n)
{
    d->bucket_upper_ns = upper;
    d->bucket_count = count;
    d->n_bucket_upper_ns = d->n_bucket_count = n;
    d->count = 0;
    for (size_t i = 0; i < n; i++)
        d->count += count[i];
}

/* The text is checked byte by byte, because scripts apply sed and cut to it. */
static void test_histogram_text(void **state)
{
    Linkage__V1__Evidence e = LINKAGE__V1__EVIDENCE__INIT;
    Linkage__V1__Durations wakeup = LINKAGE__V1__DURATIONS__INIT;
    Linkage__V1__Durations response = LINKAGE__V1__DURATIONS__INIT;
    Linkage__V1__CycleRecord cycles[3] = {LINKAGE__V1__CYCLE_RECORD__INIT,
                                          LINKAGE__V1__CYCLE_RECORD__INIT,
                                          LINKAGE__V1__CYCLE_RECORD__INIT};
    Linkage__V1__CycleRecord *worst[] = {&cycles[0], &cycles[1], &cycles[2]};
    uint64_t upper[] = {63, bucket_upper(1900), bucket_upper(9000)};
    uint64_t count[] = {2, 5, 4};

    (void)state;
    e.version = (char *)"1.2";
    e.model = (char *)"rig\n000009 1";
    e.period_ns = 1000000;
    set_buckets(&wakeup, upper, count, 2);
    set_buckets(&response, upper, count, 3);
    wakeup.max_ns = 1900;
    response.max_ns = 9000;
    e.wakeup = &wakeup;
    e.response = &response;
    for (int i = 0; i < 3; i++) {
        cycles[i].cycle = (uint64_t)(70 - i);
        cycles[i].ended_ns = 9000 - 3500 * i;
    }
    e.worst = worst;
    e.n_worst = 3;
    limit_us = 4;
    assert_text(write_histogram, &e,
                "# linkaged 1.2: rig?000009 1, period 1000.000 us; columns: us, wake-up, compute, "
                "response\n"
                "# Histogram\n"
                "000000 000002\t000000\t000002\n"
                "000001 000005\t000000\t000005\n"
                "000002 000000\t000000\t000000\n"
                "000003 000000\t000000\t000000\n"
                "# Total: 000000007 000000000 000000007\n"
                "# Min Latencies: 00000 00000 00000\n"
                "# Avg Latencies: 00001 00000 00004\n"
                "# Max Latencies: 00001 00000 00009\n"
                "# Histogram Overflows: 00000 00000 00004\n"
                "# Histogram Overflow at cycle number:\n"
                "# Thread 0:\n"
                "# Thread 1:\n"
                "# Thread 2: 00069 00070 # 00002 others\n"
                "\n");
}

/* A bucket from 98.304 to 100.351 us is 2.048 us wide: its 10 counts are divided in the ratio 696 :
 * 1000 : 352 ns. */
static void test_wide_bucket_is_divided(void **state)
{
    Linkage__V1__Evidence e = LINKAGE__V1__EVIDENCE__INIT;
    Linkage__V1__Durations d = LINKAGE__V1__DURATIONS__INIT;
    uint64_t upper[] = {bucket_upper(99000)};
    uint64_t count[] = {10};

    (void)state;
    assert_int_equal(upper[0], 100351);
    set_buckets(&d, upper, count, 1);
    d.max_ns = 100351;
    e.wakeup = e.compute = e.response = &d;
    check_totals(&e, 200, 10);
    assert_int_equal(histogram.cell[98][0], 3);
    assert_int_equal(histogram.cell[99][0], 5);
    assert_int_equal(histogram.cell[100][0], 2);
    assert_int_equal(histogram.min[0], 98);
    assert_int_equal(histogram.mean[0], 99);
    check_totals(&e, 100, 10);
    assert_int_equal(histogram.over[0], 2);

    /* no row above the longest value */
    d.max_ns = 98999;
    check_totals(&e, 200, 10);
    assert_int_equal(histogram.cell[98][0], 10);
    assert_int_equal(histogram.max[0], 98);
}

/* Totals are exact for any shape of the distribution and any number of rows. */
static void test_totals(void **state)
{
    static const unsigned int limits[] = {0, 1, 2, 99, 1000, 20000};
    Linkage__V1__Evidence e = LINKAGE__V1__EVIDENCE__INIT;
    Linkage__V1__Durations d = LINKAGE__V1__DURATIONS__INIT;
    uint64_t upper[2000], count[2000], ns = 1;
    size_t n = 0;

    (void)state;
    srand(5);
    for (; ns < (UINT64_C(1) << 34); ns = upper[n - 1] + 1 + (uint64_t)(rand() % 9) * ns / 16) {
        upper[n] = bucket_upper(ns);
        count[n] = rand() % 4 > 0 ? (uint64_t)(rand() % 5) : (uint64_t)rand() << 20;
        n++;
    }
    /* the overflow bucket */
    upper[n] = INT64_MAX;
    count[n++] = 3;
    set_buckets(&d, upper, count, n);
    d.max_ns = UINT64_C(20000000000);
    e.wakeup = e.compute = e.response = &d;
    e.period_ns = 1000001;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        check_totals(&e, limits[i], d.count);
        assert_int_equal(histogram.n_rows, limits[i] > 0 ? limits[i] : 1001);
        assert_true(histogram.over[0] >= 3);
        assert_int_equal(histogram.max[0], 20000000);
    }
}

static void test_usual_limits(void **state)
{
    static const struct {
        uint64_t period_ns;
        unsigned int limit, rows;
    } cases[] = {{0, 0, 200},       {100000, 0, 200},
                 {250000, 0, 250},  {UINT64_MAX, 0, 10000},
                 {1000000, 30, 30}, {1000000, LK_REPORT_LIMIT_MAX_US + 1, LK_REPORT_LIMIT_MAX_US}};
    Linkage__V1__Evidence e = LINKAGE__V1__EVIDENCE__INIT;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        e.period_ns = cases[i].period_ns;
        check_totals(&e, cases[i].limit, 0);
        assert_int_equal(histogram.n_rows, cases[i].rows);
    }
}

/* The pipeline of the common gnuplot scripts is run with the same programs. */
static void test_plotting_scripts(void **state)
{
    static const char script[] =
        "f=%s; grep -v -e '^#' -e '^$' $f | tr ' ' '\\t' | cut -f1,%d | "
        "awk -v max=\"$(grep 'Max Latencies' $f | tr ' ' '\\n' | sort -n | tail -1 | sed "
        "'s/^0*//')\" "
        "'{ n += $2; if ($2 > 0) last = $1 } END { print n, last + 0, max, NF }'";
    Linkage__V1__Evidence e = LINKAGE__V1__EVIDENCE__INIT;
    Linkage__V1__Durations d = LINKAGE__V1__DURATIONS__INIT;
    uint64_t upper[] = {bucket_upper(15200), bucket_upper(99000)};
    uint64_t count[] = {1000000000, 10};
    char path[] = "/tmp/linkage-report-XXXXXX", line[100], command[1000];
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");

    (void)state;
    assert_non_null(file);
    set_buckets(&d, upper, count, 2);
    d.max_ns = 100300;
    e.wakeup = e.compute = e.response = &d;
    lk_report_histogram(file, &e, 400);
    assert_int_equal(fclose(file), 0);
    for (int column = 2; column <= 4; column++) {
        FILE *pipe;

        snprintf(command, sizeof(command), script, path, column);
        pipe = popen(command, "r");
        assert_non_null(pipe);
        assert_non_null(fgets(line, sizeof(line), pipe));
        pclose(pipe);
        assert_string_equal(line, "1000000010 100 100 2\n");
    }
    remove(path);
}

static void test_utc(void **state)
{
    char text[LK_REPORT_UTC_SIZE];

    (void)state;
    lk_report_utc(0, text);
    assert_string_equal(text, "");
    lk_report_utc(UINT64_C(1772366400000250999), text);
    assert_string_equal(text, "2026-03-01T12:00:00.000250Z");
    lk_report_utc(UINT64_MAX, text);
    assert_string_equal(text, "2554-07-21T23:34:33.709551Z");
}

#define NO_DURATIONS                                                                               \
    "{\"count\":0,\"p50_ns\":0,\"p99_ns\":0,\"p999_ns\":0,\"max_ns\":0,\"buckets\":[]}"

static void test_empty(void **state)
{
    static const Linkage__V1__Evidence empty = LINKAGE__V1__EVIDENCE__INIT;
    char *text;

    (void)state;
    assert_text(lk_report_json, &empty,
                "{\"version\":\"\",\"model\":\"\",\"state\":\"unknown\",\"fault\":\"\","
                "\"started_utc\":\"\",\"period_ns\":0,\"step\":0,\"time_s\":0,\"cycles\":0,"
                "\"overruns\":0,\"skipped\":0,\"late_wakeups\":0,\"late_wakeup_step\":0,"
                "\"long_computations\":0,\"long_computation_step\":0,"
                "\"caught_up\":0,\"throttled\":0,\"behind_s\":0,\"records_lost\":0,\"degraded\":[],"
                "\"host\":{},"
                "\"proof\":{\"valid\":false,\"progress\":0,\"steps\":0,\"p50_ns\":0,\"p999_ns\":0,"
                "\"max_ns\":0,\"period_ns\":0,\"share_limit\":0,\"quantile\":0,\"judged_ns\":0,"
                "\"machine_gap_ns\":0,"
                "\"spin_margin_ns\":0,\"degraded\":false,\"text\":\"\"},"
                "\"wakeup\":" NO_DURATIONS ",\"compute\":" NO_DURATIONS
                ",\"response\":" NO_DURATIONS ",\"hand_over\":" NO_DURATIONS
                ",\"input_age\":" NO_DURATIONS
                ",\"budget_clocks\":{\"wire\":\"daemon, monotonic, less bench_hold\","
                "\"wire_in\":\"wall clocks of daemon and bench\","
                "\"wire_out\":\"wall clocks of daemon and bench\","
                "\"wait\":\"daemon, monotonic\",\"step\":\"daemon, monotonic\","
                "\"publish\":\"daemon, monotonic\",\"bench_hold\":\"bench\"},\"budgets\":[]"
                ",\"worst\":[],\"missed\":[],\"missed_left_out\":0}\n");
    text = text_of(lk_report_text, &empty);
    assert_non_null(strstr(text, "wake-up                -          -          -          -"));
    assert_null(strstr(text, "worst"));
    free(text);
}

/** struct run - a message with all its parts */
struct run {
    Linkage__V1__Evidence e;
    Linkage__V1__Durations d;
    Linkage__V1__Proof proof;
    Linkage__V1__HostFact fact;
    Linkage__V1__CycleRecord cycles[12];
    Linkage__V1__CycleRecord *list[12];
    Linkage__V1__HostFact *facts[1];
    char *degraded[1];
    uint64_t upper[2], count[2];
};

static void make_run(struct run *run)
{
    *run = (struct run){.e = LINKAGE__V1__EVIDENCE__INIT,
                        .d = LINKAGE__V1__DURATIONS__INIT,
                        .proof = LINKAGE__V1__PROOF__INIT,
                        .fact = LINKAGE__V1__HOST_FACT__INIT,
                        .degraded = {(char *)"no PREEMPT_RT kernel"},
                        .upper = {63, 127},
                        .count = {2, 3}};
    for (int i = 0; i < 12; i++) {
        linkage__v1__cycle_record__init(&run->cycles[i]);
        run->cycles[i].cycle = (uint64_t)(100 + i);
        run->cycles[i].woken_ns = -250;
        run->cycles[i].ended_ns = 1212100;
        run->cycles[i].utc_ns = UINT64_C(1772366400000250000);
        run->cycles[i].cause = (char *)"late wake-up";
        run->list[i] = &run->cycles[i];
    }
    set_buckets(&run->d, run->upper, run->count, 2);
    run->d.p50_ns = 15250;
    run->facts[0] = &run->fact;
    run->fact.name = (char *)"kernel";
    run->fact.value = (char *)"Linux 6.1.0-rt";
    run->proof.text = (char *)"max 212 us of 1000 us, slack 78 %";
    run->e.state = LINKAGE__V1__STATE__STATE_ARMED;
    run->e.model = (char *)"four-bar";
    run->e.wakeup = run->e.compute = run->e.response = &run->d;
    run->e.hand_over = run->e.input_age = &run->d;
    run->e.worst = run->e.missed = run->list;
    run->e.n_worst = run->e.n_missed = 12;
    run->e.missed_left_out = 5;
    run->e.host = run->facts;
    run->e.proof = &run->proof;
    run->e.degraded = run->degraded;
    run->e.n_host = run->e.n_degraded = 1;
}

static void assert_has(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("no '%s' in\n%s", part, text ? text : "nothing");
}

static void test_json(void **state)
{
    struct run run;
    char *text;

    (void)state;
    make_run(&run);
    text = text_of(lk_report_json, &run.e);
    assert_has(text, "\"state\":\"armed\"");
    assert_has(text, "\"wakeup\":{\"count\":5,\"p50_ns\":15250,\"p99_ns\":0,\"p999_ns\":0,"
                     "\"max_ns\":0,\"buckets\":[[63,2],[127,3]]},\"compute\"");
    assert_has(text, "\"host\":{\"kernel\":\"Linux 6.1.0-rt\"},\"proof\":{");
    assert_has(text, "\"degraded\":[\"no PREEMPT_RT kernel\"]");
    assert_has(text, "\"worst\":[{\"cycle\":100,\"step\":0,\"deadline_ns\":0,"
                     "\"utc_ns\":1772366400000250000,\"utc\":\"2026-03-01T12:00:00.000250Z\","
                     "\"woken_ns\":-250,\"latched_ns\":0,\"stepped_ns\":0,\"computed_ns\":0,"
                     "\"ended_ns\":1212100,\"cause\":\"late wake-up\"},{");
    assert_has(text, "}],\"missed_left_out\":5}\n");
    free(text);
}

static void test_tables(void **state)
{
    struct run run;
    char *text;

    (void)state;
    make_run(&run);
    text = text_of(lk_report_text, &run.e);
    assert_has(text, "proof         max 212 us of 1000 us, slack 78 %\n");
    assert_has(text, "degraded      no PREEMPT_RT kernel\n");
    assert_has(text, "wake-up             15.2        0.0        0.0        0.0            5\n");
    assert_has(text, "       100          0      -0.2       0.0       0.0       0.0    1212.1"
                     "  2026-03-01T12:00:00.000250Z  late wake-up\n");
    /* each table lists ten of the twelve cycles; that of missed deadlines has the number of all
     * others */
    assert_has(text, "       109 ");
    assert_null(strstr(text, "       110 "));
    assert_has(text, "and 7 more\n");
    free(text);
}

/* All values are at their extremes, and the text must stay valid. */
static void make_hostile(struct run *run)
{
    static char evil[] = "\033[2J\n# Total: 1\xff\"}";

    make_run(run);
    run->d.n_bucket_upper_ns = 2;
    run->d.n_bucket_count = 1;
    run->upper[0] = run->upper[1] = UINT64_MAX;
    run->count[0] = run->count[1] = UINT64_MAX;
    run->d.count = run->d.p50_ns = run->d.p99_ns = run->d.p999_ns = run->d.max_ns = UINT64_MAX;
    for (int i = 0; i < 12; i++) {
        run->cycles[i].woken_ns = INT64_MAX;
        run->cycles[i].computed_ns = run->cycles[i].ended_ns = INT64_MIN;
        run->cycles[i].cycle = run->cycles[i].step = run->cycles[i].utc_ns = UINT64_MAX;
        run->cycles[i].cause = i % 2 ? evil : NULL;
    }
    run->e.behind_s = NAN;
    run->e.time_s = -INFINITY;
    run->e.model = run->e.fault = run->e.version = run->e.started_utc = evil;
    run->degraded[0] = run->fact.name = run->proof.text = evil;
    run->fact.value = NULL;
    run->e.missed_left_out = run->e.cycles = run->e.period_ns = UINT64_MAX;
    run->e.state = (Linkage__V1__State)-7;
}

static void check_hostile(const struct run *run)
{
    static write_function *const functions[] = {lk_report_json, lk_report_text, write_histogram};

    for (int i = 0; i < 3; i++) {
        char *text = text_of(functions[i], &run->e);

        assert_null(strchr(text, '\033'));
        assert_null(strstr(text, "\n# Total: 1"));
        free(text);
    }
}

static void test_hostile(void **state)
{
    static uint64_t falling[] = {UINT64_MAX, 5, 5, 0, INT64_MAX, 1u << 20};
    static uint64_t counts[] = {1, UINT64_MAX, 3, UINT64_MAX / 2, 7, 9};
    struct run run;

    (void)state;
    limit_us = 3000;
    make_hostile(&run);
    check_hostile(&run);
    set_buckets(&run.d, falling, counts, 6);
    check_hostile(&run);
    check_totals(&run.e, 50, run.d.count);
    /* except the first count, so that no value is above it */
    set_buckets(&run.d, falling + 1, counts + 1, 5);
    run.d.max_ns = 0;
    check_hostile(&run);
    check_totals(&run.e, 50, run.d.count);
    run.d.bucket_count = NULL;
    run.d.n_bucket_count = 0;
    check_hostile(&run);
    run.e.model = run.e.version = run.e.fault = run.e.started_utc = run.proof.text = NULL;
    check_hostile(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_histogram_text),
        cmocka_unit_test(test_wide_bucket_is_divided),
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_usual_limits),
        cmocka_unit_test(test_plotting_scripts),
        cmocka_unit_test(test_utc),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_hostile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
