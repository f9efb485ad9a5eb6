/* SPDX-License-Identifier: Apache-2.0 */
#include "signals.h"
#include "log.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const int with_meaning[] = {SIGTERM, SIGINT, SIGQUIT, SIGXCPU, SIGHUP};
static const int without[] = {SIGUSR1, SIGUSR2,   SIGALRM, SIGVTALRM, SIGPROF, SIGIO,
                              SIGPWR,  SIGSTKFLT, SIGTSTP, SIGTTIN,   SIGTTOU};

int lkd_signals_open(int *ret_fd)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(with_meaning) / sizeof(with_meaning[0]); i++)
        sigaddset(&set, with_meaning[i]);
    for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
        sigaddset(&set, without[i]);
    for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
        sigaddset(&set, i);
    signal(SIGPIPE, SIG_IGN); /* raised if the reader of the log has ended */
    signal(SIGXFSZ,
           SIG_IGN); /* raised by a write beyond the file size limit, in the writing thread only */
    if (pthread_sigmask(SIG_BLOCK, &set, NULL))
        return -EINVAL;
    *ret_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    return *ret_fd < 0 ? -errno : 0;
}

enum lkd_signal lkd_signals_take(int fd)
{
    struct signalfd_siginfo info;

    if (read(fd, &info, sizeof(info)) != sizeof(info))
        return LKD_SIGNAL_NONE;
    switch (info.ssi_signo) {
    case SIGHUP:
        return LKD_SIGNAL_RELOAD;
    case SIGTERM:
    case SIGINT:
    case SIGQUIT:
    case SIGXCPU:
        lkd_log(LKD_C_SIGNAL, "%s received, shutting down", strsignal((int)info.ssi_signo));
        return LKD_SIGNAL_END;
    default:
        lkd_log(LKD_C_SIGNAL_IGNORED, "%s received, not used here (from process %u of user %u)",
                strsignal((int)info.ssi_signo), info.ssi_pid, info.ssi_uid);
        return LKD_SIGNAL_NONE;
    }
}
