/* SPDX-License-Identifier: Apache-2.0 */
/* Content of the daemon's recordings: four topics, two more with a motion platform, two
 * attachments, two metadata records.
 *
 *     /cycle    linkage.recording.Cycle   every cycle: its phases and results
 *     /inputs   MODEL.Inputs              the acting values of a step: after policy and rate limit
 *     /outputs  MODEL.Outputs             the values after the step
 *     /events   linkage.recording.Event   state changes, faults, trips of inputs, losses
 *     /platform       platform.Step       a step of the platform: its inputs and its pose
 *     /platform_state platform.State      whole state of the platform, before the /platform of the
 *                                         same step: at the first step, at each thousandth, after
 *                                         lost steps, and at a change of gains
 *     /tf, /scene, /log                   of package foxglove; only if linkage export --scene has
 *                                         added them
 *
 * The messages of a cycle are in this order; their sequence is the cycle number modulo 2^32. Cycles
 * without a step have no /inputs and /outputs. Log time is the time at which the outputs were
 * computed, as UTC: CLOCK_MONOTONIC plus the offset at the start of the recording, so that setting
 * the clock causes no jump. Publish time is the grid point of the cycle, CLOCK_MONOTONIC of the
 * daemon. The platform has its own steps: the sequence numbers of its messages count these steps,
 * and both times are the time of the step. */
#ifndef LK_MCAP_RECORDING_H
#define LK_MCAP_RECORDING_H

#include "write.h"

/** enum lk_recording_channel - numbers of the topics, and of their schemas. */
enum lk_recording_channel {
    LK_RECORDING_CYCLE = 1,
    LK_RECORDING_INPUTS = 2,
    LK_RECORDING_OUTPUTS = 3,
    LK_RECORDING_EVENTS = 4,
    LK_RECORDING_PLATFORM = 5,
    LK_RECORDING_PLATFORM_STATE = 6,
    LK_RECORDING_TF = 7,    /* 7 to 9: only in files of linkage export --scene, */
    LK_RECORDING_SCENE = 8, /* see foxglove/foxglove.h */
    LK_RECORDING_LOG = 9,
};

#define LK_RECORDING_MODEL      "model.yaml"    /* attachment: the text of the model */
#define LK_RECORDING_CONFIG     "linkaged.yaml" /* attachment: the configuration */
#define LK_RECORDING_BEGIN      "linkaged"      /* metadata at the start */
#define LK_RECORDING_ROADS      "roads_crc32"   /* key: files of roads, see lk_model_files() */
#define LK_RECORDING_VALUES     "parameters"    /* key: external values, see lk_settings_write() */
#define LK_RECORDING_VALUES_MAX (1u << 17)      /* largest size of these values [bytes] */
#define LK_RECORDING_END        "linkaged.end"  /* metadata at the end */

/** lk_recording_topic() - Return the topic as static text, such as "/cycle". */
const char *lk_recording_topic(enum lk_recording_channel channel);

/** struct lk_recording_cycle - message about a cycle. All fields have eight bytes and the same
 * order as the fields of the message.
 * @step, @time_s: number of steps and simulated time after the cycle
 * @deadline_ns:   grid point of the cycle, CLOCK_MONOTONIC of the daemon
 * @woken_ns, @latched_ns, @stepped_ns, @computed_ns: times relative to @deadline_ns
 * @state:         RUNNING, PAUSED or FAULT, with the number in linkage.proto
 * @fault:         code of the fault, 0: none
 * @stepped:       the cycle made a step
 * @flags:         enum Flag of linkage.proto
 * @input_claim, @input_sequence: claim and sequence number of the newest sample that acts; sequence
 *                 0: none
 * @input_age_ns:  time from the receipt of that sample until this cycle latched its inputs; -1:
 *                 none */
struct lk_recording_cycle {
    uint64_t cycle;
    uint64_t step;
    double time_s;
    uint64_t deadline_ns;
    int64_t woken_ns;
    int64_t latched_ns;
    int64_t stepped_ns;
    int64_t computed_ns;
    uint64_t state;
    uint64_t fault;
    uint64_t stepped;
    uint64_t flags;
    uint64_t overruns;
    uint64_t skipped;
    uint64_t input_claim;
    uint64_t input_sequence;
    int64_t input_age_ns;
};

#define LK_RECORDING_CYCLE_SIZE 126 /* size of the encoded message [bytes], constant */

/** lk_recording_cycle_schema() - Write the FileDescriptorSet of "linkage.recording.Cycle".
 * lk_recording_cycle_units() - Return the metadata of its channel: pairs of field and unit, static.
 * @ret_n: number of pairs */
void lk_recording_cycle_schema(struct lk_mcap_buffer *set);
const struct lk_mcap_pair *lk_recording_cycle_units(size_t *ret_n);

/** lk_recording_cycle_fill(), lk_recording_cycle_take() - Encode or decode a cycle.
 * @to: LK_RECORDING_CYCLE_SIZE bytes
 * Return: false if the bytes are no message of lk_recording_cycle_fill(). */
void lk_recording_cycle_fill(const struct lk_recording_cycle *cycle, unsigned char *to);
bool lk_recording_cycle_take(const void *data, size_t size, struct lk_recording_cycle *ret_cycle);

#define LK_RECORDING_ID_SIZE   16
#define LK_RECORDING_TEXT_SIZE 240

/** struct lk_recording_event - an event.
 * @id:   "state", "fault", "trip", ...
 * @step: number of steps done */
struct lk_recording_event {
    char id[LK_RECORDING_ID_SIZE];
    char text[LK_RECORDING_TEXT_SIZE];
    uint64_t step;
};

/** lk_recording_event_schema() - Write the FileDescriptorSet of "linkage.recording.Event". */
void lk_recording_event_schema(struct lk_mcap_buffer *set);
/** lk_recording_event_put(), lk_recording_event_take() - Encode or decode an event. If a text is
 * too long, it is truncated.
 * Return: true if the bytes are a message about an event. */
void lk_recording_event_put(struct lk_mcap_buffer *buffer, const struct lk_recording_event *event);
bool lk_recording_event_take(const void *data, size_t size, struct lk_recording_event *ret_event);

#endif
