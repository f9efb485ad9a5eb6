/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of publication at 1 kHz, with other work in between, as in a cycle:
 *
 *     outputs_cost SECONDS [CORE]
 *
 * Measured are the datagram of a motion platform, made and sent at the end of a cycle (`send_from:
 * cycle`), which is work of the cycle thread. Further an OutputSample and 1, 8 and 64 streams of
 * it, which is work of the exchange thread. With CORE the thread runs at SCHED_FIFO 80 on that
 * core. The receivers are a socket and the far end of the channel to the line process, in a
 * separate thread, so their time is not in the figures. */
#include "histogram.h"
#include "motion_cycle.h"
#include "publisher.h"
#include "realtime.h"
#include "streams.h"
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PERIOD_NS INT64_C(1000000)
#define N_VALUES  32 /* number of outputs of the model */

static struct lkd_histogram histogram;
static _Atomic bool quit;
static int steps;

static void report(const char *what)
{
    printf("%-34s p50 %7.2f  p99 %7.2f  p99.9 %7.2f  max %8.2f us  (%llu)\n", what,
           1e-3 * (double)lkd_histogram_quantile(&histogram, 0.5),
           1e-3 * (double)lkd_histogram_quantile(&histogram, 0.99),
           1e-3 * (double)lkd_histogram_quantile(&histogram, 0.999),
           1e-3 * (double)lkd_histogram_max(&histogram),
           (unsigned long long)lkd_histogram_count(&histogram));
    lkd_histogram_clear(&histogram);
}

/* Call @work at each grid point and time it. */
static void repeat(void (*work)(void *data, uint64_t step), void *data)
{
    int64_t when_ns = lkd_clock_ns();

    for (uint64_t step = 1; step <= (uint64_t)steps; step++) {
        int64_t begin_ns;

        when_ns += PERIOD_NS;
        lkd_sleep_until(when_ns);
        begin_ns = lkd_clock_ns();
        work(data, step);
        lkd_histogram_add(&histogram, lkd_clock_ns() - begin_ns);
    }
}

/* ---- datagrams ---- */

static struct lkd_cycle cycle;

static void send_datagrams(void *data, uint64_t step)
{
    cycle.rt.figures.step = step;
    lkd_motion_after_cycle(&cycle, data);
}

static void make_datagrams(void *data, uint64_t step)
{
    unsigned char packet[LKD_MOTION_SIZE_MAX];
    struct lkd_motions *motions = data;

    lkd_motion_encode(&motions->motion[0],
                      &(struct lkd_motion_view){.step = step, .values = cycle.rt.values}, packet);
}

static void *swallow(void *data)
{
    unsigned char packet[LKD_MOTION_SIZE_MAX];

    while (!atomic_load(&quit))
        if (recv(*(int *)data, packet, sizeof(packet), 0) < 0)
            break;
    return NULL;
}

static void take_core(const char *core)
{
    if (core && (lkd_realtime_pin(atoi(core)) || lkd_realtime_set_fifo(80)))
        fprintf(stderr, "not at a real-time priority on that core\n");
    lkd_realtime_prepare_thread();
}

/* Measure datagrams. The receiving thread is made first, so that it does not inherit core and
 * priority. */
static void measure_datagrams(const char *core, pthread_t *ret_thread)
{
    static struct lkd_motion_config config = {.divisor = 1, .from_cycle = true};
    static struct lkd_motions motions;
    static double values[N_VALUES];
    static int fd;
    const struct timeval patience = {.tv_usec = 200000};
    socklen_t size = sizeof(config.address);

    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    config.address.sin_family = AF_INET;
    config.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(fd, (struct sockaddr *)&config.address, sizeof(config.address));
    getsockname(fd, (struct sockaddr *)&config.address, &size);
    pthread_create(ret_thread, NULL, swallow, &fd);
    take_core(core);
    lkd_motions_init(&motions, &config, 1, NULL);
    cycle.rt.values = values;
    for (int i = 0; i < LKD_MOTION_SLOTS; i++) {
        config.slot[i].scale = 2;
        motions.motion[0].source[i] = (struct lkd_motion_source){LKD_MOTION_SCALAR, i};
    }
    motions.motion[0].source[3].kind = LKD_MOTION_ROLL;
    motions.motion[0].source[4].kind = LKD_MOTION_PITCH;
    motions.motion[0].source[5].kind = LKD_MOTION_YAW;
    repeat(make_datagrams, &motions);
    report("datagram, made only");
    repeat(send_datagrams, &motions);
    report("datagram, made and sent");
}

