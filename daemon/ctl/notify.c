/* SPDX-License-Identifier: Apache-2.0 */
#include "notify.h"
#include <systemd/sd-daemon.h>

/* Notices a watchdog time-out: one or two may come late. */
#define NOTICES_A_TIMEOUT 4
/* Extension of the start-up time-out, requested once a second. */
#define START_MORE_US 10000000

static void send_status(struct lkd_notify *notify, const struct lkd_rig *rig)
{
    notify->state = lkd_rig_shown_state(rig);
    notify->model_id = rig->loaded ? rig->loaded->model_id : 0;
    sd_notifyf(0, "STATUS=%s%s%s%s%s%s", lkd_rig_state_name(notify->state),
               rig->loaded ? ", model " : "", rig->loaded ? rig->loaded->name : "",
               rig->machine.lacks.n ? ", degraded" : "", rig->fault[0] ? ": " : "", rig->fault);
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
    sd_notifyf(0, "EXTEND_TIMEOUT_USEC=%d\nSTATUS=LOADING, %.0f s", START_MORE_US,
               (double)lkd_compile_ns(rig->compile) * 1e-9);
}

/* In RUNNING, PAUSED and FAULT the thread of the cycle advances on its grid, in ARMING through its
 * proof. Without a grid it may wait for its bench for any time: then it still publishes its
 * figures, and the rig sees it move. */
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
    notify->next_ns = now_ns + notify->interval_ns;
    sd_notify(0, "WATCHDOG=1");
}

void lkd_notify_stopping(struct lkd_notify *notify)
{
    (void)notify;
    sd_notify(0, "STOPPING=1");
}
