/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"
#include "benches.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

void line_await_other(const struct harness *h, pid_t before)
{
    for (int i = 0; i < 6000; i++) {
        pid_t now = harness_line(h);

        if (now > 0 && now != before)
            return;
        benches_nap(10);
    }
    fail_msg("no other line process within a minute");
}

void line_end(const struct harness *h, int signal)
{
    pid_t line = harness_line(h);

    assert_true(line > 0);
    assert_int_equal(kill(line, signal), 0);
    line_await_other(h, line);
}
