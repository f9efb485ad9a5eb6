/* SPDX-License-Identifier: Apache-2.0 */
#include "inputs_table.h"
#include "log.h"
#include "realtime.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *lkd_input_status_text(int status)
{
    static const char *const texts[LKD_INPUT_STATUSES] = {
        [LKD_INPUT_OK] = "ok",
        [LKD_INPUT_E_NO_MODEL] = "no model is loaded",
        [LKD_INPUT_E_OTHER_MODEL] = "made for another model",
        [LKD_INPUT_E_LENGTH] = "wrong number of values",
        [LKD_INPUT_E_NOT_FINITE] = "a value is not a finite number",
        [LKD_INPUT_E_NOT_NEWER] = "not newer than the last one",
        [LKD_INPUT_E_LIMITS] = "a value is beyond the limits of its channel",
        [LKD_INPUT_E_TOKEN] = "no claim has its token",
        [LKD_INPUT_E_UNCLAIMED] = "without a claim",
        [LKD_INPUT_E_ROLE] = "beyond the role of its client",
        [LKD_INPUT_E_UNDECODABLE] = "not an input sample",
        [LKD_INPUT_E_CLAIMED] = "a bench has claimed it",
    };

    return status >= 0 && status < LKD_INPUT_STATUSES ? texts[status] : "unknown error";
}

void lkd_inputs_init(struct lkd_inputs *inputs)
{
    *inputs = (struct lkd_inputs){.lease_ns = LKD_LEASE_NS};
    lkd_realtime_lock_init(&inputs->lock);
}

static void release_inputs(struct lkd_inputs *inputs)
{
    free(inputs->values);
    free(inputs->slopes);
    free(inputs->news);
    free(inputs->tripped);
    lkd_claims_fini(&inputs->claims);
    lkd_injector_fini(&inputs->injector);
}

void lkd_inputs_fini(struct lkd_inputs *inputs)
{
    release_inputs(inputs);
    pthread_mutex_destroy(&inputs->lock);
}

void lkd_inputs_configure(struct lkd_inputs *inputs, bool claims_optional, int64_t lease_ns)
{
    inputs->claims_optional = claims_optional;
    inputs->lease_ns = lease_ns;
}

void lkd_inputs_listen(struct lkd_inputs *inputs, lkd_inputs_listener *listener,
                       struct lkd_segments *segments)
{
    inputs->listener = listener;
    inputs->segments = segments;
}

/* ---- the table; requires the lock ---- */

void lkd_table_forward(struct lkd_inputs *inputs)
{
    struct lkd_input *slot = lkd_mailbox_back(&inputs->cycle->inputs);
    const struct lkd_claims *claims = &inputs->claims;

    for (int i = 0; i < inputs->n_channels; i++) {
        int owner = claims->owner[i];

        inputs->news[i].watched = owner || inputs->anonymous_feeds;
        inputs->news[i].lost = owner && claims->claim[owner].lost;
    }
    slot->newest = inputs->newest;
    slot->n_stamps = inputs->n_stamps;
    memcpy(slot->stamp, inputs->stamp, (size_t)inputs->n_stamps * sizeof(*slot->stamp));
    slot->flags = inputs->injected ? LINKAGE__V1__FLAG__FLAG_INJECTED : 0;
    memcpy(slot->values, inputs->values, inputs->n_values * sizeof(double));
    memcpy(slot->values + inputs->n_values, inputs->slopes, inputs->n_values * sizeof(double));
    memcpy(lkd_input_news(slot, inputs->cycle->n_inputs), inputs->news,
           (size_t)inputs->n_channels * sizeof(*inputs->news));
    lkd_mailbox_publish(&inputs->cycle->inputs);
}

void lkd_table_initial(struct lkd_inputs *inputs, int channel)
{
    const struct lk_channel *c = &inputs->channels[channel];

    for (int i = 0; i < c->size; i++) {
        inputs->values[c->offset + i] = c->initial;
        inputs->slopes[c->offset + i] = 0;
    }
}

void lkd_table_forget(struct lkd_inputs *inputs, int place)
{
    inputs->stamp[place] = (struct lkd_stamp){.claim = (uint32_t)place};
    inputs->newest = inputs->n_stamps = 0;
    for (int i = 0; i < LKD_STAMPS; i++) {
        if (inputs->stamp[i].sequence == 0)
            continue;
        inputs->n_stamps = i + 1;
        if (inputs->stamp[i].received_ns >= inputs->stamp[inputs->newest].received_ns)
            inputs->newest = i;
    }
}

