/* SPDX-License-Identifier: Apache-2.0 */
/* --set CHANNEL=VALUE[,VALUE...]: constant inputs of an offline run. */
#include "commands.h"
#include "linkage/nearest.h"

#include <stdio.h>
#include <string.h>

static const struct lk_channel *find_input(const struct lk_system *system, const char *name,
                                           size_t size)
{
    int n;
    const struct lk_channel *channels = lk_system_input_channels(system, &n);

    for (int i = 0; i < n; i++) {
        if (strlen(channels[i].name) == size && memcmp(channels[i].name, name, size) == 0)
            return &channels[i];
    }
    return NULL;
}

static bool within_limits(const char *set, const struct lk_channel *channel, double value)
{
    if (channel->low <= value && value <= channel->high)
        return true;
    complain("--set %s: the model limits %s to %g to %g %s", set, channel->name, channel->low,
             channel->high, channel->unit[0]);
    return false;
}

static bool set_one(const struct lk_system *system, const char *set, double *inputs)
{
    size_t size = strcspn(set, "=");
    const struct lk_channel *channel = find_input(system, set, size);
    const char *text = set + size;

    if (*text == '\0') {
        complain("--set %s: expected CHANNEL=VALUE[,VALUE...]", set);
        return false;
    }
    if (channel == NULL) {
        const struct lk_channel *channels;
        char name[LK_NAME_SIZE], meant[LK_MEANT_SIZE];
        int n;

        channels = lk_system_input_channels(system, &n);
        snprintf(name, sizeof(name), "%.*s", (int)(size < sizeof(name) ? size : sizeof(name) - 1),
                 set);
        complain("--set %s: the model has no such input%s", set,
                 lk_meant(name, (const char *)channels, sizeof(*channels), n, meant));
        return false;
    }
    for (int i = 0; i < channel->size; i++) {
        text += *text != '\0';
        if (!take_value(&text, &inputs[channel->offset + i]))
            break;
        if (!within_limits(set, channel, inputs[channel->offset + i]))
            return false;
        if (i == channel->size - 1 && *text == '\0')
            return true;
    }
    complain("--set %s: expected %d finite number%s", set, channel->size,
             channel->size == 1 ? "" : "s, separated by commas");
    return false;
}

bool set_inputs(const struct lk_system *system, const char *const *sets, int n_sets, double *inputs)
{
    const struct lk_channel *channels;
    int n;

    channels = lk_system_input_channels(system, &n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < channels[i].size; j++)
            inputs[channels[i].offset + j] = channels[i].initial;
    }
    for (int i = 0; i < n_sets; i++) {
        if (!set_one(system, sets[i], inputs))
            return false;
    }
    return true;
}
