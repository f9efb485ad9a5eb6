/* SPDX-License-Identifier: Apache-2.0 */
#include "cueing/ride_numbers.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* Doubles of struct lk_ride, in the order of the numbers. */
static const struct part {
    const char *name;
    size_t offset;
    size_t size;
} parts[] = {
#define PART(name, member)                                                                         \
    {                                                                                              \
        name, offsetof(struct lk_ride, member), sizeof(((struct lk_ride *)0)->member)              \
    }
    PART("limits", platform.limits),
    PART("foot", platform.foot),
    PART("joint", platform.joint),
    PART("neutral", platform.neutral),
    PART("wanted", gains.wanted),
    PART("glide", gains.glide),
    PART("set", washout.set),
    PART("step_size", washout.h),
    PART("washed", washed),
    PART("position", guard.position),
    PART("speed", guard.speed),
    PART("demand", guard.demand),
    PART("pose", pose),
    PART("pace", pace),
    PART("fade", fade),
    PART("steps", steps),
    PART("from", from),
    PART("to", to),
    PART("park", park),
#undef PART
};

/* Integers of struct lk_ride, which follow the doubles. */
enum { KIND, STATE, CAUSE, EMERGENCY, STEP, LIMITED, N_WHOLE };
static const char *const whole_names[N_WHOLE] = {"kind",      "state", "cause",
                                                 "emergency", "step",  "limited"};

/* ---- names and units ---- */

static struct lk_channel scalar(const char *name, int number, int offset)
{
    struct lk_channel channel = {.size = 1, .offset = offset, .component = {""}, .unit = {"1"}};

    if (number < 0)
        snprintf(channel.name, sizeof(channel.name), "%s", name);
    else
        snprintf(channel.name, sizeof(channel.name), "%s_%d", name, number);
    return channel;
}

static struct lk_channel vector(const char *name, int offset, const char *const component[6],
                                const char *first, const char *last)
{
    struct lk_channel channel = {.size = 6, .offset = offset};

    snprintf(channel.name, sizeof(channel.name), "%s", name);
    for (int i = 0; i < 6; i++) {
        channel.component[i] = component[i];
        channel.unit[i] = i < 3 ? first : last;
    }
    return channel;
}

const struct lk_channel *lk_ride_step_channels(int *ret_n)
{
    static const char *const sensor[] = {"fx", "fy", "fz", "wx", "wy", "wz"};
    static const char *const pose[] = {"x", "y", "z", "roll", "pitch", "yaw"};
    static const char *const actuator[] = {"a1", "a2", "a3", "a4", "a5", "a6"};
    static struct lk_channel channels[8];

    channels[0] = scalar("orders", -1, LK_RIDE_N_ORDERS);
    channels[1] = scalar("gains", -1, LK_RIDE_N_GAINS);
    channels[2] = vector("sensor", LK_RIDE_N_SENSOR, sensor, "m/s^2", "rad/s");
    channels[3] = scalar("state", -1, LK_RIDE_N_STATE);
    channels[4] = scalar("cause", -1, LK_RIDE_N_CAUSE);
    channels[5] = scalar("emergency", -1, LK_RIDE_N_EMERGENCY);
    channels[6] = vector("pose", LK_RIDE_N_POSE, pose, "m", "rad");
    channels[7] = vector("actuators", LK_RIDE_N_ACTUATORS, actuator, "1", "1");
    *ret_n = COUNT(channels);
    return channels;
}

const struct lk_channel *lk_ride_whole_channels(int *ret_n)
{
    static struct lk_channel channels[LK_RIDE_WHOLE_NUMBERS];
    int n = 0;

    for (int i = 0; i < COUNT(parts); i++)
        for (size_t k = 0; k < parts[i].size / sizeof(double); k++, n++)
            channels[n] = scalar(parts[i].name, (int)k, n);
    for (int i = 0; i < N_WHOLE; i++, n++)
        channels[n] = scalar(whole_names[i], -1, n);
    *ret_n = n;
    return channels;
}

/* ---- from a ride, and back ---- */

