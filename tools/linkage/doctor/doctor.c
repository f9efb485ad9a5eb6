/* SPDX-License-Identifier: Apache-2.0 */
/* linkage doctor: the command line. */
#include "doctor.h"
#include "commands.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PRIORITY_DEFAULT 80
#define PRIORITY_MAX     99
#define PROBE_MIN_S      0.05
#define PROBE_MAX_S      3600.0

static int refuse_usage(const char *text, const char *value)
{
    usage_error("%s '%s'", text, value);
    return DOCTOR_EXIT_USAGE;
}

static int refuse_option(const struct option_row *row, const char *text, const char *expected)
{
    usage_error("--%s: expected %s, not '%s'", row->name, expected, text);
    return DOCTOR_EXIT_USAGE;
}

/* Parse a list of cores like lk_host_parse_cpus(), but accept only a text that is valid as a
 * whole. */
static bool parse_cores(const char *text, cpu_set_t *ret_cores)
{
    const char *at = text;
    char *end;
    long first, last;

    for (;; at = end + 1) {
        if (*at < '0' || *at > '9')
            return false;
        first = last = strtol(at, &end, 10);
        if (*end == '-' && end[1] >= '0' && end[1] <= '9')
            last = strtol(end + 1, &end, 10);
        if (last < first || last >= CPU_SETSIZE)
            return false;
        if (*end != ',')
            break;
    }
    return *end == '\0' && lk_host_parse_cpus(text, ret_cores) > 0;
}

static bool is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int take_cores(const struct option_row *row, const char *text)
{
    return parse_cores(text, row->data)
               ? 0
               : refuse_option(row, text, "a list of cores like 2 or 1-3,5");
}

static int take_root(const struct option_row *row, const char *text)
{
    *(const char **)row->data = text;
    return is_directory(text) ? 0 : refuse_option(row, text, "a folder with proc and sys in it");
}

static int take_probe(const struct option_row *row, const char *text)
{
    double *seconds = row->data;

    if (parse_number(text, seconds) && *seconds <= PROBE_MAX_S &&
        (*seconds == 0.0 || *seconds >= PROBE_MIN_S))
        return 0;
    return refuse_option(row, text, "0, or 0.05 to 3600 seconds");
}

static int refuse_unknown(int c, const char *word)
{
    (void)c; /* getopt has printed the error */
    (void)word;
    return DOCTOR_EXIT_USAGE;
}

static struct progress bar; /* of the spin probe */

static void show_part(double part)
{
    progress_show(&bar, now_s(), part < 1 ? part : 1);
}

static int examine_machine(struct doctor_options *options)
{
    struct doctor *doctor = calloc(1, sizeof(*doctor));
    struct doctor_finding *findings =
        calloc((size_t)doctor_n_checks, sizeof(struct doctor_finding));
    int counts[DOCTOR_VERDICTS] = {0};
    int code = DOCTOR_EXIT_FAIL;

    if (doctor == NULL || findings == NULL) {
        complain("out of memory");
        goto done;
    }
    progress_start(&bar);
    if (bar.terminal)
        options->show = show_part;
    doctor_read_machine(options, doctor);
    if (options->root[0] == '\0')
        doctor_try(doctor);
    progress_hide();
    doctor_examine(doctor, findings);
    doctor_ask_daemon(doctor);
    if (options->json)
        doctor_print_json(stdout, doctor, findings);
    else
        doctor_print_text(stdout, doctor, findings);
    doctor_count(findings, counts);
    code = doctor_exit_of(doctor, counts);
done:
    free(findings);
    free(doctor);
    return code;
}

int command_doctor(int argc, char *argv[])
{
    struct doctor_options options = {.root = "", .priority = PRIORITY_DEFAULT, .probe_s = 1.0};
    const struct option_row rows[] = {
        {"core", 'c', .take = take_cores, .data = &options.cores},
        {"priority", 'p', .integer = &options.priority, .low = 1, .high = PRIORITY_MAX,
         .expected = "a whole number from 1 to 99"},
        {"directory", 'd', .text = &options.directory},
        {"root", .take = take_root, .data = &options.root},
        {"probe", .take = take_probe, .data = &options.probe_s},
        {"json", 'j', .flag = &options.json},
        {"quiet", 'q', .flag = &options.quiet},
        {"help", 'h', .end = print_help},
        {NULL},
    };
    const struct option_table table = {rows, .refuse = refuse_option, .unknown = refuse_unknown};
    int code;

    CPU_ZERO(&options.cores);
    code = options_parse(argc, argv, &table);
    if (code != 0)
        return code;
    if (optind < argc)
        return refuse_usage("doctor takes options only, not", argv[optind]);
    return examine_machine(&options);
}
