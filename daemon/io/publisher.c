/* SPDX-License-Identifier: Apache-2.0 */
#include "publisher.h"
#include "log.h"
#include "wait.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

int lkd_publisher_init(struct lkd_publisher *publisher, struct lkd_port *port, uint64_t divisor)
{
    unsigned char *buffer = malloc(LK_WIRE_SAMPLE_MAX);

    if (!buffer)
        return -ENOMEM;
    *publisher = (struct lkd_publisher){.port = port, .buffer = buffer, .divisor = divisor};
    lkd_pace_begin(&publisher->pace, divisor);
    return 0;
}

void lkd_publisher_fini(struct lkd_publisher *publisher)
{
    free(publisher->buffer);
    publisher->buffer = NULL;
}

void lkd_publisher_begin(struct lkd_publisher *publisher)
{
    publisher->published = 0;
    lkd_pace_begin(&publisher->pace, publisher->divisor);
}

bool lkd_publisher_due(struct lkd_publisher *publisher, const struct lkd_figures *figures)
{
    return lkd_pace_due(&publisher->pace, figures);
}

int64_t lkd_publisher_send(struct lkd_publisher *publisher, struct lkd_outgoing *outgoing)
{
    size_t size;

    lkd_outgoing_stamp(outgoing, ++publisher->sequence);
    /* A full channel drops the sample for all subscribers, which causes a gap in the sequence
     * numbers. The line process also drops samples for slow subscribers. */
    if (lk_wire_encode(&outgoing->sample.base, publisher->buffer, LK_WIRE_SAMPLE_MAX, &size) ||
        !lkd_port_send_bytes(publisher->port, publisher->buffer, size)) {
        lkd_log(LKD_C_OUTPUT_NOT_SENT, "output sample %" PRIu64 " was not sent",
                publisher->sequence);
        return 0;
    }
    publisher->published++;
    return lkd_clock_ns();
}
