/* SPDX-License-Identifier: Apache-2.0 */
/* Times of a step by every engine, measured on the processors of core/batch/prices.c by
 * `linkage bench --prices`, which prints such lines: CPU time [ns], least of 96 batches, with
 * eight lanes, four, two, one, and one by one; 0: the processor has no such engine.
 *
 * Of the Intel Xeon (family 6, model 167) only what test_cost.c says is kept. */
#ifndef TEST_PRICES_MEASURED_H
#define TEST_PRICES_MEASURED_H

#include "batch/prices.h"

static const struct prices_measured {
    const char *processor;
    const char *model;
    double time_ns[LK_WIDTHS + 1];
} prices_measured[] = {
    /* AMD EPYC, family 25 model 1, a virtual machine with other work beside */
    {"AMD Zen 3", "chain-1", {0, 1041, 1062, 992, 827}},
    {"AMD Zen 3", "chain-2", {0, 1955, 1792, 1945, 1263}},
    {"AMD Zen 3", "chain-4", {0, 2880, 3181, 3633, 2120}},
    {"AMD Zen 3", "chain-8", {0, 4487, 5204, 7055, 4131}},
    {"AMD Zen 3", "chain-16", {0, 6556, 9076, 14121, 8249}},
    {"AMD Zen 3", "chain-32", {0, 10845, 17842, 29564, 16770}},
    {"AMD Zen 3", "chain-128", {0, 36329, 68305, 117993, 67090}},
    {"AMD Zen 3", "chain-256", {0, 74904, 141244, 240048, 137196}},
    {"AMD Zen 3", "chain-2-revolute", {0, 3866, 3621, 3751, 2034}},
    {"AMD Zen 3", "chain-4-revolute", {0, 5917, 6300, 7103, 3775}},
    {"AMD Zen 3", "chain-8-revolute", {0, 8845, 10225, 13936, 7631}},
    {"AMD Zen 3", "chain-16-revolute", {0, 12060, 17509, 27384, 15642}},
    {"AMD Zen 3", "chain-32-revolute", {0, 19063, 33494, 56652, 32036}},
    {"AMD Zen 3", "chain-128-revolute", {0, 63664, 131856, 242640, 131409}},
    {"AMD Zen 3", "chain-256-revolute", {0, 156682, 324355, 559384, 278895}},
    {"AMD Zen 3", "four-bar", {0, 5517, 6155, 5204, 3672}},
    {"AMD Zen 3", "ladder-2", {0, 9252, 8725, 9902, 7169}},
    {"AMD Zen 3", "ladder-5", {0, 18044, 20978, 25687, 17147}},
    {"AMD Zen 3", "ladder-10", {0, 27650, 36394, 53681, 34985}},
    {"AMD Zen 3", "ladder-20", {0, 38584, 69847, 110961, 69060}},
    {"AMD Zen 3", "ladder-40", {0, 75862, 130057, 221356, 138256}},
    {"AMD Zen 3", "tree-15", {0, 24187, 30136, 35136, 19530}},
    {"AMD Zen 3", "tree-31", {0, 32210, 47103, 67399, 41525}},
    {"AMD Zen 3", "tree-63", {0, 48875, 82241, 129775, 83991}},
    {"AMD Zen 3", "tree-255", {0, 157026, 311107, 544646, 348986}},
};

#endif
