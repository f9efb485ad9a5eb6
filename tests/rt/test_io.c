/* SPDX-License-Identifier: Apache-2.0 */
/* Ten thousand cycles at 2 kHz, while the daemon's own exchange thread publishes, receives and
 * decodes beside them. The exchange uses the channels of the line process, with a bench at the far
 * end. The cycle thread makes no heap call, has no page fault and waits once per cycle. A worker
 * makes no heap call, has no page fault and sleeps only between steps.
 *
 * The test also runs without privileges. Priority and locked memory are then left out, and page
 * faults are reported but not judged. Nothing here depends on the latency of the machine. */
#include "../skip.h"
#include "counted.h"
#include "exchange_rig.h"
#include "linkage/stacks.h"
#include "runner.h"
#include "wire.h"
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define CYCLES   10000u
#define PERIOD_S 0.0005
/* limit of waits beyond one per cycle. None is known; the reserve is for a signal that interrupts a
 * wait. */
#define SPARE_WAITS 5

static const char *folder;
static bool locked;

/** struct counted - a thread of the rig, and its counts in @seen */
struct counted {
    struct lkd_cycle *cycle;
    struct lk_pool *pool;
    int core;
    int priority;
    struct rig_counted seen;
    pthread_t thread;
};

static void cycle_work(void *cycle)
{
    lkd_cycle_run(cycle);
}

static void worker_work(void *pool)
{
    lk_pool_serve(pool, 1);
}

static void *run_cycle(void *data)
{
    struct counted *c = data;

    rig_count(c->core, c->priority, cycle_work, c->cycle, &c->seen);
    return NULL;
}

static void *run_worker(void *data)
{
    struct counted *c = data;

    rig_count(c->core, c->priority, worker_work, c->pool, &c->seen);
    return NULL;
}

/* ---- the bench, in a separate thread ---- */

struct bench {
    struct lkd_port *inputs;
    struct lkd_port *outputs;
    size_t n_inputs;
    _Atomic bool stop;
    uint64_t sent;
    _Atomic uint64_t received;
    _Atomic uint64_t input_sequence;
};

static void send_input(struct bench *bench)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;
    double values[64] = {0};
    unsigned char buffer[1024];
    size_t size;

    sample.sequence = ++bench->sent;
    sample.n_values = bench->n_inputs;
    sample.values = values;
    if (lk_wire_encode(&sample.base, buffer, sizeof(buffer), &size) == 0)
        lkd_port_send(bench->inputs,
                      &(struct lkd_message){.kind = LKD_FRAME_MESSAGE,
                                            .peer.role = LINKAGE__V1__ROLE__ROLE_CONTROL,
                                            .data = buffer,
                                            .size = size},
                      false);
}

static void take_outputs(struct bench *bench, struct lk_wire_arena *arena)
{
    const Linkage__V1__OutputSample *sample;
    struct lkd_message message;

    while (lkd_port_receive(bench->outputs, &message)) {
        if (lk_wire_decode_output(arena, message.data, message.size, &sample))
            continue;
        bench->received++;
        bench->input_sequence = sample->input_sequence;
    }
}

static void *attend(void *data)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    struct bench *bench = data;
    struct lk_wire_arena arena;

    lk_wire_arena_init(&arena, LK_WIRE_SAMPLE_ARENA);
    while (!atomic_load(&bench->stop)) {
        send_input(bench);
        take_outputs(bench, &arena);
        nanosleep(&nap, NULL);
    }
    lk_wire_arena_fini(&arena);
    return NULL;
}

/* ---- a rig of model, exchange and bench ---- */

struct rig {
    struct exchange_rig daemon;
    struct bench bench;
    pthread_t bench_thread;
};

static void open_rig(struct rig *rig, const char *model_name)
{
    struct lkd_settings settings = lkd_settings_default();
    char path[512];

    settings.overrun.in_a_row = 0; /* a busy machine must cause no fault */
    snprintf(path, sizeof(path), "%s/%s", folder, model_name);
    exchange_rig_open(&rig->daemon, path, PERIOD_S, &settings, false);
    rig->bench = (struct bench){.inputs = &rig->daemon.inputs,
                                .outputs = &rig->daemon.outputs,
                                .n_inputs = (size_t)rig->daemon.cycle->n_inputs};
    assert_int_equal(pthread_create(&rig->bench_thread, NULL, attend, &rig->bench), 0);
}

static void close_rig(struct rig *rig)
{
    atomic_store(&rig->bench.stop, true);
    pthread_join(rig->bench_thread, NULL);
    lkd_exchange_detach(rig->daemon.exchange, LINKAGE__V1__STATE__STATE_READY);
    exchange_rig_close(&rig->daemon);
}

static void await_cycles(struct lkd_cycle *cycle, uint64_t cycles)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    const struct lkd_figures *f;

    do {
        nanosleep(&nap, NULL);
        lkd_mailbox_take(&cycle->status);
        f = lkd_mailbox_front(&cycle->status);
    } while (f->cycles < cycles && f->state == LKD_CYCLE_RUNNING);
    assert_true(f->state == LKD_CYCLE_RUNNING);
    lkd_cycle_ask(cycle, LKD_ASK_END);
}

