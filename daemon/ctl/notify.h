/* SPDX-License-Identifier: Apache-2.0 */
/* Notices to systemd; without $NOTIFY_SOCKET the functions do nothing. */
#ifndef LKD_CTL_NOTIFY_H
#define LKD_CTL_NOTIFY_H

#include "rig.h"

/** struct lkd_notify - @interval_ns: between WATCHDOG notices, 0 when none are wanted
 * @next_ns: when the next is due;  @cycles: of the run at the last notice
 * @progress: of the proof of the budget then;  @moved_ns: when the rig last saw the cycle move
 * @state, @model_id: what the last STATUS said */
struct lkd_notify {
    int64_t interval_ns;
    int64_t next_ns;
    uint64_t cycles;
    uint64_t progress;
    int64_t moved_ns;
    Linkage__V1__State state;
    uint64_t model_id;
};

/** lkd_notify_starting() - call about once a second while the configured model is compiled: extends
 * systemd's start-up time-out and shows the reason. */
void lkd_notify_starting(const struct lkd_rig *rig);

/** lkd_notify_ready() - READY=1 and the first STATUS. */
void lkd_notify_ready(struct lkd_notify *notify, const struct lkd_rig *rig);

/** lkd_notify_alive() - call often: WATCHDOG=1 when due, but only if the cycle has moved since the
 * last one or nothing runs; STATUS when the state or the model has changed. */
void lkd_notify_alive(struct lkd_notify *notify, const struct lkd_rig *rig, int64_t now_ns);

/** lkd_notify_stopping() - STOPPING=1. */
void lkd_notify_stopping(struct lkd_notify *notify);

#endif
