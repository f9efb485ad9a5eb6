/* SPDX-License-Identifier: Apache-2.0 */
#include "realtime.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool may_lock_anything(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

    if (syscall(SYS_capget, &header, data))
        return false;
    return data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK);
}

/* Return true if RLIMIT_MEMLOCK is large enough; raise the soft limit first. With a small limit,
 * locking future memory would succeed here but a later thread or buffer would fail. So a small
 * limit counts as a refusal. */
static bool limit_allows(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_MEMLOCK, &limit))
        return false;
    if (limit.rlim_cur != limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_MEMLOCK, &limit);
    }
    return limit.rlim_max >= LKD_LOCK_LIMIT_MIN; /* RLIM_INFINITY is the largest value */
}

int lkd_realtime_lock_memory(void)
{
    if (!limit_allows() && !may_lock_anything())
        return -EPERM;
    if (mlockall(MCL_CURRENT | MCL_FUTURE))
        return -errno;

    /* Keep malloc from returning pages or mapping new ones: such a page causes a page fault later,
     * even if memory is locked. */
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
    mallopt(M_ARENA_MAX, 1);
    return 0;
}

int lkd_realtime_pick_core(int core)
{
    cpu_set_t allowed;

    if (core != LKD_CORE_AUTO)
        return core;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) || CPU_COUNT(&allowed) < 2)
        return LKD_CORE_NONE;
    for (int i = CPU_SETSIZE - 1; i >= 0; i--)
        if (CPU_ISSET(i, &allowed))
            return i;
    return LKD_CORE_NONE;
}

int lkd_realtime_cores(cpu_set_t *ret_allowed, cpu_set_t *ret_reachable)
{
    cpu_set_t all;

    if (sched_getaffinity(0, sizeof(*ret_allowed), ret_allowed))
        return -errno;
    /* The cpuset can only be read by requesting all cores: the kernel reduces the request to the
     * cpuset. */
    memset(&all, 0xff, sizeof(all));
    *ret_reachable = *ret_allowed;
    if (sched_setaffinity(0, sizeof(all), &all) == 0) {
        sched_getaffinity(0, sizeof(*ret_reachable), ret_reachable);
        if (sched_setaffinity(0, sizeof(*ret_allowed), ret_allowed))
            return -errno;
    }
    return 0;
}

int lkd_realtime_avoid_core(int core)
{
    cpu_set_t allowed;

    if (core < 0 || core >= CPU_SETSIZE)
        return 0;
    if (sched_getaffinity(0, sizeof(allowed), &allowed))
        return -errno;
    CPU_CLR(core, &allowed);
    if (CPU_COUNT(&allowed) == 0)
        return 0;
    return sched_setaffinity(0, sizeof(allowed), &allowed) ? -errno : 0;
}

int lkd_realtime_pin_of(pthread_t thread, int core)
{
    cpu_set_t set;

    if (core == LKD_CORE_NONE)
        return 0;
    if (core < 0 || core >= CPU_SETSIZE)
        return -EINVAL;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    /* pthread functions return the error and do not set errno */
    return -pthread_setaffinity_np(thread, sizeof(set), &set);
}

int lkd_realtime_fifo_of(pthread_t thread, int priority)
{
    struct sched_param param = {.sched_priority = priority};

    return -pthread_setschedparam(thread, SCHED_FIFO, &param);
}

int lkd_realtime_pin(int core)
{
    return lkd_realtime_pin_of(pthread_self(), core);
}

int lkd_realtime_set_fifo(int priority)
{
    return lkd_realtime_fifo_of(pthread_self(), priority);
}

int lkd_realtime_try_fifo(int priority)
{
    struct sched_param before = {0};
    int policy = SCHED_OTHER, r;

    pthread_getschedparam(pthread_self(), &policy, &before);
    r = lkd_realtime_set_fifo(priority);
    if (r == 0)
        pthread_setschedparam(pthread_self(), policy, &before);
    return r;
}

