/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "../skip.h"
#include "process.h"
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

static const char *daemon_path, *model_path;

void harness_init(int argc, char *argv[])
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s DAEMON MODEL\n", argv[0]);
        exit(2);
    }
    daemon_path = argv[1];
    model_path = argv[2];
}

const char *harness_model(void)
{
    return model_path;
}

int64_t harness_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t now_ms(void)
{
    return harness_now_ns() / 1000000;
}

static char *read_text(const char *path)
{
    char *text = rig_text_read(path);

    assert_non_null(text);
    return text;
}

char *harness_model_text(void)
{
    return read_text(model_path);
}

pid_t harness_line(const struct harness *h)
{
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    pid_t found = 0;

    assert_non_null(processes);
    while ((entry = readdir(processes))) {
        pid_t pid = (pid_t)atoi(entry->d_name);

        if (pid > 0 && rig_process_number(pid, "PPid:") == h->pid &&
            rig_process_number(pid, "VmRSS:") > 0)
            found = pid;
    }
    closedir(processes);
    return found;
}

bool harness_log_has(const char *folder, const char *name, const char *words)
{
    char path[128], *text;
    bool has;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    text = read_text(path);
    has = strstr(text, words) != NULL;
    if (!has)
        fprintf(stderr, "'%s' is not in the log:\n%s\n", words, text);
    free(text);
    return has;
}

int harness_log_count(const struct harness *h, const char *words)
{
    char path[128], *text, *line, *rest;
    int n = 0;

    snprintf(path, sizeof(path), "%s/log", h->folder);
    rest = text = read_text(path);
    while ((line = strsep(&rest, "\n")))
        n += strstr(line, words) != NULL;
    free(text);
    return n;
}

void harness_await_log(const struct harness *h, const char *words, int n)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    int64_t until = now_ms() + PATIENCE_MS;

    while (harness_log_count(h, words) < n) {
        if (now_ms() > until) {
            harness_log_has(h->folder, "log", words);
            fail_msg("%d lines with '%s', expected %d", harness_log_count(h, words), words, n);
        }
        nanosleep(&nap, NULL);
    }
}

/* ---- the process ---- */

/* Return true if a line of @more begins with @key. */
static bool has_key(const char *more, const char *key)
{
    size_t n = strlen(key);

    for (; more; more = strchr(more, '\n'), more = more ? more + 1 : NULL)
        if (strncmp(more, key, n) == 0)
            return true;
    return false;
}

void harness_write_config(const struct harness *h, const char *path, const char *more)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fprintf(out, "linkaged: 1\nendpoints:\n  control: %s\n  inputs: %s\n  outputs: %s\n%s",
            h->endpoint[0], h->endpoint[1], h->endpoint[2], more ? more : "");
    if (!has_key(more, "inputs:"))
        fputs("inputs: {claims: optional}\n", out);
    if (!has_key(more, "policy:"))
        fputs("policy: {stale: count}\n", out);
    /* The load of the machine must not decide a test of something else. Also, two daemons with
     * real-time priority on one core would starve each other. */
    if (!has_key(more, "realtime:"))
        fputs("realtime: {priority: 0, core: none}\n", out);
    if (!has_key(more, "budget:"))
        fputs(SANITIZED ? "budget: {steps: 1000, time: 0.1, share: 0.95}\n"
                        : "budget: {steps: 1000, share: 0.95}\n",
              out);
    if (!has_key(more, "overrun:"))
        fputs("overrun: {fault_in_a_row: 0}\n", out);
    if (!has_key(more, "watchdog:"))
        fputs("watchdog: {time: 60}\n", out);
    fclose(out);
}

