/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution of the buckets of a message to the rows of cyclictest, which are one microsecond
 * wide.
 *
 * No intermediate array is needed: each of the three columns iterates over its buckets while the
 * rows are written. So every bucket and every row is visited once, whatever bounds the message
 * contains. Buckets with bounds out of order are counted once, in the present row. */
#include "report.h"
#include "wire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define N_COLUMNS            3
#define OUTLIERS_MAX         100
#define LIMIT_USUAL_LEAST_US 200
#define LIMIT_USUAL_MOST_US  10000

__extension__ typedef unsigned __int128 uint128;

/* Buckets are 1/32 of their power of two wide, see Durations. */
#define SUB_BITS 5

/** struct column - iteration over the buckets of @durations.
 * @n, @next: number of buckets, and index after the present bucket
 * @low_ns, @high_ns, @count: range and count of the present bucket, both ends included
 * @given:    part of @count assigned to rows so far
 * @in_rows:  total count assigned to rows */
struct column {
    const Linkage__V1__Durations *durations;
    size_t n;
    size_t next;
    uint64_t low_ns;
    uint64_t high_ns;
    uint64_t count;
    uint64_t given;
    uint64_t in_rows;
};

/** struct latencies - latencies of a column [ns]. @all: number of durations */
struct latencies {
    uint64_t all;
    uint64_t min_ns;
    uint64_t max_ns;
    double mean_ns;
};

static void begin_column(struct column *column, const Linkage__V1__Durations *durations)
{
    *column = (struct column){.durations = durations};
    if (durations == NULL)
        return;
    column->n = durations->n_bucket_upper_ns < durations->n_bucket_count
                    ? durations->n_bucket_upper_ns
                    : durations->n_bucket_count;
}

static uint64_t bucket_width(uint64_t upper_ns)
{
    int exponent = upper_ns > 0 ? 63 - __builtin_clzll(upper_ns) : 0;

    return exponent > SUB_BITS ? UINT64_C(1) << (exponent - SUB_BITS) : 1;
}

/* Advance to the next bucket. If the maximum lies in the bucket, it becomes the upper end; so it
 * does in the overflow bucket, which has no bound.
 * Return: true if there is a next bucket. */
static bool step_column(struct column *column)
{
    uint64_t upper_ns, low_ns, max_ns;

    if (column->next >= column->n)
        return false;
    upper_ns = column->durations->bucket_upper_ns[column->next];
    max_ns = column->durations->max_ns;
    low_ns = upper_ns - bucket_width(upper_ns) + 1;

    column->high_ns = upper_ns;
    if (max_ns < upper_ns && (max_ns >= low_ns || upper_ns >= INT64_MAX))
        column->high_ns = max_ns;
    column->low_ns = low_ns < column->high_ns ? low_ns : column->high_ns;
    column->count = column->durations->bucket_count[column->next];
    column->given = 0;
    column->next++;
    return true;
}

/* Return the part of the present bucket's count that lies below @end_ns and is not yet assigned to
 * a row. */
static uint64_t part_below(struct column *column, uint64_t end_ns)
{
    uint128 width_ns = (uint128)column->high_ns - column->low_ns + 1;
    uint64_t due = column->count, part;

    if (end_ns <= column->low_ns)
        return 0;
    if (end_ns <= column->high_ns)
        due = (uint64_t)((uint128)column->count * (end_ns - column->low_ns) / width_ns);
    part = due - column->given;
    column->given = due;
    return part;
}

/* Return the part of the column's count that lies below @end_ns and is not yet assigned to a
 * row. */
static uint64_t take_below(struct column *column, uint64_t end_ns)
{
    uint64_t sum = part_below(column, end_ns);

    while (column->high_ns < end_ns && step_column(column))
        sum += part_below(column, end_ns);
    column->in_rows += sum;
    return sum;
}

static struct latencies survey(const Linkage__V1__Durations *durations)
{
    struct latencies l = {0};
    struct column column;
    double sum = 0, n = 0;

    begin_column(&column, durations);
    while (step_column(&column)) {
        if (column.count == 0)
            continue;
        if (n == 0)
            l.min_ns = column.low_ns;
        l.all += column.count;
        n += (double)column.count;
        sum += (double)column.count * 0.5 * ((double)column.low_ns + (double)column.high_ns);
    }
    if (n > 0) {
        l.mean_ns = sum / n;
        l.max_ns = durations->max_ns;
    }
    return l;
}

