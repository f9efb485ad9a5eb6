/* SPDX-License-Identifier: Apache-2.0 */
#include "bootstrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* struct table - the blocks of a method, all with the same classes: the union of the classes of all
 * blocks. Therefore a draw only has to add rows.
 * @drawn:  sum of the drawn blocks
 * @counts: counts of all blocks, @n_blocks rows of @drawn.n classes */
struct table {
    struct lat_histogram drawn;
    uint64_t *counts;
};

double lat_statistic_of(const struct lat_histogram *histogram, enum lat_statistic statistic)
{
    switch (statistic) {
    case LAT_P50:
        return lat_histogram_quantile(histogram, 0.5);
    case LAT_P90:
        return lat_histogram_quantile(histogram, 0.9);
    case LAT_LOWER_MEAN:
        return lat_histogram_lower_mean(histogram, 0.99);
    case LAT_P99:
        return lat_histogram_quantile(histogram, 0.99);
    default:
        return NAN;
    }
}

const char *lat_statistic_name(enum lat_statistic statistic)
{
    static const char *const names[LAT_N_STATISTICS] = {"p50", "p90", "mean of the lower 99 %",
                                                        "p99"};

    return statistic < LAT_N_STATISTICS ? names[statistic] : "";
}

/* Return a random number: SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void table_fini(struct table *table)
{
    lat_histogram_fini(&table->drawn);
    free(table->counts);
}

static void fill_row(const struct table *table, const struct lat_histogram *block, uint64_t *row)
{
    const struct lat_class *all = table->drawn.classes;
    size_t at = 0;

    for (size_t i = 0; i < block->n; i++) {
        while (all[at].from_us < block->classes[i].from_us ||
               all[at].to_us < block->classes[i].to_us)
            at++;
        row[at] = block->classes[i].count;
    }
}

static int table_init(struct table *ret_table, const struct lat_histogram *blocks, size_t n_blocks)
{
    struct table table = {0};
    int code = 0;

    for (size_t k = 0; k < n_blocks && code == 0; k++)
        code = lat_histogram_merge(&table.drawn, &blocks[k]);
    if (code == 0) {
        table.counts = calloc(n_blocks * table.drawn.n + 1, sizeof(*table.counts));
        code = table.counts != NULL ? 0 : -ENOMEM;
    }
    if (code != 0) {
        table_fini(&table);
        return code;
    }
    for (size_t k = 0; k < n_blocks; k++)
        fill_row(&table, &blocks[k], table.counts + k * table.drawn.n);
    *ret_table = table;
    return 0;
}

/* Set table->drawn to the sum of the @n_blocks blocks with the indices @picks. */
static void draw_blocks(struct table *table, const size_t *picks, size_t n_blocks)
{
    struct lat_histogram *drawn = &table->drawn;

    drawn->count = 0;
    for (size_t i = 0; i < drawn->n; i++)
        drawn->classes[i].count = 0;
    for (size_t k = 0; k < n_blocks; k++) {
        const uint64_t *row = table->counts + picks[k] * drawn->n;

        for (size_t i = 0; i < drawn->n; i++) {
            drawn->classes[i].count += row[i];
            drawn->count += row[i];
        }
    }
}

static double ratio_of(const struct table *method, const struct table *reference, int statistic)
{
    return lat_statistic_of(&method->drawn, (enum lat_statistic)statistic) /
           lat_statistic_of(&reference->drawn, (enum lat_statistic)statistic);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Draw @n_draws times and write the ratio of each statistic to @ret_values. Both methods use the
 * same picks, so that the blocks remain paired. */
static void draw_all(struct table *method, struct table *reference, size_t n_blocks, size_t n_draws,
                     uint64_t seed, size_t *picks, double *ret_values)
{
    for (size_t i = 0; i < n_draws; i++) {
        for (size_t k = 0; k < n_blocks; k++)
            picks[k] = (size_t)(next_random(&seed) % n_blocks);
        draw_blocks(method, picks, n_blocks);
        draw_blocks(reference, picks, n_blocks);
        for (int s = 0; s < LAT_N_STATISTICS; s++)
            ret_values[(size_t)s * n_draws + i] = ratio_of(method, reference, s);
    }
}

/* Set the interval between two quantiles of the draws, so that equal parts of the draws are below
 * and above it. */
static void set_interval(double *values, size_t n, struct lat_ratio *ratio)
{
    size_t outside = (size_t)((1 - LAT_INTERVAL) / 2 * (double)(n - 1) + 0.5);

    qsort(values, n, sizeof(*values), compare_doubles);
    ratio->low = values[outside];
    ratio->high = values[n - 1 - outside];
}

static void compute_ratios(struct table *method, struct table *reference, size_t n_blocks,
                           size_t n_draws, uint64_t seed, size_t *picks, double *values,
                           struct lat_ratio ret_ratios[LAT_N_STATISTICS])
{
    for (int s = 0; s < LAT_N_STATISTICS; s++)
        ret_ratios[s].value = ratio_of(method, reference, s);
    draw_all(method, reference, n_blocks, n_draws, seed, picks, values);
    for (int s = 0; s < LAT_N_STATISTICS; s++)
        set_interval(values + (size_t)s * n_draws, n_draws, &ret_ratios[s]);
}

int lat_bootstrap(const struct lat_histogram *method, const struct lat_histogram *reference,
                  size_t n_blocks, size_t n_draws, uint64_t seed,
                  struct lat_ratio ret_ratios[LAT_N_STATISTICS])
{
    struct table tables[2] = {0};
    size_t *picks = calloc(n_blocks + 1, sizeof(*picks));
    double *values = calloc(LAT_N_STATISTICS * n_draws, sizeof(*values));
    int code = picks != NULL && values != NULL ? 0 : -ENOMEM;

    for (int s = 0; s < LAT_N_STATISTICS; s++)
        ret_ratios[s] = (struct lat_ratio){NAN, NAN, NAN};
    if (code == 0)
        code = table_init(&tables[0], method, n_blocks);
    if (code == 0)
        code = table_init(&tables[1], reference, n_blocks);
    if (code == 0 && tables[0].drawn.count > 0 && tables[1].drawn.count > 0)
        compute_ratios(&tables[0], &tables[1], n_blocks, n_draws, seed, picks, values, ret_ratios);
    table_fini(&tables[0]);
    table_fini(&tables[1]);
    free(picks);
    free(values);
    return code;
}
