/* SPDX-License-Identifier: Apache-2.0 */
#include "endpoint.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Length of the queue of connections not yet accepted. It covers all clients of a rig while its
 * line process restarts. The kernel's net.core.somaxconn may reduce it. */
#define BACKLOG 4096
/* Time limit of a test connection to the daemon's own address, sufficient on a slow machine. */
#define PROBE_MS 1000
/* Time limit until the kernel kills the line process of a killed daemon, which still has the
 * socket. */
#define ORPHAN_MS 2000
#define AGAIN_MS  10

static int refuse_endpoint(struct lk_error *error, const char *endpoint, const char *why)
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
        return refuse_endpoint(error, endpoint,
                               "not an address and a port, expected tcp://127.0.0.1:5600");
    memcpy(host, address, (size_t)(colon - address));
    host[colon - address] = '\0';
    if (inet_pton(AF_INET, host, &in) != 1)
        return refuse_endpoint(error, endpoint, "not a numeric IPv4 address, expected 127.0.0.1");
    if (!keyed && ntohl(in.s_addr) >> 24 != 127)
        return refuse_endpoint(
            error, endpoint,
            "reachable from other machines, expected a loopback address (127.x.y.z) or "
            "the section security (linkagectl keygen server FILE makes its key)");

    errno = 0;
    port = strtol(colon + 1, &end, 10);
    if (colon[1] < '0' || colon[1] > '9' || *end || errno || port < 1 || port > 65535)
        return refuse_endpoint(error, endpoint, "no such port, expected 1 to 65535");
    return 0;
}

static int check_ipc(const char *endpoint, const char *path, struct lk_error *error)
{
    struct sockaddr_un address;
    struct stat st;

    if (!*path || *path == '*')
        return refuse_endpoint(error, endpoint,
                               "no path, expected ipc:///run/linkaged/control or the like");
    if (strlen(path) >= sizeof(address.sun_path))
        return refuse_endpoint(error, endpoint,
                               "the path is too long for a socket, expected 107 bytes");
    if (*path == '@') /* an abstract address has no file that could be overwritten */
        return 0;
    if (lstat(path, &st) == 0 && !S_ISSOCK(st.st_mode))
        return refuse_endpoint(error, endpoint, "something other than a socket lies at this path");
    return 0;
}

static int check_endpoint(const char *endpoint, bool keyed, struct lk_error *ret_error)
{
    if (strlen(endpoint) >= LKD_ENDPOINT_SIZE)
        return refuse_endpoint(ret_error, endpoint, "too long");
    if (strncmp(endpoint, "tcp://", 6) == 0)
        return check_tcp(endpoint, endpoint + 6, keyed, ret_error);
    if (strncmp(endpoint, "ipc://", 6) == 0)
        return check_ipc(endpoint, endpoint + 6, ret_error);
    return refuse_endpoint(ret_error, endpoint, "unknown transport, expected tcp:// or ipc://");
}

int lkd_endpoint_check(const char *endpoint, struct lk_error *ret_error)
{
    return check_endpoint(endpoint, false, ret_error);
}

int lkd_endpoint_check_keyed(const char *endpoint, struct lk_error *ret_error)
{
    return check_endpoint(endpoint, true, ret_error);
}

static socklen_t unix_address(const char *path, struct sockaddr_un *ret)
{
    size_t n = strlen(path);

    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(ret->sun_path, path, n);
    if (*path != '@')
        return (socklen_t)sizeof(*ret);
    ret->sun_path[0] = '\0'; /* an abstract name, whose size is part of the address */
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
}

/* Return true if a process listens on @path. ZeroMQ would unlink the path even then. */
static bool ipc_in_use(const char *path)
{
    struct sockaddr_un address;
    socklen_t size = unix_address(path, &address);
    bool in_use;
    int fd;

    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    in_use = connect(fd, (struct sockaddr *)&address, size) == 0 || errno == EAGAIN;
    close(fd);
    return in_use;
}

static int open_ipc(const char *path)
{
    struct sockaddr_un address;
    socklen_t size = unix_address(path, &address);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -errno;
    if (*path != '@')
        unlink(path); /* nobody listens there: see ipc_in_use() */
    if (bind(fd, (struct sockaddr *)&address, size) || listen(fd, BACKLOG)) {
        int r = -errno;

        close(fd);
        return r;
    }
    return fd;
}

/* Convert an address to its binary form.
 * @text: an address that has been checked */
static struct sockaddr_in tcp_address(const char *text)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    const char *colon = strrchr(text, ':');
    char host[INET_ADDRSTRLEN];

    snprintf(host, sizeof(host), "%.*s", (int)(colon - text), text);
    inet_pton(AF_INET, host, &address.sin_addr);
    address.sin_port = htons((uint16_t)strtol(colon + 1, NULL, 10));
    return address;
}

