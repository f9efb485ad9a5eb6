/* SPDX-License-Identifier: Apache-2.0 */
/* The summary at the end of a run, as text or JSON. */
#include "linkage/json.h"
#include "model/model.h"
#include "run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_text(const struct run_result *r, const struct lk_model *model,
                       const struct lk_system *system, FILE *to)
{
    double steps = r->steps > 0 ? (double)r->steps : 1;
    struct lk_summary summary;

    lk_system_summary(system, &summary);
    fprintf(to, "%s: %" PRIu64 " steps of %g ms, order %d, %g s\n", lk_model_name(model), r->steps,
            1e3 * lk_system_step_size(system), summary.order, r->time);
    fprintf(to, "wall time           %.3g s, %.0f times real time, %.3g us a step\n", r->wall_s,
            r->wall_s > 0 ? r->time / r->wall_s : 0, 1e6 * r->step_s / steps);
    fprintf(to, "energy drift        %.3g J (largest; energy at the start %.6g J)\n", r->drift,
            r->energy_start);
    fprintf(to, "largest residuals   position %.3g m or rad, velocity %.3g m/s or rad/s\n",
            r->largest.residual_position, r->largest.residual_velocity);
    fprintf(to, "largest increment   %.3g m or rad in the last iteration\n", r->largest.increment);
    fprintf(to, "largest turn        %.3g rad in a step, body '%s'\n", r->turn,
            lk_system_body_name(system, r->turning));
}

static void print_json(const struct run_result *r, const struct lk_model *model,
                       const struct lk_system *system, FILE *to)
{
    struct lk_json json = {.file = to, .spaced = true};
    struct lk_summary summary;

    lk_system_summary(system, &summary);
    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "model", lk_model_name(model));
    lk_json_count(&json, "steps", r->steps);
    lk_json_number(&json, "step_s", lk_system_step_size(system));
    lk_json_number(&json, "order", summary.order);
    lk_json_number(&json, "time_s", r->time);
    lk_json_number(&json, "wall_s", r->wall_s);
    lk_json_number(&json, "steps_wall_s", r->step_s);
    lk_json_number(&json, "energy_drift_J", r->drift);
    lk_json_number(&json, "energy_start_J", r->energy_start);
    lk_json_number(&json, "residual_position", r->largest.residual_position);
    lk_json_number(&json, "residual_velocity", r->largest.residual_velocity);
    lk_json_number(&json, "increment", r->largest.increment);
    lk_json_number(&json, "turn_rad", r->turn);
    lk_json_text(&json, "turning", lk_system_body_name(system, r->turning));
    lk_json_close(&json, '}');
    lk_json_end(&json);
}

FILE *run_summary_file(const struct run_options *options)
{
    return options->output != NULL && strcmp(options->output, "-") == 0 ? stderr : stdout;
}

void run_print_summary(const struct run_options *options, const struct run_result *result,
                       const struct lk_model *model, const struct lk_system *system)
{
    (options->is_json ? print_json : print_text)(result, model, system, run_summary_file(options));
}
