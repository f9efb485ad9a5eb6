/* SPDX-License-Identifier: Apache-2.0 */
/* Function on which those of names.h are based, for the source files of this folder. It is separate
 * because names.h is installed. */
#ifndef LK_NAMES_PARTS_H
#define LK_NAMES_PARTS_H

#include "names.h"

/** lk_names_word() - Return the word for @value of enumeration @of of linkage.proto: the name of
 * the value without its prefix. All words of names.h are derived in this way. */
const char *lk_names_word(const ProtobufCEnumDescriptor *of, int value);

#endif
