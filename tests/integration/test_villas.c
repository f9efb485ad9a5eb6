/* SPDX-License-Identifier: Apache-2.0 */
/* A gateway that uses VILLASnode's sample format over real sockets. The gateway is a small client
 * that encodes and decodes the bytes of the format by hand according to its description. So the
 * test does not share a misunderstanding with the daemon. */
#include "harness.h"
#include "runs.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#define H_S     harness_step_s(0.002)
#define DIVISOR 5
#define NONE    UINT64_MAX

/* A wheel and a puck, at rest without inputs. */
static const char model[] =
    "linkage: 1\n"
    "name: table\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  wheel: {mass: 1, inertia: [2, 2, 2], position: [0, 0, 0]}\n"
    "  puck: {mass: 4, inertia: [1, 1, 1], position: [5, 0, 0]}\n"
    "joints:\n"
    "  axle: {type: revolute, bodies: [ground, wheel], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "inputs:\n"
    "  torque: {type: joint-torque, joint: axle, limits: [-100, 100]}\n"
    "  push: {type: body-force, body: puck, point: [5, 0, 0], frame: world}\n"
    "  spare: {type: body-torque, body: puck, frame: world}\n"
    "outputs:\n"
    "  rate: {type: joint-velocity, joint: axle}\n"
    "  puck: {type: point-velocity, body: puck, point: [5, 0, 0]}\n"
    "solver: {formulation: ali3, step: 0.002, iterations: 3}\n";

/* configuration in which a silent gateway has no effect; these effects are not tested here */
#define DEGRADED                                                                                   \
    "realtime: {degraded: allow, priority: 0, core: none}\n"                                       \
    "inputs: {claims: optional, lease: 3}\n"                                                       \
    "policy: {stale: count, lost: count}\n"

/** struct gateway - the client.
 * @ends: endpoints of the client, abstract sockets without a file */
struct gateway {
    struct harness h;
    char ends[2][64];
    void *out;
    void *in;
    bool heard;
};

static struct gateway g;

/* ---- bytes out ---- */

struct bytes {
    uint8_t data[4096];
    size_t n;
};

static void put_varint(struct bytes *b, uint64_t value)
{
    for (; value > 127; value >>= 7)
        b->data[b->n++] = (uint8_t)(value | 0x80);
    b->data[b->n++] = (uint8_t)value;
}

static void put_block(struct bytes *b, unsigned field, const void *data, size_t n)
{
    put_varint(b, field << 3 | 2);
    put_varint(b, n);
    memcpy(b->data + b->n, data, n);
    b->n += n;
}

static void put_f(struct bytes *sample, double value)
{
    uint8_t field[9] = {1 << 3 | 1};

    memcpy(field + 1, &value, 8);
    put_block(sample, 100, field, sizeof(field));
}

static void put_number(struct bytes *sample, unsigned kind, uint64_t value)
{
    struct bytes field = {.n = 0};

    put_varint(&field, kind << 3);
    put_varint(&field, value);
    put_block(sample, 100, field.data, field.n);
}

/* Begin a sample.
 * @sequence: number of the sample, NONE for a sample without a number */
static struct bytes begin_sample(unsigned type, uint64_t sequence)
{
    struct bytes sample = {.n = 0}, origin = {.n = 0};

    put_varint(&sample, 1 << 3);
    put_varint(&sample, type);
    if (sequence != NONE) {
        put_varint(&sample, 2 << 3);
        put_varint(&sample, sequence);
    }
    put_varint(&origin, 1 << 3);
    put_varint(&origin, 1700000000);
    put_varint(&origin, 2 << 3);
    put_varint(&origin, 12345);
    put_block(&sample, 3, origin.data, origin.n);
    return sample;
}

static void send_bytes(const void *data, size_t n, int flags)
{
    while (!g.heard) {
        char subscription[8];

        assert_true(zmq_recv(g.out, subscription, sizeof(subscription), 0) >= 0);
        g.heard = subscription[0] == 1;
    }
    assert_true(zmq_send(g.out, data, n, flags) >= 0);
}

static void send_samples(const struct bytes *samples, size_t n)
{
    struct bytes message = {.n = 0};

    for (size_t i = 0; i < n; i++)
        put_block(&message, 1, samples[i].data, samples[i].n);
    send_bytes(message.data, message.n, 0);
}

