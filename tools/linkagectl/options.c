/* SPDX-License-Identifier: Apache-2.0 */
/* The options of linkagectl. An option for some commands only sets a bit, which main.c checks
 * against those that the command accepts. */
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

/* Options without a short form. */
enum {
    ALLOW_DEGRADED = 256,
    STEPS,
    NO_WAIT,
    MODE,
    PAUSE_AFTER,
    WATCH,
    HISTOGRAM,
    CYCLES,
    OUTPUT,
    SET,
    FORCE,
    EVERY,
    TARGET,
    AMOUNT,
    SHARE,
    AFTER,
    FOR,
    SEED,
    CLEAR,
    SERVER_KEY,
    KEY,
    ROLE,
    PARAM,
};

static const struct option long_options[] = {
    {"endpoint", required_argument, NULL, 'e'},
    {"outputs", required_argument, NULL, 'o'},
    {"json", no_argument, NULL, 'j'},
    {"timeout", required_argument, NULL, 't'},
    {"count", required_argument, NULL, 'n'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {"allow-degraded", no_argument, NULL, ALLOW_DEGRADED},
    {"steps", required_argument, NULL, STEPS},
    {"no-wait", no_argument, NULL, NO_WAIT},
    {"watch", no_argument, NULL, WATCH},
    {"histogram", optional_argument, NULL, HISTOGRAM},
    {"cycles", required_argument, NULL, CYCLES},
    {"output", required_argument, NULL, OUTPUT},
    {"mode", required_argument, NULL, MODE},
    {"pause-after", required_argument, NULL, PAUSE_AFTER},
    {"set", required_argument, NULL, SET},
    {"force", no_argument, NULL, FORCE},
    {"every", required_argument, NULL, EVERY},
    {"target", required_argument, NULL, TARGET},
    {"amount", required_argument, NULL, AMOUNT},
    {"share", required_argument, NULL, SHARE},
    {"after", required_argument, NULL, AFTER},
    {"for", required_argument, NULL, FOR},
    {"seed", required_argument, NULL, SEED},
    {"clear", no_argument, NULL, CLEAR},
    {"server-key", required_argument, NULL, SERVER_KEY},
    {"key", required_argument, NULL, KEY},
    {"role", required_argument, NULL, ROLE},
    {"param", required_argument, NULL, PARAM},
    {NULL, 0, NULL, 0},
};

int ctl_usage(const char *format, ...)
{
    va_list args;

    fprintf(stderr, "linkagectl: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "; try: linkagectl --help\n");
    return CTL_USAGE;
}

static int read_seconds(const char *text, int *ret_ms)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || *end != '\0' || !(seconds > 0) || seconds > 1e6)
        return ctl_usage("--timeout %s: expected seconds above 0", text);
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
        return ctl_usage("%s %s: expected a whole number above 0", option, text);
    if (errno != 0 || count > most)
        return ctl_usage("%s %s: expected at most %lu", option, text, most);
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

/* Only the syntax of a number is checked: the daemon checks its range. */
static int read_number(const char *option, const char *text, double *ret_number)
{
    char *end;
    double number = strtod(text, &end);

    if (end == text || *end != '\0' || !isfinite(number))
        return ctl_usage("%s %s: expected a number", option, text);
    *ret_number = number;
    return CTL_OK;
}

static int read_seed(const char *text, uint64_t *ret_seed)
{
    unsigned long count = 0;
    int status = read_count("--seed", text, ULONG_MAX, &count);

    *ret_seed = count;
    return status;
}

static int read_mode(const char *text, struct ctl_options *options)
{
    options->mode = lk_names_to_mode(text);
    if (options->mode == LINKAGE__V1__MODE__MODE_UNSPECIFIED)
        return ctl_usage("--mode %s: expected realtime, lockstep or asap", text);
    return CTL_OK;
}

static int read_setting(char *text, struct ctl_options *options)
{
    if (strchr(text, '=') == NULL)
        return ctl_usage("--set %s: expected CHANNEL=VALUE, or =VALUE,VALUE,...", text);
    if (options->n_settings >= CTL_SETTINGS_MAX)
        return ctl_usage("--set: expected at most %d of them", CTL_SETTINGS_MAX);
    options->settings[options->n_settings++] = text;
    return CTL_OK;
}

static int read_param(const char *text, struct ctl_options *options)
{
    char path[LK_PATH_SIZE];
    struct lk_error error;
    double value = 0;

    if (lk_setting_parse(text, path, &value, &error) != 0)
        return ctl_usage("--param: %s", error.text);
    if (lk_settings_add(&options->params, path, value) != 0)
        return ctl_usage("--param: expected at most %d of them", LK_SETTINGS_MAX);
    return CTL_OK;
}

/* Of `inject`. */
static int read_injection(int c, struct ctl_options *options)
{
    Linkage__V1__Injection *injection = &options->injection;

    options->given |= CTL_INJECTION;
    switch (c) {
    case TARGET:
        injection->target = optarg;
        return CTL_OK;
    case AMOUNT:
        return read_number("--amount", optarg, &injection->amount);
    case SHARE:
        return read_number("--share", optarg, &injection->share);
    case AFTER:
        return read_number("--after", optarg, &injection->after_s);
    case FOR:
        return read_number("--for", optarg, &injection->for_s);
    case SEED:
        return read_seed(optarg, &injection->seed);
    case CLEAR:
        options->clear = true;
        return CTL_OK;
    default:
        return ctl_usage("an option that is not read");
    }
}

/* Options of the commands that only read. */
static int read_looking(int c, struct ctl_options *options)
{
    switch (c) {
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
    case EVERY:
        options->given |= CTL_EVERY;
        return read_number("--every", optarg, &options->every);
    default:
        return read_injection(c, options);
    }
}

/* Options of the commands that change something. */
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
    case MODE:
        options->given |= CTL_ARMING;
        return read_mode(optarg, options);
    case NO_WAIT:
        options->given |= CTL_NO_WAIT;
        options->no_wait = true;
        return CTL_OK;
    case PAUSE_AFTER:
        options->given |= CTL_PAUSE_AFTER;
        return read_count("--pause-after", optarg, ULONG_MAX, &options->pause_after);
    case SET:
        options->given |= CTL_STEPPING;
        return read_setting(optarg, options);
    case PARAM:
        options->given |= CTL_PARAM;
        return read_param(optarg, options);
    case FORCE:
        options->given |= CTL_FORCE;
        options->force = true;
        return CTL_OK;
    case SERVER_KEY:
        options->server_key = optarg;
        return CTL_OK;
    case KEY:
        options->key = optarg;
        return CTL_OK;
    case ROLE:
        options->given |= CTL_ROLE;
        options->role = optarg;
        return CTL_OK;
    default:
        return read_looking(c, options);
    }
}

