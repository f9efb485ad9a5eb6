/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of linkage-laboratory. */
#include "laboratory.h"

#include "commands.h"

#include <stddef.h>

const struct command commands[] = {
    {"run", command_run},
    {"compare", command_compare},
    {"methods", command_methods},
    {NULL, NULL},
};
