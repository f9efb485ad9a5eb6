/* SPDX-License-Identifier: Apache-2.0 */
/* Couples both daemons in real time, each with its own clock. Values of one daemon act in the other
 * daemon as soon as they arrive. This delay is the travel time of the lines, and it is measured. */
#include "bench.h"
#include "link.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CLAIM_NS   INT64_C(10000000000) /* time limit for the claim and the begin of a run */
#define SILENT_NS  INT64_C(1000000000)  /* silence after which a started run counts as ended */
#define SENT_MAX   1024                 /* largest number of samples in transit */
#define DELAYS_MAX 100000

/** struct peer - a side in real time.
 * @sent:      waves of each line in the sent samples, indexed by sequence number modulo SENT_MAX
 * @since_ns:  for each sent sample, time at which the sample that caused it was received
 * @seen:      sequence number of the newest sent sample that acts
 * @step:      step number of the last output sample
 * @heard_ns:  time of the last output sample, 0: none yet
 * @described: the channels have been found */
struct peer {
    struct lk_client_bench *bench;
    double sent[SENT_MAX][LINK_COUPLINGS_MAX];
    int64_t since_ns[SENT_MAX];
    uint64_t seen;
    uint64_t step;
    int64_t heard_ns;
    bool described;
};

static struct peer peers[LINK_SIDES];
static double delays[DELAYS_MAX];
static int n_delays;

static int open_peer(struct link *link, int side, struct lk_error *error)
{
    struct link_side *s = &link->side[side];
    struct lk_client_bench_channel channels[LINK_VALUES_MAX];
    struct lk_client_bench_setup setup = {
        .control = s->endpoint[0],
        .inputs = s->endpoint[1],
        .outputs = s->endpoint[2],
        .keys = s->keys,
        .name = "linkage-link",
        .channels = channels,
    };

    for (int i = 0; i < link->n_signals; i++)
        if (link->signal[i].from != side)
            channels[setup.n_channels++].name = link->signal[i].in;
    for (int i = 0; i < link->n_lines; i++)
        channels[setup.n_channels++].name = link->line[i].in[side];
    for (size_t i = 0; i < setup.n_channels; i++)
        channels[i].unit = NULL;
    return lk_client_bench_open(&setup, &peers[side].bench, error);
}

static void note_delay(double delay_s)
{
    if (n_delays < DELAYS_MAX)
        delays[n_delays++] = delay_s;
}

/* Find the sent sample that acts in @sample. Set the acting waves, and record the delay since the
 * cause of the sent sample was received. */
static void find_acting(struct link *link, int side, const Linkage__V1__OutputSample *sample,
                        int64_t received_ns)
{
    struct peer *peer = &peers[side];
    const Linkage__V1__Echo *echo = lk_client_bench_echo(peer->bench, sample);

    if (echo == NULL || echo->sequence == peer->seen)
        return;
    peer->seen = echo->sequence;
    for (int i = 0; i < link->n_lines; i++)
        link->line[i].arriving[side] = peer->sent[echo->sequence % SENT_MAX][i];
    if (peer->since_ns[echo->sequence % SENT_MAX] > 0)
        note_delay(1e-9 * (double)(received_ns - peer->since_ns[echo->sequence % SENT_MAX]));
}

static void send_to(struct link *link, int side, int64_t received_ns)
{
    struct link_side *s = &link->side[side];
    double arriving[LINK_COUPLINGS_MAX];
    uint64_t sequence;

    for (int i = 0; i < link->n_lines; i++)
        arriving[i] = link->line[i].arriving[side];
    link_waves(link, side, 0);
    if (lk_client_bench_send(peers[side].bench, s->values, (size_t)s->n, &sequence) == 0) {
        for (int i = 0; i < link->n_lines; i++)
            peers[side].sent[sequence % SENT_MAX][i] = link->line[i].arriving[side];
        peers[side].since_ns[sequence % SENT_MAX] = received_ns;
    }
    for (int i = 0; i < link->n_lines; i++) /* until an echo confirms the new sample */
        link->line[i].arriving[side] = arriving[i];
}

/* Receive a sample of @side and process it. With the first sample, find the coupled channels.
 * Return: 0; 1: a model lacks a channel. */
static int hear(struct link *link, int side, struct lk_error *error)
{
    struct peer *peer = &peers[side];
    const Linkage__V1__OutputSample *sample;
    int64_t received_ns;

    if (lk_client_bench_receive(peer->bench, 0, &received_ns, &sample) != 0 ||
        sample->state != LINKAGE__V1__STATE__STATE_RUNNING || sample->step == peer->step)
        return 0;
    if (!peer->described) {
        const Linkage__V1__ModelDescription *model = lk_client_bench_model(peer->bench);

        if (model == NULL)
            return 0;
        if (link_describe(link, side, model, error) != 0)
            return 1;
        peer->described = true;
        peer->step = sample->step;
        link_begin(link, side, sample->values);
        return 0;
    }
    peer->heard_ns = received_ns;
    find_acting(link, side, sample, received_ns);
    link_take(link, side, sample->values, 0, (double)(sample->step - peer->step));
    peer->step = sample->step;
    link->done++;
    if (peers[!side].described && link->side[!side].n > 0)
        send_to(link, !side, received_ns);
    return 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void state_delay(struct link *link)
{
    qsort(delays, (size_t)n_delays, sizeof(delays[0]), compare);
    if (n_delays > 0) {
        link->delay_median_s = delays[n_delays / 2];
        link->delay_max_s = delays[n_delays - 1];
    }
}

/* Check the time limits.
 * Return: 0: continue; 1: no run began, or a run has ended; -1: the requested duration is over. */
static int look_at_clock(const struct link *link, int64_t begin_ns, struct lk_error *error)
{
    int64_t now_ns = lk_client_now_ns();

    if (link->seconds > 0 && now_ns - begin_ns > (int64_t)(1e9 * link->seconds))
        return -1;
    for (int side = 0; side < LINK_SIDES; side++) {
        struct lk_client_bench_view view;
        int64_t heard_ns = peers[side].heard_ns;

        if (now_ns - (heard_ns > 0 ? heard_ns : begin_ns) < (heard_ns > 0 ? SILENT_NS : CLAIM_NS))
            continue;
        lk_client_bench_read_state(peers[side].bench, &view);
        lk_error_set(error, "%s: %s%s", link_side_names[side],
                     heard_ns > 0 ? "the run is over" : "no samples of a run",
                     *view.text ? "" : ", though it is there");
        if (*view.text)
            lk_error_set(error, "%s: %s", link_side_names[side], view.text);
        return 1;
    }
    return 0;
}

int link_realtime(struct link *link, struct lk_error *error)
{
    const struct timespec nap = {.tv_nsec = 50000};
    int64_t begin_ns = lk_client_now_ns();
    int r = 0;

    for (int i = 0; i < link->n_lines; i++)
        link->line[i].steps = 1;
    for (int side = 0; side < LINK_SIDES && r == 0; side++)
        r = open_peer(link, side, error);
    while (r == 0 && !link_stop_asked()) {
        for (int side = 0; side < LINK_SIDES && r == 0; side++)
            r = hear(link, side, error);
        if (r == 0)
            r = look_at_clock(link, begin_ns, error);
        nanosleep(&nap, NULL);
    }
    for (int side = 0; side < LINK_SIDES; side++)
        lk_client_bench_close(peers[side].bench);
    state_delay(link);
    return r > 0;
}
