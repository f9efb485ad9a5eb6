/* SPDX-License-Identifier: Apache-2.0 */
#include "inject.h"
#include "inject_check.h"
#include "inject_queue.h"
#include "inputs.h"
#include "log.h"
#include "names.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OK LINKAGE__V1__RESULT__RESULT_OK

#define KIND(name) LINKAGE__V1__INJECTION_KIND__INJECTION_##name

#define QUEUE_BYTES (4u << 20)
#define SLOTS_MIN   16u
#define SLOTS_MAX   1024u

/* Time for which samples are marked before and after a stall, so that no cycle stalls without the
 * mark. It is at least two periods: a cycle reads mark and stall at its beginning, and the next
 * cycle detects that it was late. */
#define MARK_NS INT64_C(10000000)

static int64_t mark_ns(const struct lkd_cycle *cycle)
{
    return cycle && 2 * cycle->period_ns > MARK_NS ? 2 * cycle->period_ns : MARK_NS;
}

int lkd_injector_init(struct lkd_injector *injector, const struct lk_channel *channels,
                      int n_channels, size_t n_values)
{
    size_t width = lkd_queue_width(n_values), n = QUEUE_BYTES / (width * sizeof(double));
    struct lkd_injector fresh = {
        .channels = channels,
        .n_channels = n_channels,
        .n_values = n_values,
        .n_slots = n < SLOTS_MIN   ? SLOTS_MIN
                   : n > SLOTS_MAX ? SLOTS_MAX
                                   : n,
    };

    fresh.held = calloc(fresh.n_slots, sizeof(*fresh.held));
    fresh.held_values = calloc(fresh.n_slots * width, sizeof(double));
    fresh.room = calloc(width, sizeof(double));
    fresh.first = calloc(LKD_INJECTIONS_MAX * width, sizeof(double));
    fresh.frozen = calloc(LKD_INJECTIONS_MAX * ((size_t)n_channels + 1), sizeof(bool));
    if (!fresh.held || !fresh.held_values || !fresh.room || !fresh.first || !fresh.frozen) {
        lkd_injector_fini(&fresh);
        return -ENOMEM;
    }
    for (size_t i = 0; i < LKD_INJECTIONS_MAX; i++) {
        fresh.source[i].first = fresh.first + i * width;
        fresh.source[i].frozen = fresh.frozen + i * ((size_t)n_channels + 1);
    }
    *injector = fresh;
    return 0;
}

void lkd_injector_fini(struct lkd_injector *injector)
{
    free(injector->held);
    free(injector->held_values);
    free(injector->room);
    free(injector->first);
    free(injector->frozen);
    *injector = (struct lkd_injector){0};
}

/* ---- the list of faults ---- */

static const char *target_of(const struct lkd_injection *what)
{
    return *what->target ? what->target : "all";
}

static void tell_begin(const struct lkd_injection *what)
{
    lkd_log(LKD_C_INJECTING, "injection %u begins: %s, %g, of %s", what->number,
            lk_names_injection(what->kind), what->amount, target_of(what));
}

static void end_source(struct lkd_fault_source *source)
{
    if (source->what.active)
        lkd_log(LKD_C_INJECTED, "injection %u is over: %s of %s, %" PRIu64 " %s touched",
                source->what.number, lk_names_injection(source->what.kind),
                target_of(&source->what), source->what.count,
                source->what.kind == KIND(STALL) ? "cycles" : "samples");
    source->what.active = false;
    source->over = true;
}

/* Release samples that wait for the next sample of their bench. */
static void release_waiting(struct lkd_injector *injector, int64_t now_ns)
{
    for (size_t i = 0; i < injector->n_slots; i++) {
        struct lkd_held *held = &injector->held[i];

        if (held->used && held->waiting && held->due_ns < now_ns)
            held->due_ns = now_ns;
        held->waiting = false;
    }
}

static void end_all(struct lkd_injector *injector)
{
    for (int i = 0; i < injector->n_sources; i++)
        end_source(&injector->source[i]);
    injector->n_sources = 0;
    if (injector->stalled) /* discard requests that the cycle has not read yet */
        atomic_store_explicit(&injector->stalled->stall_ns, 0, memory_order_relaxed);
    injector->stalled = NULL;
}

void lkd_injector_stop(struct lkd_injector *injector)
{
    end_all(injector);
    for (size_t i = 0; i < injector->n_slots; i++)
        injector->held[i].used = false;
    injector->n_held = 0;
}

static void clear_sources(struct lkd_injector *injector, int64_t now_ns)
{
    end_all(injector);
    for (size_t i = 0; i < injector->n_slots; i++)
        if (injector->held[i].due_ns > now_ns)
            injector->held[i].due_ns = now_ns;
    release_waiting(injector, now_ns);
}

/* Make room for @n more injections by removing finished ones, whose memory moves to the end of the
 * array. */
