/* SPDX-License-Identifier: Apache-2.0 */
/* The state machine: a loaded model, its run, and the commands that each state allows.
 *
 *            load           arm             (proven)          start             pause
 *     EMPTY ------> READY ------> ARMING ------------> ARMED -------> RUNNING <-------> PAUSED
 *                    ^  ^            |                 |   ^             |      start     |
 *                    |  '-- stop, ---'                 |   '--- stop ----'--- stop, reset-'
 *                    |      too slow                   |
 *                    |<------------- stop -------------'
 *                    '--- reset --- FAULT  <-- a step failed, a limit was exceeded, or the cycle
 *                                              hung
 *
 *     load   EMPTY, READY, ARMED, FAULT   if the model is refused, the old one remains
 *
 * While a model is compiled, the reported state is LOADING. Only stop, which cancels compiling,
 * changes the rig, and the previous model stays loaded until the new one is complete.
 *
 *     arm    READY, ARMED: the budget is proven on the core of the cycle, see proof.h and budget.h
 *     start  ARMED: begins at t = 0 with cleared figures.  PAUSED: continues
 *     pause  RUNNING               stop   ARMING, ARMED, RUNNING, PAUSED
 *     reset  READY, ARMED, PAUSED, FAULT  set    READY, ARMED, RUNNING, PAUSED
 *     snapshot and restore: see snapshot.h
 *
 * After a fault the budget must be proven again. All functions are called from the control thread.
 * None of them uses a socket. */
#ifndef LKD_CTL_RIG_H
#define LKD_CTL_RIG_H

#include "budget.h"
#include "compile.h"
#include "config.h"
#include "evidence.h"
#include "exchange.h"
#include "loaded.h"
#include "machine.h"
#include "ptp_watch.h"
#include "runner.h"
#include "security.h"
#include "wire.h"

#define LKD_SNAPSHOT_NAME_SIZE 256

struct lkd_resume;

#define LKD_ANSWER_SIZE sizeof(struct lk_error)

/** struct lkd_answer - outcome of a command: a result and one line of text for the user. */
struct lkd_answer {
    Linkage__V1__Result result;
    char text[LKD_ANSWER_SIZE];
};

/** struct lkd_rig - the loaded model and its run.
 * @config, @inputs, @exchange: owned by the caller
 * @placement:       the workers and their cores
 * @line:            the process that serves the endpoints; owned by the caller, NULL for none
 * @security:        keys and clients; owned by the caller, NULL for none
 * @machine:         properties of the machine, and the missing real-time properties
 * @ptp:             state of the machine's PTP daemon
 * @exchange_normal: reason for normal priority, see lkd_cores_settle_exchange(); NULL: none
 * @latency_fd:      prevents deep idle states during a proof or a run, or -1
 * @loaded:          the model, NULL in EMPTY
 * @compile:         the model being compiled, or NULL
 * @load_is_over:    the last load is completed and its outcome was not read yet
 * @load_answer:     outcome of the last load
 * @load_errors:     all errors of the model of the last load
 * @n_workers:       number of workers of the cycle
 * @proof:           the proof in progress in ARMING
 * @budget:          verdict on the last proof since the load
 * @allow_degraded:  the last arming permitted a degraded run
 * @start_armed:     start as soon as ARMED
 * @bursts:          bursts of the proof at the last check
 * @grant:           real-time properties granted to the last threads
 * @mode:            mode of the present run, or of the next one
 * @stepped:         number of the last StepRequest, 0: none in this run
 * @evidence:        evidence of the run
 * @figures:         newest figures of the run, see lkd_rig_refresh()
 * @ending:          the threads of the run were requested to end and have not ended yet
 * @ending_in:       state of the rig after the end of these threads
 * @moved_ns:        time of the last observed progress of the cycle
 * @watched_ns:      time of the last check of the watchdog
 * @stuck:           the watchdog has found that the cycle hangs
 * @n_traces:        number of traces written in this run
 * @trace_due_ns:    due time of the next trace, 0: none
 * @traced:          number of overruns when the last trace was scheduled
 * @writer:          writer of evidence files, NULL if the configuration has no folder for them
 * @recorder:        NULL if the configuration has no folder for recordings
 * @config_text:     text of the configuration, attached to recordings
 * @trips:           number of trips of all inputs that were recorded so far
 * @platform:        state of the platform that was recorded last
 * @counted:         count of each condition that was logged and recorded so far
 * @fault:           reason for FAULT
 * @resume:          restored snapshot, until a run begins from it; NULL: none
 * @exit_status:     requested exit status of the daemon, 0: the daemon continues */
struct lkd_rig {
    const struct lkd_config *config;
    struct lkd_inputs *inputs;
    struct lkd_exchange *exchange;
    const struct lkd_placement *placement;
    const char *exchange_normal;
    struct lkd_line *line;
    struct lkd_security *security;
    struct lkd_machine machine;
    struct lkd_ptp_watch ptp;
    int latency_fd;

    Linkage__V1__State state;
    struct lkd_loaded *loaded;
    struct lkd_compile *compile;
    struct lkd_answer load_answer;
    struct lk_errors load_errors;
    bool load_is_over;
    int n_workers;
    struct lkd_runner runner;
    struct lkd_proof proof;
    struct lkd_budget budget;
    uint64_t bursts;
    struct lkd_grant grant;
    bool allow_degraded;
    enum lkd_mode mode;
    uint64_t stepped;
    bool start_armed;
    struct lkd_evidence evidence;
    struct lkd_figures figures;
    bool ending;
    Linkage__V1__State ending_in;
    int64_t moved_ns;
    int64_t watched_ns;
    bool stuck;
    int n_traces;
    int64_t trace_due_ns;
    uint64_t traced;
    struct lkd_writer *writer;
    struct lkd_recorder *recorder;
    char *config_text;
    uint64_t trips;
    enum lk_ride_state platform;
    uint64_t counted[LKD_CONDITIONS];
    char fault[200];
    struct lkd_resume *resume;
    int exit_status;
};

