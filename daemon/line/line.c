/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"
#include "birth.h"
#include "log.h"
#include "orders.h"
#include "wait.h"
#include "waiting.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
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
/* How often it is asked whether it is there, and how long it may not answer, or one of its threads
 * not get any further. The time in which it has waited for a processor does not count. */
#define ASK_NS   (250 * NS_PER_MS)
#define STILL_NS (5000 * NS_PER_MS)
/* How long the first one may take to open everything, on the slowest of machines. */
#define READY_MS 60000
/* How long it may take to let go the last replies and samples. */
#define LAST_MS 2000
/* One that has lived this long has not ended because of how it was started. */
#define SETTLED_NS (10000 * NS_PER_MS)
/* Before another one is started, when one after the other ends. */
#define AGAIN_MIN_NS (100 * NS_PER_MS)
#define AGAIN_MAX_NS (5000 * NS_PER_MS)

/* Answers read before the process is supervised: more than fit into its socket at once. */
#define ANSWERS_MAX 256

#define REASON_SIZE 96

/** struct own_channel - @open: other machines may reach it;  @listener: -1 for none
 * @end: [0] ours, [1] the line process's */
struct own_channel {
    char endpoint[LKD_ENDPOINT_SIZE];
    bool open;
    int listener;
    int end[2];
    struct lkd_port port;
};

/** struct lkd_line - see line.h.
 * @order:      begins with the set-up of every process; with the secret
 * @lock:       guards @clients, whether they have @clients_changed, and @news: what the log says
 *              when that list counts
 * @wake:       eventfd
 * @pid, @pidfd, @orders, @words: of the present process; 0 and -1: there is none
 * @born_ns:    its start;  @again_ns: when there is to be one
 * @delay_ns:   before the next one
 * @ask_ns:     when it is asked again;  @asked_ns: and when it was
 * @unanswered: the last time;  @silent_ns: for so long;  @turns: of its threads;  @still: which of
 *              them had not got any further when it answered;  @still_ns: for so long
 * @waiting:    for a processor
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
    struct lkd_words words;
    int64_t born_ns;
    int64_t again_ns;
    int64_t delay_ns;
    int64_t ask_ns;
    int64_t asked_ns;
    bool unanswered;
    int64_t silent_ns;
    uint64_t turns[LKD_LINE_RELAYS];
    bool still[LKD_LINE_RELAYS];
    int64_t still_ns[LKD_LINE_RELAYS];
    struct lkd_waiting waiting;
    bool ready;
    char why[REASON_SIZE];
    char reason[REASON_SIZE];
    _Atomic uint64_t turned_away_before;
    _Atomic uint64_t turned_away;
    _Atomic uint64_t restarts;
    _Atomic int priority;
};

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

static void ask(struct lkd_line *line, int64_t now_ns)
{
    const uint32_t kind = LKD_ORDER_ASK;

    line->unanswered = true;
    line->asked_ns = now_ns;
    line->ask_ns = now_ns + ASK_NS;
    if (send(line->orders, &kind, sizeof(kind), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return; /* counted as not answered */
}

/* ---- answers ---- */

