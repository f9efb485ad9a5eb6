/* SPDX-License-Identifier: Apache-2.0 */
/* Claims and injections in the input table. */
#include "inputs_table.h"
#include "log.h"
#include <stdio.h>
#include <string.h>

#define OK LINKAGE__V1__RESULT__RESULT_OK

/* Update the table after a claim was made or has ended. A channel that received values and has no
 * owner now returns to its initial value, because the last value of a lost bench must not act for
 * ever. A channel that passes from one bench to another keeps its value until the new owner
 * sends. */
static void refresh_table(struct lkd_inputs *inputs)
{
    inputs->anonymous_feeds = false;
    inputs->anonymous_heard_ns = 0;
    inputs->anonymous.known = false;
    for (int i = 0; i < inputs->n_channels; i++)
        if (inputs->news[i].watched && inputs->claims.owner[i] == 0)
            lkd_table_initial(inputs, i);
    for (int i = 0; i < LKD_STAMPS; i++)
        if (inputs->claims.claim[i].heard_ns == 0)
            lkd_table_forget(inputs, i);
    lkd_table_forward(inputs);
}

static Linkage__V1__Result check(const struct lkd_inputs *inputs, const struct lkd_claim_wish *wish,
                                 int64_t now_ns, struct lk_error *error)
{
    int64_t silent_ns = now_ns - inputs->anonymous_heard_ns;

    if (!inputs->cycle) {
        lk_error_set(error, "no model is loaded, load one first");
        return LINKAGE__V1__RESULT__RESULT_WRONG_STATE;
    }
    if (wish->model_id != 0 && wish->model_id != inputs->model_id) {
        lk_error_set(error, "meant for another model than the one that is loaded");
        return LINKAGE__V1__RESULT__RESULT_BAD_VALUE;
    }
    if (inputs->anonymous_heard_ns == 0 || silent_ns > inputs->lease_ns)
        return OK;
    lk_error_set(error,
                 "a bench without a claim%s%s feeds all inputs, silent for %.3g s; end it first",
                 *inputs->anonymous_peer ? ", of key " : "", inputs->anonymous_peer,
                 1e-9 * (double)silent_ns);
    return LINKAGE__V1__RESULT__RESULT_CLAIMED;
}

/* Write the names of the channels of a claim, such as "torque, crank", truncated to @size. */
static void list_channels(const struct lkd_inputs *inputs, const struct lkd_claim *claim,
                          char *text, size_t size)
{
    size_t used = 0;

    *text = '\0';
    for (int i = 0; i < claim->n_channels && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 inputs->channels[claim->channel[i]].name);
}

static void report_claim(const struct lkd_inputs *inputs, const struct lkd_claim *claim)
{
    char channels[200];

    list_channels(inputs, claim, channels, sizeof(channels));
    lkd_log(LKD_C_CLAIMED, "bench '%s'%s%s has claim %u: %s", claim->bench,
            *claim->peer ? " with key " : "", claim->peer, claim->number, channels);
}

/* Find the first bench whose lease has expired, or that yields, and that will lose channels to this
 * claim; "" for none. @ret_yields: it yields. A claim with more channels than the model has will be
 * refused. Its names are not searched, to hold the lock only for a short time. */
static void find_former(struct lkd_inputs *inputs, const struct lkd_claim_wish *wish,
                        char ret_bench[LKD_BENCH_NAME_SIZE], bool *ret_yields)
{
    const struct lkd_claim *own = lkd_claims_find_of(&inputs->claims, wish->token, wish->peer);

    *ret_bench = '\0';
    if (wish->n_channels > (size_t)inputs->n_channels)
        return;
    for (int i = 0; i < inputs->n_channels && !*ret_bench; i++) {
        const struct lkd_claim *owner = &inputs->claims.claim[inputs->claims.owner[i]];

        if (inputs->claims.owner[i] == 0 || owner == own)
            continue;
        for (size_t k = 0; k < wish->n_channels; k++)
            if (strcmp(wish->channels[k].name, inputs->channels[i].name) == 0) {
                memcpy(ret_bench, owner->bench, LKD_BENCH_NAME_SIZE);
                *ret_yields = owner->yields;
            }
    }
}

Linkage__V1__Result lkd_inputs_claim(struct lkd_inputs *inputs, const struct lkd_claim_wish *wish,
                                     int64_t now_ns, struct lkd_claim_grant *ret_grant,
                                     struct lk_error *ret_error)
{
    char former[LKD_BENCH_NAME_SIZE] = "";
    struct lkd_claim *claim = NULL;
    Linkage__V1__Result result;
    bool yields = false;

