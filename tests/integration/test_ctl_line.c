/* SPDX-License-Identifier: Apache-2.0 */
/* linkagectl's commands for the bench line, against a simulated daemon: their requests, and the
 * output for the replies. */
#include "client.h"
#include "stage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ASKED(kind) LINKAGE__V1__CONTROL_REQUEST__COMMAND_##kind
#define N(list)     (sizeof(list) / sizeof((list)[0]))

/* @bytes, @size: the first requests since linkagectl was started, @n_requests of them
 * @refuse:       result of the replies, RESULT_OK: as requested */
static struct {
    _Atomic int n_requests;
    _Atomic Linkage__V1__Result refuse;
    unsigned char bytes[8][4096];
    size_t size[8];
} actor;

static struct rig_stage stage;

/* ---- replies of the daemon ---- */

static Linkage__V1__InputsReport *play_inputs(void)
{
    static Linkage__V1__InputsReport report = LINKAGE__V1__INPUTS_REPORT__INIT;
    static Linkage__V1__InputReport motor = LINKAGE__V1__INPUT_REPORT__INIT;
    static Linkage__V1__InputReport wind = LINKAGE__V1__INPUT_REPORT__INIT;
    static Linkage__V1__InputReport *inputs[] = {&motor, &wind};
    static Linkage__V1__ClaimReport claim = LINKAGE__V1__CLAIM_REPORT__INIT;
    static Linkage__V1__ClaimReport *claims[] = {&claim};
    static Linkage__V1__Refusals refusals = LINKAGE__V1__REFUSALS__INIT;
    static double values[] = {1.5, 0.25, -3}, acting[] = {1.25, 0, 0};
    static char *channels[] = {(char *)"wind"};

    motor.channel = (char *)"motor";
    motor.values = values;
    motor.acting = acting;
    motor.n_values = motor.n_acting = 1;
    motor.acting_action = LINKAGE__V1__ACTION__ACTION_COUNT;
    wind.channel = (char *)"wind";
    wind.bench = (char *)"tunnel";
    wind.values = values + 1;
    wind.acting = acting + 1;
    wind.n_values = wind.n_acting = 2;
    wind.stale = true;
    wind.acting_action = LINKAGE__V1__ACTION__ACTION_RAMP;
    wind.condition = LINKAGE__V1__CONDITION__CONDITION_LOST;
    wind.age_steps = 700;
    wind.trips = 2;
    wind.not_finite = 3;
    wind.out_of_range = 4;
    wind.rate_limited = 9;
    claim.number = 2;
    claim.bench = (char *)"tun\033nel";
    claim.channels = channels;
    claim.n_channels = 1;
    claim.silent_s = 1.25;
    claim.lost = true;
    claim.accepted = 100;
    claim.refused = 7;
    claim.gaps = 5;
    claim.heartbeats = 12;
    claim.peer = (char *)"rig-2";
    refusals.not_finite = 3;
    refusals.range = 4;
    report.inputs = inputs;
    report.n_inputs = 2;
    report.claims = claims;
    report.n_claims = 1;
    report.refusals = &refusals;
    return &report;
}

static Linkage__V1__Policy *play_policy(void)
{
    static Linkage__V1__Policy policy = LINKAGE__V1__POLICY__INIT;
    static Linkage__V1__PolicyRow late = LINKAGE__V1__POLICY_ROW__INIT;
    static Linkage__V1__PolicyRow stale = LINKAGE__V1__POLICY_ROW__INIT;
    static Linkage__V1__PolicyRow *rows[] = {&late, &stale};

    late.condition = LINKAGE__V1__CONDITION__CONDITION_LATE;
    late.action = LINKAGE__V1__ACTION__ACTION_COUNT;
    late.limit = (char *)"the next grid point";
    late.count = 14;
    late.last_step = 6545;
    stale.condition = LINKAGE__V1__CONDITION__CONDITION_STALE;
    stale.action = LINKAGE__V1__ACTION__ACTION_RAMP;
    stale.channel = (char *)"motor";
    stale.limit = (char *)"timeout 20 steps";
    stale.value = NAN;
    stale.ramp_s = 0.5;
    policy.rows = rows;
    policy.n_rows = 2;
    policy.recover_samples = 3;
    return &policy;
}

