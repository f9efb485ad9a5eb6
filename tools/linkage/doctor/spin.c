/* SPDX-License-Identifier: Apache-2.0 */
/* Spin probe: a process on each judged core, at normal priority, that only reads the clock. A gap
 * between two readings is time used by another task. The process has normal priority on purpose:
 * all other tasks of the core then show as gaps, and the machine cannot hang. */
#include "doctor.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THROTTLE_MIN_S 40e-3
#define THROTTLE_MAX_S 60e-3
#define SOURCES        1024
#define SHOWN_NS       200000000

static double now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long preemptions(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static void see_gap(struct doctor_spin *spin, double gap_s)
{
    if (gap_s > spin->largest_s)
        spin->largest_s = gap_s;
    spin->gaps += gap_s > DOCTOR_GAP_S;
    spin->throttles += gap_s >= THROTTLE_MIN_S && gap_s <= THROTTLE_MAX_S;
}

static void spin_here(struct doctor_spin *spin, double seconds)
{
    cpu_set_t set;
    double start, last;
    long before;

    CPU_ZERO(&set);
    CPU_SET(spin->core, &set);
    if (sched_setaffinity(0, sizeof(set), &set)) {
        spin->error = errno;
        return;
    }
    before = preemptions();
    start = last = now_seconds();
    while (last < start + seconds) {
        double now = now_seconds();

        if (now - last > DOCTOR_GAP_S / 10.0)
            see_gap(spin, now - last);
        last = now;
    }
    spin->seconds = last - start;
    spin->preempted = preemptions() - before;
}

/* struct source - one line of /proc/interrupts, summed over the judged cores. */
struct source {
    char name[48];
    bool is_device;
    long count;
};

/* Parse the head of /proc/interrupts, such as " CPU0 CPU1": the core of each column.
 * Return: number of columns. */
static int read_columns(char *line, int cores[CPU_SETSIZE])
{
    char *save = NULL;
    int n = 0;

    for (char *word = strtok_r(line, " \n", &save); word != NULL && n < CPU_SETSIZE;
         word = strtok_r(NULL, " \n", &save))
        if (sscanf(word, "CPU%d", &cores[n]) == 1)
            n++;
    return n;
}

/* Parse a line of /proc/interrupts. A device is recognised by a number at the beginning. The timer
 * of an ARM core has a number, too, but is no device. */
static void read_source(const struct doctor *doctor, char *line, const int *cores, int n,
                        struct source *source)
{
    char *save = NULL;
    char *id = strtok_r(line, ":", &save);
    char *at = strtok_r(NULL, "\n", &save);
    char *word;

    memset(source, 0, sizeof(*source));
    if (id == NULL || at == NULL)
        return;
    id += strspn(id, " ");
    for (int i = 0; i < n; i++) {
        char *end;
        long count = strtol(at, &end, 10);

        if (end == at)
            break;
        at = end;
        if (cores[i] >= 0 && cores[i] < CPU_SETSIZE && CPU_ISSET(cores[i], &doctor->cores))
            source->count += count;
    }
    word = strrchr(at, ' ');
    source->is_device = id[0] >= '0' && id[0] <= '9' && strstr(at, "arch_timer") == NULL;
    if (source->is_device)
        snprintf(source->name, sizeof(source->name), "%.8s %.36s", id, word ? word + 1 : at);
    else
        snprintf(source->name, sizeof(source->name), "%.36s", at + strspn(at, " "));
}

static int read_sources(const struct doctor *doctor, struct source *sources)
{
    static char line[CPU_SETSIZE * 12 + 256];
    int cores[CPU_SETSIZE];
    FILE *file = fopen("/proc/interrupts", "re");
    int columns = 0, n = 0;

    if (file == NULL)
        return 0;
    if (fgets(line, sizeof(line), file) != NULL)
        columns = read_columns(line, cores);
    while (n < SOURCES && fgets(line, sizeof(line), file) != NULL)
        read_source(doctor, line, cores, columns, &sources[n++]);
    fclose(file);
    return n;
}

/* Insert a source into the sorted list of the most frequent ones. */
static void keep_worst(struct doctor_interrupt *worst, int *n, const char *name, long count)
{
    int at = *n < DOCTOR_WORST ? (*n)++ : DOCTOR_WORST - 1;

    if (at == DOCTOR_WORST - 1 && worst[at].name[0] != '\0' && worst[at].count >= count)
        return;
    for (; at > 0 && worst[at - 1].count < count; at--)
        worst[at] = worst[at - 1];
    snprintf(worst[at].name, sizeof(worst[at].name), "%s", name);
    worst[at].count = count;
}

/* Compute the interrupts between two readings. If lines have appeared or disappeared meanwhile, the
 * result is unknown. */
static void compare_counts(const struct source *before, int n, const struct source *after,
                           int n_after, struct doctor_interrupts *ret)
{
    if (n == 0 || n != n_after)
        return;
    ret->known = true;
    for (int i = 0; i < n; i++) {
        long count = after[i].count - before[i].count;

        if (count <= 0)
            continue;
        ret->all += count;
        keep_worst(ret->worst, &ret->n_worst, after[i].name, count);
        if (!after[i].is_device)
            continue;
        ret->devices += count;
        keep_worst(ret->worst_devices, &ret->n_worst_devices, after[i].name, count);
    }
}

/* Wait for a child, and show the progress once in a while, where that is wanted. */
static void wait_for(pid_t child, double start, const struct doctor_options *options)
{
    const struct timespec pause = {0, SHOWN_NS};
    int how = options->show != NULL ? WNOHANG : 0;
    pid_t ended;

    while ((ended = waitpid(child, NULL, how)) == 0 || (ended < 0 && errno == EINTR)) {
        if (how == 0)
            continue;
        options->show((now_seconds() - start) / options->probe_s);
        nanosleep(&pause, NULL);
    }
}

/* Run one child per core, all at the same time. The children end by themselves, or with their
 * parent. */
static void run_spins(struct doctor_spin *spins, int n, const struct doctor_options *options)
{
    pid_t children[DOCTOR_SPINS];
    pid_t parent = getpid();
    double start = now_seconds();

    for (int i = 0; i < n; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() == parent)
                spin_here(&spins[i], options->probe_s);
            _exit(0);
        }
        if (children[i] < 0)
            spins[i].error = errno;
    }
    for (int i = 0; i < n; i++)
        if (children[i] > 0)
            wait_for(children[i], start, options);
}

void doctor_spin(const struct doctor *doctor, struct doctor_probes *probes)
{
    size_t size = sizeof(probes->spins);
    struct doctor_spin *spins =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct source *sources = calloc(2 * SOURCES, sizeof(*sources));
    double start = now_seconds();
    int before = 0, after = 0, n = 0;

    if (spins == MAP_FAILED || sources == NULL)
        goto done;
    for (int i = doctor_next_core(doctor, -1); i >= 0 && n < DOCTOR_SPINS;
         i = doctor_next_core(doctor, i))
        spins[n++].core = i;
    before = read_sources(doctor, sources);
    run_spins(spins, n, doctor->options);
    after = read_sources(doctor, sources + SOURCES);
    compare_counts(sources, before, sources + SOURCES, after, &probes->interrupts);
    probes->interrupts.seconds = now_seconds() - start;
    memcpy(probes->spins, spins, size);
    probes->n_spins = n;
done:
    free(sources);
    if (spins != MAP_FAILED)
        munmap(spins, size);
}
