/* SPDX-License-Identifier: Apache-2.0 */
#include "rig.h"
#include "files.h"
#include "log.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EMPTY   LINKAGE__V1__STATE__STATE_EMPTY
#define READY   LINKAGE__V1__STATE__STATE_READY
#define RUNNING LINKAGE__V1__STATE__STATE_RUNNING
#define PAUSED  LINKAGE__V1__STATE__STATE_PAUSED
#define FAULT   LINKAGE__V1__STATE__STATE_FAULT
#define ARMED   LINKAGE__V1__STATE__STATE_ARMED
#define ARMING  LINKAGE__V1__STATE__STATE_ARMING

#define IN(state) (1u << (state))

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
    default:
        return "UNSPECIFIED";
    }
}

static void answer(struct lkd_answer *a, Linkage__V1__Result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void answer(struct lkd_answer *a, Linkage__V1__Result result, const char *format, ...)
{
    struct lk_error line;
    char text[sizeof(line.text)];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    /* names out of requests end up here: no control characters on the way to terminals */
    lk_error_set(&line, "%s", text);
    a->result = result;
    memcpy(a->text, line.text, sizeof(a->text));
}

static void answer_ok(struct lkd_answer *a)
{
    *a = (struct lkd_answer){.result = LINKAGE__V1__RESULT__RESULT_OK};
}

/* Answers the refusal itself. */
static bool allowed(const struct lkd_rig *rig, const char *command, unsigned states,
                    struct lkd_answer *a)
{
    if (states & IN(rig->state))
        return true;
    answer(a, LINKAGE__V1__RESULT__RESULT_WRONG_STATE, "%s is not allowed in state %s%s", command,
           lkd_rig_state_name(rig->state),
           rig->state == READY && (states & IN(ARMED)) ? ", arm first" : "");
    return false;
}

static void enter(struct lkd_rig *rig, Linkage__V1__State state)
{
    lkd_log(LKD_LOG_NOTICE, "state %s -> %s", lkd_rig_state_name(rig->state),
            lkd_rig_state_name(state));
    rig->state = state;
    if (state != FAULT)
        rig->fault[0] = '\0';
}

/* ---- run ---- */

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
    };
    lkd_machine_init(&rig->machine, memory_error);
    lkd_machine_judge(&rig->machine, config, placement, 1, NULL);
}

/* ---- faults ---- */

static void describe_fault(struct lkd_rig *rig)
{
    const struct lkd_figures *f = &rig->figures;
    size_t size = sizeof(rig->fault);

    switch (f->fault) {
    case LKD_FAULT_RESIDUAL:
        snprintf(rig->fault, size,
                 "step %" PRIu64 ": a joint is violated by %.3g m or rad, more than the limit of "
                 "%.3g",
                 f->step + 1, f->health.residual_position, rig->config->cycle.residual_limit);
        return;
    case LKD_FAULT_TURN:
        snprintf(rig->fault, size,
                 "step %" PRIu64
                 ": a body would turn by more than half a turn, the step is too long "
                 "for it",
                 f->step + 1);
        return;
    case LKD_FAULT_OVERRUN:
        snprintf(rig->fault, size,
                 "step %" PRIu64 ": too many deadlines missed: %" PRIu64 " overruns in %" PRIu64
                 " cycles",
                 f->step, f->overruns, f->cycles);
        return;
    case LKD_FAULT_WATCHDOG:
        snprintf(rig->fault, size, "step %" PRIu64 ": the cycle stood still for a time", f->step);
        return;
    default:
        snprintf(rig->fault, size, "step %" PRIu64 " gave a value that is not a finite number",
                 f->step + 1);
    }
}

static void enter_fault(struct lkd_rig *rig, int exit_status)
{
    lkd_log(LKD_LOG_ERROR, "fault: %s", rig->fault);
    enter(rig, FAULT);
    rig->budget.valid = false;
    if (rig->config->exit_on_fault)
        rig->exit_status = exit_status;
}

static int status_of(enum lkd_fault fault)
{
    if (fault == LKD_FAULT_OVERRUN)
        return LKD_EXIT_OVERRUN;
    return fault == LKD_FAULT_WATCHDOG ? LKD_EXIT_WATCHDOG : LKD_EXIT_STEP;
}

