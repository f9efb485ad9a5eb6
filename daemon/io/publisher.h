/* SPDX-License-Identifier: Apache-2.0 */
/* OutputSamples on the outputs channel: all outputs, at a divisor of the steps. Not thread-safe:
 * the exchange's lock guards it. */
#ifndef LKD_IO_PUBLISHER_H
#define LKD_IO_PUBLISHER_H

#include "outgoing.h"
#include "pace.h"
#include "port.h"
#include "wire.h"

/* Everything in a sample but its values, echoes of all benches included, is below 2 KiB. */
#define LKD_PUBLISHER_OUTPUTS_MAX ((int)((LK_WIRE_SAMPLE_MAX - 2048) / sizeof(double)))

/** struct lkd_publisher - @sequence runs on as long as the daemon lives, @published counts a run.
 */
struct lkd_publisher {
    struct lkd_port *port;
    unsigned char *buffer;
    uint64_t divisor;
    struct lkd_pace pace;
    uint64_t sequence;
    uint64_t published;
};

/** lkd_publisher_init() - @port: outputs, stays the caller's;  @divisor: at least 1.
 * Return: 0, -ENOMEM. */
int lkd_publisher_init(struct lkd_publisher *publisher, struct lkd_port *port, uint64_t divisor);
/** lkd_publisher_fini() - release; a zeroed publisher is allowed. */
void lkd_publisher_fini(struct lkd_publisher *publisher);
/** lkd_publisher_begin() - a run begins: count from zero. */
void lkd_publisher_begin(struct lkd_publisher *publisher);

/** lkd_publisher_due() - is the record with @figures to be published? Ask once a record. */
bool lkd_publisher_due(struct lkd_publisher *publisher, const struct lkd_figures *figures);

/** lkd_publisher_send() - publish a sample that is filled but for its sequence and time; never
 * blocks.
 * @outgoing: of at most LKD_PUBLISHER_OUTPUTS_MAX values
 * Return: when the channel had taken it [ns]; 0: it was not sent, and the gap shows in the
 * sequence.
 */
int64_t lkd_publisher_send(struct lkd_publisher *publisher, struct lkd_outgoing *outgoing);

#endif
