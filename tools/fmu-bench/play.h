/* SPDX-License-Identifier: Apache-2.0 */
/* A unit coupled to a daemon, in lockstep or in real time. In each cycle the outputs of the rig are
 * written to variables of the unit, the unit steps, and variables of the unit are sent as inputs of
 * the rig. */
#ifndef TOOLS_FMU_BENCH_PLAY_H
#define TOOLS_FMU_BENCH_PLAY_H

#include "bench_unit.h"
#include "client.h"
#include <stdatomic.h>
#include <stdint.h>

#define PLAY_MAPS_MAX 64

/** struct play_map - assignment of a channel to a variable.
 * @to_unit:        true for rig:CHANNEL=VARIABLE, false for unit:VARIABLE=CHANNEL
 * @channel, @name: names of the channel and of the variable
 * @place:          index of the channel in an output sample, or among the inputs that are sent */
struct play_map {
    bool to_unit;
    char channel[LK_WIRE_NAME_MAX + 1];
    char name[UNIT_NAME_SIZE];
    const struct unit_variable *variable;
    int place;
};

/** struct play - coupling of a unit to a daemon.
 * @endpoint: endpoints of control, inputs and outputs
 * @inputs:   names of the @n_inputs claimed inputs
 * @values:   values of the claimed inputs
 * @beat:     counter in memory shared with the supervising process; each call increments it at its
 *            begin and its end, so that it is odd during a call
 * @steps:    number of steps in lockstep, 0: until the daemon ends
 * @seconds:  duration in real time
 * @done:     steps of the unit
 * @delay_median, @delay_max: in real time, delay from a sample to the first sample in which the
 *            values computed from it act [s] */
struct play {
    char endpoint[3][LK_CLIENT_ENDPOINT_SIZE];
    const struct lk_client_options *keys;
    struct play_map map[PLAY_MAPS_MAX];
    int n_maps;
    struct unit_instance *unit;
    const char *inputs[PLAY_MAPS_MAX];
    int n_inputs;
    double values[PLAY_MAPS_MAX];
    double h;
    _Atomic unsigned long *beat;
    bool realtime;
    uint64_t steps;
    double seconds;
    uint64_t done;
    double delay_median;
    double delay_max;
};

/** play_describe() - Find the channels of the maps in @model. Return: 0, 1 (one line). */
int play_describe(struct play *play, const Linkage__V1__ModelDescription *model,
                  struct lk_error *error);
/** play_answer() - Write the outputs @outputs to the unit (NULL: none yet), step the unit @n times,
 * and read the values of the inputs.
 * Return: 0; 1 with @error: do not send the values. */
int play_answer(struct play *play, const double *outputs, double n, struct lk_error *error);

/** play_lockstep(), play_realtime() - Run the coupling in lockstep or in real time until its end.
 * Return: 0; 1 with @error. */
int play_lockstep(struct play *play, struct lk_error *error);
int play_realtime(struct play *play, struct lk_error *error);
/** play_is_over() - Return true if a signal has requested the end. */
bool play_is_over(void);

#endif
