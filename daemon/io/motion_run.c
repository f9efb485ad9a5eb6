/* SPDX-License-Identifier: Apache-2.0 */
/* Life cycle of the receivers: sockets, models, runs. */
#include "clock.h"
#include "motion_cycle.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOOK_NS INT64_C(1000000000)

static const char *const group_name[] = {"pose", "velocity", "acceleration", "specific_force",
                                         "angular_rate"};

/* ---- sockets ---- */

static int connect_to(struct lkd_motion *motion)
{
    const struct sockaddr_in *address = &motion->config->address;

    if (connect(motion->fd, (const struct sockaddr *)address, sizeof(*address)))
        return -errno;
    motion->connected = true;
    return 0;
}

static int open_one(struct lkd_motion *motion, const struct lkd_motion_config *config)
{
    int r;

    motion->config = config;
    motion->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (motion->fd < 0)
        return -errno;
    lkd_pace_begin(&motion->pace, config->divisor);
    r = connect_to(motion);
    if (r)
        lkd_log(LKD_C_MOTION_NOT_SENT, "motion %s: %s; tried again every second", config->endpoint,
                strerror(-r));
    return 0;
}

int lkd_motions_init(struct lkd_motions *motions, const struct lkd_motion_config *config, int n,
                     const struct lkd_cueing *cueing)
{
    *motions = (struct lkd_motions){.empty = true, .cueing = cueing};
    while (motions->n < n) {
        int r = open_one(&motions->motion[motions->n], &config[motions->n]);

        if (r) {
            lkd_motions_fini(motions);
            return r;
        }
        motions->n++;
    }
    return 0;
}

void lkd_motions_fini(struct lkd_motions *motions)
{
    while (motions->n > 0)
        close(motions->motion[--motions->n].fd);
    free(motions->held);
    motions->held = NULL;
}

/* ---- models ---- */

/* Format the name of a slot with the receiver's numbering, such as "pose 2". */
static void name_slot(int i, char *ret, size_t size)
{
    int group = i < 18 ? i / 6 : 3 + (i - 18) / 3;
    int place = i < 18 ? i % 6 : (i - 18) % 3;

    snprintf(ret, size, "%s %d", group_name[group], place + 1);
}

static void append_missing(const struct lkd_motion_slot *slot, int i, char *line, size_t size)
{
    size_t used = strlen(line);
    char place[32];

    name_slot(i, place, sizeof(place));
    snprintf(line + used, size - used, "%s%s (%s%s%s)", used ? ", " : "", place, slot->channel,
             *slot->component ? "." : "", slot->component);
}

static void resolve(struct lkd_motion *motion, const struct lk_channel *channels, int n)
{
    const struct lkd_motion_config *config = motion->config;
    char line[300] = "";

    motion->missing = false;
    for (int i = 0; i < LKD_MOTION_SLOTS; i++) {
        if (lkd_motion_resolve(&config->slot[i], channels, n, &motion->source[i]))
            continue;
        motion->missing = true;
        append_missing(&config->slot[i], i, line, sizeof(line));
    }
    if (motion->missing)
        lkd_log(LKD_C_MOTION_INCOMPLETE,
                "motion %s: the model has no such output, 0 is sent instead: %s", config->endpoint,
                line);
}

/* Allocate zeroed memory for the values that are sent without a run. If it cannot be allocated,
 * zeros are sent. */
static void forget_held(struct lkd_motions *motions, int n_outputs)
{
    free(motions->held);
    motions->held = calloc((size_t)n_outputs + 1, sizeof(double));
    motions->n_held = motions->held ? n_outputs : 0;
    motions->held_figures = (struct lkd_figures){0};
    motions->empty = true;
}

void lkd_motions_load(struct lkd_motions *motions, struct lkd_cycle *cycle)
{
    const struct lk_channel *channels;
    int n;

    forget_held(motions, cycle->n_outputs);
    channels = lk_system_output_channels(cycle->system, &n);
    for (int i = 0; i < motions->n; i++) {
        resolve(&motions->motion[i], channels, n);
        if (motions->motion[i].config->from_cycle) {
            cycle->after = lkd_motion_after_cycle;
            cycle->after_context = motions;
        }
    }
}

/* ---- runs ---- */

void lkd_motions_begin(struct lkd_motions *motions, bool degraded)
{
    motions->degraded = degraded;
    for (int i = 0; i < motions->n; i++)
        lkd_pace_begin(&motions->motion[i].pace, motions->motion[i].config->divisor);
}

