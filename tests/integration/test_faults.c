/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a run when the machine, or only the cycle, hangs: overruns and their consequences, the
 * watchdog, exit statuses, messages to benches, and files.
 *
 * SIGSTOP stops the whole daemon; ptrace, if it is allowed, stops only the thread of the cycle. The
 * tests wait for states and never for times, so a machine that is late in addition does not affect
 * them. */
#include "../skip.h"
#include "freeze.h"
#include "runs.h"
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

/* The step of the models. stall() stops the daemon for STALL_PERIODS steps, or for FAULT_PERIODS if
 * the test is about the fault, which is longer than nearly all hangs of the machine. A longer hang
 * has the same effect on the daemon, only earlier, so no test may distinguish between the two. */
#define STEP          "0.005"
#define STEP_S        0.005
#define STALL_PERIODS 100
#if SANITIZED
#define FAULT_PERIODS 125
#define ROW_MAX       "100"
#else
#define FAULT_PERIODS 500
#define ROW_MAX       "400"
#endif
/* Late cycles are made up, and each of them is an overrun. */
#define FAULT_IN_ROW "overrun: {action: catch-up, catch_up: 1000, fault_in_a_row: " ROW_MAX "}\n"
#define NO_WATCHDOG  "watchdog: {time: 0}\n"
#define KEPT         "evidence: {directory: kept}\n"

/* Stop the daemon for this number of periods. A daemon that has already ended cannot be stopped;
 * expect_end() detects that. */
static void stall(const struct harness *h, int periods)
{
    const double stall_s = periods * harness_step_s(STEP_S);
    const struct timespec nap = {(time_t)stall_s, (long)(1e9 * (stall_s - floor(stall_s)))};
    siginfo_t info = {0};

    assert_int_equal(kill(h->pid, SIGSTOP), 0);
    assert_int_equal(waitid(P_PID, (id_t)h->pid, &info, WSTOPPED | WEXITED | WNOWAIT), 0);
    if (info.si_code != CLD_STOPPED)
        return;
    nanosleep(&nap, NULL);
    assert_int_equal(kill(h->pid, SIGCONT), 0);
}

/* Check that the daemon ends by itself with this status. */
static void expect_end(struct harness *h, int status)
{
    pid_t pid = h->pid;

    h->pid = 0;
    assert_int_equal(harness_wait(pid, PATIENCE_MS), status);
}

/* Start a run that a fault may end at any time. */
static void go_to_fault(struct harness *h)
{
    const Linkage__V1__ControlReply *reply;

    harness_arm(h);
    reply = harness_command_patiently(h, START);
    if (reply->result != RESULT(OK))
        fail_msg("%s", reply->text);
}

static bool is_zero(const Linkage__V1__OutputSample *sample)
{
    for (size_t i = 0; i < sample->n_values; i++)
        if (sample->values[i] != 0)
            return false;
    return sample->n_values > 0;
}

/* ---- overruns ---- */

static void test_deadlines(void **state)
{
    const Linkage__V1__OutputSample *sample;
    const Linkage__V1__Status *status;
    uint64_t step;
    struct harness h;

    (void)state;
    harness_open(&h, FAULT_IN_ROW NO_WATCHDOG);
    runs_load_slow(&h, STEP);
    go_to_fault(&h);
    assert_non_null(harness_sample(&h, PATIENCE_MS)); /* the run has begun */
    stall(&h, FAULT_PERIODS);
    status = runs_await_state(&h, STATE(FAULT));
    runs_says(status->fault, "too many deadlines missed");
    assert_true(status->overruns >= 1);
    assert_false(status->proof->valid);
    step = status->step;
    sample = runs_await_sample(&h, STATE(FAULT));
    assert_int_equal(sample->step, step);
    assert_false(is_zero(sample)); /* the last good values are held */
    /* the cycle continues, the steps do not */
    status = runs_await_cycles(&h, harness_command(&h, STATUS)->status->cycles + 5);
    assert_int_equal(status->step, step);
    harness_expect(&h, RESET, RESULT(OK), STATE(READY));
    assert_int_equal(h.reply->status->overruns, 0);
    harness_close(&h);
}

