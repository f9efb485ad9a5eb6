/* SPDX-License-Identifier: Apache-2.0 */
/* A real daemon with keys, and clients that are on its list or not. */
#ifndef TEST_VAULT_H
#define TEST_VAULT_H

#include "harness.h"

/* longer than a daemon on this machine needs for any answer [ms] */
#define NO_ANSWER_MS 700

#define ROLE(name) LINKAGE__V1__ROLE__ROLE_##name

enum { READER, BENCH, CONTROLLER, STRANGER, N_CLIENTS };

/** struct pair - a key and its secret half. */
struct pair {
    char open[41];
    char secret[41];
};

/** struct vault - a daemon with keys, and the keys of its clients; STRANGER is not on its list */
struct vault {
    struct harness h;
    char folder[RIG_FOLDER];
    char secret_path[96];
    char clients_path[96];
    struct pair server;
    struct pair client[N_CLIENTS];
};

/** vault_turned_away() - Return the number of refused connections so far, from the status.
 *
 * vault_await_turned_away() - Wait until there are at least @n. */
uint64_t vault_turned_away(struct vault *v);
void vault_await_turned_away(struct vault *v, uint64_t n);

/** vault_make_keys() - Make keys, the server's secret file and the list of clients, without a
 * daemon.
 *
 * vault_remove_keys() - Remove the files and their folder. */
void vault_make_keys(struct vault *v);
void vault_remove_keys(struct vault *v);

/** vault_section() - Return the part of the configuration that names the keys, without
 * endpoints. */
void vault_section(const struct vault *v, char *ret, size_t size);

/** vault_write() - Write a file with this mode.
 *
 * vault_write_clients() - Write the list of clients, with @more at its end. */
void vault_write(const char *path, mode_t mode, const char *text);
void vault_write_clients(const struct vault *v, const char *more);

/** vault_write_keys() - Write key files in the vault's folder for programs that need them:
 * `server`, `bench`, `controller`, `stranger` and `shown`. The file `shown` has the controller's
 * key again and is readable for others. */
void vault_write_keys(const struct vault *v);

/** vault_open() - Start a daemon with keys; the harness' sockets have the key of CONTROLLER.
 *
 * vault_close() - Stop the daemon and remove its files. */
void vault_open(struct vault *v);
void vault_close(struct vault *v);

/** vault_become() - Reconnect the harness' sockets, all three with the key of @client. */
void vault_become(struct vault *v, int client);

/** vault_socket() - Make a socket that is not connected.
 *
 * vault_connect() - Make a socket with the keys of @client, connected to endpoint 0, 1 or 2.
 *
 * vault_set_keys() - Set the keys of a socket before it connects. */
void *vault_socket(struct vault *v, int type);
void *vault_connect(struct vault *v, int type, int endpoint, int client);
void vault_set_keys(void *socket, const char *server, const struct pair *own);

/** vault_expect_silence() - Send a request for the status and check that no reply comes. Close
 * @socket. */
void vault_expect_silence(void *socket);

#endif