static int open_tcp(const char *text)
{
    const struct sockaddr_in address = tcp_address(text);
    const int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -errno;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) || listen(fd, BACKLOG)) {
        int r = -errno;

        close(fd);
        return r;
    }
    return fd;
}

/* Return true if a process accepts connections at the address. */
static bool tcp_answers(const char *text)
{
    const struct sockaddr_in address = tcp_address(text);
    struct pollfd item = {.events = POLLOUT};
    int failure = 0;
    socklen_t size = sizeof(failure);

    item.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (item.fd < 0)
        return true; /* unknown: assume a listener */
    if (connect(item.fd, (const struct sockaddr *)&address, sizeof(address)))
        failure = errno;
    if (failure == EINPROGRESS && (poll(&item, 1, PROBE_MS) != 1 ||
                                   getsockopt(item.fd, SOL_SOCKET, SO_ERROR, &failure, &size)))
        failure = ETIMEDOUT;
    close(item.fd);
    return failure == 0;
}

static bool is_ipc(const char *endpoint)
{
    return strncmp(endpoint, "ipc://", 6) == 0;
}

/* Open a listening socket; one attempt.
 * Return: a descriptor, or negative errno; -EADDRINUSE: another process listens on the address. */
static int open_listener(const char *endpoint)
{
    const char *address = endpoint + strlen("ipc://"); /* "tcp://" has the same length */

    if (!is_ipc(endpoint))
        return open_tcp(address);
    return *address != '@' && ipc_in_use(address) ? -EADDRINUSE : open_ipc(address);
}

/* Listen on @endpoint; retry while the address is in use.
 * @patience_ms: time limit of the retries */
static int listen_within(const char *endpoint, bool open, int patience_ms, int *ret_fd,
                         struct lk_error *ret_error)
{
    const struct timespec again = {.tv_nsec = AGAIN_MS * 1000000L};
    int r = check_endpoint(endpoint, open, ret_error);

    if (r)
        return r;
    r = open_listener(endpoint);
    for (int waited = 0; r == -EADDRINUSE && waited < patience_ms; waited += AGAIN_MS) {
        nanosleep(&again, NULL);
        r = open_listener(endpoint);
    }
    if (r < 0)
        return refuse_endpoint(ret_error, endpoint,
                               r == -EADDRINUSE ? "in use; is another linkaged running?"
                                                : strerror(-r));
    *ret_fd = r;
    return 0;
}

int lkd_endpoint_listen(const char *endpoint, bool open, int *ret_fd, struct lk_error *ret_error)
{
    return listen_within(endpoint, open, ORPHAN_MS, ret_fd, ret_error);
}

/* Remove socket filters, which would reject connections. Return false if this fails or the socket
 * is bound to a device. */
static bool is_unhampered(int fd)
{
    char device[IF_NAMESIZE];
    socklen_t size = sizeof(device);
    const int no = 0;
    bool filtered =
        setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &no, sizeof(no)) && errno != ENOENT;

    return !filtered && (getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, &size) || size == 0);
}

static bool answers(const char *endpoint)
{
    const char *address = endpoint + strlen("ipc://");

    return is_ipc(endpoint) ? ipc_in_use(address) : tcp_answers(address);
}

int lkd_endpoint_mend(const char *endpoint, bool open, int fd, struct lk_error *ret_error)
{
    int other, r;

    if (fcntl(fd, F_SETFL, O_NONBLOCK) == 0 && listen(fd, BACKLOG) == 0 && is_unhampered(fd) &&
        answers(endpoint))
        return 0;
    /* Close the unusable socket by replacing its descriptor. Its address is then free, unless
     * another process listens there. */
    other = eventfd(0, EFD_CLOEXEC);
    if (other < 0 || dup3(other, fd, O_CLOEXEC) < 0) {
        r = errno;
        if (other >= 0)
            close(other);
        return refuse_endpoint(ret_error, endpoint, strerror(r));
    }
    close(other);
    r = listen_within(endpoint, open, 0, &other, ret_error);
    if (r)
        return r;
    if (dup3(other, fd, O_CLOEXEC) < 0)
        r = refuse_endpoint(ret_error, endpoint, strerror(errno));
    close(other);
    return r;
}

void lkd_endpoint_close(const char *endpoint, int fd)
{
    close(fd);
    if (is_ipc(endpoint) && endpoint[strlen("ipc://")] != '@')
        unlink(endpoint + strlen("ipc://"));
}
