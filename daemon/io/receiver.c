/* SPDX-License-Identifier: Apache-2.0 */
#include "receiver.h"
#include "log.h"
#include "peer.h"

int lkd_receiver_init(struct lkd_receiver *receiver, struct lkd_inputs *inputs)
{
    *receiver = (struct lkd_receiver){.inputs = inputs};
    return lk_wire_arena_init(&receiver->arena, LK_WIRE_SAMPLE_ARENA);
}

void lkd_receiver_fini(struct lkd_receiver *receiver)
{
    lk_wire_arena_fini(&receiver->arena);
}

static void report_refusal(const struct lkd_peer *peer, const char *why)
{
    lkd_log(LKD_C_INPUT_REFUSED, "input sample%s%s refused: %s", *peer->name ? " of " : "",
            peer->name, why);
}

static void receive_sample(struct lkd_receiver *receiver, const struct lkd_peer *peer,
                           const void *data, size_t size)
{
    const Linkage__V1__InputSample *message;
    int r;

    r = lk_wire_decode_input(&receiver->arena, data, size, &message);
    if (r && r != LK_WIRE_E_NOT_FINITE) {
        lkd_inputs_refuse(receiver->inputs);
        report_refusal(peer, lk_wire_status_text(r));
        return;
    }
    /* The table refuses values that are not finite, and counts them for their channel. */
    r = lkd_inputs_offer_message(receiver->inputs, message, peer, lkd_clock_ns());
    if (r)
        report_refusal(peer, lkd_input_status_text(r));
}

/* Count and log a sample that the role of its sender forbids. It is refused before decoding. */
static void forbid_peer(struct lkd_receiver *receiver, const struct lkd_peer *peer)
{
    lkd_inputs_forbid(receiver->inputs);
    atomic_fetch_add_explicit(&receiver->forbidden, 1, memory_order_relaxed);
    lkd_log(LKD_C_FORBIDDEN, "input sample%s%s refused: beyond its role", *peer->name ? " of " : "",
            peer->name);
}

static void judge_message(struct lkd_receiver *receiver, const struct lkd_message *message)
{
    if (message->kind == LKD_FRAME_OPENED)
        return;
    if (message->peer.role < LINKAGE__V1__ROLE__ROLE_BENCH) {
        forbid_peer(receiver, &message->peer);
    } else if (message->kind == LKD_FRAME_PARTS) {
        lkd_inputs_refuse(receiver->inputs);
        report_refusal(&message->peer, "more than one part");
    } else if (message->kind == LKD_FRAME_LONG) {
        lkd_inputs_refuse(receiver->inputs);
        report_refusal(&message->peer, lk_wire_status_text(LK_WIRE_E_TOO_LARGE));
    } else {
        receive_sample(receiver, &message->peer, message->data, message->size);
    }
}

int lkd_receiver_drain(struct lkd_receiver *receiver, struct lkd_port *port, int limit)
{
    struct lkd_message message;
    int i;

    for (i = 0; i < limit && lkd_port_receive(port, &message); i++)
        judge_message(receiver, &message);
    return i;
}
