/* SPDX-License-Identifier: Apache-2.0 */
/* The exchange during a run: it publishes the records of the cycle to all subscribers. */
#include "exchange_run.h"
#include "segments.h"
#include <stdlib.h>
#include <string.h>

#define NS_PER_S INT64_C(1000000000)
/* Added to the 99 % quantile of the computing time, to cover the wake-up latency of the cycle. */
#define MARGIN_NS INT64_C(30000)
/* Delay until the computing time has been measured. */
#define FIRST_OFFSET_NS INT64_C(100000)
/* Interval between attempts to read a late record. */
#define AGAIN_MIN_NS INT64_C(50000)
#define AGAIN_MAX_NS INT64_C(1000000)
/* Number of records sent in a row, and duration of the pause after them. In the pause the line
 * process forwards the records, and this thread receives samples. */
#define RECORDS    32
#define RECORDS_NS INT64_C(200000)
/* Interval between attempts to read a record in modes without a grid. */
#define UNPACED_NS INT64_C(1000000)
/* Interval of updates of the delay from the measurement. */
#define ADAPT_NS NS_PER_S
/* Interval between samples while a cycle hangs. */
#define REPEAT_NS INT64_C(10000000)

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void adapt_offset(struct lkd_exchange *exchange, int64_t now_ns)
{
    const struct lkd_cycle *cycle = exchange->cycle;

    if (now_ns < exchange->adapt_ns)
        return;
    exchange->adapt_ns = now_ns + ADAPT_NS;
    if (lkd_histogram_count(&cycle->compute) == 0)
        return;
    exchange->offset_ns = clamp(lkd_histogram_quantile(&cycle->compute, 0.99) + MARGIN_NS,
                                MARGIN_NS, cycle->period_ns * 3 / 4);
}

static void forget_last(struct lkd_exchange *exchange)
{
    free(exchange->last);
    exchange->last = NULL;
}

/* Publish a record as OutputSample and in streams.
 * @always: publish the record even if it is not due
 * Return: time at which the OutputSample was sent [ns]; 0: it was not due, or not sent. */
static int64_t publish(struct lkd_exchange *exchange, const struct lkd_output *output,
                       Linkage__V1__State state, bool always)
{
    struct lkd_publisher *publisher = &exchange->publisher;
    bool due = always || lkd_publisher_due(publisher, &output->figures);
    struct lkd_outgoing outgoing;
    int64_t sent_ns = 0;

    lkd_outgoing_fill(&outgoing, output, exchange->cycle->n_outputs, &exchange->facts, state,
                      &exchange->clock);
    if (due) {
        sent_ns = lkd_publisher_send(publisher, &outgoing);
        if (sent_ns)
            lkd_segments_published(exchange->options.segments, output, outgoing.sample.sequence,
                                   (int64_t)outgoing.sample.published_ns);
    }
    lkd_streams_send(&exchange->streams, output, &outgoing, always);
    return sent_ns;
}

static void repeat_last(struct lkd_exchange *exchange, int64_t now_ns)
{
    publish(exchange, exchange->last, LINKAGE__V1__STATE__STATE_FAULT, true);
    lkd_exchange_set_timer(exchange, now_ns + REPEAT_NS);
}

/* Return the time of the next attempt if there is no record yet. */
static int64_t look_again(const struct lkd_cycle *cycle, int64_t now_ns)
{
    if (cycle->mode != LKD_MODE_REALTIME)
        return now_ns + UNPACED_NS;
    return now_ns + clamp(cycle->period_ns / 10, AGAIN_MIN_NS, AGAIN_MAX_NS);
}

/* Return the number of grid points to the next needed record. Platforms and gateways need every
 * record. So does the exchange while a change of state is pending. */
