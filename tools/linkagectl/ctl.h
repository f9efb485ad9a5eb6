/* SPDX-License-Identifier: Apache-2.0 */
/* linkagectl: common declarations of its files.
 *
 *     main.c       table of commands
 *     options.c    parser of the command line;  help.c: the help
 *     commands.c   simple commands;  arm.c: arming, with a wait for its end
 *     evidence.c   evidence of a run
 *     show.c       prints a status;  channels.c: the model's channels
 *     inputs.c     claims and inputs;  policy.c: policies;  inject.c: faults
 *     step.c       stepping and recording;  watch.c: prints samples */
#ifndef TOOLS_LINKAGECTL_CTL_H
#define TOOLS_LINKAGECTL_CTL_H

#include "client.h"
#include "linkage/json.h"
#include "linkage/parameters.h"
#include <stdbool.h>

/** enum ctl_exit - exit statuses, documented in --help. */
enum ctl_exit {
    CTL_OK = 0,
    CTL_FAILED = 1,
    CTL_USAGE = 2,
    CTL_NO_DAEMON = 3,
    CTL_NO_SAMPLE = 4,
};

#define CTL_SETTINGS_MAX 64

/** struct ctl_options - the command line without the command and its arguments.
 * @endpoint:          endpoint of the control socket
 * @outputs:           endpoint of the output samples; NULL: derived from @endpoint
 * @json:              print JSON
 * @timeout_ms:        longest wait for a reply, and with @count for a sample
 * @count:             number of samples or tables to print; 0: no limit
 * @allow_degraded, @steps, @no_wait, @mode: options of arming; @steps 0 and no
 * @mode:              as configured in the daemon
 * @pause_after:       number of steps after which a run pauses; 0: never
 * @settings:          @n_settings texts CHANNEL=VALUE of `step`
 * @params:            external values for a model
 * @force:             also set channels that a bench has claimed
 * @every:             steps of `watch`, seconds of `inject`; 0: not given
 * @injection, @clear: options of `inject`; its kind is an argument
 * @server_key, @key:  paths of key files, or NULL
 * @watch, @histogram, @limit_us: options of `latency`; @limit_us 0: the default
 * @cycles:            option of `trace`; 0: all cycles
 * @output:            file to write to, "-": standard output, NULL: not given
 * @role:              option of `keygen client`; NULL: not given
 * @given:             bits of enum ctl_option; main.c checks whether the command accepts these
 *                     options */
struct ctl_options {
    const char *endpoint;
    const char *outputs;
    bool json;
    int timeout_ms;
    uint64_t count;
    bool allow_degraded;
    uint64_t steps;
    bool no_wait;
    Linkage__V1__Mode mode;
    uint64_t pause_after;
    char *settings[CTL_SETTINGS_MAX];
    int n_settings;
    struct lk_settings params;
    bool force;
    double every;
    Linkage__V1__Injection injection;
    bool clear;
    const char *server_key;
    const char *key;
    bool watch;
    bool histogram;
    uint64_t limit_us;
    uint64_t cycles;
    const char *output;
    const char *role;
    unsigned int given;
};

/** enum ctl_option - options that are valid for some of the commands only. */
enum ctl_option {
    CTL_ARMING = 1 << 0,
    CTL_NO_WAIT = 1 << 1,
    CTL_LATENCY = 1 << 2,
    CTL_CYCLES = 1 << 3,
    CTL_OUTPUT = 1 << 4,
    CTL_ROLE = 1 << 5,
    CTL_PAUSE_AFTER = 1 << 6,
    CTL_STEPPING = 1 << 7,
    CTL_FORCE = 1 << 8,
    CTL_EVERY = 1 << 9,
    CTL_INJECTION = 1 << 10,
    CTL_PARAM = 1 << 11,
};

/** ctl_usage() - Print an error message about the command line. Return: CTL_USAGE. */
int ctl_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** ctl_read_options() - Parse the options before the first other argument; with @permute also the
 * options after it.
 * Return: as options_parse(); the other arguments begin at optind. */
