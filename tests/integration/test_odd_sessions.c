/* SPDX-License-Identifier: Apache-2.0 */
/* usage: test_odd_sessions DAEMON MODEL [SESSIONS [SEED]]
 *
 * Thousands of peers violate ZMTP on every socket of a daemon in a run, without keys and with keys.
 * The run continues, and correct clients are served afterwards. The daemon and its child processes
 * then use no more memory and descriptors than before. */
#include "odd_sessions.h"
#include "vault.h"
#include <dirent.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define OPEN_MAX_SESSIONS 96 /* number at the same time */
#define ROUND             150
#define GROWTH_MAX_KIB    (48 * 1024)
#define PATIENCE_S        60
#define PROCESSES_MAX     16
#define GREETING          64 /* bytes */

static uint64_t n_sessions = 1500, first_seed = 1;
static struct odd session;
/* sessions that read answers, and those that got an answer beyond the greeting */
static uint64_t n_asked, n_answered;
static uint64_t n_peers[3];
static int open_session[OPEN_MAX_SESSIONS];

/* ---- peers ---- */

static int connect_to(const char *endpoint)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    assert_true(fd >= 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", endpoint + strlen("ipc://"));
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
        return fd;
    close(fd); /* the backlog is full, or the line restarts */
    return -1;
}

/* Receive until @enough bytes have arrived or the time is over.
 * Return: number of bytes received */
static size_t listen_to(int fd, size_t enough, int timeout_ms)
{
    struct pollfd item = {.fd = fd, .events = POLLIN};
    char bytes[4096];
    size_t all = 0;
    ssize_t n;

    while (all < enough && poll(&item, 1, timeout_ms) == 1 &&
           (n = recv(fd, bytes, sizeof(bytes), 0)) > 0)
        all += (size_t)n;
    return all;
}

static void send_all(int fd, const unsigned char *bytes, size_t n)
{
    ssize_t sent = 0;

    while (n > 0 && (sent = send(fd, bytes, n, MSG_NOSIGNAL)) > 0) {
        bytes += sent;
        n -= (size_t)sent;
    }
}

/* Run one session. Its connection stays open until a later session uses its slot. */
static void attack(const struct harness *h, uint64_t number)
{
    static const char *const types[3][2] = {{"DEALER", "REQ"}, {"PUB", "XPUB"}, {"SUB", "XSUB"}};
    int *place = &open_session[number % OPEN_MAX_SESSIONS], fd;
    uint64_t which = odd_draw(&session, 3);
    size_t heard = 0;

    memcpy(session.types, types[which], sizeof(session.types));
    session.peers = n_peers[which];
    odd_session(&session);
    fd = connect_to(h->endpoint[which]);
    if (*place >= 0)
        close(*place);
    *place = -1;
    if (fd < 0)
        return;
    n_peers[which]++;
    if (session.pause > 0) {
        send_all(fd, session.bytes, session.pause);
        heard = listen_to(fd, GREETING, 20);
    }
    send_all(fd, session.bytes + session.pause, session.n - session.pause);
    if (odd_draw(&session, 8) == 0 && heard <= GREETING) {
        n_asked++;
        heard += listen_to(fd, GREETING + 1 - heard, 200);
        n_answered += heard > GREETING;
    }
    *place = fd;
}

static void hang_up(void)
{
    for (int i = 0; i < OPEN_MAX_SESSIONS; i++) {
        if (open_session[i] >= 0)
            close(open_session[i]);
        open_session[i] = -1;
    }
}

/* ---- resources of the daemon ---- */

struct holds {
    long rss_kib;
    long descriptors;
};

static void add_process(pid_t pid, struct holds *holds)
{
    char path[64], line[128];
    FILE *in;
    DIR *dir;

    snprintf(path, sizeof(path), "/proc/%d/status", pid);
    in = fopen(path, "r");
    while (in && fgets(line, sizeof(line), in))
        if (strncmp(line, "VmRSS:", 6) == 0)
            holds->rss_kib += strtol(line + 6, NULL, 10);
    if (in)
        fclose(in);
    snprintf(path, sizeof(path), "/proc/%d/fd", pid);
    dir = opendir(path);
    while (dir && readdir(dir))
        holds->descriptors++;
    if (dir)
        closedir(dir);
}

