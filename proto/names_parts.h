/* SPDX-License-Identifier: Apache-2.0 */
/* Function used by all functions of names.h. It is declared here, because names.h is installed and
 * this header is not. */
#ifndef LK_NAMES_PARTS_H
#define LK_NAMES_PARTS_H

#include "names.h"

/** lk_names_word() - Return the word for @value of the enumeration @of in linkage.proto. The word
 * is derived from the name of the value, without its prefix. */
const char *lk_names_word(const ProtobufCEnumDescriptor *of, int value);

#endif
