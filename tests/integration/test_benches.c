/* SPDX-License-Identifier: Apache-2.0 */
/* Benches that own inputs, die in the middle of a motion, return, or claim channels of another
 * bench; and the values that act meanwhile. With a real daemon and real sockets. */
#include "benches.h"
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

/* Time-out of a silent bench [steps]: longer than hangs of the machine while a bench sends,
 * otherwise the bench would never recover. */
#if SANITIZED
#define TIMEOUT "150"
#else
#define TIMEOUT "500"
#endif

static void says(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("'%s' does not say '%s'", text, words);
}

/* Two benches send to their channels, and the outputs show the values with their sequence
 * numbers. */
static void test_two_claimants(void **state)
{
    const double pushed[3] = {1, 2, 3};
    const Linkage__V1__ControlReply *reply;
    const Linkage__V1__OutputSample *sample;
    struct bench left, right;
    struct harness h;
    uint64_t model_id;

    (void)state;
    model_id = benches_open(&h, "inputs: {lease: 60}\npolicy: {stale: count}\n");
    bench_open(&left, &h);
    bench_open(&right, &h);
    reply = bench_ask_claim(&left, "left", "torque", NULL);
    assert_int_equal(reply->result, RESULT(OK));
    assert_int_equal(reply->claim->model_id, model_id);
    assert_int_equal(reply->claim->number, 1);
    assert_true(fabs(reply->claim->lease_s - 60) < 1e-9);
    assert_true(reply->claim->daemon_id != 0);
    assert_int_equal(reply->claim->n_channels, 1);
    assert_string_equal(reply->claim->channels[0]->name, "torque");
    assert_string_equal(reply->claim->channels[0]->units[0], "N m");
    reply = bench_ask_claim(&right, "right", "push", "torque");
    assert_int_equal(reply->result, RESULT(CLAIMED));
    says(reply->text, "'torque' belongs to bench 'left'");
    assert_null(reply->claim);
    reply = bench_ask_claim(&right, "right", "motor", "push");
    assert_int_equal(reply->result, RESULT(OK));
    assert_int_equal(reply->claim->channels[1]->offset, 1);
    assert_int_equal(harness_command(&h, STATUS)->status->claims, 2);

    harness_go(&h);
    bench_send(&left, (const double[]){-4}, 1);
    bench_send(&right, (const double[]){6, pushed[0], pushed[1], pushed[2]}, 4);
    benches_await_acting(&h, "torque", -4);
    benches_await_acting(&h, "motor", 6);
    assert_true(benches_input(&h, "push")->acting[2] == 3);
    assert_string_equal(benches_input(&h, "push")->bench, "right");
    do
        sample = harness_sample(&h, PATIENCE_MS);
    while (sample && sample->n_echoes < 2);
    assert_non_null(sample);
    assert_int_equal(sample->echoes[0]->claim + sample->echoes[1]->claim, 3);
    assert_int_equal(benches_claim(&h, "left")->accepted, 1);
    assert_true(benches_claim(&h, "left")->silent_s >= 0);

    /* claimed channels cannot be set by hand, except with force */
    assert_int_equal(harness_set(&h, "torque", (const double[]){2}, 1)->result, RESULT(CLAIMED));
    assert_int_equal(bench_ask_release(&left)->result, RESULT(OK));
    benches_await_acting(&h, "torque", 1); /* the initial value */
    assert_int_equal(harness_set(&h, "torque", (const double[]){2}, 1)->result, RESULT(OK));
    benches_await_acting(&h, "torque", 2);
    assert_int_equal(bench_ask_release(&left)->result, RESULT(BAD_TOKEN));
    bench_close(&left);
    bench_close(&right);
    harness_close(&h);
}

/* Without a claim samples are refused, unless the configuration permits them; refusals are counted
 * by reason. */
