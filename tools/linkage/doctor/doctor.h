/* SPDX-License-Identifier: Apache-2.0 */
/* linkage doctor: checks whether this machine is fit for real time, and suggests remedies.
 *
 *     doctor.c    command line, exit status
 *     machine.c   reads conditions, the cores to check, the account's limits
 *     probe.c     tests properties that cannot be read: priority, locked memory, clock, pinning
 *     spin.c      loop on each core that only reads the clock; counts interrupts meanwhile
 *     checks_*.c  one small function per check; they change nothing
 *     checks.c    table of the checks
 *     daemon.c    prediction whether linkaged will start and arm
 *     print.c     text and JSON
 *
 * The checks use only the results of machine.c and probe.c, so that tests can supply these results.
 * Thread: one.  RT: no. */
#ifndef TOOLS_LINKAGE_DOCTOR_H
#define TOOLS_LINKAGE_DOCTOR_H

#include "linkage/host.h"
#include "linkage/ptp.h"
#include <sched.h>
#include <stdint.h>
#include <stdio.h>

#define DOCTOR_TEXT      512
#define DOCTOR_LIST      128 /* size of a list of cores [bytes] */
#define DOCTOR_SPINS     64  /* number of cores probed at once */
#define DOCTOR_WORST     4   /* number of names listed */
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

/** enum doctor_verdict - result of a check; NOT_KNOWN: it could not be determined, or was not
 * requested. */
enum doctor_verdict { DOCTOR_OK, DOCTOR_WARN, DOCTOR_FAIL, DOCTOR_NOT_KNOWN, DOCTOR_VERDICTS };

/** struct doctor_options - the command line.
 * @root:      "" for this machine
 * @directory: folder for evidence and recordings, NULL: not checked
 * @cores:     cores to check; empty: choose them
 * @priority:  priority of the cycle
 * @probe_s:   length of the spin probe [s], 0: none
 * @show:      called with the part of the spin probe that is done, or NULL: the probe then has the
 *             cores for itself */
struct doctor_options {
    const char *root;
    const char *directory;
    cpu_set_t cores;
    int priority;
    double probe_s;
    void (*show)(double part);
    bool json;
    bool quiet;
};

/** struct doctor_spin - a loop on one core that only reads the clock, at normal priority.
 * @error:     0, or errno if the core was not available
 * @seconds:   duration
 * @largest_s: largest gap between two readings
 * @gaps:      number of gaps above DOCTOR_GAP_S
 * @throttles: number of gaps of 40 to 60 ms, typical of the kernel's real-time throttling
 * @preempted: number of preemptions by other tasks */
struct doctor_spin {
    int core;
    int error;
    double seconds;
    double largest_s;
    long gaps;
    long throttles;
    long preempted;
};

/** struct doctor_interrupt - one source of interrupts, and their number on the checked cores. */
struct doctor_interrupt {
    char name[48];
    long count;
};

/** struct doctor_interrupts - interrupts during the spin probe.
 * @devices: number of interrupts from devices
 * @all:     number of all interrupts
 * @worst, @worst_devices: the most frequent sources, largest first */
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

/** struct doctor_probes - results of the probes. Each test has the result 0 or errno.
 * @known:        false: no tests were made (another root)
 * @fifo, @lock, @latency, @uring: tests of SCHED_FIFO, of locking all memory, of opening
 *                /dev/cpu_dma_latency for writing, and of creating an io_uring
 * @pin:          test of pinning; @pin_core is the first core that failed
 * @clock_s:      time of one reading of the monotonic clock
 * @resolution_s: resolution of that clock
 * @ptp:          state of a PTP daemon, UNKNOWN: no answer
 * @ptp_socket:   socket of the PTP daemon, "": none
 * @ptp_error:    result of the query, 0 or negative errno
 * @file_system, @directory, @free_bytes: properties of the folder --directory; "" if not
 *                                        requested */
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
    struct lk_ptp ptp;
    const char *ptp_socket;
    int ptp_error;
    int directory;
    bool directory_is_remote;
    char file_system[32];
    uint64_t free_bytes;
    int n_spins;
    struct doctor_spin spins[DOCTOR_SPINS];
    struct doctor_interrupts interrupts;
};

/** struct doctor_limits - resource limits of this account: a number, DOCTOR_UNLIMITED or
 * DOCTOR_UNKNOWN.
 * @may_prioritise, @may_lock: capabilities that override the limits */
struct doctor_limits {
    long rtprio;
    long memlock_bytes;
    bool may_prioritise;
    bool may_lock;
};

