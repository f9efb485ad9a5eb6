/* SPDX-License-Identifier: Apache-2.0 */
#include "birth.h"
#include "log.h"
#include "orders.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* ---- birth ---- */

/* Set the descriptors of the new process.
 * @orders: its end of the socket for orders
 * @err:    its standard error; negative: inherited */
static int set_descriptors(posix_spawn_file_actions_t *actions, int orders, int err)
{
    int r = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

    if (r == 0)
        r = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (r == 0 && err >= 0)
        r = posix_spawn_file_actions_adddup2(actions, err, STDERR_FILENO);
    if (r == 0)
        r = posix_spawn_file_actions_adddup2(actions, orders, LKD_LINE_FD);
    return -r;
}

static int set_attributes(posix_spawnattr_t *attributes, int priority)
{
    const struct sched_param param = {.sched_priority = priority};
    sigset_t all, none;

    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(attributes, &all);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setschedpolicy(attributes, SCHED_FIFO);
    posix_spawnattr_setschedparam(attributes, &param);
    return -posix_spawnattr_setflags(attributes,
                                     (short)(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                             (priority > 0 ? POSIX_SPAWN_SETSCHEDULER : 0)));
}

/* Start the process. fork() is not used, because it makes the pages of the daemon copy-on-write,
 * and the cycle would wait for the copies. */
static int spawn_process(int orders, int err, int priority, pid_t *ret_pid)
{
    char *const arguments[] = {(char *)"linkaged-line", (char *)LKD_LINE_ARGUMENT, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int r;

    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    r = set_descriptors(&actions, orders, err);
    if (r == 0)
        r = set_attributes(&attributes, priority);
    if (r == 0) /* execute the running program, even if its path has become another file */
        r = -posix_spawn(ret_pid, "/proc/self/exe", &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return r;
}

/* In sanitizer builds standard error is inherited, because a sanitizer report is longer than a log
 * line. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static int open_pipe(int *ret_end)
{
    ret_end[0] = ret_end[1] = -1;
    return 0;
}
#else
static int open_pipe(int *ret_end)
{
    if (pipe2(ret_end, O_CLOEXEC))
        return -errno;
    fcntl(ret_end[0], F_SETFL, O_NONBLOCK);
    return 0;
}
#endif

int lkd_spawn(int orders, int priority, pid_t *ret_pid, struct lkd_words *ret_words)
{
    int end[2], r;

    *ret_words = (struct lkd_words){.fd = -1};
    r = open_pipe(end);
    if (r)
        return r;
    ret_words->fd = end[0];
    r = spawn_process(orders, end[1], priority, ret_pid);
    if (end[1] >= 0)
        close(end[1]);
    return r;
}

/* ---- output of the process ---- */

static void log_words(struct lkd_words *words)
{
    const char *none = strerror(EMFILE);

    if (words->n > 0)
        lkd_log(LKD_C_LINE_SAID, "the line says: %.*s", (int)words->n, words->line);
    words->descriptors |= memmem(words->line, words->n, none, strlen(none)) != NULL;
    words->n = 0;
}

void lkd_words_hear(struct lkd_words *words)
{
    char text[4096];
    ssize_t n = words->fd >= 0 ? read(words->fd, text, sizeof(text)) : -1;

    if (n == 0) { /* closed end: poll() would report it again and again */
        close(words->fd);
        words->fd = -1;
    }
    for (ssize_t i = 0; i < n; i++) {
        if (text[i] == '\n' || words->n == sizeof(words->line))
            log_words(words);
        if (text[i] != '\n')
            words->line[words->n++] = text[i];
    }
}

void lkd_words_close(struct lkd_words *words)
{
    lkd_words_hear(words);
    log_words(words);
    if (words->fd >= 0)
        close(words->fd);
    words->fd = -1;
}
