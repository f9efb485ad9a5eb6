/* SPDX-License-Identifier: Apache-2.0 */
/* The classical washout: computes the pose of a platform with little travel from the specific force
 * and the rotation at the driver. After L. D. Reid, M. A. Nahon, Flight simulation motion-base
 * drive algorithms, UTIAS reports 296 (1985) and 307 (1986); here z is up.
 *
 *     f, w --> scale, limit --+--> low-pass -> tilt, rate-limited --(+)--> attitude
 *                             +--> rates of the angles -> high-pass --^        |
 *                             +--> into the room, less gravity <---------------+
 *                                      -> high-pass, integrated twice ------> position
 *
 * f is the specific force (acceleration less gravity, +g along z at rest) and w the angular
 * velocity at the driver's head, both in axes of the vehicle: x ahead, y to the left, z up; an
 * output `inertial-sensor` has these values. With the attitude in the loop, the gravity component
 * of the tilt moves the platform back, so that it returns to the centre under a sustained cue, even
 * without a leak.
 *
 * Every function is pure: all state is in one struct without pointers.
 * Thread: any. RT: yes. */
#ifndef LK_CUEING_WASHOUT_H
#define LK_CUEING_WASHOUT_H

#include "cueing/section.h"

#define LK_CUEING_GRAVITY 9.81
#define LK_WASHOUT_VALUES 32 /* number of values of a set */

/** struct lk_washout_set - parameters, all of them doubles. Three values: surge, sway, heave,
 * or roll, pitch, yaw.
 * @force_scale, @rate_scale: factors on f (less gravity) and w
 * @force_limit [m/s^2], @rate_limit [rad/s]: limits of each component, after scaling
 * @frequency [rad/s], @damping, @leak [rad/s]: parameters of s / ((s^2 + 2 z w s + w^2)(s +
 *             leak)), from acceleration to travel; if leak is 0, the factor s / (s + leak) is 1
 * @tilt_frequency, @tilt_damping: parameters of the low-pass;  @tilt_rate [rad/s]: 0 for no limit
 * @tilt_limit: limit of roll and pitch by tilt [rad]
 * @turn_frequency, @turn_damping: parameters of s / (s^2 + 2 z w s + w^2), from rate to angle
 * @head:      position of the driver's head relative to the platform's reference point, platform
 *             axes [m]
 * @coupled:   fraction of the attitude in the loop of the translation, 0 to 1
 * @tilt_acceleration: limit a of the angular acceleration by tilt [rad/s^2]; 0 for no limit. The
 *             tilt rate never exceeds the rate that can be braked within the remaining angle.
 *             Therefore a target that moves at the rate w is followed with a lag of w^2 / 2 a */
struct lk_washout_set {
    double force_scale[3];
    double rate_scale[3];
    double force_limit;
    double rate_limit;
    double frequency[3];
    double damping[3];
    double leak[3];
    double tilt_frequency;
    double tilt_damping;
    double tilt_rate;
    double tilt_limit;
    double turn_frequency[3];
    double turn_damping[3];
    double head[3];
    double coupled;
    double tilt_acceleration;
};

/** lk_washout_names - names of the documented sets, NULL-terminated;
 * doc/reference/platforms.md lists their sources.
 * lk_washout_named() - return the set whose name is entry @index of lk_washout_names. */
extern const char *const lk_washout_names[];
struct lk_washout_set lk_washout_named(int index);

/** struct lk_washout - a parameter set and the step in seconds, @h. The set may change from
 * step to step. */
struct lk_washout {
    struct lk_washout_set set;
    double h;
};

/** struct lk_washout_state - state between steps; zeros mean rest.
 * @force: scaled and limited specific force, less gravity [m/s^2];  @rate: scaled and limited
 *         angular rate [rad/s]; both from the last finite sensor
 * @tilt:  roll and pitch by tilt [rad];  @tilting: their rates [rad/s]
 * @turned: angles of the rotational channel [rad]
 * @travel_by: displacement of the head [m];  @angle: roll, pitch, yaw [rad] */
struct lk_washout_state {
    struct lk_section travel[3];
    struct lk_leak leak[3];
    struct lk_section low[2];
    struct lk_section turn[3];
    double force[3];
    double rate[3];
    double tilt[2];
    double tilting[2];
    double turned[3];
    double travel_by[3];
    double angle[3];
};

/** lk_washout_init() - set up a washout. @h: step [s], more than 0. */
void lk_washout_init(struct lk_washout *washout, const struct lk_washout_set *set, double h);

/** lk_washout_step() - make one step of the configured h.
 * @sensor:   fx fy fz [m/s^2], wx wy wz [rad/s]; if one of them is not finite, the values of the
 *            last finite sensor are used
 * @ret_pose: x y z [m] of the reference point from neutral, roll pitch yaw [rad] */
void lk_washout_step(const struct lk_washout *washout, struct lk_washout_state *state,
                     const double sensor[6], double ret_pose[6]);

#endif
