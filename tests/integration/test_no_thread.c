/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon whose exchange thread cannot be made does not begin to serve. */
#include "harness.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_no_exchange(void **state)
{
    struct harness h = {.folder = "/tmp/linkaged-test-XXXXXX"};
    char path[128], log[128];

    (void)state;
    assert_non_null(mkdtemp(h.folder));
    for (int i = 0; i < 3; i++)
        snprintf(h.endpoint[i], sizeof(h.endpoint[i]), "ipc://%s/%d", h.folder, i);
    snprintf(path, sizeof(path), "%s/linkaged.yaml", h.folder);
    snprintf(log, sizeof(log), "%s/log", h.folder);
    harness_write_config(&h, path, NULL);
    h.pid = harness_spawn((const char *const[]){"--config", path, NULL}, log, -1);
    assert_int_equal(harness_wait(h.pid, 60000), 1);
    assert_true(harness_log_has(h.folder, "log", "Resource temporarily unavailable"));
    unlink(path);
    unlink(log);
    for (int i = 0; i < 3; i++)
        unlink(h.endpoint[i] + strlen("ipc://"));
    rmdir(h.folder);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_exchange),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
