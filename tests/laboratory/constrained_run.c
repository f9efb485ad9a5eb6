/* SPDX-License-Identifier: Apache-2.0 */
#include "constrained_run.h"
#include "../cmocka_all.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE   4096
#define COLUMNS_MAX 128

/* ---- the model ---- */

static void replace_text(char *text, const char *from, const char *to)
{
    char *at = strstr(text, from), *rest;

    assert_non_null(at);
    rest = strdup(at + strlen(from));
    assert_non_null(rest);
    strcpy(at, to);
    strcat(at, rest);
    free(rest);
}

static struct lk_model *read_model(const char *name, const char *const *replace)
{
    char path[128], *text = calloc(1, 1 << 16);
    struct lk_model *model = NULL;
    struct lk_error error;
    FILE *f;

    snprintf(path, sizeof(path), "config/models/%s.yaml", name);
    f = fopen(path, "rb");
    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 256, f) > 0);
    fclose(f);
    for (; replace && replace[0]; replace += 2)
        replace_text(text, replace[0], replace[1]);
    if (lk_model_read_text(path, text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    free(text);
    return model;
}

/* ---- a run ---- */

struct run {
    struct lk_problem problem;
    const struct lk_integrator *integrator;
    void *self;
    double *y;
    int n;
    struct lab_result *result;
};

static void after_step(void *context)
{
    struct run *run = context;
    struct lk_health health;

    lk_system_health(run->problem.mechanics->system, &health);
    run->result->phi = health.residual_position;
    run->result->worst_phi = fmax(run->result->worst_phi, health.residual_position);
    run->result->worst_rate = fmax(run->result->worst_rate, health.residual_velocity);
    run->result->t = lk_system_time(run->problem.mechanics->system);
}

static int open_run(struct run *run, const struct lab_method *method, struct lk_error *ret_error)
{
    const struct lk_equations_options options = {
        .variant = method->variant,
        .orientation = method->orientation,
        .stabilisation = method->stabilisation,
        .baumgarte = {method->baumgarte[0], method->baumgarte[1]},
    };
    const struct lk_equations *e = &lk_equations_absolute;
    int r;

    if (run->integrator)
        return run->integrator->open(&run->problem, &run->self, ret_error);
    r = e->open(run->problem.mechanics, &options, &run->self, ret_error);
    if (r != 0)
        return r;
    run->problem.equations = e;
    run->problem.self = run->self;
    run->n = e->size(run->self);
    run->y = calloc(6 * (size_t)run->n, sizeof(double));
    assert_non_null(run->y);
    e->read(run->self, run->y);
    return 0;
}

static int start_run(struct run *run, const char *model_name, const char *const *replace,
                     const struct lab_method *method, struct lk_error *ret_error)
{
    struct lk_model *model = read_model(model_name, replace);
    int r;

    *run = (struct run){
        .integrator = method->integrator,
        .result = run->result,
        .problem =
            {
                .variant = method->variant ? method->variant : "",
                .orientation = method->orientation,
                .stabilisation = method->stabilisation,
                .step = method->step,
                .tolerance = method->tolerance,
                .spectral_radius = method->spectral_radius,
                .accepted = after_step,
            },
    };
    run->problem.context = run;
    if (lk_mechanics_new(model, method->step, &run->problem.mechanics, ret_error) != 0)
        fail_msg("%s", ret_error->text);
    lk_model_free(model);
    r = open_run(run, method, ret_error);
    return r;
}

static void end_run(struct run *run)
{
    if (run->integrator && run->self)
        run->integrator->close(run->self);
    else if (run->self)
        lk_equations_absolute.close(run->self);
    lk_mechanics_free(run->problem.mechanics);
    free(run->y);
}

/* y, then four slopes, then a stage */
static int runge_kutta_step(struct run *run, double t, double h, struct lk_error *ret_error)
{
    static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    const struct lk_equations *e = run->problem.equations;
    double *stage = run->y + 5 * run->n;
    int r = 0;

    for (int i = 0; i < 4 && r == 0; i++) {
        for (int k = 0; k < run->n; k++)
            stage[k] = run->y[k] + (i > 0 ? h * node[i] * run->y[i * run->n + k] : 0);
        r = e->rate(run->self, t + node[i] * h, stage, run->y + (i + 1) * run->n);
    }
    for (int i = 0; i < 4 && r == 0; i++)
        for (int k = 0; k < run->n; k++)
            run->y[k] += h * weight[i] * run->y[(i + 1) * run->n + k];
    return r == 0 ? lk_problem_accept(&run->problem, t + h, run->y, ret_error) : r;
}

static int advance(struct run *run, double to, struct lk_error *ret_error)
{
    const struct lk_system *sys = run->problem.mechanics->system;
    double h = run->problem.step;
    int r = 0;

    if (run->integrator)
        return run->integrator->advance(run->self, to, ret_error);
    for (double t = lk_system_time(sys); r == 0 && to - t > 0.5 * h; t = lk_system_time(sys))
        r = runge_kutta_step(run, t, h, ret_error);
    return r;
}

/* ---- the reference ---- */

static double body_value(const struct lk_system *sys, const char *name, int component)
{
    struct lk_body_state s;

    lk_system_body_state(sys, lk_system_body_index(sys, name), &s);
    if (component < 3)
        return s.position[component];
    if (component < 7)
        return s.orientation[component - 3];
    return component < 10 ? s.velocity[component - 7] : s.angular_velocity[component - 10];
}

static double tension(const struct lk_system *sys, const char *joint)
{
    double wrench[6], along = 0, square = 0;
    struct lk_body_state s;

    lk_system_joint_reaction(sys, lk_system_joint_index(sys, joint), wrench);
    lk_system_body_state(sys, 0, &s);
    for (int i = 0; i < 3; i++) {
        along -= wrench[i] * s.position[i];
        square += s.position[i] * s.position[i];
    }
    return along / square;
}

static enum lab_quantity quantity_of(int component)
{
    if (component >= LAB_FORCE)
        return LAB_MULTIPLIER;
    return component < 7 ? LAB_POSITION : LAB_VELOCITY;
}

/* quaternions up to sign */
static double column_error(const struct lk_system *sys, const struct lab_column *column,
                           double reference)
{
    double wrench[6], value;

    if (column->component == LAB_TENSION)
        return tension(sys, column->element) - reference;
    if (column->component >= LAB_FORCE) {
        lk_system_joint_reaction(sys, lk_system_joint_index(sys, column->element), wrench);
        return wrench[column->component - LAB_FORCE] - reference;
    }
    value = body_value(sys, column->element, column->component);
    if (column->component >= 3 && column->component < 7)
        return fabs(fabs(value) - fabs(reference));
    return value - reference;
}

static int find_columns(char *line, const struct lab_column *columns, int *ret_at)
{
    int n = 0, at = 0, found = 0;

    while (columns[n].csv)
        ret_at[n++] = -1;
    for (char *save, *word = strtok_r(line, ",\r\n", &save); word;
         word = strtok_r(NULL, ",\r\n", &save), at++) {
        char *unit = strstr(word, " [");

        if (unit)
            *unit = 0;
        for (int i = 0; i < n; i++)
            if (strcmp(columns[i].csv, word) == 0)
                ret_at[i] = at;
    }
    for (int i = 0; i < n; i++)
        found += ret_at[i] >= 0;
    assert_int_equal(found, n);
    return n;
}

static int read_row(FILE *f, double *row)
{
    char line[LINE_SIZE], *at = line;

    if (!fgets(line, sizeof(line), f))
        return 0;
    for (int i = 0; i < COLUMNS_MAX && *at && *at != '\n'; i++) {
        row[i] = strtod(at, &at);
        at += *at == ',';
    }
    return 1;
}

static void follow(struct run *run, const struct lab_case *c, FILE *f, double from, double end)
{
    const struct lk_system *sys = run->problem.mechanics->system;
    int at[COLUMNS_MAX], n;
    double row[COLUMNS_MAX] = {0};
    char line[LINE_SIZE];

    assert_non_null(fgets(line, sizeof(line), f));
    n = find_columns(line, c->columns, at);
    while (run->result->status == 0 && read_row(f, row) && row[0] <= end + 1e-9) {
        run->result->status = row[0] > 0 ? advance(run, row[0], &run->result->text) : 0;
        for (int i = 0; i < n && row[0] >= from - 1e-9 && run->result->status == 0; i++) {
            double *worst = &run->result->error[quantity_of(c->columns[i].component)];

            *worst = fmax(*worst, fabs(column_error(sys, &c->columns[i], row[at[i]])));
        }
    }
}

void lab_run(const struct lab_case *c, const struct lab_method *method, double from, double end,
             struct lab_result *ret)
{
    struct run run = {.result = ret};
    char path[128];
    FILE *f;

    *ret = (struct lab_result){0};
    snprintf(path, sizeof(path), "tests/reference/%s/reference.csv", c->reference);
    f = fopen(path, "r");
    assert_non_null(f);
    if (start_run(&run, c->model, c->replace, method, &ret->text) != 0)
        fail_msg("%s", ret->text.text);
    follow(&run, c, f, from, end);
    ret->counts = run.problem.counts;
    fclose(f);
    end_run(&run);
}

static void start_well(struct run *run, const char *model, const char *const *replace,
                       const struct lab_method *method, struct lab_result *result)
{
    *result = (struct lab_result){0};
    run->result = result;
    if (start_run(run, model, replace, method, &result->text) != 0)
        fail_msg("%s", result->text.text);
}

static void advance_well(struct run *run, double t)
{
    if (advance(run, t, &run->result->text) != 0)
        fail_msg("%s", run->result->text.text);
}

static double multiplier(const struct run *run, const struct lab_column *column)
{
    return column_error(run->problem.mechanics->system, column, 0);
}

double lab_transient(const struct lab_case *c, const struct lab_method *method, int n)
{
    const struct lab_method exact = {.integrator = &lk_integrator_half_explicit,
                                     .step = method->step};
    struct lab_result results[2];
    struct run run, twin;
    double worst = 0;

    start_well(&run, c->model, c->replace, method, &results[0]);
    start_well(&twin, c->model, c->replace, &exact, &results[1]);
    for (int k = 1; k <= n; k++) {
        advance_well(&run, k * method->step);
        advance_well(&twin, k * method->step);
        for (const struct lab_column *column = c->columns; column->csv; column++)
            if (column->component >= LAB_FORCE)
                worst = fmax(worst, fabs(multiplier(&run, column) - multiplier(&twin, column)));
    }
    end_run(&run);
    end_run(&twin);
    return worst;
}

double lab_damping(const char *model, const char *const *replace, const struct lab_method *method,
                   int n)
{
    struct lk_body_state s;
    struct lab_result result;
    struct run run;
    double before = 0, speed = 0;

    start_well(&run, model, replace, method, &result);
    for (int k = 1; k <= n; k++) {
        advance_well(&run, k * method->step);
        lk_system_body_state(run.problem.mechanics->system, 0, &s);
        before = speed;
        speed = 0;
        for (int i = 0; i < 3; i++)
            speed += s.velocity[i] * s.velocity[i];
    }
    end_run(&run);
    return sqrt(speed / before);
}

int lab_open(const char *model, const char *const *replace, const struct lab_method *method,
             struct lk_error *ret_error)
{
    struct lab_result result = {0};
    struct run run = {.result = &result};
    int r = start_run(&run, model, replace, method, ret_error);

    end_run(&run);
    return r;
}