/* Benches are informed of the fault with the last sample, even by a daemon that then ends. */
static void test_deadlines_exit(void **state)
{
    const Linkage__V1__OutputSample *sample;
    struct harness h;

    (void)state;
    harness_open(&h, FAULT_IN_ROW "on_fault: {exit: true, outputs: zero}\n" KEPT NO_WATCHDOG);
    runs_make_folder(&h);
    runs_load_slow(&h, STEP);
    go_to_fault(&h);
    sample = harness_sample(&h, PATIENCE_MS);
    assert_non_null(sample);
    stall(&h, FAULT_PERIODS);
    expect_end(&h, 3);
    while (sample->state != STATE(FAULT) || !is_zero(sample)) {
        sample = harness_sample(&h, PATIENCE_MS);
        assert_non_null(sample);
    }
    while ((sample = harness_sample(&h, 500)))
        assert_int_equal(sample->state, STATE(FAULT));
    assert_true(harness_log_has(h.folder, "log", "fault: "));
    assert_int_equal(runs_count_files(&h, "Z.json", true), 1);
    assert_int_equal(runs_count_files(&h, ".hist", false), 1);
    assert_true(runs_count_files(&h, "-trace-1.json", true) == 1); /* the trace of this overrun */
    harness_close(&h);
}

/* Missed grid points are skipped, and the simulated time is late by as many steps. */
static void test_continue(void **state)
{
    const Linkage__V1__Status *status;
    struct harness h;

    (void)state;
    harness_open(&h, "overrun: {action: continue, fault_in_a_row: 0}\n" NO_WATCHDOG);
    runs_load_slow(&h, STEP);
    harness_go(&h);
    runs_await_cycles(&h, 10);
    stall(&h, STALL_PERIODS);
    while ((status = harness_command(&h, STATUS)->status)->skipped < STALL_PERIODS - 1)
        runs_nap();
    runs_await_cycles(&h, status->cycles + 30);
    status = harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    assert_true(status->behind_s > (STALL_PERIODS - 1.5) * harness_step_s(STEP_S));
    assert_int_equal(status->step, status->cycles);
    assert_true(status->skipped >= STALL_PERIODS - 1 && status->overruns >= 1);
    /* @behind_s does not yet contain the overrun of the last cycle */
    assert_true(status->behind_s <= (double)status->skipped * harness_step_s(STEP_S) + 1e-9);
    harness_close(&h);
}

static void test_catch_up(void **state)
{
    const Linkage__V1__ControlReply *reply;
    const Linkage__V1__Status *status;
    uint64_t cycles;
    struct harness h;
    char *text;

    (void)state;
    harness_open(&h,
                 "overrun: {action: catch-up, catch_up: 1000, fault_in_a_row: 0}\n" NO_WATCHDOG);
    runs_load_slow(&h, STEP);
    harness_go(&h);
    cycles = runs_await_cycles(&h, 10)->cycles;
    stall(&h, STALL_PERIODS);
    runs_await_cycles(&h, cycles + STALL_PERIODS);
    while ((status = harness_command(&h, STATUS)->status)->behind_s != 0)
        runs_nap();
    assert_int_equal(status->skipped, 0);
    assert_int_equal(status->step, status->cycles);
    assert_true(status->caught_up >= STALL_PERIODS - 10);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));

    /* the trace contains the made-up cycles in sequence */
    reply = runs_ask_trace(&h, 0);
    text = calloc(1, reply->trace.len + 1);
    assert_non_null(text);
    memcpy(text, reply->trace.data, reply->trace.len);
    runs_check_json(text, reply->trace.len);
    runs_says(text, "OVERRUN");
    assert_true(runs_check_tracks(text, reply->trace.len) > STALL_PERIODS - 10);
    free(text);
    harness_close(&h);
}

static void test_step_fault_exit(void **state)
{
    const double far_too_much = 1e12;
    struct harness h;

    (void)state;
    harness_open(&h, "on_fault: {exit: true}\n");
    harness_load_unlimited(&h);
    harness_go(&h);
    harness_set(&h, "motor", &far_too_much, 1);
    expect_end(&h, 4);
    assert_true(harness_log_has(h.folder, "log", "fault: step "));
    harness_close(&h);
}

/* ---- the watchdog ---- */

static void may_not(struct harness *h)
{
    harness_close(h);
    skip_because("the cycle's thread cannot be frozen here",
                 "allow ptrace: as root, or with kernel.yama.ptrace_scope below 2");
}

