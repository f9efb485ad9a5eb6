/* SPDX-License-Identifier: Apache-2.0 */
/* Claim of a bench on its channels, and recovery of the claim.
 *
 *     describe --> claim --> subscribe --> check, once a second
 *        ^           |           |           |
 *        '-----------'-----------'-----------'  refused, no answer, silence, the claim is lost,
 *                                               another daemon, another model
 *
 * Only one request at a time is pending; no function waits for its reply. */
#include "bench_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ANSWER_NS  INT64_C(2000000000) /* time limit of an answer */
#define AGAIN_NS   INT64_C(500000000)
#define LOOK_NS    INT64_C(50000000)
#define CONNECT_NS INT64_C(20000000)
#define CHECK_NS   INT64_C(1000000000)
#define SILENCE_NS INT64_C(3000000000)
/* Interval of heartbeats: several per lease, within limits. */
#define HEARTBEAT_MIN_NS INT64_C(2000000)
#define HEARTBEAT_MAX_NS INT64_C(200000000)

/* Set the visible state.
 * @text: reason, "" for none */
static void show_state(struct lk_client_bench *bench, enum lk_client_bench_state state,
                       const char *text)
{
    pthread_mutex_lock(&bench->lock);
    bench->view.state = state;
    snprintf(bench->view.text, sizeof(bench->view.text), "%s", text);
    pthread_mutex_unlock(&bench->lock);
}

/* Start again with the first request. The token is kept. With it the same daemon grants the
 * channels again immediately, even before the lease of the old claim has expired. */
static void start_over(struct lk_client_bench *bench, enum lk_client_bench_state state,
                       const char *text, int64_t again_ns)
{
    show_state(bench, state, text);
    bench->model = NULL;
    bench->question = LK_BENCH_DESCRIBE;
    bench->asking = false;
    bench->again_ns = again_ns;
}

void lk_bench_heard(struct lk_client_bench *bench, uint64_t daemon_id, uint64_t model_id,
                    int64_t now_ns)
{
    bench->heard_ns = now_ns;
    if (bench->question <= LK_BENCH_CLAIM)
        return;
    if (daemon_id != bench->view.daemon_id)
        start_over(bench, LK_CLIENT_BENCH_WAITING, "the daemon was started anew", now_ns);
    else if (model_id != bench->view.model_id)
        start_over(bench, LK_CLIENT_BENCH_WAITING, "another model was loaded", now_ns);
}

/* ---- requests ---- */

static const Linkage__V1__ChannelDescription *find_input(const struct lk_client_bench *bench,
                                                         const char *name)
{
    for (size_t i = 0; i < bench->model->n_inputs; i++)
        if (strcmp(bench->model->inputs[i]->name, name) == 0)
            return bench->model->inputs[i];
    return NULL;
}

/* Create the request for one channel. All its components have the same unit. A channel that the
 * model lacks is requested as well; the daemon will refuse it.
 * Return: NULL if the arena is full. */
static Linkage__V1__ClaimedChannel *make_wish(struct lk_client_bench *bench,
                                              const struct lk_client_bench_channel *channel)
{
    const Linkage__V1__ChannelDescription *input = find_input(bench, channel->name);
    Linkage__V1__ClaimedChannel *wish = lk_wire_arena_take(&bench->claim_arena, sizeof(*wish));

    if (wish == NULL)
        return NULL;
    linkage__v1__claimed_channel__init(wish);
    wish->name = (char *)channel->name;
    if (channel->unit == NULL || input == NULL)
        return wish;
    wish->units = lk_wire_arena_take(&bench->claim_arena, input->n_units * sizeof(char *));
    if (wish->units == NULL)
        return NULL;
    while (wish->n_units < input->n_units)
        wish->units[wish->n_units++] = (char *)channel->unit;
    return wish;
}

static int ask_claim(struct lk_client_bench *bench, struct lk_error *error)
{
    const struct lk_client_bench_setup *own = &bench->own;
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ClaimRequest claim = LINKAGE__V1__CLAIM_REQUEST__INIT;

    bench->claim = NULL;
    lk_wire_arena_reset(&bench->claim_arena);
    claim.channels = lk_wire_arena_take(&bench->claim_arena, own->n_channels * sizeof(void *));
    if (claim.channels == NULL)
        return -ENOMEM;
    for (; claim.n_channels < own->n_channels; claim.n_channels++) {
        claim.channels[claim.n_channels] = make_wish(bench, &own->channels[claim.n_channels]);
        if (claim.channels[claim.n_channels] == NULL)
            return -ENOMEM;
    }
    claim.bench = (char *)own->name;
    /* A token is valid only at the daemon that issued it. */
    claim.token = bench->model->daemon_id == bench->old_daemon ? bench->old_token : 0;
    claim.model_id = bench->model->model_id;
    claim.yields = own->yields;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_CLAIM;
    request.claim = &claim;
    return lk_client_post(bench->client, &request, error);
}

