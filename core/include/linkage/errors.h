/* SPDX-License-Identifier: Apache-2.0 */
/* Reading functions that return all errors of a text, not just the first. */
#ifndef LINKAGE_ERRORS_H
#define LINKAGE_ERRORS_H

#include "linkage/error.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_ERRORS_MAX 20 /* largest number of errors of one text; a reader stops there */

struct lk_model;

/** struct lk_errors - the errors of a text, in the order of the text.
 * @n:    number of lines, at most LK_ERRORS_MAX
 * @line: one line for each error; errors caused by another error are omitted */
struct lk_errors {
    int n;
    struct lk_error line[LK_ERRORS_MAX];
};

/** lk_model_read_file_all(), lk_model_read_text_all() - read a model as lk_model_read_file() and
 * lk_model_read_text() do, but return all errors instead of the first one only. A text that is not
 * YAML has only one error, at the position where the parser stops.
 * Thread: any but the cycle.  RT: no.
 * Return: 0 (no line is written), LK_E_TEXT (at least one line), -ENOMEM. */
int lk_model_read_file_all(const char *path, struct lk_model **ret_model,
                           struct lk_errors *ret_errors);
int lk_model_read_text_all(const char *name, const char *text, size_t size,
                           struct lk_model **ret_model, struct lk_errors *ret_errors);

/** lk_model_read_text_in() - read a model as lk_model_read_text_all() does, and read the
 * files that the model names (of roads) from @folder and below. If @folder is NULL, a model that
 * names a file is refused, as in the other functions for texts. The functions for files use the
 * folder of the model. */
int lk_model_read_text_in(const char *folder, const char *name, const char *text, size_t size,
                          struct lk_model **ret_model, struct lk_errors *ret_errors);

#ifdef __cplusplus
}
#endif
#endif
