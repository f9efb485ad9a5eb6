/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"
#include "codes.h"
#include "message.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAMPLES_MAX 64 /* largest number processed at a time, so that masters do not wait */
#define SECOND_NS   INT64_C(1000000000)

int xcp_line_open(struct xcp_line *line, const char *control, const char *outputs,
                  const struct lk_client_options *keys, struct lk_error *ret_error)
{
    static const uint8_t topics[] = {LK_WIRE_OUTPUT, LK_WIRE_HEARTBEAT};
    char endpoint[LK_CLIENT_ENDPOINT_SIZE];
    int code = 0;

    if (outputs != NULL)
        snprintf(endpoint, sizeof(endpoint), "%s", outputs);
    else
        code = lk_client_outputs_endpoint(control, endpoint);
    if (code != 0) {
        lk_error_set(ret_error, "--outputs is wanted beside --endpoint %s", control);
        return code;
    }
    code = lk_client_open_with(control, XCP_TIMEOUT_MS, keys, &line->poller, ret_error);
    if (code == 0)
        code = lk_client_open_with(control, XCP_TIMEOUT_MS, keys, &line->setter, ret_error);
    if (code == 0 && lk_wire_arena_init(&line->arena, LK_WIRE_SAMPLE_ARENA) != 0) {
        lk_error_set(ret_error, "no memory for samples");
        code = -ENOMEM;
    }
    if (code == 0)
        code = lk_client_socket_open(&line->outputs, lk_client_context(line->poller), ZMQ_SUB,
                                     endpoint, lk_client_keys(line->poller), ret_error);
    for (size_t i = 0; i < sizeof(topics) && code == 0; i++)
        lk_client_socket_subscribe(&line->outputs, &topics[i], 1);
    return code;
}

static void forget_model(struct xcp_line *line, const char *why)
{
    xcp_ports_end(line->ports, true, why);
    line->slave->image = NULL;
    xcp_image_fini(&line->image);
    line->has_sample = line->is_each = false;
    line->in_a_row = 0;
}

void xcp_line_close(struct xcp_line *line)
{
    forget_model(line, "this program ends");
    if (line->outputs.handle != NULL)
        lk_client_socket_close(&line->outputs);
    lk_client_close(line->setter);
    lk_client_close(line->poller);
    lk_wire_arena_fini(&line->arena);
}

int xcp_line_poll(const struct xcp_line *line, zmq_pollitem_t *items)
{
    items[0] = (zmq_pollitem_t){.socket = line->outputs.handle, .events = ZMQ_POLLIN};
    items[1] =
        (zmq_pollitem_t){.socket = lk_client_socket_of(line->poller)->handle, .events = ZMQ_POLLIN};
    return 2;
}

/* ---- a model ---- */

static const Linkage__V1__ParameterDescription *
find_tunable(const Linkage__V1__ModelDescription *model, const char *name)
{
    for (size_t i = 0; i < model->n_parameters; i++)
        if (model->parameters[i]->tunable && strcmp(model->parameters[i]->name, name) == 0)
            return model->parameters[i];
    return NULL;
}

/* Write a description such as "acts at bodies.arm.mass bodies.load.mass". */
static void say_parameter(char ret[XCP_SAYS_SIZE], const Linkage__V1__ParameterDescription *p)
{
    size_t used = (size_t)snprintf(ret, XCP_SAYS_SIZE, "acts at");

    for (size_t i = 0; i < p->n_acts && used < XCP_SAYS_SIZE; i++)
        used += (size_t)snprintf(ret + used, XCP_SAYS_SIZE - used, " %s", p->acts[i]);
}

static void add_channel(struct xcp_image *image, enum xcp_region region,
                        const Linkage__V1__ModelDescription *model,
                        const Linkage__V1__ChannelDescription *c)
{
    const Linkage__V1__ParameterDescription *p =
        region == XCP_INPUTS ? find_tunable(model, c->name) : NULL;
    const char *unit = p != NULL ? p->unit : "";
    struct xcp_channel channel = {
        .name = c->name,
        .n = (int)c->n_units,
        .component = (const char *const *)c->components,
        .unit = p != NULL && c->n_units == 1 ? &unit : (const char *const *)c->units,
        .low = c->low,
        .high = c->high,
        .initial = c->initial,
        .tunable = p != NULL};
    char says[XCP_SAYS_SIZE];

    if (p != NULL)
        say_parameter(says, p);
    else
        xcp_image_say(says, c->type, c->frame);
    channel.says = says;
    if (c->n_units == c->n_components && c->n_units <= LK_WIRE_SCALARS_MAX)
        xcp_image_channel(image, region, &channel);
    else
        image->failed = true;
}

