/* SPDX-License-Identifier: Apache-2.0 */
#include "endpoint.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

/* A peer that is silent for longer than the time-out is taken for dead and its connection closed.
 */
#define HEARTBEAT_MS         1000
#define HEARTBEAT_TIMEOUT_MS 3000
/* Time for a new connection to say hello before it is closed. */
#define HANDSHAKE_MS 2000

static int refuse(struct lk_error *error, const char *endpoint, const char *why)
{
    lk_error_set(error, "%s: %s", endpoint, why);
    return LK_E_TEXT;
}

static int check_tcp(const char *endpoint, const char *address, struct lk_error *error)
{
    const char *colon = strrchr(address, ':');
    char host[INET_ADDRSTRLEN], *end;
    struct in_addr in;
    long port;

    if (!colon || (size_t)(colon - address) >= sizeof(host))
        return refuse(error, endpoint, "not an address and a port, expected tcp://127.0.0.1:5600");
    memcpy(host, address, (size_t)(colon - address));
    host[colon - address] = '\0';
    if (inet_pton(AF_INET, host, &in) != 1)
        return refuse(error, endpoint, "not a numeric IPv4 address, expected 127.0.0.1");
    if (ntohl(in.s_addr) >> 24 != 127)
        return refuse(error, endpoint,
                      "reachable from other machines, expected a loopback address (127.x.y.z)");

    errno = 0;
    port = strtol(colon + 1, &end, 10);
    if (colon[1] < '0' || colon[1] > '9' || *end || errno || port < 1 || port > 65535)
        return refuse(error, endpoint, "no such port, expected 1 to 65535");
    return 0;
}

static int check_ipc(const char *endpoint, const char *path, struct lk_error *error)
{
    struct sockaddr_un address;
    struct stat st;

    if (!*path || *path == '*')
        return refuse(error, endpoint, "no path, expected ipc:///run/linkaged/control or the like");
    if (strlen(path) >= sizeof(address.sun_path))
        return refuse(error, endpoint, "the path is too long for a socket, expected 107 bytes");
    if (*path == '@') /* abstract: nothing in the file system to overwrite */
        return 0;
    if (lstat(path, &st) == 0 && !S_ISSOCK(st.st_mode))
        return refuse(error, endpoint, "something other than a socket lies at this path");
    return 0;
}

int lkd_endpoint_check(const char *endpoint, struct lk_error *ret_error)
{
    if (strlen(endpoint) >= LKD_ENDPOINT_SIZE)
        return refuse(ret_error, endpoint, "too long");
    if (strncmp(endpoint, "tcp://", 6) == 0)
        return check_tcp(endpoint, endpoint + 6, ret_error);
    if (strncmp(endpoint, "ipc://", 6) == 0)
        return check_ipc(endpoint, endpoint + 6, ret_error);
    return refuse(ret_error, endpoint, "unknown transport, expected tcp:// or ipc://");
}

/* ZeroMQ takes an ipc path away from whoever listens on it, so ask first. */
static bool ipc_in_use(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    bool in_use;
    int fd;

    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
    in_use = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 || errno == EAGAIN;
    close(fd);
    return in_use;
}

static void set_int(void *socket, int option, int value)
{
    zmq_setsockopt(socket, option, &value, sizeof(value));
}

static void *make_socket(void *context, const struct lkd_socket_options *options)
{
    int64_t size_max = (int64_t)options->size_max;
    void *socket = zmq_socket(context, options->type);

    if (!socket)
        return NULL;
    zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &size_max, sizeof(size_max));
    set_int(socket, ZMQ_LINGER, 0);
    set_int(socket, ZMQ_SNDHWM, options->queue);
    set_int(socket, ZMQ_RCVHWM, options->queue);
    set_int(socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
    set_int(socket, ZMQ_HEARTBEAT_IVL, HEARTBEAT_MS);
    set_int(socket, ZMQ_HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT_MS);
    if (options->type == ZMQ_ROUTER)
        set_int(socket, ZMQ_ROUTER_MANDATORY, 1);
    if (options->type == ZMQ_SUB)
        zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
    return socket;
}

int lkd_endpoint_bind(void *context, const char *endpoint, const struct lkd_socket_options *options,
                      void **ret_socket, struct lk_error *ret_error)
{
    void *socket;
    int r;

    r = lkd_endpoint_check(endpoint, ret_error);
    if (r)
        return r;
    if (strncmp(endpoint, "ipc://", 6) == 0 && endpoint[6] != '@' && ipc_in_use(endpoint + 6))
        return refuse(ret_error, endpoint, "in use; is another linkaged running?");

    socket = make_socket(context, options);
    if (!socket)
        return refuse(ret_error, endpoint, zmq_strerror(errno));
    if (zmq_bind(socket, endpoint)) {
        int error = errno;

        zmq_close(socket);
        return refuse(ret_error, endpoint,
                      error == EADDRINUSE ? "in use; is another linkaged running?"
                                          : zmq_strerror(error));
    }
    *ret_socket = socket;
    return 0;
}
