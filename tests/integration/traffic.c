/* SPDX-License-Identifier: Apache-2.0 */
/* usage: traffic FOLDER KEY HOST KIND [CHANNEL]
 *
 * FOLDER has server.key.pub and KEY.key; the daemon is at HOST, ports 5600 to 5602. KIND is
 *   bench          sends samples for CHANNEL, one for each output sample; prints a line whenever
 *                  its state changes and every half second
 *   observe        prints a line when the flags of the outputs change, and at the end the number
 *                  of received and of missed samples
 *   inputs, control, subscriptions   floods
 *   garbage        bytes that are not ZeroMQ, and half-open connections
 * The program runs until SIGTERM. A bench then releases its channel. */
#include "traffic.h"
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

static volatile sig_atomic_t ended;

static void end(int signal_number)
{
    (void)signal_number;
    ended = 1;
}

bool line_ended(void)
{
    return ended;
}

static int fail(const char *text)
{
    printf("failed: %s\n", text);
    return 1;
}

void *line_socket(const struct line *line, void *context, int type, int which)
{
    void *socket = zmq_socket(context, type);
    const int zero = 0;

    if (!socket || zmq_setsockopt(socket, ZMQ_LINGER, &zero, sizeof(zero)) ||
        zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, line->keys.server_key, LK_KEY_SIZE) ||
        zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, line->keys.public_key, LK_KEY_SIZE) ||
        zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, line->keys.secret_key, LK_KEY_SIZE) ||
        zmq_connect(socket, line->endpoint[which]))
        exit(fail(zmq_strerror(zmq_errno())));
    return socket;
}

/* ---- a bench ---- */

static void print_bench(const struct lk_client_bench_view *view)
{
    printf("%s claims %" PRIu64 " sent %" PRIu64 " received %" PRIu64 " lost %" PRIu64 " %s\n",
           lk_client_bench_state_name(view->state), view->times_claimed, view->sent, view->received,
           view->lost, view->text);
}

static int feed(const struct line *line, const char *channel)
{
    const struct lk_client_bench_channel wish = {channel, "N m"};
    const struct lk_client_bench_setup setup = {
        .control = line->endpoint[0],
        .inputs = line->endpoint[1],
        .outputs = line->endpoint[2],
        .keys = &line->keys,
        .name = line->name,
        .channels = &wish,
        .n_channels = 1,
    };
    struct lk_client_bench_view view;
    struct lk_client_bench *bench;
    struct lk_error error;
    int64_t print_ns = 0;
    int state = -1;

    if (lk_client_bench_open(&setup, &bench, &error) != 0)
        return fail(error.text);
    while (!ended) {
        const Linkage__V1__OutputSample *sample;

        if (lk_client_bench_receive(bench, 50, NULL, &sample) == 0) {
            double torque = 0.5 * sin(6 * sample->time_s);

            lk_client_bench_send(bench, &torque, 1, NULL);
        }
        lk_client_bench_read_state(bench, &view);
        if ((int)view.state != state || lk_client_now_ns() > print_ns) {
            print_ns = lk_client_now_ns() + 500000000;
            state = (int)view.state;
            print_bench(&view);
        }
    }
    lk_client_bench_close(bench);
    return 0;
}

/* ---- an observer ---- */

/* struct seen - @latched: step at which the newest sample of each claim began to act */
struct seen {
    uint64_t received;
    uint64_t missed;
    uint64_t sequence;
    uint64_t daemon_id;
    uint32_t flags;
    uint64_t latched[17];
};

static void print_flags(const struct seen *seen, const Linkage__V1__OutputSample *sample)
{
    printf("step %" PRIu64 " flags %" PRIu32 " latched", sample->step, sample->flags);
    for (int i = 1; i < 17; i++)
        printf(" %" PRIu64, seen->latched[i]);
    printf("\n");
}

static void look_at(struct seen *seen, const Linkage__V1__OutputSample *sample)
{
    for (size_t i = 0; i < sample->n_echoes; i++)
        if (sample->echoes[i]->claim < 17)
            seen->latched[sample->echoes[i]->claim] = sample->echoes[i]->latched_step;
    if (sample->daemon_id == seen->daemon_id && sample->sequence > seen->sequence)
        seen->missed += sample->sequence - seen->sequence - 1;
    seen->daemon_id = sample->daemon_id;
    seen->sequence = sample->sequence;
    if (seen->received++ == 0 || sample->flags != seen->flags)
        print_flags(seen, sample);
    seen->flags = sample->flags;
}

static int observe(const struct line *line)
{
    struct seen seen = {0};
    struct lk_client *client;
    struct lk_client_outputs *outputs;
    struct lk_error error;

    if (lk_client_open_with(line->endpoint[0], 5000, &line->keys, &client, &error) != 0)
        return fail(error.text);
    if (lk_client_outputs_open(client, line->endpoint[2], &outputs, &error) != 0)
        return fail(error.text);
    while (!ended) {
        const Linkage__V1__OutputSample *sample;

        if (lk_client_outputs_receive(outputs, 50, NULL, &sample) == 0)
            look_at(&seen, sample);
    }
    printf("received %" PRIu64 " missed %" PRIu64 "\n", seen.received, seen.missed);
    lk_client_outputs_close(outputs);
    lk_client_close(client);
    return 0;
}

/* ---- command line ---- */

static void read_line(char *argv[], struct line *line)
{
    char path[512];
    struct lk_error error;

    line->name = argv[2];
    line->host = argv[3];
    for (int i = 0; i < 3; i++)
        snprintf(line->endpoint[i], sizeof(line->endpoint[i]), "tcp://%s:%d", argv[3], 5600 + i);
    snprintf(path, sizeof(path), "%s/server.key.pub", argv[1]);
    if (lk_key_read(path, LK_KEY_PUBLIC, geteuid(), line->key[0], &error))
        exit(fail(error.text));
    snprintf(path, sizeof(path), "%s/%s.key", argv[1], argv[2]);
    if (lk_key_read(path, LK_KEY_SECRET, geteuid(), line->key[2], &error))
        exit(fail(error.text));
    if (zmq_curve_public(line->key[1], line->key[2]))
        exit(fail("no CURVE"));
    line->keys = (struct lk_client_options){line->key[0], line->key[1], line->key[2]};
}

int main(int argc, char *argv[])
{
    const char *kind = argc > 4 ? argv[4] : "";
    static struct line line;

    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGTERM, end);
    signal(SIGPIPE, SIG_IGN);
    if (argc > 4)
        read_line(argv, &line);
    if (strcmp(kind, "bench") == 0 && argc > 5)
        return feed(&line, argv[5]);
    if (strcmp(kind, "observe") == 0)
        return observe(&line);
    if (strcmp(kind, "inputs") == 0)
        return flood_inputs(&line);
    if (strcmp(kind, "control") == 0)
        return flood_control(&line);
    if (strcmp(kind, "subscriptions") == 0)
        return flood_subscriptions(&line);
    if (strcmp(kind, "garbage") == 0)
        return send_garbage(&line);
    fprintf(stderr, "usage: traffic FOLDER KEY HOST KIND [CHANNEL]\n");
    return 2;
}