static void put_rows(FILE *file, struct column columns[N_COLUMNS], unsigned int limit_us)
{
    for (unsigned int us = 0; us < limit_us; us++) {
        fprintf(file, "%06u ", us);
        for (int i = 0; i < N_COLUMNS; i++)
            fprintf(file, "%06" PRIu64 "%c", take_below(&columns[i], (us + UINT64_C(1)) * 1000),
                    i < N_COLUMNS - 1 ? '\t' : '\n');
    }
}

static void put_line(FILE *file, const char *name, int digits, const uint64_t values[N_COLUMNS])
{
    fprintf(file, "# %s:", name);
    for (int i = 0; i < N_COLUMNS; i++)
        fprintf(file, " %0*" PRIu64, digits, values[i]);
    putc('\n', file);
}

/* Return the duration of @cycle in column @i. The difference is computed with unsigned numbers,
 * because untrusted values could overflow signed ones. */
static int64_t duration_of(const Linkage__V1__CycleRecord *cycle, int i)
{
    if (i == 0)
        return cycle->woken_ns;
    if (i == 1)
        return (int64_t)((uint64_t)cycle->computed_ns - (uint64_t)cycle->woken_ns);
    return cycle->ended_ns;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Write the numbers of the cycles beyond the last row, if the message has them among the worst
 * cycles. */
static void put_outliers(FILE *file, const Linkage__V1__Evidence *e, int i, unsigned int limit_us,
                         uint64_t overflow)
{
    uint64_t cycles[OUTLIERS_MAX];
    size_t n = 0;

    for (size_t k = 0; k < e->n_worst && n < OUTLIERS_MAX && n < overflow; k++)
        if (duration_of(e->worst[k], i) >= (int64_t)limit_us * 1000)
            cycles[n++] = e->worst[k]->cycle;
    qsort(cycles, n, sizeof(cycles[0]), by_number);
    fprintf(file, "# Thread %d:", i);
    for (size_t k = 0; k < n; k++)
        fprintf(file, " %05" PRIu64, cycles[k]);
    if (overflow > n)
        fprintf(file, " # %05" PRIu64 " others", overflow - n);
    putc('\n', file);
}

static unsigned int choose_limit(const Linkage__V1__Evidence *evidence, unsigned int limit_us)
{
    uint64_t usual_us = evidence->period_ns / 1000 + (evidence->period_ns % 1000 > 0);

    if (limit_us > LK_REPORT_LIMIT_MAX_US)
        return LK_REPORT_LIMIT_MAX_US;
    if (limit_us > 0)
        return limit_us;
    if (usual_us < LIMIT_USUAL_LEAST_US)
        return LIMIT_USUAL_LEAST_US;
    return usual_us < LIMIT_USUAL_MOST_US ? (unsigned int)usual_us : LIMIT_USUAL_MOST_US;
}

static void put_summary(FILE *file, const Linkage__V1__Evidence *evidence,
                        const struct column columns[N_COLUMNS], unsigned int limit_us)
{
    uint64_t total[N_COLUMNS], min[N_COLUMNS], mean[N_COLUMNS], max[N_COLUMNS], over[N_COLUMNS];

    for (int i = 0; i < N_COLUMNS; i++) {
        struct latencies l = survey(columns[i].durations);

        total[i] = columns[i].in_rows;
        min[i] = l.min_ns / 1000;
        mean[i] = (uint64_t)(l.mean_ns * 1e-3);
        max[i] = l.max_ns / 1000;
        over[i] = l.all - columns[i].in_rows;
    }
    put_line(file, "Total", 9, total);
    put_line(file, "Min Latencies", 5, min);
    put_line(file, "Avg Latencies", 5, mean);
    put_line(file, "Max Latencies", 5, max);
    put_line(file, "Histogram Overflows", 5, over);
    fputs("# Histogram Overflow at cycle number:\n", file);
    for (int i = 0; i < N_COLUMNS; i++)
        put_outliers(file, evidence, i, limit_us, over[i]);
    putc('\n', file);
}

void lk_report_histogram(FILE *file, const Linkage__V1__Evidence *evidence, unsigned int limit_us)
{
    struct column columns[N_COLUMNS];

    limit_us = choose_limit(evidence, limit_us);
    begin_column(&columns[0], evidence->wakeup);
    begin_column(&columns[1], evidence->compute);
    begin_column(&columns[2], evidence->response);
    fputs("# linkaged ", file);
    lk_report_put(file, evidence->version);
    fputs(": ", file);
    lk_report_put(file, evidence->model);
    fprintf(file, ", period %.3f us; columns: us, wake-up, compute, response\n# Histogram\n",
            (double)evidence->period_ns * 1e-3);
    put_rows(file, columns, limit_us);
    put_summary(file, evidence, columns, limit_us);
}
