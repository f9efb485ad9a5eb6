/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"
#include "message.h"
#include "option_table.h"
#include "output.h"
#include "process.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS       12
#define SLICE_S      5.0
#define ROUNDS_QUICK 5
#define SLICE_QUICK  2.0

static const char *const wake_names[] = {"sleep", "hybrid", "spin"};
static const char *const load_names[] = {"none", "housekeeping", "core"};

static const char help_text[] =
    "usage: linkage-latency [OPTION...]\n"
    "\n"
    "Is this machine fit to run a rig? Measures on one core, in turn, slice by slice: cyclictest\n"
    "(rt-tests), the cycle of a real linkaged, a loop that only reads the clock, and a bench that\n"
    "talks to the daemon. Reports how late cyclictest and the cycle wake up, and their ratio.\n"
    "\n"
    "  --core N         core to measure on (the last isolated one, else the last one)\n"
    "  --priority N     SCHED_FIFO priority of both, 0: normal (80)\n"
    "  --period US      period of both (that of the model; 1000)\n"
    "  --wake LIST      how the cycle waits: sleep, hybrid, spin (sleep,hybrid)\n"
    "  --load LIST      none; housekeeping: stress-ng on the other cores; core: on the measured\n"
    "                   one, at normal priority (none,housekeeping,core)\n"
    "  --rounds N       slices of each kind (12)\n"
    "  --slice S        length of a slice [s] (5)\n"
    "  --quick          5 rounds of 2 s, and a shorter proof of the budget\n"
    "  --model FILE     model that the daemon steps (a four-bar that is built in)\n"
    "  --daemon PATH    the daemon (beside this program, else in PATH)\n"
    "  --output DIR     folder for report and pictures (latency-output)\n"
    "  --force          replace any file there; otherwise only an older one of this program\n"
    "  --gate           exit with 1 unless the machine is accepted; a miss is measured again, "
    "once\n"
    "  --json           print the report as JSON\n"
    "  --seed N         of the intervals' random draws (1)\n"
    "  --help, --version\n"
    "\n"
    "Leaves table.txt, report.json, hist-METHOD-LOAD.txt (in the format of cyclictest's -h),\n"
    "distribution-LOAD.csv, plot.png (with gnuplot) and the daemons' logs in DIR. Ctrl-C\n"
    "ends the measurement and reports what there is.\n"
    "\n"
    "exit status: 0 measured, and accepted if --gate is given; 1 not, or not all: what there is\n"
    "is reported; 2 the command line is wrong\n";

const char *lat_wake_name(enum lat_wake wake)
{
    return wake_names[wake];
}

const char *lat_load_name(enum lat_load load)
{
    return load_names[load];
}

__attribute__((format(printf, 1, 2))) static int usage_error(const char *format, ...)
{
    char text[2048];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    complain("%s", text);
    return LAT_USAGE;
}

static int refuse_value(const struct option_row *row, const char *text, const char *expected)
{
    return usage_error("--%s %s: expected %s%s", row->name, text,
                       row->integer != NULL ? "a whole number from " : "", expected);
}

static int take_seed(const struct option_row *row, const char *text)
{
    char *end;

    errno = 0;
    *(uint64_t *)row->data = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0)
        return refuse_value(row, text, "a whole number");
    return 0;
}

/* Parse a comma-separated list of words.
 * @ret_chosen: true for each word in the list
 * Return: 0, LAT_USAGE. */
static int parse_list(const char *name, const char *text, const char *const words[], int n_words,
                      bool ret_chosen[])
{
    for (int i = 0; i < n_words; i++)
        ret_chosen[i] = false;
    for (;;) {
        size_t n = strcspn(text, ",");
        int i = 0;

        while (i < n_words && (strlen(words[i]) != n || strncmp(words[i], text, n) != 0))
            i++;
        if (i == n_words)
            return usage_error("--%s: '%.*s' is not known, expected some of %s, %s, %s", name,
                               (int)n, text, words[0], words[1], words[2]);
        ret_chosen[i] = true;
        if (text[n] == '\0')
            return 0;
        text += n + 1;
    }
}

