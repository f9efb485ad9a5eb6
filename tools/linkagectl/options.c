/* SPDX-License-Identifier: Apache-2.0 */
/* The options of linkagectl. An option that only some commands accept sets a bit. main.c checks
 * whether the command accepts it. */
#include "ctl.h"
#include "message.h"
#include "numbers.h"
#include "option_table.h"
#include "report.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ctl_usage(const char *format, ...)
{
    char text[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    complain("%s; try: linkagectl --help", text);
    return CTL_USAGE;
}

static int refuse_value(const struct option_row *row, const char *text, const char *expected)
{
    return ctl_usage("--%s %s: expected %s", row->name, text, expected);
}

static int take_seconds(const struct option_row *row, const char *text)
{
    double seconds;

    if (!parse_number(text, &seconds) || !(seconds > 0) || seconds > 1e6)
        return refuse_value(row, text, "seconds above 0");
    *(int *)row->data = (int)ceil(seconds * 1e3);
    return CTL_OK;
}

/* Parse a whole number from 1 to @row->high (0: no limit) into a uint64_t. */
static int take_count(const struct option_row *row, const char *text)
{
    uint64_t most = row->high > 0 ? (uint64_t)row->high : UINT64_MAX, count;
    char *end;

    errno = 0;
    count = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || count == 0)
        return refuse_value(row, text, "a whole number above 0");
    if (errno != 0 || count > most)
        return ctl_usage("--%s %s: expected at most %llu", row->name, text,
                         (unsigned long long)most);
    *(uint64_t *)row->data = count;
    return CTL_OK;
}

static int take_histogram(const struct option_row *row, const char *text)
{
    struct ctl_options *options = row->data;
    const struct option_row limit = {row->name, .data = &options->limit_us,
                                     .high = LK_REPORT_LIMIT_MAX_US};

    options->histogram = true;
    options->limit_us = 0;
    return text != NULL ? take_count(&limit, text) : CTL_OK;
}

static int take_mode(const struct option_row *row, const char *text)
{
    Linkage__V1__Mode *mode = row->data;

    *mode = lk_names_to_mode(text);
    if (*mode == LINKAGE__V1__MODE__MODE_UNSPECIFIED)
        return refuse_value(row, text, "realtime, lockstep or asap");
    return CTL_OK;
}

static int take_setting(const struct option_row *row, const char *text)
{
    struct ctl_options *options = row->data;

    if (strchr(text, '=') == NULL)
        return refuse_value(row, text, "CHANNEL=VALUE, or =VALUE,VALUE,...");
    if (options->n_settings >= CTL_SETTINGS_MAX)
        return ctl_usage("--set: expected at most %d of them", CTL_SETTINGS_MAX);
    options->settings[options->n_settings++] = (char *)text; /* points into the command line */
    return CTL_OK;
}

static int take_param(const struct option_row *row, const char *text)
{
    struct lk_settings *params = row->data;
    char path[LK_PATH_SIZE];
    struct lk_error error;
    double value = 0;

    if (lk_setting_parse(text, path, &value, &error) != 0)
        return ctl_usage("--param: %s", error.text);
    if (lk_settings_add(params, path, value) != 0)
        return ctl_usage("--param: expected at most %d of them", LK_SETTINGS_MAX);
    return CTL_OK;
}

/* Print the error about an invalid option, see struct option_table. */
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

int ctl_read_options(int argc, char **argv, struct ctl_options *o, bool permute)
{
    Linkage__V1__Injection *injection = &o->injection;
    const struct option_row rows[] = {
        {"endpoint", 'e', .text = &o->endpoint},
        {"outputs", 'o', .text = &o->outputs},
        {"json", 'j', .flag = &o->json},
        {"timeout", 't', .take = take_seconds, .data = &o->timeout_ms},
        {"count", 'n', .take = take_count, .data = &o->count},
        {"help", 'h', .end = ctl_help},
        {"version", 'V', .program = "linkagectl"},
        {"allow-degraded", .flag = &o->allow_degraded, .mark = CTL_ARMING},
        {"steps", .take = take_count, .data = &o->steps, .high = UINT32_MAX, .mark = CTL_ARMING},
        {"no-wait", .flag = &o->no_wait, .mark = CTL_NO_WAIT},
        {"watch", .flag = &o->watch, .mark = CTL_LATENCY},
        {"histogram", .take = take_histogram, .data = o, .optional = true, .mark = CTL_LATENCY},
        {"cycles", .take = take_count, .data = &o->cycles, .high = UINT32_MAX, .mark = CTL_CYCLES},
        {"output", .text = &o->output, .mark = CTL_OUTPUT},
        {"mode", .take = take_mode, .data = &o->mode, .mark = CTL_ARMING},
        {"pause-after", .take = take_count, .data = &o->pause_after, .mark = CTL_PAUSE_AFTER},
        {"set", .take = take_setting, .data = o, .mark = CTL_STEPPING},
        {"force", .flag = &o->force, .mark = CTL_FORCE},
        {"every", .number = &o->every, .expected = "a number", .mark = CTL_EVERY},
        {"target", .text = (const char **)&injection->target, .mark = CTL_INJECTION},
        {"amount", .number = &injection->amount, .expected = "a number", .mark = CTL_INJECTION},
        {"share", .number = &injection->share, .expected = "a number", .mark = CTL_INJECTION},
        {"after", .number = &injection->after_s, .expected = "a number", .mark = CTL_INJECTION},
        {"for", .number = &injection->for_s, .expected = "a number", .mark = CTL_INJECTION},
        {"seed", .take = take_count, .data = &injection->seed, .mark = CTL_INJECTION},
        {"clear", .flag = &o->clear, .mark = CTL_INJECTION},
        {"server-key", .text = &o->server_key},
        {"key", .text = &o->key},
        {"role", .text = &o->role, .mark = CTL_ROLE},
        {"param", .take = take_param, .data = &o->params, .mark = CTL_PARAM},
        {NULL},
    };
    const struct option_table table = {rows, .refuse = refuse_value, .unknown = refuse_option,
                                       .order = permute ? ":" : "+:", .given = &o->given};

    opterr = 0; /* messages are printed here instead of by getopt */
    optind = 0; /* restarts glibc's getopt, also for another array */
    return options_parse(argc, argv, &table);
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
