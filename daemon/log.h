/* SPDX-License-Identifier: Apache-2.0 */
/* One line an event on standard error.
 *
 * When standard error is the journal, each line carries its priority as a prefix that journald
 * understands; elsewhere it is plain text. Never from the cycle thread. */
#ifndef LKD_LOG_H
#define LKD_LOG_H

#include <stdint.h>

/** enum lkd_log_level - priorities of syslog(3). */
enum lkd_log_level { LKD_LOG_ERROR = 3, LKD_LOG_WARNING = 4, LKD_LOG_NOTICE = 5, LKD_LOG_INFO = 6 };

/** lkd_log_init() - find out whether standard error is the journal. Once, at the start. */
void lkd_log_init(void);

/** lkd_log() - write one line; control characters are replaced by '?', long lines are cut.
 * Thread: any but the cycle. */
void lkd_log(enum lkd_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** struct lkd_log_limit - lets one line a second through and counts the others; zero it first.
 * Belongs to one thread.
 * @next_ns: when the next line may pass;  @withheld: lines kept back since the last one */
struct lkd_log_limit {
    int64_t next_ns;
    uint64_t withheld;
};

/** lkd_log_limited() - lkd_log() for what an outsider can cause again and again.
 * @now_ns: CLOCK_MONOTONIC */
void lkd_log_limited(struct lkd_log_limit *limit, int64_t now_ns, enum lkd_log_level level,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
