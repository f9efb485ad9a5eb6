/* SPDX-License-Identifier: Apache-2.0 */
/* Mapping of the columns of a reference to quantities of a model. README.md documents the rules. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const body_components[] = {"x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                              "vx", "vy", "vz", "wx", "wy", "wz"};
static const char *const joint_components[] = {"fx", "fy", "fz", "tx", "ty", "tz"};

#define N_BODY   13
#define N_JOINT  6
#define POSE     7
#define SPIN_Z   12
#define FIRST_Q  3
#define OUTPUT_Q 1000000 /* group number of output angles, beyond those of bodies */

static bool find_word(const char *word, const char *const *words, int n, int *ret)
{
    for (int i = 0; i < n; i++)
        if (strcasecmp(word, words[i]) == 0) {
            *ret = i;
            return true;
        }
    return false;
}

static void set_body(int body, int component, struct compare_column *ret)
{
    ret->source = COLUMN_BODY;
    ret->index = body;
    ret->component = component;
    ret->quantity = component < POSE ? COMPARE_POSITION : COMPARE_VELOCITY;
    ret->turn = component >= FIRST_Q && component < POSE ? body : -1;
}

/* Find a component of a body, also "phi" and "w": angle and angular velocity of a body that moves
 * in the plane z = 0. */
static bool find_in_body(int body, const char *component, struct compare_column *ret)
{
    int i;

    if (body < 0)
        return false;
    if (find_word(component, body_components, N_BODY, &i)) {
        set_body(body, i, ret);
    } else if (strcmp(component, "w") == 0) {
        set_body(body, SPIN_Z, ret);
    } else if (strcmp(component, "phi") == 0) {
        set_body(body, 0, ret);
        ret->source = COLUMN_ANGLE;
    } else if (strncasecmp(component, "omega.", 6) == 0 && strlen(component) == 7 &&
               strchr("xyz", component[6]) != NULL) {
        set_body(body, 10 + component[6] - 'x', ret);
    } else {
        return false;
    }
    return true;
}

static bool quantity_of_unit(const char *unit, enum compare_quantity *ret)
{
    static const struct {
        const char *unit;
        enum compare_quantity quantity;
    } known[] = {{"m", COMPARE_POSITION},   {"rad", COMPARE_POSITION},   {"1", COMPARE_POSITION},
                 {"m/s", COMPARE_VELOCITY}, {"rad/s", COMPARE_VELOCITY}, {"N", COMPARE_REACTION},
                 {"N m", COMPARE_REACTION}};

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(known[i].unit, unit) == 0) {
            *ret = known[i].quantity;
            return true;
        }
    return false;
}

static bool is_about_the_run(const struct lk_channel *channel)
{
    return strcmp(channel->type, "residual") == 0 || strcmp(channel->type, "condition") == 0;
}

static bool find_output(const struct lk_system *system, const char *channel, const char *component,
                        struct compare_column *ret)
{
    int n;
    const struct lk_channel *channels = lk_system_output_channels(system, &n);

    for (int i = 0; i < n; i++) {
        if (strcmp(channels[i].name, channel) != 0 || is_about_the_run(&channels[i]))
            continue;
        for (int k = 0; k < channels[i].size; k++) {
            if (strcmp(channels[i].component[k], component) != 0 ||
                !quantity_of_unit(channels[i].unit[k], &ret->quantity))
                continue;
            ret->source = COLUMN_OUTPUT;
            ret->component = channels[i].offset + k;
            ret->turn = component[0] == 'q' ? OUTPUT_Q + i : -1;
            return true;
        }
    }
    return false;
}

/* Find a velocity component of an output: "K.vx" also matches "K_velocity.vx", because a point with
 * a position output usually has a velocity output, too. */
static bool find_velocity(const struct lk_system *system, const char *channel,
                          const char *component, struct compare_column *ret)
{
    char beside[LK_NAME_SIZE + 16];

    snprintf(beside, sizeof(beside), "%s_velocity", channel);
    return component[0] == 'v' && find_output(system, beside, component, ret);
}