pid_t harness_spawn(const char *const arguments[], const char *log_path, int notify)
{
    const char *argv[8] = {daemon_path};
    /* the daemon must not outlive a failed test */
    const struct rig_start start = {
        .argv = argv,
        .log = log_path,
        .without = notify < 0 ? "NOTIFY_SOCKET" : NULL,
        .death = SIGKILL,
    };
    pid_t pid;

    for (int i = 0; i < 6 && arguments[i]; i++)
        argv[i + 1] = arguments[i];
    pid = rig_process_start(&start);
    assert_true(pid > 0);
    return pid;
}

int harness_wait(pid_t pid, int timeout_ms)
{
    int status = rig_process_wait(pid, timeout_ms);

    if (status == -ETIMEDOUT)
        fail_msg("the daemon did not end within %d ms", timeout_ms);
    assert_true(status >= 0);
    return status;
}

static void open_notify(struct harness *h)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    snprintf(address.sun_path, sizeof(address.sun_path), "%s/notify", h->folder);
    h->notify_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_true(h->notify_fd >= 0);
    assert_int_equal(bind(h->notify_fd, (struct sockaddr *)&address, sizeof(address)), 0);
    setenv("NOTIFY_SOCKET", address.sun_path, 1);
}

/* Receive all notices that have arrived. */
static void hear(struct harness *h)
{
    while (h->n_notices < NOTICES_MAX) {
        char *text = h->notice[h->n_notices];
        ssize_t n = recv(h->notify_fd, text, sizeof(h->notice[0]) - 1, MSG_DONTWAIT);

        if (n < 0)
            return;
        text[n] = '\0';
        h->n_notices++;
    }
    h->n_notices = 0; /* too many notices that no test waits for: drop them */
}

bool harness_notice_within(struct harness *h, const char *words, int timeout_ms)
{
    int64_t until = now_ms() + timeout_ms;

    for (;;) {
        struct pollfd item = {.fd = h->notify_fd, .events = POLLIN};
        int64_t left = until - now_ms();

        hear(h);
        while (h->n_notices > 0) {
            bool found = strncmp(h->notice[0], words, strlen(words)) == 0;

            h->n_notices--;
            memmove(h->notice[0], h->notice[1], (size_t)h->n_notices * sizeof(h->notice[0]));
            if (found)
                return true;
        }
        if (poll(&item, 1, left > 0 ? (int)left : 0) != 1)
            return false;
    }
}

void harness_notice(struct harness *h, const char *words)
{
    if (harness_notice_within(h, words, PATIENCE_MS))
        return;
    harness_log_has(h->folder, "log", "(shown because a notice did not come)");
    fail_msg("no notice '%s'", words);
}

static void *connect_socket(struct harness *h, int type, const char *endpoint)
{
    void *socket = zmq_socket(h->context, type);
    int zero = 0;

    assert_non_null(socket);
    zmq_setsockopt(socket, ZMQ_LINGER, &zero, sizeof(zero));
    if (type == ZMQ_SUB)
        zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "\x08", 1); /* OutputSamples, see linkage.proto */
    assert_int_equal(zmq_connect(socket, endpoint), 0);
    return socket;
}

void harness_prepare(struct harness *h, const char *config)
{
    static const char *const names[] = {"control", "inputs", "outputs"};

    *h = (struct harness){.notify_fd = -1};
    assert_int_equal(rig_folder_make("linkaged-test", h->folder), 0);
    for (int i = 0; i < 3; i++)
        snprintf(h->endpoint[i], sizeof(h->endpoint[i]), "ipc://%s/%s", h->folder, names[i]);
    snprintf(h->config, sizeof(h->config), "%s/linkaged.yaml", h->folder);
    snprintf(h->log, sizeof(h->log), "%s/log", h->folder);
    harness_write_config(h, h->config, config);
}

/* Return true if the daemon serves before it ends. */
static bool comes_up(struct harness *h)
{
    for (int ms = 0; ms < PATIENCE_MS; ms += 100) {
        if (harness_notice_within(h, "READY=1", 100))
            return true;
        if (!rig_process_lives(h->pid))
            return false;
    }
    return false;
}

