/* SPDX-License-Identifier: Apache-2.0 */
#include "wire_check.h"
#include "wire.h"
#include <math.h>
#include <string.h>

bool lk_wire_all_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

bool lk_wire_name_fits(const char *name)
{
    return strnlen(name, LK_WIRE_NAME_MAX + 1) <= LK_WIRE_NAME_MAX;
}

/* ---- requests ---- */

static bool names_fit(char *const *names, size_t n, size_t n_max)
{
    if (n > n_max)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!lk_wire_name_fits(names[i]))
            return false;
    return true;
}

static bool claim_request_fits(const Linkage__V1__ClaimRequest *claim)
{
    if (!lk_wire_name_fits(claim->bench) || claim->n_channels > LK_WIRE_CHANNELS_MAX)
        return false;
    for (size_t i = 0; i < claim->n_channels; i++) {
        const Linkage__V1__ClaimedChannel *c = claim->channels[i];

        if (!lk_wire_name_fits(c->name) || !names_fit(c->units, c->n_units, LK_WIRE_SCALARS_MAX))
            return false;
    }
    return true;
}

static int check_load(const Linkage__V1__LoadRequest *load)
{
    if (!lk_wire_name_fits(load->name) || load->n_settings > LK_WIRE_SETTINGS_MAX)
        return LK_WIRE_E_MALFORMED;
    for (size_t i = 0; i < load->n_settings; i++) {
        if (!lk_wire_name_fits(load->settings[i]->path))
            return LK_WIRE_E_MALFORMED;
        if (!isfinite(load->settings[i]->value))
            return LK_WIRE_E_NOT_FINITE;
    }
    return 0;
}

static int check_injections(Linkage__V1__Injection *const *list, size_t n)
{
    if (n > LK_WIRE_INJECTIONS_MAX)
        return LK_WIRE_E_MALFORMED;
    for (size_t i = 0; i < n; i++) {
        const double numbers[] = {list[i]->amount, list[i]->share, list[i]->every_s,
                                  list[i]->after_s, list[i]->for_s};

        if (!lk_wire_name_fits(list[i]->target))
            return LK_WIRE_E_MALFORMED;
        if (!lk_wire_all_finite(numbers, sizeof(numbers) / sizeof(numbers[0])))
            return LK_WIRE_E_NOT_FINITE;
    }
    return 0;
}

int lk_wire_check_request(const Linkage__V1__ControlRequest *request)
{
    bool fits = true;

    switch (request->command_case) {
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_LOAD:
        return check_load(request->load);
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_SET:
        fits = lk_wire_name_fits(request->set->channel);
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_CLAIM:
        fits = claim_request_fits(request->claim);
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_SUBSCRIBE:
        fits = names_fit(request->subscribe->channels, request->subscribe->n_channels,
                         LK_WIRE_CHANNELS_MAX);
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_SNAPSHOT:
        fits = lk_wire_name_fits(request->snapshot->name);
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_RESTORE:
        fits = lk_wire_name_fits(request->restore->name);
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_RECORD:
        fits = lk_wire_name_fits(request->record->name);
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_INJECT:
        return check_injections(request->inject->add, request->inject->n_add);
    default:
        break;
    }
    return fits ? 0 : LK_WIRE_E_MALFORMED;
}

/* ---- replies ---- */

/* Return true if no number of a channel is NaN. Infinite numbers are valid: they mean unlimited. */
static bool numbers_fit(const Linkage__V1__ChannelDescription *c)
{
    const Linkage__V1__FailSafe *f = c->fail_safe;

    return !isnan(c->low) && !isnan(c->high) && !isnan(c->rate) && !isnan(c->initial) &&
           !isnan(c->horizon_s) && (f == NULL || (!isnan(f->value) && !isnan(f->ramp_s)));
}

static bool channels_fit(Linkage__V1__ChannelDescription *const *channels, size_t n)
{
    size_t offset = 0;

    if (n > LK_WIRE_CHANNELS_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        const Linkage__V1__ChannelDescription *c = channels[i];

        if (c->offset != offset || c->n_components == 0 || c->n_components != c->n_units ||
            c->n_components > LK_WIRE_SCALARS_MAX || !numbers_fit(c))
            return false;
        offset += c->n_components;
    }
    return true;
}

