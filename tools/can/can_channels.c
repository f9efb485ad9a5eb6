/* SPDX-License-Identifier: Apache-2.0 */
#include "can_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void can_channels_add(struct can_side *side, const char *name, int n, const char *const *component,
                      const char *const *unit, double low, double high, double initial)
{
    if (side->n + n > CAN_SCALARS_MAX)
        side->failed = true;
    if (side->n + n > side->room && !side->failed) {
        int room = 2 * side->room + n + 16;
        void *bigger = reallocarray(side->scalar, (size_t)room, sizeof(*side->scalar));

        side->failed = bigger == NULL;
        if (bigger != NULL) {
            side->scalar = bigger;
            side->room = room;
        }
    }
    for (int i = 0; i < n && !side->failed; i++) {
        struct can_scalar *s = &side->scalar[side->n];

        *s = (struct can_scalar){.low = low,
                                 .high = high,
                                 .initial = initial,
                                 .place = side->n++,
                                 .channel = side->n_channels,
                                 .k = i,
                                 .size = n};
        snprintf(s->name, sizeof(s->name), "%s", name);
        snprintf(s->component, sizeof(s->component), "%s", component[i]);
        snprintf(s->unit, sizeof(s->unit), "%s", unit[i]);
    }
    side->n_channels++;
}

void can_channels_fini(struct can_channels *channels)
{
    free(channels->output.scalar);
    free(channels->input.scalar);
    *channels = (struct can_channels){0};
}

void can_name(const char *text, char *ret, size_t size)
{
    snprintf(ret, size, "%s", text);
    for (char *c = ret; *c != '\0'; c++)
        if (*c == '-' || *c == '.')
            *c = '_';
}

void can_scalar_name(const struct can_scalar *scalar, char *ret, size_t size)
{
    snprintf(ret, size, "%s%s%s", scalar->name, *scalar->component != '\0' ? "." : "",
             scalar->component);
}
