/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions and cycles by perf_event_open(2). Virtual machines often lack these counters, and
 * systems may restrict access; the bench then omits them. */
#include "bench.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_counter(unsigned long long what, int group)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof(attributes),
        .config = what,
        .disabled = group < 0,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };

    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

void bench_counters_open(struct bench_counters *ret)
{
    *ret = (struct bench_counters){-1, -1, 0};
    ret->instructions_fd = open_counter(PERF_COUNT_HW_INSTRUCTIONS, -1);
    if (ret->instructions_fd < 0) {
        ret->error = errno;
        return;
    }
    ret->cycles_fd = open_counter(PERF_COUNT_HW_CPU_CYCLES, ret->instructions_fd);
    if (ret->cycles_fd < 0) {
        ret->error = errno;
        close(ret->instructions_fd);
        ret->instructions_fd = -1;
    }
}

void bench_counters_close(struct bench_counters *counters)
{
    if (counters->cycles_fd >= 0)
        close(counters->cycles_fd);
    if (counters->instructions_fd >= 0)
        close(counters->instructions_fd);
    *counters = (struct bench_counters){-1, -1, counters->error};
}

void bench_counters_run(const struct bench_counters *counters, bool run)
{
    if (counters->error == 0)
        ioctl(counters->instructions_fd, run ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
              PERF_IOC_FLAG_GROUP);
}

bool bench_counters_read(const struct bench_counters *counters, double *ret_instructions,
                         double *ret_cycles)
{
    unsigned long long instructions = 0, cycles = 0;

    if (counters->error != 0 ||
        read(counters->instructions_fd, &instructions, sizeof(instructions)) !=
            sizeof(instructions) ||
        read(counters->cycles_fd, &cycles, sizeof(cycles)) != sizeof(cycles) || cycles == 0)
        return false;
    *ret_instructions = (double)instructions;
    *ret_cycles = (double)cycles;
    return true;
}

const char *bench_counters_reason(const struct bench_counters *counters)
{
    switch (counters->error) {
    case 0:
        return "they counted nothing";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "this processor, or the virtual machine it is in, has none";
    case EACCES:
    case EPERM:
        return "not permitted, see /proc/sys/kernel/perf_event_paranoid";
    case ENOSYS:
        return "this kernel has no perf_event_open";
    default:
        return strerror(counters->error);
    }
}
