/* SPDX-License-Identifier: Apache-2.0 */
#include "receiver.h"
#include "log.h"
#include "peer.h"
#include <zmq.h>

int lkd_receiver_init(struct lkd_receiver *receiver, struct lkd_inputs *inputs)
{
    *receiver = (struct lkd_receiver){.inputs = inputs};
    return lk_wire_arena_init(&receiver->arena, LK_WIRE_SAMPLE_ARENA);
}

void lkd_receiver_fini(struct lkd_receiver *receiver)
{
    lk_wire_arena_fini(&receiver->arena);
}

static void report(const struct lkd_peer *peer, const char *why)
{
    lkd_log(LKD_C_INPUT_REFUSED, "input sample%s%s refused: %s", *peer->name ? " of " : "",
            peer->name, why);
}

static void take(struct lkd_receiver *receiver, const struct lkd_peer *peer, const void *data,
                 size_t size)
{
    const Linkage__V1__InputSample *message;
    int r;

    r = lk_wire_decode_input(&receiver->arena, data, size, &message);
    if (r && r != LK_WIRE_E_NOT_FINITE) {
        lkd_inputs_refuse(receiver->inputs);
        report(peer, lk_wire_status_text(r));
        return;
    }
    /* one that is not finite is refused there, and counted with its channel */
    r = lkd_inputs_offer_message(receiver->inputs, message, peer, lkd_clock_ns());
    if (r)
        report(peer, lkd_input_status_text(r));
}

/* Not even decoded. */
static void forbid(struct lkd_receiver *receiver, const struct lkd_peer *peer)
{
    lkd_inputs_forbid(receiver->inputs);
    atomic_fetch_add_explicit(&receiver->forbidden, 1, memory_order_relaxed);
    lkd_log(LKD_C_FORBIDDEN, "input sample%s%s refused: beyond its role", *peer->name ? " of " : "",
            peer->name);
}

int lkd_receiver_drain(struct lkd_receiver *receiver, void *socket, int limit)
{
    int i;

    for (i = 0; i < limit; i++) {
        zmq_msg_t message;
        bool first = !receiver->continued, more;
        struct lkd_peer peer;

        zmq_msg_init(&message);
        if (zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) < 0) {
            zmq_msg_close(&message);
            break;
        }
        more = zmq_msg_more(&message);
        lkd_peer_of(&message, &peer);
        if (first && peer.role < LINKAGE__V1__ROLE__ROLE_BENCH) {
            forbid(receiver, &peer);
        } else if (first && !more) {
            take(receiver, &peer, zmq_msg_data(&message), zmq_msg_size(&message));
        } else if (first) {
            /* a sample is one part; refused once, whatever the other parts are */
            lkd_inputs_refuse(receiver->inputs);
            report(&peer, "more than one part");
        }
        receiver->continued = more;
        zmq_msg_close(&message);
    }
    return i;
}
