/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the line process: the main thread, which receives the daemon's orders; lkd_relay
 * threads, one for each endpoint; the ZAP thread; and ZeroMQ's own threads, one I/O thread for each
 * endpoint. The threads of inputs and outputs relay samples and may have real-time priority. */
#include "process.h"
#include "orders.h"
#include "privileges.h"
#include "relay.h"
#include "socket.h"
#include "urgent.h"
#include "zap.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

/* Limits of the messages queued for each connection, in each direction. Requests may be large, and
 * are answered one after the other; libzmq reads one more, and the rest waits at the client. The
 * minimum is 2: libzmq 4.3.4 counts the credentials of a client with a key as a message that is
 * never read. */
#define QUEUE_SAMPLES  64
#define QUEUE_OUTPUTS  256 /* several late steps are sent in a row */
#define QUEUE_TOPICS   8   /* each sent sample makes ZeroMQ read all queued subscriptions */
#define QUEUE_REPLIES  64
#define QUEUE_REQUESTS 2
/* A message that exceeds the limit of its channel by up to this size is still read, so that its
 * sender gets an error. For a longer message the connection is closed without an answer. */
#define ROOM ((size_t)256 << 10)
/* Time limit for sending the last replies and samples. The last sample may report FAULT, and the
 * machine may be busy, so the daemon waits for twice as long. */
#define LAST_MS 1000
/* Stack size of a thread [bytes]. It is small, because stacks count as data memory. */
#define STACK_SIZE ((size_t)256 << 10)
/* Interval of checking the number of descriptors. */
#define LOOK_MS 500
/* If more than this share of the data memory is in use, an abort is attributed to lack of
 * memory. */
#define MEMORY_FULL 0.8

enum { RELAY_CONTROL, RELAY_INPUTS, RELAY_OUTPUTS, N_RELAYS = LKD_LINE_RELAYS };

/** struct line - the line process.
 * @listener, @channel: descriptors of each socket of the set-up
 * @n_clients:          number of the active list, or of the list that will be active next */
struct line {
    struct lkd_order_setup setup;
    int listener[LKD_N_CHANNELS];
    int channel[LKD_N_CHANNELS];
    void *context;
    struct lkd_zap *zap;
    struct lkd_clients *clients;
    _Atomic uint32_t n_clients;
    int n_routes;
    struct lkd_route route[LKD_N_CHANNELS];
    struct lkd_relay relay[N_RELAYS];
    bool descriptors_short;
};

static struct line line;
/* Limit of the data memory of the process [bytes], for the handler of SIGABRT. */
static unsigned long memory_limit;

/* ---- answers ---- */

