/* SPDX-License-Identifier: Apache-2.0 */
#include "trajectory.h"
#include "cmocka_all.h"
#include "linkage/energy.h"
#include "linkage/parameters.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 96
#define LINE_SIZE   4096

/** enum source - source of the model's value of a column */
enum source { SKIP, BODY, QUATERNION, ANGLE, FORCE, TENSION, OUTPUT };

struct column {
    char name[LK_NAME_SIZE];
    enum source source;
    enum quantity quantity;
    int index;     /* body or joint */
    int component; /* component; output's offset; second body of a tension */
};

/* Return the text of a model, flat if it has parts, with room for replacements. */
static char *read_file(const char *path)
{
    char *text = calloc(1, 1 << 20), *own = NULL;
    struct lk_errors errors;
    size_t size = 0;
    int is_flat;

    assert_non_null(text);
    assert_int_equal(lk_model_text(path, NULL, 0, &is_flat, &own, &size, &errors), 0);
    assert_true(size < 1 << 20);
    memcpy(text, own, size);
    free(own);
    return text;
}

static void replace_text(char *text, const char *from, const char *to)
{
    char *at = strstr(text, from);
    char *rest;

    assert_non_null(at);
    rest = strdup(at + strlen(from));
    assert_non_null(rest);
    strcpy(at, to);
    strcat(at, rest);
    free(rest);
}

struct lk_model *trajectory_model(const char *path, const char *const *replace)
{
    struct lk_model *model = NULL;
    struct lk_error error;
    char *text = read_file(path);

