/* SPDX-License-Identifier: Apache-2.0 */
/* A soak: a separate daemon runs for many cycles, with a bench and with injected faults. The report
 * explains each missed deadline, and all counts must add up.
 *
 *   main.c      the command line, and a run from its beginning to its end
 *   rig.c       the daemon: configuration, process, memory and descriptors
 *   bench.c     a bench in a thread: sends and receives samples, and counts both
 *   faults.c    injected faults, at times that depend only on a seed
 *   witness.c   a thread on the core of the cycle that records when it does not have the core
 *   explain.c   reasons of missed deadlines, from the gaps of the witness and the faults
 *   report.c    the results, for people and for programs
 */
#ifndef TEST_SOAK_H
#define TEST_SOAK_H

#include "client.h"
#include "folder.h"
#include "process.h"
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/types.h>

/** struct soak_options - the command line, see main.c
 * @cycles:  number of cycles of the run
 * @rate:    cycles per second
 * @limit_s: the run ends after this time in any case [s]; 0 for never
 * @faults:  injected faults per minute
 * @samples: samples of the bench per second
 * @seed:    seed of the faults and of the bench
 * @core:    core of the cycle
 * @divisor: divisor of the output samples */
struct soak_options {
    uint64_t cycles;
    double rate;
    double limit_s;
    double faults;
    double samples;
    uint64_t seed;
    int core;
    uint64_t divisor;
    const char *wake;
    const char *daemon;
    const char *model;
    const char *json;
};

/* ---- the witness ---- */

/** struct soak_gap - the witness did not run from @begin_ns to @end_ns. For @waited_ns of this time
 * other threads used its core. The rest belongs to the machine or to an interrupt. */
struct soak_gap {
    int64_t begin_ns;
    int64_t end_ns;
    int64_t waited_ns;
};

#define SOAK_GAPS       (1u << 20)
#define SOAK_GAP_MIN_NS INT64_C(15000)

/** struct soak_witness - a thread that records its gaps
 * @gap:        ring of the last gaps in order of time, of which there were @n
 * @seen_ns:    time until which the witness has run
 * @longest_ns: longest gap */
struct soak_witness {
    int core;
    _Atomic bool stop;
    pthread_t thread;
    int schedstat;
    struct soak_gap *gap;
    _Atomic uint64_t n;
    _Atomic int64_t seen_ns;
    int64_t longest_ns;
};

/** soak_witness_start() - Start the witness on @core with the lowest priority.
 * Return: 0, errno */
int soak_witness_start(struct soak_witness *witness, int core);
/** soak_witness_stop() - Stop the witness and wait for its end. The gaps stay valid until
 * soak_witness_fini(). */
void soak_witness_stop(struct soak_witness *witness);
void soak_witness_fini(struct soak_witness *witness);

/** soak_witness_absent() - Return the time of [@begin_ns, @end_ns] in which the witness did not run
 * [ns].
 * @ret_others_ns: time that other threads used the core in these gaps, at most [ns]
 * Return: -1 if these gaps are overwritten */
int64_t soak_witness_absent(const struct soak_witness *witness, int64_t begin_ns, int64_t end_ns,
                            int64_t *ret_others_ns);

/* ---- the daemon ---- */

/** struct soak_memory - resources of the daemon and of the processes that it has started */
struct soak_memory {
    long rss_kib;
    long descriptors;
    int processes;
};

/** struct soak_rig - the daemon
 * @folder: folder of configuration, model, log and ipc sockets, removed at the end */
struct soak_rig {
    char folder[RIG_FOLDER];
    char endpoint[3][LK_CLIENT_ENDPOINT_SIZE];
    pid_t pid;
};

/** soak_rig_start() - Write the configuration and start the daemon.
 * Return: 0, 1 after a message */
int soak_rig_start(struct soak_rig *rig, const struct soak_options *options);
/** soak_rig_check() - Read the present resources, 0 for those that cannot be read. */
void soak_rig_check(const struct soak_rig *rig, struct soak_memory *ret_memory);
/** soak_rig_ready_ns() - Return the time since the start of the run in which the cycle's thread was
 * ready while other threads ran [ns]; 0 if the kernel does not count it. */
int64_t soak_rig_ready_ns(const struct soak_rig *rig);
/** soak_rig_end() - End the daemon and remove the folder.
 * Return: its exit status, 128 + n for a signal */
int soak_rig_end(struct soak_rig *rig);

/* ---- the bench ---- */

/** struct soak_bench - counts at the bench's end of the line, valid when its thread has ended
 * @sent:         samples
 * @received:     output samples
 * @lost:         missing sequence numbers
 * @first, @last: sequence numbers of the output samples
 * @not_newer:    output samples out of order or received twice */
struct soak_bench {
    const struct soak_options *options;
    struct lk_client *client;
    struct lk_client_inputs *inputs;
    struct lk_client_outputs *outputs;
    pthread_t thread;
    uint64_t token;
    _Atomic bool quiet;
    _Atomic bool stop;
    _Atomic uint64_t sent;
    _Atomic uint64_t received;
    uint64_t lost;
    uint64_t first;
    uint64_t last;
    uint64_t not_newer;
};

/** soak_bench_start() - Claim the input, begin to send and to receive.
 * Return: 0, 1 after a message */
int soak_bench_start(struct soak_bench *bench, const struct soak_rig *rig,
                     const struct soak_options *options);
/** soak_bench_speak() - Send samples from the beginning of the run on. Earlier samples are not
 * counted.
 *
 * soak_bench_hush() - Stop sending and continue to receive. */
