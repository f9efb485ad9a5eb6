/* SPDX-License-Identifier: Apache-2.0 */
/* A fork of a run: a system of the same model that goes on from copies of its state, faster than
 * real time. Thread: any, one at a time.  RT: no. */
#ifndef TOOLS_AHEAD_AHEAD_H
#define TOOLS_AHEAD_AHEAD_H

#include "linkage.pb-c.h"
#include "linkage/linkage.h"

#include <stdbool.h>

/** struct ahead - a fork. @channels: its @n_channels inputs;  @acting: the @n values that acted in
 * the last step of the run, @slope: their rates of change;  @inputs: of a step
 * @time_s: of the copy;  @known: a copy has been taken */
struct ahead {
    struct lk_system *system;
    const struct lk_channel *channels;
    int n_channels;
    int n;
    double *acting;
    double *slope;
    double *inputs;
    double time_s;
    bool known;
};

/** ahead_new() - Compile the model of a run.
 * @roads: folder of the files of its roads, or NULL
 * Return: 0; otherwise @ret_error has the reason. */
int ahead_new(const Linkage__V1__ModelText *text, const char *roads, struct ahead *ret,
              struct lk_error *ret_error);
void ahead_free(struct ahead *ahead);

/** ahead_take() - Go on from a copy of the run. The inputs have the rates of change between this
 * copy and the one before it, 0 if that is more than AHEAD_SLOPE_S ago or later than this one.
 * Return: 0; otherwise @ret_error has the reason. */
int ahead_take(struct ahead *ahead, const Linkage__V1__StateCopy *copy, struct lk_error *ret_error);

#define AHEAD_SLOPE_S 0.2

/** ahead_run() - Do @steps steps. Inputs go on by their rates of change, within their limits, or
 * with
 * @holds as they are. Return: 0, or the result of lk_system_step(). */
int ahead_run(struct ahead *ahead, int steps, bool holds);

#endif