int lkd_realtime_thread(const struct lkd_thread_wish *wish)
{
    int pinned = wish->core >= 0 ? lkd_realtime_pin(wish->core) : 0;
    int raised = wish->priority > 0 ? lkd_realtime_set_fifo(wish->priority) : 0;

    return pinned ? pinned : raised;
}

int lkd_realtime_priority(void)
{
    struct sched_param param = {0};
    int policy = SCHED_OTHER;

    pthread_getschedparam(pthread_self(), &policy, &param);
    return policy == SCHED_FIFO ? param.sched_priority : 0;
}

void lkd_realtime_lock_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/* Touch the stack in a separate frame, so that the touched bytes lie below all that the caller will
 * use. */
static __attribute__((noinline)) void touch_stack(void)
{
    volatile unsigned char bytes[LKD_STACK_TOUCHED];

    for (size_t i = 0; i < sizeof(bytes); i += 1024)
        bytes[i] = 0;
    (void)bytes[0];
}

void lkd_realtime_prepare_thread(void)
{
    touch_stack();
    prctl(PR_SET_TIMERSLACK, 1);
}

/* Descriptor opened before privileges are dropped, or -1. */
static int latency_kept = -1;

static int open_latency(void)
{
    int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

void lkd_realtime_keep_latency(void)
{
    if (latency_kept < 0)
        latency_kept = open_latency();
}

int lkd_realtime_hold_latency(void)
{
    int32_t latency_us = 0;
    int fd = latency_kept >= 0 ? latency_kept : open_latency();

    if (fd < 0)
        return fd;
    if (write(fd, &latency_us, sizeof(latency_us)) != sizeof(latency_us)) {
        int r = errno ? -errno : -EIO;

        lkd_realtime_release_latency(fd);
        return r;
    }
    return fd;
}

void lkd_realtime_release_latency(int fd)
{
    const int32_t any_us = -1; /* no limit, as without a request */

    if (fd < 0)
        return;
    if (fd != latency_kept)
        close(fd);
    else if (write(fd, &any_us, sizeof(any_us)) != sizeof(any_us)) {
        close(fd); /* also ends the request for low latency; later runs are without it */
        latency_kept = -1;
    }
}

void lkd_realtime_usage(struct lkd_usage *ret_usage)
{
    struct rusage usage;

    memset(&usage, 0, sizeof(usage));
    getrusage(RUSAGE_THREAD, &usage);
    *ret_usage = (struct lkd_usage){
        .minor_faults = (uint64_t)usage.ru_minflt,
        .major_faults = (uint64_t)usage.ru_majflt,
        .voluntary = (uint64_t)usage.ru_nvcsw,
        .involuntary = (uint64_t)usage.ru_nivcsw,
    };
}

static int read_task_file(pid_t tid, const char *file, char *buffer, size_t size)
{
    char path[64];
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int)tid, file);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    n = read(fd, buffer, size - 1);
    close(fd);
    if (n <= 0)
        return -ESRCH;
    buffer[n] = '\0';
    return 0;
}

static bool find_count(const char *text, const char *key, uint64_t *ret)
{
    const char *place = strstr(text, key);

    return place && sscanf(place + strlen(key), "%" SCNu64, ret) == 1;
}

int lkd_realtime_usage_of(pid_t tid, struct lkd_usage *ret_usage)
{
    struct lkd_usage usage;
    char text[4096];
    char *fields;
    int r;

    r = read_task_file(tid, "stat", text, sizeof(text));
    if (r)
        return r;
    /* Read fields 10 and 12 of proc(5). They are counted from the last parenthesis, because the
     * name in parentheses may contain any characters. */
    fields = strrchr(text, ')');
    if (!fields || sscanf(fields, ") %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64,
                          &usage.minor_faults, &usage.major_faults) != 2)
        return -EIO;

    r = read_task_file(tid, "status", text, sizeof(text));
    if (r)
        return r;
    if (!find_count(text, "\nvoluntary_ctxt_switches:", &usage.voluntary) ||
        !find_count(text, "\nnonvoluntary_ctxt_switches:", &usage.involuntary))
        return -EIO;
    *ret_usage = usage;
    return 0;
}
