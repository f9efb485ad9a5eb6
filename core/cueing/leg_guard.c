/* SPDX-License-Identifier: Apache-2.0 */
#include "cueing/leg_guard.h"
#include "maths/vec.h"
#include <stdbool.h>

#define ROUNDING (1 - 1e-6)
#define AS_MEANT 1e-9 /* deviation from the demand that does not count as limited [m or rad] */

double lk_leg_guard_end(const struct lk_actuator_limits *limits, int side)
{
    return side < 0 ? limits->low + LK_LEG_GUARD_CUSHION : limits->high - LK_LEG_GUARD_CUSHION;
}

static double clip(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

void lk_leg_guard_init(struct lk_leg_guard *guard, const struct lk_platform *platform, double h,
                       const double position[LK_PLATFORM_ACTUATORS])
{
    *guard = (struct lk_leg_guard){.n = platform->n, .h = h};
    for (int i = 0; i < platform->n; i++) {
        const struct lk_actuator_limits *limits = &platform->limits[i];

        guard->limits[i] = *limits;
        guard->position[i] =
            clip(position[i], lk_leg_guard_end(limits, -1), lk_leg_guard_end(limits, 1));
        guard->demand[i] = guard->position[i];
    }
}

/* Return the largest speed that can be braked within @way; see the header. */
static double braking_speed(double way, double brake, double h)
{
    double bh = brake * h;

    return lk_root(bh * bh + 2 * brake * fmax(way, 0)) - bh;
}

/* Return the speed that follows a demand and reduces the distance @lag to it. @moved: motion of the
 * demand in this step */
static double wanted_speed(double lag, double moved, double brake, double h)
{
    double size = fmin(fabs(lag) / h, braking_speed(fabs(lag), brake, h));

    return moved / h + (lag < 0 ? -size : size);
}

static bool step_one(struct lk_leg_guard *guard, int i, double demand)
{
    const struct lk_actuator_limits *limits = &guard->limits[i];
    double h = guard->h, q = guard->position[i], v = guard->speed[i];
    double A = ROUNDING * limits->acceleration, V = ROUNDING * limits->speed;
    double brake = LK_LEG_GUARD_BRAKE * A;
    double low = lk_leg_guard_end(limits, -1), high = lk_leg_guard_end(limits, 1);
    double aim = isfinite(demand) ? clip(demand, low, high) : guard->demand[i];
    double wanted = wanted_speed(guard->demand[i] - q, aim - guard->demand[i], brake, h);
    double least = fmax(fmax(v - A * h, -V), -braking_speed(q - low, brake, h));
    double most = fmin(fmin(v + A * h, V), braking_speed(high - q, brake, h));

    guard->demand[i] = aim;
    guard->speed[i] = clip(wanted, least, most);
    guard->position[i] = q + h * guard->speed[i];
    return fabs(guard->position[i] - demand) <= AS_MEANT;
}

void lk_leg_guard_step(struct lk_leg_guard *guard, const double demand[LK_PLATFORM_ACTUATORS])
{
    bool as_meant = true;

    for (int i = 0; i < guard->n; i++)
        as_meant = step_one(guard, i, demand[i]) && as_meant;
    guard->limited += !as_meant;
}
