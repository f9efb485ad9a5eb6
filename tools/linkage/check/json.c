/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of linkage check as JSON. */
#include "linkage/json.h"
#include "check.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>

#define INDENT 2 /* indent of the members of the object, one per line */

static void line_open(struct lk_json *json, const char *key, char bracket)
{
    lk_json_line(json, INDENT);
    lk_json_open(json, key, bracket);
}

static void line_text(struct lk_json *json, const char *key, const char *text)
{
    lk_json_line(json, INDENT);
    lk_json_text(json, key, text);
}

static void line_number(struct lk_json *json, const char *key, double value)
{
    lk_json_line(json, INDENT);
    lk_json_number(json, key, value);
}

/* Open an element of an array whose elements have a line each. */
static void open_element(struct lk_json *json)
{
    lk_json_line(json, 2 * INDENT);
    lk_json_open(json, NULL, '{');
}

/* Close such an array of @n elements. */
static void close_elements(struct lk_json *json, int n)
{
    if (n > 0)
        lk_json_line(json, INDENT);
    lk_json_close(json, ']');
}

/* Write an array of channels.
 * @inputs_of: system whose inputs these are, or NULL */
static void write_channels(struct lk_json *json, const char *key, const struct lk_channel *channels,
                           int n, const struct lk_system *inputs_of)
{
    line_open(json, key, '[');
    for (int i = 0; i < n; i++) {
        const struct lk_channel *c = &channels[i];

        open_element(json);
        lk_json_text(json, "name", c->name);
        lk_json_text(json, "type", c->type);
        lk_json_number(json, "offset", c->offset);
        lk_json_texts(json, "components", c->component, (size_t)c->size);
        lk_json_texts(json, "units", c->unit, (size_t)c->size);
        if (inputs_of != NULL) {
            lk_json_number(json, "low", c->low);
            lk_json_number(json, "high", c->high);
            lk_json_number(json, "rate", c->rate);
            lk_json_number(json, "initial", c->initial);
            lk_json_number(json, "period_s", lk_system_input_period(inputs_of, i));
            lk_json_number(json, "delay_s", lk_system_input_delay(inputs_of, i));
        }
        lk_json_close(json, '}');
    }
    close_elements(json, n);
}

static void write_joints(struct lk_json *json, const struct findings *f, const int *joints, int n)
{
    char text[LK_TEXT_SIZE];

    for (int i = 0; i < n; i++)
        lk_json_text(json, NULL, lk_joint_text(f->system, joints[i], text, sizeof(text)));
    lk_json_close(json, ']');
}

/* Write the free coordinates; null if they were not computed. */
static void write_coordinates(struct lk_json *json, const struct findings *f)
{
    const struct lk_mobility *m = &f->mobility;
    const struct lk_system *sys = f->system;
    char text[LK_TEXT_SIZE];

    if (!f->has_mobility || m->coordinates == NULL) {
        lk_json_line(json, INDENT);
        lk_json_null(json, "free_coordinates");
        return;
    }
    line_open(json, "free_coordinates", '[');
    for (int i = 0; i < m->n_coordinates; i++) {
        const struct lk_free_coordinate *c = &m->coordinates[i];

        open_element(json);
        lk_json_text(json, "text", lk_free_coordinate_text(sys, *c, text, sizeof(text)));
        if (c->joint >= 0) {
            lk_json_text(json, "joint", lk_joint_text(sys, c->joint, text, sizeof(text)));
            lk_json_number(json, "which", c->which);
        } else {
            lk_json_text(json, "body", lk_body_text(sys, c->body, text, sizeof(text)));
            lk_json_number(json, "direction", c->direction);
        }
        lk_json_close(json, '}');
    }
    close_elements(json, m->n_coordinates);
}

static void write_rows(struct lk_json *json, const struct findings *f)
{
    const struct lk_mobility *m = &f->mobility;
    char text[LK_TEXT_SIZE];

    line_open(json, "redundant_joints", '[');
    write_joints(json, f, m->joints, m->n_joints);
    line_open(json, "dependent_rows", '[');
    for (int i = 0; i < m->n_rows; i++) {
        open_element(json);
        lk_json_text(json, "joint", lk_joint_text(f->system, m->rows[i].joint, text, sizeof(text)));
        lk_json_text(json, "row", lk_row_text(f->system, m->rows[i], text, sizeof(text)));
        lk_json_close(json, '}');
    }
    close_elements(json, m->n_rows);
}

static void write_pose(struct lk_json *json, const struct findings *f)
{
    static const char *const kinds[] = {
        [LK_POSE_REGULAR] = "regular", [LK_POSE_SINGULAR] = "singular", [LK_POSE_STUCK] = "stuck"};
    const struct lk_pose_check *p = &f->pose;
    bool has_loops = p->n_loop_rows > 0;
    char text[LK_TEXT_SIZE];

    if (!f->has_pose) {
        lk_json_line(json, INDENT);
        lk_json_null(json, "pose");
        return;
    }
    line_open(json, "pose", '{');
    lk_json_text(json, "kind", kinds[p->kind]);
    lk_json_number(json, "extra_degrees_of_freedom", p->n_extra);
    lk_json_open(json, "bodies", '[');
    for (int i = 0; i < p->n_bodies; i++)
        lk_json_text(json, NULL, lk_body_text(f->system, p->bodies[i], text, sizeof(text)));
    lk_json_close(json, ']');
    lk_json_line(json, 2 * INDENT);
    lk_json_number(json, "smallest_singular_value", has_loops ? p->smallest : NAN);
    lk_json_number(json, "largest_singular_value", has_loops ? p->largest : NAN);
    lk_json_open(json, "joints", '[');
    write_joints(json, f, p->joints, p->n_joints);
    lk_json_close(json, '}');
}

