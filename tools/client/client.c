/* SPDX-License-Identifier: Apache-2.0 */
/* The control connection: a DEALER socket connected to the daemon's ROUTER, one request at a time.
 *
 * A request must not outlive its call. Otherwise the next daemon would execute a `stop` that was
 * sent while no daemon was running. ZMQ_IMMEDIATE would prevent this, but it also drops replies
 * that have already arrived when the daemon closes the connection, as it does after a shutdown. So
 * the socket queues requests, and a call without a reply replaces the socket with all its
 * contents. */
#include "client.h"
#include "socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* If compiling takes longer than this, the client checks that the daemon is alive [ns]. */
#define LOOK_NS 1000000000

/* struct lk_client - a client. A description has its own arena, so that it remains valid during
 * other calls. */
struct lk_client {
    struct lk_client_socket socket;
    struct lk_client_keys keys;
    int timeout_ms;
    uint64_t last_id;
    uint64_t awaited_id; /* id of an earlier request whose reply is still awaited, or 0 */
    bool describing;     /* the last request was for a description */
    struct lk_wire_arena replies;
    struct lk_wire_arena descriptions;
};

int64_t lk_client_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int open_parts(struct lk_client *client, const char *endpoint, struct lk_error *ret_error)
{
    void *context = zmq_ctx_new();
    int code = context != NULL ? 0 : -ENOMEM;

    if (code == 0)
        code = lk_wire_arena_init(&client->replies, LK_WIRE_CONTROL_ARENA);
    if (code == 0)
        code = lk_wire_arena_init(&client->descriptions, LK_WIRE_CONTROL_ARENA);
    if (code != 0)
        lk_error_set(ret_error, "no memory for a client");
    else
        code = lk_client_socket_open(&client->socket, context, ZMQ_DEALER, endpoint, &client->keys,
                                     ret_error);
    if (code != 0 && context != NULL)
        zmq_ctx_term(context);
    return code;
}

static void release_client(struct lk_client *client)
{
    lk_wire_arena_fini(&client->replies);
    lk_wire_arena_fini(&client->descriptions);
    free(client);
}

int lk_client_open(const char *endpoint, int timeout_ms, struct lk_client **ret_client,
                   struct lk_error *ret_error)
{
    return lk_client_open_with(endpoint, timeout_ms, NULL, ret_client, ret_error);
}

int lk_client_open_with(const char *endpoint, int timeout_ms,
                        const struct lk_client_options *options, struct lk_client **ret_client,
                        struct lk_error *ret_error)
{
    struct lk_client *client = calloc(1, sizeof(*client));
    int code;

    if (client == NULL) {
        lk_error_set(ret_error, "no memory for a client");
        return -ENOMEM;
    }
    client->timeout_ms = timeout_ms;
    code = lk_client_keys_copy(options, &client->keys, ret_error);
    if (code == 0)
        code = open_parts(client, endpoint != NULL ? endpoint : LK_CLIENT_CONTROL, ret_error);
    if (code != 0)
        release_client(client);
    else
        *ret_client = client;
    return code;
}

void lk_client_close(struct lk_client *client)
{
    if (client == NULL)
        return;
    lk_client_socket_close(&client->socket);
    zmq_ctx_term(client->socket.context);
    release_client(client);
}

void *lk_client_context(const struct lk_client *client)
{
    return client->socket.context;
}

const struct lk_client_keys *lk_client_keys(const struct lk_client *client)
{
    return &client->keys;
}

struct lk_client_socket *lk_client_socket_of(struct lk_client *client)
{
    return &client->socket;
}

