/* SPDX-License-Identifier: Apache-2.0 */
#include "heartbeat.h"
#include "identity.h"
#include "linkage/version.h"
#include "wait.h"
#include "wire.h"

static void beat(struct lkd_heartbeat *heartbeat, const struct lkd_life *life)
{
    Linkage__V1__Heartbeat message = LINKAGE__V1__HEARTBEAT__INIT;
    unsigned char buffer[128];
    size_t size;

    message.version = (char *)LK_VERSION; /* cast drops const: encoding only reads */
    message.daemon_id = lkd_daemon_id();
    message.state = life->state;
    message.mode = life->mode;
    message.model_id = life->model_id;
    message.step = life->step;
    message.sequence = ++heartbeat->sequence;
    message.sent_ns = (uint64_t)lkd_clock_ns();
    if (lk_wire_encode(&message.base, buffer, sizeof(buffer), &size) == 0)
        lkd_port_send_bytes(heartbeat->port, buffer, size);
}

void lkd_heartbeat_tick(struct lkd_heartbeat *heartbeat, const struct lkd_life *life,
                        int64_t now_ns)
{
    if (now_ns < heartbeat->due_ns)
        return;
    heartbeat->due_ns += LKD_HEARTBEAT_NS;
    if (heartbeat->due_ns <= now_ns)
        heartbeat->due_ns = now_ns + LKD_HEARTBEAT_NS;
    beat(heartbeat, life);
}
