/* SPDX-License-Identifier: Apache-2.0 */
#include "can_rig.h"
#include "can_explain.h"
#include "can_log.h"
#include "linkage/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX  64 /* largest number of frames received in a row, before outputs are sent */
#define SAMPLES_MAX 64
#define DRIVE_NS    INT64_C(20000000)

/* ---- a model ---- */

static void add_channels(struct can_side *side, Linkage__V1__ChannelDescription *const *channels,
                         size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const Linkage__V1__ChannelDescription *c = channels[i];

        if (c->n_units == c->n_components)
            can_channels_add(side, c->name, (int)c->n_units, (const char *const *)c->components,
                             (const char *const *)c->units, c->low, c->high, c->initial);
        else
            side->failed = true;
    }
}

int can_rig_describe(const Linkage__V1__ModelDescription *model, struct can_channels *ret)
{
    *ret = (struct can_channels){.step_s = model->step_s};
    add_channels(&ret->output, model->outputs, model->n_outputs);
    add_channels(&ret->input, model->inputs, model->n_inputs);
    return ret->output.failed || ret->input.failed ? -ENOMEM : 0;
}

static void close_benches(struct can_rig *rig)
{
    for (int i = 0; i < CAN_CLAIMS_MAX; i++) {
        lk_client_bench_close(rig->bench[i]);
        rig->bench[i] = NULL;
        strcpy(rig->refusal[i], "none yet");
    }
}

static void forget_model(struct can_rig *rig)
{
    close_benches(rig);
    rig->missed += rig->frames.missed;
    can_frames_fini(&rig->frames);
    can_plan_fini(&rig->plan);
    can_channels_fini(&rig->channels);
    rig->has_plan = false;
    rig->has_step = false;
}

static void say_plan(const struct can_rig *rig, const char *model)
{
    char text[256];
    int n_sent = 0, n;

    for (int i = 0; i < rig->plan.n_messages; i++)
        n_sent += rig->plan.message[i].is_sent;
    can_log("model %s: %d messages are sent, %d received", model, n_sent,
            rig->plan.n_messages - n_sent);
    n = can_list_unused(&rig->plan, true, text, sizeof(text));
    if (n > 0)
        can_log("%d signals are sent without a channel: %s", n, text);
    n = can_list_unused(&rig->plan, false, text, sizeof(text));
    if (n > 0)
        can_log("%d signals of others have no channel: %s", n, text);
}

/* Make the plan for a model. If the model does not match the file or the map, this is logged, and
 * the plan remains empty until another model is loaded.
 * Return: 0, -ENOMEM. */
static int take_model(struct can_rig *rig, const Linkage__V1__ModelDescription *model)
{
    struct lk_error error = {""};
    int code;

    forget_model(rig);
    rig->model_id = model->model_id;
    rig->daemon_id = model->daemon_id;
    code = can_rig_describe(model, &rig->channels);
    if (code == 0)
        code = can_plan_make(rig->dbc, rig->map, rig->node, &rig->channels, &rig->plan, &error);
    if (code == 0)
        code = can_frames_make(&rig->plan, &rig->frames);
    if (code == 0)
        code = can_bus_follow(rig->bus, &rig->plan);
    rig->has_plan = code == 0;
    if (code == 0) {
        say_plan(rig, model->name);
        return 0;
    }
    if (code > 0)
        can_log("model %s: %s", model->name, error.text);
    forget_model(rig);
    return code > 0 ? can_bus_follow(rig->bus, NULL) : code;
}

/* Check for a new model. A restarted daemon may have another model; with the same model the plan
 * remains. */
static int look_for_model(struct can_rig *rig)
{
    const Linkage__V1__ModelDescription *model = lk_client_bench_model(rig->follower);
    struct lk_client_bench_view view;

    lk_client_bench_read_state(rig->follower, &view);
    if (strcmp(view.text, rig->said) != 0 && view.text[0] != '\0')
        can_log("%s", view.text);
    strcpy(rig->said, view.text);
    if (model == NULL || view.times_claimed == rig->times_claimed)
        return 0;
    rig->times_claimed = view.times_claimed;
    rig->has_step = false;
    if (rig->model_id == model->model_id && rig->daemon_id == model->daemon_id)
        return 0;
    return take_model(rig, model);
}

