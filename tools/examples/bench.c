/* SPDX-License-Identifier: Apache-2.0 */
/* A bench in C, with the library tools/client. It claims one input and answers every output sample
 * with a value for this input. The library repeats the claim after any interruption.
 *
 * usage: bench CHANNEL UNIT SECONDS [CONTROL INPUTS OUTPUTS] */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TRIPS_MAX 10000000

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    const struct lk_client_bench_channel channel = {argv[1], argc > 2 ? argv[2] : NULL};
    struct lk_client_bench_setup setup = {
        .name = "C example", .channels = &channel, .n_channels = 1};
    struct lk_client_bench_view view, shown = {.state = LK_CLIENT_BENCH_WAITING};
    int64_t *trips = calloc(TRIPS_MAX, sizeof(*trips)), end_ns, received_ns;
    struct lk_client_bench *bench;
    struct lk_error error;
    uint64_t seen = 0;
    size_t n = 0;

    if (argc != 4 && argc != 7) {
        fprintf(stderr, "usage: bench CHANNEL UNIT SECONDS [CONTROL INPUTS OUTPUTS]\n");
        return 2;
    }
    if (argc == 7) {
        setup.control = argv[4];
        setup.inputs = argv[5];
        setup.outputs = argv[6];
    }
    if (trips == NULL || lk_client_bench_open(&setup, &bench, &error) != 0) {
        fprintf(stderr, "%s\n", trips != NULL ? error.text : "no memory");
        return 1;
    }
    end_ns = lk_client_now_ns() + (int64_t)(atof(argv[3]) * 1e9);
    while (lk_client_now_ns() < end_ns) {
        const Linkage__V1__OutputSample *sample = NULL;
        const Linkage__V1__Echo *echo;

        if (lk_client_bench_receive(bench, 100, &received_ns, &sample) == 0) {
            const double torque = 0.5 * sin(2 * M_PI * sample->time_s);

            echo = lk_client_bench_echo(bench, sample);
            if (echo != NULL && echo->sequence > seen && n < TRIPS_MAX) {
                seen = echo->sequence;
                trips[n++] = received_ns - (int64_t)echo->origin_ns;
            }
            (void)lk_client_bench_send(bench, &torque, 1, NULL); /* may fail; retried later */
        }
        lk_client_bench_read_state(bench, &view);
        if (view.state != shown.state || view.times_claimed != shown.times_claimed)
            printf("%s%s%s\n", lk_client_bench_state_name(view.state),
                   view.text[0] != '\0' ? ": " : "", view.text);
        fflush(stdout);
        shown = view;
    }
    lk_client_bench_close(bench);
    qsort(trips, n, sizeof(*trips), compare_times);
    printf("claims %" PRIu64 ", round trips %zu: p50 %.0f us, p99 %.0f us, max %.0f us\n",
           view.times_claimed, n, n > 0 ? (double)trips[n / 2] * 1e-3 : 0,
           n > 0 ? (double)trips[n * 99 / 100] * 1e-3 : 0, n > 0 ? (double)trips[n - 1] * 1e-3 : 0);
    free(trips);
    return n > 0 ? 0 : 1;
}
