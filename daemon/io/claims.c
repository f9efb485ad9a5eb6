/* SPDX-License-Identifier: Apache-2.0 */
#include "claims.h"
#include "identity.h"
#include "linkage/nearest.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK        LINKAGE__V1__RESULT__RESULT_OK
#define BAD_VALUE LINKAGE__V1__RESULT__RESULT_BAD_VALUE
#define BAD_UNIT  LINKAGE__V1__RESULT__RESULT_BAD_UNIT
#define CLAIMED   LINKAGE__V1__RESULT__RESULT_CLAIMED
#define UNKNOWN   LINKAGE__V1__RESULT__RESULT_UNKNOWN_CHANNEL
#define INTERNAL  LINKAGE__V1__RESULT__RESULT_INTERNAL

int lkd_claims_init(struct lkd_claims *claims, const struct lk_channel *channels, int n_channels,
                    int64_t lease_ns)
{
    int *owner = calloc((size_t)n_channels + 1, sizeof(int));

    if (!owner)
        return -ENOMEM;
    *claims = (struct lkd_claims){
        .channels = channels,
        .n_channels = n_channels,
        .owner = owner,
        .lease_ns = lease_ns,
    };
    return 0;
}

void lkd_claims_fini(struct lkd_claims *claims)
{
    for (int i = 1; i <= LKD_CLAIMS_MAX; i++)
        free(claims->claim[i].channel);
    free(claims->owner);
    *claims = (struct lkd_claims){0};
}

int64_t lkd_claim_silent_ns(const struct lkd_claim *claim, int64_t now_ns)
{
    return now_ns - (claim->heard_ns > claim->claimed_ns ? claim->heard_ns : claim->claimed_ns);
}

static bool is_lost(const struct lkd_claims *claims, const struct lkd_claim *claim, int64_t now_ns)
{
    return lkd_claim_silent_ns(claim, now_ns) > claims->lease_ns;
}

bool lkd_claims_refresh(struct lkd_claims *claims, int64_t now_ns)
{
    bool changed = false;

    for (int i = 1; i <= LKD_CLAIMS_MAX; i++) {
        struct lkd_claim *claim = &claims->claim[i];
        bool lost = claim->token && is_lost(claims, claim, now_ns);

        changed = changed || lost != claim->lost;
        claim->lost = lost;
    }
    return changed;
}

struct lkd_claim *lkd_claims_find(struct lkd_claims *claims, uint64_t token)
{
    for (int i = 1; token && i <= LKD_CLAIMS_MAX; i++)
        if (claims->claim[i].token == token)
            return &claims->claim[i];
    return NULL;
}

struct lkd_claim *lkd_claims_find_of(struct lkd_claims *claims, uint64_t token, const char *peer)
{
    struct lkd_claim *claim = lkd_claims_find(claims, token);

    return claim && strcmp(claim->peer, peer ? peer : "") == 0 ? claim : NULL;
}

int lkd_claims_count(const struct lkd_claims *claims)
{
    int n = 0;

    for (int i = 1; i <= LKD_CLAIMS_MAX; i++)
        n += claims->claim[i].token != 0;
    return n;
}

void lkd_claims_end(struct lkd_claims *claims, struct lkd_claim *claim)
{
    for (int i = 0; i < claim->n_channels; i++)
        claims->owner[claim->channel[i]] = 0;
    free(claim->channel);
    *claim = (struct lkd_claim){0};
}

/* ---- a requested claim ---- */

static int find_channel(const struct lkd_claims *claims, const char *name)
{
    for (int i = 0; i < claims->n_channels; i++)
        if (strcmp(claims->channels[i].name, name) == 0)
            return i;
    return -1;
}

/* Return true if @name consists of printable ASCII characters. Names of benches appear in logs,
 * tables and on the terminals of other users. */
static bool is_bench_name(const char *name)
{
    size_t n = strlen(name);

    for (size_t i = 0; i < n; i++)
        if (name[i] < ' ' || name[i] > '~')
            return false;
    return n > 0 && n < LKD_BENCH_NAME_SIZE;
}

static Linkage__V1__Result check_units(const struct lk_channel *channel,
                                       const struct lkd_channel_wish *wish, struct lk_error *error)
{
    if (wish->n_units == 0)
        return OK;
    if (wish->n_units != (size_t)channel->size) {
        lk_error_set(error, "%zu units for '%s', expected %d, one for each of its scalars",
                     wish->n_units, channel->name, channel->size);
        return BAD_UNIT;
    }
    for (int i = 0; i < channel->size; i++) {
        if (strcmp(wish->units[i], channel->unit[i]) == 0)
            continue;
        lk_error_set(error, "'%s' %s%sis in %s, not in %s", channel->name, channel->component[i],
                     *channel->component[i] ? " " : "", channel->unit[i], wish->units[i]);
        return BAD_UNIT;
    }
    return OK;
}

static Linkage__V1__Result check_owner(const struct lkd_claims *claims, int index,
                                       const struct lkd_claim *former, bool yields, int64_t now_ns,
                                       struct lk_error *error)
{
    const struct lkd_claim *owner = &claims->claim[claims->owner[index]];

