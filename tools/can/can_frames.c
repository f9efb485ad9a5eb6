/* SPDX-License-Identifier: Apache-2.0 */
#include "can_frames.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CYCLES_MAX 0x1p53 /* whole numbers up to this one are exact doubles */

static const struct dbc_message *message_of(const struct can_plan *plan, int i)
{
    return &plan->dbc->message[plan->message[i].message];
}

/* ---- initial data ---- */

static void begin_data(const struct can_plan *plan, int i, uint8_t *data)
{
    const struct dbc_message *m = message_of(plan, i);

    for (int k = m->signal; k < m->signal + m->n_signals; k++) {
        const struct dbc_signal *s = &plan->dbc->signal[k];
        uint64_t raw;

        if (isnan(s->initial) || s->role == DBC_SELECTED)
            continue;
        (void)can_raw_of(s, s->initial * s->factor + s->offset, &raw);
        can_bits_write(data, s, raw);
    }
}

static void begin_values(const struct can_plan *plan, const struct can_claim *claim, double *values)
{
    for (int i = 0; i < claim->n_channels; i++) {
        const struct can_scalar *s = &plan->channels->input.scalar[claim->channel[i]];

        for (int k = 0; k < s->size; k++)
            *values++ = s->initial;
    }
}

int can_frames_make(const struct can_plan *plan, struct can_frames *ret_frames)
{
    *ret_frames = (struct can_frames){.plan = plan};
    ret_frames->state = calloc((size_t)plan->n_messages + 1, sizeof(*ret_frames->state));
    if (ret_frames->state == NULL)
        return -ENOMEM;
    for (int i = 0; i < plan->n_messages; i++)
        if (plan->message[i].is_sent)
            begin_data(plan, i, ret_frames->state[i].data);
    for (int i = 0; i < plan->n_claims; i++) {
        ret_frames->values[i] = calloc((size_t)plan->claim[i].n_values + 1, sizeof(double));
        if (ret_frames->values[i] == NULL)
            return -ENOMEM;
        begin_values(plan, &plan->claim[i], ret_frames->values[i]);
    }
    return 0;
}

void can_frames_fini(struct can_frames *frames)
{
    for (int i = 0; i < CAN_CLAIMS_MAX; i++)
        free(frames->values[i]);
    free(frames->state);
    *frames = (struct can_frames){0};
}

/* ---- frames that are sent ---- */

/* Times are multiples of the step, so a thousandth of a step is sufficient for round-off. A time
 * that is not finite or too large to be counted does not begin a new cycle. */
bool can_frame_is_due(struct can_frames *frames, int i, double time_s, bool anew)
{
    const struct can_message *cm = &frames->plan->message[i];
    double round_off_s = frames->plan->channels->step_s * 1e-3;
    double cycles = floor((time_s - cm->phase_s + round_off_s) / cm->cycle_s);
    int64_t now = fabs(cycles) < CYCLES_MAX ? (int64_t)cycles : frames->state[i].last;
    bool is_due = anew || now != frames->state[i].last;

    if (!anew && now > frames->state[i].last + 1)
        frames->missed += (uint64_t)(now - frames->state[i].last - 1);
    frames->state[i].last = now;
    return is_due;
}

int can_frame_length(const struct dbc_message *message)
{
    static const int lengths[] = {12, 16, 20, 24, 32, 48, 64};
    int i = 0;

    if (message->bytes <= 8)
        return message->bytes;
    while (lengths[i] < message->bytes)
        i++;
    return lengths[i];
}

/* Return the value of the selector for the next frame. The selections that have a channel are sent
 * in turn, unless an output is assigned to the selector.
 * Return: the value; -1: the message is not multiplexed, or an output sets the selector. */
static int64_t next_selection(struct can_frames *frames, int i)
{
    const struct can_plan *plan = frames->plan;
    const struct can_message *cm = &plan->message[i];
    int64_t lowest = -1, next = -1, last = (int64_t)frames->state[i].turn - 1;

    for (int n = cm->item; n < cm->item + cm->n_items; n++) {
        const struct dbc_signal *s = &plan->dbc->signal[plan->item[n].signal];

        if (s->role == DBC_SELECTOR)
            return -1;
        if (s->role != DBC_SELECTED)
            continue;
        if (lowest < 0 || s->selection < lowest)
            lowest = s->selection;
        if (s->selection > last && (next < 0 || s->selection < next))
            next = s->selection;
    }
    return next >= 0 ? next : lowest;
}

static bool put_item(const struct can_plan *plan, const struct can_item *item,
                     const double *outputs, uint8_t *data)
{
    const struct dbc_signal *s = &plan->dbc->signal[item->signal];
    double value = outputs[plan->channels->output.scalar[item->scalar].place];
    uint64_t raw;

    if (!can_raw_of(s, value * item->factor + item->offset, &raw) && item->outside == CAN_REFUSE)
        return false;
    can_bits_write(data, s, raw);
    return true;
}

/* Write the selector, either from its own output or in turn, and the signals that it selects. */
static bool put_selected(struct can_frames *frames, int i, const double *outputs, uint8_t *data)
{
    const struct can_plan *plan = frames->plan;
    const struct can_message *cm = &plan->message[i];
    const struct dbc_signal *selector = &plan->dbc->signal[message_of(plan, i)->selector];
    int64_t selection = next_selection(frames, i);

    if (selection >= 0) {
        can_bits_write(data, selector, (uint64_t)selection);
        frames->state[i].turn = (int)selection + 1;
    }
    selection = (int64_t)can_bits_read(data, selector);
    for (int n = cm->item; n < cm->item + cm->n_items; n++) {
        const struct dbc_signal *s = &plan->dbc->signal[plan->item[n].signal];

        if (s->role == DBC_SELECTED && s->selection == selection &&
            !put_item(plan, &plan->item[n], outputs, data))
            return false;
    }
    return true;
}

