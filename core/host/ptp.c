/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/ptp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* IEEE 1588-2008, 13.3 (header), 15.4 (management message), 15.5.2 (its TLV); all numbers
 * big-endian */
#define MANAGEMENT       0x0d
#define VERSION          2
#define CONTROL          4
#define HEADER           34
#define TARGET           HEADER        /* port identity; all ones mean any port */
#define HOPS             (TARGET + 10) /* two hop counts */
#define ACTION           (HOPS + 2)
#define TLV              (ACTION + 2)
#define TLV_DATA         (TLV + 6)
#define TLV_MANAGEMENT   1
#define RESPONSE         2
#define PORT_DATA_SET    0x2004
#define TIME_STATUS_NP   0xc000
#define MESSAGE_MAX      1500
#define LOG_INTERVAL     0x7f
#define PORT_STATE       10 /* offset in the data of PORT_DATA_SET, after the port's identity */
#define PORT_DATA_SIZE   26
#define GM_PRESENT       38 /* within the data of TIME_STATUS_NP */
#define GM_IDENTITY      42
#define TIME_STATUS_SIZE 50

static void put_16(uint8_t *to, unsigned value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

static unsigned get_16(const uint8_t *from)
{
    return (unsigned)from[0] << 8 | from[1];
}

static uint64_t get_64(const uint8_t *from)
{
    uint64_t value = 0;

    for (int i = 0; i < 8; i++)
        value = value << 8 | from[i];
    return value;
}

/* Bind the socket to an automatic name in the abstract namespace, to receive answers. Such a name
 * needs no folder and leaves no file. */
static int bind_anywhere(int fd)
{
    struct sockaddr_un own = {.sun_family = AF_UNIX};

    return bind(fd, (const struct sockaddr *)&own, sizeof(own.sun_family));
}

int lk_ptp_open(struct lk_ptp_client *client, const char *path, int domain)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t n = strlen(path);
    int r = 0;

    *client = (struct lk_ptp_client){.fd = -1, .domain = domain};
    if (n >= sizeof(to.sun_path))
        return -ENAMETOOLONG;
    memcpy(to.sun_path, path, n + 1);
    client->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (client->fd < 0 || bind_anywhere(client->fd) != 0 ||
        connect(client->fd, (const struct sockaddr *)&to, sizeof(to)) != 0)
        r = -errno;
    if (r)
        lk_ptp_close(client);
    return r;
}

void lk_ptp_close(struct lk_ptp_client *client)
{
    if (client->fd >= 0)
        close(client->fd);
    client->fd = -1;
}

static int ask_for(const struct lk_ptp_client *client, unsigned what)
{
    uint8_t message[TLV_DATA] = {
        [0] = MANAGEMENT, [1] = VERSION, [32] = CONTROL, [33] = LOG_INTERVAL};

    put_16(message + 2, sizeof(message));
    message[4] = (uint8_t)client->domain;
    put_16(message + 30, client->sequence);
    memset(message + TARGET, 0xff, 10);
    put_16(message + TLV, TLV_MANAGEMENT);
    put_16(message + TLV + 2, 2); /* length of the rest: the data identifier, without data */
    put_16(message + TLV + 4, what);
    return send(client->fd, message, sizeof(message), MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int lk_ptp_ask(struct lk_ptp_client *client)
{
    int r;

    client->sequence++;
    r = ask_for(client, PORT_DATA_SET);
    return r ? r : ask_for(client, TIME_STATUS_NP);
}

/* Return how informative a port in this state is about the clock. */
static int weight(enum lk_ptp_state state)
{
    switch (state) {
    case LK_PTP_SLAVE:
        return 4;
    case LK_PTP_UNCALIBRATED:
        return 3;
    case LK_PTP_MASTER:
        return 2;
    case LK_PTP_UNKNOWN:
    case LK_PTP_STATES:
        return 0;
    default:
        return 1;
    }
}

static bool read_port(const uint8_t *data, size_t size, struct lk_ptp *ptp)
{
    enum lk_ptp_state state;

    if (size < PORT_DATA_SIZE || data[PORT_STATE] == 0 || data[PORT_STATE] >= LK_PTP_STATES)
        return false;
    state = (enum lk_ptp_state)data[PORT_STATE];
    if (weight(state) > weight(ptp->state))
        ptp->state = state;
    return true;
}

static bool read_time(const uint8_t *data, size_t size, struct lk_ptp *ptp)
{
    if (size < TIME_STATUS_SIZE)
        return false;
    ptp->timed = true;
    ptp->offset_ns = (int64_t)get_64(data);
    ptp->following = (get_16(data + GM_PRESENT) | get_16(data + GM_PRESENT + 2)) != 0;
    memcpy(ptp->grandmaster, data + GM_IDENTITY, sizeof(ptp->grandmaster));
    return true;
}

bool lk_ptp_read(const struct lk_ptp_client *client, const uint8_t *data, size_t size,
                 struct lk_ptp *ptp)
{
    size_t length;

    if (size < TLV_DATA || (data[0] & 0x0f) != MANAGEMENT || (data[1] & 0x0f) != VERSION ||
        data[4] != client->domain || get_16(data + 30) != client->sequence ||
        (data[ACTION] & 0x0f) != RESPONSE || get_16(data + TLV) != TLV_MANAGEMENT)
        return false;
    length = get_16(data + TLV + 2);
    if (length < 2 || length - 2 > size - TLV_DATA)
        return false;
    switch (get_16(data + TLV + 4)) {
    case PORT_DATA_SET:
        return read_port(data + TLV_DATA, length - 2, ptp);
    case TIME_STATUS_NP:
        return read_time(data + TLV_DATA, length - 2, ptp);
    default:
        return false;
    }
}

int lk_ptp_hear(struct lk_ptp_client *client, struct lk_ptp *ptp)
{
    uint8_t data[MESSAGE_MAX];
    ssize_t size;
    int n = 0;

    while ((size = recv(client->fd, data, sizeof(data), 0)) >= 0)
        n += lk_ptp_read(client, data, (size_t)size, ptp);
    return n;
}

const char *lk_ptp_state_name(enum lk_ptp_state state)
{
    static const char *const names[LK_PTP_STATES] = {
        [LK_PTP_UNKNOWN] = "UNKNOWN",
        [LK_PTP_INITIALIZING] = "INITIALIZING",
        [LK_PTP_FAULTY] = "FAULTY",
        [LK_PTP_DISABLED] = "DISABLED",
        [LK_PTP_LISTENING] = "LISTENING",
        [LK_PTP_PRE_MASTER] = "PRE_MASTER",
        [LK_PTP_MASTER] = "MASTER",
        [LK_PTP_PASSIVE] = "PASSIVE",
        [LK_PTP_UNCALIBRATED] = "UNCALIBRATED",
        [LK_PTP_SLAVE] = "SLAVE",
    };

    return (unsigned)state < LK_PTP_STATES ? names[state] : names[LK_PTP_UNKNOWN];
}

void lk_ptp_clock_name(const uint8_t clock[8], char ret[LK_PTP_CLOCK_SIZE])
{
    snprintf(ret, LK_PTP_CLOCK_SIZE, "%02x%02x%02x.%02x%02x.%02x%02x%02x", clock[0], clock[1],
             clock[2], clock[3], clock[4], clock[5], clock[6], clock[7]);
}