static void forget_over(struct lkd_injector *injector, size_t n)
{
    for (int i = 0; i < injector->n_sources && (size_t)injector->n_sources + n > LKD_INJECTIONS_MAX;
         i++) {
        struct lkd_fault_source old = injector->source[i];

        if (!old.over)
            continue;
        memmove(&injector->source[i], &injector->source[i + 1],
                (size_t)(LKD_INJECTIONS_MAX - 1 - i) * sizeof(old));
        injector->source[LKD_INJECTIONS_MAX - 1] = old;
        injector->n_sources--;
        i--;
    }
}

static int64_t after(int64_t ns, double s)
{
    return ns + (int64_t)(s * 1e9);
}

static void append_source(struct lkd_injector *injector, const struct lkd_injection *add,
                          int64_t now_ns)
{
    struct lkd_fault_source *source = &injector->source[injector->n_sources++];

    source->what = *add;
    source->what.number = ++injector->numbers;
    source->what.active = false;
    source->what.count = 0;
    source->channel = lk_channel_index(injector->channels, injector->n_channels, add->target);
    source->begin_ns = after(now_ns, add->after_s);
    source->end_ns = add->for_s > 0 ? after(source->begin_ns, add->for_s) : INT64_MAX;
    source->due_ns = source->begin_ns;
    source->random = add->seed;
    source->over = false;
    memset(source->frozen, 0, (size_t)injector->n_channels * sizeof(bool));
}

Linkage__V1__Result lkd_injector_add(struct lkd_injector *injector, const struct lkd_claims *claims,
                                     bool clear_first, const struct lkd_injection *add, size_t n,
                                     int64_t now_ns, struct lk_error *error)
{
    size_t there = 0;

    for (int i = 0; i < injector->n_sources && !clear_first; i++)
        there += !injector->source[i].over;
    if (there + n > LKD_INJECTIONS_MAX) {
        lk_error_set(error, "%zu injections, expected at most %d at a time", there + n,
                     LKD_INJECTIONS_MAX);
        return LINKAGE__V1__RESULT__RESULT_BAD_VALUE;
    }
    for (size_t i = 0; i < n; i++) {
        Linkage__V1__Result result = lkd_injection_check(&add[i], claims, error);

        if (result != OK)
            return result;
    }
    if (clear_first)
        clear_sources(injector, now_ns);
    forget_over(injector, n);
    for (size_t i = 0; i < n; i++)
        append_source(injector, &add[i], now_ns);
    return OK;
}

/* ---- schedules ---- */

/* Request a stall from the cycle. The next stall is requested after the previous one is done. */
static void stall_cycle(struct lkd_injector *injector, struct lkd_fault_source *source,
                        struct lkd_cycle *cycle, int64_t now_ns)
{
    int64_t ns = (int64_t)(source->what.amount * 1e9);

    if (!cycle || now_ns < source->due_ns ||
        atomic_load_explicit(&cycle->stall_ns, memory_order_relaxed) != 0)
        return;
    if (source->what.every_s == 0 && source->what.count > 0) {
        end_source(source);
        return;
    }
    injector->stalled = cycle;
    atomic_store_explicit(&cycle->stall_ns, ns, memory_order_relaxed);
    source->what.count++;
    source->due_ns = source->what.every_s > 0 ? after(source->due_ns, source->what.every_s)
                                              : now_ns + ns + mark_ns(cycle);
    if (source->due_ns < now_ns)
        source->due_ns = now_ns;
}

static void follow_source(struct lkd_injector *injector, struct lkd_fault_source *source,
                          struct lkd_cycle *cycle, int64_t now_ns)
{
    if (source->over || now_ns < source->begin_ns)
        return;
    if (now_ns >= source->end_ns) {
        end_source(source);
        if (source->what.kind == KIND(REORDER))
            release_waiting(injector, now_ns);
        return;
    }
    if (!source->what.active) {
        source->what.active = true;
        source->due_ns = now_ns + mark_ns(cycle);
        tell_begin(&source->what);
    }
    if (source->what.kind == KIND(STALL))
        stall_cycle(injector, source, cycle, now_ns);
}