/** struct doctor - input of the checks.
 * @cores:   cores to check
 * @others:  the other online cores
 * @cores_text, @others_text: @cores and @others as text
 * @online:  all online cores
 * @allowed: cores allowed to this process; empty if unknown
 * @lacks:   missing properties for which linkaged refuses to arm
 * @holder:  process that has locked the checked cores, "" if one of them is free */
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

/** struct doctor_check - one check. @id never changes once it is published. */
struct doctor_check {
    const char *id;
    const char *title;
    void (*run)(const struct doctor *doctor, struct doctor_finding *finding);
};

/** struct doctor_finding - result of a check.
 * @value:  measured or configured value
 * @cost:   disadvantage for real-time operation, "": none
 * @remedy: action that improves the finding, "": none needed */
struct doctor_finding {
    const struct doctor_check *check;
    enum doctor_verdict verdict;
    char value[DOCTOR_TEXT];
    char cost[DOCTOR_TEXT];
    char remedy[DOCTOR_TEXT];
};

extern const struct doctor_check doctor_checks[];
extern const int doctor_n_checks;

/** doctor_read_machine() - Read conditions, cores and limits below @options->root. */
void doctor_read_machine(const struct doctor_options *options, struct doctor *ret_doctor);

/** doctor_try() - Run the probes on this machine and fill @doctor->probes. It takes
 * @options->probe_s plus some milliseconds. Real-time priority and locked memory are tried in
 * short-lived child processes. */
void doctor_try(struct doctor *doctor);

/** doctor_spin() - Execute the spin probe for doctor_try(). */
void doctor_spin(const struct doctor *doctor, struct doctor_probes *probes);

/** doctor_examine() - Run all checks.
 * @findings: array of doctor_n_checks findings */
void doctor_examine(const struct doctor *doctor, struct doctor_finding *findings);

/** doctor_count() - Count the findings of each verdict. */
void doctor_count(const struct doctor_finding *findings, int counts[DOCTOR_VERDICTS]);

/** doctor_exit_of() - Return the exit status for the counts of verdicts; if linkaged will refuse
 * the machine, the status is DOCTOR_EXIT_FAIL.
 * Return: enum doctor_exit, never DOCTOR_EXIT_USAGE. */
int doctor_exit_of(const struct doctor *doctor, const int counts[DOCTOR_VERDICTS]);

/** doctor_ask_daemon() - Predict with lk_host_judge(), which linkaged also uses, whether linkaged
 * will start and arm on this machine. Tests that were not made count as successful. */
void doctor_ask_daemon(struct doctor *doctor);
/** doctor_is_refused() - Return true if linkaged will refuse to start, or to arm without
 * --allow-degraded. */
bool doctor_is_refused(const struct doctor *doctor);
/** doctor_print_daemon() - Print the prediction in one line. */
void doctor_print_daemon(FILE *file, const struct doctor *doctor);

void doctor_print_text(FILE *file, const struct doctor *doctor,
                       const struct doctor_finding *findings);
void doctor_print_json(FILE *file, const struct doctor *doctor,
                       const struct doctor_finding *findings);

/* Functions for the checks. */

/** found() - Set the verdict of a finding and the value on which the verdict is based. */
void found(struct doctor_finding *finding, enum doctor_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** costs() - Set the effect of a finding on the cycle; ignored if the verdict is ok or unknown. */
void costs(struct doctor_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** mend() - Set the command that remedies a finding; ignored if the verdict is ok or unknown. */
void mend(struct doctor_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** text_add() - Append to @text, truncated to @size. */
void text_add(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** doctor_number() - Return the integer in a file below the root, or DOCTOR_UNKNOWN. */
long doctor_number(const struct doctor *doctor, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** doctor_list() - Read a list of cores in a file below the root.
 * Return: false if the file contains no list. */
bool doctor_list(const struct doctor *doctor, cpu_set_t *ret_cpus, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** doctor_missing() - Write the list of checked cores that are not in @set.
 * Return: true if there are any. */
bool doctor_missing(const struct doctor *doctor, const cpu_set_t *set, char list[DOCTOR_LIST]);
/** doctor_next_core() - Return the first checked core above @core, or -1. Begin with @core = -1. */
int doctor_next_core(const struct doctor *doctor, int core);
/** doctor_is_read() - Return true if the root directory contains the system files of a machine.
 * Only then does a missing file mean that the kernel lacks the feature. */
bool doctor_is_read(const struct doctor *doctor);

/* Functions in checks_*.c; their table is in checks.c. */
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
void check_ptp(const struct doctor *d, struct doctor_finding *f);
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
