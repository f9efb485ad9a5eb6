/* SPDX-License-Identifier: Apache-2.0 */
/* A long run under a bench, and an explanation for each missed deadline. By hand, with a daemon
 * that has a model with the input `motor` loaded:
 *
 *     long_run CORE SECONDS [CONTROL INPUTS OUTPUTS]
 *
 * A thread of normal priority spins on CORE, the core of the cycle, and only reads the clock. The
 * cycle takes that core whenever it wants it, so the spinner sees a gap for each cycle; but where
 * the cycle is late and the spinner has had the core all the while, the kernel did not wake the
 * cycle; where both stood still, the machine did. */
#include "client.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GAPS_MAX   1000000
#define GAP_MIN_NS INT64_C(50000)
#define NAP_NS     INT64_C(2000000) /* 500 input samples a second */

struct gap {
    int64_t begin_ns;
    int64_t end_ns;
};

/** struct spinner - @gap: @n of them, in order of time */
struct spinner {
    int core;
    _Atomic bool stop;
    size_t n;
    struct gap *gap;
    int64_t longest_ns;
};

static void *spin(void *data)
{
    struct spinner *spinner = data;
    int64_t last_ns = lk_client_now_ns(), now_ns;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(spinner->core, &set);
    sched_setaffinity(0, sizeof(set), &set);
    while (!atomic_load_explicit(&spinner->stop, memory_order_relaxed)) {
        now_ns = lk_client_now_ns();
        if (now_ns - last_ns > spinner->longest_ns)
            spinner->longest_ns = now_ns - last_ns;
        if (now_ns - last_ns > GAP_MIN_NS && spinner->n < GAPS_MAX)
            spinner->gap[spinner->n++] = (struct gap){last_ns, now_ns};
        last_ns = now_ns;
    }
    return NULL;
}

/* ---- the bench ---- */

struct bench {
    struct lk_client *client;
    struct lk_client_inputs *inputs;
    struct lk_client_outputs *outputs;
    uint64_t token;
    uint64_t sent;
    uint64_t received;
    uint64_t lost;
    uint64_t last;
};

static void take_outputs(struct bench *bench)
{
    const Linkage__V1__OutputSample *sample;

    while (lk_client_outputs_receive(bench->outputs, 0, NULL, &sample) == 0) {
        if (bench->last > 0 && sample->sequence > bench->last + 1)
            bench->lost += sample->sequence - bench->last - 1;
        bench->last = sample->sequence;
        bench->received++;
    }
}

static void attend(struct bench *bench, double seconds)
{
    int64_t begin_ns = lk_client_now_ns(), now_ns = begin_ns;
    const struct timespec nap = {.tv_nsec = NAP_NS};

    while ((double)(now_ns - begin_ns) < seconds * 1e9) {
        Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;
        double torque = sin((double)(now_ns - begin_ns) * 1e-9);

        sample.sequence = ++bench->sent;
        sample.origin_ns = (uint64_t)now_ns;
        sample.values = &torque;
        sample.n_values = 1;
        sample.token = bench->token;
        lk_client_inputs_send(bench->inputs, &sample);
        take_outputs(bench);
        nanosleep(&nap, NULL);
        now_ns = lk_client_now_ns();
    }
}

