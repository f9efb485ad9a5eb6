/* SPDX-License-Identifier: Apache-2.0 */
/* Channels of a described model by their names. Any thread; nothing is kept. */
#ifndef TOOLS_CLIENT_CHANNELS_H
#define TOOLS_CLIENT_CHANNELS_H

#include "client.h"

/** lk_client_find_channel() - the one of @n channels with this name, or NULL. */
const Linkage__V1__ChannelDescription *
lk_client_find_channel(Linkage__V1__ChannelDescription *const *channels, size_t n,
                       const char *name);

/** lk_client_find_output() - an output of one number, or the component x of the channel tip as
 * "tip.x". Return: its place in a sample, -1: none. */
int lk_client_find_output(const Linkage__V1__ModelDescription *model, const char *name);

#endif
