/* SPDX-License-Identifier: Apache-2.0 */
#include "villas.h"
#include "clock.h"
#include "inputs.h"
#include "log.h"
#include "realtime.h"
#include "villas_wire.h"
#include "wait.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RETRY_NS INT64_C(1000000000)

/** struct lkd_villas - a gateway.
 * @lock:               guards everything except the channels and the configuration
 * @in_fits, @out_fits: names are configured for this direction, and the model has all of them
 * @channel:            names of the channels to claim
 * @token:              token of the claim, 0: none
 * @retry_ns:           time of the next attempt to claim
 * @heard_ns:           time of the last message
 * @refused:            the refusal of the claim was logged
 * @values:             values of a sample in the order of the claim
 * @step:               step of the last record sent
 * @due:                step of the next record to send */
struct lkd_villas {
    const struct lkd_villas_config *config;
    struct lkd_inputs *inputs;
    struct lkd_port *inputs_port;
    struct lkd_port *outputs_port;

    pthread_mutex_t lock;
    struct lk_wire_arena arena;
    uint64_t model_id;
    bool in_fits;
    bool out_fits;
    struct lkd_villas_map in;
    struct lkd_villas_map out;
    char channel[LKD_VILLAS_NAMES_MAX][LK_NAME_SIZE];
    uint64_t token;
    int64_t retry_ns;
    int64_t heard_ns;
    bool refused;
    double values[LKD_VILLAS_SCALARS];

    struct lk_villas_frame frame;
    unsigned char *buffer;
    uint64_t sequence;
    uint64_t step;
    uint64_t due;
    struct lkd_villas_counts counts;
};

/* ---- open and close ---- */

static void warn_of_clear_text(const char *endpoint)
{
    struct lk_error reason;

    if (*endpoint && lkd_endpoint_check(endpoint, &reason))
        lkd_log(LKD_C_CLEAR_TEXT,
                "%s is open to other machines, without keys or encryption (villas.clear_text)",
                endpoint);
}

int lkd_villas_open(const struct lkd_villas_config *config, struct lkd_inputs *inputs,
                    struct lkd_port *inputs_port, struct lkd_port *outputs_port,
                    struct lkd_villas **ret_villas)
{
    struct lkd_villas *villas;
    int r;

    *ret_villas = NULL;
    if (!inputs_port && !outputs_port)
        return 0;
    villas = calloc(1, sizeof(*villas));
    if (!villas)
        return -ENOMEM;
    villas->config = config;
    villas->inputs = inputs;
    villas->inputs_port = inputs_port;
    villas->outputs_port = outputs_port;
    lkd_realtime_lock_init(&villas->lock);
    warn_of_clear_text(config->inputs);
    warn_of_clear_text(config->outputs);
    villas->buffer = malloc(LK_VILLAS_MESSAGE_MAX);
    r = villas->buffer ? lk_wire_arena_init(&villas->arena, LK_VILLAS_ARENA) : -ENOMEM;
    if (r)
        lkd_villas_close(villas);
    else
        *ret_villas = villas;
    return r;
}

void lkd_villas_close(struct lkd_villas *villas)
{
    if (!villas)
        return;
    lk_wire_arena_fini(&villas->arena);
    lk_villas_frame_fini(&villas->frame);
    free(villas->buffer);
    pthread_mutex_destroy(&villas->lock);
    free(villas);
}

int lkd_villas_descriptor(const struct lkd_villas *villas)
{
    return villas && villas->inputs_port ? lkd_port_descriptor(villas->inputs_port) : -1;
}

/* ---- a model ---- */

/* Resolve the names of the inputs in the model. Requires the lock. */
static void map_inputs(struct lkd_villas *villas, const struct lk_system *system)
{
    const struct lk_channel *channels;
    struct lk_error error;
    int n;

    villas->in_fits = false;
    if (!villas->inputs_port || villas->config->in.n == 0)
        return;
    channels = lk_system_input_channels(system, &n);
    if (lkd_villas_map_inputs(&villas->config->in, channels, n, &villas->in, &error)) {
        lkd_log(LKD_C_GATEWAY_SILENT, "villas.in: %s; samples of the gateway are ignored",
                error.text);
        return;
    }
    for (int i = 0; i < villas->in.n_channels; i++)
        memcpy(villas->channel[i], channels[villas->in.channel[i]].name, LK_NAME_SIZE);
    villas->in_fits = true;
}

