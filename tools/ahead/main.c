/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-ahead: publishes what a run will be a little later.
 *
 *     daemon   ... a copy of the state ->   fork: steps to the horizon   -> OutputSample
 *
 * It is a process of its own with normal priority: the daemon copies its state as for a snapshot,
 * and waits for nothing. A fork that takes longer than its horizon is in the past, and not
 * published. */
#include "ahead.h"
#include "client.h"
#include "message.h"
#include "option_table.h"
#include "service.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

#define TIMEOUT_MS 2000
#define AGAIN_S    0.5 /* until a daemon without a run is asked again */

/** struct options - the command line; @horizon, @every: [s] */
struct options {
    const char *control;
    const char *publish;
    const char *roads;
    double horizon;
    double every;
    bool holds;
};

/** struct tally - what was published, for the end. @age_s: sum and largest of the ages at
 * publication
 */
struct tally {
    unsigned long long published;
    unsigned long long late;
    double age_s;
    double worst_s;
};

/** struct work - a connection and its fork. @model_id: of the fork, 0: none */
struct work {
    const struct options *o;
    struct lk_client *client;
    void *socket;
    struct ahead ahead;
    uint64_t model_id;
    struct tally tally;
    uint8_t *bytes;
    size_t room;
    double *values;
    bool has_told;
};

static void nap(double seconds)
{
    const struct timespec t = {.tv_sec = (time_t)seconds,
                               .tv_nsec = (long)(1e9 * (seconds - floor(seconds)))};

    nanosleep(&t, NULL);
}

/* say once why there is no fork */
static void tell(struct work *w, const char *text)
{
    if (!w->has_told)
        complain("%s", text);
    w->has_told = true;
}

static const Linkage__V1__ControlReply *ask(struct work *w, Linkage__V1__ControlRequest *request)
{
    const Linkage__V1__ControlReply *reply;
    struct lk_error error;

    if (lk_client_call(w->client, request, &reply, &error) == 0)
        return reply;
    tell(w, error.text);
    return NULL;
}

/* compile the model that the daemon has. Return: whether there is a fork of it */
static bool know_model(struct work *w, uint64_t model_id)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ModelRequest model = LINKAGE__V1__MODEL_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_error error;

    if (w->model_id == model_id)
        return true;
    ahead_free(&w->ahead);
    w->model_id = 0;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_MODEL;
    request.model = &model;
    reply = ask(w, &request);
    if (reply == NULL || reply->model == NULL || reply->model->model_id != model_id)
        return false;
    if (ahead_new(reply->model, w->o->roads, &w->ahead, &error) != 0) {
        tell(w, error.text);
        return false;
    }
    free(w->values);
    w->values = calloc((size_t)lk_system_output_size(w->ahead.system) + 1, sizeof(double));
    w->model_id = model_id;
    return w->values != NULL;
}

/* publish the outputs of the fork, with the time of its state and that of the copy as the end of
 * the computation */
static void publish(struct work *w, uint64_t copied_ns)
{
    Linkage__V1__OutputSample sample = LINKAGE__V1__OUTPUT_SAMPLE__INIT;
    double age_s = 1e-9 * (double)((uint64_t)lk_client_now_ns() - copied_ns);
    size_t size;

    if (age_s > w->o->horizon) {
        w->tally.late++;
        return;
    }
    lk_system_outputs(w->ahead.system, w->values);
    sample.sequence = ++w->tally.published;
    sample.step = lk_system_step_count(w->ahead.system);
    sample.time_s = lk_system_time(w->ahead.system);
    sample.state = LINKAGE__V1__STATE__STATE_RUNNING;
    sample.computed_ns = copied_ns;
    sample.published_ns = (uint64_t)lk_client_now_ns();
    sample.model_id = w->model_id;
    sample.n_values = (size_t)lk_system_output_size(w->ahead.system);
    sample.values = w->values;
    size = linkage__v1__output_sample__get_packed_size(&sample);
    if (size > w->room) {
        free(w->bytes);
        w->bytes = malloc(size);
        w->room = w->bytes != NULL ? size : 0;
    }
    if (w->room < size)
        return;
    linkage__v1__output_sample__pack(&sample, w->bytes);
    zmq_send(w->socket, w->bytes, size, ZMQ_DONTWAIT);
    w->tally.age_s += age_s;
    w->tally.worst_s = fmax(w->tally.worst_s, age_s);
}

