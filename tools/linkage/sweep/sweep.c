/* SPDX-License-Identifier: Apache-2.0 */
/* linkage sweep: runs many cases of a model. */
#include "sweep.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define JOBS_MAX 1024

/* struct options - the command line.
 * @job:   its output is also used for a single case or a join
 * @i:     number of --case, from 1; 0: all cases
 * @shard: "K/N"
 * @paths: a study, or with --join journals */
struct options {
    struct job job;
    const char *shard;
    uint64_t i;
    bool is_list;
    bool is_join;
    char **paths;
    int n_paths;
};

static int parse_options(int argc, char *argv[], struct options *o)
{
    const struct option_row rows[] = {
        {"output", 'o', .text = &o->job.output},
        OUTPUT_FORCE_ROW,
        {"jobs", 'j', .whole = &o->job.n_jobs, .low = 1, .high = JOBS_MAX},
        {"shard", .text = &o->shard},
        {"case", .count = &o->i, .low = 1, .high = STUDY_CASES_MAX},
        {"list", .flag = &o->is_list},
        {"join", .flag = &o->is_join},
        {"fresh", .flag = &o->job.is_fresh},
        {"json", .flag = &o->job.is_json},
        {"help", 'h', .end = print_help},
        {NULL},
    };
    int code = options_parse(argc, argv, &(struct option_table){rows, .refuse = refuse_value});

    if (code == EXIT_DONE && o->shard != NULL)
        code = shard_parse(o->shard, &o->job.shard);
    if (code != EXIT_DONE)
        return code;
    o->paths = argv + optind;
    o->n_paths = argc - optind;
    if (o->is_join ? o->n_paths < 1 : o->n_paths != 1)
        return usage_error(o->is_join ? "sweep --join takes journals" : "sweep takes one study");
    if (o->job.is_json && (o->is_list || o->i > 0))
        return usage_error("--json is of a table, expected none with --list and --case");
    if (o->is_list + o->is_join + (o->i > 0) + (o->shard != NULL) > 1)
        return usage_error("expected one of --list, --case, --shard, --join");
    if (o->job.output == NULL && !o->is_list && o->i == 0)
        return usage_error("expected --output TABLE.csv");
    if (o->job.output != NULL && strcmp(o->job.output, "-") == 0 && o->i == 0)
        return usage_error("the table is kept with its journal, expected --output FILE");
    return o->shard != NULL || o->is_join || o->is_list || o->i > 0
               ? EXIT_DONE
               : shard_find(&o->job.shard, &o->job.place);
}

/* ---- single cases ---- */

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
    bool is_stdout = o->job.output != NULL && strcmp(o->job.output, "-") == 0;
    FILE *to = is_stdout ? stderr : stdout;
    char *row = NULL;
    int outcome;

    if (o->i > plan->study->cases)
        return usage_error("case is %" PRIu64 ", the study has %" PRIu64, o->i, plan->study->cases);
    case_print(plan, o->i - 1, to);
    fflush(to);
    outcome = case_run(plan, o->i - 1, o->job.output, &row);
    if (outcome >= 0)
        fprintf(to, "%s\n%s\n", plan->header, row);
    free(row);
    return outcome < 0 ? EXIT_REFUSED : outcome == OUTCOME_PASSED ? EXIT_DONE : EXIT_WARNED;
}

static int run_study(const struct options *o)
{
    struct lk_errors errors = {0};
    struct study *study = NULL;
    struct plan *plan = NULL;
    int code = EXIT_REFUSED, result = study_read(o->paths[0], &study, &errors);

    for (int i = 0; i < errors.n; i++)
        file_error("%s", errors.line[i].text);
    if (result < 0)
        complain("%s: %s", o->paths[0], strerror(-result));
    if (result == 0 && o->is_list)
        code = list_cases(study);
    else if (result == 0 && (plan = plan_new(study)) != NULL)
        code = o->i > 0 ? run_one(plan, o) : run_all(plan, &o->job);
    plan_free(plan);
    study_free(study);
    return code;
}

int command_sweep(int argc, char *argv[])
{
    struct options o = {.job.shard = {0, 1, NULL}};
    struct table_counts counts = {0};
    int code = parse_options(argc, argv, &o);

    if (code != EXIT_DONE)
        return code;
    if (!o.is_join)
        return run_study(&o);
    code = table_write((const char *const *)o.paths, o.n_paths, o.job.output, &counts.cases,
                       &counts.n_bad);
    counts.n_rows = counts.cases;
    if (code == EXIT_DONE)
        table_say(o.job.output, &counts, o.job.is_json);
    return code == EXIT_DONE && counts.n_bad > 0 ? EXIT_WARNED : code;
}
