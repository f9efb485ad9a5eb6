/* SPDX-License-Identifier: Apache-2.0 */
/* The table of processors. To add one, run `linkage bench --prices` on it
 * (tools/linkage/README.md), put the row that it prints here and its measurements into
 * tests/unit/prices_measured.h. */
#include "compile/batch/prices.h"
#include "step/lanes/batch.h"
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

const struct lk_prices lk_prices_table[] = {
    {
        /* linkage bench --prices on an Intel Xeon, family 6 model 207, in a virtual machine with
         * other load; model 143 has the same cores */
        .name = "Intel Sapphire Rapids",
        .vendor = "GenuineIntel",
        .family = 6,
        .model = {{143, 143}, {207, 207}},
        .widest = 8,
        .batches =
            {
                {129, 380, 181, 225, 1.21, 0, 1.64, 363, 0.696},
                {157, 301, 144, 145, 0.869, 0, 1.12, 412, 0.744},
                {169, 334, 133, 78.3, 1.02, 0, 1.81, 324, 0.435},
                {167, 323, 116, 0, 1.12, 0, 1.94, 0, 0},
            },
        .classic = {248, 67.3, 101, 0.142},
    },
    {
        /* linkage bench --prices on an AMD EPYC, family 25 model 1, in a virtual machine; the other
         * models are Zen 3 too (Ryzen 5000, 6000) */
        .name = "AMD Zen 3",
        .vendor = "AuthenticAMD",
        .family = 25,
        .model = {{0, 15}, {32, 95}},
        .widest = 4,
        .batches =
            {
                {0},
                {209, 359, 182, 82.4, 0.961, 0, 0.857, 474, 1.01},
                {202, 380, 164, 0, 1.11, 0, 1.84, 438, 0.575},
                {225, 339, 143, 0, 0.997, 1.17, 1.96, 0, 0},
            },
        .classic = {320, 86.8, 84.6, 0.295},
    },
    {
        /* linkage bench --prices on an AMD EPYC, family 26 model 2, in a virtual machine; models 0
         * to 31 are servers, 64 to 79 desktops: those with arithmetic units of 512 bits */
        .name = "AMD Zen 5",
        .vendor = "AuthenticAMD",
        .family = 26,
        .model = {{0, 31}, {64, 79}},
        .widest = 8,
        .batches =
            {
                {158, 254, 150, 50.6, 0.596, 0, 0.858, 148, 0.615},
                {158, 239, 115, 43.1, 0.524, 0, 0.577, 198, 0.643},
                {177, 238, 113, 0, 0.692, 0, 1.4, 356, 0.101},
                {159, 224, 100, 0, 0.637, 0, 1.37, 0, 0},
            },
        .classic = {153, 50.8, 70.3, 0.0442},
    },
    {0},
};

enum lk_width lk_width_of(int lanes)
{
    return lanes >= 8 ? LK_WIDTH_8 : lanes >= 4 ? LK_WIDTH_4 : lanes >= 2 ? LK_WIDTH_2 : LK_WIDTH_1;
}

/* The extended family and model apply when the base fields are at their maximum (Intel SDM, AMD
 * APM: CPUID). */
static void identify_processor(struct lk_processor *p)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;

    if (__get_cpuid(0, &a, &b, &c, &d)) {
        memcpy(p->vendor, &b, 4);
        memcpy(p->vendor + 4, &d, 4);
        memcpy(p->vendor + 8, &c, 4);
    }
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        p->family = (int)(a >> 8 & 15);
        p->model = (int)(a >> 4 & 15);
        if (p->family == 15 || p->family == 6)
            p->model += (int)(a >> 16 & 15) << 4;
        if (p->family == 15)
            p->family += (int)(a >> 20 & 255);
    }
#else
    (void)p;
#endif
}

void lk_processor_here(struct lk_processor *ret)
{
    const struct lk_engine *here[LK_ENGINES_MAX + 1];

    *ret = (struct lk_processor){0};
    lk_engines_here(here);
    ret->widest = here[0] ? here[0]->lanes : 1; /* one engine was built, for another processor */
    identify_processor(ret);
}

static bool is_of(const struct lk_prices *row, const struct lk_processor *p)
{
    if (strcmp(row->vendor, p->vendor) != 0 || row->family != p->family || row->widest != p->widest)
        return false;
    for (int i = 0; i < LK_MODEL_RANGES && row->model[i].last > 0; i++)
        if (p->model >= row->model[i].first && p->model <= row->model[i].last)
            return true;
    return false;
}

/* The widest supported engine matters more than the vendor: an engine that a row lacks has no
 * price. */
static int likeness(const struct lk_prices *row, const struct lk_processor *p)
{
    bool same_vendor = strcmp(row->vendor, p->vendor) == 0;

    return 4 * (row->widest == p->widest) + 2 * (row->widest > p->widest) + same_vendor;
}

const struct lk_prices *lk_prices_find(const struct lk_processor *p, bool *ret_is_own)
{
    const struct lk_prices *nearest = lk_prices_table;

    for (const struct lk_prices *row = lk_prices_table; row->name; row++) {
        if (is_of(row, p)) {
            *ret_is_own = true;
            return row;
        }
        if (likeness(row, p) > likeness(nearest, p))
            nearest = row;
    }
    *ret_is_own = false;
    return nearest;
}
