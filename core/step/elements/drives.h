/* SPDX-License-Identifier: Apache-2.0 */
/* Drives: prescribed motion u(t) of a coordinate, with two derivatives.
 *
 * A driven row is the rigid row Phi(q, t) = c(q) - u(t); the step subtracts u from the violation,
 * the first derivative of u from the rate, and the second from gamma. u comes from a harmonic, from
 * a ramp, from a table (cubic spline, so that the acceleration has no jump), or from an input
 * channel.
 *
 * An input is piecewise constant: a sample is valid until the next. If a drive reproduced the
 * samples directly, every jump would be an impact. So the samples are the control points of a
 * uniform cubic B-spline: position, velocity and acceleration are continuous, the curve never
 * overshoots the samples, reproduces a constant velocity exactly, and lags by two sample periods.
 */
#ifndef LK_STEP_DRIVES_H
#define LK_STEP_DRIVES_H

#include "linkage/error.h"
#include "linkage/kinds.h"
#include "rows/joint.h"

struct lk_system;
struct lk_state;

/** struct lk_drive_samples - control points, oldest first, and the number of steps done in the
 * current segment; part of the state, hence all doubles. */
struct lk_drive_samples {
    double point[4];
    double done;
};

/** struct lk_drive - a compiled drive.
 * @joint, @which: the joint of the model and the index of its coordinate
 * @row_joint: index of the compiled joint of the driven row, -1 for a drive that moves a frame
 * @offset:  LK_DRIVE_INPUT: index of the drive's value in the inputs;  @n: steps per sample
 * @x, @y, @curvature: LK_DRIVE_TABLE: spline of n_points
 * @shift, @amplitude, @omega, @phase: LK_DRIVE_HARMONIC;  @shift, @slope: LK_DRIVE_RAMP
 * @value, @rate, @acceleration: u(t) and its derivatives at the end of the present step, and
 *         @rate_before, the rate at its start; scratch */
struct lk_drive {
    enum lk_drive_type type;
    int joint;
    int which;
    int row_joint;
    int offset;
    double n;
    int n_points;
    int is_periodic;
    const double *x;
    const double *y;
    const double *curvature;
    double shift;
    double amplitude;
    double omega;
    double phase;
    double slope;
    double value;
    double rate;
    double rate_before;
    double acceleration;
};

/** struct lk_moving_frame - a frame moved by up to six drives: x, y, z [m] from @origin along the
 * world's axes, then yaw, pitch and roll [rad], R = Rz(yaw) Ry(pitch) Rx(roll). Frame k is at index
 * n_bodies + 1 + k of poses and twists. @drive: index of the drive of x, y, z, roll, pitch, yaw, or
 * -1.
 * @before: twist at the start of the present step;  @acceleration: acceleration at its end: world,
 *          body axes [m/s^2, rad/s^2]; scratch */
struct lk_moving_frame {
    double origin[3];
    int drive[6];
    struct lk_twist before;
    double acceleration[6];
};

/** lk_drives_advance() - copy new samples from @inputs to system->next and evaluate all drives and
 * frames at the end of the step. Thread: cycle.  RT: yes. */
LK_RT void lk_drives_advance(struct lk_system *system, const double *inputs);

/** lk_drives_evaluate() - evaluate drives and frames at the time and samples of @state. RT: yes. */
LK_RT void lk_drives_evaluate(struct lk_system *system, const struct lk_state *state);

/** lk_spline_curvatures() - compute the second derivatives at the points of an interpolating
 * cubic spline. The slopes at both ends are zero, or the spline is periodic with @is_periodic
 * (the last value then counts as the first). Not for the cycle.
 * @scratch: 3 n doubles */
void lk_spline_curvatures(int n, const double *x, const double *y, int is_periodic, double *scratch,
                          double *ret);

#endif
