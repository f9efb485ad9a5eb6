/* SPDX-License-Identifier: Apache-2.0 */
#include "conditions.h"

static const struct lkd_condition_info table[] = {
#define LKD_CONDITION_LINE(NAME, number, level, meaning, remedy)                                   \
    {"LK-" #number, LKD_MESSAGE_ID #number, number, LKD_LOG_##level, meaning, remedy},
    LKD_CONDITIONS(LKD_CONDITION_LINE)
#undef LKD_CONDITION_LINE
};

static const char *const groups[] = {
    [1] = "Start, configuration, end",
    [2] = "Model and step",
    [3] = "Inputs and benches",
    [4] = "Outputs",
    [5] = "Real time",
    [6] = "Security",
    [7] = "Recorder",
    [8] = "Control",
    [9] = "Line",
};

const struct lkd_condition_info *lkd_condition_info(enum lkd_condition_id condition)
{
    return &table[condition];
}

const char *lkd_condition_of_result(Linkage__V1__Result result)
{
    static const int conditions[] = {
        [LINKAGE__V1__RESULT__RESULT_UNSPECIFIED] = LKD_C_INTERNAL,
        [LINKAGE__V1__RESULT__RESULT_BAD_MESSAGE] = LKD_C_REQUEST_REFUSED,
        [LINKAGE__V1__RESULT__RESULT_WRONG_STATE] = LKD_C_WRONG_STATE,
        [LINKAGE__V1__RESULT__RESULT_BAD_MODEL] = LKD_C_BAD_MODEL,
        [LINKAGE__V1__RESULT__RESULT_UNKNOWN_CHANNEL] = LKD_C_UNKNOWN_CHANNEL,
        [LINKAGE__V1__RESULT__RESULT_BAD_VALUE] = LKD_C_BAD_VALUE,
        [LINKAGE__V1__RESULT__RESULT_NO_REALTIME] = LKD_C_NO_REALTIME,
        [LINKAGE__V1__RESULT__RESULT_INTERNAL] = LKD_C_INTERNAL,
        [LINKAGE__V1__RESULT__RESULT_NO_BUDGET] = LKD_C_NO_BUDGET,
        [LINKAGE__V1__RESULT__RESULT_CLAIMED] = LKD_C_CHANNEL_CLAIMED,
        [LINKAGE__V1__RESULT__RESULT_BAD_TOKEN] = LKD_C_BAD_TOKEN,
        [LINKAGE__V1__RESULT__RESULT_FORBIDDEN] = LKD_C_BEYOND_ROLE,
        [LINKAGE__V1__RESULT__RESULT_BAD_UNIT] = LKD_C_BAD_UNIT,
        [LINKAGE__V1__RESULT__RESULT_NO_RECORDER] = LKD_C_NO_RECORDER,
        [LINKAGE__V1__RESULT__RESULT_NO_SNAPSHOT] = LKD_C_NO_SNAPSHOT,
    };

    if (result == LINKAGE__V1__RESULT__RESULT_OK)
        return "";
    if ((size_t)result >= sizeof(conditions) / sizeof(conditions[0]))
        return table[LKD_C_INTERNAL].id;
    return table[conditions[result]].id;
}

static const char *level_name(enum lkd_log_level level)
{
    static const char *const names[] = {[LKD_LOG_ERROR] = "error",
                                        [LKD_LOG_WARNING] = "warning",
                                        [LKD_LOG_NOTICE] = "notice",
                                        [LKD_LOG_INFO] = "info"};

    return names[level];
}

void lkd_conditions_print_catalog(FILE *out)
{
    fputs("# What the daemon reports, for journalctl -x: linkaged --catalog\n", out);
    for (int i = 0; i < LKD_N_CONDITIONS; i++) {
        const struct lkd_condition_info *info = &table[i];

        fprintf(out,
                "\n-- %s\nSubject: %s, %s\nDefined-By: linkaged\n"
                "Documentation: man:linkaged(8)\n\n%s\n\nWhat to do: %s\n",
                info->message_id, info->id, groups[info->number / 1000], info->meaning,
                info->remedy);
    }
}

void lkd_conditions_print(FILE *out)
{
    int group = 0;

    fputs("# Conditions\n\n"
          "What the daemon reports, in its log and as `id_of_error` of a refused request. An\n"
          "identifier never changes its meaning; the words of a line may. Made by\n"
          "`linkaged --conditions`; `journalctl LINKAGE_ID=LK-3001` finds a condition in the\n"
          "journal.\n",
          out);
    for (int i = 0; i < LKD_N_CONDITIONS; i++) {
        const struct lkd_condition_info *info = &table[i];

        if (info->number / 1000 != group) {
            group = info->number / 1000;
            fprintf(out, "\n## %d: %s\n\n", group, groups[group]);
            fputs("| identifier | level | meaning | what to do |\n| --- | --- | --- | --- |\n",
                  out);
        }
        fprintf(out, "| %s | %s | %s | %s |\n", info->id, level_name(info->level), info->meaning,
                info->remedy);
    }
}
