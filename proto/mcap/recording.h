/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording of the daemon holds: four topics, two attachments, two sets of metadata.
 *
 *     /cycle    linkage.recording.Cycle   every cycle: its phases and what it did
 *     /inputs   MODEL.Inputs              the values that acted in a step: after policy and rate
 *     /outputs  MODEL.Outputs             the values after it
 *     /events   linkage.recording.Event   states, faults, inputs that were tripped, losses
 *
 * The messages of a cycle follow each other in this order and have its number as their sequence
 * (modulo 2^32); /inputs and /outputs are there only of cycles that made a step. Log time is the
 * wall clock when the outputs were computed (by the offset that it had to the monotonic clock when
 * the recording began, so that a clock that is set tears nothing); publish time is the grid point
 * of the cycle on the daemon's CLOCK_MONOTONIC. */
#ifndef LK_MCAP_RECORDING_H
#define LK_MCAP_RECORDING_H

#include "write.h"

/** enum lk_recording_channel - numbers of the topics, and of their schemas. */
enum lk_recording_channel {
    LK_RECORDING_CYCLE = 1,
    LK_RECORDING_INPUTS = 2,
    LK_RECORDING_OUTPUTS = 3,
    LK_RECORDING_EVENTS = 4,
};

#define LK_RECORDING_MODEL  "model.yaml"    /* attachments: the text of the model */
#define LK_RECORDING_CONFIG "linkaged.yaml" /* and the configuration, where there is a file */
#define LK_RECORDING_BEGIN  "linkaged"      /* metadata: what was known at the begin */
#define LK_RECORDING_END    "linkaged.end"  /* and at the end */

/** lk_recording_topic() - "/cycle" and so on. Static text. */
const char *lk_recording_topic(enum lk_recording_channel channel);

/** struct lk_recording_cycle - a cycle.
 * @time_s:      simulated, after it
 * @deadline_ns: its grid point, CLOCK_MONOTONIC of the daemon
 * @woken_ns to @computed_ns: from there on
 * @state:       as in linkage.proto, RUNNING, PAUSED or FAULT;  @fault: 0: none, else why
 * @stepped:     it made a step
 * @flags:       enum Flag of linkage.proto
 * @input_claim, @input_sequence: of the newest sample that acts; sequence 0: none
 * @input_age_ns: from its receipt until this cycle took its inputs; -1 without one
 * All are of eight bytes, in the order of the fields. */
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

#define LK_RECORDING_CYCLE_SIZE 126 /* bytes of such a message, always */

/** lk_recording_cycle_schema() - its FileDescriptorSet, "linkage.recording.Cycle".
 * lk_recording_cycle_units() - pairs for its channel; static. @ret_n: how many */
void lk_recording_cycle_schema(struct lk_mcap_buffer *set);
const struct lk_mcap_pair *lk_recording_cycle_units(size_t *ret_n);

/** lk_recording_cycle_fill() - the message. @to: LK_RECORDING_CYCLE_SIZE bytes
 * lk_recording_cycle_take() - back. Return: whether it was made so. */
void lk_recording_cycle_fill(const struct lk_recording_cycle *cycle, unsigned char *to);
bool lk_recording_cycle_take(const void *data, size_t size, struct lk_recording_cycle *ret_cycle);

#define LK_RECORDING_ID_SIZE   16
#define LK_RECORDING_TEXT_SIZE 240

/** struct lk_recording_event - @id: "state", "fault", "trip", ...;  @step: steps done */
struct lk_recording_event {
    char id[LK_RECORDING_ID_SIZE];
    char text[LK_RECORDING_TEXT_SIZE];
    uint64_t step;
};

/** lk_recording_event_schema() - "linkage.recording.Event". */
void lk_recording_event_schema(struct lk_mcap_buffer *set);
/** lk_recording_event_put() - the message.  lk_recording_event_take() - back; longer texts are cut.
 * Return: whether it is one. */
void lk_recording_event_put(struct lk_mcap_buffer *buffer, const struct lk_recording_event *event);
bool lk_recording_event_take(const void *data, size_t size, struct lk_recording_event *ret_event);

#endif
