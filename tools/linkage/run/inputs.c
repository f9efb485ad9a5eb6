/* SPDX-License-Identifier: Apache-2.0 */
/* --inputs FILE: inputs that change during a run. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED    512  /* characters of a list of inputs in a message */
#define ROUNDING 1e-6 /* tolerance of times written with few digits, in steps */

/* Find an input scalar named "channel" or "channel.component".
 * Return: its channel, NULL for none. */
static const struct lk_channel *find_scalar(const struct lk_system *system, const char *name,
                                            int *ret_component)
{
    int n;
    const struct lk_channel *channels = lk_system_input_channels(system, &n);
    char full[LK_NAME_SIZE + 16];

    for (int i = 0; i < n; i++) {
        for (int k = 0; k < channels[i].size; k++) {
            const char *component = channels[i].component[k];

            snprintf(full, sizeof(full), "%s%s%s", channels[i].name, *component ? "." : "",
                     component);
            *ret_component = k;
            if (strcmp(full, name) == 0)
                return &channels[i];
        }
    }
    return NULL;
}

/* List the names of all inputs in the form of column names. */
static void list_inputs(const struct lk_system *system, char text[NAMED])
{
    int n;
    const struct lk_channel *channels = lk_system_input_channels(system, &n);
    size_t at = 0;

    snprintf(text, NAMED, "none, as the model has no inputs");
    for (int i = 0; i < n; i++)
        for (int k = 0; k < channels[i].size && at < NAMED; k++)
            at += (size_t)snprintf(text + at, NAMED - at, "%s%s%s%s", at > 0 ? ", " : "",
                                   channels[i].name, *channels[i].component[k] ? "." : "",
                                   channels[i].component[k]);
}

static bool is_taken(const struct run_inputs *in, int column, int offset)
{
    for (int i = 0; i < column; i++)
        if (in->offset[i] == offset)
            return true;
    return false;
}

/* Assign a column to an input.
 * @is_strict: a column that is no input is an error. Otherwise it is ignored, because it may be for
 *             another model. */
static bool match_column(const struct lk_system *system, const struct run_options *o,
                         struct run_inputs *in, int column, bool is_strict)
{
    const char *name = in->table.name[column], *unit = in->table.unit[column];
    char known[NAMED];
    int component;
    const struct lk_channel *channel = find_scalar(system, name, &component);

    in->offset[column] = -1;
    if (channel == NULL) {
        list_inputs(system, known);
        complain(is_strict ? "%s:1: column %d is '%s', which is no input of the model, expected %s"
                           : "%s: column %d is '%s', which the model does not have; it has %s",
                 o->inputs, column + 2, name, known);
        return !is_strict;
    }
    if (*unit != '\0' && strcmp(unit, channel->unit[component]) != 0) {
        complain("%s:1: column %d, '%s', is in [%s], expected [%s]", o->inputs, column + 2, name,
                 unit, channel->unit[component]);
        return false;
    }
    if (is_taken(in, column, channel->offset + component)) {
        complain("%s:1: column %d is '%s' once more, expected it once", o->inputs, column + 2,
                 name);
        return false;
    }
    in->offset[column] = channel->offset + component;
    in->rate[column] = channel->rate;
    in->is_drive[column] = strcmp(channel->type, "drive") == 0;
    for (int k = 0; k < in->table.n_rows; k++) {
        double value = in->table.value[(size_t)k * (size_t)in->table.n + (size_t)column];

        if (channel->low <= value && value <= channel->high)
            continue;
        complain("%s:%ld: field %d, '%s', is %g, the model limits it to %g to %g %s", o->inputs,
                 in->table.line[k], column + 2, name, value, channel->low, channel->high,
                 channel->unit[component]);
        return false;
    }
    return true;
}

static bool match_columns(const struct lk_system *system, const struct run_options *o,
                          struct run_inputs *in, bool is_strict)
{
    size_t n = (size_t)in->table.n + 1;
    int matched = 0;

