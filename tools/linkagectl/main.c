/* SPDX-License-Identifier: Apache-2.0 */
/* Command line of linkagectl. */
#include "ctl.h"
#include "report.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANY 1000000

/* @takes: bits of enum ctl_option. */
static const struct command {
    const char *name;
    int n_min;
    int n_max;
    int (*run)(const struct ctl_options *options, struct lk_client *client, int n, char **args);
    unsigned int takes;
} commands[] = {
    {"status", 0, 0, ctl_status, 0},
    {"load", 1, 1, ctl_load, 0},
    {"arm", 0, 0, ctl_arm, CTL_ARMING | CTL_NO_WAIT},
    {"start", 0, 0, ctl_start, 0},
    {"run", 1, 1, ctl_run, CTL_ARMING},
    {"pause", 0, 0, ctl_pause, 0},
    {"stop", 0, 0, ctl_stop, 0},
    {"reset", 0, 0, ctl_reset, 0},
    {"set", 2, ANY, ctl_set, 0},
    {"watch", 0, ANY, ctl_watch, 0},
    {"latency", 0, 0, ctl_latency, CTL_LATENCY | CTL_OUTPUT},
    {"trace", 0, 0, ctl_trace, CTL_CYCLES | CTL_OUTPUT},
    {"shutdown", 0, 0, ctl_shutdown, 0},
};

/* Options without a short form. */
enum { ALLOW_DEGRADED = 256, STEPS, NO_WAIT, WATCH, HISTOGRAM, CYCLES, OUTPUT };

static const struct option long_options[] = {
    {"endpoint", required_argument, NULL, 'e'},
    {"outputs", required_argument, NULL, 'o'},
    {"json", no_argument, NULL, 'j'},
    {"timeout", required_argument, NULL, 't'},
    {"count", required_argument, NULL, 'n'},
    {"help", no_argument, NULL, 'h'},
    {"allow-degraded", no_argument, NULL, ALLOW_DEGRADED},
    {"steps", required_argument, NULL, STEPS},
    {"no-wait", no_argument, NULL, NO_WAIT},
    {"watch", no_argument, NULL, WATCH},
    {"histogram", optional_argument, NULL, HISTOGRAM},
    {"cycles", required_argument, NULL, CYCLES},
    {"output", required_argument, NULL, OUTPUT},
    {NULL, 0, NULL, 0},
};

__attribute__((format(printf, 1, 2))) static int usage(const char *format, ...)
{
    va_list args;

    fprintf(stderr, "linkagectl: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\ntry: linkagectl --help\n");
    return CTL_USAGE;
}

static int read_seconds(const char *text, int *ret_ms)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || *end != '\0' || !(seconds > 0) || seconds > 1e6)
        return usage("--timeout %s: expected seconds above 0", text);
    *ret_ms = (int)ceil(seconds * 1e3);
    return CTL_OK;
}

static int read_count(const char *option, const char *text, unsigned long most,
                      unsigned long *ret_count)
{
    char *end;
    unsigned long count;

    errno = 0;
    count = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || count == 0)
        return usage("%s %s: expected a whole number above 0", option, text);
    if (errno != 0 || count > most)
        return usage("%s %s: expected at most %lu", option, text, most);
    *ret_count = count;
    return CTL_OK;
}

static int read_count32(const char *option, const char *text, uint32_t *ret_count)
{
    unsigned long count = 0;
    int status = read_count(option, text, UINT32_MAX, &count);

    if (status == CTL_OK)
        *ret_count = (uint32_t)count;
    return status;
}

static int read_limit(const char *text, struct ctl_options *options)
{
    unsigned long count = 0;
    int status = CTL_OK;

    if (text != NULL)
        status = read_count("--histogram", text, LK_REPORT_LIMIT_MAX_US, &count);
    options->histogram = true;
    options->limit_us = (unsigned int)count;
    return status;
}

