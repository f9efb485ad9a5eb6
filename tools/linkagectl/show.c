/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the daemon's answers as text or JSON. */
#include "ctl.h"
#include "fields_json.h"
#include "linkage/json.h"
#include "reply_json.h"
#include "report.h"
#include "tone.h"

#include <inttypes.h>
#include <stdio.h>

struct lk_json ctl_begin_json(void)
{
    struct lk_json json = {.file = stdout};

    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "result", "ok");
    return json;
}

void ctl_end_json(struct lk_json *json)
{
    lk_json_close(json, '}');
    lk_json_end(json);
}

static void show_json(const Linkage__V1__ControlReply *reply)
{
    struct lk_json json = {.file = stdout};

    lk_json_open(&json, NULL, '{');
    lk_fields_json(&json, &reply->base, "result text");
    if (reply->id_of_error[0] != '\0')
        lk_fields_json(&json, &reply->base, "id_of_error>id");
    if (reply->n_errors > 0)
        lk_fields_json(&json, &reply->base, "errors");
    if (reply->n_warnings > 0)
        lk_fields_json(&json, &reply->base, "warnings(id where text)");
    if (reply->status != NULL) {
        lk_json_open(&json, "status", '{');
        lk_reply_status_json(&json, reply->status);
        lk_json_close(&json, '}');
    }
    ctl_end_json(&json);
}

/* Print a line of the status. */
static void show_text(const char *label, const char *text)
{
    printf("%-13s ", label);
    lk_report_put(stdout, text);
    putchar('\n');
}

static void show_durations(const char *label, const Linkage__V1__Durations *d)
{
    if (d == NULL || d->count == 0)
        return;
    printf("%-13s p50 %.1f us, p99 %.1f us, p99.9 %.1f us, max %.1f us\n", label,
           (double)d->p50_ns * 1e-3, (double)d->p99_ns * 1e-3, (double)d->p999_ns * 1e-3,
           (double)d->max_ns * 1e-3);
}

static void show_run(const Linkage__V1__Status *s)
{
    printf("%-13s %.3f s, step %" PRIu64 "\n", "time", s->time_s, s->step);
    printf("%-13s %.1f us\n", "period", (double)s->period_ns * 1e-3);
    printf("%-13s %" PRIu64 ", of these %" PRIu64 " overran; %" PRIu64
           " grid points skipped, %" PRIu64 " steps caught up\n",
           "cycles", s->cycles, s->overruns, s->skipped, s->caught_up);
    printf("%-13s %" PRIu64 " late wake-ups, %" PRIu64 " long computations, %" PRIu64
           " throttled by the kernel\n",
           "late", s->late_wakeups, s->long_computations, s->throttled);
    printf("%-13s %.6f s behind wall time\n", "simulated", s->behind_s);
    show_durations("wake-up", s->wakeup);
    show_durations("step", s->compute);
    printf("%-13s %" PRIu32 ": %" PRIu64 " page faults, %" PRIu64 " involuntary switches\n",
           "workers", s->workers, s->page_faults, s->involuntary_switches);
    printf("%-13s %" PRIu64 " samples accepted, %" PRIu64 " refused\n", "inputs",
           s->inputs_accepted, s->inputs_refused);
    printf("%-13s %" PRIu64 " samples published\n", "outputs", s->outputs_published);
    printf("%-13s largest %.2e m or rad, rate %.2e m/s or rad/s\n", "violation",
           s->residual_position, s->residual_velocity);
    printf("%-13s kinetic %.6g J, potential %.6g J, at the start %.6g J\n", "energy", s->kinetic,
           s->potential, s->energy_start);
    printf("%-13s put in %.6g J, dissipated %.6g J, from nowhere %.2g %%\n", "work", s->work_input,
           s->dissipated, 100 * s->energy_jump);
    printf("%-13s last increment %.3g m or rad; bodies at most %.3g m away, %.3g m/s fast, turn by "
           "%.3g rad; %" PRIu32 " dependent rows more\n",
           "step at most", s->increment, s->position, s->speed, s->turn, s->dependent);
}

static void show_recording(const Linkage__V1__Recording *r)
{
    if (r == NULL || r->file[0] == '\0')
        return;
    printf("%-13s ", r->active ? "recording" : "recorded");
    lk_report_put(stdout, r->file);
    printf(": %" PRIu64 " cycles, %" PRIu64 " dropped, %" PRIu64 " bytes", r->cycles, r->dropped,
           r->bytes);
    if (r->trouble[0] != '\0') {
        printf("; ");
        lk_report_put(stdout, r->trouble);
    }
    putchar('\n');
}

static void show_ptp(const Linkage__V1__Ptp *p)
{
    if (p == NULL)
        return;
    printf("%-13s ", "PTP");
    lk_report_put(stdout, p->state);
    if (p->following)
        printf(", %" PRId64 " ns from its master", p->offset_ns);
    if (p->grandmaster[0] != '\0') {
        printf(", grandmaster ");
        lk_report_put(stdout, p->grandmaster);
    }
    if (p->trouble[0] != '\0') {
        printf(": ");
        lk_report_put(stdout, p->trouble);
    }
    putchar('\n');
}

static void show_gateway(const Linkage__V1__Gateway *g)
{
    if (g == NULL)
        return;
    printf("%-13s %" PRIu64 " samples taken, %" PRIu64 " refused, %" PRIu64 " undecodable, %" PRIu64
           " passed over; %" PRIu64 " sent, %" PRIu64 " not\n",
           "gateway", g->accepted, g->refused, g->undecodable, g->older + g->without_data, g->sent,
           g->unsent);
}

