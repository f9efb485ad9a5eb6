/* SPDX-License-Identifier: Apache-2.0 */
/* Writes seeds: conversations for fuzz_line and requests for fuzz_control. usage:
 * make_conversations FED SILENT INJECTED SLOPED CLAIM INJECT SUBSCRIBE. The format is described in
 * fuzz_line.c. */
#include "wire.h"

#include <stdio.h>

enum what { REQUEST = 0, SAMPLE = 1, WAIT = 2, STEPS = 3 };

static FILE *out;
static double values[] = {0.5, 1, -2, 3, -7};
static double slopes[] = {20, -1e3, 0, 1e300, -50};

static void put(enum what what, size_t n, const void *data)
{
    const unsigned char head[] = {(unsigned char)what, (unsigned char)n, (unsigned char)(n >> 8)};

    fwrite(head, 1, sizeof(head), out);
    if (data)
        fwrite(data, 1, n, out);
}

static void put_message(enum what what, const ProtobufCMessage *message)
{
    static unsigned char buffer[4096];
    size_t size;

    if (lk_wire_encode(message, buffer, sizeof(buffer), &size) == 0)
        put(what, size, buffer);
}

/* ---- requests ---- */

static Linkage__V1__ClaimRequest claim_request = LINKAGE__V1__CLAIM_REQUEST__INIT;
static Linkage__V1__InjectRequest inject_request = LINKAGE__V1__INJECT_REQUEST__INIT;
static Linkage__V1__SubscribeRequest subscribe_request = LINKAGE__V1__SUBSCRIBE_REQUEST__INIT;
static Linkage__V1__ReleaseRequest release_request = LINKAGE__V1__RELEASE_REQUEST__INIT;

static void make_claim(Linkage__V1__ControlRequest *request)
{
    static Linkage__V1__ClaimedChannel channel[] = {LINKAGE__V1__CLAIMED_CHANNEL__INIT,
                                                    LINKAGE__V1__CLAIMED_CHANNEL__INIT,
                                                    LINKAGE__V1__CLAIMED_CHANNEL__INIT};
    static Linkage__V1__ClaimedChannel *channels[] = {&channel[0], &channel[1], &channel[2]};
    static char *units[] = {(char *)"N", (char *)"N", (char *)"N"};

    channel[0].name = (char *)"torque";
    channel[1].name = (char *)"push";
    channel[2].name = (char *)"motor";
    channel[1].units = units;
    channel[1].n_units = 3;
    claim_request.bench = (char *)"bench";
    claim_request.channels = channels;
    claim_request.n_channels = 3;
    request->command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_CLAIM;
    request->claim = &claim_request;
}

static void make_inject(Linkage__V1__ControlRequest *request)
{
    static Linkage__V1__Injection injection[] = {
        LINKAGE__V1__INJECTION__INIT, LINKAGE__V1__INJECTION__INIT, LINKAGE__V1__INJECTION__INIT,
        LINKAGE__V1__INJECTION__INIT, LINKAGE__V1__INJECTION__INIT, LINKAGE__V1__INJECTION__INIT};
    static Linkage__V1__Injection *add[6];

    for (int i = 0; i < 6; i++) {
        injection[i].kind = (Linkage__V1__InjectionKind)(i + 1);
        injection[i].amount = 0.5;
        injection[i].seed = (uint64_t)i;
        injection[i].target = (char *)(i == 4 ? "torque" : "");
        add[i] = &injection[i];
    }
    inject_request.add = add;
    inject_request.n_add = 6;
    request->command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INJECT;
    request->inject = &inject_request;
}

static void make_subscribe(Linkage__V1__ControlRequest *request)
{
    static char *channels[] = {(char *)"tip", (char *)"angle"};

    subscribe_request.channels = channels;
    subscribe_request.n_channels = 2;
    subscribe_request.divisor = 10;
    request->command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_SUBSCRIBE;
    request->subscribe = &subscribe_request;
}

static void make_release(Linkage__V1__ControlRequest *request)
{
    request->command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_RELEASE;
    request->release = &release_request;
}

typedef void maker(Linkage__V1__ControlRequest *request);

static void put_request(maker *make)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;

    request.id = 9;
    make(&request);
    put_message(REQUEST, &request.base);
}

/* ---- conversations ---- */

/* FED: samples, one per step. SILENT: then no samples for a while. INJECTED: with faults. SLOPED:
 * samples of many steps, with their rates. */
enum way { FED, SILENT, INJECTED, SLOPED };

static void put_sample(uint64_t sequence, bool sloped)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;

    sample.sequence = sequence;
    sample.origin_ns = sequence * 1000;
    sample.token = 1;
    sample.values = values;
    sample.n_values = 5;
    sample.slopes = slopes;
    sample.n_slopes = sloped ? 5 : 0;
    put_message(SAMPLE, &sample.base);
}

static int converse(const char *path, enum way way)
{
    out = fopen(path, "wb");
    if (!out)
        return 1;
    put_request(make_claim);
    if (way == INJECTED)
        put_request(make_inject);
    put_request(make_subscribe);
    for (uint64_t i = 1; i < 8; i++) {
        put_sample(i, way == SLOPED);
        put(WAIT, way == INJECTED ? 300 : 1, NULL);
        put(STEPS, way == SLOPED ? 30 : 1, NULL);
    }
    if (way == SILENT) {
        put(STEPS, 200, NULL);
        put(WAIT, 1500, NULL);
        put(STEPS, 100, NULL);
        put_sample(20, false);
        put(STEPS, 50, NULL);
    }
    put_request(make_release);
    put(STEPS, 20, NULL);
    return fclose(out) != 0;
}

/* Write a request alone, without the head of a part of a conversation. */
static int write_request(const char *path, maker *make)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    unsigned char buffer[1024];
    size_t size;

    request.id = 9;
    make(&request);
    out = fopen(path, "wb");
    if (!out || lk_wire_encode(&request.base, buffer, sizeof(buffer), &size) != 0)
        return 1;
    return (fwrite(buffer, 1, size, out) != size) | (fclose(out) != 0);
}

int main(int argc, char *argv[])
{
    if (argc != 8) {
        fprintf(stderr, "usage: %s FED SILENT INJECTED SLOPED CLAIM INJECT SUBSCRIBE\n", argv[0]);
        return 2;
    }
    for (int way = FED; way <= SLOPED; way++)
        if (converse(argv[1 + way], (enum way)way))
            return 1;
    return write_request(argv[5], make_claim) || write_request(argv[6], make_inject) ||
           write_request(argv[7], make_subscribe);
}
