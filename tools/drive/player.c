/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-player: a bench that plays inputs from a file into a run in real time.
 *
 * The file has one column for each channel. The player claims these channels and answers every
 * other output sample at 1 kHz. It sends the values of the file at the simulated time of the
 * sample, linearly interpolated between rows. The player ends after the last row. */
#include "bench.h"
#include "csv.h"
#include "linkage/stacks.h"
#include "message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS_MAX 32
#define PERIOD_S     0.002
#define SILENT_MS    100
#define CLAIM_NS     INT64_C(10000000000)

/* struct play - state of the player.
 * @begin_s: simulated time of the first row [s]; negative before the run begins
 * @due_s:   simulated time at which the next sample is due [s]
 * @trips:   file for the round-trip times [us], or NULL
 * @seen:    sequence number of the newest input sample whose effect was observed */
struct play {
    struct lk_csv_table table;
    struct lk_client_bench *bench;
    double begin_s;
    double due_s;
    FILE *trips;
    uint64_t seen;
    uint64_t n_sent;
    uint64_t n_seen;
};

/* Find the row before @t.
 * @ret_part: position of @t in the interval to the next row, 0 to 1 */
static int find_row(const struct lk_csv_table *table, double t, double *ret_part)
{
    int i = 0;

    while (i + 2 < table->n_rows && table->time[i + 1] <= t)
        i++;
    *ret_part = 0;
    if (i + 1 < table->n_rows)
        *ret_part = fmin(fmax((t - table->time[i]) / (table->time[i + 1] - table->time[i]), 0), 1);
    return i;
}

static void send_values(struct play *play, double t)
{
    const struct lk_csv_table *table = &play->table;
    double part, values[CHANNELS_MAX];
    int row = find_row(table, t, &part);
    const double *now = table->value + (size_t)row * (size_t)table->n;

    for (int k = 0; k < table->n; k++)
        values[k] = part > 0 ? now[k] + part * (now[table->n + k] - now[k]) : now[k];
    if (lk_client_bench_send(play->bench, values, (size_t)table->n, NULL) == 0)
        play->n_sent++;
}

static void note_trip(struct play *play, const Linkage__V1__OutputSample *sample,
                      int64_t received_ns)
{
    const Linkage__V1__Echo *echo = lk_client_bench_echo(play->bench, sample);

    if (echo == NULL || echo->sequence <= play->seen)
        return;
    play->seen = echo->sequence;
    play->n_seen++;
    if (play->trips != NULL)
        fprintf(play->trips, "%.1f\n", (double)(received_ns - (int64_t)echo->origin_ns) * 1e-3);
}

static bool is_owned(struct play *play)
{
    struct lk_client_bench_view view;

    lk_client_bench_read_state(play->bench, &view);
    return view.state == LK_CLIENT_BENCH_CONNECTED;
}

/* Answer output samples until the end of the file.
 * Return: 0: the whole file was played; 1: no samples of a run arrived, or the channels were
 * lost. */
static int play_all(struct play *play)
{
    double end_s = play->table.time[play->table.n_rows - 1];
    int64_t give_up_ns = lk_client_now_ns() + CLAIM_NS;

    while (lk_client_now_ns() < give_up_ns) {
        const Linkage__V1__OutputSample *sample;
        int64_t received_ns;

        if (lk_client_bench_receive(play->bench, SILENT_MS, &received_ns, &sample) != 0 ||
            sample->state != LINKAGE__V1__STATE__STATE_RUNNING || !is_owned(play))
            continue;
        give_up_ns = received_ns + CLAIM_NS;
        if (play->begin_s < 0)
            play->begin_s = play->due_s = sample->time_s;
        note_trip(play, sample, received_ns);
        if (sample->time_s - play->begin_s > end_s)
            return 0;
        if (sample->time_s < play->due_s - 0.5 * PERIOD_S)
            continue;
        play->due_s = fmax(play->due_s, sample->time_s) + PERIOD_S;
        send_values(play, sample->time_s - play->begin_s);
    }
    complain("no samples of a run, or the channels are not ours");
    return 1;
}

static int open_bench(struct play *play, const char *const endpoint[3], struct lk_error *error)
{
    struct lk_client_bench_channel channels[CHANNELS_MAX];
    const struct lk_client_bench_setup setup = {
        .control = endpoint[0],
        .inputs = endpoint[1],
        .outputs = endpoint[2],
        .name = "linkage-player",
        .channels = channels,
        .n_channels = (size_t)play->table.n,
    };

    if (play->table.n > CHANNELS_MAX || play->table.n_rows == 0) {
        lk_error_set(error, "expected rows of at most %d inputs", CHANNELS_MAX);
        return 1;
    }
    for (int i = 0; i < play->table.n; i++)
        channels[i] = (struct lk_client_bench_channel){play->table.name[i], play->table.unit[i]};
    return lk_client_bench_open(&setup, &play->bench, error);
}

int main(int argc, char **argv)
{
    static const char *const local[3] = {LK_CLIENT_CONTROL, LK_CLIENT_INPUTS, LK_CLIENT_OUTPUTS};
    const char *const given[3] = {argc == 6 ? argv[3] : "", argc == 6 ? argv[4] : "",
                                  argc == 6 ? argv[5] : ""};
    struct play play = {.begin_s = -1};
    struct lk_error error;
    int code;

    if (argc != 2 && argc != 3 && argc != 6) {
        fprintf(stderr, "usage: linkage-player FILE.csv [ROUND-TRIPS [CONTROL INPUTS OUTPUTS]]\n"
                        "columns: time [s], then inputs of the loaded model, as throttle [N m]\n");
        return 2;
    }
    code = lk_stacks_prepare(&error);
    if (code == 0)
        code = lk_csv_read(argv[1], INFINITY, &play.table, &error);
    if (code == 0)
        code = open_bench(&play, argc == 6 ? given : local, &error);
    if (code != 0) {
        complain("%s", error.text);
        lk_csv_table_release(&play.table);
        return 1;
    }
    play.trips = argc > 2 ? fopen(argv[2], "w") : NULL;
    code = play_all(&play);
    printf("{\"begin\": %.9g, \"sent\": %llu, \"seen\": %llu}\n", play.begin_s,
           (unsigned long long)play.n_sent, (unsigned long long)play.n_seen);
    if (play.trips != NULL)
        fclose(play.trips);
    lk_client_bench_close(play.bench);
    lk_csv_table_release(&play.table);
    return code;
}
