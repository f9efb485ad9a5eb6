/* SPDX-License-Identifier: Apache-2.0 */
/* Channels to the line process: complete messages, fragmented if they are long; no call blocks, and
 * no received byte is trusted. */
#include "port.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define SIZE_MAX_OF_TEST ((size_t)1 << 20)

struct pair {
    int fd[2];
    struct lkd_port a;
    struct lkd_port b;
};

static int open_pair(void **state)
{
    struct pair *p = calloc(1, sizeof(*p));

    *state = p;
    return !p || lkd_port_pair(p->fd) || lkd_port_init(&p->a, p->fd[0], SIZE_MAX_OF_TEST) ||
           lkd_port_init(&p->b, p->fd[1], SIZE_MAX_OF_TEST);
}

static int close_pair(void **state)
{
    struct pair *p = *state;

    lkd_port_fini(&p->a);
    lkd_port_fini(&p->b);
    close(p->fd[0]);
    close(p->fd[1]);
    free(p);
    return 0;
}

static unsigned char *pattern(size_t size)
{
    unsigned char *bytes = malloc(size);

    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 251);
    return bytes;
}

/* A message includes its sender and its address, also if it has no content. */
static void test_a_message(void **state)
{
    const struct lkd_message sent = {
        .kind = LKD_FRAME_MESSAGE,
        .generation = 7,
        .peer = {LINKAGE__V1__ROLE__ROLE_BENCH, "rig"},
        .address = (const unsigned char *)"\0abc",
        .n_address = 4,
        .data = "hello",
        .size = 5,
    };
    struct lkd_message got, empty = sent;
    struct pair *p = *state;

    empty.size = 0;
    assert_true(lkd_port_send(&p->a, &sent, false));
    assert_true(lkd_port_send(&p->a, &empty, false));
    assert_true(lkd_port_receive(&p->b, &got));
    assert_int_equal(got.generation, 7);
    assert_int_equal(got.peer.role, LINKAGE__V1__ROLE__ROLE_BENCH);
    assert_string_equal(got.peer.name, "rig");
    assert_int_equal(got.n_address, 4);
    assert_memory_equal(got.address, "\0abc", 4);
    assert_int_equal(got.size, 5);
    assert_memory_equal(got.data, "hello", 5);
    assert_true(lkd_port_receive(&p->b, &got));
    assert_int_equal(got.size, 0);
    assert_false(lkd_port_receive(&p->b, &got));
    assert_false(p->b.closed);
}

/* Of a message larger than the channel, the rest is kept and sent as space becomes available. */
static void test_pieces(void **state)
{
    unsigned char *bytes = pattern(SIZE_MAX_OF_TEST);
    const struct lkd_message sent = {
        .kind = LKD_FRAME_MESSAGE, .data = bytes, .size = SIZE_MAX_OF_TEST};
    struct pair *p = *state;
    struct lkd_message got;
    int turns = 0;

    assert_true(lkd_port_send(&p->a, &sent, false));
    assert_true(lkd_port_is_kept(&p->a));
    assert_false(lkd_port_send_bytes(&p->a, "x", 1)); /* not before the rest is sent */
    while (!lkd_port_receive(&p->b, &got) && turns++ < 1000)
        lkd_port_flush(&p->a);
    assert_false(lkd_port_is_kept(&p->a));
    assert_int_equal(got.size, SIZE_MAX_OF_TEST);
    assert_memory_equal(got.data, bytes, SIZE_MAX_OF_TEST);
    free(bytes);
}

/* A full channel refuses further messages without blocking. */
static void test_full(void **state)
{
    struct pair *p = *state;
    struct lkd_message got;
    int n = 0, m = 0;

    while (lkd_port_send_bytes(&p->a, &n, sizeof(n)) && n < 1000000)
        n++;
    assert_in_range(n, 10, 100000);
    assert_false(lkd_port_is_kept(&p->a));
    for (; lkd_port_receive(&p->b, &got); m++)
        assert_memory_equal(got.data, &m, sizeof(m));
    assert_int_equal(m, n);
}

/* A line process ends in the middle of a message. Messages of the next line process are
 * complete. */
static void test_another_line(void **state)
{
    unsigned char *bytes = pattern(SIZE_MAX_OF_TEST);
    struct lkd_message got,
        sent = {.kind = LKD_FRAME_MESSAGE, .data = bytes, .size = SIZE_MAX_OF_TEST};
    struct pair *p = *state;

    assert_true(lkd_port_send(&p->a, &sent, false));
    assert_true(lkd_port_is_kept(&p->a));
    free(p->a.left_memory); /* the rest is lost */
    p->a.left_memory = NULL;
    assert_false(lkd_port_receive(&p->b, &got));
    assert_true(lkd_port_send(&p->a, &(struct lkd_message){.kind = LKD_FRAME_OPENED}, false));
    assert_true(lkd_port_receive(&p->b, &got));
    assert_int_equal(got.kind, LKD_FRAME_OPENED);
    assert_true(lkd_port_send_bytes(&p->a, "whole", 5));
    assert_true(lkd_port_receive(&p->b, &got));
    assert_int_equal(got.size, 5);
    free(bytes);
}

