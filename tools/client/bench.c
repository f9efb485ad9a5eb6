/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of a bench: open, receive, read state, close. */
#include "bench_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MS     2000
#define LAST_WORDS_MS 200
#define TEXTS_ARENA   (256u << 10)
#define CLAIM_ARENA   (2u << 20)

/* ---- copy of the set-up ---- */

static const char *copy_text(struct lk_wire_arena *arena, const char *text)
{
    return text != NULL ? lk_wire_arena_format(arena, "%s", text) : NULL;
}

static const struct lk_client_bench_channel *
copy_channels(struct lk_wire_arena *arena, const struct lk_client_bench_channel *from, size_t n)
{
    struct lk_client_bench_channel *copy = lk_wire_arena_take(arena, (n + 1) * sizeof(*copy));

    for (size_t i = 0; copy != NULL && i < n; i++) {
        copy[i].name = copy_text(arena, from[i].name);
        copy[i].unit = copy_text(arena, from[i].unit);
        if (copy[i].name == NULL || (from[i].unit != NULL && copy[i].unit == NULL))
            return NULL;
    }
    return copy;
}

static char *const *copy_names(struct lk_wire_arena *arena, char *const *from, size_t n)
{
    char **copy = lk_wire_arena_take(arena, (n + 1) * sizeof(*copy));

    for (size_t i = 0; copy != NULL && i < n; i++) {
        copy[i] = lk_wire_arena_format(arena, "%s", from[i]);
        if (copy[i] == NULL)
            return NULL;
    }
    return copy;
}

/* Copy the set-up. Endpoints and keys are not copied, because they are used only while opening. */
static int copy_setup(struct lk_client_bench *bench, const struct lk_client_bench_setup *setup)
{
    int code = lk_wire_arena_init(&bench->texts, TEXTS_ARENA);

    if (code != 0)
        return code;
    bench->own = *setup;
    bench->own.keys = NULL;
    bench->own.control = bench->own.inputs = bench->own.outputs = NULL;
    bench->own.name = copy_text(&bench->texts, setup->name != NULL ? setup->name : "bench");
    bench->own.channels = copy_channels(&bench->texts, setup->channels, setup->n_channels);
    bench->own.selection = copy_names(&bench->texts, setup->selection, setup->n_selection);
    if (bench->own.name == NULL || bench->own.channels == NULL || bench->own.selection == NULL)
        return -ENOMEM;
    return 0;
}

/* ---- open and close ---- */

static int open_sockets(struct lk_client_bench *bench, const struct lk_client_bench_setup *setup,
                        struct lk_error *error)
{
    const char *outputs = setup->outputs != NULL ? setup->outputs : LK_CLIENT_OUTPUTS;
    int code = lk_client_open_with(setup->control, ANSWER_MS, setup->keys, &bench->client, error);

    if (code == 0)
        code = lk_client_inputs_open(bench->client, setup->inputs, &bench->inputs, error);
    if (code == 0)
        code = lk_client_socket_open(&bench->outputs, lk_client_context(bench->client), ZMQ_SUB,
                                     outputs, lk_client_keys(bench->client), error);
    if (code == 0)
        lk_client_socket_subscribe(&bench->outputs, (const uint8_t[]){LK_WIRE_HEARTBEAT}, 1);
    return code;
}

static void release_bench(struct lk_client_bench *bench)
{
    if (bench->outputs.handle != NULL)
        lk_client_socket_close(&bench->outputs);
    lk_client_inputs_close(bench->inputs);
    lk_client_close(bench->client);
    lk_wire_arena_fini(&bench->samples);
    lk_wire_arena_fini(&bench->claim_arena);
    lk_wire_arena_fini(&bench->texts);
    pthread_mutex_destroy(&bench->lock);
    free(bench);
}

int lk_client_bench_open(const struct lk_client_bench_setup *setup,
                         struct lk_client_bench **ret_bench, struct lk_error *ret_error)
{
    struct lk_client_bench *bench = calloc(1, sizeof(*bench));
    int code;

