/* SPDX-License-Identifier: Apache-2.0 */
#include "channels.h"

#include <stdio.h>
#include <string.h>

const Linkage__V1__ChannelDescription *
lk_client_find_channel(Linkage__V1__ChannelDescription *const *channels, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(channels[i]->name, name) == 0)
            return channels[i];
    return NULL;
}

int lk_client_find_output(const Linkage__V1__ModelDescription *model, const char *name)
{
    const Linkage__V1__ChannelDescription *c =
        lk_client_find_channel(model->outputs, model->n_outputs, name);
    const char *dot = strrchr(name, '.');
    char channel[LK_WIRE_NAME_MAX + 1];

    if (c != NULL)
        return c->n_components == 1 ? (int)c->offset : -1;
    if (dot == NULL)
        return -1;
    snprintf(channel, sizeof(channel), "%.*s", (int)(dot - name), name);
    c = lk_client_find_channel(model->outputs, model->n_outputs, channel);
    for (size_t i = 0; c != NULL && i < c->n_components; i++)
        if (strcmp(c->components[i], dot + 1) == 0)
            return (int)(c->offset + i);
    return -1;
}