void soak_bench_speak(struct soak_bench *bench);
void soak_bench_hush(struct soak_bench *bench);
void soak_bench_stop(struct soak_bench *bench);

/* ---- faults ---- */

#define SOAK_KINDS 8 /* more than the number of kinds */

/** struct soak_faults - the injected faults, one after the other, never two at the same time
 * @next_ns:     begin of the next fault, from the start of the run
 * @over_ns:     end of the last fault
 * @stall_ns:    length of a stall of the present or last stall fault, which acts within
 *               [@stall_begin_ns, @stall_end_ns] on CLOCK_MONOTONIC
 * @begun:       number of faults of each kind
 * @touched:     number of affected samples and cycles of each kind
 * @touched_now: affected samples and cycles of the present fault, whose number is @number */
struct soak_faults {
    double mean_s;
    uint64_t random;
    int64_t next_ns;
    int64_t over_ns;
    int64_t stall_ns;
    int64_t stall_begin_ns;
    int64_t stall_end_ns;
    uint64_t begun[SOAK_KINDS];
    uint64_t touched[SOAK_KINDS];
    uint64_t touched_now;
    int kind_now;
    uint32_t number;
};

void soak_faults_init(struct soak_faults *faults, const struct soak_options *options);
/** soak_faults_follow() - Begin the fault that is due at @now_ns of the run, and count the affected
 * samples and cycles.
 * Return: 0, 1 after a message */
int soak_faults_follow(struct soak_faults *faults, struct lk_client *client,
                       const struct soak_options *options, int64_t now_ns);
/** soak_faults_end() - Begin no more faults, and process the last one until its end.
 * Return: as for soak_faults_follow() */
int soak_faults_end(struct soak_faults *faults, struct lk_client *client,
                    const struct soak_options *options, int64_t now_ns);

/* ---- the explanation ---- */

/** enum soak_reason - reasons of a missed deadline
 * SOAK_INJECTED:  an injected stall; the record has it between wake-up and computation
 * SOAK_BEHIND:    the cycle before was not complete
 * SOAK_MACHINE:   woken late, while the witness had the core and did not run: the machine stood
 *                 still, or was in an interrupt
 * SOAK_OTHERS:    woken late, while another thread had the core and the kernel did not preempt it
 * SOAK_HELD:      the cycle was ready, but the kernel ran normal threads: real-time throttling, or
 *                 the share of time that it reserves for them
 * SOAK_COMPUTING: stopped during the computation, which is the same work in every step
 * SOAK_UNKNOWN:   woken late while the witness ran
 * SOAK_UNSEEN:    not examined: the records were overwritten before */
enum soak_reason {
    SOAK_INJECTED,
    SOAK_BEHIND,
    SOAK_MACHINE,
    SOAK_OTHERS,
    SOAK_HELD,
    SOAK_COMPUTING,
    SOAK_UNKNOWN,
    SOAK_UNSEEN,
    SOAK_REASONS,
};

/** struct soak_explained - missed deadlines and their reasons
 * @next:     number of the missed deadline to request next
 * @late_ns:  longest time of each reason, from the missed deadline to the end of the cycle
 * @patience: remaining naps while waiting for the witness
 * @ready_ns: time that the cycle's thread was ready without running, at the last two readings
 * @held_ns:  part of this time that can still explain a missed deadline */
struct soak_explained {
    uint64_t next;
    uint64_t seen;
    uint64_t count[SOAK_REASONS];
    int64_t late_ns[SOAK_REASONS];
    int shown;
    int patience;
    int64_t ready_ns[2];
    int64_t held_ns;
};

/** soak_explain() - Request the missed deadlines since the last call and find their reasons.
 * Return: 0, 1 after a message */
int soak_explain(struct soak_explained *explained, struct lk_client *client,
                 const struct soak_rig *rig, const struct soak_witness *witness,
                 const struct soak_faults *faults);
/** soak_reason_text(), soak_reason_key() - Return the name of a reason for people and for
 * programs. */
const char *soak_reason_text(enum soak_reason reason);
const char *soak_reason_key(enum soak_reason reason);

/* ---- the report ---- */

/** struct soak_counts - counts at the end of a run
 * @begin:             memory after the start phase
 * @end:               memory at the end of the run
 * @most_kib:          largest memory
 * @alive:             the daemon did not end during the run
 * @lost:              samples lost on the way, according to the gaps in their numbers that the
 *                     daemon counted
 * @unanswered:        samples that are in no count
 * @unpublished:       steps without an output sample
 * @missed_on_the_way: published output samples that were neither received nor counted as a gap
 * @trouble:           sentences with the reasons why this soak failed */
struct soak_counts {
    const struct soak_options *options;
    const Linkage__V1__Evidence *evidence;
    const Linkage__V1__Status *status;
    const Linkage__V1__InputsReport *inputs;
    const struct soak_bench *bench;
    const struct soak_faults *faults;
    const struct soak_explained *explained;
    const struct soak_witness *witness;
    struct soak_memory begin;
    struct soak_memory end;
    long most_kib;
    double seconds;
    const char *proof;
    double load[3];
    int arm_attempts;
    bool alive;
    int64_t lost;
    int64_t unanswered;
    int64_t unpublished;
    int64_t missed_on_the_way;
    int n_trouble;
    char trouble[16][160];
};

/** soak_judge() - Compute the remaining fields. soak_report(), soak_report_json() - Print the
 * report. */
void soak_judge(struct soak_counts *counts);
void soak_report(const struct soak_counts *counts);
int soak_report_json(const struct soak_counts *counts);

#endif