static Linkage__V1__InjectReport *play_injections(void)
{
    static Linkage__V1__InjectReport report = LINKAGE__V1__INJECT_REPORT__INIT;
    static Linkage__V1__Injection injection = LINKAGE__V1__INJECTION__INIT;
    static Linkage__V1__Injection *list[] = {&injection};

    injection.number = 1;
    injection.kind = LINKAGE__V1__INJECTION_KIND__INJECTION_DROP;
    injection.amount = 0.5;
    injection.active = true;
    injection.count = 321;
    report.injections = list;
    report.n_injections = 1;
    return &report;
}

static Linkage__V1__ModelDescription *play_description(void)
{
    static Linkage__V1__ModelDescription description = LINKAGE__V1__MODEL_DESCRIPTION__INIT;
    static Linkage__V1__ChannelDescription angle = LINKAGE__V1__CHANNEL_DESCRIPTION__INIT;
    static Linkage__V1__ChannelDescription motor = LINKAGE__V1__CHANNEL_DESCRIPTION__INIT;
    static Linkage__V1__ChannelDescription wind = LINKAGE__V1__CHANNEL_DESCRIPTION__INIT;
    static Linkage__V1__ChannelDescription *outputs[] = {&angle}, *inputs[] = {&motor, &wind};
    static Linkage__V1__FailSafe ramp = LINKAGE__V1__FAIL_SAFE__INIT;
    static char *components[] = {(char *)""}, *units[] = {(char *)"rad"};
    static char *axes[] = {(char *)"x", (char *)"y"}, *newtons[] = {(char *)"N", (char *)"N"};

    ramp.timeout_steps = 20;
    ramp.action = LINKAGE__V1__ACTION__ACTION_RAMP;
    motor.name = (char *)"motor";
    motor.components = components;
    motor.units = units;
    motor.n_components = motor.n_units = 1;
    motor.low = -2;
    motor.high = 3;
    motor.rate = 50;
    motor.period_s = 0.0078125;
    motor.delay_s = 0.015625;
    motor.fail_safe = &ramp;
    wind.name = (char *)"wind";
    wind.type = (char *)"force";
    wind.components = axes;
    wind.units = newtons;
    wind.n_components = wind.n_units = 2;
    wind.offset = 1;
    wind.low = -INFINITY;
    wind.high = wind.rate = INFINITY;
    description.inputs = inputs;
    description.n_inputs = 2;
    description.step_s = 0.001;

    angle.name = (char *)"angle";
    angle.components = components;
    angle.units = units;
    angle.n_components = angle.n_units = 1;
    description.outputs = outputs;
    description.n_outputs = 1;
    return &description;
}

static Linkage__V1__OutputSample *play_outputs(void)
{
    static Linkage__V1__OutputSample sample = LINKAGE__V1__OUTPUT_SAMPLE__INIT;
    static double value = 0.75;

    sample.step = 50;
    sample.time_s = 0.05;
    sample.state = LINKAGE__V1__STATE__STATE_RUNNING;
    sample.flags = 8;
    sample.values = &value;
    sample.n_values = 1;
    return &sample;
}

static void fill_status(Linkage__V1__Status *status, Linkage__V1__Recording *recording)
{
    recording->active = true;
    recording->file = (char *)"run.mcap";
    recording->cycles = 1000;
    recording->dropped = 2;
    recording->bytes = 4096;
    recording->trouble = (char *)"the disk does not follow";
    status->state = LINKAGE__V1__STATE__STATE_RUNNING;
    status->model = (char *)"four-bar";
    status->mode = LINKAGE__V1__MODE__MODE_LOCKSTEP;
    status->flags = 1 | 16;
    status->claims = 2;
    status->streams = 3;
    status->trips = 4;
    status->turned_away = 5;
    status->forbidden = 6;
    status->line_restarts = 7;
    status->exchange_priority = 40;
    status->exchange_normal = (char *)"no core";
    status->role = LINKAGE__V1__ROLE__ROLE_CONTROL;
    status->version = (char *)"9.9";
    status->recording = recording;
}

static void fill_reply(const Linkage__V1__ControlRequest *request, Linkage__V1__ControlReply *reply)
{
    switch (request->command_case) {
    case ASKED(INPUTS):
        reply->inputs = play_inputs();
        break;
    case ASKED(POLICY):
        reply->policy = play_policy();
        break;
    case ASKED(INJECT):
        reply->injections = play_injections();
        break;
    case ASKED(DESCRIBE):
        reply->description = play_description();
        break;
    case ASKED(STEP):
        reply->outputs = play_outputs();
        break;
    default:
        break;
    }
}

