/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the inputs of `linkage run --inputs`, held or interpolated. They are refused with
 * one line that names the place, or played over a run. Every input then stays finite and within its
 * limits and its rate, and reaches the value of the last row. */
#include "run/run.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STEP     0.01
#define DURATION 2.0
#define INPUTS   6

static const char model_text[] =
    "linkage: 1\nname: cart\nbodies:\n"
    "  cart: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "  arm: {mass: 1, inertia: [1, 1, 1], position: [0, 0, -1]}\n"
    "joints:\n  rail: {type: prismatic, bodies: [ground, cart], point: [0, 0, 0], axis: [1, 0, "
    "0],\n"
    "    drive: {input: way, period: 0.01}}\n"
    "  pin: {type: revolute, bodies: [cart, arm], point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "forces:\n  brake: {type: friction, joint: pin, coulomb: 1, creep: 0.1, scale: {input: grip}}\n"
    "inputs:\n  way: {type: drive, limits: [-1, 1], rate: 3}\n"
    "  motor: {type: joint-torque, joint: pin, limits: [-10, 10], rate: 50}\n"
    "  push: {type: body-force, body: arm, point: [0, 0, -1]}\n"
    "  grip: {type: signal, limits: [0.5, 1], rate: 10, initial: 0.75}\n"
    "solver: {step: 0.01}\n";

static struct lk_model *the_model; /* freed with the system */
static struct lk_system *the_system;
static const char *the_path;
static int n_complaints;

/* Check a complaint. This function replaces that of the tool, which prints. */
void complain(const char *format, ...)
{
    char text[8192];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (strncmp(text, the_path, strlen(the_path)) != 0 || strchr(text, '\n'))
        abort();
    n_complaints++;
}

/* Abort. The tool calls this function only for command lines, and there is none here. */
int usage_error(const char *format, ...)
{
    (void)format;
    abort();
}

/* Return false: recordings have a separate fuzz target. */
bool run_is_recording(const char *path)
{
    (void)path;
    return false;
}

bool run_read_recording(const char *path, struct lk_csv_table *ret_table)
{
    (void)path;
    (void)ret_table;
    return false;
}

static void make_system(void)
{
    struct lk_error error;

    if (lk_model_read_text("model", model_text, sizeof(model_text) - 1, &the_model, &error) ||
        lk_system_new(the_model, NULL, &the_system, &error) ||
        lk_system_input_size(the_system) != INPUTS)
        abort();
}

/* Check the values of a step.
 * @before: values a step ago, NULL for none */
static void check_values(const double *now, const double *before)
{
    int n;
    const struct lk_channel *channel = lk_system_input_channels(the_system, &n);

    for (int i = 0; i < n; i++)
        for (int k = channel[i].offset; k < channel[i].offset + channel[i].size; k++) {
            double most = channel[i].rate * STEP * (1 + 1e-9);

            if (!isfinite(now[k]) || !(now[k] >= channel[i].low && now[k] <= channel[i].high) ||
                (before && !(fabs(now[k] - before[k]) <= most)))
                abort();
        }
}

/* Check that an input without a rate limit has its last value long after the last row. */
static void check_end(const struct run_inputs *in)
{
    const struct lk_csv_table *t = &in->table;

    for (int i = 0; i < t->n && t->time[t->n_rows - 1] < DURATION - 1; i++)
        if (isinf(in->rate[i]) && in->present[in->offset[i]] !=
                                      t->value[(size_t)(t->n_rows - 1) * (size_t)t->n + (size_t)i])
            abort();
}

static void play(struct run_inputs *in)
{
    double before[INPUTS];

    memcpy(before, in->present, sizeof(before));
    for (int i = 0; i < (int)(DURATION / STEP); i++) {
        const double *now = run_inputs_at(in, i * STEP, STEP);

        check_values(now, before);
        memcpy(before, now, sizeof(before));
    }
    check_end(in);
}

static void read_and_play(bool interpolate)
{
    const struct run_options options = {
        .inputs = the_path, .duration = DURATION, .interpolate = interpolate};
    struct run_inputs in;

    n_complaints = 0;
    if (run_inputs_open(the_system, &options, &in)) {
        if (n_complaints != 0 || !run_inputs_change(&in))
            abort();
        play(&in);
    } else if (n_complaints != 1) {
        abort();
    }
    run_inputs_close(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    int fd = memfd_create("inputs", 0);

    if (!the_system)
        make_system();
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    the_path = path;
    read_and_play(false);
    read_and_play(true);
    close(fd);
    return 0;
}