/* Arbitrary bytes are counted as malformed and have no other effect. */
static void test_nonsense(void **state)
{
    unsigned char noise[400];
    struct pair *p = *state;
    struct lkd_message got;
    uint32_t seed = 1;

    for (int round = 0; round < 2000; round++) {
        size_t size = 1 + seed % sizeof(noise);

        for (size_t i = 0; i < sizeof(noise); i++) {
            seed = seed * 1664525u + 1013904223u;
            noise[i] = (unsigned char)(seed >> 24);
        }
        assert_int_equal(send(p->fd[0], noise, size, 0), size);
        assert_false(lkd_port_receive(&p->b, &got));
    }
    assert_int_equal(p->b.malformed, 2000);
    assert_true(lkd_port_send_bytes(&p->a, "good", 4));
    assert_true(lkd_port_receive(&p->b, &got));
}

static void test_closed(void **state)
{
    struct pair *p = *state;
    struct lkd_message got;

    assert_true(lkd_port_send_bytes(&p->a, "last", 4));
    shutdown(p->fd[0], SHUT_WR);
    assert_true(lkd_port_receive(&p->b, &got));
    assert_false(p->b.closed);
    assert_false(lkd_port_receive(&p->b, &got));
    assert_true(p->b.closed);
}

/* Empty frames do not end the reading, and a sender of meaningless frames cannot keep the reader
 * busy. */
static void test_empty_frames(void **state)
{
    struct pair *p = *state;
    struct lkd_message got;
    int n = 0;

    while (send(p->fd[0], "", 0, 0) == 0)
        n++;
    assert_in_range(n, 10, 100000);
    for (int i = 0; i < n && p->b.malformed < (uint64_t)n; i++) {
        const uint64_t before = p->b.malformed;

        assert_false(lkd_port_receive(&p->b, &got));
        assert_false(p->b.closed);
        assert_true(p->b.malformed - before <= 256);
    }
    assert_int_equal(p->b.malformed, n);
    assert_true(lkd_port_send_bytes(&p->a, "good", 4));
    assert_true(lkd_port_receive(&p->b, &got));
}

/* The name of a sender must be one that a list of clients may contain, or empty. */
static void test_names(void **state)
{
    struct lkd_message got, sent = {.kind = LKD_FRAME_MESSAGE, .peer = {.name = "rig-2"}};
    struct pair *p = *state;

    assert_true(lkd_port_send(&p->a, &sent, false));
    assert_true(lkd_port_receive(&p->b, &got));
    strcpy(sent.peer.name, "rig\n\xff");
    assert_true(lkd_port_send(&p->a, &sent, false));
    memset(sent.peer.name, 'x', sizeof(sent.peer.name));
    assert_true(lkd_port_send(&p->a, &sent, false));
    assert_false(lkd_port_receive(&p->b, &got));
    assert_int_equal(p->b.malformed, 2);
}

/* A channel that the other side has closed in either direction is not polled; a new channel with
 * the same descriptor is polled. */
static void test_another_channel(void **state)
{
    static const int ways[] = {SHUT_WR, SHUT_RDWR};
    struct pair *p = *state;
    struct lkd_message got;

    for (size_t i = 0; i < 2; i++) {
        int other[2];

        assert_int_equal(lkd_port_descriptor(&p->b), p->fd[1]);
        shutdown(p->fd[0], ways[i]);
        assert_true(lkd_port_is_shut(p->fd[1]));
        assert_false(lkd_port_receive(&p->b, &got));
        assert_int_equal(lkd_port_descriptor(&p->b), -1);

        assert_int_equal(lkd_port_pair(other), 0);
        assert_int_equal(dup2(other[0], p->fd[0]), p->fd[0]);
        assert_int_equal(dup2(other[1], p->fd[1]), p->fd[1]);
        close(other[0]);
        close(other[1]);
        assert_false(lkd_port_is_shut(p->fd[1]));
        assert_false(lkd_port_receive(&p->b, &got));
        assert_int_equal(lkd_port_descriptor(&p->b), p->fd[1]);
        assert_true(lkd_port_send_bytes(&p->a, "good", 4));
        assert_true(lkd_port_receive(&p->b, &got));
    }
}

#define ON_PAIR(test) cmocka_unit_test_setup_teardown(test, open_pair, close_pair)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_PAIR(test_a_message),    ON_PAIR(test_pieces),   ON_PAIR(test_full),
        ON_PAIR(test_another_line), ON_PAIR(test_nonsense), ON_PAIR(test_closed),
        ON_PAIR(test_empty_frames), ON_PAIR(test_names),    ON_PAIR(test_another_channel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
