/* SPDX-License-Identifier: Apache-2.0 */
/* Writes fields of a message as members of a JSON object, according to the descriptors of
 * linkage.proto. */
#ifndef LK_FIELDS_JSON_H
#define LK_FIELDS_JSON_H

#include "linkage.pb-c.h"
#include "linkage/json.h"

#ifdef __cplusplus
extern "C" {
#endif

/** lk_fields_json() - Add fields of @message to an open object. The type of a field determines the
 * form of its value: an enumeration is a word of names.h, a repeated field an array. A field that
 * the message does not have becomes null.
 * @list: the fields in the order of their members, separated by spaces. Forms of an item:
 * - "name": the key is the name of the field
 * - "name>key": the key is "key"
 * - "name?": a negative number becomes null, an unspecified enumeration an empty text
 * - "name(list)": a message, written as an object with the fields of that list; omitted if the
 *   message is absent
 * Thread: any but the cycle. */
void lk_fields_json(struct lk_json *json, const ProtobufCMessage *message, const char *list);

#ifdef __cplusplus
}
#endif
#endif
