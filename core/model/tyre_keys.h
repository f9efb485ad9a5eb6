/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the Magic Formula by their names, for .tir files and for models alike. */
#ifndef LK_MODEL_TYRE_KEYS_H
#define LK_MODEL_TYRE_KEYS_H

#include "linkage/error.h"
#include "tyre/tyre.h"
#include <stddef.h>

/** struct lk_tyre_key - a parameter: where it lies in struct lk_tyre_magic; @fallback: what holds
 * where it is not given, NAN: it must be. */
struct lk_tyre_key {
    const char *name;
    size_t offset;
    double fallback;
};

/** lk_tyre_keys - all parameters, ended by a name that is NULL. */
extern const struct lk_tyre_key lk_tyre_keys[];

/** lk_tyre_key_find() - by name, or NULL. */
const struct lk_tyre_key *lk_tyre_key_find(const char *name);

/** lk_tyre_key_value() - the parameter @key of @magic. */
double *lk_tyre_key_value(struct lk_tyre_magic *magic, const struct lk_tyre_key *key);

/** lk_tyre_keys_begin() - all parameters as if none were given. */
void lk_tyre_keys_begin(struct lk_tyre_magic *magic);

/** lk_tyre_keys_end() - after all that is given is set: the pressure where the tyre runs, and
 * whether what must be there is there and makes sense.
 * @ret_error: without a place: "the keys A, B are missing, ...", "A is 0, expected more"
 * Return: 0, LK_E_TEXT. */
int lk_tyre_keys_end(struct lk_tyre_magic *magic, struct lk_error *ret_error);

#endif
