/* SPDX-License-Identifier: Apache-2.0 */
#include "setup.h"
#include "linkage/parameters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEPS_QUICK 10000

/* The built-in model: the crank of a four-bar linkage swings. It has a closed loop, redundant
 * constraint rows, and a motor. Only the step, and so the period, is variable. */
static const char model_format[] =
    "linkage: 1\n"
    "name: four-bar\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: [1, 1, 1], position: [0.35355339059327, 0.35355339059327, 0],\n"
    "    orientation: {axis: [0, 0, 1], angle: 0.785398163397448}}\n"
    "  coupler: {mass: 1, inertia: [1, 1, 1], position: [1.20710678118655, 0.70710678118655, 0]}\n"
    "  rocker: {mass: 1, inertia: [1, 1, 1], position: [1.35355339059327, 0.35355339059327, 0],\n"
    "    orientation: {axis: [0, 0, 1], angle: 0.785398163397448}}\n"
    "joints:\n"
    "  pin_a: {type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  pin_b: {type: revolute, bodies: [crank, coupler], axis: [0, 0, 1],\n"
    "    point: [0.70710678118655, 0.70710678118655, 0]}\n"
    "  pin_c: {type: revolute, bodies: [coupler, rocker], axis: [0, 0, 1],\n"
    "    point: [1.70710678118655, 0.70710678118655, 0]}\n"
    "  pin_d: {type: revolute, bodies: [rocker, ground], point: [1, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  bearing: {type: joint-spring-damper, joint: pin_a, stiffness: 0, damping: 0.5}\n"
    "inputs:\n"
    "  motor: {type: joint-torque, joint: pin_a}\n"
    "outputs:\n"
    "  crank_angle: {type: joint-position, joint: pin_a}\n"
    "  crank_rate: {type: joint-velocity, joint: pin_a}\n"
    "solver: {step: %.9f}\n";

/* ---- the machine ---- */

static int last_of(const cpu_set_t *cpus)
{
    int last = -1;

    for (int i = 0; i < CPU_SETSIZE; i++)
        last = CPU_ISSET(i, cpus) ? i : last;
    return last;
}

/* Choose the measured core, and move this thread to another core.
 * @ret_all:    all permitted cores, including the measured core
 * @ret_others: @ret_all without the measured core */
static int choose_core(struct lat_report *report, cpu_set_t *ret_all, cpu_set_t *ret_others,
                       struct lk_error *error)
{
    struct lat_options *o = &report->options;
    cpu_set_t only;

    if (sched_getaffinity(0, sizeof(*ret_others), ret_others) != 0)
        CPU_ZERO(ret_others);
    if (o->core < 0)
        o->core = last_of(&report->host.isolated);
    if (o->core < 0)
        o->core = last_of(ret_others);
    *ret_all = *ret_others;
    CPU_SET(o->core, ret_all);
    CPU_CLR(o->core, ret_others);
    CPU_ZERO(&only);
    CPU_SET(o->core, &only);
    if (sched_setaffinity(0, sizeof(only), &only) != 0) {
        lk_error_set(error, "core %d cannot be used: %s; choose one by --core", o->core,
                     strerror(errno));
        return 1;
    }
    sched_setaffinity(0, sizeof(*ret_all), CPU_COUNT(ret_others) > 0 ? ret_others : ret_all);
    return 0;
}

/* Return true if this process may have a real-time priority. Test this by setting it for a
 * moment. */
static bool may_have_priority(int priority)
{
    struct sched_param realtime = {.sched_priority = priority}, normal = {0};

    if (sched_setscheduler(0, SCHED_FIFO, &realtime) != 0)
        return false;
    sched_setscheduler(0, SCHED_OTHER, &normal);
    return true;
}

static bool may_lock_memory(void)
{
    bool may = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;

    munlockall();
    return may;
}

static void learn_rights(struct lat_report *report, bool *ret_lock_memory)
{
    struct lat_options *o = &report->options;

    if (o->priority > 0 && !may_have_priority(o->priority)) {
        lat_report_note(report,
                        "NOT REAL-TIME: SCHED_FIFO priority %d is not permitted (run as "
                        "root, or raise the limit rtprio); normal priority is measured",
                        o->priority);
        o->priority = 0;
    }
    *ret_lock_memory = may_lock_memory();
    if (!*ret_lock_memory)
        lat_report_note(report, "memory is not locked: run as root, or raise the limit memlock");
}

static void learn_conditions(struct lat_report *report)
{
    struct lat_options *o = &report->options;

    lk_host_governor("", o->core, report->governor, sizeof(report->governor));
    if (report->host.virtual_machine == LK_HOST_YES)
        lat_report_note(report,
                        "a virtual machine: the tails belong to the hypervisor; the loop on "
                        "the clock shows its stalls");
}

/* Report an error if a load needs stress-ng, which is missing. This is called before minutes are
 * spent on the other loads.
 * Return: 0 if no load needs it, otherwise 1. */