/* A hang is a fault, and remains one when the hang ends. */
static void test_frozen(void **state)
{
    const Linkage__V1__OutputSample *sample;
    const Linkage__V1__Status *status;
    struct harness h;
    int late = 0;
    pid_t tid;

    (void)state;
    setenv("WATCHDOG_USEC", "400000", 1);
    /* @divisor: the watchdog must not depend on whether the exchange reads each record */
    harness_open(&h, "watchdog: {time: 2}\non_fault: {outputs: zero}\n"
                     "overrun: {fault_in_a_row: 0}\noutputs: {divisor: 20}\n");
    unsetenv("WATCHDOG_USEC");
    harness_load_model(&h);
    harness_go(&h);
    tid = freeze_seize(&h, "lkd-cycle");
    if (tid == 0)
        may_not(&h);
    runs_await_cycles(&h, 50);
    freeze_thread(tid);
    status = runs_await_state(&h, STATE(FAULT));
    runs_says(status->fault, "stand"); /* "stands still" */
    assert_false(status->proof->valid);
    sample = runs_await_sample(&h, STATE(FAULT));
    assert_int_equal(sample->step, status->step);
    assert_true(is_zero(sample));
    /* systemd gets no more notifications than those sent before */
    while (harness_notice_within(&h, "WATCHDOG=1", 1000))
        assert_true(late++ < 3 * NOTICES_MAX);
    harness_expect(&h, STATUS, RESULT(OK), STATE(FAULT)); /* the daemon still answers */
    /* a reset does not restart the stuck run */
    harness_expect(&h, RESET, RESULT(INTERNAL), STATE(FAULT));
    runs_says(h.reply->text, "stands still");

    assert_int_equal(ptrace(PTRACE_DETACH, tid, NULL, NULL), 0);
    harness_expect(&h, RESET, RESULT(OK), STATE(READY)); /* now the run can be ended */
    harness_arm(&h);
    harness_go(&h);
    runs_await_cycles(&h, 20);
    harness_close(&h);
}

/* The cycle is frozen in the middle of a step and released: this step is not published, and no
 * other step is made. */
static void test_released(void **state)
{
    const Linkage__V1__OutputSample *sample;
    const Linkage__V1__Status *status;
    uint64_t cycles, step;
    struct harness h;
    pid_t tid;
    int tries = 0, heard = 0;

    (void)state;
    harness_open(&h, "watchdog: {time: 2}\non_fault: {outputs: zero}\nbudget: {share: 0.95}\n"
                     "overrun: {fault_in_a_row: 0}\n");
    /* a model with long steps; with a sanitizer steps of any model are long */
    runs_load_file(&h, SANITIZED ? "chain-8" : "chain-128", "0.005");
    harness_go(&h);
    tid = freeze_seize(&h, "lkd-cycle");
    if (tid == 0)
        may_not(&h);
    runs_await_cycles(&h, 20);
    for (freeze_thread(tid); freeze_is_in_call(&h, tid) && tries < 1000;
         freeze_thread(tid), tries++) {
        const struct timespec nap = {.tv_nsec = 1300000};

        freeze_end(tid);
        nanosleep(&nap, NULL);
        while (harness_sample(&h, 0)) /* make room for the sample of the fault */
            ;
    }
    runs_await_state(&h, STATE(FAULT));
    sample = runs_await_sample(&h, STATE(FAULT));
    assert_true(is_zero(sample));
    step = sample->step;
    cycles = harness_command(&h, STATUS)->status->cycles;
    assert_int_equal(ptrace(PTRACE_DETACH, tid, NULL, NULL), 0);

    status = runs_await_cycles(&h, cycles + 20);
    assert_int_equal(status->state, STATE(FAULT));
    assert_true(status->step <= step + 1); /* the interrupted step at most */
    while (heard < 10) {
        sample = harness_sample(&h, PATIENCE_MS);
        assert_non_null(sample);
        if (sample->state != STATE(FAULT) || !is_zero(sample))
            fail_msg("step %d in state %d after the fault at step %d", (int)sample->step,
                     (int)sample->state, (int)step);
        heard++;
    }
    harness_expect(&h, RESET, RESULT(OK), STATE(READY));
    harness_close(&h);
}

static void test_frozen_exit(void **state)
{
    struct harness h;
    pid_t tid;

    (void)state;
    harness_open(&h, "watchdog: {time: 2}\non_fault: {exit: true}\n"
                     "overrun: {fault_in_a_row: 0}\n");
    harness_load_model(&h);
    harness_go(&h);
    tid = freeze_seize(&h, "lkd-cycle");
    if (tid == 0)
        may_not(&h);
    runs_await_cycles(&h, 50);
    freeze_thread(tid);
    freeze_await_death(tid);
    expect_end(&h, 5);
    assert_true(harness_log_has(h.folder, "log", "stands still"));
    harness_close(&h);
}

/* During a long proof each step feeds the watchdog, however rarely the progress is reported, so the
 * daemon is not ended as stuck. */
