/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

static unsigned char buffer[1 << 16];
static uint64_t random_state = 88172645463325252u;

static uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void nap(int ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000L};

    nanosleep(&time, NULL);
}

static int done(uint64_t n)
{
    printf("sent %" PRIu64 "\n", n);
    return 0;
}

/* ---- floods ---- */

/* Send samples with an unknown token. Every tenth is noise. */
int flood_inputs(const struct line *line)
{
    static double values[64];
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;
    void *socket = line_socket(line, zmq_ctx_new(), ZMQ_PUB, 1);
    uint64_t n = 0;

    sample.values = values;
    nap(500); /* until the connection exists */
    while (!line_ended()) {
        size_t size;

        sample.sequence = ++n;
        sample.token = random_next();
        sample.n_values = n % 64;
        lk_wire_encode(&sample.base, buffer, sizeof(buffer), &size);
        if (n % 10 == 0)
            memcpy(buffer, &random_state, sizeof(random_state));
        zmq_send(socket, buffer, size, ZMQ_DONTWAIT);
    }
    return done(n);
}

static size_t make_request(uint64_t n)
{
    static Linkage__V1__StatusRequest status = LINKAGE__V1__STATUS_REQUEST__INIT;
    static Linkage__V1__EvidenceRequest evidence = LINKAGE__V1__EVIDENCE_REQUEST__INIT;
    static Linkage__V1__DescribeRequest describe = LINKAGE__V1__DESCRIBE_REQUEST__INIT;
    static Linkage__V1__InputsRequest inputs = LINKAGE__V1__INPUTS_REQUEST__INIT;
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    size_t size = 0;

    request.id = n;
    status.with_histograms = evidence.with_histograms = evidence.with_cycles = 1;
    switch (n % 4) {
    case 0:
        request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS;
        request.status = &status;
        break;
    case 1:
        request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_EVIDENCE;
        request.evidence = &evidence;
        break;
    case 2:
        request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE;
        request.describe = &describe;
        break;
    default:
        request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INPUTS;
        request.inputs = &inputs;
        break;
    }
    lk_wire_encode(&request.base, buffer, sizeof(buffer), &size);
    return size;
}

/* Send requests without waiting for a reply. Every tenth is noise. */
int flood_control(const struct line *line)
{
    void *socket = line_socket(line, zmq_ctx_new(), ZMQ_DEALER, 0);
    uint64_t n = 0, replies = 0;

    while (!line_ended()) {
        size_t size = make_request(n);

        if (n % 10 == 9)
            memcpy(buffer, &random_state, size < 8 ? size : 8);
        if (zmq_send(socket, buffer, size, ZMQ_DONTWAIT) >= 0)
            n++;
        random_next();
        while (zmq_recv(socket, buffer, sizeof(buffer), ZMQ_DONTWAIT) >= 0)
            replies++;
    }
    printf("replies %" PRIu64 "\n", replies);
    return done(n);
}

/* Subscribe and unsubscribe topics of any length. Received messages are dropped. */
int flood_subscriptions(const struct line *line)
{
    void *context = zmq_ctx_new(), *socket = line_socket(line, context, ZMQ_SUB, 2);
    uint64_t n = 0, topic[4];

    while (!line_ended()) {
        size_t size = random_next() % (sizeof(topic) + 1);

        for (int i = 0; i < 4; i++)
            topic[i] = random_next();
        ((unsigned char *)topic)[0] = (unsigned char)(7 + n % 4);
        zmq_setsockopt(socket, ZMQ_SUBSCRIBE, topic, size);
        if (n++ % 2 == 0)
            zmq_setsockopt(socket, ZMQ_UNSUBSCRIBE, topic, size);
        if (n % 1000 == 0) { /* unsubscribes all topics */
            zmq_close(socket);
            socket = line_socket(line, context, ZMQ_SUB, 2);
        }
        while (zmq_recv(socket, buffer, sizeof(buffer), ZMQ_DONTWAIT) >= 0)
            continue;
    }
    return done(n);
}

/* ---- bytes that are not ZeroMQ, or only a part of a greeting ---- */

static const unsigned char greeting[64] = {0xff, 0, 0, 0,   0,   0,   0,   0,  1,
                                           0x7f, 3, 1, 'C', 'U', 'R', 'V', 'E'};
static const unsigned char null_greeting[64] = {0xff, 0,    0, 0, 0,   0,   0,   0,
                                                1,    0x7f, 3, 1, 'N', 'U', 'L', 'L'};
/* a command frame of 200 bytes, named HELLO */
static const unsigned char hello[] = {4, 200, 5, 'H', 'E', 'L', 'L', 'O', 1, 0};

static int dial(const struct line *line, int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || inet_pton(AF_INET, line->host, &address.sin_addr) != 1 ||
        connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        printf("failed: no connection to port %d\n", port);
        exit(1);
    }
    return fd;
}

/* Send @size bytes of @data and @more bytes of noise, and keep the connection open. */
static int say(const struct line *line, int port, const void *data, size_t size, size_t more)
{
    int fd = dial(line, port);

    for (size_t i = 0; i < more && i < sizeof(buffer); i++)
        buffer[i] = (unsigned char)(random_next() >> 32);
    if (send(fd, data, size, MSG_NOSIGNAL) < 0 || send(fd, buffer, more, MSG_NOSIGNAL) < 0)
        nap(1); /* closed early by the other side */
    return fd;
}

static int say_hello(const struct line *line, int port, const unsigned char *how, size_t cut)
{
    unsigned char all[sizeof(greeting) + sizeof(hello)];

    memcpy(all, how, sizeof(greeting));
    memcpy(all + sizeof(greeting), hello, sizeof(hello));
    return say(line, port, all, cut, 0);
}

int send_garbage(const struct line *line)
{
    static const char http[] = "GET / HTTP/1.1\r\nHost: rig\r\n\r\n";
    uint64_t n = 0;

    for (int port = 5600; port < 5603; port++) {
        for (int i = 0; i < 20; i++, n += 3) {
            close(say(line, port, http, sizeof(http) - 1, 0));
            close(say(line, port, "", 0, sizeof(buffer)));
            close(say(line, port, greeting, sizeof(greeting), 4096));
        }
        /* greetings truncated at every third byte; the daemon has half-open connections */
        for (size_t cut = 0; cut <= sizeof(greeting) + sizeof(hello); cut += 3, n += 2) {
            say_hello(line, port, greeting, cut);
            say_hello(line, port, null_greeting, cut);
        }
    }
    while (!line_ended())
        nap(20);
    return done(n);
}
