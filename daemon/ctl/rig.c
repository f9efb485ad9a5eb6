/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"
#include "linkage/nearest.h"
#include "log.h"
#include "record.h"
#include "rig_run.h"
#include "snapshot.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Longest time that a stop waits for the end of a compilation [ms]. It is short, because benches
 * and the watchdog wait meanwhile. */
#define STOP_MS  500
#define NS_PER_S INT64_C(1000000000)

const char *lkd_rig_state_name(Linkage__V1__State state)
{
    switch ((int)state) {
    case EMPTY:
        return "EMPTY";
    case READY:
        return "READY";
    case RUNNING:
        return "RUNNING";
    case PAUSED:
        return "PAUSED";
    case FAULT:
        return "FAULT";
    case ARMED:
        return "ARMED";
    case ARMING:
        return "ARMING";
    case LOADING:
        return "LOADING";
    default:
        return "UNSPECIFIED";
    }
}

void lkd_rig_answer(struct lkd_answer *a, Linkage__V1__Result result, const char *format, ...)
{
    struct lk_error line;
    char text[sizeof(line.text)];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    /* The text may contain names from requests. Replace control characters, because the text is
     * printed on terminals. */
    lk_error_set(&line, "%s", text);
    a->result = result;
    memcpy(a->text, line.text, sizeof(a->text));
}

void lkd_rig_answer_ok(struct lkd_answer *a)
{
    *a = (struct lkd_answer){.result = LINKAGE__V1__RESULT__RESULT_OK};
}

/* Return advice on reaching a state in which the command is allowed. */
static const char *hint_of(Linkage__V1__State state, unsigned states)
{
    if (state == EMPTY)
        return ", load a model first";
    if (state == ARMING)
        return ", wait for its end or stop it";
    if (state == READY && (states & IN(ARMED)) && (states & IN(PAUSED)) && !(states & IN(RUNNING)))
        return ", arm first";
    if ((state == RUNNING || state == PAUSED) && (states & IN(ARMED)))
        return ", stop first";
    if (state == ARMED && states == IN(RUNNING))
        return ", start first";
    return state == FAULT ? ", reset first" : "";
}

bool lkd_rig_allows(const struct lkd_rig *rig, const char *command, unsigned states,
                    struct lkd_answer *a)
{
    if (rig->compile) {
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_WRONG_STATE,
                       "%s is not allowed in state LOADING: the model %s is being compiled, for "
                       "%.1f s so far; wait for its end or stop it",
                       command, lkd_compile_name(rig->compile),
                       (double)lkd_compile_ns(rig->compile) * 1e-9);
        return false;
    }
    if (states & IN(rig->state))
        return true;
    lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_WRONG_STATE, "%s is not allowed in state %s%s",
                   command, lkd_rig_state_name(rig->state), hint_of(rig->state, states));
    return false;
}

void lkd_rig_enter(struct lkd_rig *rig, Linkage__V1__State state)
{
    lkd_log(LKD_C_STATE, "state %s -> %s", lkd_rig_state_name(rig->state),
            lkd_rig_state_name(state));
    lkd_record_state(rig, lkd_rig_state_name(rig->state), lkd_rig_state_name(state));
    rig->state = state;
    if (state != FAULT)
        rig->fault[0] = '\0';
    lkd_rig_tell(rig);
}

void lkd_rig_tell(const struct lkd_rig *rig)
{
    lkd_exchange_tell(rig->exchange, rig->state, rig->loaded ? rig->loaded->model_id : 0, rig->mode,
                      rig->figures.step);
}

void lkd_rig_init(struct lkd_rig *rig, const struct lkd_config *config, struct lkd_inputs *inputs,
                  struct lkd_exchange *exchange, const struct lkd_placement *placement,
                  int memory_error)
{
    *rig = (struct lkd_rig){
        .config = config,
        .inputs = inputs,
        .exchange = exchange,
        .placement = placement,
        .latency_fd = -1,
        .state = EMPTY,
        .mode = config->mode,
    };
    lkd_ptp_watch_init(&rig->ptp, &config->ptp);
    lkd_machine_init(&rig->machine, memory_error);
    lkd_machine_judge(&rig->machine, config, placement, 1, NULL);
}

int lkd_rig_fini(struct lkd_rig *rig)
{
    int r;

    if (rig->compile)
        lkd_compile_abandon(rig->compile);
    rig->compile = NULL;
    r = rig->state == ARMING ? lkd_run_end_proof(rig)
                             : lkd_run_end(rig, rig->state == FAULT ? FAULT : READY);

    if (r) {
        if (rig->runner.alive && !rig->runner.proof)
            lkd_files_report(rig, FAULT);
        return r;
    }
    lkd_record_run_over(rig);
    lkd_snapshot_forget(rig);
    lkd_ptp_watch_fini(&rig->ptp);
    lkd_inputs_attach(rig->inputs, NULL, 0);
    lkd_loaded_free(rig->loaded);
    rig->loaded = NULL;
    rig->state = EMPTY;
    return 0;
}

