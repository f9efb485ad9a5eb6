/* SPDX-License-Identifier: Apache-2.0 */
/* Monitor of the machine's PTP daemon, queried once a second. The answer of the PTP daemon is
 * reported in the status, and a change of its state is logged. Control thread only; never
 * blocks. */
#ifndef LKD_IO_PTP_WATCH_H
#define LKD_IO_PTP_WATCH_H

#include "linkage/ptp.h"
#include "wire.h"
#include <stdbool.h>
#include <stdint.h>

#define LKD_PTP_SOCKET_SIZE 108 /* size of a socket address in sun_path */

/** struct lkd_ptp_config - access to the PTP daemon.
 * @socket: path of the socket of ptp4l, "": no queries
 * @domain: PTP domain number */
struct lkd_ptp_config {
    char socket[LKD_PTP_SOCKET_SIZE];
    int domain;
};

/** struct lkd_ptp_watch - state of the queries.
 * @hearing:         answers to the present query so far
 * @last, @heard_ns: last complete answer and its time, 0: none yet
 * @ask_ns:          time of the next query
 * @error:           result of the last query, 0 or negative errno
 * @told:            last logged state, valid if @is_told */
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

/** lkd_ptp_watch_init() - Initialise @watch; lkd_ptp_watch_fini() releases it. @config: must
 * outlive @watch */
void lkd_ptp_watch_init(struct lkd_ptp_watch *watch, const struct lkd_ptp_config *config);
void lkd_ptp_watch_fini(struct lkd_ptp_watch *watch);

/** lkd_ptp_watch_follow() - Read answers, and send the next query when it is due.
 * @now_ns: CLOCK_MONOTONIC */
void lkd_ptp_watch_follow(struct lkd_ptp_watch *watch, int64_t now_ns);

/** lkd_ptp_watch_fill() - Fill the PTP section of the status reply.
 * Return: 0, -ENOMEM.
 * @ret_ptp: NULL if no socket is configured */
int lkd_ptp_watch_fill(const struct lkd_ptp_watch *watch, int64_t now_ns,
                       struct lk_wire_arena *arena, Linkage__V1__Ptp **ret_ptp);

#endif