static uint64_t points_ahead(const struct lkd_exchange *exchange, const struct lkd_figures *f)
{
    const struct lkd_exchange_options *options = &exchange->options;
    uint64_t output, stream;

    if (options->n_motion > 0 || options->villas || (options->cueing && options->cueing->present) ||
        lkd_outgoing_state(f->state) != exchange->life.state)
        return 1;
    output = lkd_pace_ahead(&exchange->publisher.pace, f);
    stream = lkd_streams_ahead(&exchange->streams, f);
    return output < stream ? output : stream;
}

static int64_t latest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Return the time at which the next needed record should exist. A record never exists before its
 * grid point, and each step has a separate record. */
static int64_t look_next(struct lkd_exchange *exchange, const struct lkd_figures *f, int64_t now_ns)
{
    const struct lkd_cycle *cycle = exchange->cycle;
    uint64_t ahead;
    int64_t next_ns;

    exchange->passes = false;
    if (cycle->mode != LKD_MODE_REALTIME)
        return now_ns + UNPACED_NS;
    ahead = points_ahead(exchange, f);
    exchange->passes = ahead > 1;
    next_ns = lkd_cycle_next_ns(cycle, latest(now_ns - exchange->offset_ns, f->deadline_ns));
    return latest(next_ns, lkd_cycle_ahead_ns(cycle, f->deadline_ns, (int64_t)ahead)) +
           exchange->offset_ns;
}

static bool takes_newest(const struct lkd_exchange *exchange)
{
    return exchange->options.newest_only || exchange->cycle->mode != LKD_MODE_REALTIME;
}

/* Make the next record to publish the front of the mailbox. If the cycle was declared dead, the
 * record of the step in which it hung is not published, even if that step ends after all. This
 * record may still have the state RUNNING, because the cycle may have checked for requests just
 * before LKD_ASK_FAULT. The next record reports the failure.
 * Return: true if there is a record to publish. */
static bool take_record(struct lkd_exchange *exchange)
{
    struct lkd_mailbox *outputs = &exchange->cycle->outputs;

    while (takes_newest(exchange) ? lkd_mailbox_take_newest(outputs) : lkd_mailbox_take(outputs)) {
        const struct lkd_output *output = lkd_mailbox_front(outputs);

        if (!exchange->dead || output->figures.state == LKD_CYCLE_FAULT)
            return true;
    }
    return false;
}

/* Send the front of the mailbox to all receivers. Platforms use only the newest record. */
static void pass_on(struct lkd_exchange *exchange, int64_t now_ns)
{
    struct lkd_cycle *cycle = exchange->cycle;
    const struct lkd_output *output = lkd_mailbox_front(&cycle->outputs);
    int64_t sent_ns;

    exchange->seen = true;
    exchange->life.step = output->figures.step;
    lkd_cueing_record(&exchange->cueing, output, now_ns);
    if (lkd_mailbox_waiting(&cycle->outputs) == 0)
        lkd_motions_record(&exchange->motions, output, now_ns);
    lkd_villas_publish(exchange->options.villas, output, exchange->facts.model_id);
    sent_ns = publish(exchange, output, LINKAGE__V1__STATE__STATE_UNSPECIFIED, false);
    if (sent_ns) {
        lkd_histogram_add(&cycle->hand_over, sent_ns - output->figures.computed_ns);
        lkd_exchange_mark(exchange, LKD_SPAN_PUBLISH, now_ns, output->figures.step);
    }
}

void lkd_exchange_tick(struct lkd_exchange *exchange)
{
    const struct lkd_cycle *cycle = exchange->cycle;
    int64_t now_ns = lkd_clock_ns();
    int n;

    for (n = 0; n < RECORDS && take_record(exchange); n++) {
        forget_last(exchange);
        pass_on(exchange, now_ns);
    }
    if (n == 0 && exchange->last) {
        repeat_last(exchange, now_ns);
    } else if (n == 0) {
        lkd_exchange_set_timer(exchange, look_again(cycle, now_ns));
    } else {
        const struct lkd_output *output = lkd_mailbox_front(&cycle->outputs);

        adapt_offset(exchange, now_ns);
        lkd_exchange_set_timer(exchange, n == RECORDS
                                             ? lkd_clock_ns() + RECORDS_NS
                                             : look_next(exchange, &output->figures, now_ns));
    }
}

