/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the cycle as OutputSamples on a PUB socket. Not thread-safe: the exchange's lock
 * guards it. */
#ifndef LKD_IO_PUBLISHER_H
#define LKD_IO_PUBLISHER_H

#include "cycle.h"
#include "wire.h"

/* Everything in an OutputSample but the values is below 256 bytes. */
#define LKD_PUBLISHER_OUTPUTS_MAX ((int)((LK_WIRE_SAMPLE_MAX - 256) / sizeof(double)))

/** struct lkd_publisher - @sequence runs on as long as the daemon lives, @published counts a run.
 */
struct lkd_publisher {
    void *socket;
    unsigned char *buffer;
    uint64_t sequence;
    uint64_t published;
};

/** lkd_publisher_init() - @socket: PUB, stays the caller's. Return: 0, -ENOMEM. */
int lkd_publisher_init(struct lkd_publisher *publisher, void *socket);
/** lkd_publisher_fini() - release; a zeroed publisher is allowed. */
void lkd_publisher_fini(struct lkd_publisher *publisher);
/** lkd_publisher_begin() - a run begins: count from zero. */
void lkd_publisher_begin(struct lkd_publisher *publisher);

/** lkd_publisher_send() - publish one record; never blocks.
 * @n_values: at most LKD_PUBLISHER_OUTPUTS_MAX
 * @state:    what the sample says instead of the state in the record, or STATE_UNSPECIFIED
 * Return: when the socket had taken it [ns]. */
int64_t lkd_publisher_send(struct lkd_publisher *publisher, const struct lkd_output *output,
                           int n_values, uint64_t model_id, bool degraded,
                           Linkage__V1__State state);

#endif
