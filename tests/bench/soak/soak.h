/* SPDX-License-Identifier: Apache-2.0 */
/* A soak: a daemon of its own, for many cycles, under a bench and with faults on purpose; each
 * missed deadline is explained, and all counts have to add up.
 *
 *   main.c      the command line, and a run from its beginning to its end
 *   rig.c       the daemon: configuration, process, memory and descriptors
 *   bench.c     a bench in a thread: samples in, samples out, counted at its end of the line
 *   faults.c    faults on purpose, at times that follow from a seed
 *   witness.c   a thread on the core of the cycle that knows when that core was gone
 *   explain.c   missed deadlines against the witness and the faults
 *   report.c    what came of it, for people and for programs
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

/** struct soak_options - the command line, see main.c.
 * @cycles:  of the run;  @rate: of them a second
 * @limit_s: the run ends after so long, whatever it has done; 0: never
 * @faults:  on purpose, a minute;  @samples: of the bench, a second;  @seed: of both
 * @core:    of the cycle;  @divisor: of the output samples */
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

/** struct soak_gap - the witness did not run from @begin_ns to @end_ns, and has waited for
 * @waited_ns of that while other threads had its core; the rest is the machine's, or an
 * interrupt's. */
struct soak_gap {
    int64_t begin_ns;
    int64_t end_ns;
    int64_t waited_ns;
};

#define SOAK_GAPS       (1u << 20)
#define SOAK_GAP_MIN_NS INT64_C(15000)

/** struct soak_witness - @gap: @n so far, a ring, in order of time
 * @seen_ns: it has run until then;  @longest_ns: gap */
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

/** soak_witness_start() - on @core, at the least priority.  Return: 0, errno. */
int soak_witness_start(struct soak_witness *witness, int core);
/** soak_witness_stop() - and wait for its end; the gaps stay until soak_witness_fini(). */
void soak_witness_stop(struct soak_witness *witness);
void soak_witness_fini(struct soak_witness *witness);

/** soak_witness_absent() - for how long of [@begin_ns, @end_ns] it did not run [ns].
 * @ret_others_ns: for how long other threads had the core in the gaps that lie there, at most
 * Return: -1: these gaps are written over. */
int64_t soak_witness_absent(const struct soak_witness *witness, int64_t begin_ns, int64_t end_ns,
                            int64_t *ret_others_ns);

/* ---- the daemon ---- */

/** struct soak_memory - of the daemon and the processes that it has started. */
struct soak_memory {
    long rss_kib;
    long descriptors;
    int processes;
};

/** struct soak_rig - @folder: configuration, model, log and ipc sockets, removed at the end. */
struct soak_rig {
    char folder[RIG_FOLDER];
    char endpoint[3][LK_CLIENT_ENDPOINT_SIZE];
    pid_t pid;
};

/** soak_rig_start() - write the configuration, start the daemon.  Return: 0, 1 after a complaint.
 */
int soak_rig_start(struct soak_rig *rig, const struct soak_options *options);
/** soak_rig_check() - how much it has now; zero of what cannot be read. */
void soak_rig_check(const struct soak_rig *rig, struct soak_memory *ret_memory);
/** soak_rig_ready_ns() - for how long the cycle's thread was ready since the run began while others
 * ran [ns]; 0 where the kernel does not say. */
int64_t soak_rig_ready_ns(const struct soak_rig *rig);
/** soak_rig_end() - end it, remove the folder.  Return: its exit status, 128 + n for a signal. */
int soak_rig_end(struct soak_rig *rig);

/* ---- the bench ---- */

/** struct soak_bench - counts at the bench's end of the line; read them when its thread has ended.
 * @sent:  samples;  @received: output samples;  @lost: sequence numbers that were missed
 * @first, @last: sequence numbers of the output samples
 * @not_newer: output samples out of order or twice */
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

/** soak_bench_start() - claim the input, begin to send and to receive.
 * Return: 0, 1 after a complaint. */
