/* SPDX-License-Identifier: Apache-2.0 */
/* linkage check: its findings, and functions that print them. */
#ifndef TOOLS_LINKAGE_CHECK_H
#define TOOLS_LINKAGE_CHECK_H

#include "linkage/analysis.h"
#include "linkage/drives.h"
#include "linkage/findings.h"
#include "linkage/json.h"
#include "linkage/linkage.h"
#include "linkage/pace.h"
#include "linkage/treatment.h"
#include <stdbool.h>

/** struct findings - all data that is printed, as text or JSON.
 * @treatment: treatment of the elements of @system
 * @rates: the @n_rates rates of the options, for @pace
 * @has_mobility, @has_pose: mobility and pose were computed; false if the loops were too large */
struct findings {
    const char *path;
    const struct lk_model *model;
    const struct lk_system *system;
    struct lk_summary summary;
    struct lk_mobility mobility;
    struct lk_pose_check pose;
    struct lk_findings warnings;
    struct lk_pace pace;
    struct lk_treatment treatment;
    const struct lk_pace_rate *rates;
    int n_rates;
    bool has_mobility;
    bool has_pose;
};

/** print_findings(), print_findings_json() - Print the findings as text or as JSON. */
void print_findings(const struct findings *findings);
void print_findings_json(const struct findings *findings);

/** print_pace() - Compare the fastest motions of the model with its step, and print the result as
 * text.
 * write_pace() - Write the same result as a member of the JSON object. */
void print_pace(const struct findings *findings);
void write_pace(struct lk_json *json, const struct findings *findings);

/** print_treatment() - Print the compiler's treatment of each element, as text. */
void print_treatment(const struct lk_treatment *treatment);

/** print_tree() - Print the elimination tree as text, root first.
 * print_tree_dot() - Print it in the language of Graphviz. */
void print_tree(const struct lk_system *system, const struct lk_tree_view *view);
void print_tree_dot(const struct lk_system *system, const struct lk_tree_view *view,
                    const char *name);

#endif
