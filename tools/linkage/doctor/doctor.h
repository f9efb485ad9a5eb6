/* SPDX-License-Identifier: Apache-2.0 */
/* linkage doctor: is this machine fit for real time, and what mends it.
 *
 * doctor.c           command line, exit status
 * machine.c   what is looked at: conditions, the cores to judge, the account
 * probe.c     what can only be tried: priority, locking, a clock, the core itself
 * spin.c      a loop on each core that only reads the clock, and interrupts meanwhile
 * checks_*.c  one small function a check: reads, never changes anything
 * checks.c    the table of them
 * daemon.c    what linkaged will do on it
 * print.c     text and JSON
 *
 * Checks judge what machine and probes found, so that tests need no machine. One thread; nothing
 * here is real-time safe. */
#ifndef TOOLS_LINKAGE_DOCTOR_H
#define TOOLS_LINKAGE_DOCTOR_H

#include "linkage/host.h"
#include <sched.h>
#include <stdint.h>
#include <stdio.h>

#define DOCTOR_TEXT      512
#define DOCTOR_LIST      128 /* room for a list of cores */
#define DOCTOR_SPINS     64  /* cores that are probed at once */
#define DOCTOR_WORST     4   /* names that are listed of many */
#define DOCTOR_GAP_S     20e-6
#define DOCTOR_UNLIMITED (-1L)
#define DOCTOR_UNKNOWN   (-2L)

/** enum doctor_exit - exit status of `linkage doctor`. */
enum doctor_exit {
    DOCTOR_EXIT_OK = 0,
    DOCTOR_EXIT_WARN = 1,
    DOCTOR_EXIT_FAIL = 2,
    DOCTOR_EXIT_USAGE = 3,
};

/** enum doctor_verdict - on one thing; unknown: could not be found out, or not asked. */
enum doctor_verdict { DOCTOR_OK, DOCTOR_WARN, DOCTOR_FAIL, DOCTOR_NOT_KNOWN, DOCTOR_VERDICTS };

/** struct doctor_options - the command line.
 * @root:      "" for this machine
 * @directory: where evidence and recordings will go, NULL: not judged
 * @cores:     to judge; empty: choose
 * @priority:  of the cycle
 * @probe_s:   length of the spin probe [s], 0: none */
struct doctor_options {
    const char *root;
    const char *directory;
    cpu_set_t cores;
    int priority;
    double probe_s;
    bool json;
    bool quiet;
};

/** struct doctor_spin - a loop on one core that only reads the clock, at normal priority.
 * @error:     errno where the core could not be had, else 0
 * @seconds:   that it ran
 * @largest_s: between two readings
 * @gaps:      above DOCTOR_GAP_S
 * @throttles: of 40 to 60 ms, as the kernel makes them that takes a core back
 * @preempted: times another task was put on the core */
struct doctor_spin {
    int core;
    int error;
    double seconds;
    double largest_s;
    long gaps;
    long throttles;
    long preempted;
};

/** struct doctor_interrupt - one source of interrupts and how many came to the judged cores. */
struct doctor_interrupt {
    char name[48];
    long count;
};

/** struct doctor_interrupts - while the probe was spinning.
 * @devices: those of devices, and @all of them; @worst of all, largest first */
struct doctor_interrupts {
    bool known;
    double seconds;
    long devices;
    long all;
    int n_worst;
    struct doctor_interrupt worst[DOCTOR_WORST];
    int n_worst_devices;
    struct doctor_interrupt worst_devices[DOCTOR_WORST];
};

/** struct doctor_probes - what had to be tried; results are 0 or errno.
 * @known:    false: nothing was tried (another root)
 * @fifo, @lock, @latency, @uring: SCHED_FIFO, all memory locked, /dev/cpu_dma_latency opened for
 *            writing, an io_uring made
 * @pin:      of @pin_core, the first core that could not be pinned to
 * @clock_s:  one reading of the monotonic clock;  @resolution_s: of it
 * @file_system, @directory, @free_bytes: of --directory; "" where not asked */
