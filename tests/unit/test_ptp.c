/* SPDX-License-Identifier: Apache-2.0 */
/* The requests to a PTP daemon and its answers. The test's socket plays ptp4l, with bytes according
 * to IEEE 1588-2008. */
#include "linkage/ptp.h"
#include <errno.h>
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

#define QUESTION   54 /* header 34, management 14, TLV 6 */
#define ANSWER_MAX 200

struct rig {
    char folder[32];
    char path[64];
    int daemon;
    struct lk_ptp_client client;
    struct sockaddr_un from; /* sender of the last question */
    socklen_t n_from;
};

static int set_up(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    struct sockaddr_un own = {.sun_family = AF_UNIX};

    strcpy(rig->folder, "/tmp/linkaged-ptp-XXXXXX");
    assert_non_null(mkdtemp(rig->folder));
    snprintf(rig->path, sizeof(rig->path), "%s/ptp4l", rig->folder);
    memcpy(own.sun_path, rig->path, strlen(rig->path));
    rig->daemon = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_int_equal(bind(rig->daemon, (const struct sockaddr *)&own, sizeof(own)), 0);
    assert_int_equal(lk_ptp_open(&rig->client, rig->path, 3), 0);
    *state = rig;
    return 0;
}

static int tear_down(void **state)
{
    struct rig *rig = *state;

    lk_ptp_close(&rig->client);
    close(rig->daemon);
    unlink(rig->path);
    rmdir(rig->folder);
    free(rig);
    return 0;
}

/* Receive a request.
 * Return: identifier of the requested data */
static unsigned take_question(struct rig *rig, uint8_t question[QUESTION])
{
    uint8_t data[ANSWER_MAX];

    rig->n_from = sizeof(rig->from);
    assert_int_equal(
        recvfrom(rig->daemon, data, sizeof(data), 0, (struct sockaddr *)&rig->from, &rig->n_from),
        QUESTION);
    memcpy(question, data, QUESTION);
    return (unsigned)data[52] << 8 | data[53];
}

/* Make an answer with @n bytes of data.
 * Return: its size */
static size_t make_answer(const uint8_t question[QUESTION], const uint8_t *data, size_t n,
                          uint8_t answer[ANSWER_MAX])
{
    memcpy(answer, question, QUESTION);
    answer[3] = (uint8_t)(QUESTION + n);
    answer[46] = 2; /* RESPONSE */
    answer[51] = (uint8_t)(2 + n);
    memcpy(answer + QUESTION, data, n);
    return QUESTION + n;
}

static void send_answer(struct rig *rig, const uint8_t question[QUESTION], const uint8_t *data,
                        size_t n)
{
    uint8_t answer[ANSWER_MAX];
    size_t size = make_answer(question, data, n, answer);

    assert_int_equal(
        sendto(rig->daemon, answer, size, 0, (const struct sockaddr *)&rig->from, rig->n_from),
        (ssize_t)size);
}

static void port_data(uint8_t data[26], int state)
{
    memset(data, 0, 26);
    data[10] = (uint8_t)state;
}

/* Make the data of TIME_STATUS_NP: -501 ns, clock 2a477a.fffe.7eadf5. */
static void time_data(uint8_t data[50], bool present)
{
    static const uint8_t clock[] = {0x2a, 0x47, 0x7a, 0xff, 0xfe, 0x7e, 0xad, 0xf5};

    memset(data, 0, 50);
    memset(data, 0xff, 8);
    data[6] = 0xfe;
    data[7] = 0x0b;
    data[41] = present;
    memcpy(data + 42, clock, sizeof(clock));
}

static void test_question(void **state)
{
    struct rig *rig = *state;
    uint8_t question[QUESTION];

    assert_int_equal(lk_ptp_ask(&rig->client), 0);
    assert_int_equal(take_question(rig, question), 0x2004);
    assert_int_equal(question[0], 0x0d);
    assert_int_equal(question[1], 2);
    assert_int_equal(question[3], QUESTION);
    assert_int_equal(question[4], 3);
    assert_int_equal(question[34] & question[43], 0xff);
    assert_int_equal(question[46], 0); /* GET */
    assert_int_equal(question[51], 2);
    assert_int_equal(take_question(rig, question), 0xc000);
}