static bool finds_no_core(const struct harness *h)
{
    return harness_log_count(h, "] realtime: core") > 0 &&
           harness_log_count(h, " is taken by ") + harness_log_count(h, "finds no free core") > 0;
}

/* Start the daemon. If another process has locked the core, the test must not fail: wait for the
 * core, and skip the test if the wait is too long. */
static void start_daemon(struct harness *h)
{
    const struct timespec nap = {.tv_nsec = 200000000};
    int64_t until = now_ms() + PATIENCE_MS;

    for (;;) {
        h->pid =
            harness_spawn((const char *const[]){"--config", h->config, NULL}, h->log, h->notify_fd);
        if (comes_up(h))
            return;
        if (rig_process_lives(h->pid) || !finds_no_core(h)) {
            harness_log_has(h->folder, "log", "(shown because the daemon does not start)");
            fail_msg("the daemon does not start");
        }
        rig_process_wait(h->pid, -1);
        unlink(h->log);
        if (now_ms() > until) {
            rig_folder_remove(h->folder);
            skip_because("somebody else has the core",
                         "end the rig that its log names, or wait for it");
        }
        nanosleep(&nap, NULL);
    }
}

void harness_start(struct harness *h, const char *config)
{
    harness_prepare(h, config);
    open_notify(h);
    start_daemon(h);

    assert_int_equal(lk_wire_arena_init(&h->arena, LK_WIRE_CONTROL_ARENA), 0);
    assert_int_equal(lk_wire_arena_init(&h->sample_arena, LK_WIRE_SAMPLE_ARENA), 0);
    h->context = zmq_ctx_new();
}

void harness_connect(struct harness *h)
{
    h->control = connect_socket(h, ZMQ_DEALER, h->endpoint[0]);
    h->inputs = connect_socket(h, ZMQ_XPUB, h->endpoint[1]);
    h->outputs = connect_socket(h, ZMQ_SUB, h->endpoint[2]);
}

void harness_open(struct harness *h, const char *config)
{
    harness_start(h, config);
    harness_connect(h);
}

void harness_hang_up(struct harness *h)
{
    void **const sockets[] = {&h->control, &h->inputs, &h->outputs};

    for (int i = 0; i < 3; i++) {
        if (*sockets[i])
            zmq_close(*sockets[i]);
        *sockets[i] = NULL;
    }
    h->subscribed = false;
}

void harness_close(struct harness *h)
{
    int status = 0;

    if (h->pid > 0) {
        kill(h->pid, SIGTERM);
        status = harness_wait(h->pid, PATIENCE_MS);
    }
    harness_hang_up(h);
    zmq_ctx_term(h->context);
    lk_wire_arena_fini(&h->arena);
    lk_wire_arena_fini(&h->sample_arena);
    close(h->notify_fd);
    if (status)
        harness_log_has(h->folder, "log", "(shown because the exit status is not 0)");
    assert_int_equal(rig_folder_remove(h->folder), 0);
    assert_int_equal(status, 0);
}

/* ---- control ---- */

static bool readable(void *socket, int timeout_ms)
{
    zmq_pollitem_t item = {.socket = socket, .events = ZMQ_POLLIN};

    return zmq_poll(&item, 1, timeout_ms) == 1;
}

static void receive_reply(struct harness *h)
{
    zmq_msg_t message;

    if (!readable(h->control, PATIENCE_MS)) {
        harness_log_has(h->folder, "log", "(shown because there was no reply)");
        fail_msg("no reply");
    }
    zmq_msg_init(&message);
    assert_true(zmq_msg_recv(&message, h->control, 0) >= 0);
    assert_int_equal(
        lk_wire_decode_reply(&h->arena, zmq_msg_data(&message), zmq_msg_size(&message), &h->reply),
        0);
    zmq_msg_close(&message);
}