static bool is_live(const struct lkd_rig *rig)
{
    return (IN(rig->state) & (IN(RUNNING) | IN(PAUSED))) != 0;
}

/* The cycle goes through its grid in RUNNING, PAUSED and FAULT; for how long has it not? It is
 * asked for a fault, too: should it wake up again, it does not go on. */
static void watch(struct lkd_rig *rig)
{
    int64_t now_ns = lkd_clock_ns(), still_ns = now_ns - rig->moved_ns;
    bool slept = now_ns - rig->watched_ns > rig->config->watchdog_ns / 2;

    rig->watched_ns = now_ns;
    if (slept) { /* this thread, too: the process was stopped, or the machine */
        rig->moved_ns = now_ns;
        return;
    }
    if (rig->stuck || rig->config->watchdog_ns == 0 || still_ns < rig->config->watchdog_ns)
        return;
    rig->stuck = true;
    lkd_cycle_ask(rig->loaded->cycle, LKD_ASK_FAULT);
    if (!is_live(rig))
        return;
    snprintf(rig->fault, sizeof(rig->fault),
             "step %" PRIu64 ": the cycle stands still, for %.2g s so far", rig->figures.step,
             (double)still_ns * 1e-9);
    lkd_exchange_fault(rig->exchange, rig->config->cycle.zero_outputs);
    enter_fault(rig, LKD_EXIT_WATCHDOG);
}

static void take_figures(struct lkd_rig *rig)
{
    struct lkd_cycle *cycle = rig->loaded->cycle;

    if (!lkd_mailbox_take(&cycle->status))
        return;
    rig->figures = *(const struct lkd_figures *)lkd_mailbox_front(&cycle->status);
    rig->moved_ns = lkd_clock_ns();
    rig->stuck = false;
}

static bool finish_arming(struct lkd_rig *rig);

bool lkd_rig_refresh(struct lkd_rig *rig)
{
    if (!rig->loaded)
        return false;
    if (rig->state == ARMING)
        return finish_arming(rig);
    take_figures(rig);
    if (rig->runner.alive) {
        lkd_evidence_collect(&rig->evidence, rig->loaded->cycle, &rig->runner);
        lkd_files_trace(rig);
    }
    if (rig->figures.state == LKD_CYCLE_FAULT && is_live(rig)) {
        describe_fault(rig);
        enter_fault(rig, status_of(rig->figures.fault));
        return true;
    }
    if (rig->runner.alive)
        watch(rig);
    return rig->state == FAULT && rig->stuck;
}

static void report_run(struct lkd_rig *rig)
{
    const struct lkd_figures *f = &rig->figures;
    const struct lkd_cycle *cycle = rig->loaded->cycle;

    lkd_log(LKD_LOG_INFO,
            "run ended: %" PRIu64 " steps, %" PRIu64 " cycles, %" PRIu64 " overruns, %" PRIu64
            " skipped, wake-up at most %.1f us, step at most %.1f us",
            f->step, f->cycles, f->overruns, f->skipped,
            (double)lkd_histogram_max(&cycle->wakeup) * 1e-3,
            (double)lkd_histogram_max(&cycle->compute) * 1e-3);
}

static void hold_latency(struct lkd_rig *rig)
{
    rig->latency_fd = lkd_realtime_hold_latency();
    if (rig->latency_fd < 0)
        lkd_log(LKD_LOG_INFO, "idle states stay as they are: /dev/cpu_dma_latency: %s",
                strerror(-rig->latency_fd));
}

static void release_latency(struct lkd_rig *rig)
{
    if (rig->latency_fd >= 0)
        close(rig->latency_fd);
    rig->latency_fd = -1;
}

/* The thread of the run ends; its figures stay. @next: the state after it.
 * Return: 0, -ETIMEDOUT. */
