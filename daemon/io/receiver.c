/* SPDX-License-Identifier: Apache-2.0 */
#include "receiver.h"
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

static void report(struct lkd_receiver *receiver, int64_t now_ns, const char *why)
{
    lkd_log_limited(&receiver->limit, now_ns, LKD_LOG_WARNING, "input sample refused: %s", why);
}

static void take(struct lkd_receiver *receiver, const void *data, size_t size, int64_t now_ns)
{
    const Linkage__V1__InputSample *message;
    int r;

    r = lk_wire_decode_input(&receiver->arena, data, size, &message);
    if (r) {
        lkd_inputs_refuse(receiver->inputs);
        report(receiver, now_ns, lk_wire_status_text(r));
        return;
    }
    r = lkd_inputs_offer(receiver->inputs, &(struct lkd_sample){
                                               .sequence = message->sequence,
                                               .origin_ns = message->origin_ns,
                                               .model_id = message->model_id,
                                               .received_ns = now_ns,
                                               .values = message->values,
                                               .n_values = message->n_values,
                                           });
    if (r)
        report(receiver, now_ns, lkd_input_status_text(r));
}

int lkd_receiver_drain(struct lkd_receiver *receiver, void *socket, int limit)
{
    int i;

    for (i = 0; i < limit; i++) {
        zmq_msg_t message;
        bool first = !receiver->continued, more;

        zmq_msg_init(&message);
        if (zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) < 0) {
            zmq_msg_close(&message);
            break;
        }
        more = zmq_msg_more(&message);
        if (first && !more) {
            take(receiver, zmq_msg_data(&message), zmq_msg_size(&message), lkd_clock_ns());
        } else if (first) {
            /* a sample is one part; refused once, whatever the other parts are */
            lkd_inputs_refuse(receiver->inputs);
            report(receiver, lkd_clock_ns(), "more than one part");
        }
        receiver->continued = more;
        zmq_msg_close(&message);
    }
    return i;
}
