/* SPDX-License-Identifier: Apache-2.0 */
/* Connection of the image to the daemon. It reads the description of the model, copies samples of
 * the daemon into the image, and sets the values that a master commands, like `linkagectl set`. If
 * the daemon disappears or loads another model, the session of the master ends, because the
 * addresses of the master have become invalid.
 * Thread: one. */
#ifndef TOOLS_XCP_LINE_H
#define TOOLS_XCP_LINE_H

#include "client.h"
#include "ports.h"
#include "socket.h"

#define XCP_TIMEOUT_MS 1000 /* time limit for an answer of the daemon */
#define XCP_LOST_S     10   /* silence, also of heartbeats, that means: no daemon */

/** enum xcp_question - the pending request: none, description of the model, values of the
 * inputs. */
enum xcp_question { XCP_NO_QUESTION, XCP_DESCRIBE, XCP_LOOK };

/** struct xcp_line - connection to the daemon. Initialise with {0}, except for @ports and the
 * fields of the command line.
 * @address, @port:  address for masters, written to the A2L file
 * @poller:          client for periodic requests
 * @setter:          client for commands of a master
 * @outputs:         socket of samples and heartbeats, decoded in @arena
 * @model_id, @daemon_id: model and daemon to which @image belongs
 * @heard_ns:        time of the last message of the daemon
 * @asked_ns:        time of the request @question
 * @looked_ns:       time of the last request for the inputs
 * @outdated:        values were set after the request, so that the reply may contain older values
 * @is_each:         the daemon publishes every step, detected from @in_a_row consecutive steps
 * @step, @sequence: numbers of the newest sample, valid if @has_sample
 * @base_us:         difference between xcp_slave.clock_us and the time of the run */
struct xcp_line {
    struct xcp_ports *ports;
    struct xcp_slave *slave;
    const char *address;
    int port;
    struct lk_client *poller;
    struct lk_client *setter;
    struct lk_client_socket outputs;
    struct lk_wire_arena arena;
    struct xcp_image image;
    uint64_t model_id;
    uint64_t daemon_id;
    int64_t heard_ns;
    enum xcp_question question;
    int64_t asked_ns;
    int64_t looked_ns;
    bool outdated;
    bool has_sample;
    bool is_each;
    int in_a_row;
    uint64_t step;
    uint64_t sequence;
    int64_t base_us;
};

/** xcp_line_open() - Open the connection.
 * @control: endpoint of control
 * @outputs: endpoint of outputs, or NULL
 * @keys:    keys, or NULL
 * Return: 0, or a code of the client library. */
int xcp_line_open(struct xcp_line *line, const char *control, const char *outputs,
                  const struct lk_client_options *keys, struct lk_error *ret_error);
void xcp_line_close(struct xcp_line *line);

/** xcp_line_poll() - Write the two sockets to be polled to @items.
 * Return: 2. */
int xcp_line_poll(const struct xcp_line *line, zmq_pollitem_t *items);
/** xcp_line_serve() - Process received messages, and send requests that are due. */
void xcp_line_serve(struct xcp_line *line, int64_t now_ns);

/** xcp_line_write() - Set inputs; the callback @write of struct xcp_calls.
 * @context: a struct xcp_line */
int xcp_line_write(void *context, int place, int n, const double *values);

#endif
