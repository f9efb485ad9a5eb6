/* SPDX-License-Identifier: Apache-2.0 */
#include "trip.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define STREAM_NS      INT64_C(2000000) /* 500 samples a second */
#define CONNECT_MS     10000
#define LISTEN_MS      50
#define PING_MS        2000               /* time limit for an effect */
#define SETTLE_NS      INT64_C(100000000) /* wait for the last effect, plus two cycles */
#define GOLDEN_SECTION 0.6180339887498949

/** struct line - the bench's sockets.
 * @first: first sequence number of the slice. Sequence numbers must increase from slice to slice.
 *         Therefore the first one is the clock in microseconds, which increases faster than samples
 *         are sent. */
struct line {
    struct lat_rig *rig;
    struct lk_client_inputs *inputs;
    struct lk_client_outputs *outputs;
    double *values;
    uint64_t first;
};

/* struct seen - time at which the effect of a sample was first observed. There is one entry for
 * each newest observed sample. */
struct seen {
    uint64_t sequence;
    int64_t at_ns;
};

struct listener {
    struct line *line;
    struct seen *seen;
    size_t n;
    size_t size;
    atomic_bool ends;
};

static int open_line(struct lat_rig *rig, struct line *line, struct lk_error *error)
{
    int code;

    *line = (struct line){.rig = rig, .first = (uint64_t)lk_client_now_ns() / 1000};
    line->values = calloc(rig->n_inputs, sizeof(*line->values));
    code = line->values != NULL ? 0 : -ENOMEM;
    if (code == 0)
        code = lk_client_outputs_open(rig->client, rig->endpoint[2], &line->outputs, error);
    if (code == 0)
        code = lk_client_inputs_open(rig->client, rig->endpoint[1], &line->inputs, error);
    if (code == 0 && (code = lk_client_inputs_wait(line->inputs, CONNECT_MS)) != 0)
        lk_error_set(error, "linkaged does not take inputs at %s", rig->endpoint[1]);
    /* the previous claim may have expired, because the time between slices may exceed a lease */
    if (code == 0 && rig->n_inputs > 0)
        code = lk_client_claim_all(rig->client, "linkage-latency", rig->token, &rig->token, error);
    return code;
}

static void close_line(struct line *line)
{
    lk_client_inputs_close(line->inputs);
    lk_client_outputs_close(line->outputs);
    free(line->values);
}

/* Send sample @k. All values are zero, which any model accepts.
 * @ret_sent_ns: time of sending */
static int send_sample(struct line *line, size_t k, int64_t *ret_sent_ns)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;

    *ret_sent_ns = lk_client_now_ns();
    sample.sequence = line->first + k;
    sample.origin_ns = (uint64_t)*ret_sent_ns;
    sample.model_id = line->rig->model_id;
    sample.token = line->rig->token;
    sample.values = line->values;
    sample.n_values = line->rig->n_inputs;
    return lk_client_inputs_send(line->inputs, &sample);
}

/* ---- ping-pong ---- */

/* Wait for the effect of sample @k.
 * Return: time of the first output with this effect; 0: none until @until_ns. */
static int64_t await_effect(struct line *line, size_t k, int64_t until_ns)
{
    const Linkage__V1__OutputSample *sample;
    int64_t at_ns;

    while (lk_client_now_ns() < until_ns && !lat_interrupted()) {
        if (lk_client_outputs_receive(line->outputs, LISTEN_MS, &at_ns, &sample) == 0 &&
            sample->input_sequence >= line->first + k)
            return at_ns;
    }
    return 0;
}

static int play_ping_pong(struct line *line, double slice_s, struct lat_trips *trips)
{
    int64_t until_ns = lk_client_now_ns() + (int64_t)(slice_s * 1e9);
    int64_t sent_ns, seen_ns;
    int code = 0;

    for (size_t k = 0; code == 0 && lk_client_now_ns() < until_ns && !lat_interrupted(); k++) {
        code = send_sample(line, k, &sent_ns);
        seen_ns = code == 0 ? await_effect(line, k, sent_ns + PING_MS * INT64_C(1000000)) : 0;
        if (seen_ns > 0)
            code = lat_histogram_add_value(&trips->time, (double)(seen_ns - sent_ns) * 1e-3);
        else
            trips->unseen++;
    }
    return code;
}

/* ---- stream ---- */

static void *listen_outputs(void *data)
{
    struct listener *listener = data;
    uint64_t newest = listener->line->first - 1;

    while (!atomic_load(&listener->ends)) {
        const Linkage__V1__OutputSample *sample;
        int64_t at_ns;

        if (lk_client_outputs_receive(listener->line->outputs, LISTEN_MS, &at_ns, &sample) != 0 ||
            sample->input_sequence <= newest || listener->n == listener->size)
            continue;
        newest = sample->input_sequence;
        listener->seen[listener->n++] = (struct seen){newest, at_ns};
    }
    return NULL;
}

