/* SPDX-License-Identifier: Apache-2.0 */
/* The platform of a recording, step by step again. */
#ifndef TOOLS_LINKAGE_PLATFORM_H
#define TOOLS_LINKAGE_PLATFORM_H

#include "cueing/ride_numbers.h"
#include "mcap/schema.h"
#include "recorded.h"

/** struct platform_replay - @present: the recording has one;  @begun: @ride is that of the last
 * step
 * @whole: as recorded, after the step that comes next; @has_whole
 * @number: of the last step;  @n_steps: compared;  @n_missing: not recorded
 * @differs: a step came out otherwise, and was said */
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

/** platform_prepare() - Return: false after an error message: it is of another version. */
bool platform_prepare(struct platform_replay *p, struct recorded *file);
void platform_fini(struct platform_replay *p);

/** platform_take() - a message of /platform or /platform_state; others are ignored. */
void platform_take(struct platform_replay *p, const char *topic, const struct lk_mcap_item *item);

/** platform_say() - print what came of it. */
void platform_say(const struct platform_replay *p);

#endif
