/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a DBC file up to the first zero byte, a map up to the next zero byte, and bytes of frames.
 * What the plan contains is sent and received. Frames have the length of their message, values stay
 * within their limits, a refused frame changes nothing, and the text for people is terminated. */
#include "can_explain.h"
#include "can_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LIMIT 10.0

static struct can_channels channels;

static void make_channels(void)
{
    static const char *const xyz[] = {"x", "y", "z"}, *const none[] = {""};
    static const char *const unit[] = {"rad", "N", "N"};

    channels.step_s = 0.001;
    can_channels_add(&channels.output, "angle", 1, none, unit, -INFINITY, INFINITY, 0);
    can_channels_add(&channels.output, "tip", 3, xyz, unit, -INFINITY, INFINITY, 0);
    can_channels_add(&channels.input, "motor", 1, none, unit, -LIMIT, LIMIT, 0);
    can_channels_add(&channels.input, "push", 3, xyz, unit, -LIMIT, LIMIT, 1);
}

static void send(struct can_frames *frames, int i)
{
    static const double outputs[2][4] = {{1.5, -1e300, 0, 7}, {-1, 1e9, NAN, 1}};
    uint8_t data[DBC_BYTES_MAX];

    for (int k = 0; k < 6; k++) {
        int n = can_frame_fill(frames, i, outputs[k % 2], data);

        (void)can_frame_is_due(frames, i, k * 0.001, k == 0);
        if (n != -1 && (n < 0 || n > DBC_BYTES_MAX))
            abort();
    }
}

static void check_values(const struct can_frames *frames, int claim, const double *before,
                         bool is_taken)
{
    for (int i = 0; i < frames->plan->claim[claim].n_values; i++) {
        double value = frames->values[claim][i];

        if (!(fabs(value) <= LIMIT) || (!is_taken && value != before[i]))
            abort();
    }
}

/* Receive a frame from @data.
 * Return: number of bytes used */
static size_t receive(struct can_frames *frames, int i, const uint8_t *data, size_t size)
{
    int claim = frames->plan->message[i].claim, n = (int)(size < 64 ? size : 64);
    double before[CAN_VALUES_MAX];
    enum can_taken taken;

    if (claim < 0 || claim >= frames->plan->n_claims)
        abort();
    memcpy(before, frames->values[claim],
           (size_t)frames->plan->claim[claim].n_values * sizeof(double));
    taken = can_frame_take(frames, i, data, n);
    check_values(frames, claim, before, taken == CAN_TAKEN);
    (void)can_frames_complete(frames, claim);
    return (size_t)n;
}

static void use_plan(const struct can_plan *plan, const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    struct can_frames frames;

    if (nowhere == NULL && (nowhere = fopen("/dev/null", "w")) == NULL)
        abort();
    (void)can_explain(plan, nowhere);
    if (can_frames_make(plan, &frames) == 0)
        for (int i = 0; i < plan->n_messages; i++) {
            size_t used;

            if (plan->message[i].is_sent) {
                send(&frames, i);
                continue;
            }
            used = receive(&frames, i, data, size);
            data += used;
            size -= used;
        }
    can_frames_fini(&frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *map_text, *frame_bytes;
    struct can_map map = {0};
    struct can_plan plan = {0};
    struct dbc *dbc = NULL;
    struct lk_errors errors;
    struct lk_error error;
    size_t length;

    if (text == NULL)
        return 0;
    if (channels.output.n == 0)
        make_channels();
    memcpy(text, data, size);
    text[size] = '\0';
    length = strlen(text);
    map_text = text + length + (length < size);
    frame_bytes = map_text + strlen(map_text);
    if (dbc_read_text("x", text, length, &dbc, &error) == 0 &&
        (*map_text == '\0' ||
         can_map_read_text("m", map_text, strlen(map_text), &map, &errors) == 0) &&
        can_plan_make(dbc, &map, dbc_has_node(dbc, "us") ? "us" : NULL, &channels, &plan, &error) ==
            0)
        use_plan(&plan, (const uint8_t *)frame_bytes, (size_t)(text + size - frame_bytes));
    can_plan_fini(&plan);
    can_map_fini(&map);
    dbc_free(dbc);
    free(text);
    return 0;
}