static void test_refused_samples(void **state)
{
    const Linkage__V1__InputsReport *inputs;
    struct bench anonymous, bench;
    struct harness h;

    (void)state;
    benches_open(&h, "inputs: {lease: 60}\npolicy: {stale: count}\n");
    bench_open(&anonymous, &h);
    bench_open(&bench, &h);
    bench_send(&anonymous, (const double[]){1, 1, 1, 1, 1}, 5);
    bench_claim(&bench, "bench", "torque", NULL);
    bench_send(&bench, (const double[]){5}, 1);
    bench_send(&bench, (const double[]){NAN}, 1);
    bench_send(&bench, (const double[]){11}, 1);
    bench_send(&bench, (const double[]){1, 2}, 2);
    bench.sequence = 0;
    bench_send(&bench, (const double[]){6}, 1);
    bench.sequence = 9;
    bench.token++;
    bench_send(&bench, (const double[]){6}, 1);
    harness_send_bytes(&h, "garbage", 7, 0);
    harness_await_counts(&h, 1, 7);
    inputs = benches_inputs(&h);
    assert_int_equal(inputs->refusals->unclaimed, 1);
    assert_int_equal(inputs->refusals->not_finite, 1);
    assert_int_equal(inputs->refusals->range, 1);
    assert_int_equal(inputs->refusals->length, 1);
    assert_int_equal(inputs->refusals->not_newer, 1);
    assert_int_equal(inputs->refusals->token, 1);
    assert_int_equal(inputs->refusals->undecodable, 1);
    assert_int_equal(benches_input(&h, "torque")->not_finite, 1);
    assert_int_equal(benches_input(&h, "torque")->out_of_range, 1);
    assert_true(benches_input(&h, "torque")->values[0] == 5);
    assert_int_equal(benches_claim(&h, "bench")->refused, 4);
    bench_close(&anonymous);
    bench_close(&bench);
    harness_close(&h);
}

/* ---- a bench that dies ---- */

/* Send 8 for a while, then end without a message. */
static void die_mid_stroke(struct harness *h, struct bench *b, const char *config)
{
    benches_open(h, config);
    bench_open(b, h);
    bench_claim(b, "bench", "torque", NULL);
    harness_go(h);
    bench_feed(b, 8, 50);
    bench_close(b); /* disconnects without a message */
}

static void come_back(struct harness *h, struct bench *b)
{
    struct bench again = *b;

    bench_open(b, h);
    b->token = again.token;
    b->sequence = again.sequence;
    bench_feed_until(b, -3, "torque");
    bench_close(b);
}

static void test_dies_hold(void **state)
{
    const Linkage__V1__InputReport *input;
    uint64_t trips, age;
    struct harness h;
    struct bench b;

    (void)state;
    die_mid_stroke(&h, &b,
                   "inputs: {lease: 60}\npolicy: {stale: {action: hold, timeout: " TIMEOUT "}}\n");
    benches_await_flags(&h, FLAG(STALE) | FLAG(TRIPPED), FLAG(LOST) | FLAG(INJECTED));
    input = benches_await_acting(&h, "torque", 8);
    assert_true(input->stale);
    assert_int_equal(input->acting_action, ACTION(HOLD));
    assert_int_equal(input->condition, CONDITION(STALE));
    assert_true(input->age_steps > strtoull(TIMEOUT, NULL, 10));
    /* one trip for each silence, however long it is; hangs of the machine may have caused more */
    trips = input->trips;
    age = input->age_steps;
    assert_true(trips >= 1);
    while ((input = benches_input(&h, "torque"))->age_steps < age + 20)
        benches_nap(5);
    assert_int_equal(input->trips, trips);
    assert_int_equal(benches_policy(&h, CONDITION(STALE))->count, trips);
    come_back(&h, &b);
    benches_await_flags(&h, 0, FLAG(STALE) | FLAG(TRIPPED));
    harness_log_has(h.folder, "log", "LK-3008");
    harness_close(&h);
}

static void test_dies_zero(void **state)
{
    struct harness h;
    struct bench b;

    (void)state;
    die_mid_stroke(&h, &b,
                   "inputs: {lease: 60}\npolicy: {stale: {action: zero, timeout: " TIMEOUT "}}\n");
    assert_int_equal(benches_await_acting(&h, "torque", 0)->acting_action, ACTION(ZERO));
    come_back(&h, &b);
    harness_close(&h);
}

