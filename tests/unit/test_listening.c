/* SPDX-License-Identifier: Apache-2.0 */
/* A listening socket that another process may have changed is repaired: afterwards it listens
 * again. */
#include "endpoint.h"
#include "linkage/error.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

/** struct listening - an endpoint of each kind, with its address */
struct listening {
    char folder[32];
    char endpoint[3][64];
    int fd[3];
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_un un;
    } address[3];
    socklen_t size[3];
};

/* Return a free port. */
static unsigned int free_port(void)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t size = sizeof(in);

    assert_int_equal(bind(fd, (struct sockaddr *)&in, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &size), 0);
    close(fd);
    return ntohs(in.sin_port);
}

static int open_three(void **state)
{
    static struct listening l;
    struct lk_error error;

    l = (struct listening){.folder = "/tmp/linkaged-listening-XXXXXX"};
    assert_non_null(mkdtemp(l.folder));
    snprintf(l.endpoint[0], sizeof(l.endpoint[0]), "tcp://127.0.0.1:%u", free_port());
    snprintf(l.endpoint[1], sizeof(l.endpoint[1]), "ipc://%s/x", l.folder);
    snprintf(l.endpoint[2], sizeof(l.endpoint[2]), "ipc://@%s", l.folder);
    for (int i = 0; i < 3; i++) {
        l.size[i] = sizeof(l.address[i]);
        assert_int_equal(lkd_endpoint_listen(l.endpoint[i], false, &l.fd[i], &error), 0);
        assert_int_equal(getsockname(l.fd[i], &l.address[i].any, &l.size[i]), 0);
    }
    *state = &l;
    return 0;
}

static int close_three(void **state)
{
    struct listening *l = *state;

    for (int i = 0; i < 3; i++)
        lkd_endpoint_close(l->endpoint[i], l->fd[i]);
    return rmdir(l->folder);
}

static int dial(const struct listening *l, int i)
{
    int fd = socket(l->address[i].any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(connect(fd, &l->address[i].any, l->size[i]), 0);
    return fd;
}

/* Accept waiting connections, among them those that the repair itself has made and closed.
 * Return: true if a client has sent 'x' */
static bool one_says_x(int listener)
{
    struct pollfd item = {.fd = listener, .events = POLLIN};
    char byte = 0;
    int fd;

    while (byte != 'x') {
        if (poll(&item, 1, 0) == 0)
            return false;
        fd = accept(listener, NULL, NULL);
        assert_true(fd >= 0);
        if (read(fd, &byte, 1) < 0)
            byte = 0;
        close(fd);
    }
    return true;
}

static void expect_good(const struct listening *l)
{
    for (int i = 0; i < 3; i++) {
        struct lk_error error = {0};
        int client;

        if (lkd_endpoint_mend(l->endpoint[i], false, l->fd[i], &error))
            fail_msg("%s", error.text);
        assert_true(fcntl(l->fd[i], F_GETFL) & O_NONBLOCK);
        assert_true(fcntl(l->fd[i], F_GETFD) & FD_CLOEXEC);
        client = dial(l, i);
        assert_int_equal(write(client, "x", 1), 1);
        assert_true(one_says_x(l->fd[i]));
        close(client);
    }
}

/* If the socket is unchanged, waiting connections are not lost. */
static void test_untouched(void **state)
{
    struct listening *l = *state;
    struct lk_error error;

    for (int i = 0; i < 3; i++) {
        int client = dial(l, i);

        assert_int_equal(write(client, "x", 1), 1);
        assert_int_equal(lkd_endpoint_mend(l->endpoint[i], false, l->fd[i], &error), 0);
        assert_true(one_says_x(l->fd[i]));
        close(client);
    }
}

static void test_shut(void **state)
{
    struct listening *l = *state;

    for (int i = 0; i < 3; i++)
        assert_int_equal(shutdown(l->fd[i], SHUT_RDWR), 0);
    expect_good(l);
}

static void test_flags_and_room(void **state)
{
    struct listening *l = *state;

    for (int i = 0; i < 3; i++) {
        assert_int_equal(fcntl(l->fd[i], F_SETFL, O_ASYNC), 0);
        assert_int_equal(listen(l->fd[i], 0), 0);
    }
    expect_good(l);
    for (int i = 0; i < 3; i++)
        assert_false(fcntl(l->fd[i], F_GETFL) & O_ASYNC);
}

/* A socket filter that drops everything and cannot be removed: the socket is replaced. */
static void test_filter(void **state)
{
    struct sock_filter nobody[] = {{BPF_RET | BPF_K, 0, 0, 0}};
    const struct sock_fprog program = {1, nobody};
    struct listening *l = *state;
    const int on = 1;

    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            setsockopt(l->fd[i], SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)), 0);
        if (i % 2 == 0)
            assert_int_equal(setsockopt(l->fd[i], SOL_SOCKET, SO_LOCK_FILTER, &on, sizeof(on)), 0);
    }
    expect_good(l);
}

static void test_path(void **state)
{
    struct listening *l = *state;

    assert_int_equal(unlink(l->endpoint[1] + strlen("ipc://")), 0);
    expect_good(l);
}

/* If the address is in use, the repair fails with a message. A later attempt succeeds. */
static void test_taken(void **state)
{
    struct listening *l = *state;
    struct lk_error error = {0};
    int other;

    shutdown(l->fd[0], SHUT_RDWR);
    assert_int_equal(lkd_endpoint_mend(l->endpoint[0], false, l->fd[0], &error), 0);
    close(l->fd[0]);
    assert_int_equal(lkd_endpoint_listen(l->endpoint[0], false, &other, &error), 0);
    l->fd[0] = open("/dev/null", O_RDONLY | O_CLOEXEC); /* bound, but not listening */
    assert_int_equal(lkd_endpoint_mend(l->endpoint[0], false, l->fd[0], &error), LK_E_TEXT);
    assert_non_null(strstr(error.text, "in use"));
    close(other);
    expect_good(l);
}

#define ON_THREE(test) cmocka_unit_test_setup_teardown(test, open_three, close_three)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_THREE(test_untouched), ON_THREE(test_shut), ON_THREE(test_flags_and_room),
        ON_THREE(test_filter),    ON_THREE(test_path), ON_THREE(test_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
