/* SPDX-License-Identifier: Apache-2.0 */
/* Client that controls a daemon in lockstep mode: it claims inputs, starts the run, and requests
 * its steps. */
#ifndef TOOLS_CLIENT_LOCKSTEP_H
#define TOOLS_CLIENT_LOCKSTEP_H

#include "client.h"
#include <stdbool.h>

/** struct lk_client_lockstep - control of a daemon in lockstep.
 * @client:   owned by the caller
 * @model_id: identifier of the daemon's model
 * @token:    token of the claim, 0: none
 * @number:   number of the last step request */
struct lk_client_lockstep {
    struct lk_client *client;
    uint64_t model_id;
    uint64_t token;
    uint64_t number;
};

/** lk_client_lockstep_describe() - Return the model of a daemon that is armed in lockstep.
 * @ret_model: valid until the next call
 * Return: 0, 1 (@ret_error: the reason). */
int lk_client_lockstep_describe(struct lk_client_lockstep *lockstep,
                                const Linkage__V1__ModelDescription **ret_model,
                                struct lk_error *ret_error);

/** lk_client_lockstep_begin() - Claim @channels for @bench and start the run, which must be at step
 * 0.
 * If the run cannot begin, the channels are released.
 * @n: may be 0
 * Return: 0, 1. */
int lk_client_lockstep_begin(struct lk_client_lockstep *lockstep, const char *bench,
                             const char *const *channels, int n, struct lk_error *ret_error);

/** lk_client_lockstep_step() - Execute one step with these values of the claimed channels. If the
 * daemon replies INTERNAL, because the cycle has had no processor time yet, the same request is
 * repeated.
 * @is_over:     polled during the wait; true ends the wait
 * @ret_outputs: valid until the next call
 * Return: 0, or a code of the client. */
int lk_client_lockstep_step(struct lk_client_lockstep *lockstep, double *values, int n,
                            bool (*is_over)(void), const Linkage__V1__OutputSample **ret_outputs,
                            struct lk_error *ret_error);

/** lk_client_lockstep_end() - Release the channels of the claim. Otherwise the claim would keep
 * them until its lease expires. */
void lk_client_lockstep_end(struct lk_client_lockstep *lockstep);

#endif
