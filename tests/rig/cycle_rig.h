/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle of a model in a file, on which nothing runs yet. What fails ends the test. */
#ifndef TESTS_RIG_CYCLE_RIG_H
#define TESTS_RIG_CYCLE_RIG_H

#include "cycle.h"

/** rig_cycle_new() - @path: of the model;  @step_s: 0: as it says
 * @ret_system: what the cycle steps
 * Return: the cycle; rig_cycle_free() frees both. */
struct lkd_cycle *rig_cycle_new(const char *path, double step_s,
                                const struct lkd_settings *settings, struct lk_system **ret_system);
void rig_cycle_free(struct lkd_cycle *cycle, struct lk_system *system);

#endif
