/* SPDX-License-Identifier: Apache-2.0 */
/* Commands `step`, which makes steps in lockstep by hand, and `record`. */
#include "ctl.h"
#include "report.h"
#include "watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_A_REQUEST 10000 /* limit of the protocol */

/* Parse a setting such as "motor=1.5" or "wind=1,0,-2". */
static int read_values(const char *setting, double values[LK_WIRE_SCALARS_MAX], size_t *ret_n)
{
    const char *text = strchr(setting, '=');

    *ret_n = 0;
    do {
        char *end;

        values[(*ret_n)++] = strtod(++text, &end);
        if (end == text || (*end != ',' && *end != '\0') ||
            (*end == ',' && *ret_n == LK_WIRE_SCALARS_MAX))
            return ctl_usage("--set %s: expected CHANNEL=VALUE, or =VALUE,VALUE,...", setting);
        text = end;
    } while (*text == ',');
    return CTL_OK;
}

static int apply_setting(const struct ctl_options *options, struct lk_client *client,
                         const char *setting)
{
    const Linkage__V1__ControlReply *reply;
    double values[LK_WIRE_SCALARS_MAX];
    char name[LK_WIRE_NAME_MAX + 1];
    size_t n;
    int status = read_values(setting, values, &n);

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(setting, "="), setting);
    return status == CTL_OK ? ctl_set_channel(options, client, name, values, n, &reply) : status;
}

/* Request steps.
 * Return: an exit status; CTL_OK with the outputs after the steps. */
static int make_steps(const struct ctl_options *options, struct lk_client *client, uint32_t steps,
                      const Linkage__V1__OutputSample **ret_outputs)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StepRequest step = LINKAGE__V1__STEP_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    int status;

    step.steps = steps;
    /* The time differs from the number of any earlier request, also of another linkagectl. */
    step.number = (uint64_t)lk_client_now_ns();
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STEP;
    request.step = &step;
    status = ctl_call(options, client, &request, &reply);
    if (status != CTL_OK)
        return status;
    if (reply->outputs == NULL || reply->result != LINKAGE__V1__RESULT__RESULT_OK) {
        status = ctl_show_reply(options, reply);
        return status == CTL_OK ? CTL_FAILED : status;
    }
    *ret_outputs = reply->outputs;
    return CTL_OK;
}

static int show_outputs(const struct ctl_options *options,
                        const Linkage__V1__ModelDescription *description,
                        const Linkage__V1__OutputSample *outputs)
{
    const struct watch_gap gap = {0};
    struct watch_selection selection = {0};
    struct watch_printer printer;

    if (watch_select_all(&selection, description) != 0)
        return CTL_FAILED;
    if (outputs->n_values != selection.n_values) {
        struct lk_error error;

        free(selection.channels);
        lk_error_set(&error, "the model was exchanged meanwhile");
        return ctl_fail(options, &error);
    }
    if (options->json) {
        watch_print_sample_json(&selection, outputs, &gap);
    } else {
        watch_printer_init(&printer);
        printer.width = 0; /* print a block instead of a row, because there is only one sample */
        printer.in_place = false;
        watch_print(&printer, &selection, outputs, &gap);
    }
    free(selection.channels);
    return ferror(stdout) ? CTL_FAILED : CTL_OK;
}

static int read_steps(const char *text, uint64_t *ret_steps)
{
    char *end;

    errno = 0;
    *ret_steps = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || *ret_steps == 0)
        return ctl_usage("step %s: expected a whole number above 0", text);
    return CTL_OK;
}

int ctl_check_step(const struct ctl_options *options, int n, char **args)
{
    double values[LK_WIRE_SCALARS_MAX];
    size_t n_values;
    uint64_t steps;
    int status = n > 0 ? read_steps(args[0], &steps) : CTL_OK;

    for (int i = 0; status == CTL_OK && i < options->n_settings; i++)
        status = read_values(options->settings[i], values, &n_values);
    return status;
}

int ctl_step(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    const Linkage__V1__OutputSample *outputs = NULL;
    const Linkage__V1__ControlReply *reply;
    uint64_t left = 1;
    int status = n > 0 ? read_steps(args[0], &left) : CTL_OK;

    if (status == CTL_OK)
        status = ctl_ask(options, client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE, &reply);
    if (status != CTL_OK)
        return status;
    if (reply->description == NULL)
        return ctl_show_reply(options, reply);
    for (int i = 0; status == CTL_OK && i < options->n_settings; i++)
        status = apply_setting(options, client, options->settings[i]);
    while (status == CTL_OK && left > 0) {
        uint32_t steps = left < STEPS_A_REQUEST ? (uint32_t)left : STEPS_A_REQUEST;

        status = make_steps(options, client, steps, &outputs);
        left -= steps;
    }
    return status == CTL_OK ? show_outputs(options, reply->description, outputs) : status;
}

static void show_recording(const Linkage__V1__Recording *recording)
{
    printf("%s ", recording->active ? "recording" : "recorded");
    lk_report_put(stdout, recording->file);
    printf(", %" PRIu64 " cycles, %" PRIu64 " dropped, %" PRIu64 " bytes\n", recording->cycles,
           recording->dropped, recording->bytes);
    if (recording->trouble[0] != '\0') {
        printf("trouble: ");
        lk_report_put(stdout, recording->trouble);
        putchar('\n');
    }
}

static int show_record_status(const struct ctl_options *options, struct lk_client *client)
{
    const Linkage__V1__ControlReply *reply;
    int status = ctl_ask(options, client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS, &reply);

    if (status != CTL_OK)
        return status;
    if (options->json || reply->result != LINKAGE__V1__RESULT__RESULT_OK || reply->status == NULL)
        return ctl_show_reply(options, reply);
    if (reply->status->recording == NULL || reply->status->recording->file[0] == '\0')
        printf("nothing has been recorded\n");
    else
        show_recording(reply->status->recording);
    return ferror(stdout) ? CTL_FAILED : CTL_OK;
}

int ctl_check_record(const struct ctl_options *options, int n, char **args)
{
    (void)options;
    if (strcmp(args[0], "start") == 0 ||
        (n == 1 && (strcmp(args[0], "stop") == 0 || strcmp(args[0], "status") == 0)))
        return CTL_OK;
    return ctl_usage("record: expected 'start [NAME]', 'stop' or 'status'");
}

int ctl_record(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__RecordRequest record = LINKAGE__V1__RECORD_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    int status;

    if (strcmp(args[0], "status") == 0)
        return show_record_status(options, client);
    record.stop = strcmp(args[0], "stop") == 0;
    if (n > 1)
        record.name = args[1];
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_RECORD;
    request.record = &record;
    status = ctl_call(options, client, &request, &reply);
    if (status != CTL_OK)
        return status;
    if (options->json || reply->result != LINKAGE__V1__RESULT__RESULT_OK || reply->status == NULL ||
        reply->status->recording == NULL)
        return ctl_show_reply(options, reply);
    show_recording(reply->status->recording);
    return ferror(stdout) ? CTL_FAILED : CTL_OK;
}