/* Wait until the cycle has honoured a pause, so that the reply contains its final state. The wait
 * is limited to two periods plus 50 ms. After that the cycle will still honour the pause. */
static void await_pause(struct lkd_rig *rig)
{
    const struct timespec nap = {.tv_nsec = 200000};
    int64_t until_ns = lkd_clock_ns() + 2 * rig->loaded->cycle->period_ns + 50000000;

    while (rig->state == RUNNING && rig->figures.state == LKD_CYCLE_RUNNING &&
           lkd_clock_ns() < until_ns) {
        nanosleep(&nap, NULL);
        lkd_rig_refresh(rig);
    }
}

/* ---- commands ---- */

/* Return the number of workers for a model: all workers, or only those that shorten its step. */
static int count_workers(const struct lkd_rig *rig, const struct lkd_loaded *loaded)
{
    int n = rig->placement->n_workers, useful;

    if (!rig->placement->chosen_by_model)
        return n;
    useful = lk_system_workers_useful(loaded->system);
    return useful < n ? useful : n;
}

static void take_over(struct lkd_rig *rig, struct lkd_loaded *loaded, struct lkd_answer *a)
{
    struct lkd_loaded *old = rig->loaded;

    /* If the old model is in FAULT, its state remains until the new model is attached. So
     * subscribers never receive READY with the last values of the old model. */
    if (lkd_run_end(rig, rig->state)) {
        lkd_loaded_free(loaded);
        lkd_rig_answer_stuck(rig, a);
        return;
    }
    if (lkd_inputs_attach(rig->inputs, loaded->cycle, loaded->model_id)) {
        lkd_loaded_free(loaded);
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_INTERNAL, "out of memory");
        return;
    }
    lkd_record_run_over(rig); /* ends a recording requested for a run that never started */
    lkd_snapshot_forget(rig);
    rig->loaded = loaded;
    rig->n_workers = count_workers(rig, loaded);
    lkd_exchange_load(rig->exchange, loaded->cycle);
    lkd_loaded_free(old);
    rig->budget = (struct lkd_budget){0};
    rig->evidence = (struct lkd_evidence){0};
    lkd_run_rewind(rig);
    lkd_machine_judge(&rig->machine, rig->config, rig->placement, rig->n_workers, NULL);
    lkd_log(LKD_C_MODEL_LOADED,
            "model %s loaded: %d input and %d output scalars, period %.6g ms, workers: %d%s",
            loaded->name, loaded->cycle->n_inputs, loaded->cycle->n_outputs,
            (double)loaded->cycle->period_ns * 1e-6, rig->n_workers,
            rig->n_workers > 1 && !lk_system_shares_work(loaded->system)
                ? ", without effect: one thread does the step of this model"
                : "");
    lkd_rig_enter(rig, READY);
    lkd_rig_answer_ok(a);
    if (loaded->warnings.n > 0)
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_OK, "loaded with %d warning%s",
                       loaded->warnings.n, loaded->warnings.n == 1 ? "" : "s");
}

/* Log all errors and store them in the rig; the first one is the answer. */
static void refuse_model(struct lkd_rig *rig, int r, struct lkd_answer *a)
{
    const struct lk_errors *errors = &rig->load_errors;

    if (r == -ECANCELED)
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_WRONG_STATE,
                       "stopped while it was compiled; what was loaded before stays");
    else if (r < 0)
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_INTERNAL, "%s", strerror(-r));
    else
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_BAD_MODEL, "%s", errors->line[0].text);
    lkd_log(LKD_C_MODEL_REFUSED, "model refused: %s", a->text);
    for (int i = 1; i < errors->n; i++)
        lkd_log(LKD_C_MODEL_REFUSED, "model refused: %s", errors->line[i].text);
}

static bool may_load(const struct lkd_rig *rig, struct lkd_answer *a)
{
    return lkd_rig_allows(rig, "load", IN(EMPTY) | IN(READY) | IN(ARMED) | IN(FAULT), a);
}

/* Complete the begin of a load.
 * @r: result of lkd_compile_begin() or lkd_compile_begin_file() */
