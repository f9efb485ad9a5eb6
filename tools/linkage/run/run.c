/* SPDX-License-Identifier: Apache-2.0 */
/* linkage run: steps a model as fast as possible and writes its outputs. */
#include "run.h"

#include "csv.h"
#include "linkage/findings.h"
#include "linkage/pool.h"
#include "methods/registry.h"
#include "model/model.h"
#include "plot/plot.h"
#include "pool_threads.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct lk_csv *run_open_csv(const struct lk_system *system, const char *path)
{
    struct lk_csv *csv = NULL;
    int n;
    const struct lk_channel *channels = lk_system_output_channels(system, &n);
    int fault = lk_csv_open(path, OUTPUT_MARK_ROWS, &csv);

    if (told_output(path, fault) != EXIT_DONE)
        return NULL;
    lk_csv_add_column(csv, "time", "", "s");
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < channels[i].size; k++)
            lk_csv_add_column(csv, channels[i].name, channels[i].component[k], channels[i].unit[k]);
    }
    return csv;
}

int run_write_row(const struct lk_system *system, double time, struct lk_csv *csv, double *values)
{
    if (csv == NULL)
        return 0;
    values[0] = time;
    lk_system_outputs(system, values + 1);
    return lk_csv_write_row(csv, values);
}

int run_judge(const struct run_options *options, double residual)
{
    if (residual <= RUN_RESIDUAL_LIMIT)
        return EXIT_DONE;
    complain("%s: a joint was violated by %.3g m or rad, the result is wrong; expected at most %g, "
             "try a shorter --step%s",
             options->path, residual, RUN_RESIDUAL_LIMIT,
             options->has_method ? " or, with an integrator, --stabilisation projection" : "");
    return EXIT_REFUSED;
}

static void note_health(const struct lk_system *system, struct run_result *result)
{
    struct lk_health health, *largest = &result->largest;
    struct lk_extent extent;
    double energy;

    lk_system_health(system, &health);
    if (result->steps > 0)
        lk_energy_look(&result->energy, system, &health);
    energy = lk_energy_balance(&health);
    if (result->steps == 0)
        result->energy_start = energy;
    result->drift = fmax(result->drift, fabs(energy - result->energy_start));
    largest->residual_position = fmax(largest->residual_position, health.residual_position);
    largest->residual_velocity = fmax(largest->residual_velocity, health.residual_velocity);
    largest->increment = fmax(largest->increment, health.increment);
    largest->kinetic = fmax(largest->kinetic, health.kinetic);
    largest->taken = fmax(largest->taken, fabs(health.taken));
    lk_system_extent(system, &extent);
    result->turning = extent.turn > result->turn ? extent.turning : result->turning;
    result->turn = fmax(result->turn, extent.turn);
    if (extent.strain > result->strain) {
        result->strain = extent.strain;
        result->strained = extent.strained;
        result->strained_s = lk_system_time(system);
    }
    if (extent.contact > LK_CONTACT_MAX && result->contact++ == 0)
        result->contact_s = lk_system_time(system);
}

bool run_energy_appears(const struct lk_system *system, const struct lk_energy_watch *energy,
                        struct lk_error *ret_error)
{
    bool explodes = lk_energy_explodes(energy);

    if (!explodes && !lk_energy_appears(energy))
        return false;
    lk_error_set(ret_error,
                 "at t = %.9g s the result is wrong: %.3g J appeared %s that nothing put in, where "
                 "%.3g J moved; body '%s' swings most: try a shorter step%s",
                 lk_system_time(system), explodes ? energy->jumped : energy->appeared,
                 explodes ? "within ten steps" : "since the start", energy->moved,
                 lk_system_body_name(system, energy->body), lk_energy_known_source(system));
    return true;
}

static volatile sig_atomic_t is_interrupted;

static void note_interrupt(int signal)
{
    (void)signal;
    is_interrupted = 1;
}

void run_watch_interrupts(void)
{
    const struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = SA_RESETHAND};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool run_is_interrupted(void)
{
    return is_interrupted;
}

void run_say_interrupt(const struct run_options *options, double time)
{
    complain("%s: interrupted at t = %.9g s%s", options->path, time,
             options->is_kept ? "; the rows until then are kept" : "");
}

/* Make all steps of a run.
 * @csv: file of the outputs, or NULL
 * Return: EXIT_DONE; EXIT_REFUSED after an error message. */
static int step_through(struct lk_system *system, const struct run_options *options,
                        struct run_inputs *inputs, struct lk_csv *csv, double *row,
                        struct run_result *result)
{
    uint64_t n = (uint64_t)llround(options->duration / lk_system_step_size(system));
    struct progress progress;
    struct lk_error error;
    int fault = run_write_row(system, lk_system_time(system), csv, row);
    int outcome;
    double begin;