/* Describe why there is no reply. Does not reconnect. */
static void explain_silence(const struct lk_client *client, struct lk_error *ret_error)
{
    const char *endpoint = client->socket.endpoint;
    double seconds = client->timeout_ms / 1e3;

    if (client->socket.trouble != NULL)
        lk_error_set(ret_error, "no connection to the daemon at %s: %s", endpoint,
                     client->socket.trouble);
    else if (client->socket.reach == LK_CLIENT_DAEMON)
        lk_error_set(ret_error,
                     "the daemon at %s is there, but has not answered for %.1f s: it is busy, or "
                     "another program keeps its processor; its log and linkage doctor say more",
                     endpoint, seconds);
    else if (client->socket.reach == LK_CLIENT_SOMEBODY)
        lk_error_set(ret_error,
                     "something takes connections at %s, but has not said for %.1f s that it is a "
                     "daemon: one that is stopped or starved, or another program",
                     endpoint, seconds);
    else
        lk_error_set(ret_error,
                     "no daemon answers at %s within %.1f s; start one with: linkaged --config "
                     "config/linkaged.yaml",
                     endpoint, seconds);
}

int lk_client_forget(struct lk_client *client, struct lk_error *ret_error)
{
    struct lk_client_socket fresh;
    struct lk_error ignored;
    int code;

    lk_client_socket_check(&client->socket);
    explain_silence(client, ret_error);
    code = client->socket.trouble != NULL || client->socket.reach == LK_CLIENT_NOBODY
               ? LK_CLIENT_E_NO_ANSWER
               : LK_CLIENT_E_SILENT;
    if (lk_client_socket_open(&fresh, client->socket.context, ZMQ_DEALER, client->socket.endpoint,
                              &client->keys, &ignored) == 0) {
        lk_client_socket_close(&client->socket);
        client->socket = fresh;
    }
    return code;
}

/* Encode @request and queue it in the socket, which connects in the background. */
int lk_client_post(struct lk_client *client, Linkage__V1__ControlRequest *request,
                   struct lk_error *ret_error)
{
    zmq_msg_t message;
    size_t size;
    int code = 0;

    request->id = ++client->last_id;
    client->describing = request->command_case == LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE;
    size = lk_wire_encoded_size(&request->base);
    if (size > LK_WIRE_CONTROL_MAX) {
        lk_error_set(ret_error, "the request has %zu bytes, the daemon takes at most %u", size,
                     LK_WIRE_CONTROL_MAX);
        return LK_CLIENT_E_TOO_LARGE;
    }
    if (zmq_msg_init_size(&message, size) != 0) {
        lk_error_set(ret_error, "no memory for a request of %zu bytes", size);
        return -ENOMEM;
    }
    lk_wire_encode(&request->base, zmq_msg_data(&message), size, &size);
    if (zmq_msg_send(&message, client->socket.handle, ZMQ_DONTWAIT) < 0) {
        code = -errno;
        zmq_msg_close(&message);
        if (code == -EAGAIN) /* libzmq has closed the connection, because the keys were refused */
            return lk_client_forget(client, ret_error);
        lk_error_set(ret_error, "sending to %s failed: %s", client->socket.endpoint,
                     zmq_strerror(-code));
    }
    return code;
}

/* Receive the next reply from the socket. */
static int receive_one(struct lk_client *client, int64_t deadline_ns,
                       const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error)
{
    struct lk_wire_arena *arena = client->describing ? &client->descriptions : &client->replies;
    zmq_msg_t message;
    int code = lk_client_socket_receive(&client->socket, deadline_ns, &message);

    if (code == LK_CLIENT_E_NO_ANSWER)
        return code;
    if (code != 0) {
        lk_error_set(ret_error, "receiving from %s failed: %s", client->socket.endpoint,
                     zmq_strerror(-code));
        return code;
    }
    code = lk_wire_decode_reply(arena, zmq_msg_data(&message), zmq_msg_size(&message), ret_reply);
    zmq_msg_close(&message);
    if (code == 0)
        return 0;
    lk_error_set(ret_error, "what answers at %s does not speak linkage.v1: %s",
                 client->socket.endpoint, lk_wire_status_text(code));
    return LK_CLIENT_E_BAD_ANSWER;
}

