/* SPDX-License-Identifier: Apache-2.0 */
/* What a DBC file, a map and a model make together: messages that are sent with outputs in them,
 * and messages that are received, whose signals are inputs. A signal is the channel of its name,
 * where hyphens and dots are underscores: tip_x is the component x of tip; in a message tip the
 * signal x is, too. The map goes before names.
 *
 *     can_channels_add() ...   can_plan_make()   ...   can_plan_fini()  can_channels_fini()
 *
 * Thread: any. RT: no. */
#ifndef TOOLS_CAN_CAN_PLAN_H
#define TOOLS_CAN_CAN_PLAN_H

#include "can_map.h"

#define CAN_CHANNEL_SIZE 64
#define CAN_CLAIMS_MAX   64   /* groups of received messages */
#define CAN_SCALARS_MAX  8192 /* of one side */
#define CAN_VALUES_MAX   512  /* of a claim */

/** struct can_scalar - a number of a channel. @component: "" where the channel has one number
 * @place: in the vector of all outputs, or of all inputs
 * @channel: which one of its side;  @k: its place within;  @size: numbers of that channel */
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

/** struct can_side - the outputs or the inputs of a model; {0} at first. @failed: no memory. */
struct can_side {
    struct can_scalar *scalar;
    int n;
    int room;
    int n_channels;
    bool failed;
};

/** struct can_channels - of a model. @step_s: its step, */
struct can_channels {
    struct can_side output;
    struct can_side input;
    double step_s;
};

/** can_channels_add() - the next channel of a side. @component, @unit: @n of each */
void can_channels_add(struct can_side *side, const char *name, int n, const char *const *component,
                      const char *const *unit, double low, double high, double initial);
void can_channels_fini(struct can_channels *channels);

/** struct can_item - a signal with its channel: signal = channel @factor + @offset.
 * @signal: of the file;  @scalar: of its side;  @is_converted: the map has the factor
 * @outside: CAN_SATURATE or CAN_REFUSE;  @slot: in the values of the claim, of an input */
struct can_item {
    int signal;
    int scalar;
    double factor;
    double offset;
    bool is_converted;
    enum can_outside outside;
    int slot;
};

/** struct can_message - one that is sent or received. @message: of the file
 * @cycle_s, @phase_s: of one that is sent: at which times
 * @item: the first of @n_items;  @claim: that its values go to, of one that is received
 * @counter, @checksum: signals of the file, -1: none;  @top: the last number before 0
 * @kind, @before, @n_before, @own: of the checksum, see can_checksum_of() */
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

/** struct can_claim - inputs that belong together, because they are in one message, or because a
 * channel is spread over several. @name: of its first message;  @channel: @n_channels scalars, the
 * first one of each channel;  @n_values: numbers of all;  @n_messages: that fill it */
struct can_claim {
    char name[DBC_NAME_SIZE];
    int *channel;
    int n_channels;
    int n_values;
    int n_messages;
};

/** struct can_plan - {0} at first. @dbc, @channels: not owned
 * @is_used: of each signal of the file: it has a channel, counts, selects or protects */
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

/** can_plan_make() - @map: may be {0};  @node: that this process is, goes before the map's; NULL
 * Return: 0, LK_E_TEXT (@ret_error: where, what, what was expected), -ENOMEM; can_plan_fini() in
 *         any case. */
int can_plan_make(const struct dbc *dbc, const struct can_map *map, const char *node,
                  const struct can_channels *channels, struct can_plan *ret_plan,
                  struct lk_error *ret_error);
void can_plan_fini(struct can_plan *plan);

/** can_plan_find() - the message that is received with this identifier. Return: -1: none. */
int can_plan_find(const struct can_plan *plan, uint32_t id, bool is_extended);

/** can_name() - @text with underscores in place of hyphens and dots, cut at @size. */
void can_name(const char *text, char *ret, size_t size);
/** can_scalar_name() - "CHANNEL.COMPONENT" as people write it. */
void can_scalar_name(const struct can_scalar *scalar, char *ret, size_t size);

#endif