    progress_start(&progress);
    lk_energy_begin(&result->energy, system);
    note_health(system, result);
    run_watch_interrupts();
    while (result->steps < n && fault == 0 && !is_interrupted) {
        begin = now_s();
        outcome = lk_system_step(
            system, run_inputs_at(inputs, lk_system_time(system), lk_system_step_size(system)));
        if (outcome != 0) {
            progress_hide();
            complain("%s: the step from t = %.9g s %s; body '%s' swings most", options->path,
                     lk_system_time(system), lk_step_fault_text(outcome),
                     lk_system_body_name(system, result->energy.body));
            return EXIT_REFUSED;
        }
        result->step_s += now_s() - begin;
        result->steps++;
        note_health(system, result);
        if (run_energy_appears(system, &result->energy, &error)) {
            progress_hide();
            complain("%s: %s", options->path, error.text);
            return EXIT_REFUSED;
        }
        if (result->steps % (uint64_t)options->every == 0)
            fault = run_write_row(system, lk_system_time(system), csv, row);
        progress_show(&progress, begin, (double)result->steps / (double)n);
    }
    progress_hide();
    result->wall_s = now_s() - progress.start_s;
    result->time = lk_system_time(system);
    if (is_interrupted) {
        run_say_interrupt(options, result->time);
        return EXIT_REFUSED;
    }
    /* An error of the CSV file is reported when the file is closed. */
    return run_judge(options, result->largest.residual_position);
}

/* Print a warning if a body rotates far in one step. Such rotations are accurate only about a
 * principal axis through the centre of mass. */
static void warn_of_turns(const struct run_result *r, const struct lk_system *system,
                          const char *path)
{
    if (r->turn > LK_TURN_MAX)
        caution("%s: body '%s' turned by up to %.3g rad in a step; unless it is balanced about its "
                "axis, the result may be wrong: try --step %.2g, or more --iterations, and compare",
                path, lk_system_body_name(system, r->turning), r->turn,
                lk_system_step_size(system) * LK_TURN_MAX / r->turn);
}

#define CONTACT_STEPS 3 /* warn above this number of steps */

/* Print a warning if contact forces were not resolved in more than single steps. */
static void warn_of_contact(const struct run_result *r, const char *path)
{
    if (r->contact > CONTACT_STEPS)
        caution(
            "%s: in %ld steps, from t = %.9g s on, the contact forces have errors above %g %% of "
            "the largest; expected more iterations or a shorter step",
            path, r->contact, r->contact_s, 100 * LK_CONTACT_MAX);
}

/* Print a warning if a beam was strained more than its elements describe. */
static void warn_of_strain(const struct run_result *r, const struct lk_system *system,
                           const char *path)
{
    if (r->strain > LK_STRAIN_MAX)
        caution(
            "%s: the beam was strained by %.2g %% at body '%s', t = %.9g s, for which its law is "
            "not made; expected at most %g %%, a stiffer beam or less load",
            path, 100 * r->strain, lk_system_body_name(system, r->strained), r->strained_s,
            100 * LK_STRAIN_MAX);
}

#define TAKEN_SHARE 1e-3  /* warn above this share of the largest kinetic energy, */
#define TAKEN_LEAST 1e-12 /* and above this share of the initial energy (round-off) */

/* Print a warning if the step has removed energy: tension that is too stiff for the step is damped.
 * The energy balance is then closed, but the motion may be inaccurate. */
static void warn_of_taken(const struct run_result *r, const struct lk_system *system,
                          const char *path)
{
    if (r->largest.taken > TAKEN_SHARE * r->largest.kinetic &&
        r->largest.taken > TAKEN_LEAST * fabs(r->energy_start))
        caution("%s: the step itself took %.3g J, where the kinetic energy was %.3g J at most, as "
                "light bodies swing faster than it follows: try --step %.2g, and compare",
                path, r->largest.taken, r->largest.kinetic, 0.25 * lk_system_step_size(system));
}

/* Return the number of workers that shorten the step of the model, at most the number of cores. */
static int count_workers(const struct lk_system *system, const struct run_options *options)
{
    int useful = lk_system_workers_useful(system);
    cpu_set_t allowed;

    if (options->workers > 0)
        return (int)options->workers;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0 && CPU_COUNT(&allowed) < useful)
        useful = CPU_COUNT(&allowed);
    return useful;
}

/* Start threads for the step if it has several workers.
 * Return: false after an error message. */
static bool start_workers(struct lk_system *system, const struct run_options *options,
                          struct pool_threads **ret_threads)
{
    int n = count_workers(system, options), fault;

    if (n == 1)
        return true;
    if (!lk_system_shares_work(system)) {
        caution("--workers %d has no effect on %s: one thread does its step", n, options->path);
        return true;
    }
    fault = pool_threads_start(n, NULL, ret_threads);
    if (fault != 0) {
        complain("%d workers: %s", n, strerror(-fault));
        return false;
    }
    lk_system_set_pool(system, pool_threads_pool(*ret_threads));
    return true;
}

