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
 *     load   EMPTY, READY, ARMED, FAULT   a refused model leaves the old one as it was
 *
 * While a model is compiled, the state shown is LOADING: only stop, which cancels it, changes the
 * rig, and the previous model stays loaded until the new one is complete.
 *
 *     arm    READY, ARMED: the budget is proven on the core of the cycle, see proof.h and budget.h
 *     start  ARMED: at t = 0 with cleared figures.  PAUSED: continue
 *     pause  RUNNING               stop   ARMING, ARMED, RUNNING, PAUSED
 *     reset  READY, ARMED, PAUSED, FAULT  set    READY, ARMED, RUNNING, PAUSED
 *     snapshot and restore: see snapshot.h
 *
 * After a fault the budget has to be proven again.
 *
 * All calls from the control thread; no sockets here. */
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

/** struct lkd_answer - outcome of a command: a result and one line for people. */
struct lkd_answer {
    Linkage__V1__Result result;
    char text[LKD_ANSWER_SIZE];
};

/** struct lkd_rig - see above.
 * @config, @inputs, @exchange: owned by the caller
 * @placement:    the workers and their cores
 * @line:         the process that serves the endpoints; owned by the caller, NULL for none
 * @security:     keys and clients; owned by the caller, NULL for none
 * @machine:      its properties, and what it lacks
 * @ptp:          what the machine's PTP daemon says
 * @exchange_normal: see lkd_cores_settle_exchange(); NULL: none
 * @latency_fd:   prevents deep idle states during a proof or a run, or -1
 * @loaded:       the model, NULL in EMPTY
 * @compile:      the model being compiled, or NULL;  @load_is_over, @load_answer: outcome of the
 * last load, until it is taken;  @load_errors: all errors of its model
 * @n_workers:    that step it
 * @proof, @budget: in progress in ARMING; the outcome of the last one since the load
 * @allow_degraded: the last arming allowed it;  @start_armed: start as soon as ARMED
 * @bursts:       of the proof, when last checked
 * @grant:        of the last threads
 * @mode:         of the next run, and of the present one
 * @stepped:      number of the last StepRequest, 0: none in this run
 * @evidence:     of the run
 * @figures:      newest of the run, see lkd_rig_refresh()
 * @ending, @ending_in: its threads were asked to end and have not yet; the state after it
 * @moved_ns, @watched_ns: when the cycle was last seen to move, and last checked;  @stuck: the
 * watchdog has found it hung
 * @n_traces, @trace_due_ns: traces written of this run; when the next one is, 0: none
 * @traced:       overruns when the last trace was decided on
 * @writer:       of what is kept of runs, NULL where the configuration has no folder for that
 * @recorder:     NULL where the configuration has no folder;  @config_text: attached to recordings
 * @trips:        of all inputs, as known to the recording;  @platform: its state, likewise
 * @counted:      of each condition, as far as log and recording know
 * @fault:        why, in FAULT
 * @resume:       what was restored, until a run begins from it; NULL: none
 * @exit_status:  with which the daemon is to end, 0: it continues */
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

/** lkd_rig_init() - EMPTY. */
void lkd_rig_init(struct lkd_rig *rig, const struct lkd_config *config, struct lkd_inputs *inputs,
                  struct lkd_exchange *exchange, const struct lkd_placement *placement,
                  int memory_error);

/** lkd_rig_fini() - end a run and release the model.
 * Return: 0, -ETIMEDOUT (the cycle hangs: nothing may be released, the process has to end).
 */
int lkd_rig_fini(struct lkd_rig *rig);

/** lkd_rig_refresh() - take the newest figures of the cycle, collect evidence, run the watchdog; a
 * fault or the end of a proof changes the state.
 * Return: whether the state has changed. */
bool lkd_rig_refresh(struct lkd_rig *rig);

/* Commands: see the top of this file and the requests in linkage.proto. Refresh first. */

/** lkd_rig_load(), lkd_rig_load_file() - @values: see struct lkd_loaded. Begin to load a model;
 * lkd_rig_follow_load() completes it. Return: whether it has begun: lkd_rig_load_outcome() has the
 * answer later. Otherwise @ret_answer is the refusal. */
bool lkd_rig_load(struct lkd_rig *rig, const char *name, const char *text, size_t size,
                  const char *values, struct lkd_answer *ret_answer);
bool lkd_rig_load_file(struct lkd_rig *rig, const char *path, struct lkd_answer *ret_answer);
/** lkd_rig_follow_load() - take over the compiled model when it is ready. Not part of a refresh, so
 * that the answer is taken before another load begins. Return: whether it was ready. */
bool lkd_rig_follow_load(struct lkd_rig *rig);
/** lkd_rig_load_outcome() - Return: whether a load is over whose answer has not been taken yet. */
bool lkd_rig_load_outcome(struct lkd_rig *rig, struct lkd_answer *ret_answer);
/** lkd_rig_load_fd() - readable when compiling is done; -1: no model is being compiled. */
int lkd_rig_load_fd(const struct lkd_rig *rig);
/** lkd_rig_shown_state() - the state, LOADING while a model is being compiled. */
Linkage__V1__State lkd_rig_shown_state(const struct lkd_rig *rig);

/** @steps: of the proof; 0: as configured.  @mode: of the run that may follow. Only
 * realtime has a budget to prove; other modes go to ARMED at once. */
void lkd_rig_arm(struct lkd_rig *rig, enum lkd_mode mode, bool allow_degraded, uint64_t steps,
                 struct lkd_answer *ret_answer);
/** @steps: after which the run pauses; 0: never */
void lkd_rig_start(struct lkd_rig *rig, uint64_t steps, struct lkd_answer *ret_answer);
/** lkd_rig_may_step() - whether lkd_rig_step() may follow: RUNNING in lockstep, with @n steps left.
 * Return: false with the refusal in @ret_answer. */
bool lkd_rig_may_step(struct lkd_rig *rig, uint64_t number, uint32_t n,
                      struct lkd_answer *ret_answer);
/** lkd_rig_step() - @n steps, then the reply. A repeated @number is not stepped again. */
void lkd_rig_step(struct lkd_rig *rig, uint64_t number, uint32_t n, struct lkd_answer *ret_answer);
void lkd_rig_pause(struct lkd_rig *rig, struct lkd_answer *ret_answer);
void lkd_rig_stop(struct lkd_rig *rig, struct lkd_answer *ret_answer);
void lkd_rig_reset(struct lkd_rig *rig, struct lkd_answer *ret_answer);
/** @force: also a channel that a bench has claimed */
void lkd_rig_set(struct lkd_rig *rig, const char *channel, const double *values, size_t n,
                 bool force, struct lkd_answer *ret_answer);

/** lkd_rig_answer() - fill an answer; control characters are replaced. */
void lkd_rig_answer(struct lkd_answer *answer, Linkage__V1__Result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** lkd_rig_allows() - whether the state is in @states, bits by number. Answers the refusal itself;
 * @command: its name in it. */
bool lkd_rig_allows(const struct lkd_rig *rig, const char *command, unsigned states,
                    struct lkd_answer *ret_answer);

/** lkd_rig_state_name() - "RUNNING" and so on. Static text. */
const char *lkd_rig_state_name(Linkage__V1__State state);

#endif
