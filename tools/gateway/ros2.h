/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs and outputs as messages of ROS 2, for viewers that read no other format (PlotJuggler). The
 * type is a text in the format of .msg files. The values are encoded as CDR (OMG, Common Data
 * Representation): a header of four bytes, then little-endian values, each aligned to its size.
 *
 * Fields have the same names as in protobuf. ROS 2 does not permit names that begin with an
 * underscore; they get the prefix n.
 * Thread: any. */
#ifndef TOOLS_GATEWAY_ROS2_H
#define TOOLS_GATEWAY_ROS2_H

#include "mcap/schema.h"

/** ros2_name() - Write the type name, such as "four_bar/msg/Outputs".
 * @ret: room for the name of @type and five more bytes */
void ros2_name(const struct lk_mcap_type *type, char *ret, size_t size);
/** ros2_schema() - Append the definition of @type, without a terminating zero. */
void ros2_schema(struct lk_mcap_buffer *text, const struct lk_mcap_type *type);

/** ros2_size() - Return the size of a message [bytes].
 * ros2_fill() - Encode a message.
 * @values: the @type->n_values values
 * @to:     room for ros2_size() bytes */
size_t ros2_size(const struct lk_mcap_type *type);
void ros2_fill(const struct lk_mcap_type *type, const double *values, unsigned char *to);

#endif
