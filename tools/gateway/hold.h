/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that the operator at the page has claimed, as one claim at the daemon. The values of the
 * claim are sent repeatedly, so that they do not become stale. This requires that messages arrive
 * from the page with the controls. Otherwise the gateway stops sending and releases the claim, and
 * the policy of the daemon acts on the inputs.
 * Thread: operator. */
#ifndef TOOLS_GATEWAY_HOLD_H
#define TOOLS_GATEWAY_HOLD_H

#include "gateway.h"

#define HOLD_NAME      "operator" /* name of the claim at the daemon */
#define HOLD_CHANNELS  32
#define HOLD_EVERY_MS  20 /* interval between samples */
#define HOLD_SILENCE_S 3  /* time limit for a silent page; browsers slow down hidden pages */

/** struct held - a claimed channel.
 * @value:      the @size scalars that are sent for the channel
 * @low, @high: limits of each scalar */
struct held {
    char name[LK_WIRE_NAME_MAX + 1];
    size_t size;
    double low;
    double high;
    double value[LK_COMPONENTS_MAX];
};

/** struct hold - claim of the operator; initialise with {0}, except @line.
 * @channel:  @n channels in the order of the claim and of its samples
 * @token:    token of the claim
 * @meaning:  number of the model for which the claim was made
 * @operator: value of gate_hub.operator when the claim was made
 * @sequence: sequence number of the last sample */
struct hold {
    struct gate_line *line;
    struct lk_client_inputs *sender;
    struct held channel[HOLD_CHANNELS];
    int n;
    uint64_t token;
    uint32_t meaning;
    unsigned int operator;
    uint64_t sequence;
};

/** hold_claim() - Claim one more channel, with its present value.
 * hold_release() - Release a channel.
 * @ret_reply: refusal of the daemon; NULL: the daemon has not refused
 * Return: 0; 1 with @ret_error. */
int hold_claim(struct hold *hold, const char *name, const Linkage__V1__ControlReply **ret_reply,
               struct lk_error *ret_error);
int hold_release(struct hold *hold, const char *name, const Linkage__V1__ControlReply **ret_reply,
                 struct lk_error *ret_error);
/** hold_set() - Set the @n values of a claimed channel, within its limits, and send them at once.
 * Return: 0; 1 with @ret_error. */
int hold_set(struct hold *hold, const char *name, const double *values, size_t n,
             struct lk_error *ret_error);
/** hold_feed() - Send the values, or release the claim if it is no longer valid. */
void hold_feed(struct hold *hold);
void hold_close(struct hold *hold);

#endif
