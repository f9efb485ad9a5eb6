/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of linkage-laboratory. */
#include "laboratory.h"

#include "check/check.h"
#include "commands.h"

#include <stddef.h>

const struct command commands[] = {
    {"run", command_run},         {"check", command_check}, {"compare", command_compare},
    {"methods", command_methods}, {"modes", command_modes}, {NULL, NULL},
};

int find_rank(struct findings *f)
{
    int result = lk_mobility_init(f->system, &f->mobility);

    f->has_mobility = result == 0;
    if (result < 0)
        return result;
    result = lk_pose_check_init(f->system, &f->pose);
    f->has_pose = result == 0;
    return result < 0 ? result : 0;
}

void release_rank(struct findings *f)
{
    lk_mobility_fini(&f->mobility);
    lk_pose_check_fini(&f->pose);
}