static void answer(const Linkage__V1__ControlRequest *request, const uint8_t *data, size_t size)
{
    Linkage__V1__ControlReply reply = LINKAGE__V1__CONTROL_REPLY__INIT;
    Linkage__V1__Status status = LINKAGE__V1__STATUS__INIT;
    Linkage__V1__Recording recording = LINKAGE__V1__RECORDING__INIT;
    int i = actor.n_requests % (int)N(actor.bytes);

    memcpy(actor.bytes[i], data, size);
    actor.size[i] = size;
    actor.n_requests++;
    reply.id = request->id;
    reply.result = actor.refuse;
    if (actor.refuse == LINKAGE__V1__RESULT__RESULT_OK) {
        fill_reply(request, &reply);
    } else {
        reply.text = (char *)"no, because";
        reply.id_of_error = (char *)"LK-3001";
    }
    fill_status(&status, &recording);
    reply.status = &status;
    rig_stage_reply(&stage, &reply);
}

static int raise_curtain(void **state)
{
    (void)state;
    actor.refuse = LINKAGE__V1__RESULT__RESULT_OK;
    return rig_stage_open(&stage);
}

static int lower_curtain(void **state)
{
    (void)state;
    return rig_stage_close(&stage);
}

/* Run linkagectl with @arguments.
 * Return: its exit status */
static int run_ctl(const char *arguments)
{
    actor.n_requests = 0;
    return rig_stage_run(&stage, arguments);
}

static void assert_output(const char *part)
{
    rig_stage_says(&stage, part);
}

/* Return request @i of the last run of linkagectl, which must be of kind @kind. */
static const Linkage__V1__ControlRequest *request(struct lk_wire_arena *arena, int i,
                                                  Linkage__V1__ControlRequest__CommandCase kind)
{
    const Linkage__V1__ControlRequest *decoded;

    assert_true(i < actor.n_requests);
    assert_int_equal(lk_wire_decode_request(arena, actor.bytes[i], actor.size[i], &decoded), 0);
    assert_int_equal(decoded->command_case, kind);
    return decoded;
}

/* ---- the tests ---- */

static void test_inputs(void **state)
{
    (void)state;
    assert_int_equal(run_ctl("inputs"), 0);
    assert_output("motor               -                   1.5                     1.25        ");
    assert_output("            0  ok                       0         0         0\n");
    assert_output("wind                tunnel              0.25 -3                 0 0         ");
    assert_output("          700  ramp (lost)              2         7         9\n");
    assert_output("tun?nel                  2  1.250 s, lost            100         7       5"
                  "          12  wind  (key rig-2)\n");
    assert_output("samples refused: 3 not finite, 4 beyond the limits\n");
    assert_output("inputs without limits, any value acts: 1: wind\n");
    assert_output("inputs without a rate, any jump acts: 1: wind\n");

    assert_int_equal(run_ctl("inputs --json"), 0);
    assert_output("{\"result\":\"ok\",\"inputs\":[{\"channel\":\"motor\",\"bench\":\"\",");
    assert_output("\"commanded\":[0.25,-3],\"acting\":[0,0],\"stale\":true,\"action\":\"ramp\","
                  "\"condition\":\"lost\",\"age_steps\":700,");
    assert_output("\"silent_s\":1.25,\"lost\":true,\"accepted\":100,");
    assert_output("\"refusals\":{\"undecodable\":0,\"length\":0,\"not_finite\":3,");
    assert_output("\"without_limits\":1,\"without_rate\":1}");
}

static void test_channels(void **state)
{
    (void)state;
    assert_int_equal(run_ctl("channels"), 0);
    assert_output(
        "  motor                         -2           3          50           0   0.0078125"
        "    0.015625  [rad]  ramp after 20 steps\n");
    assert_output(
        "  wind                        none        none        none           0       0.001"
        "           0  x y [N]  never stale\n");
    assert_output("outputs\n  angle               [rad]\n");
    assert_int_equal(run_ctl("channels --json"), 0);
    assert_output("{\"result\":\"ok\",");
    assert_output("\"low\":-2,\"high\":3,\"rate\":50,\"initial\":0,\"period_s\":0.0078125,"
                  "\"delay_s\":0.015625,\"horizon_s\":0,\"fail_safe\":{\"timeout_steps\":20,"
                  "\"action\":\"ramp\",");
    assert_output("\"name\":\"wind\",\"type\":\"force\",\"frame\":\"\",\"offset\":1,"
                  "\"components\":[\"x\",\"y\"],\"units\":[\"N\",\"N\"],\"low\":null,");
}