static void send_answer(enum lkd_answer_kind kind, enum lkd_condition_id condition,
                        const char *text)
{
    struct lkd_line_answer message = {.kind = kind, .condition = condition};

    message.clients = atomic_load(&line.n_clients);
    if (line.zap)
        message.turned_away = lkd_zap_turned_away(line.zap);
    for (int i = 0; i < N_RELAYS; i++)
        message.turns[i] = atomic_load_explicit(&line.relay[i].turns, memory_order_relaxed);
    snprintf(message.text, sizeof(message.text), "%s", text);
    /* If the socket is full, the report is dropped. */
    if (send(LKD_LINE_FD, &message, sizeof(message), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return;
}

static void report_condition(enum lkd_condition_id condition, const char *text)
{
    send_answer(LKD_ANSWER_REPORT, condition, text);
}

static int report_failure(const char *what, int r)
{
    char text[LKD_ANSWER_TEXT_SIZE];

    snprintf(text, sizeof(text), "%s: %s", what, strerror(-r));
    send_answer(LKD_ANSWER_FAILED, 0, text);
    return EXIT_FAILURE;
}

/* ---- privileges and limits ---- */

static unsigned long data_bytes(void)
{
    char text[128] = "", *next = text;
    unsigned long pages = 0;
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    if (read(fd, text, sizeof(text) - 1) > 0)
        for (int i = 0; i < 6; i++) /* the sixth number: pages of data and stacks */
            pages = strtoul(next, &next, 10);
    close(fd);
    return pages * (unsigned long)sysconf(_SC_PAGESIZE);
}

static bool has_no_descriptors(void)
{
    int fd = dup(LKD_LINE_FD);

    if (fd >= 0)
        close(fd);
    return fd < 0 && (errno == EMFILE || errno == ENFILE);
}

/* Convert an abort of libzmq to an exit status. libzmq aborts if it gets no memory and, for ipc, if
 * it gets no descriptor. */
static void on_abort(int signal)
{
    if (has_no_descriptors())
        _exit(LKD_LINE_EXIT_DESCRIPTORS);
    if (memory_limit > 0 && (double)data_bytes() > MEMORY_FULL * (double)memory_limit)
        _exit(LKD_LINE_EXIT_MEMORY);
    raise(signal); /* the default action follows, because the handler was reset */
}

/* Sanitizers need memory beyond any limit, for shadow memory and larger stacks, so no limit is
 * set. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static void limit_memory(uint64_t bytes)
{
    (void)bytes;
}

static void limit_stacks(void)
{
}
#else
static void limit_memory(uint64_t bytes)
{
    struct rlimit limit;

    memory_limit = data_bytes() + (unsigned long)bytes;
    limit = (struct rlimit){memory_limit, memory_limit};
    if (setrlimit(RLIMIT_DATA, &limit))
        memory_limit = 0;
}

static void limit_stacks(void)
{
    pthread_attr_t attributes;

    if (pthread_attr_init(&attributes))
        return;
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}
#endif

/* Ignore signals that would end the process. The daemon decides when it ends: a signal to the whole
 * group, or to all processes of a service, is meant for the daemon, whose last messages must be
 * sent first. */
static void set_signals(void)
{
    static const int ignored[] = {SIGTERM, SIGINT,  SIGHUP,    SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM,
                                  SIGPROF, SIGXFSZ, SIGVTALRM, SIGIO,   SIGPWR,  SIGQUIT};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    const struct sigaction abort_action = {.sa_handler = on_abort, .sa_flags = (int)SA_RESETHAND};

    for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
        sigaction(ignored[i], &ignore, NULL);
    sigaction(SIGABRT, &abort_action, NULL);
}

static void set_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (write(fd, text, strlen(text)) < 0)
        close(fd);
    else
        close(fd);
}

/* Drop all privileges. If memory is exhausted, the kernel kills this process before the daemon. */
static void become_ordinary(void)
{
    const struct rlimit no_core = {0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "linkaged-line");
    lkd_privileges_drop_all();
    set_text("/proc/self/oom_score_adj", "0");
    setrlimit(RLIMIT_CORE, &no_core); /* a core file would contain the secret key */
    lkd_privileges_raise_descriptors();
    limit_stacks();
}

/* ---- set-up ---- */

static void take_descriptors(const struct msghdr *header, int *ret_fd, size_t n)
{
    const struct cmsghdr *control = CMSG_FIRSTHDR(header);

    if (control && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS &&
        control->cmsg_len == CMSG_LEN(n * sizeof(int)))
        memcpy(ret_fd, CMSG_DATA(control), n * sizeof(int));
}

/* Receive the set-up. Return: true if it arrived with all its descriptors. */
static bool receive_setup(void)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(2 * LKD_N_CHANNELS * sizeof(int))];
    } control = {0};
    struct iovec part = {&line.setup, sizeof(line.setup)};
    struct msghdr header = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof(control.bytes),
    };
    int fd[2 * LKD_N_CHANNELS] = {0};

    if (recvmsg(LKD_LINE_FD, &header, MSG_CMSG_CLOEXEC) != sizeof(line.setup) ||
        line.setup.kind != LKD_ORDER_SETUP || line.setup.n_sockets > LKD_N_CHANNELS)
        return false;
    take_descriptors(&header, fd, 2 * line.setup.n_sockets);
    for (uint32_t i = 0; i < line.setup.n_sockets; i++) {
        line.listener[i] = fd[2 * i];
        line.channel[i] = fd[2 * i + 1];
        if (fd[2 * i] <= 0 || fd[2 * i + 1] <= 0)
            return false;
    }
    return true;
}

/* Wait for the next order.
 * Return: kind of the order; 0: the daemon has ended. */
