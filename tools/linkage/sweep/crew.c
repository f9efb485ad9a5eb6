/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that run the cases of a study.
 *
 * Each worker process has one case at a time and sends its row back over a pair of sockets. Only
 * this process writes the journal. The workers are forked before this process creates a thread,
 * with the model compiled. A worker that dies is replaced, and its case is assigned once more,
 * because the worker may have been killed from outside. If a worker dies again with the same case,
 * a row with that outcome is written. If this process is killed, its workers are killed too. */
#include "sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROW_MAX (64u << 20)
#define SAY_S   60.0 /* interval of progress messages if there is no terminal */
#define WAIT_MS 1000 /* longest wait for a row */
#define LOOK_MS 2    /* longest wait if other ranks may send messages */

/* struct worker - a worker process.
 * @i:     case assigned to the worker for the @tries-th time
 * @tries: 0: no case */
struct worker {
    pid_t pid;
    int fd;
    uint64_t i;
    int tries;
};

/* struct answer - header of a row.
 * @outcome: enum outcome; a negative errno means that a fatal error prevented the row
 * @size:    size of the row [bytes] */
struct answer {
    int32_t outcome;
    uint32_t size;
};

struct crew {
    struct plan *plan;
    struct journal *journal;
    struct stock stock;
    struct ranks *ranks; /* NULL: only this process uses the stock */
    struct worker *worker;
    struct pollfd *poll; /* one entry for each worker */
    int n;
    uint64_t to_do; /* number of cases in the stock at the start */
    struct progress progress;
    double said_s;
};

/* Receive @size bytes.
 * Return: true if all bytes were received. */
static bool take(int fd, void *bytes, size_t size)
{
    for (char *at = bytes; size > 0;) {
        ssize_t n = recv(fd, at, size, MSG_WAITALL);

        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        if (n > 0) {
            at += n;
            size -= (size_t)n;
        }
    }
    return true;
}

static bool give(int fd, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t n = send(fd, at, size, MSG_NOSIGNAL);

        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            at += n;
            size -= (size_t)n;
        }
    }
    return true;
}

/* ---- a worker ---- */

static bool serve_case(struct plan *plan, int fd)
{
    struct answer answer = {0};
    char *row = NULL;
    bool is_given;
    uint64_t i;

    if (!take(fd, &i, sizeof(i)))
        return false;
    answer.outcome = case_run(plan, i, NULL, &row);
    answer.size = row != NULL && answer.outcome >= 0 ? (uint32_t)strlen(row) : 0;
    is_given = give(fd, &answer, sizeof(answer)) && give(fd, row, answer.size);
    free(row);
    return is_given;
}

static void serve(const struct crew *crew, int fd, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* the parent died before prctl() */
        _exit(0);
    close(crew->journal->fd);
    for (int k = 0; k < crew->n; k++)
        if (crew->worker[k].fd >= 0)
            close(crew->worker[k].fd);
    while (serve_case(crew->plan, fd))
        continue;
    _exit(0);
}

static bool start_worker(struct crew *crew, struct worker *w)
{
    pid_t parent = getpid();
    int pair[2];

    fflush(NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        complain("%s", strerror(errno));
        return false;
    }
    w->pid = fork();
    if (w->pid == 0) {
        close(pair[0]);
        serve(crew, pair[1], parent);
    }
    close(pair[1]);
    w->fd = pair[0];
    if (w->pid > 0)
        return true;
    complain("%s", strerror(errno));
    return false;
}

/* Close the socket of a worker and wait for its end.
 * Return: the signal that killed it, 0: none. */
