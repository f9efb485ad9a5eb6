/* SPDX-License-Identifier: Apache-2.0 */
/* A real daemon in a child process, with sockets to all of its endpoints.
 *
 * Every failure ends the running test (cmocka). Every wait is for an event, with a time-out that
 * only a broken daemon reaches. Endpoints are ipc sockets in a temporary folder of the test, so
 * tests can run in parallel.
 *
 * A test must not fail for reasons outside its subject (tests/README.md). So by default the daemon
 * has no real-time priority and no core of its own, its proofs are short, late cycles are never a
 * fault, and under a sanitizer the models have longer periods. */
#ifndef TEST_HARNESS_H
#define TEST_HARNESS_H

#include "../sanitized.h"
#include "folder.h"
#include "wire.h"
#include <sys/types.h>

#define PATIENCE_MS 60000
#define NOTICES_MAX 64

/** struct harness - @folder: folder of configuration, sockets and log; @notify_fd: stands for
 * systemd's socket
 * @notice: @n_notices pending notices to systemd, received while waiting for something else
 * @reply:  reply to the last request, stored in @arena */
struct harness {
    char folder[RIG_FOLDER];
    char config[96];
    char log[96];
    char endpoint[3][128];
    pid_t pid;
    int notify_fd;
    int n_notices;
    char notice[NOTICES_MAX][256];
    void *context;
    void *control;
    void *inputs;
    void *outputs;
    uint64_t id;
    bool subscribed;
    struct lk_wire_arena arena;
    struct lk_wire_arena sample_arena;
    const Linkage__V1__ControlReply *reply;
};

/** harness_init() - Read the paths of daemon and model of the tests from the command line. */
void harness_init(int argc, char *argv[]);
/** harness_model() - Return the path of the model. harness_model_text() - Return the text of the
 * model; free() it. */
const char *harness_model(void);
char *harness_model_text(void);

/** harness_prepare() - Make folder, endpoints and configuration, without starting the daemon. The
 * caller removes the folder, unless harness_close() does.
 * @config: further lines of its configuration, or NULL */
void harness_prepare(struct harness *h, const char *config);
/** harness_open() - Start a daemon, connect to it, and wait until it is READY. harness_start() -
 * Start a daemon without connecting to it. If a process outside the test occupies the core, both
 * wait for at most a minute; then the test is skipped. @config: as for harness_prepare() */
void harness_open(struct harness *h, const char *config);
void harness_start(struct harness *h, const char *config);
/** harness_connect() - Connect to the daemon, as harness_open() does. */
void harness_connect(struct harness *h);
/** harness_hang_up() - disconnect from the daemon. */
void harness_hang_up(struct harness *h);
/** harness_close() - End the daemon with SIGTERM if it still runs, assert exit status 0, and remove
 * the folder. */
void harness_close(struct harness *h);

/** harness_spawn() - Start a daemon with these arguments (NULL-terminated, without the name);
 * standard error goes to @log_path. */
pid_t harness_spawn(const char *const arguments[], const char *log_path, int notify);
/** harness_wait() - Wait for the end of a process. Return: exit status, 128 + n for signal n. */
int harness_wait(pid_t pid, int timeout_ms);
/** harness_line() - Return the process id of the daemon's line process, its only child; 0: none. */
pid_t harness_line(const struct harness *h);
/** harness_log_has() - Return true if the log @folder/@name contains @words. */
bool harness_log_has(const char *folder, const char *name, const char *words);
/** harness_log_count() - Return the number of lines of @h's log that contain @words.
 * harness_await_log() - Wait until there are at least @n such lines. */
int harness_log_count(const struct harness *h, const char *words);
void harness_await_log(const struct harness *h, const char *words, int n);
/** harness_write_config() - Write a configuration with the endpoints of the harness. Unless @more
 * contains sections that change this, samples need no token, stale inputs keep acting, and results
 * do not depend on the machine. */
void harness_write_config(const struct harness *h, const char *path, const char *more);

/** harness_notice() - Wait for a notice to systemd that starts with @words. */
void harness_notice(struct harness *h, const char *words);
/** harness_notice_within() - Wait a limited time for a notice to systemd that starts with @words.
 * Return: false if it did not arrive in time. */
bool harness_notice_within(struct harness *h, const char *words, int timeout_ms);

