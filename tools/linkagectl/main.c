/* SPDX-License-Identifier: Apache-2.0 */
/* Table of the commands of linkagectl, with the options that each command accepts. */
#include "ctl.h"
#include "linkage/nearest.h"
#include "linkage/stacks.h"
#include "names.h"
#include "option_table.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define ANY 1000000

/* Table of commands.
 * @takes: accepted options, bits of enum ctl_option
 * @check: checks the arguments, or NULL */
static const struct command {
    const char *name;
    int n_min;
    int n_max;
    ctl_command *run;
    unsigned int takes;
    ctl_check *check;
} commands[] = {
    {"status", 0, 0, ctl_status, 0},
    {"load", 1, 1, ctl_load, CTL_PARAM},
    {"arm", 0, 0, ctl_arm, CTL_ARMING | CTL_NO_WAIT},
    {"start", 0, 0, ctl_start, CTL_PAUSE_AFTER},
    {"run", 1, 1, ctl_run, CTL_ARMING | CTL_PAUSE_AFTER | CTL_PARAM},
    {"pause", 0, 0, ctl_pause, 0},
    {"stop", 0, 0, ctl_stop, 0},
    {"reset", 0, 0, ctl_reset, 0},
    {"step", 0, 1, ctl_step, CTL_STEPPING | CTL_FORCE, ctl_check_step},
    {"set", 2, ANY, ctl_set, CTL_FORCE, ctl_check_set},
    {"watch", 0, ANY, ctl_watch, CTL_EVERY, ctl_check_watch},
    {"param", 0, 3, ctl_param, CTL_FORCE, ctl_check_param},
    {"snapshot", 1, 1, ctl_snapshot, 0},
    {"restore", 1, 1, ctl_restore, 0},
    {"channels", 0, 0, ctl_channels, 0},
    {"inputs", 0, 0, ctl_inputs, 0},
    {"policy", 0, 0, ctl_policy, 0},
    {"inject", 0, 1, ctl_inject, CTL_INJECTION | CTL_EVERY, ctl_check_inject},
    {"record", 1, 2, ctl_record, 0, ctl_check_record},
    {"platform", 0, 1, ctl_platform, 0, ctl_check_platform},
    {"latency", 0, 0, ctl_latency, CTL_LATENCY | CTL_OUTPUT | CTL_FORCE},
    {"trace", 0, 0, ctl_trace, CTL_CYCLES | CTL_OUTPUT | CTL_FORCE},
    {"shutdown", 0, 0, ctl_shutdown, 0},
    {"keygen", 2, 3, ctl_keygen, CTL_ROLE},
};

/* Check that the command accepts the given options. */
static int check_options(const struct command *command, const struct ctl_options *options)
{
    if ((options->given & ~command->takes) != 0)
        return ctl_usage("'%s' does not take one of these options", command->name);
    if (options->histogram && options->json)
        return ctl_usage("--histogram and --json are two formats, give one");
    if (options->watch && (options->histogram || options->output != NULL))
        return ctl_usage("--watch shows a table or --json, without --histogram and --output");
    if (command->run == ctl_trace && options->output == NULL)
        return ctl_usage("trace needs --output FILE, or --output - for the standard output");
    return CTL_OK;
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    }
    return NULL;
}

static int refuse_command(const char *name)
{
    const char *words[sizeof(commands) / sizeof(commands[0]) + 1] = {NULL}, *nearest;

    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        words[i] = commands[i].name;
    nearest = lk_nearest(name, words);
    return nearest != NULL
               ? ctl_usage("there is no command '%s', did you mean '%s'?", name, nearest)
               : ctl_usage("there is no command '%s'", name);
}

static int run_command(const struct command *command, const struct ctl_options *options, int n,
                       char **args)
{
    struct lk_client *client;
    int status;

    if (command->run == ctl_keygen)
        return ctl_keygen(options, NULL, n, args);
    status = command->check == NULL ? CTL_OK : command->check(options, n, args);
    if (status != CTL_OK)
        return status;
    status = ctl_connect(options, &client);
    if (status != CTL_OK)
        return status;
    status = command->run(options, client, n, args);
    lk_client_close(client);
    return status;
}

int main(int argc, char **argv)
{
    const char *endpoint = getenv("LINKAGE_ENDPOINT");
    struct ctl_options options = {.endpoint = endpoint && *endpoint ? endpoint : LK_CLIENT_CONTROL,
                                  .timeout_ms = 5000,
                                  .injection = LINKAGE__V1__INJECTION__INIT};
    const struct command *command;
    struct lk_error error;
    int status = ctl_read_options(argc, argv, &options, false);

    if (lk_stacks_prepare(&error) != 0)
        return ctl_fail(&options, &error);
    if (status != CTL_OK)
        return options_status(status);
    if (optind >= argc)
        return ctl_usage("a command is missing");
    command = find_command(argv[optind]);
    if (command == NULL)
        return refuse_command(argv[optind]);
    argc -= optind;
    argv += optind;
    /* Options may also follow the command. But values of `set` may begin with a minus sign, so its
     * options must precede the channel. */
    status = ctl_read_options(argc, argv, &options,
                              command->run != ctl_set && command->run != ctl_param);
    if (status != CTL_OK)
        return options_status(status);
    /* Options without a value may also end the line of `set`, because they cannot be confused with
     * numbers. */
    for (; argc > optind && ctl_read_last(argv[argc - 1], &options); argc--)
        continue;
    if (argc - optind < command->n_min || argc - optind > command->n_max)
        return ctl_usage("wrong number of arguments for '%s'", command->name);
    status = check_options(command, &options);
    if (status != CTL_OK)
        return status;
    return run_command(command, &options, argc - optind, argv + optind);
}
