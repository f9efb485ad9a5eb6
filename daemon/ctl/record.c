/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"
#include "cueing/ride_numbers.h"
#include "linkage/build.h"
#include "linkage/file.h"
#include "linkage/version.h"
#include "log.h"
#include "names.h"
#include "outgoing.h"
#include "recorder.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Largest size of a configuration that is attached to recordings [bytes]. */
#define CONFIG_MAX (1u << 20)
/* Number of attempts to find an unused name, if the name derived from model and time exists. */
#define TRIES 100
/* Longest wait of the cycle for the disk at the end of its run [ns]. */
#define LAST_WAIT_NS INT64_C(2000000000)

/* ---- the thread ---- */

/* Read the text of the configuration.
 * Return: the text, to be freed; NULL: recordings will not contain it. */
static char *read_config(const char *path)
{
    char *text = NULL;
    size_t n = 0;

    if (path && lk_file_read(path, CONFIG_MAX - 1, &text, &n) == 0 && n > 0)
        return text;
    free(text);
    return NULL;
}

int lkd_record_open(struct lkd_rig *rig, const char *config_path)
{
    if (!*rig->config->record.directory)
        return 0;
    rig->config_text = read_config(config_path);
    return lkd_recorder_new(&rig->config->record, &rig->recorder);
}

void lkd_record_close(struct lkd_rig *rig)
{
    lkd_recorder_free(rig->recorder);
    rig->recorder = NULL;
    free(rig->config_text);
    rig->config_text = NULL;
}

/* ---- metadata of a recording ---- */

/* struct facts - metadata of a recording, with memory for formatted entries. */
struct facts {
    struct lkd_take_source source;
    char text[8][64];
    int n_texts;
};

static void add_fact(struct facts *facts, const char *key, const char *value)
{
    if (facts->source.n_pairs < LKD_TAKE_PAIRS_MAX)
        facts->source.pair[facts->source.n_pairs++] = (struct lk_mcap_pair){key, value};
}

static void add_made(struct facts *facts, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_made(struct facts *facts, const char *key, const char *format, ...)
{
    char *text = facts->text[facts->n_texts++];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(facts->text[0]), format, args);
    va_end(args);
    add_fact(facts, key, text);
}

static const char *word_of(enum lk_host_known value)
{
    return value == LK_HOST_YES ? "yes" : value == LK_HOST_NO ? "no" : "unknown";
}

static void add_host(struct facts *facts, const struct lk_host *host)
{
    add_fact(facts, "host_kernel", host->kernel);
    add_fact(facts, "host_realtime", word_of(host->realtime));
    add_fact(facts, "host_processor", host->processor);
    add_fact(facts, "host_virtual_machine", word_of(host->virtual_machine));
    add_fact(facts, "host_clocksource", host->clocksource);
}

static void add_platform(struct lkd_take_platform *platform, struct lkd_exchange *exchange)
{
    platform->queue = lkd_exchange_platform_queue(exchange);
    platform->step = lk_ride_step_channels(&platform->n_step);
    platform->whole = lk_ride_whole_channels(&platform->n_whole);
    platform->moved = LK_RIDE_N_GAINS;
}

static void gather_facts(const struct lkd_rig *rig, struct facts *facts)
{
    const struct lkd_loaded *loaded = rig->loaded;
    struct lkd_take_source *s = &facts->source;
    uint32_t roads;

    *facts = (struct facts){0};
    s->model = loaded->name;
    s->step_s = lk_system_step_size(loaded->system);
    s->inputs = lk_system_input_channels(loaded->system, &s->n_inputs);
    s->outputs = lk_system_output_channels(loaded->system, &s->n_outputs);
    s->text = loaded->text;
    s->text_size = loaded->text_size;
    s->config = rig->config_text;
    s->config_size = rig->config_text ? strlen(rig->config_text) : 0;
    add_platform(&s->platform, rig->exchange);
    add_fact(facts, "version", LK_VERSION);
    add_fact(facts, "model", loaded->name);
    add_made(facts, "model_crc32", "%08" PRIx32, lk_mcap_crc(s->text, s->text_size));
    if (lk_model_files(loaded->model, &roads) > 0)
        add_made(facts, LK_RECORDING_ROADS, "%08" PRIx32, roads);
    if (*loaded->values)
        add_fact(facts, LK_RECORDING_VALUES, loaded->values);
    add_made(facts, "model_id", "%" PRIu64, loaded->model_id);
    add_made(facts, "step_s", "%.17g", s->step_s);
    add_made(facts, "period_ns", "%" PRId64, loaded->cycle->period_ns);
    add_made(facts, "workers", "%d", rig->n_workers);
    add_fact(facts, "engine", lk_system_engine(loaded->system));
    add_fact(facts, "build", lk_build_id());
    add_fact(facts, "compiler", lk_build_compiler());
    add_fact(facts, "compiler_flags", lk_build_flags());
    add_fact(facts, "libm", lk_build_libm());
    add_fact(facts, "mode", lk_names_mode(lkd_outgoing_mode(rig->mode)));
    add_host(facts, &rig->machine.host);
}

