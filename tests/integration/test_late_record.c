/* SPDX-License-Identifier: Apache-2.0 */
/* Records of an exchange that is late, and of a cycle that was late.
 *
 * A late exchange publishes each step, in order. A cycle that was declared dead may wake up after
 * it last checked whether it may continue. Its next record then belongs to no step of this run,
 * whatever state the record contains. The test uses the daemon's exchange, a cycle whose steps it
 * makes one by one, and the channel of the line process, whose other end it reads. */
#include "cycle_parts.h"
#include "exchange_rig.h"
#include "wire.h"
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PATIENCE_MS 60000
/* number of samples to receive in a state, in which samples are repeated */
#define HEARD 5
/* number of steps by which an exchange is late: more than it sends at once */
#define LATE 100

static const char *model_path;

struct scene {
    struct exchange_rig rig;
    struct lk_wire_arena arena;
};

static void open_scene(struct scene *s, bool newest_only)
{
    struct lkd_settings settings = lkd_settings_default();

    settings.zero_outputs = true;
    exchange_rig_open(&s->rig, model_path, 0.0, &settings, newest_only);
    lk_wire_arena_init(&s->arena, LK_WIRE_SAMPLE_ARENA);
}

static void close_scene(struct scene *s)
{
    exchange_rig_close(&s->rig);
    lk_wire_arena_fini(&s->arena);
}

static const Linkage__V1__OutputSample *hear(struct scene *s)
{
    const Linkage__V1__OutputSample *sample;
    struct lkd_message message;

    for (;;) {
        struct pollfd ready = {.fd = s->rig.outputs_fd[1], .events = POLLIN};

        while (lkd_port_receive(&s->rig.outputs, &message))
            if (lk_wire_decode_output(&s->arena, message.data, message.size, &sample) == 0)
                return sample;
        if (poll(&ready, 1, PATIENCE_MS) != 1)
            fail_msg("no sample");
    }
}

static const Linkage__V1__OutputSample *await(struct scene *s, Linkage__V1__State state,
                                              uint64_t step)
{
    const Linkage__V1__OutputSample *sample;

    do
        sample = hear(s);
    while (sample->state != state || sample->step != step);
    return sample;
}

static bool is_zero(const Linkage__V1__OutputSample *sample)
{
    for (size_t i = 0; i < sample->n_values; i++)
        if (sample->values[i] != 0.0)
            return false;
    return true;
}

static void hears_the_fault_alone(struct scene *s)
{
    for (int i = 0; i < HEARD; i++) {
        const Linkage__V1__OutputSample *sample = hear(s);

        assert_int_equal(sample->state, LINKAGE__V1__STATE__STATE_FAULT);
        assert_true(is_zero(sample));
    }
}

static void run_to_fault(struct scene *s)
{
    lkd_cycle_carry_out(s->rig.cycle, LKD_ASK_RUN, 0);
    assert_false(is_zero(await(s, LINKAGE__V1__STATE__STATE_RUNNING, 1)));
    lkd_exchange_fault(s->rig.exchange, true);
    await(s, LINKAGE__V1__STATE__STATE_FAULT, 1);
    /* the cycle has not seen the request for a fault: it checked before */
    lkd_cycle_carry_out(s->rig.cycle, LKD_ASK_RUN, 1);
}

/* The interrupted step is not published; the fault of the cycle is published as soon as the cycle
 * reports it. */
static void test_not_published(void **state)
{
    struct scene s;

    (void)state;
    open_scene(&s, false);
    run_to_fault(&s);
    hears_the_fault_alone(&s);
    lkd_cycle_ask(s.rig.cycle, LKD_ASK_FAULT);
    lkd_cycle_carry_out(s.rig.cycle, LKD_ASK_FAULT, 2);
    assert_true(is_zero(await(&s, LINKAGE__V1__STATE__STATE_FAULT, 2)));
    lkd_exchange_detach(s.rig.exchange, LINKAGE__V1__STATE__STATE_READY);
    assert_true(is_zero(await(&s, LINKAGE__V1__STATE__STATE_READY, 2)));
    close_scene(&s);
}

/* The step is not published either if the run is reset before the exchange has read it. */
static void test_not_at_the_end(void **state)
{
    struct scene s;

    (void)state;
    open_scene(&s, false);
    run_to_fault(&s);
    lkd_exchange_detach(s.rig.exchange, LINKAGE__V1__STATE__STATE_READY);
    assert_true(is_zero(await(&s, LINKAGE__V1__STATE__STATE_READY, 1)));

    lkd_exchange_attach(s.rig.exchange, s.rig.cycle, 1, false); /* the next run is published */
    lkd_cycle_carry_out(s.rig.cycle, LKD_ASK_RUN, 2);
    assert_false(is_zero(await(&s, LINKAGE__V1__STATE__STATE_RUNNING, 3)));
    lkd_exchange_detach(s.rig.exchange, LINKAGE__V1__STATE__STATE_READY);
    close_scene(&s);
}

/* Make steps that the exchange does not see, because it is not attached yet. */
static void run_unseen(struct scene *s, int n)
{
    lkd_exchange_detach(s->rig.exchange, LINKAGE__V1__STATE__STATE_READY);
    for (int k = 0; k < n; k++)
        lkd_cycle_carry_out(s->rig.cycle, LKD_ASK_RUN, k);
    lkd_exchange_attach(s->rig.exchange, s->rig.cycle, 1, false);
}

/* Each step is published with its own stamps, and none is omitted. */
static void test_every_step(void **state)
{
    uint64_t sequence = 0, computed_ns = 0;
    struct scene s;

    (void)state;
    open_scene(&s, false);
    run_unseen(&s, LATE);
    for (uint64_t step = 1; step <= LATE; step++) {
        const Linkage__V1__OutputSample *sample = hear(&s);

        assert_int_equal(sample->step, step);
        assert_true(step == 1 || sample->sequence == sequence + 1);
        assert_true(sample->computed_ns > computed_ns);
        sequence = sample->sequence;
        computed_ns = sample->computed_ns;
    }
    assert_int_equal(lkd_exchange_published(s.rig.exchange), LATE);
    lkd_exchange_detach(s.rig.exchange, LINKAGE__V1__STATE__STATE_READY);
    close_scene(&s);
}

/* No step is omitted at the end of a run, however soon it ends. */
static void test_every_step_to_the_end(void **state)
{
    struct scene s;

    (void)state;
    open_scene(&s, false);
    run_unseen(&s, LATE);
    lkd_exchange_detach(s.rig.exchange, LINKAGE__V1__STATE__STATE_READY);
    for (uint64_t step = 1; step <= LATE; step++)
        assert_int_equal(hear(&s)->step, step);
    close_scene(&s);
}

static void test_newest_only(void **state)
{
    struct scene s;

    (void)state;
    open_scene(&s, true);
    run_unseen(&s, LATE);
    assert_int_equal(hear(&s)->step, LATE);
    lkd_exchange_detach(s.rig.exchange, LINKAGE__V1__STATE__STATE_READY);
    close_scene(&s);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_published), cmocka_unit_test(test_not_at_the_end),
        cmocka_unit_test(test_every_step),    cmocka_unit_test(test_every_step_to_the_end),
        cmocka_unit_test(test_newest_only),
    };

    model_path = argc > 1 ? argv[1] : "config/models/four-bar.yaml";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