static int end_worker(struct worker *w)
{
    int status = 0;

    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
    while (w->pid > 0 && waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    w->pid = 0;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* ---- the assigning process ---- */

static bool next_case(struct crew *crew, uint64_t *ret)
{
    return crew->ranks != NULL ? ranks_next(crew->ranks, &crew->stock, ret)
                               : stock_next(&crew->stock, ret);
}

static bool is_busy(const struct worker *w)
{
    return w->tries > 0;
}

static void send_case(struct worker *w)
{
    w->tries++;
    give(w->fd, &w->i, sizeof(w->i)); /* if the worker has died, the socket will report this */
}

/* Assign cases to idle workers while cases remain.
 * Return: number of running cases. */
static int deal(struct crew *crew)
{
    int n_running = 0;

    for (int k = 0; k < crew->n; k++) {
        struct worker *w = &crew->worker[k];

        if (!is_busy(w) && next_case(crew, &w->i))
            send_case(w);
        n_running += is_busy(w);
    }
    return n_running;
}

static bool keep(struct crew *crew, struct worker *w, int outcome, const char *row)
{
    w->tries = 0;
    return journal_add(crew->journal, w->i, outcome, row);
}

/* Handle a worker that died. The first time, its replacement repeats the case. The second time,
 * write a row with the outcome. */
static bool desert(struct crew *crew, struct worker *w, int signal)
{
    char *row = NULL;
    bool is_well;

    if (!is_busy(w))
        return true;
    if (w->tries < 2) {
        send_case(w);
        return true;
    }
    is_well =
        case_crashed(crew->plan, w->i, signal, &row) >= 0 && keep(crew, w, OUTCOME_CRASHED, row);
    free(row);
    return is_well;
}

static bool replace(struct crew *crew, struct worker *w)
{
    int signal = end_worker(w);

    return start_worker(crew, w) && desert(crew, w, signal);
}

static bool hear(struct crew *crew, struct worker *w)
{
    struct answer answer;
    char *row;
    bool is_well;

    if (!take(w->fd, &answer, sizeof(answer)) || answer.size > ROW_MAX)
        return replace(crew, w);
    if (answer.outcome < 0) {
        complain("case %" PRIu64 ": %s", w->i + 1, strerror(-answer.outcome));
        return false;
    }
    row = calloc(1, (size_t)answer.size + 1);
    if (row == NULL) {
        complain("out of memory");
        return false;
    }
    is_well = take(w->fd, row, answer.size) ? keep(crew, w, answer.outcome, row) : replace(crew, w);
    free(row);
    return is_well;
}

/* Print the progress. With several ranks, only rank 0 knows it. */
static void say(struct crew *crew, int n_running)
{
    uint64_t left = crew->stock.left + (uint64_t)n_running;
    double now = now_s(), done = 1 - (double)left / (double)crew->to_do;

    if (crew->to_do == 0 || (crew->ranks != NULL && crew->ranks->rank > 0))
        return;
    progress_show(&crew->progress, now, done);
    if (crew->progress.terminal || now - crew->said_s < SAY_S)
        return;
    crew->said_s = now;
    fprintf(stderr, "%" PRIu64 " of %" PRIu64 " cases, %" PRIu64 " not passed, %.0f s left\n",
            crew->to_do - left, crew->to_do, crew->journal->n_bad,
            done > 0 ? (now - crew->progress.start_s) * (1 - done) / done : 0);
}

static bool hear_all(struct crew *crew, int wait_ms)
{
    bool is_well = true;

    for (int k = 0; k < crew->n; k++) {
        const struct worker *w = &crew->worker[k];

        crew->poll[k] = (struct pollfd){.fd = is_busy(w) ? w->fd : -1, .events = POLLIN};
    }
    if (poll(crew->poll, (nfds_t)crew->n, wait_ms) < 0)
        return errno == EINTR;
    for (int k = 0; k < crew->n && is_well; k++)
        if (crew->poll[k].revents != 0)
            is_well = hear(crew, &crew->worker[k]);
    return is_well;
}

static bool work(struct crew *crew)
{
    bool is_well = true;

    while (is_well) {
        bool has_more = crew->ranks != NULL && ranks_look(crew->ranks, &crew->stock);
        int n_running = deal(crew);

        if (n_running == 0 && !has_more)
            break;
        is_well = hear_all(crew, has_more ? LOOK_MS : WAIT_MS);
        say(crew, n_running);
    }
    return is_well;
}

/* Fork the workers first, while this process has no threads. */
static bool begin(struct crew *crew, const struct shard *shard)
{
    for (int k = 0; k < crew->n; k++)
        if (!start_worker(crew, &crew->worker[k]))
            return false;
    if (crew->ranks != NULL && !ranks_begin(crew->ranks, crew->plan, crew->journal))
        return false;
    stock_open(shard, crew->journal, &crew->stock);
    crew->to_do = crew->stock.left;
    return true;
}

bool crew_run(struct plan *plan, const struct shard *shard, int n, struct journal *journal,
              struct ranks *ranks)
{
    struct crew crew = {.plan = plan, .journal = journal, .ranks = ranks, .said_s = now_s()};
    struct stock stock;
    bool is_well;

    stock_open(shard, journal, &stock);
    if (stock.left == 0 && ranks == NULL)
        return true;
    crew.n = (uint64_t)n < stock.left || ranks != NULL ? n : (int)stock.left;
    crew.worker = calloc((size_t)crew.n, sizeof(*crew.worker));
    crew.poll = calloc((size_t)crew.n, sizeof(*crew.poll));
    if (crew.worker == NULL || crew.poll == NULL) {
        complain("out of memory");
        free(crew.worker);
        free(crew.poll);
        return false;
    }
    for (int k = 0; k < crew.n; k++)
        crew.worker[k].fd = -1;
    progress_start(&crew.progress);
    is_well = begin(&crew, shard) && work(&crew);
    progress_hide();
    for (int k = 0; k < crew.n; k++) {
        if (!is_well && crew.worker[k].pid > 0) /* it may be running a case */
            kill(crew.worker[k].pid, SIGKILL);
        end_worker(&crew.worker[k]);
    }
    free(crew.worker);
    free(crew.poll);
    return is_well;
}
