/* SPDX-License-Identifier: Apache-2.0 */
/* A line process under an attacker's control does all damage it can; the next line process serves
 * as well as the first. The attacks are in hostile_line.c. */
#include "benches.h"
#include "lines.h"
#include "runs.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define RESTARTED "[LK-9001] line restarted"

/* Wait until there are more cycles than @before. A request may be lost in a line process that does
 * not answer. */
static uint64_t await_more_cycles(struct harness *h, uint64_t before)
{
    harness_hang_up(h);
    harness_connect(h);
    return runs_await_cycles(h, before + 1)->cycles;
}

/* Wait for @n restarts, for longer than the usual patience: a line process that hangs is given more
 * time while it gets no processor, as on a machine with one core. */
static void await_restarts(const struct harness *h, int n)
{
    for (int i = 0; harness_log_count(h, RESTARTED) < n && i < 2 * PATIENCE_MS / 20; i++)
        benches_nap(20);
    harness_await_log(h, RESTARTED, n);
}

/* Check that all three sockets work and that the run has continued. */
static void expect_service(struct harness *h, uint64_t *cycles)
{
    const double value = 1;
    static uint64_t sequence = 1;
    uint64_t accepted;

    *cycles = await_more_cycles(h, *cycles);
    accepted = harness_expect(h, STATUS, RESULT(OK), STATE(RUNNING))->inputs_accepted;
    for (int i = 0; harness_command(h, STATUS)->status->inputs_accepted == accepted; i++) {
        assert_true(i < PATIENCE_MS / 20);
        harness_send(h, sequence++, 0, &value, 1);
        benches_nap(20);
    }
    assert_non_null(harness_sample(h, PATIENCE_MS));
}

/* A hijacked line process ends. Another hijacked one follows, and ends or is ended; the next one is
 * honest. */
static void test_broken(void **state)
{
    uint64_t cycles = 0;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    harness_load_model(&h);
    harness_go(&h);
    expect_service(&h, &cycles);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(kill(harness_line(&h), SIGKILL), 0);
        await_restarts(&h, 2 * i + 2);
        expect_service(&h, &cycles);
    }
    assert_true(harness_log_has(h.folder, "log", "it closed what it was given"));
    harness_close(&h);
}

/* A line process that sends without end blocks no other thread. */
static void test_talkative(void **state)
{
    uint64_t cycles = 0;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    harness_load_model(&h);
    harness_go(&h);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kill(harness_line(&h), SIGKILL), 0);
        if (i == 2) { /* this line sends until the supervisor notices */
            await_restarts(&h, 2 * i + 1);
            kill(h.pid, SIGUSR1);
            harness_await_log(&h, "[LK-1011]", 1);
        }
        await_restarts(&h, 2 * i + 2);
    }
    expect_service(&h, &cycles);
    assert_true(harness_log_has(h.folder, "log", "it stood still"));
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_talkative),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
