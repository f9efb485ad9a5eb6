/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's side of its line process (process.h): the listening sockets, the channels, and a
 * thread that starts the process, reads its reports, and restarts it when it ends or does not
 * answer.
 *
 *     benches, clients  <--->  line process  <-- channels -->  exchange, control
 *                                    ^------ orders ------->  lkd-line
 *
 * The daemon keeps the listening sockets and both ends of all channels. So a restart of the process
 * changes nothing for the threads that use a channel, and no address is lost. Clients that connect
 * during the restart wait. Messages in transit through the process are lost.
 *
 * The thread has normal priority, and no other thread waits for it. The threads of the process that
 * relay samples may have a higher priority: the process inherits it at each start. */
#ifndef LKD_LINE_LINE_H
#define LKD_LINE_LINE_H

#include "clients.h"
#include "port.h"
#include "realtime.h"
#include <stdint.h>

struct lkd_line;

/** struct lkd_line_options - options of the line process.
 * @endpoint:   endpoint of each channel, NULL or "" for none
 * @secret:     the server's key (Z85), or NULL: no keys; copied
 * @clients:    permitted clients; copied
 * @clear_text: other machines may reach a gateway's endpoint
 * @samples:    priority and core of the threads that relay samples; if the kernel refuses the
 *              priority, the threads have normal priority, and this is logged once
 * @memory:     limit of the data memory of the process [bytes] */
struct lkd_line_options {
    const char *endpoint[LKD_N_CHANNELS];
    const char *secret;
    const struct lkd_clients *clients;
    bool clear_text;
    struct lkd_thread_wish samples;
    uint64_t memory;
};

/** lkd_line_open() - Open the endpoints and start the line process. It serves clients when this
 * function returns.
 * Thread: control; after privileges are dropped, and before any run.
 * Return: 0, LK_E_TEXT (an address is in use or not allowed, or the process could not open it),
 * negative errno. */
int lkd_line_open(const struct lkd_line_options *options, struct lkd_line **ret_line,
                  struct lk_error *ret_error);

/** lkd_line_close() - Flush outgoing messages, wait for the end of the line process, and stop
 * listening. All threads that use a channel must have ended. @line may be NULL. */
void lkd_line_close(struct lkd_line *line);

/** lkd_line_port() - Return the daemon's end of a channel; NULL if the channel has no endpoint. */
struct lkd_port *lkd_line_port(struct lkd_line *line, enum lkd_channel channel);

/** lkd_line_replace() - Replace the list of permitted clients by a copy of @clients. Only new
 * connections are authenticated with the new list.
 * @news: text to log when the list is active
 * Thread: control. */
void lkd_line_replace(struct lkd_line *line, const struct lkd_clients *clients, const char *news);

/** lkd_line_turned_away(), lkd_line_restarts() - Return the number of refused connections, or of
 * restarts of the process, since the start of the daemon.
 * Thread: any; @line may be NULL. */
uint64_t lkd_line_turned_away(const struct lkd_line *line);
uint64_t lkd_line_restarts(const struct lkd_line *line);

/** lkd_line_priority() - Return the SCHED_FIFO priority of the threads that relay samples in the
 * present process, 0: normal.
 * Thread: any; @line may be NULL. */
int lkd_line_priority(const struct lkd_line *line);

#endif
