/* SPDX-License-Identifier: Apache-2.0 */
/* A driver model: it follows a lane of an OpenDRIVE road with steering wheel, throttle and brake.
 *
 * Speed: what the bends of the lane allow, sqrt(a_y / curvature), where all bends ahead are reached
 * by braking at a_x; both accelerations times the friction of the lane. Pedals: proportional to the
 * error of the speed, with an integral for the drag. Steering: towards a point of the lane ahead,
 * on the arc that the car would follow (R. C. Coulter, Implementation of the Pure Pursuit Path
 * Tracking Algorithm, 1992), whose curvature is 2 y / L^2 for a point at the distance L and y to
 * the left. The ratio of curvature to the angle of the steering wheel is learnt while driving, from
 * the yaw rate.
 *
 * Thread: any, one at a time.  RT: no. */
#ifndef TOOLS_DRIVE_DRIVER_MODEL_H
#define TOOLS_DRIVE_DRIVER_MODEL_H

#include "xodr.h"

/** struct driver_limits - how to drive. @aside: t of the path on the road [m]; above 0 the road is
 * driven against s;  @speed: largest speed [m/s];  @a_x, @a_y: accelerations in braking and in
 * bends on a friction of 1 [m/s^2] */
struct driver_limits {
    double aside;
    double speed;
    double a_x;
    double a_y;
};

/** struct driver_point - a point of the path, with its curvature [1/m], the friction of its lane,
 * at most 1, and the speed there [m/s]. */
struct driver_point {
    double x;
    double y;
    double curvature;
    double grip;
    double speed;
};

/** struct driver - a driver on a path of @n points.
 * @is_closed: the path is a circuit
 * @nearest: index of the nearest point, -1: to be found
 * @ratio: curvature for each angle of the steering wheel [1/(rad m)]
 * @sum: integral of the error of the speed [m];  @steer: present angle of the wheel [rad] */
struct driver {
    int n;
    bool is_closed;
    struct driver_point *point;
    int nearest;
    double ratio;
    double sum;
    double steer;
};

/** struct driver_car - a car at one time: position [m], unit vector ahead, speed ahead [m/s], yaw
 * rate [rad/s]. */
struct driver_car {
    double at[2];
    double ahead[2];
    double speed;
    double yaw_rate;
};

enum { DRIVER_STEER, DRIVER_THROTTLE, DRIVER_BRAKE, DRIVER_VALUES };

/** driver_new() - Make the path along the first road of @xodr. @ratio: see struct driver, as known
 * before.
 * Return: false: the road is too short, or out of memory. */
bool driver_new(const struct xodr *xodr, const struct driver_limits *limits, double ratio,
                struct driver *ret);
void driver_free(struct driver *driver);

/** driver_forget() - Forget where the car was: others have driven it. */
void driver_forget(struct driver *driver);

/** driver_see() - Compute the car from the outputs `body-pose` and `body-velocity` of its body, 13
 * values. */
struct driver_car driver_see(const double *values);

/** driver_act() - Compute the inputs: angle of the steering wheel [rad], throttle and brake [1].
 * @dt: time since the last call [s] */
void driver_act(struct driver *driver, const struct driver_car *car, double dt,
                double ret[DRIVER_VALUES]);

#endif
