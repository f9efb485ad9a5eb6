/* SPDX-License-Identifier: Apache-2.0 */
/* Command `inputs`: owners of inputs, and counts of samples. */
#include "ctl.h"
#include "linkage/json.h"
#include "reply_json.h"
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_WIDTH  20
#define VALUE_WIDTH 24

/* Print @text, padded with spaces to @width columns. A longer text is followed by one space. */
static void put_name(const char *text, int width)
{
    int n = (int)strlen(text);

    lk_report_put(stdout, text);
    printf("%*s", n < width ? width - n : 1, "");
}

/* Print values such as "1.5" or "0.1 0.2 0.3". */
static void put_values(const double *values, size_t n)
{
    char text[VALUE_WIDTH * LK_WIRE_SCALARS_MAX];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < n && used < sizeof(text); i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.6g", i > 0 ? " " : "",
                                 values[i]);
    put_name(text, VALUE_WIDTH);
}

/* Format the state of an input, such as "ok", "stale" or "ramp (lost)". */
static void describe_state(const Linkage__V1__InputReport *input, char *text, size_t size)
{
    bool tripped = input->acting_action > LINKAGE__V1__ACTION__ACTION_COUNT;

    if (tripped)
        snprintf(text, size, "%s (%s)", lk_names_action(input->acting_action),
                 lk_names_condition(input->condition));
    else
        snprintf(text, size, "%s", input->stale ? "stale" : "ok");
}

static void show_input(const Linkage__V1__InputReport *input)
{
    char state[64];

    describe_state(input, state, sizeof(state));
    put_name(input->channel, NAME_WIDTH);
    put_name(input->bench[0] != '\0' ? input->bench : "-", NAME_WIDTH);
    put_values(input->values, input->n_values);
    put_values(input->acting, input->n_acting);
    printf("%8" PRIu64 "  %-18s%8" PRIu64 "%10" PRIu64 "%10" PRIu64 "\n", input->age_steps, state,
           input->trips, input->not_finite + input->out_of_range, input->rate_limited);
}

static void show_channels(const Linkage__V1__InputsReport *report)
{
    if (report->n_inputs == 0) {
        printf("the model has no inputs\n");
        return;
    }
    printf("%-*s%-*s%-*s%-*s%8s  %-18s%8s%10s%10s\n", NAME_WIDTH, "channel", NAME_WIDTH, "owner",
           VALUE_WIDTH, "commanded", VALUE_WIDTH, "acting", "age", "state", "trips", "refused",
           "limited");
    for (size_t i = 0; i < report->n_inputs; i++)
        show_input(report->inputs[i]);
}

static void show_silence(const Linkage__V1__ClaimReport *claim)
{
    char text[40];

    if (claim->silent_s < 0)
        snprintf(text, sizeof(text), "never heard");
    else
        snprintf(text, sizeof(text), "%.3f s%s", claim->silent_s, claim->lost ? ", lost" : "");
    printf("%-18s", text);
}

static void show_benches(const Linkage__V1__InputsReport *report)
{
    if (report->n_claims == 0) {
        printf("no bench has claimed a channel\n");
        return;
    }
    printf("%-*s%6s  %-18s%10s%10s%8s%12s  %s\n", NAME_WIDTH, "bench", "claim", "silent",
           "accepted", "refused", "gaps", "heartbeats", "channels");
    for (size_t i = 0; i < report->n_claims; i++) {
        const Linkage__V1__ClaimReport *claim = report->claims[i];

        put_name(claim->bench, NAME_WIDTH);
        printf("%6" PRIu32 "  ", claim->number);
        show_silence(claim);
        printf("%10" PRIu64 "%10" PRIu64 "%8" PRIu64 "%12" PRIu64 " ", claim->accepted,
               claim->refused, claim->gaps, claim->heartbeats);
        for (size_t j = 0; j < claim->n_channels; j++) {
            putchar(' ');
            lk_report_put(stdout, claim->channels[j]);
        }
        if (claim->yields)
            printf("  (yields)");
        if (claim->peer[0] != '\0') {
            printf("  (key ");
            lk_report_put(stdout, claim->peer);
            putchar(')');
        }
        putchar('\n');
    }
}

/** struct reason - a reason for refused samples, and number of these samples. */
struct reason {
    const char *words;
    uint64_t count;
};

#define REASONS 10