static int end_run(struct lkd_rig *rig, Linkage__V1__State next)
{
    if (!rig->runner.alive)
        return 0;
    if (lkd_runner_stop(&rig->runner)) {
        lkd_log(LKD_LOG_ERROR, "the cycle stands still and cannot be ended");
        return -ETIMEDOUT;
    }
    lkd_exchange_detach(rig->exchange, next);
    release_latency(rig);
    lkd_rig_refresh(rig);
    lkd_evidence_collect(&rig->evidence, rig->loaded->cycle, &rig->runner);
    report_run(rig);
    lkd_files_report(rig);
    return 0;
}

/* Back to t = 0, without a run. */
static void rewind_model(struct lkd_rig *rig)
{
    lkd_cycle_rewind(rig->loaded->cycle);
    take_figures(rig);
}

/* ---- arming ---- */

static int end_proof(struct lkd_rig *rig)
{
    if (lkd_runner_stop(&rig->runner))
        return -ETIMEDOUT;
    release_latency(rig);
    rewind_model(rig);
    return 0;
}

static void start_run(struct lkd_rig *rig, struct lkd_answer *a);

static void settle(struct lkd_rig *rig)
{
    struct lkd_answer a;

    lkd_log(rig->budget.valid ? LKD_LOG_NOTICE : LKD_LOG_WARNING, "%s: %s",
            rig->budget.valid ? "armed" : "not armed", rig->budget.text);
    enter(rig, rig->budget.valid ? ARMED : READY);
    if (!rig->start_armed)
        return;
    rig->start_armed = false;
    if (rig->budget.valid) {
        start_run(rig, &a);
        if (a.result == LINKAGE__V1__RESULT__RESULT_OK)
            return;
        lkd_log(LKD_LOG_ERROR, "start refused: %s", a.text);
    }
    rig->exit_status = LKD_EXIT_ERROR;
}

/* Return: whether the proof has come to its end. */
static bool finish_arming(struct lkd_rig *rig)
{
    struct lkd_cycle *cycle = rig->loaded->cycle;

    if (!atomic_load_explicit(&rig->proof.done, memory_order_acquire))
        return false;
    if (end_proof(rig))
        return false;
    lkd_budget_judge(&rig->proof, rig->loaded, rig->n_workers, rig->placement->n_workers,
                     rig->machine.n_degraded > 0, &rig->budget);
    cycle->wait.margin_ns = rig->budget.margin_ns;
    settle(rig);
    return true;
}

int lkd_rig_fini(struct lkd_rig *rig)
{
    int r =
        rig->state == ARMING ? end_proof(rig) : end_run(rig, rig->state == FAULT ? FAULT : READY);

    if (r)
        return r;
    lkd_inputs_attach(rig->inputs, NULL, 0);
    lkd_loaded_free(rig->loaded);
    rig->loaded = NULL;
    rig->state = EMPTY;
    return 0;
}

/* Wait until the cycle has honoured a pause, so that the reply shows where it stands; two periods
 * and some slack, then go on: the cycle will honour it anyway. */
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

/* All workers that there are, or those that the model pays for. */
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

    if (end_run(rig, READY)) { /* of a model in FAULT */
        lkd_loaded_free(loaded);
        answer(a, LINKAGE__V1__RESULT__RESULT_INTERNAL, "the last run cannot be ended");
        return;
    }
    if (lkd_inputs_attach(rig->inputs, loaded->cycle, loaded->model_id)) {
        lkd_loaded_free(loaded);
        answer(a, LINKAGE__V1__RESULT__RESULT_INTERNAL, "out of memory");
        return;
    }
    rig->loaded = loaded;
    rig->n_workers = count_workers(rig, loaded);
    lkd_loaded_free(old);
    rig->budget = (struct lkd_budget){0};
    rig->evidence = (struct lkd_evidence){0};
    rewind_model(rig);
    lkd_machine_judge(&rig->machine, rig->config, rig->placement, rig->n_workers, NULL);
    lkd_log(LKD_LOG_NOTICE,
            "model %s loaded: %d input and %d output scalars, period %.6g ms, workers: %d",
            loaded->name, loaded->cycle->n_inputs, loaded->cycle->n_outputs,
            (double)loaded->cycle->period_ns * 1e-6, rig->n_workers);
    enter(rig, READY);
    answer_ok(a);
}

