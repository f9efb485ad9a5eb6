/* SPDX-License-Identifier: Apache-2.0 */
/* Benches, observers and hostile peers for tests of a line between two machines; one program, usage
 * in traffic.c. SIGTERM ends all of them. */
#ifndef TEST_TRAFFIC_H
#define TEST_TRAFFIC_H

#include "client.h"
#include "keys.h"

/** struct line - a client of the daemon
 * @endpoint: control, inputs, outputs
 * @keys:     keys of this client, stored in @key */
struct line {
    char endpoint[3][LK_CLIENT_ENDPOINT_SIZE];
    struct lk_client_options keys;
    char key[3][LK_KEY_SIZE];
    const char *host;
    const char *name;
};

/** line_ended() - Return true if SIGTERM has come. */
bool line_ended(void);

/** line_socket() - Make a ZeroMQ socket of @type with the keys, connected to endpoint @which. */
void *line_socket(const struct line *line, void *context, int type, int which);

/* Send messages without a pause until SIGTERM.
 * Return: exit status */
int flood_inputs(const struct line *line);
int flood_control(const struct line *line);
int flood_subscriptions(const struct line *line);
/** send_garbage() - Send each kind of garbage, then keep half-open connections until SIGTERM. */
int send_garbage(const struct line *line);

#endif
