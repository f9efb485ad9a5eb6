/* SPDX-License-Identifier: Apache-2.0 */
/* Log of the daemon: one line per condition, with its identifier from conditions.h.
 *
 * If standard error is the journal, each line is sent as a journal entry with the fields MESSAGE,
 * PRIORITY, LINKAGE_ID and MESSAGE_ID. `journalctl -x` finds the remedy through MESSAGE_ID.
 * Otherwise the lines go to standard error as "linkaged: [LK-3001] text". The rate of lines with
 * the same identifier is limited: ten at once, then one per second. Lines beyond this limit are
 * counted and dropped. If standard error has no room, lines are dropped as well, so that no thread
 * waits for a reader. Never call lkd_log() from the cycle thread. */
#ifndef LKD_LOG_H
#define LKD_LOG_H

#include "conditions.h"
#include <stdint.h>

/** lkd_log_init() - Detect whether standard error is the journal. Call once, when the process
 * starts. */
void lkd_log_init(void);

/** lkd_log() - Log a condition at its level in the table. Control characters and invalid UTF-8 are
 * replaced by '?'; long lines are truncated.
 * Thread: any but the cycle. */
void lkd_log(enum lkd_condition_id condition, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** lkd_log_fini() - Log the number of dropped lines not reported so far. Call before the process
 * ends. */
void lkd_log_fini(void);

#endif
