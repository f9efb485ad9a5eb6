/* SPDX-License-Identifier: Apache-2.0 */
/* Log of changes during the run. Its rate is limited, so that an unstable bus or benches that
 * compete for claims cannot fill the disk. */
#ifndef TOOLS_CAN_CAN_LOG_H
#define TOOLS_CAN_CAN_LOG_H

#include <stdbool.h>
#include <stdint.h>

#define CAN_LOG_LINES    200                 /* number of lines that may be printed in a row; */
#define CAN_LOG_EVERY_NS INT64_C(3000000000) /* afterwards one line per this time [ns] */

/** struct can_log - state of the rate limit; initialise with {0}.
 * @n_used:     lines printed and not yet regained at @counted_ns, at most CAN_LOG_LINES
 * @n_left_out: lines dropped since the last printed line */
struct can_log {
    int n_used;
    int64_t counted_ns;
    uint64_t n_left_out;
};

/** can_log_take() - Return true if a line may be printed at @now_ns of CLOCK_MONOTONIC.
 * @ret_left_out: number of lines dropped before this line */
bool can_log_take(struct can_log *log, int64_t now_ns, uint64_t *ret_left_out);

/** can_log() - Print a line to standard error, preceded by the program's name. Thread: one. */
void can_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
