/* SPDX-License-Identifier: Apache-2.0 */
/* A real daemon with keys, and clients on its list and others. */
#ifndef TEST_VAULT_H
#define TEST_VAULT_H

#include "harness.h"

/* Longer than any answer of a daemon on this machine takes. */
#define NO_ANSWER_MS 700

#define ROLE(name) LINKAGE__V1__ROLE__ROLE_##name

enum { READER, BENCH, CONTROLLER, STRANGER, N_CLIENTS };

/** struct pair - a key and its secret half. */
struct pair {
    char open[41];
    char secret[41];
};

/** struct vault - a daemon with keys, and those of its clients; STRANGER is not on its list. */
struct vault {
    struct harness h;
    char folder[RIG_FOLDER];
    char secret_path[96];
    char clients_path[96];
    struct pair server;
    struct pair client[N_CLIENTS];
};

/** vault_turned_away() - connections refused so far, from the status.  vault_await_turned_away() -
 * waits until there are at least @n. */
uint64_t vault_turned_away(struct vault *v);
void vault_await_turned_away(struct vault *v, uint64_t n);

/** vault_make_keys() - keys, the server's secret file and the list of clients, and no daemon.
 * vault_remove_keys() - the files and their folder. */
void vault_make_keys(struct vault *v);
void vault_remove_keys(struct vault *v);

/** vault_section() - the keys of such a daemon's configuration besides endpoints. */
void vault_section(const struct vault *v, char *ret, size_t size);

/** vault_write() - a file with this mode;  vault_write_clients() - the list, and @more after it */
void vault_write(const char *path, mode_t mode, const char *text);
void vault_write_clients(const struct vault *v, const char *more);

/** vault_write_keys() - files in its folder for programs that take them: `server`, `bench`,
 * `controller`, `stranger`, and `shown`, the controller's again, which others can read */
void vault_write_keys(const struct vault *v);

/** vault_open() - a daemon with keys; the harness' sockets have that of CONTROLLER.  vault_close()
 */
void vault_open(struct vault *v);
void vault_close(struct vault *v);

/** vault_become() - reconnects the harness' sockets, all three with the key of @client. */
void vault_become(struct vault *v, int client);

/** vault_socket() - not connected;  vault_connect() - to endpoint 0, 1 or 2, as @client;
 * vault_set_keys() - before a connect */
void *vault_socket(struct vault *v, int type);
void *vault_connect(struct vault *v, int type, int endpoint, int client);
void vault_set_keys(void *socket, const char *server, const struct pair *own);

/** vault_expect_silence() - asks for the status and checks that no reply comes; closes @socket. */
void vault_expect_silence(void *socket);

#endif
