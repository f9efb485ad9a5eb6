/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that can only be tested by trying. Priority, locked memory and pinning are tried in a
 * child process: the end of the child undoes these changes, and a system call filter that kills the
 * child does not kill this program. */
#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOCK_TRIED     ((size_t)256 << 20) /* the minimum that linkaged needs */
#define CLOCK_ROUNDS   200
#define CLOCK_READINGS 100
#define PTP_ANSWER_MS  300

/* Run @attempt in a child process.
 * Return: errno of the attempt, or EPERM if the child was killed. */
static int try_in_child(int (*attempt)(const struct doctor *doctor, int argument),
                        const struct doctor *doctor, int argument)
{
    int status;
    pid_t child = fork();

    if (child < 0)
        return errno;
    if (child == 0)
        _exit(attempt(doctor, argument));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

static int attempt_fifo(const struct doctor *doctor, int priority)
{
    struct sched_param param = {.sched_priority = priority};

    (void)doctor;
    return sched_setscheduler(0, SCHED_FIFO, &param) ? errno : 0;
}

/* Lock all memory like the daemon, but with pages that are locked when they are touched, so that no
 * memory is filled. */
static int attempt_lock(const struct doctor *doctor, int unused)
{
    struct rlimit limit;

    (void)doctor;
    (void)unused;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_MEMLOCK, &limit);
    }
    if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT))
        return errno;
    return mmap(NULL, LOCK_TRIED, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED
               ? errno
               : 0;
}

static int attempt_pin(const struct doctor *doctor, int core)
{
    cpu_set_t set;

    (void)doctor;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    return sched_setaffinity(0, sizeof(set), &set) ? errno : 0;
}

static void try_pinning(const struct doctor *doctor, struct doctor_probes *probes)
{
    for (int i = doctor_next_core(doctor, -1); i >= 0; i = doctor_next_core(doctor, i)) {
        probes->pin = try_in_child(attempt_pin, doctor, i);
        probes->pin_core = i;
        if (probes->pin != 0)
            return;
    }
}

/* Open and close the device. No value is written, so no core changes its idle states. */
static int try_latency(void)
{
    int file = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);

    if (file < 0)
        return errno;
    close(file);
    return 0;
}

static int attempt_uring(const struct doctor *doctor, int entries)
{
    struct io_uring_params params;

    (void)doctor;
    memset(&params, 0, sizeof(params));
    return syscall(SYS_io_uring_setup, entries, &params) < 0 ? errno : 0;
}

static double seconds_of(const struct timespec *time)
{
    return (double)time->tv_sec + 1e-9 * (double)time->tv_nsec;
}

/* Measure the time of a reading of the clock: the fastest of some rounds, because disturbances only
 * make rounds longer. */
static void measure_clock(struct doctor_probes *probes)
{
    struct timespec start, now;

    clock_getres(CLOCK_MONOTONIC, &now);
    probes->resolution_s = seconds_of(&now);
    for (int i = 0; i < CLOCK_ROUNDS; i++) {
        double each;

        clock_gettime(CLOCK_MONOTONIC, &start);
        for (int k = 0; k < CLOCK_READINGS; k++)
            clock_gettime(CLOCK_MONOTONIC, &now);
        each =
            ((double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec)) /
            CLOCK_READINGS;
        if (i == 0 || each < probes->clock_s)
            probes->clock_s = each;
    }
}

/* Magic numbers of statfs(2) for local and remote file systems. */
static const struct file_system {
    unsigned long magic;
    const char *name;
    bool is_remote;
} file_systems[] = {
    {0xef53, "ext4", false},      {0x58465342, "xfs", false},     {0x9123683e, "btrfs", false},
    {0x01021994, "tmpfs", false}, {0x794c7630, "overlay", false}, {0xf2f52010, "f2fs", false},
    {0x2fc12fc1, "zfs", false},   {0x4d44, "vfat", false},        {0x6969, "nfs", true},
    {0xff534d42, "cifs", true},   {0xfe534d42, "smb2", true},     {0x01021997, "9p", true},
    {0x65735546, "fuse", true},   {0x00c36400, "ceph", true},
};

static void try_directory(const char *path, struct doctor_probes *probes)
{
    struct statfs status;

    if (access(path, W_OK | X_OK) || statfs(path, &status)) {
        probes->directory = errno;
        return;
    }
    probes->free_bytes = (uint64_t)status.f_bavail * (uint64_t)status.f_bsize;
    snprintf(probes->file_system, sizeof(probes->file_system), "file system %lx",
             (unsigned long)status.f_type);
    for (size_t i = 0; i < sizeof(file_systems) / sizeof(file_systems[0]); i++) {
        if ((unsigned long)status.f_type != file_systems[i].magic)
            continue;
        snprintf(probes->file_system, sizeof(probes->file_system), "%s", file_systems[i].name);
        probes->directory_is_remote = file_systems[i].is_remote;
    }
}

/* Query ptp4l. Its read-only socket is tried first, because other accounts may use it. */
static void ask_ptp(struct doctor_probes *probes)
{
    static const char *const sockets[] = {"/run/ptp4lro", "/run/ptp4l"};
    struct lk_ptp_client client;

    probes->ptp_socket = "";
    for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++) {
        struct pollfd item = {.events = POLLIN};

        if (access(sockets[i], F_OK) != 0)
            continue;
        probes->ptp_socket = sockets[i];
        probes->ptp_error = lk_ptp_open(&client, sockets[i], 0);
        if (probes->ptp_error == 0)
            probes->ptp_error = lk_ptp_ask(&client);
        item.fd = client.fd;
        while (probes->ptp_error == 0 &&
               (probes->ptp.state == LK_PTP_UNKNOWN || !probes->ptp.timed) &&
               poll(&item, 1, PTP_ANSWER_MS) > 0)
            lk_ptp_hear(&client, &probes->ptp);
        lk_ptp_close(&client);
        if (probes->ptp.state != LK_PTP_UNKNOWN)
            return;
    }
}

void doctor_try(struct doctor *doctor)
{
    struct doctor_probes *probes = &doctor->probes;

    probes->known = true;
    probes->fifo = try_in_child(attempt_fifo, doctor, doctor->options->priority);
    probes->lock = try_in_child(attempt_lock, doctor, 0);
    probes->uring = try_in_child(attempt_uring, doctor, 4);
    try_pinning(doctor, probes);
    probes->latency = try_latency();
    measure_clock(probes);
    ask_ptp(probes);
    if (doctor->options->directory != NULL)
        try_directory(doctor->options->directory, probes);
    if (doctor->options->probe_s > 0.0)
        doctor_spin(doctor, probes);
}
