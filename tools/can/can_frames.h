/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of the messages of a plan: filled with outputs, and taken for the values of a claim.
 * Thread: one. RT: can_frames_make() alone allocates. */
#ifndef TOOLS_CAN_CAN_FRAMES_H
#define TOOLS_CAN_CAN_FRAMES_H

#include "can_plan.h"

/** enum can_taken - what became of a frame. Those from CAN_SHORT on are refused and counted.
 * CAN_TAKEN: it has changed values;  CAN_NOTHING: no signal that is there has a channel
 * CAN_SHORT: fewer bytes than the message has;  CAN_SPOILT: the checksum is another one
 * CAN_REPEATED: the counter stands still;  CAN_OUT_OF_RANGE: a value that is not to be saturated */
enum can_taken {
    CAN_TAKEN,
    CAN_NOTHING,
    CAN_SHORT,
    CAN_SPOILT,
    CAN_REPEATED,
    CAN_OUT_OF_RANGE,
    CAN_OUTCOMES
};

/** struct can_frame_state - of a message. @data: of one that is sent, with what no channel fills
 * @count: of the counter, that was sent or received last, with @has_count
 * @turn: which group of a multiplexed message is sent next
 * @last: number of the cycle that was sent last, see can_frame_is_due();  @is_fresh: received since
 *        its claim was sent */
struct can_frame_state {
    uint8_t data[DBC_BYTES_MAX];
    uint64_t count;
    bool has_count;
    int turn;
    int64_t last;
    bool is_fresh;
};

/** struct can_frames - {0} at first. @state: of each message of the plan
 * @values: of each claim, @n_values of it, which begin as the model has them
 * @missed: cycles of messages without a sample, because it was lost or never published */
struct can_frames {
    const struct can_plan *plan;
    struct can_frame_state *state;
    double *values[CAN_CLAIMS_MAX];
    uint64_t missed;
};

/** can_frames_make() - Return: 0, -ENOMEM; can_frames_fini() in any case. */
int can_frames_make(const struct can_plan *plan, struct can_frames *ret_frames);
void can_frames_fini(struct can_frames *frames);

/** can_frame_is_due() - whether message @i is to be sent at @time_s of the run; then it is not any
 * more until its next cycle. @anew: a run has begun: it is. */
bool can_frame_is_due(struct can_frames *frames, int i, double time_s, bool anew);
/** can_frame_fill() - the next frame of message @i. @outputs: of a sample
 * @ret: as many bytes as a frame has, DBC_BYTES_MAX of room
 * Return: how many, -1: a value is out of range, and not to be saturated. */
int can_frame_fill(struct can_frames *frames, int i, const double *outputs, uint8_t *ret);
/** can_frame_take() - a frame of message @i into the values of its claim; what is refused changes
 * nothing. */
enum can_taken can_frame_take(struct can_frames *frames, int i, const uint8_t *data, int n);
/** can_frames_complete() - whether all messages of a claim were taken since this was asked last
 * with that outcome. */
bool can_frames_complete(struct can_frames *frames, int claim);
/** can_frame_length() - bytes of the frame of a message: CAN FD knows not all numbers. */
int can_frame_length(const struct dbc_message *message);

#endif
