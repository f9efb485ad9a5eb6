/* SPDX-License-Identifier: Apache-2.0 */
#include "reply_json.h"
#include "names.h"
#include "report.h"
#include "wire.h"

#include <math.h>

void lk_reply_numbers_json(struct lk_json *json, const char *key, const double *values, size_t n)
{
    lk_json_open(json, key, '[');
    for (size_t i = 0; i < n; i++)
        lk_json_number(json, NULL, values[i]);
    lk_json_close(json, ']');
}

void lk_reply_flags_json(struct lk_json *json, const char *key, uint32_t flags)
{
    lk_json_open(json, key, '[');
    for (uint32_t bit = 1; bit != 0; bit <<= 1)
        if (flags & bit)
            lk_json_text(json, NULL, lk_names_flag((Linkage__V1__Flag)bit));
    lk_json_close(json, ']');
}

/* ---- status ---- */

static void json_durations(struct lk_json *json, const char *key, const Linkage__V1__Durations *d)
{
    if (d == NULL)
        return;
    lk_json_open(json, key, '{');
    lk_json_count(json, "count", d->count);
    lk_json_count(json, "p50_ns", d->p50_ns);
    lk_json_count(json, "p99_ns", d->p99_ns);
    lk_json_count(json, "p999_ns", d->p999_ns);
    lk_json_count(json, "max_ns", d->max_ns);
    lk_json_open(json, "buckets", '[');
    for (size_t i = 0; i < d->n_bucket_upper_ns && i < d->n_bucket_count; i++) {
        lk_json_open(json, NULL, '{');
        lk_json_count(json, "upper_ns", d->bucket_upper_ns[i]);
        lk_json_count(json, "count", d->bucket_count[i]);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
    lk_json_close(json, '}');
}

static void json_energy(struct lk_json *json, const Linkage__V1__Status *s)
{
    lk_json_number(json, "residual_position", s->residual_position);
    lk_json_number(json, "residual_velocity", s->residual_velocity);
    lk_json_number(json, "kinetic_J", s->kinetic);
    lk_json_number(json, "potential_J", s->potential);
    lk_json_number(json, "work_input_J", s->work_input);
    lk_json_number(json, "dissipated_J", s->dissipated);
    lk_json_number(json, "energy_start_J", s->energy_start);
    lk_json_number(json, "increment", s->increment);
    lk_json_number(json, "energy_jump", s->energy_jump);
    lk_json_count(json, "dependent_rows", s->dependent);
    lk_json_number(json, "turn_rad", s->turn);
    lk_json_number(json, "position_m", s->position);
    lk_json_number(json, "speed_m_s", s->speed);
}

static void json_recording(struct lk_json *json, const Linkage__V1__Recording *r)
{
    if (r == NULL)
        return;
    lk_json_open(json, "recording", '{');
    lk_json_bool(json, "active", r->active);
    lk_json_text(json, "file", r->file);
    lk_json_count(json, "begins_at_step", r->begins_at_step);
    lk_json_count(json, "cycles", r->cycles);
    lk_json_count(json, "dropped", r->dropped);
    lk_json_count(json, "bytes", r->bytes);
    lk_json_text(json, "trouble", r->trouble);
    lk_json_close(json, '}');
}

static void json_ptp(struct lk_json *json, const Linkage__V1__Ptp *p)
{
    if (p == NULL)
        return;
    lk_json_open(json, "ptp", '{');
    lk_json_text(json, "state", p->state);
    lk_json_bool(json, "following", p->following);
    lk_json_number(json, "offset_ns", (double)p->offset_ns);
    lk_json_text(json, "grandmaster", p->grandmaster);
    lk_json_count(json, "age_ns", p->age_ns);
    lk_json_text(json, "trouble", p->trouble);
    lk_json_close(json, '}');
}

static void json_gateway(struct lk_json *json, const Linkage__V1__Gateway *g)
{
    if (g == NULL)
        return;
    lk_json_open(json, "gateway", '{');
    lk_json_count(json, "accepted", g->accepted);
    lk_json_count(json, "refused", g->refused);
    lk_json_count(json, "undecodable", g->undecodable);
    lk_json_count(json, "older", g->older);
    lk_json_count(json, "without_data", g->without_data);
    lk_json_count(json, "sent", g->sent);
    lk_json_count(json, "unsent", g->unsent);
    lk_json_close(json, '}');
}

/* Fields that came with the bench line. */
static void json_line(struct lk_json *json, const Linkage__V1__Status *s)
{
    lk_json_text(json, "mode", lk_names_mode(s->mode));
    lk_reply_flags_json(json, "flags", s->flags);
    lk_json_count(json, "daemon_id", s->daemon_id);
    lk_json_text(json, "version", s->version);
    lk_json_text(json, "role", lk_names_role(s->role));
    lk_json_count(json, "claims", s->claims);
    lk_json_count(json, "streams", s->streams);
    lk_json_count(json, "trips", s->trips);
    lk_json_count(json, "turned_away", s->turned_away);
    lk_json_count(json, "forbidden", s->forbidden);
    lk_json_count(json, "line_restarts", s->line_restarts);
    lk_json_count(json, "exchange_priority", s->exchange_priority);
    lk_json_text(json, "exchange_normal", s->exchange_normal);
    json_recording(json, s->recording);
    json_ptp(json, s->ptp);
    json_gateway(json, s->gateway);
}

void lk_reply_status_json(struct lk_json *json, const Linkage__V1__Status *s)
{
    lk_json_text(json, "state", lk_wire_state_name(s->state));
    if (s->loading != NULL)
        lk_json_number(json, "loading_s", s->loading->elapsed_s);
    lk_json_text(json, "model", s->model);
    lk_json_count(json, "model_id", s->model_id);
    lk_json_count(json, "step", s->step);
    lk_json_number(json, "time_s", s->time_s);
    lk_json_count(json, "period_ns", s->period_ns);
    lk_json_count(json, "workers", s->workers);
    lk_json_count(json, "cycles", s->cycles);
    lk_json_count(json, "overruns", s->overruns);
    lk_json_count(json, "skipped", s->skipped);
    lk_json_count(json, "caught_up", s->caught_up);
    lk_json_count(json, "late_wakeups", s->late_wakeups);
    lk_json_count(json, "late_wakeup_step", s->late_wakeup_step);
    lk_json_count(json, "long_computations", s->long_computations);
    lk_json_count(json, "long_computation_step", s->long_computation_step);
    lk_json_count(json, "throttled", s->throttled);
    lk_json_number(json, "behind_s", s->behind_s);
    lk_report_proof_json(json, "proof", s->proof);
    json_durations(json, "wakeup", s->wakeup);
    json_durations(json, "compute", s->compute);
    lk_json_count(json, "inputs_accepted", s->inputs_accepted);
    lk_json_count(json, "inputs_refused", s->inputs_refused);
    lk_json_count(json, "outputs_published", s->outputs_published);
    json_energy(json, s);
    lk_json_texts(json, "degraded", (const char *const *)s->degraded, s->n_degraded);
    lk_json_text(json, "fault", s->fault);
    lk_json_count(json, "page_faults", s->page_faults);
    lk_json_count(json, "involuntary_switches", s->involuntary_switches);
    json_line(json, s);
}

/* ---- inputs ---- */

static void json_input_report(struct lk_json *json, const Linkage__V1__InputReport *input)
{
    lk_json_open(json, NULL, '{');
    lk_json_text(json, "channel", input->channel);
    lk_json_text(json, "bench", input->bench);
    lk_reply_numbers_json(json, "commanded", input->values, input->n_values);
    lk_reply_numbers_json(json, "acting", input->acting, input->n_acting);
    lk_json_bool(json, "stale", input->stale);
    lk_json_text(json, "action", lk_names_action(input->acting_action));
    lk_json_text(json, "condition",
                 input->condition != LINKAGE__V1__CONDITION__CONDITION_UNSPECIFIED
                     ? lk_names_condition(input->condition)
                     : "");
    lk_json_count(json, "age_steps", input->age_steps);
    lk_json_count(json, "trips", input->trips);
    lk_json_count(json, "trip_step", input->trip_step);
    lk_json_count(json, "not_finite", input->not_finite);
    lk_json_count(json, "out_of_range", input->out_of_range);
    lk_json_count(json, "rate_limited", input->rate_limited);
    lk_json_close(json, '}');
}

static void json_claim(struct lk_json *json, const Linkage__V1__ClaimReport *claim)
{
    lk_json_open(json, NULL, '{');
    lk_json_count(json, "claim", claim->number);
    lk_json_text(json, "bench", claim->bench);
    lk_json_texts(json, "channels", (const char *const *)claim->channels, claim->n_channels);
    lk_json_number(json, "silent_s", claim->silent_s < 0 ? NAN : claim->silent_s);
    lk_json_bool(json, "lost", claim->lost);
    lk_json_count(json, "accepted", claim->accepted);
    lk_json_count(json, "refused", claim->refused);
    lk_json_count(json, "gaps", claim->gaps);
    lk_json_count(json, "heartbeats", claim->heartbeats);
    lk_json_text(json, "key", claim->peer);
    lk_json_close(json, '}');
}

static void json_refusals(struct lk_json *json, const Linkage__V1__Refusals *r)
{
    if (r == NULL)
        return;
    lk_json_open(json, "refusals", '{');
    lk_json_count(json, "undecodable", r->undecodable);
    lk_json_count(json, "length", r->length);
    lk_json_count(json, "not_finite", r->not_finite);
    lk_json_count(json, "range", r->range);
    lk_json_count(json, "not_newer", r->not_newer);
    lk_json_count(json, "other_model", r->other_model);
    lk_json_count(json, "no_model", r->no_model);
    lk_json_count(json, "token", r->token);
    lk_json_count(json, "unclaimed", r->unclaimed);
    lk_json_count(json, "role", r->role);
    lk_json_close(json, '}');
}

void lk_reply_inputs_json(struct lk_json *json, const Linkage__V1__InputsReport *report)
{
    lk_json_open(json, "inputs", '[');
    for (size_t i = 0; i < report->n_inputs; i++)
        json_input_report(json, report->inputs[i]);
    lk_json_close(json, ']');
    lk_json_open(json, "claims", '[');
    for (size_t i = 0; i < report->n_claims; i++)
        json_claim(json, report->claims[i]);
    lk_json_close(json, ']');
    json_refusals(json, report->refusals);
}

/* ---- channels ---- */

static void json_input_channel(struct lk_json *json, const Linkage__V1__ChannelDescription *c)
{
    lk_json_number(json, "low", c->low);
    lk_json_number(json, "high", c->high);
    lk_json_number(json, "rate", c->rate);
    lk_json_number(json, "initial", c->initial);
    lk_json_number(json, "period_s", c->period_s);
    lk_json_number(json, "delay_s", c->delay_s);
    lk_json_number(json, "horizon_s", c->horizon_s);
    if (c->fail_safe == NULL)
        return;
    lk_json_open(json, "fail_safe", '{');
    lk_json_count(json, "timeout_steps", c->fail_safe->timeout_steps);
    lk_json_text(json, "action", lk_names_action(c->fail_safe->action));
    lk_json_number(json, "value", c->fail_safe->value);
    lk_json_number(json, "ramp_s", c->fail_safe->ramp_s);
    lk_json_close(json, '}');
}

static void json_channels(struct lk_json *json, const char *key,
                          Linkage__V1__ChannelDescription *const *channels, size_t n,
                          bool are_inputs)
{
    lk_json_open(json, key, '[');
    for (size_t i = 0; i < n; i++) {
        const Linkage__V1__ChannelDescription *c = channels[i];

        lk_json_open(json, NULL, '{');
        lk_json_text(json, "name", c->name);
        lk_json_text(json, "type", c->type);
        lk_json_text(json, "frame", c->frame);
        lk_json_count(json, "offset", c->offset);
        lk_json_texts(json, "components", (const char *const *)c->components, c->n_components);
        lk_json_texts(json, "units", (const char *const *)c->units, c->n_units);
        if (are_inputs)
            json_input_channel(json, c);
        else
            lk_json_number(json, "ahead_s", c->ahead_s);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
}

void lk_reply_channels_json(struct lk_json *json, const Linkage__V1__ModelDescription *model)
{
    json_channels(json, "inputs", model->inputs, model->n_inputs, true);
    json_channels(json, "outputs", model->outputs, model->n_outputs, false);
}

/* ---- policy, faults, platform ---- */

void lk_reply_policy_json(struct lk_json *json, const Linkage__V1__Policy *policy)
{
    lk_json_open(json, "policy", '[');
    for (size_t i = 0; i < policy->n_rows; i++) {
        const Linkage__V1__PolicyRow *row = policy->rows[i];

        lk_json_open(json, NULL, '{');
        lk_json_text(json, "condition", lk_names_condition(row->condition));
        lk_json_text(json, "channel", row->channel);
        lk_json_text(json, "action", lk_names_action(row->action));
        lk_json_text(json, "limit", row->limit);
        lk_json_number(json, "value", row->value);
        lk_json_number(json, "ramp_s", row->ramp_s);
        lk_json_count(json, "count", row->count);
        lk_json_count(json, "last_step", row->last_step);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
    lk_json_count(json, "recover_samples", policy->recover_samples);
}

void lk_reply_injections_json(struct lk_json *json, const Linkage__V1__InjectReport *report)
{
    lk_json_open(json, "injections", '[');
    for (size_t i = 0; i < report->n_injections; i++) {
        const Linkage__V1__Injection *injection = report->injections[i];

        lk_json_open(json, NULL, '{');
        lk_json_count(json, "number", injection->number);
        lk_json_text(json, "kind", lk_names_injection(injection->kind));
        lk_json_text(json, "target", injection->target);
        lk_json_number(json, "amount", injection->amount);
        lk_json_number(json, "share", injection->share);
        lk_json_number(json, "every_s", injection->every_s);
        lk_json_number(json, "after_s", injection->after_s);
        lk_json_number(json, "for_s", injection->for_s);
        lk_json_count(json, "seed", injection->seed);
        lk_json_bool(json, "active", injection->active);
        lk_json_count(json, "touched", injection->count);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
}

void lk_reply_platform_json(struct lk_json *json, const Linkage__V1__Platform *p)
{
    lk_json_text(json, "state", p->state);
    lk_json_text(json, "cause", p->cause);
    lk_json_bool(json, "emergency", p->emergency);
    lk_json_bool(json, "heard", p->heard);
    lk_json_bool(json, "ready", p->ready);
    lk_reply_numbers_json(json, "pose", p->pose, p->n_pose);
    lk_reply_numbers_json(json, "actuators", p->actuators, p->n_actuators);
    lk_json_count(json, "limited", p->limited);
}
