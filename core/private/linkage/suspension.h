/* SPDX-License-Identifier: Apache-2.0 */
/* Kinematics of wheel suspensions: wheel angles, steering axis, roll centre and wheel rate over
 * wheel travel and steering travel.
 *
 * The chassis is fixed. The heights of the wheel centres and the steering coordinates are
 * prescribed, the wheels do not spin relative to their carriers. Rigid joints hold exactly; all
 * forces are ignored, except that elastic forces give the wheel rate. The type of the suspension
 * does not matter.
 *
 * Axes and signs follow ISO 8855: x forward, y left, z up, world axes of the start of the model.
 * The zero of all travel is the start of the model ("design position").
 *
 * Uses LAPACK; meson dependency `linkage_analysis`.
 * Thread: any but the cycle.  RT: no. */
#ifndef LINKAGE_SUSPENSION_H
#define LINKAGE_SUSPENSION_H

#include "linkage/linkage.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_SUSPENSION_WHEELS_MAX 16
#define LK_SUSPENSION_STEERS_MAX 8

enum lk_suspension_side { LK_SUSPENSION_LEFT, LK_SUSPENSION_RIGHT, LK_SUSPENSION_SIDES };

/** struct lk_suspension_request - parts of a suspension, by index in the model.
 * @chassis: body that is fixed, -1: the ground
 * @wheel:   @n_wheels wheels: a revolute joint of carrier and wheel, its second body, and the
 * radius of the wheel [m]. The joint's point is the wheel centre
 * @steer:   @n_steers coordinates that steer, all by the same amount */
struct lk_suspension_request {
    int chassis;
    int n_wheels;
    struct {
        int joint;
        double radius;
    } wheel[LK_SUSPENSION_WHEELS_MAX];
    int n_steers;
    struct {
        int joint;
        int which;
    } steer[LK_SUSPENSION_STEERS_MAX];
};

/** struct lk_suspension_axle - wheels at the same x.
 * @wheel:      index in the request of the left and of the right wheel, -1: none
 * @x:          position of the wheel centres [m], mean
 * @is_steered: steering moves the wheels */
struct lk_suspension_axle {
    int wheel[LK_SUSPENSION_SIDES];
    double x;
    bool is_steered;
};

/** struct lk_suspension_point - a wheel in one pose. NAN: not defined in this pose, or without
 * steering.
 * @height:      of the wheel centre above its design position [m]
 * @toe:         [rad], positive: the front of the wheel points inwards
 * @steer:       angle of the wheel about z [rad], positive: to the left
 * @camber:      [rad], positive: the top of the wheel leans outwards
 * @caster:      of the steering axis in side view [rad], positive: its top leans rearwards
 * @inclination: of the steering axis in front view [rad], positive: its top leans inwards
 * @scrub:       distance from the contact point inwards to the steering axis, on the ground along
 *               the wheel's axle [m]
 * @trail:       distance from the contact point forwards to the steering axis, on the ground along
 *               the wheel's plane [m]
 * @centre_x:    travel of the wheel centre forwards since the design position [m]
 * @contact_y:   travel of the contact point outwards since the design position [m]
 * @toe_rate, @camber_rate: derivatives with respect to @height [rad/m]; of a steering sweep, the
 *               derivatives with respect to the steering coordinate
 * @brake_angle: support angle [rad]: forward travel per upward travel of the carrier at the contact
 *               point, as a tangent;  @drive_angle: the same at the wheel centre
 * @roll_height: height above the contact point at which the normal of the contact point's velocity
 *               in front view crosses the middle of the axle [m], when the body rolls
 * @force:       derivative of the elastic energy with respect to @height, other wheels held [N]
 * @rate:        wheel rate: derivative of @force with respect to @height along the sweep [N/m];
 *               NAN in a steering sweep
 * @axis_point, @axis: a point of the steering axis [m] and its direction, upwards */
struct lk_suspension_point {
    double height;
    double toe;
    double steer;
    double camber;
    double caster;
    double inclination;
    double scrub;
    double trail;
    double centre_x;
    double contact_y;
    double toe_rate;
    double camber_rate;
    double brake_angle;
    double drive_angle;
    double roll_height;
    double force;
    double rate;
    double axis_point[3];
    double axis[3];
};

