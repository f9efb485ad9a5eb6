/* SPDX-License-Identifier: Apache-2.0 */
/* Kinematics of platforms: actuator positions of a pose (inverse kinematics), and the pose of
 * actuator positions (forward kinematics).
 *
 * A pose is x y z [m] of the reference point from neutral, and roll pitch yaw [rad]
 * (attitude.h). Actuator positions are measured from neutral:
 *   hexapod      length of each leg less its neutral length [m]
 *   six-axis     the pose itself
 *   three-axis   roll, pitch [rad], heave [m]
 *
 * Pure functions; nothing is allocated. Thread: any. RT: yes. */
#ifndef LK_CUEING_PLATFORM_H
#define LK_CUEING_PLATFORM_H

#include <stdbool.h>

#define LK_PLATFORM_ACTUATORS 6

enum lk_platform_kind { LK_PLATFORM_HEXAPOD, LK_PLATFORM_SIX_AXIS, LK_PLATFORM_THREE_AXIS };

/** struct lk_actuator_limits - limits of one actuator, in its unit: m or rad, per s, per s^2.
 * @low, @high: positions from neutral, low < 0 < high */
struct lk_actuator_limits {
    double low;
    double high;
    double speed;
    double acceleration;
};

/** struct lk_hexapod - geometry of a hexapod. Its legs form pairs at 60, 180 and 300 degrees;
 * leg 1 is the leg just before 60 degrees, and so on.
 * @base_angle, @platform_angle: angle between a leg and the centre of its pair, on the floor and
 *          on the platform [rad]
 * @height: height of the platform's joints above the joints on the floor in neutral [m] */
struct lk_hexapod {
    double base_radius;
    double base_angle;
    double platform_radius;
    double platform_angle;
    double height;
};

/** struct lk_platform - @n actuators with their limits. The following fields are set for a
 * hexapod only.
 * @foot:    joints on the floor, relative to the platform's reference point in neutral
 * @joint:   joints on the platform, relative to the reference point, platform axes
 * @neutral: lengths of the legs in neutral [m] */
struct lk_platform {
    enum lk_platform_kind kind;
    int n;
    struct lk_actuator_limits limits[LK_PLATFORM_ACTUATORS];
    double foot[LK_PLATFORM_ACTUATORS][3];
    double joint[LK_PLATFORM_ACTUATORS][3];
    double neutral[LK_PLATFORM_ACTUATORS];
};

/** lk_platform_count() - return the number of actuators of a platform of this @kind. */
int lk_platform_count(enum lk_platform_kind kind);

/** lk_platform_init() - set up a platform. @hexapod: geometry, NULL for other kinds;
 * @limits: limits of each actuator
 * Return: false if a hexapod can reach a singular pose within its strokes. Each corner of the
 * strokes, and the path to it, is examined. */
bool lk_platform_init(struct lk_platform *ret_platform, enum lk_platform_kind kind,
                      const struct lk_hexapod *hexapod, const struct lk_actuator_limits *limits);

/** lk_platform_actuators() - compute the actuator positions for @pose; unused elements are 0. */
void lk_platform_actuators(const struct lk_platform *platform, const double pose[6],
                           double ret_position[LK_PLATFORM_ACTUATORS]);

/** lk_platform_pose() - compute the pose for @position; for a hexapod by six iterations of
 * Newton's method. @pose: in: a nearby pose; out: the result
 * Return: largest error of a position [m]. If it exceeds 1e-9, no pose with these positions was
 * found nearby, and @pose is unchanged. 0 for other platforms. */
double lk_platform_pose(const struct lk_platform *platform,
                        const double position[LK_PLATFORM_ACTUATORS], double pose[6]);

#endif
