/* SPDX-License-Identifier: Apache-2.0 */
/* The motion of a recording, step by step, for pictures. */
#ifndef TOOLS_LINKAGE_REPLAYED_H
#define TOOLS_LINKAGE_REPLAYED_H

#include "linkage/linkage.h"

#include <stdbool.h>

/** struct replay_watch - receiver of the motion of a recording.
 * @begin: called before the first step; the model is freed after the call. Return: false after an
 *         error message
 * @step:  called after each step */
struct replay_watch {
    bool (*begin)(void *context, const struct lk_model *model, const struct lk_system *system);
    void (*step)(void *context, const struct lk_system *system);
    void *context;
};

/** replay_motion() - Replay a recording and pass its motion to @watch. Steps that differ from the
 * recording are counted and reported; they do not end the replay.
 * @roads: folder of road files, NULL: folder of the recording
 * Return: EXIT_DONE; EXIT_REFUSED after an error message. Then @watch has the steps before. */
int replay_motion(const char *path, const char *roads, const struct replay_watch *watch);

#endif
