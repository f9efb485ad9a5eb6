/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-link couples two daemons, in lockstep or in real time.
 *
 * A signal connects an output of one side to an input of the other side. A line is a transmission
 * line (core/step/elements/lines.c) between the two models. Each model contains the end of the line
 * as an impedance: a constant damper with the damping ratio^2 impedance. The model receives the
 * wave at its end as the input `force`, and provides the coordinate x as an output. The flow in a
 * step is q = ratio (x1 - x0) / h. The wave c + 2 impedance q is sent to the other end. */
#ifndef TOOLS_LINK_LINK_H
#define TOOLS_LINK_LINK_H

#include "client.h"
#include "lockstep.h"
#include <stdbool.h>
#include <stdint.h>

#define LINK_COUPLINGS_MAX 16
#define LINK_STEPS_MAX     1000
#define LINK_VALUES_MAX    (2 * LINK_COUPLINGS_MAX)

enum { LINK_LEFT, LINK_RIGHT, LINK_SIDES };

/** struct link_signal - a connection from an output to an input.
 * @from: side of the output @out; the other side has the input @in */
struct link_signal {
    int from;
    char out[LK_WIRE_NAME_MAX + 1];
    char in[LK_WIRE_NAME_MAX + 1];
};

/** struct link_line - a transmission line. Arrays are indexed by side.
 * @out:       name of the output with the coordinate
 * @in:        name of the input for the wave
 * @impedance: impedance of the line
 * @ratio:     ratio as in a model
 * @steps:     travel time of a wave in lockstep, at least 1 step
 * @wave:      ring buffer of sent waves
 * @last:      previous value of the coordinate, initially its value at the start
 * @arriving:  wave that acts, before multiplication by the ratio
 * @work:      work put into the line by each side [J] */
struct link_line {
    char out[LINK_SIDES][LK_WIRE_NAME_MAX + 1];
    char in[LINK_SIDES][LK_WIRE_NAME_MAX + 1];
    double impedance;
    double ratio[LINK_SIDES];
    int steps;
    double wave[LINK_SIDES][LINK_STEPS_MAX];
    double last[LINK_SIDES];
    double arriving[LINK_SIDES];
    double work[LINK_SIDES];
};

/** struct link_side - a daemon.
 * @endpoint:         endpoints of control, inputs, outputs
 * @server_key, @key: key files, NULL: none
 * @keyring:          content of the key files
 * @keys:             options in @keyring, or NULL
 * @in:               names of the @n claimed inputs: first those of signals, then those of lines
 * @offset:           index of each used output in a sample: first outputs of signals, then of lines
 * @values:           values of the inputs
 * @h:                step [s] */
struct link_side {
    char endpoint[3][LK_CLIENT_ENDPOINT_SIZE];
    const char *server_key;
    const char *key;
    struct lk_client_keyring keyring;
    const struct lk_client_options *keys;
    struct lk_client *client;
    const char *in[LINK_VALUES_MAX];
    int n;
    int offset[LINK_VALUES_MAX];
    double values[LINK_VALUES_MAX];
    struct lk_client_lockstep lockstep;
    double h;
};

/** struct link - the coupling.
 * @steps:   number of steps in lockstep, 0: until a daemon ends
 * @seconds: duration in real time [s]
 * @done:    number of steps; in real time, number of received samples
 * @delay_median_s, @delay_max_s: in real time, delay from a sample of one side to the sample of the
 *           other side in which its values act [s] */
struct link {
    struct link_side side[LINK_SIDES];
    struct link_signal signal[LINK_COUPLINGS_MAX];
    int n_signals;
    struct link_line line[LINK_COUPLINGS_MAX];
    int n_lines;
    uint64_t steps;
    double seconds;
    bool realtime;
    uint64_t done;
    double delay_median_s;
    double delay_max_s;
};

extern const char *const link_side_names[LINK_SIDES];

/** link_describe() - Find the outputs of @side in @model, and list the names of its inputs.
 * Return: 0; 1 (@error names the missing channel). */
int link_describe(struct link *link, int side, const Linkage__V1__ModelDescription *model,
                  struct lk_error *error);

/** link_begin() - Store the coordinates in the outputs @values of @side as the reference for the
 * displacements of lines. */
void link_begin(struct link *link, int side, const double *values);

/** link_waves() - Set the inputs of @side to the waves that arrive in step @step. */
void link_waves(struct link *link, int side, uint64_t step);

/** link_take() - Process the outputs of
 * @side: set the signals of the other side, and compute the outgoing waves.
 * @step: step after which the outputs were taken
 * @n:    number of steps since the previous outputs */
void link_take(struct link *link, int side, const double *values, uint64_t step, double n);

/** link_energy() - Return the energy stored in line @i [J]. */
double link_energy(const struct link *link, int i);

/** link_realtime() - Run the coupling in real time until its end.
 * Return: an exit status. */
int link_realtime(struct link *link, struct lk_error *error);

/** link_lockstep() - Run the coupling in lockstep until its end, as the master of both daemons.
 * Return: an exit status. */
int link_lockstep(struct link *link, struct lk_error *error);

/** link_stop_asked() - Return true if a signal has requested the end. */
bool link_stop_asked(void);

#endif
