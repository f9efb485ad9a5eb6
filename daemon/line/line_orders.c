/* SPDX-License-Identifier: Apache-2.0 */
/* Orders to the line process, and its answers; see orders.h. */
#include "line_private.h"
#include "log.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* Limit of answers read in a row: more than the socket can contain at once. */
#define ANSWERS_MAX 256

/* ---- orders ---- */

int lkd_line_send_setup(struct lkd_line *line)
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
        const struct lkd_line_channel *channel = &line->channel[line->setup.socket[i].channel];

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

int lkd_line_send_clients(struct lkd_line *line)
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

void lkd_line_ask(struct lkd_line *line, int64_t now_ns)
{
    const uint32_t kind = LKD_ORDER_ASK;

    line->unanswered = true;
    line->asked_ns = now_ns;
    line->ask_ns = now_ns + LKD_ASK_NS;
    if (send(line->orders, &kind, sizeof(kind), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return; /* without the query the process counts as silent */
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

/* Return true if the line process may report the condition; all other conditions are ignored. */
static bool may_report(uint32_t condition)
{
    return condition == LKD_C_TURNED_AWAY || condition == LKD_C_ZAP_FAILED ||
           condition == LKD_C_REPLY_NOT_SENT || condition == LKD_C_LINE_DESCRIPTORS ||
           condition == LKD_C_EXCHANGE_NORMAL;
}

/* Log that a list of clients is active.
 * @number: number of the active list */
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

/* Receive one answer. If the process has ended without reading all its orders, recv() first returns
 * ECONNRESET once; its last answers can be read afterwards. */
static ssize_t receive_answer(int orders, struct lkd_line_answer *answer)
{
    ssize_t n = recv(orders, answer, sizeof(*answer), MSG_DONTWAIT | MSG_TRUNC);

    if (n < 0 && errno == ECONNRESET)
        n = recv(orders, answer, sizeof(*answer), MSG_DONTWAIT | MSG_TRUNC);
    return n;
}

/* Read one answer. Its kind is set to 0 if it is malformed.
 * Return: true if there was an answer. */
static bool hear_answer(struct lkd_line *line, struct lkd_line_answer *answer)
{
    ssize_t n = receive_answer(line->orders, answer);

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

void lkd_line_hear_answers(struct lkd_line *line, char *ret_text)
{
    struct lkd_line_answer answer = {0};

    for (int i = 0; i < ANSWERS_MAX && line->orders >= 0 && hear_answer(line, &answer); i++)
        if (answer.kind == LKD_ANSWER_FAILED)
            snprintf(ret_text, LKD_REASON_SIZE, "%.90s", answer.text);
}