static void refuse_model(int r, const struct lk_error *error, struct lkd_answer *a)
{
    if (r < 0)
        answer(a, LINKAGE__V1__RESULT__RESULT_INTERNAL, "%s", strerror(-r));
    else
        answer(a, LINKAGE__V1__RESULT__RESULT_BAD_MODEL, "%s", error->text);
    lkd_log(LKD_LOG_WARNING, "model refused: %s", a->text);
}

void lkd_rig_load(struct lkd_rig *rig, const char *name, const char *text, size_t size,
                  struct lkd_answer *ret_answer)
{
    struct lk_error error = {0};
    struct lkd_loaded *loaded;
    int r;

    if (!allowed(rig, "load", IN(EMPTY) | IN(READY) | IN(ARMED) | IN(FAULT), ret_answer))
        return;
    r = lkd_loaded_new(name, text, size, &rig->config->cycle, &loaded, &error);
    if (r)
        refuse_model(r, &error, ret_answer);
    else
        take_over(rig, loaded, ret_answer);
}

void lkd_rig_load_file(struct lkd_rig *rig, const char *path, struct lkd_answer *ret_answer)
{
    struct lk_error error = {0};
    struct lkd_loaded *loaded;
    int r;

    if (!allowed(rig, "load", IN(EMPTY) | IN(READY) | IN(ARMED) | IN(FAULT), ret_answer))
        return;
    r = lkd_loaded_new_file(path, &rig->config->cycle, &loaded, &error);
    if (r)
        refuse_model(r, &error, ret_answer);
    else
        take_over(rig, loaded, ret_answer);
}

/* Threads for a run or, with @proof, for its proof: stand, and are fit for it or allowed not to be.
 * Answers a refusal. */
static bool make_threads(struct lkd_rig *rig, struct lkd_proof *proof, struct lkd_answer *a)
{
    struct lkd_grant grant;
    int r;

    rewind_model(rig);
    r = lkd_runner_start(&rig->runner, rig->loaded->cycle, proof, rig->n_workers,
                         rig->placement->core, rig->config->wish.priority, &grant);
    if (r) {
        answer(a, LINKAGE__V1__RESULT__RESULT_INTERNAL,
               "the threads of the cycle did not start: %s", strerror(-r));
        return false;
    }
    lkd_machine_judge(&rig->machine, rig->config, rig->placement, rig->n_workers, &grant);
    for (int i = 0; i < rig->machine.n_degraded; i++)
        lkd_log(LKD_LOG_WARNING, "degraded: %s", rig->machine.degraded[i]);
    if (rig->machine.n_degraded > 0 && !rig->allow_degraded) {
        lkd_runner_stop(&rig->runner);
        answer(a, LINKAGE__V1__RESULT__RESULT_NO_REALTIME,
               "the machine is not fit for real time: %s%s; linkage doctor says more; a degraded "
               "run has to be asked for",
               rig->machine.degraded[0], rig->machine.n_degraded > 1 ? " (and more)" : "");
        return false;
    }
    hold_latency(rig);
    return true;
}

static void start_run(struct lkd_rig *rig, struct lkd_answer *a)
{
    struct lkd_loaded *loaded = rig->loaded;

    if (!make_threads(rig, NULL, a))
        return;
    lkd_inputs_begin(rig->inputs);
    lkd_evidence_begin(&rig->evidence);
    rig->n_traces = 0;
    rig->trace_due_ns = 0;
    rig->traced = 0;
    lkd_exchange_attach(rig->exchange, loaded->cycle, loaded->model_id,
                        rig->machine.n_degraded > 0);
    lkd_runner_go(&rig->runner);
    rig->moved_ns = rig->watched_ns = lkd_clock_ns();
    rig->stuck = false;
    enter(rig, RUNNING);
    answer_ok(a);
}

void lkd_rig_arm(struct lkd_rig *rig, bool allow_degraded, uint64_t steps,
                 struct lkd_answer *ret_answer)
{
    const struct lkd_config *config = rig->config;

