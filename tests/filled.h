/* SPDX-License-Identifier: Apache-2.0 */
/* Messages with every field set, and with fields that this version does not define. A later version
 * of a peer may send such messages. */
#ifndef TESTS_FILLED_H
#define TESTS_FILLED_H

#include "wire.h"

/** filled_message() - Make a message of @descriptor in @arena, which is not reset. Every field is
 * set and each list has one element, at all levels. Numbers are 1 or 0.5, and text is "x". Fields
 * that the wire code checks together (offsets, a bucket and its count) are consistent.
 * @command: number of the field of a oneof that is set, 0 for none
 * @unknown: add fields of all wire types that the contract does not define, at every level
 * Return: NULL if the arena is full */
ProtobufCMessage *filled_message(struct lk_wire_arena *arena,
                                 const ProtobufCMessageDescriptor *descriptor, unsigned int command,
                                 bool unknown);

#endif
