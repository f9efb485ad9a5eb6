/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding of the datagram, and assignment of outputs to slots. Only lkd_motion_send() uses a
 * socket. */
#include "motion.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>

/* ---- bytes ---- */

static unsigned char *put_number(unsigned char *at, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        *at++ = (unsigned char)(value >> (8 * i));
    return at;
}

static unsigned char *put_f64(unsigned char *at, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return put_number(at, bits, 8);
}

/* Write a float. A value beyond the range of float becomes the largest float, so that a receiver
 * never gets an infinity. */
static unsigned char *put_f32(unsigned char *at, double value)
{
    float narrow = (float)fmax(-3.4028234663852886e38, fmin(value, 3.4028234663852886e38));
    uint32_t bits;

    memcpy(&bits, &narrow, sizeof(bits));
    return put_number(at, bits, 4);
}

static unsigned char *put_value(unsigned char *at, bool wide, double value)
{
    return wide ? put_f64(at, value) : put_f32(at, value);
}

static unsigned char *put_platform(unsigned char *at, bool wide, const struct lk_ride *ride)
{
    uint32_t cause = (uint32_t)ride->cause | (ride->emergency ? LKD_MOTION_EMERGENCY : 0);

    at = put_number(at, (uint32_t)ride->state, 4);
    at = put_number(at, cause, 4);
    for (int i = 0; i < 6; i++)
        at = put_value(at, wide, ride->pose[i]);
    for (int i = 0; i < LK_PLATFORM_ACTUATORS; i++)
        at = put_value(at, wide, ride->guard.position[i]);
    return at;
}

/* ---- values ---- */

/* Return one of the angles [rad] of the rotations about z (yaw), y (pitch) and x (roll), in this
 * order, each about the axis rotated by the previous ones. They are computed from the unit
 * quaternion w x y z. */
static double angle_of(enum lkd_motion_kind kind, const double q[4])
{
    double w = q[0], x = q[1], y = q[2], z = q[3], s;

    if (kind == LKD_MOTION_ROLL)
        return atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
    if (kind == LKD_MOTION_YAW)
        return atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
    s = 2 * (w * y - z * x);
    return asin(fmax(-1, fmin(s, 1)));
}

static double value_of(const struct lkd_motion_source *source, const struct lkd_motion_slot *slot,
                       const double *values)
{
    double value;

    if (source->kind == LKD_MOTION_NOTHING)
        return 0;
    value = source->kind == LKD_MOTION_SCALAR ? values[source->index]
                                              : angle_of(source->kind, values + source->index);
    return slot->scale * value + slot->offset;
}

LK_RT uint32_t lkd_motion_status(Linkage__V1__State state, uint32_t flags, bool degraded)
{
    if (degraded)
        flags |= LINKAGE__V1__FLAG__FLAG_DEGRADED;
    return ((uint32_t)state & 0xff) | (flags & 0xffff) << LKD_MOTION_FLAG_SHIFT;
}

LK_RT size_t lkd_motion_encode(struct lkd_motion *motion, const struct lkd_motion_view *view,
                               unsigned char *ret_packet)
{
    const struct lkd_motion_config *config = motion->config;
    unsigned char *at = ret_packet;

    memcpy(at, "LKM1", 4);
    at = put_number(at + 4, config->platform ? LKD_MOTION_VERSION + 1 : LKD_MOTION_VERSION, 2);
    at = put_number(at, config->wide ? LKD_MOTION_F64 : LKD_MOTION_F32, 2);
    at =
        put_number(at, atomic_fetch_add_explicit(&motion->counter, 1, memory_order_relaxed) + 1, 4);
    at = put_number(at, view->status | (motion->missing ? LKD_MOTION_MISSING : 0), 4);
    at = put_number(at, view->step, 8);
    at = put_f64(at, view->time_s);
    at = put_number(at, view->utc_ns, 8);
    for (int i = 0; i < LKD_MOTION_SLOTS; i++) {
        double value =
            view->values ? value_of(&motion->source[i], &config->slot[i], view->values) : 0;

        at = put_value(at, config->wide, value);
    }
    if (config->platform)
        at = put_platform(at, config->wide, view->ride);
    return (size_t)(at - ret_packet);
}

void lkd_motion_send(struct lkd_motion *motion, const struct lkd_motion_view *view)
{
    unsigned char packet[LKD_MOTION_SIZE_MAX];
    size_t size = lkd_motion_encode(motion, view, packet);

    if (send(motion->fd, packet, size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
        return;
    atomic_store_explicit(&motion->error, errno, memory_order_relaxed);
    atomic_fetch_add_explicit(&motion->failed, 1, memory_order_relaxed);
}

/* ---- which output ---- */

static int find_component(const struct lk_channel *channel, const char *name)
{
    for (int i = 0; i < channel->size; i++)
        if (strcmp(channel->component[i], name) == 0)
            return i;
    /* a channel with one component needs no component name */
    return channel->size == 1 && !*name ? 0 : -1;
}

static enum lkd_motion_kind angle_kind(const char *component)
{
    if (strcmp(component, "roll") == 0)
        return LKD_MOTION_ROLL;
    if (strcmp(component, "pitch") == 0)
        return LKD_MOTION_PITCH;
    return strcmp(component, "yaw") == 0 ? LKD_MOTION_YAW : LKD_MOTION_NOTHING;
}

bool lkd_motion_resolve(const struct lkd_motion_slot *slot, const struct lk_channel *channels,
                        int n_channels, struct lkd_motion_source *ret_source)
{
    int index = lk_channel_index(channels, n_channels, slot->channel);
    const struct lk_channel *channel = index < 0 ? NULL : &channels[index];
    enum lkd_motion_kind kind = LKD_MOTION_SCALAR;
    int component;

    *ret_source = (struct lkd_motion_source){.kind = LKD_MOTION_NOTHING};
    if (!*slot->channel)
        return true;
    if (!channel)
        return false;
    component = find_component(channel, slot->component);
    if (component < 0) { /* no output has that name; the name may be an angle of a quaternion */
        kind = angle_kind(slot->component);
        component = find_component(channel, "qw");
    }
    if (component < 0 || kind == LKD_MOTION_NOTHING)
        return false;
    *ret_source = (struct lkd_motion_source){kind, channel->offset + component};
    return true;
}
