/* SPDX-License-Identifier: Apache-2.0 */
/* linkagectl, and arming with the client library, against a simulated daemon, which answers,
 * refuses, or falls silent as the test requires. */
#include "client.h"
#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define OK         LINKAGE__V1__RESULT__RESULT_OK
#define PROOF      "max 212 us of 1000 us, slack 78 %"
#define PATIENCE_S 60 /* only a broken program takes that long */
#define REASON     "max 1300 us of 1000 us; 500 Hz would fit"
#define TRACE      "{\"traceEvents\":[]}"

/* Behaviour of the simulated daemon. SILENT: no answer to a status request; UNPROVEN: arming ends
 * in READY; FOREVER: arming does not end; UNFIT: the machine is refused immediately; OLD: no
 * evidence */
enum play { FITS, SILENT, UNPROVEN, FOREVER, UNFIT, OLD };

static struct {
    _Atomic enum play play;
    /* used by the daemon's thread only */
    Linkage__V1__State state;
    int asked;
    /* the requests, which tests read between commands */
    _Atomic int allow_degraded;
    _Atomic unsigned int steps, cycles;
} actor;

static struct rig_stage stage;

static void play_arm(const Linkage__V1__ArmRequest *arm, Linkage__V1__ControlReply *reply)
{
    actor.allow_degraded = arm->allow_degraded;
    actor.steps = arm->steps;
    actor.asked = 0;
    if (actor.play == UNFIT) {
        reply->result = LINKAGE__V1__RESULT__RESULT_NO_REALTIME;
        reply->text =
            (char *)"not fit\033[2J: no PREEMPT_RT kernel; allow it with --allow-degraded";
    } else {
        actor.state = LINKAGE__V1__STATE__STATE_ARMING;
    }
}

/* Answer three times that arming continues, then with the result. */
static void play_status(Linkage__V1__Proof *proof)
{
    if (actor.state == LINKAGE__V1__STATE__STATE_ARMING && ++actor.asked > 3) {
        if (actor.play == FITS)
            actor.state = LINKAGE__V1__STATE__STATE_ARMED;
        else if (actor.play == UNPROVEN)
            actor.state = LINKAGE__V1__STATE__STATE_READY;
    }
    proof->progress = actor.asked / 4.0;
    if (actor.state != LINKAGE__V1__STATE__STATE_ARMING)
        proof->text = (char *)(actor.play == UNPROVEN ? REASON : PROOF);
}

static void play_evidence(Linkage__V1__Evidence *e, Linkage__V1__Durations *d, bool with_histograms)
{
    static uint64_t upper[] = {15103, 15359}, count[] = {7, 5};

    d->count = 12;
    d->p50_ns = 15103;
    d->max_ns = 15300;
    if (with_histograms) {
        d->bucket_upper_ns = upper;
        d->bucket_count = count;
        d->n_bucket_upper_ns = d->n_bucket_count = 2;
    }
    e->model = (char *)"four-bar";
    e->period_ns = 1000000;
    e->state = actor.state;
    e->wakeup = e->response = d;
}

static void answer(const Linkage__V1__ControlRequest *request, const uint8_t *data, size_t size)
{
    Linkage__V1__ControlReply reply = LINKAGE__V1__CONTROL_REPLY__INIT;
    Linkage__V1__Status status = LINKAGE__V1__STATUS__INIT;
    Linkage__V1__Proof proof = LINKAGE__V1__PROOF__INIT;
    Linkage__V1__Evidence evidence = LINKAGE__V1__EVIDENCE__INIT;
    Linkage__V1__Durations durations = LINKAGE__V1__DURATIONS__INIT;
    char *degraded[] = {(char *)"the core is not isolated"};

    (void)data;
    (void)size;
    reply.id = request->id;
    reply.result = OK;
    reply.status = &status;
    status.proof = &proof;
    status.model = (char *)"four-bar";
    status.late_wakeups = 3;
    status.late_wakeup_step = 77;
    status.behind_s = 0.25;
    switch (request->command_case) {
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_ARM:
        play_arm(request->arm, &reply);
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS:
        if (actor.play == SILENT)
            return;
        play_status(&proof);
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_LOAD:
        actor.state = LINKAGE__V1__STATE__STATE_READY;
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_START:
        actor.state = LINKAGE__V1__STATE__STATE_RUNNING;
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_EVIDENCE:
        play_evidence(&evidence, &durations, request->evidence->with_histograms);
        reply.evidence = actor.play == OLD ? NULL : &evidence;
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_TRACE:
        actor.cycles = request->trace->cycles;
        reply.trace.data = (uint8_t *)TRACE;
        reply.trace.len = actor.play == OLD ? 0 : strlen(TRACE);
        break;
    default:
        reply.result = LINKAGE__V1__RESULT__RESULT_BAD_MESSAGE;
    }
    status.state = actor.state;
    if (actor.allow_degraded) {
        status.degraded = degraded;
        status.n_degraded = 1;
    }
    rig_stage_reply(&stage, &reply);
}