static void test_long_proof_is_alive(void **state)
{
    double before, after;
    struct harness h;
    int tries = 0;

    (void)state;
    setenv("WATCHDOG_USEC", "400000", 1);
    harness_open(&h, "budget: {steps: 100000000, time: 3600}\n");
    unsetenv("WATCHDOG_USEC");
    runs_load_file(&h, "chain-128", STEP);
    assert_int_equal(harness_ask_arm(&h, true, 0)->result, RESULT(OK));
    harness_notice(&h, "STATUS=ARMING");
    after = harness_command(&h, STATUS)->status->proof->progress;
    do { /* a thousandth needs 3.6 s, and three signs of life half a second */
        before = after;
        for (int i = 0; i < 3; i++)
            harness_notice(&h, "WATCHDOG=1");
        after = harness_command(&h, STATUS)->status->proof->progress;
    } while (after != before && tries++ < 20);
    assert_true(after == before);
    harness_expect(&h, STOP, RESULT(OK), STATE(READY));
    harness_close(&h);
}

/* ---- files ---- */

static void test_reports(void **state)
{
    struct harness h;
    char *text;

    (void)state;
    harness_open(&h, KEPT "overrun: {fault_in_a_row: 0}\n" NO_WATCHDOG);
    runs_make_folder(&h);
    runs_load_slow(&h, STEP);
    harness_arm(&h);
    assert_int_equal(runs_count_files(&h, "", false), 0); /* a proof is not a run */
    harness_go(&h);
    runs_await_cycles(&h, 30);
    stall(&h, STALL_PERIODS);
    while (runs_count_files(&h, "-trace-1.json", false) == 0) {
        harness_command(&h, STATUS);
        runs_nap();
    }
    assert_int_equal(runs_count_files(&h, "Z.json", false), 0); /* the run continues */
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    harness_await_log(&h, ".hist", 1);
    assert_int_equal(runs_count_files(&h, "-trace-1.json", true), 1);
    assert_int_equal(runs_count_files(&h, "Z.json", true), 1);
    assert_int_equal(runs_count_files(&h, ".hist", false), 1);
    text = runs_read_file(&h, "Z.json");
    runs_says(text, "\"model\":\"four-bar\"");
    runs_says(text, "\"worst\":[{");
    runs_says(text, "\"missed\":[{");
    runs_says(text, "\"host\":");
    free(text);
    text = runs_read_file(&h, ".hist");
    runs_says(text, "# Histogram");
    runs_says(text, "# Total:");
    free(text);
    text = runs_read_file(&h, "-trace-1.json");
    runs_says(text, "OVERRUN");
    free(text);

    /* a reset is not a run; the next run has its own files */
    harness_expect(&h, RESET, RESULT(OK), STATE(ARMED));
    assert_int_equal(runs_count_files(&h, "Z.json", false), 1);
    harness_go(&h);
    runs_await_cycles(&h, 3);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    harness_await_log(&h, ".hist", 2);
    assert_int_equal(runs_count_files(&h, "Z.json", true), 2);
    harness_close(&h);
}

/* Create links and pipes with all names that the reports of this run may have, because their
 * milliseconds are unknown. */
static void lay_traps(struct harness *h, const char *victim)
{
    const char *utc = runs_ask_evidence(h, false, false)->evidence->started_utc;
    char path[256], digits[24];
    size_t n = 0;

    for (; *utc != 'Z'; utc++)
        if (*utc != '-' && *utc != ':')
            digits[n++] = *utc;
    digits[n] = '\0';
    for (int i = 0; i < 1000; i++) {
        snprintf(path, sizeof(path), "%s/kept/four-bar-%s.%03dZ.json", h->folder, digits, i);
        assert_int_equal(symlink(victim, path), 0);
        snprintf(path, sizeof(path), "%s/kept/four-bar-%s.%03dZ.hist", h->folder, digits, i);
        assert_int_equal(mkfifo(path, 0600), 0);
    }
}

/* Anybody who may write to the folder can create a file at the path of a future report. The daemon
 * neither writes through a link nor overwrites a file, nor waits for the reader of a pipe. */
