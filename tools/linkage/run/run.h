/* SPDX-License-Identifier: Apache-2.0 */
/* linkage run: common declarations of its files.
 *
 *     options.c    the command line
 *     run.c        run with the model's own step, as in the daemon
 *     inputs.c     time-varying inputs from a table
 *     recording.c  table of inputs from a recording
 *     state.c      start of a run from the final state of another run
 *     summary.c    the summary at its end
 *     method.c     any formulation and integrator of the laboratory */
#ifndef TOOLS_LINKAGE_RUN_H
#define TOOLS_LINKAGE_RUN_H

#include "commands.h"
#include "csv.h"
#include "laboratory.h"
#include "linkage/energy.h"
#include "linkage/laboratory.h"

#include <stdint.h>

#define RUN_RESIDUAL_LIMIT 1e-3 /* [m or rad] a larger residual is a failure */
#define RUN_STEPS_MAX      1e12 /* more steps would take years, so the number is a typing error */

/** struct run_options - the command line of `run`.
 * @workers:     number of workers; 0: as many as shorten the step, at most the number of cores
 * @picture:     file for a picture of the outputs; NULL: none
 * @is_json:     the summary is JSON
 * @is_kept:     @output was asked for, not only the picture
 * @sets:        texts "CHANNEL=VALUE[,VALUE...]" in the order given
 * @inputs:      file of input values, CSV or a recording, NULL: they are constant
 * @interpolate: the inputs change linearly from row to row; otherwise a row acts until the next one
 * @start_state: file of the state from which the run begins
 * @save_state:  file for the final state; NULL: none
 * @first_step:  size [s] of the steps before @first_until [s]; 0: all steps are equal
 * @method:      method from the method options
 * @has_method:  a method option was given
 * @argc, @argv: the whole command line, for linkage-laboratory */
struct run_options {
    int argc;
    char **argv;
    const char *path;
    const char *output;
    const char *picture;
    bool is_json;
    bool is_kept;
    struct lk_options solver;
    double duration;
    long every;
    long workers;
    const char **sets;
    int n_sets;
    const char *inputs;
    bool interpolate;
    const char *start_state;
    const char *save_state;
    double first_step;
    double first_until;
    struct lk_method method;
    bool has_method;
};

/** run_options_parse() - Parse the command line.
 * @options: defaults; @sets must have room for as many texts as there are arguments
 * Return: as options_parse(). */
int run_options_parse(int argc, char *argv[], struct run_options *options);

/** struct run_inputs - inputs of a run.
 * @present:  acting values of all inputs
 * @table:    values over time; there is no table if its n is 0
 * @offset:   for each column of the table: index among the inputs, -1: none
 * @rate:     for each column: largest change per second
 * @is_drive: for each column: drives use the input
 * @row:      last row that acted; -1: none, so that the values of --set and of the model act */
struct run_inputs {
    double *present;
    struct lk_csv_table table;
    int *offset;
    double *rate;
    bool *is_drive;
    bool interpolate;
    int row;
};

/** run_inputs_open() - Set the inputs to the values of the model and of --set, and read the table
 * of --inputs.
 * Return: false after an error message; close @inputs in either case. */
bool run_inputs_open(const struct lk_system *system, const struct run_options *options,
                     struct run_inputs *ret_inputs);
void run_inputs_close(struct run_inputs *inputs);

/** run_inputs_at() - Return the values that act in the step from @t to @t + @h [s]; @t must not
 * decrease. For loads and signals it is the value at the middle of the step, for drives the value
 * at its begin. */
const double *run_inputs_at(struct run_inputs *inputs, double t, double h);

/** run_inputs_change() - Return true if the inputs change during the run. */
bool run_inputs_change(const struct run_inputs *inputs);

/** run_is_recording() - Return true if a file begins like a recording of the daemon. */
bool run_is_recording(const char *path);
/** run_read_recording() - Read the inputs of a recording as a table; its first step is at t = 0.
 * Return: false after an error message; release the table in either case. */
bool run_read_recording(const char *path, struct lk_csv_table *ret_table);

/** run_load_state(), run_save_state() - Read the state of @system from a file, or write it to a new
 * file.
 * Return: false after an error message; @system is then unchanged, and no incomplete file
 * remains. */
bool run_load_state(struct lk_system *system, const char *path);
bool run_save_state(const struct lk_system *system, const char *path);

/** struct run_result - results that `run` prints at its end.
 * @drift:  largest change of the energy, less the work put in, plus the energy dissipated [J]
 * @step_s: wall time spent in steps
 * @turn:   largest rotation of a body in one step [rad], of body @turning
 * @strain: largest strain of a beam, at body @strained and at @strained_s [s]
 * @contact: number of steps whose contact forces have an error above LK_CONTACT_MAX, the first one
 * at
 *           @contact_s [s] */
struct run_result {
    uint64_t steps;
    double time;
    double wall_s;
    double step_s;
    double drift;
    double energy_start;
    struct lk_health largest;
    struct lk_energy_watch energy;
    double turn;
    int turning;
    double strain;
    double strained_s;
    int strained;
    long contact;
    double contact_s;
};

/** run_print_summary() - Print the summary of a run with the model's own step. */
void run_print_summary(const struct run_options *options, const struct run_result *result,
                       const struct lk_model *model, const struct lk_system *system);
/** run_summary_file() - Return the stream of the summary: the standard output, or the standard
 * error if the outputs go there. */
FILE *run_summary_file(const struct run_options *options);

/** run_open_csv() - Open a CSV file with a column for the time and one for each output scalar.
 * Return: NULL after an error message. */
struct lk_csv *run_open_csv(const struct lk_system *system, const char *path);

/** run_write_row() - Write @time [s] and the outputs of the present state.
 * @values: memory for the outputs
 * @csv:    may be NULL
 * Return: 0, negative errno. */
int run_write_row(const struct lk_system *system, double time, struct lk_csv *csv, double *values);

/** run_watch_interrupts() - Let a first Ctrl-C end the run after its step, so that the rows until
 * then are kept; a second one ends the program.
 * run_is_interrupted() - Return whether there was one. */
void run_watch_interrupts(void);
bool run_is_interrupted(void);
/** run_say_interrupt() - Print a message about it. @time: of the last row [s] */
void run_say_interrupt(const struct run_options *options, double time);

/** run_judge() - Decide whether the result of a run is accepted. The limit is the same for the
 * model's own step and for every method of the laboratory.
 * @residual: largest violation of a rigid row from the start to the end of the run [m or rad]
 * Return: EXIT_DONE; EXIT_REFUSED after an error message.
 * Thread: any. */
int run_judge(const struct run_options *options, double residual);

/** run_energy_appears() - Return true if energy has appeared in @system without a source.
 * @ret_error: time, amount and remedy
 * Thread: any. */
bool run_energy_appears(const struct lk_system *system, const struct lk_energy_watch *energy,
                        struct lk_error *ret_error);

#endif
