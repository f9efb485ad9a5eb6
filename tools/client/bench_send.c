/* SPDX-License-Identifier: Apache-2.0 */
/* Samples and heartbeats of a bench, and the clock of their time stamps. */
#include "bench_parts.h"

#include <sys/timex.h>
#include <time.h>

#define CLOCK_LOOK_NS INT64_C(1000000000)

uint64_t lk_bench_stamp_ns(const struct lk_client_bench *bench)
{
    struct timespec now;

    clock_gettime(bench->own.wall_clock ? CLOCK_REALTIME : CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Read from the kernel whether NTP or PTP disciplines its wall clock, and the error bound [us]. */
void lk_bench_check_clock(struct lk_client_bench *bench, int64_t now_ns)
{
    Linkage__V1__Clock clock = LINKAGE__V1__CLOCK__INIT;
    struct timex timex = {0};

    if (bench->clock_ns != 0 && now_ns - bench->clock_ns < CLOCK_LOOK_NS)
        return;
    bench->clock_ns = now_ns;
    clock.id = LINKAGE__V1__CLOCK__ID__ID_MONOTONIC;
    if (bench->own.wall_clock) {
        int state = adjtimex(&timex);

        clock.id = LINKAGE__V1__CLOCK__ID__ID_UTC;
        clock.synchronised = state >= 0 && state != TIME_ERROR && (timex.status & STA_UNSYNC) == 0;
        clock.uncertainty_ns = timex.maxerror > 0 ? (uint64_t)timex.maxerror * 1000 : 0;
    }
    pthread_mutex_lock(&bench->lock);
    bench->clock = clock;
    pthread_mutex_unlock(&bench->lock);
}

/* Set the time stamps of a sample. Requires the lock.
 * @origin_ns: time of origin; 0: now */
static void fill_stamps(struct lk_client_bench *bench, Linkage__V1__InputSample *sample,
                        uint64_t origin_ns)
{
    sample->token = bench->view.token;
    sample->model_id = bench->view.model_id;
    sample->origin_ns = origin_ns != 0 ? origin_ns : lk_bench_stamp_ns(bench);
    sample->clock = &bench->clock;
    sample->reply_to = bench->reply_to.sequence;
    sample->reply_published_ns = bench->reply_to.published_ns;
    sample->reply_received_ns = bench->reply_to.received_ns;
}

/* Check that samples reach the daemon that granted the claim. Without a connection a sample would
 * be lost unnoticed. A daemon that connected after the claim may not have the claim. Requires the
 * lock. */
static int check_line(struct lk_client_bench *bench)
{
    if (bench->view.state != LK_CLIENT_BENCH_CONNECTED || !lk_client_inputs_ready(bench->inputs))
        return LK_CLIENT_E_BUSY;
    return lk_client_inputs_generation(bench->inputs) == bench->generation ? 0 : LK_CLIENT_E_BUSY;
}

static int send_sample(struct lk_client_bench *bench, const double *values, const double *slopes,
                       size_t n, uint64_t origin_ns, uint64_t *ret_sequence)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;
    int code;

    pthread_mutex_lock(&bench->lock);
    code = check_line(bench);
    if (code == 0 && n != bench->view.n_values)
        code = LK_CLIENT_E_TOO_LARGE;
    if (code == 0) {
        fill_stamps(bench, &sample, origin_ns);
        sample.sequence = bench->sequence + 1;
        sample.values = (double *)values;
        sample.n_values = n;
        sample.slopes = (double *)slopes;
        sample.n_slopes = slopes != NULL ? n : 0;
        code = lk_client_inputs_send(bench->inputs, &sample);
    }
    if (code == 0) {
        bench->sequence++;
        bench->view.sent++;
        bench->sent_ns = lk_client_now_ns();
        if (ret_sequence != NULL)
            *ret_sequence = bench->sequence;
    }
    pthread_mutex_unlock(&bench->lock);
    return code;
}

int lk_client_bench_send(struct lk_client_bench *bench, const double *values, size_t n,
                         uint64_t *ret_sequence)
{
    return send_sample(bench, values, NULL, n, 0, ret_sequence);
}

int lk_client_bench_send_slopes(struct lk_client_bench *bench, const double *values,
                                const double *slopes, size_t n, uint64_t *ret_sequence)
{
    return send_sample(bench, values, slopes, n, 0, ret_sequence);
}

int lk_client_bench_send_as_of(struct lk_client_bench *bench, const double *values, size_t n,
                               uint64_t origin_ns, uint64_t *ret_sequence)
{
    return send_sample(bench, values, NULL, n, origin_ns, ret_sequence);
}

void lk_bench_heartbeat(struct lk_client_bench *bench, int64_t now_ns)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;

    pthread_mutex_lock(&bench->lock);
    if (bench->own.n_channels > 0 && now_ns - bench->sent_ns >= bench->heartbeat_ns &&
        check_line(bench) == 0) {
        fill_stamps(bench, &sample, 0);
        sample.sequence =
            bench->sequence; /* number of the last sample, because heartbeats have none */
        sample.heartbeat = true;
        if (lk_client_inputs_send(bench->inputs, &sample) == 0)
            bench->sent_ns = now_ns;
    }
    pthread_mutex_unlock(&bench->lock);
}