static int open_bench(struct bench *bench, const char *control, const char *inputs,
                      const char *outputs)
{
    struct lk_error error = {0};

    if (lk_client_open(control, 5000, &bench->client, &error) ||
        lk_client_outputs_open(bench->client, outputs, &bench->outputs, &error) ||
        lk_client_inputs_open(bench->client, inputs, &bench->inputs, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    return lk_client_inputs_wait(bench->inputs, 5000);
}

/* The model has one input of one scalar. */
static int claim(struct bench *bench)
{
    struct lk_error error = {0};
    int code = lk_client_claim_all(bench->client, "long_run", 0, &bench->token, &error);

    if (code)
        fprintf(stderr, "%s\n", error.text);
    return code;
}

static int arm_and_start(struct bench *bench)
{
    Linkage__V1__ArmRequest arm = LINKAGE__V1__ARM_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_error error = {0};
    const char *text;

    arm.allow_degraded = true;
    if (lk_client_arm(bench->client, &arm, 60000, NULL, NULL, &reply, &error) ||
        !lk_client_is_armed(reply, &text)) {
        fprintf(stderr, "not armed: %s\n", error.text);
        return 1;
    }
    printf("armed: %s\n", text);
    return lk_client_command(bench->client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_START, &reply,
                             &error) ||
           reply->result != LINKAGE__V1__RESULT__RESULT_OK;
}

/* ---- the explanation ---- */

/* For how long of [@begin_ns, @end_ns] the spinner did not have the core [ns]. */
static int64_t overlap(const struct spinner *spinner, int64_t begin_ns, int64_t end_ns)
{
    int64_t sum_ns = 0;

    for (size_t i = 0; i < spinner->n; i++) {
        int64_t from_ns = spinner->gap[i].begin_ns, to_ns = spinner->gap[i].end_ns;

        from_ns = from_ns > begin_ns ? from_ns : begin_ns;
        to_ns = to_ns < end_ns ? to_ns : end_ns;
        sum_ns += to_ns > from_ns ? to_ns - from_ns : 0;
    }
    return sum_ns;
}

/* Missed deadlines that begin with a late wake-up are told apart; within a computation the core is
 * the cycle's, and the spinner cannot know who had it. */
static void explain(const Linkage__V1__Evidence *e, const struct spinner *spinner)
{
    size_t machine = 0, behind = 0, computation = 0, unexplained = 0;

    for (size_t i = 0; i < e->n_missed; i++) {
        const Linkage__V1__CycleRecord *r = e->missed[i];
        int64_t begin_ns = (int64_t)r->deadline_ns, late_ns = r->woken_ns;

        if (strcmp(r->cause, "cycle before") == 0) {
            behind++;
        } else if (strcmp(r->cause, "long computation") == 0) {
            computation++;
        } else if (2 * overlap(spinner, begin_ns, begin_ns + late_ns) > late_ns) {
            machine++;
        } else {
            unexplained++;
            printf("unexplained: cycle %" PRIu64 ", %s, woken after %.1f us, of which the core was "
                   "gone for %.1f us\n",
                   r->cycle, r->cause, (double)late_ns * 1e-3,
                   (double)overlap(spinner, begin_ns, begin_ns + late_ns) * 1e-3);
        }
    }
    printf("missed deadlines: %" PRIu64 "; %zu looked at: woken late while the machine stood still "
           "%zu, while it did not %zu, stopped while computing %zu, behind a cycle before %zu\n",
           e->overruns, e->n_missed, machine, unexplained, computation, behind);
}

static void report(const Linkage__V1__Evidence *e, const struct bench *bench,
                   const struct spinner *spinner)
{
    printf("cycles %" PRIu64 ", steps %" PRIu64 ", skipped %" PRIu64 ", late wake-ups %" PRIu64
           ", long computations %" PRIu64 ", behind %.6f s\n",
           e->cycles, e->step, e->skipped, e->late_wakeups, e->long_computations, e->behind_s);
    printf("wake-up p50 %.2f p99 %.1f p99.9 %.1f max %.1f us, compute p50 %.1f p99 %.1f p99.9 %.1f "
           "max %.1f us\n",
           (double)e->wakeup->p50_ns * 1e-3, (double)e->wakeup->p99_ns * 1e-3,
           (double)e->wakeup->p999_ns * 1e-3, (double)e->wakeup->max_ns * 1e-3,
           (double)e->compute->p50_ns * 1e-3, (double)e->compute->p99_ns * 1e-3,
           (double)e->compute->p999_ns * 1e-3, (double)e->compute->max_ns * 1e-3);
    printf("bench: %" PRIu64 " sent, %" PRIu64 " received, %" PRIu64 " lost on the way\n",
           bench->sent, bench->received, bench->lost);
    printf("spinner: %zu gaps above %.0f us, longest %.1f us\n", spinner->n,
           (double)GAP_MIN_NS * 1e-3, (double)spinner->longest_ns * 1e-3);
}

static int finish(struct bench *bench, const struct spinner *spinner)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__EvidenceRequest wish = LINKAGE__V1__EVIDENCE_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_error error = {0};

    lk_client_command(bench->client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_STOP, &reply, &error);
    wish.with_cycles = true;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_EVIDENCE;
    request.evidence = &wish;
    if (lk_client_call(bench->client, &request, &reply, &error) || !reply->evidence) {
        fprintf(stderr, "no evidence: %s\n", error.text);
        return 1;
    }
    report(reply->evidence, bench, spinner);
    explain(reply->evidence, spinner);
    return 0;
}

int main(int argc, char *argv[])
{
    struct spinner spinner = {.core = argc > 1 ? atoi(argv[1]) : 0};
    struct bench bench = {0};
    double seconds = argc > 2 ? atof(argv[2]) : 0;
    pthread_t thread;
    int r;

    if (argc != 3 && argc != 6) {
        fprintf(stderr, "usage: %s CORE SECONDS [CONTROL INPUTS OUTPUTS]\n", argv[0]);
        return 2;
    }
    spinner.gap = calloc(GAPS_MAX, sizeof(*spinner.gap));
    if (!spinner.gap || open_bench(&bench, argc > 3 ? argv[3] : NULL, argc > 3 ? argv[4] : NULL,
                                   argc > 3 ? argv[5] : NULL))
        return 1;
    if (pthread_create(&thread, NULL, spin, &spinner))
        return 1;
    r = arm_and_start(&bench) || claim(&bench);
    if (r == 0)
        attend(&bench, seconds);
    atomic_store(&spinner.stop, true);
    pthread_join(thread, NULL);
    if (r == 0)
        r = finish(&bench, &spinner);
    lk_client_inputs_close(bench.inputs);
    lk_client_outputs_close(bench.outputs);
    lk_client_close(bench.client);
    free(spinner.gap);
    return r;
}