    lk_error_set(ret_error, "no memory for a bench");
    if (bench == NULL)
        return -ENOMEM;
    pthread_mutex_init(&bench->lock, NULL);
    linkage__v1__clock__init(&bench->clock);
    bench->heartbeat_ns = INT64_MAX; /* infinite until a claim has a lease */
    snprintf(bench->view.text, sizeof(bench->view.text), "no answer from the daemon yet");
    code = copy_setup(bench, setup);
    if (code == 0)
        code = lk_wire_arena_init(&bench->samples, LK_WIRE_SAMPLE_ARENA);
    if (code == 0)
        code = lk_wire_arena_init(&bench->claim_arena, CLAIM_ARENA);
    if (code == 0)
        code = open_sockets(bench, setup, ret_error);
    if (code != 0) {
        release_bench(bench);
        return code;
    }
    if (setup->n_selection == 0 && setup->divisor <= 1 && !setup->without_outputs)
        lk_bench_follow(bench, (const uint8_t[]){LK_WIRE_OUTPUT}, 1);
    *ret_bench = bench;
    return 0;
}

/* Release the channels, so that others need not wait until the lease expires. */
static void give_back(struct lk_client_bench *bench)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ReleaseRequest release_request = LINKAGE__V1__RELEASE_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_error ignored;

    release_request.token = bench->view.token;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_RELEASE;
    request.release = &release_request;
    if (lk_client_post(bench->client, &request, &ignored) == 0)
        (void)lk_client_collect(
            bench->client, lk_client_now_ns() + LAST_WORDS_MS * INT64_C(1000000), &reply, &ignored);
}

void lk_client_bench_close(struct lk_client_bench *bench)
{
    if (bench == NULL)
        return;
    if (bench->view.state == LK_CLIENT_BENCH_CONNECTED && bench->own.n_channels > 0)
        give_back(bench);
    release_bench(bench);
}

/* ---- outputs ---- */

void lk_bench_follow(struct lk_client_bench *bench, const void *topic, size_t size)
{
    if (bench->topic_size > 0)
        (void)zmq_setsockopt(bench->outputs.handle, ZMQ_UNSUBSCRIBE, bench->topic,
                             bench->topic_size);
    memcpy(bench->topic, topic, size);
    bench->topic_size = size;
    lk_client_socket_subscribe(&bench->outputs, topic, size);
}

/* Decode a message.
 * Return: the output sample; NULL for other messages. The state of the daemon in such a message is
 * stored. */
static const Linkage__V1__OutputSample *read_message(struct lk_client_bench *bench,
                                                     const void *data, size_t size, int64_t now_ns)
{
    const Linkage__V1__OutputSample *sample = NULL;
    const Linkage__V1__StreamSample *stream;
    const Linkage__V1__Heartbeat *heartbeat;

    switch (lk_wire_kind(data, size)) {
    case LK_WIRE_HEARTBEAT:
        if (lk_wire_decode_heartbeat(&bench->samples, data, size, &heartbeat) == 0)
            lk_bench_heard(bench, heartbeat->daemon_id, heartbeat->model_id, now_ns);
        return NULL;
    case LK_WIRE_STREAM:
        if (lk_wire_decode_stream(&bench->samples, data, size, &stream) == 0)
            sample = stream->sample;
        break;
    case LK_WIRE_OUTPUT:
        if (lk_wire_decode_output(&bench->samples, data, size, &sample) != 0)
            sample = NULL;
        break;
    default:
        break;
    }
    if (sample != NULL)
        lk_bench_heard(bench, sample->daemon_id, sample->model_id, now_ns);
    return sample;
}

/* Record an output sample for the time stamps of the next input sample. */
static void remember_sample(struct lk_client_bench *bench, const Linkage__V1__OutputSample *sample,
                            uint64_t received_ns)
{
    uint64_t lost = 0;

    if (bench->last_output > 0 && sample->sequence > bench->last_output)
        lost = sample->sequence - bench->last_output - 1;
    bench->last_output = sample->sequence;
    pthread_mutex_lock(&bench->lock);
    bench->reply_to = (struct lk_bench_reply_to){
        .sequence = sample->sequence,
        .published_ns = sample->published_ns,
        .received_ns = received_ns,
    };
    bench->view.received++;
    bench->view.lost += lost;
    pthread_mutex_unlock(&bench->lock);
}

