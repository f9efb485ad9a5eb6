/* SPDX-License-Identifier: Apache-2.0 */
/* Thread that receives samples from the daemon. It requests the description of the model and
 * subscribes to outputs and poses at the rate of viewers. It repeats both after a change of model
 * or a loss of the daemon. */
#include "foxglove/foxglove.h"
#include "gateway.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MS   100 /* wait for a sample; limits the delay at the end of the program */
#define SOON      0.6 /* samples closer than this share of the time between samples are skipped */
#define FOLLOW_MS 2   /* wait for the outputs of the same step as the poses */

/* struct following - state of the thread.
 * @poses, @outputs: subscriptions; NULL: none
 * @view:            state of the cameras
 * @step, @utc_ns:   step and time of the last sample that was forwarded
 * @taken_ns:        time at which it was forwarded, CLOCK_MONOTONIC */
struct following {
    struct gate_line *line;
    struct gate_meaning *meaning;
    struct lk_client_stream *poses;
    struct lk_client_stream *outputs;
    struct lk_foxglove_view view;
    uint64_t step;
    uint64_t utc_ns;
    int64_t taken_ns;
};

/* ---- the model ---- */

static const Linkage__V1__ControlReply *ask(struct gate_line *line,
                                            Linkage__V1__ControlRequest *request)
{
    const Linkage__V1__ControlReply *reply;
    struct lk_error ignored; /* the polling thread reports a missing daemon */

    if (lk_client_call(line->follower, request, &reply, &ignored) != 0)
        return NULL;
    return reply->result == LINKAGE__V1__RESULT__RESULT_OK ? reply : NULL;
}

/* Request the description of the model.
 * Return: the description; NULL: no daemon, no model, or the model changed between the two
 * requests. */
static struct gate_meaning *ask_meaning(struct gate_line *line)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__DescribeRequest describe = LINKAGE__V1__DESCRIBE_REQUEST__INIT;
    Linkage__V1__ModelRequest model = LINKAGE__V1__MODEL_REQUEST__INIT;
    const Linkage__V1__ModelDescription *description;
    const Linkage__V1__ControlReply *reply;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE;
    request.describe = &describe;
    reply = ask(line, &request);
    if (reply == NULL || reply->description == NULL)
        return NULL;
    description = reply->description; /* valid until the next request for a description */
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_MODEL;
    request.model = &model;
    reply = ask(line, &request);
    if (reply != NULL && reply->model != NULL && reply->model->model_id != description->model_id)
        return NULL;
    return gate_meaning_new(description, reply != NULL ? reply->model : NULL, line->options->roads);
}

/* ---- samples ---- */

static void post_buffer(struct following *f, enum gate_topic topic, uint64_t ns,
                        struct lk_mcap_buffer *message)
{
    if (!message->full)
        gate_hub_post(f->line->hub,
                      gate_parcel_new(topic, f->meaning->number, ns, message->data, message->size));
    lk_mcap_buffer_fini(message);
}

/* Post values for pages.
 * @kind: 0: poses, 1: outputs */
static void post_samples(struct following *f, double kind, const double *values, size_t n,
                         uint64_t ns)
{
    const double head[2] = {kind, (double)ns / 1e9};
    struct gate_parcel *parcel = gate_parcel_new(GATE_SAMPLES, f->meaning->number, ns, NULL,
                                                 sizeof(head) + n * sizeof(*values));

    if (parcel == NULL)
        return;
    memcpy(parcel->data, head, sizeof(head));
    memcpy(parcel->data + sizeof(head), values, n * sizeof(*values));
    gate_hub_post(f->line->hub, parcel);
}

static void post_poses(struct following *f, const double *poses, uint64_t ns)
{
    struct lk_mcap_buffer transforms = {.grows = true}, spans = {.grows = true};

    lk_foxglove_transforms(&transforms, f->meaning->scene, poses, ns);
    lk_foxglove_view(&transforms, &f->view, f->meaning->scene, poses, ns);
    post_buffer(f, GATE_TF, ns, &transforms);
    post_samples(f, 0, poses, (size_t)f->meaning->scene->n_bodies * LK_POSE_SIZE, ns);
    if (lk_foxglove_spans(&spans, f->meaning->scene, poses, ns))
        post_buffer(f, GATE_SCENE, ns, &spans);
    else
        lk_mcap_buffer_fini(&spans);
}

static void post_outputs(struct following *f, const double *values, uint64_t ns)
{
    gate_meaning_post(f->meaning, f->line->hub, GATE_OUTPUTS, values, ns);
    post_samples(f, 1, values, f->meaning->n_outputs, ns);
}

