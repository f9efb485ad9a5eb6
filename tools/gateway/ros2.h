/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs and outputs as messages of ROS 2, for viewers that read no others (PlotJuggler): type as
 * text of .msg files, all of a message in one, values as CDR (OMG, Common Data Representation,
 * little-endian, each on a multiple of its size behind a head of four bytes).
 *
 * Fields have the names that they have in protobuf; one that begins with an underscore, which is no
 * name there, gets an n in front of it. Thread: any. */
#ifndef TOOLS_GATEWAY_ROS2_H
#define TOOLS_GATEWAY_ROS2_H

#include "mcap/schema.h"

/** ros2_name() - "four_bar/msg/Outputs". @ret: the name of @type and five bytes more */
void ros2_name(const struct lk_mcap_type *type, char *ret, size_t size);
/** ros2_schema() - append the definition of @type, without a zero. */
void ros2_schema(struct lk_mcap_buffer *text, const struct lk_mcap_type *type);

/** ros2_size() - of a message.  ros2_fill() - encode. @values: @type->n_values;  @to: as large */
size_t ros2_size(const struct lk_mcap_type *type);
void ros2_fill(const struct lk_mcap_type *type, const double *values, unsigned char *to);

#endif