/* Take a copy and go ahead from it. Return: whether there was a run */
static bool look_ahead(struct work *w)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__SnapshotRequest snapshot = LINKAGE__V1__SNAPSHOT_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_error error;
    uint64_t copied_ns;
    int r, steps;

    snapshot.in_reply = 1;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_SNAPSHOT;
    request.snapshot = &snapshot;
    reply = ask(w, &request);
    if (reply == NULL)
        return false;
    if (reply->copy == NULL) {
        tell(w, reply->text);
        return false;
    }
    if (w->model_id != reply->copy->model_id) /* the copy does not outlive the next request */
        return know_model(w, reply->copy->model_id);
    copied_ns = reply->copy->copied_ns;
    r = ahead_take(&w->ahead, reply->copy, &error);
    if (r != 0) {
        tell(w, error.text);
        return false;
    }
    steps = (int)rint(w->o->horizon / lk_system_step_size(w->ahead.system));
    w->has_told = false;
    if (ahead_run(&w->ahead, steps, w->o->holds) == 0)
        publish(w, copied_ns);
    return true;
}

static int run(struct work *w)
{
    double due_s = 1e-9 * (double)lk_client_now_ns();

    while (!service_ends()) {
        double now_s;

        if (!look_ahead(w) && !service_ends())
            nap(AGAIN_S);
        due_s += w->o->every;
        now_s = 1e-9 * (double)lk_client_now_ns();
        if (now_s > due_s) /* what is late is left out */
            due_s = now_s;
        else
            nap(due_s - now_s);
    }
    printf("{\"published\": %llu, \"late\": %llu, \"mean_age_ms\": %.2f, \"worst_age_ms\": %.2f}\n",
           w->tally.published, w->tally.late,
           1e3 * w->tally.age_s / fmax((double)w->tally.published, 1), 1e3 * w->tally.worst_s);
    return 0;
}

static int open_and_run(const struct options *o)
{
    void *context = zmq_ctx_new();
    struct work w = {.o = o, .socket = zmq_socket(context, ZMQ_PUB)};
    struct lk_error error;
    int code = 1, linger = 0;

    if (w.socket == NULL || zmq_setsockopt(w.socket, ZMQ_LINGER, &linger, sizeof(linger)) != 0 ||
        zmq_bind(w.socket, o->publish) != 0)
        complain("--publish %s: %s", o->publish, zmq_strerror(zmq_errno()));
    else if (lk_client_open(o->control, TIMEOUT_MS, &w.client, &error) != 0)
        complain("%s", error.text);
    else
        code = run(&w);
    if (w.client != NULL)
        lk_client_close(w.client);
    ahead_free(&w.ahead);
    free(w.values);
    free(w.bytes);
    if (w.socket != NULL)
        zmq_close(w.socket);
    zmq_ctx_term(context);
    return code;
}

static const char usage[] =
    "usage: linkage-ahead [options]\n"
    "Publishes the outputs that a run will have a little later: it goes on from copies of its "
    "state,\n"
    "with the inputs as they change now.\n"
    "  -h, --horizon S    so far ahead [s]; default 0.05\n"
    "  -e, --every S      one forecast in this time [s]; default 0.02\n"
    "      --hold         inputs stay as they are, without their rates of change\n"
    "  -p, --publish E    endpoint of the forecasts; default tcp://127.0.0.1:5604\n"
    "  -r, --roads FOLDER where the files of roads are that the model names\n"
    "      --control E    endpoint of the daemon\n";

int main(int argc, char *argv[])
{
    struct options o = {.control = LK_CLIENT_CONTROL,
                        .publish = "tcp://127.0.0.1:5604",
                        .horizon = 0.05,
                        .every = 0.02};
    const struct option_row rows[] = {
        {"horizon", 'h', .number = &o.horizon, .low = 1e-3, .high = 10, .unit = "s"},
        {"every", 'e', .number = &o.every, .low = 1e-3, .high = 10, .unit = "s"},
        {"hold", .flag = &o.holds},
        {"publish", 'p', .text = &o.publish},
        {"roads", 'r', .text = &o.roads},
        {"control", .text = &o.control},
        {"help", .print = usage},
        {NULL},
    };
    const struct option_table table = {.rows = rows};
    int code = options_parse(argc, argv, &table);

    if (code != 0)
        return options_status(code);
    if (optind != argc) {
        fputs(usage, stderr);
        return OPTIONS_USAGE;
    }
    if (!service_begin())
        return 1;
    return open_and_run(&o);
}
