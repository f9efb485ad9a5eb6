/* SPDX-License-Identifier: Apache-2.0 */
/* Notices to systemd; without $NOTIFY_SOCKET the functions do nothing. */
#ifndef LKD_CTL_NOTIFY_H
#define LKD_CTL_NOTIFY_H

#include "rig.h"

/** struct lkd_notify - state of the notices.
 * @interval_ns:      time between WATCHDOG notices, 0 if systemd requests none
 * @next_ns:          time of the next WATCHDOG notice
 * @cycles:           cycles of the run at the last notice
 * @progress:         progress of the budget proof at the last notice
 * @moved_ns:         time of the last observed progress of the cycle
 * @state, @model_id: values in the last STATUS */
struct lkd_notify {
    int64_t interval_ns;
    int64_t next_ns;
    uint64_t cycles;
    uint64_t progress;
    int64_t moved_ns;
    Linkage__V1__State state;
    uint64_t model_id;
};

/** lkd_notify_starting() - Extend systemd's start-up time-out and send the reason as STATUS. Call
 * about once a second while the configured model is compiled. */
void lkd_notify_starting(const struct lkd_rig *rig);

/** lkd_notify_ready() - Send READY=1 and the first STATUS. */
void lkd_notify_ready(struct lkd_notify *notify, const struct lkd_rig *rig);

/** lkd_notify_alive() - Send WATCHDOG=1 when it is due, but only if the cycle has made progress
 * since the last notice or no run is active. Send STATUS if the state or the model has changed.
 * Call often. */
void lkd_notify_alive(struct lkd_notify *notify, const struct lkd_rig *rig, int64_t now_ns);

/** lkd_notify_stopping() - Send STOPPING=1. */
void lkd_notify_stopping(struct lkd_notify *notify);

#endif
