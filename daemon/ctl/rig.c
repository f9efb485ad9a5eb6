/* SPDX-License-Identifier: Apache-2.0 */
#include "rig.h"
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
    answer(a, LINKAGE__V1__RESULT__RESULT_WRONG_STATE, "%s is not allowed in state %s", command,
           lkd_rig_state_name(rig->state));
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

/* ---- what was not granted ---- */

static void degrade(struct lkd_rig *rig, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void degrade(struct lkd_rig *rig, const char *format, ...)
{
    va_list args;

    if (rig->n_degraded == LKD_DEGRADED_MAX)
        return;
    va_start(args, format);
    vsnprintf(rig->degraded[rig->n_degraded++], sizeof(rig->degraded[0]), format, args);
    va_end(args);
}

static void judge(struct lkd_rig *rig, const struct lkd_grant *grant)
{
    rig->n_degraded = 0;
    if (rig->memory_error)
        degrade(rig, "memory is not locked: %s", strerror(-rig->memory_error));
    if (!grant)
        return;
    if (grant->priority_error)
        degrade(rig, "no real-time priority %d: %s", rig->config->wish.priority,
                strerror(-grant->priority_error));
    if (grant->core_error && grant->core_worker > 0)
        degrade(rig, "worker %d is not pinned to core %d: %s", grant->core_worker + 1,
                rig->placement->core[grant->core_worker], strerror(-grant->core_error));
    else if (grant->core_error)
        degrade(rig, "the cycle is not pinned to core %d: %s", rig->placement->core[0],
                strerror(-grant->core_error));
    else if (rig->config->wish.core == LKD_CORE_AUTO && rig->placement->core[0] == LKD_CORE_NONE)
        degrade(rig, "the cycle has no core of its own: there is only one");
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
        .memory_error = memory_error,
        .latency_fd = -1,
        .state = EMPTY,
    };
    judge(rig, NULL);
}

static void describe_fault(struct lkd_rig *rig)
{
    const struct lkd_figures *f = &rig->figures;

    if (f->fault == LKD_FAULT_RESIDUAL)
        snprintf(rig->fault, sizeof(rig->fault),
                 "step %" PRIu64 ": a joint is violated by %.3g m or rad, more than the limit of "
                 "%.3g",
                 f->step + 1, f->health.residual_position, rig->config->residual_position);
    else if (f->fault == LKD_FAULT_TURN)
        snprintf(rig->fault, sizeof(rig->fault),
                 "step %" PRIu64
                 ": a body would turn by more than half a turn, the step is too long "
                 "for it",
                 f->step + 1);
    else
        snprintf(rig->fault, sizeof(rig->fault),
                 "step %" PRIu64 " gave a value that is not a finite number", f->step + 1);
}