/* Print a warning if the assembly has changed the initial configuration. */
static void warn_of_start(const struct lk_model *model, struct lk_system *system, const char *path)
{
    struct lk_findings findings;

    if (lk_findings_start(model, system, &findings) != 0)
        return;
    for (int i = 0; i < findings.n; i++)
        caution("%s: %s: %s", path, findings.list[i].where, findings.list[i].text);
    lk_findings_fini(&findings);
}

static int run_system(const struct lk_model *model, struct lk_system *system,
                      const struct run_options *options)
{
    struct run_inputs inputs = {0};
    double *row = calloc((size_t)lk_system_output_size(system) + 1, sizeof(*row));
    struct run_result result = {0};
    struct pool_threads *threads = NULL;
    struct lk_csv *csv = NULL;
    int code = EXIT_REFUSED;
    int fault;

    if (options->start_state == NULL)
        warn_of_start(model, system, options->path);
    if ((options->start_state != NULL && !run_load_state(system, options->start_state)) ||
        !run_inputs_open(system, options, &inputs)) {
        code = EXIT_REFUSED;
    } else if (row == NULL) {
        complain("out of memory");
    } else if (options->duration / lk_system_step_size(system) > RUN_STEPS_MAX) {
        code = usage_error("duration is %g s, expected at most %g steps", options->duration,
                           RUN_STEPS_MAX);
    } else if (start_workers(system, options, &threads) &&
               (options->output == NULL || (csv = run_open_csv(system, options->output)) != NULL)) {
        code = step_through(system, options, &inputs, csv, row, &result);
        fault = lk_csv_close(csv);
        if (fault != 0) {
            complain("%s: %s", options->output, strerror(-fault));
            code = EXIT_REFUSED;
        }
        if (code == EXIT_DONE && options->save_state != NULL &&
            !run_save_state(system, options->save_state))
            code = EXIT_REFUSED;
        if (code == EXIT_DONE)
            warn_of_turns(&result, system, options->path);
        if (code == EXIT_DONE)
            warn_of_strain(&result, system, options->path);
        if (code == EXIT_DONE)
            warn_of_contact(&result, options->path);
        if (code == EXIT_DONE)
            warn_of_taken(&result, system, options->path);
        if (code == EXIT_DONE)
            run_print_summary(options, &result, model, system);
    }
    lk_system_set_pool(system, NULL);
    pool_threads_stop(threads);
    free(row);
    run_inputs_close(&inputs);
    return code;
}

/* Return true if the run needs a method that only the laboratory has. The options or the model may
 * name such a method. */
static bool needs_laboratory(const struct lk_model *model, const struct run_options *options)
{
    return options->has_method || lk_formulation_why_offline(model->solver.formulation) != NULL;
}

static int run_model(const struct run_options *options)
{
    struct lk_model *model = load_model(options->path);
    struct lk_system *system = NULL;
    int code = EXIT_REFUSED;

    if (model != NULL && needs_laboratory(model, options)) {
        code = run_method(model, options);
    } else if (model != NULL) {
        system = compile_model(options->path, model, &options->solver);
        code = system != NULL ? run_system(model, system, options) : EXIT_REFUSED;
    }
    lk_system_free(system);
    lk_model_free(model);
    return code;
}

/* Run, and draw the outputs. Without a file for them they are kept in memory. */
static int run_and_draw(struct run_options *options)
{
    const char *slash = strrchr(options->path, '/');
    const char *title = slash != NULL ? slash + 1 : options->path;
    int memory = options->output == NULL ? memfd_create("rows", MFD_CLOEXEC) : -1;
    char name[32];
    int code = EXIT_REFUSED, n = 0;

    if (options->output == NULL) {
        snprintf(name, sizeof(name), "/proc/self/fd/%d", memory);
        options->output = name;
    }
    if (plot_can_draw(options->picture))
        code = run_model(options);
    if (code == EXIT_DONE) {
        n = plot_file(options->output, title, options->picture);
        code = n > 0 ? EXIT_DONE : EXIT_REFUSED;
    }
    if (n > 0)
        fprintf(options->is_json ? stderr : stdout, "picture             %s, %d panel%s\n",
                options->picture, n, n == 1 ? "" : "s");
    if (memory >= 0)
        close(memory);
    return code;
}

int command_run(int argc, char *argv[])
{
    struct run_options options = {
        .argc = argc, .argv = argv, .duration = 10, .every = 1, .workers = 1};
    int code;

    options.sets = calloc((size_t)argc, sizeof(*options.sets));
    if (options.sets == NULL)
        return EXIT_REFUSED;
    code = run_options_parse(argc, argv, &options);
    options.is_kept = options.output != NULL;
    if (code == EXIT_DONE)
        code = options.picture != NULL ? run_and_draw(&options) : run_model(&options);
    free(options.sets);
    return code;
}
