/* SPDX-License-Identifier: Apache-2.0 */
/* Writes valid messages for the fuzzers to start from: make_seeds INPUT OUTPUT REQUEST REPLY. */
#include "wire.h"

#include <stdio.h>

static unsigned char buffer[4096];
static double values[] = {1.5, -2.5, 1e-3};

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

int main(int argc, char *argv[])
{
    if (argc != 5) {
        fprintf(stderr, "usage: %s INPUT OUTPUT REQUEST REPLY\n", argv[0]);
        return 2;
    }
    return write_samples(argv[1], argv[2]) || write_request(argv[3]) || write_reply(argv[4]);
}
