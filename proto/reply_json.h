/* SPDX-License-Identifier: Apache-2.0 */
/* JSON encoder of the daemon's answers. The format is the same in every tool, such as `linkagectl
 * --json` and the gateway. Each function adds members to an open object. Enumerations are written
 * with the words of names.h. A message may contain anything that lk_wire_decode_reply() accepts.
 * Thread: any but the cycle. */
#ifndef LK_REPLY_JSON_H
#define LK_REPLY_JSON_H

#include "linkage.pb-c.h"
#include "linkage/json.h"

#ifdef __cplusplus
extern "C" {
#endif

/** lk_reply_flags_json() - Add member @key: the flags of a sample or a status, as an array of
 * words. */
void lk_reply_flags_json(struct lk_json *json, const char *key, uint32_t flags);

/** lk_reply_status_json() - Add members "state" to "recording"; fields that the daemon did not send
 * are omitted. */
void lk_reply_status_json(struct lk_json *json, const Linkage__V1__Status *status);

/** lk_reply_inputs_json() - Add members "inputs", "claims", and "refusals" if there are any. */
void lk_reply_inputs_json(struct lk_json *json, const Linkage__V1__InputsReport *report);

/** lk_reply_channels_json() - Add members "inputs" and "outputs" with the descriptions of the
 * channels. */
void lk_reply_channels_json(struct lk_json *json, const Linkage__V1__ModelDescription *model);

/** lk_reply_policy_json() - Add members "policy", with the rows of the policy, and
 * "recover_samples". */
void lk_reply_policy_json(struct lk_json *json, const Linkage__V1__Policy *policy);

/** lk_reply_injections_json() - Add member "injections". */
void lk_reply_injections_json(struct lk_json *json, const Linkage__V1__InjectReport *report);

/** lk_reply_platform_json() - Add members "state" to "limited". */
void lk_reply_platform_json(struct lk_json *json, const Linkage__V1__Platform *platform);

#ifdef __cplusplus
}
#endif
#endif