static int request_meanings(struct lk_client_bench *bench, struct lk_error *error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__DescribeRequest describe = LINKAGE__V1__DESCRIBE_REQUEST__INIT;
    Linkage__V1__SubscribeRequest subscribe = LINKAGE__V1__SUBSCRIBE_REQUEST__INIT;
    Linkage__V1__InputsRequest inputs = LINKAGE__V1__INPUTS_REQUEST__INIT;

    switch (bench->question) {
    case LK_BENCH_CLAIM:
        return ask_claim(bench, error);
    case LK_BENCH_SUBSCRIBE:
        subscribe.channels = (char **)bench->own.selection;
        subscribe.n_channels = bench->own.n_selection;
        subscribe.divisor = bench->own.divisor;
        request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_SUBSCRIBE;
        request.subscribe = &subscribe;
        break;
    case LK_BENCH_CHECK:
        request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INPUTS;
        request.inputs = &inputs;
        break;
    default:
        request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE;
        request.describe = &describe;
    }
    return lk_client_post(bench->client, &request, error);
}

/* ---- answers ---- */

static void go_on(struct lk_client_bench *bench, enum lk_bench_question question, int64_t again_ns)
{
    bench->question = question;
    bench->again_ns = again_ns;
}

/* Return true if the bench needs a stream, for a selection or a divisor. Otherwise it receives all
 * outputs at every step, which are published anyway. */
static bool wants_stream(const struct lk_client_bench *bench)
{
    return !bench->own.without_outputs && (bench->own.n_selection > 0 || bench->own.divisor > 1);
}

/* Change to the connected state: the bench owns its channels, if it needs any. @number: number of
 * the claim, 0: none */
static void be_connected(struct lk_client_bench *bench, uint64_t token, uint32_t number,
                         size_t n_values, int64_t now_ns)
{
    struct lk_client_bench_view *view = &bench->view;

    bench->last_output = 0;
    pthread_mutex_lock(&bench->lock);
    view->state = LK_CLIENT_BENCH_CONNECTED;
    view->text[0] = '\0';
    view->result = LINKAGE__V1__RESULT__RESULT_OK;
    view->token = token;
    view->number = number;
    view->model_id = bench->model->model_id;
    view->daemon_id = bench->model->daemon_id;
    view->n_values = n_values;
    view->times_claimed++;
    view->sent = view->accepted = view->refused = view->gaps = 0;
    bench->sent_ns = 0; /* send a heartbeat at once, because the lease begins now */
    bench->reply_to = (struct lk_bench_reply_to){0};
    pthread_mutex_unlock(&bench->lock);
    go_on(bench, wants_stream(bench) ? LK_BENCH_SUBSCRIBE : LK_BENCH_CHECK, now_ns);
}

static void take_model(struct lk_client_bench *bench, const Linkage__V1__ControlReply *reply,
                       int64_t now_ns)
{
    bench->model = reply->description;
    if (bench->own.n_channels > 0)
        go_on(bench, LK_BENCH_CLAIM, now_ns);
    else
        be_connected(bench, 0, 0, 0, now_ns);
}

/* Copy the claim by encoding and decoding it, because the next reply overwrites the original. */
static bool keep_claim(struct lk_client_bench *bench, const Linkage__V1__Claim *claim)
{
    size_t size = lk_wire_encoded_size(&claim->base);
    uint8_t *bytes;

    lk_wire_arena_reset(&bench->claim_arena);
    bytes = lk_wire_arena_take(&bench->claim_arena, size + 1);
    if (bytes != NULL && lk_wire_encode(&claim->base, bytes, size, &size) == 0)
        bench->claim = linkage__v1__claim__unpack(&bench->claim_arena.allocator, size, bytes);
    return bench->claim != NULL;
}

