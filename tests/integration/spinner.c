/* SPDX-License-Identifier: Apache-2.0 */
#include "spinner.h"
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int become(int core, int priority)
{
    const struct sched_param param = {.sched_priority = priority};
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    if (sched_setaffinity(0, sizeof(set), &set))
        return -1;
    return sched_setscheduler(0, priority > 0 ? SCHED_FIFO : SCHED_OTHER, &param);
}

/* Return 1 if a child process can use the core with real-time priority. */
static int may_spin(int core)
{
    pid_t pid = fork();
    int status;

    if (pid == 0)
        _exit(become(core, 1) ? 1 : 0);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int spinner_core(void)
{
    int core = CPU_SETSIZE - 1;
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) || CPU_COUNT(&allowed) < 2)
        return -1;
    while (!CPU_ISSET((size_t)core, &allowed))
        core--;
    CPU_CLR((size_t)core, &allowed);
    if (!may_spin(core) || sched_setaffinity(0, sizeof(allowed), &allowed))
        return -1;
    return core;
}

pid_t spinner_start(int core, int priority)
{
    char ready = 0;
    int ends[2];
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, SPINNER_NAME);
        alarm(SPINNER_MAX_S);
        if (become(core, priority) || write(ends[1], "", 1) != 1)
            _exit(1);
        for (;;)
            ;
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &ready, 1), 1);
    close(ends[0]);
    return pid;
}

pid_t spinner_start_greedy(int core)
{
    pid_t pid = spinner_start(core, 0);

    assert_int_equal(setpriority(PRIO_PROCESS, (id_t)pid, -20), 0);
    return pid;
}

void spinner_stop(pid_t pid)
{
    int status;

    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
}
