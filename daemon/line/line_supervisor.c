/* SPDX-License-Identifier: Apache-2.0 */
/* Supervision of the line process: starts it, checks that it is alive, and restarts it. */
#include "line_private.h"
#include "log.h"
#include "wait.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The process is killed after this time without an answer, or without progress of one of its
 * threads. Time in which it waits for a processor does not count. */
#define STILL_NS (5000 * NS_PER_MS)
/* Time limit for the process to send the last replies and samples. */
#define LAST_MS 2000
/* If a process ends after this uptime, its start was not the cause; the delay of restarts is
 * reset. */
#define SETTLED_NS (10000 * NS_PER_MS)
/* Limits of the delay before a restart. The delay grows while processes end one after the other. */
#define AGAIN_MIN_NS (100 * NS_PER_MS)
#define AGAIN_MAX_NS (5000 * NS_PER_MS)

/* ---- start and end of the process ---- */

/* Start the process with the priority of the threads that relay samples, because it must not raise
 * its own priority. */
static int spawn_urgent(struct lkd_line *line, int orders)
{
    int priority = line->setup.samples.priority;
    int r = lkd_spawn(orders, priority, &line->pid, &line->words);

    if (r == -EPERM && priority > 0) {
        lkd_log(LKD_C_EXCHANGE_NORMAL,
                "exchange: priority %d refused: %s; samples come and go at normal priority",
                priority, strerror(-r));
        line->setup.samples.priority = 0; /* a refused priority is not requested again */
        lkd_words_close(&line->words);
        r = lkd_spawn(orders, 0, &line->pid, &line->words);
    }
    atomic_store(&line->priority, line->setup.samples.priority);
    return r;
}

static void forget_process(struct lkd_line *line)
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

int lkd_line_give_birth(struct lkd_line *line)
{
    int end[2], r;

    r = lkd_port_pair(end);
    if (r)
        return r;
    line->orders = end[0];
    r = spawn_urgent(line, end[1]);
    close(end[1]);
    if (r) {
        forget_process(line);
        return r;
    }
    line->pidfd = (int)syscall(SYS_pidfd_open, line->pid, 0);
    line->born_ns = line->asked_ns = lkd_clock_ns();
    line->ask_ns = line->born_ns + LKD_ASK_NS;
    line->unanswered = false;
    line->silent_ns = 0;
    memset(line->still, 0, sizeof(line->still));
    memset(line->still_ns, 0, sizeof(line->still_ns));
    line->waiting.n = 0;
    *line->why = '\0';
    line->setup.generation++;
    r = line->pidfd < 0 ? -errno : lkd_line_send_setup(line);
    return r ? r : lkd_line_send_clients(line);
}

/* Return true if the process ended because it had no descriptor for a new connection: libzmq 4.3.4
 * then writes a message and aborts. The number of descriptors is not checked here, because some may
 * be free again. */
static bool ran_out(const struct lkd_line *line, int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) == LKD_LINE_EXIT_DESCRIPTORS
                             : line->words.descriptors;
}

