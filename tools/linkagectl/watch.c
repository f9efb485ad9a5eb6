/* SPDX-License-Identifier: Apache-2.0 */
/* Command `watch`: prints output samples as they arrive.
 *
 * It receives every sample from the socket, so that a gap in the sequence numbers always means a
 * loss. The text output prints about ten samples per second; with --json or --every all samples are
 * printed. If channels are named, the daemon selects them and sends them as a separate stream. */
#include "watch.h"
#include "ctl.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRINT_PERIOD_NS 100000000
#define QUIET_MS        1000 /* after this time without a sample, request the state */

struct watch {
    const struct ctl_options *options;
    struct lk_client *client;
    struct lk_client_outputs *outputs; /* all channels at every step */
    struct lk_client_stream *stream;   /* or a selection of channels */
    const char *endpoint;
    uint32_t divisor;
    int n_names;
    char **names;
    struct watch_selection selection;
    struct watch_printer printer;
    struct watch_gap gap; /* gap since the last printed sample */
    uint64_t last_sequence;
    uint64_t last_step;
    int64_t next_print_ns;
    int64_t heard_ns; /* time of the last sample, or of the program start */
    unsigned long printed;
    bool told_to_wait;
};

int watch_select_all(struct watch_selection *selection,
                     const Linkage__V1__ModelDescription *description)
{
    free(selection->channels);
    *selection = (struct watch_selection){.description = description};
    selection->channels = calloc(description->n_outputs + 1, sizeof(*selection->channels));
    if (selection->channels == NULL)
        return -ENOMEM;
    for (; selection->n < description->n_outputs; selection->n++) {
        selection->channels[selection->n] = description->outputs[selection->n];
        selection->n_scalars += description->outputs[selection->n]->n_components;
    }
    selection->n_values = selection->n_scalars;
    return 0;
}

/* Select all channels of the stream. They are consecutive in its samples. */
static int select_stream(struct watch *watch, const Linkage__V1__ModelDescription *description)
{
    const Linkage__V1__Stream *stream = lk_client_stream_meaning(watch->stream);
    const Linkage__V1__ModelDescription streamed = {.n_outputs = stream->n_channels,
                                                    .outputs = stream->channels};
    int r = watch_select_all(&watch->selection, &streamed);

    watch->selection.description = description;
    return r;
}

static bool wants_stream(const struct watch *watch)
{
    return watch->n_names > 0 || watch->divisor > 1;
}

/* Open the stream, or reopen it for another model. */
static int open_stream(struct watch *watch)
{
    struct lk_error error;
    int code;

    lk_client_stream_close(watch->stream);
    watch->stream = NULL;
    watch->last_sequence = 0; /* each stream has its own sequence numbers */
    code = lk_client_stream_open(watch->client, watch->endpoint, watch->names,
                                 (size_t)watch->n_names, watch->divisor, &watch->stream, &error);
    return code == 0 ? CTL_OK : ctl_report(watch->options, code, &error);
}

static int refuse_description(const struct watch *watch, const Linkage__V1__ControlReply *reply)
{
    struct lk_error error;

    lk_error_set(&error, "nothing to watch: %s",
                 reply->text[0] != '\0' ? reply->text : "the daemon has no model");
    return ctl_fail(watch->options, &error);
}

/* Request the description of the samples. */
static int request_description(struct watch *watch)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__DescribeRequest describe_request = LINKAGE__V1__DESCRIBE_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    int status;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE;
    request.describe = &describe_request;
    status = ctl_call(watch->options, watch->client, &request, &reply);
    if (status != CTL_OK)
        return status;
    if (reply->result != LINKAGE__V1__RESULT__RESULT_OK || reply->description == NULL)
        return refuse_description(watch, reply);
    if (wants_stream(watch)) {
        status = open_stream(watch);
        if (status == CTL_OK && select_stream(watch, reply->description) != 0)
            status = CTL_FAILED;
    } else if (watch_select_all(&watch->selection, reply->description) != 0) {
        status = CTL_FAILED;
    }
    if (status == CTL_OK && watch->options->json)
        watch_print_description_json(&watch->selection);
    watch->printer.rows = 0;
    return status;
}

/* End with an error, because --count limits the wait for the next sample like that for a reply. */
static int give_up(const struct watch *watch, const char *state)
{
    struct lk_error error;

    lk_error_set(&error, "no sample for %g s, the daemon is in state '%s'; %lu of %lu came",
                 watch->options->timeout_ms * 1e-3, state, watch->printed, watch->options->count);
    ctl_fail(watch->options, &error);
    return CTL_NO_SAMPLE;
}

static int64_t left_ms(const struct watch *watch)
{
    int64_t quiet_ms = (lk_client_now_ns() - watch->heard_ns) / 1000000;

    return watch->options->count == 0 ? QUIET_MS : watch->options->timeout_ms - quiet_ms;
}

/* Find out why no sample has arrived for a while: whether the daemon is alive, and whether it
 * publishes. */
static int ask_why_quiet(struct watch *watch)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StatusRequest status_request = LINKAGE__V1__STATUS_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    int status;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS;
    request.status = &status_request;
    status = ctl_call(watch->options, watch->client, &request, &reply);
    if (status == CTL_OK && left_ms(watch) <= 0)
        return give_up(watch,
                       reply->status ? lk_client_state_name(reply->status->state) : "unknown");
    if (status == CTL_OK && watch->options->count == 0 && !watch->told_to_wait &&
        reply->status != NULL)
        fprintf(stderr, "linkagectl: no samples yet, the daemon is in state '%s'; waiting\n",
                lk_client_state_name(reply->status->state));
    watch->told_to_wait = true;
    return status;
}

