/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"
#include "log.h"
#include "orders.h"
#include "wait.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS INT64_C(1000000)
/* How often it is asked whether it is there, and how often in a row it may not answer, or one of
 * its threads not have got any further: five seconds. */
#define ASK_NS         (250 * NS_PER_MS)
#define UNANSWERED_MAX 20
/* How long the first one may take to open everything, on the slowest of machines. */
#define READY_MS 60000
/* How long it may take to let go the last replies and samples. */
#define LAST_MS 2000
/* One that has lived this long has not ended because of how it was started. */
#define SETTLED_NS (10000 * NS_PER_MS)
/* Before another one is started, when one after the other ends. */
#define AGAIN_MIN_NS (100 * NS_PER_MS)
#define AGAIN_MAX_NS (5000 * NS_PER_MS)

#define REASON_SIZE 96

/** struct own_channel - @listener: -1 for none;  @end: [0] ours, [1] the line process's */
struct own_channel {
    char endpoint[LKD_ENDPOINT_SIZE];
    int listener;
    int end[2];
    struct lkd_port port;
};

/** struct lkd_line - see line.h.
 * @order:      begins with the set-up of every process; with the secret
 * @lock:       guards @clients, whether they have @clients_changed, and @news: what the log says
 *              when the process has them
 * @wake:       eventfd
 * @pid, @pidfd, @orders: of the present process; 0 and -1: there is none
 * @born_ns:    its start;  @again_ns: when there is to be one
 * @delay_ns:   before the next one
 * @ask_ns:     when it is asked again;  @unanswered: in a row;  @turns, @still: of its threads
 * @ready:      it serves;  @why: it was ended by us, "" if not
 * @reason:     of the end of the one before
 * @turned_away_before: of earlier processes
 * @priority: of the threads that carry samples */
struct lkd_line {
    struct own_channel channel[LKD_N_CHANNELS];
    struct lkd_order_setup setup;
    pthread_mutex_t lock;
    struct lkd_order_clients clients;
    bool clients_changed;
    char news[PATH_MAX];
    int wake;
    _Atomic bool quit;
    bool started;
    pthread_t thread;

    pid_t pid;
    int pidfd;
    int orders;
    int64_t born_ns;
    int64_t again_ns;
    int64_t delay_ns;
    int64_t ask_ns;
    int unanswered;
    uint64_t turns[LKD_LINE_RELAYS];
    int still[LKD_LINE_RELAYS];
    bool ready;
    char why[REASON_SIZE];
    char reason[REASON_SIZE];
    _Atomic uint64_t turned_away_before;
    _Atomic uint64_t turned_away;
    _Atomic uint64_t restarts;
    _Atomic int priority;
};

extern char **environ;

/* ---- orders ---- */

