/* SPDX-License-Identifier: Apache-2.0 */
/* The guard of a platform: whatever position is demanded, jumps and numbers that are none included,
 * its actuators stay within strokes, speeds and accelerations.
 *
 * Each actuator for itself. With the step h, position q, speed v, at most V and A, a brake of B =
 * A/2 and the way d left to the end of the stroke (2 mm before it, or 2 mrad) the next speed v' is
 *
 *     within [v - A h, v + A h],    |v'| <= V,    and towards the end at most
 *     b(d) = sqrt((B h)^2 + 2 B d) - B h,    the root of h v' + v'^2 / (2 B) = d;    q' = q + h v'.
 *
 * Such a v' exists in each step: with v <= b(d) the way left afterwards is d' = d - h v >= v^2/(2
 * B), and v - B h satisfies h (v - B h) + (v - B h)^2 / (2 B) = v^2/(2 B) - B h^2/2 < d', so
 * braking by B is allowed, and d never becomes negative. The other end is the mirror image, and 0
 * lies between the two bounds, so that both can be met. V and A are a millionth below the limits:
 * that much a receiver loses who takes differences of positions in double precision.
 *
 * A demand within the limits is followed without lag. One that was lost is approached by the same
 * law, relative to its motion. Thread: any. RT: yes, a fixed amount of arithmetic. */
#ifndef LK_CUEING_LEG_GUARD_H
#define LK_CUEING_LEG_GUARD_H

#include "cueing/platform.h"

#define LK_LEG_GUARD_CUSHION 2e-3
#define LK_LEG_GUARD_BRAKE   0.5 /* part of the acceleration that brakes */

/** struct lk_leg_guard - @limits: of @n actuators, without cushion;  @h: step [s]
 * @position, @speed: of the actuators;  @demand: the last finite one, within the strokes
 * @limited: number of steps that were not as demanded */
struct lk_leg_guard {
    int n;
    double h;
    struct lk_actuator_limits limits[LK_PLATFORM_ACTUATORS];
    double position[LK_PLATFORM_ACTUATORS];
    double speed[LK_PLATFORM_ACTUATORS];
    double demand[LK_PLATFORM_ACTUATORS];
    unsigned long long limited;
};

/** lk_leg_guard_end() - the lowest position the guard lets actuator @limits go (@side -1), or the
 * highest one (1). */
double lk_leg_guard_end(const struct lk_actuator_limits *limits, int side);

/** lk_leg_guard_init() - at rest at @position, which is clipped to what the guard allows. */
void lk_leg_guard_init(struct lk_leg_guard *guard, const struct lk_platform *platform, double h,
                       const double position[LK_PLATFORM_ACTUATORS]);

/** lk_leg_guard_step() - one step towards @demand; any numbers, or none. */
void lk_leg_guard_step(struct lk_leg_guard *guard, const double demand[LK_PLATFORM_ACTUATORS]);

#endif
