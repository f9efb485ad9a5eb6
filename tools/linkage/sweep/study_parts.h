/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of the reader of a study. Its functions return 0, LK_E_TEXT, -ENOMEM. */
#ifndef TOOLS_LINKAGE_SWEEP_STUDY_PARTS_H
#define TOOLS_LINKAGE_SWEEP_STUDY_PARTS_H

#include "study.h"

/** study_beside() - Resolve @path against the folder of the file @name.
 * Return: path on the heap, NULL: no memory. */
char *study_beside(const char *name, const char *path);

/** study_read_quantities() - Read the sections parameters, inputs, input_files, start_states.
 * @name: name of the study */
int study_read_quantities(struct lk_node root, const char *name, struct study *study,
                          struct lk_error *err);
int study_read_outputs(struct lk_node root, struct study *study, struct lk_error *err);
int study_read_checks(struct lk_node root, struct study *study, struct lk_error *err);

#endif