static void test_dies_ramp(void **state)
{
    const Linkage__V1__InputReport *input;
    struct harness h;
    struct bench b;

    (void)state;
    die_mid_stroke(&h, &b,
                   "inputs: {lease: 60, channels: {torque: {action: ramp, value: -2, ramp: 3,\n"
                   "         timeout: " TIMEOUT "}}}\npolicy: {stale: count}\n");
    for (int tries = 0; tries < 10; tries++) {
        do
            input = benches_input(&h, "torque");
        while (input->acting[0] == 8);
        if (input->acting[0] > -2)
            break;
        bench_open(&b, &h); /* the machine hung during the whole ramp */
        bench_feed_until(&b, 8, "torque");
        bench_close(&b);
    }
    assert_true(input->acting[0] > -2 && input->acting[0] < 8); /* on the ramp */
    assert_int_equal(benches_await_acting(&h, "torque", -2)->acting_action, ACTION(RAMP));
    come_back(&h, &b);
    harness_close(&h);
}

static void test_dies_fault(void **state)
{
    const Linkage__V1__Status *status;
    struct harness h;
    struct bench b;

    (void)state;
    die_mid_stroke(&h, &b,
                   "inputs: {lease: 60}\npolicy: {stale: {action: fault, timeout: " TIMEOUT "}}\n");
    do {
        benches_nap(5);
        status = harness_command(&h, STATUS)->status;
    } while (status->state == STATE(RUNNING));
    assert_int_equal(status->state, STATE(FAULT));
    harness_expect(&h, RESET, RESULT(OK), STATE(READY));
    assert_true(benches_input(&h, "torque")->values[0] == 1);
    assert_string_equal(benches_input(&h, "torque")->bench, "bench"); /* claims survive */
    harness_close(&h);
}

/* Heartbeats keep the claim but contain no values: the channel is stale, not lost. Without
 * heartbeats it is lost. */
static void test_lost(void **state)
{
    struct harness h;
    struct bench b;

    (void)state;
    benches_open(&h, "inputs: {lease: 2}\n"
                     "policy: {stale: count, lost: {action: ramp, value: 3, ramp: 0}}\n");
    bench_open(&b, &h);
    bench_claim(&b, "bench", "torque", NULL);
    harness_go(&h);
    bench_feed(&b, 8, 50);
    for (int i = 0; i < 40; i++) {
        bench_beat(&b);
        benches_nap(20);
    }
    benches_await_flags(&h, FLAG(STALE), 0);
    while (benches_claim(&h, "bench")->heartbeats < 40)
        benches_nap(5);
    assert_true(benches_input(&h, "torque")->stale);
    benches_await_acting(&h, "torque", 8);
    benches_await_lost(&h, "bench");
    benches_await_flags(&h, FLAG(LOST) | FLAG(TRIPPED), 0);
    assert_int_equal(benches_await_acting(&h, "torque", 3)->condition, CONDITION(LOST));
    bench_feed(&b, 5, 100);
    benches_await_acting(&h, "torque", 5); /* the owner continues to send */
    assert_false(benches_claim(&h, "bench")->lost);
    assert_true(benches_policy(&h, CONDITION(LOST))->count >= 1);
    says(benches_policy(&h, CONDITION(LOST))->limit, "lease 2 s");
    assert_true(harness_log_has(h.folder, "log", "bench 'bench' is lost"));
    assert_true(harness_log_has(h.folder, "log", "bench 'bench' is heard again"));
    bench_close(&b);
    harness_close(&h);
}

/* ---- successors ---- */

/* A bench that has lost its token must wait until the lease expires; the old token is then
 * invalid. */
