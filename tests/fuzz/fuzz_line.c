/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a conversation on the bench line of a loaded model: requests, samples, elapsed time,
 * and steps of the guard, in any order.
 *
 *     what (1 byte)  length (2 bytes, little-endian)  length bytes  ...
 *
 * The lowest two bits of `what` select the kind of the part, and the next two the role of its
 * sender. Tokens are random numbers, so a sample or request with any token gets that of the last
 * claim, unless bit 4 of `what` is set. After every conversation the acting values are finite and
 * within the limits of their channel, and do not change faster than its rate. */
#include "line_rig.h"
#include "wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PARTS_MAX  64  /* limit of parts of a conversation */
#define STEPS_MAX  256 /* limit of guard steps in one part */
#define MS         INT64_C(1000000)
#define ROUNDING   1e-9
#define KNOWN_BITS 63u

static struct lk_wire_arena arena;
static unsigned char buffer[LK_WIRE_SAMPLE_MAX];
static uint64_t token;
static uint64_t step;
static int64_t ahead_ns;

static int64_t now(void)
{
    return lkd_clock_ns() + ahead_ns;
}

static void check_text(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20)
            abort();
}

/* ---- requests ---- */

/* Set the token of the last claim in all fields that need one. */
static void put_token(Linkage__V1__ControlRequest *request)
{
    switch ((int)request->command_case) {
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_CLAIM:
        request->claim->token = request->claim->token ? token : 0;
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_RELEASE:
        request->release->token = token;
        break;
    default:
        break;
    }
}

static void ask(Linkage__V1__Role role, bool own_token, const uint8_t *data, size_t size)
{
    const Linkage__V1__ControlReply *reply;
    const Linkage__V1__ControlRequest *request;

    if (own_token && lk_wire_decode_request(&arena, data, size, &request) == 0) {
        put_token((Linkage__V1__ControlRequest *)request);
        if (lk_wire_encode(&request->base, buffer, sizeof(buffer), &size) != 0)
            return;
        data = buffer;
    }
    reply = line_rig_request(role, data, size);
    if (!reply)
        return;
    check_text(reply->text);
    if (reply->claim)
        token = reply->claim->token;
}

/* ---- samples ---- */

static void sample(Linkage__V1__Role role, bool own_token, const uint8_t *data, size_t size)
{
    const struct lkd_peer peer = {.role = role};
    const Linkage__V1__InputSample *message;
    Linkage__V1__InputSample changed;
    int r = lk_wire_decode_input(&arena, data, size, &message);

    if (r && r != LK_WIRE_E_NOT_FINITE) {
        lkd_inputs_refuse(&line_inputs);
        return;
    }
    changed = *message;
    if (own_token && changed.token)
        changed.token = token;
    if (changed.model_id)
        changed.model_id = line_rig.loaded->model_id;
    r = lkd_inputs_offer_message(&line_inputs, &changed, &peer, now());
    if (!*lkd_input_status_text(r))
        abort();
}

/* ---- steps ---- */

static void check_channel(const struct lkd_guard *guard, const struct lkd_guarded *c,
                          const double *before)
{
    for (int i = c->offset; i < c->offset + c->size; i++) {
        double now_acts = guard->acting[i];

        if (!isfinite(now_acts) || now_acts < c->low || now_acts > c->high)
            abort();
        if (fabs(now_acts - before[i]) > c->rate * (1 + ROUNDING) + ROUNDING)
            abort();
    }
}

static void one_step(void)
{
    struct lkd_cycle *cycle = line_rig.loaded->cycle;
    struct lkd_guard *guard = &cycle->guard;
    const struct lkd_guard_view view = {.step = step++};
    const struct lkd_input *input;
    double before[8];

    lkd_mailbox_take(&cycle->inputs);
    input = lkd_mailbox_front(&cycle->inputs);
    memcpy(before, guard->acting, (size_t)guard->n_values * sizeof(double));
    lkd_guard_apply(guard, &view, input->values, input->values + guard->n_values,
                    lkd_input_news_of(input, guard->n_values));
    for (int i = 0; i < guard->n_channels; i++)
        check_channel(guard, &guard->channel[i], before);
    if ((guard->flags | input->flags) & ~KNOWN_BITS)
        abort();
}

static void steps(size_t n)
{
    for (size_t i = 0; i < n && i < STEPS_MAX; i++)
        one_step();
}

static void wait_for(uint16_t ms)
{
    ahead_ns += ms * MS;
    lkd_inputs_tick(&line_inputs, now());
}

/* ---- the conversation ---- */

/* Execute one part.
 * Return: number of bytes used, 0 at the end */
static size_t part(const uint8_t *data, size_t size)
{
    const Linkage__V1__Role role = (Linkage__V1__Role)(3 - (data[0] >> 2 & 3));
    const bool own_token = !(data[0] & 16);
    size_t n = data[1] | (size_t)data[2] << 8;

    switch (data[0] & 3) {
    case 2:
        wait_for((uint16_t)n);
        return 3;
    case 3:
        steps(n);
        return 3;
    default:
        n = n < size - 3 ? n : size - 3;
        if (data[0] & 1)
            sample(role, own_token, data + 3, n);
        else
            ask(role, own_token, data + 3, n);
        return 3 + n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!arena.memory && lk_wire_arena_init(&arena, LK_WIRE_CONTROL_ARENA))
        abort();
    line_rig_fresh();
    token = step = 0;
    ahead_ns = 0;
    for (int i = 0; i < PARTS_MAX && size > 3; i++) {
        size_t used = part(data, size);

        data += used;
        size -= used;
    }
    steps(8);
    return 0;
}
