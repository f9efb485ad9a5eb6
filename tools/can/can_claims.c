/* SPDX-License-Identifier: Apache-2.0 */
#include "can_plan_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct can_scalar *input_of(const struct can_plan *plan, int item)
{
    return &plan->channels->input.scalar[plan->item[item].scalar];
}

/* Check that only one signal sets an input. Several signals may set it if they are never present in
 * the same frame. */
static bool check_single(struct maker *k, int message, int item, int *setter)
{
    const struct can_plan *plan = k->plan;
    const struct can_message *cm = &plan->message[message];
    const struct dbc_signal *s = &plan->dbc->signal[plan->item[item].signal];
    int before = setter[plan->item[item].scalar];

    setter[plan->item[item].scalar] = item;
    if (before < 0)
        return true;
    if (before >= cm->item && before < item && s->role == DBC_SELECTED) {
        const struct dbc_signal *other = &plan->dbc->signal[plan->item[before].signal];

        if (other->role == DBC_SELECTED && other->selection != s->selection)
            return true;
    }
    return can_refuse(k, s->line, s->column, "'%s' and '%s' are both the input '%s', expected one",
                      s->name, plan->dbc->signal[plan->item[before].signal].name,
                      input_of(plan, item)->name);
}

/* Merge two claims. The number of a claim is that of its first message. */
static void join_claims(struct can_plan *plan, int a, int b)
{
    int from = a > b ? a : b, to = a > b ? b : a;

    for (int i = 0; i < plan->n_messages; i++)
        if (plan->message[i].claim == from)
            plan->message[i].claim = to;
}

/* Give each message the number of the first message with which it shares a channel.
 * @owner: for each channel the message that contains it, initially -1 */
static void join_messages(struct can_plan *plan, int *owner)
{
    for (int i = 0; i < plan->n_messages; i++) {
        const struct can_message *cm = &plan->message[i];

        if (cm->is_sent)
            continue;
        plan->message[i].claim = i;
        for (int n = cm->item; n < cm->item + cm->n_items; n++) {
            int *of = &owner[input_of(plan, n)->channel];

            if (*of < 0)
                *of = i;
            else if (plan->message[*of].claim != plan->message[i].claim)
                join_claims(plan, plan->message[i].claim, plan->message[*of].claim);
        }
    }
}

/* Create a claim from the channels of all messages with number @number, in the order of the model.
 * @owner: message of each channel */
static bool fill_claim(struct can_plan *plan, int number, struct can_claim *claim, const int *owner)
{
    const struct can_side *inputs = &plan->channels->input;

    snprintf(claim->name, sizeof(claim->name), "%s",
             dbc_message_name(&plan->dbc->message[plan->message[number].message]));
    claim->channel = calloc((size_t)inputs->n_channels + 1, sizeof(int));
    if (claim->channel == NULL)
        return false;
    for (int i = 0; i < inputs->n; i += inputs->scalar[i].size) {
        int of = owner[inputs->scalar[i].channel];

        if (of < 0 || plan->message[of].claim != number)
            continue;
        claim->channel[claim->n_channels++] = i;
        claim->n_values += inputs->scalar[i].size;
    }
    for (int i = 0; i < plan->n_messages; i++)
        claim->n_messages += plan->message[i].claim == number;
    return true;
}

static int slot_of(const struct can_plan *plan, const struct can_claim *claim, int item)
{
    const struct can_scalar *s = input_of(plan, item);
    int slot = 0;

    for (int i = 0; i < claim->n_channels; i++) {
        const struct can_scalar *first = &plan->channels->input.scalar[claim->channel[i]];

        if (first->channel == s->channel)
            return slot + s->k;
        slot += first->size;
    }
    return 0;
}

static bool check_values(struct maker *k, const struct can_claim *claim)
{
    if (claim->n_values <= CAN_VALUES_MAX)
        return true;
    lk_error_set(k->error, "%s: message '%s' has inputs of %d numbers, expected at most %d",
                 k->plan->dbc->name, claim->name, claim->n_values, CAN_VALUES_MAX);
    k->result = LK_E_TEXT;
    return false;
}

/* Number the claims in the order of their first messages, and give each message the number of its
 * claim. */
static bool number_claims(struct maker *k, const int *owner, int *number)
{
    struct can_plan *plan = k->plan;

    for (int i = 0; i < plan->n_messages; i++) {
        struct can_message *cm = &plan->message[i];

        number[i] = -1;
        if (cm->is_sent)
            continue;
        if (cm->claim < i) {
            number[i] = number[cm->claim];
            continue;
        }
        if (plan->n_claims == CAN_CLAIMS_MAX) {
            lk_error_set(k->error,
                         "%s: more than %d messages with inputs, expected fewer; the map "
                         "can leave some out (direction: none)",
                         plan->dbc->name, CAN_CLAIMS_MAX);
            k->result = LK_E_TEXT;
            return false;
        }
        number[i] = plan->n_claims++;
        if (!fill_claim(plan, i, &plan->claim[number[i]], owner)) {
            k->result = -ENOMEM;
            return false;
        }
        if (!check_values(k, &plan->claim[number[i]]))
            return false;
    }
    for (int i = 0; i < plan->n_messages; i++)
        plan->message[i].claim = number[i];
    return true;
}

static bool check_inputs(struct maker *k, int *setter)
{
    const struct can_plan *plan = k->plan;

    for (int i = 0; i < plan->n_messages; i++)
        for (int n = 0; n < plan->message[i].n_items && !plan->message[i].is_sent; n++)
            if (!check_single(k, i, plan->message[i].item + n, setter))
                return false;
    return true;
}

bool can_group_claims(struct maker *k)
{
    struct can_plan *plan = k->plan;
    size_t n = (size_t)plan->channels->input.n + (size_t)plan->n_messages + 1;
    int *owner = malloc(n * sizeof(int)), *setter = malloc(n * sizeof(int));
    bool good = owner != NULL && setter != NULL;

    if (!good)
        k->result = -ENOMEM;
    for (size_t i = 0; good && i < n; i++)
        owner[i] = setter[i] = -1;
    good = good && check_inputs(k, setter);
    if (good) {
        join_messages(plan, owner);
        good = number_claims(k, owner, setter);
    }
    for (int i = 0; good && i < plan->n_messages; i++) {
        const struct can_message *cm = &plan->message[i];

        for (int m = cm->item; m < cm->item + cm->n_items && !cm->is_sent; m++)
            plan->item[m].slot = slot_of(plan, &plan->claim[cm->claim], m);
    }
    free(owner);
    free(setter);
    return good;
}
