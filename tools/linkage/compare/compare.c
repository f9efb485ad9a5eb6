/* SPDX-License-Identifier: Apache-2.0 */
/* linkage compare: runs one model with many methods and compares the results with one reference. */
#include "compare.h"
#include "commands.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Return true if a run need not be tried: an earlier run of the same method exceeded the time
 * limit, and this run would take longer. */
static bool is_hopeless(const struct compare *c, int i)
{
    const struct compare_run *last = &c->runs[i > 0 ? i - 1 : 0];
    struct compare_run *run = &c->runs[i];

    if (i == 0 || last->number != run->number || last->outcome != COMPARE_LIMIT ||
        run->method.step > last->method.step || run->method.tolerance > last->method.tolerance)
        return false;
    run->outcome = COMPARE_LIMIT;
    snprintf(run->reason, sizeof(run->reason), "not tried: %s is over the limit", last->setting);
    return true;
}

static void make_runs(struct compare *c)
{
    struct progress progress;
    const double *values;

    progress_start(&progress);
    for (int i = 0; i < c->n_runs; i++) {
        struct compare_run *run = &c->runs[i];

        progress_show(&progress, now_s(), (double)i / c->n_runs);
        if ((!(run->method.tolerance > 0) && !compare_samples_fit(c, run)) || is_hopeless(c, i))
            continue;
        if (!compare_run_make(c, run, c->options->limit_s, &values)) {
            run->outcome = COMPARE_FAILED;
            snprintf(run->reason, sizeof(run->reason), "no process or memory for the run");
            continue;
        }
        compare_errors(&c->reference, values, run);
    }
    progress_hide();
}

static int report_results(const struct compare *c)
{
    bool is_drawn = false;
    int code;

    if (c->options->is_json)
        compare_json(stdout, c);
    else
        compare_print(stdout, c);
    fflush(stdout);
    code = compare_files(c, &is_drawn);
    if (code != EXIT_DONE || c->options->is_json)
        return code;
    printf("\n%s: compare.csv, drift.csv", c->options->output);
    puts(is_drawn ? ", work-precision.png, drift.png" : "; no pictures");
    return code;
}

static int compare_model(struct compare *c)
{
    int code = compare_plan(c);

    if (code == EXIT_DONE)
        code = compare_reference_times(c);
    if (code == EXIT_DONE && !compare_shared_new(c)) {
        complain("out of memory");
        code = EXIT_REFUSED;
    }
    if (code == EXIT_DONE && c->options->reference == NULL)
        code = compare_reference_make(c);
    if (code == EXIT_DONE) {
        make_runs(c);
        code = report_results(c);
    }
    return code;
}

static void release_runs(struct compare *c)
{
    for (int i = 0; i < c->n_runs; i++) {
        free(c->runs[i].course);
        free(c->runs[i].error);
    }
    free(c->runs);
    compare_shared_free(c);
    compare_reference_release(&c->reference);
    free(c->inputs);
    lk_system_free(c->system);
}

/* Return true if the reaction of a joint needs all rows, including rows that planar reduction would
 * remove. If not, the runs are bit-identical to those of `linkage run`. */
static bool needs_all_rows(struct lk_model *model)
{
    struct lk_system *system = NULL;
    struct lk_summary summary = {0};
    bool needs = false;

    strcpy(model->solver.formulation, "rattle");
    if (lk_system_new(model, NULL, &system, NULL) == 0)
        lk_system_summary(system, &summary);
    for (int i = 0; i < summary.n_joints; i++) {
        double wrench[6];

        needs |= lk_system_joint_reaction(system, i, wrench) != 0;
    }
    lk_system_free(system);
    return needs;
}

static bool has_contacts(const struct lk_model *model)
{
    bool any = false;

    for (int i = 0; i < model->n_forces; i++)
        any |= model->forces[i].type == LK_FORCE_CONTACT;
    return any;
}

static int run_comparison(const struct compare_options *options)
{
    struct compare c = {.options = options};
    struct lk_model *model = load_model(options->path);
    int code = EXIT_REFUSED;

    c.model = model;
    if (model != NULL) {
        c.all_rows = needs_all_rows(model);
        /* The formulation of the model does not matter here, because every run sets its own. It is
         * replaced, because it may exist only in the laboratory; contacts have one alone. */
        strcpy(model->solver.formulation, has_contacts(model) ? "rattle" : "ali3");
        c.system = compile_model(options->path, model, NULL);
    }
    if (c.system != NULL)
        c.inputs = calloc((size_t)lk_system_input_size(c.system) + 1, sizeof(*c.inputs));
    if (c.inputs != NULL && set_inputs(c.system, options->sets, options->n_sets, c.inputs))
        code = compare_model(&c);
    release_runs(&c);
    lk_model_free(model);
    return code;
}

int command_compare(int argc, char *argv[])
{
    struct compare_options options;
    int code = compare_options_parse(argc, argv, &options);

    if (code == EXIT_DONE)
        code = run_comparison(&options);
    compare_options_release(&options);
    return code;
}