    in->offset = calloc(n, sizeof(*in->offset));
    in->rate = calloc(n, sizeof(*in->rate));
    in->is_drive = calloc(n, sizeof(*in->is_drive));
    if (in->offset == NULL || in->rate == NULL || in->is_drive == NULL) {
        complain("out of memory");
        return false;
    }
    for (int i = 0; i < in->table.n; i++) {
        if (!match_column(system, o, in, i, is_strict))
            return false;
        matched += in->offset[i] >= 0;
    }
    if (matched > 0 && in->table.n_rows > 0)
        return true;
    complain("%s: %s", o->inputs,
             matched > 0 ? "there are no rows" : "none of its columns is an input of the model");
    return false;
}

/* Return the last row at or before @t, searching from @row on; -1: none.
 * @slack: tolerance [s] for the rounding of times written with few digits */
static int find_row(const struct lk_csv_table *table, int row, double t, double slack)
{
    while (row + 1 < table->n_rows && table->time[row + 1] <= t + slack)
        row++;
    return row;
}

/* Return true if a row acts in one of the requested steps. */
static bool acts(const struct lk_system *system, const struct run_options *o,
                 const struct run_inputs *in)
{
    double h = lk_system_step_size(system), begin = lk_system_time(system);
    double n = round(o->duration / h), end = begin + n * h;

    if (n == 0 || find_row(&in->table, -1, end - (o->interpolate ? 0.5 : 1) * h, ROUNDING * h) >= 0)
        return true;
    complain(
        "%s: no row acts in the run: the first is at %.13g s, expected one before the end of the "
        "run, which is from %.9g to %.9g s",
        o->inputs, in->table.time[0], begin, end);
    return false;
}

static bool read_table(const struct lk_system *system, const struct run_options *o,
                       struct run_inputs *in)
{
    bool is_recording = run_is_recording(o->inputs);
    struct lk_error error;

    if (is_recording && !run_read_recording(o->inputs, &in->table))
        return false;
    if (!is_recording && lk_csv_read(o->inputs, HUGE_VAL, &in->table, &error) != 0) {
        complain("%s", error.text);
        return false;
    }
    return match_columns(system, o, in, !is_recording) && acts(system, o, in);
}

bool run_inputs_open(const struct lk_system *system, const struct run_options *o,
                     struct run_inputs *in)
{
    size_t n = (size_t)lk_system_input_size(system) + 1;

    *in = (struct run_inputs){.interpolate = o->interpolate, .row = -1};
    in->present = calloc(n, sizeof(*in->present));
    if (in->present == NULL) {
        complain("out of memory");
        return false;
    }
    if (!set_inputs(system, o->sets, o->n_sets, in->present))
        return false;
    return o->inputs == NULL || read_table(system, o, in);
}

void run_inputs_close(struct run_inputs *in)
{
    lk_csv_table_release(&in->table);
    free(in->present);
    free(in->offset);
    free(in->rate);
    free(in->is_drive);
    *in = (struct run_inputs){0};
}

bool run_inputs_change(const struct run_inputs *in)
{
    return in->table.n > 0;
}

/* Return the value of a column at @t. @row is the last row at or before @t. If requested,
 * interpolate to the next row. */
static double value_at(const struct run_inputs *in, int column, int row, double t)
{
    const struct lk_csv_table *table = &in->table;
    const double *value = table->value + (size_t)row * (size_t)table->n + (size_t)column;
    double part;

    if (!in->interpolate || row + 1 >= table->n_rows || t <= table->time[row])
        return *value;
    part = (t - table->time[row]) / (table->time[row + 1] - table->time[row]);
    return *value + fmin(part, 1) * (value[table->n] - *value);
}

const double *run_inputs_at(struct run_inputs *in, double t, double h)
{
    const double slack = ROUNDING * h;

    in->row = find_row(&in->table, in->row, t, slack);
    for (int i = 0; i < in->table.n; i++) {
        double at = in->interpolate && !in->is_drive[i] ? t + 0.5 * h : t;
        int row = find_row(&in->table, in->row, at, slack);
        double *value = &in->present[in->offset[i] < 0 ? 0 : in->offset[i]], to;

        if (in->offset[i] < 0 || row < 0)
            continue;
        to = value_at(in, i, row, at);
        /* Limit the rate in the same way as the daemon. */
        *value = fabs(to - *value) > in->rate[i] * h
                     ? *value + copysign(in->rate[i] * h, to - *value)
                     : to;
    }
    return in->present;
}
