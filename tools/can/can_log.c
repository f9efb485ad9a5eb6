/* SPDX-License-Identifier: Apache-2.0 */
#include "can_log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

bool can_log_take(struct can_log *log, int64_t now_ns, uint64_t *ret_left_out)
{
    int64_t back = log->n_used > 0 ? (now_ns - log->counted_ns) / CAN_LOG_EVERY_NS : 0;

    back = back < log->n_used ? back : log->n_used;
    log->n_used -= (int)back;
    log->counted_ns = log->n_used > 0 ? log->counted_ns + back * CAN_LOG_EVERY_NS : now_ns;
    if (log->n_used == CAN_LOG_LINES) {
        log->n_left_out++;
        return false;
    }
    log->n_used++;
    *ret_left_out = log->n_left_out;
    log->n_left_out = 0;
    return true;
}

void can_log(const char *format, ...)
{
    static struct can_log log;
    struct timespec now;
    uint64_t n_left_out;
    char text[1024];
    va_list args;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!can_log_take(&log, now.tv_sec * INT64_C(1000000000) + now.tv_nsec, &n_left_out))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (n_left_out > 0)
        fprintf(stderr, "linkage-can: %" PRIu64 " lines left out before this one\n", n_left_out);
    fprintf(stderr, "linkage-can: %s\n", text);
}
