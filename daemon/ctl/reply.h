/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of the daemon's state to messages. All data that a message points to is in the arena
 * or in the rig. The message is valid until the arena or the rig changes. Control thread only. */
#ifndef LKD_CTL_REPLY_H
#define LKD_CTL_REPLY_H

#include "rig.h"

/** lkd_reply_status() - Fill a Status message. @with_histograms: include the buckets of the
 * histograms
 * Return: 0, -ENOMEM (the arena is full). */
int lkd_reply_status(struct lkd_rig *rig, bool with_histograms, struct lk_wire_arena *arena,
                     Linkage__V1__Status *ret_status);

/** lkd_reply_durations() - Create a Durations message of @histogram in the arena. */
int lkd_reply_durations(const struct lkd_histogram *histogram, bool with_buckets,
                        struct lk_wire_arena *arena, Linkage__V1__Durations **ret_durations);

/** lkd_reply_proof() - Create a Proof message in the arena with the progress of the proof or its
 * verdict. */
int lkd_reply_proof(const struct lkd_rig *rig, struct lk_wire_arena *arena,
                    Linkage__V1__Proof **ret_proof);

/** lkd_reply_evidence() - Fill an Evidence message. @request: requested sections, see linkage.proto
 * Return: 0, -ENOMEM. */
int lkd_reply_evidence(struct lkd_rig *rig, const Linkage__V1__EvidenceRequest *request,
                       struct lk_wire_arena *arena, Linkage__V1__Evidence *ret_evidence);

/** lkd_reply_description() - Fill a ModelDescription message. A model must be loaded.
 * Return: 0, -ENOMEM. */
int lkd_reply_description(const struct lkd_rig *rig, struct lk_wire_arena *arena,
                          Linkage__V1__ModelDescription *ret_description);

/** lkd_reply_channel() - Describe a channel.
 * @guarded: guard of an input, which contains the fail-safe value of the input; NULL for an output
 * @ret:     its strings are valid as long as the model
 * Return: 0, -ENOMEM. */
int lkd_reply_channel(const struct lk_channel *channel, const struct lkd_guarded *guarded,
                      struct lk_wire_arena *arena, Linkage__V1__ChannelDescription *ret);

#endif
