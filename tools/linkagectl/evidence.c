/* SPDX-License-Identifier: Apache-2.0 */
/* Commands `latency` and `trace`: the timing evidence of a run, on the terminal or in a file. */
#include "ctl.h"
#include "output.h"
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool to_stdout(const struct ctl_options *options)
{
    return options->output == NULL || strcmp(options->output, "-") == 0;
}

static int fail_file(const struct ctl_options *options, int fault)
{
    struct lk_error error;

    lk_error_set(&error, "%s: %s", to_stdout(options) ? "standard output" : options->output,
                 output_error(fault));
    return ctl_fail(options, &error);
}

/* Write the text that is in memory. A file that is replaced begins with the same bytes. */
static int write_output(const struct ctl_options *options, const char *bytes, size_t size)
{
    char mark[] = "        ";
    int fault;

    snprintf(mark, sizeof(mark), "%.*s", (int)(size < 8 ? size : 8), bytes);
    output_force = options->force;
    fault = output_write(to_stdout(options) ? "-" : options->output, mark, bytes, size);
    return fault == 0 ? CTL_OK : fail_file(options, fault);
}

/* Request the evidence.
 * Return: CTL_OK with evidence, or an exit status after printing the refusal. */
static int ask_evidence(const struct ctl_options *options, struct lk_client *client,
                        const Linkage__V1__Evidence **ret_evidence)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__EvidenceRequest evidence = LINKAGE__V1__EVIDENCE_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_error error;
    int status;

    evidence.with_histograms = options->histogram || options->json;
    evidence.with_cycles = true;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_EVIDENCE;
    request.evidence = &evidence;
    status = ctl_call(options, client, &request, &reply);
    if (status != CTL_OK)
        return status;
    if (reply->result != LINKAGE__V1__RESULT__RESULT_OK)
        return ctl_show_reply(options, reply);
    *ret_evidence = reply->evidence;
    if (reply->evidence != NULL)
        return CTL_OK;
    lk_error_set(&error, "the daemon sent no evidence");
    return ctl_fail(options, &error);
}

static void write_evidence(const struct ctl_options *options, FILE *file,
                           const Linkage__V1__Evidence *evidence)
{
    if (options->histogram)
        lk_report_histogram(file, evidence, options->limit_us);
    else if (options->json)
        lk_report_json(file, evidence);
    else
        lk_report_text(file, evidence);
}

static int save_evidence(const struct ctl_options *options, const Linkage__V1__Evidence *evidence)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    int status;

    if (file == NULL)
        return fail_file(options, -ENOMEM);
    write_evidence(options, file, evidence);
    status = fclose(file) == 0 ? write_output(options, text, size) : fail_file(options, -ENOMEM);
    free(text);
    return status;
}

/* Draw the table over the previous one. */
static int redraw(const Linkage__V1__Evidence *evidence)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    if (file == NULL)
        return CTL_FAILED;
    lk_report_text(file, evidence);
    fclose(file);
    if (text == NULL)
        return CTL_FAILED;
    fputs("\033[H", stdout);
    for (size_t i = 0; i < size; i++) {
        /* Clear the rest of an older, longer line. */
        if (text[i] == '\n')
            fputs("\033[K", stdout);
        putchar(text[i]);
    }
    fputs("\033[J", stdout);
    free(text);
    return CTL_OK;
}

/* Print a table below the previous one, for a pipe. */
static void write_next(const struct ctl_options *options, bool first,
                       const Linkage__V1__Evidence *evidence)
{
    if (!first && !options->json)
        putchar('\n');
    write_evidence(options, stdout, evidence);
}

static void sleep_until(int64_t time_ns)
{
    struct timespec time = {time_ns / 1000000000, time_ns % 1000000000};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
        ;
}

/* Print a table once per second, until @count tables are printed or Ctrl-C is pressed. */
static int watch_latency(const struct ctl_options *options, struct lk_client *client)
{
    bool terminal = isatty(STDOUT_FILENO) == 1 && !options->json;
    int64_t next_ns = lk_client_now_ns();
    int status = CTL_OK;

    if (terminal)
        fputs("\033[2J", stdout);
    for (unsigned long i = 0; status == CTL_OK; i++) {
        const Linkage__V1__Evidence *evidence;

        status = ask_evidence(options, client, &evidence);
        if (status == CTL_OK && terminal)
            status = redraw(evidence);
        else if (status == CTL_OK)
            write_next(options, i == 0, evidence);
        if (status == CTL_OK && (fflush(stdout) != 0 || ferror(stdout)))
            status = fail_file(options, errno);
        if (options->count > 0 && i + 1 >= options->count)
            break;
        next_ns += 1000000000;
        if (status == CTL_OK)
            sleep_until(next_ns);
    }
    return status;
}

int ctl_latency(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    const Linkage__V1__Evidence *evidence;
    int status;

    (void)n;
    (void)args;
    if (options->watch)
        return watch_latency(options, client);
    status = ask_evidence(options, client, &evidence);
    return status == CTL_OK ? save_evidence(options, evidence) : status;
}

static int ask_trace(const struct ctl_options *options, struct lk_client *client,
                     const ProtobufCBinaryData **ret_trace)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__TraceRequest trace = LINKAGE__V1__TRACE_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_error error;
    int status;

    trace.cycles = options->cycles;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_TRACE;
    request.trace = &trace;
    status = ctl_call(options, client, &request, &reply);
    if (status != CTL_OK)
        return status;
    if (reply->result != LINKAGE__V1__RESULT__RESULT_OK)
        return ctl_show_reply(options, reply);
    *ret_trace = &reply->trace;
    if (reply->trace.len > 0)
        return CTL_OK;
    lk_error_set(&error, "the daemon sent no trace");
    return ctl_fail(options, &error);
}

int ctl_trace(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    const ProtobufCBinaryData *trace;
    int status = ask_trace(options, client, &trace);

    (void)n;
    (void)args;
    if (status == CTL_OK)
        status = write_output(options, (const char *)trace->data, trace->len);
    if (status == CTL_OK && !to_stdout(options) && !options->json)
        printf("%s: %zu bytes\n", options->output, trace->len);
    return status;
}