/* Wait until the bench has received 100 outputs and 100 of its inputs have acted. Its thread may
 * wait long for a core. */
static void await_exchange(const struct bench *bench)
{
    const struct timespec nap = {.tv_nsec = 5000000};

    for (int i = 0; i < 12000 && (bench->received <= 100 || bench->input_sequence <= 100); i++)
        nanosleep(&nap, NULL);
}

static void check_counted(const char *who, const struct rig_counted *seen)
{
    rig_counted_print(who, seen);
    assert_int_equal(seen->heap_calls, 0);
    if (locked)
        assert_int_equal(seen->usage.minor_faults + seen->usage.major_faults, 0);
}

static void check_exchange(const struct rig *rig)
{
    printf("bench: %" PRIu64 " sent, %" PRIu64 " received, the last effect seen is of %" PRIu64
           "\n",
           rig->bench.sent, rig->bench.received, rig->bench.input_sequence);
    assert_true(rig->bench.received > 100);
    assert_true(rig->bench.input_sequence > 100);
}

static void test_with_io(void **state)
{
    struct counted cycle = {.core = lkd_realtime_pick_core(LKD_CORE_AUTO), .priority = 80};
    struct rig rig;

    (void)state;
    open_rig(&rig, "four-bar.yaml");
    cycle.cycle = rig.daemon.cycle;
    rig.daemon.cycle->t0_ns = lkd_clock_ns() + 20000000;
    assert_int_equal(pthread_create(&cycle.thread, NULL, run_cycle, &cycle), 0);
    await_exchange(&rig.bench);
    await_cycles(rig.daemon.cycle, CYCLES);
    pthread_join(cycle.thread, NULL);
    check_counted("cycle", &cycle.seen);
    /* one wait per cycle, and the wait that ended the run */
    assert_true(cycle.seen.usage.voluntary <=
                rig.daemon.cycle->rt.figures.cycles + 1 + SPARE_WAITS);
    assert_true(lkd_histogram_count(&rig.daemon.cycle->hand_over) > 100);
    assert_true(lkd_histogram_count(&rig.daemon.cycle->input_age) > 100);
    close_rig(&rig);
    check_exchange(&rig);
}

/* Two workers with a core each. The daemon requires a third core for its other threads; this test
 * needs none, because both workers sleep between steps. A worker sleeps then, and a second time if
 * it woke in vain because the cycle was late. With normal priority it may lose its core within any
 * phase, so its waits cannot be judged. */
static void test_workers_with_io(void **state)
{
    struct counted cycle = {.core = lkd_realtime_pick_core(LKD_CORE_AUTO), .priority = 50};
    struct counted worker = {.priority = 50};
    struct lk_pool *pool;
    uint64_t cycles;
    struct rig rig;

    (void)state;
    if (cycle.core <= 0)
        skip_because("it takes a second core", "give it two cores");
    open_rig(&rig, "chain-128.yaml");
    assert_int_equal(lk_pool_new(2, &pool), 0);
    cycle.cycle = rig.daemon.cycle;
    cycle.pool = worker.pool = rig.daemon.cycle->pool = pool;
    assert_int_equal(pthread_create(&worker.thread, NULL, run_worker, &worker), 0);
    lk_pool_wait_ready(pool);
    lk_system_set_pool(rig.daemon.system, pool);
    rig.daemon.cycle->t0_ns = lkd_clock_ns() + 20000000;
    assert_int_equal(pthread_create(&cycle.thread, NULL, run_cycle, &cycle), 0);
    await_cycles(rig.daemon.cycle, CYCLES / 4);
    pthread_join(cycle.thread, NULL);
    lk_pool_stop(pool);
    pthread_join(worker.thread, NULL);
    check_counted("cycle", &cycle.seen);
    check_counted("worker", &worker.seen);
    cycles = rig.daemon.cycle->rt.figures.cycles;
    if (cycle.seen.fifo && worker.seen.fifo) {
        assert_true(cycle.seen.usage.voluntary <= 2 * cycles + SPARE_WAITS);
        assert_true(worker.seen.usage.voluntary <= 3 * cycles + SPARE_WAITS);
    }
    lk_system_set_pool(rig.daemon.system, NULL);
    close_rig(&rig);
    lk_pool_free(pool);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_with_io),
        cmocka_unit_test(test_workers_with_io),
    };
    int latency_fd, r;

    folder = argc > 1 ? argv[1] : "config/models";
    assert_int_equal(lk_stacks_prepare(NULL), 0);
    locked = lkd_realtime_lock_memory() == 0;
    latency_fd = lkd_realtime_hold_latency();
    printf("memory %s\n", locked ? "locked" : "not locked");
    r = cmocka_run_group_tests(tests, NULL, NULL);
    if (latency_fd >= 0)
        close(latency_fd);
    return r;
}