/* ---- from the control thread ---- */

void lkd_exchange_load(struct lkd_exchange *exchange, struct lkd_cycle *cycle)
{
    const struct lk_channel *channels;
    int n;

    channels = lk_system_output_channels(cycle->system, &n);
    pthread_mutex_lock(&exchange->lock);
    lkd_cueing_load(&exchange->cueing, channels, n);
    lkd_motions_load(&exchange->motions, cycle);
    lkd_streams_end(&exchange->streams);
    pthread_mutex_unlock(&exchange->lock);
    lkd_villas_load(exchange->options.villas, cycle->system,
                    lkd_inputs_model_id(exchange->options.inputs));
}

/* Wake the thread at once, because records that were to be skipped may be needed now. Requires the
 * lock. */
static void look_now(struct lkd_exchange *exchange)
{
    if (exchange->cycle && exchange->passes)
        lkd_exchange_set_timer(exchange, lkd_clock_ns());
}

void lkd_exchange_attach(struct lkd_exchange *exchange, struct lkd_cycle *cycle, uint64_t model_id,
                         bool degraded)
{
    int64_t now_ns = lkd_clock_ns();

    pthread_mutex_lock(&exchange->lock);
    exchange->cycle = cycle;
    exchange->facts = (struct lkd_run_facts){model_id, cycle->mode, degraded};
    exchange->seen = false;
    exchange->dead = false;
    exchange->passes = false;
    exchange->life.step = 0;
    exchange->offset_ns = clamp(FIRST_OFFSET_NS, 0, cycle->period_ns / 4);
    exchange->adapt_ns = now_ns + ADAPT_NS / 10;
    lkd_publisher_begin(&exchange->publisher);
    lkd_streams_begin(&exchange->streams);
    lkd_cueing_begin(&exchange->cueing, cycle->mode == LKD_MODE_REALTIME);
    lkd_motions_begin(&exchange->motions, degraded);
    lkd_villas_begin(exchange->options.villas);
    lkd_exchange_set_timer(exchange, now_ns); /* from now on at short intervals */
    pthread_mutex_unlock(&exchange->lock);
}

/* Send all waiting records except the last, which the caller sends.
 * Return: true if there is a last record; it is the front of the mailbox. Requires the lock and an
 * attached run. */
static bool pass_on_waiting(struct lkd_exchange *exchange)
{
    while (take_record(exchange)) {
        if (lkd_mailbox_waiting(&exchange->cycle->outputs) == 0)
            return true;
        pass_on(exchange, lkd_clock_ns());
    }
    return false;
}

void lkd_exchange_detach(struct lkd_exchange *exchange, Linkage__V1__State state)
{
    const struct lkd_output *output;
    bool fresh;

    pthread_mutex_lock(&exchange->lock);
    if (exchange->cycle) {
        fresh = pass_on_waiting(exchange);
        lkd_cueing_halt(&exchange->cueing);
        output = exchange->last && !fresh ? exchange->last
                                          : lkd_mailbox_front(&exchange->cycle->outputs);
        if (fresh || exchange->seen) {
            exchange->life.step = output->figures.step;
            lkd_motions_rest(&exchange->motions, output, LINKAGE__V1__STATE__STATE_UNSPECIFIED);
            publish(exchange, output, state, true);
        }
        exchange->life.state = state;
    }
    forget_last(exchange);
    exchange->cycle = NULL;
    pthread_mutex_unlock(&exchange->lock);
    lkd_villas_report(exchange->options.villas);
}

/* Copy the last outputs, to repeat them while the cycle hangs. Requires the lock and an attached
 * run. */
