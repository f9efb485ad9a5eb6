/* SPDX-License-Identifier: Apache-2.0 */
/* The exchange between its thread (exchange.c) and the runs that it serves (exchange_run.c);
 * private to both. */
#ifndef LKD_IO_EXCHANGE_RUN_H
#define LKD_IO_EXCHANGE_RUN_H

#include "allowance.h"
#include "exchange.h"
#include "heartbeat.h"
#include "publisher.h"
#include "receiver.h"

/** struct lkd_exchange - see exchange.h.
 * @timer:     timerfd, one shot, absolute: records;  @beat: likewise: what happens without them
 * @wake:      eventfd, from the control thread
 * @spans:     what it did last
 * @receiving: of samples that come in
 * @lock:      guards what follows between exchange and control, and all use of the outputs channel
 * @cycle:     attached run, or NULL;  @facts: of it;  @seen: it has left a record
 * @dead:      the cycle hung: nothing of it is published but that it has failed
 * @last:      the outputs repeated in FAULT while the cycle hangs, or NULL
 * @life:      what the next heartbeat says
 * @offset_ns: from a grid point to reading the record;  @adapt_ns: when to compute it again
 * @passes:    leaves records out, as none of them is due */
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

/** lkd_exchange_tick() - look for the record of the present grid point and send it on; sets the
 * timer for the next one. Lock held, a run attached. Thread: exchange. */
void lkd_exchange_tick(struct lkd_exchange *exchange);

/** lkd_exchange_set_timer() - when @timer fires next, CLOCK_MONOTONIC. */
void lkd_exchange_set_timer(struct lkd_exchange *exchange, int64_t when_ns);

/** lkd_exchange_mark() - a span of the thread has ended. */
void lkd_exchange_mark(struct lkd_exchange *exchange, enum lkd_span span, int64_t begin_ns,
                       uint64_t what);

#endif