/* If nothing is published, waiting for a number of rows ends with a message. */
static void test_watch_in_vain(void **state)
{
    (void)state;
    assert_int_equal(run_ctl("watch --count 3 --outputs ipc:///tmp/linkage-test-ctl-none -t 1.5"),
                     4);
    assert_string_equal(stage.output, "linkagectl: no sample for 1.5 s, the daemon is in state "
                                      "'running'; 0 of 3 came\n");
}

/* One message, whatever the mistake is. */
static void test_one_line(void **state)
{
    static const char *const wrong[] = {"dance",           "--dance",     "status --count",
                                        "status --json=1", "-x status",   "status --o x",
                                        "record dance",    "set motor x", "trace"};
    static const char *const words[] = {"record dance",    "record stop x",   "set motor x",
                                        "step 0",          "step --set a=b",  "inject nonsense",
                                        "inject --seed 3", "watch --every .5"};

    (void)state;
    for (size_t i = 0; i < N(wrong); i++) {
        int status = run_ctl(wrong[i]);

        if (status != 2 || strncmp(stage.output, "linkagectl: ", 12) ||
            strchr(stage.output, '\n') != strrchr(stage.output, '\n'))
            fail_msg("'%s' ends with %d, expected 2 and a line: %s", wrong[i], status,
                     stage.output);
    }
    /* mistakes found before the connection to the daemon and before its keys are read */
    for (size_t i = 0; i < N(words); i++) {
        char line[200];

        snprintf(line, sizeof(line), "--server-key none --key none %s", words[i]);
        if (run_ctl(line) != 2 || strstr(stage.output, "none") != NULL)
            fail_msg("'%s' is not refused at once: %s", line, stage.output);
    }
    run_ctl("--dance");
    assert_output("there is no option --dance");
    run_ctl("status --count");
    assert_output("--count needs a value");
}

static void test_policy(void **state)
{
    (void)state;
    assert_int_equal(run_ctl("policy"), 0);
    assert_output("late        -                 count                                             "
                  "14        6545  the next grid point\n");
    assert_output("stale       motor             ramp    to its initial value in 0.5 s ");
    assert_output("an input acts again after 3 good samples in a row\n");
    assert_int_equal(run_ctl("policy --json"), 0);
    assert_output("{\"condition\":\"stale\",\"channel\":\"motor\",\"action\":\"ramp\","
                  "\"limit\":\"timeout 20 steps\",\"value\":null,\"ramp_s\":0.5,");
    assert_output("\"recover_samples\":3}");
}

static void test_inject(void **state)
{
    struct lk_wire_arena *arena = *state;
    const Linkage__V1__InjectRequest *inject;

    assert_int_equal(run_ctl("inject"), 0);
    inject = request(arena, 0, ASKED(INJECT))->inject;
    assert_int_equal(inject->n_add, 0);
    assert_false(inject->clear);
    assert_output("   1  drop     all                        0.5       0        0        0        0"
                  "         321  active\n");

    assert_int_equal(run_ctl("inject spike --target motor --amount -2.5 --share 0.1 --after 1 "
                             "--for 2 --seed 7 --clear"),
                     0);
    inject = request(arena, 0, ASKED(INJECT))->inject;
    assert_true(inject->clear);
    assert_int_equal(inject->n_add, 1);
    assert_int_equal(inject->add[0]->kind, LINKAGE__V1__INJECTION_KIND__INJECTION_SPIKE);
    assert_string_equal(inject->add[0]->target, "motor");
    assert_true(inject->add[0]->amount == -2.5 && inject->add[0]->share == 0.1);
    assert_true(inject->add[0]->after_s == 1 && inject->add[0]->for_s == 2);
    assert_int_equal(inject->add[0]->seed, 7);

    assert_int_equal(run_ctl("inject --clear --json"), 0);
    assert_int_equal(request(arena, 0, ASKED(INJECT))->inject->n_add, 0);
    assert_output("{\"result\":\"ok\",\"injections\":[{\"number\":1,\"kind\":\"drop\",");
    assert_int_equal(run_ctl("inject stall --amount 0.001 --every 0.5"), 0);
    assert_true(request(arena, 0, ASKED(INJECT))->inject->add[0]->every_s == 0.5);
}

