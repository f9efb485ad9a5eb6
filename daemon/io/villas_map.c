/* SPDX-License-Identifier: Apache-2.0 */
#include "villas_map.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/** struct found - channel and scalars that a name denotes: @n scalars of @channel, from @first
 * on. */
struct found {
    int channel;
    int first;
    int n;
};

static int find_component(const struct lk_channel *channel, const char *component)
{
    for (int i = 0; i < channel->size; i++)
        if (*component && strcmp(channel->component[i], component) == 0)
            return i;
    return -1;
}

static bool find_position(const char *name, const struct lk_channel *channels, int n,
                          struct found *ret)
{
    size_t length = strcspn(name, ".");
    const char *component = name[length] ? name + length + 1 : NULL;

    for (int i = 0; i < n; i++) {
        if (strncmp(channels[i].name, name, length) != 0 || channels[i].name[length])
            continue;
        *ret = (struct found){i, 0, channels[i].size};
        if (component) {
            ret->first = find_component(&channels[i], component);
            ret->n = 1;
        }
        return ret->first >= 0;
    }
    return false;
}

static int refuse_unknown(const char *name, const char *kind, const struct lk_channel *channels,
                          int n, struct lk_error *error)
{
    size_t length = strcspn(name, ".");
    char list[LK_COMPONENTS_MAX * LK_NAME_SIZE] = "";

    for (int i = 0; i < n; i++)
        if (strncmp(channels[i].name, name, length) == 0 && !channels[i].name[length])
            for (int j = 0; j < channels[i].size && channels[i].size > 1; j++)
                snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%.*s",
                         j > 0 ? ", " : ": its components are ", LK_NAME_SIZE / 2,
                         channels[i].component[j]);
    lk_error_set(error, "the model has no %s '%s'%s", kind, name, list);
    return LK_E_TEXT;
}

int lkd_villas_map_outputs(const struct lkd_villas_names *names, const struct lk_channel *channels,
                           int n_channels, struct lkd_villas_map *ret_map,
                           struct lk_error *ret_error)
{
    struct found found;

    ret_map->n = ret_map->n_channels = 0;
    for (int i = 0; i < names->n; i++) {
        if (!find_position(names->name[i], channels, n_channels, &found))
            return refuse_unknown(names->name[i], "output", channels, n_channels, ret_error);
        for (int j = 0; j < found.n; j++)
            ret_map->index[ret_map->n++] = channels[found.channel].offset + found.first + j;
    }
    return 0;
}

/* Return the index of the scalars of @channel among those of the claim; append @channel to the
 * claim if it is new. */
static int place_in_claim(struct lkd_villas_map *map, const struct lk_channel *channels,
                          int channel)
{
    int offset = 0, i;

    for (i = 0; i < map->n_channels && map->channel[i] != channel; i++)
        offset += channels[map->channel[i]].size;
    map->channel[i] = channel;
    if (i == map->n_channels)
        map->n_channels++;
    return offset;
}

/* Check that exactly one position is assigned to each scalar of the claim. */
static int check_whole(const struct lkd_villas_map *map, const struct lk_channel *channels,
                       struct lk_error *error)
{
    int offset = 0;

    for (int i = 0; i < map->n_channels; i++) {
        const struct lk_channel *channel = &channels[map->channel[i]];

        for (int j = 0; j < channel->size; j++) {
            int times = 0;

            for (int k = 0; k < map->n; k++)
                times += map->index[k] == offset + j;
            if (times == 1)
                continue;
            lk_error_set(error,
                         times ? "input '%s' is mapped to two positions, expected one"
                               : "input '%s' is mapped in part, expected all its components: a "
                                 "claim is of whole channels",
                         channel->name);
            return LK_E_TEXT;
        }
        offset += channel->size;
    }
    return 0;
}

int lkd_villas_map_inputs(const struct lkd_villas_names *names, const struct lk_channel *channels,
                          int n_channels, struct lkd_villas_map *ret_map,
                          struct lk_error *ret_error)
{
    struct found found;

    ret_map->n = ret_map->n_channels = 0;
    for (int i = 0; i < names->n; i++) {
        int offset;

        if (!find_position(names->name[i], channels, n_channels, &found))
            return refuse_unknown(names->name[i], "input", channels, n_channels, ret_error);
        offset = place_in_claim(ret_map, channels, found.channel);
        for (int j = 0; j < found.n; j++)
            ret_map->index[ret_map->n++] = offset + found.first + j;
    }
    return check_whole(ret_map, channels, ret_error);
}