/* ---- samples ---- */

static struct lkd_output *record;
static struct lkd_publisher publisher;
static struct lkd_streams streams;

static void publish(void *data, uint64_t step)
{
    static const struct lkd_run_facts facts = {.model_id = 1};
    static const struct lkd_wall_clock clock;
    struct lkd_outgoing outgoing;

    (void)data;
    record->figures.step = step;
    lkd_outgoing_fill(&outgoing, record, N_VALUES, &facts, LINKAGE__V1__STATE__STATE_RUNNING,
                      &clock);
    lkd_publisher_send(&publisher, &outgoing);
    lkd_streams_send(&streams, record, &outgoing, false);
}

/* Receive everything at the line's end of the channel. */
static void *read_all(void *data)
{
    struct lkd_port *in = data;
    struct pollfd item = {.fd = in->fd, .events = POLLIN};
    struct lkd_message message;

    while (!atomic_load(&quit))
        if (poll(&item, 1, 200) == 1)
            lkd_port_receive(in, &message);
    return NULL;
}

static void measure_samples(struct lkd_port *in, int n)
{
    int from[N_VALUES];
    char what[64];
    pthread_t thread;
    uint64_t id;

    for (int i = 0; i < N_VALUES; i++)
        from[i] = i;
    while (streams.n < n) { /* each with other names */
        from[0] = streams.n % N_VALUES;
        from[1] = streams.n / N_VALUES;
        lkd_streams_add(&streams, &(struct lkd_selection){1, from, 2 + streams.n % 16, 1},
                        lkd_clock_ns(), &id);
    }
    lkd_streams_tick(&streams, lkd_clock_ns());
    atomic_store(&quit, false);
    pthread_create(&thread, NULL, read_all, in);
    repeat(publish, NULL);
    snprintf(what, sizeof(what), "a sample and %d streams (%s)", streams.n,
             streams.n == 0 || streams.stream[0].subscribed ? "taken" : "not taken");
    report(what);
    atomic_store(&quit, true);
    pthread_join(thread, NULL);
}

int main(int argc, char *argv[])
{
    struct lkd_port in, out;
    pthread_t thread;
    int fd[2];

    if (argc < 2) {
        fprintf(stderr, "usage: %s SECONDS [CORE]\n", argv[0]);
        return 2;
    }
    steps = atoi(argv[1]) * 1000;
    if (lkd_port_pair(fd) || lkd_port_init(&out, fd[0], LK_WIRE_SAMPLE_MAX) ||
        lkd_port_init(&in, fd[1], LK_WIRE_SAMPLE_MAX))
        return 1;
    lkd_port_send_bytes(&in, "\1", 1); /* a subscription to everything */
    record = calloc(1, sizeof(*record) + N_VALUES * sizeof(double));
    lkd_publisher_init(&publisher, &out, 1);
    lkd_streams_init(&streams, &out, NULL);
    measure_samples(&in, 0);
    measure_samples(&in, 1);
    measure_samples(&in, 8);
    measure_samples(&in, 64);

    atomic_store(&quit, false);
    measure_datagrams(argc > 2 ? argv[2] : NULL, &thread);
    atomic_store(&quit, true);
    pthread_join(thread, NULL);
    return 0;
}
