/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of linkage check for programs. */
#include "check.h"
#include "model/model.h"

#include <stdio.h>

/* Names and units hold nothing that JSON would have to escape. @delayed: whose inputs they are, or
 * NULL */
static void print_json_channels(const char *key, const struct lk_channel *channels, int n,
                                const struct lk_system *delayed)
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
        printf("]");
        if (delayed != NULL)
            printf(", \"period_s\": %.17g, \"delay_s\": %.17g", lk_system_input_period(delayed, i),
                   lk_system_input_delay(delayed, i));
        printf("}");
    }
    printf("%s]", n > 0 ? "\n  " : "");
}

/* a text that people wrote or read: quotes, backslashes and control characters escaped */
static void print_json_text(const char *key, const char *text)
{
    printf("  \"%s\": \"", key);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", *text);
        else
            putchar(*text);
    }
    printf("\",\n");
}

static void print_json_rows(const struct findings *f)
{
    const struct lk_mobility *m = &f->mobility;
    char text[LK_TEXT_SIZE];

    printf("  \"redundant_joints\": [");
    for (int i = 0; i < m->n_joints; i++)
        printf("%s\"%s\"", i > 0 ? ", " : "",
               lk_joint_text(f->system, m->joints[i], text, sizeof(text)));
    printf("],\n  \"dependent_rows\": [");
    for (int i = 0; i < m->n_rows; i++) {
        printf("%s\n    {\"joint\": \"%s\", ", i > 0 ? "," : "",
               lk_joint_text(f->system, m->rows[i].joint, text, sizeof(text)));
        printf("\"row\": \"%s\"}", lk_row_text(f->system, m->rows[i], text, sizeof(text)));
    }
    printf("%s],\n", m->n_rows > 0 ? "\n  " : "");
}

static void print_json_pose(const struct findings *f)
{
    static const char *const kinds[] = {
        [LK_POSE_REGULAR] = "regular", [LK_POSE_SINGULAR] = "singular", [LK_POSE_STUCK] = "stuck"};
    const struct lk_pose_check *p = &f->pose;
    char text[LK_TEXT_SIZE];

    if (!f->has_pose) {
        printf("  \"pose\": null,\n");
        return;
    }
    printf("  \"pose\": {\"kind\": \"%s\", \"extra_degrees_of_freedom\": %d, \"bodies\": [",
           kinds[p->kind], p->n_extra);
    for (int i = 0; i < p->n_bodies; i++)
        printf("%s\"%s\"", i > 0 ? ", " : "",
               lk_body_text(f->system, p->bodies[i], text, sizeof(text)));
    if (p->n_loop_rows > 0)
        printf("],\n    \"smallest_singular_value\": %.17g, \"largest_singular_value\": %.17g, "
               "\"joints\": [",
               p->smallest, p->largest);
    else
        printf("],\n    \"smallest_singular_value\": null, \"largest_singular_value\": null, "
               "\"joints\": [");
    for (int i = 0; i < p->n_joints; i++)
        printf("%s\"%s\"", i > 0 ? ", " : "",
               lk_joint_text(f->system, p->joints[i], text, sizeof(text)));
    printf("]},\n");
}

static void print_json_warnings(const struct lk_findings *warnings)
{
    printf("  \"warnings\": [");
    for (int i = 0; i < warnings->n; i++) {
        const struct lk_finding *w = &warnings->list[i];

        printf("%s\n    {\"id\": \"%s\",\n", i > 0 ? "," : "", w->id);
        print_json_text("where", w->where);
        print_json_text("text", w->text);
        printf("     \"numbers\": [");
        for (int k = 0; k < w->n_numbers; k++)
            printf("%s{\"name\": \"%s\", \"unit\": \"%s\", \"value\": %.17g}", k > 0 ? ", " : "",
                   w->number[k].name, w->number[k].unit, w->number[k].value);
        printf("]}");
    }
    printf("%s],\n", warnings->n > 0 ? "\n  " : "");
}

void print_findings_json(const struct findings *f)
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
        printf("  \"degrees_of_freedom\": %d,\n  \"driven\": %d,\n  \"redundant_rows\": %d,\n",
               f->mobility.dof, f->mobility.n_driven, f->mobility.n_redundant);
    else
        printf("  \"degrees_of_freedom\": null,\n  \"driven\": null,\n"
               "  \"redundant_rows\": null,\n");
    print_json_rows(f);
    print_json_pose(f);
    print_json_text("note", lk_system_note(f->system));
    print_json_warnings(&f->warnings);
    printf("  \"assembly_gap\": %.17g,\n  \"velocity_change\": %.17g,\n", s->assembly_gap,
           s->velocity_change);
    printf("  \"tree_depth\": %d,\n  \"tree_fronts\": %d,\n  \"largest_front\": %d,\n",
           s->tree_depth, s->tree_fronts, s->largest_front);
    printf("  \"step_flops\": %.17g,\n  \"memory_bytes\": %zu,\n", s->step_flops, s->memory);
    printf("  \"engine\": \"%s\",\n", lk_system_engine(f->system));
    printf("  \"solver\": {\"formulation\": \"%s\", \"step_s\": %.17g, \"iterations\": %d},\n",
           solver->formulation, solver->step, solver->iterations);
    channels = lk_system_input_channels(f->system, &n);
    print_json_channels("inputs", channels, n, f->system);
    printf(",\n");
    channels = lk_system_output_channels(f->system, &n);
    print_json_channels("outputs", channels, n, NULL);
    printf("\n}\n");
}
