/* SPDX-License-Identifier: Apache-2.0 */
#include "exchange.h"
#include "log.h"
#include "publisher.h"
#include "receiver.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <zmq.h>

#define NS_PER_S INT64_C(1000000000)
/* Behind the 99 % quantile of the computing time: what the wake-up of the cycle takes. */
#define MARGIN_NS INT64_C(30000)
/* Before anything is measured. */
#define FIRST_OFFSET_NS INT64_C(100000)
/* How long to wait before looking again for a record that is late. */
#define AGAIN_MIN_NS INT64_C(50000)
#define AGAIN_MAX_NS INT64_C(1000000)
/* How often the distance to the grid follows the measurement. */
#define ADAPT_NS NS_PER_S
/* Spans kept for a trace: two for each cycle. */
#define SPANS 8192
/* Between two samples of a cycle that stands still. */
#define REPEAT_NS INT64_C(10000000)
/* Samples taken in a row before the timer has its turn, however many there are. */
#define BURST 32

/** struct lkd_exchange - see exchange.h.
 * @lock:      guards @cycle, @model_id, @degraded and the publisher between exchange and control
 * @cycle:     attached run, or NULL
 * @last:      what is repeated in FAULT while the cycle stands still, or NULL
 * @offset_ns: from a grid point to the look at the record;  @adapt_ns: when to compute it again
 * @spans:     what it did last
 * @timer:     timerfd, one shot, absolute;  @wake: eventfd, from the control thread */
struct lkd_exchange {
    pthread_t thread;
    struct lkd_receiver receiver;
    struct lkd_publisher publisher;
    struct lkd_ring spans;
    void *inputs_socket;
    int timer;
    int wake;
    _Atomic bool quit;

    pthread_mutex_t lock;
    struct lkd_cycle *cycle;
    uint64_t model_id;
    bool degraded;
    struct lkd_output *last;
    int64_t offset_ns;
    int64_t adapt_ns;
};

int lkd_exchange_outputs_max(void)
{
    return LKD_PUBLISHER_OUTPUTS_MAX;
}