static int make_image(struct xcp_image *image, const Linkage__V1__ModelDescription *model)
{
    char says[XCP_SAYS_SIZE];

    xcp_image_begin(image, model->name, model->step_s);
    for (size_t i = 0; i < model->n_outputs; i++)
        add_channel(image, XCP_OUTPUTS, model, model->outputs[i]);
    for (size_t i = 0; i < model->n_inputs; i++)
        add_channel(image, XCP_INPUTS, model, model->inputs[i]);
    for (size_t i = 0; i < model->n_parameters; i++) {
        const Linkage__V1__ParameterDescription *p = model->parameters[i];

        if (p->tunable)
            continue;
        say_parameter(says, p);
        xcp_image_parameter(image, p->name, p->unit, says, p->low, p->high, p->value);
    }
    return xcp_image_end(image);
}

static void take_description(struct xcp_line *line, const Linkage__V1__ModelDescription *model)
{
    int code;

    forget_model(line, "the daemon has another model");
    code = make_image(&line->image, model);
    if (code == 0)
        code = xcp_a2l_make(&line->image, line->address, line->port);
    if (code != 0) {
        complain("model '%s' does not fit: %s", model->name, strerror(-code));
        xcp_image_fini(&line->image);
        return;
    }
    for (size_t i = 0; i < model->n_inputs; i++)
        for (size_t k = 0; k < model->inputs[i]->n_units; k++)
            xcp_image_put(&line->image, XCP_INPUTS, (int)(model->inputs[i]->offset + k),
                          model->inputs[i]->initial);
    line->model_id = model->model_id;
    line->daemon_id = model->daemon_id;
    line->looked_ns = 0;
    line->heard_ns = lk_client_now_ns();
    line->slave->image = &line->image;
    fprintf(stderr, "linkage-xcp: model '%s', %zu numbers to measure, %zu to set; EPK %s\n",
            model->name, line->image.region[XCP_OUTPUTS].size / 8,
            line->image.region[XCP_INPUTS].size / 8, line->image.epk);
}

/* ---- requests ---- */

static void ask(struct xcp_line *line, enum xcp_question question, int64_t now_ns)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__DescribeRequest describe = LINKAGE__V1__DESCRIBE_REQUEST__INIT;
    Linkage__V1__InputsRequest inputs = LINKAGE__V1__INPUTS_REQUEST__INIT;
    struct lk_error ignored; /* after an error the question is repeated later */

    if (question == XCP_DESCRIBE) {
        request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE;
        request.describe = &describe;
    } else {
        request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INPUTS;
        request.inputs = &inputs;
    }
    if (lk_client_post(line->poller, &request, &ignored) != 0)
        return;
    line->question = question;
    line->asked_ns = now_ns;
    line->outdated = false;
}

static void put_values(struct xcp_image *image, enum xcp_region region, int place,
                       const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        xcp_image_put(image, region, place + (int)i, values[i]);
}

static void take_inputs(struct xcp_line *line, const Linkage__V1__InputsReport *report)
{
    if (line->slave->image == NULL || report->n_inputs != (size_t)line->image.n_inputs)
        return;
    for (size_t i = 0; i < report->n_inputs; i++) {
        const Linkage__V1__InputReport *r = report->inputs[i];
        const struct xcp_input *input = &line->image.input[i];

        if (strcmp(r->channel, input->name) != 0 || r->n_values != (size_t)input->n ||
            r->n_acting != (size_t)input->n)
            return;
        put_values(&line->image, XCP_ACTING, input->place, r->acting, r->n_acting);
        if (!line->outdated)
            put_values(&line->image, XCP_INPUTS, input->place, r->values, r->n_values);
    }
    xcp_slave_event(line->slave, XCP_EVENT_INPUTS);
}