static void test_record(void **state)
{
    struct lk_wire_arena *arena = *state;

    assert_int_equal(run_ctl("record start tuesday"), 0);
    assert_string_equal(request(arena, 0, ASKED(RECORD))->record->name, "tuesday");
    assert_false(request(arena, 0, ASKED(RECORD))->record->stop);
    assert_string_equal(stage.output, "recording run.mcap, 1000 cycles, 2 dropped, 4096 bytes\n"
                                      "trouble: the disk does not follow\n");
    assert_int_equal(run_ctl("record start"), 0);
    assert_string_equal(request(arena, 0, ASKED(RECORD))->record->name, "");
    assert_int_equal(run_ctl("record status"), 0);
    assert_int_equal(request(arena, 0, ASKED(STATUS))->command_case, ASKED(STATUS));
    assert_string_equal(stage.output, "recording run.mcap, 1000 cycles, 2 dropped, 4096 bytes\n"
                                      "trouble: the disk does not follow\n");
    assert_int_equal(run_ctl("record stop --json"), 0);
    assert_true(request(arena, 0, ASKED(RECORD))->record->stop);
    assert_output("\"recording\":{\"active\":true,\"file\":\"run.mcap\",");
}

/* Settings are sent first, in their order; then the steps, each request with the largest number
 * that the contract allows. */
static void test_step(void **state)
{
    struct lk_wire_arena *arena = *state;
    const Linkage__V1__SetRequest *set;
    uint64_t number;

    assert_int_equal(run_ctl("step 25000 --set motor=1.5 --set wind=0,-1e-3"), 0);
    assert_int_equal(actor.n_requests, 6);
    set = request(arena, 1, ASKED(SET))->set;
    assert_string_equal(set->channel, "motor");
    assert_int_equal(set->n_values, 1);
    assert_true(set->values[0] == 1.5);
    assert_false(set->force);
    set = request(arena, 2, ASKED(SET))->set;
    assert_int_equal(set->n_values, 2);
    assert_true(set->values[1] == -1e-3);
    assert_int_equal(request(arena, 3, ASKED(STEP))->step->steps, 10000);
    number = request(arena, 3, ASKED(STEP))->step->number;
    assert_int_equal(request(arena, 5, ASKED(STEP))->step->steps, 5000);
    assert_true(request(arena, 5, ASKED(STEP))->step->number > number && number > 0);
    assert_output("t = 0.050 s, step 50, running, 0 samples lost; rate-limited\n");
    assert_output("angle [rad]                          0.75\n");

    assert_int_equal(run_ctl("step --json"), 0);
    assert_int_equal(request(arena, 1, ASKED(STEP))->step->steps, 1);
    assert_output("\"step\":50,");
    assert_output("\"flags\":[\"rate-limited\"],\"values\":{\"angle\":[0.75]}}");
}

static void test_modes_and_options(void **state)
{
    struct lk_wire_arena *arena = *state;

    assert_int_equal(run_ctl("arm --no-wait --mode lockstep"), 0);
    assert_int_equal(request(arena, 0, ASKED(ARM))->arm->mode, LINKAGE__V1__MODE__MODE_LOCKSTEP);
    assert_int_equal(run_ctl("start --pause-after 5000000000"), 0);
    assert_int_equal(request(arena, 0, ASKED(START))->start->steps, 5000000000);
    assert_int_equal(run_ctl("set --force motor -1"), 0);
    assert_true(request(arena, 0, ASKED(SET))->set->force);
    assert_int_equal(run_ctl("set motor -1 --force --json"), 0);
    assert_true(request(arena, 0, ASKED(SET))->set->force);
    assert_true(request(arena, 0, ASKED(SET))->set->values[0] == -1);
}