/** struct lk_suspension_row - an axle in one pose.
 * @travel:      height of the left (or only) wheel [m], or the steering travel [m or rad]
 * @point:       left and right wheel; not set for a missing wheel
 * @track:       change of the track at the contact points [m], NAN for a single wheel
 * @roll_centre: height of the roll centre above the ground [m]: mean of @roll_height */
struct lk_suspension_row {
    double travel;
    struct lk_suspension_point point[LK_SUSPENSION_SIDES];
    double track;
    double roll_centre;
};

/** enum lk_suspension_sweep - PARALLEL: both wheels of an axle up and down;  OPPOSITE: the left
 * wheel up, the right wheel down by the same travel;  STEER: both wheels at design height */
enum lk_suspension_sweep { LK_SUSPENSION_PARALLEL, LK_SUSPENSION_OPPOSITE, LK_SUSPENSION_STEER };

/** struct lk_suspension_curve - an axle over a sweep.
 * @row:       @n rows with ascending travel; @row[@design] is the design position
 * @is_cut:    the sweep ended before its lowest and its highest travel
 * @end:       lowest and highest travel that was reached [m or rad]
 * @reason:    reason for each end, if @is_cut */
struct lk_suspension_curve {
    int n;
    int design;
    struct lk_suspension_row *row;
    bool is_cut[2];
    double end[2];
    char reason[2][160];
};

struct lk_suspension;

/** lk_suspension_new() - find axles, and check that each wheel can move up and down in exactly one
 * way.
 * @system: compiled with all_rows, in the pose of its start. Must outlive the result, which uses
 * its scratch memory Return: 0; LK_E_MODEL: @ret_error gives the reason and names the wheel;
 * -ENOMEM, -EINVAL (planar reduction removed rows, or the pose is not finite). Release with
 * lk_suspension_free(). */
int lk_suspension_new(struct lk_system *system, const struct lk_suspension_request *request,
                      struct lk_suspension **ret, struct lk_error *ret_error);
void lk_suspension_free(struct lk_suspension *suspension);

/** lk_suspension_axles() - return the axles, from front to rear. */
const struct lk_suspension_axle *lk_suspension_axles(const struct lk_suspension *suspension,
                                                     int *ret_n);

/** lk_suspension_floating() - return the number of bodies that no joints connect with the chassis,
 * such as the nodes of an anti-roll bar that is a beam. They are held, and the springs on them do
 * not count in forces and rates. @ret_body: the first of them, an index of the model. */
int lk_suspension_floating(const struct lk_suspension *suspension, int *ret_body);

/** lk_suspension_contact() - return the contact point of a wheel of the request in the design
 * position [m]: the lowest point of its plane at the distance of its radius from the centre. */
const double *lk_suspension_contact(const struct lk_suspension *suspension, int wheel);

/** lk_suspension_sweep() - compute an axle over a sweep of @n_points equal steps from -@range to
 * @range [m or rad]; an odd number contains the design position, otherwise it is added.
 * @ret: written on success; release with lk_suspension_curve_fini()
 * Return: 0, -ENOMEM; LK_E_MODEL: the design position itself fails, see @ret_error. */
int lk_suspension_sweep(struct lk_suspension *suspension, int axle, enum lk_suspension_sweep sweep,
                        double range, int n_points, struct lk_suspension_curve *ret,
                        struct lk_error *ret_error);
void lk_suspension_curve_fini(struct lk_suspension_curve *curve);

/** struct lk_suspension_spring - a force element with a spring that wheels deflect.
 * @force: its index in the model
 * @ratio: change of its length or coordinate per height of the left and of the right wheel, other
 *         wheels held [1 or rad/m] */
struct lk_suspension_spring {
    int force;
    double ratio[LK_SUSPENSION_SIDES];
};

/** lk_suspension_springs() - list the springs that an axle deflects in the design position.
 * @ret: @room entries
 * Return: number of springs, at most @room; -ENOMEM, or LK_E_MODEL as a negative number. */
int lk_suspension_springs(struct lk_suspension *suspension, int axle,
                          struct lk_suspension_spring *ret, int room);

#ifdef __cplusplus
}
#endif
#endif
