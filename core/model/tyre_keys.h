/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the Magic Formula by their names, for .tir files and for models alike. */
#ifndef LK_MODEL_TYRE_KEYS_H
#define LK_MODEL_TYRE_KEYS_H

#include "linkage/error.h"
#include "tyre/tyre.h"
#include <stddef.h>

/** struct lk_tyre_key - a parameter. @offset: in struct lk_tyre_magic;  @fallback: default value;
 * NAN: the parameter is required. */
struct lk_tyre_key {
    const char *name;
    size_t offset;
    double fallback;
};

/** lk_tyre_keys - all parameters; the last entry has the name NULL. */
extern const struct lk_tyre_key lk_tyre_keys[];

/** lk_tyre_key_find() - find a parameter by name. Return: NULL for none. */
const struct lk_tyre_key *lk_tyre_key_find(const char *name);

/** lk_tyre_key_value() - return a pointer to the parameter @key of @magic. */
double *lk_tyre_key_value(struct lk_tyre_magic *magic, const struct lk_tyre_key *key);

/** lk_tyre_keys_begin() - set all parameters to their defaults. */
void lk_tyre_keys_begin(struct lk_tyre_magic *magic);

/** lk_tyre_keys_end() - complete the parameters when all given parameters are set: normalise signs,
 * set the operating pressure, and check that required parameters are given and plausible.
 * @ret_error: message without a position: "the keys A, B are missing, ...", "A is 0, expected more"
 * Return: 0, LK_E_TEXT. */
int lk_tyre_keys_end(struct lk_tyre_magic *magic, struct lk_error *ret_error);

#endif