static void describe_end(const struct lkd_line *line, int status, char *ret)
{
    if (*line->why)
        snprintf(ret, LKD_REASON_SIZE, "%s", line->why);
    else if (ran_out(line, status))
        snprintf(ret, LKD_REASON_SIZE, "all its descriptors were in use");
    else if (WIFSIGNALED(status))
        snprintf(ret, LKD_REASON_SIZE, "signal %d, %s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == LKD_LINE_EXIT_MEMORY)
        snprintf(ret, LKD_REASON_SIZE, "it had used up its memory, %" PRIu64 " MiB",
                 line->setup.memory >> 20);
    else
        snprintf(ret, LKD_REASON_SIZE, "exit status %d", WEXITSTATUS(status));
}

/* Handle the end of the process: log the reason and schedule the next start. */
static void bury_process(struct lkd_line *line)
{
    char text[LKD_REASON_SIZE] = "";
    int64_t now_ns = lkd_clock_ns();
    int status = 0;
    bool served;

    lkd_words_hear(&line->words);
    lkd_line_hear_answers(line, text);
    served = line->ready;
    while (waitpid(line->pid, &status, 0) < 0 && errno == EINTR)
        ;
    describe_end(line, status, line->reason);
    if (ran_out(line, status))
        lkd_log(LKD_C_LINE_DESCRIPTORS, "all descriptors of the line were in use");
    if (*text && !*line->why) /* reported by the process itself */
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
    forget_process(line);
}

static void start_process_again(struct lkd_line *line)
{
    struct lk_error error = {0};
    int r = lkd_line_renew_channels(line);

    if (r == 0)
        r = lkd_line_mend_listeners(line, &error);
    atomic_fetch_add(&line->restarts, 1);
    if (r == 0)
        r = lkd_line_give_birth(line);
    if (r == 0)
        return;
    lkd_log(LKD_C_LINE_FAILED, "the line could not be started (%s), trying again",
            r > 0 ? error.text : strerror(-r));
    if (line->pidfd >= 0) { /* the process runs, but could not be sent its orders */
        kill(line->pid, SIGKILL);
        return;
    }
    if (line->pid > 0) {
        kill(line->pid, SIGKILL);
        waitpid(line->pid, NULL, 0);
    }
    forget_process(line);
    line->again_ns = lkd_clock_ns() + AGAIN_MAX_NS;
}

/* ---- the thread ---- */

static void put_down_process(struct lkd_line *line, const char *why)
{
    if (*line->why)
        return;
    snprintf(line->why, sizeof(line->why), "%s", why);
    kill(line->pid, SIGKILL);
}

/* Return the time since the last query in which the process could have run. It is at most
 * LKD_ASK_NS, because this thread may itself have waited for a processor. */
static int64_t had_ns(struct lkd_line *line, int64_t now_ns)
{
    int64_t elapsed_ns = now_ns - line->asked_ns;
    int64_t had_ns = elapsed_ns - lkd_waiting_ns(&line->waiting, "", line->pid, elapsed_ns);

    return had_ns < LKD_ASK_NS ? had_ns : LKD_ASK_NS;
}

static bool is_suspect(const struct lkd_line *line)
{
    bool suspect = line->unanswered;

    for (int i = 0; i < LKD_LINE_RELAYS; i++)
        suspect = suspect || line->still[i];
    return suspect;
}

/* Check the process before the next query; kill it if it hangs. */
static void judge_process(struct lkd_line *line, int64_t now_ns)
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
        put_down_process(line, "it stood still for 5000 ms");
    else if (lkd_line_has_shut_channel(line) && !atomic_load(&line->quit)) /* not by us */
        put_down_process(line, "it closed what it was given");
}

static void look_after_process(struct lkd_line *line, int64_t now_ns)
{
    bool changed;

    if (line->pid == 0) {
        if (now_ns >= line->again_ns)
            start_process_again(line);
        return;
    }
    pthread_mutex_lock(&line->lock);
    changed = line->clients_changed;
    pthread_mutex_unlock(&line->lock);
    if (changed)
        lkd_line_send_clients(line);
    if (now_ns >= line->ask_ns) {
        judge_process(line, now_ns);
        lkd_line_ask(line, now_ns);
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

void lkd_line_await_end(struct lkd_line *line)
{
    struct pollfd item = {.fd = line->pidfd, .events = POLLIN};
    char text[LKD_REASON_SIZE];

    if (line->pid == 0)
        return;
    shutdown(line->orders, SHUT_WR);
    if (poll(&item, 1, LAST_MS) != 1)
        kill(line->pid, SIGKILL);
    lkd_line_hear_answers(line, text);
    while (waitpid(line->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    forget_process(line);
}

void *lkd_line_supervise(void *data)
{
    struct lkd_line *line = data;

    pthread_setname_np(pthread_self(), "lkd-line");
    while (!atomic_load(&line->quit)) {
        struct pollfd items[] = {{.fd = line->wake, .events = POLLIN},
                                 {.fd = line->pidfd, .events = POLLIN},
                                 {.fd = line->orders, .events = POLLIN},
                                 {.fd = line->words.fd, .events = POLLIN}};
        char text[LKD_REASON_SIZE];

        /* If the kernel has no memory for poll(), try again: no other thread restarts the line
         * process. */
        if (poll(items, 4, wait_ms(line, lkd_clock_ns())) < 0)
            nanosleep(&(struct timespec){.tv_nsec = AGAIN_MIN_NS}, NULL);
        if (items[0].revents)
            clear_wake(line);
        if (items[3].revents)
            lkd_words_hear(&line->words);
        if (items[1].revents)
            bury_process(line);
        else if (items[2].revents)
            lkd_line_hear_answers(line, text);
        look_after_process(line, lkd_clock_ns());
    }
    lkd_line_await_end(line);
    return NULL;
}
