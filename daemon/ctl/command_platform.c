/* SPDX-License-Identifier: Apache-2.0 */
/* The command about the motion platform: execute an order, and return the state of the platform.
 * See cueing.h. */
#include "commands.h"
#include "exchange.h"
#include <errno.h>
#include <string.h>

static double *copy_values(struct lkd_call *call, const double *values, size_t n)
{
    double *copy = lk_wire_arena_take(call->arena, n * sizeof(double));

    if (copy)
        memcpy(copy, values, n * sizeof(double));
    return copy;
}

/* Report the strokes, and the geometry of a hexapod, which viewers draw. */
static int reply_geometry(struct lkd_call *call, const struct lk_platform *platform,
                          Linkage__V1__Platform *reply)
{
    size_t n = (size_t)platform->n;
    double low[LK_PLATFORM_ACTUATORS], high[LK_PLATFORM_ACTUATORS];

    for (size_t i = 0; i < n; i++) {
        low[i] = platform->limits[i].low;
        high[i] = platform->limits[i].high;
    }
    reply->low = copy_values(call, low, n);
    reply->high = copy_values(call, high, n);
    if (!reply->low || !reply->high)
        return -ENOMEM;
    reply->n_low = reply->n_high = n;
    if (platform->kind != LK_PLATFORM_HEXAPOD)
        return 0;
    reply->feet = copy_values(call, platform->foot[0], 3 * n);
    reply->joints = copy_values(call, platform->joint[0], 3 * n);
    if (!reply->feet || !reply->joints)
        return -ENOMEM;
    reply->n_feet = reply->n_joints = 3 * n;
    return 0;
}

static int reply_platform(struct lkd_call *call, const struct lkd_cueing *cueing)
{
    const struct lk_ride *ride = &cueing->ride;
    Linkage__V1__Platform *reply = lk_wire_arena_take(call->arena, sizeof(*reply));

    if (!reply)
        return -ENOMEM;
    linkage__v1__platform__init(reply);
    call->reply->platform = reply;
    reply->state = (char *)lk_ride_state_name(ride->state);
    reply->cause = (char *)lk_ride_cause_text(ride->cause);
    reply->emergency = ride->emergency;
    reply->heard = cueing->heard;
    reply->ready = cueing->ready;
    reply->limited = ride->guard.limited;
    reply->pose = copy_values(call, ride->pose, 6);
    reply->actuators = copy_values(call, ride->guard.position, (size_t)ride->platform.n);
    if (!reply->pose || !reply->actuators)
        return -ENOMEM;
    reply->n_pose = 6;
    reply->n_actuators = (size_t)ride->platform.n;
    return reply_geometry(call, &ride->platform, reply);
}

int lkd_command_platform(struct lkd_call *call)
{
    Linkage__V1__PlatformOrder order = call->request->platform->order;
    struct lkd_cueing cueing;
    enum lk_ride_cause cause;

    if (!call->rig->config->cueing.present) {
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_WRONG_STATE,
                       "there is no platform: the configuration has no section cueing");
        return 0;
    }
    if ((unsigned)order > LKD_PLATFORM_RELEASE) {
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_BAD_VALUE,
                       "no such order for a platform");
        return 0;
    }
    cause = lkd_exchange_platform(call->rig->exchange, (enum lkd_platform_order)order, &cueing);
    if (cause != LK_RIDE_NO_CAUSE) {
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_WRONG_STATE,
                       "the platform does not rise: %s", lk_ride_cause_text(cause));
        return 0;
    }
    return reply_platform(call, &cueing);
}