static void hold_values(struct lkd_motions *motions, const struct lkd_output *output)
{
    if (motions->n_held == 0)
        return;
    memcpy(motions->held, output->values, (size_t)motions->n_held * sizeof(double));
    motions->held_figures = output->figures;
    motions->empty = false;
}

void lkd_motions_rest(struct lkd_motions *motions, const struct lkd_output *output,
                      Linkage__V1__State state)
{
    if (motions->n == 0)
        return;
    hold_values(motions, output);
    motions->due_ns = 0;
    motions->state = state;
}

static const struct lk_ride *ride_of(const struct lkd_motions *motions)
{
    return motions->cueing ? &motions->cueing->ride : NULL;
}

static void send_running(struct lkd_motions *motions, const struct lkd_output *output)
{
    const struct lkd_figures *f = &output->figures;
    const struct lkd_motion_view view = {
        .status = lkd_motion_status(LINKAGE__V1__STATE__STATE_RUNNING, f->flags, motions->degraded),
        .step = f->step,
        .time_s = f->time_s,
        .utc_ns = lkd_wall_clock_ns(),
        .values = output->values,
        .ride = ride_of(motions),
    };

    for (int i = 0; i < motions->n; i++) {
        struct lkd_motion *motion = &motions->motion[i];

        if (!motion->config->from_cycle && lkd_pace_due(&motion->pace, f))
            lkd_motion_send(motion, &view);
    }
}

/* Send the stored values.
 * @all: send to all receivers; otherwise only to receivers with the platform */
static void send_held(struct lkd_motions *motions, Linkage__V1__State state, bool all)
{
    const struct lkd_figures *f = &motions->held_figures;
    uint32_t status = lkd_motion_status(state, f->flags, motions->degraded);
    const struct lkd_motion_view view = {
        .status = status | LKD_MOTION_HELD | (motions->empty ? LKD_MOTION_EMPTY : 0),
        .step = f->step,
        .time_s = f->time_s,
        .utc_ns = lkd_wall_clock_ns(),
        .values = motions->empty ? NULL : motions->held,
        .ride = ride_of(motions),
    };

    for (int i = 0; i < motions->n; i++)
        if (all || motions->motion[i].config->platform)
            lkd_motion_send(&motions->motion[i], &view);
}

void lkd_motions_record(struct lkd_motions *motions, const struct lkd_output *output,
                        int64_t now_ns)
{
    bool fault = output->figures.state == LKD_CYCLE_FAULT;
    Linkage__V1__State state =
        fault ? LINKAGE__V1__STATE__STATE_FAULT : LINKAGE__V1__STATE__STATE_PAUSED;

    if (motions->n == 0)
        return;
    if (output->figures.state == LKD_CYCLE_RUNNING) {
        motions->state = LINKAGE__V1__STATE__STATE_RUNNING;
        send_running(motions, output);
        return;
    }
    if (motions->state == state)
        return;
    lkd_motions_rest(motions, output, state);
    lkd_motions_tick(motions, state, now_ns); /* sends now, and at the low rate afterwards */
}

static void report_failures(struct lkd_motion *motion)
{
    uint64_t failed = atomic_load_explicit(&motion->failed, memory_order_relaxed);

    if (!motion->connected)
        connect_to(motion);
    if (failed == motion->reported)
        return;
    lkd_log(LKD_C_MOTION_NOT_SENT, "motion %s: %llu datagrams not sent: %s",
            motion->config->endpoint, (unsigned long long)(failed - motion->reported),
            strerror(atomic_load_explicit(&motion->error, memory_order_relaxed)));
    motion->reported = failed;
}

void lkd_motions_tick(struct lkd_motions *motions, Linkage__V1__State state, int64_t now_ns)
{
    if (motions->state)
        state = motions->state;
    if (now_ns >= motions->look_ns) {
        motions->look_ns = now_ns + LOOK_NS;
        for (int i = 0; i < motions->n; i++)
            report_failures(&motions->motion[i]);
    }
    if (state != LINKAGE__V1__STATE__STATE_RUNNING && now_ns >= motions->due_ns) {
        motions->due_ns = now_ns + LKD_MOTION_IDLE_NS;
        send_held(motions, state, true);
    } else if (motions->cueing && lkd_cueing_drives(motions->cueing)) {
        send_held(motions, state, false);
    }
}
