/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that consist of one request and one reply. */
#include "ctl.h"
#include "linkage/file.h"
#include "linkage/json.h"
#include "message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_fault(const struct ctl_options *options, const char *result,
                        const struct lk_error *error)
{
    struct lk_json json = {.file = stdout};

    if (!options->json) {
        complain("%s", error->text);
        return;
    }
    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "result", result);
    lk_json_text(&json, "text", error->text);
    lk_json_close(&json, '}');
    lk_json_end(&json);
}

int ctl_fail(const struct ctl_options *options, const struct lk_error *error)
{
    print_fault(options, "failed", error);
    return CTL_FAILED;
}

int ctl_report(const struct ctl_options *options, int code, const struct lk_error *error)
{
    const char *result = code == LK_CLIENT_E_NO_ANSWER ? "no-daemon"
                         : code == LK_CLIENT_E_SILENT  ? "silent"
                                                       : "failed";

    print_fault(options, result, error);
    if (code == LK_CLIENT_E_NO_ANSWER || code == LK_CLIENT_E_SILENT)
        return CTL_NO_DAEMON;
    return code == LK_CLIENT_E_ENDPOINT ? CTL_USAGE : CTL_FAILED;
}

int ctl_call(const struct ctl_options *options, struct lk_client *client,
             Linkage__V1__ControlRequest *request, const Linkage__V1__ControlReply **ret_reply)
{
    struct lk_error error;
    int code = lk_client_call(client, request, ret_reply, &error);

    return code == 0 ? CTL_OK : ctl_report(options, code, &error);
}

int ctl_ask(const struct ctl_options *options, struct lk_client *client,
            Linkage__V1__ControlRequest__CommandCase command,
            const Linkage__V1__ControlReply **ret_reply)
{
    struct lk_error error;
    int code = lk_client_command(client, command, ret_reply, &error);

    return code == 0 ? CTL_OK : ctl_report(options, code, &error);
}

/* Define the function of a command that has no fields and no arguments. */
#define PLAIN(name, COMMAND, show)                                                                 \
    int name(const struct ctl_options *options, struct lk_client *client, int n, char **args)      \
    {                                                                                              \
        const Linkage__V1__ControlReply *reply;                                                    \
        int status = ctl_ask(options, client, COMMAND, &reply);                                    \
                                                                                                   \
        (void)n;                                                                                   \
        (void)args;                                                                                \
        return status == CTL_OK ? show(options, reply) : status;                                   \
    }
PLAIN(ctl_status, LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS, ctl_show_status)
PLAIN(ctl_pause, LINKAGE__V1__CONTROL_REQUEST__COMMAND_PAUSE, ctl_show_reply)
PLAIN(ctl_stop, LINKAGE__V1__CONTROL_REQUEST__COMMAND_STOP, ctl_show_reply)
PLAIN(ctl_reset, LINKAGE__V1__CONTROL_REQUEST__COMMAND_RESET, ctl_show_reply)
PLAIN(ctl_shutdown, LINKAGE__V1__CONTROL_REQUEST__COMMAND_SHUTDOWN, ctl_show_reply)

static int send_request(const struct ctl_options *options, struct lk_client *client,
                        Linkage__V1__ControlRequest *request)
{
    const Linkage__V1__ControlReply *reply;
    int status = ctl_call(options, client, request, &reply);

    return status == CTL_OK ? ctl_show_reply(options, reply) : status;
}

int ctl_start_run(const struct ctl_options *options, struct lk_client *client)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StartRequest start = LINKAGE__V1__START_REQUEST__INIT;

    start.steps = options->pause_after;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_START;
    request.start = &start;
    return send_request(options, client, &request);
}

int ctl_start(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    (void)n;
    (void)args;
    return ctl_start_run(options, client);
}

int ctl_snapshot(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__SnapshotRequest snapshot = LINKAGE__V1__SNAPSHOT_REQUEST__INIT;

    (void)n;
    snapshot.name = args[0];
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_SNAPSHOT;
    request.snapshot = &snapshot;
    return send_request(options, client, &request);
}

int ctl_restore(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__RestoreRequest restore = LINKAGE__V1__RESTORE_REQUEST__INIT;

    (void)n;
    restore.name = args[0];
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_RESTORE;
    request.restore = &restore;
    return send_request(options, client, &request);
}

