/* SPDX-License-Identifier: Apache-2.0 */
/* InputSamples from their channel into the input table; the exchange thread's. */
#ifndef LKD_IO_RECEIVER_H
#define LKD_IO_RECEIVER_H

#include "inputs.h"
#include "port.h"
#include "wire.h"
#include <stdatomic.h>

/** struct lkd_receiver - @arena: decoded samples live here, one at a time;  @forbidden: samples
 * from clients whose role does not allow them, for any thread to read */
struct lkd_receiver {
    struct lkd_inputs *inputs;
    struct lk_wire_arena arena;
    _Atomic uint64_t forbidden;
};

/** lkd_receiver_init() - @inputs stays the caller's. Return: 0, -ENOMEM. */
int lkd_receiver_init(struct lkd_receiver *receiver, struct lkd_inputs *inputs);
/** lkd_receiver_fini() - release; a zeroed receiver is allowed. */
void lkd_receiver_fini(struct lkd_receiver *receiver);

/** lkd_receiver_drain() - take what has arrived, at most @limit messages; never blocks.
 * Return: how many messages. */
int lkd_receiver_drain(struct lkd_receiver *receiver, struct lkd_port *port, int limit);

#endif
