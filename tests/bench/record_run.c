/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle at 4 kHz with 100 channels and its recorder. The program measures the cost of recording
 * for the cycle and checks that the recorder keeps up. Run by hand, with the rights of a daemon:
 *
 *     build/tests/bench/record_run 60 /var/tmp uring
 *     build/tests/bench/record_run 600 /var/tmp pwrite
 *
 * The first ten seconds switch the queue on and off in turns, so that one run compares cycles with
 * and without it. The compared time is that from the end of the computation to the end of the
 * cycle, which includes the frame. Then the given number of seconds is recorded. Exit status 1:
 * cycles are missing in the file. */
#include "linkage/host.h"
#include "mcap/read.h"
#include "recorder.h"
#include "runner.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define N_OUTPUTS  99 /* and one input */
#define PRIORITY   80
#define TURNS      100
#define TURN_MS    100
#define TIMES_MAX  (TURNS * TURN_MS * 8)
#define LOOK_MS    20
#define TEXT_BYTES 16384

struct bench {
    char text[TEXT_BYTES];
    struct lk_model *model;
    struct lk_system *system;
    struct lkd_cycle *cycle;
    struct lkd_runner runner;
    struct lkd_record_config config;
    struct lkd_recorder *recorder;
    struct lkd_take_source source;
    size_t largest_backlog;
};

static void demand(int r, const char *what)
{
    if (r == 0)
        return;
    fprintf(stderr, "record_run: %s: %s\n", what, r < 0 ? strerror(-r) : "refused");
    exit(2);
}

static void nap_ms(int ms)
{
    const struct timespec nap = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&nap, NULL);
}

static void write_model(char *text)
{
    int n = snprintf(text, TEXT_BYTES,
                     "linkage: 1\nname: hundred\n"
                     "bodies:\n  bob: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                     "joints:\n  pin: {type: revolute, bodies: [ground, bob], point: [0, 0, 0], "
                     "axis: [0, 0, 1]}\n"
                     "inputs:\n  motor: {type: joint-torque, joint: pin}\n"
                     "solver: {step: 0.00025}\noutputs:\n");

    for (int i = 0; i < N_OUTPUTS; i++)
        n += snprintf(text + n, TEXT_BYTES - (size_t)n, "  q%02d: {type: joint-%s, joint: pin}\n",
                      i, i % 2 ? "velocity" : "position");
}

static void set_up(struct bench *b, const char *directory, const char *io)
{
    struct lkd_settings settings = lkd_settings_default();
    struct lk_error error = {"no memory"};

    write_model(b->text);
    if (lk_model_read_text("model", b->text, strlen(b->text), &b->model, &error) ||
        lk_system_new(b->model, NULL, &b->system, &error)) {
        fprintf(stderr, "record_run: %s\n", error.text);
        exit(2);
    }
    demand(lkd_cycle_new(b->system, &settings, &b->cycle), "cycle");
    b->config = (struct lkd_record_config)LKD_RECORD_CONFIG_DEFAULT;
    snprintf(b->config.directory, sizeof(b->config.directory), "%s", directory);
    b->config.io = strcmp(io, "pwrite") == 0 ? LKD_RECORD_IO_PWRITE : LKD_RECORD_IO_URING;
    demand(lkd_recorder_new(&b->config, &b->recorder), "recorder");
    b->source = (struct lkd_take_source){.model = "hundred", .step_s = 0.00025};
    b->source.inputs = lk_system_input_channels(b->system, &b->source.n_inputs);
    b->source.outputs = lk_system_output_channels(b->system, &b->source.n_outputs);
    b->source.text = b->text;
    b->source.text_size = strlen(b->text);
}

static void start(struct bench *b, int core, const char *name)
{
    struct lk_error error = {""};
    struct lkd_grant grant;

    lkd_cycle_rewind(b->cycle);
    demand(lkd_runner_start(&b->runner, b->cycle, NULL, 1, &core, PRIORITY, &grant), "runner");
    if (grant.core_error || grant.priority_error)
        printf("degraded: no core or no priority of its own\n");
    if (lkd_recorder_begin(b->recorder, name, &b->cycle->queue, &b->source, &error)) {
        fprintf(stderr, "record_run: %s\n", error.text);
        exit(2);
    }
    lkd_runner_go(&b->runner);
}

static void stop(struct bench *b)
{
    demand(lkd_runner_stop(&b->runner), "stop");
    if (!lkd_recorder_end(b->recorder))
        printf("the file is not finished yet\n");
}

static void remove_file(const struct bench *b, const char *name)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof(path), "%s/%s.mcap", b->config.directory, name);
    unlink(path);
}

/* ---- cost ---- */

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void print_times(const char *what, int64_t *times, size_t n)
{
    qsort(times, n, sizeof(*times), compare);
    printf("%-8s p50 %5" PRId64 " ns, p99 %5" PRId64 " ns, p99.9 %5" PRId64 " ns, max %6" PRId64
           " ns of %zu cycles\n",
           what, times[n / 2], times[n * 99 / 100], times[n * 999 / 1000], times[n - 1], n);
}

