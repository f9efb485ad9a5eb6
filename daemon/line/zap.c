/* SPDX-License-Identifier: Apache-2.0 */
#include "zap.h"
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

#define ZAP_ENDPOINT "inproc://zeromq.zap.01"

/* Parts of a request: version, id, domain, address, identity, mechanism, then the credentials. */
enum { VERSION, ID, DOMAIN, ADDRESS, IDENTITY, MECHANISM, CREDENTIALS, N_PARTS };
/* Largest accepted size of a part [bytes]. With CURVE, ZeroMQ sends no larger part. */
#define PART_MAX 256

/* Events of a connection that failed before its ZAP request. Refused requests are counted
 * separately, when they are answered. */
#define FAILURES (ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL)

/** struct lkd_zap - see zap.h.
 * @lock:    guards @clients
 * @socket:  REP socket that receives requests
 * @wake:    eventfd that ends the thread
 * @monitor: PAIR sockets, one for each of @n_watched sockets; @endpoint is the address of the
 *           watched socket */
struct lkd_zap {
    pthread_t thread;
    bool started;
    pthread_mutex_t lock;
    struct lkd_clients *clients;
    lkd_zap_report *report;
    void *context;
    void *socket;
    int wake;
    int n_watched;
    void *monitor[LKD_ZAP_SOCKETS_MAX];
    char endpoint[LKD_ZAP_SOCKETS_MAX][128];
    _Atomic bool quit;
    _Atomic uint64_t turned_away;
};

/** struct request - an authentication request.
 * @n: number of parts that arrived. Parts of at most PART_MAX bytes are stored, terminated by a
 *     zero. */
struct request {
    int n;
    size_t size[N_PARTS];
    char part[N_PARTS][PART_MAX + 1];
};

static void report_condition(struct lkd_zap *zap, enum lkd_condition_id condition,
                             const char *format, ...) __attribute__((format(printf, 3, 4)));
static void report_condition(struct lkd_zap *zap, enum lkd_condition_id condition,
                             const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    zap->report(condition, text);
}

/* ---- questions ---- */

static void receive_request(void *socket, struct request *request)
{
    bool more = true;

    *request = (struct request){0};
    while (more) {
        zmq_msg_t part;
        size_t size;

        zmq_msg_init(&part);
        if (zmq_msg_recv(&part, socket, 0) < 0) {
            zmq_msg_close(&part);
            return;
        }
        size = zmq_msg_size(&part);
        if (request->n < N_PARTS && size <= PART_MAX) {
            memcpy(request->part[request->n], zmq_msg_data(&part), size);
            request->size[request->n] = size;
        }
        more = zmq_msg_more(&part);
        request->n++;
        zmq_msg_close(&part);
    }
}

static void send_text(void *socket, const char *text, int flags)
{
    zmq_send(socket, text, strlen(text), flags);
}

/* Answer a request.
 * @user: authenticated client of the connection; NULL refuses the connection */
static void answer_request(void *socket, const struct request *request, const char *user)
{
    send_text(socket, "1.0", ZMQ_SNDMORE);
    zmq_send(socket, request->part[ID], request->size[ID], ZMQ_SNDMORE);
    send_text(socket, user ? "200" : "400", ZMQ_SNDMORE);
    send_text(socket, user ? "OK" : "not on the list of clients", ZMQ_SNDMORE);
    send_text(socket, user ? user : "", ZMQ_SNDMORE);
    send_text(socket, "", 0);
}

static bool is_curve(const struct request *request)
{
    return request->n == N_PARTS && strcmp(request->part[VERSION], "1.0") == 0 &&
           strcmp(request->part[MECHANISM], "CURVE") == 0 &&
           strcmp(request->part[DOMAIN], LKD_ZAP_DOMAIN) == 0 && request->size[CREDENTIALS] == 32;
}

/* Find the client with a key.
 * Return: true if the key is on the list. */
static bool find_user(struct lkd_zap *zap, const char *key, char *ret_user, size_t size)
{
    const struct lkd_peer *peer;

    pthread_mutex_lock(&zap->lock);
    peer = lkd_clients_find(zap->clients, key);
    if (peer)
        lkd_peer_user_id(peer, ret_user, size);
    pthread_mutex_unlock(&zap->lock);
    return peer != NULL;
}

static void judge_request(struct lkd_zap *zap)
{
    char key[LK_KEY_SIZE] = "", user[LKD_PEER_USER_ID_SIZE] = "";
    struct request request;
    bool known = false;

    receive_request(zap->socket, &request);
    if (is_curve(&request)) {
        zmq_z85_encode(key, (const uint8_t *)request.part[CREDENTIALS], 32);
        known = find_user(zap, key, user, sizeof(user));
    }
    answer_request(zap->socket, &request, known ? user : NULL);
    if (known)
        return;
    atomic_fetch_add(&zap->turned_away, 1);
    if (*key)
        report_condition(zap, LKD_C_TURNED_AWAY,
                         "turned away: key %s from %s is not on the list of clients", key,
                         *request.part[ADDRESS] ? request.part[ADDRESS] : "this machine");
    else
        report_condition(zap, LKD_C_TURNED_AWAY, "turned away: no key, mechanism '%s' from %s",
                         request.part[MECHANISM], request.part[ADDRESS]);
}

/* ---- connections that fail before a request ---- */

/* Return true if the event is a refusal. A client that disconnects during the handshake has not
 * been refused. */
static bool is_refusal(uint16_t event, uint32_t value)
{
    return event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL ||
           (event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL && value != EPIPE && value != ECONNRESET);
}

/* Read the next event: its number (16 bit) and value (32 bit), followed by a part with the endpoint
 * of the daemon.
 * Return: true if there was an event. */
