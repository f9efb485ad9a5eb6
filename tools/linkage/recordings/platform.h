/* SPDX-License-Identifier: Apache-2.0 */
/* Replay of the motion platform in a recording, step by step. */
#ifndef TOOLS_LINKAGE_PLATFORM_H
#define TOOLS_LINKAGE_PLATFORM_H

#include "cueing/ride_numbers.h"
#include "mcap/schema.h"
#include "recorded.h"

/** struct platform_replay - state of the replay.
 * @present:   the recording has a platform
 * @begun:     @ride contains the state after the last step
 * @whole:     recorded state for the next step, valid if @has_whole
 * @number:    number of the last step
 * @n_steps:   number of steps compared
 * @n_missing: number of steps not recorded
 * @differs:   a step differed and was reported */
struct platform_replay {
    bool present;
    bool begun;
    bool has_whole;
    bool differs;
    struct lk_mcap_type step_type;
    struct lk_mcap_type whole_type;
    struct lk_ride ride;
    double whole[LK_RIDE_WHOLE_NUMBERS];
    uint32_t number;
    uint64_t n_steps;
    uint64_t n_missing;
};

/** platform_prepare() - Prepare the replay of a platform.
 * Return: false after an error message: the recording is of another version. */
bool platform_prepare(struct platform_replay *p, struct recorded *file);
void platform_fini(struct platform_replay *p);

/** platform_take() - Process a message of /platform or /platform_state; other messages are
 * ignored. */
void platform_take(struct platform_replay *p, const char *topic, const struct lk_mcap_item *item);

/** platform_say() - Print the result. */
void platform_say(const struct platform_replay *p);

#endif