/* Send a sample with the positions of the configuration: push.y, torque, push.x, push.z. */
static void send_values(uint64_t sequence, double push_y, double torque, double push_x)
{
    struct bytes sample = begin_sample(1, sequence);

    put_f(&sample, push_y);
    put_f(&sample, torque);
    put_f(&sample, push_x);
    put_number(&sample, 2, (uint64_t)-8);
    send_samples(&sample, 1);
}

/* ---- bytes in ---- */

/** struct received - decoded message of the daemon */
struct received {
    uint64_t type;
    uint64_t sequence;
    uint64_t sec;
    uint64_t nsec;
    int n;
    double value[8];
};

static uint64_t get_varint(const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;

    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    fail_msg("a number without end");
    return 0;
}

/* Return the start and length of a length-delimited field. */
static const uint8_t *get_block(const uint8_t **at, const uint8_t *end, size_t *ret_n)
{
    const uint8_t *block;

    *ret_n = (size_t)get_varint(at, end);
    block = *at;
    assert_true(*ret_n <= (size_t)(end - block));
    *at += *ret_n;
    return block;
}

static void read_origin(const uint8_t *at, size_t n, struct received *m)
{
    const uint8_t *end = at + n;

    assert_int_equal(get_varint(&at, end), 1 << 3);
    m->sec = get_varint(&at, end);
    assert_int_equal(get_varint(&at, end), 2 << 3);
    m->nsec = get_varint(&at, end);
    assert_ptr_equal(at, end);
}

static void read_sample(const uint8_t *at, size_t n, struct received *m)
{
    const uint8_t *end = at + n, *block;

    while (at < end) {
        uint64_t tag = get_varint(&at, end);

        if (tag == 1 << 3) {
            m->type = get_varint(&at, end);
        } else if (tag == 2 << 3) {
            m->sequence = get_varint(&at, end);
        } else if (tag == (3 << 3 | 2)) {
            block = get_block(&at, end, &n);
            read_origin(block, n, m);
        } else {
            assert_int_equal(tag, 100 << 3 | 2);
            block = get_block(&at, end, &n);
            assert_int_equal(n, 9);
            assert_int_equal(block[0], 1 << 3 | 1);
            memcpy(&m->value[m->n++], block + 1, 8);
        }
    }
}

/* Receive the next message of the daemon.
 * Return: false if none came in time */
static bool receive(struct received *m, int timeout_ms)
{
    zmq_pollitem_t item = {.socket = g.in, .events = ZMQ_POLLIN};
    uint8_t data[1024];
    const uint8_t *at = data, *block;
    size_t length;
    int n, more = 1;
    size_t size = sizeof(more);

    *m = (struct received){0};
    if (zmq_poll(&item, 1, timeout_ms) != 1)
        return false;
    n = zmq_recv(g.in, data, sizeof(data), 0);
    assert_true(n > 0 && n < (int)sizeof(data));
    zmq_getsockopt(g.in, ZMQ_RCVMORE, &more, &size);
    assert_int_equal(more, 0);
    assert_int_equal(get_varint(&at, data + n), 1 << 3 | 2);
    block = get_block(&at, data + n, &length);
    assert_ptr_equal(at, data + n); /* exactly one sample */
    read_sample(block, length, m);
    return true;
}

/* ---- the rig ---- */

static void *connect_gateway(int type, const char *endpoint)
{
    void *socket = zmq_socket(g.h.context, type);
    const int zero = 0, patience = PATIENCE_MS;

    assert_non_null(socket);
    zmq_setsockopt(socket, ZMQ_LINGER, &zero, sizeof(zero));
    zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience, sizeof(patience));
    if (type == ZMQ_SUB)
        zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
    assert_int_equal(zmq_connect(socket, endpoint), 0);
    return socket;
}

static void open_rig(const char *text)
{
    static int times;
    char config[1024];

    g = (struct gateway){.heard = false};
    snprintf(g.ends[0], sizeof(g.ends[0]), "ipc://@linkaged-test-in-%d-%d", (int)getpid(), ++times);
    snprintf(g.ends[1], sizeof(g.ends[1]), "ipc://@linkaged-test-out-%d-%d", (int)getpid(), times);
    snprintf(config, sizeof(config),
             DEGRADED "villas:\n  inputs: %s\n  outputs: %s\n  divisor: %d\n"
                      "  in: [push.y, torque, push.x, push.z]\n  out: [puck.vy, rate, puck]\n",
             g.ends[0], g.ends[1], DIVISOR);
    harness_open(&g.h, config);
    assert_int_equal(harness_load(&g.h, "table.yaml", text)->result, RESULT(OK));
    g.out = connect_gateway(ZMQ_XPUB, g.ends[0]);
    g.in = connect_gateway(ZMQ_SUB, g.ends[1]);
}