/* Read the text of a model file, which is flat if the model has parts: the daemon has not their
 * files. */
static int read_text(const struct ctl_options *options, const char *path,
                     ProtobufCBinaryData *ret_text, int *ret_is_flat)
{
    struct lk_errors errors;
    size_t size = 0;
    char *text = NULL;
    int result = lk_model_text(path, options->params.list, options->params.n, ret_is_flat, &text,
                               &size, &errors);

    if (result < 0)
        lk_error_set(&errors.line[0], "%s: %s", path, strerror(-result));
    for (int i = 1; i < errors.n; i++)
        fprintf(stderr, "%s\n", errors.line[i - 1].text);
    if (result != 0)
        return ctl_fail(options, &errors.line[errors.n > 0 ? errors.n - 1 : 0]);
    *ret_text = (ProtobufCBinaryData){.len = size, .data = (uint8_t *)text};
    return CTL_OK;
}

/* Copy the external values of @options to @load; the caller frees them. */
static int add_params(const struct ctl_options *options, Linkage__V1__LoadRequest *load)
{
    size_t n = (size_t)options->params.n;
    Linkage__V1__Setting *all = calloc(n + 1, sizeof(*all));

    load->settings = calloc(n + 1, sizeof(*load->settings));
    if (all == NULL || load->settings == NULL) {
        free(all);
        return CTL_FAILED;
    }
    load->settings[0] = all; /* set also if there are no values, to be freed by the caller */
    for (size_t i = 0; i < n; i++) {
        linkage__v1__setting__init(&all[i]);
        all[i].path = (char *)options->params.list[i].path;
        all[i].value = options->params.list[i].value;
        load->settings[i] = &all[i];
    }
    load->n_settings = n;
    return CTL_OK;
}

int ctl_load_file(const struct ctl_options *options, struct lk_client *client, const char *path)
{
    Linkage__V1__LoadRequest load = LINKAGE__V1__LOAD_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_error error;
    int is_flat, code = 0, status = read_text(options, path, &load.text, &is_flat);

    if (status != CTL_OK)
        return status;
    /* Messages should contain the path as typed. If it is too long for the protocol, only the file
     * name is sent. */
    load.name = (char *)(strlen(path) <= LK_WIRE_NAME_MAX ? path : basename(path));
    if (!is_flat) /* a flat text has them already */
        status = add_params(options, &load);
    if (status == CTL_OK)
        code = lk_client_load(client, &load, &reply, &error);
    if (load.settings != NULL)
        free(load.settings[0]);
    free(load.settings);
    free(load.text.data);
    if (status != CTL_OK)
        return status;
    return code == 0 ? ctl_show_reply(options, reply) : ctl_report(options, code, &error);
}

int ctl_load(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    (void)n;
    return ctl_load_file(options, client, args[0]);
}

/* Check the syntax of the numbers. The daemon checks their range. */
int ctl_check_set(const struct ctl_options *options, int n, char **args)
{
    (void)options;
    for (int i = 1; i < n; i++) {
        char *end;

        strtod(args[i], &end);
        if (end == args[i] || *end != '\0')
            return ctl_usage("set: '%s' is not a number", args[i]);
    }
    return CTL_OK;
}

int ctl_set_channel(const struct ctl_options *options, struct lk_client *client, const char *name,
                    double *values, size_t n, const Linkage__V1__ControlReply **ret_reply)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__SetRequest set = LINKAGE__V1__SET_REQUEST__INIT;
    int status;

    set.channel = (char *)name;
    set.values = values;
    set.n_values = n;
    set.force = options->force;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_SET;
    request.set = &set;
    status = ctl_call(options, client, &request, ret_reply);
    if (status == CTL_OK && (*ret_reply)->result != LINKAGE__V1__RESULT__RESULT_OK)
        status = ctl_show_reply(options, *ret_reply);
    return status;
}

int ctl_set(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    const Linkage__V1__ControlReply *reply;
    size_t n_values = (size_t)n - 1;
    double *values = calloc(n_values, sizeof(*values));
    int status;

    if (values == NULL)
        return CTL_FAILED;
    for (size_t i = 0; i < n_values; i++)
        values[i] = strtod(args[i + 1], NULL);
    status = ctl_set_channel(options, client, args[0], values, n_values, &reply);
    free(values);
    return status == CTL_OK ? ctl_show_reply(options, reply) : status;
}