bool lkd_rig_refresh(struct lkd_rig *rig)
{
    if (!rig->loaded)
        return false;
    if (lkd_mailbox_take(&rig->loaded->cycle->status))
        rig->figures = *(const struct lkd_figures *)lkd_mailbox_front(&rig->loaded->cycle->status);
    if (rig->figures.state != LKD_CYCLE_FAULT || !(IN(rig->state) & (IN(RUNNING) | IN(PAUSED))))
        return false;
    describe_fault(rig);
    lkd_log(LKD_LOG_ERROR, "fault: %s", rig->fault);
    enter(rig, FAULT);
    return true;
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

/* The thread of the run ends; its figures stay. */
static void end_run(struct lkd_rig *rig)
{
    if (!rig->runner.alive)
        return;
    lkd_runner_stop(&rig->runner);
    lkd_exchange_detach(rig->exchange);
    if (rig->latency_fd >= 0)
        close(rig->latency_fd);
    rig->latency_fd = -1;
    lkd_rig_refresh(rig);
    report_run(rig);
}

/* Back to t = 0, without a run. */
static void rewind_model(struct lkd_rig *rig)
{
    lkd_cycle_rewind(rig->loaded->cycle);
    lkd_rig_refresh(rig);
}

void lkd_rig_fini(struct lkd_rig *rig)
{
    end_run(rig);
    lkd_inputs_attach(rig->inputs, NULL, 0);
    lkd_loaded_free(rig->loaded);
    rig->loaded = NULL;
    rig->state = EMPTY;
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

    end_run(rig); /* of a model in FAULT */
    if (lkd_inputs_attach(rig->inputs, loaded->cycle, loaded->model_id)) {
        lkd_loaded_free(loaded);
        answer(a, LINKAGE__V1__RESULT__RESULT_INTERNAL, "out of memory");
        return;
    }
    rig->loaded = loaded;
    rig->n_workers = count_workers(rig, loaded);
    lkd_loaded_free(old);
    rewind_model(rig);
    judge(rig, NULL);
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

    if (!allowed(rig, "load", IN(EMPTY) | IN(READY) | IN(FAULT), ret_answer))
        return;
    r = lkd_loaded_new(name, text, size, rig->config->residual_position, &loaded, &error);
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

    if (!allowed(rig, "load", IN(EMPTY) | IN(READY) | IN(FAULT), ret_answer))
        return;
    r = lkd_loaded_new_file(path, rig->config->residual_position, &loaded, &error);
    if (r)
        refuse_model(r, &error, ret_answer);
    else
        take_over(rig, loaded, ret_answer);
}

static void start_run(struct lkd_rig *rig, struct lkd_answer *a)
{
    struct lkd_loaded *loaded = rig->loaded;
    struct lkd_grant grant;
    int r;

    rewind_model(rig);
    r = lkd_runner_start(&rig->runner, loaded->cycle, rig->n_workers, rig->placement->core,
                         rig->config->wish.priority, &grant);
    if (r) {
        answer(a, LINKAGE__V1__RESULT__RESULT_INTERNAL,
               "the threads of the cycle did not start: %s", strerror(-r));
        return;
    }
    judge(rig, &grant);
    for (int i = 0; i < rig->n_degraded; i++)
        lkd_log(LKD_LOG_WARNING, "degraded: %s", rig->degraded[i]);
    if (rig->n_degraded > 0 && rig->config->require_realtime) {
        lkd_runner_stop(&rig->runner);
        answer(a, LINKAGE__V1__RESULT__RESULT_NO_REALTIME, "%s", rig->degraded[0]);
        return;
    }

    rig->latency_fd = lkd_realtime_hold_latency();
    if (rig->latency_fd < 0)
        lkd_log(LKD_LOG_INFO, "idle states stay as they are: /dev/cpu_dma_latency: %s",
                strerror(-rig->latency_fd));
    lkd_inputs_begin(rig->inputs);
    lkd_exchange_attach(rig->exchange, loaded->cycle, loaded->model_id, rig->n_degraded > 0);
    lkd_runner_go(&rig->runner);
    enter(rig, RUNNING);
    answer_ok(a);
}

void lkd_rig_start(struct lkd_rig *rig, struct lkd_answer *ret_answer)
{
    if (!allowed(rig, "start", IN(READY) | IN(PAUSED), ret_answer))
        return;
    if (rig->state == READY) {
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

void lkd_rig_stop(struct lkd_rig *rig, struct lkd_answer *ret_answer)
{
    if (!allowed(rig, "stop", IN(RUNNING) | IN(PAUSED), ret_answer))
        return;
    end_run(rig);
    lkd_inputs_clear(rig->inputs);
    if (rig->state != FAULT) /* the last cycle may have failed */
        enter(rig, READY);
    answer_ok(ret_answer);
}

void lkd_rig_reset(struct lkd_rig *rig, struct lkd_answer *ret_answer)
{
    if (!allowed(rig, "reset", IN(READY) | IN(PAUSED) | IN(FAULT), ret_answer))
        return;
    end_run(rig);
    lkd_inputs_clear(rig->inputs);
    rewind_model(rig);
    if (rig->state != READY)
        enter(rig, READY);
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

    if (!allowed(rig, "set", IN(READY) | IN(RUNNING) | IN(PAUSED), ret_answer))
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