    pthread_mutex_lock(&inputs->lock);
    result = check(inputs, wish, now_ns, ret_error);
    if (result == OK)
        find_former(inputs, wish, former, &yields);
    if (result == OK)
        result = lkd_claims_add(&inputs->claims, wish, now_ns, &claim, ret_error);
    if (result == OK) {
        *ret_grant = (struct lkd_claim_grant){
            .token = claim->token,
            .number = claim->number,
            .model_id = inputs->model_id,
            .n_values = claim->n_values,
            .lease_ns = inputs->lease_ns,
        };
        refresh_table(inputs);
        report_claim(inputs, claim);
        if (*former)
            lkd_log(LKD_C_CLAIM_TAKEN_OVER, "bench '%s' has taken channels from '%s', which %s",
                    claim->bench, former, yields ? "yields" : "was lost");
    } else if (!wish->quiet &&
               !(wish->yields &&
                 result == LINKAGE__V1__RESULT__RESULT_CLAIMED)) { /* a stand-in waits */
        lkd_log(LKD_C_CLAIM_REFUSED, "claim of bench '%.63s' refused: %s", wish->bench,
                ret_error->text);
    }
    pthread_mutex_unlock(&inputs->lock);
    return result;
}

Linkage__V1__Result lkd_inputs_release(struct lkd_inputs *inputs, uint64_t token, const char *peer,
                                       struct lk_error *ret_error)
{
    struct lkd_claim *claim;

    pthread_mutex_lock(&inputs->lock);
    claim = lkd_claims_find_of(&inputs->claims, token, peer);
    if (claim) {
        lkd_log(LKD_C_CLAIM_RELEASED, "bench '%s' has released claim %u", claim->bench,
                claim->number);
        lkd_claims_end(&inputs->claims, claim);
        refresh_table(inputs);
    } else {
        lk_error_set(ret_error, "no claim has this token");
    }
    pthread_mutex_unlock(&inputs->lock);
    return claim ? OK : LINKAGE__V1__RESULT__RESULT_BAD_TOKEN;
}

/* ---- status ---- */

int lkd_inputs_claims(struct lkd_inputs *inputs, struct lkd_claim ret_claims[LKD_CLAIMS_MAX])
{
    int n = 0;

    pthread_mutex_lock(&inputs->lock);
    for (int i = 1; i <= LKD_CLAIMS_MAX; i++) {
        if (!inputs->claims.claim[i].token)
            continue;
        ret_claims[n] = inputs->claims.claim[i];
        ret_claims[n++].channel = NULL;
    }
    pthread_mutex_unlock(&inputs->lock);
    return n;
}

int lkd_inputs_n_claims(struct lkd_inputs *inputs)
{
    int n;

    pthread_mutex_lock(&inputs->lock);
    n = lkd_claims_count(&inputs->claims);
    pthread_mutex_unlock(&inputs->lock);
    return n;
}

int lkd_inputs_claimed(struct lkd_inputs *inputs, uint64_t token, int place)
{
    const struct lkd_claim *claim;
    int channel = -1;

    pthread_mutex_lock(&inputs->lock);
    claim = lkd_claims_find(&inputs->claims, token);
    if (claim && place >= 0 && place < claim->n_channels)
        channel = claim->channel[place];
    pthread_mutex_unlock(&inputs->lock);
    return channel;
}

/* ---- fault injection ---- */

Linkage__V1__Result lkd_inputs_inject(struct lkd_inputs *inputs, bool clear,
                                      const struct lkd_injection *add, size_t n, int64_t now_ns,
                                      struct lk_error *ret_error)
{
    Linkage__V1__Result result = LINKAGE__V1__RESULT__RESULT_WRONG_STATE;

    pthread_mutex_lock(&inputs->lock);
    if (inputs->cycle) {
        result =
            lkd_injector_add(&inputs->injector, &inputs->claims, clear, add, n, now_ns, ret_error);
        lkd_table_follow(inputs, now_ns);
    } else {
        lk_error_set(ret_error, "no model is loaded, load one first");
    }
    pthread_mutex_unlock(&inputs->lock);
    return result;
}

int lkd_inputs_injections(struct lkd_inputs *inputs,
                          struct lkd_injection ret_injections[LKD_INJECTIONS_MAX])
{
    int n;

    pthread_mutex_lock(&inputs->lock);
    n = inputs->injector.n_sources;
    for (int i = 0; i < n; i++)
        ret_injections[i] = inputs->injector.source[i].what;
    pthread_mutex_unlock(&inputs->lock);
    return n;
}
