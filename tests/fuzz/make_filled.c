/* SPDX-License-Identifier: Apache-2.0 */
/* Writes seeds with every field of the contract set. usage: make_filled FILE... The first files are
 * for an input, an output, a stream sample and a heartbeat, then one for a reply, then one for each
 * command. */
#include "filled.h"

#include <stdio.h>

static struct lk_wire_arena arena;

static int write_message(const char *path, const ProtobufCMessageDescriptor *descriptor,
                         unsigned int command)
{
    static unsigned char buffer[64u << 10];
    ProtobufCMessage *message;
    FILE *out = fopen(path, "wb");
    size_t size;
    int r = 1;

    if (!out)
        return 1;
    lk_wire_arena_reset(&arena);
    message = filled_message(&arena, descriptor, command, false);
    if (message && lk_wire_encode(message, buffer, sizeof(buffer), &size) == 0)
        r = fwrite(buffer, 1, size, out) != size;
    return fclose(out) || r;
}

int main(int argc, char *argv[])
{
    static const ProtobufCMessageDescriptor *const first[] = {
        &linkage__v1__input_sample__descriptor,  &linkage__v1__output_sample__descriptor,
        &linkage__v1__stream_sample__descriptor, &linkage__v1__heartbeat__descriptor,
        &linkage__v1__control_reply__descriptor,
    };
    const int n_first = sizeof(first) / sizeof(first[0]);
    const ProtobufCMessageDescriptor *request = &linkage__v1__control_request__descriptor;
    int place = 1 + n_first, r = lk_wire_arena_init(&arena, LK_WIRE_CONTROL_ARENA);

    for (int i = 0; i < n_first && r == 0; i++)
        r = i + 1 >= argc || write_message(argv[i + 1], first[i], 0);
    for (unsigned int i = 0; i < request->n_fields && r == 0; i++)
        if (request->fields[i].flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
            r = place >= argc || write_message(argv[place++], request, request->fields[i].id);
    lk_wire_arena_fini(&arena);
    if (r || place != argc) {
        fprintf(stderr, "make_filled: %d files are wanted, %d given\n", place - 1, argc - 1);
        return 1;
    }
    return 0;
}
