/* SPDX-License-Identifier: Apache-2.0 */
/* The master of a daemon in lockstep: claims inputs, starts the run, and makes its steps. */
#ifndef TOOLS_CLIENT_LOCKSTEP_H
#define TOOLS_CLIENT_LOCKSTEP_H

#include "client.h"
#include <stdbool.h>

/** struct lk_client_lockstep - @client: of the caller;  @model_id: of its description
 * @token: of the claim, 0: none;  @number: of the last request */
struct lk_client_lockstep {
    struct lk_client *client;
    uint64_t model_id;
    uint64_t token;
    uint64_t number;
};

/** lk_client_lockstep_describe() - the model of a daemon that is armed in lockstep.
 * @ret_model: valid until the next call. Return: 0, 1 (@ret_error says why not). */
int lk_client_lockstep_describe(struct lk_client_lockstep *lockstep,
                                const Linkage__V1__ModelDescription **ret_model,
                                struct lk_error *ret_error);

/** lk_client_lockstep_begin() - claim @channels for @bench, and start the run, which has to be at
 * its start. @n: may be 0. A run that cannot begin holds no channel afterwards. Return: 0, 1. */
int lk_client_lockstep_begin(struct lk_client_lockstep *lockstep, const char *bench,
                             const char *const *channels, int n, struct lk_error *ret_error);

/** lk_client_lockstep_step() - one step with these values of the claimed channels. The same request
 * goes again where the machine had no time for it yet.
 * @is_over: asked meanwhile. @ret_outputs: valid until the next call. Return: 0, or a code of the
 * client. */
int lk_client_lockstep_step(struct lk_client_lockstep *lockstep, double *values, int n,
                            bool (*is_over)(void), const Linkage__V1__OutputSample **ret_outputs,
                            struct lk_error *ret_error);

/** lk_client_lockstep_end() - give the channels back; a claim that is not would keep them until its
 * lease is over. */
void lk_client_lockstep_end(struct lk_client_lockstep *lockstep);

#endif
