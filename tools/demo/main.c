/* SPDX-License-Identifier: Apache-2.0 */
/* Command line of linkage-demo, and the sequence of a run. */
#include "demo.h"
#include "linkage/stacks.h"
#include "message.h"
#include "option_table.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLAIM_NS INT64_C(10000000000) /* until an older claim expires */

enum demo_exit { DEMO_OK = 0, DEMO_FAILED = 1, DEMO_USAGE = 2, DEMO_NO_DAEMON = 3 };

struct options {
    const char *endpoint;
    const char *inputs;
    const char *outputs;
    const char *directory;
    double duration_s;
};

static int print_help(void)
{
    return printf(
        "usage: linkage-demo [OPTION...]\n"
        "\n"
        "A test bench for a daemon that has a model with the input `motor` and the outputs\n"
        "`crank_angle` and `crank_rate` loaded (config/models/four-bar.yaml). Starts the model,\n"
        "sends a motor torque %d times a second, receives every output, stops the model, prints\n"
        "one table, and writes recording.csv and latency.csv.\n"
        "\n"
        "  --endpoint E     control socket of the daemon (" LK_CLIENT_CONTROL ")\n"
        "  --inputs E       where it takes input samples (" LK_CLIENT_INPUTS ")\n"
        "  --outputs E      where it publishes output samples (" LK_CLIENT_OUTPUTS ")\n"
        "  --duration S     length of the run, 1 to 3600 s (10)\n"
        "  --directory DIR  where the files go; must exist (.)\n"
        "  --help           this page\n"
        "  --version        and the commit of its sources\n"
        "\n"
        "exit status: 0 all is well, 1 something is wrong (the table says what), 2 the command\n"
        "line is wrong, 3 no daemon answers\n",
        DEMO_RATE_HZ);
}

static int refuse_value(const struct option_row *row, const char *text, const char *expected)
{
    complain("--%s %s: expected %s", row->name, text, expected);
    return DEMO_USAGE;
}

static int read_options(int argc, char **argv, struct options *options)
{
    const struct option_row rows[] = {
        {"endpoint", .text = &options->endpoint},
        {"inputs", .text = &options->inputs},
        {"outputs", .text = &options->outputs},
        {"duration", .number = &options->duration_s, .low = 1, .high = 3600, .unit = "seconds"},
        {"directory", .text = &options->directory},
        {"help", .end = print_help},
        {"version", .program = "linkage-demo"},
        {NULL},
    };
    const struct option_table table = {rows, .refuse = refuse_value};
    int status = options_parse(argc, argv, &table);

    if (status == OPTIONS_END)
        exit(DEMO_OK);
    if (status != 0 || optind == argc)
        return status;
    complain("unexpected argument '%s'", argv[optind]);
    return DEMO_USAGE;
}

static int report_failure(int code, const struct lk_error *error)
{
    complain("%s", error->text);
    return code == LK_CLIENT_E_NO_ANSWER || code == LK_CLIENT_E_SILENT ? DEMO_NO_DAEMON
                                                                       : DEMO_FAILED;
}

static const Linkage__V1__ChannelDescription *
find_channel(Linkage__V1__ChannelDescription **channels, size_t n, const char *name, size_t size)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(channels[i]->name, name) == 0 && channels[i]->n_components >= size)
            return channels[i];
    }
    return NULL;
}

static size_t count_scalars(Linkage__V1__ChannelDescription **channels, size_t n)
{
    return n == 0 ? 0 : channels[n - 1]->offset + channels[n - 1]->n_components;
}

/* Find the channels that the demo needs. */
static int find_layout(const Linkage__V1__ModelDescription *d, struct demo_layout *ret_layout)
{
    const Linkage__V1__ChannelDescription *motor = find_channel(d->inputs, d->n_inputs, "motor", 1);
    const Linkage__V1__ChannelDescription *angle =
        find_channel(d->outputs, d->n_outputs, "crank_angle", 1);
    const Linkage__V1__ChannelDescription *rate =
        find_channel(d->outputs, d->n_outputs, "crank_rate", 1);
    const Linkage__V1__ChannelDescription *energy =
        find_channel(d->outputs, d->n_outputs, "energy", 2);

    if (motor == NULL || angle == NULL || rate == NULL) {
        complain("the model '%s' has no %s", d->name,
                 motor == NULL   ? "input 'motor'"
                 : angle == NULL ? "output 'crank_angle'"
                                 : "output 'crank_rate'");
        return DEMO_FAILED;
    }
    *ret_layout = (struct demo_layout){
        .description = d,
        .n_outputs = count_scalars(d->outputs, d->n_outputs),
        .angle = angle->offset,
        .rate = rate->offset,
        .kinetic = energy != NULL ? (long)energy->offset : -1,
    };
    return DEMO_OK;
}