static struct holds read_holds(pid_t pid)
{
    pid_t list[PROCESSES_MAX] = {pid};
    struct holds holds = {0};
    char path[64];
    int n = 1;

    for (int i = 0; i < n; i++) {
        FILE *in;

        add_process(list[i], &holds);
        snprintf(path, sizeof(path), "/proc/%d/task/%d/children", list[i], list[i]);
        in = fopen(path, "r");
        while (in && n < PROCESSES_MAX && fscanf(in, "%d", &list[n]) == 1)
            n++;
        if (in)
            fclose(in);
    }
    return holds;
}

/* Wait until the daemon has closed its descriptors, which it does when it handles the closed
 * connections. */
static void await_holds(pid_t pid, const struct holds *before)
{
    const struct timespec nap = {.tv_nsec = 50000000};
    struct holds now = read_holds(pid);

    for (int i = 0; i < PATIENCE_S * 20 && now.descriptors > before->descriptors; i++) {
        nanosleep(&nap, NULL);
        now = read_holds(pid);
    }
    assert_true(now.descriptors <= before->descriptors);
    if (!SANITIZED && now.rss_kib - before->rss_kib > GROWTH_MAX_KIB)
        fail_msg("%ld KiB before, %ld KiB after", before->rss_kib, now.rss_kib);
}

/* ---- correct clients ---- */

/* Check a client that was connected all the time, a new client and the run.
 * Return: number of cycles */
static uint64_t check_run(struct harness *h, uint64_t before)
{
    const struct timespec nap = {.tv_nsec = 10000000};
    const Linkage__V1__Status *s = harness_expect(h, STATUS, RESULT(OK), STATE(RUNNING));

    for (int i = 0; i < PATIENCE_S * 100 && s->cycles <= before; i++) {
        nanosleep(&nap, NULL);
        s = harness_expect(h, STATUS, RESULT(OK), STATE(RUNNING));
    }
    assert_true(s->cycles > before);
    assert_non_null(harness_sample(h, PATIENCE_S * 1000));
    return s->cycles;
}

/* Run all sessions against a daemon in a run.
 * @least: minimum share of the sessions that get an answer beyond the greeting [%] */
static void attack_run(struct harness *h, const char *mechanism, unsigned int least)
{
    uint64_t cycles, seed = first_seed;
    struct holds before;

    session.mechanism = mechanism;
    n_asked = n_answered = 0;
    memset(n_peers, 0, sizeof(n_peers));
    harness_load_model(h);
    harness_go(h);
    cycles = check_run(h, 0);
    before = read_holds(h->pid);
    for (uint64_t i = 0; i < n_sessions; i++) {
        if (i % ROUND == 0) {
            session.random = UINT64_C(0x9e3779b97f4a7c15) * ++seed; /* makes a round repeatable */
            cycles = check_run(h, cycles);
        }
        attack(h, i);
    }
    hang_up();
    print_message("%d of %d sessions got beyond the greeting\n", (int)n_answered, (int)n_asked);
    assert_true(100 * n_answered >= least * n_asked);

    check_run(h, cycles);
    await_holds(h->pid, &before);
}

static void test_without_keys(void **state)
{
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    attack_run(&h, "NULL", 5);
    harness_close(&h);
}

static void test_with_keys(void **state)
{
    struct vault v;

    (void)state;
    vault_open(&v);
    attack_run(&v.h, "CURVE", 0); /* noise cannot be decrypted */
    vault_close(&v);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_keys),
        cmocka_unit_test(test_with_keys),
    };

    harness_init(argc, argv);
    if (argc > 3)
        n_sessions = strtoull(argv[3], NULL, 10);
    if (argc > 4)
        first_seed = strtoull(argv[4], NULL, 10);
    for (int i = 0; i < OPEN_MAX_SESSIONS; i++)
        open_session[i] = -1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
