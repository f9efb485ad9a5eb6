/* SPDX-License-Identifier: Apache-2.0 */
/* Mapping of values in a message without names, identified by their position, to the channels of a
 * model.
 *
 * A name is CHANNEL, with one position for each of its scalars, or CHANNEL.COMPONENT, with one
 * position. (Names of channels have no dots.) */
#ifndef LKD_IO_VILLAS_MAP_H
#define LKD_IO_VILLAS_MAP_H

#include "linkage/error.h"
#include "linkage/linkage.h"

#define LKD_VILLAS_NAMES_MAX 256
#define LKD_VILLAS_NAME_SIZE (2 * LK_NAME_SIZE)
#define LKD_VILLAS_SCALARS   (LKD_VILLAS_NAMES_MAX * LK_COMPONENTS_MAX)

/** struct lkd_villas_names - @n configured names in the order of positions. */
struct lkd_villas_names {
    int n;
    char name[LKD_VILLAS_NAMES_MAX][LKD_VILLAS_NAME_SIZE];
};

/** struct lkd_villas_map - resolved names.
 * @n:     number of positions
 * @index: scalar of each position: for outputs its index in channel order, for inputs its index in
 *         the values of the claim
 * @n_channels, @channel: indices of the claimed channels in the order of the claim; inputs only */
struct lkd_villas_map {
    int n;
    int index[LKD_VILLAS_SCALARS];
    int n_channels;
    int channel[LKD_VILLAS_NAMES_MAX];
};

/** lkd_villas_map_outputs() - Map outputs.
 * @channels: @n_channels channels of the model
 * Return: 0, LK_E_TEXT (a name is unknown; @ret_error names it, the map is undefined). */
int lkd_villas_map_outputs(const struct lkd_villas_names *names, const struct lk_channel *channels,
                           int n_channels, struct lkd_villas_map *ret_map,
                           struct lk_error *ret_error);

/** lkd_villas_map_inputs() - Map inputs. Refuse a scalar that is mapped twice, and a channel that
 * is mapped incompletely, because a claim covers whole channels. */
int lkd_villas_map_inputs(const struct lkd_villas_names *names, const struct lk_channel *channels,
                          int n_channels, struct lkd_villas_map *ret_map,
                          struct lk_error *ret_error);

#endif
