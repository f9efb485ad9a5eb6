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
    struct lk_parameter_state {
        bool is_known; /* its value */
        bool is_used;  /* by an expression, or for a point or part */
    } * state;
    int n;
};

struct lk_source;

enum lk_lowering { LK_LOWER_ALL, LK_LOWER_NUMBERS, LK_LOWER_FLAT };

/** lk_document_lower() - make a document of numbers and names alone: values from outside and of the
 * section `parameters` in their places, parts included, expressions as numbers.
 * @how: LK_LOWER_ALL; LK_LOWER_NUMBERS: leave the beams, of which the nodes are no numbers of the
 *       text; LK_LOWER_FLAT: leave the beams, and the parameters that act on numbers, as both are
 *       part of a flat text too
 *
 * A document with parts keeps only those parameters in its section: the others have become numbers.
 * Return: 0, LK_E_TEXT, -ENOMEM; release @ret in any case. */
int lk_document_lower(struct lk_document *document, const struct lk_source *source,
                      enum lk_lowering how, struct lk_parameters *ret, struct lk_error *err);
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

/** lk_expressions_of_points() - check the section `points`, and evaluate its expressions. Return:
 * 0, LK_E_TEXT, -ENOMEM. */
int lk_expressions_of_points(struct lk_document *document, const struct lk_parameters *parameters,
                             struct lk_error *err);
/** lk_expressions_within() - replace each expression "=..." within @node by its value. @index:
 * value of `index`, 0: there is none. Return: 0, LK_E_TEXT, -ENOMEM. */
int lk_expressions_within(struct lk_document *document, const struct lk_parameters *parameters,
                          struct lk_node node, int index, struct lk_error *err);
/** lk_expressions_apply() - evaluate the points, then all expressions of @document. Return: 0,
 * LK_E_TEXT, -ENOMEM. */
int lk_expressions_apply(struct lk_document *document, const struct lk_parameters *parameters,
                         struct lk_error *err);
/** lk_expressions_without_points() - replace the names of points by their numbers, and remove the
 * section `points`: expressions that took their numbers from a point would not follow it. Call
 * after lk_expressions_apply(). Return: 0, -ENOMEM. */
int lk_expressions_without_points(struct lk_document *document);

#endif