static int64_t heartbeat_ns(double lease_s)
{
    double interval_ns = lease_s / 4 * 1e9;

    if (!(interval_ns > HEARTBEAT_MIN_NS))
        return HEARTBEAT_MIN_NS;
    return interval_ns < HEARTBEAT_MAX_NS ? (int64_t)interval_ns : HEARTBEAT_MAX_NS;
}

static void take_claim(struct lk_client_bench *bench, const Linkage__V1__ControlReply *reply,
                       int64_t now_ns)
{
    size_t n = 0;

    if (!keep_claim(bench, reply->claim)) {
        start_over(bench, LK_CLIENT_BENCH_WAITING, "no memory for a claim", now_ns + AGAIN_NS);
        return;
    }
    for (size_t i = 0; i < bench->claim->n_channels; i++)
        n += bench->claim->channels[i]->n_components;
    bench->old_token = bench->claim->token;
    bench->old_daemon = bench->claim->daemon_id;
    bench->heartbeat_ns = heartbeat_ns(bench->claim->lease_s);
    be_connected(bench, bench->claim->token, bench->claim->number, n, now_ns);
}

static void take_stream(struct lk_client_bench *bench, const Linkage__V1__ControlReply *reply,
                        int64_t now_ns)
{
    lk_bench_follow(bench, reply->stream->topic.data, reply->stream->topic.len);
    go_on(bench, LK_BENCH_CHECK, now_ns);
}

/* Check that the claim still exists: if this bench was silent for longer than the lease, another
 * bench may have claimed the channels. A bench without channels needs only some reply. */
static void take_check(struct lk_client_bench *bench, const Linkage__V1__ControlReply *reply,
                       int64_t now_ns)
{
    if (bench->own.n_channels == 0) {
        go_on(bench, LK_BENCH_CHECK, now_ns + CHECK_NS);
        return;
    }
    for (size_t i = 0; i < reply->inputs->n_claims; i++) {
        const Linkage__V1__ClaimReport *report = reply->inputs->claims[i];

        if (report->number != bench->claim->number || strcmp(report->bench, bench->own.name) != 0)
            continue;
        pthread_mutex_lock(&bench->lock);
        bench->view.accepted = report->accepted;
        bench->view.refused = report->refused;
        bench->view.gaps = report->gaps;
        pthread_mutex_unlock(&bench->lock);
        go_on(bench, LK_BENCH_CHECK, now_ns + CHECK_NS);
        return;
    }
    start_over(bench, LK_CLIENT_BENCH_WAITING, "the daemon knows the claim no more", now_ns);
}

static const char *reason_of(const struct lk_client_bench *bench,
                             const Linkage__V1__ControlReply *reply)
{
    if (bench->question == LK_BENCH_DESCRIBE &&
        reply->result == LINKAGE__V1__RESULT__RESULT_WRONG_STATE)
        return "the daemon has no model";
    return reply->text[0] != '\0' ? reply->text : lk_names_result(reply->result);
}

/* Handle a refusal. If there is no model, the bench waits for one. Otherwise the claim or the
 * stream was refused. */
static void take_refusal(struct lk_client_bench *bench, const Linkage__V1__ControlReply *reply,
                         int64_t now_ns)
{
    bool model = bench->question == LK_BENCH_DESCRIBE;

    if (reply->result == LINKAGE__V1__RESULT__RESULT_BAD_TOKEN)
        bench->old_token = 0;
    pthread_mutex_lock(&bench->lock);
    bench->view.result = reply->result;
    pthread_mutex_unlock(&bench->lock);
    start_over(bench, model ? LK_CLIENT_BENCH_WAITING : LK_CLIENT_BENCH_REFUSED,
               reason_of(bench, reply), now_ns + AGAIN_NS);
}

static bool has_answer(const struct lk_client_bench *bench, const Linkage__V1__ControlReply *reply)
{
    if (reply->result != LINKAGE__V1__RESULT__RESULT_OK)
        return false;
    switch (bench->question) {
    case LK_BENCH_DESCRIBE:
        return reply->description != NULL;
    case LK_BENCH_CLAIM:
        return reply->claim != NULL;
    case LK_BENCH_SUBSCRIBE:
        return reply->stream != NULL;
    default:
        return reply->inputs != NULL;
    }
}