static int demand_stress(const struct lat_options *o, struct lk_error *error)
{
    for (int i = 0; i < o->n_loads; i++) {
        if (o->loads[i] == LAT_NONE)
            continue;
        lk_error_set(error,
                     "stress-ng is not installed, load %s needs it: sudo apt install stress-ng; or "
                     "measure without load: --load none",
                     lat_load_name(o->loads[i]));
        return 1;
    }
    return 0;
}

static int find_programs(struct lat_course *course, struct lk_error *error)
{
    struct lat_report *report = course->report;
    const struct lat_options *o = &report->options;

    report->with_cyclictest = lat_process_find("cyclictest", course->cyclictest.path);
    if (!report->with_cyclictest)
        lat_report_note(report,
                        "cyclictest is not installed (sudo apt install rt-tests): nothing to "
                        "compare the cycle with");
    else if (!may_have_priority(o->priority > 0 ? o->priority : 1)) {
        report->with_cyclictest = false;
        lat_report_note(report,
                        "cyclictest does not run without the right to SCHED_FIFO: nothing to "
                        "compare the cycle with");
    }
    snprintf(course->cyclictest.log, sizeof(course->cyclictest.log), "%s/cyclictest.log",
             o->output);
    snprintf(course->stress.log, sizeof(course->stress.log), "%s/stress-ng.log", o->output);
    return lat_process_find("stress-ng", course->stress.path) ? 0 : demand_stress(o, error);
}

int lat_setup_machine(struct lat_course *course, struct lat_rig_setup *rig,
                      struct lk_error *ret_error)
{
    struct lat_report *report = course->report;
    cpu_set_t all;
    int code;

    lk_host_read("", &report->host);
    code = choose_core(report, &all, &course->others, ret_error);
    if (code != 0)
        return code;
    learn_rights(report, &rig->lock_memory);
    learn_conditions(report);
    code = find_programs(course, ret_error);
    if (code != 0)
        return code;
    rig->core = course->cyclictest.core = course->stress.core = report->options.core;
    rig->priority = course->cyclictest.priority = report->options.priority;
    rig->cpus = course->cyclictest.cpus = all;
    course->cyclictest.lock_memory = rig->lock_memory;
    course->stress.cpus = course->others;
    return 0;
}

/* ---- files ---- */

static int read_model(const char *path, char **ret_text, struct lk_error *error)
{
    struct lk_errors errors;
    size_t n = 0;
    int is_flat, code = lk_model_text(path, NULL, 0, &is_flat, ret_text, &n, &errors);

    if (code < 0)
        lk_error_set(error, "--model %s: %s", path, strerror(-code));
    if (code > 0)
        lk_error_set(error, "--model %s", errors.line[0].text);
    return code;
}

static int make_model(const struct lat_options *o, struct lat_setup *setup, struct lk_error *error)
{
    int period_us = o->period_us > 0 ? o->period_us : 1000;

    setup->rig.model_name = o->model != NULL ? o->model : "four-bar";
    if (o->model != NULL) {
        int code = read_model(o->model, &setup->model_text, error);

        if (code != 0)
            return code;
    } else if (asprintf(&setup->model_text, model_format, period_us * 1e-6) < 0) {
        setup->model_text = NULL;
        lk_error_set(error, "out of memory");
        return -ENOMEM;
    }
    setup->rig.model_text = setup->model_text;
    return 0;
}

static int make_folders(const struct lat_options *o, struct lat_setup *setup,
                        struct lk_error *error)
{
    char folder[sizeof(setup->folder)] = "/tmp/linkage-latency-XXXXXX";

    if (mkdir(o->output, 0777) != 0 && errno != EEXIST) {
        lk_error_set(error, "--output %s: %s", o->output, strerror(errno));
        return 1;
    }
    if (access(o->output, W_OK | X_OK) != 0) {
        lk_error_set(error, "--output %s: %s", o->output, strerror(errno));
        return 1;
    }
    if (mkdtemp(folder) == NULL) {
        lk_error_set(error, "%s: %s", folder, strerror(errno));
        return 1;
    }
    memcpy(setup->folder, folder, sizeof(folder));
    return 0;
}

int lat_setup_files(struct lat_setup *setup, const struct lat_options *options,
                    struct lk_error *ret_error)
{
    int code = make_model(options, setup, ret_error);

    if (code == 0)
        code = make_folders(options, setup, ret_error);
    setup->rig.daemon = options->daemon;
    setup->rig.folder = setup->folder;
    setup->rig.output = options->output;
    setup->rig.arm_steps = options->quick ? STEPS_QUICK : 0;
    return code;
}

void lat_setup_fini(struct lat_setup *setup)
{
    if (setup->folder[0] != '\0')
        rmdir(setup->folder);
    free(setup->model_text);
    *setup = (struct lat_setup){0};
}
