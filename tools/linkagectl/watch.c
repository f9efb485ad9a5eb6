/* SPDX-License-Identifier: Apache-2.0 */
/* `watch`: follow the output samples.
 *
 * Every sample is taken off the socket, so that a gap in the sequence numbers always means a loss;
 * people then see about ten of them a second, programs see all. */
#include "watch.h"
#include "ctl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRINT_PERIOD_NS 100000000
#define QUIET_MS        1000 /* without a sample for so long, ask the daemon how it is */

struct watch {
    const struct ctl_options *options;
    struct lk_client *client;
    struct lk_client_outputs *outputs;
    int n_names;
    char **names;
    struct watch_selection selection;
    struct watch_printer printer;
    struct watch_gap gap; /* since the last printed sample */
    uint64_t last_sequence;
    uint64_t last_step;
    int64_t next_print_ns;
    unsigned long printed;
    bool told_to_wait;
};

static const Linkage__V1__ChannelDescription *
find_channel(const Linkage__V1__ModelDescription *description, const char *name)
{
    for (size_t i = 0; i < description->n_outputs; i++) {
        if (strcmp(description->outputs[i]->name, name) == 0)
            return description->outputs[i];
    }
    return NULL;
}

static int refuse_channel(const struct watch *watch,
                          const Linkage__V1__ModelDescription *description, const char *name)
{
    struct lk_error error;
    char known[400] = "";
    size_t used = 0;

    for (size_t i = 0; i < description->n_outputs && used < sizeof(known); i++)
        used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i > 0 ? ", " : "",
                                 description->outputs[i]->name);
    lk_error_set(&error, "there is no output '%s'; the model has: %s", name, known);
    return ctl_fail(watch->options, &error);
}

/* Finds the named channels in @description, or takes all of them. */
static int select_channels(struct watch *watch, const Linkage__V1__ModelDescription *description)
{
    struct watch_selection *selection = &watch->selection;
    size_t n = watch->n_names > 0 ? (size_t)watch->n_names : description->n_outputs;

    free(selection->channels);
    *selection = (struct watch_selection){.description = description};
    selection->channels = calloc(n + 1, sizeof(*selection->channels));
    if (selection->channels == NULL)
        return CTL_FAILED;
    for (size_t i = 0; i < description->n_outputs; i++)
        selection->n_values += description->outputs[i]->n_components;
    for (; selection->n < n; selection->n++) {
        const Linkage__V1__ChannelDescription *channel = description->outputs[selection->n];

        if (watch->n_names > 0) {
            const char *name = watch->names[selection->n];

            channel = find_channel(description, name);
            if (channel == NULL)
                return refuse_channel(watch, description, name);
        }
        selection->channels[selection->n] = channel;
        selection->n_scalars += channel->n_components;
    }
    return CTL_OK;
}

static int refuse_description(const struct watch *watch, const Linkage__V1__ControlReply *reply)
{
    struct lk_error error;

    lk_error_set(&error, "nothing to watch: %s",
                 reply->text[0] != '\0' ? reply->text : "the daemon has no model");
    return ctl_fail(watch->options, &error);
}

/* Asks what the samples mean. */
static int describe(struct watch *watch)
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
    status = select_channels(watch, reply->description);
    if (status == CTL_OK && watch->options->json)
        watch_print_description_json(&watch->selection);
    watch->printer.rows = 0;
    return status;
}

/* Nothing came for a while: is anybody there, and does it publish? */
static int ask_why_quiet(struct watch *watch)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StatusRequest status_request = LINKAGE__V1__STATUS_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    int status;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS;
    request.status = &status_request;
    status = ctl_call(watch->options, watch->client, &request, &reply);
    if (status == CTL_OK && !watch->told_to_wait && reply->status != NULL)
        fprintf(stderr, "linkagectl: no samples yet, the daemon is in state '%s'; waiting\n",
                lk_client_state_name(reply->status->state));
    watch->told_to_wait = true;
    return status;
}

static void count_gap(struct watch *watch, const Linkage__V1__OutputSample *sample)
{
    uint64_t lost = 0;

    /* A sequence that goes back belongs to a daemon that was started anew. */
    if (watch->last_sequence > 0 && sample->sequence > watch->last_sequence)
        lost = sample->sequence - watch->last_sequence - 1;
    watch->gap.lost += lost;
    if (watch->last_sequence > 0 && sample->step > watch->last_step + 1 + lost)
        watch->gap.unpublished += sample->step - watch->last_step - 1 - lost;
    watch->last_sequence = sample->sequence;
    watch->last_step = sample->step;
}

static int take_sample(struct watch *watch, const Linkage__V1__OutputSample *sample,
                       int64_t received_ns)
{
    int status = CTL_OK;

    count_gap(watch, sample);
    if (sample->model_id != watch->selection.description->model_id)
        status = describe(watch);
    if (status != CTL_OK)
        return status;
    /* Still another one: a sample of the model before, on its way while the new one was loaded. */
    if (sample->model_id != watch->selection.description->model_id ||
        sample->n_values != watch->selection.n_values)
        return CTL_OK;
    if (watch->options->json) {
        watch_print_sample_json(&watch->selection, sample, &watch->gap);
    } else if (received_ns >= watch->next_print_ns) {
        watch_print(&watch->printer, &watch->selection, sample, &watch->gap);
        watch->next_print_ns = received_ns + PRINT_PERIOD_NS;
    } else {
        return CTL_OK;
    }
    watch->gap = (struct watch_gap){0};
    watch->printed++;
    return ferror(stdout) ? CTL_FAILED : CTL_OK;
}

static int follow(struct watch *watch)
{
    int status = CTL_OK;

    while (status == CTL_OK &&
           (watch->options->count == 0 || watch->printed < watch->options->count)) {
        const Linkage__V1__OutputSample *sample;
        int64_t received_ns;
        int code = lk_client_outputs_receive(watch->outputs, QUIET_MS, &received_ns, &sample);

        if (code == 0)
            status = take_sample(watch, sample, received_ns);
        else if (code == LK_CLIENT_E_NO_ANSWER)
            status = ask_why_quiet(watch);
        else if (code < 0)
            status = CTL_FAILED;
    }
    return status;
}

int ctl_watch(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    struct watch watch = {.options = options, .client = client, .n_names = n, .names = args};
    char derived[LK_CLIENT_ENDPOINT_SIZE];
    const char *endpoint = options->outputs;
    struct lk_error error;
    int status;

    if (endpoint == NULL && lk_client_outputs_endpoint(options->endpoint, derived) == 0)
        endpoint = derived;
    if (endpoint == NULL) {
        lk_error_set(&error, "where the outputs of %s are cannot be told: give --outputs",
                     options->endpoint);
        return ctl_report(options, LK_CLIENT_E_ENDPOINT, &error);
    }
    status = lk_client_outputs_open(client, endpoint, &watch.outputs, &error);
    if (status != 0)
        return ctl_report(options, status, &error);
    watch_printer_init(&watch.printer);
    status = describe(&watch);
    if (status == CTL_OK)
        status = follow(&watch);
    free(watch.selection.channels);
    lk_client_outputs_close(watch.outputs);
    return status;
}
