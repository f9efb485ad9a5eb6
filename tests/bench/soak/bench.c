/* SPDX-License-Identifier: Apache-2.0 */
#include "soak.h"
#include <math.h>
#include <time.h>

#define NAP_NS INT64_C(1000000)

static void take_outputs(struct soak_bench *bench)
{
    const Linkage__V1__OutputSample *sample;

    while (lk_client_outputs_receive(bench->outputs, 0, NULL, &sample) == 0) {
        if (bench->received++ == 0)
            bench->first = sample->sequence;
        else if (sample->sequence <= bench->last)
            bench->not_newer++;
        else
            bench->lost += sample->sequence - bench->last - 1;
        bench->last = sample->sequence;
    }
}

static void send_input(struct soak_bench *bench, double seconds)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;
    double torque = 0.5 * sin(2 * seconds);

    sample.sequence = bench->sent + 1;
    sample.origin_ns = (uint64_t)lk_client_now_ns();
    sample.values = &torque;
    sample.n_values = 1;
    sample.token = bench->token;
    if (lk_client_inputs_send(bench->inputs, &sample) == 0)
        bench->sent++;
}

static void *attend(void *data)
{
    struct soak_bench *bench = data;
    const struct timespec nap = {.tv_nsec = NAP_NS};
    int64_t begin_ns = lk_client_now_ns();

    while (!bench->stop) {
        double seconds = (double)(lk_client_now_ns() - begin_ns) * 1e-9;

        take_outputs(bench);
        if (!bench->quiet && (double)bench->sent < seconds * bench->options->samples)
            send_input(bench, seconds);
        if (bench->quiet && bench->sent == 0)
            begin_ns = lk_client_now_ns();
        nanosleep(&nap, NULL);
    }
    take_outputs(bench);
    return NULL;
}

int soak_bench_start(struct soak_bench *bench, const struct soak_rig *rig,
                     const struct soak_options *options)
{
    struct lk_error error = {0};

    bench->options = options;
    bench->quiet = true;
    if (lk_client_open(rig->endpoint[0], 60000, &bench->client, &error) ||
        lk_client_outputs_open(bench->client, rig->endpoint[2], &bench->outputs, &error) ||
        lk_client_inputs_open(bench->client, rig->endpoint[1], &bench->inputs, &error) ||
        lk_client_claim_all(bench->client, "soak", 0, &bench->token, &error)) {
        fprintf(stderr, "soak: %s\n", error.text);
        return 1;
    }
    if (lk_client_inputs_wait(bench->inputs, 60000) ||
        pthread_create(&bench->thread, NULL, attend, bench)) {
        fprintf(stderr, "soak: the bench did not start\n");
        return 1;
    }
    return 0;
}

void soak_bench_speak(struct soak_bench *bench)
{
    bench->quiet = false;
}

void soak_bench_hush(struct soak_bench *bench)
{
    bench->quiet = true;
}

void soak_bench_stop(struct soak_bench *bench)
{
    bench->stop = true;
    pthread_join(bench->thread, NULL);
    lk_client_inputs_close(bench->inputs);
    lk_client_outputs_close(bench->outputs);
    lk_client_close(bench->client);
}