static bool receive_event(void *monitor, uint16_t *ret_event, uint32_t *ret_value)
{
    zmq_msg_t part;

    *ret_event = 0;
    *ret_value = 0;
    zmq_msg_init(&part);
    if (zmq_msg_recv(&part, monitor, ZMQ_DONTWAIT) < 0) {
        zmq_msg_close(&part);
        return false;
    }
    if (zmq_msg_size(&part) == sizeof(*ret_event) + sizeof(*ret_value)) {
        memcpy(ret_event, zmq_msg_data(&part), sizeof(*ret_event));
        memcpy(ret_value, (char *)zmq_msg_data(&part) + sizeof(*ret_event), sizeof(*ret_value));
    }
    while (zmq_msg_more(&part) && zmq_msg_recv(&part, monitor, 0) >= 0)
        ;
    zmq_msg_close(&part);
    return true;
}

static void hear_event(struct lkd_zap *zap, int i)
{
    uint16_t event;
    uint32_t value;

    if (!receive_event(zap->monitor[i], &event, &value) || !is_refusal(event, value))
        return;
    atomic_fetch_add(&zap->turned_away, 1);
    report_condition(zap, LKD_C_TURNED_AWAY,
                     "turned away: a client that came to %s and does not speak CURVE, or not with "
                     "this server's key",
                     zap->endpoint[i]);
}

/* ---- thread ---- */

static void *run_zap(void *data)
{
    struct lkd_zap *zap = data;
    zmq_pollitem_t items[2 + LKD_ZAP_SOCKETS_MAX] = {
        {.fd = zap->wake, .events = ZMQ_POLLIN},
        {.socket = zap->socket, .events = ZMQ_POLLIN},
    };

    pthread_setname_np(pthread_self(), "lkd-zap");
    for (int i = 0; i < zap->n_watched; i++)
        items[2 + i] = (zmq_pollitem_t){.socket = zap->monitor[i], .events = ZMQ_POLLIN};
    while (!atomic_load(&zap->quit)) {
        if (zmq_poll(items, 2 + zap->n_watched, -1) < 0) {
            if (errno == EINTR)
                continue;
            report_condition(zap, LKD_C_ZAP_FAILED, "nobody is let in any more: %s",
                             zmq_strerror(errno));
            break;
        }
        if (items[1].revents)
            judge_request(zap);
        for (int i = 0; i < zap->n_watched; i++)
            if (items[2 + i].revents)
                hear_event(zap, i);
    }
    return NULL;
}

static void release_zap(struct lkd_zap *zap)
{
    for (int i = 0; i < zap->n_watched; i++)
        zmq_close(zap->monitor[i]);
    if (zap->socket)
        zmq_close(zap->socket);
    if (zap->wake >= 0)
        close(zap->wake);
    pthread_mutex_destroy(&zap->lock);
    free(zap->clients);
    free(zap);
}

static void *open_socket(void *context, int type)
{
    void *socket = zmq_socket(context, type);
    const int zero = 0;

    if (socket)
        zmq_setsockopt(socket, ZMQ_LINGER, &zero, sizeof(zero));
    return socket;
}

int lkd_zap_new(void *context, struct lkd_clients *clients, lkd_zap_report *report_to,
                struct lkd_zap **ret_zap)
{
    struct lkd_zap *zap = calloc(1, sizeof(*zap));
    int r = 0;

    if (!zap) {
        free(clients);
        return -ENOMEM;
    }
    zap->context = context;
    zap->report = report_to;
    zap->clients = clients;
    pthread_mutex_init(&zap->lock, NULL);
    zap->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    zap->socket = open_socket(context, ZMQ_REP);
    if (zap->wake < 0 || !zap->socket || zmq_bind(zap->socket, ZAP_ENDPOINT))
        r = errno > 0 ? -errno : -EIO;
    if (r)
        release_zap(zap);
    else
        *ret_zap = zap;
    return r;
}

int lkd_zap_watch(struct lkd_zap *zap, void *socket, const char *endpoint)
{
    int i = zap->n_watched;
    char name[32];

    if (i == LKD_ZAP_SOCKETS_MAX)
        return -ENOSPC;
    snprintf(name, sizeof(name), "inproc://lkd-monitor-%d", i);
    zap->monitor[i] = open_socket(zap->context, ZMQ_PAIR);
    if (!zap->monitor[i])
        return -errno;
    if (zmq_socket_monitor(socket, name, FAILURES) < 0 || zmq_connect(zap->monitor[i], name)) {
        int r = -errno;

        zmq_close(zap->monitor[i]);
        return r;
    }
    snprintf(zap->endpoint[i], sizeof(zap->endpoint[i]), "%s", endpoint);
    zap->n_watched++;
    return 0;
}

int lkd_zap_start(struct lkd_zap *zap)
{
    int r = -pthread_create(&zap->thread, NULL, run_zap, zap);

    zap->started = r == 0;
    return r;
}

void lkd_zap_replace(struct lkd_zap *zap, struct lkd_clients *clients)
{
    struct lkd_clients *old;

    pthread_mutex_lock(&zap->lock);
    old = zap->clients;
    zap->clients = clients;
    pthread_mutex_unlock(&zap->lock);
    free(old);
}

uint64_t lkd_zap_turned_away(struct lkd_zap *zap)
{
    return atomic_load(&zap->turned_away);
}

void lkd_zap_stop(struct lkd_zap *zap)
{
    const uint64_t one = 1;

    if (!zap)
        return;
    if (zap->started) {
        atomic_store(&zap->quit, true);
        if (write(zap->wake, &one, sizeof(one)) == sizeof(one))
            pthread_join(zap->thread, NULL);
    }
    release_zap(zap);
}