/** enum lkd_exit - exit statuses of the daemon. */
enum lkd_exit {
    LKD_EXIT_OK = 0,
    LKD_EXIT_ERROR = 1,
    LKD_EXIT_USAGE = 2,
    LKD_EXIT_OVERRUN = 3,
    LKD_EXIT_STEP = 4,
    LKD_EXIT_WATCHDOG = 5,
};

/** lkd_rig_init() - Initialise a rig in state EMPTY. */
void lkd_rig_init(struct lkd_rig *rig, const struct lkd_config *config, struct lkd_inputs *inputs,
                  struct lkd_exchange *exchange, const struct lkd_placement *placement,
                  int memory_error);

/** lkd_rig_fini() - End a run and release the model.
 * Return: 0, -ETIMEDOUT (the cycle hangs: release nothing, end the process). */
int lkd_rig_fini(struct lkd_rig *rig);

/** lkd_rig_refresh() - Read the newest figures of the cycle, collect evidence and run the watchdog.
 * A fault or the end of a proof changes the state.
 * Return: true if the state has changed. */
bool lkd_rig_refresh(struct lkd_rig *rig);

/* Commands: see the top of this file and the requests in linkage.proto. Call lkd_rig_refresh()
 * before each command. */

/** lkd_rig_load(), lkd_rig_load_file() - Begin to load a model; lkd_rig_follow_load() completes it.
 * @values: see struct lkd_loaded
 * Return: true if the load has begun; then lkd_rig_load_outcome() returns the answer later.
 * Otherwise @ret_answer is the refusal. */
bool lkd_rig_load(struct lkd_rig *rig, const char *name, const char *text, size_t size,
                  const char *values, struct lkd_answer *ret_answer);
bool lkd_rig_load_file(struct lkd_rig *rig, const char *path, struct lkd_answer *ret_answer);
/** lkd_rig_follow_load() - Make the compiled model the loaded one when it is ready. This function
 * is separate from lkd_rig_refresh(), so that the caller can read the answer before another load
 * begins.
 * Return: true if the model was ready. */
bool lkd_rig_follow_load(struct lkd_rig *rig);
/** lkd_rig_load_outcome() - Read the answer of a completed load; each answer can be read once.
 * Return: true if there was an unread answer. */
bool lkd_rig_load_outcome(struct lkd_rig *rig, struct lkd_answer *ret_answer);
/** lkd_rig_load_fd() - Return a descriptor that becomes readable when compiling is done; -1: no
 * model is being compiled. */
int lkd_rig_load_fd(const struct lkd_rig *rig);
/** lkd_rig_shown_state() - Return the reported state: LOADING while a model is being compiled. */
Linkage__V1__State lkd_rig_shown_state(const struct lkd_rig *rig);

/** lkd_rig_arm() - Begin the budget proof. Only the mode realtime needs it; other modes change to
 * ARMED at once.
 * @steps: number of steps of the proof; 0: the configured number
 * @mode:  mode of the next run */
void lkd_rig_arm(struct lkd_rig *rig, enum lkd_mode mode, bool allow_degraded, uint64_t steps,
                 struct lkd_answer *ret_answer);
/** lkd_rig_start() - Start or continue the run.
 * @steps: number of steps until the run pauses; 0: unlimited */
void lkd_rig_start(struct lkd_rig *rig, uint64_t steps, struct lkd_answer *ret_answer);
/** lkd_rig_may_step() - Return true if lkd_rig_step() is allowed: the state is RUNNING, the mode
 * lockstep, and the run has at least @n more steps. If it returns false, the refusal is in
 * @ret_answer. */
bool lkd_rig_may_step(struct lkd_rig *rig, uint64_t number, uint32_t n,
                      struct lkd_answer *ret_answer);
/** lkd_rig_step() - Execute @n steps and wait for them, then fill the answer. A repeated @number is
 * not executed again. */
void lkd_rig_step(struct lkd_rig *rig, uint64_t number, uint32_t n, struct lkd_answer *ret_answer);
void lkd_rig_pause(struct lkd_rig *rig, struct lkd_answer *ret_answer);
void lkd_rig_stop(struct lkd_rig *rig, struct lkd_answer *ret_answer);
void lkd_rig_reset(struct lkd_rig *rig, struct lkd_answer *ret_answer);
/** lkd_rig_set() - Set the values of an input channel by hand.
 * @force: set the channel even if a bench has claimed it */
void lkd_rig_set(struct lkd_rig *rig, const char *channel, const double *values, size_t n,
                 bool force, struct lkd_answer *ret_answer);

/** lkd_rig_answer() - Fill an answer; control characters are replaced. */
void lkd_rig_answer(struct lkd_answer *answer, Linkage__V1__Result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** lkd_rig_allows() - Return true if the state is in the bit set @states. Otherwise fill
 * @ret_answer with the refusal.
 * @command: name of the command in the refusal */
bool lkd_rig_allows(const struct lkd_rig *rig, const char *command, unsigned states,
                    struct lkd_answer *ret_answer);

/** lkd_rig_state_name() - Return the name of @state as static text, such as "RUNNING". */
const char *lkd_rig_state_name(Linkage__V1__State state);

#endif
