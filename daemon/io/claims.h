/* SPDX-License-Identifier: Apache-2.0 */
/* Ownership of input channels: the table of claims. It uses no socket and no clock. The lock of the
 * input table (inputs.h) guards it.
 *
 * A claim keeps the same number, from 1 to LKD_CLAIMS_MAX, until it ends. A bench counts as lost
 * when it has sent nothing for longer than the lease. The claim of a lost bench keeps its channels
 * until another bench claims one of them. Then the claim of the lost bench ends, with all its
 * channels. The same applies at any time to a claim that yields, unless the other one yields too. */
#ifndef LKD_IO_CLAIMS_H
#define LKD_IO_CLAIMS_H

#include "cycle_types.h"
#include "linkage.pb-c.h"
#include "linkage/error.h"
#include "peer.h"
#include <stdbool.h>
#include <stdint.h>

#define LKD_BENCH_NAME_SIZE 64

/** struct lkd_channel_wish - a requested channel.
 * @units: @n_units units that the bench expects, one per scalar; none: units are not checked */
struct lkd_channel_wish {
    const char *name;
    const char *const *units;
    size_t n_units;
};

/** struct lkd_claim_wish - claim request of a bench; see ClaimRequest in linkage.proto.
 * @bench:    name of the bench, for logs and displays
 * @channels: @n_channels channels, in the order of the values in the bench's samples
 * @token:    token of an earlier claim of the same bench that this claim replaces, or 0
 * @model_id: intended model, or 0 for any
 * @peer:     name of the client's key, "" for none
 * @yields:   the claim is that of a stand-in
 * @quiet:    do not log a refusal, because the caller logs it */
struct lkd_claim_wish {
    const char *bench;
    const struct lkd_channel_wish *channels;
    size_t n_channels;
    uint64_t token;
    uint64_t model_id;
    const char *peer;
    bool yields;
    bool quiet;
};

/** struct lkd_claim_grant - granted claim.
 * @number:   number of the claim from 1, its index in stamps and echoes
 * @n_values: number of values in each sample of the claim
 * @lease_ns: time without sample or heartbeat after which others may claim its channels */
struct lkd_claim_grant {
    uint64_t token;
    uint32_t number;
    uint64_t model_id;
    size_t n_values;
    int64_t lease_ns;
};

/** struct lkd_memory - the last good sample of a bench.
 * @known: a good sample was received, and its sequence number is valid */
struct lkd_memory {
    uint64_t sequence;
    int64_t received_ns;
    bool known;
};

/** struct lkd_claim - a bench and its channels.
 * @token:      0: the entry is free
 * @channel:    indices of @n_channels channels, in the order of the values in a sample
 * @n_values:   number of values in each sample
 * @claimed_ns: time of the claim, CLOCK_MONOTONIC
 * @heard_ns:   time of the last heartbeat or sample, good or not; 0: none so far
 * @yields:     another bench may claim the channels at any time
 * @lost:       silent for longer than the lease at the last refresh
 * @gaps:       number of missing samples, computed from the sequence numbers */
struct lkd_claim {
    uint64_t token;
    uint32_t number;
    char bench[LKD_BENCH_NAME_SIZE];
    char peer[LKD_PEER_NAME_SIZE];
    int *channel;
    int n_channels;
    size_t n_values;
    int64_t claimed_ns;
    int64_t heard_ns;
    bool yields;
    bool lost;
    struct lkd_memory last;
    uint64_t accepted;
    uint64_t refused;
    uint64_t gaps;
    uint64_t heartbeats;
};

/** struct lkd_claims - table of claims.
 * @claim:    indexed by claim number; entry 0 is unused
 * @owner:    number of the claim that owns each of @n_channels channels, 0 for none
 * @lease_ns: silence after which a bench counts as lost */
struct lkd_claims {
    struct lkd_claim claim[LKD_CLAIMS_MAX + 1];
    const struct lk_channel *channels;
    int n_channels;
    int *owner;
    int64_t lease_ns;
};

/** lkd_claims_init() - Initialise an empty table for @n_channels channels, which the caller owns.
 * Return: 0, -ENOMEM (@claims is unchanged). */
int lkd_claims_init(struct lkd_claims *claims, const struct lk_channel *channels, int n_channels,
                    int64_t lease_ns);
/** lkd_claims_fini() - Release @claims, which may be zeroed. */
void lkd_claims_fini(struct lkd_claims *claims);

/** lkd_claims_add() - Check a claim request and execute it. If the check fails, nothing changes. An
 * existing claim with @wish->token and the same key ends, and its number is reused. Lost claims
 * and claims that yield end too if they own a requested channel.
 * Return: RESULT_OK, or the reason with a line in @error; RESULT_INTERNAL if memory is
 * exhausted. */
Linkage__V1__Result lkd_claims_add(struct lkd_claims *claims, const struct lkd_claim_wish *wish,
                                   int64_t now_ns, struct lkd_claim **ret_claim,
                                   struct lk_error *error);

/** lkd_claims_end() - End a claim and free its channels. */
void lkd_claims_end(struct lkd_claims *claims, struct lkd_claim *claim);

/** lkd_claims_find() - Return the claim with @token, or NULL. */
struct lkd_claim *lkd_claims_find(struct lkd_claims *claims, uint64_t token);

/** lkd_claims_find_of() - Return the claim with @token, but only if the claim was made with the key
 * @peer ("" for none), so that no other client can use its token. */
struct lkd_claim *lkd_claims_find_of(struct lkd_claims *claims, uint64_t token, const char *peer);

/** lkd_claims_count() - Return the number of claims. */
int lkd_claims_count(const struct lkd_claims *claims);

/** lkd_claims_refresh() - Update the field @lost of all claims.
 * Return: true if a bench was lost or has returned. */
bool lkd_claims_refresh(struct lkd_claims *claims, int64_t now_ns);

/** lkd_claim_silent_ns() - Return the time since the last sample or heartbeat of the bench, or
 * since the claim was made. */
int64_t lkd_claim_silent_ns(const struct lkd_claim *claim, int64_t now_ns);

#endif
