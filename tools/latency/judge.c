/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the verdict on a way of waiting.
 *
 * The gates are the largest accepted ratios of its latencies to those of cyclictest. They were
 * chosen so that a virtual machine meets them in repeated measurements if the cycle is as good as
 * cyclictest. Under three loads and in a hundred resamples, 12 blocks of 5 s gave ratios up to 1.14
 * (p50), 1.10 (lower mean) and 1.44 (p99); 5 blocks gave up to 1.23, 1.12 and 1.63. p90 is
 * reported, but has no gate. p99.9 and the maximum are not used, because they depend on the
 * machine. */
#include "results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define N_DRAWS 1000

static const struct lat_gate gate_full = {.p50 = 1.20, .lower_mean = 1.15, .p99 = 1.5};
static const struct lat_gate gate_quick = {.p50 = 1.30, .lower_mean = 1.20, .p99 = 1.8};

const struct lat_gate *lat_gate_for(int n_rounds, double slice_s)
{
    if (n_rounds >= 12 && slice_s >= 5)
        return &gate_full;
    return n_rounds >= 5 && slice_s >= 2 ? &gate_quick : NULL;
}

static void decide_gate(struct lat_judgement *judgement, const struct lat_gate *gate)
{
    const struct {
        enum lat_statistic statistic;
        double limit;
    } limits[] = {{LAT_P50, gate->p50}, {LAT_LOWER_MEAN, gate->lower_mean}, {LAT_P99, gate->p99}};
    size_t n = 0;

    judgement->verdict = LAT_ACCEPTED;
    judgement->why[0] = '\0';
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        double value = judgement->ratios[limits[i].statistic].value;

        if (value <= limits[i].limit)
            continue;
        judgement->verdict = LAT_MISSED;
        if (n < sizeof(judgement->why))
            n += (size_t)snprintf(judgement->why + n, sizeof(judgement->why) - n,
                                  "%s%s %.3g, allowed %.2f", n > 0 ? "; " : "",
                                  lat_statistic_name(limits[i].statistic), value, limits[i].limit);
    }
}

/* Return block k of method @m for each round k. The rounds keep ownership of the histograms. */
static struct lat_histogram *blocks_of(const struct lat_load_result *result, int m)
{
    struct lat_histogram *blocks = calloc((size_t)result->n_rounds + 1, sizeof(*blocks));

    for (int k = 0; k < result->n_rounds && blocks != NULL; k++)
        blocks[k] = result->rounds[k].wakeups[m].late;
    return blocks;
}

static int judge_method(struct lat_load_result *result, int m, const struct lat_report *report)
{
    struct lat_judgement *judgement = &result->judgement[m];
    const struct lat_gate *gate = lat_gate_for(result->n_rounds, report->options.slice_s);
    struct lat_histogram *method = blocks_of(result, m);
    struct lat_histogram *reference = blocks_of(result, 0);
    int code = -ENOMEM;

    judgement->verdict = LAT_NO_VERDICT;
    if (method != NULL && reference != NULL)
        code = lat_bootstrap(method, reference, (size_t)result->n_rounds, N_DRAWS,
                             report->options.seed, judgement->ratios);
    free(method);
    free(reference);
    if (code != 0)
        return code;
    if (result->total.wakeups[0].late.count == 0 || result->total.wakeups[m].late.count == 0)
        snprintf(judgement->why, sizeof(judgement->why), "nothing to compare with");
    else if (gate == NULL)
        snprintf(judgement->why, sizeof(judgement->why),
                 "too little was measured, it takes at least 5 rounds of 2 s");
    else
        decide_gate(judgement, gate);
    return 0;
}

int lat_load_result_judge(struct lat_load_result *result, const struct lat_report *report)
{
    int code = 0;

    for (int m = 1; m <= report->options.n_wakes && code == 0; m++)
        code = judge_method(result, m, report);
    return code;
}

bool lat_load_result_missed(const struct lat_load_result *result, const struct lat_report *report)
{
    for (int m = 1; m <= report->options.n_wakes; m++) {
        if (result->judgement[m].verdict == LAT_MISSED)
            return true;
    }
    return false;
}

bool lat_report_accepted(const struct lat_report *report)
{
    for (int i = 0; i < report->n_loads; i++) {
        for (int m = 1; m <= report->options.n_wakes; m++) {
            if (report->loads[i].judgement[m].verdict != LAT_ACCEPTED)
                return false;
        }
    }
    return report->n_loads == report->options.n_loads && !report->interrupted;
}
