/* SPDX-License-Identifier: Apache-2.0 */
/* A step makes no system call. The kernel kills a child process at its first system call. The child
 * makes a thousand steps, evaluates the outputs of each, and survives. */
#include "../skip.h"
#include "model/model.h"
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define STEPS        1000
#define CHANNELS_MAX 256

static const char *model_path;
static const char *formulation; /* formulation instead of the model's, or NULL */

static struct lk_system *open_system(void)
{
    struct lk_error error = {0};
    struct lk_system *system = NULL;
    struct lk_model *model;

    if (lk_model_read_file(model_path, &model, &error))
        fail_msg("%s", error.text);
    if (formulation)
        snprintf(model->solver.formulation, sizeof(model->solver.formulation), "%s", formulation);
    if (lk_system_new(model, NULL, &system, &error))
        fail_msg("%s", error.text);
    lk_model_free(model);
    assert_true(lk_system_input_size(system) <= CHANNELS_MAX);
    assert_true(lk_system_output_size(system) <= CHANNELS_MAX);
    return system;
}

/* End the child. In strict mode exit_group is not allowed either, but exit is. */
static void leave(int status)
{
    syscall(SYS_exit, status);
}

/* Run @work in a child process in strict mode.
 * Return: exit status of the child, or -1 if the kernel killed it */
static int in_strict_mode(void (*work)(struct lk_system *), struct lk_system *system)
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
            leave(77);
        work(system);
        leave(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void step(struct lk_system *system)
{
    double inputs[CHANNELS_MAX] = {1.5}, outputs[CHANNELS_MAX];
    struct lk_health health;

    for (int i = 0; i < STEPS; i++) {
        if (lk_system_step(system, inputs))
            leave(1);
        lk_system_outputs(system, outputs);
        lk_system_health(system, &health);
    }
    lk_system_reset(system);
}

static void call_system(struct lk_system *system)
{
    (void)system;
    getppid();
}

static void test_step(void **state)
{
    struct lk_system *system = open_system();
    int status;

    (void)state;
    status = in_strict_mode(step, system);
    lk_system_free(system);
    if (status == 77)
        skip_because("no strict mode of seccomp, in this kernel or container",
                     "use a kernel with CONFIG_SECCOMP, and a container that allows it");
    assert_int_equal(status, 0);
}

/* Test of the method itself: it must detect a system call. */
static void test_method(void **state)
{
    int status;

    (void)state;
    status = in_strict_mode(call_system, NULL);
    if (status == 77)
        skip_because("no strict mode of seccomp, in this kernel or container",
                     "use a kernel with CONFIG_SECCOMP, and a container that allows it");
    assert_int_equal(status, -1);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_method),
        cmocka_unit_test(test_step),
    };

    model_path = argc > 1 ? argv[1] : "config/models/four-bar.yaml";
    formulation = argc > 2 ? argv[2] : NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
