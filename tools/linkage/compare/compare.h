/* SPDX-License-Identifier: Apache-2.0 */
/* linkage compare: one model by many methods.
 *
 *   compare.c            the command: plan, reference, runs, reports
 *   options.c    the command line
 *   plan.c       which runs there are
 *   columns.c    what is compared: numbers that a state shows
 *   table.c      right values of them, from a file
 *   reference.c  or from two methods that agree
 *   run.c        one run, in a process of its own
 *   errors.c     its distance from the reference
 *   print.c      for people;  json.c: for programs
 *   files.c      compare.csv, drift.csv, and the pictures (plot.gp)
 */
#ifndef TOOLS_LINKAGE_COMPARE_H
#define TOOLS_LINKAGE_COMPARE_H

#include "linkage/laboratory.h"
#include "linkage/linkage.h"

#include <stdbool.h>
#include <stdio.h>

#define COMPARE_LIST_MAX 64
#define COMPARE_NAME     160
#define COMPARE_TEXT     1024
#define COMPARE_CELL     24 /* bytes of a short text */

/* ---- options ---- */

/** struct compare_list - "a,b,c" taken apart. @n: 0: not given */
struct compare_list {
    char *text;
    const char *name[COMPARE_LIST_MAX];
    int n;
};

struct compare_numbers {
    double value[COMPARE_LIST_MAX];
    int n;
};

/** struct compare_options - the command line. @duration: 0: as long as the reference, or 1 s
 * @maps: texts "COLUMN=TARGET";  @sets: as of `run`;  @limit_s: processor time of a run */
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
    bool is_help;
    const char **maps;
    int n_maps;
    const char **sets;
    int n_sets;
};

/** compare_options_parse() - Return: EXIT_DONE, EXIT_USAGE after a complaint, EXIT_REFUSED
 * (memory); to be released in any case. */
int compare_options_parse(int argc, char *argv[], struct compare_options *ret);
void compare_options_release(struct compare_options *options);

/* ---- what is compared ---- */

/** enum compare_quantity - errors are kept apart for each; positions count metres and half radians,
 * or radians where the column is an angle. */
enum compare_quantity { COMPARE_POSITION, COMPARE_VELOCITY, COMPARE_REACTION, COMPARE_QUANTITIES };

/** struct compare_column - a number that a state shows. @name: in the reference
 * @index: of body or joint;  @component: of its state or reaction, or of all outputs
 * @turn: columns of one quaternion have the same number, others -1: its sign is free */
struct compare_column {
    char name[2 * LK_NAME_SIZE];
    enum { COLUMN_BODY, COLUMN_ANGLE, COLUMN_REACTION, COLUMN_OUTPUT } source;
    enum compare_quantity quantity;
    int index;
    int component;
    int turn;
};

/** compare_columns_find() - what column @name of a reference means, by the rules of README.md.
 * Return: whether the model has it. */
bool compare_columns_find(const struct lk_system *system, const char *name,
                          struct compare_column *ret);

/** compare_columns_all() - all bodies and reactions. Return: NULL (memory); to be freed. */
struct compare_column *compare_columns_all(const struct lk_system *system, int *ret_n);

/** compare_columns_read() - in the present state. @ret: @n numbers; @outputs: room for those. */
void compare_columns_read(const struct lk_system *system, const struct compare_column *columns,
                          int n, double *outputs, double *ret);

/* ---- runs ---- */

/** enum compare_outcome - COMPARE_MISFIT: it does not fit the model, or one part the other;
 * COMPARE_LIMIT: it took too long */
enum compare_outcome {
    COMPARE_WAITING,
    COMPARE_DONE,
    COMPARE_MISFIT,
    COMPARE_FAILED,
    COMPARE_LIMIT,
};

/** compare_outcome_name() - one word or two. Static text. */
const char *compare_outcome_name(enum compare_outcome outcome);

/** struct compare_run - @name: "complement:qr, rk4", alike in all settings of a method
 * @setting: "2.5ms", "1e-08";  @reason: where it is not done;  @reached: simulated time [s]
 * @course: of each sample reached, @n_samples of them: largest errors and drift so far
 * @end, @worst: errors; NAN where the reference has none */
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

/** struct compare_reference - right values. @time: of the @n_times samples, the first one is the
 * start;  @value: @n_columns numbers a sample
 * @name: where they come from;  @confirmed: how that is known, or that nothing confirms it
 * @trust: by how much two methods differ, 0 for a file, NAN where nothing confirms it
 * @ignored: columns of the file that are not compared, "" for none */
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

/** struct compare - all of it. @inputs: held throughout;  @system: the model's own, at its start
 * @runs: those that fit or failed, and those that do not fit;  @values: where a run puts what its
 * columns show, shared with its process */
struct compare {
    const struct compare_options *options;
    const struct lk_model *model;
    struct lk_system *system;
    double *inputs;
    struct compare_reference reference;
    struct compare_run *runs;
    int n_runs;
    int n_methods;
    struct compare_shared *shared;
};

/** compare_plan() - all runs, none of them made. Return: EXIT_DONE, EXIT_REFUSED, EXIT_USAGE, both
 * after a complaint. */
int compare_plan(struct compare *compare);

/** compare_number() - as short as it goes: "1.2e-5". @digits: of the mantissa, 1 to 8. Return:
 * @ret. */
const char *compare_number(double value, int digits, char ret[COMPARE_CELL]);

/** compare_describe() - name and setting of @run from its method. */
void compare_describe(struct compare_run *run);

/** compare_shared_new() - once the times and columns are known. Return: whether there is memory. */
bool compare_shared_new(struct compare *compare);
void compare_shared_free(struct compare *compare);

/** compare_run_make() - make one run, in a process of its own, and keep its course.
 * @limit_s: processor time
 * Return: @ret_values: what the columns showed, until the next run; false (memory, no process). */
bool compare_run_make(struct compare *compare, struct compare_run *run, double limit_s,
                      const double **ret_values);

/** compare_samples_fit() - whether steps of @h meet all samples; if not, why, in @run. */
bool compare_samples_fit(const struct compare *compare, struct compare_run *run);

/** compare_errors() - of @values, as the columns showed them, against the reference; into @run. */
void compare_errors(const struct compare_reference *reference, const double *values,
                    struct compare_run *run);

/** compare_distance() - largest differences of all samples of two runs. */
void compare_distance(const struct compare_reference *reference, const double *values,
                      const double *others, double ret[COMPARE_QUANTITIES]);

/* ---- reference ---- */

/* Return: EXIT_DONE, EXIT_REFUSED after a complaint. */

/** compare_reference_times() - from the file, or evenly over the duration; and the columns. */
int compare_reference_times(struct compare *compare);

/** compare_table_read() - the former from the file. */
int compare_table_read(struct compare *compare);

/** compare_reference_make() - without a file: by the methods that are best. */
int compare_reference_make(struct compare *compare);

void compare_reference_release(struct compare_reference *reference);

/* ---- reports ---- */

/** compare_print() - the table. compare_json() - the same for programs. */
void compare_print(FILE *f, const struct compare *compare);
void compare_json(FILE *f, const struct compare *compare);

/** compare_cheapest() - the run with the least processor time whose positions are never off by more
 * than @error [m], or NULL. */
const struct compare_run *compare_cheapest(const struct compare *compare, double error);

/** compare_files() - into the folder of the options, which is made. @ret_note: what is missing, or
 * "".  Return: EXIT_DONE, EXIT_REFUSED after a complaint. */
int compare_files(const struct compare *compare, const char **ret_note);

#endif
