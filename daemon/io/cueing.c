/* SPDX-License-Identifier: Apache-2.0 */
#include "cueing.h"
#include "cueing/ride_numbers.h"
#include "log.h"
#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NS_PER_S 1e9

/* Bits of the field "flags" of a report. */
#define REPORT_READY     1u
#define REPORT_FAULT     2u
#define REPORT_EMERGENCY 4u
#define REPORT_VERSION   1

/* ---- life ---- */

static int listen_for_reports(struct lkd_cueing *cueing)
{
    const struct sockaddr_in *address = &cueing->config->report;

    cueing->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (cueing->fd >= 0 &&
        bind(cueing->fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
        return 0;
    lkd_log(LKD_C_ENDPOINT_REFUSED, "cueing: no reports of the platform at port %d: %s",
            ntohs(address->sin_port), strerror(errno));
    return -errno;
}

static int open_queue(struct lkd_cueing *cueing)
{
    if (!cueing->config->recorded)
        return 0;
    cueing->queue = aligned_alloc(alignof(struct lkd_spsc), sizeof(*cueing->queue));
    return cueing->queue ? lkd_spsc_init(cueing->queue, LK_RIDE_STEP_NUMBERS, LK_RIDE_WHOLE_NUMBERS)
                         : -ENOMEM;
}

int lkd_cueing_init(struct lkd_cueing *cueing, const struct lkd_cueing_config *config)
{
    int r;

    *cueing = (struct lkd_cueing){.config = config, .fd = -1, .sensor_at = -1};
    if (!config || !config->present)
        return 0;
    for (int i = 0; i < LK_WASHOUT_VALUES; i++)
        cueing->gain_at[i] = -1;
    lk_ride_init(&cueing->ride, &config->ride);
    cueing->told = cueing->ride.state;
    cueing->sensor[2] = LK_CUEING_GRAVITY;
    r = open_queue(cueing);
    return r == 0 && config->hears ? listen_for_reports(cueing) : r;
}

void lkd_cueing_fini(struct lkd_cueing *cueing)
{
    if (cueing->config && cueing->fd >= 0)
        close(cueing->fd);
    if (cueing->queue)
        lkd_spsc_fini(cueing->queue);
    free(cueing->queue);
}

static bool is_present(const struct lkd_cueing *cueing)
{
    return cueing->config && cueing->config->present;
}

int lkd_cueing_sensor(const struct lkd_cueing_config *config, const struct lk_channel *channels,
                      int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(channels[i].name, config->names.sensor) == 0 && channels[i].size == 6 &&
            strcmp(channels[i].component[0], "fx") == 0)
            return channels[i].offset;
    return -1;
}

int lkd_cueing_gain(const struct lkd_cueing_config *config, int index,
                    const struct lk_channel *channels, int n, const char **ret_missing)
{
    const char *name = config->names.gain[index];

    *ret_missing = NULL;
    if (!*name)
        return -1;
    for (int i = 0; i < n; i++)
        if (strcmp(channels[i].name, name) == 0 && channels[i].size == 1)
            return channels[i].offset;
    *ret_missing = name;
    return -1;
}

static void find_gains(struct lkd_cueing *cueing, const struct lk_channel *channels, int n)
{
    const char *missing;

    for (int i = 0; i < LK_WASHOUT_VALUES; i++) {
        cueing->gain_at[i] = lkd_cueing_gain(cueing->config, i, channels, n, &missing);
        if (missing)
            lkd_log(LKD_C_PLATFORM_GAIN,
                    "cueing: the model has no output '%s' of one value: this gain stays", missing);
    }
}

static void take_gains(struct lkd_cueing *cueing, const double *outputs)
{
    for (int i = 0; i < LK_WASHOUT_VALUES; i++)
        if (cueing->gain_at[i] >= 0)
            lk_gains_want(&cueing->ride.gains, i, outputs[cueing->gain_at[i]]);
}

void lkd_cueing_load(struct lkd_cueing *cueing, const struct lk_channel *channels, int n)
{
    if (!is_present(cueing))
        return;
    cueing->sensor_at = lkd_cueing_sensor(cueing->config, channels, n);
    if (cueing->sensor_at < 0)
        lkd_log(LKD_C_PLATFORM_SENSOR,
                "cueing: the model has no inertial-sensor '%s' among its outputs: the platform "
                "stays parked",
                cueing->config->names.sensor);
    find_gains(cueing, channels, n);
}

/* ---- steps ---- */

static void tell_state(struct lkd_cueing *cueing)
{
    const struct lk_ride *ride = &cueing->ride;
    bool ends = ride->state == LK_RIDE_HOLDING;

    if (ride->state == cueing->told)
        return;
    cueing->told = ride->state;
    lkd_log(ends && ride->cause != LK_RIDE_ORDERED ? LKD_C_PLATFORM_HELD : LKD_C_PLATFORM_STATE,
            "platform: %s%s%s", lk_ride_state_name(ride->state), ends ? ": " : "",
            ends ? lk_ride_cause_text(ride->cause) : "");
}

static void record_step(struct lkd_cueing *cueing, int64_t at_ns)
{
    struct lkd_frame *frame = cueing->queue ? lkd_spsc_back(cueing->queue) : NULL;

    cueing->n_steps++;
    if (!frame)
        return;
    *frame = (struct lkd_frame){.cycle = cueing->n_steps, .record = {.deadline_ns = at_ns}};
    lk_ride_show_step(&cueing->ride, cueing->sensor, frame->values);
    lk_ride_save(&cueing->ride, frame->values + LK_RIDE_STEP_NUMBERS);
    lkd_spsc_push(cueing->queue);
}

static void step_to(struct lkd_cueing *cueing, int64_t until_ns)
{
    int64_t h_ns = (int64_t)(cueing->config->ride.h * NS_PER_S);

    if (until_ns - cueing->until_ns > LKD_CUEING_GAP_NS)
        cueing->until_ns = until_ns - LKD_CUEING_GAP_NS;
    for (; cueing->until_ns + h_ns <= until_ns; cueing->until_ns += h_ns) {
        lk_ride_step(&cueing->ride, cueing->sensor);
        record_step(cueing, cueing->until_ns + h_ns);
        tell_state(cueing);
    }
}

static void end_ride(struct lkd_cueing *cueing, enum lk_ride_cause cause)
{
    lk_ride_end(&cueing->ride, cause);
    tell_state(cueing);
}

/* End the ride if no step of the run has arrived for too long. The thread or the daemon may have
 * been stopped; then the platform received no datagrams and may have parked by itself. */
static void end_if_silent(struct lkd_cueing *cueing, int64_t now_ns)
{
    if (!cueing->runs || now_ns - cueing->seen_ns <= cueing->config->silent_ns)
        return;
    cueing->runs = false;
    end_ride(cueing, LK_RIDE_SILENT);
}

void lkd_cueing_begin(struct lkd_cueing *cueing, bool realtime)
{
    cueing->realtime = realtime;
    cueing->runs = false;
}

void lkd_cueing_halt(struct lkd_cueing *cueing)
{
    cueing->runs = false;
    if (is_present(cueing))
        end_ride(cueing, LK_RIDE_NOT_RUNNING);
}

void lkd_cueing_record(struct lkd_cueing *cueing, const struct lkd_output *output, int64_t now_ns)
{
    if (!is_present(cueing))
        return;
    if (output->figures.state != LKD_CYCLE_RUNNING || !cueing->realtime) {
        lkd_cueing_halt(cueing);
        return;
    }
    end_if_silent(cueing, now_ns);
    cueing->runs = true;
    cueing->seen_ns = now_ns;
    if (cueing->sensor_at >= 0)
        memcpy(cueing->sensor, output->values + cueing->sensor_at, sizeof(cueing->sensor));
    take_gains(cueing, output->values);
    if (output->figures.deadline_ns <= now_ns)
        step_to(cueing, output->figures.deadline_ns);
}

/* ---- reports of the platform ---- */

static void take_report(struct lkd_cueing *cueing, const unsigned char *report, int64_t now_ns)
{
    unsigned flags = report[6] | (unsigned)report[7] << 8;

    cueing->report_ns = now_ns;
    cueing->heard = true;
    cueing->ready = flags & REPORT_READY;
    if (flags & REPORT_EMERGENCY)
        end_ride(cueing, LK_RIDE_EMERGENCY);
    else if (flags & REPORT_FAULT)
        end_ride(cueing, LK_RIDE_FAULT);
    else if (!cueing->ready)
        end_ride(cueing, LK_RIDE_NOT_READY);
}

static void hear(struct lkd_cueing *cueing, int64_t now_ns)
{
    unsigned char report[LKD_CUEING_REPORT_SIZE + 1];
    ssize_t n;

    /* At most a hundred reports in a row, so that a flood does not block the thread. */
    for (int i = 0; i < 100; i++) {
        n = recv(cueing->fd, report, sizeof(report), MSG_DONTWAIT);
        if (n < 0)
            break;
        if (n == LKD_CUEING_REPORT_SIZE && memcmp(report, "LKP1", 4) == 0 &&
            report[4] == REPORT_VERSION && report[5] == 0)
            take_report(cueing, report, now_ns);
    }
    if (cueing->heard && now_ns - cueing->report_ns > LKD_CUEING_REPORT_NS) {
        cueing->heard = cueing->ready = false;
        end_ride(cueing, LK_RIDE_NOT_READY);
    }
}

void lkd_cueing_tick(struct lkd_cueing *cueing, int64_t now_ns)
{
    if (!is_present(cueing))
        return;
    if (cueing->fd >= 0)
        hear(cueing, now_ns);
    end_if_silent(cueing, now_ns);
    if (!cueing->runs)
        step_to(cueing, now_ns);
}

/* ---- orders ---- */

static enum lk_ride_cause engage(struct lkd_cueing *cueing)
{
    if (cueing->sensor_at < 0)
        return LK_RIDE_NO_SENSOR;
    if (!cueing->runs)
        return LK_RIDE_NOT_RUNNING;
    if (cueing->fd >= 0 && !cueing->ready)
        return LK_RIDE_NOT_READY;
    return lk_ride_engage(&cueing->ride);
}

enum lk_ride_cause lkd_cueing_order(struct lkd_cueing *cueing, enum lkd_platform_order order)
{
    enum lk_ride_cause cause = LK_RIDE_NO_CAUSE;

    if (order == LKD_PLATFORM_ENGAGE)
        cause = engage(cueing);
    else if (order == LKD_PLATFORM_PARK)
        lk_ride_end(&cueing->ride, LK_RIDE_ORDERED);
    else if (order == LKD_PLATFORM_EMERGENCY)
        lk_ride_end(&cueing->ride, LK_RIDE_EMERGENCY);
    else if (order == LKD_PLATFORM_RELEASE)
        lk_ride_release(&cueing->ride);
    tell_state(cueing);
    return cause;
}

bool lkd_cueing_drives(const struct lkd_cueing *cueing)
{
    return is_present(cueing) && !cueing->runs && cueing->ride.state != LK_RIDE_PARKED;
}
