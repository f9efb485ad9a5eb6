/* SPDX-License-Identifier: Apache-2.0 */
/* The offline tool: what its subcommands share. */
#ifndef TOOLS_LINKAGE_COMMANDS_H
#define TOOLS_LINKAGE_COMMANDS_H

#include "linkage/linkage.h"
#include <stdbool.h>

/** enum exit_code - of the program, as every tool of this project has them. */
enum exit_code {
    EXIT_DONE = 0,
    EXIT_REFUSED = 1, /* a model, a step or a file failed; one line says why */
    EXIT_USAGE = 2,   /* the command line makes no sense */
    EXIT_WARNED = 3,  /* check --strict: a good model, but something in it looks wrong */
};

/* Subcommands: @argv[0] is "linkage", options and model follow. Return: enum exit_code. */
int command_run(int argc, char *argv[]);
int command_compare(int argc, char *argv[]);
int command_methods(int argc, char *argv[]);
int command_check(int argc, char *argv[]);
int command_bench(int argc, char *argv[]);
int command_doctor(int argc, char *argv[]); /* enum doctor_exit, see doctor.h */
int command_replay(int argc, char *argv[]);
int command_export(int argc, char *argv[]);
int command_info(int argc, char *argv[]);

/** complain() - "linkage: <format>" and a line feed on the standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** print_help() - the one page of help, on the standard output. Return: EXIT_DONE. */
int print_help(void);
/** usage_error() - complain, and name the help. Return: EXIT_USAGE. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** load_model() - read a model; a refusal is printed as it is: the line begins with the file.
 * Return: NULL after a refusal. */
struct lk_model *load_model(const char *path);
/** engine_wanted() - what LINKAGE_ENGINE in the environment says, or NULL; see struct lk_options.
 */
const char *engine_wanted(void);
/** compile_model() - the same for lk_system_new(); @path is for the message. Where @options names
 * no engine, the environment may. */
struct lk_system *compile_model(const char *path, const struct lk_model *model,
                                const struct lk_options *options);

/* ---- parse.c ---- */

#define TOLERANCE_MIN 1e-14 /* of error control, relative and absolute */
#define TOLERANCE_MAX 0.1

/** parse_number() - a finite decimal number, all of @text. */
bool parse_number(const char *text, double *ret_value);
/** take_value() - the same off the front of *@text, up to a comma or the end, where it then is. */
bool take_value(const char **text, double *ret_value);

/* Values of options. Return: EXIT_DONE, EXIT_USAGE after a complaint. */
int parse_step(const char *text, double *ret_step);
int parse_duration(const char *text, double *ret_duration);
int parse_tolerance(const char *text, double *ret_tolerance);
/** parse_baumgarte() - "ALPHA,BETA" [1/s]. */
int parse_baumgarte(const char *text, double ret[2]);

/** struct progress - a bar on the standard error, if that is a terminal, after the first second.
 * @start_s, @shown_s: times on the clock of now_s() */
struct progress {
    bool terminal;
    double start_s;
    double shown_s;
};

/** now_s() - monotonic clock [s]. */
double now_s(void);
void progress_start(struct progress *progress);
/** progress_show() - draw if it is time to; @now_s from now_s(), @fraction in [0, 1]. */
void progress_show(struct progress *progress, double now_s, double fraction);
/** progress_stop() - remove the bar. */
void progress_stop(struct progress *progress);

/** set_inputs() - @inputs: lk_system_input_size() values, written: those of the model, then @sets,
 * texts "CHANNEL=VALUE[,VALUE...]" in the order given. Return: false after a complaint. */
bool set_inputs(const struct lk_system *system, const char *const *sets, int n_sets,
                double *inputs);

#endif
