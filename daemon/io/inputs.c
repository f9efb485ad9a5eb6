/* SPDX-License-Identifier: Apache-2.0 */
#include "inputs.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *lkd_input_status_text(int status)
{
    switch (status) {
    case LKD_INPUT_OK:
        return "ok";
    case LKD_INPUT_E_NO_MODEL:
        return "no model is loaded";
    case LKD_INPUT_E_OTHER_MODEL:
        return "made for another model";
    case LKD_INPUT_E_LENGTH:
        return "wrong number of values";
    case LKD_INPUT_E_NOT_FINITE:
        return "a value is not a finite number";
    case LKD_INPUT_E_NOT_NEWER:
        return "not newer than the last one";
    case LKD_INPUT_E_LIMITS:
        return "a value is beyond the limits of its channel";
    default:
        return "unknown error";
    }
}

void lkd_inputs_init(struct lkd_inputs *inputs)
{
    *inputs = (struct lkd_inputs){0};
    pthread_mutex_init(&inputs->lock, NULL);
}

void lkd_inputs_fini(struct lkd_inputs *inputs)
{
    free(inputs->values);
    pthread_mutex_destroy(&inputs->lock);
}

/* memcpy() wants a place even for nothing, and a sample without values has none. */
static void copy(double *to, const double *from, size_t n)
{
    if (n > 0)
        memcpy(to, from, n * sizeof(double));
}

/* Lock held. */
static void forward(struct lkd_inputs *inputs)
{
    struct lkd_input *slot = lkd_mailbox_back(&inputs->cycle->inputs);

    slot->sequence = inputs->sequence;
    slot->origin_ns = inputs->origin_ns;
    slot->received_ns = inputs->received_ns;
    copy(slot->values, inputs->values, inputs->n_values);
    lkd_mailbox_publish(&inputs->cycle->inputs);
}

/* Lock held. */
static void clear(struct lkd_inputs *inputs)
{
    inputs->sequence = inputs->origin_ns = 0;
    inputs->received_ns = 0;
    inputs->heard = false;
    if (!inputs->cycle)
        return;
    memset(inputs->values, 0, inputs->n_values * sizeof(double));
    forward(inputs);
}

int lkd_inputs_attach(struct lkd_inputs *inputs, struct lkd_cycle *cycle, uint64_t model_id)
{
    size_t n_values = cycle ? (size_t)cycle->n_inputs : 0;
    double *values = calloc(n_values + 1, sizeof(double));

    if (!values)
        return -ENOMEM;
    pthread_mutex_lock(&inputs->lock);
    free(inputs->values);
    inputs->cycle = cycle;
    inputs->model_id = model_id;
    inputs->n_values = n_values;
    inputs->values = values;
    inputs->accepted = inputs->refused = 0;
    clear(inputs);
    pthread_mutex_unlock(&inputs->lock);
    return 0;
}

void lkd_inputs_clear(struct lkd_inputs *inputs)
{
    pthread_mutex_lock(&inputs->lock);
    clear(inputs);
    pthread_mutex_unlock(&inputs->lock);
}

void lkd_inputs_begin(struct lkd_inputs *inputs)
{
    pthread_mutex_lock(&inputs->lock);
    inputs->heard = false;
    inputs->accepted = inputs->refused = 0;
    pthread_mutex_unlock(&inputs->lock);
}

/* @n values for the scalars from @offset on. */
static int check_values(const struct lkd_inputs *inputs, size_t offset, const double *values,
                        size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return LKD_INPUT_E_NOT_FINITE;
    for (size_t i = 0; i < n; i++)
        if (!(inputs->cycle->low[offset + i] <= values[i] &&
              values[i] <= inputs->cycle->high[offset + i]))
            return LKD_INPUT_E_LIMITS;
    return LKD_INPUT_OK;
}

/* Lock held. */
static int check(const struct lkd_inputs *inputs, const struct lkd_sample *sample)
{
    int r;

    if (!inputs->cycle)
        return LKD_INPUT_E_NO_MODEL;
    if (sample->model_id != 0 && sample->model_id != inputs->model_id)
        return LKD_INPUT_E_OTHER_MODEL;
    if (sample->n_values != inputs->n_values)
        return LKD_INPUT_E_LENGTH;
    r = check_values(inputs, 0, sample->values, sample->n_values);
    if (r)
        return r;
    if (inputs->heard && sample->sequence <= inputs->sequence &&
        sample->received_ns - inputs->received_ns < LKD_INPUT_SILENCE_NS)
        return LKD_INPUT_E_NOT_NEWER;
    return LKD_INPUT_OK;
}

int lkd_inputs_offer(struct lkd_inputs *inputs, const struct lkd_sample *sample)
{
    int r;

    pthread_mutex_lock(&inputs->lock);
    r = check(inputs, sample);
    if (r == LKD_INPUT_OK) {
        inputs->sequence = sample->sequence;
        inputs->origin_ns = sample->origin_ns;
        inputs->received_ns = sample->received_ns;
        inputs->heard = true;
        inputs->accepted++;
        copy(inputs->values, sample->values, inputs->n_values);
        forward(inputs);
    } else {
        inputs->refused++;
    }
    pthread_mutex_unlock(&inputs->lock);
    return r;
}

void lkd_inputs_refuse(struct lkd_inputs *inputs)
{
    pthread_mutex_lock(&inputs->lock);
    inputs->refused++;
    pthread_mutex_unlock(&inputs->lock);
}

int lkd_inputs_set(struct lkd_inputs *inputs, size_t offset, const double *values, size_t n)
{
    int r = LKD_INPUT_OK;

    pthread_mutex_lock(&inputs->lock);
    if (!inputs->cycle)
        r = LKD_INPUT_E_NO_MODEL;
    else if (n > inputs->n_values || offset > inputs->n_values - n)
        r = LKD_INPUT_E_LENGTH;
    else
        r = check_values(inputs, offset, values, n);
    if (r == LKD_INPUT_OK) {
        copy(inputs->values + offset, values, n);
        forward(inputs);
    }
    pthread_mutex_unlock(&inputs->lock);
    return r;
}

void lkd_inputs_counts(struct lkd_inputs *inputs, uint64_t *ret_accepted, uint64_t *ret_refused)
{
    pthread_mutex_lock(&inputs->lock);
    *ret_accepted = inputs->accepted;
    *ret_refused = inputs->refused;
    pthread_mutex_unlock(&inputs->lock);
}