static void take_answer(struct lk_client_bench *bench, const Linkage__V1__ControlReply *reply,
                        int64_t now_ns)
{
    static void (*const take[])(struct lk_client_bench *, const Linkage__V1__ControlReply *,
                                int64_t) = {
        [LK_BENCH_DESCRIBE] = take_model,
        [LK_BENCH_CLAIM] = take_claim,
        [LK_BENCH_SUBSCRIBE] = take_stream,
        [LK_BENCH_CHECK] = take_check,
    };

    bench->asking = false;
    bench->heard_ns = now_ns;
    if (has_answer(bench, reply))
        take[bench->question](bench, reply, now_ns);
    else
        take_refusal(bench, reply, now_ns);
}

/* ---- state machine ---- */

static void take_reply(struct lk_client_bench *bench, int64_t now_ns)
{
    const Linkage__V1__ControlReply *reply;
    struct lk_error error = {0};
    int code = lk_client_collect(bench->client, 0, &reply, &error);

    if (code == 0) {
        take_answer(bench, reply, now_ns);
    } else if (code != LK_CLIENT_E_NO_ANSWER) {
        start_over(bench, LK_CLIENT_BENCH_WAITING, error.text, now_ns + AGAIN_NS);
    } else if (now_ns - bench->asked_ns > ANSWER_NS) {
        lk_client_forget(bench->client, &error);
        start_over(bench, LK_CLIENT_BENCH_WAITING, error.text, now_ns);
    }
}

/* Return true if samples can be sent. Before that no claim is made, because it would expire. The
 * claim belongs to the current connection, whose generation is stored. */
static bool can_send(struct lk_client_bench *bench)
{
    bool ready;

    pthread_mutex_lock(&bench->lock);
    ready = lk_client_inputs_ready(bench->inputs);
    bench->generation = lk_client_inputs_generation(bench->inputs);
    pthread_mutex_unlock(&bench->lock);
    return ready;
}

/* Check for a new connection: it may lead to another daemon, which does not have the claim. A bench
 * without channels detects another daemon from heartbeats. */
static void mind_connection(struct lk_client_bench *bench, int64_t now_ns)
{
    bool anew;

    if (bench->question <= LK_BENCH_CLAIM || bench->own.n_channels == 0)
        return;
    pthread_mutex_lock(&bench->lock);
    anew = lk_client_inputs_ready(bench->inputs) &&
           lk_client_inputs_generation(bench->inputs) != bench->generation;
    pthread_mutex_unlock(&bench->lock);
    if (anew)
        start_over(bench, LK_CLIENT_BENCH_WAITING, "the connection was made anew", now_ns);
}

static void send_request(struct lk_client_bench *bench, int64_t now_ns)
{
    struct lk_error error = {0};

    if (bench->question == LK_BENCH_CLAIM && !can_send(bench)) {
        show_state(bench, LK_CLIENT_BENCH_WAITING, "the inputs socket is not connected yet");
        bench->again_ns = now_ns + CONNECT_NS;
        return;
    }
    bench->asked_ns = now_ns;
    bench->asking = request_meanings(bench, &error) == 0;
    if (!bench->asking)
        start_over(bench, LK_CLIENT_BENCH_WAITING, error.text, now_ns + AGAIN_NS);
}

/* Start again if no output, heartbeat or reply has arrived for some time: a cable is unplugged, or
 * the daemon hangs. */
static void mind_silence(struct lk_client_bench *bench, int64_t now_ns)
{
    if (bench->question > LK_BENCH_CLAIM && now_ns - bench->heard_ns > SILENCE_NS)
        start_over(bench, LK_CLIENT_BENCH_WAITING, "nothing was heard of the daemon for 3 s",
                   now_ns);
}

int64_t lk_bench_drive(struct lk_client_bench *bench, int64_t now_ns)
{
    int64_t next_ns;

    lk_bench_check_clock(bench, now_ns);
    mind_silence(bench, now_ns);
    mind_connection(bench, now_ns);
    /* After a reply the next request may be due immediately. */
    for (int i = 0; i < LK_BENCH_CHECK + 1 && (bench->asking || now_ns >= bench->again_ns); i++) {
        bool asked = bench->asking;

        if (asked)
            take_reply(bench, now_ns);
        else
            send_request(bench, now_ns);
        if (asked && bench->asking)
            break;
    }
    lk_bench_heartbeat(bench, now_ns);
    next_ns = now_ns + (bench->heartbeat_ns < LOOK_NS ? bench->heartbeat_ns : LOOK_NS);
    return !bench->asking && bench->again_ns < next_ns ? bench->again_ns : next_ns;
}
