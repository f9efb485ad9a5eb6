/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of channel names to unique protobuf field names: letters, digits and underscores.
 *
 * Names that differ only in case and underscores count as equal: their JSON names would collide,
 * and some readers refuse such a message type. The later name gets a number. */
#ifndef LK_MCAP_IDENTIFIERS_H
#define LK_MCAP_IDENTIFIERS_H

#include <stddef.h>

#define LK_IDENTIFIER_SIZE 80 /* bytes of a name with a number and its terminating zero */

/** struct lk_identifiers - a scope: the names that are already used. */
struct lk_identifiers {
    char (*taken)[LK_IDENTIFIER_SIZE];
    size_t n_slots;
};

/** lk_identifiers_init() - Allocate a scope for at most @n names. Return: 0, -ENOMEM. */
int lk_identifiers_init(struct lk_identifiers *identifiers, size_t n);
void lk_identifiers_fini(struct lk_identifiers *identifiers);

/** lk_identifier() - Convert @name to an identifier: every character that is not allowed becomes an
 * underscore, and the first character is no digit. @ret: LK_IDENTIFIER_SIZE bytes */
void lk_identifier(const char *name, char *ret);

/** lk_identifiers_add() - Convert a name like lk_identifier(), make it unique in the scope, and add
 * it to the scope. */
void lk_identifiers_add(struct lk_identifiers *identifiers, const char *name, char *ret);

#endif
