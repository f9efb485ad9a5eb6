/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a sample: refused, or decoded into finite values within the arena. */
#include "wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct lk_wire_arena arena;

static void check(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            abort();
    if (arena.used > arena.size || n > LK_WIRE_SAMPLE_MAX / sizeof(double))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const Linkage__V1__InputSample *input;
    const Linkage__V1__OutputSample *output;
    const Linkage__V1__StreamSample *stream;
    const Linkage__V1__Heartbeat *heartbeat;
    int r;

    if (!arena.memory && lk_wire_arena_init(&arena, LK_WIRE_SAMPLE_ARENA))
        abort();
    r = lk_wire_decode_input(&arena, data, size, &input);
    if (r == 0 && !input->heartbeat) {
        check(input->values, input->n_values);
        check(input->slopes, input->n_slopes);
    }
    if (r == LK_WIRE_E_NOT_FINITE && input->n_values + input->n_slopes == 0)
        abort();
    if (lk_wire_decode_output(&arena, data, size, &output) == 0)
        check(output->values, output->n_values);
    if (lk_wire_decode_stream(&arena, data, size, &stream) == 0)
        check(stream->sample->values, stream->sample->n_values);
    if (lk_wire_decode_heartbeat(&arena, data, size, &heartbeat) == 0 &&
        (!*heartbeat->version || strlen(heartbeat->version) > LK_WIRE_NAME_MAX))
        abort();
    return 0;
}