static void put_protection(struct can_frames *frames, int i, uint8_t *data)
{
    const struct can_plan *plan = frames->plan;
    const struct can_message *cm = &plan->message[i];
    struct can_frame_state *state = &frames->state[i];

    if (cm->counter >= 0) {
        state->count = state->has_count && state->count < cm->top ? state->count + 1 : 0;
        state->has_count = true;
        can_bits_write(data, &plan->dbc->signal[cm->counter], state->count);
    }
    if (cm->checksum >= 0)
        data[cm->own] = can_checksum_of(cm->kind, cm->before, cm->n_before, data,
                                        message_of(plan, i)->bytes, cm->own);
}

int can_frame_fill(struct can_frames *frames, int i, const double *outputs, uint8_t *ret)
{
    const struct can_plan *plan = frames->plan;
    const struct can_message *cm = &plan->message[i];
    const struct dbc_message *m = message_of(plan, i);

    memcpy(ret, frames->state[i].data, DBC_BYTES_MAX);
    for (int n = cm->item; n < cm->item + cm->n_items; n++)
        if (plan->dbc->signal[plan->item[n].signal].role != DBC_SELECTED &&
            !put_item(plan, &plan->item[n], outputs, ret))
            return -1;
    if (m->selector >= 0 && !put_selected(frames, i, outputs, ret))
        return -1;
    put_protection(frames, i, ret);
    return can_frame_length(m);
}

/* ---- frames that are received ---- */

/* Clamp @value to @low and @high.
 * @slack: excess that counts as round-off
 * Return: true if the value was within the limits, or may be saturated. */
static bool hold_within(double *value, double low, double high, double slack,
                        enum can_outside outside)
{
    double nearest = fmin(fmax(*value, low), high);
    bool within = fabs(nearest - *value) <= slack;

    *value = nearest;
    return within || outside == CAN_SATURATE;
}

static bool take_item(const struct can_plan *plan, const struct can_item *item, const uint8_t *data,
                      double *values)
{
    const struct dbc_signal *s = &plan->dbc->signal[item->signal];
    const struct can_scalar *c = &plan->channels->input.scalar[item->scalar];
    double value = can_value_of(s, can_bits_read(data, s)), slack = can_resolution(s, value);

    if (!isfinite(value))
        return false;
    if (s->low < s->high && !hold_within(&value, s->low, s->high, slack, item->outside))
        return false;
    value = (value - item->offset) / item->factor;
    if (!hold_within(&value, c->low, c->high, slack / fabs(item->factor), item->outside))
        return false;
    values[item->slot] = value;
    return isfinite(value);
}

static enum can_taken take_items(const struct can_plan *plan, int i, const uint8_t *data,
                                 double *values)
{
    const struct can_message *cm = &plan->message[i];
    const struct dbc_message *m = message_of(plan, i);
    uint64_t selection =
        m->selector >= 0 ? can_bits_read(data, &plan->dbc->signal[m->selector]) : 0;
    enum can_taken taken = CAN_NOTHING;

    for (int n = cm->item; n < cm->item + cm->n_items; n++) {
        const struct dbc_signal *s = &plan->dbc->signal[plan->item[n].signal];

        if (s->role == DBC_SELECTED && s->selection != selection)
            continue;
        if (!take_item(plan, &plan->item[n], data, values))
            return CAN_OUT_OF_RANGE;
        taken = CAN_TAKEN;
    }
    return taken;
}

enum can_taken can_frame_take(struct can_frames *frames, int i, const uint8_t *data, int n)
{
    const struct can_plan *plan = frames->plan;
    const struct can_message *cm = &plan->message[i];
    struct can_frame_state *state = &frames->state[i];
    double *values = frames->values[cm->claim], before[CAN_VALUES_MAX];
    size_t size = (size_t)plan->claim[cm->claim].n_values * sizeof(double);
    uint64_t count = 0;
    enum can_taken taken;

    if (n < message_of(plan, i)->bytes)
        return CAN_SHORT;
    if (cm->checksum >= 0 &&
        data[cm->own] != can_checksum_of(cm->kind, cm->before, cm->n_before, data,
                                         message_of(plan, i)->bytes, cm->own))
        return CAN_SPOILT;
    if (cm->counter >= 0)
        count = can_bits_read(data, &plan->dbc->signal[cm->counter]);
    if (cm->counter >= 0 && state->has_count && count == state->count)
        return CAN_REPEATED;
    state->count = count;
    state->has_count = cm->counter >= 0;
    memcpy(before, values, size);
    taken = take_items(plan, i, data, values);
    if (taken == CAN_TAKEN)
        state->is_fresh = true;
    else
        memcpy(values, before, size);
    return taken;
}

bool can_frames_complete(struct can_frames *frames, int claim)
{
    const struct can_plan *plan = frames->plan;

    for (int i = 0; i < plan->n_messages; i++)
        if (plan->message[i].claim == claim && !frames->state[i].is_fresh)
            return false;
    for (int i = 0; i < plan->n_messages; i++)
        if (plan->message[i].claim == claim)
            frames->state[i].is_fresh = false;
    return true;
}
