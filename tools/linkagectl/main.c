/* SPDX-License-Identifier: Apache-2.0 */
/* Command line of linkagectl. */
#include "ctl.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANY 1000000

static const struct command {
    const char *name;
    int n_min;
    int n_max;
    int (*run)(const struct ctl_options *options, struct lk_client *client, int n, char **args);
} commands[] = {
    {"status", 0, 0, ctl_status}, {"load", 1, 1, ctl_load},     {"start", 0, 0, ctl_start},
    {"pause", 0, 0, ctl_pause},   {"stop", 0, 0, ctl_stop},     {"reset", 0, 0, ctl_reset},
    {"set", 2, ANY, ctl_set},     {"watch", 0, ANY, ctl_watch}, {"shutdown", 0, 0, ctl_shutdown},
};

static const struct option long_options[] = {
    {"endpoint", required_argument, NULL, 'e'},
    {"outputs", required_argument, NULL, 'o'},
    {"json", no_argument, NULL, 'j'},
    {"timeout", required_argument, NULL, 't'},
    {"count", required_argument, NULL, 'n'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static void print_help(void)
{
    printf(
        "usage: linkagectl [OPTION...] COMMAND [ARGUMENT...]\n"
        "\n"
        "Talks to a running linkaged.\n"
        "\n"
        "commands\n"
        "  status               state, timing, energy, constraint violation\n"
        "  load FILE            send a model file to the daemon\n"
        "  start                run the model from t = 0, or go on after a pause\n"
        "  pause                hold the model; the time grid goes on\n"
        "  stop                 end the run; its figures are kept for status\n"
        "  reset                back to t = 0, also out of a fault\n"
        "  set CHANNEL VALUE... give an input channel a value, in SI units\n"
        "  watch [CHANNEL...]   print output channels (all if none is named), about ten rows\n"
        "                       a second; with --json every sample\n"
        "  shutdown             end the daemon\n"
        "\n"
        "options\n"
        "  -e, --endpoint E     control socket of the daemon (" LK_CLIENT_CONTROL ")\n"
        "  -o, --outputs E      its output samples, for watch (the same host, port + 2)\n"
        "  -j, --json           one JSON object a line, for programs\n"
        "  -n, --count N        end watch after N rows or samples\n"
        "  -t, --timeout S      how long to wait for an answer (5 s)\n"
        "  -h, --help           this page\n"
        "\n"
        "With --json, watch prints a line of type \"description\" (names and units) first, then\n"
        "\"sample\" lines, and a \"gap\" line wherever samples were lost or not published.\n"
        "\n"
        "exit status\n"
        "  0  done\n"
        "  1  the daemon refused, or the command failed\n"
        "  2  the command line is wrong\n"
        "  3  no daemon answers\n");
}

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

static int read_count(const char *text, unsigned long *ret_count)
{
    char *end;
    unsigned long count = strtoul(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != '\0' || count == 0)
        return usage("--count %s: expected a whole number above 0", text);
    *ret_count = count;
    return CTL_OK;
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
            status = read_count(optarg, &options->count);
            break;
        case 'h':
            print_help();
            *ret_done = true;
            break;
        default:
            status = usage("see the line above");
        }
    }
    return status;
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
    return run_command(command, &options, argc - optind, argv + optind);
}
