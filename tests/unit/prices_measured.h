/* SPDX-License-Identifier: Apache-2.0 */
/* Times of a step by every engine, measured on the processors of core/compile/batch/prices.c by
 * `linkage bench --prices`, which prints such lines: CPU time [ns], minimum of 96 batches, with
 * eight lanes, four, two, one, and without lanes; 0: the processor lacks this engine. */
#ifndef TEST_PRICES_MEASURED_H
#define TEST_PRICES_MEASURED_H

#include "compile/batch/prices.h"

static const struct prices_measured {
    const char *processor;
    const char *model;
    double time_ns[LK_WIDTHS + 1];
} prices_measured[] = {
    /* Intel Xeon, family 6 model 207, a virtual machine with other load */
    {"Intel Sapphire Rapids", "free-1", {508, 467, 505, 490, 435}},
    {"Intel Sapphire Rapids", "free-4", {508, 467, 875, 1502, 545}},
    {"Intel Sapphire Rapids", "free-32", {1648, 2634, 5946, 10973, 3664}},
    {"Intel Sapphire Rapids", "chain-1", {1050, 879, 926, 880, 710}},
    {"Intel Sapphire Rapids", "chain-2", {1788, 1495, 1464, 1667, 1049}},
    {"Intel Sapphire Rapids", "chain-4", {2874, 2286, 2687, 3256, 1750}},
    {"Intel Sapphire Rapids", "chain-8", {3643, 3659, 4496, 6464, 3503}},
    {"Intel Sapphire Rapids", "chain-16", {5240, 5479, 8111, 13045, 7030}},
    {"Intel Sapphire Rapids", "chain-32", {7879, 9177, 15606, 27135, 14528}},
    {"Intel Sapphire Rapids", "chain-128", {24517, 34202, 65104, 112586, 60437}},
    {"Intel Sapphire Rapids", "chain-256", {46228, 65891, 130115, 227264, 122666}},
    {"Intel Sapphire Rapids", "chain-2-revolute", {3423, 3041, 3108, 3067, 1595}},
    {"Intel Sapphire Rapids", "chain-4-revolute", {6095, 4714, 5713, 6805, 3027}},
    {"Intel Sapphire Rapids", "chain-8-revolute", {7737, 6956, 9242, 12992, 6255}},
    {"Intel Sapphire Rapids", "chain-16-revolute", {10475, 10042, 16064, 25619, 12808}},
    {"Intel Sapphire Rapids", "chain-32-revolute", {14860, 16723, 30460, 53287, 26493}},
    {"Intel Sapphire Rapids", "chain-128-revolute", {41866, 57358, 117268, 212734, 107705}},
    {"Intel Sapphire Rapids", "chain-256-revolute", {78881, 111874, 234327, 430278, 216776}},
    {"Intel Sapphire Rapids", "four-bar", {5034, 4412, 5268, 4453, 2904}},
    {"Intel Sapphire Rapids", "ladder-2", {7724, 8031, 7964, 9682, 5773}},
    {"Intel Sapphire Rapids", "ladder-5", {20949, 15551, 19758, 26529, 13498}},
    {"Intel Sapphire Rapids", "ladder-10", {26194, 24001, 35026, 55475, 27065}},
    {"Intel Sapphire Rapids", "ladder-20", {39334, 34048, 68109, 115158, 54322}},
    {"Intel Sapphire Rapids", "ladder-40", {49113, 68712, 130282, 230623, 108666}},
    {"Intel Sapphire Rapids", "tree-15", {27347, 21679, 27327, 31552, 14536}},
    {"Intel Sapphire Rapids", "tree-31", {31725, 29428, 43553, 60851, 31002}},
    {"Intel Sapphire Rapids", "tree-63", {41996, 44949, 74330, 116500, 64215}},
    {"Intel Sapphire Rapids", "tree-255", {103716, 137431, 255684, 454460, 289697}},
    /* AMD EPYC, family 25 model 1, a virtual machine with other load */
    {"AMD Zen 3", "free-1", {0, 571, 587, 562, 521}},
    {"AMD Zen 3", "free-4", {0, 574, 962, 1565, 649}},
    {"AMD Zen 3", "free-32", {0, 3029, 6341, 11213, 4262}},
    {"AMD Zen 3", "chain-1", {0, 1054, 1057, 1008, 827}},
    {"AMD Zen 3", "chain-2", {0, 1839, 1782, 1954, 1280}},
    {"AMD Zen 3", "chain-4", {0, 2742, 3190, 3658, 2155}},
    {"AMD Zen 3", "chain-8", {0, 4393, 5212, 7127, 4224}},
    {"AMD Zen 3", "chain-16", {0, 6490, 9102, 14107, 8598}},
    {"AMD Zen 3", "chain-32", {0, 10720, 17552, 29376, 17319}},
    {"AMD Zen 3", "chain-128", {0, 36589, 68794, 117250, 69276}},
    {"AMD Zen 3", "chain-256", {0, 75718, 139274, 239674, 140123}},
    {"AMD Zen 3", "chain-2-revolute", {0, 3647, 3661, 3768, 2024}},
    {"AMD Zen 3", "chain-4-revolute", {0, 5645, 6349, 7171, 3780}},
    {"AMD Zen 3", "chain-8-revolute", {0, 8230, 10219, 13682, 7674}},
    {"AMD Zen 3", "chain-16-revolute", {0, 11925, 17640, 28149, 15789}},
    {"AMD Zen 3", "chain-32-revolute", {0, 18835, 33611, 56370, 32078}},
    {"AMD Zen 3", "chain-128-revolute", {0, 63140, 131395, 232817, 129600}},
    {"AMD Zen 3", "chain-256-revolute", {0, 126060, 277027, 490145, 263177}},
    {"AMD Zen 3", "four-bar", {0, 5312, 6058, 5191, 3693}},
    {"AMD Zen 3", "ladder-2", {0, 9648, 8680, 10133, 7481}},
    {"AMD Zen 3", "ladder-5", {0, 18022, 21076, 26419, 17679}},
    {"AMD Zen 3", "ladder-10", {0, 27557, 36799, 54203, 35267}},
    {"AMD Zen 3", "ladder-20", {0, 37646, 68851, 110220, 69406}},
    {"AMD Zen 3", "ladder-40", {0, 75471, 132034, 224644, 138719}},
    {"AMD Zen 3", "tree-15", {0, 24082, 30373, 35384, 19719}},
    {"AMD Zen 3", "tree-31", {0, 31956, 49128, 68075, 40975}},
    {"AMD Zen 3", "tree-63", {0, 50630, 82696, 132770, 84644}},
    {"AMD Zen 3", "tree-255", {0, 162343, 305203, 542753, 353560}},
};

#endif
