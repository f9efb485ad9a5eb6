/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"
#include "commands.h"
#include "log.h"
#include "notify.h"
#include "signals.h"
#include <errno.h>
#include <string.h>
#include <zmq.h>

/* Requests in a row before signals and the watchdog have their turn. */
#define BURST 16
/* A fault is noticed within this time also when nobody asks. */
#define TICK_MS        100
#define TICK_ARMING_MS 10
/* Parts of a request: identity, an empty part from REQ sockets, the payload. */
#define PARTS_MAX 3
/* How long the reply to a shutdown may take to leave. */
#define LAST_REPLY_MS 500

struct lkd_server {
    struct lkd_rig *rig;
    struct lkd_commands commands;
    struct lkd_notify notify;
    void *socket;
};

/** struct lkd_request - a message on the ROUTER socket.
 * @parts: the first @n_parts are initialised; parts beyond PARTS_MAX are counted, not kept */
struct lkd_request {
    zmq_msg_t parts[PARTS_MAX];
    int n_parts;
    int n_received;
};

static void close_request(struct lkd_request *request)
{
    for (int i = 0; i < request->n_parts; i++)
        zmq_msg_close(&request->parts[i]);
}

/* Return: whether a message was there. */
static bool receive(void *socket, struct lkd_request *request)
{
    bool more = true;

    *request = (struct lkd_request){0};
    while (more) {
        zmq_msg_t part;

        zmq_msg_init(&part);
        if (zmq_msg_recv(&part, socket, ZMQ_DONTWAIT) < 0) {
            zmq_msg_close(&part);
            close_request(request);
            return false;
        }
        more = zmq_msg_more(&part);
        request->n_received++;
        if (request->n_parts < PARTS_MAX) {
            zmq_msg_init(&request->parts[request->n_parts]);
            zmq_msg_move(&request->parts[request->n_parts++], &part);
        }
        zmq_msg_close(&part);
    }
    return true;
}

/* Part with the payload, or -1; the parts before it are the envelope of the reply. */
static int find_payload(struct lkd_request *request)
{
    if (request->n_received == 2)
        return 1;
    if (request->n_received == 3 && zmq_msg_size(&request->parts[1]) == 0)
        return 2;
    return -1;
}

/* Return: whether the peer can be reached. */
static bool send_part(struct lkd_server *server, zmq_msg_t *part, int flags)
{
    if (zmq_msg_send(part, server->socket, ZMQ_DONTWAIT | flags) >= 0)
        return true;
    lkd_log(LKD_C_REPLY_NOT_SENT, "reply not sent: %s", zmq_strerror(errno));
    return false;
}

static void send_reply(struct lkd_server *server, struct lkd_request *request, int n_envelope,
                       const Linkage__V1__ControlReply *reply)
{
    size_t size = lk_wire_encoded_size(&reply->base);
    zmq_msg_t payload;

    if (zmq_msg_init_size(&payload, size))
        return;
    lk_wire_encode(&reply->base, zmq_msg_data(&payload), size, &size);
    for (int i = 0; i < n_envelope; i++)
        if (!send_part(server, &request->parts[i], ZMQ_SNDMORE)) {
            zmq_msg_close(&payload);
            return;
        }
    if (!send_part(server, &payload, 0))
        zmq_msg_close(&payload);
}

static void serve(struct lkd_server *server, struct lkd_request *request)
{
    struct lkd_peer peer;
    const Linkage__V1__ControlReply *reply;
    int payload = find_payload(request), n_envelope = payload > 0 ? payload : 1;
    const void *data = payload > 0 ? zmq_msg_data(&request->parts[payload]) : NULL;
    size_t size = payload > 0 ? zmq_msg_size(&request->parts[payload]) : 0;
    int r;

    lkd_peer_of(&request->parts[request->n_parts - 1], &peer);
    r = lkd_commands_handle(&server->commands, &peer, data, size, &reply);
    if (r)
        lkd_log(LKD_C_REPLY_FAILED, "a reply could not be made: %s", strerror(-r));
    else
        send_reply(server, request, n_envelope, reply);
}

static void serve_burst(struct lkd_server *server)
{
    for (int i = 0; i < BURST && !server->commands.shutdown; i++) {
        struct lkd_request request;

        if (!receive(server->socket, &request))
            return;
        serve(server, &request);
        close_request(&request);
    }
}

/* Return: whether it asks the daemon to end. */
static bool got_signal(struct lkd_server *server, int signal_fd)
{
    enum lkd_signal signal = lkd_signals_take(signal_fd);

    if (signal == LKD_SIGNAL_RELOAD)
        lkd_security_reload(server->rig->security);
    return signal == LKD_SIGNAL_END;
}

/* The end of a proof is noticed sooner. */
static int tick_ms(const struct lkd_rig *rig)
{
    return rig->state == LINKAGE__V1__STATE__STATE_ARMING ? TICK_ARMING_MS : TICK_MS;
}

static int loop(struct lkd_server *server, int signal_fd)
{
    zmq_pollitem_t items[] = {
        {.socket = server->socket, .events = ZMQ_POLLIN},
        {.fd = signal_fd, .events = ZMQ_POLLIN},
    };

    for (;;) {
        if (zmq_poll(items, 2, tick_ms(server->rig)) < 0 && errno != EINTR)
            return -errno;
        if (items[1].revents && got_signal(server, signal_fd))
            return 0;
        if (items[0].revents)
            serve_burst(server);
        if (server->commands.shutdown) {
            lkd_log(LKD_C_SHUTDOWN_ASKED, "asked by a client to shut down");
            return 0;
        }
        lkd_rig_refresh(server->rig);
        if (server->rig->exit_status)
            return 0;
        lkd_notify_alive(&server->notify, server->rig, lkd_clock_ns());
    }
}

int lkd_server_run(struct lkd_rig *rig, void *socket, int signal_fd)
{
    struct lkd_server server = {.rig = rig, .socket = socket};
    int linger_ms = LAST_REPLY_MS;
    int r;

    r = lkd_commands_init(&server.commands, rig);
    if (r)
        return r;
    lkd_notify_ready(&server.notify, rig);
    r = loop(&server, signal_fd);
    lkd_notify_stopping(&server.notify);
    if (server.commands.shutdown)
        zmq_setsockopt(socket, ZMQ_LINGER, &linger_ms, sizeof(linger_ms));
    lkd_commands_fini(&server.commands);
    return r;
}
