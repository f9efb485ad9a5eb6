/* SPDX-License-Identifier: Apache-2.0 */
/* The exchange as commands see it, without its thread and sockets. Streams can be requested, and
 * nothing is ever sent. This file replaces io/exchange*.c in targets that link it. */
#include "no_exchange.h"
#include "exchange.h"
#include "publisher.h"
#include "wait.h"

#include <stdlib.h>

struct lkd_exchange {
    struct lkd_streams streams;
    struct lkd_ring spans;
};

struct lkd_exchange *no_exchange(void)
{
    static struct lkd_exchange exchange;

    if (!exchange.streams.buffer &&
        (lkd_streams_init(&exchange.streams, NULL, NULL) || lkd_ring_init(&exchange.spans, 16)))
        abort();
    return &exchange;
}

void lkd_exchange_load(struct lkd_exchange *exchange, struct lkd_cycle *cycle)
{
    (void)cycle;
    lkd_streams_end(&exchange->streams);
}

int lkd_exchange_subscribe(struct lkd_exchange *exchange, const struct lkd_selection *selection,
                           uint64_t *ret_id)
{
    return lkd_streams_add(&exchange->streams, selection, lkd_clock_ns(), ret_id);
}

/* There is no section cueing, so no order arrives. */
enum lk_ride_cause lkd_exchange_platform(struct lkd_exchange *exchange,
                                         enum lkd_platform_order order,
                                         struct lkd_cueing *ret_cueing)
{
    (void)exchange, (void)order;
    *ret_cueing = (struct lkd_cueing){0};
    return LK_RIDE_NOT_RUNNING;
}

struct lkd_spsc *lkd_exchange_platform_queue(struct lkd_exchange *exchange)
{
    (void)exchange;
    return NULL;
}

int lkd_exchange_streams(struct lkd_exchange *exchange)
{
    return exchange->streams.n;
}

const struct lkd_ring *lkd_exchange_spans(const struct lkd_exchange *exchange)
{
    return &exchange->spans;
}

int lkd_exchange_outputs_max(void)
{
    return LKD_PUBLISHER_OUTPUTS_MAX;
}

bool lkd_exchange_gateway(struct lkd_exchange *exchange, struct lkd_villas_counts *ret)
{
    (void)exchange;
    (void)ret;
    return false;
}

int lkd_exchange_priority(struct lkd_exchange *exchange)
{
    (void)exchange;
    return 0;
}

uint64_t lkd_exchange_forbidden(struct lkd_exchange *exchange)
{
    (void)exchange;
    return 0;
}

uint64_t lkd_exchange_published(struct lkd_exchange *exchange)
{
    (void)exchange;
    return 0;
}

void lkd_exchange_tell(struct lkd_exchange *exchange, Linkage__V1__State state, uint64_t model_id,
                       enum lkd_mode mode, uint64_t step)
{
    (void)exchange, (void)state, (void)model_id, (void)mode, (void)step;
}

/* Abort, because no run ever begins here. */
void lkd_exchange_attach(struct lkd_exchange *exchange, struct lkd_cycle *cycle, uint64_t model_id,
                         bool degraded)
{
    (void)exchange, (void)cycle, (void)model_id, (void)degraded;
    abort();
}

void lkd_exchange_detach(struct lkd_exchange *exchange, Linkage__V1__State state)
{
    (void)exchange, (void)state;
}

void lkd_exchange_fault(struct lkd_exchange *exchange, bool zero)
{
    (void)exchange, (void)zero;
    abort();
}
