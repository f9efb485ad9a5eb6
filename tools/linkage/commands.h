/* SPDX-License-Identifier: Apache-2.0 */
/* linkage, the offline tool: functions shared by its subcommands. */
#ifndef TOOLS_LINKAGE_COMMANDS_H
#define TOOLS_LINKAGE_COMMANDS_H

#include "linkage/linkage.h"
#include "linkage/parameters.h"
#include "message.h"
#include "numbers.h"
#include "option_table.h"
#include "output.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/** enum exit_code - exit status of the program, common to all tools of this project. */
enum exit_code {
    EXIT_DONE = 0,
    EXIT_REFUSED = 1, /* a model, a step or a file failed; a message gives the reason */
    EXIT_USAGE = 2,   /* the command line is invalid */
    EXIT_WARNED = 3,  /* check --strict: the model has warnings; sweep: a case did not pass; report:
                         not  every deadline was met */
};

/* Functions of the subcommands. @argv[0] is "linkage"; options and model follow.
 * Return: enum exit_code, or OPTIONS_END after --help. */
int command_run(int argc, char *argv[]);
int command_sweep(int argc, char *argv[]);
int command_compare(int argc, char *argv[]);
int command_methods(int argc, char *argv[]);
int command_equilibrium(int argc, char *argv[]);
int command_modes(int argc, char *argv[]);
int command_kc(int argc, char *argv[]);
int command_flex(int argc, char *argv[]);
int command_check(int argc, char *argv[]);
int command_bench(int argc, char *argv[]);
int command_doctor(int argc, char *argv[]); /* enum doctor_exit, see doctor.h */
int command_replay(int argc, char *argv[]);
int command_export(int argc, char *argv[]);
int command_info(int argc, char *argv[]);
int command_tyre(int argc, char *argv[]);
int command_road(int argc, char *argv[]);
int command_params(int argc, char *argv[]);
int command_flatten(int argc, char *argv[]);
int command_plot(int argc, char *argv[]);
int command_report(int argc, char *argv[]);
int command_view(int argc, char *argv[]);
int command_washout(int argc, char *argv[]);
int command_fmu(int argc, char *argv[]);
int command_import(int argc, char *argv[]);

/** write_output() - Write @size bytes to the file @output, "-": to the standard output. @mark: see
 * output_check(). Return: EXIT_DONE, EXIT_REFUSED after a message. */
int write_output(const char *output, const char *mark, const char *text, size_t size);

/** told_output() - Print a message about a fault of the functions of output.h, 0: none. Return:
 * EXIT_DONE, EXIT_REFUSED. */
int told_output(const char *output, int fault);

/** put_in_script() - Write @size bytes of JSON into a script element of a web page. The character <
 * is escaped, so that no name in the data can end the element. */
void put_in_script(FILE *file, const char *json, size_t size);

/** find_part() - Find a file that is built and installed with this program: in the folder of this
 * program (build tree), or in the folder of libraries (installation).
 * @path: receives the path
 * Return: true if the file exists. */
bool find_part(const char *name, char path[PATH_MAX]);

/** print_help() - Print the manual to the standard output, or only one section of it.
 * help_is_about() - Limit print_help() to the section about @subcommand.
 * Return: EXIT_DONE. */
int print_help(void);
void help_is_about(const char *subcommand);
/** only_help - option rows of a subcommand that has no option except --help. */
extern const struct option_row only_help[];
/** usage_error() - Print an error message and refer to the help. Return: EXIT_USAGE. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** take_param() - Store "PATH=VALUE" of a command line for all later calls of load_model(). Return:
 * EXIT_DONE, EXIT_USAGE or EXIT_REFUSED after a message. */
int take_param(const struct option_row *row, const char *text);
/** give_params() - Store all values in @text for all later calls of load_model(), in the format of
 * lk_settings_write().
 * Return: true if the text is valid; otherwise @ret_error contains the reason. */
bool give_params(const char *text, struct lk_error *ret_error);
/** given_params() - Write all stored values.
 * Return: number of values. */
int given_params(const struct lk_setting **ret_list);
/** load_model() - Read a model. If that fails, print the error, which begins with the file's name.
 * Return: NULL after an error. */
struct lk_model *load_model(const char *path);
/** load_model_with() - Do the same with other values than the stored ones. */
struct lk_model *load_model_with(const char *path, const struct lk_setting *settings, int n);
/** engine_wanted() - Return the environment variable LINKAGE_ENGINE, or NULL; see struct
 * lk_options. */
const char *engine_wanted(void);
/** compile_model() - Call lk_system_new(). If it fails, print the error, with @path. If @options
 * names no engine, the engine is engine_wanted().
 * Return: NULL after an error message. */
struct lk_system *compile_model(const char *path, const struct lk_model *model,
                                const struct lk_options *options);

/* ---- parse.c ---- */

#define TOLERANCE_MIN 1e-14 /* limits of tolerances of error control, relative and absolute */
#define TOLERANCE_MAX 0.1

/** refuse_value() - Print an error message about the value of an option, see struct option_table.
 * Return: EXIT_USAGE. */
int refuse_value(const struct option_row *row, const char *text, const char *expected);
/** parse_command() - Parse the options of a subcommand and its only other argument, a file.
 * @expected: error message if there is not exactly one such argument
 * Return: as options_parse(). */
int parse_command(int argc, char *argv[], const struct option_row *rows, const char *expected,
                  const char **ret_path);
/** take_baumgarte() - Parse "ALPHA,BETA" [1/s] into two numbers at @row->data.
 * Return: EXIT_DONE, EXIT_USAGE after an error message. */
int take_baumgarte(const struct option_row *row, const char *text);

/** struct progress - a progress bar on the standard error. It appears after the first second, if
 * the standard error is a terminal.
 * @start_s, @shown_s: times on the clock of now_s() */
struct progress {
    bool terminal;
    double start_s;
    double shown_s;
};

/** now_s() - Return the time on the monotonic clock [s]. */
double now_s(void);
void progress_start(struct progress *progress);
/** progress_show() - Draw the bar if its next update is due.
 * @now_s:    from now_s()
 * @fraction: progress in [0, 1] */
void progress_show(struct progress *progress, double now_s, double fraction);
/** progress_hide() - Remove the bar at the end, or before a line is printed. */
void progress_hide(void);

/** set_inputs() - Set @inputs, lk_system_input_size() values, to the initial values of the model.
 * Then apply the texts @sets, "CHANNEL=VALUE[,VALUE...]", in their order.
 * Return: false after an error message. */
bool set_inputs(const struct lk_system *system, const char *const *sets, int n_sets,
                double *inputs);

#endif
