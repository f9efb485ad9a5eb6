/* SPDX-License-Identifier: Apache-2.0 */
/* linkage compare: compares methods on one model.
 *
 *     compare.c    the command: plan, reference, runs, reports
 *     options.c    the command line
 *     plan.c       list of the runs
 *     columns.c    compared quantities: numbers of a state
 *     table.c      reference values from a file
 *     reference.c  reference values from two methods that agree
 *     run.c        one run, in a separate process
 *     errors.c     distance of a run from the reference
 *     print.c      results as text;  json.c: results for programs
 *     files.c      compare.csv, drift.csv, and the pictures */
#ifndef TOOLS_LINKAGE_COMPARE_H
#define TOOLS_LINKAGE_COMPARE_H

#include "linkage/laboratory.h"
#include "linkage/linkage.h"

#include <stdbool.h>
#include <stdio.h>

#define COMPARE_LIST_MAX 64
#define COMPARE_NAME     160
#define COMPARE_TEXT     1024
#define COMPARE_CELL     24 /* size of a short text [bytes] */

/* ---- options ---- */

/** struct compare_list - the elements of a list such as "a,b,c".
 * @n: number of elements, 0: the option was not given */
struct compare_list {
    char *text;
    const char *name[COMPARE_LIST_MAX];
    int n;
};

struct compare_numbers {
    double value[COMPARE_LIST_MAX];
    int n;
};

/** struct compare_options - the command line.
 * @duration: 0: as long as the reference, or 1 s
 * @maps:     @n_maps texts "COLUMN=TARGET"
 * @sets:     @n_sets texts as in option --set of `run`
 * @limit_s:  limit of the processor time of a run */
struct compare_options {
    const char *path;
    const char *reference;
    const char *output;
    struct compare_list formulations;
    struct compare_list integrators;
    struct compare_list orientations;
    struct compare_list stabilisations;
    struct compare_numbers steps;
    struct compare_numbers tolerances;
    double baumgarte[2];
    double duration;
    double limit_s;
    bool is_json;
    const char **maps;
    int n_maps;
    const char **sets;
    int n_sets;
};

/** compare_options_parse() - Parse the command line.
 * Return: EXIT_DONE, EXIT_USAGE after an error message, EXIT_REFUSED (no memory); release the
 * options in any case. */
int compare_options_parse(int argc, char *argv[], struct compare_options *ret);
void compare_options_release(struct compare_options *options);

/* ---- compared quantities ---- */

/** enum compare_quantity - quantities with separate errors. Errors of position are in metres, of
 * orientation in half radians, of angles in radians. */
enum compare_quantity { COMPARE_POSITION, COMPARE_VELOCITY, COMPARE_REACTION, COMPARE_QUANTITIES };

/** struct compare_column - a compared number of the state.
 * @name:      name in the reference
 * @index:     index of the body or joint
 * @component: index in its state or reaction, or in all outputs
 * @turn:      number shared by the four columns of a quaternion, because a quaternion may have
 *             either sign; -1 for other columns */
struct compare_column {
    char name[2 * LK_NAME_SIZE];
    enum { COLUMN_BODY, COLUMN_ANGLE, COLUMN_REACTION, COLUMN_OUTPUT } source;
    enum compare_quantity quantity;
    int index;
    int component;
    int turn;
};

/** compare_columns_find() - Find the number for column @name of a reference, see README.md. Return:
 * true if the model has this number. */
bool compare_columns_find(const struct lk_system *system, const char *name,
                          struct compare_column *ret);

/** compare_columns_all() - List the columns of all bodies and reactions.
 * Return: array to be freed with free(); NULL: no memory. */
struct compare_column *compare_columns_all(const struct lk_system *system, int *ret_n);

/** compare_columns_read() - Read the columns of the present state.
 * @ret:     array of @n numbers
 * @outputs: scratch memory for the outputs of the model */
void compare_columns_read(const struct lk_system *system, const struct compare_column *columns,
                          int n, double *outputs, double *ret);

/* ---- runs ---- */

/** enum compare_outcome - outcome of a run.
 * COMPARE_MISFIT: the method cannot be applied to the model, or its components cannot be combined.
 * COMPARE_LIMIT: the run exceeded the time limit. */
enum compare_outcome {
    COMPARE_WAITING,
    COMPARE_DONE,
    COMPARE_MISFIT,
    COMPARE_FAILED,
    COMPARE_LIMIT,
};

/** compare_outcome_name() - Return the name of an outcome, one or two words of static text. */
const char *compare_outcome_name(enum compare_outcome outcome);

/** struct compare_run - a run of one method with one setting.
 * @name:        name of the method, such as "complement:qr, rk4", the same for all settings
 * @setting:     step or tolerance, such as "2.5ms", "1e-08"
 * @reason:      reason for a failure
 * @reached:     simulated time at the end [s]
 * @course:      largest errors and drift up to each of @n_samples samples
 * @end, @worst: error at the end, and largest error; NAN if the reference has no value */
