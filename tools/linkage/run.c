/* SPDX-License-Identifier: Apache-2.0 */
/* linkage run: step a model as fast as it goes and write its outputs. */
#include "commands.h"
#include "crew_threads.h"
#include "csv.h"
#include "linkage/crew.h"
#include "model/model.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More steps than this are a slip of the pen: years of computing. */
/* [m or rad] beyond it a run has failed; what the daemon takes as a fault unless told otherwise */
#define RESIDUAL_LIMIT 1e-3
#define STEPS_MAX      1e12

static bool parse_whole(const char *text, long min, long max, long *ret_value)
{
    double value;

    if (!parse_number(text, &value) || value != floor(value) || value < (double)min ||
        value > (double)max)
        return false;
    *ret_value = (long)value;
    return true;
}

/* Return: EXIT_DONE, EXIT_USAGE after a complaint; @ret_help: help was asked for. */
static int parse_options(int argc, char *argv[], struct run_options *options, bool *ret_help)
{
    static const struct option longs[] = {{"step", required_argument, NULL, 's'},
                                          {"duration", required_argument, NULL, 'd'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"iterations", required_argument, NULL, 'i'},
                                          {"every", required_argument, NULL, 'n'},
                                          {"set", required_argument, NULL, 'S'},
                                          {"workers", required_argument, NULL, 'w'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    long iterations = 0;
    int option;

    while ((option = getopt_long(argc, argv, "s:d:o:i:n:w:h", longs, NULL)) != -1) {
        switch (option) {
        case 's':
            if (!parse_number(optarg, &options->solver.step) || options->solver.step < 1e-6 ||
                options->solver.step > 0.1)
                return usage_error("step is '%s', expected 1e-6 to 0.1 s", optarg);
            break;
        case 'd':
            if (!parse_number(optarg, &options->duration) || options->duration < 0)
                return usage_error("duration is '%s', expected a number of seconds", optarg);
            break;
        case 'i':
            if (!parse_whole(optarg, 1, 20, &iterations))
                return usage_error("iterations is '%s', expected 1 to 20", optarg);
            break;
        case 'n':
            if (!parse_whole(optarg, 1, 1000000000, &options->every))
                return usage_error("every is '%s', expected a number of steps", optarg);
            break;
        case 'w':
            options->workers = 0;
            if (strcmp(optarg, "auto") != 0 &&
                !parse_whole(optarg, 1, LK_CREW_MAX, &options->workers))
                return usage_error("workers is '%s', expected auto or 1 to %d", optarg,
                                   LK_CREW_MAX);
            break;
        case 'o':
            options->output = optarg;
            break;
        case 'S':
            options->sets[options->n_sets++] = optarg;
            break;
        case 'h':
            *ret_help = true;
            return EXIT_DONE;
        default: /* getopt has said what is wrong */
            return EXIT_USAGE;
        }
    }
    options->solver.iterations = (int)iterations;
    if (optind != argc - 1)
        return usage_error("run takes one model");
    options->path = argv[optind];
    return EXIT_DONE;
}

/* Return: NULL after a complaint. */
static struct lk_csv *open_csv(const struct lk_system *system, const char *path)
{
    struct lk_csv *csv = NULL;
    int n;
    const struct lk_channel *channels = lk_system_output_channels(system, &n);
    int fault = lk_csv_open(path, &csv);

    if (fault != 0) {
        complain("%s: %s", path, strerror(-fault));
        return NULL;
    }
    lk_csv_add_column(csv, "time", "", "s");
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < channels[i].size; k++)
            lk_csv_add_column(csv, channels[i].name, channels[i].component[k], channels[i].unit[k]);
    }
    return csv;
}

/* @values: room for the time and all outputs. Return: 0, negative errno. */
static int write_row(const struct lk_system *system, struct lk_csv *csv, double *values)
{
    if (csv == NULL)
        return 0;
    values[0] = lk_system_time(system);
    lk_system_outputs(system, values + 1);
    return lk_csv_write_row(csv, values);
}

static void note_health(const struct lk_system *system, struct run_result *result)
{
    struct lk_health health, *largest = &result->largest;
    double energy;

    lk_system_health(system, &health);
    energy = health.kinetic + health.potential + health.dissipated - health.work_input;
    if (lk_system_step_count(system) == 0)
        result->energy_start = energy;
    result->drift = fmax(result->drift, fabs(energy - result->energy_start));
    largest->residual_position = fmax(largest->residual_position, health.residual_position);
    largest->residual_velocity = fmax(largest->residual_velocity, health.residual_velocity);
    largest->increment = fmax(largest->increment, health.increment);
}

/* Return: EXIT_DONE; EXIT_REFUSED after a complaint. @csv may be NULL. */
static int step_through(struct lk_system *system, const struct run_options *options,
                        const double *inputs, struct lk_csv *csv, double *row,
                        struct run_result *result)
{
    uint64_t n = (uint64_t)llround(options->duration / lk_system_step_size(system));
    struct progress progress;
    int fault = write_row(system, csv, row);
    int outcome;
    double begin;