static void forget_sequences(struct lkd_inputs *inputs)
{
    inputs->anonymous.known = false;
    for (int i = 1; i <= LKD_CLAIMS_MAX; i++)
        inputs->claims.claim[i].last.known = false;
}

static void clear_inputs(struct lkd_inputs *inputs)
{
    inputs->live = inputs->injected = false;
    inputs->anonymous_feeds = false;
    if (!inputs->cycle)
        return;
    forget_sequences(inputs);
    lkd_injector_stop(&inputs->injector);
    for (int i = 0; i < LKD_STAMPS; i++)
        inputs->stamp[i] = (struct lkd_stamp){.claim = (uint32_t)i};
    inputs->newest = inputs->n_stamps = 0;
    for (int i = 0; i < inputs->n_channels; i++) {
        lkd_table_initial(inputs, i);
        inputs->tripped[i] = false;
    }
    lkd_table_forward(inputs);
}

/* ---- a model and its runs ---- */

/* Allocate memory and claims for @cycle, separate from the memory in use.
 * Return: 0, -ENOMEM. */
static int prepare_inputs(struct lkd_inputs *fresh, struct lkd_cycle *cycle, int64_t lease_ns)
{
    int n = 0, r = 0;

    if (cycle) {
        fresh->channels = lk_system_input_channels(cycle->system, &n);
        fresh->n_values = (size_t)cycle->n_inputs;
    }
    fresh->n_channels = n;
    fresh->values = calloc(fresh->n_values + 1, sizeof(double));
    fresh->slopes = calloc(fresh->n_values + 1, sizeof(double));
    fresh->news = calloc((size_t)n + 1, sizeof(*fresh->news));
    fresh->tripped = calloc((size_t)n + 1, sizeof(bool));
    if (!fresh->values || !fresh->slopes || !fresh->news || !fresh->tripped)
        r = -ENOMEM;
    if (r == 0)
        r = lkd_claims_init(&fresh->claims, fresh->channels, n, lease_ns);
    if (r == 0)
        r = lkd_injector_init(&fresh->injector, fresh->channels, n, fresh->n_values);
    if (r)
        release_inputs(fresh);
    return r;
}

/* Warn about rules for inputs that the model lacks, because they may be typing errors. */
static void look_for_channels(const struct lkd_inputs *inputs)
{
    const struct lkd_policy *policy = &inputs->cycle->settings.policy;

    for (int i = 0; i < policy->n_channels; i++) {
        const char *name = policy->channel[i].name;
        bool found = false;

        for (int k = 0; k < inputs->n_channels; k++)
            found = found || strcmp(inputs->channels[k].name, name) == 0;
        if (!found)
            lkd_log(LKD_C_RULE_UNUSED, "inputs: channels: %s: the model has no input of that name",
                    name);
    }
}

int lkd_inputs_attach(struct lkd_inputs *inputs, struct lkd_cycle *cycle, uint64_t model_id)
{
    struct lkd_inputs fresh = {0};
    int r = prepare_inputs(&fresh, cycle, inputs->lease_ns);

    if (r)
        return r;
    pthread_mutex_lock(&inputs->lock);
    release_inputs(inputs);
    inputs->cycle = cycle;
    inputs->channels = fresh.channels;
    inputs->n_channels = fresh.n_channels;
    inputs->model_id = cycle ? model_id : 0;
    inputs->n_values = fresh.n_values;
    inputs->values = fresh.values;
    inputs->slopes = fresh.slopes;
    inputs->news = fresh.news;
    inputs->tripped = fresh.tripped;
    inputs->claims = fresh.claims;
    inputs->injector = fresh.injector;
    inputs->anonymous = (struct lkd_memory){0};
    inputs->anonymous_heard_ns = 0;
    inputs->accepted = inputs->refused = 0;
    memset(inputs->refusals, 0, sizeof(inputs->refusals));
    if (cycle)
        look_for_channels(inputs);
    clear_inputs(inputs);
    pthread_mutex_unlock(&inputs->lock);
    return 0;
}

void lkd_inputs_clear(struct lkd_inputs *inputs)
{
    pthread_mutex_lock(&inputs->lock);
    clear_inputs(inputs);
    pthread_mutex_unlock(&inputs->lock);
}

