/* SPDX-License-Identifier: Apache-2.0 */
#include "endpoint.h"
#include "zap.h"
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

/* A peer that is silent is asked by its kernel after a second, and is taken for dead, and its
 * connection closed, when it has not answered for three. ZeroMQ's own heartbeats would do the same,
 * but libzmq 4.3.4 aborts the process where one is due at a connection whose peer has died while
 * the queue for its messages was full ("Assertion failed: !_io_error", issue 4841 there): a bench
 * that floods and is killed would take the daemon with it. */
#define KEEPALIVE_S       1
#define KEEPALIVE_PROBES  3
#define UNACKNOWLEDGED_MS 3000
/* Bytes by which a message grows when it is encrypted: ZeroMQ looks at its size before it is not.
 */
#define CURVE_OVERHEAD 33
/* Time for a new connection to say hello before it is closed. */
#define HANDSHAKE_MS 2000

/* No answer from the ZAP handler means no. libzmq 4.3 has the option, its header not everywhere. */
#ifndef ZMQ_ZAP_ENFORCE_DOMAIN
#define ZMQ_ZAP_ENFORCE_DOMAIN 93
#endif

static int refuse(struct lk_error *error, const char *endpoint, const char *why)
{
    lk_error_set(error, "%s: %s", endpoint, why);
    return LK_E_TEXT;
}

static int check_tcp(const char *endpoint, const char *address, bool keyed, struct lk_error *error)
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
    if (!keyed && ntohl(in.s_addr) >> 24 != 127)
        return refuse(error, endpoint,
                      "reachable from other machines, expected a loopback address (127.x.y.z) or "
                      "the section security (linkagectl keygen server FILE makes its key)");

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

static int check(const char *endpoint, bool keyed, struct lk_error *ret_error)
{
    if (strlen(endpoint) >= LKD_ENDPOINT_SIZE)
        return refuse(ret_error, endpoint, "too long");
    if (strncmp(endpoint, "tcp://", 6) == 0)
        return check_tcp(endpoint, endpoint + 6, keyed, ret_error);
    if (strncmp(endpoint, "ipc://", 6) == 0)
        return check_ipc(endpoint, endpoint + 6, ret_error);
    return refuse(ret_error, endpoint, "unknown transport, expected tcp:// or ipc://");
}

int lkd_endpoint_check(const char *endpoint, struct lk_error *ret_error)
{
    return check(endpoint, false, ret_error);
}

int lkd_endpoint_check_keyed(const char *endpoint, struct lk_error *ret_error)
{
    return check(endpoint, true, ret_error);
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
    int64_t size_max = (int64_t)options->size_max + (options->secret_key ? CURVE_OVERHEAD : 0);
    void *socket = zmq_socket(context, options->type);

    if (!socket)
        return NULL;
    zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &size_max, sizeof(size_max));
    set_int(socket, ZMQ_LINGER, 0);
    set_int(socket, ZMQ_SNDHWM, options->queue);
    set_int(socket, ZMQ_RCVHWM, options->queue);
    set_int(socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
    set_int(socket, ZMQ_TCP_KEEPALIVE, 1);
    set_int(socket, ZMQ_TCP_KEEPALIVE_IDLE, KEEPALIVE_S);
    set_int(socket, ZMQ_TCP_KEEPALIVE_INTVL, KEEPALIVE_S);
    set_int(socket, ZMQ_TCP_KEEPALIVE_CNT, KEEPALIVE_PROBES);
    set_int(socket, ZMQ_TCP_MAXRT, UNACKNOWLEDGED_MS);
    if (options->type == ZMQ_ROUTER)
        set_int(socket, ZMQ_ROUTER_MANDATORY, 1);
    if (options->type == ZMQ_SUB)
        zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
    return socket;
}

/* Return: 0, or not, with errno set. */
static int set_keys(void *socket, const char *endpoint, const struct lkd_socket_options *options)
{
    const int on = 1;
    int r;

    if (!options->secret_key)
        return 0;
    /* all of these are needed: a socket with half of them would let everybody in */
    if (zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &on, sizeof(on)) ||
        zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, options->secret_key,
                       strlen(options->secret_key) + 1) ||
        zmq_setsockopt(socket, ZMQ_ZAP_DOMAIN, LKD_ZAP_DOMAIN, strlen(LKD_ZAP_DOMAIN)) ||
        zmq_setsockopt(socket, ZMQ_ZAP_ENFORCE_DOMAIN, &on, sizeof(on)))
        return -1;
    r = options->zap ? lkd_zap_watch(options->zap, socket, endpoint) : 0;
    errno = -r;
    return r;
}

int lkd_endpoint_bind(void *context, const char *endpoint, const struct lkd_socket_options *options,
                      void **ret_socket, struct lk_error *ret_error)
{
    void *socket;
    int r;

    r = check(endpoint, options->secret_key != NULL || options->clear_text, ret_error);
    if (r)
        return r;
    if (strncmp(endpoint, "ipc://", 6) == 0 && endpoint[6] != '@' && ipc_in_use(endpoint + 6))
        return refuse(ret_error, endpoint, "in use; is another linkaged running?");

    socket = make_socket(context, options);
    if (!socket)
        return refuse(ret_error, endpoint, zmq_strerror(errno));
    if (set_keys(socket, endpoint, options) || zmq_bind(socket, endpoint)) {
        int error = errno;

        zmq_close(socket);
        return refuse(ret_error, endpoint,
                      error == EADDRINUSE ? "in use; is another linkaged running?"
                                          : zmq_strerror(error));
    }
    *ret_socket = socket;
    return 0;
}
