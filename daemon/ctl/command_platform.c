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
    return 0;
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
