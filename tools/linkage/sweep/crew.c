/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that run the cases of a study.
 *
 * Each has one case at a time and sends its row back over a pair of sockets; this process alone
 * writes the journal. They are forked before any thread, with the model compiled. One that dies is
 * replaced, and its case given to the next: somebody may have killed it. A case whose process dies
 * twice is a row. When this process is killed, so are they. */
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
#define SAY_S   60.0 /* between lines of progress where there is no terminal */

/* struct worker - a process. @is_busy: with case @i, for the @tries-th time */
struct worker {
    pid_t pid;
    int fd;
    bool is_busy;
    uint64_t i;
    int tries;
};

/* struct answer - before a row. @outcome: negative errno: no row, and no use in going on */
struct answer {
    int32_t outcome;
    uint32_t size;
};

struct crew {
    struct plan *plan;
    const struct shard *shard;
    struct journal *journal;
    struct worker *worker;
    struct pollfd *poll; /* one for each */
    int n;
    uint64_t next;           /* case that may be given out */
    uint64_t to_do, n_begin; /* cases of the shard; those that the journal had */
    struct progress progress;
    double said_s;
};

/* Return: whether all @size bytes came. */
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

static bool serve_one(struct plan *plan, int fd)
{
    struct answer answer = {0};
    char *row = NULL;
    uint64_t i;
    bool is_given;

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
    if (getppid() != parent) /* it had died before */
        _exit(0);
    close(crew->journal->fd);
    for (int k = 0; k < crew->n; k++)
        if (crew->worker[k].fd >= 0)
            close(crew->worker[k].fd);
    while (serve_one(crew->plan, fd))
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

/* Return: the signal that ended it, 0: none. */
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

/* ---- the one that deals ---- */

static uint64_t next_case(struct crew *crew)
{
    const struct shard *s = crew->shard;

    for (;; crew->next++)
        if (crew->next >= crew->journal->cases ||
            (crew->next % (uint64_t)s->count == (uint64_t)s->index &&
             !journal_has(crew->journal, crew->next)))
            return crew->next++;
}

/* Gives the worker a case, if there is one: its own once more if it has one. */
static void deal(struct crew *crew, struct worker *w)
{
    if (!w->is_busy) {
        w->i = next_case(crew);
        w->tries = 0;
        w->is_busy = w->i < crew->journal->cases;
    }
    if (!w->is_busy)
        return;
    w->tries++;
    give(w->fd, &w->i, sizeof(w->i)); /* if it cannot take it, its socket will say so */
}

static bool keep(struct crew *crew, struct worker *w, int outcome, const char *row)
{
    w->is_busy = false;
    if (!journal_add(crew->journal, w->i, outcome, row))
        return false;
    deal(crew, w);
    return true;
}

static bool replace(struct crew *crew, struct worker *w)
{
    int signal = end_worker(w);
    char *row = NULL;
    bool is_well;

    if (!start_worker(crew, w))
        return false;
    if (w->tries < 2) {
        deal(crew, w);
        return true;
    }
    is_well =
        case_crashed(crew->plan, w->i, signal, &row) >= 0 && keep(crew, w, OUTCOME_CRASHED, row);
    free(row);
    return is_well;
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

static void say(struct crew *crew)
{
    uint64_t here = crew->journal->n_done - crew->n_begin, left = crew->to_do - here;
    double now = now_s(), spent = now - crew->progress.start_s;

    progress_show(&crew->progress, now, (double)here / (double)crew->to_do);
    if (crew->progress.terminal || now - crew->said_s < SAY_S)
        return;
    crew->said_s = now;
    fprintf(stderr, "%" PRIu64 " of %" PRIu64 " cases, %" PRIu64 " not passed, %.0f s left\n", here,
            crew->to_do, crew->journal->n_bad, here > 0 ? spent * (double)left / (double)here : 0);
}

static bool work(struct crew *crew)
{
    bool is_well = true;

    for (int k = 0; k < crew->n && is_well; k++) {
        is_well = start_worker(crew, &crew->worker[k]);
        if (is_well)
            deal(crew, &crew->worker[k]);
    }
    while (is_well) {
        int n_busy = 0;

        for (int k = 0; k < crew->n; k++) {
            const struct worker *w = &crew->worker[k];

            crew->poll[k] = (struct pollfd){.fd = w->is_busy ? w->fd : -1, .events = POLLIN};
            n_busy += w->is_busy;
        }
        if (n_busy == 0)
            break;
        if (poll(crew->poll, (nfds_t)crew->n, 1000) < 0 && errno != EINTR)
            break;
        for (int k = 0; k < crew->n && is_well; k++)
            if (crew->poll[k].revents != 0)
                is_well = hear(crew, &crew->worker[k]);
        say(crew);
    }
    return is_well;
}

static uint64_t count_cases(const struct crew *crew)
{
    uint64_t n = 0;

    for (uint64_t i = (uint64_t)crew->shard->index; i < crew->journal->cases;
         i += (uint64_t)crew->shard->count)
        n += !journal_has(crew->journal, i);
    return n;
}

bool crew_run(struct plan *plan, const struct shard *shard, int n, struct journal *journal)
{
    struct crew crew = {.plan = plan,
                        .shard = shard,
                        .journal = journal,
                        .n_begin = journal->n_done,
                        .said_s = now_s()};
    bool is_well;

    crew.to_do = count_cases(&crew);
    if (crew.to_do == 0)
        return true;
    crew.n = (uint64_t)n < crew.to_do ? n : (int)crew.to_do;
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
    is_well = work(&crew);
    progress_stop(&crew.progress);
    for (int k = 0; k < crew.n; k++) {
        if (!is_well && crew.worker[k].pid > 0) /* in the midst of a case */
            kill(crew.worker[k].pid, SIGKILL);
        end_worker(&crew.worker[k]);
    }
    free(crew.worker);
    free(crew.poll);
    return is_well;
}