int ctl_read_options(int argc, char **argv, struct ctl_options *options, bool permute);

/** ctl_read_last() - Parse an option that has no value, at the end of the command line.
 * Return: true if @word is such an option. */
bool ctl_read_last(const char *word, struct ctl_options *options);

/** ctl_connect() - Open a client. It uses the keys from the files in @options, if any.
 * Return: an exit status, after an error message. */
int ctl_connect(const struct ctl_options *options, struct lk_client **ret_client);

/** ctl_help() - Print the text of --help. Return: CTL_OK. */
int ctl_help(void);

/** ctl_fail() - Print @error to the standard error, or with --json as an object to the standard
 * output.
 * Return: CTL_FAILED. */
int ctl_fail(const struct ctl_options *options, const struct lk_error *error);

/** ctl_report() - Print the error for a code of the client library, like ctl_fail().
 * Return: the exit status for @code. */
int ctl_report(const struct ctl_options *options, int code, const struct lk_error *error);

/** ctl_call() - Call lk_client_call(); print an error if there is no reply.
 * Return: an exit status; CTL_OK with @ret_reply, which may be a refusal. */
int ctl_call(const struct ctl_options *options, struct lk_client *client,
             Linkage__V1__ControlRequest *request, const Linkage__V1__ControlReply **ret_reply);

/** ctl_ask() - Send a request without arguments, like ctl_call(); see lk_client_command(). */
int ctl_ask(const struct ctl_options *options, struct lk_client *client,
            Linkage__V1__ControlRequest__CommandCase command,
            const Linkage__V1__ControlReply **ret_reply);

/** ctl_begin_json(), ctl_end_json() - Print a JSON object that begins with "result": "ok". */
struct lk_json ctl_begin_json(void);
void ctl_end_json(struct lk_json *json);

/** ctl_show_reply() - Print the daemon's reply to a command.
 * Return: CTL_OK, or CTL_FAILED for a refusal. */
int ctl_show_reply(const struct ctl_options *options, const Linkage__V1__ControlReply *reply);

/** ctl_show_status() - Print the whole reply to a StatusRequest. Return: as ctl_show_reply(). */
int ctl_show_status(const struct ctl_options *options, const Linkage__V1__ControlReply *reply);

/** ctl_set_channel() - Send one SetRequest, and print a refusal. Return: an exit status. */
int ctl_set_channel(const struct ctl_options *options, struct lk_client *client, const char *name,
                    double *values, size_t n, const Linkage__V1__ControlReply **ret_reply);

/** ctl_load_file(), ctl_start_run() - Execute the commands `load` and `start`; also used by `run`.
 * Return: an exit status. */
int ctl_load_file(const struct ctl_options *options, struct lk_client *client, const char *path);
int ctl_start_run(const struct ctl_options *options, struct lk_client *client);

/** typedef ctl_command - function of a command.
 * @args: @n arguments; their number was checked before
 * Return: an exit status. */
typedef int ctl_command(const struct ctl_options *options, struct lk_client *client, int n,
                        char **args);
ctl_command ctl_status, ctl_load, ctl_arm, ctl_run, ctl_start, ctl_pause, ctl_stop, ctl_reset,
    ctl_set, ctl_step, ctl_watch, ctl_param, ctl_snapshot, ctl_restore, ctl_channels, ctl_inputs,
    ctl_policy, ctl_platform, ctl_inject, ctl_record, ctl_latency, ctl_trace, ctl_shutdown;

/** typedef ctl_check - function that checks the arguments of a command, as far as possible, before
 * connecting to the daemon.
 * Return: CTL_OK, or CTL_USAGE after an error message. */
typedef int ctl_check(const struct ctl_options *options, int n, char **args);
ctl_check ctl_check_set, ctl_check_param, ctl_check_step, ctl_check_watch, ctl_check_inject,
    ctl_check_platform, ctl_check_record;

/** ctl_keygen() - Execute the command `keygen`. It needs no daemon: @client is NULL. */
ctl_command ctl_keygen;

#endif