const Linkage__V1__ControlReply *harness_ask(struct harness *h,
                                             Linkage__V1__ControlRequest *request)
{
    size_t size = lk_wire_encoded_size(&request->base) + 16;
    unsigned char *buffer = malloc(size);

    assert_non_null(buffer);
    request->id = ++h->id;
    assert_int_equal(lk_wire_encode(&request->base, buffer, size, &size), 0);
    assert_true(zmq_send(h->control, buffer, size, 0) >= 0);
    free(buffer);
    hear(h);
    receive_reply(h);
    assert_int_equal(h->reply->id, h->id);
    return h->reply;
}

static const Linkage__V1__ControlReply *ask_command(
    struct harness *h, Linkage__V1__ControlRequest__CommandCase command,
    const Linkage__V1__ControlReply *(*ask)(struct harness *, Linkage__V1__ControlRequest *))
{
    /* none of these messages has a required field, so each is empty on the wire */
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StatusRequest status = LINKAGE__V1__STATUS_REQUEST__INIT;
    Linkage__V1__DescribeRequest describe = LINKAGE__V1__DESCRIBE_REQUEST__INIT;
    Linkage__V1__StartRequest start = LINKAGE__V1__START_REQUEST__INIT;
    Linkage__V1__PauseRequest pause = LINKAGE__V1__PAUSE_REQUEST__INIT;
    Linkage__V1__StopRequest stop = LINKAGE__V1__STOP_REQUEST__INIT;
    Linkage__V1__ResetRequest reset = LINKAGE__V1__RESET_REQUEST__INIT;
    Linkage__V1__ShutdownRequest shut = LINKAGE__V1__SHUTDOWN_REQUEST__INIT;

    request.command_case = command;
    switch ((int)command) {
    case STATUS:
        request.status = &status;
        break;
    case DESCRIBE:
        request.describe = &describe;
        break;
    case START:
        request.start = &start;
        break;
    case PAUSE:
        request.pause = &pause;
        break;
    case STOP:
        request.stop = &stop;
        break;
    case RESET:
        request.reset = &reset;
        break;
    default:
        request.shutdown = &shut;
        break;
    }
    return ask(h, &request);
}

const Linkage__V1__ControlReply *harness_command(struct harness *h,
                                                 Linkage__V1__ControlRequest__CommandCase command)
{
    return ask_command(h, command, harness_ask);
}

/* Return true if only the load of the machine prevents success, so that the same request succeeds
 * later. */
static bool is_held_up(const Linkage__V1__ControlReply *reply)
{
    return reply->result != RESULT(OK) &&
           (strstr(reply->text, "the cycle stands still") ||
            strstr(reply->text, "did not let the threads of the cycle run"));
}

/* Repeat a request while the cycle does not get its core. The cycle may end meanwhile without a
 * command, so a wrong state is then no failure. */
const Linkage__V1__ControlReply *harness_ask_patiently(struct harness *h,
                                                       Linkage__V1__ControlRequest *request)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    const Linkage__V1__ControlReply *reply = harness_ask(h, request);
    int64_t until = now_ms() + PATIENCE_MS;
    bool was_stuck = false;

    while (is_held_up(reply) && now_ms() < until) {
        was_stuck = true;
        nanosleep(&nap, NULL);
        reply = harness_ask(h, request);
    }
    return was_stuck && reply->result == RESULT(WRONG_STATE) ? harness_command(h, STATUS) : reply;
}

const Linkage__V1__ControlReply *
harness_command_patiently(struct harness *h, Linkage__V1__ControlRequest__CommandCase command)
{
    return ask_command(h, command, harness_ask_patiently);
}

#define STEP_KEPT_S 0.02 /* [s], shortest step under a sanitizer on any load */

#define STEP_RUN_S 5e-5 /* [s], shortest step that the daemon allows */

double harness_step_s(double step_s)
{
    return SANITIZED && step_s < STEP_KEPT_S ? STEP_KEPT_S : step_s;
}