static uint32_t receive_order(void)
{
    static struct lkd_order_clients order;
    struct lkd_clients *clients;
    ssize_t n = recv(LKD_LINE_FD, &order, sizeof(order), 0);

    if (n < (ssize_t)sizeof(order.kind))
        return n < 0 && errno == EINTR ? LKD_ORDER_SETUP : 0;
    if (order.kind != LKD_ORDER_CLIENTS || n != sizeof(order))
        return order.kind;
    clients = malloc(sizeof(*clients));
    if (!clients)
        abort();
    *clients = order.clients;
    atomic_store(&line.n_clients, order.number);
    if (line.zap) {
        lkd_zap_replace(line.zap, clients);
        send_answer(LKD_ANSWER_CLIENTS, 0, "");
    } else {
        free(line.clients);
        line.clients = clients;
    }
    return order.kind;
}

/* Plan for each channel: socket type, lengths of its queues, and its relay, which is also its I/O
 * thread. */
static const struct plan {
    int type;
    int queue_in;
    int queue_out;
    int relay;
} plans[LKD_N_CHANNELS] = {
    [LKD_CHANNEL_CONTROL] = {ZMQ_ROUTER, QUEUE_REQUESTS, QUEUE_REPLIES, RELAY_CONTROL},
    [LKD_CHANNEL_INPUTS] = {ZMQ_SUB, QUEUE_SAMPLES, QUEUE_SAMPLES, RELAY_INPUTS},
    [LKD_CHANNEL_OUTPUTS] = {ZMQ_XPUB, QUEUE_TOPICS, QUEUE_OUTPUTS, RELAY_OUTPUTS},
    [LKD_CHANNEL_VILLAS_INPUTS] = {ZMQ_SUB, QUEUE_SAMPLES, QUEUE_SAMPLES, RELAY_INPUTS},
    [LKD_CHANNEL_VILLAS_OUTPUTS] = {ZMQ_PUB, QUEUE_SAMPLES, QUEUE_OUTPUTS, RELAY_OUTPUTS},
};

static bool has_keys(enum lkd_channel channel)
{
    return line.setup.keyed && channel <= LKD_CHANNEL_OUTPUTS;
}

static int open_route(uint32_t i)
{
    const struct lkd_order_socket *wanted = &line.setup.socket[i];
    const struct plan *plan = &plans[wanted->channel];
    struct lkd_relay *relay = &line.relay[plan->relay];
    struct lkd_route *route = &line.route[line.n_routes];
    const struct lkd_socket_options options = {
        .type = plan->type,
        .size_max = lkd_channel_size_max(wanted->channel) + ROOM,
        .queue_in = plan->queue_in,
        .queue_out = plan->queue_out,
        .io_thread = plan->relay,
        .secret_key = has_keys(wanted->channel) ? line.setup.secret : NULL,
        .zap = line.zap,
    };
    int r;

    *route = (struct lkd_route){.channel = wanted->channel,
                                .keyed = has_keys(wanted->channel),
                                .generation = line.setup.generation,
                                .report = report_condition};
    r = lkd_port_init(&route->port, line.channel[i], lkd_channel_size_max(wanted->channel));
    if (r == 0)
        r = lkd_socket_open(line.context, wanted->endpoint, line.listener[i], &options,
                            &route->socket);
    if (r)
        return r;
    line.n_routes++;
    relay->route[relay->n++] = route;
    return 0;
}

static int open_all(void)
{
    int r = 0;

    line.context = zmq_ctx_new();
    if (!line.context)
        return -ENOMEM;
    zmq_ctx_set(line.context, ZMQ_IO_THREADS, N_RELAYS);
    if (line.setup.keyed)
        r = lkd_zap_new(line.context, line.clients, report_condition, &line.zap);
    line.clients = NULL;
    for (uint32_t i = 0; i < line.setup.n_sockets && r == 0; i++)
        r = open_route(i);
    explicit_bzero(line.setup.secret, sizeof(line.setup.secret));
    return r == 0 && line.zap ? lkd_zap_start(line.zap) : r;
}

static int start_all(void)
{
    static const char *const names[N_RELAYS] = {"lkd-control", "lkd-inputs", "lkd-outputs"};
    int r = 0;

    for (int i = 0; i < line.n_routes; i++)
        lkd_port_send(
            &line.route[i].port,
            &(struct lkd_message){.kind = LKD_FRAME_OPENED, .generation = line.setup.generation},
            true);
    for (int i = 0; i < N_RELAYS && r == 0; i++) {
        line.relay[i].name = names[i];
        r = lkd_relay_start(&line.relay[i]);
    }
    return r;
}

