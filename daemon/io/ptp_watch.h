/* SPDX-License-Identifier: Apache-2.0 */
/* The PTP daemon of this machine, asked once a second: what it says goes into the status, and a
 * change of its state into the log. Control thread only; nothing waits. */
#ifndef LKD_IO_PTP_WATCH_H
#define LKD_IO_PTP_WATCH_H

#include "linkage/ptp.h"
#include "wire.h"
#include <stdbool.h>
#include <stdint.h>

#define LKD_PTP_SOCKET_SIZE 108 /* of an address */

/** struct lkd_ptp_config - @socket: of ptp4l, "": nobody is asked;  @domain: of PTP */
struct lkd_ptp_config {
    char socket[LKD_PTP_SOCKET_SIZE];
    int domain;
};

/** struct lkd_ptp_watch - @hearing: what has come to the present question, since @heard of its
 * answers;  @last, @heard_ns: the last that said something, 0: none yet;  @ask_ns: when the next
 * question is due;  @error: of the last attempt, 0 or negative errno;  @told: the state that the
 * log knows, @is_told: it knows one */
struct lkd_ptp_watch {
    const struct lkd_ptp_config *config;
    struct lk_ptp_client client;
    struct lk_ptp hearing;
    struct lk_ptp last;
    int64_t heard_ns;
    int64_t ask_ns;
    int error;
    enum lk_ptp_state told;
    bool is_told;
};

/** lkd_ptp_watch_init() - lkd_ptp_watch_fini() releases it. @config: kept */
void lkd_ptp_watch_init(struct lkd_ptp_watch *watch, const struct lkd_ptp_config *config);
void lkd_ptp_watch_fini(struct lkd_ptp_watch *watch);

/** lkd_ptp_watch_follow() - take answers, and ask again when that is due. @now_ns: CLOCK_MONOTONIC
 */
void lkd_ptp_watch_follow(struct lkd_ptp_watch *watch, int64_t now_ns);

/** lkd_ptp_watch_fill() - for the status. Return: 0, -ENOMEM. @ret_ptp: NULL where nobody is asked
 */
int lkd_ptp_watch_fill(const struct lkd_ptp_watch *watch, int64_t now_ns,
                       struct lk_wire_arena *arena, Linkage__V1__Ptp **ret_ptp);

#endif
