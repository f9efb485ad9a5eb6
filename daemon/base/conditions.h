/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that the daemon reports. Each has a permanent identifier such as "LK-3002". Log
 * filters and runbooks should use the identifier, because the text of a line may change.
 *
 * The table is conditions_table.h; `linkaged --conditions` generates daemon/CONDITIONS.md from it.
 * The first digit is the group: 1 start, configuration and end, 2 model and step, 3 inputs and
 * benches, 4 outputs, 5 real time, 6 security, 7 recorder, 8 control, 9 the line process. A number
 * is never used for another condition. Conditions that are no longer reported stay in the table. */
#ifndef LKD_CONDITIONS_H
#define LKD_CONDITIONS_H

#include "conditions_table.h"
#include "linkage.pb-c.h"
#include <stdio.h>

/** enum lkd_log_level - priorities of syslog(3). */
enum lkd_log_level { LKD_LOG_ERROR = 3, LKD_LOG_WARNING = 4, LKD_LOG_NOTICE = 5, LKD_LOG_INFO = 6 };

/** enum lkd_condition_id - LKD_C_NAME, index of the condition in the table. */
enum lkd_condition_id {
#define LKD_CONDITION_NAME(NAME, number, level, meaning, remedy) LKD_C_##NAME,
    LKD_CONDITIONS(LKD_CONDITION_NAME)
#undef LKD_CONDITION_NAME
        LKD_N_CONDITIONS
};

/* First 28 hexadecimal digits of MESSAGE_ID, the journal's identifier of a condition. The last four
 * digits are the number of the condition. */
#define LKD_MESSAGE_ID "18af08befd094f46b21745b1f41d"

/** struct lkd_condition_info - one entry of the table.
 * @id:         identifier, such as "LK-3002"
 * @message_id: 128 bits in hexadecimal
 * @meaning:    description in one line
 * @remedy:     recommended action */
struct lkd_condition_info {
    char id[8];
    char message_id[33];
    int number;
    enum lkd_log_level level;
    const char *meaning;
    const char *remedy;
};

/** lkd_condition_info() - Return the table entry of @condition, in static memory. Thread: any. */
const struct lkd_condition_info *lkd_condition_info(enum lkd_condition_id condition);

/** lkd_condition_of_result() - Return the identifier of a refused request as static text, such as
 * "LK-8003"; "" for RESULT_OK.
 * Thread: any. */
const char *lkd_condition_of_result(Linkage__V1__Result result);

/** lkd_conditions_print() - Print the whole table as Markdown. */
void lkd_conditions_print(FILE *out);

/** lkd_conditions_print_catalog() - Print the table as a systemd message catalog. `journalctl -x`
 * prints its entries below the log lines. */
void lkd_conditions_print_catalog(FILE *out);

#endif
