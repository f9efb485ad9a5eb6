/* SPDX-License-Identifier: Apache-2.0 */
/* linkage check: what a model is made of, what its joints leave free, what a step will cost. */
#include "commands.h"
#include "linkage/analysis.h"
#include "model/model.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define JOINTS_SHOWN 20

/* struct findings - all that is printed, in either form. */
struct findings {
    const char *path;
    const struct lk_model *model;
    const struct lk_system *system;
    struct lk_summary summary;
    struct lk_mobility mobility;
    bool has_mobility;
};

static void print_redundant_joints(const struct findings *f)
{
    int shown = f->mobility.n_joints < JOINTS_SHOWN ? f->mobility.n_joints : JOINTS_SHOWN;

    for (int i = 0; i < shown; i++)
        printf("%s %s", i == 0 ? ", in" : ",",
               lk_system_joint_name(f->system, f->mobility.joints[i]));
    if (f->mobility.n_joints > shown)
        printf(" and %d more", f->mobility.n_joints - shown);
    putchar('\n');
}

/* "  name   x y z [m]  qw qx qy qz [1]": components that follow each other in one unit share it. */
static void print_channels(const char *title, const struct lk_channel *channels, int n)
{
    printf("%s%s\n", title, n == 0 ? "              none" : "");
    for (int i = 0; i < n; i++) {
        const struct lk_channel *c = &channels[i];

        printf("  %-18s", c->name);
        for (int k = 0; k < c->size; k++) {
            bool last = k == c->size - 1 || strcmp(c->unit[k], c->unit[k + 1]) != 0;

            printf("%s%s", c->component[k][0] != '\0' ? " " : "", c->component[k]);
            if (last)
                printf(" [%s]%s", c->unit[k], k < c->size - 1 ? " " : "");
        }
        putchar('\n');
    }
}

static void print_table(const struct findings *f)
{
    const struct lk_summary *s = &f->summary;
    const struct lk_solver_def *solver = &f->model->solver;
    int n;
    const struct lk_channel *channels;

    printf("%s: %s is a good model\n", f->path, lk_model_name(f->model));
    printf("bodies              %d, %g kg in all\n", s->n_bodies, s->total_mass);
    printf("joints              %d, %d rows\n", s->n_joints, s->n_rows_rigid);
    printf("spring-dampers      %d rows solved with the joints\n", s->n_rows_compliant);
    if (f->has_mobility) {
        printf("degrees of freedom  %d, in the pose as drawn\n", f->mobility.dof);
        printf("redundant rows      %d", f->mobility.n_redundant);
        print_redundant_joints(f);
    } else {
        printf("degrees of freedom  not computed: the loops have too many rows\n");
    }
    printf("drawing             joints closed from a gap of %.3g m or rad, velocities changed by "
           "%.3g m/s or rad/s\n",
           s->assembly_gap, s->velocity_change);
    printf("tree                %d levels, %d fronts, the largest of %d rows\n", s->tree_depth,
           s->tree_fronts, s->largest_front);
    printf("solver              %s, %g ms, %d iterations\n", solver->formulation,
           1e3 * solver->step, solver->iterations);
    printf("a step              %.3g kflop, %.3g KiB of memory\n", 1e-3 * s->step_flops,
           (double)s->memory / 1024);
    channels = lk_system_input_channels(f->system, &n);
    print_channels("inputs", channels, n);
    channels = lk_system_output_channels(f->system, &n);
    print_channels("outputs", channels, n);
}

/* Names and units hold nothing that JSON would have to escape. */
static void print_json_channels(const char *key, const struct lk_channel *channels, int n)
{
    printf("  \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        const struct lk_channel *c = &channels[i];

        printf("%s\n    {\"name\": \"%s\", \"offset\": %d, \"components\": [", i > 0 ? "," : "",
               c->name, c->offset);
        for (int k = 0; k < c->size; k++)
            printf("%s\"%s\"", k > 0 ? ", " : "", c->component[k]);
        printf("], \"units\": [");
        for (int k = 0; k < c->size; k++)
            printf("%s\"%s\"", k > 0 ? ", " : "", c->unit[k]);
        printf("]}");
    }
    printf("%s]", n > 0 ? "\n  " : "");
}

static void print_json(const struct findings *f)
{
    const struct lk_summary *s = &f->summary;
    const struct lk_solver_def *solver = &f->model->solver;
    int n;
    const struct lk_channel *channels;

    printf("{\n  \"model\": \"%s\",\n  \"bodies\": %d,\n  \"total_mass_kg\": %.17g,\n"
           "  \"joints\": %d,\n  \"rows_rigid\": %d,\n  \"rows_compliant\": %d,\n",
           lk_model_name(f->model), s->n_bodies, s->total_mass, s->n_joints, s->n_rows_rigid,
           s->n_rows_compliant);
    if (f->has_mobility)
        printf("  \"degrees_of_freedom\": %d,\n  \"redundant_rows\": %d,\n", f->mobility.dof,
               f->mobility.n_redundant);
    else
        printf("  \"degrees_of_freedom\": null,\n  \"redundant_rows\": null,\n");
    printf("  \"redundant_joints\": [");
    for (int i = 0; i < f->mobility.n_joints; i++)
        printf("%s\"%s\"", i > 0 ? ", " : "",
               lk_system_joint_name(f->system, f->mobility.joints[i]));
    printf("],\n  \"assembly_gap\": %.17g,\n  \"velocity_change\": %.17g,\n", s->assembly_gap,
           s->velocity_change);
    printf("  \"tree_depth\": %d,\n  \"tree_fronts\": %d,\n  \"largest_front\": %d,\n",
           s->tree_depth, s->tree_fronts, s->largest_front);
    printf("  \"step_flops\": %.17g,\n  \"memory_bytes\": %zu,\n", s->step_flops, s->memory);
    printf("  \"solver\": {\"formulation\": \"%s\", \"step_s\": %.17g, \"iterations\": %d},\n",
           solver->formulation, solver->step, solver->iterations);
    channels = lk_system_input_channels(f->system, &n);
    print_json_channels("inputs", channels, n);
    printf(",\n");
    channels = lk_system_output_channels(f->system, &n);
    print_json_channels("outputs", channels, n);
    printf("\n}\n");
}

static int check_model(const char *path, const struct lk_model *model, bool json)
{
    struct lk_system *system = compile_model(path, model, NULL);
    struct findings findings = {.path = path, .model = model, .system = system};
    int result;

    if (system == NULL)
        return EXIT_REFUSED;
    lk_system_summary(system, &findings.summary);
    result = lk_mobility_init(system, &findings.mobility);
    findings.has_mobility = result == 0;
    if (result < 0) {
        complain("%s: %s", path, strerror(-result));
    } else {
        (json ? print_json : print_table)(&findings);
        lk_mobility_fini(&findings.mobility);
    }
    lk_system_free(system);
    return result < 0 ? EXIT_REFUSED : EXIT_DONE;
}

int command_check(int argc, char *argv[])
{
    static const struct option longs[] = {
        {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    struct lk_model *model;
    bool json = false;
    int option;
    int code;

    while ((option = getopt_long(argc, argv, "jh", longs, NULL)) != -1) {
        if (option == 'h')
            return print_help();
        if (option != 'j')
            return EXIT_USAGE;
        json = true;
    }
    if (optind != argc - 1)
        return usage_error("check takes one model");
    model = load_model(argv[optind]);
    if (model == NULL)
        return EXIT_REFUSED;
    code = check_model(argv[optind], model, json);
    lk_model_free(model);
    return code;
}