static void keep_last(struct lkd_exchange *exchange, bool zero)
{
    size_t n_outputs = (size_t)exchange->cycle->n_outputs * sizeof(double);
    size_t n = n_outputs + (size_t)exchange->cycle->n_poses * sizeof(double);

    pass_on_waiting(exchange);
    exchange->dead = true;
    forget_last(exchange);
    exchange->last = malloc(sizeof(*exchange->last) + n);
    if (!exchange->last)
        return;
    memcpy(exchange->last, lkd_mailbox_front(&exchange->cycle->outputs),
           sizeof(*exchange->last) + n);
    if (zero)
        memset(exchange->last->values, 0, n_outputs);
    exchange->passes = false; /* the timer repeats the outputs from now on */
    lkd_cueing_halt(&exchange->cueing);
    lkd_motions_rest(&exchange->motions, exchange->last, LINKAGE__V1__STATE__STATE_FAULT);
    repeat_last(exchange, lkd_clock_ns());
}

void lkd_exchange_fault(struct lkd_exchange *exchange, bool zero)
{
    pthread_mutex_lock(&exchange->lock);
    if (exchange->cycle)
        keep_last(exchange, zero);
    pthread_mutex_unlock(&exchange->lock);
}

void lkd_exchange_tell(struct lkd_exchange *exchange, Linkage__V1__State state, uint64_t model_id,
                       enum lkd_mode mode, uint64_t step)
{
    if (!exchange)
        return;
    pthread_mutex_lock(&exchange->lock);
    exchange->life.state = state;
    exchange->life.model_id = model_id;
    exchange->life.mode = lkd_outgoing_mode(mode);
    if (!exchange->cycle)
        exchange->life.step = step;
    look_now(exchange);
    pthread_mutex_unlock(&exchange->lock);
}

int lkd_exchange_subscribe(struct lkd_exchange *exchange, const struct lkd_selection *selection,
                           uint64_t *ret_id)
{
    int r;

    pthread_mutex_lock(&exchange->lock);
    r = lkd_streams_add(&exchange->streams, selection, lkd_clock_ns(), ret_id);
    look_now(exchange);
    pthread_mutex_unlock(&exchange->lock);
    return r;
}

enum lk_ride_cause lkd_exchange_platform(struct lkd_exchange *exchange,
                                         enum lkd_platform_order order,
                                         struct lkd_cueing *ret_cueing)
{
    enum lk_ride_cause cause;

    pthread_mutex_lock(&exchange->lock);
    cause = lkd_cueing_order(&exchange->cueing, order);
    *ret_cueing = exchange->cueing;
    pthread_mutex_unlock(&exchange->lock);
    return cause;
}

struct lkd_spsc *lkd_exchange_platform_queue(struct lkd_exchange *exchange)
{
    return exchange ? exchange->cueing.queue : NULL;
}

int lkd_exchange_streams(struct lkd_exchange *exchange)
{
    int n;

    pthread_mutex_lock(&exchange->lock);
    n = exchange->streams.n;
    pthread_mutex_unlock(&exchange->lock);
    return n;
}

uint64_t lkd_exchange_forbidden(struct lkd_exchange *exchange)
{
    return exchange ? atomic_load_explicit(&exchange->receiver.forbidden, memory_order_relaxed) : 0;
}

bool lkd_exchange_gateway(struct lkd_exchange *exchange, struct lkd_villas_counts *ret)
{
    return exchange && lkd_villas_count(exchange->options.villas, ret);
}

int lkd_exchange_priority(struct lkd_exchange *exchange)
{
    return exchange ? atomic_load(&exchange->priority) : 0;
}

uint64_t lkd_exchange_published(struct lkd_exchange *exchange)
{
    uint64_t published;

    pthread_mutex_lock(&exchange->lock);
    published = exchange->publisher.published;
    pthread_mutex_unlock(&exchange->lock);
    return published;
}
