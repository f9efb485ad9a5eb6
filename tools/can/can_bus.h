/* SPDX-License-Identifier: Apache-2.0 */
/* A CAN bus: an interface of the kernel (SocketCAN), or an AF_UNIX socket of a program that
 * simulates the bus. The bus may disappear and return; each change is logged once. Frames have the
 * format of linux/can.h.
 * Thread: one.  RT: no. */
#ifndef TOOLS_CAN_CAN_BUS_H
#define TOOLS_CAN_CAN_BUS_H

#include "can_plan.h"

#include <linux/can.h>

#define CAN_BUS_NAME_SIZE 108 /* bytes of the path of a socket, without "unix:" */

/** struct can_bus - a connection to one CAN bus.
 * @name:       "can0", or "unix:PATH"
 * @fd:         -1: closed
 * @is_off:     the controller is bus-off
 * @is_fd:      CAN FD is enabled
 * @wants_fd:   a message needs CAN FD
 * @filter:     @n_filters filters of received frames
 * @tried_ns:   time of the last attempt to open the bus
 * @said:       message that was logged last; an equal message is not logged again
 * @sent:       frames sent
 * @not_sent:   frames dropped because the send buffer was full
 * @received:   frames that passed the filter
 * @times_down: number of times that the bus disappeared */
struct can_bus {
    char name[CAN_BUS_NAME_SIZE + 8];
    int fd;
    bool is_off;
    bool is_fd;
    bool wants_fd;
    struct can_filter *filter;
    int n_filters;
    int64_t tried_ns;
    char said[LK_ERROR_SIZE];
    uint64_t sent;
    uint64_t not_sent;
    uint64_t received;
    uint64_t times_down;
};

/** can_bus_init() - Initialise a closed bus. @name: name of an interface, or "unix:PATH". Return:
 * 0; 1: the name is too long. */
int can_bus_init(struct can_bus *bus, const char *name);
/** can_bus_follow() - Set the messages to receive and send to those of @plan; NULL: none.
 * Return: 0, -ENOMEM. */
int can_bus_follow(struct can_bus *bus, const struct can_plan *plan);
void can_bus_fini(struct can_bus *bus);

/** can_bus_tend() - Try to open a closed bus, twice a second. */
void can_bus_tend(struct can_bus *bus, int64_t now_ns);
/** can_bus_is_up() - Return true if the bus is open and its controller active. */
bool can_bus_is_up(const struct can_bus *bus);
/** can_bus_send() - Send one frame of @message with @n bytes; never waits. */
void can_bus_send(struct can_bus *bus, const struct dbc_message *message, const uint8_t *data,
                  int n);
/** can_bus_receive() - Receive the next data frame without waiting. Frames of other types are
 * skipped.
 * @ret_age_ns: time since the kernel received the frame, 0: unknown
 * Return: true if there was a frame. */
bool can_bus_receive(struct can_bus *bus, struct canfd_frame *ret, int64_t *ret_age_ns);

#endif