    if (claims->owner[index] == 0 || owner == former || is_lost(claims, owner, now_ns) ||
        (owner->yields && !yields))
        return OK;
    lk_error_set(error,
                 "'%s' belongs to bench '%s', silent for %.3g s; it can be claimed once that is "
                 "more than %g s",
                 claims->channels[index].name, owner->bench,
                 1e-9 * (double)lkd_claim_silent_ns(owner, now_ns),
                 1e-9 * (double)claims->lease_ns);
    return CLAIMED;
}

/* Check one requested channel and append its index to @channel.
 * @channel: indices of the @n channels checked before */
static Linkage__V1__Result check_channel(const struct lkd_claims *claims,
                                         const struct lkd_channel_wish *wish, bool yields,
                                         const struct lkd_claim *former, int *channel, int n,
                                         int64_t now_ns, struct lk_error *error)
{
    int index = find_channel(claims, wish->name);
    Linkage__V1__Result result;

    if (index < 0) {
        char meant[LK_MEANT_SIZE];

        lk_error_set(error, "no input named '%s'%s", wish->name,
                     lk_meant(wish->name, (const char *)claims->channels, sizeof(*claims->channels),
                              claims->n_channels, meant));
        return UNKNOWN;
    }
    for (int i = 0; i < n; i++)
        if (channel[i] == index) {
            lk_error_set(error, "'%s' is named twice, expected each channel once", wish->name);
            return BAD_VALUE;
        }
    channel[n] = index;
    result = check_units(&claims->channels[index], wish, error);
    return result == OK ? check_owner(claims, index, former, yields, now_ns, error) : result;
}

static Linkage__V1__Result check_form(const struct lkd_claims *claims,
                                      const struct lkd_claim_wish *wish, struct lk_error *error)
{
    if (!is_bench_name(wish->bench)) {
        lk_error_set(error, "the name of a bench has 1 to %d printable ASCII characters",
                     LKD_BENCH_NAME_SIZE - 1);
        return BAD_VALUE;
    }
    if (wish->n_channels == 0) {
        lk_error_set(error, "a claim of no channels, expected at least one");
        return BAD_VALUE;
    }
    if (wish->n_channels > (size_t)claims->n_channels) {
        lk_error_set(error, "a claim of %zu channels, the model has %d inputs", wish->n_channels,
                     claims->n_channels);
        return BAD_VALUE;
    }
    return OK;
}

/* Return the index of the claim that the new claim replaces, of a free entry, or of a lost claim
 * that the new claim ends. Return 0 if there is none. */
static int find_place(const struct lkd_claims *claims, const struct lkd_claim *former,
                      const int *channel, size_t n)
{
    if (former)
        return (int)former->number;
    for (int i = 1; i <= LKD_CLAIMS_MAX; i++)
        if (!claims->claim[i].token)
            return i;
    for (size_t i = 0; i < n; i++)
        if (claims->owner[channel[i]])
            return claims->owner[channel[i]];
    return 0;
}

static void enter_claim(struct lkd_claims *claims, const struct lkd_claim_wish *wish, int place,
                        int *channel, int64_t now_ns)
{
    struct lkd_claim *claim = &claims->claim[place];

    if (claim->token)
        lkd_claims_end(claims, claim);
    *claim = (struct lkd_claim){
        .token = lkd_random_id(),
        .number = (uint32_t)place,
        .channel = channel,
        .n_channels = (int)wish->n_channels,
        .claimed_ns = now_ns,
        .yields = wish->yields,
    };
    snprintf(claim->bench, sizeof(claim->bench), "%s", wish->bench);
    snprintf(claim->peer, sizeof(claim->peer), "%s", wish->peer ? wish->peer : "");
    for (int i = 0; i < claim->n_channels; i++) {
        int former = claims->owner[channel[i]];

        if (former)
            lkd_claims_end(claims, &claims->claim[former]);
        claim->n_values += (size_t)claims->channels[channel[i]].size;
    }
    for (int i = 0; i < claim->n_channels; i++)
        claims->owner[channel[i]] = place;
}

static Linkage__V1__Result check(const struct lkd_claims *claims, const struct lkd_claim_wish *wish,
                                 const struct lkd_claim *former, int *channel, int64_t now_ns,
                                 struct lk_error *error)
{
    Linkage__V1__Result result = OK;

    for (size_t i = 0; i < wish->n_channels && result == OK; i++)
        result = check_channel(claims, &wish->channels[i], wish->yields, former, channel, (int)i,
                               now_ns, error);
    return result;
}

Linkage__V1__Result lkd_claims_add(struct lkd_claims *claims, const struct lkd_claim_wish *wish,
                                   int64_t now_ns, struct lkd_claim **ret_claim,
                                   struct lk_error *error)
{
    const struct lkd_claim *former = lkd_claims_find_of(claims, wish->token, wish->peer);
    Linkage__V1__Result result = check_form(claims, wish, error);
    int *channel, place;

    if (result != OK)
        return result;
    channel = calloc(wish->n_channels, sizeof(int));
    if (!channel) {
        lk_error_set(error, "out of memory");
        return INTERNAL;
    }
    result = check(claims, wish, former, channel, now_ns, error);
    place = result == OK ? find_place(claims, former, channel, wish->n_channels) : 0;
    if (result == OK && place == 0) {
        lk_error_set(error, "%d benches have claims, there is no room for another one",
                     LKD_CLAIMS_MAX);
        result = CLAIMED;
    }
    if (result != OK) {
        free(channel);
        return result;
    }
    enter_claim(claims, wish, place, channel, now_ns);
    *ret_claim = &claims->claim[place];
    return OK;
}
