/* SPDX-License-Identifier: Apache-2.0 */
/* A unit coupled to a daemon: declarations for lockstep and real time. Outputs of the rig are set
 * as variables of the unit; the unit steps; variables of the unit are sent as inputs of the rig. */
#ifndef TOOLS_FMU_BENCH_PLAY_H
#define TOOLS_FMU_BENCH_PLAY_H

#include "bench_unit.h"
#include "client.h"
#include <stdatomic.h>
#include <stdint.h>

#define PLAY_MAPS_MAX 64

/** struct play_map - assignment of a channel to a variable.
 * @to_unit: true for rig:CHANNEL=VARIABLE, false for unit:VARIABLE=CHANNEL; @place: index of the
 *           channel in a sample of outputs, or in the values sent */
struct play_map {
    bool to_unit;
    char channel[LK_WIRE_NAME_MAX + 1];
    char name[UNIT_NAME_SIZE];
    const struct unit_variable *variable;
    int place;
};

/** struct play - coupling of a unit to a daemon. @endpoint: endpoints of control, inputs and
 * outputs
 * @inputs:  names of the @n_inputs claimed inputs;  @values: their values
 * @beat:    shared with the supervising process: counts begin and end of calls of the unit, so it
 *           is odd during a call
 * @steps:   number of steps in lockstep, 0: until the daemon ends;  @seconds: duration in real time
 * @done:    steps of the unit;  @delay_median, @delay_max: in real time, delay from a sample to the
 *           first sample in which the values computed from it act [s] */
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
/** play_answer() - Set the outputs @outputs (NULL: none yet) in the unit, step the unit @n times,
 * and read the values of the inputs. Return: 0; 1: do not send the values. */
int play_answer(struct play *play, const double *outputs, double n, struct lk_error *error);

/** play_lockstep(), play_realtime() - Run the loop in lockstep or in real time. Return: 0, 1. */
int play_lockstep(struct play *play, struct lk_error *error);
int play_realtime(struct play *play, struct lk_error *error);
/** play_is_over() - Return true if a signal has requested the end. */
bool play_is_over(void);

#endif
