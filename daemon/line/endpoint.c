/* SPDX-License-Identifier: Apache-2.0 */
#include "endpoint.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Connections that wait until they are accepted: those of a whole rig, while its line process is
 * started anew. The kernel's net.core.somaxconn may make it less. */
#define BACKLOG 4096

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

static socklen_t unix_address(const char *path, struct sockaddr_un *ret)
{
    size_t n = strlen(path);

    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(ret->sun_path, path, n);
    if (*path != '@')
        return (socklen_t)sizeof(*ret);
    ret->sun_path[0] = '\0'; /* a name of that length */
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
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

/* @text: of an address that was checked */
static int open_tcp(const char *text)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    const char *colon = strrchr(text, ':');
    char host[INET_ADDRSTRLEN];
    const int on = 1;
    int fd, r;

    snprintf(host, sizeof(host), "%.*s", (int)(colon - text), text);
    inet_pton(AF_INET, host, &address.sin_addr);
    address.sin_port = htons((uint16_t)strtol(colon + 1, NULL, 10));
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, BACKLOG)) {
        r = -errno;
        close(fd);
        return r;
    }
    return fd;
}

static bool is_ipc(const char *endpoint)
{
    return strncmp(endpoint, "ipc://", 6) == 0;
}

int lkd_endpoint_listen(const char *endpoint, bool open, int *ret_fd, struct lk_error *ret_error)
{
    const char *address = endpoint + strlen("ipc://"); /* as long as "tcp://" */
    int r;

    r = check(endpoint, open, ret_error);
    if (r)
        return r;
    if (is_ipc(endpoint) && *address != '@' && ipc_in_use(address))
        return refuse(ret_error, endpoint, "in use; is another linkaged running?");
    r = is_ipc(endpoint) ? open_ipc(address) : open_tcp(address);
    if (r < 0)
        return refuse(ret_error, endpoint,
                      r == -EADDRINUSE ? "in use; is another linkaged running?" : strerror(-r));
    *ret_fd = r;
    return 0;
}

void lkd_endpoint_close(const char *endpoint, int fd)
{
    close(fd);
    if (is_ipc(endpoint) && endpoint[strlen("ipc://")] != '@')
        unlink(endpoint + strlen("ipc://"));
}
