/* SPDX-License-Identifier: Apache-2.0 */
/* One line a condition, with the identifier that conditions.h gives it.
 *
 * Where standard error is the journal, lines go there with fields of their own (MESSAGE, PRIORITY,
 * LINKAGE_ID, MESSAGE_ID, by which `journalctl -x` finds the remedy); elsewhere to standard error,
 * as "linkaged: [LK-3001] text". Lines of one identifier that come thick and fast are left out and
 * counted: ten at once pass, then one a second. So are lines for which a standard error that nobody
 * reads has no room: no thread waits for its reader. Never from the cycle thread. */
#ifndef LKD_LOG_H
#define LKD_LOG_H

#include "conditions.h"
#include <stdint.h>

/** lkd_log_init() - find out whether standard error is the journal. Once, at the start. */
void lkd_log_init(void);

/** lkd_log() - report a condition, at the level that the table gives it; control characters and
 * what is no UTF-8 are replaced by '?', long lines are cut.
 * Thread: any but the cycle. */
void lkd_log(enum lkd_condition_id condition, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** lkd_log_fini() - say how many lines were left out and not yet reported. At the end. */
void lkd_log_fini(void);

#endif