/* Options that belong to some commands. */
static int read_special(int c, struct ctl_options *options)
{
    switch (c) {
    case ALLOW_DEGRADED:
        options->given |= CTL_ARMING;
        options->allow_degraded = true;
        return CTL_OK;
    case STEPS:
        options->given |= CTL_ARMING;
        return read_count32("--steps", optarg, &options->steps);
    case NO_WAIT:
        options->given |= CTL_NO_WAIT;
        options->no_wait = true;
        return CTL_OK;
    case WATCH:
        options->given |= CTL_LATENCY;
        options->watch = true;
        return CTL_OK;
    case HISTOGRAM:
        options->given |= CTL_LATENCY;
        return read_limit(optarg, options);
    case CYCLES:
        options->given |= CTL_CYCLES;
        return read_count32("--cycles", optarg, &options->cycles);
    case OUTPUT:
        options->given |= CTL_OUTPUT;
        options->output = optarg;
        return CTL_OK;
    default:
        return usage("see the line above");
    }
}

/* Reads options up to the first word that is none. @ret_done: --help was all that was asked for. */
static int read_options(int argc, char **argv, struct ctl_options *options, bool permute,
                        bool *ret_done)
{
    int status = CTL_OK;
    int c;

    optind = 0; /* restarts glibc's getopt, also on another array */
    while (status == CTL_OK && !*ret_done &&
           (c = getopt_long(argc, argv, permute ? "e:o:jt:n:h" : "+e:o:jt:n:h", long_options,
                            NULL)) != -1) {
        switch (c) {
        case 'e':
            options->endpoint = optarg;
            break;
        case 'o':
            options->outputs = optarg;
            break;
        case 'j':
            options->json = true;
            break;
        case 't':
            status = read_seconds(optarg, &options->timeout_ms);
            break;
        case 'n':
            status = read_count("--count", optarg, ULONG_MAX, &options->count);
            break;
        case 'h':
            ctl_help();
            *ret_done = true;
            break;
        default:
            status = read_special(c, options);
        }
    }
    return status;
}

/* What the options ask for must be something that the command can do. */
static int check_options(const struct command *command, const struct ctl_options *options)
{
    if ((options->given & ~command->takes) != 0)
        return usage("'%s' does not take one of these options", command->name);
    if (options->histogram && options->json)
        return usage("--histogram and --json are two formats, give one");
    if (options->watch && (options->histogram || options->output != NULL))
        return usage("--watch shows a table or --json, without --histogram and --output");
    if (command->run == ctl_trace && options->output == NULL)
        return usage("trace needs --output FILE, or --output - for the standard output");
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

static int run_command(const struct command *command, const struct ctl_options *options, int n,
                       char **args)
{
    struct lk_client *client;
    struct lk_error error;
    int code = lk_client_open(options->endpoint, options->timeout_ms, &client, &error);

    if (code != 0)
        return ctl_report(options, code, &error);
    code = command->run(options, client, n, args);
    lk_client_close(client);
    return code;
}

int main(int argc, char **argv)
{
    struct ctl_options options = {.endpoint = LK_CLIENT_CONTROL, .timeout_ms = 5000};
    const struct command *command;
    bool done = false;
    int status = read_options(argc, argv, &options, false, &done);

    if (status != CTL_OK || done)
        return status;
    if (optind >= argc)
        return usage("a command is missing");
    command = find_command(argv[optind]);
    if (command == NULL)
        return usage("there is no command '%s'", argv[optind]);
    argc -= optind;
    argv += optind;
    /* Options may follow the command too; the values of `set` may begin with a minus sign, so there
     * they end at the channel. */
    status = read_options(argc, argv, &options, command->run != ctl_set, &done);
    if (status != CTL_OK || done)
        return status;
    /* the one option that programs append to everything, and no number either */
    if (argc > optind && strcmp(argv[argc - 1], "--json") == 0) {
        options.json = true;
        argc--;
    }
    if (argc - optind < command->n_min || argc - optind > command->n_max)
        return usage("wrong number of arguments for '%s'", command->name);
    status = check_options(command, &options);
    if (status != CTL_OK)
        return status;
    return run_command(command, &options, argc - optind, argv + optind);
}
