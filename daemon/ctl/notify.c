/* SPDX-License-Identifier: Apache-2.0 */
#include "notify.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

/* Number of WATCHDOG notices per watchdog time-out, so that one or two may be late. */
#define NOTICES_A_TIMEOUT 4
/* Extension of the start-up time-out, requested once a second [us]. */
#define START_MORE_US 10000000

/* Find the socket of the service manager, sd_notify(3).
 * Return: length of its address; 0: there is none. */
static socklen_t find_manager(struct sockaddr_un *ret)
{
    const char *name = getenv("NOTIFY_SOCKET");
    size_t n = name ? strlen(name) : 0;

    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (n < 2 || n >= sizeof(ret->sun_path) || (*name != '/' && *name != '@'))
        return 0;
    memcpy(ret->sun_path, name, n);
    if (*name == '@')
        ret->sun_path[0] = '\0'; /* an abstract address */
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
}

/* Send a notice. sd_notify() is not used, because it blocks while the socket of the manager is
 * full, and the control thread must not block.
 * Return: true if the notice was sent, or if systemd requests none. */
static bool send_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool send_notice(const char *format, ...)
{
    struct sockaddr_un manager;
    socklen_t size = find_manager(&manager);
    char text[512];
    va_list arguments;
    ssize_t sent;
    int fd;

    if (size == 0)
        return true;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    sent = sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&manager, size);
    close(fd);
    return sent >= 0;
}

/* Send the STATUS notice. If the socket of the manager has no room, the next call sends it
 * again. */
static void send_status(struct lkd_notify *notify, const struct lkd_rig *rig)
{
    Linkage__V1__State state = lkd_rig_shown_state(rig);

    if (!send_notice("STATUS=%s%s%s%s%s%s", lkd_rig_state_name(state),
                     rig->loaded ? ", model " : "", rig->loaded ? rig->loaded->name : "",
                     rig->machine.lacks.n ? ", degraded" : "", rig->fault[0] ? ": " : "",
                     rig->fault))
        return;
    notify->state = state;
    notify->model_id = rig->loaded ? rig->loaded->model_id : 0;
}

void lkd_notify_ready(struct lkd_notify *notify, const struct lkd_rig *rig)
{
    uint64_t timeout_us = 0;

    *notify = (struct lkd_notify){0};
    if (sd_watchdog_enabled(0, &timeout_us) > 0)
        notify->interval_ns = (int64_t)(timeout_us / NOTICES_A_TIMEOUT) * 1000;
    sd_notify(0, "READY=1");
    send_status(notify, rig);
}

void lkd_notify_starting(const struct lkd_rig *rig)
{
    send_notice("EXTEND_TIMEOUT_USEC=%d\nSTATUS=LOADING, %.0f s", START_MORE_US,
                (double)lkd_compile_ns(rig->compile) * 1e-9);
}

/* Return true if the cycle has made progress since the last call, or if there is no thread. In
 * RUNNING, PAUSED and FAULT the thread of the cycle advances on its grid, in ARMING through its
 * proof. In modes without a grid it may wait for its bench for any time. Then it still publishes
 * its figures, and the rig notes this in @moved_ns. */
static bool moves(struct lkd_notify *notify, const struct lkd_rig *rig)
{
    uint64_t progress = atomic_load_explicit(&rig->proof.bursts, memory_order_relaxed);
    bool moved = rig->figures.cycles != notify->cycles || progress != notify->progress ||
                 (rig->mode != LKD_MODE_REALTIME && rig->moved_ns != notify->moved_ns);

    notify->cycles = rig->figures.cycles;
    notify->progress = progress;
    notify->moved_ns = rig->moved_ns;
    return moved || !rig->runner.alive;
}

void lkd_notify_alive(struct lkd_notify *notify, const struct lkd_rig *rig, int64_t now_ns)
{
    uint64_t model_id = rig->loaded ? rig->loaded->model_id : 0;

    if (notify->state != lkd_rig_shown_state(rig) || notify->model_id != model_id)
        send_status(notify, rig);
    if (notify->interval_ns == 0 || now_ns < notify->next_ns)
        return;
    if (!moves(notify, rig))
        return;
    if (send_notice("WATCHDOG=1"))
        notify->next_ns = now_ns + notify->interval_ns;
}

void lkd_notify_stopping(struct lkd_notify *notify)
{
    (void)notify;
    send_notice("STOPPING=1");
}
