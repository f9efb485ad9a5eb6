/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"
#include "commands.h"
#include "log.h"
#include "notify.h"
#include "signals.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* Requests in a row before signals and the watchdog have their turn. */
#define BURST 16
/* A fault is noticed within this time also when nobody asks. */
#define TICK_MS        100
#define TICK_ARMING_MS 10
/* How long the reply to a shutdown may take to leave. */
#define LAST_REPLY_MS 500

struct lkd_server {
    struct lkd_rig *rig;
    struct lkd_commands commands;
    struct lkd_notify notify;
    struct lkd_port *port;
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
            lkd_log(LKD_C_REPLY_NOT_SENT, "reply not sent: the line takes none of %zu bytes", size);
    }
    free(payload);
}

static void serve(struct lkd_server *server, const struct lkd_message *request)
{
    const Linkage__V1__ControlReply *reply;
    int r;

    r = lkd_commands_handle(&server->commands, &request->peer, request->data, request->size,
                            &reply);
    if (r)
        lkd_log(LKD_C_REPLY_FAILED, "a reply could not be made: %s", strerror(-r));
    else
        send_reply(server, request, reply);
}

/* As long as a reply has not left, no further request is looked at. */
static void serve_burst(struct lkd_server *server)
{
    struct lkd_message request;

    for (int i = 0; i < BURST && !server->commands.shutdown; i++) {
        if (!lkd_port_flush(server->port) || !lkd_port_receive(server->port, &request))
            return;
        if (request.kind == LKD_FRAME_MESSAGE)
            serve(server, &request);
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
    struct pollfd items[] = {{.fd = server->port->fd}, {.fd = signal_fd, .events = POLLIN}};

    for (;;) {
        items[0].events = lkd_port_is_kept(server->port) ? POLLOUT : POLLIN;
        if (poll(items, 2, tick_ms(server->rig)) < 0 && errno != EINTR)
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

/* The reply to a shutdown may be longer than the channel takes at once. */
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
    r = loop(&server, signal_fd);
    lkd_notify_stopping(&server.notify);
    send_last_reply(&server);
    lkd_commands_fini(&server.commands);
    return r;
}
