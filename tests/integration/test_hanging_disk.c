/* SPDX-License-Identifier: Apache-2.0 */
/* A disk under the folder of reports that does not answer. The daemon still answers, runs continue
 * and end, and pending files are written when the disk answers again. */
#include "runs.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define KEPT "evidence: {directory: kept}\n"

static void set_hanging(const struct harness *h, bool hangs)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof(path), "%s/kept/hang", h->folder);
    if (!hangs) {
        assert_int_equal(unlink(path), 0);
        return;
    }
    file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void open_hanging(struct harness *h)
{
    harness_open(h, KEPT);
    runs_make_folder(h);
    harness_load_model(h);
    set_hanging(h, true);
}

static void run_once(struct harness *h)
{
    harness_go(h);
    runs_await_cycles(h, 3);
    harness_expect(h, STOP, RESULT(OK), STATE(ARMED));
}

static void test_answers(void **state)
{
    struct harness h;

    (void)state;
    open_hanging(&h);
    for (int i = 0; i < 3; i++)
        run_once(&h);
    assert_int_equal(runs_count_files(&h, ".json", false), 0);
    set_hanging(&h, false);
    harness_await_log(&h, ".hist", 3);
    assert_int_equal(runs_count_files(&h, "Z.json", true), 3);
    assert_int_equal(runs_count_files(&h, "Z.hist", false), 3);
    harness_close(&h);
}

/* The daemon ends without the disk and reports which files are lost. */
static void test_ends(void **state)
{
    struct harness h;
    pid_t pid;

    (void)state;
    open_hanging(&h);
    run_once(&h);
    pid = h.pid;
    h.pid = 0;
    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_int_equal(harness_wait(pid, PATIENCE_MS), 0);
    assert_true(harness_log_has(h.folder, "log", "Z.json: the disk does not respond"));
    assert_true(harness_log_has(h.folder, "log", "Z.hist: the disk does not respond"));
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_ends),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
