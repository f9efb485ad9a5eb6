/* SPDX-License-Identifier: Apache-2.0 */
/* The table of input values: the one place where a value becomes an input of the model.
 *
 * Samples from the bench (exchange thread) and single channels set by hand (control thread) both
 * end here, are checked here, and go on to the cycle through its mailbox. A lock makes the two a
 * single writer; the cycle never takes it.
 *
 * A sample is refused as a whole when its length is wrong, a value is not finite or beyond the
 * limits of its channel, it was made for another model, or it is not newer than the last one: a
 * refusal is counted and leaves the last good values acting. The memory of the last sequence number
 * ends with a second of silence, so that a bench that was started again is heard, and with every
 * load, start, stop and reset.
 *
 * All inputs are zero after load, stop and reset; what is set then holds when a run starts. */
#ifndef LKD_IO_INPUTS_H
#define LKD_IO_INPUTS_H

#include "cycle.h"
#include <pthread.h>

#define LKD_INPUT_SILENCE_NS INT64_C(1000000000)

/** enum lkd_input_status - what became of a sample or a set. */
enum lkd_input_status {
    LKD_INPUT_OK = 0,
    LKD_INPUT_E_NO_MODEL = 1,
    LKD_INPUT_E_OTHER_MODEL = 2,
    LKD_INPUT_E_LENGTH = 3,
    LKD_INPUT_E_NOT_FINITE = 4,
    LKD_INPUT_E_NOT_NEWER = 5,
    LKD_INPUT_E_LIMITS = 6,
};

/** lkd_input_status_text() - in a few words, as "wrong number of values". Static text. */
const char *lkd_input_status_text(int status);

/** struct lkd_sample - a sample from the bench, decoded.
 * @model_id: 0, or the model it was made for;  @received_ns: CLOCK_MONOTONIC */
struct lkd_sample {
    uint64_t sequence;
    uint64_t origin_ns;
    uint64_t model_id;
    int64_t received_ns;
    const double *values;
    size_t n_values;
};

/** struct lkd_inputs - see above; everything behind @lock.
 * @cycle:    whose mailbox is fed; NULL without a model
 * @values:   @n_values of them, the present table
 * @sequence, @origin_ns, @received_ns: of the last good sample;  @heard: there was one, and its
 *            sequence number counts */
struct lkd_inputs {
    pthread_mutex_t lock;
    struct lkd_cycle *cycle;
    uint64_t model_id;
    size_t n_values;
    double *values;
    uint64_t sequence;
    uint64_t origin_ns;
    int64_t received_ns;
    bool heard;
    uint64_t accepted;
    uint64_t refused;
};

/** lkd_inputs_init(), lkd_inputs_fini() - no model. */
void lkd_inputs_init(struct lkd_inputs *inputs);
void lkd_inputs_fini(struct lkd_inputs *inputs);

/** lkd_inputs_attach() - feed @cycle from now on, all values zero, counters too.
 * @cycle: NULL detaches
 * Thread: control.
 * Return: 0, -ENOMEM (nothing has changed). */
int lkd_inputs_attach(struct lkd_inputs *inputs, struct lkd_cycle *cycle, uint64_t model_id);

/** lkd_inputs_clear() - all values zero, and forget the sequence number. Thread: control. */
void lkd_inputs_clear(struct lkd_inputs *inputs);

/** lkd_inputs_begin() - a run begins: counters to zero, forget the sequence number; values stay. */
void lkd_inputs_begin(struct lkd_inputs *inputs);

/** lkd_inputs_offer() - a sample from the bench. Thread: exchange.
 * Return: enum lkd_input_status; anything but LKD_INPUT_OK was counted as refused. */
int lkd_inputs_offer(struct lkd_inputs *inputs, const struct lkd_sample *sample);

/** lkd_inputs_refuse() - count a sample that did not even decode. Thread: exchange. */
void lkd_inputs_refuse(struct lkd_inputs *inputs);

/** lkd_inputs_set() - set @n values from scalar @offset on. Thread: control.
 * Return: 0, LKD_INPUT_E_NO_MODEL, LKD_INPUT_E_LENGTH, LKD_INPUT_E_NOT_FINITE,
 *         LKD_INPUT_E_LIMITS. */
int lkd_inputs_set(struct lkd_inputs *inputs, size_t offset, const double *values, size_t n);

/** lkd_inputs_counts() - samples accepted and refused since load or start. Thread: any. */
void lkd_inputs_counts(struct lkd_inputs *inputs, uint64_t *ret_accepted, uint64_t *ret_refused);

#endif
