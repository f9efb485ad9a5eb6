/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a sample on its way into the input table, and treatment of missing samples. */
#include "inputs_table.h"
#include "log.h"
#include "names.h"
#include "outgoing.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TICK_NS INT64_C(10000000)

/* ---- sender ---- */

/* Find the claim of a sample.
 * @ret_claim: NULL if the sample has no token */
static int find_claim(struct lkd_inputs *inputs, const struct lkd_sample *sample,
                      struct lkd_claim **ret_claim)
{
    *ret_claim = NULL;
    if (!inputs->cycle)
        return LKD_INPUT_E_NO_MODEL;
    *ret_claim = lkd_claims_find(&inputs->claims, sample->token);
    if (sample->model_id != 0 && sample->model_id != inputs->model_id)
        return LKD_INPUT_E_OTHER_MODEL;
    if (*ret_claim)
        return LKD_INPUT_OK;
    if (sample->token)
        return LKD_INPUT_E_TOKEN;
    return inputs->claims_optional && lkd_claims_count(&inputs->claims) == 0
               ? LKD_INPUT_OK
               : LKD_INPUT_E_UNCLAIMED;
}

/* Renew the lease of the sample's bench. Every sample renews it, accepted or not. */
static void note_life(struct lkd_inputs *inputs, struct lkd_claim *claim, int64_t now_ns)
{
    if (!claim) {
        inputs->anonymous_heard_ns = now_ns;
        return;
    }
    claim->heard_ns = now_ns;
    if (!claim->lost)
        return;
    claim->lost = false;
    lkd_log(LKD_C_BENCH_BACK, "bench '%s' is heard again", claim->bench);
    lkd_table_forward(inputs);
}

/* ---- contents ---- */

/* Return the number of channels of a sample: those of the claim, or all channels without a
 * claim. */
static int count_channels(const struct lkd_inputs *inputs, const struct lkd_claim *claim)
{
    return claim ? claim->n_channels : inputs->n_channels;
}

static int channel_of(const struct lkd_claim *claim, int i)
{
    return claim ? claim->channel[i] : i;
}