/* Return the instant of sample @k after the first sample. With constant intervals all samples would
 * be sent at the same phase of the cycle, and the result would depend on chance. Therefore each
 * sample is delayed by a part of the cycle. The golden section distributes these parts evenly. */
static int64_t instant_ns(size_t k, int64_t interval_ns, int64_t cycle_ns)
{
    double part = (double)k * GOLDEN_SECTION;

    return (int64_t)k * interval_ns + (int64_t)((part - floor(part)) * (double)cycle_ns);
}

/* Send @n samples.
 * @sent_ns: receives the time of each sample
 * Return: 0, negative errno. */
static int send_stream(struct line *line, int64_t interval_ns, int64_t *sent_ns, size_t n)
{
    int64_t cycle_ns = line->rig->period_ns, begin_ns = lk_client_now_ns();

    for (size_t k = 0; k < n; k++) {
        int code;

        if (!lat_wait_until(begin_ns + instant_ns(k, interval_ns, cycle_ns)))
            return -EINTR;
        code = send_sample(line, k, &sent_ns[k]);
        if (code != 0)
            return code;
    }
    lat_wait_until(lk_client_now_ns() + 2 * cycle_ns + SETTLE_NS);
    return 0;
}

/* Find for each sample the first output with the effect of this sample or of a newer sample. */
static int match_effects(const struct line *line, const int64_t *sent_ns, size_t n,
                         const struct listener *listener, struct lat_trips *trips)
{
    size_t at = 0;
    int code = 0;

    for (size_t k = 0; k < n && code == 0; k++) {
        while (at < listener->n && listener->seen[at].sequence < line->first + k)
            at++;
        if (at == listener->n)
            trips->unseen++;
        else
            code = lat_histogram_add_value(&trips->time,
                                           (double)(listener->seen[at].at_ns - sent_ns[k]) * 1e-3);
    }
    return code;
}

static int stream_and_listen(struct line *line, struct listener *listener, int64_t *sent_ns,
                             double slice_s, struct lat_trips *trips)
{
    int64_t cycle_ns = line->rig->period_ns;
    int64_t interval_ns = STREAM_NS > 2 * cycle_ns ? STREAM_NS : 2 * cycle_ns;
    size_t n = (size_t)(slice_s * 1e9 / (double)interval_ns);
    pthread_t thread;
    int code = -pthread_create(&thread, NULL, listen_outputs, listener);

    if (code != 0)
        return code;
    code = send_stream(line, interval_ns, sent_ns, n);
    atomic_store(&listener->ends, true);
    pthread_join(thread, NULL);
    return code != 0 ? code : match_effects(line, sent_ns, n, listener, trips);
}

static int run_stream(struct line *line, double slice_s, struct lat_trips *trips)
{
    size_t size = (size_t)(slice_s * 1e9 / STREAM_NS) + 1;
    struct listener listener = {.line = line, .size = size};
    int64_t *sent_ns = calloc(size, sizeof(*sent_ns));
    int code = -ENOMEM;

    listener.seen = calloc(size, sizeof(*listener.seen));
    if (sent_ns != NULL && listener.seen != NULL)
        code = stream_and_listen(line, &listener, sent_ns, slice_s, trips);
    free(listener.seen);
    free(sent_ns);
    return code;
}

/* ---- a slice ---- */

static int run_line(struct line *line, enum lat_trip_kind kind, double slice_s,
                    struct lat_trips *trips, struct lk_error *error)
{
    int code = lat_rig_start(line->rig, error), stop_code;

    if (code != 0)
        return code;
    code = kind == LAT_STREAM ? run_stream(line, slice_s, trips)
                              : play_ping_pong(line, slice_s, trips);
    if (code < 0 && code != -EINTR)
        lk_error_set(error, "the bench on the line: %s", strerror(-code));
    stop_code = lat_rig_stop(line->rig, code == 0 ? error : NULL);
    code = code != 0 ? code : stop_code;
    return code == 0 && lat_interrupted() ? -EINTR : code;
}

int lat_trip_run(struct lat_rig *rig, enum lat_trip_kind kind, double slice_s,
                 struct lat_trips *ret_trips, struct lk_error *ret_error)
{
    struct lat_trips trips = {0};
    struct line line;
    int code = open_line(rig, &line, ret_error);

    if (code == 0)
        code = run_line(&line, kind, slice_s, &trips, ret_error);
    close_line(&line);
    if (code != 0)
        lat_histogram_fini(&trips.time);
    else
        *ret_trips = trips;
    return code;
}