/* Return @text with the step of harness_step_s(), to be freed. An invalid step stays unchanged, so
 * that the daemon can refuse it. */
static char *paced(const char *text)
{
    static const char key[] = "step: ";
    char *place = strstr(text, key), *end, *changed;
    size_t size = strlen(text) + 32;
    double step_s = place ? strtod(place + strlen(key), &end) : 0;

    if (step_s < STEP_RUN_S || harness_step_s(step_s) == step_s)
        return strdup(text);
    changed = malloc(size);
    assert_non_null(changed);
    snprintf(changed, size, "%.*s%s%.17g%s", (int)(place - text), text, key, harness_step_s(step_s),
             end);
    return changed;
}

const Linkage__V1__ControlReply *harness_load_as_it_is(struct harness *h, const char *name,
                                                       const char *text)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__LoadRequest load = LINKAGE__V1__LOAD_REQUEST__INIT;

    load.name = (char *)name;
    load.text.data = (uint8_t *)text;
    load.text.len = strlen(text);
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_LOAD;
    request.load = &load;
    return harness_ask(h, &request);
}

const Linkage__V1__ControlReply *harness_load(struct harness *h, const char *name, const char *text)
{
    char *changed = paced(text);
    const Linkage__V1__ControlReply *reply;

    assert_non_null(changed);
    reply = harness_load_as_it_is(h, name, changed);
    free(changed);
    return reply;
}

const Linkage__V1__ControlReply *harness_ask_arm(struct harness *h, bool allow_degraded,
                                                 uint32_t steps)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ArmRequest arm = LINKAGE__V1__ARM_REQUEST__INIT;

    arm.allow_degraded = allow_degraded;
    arm.steps = steps;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_ARM;
    request.arm = &arm;
    return harness_ask(h, &request);
}

const Linkage__V1__ControlReply *harness_set(struct harness *h, const char *channel,
                                             const double *values, size_t n)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__SetRequest set = LINKAGE__V1__SET_REQUEST__INIT;

    set.channel = (char *)channel;
    set.values = (double *)values;
    set.n_values = n;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_SET;
    request.set = &set;
    return harness_ask(h, &request);
}

const Linkage__V1__Status *harness_expect(struct harness *h,
                                          Linkage__V1__ControlRequest__CommandCase command,
                                          Linkage__V1__Result result, Linkage__V1__State state)
{
    const Linkage__V1__ControlReply *reply =
        result == RESULT(OK) ? harness_command_patiently(h, command) : harness_command(h, command);

    if (reply->result != result)
        fail_msg("result %d, expected %d: %s", (int)reply->result, (int)result, reply->text);
    assert_non_null(reply->status);
    if (reply->status->state != state)
        fail_msg("state %d, expected %d: %s", (int)reply->status->state, (int)state,
                 reply->status->fault);
    return reply->status;
}

/* number of steps of the proof, small so that arming is short */
#define ARM_STEPS 1000

static const Linkage__V1__ControlReply *try_to_arm(struct harness *h)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    const Linkage__V1__ControlReply *reply = harness_ask_arm(h, true, ARM_STEPS);

    if (is_held_up(reply)) {
        nanosleep(&nap, NULL);
        return harness_command(h, STATUS);
    }
    if (reply->result != RESULT(OK))
        fail_msg("%s", reply->text);
    while (reply->status->state == STATE(ARMING)) {
        nanosleep(&nap, NULL);
        reply = harness_command(h, STATUS);
    }
    return reply;
}

void harness_arm(struct harness *h)
{
    int64_t until = now_ms() + PATIENCE_MS;
    const Linkage__V1__ControlReply *reply = try_to_arm(h);

    while (reply->status->state != STATE(ARMED) && now_ms() < until)
        reply = try_to_arm(h);
    if (reply->status->state != STATE(ARMED))
        fail_msg("%s", reply->status->proof->text);
}

