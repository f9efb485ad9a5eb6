/* SPDX-License-Identifier: Apache-2.0 */
/* The guard of a platform keeps its actuators within strokes, speeds and accelerations for every
 * demanded position, including jumps and numbers that are not finite.
 *
 * Each actuator is guarded separately. Let h be the step, q the position, v the speed, V and A the
 * limits of speed and acceleration, B = A/2 the braking deceleration, and d the distance to the end
 * of the stroke (less 2 mm or 2 mrad). The next speed v' is
 *
 *     within [v - A h, v + A h],    |v'| <= V,    and towards the end at most
 *     b(d) = sqrt((B h)^2 + 2 B d) - B h,    the root of h v' + v'^2 / (2 B) = d;    q' = q + h v'.
 *
 * Such a v' exists in each step: with v <= b(d) the remaining distance after the step is d' = d - h
 * v >= v^2/(2 B), and v - B h satisfies h (v - B h) + (v - B h)^2 / (2 B) = v^2/(2 B) - B h^2/2 <
 * d', so braking with B is allowed, and d never becomes negative. The other end is the mirror
 * image, and 0 lies between the two bounds, so that both can be met. V and A are a millionth below
 * the limits, which is the error of a receiver that computes differences of positions in double
 * precision.
 *
 * The actuators follow a demand within the limits without lag. After a deviation they approach the
 * demand with the same law, relative to the motion of the demand. Thread: any. RT: yes, a fixed
 * amount of arithmetic. */
#ifndef LK_CUEING_LEG_GUARD_H
#define LK_CUEING_LEG_GUARD_H

#include "cueing/platform.h"

#define LK_LEG_GUARD_CUSHION 2e-3
#define LK_LEG_GUARD_BRAKE   0.5 /* B / A */

/** struct lk_leg_guard - state of the guard.
 * @limits: limits of @n actuators, without cushion;  @h: step [s]
 * @position, @speed: position and speed of each actuator;  @demand: last finite demand, limited to
 * the strokes
 * @limited: number of steps in which the motion differed from the demand */
struct lk_leg_guard {
    int n;
    double h;
    struct lk_actuator_limits limits[LK_PLATFORM_ACTUATORS];
    double position[LK_PLATFORM_ACTUATORS];
    double speed[LK_PLATFORM_ACTUATORS];
    double demand[LK_PLATFORM_ACTUATORS];
    unsigned long long limited;
};

/** lk_leg_guard_end() - return the lowest (@side -1) or highest (@side 1) position that the guard
 * allows for an actuator with @limits. */
double lk_leg_guard_end(const struct lk_actuator_limits *limits, int side);

/** lk_leg_guard_init() - start at rest at @position, limited to the range of the guard. */
void lk_leg_guard_init(struct lk_leg_guard *guard, const struct lk_platform *platform, double h,
                       const double position[LK_PLATFORM_ACTUATORS]);

/** lk_leg_guard_step() - make one step towards @demand, which may be any numbers, also not finite.
 */
void lk_leg_guard_step(struct lk_leg_guard *guard, const double demand[LK_PLATFORM_ACTUATORS]);

#endif