static bool begin_load(struct lkd_rig *rig, int r, struct lkd_answer *a)
{
    rig->load_errors.n = 0;
    if (r) {
        refuse_model(rig, r, a);
        return false;
    }
    rig->load_is_over = false;
    lkd_log(LKD_C_MODEL_LOADING, "the model %s is being compiled", lkd_compile_name(rig->compile));
    return true;
}

bool lkd_rig_load(struct lkd_rig *rig, const char *name, const char *text, size_t size,
                  const char *values, struct lkd_answer *ret_answer)
{
    return may_load(rig, ret_answer) &&
           begin_load(rig,
                      lkd_compile_begin(*name ? name : "model", text, size, values,
                                        &rig->config->cycle, &rig->compile),
                      ret_answer);
}

bool lkd_rig_load_file(struct lkd_rig *rig, const char *path, struct lkd_answer *ret_answer)
{
    return may_load(rig, ret_answer) &&
           begin_load(rig, lkd_compile_begin_file(path, &rig->config->cycle, &rig->compile),
                      ret_answer);
}

bool lkd_rig_follow_load(struct lkd_rig *rig)
{
    struct lkd_compile *compile = rig->compile;
    struct lkd_loaded *loaded;
    int r;

    if (!compile || !lkd_compile_is_done(compile))
        return false;
    rig->compile = NULL;
    rig->load_errors.n = 0;
    r = lkd_compile_end(compile, &loaded, &rig->load_errors);
    if (r)
        refuse_model(rig, r, &rig->load_answer);
    else
        take_over(rig, loaded, &rig->load_answer);
    rig->load_is_over = true;
    return true;
}

bool lkd_rig_load_outcome(struct lkd_rig *rig, struct lkd_answer *ret_answer)
{
    if (!rig->load_is_over)
        return false;
    rig->load_is_over = false;
    *ret_answer = rig->load_answer;
    return true;
}

int lkd_rig_load_fd(const struct lkd_rig *rig)
{
    return rig->compile ? lkd_compile_fd(rig->compile) : -1;
}

Linkage__V1__State lkd_rig_shown_state(const struct lkd_rig *rig)
{
    return rig->compile ? LOADING : rig->state;
}

/* Cancel a compilation. It ends soon, at its next poll; then its client gets the reply. */
static void stop_loading(struct lkd_rig *rig, struct lkd_answer *a)
{
    struct pollfd done = {.fd = lkd_compile_fd(rig->compile), .events = POLLIN};

    lkd_compile_cancel(rig->compile);
    if (poll(&done, 1, STOP_MS) == 1)
        lkd_rig_follow_load(rig);
    lkd_rig_answer_ok(a);
}

/* Arm in a mode without a clock, which needs no budget proof. */
static void arm_without_clock(struct lkd_rig *rig, struct lkd_answer *a)
{
    rig->budget = (struct lkd_budget){.valid = true};
    snprintf(rig->budget.text, sizeof(rig->budget.text),
             "no deadlines in mode %s, nothing to prove",
             rig->mode == LKD_MODE_LOCKSTEP ? "lockstep" : "asap");
    if (rig->state != ARMED)
        lkd_rig_enter(rig, ARMED);
    else
        lkd_rig_tell(rig); /* the mode may have changed */
    lkd_rig_answer_ok(a);
    if (rig->start_armed) {
        rig->start_armed = false;
        lkd_run_start(rig, 0, a);
    }
}

void lkd_rig_arm(struct lkd_rig *rig, enum lkd_mode mode, bool allow_degraded, uint64_t steps,
                 struct lkd_answer *ret_answer)
{
    const struct lkd_config *config = rig->config;

    if (!lkd_rig_allows(rig, "arm", IN(READY) | IN(ARMED), ret_answer))
        return;
    rig->mode = mode;
    if (mode != LKD_MODE_REALTIME) {
        arm_without_clock(rig, ret_answer);
        return;
    }
    steps = steps ? steps : config->proof_steps;
    lkd_proof_init(&rig->proof, steps > LKD_PROOF_STEPS_MIN ? steps : LKD_PROOF_STEPS_MIN,
                   config->proof_time_ns);
    rig->budget = (struct lkd_budget){0};
    rig->allow_degraded = config->allow_degraded || allow_degraded;
    if (!lkd_run_make_threads(rig, &rig->proof, ret_answer)) {
        if (rig->state != READY)
            lkd_rig_enter(rig, READY);
        return;
    }
    lkd_runner_go(&rig->runner);
    rig->moved_ns = rig->watched_ns = lkd_clock_ns();
    rig->stuck = false;
    lkd_rig_enter(rig, ARMING);
    lkd_rig_answer_ok(ret_answer);
}

/* Return the number of the last step of a run of @steps steps, 0: unlimited. After a pause the
 * steps are counted from the present step. */
