/* SPDX-License-Identifier: Apache-2.0 */
/* OutputSamples on the outputs channel: all outputs, every divisor-th step. Not thread-safe: the
 * exchange's lock guards it. */
#ifndef LKD_IO_PUBLISHER_H
#define LKD_IO_PUBLISHER_H

#include "outgoing.h"
#include "pace.h"
#include "port.h"
#include "wire.h"

/* Largest number of outputs in a sample. 2 KiB are reserved for the rest of the sample, including
 * the echoes of all benches. */
#define LKD_PUBLISHER_OUTPUTS_MAX ((int)((LK_WIRE_SAMPLE_MAX - 2048) / sizeof(double)))

/** struct lkd_publisher - publisher of the outputs.
 * @sequence:  sequence number of the last sample; never reset in the lifetime of the daemon
 * @published: number of samples of the present run */
struct lkd_publisher {
    struct lkd_port *port;
    unsigned char *buffer;
    uint64_t divisor;
    struct lkd_pace pace;
    uint64_t sequence;
    uint64_t published;
};

/** lkd_publisher_init() - Initialise a publisher.
 * @port:    outputs channel, owned by the caller
 * @divisor: at least 1.
 * Return: 0, -ENOMEM. */
int lkd_publisher_init(struct lkd_publisher *publisher, struct lkd_port *port, uint64_t divisor);
/** lkd_publisher_fini() - Release @publisher, which may be zeroed. */
void lkd_publisher_fini(struct lkd_publisher *publisher);
/** lkd_publisher_begin() - Reset the count of published samples when a run begins. */
void lkd_publisher_begin(struct lkd_publisher *publisher);

/** lkd_publisher_due() - Return true if the record with @figures is to be published. Call once per
 * record. */
bool lkd_publisher_due(struct lkd_publisher *publisher, const struct lkd_figures *figures);

/** lkd_publisher_send() - Set sequence number and time of a filled sample and publish it; never
 * blocks.
 * @outgoing: at most LKD_PUBLISHER_OUTPUTS_MAX values
 * Return: time at which the channel accepted it [ns]; 0: it was not sent, and the sequence numbers
 * have a gap. */
int64_t lkd_publisher_send(struct lkd_publisher *publisher, struct lkd_outgoing *outgoing);

#endif
