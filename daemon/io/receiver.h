/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of InputSamples from their channel into the input table. Used by the exchange thread. */
#ifndef LKD_IO_RECEIVER_H
#define LKD_IO_RECEIVER_H

#include "inputs.h"
#include "port.h"
#include "wire.h"
#include <stdatomic.h>

/** struct lkd_receiver - reader of input samples.
 * @arena:     memory of one decoded sample
 * @forbidden: number of samples refused because of the client's role; any thread may read it */
struct lkd_receiver {
    struct lkd_inputs *inputs;
    struct lk_wire_arena arena;
    _Atomic uint64_t forbidden;
};

/** lkd_receiver_init() - Initialise a receiver.
 * @inputs: owned by the caller
 * Return: 0, -ENOMEM. */
int lkd_receiver_init(struct lkd_receiver *receiver, struct lkd_inputs *inputs);
/** lkd_receiver_fini() - Release @receiver, which may be zeroed. */
void lkd_receiver_fini(struct lkd_receiver *receiver);

/** lkd_receiver_drain() - Process the messages that have arrived, at most @limit; never blocks.
 * Return: number of messages processed. */
int lkd_receiver_drain(struct lkd_receiver *receiver, struct lkd_port *port, int limit);

#endif