static void close_rig(void)
{
    zmq_close(g.out);
    zmq_close(g.in);
    harness_close(&g.h);
}

static const Linkage__V1__InputsReport *ask_inputs(void)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__InputsRequest inputs = LINKAGE__V1__INPUTS_REQUEST__INIT;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INPUTS;
    request.inputs = &inputs;
    assert_int_equal(harness_ask(&g.h, &request)->result, RESULT(OK));
    assert_non_null(g.h.reply->inputs);
    return g.h.reply->inputs;
}

static const Linkage__V1__ControlReply *ask_claim(const char *bench, const char *channel_name)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ClaimRequest claim = LINKAGE__V1__CLAIM_REQUEST__INIT;
    Linkage__V1__ClaimedChannel channel = LINKAGE__V1__CLAIMED_CHANNEL__INIT;
    Linkage__V1__ClaimedChannel *channels[] = {&channel};

    channel.name = (char *)channel_name;
    claim.bench = (char *)bench;
    claim.channels = channels;
    claim.n_channels = 1;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_CLAIM;
    request.claim = &claim;
    return harness_ask(&g.h, &request);
}

static void release(uint64_t token)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ReleaseRequest give = LINKAGE__V1__RELEASE_REQUEST__INIT;

    give.token = token;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_RELEASE;
    request.release = &give;
    assert_int_equal(harness_ask(&g.h, &request)->result, RESULT(OK));
}

static void send_heartbeat(uint64_t token, uint64_t sequence)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;
    unsigned char buffer[64];
    size_t size;

    sample.sequence = sequence;
    sample.token = token;
    sample.heartbeat = 1;
    assert_int_equal(lk_wire_encode(&sample.base, buffer, sizeof(buffer), &size), 0);
    harness_send_bytes(&g.h, buffer, size, 0);
}

/* Return the bench that owns channel @index. */
static const char *owner_of(size_t index)
{
    const Linkage__V1__InputsReport *report = ask_inputs();

    assert_true(index < report->n_inputs);
    return report->inputs[index]->bench;
}

static void await_counts(uint64_t accepted, uint64_t refused)
{
    harness_await_counts(&g.h, accepted, refused);
}

static void check_values(double torque, double x, double y, double z)
{
    const Linkage__V1__InputsReport *report = ask_inputs();

    assert_int_equal(report->n_inputs, 3);
    assert_true(report->inputs[0]->values[0] == torque);
    assert_true(report->inputs[1]->values[0] == x);
    assert_true(report->inputs[1]->values[1] == y);
    assert_true(report->inputs[1]->values[2] == z);
}

/* ---- tests ---- */

/* Values act according to their position, and the echo contains the stamps of the gateway. */
static void test_inputs(void **state)
{
    const Linkage__V1__OutputSample *sample;

    (void)state;
    open_rig(model);
    assert_string_equal(owner_of(0), "villas");
    assert_string_equal(owner_of(1), "villas");
    assert_string_equal(owner_of(2), "");
    harness_go(&g.h);
    send_values(77, 1.5, -20, 3);
    await_counts(1, 0);
    check_values(-20, 3, 1.5, -8);
    do
        assert_non_null(sample = harness_sample(&g.h, PATIENCE_MS));
    while (sample->n_echoes == 0);
    assert_int_equal(sample->n_echoes, 1);
    assert_int_equal(sample->echoes[0]->claim, 1);
    assert_int_equal(sample->echoes[0]->sequence, 77);
    assert_int_equal(sample->echoes[0]->origin_ns, 1700000000000012345);
    close_rig();
}

/* A message has several samples. The newest one according to its number acts, and START and STOP
 * are skipped. */
static void test_several(void **state)
{
    struct bytes samples[4];

    (void)state;
    open_rig(model);
    for (int i = 0; i < 4; i++) {
        samples[i] = begin_sample((unsigned[]){2, 1, 1, 3}[i], (uint64_t[]){0, 12, 11, 99}[i]);
        put_number(&samples[i], 3, 1);
        put_f(&samples[i], i);
        put_f(&samples[i], 0);
        put_f(&samples[i], 0);
    }
    send_samples(samples, 4);
    await_counts(1, 0);
    check_values(1, 0, 1, 0);
    send_samples(samples + 3, 1); /* no values, and no error */
    send_samples(samples + 2, 1); /* an older number: refused */
    await_counts(1, 1);
    check_values(1, 0, 1, 0);
    close_rig();
}