static int raise_curtain(void **state)
{
    (void)state;
    return rig_stage_open(&stage);
}

static int lower_curtain(void **state)
{
    (void)state;
    return rig_stage_close(&stage);
}

/* Run linkagectl with @arguments.
 * Return: its exit status */
static int run_ctl(enum play play, const char *arguments)
{
    actor.play = play;
    stage.timeout_s = play == SILENT ? 1 : PATIENCE_S;
    return rig_stage_run(&stage, arguments);
}

static void assert_output(const char *part)
{
    rig_stage_says(&stage, part);
}

static void test_arm(void **state)
{
    (void)state;
    assert_int_equal(run_ctl(FITS, "arm --steps 5000"), 0);
    assert_string_equal(stage.output, "armed: " PROOF "\n");
    assert_int_equal(actor.steps, 5000);
    assert_int_equal(actor.allow_degraded, 0);
    assert_int_equal(run_ctl(FITS, "arm --json"), 0);
    assert_output("{\"result\":\"ok\",\"text\":\"" PROOF "\",\"status\":{\"state\":\"armed\"");

    assert_int_equal(run_ctl(FITS, "arm --allow-degraded"), 0);
    assert_string_equal(stage.output, "armed: " PROOF "\ndegraded: the core is not isolated\n");
    assert_int_equal(actor.steps, 0);

    assert_int_equal(run_ctl(FOREVER, "arm --no-wait"), 0);
    assert_string_equal(stage.output, "arming (four-bar, t = 0.000 s)\n");
}

static void test_arm_refused(void **state)
{
    (void)state;
    assert_int_equal(run_ctl(UNFIT, "arm"), 1);
    assert_string_equal(stage.output,
                        "linkagectl: not armed: not fit?[2J: no PREEMPT_RT kernel; allow it "
                        "with --allow-degraded\n");
    assert_int_equal(run_ctl(UNFIT, "arm --json"), 1);
    assert_output("{\"result\":\"no-realtime\"");
    assert_int_equal(run_ctl(UNPROVEN, "arm"), 1);
    assert_string_equal(stage.output, "linkagectl: not armed: " REASON "\n");
    assert_int_equal(run_ctl(UNPROVEN, "arm --json"), 1);
    assert_output("{\"result\":\"no-budget\",\"text\":\"" REASON "\"");
    /* a daemon that falls silent while it arms is reported as existing */
    assert_int_equal(run_ctl(SILENT, "arm"), 3);
    assert_output("is there, but has not answered for 1.0 s");
    assert_null(strstr(stage.output, "start one"));
    assert_int_equal(run_ctl(SILENT, "arm --json"), 3);
    assert_output("{\"result\":\"silent\"");
}

/* Load an empty model: the simulated daemon does not read it. */
static int run_model(enum play play)
{
    char path[] = "/tmp/linkage-ctl-XXXXXX", arguments[64];
    int fd = mkstemp(path), status;

    assert_true(fd >= 0);
    close(fd);
    snprintf(arguments, sizeof(arguments), "run %s", path);
    status = run_ctl(play, arguments);
    unlink(path);
    return status;
}

/* The command `run` loads, arms and starts. After a refusal no further command is sent. */
static void test_run(void **state)
{
    (void)state;
    assert_int_equal(run_model(FITS), 0);
    assert_output("ready (four-bar");
    assert_output("\narmed: " PROOF "\n");
    assert_output("\nrunning (four-bar");
    assert_int_equal(run_model(UNPROVEN), 1);
    assert_output("not armed: " REASON);
    assert_null(strstr(stage.output, "running"));
    assert_int_equal(run_ctl(FITS, "run /nowhere/model.yaml"), 1);
    assert_output("/nowhere/model.yaml: cannot be read (No such file");
}

static void test_status(void **state)
{
    (void)state;
    assert_int_equal(run_ctl(FITS, "arm"), 0);
    assert_int_equal(run_ctl(FITS, "status"), 0);
    assert_output("proof         " PROOF "\n");
    assert_output("late          3 late wake-ups, 0 long computations");
    assert_output("simulated     0.250000 s behind wall time\n");
    assert_int_equal(run_ctl(FITS, "status --json"), 0);
    assert_output("\"late_wakeups\":3,\"late_wakeup_step\":77,\"long_computations\":0,");
    assert_output("\"throttled\":0,\"behind_s\":0.25");
    assert_output("\"proof\":{\"valid\":false");
    assert_int_equal(run_ctl(FOREVER, "arm --no-wait"), 0);
    assert_int_equal(run_ctl(FOREVER, "status"), 0);
    assert_output("arming        25 %, 0 steps\n");
}