/** harness_ask() - Send a request and wait for the reply. */
const Linkage__V1__ControlReply *harness_ask(struct harness *h,
                                             Linkage__V1__ControlRequest *request);
/** harness_step_s() - Return the step [s] that is used for a model whose text has the step @step_s
 * [s]. It is longer under a sanitizer, where a cycle takes tens of times as long. */
double harness_step_s(double step_s);
/** harness_command() - Send a request without arguments, given by its case. harness_load(),
 * harness_ask_arm(), harness_set() - Send the corresponding request. A model gets the step of
 * harness_step_s(), unless it is loaded as it is. */
const Linkage__V1__ControlReply *harness_command(struct harness *h,
                                                 Linkage__V1__ControlRequest__CommandCase command);
const Linkage__V1__ControlReply *harness_load(struct harness *h, const char *name,
                                              const char *text);
const Linkage__V1__ControlReply *harness_load_as_it_is(struct harness *h, const char *name,
                                                       const char *text);
const Linkage__V1__ControlReply *harness_ask_arm(struct harness *h, bool allow_degraded,
                                                 uint32_t steps);
const Linkage__V1__ControlReply *harness_set(struct harness *h, const char *channel,
                                             const double *values, size_t n);

/* Short names for requests, results and states. */
#define START    LINKAGE__V1__CONTROL_REQUEST__COMMAND_START
#define PAUSE    LINKAGE__V1__CONTROL_REQUEST__COMMAND_PAUSE
#define STOP     LINKAGE__V1__CONTROL_REQUEST__COMMAND_STOP
#define RESET    LINKAGE__V1__CONTROL_REQUEST__COMMAND_RESET
#define STATUS   LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS
#define DESCRIBE LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE
#define SHUTDOWN LINKAGE__V1__CONTROL_REQUEST__COMMAND_SHUTDOWN

#define RESULT(name) LINKAGE__V1__RESULT__RESULT_##name
#define STATE(name)  LINKAGE__V1__STATE__STATE_##name

/** harness_expect() - Call harness_command(); assert @result and the @state after it.
 * Return: the status in the reply. */
const Linkage__V1__Status *harness_expect(struct harness *h,
                                          Linkage__V1__ControlRequest__CommandCase command,
                                          Linkage__V1__Result result, Linkage__V1__State state);
/** harness_ask_patiently() - Call harness_ask() repeatedly while the machine has no time for the
 * threads of the cycle. harness_command_patiently() - Call harness_command() in the same way. */
const Linkage__V1__ControlReply *harness_ask_patiently(struct harness *h,
                                                       Linkage__V1__ControlRequest *request);
const Linkage__V1__ControlReply *
harness_command_patiently(struct harness *h, Linkage__V1__ControlRequest__CommandCase command);
/** harness_arm() - Arm with a short proof; degraded machines are allowed. Assert ARMED; retry if a
 * proof fails because other tests keep the machine busy. */
void harness_arm(struct harness *h);
/** harness_go() - Send START and assert RUNNING; arm before, if the state is READY.
 * Return: as harness_expect(). */
const Linkage__V1__Status *harness_go(struct harness *h);
/** harness_load_model() - Load the model of the tests and assert success. Return: its model_id. */
uint64_t harness_load_model(struct harness *h);
/** harness_load_unlimited() - Load the model of the tests without limits on its input, so that any
 * value acts. */
uint64_t harness_load_unlimited(struct harness *h);

/** harness_now_ns() - Return the time on CLOCK_MONOTONIC [ns], the clock of the deadlines in
 * samples. */
int64_t harness_now_ns(void);
/** harness_send_bytes() - Send one frame on the inputs socket, after the daemon has subscribed. */
void harness_send_bytes(struct harness *h, const void *data, size_t size, int flags);
/** harness_send() - send an input sample. */
void harness_send(struct harness *h, uint64_t sequence, uint64_t model_id, const double *values,
                  size_t n);
/** harness_send_slopes() - Send an input sample with @n slopes. */
void harness_send_slopes(struct harness *h, uint64_t sequence, const double *values,
                         const double *slopes, size_t n);
/** harness_sample() - Wait for the next output sample. Return: NULL if none arrived in time. */
const Linkage__V1__OutputSample *harness_sample(struct harness *h, int timeout_ms);
/** harness_await_counts() - Wait until these numbers of samples were accepted and refused. */
void harness_await_counts(struct harness *h, uint64_t accepted, uint64_t refused);

#endif