void lk_ride_show_step(const struct lk_ride *ride, const double sensor[6],
                       double ret[LK_RIDE_STEP_NUMBERS])
{
    ret[LK_RIDE_N_ORDERS] = ride->obeyed;
    ret[LK_RIDE_N_GAINS] = ride->gains.taken;
    memcpy(ret + LK_RIDE_N_SENSOR, sensor, 6 * sizeof(double));
    ret[LK_RIDE_N_STATE] = ride->state;
    ret[LK_RIDE_N_CAUSE] = ride->cause;
    ret[LK_RIDE_N_EMERGENCY] = ride->emergency;
    memcpy(ret + LK_RIDE_N_POSE, ride->pose, sizeof(ride->pose));
    memcpy(ret + LK_RIDE_N_ACTUATORS, ride->guard.position, sizeof(ride->guard.position));
}

void lk_ride_save(const struct lk_ride *ride, double ret[LK_RIDE_WHOLE_NUMBERS])
{
    const double whole[N_WHOLE] = {
        [KIND] = ride->platform.kind, [STATE] = ride->state,
        [CAUSE] = ride->cause,        [EMERGENCY] = ride->emergency,
        [STEP] = (double)ride->step,  [LIMITED] = (double)ride->guard.limited,
    };
    double *at = ret;

    memset(ret, 0, LK_RIDE_WHOLE_NUMBERS * sizeof(double));
    for (int i = 0; i < COUNT(parts); i++) {
        memcpy(at, (const char *)ride + parts[i].offset, parts[i].size);
        at += parts[i].size / sizeof(double);
    }
    memcpy(at, whole, sizeof(whole));
}

static bool is_whole(double x, double low, double high)
{
    return x >= low && x <= high && x == floor(x);
}

static bool take_whole(struct lk_ride *ride, const double whole[N_WHOLE])
{
    if (!is_whole(whole[KIND], LK_PLATFORM_HEXAPOD, LK_PLATFORM_THREE_AXIS) ||
        !is_whole(whole[STATE], LK_RIDE_PARKED, LK_RIDE_SETTLING) ||
        !is_whole(whole[CAUSE], LK_RIDE_NO_CAUSE, LK_RIDE_UNDER_WAY) ||
        !is_whole(whole[EMERGENCY], 0, 1) || !is_whole(whole[STEP], 0, 9e15) ||
        !is_whole(whole[LIMITED], 0, 9e15))
        return false;
    ride->platform.kind = (enum lk_platform_kind)whole[KIND];
    ride->state = (enum lk_ride_state)whole[STATE];
    ride->cause = (enum lk_ride_cause)whole[CAUSE];
    ride->emergency = whole[EMERGENCY] == 1;
    ride->step = (unsigned long long)whole[STEP];
    ride->guard.limited = (unsigned long long)whole[LIMITED];
    return true;
}

bool lk_ride_load(struct lk_ride *ret_ride, const double number[LK_RIDE_WHOLE_NUMBERS])
{
    const double *at = number;

    *ret_ride = (struct lk_ride){0};
    for (int i = 0; i < LK_RIDE_WHOLE_NUMBERS; i++)
        if (!isfinite(number[i]))
            return false;
    for (int i = 0; i < COUNT(parts); i++) {
        memcpy((char *)ret_ride + parts[i].offset, at, parts[i].size);
        at += parts[i].size / sizeof(double);
    }
    if (!take_whole(ret_ride, at) || !(ret_ride->washout.h > 0))
        return false;
    ret_ride->platform.n = lk_platform_count(ret_ride->platform.kind);
    ret_ride->guard.n = ret_ride->platform.n;
    ret_ride->guard.h = ret_ride->washout.h;
    memcpy(ret_ride->guard.limits, ret_ride->platform.limits, sizeof(ret_ride->guard.limits));
    return true;
}

bool lk_ride_obey(struct lk_ride *ride, double orders)
{
    uint64_t code;

    if (!is_whole(orders, 0, LK_RIDE_ORDERS_MAX))
        return false;
    code = (uint64_t)orders;
    for (int shift = 60; shift >= 0; shift -= 4) {
        int order = (int)(code >> shift & 15);

        if (order == LK_RIDE_ORDER_ENGAGE)
            lk_ride_engage(ride);
        else if (order == LK_RIDE_ORDER_RELEASE)
            lk_ride_release(ride);
        else if (order > LK_RIDE_ORDER_END)
            lk_ride_end(ride, (enum lk_ride_cause)(order - LK_RIDE_ORDER_END));
    }
    return true;
}