static void test_latency(void **state)
{
    (void)state;
    assert_int_equal(run_ctl(FITS, "latency"), 0);
    assert_output("wake-up             15.1        0.0        0.0       15.3           12\n");
    assert_int_equal(run_ctl(FITS, "latency --json"), 0);
    assert_output("\"buckets\":[[15103,7],[15359,5]]");
    assert_int_equal(run_ctl(FITS, "latency --histogram=20 --output -"), 0);
    assert_output("\n000014 000004\t000000\t000004\n000015 000008\t000000\t000008\n");
    assert_output("\n000019 000000\t000000\t000000\n# Total: 000000012 000000000 000000012\n");
    assert_int_equal(run_ctl(FITS, "latency --watch -n 2 --json"), 0);
    assert_non_null(strchr(strchr(stage.output, '\n') + 1, '\n'));
    assert_int_equal(run_ctl(OLD, "latency"), 1);
    assert_string_equal(stage.output, "linkagectl: the daemon sent no evidence\n");
}

static void test_files(void **state)
{
    char arguments[200], path[100];
    FILE *file;

    (void)state;
    snprintf(path, sizeof(path), "/tmp/linkage-test-trace-%d", (int)getpid());
    snprintf(arguments, sizeof(arguments), "trace --cycles 7 --output %s", path);
    assert_int_equal(run_ctl(FITS, arguments), 0);
    assert_int_equal(actor.cycles, 7);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(stage.output, sizeof(stage.output), file));
    fclose(file);
    assert_string_equal(stage.output, TRACE);
    /* if the daemon refuses, the existing file is unchanged */
    assert_int_equal(run_ctl(OLD, arguments), 1);
    assert_int_equal(access(path, F_OK), 0);
    remove(path);

    assert_int_equal(run_ctl(FITS, "trace --output -"), 0);
    assert_string_equal(stage.output, TRACE);
    assert_int_equal(actor.cycles, 0);
    assert_int_equal(run_ctl(FITS, "latency --output /dev/full"), 1);
    assert_output("/dev/full: No space left on device");
    assert_int_equal(run_ctl(FITS, "latency --output /nowhere/x"), 1);
    assert_output("/nowhere/x: No such file");
}

static void test_usage(void **state)
{
    static const char *const wrong[] = {
        "trace",
        "arm --steps 0",
        "arm --steps 4294967296",
        "status --allow-degraded",
        "start --steps 5",
        "run --no-wait /dev/null",
        "latency --cycles 5",
        "latency --histogram=1000001",
        "latency --histogram=0",
        "latency --histogram --json",
        "latency --watch --output x",
        "latency --watch --histogram",
        "run",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (run_ctl(FITS, wrong[i]) != 2)
            fail_msg("exit status of '%s' is not 2", wrong[i]);
}

static void count_call(void *data, double progress)
{
    ++*(int *)data;
    assert_true(progress >= 0 && progress <= 1);
}

static void test_library(void **state)
{
    Linkage__V1__ArmRequest arm = LINKAGE__V1__ARM_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_client *client;
    struct lk_error error;
    const char *text;
    int calls = 0;

    (void)state;
    assert_int_equal(lk_client_open(stage.endpoint, 1000 * PATIENCE_S, &client, NULL), 0);
    actor.play = FITS;
    assert_int_equal(
        lk_client_arm(client, &arm, 1000 * PATIENCE_S, count_call, &calls, &reply, &error), 0);
    assert_true(lk_client_is_armed(reply, &text));
    assert_string_equal(text, PROOF);
    assert_int_equal(calls, 4);
    actor.play = FOREVER;
    assert_int_equal(lk_client_arm(client, &arm, 0, NULL, NULL, &reply, &error), 0);
    assert_false(lk_client_is_armed(reply, &text));
    assert_int_equal(lk_client_arm(client, &arm, 300, NULL, NULL, &reply, &error),
                     LK_CLIENT_E_BUSY);
    assert_non_null(strstr(error.text, "still arming"));
    lk_client_close(client);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arm),     cmocka_unit_test(test_arm_refused),
        cmocka_unit_test(test_run),     cmocka_unit_test(test_status),
        cmocka_unit_test(test_latency), cmocka_unit_test(test_files),
        cmocka_unit_test(test_usage),   cmocka_unit_test(test_library),
    };

    if (argc != 2) {
        fprintf(stderr, "usage: %s LINKAGECTL\n", argv[0]);
        return 2;
    }
    stage.ctl = argv[1];
    stage.play = answer;
    return cmocka_run_group_tests(tests, raise_curtain, lower_curtain);
}