static void collect(struct xcp_line *line, int64_t now_ns)
{
    const Linkage__V1__ControlReply *reply;
    struct lk_error ignored;
    int code = lk_client_collect(line->poller, 0, &reply, &ignored);

    if (code == LK_CLIENT_E_NO_ANSWER) {
        if (now_ns - line->asked_ns < 2 * SECOND_NS)
            return;
        lk_client_forget(line->poller, &ignored);
    }
    if (code == 0 && line->question == XCP_DESCRIBE && reply->description != NULL)
        take_description(line, reply->description);
    else if (code == 0 && line->question == XCP_LOOK && reply->inputs != NULL)
        take_inputs(line, reply->inputs);
    line->question = XCP_NO_QUESTION;
}

/* ---- samples ---- */

/* Return true if the sample belongs to a new step. When a run pauses, its last step is published
 * once more. When a run restarts, its step number may be the same as before. */
static bool is_step(const struct xcp_line *line, const Linkage__V1__OutputSample *sample)
{
    return !line->has_sample || sample->step != line->step ||
           sample->state == LINKAGE__V1__STATE__STATE_RUNNING;
}

/* Set the clock to the time of a sample. After a restart of the run the clock continues from its
 * last value, so that it never runs backwards. */
static void move_clock(struct xcp_line *line, const Linkage__V1__OutputSample *sample)
{
    int64_t time_us = llround(fmin(sample->time_s * 1e6, 9e15));

    if (!line->has_sample)
        line->base_us = (int64_t)line->slave->clock_us;
    else if (sample->step <= line->step)
        line->base_us =
            (int64_t)line->slave->clock_us + llround(line->image.step_s * 1e6) - time_us;
    line->slave->clock_us = (uint64_t)(line->base_us + time_us);
}

/* Count lost messages and unpublished steps. Gaps in the sequence numbers prove lost messages. A
 * gap in the step numbers proves unpublished steps only if the daemon publishes every step. This is
 * assumed after two samples in a row that each follow the previous step, because a divisor above 1
 * never publishes consecutive steps. */
static void count_lost(struct xcp_line *line, const Linkage__V1__OutputSample *sample)
{
    uint64_t messages = sample->sequence - line->sequence;
    uint64_t steps = sample->step > line->step ? sample->step - line->step : 0; /* 0: restart */

    if (sample->sequence <= line->sequence)
        return;
    line->slave->lost += line->is_each && steps > messages ? steps - 1 : messages - 1;
    line->in_a_row = steps == 1 && messages == 1 ? line->in_a_row + 1 : 0;
    line->is_each = line->is_each || line->in_a_row >= 2;
}

static void take_sample(struct xcp_line *line, const Linkage__V1__OutputSample *sample)
{
    const struct xcp_rig rig = {.time_s = sample->time_s,
                                .step = sample->step,
                                .overruns = sample->overruns,
                                .state = (uint32_t)sample->state,
                                .flags = sample->flags};
    bool is_new = is_step(line, sample);

    if (sample->n_values * 8 != line->image.region[XCP_OUTPUTS].size)
        return;
    if (line->has_sample)
        count_lost(line, sample);
    if (is_new)
        move_clock(line, sample);
    line->has_sample = true;
    line->step = sample->step;
    line->sequence = sample->sequence;
    memcpy(line->image.region[XCP_RIG].bytes, &rig, sizeof(rig));
    put_values(&line->image, XCP_OUTPUTS, 0, sample->values, sample->n_values);
    if (is_new)
        xcp_slave_event(line->slave, XCP_EVENT_STEP);
}

/* Return true if a message belongs to the present daemon and model. Otherwise end the session. */
static bool is_known(struct xcp_line *line, uint64_t daemon_id, uint64_t model_id)
{
    if (line->slave->image == NULL)
        return false;
    if (daemon_id == line->daemon_id && model_id == line->model_id)
        return true;
    forget_model(line, "the daemon has another model");
    return false;
}