/* Resolve the names of the outputs in the model. Requires the lock. */
static void map_outputs(struct lkd_villas *villas, const struct lk_system *system)
{
    const struct lk_channel *channels;
    struct lk_error error;
    int n;

    villas->out_fits = false;
    lk_villas_frame_fini(&villas->frame);
    if (!villas->outputs_port || villas->config->out.n == 0)
        return;
    channels = lk_system_output_channels(system, &n);
    if (lkd_villas_map_outputs(&villas->config->out, channels, n, &villas->out, &error)) {
        lkd_log(LKD_C_GATEWAY_SILENT, "villas.out: %s; nothing is sent to the gateway", error.text);
        return;
    }
    villas->out_fits = lk_villas_frame_init(&villas->frame, (size_t)villas->out.n) == 0;
}

/* Log the refusal of a claim only once, because the claim is repeated every second. Requires the
 * lock. */
static void report_refusal(struct lkd_villas *villas, const struct lk_error *error)
{
    if (!villas->refused)
        lkd_log(LKD_C_GATEWAY_SILENT,
                "villas.in: %s; samples of the gateway are ignored, retrying every second",
                error->text);
    villas->refused = true;
}

/* Claim the channels of the gateway. Requires the lock. */
static void claim_channels(struct lkd_villas *villas, int64_t now_ns)
{
    struct lkd_channel_wish channels[LKD_VILLAS_NAMES_MAX] = {{0}};
    const struct lkd_claim_wish wish = {
        .bench = LKD_VILLAS_BENCH,
        .channels = channels,
        .n_channels = (size_t)villas->in.n_channels,
        .model_id = villas->model_id,
        .peer = "",
        .quiet = true,
    };
    struct lkd_claim_grant grant;
    struct lk_error error = {0};

    villas->retry_ns = now_ns + RETRY_NS;
    for (int i = 0; i < villas->in.n_channels; i++)
        channels[i].name = villas->channel[i];
    if (lkd_inputs_claim(villas->inputs, &wish, now_ns, &grant, &error) !=
        LINKAGE__V1__RESULT__RESULT_OK) {
        report_refusal(villas, &error);
        return;
    }
    villas->token = grant.token;
    villas->refused = false;
}

void lkd_villas_load(struct lkd_villas *villas, const struct lk_system *system, uint64_t model_id)
{
    if (!villas)
        return;
    pthread_mutex_lock(&villas->lock);
    villas->model_id = model_id;
    villas->token = 0; /* claims end with their model */
    villas->refused = false;
    map_inputs(villas, system);
    map_outputs(villas, system);
    if (villas->in_fits)
        claim_channels(villas, lkd_clock_ns());
    pthread_mutex_unlock(&villas->lock);
}

/* Return true if all channels of the gateway are free. Requires the lock. */
static bool are_free(struct lkd_villas *villas)
{
    struct lkd_inputs_channel channel;

    for (int i = 0; i < villas->in.n_channels; i++)
        if (!lkd_inputs_channel_at(villas->inputs, villas->in.channel[i], &channel) ||
            channel.bench[0])
            return false;
    return true;
}

void lkd_villas_tick(struct lkd_villas *villas, int64_t now_ns)
{
    if (!villas)
        return;
    pthread_mutex_lock(&villas->lock);
    if (villas->in_fits && villas->token == 0 && now_ns >= villas->retry_ns &&
        (now_ns - villas->heard_ns < RETRY_NS || are_free(villas)))
        claim_channels(villas, now_ns);
    pthread_mutex_unlock(&villas->lock);
}

/* ---- inputs ---- */

/* Reorder values from the order of positions to that of the claim. If the number of values is
 * wrong, they are passed unchanged, so that the input table refuses them and counts the refusal
 * with the claim. */
static const double *arrange_values(struct lkd_villas *villas,
                                    const struct lk_villas_sample *sample)
{
    if (sample->n_values != (size_t)villas->in.n)
        return sample->values;
    for (size_t i = 0; i < sample->n_values; i++)
        villas->values[villas->in.index[i]] = sample->values[i];
    return villas->values;
}

/* Enter a sample into the input table with the token of the claim. Requires the lock. */
static void offer_sample(struct lkd_villas *villas, const struct lk_villas_sample *sample,
                         int64_t now_ns)
{
    const struct lkd_sample offered = {
        .sequence = sample->sequence,
        .origin_ns = sample->origin_ns,
        .token = villas->token,
        .received_ns = now_ns,
        .values = arrange_values(villas, sample),
        .n_values = sample->n_values,
        .clock = {.id = LINKAGE__V1__CLOCK__ID__ID_UTC},
    };
    int r;

    if (villas->token == 0) { /* the lack of a claim was already logged in claim_channels() */
        villas->counts.refused_values++;
        return;
    }
    r = lkd_inputs_offer(villas->inputs, &offered, NULL);
    if (r == LKD_INPUT_OK) {
        villas->counts.accepted++;
        return;
    }
    villas->counts.refused_values++;
    lkd_log(LKD_C_GATEWAY_REFUSED, "sample of the gateway refused: %s", lkd_input_status_text(r));
    if (r == LKD_INPUT_E_TOKEN) /* another bench claimed the channels meanwhile */
        villas->token = 0;
}

