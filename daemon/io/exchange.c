/* SPDX-License-Identifier: Apache-2.0 */
/* The exchange thread, its event loop and its two timers. */
#include "exchange_run.h"
#include "log.h"
#include "realtime.h"
#include "segments.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)
/* Number of spans stored for a trace; a cycle has two. */
#define SPANS 8192
/* Number of samples received in a row before the timer is served. */
#define BURST 32
/* Incoming samples may use an eighth of each span. The threads of the line process that forward
 * them use twice as much. */
#define SPAN_NS      INT64_C(1000000)
#define RECEIVING_NS (SPAN_NS / 8)
/* Period of the work that does not depend on records. */
#define BEAT_NS INT64_C(10000000)

int lkd_exchange_outputs_max(void)
{
    return LKD_PUBLISHER_OUTPUTS_MAX;
}

static void set_timer(int timer, int64_t when_ns)
{
    /* 0 would disarm the timer; a time in the past makes it expire at once. */
    int64_t ns = when_ns > 0 ? when_ns : 1;
    struct itimerspec spec = {.it_value = {.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S}};

    timerfd_settime(timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

static void clear_event(int fd)
{
    uint64_t count;

    while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
        ;
}

void lkd_exchange_set_timer(struct lkd_exchange *exchange, int64_t when_ns)
{
    set_timer(exchange->timer, when_ns);
}

void lkd_exchange_mark(struct lkd_exchange *exchange, enum lkd_span span, int64_t begin_ns,
                       uint64_t what)
{
    const uint64_t words[LKD_RING_WORDS] = {span, (uint64_t)begin_ns, (uint64_t)lkd_clock_ns(),
                                            what};

    lkd_ring_put(&exchange->spans, words);
}

/* Handle the timer, or the wake-up by a cycle that has stopped stepping. @fd: descriptor that
 * became readable */
static void on_record(struct lkd_exchange *exchange, int fd)
{
    clear_event(fd);
    pthread_mutex_lock(&exchange->lock);
    if (exchange->cycle)
        lkd_exchange_tick(exchange);
    pthread_mutex_unlock(&exchange->lock);
}

static void tell_clock(const struct lkd_exchange *exchange, int64_t now_ns)
{
    const struct lkd_wall_clock *clock = &exchange->clock;

    lkd_segments_clock(exchange->options.segments,
                       &(struct lkd_segments_clock){
                           .synchronised = clock->synchronised,
                           .utc_offset_ns = (int64_t)lkd_wall_clock_ns() - now_ns,
                           .tai_offset_ns = clock->tai_offset_ns,
                           .uncertainty_ns = (int64_t)clock->uncertainty_ns,
                       });
}

/* Perform the periodic work of every state, with and without records. */
static void on_beat(struct lkd_exchange *exchange)
{
    int64_t now_ns = lkd_clock_ns(), next_ns;

    clear_event(exchange->beat);
    pthread_mutex_lock(&exchange->lock);
    if (lkd_wall_clock_refresh(&exchange->clock, now_ns))
        tell_clock(exchange, lkd_clock_ns());
    /* A heartbeat contains the last step. Read a record first, because the cycle may have stopped
     * since the last record that was due. */
    if (exchange->cycle && exchange->passes)
        lkd_exchange_tick(exchange);
    lkd_heartbeat_tick(&exchange->heartbeat, &exchange->life, now_ns);
    lkd_streams_tick(&exchange->streams, now_ns);
    lkd_cueing_tick(&exchange->cueing, now_ns);
    lkd_motions_tick(&exchange->motions, exchange->life.state, now_ns);
    pthread_mutex_unlock(&exchange->lock);
    lkd_villas_tick(exchange->options.villas, now_ns);
    next_ns = lkd_inputs_tick(exchange->options.inputs, now_ns);
    set_timer(exchange->beat, next_ns < now_ns + BEAT_NS ? next_ns : now_ns + BEAT_NS);
}

static void receive_samples(struct lkd_exchange *exchange, bool benches, bool gateway)
{
    int64_t begin_ns = lkd_clock_ns();
    int n = 0;

    if (benches)
        n = lkd_receiver_drain(&exchange->receiver, exchange->options.inputs_port, BURST);
    if (gateway)
        n += lkd_villas_drain(exchange->options.villas, BURST);
    if (n == 0)
        return;
    lkd_exchange_mark(exchange, LKD_SPAN_RECEIVE, begin_ns, (uint64_t)n);
    lkd_allowance_use(&exchange->receiving, lkd_clock_ns() - begin_ns);
}

/* Wait for one of the descriptors.
 * @rest_ns: end of the pause in receiving samples, 0: no pause */
static bool wait_for_work(const struct lkd_exchange *exchange, struct pollfd *items, nfds_t n,
                          int64_t rest_ns)
{
    struct timespec left = {0};
    int64_t left_ns = rest_ns - lkd_clock_ns();

    items[0].fd = rest_ns ? -1 : lkd_port_descriptor(exchange->options.inputs_port);
    items[4].fd = rest_ns ? -1 : lkd_villas_descriptor(exchange->options.villas);
    if (left_ns > 0)
        left.tv_nsec = left_ns;
    return ppoll(items, n, rest_ns ? &left : NULL, NULL) >= 0;
}

static void *run_exchange(void *data)
{
    struct lkd_exchange *exchange = data;
    struct pollfd items[] = {
        {.events = POLLIN}, /* samples of benches */
        {.fd = exchange->timer, .events = POLLIN},
        {.fd = exchange->beat, .events = POLLIN},
        {.fd = exchange->wake, .events = POLLIN},
        {.events = POLLIN}, /* samples of a gateway */
    };
    int r = lkd_realtime_thread(&exchange->options.thread);

    pthread_setname_np(pthread_self(), "lkd-exchange");
    if (r)
        lkd_log(LKD_C_EXCHANGE_NORMAL, "exchange: core or priority refused: %s", strerror(-r));
    atomic_store(&exchange->priority, lkd_realtime_priority());
    while (!atomic_load(&exchange->quit)) {
        int64_t rest_ns = lkd_allowance_rest(&exchange->receiving, lkd_clock_ns());
        bool beat, looks;

        if (!wait_for_work(exchange, items, sizeof(items) / sizeof(items[0]), rest_ns))
            continue;
        beat = items[2].revents;
        if (items[1].revents)
            on_record(exchange, exchange->timer);
        looks = beat && rest_ns == 0; /* check a closed channel, because it may have been
                                       * replaced */
        receive_samples(exchange, items[0].revents || (looks && items[0].fd < 0),
                        items[4].revents || (looks && items[4].fd < 0));
        if (beat)
            on_beat(exchange);
        if (items[3].revents)
            on_record(exchange, exchange->wake);
    }
    return NULL;
}

static int open_descriptors(struct lkd_exchange *exchange)
{
    exchange->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    exchange->beat = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    exchange->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (exchange->timer < 0 || exchange->beat < 0 || exchange->wake < 0)
        return -errno;
    set_timer(exchange->beat, lkd_clock_ns());
    return 0;
}

static int open_all(struct lkd_exchange *exchange)
{
    const struct lkd_exchange_options *options = &exchange->options;
    uint64_t divisor = options->divisor ? options->divisor : 1;
    int r;

    exchange->life.state = LINKAGE__V1__STATE__STATE_EMPTY;
    exchange->heartbeat.port = options->outputs_port;
    if ((r = open_descriptors(exchange)) || (r = lkd_ring_init(&exchange->spans, SPANS)) ||
        (r = lkd_receiver_init(&exchange->receiver, options->inputs)) ||
        (r = lkd_publisher_init(&exchange->publisher, options->outputs_port, divisor)) ||
        (r = lkd_streams_init(&exchange->streams, options->outputs_port, options->segments)))
        return r;
    r = lkd_cueing_init(&exchange->cueing, options->cueing);
    return r ? r
             : lkd_motions_init(&exchange->motions, options->motion, options->n_motion,
                                &exchange->cueing);
}

static void close_descriptor(int fd)
{
    if (fd >= 0)
        close(fd);
}

static void release_exchange(struct lkd_exchange *exchange)
{
    lkd_receiver_fini(&exchange->receiver);
    lkd_publisher_fini(&exchange->publisher);
    lkd_streams_fini(&exchange->streams);
    lkd_motions_fini(&exchange->motions);
    lkd_cueing_fini(&exchange->cueing);
    lkd_ring_fini(&exchange->spans);
    free(exchange->last);
    close_descriptor(exchange->timer);
    close_descriptor(exchange->beat);
    close_descriptor(exchange->wake);
    pthread_mutex_destroy(&exchange->lock);
    free(exchange);
}

int lkd_exchange_start(const struct lkd_exchange_options *options,
                       struct lkd_exchange **ret_exchange)
{
    struct lkd_exchange *exchange = calloc(1, sizeof(*exchange));
    int r;

    if (!exchange)
        return -ENOMEM;
    exchange->options = *options;
    exchange->receiving = (struct lkd_allowance){.span_ns = SPAN_NS, .most_ns = RECEIVING_NS};
    exchange->timer = exchange->beat = exchange->wake = -1;
    lkd_realtime_lock_init(&exchange->lock);
    r = open_all(exchange);
    if (r == 0)
        r = -pthread_create(&exchange->thread, NULL, run_exchange, exchange);
    if (r) {
        release_exchange(exchange);
        return r;
    }
    *ret_exchange = exchange;
    return 0;
}

void lkd_exchange_stop(struct lkd_exchange *exchange)
{
    const uint64_t one = 1;

    if (!exchange)
        return;
    atomic_store(&exchange->quit, true);
    /* Cannot block: the counter of the eventfd is far from its limit. */
    if (write(exchange->wake, &one, sizeof(one)) != sizeof(one))
        lkd_log(LKD_C_EXCHANGE_NOT_WOKEN, "waking the exchange thread: %s", strerror(errno));
    pthread_join(exchange->thread, NULL);
    release_exchange(exchange);
}

const struct lkd_ring *lkd_exchange_spans(const struct lkd_exchange *exchange)
{
    return &exchange->spans;
}
