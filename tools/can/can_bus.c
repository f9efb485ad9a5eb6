/* SPDX-License-Identifier: Apache-2.0 */
#include "can_bus.h"
#include "can_log.h"

#include <errno.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define RETRY_NS    INT64_C(500000000)
#define AGE_MAX_NS  INT64_C(1000000000) /* a larger age means that the clock was set */
#define UNIX_PREFIX "unix:"

static bool is_unix(const struct can_bus *bus)
{
    return strncmp(bus->name, UNIX_PREFIX, strlen(UNIX_PREFIX)) == 0;
}

int can_bus_init(struct can_bus *bus, const char *name)
{
    bool is_path = strncmp(name, UNIX_PREFIX, strlen(UNIX_PREFIX)) == 0;
    size_t size = is_path ? CAN_BUS_NAME_SIZE + strlen(UNIX_PREFIX) : IFNAMSIZ;

    *bus = (struct can_bus){.fd = -1, .tried_ns = -RETRY_NS};
    if (strlen(name) >= size || *name == '\0')
        return 1;
    strcpy(bus->name, name);
    return 0;
}

/* ---- disappearance and return ---- */

/* Log a message, unless it is equal to the last one. */
static void say(struct can_bus *bus, const char *what, const char *why)
{
    char text[LK_ERROR_SIZE];

    snprintf(text, sizeof(text), "%s %s%s%s", bus->name, what, *why != '\0' ? ": " : "", why);
    if (strcmp(text, bus->said) == 0)
        return;
    strcpy(bus->said, text);
    can_log("%s", text);
}

static void close_bus(struct can_bus *bus, const char *why)
{
    if (bus->fd >= 0) {
        close(bus->fd);
        bus->times_down++;
    }
    bus->fd = -1;
    bus->is_off = false;
    say(bus, "is not there", why);
}

/* Set the identifiers to receive. If the socket does not support so many filters, receive all
 * frames. Without any identifiers the socket receives only errors. */
static int set_filters(struct can_bus *bus, int fd)
{
    static const struct can_filter all = {0};
    bool are_few = bus->n_filters <= CAN_RAW_FILTER_MAX;
    can_err_mask_t errors = CAN_ERR_BUSOFF | CAN_ERR_RESTARTED;
    size_t n = are_few ? (size_t)bus->n_filters : 1;

    if (is_unix(bus))
        return 0;
    if (setsockopt(fd, SOL_CAN_RAW, CAN_RAW_FILTER, are_few ? bus->filter : &all,
                   (socklen_t)(n * sizeof(all))) != 0 ||
        setsockopt(fd, SOL_CAN_RAW, CAN_RAW_ERR_FILTER, &errors, sizeof(errors)) != 0)
        return -errno;
    return 0;
}

static int open_unix(const struct can_bus *bus, bool *ret_is_fd)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), code;

    if (fd < 0)
        return -errno;
    strcpy(address.sun_path, bus->name + strlen(UNIX_PREFIX));
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        code = -errno;
        close(fd);
        return code;
    }
    *ret_is_fd = true;
    return fd;
}

/* Bind to the interface, which must exist and be up. Find out whether it supports CAN FD. */
static int bind_interface(int fd, const char *name, bool *ret_is_fd)
{
    struct sockaddr_can address = {.can_family = AF_CAN};
    struct ifreq request = {0};
    int on = 1;

    memcpy(request.ifr_name, name, strlen(name)); /* the name fits, see can_bus_init() */
    if (ioctl(fd, SIOCGIFINDEX, &request) != 0)
        return -errno;
    address.can_ifindex = request.ifr_ifindex;
    if (ioctl(fd, SIOCGIFFLAGS, &request) != 0)
        return -errno;
    if ((request.ifr_flags & IFF_UP) == 0)
        return -ENETDOWN;
    if (ioctl(fd, SIOCGIFMTU, &request) != 0)
        return -errno;
    *ret_is_fd = request.ifr_mtu >= (int)CANFD_MTU;
    if (*ret_is_fd && setsockopt(fd, SOL_CAN_RAW, CAN_RAW_FD_FRAMES, &on, sizeof(on)) != 0)
        return -errno;
    return bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 ? 0 : -errno;
}

static int open_interface(struct can_bus *bus, bool *ret_is_fd)
{
    int fd = socket(PF_CAN, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, CAN_RAW), code;

    if (fd < 0)
        return -errno;
    code = set_filters(bus, fd);
    if (code == 0)
        code = bind_interface(fd, bus->name, ret_is_fd);
    if (code == 0)
        return fd;
    close(fd);
    return code;
}

void can_bus_tend(struct can_bus *bus, int64_t now_ns)
{
    bool is_fd = false;
    int fd, on = 1;

    if (bus->fd >= 0 || now_ns - bus->tried_ns < RETRY_NS)
        return;
    bus->tried_ns = now_ns;
    fd = is_unix(bus) ? open_unix(bus, &is_fd) : open_interface(bus, &is_fd);
    if (fd < 0) {
        close_bus(bus, fd == -EAFNOSUPPORT ? "this kernel has no CAN, see modprobe can-raw"
                                           : strerror(-fd));
        return;
    }
    if (bus->wants_fd && !is_fd) {
        close(fd);
        close_bus(bus, "it has no CAN FD, which messages need; see ip link set mtu 72");
        return;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)); /* optional */
    bus->fd = fd;
    bus->is_fd = is_fd;
    say(bus, "is there", "");
}