/* Return true if the sample must be forwarded. A run without a clock produces more samples than
 * viewers need. Poses and outputs of the same step are both forwarded, with the same time. */
static bool is_due(struct following *f, const Linkage__V1__OutputSample *sample)
{
    int64_t now_ns = lk_client_now_ns();

    if (sample->step == f->step)
        return true;
    if ((double)(now_ns - f->taken_ns) < SOON * 1e9 / f->line->options->rate)
        return false;
    f->taken_ns = now_ns;
    f->step = sample->step;
    f->utc_ns = sample->utc_ns;
    return true;
}

/* Receive a sample of poses and forward it, if it is due.
 * @ret_step: step of the sample; unchanged if none arrived
 * Return: 0: a sample arrived; LK_CLIENT_E_NO_ANSWER: none; another code: the stream has ended. */
static int take_poses(struct following *f, uint64_t *ret_step)
{
    const Linkage__V1__OutputSample *sample;
    int code = lk_client_stream_receive(f->poses, WAIT_MS, NULL, &sample);

    if (code != 0)
        return code;
    *ret_step = sample->step;
    if (sample->n_values == (size_t)f->meaning->scene->n_bodies * LK_POSE_SIZE && is_due(f, sample))
        post_poses(f, sample->values, f->utc_ns);
    return 0;
}

static int take_outputs(struct following *f, int wait_ms, uint64_t *ret_step)
{
    const Linkage__V1__OutputSample *sample;
    int code = lk_client_stream_receive(f->outputs, wait_ms, NULL, &sample);

    if (code != 0)
        return code;
    *ret_step = sample->step;
    if (sample->n_values == f->meaning->n_outputs && is_due(f, sample))
        post_outputs(f, sample->values, f->utc_ns);
    return 0;
}

static bool is_over(int code)
{
    return code != 0 && code != LK_CLIENT_E_NO_ANSWER;
}

/* Receive the poses of a step, then outputs up to the same step, so that poses and outputs remain
 * aligned. */
static void receive_all(struct following *f)
{
    int wait_ms = f->poses != NULL ? FOLLOW_MS : WAIT_MS;

    while (!f->line->hub->stop && (f->poses != NULL || f->outputs != NULL)) {
        uint64_t step = 0, reached = 0;
        int code = 0;

        if (f->poses != NULL && is_over(take_poses(f, &step)))
            return;
        do {
            if (f->outputs != NULL)
                code = take_outputs(f, wait_ms, &reached);
            if (is_over(code))
                return;
        } while (f->outputs != NULL && code == 0 && reached < step);
    }
}

/* ---- one model after another ---- */

static uint32_t find_divisor(const struct following *f)
{
    double steps = 1 / (f->line->options->rate * f->meaning->model->step_s);

    return steps > 1 ? (uint32_t)fmin(ceil(steps - 1e-6), 1e6) : 1;
}

static void open_streams(struct following *f)
{
    struct gate_line *line = f->line;
    uint32_t divisor = find_divisor(f);
    struct lk_error error;
    int code = 0;

    if (f->meaning->scene != NULL && f->meaning->scene->n_bodies > 0)
        code = lk_client_poses_open(line->follower, line->outputs, NULL, 0, divisor, &f->poses,
                                    &error);
    if (code == 0 && f->meaning->n_outputs > 0)
        code = lk_client_stream_open(line->follower, line->outputs, NULL, 0, divisor, &f->outputs,
                                     &error);
    if (code != 0)
        gate_hub_say(line->hub, GATE_WARNING, "stream", NULL, "no samples: %s", error.text);
}

static void follow_model(struct following *f)
{
    struct gate_hub *hub = f->line->hub;
    const struct gate_meaning *meaning = f->meaning;

    gate_hub_set(hub, gate_meaning_hold(f->meaning));
    f->view = (struct lk_foxglove_view){0};
    if (meaning->scene != NULL) /* initial poses, until the first sample arrives */
        post_poses(f, meaning->scene->drawn, gate_utc_ns());
    else
        gate_hub_say(hub, GATE_WARNING, "scene", NULL, "no picture of '%s': %s",
                     meaning->model->name, meaning->no_scene);
    f->step = UINT64_MAX;
    open_streams(f);
    receive_all(f);
    lk_client_stream_close(f->poses);
    lk_client_stream_close(f->outputs);
    f->poses = f->outputs = NULL;
}

void *gate_follow(void *arg)
{
    struct following f = {.line = arg};

    while (!f.line->hub->stop) {
        f.meaning = ask_meaning(f.line);
        if (f.meaning != NULL)
            follow_model(&f);
        gate_meaning_drop(f.meaning);
        if (!f.line->hub->stop)
            gate_sleep_ms(GATE_RETRY_MS);
    }
    return NULL;
}