/* @c: what getopt_long() says of @word: ':' or '?' */
static int refuse_option(int c, const char *word)
{
    bool is_long = strncmp(word, "--", 2) == 0;

    if (!is_long && optopt > 0 && optopt < 256 && c == '?')
        return ctl_usage("there is no option -%c", optopt);
    if (c == ':')
        return ctl_usage("%s needs a value", word);
    if (optopt != 0)
        return ctl_usage("%s: this option takes no value", word);
    return ctl_usage("there is no option %s, or more than one that begins so", word);
}

int ctl_read_options(int argc, char **argv, struct ctl_options *options, bool permute,
                     bool *ret_done)
{
    int status = CTL_OK;
    int c;

    opterr = 0; /* this message replaces getopt's */
    optind = 0; /* restarts glibc's getopt, also on another array */
    while (status == CTL_OK && !*ret_done &&
           (c = getopt_long(argc, argv, permute ? ":e:o:jt:n:hV" : "+:e:o:jt:n:hV", long_options,
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
        case 'V':
            puts("linkagectl " LINKAGE_VERSION);
            *ret_done = true;
            break;
        case '?':
        case ':':
            status = refuse_option(c, argv[optind - 1]);
            break;
        default:
            status = read_special(c, options);
        }
    }
    return status;
}

bool ctl_read_last(const char *word, struct ctl_options *options)
{
    if (strcmp(word, "--json") == 0) {
        options->json = true;
        return true;
    }
    if (strcmp(word, "--force") == 0) {
        options->given |= CTL_FORCE;
        options->force = true;
        return true;
    }
    return false;
}
