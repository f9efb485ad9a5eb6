/* SPDX-License-Identifier: Apache-2.0 */
/* Combination of a DBC file, a map and a model. Sent messages contain outputs; signals of received
 * messages are inputs. A signal is assigned to the channel of the same name, where underscores of
 * the signal stand for hyphens and dots. The signal tip_x is the component x of the channel tip; so
 * is the signal x in a message tip. Entries of the map have precedence over names.
 *
 *     can_channels_add() ...   can_plan_make()   ...   can_plan_fini()  can_channels_fini()
 *
 * Thread: any.  RT: no. */
#ifndef TOOLS_CAN_CAN_PLAN_H
#define TOOLS_CAN_CAN_PLAN_H

#include "can_map.h"

#define CAN_CHANNEL_SIZE 64
#define CAN_CLAIMS_MAX   64   /* largest number of claims */
#define CAN_SCALARS_MAX  8192 /* largest number of scalars of a side */
#define CAN_VALUES_MAX   512  /* largest number of values of a claim */

/** struct can_scalar - a scalar of a channel.
 * @component: name of the scalar, "" if the channel has only one scalar
 * @place:     index in the vector of all outputs, or of all inputs
 * @channel:   index of the channel
 * @k:         index of the scalar in the channel
 * @size:      number of scalars of the channel */
struct can_scalar {
    char name[CAN_CHANNEL_SIZE];
    char component[CAN_CHANNEL_SIZE];
    char unit[DBC_UNIT_SIZE];
    double low;
    double high;
    double initial;
    int place;
    int channel;
    int k;
    int size;
};

/** struct can_side - the outputs or the inputs of a model; initialise with {0}.
 * @failed: out of memory */
struct can_side {
    struct can_scalar *scalar;
    int n;
    int room;
    int n_channels;
    bool failed;
};

/** struct can_channels - the channels of a model.
 * @step_s: step size of the model [s] */
struct can_channels {
    struct can_side output;
    struct can_side input;
    double step_s;
};

/** can_channels_add() - Append a channel to a side.
 * @component, @unit: names and units of the @n scalars of the channel */
void can_channels_add(struct can_side *side, const char *name, int n, const char *const *component,
                      const char *const *unit, double low, double high, double initial);
void can_channels_fini(struct can_channels *channels);

/** struct can_item - a signal with its channel: signal = channel @factor + @offset.
 * @signal:       index of the signal in the file
 * @scalar:       index of the scalar in its side
 * @is_converted: the map sets factor or offset
 * @outside:      CAN_SATURATE or CAN_REFUSE
 * @slot:         for an input, index in the values of the claim */
struct can_item {
    int signal;
    int scalar;
    double factor;
    double offset;
    bool is_converted;
    enum can_outside outside;
    int slot;
};

/** struct can_message - a message that is sent or received.
 * @message:            index of the message in the file
 * @cycle_s, @phase_s:  period and offset of the times of a sent message
 * @item:               index of the first of @n_items items
 * @claim:              for a received message, the claim that gets its values
 * @counter, @checksum: indices of signals in the file, -1: none
 * @top:                largest value of the counter; the next value is 0
 * @kind, @before, @n_before, @own: arguments of can_checksum_of() for the checksum */
struct can_message {
    int message;
    bool is_sent;
    double cycle_s;
    double phase_s;
    int item;
    int n_items;
    int claim;
    int counter;
    uint64_t top;
    int checksum;
    enum can_checksum kind;
    uint8_t before[CAN_BEFORE_MAX];
    int n_before;
    int own;
};

/** struct can_claim - inputs claimed together, because they are in one message, or because a
 * channel is distributed over several messages.
 * @name:       name of the first message
 * @channel:    the first scalar of each of @n_channels channels
 * @n_values:   number of scalars of all channels
 * @n_messages: number of messages that contain values of the claim */
struct can_claim {
    char name[DBC_NAME_SIZE];
    int *channel;
    int n_channels;
    int n_values;
    int n_messages;
};

/** struct can_plan - a plan; initialise with {0}.
 * @dbc, @channels: not owned
 * @is_used:        flag for each signal of the file: it has a channel, or is a counter, selector or
 *                  checksum */
struct can_plan {
    const struct dbc *dbc;
    const struct can_channels *channels;
    struct can_message *message;
    int n_messages;
    struct can_item *item;
    int n_items;
    struct can_claim *claim;
    int n_claims;
    bool *is_used;
};

/** can_plan_make() - Combine a DBC file, a map and a model to a plan.
 * @map:  may be {0}
 * @node: name of the node that this process represents, has precedence over the map; may be NULL
 * Return: 0, LK_E_TEXT (@ret_error: position, error, expectation), -ENOMEM; call can_plan_fini() in
 * any case. */
int can_plan_make(const struct dbc *dbc, const struct can_map *map, const char *node,
                  const struct can_channels *channels, struct can_plan *ret_plan,
                  struct lk_error *ret_error);
void can_plan_fini(struct can_plan *plan);

/** can_plan_find() - Return the index of the received message with this identifier; -1: none. */
int can_plan_find(const struct can_plan *plan, uint32_t id, bool is_extended);

/** can_name() - Copy @text, with underscores in place of hyphens and dots. The copy is truncated to
 * @size. */
void can_name(const char *text, char *ret, size_t size);
/** can_scalar_name() - Write the displayed name of a scalar, "CHANNEL.COMPONENT". */
void can_scalar_name(const struct can_scalar *scalar, char *ret, size_t size);

#endif
