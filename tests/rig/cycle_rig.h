/* SPDX-License-Identifier: Apache-2.0 */
/* Make a cycle for a model file, without running it. Any failure ends the test. */
#ifndef TESTS_RIG_CYCLE_RIG_H
#define TESTS_RIG_CYCLE_RIG_H

#include "cycle.h"

/** rig_cycle_new() - Make a cycle. @path: path of the model; @step_s: step [s], 0: that of the
 * model @ret_system: the system that the cycle steps
 * Return: the cycle; rig_cycle_free() frees both. */
struct lkd_cycle *rig_cycle_new(const char *path, double step_s,
                                const struct lkd_settings *settings, struct lk_system **ret_system);
void rig_cycle_free(struct lkd_cycle *cycle, struct lk_system *system);

#endif