/* ---- outputs ---- */

static void send_due(struct can_rig *rig, const Linkage__V1__OutputSample *sample, bool anew)
{
    for (int i = 0; i < rig->plan.n_messages; i++) {
        const struct can_message *cm = &rig->plan.message[i];
        uint8_t data[DBC_BYTES_MAX];
        int n;

        if (!cm->is_sent || !can_frame_is_due(&rig->frames, i, sample->time_s, anew) ||
            !can_bus_is_up(rig->bus))
            continue;
        n = can_frame_fill(&rig->frames, i, sample->values, data);
        if (n >= 0)
            can_bus_send(rig->bus, &rig->dbc->message[cm->message], data, n);
        else
            rig->unsent++;
    }
}

/* Process an output sample. When a run pauses, its last step is published once more; such a sample
 * is ignored. A restarted run resets the cycles of all messages. */
static void take_sample(struct can_rig *rig, const Linkage__V1__OutputSample *sample)
{
    bool anew = !rig->has_step || sample->step < rig->step;

    rig->samples++;
    if (!rig->has_plan || sample->model_id != rig->model_id ||
        sample->n_values != (size_t)rig->channels.output.n)
        return;
    if (rig->has_step && sample->step == rig->step)
        return;
    rig->has_step = true;
    rig->step = sample->step;
    send_due(rig, sample, anew);
}

static int take_outputs(struct can_rig *rig)
{
    const Linkage__V1__OutputSample *sample;
    struct lk_client_bench_view view;
    int code = 0;

    for (int i = 0; i < SAMPLES_MAX && code == 0; i++) {
        int64_t received_ns;

        code = lk_client_bench_receive(rig->follower, 0, &received_ns, &sample);
        if (look_for_model(rig) != 0)
            return -ENOMEM;
        if (code == 0)
            take_sample(rig, sample);
    }
    lk_client_bench_read_state(rig->follower, &view);
    rig->lost = view.lost;
    return code < 0 ? code : 0;
}

/* ---- inputs ---- */

static void give_values(struct can_rig *rig, int claim, int64_t age_ns)
{
    int64_t origin_ns = lk_client_now_ns() - age_ns;

    if (rig->bench[claim] != NULL &&
        lk_client_bench_send_as_of(rig->bench[claim], rig->frames.values[claim],
                                   (size_t)rig->plan.claim[claim].n_values, (uint64_t)origin_ns,
                                   NULL) == 0)
        rig->given++;
    else
        rig->unheard++;
}

static void take_frames(struct can_rig *rig)
{
    struct canfd_frame frame;
    int64_t age_ns;

    for (int n = 0; n < FRAMES_MAX && can_bus_receive(rig->bus, &frame, &age_ns); n++) {
        bool is_extended = (frame.can_id & CAN_EFF_FLAG) != 0;
        uint32_t id = frame.can_id & (is_extended ? CAN_EFF_MASK : CAN_SFF_MASK);
        int i = rig->has_plan ? can_plan_find(&rig->plan, id, is_extended) : -1;
        enum can_taken taken;

        if (i < 0)
            continue;
        taken = can_frame_take(&rig->frames, i, frame.data, frame.len);
        rig->outcome[taken]++;
        if (taken == CAN_TAKEN && can_frames_complete(&rig->frames, rig->plan.message[i].claim))
            give_values(rig, rig->plan.message[i].claim, age_ns);
    }
}

/* ---- claims ---- */

/* Open the bench of a claim. Its name contains the name of the claim's first message. */
static int open_bench(struct can_rig *rig, int claim)
{
    const struct can_claim *c = &rig->plan.claim[claim];
    struct lk_client_bench_channel channel[CAN_VALUES_MAX];
    struct lk_client_bench_setup setup = rig->setup;
    char name[DBC_NAME_SIZE + 16];
    struct lk_error error;
    int code;

    for (int i = 0; i < c->n_channels; i++)
        channel[i] = (struct lk_client_bench_channel){
            .name = rig->channels.input.scalar[c->channel[i]].name};
    snprintf(name, sizeof(name), "linkage-can %s", c->name);
    setup.name = name;
    setup.channels = channel;
    setup.n_channels = (size_t)c->n_channels;
    setup.without_outputs = true;
    code = lk_client_bench_open(&setup, &rig->bench[claim], &error);
    if (code != 0)
        can_log("%s", error.text);
    return code;
}