    if (!allowed(rig, "arm", IN(READY) | IN(ARMED), ret_answer))
        return;
    lkd_proof_init(&rig->proof, steps ? steps : config->proof_steps, config->proof_time_ns);
    rig->budget = (struct lkd_budget){0};
    rig->allow_degraded = config->allow_degraded || allow_degraded;
    if (!make_threads(rig, &rig->proof, ret_answer)) {
        if (rig->state != READY)
            enter(rig, READY);
        return;
    }
    lkd_runner_go(&rig->runner);
    enter(rig, ARMING);
    answer_ok(ret_answer);
}

void lkd_rig_start(struct lkd_rig *rig, struct lkd_answer *ret_answer)
{
    if (!allowed(rig, "start", IN(ARMED) | IN(PAUSED), ret_answer))
        return;
    if (rig->state == ARMED) {
        start_run(rig, ret_answer);
        return;
    }
    lkd_cycle_ask(rig->loaded->cycle, LKD_ASK_RUN);
    enter(rig, RUNNING);
    answer_ok(ret_answer);
}

void lkd_rig_pause(struct lkd_rig *rig, struct lkd_answer *ret_answer)
{
    if (!allowed(rig, "pause", IN(RUNNING), ret_answer))
        return;
    lkd_cycle_ask(rig->loaded->cycle, LKD_ASK_PAUSE);
    await_pause(rig);
    if (rig->state == RUNNING)
        enter(rig, PAUSED);
    answer_ok(ret_answer);
}

static void answer_stuck(struct lkd_answer *a)
{
    answer(a, LINKAGE__V1__RESULT__RESULT_INTERNAL,
           "the cycle stands still and cannot be ended; restart the daemon");
}

void lkd_rig_stop(struct lkd_rig *rig, struct lkd_answer *ret_answer)
{
    bool runs;

    if (!allowed(rig, "stop", IN(ARMING) | IN(ARMED) | IN(RUNNING) | IN(PAUSED), ret_answer))
        return;
    runs = is_live(rig);
    if (rig->state == ARMING ? end_proof(rig) : end_run(rig, ARMED)) {
        answer_stuck(ret_answer);
        return;
    }
    lkd_inputs_clear(rig->inputs);
    if (rig->state != FAULT) /* the last cycle may have failed */
        enter(rig, runs ? ARMED : READY);
    answer_ok(ret_answer);
}

void lkd_rig_reset(struct lkd_rig *rig, struct lkd_answer *ret_answer)
{
    Linkage__V1__State next = rig->state == PAUSED || rig->state == ARMED ? ARMED : READY;

    if (!allowed(rig, "reset", IN(READY) | IN(ARMED) | IN(PAUSED) | IN(FAULT), ret_answer))
        return;
    if (end_run(rig, next)) {
        answer_stuck(ret_answer);
        return;
    }
    lkd_inputs_clear(rig->inputs);
    rewind_model(rig);
    if (rig->state != next)
        enter(rig, next);
    answer_ok(ret_answer);
}

static const struct lk_channel *find_channel(const struct lkd_rig *rig, const char *name)
{
    const struct lk_channel *channels;
    int n;

    channels = lk_system_input_channels(rig->loaded->system, &n);
    for (int i = 0; i < n; i++)
        if (strcmp(channels[i].name, name) == 0)
            return &channels[i];
    return NULL;
}

void lkd_rig_set(struct lkd_rig *rig, const char *channel, const double *values, size_t n,
                 struct lkd_answer *ret_answer)
{
    const struct lk_channel *found;
    int r;

    if (!allowed(rig, "set", IN(READY) | IN(ARMED) | IN(RUNNING) | IN(PAUSED), ret_answer))
        return;
    found = find_channel(rig, channel);
    if (!found) {
        answer(ret_answer, LINKAGE__V1__RESULT__RESULT_UNKNOWN_CHANNEL, "no input named '%s'",
               channel);
        return;
    }
    if (n != (size_t)found->size) {
        answer(ret_answer, LINKAGE__V1__RESULT__RESULT_BAD_VALUE, "%s takes %d values, not %zu",
               channel, found->size, n);
        return;
    }
    r = lkd_inputs_set(rig->inputs, (size_t)found->offset, values, n);
    if (r)
        answer(ret_answer, LINKAGE__V1__RESULT__RESULT_BAD_VALUE, "%s: %s", channel,
               lkd_input_status_text(r));
    else
        answer_ok(ret_answer);
}
