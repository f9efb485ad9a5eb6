/* SPDX-License-Identifier: Apache-2.0 */
/* Messages with every field set, and with fields that this version does not know: what a later
 * version of the other end would send. */
#ifndef TESTS_FILLED_H
#define TESTS_FILLED_H

#include "wire.h"

/** filled_message() - a message of @descriptor in @arena, which is not reset: every field set, one
 * element in each list, and so on downwards; numbers 1, or 0.5, text "x". What the wire checks
 * together (offsets, a bucket and its count) fits.
 * @command: field of a oneof that is set, by its number; 0: none
 * @unknown: with fields of all wire types that the contract does not have, at every level
 * Return: NULL when the arena is full. */
ProtobufCMessage *filled_message(struct lk_wire_arena *arena,
                                 const ProtobufCMessageDescriptor *descriptor, unsigned int command,
                                 bool unknown);

#endif