    for (; replace && replace[0]; replace += 2)
        replace_text(text, replace[0], replace[1]);
    if (lk_model_read_text(path, text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    free(text);
    return model;
}

/* Return the component of a body's state with this name in the CSV file, -1 if there is none. */
static int body_component(const char *name, enum quantity *ret_quantity)
{
    static const char *const names[] = {"x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                        "vx", "vy", "vz", "wx", "wy", "wz"};

    for (int i = 0; i < 13; i++)
        if (strcmp(names[i], name) == 0) {
            *ret_quantity = i < 7 ? POSITION : VELOCITY;
            return i;
        }
    return -1;
}

static int find_output(const struct lk_system *sys, const char *channel, const char *component)
{
    int n;
    const struct lk_channel *channels = lk_system_output_channels(sys, &n);

    for (int i = 0; i < n; i++)
        for (int k = 0; k < channels[i].size; k++)
            if (strcmp(channels[i].name, channel) == 0 &&
                strcmp(channels[i].component[k], component) == 0)
                return channels[i].offset + k;
    return -1;
}

static int is_force(const struct reference_case *c, const struct lk_system *sys, struct column *col)
{
    for (int i = 0; i < FORCES_MAX && c->forces[i].prefix; i++) {
        size_t n = strlen(c->forces[i].prefix);
        const char *rest = col->name + n;

        if (strncmp(col->name, c->forces[i].prefix, n) == 0 && strlen(rest) == 1 &&
            strchr("xyz", *rest)) {
            col->source = FORCE;
            col->quantity = REACTION;
            col->index = lk_system_joint_index(sys, c->forces[i].joint);
            col->component = *rest - 'x';
            assert_true(col->index >= 0);
            return 1;
        }
    }
    return 0;
}

/* Recognise phi3 and phidot3 of a chain: the angle of link3 about z and its rate. */
static int is_link_angle(const struct lk_system *sys, struct column *col)
{
    char body[LK_NAME_SIZE];
    int number;

    if (sscanf(col->name, "phidot%d", &number) == 1) {
        col->source = BODY;
        col->quantity = VELOCITY;
        col->component = 12;
    } else if (sscanf(col->name, "phi%d", &number) == 1) {
        col->source = ANGLE;
        col->quantity = POSITION;
    } else {
        return 0;
    }
    snprintf(body, sizeof(body), "link%d", number);
    col->index = lk_system_body_index(sys, body);
    return col->index >= 0;
}

/* Recognise "phi" and "w" of a body: its angle about z and its rate. */
static int is_plane_angle(const struct lk_system *sys, const char *body, const char *component,
                          struct column *col)
{
    col->index = lk_system_body_index(sys, body);
    if (strcmp(component, "phi") == 0) {
        col->source = ANGLE;
        col->quantity = POSITION;
    } else if (strcmp(component, "w") == 0) {
        col->source = BODY;
        col->quantity = VELOCITY;
        col->component = 12;
    } else {
        return 0;
    }
    return col->index >= 0;
}

static int is_body_column(const struct lk_system *sys, const char *body, const char *component,
                          struct column *col)
{
    col->index = body ? lk_system_body_index(sys, body) : -1;
    if (col->index < 0)
        return 0;
    col->component = body_component(component, &col->quantity);
    if (col->component >= 0)
        col->source = col->component >= 3 && col->component < 7 ? QUATERNION : BODY;
    return col->component >= 0;
}

static int is_output(const struct lk_system *sys, const char *channel, const char *component,
                     struct column *col)
{
    const char *axis = component[0] == 'v' ? component + 1 : component;
    int output = find_output(sys, channel, component);

    if (output < 0 || strlen(axis) != 1 || !strchr("xyz", *axis))
        return 0;
    col->source = OUTPUT;
    col->quantity = axis == component ? POSITION : VELOCITY;
    col->component = output;
    return 1;
}

static int is_tension(const struct lk_system *sys, const char *joint, const char *component,
                      const char *body, struct column *col)
{
    if (strcmp(component, "lambda") != 0)
        return 0;
    col->source = TENSION;
    col->quantity = REACTION;
    col->index = lk_system_joint_index(sys, joint);
    col->component = body ? lk_system_body_index(sys, body) : -1;
    return col->index >= 0 && col->component >= 0;
}

static const char *model_name(const struct reference_case *c, const char *name)
{
    for (const char *const *pair = c->rename; pair && pair[0]; pair += 2)
        if (strcmp(pair[0], name) == 0)
            return pair[1];
    return name;
}

static void resolve(const struct reference_case *c, const struct lk_system *sys, struct column *col)
{
    const char *name = model_name(c, col->name);
    const char *dot = strchr(name, '.');
    const char *component = dot ? dot + 1 : name;
    char prefix[LK_NAME_SIZE];

    snprintf(prefix, sizeof(prefix), "%.*s", dot ? (int)(dot - name) : 0, name);
    if (strcasecmp(prefix, "omega") == 0) { /* heavy top: body axes */
        col->source = BODY;
        col->quantity = VELOCITY;
        col->component = 10 + (*component - 'x');
        col->index = lk_system_body_index(sys, c->body);
    } else if (!is_force(c, sys, col) && !is_link_angle(sys, col) &&
               !is_output(sys, prefix, component, col) &&
               !is_tension(sys, prefix, component, c->body, col) &&
               !is_plane_angle(sys, prefix, component, col) &&
               !is_body_column(sys, dot ? prefix : c->body, component, col)) {
        col->source = SKIP;
        /* a renamed column must be compared with something */
        assert_ptr_equal(name, col->name);
    }
}

static int read_header(const struct reference_case *c, const struct lk_system *sys, char *line,
                       struct column *columns)
{
    int n = 0;

    line[strcspn(line, "\r\n")] = 0;
    for (char *save, *word = strtok_r(line, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        char *unit = strstr(word, " [");

        assert_true(n < COLUMNS_MAX);
        columns[n] = (struct column){.source = SKIP};
        if (unit)
            *unit = 0;
        snprintf(columns[n].name, sizeof(columns[n].name), "%s", word);
        resolve(c, sys, &columns[n]);
        n++;
    }
    return n;
}

static double body_value(const struct lk_body_state *s, int component)
{
    if (component < 3)
        return s->position[component];
    if (component < 7)
        return s->orientation[component - 3];
    return component < 10 ? s->velocity[component - 7] : s->angular_velocity[component - 10];
}

/* Return the sign of a quaternion: a rotation has two quaternions, and the one nearer to the
 * reference is compared. */
static double quaternion_sign(const struct lk_body_state *s, const struct column *columns, int n,
                              int body, const double *row)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        if (columns[i].source == QUATERNION && columns[i].index == body)
            sum += s->orientation[columns[i].component - 3] * row[i];
    return copysign(1, sum);
}

static double body_error(const struct lk_system *sys, const struct column *columns, int n,
                         const double *row, int i)
{
    const struct column *col = &columns[i];
    struct lk_body_state s;

    lk_system_body_state(sys, col->index, &s);
    if (col->source == ANGLE)
        return remainder(2 * atan2(s.orientation[3], s.orientation[0]) - row[i], 2 * M_PI);
    if (col->source == BODY)
        return body_value(&s, col->component) - row[i];
    return quaternion_sign(&s, columns, n, col->index, row) * body_value(&s, col->component) -
           row[i];
}

/* Return the tension lambda: the force of a rod from the origin on the body at x is -lambda x. */
static double tension(const struct lk_system *sys, const struct column *col)
{
    struct lk_body_state s;
    double wrench[6], along = 0, square = 0;

    lk_system_joint_reaction(sys, col->index, wrench);
    lk_system_body_state(sys, col->component, &s);
    for (int i = 0; i < 3; i++) {
        along -= wrench[i] * s.position[i];
        square += s.position[i] * s.position[i];
    }
    return along / square;
}

static double column_error(const struct lk_system *sys, const struct column *columns, int n,
                           const double *outputs, const double *row, int i)
{
    const struct column *col = &columns[i];
    double wrench[6];

    switch (col->source) {
    case SKIP:
        return 0;
    case FORCE:
        lk_system_joint_reaction(sys, col->index, wrench);
        return wrench[col->component] - row[i];
    case TENSION:
        return tension(sys, col) - row[i];
    case OUTPUT:
        return outputs[col->component] - row[i];
    default:
        return body_error(sys, columns, n, row, i);
    }
}

static int reaction_is_usable(const struct reference_case *c, const struct column *columns, int n,
                              const double *row)
{
    for (int i = 0; i < n && c->skip_column; i++)
        if (strcmp(columns[i].name, c->skip_column) == 0)
            return fabs(sin(row[i] - c->skip_at)) >= c->skip_below;
    return 1;
}

/* Keep the larger value. A NAN in *@worst is replaced by any number, and a NAN in @value replaces
 * any number. */
static void keep_largest(double *worst, double value)
{
    if (!(value <= *worst))
        *worst = value;
}

static void compare_row(const struct reference_case *c, const struct lk_system *sys,
                        const struct column *columns, int n, const double *row,
                        double errors[QUANTITIES])
{
    double outputs[256];
    int usable = reaction_is_usable(c, columns, n, row);

    assert_true(lk_system_output_size(sys) <= 256);
    lk_system_outputs(sys, outputs);
    for (int i = 0; i < n; i++) {
        double error = fabs(column_error(sys, columns, n, outputs, row, i));
        double *worst = &errors[columns[i].quantity];

        if (columns[i].source == SKIP || (columns[i].quantity == REACTION && !usable))
            continue;
        assert_true(isfinite(error));
        keep_largest(worst, error);
    }
}

static int read_row(FILE *f, char *line, double *row, int n)
{
    char *at = line;

    if (!fgets(line, LINE_SIZE, f))
        return 0;
    for (int i = 0; i < n; i++) {
        row[i] = strtod(at, &at);
        if (*at == ',')
            at++;
    }
    return 1;
}

/* Return the error of the energy balance: stored energy, plus dissipated, minus supplied. */
static void advance(struct lk_system *sys, uint64_t steps, double start, struct trajectory *ret)
{
    static const double zero[16];
    struct lk_health health;

    while (lk_system_step_count(sys) < steps) {
        assert_int_equal(lk_system_step(sys, zero), 0);
        lk_system_health(sys, &health);
        keep_largest(&ret->violation[0], health.residual_position);
        keep_largest(&ret->violation[1], health.residual_velocity);
        keep_largest(&ret->violation[2], health.residual_acceleration);
        keep_largest(&ret->energy_drift, fabs(lk_energy_balance(&health) - start));
    }
}

static void compare_file(const struct reference_case *c, struct lk_system *sys, FILE *f,
                         struct trajectory *ret)
{
    double h = lk_system_step_size(sys), start, row[COLUMNS_MAX];
    struct column columns[COLUMNS_MAX];
    struct lk_health health;
    char line[LINE_SIZE];
    int n;

    assert_non_null(fgets(line, sizeof(line), f));
    n = read_header(c, sys, line, columns);
    lk_system_health(sys, &health);
    start = lk_energy_balance(&health);
    while (read_row(f, line, row, n) && row[0] <= c->end + 1e-9) {
        uint64_t steps = (uint64_t)llround(row[0] / h);

        assert_true(fabs((double)steps * h - row[0]) < 1e-9);
        advance(sys, steps, start, ret);
        if (row[0] >= c->begin - 1e-9)
            compare_row(c, sys, columns, n, row, ret->error);
    }
}

void trajectory_run(const struct reference_case *c, double h, int iterations,
                    struct trajectory *ret)
{
    struct lk_model *model = trajectory_model(c->model, c->replace);
    struct lk_options options = {.step = h, .iterations = iterations};
    struct lk_system *sys;
    struct lk_error error;
    FILE *f = fopen(c->csv, "r");

    assert_non_null(f);
    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(lk_system_input_size(sys) <= 16);
    *ret = (struct trajectory){.error = {NAN, NAN, NAN}};
    compare_file(c, sys, f, ret);
    fclose(f);
    lk_system_free(sys);
    lk_model_free(model);
}

void trajectory_errors(const struct reference_case *c, double h, int iterations,
                       double ret[QUANTITIES])
{
    struct trajectory run;

    trajectory_run(c, h, iterations, &run);
    memcpy(ret, run.error, sizeof(run.error));
}

int trajectory_follow(const struct reference_case *c, const struct lk_system *sys, double end,
                      int (*advance_to)(void *context, double t), void *context,
                      double ret[QUANTITIES])
{
    struct column columns[COLUMNS_MAX];
    double row[COLUMNS_MAX];
    char line[LINE_SIZE];
    FILE *f = fopen(c->csv, "r");
    int n, r = 0;

    assert_non_null(f);
    assert_non_null(fgets(line, sizeof(line), f));
    n = read_header(c, sys, line, columns);
    for (int i = 0; i < QUANTITIES; i++)
        ret[i] = NAN;
    while (r == 0 && read_row(f, line, row, n) && row[0] <= fmin(end, c->end) + 1e-9) {
        r = row[0] > 0 ? advance_to(context, row[0]) : 0;
        if (r == 0 && row[0] >= c->begin - 1e-9)
            compare_row(c, sys, columns, n, row, ret);
    }
    fclose(f);
    return r;
}
