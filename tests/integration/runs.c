/* SPDX-License-Identifier: Apache-2.0 */
#include "runs.h"
#include "json_valid.h"
#include "linkage/parameters.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define TEXT_MAX (8u << 20)

int runs_free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    close(fd);
    return ntohs(address.sin_port);
}

void runs_nap(void)
{
    const struct timespec nap = {.tv_nsec = 5000000};

    nanosleep(&nap, NULL);
}

const Linkage__V1__ControlReply *runs_ask_start(struct harness *h, uint64_t steps)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StartRequest start = LINKAGE__V1__START_REQUEST__INIT;

    start.steps = steps;
    request.command_case = START;
    request.start = &start;
    return harness_ask_patiently(h, &request);
}

static time_t patience_ends(void)
{
    return time(NULL) + 2 * PATIENCE_MS / 1000;
}

const Linkage__V1__Status *runs_await_state(struct harness *h, Linkage__V1__State state)
{
    time_t until = patience_ends();

    for (;;) {
        const Linkage__V1__Status *status = harness_command(h, STATUS)->status;

        if (status->state == state)
            return status;
        if (time(NULL) > until)
            fail_msg("state %d does not become %d: %s", (int)status->state, (int)state,
                     status->fault);
        runs_nap();
    }
}

const Linkage__V1__Status *runs_await_cycles(struct harness *h, uint64_t cycles)
{
    time_t until = patience_ends();

    for (;;) {
        const Linkage__V1__Status *status = harness_command(h, STATUS)->status;

        if (status->cycles >= cycles)
            return status;
        if (time(NULL) > until)
            fail_msg("%d cycles only", (int)status->cycles);
        runs_nap();
    }
}

const Linkage__V1__OutputSample *runs_await_sample(struct harness *h, Linkage__V1__State state)
{
    for (;;) {
        const Linkage__V1__OutputSample *sample = harness_sample(h, PATIENCE_MS);

        if (!sample)
            fail_msg("no sample in state %d", (int)state);
        if (sample->state == state)
            return sample;
    }
}

/* ---- models ---- */

static char *read_path(const char *path)
{
    char *text = calloc(1, TEXT_MAX);
    FILE *in = fopen(path, "r");

    assert_non_null(text);
    if (!in)
        fail_msg("%s cannot be read", path);
    text[fread(text, 1, TEXT_MAX - 1, in)] = '\0';
    fclose(in);
    return text;
}

void runs_model_path(const char *name, char ret[512])
{
    const char *slash = strrchr(harness_model(), '/');

    assert_non_null(slash);
    snprintf(ret, 512, "%.*s/%s.yaml", (int)(slash - harness_model()), harness_model(), name);
}

/* Return the text of a model with this step, flat if it has parts. The caller frees it. */
static char *text_at(const char *name, const char *step)
{
    char path[512], *text, *changed, *place;
    struct lk_errors errors;
    size_t size;
    int is_flat;

    runs_model_path(name, path);
    if (lk_model_text(path, NULL, 0, &is_flat, &text, &size, &errors) != 0)
        fail_msg("%s", errors.line[0].text);
    place = strstr(text, "step: 0.001");
    changed = malloc(strlen(text) + strlen(step) + 1);
    assert_non_null(place);
    assert_non_null(changed);
    sprintf(changed, "%.*sstep: %s%s", (int)(place - text), text, step,
            place + strlen("step: 0.001"));
    free(text);
    return changed;
}

static void expect_ready(const Linkage__V1__ControlReply *reply)
{
    if (reply->result != RESULT(OK))
        fail_msg("%s", reply->text);
    assert_int_equal(reply->status->state, STATE(READY));
}

void runs_load_file(struct harness *h, const char *name, const char *step)
{
    char *text = text_at(name, step);

    expect_ready(harness_load(h, name, text));
    free(text);
}

void runs_load_file_as_it_is(struct harness *h, const char *name)
{
    char *text = text_at(name, "0.001");

    expect_ready(harness_load_as_it_is(h, name, text));
    free(text);
}

const Linkage__V1__ControlReply *runs_ask_step_once(struct harness *h, uint64_t number,
                                                    uint32_t steps, const double *value)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StepRequest step = LINKAGE__V1__STEP_REQUEST__INIT;
    Linkage__V1__InputSample input = LINKAGE__V1__INPUT_SAMPLE__INIT;

    input.sequence = number;
    input.n_values = 1;
    input.values = (double *)value;
    step.steps = steps;
    step.number = number;
    step.input = value ? &input : NULL;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STEP;
    request.step = &step;
    return harness_ask(h, &request);
}

