/* SPDX-License-Identifier: Apache-2.0 */
/* Heartbeats on the outputs channel: ten a second in every state, so that a bench distinguishes an
 * idle daemon from one that has ended, and detects a restarted daemon or another model. */
#ifndef LKD_IO_HEARTBEAT_H
#define LKD_IO_HEARTBEAT_H

#include "linkage.pb-c.h"
#include "port.h"
#include <stdint.h>

#define LKD_HEARTBEAT_NS INT64_C(100000000)

/** struct lkd_life - content of a heartbeat. */
struct lkd_life {
    Linkage__V1__State state;
    Linkage__V1__Mode mode;
    uint64_t model_id;
    uint64_t step;
};

/** struct lkd_heartbeat - schedule of the heartbeats. @due_ns: time of the next heartbeat,
 * CLOCK_MONOTONIC */
struct lkd_heartbeat {
    struct lkd_port *port;
    uint64_t sequence;
    int64_t due_ns;
};

/** lkd_heartbeat_tick() - Send a heartbeat if it is due. Missed heartbeats are not repeated.
 * Thread: exchange, lock held. */
void lkd_heartbeat_tick(struct lkd_heartbeat *heartbeat, const struct lkd_life *life,
                        int64_t now_ns);

#endif