#define FAR_MORE (400u << 10)

/* Every error is refused and counted, and the last good values stay active. */
static void test_refused(void **state)
{
    const uint8_t z[] = {4 << 3 | 2, 10, 1 << 3 | 5, 0, 0, 0, 0, 2 << 3 | 5, 0, 0, 0, 0};
    const Linkage__V1__InputsReport *report;
    struct bytes sample;
    uint8_t *large = calloc(1, FAR_MORE);

    (void)state;
    open_rig(model);
    send_values(10, 1, 2, 3);
    await_counts(1, 0);
    sample = begin_sample(1, 11);
    put_f(&sample, 1);
    send_samples(&sample, 1); /* too few */
    send_values(12, NAN, 0, 0);
    send_values(13, 0, 101, 0); /* beyond the limits of the motor */
    send_values(9, 0, 0, 0);
    sample = begin_sample(1, 14);
    for (int i = 0; i < 4; i++)
        put_block(&sample, 100, z, sizeof(z));
    send_samples(&sample, 1);
    sample = begin_sample(1, NONE);
    send_samples(&sample, 1);
    send_bytes("garbage", 7, 0);
    send_bytes("filter", 6, ZMQ_SNDMORE);
    send_bytes("payload", 7, 0);
    await_counts(1, 8);
    check_values(2, 3, 1, -8);
    report = ask_inputs();
    assert_int_equal(report->refusals->length, 1);
    assert_int_equal(report->refusals->not_finite, 1);
    assert_int_equal(report->refusals->range, 1);
    assert_int_equal(report->refusals->not_newer, 1);
    assert_int_equal(report->refusals->undecodable, 4);
    assert_int_equal(report->inputs[1]->not_finite, 1);
    assert_true(harness_log_has(g.h.folder, "log", "without a sequence number"));
    assert_true(harness_log_has(g.h.folder, "log", "no filter may be set"));
    send_values(20, 0, 0, 0);
    await_counts(2, 8);

    /* more than 64 KiB is refused. A far larger message disconnects the peer, which reconnects
     * without help and may lose its samples meanwhile. */
    send_bytes(large, 65537, 0);
    await_counts(2, 9);
    assert_true(harness_log_has(g.h.folder, "log", "too large"));
    send_bytes(large, FAR_MORE, 0);
    for (uint64_t i = 21; harness_command(&g.h, STATUS)->status->inputs_accepted < 3; i++) {
        send_values(i, 0, 5, 0);
        runs_nap();
    }
    check_values(5, 0, 0, -8);
    free(large);
    close_rig();
}

static double wall_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Return the step number of @m. Torque 6 acts from the first step on, so the angular rate is
 * proportional to the number of steps. */
static uint64_t step_of(const struct received *m)
{
    double steps = m->value[1] / (H_S * 6 / 2);

    assert_true(fabs(steps - round(steps)) < 1e-6);
    return (uint64_t)round(steps);
}

/* Every fifth step is sent, numbered without a gap, with wall-clock time and values according to
 * their position. */
