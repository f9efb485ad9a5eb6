/* SPDX-License-Identifier: Apache-2.0 */
/* A map: what a DBC file does not say. Which channel a signal is, what is sent and how often, which
 * signals count and protect. README.md has its keys. Thread: any. RT: no. */
#ifndef TOOLS_CAN_CAN_MAP_H
#define TOOLS_CAN_CAN_MAP_H

#include "bits.h"
#include "linkage/document.h"

#define CAN_ENTRIES_MAX 32768 /* of signals, and of messages */
#define CAN_BEFORE_MAX  16    /* bytes before those of a frame, in its checksum */

/** enum can_outside - what becomes of a value that is out of range; CAN_OUTSIDE_DEFAULT: it is
 * saturated where it is sent, refused where it is received. */
enum can_outside { CAN_SATURATE, CAN_REFUSE, CAN_OUTSIDE_DEFAULT };

/** enum can_direction - of a message; CAN_BY_SENDER: as the file says. */
enum can_direction { CAN_TRANSMIT, CAN_RECEIVE, CAN_NONE, CAN_BY_SENDER };

/** struct can_map_signal - @name: "SIGNAL" or "MESSAGE.SIGNAL";  @channel: "" for none
 * @factor, @offset: signal = channel @factor + @offset;  @has_factor: they are given
 * @node, @target: where both stand */
struct can_map_signal {
    char name[2 * DBC_NAME_SIZE];
    char channel[DBC_NAME_SIZE];
    double factor;
    double offset;
    bool has_factor;
    enum can_outside outside;
    struct lk_node node;
    struct lk_node target;
};

/** struct can_map_message - @cycle_s: 0: as the file says
 * @counter: a signal, "" for none; it counts to @top and begins with 0 again, 0: as far as its bits
 * reach;  @checksum: a signal, "" for none; @before: @n_before bytes that go in first */
struct can_map_message {
    char name[DBC_NAME_SIZE];
    enum can_direction direction;
    double cycle_s;
    enum can_outside outside;
    char counter[DBC_NAME_SIZE];
    double top;
    char checksum[DBC_NAME_SIZE];
    enum can_checksum kind;
    uint8_t before[CAN_BEFORE_MAX];
    int n_before;
    struct lk_node node;
};

/** struct can_map - {0} is one that says nothing. @us: the node that this process is, "" */
struct can_map {
    struct lk_document *document;
    char us[DBC_NAME_SIZE];
    struct lk_node us_node;
    struct can_map_signal *signal;
    int n_signals;
    struct can_map_message *message;
    int n_messages;
};

/** can_map_read_text(), can_map_read() - a text as @name, a file. @ret_map: {0}; can_map_fini() in
 * any case.
 * Return: 0, LK_E_TEXT (a line for each error in @ret_errors), -ENOMEM. */
int can_map_read_text(const char *name, const char *text, size_t size, struct can_map *ret_map,
                      struct lk_errors *ret_errors);
int can_map_read(const char *path, struct can_map *ret_map, struct lk_errors *ret_errors);
void can_map_fini(struct can_map *map);

#endif