struct doctor_probes {
    bool known;
    int fifo;
    int lock;
    int latency;
    int uring;
    int pin;
    int pin_core;
    double clock_s;
    double resolution_s;
    int directory;
    bool directory_is_remote;
    char file_system[32];
    uint64_t free_bytes;
    int n_spins;
    struct doctor_spin spins[DOCTOR_SPINS];
    struct doctor_interrupts interrupts;
};

/** struct doctor_limits - of this account: DOCTOR_UNLIMITED, DOCTOR_UNKNOWN or a number.
 * @may_prioritise, @may_lock: capabilities that make the limits void */
struct doctor_limits {
    long rtprio;
    long memlock_bytes;
    bool may_prioritise;
    bool may_lock;
};

/** struct doctor - all that checks look at.
 * @cores: judged;  @others: the online ones besides;  @cores_text, @others_text: the same as lists
 * @online: all; @allowed: to this process; empty where unknown
 * @lacks: for which linkaged refuses to arm;  @holder: of the judged cores, "" if one is free */
struct doctor {
    const struct doctor_options *options;
    const char *root;
    struct lk_host host;
    cpu_set_t online;
    cpu_set_t allowed;
    cpu_set_t cores;
    cpu_set_t others;
    char cores_text[DOCTOR_LIST];
    char others_text[DOCTOR_LIST];
    struct doctor_limits limits;
    struct doctor_probes probes;
    struct lk_host_lacks lacks;
    char holder[DOCTOR_TEXT];
};

struct doctor_finding;

/** struct doctor_check - one thing that is checked. @id never changes once it is published. */
struct doctor_check {
    const char *id;
    const char *title;
    void (*run)(const struct doctor *doctor, struct doctor_finding *finding);
};

/** struct doctor_finding - what came of it.
 * @cost, @remedy: "" where nothing is to be mended */
struct doctor_finding {
    const struct doctor_check *check;
    enum doctor_verdict verdict;
    char value[DOCTOR_TEXT];
    char cost[DOCTOR_TEXT];
    char remedy[DOCTOR_TEXT];
};

extern const struct doctor_check doctor_checks[];
extern const int doctor_n_checks;

/** doctor_read_machine() - conditions, cores and limits below @options->root; tries nothing. */
void doctor_read_machine(const struct doctor_options *options, struct doctor *ret_doctor);

/** doctor_try() - fill @doctor->probes on this machine; takes @options->probe_s and some
 * milliseconds. Real-time priority and locked memory are tried in children that end at once. */
void doctor_try(struct doctor *doctor);

/** doctor_spin() - the part of it that takes time. */
void doctor_spin(const struct doctor *doctor, struct doctor_probes *probes);

/** doctor_examine() - run all checks; @findings: doctor_n_checks of them. */
void doctor_examine(const struct doctor *doctor, struct doctor_finding *findings);

/** doctor_count() - how many findings there are of each verdict. */
void doctor_count(const struct doctor_finding *findings, int counts[DOCTOR_VERDICTS]);

/** doctor_exit_of() - what these counts and the word of the daemon mean. A machine that linkaged
 * refuses is not fit. Return: enum doctor_exit, never usage. */
int doctor_exit_of(const struct doctor *doctor, const int counts[DOCTOR_VERDICTS]);

/** doctor_ask_daemon() - what linkaged will do here, as it judges it itself (lk_host_judge()).
 * What was not tried is taken as granted. */
void doctor_ask_daemon(struct doctor *doctor);
/** doctor_is_refused() - whether it will not start, or not arm without being allowed to. */
bool doctor_is_refused(const struct doctor *doctor);
/** doctor_print_daemon() - the same as a line. */
void doctor_print_daemon(FILE *file, const struct doctor *doctor);

void doctor_print_text(FILE *file, const struct doctor *doctor,
                       const struct doctor_finding *findings);
