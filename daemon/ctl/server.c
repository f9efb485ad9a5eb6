/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"
#include "commands.h"
#include "log.h"
#include "notify.h"
#include "signals.h"
#include "wire.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* Number of requests processed in a row before signals and the watchdog are served. */
#define BURST 16
/* Period of the loop without requests; a fault is detected within this time [ms]. */
#define TICK_MS        100
#define TICK_ARMING_MS 10
/* Interval of the notices to systemd during a long start [ms]. */
#define START_MS 1000
/* Longest time to send the reply to a shutdown [ms]. */
#define LAST_REPLY_MS 500

/** struct lkd_address - destination of a postponed reply.
 * @request: the request without its data; its address points to @bytes */
struct lkd_address {
    struct lkd_message request;
    unsigned char bytes[LKD_PORT_ADDRESS_MAX];
};

struct lkd_server {
    struct lkd_rig *rig;
    struct lkd_commands commands;
    struct lkd_notify notify;
    struct lkd_port *port;
    struct lkd_address later;
};

static void send_reply(struct lkd_server *server, const struct lkd_message *request,
                       const Linkage__V1__ControlReply *reply)
{
    size_t size = lk_wire_encoded_size(&reply->base);
    struct lkd_message message = *request;
    void *payload = malloc(size + 1);

    if (payload && lk_wire_encode(&reply->base, payload, size, &size) == 0) {
        message.data = payload;
        message.size = size;
        if (!lkd_port_send(server->port, &message, true))
            lkd_log(LKD_C_REPLY_NOT_SENT, "reply not sent: the channel does not accept %zu bytes",
                    size);
    }
    free(payload);
}

static void keep_address(struct lkd_address *address, const struct lkd_message *request)
{
    address->request = *request;
    address->request.address = address->bytes;
    memcpy(address->bytes, request->address, request->n_address);
}

/* Send the outcome of a load to the waiting client, before another load can be requested. The
 * channel stores one reply, so a stored reply must be sent first. */
static void serve_later(struct lkd_server *server)
{
    const Linkage__V1__ControlReply *reply;
    int r;

    if (!lkd_port_flush(server->port))
        return;
    lkd_rig_follow_load(server->rig);
    r = lkd_commands_later(&server->commands, &reply);
    if (r)
        lkd_log(LKD_C_REPLY_FAILED, "a reply could not be encoded: %s", strerror(-r));
    else if (reply)
        send_reply(server, &server->later.request, reply);
}

static void serve_request(struct lkd_server *server, const struct lkd_message *request)
{
    const Linkage__V1__ControlReply *reply;
    int r;

    r = lkd_commands_handle(&server->commands, &request->peer, request->data, request->size,
                            &reply);
    if (r)
        lkd_log(LKD_C_REPLY_FAILED, "a reply could not be encoded: %s", strerror(-r));
    else if (reply)
        send_reply(server, request, reply);
    else
        keep_address(&server->later, request);
}

/* Process requests. The next request is not read before the reply to the previous one is sent. */
static void serve_burst(struct lkd_server *server)
{
    struct lkd_message request;

    for (int i = 0; i < BURST && !server->commands.shutdown; i++) {
        serve_later(server);
        if (!lkd_port_flush(server->port) || !lkd_port_receive(server->port, &request))
            return;
        if (request.kind == LKD_FRAME_LONG) { /* refused because of its size */
            request.data = "";
            request.size = LK_WIRE_CONTROL_MAX + 1;
        }
        if (request.kind == LKD_FRAME_MESSAGE || request.kind == LKD_FRAME_LONG)
            serve_request(server, &request);
    }
}

/* Process a signal.
 * Return: true if it requests the end of the daemon. */
static bool take_signal(struct lkd_rig *rig, int signal_fd)
{
    enum lkd_signal signal = lkd_signals_take(signal_fd);

    if (signal == LKD_SIGNAL_RELOAD)
        lkd_security_reload(rig->security);
    return signal == LKD_SIGNAL_END;
}

/* Return the period of the loop [ms]. It is short during a proof, to detect its end soon. */
static int tick_ms(const struct lkd_rig *rig)
{
    return rig->state == LINKAGE__V1__STATE__STATE_ARMING ? TICK_ARMING_MS : TICK_MS;
}

static int serve_loop(struct lkd_server *server, int signal_fd)
{
    struct pollfd items[] = {
        {0}, /* requests of clients, or room for replies */
        {.fd = signal_fd, .events = POLLIN},
        {.events = POLLIN}, /* a load has ended */
    };

    for (;;) {
        items[0].fd = lkd_port_descriptor(server->port);
        items[0].events = lkd_port_is_kept(server->port) ? POLLOUT : POLLIN;
        items[2].fd = lkd_rig_load_fd(server->rig);
        if (poll(items, 3, tick_ms(server->rig)) < 0 && errno != EINTR)
            return -errno;
        if (items[1].revents && take_signal(server->rig, signal_fd))
            return 0;
        if (items[0].revents || server->port->closed)
            serve_burst(server);
        if (server->commands.shutdown) {
            lkd_log(LKD_C_SHUTDOWN_ASKED, "asked by a client to shut down");
            return 0;
        }
        lkd_rig_refresh(server->rig);
        serve_later(server);
        if (server->rig->exit_status)
            return 0;
        lkd_ptp_watch_follow(&server->rig->ptp, lkd_clock_ns());
        lkd_notify_alive(&server->notify, server->rig, lkd_clock_ns());
    }
}

int lkd_server_await_load(struct lkd_rig *rig, int signal_fd, struct lkd_answer *ret_answer)
{
    struct pollfd items[] = {{.fd = signal_fd, .events = POLLIN}, {.events = POLLIN}};

    while (!lkd_rig_load_outcome(rig, ret_answer)) {
        items[1].fd = lkd_rig_load_fd(rig);
        int n = poll(items, 2, START_MS);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n == 0)
            lkd_notify_starting(rig);
        if (n > 0 && items[0].revents && take_signal(rig, signal_fd))
            return -ECANCELED;
        lkd_rig_follow_load(rig);
    }
    return 0;
}

/* Send the reply to a shutdown. Wait for room, because the reply may be larger than the free room
 * of the channel. */
static void send_last_reply(struct lkd_server *server)
{
    struct pollfd item = {.fd = server->port->fd, .events = POLLOUT};

    while (!lkd_port_flush(server->port))
        if (poll(&item, 1, LAST_REPLY_MS) != 1)
            return;
}

int lkd_server_run(struct lkd_rig *rig, struct lkd_port *port, int signal_fd)
{
    struct lkd_server server = {.rig = rig, .port = port};
    int r;

    r = lkd_commands_init(&server.commands, rig);
    if (r)
        return r;
    lkd_notify_ready(&server.notify, rig);
    r = serve_loop(&server, signal_fd);
    lkd_notify_stopping(&server.notify);
    send_last_reply(&server);
    lkd_commands_fini(&server.commands);
    return r;
}
