/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon feeds the watchdog while its cycle makes progress. If the cycle hangs, systemd ends
 * the daemon. */
#include "notify.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#define INTERVAL_NS INT64_C(100000000)

static int listener;

static int listen_here(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[64];
    int n;

    (void)state;
    n = snprintf(name, sizeof(name), "@linkaged-notify-%d", (int)getpid());
    memcpy(address.sun_path, name, (size_t)n);
    address.sun_path[0] = '\0'; /* abstract address */
    listener = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    setenv("NOTIFY_SOCKET", name, 1);
    setenv("WATCHDOG_USEC", "400000", 1);
    return bind(listener, (struct sockaddr *)&address,
                (socklen_t)offsetof(struct sockaddr_un, sun_path) + (socklen_t)n);
}

/* Return the next notification, "" if there is none. */
static const char *heard(void)
{
    static char text[256];
    ssize_t n = recv(listener, text, sizeof(text) - 1, 0);

    text[n > 0 ? n : 0] = '\0';
    return text;
}

static void test_watchdog(void **state)
{
    struct lkd_notify notify;
    struct lkd_rig rig = {.state = LINKAGE__V1__STATE__STATE_EMPTY};
    int64_t now = 1000;

    (void)state;
    lkd_notify_ready(&notify, &rig);
    assert_string_equal(heard(), "READY=1");
    assert_string_equal(heard(), "STATUS=EMPTY");

    /* without a run, the watchdog is fed once per interval */
    lkd_notify_alive(&notify, &rig, now);
    assert_string_equal(heard(), "WATCHDOG=1");
    lkd_notify_alive(&notify, &rig, now + INTERVAL_NS - 1);
    assert_string_equal(heard(), "");
    lkd_notify_alive(&notify, &rig, now += INTERVAL_NS);
    assert_string_equal(heard(), "WATCHDOG=1");

    /* the cycle advances, then hangs, then advances again */
    rig.state = LINKAGE__V1__STATE__STATE_RUNNING;
    rig.runner.alive = true;
    rig.figures.cycles = 5;
    lkd_notify_alive(&notify, &rig, now += INTERVAL_NS);
    assert_string_equal(heard(), "STATUS=RUNNING");
    assert_string_equal(heard(), "WATCHDOG=1");
    for (int i = 0; i < 10; i++)
        lkd_notify_alive(&notify, &rig, now += INTERVAL_NS);
    assert_string_equal(heard(), "");
    rig.figures.cycles++;
    lkd_notify_alive(&notify, &rig, now);
    assert_string_equal(heard(), "WATCHDOG=1");

    /* in lockstep the cycle may wait for its bench: publishing its figures (@moved_ns) is enough
     * progress */
    rig.mode = LKD_MODE_LOCKSTEP;
    rig.moved_ns = now;
    lkd_notify_alive(&notify, &rig, now += INTERVAL_NS);
    assert_string_equal(heard(), "WATCHDOG=1");
    lkd_notify_alive(&notify, &rig, now += INTERVAL_NS);
    assert_string_equal(heard(), "");
    rig.moved_ns = now;
    lkd_notify_alive(&notify, &rig, now);
    assert_string_equal(heard(), "WATCHDOG=1");

    lkd_notify_stopping(&notify);
    assert_string_equal(heard(), "STOPPING=1");
}

/* If the manager does not read for a while, the daemon does not block, and then reports its current
 * state. */
static void test_busy_manager(void **state)
{
    struct lkd_notify notify;
    struct lkd_rig rig = {.state = LINKAGE__V1__STATE__STATE_EMPTY};
    int64_t now = 1000;
    int waiting = 0;

    (void)state;
    lkd_notify_ready(&notify, &rig);
    alarm(60); /* ends a test that blocks */
    for (int i = 0; i < 2000; i++)
        lkd_notify_alive(&notify, &rig, now += INTERVAL_NS);
    rig.state = LINKAGE__V1__STATE__STATE_READY;
    lkd_notify_alive(&notify, &rig, now);
    alarm(0);
    for (const char *text = heard(); *text; text = heard(), waiting++)
        assert_string_not_equal(text, "STATUS=READY");
    assert_in_range(waiting, 2, 1999);
    lkd_notify_alive(&notify, &rig, now += INTERVAL_NS);
    assert_string_equal(heard(), "STATUS=READY");
    assert_string_equal(heard(), "WATCHDOG=1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watchdog),
        cmocka_unit_test(test_busy_manager),
    };

    return cmocka_run_group_tests(tests, listen_here, NULL);
}