static uint64_t last_step(const struct lkd_rig *rig, uint64_t steps)
{
    uint64_t done = rig->state == PAUSED ? rig->figures.step : rig->resume ? rig->resume->step : 0;

    return steps == 0 ? 0 : steps > UINT64_MAX - done ? UINT64_MAX : done + steps;
}

void lkd_rig_start(struct lkd_rig *rig, uint64_t steps, struct lkd_answer *ret_answer)
{
    if (!lkd_rig_allows(rig, "start", IN(ARMED) | IN(PAUSED), ret_answer))
        return;
    if (rig->state == ARMED) {
        lkd_run_start(rig, last_step(rig, steps), ret_answer);
        return;
    }
    atomic_store(&rig->loaded->cycle->steps_max, last_step(rig, steps));
    lkd_cycle_ask(rig->loaded->cycle, LKD_ASK_RUN);
    lkd_rig_enter(rig, RUNNING);
    lkd_rig_answer_ok(ret_answer);
}

void lkd_rig_pause(struct lkd_rig *rig, struct lkd_answer *ret_answer)
{
    if (!lkd_rig_allows(rig, "pause", IN(RUNNING), ret_answer))
        return;
    lkd_cycle_ask(rig->loaded->cycle, LKD_ASK_PAUSE);
    await_pause(rig);
    if (rig->state == RUNNING)
        lkd_rig_enter(rig, PAUSED);
    lkd_rig_answer_ok(ret_answer);
}

void lkd_rig_stop(struct lkd_rig *rig, struct lkd_answer *ret_answer)
{
    bool runs;

    if (rig->compile) {
        stop_loading(rig, ret_answer);
        return;
    }
    if (!lkd_rig_allows(rig, "stop", IN(ARMING) | IN(ARMED) | IN(RUNNING) | IN(PAUSED), ret_answer))
        return;
    runs = lkd_run_is_live(rig);
    if (rig->state == ARMING)
        snprintf(rig->budget.text, sizeof(rig->budget.text), STOPPED);
    if (rig->state == ARMING ? lkd_run_end_proof(rig) : lkd_run_end(rig, ARMED)) {
        lkd_rig_answer_stuck(rig, ret_answer);
        return;
    }
    rig->start_armed = false;
    lkd_snapshot_forget(rig);
    lkd_inputs_clear(rig->inputs);
    if (rig->state != FAULT) /* the last cycle may have failed */
        lkd_rig_enter(rig, runs ? ARMED : READY);
    lkd_rig_answer_ok(ret_answer);
}

void lkd_rig_reset(struct lkd_rig *rig, struct lkd_answer *ret_answer)
{
    Linkage__V1__State next = rig->state == PAUSED || rig->state == ARMED ? ARMED : READY;

    if (!lkd_rig_allows(rig, "reset", IN(READY) | IN(ARMED) | IN(PAUSED) | IN(FAULT), ret_answer))
        return;
    if (lkd_run_end(rig, next)) {
        lkd_rig_answer_stuck(rig, ret_answer);
        return;
    }
    if (rig->state == FAULT)
        next = READY;
    lkd_snapshot_forget(rig);
    lkd_inputs_clear(rig->inputs);
    lkd_run_rewind(rig);
    if (rig->state != next)
        lkd_rig_enter(rig, next);
    lkd_rig_answer_ok(ret_answer);
}

/* Longest wait of the control thread for granted steps. Then it must do other work, such as serving
 * the watchdogs. The client repeats its request to continue the wait. */
#define STEP_NS  INT64_C(100000000)
#define STEPS_NS INT64_C(4000000000)

static int64_t patience_ns(uint32_t n)
{
    int64_t ns = NS_PER_S + (int64_t)n * STEP_NS;

    return ns < STEPS_NS ? ns : STEPS_NS;
}

/* Check that @n more steps fit into the run. Steps granted beyond its end would be executed after
 * the next start without a request. */
static bool has_room(const struct lkd_rig *rig, uint32_t n, struct lkd_answer *a)
{
    uint64_t most = atomic_load(&rig->loaded->cycle->steps_max), done = rig->figures.step;

    if (most == 0 || (done <= most && n <= most - done))
        return true;
    lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_BAD_VALUE,
                   "%u steps, %" PRIu64 " are left of those that start asked for", n,
                   most > done ? most - done : 0);
    return false;
}

