/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces lkd_line_main(): each second line process is an attacker. It has everything that a line
 * process gets, and does all damage it can. */
#include "orders.h"
#include "process.h"
#include <fcntl.h>
#include <linux/filter.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* A sanitizer reports to the standard error of the daemon, which the line process then shares. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_DESCRIPTORS 2
#else
#define OWN_DESCRIPTORS 3
#endif

int __real_lkd_line_main(void);
int __wrap_lkd_line_main(void);

/** struct loot - the setup of a line process, and its descriptors: two for each of its sockets */
struct loot {
    struct lkd_order_setup setup;
    int fd[2 * LKD_N_CHANNELS];
};

/* Read the setup without removing it from the queue, for a line process that is honest. */
static void peek(struct loot *loot)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(loot->fd))];
    } control = {0};
    struct pollfd item = {.fd = LKD_LINE_FD, .events = POLLIN};
    struct iovec part = {&loot->setup, sizeof(loot->setup)};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof(control.bytes)};
    struct cmsghdr *rights;

    if (poll(&item, 1, -1) != 1 || recvmsg(LKD_LINE_FD, &header, MSG_PEEK) < 0)
        _exit(1);
    rights = CMSG_FIRSTHDR(&header);
    if (rights)
        memcpy(loot->fd, CMSG_DATA(rights), rights->cmsg_len - CMSG_LEN(0));
}

static void answer(enum lkd_answer_kind kind, uint64_t turn)
{
    const struct lkd_line_answer message = {.kind = kind, .turns = {turn, turn, turn}};

    if (send(LKD_LINE_FD, &message, sizeof(message), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return;
}

static void break_all(const struct loot *loot)
{
    struct sock_filter nobody[] = {{BPF_RET | BPF_K, 0, 0, 0}};
    const struct sock_fprog program = {1, nobody};
    const int on = 1;

    for (uint32_t i = 0; i < 2 * loot->setup.n_sockets; i++) {
        setsockopt(loot->fd[i], SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
        setsockopt(loot->fd[i], SOL_SOCKET, SO_LOCK_FILTER, &on, sizeof(on));
        shutdown(loot->fd[i], SHUT_RDWR);
    }
    for (uint32_t i = 0; i < loot->setup.n_sockets; i++)
        unlink(loot->setup.socket[i].endpoint + strlen("ipc://"));
    for (int fd = 0; fd < OWN_DESCRIPTORS; fd++) {
        fcntl(fd, F_SETFL, O_NONBLOCK);
        shutdown(fd, SHUT_RDWR);
        if (ftruncate(fd, 0))
            lseek(fd, 0, SEEK_SET);
    }
}

/* Answer the requests of the supervisor, as if the line process were alive. */
static void go_on(void)
{
    for (uint64_t turn = 1;; turn++) {
        char order[1 << 17];
        struct pollfd item = {.fd = LKD_LINE_FD, .events = POLLIN};

        if (poll(&item, 1, -1) != 1 || recv(LKD_LINE_FD, order, sizeof(order), 0) <= 0)
            return;
        answer(LKD_ANSWER_HERE, turn);
    }
}

/* Claim in a child process that the line could not be opened, until its parent is dead. So its
 * answers are present when the supervisor reads the reason. */
static void lie(void)
{
    static const struct lkd_line_answer answer = {.kind = LKD_ANSWER_FAILED, .text = "a lie"};
    const pid_t parent = getpid();

    if (fork() != 0)
        return;
    while (getppid() == parent)
        if (send(LKD_LINE_FD, &answer, sizeof(answer), MSG_NOSIGNAL) < 0)
            continue;
    _exit(0);
}

/* Write random bytes to all descriptors as fast as possible. */
static void talk(const struct loot *loot)
{
    unsigned char noise[sizeof(struct lkd_line_answer)];
    uint32_t seed = 1;

    for (;;) {
        for (size_t i = 0; i < sizeof(noise); i++) {
            seed = seed * 1664525u + 1013904223u;
            noise[i] = (unsigned char)(seed >> 24);
        }
        /* mostly existing kinds, but never the sign that the line process is alive */
        noise[0] = (unsigned char)(seed >> 16 & 7);
        noise[0] = noise[0] == LKD_ANSWER_HERE ? LKD_ANSWER_REPORT : noise[0];
        noise[1] = noise[2] = noise[3] = 0;
        if (send(LKD_LINE_FD, noise, seed >> 8 & 1 ? sizeof(noise) : noise[9],
                 MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
            noise[4] = 0;
        for (uint32_t i = 0; i < loot->setup.n_sockets; i++)
            if (send(loot->fd[2 * i + 1], noise, noise[8], MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
                continue;
        if (OWN_DESCRIPTORS > STDERR_FILENO && write(STDERR_FILENO, noise, noise[7]) < 0)
            return;
    }
}

int __wrap_lkd_line_main(void)
{
    struct loot loot = {0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    peek(&loot);
    if (loot.setup.generation % 2 == 1)
        return __real_lkd_line_main();
    answer(LKD_ANSWER_READY, 0);
    if (loot.setup.generation % 6 != 0)
        break_all(&loot);
    else
        lie();
    if (loot.setup.generation % 6 == 4)
        go_on();
    if (loot.setup.generation % 6 == 0)
        talk(&loot);
    return 0;
}