bool can_bus_is_up(const struct can_bus *bus)
{
    return bus->fd >= 0 && !bus->is_off;
}

/* ---- sending and receiving ---- */

int can_bus_follow(struct can_bus *bus, const struct can_plan *plan)
{
    int n = plan != NULL ? plan->n_messages : 0;
    struct can_filter *filter = calloc((size_t)n + 1, sizeof(*filter));

    if (filter == NULL)
        return -ENOMEM;
    free(bus->filter);
    bus->filter = filter;
    bus->n_filters = 0;
    bus->wants_fd = false;
    for (int i = 0; i < n; i++) {
        const struct dbc_message *m = &plan->dbc->message[plan->message[i].message];

        bus->wants_fd = bus->wants_fd || m->is_fd;
        if (plan->message[i].is_sent)
            continue;
        filter[bus->n_filters].can_id = m->id | (m->is_extended ? CAN_EFF_FLAG : 0);
        filter[bus->n_filters++].can_mask =
            CAN_EFF_FLAG | CAN_RTR_FLAG | (m->is_extended ? CAN_EFF_MASK : CAN_SFF_MASK);
    }
    if (bus->fd >= 0 && set_filters(bus, bus->fd) != 0)
        close_bus(bus, "its filters are not taken");
    return 0;
}

void can_bus_fini(struct can_bus *bus)
{
    if (bus->fd >= 0)
        close(bus->fd);
    bus->fd = -1;
    free(bus->filter);
    bus->filter = NULL;
}

/* ---- frames ---- */

void can_bus_send(struct can_bus *bus, const struct dbc_message *message, const uint8_t *data,
                  int n)
{
    struct canfd_frame frame = {.can_id = message->id | (message->is_extended ? CAN_EFF_FLAG : 0),
                                .len = (uint8_t)n};
    size_t size = message->is_fd ? CANFD_MTU : CAN_MTU; /* both begin alike */

    if (!can_bus_is_up(bus))
        return;
    memcpy(frame.data, data, (size_t)n);
    if (send(bus->fd, &frame, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size)
        bus->sent++;
    else if (errno == EAGAIN || errno == ENOBUFS || errno == EINTR)
        bus->not_sent++;
    else
        close_bus(bus, strerror(errno));
}

/* Return the age of a frame [ns]. The kernel stamps frames with its wall clock. The age is valid
 * unless that clock was set meanwhile. */
static int64_t age_of(struct msghdr *message)
{
    struct timespec stamp, now;
    int64_t age_ns;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
            continue;
        memcpy(&stamp, CMSG_DATA(c), sizeof(stamp));
        clock_gettime(CLOCK_REALTIME, &now);
        age_ns = (int64_t)(now.tv_sec - stamp.tv_sec) * 1000000000 + now.tv_nsec - stamp.tv_nsec;
        return age_ns >= 0 && age_ns <= AGE_MAX_NS ? age_ns : 0;
    }
    return 0;
}

static void note_error(struct can_bus *bus, const struct canfd_frame *frame)
{
    if (frame->can_id & CAN_ERR_BUSOFF) {
        bus->times_down += !bus->is_off;
        bus->is_off = true;
        say(bus, "is bus-off", "its controller has left the bus; see ip link set restart-ms");
    } else if (frame->can_id & CAN_ERR_RESTARTED) {
        bus->is_off = false;
        say(bus, "is there", "its controller was restarted");
    }
}

/* Receive one packet.
 * Return: its size in bytes; 0: there is none, or it is no frame. */
static size_t receive_packet(struct can_bus *bus, struct canfd_frame *frame, int64_t *ret_age_ns)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(uint32_t))];
    } control;
    struct iovec part = {.iov_base = frame, .iov_len = sizeof(*frame)};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    ssize_t n = recvmsg(bus->fd, &message, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n <= 0) {
        close_bus(bus, n < 0 ? strerror(errno) : "it was closed");
        return 0;
    }
    *ret_age_ns = age_of(&message);
    return (message.msg_flags & MSG_TRUNC) == 0 ? (size_t)n : sizeof(*frame) + 1;
}

bool can_bus_receive(struct can_bus *bus, struct canfd_frame *ret, int64_t *ret_age_ns)
{
    size_t n;

    while (bus->fd >= 0) {
        memset(ret, 0, sizeof(*ret));
        n = receive_packet(bus, ret, ret_age_ns);
        if (n == 0)
            return false;
        if ((n != CAN_MTU && n != CANFD_MTU) ||
            ret->len > (n == CAN_MTU ? CAN_MAX_DLEN : CANFD_MAX_DLEN))
            continue;
        if (ret->can_id & CAN_ERR_FLAG) {
            note_error(bus, ret);
            continue;
        }
        if (ret->can_id & CAN_RTR_FLAG)
            continue;
        if (bus->is_off) { /* a received frame proves that the controller is active again */
            bus->is_off = false;
            say(bus, "is there", "frames come again");
        }
        bus->received++;
        return true;
    }
    return false;
}