static void show_line(const Linkage__V1__Status *s)
{
    char flags[LK_NAMES_FLAGS_SIZE];

    printf("%-13s %" PRIu32 " claims, %" PRIu32 " streams, %" PRIu64 " inputs tripped\n", "line",
           s->claims, s->streams, s->trips);
    if (s->line_restarts > 0)
        printf("%-13s restarted %" PRIu64 " times; the log says why\n", "", s->line_restarts);
    if (s->exchange_priority > 0)
        printf("%-13s samples come and go at priority %" PRIu32 "\n", "", s->exchange_priority);
    if (s->exchange_normal[0] != '\0') {
        printf("%-13s samples come and go at normal priority, late under load: ", "");
        lk_report_put(stdout, s->exchange_normal);
        putchar('\n');
    }
    if (s->flags != 0)
        printf("%-13s %s\n", "flags", lk_names_flags(s->flags, flags));
    if (s->turned_away > 0 || s->forbidden > 0)
        printf("%-13s %" PRIu64 " connections turned away, %" PRIu64
               " requests and samples beyond their role\n",
               "security", s->turned_away, s->forbidden);
    show_ptp(s->ptp);
    show_gateway(s->gateway);
    show_recording(s->recording);
}

static void show_proof(const Linkage__V1__Status *s)
{
    if (s->proof == NULL)
        return;
    if (s->state == LINKAGE__V1__STATE__STATE_ARMING)
        printf("%-13s %.0f %%, %" PRIu64 " steps\n", "arming", 100 * s->proof->progress,
               s->proof->steps);
    if (s->proof->text[0] != '\0')
        show_text("proof", s->proof->text);
}

static void show_people(const Linkage__V1__Status *s)
{
    printf("%-13s %s\n", "state", lk_client_state_name(s->state));
    if (s->fault[0] != '\0')
        show_text("fault", s->fault);
    if (s->loading != NULL) {
        printf("%-13s ", "loading");
        lk_report_put(stdout, s->loading->name);
        printf(", %.1f s so far; %s but for that\n", s->loading->elapsed_s,
               lk_client_state_name(s->loading->state));
    }
    if (s->state != LINKAGE__V1__STATE__STATE_EMPTY && (s->loading == NULL || s->model_id != 0)) {
        printf("%-13s ", "model");
        lk_report_put(stdout, s->model);
        printf(" (id %" PRIu64 ")\n", s->model_id);
        if (s->mode != LINKAGE__V1__MODE__MODE_UNSPECIFIED)
            printf("%-13s %s\n", "mode", lk_names_mode(s->mode));
        show_proof(s);
        show_run(s);
    }
    show_line(s);
    for (size_t i = 0; i < s->n_degraded; i++)
        show_text(i == 0 ? "degraded" : "", s->degraded[i]);
}

/* Print the daemon's refusal. */
static int refused(const Linkage__V1__ControlReply *reply)
{
    fprintf(stderr, "%slinkagectl: ", tone_begin(stderr, TONE_ERROR));
    if (reply->id_of_error[0] != '\0') {
        lk_report_put(stderr, reply->id_of_error);
        fputs(": ", stderr);
    }
    lk_report_put(stderr,
                  reply->text[0] != '\0' ? reply->text : lk_client_result_name(reply->result));
    fprintf(stderr, "%s\n", tone_end(stderr));
    for (size_t i = 1; i < reply->n_errors; i++) { /* the first error is equal to the text */
        fprintf(stderr, "%slinkagectl: ", tone_begin(stderr, TONE_ERROR));
        lk_report_put(stderr, reply->errors[i]);
        fprintf(stderr, "%s\n", tone_end(stderr));
    }
    return CTL_FAILED;
}

static void show_warnings(const Linkage__V1__ControlReply *reply)
{
    for (size_t i = 0; i < reply->n_warnings; i++) {
        const Linkage__V1__Warning *w = reply->warnings[i];

        fputs("  [", stdout);
        lk_report_put(stdout, w->id);
        fputs("] ", stdout);
        lk_report_put(stdout, w->where);
        fputs(": ", stdout);
        lk_report_put(stdout, w->text);
        putchar('\n');
    }
}

int ctl_show_reply(const struct ctl_options *options, const Linkage__V1__ControlReply *reply)
{
    bool ok = reply->result == LINKAGE__V1__RESULT__RESULT_OK;

    if (options->json) {
        show_json(reply);
        return ok ? CTL_OK : CTL_FAILED;
    }
    if (!ok)
        return refused(reply);
    if (reply->status != NULL)
        printf("%s", lk_client_state_name(reply->status->state));
    if (reply->status != NULL && reply->status->model[0] != '\0') {
        printf(" (");
        lk_report_put(stdout, reply->status->model);
        printf(", t = %.3f s)", reply->status->time_s);
    }
    if (reply->text[0] != '\0') {
        printf(": ");
        lk_report_put(stdout, reply->text);
    }
    putchar('\n');
    show_warnings(reply);
    return CTL_OK;
}

int ctl_show_status(const struct ctl_options *options, const Linkage__V1__ControlReply *reply)
{
    if (options->json || reply->result != LINKAGE__V1__RESULT__RESULT_OK || reply->status == NULL)
        return ctl_show_reply(options, reply);
    show_people(reply->status);
    return CTL_OK;
}