const Linkage__V1__ControlReply *runs_ask_step(struct harness *h, uint64_t number, uint32_t steps,
                                               const double *value)
{
    time_t until = time(NULL) + PATIENCE_MS / 1000;
    const Linkage__V1__ControlReply *reply;

    do
        reply = runs_ask_step_once(h, number, steps, value);
    while (reply->result == RESULT(INTERNAL) && time(NULL) < until);
    return reply;
}

void runs_load_fast(struct harness *h, const char *step)
{
    char *text = text_at("four-bar", step);

    expect_ready(harness_load_as_it_is(h, "four-bar", text));
    free(text);
}

void runs_load_slow(struct harness *h, const char *step)
{
    runs_load_file(h, "four-bar", step);
}

/* ---- evidence and traces ---- */

const Linkage__V1__ControlReply *runs_ask_evidence(struct harness *h, bool histograms, bool cycles)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__EvidenceRequest evidence = LINKAGE__V1__EVIDENCE_REQUEST__INIT;

    evidence.with_histograms = histograms;
    evidence.with_cycles = cycles;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_EVIDENCE;
    request.evidence = &evidence;
    return harness_ask(h, &request);
}

const Linkage__V1__ControlReply *runs_ask_trace(struct harness *h, uint32_t cycles)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__TraceRequest trace = LINKAGE__V1__TRACE_REQUEST__INIT;

    trace.cycles = cycles;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_TRACE;
    request.trace = &trace;
    return harness_ask(h, &request);
}

void runs_says(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("'%s' lacks '%s'", text, words);
}

void runs_check_json(const char *text, size_t size)
{
    char *line = malloc(size + 2);
    int at;

    assert_non_null(line);
    memcpy(line, text, size);
    strcpy(line + size, size > 0 && text[size - 1] == '\n' ? "" : "\n");
    if (!json_valid(line, &at))
        fail_msg("no JSON object, wrong at byte %d: %.200s", at, line);
    free(line);
}

int runs_check_tracks(const char *trace, size_t size)
{
    const char key[] = "\"tid\":2,\"ts\":", *at = trace;
    double end_us = -1, begin_us, duration_us;
    int n = 0;

    assert_true(size > 0 && trace[size - 1] == '\n');
    while ((at = strstr(at, key))) {
        at += strlen(key);
        assert_int_equal(sscanf(at, "%lf,\"dur\":%lf", &begin_us, &duration_us), 2);
        assert_true(duration_us >= 0);
        if (n > 0 && begin_us < end_us - 0.002) /* 2 ns: rounding */
            fail_msg("an event begins at %.3f us, before the last one ended at %.3f us", begin_us,
                     end_us);
        end_us = begin_us + duration_us;
        n++;
    }
    return n;
}

/* ---- files ---- */

static void folder_path(const struct harness *h, char ret[160])
{
    snprintf(ret, 160, "%s/kept", h->folder);
}

void runs_make_folder(const struct harness *h)
{
    char path[160];

    folder_path(h, path);
    assert_int_equal(mkdir(path, 0755), 0);
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);

    return n >= m && strcmp(name + n - m, end) == 0;
}

int runs_count_files(const struct harness *h, const char *end, bool json)
{
    char folder[160], path[512];
    struct dirent *entry;
    DIR *dir;
    int n = 0;

    folder_path(h, folder);
    dir = opendir(folder);
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        if (entry->d_name[0] == '.' || !ends_with(entry->d_name, end))
            continue;
        n++;
        if (json) {
            char *text;

            snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
            text = read_path(path);
            runs_check_json(text, strlen(text));
            free(text);
        }
    }
    closedir(dir);
    return n;
}

char *runs_read_file(const struct harness *h, const char *end)
{
    char folder[160], path[512] = "";
    struct dirent *entry;
    DIR *dir;

    folder_path(h, folder);
    dir = opendir(folder);
    assert_non_null(dir);
    while ((entry = readdir(dir)))
        if (ends_with(entry->d_name, end))
            snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
    closedir(dir);
    return read_path(path);
}

void runs_slow_model(char *path)
{
    static const char step[] = "step: 0.001";
    char *text = harness_model_text(), *place = strstr(text, step);
    FILE *out = fdopen(mkstemp(path), "w");

    assert_non_null(place);
    assert_non_null(out);
    memcpy(place, "step: 0.050", strlen(step));
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    free(text);
}
