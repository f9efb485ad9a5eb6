/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for the log about what changes while the program runs, with a bound: a bus that flaps, or
 * benches that take claims from each other, fill no disk. */
#ifndef TOOLS_CAN_CAN_LOG_H
#define TOOLS_CAN_CAN_LOG_H

#include <stdbool.h>
#include <stdint.h>

#define CAN_LOG_LINES    200                 /* at once, */
#define CAN_LOG_EVERY_NS INT64_C(3000000000) /* then one each so often */

/** struct can_log - {0} at first. @n_used: of CAN_LOG_LINES, as of @counted_ns;  @n_left_out: lines
 * since the last one that was printed */
struct can_log {
    int n_used;
    int64_t counted_ns;
    uint64_t n_left_out;
};

/** can_log_take() - whether a line may be printed at @now_ns of CLOCK_MONOTONIC. @ret_left_out:
 * lines that were left out before it */
bool can_log_take(struct can_log *log, int64_t now_ns, uint64_t *ret_left_out);

/** can_log() - print a line to standard error, with the program's name. Thread: one. */
void can_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
