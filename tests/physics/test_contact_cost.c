/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a step is the same whatever touches. The instructions of single steps are counted,
 * one by one, by the kernel's single step: with all points of contact open, all closed, at an
 * impact, and while it slides. */
#include "cmocka_all.h"
#include "linkage/linkage.h"
#include "model/model.h"
#include "sanitized.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT   1024
#define SPREAD 0.005 /* largest difference of two counts */

/* A box over a floor: four points with friction. @height: of its lower face [m] */
static struct lk_system *box_at(double height, double speed)
{
    char text[TEXT];
    struct lk_model *model;
    struct lk_system *system;
    struct lk_error error;

    snprintf(text, sizeof(text),
             "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  box: {mass: 1, inertia: "
             "[0.02, 0.02, 0.02], position: [0, 0, %g], velocity: [%g, 0, 0]}\nshapes:\n  floor: "
             "{type: half-space, body: ground}\n  box: {type: box, body: box, size: [0.2, 0.2, "
             "0.1]}\nforces:\n  feet: {type: contact, shapes: [floor, box], faces: [-z], "
             "friction: 0.5, restitution: 0.3}\n",
             height + 0.05, speed);
    if (lk_model_read_text("m", text, strlen(text), &model, &error) != 0 ||
        lk_system_new(model, NULL, &system, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return system;
}

/* In a child: make one step between two stops. */
static void step_between_stops(struct lk_system *system)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(2);
    raise(SIGSTOP);
    int r = lk_system_step(system, NULL);
    raise(SIGUSR1);
    _exit(r == 0 ? 0 : 3);
}

/* Return the number of instructions of the next step of @system, of which a child makes a copy; 0:
 * this machine does not let a process be traced. */
static long count(struct lk_system *system)
{
    long n = 0;
    int status;
    pid_t child = fork();

    if (child == 0)
        step_between_stops(system);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
        return 0;
    for (;;) {
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 ||
            waitpid(child, &status, 0) != child)
            return 0;
        if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
            break;
        n++;
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return n;
}

static long count_after(double height, double speed, int steps)
{
    struct lk_system *system = box_at(height, speed);
    long n;

    for (int i = 0; i < steps; i++)
        assert_int_equal(lk_system_step(system, NULL), 0);
    n = count(system);
    lk_system_free(system);
    return n;
}

static void step_costs_the_same(void **state)
{
    if (SANITIZED) /* a sanitizer counts with it */
        skip();

    long open = count_after(1, 0, 50), most = open, least = open;
    const long others[] = {
        count_after(0, 0, 50),    /* all at rest */
        count_after(0.01, 1, 45), /* an impact, sliding */
        count_after(0, 0.5, 30),  /* sliding */
    };

    (void)state;
    if (open == 0)
        skip();
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        print_message("%ld instructions, %.3f %% more than open\n", others[i],
                      100. * (double)(others[i] - open) / (double)open);
        most = others[i] > most ? others[i] : most;
        least = others[i] < least ? others[i] : least;
    }
    if ((double)(most - least) > SPREAD * (double)open)
        fail_msg("%ld to %ld instructions", least, most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_costs_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