static void list_reasons(const Linkage__V1__Refusals *r, struct reason reasons[REASONS])
{
    const struct reason list[REASONS] = {
        {"not decodable", r->undecodable}, {"wrong length", r->length},
        {"not finite", r->not_finite},     {"beyond the limits", r->range},
        {"not newer", r->not_newer},       {"for another model", r->other_model},
        {"without a model", r->no_model},  {"unknown token", r->token},
        {"without a claim", r->unclaimed}, {"beyond the role", r->role},
    };

    memcpy(reasons, list, sizeof(list));
}

static void show_refusals(const Linkage__V1__Refusals *refusals)
{
    struct reason reasons[REASONS];
    int n = 0;

    if (refusals == NULL)
        return;
    list_reasons(refusals, reasons);
    printf("samples refused: ");
    for (int i = 0; i < REASONS; i++)
        if (reasons[i].count > 0)
            printf("%s%" PRIu64 " %s", n++ > 0 ? ", " : "", reasons[i].count, reasons[i].words);
    printf("%s\n", n > 0 ? "" : "none");
}

/** struct unbounded - names of the inputs that have no limits, and of those that have no rate
 * limit. They are copied, because the description is no longer valid when they are printed. Names
 * for which there is no room are only counted. */
struct unbounded {
    char names[2][1000];
    size_t used[2];
    int n[2];
};

enum { LIMITS, RATE };

static void add_unbounded(struct unbounded *u, int which, const char *name)
{
    size_t left = sizeof(u->names[which]) - u->used[which];
    int n =
        snprintf(u->names[which] + u->used[which], left, "%s%s", u->n[which] > 0 ? ", " : "", name);

    if (n < 0 || (size_t)n >= left)
        u->names[which][u->used[which]] = '\0';
    else
        u->used[which] += (size_t)n;
    u->n[which]++;
}

/* Find the inputs without limits. A daemon without a model has no inputs.
 * Return: an exit status. */
static int find_unbounded(const struct ctl_options *options, struct lk_client *client,
                          struct unbounded *u)
{
    const Linkage__V1__ControlReply *reply;
    int status = ctl_ask(options, client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE, &reply);

    if (status != CTL_OK)
        return status;
    for (size_t i = 0; reply->description != NULL && i < reply->description->n_inputs; i++) {
        const Linkage__V1__ChannelDescription *c = reply->description->inputs[i];

        if (isinf(c->low) || isinf(c->high))
            add_unbounded(u, LIMITS, c->name);
        if (isinf(c->rate))
            add_unbounded(u, RATE, c->name);
    }
    return CTL_OK;
}

static void show_unbounded(const struct unbounded *u)
{
    static const char *const words[] = {[LIMITS] = "inputs without limits, any value acts",
                                        [RATE] = "inputs without a rate, any jump acts"};

    for (int which = LIMITS; which <= RATE; which++) {
        if (u->n[which] == 0)
            continue;
        printf("%s: %d: ", words[which], u->n[which]);
        lk_report_put(stdout, u->names[which]);
        putchar('\n');
    }
}

/* ---- JSON ---- */

static void show_inputs_json(const Linkage__V1__InputsReport *report, const struct unbounded *u)
{
    struct lk_json json = ctl_begin_json();

    lk_reply_inputs_json(&json, report);
    lk_json_count(&json, "without_limits", (uint64_t)u->n[LIMITS]);
    lk_json_count(&json, "without_rate", (uint64_t)u->n[RATE]);
    ctl_end_json(&json);
}

int ctl_inputs(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__InputsRequest inputs = LINKAGE__V1__INPUTS_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct unbounded unbounded = {0};
    int status;

    (void)n;
    (void)args;
    status = find_unbounded(options, client, &unbounded);
    if (status != CTL_OK)
        return status;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INPUTS;
    request.inputs = &inputs;
    status = ctl_call(options, client, &request, &reply);
    if (status != CTL_OK)
        return status;
    if (reply->inputs == NULL)
        return ctl_show_reply(options, reply);
    if (options->json) {
        show_inputs_json(reply->inputs, &unbounded);
    } else {
        show_channels(reply->inputs);
        putchar('\n');
        show_benches(reply->inputs);
        putchar('\n');
        show_refusals(reply->inputs->refusals);
        show_unbounded(&unbounded);
    }
    return ferror(stdout) ? CTL_FAILED : CTL_OK;
}
