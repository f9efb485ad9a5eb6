/* SPDX-License-Identifier: Apache-2.0 */
/* One recording: encoding of the header of its file, and of frames as messages.
 *
 * The control thread creates the recording, because it has the model. Afterwards only the
 * recorder's thread uses it. */
#ifndef LKD_REC_TAKE_H
#define LKD_REC_TAKE_H

#include "file.h"
#include "mcap/recording.h"
#include "mcap/schema.h"
#include "mcap/summary.h"
#include "spsc.h"

#define LKD_TAKE_PAIRS_MAX 40

/** struct lkd_take_platform - recording of a motion platform.
 * @queue:        queue of platform frames, NULL: no platform. A frame contains the values of @step,
 *                then those of @whole
 * @step, @whole: channels of the short and the full message
 * @moved:        index in @step of the value that requests a full message */
struct lkd_take_platform {
    struct lkd_spsc *queue;
    const struct lk_channel *step;
    int n_step;
    const struct lk_channel *whole;
    int n_whole;
    int moved;
};

/** struct lkd_take_source - data to record, and its metadata. All owned by the caller.
 * @model:            name of the model
 * @step_s:           time step of the model [s]
 * @text, @text_size: text of the model
 * @config, @config_size: text of the configuration, or NULL
 * @pair:             @n_pairs entries of the metadata */
struct lkd_take_source {
    const char *model;
    double step_s;
    const struct lk_channel *inputs;
    int n_inputs;
    const struct lk_channel *outputs;
    int n_outputs;
    const char *text;
    size_t text_size;
    const char *config;
    size_t config_size;
    struct lk_mcap_pair pair[LKD_TAKE_PAIRS_MAX];
    int n_pairs;
    struct lkd_take_platform platform;
};

/** struct lkd_take - a recording.
 * @front:         encoded header of the file, before the first chunk
 * @utc_offset_ns: wall clock - CLOCK_MONOTONIC at the begin of the recording
 * @file, @summary, @chunk: see their types
 * @slot:          buffer of @chunk, or NULL
 * @slot_index:    summary entry for the chunk in each slot
 * @chunk_ns:      time of the first message in the chunk
 * @n_frames, @begins_at_step: number of frames written so far, and step of the first one
 * @platform_step, @platform_whole: types of the short and the full platform message
 * @moved:         see lkd_take_platform
 * @n_platform:    number of platform steps so far
 * @platform_next, @platform_due: numbers of the next step, and of the next step with a full
 *                                message */
struct lkd_take {
    struct lk_mcap_type inputs;
    struct lk_mcap_type outputs;
    struct lk_mcap_buffer front;
    double step_s;
    int64_t utc_offset_ns;
    struct lkd_file file;
    struct lk_mcap_summary summary;
    struct lk_mcap_chunk chunk;
    struct lkd_file_slot *slot;
    struct lk_mcap_chunk_index slot_index[LKD_FILE_SLOTS];
    int64_t chunk_ns;
    uint64_t n_frames;
    uint64_t begins_at_step;
    uint32_t n_events;
    struct lk_mcap_type platform_step;
    struct lk_mcap_type platform_whole;
    int moved;
    uint64_t n_platform;
    uint64_t platform_next;
    uint64_t platform_due;
};

/** lkd_take_new() - Encode everything that precedes the first message. Creates no file.
 * Thread: control.
 * Return: 0, -ENOMEM, -E2BIG (more channels than a message has fields). */
int lkd_take_new(const struct lkd_take_source *source, const struct lkd_record_config *config,
                 struct lkd_take **ret_take);
/** lkd_take_free() - Wait for pending writes, close the file and release @take, which may be
 * NULL. */
void lkd_take_free(struct lkd_take *take);

/** lkd_take_begin() - Write the header to the new file @fd. Owns @fd afterwards, also on failure.
 * Return: 0, negative errno.
 * Thread: recorder, like the following functions. */
int lkd_take_begin(struct lkd_take *take, int fd);

/** lkd_take_frame() - Add the messages of a frame.
 * Return: false if the chunk is full: write it first, or wait for a free slot. */
bool lkd_take_frame(struct lkd_take *take, const struct lkd_frame *frame);
/** lkd_take_platform() - Add the messages of a platform step.
 * Return: likewise. */
bool lkd_take_platform(struct lkd_take *take, const struct lkd_frame *frame);
/** lkd_take_event() - Add an event.
 * @now_ns: CLOCK_MONOTONIC.
 * Return: likewise. */
bool lkd_take_event(struct lkd_take *take, const struct lk_recording_event *event, int64_t now_ns);

/** lkd_take_is_due() - Return true if the chunk must be written, because it is full or older than
 * @flush_ns. */
bool lkd_take_is_due(const struct lkd_take *take, int64_t now_ns, int64_t flush_ns);
/** lkd_take_write() - Close the chunk and submit it, if it has messages.
 * lkd_take_accept() - Add written chunks to the summary.
 * @wait: wait for all submitted chunks
 * Return: 0; negative errno: call lkd_take_end() next. */
int lkd_take_write(struct lkd_take *take);
int lkd_take_accept(struct lkd_take *take, bool wait);

/** lkd_take_end() - Wait for pending writes, then write metadata, summary and footer after the last
 * accepted chunk.
 * @pairs: @n pairs for the metadata at the end
 * Return: 0, negative errno: the end is missing, but the file is readable up to its last chunk. */
int lkd_take_end(struct lkd_take *take, const struct lk_mcap_pair *pairs, size_t n);
/** lkd_take_leave() - Wait for pending writes, and write nothing more. Call it instead of
 * lkd_take_end() if the file was removed or truncated. */
void lkd_take_leave(struct lkd_take *take);

#endif
