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

enum { OPTION_PROBE = 256 };

static const struct option option_table[] = {
    {"core", required_argument, NULL, 'c'},
    {"priority", required_argument, NULL, 'p'},
    {"directory", required_argument, NULL, 'd'},
    {"root", required_argument, NULL, 'r'},
    {"probe", required_argument, NULL, OPTION_PROBE},
    {"json", no_argument, NULL, 'j'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int refuse_usage(const char *text, const char *value)
{
    usage_error("%s '%s'", text, value);
    return DOCTOR_EXIT_USAGE;
}

/* Like lk_host_parse_cpus(), but the whole text must be a valid list. */
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

/* Return: 0, or DOCTOR_EXIT_USAGE after an error message. */
static int take_option(int option, struct doctor_options *options)
{
    double number = 0.0;

    switch (option) {
    case 'c':
        if (!parse_cores(optarg, &options->cores))
            return refuse_usage("--core: expected a list of cores like 2 or 1-3,5, not", optarg);
        return 0;
    case 'p':
        if (!parse_number(optarg, &number) || number < 1 || number > PRIORITY_MAX ||
            number != (int)number)
            return refuse_usage("--priority: expected a whole number from 1 to 99, not", optarg);
        options->priority = (int)number;
        return 0;
    case OPTION_PROBE:
        if (!parse_number(optarg, &number) || number > PROBE_MAX_S ||
            (number != 0.0 && number < PROBE_MIN_S))
            return refuse_usage("--probe: expected 0, or 0.05 to 3600 seconds, not", optarg);
        options->probe_s = number;
        return 0;
    case 'd':
        options->directory = optarg;
        return 0;
    case 'r':
        if (!is_directory(optarg))
            return refuse_usage("--root: expected a folder with proc and sys in it, not", optarg);
        options->root = optarg;
        return 0;
    case 'j':
        options->json = true;
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    default: /* getopt has printed the error */
        return DOCTOR_EXIT_USAGE;
    }
}

static int examine_machine(const struct doctor_options *options)
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
    doctor_read_machine(options, doctor);
    if (options->root[0] == '\0')
        doctor_try(doctor);
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
    int option;

    CPU_ZERO(&options.cores);
    while ((option = getopt_long(argc, argv, "c:p:d:jqh", option_table, NULL)) != -1) {
        if (option == 'h')
            return print_help();
        if (take_option(option, &options))
            return DOCTOR_EXIT_USAGE;
    }
    if (optind < argc)
        return refuse_usage("doctor takes options only, not", argv[optind]);
    return examine_machine(&options);
}