static void count_gap(struct watch *watch, const Linkage__V1__OutputSample *sample)
{
    uint64_t lost = 0, due;

    /* If the sequence number has decreased, the daemon was restarted. */
    if (watch->last_sequence > 0 && sample->sequence > watch->last_sequence)
        lost = sample->sequence - watch->last_sequence - 1;
    watch->gap.lost += lost;
    /* One of @divisor steps is due. If its record was missed, the daemon sends a later one. */
    due = sample->step / watch->divisor - watch->last_step / watch->divisor;
    if (watch->last_sequence > 0 && sample->step > watch->last_step && due > 1 + lost)
        watch->gap.unpublished += due - 1 - lost;
    watch->last_sequence = sample->sequence;
    watch->last_step = sample->step;
}

static int take_sample(struct watch *watch, const Linkage__V1__OutputSample *sample,
                       int64_t received_ns)
{
    int status = CTL_OK;

    count_gap(watch, sample);
    if (sample->model_id != watch->selection.description->model_id)
        status = request_description(watch);
    if (status != CTL_OK)
        return status;
    /* Ignore samples of the previous model, which may still arrive while the new one is loaded. */
    if (sample->model_id != watch->selection.description->model_id ||
        sample->n_values != watch->selection.n_values)
        return CTL_OK;
    if (watch->options->json) {
        watch_print_sample_json(&watch->selection, sample, &watch->gap);
    } else if (watch->options->every > 0 || received_ns >= watch->next_print_ns) {
        watch_print(&watch->printer, &watch->selection, sample, &watch->gap);
        watch->next_print_ns = received_ns + PRINT_PERIOD_NS;
    } else {
        return CTL_OK;
    }
    watch->gap = (struct watch_gap){0};
    watch->printed++;
    return ferror(stdout) ? CTL_FAILED : CTL_OK;
}

static int receive_sample(struct watch *watch, int64_t *ret_received_ns,
                          const Linkage__V1__OutputSample **ret_sample)
{
    int64_t left = left_ms(watch);
    int wait_ms = left > QUIET_MS ? QUIET_MS : left > 0 ? (int)left : 0;

    if (watch->stream != NULL)
        return lk_client_stream_receive(watch->stream, wait_ms, ret_received_ns, ret_sample);
    return lk_client_outputs_receive(watch->outputs, wait_ms, ret_received_ns, ret_sample);
}

static int fail_with(const struct watch *watch, int number)
{
    struct lk_error error;

    lk_error_set(&error, "%s", strerror(number));
    return ctl_fail(watch->options, &error);
}

static int follow_samples(struct watch *watch)
{
    int status = CTL_OK;

    watch->heard_ns = lk_client_now_ns();
    while (status == CTL_OK &&
           (watch->options->count == 0 || watch->printed < watch->options->count)) {
        const Linkage__V1__OutputSample *sample;
        int64_t received_ns;
        int code = receive_sample(watch, &received_ns, &sample);

        if (code == 0)
            watch->heard_ns = received_ns;
        if (code == 0)
            status = take_sample(watch, sample, received_ns);
        else if (code == LK_CLIENT_E_CHANGED)
            status = request_description(watch);
        else if (code == LK_CLIENT_E_NO_ANSWER)
            status = ask_why_quiet(watch);
        else if (code < 0)
            status = fail_with(watch, -code);
    }
    return status;
}

static int open_outputs(struct watch *watch)
{
    struct lk_error error;
    int code = 0;

    if (!wants_stream(watch))
        code = lk_client_outputs_open(watch->client, watch->endpoint, &watch->outputs, &error);
    return code == 0 ? CTL_OK : ctl_report(watch->options, code, &error);
}

int ctl_check_watch(const struct ctl_options *options, int n, char **args)
{
    (void)n;
    (void)args;
    if (options->every != floor(options->every) || options->every < 0 ||
        options->every > UINT32_MAX)
        return ctl_usage("watch --every %g: expected a whole number of steps", options->every);
    return CTL_OK;
}

int ctl_watch(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    struct watch watch = {.options = options, .client = client, .n_names = n, .names = args};
    char derived[LK_CLIENT_ENDPOINT_SIZE];
    struct lk_error error;
    int status;

    watch.divisor = options->every > 1 ? (uint32_t)options->every : 1;
    watch.endpoint = options->outputs;
    if (watch.endpoint == NULL && lk_client_outputs_endpoint(options->endpoint, derived) == 0)
        watch.endpoint = derived;
    if (watch.endpoint == NULL) {
        lk_error_set(&error, "the outputs endpoint of %s is not known: give --outputs",
                     options->endpoint);
        return ctl_report(options, LK_CLIENT_E_ENDPOINT, &error);
    }
    status = open_outputs(&watch);
    watch_printer_init(&watch.printer);
    if (status == CTL_OK)
        status = request_description(&watch);
    if (status == CTL_OK)
        status = follow_samples(&watch);
    free(watch.selection.channels);
    lk_client_stream_close(watch.stream);
    lk_client_outputs_close(watch.outputs);
    return status;
}