/* Append the times of the cycles of a turn, without its first and last four cycles. */
static void take_turn(const struct bench *b, uint64_t from, uint64_t to, int64_t *times, size_t *n)
{
    for (uint64_t k = from + 4; k + 4 < to; k++) {
        struct lkd_record r;

        if (*n < TIMES_MAX && lkd_cycle_record(b->cycle, k, &r))
            times[(*n)++] = r.ended_ns - r.computed_ns;
    }
}

static uint64_t cycles_of(struct bench *b)
{
    lkd_mailbox_take(&b->cycle->status);
    return ((const struct lkd_figures *)lkd_mailbox_front(&b->cycle->status))->cycles;
}

static void compare_costs(struct bench *b, int core)
{
    static int64_t with[TIMES_MAX], without[TIMES_MAX];
    size_t n_with = 0, n_without = 0;

    start(b, core, "record_run-cost");
    for (int i = 0; i < TURNS; i++) {
        uint64_t from = cycles_of(b);

        nap_ms(TURN_MS);
        if (i % 2 == 0)
            take_turn(b, from, cycles_of(b), with, &n_with);
        else
            take_turn(b, from, cycles_of(b), without, &n_without);
        atomic_store(&b->cycle->queue.on, i % 2 == 1);
    }
    stop(b);
    remove_file(b, "record_run-cost");
    printf("from the end of the computation to the end of the cycle:\n");
    print_times("without", without, n_without);
    print_times("with", with, n_with);
    printf("recording costs a cycle %" PRId64 " ns in the median, %" PRId64 " ns in p99\n",
           with[n_with / 2] - without[n_without / 2],
           with[n_with * 99 / 100] - without[n_without * 99 / 100]);
}

/* ---- completeness of the file ---- */

/* Return the number of cycles in the file. */
static uint64_t count_cycles(const struct bench *b, const char *name)
{
    char path[PATH_MAX + 32];
    struct lk_mcap_reader reader;
    struct lk_mcap_item item;
    uint64_t n = 0;
    int r;

    snprintf(path, sizeof(path), "%s/%s.mcap", b->config.directory, name);
    demand(lk_mcap_open(path, &reader), path);
    while ((r = lk_mcap_next(&reader, &item)) == 1)
        n += item.kind == LK_MCAP_IS_MESSAGE && item.id == LK_RECORDING_OUTPUTS;
    printf("file: %" PRIu64 " bytes, %s\n", reader.size,
           r == 0 && reader.ending == LK_MCAP_COMPLETE ? "whole" : "NOT whole");
    lk_mcap_close(&reader);
    return n;
}

static int keep_up(struct bench *b, int core, int seconds)
{
    struct lkd_recording recording;
    struct lkd_cycle *c = b->cycle;
    uint64_t cycles, found;

    start(b, core, "record_run");
    for (int64_t i = 0; i < (int64_t)seconds * 1000 / LOOK_MS; i++) {
        size_t backlog = lkd_spsc_backlog(&c->queue);

        b->largest_backlog = backlog > b->largest_backlog ? backlog : b->largest_backlog;
        nap_ms(LOOK_MS);
    }
    stop(b);
    lkd_recorder_state(b->recorder, &recording);
    cycles = cycles_of(b);
    found = count_cycles(b, "record_run");
    remove_file(b, "record_run");
    printf("cycles %" PRIu64 ", in the file %" PRIu64 ", lost %" PRIu64
           " (the queue dropped %" PRIu64 "), largest backlog %zu of %zu frames\n",
           cycles, found, cycles - found, recording.dropped, b->largest_backlog, c->queue.n_slots);
    printf("wake-up p99 %.1f us, max %.1f us; response p99 %.1f us, max %.1f us; overruns %" PRIu64
           "\n",
           (double)lkd_histogram_quantile(&c->wakeup, 0.99) * 1e-3,
           (double)lkd_histogram_max(&c->wakeup) * 1e-3,
           (double)lkd_histogram_quantile(&c->response, 0.99) * 1e-3,
           (double)lkd_histogram_max(&c->response) * 1e-3, lkd_cycle_missed(c));
    return cycles == found && !*recording.trouble ? 0 : 1;
}

int main(int argc, char *argv[])
{
    static struct bench bench;
    int seconds = argc > 1 ? atoi(argv[1]) : 10;
    const char *directory = argc > 2 ? argv[2] : "/var/tmp", *io = argc > 3 ? argv[3] : "uring";
    int core = argc > 4 ? atoi(argv[4]) : (int)sysconf(_SC_NPROCESSORS_ONLN) - 1, status;

    if (seconds < 1 || argc > 5 || (strcmp(io, "uring") != 0 && strcmp(io, "pwrite") != 0)) {
        fprintf(stderr, "usage: record_run [SECONDS [DIRECTORY [uring|pwrite [CORE]]]]\n");
        return 2;
    }
    lkd_realtime_lock_memory();
    lkd_realtime_avoid_core(core);
    set_up(&bench, directory, io);
    printf("%d + 1 channels at 4 kHz, by %s, cycle on core %d\n", N_OUTPUTS, io, core);
    compare_costs(&bench, core);
    status = keep_up(&bench, core, seconds);
    lkd_recorder_free(bench.recorder);
    lkd_cycle_free(bench.cycle);
    lk_system_free(bench.system);
    lk_model_free(bench.model);
    return status;
}