/* ---- begin and end ---- */

/* Make a file name in the form of reports, MODEL-20260301T120000Z.
 * @try: number of the attempt, from 0 */
static void make_name(const struct lkd_rig *rig, int try, char *ret, size_t size)
{
    time_t now = time(NULL);
    char utc[24];
    struct tm tm;

    gmtime_r(&now, &tm);
    strftime(utc, sizeof(utc), "%Y%m%dT%H%M%SZ", &tm);
    if (try == 0)
        snprintf(ret, size, "%s-%s", rig->loaded->name, utc);
    else
        snprintf(ret, size, "%s-%s-%d", rig->loaded->name, utc, try + 1);
}

/* Begin a recording.
 * Return: 0, or an error, see lkd_recorder_begin(). */
static int begin_recording(struct lkd_rig *rig, const char *name, struct lk_error *error)
{
    struct lkd_spsc *queue = &rig->loaded->cycle->queue;
    char made[LKD_RECORDING_NAME_SIZE];
    struct facts facts;
    int r = -EEXIST;

    gather_facts(rig, &facts);
    atomic_store(&queue->wait, rig->mode != LKD_MODE_REALTIME);
    if (*name)
        return lkd_recorder_begin(rig->recorder, name, queue, &facts.source, error);
    for (int i = 0; i < TRIES && r == -EEXIST; i++) {
        make_name(rig, i, made, sizeof(made));
        r = lkd_recorder_begin(rig->recorder, made, queue, &facts.source, error);
    }
    return r;
}

void lkd_record_begin(struct lkd_rig *rig, const char *name, struct lkd_answer *a)
{
    struct lk_error error = {0};

    if (!rig->loaded || rig->state == LINKAGE__V1__STATE__STATE_FAULT)
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_WRONG_STATE,
                       "record is not allowed in state %s%s", lkd_rig_state_name(rig->state),
                       rig->loaded ? ", reset first" : ", load a model first");
    else if (!rig->recorder)
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_NO_RECORDER,
                       "no folder for recordings, expected record: {directory: PATH} in the "
                       "configuration");
    else if (begin_recording(rig, name, &error))
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_NO_RECORDER, "%s", error.text);
}

void lkd_record_end(struct lkd_rig *rig, struct lkd_answer *a)
{
    struct lkd_recording recording;

    lkd_recorder_state(rig->recorder, &recording);
    if (!recording.active)
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_WRONG_STATE, "nothing is being recorded");
    else if (!lkd_recorder_end(rig->recorder))
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_OK,
                       "%s is still being written: the disk takes its time", recording.file);
}

void lkd_record_run_begins(struct lkd_rig *rig)
{
    struct lkd_recording recording;
    struct lk_error error = {0};

    rig->trips = 0;
    if (!rig->recorder)
        return;
    lkd_recorder_state(rig->recorder, &recording);
    /* A recording may have begun before the run was armed, in another mode. In real time the cycle
     * never waits for the disk; in other modes no cycle is dropped. */
    if (recording.active)
        atomic_store(&rig->loaded->cycle->queue.wait, rig->mode != LKD_MODE_REALTIME);
    if (rig->config->record.autostart && !recording.active && begin_recording(rig, "", &error))
        lkd_log(LKD_C_RECORDING_FAILED, "this run is not recorded: %s", error.text);
}

