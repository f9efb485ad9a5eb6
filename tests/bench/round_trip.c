/* SPDX-License-Identifier: Apache-2.0 */
/* Time from the sending of a sample to the receipt of the first output with its effect, through the
 * outputs socket or a datagram. The effect is the value itself, see effect.yaml. Samples are sent
 * at random points of the period, one at a time.
 *
 * usage: round_trip SECONDS PERIOD-US CONTROL INPUTS OUTPUTS UDP-PORT|0 [SERVER-KEY KEY] */
#include "bench.h"
#include "keys.h"
#include <arpa/inet.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#define TRIPS_MAX    1000000
#define ACCELERATION 136 /* offset in a datagram with f64 values */
#define PATIENCE_NS  INT64_C(1000000000)

static struct lk_client_bench *bench;
static int udp = -1;
static int64_t trip[TRIPS_MAX];

static int open_udp(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return udp < 0 ? -1 : bind(udp, (struct sockaddr *)&address, sizeof(address));
}

/* Wait up to a millisecond for an output.
 * Return: time of its receipt [ns], 0 if none came */
static int64_t next_output(double *ret_value)
{
    const Linkage__V1__OutputSample *sample;
    struct pollfd item = {.fd = udp, .events = POLLIN};
    unsigned char packet[512];
    int64_t received_ns;

    if (udp < 0) {
        if (lk_client_bench_receive(bench, 1, &received_ns, &sample) != 0 || sample->n_values < 1)
            return 0;
        *ret_value = sample->values[0];
        return received_ns;
    }
    if (poll(&item, 1, 1) < 1 || recv(udp, packet, sizeof(packet), 0) < ACCELERATION + 8)
        return 0;
    received_ns = lk_client_now_ns();
    memcpy(ret_value, packet + ACCELERATION, 8);
    return received_ns;
}

/* Process messages for claims and recovery, at the start and between measurements without another
 * reader of the socket. */
static void look_after(void)
{
    const Linkage__V1__OutputSample *sample;
    struct lk_client_bench_view view;

    while (lk_client_bench_receive(bench, 0, NULL, &sample) == 0)
        ;
    lk_client_bench_read_state(bench, &view);
    while (view.state != LK_CLIENT_BENCH_CONNECTED) {
        (void)lk_client_bench_receive(bench, 10, NULL, &sample);
        lk_client_bench_read_state(bench, &view);
    }
}

static void sleep_ns(int64_t ns)
{
    const struct timespec nap = {ns / 1000000000, ns % 1000000000};

    nanosleep(&nap, NULL);
}

/* Return the round trip [ns], or 0 if the effect was not seen or nothing could be sent. */
static int64_t measure(double value)
{
    int64_t begin_ns = lk_client_now_ns(), received_ns;
    double seen = 0;

    if (lk_client_bench_send(bench, &value, 1, NULL) != 0)
        return 0;
    while (lk_client_now_ns() - begin_ns < PATIENCE_NS) {
        received_ns = next_output(&seen);
        if (received_ns && fabs(seen - value) < 1e-6)
            return received_ns - begin_ns;
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static int report(size_t n, size_t unseen, double period_us)
{
    if (n == 0) {
        fprintf(stderr, "round_trip: no effect seen\n");
        return 1;
    }
    qsort(trip, n, sizeof(*trip), compare);
    printf(
        "%7zu trips, %zu unseen: p50 %7.1f us (%.2f cycles), p99 %7.1f us (%.2f), max %8.1f us\n",
        n, unseen, (double)trip[n / 2] * 1e-3, (double)trip[n / 2] * 1e-3 / period_us,
        (double)trip[n * 99 / 100] * 1e-3, (double)trip[n * 99 / 100] * 1e-3 / period_us,
        (double)trip[n - 1] * 1e-3);
    return 0;
}

/* Read the keys.
 * Return: 0 on success */
static int read_keys(char **path, struct lk_client_options *ret_keys)
{
    static char server[LK_KEY_SIZE], public_key[LK_KEY_SIZE], secret[LK_KEY_SIZE];
    struct lk_error error = {0};

    if (lk_key_read(path[0], LK_KEY_PUBLIC, geteuid(), server, &error) ||
        lk_key_read(path[1], LK_KEY_SECRET, geteuid(), secret, &error) ||
        zmq_curve_public(public_key, secret)) {
        fprintf(stderr, "round_trip: %s\n", error.text);
        return -1;
    }
    *ret_keys = (struct lk_client_options){server, public_key, secret};
    return 0;
}

int main(int argc, char **argv)
{
    const struct lk_client_bench_channel channel = {"push", "N"};
    struct lk_client_options keys;
    struct lk_client_bench_setup setup = {
        .name = "round trip", .channels = &channel, .n_channels = 1};
    double value = 0, period_ns;
    size_t n = 0, unseen = 0;
    struct lk_error error;
    int64_t end_ns;

    if (argc != 7 && argc != 9)
        return 2;
    setup.control = argv[3];
    setup.inputs = argv[4];
    setup.outputs = argv[5];
    if (argc == 9 && read_keys(argv + 7, &keys))
        return 1;
    setup.keys = argc == 9 ? &keys : NULL;
    period_ns = atof(argv[2]) * 1e3;
    if ((atoi(argv[6]) && open_udp(atoi(argv[6]))) ||
        lk_client_bench_open(&setup, &bench, &error)) {
        fprintf(stderr, "round_trip: cannot begin\n");
        return 1;
    }
    end_ns = lk_client_now_ns() + (int64_t)(atof(argv[1]) * 1e9);
    while (lk_client_now_ns() < end_ns && n < TRIPS_MAX) {
        int64_t ns;

        look_after();
        value = value > 900 ? -900 : value + 1;
        ns = measure(value);
        if (ns)
            trip[n++] = ns;
        else
            unseen++;
        sleep_ns((int64_t)(period_ns * (0.5 + (double)rand() / RAND_MAX)));
    }
    lk_client_bench_close(bench);
    return report(n, unseen, period_ns * 1e-3);
}