/* Count and log a message that cannot be decoded. Requires the lock. */
static void refuse_message(struct lkd_villas *villas, const char *why)
{
    villas->counts.undecodable++;
    lkd_inputs_refuse(villas->inputs);
    lkd_log(LKD_C_GATEWAY_REFUSED, "message of the gateway refused: %s", why);
}

/* Decode a message and enter its sample into the table. Requires the lock. */
static void receive_message(struct lkd_villas *villas, const void *data, size_t size,
                            int64_t now_ns)
{
    struct lk_villas_sample sample;
    int r = lk_villas_decode(&villas->arena, data, size, &sample);

    villas->heard_ns = now_ns;
    if (r && r != LK_VILLAS_E_NO_DATA) {
        refuse_message(villas, lk_villas_status_text(r));
        return;
    }
    villas->counts.ignored += sample.ignored;
    villas->counts.older += sample.older;
    if (r == 0)
        offer_sample(villas, &sample, now_ns);
}

int lkd_villas_drain(struct lkd_villas *villas, int limit)
{
    struct lkd_message message;
    int i;

    if (!villas || !villas->inputs_port)
        return 0;
    pthread_mutex_lock(&villas->lock);
    for (i = 0; i < limit && lkd_port_receive(villas->inputs_port, &message); i++) {
        if (message.kind == LKD_FRAME_MESSAGE)
            receive_message(villas, message.data, message.size, lkd_clock_ns());
        else if (message.kind == LKD_FRAME_PARTS)
            refuse_message(villas, "more than one frame; no filter may be set in the gateway");
        else if (message.kind == LKD_FRAME_LONG)
            refuse_message(villas, lk_villas_status_text(LK_VILLAS_E_TOO_LARGE));
    }
    pthread_mutex_unlock(&villas->lock);
    return i;
}

/* ---- outputs ---- */

void lkd_villas_begin(struct lkd_villas *villas)
{
    if (!villas)
        return;
    pthread_mutex_lock(&villas->lock);
    villas->step = 0;
    villas->due = villas->config->divisor;
    pthread_mutex_unlock(&villas->lock);
}

/* Return true if the record is due and its step has not been sent. If records were missed, the next
 * record replaces them, and the sequence number increases by the number of missed ones. Requires
 * the lock. */
static bool is_due(struct lkd_villas *villas, uint64_t step)
{
    uint64_t divisor = villas->config->divisor;

    if (step <= villas->step || step < villas->due)
        return false;
    villas->sequence += (step - villas->due) / divisor + 1;
    villas->step = step;
    villas->due = step - step % divisor + divisor;
    return true;
}

/* Send the outputs of a record. Requires the lock. */
static void send_record(struct lkd_villas *villas, const struct lkd_output *output)
{
    uint64_t age_ns = (uint64_t)(lkd_clock_ns() - output->figures.computed_ns);
    size_t size;

    for (int i = 0; i < villas->out.n; i++)
        villas->frame.value[i].f = output->values[villas->out.index[i]];
    if (lk_villas_encode(&villas->frame, villas->sequence, lkd_wall_clock_ns() - age_ns,
                         villas->buffer, LK_VILLAS_MESSAGE_MAX, &size) == 0 &&
        lkd_port_send_bytes(villas->outputs_port, villas->buffer, size))
        villas->counts.sent++;
    else
        villas->counts.unsent++;
}

void lkd_villas_publish(struct lkd_villas *villas, const struct lkd_output *output,
                        uint64_t model_id)
{
    if (!villas)
        return;
    pthread_mutex_lock(&villas->lock);
    if (villas->out_fits && model_id == villas->model_id && is_due(villas, output->figures.step))
        send_record(villas, output);
    pthread_mutex_unlock(&villas->lock);
}

bool lkd_villas_count(struct lkd_villas *villas, struct lkd_villas_counts *ret)
{
    if (!villas)
        return false;
    pthread_mutex_lock(&villas->lock);
    *ret = villas->counts;
    pthread_mutex_unlock(&villas->lock);
    return true;
}

void lkd_villas_report(struct lkd_villas *villas)
{
    struct lkd_villas_counts c;

    if (!lkd_villas_count(villas, &c))
        return;
    lkd_log(LKD_C_GATEWAY_FIGURES,
            "gateway since the start: %" PRIu64 " sample%s taken, %" PRIu64 " refused, %" PRIu64
            " undecodable, %" PRIu64 " passed over for newer ones, %" PRIu64
            " without data; %" PRIu64 " sent, %" PRIu64 " not sent",
            c.accepted, c.accepted == 1 ? "" : "s", c.refused_values, c.undecodable, c.older,
            c.ignored, c.sent, c.unsent);
}