int lk_client_collect(struct lk_client *client, int64_t deadline_ns,
                      const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error)
{
    const Linkage__V1__ControlReply *reply;
    int code;

    do {
        code = receive_one(client, deadline_ns, &reply, ret_error);
        /* Skip replies with other ids: they arrived after an earlier call had ended. Id 0 is the
         * reply to a request that the daemon could not decode. */
    } while (code == 0 && reply->id != client->last_id && reply->id != client->awaited_id &&
             reply->id != 0);
    if (code == 0)
        *ret_reply = reply;
    return code;
}

int lk_client_call(struct lk_client *client, Linkage__V1__ControlRequest *request,
                   const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error)
{
    int64_t deadline_ns;
    int code = lk_client_post(client, request, ret_error);

    if (code != 0)
        return code;
    deadline_ns = lk_client_now_ns() + (int64_t)client->timeout_ms * 1000000;
    code = lk_client_collect(client, deadline_ns, ret_reply, ret_error);
    return code == LK_CLIENT_E_NO_ANSWER ? lk_client_forget(client, ret_error) : code;
}

static int post_status(struct lk_client *client, struct lk_error *ret_error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StatusRequest status = LINKAGE__V1__STATUS_REQUEST__INIT;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS;
    request.status = &status;
    return lk_client_post(client, &request, ret_error);
}

/* Wait for the reply to request @awaited_id. Check meanwhile that the daemon is alive. */
static int await_load(struct lk_client *client, const Linkage__V1__ControlReply **ret_reply,
                      struct lk_error *ret_error)
{
    int64_t timeout_ns = (int64_t)client->timeout_ms * 1000000;
    int64_t look_ns = timeout_ns < LOOK_NS ? timeout_ns : LOOK_NS;
    bool asked = false;
    int code;

    for (;;) {
        code = lk_client_collect(client, lk_client_now_ns() + (asked ? timeout_ns : look_ns),
                                 ret_reply, ret_error);
        if (code == 0 && ((*ret_reply)->id == client->awaited_id || (*ret_reply)->id == 0))
            return 0;
        if (code == LK_CLIENT_E_NO_ANSWER && !asked)
            code = post_status(client, ret_error);
        else if (code == LK_CLIENT_E_NO_ANSWER)
            return lk_client_forget(client, ret_error);
        if (code != 0)
            return code;
        asked = !asked;
    }
}

int lk_client_load(struct lk_client *client, Linkage__V1__LoadRequest *load,
                   const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    int code;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_LOAD;
    request.load = load;
    code = lk_client_post(client, &request, ret_error);
    if (code != 0)
        return code;
    client->awaited_id = request.id;
    code = await_load(client, ret_reply, ret_error);
    client->awaited_id = 0;
    return code;
}

int lk_client_command(struct lk_client *client, Linkage__V1__ControlRequest__CommandCase command,
                      const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StatusRequest status = LINKAGE__V1__STATUS_REQUEST__INIT;
    Linkage__V1__DescribeRequest describe = LINKAGE__V1__DESCRIBE_REQUEST__INIT;
    Linkage__V1__StartRequest start = LINKAGE__V1__START_REQUEST__INIT;
    Linkage__V1__PauseRequest pause = LINKAGE__V1__PAUSE_REQUEST__INIT;
    Linkage__V1__StopRequest stop = LINKAGE__V1__STOP_REQUEST__INIT;
    Linkage__V1__ResetRequest reset = LINKAGE__V1__RESET_REQUEST__INIT;
    Linkage__V1__ShutdownRequest shutdown = LINKAGE__V1__SHUTDOWN_REQUEST__INIT;

    status.with_histograms = true;
    request.command_case = command;
    switch (command) {
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS:
        request.status = &status;
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE:
        request.describe = &describe;
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_START:
        request.start = &start;
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_PAUSE:
        request.pause = &pause;
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_STOP:
        request.stop = &stop;
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_RESET:
        request.reset = &reset;
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_SHUTDOWN:
        request.shutdown = &shutdown;
        break;
    default:
        lk_error_set(ret_error, "command %d needs arguments", (int)command);
        return -EINVAL;
    }
    return lk_client_call(client, &request, ret_reply, ret_error);
}