/* Receive messages until one is an output sample for the owner. */
static int take_outputs(struct lk_client_bench *bench, int64_t *ret_received_ns,
                        const Linkage__V1__OutputSample **ret_sample)
{
    for (;;) {
        const Linkage__V1__OutputSample *sample;
        zmq_msg_t message;
        uint64_t stamp_ns;
        int64_t now_ns;
        int code = lk_client_socket_receive(&bench->outputs, 0, &message);

        if (code != 0)
            return code;
        now_ns = lk_client_now_ns();
        stamp_ns = lk_bench_stamp_ns(bench);
        sample = read_message(bench, zmq_msg_data(&message), zmq_msg_size(&message), now_ns);
        zmq_msg_close(&message);
        /* The owner must not use samples of an earlier model, or samples from before the claim. */
        if (sample == NULL || bench->question <= LK_BENCH_CLAIM)
            continue;
        remember_sample(bench, sample, stamp_ns);
        if (ret_received_ns != NULL)
            *ret_received_ns = now_ns;
        *ret_sample = sample;
        return 0;
    }
}

int lk_client_bench_poll(const struct lk_client_bench *bench, zmq_pollitem_t *items)
{
    items[0] = (zmq_pollitem_t){.socket = bench->outputs.handle, .events = ZMQ_POLLIN};
    items[1] = (zmq_pollitem_t){.socket = lk_client_socket_of(bench->client)->handle,
                                .events = ZMQ_POLLIN};
    /* Poll for replies only while a request is pending, because a reply to an abandoned request is
     * not needed. */
    return bench->asking ? 2 : 1;
}

static int wait_for_news(struct lk_client_bench *bench, int64_t until_ns)
{
    int64_t left_ns = until_ns - lk_client_now_ns();
    zmq_pollitem_t items[2];

    if (left_ns <= 0)
        return 0;
    if (zmq_poll(items, lk_client_bench_poll(bench, items), (long)((left_ns + 999999) / 1000000)) <
            0 &&
        errno != EINTR)
        return -errno;
    return 0;
}

int lk_client_bench_receive(struct lk_client_bench *bench, int timeout_ms, int64_t *ret_received_ns,
                            const Linkage__V1__OutputSample **ret_sample)
{
    int64_t now_ns = lk_client_now_ns();
    int64_t deadline_ns = now_ns + (int64_t)timeout_ms * 1000000;

    for (;;) {
        int64_t next_ns = lk_bench_drive(bench, now_ns);
        int code = take_outputs(bench, ret_received_ns, ret_sample);

        if (code != LK_CLIENT_E_NO_ANSWER)
            return code;
        now_ns = lk_client_now_ns();
        if (now_ns >= deadline_ns)
            return LK_CLIENT_E_NO_ANSWER;
        code = wait_for_news(bench, next_ns < deadline_ns ? next_ns : deadline_ns);
        if (code != 0)
            return code;
        now_ns = lk_client_now_ns();
    }
}

/* ---- status ---- */

void lk_client_bench_read_state(struct lk_client_bench *bench,
                                struct lk_client_bench_view *ret_view)
{
    pthread_mutex_lock(&bench->lock);
    *ret_view = bench->view;
    pthread_mutex_unlock(&bench->lock);
}

const Linkage__V1__ModelDescription *lk_client_bench_model(const struct lk_client_bench *bench)
{
    return bench->question > LK_BENCH_CLAIM ? bench->model : NULL;
}

const Linkage__V1__Echo *lk_client_bench_echo(const struct lk_client_bench *bench,
                                              const Linkage__V1__OutputSample *sample)
{
    for (size_t i = 0; bench->claim != NULL && i < sample->n_echoes; i++)
        if (sample->echoes[i]->claim == bench->claim->number)
            return sample->echoes[i];
    return NULL;
}

const char *lk_client_bench_state_name(enum lk_client_bench_state state)
{
    switch (state) {
    case LK_CLIENT_BENCH_CONNECTED:
        return "connected";
    case LK_CLIENT_BENCH_REFUSED:
        return "refused";
    default:
        return "waiting";
    }
}