void doctor_print_json(FILE *file, const struct doctor *doctor,
                       const struct doctor_finding *findings);

/* For checks. */

/** found() - the verdict, and the value it rests on. */
void found(struct doctor_finding *finding, enum doctor_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** costs() - what it does to the cycle; dropped again if the verdict is ok or unknown. */
void costs(struct doctor_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** mend() - the command that mends it; dropped likewise. */
void mend(struct doctor_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** text_add() - append to @text, cut at its end. */
void text_add(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** doctor_number() - a whole number in a file below the root, or DOCTOR_UNKNOWN. */
long doctor_number(const struct doctor *doctor, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** doctor_list() - a list of cores in a file below the root. Return: false if it has none. */
bool doctor_list(const struct doctor *doctor, cpu_set_t *ret_cpus, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** doctor_missing() - those judged cores that are not in @set, as a list.
 * Return: whether there are any. */
bool doctor_missing(const struct doctor *doctor, const cpu_set_t *set, char list[DOCTOR_LIST]);
/** doctor_next_core() - the first judged core above @core, or -1; begin with -1. */
int doctor_next_core(const struct doctor *doctor, int core);
/** doctor_is_read() - whether the root is a machine's at all: only then does a missing file mean
 * that the kernel lacks the thing. */
bool doctor_is_read(const struct doctor *doctor);

/* checks_*.c: see the table in checks.c */
void check_kernel(const struct doctor *d, struct doctor_finding *f);
void check_virtual_machine(const struct doctor *d, struct doctor_finding *f);
void check_cores(const struct doctor *d, struct doctor_finding *f);
void check_isolated(const struct doctor *d, struct doctor_finding *f);
void check_nohz_full(const struct doctor *d, struct doctor_finding *f);
void check_rcu_nocbs(const struct doctor *d, struct doctor_finding *f);
void check_cpuset(const struct doctor *d, struct doctor_finding *f);
void check_siblings(const struct doctor *d, struct doctor_finding *f);
void check_irq_default(const struct doctor *d, struct doctor_finding *f);
void check_irq_affinity(const struct doctor *d, struct doctor_finding *f);
void check_interrupts(const struct doctor *d, struct doctor_finding *f);
void check_governor(const struct doctor *d, struct doctor_finding *f);
void check_idle_states(const struct doctor *d, struct doctor_finding *f);
void check_dma_latency(const struct doctor *d, struct doctor_finding *f);
void check_throttling(const struct doctor *d, struct doctor_finding *f);
void check_fair_server(const struct doctor *d, struct doctor_finding *f);
void check_rt_group(const struct doctor *d, struct doctor_finding *f);
void check_priority(const struct doctor *d, struct doctor_finding *f);
void check_memlock(const struct doctor *d, struct doctor_finding *f);
void check_clocksource(const struct doctor *d, struct doctor_finding *f);
void check_tsc(const struct doctor *d, struct doctor_finding *f);
void check_clock(const struct doctor *d, struct doctor_finding *f);
void check_swap(const struct doctor *d, struct doctor_finding *f);
void check_huge_pages(const struct doctor *d, struct doctor_finding *f);
void check_ksm(const struct doctor *d, struct doctor_finding *f);
void check_numa_balancing(const struct doctor *d, struct doctor_finding *f);
void check_numa_node(const struct doctor *d, struct doctor_finding *f);
void check_timer_migration(const struct doctor *d, struct doctor_finding *f);
void check_watchdog(const struct doctor *d, struct doctor_finding *f);
void check_kernel_threads(const struct doctor *d, struct doctor_finding *f);
void check_taken(const struct doctor *d, struct doctor_finding *f);
void check_foreign_tasks(const struct doctor *d, struct doctor_finding *f);
void check_io_uring(const struct doctor *d, struct doctor_finding *f);
void check_directory(const struct doctor *d, struct doctor_finding *f);
void check_spin(const struct doctor *d, struct doctor_finding *f);
void check_libraries(const struct doctor *d, struct doctor_finding *f);

#endif