bool lkd_injector_follow(struct lkd_injector *injector, struct lkd_cycle *cycle, int64_t now_ns)
{
    bool active = injector->n_held > 0;

    for (int i = 0; i < injector->n_sources; i++) {
        follow_source(injector, &injector->source[i], cycle, now_ns);
        active = active || injector->source[i].what.active;
    }
    return active;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t lkd_injector_due_ns(const struct lkd_injector *injector)
{
    int64_t due_ns = INT64_MAX;

    for (int i = 0; i < injector->n_sources; i++) {
        const struct lkd_fault_source *source = &injector->source[i];

        if (!source->over && !source->what.active)
            due_ns = earlier(due_ns, source->begin_ns);
        else if (!source->over)
            due_ns = earlier(due_ns, source->end_ns);
    }
    for (size_t i = 0; injector->n_held > 0 && i < injector->n_slots; i++)
        if (injector->held[i].used && !injector->held[i].waiting)
            due_ns = earlier(due_ns, injector->held[i].due_ns);
    return due_ns;
}

/* ---- a sample ---- */

/* Return a random number in [0, 1): SplitMix64 (Steele, Lea, Flood 2014). */
static double draw_number(struct lkd_fault_source *source)
{
    uint64_t z = source->random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/** struct passage - a sample during injection.
 * @claim:  claim of the sample; NULL: a sample without a token
 * @whole:  the number of values is right, so that they can be assigned to channels
 * @due_ns: time at which the sample is passed on
 * @swap:   exchange the sample with the next one of its bench */
struct passage {
    const struct lkd_claims *claims;
    const struct lkd_claim *claim;
    int place;
    struct lkd_sample *sample;
    bool whole;
    int64_t due_ns;
    bool swap;
};

static bool is_meant(const struct lkd_fault_source *source, const struct passage *p)
{
    return !*source->what.target || (p->claim && strcmp(source->what.target, p->claim->bench) == 0);
}

static bool concerns_bench(const struct lkd_fault_source *source, const struct passage *p)
{
    if (is_meant(source, p))
        return true;
    return source->channel >= 0 && p->claims->owner[source->channel] == p->place;
}

/* Copy the values and slopes of the sample to @room, so that they can be modified. */
static void move_to_room(struct lkd_injector *injector, struct lkd_sample *sample)
{
    if (sample->values != injector->room)
        lkd_queue_copy(injector->room, injector->n_values, sample);
}

/* Change the values of the selected channels. A frozen value has no slope. */
static void touch_values(struct lkd_injector *injector, struct lkd_fault_source *source,
                         struct passage *p)
{
    bool all = is_meant(source, p) && source->what.kind != KIND(SPIKE);
    int n = p->claim ? p->claim->n_channels : injector->n_channels;
    double *v = injector->room;

    move_to_room(injector, p->sample);
    for (int i = 0; i < n; i++) {
        int channel = p->claim ? p->claim->channel[i] : i;
        const struct lk_channel *c = &injector->channels[channel];
        double *first = source->first + c->offset;
        size_t bytes = (size_t)c->size * sizeof(double);

        if (!all && channel != source->channel) {
            v += c->size;
            continue;
        }
        if (source->what.kind == KIND(SPIKE))
            for (int j = 0; j < c->size; j++)
                v[j] += source->what.amount;
        else if (source->frozen[channel])
            memcpy(v, first, bytes);
        else
            memcpy(first, v, bytes);
        if (source->what.kind == KIND(FREEZE))
            memset(v + injector->n_values, 0, bytes);
        source->frozen[channel] = true;
        v += c->size;
    }
    source->what.count++;
}

/* Apply one injection to a sample.
 * Return: false if the sample is dropped. */
static bool carry_out(struct lkd_injector *injector, struct lkd_fault_source *source,
                      struct passage *p)
{
    struct lkd_injection *what = &source->what;

    switch (what->kind) {
    case KIND(DELAY):
        p->due_ns = after(p->due_ns, what->amount);
        what->count++;
        return true;
    case KIND(DROP):
        if (draw_number(source) >= what->amount)
            return true;
        what->count++;
        return false;
    case KIND(REORDER):
        if (draw_number(source) < what->amount) {
            p->swap = true;
            what->count++;
        }
        return true;
    case KIND(SPIKE):
        if (p->whole && draw_number(source) < (what->share > 0 ? what->share : 1))
            touch_values(injector, source, p);
        return true;
    case KIND(FREEZE):
        if (p->whole)
            touch_values(injector, source, p);
        return true;
    default:
        return true;
    }
}

/* Pass the sample on, or queue it. A queued sample that waits for this one is released right after
 * it. */
static bool pass_or_delay(struct lkd_injector *injector, struct passage *p)
{
    struct lkd_held *waiting = lkd_queue_waiting(injector, p->place);
    bool now = p->due_ns <= p->sample->received_ns && (!p->swap || waiting);

    if (waiting) {
        waiting->waiting = false;
        if (waiting->due_ns < p->due_ns)
            waiting->due_ns = p->due_ns;
    }
    if (now)
        return true;
    lkd_queue_keep(injector, p->sample, p->place, p->due_ns, p->swap && !waiting);
    if (waiting)
        waiting->order = ++injector->order;
    return false;
}

bool lkd_injector_pass(struct lkd_injector *injector, const struct lkd_claims *claims, int place,
                       struct lkd_sample *sample)
{
    struct passage p = {
        .claims = claims,
        .claim = place > 0 ? &claims->claim[place] : NULL,
        .place = place,
        .sample = sample,
        .due_ns = sample->received_ns,
    };
    size_t n_values = p.claim ? p.claim->n_values : injector->n_values;

    if (sample->n_values > injector->n_values || sample->n_slopes > injector->n_values)
        return true; /* the input table will refuse the sample */
    p.whole = !sample->heartbeat && sample->n_values == n_values;
    for (int i = 0; i < injector->n_sources; i++) {
        struct lkd_fault_source *source = &injector->source[i];

        if (source->over || sample->received_ns < source->begin_ns ||
            sample->received_ns >= source->end_ns || !concerns_bench(source, &p))
            continue;
        if (!carry_out(injector, source, &p))
            return false;
    }
    return pass_or_delay(injector, &p);
}