/* Wait until the bench owns the motor input. */
static int claim_motor(struct lk_client_bench *bench)
{
    int64_t until_ns = lk_client_now_ns() + CLAIM_NS;
    const Linkage__V1__OutputSample *sample;
    struct lk_client_bench_view view;

    do {
        int code = lk_client_bench_receive(bench, 20, NULL, &sample);

        lk_client_bench_read_state(bench, &view);
        if (view.state == LK_CLIENT_BENCH_CONNECTED)
            return DEMO_OK;
        if (code < 0)
            break;
    } while (lk_client_now_ns() < until_ns);
    complain("the motor is not ours: %s", view.text);
    return DEMO_FAILED;
}

static int open_bench(const struct options *options, struct demo_line *line, struct lk_error *error)
{
    static const struct lk_client_bench_channel motor = {"motor", "N m"};
    const struct lk_client_bench_setup setup = {
        .control = options->endpoint,
        .inputs = options->inputs,
        .outputs = options->outputs,
        .name = "linkage-demo",
        .channels = &motor,
        .n_channels = 1,
    };

    return lk_client_bench_open(&setup, &line->bench, error);
}

/* Request the description of the samples, and claim the motor, so that no other bench can set
 * it. */
static int connect_line(const struct options *options, struct demo_line *line,
                        struct demo_layout *ret_layout)
{
    const Linkage__V1__ControlReply *reply;
    struct lk_error error;
    int code = lk_client_open(options->endpoint, 5000, &line->client, &error), status;

    if (code == 0)
        code = lk_client_command(line->client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE,
                                 &reply, &error);
    if (code != 0)
        return report_failure(code, &error);
    if (reply->result != LINKAGE__V1__RESULT__RESULT_OK || reply->description == NULL) {
        complain("%s", reply->text[0] != '\0' ? reply->text : "the daemon describes no model");
        return DEMO_FAILED;
    }
    status = find_layout(reply->description, ret_layout);
    if (status != DEMO_OK)
        return status;
    code = open_bench(options, line, &error);
    return code == 0 ? claim_motor(line->bench) : report_failure(code, &error);
}

static void disconnect_line(struct demo_line *line)
{
    lk_client_bench_close(line->bench);
    lk_client_close(line->client);
}

static int write_files(const struct options *options, const struct demo_record *record,
                       const struct demo_layout *layout, const struct demo_figures *figures,
                       const Linkage__V1__Status *status)
{
    struct demo_latencies latencies;
    int code = demo_write_recording(options->directory, record, layout);

    demo_latencies_sort(figures, status, &latencies);
    if (code == 0)
        code = demo_write_latencies(options->directory, &latencies);
    if (code != 0)
        complain("writing to %s failed: %s", options->directory, strerror(-code));
    return code == 0 ? DEMO_OK : DEMO_FAILED;
}

/* Request the daemon's figures, and judge the run with them. */
static int judge_run(const struct options *options, struct demo_line *line,
                     const struct demo_layout *layout, const struct demo_record *record,
                     const struct demo_span *span)
{
    const Linkage__V1__ControlReply *reply;
    struct demo_figures figures;
    struct lk_error error;
    int code = lk_client_command(line->client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS, &reply,
                                 &error);

    if (code != 0)
        return report_failure(code, &error);
    if (reply->status == NULL ||
        demo_figures_compute(record, layout, reply->status, &figures) != 0) {
        complain("no figures of the run");
        return DEMO_FAILED;
    }
    code = write_files(options, record, layout, &figures, reply->status);
    if (demo_report(record, &figures, span, options->duration_s, reply->status) > 0)
        code = DEMO_FAILED;
    demo_figures_fini(&figures);
    return code;
}

int main(int argc, char **argv)
{
    struct options options = {.endpoint = LK_CLIENT_CONTROL,
                              .inputs = LK_CLIENT_INPUTS,
                              .outputs = LK_CLIENT_OUTPUTS,
                              .directory = ".",
                              .duration_s = 10};
    struct demo_line line = {0};
    struct demo_layout layout;
    struct demo_record record = {0};
    struct demo_span span = {0};
    struct lk_error error;
    int status = read_options(argc, argv, &options);

    if (lk_stacks_prepare(&error) != 0) {
        complain("%s", error.text);
        return DEMO_FAILED;
    }
    if (status == DEMO_OK)
        status = connect_line(&options, &line, &layout);
    if (status == DEMO_OK && demo_record_init(&record, &layout, options.duration_s) != 0)
        status = DEMO_FAILED;
    if (status == DEMO_OK &&
        demo_bench_run(&line, &layout, options.duration_s, &record, &span) != 0)
        status = DEMO_FAILED;
    if (status == DEMO_OK)
        status = judge_run(&options, &line, &layout, &record, &span);
    demo_record_fini(&record);
    disconnect_line(&line);
    return status;
}