int soak_bench_start(struct soak_bench *bench, const struct soak_rig *rig,
                     const struct soak_options *options);
/** soak_bench_speak() - send samples, from the beginning of the run on: what came before it is in
 * no count. soak_bench_hush() - send no more, go on receiving. */
void soak_bench_speak(struct soak_bench *bench);
void soak_bench_hush(struct soak_bench *bench);
void soak_bench_stop(struct soak_bench *bench);

/* ---- faults ---- */

#define SOAK_KINDS 8 /* more than InjectionKind has */

/** struct soak_faults - one after the other, never two at a time.
 * @next_ns: when the next one begins, from the start of the run; @over_ns: when the last one ends
 * @stall_ns: how long the cycles of the present or last stall are kept, which is at work within
 * [@stall_begin_ns, @stall_end_ns] on CLOCK_MONOTONIC
 * @begun:   of each kind;  @touched: samples and cycles of each kind, those of the present one in
 * @touched_now, of its number @number */
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
/** soak_faults_follow() - begin what is due at @now_ns of the run, count what was touched.
 * Return: 0, 1 after a complaint. */
int soak_faults_follow(struct soak_faults *faults, struct lk_client *client,
                       const struct soak_options *options, int64_t now_ns);
/** soak_faults_end() - no more begin; follow the last one to its end.  Return: as before. */
int soak_faults_end(struct soak_faults *faults, struct lk_client *client,
                    const struct soak_options *options, int64_t now_ns);

/* ---- the explanation ---- */

/** enum soak_reason - of a missed deadline.
 * SOAK_INJECTED:  a stall on purpose, which the records show where it was put
 * SOAK_BEHIND:    the cycle before was not over
 * SOAK_MACHINE:   woken late, while the witness had the core and did not run: the machine stood
 *                 still, or was in an interrupt
 * SOAK_OTHERS:    woken late, while another thread had the core: the kernel did not let go of it
 * SOAK_HELD:      it was ready, and the kernel ran normal threads all the same: real-time
 * throttling, or the share that it keeps for them SOAK_COMPUTING: stopped while it computed, which
 * is the same work in every step SOAK_UNKNOWN:   woken late while the witness ran SOAK_UNSEEN:
 * nobody has looked: the records were written over before */
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

/** struct soak_explained - @next: number of the missed deadline to ask for next
 * @late_ns: longest of each reason, from the deadline missed to the end of the cycle
 * @patience: for how long the witness is waited for
 * @ready_ns: for how long the cycle's thread was ready and did not run, when that was looked at
 * last and the time before;  @held_ns: how much of that since then is left to explain something by
 */
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

/** soak_explain() - ask for what was missed since the last time, and find out why.
 * Return: 0, 1 after a complaint. */
int soak_explain(struct soak_explained *explained, struct lk_client *client,
                 const struct soak_rig *rig, const struct soak_witness *witness,
                 const struct soak_faults *faults);
/** soak_reason_text(), soak_reason_key() - for people and for programs. */
const char *soak_reason_text(enum soak_reason reason);
const char *soak_reason_key(enum soak_reason reason);

/* ---- the report ---- */

/** struct soak_counts - at the end of a run.
 * @begin: memory when the run had settled, @end: at its end;  @most_kib: largest seen
 * @alive: the daemon was there all the time;  @exit_status: of the daemon
 * @lost: samples that were lost on the way, by the gaps in their numbers that the daemon has seen;
 * @unanswered: that nobody accounts for
 * @unpublished: steps without an output sample;  @missed_on_the_way: output samples that were
 * published, and neither came nor left a gap
 * @trouble: sentences, why this soak is not as it should be */
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

/** soak_judge() - fill in what follows from the rest.  soak_report(), soak_report_json(). */
void soak_judge(struct soak_counts *counts);
void soak_report(const struct soak_counts *counts);
int soak_report_json(const struct soak_counts *counts);

#endif
