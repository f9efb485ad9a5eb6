/* SPDX-License-Identifier: Apache-2.0 */
/* A map: information that a DBC file lacks. It assigns channels to signals, directions and cycle
 * times to messages, and names counters and checksums. README.md documents the keys of a map.
 * Thread: any. RT: no. */
#ifndef TOOLS_CAN_CAN_MAP_H
#define TOOLS_CAN_CAN_MAP_H

#include "bits.h"
#include "linkage/document.h"

#define CAN_ENTRIES_MAX 32768 /* largest number of signals, and of messages */
#define CAN_BEFORE_MAX  16    /* bytes prepended to a frame for its checksum */

/** enum can_outside - treatment of a value out of range. CAN_OUTSIDE_DEFAULT: sent values are
 * saturated, received values are refused. */
enum can_outside { CAN_SATURATE, CAN_REFUSE, CAN_OUTSIDE_DEFAULT };

/** enum can_direction - direction of a message; CAN_BY_SENDER: given by the sender in the DBC
 * file. */
enum can_direction { CAN_TRANSMIT, CAN_RECEIVE, CAN_NONE, CAN_BY_SENDER };

/** struct can_map_signal - entry for a signal.
 * @name:            "SIGNAL" or "MESSAGE.SIGNAL"
 * @channel:         "" for none
 * @factor, @offset: signal = channel @factor + @offset
 * @has_factor:      the map sets @factor or @offset
 * @node, @target:   nodes of signal and channel in the file, for messages */
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

/** struct can_map_message - entry for a message.
 * @cycle_s:  0: the cycle time of the DBC file
 * @counter:  name of the counter signal, "" for none
 * @top:      the counter counts to @top and restarts at 0; 0: the largest value of its bits
 * @checksum: name of the checksum signal, "" for none
 * @before:   @n_before bytes that precede the data in the checksum */
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

/** struct can_map - a map; {0} is an empty map.
 * @us: name of the node that this process represents, or "" */
struct can_map {
    struct lk_document *document;
    char us[DBC_NAME_SIZE];
    struct lk_node us_node;
    struct can_map_signal *signal;
    int n_signals;
    struct can_map_message *message;
    int n_messages;
};

/** can_map_read_text(), can_map_read() - Read a map from a text, called @name in messages, or from
 * a file.
 * @ret_map: {0} before the call; call can_map_fini() in any case
 * Return: 0, LK_E_TEXT (a line for each error in @ret_errors), -ENOMEM. */
int can_map_read_text(const char *name, const char *text, size_t size, struct can_map *ret_map,
                      struct lk_errors *ret_errors);
int can_map_read(const char *path, struct can_map *ret_map, struct lk_errors *ret_errors);
void can_map_fini(struct can_map *map);

#endif