/* Log the reason of a refused claim once. A missing daemon is logged by the follower. */
static void say_refusal(struct can_rig *rig, int claim)
{
    struct lk_client_bench_view view;

    lk_client_bench_read_state(rig->bench[claim], &view);
    if (view.state == LK_CLIENT_BENCH_WAITING || strcmp(view.text, rig->refusal[claim]) == 0)
        return;
    strcpy(rig->refusal[claim], view.text);
    can_log("inputs of %s: %s", rig->plan.claim[claim].name,
            view.state == LK_CLIENT_BENCH_CONNECTED ? "claimed" : view.text);
}

/* Claim channels when the bus appears, and release them when it disappears, because without the bus
 * there are no values. */
static int tend_claims(struct can_rig *rig)
{
    bool wanted = rig->has_plan && can_bus_is_up(rig->bus);
    const Linkage__V1__OutputSample *ignored;

    if (!wanted) {
        close_benches(rig);
        return 0;
    }
    for (int i = 0; i < rig->plan.n_claims; i++) {
        if (rig->bench[i] == NULL && open_bench(rig, i) != 0)
            return -ENOMEM;
        (void)lk_client_bench_receive(rig->bench[i], 0, NULL, &ignored);
        say_refusal(rig, i);
    }
    return 0;
}

/* ---- all of it ---- */

int can_rig_open(struct can_rig *rig, struct lk_error *ret_error)
{
    struct lk_client_bench_setup setup = rig->setup;
    struct lk_client_bench_view view;
    int code;

    setup.name = "linkage-can";
    close_benches(rig);
    code = lk_client_bench_open(&setup, &rig->follower, ret_error);
    if (code == 0) {
        lk_client_bench_read_state(rig->follower, &view);
        strcpy(rig->said, view.text);
    }
    return code;
}

void can_rig_close(struct can_rig *rig)
{
    forget_model(rig);
    lk_client_bench_close(rig->follower);
}

int can_rig_poll(const struct can_rig *rig, zmq_pollitem_t items[CAN_POLL_ITEMS])
{
    int n = lk_client_bench_poll(rig->follower, items);

    if (rig->bus->fd >= 0)
        items[n++] = (zmq_pollitem_t){.fd = rig->bus->fd, .events = ZMQ_POLLIN};
    return n;
}

int can_rig_serve(struct can_rig *rig)
{
    int64_t now_ns = lk_client_now_ns();
    bool was_up = can_bus_is_up(rig->bus);
    int code;

    take_frames(rig);
    code = take_outputs(rig);
    can_bus_tend(rig->bus, now_ns);
    if (code == 0 && (now_ns - rig->driven_ns >= DRIVE_NS || was_up != can_bus_is_up(rig->bus))) {
        rig->driven_ns = now_ns;
        code = tend_claims(rig);
    }
    return code;
}

void can_rig_count(const struct can_rig *rig)
{
    static const char *const names[] = {
        [CAN_TAKEN] = "taken",       [CAN_NOTHING] = "of_no_channel",
        [CAN_SHORT] = "short",       [CAN_SPOILT] = "spoilt",
        [CAN_REPEATED] = "repeated", [CAN_OUT_OF_RANGE] = "out_of_range"};
    struct lk_json json = {.file = stdout, .spaced = true};

    lk_json_open(&json, NULL, '{');
    lk_json_count(&json, "samples", rig->samples);
    lk_json_count(&json, "samples_lost", rig->lost);
    lk_json_count(&json, "sent", rig->bus->sent);
    lk_json_count(&json, "not_sent", rig->bus->not_sent);
    lk_json_count(&json, "not_sent_out_of_range", rig->unsent);
    lk_json_count(&json, "not_sent_no_sample", rig->missed + rig->frames.missed);
    lk_json_count(&json, "received", rig->bus->received);
    for (int i = 0; i < CAN_OUTCOMES; i++)
        lk_json_count(&json, names[i], rig->outcome[i]);
    lk_json_count(&json, "given", rig->given);
    lk_json_count(&json, "unheard", rig->unheard);
    lk_json_count(&json, "times_down", rig->bus->times_down);
    lk_json_close(&json, '}');
    lk_json_end(&json);
}