    progress_start(&progress);
    note_health(system, result);
    while (result->steps < n && fault == 0) {
        begin = now_s();
        outcome = lk_system_step(system, inputs);
        if (outcome != 0) {
            progress_stop(&progress);
            complain("%s: the step from t = %.9g s %s", options->path, lk_system_time(system),
                     outcome == LK_E_TURN
                         ? "turns a body by more than half a turn, expected a shorter --step"
                         : "gives no finite state");
            return EXIT_REFUSED;
        }
        result->step_s += now_s() - begin;
        result->steps++;
        note_health(system, result);
        if (result->steps % (uint64_t)options->every == 0)
            fault = write_row(system, csv, row);
        progress_show(&progress, begin, (double)result->steps / (double)n);
    }
    progress_stop(&progress);
    if (result->largest.residual_position > RESIDUAL_LIMIT)
        complain("%s: a joint was violated by %.3g m or rad, the result is wrong; expected at most "
                 "%g, try a shorter --step",
                 options->path, result->largest.residual_position, RESIDUAL_LIMIT);
    result->wall_s = now_s() - progress.start_s;
    result->time = lk_system_time(system);
    /* a fault of the file is reported when it is closed */
    return result->largest.residual_position > RESIDUAL_LIMIT ? EXIT_REFUSED : EXIT_DONE;
}

/* Torques, and forces that turn with their body, have no potential; their work is in no book of the
 * library, so it shows as drift. */
static bool has_constant_loads(const struct lk_model *model)
{
    for (int i = 0; i < model->n_forces; i++) {
        const struct lk_force_def *f = &model->forces[i];

        if (f->type == LK_FORCE_CONSTANT_TORQUE ||
            (f->type == LK_FORCE_CONSTANT_FORCE && f->frame == LK_FRAME_BODY))
            return true;
    }
    return false;
}

static void print_summary(const struct run_result *r, const struct lk_model *model,
                          const struct lk_system *system, FILE *to)
{
    double steps = r->steps > 0 ? (double)r->steps : 1;
    struct lk_summary summary;

    lk_system_summary(system, &summary);
    fprintf(to, "%s: %" PRIu64 " steps of %g ms, order %d, %g s\n", lk_model_name(model), r->steps,
            1e3 * lk_system_step_size(system), summary.order, r->time);
    fprintf(to, "wall time           %.3g s, %.0f times real time, %.3g us a step\n", r->wall_s,
            r->wall_s > 0 ? r->time / r->wall_s : 0, 1e6 * r->step_s / steps);
    fprintf(to, "energy drift        %.3g J (largest%s; energy at the start %.6g J)\n", r->drift,
            has_constant_loads(model) ? ", with the work of constant torques and turning forces"
                                      : "",
            r->energy_start);
    fprintf(to, "largest residuals   position %.3g m or rad, velocity %.3g m/s or rad/s\n",
            r->largest.residual_position, r->largest.residual_velocity);
    fprintf(to, "largest increment   %.3g m or rad in the last iteration\n", r->largest.increment);
}

/* Workers that the model pays for, but not more than there are cores. */
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

/* Threads for the step, where it has more than one. Return: false after a complaint. */
static bool start_workers(struct lk_system *system, const struct run_options *options,
                          struct crew_threads **ret_threads)
{
    int n = count_workers(system, options), fault;

    if (n == 1)
        return true;
    fault = crew_threads_start(n, NULL, ret_threads);
    if (fault != 0) {
        complain("%d workers: %s", n, strerror(-fault));
        return false;
    }
    lk_system_set_crew(system, crew_threads_crew(*ret_threads));
    return true;
}

static int run_system(const struct lk_model *model, struct lk_system *system,
                      const struct run_options *options)
{
    double *inputs = calloc((size_t)lk_system_input_size(system) + 1, sizeof(*inputs));
    double *row = calloc((size_t)lk_system_output_size(system) + 1, sizeof(*row));
    struct run_result result = {0};
    struct crew_threads *threads = NULL;
    struct lk_csv *csv = NULL;
    int code = EXIT_REFUSED;
    int fault;

    if (inputs == NULL || row == NULL) {
        complain("out of memory");
    } else if (options->duration / lk_system_step_size(system) > STEPS_MAX) {
        code = usage_error("duration is %g s, expected at most %g steps", options->duration,
                           STEPS_MAX);
    } else if (set_inputs(system, options, inputs) && start_workers(system, options, &threads) &&
               (options->output == NULL || (csv = open_csv(system, options->output)) != NULL)) {
        code = step_through(system, options, inputs, csv, row, &result);
        fault = lk_csv_close(csv);
        if (fault != 0) {
            complain("%s: %s", options->output, strerror(-fault));
            code = EXIT_REFUSED;
        }
        if (code == EXIT_DONE)
            print_summary(&result, model, system,
                          csv != NULL && strcmp(options->output, "-") == 0 ? stderr : stdout);
    }
    lk_system_set_crew(system, NULL);
    crew_threads_stop(threads);
    free(row);
    free(inputs);
    return code;
}

int command_run(int argc, char *argv[])
{
    struct run_options options = {.duration = 10, .every = 1, .workers = 1};
    struct lk_model *model = NULL;
    struct lk_system *system = NULL;
    bool help = false;
    int code;

    options.sets = calloc((size_t)argc, sizeof(*options.sets));
    if (options.sets == NULL)
        return EXIT_REFUSED;
    code = parse_options(argc, argv, &options, &help);
    if (code == EXIT_DONE && help) {
        print_help();
    } else if (code == EXIT_DONE) {
        model = load_model(options.path);
        system = model != NULL ? compile_model(options.path, model, &options.solver) : NULL;
        code = system != NULL ? run_system(model, system, &options) : EXIT_REFUSED;
    }
    lk_system_free(system);
    lk_model_free(model);
    free(options.sets);
    return code;
}
