/* SPDX-License-Identifier: Apache-2.0 */
/* Clock status of a PTP daemon (ptp4l of linuxptp) on this machine: state of its ports, offset and
 * grandmaster.
 *
 * The client sends management messages (IEEE 1588-2008, clause 15) over the daemon's socket:
 * PORT_DATA_SET (15.5.3.7) and linuxptp's own TIME_STATUS_NP. No function blocks; answers are read
 * after they have arrived. None of these functions is real-time safe; a client belongs to one
 * thread. */
#ifndef LINKAGE_PTP_H
#define LINKAGE_PTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_PTP_DOMAIN_MAX 127

/** enum lk_ptp_state - state of a port, numbered as in the standard (table 8); 0: no answer yet. */
enum lk_ptp_state {
    LK_PTP_UNKNOWN,
    LK_PTP_INITIALIZING,
    LK_PTP_FAULTY,
    LK_PTP_DISABLED,
    LK_PTP_LISTENING,
    LK_PTP_PRE_MASTER,
    LK_PTP_MASTER,
    LK_PTP_PASSIVE,
    LK_PTP_UNCALIBRATED,
    LK_PTP_SLAVE,
    LK_PTP_STATES,
};

/** struct lk_ptp - content of the answers to one request.
 * @state:     state of the most informative port: slave or uncalibrated if there is such a port,
 *             else master, else the first port
 * @timed:     whether the fields below are known
 * @following: there is a grandmaster, and it is not this clock
 * @offset_ns: offset of the clock from its master, positive: ahead
 * @grandmaster: identity of the grandmaster clock */
struct lk_ptp {
    enum lk_ptp_state state;
    bool timed;
    bool following;
    int64_t offset_ns;
    uint8_t grandmaster[8];
};

/** struct lk_ptp_client - connection to a ptp4l. @fd: socket, -1: closed;  @sequence: number of the
 * last request */
struct lk_ptp_client {
    int fd;
    int domain;
    uint16_t sequence;
};

/** lk_ptp_open() - connect to the socket @path of a ptp4l.
 * @domain: PTP domain, 0 to LK_PTP_DOMAIN_MAX
 * Return: 0, negative errno: -ENOENT, -ECONNREFUSED (no ptp4l runs there), -EACCES (this account
 * has no permission), -ENAMETOOLONG. */
int lk_ptp_open(struct lk_ptp_client *client, const char *path, int domain);

/** lk_ptp_close() - close @client, which may be closed already. */
void lk_ptp_close(struct lk_ptp_client *client);

/** lk_ptp_ask() - send a request; answers to earlier requests are ignored from now on.
 * Return: 0, negative errno (-EAGAIN: the daemon does not read; others: the daemon has ended). */
int lk_ptp_ask(struct lk_ptp_client *client);

/** lk_ptp_hear() - read the answers that have arrived. @ptp: zero it before lk_ptp_ask(); each
 * answer fills some of its fields. Return: number of valid answers. */
int lk_ptp_hear(struct lk_ptp_client *client, struct lk_ptp *ptp);

/** lk_ptp_read() - decode one answer of @size bytes; ignore data that is no answer.
 * Return: whether @data is a valid answer. */
bool lk_ptp_read(const struct lk_ptp_client *client, const uint8_t *data, size_t size,
                 struct lk_ptp *ptp);

/** lk_ptp_state_name() - return the name of a state in the standard and in ptp4l, "SLAVE" and
 * so on. Static text. */
const char *lk_ptp_state_name(enum lk_ptp_state state);

/** lk_ptp_clock_name() - write an identity as ptp4l does, "0a1b2c.fffe.3d4e5f". @ret:
 * LK_PTP_CLOCK_SIZE bytes */
#define LK_PTP_CLOCK_SIZE 19
void lk_ptp_clock_name(const uint8_t clock[8], char ret[LK_PTP_CLOCK_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
