/* SPDX-License-Identifier: Apache-2.0 */
#include "zmtp.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#define GREETING 64

int zmtp_connect(const char *endpoint)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", endpoint + strlen("ipc://"));
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

static size_t put_property(unsigned char *to, const char *name, const void *value, size_t size)
{
    size_t n = strlen(name);

    to[0] = (unsigned char)n;
    memcpy(to + 1, name, n);
    memcpy(to + 1 + n, (const unsigned char[]){0, 0, 0, (unsigned char)size}, 4);
    memcpy(to + 5 + n, value, size);
    return 5 + n + size;
}

static void receive(int fd, unsigned char *data, size_t size)
{
    assert_int_equal(recv(fd, data, size, MSG_WAITALL), size);
}

void zmtp_greet(int fd, const char *type, const void *identity, size_t size)
{
    unsigned char greeting[GREETING] = {0xff, 0,    0, 0, 0,   0,   0,   0,
                                        0,    0x7f, 3, 0, 'N', 'U', 'L', 'L'};
    unsigned char ready[256] = {4, 0, 5, 'R', 'E', 'A', 'D', 'Y'}, answer[256];
    size_t n = 8;

    n += put_property(ready + n, "Socket-Type", type, strlen(type));
    if (identity)
        n += put_property(ready + n, "Identity", identity, size);
    ready[1] = (unsigned char)(n - 2);
    assert_int_equal(send(fd, greeting, sizeof(greeting), MSG_NOSIGNAL), sizeof(greeting));
    assert_int_equal(send(fd, ready, n, MSG_NOSIGNAL), n);
    receive(fd, answer, GREETING);
    receive(fd, answer, 2); /* a short command */
    assert_int_equal(answer[0], 4);
    receive(fd, answer + 2, answer[1]);
}
