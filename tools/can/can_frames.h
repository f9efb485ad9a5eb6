/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of the messages of a plan: encoded from outputs, and decoded to the values of a claim.
 * Thread: one. RT: only can_frames_make() allocates memory. */
#ifndef TOOLS_CAN_CAN_FRAMES_H
#define TOOLS_CAN_CAN_FRAMES_H

#include "can_plan.h"

/** enum can_taken - result for a received frame. Frames with a result from CAN_SHORT on are refused
 * and counted.
 * CAN_TAKEN: the values were stored. CAN_NOTHING: no signal of the frame has a channel. CAN_SHORT:
 * the frame has fewer bytes than the message. CAN_SPOILT: wrong checksum. CAN_REPEATED: the counter
 * did not change. CAN_OUT_OF_RANGE: a value is out of range and must not be saturated. */
enum can_taken {
    CAN_TAKEN,
    CAN_NOTHING,
    CAN_SHORT,
    CAN_SPOILT,
    CAN_REPEATED,
    CAN_OUT_OF_RANGE,
    CAN_OUTCOMES
};

/** struct can_frame_state - state of a message.
 * @data:     bytes of a sent message that no channel sets
 * @count:    last counter value sent or received, valid if @has_count
 * @turn:     group of a multiplexed message to send next
 * @last:     number of the cycle of the last sent frame, see can_frame_is_due()
 * @is_fresh: the message was received since the last sample of its claim was sent */
struct can_frame_state {
    uint8_t data[DBC_BYTES_MAX];
    uint64_t count;
    bool has_count;
    int turn;
    int64_t last;
    bool is_fresh;
};

/** struct can_frames - frames of a plan; initialise with {0}.
 * @state:  state of each message of the plan
 * @values: values of each claim, n_values per claim; initially the initial values of the model
 * @missed: number of message cycles without a frame, because the sample was lost or never
 *          published */
struct can_frames {
    const struct can_plan *plan;
    struct can_frame_state *state;
    double *values[CAN_CLAIMS_MAX];
    uint64_t missed;
};

/** can_frames_make() - Prepare @frames for a plan.
 * Return: 0, -ENOMEM; call can_frames_fini() in any case. */
int can_frames_make(const struct can_plan *plan, struct can_frames *ret_frames);
void can_frames_fini(struct can_frames *frames);

/** can_frame_is_due() - Return true if message @i must be sent at @time_s of the run; true once per
 * cycle of the message.
 * @anew: a run has begun, so every message is due */
bool can_frame_is_due(struct can_frames *frames, int i, double time_s, bool anew);
/** can_frame_fill() - Encode the next frame of message @i.
 * @outputs: outputs of a sample
 * @ret:     the frame, an array of DBC_BYTES_MAX bytes
 * Return: number of bytes, -1: a value is out of range and must not be saturated. */
int can_frame_fill(struct can_frames *frames, int i, const double *outputs, uint8_t *ret);
/** can_frame_take() - Decode a frame of message @i into the values of its claim; a refused frame
 * changes nothing. */
enum can_taken can_frame_take(struct can_frames *frames, int i, const uint8_t *data, int n);
/** can_frames_complete() - Return true if all messages of a claim were received since this function
 * last returned true for it. */
bool can_frames_complete(struct can_frames *frames, int claim);
/** can_frame_length() - Return the length of the frame of a message [bytes]; CAN FD supports only
 * some lengths. */
int can_frame_length(const struct dbc_message *message);

#endif
