/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of the exchange, shared by its thread (exchange.c) and the functions that serve a
 * run (exchange_run.c). */
#ifndef LKD_IO_EXCHANGE_RUN_H
#define LKD_IO_EXCHANGE_RUN_H

#include "allowance.h"
#include "exchange.h"
#include "heartbeat.h"
#include "publisher.h"
#include "receiver.h"

/** struct lkd_exchange - see exchange.h.
 * @timer:     timerfd, one shot, absolute, that expires when a record is due
 * @beat:      timerfd for the periodic work without records
 * @wake:      eventfd, from the control thread
 * @spans:     last activities
 * @receiving: time allowance for incoming samples
 * @lock:      guards the fields that follow, which exchange and control thread share, and the
 *             outputs channel
 * @cycle:     attached run, or NULL
 * @facts:     properties of the attached run
 * @seen:      the cycle has published a record
 * @dead:      the cycle hung; only its failure is published
 * @last:      the outputs repeated in FAULT while the cycle hangs, or NULL
 * @life:      content of the next heartbeat
 * @offset_ns: delay from a grid point to reading the record
 * @adapt_ns:  time of the next update of @offset_ns
 * @passes:    the thread skips records without waking up, because none of them is due */
struct lkd_exchange {
    struct lkd_exchange_options options;
    pthread_t thread;
    struct lkd_receiver receiver;
    struct lkd_ring spans;
    int timer;
    int beat;
    int wake;
    _Atomic bool quit;
    _Atomic int priority;
    struct lkd_allowance receiving;

    pthread_mutex_t lock;
    struct lkd_publisher publisher;
    struct lkd_streams streams;
    struct lkd_cueing cueing;
    struct lkd_motions motions;
    struct lkd_heartbeat heartbeat;
    struct lkd_wall_clock clock;
    struct lkd_life life;
    struct lkd_cycle *cycle;
    struct lkd_run_facts facts;
    bool seen;
    bool dead;
    struct lkd_output *last;
    int64_t offset_ns;
    int64_t adapt_ns;
    bool passes;
};

/** lkd_exchange_tick() - Read the record of the present grid point, send it, and set the timer for
 * the next one. The lock is held and a run is attached.
 * Thread: exchange. */
void lkd_exchange_tick(struct lkd_exchange *exchange);

/** lkd_exchange_set_timer() - Set the next expiry of @timer, CLOCK_MONOTONIC. */
void lkd_exchange_set_timer(struct lkd_exchange *exchange, int64_t when_ns);

/** lkd_exchange_mark() - Store a completed span of the thread. */
void lkd_exchange_mark(struct lkd_exchange *exchange, enum lkd_span span, int64_t begin_ns,
                       uint64_t what);

#endif