static bool durations_fit(const Linkage__V1__Durations *d)
{
    if (d == NULL)
        return true;
    if (d->n_bucket_upper_ns != d->n_bucket_count || d->n_bucket_count > LK_WIRE_BUCKETS_MAX)
        return false;
    for (size_t i = 1; i < d->n_bucket_count; i++)
        if (d->bucket_upper_ns[i] <= d->bucket_upper_ns[i - 1])
            return false;
    return true;
}

static bool status_fits(const Linkage__V1__Status *s)
{
    return s == NULL || (durations_fit(s->wakeup) && durations_fit(s->compute));
}

static bool budgets_fit(Linkage__V1__LatencyBudget *const *budgets, size_t n)
{
    if (n > LK_WIRE_CLAIMS_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        const Linkage__V1__LatencyBudget *b = budgets[i];

        if (!durations_fit(b->wire) || !durations_fit(b->wire_in) || !durations_fit(b->wire_out) ||
            !durations_fit(b->wait) || !durations_fit(b->step) || !durations_fit(b->publish) ||
            !durations_fit(b->bench_hold))
            return false;
    }
    return true;
}

static bool evidence_fits(const Linkage__V1__Evidence *e)
{
    if (e == NULL)
        return true;
    return durations_fit(e->wakeup) && durations_fit(e->compute) && durations_fit(e->response) &&
           durations_fit(e->hand_over) && durations_fit(e->input_age) &&
           budgets_fit(e->budgets, e->n_budgets) && e->n_worst <= LK_WIRE_CYCLES_MAX &&
           e->n_missed <= LK_WIRE_CYCLES_MAX;
}

static bool description_fits(const Linkage__V1__ModelDescription *d)
{
    return d == NULL ||
           (channels_fit(d->inputs, d->n_inputs) && channels_fit(d->outputs, d->n_outputs));
}

static bool inputs_fit(const Linkage__V1__InputsReport *r)
{
    if (r == NULL)
        return true;
    if (r->n_claims > LK_WIRE_CLAIMS_MAX || r->n_inputs > LK_WIRE_CHANNELS_MAX)
        return false;
    for (size_t i = 0; i < r->n_inputs; i++)
        if (r->inputs[i]->n_values != r->inputs[i]->n_acting ||
            r->inputs[i]->n_values > LK_WIRE_SCALARS_MAX)
            return false;
    return true;
}

static bool stream_fits(const Linkage__V1__Stream *s)
{
    return s == NULL || (s->topic.len > 0 && s->topic.len <= LK_WIRE_TOPIC_MAX &&
                         channels_fit(s->channels, s->n_channels));
}

static bool claim_fits(const Linkage__V1__Claim *c)
{
    return c == NULL || channels_fit(c->channels, c->n_channels);
}

int lk_wire_check_output(const Linkage__V1__OutputSample *sample)
{
    bool finite = lk_wire_all_finite(sample->values, sample->n_values) && isfinite(sample->time_s);

    return finite ? 0 : LK_WIRE_E_NOT_FINITE;
}

int lk_wire_check_reply(const Linkage__V1__ControlReply *reply)
{
    const Linkage__V1__InjectReport *injections = reply->injections;
    const Linkage__V1__Policy *policy = reply->policy;
    const Linkage__V1__Platform *platform = reply->platform;

    if (!description_fits(reply->description) || !status_fits(reply->status) ||
        !evidence_fits(reply->evidence) || !claim_fits(reply->claim) ||
        !stream_fits(reply->stream) || !inputs_fit(reply->inputs))
        return LK_WIRE_E_MALFORMED;
    if ((injections != NULL && injections->n_injections > LK_WIRE_INJECTIONS_MAX) ||
        (policy != NULL && policy->n_rows > LK_WIRE_CHANNELS_MAX) ||
        (platform != NULL &&
         (platform->n_pose > 6 || platform->n_actuators > 6 || platform->n_low > 6 ||
          platform->n_high > 6 || platform->n_feet > 18 || platform->n_joints > 18)) ||
        (reply->model != NULL && reply->model->n_settings > LK_WIRE_SETTINGS_MAX) ||
        reply->n_errors > LK_WIRE_NOTES_MAX || reply->n_warnings > LK_WIRE_NOTES_MAX)
        return LK_WIRE_E_MALFORMED;
    return reply->outputs != NULL ? lk_wire_check_output(reply->outputs) : 0;
}
