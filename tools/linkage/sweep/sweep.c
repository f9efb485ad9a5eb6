/* SPDX-License-Identifier: Apache-2.0 */
/* linkage sweep: many cases of a model. */
#include "sweep.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS_MAX 1024

/* struct options - the command line. @jobs: 0: one for each core;  @i: of --case, from 1; 0: all
 * cases;  @paths: a study, or with --join journals */
struct options {
    const char *output;
    long jobs;
    struct shard shard;
    bool has_shard;
    uint64_t i;
    bool is_list;
    bool is_join;
    bool is_fresh;
    char **paths;
    int n_paths;
};

enum { SHARD = 256, CASE, LIST, JOIN, FRESH };

static int parse_count(const char *what, const char *text, double max, double *ret)
{
    if (parse_number(text, ret) && *ret == floor(*ret) && *ret >= 1 && *ret <= max)
        return EXIT_DONE;
    return usage_error("%s is '%s', expected 1 to %.0f", what, text, max);
}

static int take_option(int option, const char *text, struct options *o)
{
    double number = 0;
    int code;

    switch (option) {
    case 'o':
        o->output = text;
        return EXIT_DONE;
    case 'j':
        code = parse_count("jobs", text, JOBS_MAX, &number);
        o->jobs = (long)number;
        return code;
    case CASE:
        code = parse_count("case", text, STUDY_CASES_MAX, &number);
        o->i = (uint64_t)number;
        return code;
    case SHARD:
        o->has_shard = true;
        return shard_parse(text, &o->shard);
    case LIST:
        o->is_list = true;
        return EXIT_DONE;
    case JOIN:
        o->is_join = true;
        return EXIT_DONE;
    case FRESH:
        o->is_fresh = true;
        return EXIT_DONE;
    default: /* getopt has printed the error */
        return EXIT_USAGE;
    }
}