static bool all_finite(const double *values, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static bool within_limits(const struct lk_channel *channel, const double *values)
{
    for (int i = 0; i < channel->size; i++)
        if (!(channel->low <= values[i] && values[i] <= channel->high))
            return false;
    return true;
}

/* Check values and slopes of a sample against non-finite numbers and limits. Count a refusal for
 * each channel that caused it. */
static int check_values(struct lkd_inputs *inputs, const struct lkd_claim *claim,
                        const struct lkd_sample *sample)
{
    int n = count_channels(inputs, claim), infinite = 0, beyond = 0;
    const double *v = sample->values;

    for (int i = 0, at = 0; i < n; i++) {
        int channel = channel_of(claim, i), size = inputs->channels[channel].size;
        bool finite = all_finite(v + at, size) &&
                      (sample->n_slopes == 0 || all_finite(sample->slopes + at, size));

        infinite += !finite;
        inputs->news[channel].not_finite += !finite;
        at += size;
    }
    if (infinite > 0)
        return LKD_INPUT_E_NOT_FINITE;
    for (int i = 0; i < n; i++) {
        int channel = channel_of(claim, i);
        bool within = within_limits(&inputs->channels[channel], v);

        beyond += !within;
        inputs->news[channel].out_of_range += !within;
        v += inputs->channels[channel].size;
    }
    return beyond > 0 ? LKD_INPUT_E_LIMITS : LKD_INPUT_OK;
}

/* Return an error if the sample is not newer than the last one. Only sequence numbers are compared,
 * because the bench's clock may be set back during the run. */
static int check_newer(const struct lkd_memory *last, const struct lkd_sample *sample)
{
    if (!last->known || sample->received_ns - last->received_ns >= LKD_INPUT_SILENCE_NS)
        return LKD_INPUT_OK;
    return sample->sequence <= last->sequence ? LKD_INPUT_E_NOT_NEWER : LKD_INPUT_OK;
}

static int check_sample(struct lkd_inputs *inputs, const struct lkd_claim *claim,
                        const struct lkd_sample *sample)
{
    size_t n_values = claim ? claim->n_values : inputs->n_values;
    int r;

    if (sample->n_values != n_values || (sample->n_slopes != 0 && sample->n_slopes != n_values))
        return LKD_INPUT_E_LENGTH;
    r = check_values(inputs, claim, sample);
    if (r)
        return r;
    return check_newer(claim ? &claim->last : &inputs->anonymous, sample);
}

/* ---- into the table ---- */

static void remember_stamps(struct lkd_memory *last, const struct lkd_sample *sample,
                            uint64_t *gaps)
{
    bool known = last->known && sample->received_ns - last->received_ns < LKD_INPUT_SILENCE_NS;

    if (gaps && known && sample->sequence > last->sequence + 1)
        *gaps += sample->sequence - last->sequence - 1;
    *last = (struct lkd_memory){sample->sequence, sample->received_ns, true};
}

static void stamp_place(struct lkd_inputs *inputs, int place, const struct lkd_sample *sample)
{
    inputs->stamp[place] = (struct lkd_stamp){
        .claim = (uint32_t)place,
        .sequence = sample->sequence,
        .origin_ns = sample->origin_ns,
        .received_ns = sample->received_ns,
    };
    inputs->newest = place;
    if (inputs->n_stamps <= place)
        inputs->n_stamps = place + 1;
}

static void take_values(struct lkd_inputs *inputs, struct lkd_claim *claim,
                        const struct lkd_sample *sample)
{
    int at = 0;

    for (int i = 0; i < count_channels(inputs, claim); i++) {
        int channel = channel_of(claim, i);
        const struct lk_channel *c = &inputs->channels[channel];

        for (int j = 0; j < c->size; j++, at++) {
            inputs->values[c->offset + j] = sample->values[at];
            inputs->slopes[c->offset + j] = sample->n_slopes > 0 ? sample->slopes[at] : 0;
        }
        inputs->news[channel].heard++;
    }
    remember_stamps(claim ? &claim->last : &inputs->anonymous, sample, claim ? &claim->gaps : NULL);
    stamp_place(inputs, claim ? (int)claim->number : 0, sample);
    inputs->accepted++;
    if (claim)
        claim->accepted++;
    else
        inputs->anonymous_feeds = true;
    lkd_table_forward(inputs);
    if (inputs->listener)
        inputs->listener(inputs->segments, claim, sample);
}

/* Count a heartbeat. If the bench numbers heartbeats and samples in one sequence, the heartbeat's
 * sequence number becomes the last one. */
static void take_heartbeat(struct lkd_claim *claim, const struct lkd_sample *sample)
{
    if (!claim)
        return;
    claim->heartbeats++;
    if (claim->last.known && sample->sequence == claim->last.sequence + 1)
        claim->last.sequence++;
}

static int refuse_sample(struct lkd_inputs *inputs, struct lkd_claim *claim, int reason)
{
    inputs->refused++;
    inputs->refusals[reason]++;
    if (claim)
        claim->refused++;
    return reason;
}

/* Check a sample and enter it into the table. The sample includes the effect of injected faults
 * here. */
static int accept_sample(struct lkd_inputs *inputs, const struct lkd_sample *sample)
{
    struct lkd_claim *claim;
    int r = find_claim(inputs, sample, &claim);

    if (r)
        return refuse_sample(inputs, claim, r);
    note_life(inputs, claim, sample->received_ns);
    if (sample->heartbeat) {
        take_heartbeat(claim, sample);
        return LKD_INPUT_OK;
    }
    r = check_sample(inputs, claim, sample);
    if (r == LKD_INPUT_OK) {
        take_values(inputs, claim, sample);
        return LKD_INPUT_OK;
    }
    if (r == LKD_INPUT_E_NOT_FINITE || r == LKD_INPUT_E_LIMITS)
        lkd_table_forward(inputs); /* the guard needs the updated counts of refusals */
    return refuse_sample(inputs, claim, r);
}

static void let_through(struct lkd_inputs *inputs, int64_t now_ns)
{
    struct lkd_sample sample;

    while (lkd_injector_next(&inputs->injector, now_ns, &sample))
        accept_sample(inputs, &sample);
}

static int inject_and_take(struct lkd_inputs *inputs, const struct lkd_sample *sample)
{
    struct lkd_sample changed = *sample;
    struct lkd_claim *claim;
    int r = find_claim(inputs, sample, &claim);

    if (r)
        return refuse_sample(inputs, claim, r);
    if (!lkd_injector_pass(&inputs->injector, &inputs->claims, claim ? (int)claim->number : 0,
                           &changed))
        return LKD_INPUT_OK;
    return accept_sample(inputs, &changed);
}

/* Return true if the token belongs to a claim made with another key than that of @peer. */
static bool is_borrowed(struct lkd_inputs *inputs, uint64_t token, const struct lkd_peer *peer)
{
    return peer && lkd_claims_find(&inputs->claims, token) &&
           !lkd_claims_find_of(&inputs->claims, token, peer->name);
}

int lkd_inputs_offer(struct lkd_inputs *inputs, const struct lkd_sample *sample,
                     const struct lkd_peer *peer)
{
    int r;

    pthread_mutex_lock(&inputs->lock);
    if (peer && peer->role < LINKAGE__V1__ROLE__ROLE_BENCH) {
        r = refuse_sample(inputs, NULL, LKD_INPUT_E_ROLE);
    } else if (is_borrowed(inputs, sample->token, peer)) {
        r = refuse_sample(inputs, NULL, LKD_INPUT_E_TOKEN);
    } else if (inputs->cycle && inputs->injector.n_sources > 0) {
        lkd_table_follow(inputs, sample->received_ns);
        r = inject_and_take(inputs, sample);
        let_through(inputs, sample->received_ns);
    } else {
        r = accept_sample(inputs, sample);
    }
    if (!sample->token && r != LKD_INPUT_E_ROLE)
        snprintf(inputs->anonymous_peer, sizeof(inputs->anonymous_peer), "%s",
                 peer ? peer->name : "");
    pthread_mutex_unlock(&inputs->lock);
    return r;
}

int lkd_inputs_offer_message(struct lkd_inputs *inputs, const Linkage__V1__InputSample *message,
                             const struct lkd_peer *peer, int64_t received_ns)
{
    struct lkd_sample sample = {
        .sequence = message->sequence,
        .origin_ns = message->origin_ns,
        .model_id = message->model_id,
        .token = message->token,
        .heartbeat = message->heartbeat,
        .received_ns = received_ns,
        .values = message->values,
        .n_values = message->n_values,
        .slopes = message->slopes,
        .n_slopes = message->n_slopes,
        .reply_to = message->reply_to,
        .reply_published_ns = message->reply_published_ns,
        .reply_received_ns = message->reply_received_ns,
    };

    if (message->clock) {
        sample.clock.id = message->clock->id;
        sample.clock.synchronised = message->clock->synchronised;
        sample.clock.uncertainty_ns = message->clock->uncertainty_ns;
    }
    return lkd_inputs_offer(inputs, &sample, peer);
}

static void count_refusal(struct lkd_inputs *inputs, int reason)
{
    pthread_mutex_lock(&inputs->lock);
    refuse_sample(inputs, NULL, reason);
    pthread_mutex_unlock(&inputs->lock);
}

void lkd_inputs_refuse(struct lkd_inputs *inputs)
{
    count_refusal(inputs, LKD_INPUT_E_UNDECODABLE);
}

void lkd_inputs_forbid(struct lkd_inputs *inputs)
{
    count_refusal(inputs, LKD_INPUT_E_ROLE);
}

/* ---- without samples ---- */

void lkd_table_follow(struct lkd_inputs *inputs, int64_t now_ns)
{
    bool injected =
        lkd_injector_follow(&inputs->injector, inputs->live ? inputs->cycle : NULL, now_ns);

    if (injected != inputs->injected) {
        inputs->injected = injected;
        lkd_table_forward(inputs);
    }
    let_through(inputs, now_ns);
}

static void find_lost(struct lkd_inputs *inputs, int64_t now_ns)
{
    bool before[LKD_CLAIMS_MAX + 1];

    for (int i = 0; i <= LKD_CLAIMS_MAX; i++)
        before[i] = inputs->claims.claim[i].lost;
    if (!lkd_claims_refresh(&inputs->claims, now_ns))
        return;
    for (int i = 1; i <= LKD_CLAIMS_MAX; i++)
        if (inputs->claims.claim[i].lost && !before[i])
            lkd_log(LKD_C_BENCH_LOST, "bench '%s' is lost: silent for more than %g s",
                    inputs->claims.claim[i].bench, 1e-9 * (double)inputs->lease_ns);
    lkd_table_forward(inputs);
}

/* Reset the values of a silent bench without a claim. Between runs no guard checks the age of a
 * value, so an old value would act at the start of a much later run. A bench with a claim needs no
 * reset, because it would be lost by then. */
static void forget_anonymous(struct lkd_inputs *inputs, int64_t now_ns)
{
    if (inputs->live || !inputs->anonymous_feeds ||
        now_ns - inputs->anonymous_heard_ns <= inputs->lease_ns)
        return;
    inputs->anonymous_feeds = false;
    for (int i = 0; i < inputs->n_channels; i++)
        lkd_table_initial(inputs, i);
    lkd_table_forget(inputs, 0);
    lkd_table_forward(inputs);
}

/* Log the actions of the guard here, because the cycle's thread must not log. */
static void tell_trips(struct lkd_inputs *inputs)
{
    const struct lkd_guard *guard = &inputs->cycle->guard;

    for (int i = 0; i < inputs->n_channels; i++) {
        struct lkd_guarded *c = &guard->channel[i];
        int action = atomic_load_explicit(&c->acting_action, memory_order_acquire);
        int condition = atomic_load_explicit(&c->acting_condition, memory_order_relaxed);
        uint64_t step = atomic_load_explicit(&c->trip_step, memory_order_relaxed);
        bool tripped = action != LKD_ACTION_COUNT;

        if (tripped == inputs->tripped[i])
            continue;
        inputs->tripped[i] = tripped;
        if (tripped)
            lkd_log(LKD_C_INPUT_TRIPPED, "step %" PRIu64 ": input '%s': %s, because of: %s", step,
                    inputs->channels[i].name,
                    lk_names_action(lkd_outgoing_action((enum lkd_action)action)),
                    lk_names_condition((Linkage__V1__Condition)(condition + 1)));
        else
            lkd_log(LKD_C_INPUT_RECOVERED, "input '%s' acts again", inputs->channels[i].name);
    }
}

int64_t lkd_inputs_tick(struct lkd_inputs *inputs, int64_t now_ns)
{
    int64_t next_ns = now_ns + TICK_NS, due_ns = INT64_MAX;

    pthread_mutex_lock(&inputs->lock);
    if (inputs->cycle) {
        find_lost(inputs, now_ns);
        forget_anonymous(inputs, now_ns);
        lkd_table_follow(inputs, now_ns);
        if (inputs->live)
            tell_trips(inputs);
        due_ns = lkd_injector_due_ns(&inputs->injector);
    }
    pthread_mutex_unlock(&inputs->lock);
    return due_ns < next_ns ? due_ns : next_ns;
}