static int send_setup(struct lkd_line *line)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(2 * LKD_N_CHANNELS * sizeof(int))];
    } control = {0};
    struct iovec part = {&line->setup, sizeof(line->setup)};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes};
    size_t size = 2 * line->setup.n_sockets * sizeof(int);
    struct cmsghdr *rights;
    int fd[2 * LKD_N_CHANNELS];

    for (uint32_t i = 0; i < line->setup.n_sockets; i++) {
        const struct own_channel *channel = &line->channel[line->setup.socket[i].channel];

        fd[2 * i] = channel->listener;
        fd[2 * i + 1] = channel->end[1];
    }
    header.msg_controllen = CMSG_SPACE(size);
    rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(rights), fd, size);
    return sendmsg(line->orders, &header, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int send_clients(struct lkd_line *line)
{
    int r = 0;

    if (!line->setup.keyed)
        return 0;
    pthread_mutex_lock(&line->lock);
    if (send(line->orders, &line->clients, sizeof(line->clients), MSG_NOSIGNAL) < 0)
        r = -errno;
    else
        line->clients_changed = false;
    pthread_mutex_unlock(&line->lock);
    return r;
}

static void ask(struct lkd_line *line)
{
    const uint32_t kind = LKD_ORDER_ASK;

    line->unanswered++;
    if (send(line->orders, &kind, sizeof(kind), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return; /* counted as not answered */
}

/* ---- answers ---- */

static void hear_turns(struct lkd_line *line, const struct lkd_line_answer *answer)
{
    line->unanswered = 0;
    for (int i = 0; i < LKD_LINE_RELAYS; i++) {
        line->still[i] = answer->turns[i] == line->turns[i] ? line->still[i] + 1 : 0;
        line->turns[i] = answer->turns[i];
    }
}

/* What the line process may report; anything else is not its business. */
static bool may_report(uint32_t condition)
{
    return condition == LKD_C_TURNED_AWAY || condition == LKD_C_ZAP_FAILED ||
           condition == LKD_C_REPLY_NOT_SENT || condition == LKD_C_LINE_DESCRIPTORS ||
           condition == LKD_C_EXCHANGE_NORMAL;
}

static void hear_clients(struct lkd_line *line)
{
    char news[PATH_MAX];

    pthread_mutex_lock(&line->lock);
    memcpy(news, line->news, sizeof(news));
    *line->news = '\0';
    pthread_mutex_unlock(&line->lock);
    if (*news)
        lkd_log(LKD_C_KEYS_LOADED, "%s", news);
}

static void hear_ready(struct lkd_line *line)
{
    line->ready = true;
    hear_clients(line);
    if (atomic_load(&line->restarts) > 0)
        lkd_log(LKD_C_LINE_RESTARTED, "line restarted (%s), %" PRIu64 " since the start",
                line->reason, atomic_load(&line->restarts));
}

/* Return: whether there was one. */
static bool hear(struct lkd_line *line, struct lkd_line_answer *answer)
{
    ssize_t n = recv(line->orders, answer, sizeof(*answer), MSG_DONTWAIT);

    if (n <= 0)
        return false;
    answer->text[LKD_ANSWER_TEXT_SIZE - 1] = '\0';
    if (n != sizeof(*answer))
        return true;
    atomic_store(&line->turned_away, answer->turned_away);
    if (answer->kind == LKD_ANSWER_HERE)
        hear_turns(line, answer);
    else if (answer->kind == LKD_ANSWER_READY)
        hear_ready(line);
    else if (answer->kind == LKD_ANSWER_CLIENTS)
        hear_clients(line);
    else if (answer->kind == LKD_ANSWER_REPORT && may_report(answer->condition))
        lkd_log((enum lkd_condition_id)answer->condition, "%s", answer->text);
    return true;
}

/* All that it has said. @ret_text: why it has failed, if it says so */
static void hear_all(struct lkd_line *line, char *ret_text)
{
    struct lkd_line_answer answer = {0};

    while (line->orders >= 0 && hear(line, &answer))
        if (answer.kind == LKD_ANSWER_FAILED)
            snprintf(ret_text, REASON_SIZE, "%.90s", answer.text);
}

/* ---- birth and death ---- */

/* Not by fork(): pages of the daemon would be written again, and the cycle would wait for it.
 * @priority: 0 for normal; refused, there is no process */
static int spawn(int orders, int priority, pid_t *ret_pid)
{
    const struct sched_param param = {.sched_priority = priority};
    char *const arguments[] = {(char *)"linkaged-line", (char *)LKD_LINE_ARGUMENT, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    int r;

    sigfillset(&all);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, orders, LKD_LINE_FD);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setschedpolicy(&attributes, SCHED_FIFO);
    posix_spawnattr_setschedparam(&attributes, &param);
    posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                  (priority > 0 ? POSIX_SPAWN_SETSCHEDULER : 0)));
    /* the very program that runs, whatever lies at its path by now */
    r = -posix_spawn(ret_pid, "/proc/self/exe", &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return r;
}

/* The threads that carry samples have the priority from the process, which may not raise its own.
 */
static int spawn_urgent(struct lkd_line *line, int orders)
{
    int priority = line->setup.samples.priority;
    int r = spawn(orders, priority, &line->pid);

    if (r == -EPERM && priority > 0) {
        lkd_log(LKD_C_EXCHANGE_NORMAL,
                "exchange: priority %d refused: %s; samples come and go at normal priority",
                priority, strerror(-r));
        line->setup.samples.priority = 0; /* once refused, it is from now on */
        r = spawn(orders, 0, &line->pid);
    }
    atomic_store(&line->priority, line->setup.samples.priority);
    return r;
}

static void forget(struct lkd_line *line)
{
    if (line->pidfd >= 0)
        close(line->pidfd);
    if (line->orders >= 0)
        close(line->orders);
    line->pid = 0;
    line->pidfd = line->orders = -1;
    line->ready = false;
}

static int give_birth(struct lkd_line *line)
{
    int end[2], r;

    r = lkd_port_pair(end);
    if (r)
        return r;
    line->orders = end[0];
    r = spawn_urgent(line, end[1]);
    close(end[1]);
    if (r) {
        forget(line);
        return r;
    }
    line->pidfd = (int)syscall(SYS_pidfd_open, line->pid, 0);
    line->born_ns = lkd_clock_ns();
    line->ask_ns = line->born_ns + ASK_NS;
    line->unanswered = 0;
    memset(line->still, 0, sizeof(line->still));
    *line->why = '\0';
    line->setup.generation++;
    r = line->pidfd < 0 ? -errno : send_setup(line);
    return r ? r : send_clients(line);
}

static void describe_end(const struct lkd_line *line, int status, char *ret)
{
    if (*line->why)
        snprintf(ret, REASON_SIZE, "%s", line->why);
    else if (WIFSIGNALED(status))
        snprintf(ret, REASON_SIZE, "signal %d, %s", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == LKD_LINE_EXIT_DESCRIPTORS)
        snprintf(ret, REASON_SIZE, "all its descriptors were in use");
    else if (WEXITSTATUS(status) == LKD_LINE_EXIT_MEMORY)
        snprintf(ret, REASON_SIZE, "it had used up its memory, %" PRIu64 " MiB",
                 line->setup.memory >> 20);
    else
        snprintf(ret, REASON_SIZE, "exit status %d", WEXITSTATUS(status));
}

/* What nobody will take out of the channels any more: samples that would come late, replies to
 * connections that are gone. */
static void drain_channels(struct lkd_line *line)
{
    char byte;

    for (int i = 0; i < LKD_N_CHANNELS; i++)
        while (line->channel[i].listener >= 0 &&
               recv(line->channel[i].end[1], &byte, 1, MSG_DONTWAIT) >= 0)
            continue;
}

/* Its process has ended. */
static void bury(struct lkd_line *line)
{
    char text[REASON_SIZE] = "";
    int64_t now_ns = lkd_clock_ns();
    int status = 0;
    bool served;

    hear_all(line, text);
    served = line->ready;
    while (waitpid(line->pid, &status, 0) < 0 && errno == EINTR)
        ;
    describe_end(line, status, line->reason);
    if (WIFEXITED(status) && WEXITSTATUS(status) == LKD_LINE_EXIT_DESCRIPTORS)
        lkd_log(LKD_C_LINE_DESCRIPTORS, "all descriptors of the line were in use");
    if (*text)
        snprintf(line->reason, sizeof(line->reason), "%s", text);
    atomic_fetch_add(&line->turned_away_before, atomic_exchange(&line->turned_away, 0));
    if (!served)
        lkd_log(LKD_C_LINE_FAILED, "the line could not be started (%s), trying again",
                line->reason);
    if (now_ns - line->born_ns >= SETTLED_NS)
        line->delay_ns = 0;
    line->again_ns = now_ns + line->delay_ns;
    line->delay_ns = line->delay_ns ? 2 * line->delay_ns : AGAIN_MIN_NS;
    if (line->delay_ns > AGAIN_MAX_NS)
        line->delay_ns = AGAIN_MAX_NS;
    forget(line);
    drain_channels(line);
}

static void start_again(struct lkd_line *line)
{
    int r;

    atomic_fetch_add(&line->restarts, 1);
    r = give_birth(line);
    if (r == 0)
        return;
    lkd_log(LKD_C_LINE_FAILED, "the line could not be started (%s), trying again", strerror(-r));
    if (line->pidfd >= 0) { /* it is there, and was not told what to do */
        kill(line->pid, SIGKILL);
        return;
    }
    if (line->pid > 0) {
        kill(line->pid, SIGKILL);
        waitpid(line->pid, NULL, 0);
    }
    forget(line);
    line->again_ns = lkd_clock_ns() + AGAIN_MAX_NS;
}

/* ---- the thread ---- */

static void judge(struct lkd_line *line)
{
    bool stands = line->unanswered >= UNANSWERED_MAX;

    for (int i = 0; i < LKD_LINE_RELAYS; i++)
        stands = stands || line->still[i] >= UNANSWERED_MAX;
    if (stands && !*line->why) {
        snprintf(line->why, sizeof(line->why), "it stood still for %d ms",
                 (int)(UNANSWERED_MAX * ASK_NS / NS_PER_MS));
        kill(line->pid, SIGKILL);
    }
}

static void look_after(struct lkd_line *line, int64_t now_ns)
{
    bool changed;

    if (line->pid == 0) {
        if (now_ns >= line->again_ns)
            start_again(line);
        return;
    }
    pthread_mutex_lock(&line->lock);
    changed = line->clients_changed;
    pthread_mutex_unlock(&line->lock);
    if (changed)
        send_clients(line);
    if (now_ns >= line->ask_ns) {
        judge(line);
        ask(line);
        line->ask_ns = now_ns + ASK_NS;
    }
}

static int wait_ms(const struct lkd_line *line, int64_t now_ns)
{
    int64_t next_ns = line->pid > 0 ? line->ask_ns : line->again_ns;

    return next_ns <= now_ns ? 0 : (int)((next_ns - now_ns) / NS_PER_MS) + 1;
}

static void clear_wake(struct lkd_line *line)
{
    uint64_t count;

    while (read(line->wake, &count, sizeof(count)) < 0 && errno == EINTR)
        ;
}

/* Its end of the channels is closed: it sends what it has, and goes. */
static void await_end(struct lkd_line *line)
{
    struct pollfd item = {.fd = line->pidfd, .events = POLLIN};
    char text[REASON_SIZE];

    if (line->pid == 0)
        return;
    shutdown(line->orders, SHUT_WR);
    if (poll(&item, 1, LAST_MS) != 1)
        kill(line->pid, SIGKILL);
    hear_all(line, text);
    while (waitpid(line->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    forget(line);
}

/* The process ends with the thread that has started it, by PR_SET_PDEATHSIG. */
static void *run(void *data)
{
    struct lkd_line *line = data;

    pthread_setname_np(pthread_self(), "lkd-line");
    while (!atomic_load(&line->quit)) {
        struct pollfd items[] = {{.fd = line->wake, .events = POLLIN},
                                 {.fd = line->pidfd, .events = POLLIN},
                                 {.fd = line->orders, .events = POLLIN}};
        char text[REASON_SIZE];

        /* where the kernel has no memory for it, it may have some later: nobody else starts a line
         */
        if (poll(items, 3, wait_ms(line, lkd_clock_ns())) < 0)
            nanosleep(&(struct timespec){.tv_nsec = AGAIN_MIN_NS}, NULL);
        if (items[0].revents)
            clear_wake(line);
        if (items[1].revents)
            bury(line);
        else if (items[2].revents)
            hear_all(line, text);
        look_after(line, lkd_clock_ns());
    }
    await_end(line);
    return NULL;
}

/* ---- open and close ---- */

static int open_channel(struct lkd_line *line, enum lkd_channel i, const char *endpoint, bool open,
                        struct lk_error *error)
{
    struct own_channel *channel = &line->channel[i];
    struct lkd_order_socket *wanted = &line->setup.socket[line->setup.n_sockets];
    int r;

    if (!endpoint || !*endpoint)
        return 0;
    r = lkd_endpoint_listen(endpoint, open, &channel->listener, error);
    if (r)
        return r;
    snprintf(channel->endpoint, sizeof(channel->endpoint), "%s", endpoint);
    r = lkd_port_pair(channel->end);
    if (r == 0)
        r = lkd_port_init(&channel->port, channel->end[0], lkd_channel_size_max(i));
    if (r)
        return r;
    wanted->channel = i;
    snprintf(wanted->endpoint, sizeof(wanted->endpoint), "%s", endpoint);
    line->setup.n_sockets++;
    lkd_log(LKD_C_LISTENING, "listening on %s%s", endpoint,
            i >= LKD_CHANNEL_VILLAS_INPUTS ? " for VILLASnode" : "");
    return 0;
}

static int open_channels(struct lkd_line *line, const struct lkd_line_options *options,
                         struct lk_error *error)
{
    int r = 0;

    for (int i = 0; i < LKD_N_CHANNELS && r == 0; i++) {
        bool gateway = i >= LKD_CHANNEL_VILLAS_INPUTS;

        r = open_channel(line, (enum lkd_channel)i, options->endpoint[i],
                         gateway ? options->clear_text : options->secret != NULL, error);
    }
    return r;
}

/* The first process, and until it serves. */
static int await_ready(struct lkd_line *line, struct lk_error *error)
{
    int64_t until_ns = lkd_clock_ns() + READY_MS * NS_PER_MS;
    char text[REASON_SIZE] = "";
    int r = give_birth(line);

    while (r == 0 && !line->ready) {
        struct pollfd items[] = {{.fd = line->pidfd, .events = POLLIN},
                                 {.fd = line->orders, .events = POLLIN}};
        int64_t left_ns = until_ns - lkd_clock_ns();

        if (left_ns > 0)
            poll(items, 2, (int)(left_ns / NS_PER_MS) + 1);
        hear_all(line, text);
        if (!line->ready && (left_ns <= 0 || items[0].revents)) {
            lk_error_set(error, "the line process could not open the endpoints: %s",
                         *text          ? text
                         : left_ns <= 0 ? "no answer"
                                        : "it ended");
            return LK_E_TEXT;
        }
    }
    return r;
}

static struct lkd_line *make(const struct lkd_line_options *options)
{
    struct lkd_line *line = calloc(1, sizeof(*line));

    if (!line)
        return NULL;
    for (int i = 0; i < LKD_N_CHANNELS; i++)
        line->channel[i].listener = line->channel[i].end[0] = line->channel[i].end[1] = -1;
    line->pidfd = line->orders = -1;
    line->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    pthread_mutex_init(&line->lock, NULL);
    line->setup.kind = LKD_ORDER_SETUP;
    line->setup.memory = options->memory;
    line->setup.samples = options->samples;
    line->setup.keyed = options->secret != NULL;
    line->clients.kind = LKD_ORDER_CLIENTS;
    if (options->secret) {
        memcpy(line->setup.secret, options->secret, sizeof(line->setup.secret));
        line->clients.clients = *options->clients;
    }
    return line;
}

int lkd_line_open(const struct lkd_line_options *options, struct lkd_line **ret_line,
                  struct lk_error *ret_error)
{
    struct lkd_line *line = make(options);
    int r;

    if (!line)
        return -ENOMEM;
    r = line->wake < 0 ? -EMFILE : open_channels(line, options, ret_error);
    if (r == 0)
        r = await_ready(line, ret_error);
    if (r == 0)
        r = -pthread_create(&line->thread, NULL, run, line);
    line->started = r == 0;
    if (r)
        lkd_line_close(line);
    else
        *ret_line = line;
    return r;
}

/* Nothing more comes from us; what is in there can still be taken out. */
static void shut_channels(struct lkd_line *line)
{
    for (int i = 0; i < LKD_N_CHANNELS; i++)
        if (line->channel[i].end[0] >= 0)
            shutdown(line->channel[i].end[0], SHUT_WR);
}

static void close_channels(struct lkd_line *line)
{
    for (int i = 0; i < LKD_N_CHANNELS; i++) {
        struct own_channel *channel = &line->channel[i];

        lkd_port_fini(&channel->port);
        for (int end = 0; end < 2; end++)
            if (channel->end[end] >= 0)
                close(channel->end[end]);
        if (channel->listener >= 0)
            lkd_endpoint_close(channel->endpoint, channel->listener);
    }
}

void lkd_line_close(struct lkd_line *line)
{
    const uint64_t one = 1;

    if (!line)
        return;
    atomic_store(&line->quit, true);
    shut_channels(line);
    if (line->started) {
        if (write(line->wake, &one, sizeof(one)) == sizeof(one))
            pthread_join(line->thread, NULL);
    } else if (line->pid > 0) {
        kill(line->pid, SIGKILL);
        await_end(line);
    }
    close_channels(line);
    if (line->wake >= 0)
        close(line->wake);
    pthread_mutex_destroy(&line->lock);
    explicit_bzero(&line->setup, sizeof(line->setup));
    free(line);
}

struct lkd_port *lkd_line_port(struct lkd_line *line, enum lkd_channel channel)
{
    return line->channel[channel].listener >= 0 ? &line->channel[channel].port : NULL;
}

void lkd_line_replace(struct lkd_line *line, const struct lkd_clients *clients, const char *news)
{
    const uint64_t one = 1;

    pthread_mutex_lock(&line->lock);
    line->clients.clients = *clients;
    line->clients_changed = true;
    snprintf(line->news, sizeof(line->news), "%s", news);
    pthread_mutex_unlock(&line->lock);
    /* in vain only when it is woken already */
    if (write(line->wake, &one, sizeof(one)) < 0)
        return;
}

uint64_t lkd_line_turned_away(const struct lkd_line *line)
{
    return line ? atomic_load(&line->turned_away_before) + atomic_load(&line->turned_away) : 0;
}

uint64_t lkd_line_restarts(const struct lkd_line *line)
{
    return line ? atomic_load(&line->restarts) : 0;
}

int lkd_line_priority(const struct lkd_line *line)
{
    return line ? atomic_load(&line->priority) : 0;
}