void lkd_record_run_ends(struct lkd_rig *rig)
{
    struct lkd_spsc *queue = &rig->loaded->cycle->queue;
    const struct timespec nap = {.tv_nsec = 1000000};
    int64_t until_ns = lkd_clock_ns() + LAST_WAIT_NS;

    if (!rig->recorder)
        return;
    lkd_recorder_event(rig->recorder, rig->figures.step, "run", "the run ends");
    if (!atomic_load(&queue->wait))
        return;
    lkd_cycle_ask(rig->loaded->cycle, LKD_ASK_END);
    while (atomic_load(&queue->waiting) && lkd_clock_ns() < until_ns)
        nanosleep(&nap, NULL);
    atomic_store(&queue->wait, false);
}

void lkd_record_run_over(struct lkd_rig *rig)
{
    if (rig->recorder)
        lkd_recorder_end(rig->recorder);
}

/* ---- events ---- */

/* Record changes of the state of the platform, and the reason of its end. Short states may be
 * missed between two polls. */
static void watch_platform(struct lkd_rig *rig)
{
    struct lkd_cueing cueing;
    enum lk_ride_state state;
    bool ends;

    if (!rig->config->cueing.present)
        return;
    lkd_exchange_platform(rig->exchange, LKD_PLATFORM_SHOW, &cueing);
    state = cueing.ride.state;
    if (state == rig->platform)
        return;
    rig->platform = state;
    ends = state == LK_RIDE_HOLDING || state == LK_RIDE_SETTLING;
    lkd_recorder_event(rig->recorder, rig->figures.step, "platform", "%s%s%s",
                       lk_ride_state_name(state), ends ? ": " : "",
                       ends ? lk_ride_cause_text(cueing.ride.cause) : "");
}

static void watch_trips(struct lkd_rig *rig)
{
    const struct lkd_guard *guard = &rig->loaded->cycle->guard;
    const struct lk_channel *channels;
    uint64_t trips = 0;
    int n;

    for (int i = 0; i < guard->n_channels; i++)
        trips += atomic_load_explicit(&guard->channel[i].trips, memory_order_relaxed);
    if (trips == rig->trips)
        return;
    rig->trips = trips;
    channels = lk_system_input_channels(rig->loaded->system, &n);
    for (int i = 0; i < guard->n_channels && i < n; i++) {
        const struct lkd_guarded *c = &guard->channel[i];
        int action = atomic_load_explicit(&c->acting_action, memory_order_acquire);
        int condition = atomic_load_explicit(&c->acting_condition, memory_order_relaxed);

        if (action != LKD_ACTION_COUNT)
            lkd_recorder_event(rig->recorder,
                               atomic_load_explicit(&c->trip_step, memory_order_relaxed), "trip",
                               "%s: %s, because of: %s", channels[i].name,
                               lk_names_action(lkd_outgoing_action((enum lkd_action)action)),
                               lk_names_condition((Linkage__V1__Condition)(condition + 1)));
    }
}

void lkd_record_watch(struct lkd_rig *rig)
{
    if (!rig->recorder)
        return;
    watch_platform(rig);
    watch_trips(rig);
}

void lkd_record_state(struct lkd_rig *rig, const char *from, const char *to)
{
    lkd_recorder_event(rig->recorder, rig->figures.step, "state", "%s -> %s", from, to);
}

void lkd_record_fault(struct lkd_rig *rig)
{
    lkd_recorder_event(rig->recorder, rig->figures.step, "fault", "%s", rig->fault);
    lkd_record_run_over(rig);
}

/* ---- status ---- */

int lkd_record_reply(const struct lkd_rig *rig, struct lk_wire_arena *arena,
                     Linkage__V1__Recording **ret_recording)
{
    Linkage__V1__Recording *r = lk_wire_arena_take(arena, sizeof(*r));
    struct lkd_recording now;

    if (!r)
        return -ENOMEM;
    lkd_recorder_state(rig->recorder, &now);
    linkage__v1__recording__init(r);
    r->active = now.active;
    r->file = lk_wire_arena_format(arena, "%s", now.file);
    r->trouble = lk_wire_arena_format(arena, "%s", now.trouble);
    r->cycles = now.cycles;
    r->dropped = now.dropped;
    r->bytes = now.bytes;
    r->begins_at_step = now.begins_at_step;
    *ret_recording = r;
    return r->file && r->trouble ? 0 : -ENOMEM;
}