static void test_outputs(void **state)
{
    struct received last = {0}, now;
    const Linkage__V1__Gateway *figures;
    double before = wall_time();
    int on_time = 0;

    (void)state;
    open_rig(model);
    send_values(1, 4, 6, 0);
    await_counts(1, 0);
    assert_false(receive(&now, 50)); /* no step, no message */
    harness_go(&g.h);
    assert_true(receive(&last, PATIENCE_MS));
    for (int i = 0; i < 40; i++) {
        double age;

        assert_true(receive(&now, PATIENCE_MS));
        assert_int_equal(now.type, 1);
        assert_int_equal(now.n, 5);
        assert_true(now.nsec < 1000000000);
        age = wall_time() - ((double)now.sec + (double)now.nsec * 1e-9);
        assert_true(age > -0.01 && age < wall_time() - before);
        /* 4 N and -8 N on 4 kg; torque 6 N m on 2 kg m2 gives three times the acceleration of 4
         * N */
        assert_true(fabs(now.value[0] - now.value[1] / 3) < 1e-9);
        assert_true(now.value[2] == 0 && now.value[3] == now.value[0]);
        assert_true(fabs(now.value[4] + 2 * now.value[0]) < 1e-9);
        assert_int_equal(now.sequence - last.sequence,
                         step_of(&now) / DIVISOR - step_of(&last) / DIVISOR);
        on_time += step_of(&now) % DIVISOR == 0;
        last = now;
    }
    assert_true(on_time > 0); /* at least one record is on time; late records are sent too */
    harness_expect(&g.h, PAUSE, RESULT(OK), STATE(PAUSED));
    while (receive(&now, 100))
        last = now;
    harness_expect(&g.h, STOP, RESULT(OK), STATE(ARMED));
    assert_true(harness_log_has(g.h.folder, "log",
                                "[LK-3016] gateway since the start: 1 sample taken, 0 refused"));
    figures = harness_expect(&g.h, STATUS, RESULT(OK), STATE(ARMED))->gateway;
    assert_non_null(figures);
    assert_int_equal(figures->accepted, 1);
    assert_int_equal(figures->refused + figures->undecodable, 0);
    assert_true(figures->sent >= last.sequence);
    harness_go(&g.h);
    assert_true(receive(&now, PATIENCE_MS));
    assert_true(now.sequence > last.sequence); /* the number continues in the next run */
    close_rig();
}

/* While the gateway is silent, another bench may claim its channels and keeps them while that bench
 * is alive. When the channels are free again, the daemon claims them again. It logs once why it
 * could not. */
static void test_claims(void **state)
{
    uint64_t token;

    (void)state;
    open_rig(model);
    send_values(1, 0, 1, 0);
    await_counts(1, 0);
    assert_int_equal(ask_claim("rig", "torque")->result, RESULT(CLAIMED));
    while (ask_claim("rig", "torque")->result != RESULT(OK)) /* the lease is 3 s */
        runs_nap();
    token = g.h.reply->claim->token;
    assert_string_equal(owner_of(0), "rig");
    send_values(2, 0, 9, 0);
    await_counts(1, 1);
    assert_true(ask_inputs()->inputs[0]->values[0] != 9);
    for (uint64_t i = 3;
         i < PATIENCE_MS / 5 && harness_log_count(&g.h, "retrying every second") == 0; i++) {
        send_values(i, 0, 9, 0);
        send_heartbeat(token, i);
        runs_nap();
    }
    assert_int_equal(harness_log_count(&g.h, "retrying every second"), 1);
    assert_string_equal(owner_of(0), "rig");
    await_counts(1, 1);
    release(token); /* refuses heartbeats still on their way */
    while (strcmp(owner_of(0), "villas") != 0)
        runs_nap();
    send_values(PATIENCE_MS, 0, 9, 0);
    while (harness_command(&g.h, STATUS)->status->inputs_accepted < 2)
        runs_nap();
    check_values(9, 0, 0, -8);
    close_rig();
}

/* Another model ends all claims. The gateway continues with the new model without a
 * notification. */
static void test_another_model(void **state)
{
    struct received m;

    (void)state;
    open_rig(model);
    send_values(1, 0, 1, 0);
    await_counts(1, 0);
    assert_int_equal(harness_load(&g.h, "table.yaml", model)->result, RESULT(OK));
    assert_string_equal(owner_of(1), "villas");
    send_values(2, 0, 4, 0);
    await_counts(1, 0);
    check_values(4, 0, 0, -8);

    /* a model that lacks these channels: the gateway is silent, with a log line, and without
     * harm */
    harness_load_model(&g.h);
    assert_true(
        harness_log_has(g.h.folder, "log",
                        "villas.in: the model has no input 'push.y'; samples of the gateway "
                        "are ignored"));
    assert_true(harness_log_has(g.h.folder, "log",
                                "villas.out: the model has no output 'puck.vy'; nothing is sent"));
    harness_go(&g.h);
    send_values(3, 0, 4, 0);
    assert_false(receive(&m, 200));
    assert_string_equal(owner_of(0), "");
    harness_expect(&g.h, STOP, RESULT(OK), STATE(ARMED));
    assert_int_equal(harness_load(&g.h, "table.yaml", model)->result, RESULT(OK));
    assert_string_equal(owner_of(0), "villas");
    close_rig();
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs),  cmocka_unit_test(test_several),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_claims),  cmocka_unit_test(test_another_model),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