const Linkage__V1__Status *harness_go(struct harness *h)
{
    if (harness_command(h, STATUS)->status->state == STATE(READY))
        harness_arm(h);
    return harness_expect(h, START, RESULT(OK), STATE(RUNNING));
}

/* Load the model @text and free @text.
 * Return: its model_id */
static uint64_t load_text(struct harness *h, char *text)
{
    const Linkage__V1__ControlReply *reply = harness_load(h, "four-bar.yaml", text);

    free(text);
    if (reply->result != RESULT(OK))
        fail_msg("%s", reply->text);
    assert_int_equal(reply->status->state, STATE(READY));
    assert_true(reply->status->model_id != 0);
    return reply->status->model_id;
}

uint64_t harness_load_model(struct harness *h)
{
    return load_text(h, harness_model_text());
}

uint64_t harness_load_unlimited(struct harness *h)
{
    char *text = harness_model_text(), *limits = strstr(text, ", limits:");

    assert_non_null(limits);
    memmove(limits, strchr(limits, '}'), strlen(strchr(limits, '}')) + 1);
    return load_text(h, text);
}

/* ---- samples ---- */

void harness_send_bytes(struct harness *h, const void *data, size_t size, int flags)
{
    /* the daemon subscribes when it connects, and again after each interruption */
    while (!h->subscribed || readable(h->inputs, 0)) {
        char subscription[8];

        assert_true(readable(h->inputs, PATIENCE_MS));
        assert_true(zmq_recv(h->inputs, subscription, sizeof(subscription), 0) >= 0);
        h->subscribed = subscription[0] == 1;
    }
    assert_true(zmq_send(h->inputs, data, size, flags) >= 0);
}

static void send_sample(struct harness *h, const Linkage__V1__InputSample *sample)
{
    unsigned char buffer[1024];
    size_t size;

    assert_int_equal(lk_wire_encode(&sample->base, buffer, sizeof(buffer), &size), 0);
    harness_send_bytes(h, buffer, size, 0);
}

void harness_send(struct harness *h, uint64_t sequence, uint64_t model_id, const double *values,
                  size_t n)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;

    sample.sequence = sequence;
    sample.origin_ns = sequence * 3;
    sample.model_id = model_id;
    sample.values = (double *)values;
    sample.n_values = n;
    send_sample(h, &sample);
}

void harness_send_slopes(struct harness *h, uint64_t sequence, const double *values,
                         const double *slopes, size_t n)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;

    sample.sequence = sequence;
    sample.values = (double *)values;
    sample.slopes = (double *)slopes;
    sample.n_values = sample.n_slopes = n;
    send_sample(h, &sample);
}

const Linkage__V1__OutputSample *harness_sample(struct harness *h, int timeout_ms)
{
    const Linkage__V1__OutputSample *sample;
    zmq_msg_t message;

    if (!readable(h->outputs, timeout_ms))
        return NULL;
    zmq_msg_init(&message);
    assert_true(zmq_msg_recv(&message, h->outputs, 0) >= 0);
    assert_int_equal(lk_wire_decode_output(&h->sample_arena, zmq_msg_data(&message),
                                           zmq_msg_size(&message), &sample),
                     0);
    zmq_msg_close(&message);
    return sample;
}

void harness_await_counts(struct harness *h, uint64_t accepted, uint64_t refused)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    int64_t until = now_ms() + PATIENCE_MS;

    for (;;) {
        const Linkage__V1__Status *status = harness_command(h, STATUS)->status;

        if (status->inputs_accepted == accepted && status->inputs_refused == refused)
            return;
        if (now_ms() > until || status->inputs_accepted > accepted ||
            status->inputs_refused > refused)
            fail_msg("accepted %d refused %d, expected %d and %d", (int)status->inputs_accepted,
                     (int)status->inputs_refused, (int)accepted, (int)refused);
        nanosleep(&nap, NULL);
    }
}