static bool find_reaction(const struct lk_system *system, const char *joint, const char *component,
                          struct compare_column *ret)
{
    ret->index = lk_system_joint_index(system, joint);
    if (ret->index < 0 || !find_word(component, joint_components, N_JOINT, &ret->component))
        return false;
    ret->source = COLUMN_REACTION;
    ret->quantity = COMPARE_REACTION;
    return true;
}

/* Return the index of the body if the model has exactly one, otherwise -1. */
static int only_body(const struct lk_system *system)
{
    struct lk_summary summary;

    lk_system_summary(system, &summary);
    return summary.n_bodies == 1 ? 0 : -1;
}

/* Find the column of @name, whose component begins after @dot; NULL: it has none. */
static bool find_at(const struct lk_system *system, const char *name, const char *dot,
                    struct compare_column *column)
{
    const char *component = dot != NULL ? dot + 1 : "";
    char prefix[LK_NAME_SIZE];

    snprintf(prefix, sizeof(prefix), "%.*s", (int)(dot != NULL ? dot - name : (long)strlen(name)),
             name);
    return find_output(system, prefix, component, column) ||
           find_velocity(system, prefix, component, column) ||
           find_in_body(lk_system_body_index(system, prefix), component, column) ||
           find_reaction(system, prefix, component, column);
}

/* Names contain dots, and so do components. */
bool compare_columns_find(const struct lk_system *system, const char *name,
                          struct compare_column *ret)
{
    struct compare_column column = {.turn = -1};
    bool is_found = find_at(system, name, NULL, &column);

    for (const char *dot = strchr(name, '.'); dot != NULL && !is_found; dot = strchr(dot + 1, '.'))
        is_found = find_at(system, name, dot, &column);
    if (!is_found && !find_in_body(only_body(system), name, &column))
        return false;
    snprintf(column.name, sizeof(column.name), "%s", name);
    *ret = column;
    return true;
}

struct compare_column *compare_columns_all(const struct lk_system *system, int *ret_n)
{
    struct lk_summary s;
    struct compare_column *columns, *c;

    lk_system_summary(system, &s);
    *ret_n = N_BODY * s.n_bodies + N_JOINT * s.n_joints;
    columns = c = calloc((size_t)*ret_n + 1, sizeof(*columns));
    if (columns == NULL)
        return NULL;
    for (int b = 0; b < s.n_bodies; b++)
        for (int k = 0; k < N_BODY; k++, c++) {
            set_body(b, k, c);
            snprintf(c->name, sizeof(c->name), "%s.%s", lk_system_body_name(system, b),
                     body_components[k]);
        }
    for (int j = 0; j < s.n_joints; j++)
        for (int k = 0; k < N_JOINT; k++, c++) {
            *c = (struct compare_column){.source = COLUMN_REACTION,
                                         .quantity = COMPARE_REACTION,
                                         .index = j,
                                         .component = k,
                                         .turn = -1};
            snprintf(c->name, sizeof(c->name), "%s.%s", lk_system_joint_name(system, j),
                     joint_components[k]);
        }
    return columns;
}

static double body_value(const struct lk_body_state *s, int component)
{
    if (component < FIRST_Q)
        return s->position[component];
    if (component < POSE)
        return s->orientation[component - FIRST_Q];
    return component < 10 ? s->velocity[component - 7] : s->angular_velocity[component - 10];
}

void compare_columns_read(const struct lk_system *system, const struct compare_column *columns,
                          int n, double *outputs, double *ret)
{
    struct lk_body_state state;
    double wrench[6];

    lk_system_outputs(system, outputs);
    for (int i = 0; i < n; i++) {
        const struct compare_column *c = &columns[i];

        switch (c->source) {
        case COLUMN_OUTPUT:
            ret[i] = outputs[c->component];
            break;
        case COLUMN_REACTION:
            lk_system_joint_reaction(system, c->index, wrench);
            ret[i] = wrench[c->component];
            break;
        default:
            lk_system_body_state(system, c->index, &state);
            ret[i] = c->source == COLUMN_BODY
                         ? body_value(&state, c->component)
                         : 2 * atan2(state.orientation[3], state.orientation[0]);
        }
    }
}
