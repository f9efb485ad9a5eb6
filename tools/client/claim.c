/* SPDX-License-Identifier: Apache-2.0 */
/* Claims for clients that keep them alive themselves; a bench (bench.h) does so automatically. */
#include "client.h"

#include <errno.h>
#include <stdlib.h>

int lk_client_claim(struct lk_client *client, Linkage__V1__ClaimRequest *claim,
                    const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_CLAIM;
    request.claim = claim;
    return lk_client_call(client, &request, ret_reply, ret_error);
}

int lk_client_release(struct lk_client *client, uint64_t token,
                      const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ReleaseRequest release = LINKAGE__V1__RELEASE_REQUEST__INIT;

    release.token = token;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_RELEASE;
    request.release = &release;
    return lk_client_call(client, &request, ret_reply, ret_error);
}

/* Claim all inputs of the model. */
static int claim_channels(struct lk_client *client, const char *name, uint64_t old_token,
                          const Linkage__V1__ModelDescription *model, uint64_t *ret_token,
                          struct lk_error *ret_error)
{
    Linkage__V1__ClaimedChannel *channels = calloc(model->n_inputs + 1, sizeof(*channels));
    Linkage__V1__ClaimedChannel **list = calloc(model->n_inputs + 1, sizeof(*list));
    Linkage__V1__ClaimRequest claim = LINKAGE__V1__CLAIM_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    int code = -ENOMEM;

    for (size_t i = 0; channels != NULL && list != NULL && i < model->n_inputs; i++) {
        linkage__v1__claimed_channel__init(&channels[i]);
        channels[i].name = model->inputs[i]->name;
        list[i] = &channels[i];
    }
    claim.bench = (char *)name;
    claim.channels = list;
    claim.n_channels = model->n_inputs;
    claim.token = old_token;
    claim.model_id = model->model_id;
    if (channels != NULL && list != NULL)
        code = lk_client_claim(client, &claim, &reply, ret_error);
    if (code == 0 && reply->claim == NULL) {
        lk_error_set(ret_error, "the inputs are not ours: %s", reply->text);
        code = LK_CLIENT_E_REFUSED;
    }
    if (code == 0)
        *ret_token = reply->claim->token;
    free(channels);
    free(list);
    return code;
}

int lk_client_claim_all(struct lk_client *client, const char *name, uint64_t old_token,
                        uint64_t *ret_token, struct lk_error *ret_error)
{
    const Linkage__V1__ControlReply *reply;
    int code = lk_client_command(client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE, &reply,
                                 ret_error);

    if (code == 0 && reply->description == NULL) {
        lk_error_set(ret_error, "nothing to claim: %s", reply->text);
        code = LK_CLIENT_E_REFUSED;
    }
    return code == 0
               ? claim_channels(client, name, old_token, reply->description, ret_token, ret_error)
               : code;
}