static void write_warnings(struct lk_json *json, const struct lk_findings *warnings)
{
    line_open(json, "warnings", '[');
    for (int i = 0; i < warnings->n; i++) {
        const struct lk_finding *w = &warnings->list[i];

        open_element(json);
        lk_json_text(json, "id", w->id);
        line_text(json, "where", w->where);
        line_text(json, "text", w->text);
        lk_json_line(json, 2 * INDENT + 1);
        lk_json_open(json, "numbers", '[');
        for (int k = 0; k < w->n_numbers; k++) {
            lk_json_open(json, NULL, '{');
            lk_json_text(json, "name", w->number[k].name);
            lk_json_text(json, "unit", w->number[k].unit);
            lk_json_number(json, "value", w->number[k].value);
            lk_json_close(json, '}');
        }
        lk_json_close(json, ']');
        lk_json_close(json, '}');
    }
    close_elements(json, warnings->n);
}

static void write_summary(struct lk_json *json, const struct findings *f)
{
    const struct lk_summary *s = &f->summary;
    const struct lk_mobility *m = &f->mobility;

    line_text(json, "model", lk_model_name(f->model));
    line_number(json, "bodies", s->n_bodies);
    line_number(json, "total_mass_kg", s->total_mass);
    line_number(json, "joints", s->n_joints);
    line_number(json, "bodies_in_plane", s->n_in_plane);
    line_number(json, "tensions_followed", s->n_sways);
    line_number(json, "rows_rigid", s->n_rows_rigid);
    line_number(json, "rows_compliant", s->n_rows_compliant);
    line_number(json, "blocks", s->n_blocks);
    line_number(json, "block_states", s->n_block_states);
    line_number(json, "degrees_of_freedom", f->has_mobility ? m->dof : NAN);
    line_number(json, "driven", f->has_mobility ? m->n_driven : NAN);
    line_number(json, "redundant_rows", f->has_mobility ? m->n_redundant : NAN);
}

static void write_step(struct lk_json *json, const struct findings *f)
{
    const struct lk_summary *s = &f->summary;
    const struct lk_solver_def *solver = &f->model->solver;
    const char *why;

    line_number(json, "assembly_gap", s->assembly_gap);
    line_number(json, "velocity_change", s->velocity_change);
    line_number(json, "tree_depth", s->tree_depth);
    line_number(json, "tree_fronts", s->tree_fronts);
    line_number(json, "largest_front", s->largest_front);
    line_number(json, "step_flops", s->step_flops);
    line_number(json, "memory_bytes", (double)s->memory);
    line_text(json, "engine", lk_system_engine(f->system));
    line_open(json, "solver", '{');
    lk_json_text(json, "formulation", lk_formulation_choose(f->model, NULL, &why));
    if (*why)
        lk_json_text(json, "formulation_because", why);
    lk_json_number(json, "step_s", solver->step);
    lk_json_number(json, "iterations", s->iterations);
    lk_json_close(json, '}');
}

/* Write the treatment of every element; programs can filter the list themselves. */
static void write_treatment(struct lk_json *json, const struct lk_treatment *t)
{
    line_open(json, "reductions", '[');
    for (int k = 0; lk_reduction_names[k]; k++)
        if (t->reductions >> k & 1)
            lk_json_text(json, NULL, lk_reduction_names[k]);
    lk_json_close(json, ']');
    line_open(json, "treatment", '[');
    for (int i = 0; i < t->n; i++) {
        open_element(json);
        lk_json_text(json, "where", t->list[i].where);
        lk_json_text(json, "how", t->list[i].how);
        lk_json_close(json, '}');
    }
    close_elements(json, t->n);
}

static void write_motion(struct lk_json *json, const struct findings *f)
{
    line_open(json, "motion", '{');
    write_pace(json, f);
    lk_json_close(json, '}');
}

void print_findings_json(const struct findings *f)
{
    struct lk_json json = {.file = stdout, .spaced = true};
    const struct lk_channel *channels;
    int n;

    lk_json_open(&json, NULL, '{');
    write_summary(&json, f);
    write_coordinates(&json, f);
    write_rows(&json, f);
    write_pose(&json, f);
    line_text(&json, "note", lk_system_note(f->system));
    write_warnings(&json, &f->warnings);
    write_step(&json, f);
    write_treatment(&json, &f->treatment);
    write_motion(&json, f);
    channels = lk_system_input_channels(f->system, &n);
    write_channels(&json, "inputs", channels, n, f->system);
    channels = lk_system_output_channels(f->system, &n);
    write_channels(&json, "outputs", channels, n, NULL);
    lk_json_line(&json, 0);
    lk_json_close(&json, '}');
    lk_json_end(&json);
}
