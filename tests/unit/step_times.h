/* SPDX-License-Identifier: Apache-2.0 */
/* Measured times of a step of `ali3` with every engine on three processors: CPU time [ns], minimum
 * of 96 batches of a millisecond each. The models were compiled with all rows of hinges, without
 * planar reduction. test_cost.c judges the choice of an engine by these times. 0: the processor
 * lacks this engine. */
#ifndef TEST_STEP_TIMES_H
#define TEST_STEP_TIMES_H

/** struct step_times - measured times of a step
 * @in_lanes:   with eight, four, two lanes and one lane
 * @one_by_one: with engine `none` */
static const struct step_times {
    const char *processor;
    const char *model;
    double in_lanes[4];
    double one_by_one;
} step_times[] = {
    /* Intel Xeon, family 6 model 207, a virtual machine with other load */
    {"Intel Sapphire Rapids", "free-1", {501, 464, 502, 490}, 421},
    {"Intel Sapphire Rapids", "free-4", {514, 457, 845, 1466}, 507},
    {"Intel Sapphire Rapids", "free-32", {1600, 2545, 5802, 10535}, 3360},
    {"Intel Sapphire Rapids", "chain-1", {999, 871, 921, 853}, 726},
    {"Intel Sapphire Rapids", "chain-2", {1713, 1563, 1464, 1634}, 1069},
    {"Intel Sapphire Rapids", "chain-4", {2868, 2404, 2644, 3170}, 1790},
    {"Intel Sapphire Rapids", "chain-8", {3691, 3803, 4511, 6431}, 3691},
    {"Intel Sapphire Rapids", "chain-16", {5348, 5593, 8152, 13043}, 7350},
    {"Intel Sapphire Rapids", "chain-32", {7914, 9395, 15679, 27037}, 15194},
    {"Intel Sapphire Rapids", "chain-128", {24453, 34089, 65197, 112882}, 63061},
    {"Intel Sapphire Rapids", "chain-256", {46251, 64790, 130582, 228305}, 129093},
    {"Intel Sapphire Rapids", "chain-2-revolute", {3376, 3055, 2997, 2968}, 1594},
    {"Intel Sapphire Rapids", "chain-4-revolute", {6102, 5008, 5764, 6858}, 3029},
    {"Intel Sapphire Rapids", "chain-8-revolute", {7712, 7169, 9276, 13100}, 6033},
    {"Intel Sapphire Rapids", "chain-16-revolute", {10490, 10250, 16159, 25689}, 12820},
    {"Intel Sapphire Rapids", "chain-32-revolute", {14830, 16967, 30586, 53706}, 26720},
    {"Intel Sapphire Rapids", "chain-128-revolute", {41955, 57164, 116617, 212935}, 108861},
    {"Intel Sapphire Rapids", "chain-256-revolute", {79174, 110608, 234826, 425650}, 218050},
    {"Intel Sapphire Rapids", "four-bar", {5030, 4481, 5519, 4493}, 2965},
    {"Intel Sapphire Rapids", "ladder-2", {7852, 8381, 7980, 9818}, 5504},
    {"Intel Sapphire Rapids", "ladder-5", {21140, 15570, 20045, 25845}, 12745},
    {"Intel Sapphire Rapids", "ladder-10", {26379, 24738, 35123, 55633}, 25908},
    {"Intel Sapphire Rapids", "ladder-20", {39013, 33728, 68145, 114538}, 52889},
    {"Intel Sapphire Rapids", "ladder-40", {49264, 69544, 130103, 231328}, 105663},
    {"Intel Sapphire Rapids", "tree-15", {26820, 21690, 26082, 31824}, 13699},
    {"Intel Sapphire Rapids", "tree-31", {31183, 29122, 42057, 62287}, 27781},
    {"Intel Sapphire Rapids", "tree-63", {41859, 45294, 73826, 117733}, 58763},
    {"Intel Sapphire Rapids", "tree-255", {103798, 135626, 253748, 465580}, 253771},
    /* AMD EPYC, family 25 model 1, a virtual machine with other load */
    {"AMD Zen 3", "free-1", {0, 571, 587, 562}, 521},
    {"AMD Zen 3", "free-4", {0, 574, 962, 1565}, 649},
    {"AMD Zen 3", "free-32", {0, 3029, 6341, 11213}, 4262},
    {"AMD Zen 3", "chain-1", {0, 1054, 1057, 1008}, 827},
    {"AMD Zen 3", "chain-2", {0, 1839, 1782, 1954}, 1280},
    {"AMD Zen 3", "chain-4", {0, 2742, 3190, 3658}, 2155},
    {"AMD Zen 3", "chain-8", {0, 4393, 5212, 7127}, 4224},
    {"AMD Zen 3", "chain-16", {0, 6490, 9102, 14107}, 8598},
    {"AMD Zen 3", "chain-32", {0, 10720, 17552, 29376}, 17319},
    {"AMD Zen 3", "chain-128", {0, 36589, 68794, 117250}, 69276},
    {"AMD Zen 3", "chain-256", {0, 75718, 139274, 239674}, 140123},
    {"AMD Zen 3", "chain-2-revolute", {0, 3647, 3661, 3768}, 2024},
    {"AMD Zen 3", "chain-4-revolute", {0, 5645, 6349, 7171}, 3780},
    {"AMD Zen 3", "chain-8-revolute", {0, 8230, 10219, 13682}, 7674},
    {"AMD Zen 3", "chain-16-revolute", {0, 11925, 17640, 28149}, 15789},
    {"AMD Zen 3", "chain-32-revolute", {0, 18835, 33611, 56370}, 32078},
    {"AMD Zen 3", "chain-128-revolute", {0, 63140, 131395, 232817}, 129600},
    {"AMD Zen 3", "chain-256-revolute", {0, 126060, 277027, 490145}, 263177},
    {"AMD Zen 3", "four-bar", {0, 5312, 6058, 5191}, 3693},
    {"AMD Zen 3", "ladder-2", {0, 9648, 8680, 10133}, 7481},
    {"AMD Zen 3", "ladder-5", {0, 18022, 21076, 26419}, 17679},
    {"AMD Zen 3", "ladder-10", {0, 27557, 36799, 54203}, 35267},
    {"AMD Zen 3", "ladder-20", {0, 37646, 68851, 110220}, 69406},
    {"AMD Zen 3", "ladder-40", {0, 75471, 132034, 224644}, 138719},
    {"AMD Zen 3", "tree-15", {0, 24082, 30373, 35384}, 19719},
    {"AMD Zen 3", "tree-31", {0, 31956, 49128, 68075}, 40975},
    {"AMD Zen 3", "tree-63", {0, 50630, 82696, 132770}, 84644},
    {"AMD Zen 3", "tree-255", {0, 162343, 305203, 542753}, 353560},
    /* AMD EPYC, family 26 model 2, a virtual machine */
    {"AMD Zen 5", "free-1", {416, 402, 413, 383}, 308},
    {"AMD Zen 5", "free-4", {414, 397, 650, 1052}, 387},
    {"AMD Zen 5", "free-32", {1142, 2057, 4160, 7510}, 2512},
    {"AMD Zen 5", "chain-1", {801, 709, 771, 688}, 560},
    {"AMD Zen 5", "chain-2", {1199, 1098, 1298, 1285}, 819},
    {"AMD Zen 5", "chain-4", {1670, 1567, 2118, 2517}, 1407},
    {"AMD Zen 5", "chain-8", {2165, 2542, 3464, 4869}, 2752},
    {"AMD Zen 5", "chain-16", {3124, 3884, 6100, 9646}, 5436},
    {"AMD Zen 5", "chain-32", {4853, 6561, 11786, 19851}, 11112},
    {"AMD Zen 5", "chain-128", {15168, 23281, 45788, 79767}, 43972},
    {"AMD Zen 5", "chain-256", {29498, 45116, 89485, 159568}, 87356},
    {"AMD Zen 5", "chain-2-revolute", {2365, 2233, 2510, 2472}, 1232},
    {"AMD Zen 5", "chain-4-revolute", {3511, 3341, 4437, 4854}, 2175},
    {"AMD Zen 5", "chain-8-revolute", {4467, 4755, 7047, 9389}, 4263},
    {"AMD Zen 5", "chain-16-revolute", {6120, 6964, 12052, 18707}, 8530},
    {"AMD Zen 5", "chain-32-revolute", {8213, 11384, 21825, 36665}, 17468},
    {"AMD Zen 5", "chain-128-revolute", {25410, 37978, 83646, 154506}, 68954},
    {"AMD Zen 5", "chain-256-revolute", {48340, 74175, 168666, 310994}, 138869},
    {"AMD Zen 5", "four-bar", {3045, 2905, 4023, 3650}, 2082},
    {"AMD Zen 5", "ladder-2", {4531, 5297, 6125, 7311}, 3862},
    {"AMD Zen 5", "ladder-5", {12725, 10417, 14860, 18683}, 8624},
    {"AMD Zen 5", "ladder-10", {16346, 16163, 26098, 38676}, 16956},
    {"AMD Zen 5", "ladder-20", {23326, 23791, 49063, 77760}, 33422},
    {"AMD Zen 5", "ladder-40", {30943, 46424, 92275, 155515}, 65762},
    {"AMD Zen 5", "tree-15", {15733, 14479, 19295, 23895}, 9009},
    {"AMD Zen 5", "tree-31", {19868, 19611, 31321, 46111}, 18961},
    {"AMD Zen 5", "tree-63", {26511, 30319, 54991, 89044}, 38421},
    {"AMD Zen 5", "tree-255", {65498, 90560, 195194, 349846}, 159707},
};

#endif