void lkd_inputs_begin(struct lkd_inputs *inputs)
{
    pthread_mutex_lock(&inputs->lock);
    forget_sequences(inputs);
    inputs->accepted = inputs->refused = 0;
    inputs->live = inputs->cycle != NULL;
    pthread_mutex_unlock(&inputs->lock);
}

/* ---- by hand ---- */

static int check_owner(const struct lkd_inputs *inputs, size_t offset, size_t n,
                       struct lk_error *error)
{
    for (int i = 0; i < inputs->n_channels; i++) {
        const struct lk_channel *c = &inputs->channels[i];
        size_t begin = (size_t)c->offset, end = begin + (size_t)c->size;
        const struct lkd_claim *owner = &inputs->claims.claim[inputs->claims.owner[i]];

        if (offset + n <= begin || end <= offset || inputs->claims.owner[i] == 0)
            continue;
        lk_error_set(error,
                     "'%s' belongs to bench '%s'; set it by force, and it holds until the next "
                     "sample",
                     c->name, owner->bench);
        return LKD_INPUT_E_CLAIMED;
    }
    return LKD_INPUT_OK;
}

static int check_set(const struct lkd_inputs *inputs, size_t offset, const double *values, size_t n)
{
    if (!inputs->cycle)
        return LKD_INPUT_E_NO_MODEL;
    if (n > inputs->n_values || offset > inputs->n_values - n)
        return LKD_INPUT_E_LENGTH;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return LKD_INPUT_E_NOT_FINITE;
    for (size_t i = 0; i < n; i++)
        if (!(inputs->cycle->low[offset + i] <= values[i] &&
              values[i] <= inputs->cycle->high[offset + i]))
            return LKD_INPUT_E_LIMITS;
    return LKD_INPUT_OK;
}

int lkd_inputs_set(struct lkd_inputs *inputs, size_t offset, const double *values, size_t n,
                   bool force, struct lk_error *ret_error)
{
    int r;

    pthread_mutex_lock(&inputs->lock);
    r = check_set(inputs, offset, values, n);
    if (r == LKD_INPUT_OK && !force)
        r = check_owner(inputs, offset, n, ret_error);
    else
        lk_error_set(ret_error, "%s", lkd_input_status_text(r));
    if (r == LKD_INPUT_OK) {
        for (size_t i = 0; i < n; i++) {
            inputs->values[offset + i] = values[i];
            inputs->slopes[offset + i] = 0;
        }
        lkd_table_forward(inputs);
    }
    pthread_mutex_unlock(&inputs->lock);
    return r;
}

/* ---- status ---- */

uint64_t lkd_inputs_model_id(struct lkd_inputs *inputs)
{
    uint64_t model_id;

    pthread_mutex_lock(&inputs->lock);
    model_id = inputs->model_id;
    pthread_mutex_unlock(&inputs->lock);
    return model_id;
}

void lkd_inputs_counts(struct lkd_inputs *inputs, uint64_t *ret_accepted, uint64_t *ret_refused)
{
    pthread_mutex_lock(&inputs->lock);
    *ret_accepted = inputs->accepted;
    *ret_refused = inputs->refused;
    pthread_mutex_unlock(&inputs->lock);
}

void lkd_inputs_refusals(struct lkd_inputs *inputs, uint64_t ret_refusals[LKD_INPUT_STATUSES])
{
    pthread_mutex_lock(&inputs->lock);
    memcpy(ret_refusals, inputs->refusals, sizeof(inputs->refusals));
    pthread_mutex_unlock(&inputs->lock);
}

bool lkd_inputs_channel_at(struct lkd_inputs *inputs, int index,
                           struct lkd_inputs_channel *ret_channel)
{
    bool there;

    pthread_mutex_lock(&inputs->lock);
    there = index >= 0 && index < inputs->n_channels;
    if (there) {
        const struct lk_channel *c = &inputs->channels[index];
        int owner = inputs->claims.owner[index];

        *ret_channel = (struct lkd_inputs_channel){.news = inputs->news[index]};
        memcpy(ret_channel->bench, inputs->claims.claim[owner].bench, sizeof(ret_channel->bench));
        memcpy(ret_channel->values, &inputs->values[c->offset], (size_t)c->size * sizeof(double));
    }
    pthread_mutex_unlock(&inputs->lock);
    return there;
}
