/* SPDX-License-Identifier: Apache-2.0 */
/* linkage run: common declarations of its files.
 *
 *   options.c   the command line
 *   run.c           the model's own step, as the daemon makes it
 *   method.c    any formulation and integrator of the laboratory
 */
#ifndef TOOLS_LINKAGE_RUN_H
#define TOOLS_LINKAGE_RUN_H

#include "commands.h"
#include "laboratory.h"
#include "linkage/laboratory.h"

#include <stdint.h>

struct lk_csv;

#define RUN_RESIDUAL_LIMIT 1e-3 /* [m or rad] above it a run fails, as in the daemon */
#define RUN_STEPS_MAX      1e12 /* more would take years: surely a typing error */

/** struct run_options - the command line of `run`.
 * @workers: 0: as many as are useful for the model and the cores
 * @sets: texts "CHANNEL=VALUE[,VALUE...]" in the order given
 * @first_step: [s] of the steps before @first_until [s]; 0: all steps are alike
 * @method: from the method options;  @has_method: one was given
 * @argc, @argv: the whole command line, for linkage-laboratory */
struct run_options {
    int argc;
    char **argv;
    const char *path;
    const char *output;
    struct lk_options solver;
    double duration;
    long every;
    long workers;
    const char **sets;
    int n_sets;
    double first_step;
    double first_until;
    struct lk_method method;
    bool has_method;
};

/** run_options_parse() - @options: defaults, and room for as many sets as there are arguments.
 * Return: EXIT_DONE, EXIT_USAGE after an error message; @ret_help: help was requested. */
int run_options_parse(int argc, char *argv[], struct run_options *options, bool *ret_help);

/** run_open_csv() - open a CSV file with a column for the time and one for each output scalar.
 * Return: NULL after an error message. */
struct lk_csv *run_open_csv(const struct lk_system *system, const char *path);

/** run_write_row() - write @time [s] and the outputs of the present state. @values: room for them;
 * @csv may be NULL.  Return: 0, negative errno. */
int run_write_row(const struct lk_system *system, double time, struct lk_csv *csv, double *values);

#endif