struct compare_run {
    struct lk_method method;
    char name[COMPARE_NAME];
    char setting[COMPARE_CELL];
    int number;
    enum compare_outcome outcome;
    char reason[COMPARE_TEXT];
    double reached;
    struct lk_lab_report report;
    double end[COMPARE_QUANTITIES];
    double worst[COMPARE_QUANTITIES];
    int n_samples;
    struct lk_lab_report *course;
    double *error;
};

/** struct compare_reference - reference values.
 * @time:      times of the @n_times samples; the first one is the start
 * @value:     @n_columns numbers per sample
 * @name:      source of the values
 * @confirmed: text about their confirmation
 * @trust:     difference of two methods, 0 for a file, NAN if not confirmed
 * @ignored:   columns of the file that are not compared, "" for none */
struct compare_reference {
    int n_times;
    double *time;
    int n_columns;
    struct compare_column *columns;
    double *value;
    char name[COMPARE_TEXT];
    char confirmed[COMPARE_TEXT];
    double trust[COMPARE_QUANTITIES];
    char ignored[COMPARE_TEXT];
};

/** struct compare - state of the command.
 * @inputs:   constant input values of all runs
 * @system:   the compiled model, at its start
 * @runs:     all runs, including those whose method cannot be applied
 * @all_rows: option for all methods, see struct lk_options
 * @shared:   results of a run, in memory shared with its process */
struct compare {
    const struct compare_options *options;
    const struct lk_model *model;
    struct lk_system *system;
    double *inputs;
    struct compare_reference reference;
    struct compare_run *runs;
    int n_runs;
    int n_methods;
    bool all_rows;
    struct compare_shared *shared;
};

/** compare_plan() - List all runs without executing them.
 * Return: EXIT_DONE; EXIT_REFUSED or EXIT_USAGE after an error message. */
int compare_plan(struct compare *compare);

/** compare_number() - Format a number in short form: "1.2e-5".
 * @digits: digits of the mantissa, 1 to 8
 * Return: @ret. */
const char *compare_number(double value, int digits, char ret[COMPARE_CELL]);

/** compare_describe() - Set name and setting of @run from its method. */
void compare_describe(struct compare_run *run);

/** compare_shared_new() - Allocate memory shared with the runs' processes. Call it after times and
 * columns of the reference are set.
 * Return: false: no memory. */
bool compare_shared_new(struct compare *compare);
void compare_shared_free(struct compare *compare);

/** compare_run_make() - Execute one run in a separate process, and store its course.
 * @limit_s: limit of processor time
 * Return: true with the values of the columns in @ret_values, valid until the next run; false if
 * memory or processes are exhausted. */
bool compare_run_make(struct compare *compare, struct compare_run *run, double limit_s,
                      const double **ret_values);

/** compare_samples_fit() - Return true if the steps of @run coincide with all samples. Otherwise
 * store the reason in @run. */
bool compare_samples_fit(const struct compare *compare, struct compare_run *run);

/** compare_errors() - Compute the errors of @values, the columns of a run, against the reference,
 * and store them in @run. */
void compare_errors(const struct compare_reference *reference, const double *values,
                    struct compare_run *run);

/** compare_distance() - Compute the largest differences between two runs over all samples. */
void compare_distance(const struct compare_reference *reference, const double *values,
                      const double *others, double ret[COMPARE_QUANTITIES]);

/* ---- reference ---- */

/* Functions for the reference.
 * Return: EXIT_DONE, EXIT_REFUSED after a message. */

/** compare_reference_times() - Set times and columns of the reference: from the file, or without a
 * file evenly distributed times and all columns. */
int compare_reference_times(struct compare *compare);

/** compare_table_read() - Read times, columns and values of the reference file. */
int compare_table_read(struct compare *compare);

/** compare_reference_make() - Compute the reference with the most accurate methods, if no file is
 * given. */
int compare_reference_make(struct compare *compare);

void compare_reference_release(struct compare_reference *reference);

/* ---- reports ---- */

/** compare_print(), compare_json() - Print the results as a table or as JSON. */
void compare_print(FILE *f, const struct compare *compare);
void compare_json(FILE *f, const struct compare *compare);

/** compare_cheapest() - Return the run with the least processor time among the runs whose error of
 * position never exceeds @error [m], or NULL. */
const struct compare_run *compare_cheapest(const struct compare *compare, double error);

/** compare_files() - Write the files of a comparison; create their folder.
 * @ret_is_drawn: there are pictures; if false, some run was completed and an error message was
 *                printed, or none was
 * Return: EXIT_DONE, EXIT_REFUSED after an error message. */
int compare_files(const struct compare *compare, bool *ret_is_drawn);

#endif
