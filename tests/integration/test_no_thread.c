/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon whose exchange thread cannot be created does not start to serve. */
#include "harness.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_no_exchange(void **state)
{
    struct harness h;

    (void)state;
    harness_prepare(&h, NULL);
    h.pid = harness_spawn((const char *const[]){"--config", h.config, NULL}, h.log, -1);
    assert_int_equal(harness_wait(h.pid, PATIENCE_MS), 1);
    assert_true(harness_log_has(h.folder, "log", "Resource temporarily unavailable"));
    assert_int_equal(rig_folder_remove(h.folder), 0);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_exchange),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