static int parse_options(int argc, char *argv[], struct options *o, bool *ret_help)
{
    static const struct option longs[] = {{"output", required_argument, NULL, 'o'},
                                          {"jobs", required_argument, NULL, 'j'},
                                          {"shard", required_argument, NULL, SHARD},
                                          {"case", required_argument, NULL, CASE},
                                          {"list", no_argument, NULL, LIST},
                                          {"join", no_argument, NULL, JOIN},
                                          {"fresh", no_argument, NULL, FRESH},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int option, code;

    while ((option = getopt_long(argc, argv, "o:j:h", longs, NULL)) != -1) {
        if (option == 'h') {
            *ret_help = true;
            return EXIT_DONE;
        }
        code = take_option(option, optarg, o);
        if (code != EXIT_DONE)
            return code;
    }
    o->paths = argv + optind;
    o->n_paths = argc - optind;
    if (o->is_join ? o->n_paths < 1 : o->n_paths != 1)
        return usage_error(o->is_join ? "sweep --join takes journals" : "sweep takes one study");
    if (o->is_list + o->is_join + (o->i > 0) + o->has_shard > 1)
        return usage_error("expected one of --list, --case, --shard, --join");
    if (o->output == NULL && !o->is_list && o->i == 0)
        return usage_error("expected --output TABLE.csv");
    if (o->output != NULL && strcmp(o->output, "-") == 0 && o->i == 0)
        return usage_error("the table is kept with its journal, expected --output FILE");
    return o->has_shard || o->is_join || o->is_list || o->i > 0 ? EXIT_DONE : shard_find(&o->shard);
}

/* ---- one of them ---- */

static int list_cases(const struct study *s)
{
    fputs("case", stdout);
    for (int q = 0; q < s->n_quantities; q++) {
        putchar(',');
        put_field(stdout, s->quantity[q].name);
    }
    for (uint64_t i = 0; i < s->cases; i++) {
        printf("\n%" PRIu64, i + 1);
        for (int q = 0; q < s->n_quantities; q++) {
            double value = study_value(s, q, i);

            putchar(',');
            if (s->quantity[q].file != NULL)
                put_field(stdout, s->quantity[q].file[(int)value]);
            else
                printf("%.17g", value);
        }
    }
    putchar('\n');
    return EXIT_DONE;
}

static int run_one(struct plan *plan, const struct options *o)
{
    bool is_stdout = o->output != NULL && strcmp(o->output, "-") == 0;
    FILE *to = is_stdout ? stderr : stdout;
    char *row = NULL;
    int outcome;

    if (o->i > plan->study->cases)
        return usage_error("case is %" PRIu64 ", the study has %" PRIu64, o->i, plan->study->cases);
    case_print(plan, o->i - 1, to);
    fflush(to);
    outcome = case_run(plan, o->i - 1, o->output, &row);
    if (outcome >= 0)
        fprintf(to, "%s\n%s\n", plan->header, row);
    free(row);
    return outcome < 0 ? EXIT_REFUSED : outcome == OUTCOME_PASSED ? EXIT_DONE : EXIT_WARNED;
}

/* ---- all of them ---- */

static char *journal_path(const char *output, const struct shard *shard, long index)
{
    char *path;
    int n = shard->count == 1
                ? asprintf(&path, "%s.journal", output)
                : asprintf(&path, "%s.%ld-of-%ld.journal", output, index + 1, shard->count);

    return n < 0 ? NULL : path;
}

/* The table, if all shards have run to their ends: whoever ends last writes it.
 * Return: EXIT_DONE also if they have not. */
static int finish(const struct options *o, uint64_t cases)
{
    char **paths = calloc((size_t)o->shard.count, sizeof(*paths));
    uint64_t n_cases = 0, n_bad = 0, n_rows = 0;
    int code = EXIT_DONE;

    for (long k = 0; k < o->shard.count && paths != NULL; k++) {
        struct pages pages;
        struct record record;
        uint64_t i;

        paths[k] = journal_path(o->output, &o->shard, k);
        if (paths[k] == NULL || pages_open(paths[k], &pages) != 0)
            continue;
        for (size_t at = pages.head; pages_next(&pages, &at, &i, &record);)
            n_rows++;
        pages_close(&pages);
    }
    if (n_rows < cases) {
        printf("other shards go on: the last one writes %s, or linkage sweep --join\n", o->output);
    } else {
        code = table_write((const char *const *)paths, (int)o->shard.count, o->output, &n_cases,
                           &n_bad);
        if (code == EXIT_DONE)
            printf("%s: %" PRIu64 " cases, %" PRIu64 " passed, %" PRIu64 " not\n", o->output,
                   n_cases, n_cases - n_bad, n_bad);
        if (code == EXIT_DONE && n_bad > 0)
            code = EXIT_WARNED;
    }
    for (long k = 0; k < o->shard.count && paths != NULL; k++)
        free(paths[k]);
    free(paths);
    return code;
}

/* Of Open MPI each rank is a process of its own already. */
static int count_jobs(const struct options *o)
{
    cpu_set_t cores;

    if (o->jobs > 0)
        return (int)o->jobs;
    if (getenv("OMPI_COMM_WORLD_RANK") != NULL && !o->has_shard)
        return 1;
    return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

static int run_all(struct plan *plan, const struct options *o)
{
    char *path = journal_path(o->output, &o->shard, o->shard.index);
    struct journal journal = {.fd = -1};
    int code = EXIT_REFUSED;
    bool is_well;

    if (path == NULL) {
        complain("out of memory");
        return EXIT_REFUSED;
    }
    if (journal_open(plan, path, o->is_fresh, &journal)) {
        if (o->shard.count > 1)
            printf("shard %ld of %ld%s%s\n", o->shard.index + 1, o->shard.count,
                   o->shard.by != NULL ? ", by " : "", o->shard.by != NULL ? o->shard.by : "");
        if (journal.n_done > 0)
            printf("%s has %" PRIu64 " cases already\n", path, journal.n_done);
        fflush(stdout);
        is_well = crew_run(plan, &o->shard, count_jobs(o), &journal);
        journal_close(&journal);
        code = is_well ? finish(o, plan->study->cases) : EXIT_REFUSED;
    }
    free(path);
    return code;
}

static int run_study(const struct options *o)
{
    struct lk_errors errors = {0};
    struct study *study = NULL;
    struct plan *plan = NULL;
    int code = EXIT_REFUSED, result = study_read(o->paths[0], &study, &errors);

    for (int i = 0; i < errors.n; i++)
        fprintf(stderr, "%s\n", errors.line[i].text);
    if (result < 0)
        complain("%s: %s", o->paths[0], strerror(-result));
    if (result == 0 && o->is_list)
        code = list_cases(study);
    else if (result == 0 && (plan = plan_new(study)) != NULL)
        code = o->i > 0 ? run_one(plan, o) : run_all(plan, o);
    plan_free(plan);
    study_free(study);
    return code;
}

int command_sweep(int argc, char *argv[])
{
    struct options o = {.shard = {0, 1, NULL}};
    uint64_t cases, bad;
    bool help = false;
    int code = parse_options(argc, argv, &o, &help);

    if (code != EXIT_DONE)
        return code;
    if (help)
        return print_help();
    if (!o.is_join)
        return run_study(&o);
    code = table_write((const char *const *)o.paths, o.n_paths, o.output, &cases, &bad);
    if (code == EXIT_DONE)
        printf("%s: %" PRIu64 " cases, %" PRIu64 " passed, %" PRIu64 " not\n", o.output, cases,
               cases - bad, bad);
    return code == EXIT_DONE && bad > 0 ? EXIT_WARNED : code;
}
