/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that the operator at the page has claimed: one claim of the daemon, whose values are sent
 * again and again, so that they do not get stale, for as long as the page with the controls is
 * heard of. Without it the gateway sends nothing more and releases the claim; what then becomes of
 * the inputs is the policy's. Thread: operator. */
#ifndef TOOLS_GATEWAY_HOLD_H
#define TOOLS_GATEWAY_HOLD_H

#include "gateway.h"

#define HOLD_NAME      "operator" /* what the daemon knows it by */
#define HOLD_CHANNELS  32
#define HOLD_EVERY_MS  20 /* between samples */
#define HOLD_SILENCE_S 3  /* of the page: a browser slows down a page that nobody looks at */

/** struct held - a claimed channel. @value: @size scalars, which it is sent */
struct held {
    char name[LK_WIRE_NAME_MAX + 1];
    size_t size;
    double low;
    double high;
    double value[LK_COMPONENTS_MAX];
};

/** struct hold - {0} but for @line at first.
 * @channel: @n of them, in the order of the claim and of its samples
 * @meaning, @operator: number of the model, and of the page, that they were claimed for
 * @sequence: of the last sample */
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

/** hold_claim() - one channel more, with the value that it has.  hold_release() - one less. Return:
 * 0, or 1 with @ret_error; @ret_reply: the daemon's refusal, NULL where it is none of its. */
int hold_claim(struct hold *hold, const char *name, const Linkage__V1__ControlReply **ret_reply,
               struct lk_error *ret_error);
int hold_release(struct hold *hold, const char *name, const Linkage__V1__ControlReply **ret_reply,
                 struct lk_error *ret_error);
/** hold_set() - @n values of a claimed channel, within its limits; sent at once. Return: 0, or 1
 * with
 * @ret_error. */
int hold_set(struct hold *hold, const char *name, const double *values, size_t n,
             struct lk_error *ret_error);
/** hold_feed() - send the values, or let go of what is no longer to be held. */
void hold_feed(struct hold *hold);
void hold_close(struct hold *hold);

#endif