bool lkd_rig_may_step(struct lkd_rig *rig, uint64_t number, uint32_t n,
                      struct lkd_answer *ret_answer)
{
    if (!lkd_rig_allows(rig, "step", IN(RUNNING), ret_answer))
        return false;
    if (rig->mode != LKD_MODE_LOCKSTEP) {
        lkd_rig_answer(ret_answer, LINKAGE__V1__RESULT__RESULT_WRONG_STATE,
                       "step is for runs in lockstep; arm with mode lockstep for one");
        return false;
    }
    return number == rig->stepped || has_room(rig, n, ret_answer);
}

void lkd_rig_step(struct lkd_rig *rig, uint64_t number, uint32_t n, struct lkd_answer *ret_answer)
{
    struct lkd_cycle *cycle;
    bool again = number == rig->stepped, done;

    lkd_rig_answer_ok(ret_answer);
    rig->stepped = number;
    cycle = rig->loaded->cycle;
    /* A repeated request grants no new steps, but the steps of the first request must be
     * completed. */
    done = lkd_release_grant(&cycle->release, again ? 0 : n, patience_ns(n));
    if (done)
        return;
    lkd_rig_refresh(rig);
    if (rig->state != RUNNING)
        lkd_rig_answer(ret_answer, LINKAGE__V1__RESULT__RESULT_WRONG_STATE,
                       "the run ended before the steps were done: %s", rig->fault);
    else
        lkd_rig_answer(ret_answer, LINKAGE__V1__RESULT__RESULT_INTERNAL,
                       "the steps are not done yet; ask again with the same number");
}

static const struct lk_channel *find_channel(const struct lkd_rig *rig, const char *name)
{
    int n, index = lk_system_input_index(rig->loaded->system, name);

    return index < 0 ? NULL : &lk_system_input_channels(rig->loaded->system, &n)[index];
}

/* Fill the refusal of a value set by hand. */
static void refuse_set(const struct lk_channel *channel, const double *values, int r,
                       struct lkd_answer *a)
{
    int i = 0;

    while (i < channel->size - 1 && channel->low <= values[i] && values[i] <= channel->high)
        i++;
    if (r == LKD_INPUT_E_LIMITS)
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_BAD_VALUE,
                       "%s: %g %s is beyond its limits, expected %g to %g %s; the previous "
                       "value continues to act",
                       channel->name, values[i], channel->unit[i], channel->low, channel->high,
                       channel->unit[i]);
    else
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_BAD_VALUE, "%s: %s", channel->name,
                       lkd_input_status_text(r));
}

/* Confirm a value set by hand, such as "motor acts with 5 N m", or report that its rate is
 * limited. */
static void confirm_set(const struct lk_channel *channel, const double *values,
                        struct lkd_answer *a)
{
    bool is_ramped = isfinite(channel->rate);
    char text[LK_COMPONENTS_MAX * 48];
    size_t used = 0;

    for (int i = 0; i < channel->size; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%g %s", i > 0 ? ", " : "",
                                 values[i], channel->unit[i]);
    lkd_rig_answer_ok(a);
    if (is_ramped)
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_OK,
                       "%s goes to %s by at most %g %s a second, then that acts", channel->name,
                       text, channel->rate, channel->unit[0]);
    else
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_OK, "%s acts with %s", channel->name, text);
}

void lkd_rig_set(struct lkd_rig *rig, const char *channel, const double *values, size_t n,
                 bool force, struct lkd_answer *ret_answer)
{
    const struct lk_channel *found;
    struct lk_error error;
    int r;

    if (!lkd_rig_allows(rig, "set", IN(READY) | IN(ARMED) | IN(RUNNING) | IN(PAUSED), ret_answer))
        return;
    found = find_channel(rig, channel);
    if (!found) {
        const struct lk_channel *channels;
        char meant[LK_MEANT_SIZE];
        int known;

        channels = lk_system_input_channels(rig->loaded->system, &known);
        lkd_rig_answer(ret_answer, LINKAGE__V1__RESULT__RESULT_UNKNOWN_CHANNEL,
                       "no input named '%s'%s", channel,
                       lk_meant(channel, (const char *)channels, sizeof(*channels), known, meant));
        return;
    }
    if (n != (size_t)found->size) {
        lkd_rig_answer(ret_answer, LINKAGE__V1__RESULT__RESULT_BAD_VALUE,
                       "%s takes %d values, not %zu", channel, found->size, n);
        return;
    }
    r = lkd_inputs_set(rig->inputs, (size_t)found->offset, values, n, force, &error);
    if (r == LKD_INPUT_E_CLAIMED)
        lkd_rig_answer(ret_answer, LINKAGE__V1__RESULT__RESULT_CLAIMED, "%s", error.text);
    else if (r)
        refuse_set(found, values, r, ret_answer);
    else
        confirm_set(found, values, ret_answer);
}