static void test_status(void **state)
{
    (void)state;
    assert_int_equal(run_ctl("status"), 0);
    assert_output("mode          lockstep\n");
    assert_output("flags         degraded, injected\n");
    assert_output("line          2 claims, 3 streams, 4 inputs tripped\n");
    assert_output("              restarted 7 times; the log says why\n");
    assert_output("              samples come and go at priority 40\n");
    assert_output(
        "              samples come and go at normal priority, late under load: no core\n");
    assert_output("security      5 connections turned away, 6 requests and samples beyond their "
                  "role\n");
    assert_output("recording     run.mcap: 1000 cycles, 2 dropped, 4096 bytes; the disk does not "
                  "follow\n");
    assert_int_equal(run_ctl("status --json"), 0);
    assert_output("\"mode\":\"lockstep\",\"flags\":[\"degraded\",\"injected\"],");
    assert_output("\"version\":\"9.9\",\"role\":\"control\",\"claims\":2,\"streams\":3,\"trips\":4,"
                  "\"turned_away\":5,\"forbidden\":6,\"line_restarts\":7,\"exchange_priority\":40,"
                  "\"exchange_normal\":\"no core\","
                  "\"recording\":{");
}

static void test_refusals(void **state)
{
    static const char *const commands[] = {"inputs",      "policy", "inject",
                                           "record stop", "step",   "channels"};

    (void)state;
    actor.refuse = LINKAGE__V1__RESULT__RESULT_FORBIDDEN;
    for (size_t i = 0; i < N(commands); i++) {
        char with_json[40];

        assert_int_equal(run_ctl(commands[i]), 1);
        assert_string_equal(stage.output, "linkagectl: LK-3001: no, because\n");
        snprintf(with_json, sizeof(with_json), "%s --json", commands[i]);
        assert_int_equal(run_ctl(with_json), 1);
        assert_output("{\"result\":\"forbidden\",\"text\":\"no, because\",\"id\":\"LK-3001\"");
    }
    actor.refuse = LINKAGE__V1__RESULT__RESULT_OK;
}

static void test_usage(void **state)
{
    static const char *const wrong[] = {
        "inject sabotage",
        "inject --amount 1",
        "inject delay --amount nan",
        "inject delay --amount soon",
        "inject spike --seed 0",
        "record",
        "record pause",
        "record status now",
        "record stop now",
        "step 0",
        "step -1",
        "step 1 --set motor",
        "step 1 --set motor=",
        "step 1 --set motor=1,",
        "step 1 --set motor=one",
        "watch --every 0.5",
        "status --every 5",
        "inputs --force",
        "arm --mode sleep",
        "arm --pause-after 5",
        "status --key /dev/null",
        "policy motor",
    };

    const char *options = getenv("ASAN_OPTIONS");
    char *kept = options ? strdup(options) : NULL;
    int status;

    (void)state;
    /* libzmq leaks one of its own messages if a connection ends immediately after its start */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    for (size_t i = 0; i < N(wrong); i++)
        if ((status = run_ctl(wrong[i])) != 2)
            fail_msg("exit status of '%s' is %d, not 2: %s", wrong[i], status, stage.output);
    if (kept)
        setenv("ASAN_OPTIONS", kept, 1);
    else
        unsetenv("ASAN_OPTIONS");
    free(kept);
    assert_int_equal(run_ctl("status --key /nowhere --server-key /nowhere"), 1);
    assert_output("/nowhere");
}

int main(int argc, char *argv[])
{
    static struct lk_wire_arena arena;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_watch_in_vain),
        cmocka_unit_test(test_one_line),
        cmocka_unit_test(test_policy),
        cmocka_unit_test_prestate(test_inject, &arena),
        cmocka_unit_test_prestate(test_record, &arena),
        cmocka_unit_test_prestate(test_step, &arena),
        cmocka_unit_test_prestate(test_modes_and_options, &arena),
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_usage),
    };
    int failed;

    if (argc != 2 || lk_wire_arena_init(&arena, LK_WIRE_CONTROL_ARENA) != 0) {
        fprintf(stderr, "usage: %s LINKAGECTL\n", argv[0]);
        return 2;
    }
    stage.ctl = argv[1];
    stage.timeout_s = 60; /* only a broken program takes that long */
    stage.play = answer;
    failed = cmocka_run_group_tests(tests, raise_curtain, lower_curtain);
    lk_wire_arena_fini(&arena);
    return failed;
}