/* Seed rand(). libzmq numbers anonymous peers with rand(), which yields the same numbers in every
 * unseeded process. An attacker who knows the numbers could use one of them. */
static bool seed_names(void)
{
    unsigned int value;

    if (getrandom(&value, sizeof(value), 0) != sizeof(value))
        return false;
    srand(value);
    return true;
}

/* Reset a priority that was inherited from the daemon although the configuration does not request
 * it. */
static void be_normal(void)
{
    const struct sched_param normal = {0};

    if (line.setup.samples.priority == 0)
        sched_setscheduler(0, SCHED_OTHER, &normal);
}

/* Set the priorities of all threads, after all threads exist. The thread of requests has normal
 * priority, so that a flood of requests does not delay samples. */
static void settle_priorities(void)
{
    static const char *const carriers[] = {"lkd-inputs", "lkd-outputs", "ZMQbg/IO/1", "ZMQbg/IO/2",
                                           NULL};
    const struct lkd_thread_wish *wish = &line.setup.samples;

    if ((wish->priority > 0 || wish->core >= 0) && lkd_urgent_settle(carriers, wish))
        report_condition(LKD_C_EXCHANGE_NORMAL,
                         "line: not all threads that carry samples were found");
}

/* ---- serve ---- */

static void look_at_descriptors(void)
{
    bool is_short = has_no_descriptors();

    if (is_short && !line.descriptors_short) {
        struct rlimit limit = {0};
        char text[128];

        getrlimit(RLIMIT_NOFILE, &limit);
        snprintf(text, sizeof(text), "all of %llu descriptors are in use: nobody new is let in",
                 (unsigned long long)limit.rlim_cur);
        report_condition(LKD_C_LINE_DESCRIPTORS, text);
    }
    line.descriptors_short = is_short;
}

/* Serve orders until the daemon closes its end. */
static void serve_orders(void)
{
    struct pollfd item = {.fd = LKD_LINE_FD, .events = POLLIN};

    for (;;) {
        uint32_t kind;

        look_at_descriptors();
        if (poll(&item, 1, LOOK_MS) <= 0)
            continue;
        kind = receive_order();
        if (kind == 0)
            return;
        if (kind == LKD_ORDER_ASK)
            send_answer(LKD_ANSWER_HERE, 0, "");
    }
}

static void close_all(void)
{
    const int last_ms = LAST_MS;

    for (int i = 0; i < N_RELAYS; i++)
        lkd_relay_join(&line.relay[i]);
    for (int i = 0; i < line.n_routes; i++) {
        zmq_setsockopt(line.route[i].socket, ZMQ_LINGER, &last_ms, sizeof(last_ms));
        zmq_close(line.route[i].socket);
        lkd_port_fini(&line.route[i].port);
    }
    lkd_zap_stop(line.zap);
    zmq_ctx_term(line.context);
}

int lkd_line_main(void)
{
    int kind, r;
    socklen_t size = sizeof(kind);

    if (getsockopt(LKD_LINE_FD, SOL_SOCKET, SO_TYPE, &kind, &size) || kind != SOCK_SEQPACKET) {
        fprintf(stderr, "linkaged: %s is for linkaged itself\n", LKD_LINE_ARGUMENT);
        return 2;
    }
    close_range(LKD_LINE_FD + 1, ~0U, 0);
    fcntl(LKD_LINE_FD, F_SETFD, FD_CLOEXEC);
    fcntl(LKD_LINE_FD, F_SETFL, 0); /* block while waiting for orders */
    set_signals();
    become_ordinary();
    if (!receive_setup() || !seed_names())
        return report_failure("set-up", -EPROTO);
    if (line.setup.keyed && receive_order() != LKD_ORDER_CLIENTS)
        return report_failure("list of clients", -EPROTO);
    be_normal();
    limit_memory(line.setup.memory);
    r = open_all();
    if (r == 0)
        r = start_all();
    if (r)
        return report_failure("endpoints", r);
    settle_priorities();
    send_answer(LKD_ANSWER_READY, 0, "");
    serve_orders();
    close_all();
    return EXIT_SUCCESS;
}
