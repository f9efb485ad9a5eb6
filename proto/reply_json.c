/* SPDX-License-Identifier: Apache-2.0 */
#include "reply_json.h"
#include "fields_json.h"
#include "names.h"
#include "report.h"
#include "report_parts.h"

void lk_reply_flags_json(struct lk_json *json, const char *key, uint32_t flags)
{
    lk_json_open(json, key, '[');
    for (uint32_t bit = 1; bit != 0; bit <<= 1)
        if (flags & bit)
            lk_json_text(json, NULL, lk_names_flag((Linkage__V1__Flag)bit));
    lk_json_close(json, ']');
}

static void json_durations(struct lk_json *json, const char *key, const Linkage__V1__Durations *d)
{
    if (d != NULL)
        lk_report_durations_json(json, key, d, '{');
}

static void json_ptp(struct lk_json *json, const Linkage__V1__Ptp *p)
{
    if (p == NULL)
        return;
    lk_json_open(json, "ptp", '{');
    lk_fields_json(json, &p->base, "state following");
    lk_json_number(json, "offset_ns", (double)p->offset_ns);
    lk_fields_json(json, &p->base, "grandmaster age_ns trouble");
    lk_json_close(json, '}');
}

/* Write the fields from "mode" to "gateway", which older daemons do not send. */
static void json_line(struct lk_json *json, const Linkage__V1__Status *s)
{
    lk_fields_json(json, &s->base, "mode");
    lk_reply_flags_json(json, "flags", s->flags);
    lk_fields_json(json, &s->base,
                   "daemon_id version role claims streams trips turned_away forbidden "
                   "line_restarts exchange_priority exchange_normal "
                   "recording(active file begins_at_step cycles dropped bytes trouble)");
    json_ptp(json, s->ptp);
    lk_fields_json(json, &s->base,
                   "gateway(accepted refused undecodable older without_data sent unsent)");
}

void lk_reply_status_json(struct lk_json *json, const Linkage__V1__Status *s)
{
    lk_fields_json(json, &s->base, "state");
    if (s->loading != NULL)
        lk_json_number(json, "loading_s", s->loading->elapsed_s);
    lk_fields_json(json, &s->base,
                   "model model_id step time_s period_ns workers cycles overruns skipped caught_up "
                   "late_wakeups late_wakeup_step long_computations long_computation_step "
                   "throttled behind_s");
    lk_report_proof_json(json, "proof", s->proof);
    json_durations(json, "wakeup", s->wakeup);
    json_durations(json, "compute", s->compute);
    lk_fields_json(json, &s->base,
                   "inputs_accepted inputs_refused outputs_published "
                   "residual_position residual_velocity kinetic>kinetic_J potential>potential_J "
                   "work_input>work_input_J dissipated>dissipated_J energy_start>energy_start_J "
                   "increment energy_jump dependent>dependent_rows turn>turn_rad "
                   "position>position_m speed>speed_m_s "
                   "degraded fault page_faults involuntary_switches");
    json_line(json, s);
}

void lk_reply_inputs_json(struct lk_json *json, const Linkage__V1__InputsReport *report)
{
    lk_fields_json(json, &report->base,
                   "inputs(channel bench values>commanded acting stale acting_action>action "
                   "condition? age_steps trips trip_step not_finite out_of_range rate_limited) "
                   "claims(number>claim bench channels silent_s? lost accepted refused gaps "
                   "heartbeats peer>key yields) "
                   "refusals(undecodable length not_finite range not_newer other_model no_model "
                   "token unclaimed role)");
}

#define CHANNEL "name type frame offset components units"

void lk_reply_channels_json(struct lk_json *json, const Linkage__V1__ModelDescription *model)
{
    lk_fields_json(json, &model->base,
                   "inputs(" CHANNEL " low high rate initial period_s delay_s horizon_s "
                   "fail_safe(timeout_steps action value ramp_s)) "
                   "outputs(" CHANNEL " ahead_s)");
}

void lk_reply_policy_json(struct lk_json *json, const Linkage__V1__Policy *policy)
{
    lk_fields_json(json, &policy->base,
                   "rows>policy(condition channel action limit value ramp_s count last_step) "
                   "recover_samples");
}

void lk_reply_injections_json(struct lk_json *json, const Linkage__V1__InjectReport *report)
{
    lk_fields_json(json, &report->base,
                   "injections(number kind target amount share every_s after_s for_s seed active "
                   "count>touched)");
}

void lk_reply_platform_json(struct lk_json *json, const Linkage__V1__Platform *p)
{
    lk_fields_json(json, &p->base,
                   "state cause emergency heard ready pose actuators limited low high feet joints");
}
