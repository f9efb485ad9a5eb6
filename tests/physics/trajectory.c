/* SPDX-License-Identifier: Apache-2.0 */
#include "trajectory.h"
#include "cmocka_all.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 80
#define LINE_SIZE   4096

/** enum source - where the model's value of a column comes from. */
enum source { SKIP, BODY, QUATERNION, ANGLE, FORCE, OUTPUT };

struct column {
    char name[LK_NAME_SIZE];
    enum source source;
    enum quantity quantity;
    int index;     /* body or joint */
    int component; /* of the quantity, or offset of an output */
};

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);

    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
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

/* component of a body's state by its name in the CSV; -1: none */
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
    for (int i = 0; i < 3 && c->forces[i].prefix; i++) {
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

/* phi3 and phidot3 of a chain are the angle of link3 about z and its rate */
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

static void resolve(const struct reference_case *c, const struct lk_system *sys, struct column *col)
{
    char prefix[LK_NAME_SIZE];
    const char *dot = strchr(col->name, '.');
    const char *component = dot ? dot + 1 : col->name;
    int output;

    snprintf(prefix, sizeof(prefix), "%.*s", dot ? (int)(dot - col->name) : 0, col->name);
    if (is_force(c, sys, col) || is_link_angle(sys, col))
        return;
    if (strcasecmp(prefix, "omega") == 0) {
        col->source = BODY;
        col->quantity = VELOCITY;
        col->component = 10 + (*component - 'x');
        col->index = lk_system_body_index(sys, c->body);
        return;
    }
    output = find_output(sys, prefix, component);
    if (output >= 0 && (*component == 'x' || *component == 'y' || *component == 'z')) {
        col->source = OUTPUT;
        col->quantity = POSITION;
        col->component = output;
        return;
    }
    col->index = lk_system_body_index(sys, dot || !c->body ? prefix : c->body);
    col->component = body_component(component, &col->quantity);
    if (col->index >= 0 && col->component >= 0)
        col->source = col->component >= 3 && col->component < 7 ? QUATERNION : BODY;
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

static double column_error(const struct lk_system *sys, const struct column *col,
                           const double *outputs, const double *row, int i)
{
    struct lk_body_state s;
    double wrench[6], sign = 0;

    switch (col->source) {
    case FORCE:
        lk_system_joint_reaction(sys, col->index, wrench);
        return wrench[col->component] - row[i];
    case OUTPUT:
        return outputs[col->component] - row[i];
    case SKIP:
        return 0;
    default:
        break;
    }
    lk_system_body_state(sys, col->index, &s);
    if (col->source == ANGLE)
        return remainder(2 * atan2(s.orientation[3], s.orientation[0]) - row[i], 2 * M_PI);
    if (col->source == BODY)
        return body_value(&s, col->component) - row[i];
    /* the same rotation has two quaternions: take the nearer one */
    for (int k = 0; k < 4; k++)
        sign += s.orientation[k] * row[i - (col->component - 3) + k];
    return copysign(1, sign) * body_value(&s, col->component) - row[i];
}

static int reaction_is_usable(const struct reference_case *c, const struct column *columns, int n,
                              const double *row)
{
    for (int i = 0; i < n && c->skip_column; i++)
        if (strcmp(columns[i].name, c->skip_column) == 0)
            return fabs(sin(row[i])) >= c->skip_below;
    return 1;
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
        double error = fabs(column_error(sys, &columns[i], outputs, row, i));
        double *worst = &errors[columns[i].quantity];

        if (columns[i].source == SKIP || (columns[i].quantity == REACTION && !usable))
            continue;
        if (!(error <= *worst))
            *worst = error;
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

void trajectory_errors(const struct reference_case *c, double h, int iterations,
                       double ret[QUANTITIES])
{
    struct lk_model *model = trajectory_model(c->model, c->replace);
    struct lk_options options = {.step = h, .iterations = iterations};
    struct column columns[COLUMNS_MAX];
    static const double zero[16];
    double row[COLUMNS_MAX];
    char line[LINE_SIZE];
    struct lk_system *sys;
    struct lk_error error;
    FILE *f = fopen(c->csv, "r");
    int n;

    assert_non_null(f);
    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(lk_system_input_size(sys) <= 16);
    assert_non_null(fgets(line, sizeof(line), f));
    n = read_header(c, sys, line, columns);
    for (int q = 0; q < QUANTITIES; q++)
        ret[q] = NAN;
    while (read_row(f, line, row, n) && row[0] <= c->end + 1e-9) {
        uint64_t steps = (uint64_t)llround(row[0] / h);

        assert_true(fabs((double)steps * h - row[0]) < 1e-9);
        while (lk_system_step_count(sys) < steps)
            assert_int_equal(lk_system_step(sys, zero), 0);
        compare_row(c, sys, columns, n, row, ret);
    }
    fclose(f);
    lk_system_free(sys);
    lk_model_free(model);
}
