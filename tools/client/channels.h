/* SPDX-License-Identifier: Apache-2.0 */
/* Lookup of channels of a described model by name. Thread: any. */
#ifndef TOOLS_CLIENT_CHANNELS_H
#define TOOLS_CLIENT_CHANNELS_H

#include "client.h"

/** lk_client_find_channel() - Return the channel with this name among @n channels, or NULL. */
const Linkage__V1__ChannelDescription *
lk_client_find_channel(Linkage__V1__ChannelDescription *const *channels, size_t n,
                       const char *name);

/** lk_client_find_output() - Find a scalar output, or a component such as "tip.x" of the channel
 * tip.
 * Return: index in a sample, -1: none. */
int lk_client_find_output(const Linkage__V1__ModelDescription *model, const char *name);

#endif
