/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of parameters: how they change a document before a model is read from it.
 *
 * A tunable parameter becomes an input of type signal, and the numbers at its paths become
 * {input: NAME}, as if the file contained this form. So parameters and inputs use the same code. */
#ifndef LK_MODEL_PARAMETERS_H
#define LK_MODEL_PARAMETERS_H

#include "document_tree.h"
#include "linkage/parameters.h"

/** struct lk_parameters - the section `parameters`; @list[i].acts is on the heap. */
struct lk_parameters {
    struct lk_parameter *list;
    int n;
};

/** lk_parameters_apply() - write @settings and the values of the section into @document.
 * Return: 0, LK_E_TEXT, -ENOMEM; release @ret in any case. */
int lk_parameters_apply(struct lk_document *document, const struct lk_setting *settings, int n,
                        struct lk_parameters *ret, struct lk_error *err);
void lk_parameters_fini(struct lk_parameters *parameters);

/** lk_parameter_acts_at() - return whether @path is one of the paths of @p. @ret_alone: whether
 * it is the only path */
bool lk_parameter_acts_at(const struct lk_parameter *p, const char *path, bool *ret_alone);

/** lk_is_path() - return whether @text has the form of a path, or of a name. */
bool lk_is_path(const char *text);

/** lk_decimal_text() - write the shortest text that is read back as the same bits, in any locale.
 */
void lk_decimal_text(double value, locale_t c_locale, char ret[32]);

/* ---- units.c ---- */

/** lk_path_unit() - return the unit of the number at @path of a model, "" for none, "?": unknown.
 */
const char *lk_path_unit(struct lk_node root, const char *path);
/** lk_path_may_be_tuned() - return whether {input: NAME} is allowed at @path. */
bool lk_path_may_be_tuned(struct lk_node root, const char *path);

/** lk_expressions_apply() - check the section `points`, and replace each expression "=..." of
 * @document by its value with @parameters, whose values lk_parameters_apply() has found. Return: 0,
 * LK_E_TEXT, -ENOMEM. */
int lk_expressions_apply(struct lk_document *document, const struct lk_parameters *parameters,
                         struct lk_error *err);

#endif