static void test_take_over(void **state)
{
    const Linkage__V1__ControlReply *reply;
    struct bench old, new;
    struct harness h;

    (void)state;
    benches_open(&h, "inputs: {lease: 2}\npolicy: {stale: count}\n");
    bench_open(&old, &h);
    bench_open(&new, &h);
    bench_claim(&old, "old", "torque", "motor");
    bench_send(&old, (const double[]){7, 8}, 2);
    harness_await_counts(&h, 1, 0);
    reply = bench_ask_claim(&new, "new", "torque", NULL);
    assert_int_equal(reply->result, RESULT(CLAIMED));
    benches_await_lost(&h, "old");
    bench_claim(&new, "new", "torque", NULL);
    assert_true(harness_log_has(h.folder, "log", "LK-3004"));
    assert_true(harness_log_has(h.folder, "log", "'new' has taken channels from 'old'"));
    assert_true(benches_input(&h, "torque")->values[0] == 7); /* until the new bench sends */
    assert_true(benches_input(&h, "motor")->values[0] == 0);
    assert_string_equal(benches_input(&h, "motor")->bench, "");
    bench_send(&old, (const double[]){1, 1}, 2);
    bench_send(&new, (const double[]){2}, 1);
    harness_await_counts(&h, 2, 1);
    assert_true(benches_input(&h, "torque")->values[0] == 2);
    assert_int_equal(benches_inputs(&h)->refusals->token, 1);
    bench_close(&old);
    bench_close(&new);
    harness_close(&h);
}

/* A bench that restarts with its old token may claim at once. */
static void test_bench_restarts(void **state)
{
    struct bench b;
    struct harness h;
    uint64_t token;

    (void)state;
    benches_open(&h, "inputs: {lease: 60}\npolicy: {stale: count}\n");
    bench_open(&b, &h);
    bench_claim(&b, "bench", "torque", NULL);
    bench_feed(&b, 7, 20);
    harness_await_counts(&h, 20, 0);
    token = b.token;
    bench_close(&b);
    bench_open(&b, &h);
    assert_int_equal(bench_ask_claim(&b, "bench", "torque", NULL)->result, RESULT(CLAIMED));
    b.token = token;
    bench_claim(&b, "bench", "torque", NULL);
    assert_int_equal(b.number, 1);
    assert_int_equal(harness_log_count(&h, "has taken channels"), 0); /* no other owner */
    bench_feed(&b, 8, 1);                                             /* sequence numbers restart */
    harness_await_counts(&h, 21, 0);
    assert_true(benches_input(&h, "torque")->values[0] == 8);
    bench_close(&b);
    harness_close(&h);
}

static void kill_and_spawn(struct harness *h)
{
    char log[128];
    int status;

    kill(h->pid, SIGKILL);
    assert_int_equal(waitpid(h->pid, &status, 0), h->pid);
    snprintf(log, sizeof(log), "%s/log", h->folder);
    h->pid = harness_spawn((const char *const[]){"--config", h->config, NULL}, log, h->notify_fd);
    harness_notice(h, "READY=1");
}

/* The daemon was killed and restarted. The sockets of the bench reconnect, its token is refused,
 * and a claim with the old token is a new claim. */
static void test_daemon_restarts(void **state)
{
    const Linkage__V1__ControlReply *reply;
    uint64_t daemon_id;
    struct harness h;
    struct bench b;

    (void)state;
    benches_open(&h, "inputs: {lease: 60}\npolicy: {stale: count}\n");
    bench_open(&b, &h);
    daemon_id = bench_ask_claim(&b, "bench", "torque", NULL)->claim->daemon_id;
    harness_go(&h);
    bench_feed(&b, 7, 20);
    kill_and_spawn(&h);
    benches_load(&h);
    while (benches_inputs(&h)->refusals->token == 0)
        bench_feed(&b, 7, 5);
    reply = bench_ask_claim(&b, "bench", "torque", NULL);
    assert_int_equal(reply->result, RESULT(OK));
    assert_true(reply->claim->daemon_id != daemon_id);
    bench_feed(&b, 6, 20);
    while (benches_input(&h, "torque")->values[0] != 6)
        benches_nap(5);
    bench_close(&b);
    harness_close(&h);
}

/* Another model ends all claims. */
static void test_new_model(void **state)
{
    struct harness h;
    struct bench b;

    (void)state;
    benches_open(&h, "inputs: {lease: 60, channels: {nowhere: hold}}\npolicy: {stale: count}\n");
    assert_true(harness_log_has(h.folder, "log", "nowhere"));
    bench_open(&b, &h);
    bench_claim(&b, "bench", "torque", NULL);
    benches_load(&h);
    assert_int_equal(benches_inputs(&h)->n_claims, 0);
    bench_send(&b, (const double[]){5}, 1);
    harness_await_counts(&h, 0, 1);
    assert_int_equal(benches_inputs(&h)->refusals->token, 1);
    bench_close(&b);
    harness_close(&h);
}