static void hear_turns(struct lkd_line *line, const struct lkd_line_answer *answer)
{
    line->unanswered = false;
    for (int i = 0; i < LKD_LINE_RELAYS; i++) {
        line->still[i] = answer->turns[i] == line->turns[i];
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

/* @number: of the list that counts now */
static void hear_clients(struct lkd_line *line, uint32_t number)
{
    char news[PATH_MAX] = "";

    pthread_mutex_lock(&line->lock);
    if (number == line->clients.number) {
        memcpy(news, line->news, sizeof(news));
        *line->news = '\0';
    }
    pthread_mutex_unlock(&line->lock);
    if (*news)
        lkd_log(LKD_C_KEYS_LOADED, "%s", news);
}

static void hear_ready(struct lkd_line *line)
{
    if (line->ready)
        return;
    line->ready = true;
    if (atomic_load(&line->restarts) > 0)
        lkd_log(LKD_C_LINE_RESTARTED, "line restarted (%s), %" PRIu64 " since the start",
                line->reason, atomic_load(&line->restarts));
}

/* Return: whether there was one; of kind 0, if it is none. */
static bool hear(struct lkd_line *line, struct lkd_line_answer *answer)
{
    ssize_t n = recv(line->orders, answer, sizeof(*answer), MSG_DONTWAIT | MSG_TRUNC);

    if (n <= 0)
        return false;
    answer->text[LKD_ANSWER_TEXT_SIZE - 1] = '\0';
    if (n != sizeof(*answer)) {
        answer->kind = 0;
        return true;
    }
    atomic_store(&line->turned_away, answer->turned_away);
    if (answer->kind == LKD_ANSWER_HERE)
        hear_turns(line, answer);
    else if (answer->kind == LKD_ANSWER_READY)
        hear_ready(line);
    else if (answer->kind == LKD_ANSWER_REPORT && may_report(answer->condition))
        lkd_log((enum lkd_condition_id)answer->condition, "%s", answer->text);
    if (answer->kind == LKD_ANSWER_READY || answer->kind == LKD_ANSWER_CLIENTS)
        hear_clients(line, answer->clients);
    return true;
}

/* Its reports, up to a number that no endless talker exceeds. @ret_text: the reason of its failure,
 * if it gave one */
static void hear_all(struct lkd_line *line, char *ret_text)
{
    struct lkd_line_answer answer = {0};

    for (int i = 0; i < ANSWERS_MAX && line->orders >= 0 && hear(line, &answer); i++)
        if (answer.kind == LKD_ANSWER_FAILED)
            snprintf(ret_text, REASON_SIZE, "%.90s", answer.text);
}

/* ---- birth and death ---- */

/* The threads that carry samples have the priority from the process, which may not raise its own.
 */
static int spawn_urgent(struct lkd_line *line, int orders)
{
    int priority = line->setup.samples.priority;
    int r = lkd_spawn(orders, priority, &line->pid, &line->words);

    if (r == -EPERM && priority > 0) {
        lkd_log(LKD_C_EXCHANGE_NORMAL,
                "exchange: priority %d refused: %s; samples come and go at normal priority",
                priority, strerror(-r));
        line->setup.samples.priority = 0; /* once refused, it is from now on */
        lkd_words_close(&line->words);
        r = lkd_spawn(orders, 0, &line->pid, &line->words);
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
    lkd_words_close(&line->words);
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
    line->born_ns = line->asked_ns = lkd_clock_ns();
    line->ask_ns = line->born_ns + ASK_NS;
    line->unanswered = false;
    line->silent_ns = 0;
    memset(line->still, 0, sizeof(line->still));
    memset(line->still_ns, 0, sizeof(line->still_ns));
    line->waiting.n = 0;
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

/* Whoever had them may have done anything to them: each process gets channels of its own. Our end
 * keeps its number, which others poll. What was in the old ones is gone: samples that would come
 * late, replies to connections that are lost. Return: 0, negative errno. */
static int renew_channels(struct lkd_line *line)
{
    int r = 0;

    for (int i = 0; i < LKD_N_CHANNELS && r == 0; i++) {
        int *end = line->channel[i].end, new[2];

        if (line->channel[i].listener < 0)
            continue;
        r = lkd_port_pair(new);
        if (r)
            break;
        if (dup3(new[0], end[0], O_CLOEXEC) < 0)
            r = -errno;
        close(new[0]);
        close(end[1]); /* who polls the old one wakes up */
        end[1] = new[1];
    }
    return r;
}

static int mend_listeners(struct lkd_line *line, struct lk_error *error)
{
    int r = 0;

    for (int i = 0; i < LKD_N_CHANNELS && r == 0; i++) {
        const struct own_channel *channel = &line->channel[i];

        if (channel->listener >= 0)
            r = lkd_endpoint_mend(channel->endpoint, channel->open, channel->listener, error);
    }
    return r;
}

/* Return: whether the process has closed one of its channels. */
static bool has_shut(const struct lkd_line *line)
{
    bool shut = false;

    for (int i = 0; i < LKD_N_CHANNELS; i++) {
        const struct own_channel *channel = &line->channel[i];

        shut = shut || (channel->listener >= 0 &&
                        (lkd_port_is_shut(channel->end[0]) || lkd_port_is_shut(channel->end[1]) ||
                         lkd_port_is_shut(channel->listener)));
    }
    return shut;
}

/* Its process has ended. */
static void bury(struct lkd_line *line)
{
    char text[REASON_SIZE] = "";
    int64_t now_ns = lkd_clock_ns();
    int status = 0;
    bool served;

    lkd_words_hear(&line->words);
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
}

static void start_again(struct lkd_line *line)
{
    struct lk_error error = {0};
    int r = renew_channels(line);

    if (r == 0)
        r = mend_listeners(line, &error);
    atomic_fetch_add(&line->restarts, 1);
    if (r == 0)
        r = give_birth(line);
    if (r == 0)
        return;
    lkd_log(LKD_C_LINE_FAILED, "the line could not be started (%s), trying again",
            r > 0 ? error.text : strerror(-r));
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

static void put_down(struct lkd_line *line, const char *why)
{
    if (*line->why)
        return;
    snprintf(line->why, sizeof(line->why), "%s", why);
    kill(line->pid, SIGKILL);
}

/* Since it was asked: the time in which it could have answered. */
static int64_t had_ns(struct lkd_line *line, int64_t now_ns)
{
    int64_t elapsed_ns = now_ns - line->asked_ns;
    int64_t had_ns = elapsed_ns - lkd_waiting_ns(&line->waiting, "", line->pid, elapsed_ns);

    /* we may have waited ourselves */
    return had_ns < ASK_NS ? had_ns : ASK_NS;
}

static bool is_suspect(const struct lkd_line *line)
{
    bool suspect = line->unanswered;

    for (int i = 0; i < LKD_LINE_RELAYS; i++)
        suspect = suspect || line->still[i];
    return suspect;
}

/* Before it is asked again. */
static void judge(struct lkd_line *line, int64_t now_ns)
{
    int64_t ns = 0;
    bool stands;

    if (is_suspect(line))
        ns = had_ns(line, now_ns);
    else
        line->waiting.n = 0;
    line->silent_ns = line->unanswered ? line->silent_ns + ns : 0;
    stands = line->silent_ns >= STILL_NS;
    for (int i = 0; i < LKD_LINE_RELAYS; i++) {
        line->still_ns[i] = line->still[i] ? line->still_ns[i] + ns : 0;
        stands = stands || line->still_ns[i] >= STILL_NS;
    }
    if (stands)
        put_down(line, "it stood still for 5000 ms");
    else if (has_shut(line) && !atomic_load(&line->quit)) /* and not we */
        put_down(line, "it closed what it was given");
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
        judge(line, now_ns);
        ask(line, now_ns);
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
                                 {.fd = line->orders, .events = POLLIN},
                                 {.fd = line->words.fd, .events = POLLIN}};
        char text[REASON_SIZE];

        /* if the kernel has no memory for it, it may have some later: no other thread starts a line
         * */
        if (poll(items, 4, wait_ms(line, lkd_clock_ns())) < 0)
            nanosleep(&(struct timespec){.tv_nsec = AGAIN_MIN_NS}, NULL);
        if (items[0].revents)
            clear_wake(line);
        if (items[3].revents)
            lkd_words_hear(&line->words);
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
    channel->open = open;
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
    line->pidfd = line->orders = line->words.fd = -1;
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
    line->clients.number++;
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
