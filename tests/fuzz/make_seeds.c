/* SPDX-License-Identifier: Apache-2.0 */
/* Writes valid messages as seeds. usage: make_seeds INPUT OUTPUT REQUEST REPLY EVIDENCE. */
#include "wire.h"

#include <stdio.h>

static unsigned char buffer[4096];
static double values[] = {1.5, -2.5, 1e-3};
static double slopes[] = {20, 0, -1e9};

static int write_message(const char *path, const ProtobufCMessage *message)
{
    FILE *out = fopen(path, "wb");
    size_t size;
    int r = 1;

    if (!out)
        return 1;
    if (lk_wire_encode(message, buffer, sizeof(buffer), &size) == 0)
        r = fwrite(buffer, 1, size, out) != size;
    return fclose(out) || r;
}

static int write_samples(const char *input_path, const char *output_path)
{
    Linkage__V1__InputSample input = LINKAGE__V1__INPUT_SAMPLE__INIT;
    Linkage__V1__OutputSample output = LINKAGE__V1__OUTPUT_SAMPLE__INIT;

    input.sequence = 300;
    input.origin_ns = 123456789;
    input.model_id = 5;
    input.values = output.values = values;
    input.n_values = output.n_values = 3;
    input.slopes = slopes;
    input.n_slopes = 3;
    output.sequence = output.step = 77;
    output.time_s = 0.077;
    output.state = LINKAGE__V1__STATE__STATE_RUNNING;
    output.degraded = 1;
    return write_message(input_path, &input.base) || write_message(output_path, &output.base);
}

static int write_request(const char *path)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__SetRequest set = LINKAGE__V1__SET_REQUEST__INIT;

    set.channel = (char *)"motor";
    set.values = values;
    set.n_values = 3;
    request.id = 9;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_SET;
    request.set = &set;
    return write_message(path, &request.base);
}

static int write_reply(const char *path)
{
    Linkage__V1__ControlReply reply = LINKAGE__V1__CONTROL_REPLY__INIT;
    Linkage__V1__ModelDescription description = LINKAGE__V1__MODEL_DESCRIPTION__INIT;
    Linkage__V1__ChannelDescription channel = LINKAGE__V1__CHANNEL_DESCRIPTION__INIT;
    Linkage__V1__ChannelDescription *channels[] = {&channel};
    char *texts[] = {(char *)"x", (char *)"m"};

    channel.name = (char *)"tip";
    channel.components = channel.units = texts;
    channel.n_components = channel.n_units = 2;
    description.outputs = channels;
    description.n_outputs = 1;
    reply.id = 9;
    reply.result = LINKAGE__V1__RESULT__RESULT_OK;
    reply.text = (char *)"a line";
    reply.description = &description;
    return write_message(path, &reply.base);
}

static int write_evidence(const char *path)
{
    Linkage__V1__ControlReply reply = LINKAGE__V1__CONTROL_REPLY__INIT;
    Linkage__V1__Evidence evidence = LINKAGE__V1__EVIDENCE__INIT;
    Linkage__V1__Durations durations = LINKAGE__V1__DURATIONS__INIT;
    Linkage__V1__CycleRecord record = LINKAGE__V1__CYCLE_RECORD__INIT;
    Linkage__V1__CycleRecord *records[] = {&record, &record};
    Linkage__V1__HostFact fact = LINKAGE__V1__HOST_FACT__INIT;
    Linkage__V1__HostFact *facts[] = {&fact};
    Linkage__V1__Proof proof = LINKAGE__V1__PROOF__INIT;
    uint64_t upper[] = {31, 1023, 15000, INT64_MAX}, count[] = {5, 7, 2, 1};

    durations.count = 15;
    durations.p50_ns = 1023;
    durations.bucket_upper_ns = upper;
    durations.bucket_count = count;
    durations.n_bucket_upper_ns = durations.n_bucket_count = 4;
    record.cycle = 12;
    record.ended_ns = 1500000;
    record.cause = (char *)"late wake-up";
    fact.name = (char *)"kernel";
    fact.value = (char *)"Linux";
    proof.text = (char *)"max 212 us of 1000 us";
    evidence.model = (char *)"four-bar";
    evidence.period_ns = 1000000;
    evidence.wakeup = evidence.compute = evidence.response = &durations;
    evidence.worst = evidence.missed = records;
    evidence.n_worst = evidence.n_missed = 2;
    evidence.host = facts;
    evidence.n_host = 1;
    evidence.proof = &proof;
    reply.result = LINKAGE__V1__RESULT__RESULT_OK;
    reply.evidence = &evidence;
    return write_message(path, &reply.base);
}

int main(int argc, char *argv[])
{
    if (argc != 6) {
        fprintf(stderr, "usage: %s INPUT OUTPUT REQUEST REPLY EVIDENCE\n", argv[0]);
        return 2;
    }
    return write_samples(argv[1], argv[2]) || write_request(argv[3]) || write_reply(argv[4]) ||
           write_evidence(argv[5]);
}
