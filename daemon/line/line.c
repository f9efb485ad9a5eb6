/* SPDX-License-Identifier: Apache-2.0 */
#include "line_private.h"
#include "log.h"
#include "wait.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Time limit for the first process to open all endpoints, sufficient on a slow machine. */
#define READY_MS 60000

/* Start the first process and wait until it serves clients. */
static int await_first_process(struct lkd_line *line, struct lk_error *error)
{
    int64_t until_ns = lkd_clock_ns() + READY_MS * NS_PER_MS;
    char text[LKD_REASON_SIZE] = "";
    int r = lkd_line_give_birth(line);

    while (r == 0 && !line->ready) {
        struct pollfd items[] = {{.fd = line->pidfd, .events = POLLIN},
                                 {.fd = line->orders, .events = POLLIN}};
        int64_t left_ns = until_ns - lkd_clock_ns();

        if (left_ns > 0)
            poll(items, 2, (int)(left_ns / NS_PER_MS) + 1);
        lkd_line_hear_answers(line, text);
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

static struct lkd_line *make_line(const struct lkd_line_options *options)
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
    struct lkd_line *line = make_line(options);
    int r;

    if (!line)
        return -ENOMEM;
    r = line->wake < 0 ? -EMFILE : lkd_line_open_channels(line, options, ret_error);
    if (r == 0)
        r = await_first_process(line, ret_error);
    if (r == 0)
        r = -pthread_create(&line->thread, NULL, lkd_line_supervise, line);
    line->started = r == 0;
    if (r)
        lkd_line_close(line);
    else
        *ret_line = line;
    return r;
}

void lkd_line_close(struct lkd_line *line)
{
    const uint64_t one = 1;

    if (!line)
        return;
    atomic_store(&line->quit, true);
    lkd_line_shut_channels(line);
    if (line->started) {
        if (write(line->wake, &one, sizeof(one)) == sizeof(one))
            pthread_join(line->thread, NULL);
    } else if (line->pid > 0) {
        kill(line->pid, SIGKILL);
        lkd_line_await_end(line);
    }
    lkd_line_close_channels(line);
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
    /* The write fails only if the counter is at its limit; then the thread is already awake. */
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