static void test_answers(void **state)
{
    struct rig *rig = *state;
    struct lk_ptp ptp = {.timed = false};
    uint8_t port[QUESTION], time[QUESTION], data[50];
    char name[LK_PTP_CLOCK_SIZE];

    assert_int_equal(lk_ptp_hear(&rig->client, &ptp), 0); /* no answer yet: no wait */
    assert_int_equal(lk_ptp_ask(&rig->client), 0);
    take_question(rig, port);
    take_question(rig, time);
    /* a boundary clock: one port is master, one slave, one faulty */
    for (int i = 0; i < 3; i++) {
        port_data(data, (const int[]){LK_PTP_MASTER, LK_PTP_SLAVE, LK_PTP_FAULTY}[i]);
        send_answer(rig, port, data, 26);
    }
    time_data(data, true);
    send_answer(rig, time, data, 50);
    assert_int_equal(lk_ptp_hear(&rig->client, &ptp), 4);
    assert_string_equal(lk_ptp_state_name(ptp.state), "SLAVE");
    assert_true(ptp.timed && ptp.following);
    assert_int_equal(ptp.offset_ns, -501);
    lk_ptp_clock_name(ptp.grandmaster, name);
    assert_string_equal(name, "2a477a.fffe.7eadf5");
}

static void test_alone(void **state)
{
    struct rig *rig = *state;
    struct lk_ptp ptp = {.timed = false};
    uint8_t question[QUESTION], data[50];

    assert_int_equal(lk_ptp_ask(&rig->client), 0);
    take_question(rig, question);
    take_question(rig, question);
    time_data(data, false);
    send_answer(rig, question, data, 50);
    assert_int_equal(lk_ptp_hear(&rig->client, &ptp), 1);
    assert_true(ptp.timed && !ptp.following);
    assert_string_equal(lk_ptp_state_name(ptp.state), "UNKNOWN");
}

/* Answers are ignored if they are to an earlier request, of another domain, truncated or of another
 * kind, and messages that are no answers. */
static void test_ignored(void **state)
{
    static const struct {
        int at;
        int value;
    } cases[] = {{31, 99}, {4, 0}, {0, 0x0b}, {1, 1}, {46, 3}, {49, 2}, {51, 29}, {51, 1}, {52, 0}};
    struct rig *rig = *state;
    struct lk_ptp ptp = {.timed = false};
    uint8_t question[QUESTION], data[26], answer[ANSWER_MAX];
    size_t size;

    assert_int_equal(lk_ptp_ask(&rig->client), 0);
    take_question(rig, question);
    port_data(data, LK_PTP_SLAVE);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size = make_answer(question, data, 26, answer);
        answer[cases[i].at] = (uint8_t)cases[i].value;
        assert_false(lk_ptp_read(&rig->client, answer, size, &ptp));
    }
    for (size_t n = 0; n < size; n++)
        assert_false(lk_ptp_read(&rig->client, answer, n, &ptp));
    for (int value = 0; value < 256; value++) {
        port_data(data, value);
        size = make_answer(question, data, 26, answer);
        assert_int_equal(lk_ptp_read(&rig->client, answer, size, &ptp), value > 0 && value < 10);
    }
}

static void test_nobody(void **state)
{
    struct rig *rig = *state;
    struct lk_ptp_client client;
    char path[200];

    memset(path, 'x', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    assert_int_equal(lk_ptp_open(&client, path, 0), -ENAMETOOLONG);
    snprintf(path, sizeof(path), "%s/none", rig->folder);
    assert_int_equal(lk_ptp_open(&client, path, 0), -ENOENT);
    assert_int_equal(client.fd, -1);
    close(rig->daemon);
    assert_int_equal(lk_ptp_open(&client, rig->path, 0), -ECONNREFUSED);
    assert_true(lk_ptp_ask(&rig->client) < 0); /* the daemon has ended */
    rig->daemon = -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_question, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_answers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ignored, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nobody, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
