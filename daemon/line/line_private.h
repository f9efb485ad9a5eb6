/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of the daemon's side of the line process, shared by the orders to the process
 * (line_orders.c), its channels (line_channels.c), its supervision (line_supervisor.c) and the
 * functions of line.h (line.c). */
#ifndef LKD_LINE_LINE_PRIVATE_H
#define LKD_LINE_LINE_PRIVATE_H

#include "birth.h"
#include "line.h"
#include "orders.h"
#include "waiting.h"
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#define LKD_REASON_SIZE 96
#define NS_PER_MS       INT64_C(1000000)
/* Interval of the liveness queries to the process. */
#define LKD_ASK_NS (250 * NS_PER_MS)

/** struct lkd_line_channel - a channel and its endpoint.
 * @open:     other machines may reach the endpoint
 * @listener: listening socket, -1: no endpoint
 * @end:      ends of the channel: [0] of the daemon, [1] of the process */
struct lkd_line_channel {
    char endpoint[LKD_ENDPOINT_SIZE];
    bool open;
    int listener;
    int end[2];
    struct lkd_port port;
};

/** struct lkd_line - see line.h.
 * @setup:              first order to every process; contains the secret
 * @lock:               guards @clients, @clients_changed and @news
 * @news:               text to log when the list @clients is active
 * @wake:               eventfd that wakes the thread
 * @pid, @pidfd, @orders, @words: of the current process; 0 and -1: there is none
 * @born_ns:            start time of the current process
 * @again_ns:           start time of the next process
 * @delay_ns:           delay before the next restart
 * @ask_ns:             time of the next query
 * @asked_ns:           time of the last query
 * @unanswered:         the last query has no answer
 * @silent_ns:          time without an answer
 * @turns:              loop counts of the threads of the process
 * @still:              threads whose count did not advance before the last answer
 * @still_ns:           time since these threads last advanced
 * @waiting:            time that the process has waited for a processor
 * @ready:              the process serves clients
 * @why:                reason for killing the process, "" if it was not killed
 * @reason:             reason for the end of the previous process
 * @turned_away_before: connections refused by earlier processes
 * @priority:           priority of the threads that relay samples */
struct lkd_line {
    struct lkd_line_channel channel[LKD_N_CHANNELS];
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
    char why[LKD_REASON_SIZE];
    char reason[LKD_REASON_SIZE];
    _Atomic uint64_t turned_away_before;
    _Atomic uint64_t turned_away;
    _Atomic uint64_t restarts;
    _Atomic int priority;
};

/** lkd_line_send_setup() - Send the set-up, with the descriptors of all channels, to the process.
 * lkd_line_send_clients() - Send the present list of clients, if the line has keys.
 * Return: 0, negative errno. */
int lkd_line_send_setup(struct lkd_line *line);
int lkd_line_send_clients(struct lkd_line *line);

/** lkd_line_ask() - Send a liveness query to the process, and schedule the next one LKD_ASK_NS
 * after @now_ns. */
void lkd_line_ask(struct lkd_line *line, int64_t now_ns);

/** lkd_line_hear_answers() - Read the reports of the process, a bounded number per call.
 * @ret_text: LKD_REASON_SIZE bytes; written if the process reports a failure: the reason */
void lkd_line_hear_answers(struct lkd_line *line, char *ret_text);

/** lkd_line_open_channels() - Open the listening socket and both ends of every channel that has an
 * endpoint.
 * Return: 0, LK_E_TEXT, negative errno. */
int lkd_line_open_channels(struct lkd_line *line, const struct lkd_line_options *options,
                           struct lk_error *error);

/** lkd_line_renew_channels() - Create new channels for a new process, because the old ones may
 * contain arbitrary data. The daemon's ends keep their descriptor numbers, because other threads
 * poll these. Messages in the old channels are lost: late samples, and replies to lost connections.
 * Return: 0, negative errno. */
int lkd_line_renew_channels(struct lkd_line *line);

/** lkd_line_mend_listeners() - Restore endpoints that the process has removed.
 * Return: 0, LK_E_TEXT, negative errno. */
int lkd_line_mend_listeners(struct lkd_line *line, struct lk_error *error);

/** lkd_line_has_shut_channel() - Return true if the process has shut down one of its channels. */
bool lkd_line_has_shut_channel(const struct lkd_line *line);

/** lkd_line_shut_channels() - Shut down the daemon's output, so that the process only reads pending
 * messages.
 * lkd_line_close_channels() - Close both ends of all channels, and the listening sockets. */
void lkd_line_shut_channels(struct lkd_line *line);
void lkd_line_close_channels(struct lkd_line *line);

/** lkd_line_give_birth() - Start a line process and send its set-up. The process ends when the
 * calling thread ends.
 * Return: 0, negative errno. */
int lkd_line_give_birth(struct lkd_line *line);

/** lkd_line_await_end() - Wait for the end of the process after lkd_line_shut_channels(); kill the
 * process after LAST_MS. */
void lkd_line_await_end(struct lkd_line *line);

/** lkd_line_supervise() - Start routine of the supervising thread: restart the process whenever it
 * ends, until @quit.
 * @data: struct lkd_line */
void *lkd_line_supervise(void *data);

#endif