static int take_wakes(const struct option_row *row, const char *text)
{
    struct lat_options *o = row->data;
    bool chosen[LAT_N_WAKES];
    int code = parse_list(row->name, text, wake_names, LAT_N_WAKES, chosen);

    o->n_wakes = 0;
    for (int i = 0; i < LAT_N_WAKES && code == 0; i++) {
        if (chosen[i])
            o->wakes[o->n_wakes++] = (enum lat_wake)i;
    }
    return code;
}

static int take_loads(const struct option_row *row, const char *text)
{
    struct lat_options *o = row->data;
    bool chosen[LAT_N_LOADS];
    int code = parse_list(row->name, text, load_names, LAT_N_LOADS, chosen);

    o->n_loads = 0;
    for (int i = 0; i < LAT_N_LOADS && code == 0; i++) {
        if (chosen[i])
            o->loads[o->n_loads++] = (enum lat_load)i;
    }
    return code;
}

/* Find the daemon: @given, otherwise the daemon of the same build or installation. */
static int find_daemon(const char *given, char ret_path[PATH_MAX])
{
    static const char *const places[] = {"/../../daemon/linkaged", "/linkaged"};
    char self[PATH_MAX] = "", path[PATH_MAX + 32];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash = n > 0 ? strrchr(self, '/') : NULL;

    if (given != NULL) {
        if (lat_process_find(given, ret_path))
            return 0;
        complain("--daemon %s: no such program", given);
        return LAT_FAILED;
    }
    for (int i = 0; slash != NULL && i < 2; i++) {
        *slash = '\0';
        snprintf(path, sizeof(path), "%s%s", self, places[i]);
        if (access(path, X_OK) == 0 && realpath(path, ret_path) != NULL)
            return 0;
    }
    if (lat_process_find("linkaged", ret_path))
        return 0;
    complain("linkaged is neither beside this program nor in PATH, name it "
             "by --daemon PATH");
    return LAT_FAILED;
}

static int take_all(int argc, char *argv[], struct lat_options *o, const char **daemon)
{
    const struct option_row rows[] = {
        {"core", .integer = &o->core, .low = 0, .high = CPU_SETSIZE - 1},
        {"priority", .integer = &o->priority, .low = 0, .high = 99},
        {"period", .integer = &o->period_us, .low = 50, .high = 1000000},
        {"wake", .take = take_wakes, .data = o},
        {"load", .take = take_loads, .data = o},
        {"rounds", .integer = &o->n_rounds, .low = 1, .high = 1000},
        {"slice", .number = &o->slice_s, .low = 0.1, .high = 600, .unit = "seconds"},
        {"seed", .take = take_seed, .data = &o->seed},
        {"model", .text = &o->model},
        {"daemon", .text = daemon},
        {"output", .text = &o->output},
        OUTPUT_FORCE_ROW,
        {"quick", .flag = &o->quick},
        {"gate", .flag = &o->gate},
        {"json", .flag = &o->json},
        {"help", .print = help_text},
        {"version", .program = "linkage-latency"},
        {NULL},
    };
    const struct option_table table = {rows, .refuse = refuse_value};
    int code = options_parse(argc, argv, &table);

    if (code == OPTIONS_END)
        exit(fflush(stdout) == 0 ? LAT_DONE : LAT_FAILED);
    if (code == 0 && optind < argc)
        return usage_error("unexpected argument '%s'", argv[optind]);
    return code;
}

int lat_options_parse(int argc, char *argv[], struct lat_options *ret_options)
{
    struct lat_options o = {.output = "latency-output",
                            .core = -1,
                            .priority = 80,
                            .wakes = {LAT_SLEEP, LAT_HYBRID},
                            .n_wakes = 2,
                            .loads = {LAT_NONE, LAT_HOUSEKEEPING, LAT_CORE},
                            .n_loads = 3,
                            .seed = 1};
    const char *daemon = NULL;
    int code = take_all(argc, argv, &o, &daemon);

    if (code == 0)
        code = find_daemon(daemon, o.daemon);
    if (o.n_rounds == 0)
        o.n_rounds = o.quick ? ROUNDS_QUICK : ROUNDS;
    if (o.slice_s <= 0)
        o.slice_s = o.quick ? SLICE_QUICK : SLICE_S;
    *ret_options = o;
    return code;
}
