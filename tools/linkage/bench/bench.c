/* SPDX-License-Identifier: Apache-2.0 */
/* linkage bench: measures the duration of a step on this machine. */
#include "bench.h"
#include "commands.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PEAK_S       0.25
#define PEAK_QUICK_S 0.02
#define PATH_SIZE    4096

/** struct names - names of the models to run, in their order; heap copies. */
struct names {
    char **list;
    int n;
};

static int add_name(struct names *names, const char *name)
{
    char **list = realloc(names->list, (size_t)(names->n + 1) * sizeof(*list));

    if (list == NULL)
        return -ENOMEM;
    names->list = list;
    list[names->n] = strdup(name);
    if (list[names->n] == NULL)
        return -ENOMEM;
    names->n++;
    return 0;
}

static int add_built_in(struct names *names)
{
    int r = 0;

    for (int i = 0; bench_built_in[i] != NULL && r == 0; i++)
        r = add_name(names, bench_built_in[i]);
    return r;
}

/* Add the models of a folder, sorted by name. */
static int add_folder(struct names *names, const char *folder)
{
    char pattern[PATH_SIZE];
    glob_t found;
    int r = 0;

    if (snprintf(pattern, sizeof(pattern), "%s/*.yaml", folder) >= (int)sizeof(pattern))
        return -ENAMETOOLONG;
    if (glob(pattern, 0, NULL, &found) != 0)
        return -ENOENT;
    for (size_t i = 0; i < found.gl_pathc && r == 0; i++)
        r = add_name(names, found.gl_pathv[i]);
    globfree(&found);
    return r;
}

static int add_argument(struct names *names, const char *name)
{
    struct stat status;
    int r;

    if (strcmp(name, "built-in") == 0)
        r = add_built_in(names);
    else if (!bench_is_built_in(name) && stat(name, &status) == 0 && S_ISDIR(status.st_mode))
        r = add_folder(names, name);
    else
        r = add_name(names, name);
    if (r == -ENOENT)
        complain("%s: there is no model in this folder, expected files *.yaml", name);
    else if (r != 0)
        complain("%s: %s", name, strerror(-r));
    return r;
}

/* Collect the names of all models given on the command line.
 * Return: EXIT_DONE, EXIT_REFUSED after an error message */
static int gather_names(const struct bench_options *options, struct names *names)
{
    if (options->n_names == 0)
        return add_argument(names, "built-in") == 0 ? EXIT_DONE : EXIT_REFUSED;
    for (int i = 0; i < options->n_names; i++)
        if (add_argument(names, options->names[i]) != 0)
            return EXIT_REFUSED;
    return EXIT_DONE;
}

static void release_names(struct names *names)
{
    for (int i = 0; i < names->n; i++)
        free(names->list[i]);
    free(names->list);
}

/* Read a built-in model or a model file.
 * Return: NULL after an error message; release the model with lk_model_free() */
static struct lk_model *open_model(const char *name)
{
    struct lk_error error = {""};
    struct lk_model *model = NULL;
    size_t size = 0;
    char *text;
    int r;

    if (!bench_is_built_in(name))
        return load_model(name);
    text = bench_model_text(name, &size);
    r = text == NULL ? -errno : lk_model_read_text(name, text, size, &model, &error);
    free(text);
    if (r != 0)
        file_error("%s: %s", name, r > 0 ? error.text : strerror(-r));
    return model;
}

/* Add the properties of the compiled model that can be computed without a step. */
static int explain_result(const char *name, const struct lk_model *model,
                          struct bench_result *result)
{
    struct lk_system *system = compile_model(name, model, NULL);

    if (system == NULL)
        return EXIT_REFUSED;
    snprintf(result->name, sizeof(result->name), "%s", lk_model_name(model));
    lk_system_summary(system, &result->summary);
    result->step_s = lk_system_step_size(system);
    result->shares_work = lk_system_shares_work(system);
    result->workers_useful = lk_system_workers_useful(system);
    lk_system_free(system);
    return EXIT_DONE;
}

static int bench_one(const char *name, const struct bench_run *run, struct bench_result *result)
{
    struct lk_model *model = open_model(name);
    int code;

    if (model == NULL)
        return EXIT_REFUSED;
    code = bench_measure(name, model, run->options, result);
    if (code == EXIT_DONE)
        code = explain_result(name, model, result);
    lk_model_free(model);
    return code;
}

/* Measure the properties of the machine.
 * Return: EXIT_DONE, EXIT_REFUSED after an error message */
static int look_at_machine(struct bench_run *run)
{
    double time_s = run->options->is_quick ? PEAK_QUICK_S : PEAK_S;
    struct bench_counters counters;
    int r;

    bench_host_read(&run->host);
    bench_peak_measure(time_s, &run->peak);
    run->meeting_ns = run->fork_ns = -1;
    r = bench_meeting_measure(time_s, &run->meeting_ns);
    if (r == 0)
        r = bench_fork_measure(time_s, &run->fork_ns);
    if (r != 0 && r != -ENOTSUP) {
        complain("the machine cannot be measured: %s", strerror(-r));
        return EXIT_REFUSED;
    }
    bench_counters_open(&counters);
    run->counters_missing = counters.error != 0 ? bench_counters_reason(&counters) : NULL;
    bench_counters_close(&counters);
    return EXIT_DONE;
}

/* the bar of all models: @model of @n is measured */
static struct {
    struct progress progress;
    int model;
    int n;
} bar;

static void show_part(double part)
{
    progress_show(&bar.progress, now_s(), (bar.model + fmin(part, 1)) / bar.n);
}

static int bench_all(struct bench_run *run, const struct names *names)
{
    bool is_json = run->options->is_json;
    int code = EXIT_DONE;

    if (!is_json)
        bench_print_begin(stdout, run);
    bar.n = names->n;
    progress_start(&bar.progress);
    for (int i = 0; i < names->n && code == EXIT_DONE; i++) {
        bar.model = i;
        code = bench_one(names->list[i], run, &run->results[i]);
        progress_hide();
        if (code != EXIT_DONE)
            break;
        run->n_results++;
        if (!is_json)
            bench_print_result(stdout, &run->results[i]);
    }
    if (code != EXIT_DONE)
        return code;
    if (is_json)
        bench_json(stdout, run);
    else
        bench_print_end(stdout, run);
    return EXIT_DONE;
}

static int list_models(void)
{
    for (int i = 0; bench_built_in[i] != NULL; i++)
        puts(bench_built_in[i]);
    return EXIT_DONE;
}

int command_bench(int argc, char *argv[])
{
    struct bench_options options;
    struct bench_run run = {.options = &options};
    struct names names = {0};
    int code = bench_options_parse(argc, argv, &options);

    options.show = show_part;

    if (code != 0)
        return code;
    if (options.is_list)
        return list_models();
    code = gather_names(&options, &names);
    if (code == EXIT_DONE) {
        run.results = calloc((size_t)names.n, sizeof(*run.results));
        if (run.results == NULL) {
            complain("%s", strerror(ENOMEM));
            code = EXIT_REFUSED;
        }
    }
    if (code == EXIT_DONE)
        code = look_at_machine(&run);
    if (code == EXIT_DONE)
        code = bench_all(&run, &names);
    free(run.results);
    release_names(&names);
    return code;
}
