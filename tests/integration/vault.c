/* SPDX-License-Identifier: Apache-2.0 */
#include "vault.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

uint64_t vault_turned_away(struct vault *v)
{
    return harness_command(&v->h, STATUS)->status->turned_away;
}

void vault_await_turned_away(struct vault *v, uint64_t n)
{
    const struct timespec nap = {.tv_nsec = 10000000};

    for (int i = 0; i < PATIENCE_MS / 10 && vault_turned_away(v) < n; i++)
        nanosleep(&nap, NULL);
    if (vault_turned_away(v) < n)
        fail_msg("%d turned away, expected %d", (int)vault_turned_away(v), (int)n);
}

void vault_write(const char *path, mode_t mode, const char *text)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    assert_int_equal(chmod(path, mode), 0);
}

void vault_write_clients(const struct vault *v, const char *more)
{
    char text[1024];

    snprintf(text, sizeof(text),
             "# who may talk\nread reader %s  # looks on\nbench rig %s\n\ncontrol desk %s\n%s",
             v->client[READER].open, v->client[BENCH].open, v->client[CONTROLLER].open, more);
    vault_write(v->clients_path, 0644, text);
}

void vault_make_keys(struct vault *v)
{
    char text[64];

    *v = (struct vault){0};
    assert_int_equal(rig_folder_make("linkaged-keys", v->folder), 0);
    snprintf(v->secret_path, sizeof(v->secret_path), "%s/server.key", v->folder);
    snprintf(v->clients_path, sizeof(v->clients_path), "%s/clients", v->folder);
    assert_int_equal(zmq_curve_keypair(v->server.open, v->server.secret), 0);
    for (int i = 0; i < N_CLIENTS; i++)
        assert_int_equal(zmq_curve_keypair(v->client[i].open, v->client[i].secret), 0);
    snprintf(text, sizeof(text), "%s\n", v->server.secret);
    vault_write(v->secret_path, 0600, text);
    vault_write_clients(v, "");
}

void vault_remove_keys(struct vault *v)
{
    assert_int_equal(rig_folder_remove(v->folder), 0);
}

void vault_section(const struct vault *v, char *ret, size_t size)
{
    snprintf(ret, size,
             "realtime: {degraded: allow, priority: 0, core: none}\n"
             "overrun: {fault_in_a_row: 0}\n" /* these tests are about keys */
             "security:\n  secret_key: %s\n  clients: %s\n",
             v->secret_path, v->clients_path);
}

void vault_set_keys(void *socket, const char *server, const struct pair *own)
{
    assert_int_equal(zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, server, 41), 0);
    assert_int_equal(zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, own->open, 41), 0);
    assert_int_equal(zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, own->secret, 41), 0);
}

void *vault_socket(struct vault *v, int type)
{
    void *socket = zmq_socket(v->h.context, type);
    const int zero = 0;

    assert_non_null(socket);
    zmq_setsockopt(socket, ZMQ_LINGER, &zero, sizeof(zero));
    if (type == ZMQ_SUB)
        zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "\x08", 1); /* OutputSamples, no heartbeats */
    return socket;
}

void *vault_connect(struct vault *v, int type, int endpoint, int client)
{
    void *socket = vault_socket(v, type);

    vault_set_keys(socket, v->server.open, &v->client[client]);
    assert_int_equal(zmq_connect(socket, v->h.endpoint[endpoint]), 0);
    return socket;
}

/* Reconnect the harness' own sockets, all three with the key of @client. */
void vault_become(struct vault *v, int client)
{
    harness_hang_up(&v->h);
    v->h.control = vault_connect(v, ZMQ_DEALER, 0, client);
    v->h.inputs = vault_connect(v, ZMQ_XPUB, 1, client);
    v->h.outputs = vault_connect(v, ZMQ_SUB, 2, client);
}

static void write_key(const struct vault *v, const char *name, mode_t mode, const char *key)
{
    char path[160], text[64];

    snprintf(path, sizeof(path), "%s/%s", v->folder, name);
    snprintf(text, sizeof(text), "%s\n", key);
    vault_write(path, mode, text);
}

void vault_write_keys(const struct vault *v)
{
    write_key(v, "server", 0644, v->server.open);
    write_key(v, "bench", 0600, v->client[BENCH].secret);
    write_key(v, "controller", 0600, v->client[CONTROLLER].secret);
    write_key(v, "stranger", 0600, v->client[STRANGER].secret);
    write_key(v, "shown", 0644, v->client[CONTROLLER].secret);
}

void vault_open(struct vault *v)
{
    char section[400];

    vault_make_keys(v);
    vault_section(v, section, sizeof(section));
    harness_start(&v->h, section); /* this counts a client without keys */
    vault_become(v, CONTROLLER);
}

void vault_close(struct vault *v)
{
    harness_close(&v->h);
    vault_remove_keys(v);
}

static bool readable(void *socket, int timeout_ms)
{
    zmq_pollitem_t item = {.socket = socket, .events = ZMQ_POLLIN};

    return zmq_poll(&item, 1, timeout_ms) == 1;
}

/* Send a request for the status and check that no reply comes. Close @socket. */
void vault_expect_silence(void *socket)
{
    static const unsigned char status[] = {0x08, 0x07, 0x12, 0x00}; /* id 7, status {} */

    zmq_send(socket, status, sizeof(status), ZMQ_DONTWAIT);
    assert_false(readable(socket, NO_ANSWER_MS));
    zmq_close(socket);
}
