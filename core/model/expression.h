/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic expressions, where a number of a model stands: "=track/2 - 0.05".
 *
 *     sum     = term {(+|-) term}
 *     term    = factor {(*|/) factor}
 *     factor  = (+|-) factor | power
 *     power   = value [^ factor]
 *     value   = number | name | name.x | name.y | name.z | function(sum {, sum}) | (sum)
 *
 * The usual precedence: -a^2 is -(a^2), a^b^c is a^(b^c). Names are of letters, digits and
 * underscores, and do not begin with a digit; points of parts have dots as well (front.hub.x); pi is known. Functions: sqrt, sin, cos, tan, asin,
 * acos, atan, atan2, abs, min, max, hypot. Angles in radians.
 *
 * The texts come from files and sockets: no function is recursive, all memory is bounded. */
#ifndef LK_MODEL_EXPRESSION_H
#define LK_MODEL_EXPRESSION_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

#define LK_EXPRESSION_MAX   512 /* bytes of an expression */
#define LK_EXPRESSION_DEPTH 64  /* open brackets, operators and values at a time */

/** struct lk_expression_names - values of names.
 * @find: write the value of @name, with the component ".x" of a point if it has one. Return: 0, or
 *        an error number of the caller, which lk_expression() returns */
struct lk_expression_names {
    int (*find)(void *data, const char *name, size_t size, double *ret);
    void *data;
};

/** lk_expression() - evaluate the expression @text, without the "=" before it.
 * @ret_why: static text with what is wrong, NULL if find() failed;  @ret_at: where [bytes]
 * Return: 0; LK_E_TEXT: @ret_why, or the error number of find(). */
int lk_expression(const char *text, locale_t c_locale, const struct lk_expression_names *names,
                  double *ret, const char **ret_why, size_t *ret_at);

#endif