/* ---- the policy ---- */

/* Refused samples trip the policy for their condition. */
static void test_policy_of_refusals(void **state)
{
    const Linkage__V1__InputReport *input;
    struct harness h;
    struct bench b;

    (void)state;
    benches_open(&h, "policy: {stale: count, lost: count, not_finite: zero, recover: 5,\n"
                     "         range: {action: ramp, value: 4, ramp: 0.05}}\n");
    bench_open(&b, &h);
    bench_claim(&b, "bench", "torque", "motor");
    harness_go(&h);
    for (int i = 0; i < 20; i++)
        bench_send(&b, (const double[]){8, 9}, 2);
    benches_await_acting(&h, "torque", 8);
    bench_send(&b, (const double[]){8, NAN}, 2);
    input = benches_await_acting(&h, "motor", 0);
    assert_int_equal(input->acting_action, ACTION(ZERO));
    assert_int_equal(input->condition, CONDITION(NOT_FINITE));
    benches_await_acting(&h, "torque", 8); /* this value is not the cause */
    for (int i = 0; i < 5; i++)
        bench_send(&b, (const double[]){8, 9}, 2);
    benches_await_acting(&h, "motor", 9);
    bench_send(&b, (const double[]){-11, 9}, 2);
    input = benches_await_acting(&h, "torque", 4);
    assert_int_equal(input->condition, CONDITION(RANGE));
    assert_int_equal(benches_policy(&h, CONDITION(RANGE))->count, 1);
    assert_int_equal(benches_policy(&h, CONDITION(RANGE))->action, ACTION(RAMP));
    assert_true(benches_policy(&h, CONDITION(RANGE))->value == 4);
    assert_true(benches_policy(&h, CONDITION(RANGE))->last_step > 0);
    assert_int_equal(benches_policy(&h, CONDITION(NOT_FINITE))->count, 1);
    assert_true(isnan(benches_policy(&h, CONDITION(NOT_FINITE))->value));
    assert_string_equal(benches_policy(&h, CONDITION(ENERGY))->limit, "energy that appears");
    bench_close(&b);
    harness_close(&h);
}

/* With optional claims, there is either one bench without a claim, or there are benches with
 * claims. */
static void test_anonymous(void **state)
{
    const double all[5] = {2, 3, 4, 5, 6};
    struct bench anonymous, b;
    struct harness h;

    (void)state;
    benches_open(&h, "inputs: {claims: optional, lease: 2}\npolicy: {stale: count}\n");
    bench_open(&anonymous, &h);
    bench_open(&b, &h);
    bench_send(&anonymous, all, 5);
    harness_await_counts(&h, 1, 0);
    bench_send(&anonymous, all, 5);
    assert_int_equal(bench_ask_claim(&b, "bench", "torque", NULL)->result, RESULT(CLAIMED));
    says(h.reply->text, "without a claim");
    while (bench_ask_claim(&b, "bench", "torque", NULL)->result == RESULT(CLAIMED))
        benches_nap(20);
    assert_int_equal(h.reply->result, RESULT(OK));
    bench_send(&anonymous, all, 5);
    harness_await_counts(&h, 2, 1);
    assert_int_equal(benches_inputs(&h)->refusals->unclaimed, 1);
    bench_close(&anonymous);
    bench_close(&b);
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_claimants),  cmocka_unit_test(test_refused_samples),
        cmocka_unit_test(test_dies_hold),      cmocka_unit_test(test_dies_zero),
        cmocka_unit_test(test_dies_ramp),      cmocka_unit_test(test_dies_fault),
        cmocka_unit_test(test_lost),           cmocka_unit_test(test_take_over),
        cmocka_unit_test(test_bench_restarts), cmocka_unit_test(test_daemon_restarts),
        cmocka_unit_test(test_new_model),      cmocka_unit_test(test_policy_of_refusals),
        cmocka_unit_test(test_anonymous),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