static void set_timer(struct lkd_exchange *exchange, int64_t when_ns)
{
    /* 0 would disarm it; any time in the past fires at once */
    int64_t ns = when_ns > 0 ? when_ns : 1;
    struct itimerspec spec = {.it_value = {.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S}};

    timerfd_settime(exchange->timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

static void clear_event(int fd)
{
    uint64_t count;

    while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
        ;
}

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

static void mark(struct lkd_exchange *exchange, enum lkd_span span, int64_t begin_ns, uint64_t what)
{
    const uint64_t words[LKD_RING_WORDS] = {span, (uint64_t)begin_ns, (uint64_t)lkd_clock_ns(),
                                            what};

    lkd_ring_put(&exchange->spans, words);
}

static void forget_last(struct lkd_exchange *exchange)
{
    free(exchange->last);
    exchange->last = NULL;
}

static void repeat_last(struct lkd_exchange *exchange, int64_t now_ns)
{
    lkd_publisher_send(&exchange->publisher, exchange->last, exchange->cycle->n_outputs,
                       exchange->model_id, exchange->degraded, LINKAGE__V1__STATE__STATE_FAULT);
    set_timer(exchange, now_ns + REPEAT_NS);
}

/* Look for the record of the present grid point; lock held, a run attached. */
static void tick(struct lkd_exchange *exchange)
{
    struct lkd_cycle *cycle = exchange->cycle;
    int64_t now_ns = lkd_clock_ns(), period_ns = cycle->period_ns, next_ns, sent_ns;
    const struct lkd_output *output;

    if (!lkd_mailbox_take(&cycle->outputs)) {
        if (exchange->last) {
            repeat_last(exchange, now_ns);
            return;
        }
        set_timer(exchange, now_ns + clamp(period_ns / 10, AGAIN_MIN_NS, AGAIN_MAX_NS));
        return;
    }
    forget_last(exchange);
    output = lkd_mailbox_front(&cycle->outputs);
    sent_ns = lkd_publisher_send(&exchange->publisher, output, cycle->n_outputs, exchange->model_id,
                                 exchange->degraded, LINKAGE__V1__STATE__STATE_UNSPECIFIED);
    lkd_histogram_add(&cycle->hand_over, sent_ns - output->figures.computed_ns);
    mark(exchange, LKD_SPAN_PUBLISH, now_ns, output->figures.step);

    adapt_offset(exchange, now_ns);
    next_ns = output->figures.deadline_ns + period_ns + exchange->offset_ns;
    if (next_ns <= now_ns)
        next_ns += ((now_ns - next_ns) / period_ns + 1) * period_ns;
    set_timer(exchange, next_ns);
}

static void on_timer(struct lkd_exchange *exchange)
{
    clear_event(exchange->timer);
    pthread_mutex_lock(&exchange->lock);
    if (exchange->cycle)
        tick(exchange);
    pthread_mutex_unlock(&exchange->lock);
}

static void receive(struct lkd_exchange *exchange)
{
    int64_t begin_ns = lkd_clock_ns();
    int n = lkd_receiver_drain(&exchange->receiver, exchange->inputs_socket, BURST);

    if (n > 0)
        mark(exchange, LKD_SPAN_RECEIVE, begin_ns, (uint64_t)n);
}

static void *run(void *data)
{
    struct lkd_exchange *exchange = data;
    zmq_pollitem_t items[] = {
        {.socket = exchange->inputs_socket, .events = ZMQ_POLLIN},
        {.fd = exchange->timer, .events = ZMQ_POLLIN},
        {.fd = exchange->wake, .events = ZMQ_POLLIN},
    };

    pthread_setname_np(pthread_self(), "lkd-exchange");
    while (!atomic_load(&exchange->quit)) {
        if (zmq_poll(items, 3, -1) < 0)
            continue;
        if (items[1].revents)
            on_timer(exchange);
        if (items[0].revents)
            receive(exchange);
        if (items[2].revents)
            clear_event(exchange->wake);
    }
    return NULL;
}

static int open_all(struct lkd_exchange *exchange, struct lkd_inputs *inputs, void *outputs_socket)
{
    int r;

    exchange->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (exchange->timer < 0)
        return -errno;
    exchange->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (exchange->wake < 0)
        return -errno;
    r = lkd_ring_init(&exchange->spans, SPANS);
    if (r)
        return r;
    r = lkd_receiver_init(&exchange->receiver, inputs);
    if (r)
        return r;
    return lkd_publisher_init(&exchange->publisher, outputs_socket);
}

static void release(struct lkd_exchange *exchange)
{
    lkd_receiver_fini(&exchange->receiver);
    lkd_publisher_fini(&exchange->publisher);
    lkd_ring_fini(&exchange->spans);
    forget_last(exchange);
    if (exchange->timer >= 0)
        close(exchange->timer);
    if (exchange->wake >= 0)
        close(exchange->wake);
    pthread_mutex_destroy(&exchange->lock);
    free(exchange);
}

int lkd_exchange_start(struct lkd_inputs *inputs, void *inputs_socket, void *outputs_socket,
                       struct lkd_exchange **ret_exchange)
{
    struct lkd_exchange *exchange = calloc(1, sizeof(*exchange));
    int r;

    if (!exchange)
        return -ENOMEM;
    exchange->timer = exchange->wake = -1;
    exchange->inputs_socket = inputs_socket;
    pthread_mutex_init(&exchange->lock, NULL);
    r = open_all(exchange, inputs, outputs_socket);
    if (r == 0)
        r = -pthread_create(&exchange->thread, NULL, run, exchange);
    if (r) {
        release(exchange);
        return r;
    }
    *ret_exchange = exchange;
    return 0;
}

static void wake_up(struct lkd_exchange *exchange)
{
    uint64_t one = 1;

    /* cannot block: the counter is read long before it is full */
    if (write(exchange->wake, &one, sizeof(one)) < 0)
        lkd_log(LKD_LOG_WARNING, "waking the exchange thread: error %d", errno);
}

void lkd_exchange_stop(struct lkd_exchange *exchange)
{
    if (!exchange)
        return;
    atomic_store(&exchange->quit, true);
    wake_up(exchange);
    pthread_join(exchange->thread, NULL);
    release(exchange);
}

void lkd_exchange_attach(struct lkd_exchange *exchange, struct lkd_cycle *cycle, uint64_t model_id,
                         bool degraded)
{
    int64_t now_ns = lkd_clock_ns();

    pthread_mutex_lock(&exchange->lock);
    exchange->cycle = cycle;
    exchange->model_id = model_id;
    exchange->degraded = degraded;
    exchange->offset_ns = clamp(FIRST_OFFSET_NS, 0, cycle->period_ns / 4);
    exchange->adapt_ns = now_ns + ADAPT_NS / 10;
    lkd_publisher_begin(&exchange->publisher);
    set_timer(exchange, now_ns); /* looks at short intervals until the first record is there */
    pthread_mutex_unlock(&exchange->lock);
}

void lkd_exchange_detach(struct lkd_exchange *exchange, Linkage__V1__State state)
{
    struct lkd_cycle *cycle;

    pthread_mutex_lock(&exchange->lock);
    cycle = exchange->cycle;
    exchange->cycle = NULL;
    forget_last(exchange);
    if (cycle) {
        bool fresh = lkd_mailbox_take(&cycle->outputs);

        if (fresh || exchange->publisher.published > 0)
            lkd_publisher_send(&exchange->publisher, lkd_mailbox_front(&cycle->outputs),
                               cycle->n_outputs, exchange->model_id, exchange->degraded, state);
    }
    pthread_mutex_unlock(&exchange->lock);
}

void lkd_exchange_fault(struct lkd_exchange *exchange, bool zero)
{
    struct lkd_cycle *cycle;

    pthread_mutex_lock(&exchange->lock);
    cycle = exchange->cycle;
    if (cycle) {
        size_t n = (size_t)cycle->n_outputs * sizeof(double);

        lkd_mailbox_take(&cycle->outputs);
        forget_last(exchange);
        exchange->last = malloc(sizeof(*exchange->last) + n);
        if (exchange->last) {
            memcpy(exchange->last, lkd_mailbox_front(&cycle->outputs), sizeof(*exchange->last) + n);
            if (zero)
                memset(exchange->last->values, 0, n);
            repeat_last(exchange, lkd_clock_ns());
        }
    }
    pthread_mutex_unlock(&exchange->lock);
}

const struct lkd_ring *lkd_exchange_spans(const struct lkd_exchange *exchange)
{
    return &exchange->spans;
}

uint64_t lkd_exchange_published(struct lkd_exchange *exchange)
{
    uint64_t published;

    pthread_mutex_lock(&exchange->lock);
    published = exchange->publisher.published;
    pthread_mutex_unlock(&exchange->lock);
    return published;
}