static void test_reports_go_to_new_files(void **state)
{
    char victim[128], text[16] = "";
    struct harness h;
    FILE *file;

    (void)state;
    harness_open(&h, KEPT "overrun: {fault_in_a_row: 0}\n" NO_WATCHDOG);
    runs_make_folder(&h);
    runs_load_slow(&h, "0.005");
    harness_go(&h);
    runs_await_cycles(&h, 3);
    snprintf(victim, sizeof(victim), "%s/kept/victim", h.folder);
    file = fopen(victim, "w");
    fputs("untouched", file);
    fclose(file);
    lay_traps(&h, "victim");
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    harness_await_log(&h, ".hist", 1);
    file = fopen(victim, "r");
    assert_int_equal(fread(text, 1, sizeof(text) - 1, file), strlen("untouched"));
    fclose(file);
    assert_string_equal(text, "untouched");
    assert_int_equal(runs_count_files(&h, "Z-2.json", true), 1);
    assert_int_equal(runs_count_files(&h, "Z-2.hist", false), 1);
    harness_close(&h);
}

/* If no file can be written, the log says so and the run is unaffected. */
static void test_no_place_for_files(void **state)
{
    struct harness h;

    (void)state;
    harness_open(&h, "evidence: {directory: /nowhere/at/all}\noverrun: {fault_in_a_row: 0}\n");
    harness_load_model(&h);
    harness_go(&h);
    runs_await_cycles(&h, 10);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    harness_await_log(&h, "evidence is not kept: /nowhere/at/all/four-bar-", 2);
    harness_go(&h);
    runs_await_cycles(&h, 10);
    harness_close(&h);
}

/* ---- autostart ---- */

static void start_by_itself(const char *more, const char *words)
{
    char path[128], log[128], model[512], text[1024];
    struct harness h;
    pid_t pid;

    harness_open(&h, NULL);
    /* a second daemon in parallel, with its own endpoints */
    snprintf(path, sizeof(path), "%s/second.yaml", h.folder);
    snprintf(log, sizeof(log), "%s/log2", h.folder);
    runs_model_path("chain-128", model);
    snprintf(text, sizeof(text), "model: %s\nautostart: true\n%s", model, more);
    for (int i = 0; i < 3; i++)
        strcat(h.endpoint[i], "2");
    harness_write_config(&h, path, text);
    pid = harness_spawn((const char *const[]){"-c", path, NULL}, log, -1);
    assert_int_equal(harness_wait(pid, PATIENCE_MS), 1);
    assert_true(harness_log_has(h.folder, "log2", words));
    for (int i = 0; i < 3; i++) {
        unlink(h.endpoint[i] + strlen("ipc://"));
        h.endpoint[i][strlen(h.endpoint[i]) - 1] = '\0';
    }
    harness_close(&h);
}

static void test_autostart_refused(void **state)
{
    (void)state;
    start_by_itself("realtime: {degraded: allow, priority: 0, core: none}\n"
                    "budget: {steps: 1000, share: 0.01}\n",
                    "not armed: ");
}

/* Without real-time priority no machine is fit for real time. */
static void test_autostart_refused_degraded(void **state)
{
    (void)state;
    start_by_itself("", "start refused: the machine is not fit for real time");
}

/* A bench sends at full speed and is killed, while its samples stay in the queue. A former version
 * of the daemon ended, too. */
static void test_flood_that_dies(void **state)
{
    const struct timespec flood = {.tv_nsec = 300000000}, wait = {.tv_sec = 2};
    struct harness h;
    pid_t tid, child;

    (void)state;
    harness_open(&h, "realtime: {lock_memory: false, priority: 0, core: none}\n");
    tid = freeze_seize(&h, "lkd-exchange");
    if (tid == 0) {
        may_not(&h);
        return;
    }
    freeze_thread(tid);
    child = fork();
    if (child == 0) {
        void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_XPUB);

        zmq_connect(socket, h.endpoint[1]);
        for (;;)
            zmq_send(socket, "flood", 5, 0);
    }
    nanosleep(&flood, NULL);
    freeze_end(tid); /* sends the subscription to the bench */
    nanosleep(&flood, NULL);
    freeze_thread(tid);
    nanosleep(&flood, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    nanosleep(&wait, NULL);
    assert_int_equal(ptrace(PTRACE_DETACH, tid, NULL, NULL), 0);
    harness_expect(&h, STATUS, RESULT(OK), STATE(EMPTY));
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_deadlines_exit),
        cmocka_unit_test(test_continue),
        cmocka_unit_test(test_catch_up),
        cmocka_unit_test(test_step_fault_exit),
        cmocka_unit_test(test_frozen),
        cmocka_unit_test(test_released),
        cmocka_unit_test(test_flood_that_dies),
        cmocka_unit_test(test_frozen_exit),
        cmocka_unit_test(test_long_proof_is_alive),
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_reports_go_to_new_files),
        cmocka_unit_test(test_no_place_for_files),
        cmocka_unit_test(test_autostart_refused),
        cmocka_unit_test(test_autostart_refused_degraded),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