static void take_message(struct xcp_line *line, const void *data, size_t size)
{
    const Linkage__V1__Heartbeat *heartbeat;
    const Linkage__V1__OutputSample *sample;

    if (lk_wire_kind(data, size) == LK_WIRE_OUTPUT &&
        lk_wire_decode_output(&line->arena, data, size, &sample) == 0 &&
        is_known(line, sample->daemon_id, sample->model_id)) {
        take_sample(line, sample);
    } else if (lk_wire_kind(data, size) == LK_WIRE_HEARTBEAT &&
               lk_wire_decode_heartbeat(&line->arena, data, size, &heartbeat) == 0 &&
               is_known(line, heartbeat->daemon_id, heartbeat->model_id)) {
        uint32_t state = (uint32_t)heartbeat->state;

        memcpy(line->image.region[XCP_RIG].bytes + offsetof(struct xcp_rig, state), &state,
               sizeof(state));
    }
}

static void take_messages(struct xcp_line *line, int64_t now_ns)
{
    zmq_msg_t message;

    for (int i = 0; i < SAMPLES_MAX; i++) {
        if (lk_client_socket_receive(&line->outputs, 0, &message) != 0)
            return;
        line->heard_ns = now_ns;
        take_message(line, zmq_msg_data(&message), zmq_msg_size(&message));
        zmq_msg_close(&message);
    }
}

void xcp_line_serve(struct xcp_line *line, int64_t now_ns)
{
    take_messages(line, now_ns);
    if (line->question != XCP_NO_QUESTION)
        collect(line, now_ns);
    if (line->slave->image != NULL && now_ns - line->heard_ns > XCP_LOST_S * SECOND_NS)
        forget_model(line, "nothing is heard of the daemon");
    if (line->question == XCP_NO_QUESTION &&
        now_ns - line->looked_ns >= XCP_INPUTS_EVERY_MS * INT64_C(1000000)) {
        line->looked_ns = now_ns;
        ask(line, line->slave->image == NULL ? XCP_DESCRIBE : XCP_LOOK, now_ns);
    }
    xcp_ports_flush(line->ports);
}

/* ---- calibration ---- */

/* Convert the result of a daemon's reply to an error of XCP. */
static int error_of(const Linkage__V1__ControlReply *reply)
{
    switch ((int)reply->result) {
    case LINKAGE__V1__RESULT__RESULT_OK:
        return XCP_E_NONE;
    case LINKAGE__V1__RESULT__RESULT_BAD_VALUE:
        return XCP_E_OUT_OF_RANGE;
    case LINKAGE__V1__RESULT__RESULT_CLAIMED: /* a bench has claimed the input */
    case LINKAGE__V1__RESULT__RESULT_FORBIDDEN:
        return XCP_E_ACCESS_DENIED;
    case LINKAGE__V1__RESULT__RESULT_WRONG_STATE:
        return XCP_E_NOT_NOW;
    default:
        return XCP_E_GENERIC;
    }
}

static int set_input(struct xcp_line *line, const struct xcp_input *input, double *values)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__SetRequest set = LINKAGE__V1__SET_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_error error;
    int refused;

    set.channel = (char *)input->name;
    set.values = values;
    set.n_values = (size_t)input->n;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_SET;
    request.set = &set;
    if (lk_client_call(line->setter, &request, &reply, &error) != 0) {
        complain("%s", error.text);
        return XCP_E_NOT_NOW;
    }
    refused = error_of(reply);
    if (refused != XCP_E_NONE)
        complain("'%s' was not set: %s", input->name, reply->text);
    else
        put_values(&line->image, XCP_INPUTS, input->place, values, (size_t)input->n);
    return refused;
}

int xcp_line_write(void *context, int place, int n, const double *values)
{
    struct xcp_line *line = context;
    int error = XCP_E_NONE;

    line->outdated = true;
    for (int i = 0; i < line->image.n_inputs && error == XCP_E_NONE; i++) {
        const struct xcp_input *input = &line->image.input[i];
        double all[LK_WIRE_SCALARS_MAX];
        bool is_meant = false;

        for (int k = 0; k < input->n; k++) {
            int from = input->place + k - place;

            all[k] = from >= 0 && from < n
                         ? values[from]
                         : xcp_image_value(&line->image, XCP_INPUTS, input->place + k);
            is_meant = is_meant || (from >= 0 && from < n);
        }
        if (is_meant)
            error = set_input(line, input, all);
    }
    return error;
}
