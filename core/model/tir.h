/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tyre property files (.tir): parameters of the Magic Formula 5.2 and 6.1, in the form that
 * TNO, Adams and Chrono write.
 *
 * A file has lines `KEY = value $ comment` in sections in brackets. Its section UNITS names the
 * units of the numbers; the result is in SI. Offline only. */
#ifndef LK_MODEL_TIR_H
#define LK_MODEL_TIR_H

#include "linkage/errors.h"
#include "tyre/tyre.h"
#include <stdbool.h>

#define LK_TIR_SIZE_MAX (1u << 20)

/** struct lk_tir - content of a file.
 * @kind:     LK_TYRE_MF52 or LK_TYRE_MF61;  @magic: its parameters
 * @is_right: the parameters were measured as the tyre of a right wheel
 * @is_turned: the sign of PTX3 was reversed: in files of Adams the relaxation length grows with
 *            exp(+PTX3 dfz)
 * @n_unused: number of keys with numbers that have no effect here;  @unused: the first of these
 *            keys */
struct lk_tir {
    enum lk_tyre_law_kind kind;
    struct lk_tyre_magic magic;
    bool is_right;
    bool is_turned;
    int n_unused;
    char unused[256];
};

/** lk_tir_read() - read a text.
 * @name: name of the text in messages;  @text: @size bytes, need not be terminated
 * @ret_errors: one line for each error, "name:line: what is wrong, what was expected"
 * Return: 0, LK_E_TEXT, -ENOMEM. */
int lk_tir_read(const char *name, const char *text, size_t size, struct lk_tir *ret,
                struct lk_errors *ret_errors);

#endif
